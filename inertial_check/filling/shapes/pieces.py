"""Pieces of bodies: the parts of their shapes that can hold mass, cut into cells.

A cell has a volume and, for a density of one, ten inertial parameters about the origin of its body.
Every non-negative density of the cells is a body that fits inside its shapes, and a uniform one has
the exact volume and moments of the shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.filling.shapes.enclosures import Enclosure
from inertial_check.model import Body, Role

ROLES: tuple[Role, ...] = ("visual", "collision")
"""Roles of shapes, best first: what is drawn is the part, what collides is often a box around."""

SKIPPED = "skipped: "
"""Beginning of the remark on a shape that could not be used."""


class Piece(NamedTuple):
    """One shape of a body, cut into cells.

    Attributes:
        label: Role and kind, for messages.
        reading: What the shape was taken for: "solid", "flipped", "hull", "shell" or "joints".
        volumes: (n,) volumes of the cells [m^3].
        moments: (n, 10) inertial parameters of the cells with density 1, about the origin of the
            body in its axes, in the order "urdf".
        points: (n, 3) centres of the cells in the body [m].
        enclosure: The inside of the shape, by which others are told that overlap it; None of a
            piece that has none.
        cut: Whether cells were taken away that lie inside another shape.
    """

    label: str
    reading: str
    volumes: Floats
    moments: Floats
    points: Floats
    enclosure: Enclosure | None = None
    cut: bool = False

    @property
    def volume(self) -> float:
        """Volume of all cells [m^3]."""
        return float(self.volumes.sum())


@dataclass(frozen=True, eq=False)
class BodyPieces:
    """Pieces of one body.

    Attributes:
        body: The body.
        pieces: Its pieces; none where no shape could be used.
        role: The role of the shapes; None where none could be used.
        remarks: One line for each shape that was skipped or not taken for the solid inside it.
        guess: Whether the pieces are a guess from the joints of the body.
        shared: Names of bodies to which cells of this one were left that lie inside both.
        like: Name of the measured twin as whose matter that of this body is distributed; "" where
            it is uniform.
    """

    body: Body
    pieces: tuple[Piece, ...]
    role: Role | None = None
    remarks: tuple[str, ...] = ()
    guess: bool = False
    shared: tuple[str, ...] = ()
    like: str = ""

    @property
    def volume(self) -> float:
        """Volume of all pieces [m^3]."""
        return sum(piece.volume for piece in self.pieces)

    @property
    def skipped(self) -> bool:
        """Whether a shape of the role could not be used."""
        return any(SKIPPED in remark for remark in self.remarks)

    @property
    def unit(self) -> Floats:
        """(10,) inertial parameters of the pieces with density 1, about the body's origin."""
        total: Floats = np.sum([piece.moments.sum(axis=0) for piece in self.pieces], axis=0)
        return total
