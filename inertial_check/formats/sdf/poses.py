"""Where the frames of an SDF stand in each other: <pose>, and what it is relative to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from inertial_check.formats.numbers import parse_finite
from inertial_check.formats.poses import SAME_FRAME, inverse, product
from inertial_check.formats.rotations import from_quaternion, from_rpy
from inertial_check.formats.sdf.links import is_true, word
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element
from inertial_check.model.body import Pose

WORLD_FRAME = ""
"""The frame of the world."""

_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}


class Stand(NamedTuple):
    """Where an element says that its frame stands.

    Attributes:
        document: The document that holds the element.
        pose: The first <pose> in it; None for the identity.
        base: The frame in which that is; None where it cannot be told.
    """

    document: XmlDocument
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
            return product(inverse(X_AP), X_AB)
        known = dict(self._outward(parent))
        for anchor, X_AB in self._outward(child):
            if anchor in known:
                return product(inverse(known[anchor]), X_AB)
        return None

    def locate(self, name: str, stand: Stand) -> Pose | None:
        """X_BF of a frame F that stands so, in the frame B of this name; None where unclear."""
        X_SF = None if stand.base is None else read_pose(stand)
        if X_SF is None or stand.base is None or stand.base == name:
            return X_SF
        X_BS = self.pose(name, stand.base)
        return None if X_BS is None else product(X_BS, X_SF)

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
                X_AF = product(X_NB, product(X_BA, X_AF))

    def _anchor(self, name: str) -> tuple[str, Pose]:
        """The anchor of a frame, and the frame in it."""
        chain: dict[str, Pose] = {}
        while name not in self._anchored:
            step = None if name in self._models else self._step(name)
            if step is None:
                self._anchored[name] = (name, SAME_FRAME)
            elif name in chain:  # in a circle, where each is known in itself alone
                for each in chain:
                    self._anchored[each] = (each, SAME_FRAME)
                chain.clear()
            else:
                base, chain[name] = step
                name = base
        anchor, X_AF = self._anchored[name]
        for each, X_BF in reversed(chain.items()):
            X_AF = product(X_AF, X_BF)
            self._anchored[each] = anchor, X_AF
        return anchor, X_AF

    def _step(self, name: str) -> tuple[str, Pose] | None:
        """The frame in which a frame is given, and its pose there."""
        if name not in self._steps:
            stand = self._stands[name] if name in self._stands else self._marks.get(name)
            pose = None if stand is None or stand.base is None else read_pose(stand)
            base = None if stand is None else stand.base
            self._steps[name] = None if base is None or pose is None else (base, pose)
        return self._steps[name]


def read_pose(stand: Stand) -> Pose | None:
    """The numbers of a <pose>; None where they are none."""
    pose = stand.pose
    if pose is None:
        return SAME_FRAME
    count = _COUNTS.get(pose.attributes.get("rotation_format", "euler_rpy").strip())
    text = word(stand.document, pose)
    if not text or count is None:
        return None if count is None else SAME_FRAME
    values = parse_finite(text, count)
    if values is None:
        return None
    x, y, z, *axes = values
    if count == 7:
        rotation = from_quaternion(*axes)
    else:
        degrees = is_true(pose.attributes.get("degrees", ""))
        rotation = from_rpy(*(map(math.radians, axes) if degrees else axes))
    return None if rotation is None else Pose((x, y, z), rotation)
