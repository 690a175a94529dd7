"""Judgement of a result: mistakes of recordings, numbers without support, rules of `check`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

import numpy as np

from inertial_check.checking.check import FINDINGS_ONLY, check_model
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import Model
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.result import Fix
from inertial_check.identification.diagnosis.diagnosis import (
    find_lag,
    find_unit_errors,
    name_unit,
    nearest_unit,
)
from inertial_check.identification.diagnosis.hypotheses import (
    DEVIATIONS,
    PRIOR,
    SAMPLES,
    STEP,
    TERMS,
    UNLIKELY,
    WRENCHES,
    Case,
    Finding,
    Hypothesis,
    differ,
    is_better,
    rank,
    sum_wrenches,
)
from inertial_check.identification.fit.base import CHANCE
from inertial_check.identification.fit.identify import GainEstimate
from inertial_check.identification.fit.result import MISFIT, Identification
from inertial_check.identification.fit.solve import prepare_priors
from inertial_check.identification.motion.motion import (
    BASE_ROWS,
    Dataset,
    Datasets,
    JointMotion,
    grade_remark,
    list_unmeasured,
)
from inertial_check.identification.motion.signals import HEAVY, measure_outliers
from inertial_check.identification.options import UNKNOWN, USUAL_TERMS, IdentifyOptions
from inertial_check.identification.robot import Robot, list_some
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.reports.identification_types import (
    Edit,
    FrictionValue,
    IdentifiedBody,
    JointFit,
    JointResiduals,
    Remark,
    Remedy,
    RuleFinding,
    TorqueFit,
)

OPEN_FRICTION = 0.1
"""Standard deviation of friction at the highest recorded speed, relative to the joint's torque,
above which another motion is predicted badly."""

POOR_FIT = 0.5
"""Part of a torque's variance below which bodies and friction explain too little of it: another
force acts on the joint."""

SEVERAL = 2
"""Number of joints with a poor fit from which on the recording is not of this robot, or not as it
is taken for: of a single one, a force that touches it may be the reason."""

ASTRAY = 5.0
"""Move of a parameter without support of the samples, in the prior's own sizes, above which the
answer is none; chosen, as noise seldom moves so far what the samples do not decide."""

WORSE = 1.05
"""Ratio of a validation's RMSE to that of the prior's bodies above which identifying did harm."""

_LONGEST = 20_000
"""Largest number of samples of a recording that are searched for errors of units, signs and time:
more samples would not change the outcome."""

_MOST = 6
"""Largest number of bodies or numbers that a remark names."""


def judge_result(
    robot: Robot,
    found: Identification,
    datasets: Datasets,
    friction: Sequence[FrictionValue],
    fits: Sequence[TorqueFit],
) -> Iterator[Remark]:
    """Remark on numbers and fits of a result that are doubtful.

    Args:
        robot: Robot that moved.
        found: Result of the fit.
        datasets: Recordings.
        friction: Friction numbers.
        fits: Fits of the torques, first that of the training data.
    """
    if found.status == "uncertified":
        yield Remark(Severity.ERROR, "uncertified", found.doubt)
    # Legs of a robot that stands move too little for this to tell noise from a wrong recording.
    stands = any(data.motion is not None and data.motion.whole for data in datasets.train)
    bodies = list(judge_bodies(found, stands))
    yield from bodies
    rotors = any(name.startswith("Ia") for name in found.names)
    unsupported = any(each.kind == "unsupported" for each in bodies)
    if unsupported and datasets.train[0].motion is not None and not rotors:
        message = (
            "no rotor inertia is declared: where torques stand for motor currents, rotors behind "
            "gears end in the links; --friction viscous,coulomb,offset,rotor"
        )
        yield Remark(Severity.NOTE, "no-rotors", message)
    yield from _compare_torques(robot, found, datasets)
    # Remark on friction numbers that the data leave open.
    train = fits[0]
    if friction:
        largest = np.max(
            [data.recorded.largest(data.samples.nuisance) for data in datasets.train], axis=0
        )
        rms = {joint.joint: joint.rms for joint in train.joints}
        open_ = []
        for value, signal in zip(friction, largest.tolist(), strict=True):
            torque = rms.get(value.joint, 0.0)
            uncertain = value.standard_deviation * signal
            if torque > 0 and uncertain > OPEN_FRICTION * torque:
                of = f"{100 * uncertain / torque:.0f} % of the torque"
                open_.append(f"{value.name} ({value.standard_deviation:.2g} {value.unit}, {of})")
        if open_:
            message = (
                "the data leave friction open, by the standard deviation: "
                f"{list_some(open_, _MOST)}; record longer, or give --friction-prior"
            )
            yield Remark(Severity.WARNING, "friction-open", message)
    if train.weighted > MISFIT:
        message = (
            f"{train.path}: weighted RMS {train.weighted:.4g}, where noise alone leaves 1: no "
            "bodies move as recorded with these torques; look at the joints with the least R^2"
        )
        yield Remark(Severity.ERROR, "misfit", message)
    for fit in fits:
        yield from _judge_fit(fit)


def judge_bodies(found: Identification, stands: bool = False) -> Iterator[Remark]:
    """Remark on bodies that moved without support, or that only the cone keeps consistent.

    Args:
        found: Result of the fit.
        stands: Whether the robot hardly moved, so that noise alone can do that.
    """
    decided = found.identifiability
    moved = np.abs([decided.total_mass_unaccounted, *decided.unaccounted.ravel()])
    astray = bool(np.max(moved) > ASTRAY) and not stands
    for line in decided.remarks(found.bodies):
        yield Remark(Severity.ERROR if astray else Severity.WARNING, "unsupported", line)
    flat = np.asarray(found.consistency.margin) < tolerances.EDGE
    if flat.any():
        names = [name for name, own in zip(found.bodies, flat.tolist(), strict=True) if own]
        was_flat = np.asarray(check(found.problem.theta0).margin) < tolerances.EDGE
        most = 2 * np.sum(flat & ~was_flat) > len(flat) and not stands
        yield Remark(  # of one body of several it may be noise
            Severity.ERROR if most else Severity.NOTE,
            "edge",
            f"at the edge of what exists, flat or of few points: {list_some(names, _MOST)}; "
            "--margin keeps bodies off it, and so does a larger --regularization; a body that is "
            "solid in the robot's file may be flat here for another mistake, which it takes up",
        )


def judge_gains(robot: Robot, found: Identification) -> Iterator[Remark]:
    """Remark on drive gains that were found: what decides their scale, signs, rounds."""
    if found.gains is None:
        return
    for each in found.gains.remarks():
        yield Remark(Severity.WARNING, each.kind, each.message)
    turned = [
        joint
        for joint, value in zip(robot.joints, found.gains.values.tolist(), strict=True)
        if value < 0
    ]
    if turned:
        message = (
            f"the drive gains of {list_some(turned, _MOST)} are negative: what was recorded has "
            "the other sign than the torque"
        )
        yield Remark(Severity.WARNING, "gain-sign", message)


def _compare_torques(robot: Robot, found: Identification, datasets: Datasets) -> Iterator[Remark]:
    """Compare measured torques with those of prior and result: units, signs and lags."""
    bodies = np.append(found.prior, np.zeros(len(found.names)))
    joints = datasets.joints
    for data in datasets.train:
        measured, prior, fitted = data.torques(np.stack([bodies, found.si]), _LONGEST)
        u = data.row_velocities(robot)
        u = None if u is None else u[:_LONGEST]
        # Unknown gains make torques of any unit and sign those of the bodies.
        whole = data.motion is not None and data.motion.whole is not None
        for remark in () if found.gains else find_unit_errors(measured, prior, u, joints):
            graded = grade_remark(data.path, remark)
            if remark.kind == "gain" and whole:  # all rows bear the same weight, and it is measured
                graded = graded._replace(severity=Severity.WARNING)
            yield graded
        counts, parts = measure_outliers(measured - fitted)
        shown = [
            f"{joint} {int(count)} with {part:.0%}"
            for joint, count, part in zip(joints, counts.tolist(), parts.tolist(), strict=True)
            if part > HEAVY
        ]
        if found.loss == "squares" and shown:
            message = (
                f"{data.path}: a few residuals make up most of the squares: "
                f"{list_some(shown, _MOST)}; least squares follow them and hide friction: "
                "--loss huber"
            )
            yield Remark(Severity.WARNING, "outliers", message)
        if data.motion is not None:
            rate = data.motion.rate
            for remark in find_lag(measured, fitted, rate=rate, joints=joints):
                yield grade_remark(data.path, remark)


def _judge_fit(fit: TorqueFit) -> Iterator[Remark]:
    """Remark on joints whose torques are not explained: several are an error of the whole."""
    poor = [joint for joint in fit.joints if _is_poor(joint, fit)]
    several = fit.role == "train" and len(poor) >= SEVERAL
    for joint in poor:
        message = (
            f"{fit.path}: {joint.joint}: bodies and friction explain R^2 = "
            f"{joint.r_squared:.3g} of the torque: look at its sign, its joint and what "
            "touches the robot"
        )
        yield Remark(Severity.ERROR if several else Severity.WARNING, "poor-fit", message)
    if fit.role == "validation" and fit.weighted > WORSE * fit.weighted_before:
        message = (
            f"{fit.path}: predicted worse than by the prior, weighted RMS {fit.weighted:.4g} and "
            f"{fit.weighted_before:.4g}"
        )
        yield Remark(Severity.WARNING, "worse-than-prior", message)


def _is_poor(joint: JointFit, fit: TorqueFit) -> bool:
    """Tell whether the torque of a joint is explained badly.

    A base that hardly moves feels nearly constant forces, whose variance is noise: those along its
    three axes are judged together, by their squares.
    """
    if not joint.r_squared < POOR_FIT:
        return False
    root, dot, row = joint.joint.rpartition(".")
    if not dot or row not in BASE_ROWS:
        return True
    axes = [own for own in fit.joints if own.joint in {f"{root}.{row[0]}{axis}" for axis in "xyz"}]
    left = sum(own.after**2 for own in axes)
    return left > (1 - POOR_FIT) * sum(own.rms**2 for own in axes)


_CAUSES = frozenset(
    {
        *("sign", "exchanged", "axes", "time", "degrees", "unit", "gear", "zero"),
        *("wrapped", "frozen", "saturated", "velocity", "scale", "lag", "gravity"),
        *("rotor", "viscous", "coulomb", "offset", "stribeck", "load-friction", "coupled"),
        *("mass", "payload", "gain"),
    }
)
"""Kinds of errors that say what is wrong with a recording."""

_READINGS = frozenset({"coarse", "still", "constant", "velocity", *USUAL_TERMS})
"""Kinds of warnings that explain errors, where there are some."""

_CONSEQUENCES = frozenset(
    {
        *("unsupported", "edge", "misfit", "poor-fit", "check"),
        *("worse-than-prior", "outliers", "friction-open", "uncertified"),
    }
)
"""Kinds of remarks on numbers that such a recording gives."""


def put_causes_first(remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """Sort remarks by severity; where a recording is wrong, say so before and in place of the rest.

    What its numbers look like then is no news, and what remarks on them suggest would not mend it.
    """
    wrong = [each for each in remarks if each.kind in _CAUSES and each.severity == Severity.ERROR]
    if not wrong and any(each.severity == Severity.ERROR for each in remarks):
        warned = [each for each in remarks if each.severity == Severity.WARNING]
        wrong = [each for each in warned if each.kind in _READINGS]
    left = [each for each in remarks if each not in wrong]
    wrong = [each._replace(severity=Severity.ERROR) for each in wrong]
    if wrong:
        hidden = [each for each in left if each.kind in _CONSEQUENCES]
        left = [each for each in left if each.kind not in _CONSEQUENCES]
        if hidden:
            kinds = list_some([*dict.fromkeys(each.kind for each in hidden)], _MOST)
            message = f"{len(hidden)} remarks on the numbers that this gives are left out: {kinds}"
            wrong.append(Remark(Severity.NOTE, "consequences", message))
    first = {*_CAUSES, *_READINGS, "spikes"}
    return (*wrong, *sorted(left, key=lambda each: (-each.severity, each.kind not in first)))


_DENSITY = "IC503"
"""Rule about densities that no material has."""

THIN = 0.01
"""Margin of a body below which its density tells nothing: it is thin, and noise makes it so."""

_MISTAKES = ("IC505", "IC507")
"""Rules about mistakes of people who write numbers, which identified numbers can resemble only by
chance: a wrong formula, and one unit all through a file."""


def check_written(
    model: Model, fix: Fix, names: tuple[str, ...], context: Context
) -> tuple[RuleFinding, ...]:
    """Check the document with the identified numbers, and list what is found on these bodies.

    Args:
        model: Model as it was read.
        fix: Its document with the identified numbers.
        names: Names of the identified bodies.
        context: Where the files are that the document includes.
    """
    if fix.layer is not None:  # binary numbers stand in a layer that is not on the disk yet
        return ()
    overlay = {os.path.abspath(source.path): data for source, data in fix.others}
    within = replace(context, overlay={**context.overlay, **overlay})
    try:
        again = load(fix.data, format=fix.format, path=model.source.path, context=within)
        settings = Settings(ignore=_MISTAKES, context=within)
        report = check_model(again, settings, FINDINGS_ONLY)
        before = check_model(model, replace(settings, context=context), FINDINGS_ONLY)
    except InertialCheckError:  # a rule that cannot look at a document says nothing about it
        return ()
    identified = set(names)
    known = {(each.code, each.body, each.bodies) for each in before.findings}
    return tuple(
        RuleFinding(
            each.code,
            each.name,
            each.severity,
            each.body,
            each.bodies,
            each.message,
            (each.code, each.body, each.bodies) not in known,
        )
        for file in report.files
        for each in file.findings
        if each.suppression is None
        and (each.body in identified or bool(identified.intersection(each.bodies)))
    )


def list_unsure_densities(bodies: Sequence[IdentifiedBody]) -> frozenset[str]:
    """List bodies whose density tells nothing new: thin ones, and those as dense as in the file."""
    both = InertialParameters.from_theta([[body.theta, body.prior] for body in bodies])
    moments = np.linalg.det(np.asarray(both.central_second_moment))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = 2.5 * np.log(np.asarray(both.mass)) - np.log(moments) / 2
    same = np.abs(logs[:, 0] - logs[:, 1]) < np.log(SAME_DENSITY)
    known = zip(bodies, same.tolist(), strict=True)
    return frozenset(body.name for body, alike in known if alike or body.margin < THIN)


SAME_DENSITY = 2.0
"""Factor up to which a density is that of the robot's file; chosen: beside the same second moment
a mass that is a fifth off makes 1.6 of it."""


def describe_finding(path: str, finding: RuleFinding, flat: Set[str] = frozenset()) -> Remark:
    """Describe a finding as a remark on the identification.

    One that the robot as written does not have is an error. A thin body has hardly any volume, and
    so any density, and one that was as dense in the file crossed a limit by noise: these are notes.

    Args:
        path: Path of the robot.
        finding: The finding.
        flat: Names of bodies whose density tells nothing.
    """
    where = finding.body or ", ".join(finding.bodies[:6])
    message = f"{path}, as identified: {where}: {finding.code}: {finding.message}"
    severity = Severity(finding.severity)
    if finding.new and severity >= Severity.WARNING:
        severity = Severity.ERROR
    if finding.code == _DENSITY and finding.body in flat:
        severity = Severity.NOTE
    return Remark(severity, "check", message)


KNOWN = 100.0
"""Weight of the prior of bodies that are taken as known: to a tenth."""

CARRIER = 2.0**-5
"""Weight of the file's numbers of a body that carries a payload, which can be six times them."""

