"""Poses of the frames of an SDF document in each other: <pose> and its attribute relative_to."""

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
"""Name of the world frame."""

_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}
"""Number of numbers in a <pose>, by its rotation_format."""


class Stand(NamedTuple):
    """Stated pose of the frame of an element.

    Attributes:
        document: The document that contains the element.
        pose: The first <pose> in the element; None for the identity.
        base: Name of the frame to which the pose is relative; None if it is unknown.
    """

    document: XmlDocument
    pose: Element | None
    base: str | None


class Frames:
    """Graph of the frames of bodies that joints may connect. Poses are parsed when first used.

    The pose of each frame is stored relative to an anchor: the frame of the model around it, or a
    frame on the way there whose own pose is unknown. So no digits are lost to the place of the
    model in the world.
    """

    def __init__(self) -> None:
        self._stands: dict[str, Stand | None] = {}  # of links and models; None for several
        self._marks: dict[str, Stand] = {}  # of joints and <frame>
        self._models = {WORLD_FRAME}
        self._steps: dict[str, tuple[str, Pose] | None] = {}
        self._anchored: dict[str, tuple[str, Pose]] = {}

    def add_link(self, name: str, stand: Stand) -> None:
        """Add a link; if two links share a name, the poses of both are unknown."""
        self._stands[name] = None if name in self._stands else stand

    def add_model(self, name: str, stand: Stand) -> None:
        """Add a model, whose frame serves as an anchor."""
        self.add_link(name, stand)
        self._models.add(name)

    def add_mark(self, name: str, stand: Stand) -> None:
        """Add a joint or a <frame>, which could share its name with a link before SDF 1.7."""
        self._marks.setdefault(name, stand)

    def pose(self, parent: str, child: str) -> Pose | None:
        """Compute X_PB of a child's frame B in its parent's frame P; None if it is unknown."""
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
        """Compute X_BF of a frame F with this stated pose in a named frame B; None if unknown."""
        X_SF = None if stand.base is None else read_pose(stand)
        if X_SF is None or stand.base is None or stand.base == name:
            return X_SF
        X_BS = self.pose(name, stand.base)
        return None if X_BS is None else product(X_BS, X_SF)

    def _outward(self, name: str) -> Iterator[tuple[str, Pose]]:
        """Follow the anchors of a frame outward, with the pose of the frame in each."""
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
        """Find the anchor of a frame, and the pose of the frame in it."""
        chain: dict[str, Pose] = {}
        while name not in self._anchored:
            step = None if name in self._models else self._step(name)
            if step is None:
                self._anchored[name] = (name, SAME_FRAME)
            elif name in chain:  # a circle: each of its frames is its own anchor
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
        """Return the frame to which a frame is relative, and its pose there."""
        if name not in self._steps:
            stand = self._stands[name] if name in self._stands else self._marks.get(name)
            pose = None if stand is None or stand.base is None else read_pose(stand)
            base = None if stand is None else stand.base
            self._steps[name] = None if base is None or pose is None else (base, pose)
        return self._steps[name]


def read_pose(stand: Stand) -> Pose | None:
    """Parse the numbers of a <pose>; None if it states no pose."""
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
