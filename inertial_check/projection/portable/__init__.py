"""The nearest by metrics of the whole pseudo-inertia, in the array library of the caller.

The same problems, floors and equations as quadratic.py, newton.py and holding.py state for NumPy,
written so that JAX compiles them, PyTorch keeps them on its device, and any array API runs them.
"""

from __future__ import annotations
