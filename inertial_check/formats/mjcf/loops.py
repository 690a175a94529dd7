"""Reader of the equalities of an MJCF document that close kinematic loops: connect and weld."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inertial_check.formats.mjcf.tree import MjcfDocument, MjcfElement
from inertial_check.formats.numbers import parse_finite
from inertial_check.formats.rotations import IDENTITY, from_wxyz
from inertial_check.model.body import Pose
from inertial_check.model.joint import ClosedLoop, LoopFrame

_WORLD = "world"

_POINT, _RIGID = (0, 1, 2), (0, 1, 2, 3, 4, 5)
"""Directions that connect and weld hold."""

_AS_PLACED = "0 0 0 0 0 0 0"
"""Relative pose of a weld that states none."""

_TYING = frozenset(("connect", "weld"))
"""Equalities that tie two bodies, or sites of two bodies."""


def read_loops(
    tree: MjcfDocument, find_site: Callable[[str], tuple[str, Pose] | None]
) -> Iterator[ClosedLoop]:
    """Read the active equalities that tie bodies; those of joints are read with the joints.

    Args:
        tree: The document.
        find_site: Function that finds the body of a site and the pose of the site there.
    """
    sections = [node for node in tree.children(tree.root) if node.tag == "equality"]
    tying = [node for each in sections for node in tree.children(each) if node.tag in _TYING]
    for node in tying:
        if (node.get("active") or "").strip() == "false":
            continue
        frame = None
        if node.get("site1"):
            sites = [find_site(node.get(f"site{side}") or "") for side in (1, 2)]
            ends = ["" if site is None else site[0] for site in sites]
            first, second = sites
            if first is not None and second is not None:
                holds = _POINT if node.tag == "connect" else _RIGID
                frame = LoopFrame(first[1], second[1], holds)
        else:
            ends = [node.get("body1") or "", node.get("body2") or _WORLD]
            frame = _read_frame(node)
        yield ClosedLoop(node.get("name") or "", node.tag, (ends[0], ends[1]), frame)


def _read_frame(node: MjcfElement) -> LoopFrame | None:
    """Read where an equality of two bodies ties them; None if its numbers cannot be read."""
    if node.tag == "connect":
        anchor = parse_finite(node.get("anchor") or "", 3)
        return None if anchor is None else LoopFrame((tuple(anchor), IDENTITY), None, _POINT)
    numbers = parse_finite(node.get("relpose") or _AS_PLACED, 7)
    if numbers is None:
        return None
    if not any(numbers[3:]):  # MuJoCo welds the bodies as the document places them
        return LoopFrame(((0.0, 0.0, 0.0), IDENTITY), None, _RIGID)
    turn = from_wxyz(*numbers[3:])
    origin = ((0.0, 0.0, 0.0), IDENTITY)
    return None if turn is None else LoopFrame((tuple(numbers[:3]), turn), origin, _RIGID)