FIXED = 2.0**20
"""Weight of the prior of bodies that are the file's: to a thousandth."""


def judge_known(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, body: int
) -> Iterator[Remark]:
    """Remark on what else than a payload explains recordings of a robot that is known.

    Args:
        options: Options of the identification.
        robot: Robot that moved, with the bodies of its file.
        datasets: Recordings.
        body: Index of the body that carries the payload.
    """
    if any(each.kind in UNREADABLE for each in datasets.remarks):
        return  # what is wrong with the readings themselves is known
    bodies, columns = list(robot.bodies), robot.tree.columns
    carries = np.array([columns[own] == columns[body] for own in bodies])
    theta = robot.tree.theta[bodies]
    margin = tolerances.PRIOR_MARGIN
    theta0 = prepare_priors(theta, len(bodies), "urdf", margin, robot.names).theta
    for data in datasets.train:
        case = build_case(options, robot, data, theta0)
        cases = [
            case._replace(weights=np.where(carries, CARRIER, own)) for own in (FIXED, KNOWN, PRIOR)
        ]
        fixed, free = cases[0].fit(), cases[2].fit()
        if fixed is None or free is None:
            continue
        other = fixed.score - free.score > UNLIKELY and is_better(fixed, free, nearer=False)
        if not other and fixed.systematic < SYSTEMATIC:
            continue
        steps = rank(cases[1], options)
        for step, certain, remark in grade(data.path, options, case, steps):
            doubtful = step.hypothesis.kind in TERMS or not certain
            yield remark._replace(severity=Severity.WARNING) if doubtful else remark
        if other and not steps:
            change = list_changes(robot.joints, fixed.unexplained, free.unexplained)
            message = (
                f"{data.path}: the bodies of the robot's file do not explain these torques, and "
                "the payload takes up the difference: with other bodies less of the torques' "
                f"variance stays unexplained: {change}; identify the robot without the load first"
            )
            yield Remark(Severity.ERROR, "robot", message)


