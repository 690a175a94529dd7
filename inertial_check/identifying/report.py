"""Report and pictures of an identification: plain numbers, bodies by name, remarks in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from inertial_check.arrays.types import ArrayLike
from inertial_check.identification.estimation.choosing import Choice
from inertial_check.identification.estimation.identifiability import Identifiability
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import Identification
from inertial_check.identifying.assessment import build_base_table, list_residuals
from inertial_check.identifying.carrying.loads import Loads, judge_loads, list_loads
from inertial_check.identifying.friction import describe_number, remark_on_friction
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.prior import Prior
from inertial_check.identifying.recordings.datasets import Dataset, Datasets
from inertial_check.identifying.recordings.suspicion import judge_recordings
from inertial_check.identifying.remarks import judge_gains, judge_result
from inertial_check.identifying.robot.joints import read_stated
from inertial_check.identifying.robot.merging import remark_on_merged, split_bodies
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model import Severity
from inertial_check.model.identified import (
    THETA,
    CandidateWeight,
    Decider,
    FrictionValue,
    GainValue,
    IdentificationReport,
    IdentifiedBody,
    JointFit,
    Remark,
    Role,
    SolverCertificate,
    TorqueFit,
)

if TYPE_CHECKING:
    from inertial_check.plotting.pages import Page


def build_report(
    options: IdentifyOptions,
    robot: Robot,
    prior: Prior,
    datasets: Datasets,
    found: Identification,
    loads: Loads,
) -> IdentificationReport:
    """Build the report on an identification."""
    decided, friction = found.identifiability, _list_friction(robot, found)
    count = len(robot.bodies)
    fits = [_judge_torques(datasets, found, "train", ", ".join(options.data), datasets.reduction)]
    fits += [
        _judge_torques(datasets, found, "validation", data.path, data.reduction)
        for data in datasets.validation
    ]
    merged = split_bodies(robot.model, robot.bodies, robot.groups, found.theta)
    mistakes = list(judge_recordings(options, robot, datasets, found, fits[0]))
    judged = judge_result(robot, found, datasets, friction, fits)
    remarks = [
        *mistakes,
        # Mistakes make these look wrong, too, and what they suggest would not mend them.
        *(each for each in judged if not mistakes or each.kind not in ("sign", "unit", "lag")),
        *judge_loads(loads, options.data),
        *robot.remarks,
        *remark_on_merged(merged),
        *prior.remarks,
        *datasets.remarks,
        *remark_on_friction(options.friction, robot, found),
        *(Remark(Severity.NOTE, "identification", line) for line in found.noted),
        *judge_gains(robot, found),
        *([] if found.choice is None else [Remark(Severity.NOTE, "weight", found.choice.note)]),
    ]
    return IdentificationReport(
        model=robot.model.source.path,
        data=options.data,
        bodies=_list_bodies(robot, found, decided),
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
        total_mass=float(found.parameters.mass[:count].sum()),
        prior_mass=float(found.problem.theta0[:count, 0].sum()),
        total_mass_share=decided.total_mass_share,
        objective=found.objective,
        data_term=found.data_term,
        prior_term=float(found.prior_term),
        certificate=SolverCertificate(
            found.solver,
            found.iterations,
            found.primal_residual,
            found.dual_residual,
            found.gap,
            found.rounds,
            found.step,
        ),
        weighings=_list_candidates(found),
        base=build_base_table(robot, datasets, found),
        residuals=list_residuals(robot, datasets, found),
        remarks=tuple(sorted(remarks, key=lambda remark: -remark.severity)),
        gains=_list_gains(robot, found),
        gain_scale="" if found.gains is None else found.gains.scale,
        loads=list_loads(loads, found, count),
        method=found.method,
        simulations=found.simulations,
        change=found.change,
        merged=merged,
    )


def _list_gains(robot: Robot, found: Identification) -> tuple[GainValue, ...]:
    gains = found.gains
    if gains is None:
        return ()
    columns = (gains.values, gains.standard_deviation, gains.ratio_standard_deviation)
    rows = zip(robot.joints, *(each.tolist() for each in columns), strict=True)
    return tuple(GainValue(*row) for row in rows)


def _list_bodies(
    robot: Robot, found: Identification, decided: Identifiability
) -> tuple[IdentifiedBody, ...]:
    consistency, parameters = found.consistency, found.parameters
    alone = found.least_squares_consistency.verdict
    unsupported: dict[int, list[str]] = {}
    for each in decided.unsupported:
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
            share=_numbers(decided.share[i]),
            decided_by=tuple(cast(Decider, str(word)) for word in decided.decided_by[i]),
            standard_deviation=_numbers(decided.standard_deviation[i]),
            unsupported=tuple(unsupported.get(i, ())),
        )
        for i, index in enumerate(robot.bodies)
    )


def _judge_torques(
    datasets: Datasets, found: Identification, role: Role, path: str, reduction: Reduction
) -> TorqueFit:
    """Compare measured torques with those of the prior's bodies and of the identified ones."""
    before, after = found.prior_x, found.si
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
        for name, unit, row in zip(
            datasets.joints, datasets.units, np.transpose(columns), strict=True
        )
    )
    squares = [reduction.weighted_mean_square(found.weights, x) for x in (before, after)]
    return TorqueFit(
        role, path, int(reduction.samples.max(initial=0)), joints, *np.sqrt(squares).tolist()
    )


