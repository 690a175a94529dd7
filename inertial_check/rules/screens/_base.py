"""What a comparison says of a body, and the helpers that several comparisons share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.rules.screens import _limits

Flags = npt.NDArray[np.bool_]
Where = Literal["mass", "center", "tensor", "inertial"]


class Doubt(NamedTuple):
    """What is suspicious about a body.

    Attributes:
        code: Of the rule that says it.
        where: Which of the written numbers it is about.
        message: One line.
        values: The numbers behind it.
    """

    code: str
    where: Where
    message: str
    values: dict[str, object]


Doubts = Iterator[tuple[int, Doubt]]
Found = Mapping[int, Doubt]


def find_frames(examination: Examination) -> Flags:
    """(N,) bodies that nothing moves, with next to no mass: frames with numbers."""
    assembly, bodies = examination.assembly, examination.model.bodies
    held = np.array([body.joint is not None and not body.moved for body in bodies], dtype=bool)
    with np.errstate(invalid="ignore"):
        long = assembly.box[:, 2] > assembly.scale
        light: Flags = assembly.mass < _limits.FRAME_SHARE * assembly.total_mass
    return held & light & ~long


def find_mildest(rows: Flags, measure: Floats) -> int:
    """Of the flagged rows the one with the least measure."""
    return int(np.argmin(np.where(rows, measure, np.inf)))
