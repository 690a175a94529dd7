"""Identification of a robot's bodies from recordings: its report, and the file's new numbers.

The prior is read from a file, from its geometry or from another model; the report has plain
numbers, bodies by name and remarks in order, with the table of base parameters, runs and residuals.
Methods that simulate the robot move it along references, which are the filtered positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.checking.shapes.priors import from_geometry, from_model
from inertial_check.errors import (
    InertialCheckError,
    ParameterError,
    ProjectionError,
    UsageError,
)
from inertial_check.fixing.result import Fix
from inertial_check.fixing.writing import JointsFix, write_joints, write_parameters
from inertial_check.identification.fit.base import (
    IMPOSSIBLE,
    BaseTerm,
    Excess,
    compare_runs,
    estimate_base,
    find_impossible,
    measure_excess,
    name_entries,
)
from inertial_check.identification.fit.identify import (
    estimate,
    estimate_with_gains,
    solve_nonlinear,
)
from inertial_check.identification.fit.nuisance import OperatingPoint
from inertial_check.identification.fit.residuals import analyse_residuals
from inertial_check.identification.fit.result import Identifiability, Identification
from inertial_check.identification.fit.samples import Measurements, Reduction, Samples
from inertial_check.identification.fit.simulation import (
    Reference,
    SimulatedRobot,
    iterate_method,
    simulate,
)
from inertial_check.identification.fit.solve import FitOptions
from inertial_check.identification.gate import (
    check_written,
    describe_finding,
    judge_gains,
    judge_recordings,
    judge_result,
    list_unsure_densities,
    put_causes_first,
)
from inertial_check.identification.loads import (
    Loads,
    expect_loads,
    judge_loads,
    list_loads,
    read_loads,
)
from inertial_check.identification.motion.friction import (
    describe_number,
    list_targets,
    read_stated,
    remark_on_friction,
)
from inertial_check.identification.motion.motion import Dataset, Datasets, JointMotion
from inertial_check.identification.motion.recordings import read_datasets, read_recordings
from inertial_check.identification.motion.signals import MOST_OF_NYQUIST, bandwidth, filter_signals
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.robot import (
    Robot,
    list_numbers,
    list_recorded,
    merge_theta,
    read_robot,
    remark_on_merged,
    split_bodies,
)
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.projection.constraint import Constraint
from inertial_check.projection.constraints import FixedMass, TotalMass
from inertial_check.reports.identification_types import (
    THETA,
    BaseTable,
    BaseTermValue,
    BaseValue,
    CandidateWeight,
    Decider,
    FrictionValue,
    GainValue,
    IdentificationReport,
    IdentifiedBody,
    JointFit,
    JointResiduals,
    Remark,
    Role,
    RunValues,
    SolverCertificate,
    TorqueFit,
)

if TYPE_CHECKING:
    from inertial_check.reports.plots.figure import Page


class Prior(NamedTuple):
    """Expected bodies, as they are stated.

    Attributes:
        parameters: (L,) bodies, which need not be consistent.
        source: Source of the bodies, in words.
        remarks: Remarks on assumptions and replacements.
    """

    parameters: InertialParameters
    source: str
    remarks: tuple[Remark, ...]


def read_prior(options: IdentifyOptions, robot: Robot) -> Prior:
    """Read the prior that the options name.

    Raises:
        UsageError: A body has no mass, or no body has an extent. The message names the way out.
        ParameterError: A body has no prior in the geometry or in the other model.
        DocumentError: The other model cannot be read.
    """
    prior, remarks, names = options.prior, list[Remark](), robot.part_names
    if prior == "file":
        given, source = from_model(robot.model, names), "the robot's file"
    elif prior == "geometry":
        found = from_geometry(robot.model, names, packages=options.context)
        given, source = found.parameters, "the written masses spread over the shapes"
        lines = [line for body in found.bodies for line in body.remarks]
        remarks += [Remark(Severity.NOTE, "prior-geometry", line) for line in lines]
    else:
        given, source = from_model(prior, names), prior
    if robot.groups:
        every = np.zeros_like(robot.tree.theta)
        every[list(robot.parts)] = np.asarray(given.as_theta())
        merged = merge_theta(every, robot.groups)[list(robot.bodies)]
        given = InertialParameters.from_theta(merged)
    # Give point masses the smallest radius of gyration of the others.
    masses, theta = np.asarray(given.mass), np.array(given.as_theta(about="com"))
    spread = theta[:, [4, 7, 9]].sum(axis=1) / 2 / masses  # radius of gyration squared
    lacking, radius = _widen_points(given, spread)
    if np.any(lacking > 0):
        theta[:, [4, 7, 9]] += (2 / 3 * masses * lacking)[:, None]
        which = ", ".join(np.array(robot.names)[lacking > 0].tolist())
        message = f"bodies of the prior given the radius of gyration {radius:.3g} m: {which}"
        remarks.append(Remark(Severity.NOTE, "prior-radius", message))
        given = InertialParameters.from_theta(theta, about="com")
    sound = np.asarray(check(given).consistent)
    bad = [name for name, is_sound in zip(robot.names, sound, strict=True) if not is_sound]
    if bad:
        message = (
            f"no body has the numbers of the prior of {', '.join(bad)}: the nearest that some "
            "body has stand in"
        )
        remarks.append(Remark(Severity.WARNING, "prior-inconsistent", message))
    return Prior(given, source, tuple(remarks))


def _widen_points(given: InertialParameters, spread: Floats) -> tuple[Floats, float]:
    """(L,) squared radius that point masses lack to be as wide as the smallest other, and that.

    Raises:
        UsageError: All bodies are point masses.
    """
    judged = check(given)
    points = np.all(np.asarray(judged.principal_moments) == 0, axis=1)
    points |= np.asarray(judged.verdict_code) == int(Verdict.ILL_POSED)
    others = spread[~points & (spread > 0)]
    if np.any(points) and not len(others):
        raise UsageError(
            "the prior has point masses only, without an extent: give --prior geometry, or "
            "--prior MODEL, whose bodies have inertias"
        )
    least = float(others.min(initial=np.inf))
    return np.where(points, np.maximum(least - spread, 0.0), 0.0), float(np.sqrt(least))


LONGEST = 20_000
"""Largest number of samples of a recording whose residuals are analysed: more would not change the
outcome, and each is another look at its regressor."""

UNIFORM = 0.01
"""Relative difference of time steps, or of rates, up to which samples count as uniform."""


def build_base_table(
    robot: Robot, datasets: Datasets, found: Identification, excess: Excess
) -> BaseTable:
    """Build the table of base parameters, with the spread between recordings.

    Args:
        robot: Robot that moved.
        datasets: Recordings.
        found: Result of the fit, with the usual excess of its deviations.
        excess: Excess of each parameter.
    """
    units = tuple(describe_number(name, robot)[2] for name in found.names)
    base = replace(found.base, further_units=units)
    more = np.sqrt(excess.own / excess.usual)
    base = replace(base, covariance=base.covariance * more[:, None] * more)
    linear = replace(found.linear_base, further_units=units)
    spread = None
    if len(datasets.train) > 1 and len(base):
        runs = [data.reduction for data in datasets.train]
        spread = compare_runs(linear, runs, found.weights, found.redundancy)
    ratios = np.full(len(base), np.nan) if spread is None else spread.birge_ratio
    problem, bias = found.problem, measure_bias(datasets, found)
    bounds = problem.lower * problem.unit, problem.upper * problem.unit
    rows = zip(
        base.names,
        base.units,
        base.values.tolist(),
        base.standard_deviation.tolist(),
        base.relative_standard_deviation.tolist(),
        base.identified.tolist(),
        ratios.tolist(),
        (_list_terms(terms, found) for terms in base.parameters.terms),
        find_impossible(base, found.order, *bounds).tolist(),
        np.full(len(base), np.nan) if bias is None else bias,
        strict=True,
    )
    each_run: list[RunValues] = []
    if spread is not None:
        values = spread.values + found.base_reference
        numbers = zip(values, spread.standard_deviation, spread.deviations, strict=True)
        for data, own in zip(datasets.train, numbers, strict=True):
            each_run.append(RunValues(data.path, *map(_numbers, own)))
    return BaseTable(
        tuple(BaseValue(*row) for row in rows),
        tuple(map(_numbers, base.covariance)),
        base.condition,
        tuple(each_run),
        float("nan") if spread is None else spread.overall,
    )


def measure_bias(datasets: Datasets, found: Identification) -> Floats | None:
    """Estimate the bias of base parameters (b,) by the noise of positions and velocities [SI].

    Noise in the regressor makes least squares too small, by an amount that grows with its variance.
    The noise that was measured is added once more, and subtracted instead: half the sum of both
    changes is the bias, as what is linear in the noise cancels (J. R. Cook, L. A. Stefanski:
    Simulation-extrapolation estimation in parametric measurement error models, 1994).

    Args:
        datasets: Recordings.
        found: Result of least squares.

    Returns:
        The bias; None where noise is not known, or where other equations are solved.
    """
    motions = [data.motion for data in datasets.train]
    known = all(own is not None and own.noise is not None for own in motions)
    if not known or datasets.friction.nonlinear or not found.is_plain:
        return None
    changed = []
    for change in (JointMotion.add_noise, partial(JointMotion.add_noise, sign=-1.0)):
        noisy = datasets.build(None, change).reduction
        base = estimate_base(noisy, found.weights, found.si, found.base.parameters)
        changed.append(base.values)
    return np.asarray(np.mean(changed, axis=0) - found.base.values)


def _list_terms(terms: Sequence[BaseTerm], found: Identification) -> tuple[BaseTermValue, ...]:
    entries, count = name_entries(found.order), 10 * len(found.bodies)
    return tuple(
        BaseTermValue(coefficient, entries[column % 10], found.bodies[column // 10])
        if column < count
        else BaseTermValue(coefficient, found.names[column - count], None)
        for coefficient, column in terms
    )


def list_residuals(
    robot: Robot, datasets: Datasets, found: Identification
) -> tuple[JointResiduals, ...]:
    """Analyse the residuals of the fitted recordings, joint by joint."""
    residuals: list[Floats] = []
    velocities: list[Floats] = []
    joins: list[int] = []
    start = 0
    for data in datasets.train:
        measured, fitted = data.torques(found.si[None], LONGEST)
        residuals.append(measured - fitted)
        joins += [start, *(start + join for join in data.recorded.joins if join < len(measured))]
        start += len(measured)
        own = data.row_velocities(robot)
        if own is not None:
            velocities.append(own[:LONGEST])
    motions = [data.motion for data in datasets.train if data.motion is not None]
    analyses = analyse_residuals(
        np.concatenate(residuals),
        np.concatenate(velocities) if len(velocities) == len(residuals) else None,
        rate=_find_rate(datasets.train),
        cutoff=min((motion.cutoff for motion in motions), default=np.inf),
        redundancy=found.redundancy,
        joins=joins,
    )
    rows = zip(datasets.joints, datasets.units, analyses, strict=True)
    return tuple(own._replace(joint=joint, unit=unit) for joint, unit, own in rows)


def _find_rate(train: Sequence[Dataset]) -> float | None:
    """Find the rate that all recordings share [Hz]; None if there is none."""
    rates = []
    for data in train:
        if data.motion is None:
            return None
        rate = data.motion.rate
        if rate is None:
            steps = np.diff(data.motion.t)
            usual = float(np.median(steps)) if len(steps) else 0.0
            # Without time stamps t counts samples: no rate follows from that.
            counted = np.array_equal(data.motion.t, np.arange(len(data.motion.t)))
            if counted or usual <= 0 or np.mean(np.abs(steps / usual - 1) < UNIFORM) < 1 - UNIFORM:
                return None
            rate = 1 / usual
        rates.append(rate)
    return rates[0] if np.ptp(rates) <= UNIFORM * rates[0] else None


def find_excess(datasets: Datasets, found: Identification) -> Excess:
    """Find the excess of the variances of base parameters, by stretches and by recordings.

    Methods, gains, other losses and friction before it is linear have other equations than the
    stretches: none there.
    """
    if not found.is_plain or datasets.reduction.columns != len(found.x):
        return Excess(1.0, np.ones(len(found.base)))
    linear, noise = found.linear_base, (found.weights, found.redundancy)
    parts = [part for data in datasets.train for part in data.stretches]
    excess = measure_excess(linear, parts, *noise)
    runs = measure_excess(linear, [data.reduction for data in datasets.train], *noise)
    usual = max(excess.usual, runs.usual)
    return Excess(usual, np.maximum(excess.own, usual))


def build_report(
    options: IdentifyOptions,
    robot: Robot,
    prior: Prior,
    datasets: Datasets,
    found: Identification,
    loads: Loads,
) -> IdentificationReport:
    """Build the report on an identification."""
    first = found.lighter or found
    excess = find_excess(datasets, found)
    wide = replace(first, redundancy=found.redundancy * excess.usual)
    decided = found.identifiability
    friction = _list_friction(robot, found, wide.nuisance_standard_deviation)
    count = len(robot.bodies)
    fits = [_judge_torques(datasets, found, "train", ", ".join(options.data), datasets.reduction)]
    fits += [
        _judge_torques(datasets, found, "validation", data.path, data.reduction)
        for data in datasets.validation
    ]
    merged = split_bodies(robot.model, robot.bodies, robot.groups, found.theta)
    residuals = list_residuals(robot, datasets, found)
    mistakes = list(judge_recordings(options, robot, datasets, first, fits[0], residuals))
    named = {each.kind for each in mistakes} & {"time", "degrees", "velocity"}
    judged = judge_result(robot, found, datasets, friction, fits)
    # Mistakes make these look wrong, too, and what they suggest would not mend them.
    moot = {"sign", "unit", "lag"} if mistakes else set()
    if (
        options.mass
        or options.total_mass is not None
        or any(each.severity == Severity.ERROR for each in (*mistakes, *datasets.remarks))
    ):
        moot.add("gain")
    remarks = [
        *mistakes,
        *(each for each in judged if each.kind not in moot),
        *judge_loads(loads, options.data),
        *robot.remarks,
        *remark_on_merged(merged),
        *prior.remarks,
        *(each for each in datasets.remarks if each.kind not in named),
        *remark_on_friction(options.friction, robot, found),
        *(Remark(Severity.NOTE, "identification", line) for line in found.noted),
        *judge_gains(robot, found),
        *([] if found.choice is None else [Remark(Severity.NOTE, "weight", found.choice.note)]),
    ]
    return IdentificationReport(
        model=robot.model.source.path,
        data=options.data,
        bodies=_list_bodies(robot, found, decided, wide),
        left=robot.left,
        fits=tuple(fits),
        friction=friction,
        weights=tuple(found.weights.tolist()),
        columns=len(found.x),
        regularization=float(found.regularization),
        prior=prior.source,
        total_mass=float(found.parameters.mass[:count].sum()),
        prior_mass=float(found.problem.theta0[:count, 0].sum()),
        total_mass_share=decided.total_mass_share,
        prior_term=float(found.prior_term),
        certificate=SolverCertificate(
            *(getattr(found, each) for each in SolverCertificate._fields)
        ),
        weighings=_list_candidates(found),
        base=build_base_table(robot, datasets, replace(found, redundancy=wide.redundancy), excess),
        residuals=residuals,
        remarks=tuple(sorted(remarks, key=lambda remark: -remark.severity)),
        gains=_list_gains(robot, found),
        gain_scale="" if found.gains is None else found.gains.scale,
        loads=list_loads(loads, found, count),
        merged=merged,
        deviation_factor=float(np.sqrt(excess.usual)),
        **{name: getattr(found, name) for name in _SAME.split()},
    )


_SAME = "rank condition redundancy metric loss objective data_term method simulations change"
"""Fields that a report has of the result of the fit, by the same names."""


def _list_gains(robot: Robot, found: Identification) -> tuple[GainValue, ...]:
    gains = found.gains
    if gains is None:
        return ()
    columns = (gains.values, gains.standard_deviation, gains.ratio_standard_deviation)
    rows = zip(robot.joints, *(each.tolist() for each in columns), strict=True)
    return tuple(GainValue(*row) for row in rows)


def _list_bodies(
    robot: Robot, found: Identification, decided: Identifiability, wide: Identification
) -> tuple[IdentifiedBody, ...]:
    consistency, parameters = found.consistency, found.parameters
    # What the cone or a heavier prior moved the numbers by adds to their deviations.
    moved = (wide.outside > 0) | (found.lighter is not None)
    shift = np.where(moved[:, None], found.theta - wide.free_theta, 0.0)
    deviations = np.hypot(wide.body_deviation, shift)
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
            standard_deviation=_numbers(deviations[i]),
            unsupported=tuple(unsupported.get(i, ())),
            impossible=bool(wide.outside[i] > IMPOSSIBLE),
        )
        for i, index in enumerate(robot.bodies)
    )


def _judge_torques(
    datasets: Datasets, found: Identification, role: Role, path: str, reduction: Reduction
) -> TorqueFit:
    """Compare measured torques with those of the prior's bodies and of the identified ones."""
    before, after = found.prior_x, found.si
    columns = [np.sqrt(reduction.squares / np.maximum(reduction.samples, 1))]
    columns += [
        judge(x) for judge in (reduction.rmse, reduction.r_squared) for x in (before, after)
    ]
    rows = zip(datasets.joints, datasets.units, np.transpose(columns).tolist(), strict=True)
    joints = tuple(JointFit(name, unit, *row) for name, unit, row in rows)
    squares = [reduction.weighted_mean_square(found.weights, x) for x in (before, after)]
    return TorqueFit(
        role, path, int(reduction.samples.max(initial=0)), joints, *np.sqrt(squares).tolist()
    )