def judge_recordings(
    options: IdentifyOptions,
    robot: Robot,
    datasets: Datasets,
    found: Identification,
    fit: TorqueFit,
    residuals: Sequence[JointResiduals],
) -> Iterator[Remark]:
    """Remark on what is wrong with the fitted recordings, the most probable first.

    Where residuals are white and the bodies are those of the prior, nothing is searched.

    Args:
        options: Options of the identification.
        robot: Robot that moved.
        datasets: Recordings.
        found: Result of the fit.
        fit: Fit of the torques of all these recordings.
        residuals: Its residuals.
    """
    tests = [each.whiteness for each in residuals]
    most = ALIKE * found.redundancy
    white = all(own is not None and own.p_value > CHANCE and own.alike < most for own in tests)
    # Friction that the model lacks leaves means of one sign at some speeds, however white the rest.
    courses = [each.course for each in residuals if each.course is not None]
    flat = all(
        np.all(np.abs(own.mean) <= DEVIATIONS * np.array(own.standard_error)) for own in courses
    )
    explained = all(joint.r_squared >= WELL_EXPLAINED for joint in fit.joints if joint.rms > 0)
    numbers = (value for name, value in found.nuisance.items() if name.startswith(("fv", "fc")))
    near = PRIOR * np.max(found.distance**2) < UNLIKELY
    solid = np.all(np.asarray(found.consistency.margin) >= tolerances.EDGE)
    if white and flat and explained and near and all(value > 0 for value in numbers):
        return
    if any(each.kind in UNREADABLE for each in datasets.remarks):
        return  # what is wrong with the readings themselves is known
    for data in datasets.train:
        theta0 = found.problem.theta0[: len(robot.bodies)]  # without loads: they are other bodies
        case = build_case(options, robot, data, theta0, found.gains)
        for step, certain, remark in grade(data.path, options, case, rank(case, options)):
            friction = step.hypothesis.kind in TERMS
            friction &= step.hypothesis.kind not in ("rotor", "coupled")
            harmless = friction and near and solid and not _changes_base(found, step)
            doubtful = harmless or not certain
            yield remark._replace(severity=Severity.WARNING) if doubtful else remark


