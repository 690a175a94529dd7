"""The nearest parameters that some body has: each row moved as little as makes it consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.errors import ParameterError
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta
from inertial_check.inertia.representations import reorder
from inertial_check.projection._rows import Rows
from inertial_check.projection.closed_form import (
    BALL,
    moved,
    needs_projection,
    validated_margin,
)
from inertial_check.projection.metrics import METRICS, named
from inertial_check.projection.outcome import MomentOutcome
from inertial_check.projection.result import Projection, Status

if TYPE_CHECKING:
    from inertial_check.projection.general import Asked


def project(  # noqa: PLR0913, PLR0917 - the public signature
    theta: Any,
    metric: str = "inertia",
    order: str = "urdf",
    about: str = "origin",
    weights: Any = None,
    prior: Any = None,
    constraints: Any = (),
    margin: float = 0.0,
    *,
    solver: str | None = None,
    mass_min: float | None = None,
    regularization: float = 1.0,
) -> Projection:
    """Find the nearest parameters that some body has, for each row of a batch.

    Rows that are feasible (consistent or boundary; with a margin, having it; under constraints,
    meeting them) come back bit for bit. The metrics, and what each is invariant to:

    * "inertia" (default) minimises ||I' - I_BBcm||_F, "covariance" ||S' - S_c||_F. Mass and centre
      of mass stay, bit for bit. Neither depends on the frame or the units.
    * "prior" minimises ||P^-1/2 (Pi' - Pi) P^-1/2||_F, P the pseudo-inertia of the prior. It does
      not depend on the frame or the units, if the prior is given in the same.
    * "weighted" minimises (theta' - theta)^T W (theta' - theta); with a prior, plus
      regularization times the square of its distance. What W is invariant to, it is.
    * "entropic" and "affine-invariant" estimate rather than project: the change in W, or without
      weights in the prior's metric, plus regularization times the log-det Bregman divergence, or
      the squared geodesic distance, from the prior. Invariant like "prior". Only rows that are not
      feasible move, to strictly inside the cone.
    * "euclidean" minimises ||theta' - theta||: it mixes kg, kg m and kg m^2, and counts products
      of inertia once. It depends on the axes, the origin, and the unit of length.
    * "pseudo-inertia" minimises ||Pi' - Pi||_F: it mixes the same units, and depends on the origin
      and the unit of length, though not on the axes.

    Source of the conditions: Heins, Rigid Body Inertial Parameters, "Full Physical Consistency".

    Args:
        theta: (..., 10) [m, hx, hy, hz, six of the inertia] in kg, kg m, kg m^2, body axes, from
            any array library; or InertialParameters, whose own point then holds. Metrics of the
            whole theta are computed in NumPy, and give arrays of the caller's library.
        metric: What is least.
        order: Order of the last six, given and returned: urdf, pinocchio, mujoco, wensing or ksl.
        about: Point about which those six are taken, given and returned: "origin" or "com".
        weights: (10,) diagonal or (10, 10) matrix W, or one for each body, on theta exactly as it
            is passed; positive semidefinite, and definite unless there is a prior.
        prior: InertialParameters, or (..., 10) in the same order and about the same point, one or
            one for each body; strictly consistent.
        constraints: Objects of inertial_check.projection.constraints.
        margin: Least margin of the results, 0 to 1/3, held after rounding; about the origin within
            the numerical floor of the result where that is coarse.
        solver: None for the closed form, Newton's method or, with constraints, Clarabel; the name
            of an installed conic solver ("clarabel", "scs") for the same answer by that.
        mass_min: Least mass [kg] of rows that move under metrics in which the mass does; None for
            1e-6 of the mass given. Rows that end there have status mass-floored.
        regularization: Weight of the prior's term beside another, positive.

    Returns:
        The projection. A bad row never raises: a row with a number that is not finite and, under
        inertia and covariance, one without positive mass, has no nearest body and comes back
        unchanged with status no-nearest. A row whose nearest is the zero tensor has status
        projected, and `vanished` says so.

    Raises:
        ParameterError: Wrong shape, unknown order, point, metric or solver, margin not in [0, 1/3];
            an argument that the metric needs or does not take; weights that are not positive
            semidefinite, a prior that is not positive definite: names the body and the value.
        ProjectionError: No answer could be certified, or the constraints exclude each other.
    """
    asked = _asked(
        metric, order, weights, prior, constraints, margin, solver, mass_min, regularization
    )
    given, point = as_theta(theta, order, about)
    if metric in METRICS and not asked.constraints:
        return _by_moments(given, point, asked)
    if metric in ("weighted", "euclidean") and point == "com":
        if hasattr(theta, "as_theta"):
            given, point = theta.as_theta(order="urdf", about="origin"), "origin"
        else:
            raise ParameterError(
                f"metric {metric!r} with about='com': the pseudo-inertia is not linear in such a "
                "theta; give it, and its weights, about the origin"
            )
    return _by_matrices(given, point, asked)


def _asked(  # noqa: PLR0913, PLR0917 - the arguments of project, looked over in one place
    metric: str,
    order: str,
    weights: Any,
    prior: Any,
    constraints: Any,
    margin: float,
    solver: str | None,
    mass_min: float | None,
    regularization: float,
) -> Asked:
    """What is wanted.

    Raises:
        ParameterError: An unknown name, or an argument that the metric needs or does not take.
    """
    from inertial_check.projection.general import TAKES, Asked

    if not isinstance(metric, str) or metric not in TAKES:
        raise ParameterError(f"metric is {metric!r}; available are {', '.join(map(repr, TAKES))}")
    reorder(BALL, "urdf", order)  # refuses an unknown order, also beside InertialParameters
    for name, value in (("weights", weights), ("prior", prior)):
        if value is not None and name not in TAKES[metric]:
            able = ", ".join(repr(other) for other in TAKES if name in TAKES[other])
            raise ParameterError(f"metric {metric!r} takes no {name}; {able} take {name}")
    needed = TAKES[metric][:1]
    for name, value in (("weights", weights), ("prior", prior)):
        if value is None and name in needed:
            raise ParameterError(f"metric {metric!r} needs {name}={name}")
    for name, number in (("mass_min", mass_min), ("regularization", regularization)):
        if number is not None and not 0 < float(number) < np.inf:
            raise ParameterError(f"{name} is {number!r}; it is a positive number")
    limits = tuple(constraints) if isinstance(constraints, (list, tuple)) else (constraints,)
    return Asked(
        metric,
        order,
        weights,
        prior,
        limits,
        validated_margin(margin),
        solver,
        mass_min,
        float(regularization),
    )


def _by_moments(given: Array, about: str, asked: Asked) -> Projection:
    """The projection by a metric under which mass and centre of mass stay."""
    chosen, judged = named(asked.metric), Consistency(given, about)
    rows = Rows(needs_projection(judged, asked.margin))
    taken = rows.take(given, BALL)
    steps = None
    if asked.solver is None:
        before, after = moved(taken, about, chosen, asked.margin)
    else:
        from inertial_check.projection import conic

        before, after, steps = conic.moved(taken, about, chosen, asked.margin, asked.solver)
    nobody = judged.verdict_code >= int(Verdict.INVALID)
    outcome = MomentOutcome(taken, about, before, after, chosen, asked.margin)
    return Projection(
        order=asked.order,
        about=about,
        metric=asked.metric,
        margin=asked.margin,
        solver="closed form" if asked.solver is None else asked.solver.lower(),
        canonical=rows.put(outcome.theta, given),
        rows=rows,
        outcome=outcome,
        codes=_codes(rows.mask, nobody, judged.verdict_code < 0),
        steps=steps,
    )


def _by_matrices(given: Array, about: str, asked: Asked) -> Projection:
    """The projection by a metric of the whole pseudo-inertia, in NumPy."""
    from inertial_check.projection import constrained, general

    own, like = _in_numpy(given, asked.metric)
    judged = Consistency(own, about)
    finite = np.all(np.isfinite(own), axis=-1)
    impossible = judged.verdict_code == int(Verdict.INVALID)
    theta = np.asarray(own, dtype=np.float64)
    if asked.constraints:
        mask = finite = constrained.looked_at(judged, finite, asked.metric)
        answered = constrained.answer(theta, about, mask, asked)
    else:
        mask = np.asarray(finite & (needs_projection(judged, asked.margin) | impossible))
        answered = general.answer(theta, about, mask, asked)
    rows, outcome = Rows(mask), answered.outcome
    nowhere = np.zeros_like(mask)
    floored = rows.put(answered.floored, nowhere)
    moved = rows.put(outcome.changed, nowhere)
    return Projection(
        order=asked.order,
        about=about,
        metric=asked.metric,
        margin=asked.margin,
        solver=answered.solver,
        canonical=rows.put(outcome.theta, own),
        rows=rows,
        outcome=outcome,
        codes=_codes(moved, ~finite, floored),
        steps=answered.steps,
        like=like,
    )


def _in_numpy(given: Array, metric: str) -> tuple[Array, Array | None]:
    """The array in NumPy, and itself where it was none.

    Raises:
        ParameterError: Its numbers cannot be seen, as under a trace.
    """
    if array_namespace(given) is np:
        return given, None
    try:
        return np.asarray(given), given
    except Exception as error:
        raise ParameterError(
            f"metric {metric!r} is computed in NumPy, and theta is a {type(given).__name__} whose "
            f"numbers NumPy cannot read ({error}); inertia and covariance can be traced"
        ) from error


def _codes(moved: Array, nobody: Array, floored: Array) -> Array:
    """Integers (...,) of Status."""
    xp = array_namespace(moved)
    status = xp.zeros_like(moved, dtype=xp.int8)
    cases = (Status.PROJECTED, moved), (Status.MASS_FLOORED, floored), (Status.NO_NEAREST, nobody)
    for code, rows in cases:
        status = xp.where(rows, xp.full_like(status, int(code)), status)
    return status
