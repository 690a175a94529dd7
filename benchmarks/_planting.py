"""Defects planted into sound bodies: what each cause does to the numbers of a file.

A cause of `CAUSES` makes candidates for a body; `plant` takes the first that a file can express,
that is what the cause says it is (certified in exact rational arithmetic on the written decimals),
and that changes something: new text for the numbers that change, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import permutations, product
from typing import Literal, NamedTuple
from xml.etree import ElementTree

import numpy as np

from inertial_check.formats.resources import resolve
from inertial_check.model import ENTRIES, Body, Model, Number
from inertial_check.model.shape import Shape
from inertial_check.model.source import Edit

Array = np.ndarray
Texts = dict[str, str]
Kind = Literal["provable", "valid"]

RELEVANT = 0.1
"""Least relative change of the tensor: what moves it by less, nobody would call a defect."""
TWIN = 0.02
"""Relative difference up to which a left body is the mirror image of the right one."""
ROWS, COLUMNS = np.triu_indices(3)
SLACK = Fraction(1, 10**12)
"""A defect that leaves a tensor nearer to the boundary is none that float64 can hold."""
OSMIUM = 22_600
"""The densest metal [kg/m^3]."""
DIAGONAL = ("ixx", "iyy", "izz")
PRODUCTS = ("ixy", "ixz", "iyz")
AXES = ("x", "y", "z")
ORDERS = {
    "urdf": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "pinocchio": ("ixx", "ixy", "iyy", "ixz", "iyz", "izz"),
    "mujoco": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "wensing": ("ixx", "iyy", "izz", "iyz", "ixz", "ixy"),
}
ROW_MAJOR = ("ixx", "ixy", "ixz", "ixy", "iyy", "iyz")
"""What lands in the six slots of a URDF when nine numbers are written row by row."""
UNITS = {
    "g mm^2": 1e-9,
    "g cm^2": 1e-7,
    "kg mm^2": 1e-6,
    "kg cm^2": 1e-4,
    "lb in^2": 2.926397e-4,
    "g m^2": 1e-3,
}
"""What one of each unit is in kg m^2."""


# ----------------------------------------------------------------- exact arithmetic on the text


def exact(text: str) -> Fraction:
    """The number that a decimal text says."""
    return Fraction(Decimal(text))


def is_psd(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a symmetric 3x3 matrix of rationals is PSD: no principal minor is negative."""
    (a, d, e), (_, b, f), (_, _, c) = matrix
    minors = (a, b, c, a * b - d * d, a * c - e * e, b * c - f * f)
    determinant = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - e * b)
    return all(minor >= 0 for minor in (*minors, determinant))


def is_consistent(texts: Mapping[str, str], slack: Fraction = Fraction(0)) -> bool:
    """Whether a non-negative density has the tensor that six decimal texts say.

    Args:
        texts: The entries by name.
        slack: By how much of its trace the second moment may fail to be PSD.
    """
    xx, xy, xz, yy, yz, zz = (exact(texts[entry]) for entry in ENTRIES)
    half = (xx + yy + zz) / 2
    half += slack * abs(half)
    return is_psd([[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]])


def is_numerically_zero(texts: Mapping[str, str]) -> bool:
    """Whether no mass is farther than about a micrometre from the centre: nobody meant that."""
    largest = max(abs(exact(texts[entry])) for entry in ENTRIES)
    return largest < exact(texts["mass"]) / 10**12


def is_one_digit_of_identity(texts: Mapping[str, str]) -> bool:
    """Whether the tensor is the identity times a number of one digit: 1, 0.001, 0.3."""
    diagonal = {exact(texts[entry]) for entry in DIAGONAL}
    if len(diagonal) > 1 or any(exact(texts[entry]) for entry in PRODUCTS):
        return False
    return len(Decimal(texts["ixx"]).normalize().as_tuple().digits) == 1


# ----------------------------------------------------------------- bodies


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


def _literal(number: Number | None) -> bool:
    return number is not None and number.span is not None and number.literal


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


# ----------------------------------------------------------------- defects