def grade(
    path: str, options: IdentifyOptions, case: Case, steps: Sequence[Finding]
) -> Iterator[tuple[Finding, bool, Remark]]:
    """Describe steps, and tell which are certain: those that leave noise only, and gross mistakes.

    Each remedy declares all usual friction that the steps name.
    """
    own, kinds = options.friction.friction, [step.hypothesis.kind for step in steps]
    declared = USUAL_TERMS if own is None else own
    if set(kinds) & set(USUAL_TERMS):  # one that is missing hides smaller ones
        declared = tuple(dict.fromkeys((*declared, *USUAL_TERMS)))
    options = replace(options, friction=replace(options.friction, friction=declared))
    complete = bool(steps) and steps[-1].after.systematic < SYSTEMATIC
    for step in steps:
        before, after = step.before.unexplained, step.after.unexplained
        gross = before > np.maximum(1 - WELL_EXPLAINED, 2 * after)
        certain = complete or (bool(gross.any()) and step.hypothesis.kind not in TERMS)
        yield step, certain, describe(path, options, case, step)


SYSTEMATIC = 0.3
"""Autocorrelation of the residuals below which a recording is explained but for noise: only then is
a small mistake an error, as it may be the likeliest of several shapes of friction otherwise."""


def _changes_base(found: Identification, step: Finding) -> bool:
    """Tell whether a torque that was not declared falsifies a base parameter."""
    K, deviation = found.base.parameters.K, found.base.standard_deviation
    inertial = K[:, : 10 * len(found.bodies)].any(axis=1)
    K, deviation = K[inertial], deviation[inertial]
    if K.shape[1] > len(step.before.si):  # there are loads
        return False
    before, after = (K @ each.si[: K.shape[1]] for each in (step.before, step.after))
    least = np.maximum(DEVIATIONS * deviation, FALSE * np.abs(after))
    return bool(np.any(np.abs(after - before) > least))


