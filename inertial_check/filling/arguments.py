"""Arguments of `ic.fill` as knowledge: each of another type is refused with one line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from inertial_check.errors import ParameterError
from inertial_check.filling.known import (
    DENSITY_RANGE,
    MATERIALS,
    RELATIONS,
    LinkDensity,
    Pair,
    TotalMass,
    read_materials,
)
from inertial_check.spelling import suggest_name


def read_links(
    materials: str | os.PathLike[str] | Mapping[str, float | str] | None,
) -> tuple[LinkDensity, ...]:
    """Nominal densities by patterns of names.

    Raises:
        ParameterError: The argument has another form.
    """
    if materials is None:
        return ()
    if not isinstance(materials, Mapping):
        return read_materials(os.fspath(materials))
    return tuple(
        LinkDensity(pattern, _read_density(f"materials[{pattern!r}]", stated))
        for pattern, stated in materials.items()
    )


def _read_density(name: str, stated: object) -> float:
    """A density, given as a number or as the name of a material.

    Raises:
        ParameterError: It is neither.
    """
    if isinstance(stated, str):
        if stated not in MATERIALS:
            hint = suggest_name(stated, tuple(MATERIALS))
            raise ParameterError(f"{name} is {stated!r}, expected a density or a material{hint}")
        return MATERIALS[stated]
    return read_number(name, stated)


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


def read_named(name: str, values: Mapping[str, float] | None) -> dict[str, float]:
    """Numbers by names of bodies or joints.

    Raises:
        ParameterError: The argument has another form.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ParameterError(f"{name} is {values!r}, expected numbers by name")
    return {str(key): read_number(f"{name}[{key!r}]", value) for key, value in values.items()}


def read_total(total: float | tuple[float, float] | None) -> TotalMass | None:
    """The mass of the whole model.

    Raises:
        ParameterError: The argument has another form.
    """
    if total is None:
        return None
    if not isinstance(total, tuple | list):
        return TotalMass(read_number("total_mass", total))
    if len(total) != 2:
        raise ParameterError(f"total_mass is {total!r}, expected a mass or (mass, deviation)")
    return TotalMass(*(read_number("total_mass", each) for each in total))


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


def read_center(com: Sequence[float] | None) -> tuple[float, float, float] | None:
    """The centre of mass of the whole model.

    Raises:
        ParameterError: The argument has another form.
    """
    if com is None:
        return None
    x, y, z = _read_numbers("com", com, 3)
    return x, y, z


def read_range(limits: Sequence[float] | None) -> tuple[float, float]:
    """The range of densities.

    Raises:
        ParameterError: The argument has another form.
    """
    if limits is None:
        return DENSITY_RANGE
    low, high = _read_numbers("density_range", limits, 2)
    return low, high


def read_pairs(pairs: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Pairs of bodies with one mass, each with or without its relation.

    Raises:
        ParameterError: The argument has another form.
    """
    found = []
    for pair in pairs:
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