class Change(NamedTuple):
    """One candidate of a cause for a body.

    Attributes:
        variant: Which form of the defect, in words.
        texts: New texts by body and number.
        watched: The bodies on which a finding counts; None for any, and for the model itself.
        expected_mass: What the whole model is said to weigh [kg]; None where nothing is said.
    """

    variant: str
    texts: Mapping[int, Texts]
    watched: tuple[int, ...] | None
    expected_mass: float | None = None


Mutator = Callable[[Site, np.random.Generator], Iterator[Change]]


@dataclass(frozen=True)
class Cause:
    """A way in which numbers go wrong.

    Attributes:
        name: As the project calls it.
        kind: "provable": every mutant is certified inconsistent; "valid": certified consistent.
        mutate: Makes candidates for one body.
        accepted: Names of causes that are right answers.
        identifiable: Whether numbers and evidence can tell this cause from every other.
        needs: "geometry" or "twin" where nothing else could ever show it.
    """

    name: str
    kind: Kind
    mutate: Mutator
    accepted: frozenset[str]
    identifiable: bool = True
    needs: str | None = None

    @property
    def key(self) -> str:
        """Its name and kind, which together are unique."""
        return f"{self.name} ({self.kind})"


CAUSES: list[Cause] = []


def cause(
    name: str, kind: Kind, *also: str, identifiable: bool = True, needs: str | None = None
) -> Callable[[Mutator], Mutator]:
    """Register a mutator; `also` are further causes that are right answers to it."""

    def register(mutate: Mutator) -> Mutator:
        CAUSES.append(Cause(name, kind, mutate, frozenset({name, *also}), identifiable, needs))
        return mutate

    return register


def _one(site: Site, variant: str, texts: Texts) -> Change:
    return Change(variant, {site.index: texts}, (site.index,))


def _tensor(site: Site, variant: str, matrix: Array) -> Change:
    return _one(site, variant, site.write(matrix))


def _shuffled(rng: np.random.Generator, choices: Sequence) -> list:
    return [choices[k] for k in rng.permutation(len(choices))]


def _plain(number: Decimal) -> str:
    """A decimal without exponent where that stays short."""
    text = format(number, "f")
    return text if len(text) <= 24 else str(number)


