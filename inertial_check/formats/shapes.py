"""What the readers of shapes share: numbers that a shape can have, and shapes that say why not.

Nothing here is a problem of a document: no number of an inertia depends on it.
"""

from __future__ import annotations

import math

from inertial_check.formats.numbers import parse_number, quote
from inertial_check.formats.poses import is_finite
from inertial_check.model.body import Pose
from inertial_check.model.shape import Role, Shape
from inertial_check.model.source import Span


class Unusable(Exception):
    """Why a shape cannot be used, with the way out."""


def check_usable(shape: Shape) -> Shape:
    """The shape, if its numbers mean what they say.

    Raises:
        Unusable: What they come to is beyond float64.
    """
    X_BG = Pose(shape.p_BoGo_B, shape.R_BG)
    if not is_finite(X_BG) or not all(map(math.isfinite, shape.dimensions)):
        raise Unusable("its numbers come to more than float64 holds")
    return shape


def unusable_shape(kind: str, role: Role, span: Span, why: object) -> Shape:
    """A shape that only says why it cannot be used."""
    return Shape(kind, role, (), (math.nan,) * 3, ((math.nan,) * 3,) * 3, span, note=str(why))


def parse_numbers(text: str, count: int, what: str) -> tuple[float, ...]:
    """The numbers of a text, parted by space.

    Args:
        text: As written.
        count: How many there must be.
        what: What they are, for the reason.

    Raises:
        Unusable: There are fewer or more, or one is no finite number.
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


def parse_lengths(text: str, count: int, what: str) -> tuple[float, ...]:
    """The same of numbers that are not negative [m].

    Raises:
        Unusable: As finite_numbers, or one is negative.
    """
    values = parse_numbers(text, count, what)
    if min(values) < 0:
        raise Unusable(f"{what} is {min(values)!r}: lengths are positive")
    return values


def parse_factors(text: str, what: str) -> tuple[float, float, float]:
    """Factors on the coordinates of a mesh.

    Raises:
        Unusable: They are no three numbers, or one is 0.
    """
    x, y, z = parse_numbers(text, 3, what)
    if 0.0 in (x, y, z):
        raise Unusable(f"{what} is 0: it leaves no volume")
    return x, y, z
