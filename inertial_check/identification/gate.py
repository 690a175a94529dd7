"""Judgement of a result: numbers without support, open friction, poor fits, findings of `check`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

import numpy as np

from inertial_check.checking.check import FINDINGS_ONLY, check_model
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import Model
from inertial_check.errors import InertialCheckError
from inertial_check.fixing.result import Fix
from inertial_check.identification.diagnosis.diagnosis import SAMPLES as LONGEST_LAG_SEARCH
from inertial_check.identification.diagnosis.diagnosis import (
    correct_lag,
    estimate_lag,
    find_couplings,
    find_lag,
    find_unit_errors,
)
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.motion.motion import BASE_ROWS, Dataset, Datasets, grade_remark
from inertial_check.identification.motion.signals import HEAVY, measure_outliers
from inertial_check.identification.robot import Robot, list_some
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.consistency import check
from inertial_check.reports.identification_types import (
    FrictionValue,
    JointFit,
    Remark,
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

MISFIT = 2.0
"""Weighted RMS of the fitted torques above which the answer is none: the weights are those of the
residuals, so that it is 1 but for what the prior and the cone forbid; chosen."""

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
    decided = found.identifiability
    unsupported = decided.remarks(found.bodies)
    moved = np.abs([decided.total_mass_unaccounted, *decided.unaccounted.ravel()])
    # Legs of a robot that stands move too little for this to tell noise from a wrong recording.
    stands = any(data.motion is not None and data.motion.whole for data in datasets.train)
    astray = bool(np.max(moved) > ASTRAY) and not stands
    for line in unsupported:
        yield Remark(Severity.ERROR if astray else Severity.WARNING, "unsupported", line)
    rotors = any(name.startswith("Ia") for name in found.names)
    if unsupported and datasets.train[0].motion is not None and not rotors:
        yield Remark(
            Severity.NOTE,
            "no-rotors",
            "no rotor inertia is declared: where torques stand for motor currents, rotors behind "
            "gears end in the links; --friction viscous,coulomb,offset,rotor",
        )
    yield from _judge_recordings(robot, found, datasets)
    # Remark on bodies that only the cone keeps consistent: noise or a wrong model moved them.
    flat = np.asarray(found.consistency.margin) < tolerances.EDGE
    if flat.any():
        names = [name for name, own in zip(found.bodies, flat.tolist(), strict=True) if own]
        was_flat = np.asarray(check(found.problem.theta0).margin) < tolerances.EDGE
        severity = Severity.NOTE
        if np.any(flat & ~was_flat):  # of one body of several it may be noise
            most = 2 * np.sum(flat & ~was_flat) > len(flat) and not stands
            severity = Severity.ERROR if most else Severity.WARNING
        yield Remark(
            severity,
            "edge",
            f"at the edge of what exists, flat or of few points: {list_some(names, _MOST)}; "
            "--margin keeps bodies off it, and so does a larger --regularization; a body that is "
            "solid in the robot's file may be flat here for another mistake, which it takes up",
        )
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
            yield Remark(
                Severity.WARNING,
                "friction-open",
                "the data leave friction open, by the standard deviation: "
                f"{list_some(open_, _MOST)}; record longer, or give --friction-prior",
            )
    if train.weighted > MISFIT:
        yield Remark(
            Severity.ERROR,
            "misfit",
            f"{train.path}: weighted RMS {train.weighted:.4g}, where noise alone leaves 1: no "
            "bodies move as recorded with these torques; look at the joints with the least R^2",
        )
    for fit in fits:
        yield from _judge_fit(fit)


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
        yield Remark(
            Severity.WARNING,
            "gain-sign",
            f"the drive gains of {list_some(turned, _MOST)} are negative: what was recorded has "
            "the other sign than the torque",
        )


def _judge_recordings(robot: Robot, found: Identification, datasets: Datasets) -> Iterator[Remark]:
    """Compare measured torques with those of prior and result: units, signs and lags."""
    bodies = np.append(found.prior, np.zeros(len(found.names)))
    joints = datasets.joints
    for data in datasets.train:
        measured, prior, fitted = data.torques(np.stack([bodies, found.si]), _LONGEST)
        u = data.row_velocities(robot)
        u = None if u is None else u[:_LONGEST]
        # Unknown gains make torques of any unit and sign those of the bodies.
        for remark in () if found.gains else find_unit_errors(measured, prior, u, joints):
            yield grade_remark(data.path, remark)
        counts, parts = measure_outliers(measured - fitted)
        shown = [
            f"{joint} {int(count)} with {part:.0%}"
            for joint, count, part in zip(joints, counts.tolist(), parts.tolist(), strict=True)
            if part > HEAVY
        ]
        if found.loss == "squares" and shown:
            yield Remark(
                Severity.WARNING,
                "outliers",
                f"{data.path}: a few residuals make up most of the squares: "
                f"{list_some(shown, _MOST)}; least squares follow them and hide friction: "
                "--loss huber",
            )
        if data.motion is not None:
            rate = data.motion.rate
            for remark in find_lag(measured, fitted, rate=rate, joints=joints):
                # Estimate a lag from the first samples of a recording, which are at uniform steps.
                blocks: list[tuple[Floats, ...]] = []
                for rows in data.samples.rows():
                    blocks.append(rows)
                    if sum(len(tau) for _, tau in blocks) >= LONGEST_LAG_SEARCH:
                        break
                A, tau = (
                    np.concatenate(own)[:LONGEST_LAG_SEARCH] for own in zip(*blocks, strict=True)
                )
                lag = estimate_lag(A, tau, float(np.max(remark.values["samples"])))
                yield grade_remark(
                    data.path, remark if lag is None else correct_lag(remark, lag, rate)
                )
        yield from _judge_couplings(data, measured - fitted, joints, found.redundancy)


def _judge_couplings(
    data: Dataset, residuals: Floats, joints: Sequence[str], redundancy: float
) -> Iterator[Remark]:
    """Remark on joints that share a gear, which no robot file says."""
    motion = data.motion
    if motion is None or motion.whole is not None or motion.u.shape[1] != len(joints):
        return
    u, du = (each[: len(residuals)] for each in (motion.u, motion.du))
    for (a, b), shares in find_couplings(residuals, u, du, redundancy):
        yield Remark(
            Severity.WARNING,
            "coupled",
            f"{data.path}: {shares[0]:.0%} of the residual of {joints[a]} follows the motion of "
            f"{joints[b]}, and {shares[1]:.0%} of that of {joints[b]} the motion of {joints[a]}, "
            f"as where two joints share a gear: --coupling {joints[a]},{joints[b]} --friction "
            "viscous,coulomb,offset,rotor",
        )


def _judge_fit(fit: TorqueFit) -> Iterator[Remark]:
    """Remark on joints whose torques are not explained: several are an error of the whole."""
    poor = [joint for joint in fit.joints if _is_poor(joint, fit)]
    several = fit.role == "train" and len(poor) >= SEVERAL
    for joint in poor:
        yield Remark(
            Severity.ERROR if several else Severity.WARNING,
            "poor-fit",
            f"{fit.path}: {joint.joint}: bodies and friction explain R^2 = "
            f"{joint.r_squared:.3g} of the torque: look at its sign, its joint and what "
            "touches the robot",
        )
    if fit.role == "validation" and fit.weighted > WORSE * fit.weighted_before:
        yield Remark(
            Severity.WARNING,
            "worse-than-prior",
            f"{fit.path}: predicted worse than by the prior, weighted RMS {fit.weighted:.4g} and "
            f"{fit.weighted_before:.4g}",
        )


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
        *("wrapped", "frozen", "saturated"),
    }
)
"""Kinds of errors that say what is wrong with a recording."""

_CONSEQUENCES = frozenset(
    {
        *("unsupported", "edge", "misfit", "poor-fit", "coupled", "check", "lag"),
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
        wrong = [each for each in remarks if each.kind == "coarse"]
    left = [each for each in remarks if each not in wrong]
    wrong = [each._replace(severity=Severity.ERROR) for each in wrong]
    if wrong:
        hidden = [each for each in left if each.kind in _CONSEQUENCES]
        left = [each for each in left if each.kind not in _CONSEQUENCES]
        if hidden:
            kinds = list_some([*dict.fromkeys(each.kind for each in hidden)], _MOST)
            message = f"{len(hidden)} remarks on the numbers that this gives are left out: {kinds}"
            wrong.append(Remark(Severity.NOTE, "consequences", message))
    return (*wrong, *sorted(left, key=lambda remark: -remark.severity))


_DENSITY = "IC503"
"""Rule about densities that no material has."""

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


def describe_finding(path: str, finding: RuleFinding, flat: Set[str] = frozenset()) -> Remark:
    """Describe a finding as a remark on the identification.

    One that the robot as written does not have is an error. A body at the edge of what exists has
    no volume, and so any density: that is a note beside the one that says where it is.

    Args:
        path: Path of the robot.
        finding: The finding.
        flat: Names of bodies at the edge of what exists.
    """
    where = finding.body or ", ".join(finding.bodies[:6])
    message = f"{path}, as identified: {where}: {finding.code}: {finding.message}"
    severity = Severity(finding.severity)
    if finding.new and severity >= Severity.WARNING:
        severity = Severity.ERROR
    if finding.code == _DENSITY and finding.body in flat:
        severity = Severity.NOTE
    return Remark(severity, "check", message)