FALSE = 0.05
"""Relative change of a base parameter from which on it is false."""


ALIKE = 1.5
"""Factor by which more residuals may be alike than the filter makes, before they are not white."""

WELL_EXPLAINED = 0.95
"""Part of a torque's variance from which on its fit raises no suspicion."""

UNREADABLE = ("wrapped", "frozen", "saturated", "coarse", "constant")
"""Kinds of remarks on readings that say what is wrong."""


def build_case(
    options: IdentifyOptions,
    robot: Robot,
    data: Dataset,
    theta0: Floats,
    gains: GainEstimate | None = None,
) -> Case:
    """Build the case of a recording as it stands."""
    count = len(robot.bodies)
    nuisance, motion, equations = data.samples.nuisance, data.motion, None
    unmeasured: tuple[int, ...] = ()
    if motion is None:
        blocks = zip(*data.samples.blocks(), strict=True)
        Y, F, tau = (np.concatenate(parts) for parts in blocks)
        still = np.zeros_like(tau)
        motion = JointMotion(data.recorded.t, still, still, still, tau)
        equations = np.concatenate([Y[:, :, : 10 * count], F], axis=2)
    elif motion.whole is None:
        unmeasured = tuple(list_unmeasured(options.robot, robot))
        if gains is not None:
            motion = replace(motion, tau=motion.tau * gains.values)
    motion = replace(motion, steps=None, load=None).part(np.arange(min(len(motion), STRETCH)))
    ends = (0, *motion.joins, len(motion))
    runs = tuple(slice(a, b) for a, b in pairwise(ends) if b - a >= SHORTEST)
    motion = replace(motion, runs=runs)
    whole = np.concatenate(
        [np.arange(run.start, run.stop) for run in runs] or [np.arange(len(motion))]
    )
    chosen = np.linspace(0, len(whole) - 1, min(SAMPLES, len(whole))).round().astype(np.intp)
    rows = whole[np.unique(chosen)]
    if motion.whole is not None:
        motion = replace(motion, whole=sum_wrenches(motion.whole, robot, motion.q))
    derived = Hypothesis("velocity").undo_signals(motion)
    if (
        equations is None
        and motion.whole is None
        and motion.rate
        and not differ(derived, motion).any()
    ):
        motion = derived  # positions have less noise than recorded velocities
    independent = min(len(rows), len(motion) / max(motion.redundancy, 1.0))
    if equations is not None:
        equations = equations[rows]
    return Case(robot, motion, theta0, (), nuisance, rows, independent, {}, unmeasured, equations)


