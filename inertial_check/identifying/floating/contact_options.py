"""Options of a floating base and of wrenches from outside, and the texts that state them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from inertial_check.errors import UsageError

WrenchAxes = Literal["body", "world"]
"""Axes of the components of a wrench: those of the body that it acts on, or of the world."""

WrenchOrder = Literal["force-first", "moment-first"]
"""Order of the six numbers of a wrench."""

TwistAxes = Literal["world", "body", "mixed"]
"""Axes of the base's velocity and acceleration; mixed: linear in the world, angular in the body."""

QuaternionOrder = Literal["wxyz", "xyzw"]
"""Order of the four numbers of a quaternion in an array of poses."""

FORCES, MOMENTS = ("fx", "fy", "fz"), ("mx", "my", "mz")
"""Endings of the names of the columns of a wrench."""

EVERY_BODY = "*"
"""Value of --force-plate for a robot of which several bodies, or unknown ones, touch the plate."""


@dataclass(frozen=True, kw_only=True)
class ContactOptions:
    """Wrenches from outside and motion of the base, as a recording states them.

    Attributes:
        contact: Names of bodies, each with the names of its columns: one prefix or array, or three
            or six columns.
        wrench_axes: Axes of the wrenches.
        wrench_order: Order of the six numbers of each wrench.
        reverse_wrench: Bodies whose wrenches are recorded as the robot's on its surroundings.
        force_plate: Name of the body that stands on a force plate; "" for the base, EVERY_BODY for
            any bodies; None without a plate.
        plate_at: Origin of the plate's wrench in the world [m].
        twist_axes: Axes of the velocity and acceleration of the base.
        quaternion_order: Order of the quaternion in an array of poses.
    """

    contact: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrench_axes: WrenchAxes = "body"
    wrench_order: WrenchOrder = "force-first"
    reverse_wrench: tuple[str, ...] = ()
    force_plate: str | None = None
    plate_at: tuple[float, ...] = (0.0, 0.0, 0.0)
    twist_axes: TwistAxes = "world"
    quaternion_order: QuaternionOrder = "wxyz"

    def __post_init__(self) -> None:
        """Refuse a point that is none.

        Raises:
            UsageError: The message names the option.
        """
        if len(self.plate_at) != 3 or not all(map(isfinite, self.plate_at)):
            raise UsageError(f"--plate-at is {self.plate_at}, expected three numbers: X,Y,Z [m]")

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns and arrays that the options ask for."""
        found: list[str] = []
        for _, names in self.contact:
            found += names
            if len(names) == 1:
                found += [f"{names[0]}_{part}" for part in (*FORCES, *MOMENTS)]
        return tuple(found)


def read_contacts(texts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read contacts from texts BODY=PREFIX or BODY=COLUMN,COLUMN,...

    Raises:
        UsageError: A text of another form, or a body that is named twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        body, sign, columns = text.partition("=")
        names = tuple(name.strip() for name in columns.split(","))
        if not (sign and body.strip() and all(names)) or len(names) not in (1, 3, 6):
            raise UsageError(
                f"--contact {text}: expected BODY=PREFIX, or BODY= and three or six columns"
            )
        if body.strip() in found:
            raise UsageError(f"--contact names {body.strip()} twice")
        found[body.strip()] = names
    return tuple(found.items())
