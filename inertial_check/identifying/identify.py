"""Identification of a robot's bodies from recordings: its report, and the file's new numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.fixing.joints import JointsFix, write_joints
from inertial_check.fixing.result import Fix
from inertial_check.fixing.writing import write_parameters
from inertial_check.identification.estimation.fit_options import FitOptions
from inertial_check.identification.estimation.identify import estimate
from inertial_check.identification.estimation.joint_friction import OperatingPoint
from inertial_check.identification.estimation.loads import expect_loads
from inertial_check.identification.estimation.measurements import Measurements
from inertial_check.identification.estimation.nonlinear import solve_nonlinear
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.gains.fit import estimate_with_gains
from inertial_check.identifying.carrying.loads import Loads, read_loads
from inertial_check.identifying.methods import identify_by_simulation, refuse_unsimulated
from inertial_check.identifying.options import UNKNOWN, IdentifyOptions
from inertial_check.identifying.prior import read_prior
from inertial_check.identifying.recordings.datasets import Datasets
from inertial_check.identifying.recordings.reading import read_recordings
from inertial_check.identifying.recordings.recordings import read_datasets
from inertial_check.identifying.report import build_report, draw_pages
from inertial_check.identifying.robot.joints import list_targets
from inertial_check.identifying.robot.locking import list_recorded
from inertial_check.identifying.robot.merging import list_numbers
from inertial_check.identifying.robot.robot import Robot, read_robot
from inertial_check.identifying.written import check_written, describe_finding
from inertial_check.inertia import tolerances
from inertial_check.model.identified import IdentificationReport
from inertial_check.projection.constraints import Constraint, FixedMass, TotalMass


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
        from inertial_check import plotting as plots  # drawing is seldom asked for

        plots.write_all(path, list(draw_pages(self.robot, self.datasets, self.found, self.report)))


def identify_robot(options: IdentifyOptions) -> RobotIdentification:
    """Identify the bodies of a robot.

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
    datasets = read_datasets(options, robot, recordings, loads)
    _refuse_weights(options, datasets)
    fit = replace(
        options.fit,
        constraints=(*_read_constraints(options, robot), *loads.constraints(len(robot.names))),
        redundancy=datasets.redundancy,
        bodies=(*robot.names, *(each.load.name for each in loads.free)),
    )
    theta = np.asarray(prior.parameters.as_theta())
    refuse_unsimulated(options, robot, datasets, loads)
    if options.method != "least-squares":
        found = identify_by_simulation(options, robot, datasets, theta, fit)
    elif datasets.linearise is None:
        found = _fit_bodies(options, datasets, theta, fit, loads)
    else:
        found, datasets = _fit_nonlinear(options, datasets, theta, fit, loads)
    if found.gains is not None:
        datasets = datasets.with_gains(found.gains.values)
    report = build_report(options, robot, prior, datasets, found, loads)
    return _check_result(RobotIdentification(options, robot, datasets, found, report))


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
        prior = expect_loads(
            prior,
            [each.load for each in loads.free],
            [None] * len(loads.free),
            [each.mass for each in loads.free],
            lambda whole: solve(data, whole, plain),
        )
    return solve(data, prior, fit)


def _fit_nonlinear(
    options: IdentifyOptions, datasets: Datasets, prior: Floats, fit: FitOptions, loads: Loads
) -> tuple[Identification, Datasets]:
    """Fit bodies and nonlinear friction; return them with the datasets that are linear about it.

    Raises:
        UsageError: Drive gains or loads are unknown, too.
    """
    linearise = datasets.linearise
    assert linearise is not None
    if options.recordings.gain == UNKNOWN or loads.entries:
        raise UsageError(
            "--friction stribeck and load go neither with --gain unknown nor with --loads: give "
            "the gains, and fit recordings without loads"
        )

    def solve(point: OperatingPoint | None, weight: float | None) -> Identification:
        chosen = fit if weight is None else replace(fit, regularization=weight)
        return _fit_bodies(options, linearise(point), prior, chosen, loads)

    found, point = solve_nonlinear(solve, datasets.friction, datasets.fastest)
    return found, linearise(point)


def _check_result(result: RobotIdentification) -> RobotIdentification:
    """Check the robot's document with the identified numbers; findings become remarks."""
    model, context = result.robot.model, result.options.context
    try:
        findings = check_written(model, result.fix(), result.robot.part_names, context)
    except InertialCheckError:  # told where the document is to be written
        return result
    flat = {body.name for body in result.report.bodies if body.margin < tolerances.EDGE}
    said = [describe_finding(model.source.path, each, flat) for each in findings]
    remarks = sorted([*result.report.remarks, *said], key=lambda remark: -remark.severity)
    return replace(result, report=replace(result.report, findings=findings, remarks=tuple(remarks)))


def _refuse_weights(options: IdentifyOptions, datasets: Datasets) -> None:
    """Refuse weights that are not one for each row of the equations.

    Raises:
        UsageError: The message names the joints.
    """
    weights = options.fit.weights
    if isinstance(weights, tuple) and len(weights) != len(datasets.joints):
        raise UsageError(
            f"--weights has {len(weights)} numbers, expected one for each of the "
            f"{len(datasets.joints)} joints: {', '.join(datasets.joints)}"
        )


def _read_constraints(options: IdentifyOptions, robot: Robot) -> tuple[Constraint, ...]:
    """Make constraints of the masses that are known.

    Raises:
        UsageError: A mass of a body that is not identified.
    """
    found: list[Constraint] = [
        FixedMass(mass, bodies=(robot.body(name, "--mass"),))
        for name, mass in options.masses.mass.items()
    ]
    if options.masses.total_mass is not None:
        every = tuple(range(len(robot.names)))
        found.append(TotalMass(*options.masses.total_mass, bodies=every))
    return tuple(found)