STRETCH = 8_000
"""Largest number of samples from which those that are compared are chosen."""

SHORTEST = 50
"""Samples of a stretch of a recording that is long enough to be filtered again."""


def describe(path: str, options: IdentifyOptions, case: Case, step: Finding) -> Remark:
    """Describe a hypothesis with its evidence, and the option or the edit that mends it."""
    each, before, after = step.hypothesis, step.before.unexplained, step.after.unexplained
    robot, whole = case.robot, case.motion.whole
    rows = robot.joints if whole is None else whole.rows.names
    shown = list_changes(rows, before, after)
    evidence = f"without that, less of the torques' variance stays unexplained: {shown}"
    nearer = step.before.moved - step.after.moved
    if not np.any(before > STEP * after):
        deviations = np.sqrt(max(nearer, 0.0))
        evidence = f"without that, the bodies are {deviations:.2g} deviations nearer to the file's"
    kind, names, what, remedy = _word(each, options, case)
    hint = " ".join(remedy.options) or remedy.words
    name = f"{(' and ' if kind == 'exchanged' else ', ').join(names)}: " if names else ""
    message = f"{path}: {name}{what} (probability {step.probability:.2g}): {evidence}; {hint}"
    remedy = remedy._replace(probability=step.probability)
    return Remark(Severity.ERROR, kind, message, names, remedy)


