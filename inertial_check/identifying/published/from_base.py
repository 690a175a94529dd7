"""Consistent bodies of a robot for published base parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inertial_check.errors import InertialCheckError
from inertial_check.fixing.result import Fix
from inertial_check.fixing.writing import write_parameters
from inertial_check.identification.estimation.from_base import FromBase, identify_from_base
from inertial_check.identifying.options import IdentifyOptions
from inertial_check.identifying.prior import read_prior
from inertial_check.identifying.published.base_file import BaseFile, read_base_file
from inertial_check.identifying.robot.merging import list_numbers, remark_on_merged, split_bodies
from inertial_check.identifying.robot.robot import Robot, read_robot
from inertial_check.identifying.written import check_written, describe_finding
from inertial_check.model import Severity
from inertial_check.model.identified import MergedBody, Remark


@dataclass(frozen=True, eq=False)
class BodiesFromBase:
    """Bodies of a robot for a file of base parameters.

    Attributes:
        options: Options of the identification.
        robot: Robot with these bodies.
        table: The base parameters.
        found: The bodies.
        remarks: Remarks on robot, prior, table and result; the worst first.
        merged: Bodies that were identified as one, with the numbers of their parts.
    """

    options: IdentifyOptions
    robot: Robot
    table: BaseFile
    found: FromBase
    remarks: tuple[Remark, ...]
    merged: tuple[MergedBody, ...] = ()

    @cached_property
    def fix(self) -> Fix:
        """The robot's file with these bodies, all of them or none; not written yet."""
        model = self.robot.model
        numbers = list_numbers(model, self.robot.bodies, self.found.theta, self.merged)
        return write_parameters(model, numbers, context=self.options.context)


def identify_base_file(options: IdentifyOptions, path: str) -> BodiesFromBase:
    """Find the consistent bodies that are nearest to published base parameters.

    Args:
        options: Options of the identification: robot, prior, weight and margin.
        path: Path of the file of base parameters.

    Raises:
        DocumentError: A file cannot be read.
        UsageError: The base parameters are not of this robot.
        ParameterError: Numbers cannot be used.
        ProjectionError: The problem has no certified answer.
    """
    robot = read_robot(options.model, options.context, options.robot)
    prior = read_prior(options, robot)
    table = read_base_file(path, robot.names)
    weight = options.fit.regularization
    found = identify_from_base(
        np.array([entry.value for entry in table.entries]),
        table.base,
        prior.parameters,
        covariance=table.covariance,
        regularization=1.0 if isinstance(weight, str) else weight,
        margin=options.fit.margin,
        bodies=robot.names,
    )
    remarks = [*robot.remarks, *prior.remarks]
    if table.left:
        message = f"{path}: nothing of a body, not used: {', '.join(table.left)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    for line in found.remarks:
        severity = Severity.NOTE if found.realisable else Severity.WARNING
        remarks.append(Remark(severity, "base", line))
    merged = split_bodies(robot.model, robot.bodies, robot.groups, found.theta)
    remarks += remark_on_merged(merged)
    result = BodiesFromBase(options, robot, table, found, tuple(remarks), merged)
    try:
        findings = check_written(robot.model, result.fix, robot.part_names, options.context)
    except InertialCheckError:  # told where the document is to be written
        findings = ()
    said = [describe_finding(robot.model.source.path, each) for each in findings]
    order = sorted([*remarks, *said], key=lambda remark: -remark.severity)
    return BodiesFromBase(options, robot, table, found, tuple(order), merged)
