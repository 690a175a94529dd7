"""Reader of the <joint> elements of MJCF bodies: ranges, friction, rotors, and equalities.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

from inertial_check.formats.mjcf.constants import ONE_AXIS
from inertial_check.formats.mjcf.settings import Compiler, Defaults
from inertial_check.formats.mjcf.tree import MjcfDocument, MjcfElement
from inertial_check.formats.numbers import parse_finite, parse_number, parse_optional
from inertial_check.model.joint import Joint, Mimic

_STRAIGHT = (0.0, 1.0, 0.0, 0.0, 0.0)
"""Default coefficients of the polynomial of an equality of joints: the second joint's position."""

_UNREADABLE = (math.nan, math.nan)


class JointReader:
    """Reads the joints of one document's bodies."""

    def __init__(self, tree: MjcfDocument, compiler: Compiler, defaults: Defaults) -> None:
        self._tree = tree
        self._compiler = compiler
        self._defaults = defaults

    def joint(self, node: MjcfElement, default: str) -> Joint:
        """Read one joint.

        Args:
            node: The element, <joint> or <freejoint>.
            default: Default class of elements that name none.
        """
        name = node.get("name") or ""
        if node.tag == "freejoint":
            return Joint(name, "free")
        attributes = self._defaults.of(node, default)
        kind = attributes.get("type", "hinge")
        if kind not in ONE_AXIS:
            return Joint(name, kind)
        lower, upper = self._positions(attributes, kind)
        return Joint(
            name,
            kind,
            lower,
            upper,
            effort=_effort(attributes),
            damping=_damping(attributes),
            friction=_number(attributes, "frictionloss"),
            armature=_number(attributes, "armature"),
            mimic=self._mimics.get(name) if name else None,
        )

    def _positions(
        self, attributes: Mapping[str, str], kind: str
    ) -> tuple[float | None, float | None]:
        """Read the range of positions, relative to the joint's ref, at which the body is placed."""
        limits = _range(attributes, "range", "limited")
        if limits is None:
            return None, None
        ref = _number(attributes, "ref") or 0.0
        turned = self._compiler.radians if kind == "hinge" else float
        lower, upper = (turned(limit) - turned(ref) for limit in limits)
        return lower, upper

    @cached_property
    def _mimics(self) -> Mapping[str, Mimic]:
        """Joints that follow others by an active equality, by their names."""
        found: dict[str, Mimic] = {}
        for section in self._tree.children(self._tree.root):
            for node in self._tree.children(section) if section.tag == "equality" else ():
                name = node.get("joint1")
                if node.tag == "joint" and name and node.get("active") != "false":
                    found.setdefault(name, _mimic(node))
        return found


def _mimic(equality: MjcfElement) -> Mimic:
    """Read an equality of joints; the numbers are NaN unless its polynomial is a straight line."""
    other = equality.get("joint2") or ""
    written = (equality.get("polycoef") or "").split()
    terms = [parse_number(word)[0] for word in written] + list(_STRAIGHT[len(written) :])
    offset, multiplier, *bent = terms
    if any(bent) and other:
        known = tuple(terms) if all(map(math.isfinite, terms)) else ()
        return Mimic(other, math.nan, math.nan, known)
    return Mimic(other, multiplier if other else 0.0, offset)


def _range(attributes: Mapping[str, str], name: str, switch: str) -> tuple[float, float] | None:
    """Read a range; None if there is none, for which MuJoCo also writes 0 0."""
    limited = attributes.get(switch, "auto").strip()
    if limited == "false":
        return -math.inf, math.inf
    if not (text := attributes.get(name, "").strip()):
        return None
    words = text.split()
    first, last = (parse_number(word)[0] for word in words) if len(words) == 2 else _UNREADABLE
    return None if limited != "true" and first == last == 0.0 else (first, last)


def _effort(attributes: Mapping[str, str]) -> float | None:
    """Read the larger of the forces that actuators may exert in both directions."""
    forces = _range(attributes, "actuatorfrcrange", "actuatorfrclimited")
    return None if forces is None else max(map(abs, forces))


def _number(attributes: Mapping[str, str], name: str) -> float | None:
    return parse_optional(attributes.get(name, "").strip() or None)


def _damping(attributes: Mapping[str, str]) -> float | None:
    """Read the linear damping; None if MuJoCo derives it from a time constant and the inertia."""
    spring = parse_finite(attributes.get("springdamper", ""), 2)
    if spring is not None and min(spring) > 0:
        return None
    words = attributes.get("damping", "").split()  # terms in higher powers of the speed may follow
    return parse_optional(words[0]) if words else None
