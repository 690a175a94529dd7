"""Pairs of causes, for bodies that no single cause explains.

A compound stands under the name of its first cause; its evidence tells both, and its edit undoes
both. Only pairs that are met together are tried: what a converter does to the six numbers (order,
sign of the products), the point about which they are taken, and their unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Subject, margins
from inertial_check.causes._results import Proposal
from inertial_check.causes._wording import a_body
from inertial_check.causes._wording import tensor as show
from inertial_check.causes.conventions import (
    ComponentOrder,
    SignOfProducts,
)
from inertial_check.causes.plausibility import naturalness
from inertial_check.causes.points import (
    DoubleParallelAxis,
    OriginTensorReadAsCom,
    is_shifted,
    parallel_axis_term,
    printable,
)
from inertial_check.evidence.readings import PRODUCTS_NEGATED, UNITS, list_orders
from inertial_check.inertia.representations import symmetric
from inertial_check.inertia.resemblance import entries

_SECOND = 0.1
"""Probability that a second mistake comes with a first one; the same for a wrong unit, all units
together."""

_POINT_BY_CHANCE = 0.1
"""Fraction of otherwise broken tensors that a parallel-axis term makes valid by chance, whatever
their unit."""

_TERM = "m (|c|^2 1 - c c^T)"

_GAIN = 5.0
"""Factor by which a unit must make the body more natural to count as a second cause."""


class _Pair(NamedTuple):
    """A cause with a second one: its weight, both in words, and what they make of the tensor."""

    cause: type[Cause]
    weight: float
    text: str
    six: Floats


def pairs_of(subject: Subject) -> list[tuple[Cause, Proposal]]:
    """What two causes make of a body that no single one explains."""
    if not subject.broken or not subject.mass > 0:
        return []
    found: list[tuple[Cause, Proposal]] = []
    pairs = [*_pairs(subject.six, parallel_axis_term(subject) if is_shifted(subject) else None)]
    tensors = printable(np.stack([pair.six for pair in pairs]))
    margin, consistent = margins(tensors)
    for row in np.flatnonzero(consistent).tolist():
        pair = pairs[row]
        evidence = f"{pair.text}, the tensor is {a_body(margin[row])}: {show(tensors[row])}"
        meant = symmetric(tensors[row])
        found.append((pair.cause(), Proposal(pair.weight, evidence, I_BBcm_Bi=meant)))
    return found


def _pairs(written: Floats, term: Floats | None) -> Iterator[_Pair]:
    """Order and sign; order and point; sign and point; unit and point."""
    for slots, words, share in list_orders():
        reread, weight = written[list(slots)], _SECOND * share / ComponentOrder.BY_CHANCE
        negated = f"with {words}, and the products negated (sign-of-products)"
        yield _Pair(ComponentOrder, weight, negated, reread * PRODUCTS_NEGATED)
        if term is not None:
            moved = f"with {words}, and {_TERM} added (double-parallel-axis)"
            yield _Pair(ComponentOrder, weight, moved, reread + term)
    if term is None:
        return
    weight = _SECOND / len(UNITS) / _POINT_BY_CHANCE
    for unit, size in UNITS.items():
        added = f"in {unit} (units), and with {_TERM} added"
        yield _Pair(DoubleParallelAxis, weight, added, size * written + term)
        taken = f"in {unit} (units), with its products negated and {_TERM} subtracted"
        yield _Pair(OriginTensorReadAsCom, weight, taken, size * written * PRODUCTS_NEGATED - term)


_SCALABLE = (ComponentOrder, SignOfProducts)
"""Causes that commute with a change of unit."""


def with_units(
    subject: Subject, single: Sequence[tuple[Cause, Proposal]]
) -> Iterator[tuple[Cause, Proposal]]:
    """Single causes whose body has an odd size, with the unit that makes it a usual one.

    Args:
        subject: The body.
        single: What single causes propose.
    """
    if not subject.broken or not subject.mass > 0:
        return
    chosen = [
        (cause, p, p.I_BBcm_Bi)
        for cause, p in single
        if isinstance(cause, _SCALABLE) and p.I_BBcm_Bi is not None
    ]
    if not chosen:
        return
    sizes = np.array([1.0, *UNITS.values()])
    tensors = entries(np.stack([tensor for _, _, tensor in chosen]))
    every = (tensors[:, None] * sizes[:, None]).reshape(-1, 6)
    mass = np.full(len(every), subject.mass)
    natural = naturalness(mass, every, subject.geometry, subject.R_BBi).reshape(len(chosen), -1)
    for row, (cause, proposal, _) in enumerate(chosen):
        best = int(np.argmax(natural[row]))
        if natural[row, best] <= _GAIN * natural[row, 0]:
            continue
        unit = list(UNITS)[best - 1]
        scaled = printable(tensors[row] * sizes[best])
        evidence = (
            f"{proposal.evidence}; and in {unit} (units), as its size for {subject.mass:.6g} kg "
            f"says: {show(scaled)}"
        )
        weight = proposal.weight * _SECOND
        yield (
            cause,
            proposal._replace(weight=weight, evidence=evidence, I_BBcm_Bi=symmetric(scaled)),
        )
