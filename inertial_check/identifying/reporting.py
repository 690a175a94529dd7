"""An identification as what is reported of it: plain numbers, bodies by name, remarks in order."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from inertial_check.identification.estimation.identifiability import Identifiability
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import Identification
from inertial_check.identifying.doubts import doubts
from inertial_check.identifying.prior import Prior
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot
from inertial_check.identifying.runs import Runs
from inertial_check.identifying.torques import described
from inertial_check.model import Severity
from inertial_check.model.identified import (
    THETA,
    Certificate,
    Decider,
    Fit,
    FrictionValue,
    Identified,
    IdentifiedBody,
    JointFit,
    Remark,
    Role,
    Weighing,
)


def reported(
    request: Request, robot: Robot, prior: Prior, runs: Runs, found: Identification
) -> Identified:
    """The report on an identification."""
    told, friction = found.identifiability, _friction(robot, found)
    fits = [_fit(robot, found, "train", ", ".join(request.data), runs.reduction)]
    fits += [_fit(robot, found, "validation", run.path, run.reduction) for run in runs.validation]
    remarks = [
        *doubts(found, told, runs, friction, fits),
        *robot.remarks,
        *prior.remarks,
        *runs.remarks,
        *(Remark(Severity.NOTE, "identification", line) for line in found.noted),
        *([] if found.choice is None else [Remark(Severity.NOTE, "weight", found.choice.note)]),
    ]
    return Identified(
        model=robot.model.source.path,
        data=request.data,
        bodies=_bodies(robot, found, told),
        left=robot.left,
        fits=tuple(fits),
        friction=friction,
        weights=tuple(found.weights.tolist()),
        rank=found.rank,
        columns=len(found.x),
        condition=found.condition,
        regularization=float(found.regularization),
        redundancy=found.redundancy,
        metric=found.metric,
        loss=found.loss,
        prior=prior.source,
        total_mass=found.total_mass,
        prior_mass=found.prior_mass,
        total_mass_share=told.total_mass_share,
        objective=found.objective,
        data_term=found.data_term,
        prior_term=float(found.prior_term),
        certificate=Certificate(
            found.solver,
            found.iterations,
            found.primal_residual,
            found.dual_residual,
            found.gap,
        ),
        weighings=_weighings(found),
        remarks=tuple(sorted(remarks, key=lambda remark: -remark.severity)),
    )


def _bodies(
    robot: Robot, found: Identification, told: Identifiability
) -> tuple[IdentifiedBody, ...]:
    consistency, parameters = found.consistency, found.parameters
    alone = found.least_squares_consistency.verdict
    unsupported: dict[int, list[str]] = {}
    for each in told.unsupported:
        unsupported.setdefault(each.body, []).append(THETA[each.entry])
    return tuple(
        IdentifiedBody(
            name=robot.model.bodies[index].name,
            id=robot.model.bodies[index].id,
            line=robot.model.place(robot.model.bodies[index].span).line,
            prior=_numbers(found.prior[i]),
            theta=_numbers(found.theta[i]),
            mass=float(parameters.mass[i]),
            p_BoBcm_B=_numbers(parameters.com[i]),
            I_BBcm_B=_numbers(parameters.as_theta(about="com")[i, 4:]),
            principal_moments=_numbers(consistency.principal_moments[i]),
            margin=float(consistency.margin[i]),
            verdict=str(consistency.verdict[i]),
            least_squares_verdict=str(alone[i]),
            distance=float(found.distance[i]),
            prior_moved=bool(found.prior_moved[i]),
            share=_numbers(told.share[i]),
            decided_by=tuple(cast(Decider, str(word)) for word in told.decided_by[i]),
            standard_deviation=_numbers(told.standard_deviation[i]),
            unsupported=tuple(unsupported.get(i, ())),
        )
        for i, index in enumerate(robot.bodies)
    )


def _fit(robot: Robot, found: Identification, role: Role, path: str, reduction: Reduction) -> Fit:
    """How well some samples are predicted, by the prior's bodies and by the identified ones."""
    before, after = found.prior_x, np.append(found.theta, list(found.nuisance.values()))
    rms = np.sqrt(reduction.squares / np.maximum(reduction.samples, 1))
    columns = [
        rms,
        reduction.rmse(before),
        reduction.rmse(after),
        reduction.r_squared(before),
        reduction.r_squared(after),
    ]
    joints = tuple(
        JointFit(name, unit, *map(float, row))
        for name, unit, row in zip(robot.joints, robot.units, np.transpose(columns), strict=True)
    )
    squares = [reduction.weighted_mean_square(found.weights, x) for x in (before, after)]
    return Fit(
        role, path, int(reduction.samples.max(initial=0)), joints, *np.sqrt(squares).tolist()
    )


def _friction(robot: Robot, found: Identification) -> tuple[FrictionValue, ...]:
    problem, deviations = found.problem, found.nuisance_standard_deviation
    lower, upper = problem.lower * problem.unit, problem.upper * problem.unit
    return tuple(
        FrictionValue(
            name,
            *described(name, robot),
            value,
            deviations[name],
            float(lower[k]),
            float(upper[k]),
        )
        for k, (name, value) in enumerate(found.nuisance.items())
    )


def _weighings(found: Identification) -> tuple[Weighing, ...]:
    choice = found.choice
    if choice is None:
        return ()
    return tuple(
        Weighing._make([*row, row[0] == choice.weight])
        for row in np.stack(
            [
                choice.candidates,
                choice.errors,
                choice.standard_errors,
                choice.data_terms,
                choice.prior_terms,
                choice.masses,
            ],
            axis=1,
        ).tolist()
    )


def _numbers(values: npt.ArrayLike) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())