def _list_friction(
    robot: Robot, found: Identification, deviations: Mapping[str, float]
) -> tuple[FrictionValue, ...]:
    problem = found.problem
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
    names = ("candidates", "errors", "standard_errors", "data_terms", "prior_terms", "masses")
    rows = np.stack([getattr(choice, name) for name in names], axis=1).tolist()
    return tuple(CandidateWeight._make([*row, row[0] == choice.weight]) for row in rows)


def _numbers(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())


def draw_pages(
    robot: Robot, datasets: Datasets, found: Identification, report: IdentificationReport
) -> Iterator[Page]:
    """Draw torques, parameters, ellipsoids and the choice of the prior's weight.

    Raises:
        UsageError: matplotlib is not installed.
    """
    from inertial_check.reports import plots  # drawing is seldom asked for

    several = len(datasets.train) + len(datasets.validation) > 1
    for number, data in enumerate((*datasets.train, *datasets.validation), 1):
        measured, before, fitted = data.torques(np.stack([found.prior_x, found.si]))
        pages = plots.torques(
            data.recorded.t,
            measured,
            before,
            fitted,
            datasets.joints,
            datasets.units,
            title=f"Torques: {data.path}",
            axis="sample" if data.motion is None else "time [s]",
            joins=data.recorded.joins,
        )
        for page in pages:
            yield page._replace(name=f"{number}-{page.name}") if several else page
    names = [body.name for body in report.bodies]
    prior = np.array([body.prior for body in report.bodies])
    theta = np.array([body.theta for body in report.bodies])
    deviation = np.array([body.standard_deviation for body in report.bodies])
    decided = [body.decided_by for body in report.bodies]
    yield from plots.parameters(theta, prior, deviation, names, decided)
    yield from plots.ellipsoids(prior, theta, names)
    choice = found.choice
    if choice is not None and choice.rule == "k-fold":
        errors = (choice.errors, choice.standard_errors)
        yield from plots.k_fold(choice.candidates, *errors, choice.weight)
    elif choice is not None and choice.rule == "l-curve":
        terms = (choice.data_terms, choice.prior_terms)
        yield from plots.l_curve(choice.candidates, *terms, choice.weight)


