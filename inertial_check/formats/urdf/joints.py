"""Reader of the <limit>, <dynamics> and <mimic> of a URDF <joint>.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from inertial_check.formats.numbers import parse_number, parse_optional
from inertial_check.formats.xml.markup import Element
from inertial_check.model.joint import Joint, Mimic

_ONE_AXIS = frozenset(("revolute", "continuous", "prismatic"))
_WITHOUT_LIMITS = "continuous"


def read_joint(element: Element, kind: str) -> Joint:
    """Read one joint.

    Args:
        element: The joint.
        kind: Type of the joint.
    """
    name = element.attributes.get("name", "")
    if kind not in _ONE_AXIS:
        return Joint(name, kind)
    limit, dynamics = _attributes(element, "limit"), _attributes(element, "dynamics")
    lower, upper = parse_optional(limit.get("lower")), parse_optional(limit.get("upper"))
    if kind == _WITHOUT_LIMITS:
        lower, upper = -math.inf, math.inf
    return Joint(
        name,
        kind,
        lower,
        upper,
        velocity=parse_optional(limit.get("velocity")),
        acceleration=parse_optional(limit.get("acceleration")),  # since URDF 1.2
        effort=parse_optional(limit.get("effort")),
        damping=parse_optional(dynamics.get("damping")),
        friction=parse_optional(dynamics.get("friction")),
        mimic=_mimic(element.first("mimic")),
    )


def _attributes(joint: Element, tag: str) -> Mapping[str, str]:
    element = joint.first(tag)
    return {} if element is None else element.attributes


def _mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    written = element.attributes
    multiplier, _ = parse_number(written.get("multiplier", "1").strip())
    offset, _ = parse_number(written.get("offset", "0").strip())
    return Mimic(written.get("joint", ""), multiplier, offset)
