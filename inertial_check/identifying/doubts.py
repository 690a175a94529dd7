"""What a result cannot be trusted in: numbers without support, friction left open, a poor fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inertial_check.identification.estimation.identifiability import Identifiability
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.recordings.diagnosis import find_lag, find_unit_errors
from inertial_check.identifying.runs import Runs
from inertial_check.identifying.severities import in_severity
from inertial_check.model import Severity
from inertial_check.model.identified import (
    Fit,
    FrictionValue,
    Remark,
)

FRICTION_OPEN = 0.1
"""Of a joint's torque: what friction may be uncertain by, at the fastest that was recorded. More,
and another motion is predicted badly."""

POOR_FIT = 0.5
"""Part of a torque's variance: where bodies and friction explain less, something else is there."""

WORSE = 1.05
"""Ratio of a validation's RMSE to that of the prior's bodies above which identifying did harm."""

EDGE = 1e-6
"""Margin below which a body is at the edge of what exists: flat, or in few points."""

_LOOKED_AT = 20_000
"""Samples of a recording whose torques are looked at for their unit: more say no more."""

_MOST = 6
"""Bodies or numbers that a remark names."""


def doubts(
    found: Identification,
    told: Identifiability,
    runs: Runs,
    friction: Sequence[FrictionValue],
    fits: Sequence[Fit],
) -> Iterator[Remark]:
    """Remarks on a result."""
    unsupported = told.remarks(found.bodies)
    for line in unsupported:
        yield Remark(Severity.WARNING, "unsupported", line)
    if unsupported and runs.train[0].motion is not None:
        yield from _rotors(found)
    yield from _recorded(found, runs)
    yield from _at_the_edge(found)
    yield from _friction(runs, friction, fits[0])
    for fit in fits:
        yield from _fit(fit)


def _recorded(found: Identification, runs: Runs) -> Iterator[Remark]:
    """Units, signs and lags that torques have beside those of the prior and of the result."""
    after = np.append(found.theta, list(found.nuisance.values()))
    bodies = np.append(found.prior, np.zeros(len(found.names)))
    for run in runs.train:
        measured, prior, fitted = run.torques(np.stack([bodies, after]), _LOOKED_AT)
        joints, u = runs.joints, None if run.motion is None else run.motion.u[:_LOOKED_AT]
        for remark in find_unit_errors(measured, prior, u, joints):
            yield in_severity(run.path, remark)
        if run.motion is not None:
            for remark in find_lag(measured, fitted, rate=run.motion.rate, joints=joints):
                yield in_severity(run.path, remark)


def _rotors(found: Identification) -> Iterator[Remark]:
    """That rotors are not declared, where links have what nothing supports."""
    if not any(name.startswith("Ia") for name in found.names):
        yield Remark(
            Severity.NOTE,
            "no-rotors",
            "no rotor inertia is declared: where torques stand for motor currents, rotors behind "
            "gears end in the links; --friction viscous,coulomb,offset,rotor",
        )


def _at_the_edge(found: Identification) -> Iterator[Remark]:
    """Bodies that only the cone holds: noise, or a model that is wrong, would have them beyond."""
    flat = np.asarray(found.consistency.margin) < EDGE
    if flat.any():
        names = [name for name, own in zip(found.bodies, flat.tolist(), strict=True) if own]
        yield Remark(
            Severity.NOTE,
            "edge",
            f"at the edge of what exists, flat or of few points: {', '.join(names[:_MOST])}"
            f"{_more(len(names))}; --margin keeps bodies off it, and so does a larger "
            "--regularization",
        )


def _friction(runs: Runs, friction: Sequence[FrictionValue], train: Fit) -> Iterator[Remark]:
    """Numbers beside the bodies that the data leave open."""
    if not friction:
        return
    largest = np.max([run.largest() for run in runs.train], axis=0)
    rms = {joint.joint: joint.rms for joint in train.joints}
    open_ = []
    for value, signal in zip(friction, largest.tolist(), strict=True):
        torque = rms.get(value.joint, 0.0)
        uncertain = value.standard_deviation * signal
        if torque > 0 and uncertain > FRICTION_OPEN * torque:
            of = f"{100 * uncertain / torque:.0f} % of the torque"
            open_.append(f"{value.name} ({value.standard_deviation:.2g} {value.unit}, {of})")
    if open_:
        yield Remark(
            Severity.WARNING,
            "friction-open",
            f"the data leave friction open, by the standard deviation: {', '.join(open_[:_MOST])}"
            f"{_more(len(open_))}; record longer, or give --friction-prior",
        )


def _fit(fit: Fit) -> Iterator[Remark]:
    for joint in fit.joints:
        if joint.r_squared < POOR_FIT:
            yield Remark(
                Severity.WARNING,
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


def _more(count: int) -> str:
    return f" and {count - _MOST} more" if count > _MOST else ""
