"""Bodies of real models as places for defects: numbers, shapes, and the body on the other side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from itertools import product

import numpy as np

from inertial_check.documents.model import ENTRIES, Body, Model, Number, Shape
from inertial_check.documents.resources import resolve
from planting.decimals import AXES

Array = np.ndarray
Texts = dict[str, str]

TWIN = 0.02
"""Relative difference up to which a left body is the mirror image of the right one."""
ROWS, COLUMNS = np.triu_indices(3)
OSMIUM = 22_600
"""The densest metal [kg/m^3]."""


def tensor(six: Sequence[float]) -> Array:
    """The symmetric matrix of six entries in the order of ENTRIES."""
    matrix = np.zeros((3, 3))
    matrix[ROWS, COLUMNS] = matrix[COLUMNS, ROWS] = six
    return matrix


def shifted(mass: float, offset: Array) -> Array:
    """The parallel-axis term m (|c|^2 1 - c c^T)."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def has_ten_numbers(body: Body) -> bool:
    """Whether the document, or its format, gives mass, centre of mass and all six entries."""
    inertial = body.inertial
    if inertial is None or inertial.mass is None or set(inertial.I_BBcm_Bi) < set(ENTRIES):
        return False
    numbers = (inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values())
    return body.inertia_from == "file" and all(np.isfinite(number.value) for number in numbers)


