"""Reader of the axis of an SDF <joint>: <limit>, <dynamics> and <mimic>.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from inertial_check.formats.numbers import parse_number, parse_optional
from inertial_check.formats.sdf.links import word
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element
from inertial_check.model.joint import Joint, Mimic

_WITHOUT_LIMITS = "continuous"
_UNLIMITED = 1e16
"""Limit of position [rad] or [m] from which on there is none; SDF wrote 1e16 before version 1.9."""


def read_joint(
    document: XmlDocument, element: Element, kind: str, scoped: Callable[[str], str], one_axis: bool
) -> Joint:
    """Read one joint.

    Args:
        document: The document that contains the joint.
        element: The joint.
        kind: Type of the joint.
        scoped: Function that makes the name of a joint unique among all models.
        one_axis: Whether joints of this type move about or along <axis> alone.
    """
    name = scoped(element.attributes.get("name", ""))
    axis = element.first("axis")
    if axis is None or not one_axis:
        return Joint(name, kind)
    reader = _AxisReader(document, axis)
    lower, upper = reader.position("lower"), reader.position("upper")
    if kind == _WITHOUT_LIMITS:
        lower, upper = -math.inf, math.inf
    return Joint(
        name,
        kind,
        lower,
        upper,
        velocity=reader.size("velocity"),
        effort=reader.size("effort"),
        damping=reader.number("dynamics", "damping"),
        friction=reader.number("dynamics", "friction"),
        mimic=reader.mimic(scoped),
    )


class _AxisReader:
    """Reads the numbers of one <axis>."""

    def __init__(self, document: XmlDocument, axis: Element) -> None:
        self._document = document
        self._axis = axis

    def position(self, tag: str) -> float | None:
        """Read a limit of position; infinite if the document states that there is none."""
        value = self.number("limit", tag)
        far = value is not None and abs(value) >= _UNLIMITED
        return math.copysign(math.inf, value) if value is not None and far else value

    def size(self, tag: str) -> float | None:
        """Read a limit of speed or force; a negative number means that there is none."""
        value = self.number("limit", tag)
        return math.inf if value is not None and value < 0 else value

    def number(self, within: str, tag: str) -> float | None:
        """Read the number of an element inside an element of the axis."""
        around = self._axis.first(within)
        element = None if around is None else around.first(tag)
        return parse_optional(word(self._document, element)) if element is not None else None

    def mimic(self, scoped: Callable[[str], str]) -> Mimic | None:
        """Read <mimic>: multiplier (q - reference) + offset, with libsdformat's defaults."""
        element = self._axis.first("mimic")
        if element is None:
            return None
        tags = ("multiplier", "offset", "reference")
        texts = (word(self._document, element.first(tag)) for tag in tags)
        multiplier, offset, reference = (parse_number(text)[0] if text else 0.0 for text in texts)
        name = scoped(element.attributes.get("joint", ""))
        return Mimic(name, multiplier, offset - multiplier * reference)