@dataclass(frozen=True, eq=False)
class RobotIdentification:
    """Identified bodies of a robot.

    Attributes:
        options: Options of the identification.
        robot: Robot with these bodies.
        datasets: Recordings.
        found: Result of the fit.
        report: Report on the result.
    """

    options: IdentifyOptions
    robot: Robot
    datasets: Datasets
    found: Identification
    report: IdentificationReport

    def fix(self) -> Fix:
        """Put the identified numbers into the robot's file and judge it again; write nothing yet.

        The bodies are one joint answer: all of them change, or none.

        Raises:
            InertialCheckError: The new document does not read back as these numbers.
        """
        return self._fix

    @cached_property
    def _fix(self) -> Fix:
        model, merged = self.robot.model, self.report.merged
        numbers = list_numbers(model, self.robot.bodies, self.found.theta, merged)  # loads last
        return write_parameters(model, numbers, context=self.options.context)

    def fix_joints(self) -> JointsFix:
        """Put identified friction and rotors beside the bodies in the file; write nothing yet.

        All joints change, or none.

        Raises:
            InertialCheckError: The new document does not read back as these numbers.
        """
        targets = list_targets(self.robot, self.report.friction)
        return write_joints(self.robot.model, self.fix(), targets, self.options.context)

    def plot(self, path: str) -> None:
        """Draw torques, parameters and ellipsoids, into one file or as the files of a folder.

        Raises:
            UsageError: It cannot be written, or matplotlib is not installed.
        """
        from inertial_check.reports import plots  # drawing is seldom asked for

        plots.write_all(path, self.draw())

    def draw(self) -> list[Page]:
        """Draw torques, parameters and ellipsoids.

        Raises:
            UsageError: matplotlib is not installed.
        """
        return list(draw_pages(self.robot, self.datasets, self.found, self.report))


