"""A composite body and its parts: the constraint that parts have a sum, and the nearest split.

Bodies that no joint moves apart act as one body, their composite, which is all that torques show of
them. A split gives each part its own inertial parameters again.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.inertia import frames
>>> from inertial_check.projection import composites
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import check
from inertial_check.inertia.frames import transform
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.projection._constraint import ArrayField, Block, Constraint
from inertial_check.projection.exact import are_exact, make_exact
from inertial_check.projection.priors import from_body
from inertial_check.projection.project import project
from inertial_check.solvers.svec import TO_SVEC, congruence

SplitMethod = Literal["remainder", "nearest", "proportional"]
"""Rule by which a composite was split: the parent takes the remainder beside children that stay;
all parts are the nearest with this sum; or all parts are copies of the composite by mass."""

_BLENDS = tuple(2.0**-k for k in range(30, -1, -1))
"""Shares, in turn, of the proportional split in a split whose parts lie on the boundary."""


@dataclass(frozen=True, eq=False, repr=False)
class FixedSum(Constraint):
    """The bodies, each moved from its own frame to that of a composite, add up to the composite.

    Attributes:
        composite: (10,) in order "urdf" about the origin of its frame C.
        X_CB: (n, 4, 4) poses of the frames of the n bodies in C.
    """

    coupling: ClassVar[bool] = True

    composite: ArrayField = ArrayField(10)
    X_CB: ArrayField = ArrayField(None, 4, 4)

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """Sum of X Pi X^T less the composite = 0.

        Raises:
            ParameterError: Another number of bodies than of poses.
        """
        if len(theta0) != len(self.X_CB):
            raise ParameterError(
                f"FixedSum: {len(theta0)} bodies, expected {len(self.X_CB)}, one for each pose"
            )
        maps = congruence(np.asarray(self.X_CB)) @ TO_SVEC
        A = maps.transpose(1, 0, 2).reshape(10, -1)
        return (Block("zero", A, np.zeros((10, 0)), -TO_SVEC @ np.asarray(self.composite)),)

    def describe(self) -> str:
        """The number of bodies and their mass together."""
        return f"FixedSum({len(self.X_CB)} bodies, {float(self.composite[0])!r} kg)"


class Split(NamedTuple):
    """Parts of a composite body.

    Attributes:
        theta: (1 + k, 10) parent and children in order "urdf", each about its own origin.
        method: Rule by which it was split.
    """

    theta: Floats
    method: SplitMethod


def split_composite(
    composite: ArrayLike, parent: ArrayLike, children: InertialParameters, X_PC: ArrayLike
) -> Split:
    """Split a composite body into a parent and the children that are fixed to it.

    The children keep their numbers, and the parent takes the remainder, where that is a consistent
    body. Else all parts change to the nearest consistent ones with this sum, in the metric "prior"
    of the numbers that they had. Where no such split is found, as for a composite on the boundary,
    each part is a copy of the composite with its share of the mass.

    The parts add up to the composite to rounding, and each is consistent in exact arithmetic.

    Args:
        composite: (10,) consistent, in order "urdf" about the origin of the parent's frame.
        parent: (10,) expected numbers of the parent, in the same order and frame.
        children: (k,) expected bodies, each in its own frame.
        X_PC: (k, 4, 4) poses of the children's frames in that of the parent.

    Raises:
        ParameterError: Shapes that do not fit, or a body without mass.

    Example:
        >>> # A flange of 0.2 kg on a link: together they were found to weigh 2.1 kg
        >>> link = np.array([2.0, 0, 0, 0.4, 0.2, 0, 0, 0.2, 0, 0.02])
        >>> flange = ic.InertialParameters.from_com([0.2], [[0, 0, 0.01]], [0.001 * np.eye(3)])
        >>> X_LF = frames.homogeneous(np.eye(3), [0, 0, 0.4])[None]
        >>> whole = 1.05 * frames.merge(link, flange.as_theta()[0], X_LF[0])
        >>> parts = composites.split_composite(whole, link, flange, X_LF)
        >>> print(parts.method, parts.theta[:, 0].round(3))
        remainder [2.11 0.2 ]
        >>> print(ic.check(parts.theta).verdict)
        ['consistent' 'consistent']
    """
    composite = np.asarray(composite, dtype=np.float64)
    first = np.asarray(parent, dtype=np.float64).reshape(1, 10)
    own = np.concatenate([first, np.asarray(children.as_theta())])
    X = np.concatenate([np.eye(4)[None], np.asarray(X_PC, dtype=np.float64).reshape(-1, 4, 4)])
    if composite.shape != (10,) or len(own) != len(X):
        raise ParameterError(
            f"composite has shape {composite.shape} and X_PC is of {len(X) - 1} children, expected "
            f"(10,) and {len(own) - 1}"
        )
    left = _complete(composite, own, X)
    stay = are_exact(np.asarray(children.as_theta(about="com")), "com")
    if stay.all() and are_exact(left[:1], "origin").all():
        return Split(left, "remainder")
    shared = _share(composite, own[:, 0], X)
    nearest = _find_nearest(composite, own, X)
    if nearest is None:
        return Split(make_exact(shared, "origin")[0], "proportional")
    for blend in _BLENDS:
        parts = _complete(composite, (1 - blend) * nearest + blend * shared, X)
        least = np.minimum(tolerances.EDGE, check(shared).margin / 2)
        if are_exact(parts, "origin").all() and np.all(check(parts).margin >= least):
            return Split(parts, "nearest")
    return Split(make_exact(shared, "origin")[0], "proportional")


def _complete(composite: Floats, parts: Floats, X: Floats) -> Floats:
    """Replace the first part (1 + k, 10) by what the others leave of the composite."""
    others = np.asarray(transform(parts[1:], X[1:])).sum(axis=0)
    return np.concatenate([(composite - others)[None], parts[1:]])


def _share(composite: Floats, masses: Floats, X: Floats) -> Floats:
    """Give each part (1 + k, 10) a copy of the composite with its share of the mass."""
    shares = masses / masses.sum()
    back = np.asarray(transform(np.tile(composite, (len(X), 1)), np.linalg.inv(X)))
    return np.asarray(shares[:, None] * back)


def _find_nearest(composite: Floats, own: Floats, X: Floats) -> Floats | None:
    """Find the nearest consistent parts (1 + k, 10) with this sum; None without an answer."""
    try:
        prior = from_body(own, margin=tolerances.PRIOR_MARGIN)
        found = project(own, "prior", prior=prior, constraints=FixedSum(composite, X))
    except (ParameterError, ProjectionError):
        return None
    usable = bool(np.all(found.status == "projected"))
    return np.asarray(found.theta) if usable else None
