"""Assessment of an identification from files: table of base parameters, runs, residuals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.identification.assessment.residuals import ResidualAnalysis, analyse_residuals
from inertial_check.identification.assessment.runs import RunSpread, compare_runs
from inertial_check.identification.estimation.base import BaseTerm, name_entries
from inertial_check.identification.estimation.result import Identification
from inertial_check.identifying.friction import describe_number
from inertial_check.identifying.recordings.datasets import Dataset, Datasets
from inertial_check.identifying.robot.robot import Robot
from inertial_check.model.assessed import (
    BaseTable,
    BaseTermValue,
    BaseValue,
    JointResiduals,
    ResidualCourse,
    ResidualSpectrum,
    ResidualWhiteness,
    RunValues,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 20_000
"""Largest number of samples of a recording whose residuals are analysed: more would not change the
outcome, and each is another look at its regressor."""

UNIFORM = 0.01
"""Relative difference of time steps, or of rates, up to which samples count as uniform."""


def build_base_table(robot: Robot, datasets: Datasets, found: Identification) -> BaseTable:
    """Build the table of base parameters, with the spread between recordings."""
    units = tuple(describe_number(name, robot)[2] for name in found.names)
    base = replace(found.base, further_units=units)
    linear = replace(found.linear_base, further_units=units)
    spread = None
    if len(datasets.train) > 1 and len(base):
        runs = [data.reduction for data in datasets.train]
        spread = compare_runs(linear, runs, found.weights, found.redundancy)
    ratios = np.full(len(base), np.nan) if spread is None else spread.birge_ratio
    rows = zip(
        base.names,
        base.units,
        base.values.tolist(),
        base.standard_deviation.tolist(),
        base.relative_standard_deviation.tolist(),
        base.identified.tolist(),
        ratios.tolist(),
        (_list_terms(terms, found) for terms in base.parameters.terms),
        strict=True,
    )
    return BaseTable(
        tuple(BaseValue(*row) for row in rows),
        tuple(map(_numbers, base.covariance)),
        base.condition,
        () if spread is None else _list_runs(spread, datasets.train, found),
        float("nan") if spread is None else spread.overall,
    )


def _list_terms(terms: Sequence[BaseTerm], found: Identification) -> tuple[BaseTermValue, ...]:
    entries, count = name_entries(found.order), 10 * len(found.bodies)
    return tuple(
        BaseTermValue(coefficient, entries[column % 10], found.bodies[column // 10])
        if column < count
        else BaseTermValue(coefficient, found.names[column - count], None)
        for coefficient, column in terms
    )


def _list_runs(
    spread: RunSpread, train: Sequence[Dataset], found: Identification
) -> tuple[RunValues, ...]:
    values = spread.values + found.base_reference
    rows = zip(train, values, spread.standard_deviation, spread.deviations, strict=True)
    return tuple(RunValues(data.path, *map(_numbers, own)) for data, *own in rows)


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
    return tuple(JointResiduals(joint, unit, *_describe_joint(own)) for joint, unit, own in rows)


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


def _describe_joint(
    own: ResidualAnalysis,
) -> tuple[
    int,
    float,
    float,
    ResidualWhiteness | None,
    ResidualSpectrum | None,
    ResidualCourse | None,
]:
    spectrum, course = own.spectrum, own.course
    return (
        own.samples,
        own.rms,
        own.mean,
        None if own.whiteness is None else ResidualWhiteness(*own.whiteness),
        None
        if spectrum is None
        else ResidualSpectrum(
            _numbers(spectrum.frequency), _numbers(spectrum.density), *spectrum[2:]
        ),
        None
        if course is None
        else ResidualCourse(
            _numbers(course.velocity),
            _numbers(course.mean),
            _numbers(course.standard_error),
            course.share,
        ),
    )


def _numbers(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())