def identify_robot(
    options: IdentifyOptions, progress: Callable[[float, str], object] = lambda part, name: None
) -> RobotIdentification:
    """Identify the bodies of a robot.

    Args:
        options: What the command line says.
        progress: Called with the completed fraction of the work, about, and the step that begins.

    Raises:
        DocumentError: A file cannot be read.
        UsageError: An option or a recording does not fit the robot.
        ParameterError: Numbers cannot be used, or neither data nor prior decide a parameter.
        ProjectionError: The problem has no certified answer.
    """
    recordings = read_recordings(options) if options.robot.lock_others else None
    recorded = None if recordings is None else list_recorded(recordings)
    robot = read_robot(options.model, options.context, options.robot, recorded)
    prior = read_prior(options, robot)
    loads = read_loads(options, robot)
    progress(0.02, "reading recordings")
    datasets = read_datasets(options, robot, recordings, loads)
    progress(0.15, "fitting bodies")
    # Refuse weights that are not one for each row of the equations.
    weights = options.fit.weights
    if isinstance(weights, tuple) and len(weights) != len(datasets.joints):
        raise UsageError(
            f"--weights has {len(weights)} numbers, expected one for each of the "
            f"{len(datasets.joints)} joints: {', '.join(datasets.joints)}"
        )
    # Make constraints of the masses that are known.
    constraints: list[Constraint] = [
        FixedMass(mass, bodies=(robot.body(name, "--mass"),)) for name, mass in options.mass.items()
    ]
    if options.total_mass is not None:
        every = tuple(range(len(robot.names)))
        constraints.append(TotalMass(*options.total_mass, bodies=every))
    fit = replace(
        options.fit,
        constraints=(*constraints, *loads.constraints(len(robot.names))),
        redundancy=datasets.redundancy,
        bodies=(*robot.names, *(each.name for each in loads.free)),
    )
    theta = np.asarray(prior.parameters.as_theta())
    refuse_unsimulated(options, robot, datasets, loads)
    if options.method != "least-squares":
        found = identify_by_simulation(options, robot, datasets, theta, fit)
    elif not datasets.friction.nonlinear:
        found = _fit_bodies(options, datasets, theta, fit, loads)
    else:
        found, datasets = _fit_nonlinear(options, datasets, theta, fit, loads)
    if found.gains is not None:
        datasets = datasets.with_gains(found.gains.values)
    progress(0.6, "judging the fit")
    report = build_report(options, robot, prior, datasets, found, loads)
    progress(0.9, "checking the new model")
    result = RobotIdentification(options, robot, datasets, found, report)
    # Check the robot's document with the identified numbers; findings become remarks.
    try:
        findings = check_written(robot.model, result.fix(), robot.part_names, options.context)
    except InertialCheckError:  # told where the document is to be written
        return result
    flat = list_unsure_densities(report.bodies)
    said = [describe_finding(robot.model.source.path, each, flat) for each in findings]
    remarks = put_causes_first([*report.remarks, *said])
    return replace(result, report=replace(report, findings=findings, remarks=remarks))


