"""Where the frames of an SDF stand in each other: <pose>, and what it is relative to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from inertial_check.formats._markup import Element
from inertial_check.formats._numbers import parse_number
from inertial_check.formats._rotations import (
    IDENTITY,
    composed,
    from_quaternion,
    from_rpy,
    rotated,
)
from inertial_check.formats._sdf_links import first_text, is_true
from inertial_check.formats._xml import Document
from inertial_check.model.body import Pose

WORLD_FRAME = ""
"""The frame of the world."""

_SAME_FRAME = Pose((0.0, 0.0, 0.0), IDENTITY)
_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}


class Stand(NamedTuple):
    """Where an element says that its frame stands.

    Attributes:
        document: The document that holds the element.
        pose: The first <pose> in it; None for the identity.
        base: The frame in which that is; None where it cannot be told.
    """

    document: Document
    pose: Element | None
    base: str | None


class Frames:
    """The frames of bodies that joints may tie to each other. Poses are parsed when asked for.

    Each frame is known in an anchor: the frame of the model around it, or one on the way there
    whose own place cannot be told. So no digits go into where the model stands in the world.
    """

    def __init__(self) -> None:
        self._stands: dict[str, Stand | None] = {}  # of links and models; None for several
        self._marks: dict[str, Stand] = {}  # of joints and <frame>
        self._models = {WORLD_FRAME}
        self._steps: dict[str, tuple[str, Pose] | None] = {}
        self._anchored: dict[str, tuple[str, Pose]] = {}

    def add_link(self, name: str, stand: Stand) -> None:
        """Add a link; where two have one name, neither place is known."""
        self._stands[name] = None if name in self._stands else stand

    def add_model(self, name: str, stand: Stand) -> None:
        """Add a model, in whose frame others stand."""
        self.add_link(name, stand)
        self._models.add(name)

    def add_mark(self, name: str, stand: Stand) -> None:
        """Add a joint or a <frame>; before SDF 1.7 it could have the name of a link."""
        self._marks.setdefault(name, stand)

    def pose(self, parent: str, child: str) -> Pose | None:
        """X_PB of the frame B of a child in the frame P of its parent; None where it is unclear."""
        anchor, X_AP = self._anchor(parent)
        other, X_AB = self._anchor(child)
        if anchor == other:
            return _product(_inverse(X_AP), X_AB)
        known = dict(self._outward(parent))
        for anchor, X_AB in self._outward(child):
            if anchor in known:
                return _product(_inverse(known[anchor]), X_AB)
        return None

    def _outward(self, name: str) -> Iterator[tuple[str, Pose]]:
        """The anchor of a frame, that of the anchor, and so on; the frame in each."""
        seen: set[str] = set()
        anchor, X_AF = self._anchor(name)
        while anchor not in seen:
            seen.add(anchor)
            yield anchor, X_AF
            step = self._step(anchor)
            if step is not None:
                base, X_BA = step
                anchor, X_NB = self._anchor(base)
                X_AF = _product(X_NB, _product(X_BA, X_AF))

    def _anchor(self, name: str) -> tuple[str, Pose]:
        """The anchor of a frame, and the frame in it."""
        chain: dict[str, Pose] = {}
        while name not in self._anchored:
            step = None if name in self._models else self._step(name)
            if step is None:
                self._anchored[name] = (name, _SAME_FRAME)
            elif name in chain:  # in a circle, where each is known in itself alone
                for each in chain:
                    self._anchored[each] = (each, _SAME_FRAME)
                chain.clear()
            else:
                base, chain[name] = step
                name = base
        anchor, X_AF = self._anchored[name]
        for each, X_BF in reversed(chain.items()):
            X_AF = _product(X_AF, X_BF)
            self._anchored[each] = anchor, X_AF
        return anchor, X_AF

    def _step(self, name: str) -> tuple[str, Pose] | None:
        """The frame in which a frame is given, and its pose there."""
        if name not in self._steps:
            stand = self._stands[name] if name in self._stands else self._marks.get(name)
            pose = None if stand is None or stand.base is None else _read(stand)
            base = None if stand is None else stand.base
            self._steps[name] = None if base is None or pose is None else (base, pose)
        return self._steps[name]


def _read(stand: Stand) -> Pose | None:
    """The numbers of a <pose>; None where they are none."""
    pose = stand.pose
    if pose is None:
        return _SAME_FRAME
    count = _COUNTS.get(pose.attributes.get("rotation_format", "euler_rpy").strip())
    text = first_text(stand.document, pose)
    if text is None or count is None:
        return None if count is None else _SAME_FRAME
    values = [parse_number(piece)[0] for piece, _, _ in islice(text.pieces(), count + 1)]
    if len(values) != count or not all(map(math.isfinite, values)):
        return None
    x, y, z, *axes = values
    if count == 7:
        rotation = from_quaternion(*axes)
    else:
        degrees = is_true(pose.attributes.get("degrees", ""))
        rotation = from_rpy(*(map(math.radians, axes) if degrees else axes))
    return None if rotation is None else Pose((x, y, z), rotation)


def _product(X_AB: Pose, X_BC: Pose) -> Pose:
    """X_AC."""
    x, y, z = rotated(X_AB.R_PB, X_BC.p_PoBo_P)
    a, b, c = X_AB.p_PoBo_P
    return Pose((a + x, b + y, c + z), composed(X_AB.R_PB, X_BC.R_PB))


def _inverse(X_AB: Pose) -> Pose:
    """X_BA."""
    R_BA = tuple(zip(*X_AB.R_PB, strict=True))
    x, y, z = rotated(R_BA, X_AB.p_PoBo_P)
    return Pose((-x, -y, -z), R_BA)
