"""What a <joint> of SDF says of its axis: <limit>, <dynamics>, <mimic>.

What cannot be read is NaN, and no problem of the document: no number of an inertia depends on it.
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
"""What stood for no limit of position before SDF 1.9, where it is an infinity."""


def read_joint(
    document: XmlDocument, element: Element, kind: str, scoped: Callable[[str], str], one_axis: bool
) -> Joint:
    """Read one joint.

    Args:
        document: In which it stands.
        element: The joint.
        kind: Its type.
        scoped: A name as it is seen from outside all models.
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
        """A limit of position; what stands for no limit is an infinity."""
        value = self.number("limit", tag)
        far = value is not None and abs(value) >= _UNLIMITED
        return math.copysign(math.inf, value) if value is not None and far else value

    def size(self, tag: str) -> float | None:
        """A limit of speed or force, where a negative number stands for none."""
        value = self.number("limit", tag)
        return math.inf if value is not None and value < 0 else value

    def number(self, within: str, tag: str) -> float | None:
        """The number of an element inside one of the axis."""
        around = self._axis.first(within)
        element = None if around is None else around.first(tag)
        return parse_optional(word(self._document, element)) if element is not None else None

    def mimic(self, scoped: Callable[[str], str]) -> Mimic | None:
        """What the axis follows: multiplier (q - reference) + offset; libsdformat's defaults."""
        element = self._axis.first("mimic")
        if element is None:
            return None
        texts = [word(self._document, element.first(t)) for t in ("multiplier", "offset")]
        multiplier, offset = (parse_number(text)[0] if text else 0.0 for text in texts)
        text = word(self._document, element.first("reference"))
        reference = parse_number(text)[0] if text else 0.0
        name = scoped(element.attributes.get("joint", ""))
        return Mimic(name, multiplier, offset - multiplier * reference)