def _fit_bodies(
    options: IdentifyOptions, datasets: Datasets, prior: Floats, fit: FitOptions, loads: Loads
) -> Identification:
    """Fit bodies, loads and drive gains to the recordings."""
    samples = datasets.samples
    unknown = options.recordings.gain == UNKNOWN
    reduction = None if unknown else datasets.reduction
    data = Measurements(samples, reduction, samples.nuisance)
    solve = estimate_with_gains if unknown else estimate
    if loads.free:
        plain = replace(fit, regularization=1.0, loss="squares")
        prior = expect_loads(prior, loads.free, lambda whole: solve(data, whole, plain))
    found = heavier = solve(data, prior, fit)
    solid = np.asarray(check(found.problem.theta0).margin) >= tolerances.EDGE
    if fit.regularization != "evidence" or unknown or loads.free or found.choice is None:
        return found
    if not np.any((np.asarray(found.consistency.margin) < tolerances.EDGE) & solid):
        return found
    # The evidence does not know of the cone: where bodies go to its edge and the prior is not
    # there, a heavier prior that the data do not contradict is likelier.
    deviation = np.sqrt(find_excess(datasets, found).usual) * found.base.standard_deviation
    while np.any((np.asarray(heavier.consistency.margin) < tolerances.EDGE) & solid):
        weight = HEAVIER * heavier.regularization / heavier.redundancy
        try:
            heavier = solve(data, prior, replace(fit, regularization=weight))
        except ProjectionError:
            return found
        moved = np.abs(heavier.base.identified - found.base.identified)
        if np.any(moved > SHOWN * deviation):
            return found
    factor = heavier.regularization / found.regularization
    note = f"{found.choice.note}; taken {factor:.3g} times, with which no body goes to the edge"
    choice = replace(found.choice, weight=heavier.regularization, note=note)
    return replace(heavier, choice=choice, lighter=found)


