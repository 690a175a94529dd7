"""Priors: what a body is expected to be, strictly inside the cone of consistent bodies.

A prior weighs the change of a body by its own extent in every direction, so it must have one: a
plate, a rod or a point leaves some change without a price. Here such a prior is given a margin,
and what was done to it is told.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.projection import priors

A composite body and its parts: the constraint that parts have a sum, and the nearest split.

Bodies that no joint moves apart act as one body, their composite, which is all that torques show of
them. A split gives each part its own inertial parameters again.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.inertia import frames
>>> from inertial_check.projection import priors as composites
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError, expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Floats,
    array_namespace,
    first_index,
    of_body,
    real_arrays,
)
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta, check
from inertial_check.inertia.frames import transform
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, join
from inertial_check.projection.constraint import ArrayField, Block, Constraint
from inertial_check.projection.exact import are_exact, make_exact
from inertial_check.projection.moments import add_isotropic
from inertial_check.projection.project import project
from inertial_check.projection.result import Projection
from inertial_check.projection.svec import TO_SVEC, congruence

_OTHERWISE = "take the prior from its geometry or from another model"


class StrictPrior(NamedTuple):
    """A prior that is positive definite.

    Attributes:
        parameters: The prior, (...,) bodies.
        moved: (...,) whether a body had less than the margin and was given it.
        margin: (...,) what each body had.
    """

    parameters: InertialParameters
    moved: Array
    margin: Array


def from_body(
    theta: InertialParameters | ArrayLike,
    order: Order | None = None,
    about: Point | None = None,
    margin: float = tolerances.OWN_PRIOR_MARGIN,
) -> InertialParameters:
    """Take each body as its own prior: the nearest by metric inertia that has the margin.

    Mass and centre of mass are believed, and of the inertia all that some body can have.

    Args:
        theta: (..., 10), as for inertial_check.project, which has to be consistent neither; or
            InertialParameters.
        order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl; None for theta's own.
        about: Point about which they are taken: "origin" or "com"; None for theta's own.
        margin: Least margin of the prior, above 0 and at most 1/3.

    Returns:
        The priors. Bodies that have the margin are themselves.

    Raises:
        ParameterError: Wrong shape, unknown order or point, no such margin; a body that tells
            nothing of itself: no positive mass, a number that is not finite, no extent, or so far
            from its origin that its digits do not hold one. Names the body.

    Example:
        >>> prior = priors.from_body([1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08], margin=0.05)
        >>> print(prior.mass, float(ic.check(prior).margin.round(6)))
        1.2 0.05
    """
    expect("number", margin=margin)
    _refuse_margin(margin)
    given, given_about = as_theta(theta, order, about)
    _refuse_nobody(given, given_about)
    return _strict(project(given, margin=margin, about=given_about)).parameters


def strictly_inside(
    prior: InertialParameters | ArrayLike,
    margin: float = tolerances.PRIOR_MARGIN,
    radius_of_gyration: float | None = None,
) -> StrictPrior:
    """Put priors that are plates, rods or nearly so strictly inside the cone, and say which.

    The nearest by metric inertia with the margin; what has the margin is not touched.

    Args:
        prior: InertialParameters, or (..., 10) about the origin in order urdf or as it says itself.
        margin: What they have at least, above 0 and at most 1/3.
        radius_of_gyration: Of the balls that point masses become [m]; None refuses them.

    Raises:
        ParameterError: No such margin or radius; a body that no density has (from_body makes one
            of it), or that has no extent to be given a margin. Names the body.

    Example:
        >>> plate = [1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.2]
        >>> prior = priors.strictly_inside(plate, margin=0.01)
        >>> print(prior.moved, float(ic.check(prior.parameters).margin.round(6)))
        True 0.01
    """
    expect("number", margin=margin)
    expect("number", "nothing", radius_of_gyration=radius_of_gyration)
    _refuse_margin(margin)
    if not isinstance(prior, InertialParameters):
        real_arrays(prior=prior)
    given, about = as_theta(prior)
    xp, before = array_namespace(given), Consistency(given, about)
    inflated = given
    if radius_of_gyration is not None:  # point masses become balls: I = 2/3 m k^2 1
        if not 0 < radius_of_gyration < np.inf:
            raise ParameterError(
                f"radius_of_gyration is {radius_of_gyration!r}, expected a positive number [m]"
            )
        point = xp.all(before.principal_moments == 0, axis=-1)
        moment = 2 / 3 * radius_of_gyration**2 * given[..., 0]
        moment = xp.where(point, moment, xp.zeros_like(moment))
        inflated = join(given[..., 0], given[..., 1:4], add_isotropic(xp, given[..., 4:], moment))
    _refuse_nobody(inflated, about)
    body = first_index(xp, before.verdict_code == int(Verdict.INCONSISTENT))
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} is inconsistent (margin {float(before.margin[body]):.3g}): "
            "no body has it; projection.priors.from_body gives the nearest that some body has"
        )
    projection = _strict(project(inflated, margin=margin, about=about))
    moved = projection.changed | xp.any(inflated != given, axis=-1)
    return StrictPrior(projection.parameters, moved, before.margin)


def _refuse_margin(margin: float) -> None:
    if not margin > 0:  # the upper bound is project's to refuse
        raise ParameterError(f"margin is {margin!r}; a prior's is above 0 and at most 1/3")


def _refuse_nobody(theta: Array, about: Point) -> None:
    """Refuse rows that tell nothing of a body's extent."""
    xp = array_namespace(theta)
    mass = theta[..., 0]
    body = first_index(xp, ~xp.all(xp.isfinite(theta), axis=-1))
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} has a number that is not finite: {_OTHERWISE}"
        )
    body = first_index(xp, ~(mass > 0))
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} has the mass {float(mass[body])!r}, expected a positive "
            f"one: {_OTHERWISE}"
        )
    judged = Consistency(theta, about)
    body = first_index(xp, judged.verdict_code == int(Verdict.ILL_POSED))
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} lies so many radii of gyration from its origin that its "
            "digits do not hold its extent: give it about the centre of mass"
        )
    point = xp.all(judged.principal_moments == 0, axis=-1)
    body = first_index(xp, point)
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} is a point mass, without an extent: {_OTHERWISE}"
        )


def _strict(projection: Projection) -> Projection:
    """The projection, if every row of it is positive definite.

    Raises:
        ParameterError: A row whose nearest is the zero tensor, or inside only by rounding.
    """
    code = check(projection.parameters).verdict_code
    body = first_index(array_namespace(code), code != int(Verdict.CONSISTENT))
    if body is not None:
        raise ParameterError(
            f"the prior{of_body(body)} has nothing of a body's inertia: the nearest that a body "
            f"has is a point mass; {_OTHERWISE}"
        )
    return projection


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
    # Give each part (1 + k, 10) a copy of the composite with its share of the mass.
    masses = own[:, 0]
    shares = masses / masses.sum()
    back = np.asarray(transform(np.tile(composite, (len(X), 1)), np.linalg.inv(X)))
    shared = np.asarray(shares[:, None] * back)
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


def _find_nearest(composite: Floats, own: Floats, X: Floats) -> Floats | None:
    """Find the nearest consistent parts (1 + k, 10) with this sum; None without an answer."""
    try:
        prior = from_body(own, margin=tolerances.PRIOR_MARGIN)
        found = project(own, "prior", prior=prior, constraints=FixedSum(composite, X))
    except (ParameterError, ProjectionError):
        return None
    usable = bool(np.all(found.status == "projected"))
    return np.asarray(found.theta) if usable else None
