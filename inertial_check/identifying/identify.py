"""From recordings and a robot's file to identified bodies, a report, and the file's new numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.fixing.assign import assign
from inertial_check.fixing.result import Fix
from inertial_check.identification.estimation.identify import identify
from inertial_check.identification.estimation.result import Identification
from inertial_check.identifying.prior import prior_of
from inertial_check.identifying.recordings import read_runs
from inertial_check.identifying.reporting import reported
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot, read_robot
from inertial_check.identifying.runs import Runs
from inertial_check.model.identified import Identified
from inertial_check.projection.constraints import Constraint, FixedMass, TotalMass


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a request.

    Attributes:
        request: What was asked for.
        robot: Whose bodies they are.
        runs: The recordings.
        found: The identification.
        report: What is said of it.
    """

    request: Request
    robot: Robot
    runs: Runs
    found: Identification
    report: Identified

    def fix(self) -> Fix:
        """The robot's file with the identified numbers, read and judged again, not yet written.

        Raises:
            InertialCheckError: The new document would not read as told.
        """
        numbers = {
            self.robot.model.bodies[index].id: theta
            for index, theta in zip(self.robot.bodies, self.found.theta, strict=True)
        }
        return assign(self.robot.model, numbers, context=self.request.context)

    def plot(self, path: str) -> None:
        """Draw torques, parameters and ellipsoids: into a file, or as files of a folder.

        Raises:
            UsageError: It cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        from inertial_check.identifying.drawing import draw

        draw(path, self.robot, self.runs, self.found, self.report)


def identify_robot(request: Request) -> Outcome:
    """Identify the bodies of a robot.

    Raises:
        DocumentError: A file cannot be read.
        UsageError: An option, or a recording, that does not fit the robot.
        ParameterError: Numbers that cannot be used; a problem that data and prior leave open.
        ProjectionError: The problem has no certified answer.
    """
    robot = read_robot(request)
    prior = prior_of(request, robot)
    runs = read_runs(request, robot)
    options: dict[str, Any] = {}
    if request.prior_margin is not None:
        options["prior_margin"] = request.prior_margin
    if _needs_no_samples(request):
        options["nuisance"] = runs.nuisance  # samples have their own
    found = identify(
        runs.reduction if _needs_no_samples(request) else runs.samples,
        prior=prior.parameters,
        weights=_weights(request, robot),
        constraints=_constraints(request, robot),
        regularization=request.regularization,
        redundancy=runs.redundancy,
        metric=request.metric,
        loss=request.loss,
        margin=request.margin,
        bodies=robot.names,
        solver=request.solver,
        **options,
    )
    report = reported(request, robot, prior, runs, found)
    return Outcome(request, robot, runs, found, report)


def _needs_no_samples(request: Request) -> bool:
    """Whether the reduced problem is all that is needed."""
    return request.loss == "squares" and not isinstance(request.regularization, str)


def _weights(request: Request, robot: Robot) -> Floats | None:
    """(n,) one over the deviation of each joint's noise; None to find them.

    Raises:
        UsageError: As many numbers as there are no joints.
    """
    if request.weights is None:
        return None
    if len(request.weights) != len(robot.joints):
        raise UsageError(
            f"--weights has {len(request.weights)} numbers, expected one for each of the "
            f"{len(robot.joints)} joints: {', '.join(robot.joints)}"
        )
    return np.array(request.weights)


def _constraints(request: Request, robot: Robot) -> tuple[Constraint, ...]:
    """What is known of the bodies beside the data.

    Raises:
        UsageError: A mass of a body that is not identified.
    """
    found: list[Constraint] = [
        FixedMass(mass, bodies=(robot.body(name, "--mass"),))
        for name, mass in request.masses.items()
    ]
    if request.total_mass is not None:
        found.append(TotalMass(*request.total_mass))
    return tuple(found)