@dataclass(frozen=True)
class Site:
    """A sound body of a model: where a defect can be planted.

    Attributes:
        file: The model's path below the corpus.
        model: As read.
        index: Which of its bodies.
        sound: The indices of all sound bodies of the model.
    """

    file: str
    model: Model = field(repr=False)
    index: int
    sound: frozenset[int] = field(default=frozenset(), repr=False)

    @property
    def upstream(self) -> str:
        """The collection that it comes from."""
        return self.file.split("/")[0]

    @property
    def body(self) -> Body:
        """As written."""
        return self.model.bodies[self.index]

    def at(self, index: int) -> Site:
        """Another body of the same model."""
        return Site(self.file, self.model, index, self.sound)

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """mass, x, y, z, ixx ... izz."""
        inertial = self.body.inertial
        if inertial is None or inertial.mass is None:
            raise ValueError(f"{self.body.name} of {self.file} has no ten numbers")
        return {
            "mass": inertial.mass,
            **dict(zip(AXES, inertial.p_BoBcm_B, strict=True)),
            **inertial.I_BBcm_Bi,
        }

    @property
    def known_numbers(self) -> tuple[Number, ...]:
        """Those of the ten that the document gives: of any body, sound or not."""
        inertial = self.body.inertial
        if inertial is None:
            return ()
        mass = () if inertial.mass is None else (inertial.mass,)
        return (*mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values())

    @cached_property
    def texts(self) -> Texts:
        """The ten numbers as written."""
        return {name: number.text for name, number in self.numbers.items()}

    @property
    def mass(self) -> float:
        """[kg]."""
        return self.numbers["mass"].value

    @cached_property
    def R_BBi(self) -> Array:
        """(3, 3) from the inertial's own axes to the body frame."""
        return np.array(self.body.inertial.R_BBi)

    @cached_property
    def p_BoBcm_B(self) -> Array:
        """(3,) [m]."""
        return np.array([self.numbers[axis].value for axis in AXES])

    @cached_property
    def p_BoBcm_Bi(self) -> Array:
        """(3,) the same in the inertial's own axes [m]."""
        return self.R_BBi.T @ self.p_BoBcm_B

    @cached_property
    def I_BBcm_Bi(self) -> Array:
        """(3, 3) as written [kg m^2]."""
        return tensor([self.numbers[entry].value for entry in ENTRIES])

    @cached_property
    def I_BBcm_B(self) -> Array:
        """(3, 3) in the body frame [kg m^2]."""
        return self.R_BBi @ self.I_BBcm_Bi @ self.R_BBi.T

    @cached_property
    def digits(self) -> int:
        """Significant digits for numbers computed anew: at least six, more where the file has."""
        longest = (len(Decimal(self.texts[e]).as_tuple().digits) for e in ENTRIES)
        return min(max(6, *longest), 17)

    def write(self, matrix: Array) -> Texts:
        """Six texts of a tensor in the inertial's own axes; zeros stay as they are written."""
        texts = {}
        scale = np.abs(matrix).max()
        for entry, value in zip(ENTRIES, matrix[ROWS, COLUMNS], strict=True):
            rounded = 0.0 if abs(value) < 1e-15 * scale else value
            same = rounded == self.numbers[entry].value
            texts[entry] = self.texts[entry] if same else f"{rounded:.{self.digits}g}"
        return texts

    @cached_property
    def usable_shapes(self) -> tuple[Shape, ...]:
        """Shapes that enclose a volume, and whose mesh, if they are one, is there."""
        return tuple(shape for shape in self.body.shapes if self._is_usable(shape))

    def _is_usable(self, shape: Shape) -> bool:
        if shape.note is not None:
            return False
        if shape.kind == "mesh":
            return resolve(shape.uri or "", self.model.source.path).path is not None
        return bool(shape.dimensions) and min(shape.dimensions) > 0

    @cached_property
    def bounds(self) -> tuple[Array, Array] | None:
        """Least and greatest coordinates of the usable shapes in the body frame [m]."""
        corners = [self._corners(shape) for shape in self.usable_shapes]
        known = [points for points in corners if points is not None]
        if not known:
            return None
        points = np.concatenate(known)
        return points.min(axis=0), points.max(axis=0)

    def _corners(self, shape: Shape) -> Array | None:
        if shape.kind == "mesh":
            path = resolve(shape.uri or "", self.model.source.path).path
            box = None if path is None else mesh_bounds(path)
            if box is None:
                return None
            ends = box * shape.scale
        else:
            half = half_extents(shape)
            if half is None:
                return None
            ends = np.array([-half, half])
        corners = np.array(
            [[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in product((0, 1), repeat=3)]
        )
        return corners @ np.array(shape.R_BG).T + shape.p_BoGo_B

    @cached_property
    def refutation(self) -> str | None:
        """Why no body of this mass and inertia lies within its shapes; None where one could.

        A proof, as far as the shapes are all that there is of the body and osmium is the densest
        metal; where a shape is missing, only the density of the numbers themselves counts.
        """
        spread = np.trace(self.I_BBcm_B) / 2 * np.eye(3) - self.I_BBcm_B
        covariance = spread / self.mass
        radius = (3 * self.mass / (4 * np.pi * OSMIUM)) ** (1 / 3)
        if 0 < np.linalg.det(covariance) < (radius**2 / 5) ** 3:
            return "denser than osmium"  # of all shapes of one volume ellipsoids spread the least
        if self.bounds is None or len(self.usable_shapes) < len(self.body.shapes):
            return None
        lower, upper = self.bounds
        slack = 1e-6 * np.linalg.norm(upper - lower)
        beyond = np.maximum(lower - self.p_BoBcm_B, self.p_BoBcm_B - upper)
        if np.any(beyond > slack):
            return "its centre of mass lies out of the box about its shapes"
        reach = np.maximum(upper - self.p_BoBcm_B, self.p_BoBcm_B - lower) + slack
        if np.any(np.diag(covariance) > reach**2):
            return "it spreads beyond the box about its shapes"
        return "denser than osmium" if self.mass > OSMIUM * np.prod(upper - lower) else None

    @cached_property
    def twin(self) -> Site | None:
        """The sound body of the other side that is this one's mirror image; None without one."""
        names = {body.name: index for index, body in enumerate(self.model.bodies)}
        for name in counterparts(self.body.name):
            index = names.get(name)
            if index is not None and index in self.sound and are_twins(self, self.at(index)):
                return self.at(index)
        return None

    @property
    def has_geometry(self) -> bool:
        """Whether a usable shape speaks of the body."""
        return bool(self.usable_shapes)

    @property
    def has_twin(self) -> bool:
        """Whether a mirror image on the other side speaks of it."""
        return self.twin is not None

    @cached_property
    def evidence(self) -> str:
        """What besides its numbers speaks of the body: geometry, twin, or neither."""
        if self.usable_shapes:
            return "geometry"
        return "twin" if self.twin is not None else "neither"


def half_extents(shape: Shape) -> Array | None:
    """Half the edges of the box about a primitive, in its own axes [m]."""
    if shape.kind == "box":
        return np.array(shape.dimensions) / 2
    if shape.kind == "ellipsoid":
        return np.array(shape.dimensions)
    if shape.kind == "sphere":
        return np.full(3, shape.dimensions[0])
    if shape.kind in ("cylinder", "capsule", "cone"):
        radius, length = shape.dimensions
        cap = radius if shape.kind == "capsule" else 0.0
        return np.array([radius, radius, length / 2 + cap])
    return None


@cache
def mesh_bounds(path: str) -> Array | None:
    """(2, 3) box about a mesh file in its own units; None where it cannot be read."""
    import trimesh

    try:
        box = trimesh.load(path, force="mesh").bounds
    except Exception:  # whatever a library raises on the files of strangers
        return None
    return None if box is None else np.array(box)


_PAIRS = (
    ("left", "right"),
    ("l", "r"),
    ("fl", "fr"),
    ("bl", "br"),
    ("rl", "rr"),
    ("hl", "hr"),
    ("lf", "rf"),
    ("lh", "rh"),
    ("lb", "rb"),
)


def counterparts(name: str) -> Iterator[str]:
    """The names that the body on the other side could have."""
    for one, other in (*_PAIRS, *((b, a) for a, b in _PAIRS)):
        bare = one if len(one) > 2 else rf"(?<![A-Za-z]){one}(?![a-z])"
        for old, new in ((one, other), (one.upper(), other.upper()), (one.title(), other.title())):
            changed = re.sub(bare.replace(one, old), new, name)
            if changed != name:
                yield changed


def are_twins(one: Site, other: Site) -> bool:
    """Whether axes turned round make one body of the other, or are not needed for it."""
    if abs(one.mass - other.mass) > TWIN * one.mass:
        return False
    size = np.sqrt(np.trace(one.I_BBcm_B) / one.mass) + np.linalg.norm(one.p_BoBcm_B)
    for signs in product((1.0, -1.0), repeat=3):
        mirror = np.diag(signs)
        off = np.linalg.norm(mirror @ one.p_BoBcm_B - other.p_BoBcm_B)
        if off <= TWIN * size and change(mirror @ one.I_BBcm_B @ mirror, other.I_BBcm_B) <= TWIN:
            return True
    return False


def change(new: Array, old: Array) -> float:
    """How far a tensor moved, relative to what it was (Frobenius)."""
    return float(np.linalg.norm(new - old) / np.linalg.norm(old))