SHOWN = 1.5
"""Deviations by which a heavier prior would have to move a base parameter for the data to show a
body to be at the edge: with noise, errors stay below five."""

HEAVIER = 10**0.125
"""Factor by which the weight of the prior grows while bodies go to the edge of what exists."""


def _fit_nonlinear(
    options: IdentifyOptions, datasets: Datasets, prior: Floats, fit: FitOptions, loads: Loads
) -> tuple[Identification, Datasets]:
    """Fit bodies and nonlinear friction; return them with the datasets that are linear about it.

    Raises:
        UsageError: Drive gains or loads are unknown, too.
    """
    if options.recordings.gain == UNKNOWN or loads.entries:
        raise UsageError(
            "--friction stribeck and load go neither with --gain unknown nor with --loads: give "
            "the gains, and fit recordings without loads"
        )

    def solve(point: OperatingPoint | None, weight: float | None) -> Identification:
        chosen = fit if weight is None else replace(fit, regularization=weight)
        return _fit_bodies(options, datasets.build(point, None), prior, chosen, loads)

    found, point = solve_nonlinear(solve, datasets.friction, datasets.fastest)
    return found, datasets.build(point, None)


BANDS = 5.0
"""Cut-off of the references in bands of the motion: a quarter of that of the default filter, so
that the noise of recorded positions hardly reaches the simulated robot."""


