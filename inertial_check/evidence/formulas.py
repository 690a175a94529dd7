"""Textbook moments of primitives, and what comes out when the formula is misread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.model.body import Body
from inertial_check.model.shape import Shape

FORMULA = 2e-3
"""Relative deviation up to which moments are those of a formula: three printed digits."""

APART = 0.05
"""Relative deviation of the right moments from which a misreading shows at all."""


class Misreading(NamedTuple):
    """A formula that was misread.

    Attributes:
        kind: Of the shape.
        mistake: In words, as the end of "the formula with ...".
        moments: (3,) that the right one gives about x, y and z of the shape [kg m^2].
    """

    kind: str
    mistake: str
    moments: Floats


def moments_of(shape: Shape) -> Floats | None:
    """(3,) moments of the full solid about the axes of the shape, per kilogram [m^2].

    None for meshes, and for what has no textbook formula.
    """
    sizes = shape.dimensions
    if shape.note is not None or not sizes or min(sizes) <= 0:
        return None
    if shape.kind == "box":
        x, y, z = np.square(sizes)
        return np.array([y + z, x + z, x + y]) / 12
    if shape.kind == "cylinder":
        r, length = np.square(sizes)
        across = r / 4 + length / 12
        return np.array([across, across, r / 2])
    if shape.kind == "sphere":
        return np.full(3, 0.4 * sizes[0] ** 2)
    return None


def misread_formula(body: Body, mass: float, six: Sequence[float] | Floats) -> Misreading | None:
    """The misreading of a formula that gives exactly the written tensor.

    Args:
        body: Whose shapes are looked at: roles with one primitive.
        mass: [kg].
        six: (6,) the tensor in the inertial's own axes [kg m^2].

    Returns:
        None where no role has one primitive, its right formula gives the tensor, or no known
        misreading does.
    """
    xx, xy, xz, yy, yz, zz = (float(each) for each in six)
    size = max(abs(xx), abs(xy), abs(xz), abs(yy), abs(yz), abs(zz))
    if max(abs(xy), abs(xz), abs(yz)) > FORMULA * size:
        return None
    moments = (xx, yy, zz)
    for role in ("visual", "collision"):
        shapes = [shape for shape in body.shapes if shape.role == role]
        solid = moments_of(shapes[0]) if len(shapes) == 1 else None
        if solid is None:
            continue
        right = solid.tolist()
        if _agree([mass * each for each in right], moments, APART * size):
            continue
        for mistake, wrong in _misread(shapes[0], right, mass):
            if _agree(wrong, moments, FORMULA * size):
                return Misreading(shapes[0].kind, mistake, mass * solid)
    return None


def _agree(moments: Sequence[float], others: Sequence[float], allowed: float) -> bool:
    """Whether moments differ from others by no more than this; never if one is NaN."""
    a, b, c = moments
    x, y, z = others
    return abs(a - x) <= allowed and abs(b - y) <= allowed and abs(c - z) <= allowed


def _misread(
    shape: Shape, right: Sequence[float], mass: float
) -> Iterator[tuple[str, Sequence[float]]]:
    """Moments that each mistake makes of those of a shape: floats, as three need no array."""
    yield "the mass left out", right
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            yield "the axes exchanged", [mass * right[axis] for axis in order]
    if shape.kind == "box":
        yield "half edges for edges", [mass * each / 4 for each in right]
        yield "edges for half edges", [mass * each * 4 for each in right]
        for axis, edge in enumerate(shape.dimensions):
            rod = [mass * (edge * edge / 12)] * 3
            rod[axis] = 0.0
            yield "the box taken for a thin rod", rod
    elif shape.kind == "cylinder":
        r, length = (each * each for each in shape.dimensions)
        across = mass * ((r + length) / 12)
        yield "1/12 in place of 1/4 for the radius", [across, across, mass * (r / 2)]
        across = mass * (r + length / 12)
        yield "the diameter for the radius", [across, across, mass * (2 * r)]
        about_axis = [mass * right[0], mass * right[1], mass * (r / 4)]
        yield "1/4 in place of 1/2 about its axis", about_axis
        for along in (2, 1, 0):
            rod = [mass * length] * 3
            rod[along] = 0.0
            yield "the cylinder taken for a thin rod", [each / 12 for each in rod]
            yield "the cylinder taken for a thin rod about its end", [each / 3 for each in rod]
    elif shape.kind == "sphere":
        yield "the diameter for the radius", [mass * each * 4 for each in right]
        hollow = "2/3, the factor of a hollow sphere, in place of 2/5"
        yield hollow, [mass * each * 5 / 3 for each in right]
