"""Prior of an identification: the expected bodies, from a file, its geometry, or another model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.geometry.priors import from_geometry, from_model
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.robot.merging import merge_parameters
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia.consistency import Verdict, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


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
    given, source, remarks = _read_source(options, robot)
    for name, mass in zip(robot.part_names, np.asarray(given.mass).tolist(), strict=True):
        if not (np.isfinite(mass) and mass > 0):
            raise UsageError(
                f"--prior {options.prior.prior}: {name} has the mass {mass:g} kg, expected a "
                "positive one: write the mass in the robot's file, or take another model as prior"
            )
    if robot.groups:
        given = merge_parameters(given, robot.parts, robot.bodies, robot.groups)
    given = _add_extent(given, robot.names, options.prior.prior_radius, remarks)
    sound = np.asarray(check(given).consistent)
    bad = [name for name, is_sound in zip(robot.names, sound, strict=True) if not is_sound]
    if bad:
        message = (
            f"no body has the numbers of the prior of {', '.join(bad)}: the nearest that some "
            "body has stand in"
        )
        remarks.append(Remark(Severity.WARNING, "prior-inconsistent", message))
    return Prior(given, source, tuple(remarks))


def _read_source(
    options: IdentifyOptions, robot: Robot
) -> tuple[InertialParameters, str, list[Remark]]:
    prior = options.prior.prior
    if prior == "file":
        return from_model(robot.model, robot.part_names), "the robot's file", []
    if prior == "geometry":
        found = from_geometry(robot.model, robot.part_names, packages=options.context)
        remarks = [
            Remark(Severity.NOTE, "prior-geometry", line)
            for body in found.bodies
            for line in body.remarks
        ]
        return found.parameters, "the written masses spread over the shapes", remarks
    return from_model(prior, robot.part_names), prior, []


def _add_extent(
    given: InertialParameters, names: Sequence[str], radius: float | None, remarks: list[Remark]
) -> InertialParameters:
    """Give bodies that have a smaller one a radius of gyration, asked for or that of the others.

    Raises:
        UsageError: All bodies are point masses but for rounding, and no radius is asked for.
    """
    mass, theta = np.asarray(given.mass), np.array(given.as_theta(about="com"))
    spread = theta[:, [4, 7, 9]].sum(axis=1) / 2 / mass  # radius of gyration squared
    if radius is None:
        lacking, radius = _widen_points(given, spread)
    else:
        lacking = np.maximum(radius**2 - spread, 0.0)
    if not np.any(lacking > 0):
        return given
    theta[:, [4, 7, 9]] += (2 / 3 * mass * lacking)[:, None]
    which = ", ".join(np.array(names)[lacking > 0].tolist())
    message = f"bodies of the prior given the radius of gyration {radius:.3g} m: {which}"
    remarks.append(Remark(Severity.NOTE, "prior-radius", message))
    return InertialParameters.from_theta(theta, about="com")


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
            "the prior has point masses only, without an extent: give --prior-radius M, a radius "
            "of gyration for them [m], --prior geometry, or another model"
        )
    least = float(others.min(initial=np.inf))
    return np.where(points, np.maximum(least - spread, 0.0), 0.0), float(np.sqrt(least))
