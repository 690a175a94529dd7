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
    moments = np.array([xx, yy, zz])
    for role in ("visual", "collision"):
        shapes = [shape for shape in body.shapes if shape.role == role]
        right = moments_of(shapes[0]) if len(shapes) == 1 else None
        if right is None:
            continue
        if np.max(np.abs(mass * right - moments)) <= APART * size:
            continue
        mistakes, wrong = zip(*_misread(shapes[0], right, mass), strict=True)
        fits = np.max(np.abs(np.array(wrong) - moments), axis=1) <= FORMULA * size
        if np.any(fits):
            return Misreading(shapes[0].kind, mistakes[np.argmax(fits)], mass * right)
    return None


def _misread(shape: Shape, right: Floats, mass: float) -> Iterator[tuple[str, Floats]]:
    """What each mistake makes of the moments of a shape."""
    yield "the mass left out", right
    for order in permutations(range(3)):
        if order != (0, 1, 2):
            yield "the axes exchanged", mass * right[list(order)]
    if shape.kind == "box":
        edges = np.array(shape.dimensions)
        yield "half edges for edges", mass * right / 4
        yield "edges for half edges", mass * right * 4
        for axis in range(3):
            rod = np.full(3, edges[axis] ** 2 / 12)
            rod[axis] = 0.0
            yield "the box taken for a thin rod", mass * rod
    elif shape.kind == "cylinder":
        r, length = np.square(shape.dimensions)
        across = (r + length) / 12
        yield "1/12 in place of 1/4 for the radius", mass * np.array([across, across, r / 2])
        yield (
            "the diameter for the radius",
            mass * (np.array([r + length / 12, r + length / 12, 2 * r])),
        )
        yield "1/4 in place of 1/2 about its axis", mass * np.array([*right[:2], r / 4])
        for rod in (
            np.array([1.0, 1.0, 0.0]),
            np.array([1.0, 0.0, 1.0]),
            np.array([0.0, 1.0, 1.0]),
        ):
            yield "the cylinder taken for a thin rod", mass * rod * length / 12
            yield "the cylinder taken for a thin rod about its end", mass * rod * length / 3
    elif shape.kind == "sphere":
        yield "the diameter for the radius", mass * right * 4
        yield "2/3, the factor of a hollow sphere, in place of 2/5", mass * right * 5 / 3
