"""The numerical kernel that projection and identification share.

Symmetric matrices are vectors here (svec), iterations damp and stop by one set of rules, and every
answer comes with a Certificate, which is computed from the problem and not read back from a solver.
"""

from inertial_check.solvers.certificate import Certificate
from inertial_check.solvers.iteration import LineSearch, length_to_boundary

__all__ = ["Certificate", "LineSearch", "length_to_boundary"]
