"""Priors: what a body is expected to be, strictly inside the cone of consistent bodies.

A prior weighs the change of a body by its own extent in every direction, so it must have one: a
plate, a rod or a point leaves some change without a price. Here such a prior is given a margin,
and what was done to it is told.

The examples of this module continue this session:

>>> import inertial_check as ic
>>> from inertial_check.projection import priors
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import first_index, of_body, real_arrays
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, ArrayLike
from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, join
from inertial_check.projection.metrics import add_isotropic
from inertial_check.projection.project import project
from inertial_check.projection.result import Projection

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
    order: Order = "urdf",
    about: Point = "origin",
    margin: float = tolerances.OWN_PRIOR_MARGIN,
) -> InertialParameters:
    """Take each body as its own prior: the nearest by metric inertia that has the margin.

    Mass and centre of mass are believed, and of the inertia all that some body can have.

    Args:
        theta: (..., 10), as for inertial_check.project, which has to be consistent neither; or
            InertialParameters.
        order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl.
        about: Point about which they are taken: "origin" or "com".
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
        prior: InertialParameters, or (..., 10) about the origin in order urdf.
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
    given, about = as_theta(prior, "urdf", "origin")
    xp, before = array_namespace(given), Consistency(given, about)
    inflated = given if radius_of_gyration is None else _inflate(given, about, radius_of_gyration)
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


def _inflate(theta: Array, about: Point, radius_of_gyration: float) -> Array:
    """Point masses as balls: I = 2/3 m k^2 1."""
    if not 0 < radius_of_gyration < np.inf:
        raise ParameterError(
            f"radius_of_gyration is {radius_of_gyration!r}, expected a positive number [m]"
        )
    xp = array_namespace(theta)
    point = xp.all(Consistency(theta, about).principal_moments == 0, axis=-1)
    moment = 2 / 3 * radius_of_gyration**2 * theta[..., 0]
    moment = xp.where(point, moment, xp.zeros_like(moment))
    return join(theta[..., 0], theta[..., 1:4], add_isotropic(xp, theta[..., 4:], moment))


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