@cause("decimal-slip", "provable")
def decimal_slip(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One entry is 10^k of what it was."""
    nonzero = [entry for entry in ENTRIES if exact(site.texts[entry])]
    for entry, power in _shuffled(rng, list(product(nonzero, (-3, -2, -1, 1, 2, 3)))):
        slipped = _plain(Decimal(site.texts[entry]).scaleb(power))
        yield _one(site, f"{entry} x 1e{power}", {entry: slipped})


def _negated(text: str) -> str:
    return text[1:] if text.startswith("-") else "-" + text.removeprefix("+")


def _flipped(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    products = [entry for entry in PRODUCTS if exact(site.texts[entry])]
    yield _one(
        site, "all products negated", {entry: _negated(site.texts[entry]) for entry in products}
    )


cause("sign-of-products", "provable", identifiable=False)(_flipped)


@cause("double-parallel-axis", "provable", "com-tensor-read-as-origin")
def double_parallel_axis(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The parallel-axis term subtracted from a tensor that was about the centre of mass."""
    term = shifted(site.mass, site.p_BoBcm_Bi)
    yield _tensor(site, "I - m [c]^2", site.I_BBcm_Bi - term)


@cause("component-order", "provable")
def component_order(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The six numbers of one convention in the slots of another."""
    pairs = [(a, b) for a, b in permutations(ORDERS, 2) if "urdf" in (a, b)]
    for written, read in _shuffled(rng, [*pairs, ("row-major", "urdf")]):
        source = ROW_MAJOR if written == "row-major" else ORDERS[written]
        texts = {slot: site.texts[e] for slot, e in zip(ORDERS[read], source, strict=True)}
        yield _one(site, f"{written} order read as {read}", texts)


@cause("unpopulated", "provable")
def unpopulated(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Entries that were never filled in."""
    entry = str(rng.choice(DIAGONAL))
    others = [e for e in ENTRIES if e != entry]
    crumbs = {e: f"{rng.uniform(1, 10):.12f}e-{rng.integers(16, 31)}" for e in others}
    forms = {
        "one diagonal entry alone": dict.fromkeys(others, "0"),
        "one diagonal entry zero": {entry: "0"},
        "crumbs beside one diagonal entry": crumbs,
    }
    for name in _shuffled(rng, list(forms)):
        yield _one(site, f"{name} ({entry})", forms[name])


@cause("same-number-everywhere", "provable")
def same_number(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One number in all six places."""
    entry = str(rng.choice(DIAGONAL))
    yield _one(site, f"{entry} in all six", dict.fromkeys(ENTRIES, site.texts[entry]))


@cause("few-digits", "provable", "fixed-decimals")
def few_digits(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Rounded to one or two significant digits."""
    for decimals in _shuffled(rng, (0, 1)):
        texts = {e: f"{float(site.texts[e]):.{decimals}e}" for e in ENTRIES}
        yield _one(
            site, f"%.{decimals}e", {e: "0" if float(t) == 0 else t for e, t in texts.items()}
        )


@cause("fixed-decimals", "provable", "few-digits")
def fixed_decimals(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Printed with so few decimals that it breaks, and no fewer."""
    for decimals in range(8, 1, -1):
        texts = {e: f"{float(site.texts[e]):.{decimals}f}" for e in ENTRIES}
        if any(exact(texts[e]) for e in DIAGONAL):
            yield _one(site, f"%.{decimals}f", texts)


@cause("negative-diagonal", "provable")
def negative_diagonal(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A sign too many on a moment of inertia."""
    entry = str(rng.choice(DIAGONAL))
    yield _one(site, f"-{entry}", {entry: _negated(site.texts[entry])})


@cause("compound", "provable", "component-order", "units", identifiable=False)
def compound(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Nine numbers in kg cm^2, row by row, in six slots."""
    texts = {
        slot: _plain(Decimal(site.texts[e]).scaleb(4))
        for slot, e in zip(ORDERS["urdf"], ROW_MAJOR, strict=True)
    }
    yield _one(site, "row-major and kg cm^2", texts)


@cause("rotor-inertia", "provable", identifiable=False)
def rotor_beyond(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The reflected inertia of a motor, more than the link has, added about the joint's axis."""
    yield from _with_rotor(site, 3.0)


@cause("rotor-inertia", "valid", identifiable=False)
def rotor_within(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The same, as much as the triangle inequality just allows."""
    yield from _with_rotor(site, 0.95)


def _with_rotor(site: Site, share: float) -> Iterator[Change]:
    urdf = site.model.format == "urdf" and site.body.moved
    axis = joint_axes(site.model.source.data).get(site.body.name) if urdf else None
    if axis is None:
        return
    along = site.R_BBi.T @ axis
    S = np.trace(site.I_BBcm_Bi) / 2 * np.eye(3) - site.I_BBcm_Bi
    across = np.outer(along, along)
    if np.linalg.eigvalsh(S)[0] <= 0:
        return
    # J a a^T changes S by J (1/2 - a a^T); the largest J that leaves it PSD, by bisection.
    low, high = 0.0, 4 * float(np.trace(S))
    for _ in range(60):
        J = (low + high) / 2
        ok = np.linalg.eigvalsh(S + J * (np.eye(3) / 2 - across))[0] >= 0
        low, high = (J, high) if ok else (low, J)
    inflated = site.I_BBcm_Bi + share * low * across
    if change(inflated, site.I_BBcm_Bi) >= RELEVANT:
        yield _tensor(site, f"{share} x what is allowed", inflated)


@lru_cache(maxsize=64)
def joint_axes(data: bytes) -> dict[str, Array]:
    """Child link -> unit vector along its joint's axis, for a URDF that parses strictly."""
    axes: dict[str, Array] = {}
    try:
        root = ElementTree.fromstring(data)
        for joint in root.iter("joint"):
            child, axis = joint.find("child"), joint.find("axis")
            if child is not None and joint.get("type") in ("revolute", "continuous"):
                text = "1 0 0" if axis is None else axis.get("xyz", "1 0 0")
                vector = np.array([float(word) for word in text.split()])
                if vector.shape == (3,) and vector.any():
                    axes[child.get("link", "")] = vector / np.linalg.norm(vector)
    except (ElementTree.ParseError, ValueError):
        return {}
    return axes


@cause("placeholder", "valid")
def placeholder(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Numbers that stand for none."""
    zeros = dict.fromkeys(PRODUCTS, "0")
    forms = {"identity": _one(site, "identity", dict.fromkeys(DIAGONAL, "1") | zeros)}
    power = -int(rng.integers(1, 7))
    written = str(Decimal(1).scaleb(power))
    forms["power"] = _one(site, f"1e{power} isotropic", dict.fromkeys(DIAGONAL, written) | zeros)
    masses: dict[str, int] = {site.texts["mass"]: site.index}
    for index in _shuffled(rng, sorted(site.sound)):
        masses.setdefault(site.at(index).texts["mass"], index)
    bodies = tuple(masses.values())[:4]
    if len(bodies) >= 3:
        block = {entry: site.texts[entry] for entry in ENTRIES}
        several = dict.fromkeys(bodies, block)
        forms["several"] = Change(f"one tensor on {len(bodies)} bodies", several, bodies)
    for name in _shuffled(rng, list(forms)):
        moved = forms[name].texts[site.index]
        if name == "several" or _moves(site, moved):
            yield forms[name]


def _moves(site: Site, texts: Texts) -> bool:
    """Whether the tensor moves by what one would notice."""
    new = tensor([float(texts.get(entry, site.texts[entry])) for entry in ENTRIES])
    return change(new, site.I_BBcm_Bi) >= RELEVANT


def _scaled(site: Site, factor: float) -> Texts:
    return site.write(site.I_BBcm_Bi * factor)


@cause("units", "valid")
def units(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor of one body in another unit."""
    for name in _shuffled(rng, list(UNITS)):
        inverse = rng.random() < 0.25
        factor, word = (UNITS[name], "converted twice from") if inverse else (1 / UNITS[name], "in")
        yield _one(site, f"{word} {name}", _scaled(site, factor))


@cause("units, whole model", "valid", "units")
def units_of_model(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensors of all bodies in another unit."""
    every = [site.at(k) for k, body in enumerate(site.model.bodies) if has_ten_numbers(body)]
    every = [each for each in every if each.mass > 0 and np.any(each.I_BBcm_Bi)]
    if len(every) < 3:
        return
    for name in _shuffled(rng, list(UNITS)):
        texts = {each.index: _scaled(each, 1 / UNITS[name]) for each in every}
        yield Change(f"in {name}, {len(every)} bodies", texts, None)


@cause("density", "valid", "units")
def density(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The mass in grams, or in tonnes."""
    for power, both in _shuffled(rng, [(3, False), (-3, False), (3, True), (-3, True)]):
        texts = {"mass": _plain(Decimal(site.texts["mass"]).scaleb(power))}
        if both:
            texts |= _scaled(site, 10.0**power)
        yield _one(site, f"mass x 1e{power}{', tensor too' if both else ''}", texts)


@cause("size-mismatch", "valid", needs="geometry")
def size_mismatch(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor of a body 2.8 times larger, or smaller."""
    for factor in _shuffled(rng, (8.0, 1 / 8)):
        yield _one(site, f"tensor x {factor:g}", _scaled(site, factor))


@cause("about-link-origin", "valid", "origin-tensor-read-as-com")
def about_link_origin(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor about the link's origin where that about the centre of mass belongs."""
    term = shifted(site.mass, site.p_BoBcm_Bi)
    if np.trace(term) >= np.trace(site.I_BBcm_Bi) / 2:
        yield _tensor(site, "I + m [c]^2", site.I_BBcm_Bi + term)


@cause("wrong-frame", "valid", needs="geometry")
def wrong_frame(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The right tensor along the wrong axes."""
    R_BBi, I_BBcm_Bi = site.R_BBi, site.I_BBcm_Bi
    swaps = {
        "axes turned x->y->z": np.eye(3)[[2, 0, 1]],
        "axes turned x->z->y": np.eye(3)[[1, 2, 0]],
        "y and z swapped": np.eye(3)[[0, 2, 1]],
        "x and z swapped": np.eye(3)[[2, 1, 0]],
    }
    own = {"R I R^T": R_BBi, "R^T I R": R_BBi.T}
    for name in [*_shuffled(rng, list(own)), *_shuffled(rng, list(swaps))]:
        turn = own.get(name, swaps.get(name))
        turned = turn @ I_BBcm_Bi @ turn.T
        if change(turned, I_BBcm_Bi) >= 2 * RELEVANT:
            yield _tensor(site, name, turned)


@cause("wrong-formula", "valid", "wrong-frame", needs="geometry")
def wrong_formula(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A textbook formula of the body's one primitive, misread."""
    for role in ("visual", "collision"):
        shapes = [shape for shape in site.body.shapes if shape.role == role]
        if len(shapes) == 1 and shapes[0] in site.usable_shapes:
            break
    else:
        return
    shape = shapes[0]
    if not np.allclose(site.R_BBi, shape.R_BG, atol=1e-6):
        return
    right, wrong = formulas(shape, site.mass)
    for name in _shuffled(rng, list(wrong)):
        matrix = np.diag(wrong[name])
        if min(change(matrix, right), change(matrix, site.I_BBcm_Bi)) >= RELEVANT:
            yield _tensor(site, f"{shape.kind}: {name}", matrix)


def formulas(shape: Shape, mass: float) -> tuple[Array, dict[str, Array]]:
    """The tensor of a primitive, and the moments that misread formulas give, by name."""
    if shape.kind == "box":
        x, y, z = np.array(shape.dimensions) ** 2
        per_kilogram = np.array([y + z, x + z, x + y]) / 12
        longest = int(np.argmax(shape.dimensions))
        rod = np.full(3, max(x, y, z) / 12)
        rod[longest] = 0
        wrong = {"another axis": mass * np.roll(per_kilogram, 1), "thin rod": mass * rod}
    elif shape.kind == "cylinder":
        r, L = (dimension**2 for dimension in shape.dimensions)
        per_kilogram = np.array([r / 4 + L / 12, r / 4 + L / 12, r / 2])
        wrong = {
            "another axis": mass * per_kilogram[[2, 1, 0]],
            "1/12 for 1/4": mass * np.array([(r + L) / 12, (r + L) / 12, r / 2]),
            "thin rod": mass * np.array([L / 12, L / 12, 0]),
        }
    elif shape.kind == "sphere":
        per_kilogram, wrong = np.full(3, 0.4 * shape.dimensions[0] ** 2), {}
    else:
        return np.eye(3), {}
    if not 0.7 < mass < 1.4:
        wrong["missing mass"] = per_kilogram
    return np.diag(mass * per_kilogram), wrong


@cause("com-outside", "valid")
def com_outside(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The centre of mass with a sign too many, or in millimetres."""
    moved = [axis for axis in AXES if exact(site.texts[axis])]
    if not moved:
        return
    largest = max(moved, key=lambda axis: abs(float(site.texts[axis])))
    forms = {
        "a sign lost": {largest: _negated(site.texts[largest])},
        "in mm": {axis: _plain(Decimal(site.texts[axis]).scaleb(3)) for axis in moved},
    }
    for name in forms if rng.random() < 0.7 else reversed(forms):
        texts = site.texts | forms[name]
        p_BoBcm_B = np.array([float(texts[axis]) for axis in AXES])
        if _outside(site, p_BoBcm_B) if site.usable_shapes else name == "in mm":
            yield _one(site, name, forms[name])


def _outside(site: Site, point: Array) -> bool:
    """Whether a point is out of the box about the shapes by a tenth of it."""
    if site.bounds is None:
        return False
    lower, upper = site.bounds
    room = 0.1 * np.linalg.norm(upper - lower)
    return bool(np.any(point < lower - room) or np.any(point > upper + room))


@cause("mirror", "valid", needs="twin")
def mirror(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A body with the numbers of its twin, not reflected; or with half as much again."""
    twin = site.twin
    if twin is None:
        return
    forms = {"one side x 1.5": _scaled(site, 1.5) | {"mass": f"{1.5 * site.mass:.{site.digits}g}"}}
    if np.allclose(site.R_BBi, np.eye(3)) and np.allclose(twin.R_BBi, np.eye(3)):
        size = np.sqrt(np.trace(site.I_BBcm_B) / site.mass)
        far = np.linalg.norm(site.p_BoBcm_B - twin.p_BoBcm_B) >= RELEVANT * size
        if far or change(twin.I_BBcm_B, site.I_BBcm_B) >= RELEVANT:
            forms["not reflected"] = dict(twin.texts)
    for name in reversed(forms):
        yield Change(name, {site.index: forms[name]}, (site.index, twin.index))


@cause("sign-of-products", "valid", needs="geometry or twin")
def flipped_yet_valid(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The products negated, which no test of the numbers alone can see."""
    if np.linalg.norm(site.I_BBcm_Bi - np.diag(np.diag(site.I_BBcm_Bi))) * 2 >= (
        RELEVANT * np.linalg.norm(site.I_BBcm_Bi)
    ):
        yield from _flipped(site, rng)


@cause("copied-block", "valid", identifiable=True)
def copied_block(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The ten numbers of another body of the model."""
    for index in _shuffled(rng, sorted(site.sound - {site.index})):
        donor = site.at(index)
        heavier = max(donor.mass, site.mass) / min(donor.mass, site.mass)
        if heavier >= 1.5 and change(donor.I_BBcm_Bi, site.I_BBcm_Bi) >= 2 * RELEVANT:
            bodies = (site.index, index)
            yield Change(f"those of {donor.body.name}", {site.index: dict(donor.texts)}, bodies)


@cause("total-mass", "valid", identifiable=False)
def total_mass(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One body so much heavier that the whole is off by 5 %, with the true total told."""
    bodies = site.model.bodies
    written = [body.inertial.mass for body in bodies if body.inertial and body.inertial.mass]
    total = sum(mass.value for mass in written)
    if np.isfinite(total) and all(body.inertia_from == "file" for body in bodies):
        heavier = f"{site.mass + 0.05 * total:.{site.digits}g}"
        yield Change("5 % of the whole more", {site.index: {"mass": heavier}}, None, total)


# ----------------------------------------------------------------- planting


class Mutant(NamedTuple):
    """A document with one defect.

    Attributes:
        site: The body.
        change: What was done.
        data: The document's bytes.
    """

    site: Site
    change: Change
    data: bytes


def plant(which: Cause, site: Site, rng: np.random.Generator) -> Mutant | None:
    """The first candidate of a cause that the document can express and that is what it claims."""
    for candidate in which.mutate(site, rng):
        edits = _edits(site, candidate)
        if edits and all(_as_claimed(which, site.at(k), t) for k, t in candidate.texts.items()):
            return Mutant(site, candidate, site.model.source.apply_edits(edits))
    return None


def _edits(site: Site, candidate: Change) -> list[Edit]:
    """Every number that changes, as an edit; none where one has no text of its own to change."""
    edits = {}
    for index, texts in candidate.texts.items():
        each = site.at(index)
        for name, text in texts.items():
            number = each.numbers[name]
            if text == number.text:
                continue
            if not _literal(number) or number.span is None or number.span.file:
                if exact(text) == exact(number.text):
                    continue
                return []
            if edits.setdefault(number.span, text) != text:
                return []
    return [Edit(span, text) for span, text in edits.items()]


def _as_claimed(which: Cause, site: Site, new: Texts) -> bool:
    texts = site.texts | new
    provable = which.kind == "provable"
    consistent = is_consistent(texts, SLACK if provable else Fraction(0))
    return exact(texts["mass"]) > 0 and consistent != provable
