"""Readings of the numbers of a whole model: the conventions, orders and units it may be in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import resemblance
from inertial_check.inertia.representations import ORDERS

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "g mm^2": 1e-9,
        "g cm^2": 1e-7,
        "kg mm^2": 1e-6,
        "kg cm^2": 1e-4,
        "lb in^2": 2.926397e-4,
        "g m^2": 1e-3,
    }
)
"""Size of each unit of inertia in kg m^2."""

MASSES: Mapping[str, float] = MappingProxyType({"grams": 1e-3, "milligrams": 1e-6, "tonnes": 1e3})
"""Size of each unit of mass in kg."""

PRODUCTS_NEGATED = np.array([1.0, -1, -1, 1, -1, 1])
"""Factors of the six entries that negate the three products of inertia."""


class ModelReading(NamedTuple):
    """Another reading of the numbers of all bodies of a model.

    Attributes:
        cause: Name of the cause, such as sign-of-products.
        what: The reading in words, as the end of "the tensors ...".
        mass: (N,) masses that are meant [kg].
        I_BBcm_Bi: (N, 6) tensors that are meant, in the inertials' own axes [kg m^2].
    """

    cause: str
    what: str
    mass: Floats
    I_BBcm_Bi: Floats


class WrittenNumbers(NamedTuple):
    """The inertial numbers of N bodies, as their document has them.

    Attributes:
        mass: (N,) [kg].
        I_BBcm_Bi: (N, 6) tensors about the centres of mass, in the inertials' own axes [kg m^2].
        p_BoBcm_B: (N, 3) centres of mass in the body frames [m].
        R_BBi: (N, 3, 3) from the inertials' own axes to those of the bodies.
    """

    mass: Floats
    I_BBcm_Bi: Floats
    p_BoBcm_B: Floats
    R_BBi: Floats


def list_forms(numbers: WrittenNumbers) -> Iterator[ModelReading]:
    """List the readings that change the form of the tensors."""
    six, mass = numbers.I_BBcm_Bi, numbers.mass
    yield ModelReading(
        "sign-of-products", "with their products negated", mass, six * PRODUCTS_NEGATED
    )
    shift = _compute_parallel_axis_terms(numbers)
    what = "moved from the links' origins to the centres of mass"
    yield ModelReading("about-link-origin", what, mass, six - shift)
    what = "with the parallel-axis term, which was subtracted once too often"
    yield ModelReading("double-parallel-axis", what, mass, six + shift)
    yield from _list_turns(numbers)
    for slots, words, _ in list_orders():
        yield ModelReading("component-order", f"with {words}", mass, six[:, slots])


def list_units(mass: Floats, six: Floats) -> Iterator[ModelReading]:
    """List the readings in other units, of (N,) masses [kg] and (N, 6) tensors [kg m^2]."""
    for name, unit in UNITS.items():
        yield ModelReading("units", f"read as {name}", mass, six * unit)
        yield ModelReading("units", f"divided by 1 {name}", mass, six / unit)
    for name, unit in MASSES.items():
        both = f"with mass and tensor read in {name}"
        yield ModelReading("density", both, mass * unit, six * unit)
        yield ModelReading("density", f"with the mass in {name}", mass * unit, six)


@cache
def list_orders() -> tuple[tuple[tuple[int, ...], str, float], ...]:
    """List every other order of the six entries.

    Returns:
        For each where each of ENTRIES stands now, the order in words, and how often it happens.
    """
    known: dict[tuple[int, ...], tuple[str, float]] = {}
    usual = {"urdf": 1.0, "mujoco": 0.25, "pinocchio": 0.2, "wensing": 0.1, "ksl": 0.1}
    for written, read in permutations(ORDERS, 2):
        # Slot k of `read` holds what `written` has there.
        slots = tuple(
            ORDERS["urdf"].index(ORDERS[read][ORDERS[written].index(entry)])
            for entry in ORDERS["urdf"]
        )
        share = usual[written] * usual[read] * (1.0 if "urdf" in (written, read) else 0.2)
        if slots not in known or share > known[slots][1]:
            words = f"{' '.join(ORDERS[written])} written where {' '.join(ORDERS[read])} belong"
            known[slots] = words, share
    total = sum(share for _, share in known.values())
    return tuple((slots, words, share / total) for slots, (words, share) in known.items())


def _list_turns(numbers: WrittenNumbers) -> Iterator[ModelReading]:
    """List the readings with other rotations of the inertials; none where no inertial is turned."""
    R = numbers.R_BBi
    if np.array_equal(R, np.broadcast_to(np.eye(3), R.shape)):
        return
    tensors, R_T = resemblance.matrices(numbers.I_BBcm_Bi), np.swapaxes(R, 1, 2)
    turns = {
        "without the rotations of their origins": R_T,
        "with the rotations of their origins inverted": R_T @ R_T,
        "with the rotations of their origins twice": R,
    }
    for what, turn in turns.items():
        six = resemblance.entries(resemblance.rotate(turn, tensors))
        yield ModelReading("wrong-frame", what, numbers.mass, six)


def _compute_parallel_axis_terms(numbers: WrittenNumbers) -> Floats:
    """(N, 6) parallel-axis terms m (|c|^2 1 - c c^T) in the inertials' own axes [kg m^2]."""
    p_BoBcm_Bi = np.einsum("nji,nj->ni", numbers.R_BBi, numbers.p_BoBcm_B)
    outer = p_BoBcm_Bi[:, :, None] * p_BoBcm_Bi[:, None, :]
    return resemblance.entries(resemblance.inertia(numbers.mass, outer))