def list_changes(rows: Sequence[str], before: Floats, after: Floats) -> str:
    """List the torques of which most is explained now, with the parts that stay unexplained."""
    return ", ".join(
        f"{rows[k]} {100 * before[k]:.2g} -> {100 * after[k]:.2g} %"
        for k in np.argsort(after - before)[:4].tolist()
        if after[k] < before[k]
    )


def _word(
    each: Hypothesis, options: IdentifyOptions, case: Case
) -> tuple[str, tuple[str, ...], str, Remedy]:
    """Kind of the remark, names of the joints, what is wrong, and what to do."""
    kind, number, robot = each.kind, each.number, case.robot
    if kind in WRENCHES:
        return _word_of_wrench(each, case)
    if kind == "mass":
        return _word_of_mass(each, case)
    names = tuple(robot.joints[k] for k in each.joints)
    every = len(names) == len(robot.joints)

    def edit(words: str, action: str, signals: str, value: float = 0.0) -> Remedy:
        return Remedy((), (Edit(action, tuple(signals.split()), names, value),), words)

    given = options.recordings.gain
    given = (1.0,) if given is None or given == UNKNOWN else given
    gains = np.array(np.broadcast_to(np.array(given), (len(robot.joints),)))
    factor = nearest_unit(number) if every else number
    gains[list(each.joints)] *= -1.0 if kind == "torque-sign" else 1 / factor
    gain = Remedy((f"--gain={','.join(f'{own:.12g}' for own in gains.tolist())}",))
    unit = name_unit(number) or "no unit has that ratio"
    vector = ",".join(f"{x:.4g}" for x in each.vector)
    word = "behind" if number > 0 else "ahead of"
    what = kind.partition("-")[0]
    signals = {"torques": "tau", "positions": "q u du", "joints": "q u du tau"}.get(what, "")
    declared = options.friction.friction or ()
    terms = ",".join(dict.fromkeys([*declared, "rotor" if kind == "coupled" else kind]))
    exchanged = (
        *("exchanged", names, f"the {what} are exchanged"),
        edit(f"exchange their columns of {signals}", "exchange", signals),
    )
    undeclared = Remedy((f"--friction={terms}",))
    words: dict[str, tuple[str, tuple[str, ...], str, Remedy]] = {
        "torque-sign": ("sign", names, "the torque has the other sign", gain),
        "scale": ("scale", names, f"its torque is {number:.4g} times what the others say", gain),
        "position-sign": (
            *("sign", names, "the position has the other sign"),
            Remedy(tuple(f"--reverse={name}" for name in names)),
        ),
        "torques-exchanged": exchanged,
        "positions-exchanged": exchanged,
        "joints-exchanged": exchanged,
        "degrees": (
            *(kind, names, f"positions are in {'degrees' if number > 1 else 'radians'}"),
            edit(f"divide its columns by {number:.6g}", "multiply", "q u du", 1 / number),
        ),
        "time": (
            *(kind, (), f"the clock runs {number:.4g} times as fast as time"),
            edit(f"divide t by {number:.4g}", "multiply", "t", 1 / number),
        ),
        "velocity": (
            *(kind, names, "the velocities are not those of the positions"),
            edit("leave the columns of qd out", "drop", "u du"),
        ),
        "zero": (
            *(kind, names, f"its zero is elsewhere, {number:.4g} rad from the file's"),
            edit("take it off that column, or turn the joint in the file", "add", "q", -number),
        ),
        "lag": (
            *(kind, names, f"torques are {abs(number) * 1e3:.3g} ms {word} their motion"),
            edit(f"move its torque by {-number:.4g} s", "delay", "tau", -number),
        ),
        "gravity": (
            *(kind, (), f"gravity is {vector} m/s^2 in the axes of the base"),
            Remedy((f"--gravity={vector}",)),
        ),
        "coupled": (
            *(kind, names, "each follows the motion of the other: they share a gear"),
            Remedy((f"--coupling={','.join(names)}", *undeclared.options)),
        ),
        "rotor": (kind, names, "a rotor behind its gear is not declared", undeclared),
        "viscous": (kind, (), "viscous friction is not declared", undeclared),
        "coulomb": (kind, (), "Coulomb friction is not declared", undeclared),
        "offset": (kind, (), "constant torques are not declared", undeclared),
        "stribeck": (kind, names, "its friction falls with speed, not declared", undeclared),
        "load": ("load-friction", names, "its friction grows with the load", undeclared),
        # Mistakes of all joints alike, for which there is an option.
        "every scale": (
            *("unit", (), f"torques are {number:.4g} times those that the file predicts, {unit}"),
            gain,
        ),
        "every degrees": (
            *("degrees", (), f"positions are in {'degrees' if number > 1 else 'radians'}"),
            Remedy(("--degrees",) if number > 1 else (), (), "leave out --degrees"),
        ),
        "every time": (
            *(kind, (), f"time is in {each.unit}, not in s"),
            Remedy((f"--time-unit={each.unit}",)),
        ),
        "every lag": (
            *(kind, (), f"torques are {abs(number) * 1e3:.3g} ms {word} their motion"),
            Remedy((f"--delay={options.recordings.delay + number:.4g}",)),
        ),
        "every gravity": (
            *(kind, (), "the torques have no part of gravity"),
            Remedy((f"--gravity={vector}",)),
        ),
    }
    alike = {"scale": every, "degrees": every, "time": bool(each.unit), "lag": not names}
    alike["gravity"] = not any(each.vector)
    return words[f"every {kind}" if alike.get(kind) else kind]


