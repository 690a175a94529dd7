"""What the ten numbers of a row are called, how they lie in a file, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.representations import ORDERS

MASS = ("m", "mass")
FIRST_MOMENT, COM = ("hx", "hy", "hz"), ("cx", "cy", "cz")
SIX = tuple(f"i{entry}" for entry in ORDERS["urdf"])
LABELS = ("name", "link", "body")
VECTORS = {
    "com": COM,
    "centerofmass": COM,
    "centreofmass": COM,
    "h": FIRST_MOMENT,
    "firstmoment": FIRST_MOMENT,
}
EXPECTED = "m or mass; hx hy hz or cx cy cz; ixx ixy ixz iyy iyz izz"


def _aliases() -> dict[str, str]:
    """Column name, without case, unit and separators, to the number that it means."""
    names = dict.fromkeys(MASS, "m")
    for axis in "xyz":
        names |= dict.fromkeys((f"h{axis}", f"m{axis}", f"mc{axis}"), f"h{axis}")
        names |= dict.fromkeys((f"c{axis}", f"com{axis}"), f"c{axis}")
    for entry in SIX:
        i, j = entry[1], entry[2]
        names |= dict.fromkeys((f"i{i}{j}", f"i{j}{i}", f"{i}{j}", f"{j}{i}"), entry)
    return names


ALIASES = _aliases()


@lru_cache(maxsize=1024)  # the names of a table are few, and come in every row
def plain(name: str) -> str:
    """A column's name without case, unit and separators."""
    return re.sub(r"[\[(].*|[\s_.-]", "", name).casefold()


class Cell(NamedTuple):
    """A stretch of a table's text, without surrounding space and quotes."""

    start: int
    end: int


Complain = Callable[[str], DocumentError]
"""Makes an error of a reason, with the place that the caller knows."""


def wanted(names: Collection[str], complain: Complain) -> tuple[str, ...]:
    """The ten names that make a row, of those that there are.

    Raises:
        DocumentError: One is lacking, or there are two vectors.
    """
    vectors = [each for each in (FIRST_MOMENT, COM) if any(name in names for name in each)]
    if len(vectors) > 1:
        raise complain("both first moments (hx) and a centre of mass (cx): keep one")
    ten = ("m", *(vectors[0] if vectors else FIRST_MOMENT), *SIX)
    lacking = [name for name in ten if name not in names]
    if lacking:
        raise complain(f"nothing is called {lacking[0]}; expected {EXPECTED}")
    return ten


@dataclass(frozen=True)
class Layout:
    """How a table states its rows.

    Attributes:
        order: Order of the last six columns of the values that are read.
        named: Whether the numbers carry names, so that `order` is not the caller's word.
        has_com: Whether the vector is the centre of mass [m], not the first moment [kg m].
        sequence: Columns of the values in the sequence in which the file states them.
    """

    order: str
    named: bool = False
    has_com: bool = False
    sequence: tuple[int, ...] = tuple(range(10))

    @classmethod
    def of(
        cls, names: Sequence[str], sequence: Sequence[int], declared: str | None, path: str
    ) -> Layout:
        """The layout of rows with these ten names, or of bare numbers if there are none.

        Raises:
            UsageError: Bare numbers, and no order is declared.
        """
        order = "urdf" if names else declared_order(declared, path)
        return cls(order, bool(names), "cx" in names, tuple(sequence))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the ten columns of values in order "urdf"."""
        return ("m", *(COM if self.has_com else FIRST_MOMENT), *SIX)

    def theta(self, values: Floats) -> Floats:
        """(n, 10) with the first moment h = m c, in `order`, of the values as written."""
        theta = np.array(values)
        if self.has_com:
            with np.errstate(all="ignore"):
                theta[:, 1:4] *= theta[:, :1]
        return theta

    def values(self, theta: Floats, values: Floats) -> Floats:
        """What to write for other parameters: theta, with c = h / m where the table has that.

        Args:
            theta: (n, 10) with the first moment, in `order`.
            values: (n, 10) as they stand: a centre of mass that need not change keeps its bits.
        """
        written = np.array(theta)
        if self.has_com:
            kept = np.all(theta[:, :4] == self.theta(values)[:, :4], axis=1)[:, None]
            with np.errstate(all="ignore"):
                center = theta[:, 1:4] / theta[:, :1]
            written[:, 1:4] = np.where(kept, values[:, 1:4], center)
        return written


def known_order(order: str | None) -> str | None:
    """The order, looked over.

    Raises:
        UsageError: It is unknown.
    """
    if order is not None and order not in ORDERS:
        raise UsageError(f"unknown order {order!r}: choose one of {', '.join(ORDERS)}")
    return order


def declared_order(order: str | None, path: str) -> str:
    """The order that the caller declared.

    Raises:
        UsageError: None.
    """
    if order is None:
        raise UsageError(
            f"{path}: the six inertia numbers have no names that tell their order: "
            f"declare it with --order, one of {', '.join(ORDERS)}"
        )
    return order


def differing(values: Floats, others: Floats) -> Iterator[tuple[int, list[int]]]:
    """Rows in which two tables differ, and the columns; NaN differs from numbers only."""
    differs = (values != others) & ~(np.isnan(values) & np.isnan(others))
    places = zip(*(axis.tolist() for axis in np.nonzero(differs)), strict=True)
    for row, group in groupby(places, key=itemgetter(0)):
        yield row, [column for _, column in group]