def identify_by_simulation(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, prior: Floats, fit: FitOptions
) -> Identification:
    """Identify by instrumental variables or DIDIM.

    Args:
        options: Options of the identification.
        robot: Robot that was recorded.
        datasets: Its recordings.
        prior: (L, 10) expected bodies.
        fit: Options of the fit.

    Raises:
        UsageError: A recording has unequal steps.
        ParameterError: A simulation is unstable.
        ProjectionError: The parameters do not settle.
    """

    def move(found: Identification) -> Samples:
        own = build_simulation(options, robot, datasets, found)
        return datasets.build(None, lambda motion: simulate_motion(own, motion)).samples

    return iterate_method(options.method, move, datasets.samples, prior, fit)


def refuse_unsimulated(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, loads: Loads
) -> None:
    """Refuse what the simulation of a method does not model.

    Raises:
        UsageError: The message names the option or the recording.
    """
    if options.method == "least-squares":
        return
    whole = any(own.motion is not None and own.motion.whole is not None for own in datasets.train)
    reasons = {
        "--friction stribeck and load": datasets.friction.nonlinear,
        "--gain unknown": options.recordings.gain == UNKNOWN,
        "--loads": bool(loads.entries),
        "--loss huber": options.fit.loss != "squares",
        "--regularization k-fold": options.fit.regularization == "k-fold",
        "--unmeasured, whose torques cannot be simulated": bool(options.robot.unmeasured),
        "closed loops of joints": bool(robot.loops),
        "a floating base, contact wrenches and force plates": whole or robot.base is not None,
        "a recording of Y: it has no motion to simulate": any(
            own.motion is None for own in datasets.train
        ),
    }
    for name, present in reasons.items():
        if present:
            raise UsageError(
                f"--method {options.method} simulates a robot on a fixed base, and does not go "
                f"with {name}; --method least-squares does"
            )