def _list_friction(robot: Robot, found: Identification) -> tuple[FrictionValue, ...]:
    problem, deviations = found.problem, found.nuisance_standard_deviation
    stated = read_stated(robot)
    lower, upper = problem.lower * problem.unit, problem.upper * problem.unit
    return tuple(
        FrictionValue(
            name,
            *describe_number(name, robot),
            value,
            deviations[name],
            float(lower[k]),
            float(upper[k]),
            stated.get(name),
        )
        for k, (name, value) in enumerate(found.nuisance.items())
    )


def _list_candidates(found: Identification) -> tuple[CandidateWeight, ...]:
    choice = found.choice
    if choice is None or choice.rule == "evidence":
        return ()
    return tuple(
        CandidateWeight._make([*row, row[0] == choice.weight])
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


def _numbers(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())


def draw_pages(
    robot: Robot, datasets: Datasets, found: Identification, report: IdentificationReport
) -> Iterator[Page]:
    """Draw torques, parameters, ellipsoids and the choice of the prior's weight.

    Raises:
        UsageError: matplotlib is not installed.
    """
    from inertial_check import plotting as plots  # drawing is seldom asked for

    several = len(datasets.train) + len(datasets.validation) > 1
    for number, data in enumerate((*datasets.train, *datasets.validation), 1):
        for page in _draw_torques(data, datasets, found):
            yield page._replace(name=f"{number}-{page.name}") if several else page
    names = [body.name for body in report.bodies]
    prior = np.array([body.prior for body in report.bodies])
    theta = np.array([body.theta for body in report.bodies])
    deviation = np.array([body.standard_deviation for body in report.bodies])
    decided = [body.decided_by for body in report.bodies]
    yield from plots.parameters(theta, prior, deviation, names, decided)
    yield from plots.ellipsoids(prior, theta, names)
    if found.choice is not None and found.choice.rule != "evidence":
        yield from _draw_choice(found.choice)


def _draw_choice(choice: Choice) -> list[Page]:
    from inertial_check import plotting as plots

    if choice.rule == "k-fold":
        return plots.k_fold(choice.candidates, choice.errors, choice.standard_errors, choice.weight)
    return plots.l_curve(choice.candidates, choice.data_terms, choice.prior_terms, choice.weight)


def _draw_torques(data: Dataset, datasets: Datasets, found: Identification) -> list[Page]:
    from inertial_check import plotting as plots

    measured, before, fitted = data.torques(np.stack([found.prior_x, found.si]))
    axis = "sample" if data.motion is None else "time [s]"
    return plots.torques(
        data.recorded.times,
        measured,
        before,
        fitted,
        datasets.joints,
        datasets.units,
        title=f"Torques: {data.path}",
        axis=axis,
        joins=data.recorded.joins,
    )
