"""Knowledge of the bodies to fill: densities, materials, masses, sums, twins.

It is read from the arguments of `ic.fill`, from the command line, and from the table [fill] of a
configuration.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from sys import float_info
from typing import Any, Literal, NamedTuple

from inertial_check.checking.toml import TomlFile
from inertial_check.documents.files.access import Access
from inertial_check.documents.model import Model
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError
from inertial_check.fixing.fill.densities import DIVERGENCES, Divergence

MATERIALS: Mapping[str, float] = {
    "foam": 50.0,
    "wood": 600.0,
    "water": 1000.0,
    "abs": 1050.0,
    "nylon": 1150.0,
    "pla": 1240.0,
    "rubber": 1200.0,
    "carbon-fibre": 1600.0,
    "aluminium": 2700.0,
    "aluminum": 2700.0,
    "titanium": 4500.0,
    "steel": 7850.0,
    "brass": 8500.0,
    "copper": 8960.0,
}
"""Densities of materials by name [kg/m^3], rounded to what alloys and fillings differ by."""

WATER = 1000.0
"""Nominal density where nothing is known [kg/m^3], as MuJoCo and Gazebo take it; links are hollow
metal, plastic and motors, and are near it on average."""

DENSITY_RANGE = (10.0, 25_000.0)
"""Default bounds of the density of every part of a body [kg/m^3]: foam to tungsten, the range in
which check calls a density of trustworthy shapes plausible."""


Relation = Literal["mirrored", "equal"]

RELATIONS: tuple[Relation, ...] = ("mirrored", "equal")
"""How one body of a pair stands to the other: its mirror image, or the same part turned."""


class Pair(NamedTuple):
    """Two bodies with one mass.

    Attributes:
        one: Name of a body.
        other: Name of the other.
        relation: How they stand to each other; None for the first map that their shapes allow.
    """

    one: str
    other: str
    relation: Relation | None = None


class TotalMass(NamedTuple):
    """The known mass of a whole model.

    Attributes:
        mass: Mass [kg].
        deviation: Relative deviation within which it is known; the answer meets the mass itself,
            and the intervals allow the deviation.
    """

    mass: float
    deviation: float = 0.0


class LinkDensity(NamedTuple):
    """The density of the bodies whose names match a pattern.

    Attributes:
        pattern: Name of a body, with "*" for any text.
        density: Their density [kg/m^3].
    """

    pattern: str
    density: float


@dataclass(frozen=True)
class Knowledge:
    """Knowledge of the bodies to fill.

    Attributes:
        density: Nominal density of all bodies [kg/m^3]; None to learn it from measured bodies.
        links: Nominal densities by patterns of names; the first that matches counts.
        masses: Masses of bodies by name or id [kg].
        total_mass: Mass of the whole model; None if it is unknown.
        subtree_masses: Masses of bodies together with all that they carry, by name or id [kg].
        center_of_mass: Centre of mass of the whole model, measured bodies included, from the origin
            of its root in the root's axes [m]; None if it is unknown.
        positions: Positions of the joints at which that was measured, by name [rad] or [m]; the
            others are at zero.
        twins: Whether bodies of the left and the right with equal shapes have one mass.
        pairs: Further bodies that have one mass.
        prior: Another model, whose bodies, matched as `diff` matches them, give nominal densities.
        density_range: Least and largest density of every part of a body [kg/m^3].
        divergence: Measure of deviation from the nominal densities.
        tentative: Names in `masses` that count only if the body is filled: those of a
            configuration, which stay there when a body has been measured.
    """

    density: float | None = None
    links: tuple[LinkDensity, ...] = ()
    masses: Mapping[str, float] = field(default_factory=dict)
    total_mass: TotalMass | None = None
    subtree_masses: Mapping[str, float] = field(default_factory=dict)
    center_of_mass: tuple[float, float, float] | None = None
    positions: Mapping[str, float] = field(default_factory=dict)
    twins: bool = True
    pairs: tuple[Pair, ...] = ()
    prior: Model | str | os.PathLike[str] | None = None
    density_range: tuple[float, float] = DENSITY_RANGE
    divergence: Divergence = "entropic"
    tentative: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse numbers that nothing can have.

        Raises:
            ParameterError: A density or mass that is not positive, or an empty range.
        """
        positive = [("density", self.density)] if self.density is not None else []
        positive += [(f"density of {link.pattern}", link.density) for link in self.links]
        positive += [(f"mass of {name}", mass) for name, mass in self.masses.items()]
        positive += [(f"mass carried by {n}", m) for n, m in self.subtree_masses.items()]
        if self.total_mass is not None:
            positive.append(("total mass", self.total_mass.mass))
            if not 0 <= self.total_mass.deviation < 1:
                raise ParameterError(
                    f"the deviation of the total mass is {self.total_mass.deviation!r}, expected "
                    "a number from 0 to 1"
                )
        for what, value in positive:
            if value is not None and not (value > 0 and isfinite(value)):
                raise ParameterError(f"{what} is {value!r}, expected a positive number")
        low, high = self.density_range
        if not 0 <= low < high < inf:
            raise ParameterError(
                f"the density range is {low!r} to {high!r}, expected 0 <= least < largest, "
                "both finite"
            )
        for one, other, *_ in self.pairs:
            if one == other:
                raise ParameterError(f"{one} is a pair with itself, expected two bodies")
        if self.center_of_mass is not None and not all(map(isfinite, self.center_of_mass)):
            raise ParameterError(f"the centre of mass is {self.center_of_mass}, expected numbers")
        if self.positions and self.center_of_mass is None:
            raise ParameterError(
                f"the position of {next(iter(self.positions))} is given without the centre of mass "
                "that was measured there: give both (--com X,Y,Z with --at JOINT=POSITION)"
            )
        if self.divergence not in DIVERGENCES:
            raise UsageError(
                f"divergence is {self.divergence!r}: expected {' or '.join(DIVERGENCES)}"
            )


