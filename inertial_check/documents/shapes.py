"""Numbers of shapes, for the readers of all formats; a shape that cannot be used says why.

Nothing here is a problem of the document, since no inertia depends on a shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from inertial_check.documents.model import Pose, Role, Shape
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.poses import UNKNOWN, is_finite
from inertial_check.documents.source import Span

Forms = Mapping[str, tuple[tuple[str, int], ...]]
"""Names of the dimensions of each kind of shape, and how many numbers each holds."""

COMMON_FORMS: Forms = {
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
}
"""Shapes that URDF and SDF state by the same names."""


class Unusable(Exception):
    """Reason why a shape cannot be used, and what to do about it."""


def check_usable(shape: Shape) -> Shape:
    """Return the shape if all its numbers are finite.

    Raises:
        Unusable: A number is beyond the range of float64.
    """
    X_BG = Pose(shape.p_BoGo_B, shape.R_BG)
    if not is_finite(X_BG) or not all(map(math.isfinite, shape.dimensions)):
        raise Unusable("its numbers come to more than float64 holds")
    return shape


def unusable_shape(kind: str, role: Role, span: Span, why: object) -> Shape:
    """Make a shape without numbers that says why it cannot be used."""
    return Shape(kind, role, (), (math.nan,) * 3, UNKNOWN, span, note=str(why))


def parse_numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """Parse finite numbers separated by space.

    Args:
        text: The text of the document.
        count: Expected number of numbers.
        what: Name of the quantity, for the reason.

    Raises:
        Unusable: There are fewer or more numbers, or one of them is not finite.
    """
    words = text.split()
    if len(words) != count:
        expected = "a number" if count == 1 else f"{count} numbers"
        raise Unusable(f"{what} is {quote(text)}: expected {expected}")
    return tuple(_finite(word, what) for word in words)


def _finite(word: str, what: str) -> float:
    value, complaint = parse_number(word)
    if complaint or not math.isfinite(value):
        raise Unusable(f"{what}: {complaint or f'{quote(word)} is not finite'}")
    return value


def parse_factors(text: str, what: str) -> tuple[float, float, float]:
    """Parse the three factors on the coordinates of a mesh.

    Raises:
        Unusable: As for parse_numbers, or a factor is 0.
    """
    x, y, z = parse_numbers(text, 3, what)
    if 0.0 in (x, y, z):
        raise Unusable(f"{what} is 0: it leaves no volume")
    return x, y, z


def read_dimensions(
    kind: str, forms: Forms, format: str, find_text: Callable[[str], str | None], where: str
) -> tuple[float, ...]:
    """Read the dimensions of a shape [m].

    Args:
        kind: Name of the shape in the document.
        forms: Shapes of the format.
        format: Name of the format, for the reason.
        find_text: Function that finds the text of a dimension by its name; None if it is absent.
        where: Form in which the reason names a dimension, such as "<{}>".

    Raises:
        Unusable: The format has no such shape, or a dimension is absent or no length.
    """
    if kind not in forms:
        raise Unusable(f"<{kind}> is no shape of {format}: expected {', '.join(forms)}")
    found: tuple[float, ...] = ()
    for name, count in forms[kind]:
        text = find_text(name)
        if text is None:
            raise Unusable(f"<{kind}> has no {name}")
        # Parse lengths [m], which must not be negative.
        what = f"{where.format(name)} of <{kind}>"
        values = parse_numbers(text, count, what)
        if min(values) < 0:
            raise Unusable(f"{what} is {min(values)!r}: lengths are positive")
        found += values
    return found
