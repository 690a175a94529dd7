"""Result of an excitation: motions, the ranges of the joints in them, and their files."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import UsageError
from inertial_check.identification.excitation import Condition
from inertial_check.identifying.exciting.collisions import LeftOut
from inertial_check.identifying.exciting.excite_options import ExciteOptions
from inertial_check.identifying.exciting.limits import QUANTITIES, JointLimits, Source
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia import tolerances


class QuantityRange(NamedTuple):
    """Range of one quantity of a joint in a motion, and its limits.

    Attributes:
        lower: Lower limit; NaN if it is not known.
        upper: Upper limit.
        source: Source of the limits.
        least: Least value in the motion.
        most: Largest value.
        share: Largest distance from the middle of the limits, as a part of half their range: 1 at
            either limit; NaN if they are not known. That of a torque counts its margin.
    """

    lower: float
    upper: float
    source: Source
    least: float
    most: float
    share: float


class JointRanges(NamedTuple):
    """Ranges of one joint in a motion.

    Attributes:
        joint: Name of the joint.
        prismatic: Whether it is a prismatic joint.
        ranges: Range of each of the QUANTITIES. The torque is that of the bodies,
            rotors and friction in the file.
    """

    joint: str
    prismatic: bool
    ranges: tuple[QuantityRange, ...]


class Approach(NamedTuple):
    """Closest approach of the bodies in a motion.

    Attributes:
        pairs: Number of pairs of shapes that were looked at.
        bodies: Names of the two bodies that come nearest to the distance that they keep; empty
            without pairs.
        distance: Their least distance at the samples [m]; infinite without pairs.
        kept: Whether all pairs keep their distance.
        proven: Whether that holds between the samples, too.
        left_out: Pairs that were left out.
    """

    pairs: int
    bodies: tuple[str, ...]
    distance: float
    kept: bool
    proven: bool
    left_out: tuple[LeftOut, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "pairs": self.pairs,
            "bodies": list(self.bodies),
            "distance": _drop_infinite(self.distance),
            "kept": self.kept,
            "proven": self.proven,
            "left_out": [
                {"bodies": list(each.bodies), "because": each.because} for each in self.left_out
            ],
        }


@dataclass(frozen=True, eq=False)
class RobotExcitation:
    """Motion of a robot, and the parameters that it shows.

    Attributes:
        options: Options of the excitation.
        joints: Names of the n joints.
        t: (S,) time [s].
        q: (S, n) positions [rad or m].
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Condition of the motion.
        before: Condition of the random motion that it was improved from; None for a given motion.
        ranges: Ranges of each joint.
        notes: Assumptions, one line each.
        criterion: Value of the criterion, and that of the start; NaN for a given motion.
        approach: Distances of the bodies from each other; None where none are looked at.
        motions: Arrays t, q, u and du of each motion that was designed.
    """

    options: ExciteOptions
    joints: tuple[str, ...]
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    before: Condition | None
    ranges: tuple[JointRanges, ...]
    notes: tuple[str, ...]
    criterion: tuple[float, float] = (nan, nan)
    approach: Approach | None = None
    motions: tuple[tuple[Floats, Floats, Floats, Floats], ...] = ()

    @property
    def exceeded(self) -> tuple[str, ...]:
        """Quantities that exceed a limit, as "velocity of elbow"."""
        found = tuple(
            f"{quantity.name} of {each.joint}"
            for each in self.ranges
            for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
            if own.share > 1 + tolerances.LIMIT_ROUNDING
        )
        if self.approach is not None and not self.approach.kept:
            found += (f"distance of {' and '.join(self.approach.bodies)}",)
        return found

    def file(self, path: str, number: int = 0) -> bytes:
        """Write a motion as bytes of a file of this name: t, q, qd and qdd.

        Args:
            path: Name of the file.
            number: Index of the motion, of several.

        Raises:
            UsageError: The name ends in neither .csv nor .npz.
        """
        motion = self.motions[number] if self.motions else (self.t, self.q, self.u, self.du)
        if path.endswith(".csv"):
            return self._csv(motion)
        if path.endswith(".npz"):
            return self._npz(motion)
        raise UsageError(f"-o {path}: a motion is written as csv or npz: name it .csv or .npz")

    def files(self, path: str) -> list[tuple[str, bytes]]:
        """Name and bytes of the file of each motion: of several NAME-1.csv, NAME-2.csv, ..."""
        if len(self.motions) < 2:
            return [(path, self.file(path))]
        stem, dot, ending = path.rpartition(".")
        names = [f"{stem}-{number + 1}{dot}{ending}" for number in range(len(self.motions))]
        return [(name, self.file(name, number)) for number, name in enumerate(names)]

    def _csv(self, motion: tuple[Floats, Floats, Floats, Floats]) -> bytes:
        names = self.joints if _are_columns(self.joints) else range(1, len(self.joints) + 1)
        header = ["t", *(f"{signal}_{name}" for signal in ("q", "qd", "qdd") for name in names)]
        table = np.column_stack(motion)
        stream = io.StringIO(newline="")
        np.savetxt(stream, table, "%.12g", ",", "\n", ",".join(header), comments="")
        return stream.getvalue().encode()

    def _npz(self, motion: tuple[Floats, Floats, Floats, Floats]) -> bytes:
        stream = io.BytesIO()
        names = np.array(self.joints, dtype=np.str_)
        t, q, u, du = motion
        np.savez(stream, t=t, q=q, qd=u, qdd=du, joints=names)
        return stream.getvalue()

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        condition, before = self.condition, self.before
        return {
            "model": self.options.model,
            "given": self.options.given,
            "samples": len(self.t),
            "duration": float(self.t[-1] - self.t[0]),
            "condition_number": _drop_infinite(condition.number),
            "condition_number_before": None if before is None else _drop_infinite(before.number),
            "rank": condition.rank,
            "columns": condition.columns,
            "singular_values": condition.singular_values.tolist(),
            "trajectories": max(len(self.motions), 1),
            "criterion": {
                "name": self.options.search.criterion,
                "value": _drop_infinite(self.criterion[0]),
                "before": _drop_infinite(self.criterion[1]),
            },
            "torque_margin": self.options.limits.torque_margin,
            "collisions": None if self.approach is None else self.approach.as_dict(),
            "joints": [_as_dict(each) for each in self.ranges],
            "exceeded": list(self.exceeded),
            "notes": list(self.notes),
        }


def list_ranges(
    robot: Robot, read: JointLimits, motion: Sequence[Floats], used: Floats
) -> Iterator[JointRanges]:
    """List the ranges of all joints in a motion.

    Args:
        robot: The robot.
        read: Limits of its joints.
        motion: (S, n) positions, velocities, accelerations and torques.
        used: (n,) largest part of each torque limit, with the margin.
    """
    limits, sources, effort = read.motion, read.sources, read.torque
    ends = (
        (limits.lower, limits.upper, sources["position"]),
        (-limits.velocity, limits.velocity, sources["velocity"]),
        (-limits.acceleration, limits.acceleration, sources["acceleration"]),
        (-effort, effort, sources["torque"]),
    )
    for joint, name in enumerate(robot.joints):
        ranges = tuple(
            _measure_range(
                float(lower[joint]), float(upper[joint]), source[joint], signal[:, joint]
            )
            for (lower, upper, source), signal in zip(ends, motion, strict=True)
        )
        torque = ranges[-1]
        if torque.source != "unknown":
            ranges = (*ranges[:-1], torque._replace(share=float(used[joint])))
        yield JointRanges(name, robot.units[joint] == "N", ranges)


def _measure_range(lower: float, upper: float, source: Source, signal: Floats) -> QuantityRange:
    least, most = float(signal.min()), float(signal.max())
    middle, half = (upper + lower) / 2, (upper - lower) / 2
    known = source != "unknown" and half > 0
    share = max(most - middle, middle - least) / half if known else float("nan")
    return QuantityRange(lower, upper, source, least, most, share)


def _are_columns(names: Sequence[str]) -> bool:
    """Decide whether names can head the columns of a csv file, each its own."""
    return len(set(names)) == len(names) and all(
        name.strip() == name and name and not set(name) & set(',;\t"#[]()\r\n') for name in names
    )


def _as_dict(each: JointRanges) -> dict[str, object]:
    return {
        "joint": each.joint,
        **{
            quantity.name: {
                "unit": quantity.unit(each.prismatic),
                "lower": _drop_infinite(own.lower),
                "upper": _drop_infinite(own.upper),
                "source": own.source,
                "least": own.least,
                "most": own.most,
                "share": _drop_infinite(own.share),
            }
            for quantity, own in zip(QUANTITIES, each.ranges, strict=True)
        },
    }


def _drop_infinite(value: float) -> float | None:
    return value if isfinite(value) else None
