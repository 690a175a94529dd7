"""The nearest parameters that some body has: each row moved as little as makes it consistent."""

from __future__ import annotations

from typing import Any

from inertial_check.errors import ParameterError
from inertial_check.inertia._namespace import array_namespace
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta
from inertial_check.inertia.representations import reorder
from inertial_check.projection._rows import Rows
from inertial_check.projection.closed_form import (
    BALL,
    moved,
    needs_projection,
    validated_margin,
    with_central_inertia,
)
from inertial_check.projection.metrics import METRICS, named
from inertial_check.projection.result import Projection, Status


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
) -> Projection:
    """Find the nearest parameters that some body has, for each row of a batch.

    Mass and centre of mass stay, bit for bit; the inertia about the centre of mass moves, and is
    then taken about the caller's point again. Rows that are feasible (consistent or boundary; with
    a margin, having it) come back bit for bit. Source of the conditions: Heins, Rigid Body Inertial
    Parameters, "Full Physical Consistency".

    Args:
        theta: (..., 10) [m, hx, hy, hz, six of the inertia] in kg, kg m, kg m^2, body axes, from
            any array library; or InertialParameters, whose own point then holds.
        metric: "inertia" minimises ||I' - I_BBcm||_F, "covariance" ||S' - S_c||_F.
        order: Order of the last six, given and returned: urdf, pinocchio, mujoco, wensing or ksl.
        about: Point about which those six are taken, given and returned: "origin" or "com".
        weights: Of no metric that this version offers.
        prior: Of no metric that this version offers.
        constraints: None that this version offers.
        margin: Least margin of the results, 0 to 1/3, held after rounding; about the origin within
            the numerical floor of the result where that is coarse.
        solver: None for the closed form; the name of an installed conic solver ("clarabel") for the
            same answer by convex optimisation, certified before it is returned.

    Returns:
        The projection. A bad row never raises: where the mass is not positive or a number not
        finite there is no nearest body, and the row comes back unchanged with status no-nearest. A
        row whose nearest is the zero tensor has status projected, and `vanished` says so.

    Raises:
        ParameterError: Wrong shape, unknown order, point, metric or solver, margin not in [0, 1/3],
            or an argument that this version does not offer.
        ProjectionError: The conic solver found no answer that could be certified.
    """
    chosen, margin = named(metric), validated_margin(margin)
    _refuse(weights=weights, prior=prior, constraints=constraints)
    reorder(BALL, "urdf", order)  # refuses an unknown order, also beside InertialParameters
    given, about = as_theta(theta, order, about)
    xp, judged = array_namespace(given), Consistency(given, about)
    rows = Rows(needs_projection(judged, margin))
    taken = rows.take(given, BALL)
    iterations = xp.zeros_like(judged.verdict_code, dtype=xp.int32)
    if solver is None:
        before, after = moved(taken, about, chosen, margin)
    else:
        from inertial_check.projection import conic

        before, after, steps = conic.moved(taken, about, chosen, margin, solver)
        iterations = rows.put(steps, iterations)
    return Projection(
        canonical=rows.put(with_central_inertia(taken, about, after), given),
        order=order,
        about=about,
        status_code=_status(xp, judged, rows),
        rows=rows,
        before=before,
        after=after,
        metric=chosen.name,
        margin=margin,
        solver="closed form" if solver is None else solver.lower(),
        iterations=iterations,
    )


def _refuse(**arguments: Any) -> None:
    """Refuse what belongs to a metric that does not exist here.

    Raises:
        ParameterError: Naming the argument, and the metrics that exist.
    """
    for name, value in arguments.items():
        if value is not None and not (isinstance(value, (tuple, list)) and not value):
            raise ParameterError(
                f"{name} given, but no metric of this version takes {name}; available metrics: "
                f"{', '.join(map(repr, METRICS))}, which keep mass and centre of mass"
            )


def _status(xp: Any, judged: Consistency, rows: Rows) -> Any:
    """Integers (...,) of Status."""
    code = judged.verdict_code
    nobody = (code == int(Verdict.INVALID)) | (code == int(Verdict.MASSLESS))
    status = xp.where(rows.mask, xp.full_like(code, Status.PROJECTED), xp.zeros_like(code))
    return xp.where(nobody, xp.full_like(code, Status.NO_NEAREST), status)
