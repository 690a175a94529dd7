"""Pictures of an identification: torques, parameters, ellipsoids, the choice of the weight."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.identification.estimation.choosing import Choice
from inertial_check.identification.estimation.result import Identification
from inertial_check.identifying.robot import Robot
from inertial_check.identifying.runs import Run, Runs
from inertial_check.model.identified import Identified
from inertial_check.reports import plots


def draw(
    path: str, robot: Robot, runs: Runs, found: Identification, report: Identified
) -> list[str]:
    """Write the pictures; see reports.plots.write_all for what a path becomes.

    Returns:
        The files.

    Raises:
        UsageError: A file cannot be written, or matplotlib is not installed.
    """
    return plots.write_all(path, list(_pages(robot, runs, found, report)))


def _pages(
    robot: Robot, runs: Runs, found: Identification, report: Identified
) -> Iterator[plots.Page]:
    several = len(runs.train) + len(runs.validation) > 1
    for number, run in enumerate((*runs.train, *runs.validation), 1):
        for page in _torques(run, robot, found):
            yield page._replace(name=f"{number}-{page.name}") if several else page
    names = [body.name for body in report.bodies]
    prior = np.array([body.prior for body in report.bodies])
    theta = np.array([body.theta for body in report.bodies])
    deviation = np.array([body.standard_deviation for body in report.bodies])
    decided = [body.decided_by for body in report.bodies]
    yield from plots.parameters(theta, prior, deviation, names, decided)
    yield from plots.ellipsoids(prior, theta, names)
    if found.choice is not None:
        yield from _choice(found.choice)


def _choice(choice: Choice) -> list[plots.Page]:
    if choice.rule == "k-fold":
        return plots.k_fold(choice.candidates, choice.errors, choice.standard_errors, choice.weight)
    return plots.l_curve(choice.candidates, choice.data_terms, choice.prior_terms, choice.weight)


def _torques(run: Run, robot: Robot, found: Identification) -> list[plots.Page]:
    after = np.append(found.theta, list(found.nuisance.values()))
    measured, before, fitted = run.torques(np.stack([found.prior_x, after]))
    t = np.arange(len(measured)) if run.motion is None else run.motion.t
    title = f"Torques: {run.path}"
    return plots.torques(t, measured, before, fitted, robot.joints, robot.units, title)
