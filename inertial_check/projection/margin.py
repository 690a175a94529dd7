"""Bodies with a margin as a convex set: exact at a centre of mass, inside the true set elsewhere.

The margin asks for S_c >= mu tr(S_c) 1 with S_c = S - h h^T / m, which is no convex set of theta.
For the moments S', h' about a point q it is implied by the linear matrix inequality

    [[S' - mu tr(S') 1, h'], [h'^T, m]] >= 0,

because tr(S') is at least tr(S_c), and it is the same where q is the centre of mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.tolerances import NEARLY_ISOTROPIC
from inertial_check.projection.constraint import ArrayField, Block, Constraint
from inertial_check.projection.moments import ISOTROPIC
from inertial_check.projection.svec import TO_SVEC, congruence

_DIAGONAL = [0, 4, 7]  # where S has its diagonal in svec(Pi)


@dataclass(frozen=True, eq=False, repr=False)
class MarginAbout(Constraint):
    """A margin mu of the moments about a point of the problem's own frame.

    Attributes:
        margin: The margin, 0 to 1/3.
        center: (3,) the point, in the frame of the problem [m].
    """

    in_frame: ClassVar[bool] = True

    margin: float = 0.0
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The linear matrix inequality; near 1/3, where it has no inside, its equations."""
        about = np.eye(4)
        about[:3, 3] = -self.center
        moments = congruence(about[None])[0] @ TO_SVEC
        if self.margin < ISOTROPIC - NEARLY_ISOTROPIC:
            rows = np.array(moments)
            rows[_DIAGONAL] -= self.margin * moments[_DIAGONAL].sum(axis=0)
            return (Block("psd", rows, np.zeros((10, 0)), np.zeros(10)),)
        zero = np.array(moments)
        zero[_DIAGONAL] -= moments[_DIAGONAL].mean(axis=0)
        zero = zero[[0, 1, 2, 3, 4, 5, 6, 8]]  # the last diagonal entry follows, and m is free
        return (Block("zero", zero, np.zeros((8, 0)), np.zeros(8)),)

    def describe(self) -> str:
        """The margin."""
        return f"margin {self.margin:g}"