def build_simulation(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, found: Identification
) -> SimulatedRobot:
    """Build the robot of a simulation from an answer; bodies that are not identified stay."""
    theta = np.array(robot.tree.theta)
    theta[list(robot.bodies)] = found.problem.theta(found.x)[: len(robot.bodies)]
    return SimulatedRobot(
        robot.tree,
        theta,
        datasets.nuisance,
        found.problem.numbers(found.x),
        robot.gravity,
    )


def simulate_motion(robot: SimulatedRobot, motion: JointMotion) -> JointMotion:
    """Simulate a robot along the filtered positions of a recording, run by run.

    Raises:
        UsageError: The steps of a run are not uniform.
        ParameterError: The simulation is unstable.
    """
    found = [np.array(signal) for signal in (motion.q, motion.u, motion.du)]
    for rows in motion.runs or (slice(0, len(motion)),):
        # Make the reference of a run: its positions below BANDS times the band of the motion.
        t = motion.t[rows]
        q = motion.q[rows]
        steps = np.diff(t)
        step = float(np.median(steps)) if len(steps) else 0.0
        if len(t) < 8 or np.any(np.abs(steps - step) > np.sqrt(tolerances.SIMULATED) * step):
            raise UsageError(
                "a simulation needs 8 samples or more at uniform steps in each run: --rate HZ "
                "resamples the recording; or give --method least-squares"
            )
        rate = 1 / step
        try:
            band = bandwidth(q, rate)
            chosen = min(motion.cutoff, BANDS * band, MOST_OF_NYQUIST * rate / 2)
            smooth = filter_signals(q, rate, chosen)
        except ParameterError as error:
            raise UsageError(f"no references for the simulation: {error}") from None
        moved = simulate(robot, Reference(step, smooth, 2 * np.pi * chosen))
        for signal, own in zip(found, moved, strict=True):
            signal[rows] = own
    return replace(motion, q=found[0], u=found[1], du=found[2])
