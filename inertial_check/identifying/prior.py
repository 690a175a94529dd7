"""Where the bodies are expected: from the robot's file, its geometry, or another model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.geometry.priors import from_geometry, from_model
from inertial_check.identifying.request import Request
from inertial_check.identifying.robot import Robot
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


class Prior(NamedTuple):
    """What the bodies are expected to be, as it is stated.

    Attributes:
        parameters: (L,), which need not be consistent.
        source: Where they come from, in words.
        remarks: What was taken for what.
    """

    parameters: InertialParameters
    source: str
    remarks: tuple[Remark, ...]


def prior_of(request: Request, robot: Robot) -> Prior:
    """The prior that a request names.

    Raises:
        UsageError: A body has no mass in it, or none an extent; names the way out.
        ParameterError: A body has none, in the geometry or in the other model.
        DocumentError: The other model cannot be read.
    """
    given, source, remarks = _stated(request, robot)
    for name, mass in zip(robot.names, np.asarray(given.mass).tolist(), strict=True):
        if not (np.isfinite(mass) and mass > 0):
            raise UsageError(
                f"--prior {request.prior}: {name} has the mass {mass:g} kg, expected a positive "
                "one: write the mass in the robot's file, or take another model as prior"
            )
    given = _with_extent(given, robot.names, request.prior_radius, remarks)
    sound = np.asarray(check(given).consistent)
    bad = [name for name, is_sound in zip(robot.names, sound, strict=True) if not is_sound]
    if bad:
        message = (
            f"no body has the numbers of the prior of {', '.join(bad)}: the nearest that some "
            "body has stand in"
        )
        remarks.append(Remark(Severity.WARNING, "prior-inconsistent", message))
    return Prior(given, source, tuple(remarks))


def _stated(request: Request, robot: Robot) -> tuple[InertialParameters, str, list[Remark]]:
    if request.prior == "file":
        return from_model(robot.model, robot.names), "the robot's file", []
    if request.prior == "geometry":
        found = from_geometry(robot.model, robot.names, packages=request.context.packages)
        remarks = [
            Remark(Severity.NOTE, "prior-geometry", line)
            for body in found.bodies
            for line in body.remarks
        ]
        return found.parameters, "the written masses spread over the shapes", remarks
    return from_model(request.prior, robot.names), request.prior, []


def _with_extent(
    given: InertialParameters, names: Sequence[str], radius: float | None, remarks: list[Remark]
) -> InertialParameters:
    """The prior with at least a radius of gyration, where one is asked for or there is none.

    Raises:
        UsageError: All bodies are points, or as good as that, and no radius is asked for.
    """
    mass, theta = np.asarray(given.mass), np.array(given.as_theta(about="com"))
    spread = theta[:, [4, 7, 9]].sum(axis=1) / 2 / mass  # radius of gyration squared
    if radius is None:
        lacking, radius = _points(given, spread)
    else:
        lacking = np.maximum(radius**2 - spread, 0.0)
    if not np.any(lacking > 0):
        return given
    theta[:, [4, 7, 9]] += (2 / 3 * mass * lacking)[:, None]
    which = ", ".join(np.array(names)[lacking > 0].tolist())
    message = f"bodies of the prior given the radius of gyration {radius:.3g} m: {which}"
    remarks.append(Remark(Severity.NOTE, "prior-radius", message))
    return InertialParameters.from_theta(theta, about="com")


def _points(given: InertialParameters, spread: Floats) -> tuple[Floats, float]:
    """What bodies without extent lack to be as wide as the least of the others, and how wide.

    Raises:
        UsageError: There are no others.
    """
    judged = check(given)
    points = np.all(np.asarray(judged.principal_moments) == 0, axis=1)
    points |= np.asarray(judged.verdict_code) == int(Verdict.ILL_POSED)
    others = spread[~points & (spread > 0)]
    if np.any(points) and not len(others):
        raise UsageError(
            "the prior has point masses only, without an extent: give --prior-radius M, a radius "
            "of gyration for them [m], --prior geometry, or another model"
        )
    least = float(others.min(initial=np.inf))
    return np.where(points, np.maximum(least - spread, 0.0), 0.0), float(np.sqrt(least))