def _word_of_mass(each: Hypothesis, case: Case) -> tuple[str, tuple[str, ...], str, Remedy]:
    """The same of a body whose numbers in the file cannot be right."""
    robot = case.robot
    names = tuple(robot.names[k] for k in each.joints)
    last = max(robot.bodies) == robot.bodies[each.joints[0]] and each.number > 1
    what = "its numbers are far from those of the robot's file"
    words = "correct the file's mass, or --prior another model"
    if last:
        what = f"it carries a payload, or is {what}"
        words = f"take it off, or identify it alone: --payload {names[0]}"
    return "payload" if last else "mass", names, what, Remedy((), (), words)


def _word_of_wrench(each: Hypothesis, case: Case) -> tuple[str, tuple[str, ...], str, Remedy]:
    """The same of a wrench from outside."""
    assert case.motion.whole is not None
    every = case.motion.whole.wrenches
    wrenches = [every[place] for place in each.joints]
    names, all_ = tuple(wrench.name for wrench in wrenches), len(wrenches) == len(every)
    if each.kind == "wrench-sign":
        what = "the sign of the wrench is the other one, that of the robot's on its surroundings"
        return "sign", names, what, Remedy(tuple(f"--reverse-wrench {name}" for name in names))
    if each.kind == "wrench-exchanged":
        hints = tuple(
            f"--contact {wrench.name}={','.join((*wrench.columns[3:], *wrench.columns[:3]))}"
            for wrench in wrenches
            if len(wrench.columns) == 6
        )
        hints = ("--wrench-order moment-first",) if all_ else hints
        remedy = Remedy(hints, (), "exchange its columns")
        return "exchanged", names, "force and moment of the wrench are exchanged", remedy
    used, other = ("world", "body") if wrenches[0].in_world else ("body", "world")
    hints = (f"--wrench-axes {other}",) if all_ else ()
    what = f"the wrench is in the axes of the {other}, not of the {used}"
    return "axes", names, what, Remedy(hints, (), f"turn it to the axes of the {used}")