def parse_assignments(option: str, texts: Iterable[str], form: str) -> dict[str, float]:
    """Parse texts NAME=NUMBER of an option, whose form is shown in messages.

    Raises:
        UsageError: A text has another form, or a name comes twice.
    """
    found: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        if not (sign and name):
            raise UsageError(f"{option} {text}: expected {form}")
        if name in found:
            raise UsageError(f"{option} {name} is given twice")
        found[name] = _parse_number(f"{option} {text}", number)
    return found


def parse_total_mass(text: str) -> TotalMass:
    """Parse KG or KG:REL, such as 23.5:0.01.

    Raises:
        UsageError: The text has another form.
    """
    mass, _, deviation = text.partition(":")
    where = f"--total-mass {text}"
    return TotalMass(_parse_number(where, mass), _parse_number(where, deviation or "0"))


def parse_range(text: str) -> tuple[float, float]:
    """Parse LOW:HIGH [kg/m^3].

    Raises:
        UsageError: The text has another form.
    """
    low, sign, high = text.partition(":")
    where = f"--density-range {text}"
    if not sign:
        raise UsageError(f"{where}: expected LOW:HIGH, as 100:8000")
    return _parse_number(where, low), _parse_number(where, high)


def _parse_number(where: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{where}: {text!r} is no number") from None


def read_materials(path: str, access: Access | None = None) -> tuple[LinkDensity, ...]:
    """Read a table of materials and of link patterns.

    The TOML file has a table `links` of patterns, each a density [kg/m^3] or the name of a
    material, and may have a table `materials` of densities, which come before MATERIALS.

    Raises:
        UsageError: The file cannot be read, or names an unknown table or material; names the line.
    """
    file = TomlFile(path, access or Access(follow_outside=True))
    tables = dict(file.values)
    own: dict[str, dict[str, object]] = {}
    for name in ("materials", "links"):
        table = tables.pop(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"{path}: {name} is {table!r}, expected a table")
        own[name] = table
    materials = {**MATERIALS}
    for name, density in own["materials"].items():
        materials[name] = _read_density(path, name, density)
    if tables:
        name = next(iter(tables))
        hint = suggest_name(name, ("materials", "links"))
        raise UsageError(f"{path}: unknown table {name!r}{hint}; known: materials, links")
    return resolve_links(path, own["links"], materials)


def resolve_links(
    where: str, links: Mapping[str, object], materials: Mapping[str, object]
) -> tuple[LinkDensity, ...]:
    """Resolve the materials of patterns of names to densities.

    Args:
        where: The place of the table, for messages.
        links: A density [kg/m^3] or the name of a material for each pattern.
        materials: Densities by the names of materials.

    Raises:
        UsageError: An unknown material, or a value that is neither.
    """
    found = []
    for pattern, stated in links.items():
        if isinstance(stated, str) and stated not in materials:
            hint = suggest_name(stated, materials)
            raise UsageError(f"{where}: unknown material {stated!r} of {pattern}{hint}")
        value = materials[stated] if isinstance(stated, str) else stated
        found.append(LinkDensity(pattern, _read_density(where, pattern, value)))
    return tuple(found)


def _read_density(path: str, name: str, value: object) -> float:
    """A density of a table.

    Raises:
        UsageError: It is no positive number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{path}: {name} is {value!r}, expected a density or a material")
    if not 0 < value <= float_info.max:
        raise UsageError(f"{path}: {name} is {value!r}, expected a positive density")
    return float(value)


def read_arguments(  # noqa: PLR0913 - each argument is one thing that may be known
    *,
    density: float | None,
    materials: str | os.PathLike[str] | Mapping[str, float | str] | None,
    masses: Mapping[str, float] | None,
    total_mass: float | tuple[float, float] | None,
    subtree_masses: Mapping[str, float] | None,
    com: Sequence[float] | None,
    at: Mapping[str, float] | None,
    density_range: tuple[float, float] | None,
    pairs: Sequence[Sequence[str]],
    twins: bool,
    prior: Model | str | os.PathLike[str] | None,
    divergence: Divergence,
) -> Knowledge:
    """Read the arguments of `ic.fill`, which has their meaning, as knowledge.

    Raises:
        ParameterError: An argument has another form; names it.
        UsageError: A table of materials cannot be read.
    """
    links: tuple[LinkDensity, ...] = ()
    if isinstance(materials, Mapping):
        for pattern, stated in materials.items():
            name = f"materials[{pattern!r}]"
            if isinstance(stated, str) and stated not in MATERIALS:
                hint = suggest_name(stated, tuple(MATERIALS))
                raise ParameterError(
                    f"{name} is {stated!r}, expected a density or a material{hint}"
                )
            value = MATERIALS[stated] if isinstance(stated, str) else read_number(name, stated)
            links += (LinkDensity(pattern, value),)
    elif materials is not None:
        links = read_materials(os.fspath(materials))
    total = None
    if isinstance(total_mass, tuple | list):
        if len(total_mass) != 2:
            raise ParameterError(
                f"total_mass is {total_mass!r}, expected a mass or (mass, deviation)"
            )
        total = TotalMass(*(read_number("total_mass", each) for each in total_mass))
    elif total_mass is not None:
        total = TotalMass(read_number("total_mass", total_mass))
    named: dict[str, dict[str, float]] = {}
    for name, values in (("masses", masses), ("subtree_masses", subtree_masses), ("at", at)):
        if values is not None and not isinstance(values, Mapping):
            raise ParameterError(f"{name} is {values!r}, expected numbers by name")
        stated_values = {} if values is None else values
        named[name] = {
            str(key): read_number(f"{name}[{key!r}]", value) for key, value in stated_values.items()
        }
    center = None
    if com is not None:
        x, y, z = _read_numbers("com", com, 3)
        center = x, y, z
    low, high = DENSITY_RANGE
    if density_range is not None:
        low, high = _read_numbers("density_range", density_range, 2)
    return Knowledge(
        density=None if density is None else read_number("density", density),
        links=links,
        masses=named["masses"],
        total_mass=total,
        subtree_masses=named["subtree_masses"],
        center_of_mass=center,
        positions=named["at"],
        twins=twins,
        pairs=read_pairs(pairs),
        prior=prior,
        density_range=(low, high),
        divergence=divergence,
    )


def read_number(name: str, value: object) -> float:
    """A number of an argument.

    Raises:
        ParameterError: It is none.
    """
    if isinstance(value, bool | str | bytes):  # "2.5" and True are slips, although float takes them
        raise ParameterError(f"{name} is {value!r}, expected a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} is {value!r}, expected a number") from None


def _read_numbers(name: str, values: Sequence[float], count: int) -> list[float]:
    """The numbers of an argument that has a fixed count of them.

    Raises:
        ParameterError: It has another count, or something else than numbers.
    """
    try:
        given = list(values)
    except TypeError:
        given = []
    if isinstance(values, str | bytes) or len(given) != count:
        raise ParameterError(f"{name} is {values!r}, expected {count} numbers")
    return [read_number(name, value) for value in given]


def read_pairs(pairs: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Pairs of bodies with one mass, each with or without its relation.

    Raises:
        ParameterError: The argument has another form.
    """
    found = []
    for pair in pairs:
        if not isinstance(pair, Sequence):
            raise ParameterError(f"pairs is {pairs!r}, expected a list of lists of texts")
        if isinstance(pair, str) or len(pair) not in (2, 3):
            raise ParameterError(f"a pair is {pair!r}, expected the names of two bodies")
        one, other, *relation = pair
        if relation and relation[0] not in RELATIONS:
            raise ParameterError(
                f"the relation of {one} and {other} is {relation[0]!r}, expected "
                f"{' or '.join(RELATIONS)}"
            )
        found.append(
            Pair(one, other, RELATIONS[RELATIONS.index(relation[0])] if relation else None)
        )
    return tuple(found)


_PLAIN = {
    "density": "density",
    "twins": "twins",
    "prior": "prior",
    "density-range": "density_range",
    "divergence": "divergence",
}
"""Keys of the configuration whose values Knowledge takes as they are, and their fields."""


def complete_knowledge(
    given: Mapping[str, Any], configured: Mapping[str, Any], model: Model
) -> Knowledge:
    """Complete the fields that a command line gives by those that a configuration states.

    What is given wins: over a single value, over one body in a table of masses, and over the centre
    of mass together with the positions at which it was measured. Patterns of links that are given
    come first. Since a configuration holds for all models below it, its names count where a model
    has them, and its masses where the body is filled.

    Args:
        given: Fields of Knowledge that the command line gives.
        configured: The table [fill], read.
        model: The model.

    Raises:
        UsageError: A table of materials cannot be read, or a material is unknown.
        ParameterError: A number that cannot be.
    """
    fields = {field: configured[key] for key, field in _PLAIN.items() if key in configured}
    if "total-mass" in configured:
        fields["total_mass"] = TotalMass(*configured["total-mass"])
    if not {"center_of_mass", "positions"} & given.keys():
        joints = {joint.name for body in model.bodies for joint in body.joints}
        if "com" in configured:
            fields["center_of_mass"] = configured["com"]
            positions = configured.get("at", {})
            fields["positions"] = {name: q for name, q in positions.items() if name in joints}
    names = {name for body in model.bodies for name in (body.name, body.id)}
    fields["pairs"] = tuple(Pair(*p) for p in configured.get("pair", ()) if names.issuperset(p))
    fields |= given
    stated, carried = (
        {name: mass for name, mass in configured.get(key, {}).items() if name in names}
        for key in ("mass", "subtree-mass")
    )
    fields["masses"] = {**stated, **given.get("masses", {})}
    fields["subtree_masses"] = {**carried, **given.get("subtree_masses", {})}
    fields["tentative"] = frozenset(stated.keys() - given.get("masses", {}).keys())
    # Densities by patterns: of the table `links`, then of the file of materials.
    materials = configured.get("materials", {})
    is_file = isinstance(materials, str)
    densities = MATERIALS if is_file else {**MATERIALS, **materials}
    links = resolve_links("fill.links", configured.get("links", {}), densities)
    fields["links"] = (*given.get("links", ()), *links)
    if is_file:
        fields["links"] += read_materials(materials)
    return Knowledge(**fields)
