"""Place, length and mass of what constraints speak of: the units in which they are well scaled.

A conic solver loses as many digits as a body lies lengths from the origin, and so does the
factorisation of its steps. In a frame at the constraints, in units of their own size, it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import second_moment
from inertial_check.projection._constraint import Constraint
from inertial_check.projection._densities import Density, DensityInUnion
from inertial_check.projection.closed_form import central_inertia
from inertial_check.projection.constraints import (
    ComInBall,
    ComInBox,
    ComInHull,
    FixedCom,
    FixedEntries,
    FixedMass,
    MassBounds,
    TotalMass,
)


class Place(NamedTuple):
    """Units of the bodies of a problem.

    Attributes:
        center: (3,) origin of the frame [m].
        length: Unit of length [m].
        mass: Unit of mass [kg].
    """

    center: Floats
    length: float
    mass: float

    def frame(self) -> tuple[Floats, Floats]:
        """Build L (4, 4) of the body L L^T with these units, and its inverse, without rounding."""
        root = np.sqrt(self.mass)
        L, inverse = root * np.eye(4), np.eye(4) / root
        L[:3, :3] *= self.length
        L[:3, 3] = root * self.center
        inverse[:3, :3] /= self.length
        inverse[:3, 3] = -self.center / (self.length * root)
        return L, inverse


def find_place(constraints: Sequence[tuple[Constraint, Floats]], theta: Floats) -> Place:
    """Find units for bodies (n, 10) under constraints, each with the bodies that it holds for."""
    corners = [points_of(one, own) for one, own in constraints]
    points = np.concatenate([np.zeros((0, 3)), *corners])
    masses = [mass for one, own in constraints for mass in _masses_of(one, own)]
    center, length, mass = _place_of_bodies(theta)
    if len(points):
        low, high = points.min(axis=0), points.max(axis=0)
        center = (low + high) / 2
        size = float(np.max(high - low)) / 2
        length = size if size > 0 else length
    if masses:
        mass = float(np.exp(np.mean(np.log(masses))))
    return Place(center, length, mass)


def points_of(constraint: Constraint, theta: Floats) -> Floats:
    """Find points (k, 3) around what a constraint says of the place of bodies (n, 10) [m]."""
    if isinstance(constraint, Density):
        return np.concatenate([_corners(shape) for shape in _shapes(constraint)])
    if isinstance(constraint, ComInBall):
        arms = constraint.radius * np.eye(3)
        return np.concatenate([constraint.center + arms, constraint.center - arms])
    if isinstance(constraint, ComInBox):
        return np.stack([constraint.lower, constraint.upper])
    if isinstance(constraint, ComInHull):
        return np.asarray(constraint.points)
    if isinstance(constraint, FixedCom):
        heavy = theta[theta[:, 0] != 0]
        given = heavy[:, 1:4] / heavy[:, :1]
        return np.atleast_2d(given if constraint.com is None else np.asarray(constraint.com))
    return np.zeros((0, 3))


def find_fixed_places(
    applied: Iterable[tuple[Constraint, tuple[int, ...]]], theta0: Floats, shifts: Floats
) -> dict[int, Floats]:
    """Find the centres of mass (3,) that constraints fix, by body, in the frame of the problem [m].

    Args:
        applied: The constraints, with the bodies that each holds for.
        theta0: (n, 10) the given bodies, in that frame.
        shifts: (n, 3) p_BoFo_B [m]; constraints are about Bo.
    """
    found: dict[int, Floats] = {}
    for constraint, bodies in applied:
        for i in bodies:
            given = theta0[i, 1:4] / theta0[i, 0] if theta0[i, 0] != 0 else None
            if isinstance(constraint, FixedCom) and constraint.com is not None:
                found[i] = np.asarray(constraint.com, dtype=np.float64) - shifts[i]
            elif isinstance(constraint, FixedCom) and given is not None:
                found[i] = given
            elif isinstance(constraint, FixedEntries):
                values = [constraint.value_of(k, theta0[i]) for k in range(4)]
                known = None not in values and not (shifts[i].any() and not constraint.anywhere)
                if known and values[0]:
                    mass, *h = (float(value) for value in values if value is not None)
                    found[i] = np.array(h) / mass
    return found


def _shapes(density: Density) -> Iterable[Density]:
    if isinstance(density, DensityInUnion):
        for shape in density.shapes:
            yield from _shapes(shape)
    else:
        yield density


def _corners(density: Density) -> Floats:
    """Find points around a shape that is no union (k, 3), from its own frame."""
    frame = density.frame()
    if np.array_equal(frame[3], np.ones(4)):  # the corners of a tetrahedron
        return np.asarray(frame[:3].T)
    axes, center = frame[:3, :3], frame[:3, 3]
    return np.concatenate([center + axes.T, center - axes.T])


def _masses_of(constraint: Constraint, theta: Floats) -> list[float]:
    """Find the positive masses that a constraint names [kg]."""
    named: list[float] = []
    if isinstance(constraint, FixedMass):
        named = [float(theta[0, 0]) if constraint.mass is None else constraint.mass]
    elif isinstance(constraint, MassBounds):
        named = [constraint.lower, constraint.upper]
    elif isinstance(constraint, TotalMass):
        named = [constraint.mass / len(theta)]
    return [mass for mass in named if 0 < mass < np.inf]


def _place_of_bodies(theta: Floats) -> tuple[Floats, float, float]:
    """Find the middle [m], size [m] and mean mass [kg] of bodies (n, 10); one where there is none.

    The numbers need not be those of a body: only their magnitudes count.
    """
    heavy = theta[np.abs(theta[:, 0]) > 0]
    if not len(heavy):
        return np.zeros(3), 1.0, 1.0
    mass = np.abs(heavy[:, 0])
    com = heavy[:, 1:4] / heavy[:, :1]
    with np.errstate(all="ignore"):
        spread = np.abs(eigenvalues(second_moment(central_inertia(heavy, "origin")))).sum(axis=1)
    center = com.mean(axis=0)
    reach = np.sqrt(spread / mass) + np.linalg.norm(com - center, axis=1)
    length = float(np.max(reach))
    if not (0 < length < np.inf):
        length = 1.0
    return center, length, float(np.exp(np.mean(np.log(mass))))
