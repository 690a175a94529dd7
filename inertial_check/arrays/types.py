"""The array types that annotations share.

Code for files and commands works on NumPy arrays and says so: Floats, Integers, Mask. The numerical
core takes the arrays of any library with the Python array API and says Array; a function that is
handed the library calls that argument xp and annotates it as a Namespace.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""A NumPy array of double-precision numbers."""

Integers = npt.NDArray[np.intp]
"""A NumPy array of indices or counts."""

Mask = npt.NDArray[np.bool_]
"""A NumPy array of truth values."""

Namespace = ModuleType
"""An array library as the Python array API defines it: numpy, array_api_compat.torch, jax.numpy."""

Array = Any
"""An array of any library that speaks the array API (NumPy, PyTorch, JAX, CuPy, ...)."""
