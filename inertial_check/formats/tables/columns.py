"""Columns of a table: their names and aliases, their sequence in a file, and their meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.representations import ORDERS, Order

MASS = ("m", "mass")
FIRST_MOMENT, COM = ("hx", "hy", "hz"), ("cx", "cy", "cz")
SIX = tuple(f"i{entry}" for entry in ORDERS["urdf"])
LABELS = ("name", "link", "body")
"""Names of a column or member that holds the name of a row, the preferred one first."""

VECTORS = {
    "com": COM,
    "centerofmass": COM,
    "centreofmass": COM,
    "h": FIRST_MOMENT,
    "firstmoment": FIRST_MOMENT,
}
"""The three columns that a list of three numbers stands for, by its plain name."""

EXPECTED = "m or mass; hx hy hz or cx cy cz; ixx ixy ixz iyy iyz izz"


def _list_aliases() -> dict[str, str]:
    names = dict.fromkeys(MASS, "m")
    for axis in "xyz":
        names |= dict.fromkeys((f"h{axis}", f"m{axis}", f"mc{axis}"), f"h{axis}")
        names |= dict.fromkeys((f"c{axis}", f"com{axis}"), f"c{axis}")
    for entry in SIX:
        i, j = entry[1], entry[2]
        names |= dict.fromkeys((f"i{i}{j}", f"i{j}{i}", f"{i}{j}", f"{j}{i}"), entry)
    return names


ALIASES = _list_aliases()
"""The column that each plain name means."""


@lru_cache(maxsize=1024)  # the names of a table are few, and come in every row
def plain(name: str) -> str:
    """Strip a column's name of case, unit and separators."""
    return re.sub(r"[\[(].*|[\s_.-]", "", name).casefold()


ErrorMaker = Callable[[str], DocumentError]
"""Makes an error of a reason, with the place that the caller knows."""


def choose_columns(names: Collection[str], error: ErrorMaker) -> tuple[str, ...]:
    """Choose the ten columns that make a row among those that there are.

    Raises:
        DocumentError: A column is missing, or there are both a first moment and a centre of mass.
    """
    vectors = [each for each in (FIRST_MOMENT, COM) if any(name in names for name in each)]
    if len(vectors) > 1:
        raise error("both first moments (hx) and a centre of mass (cx): keep one")
    ten = ("m", *(vectors[0] if vectors else FIRST_MOMENT), *SIX)
    missing = [name for name in ten if name not in names]
    if missing:
        raise error(f"nothing is called {missing[0]}; expected {EXPECTED}")
    return ten


@dataclass(frozen=True)
class Layout:
    """Meaning of a table's ten columns.

    Attributes:
        order: Order of the last six columns of the values that are read.
        named: Whether the numbers carry names; if not, the caller has declared `order`.
        has_com: Whether the vector is the centre of mass [m], not the first moment [kg m].
        sequence: Columns of the values in the sequence in which the file states them.
    """

    order: Order
    named: bool = False
    has_com: bool = False
    sequence: tuple[int, ...] = tuple(range(10))

    @classmethod
    def of(
        cls, names: Sequence[str], sequence: Sequence[int], declared: Order | None, path: str
    ) -> Layout:
        """Make the layout of rows with these ten names, or of bare numbers if there are none.

        Raises:
            UsageError: Bare numbers, and no order is declared.
        """
        order = "urdf" if names else require_order(declared, path)
        return cls(order, bool(names), "cx" in names, tuple(sequence))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the ten columns of values in order "urdf"."""
        return ("m", *(COM if self.has_com else FIRST_MOMENT), *SIX)

    def theta(self, values: Floats) -> Floats:
        """Convert values as written to (n, 10) in `order` with the first moment h = m c."""
        theta = np.array(values)
        if self.has_com:
            with np.errstate(all="ignore"):
                theta[:, 1:4] *= theta[:, :1]
        return theta

    def values(self, theta: Floats, values: Floats) -> Floats:
        """Convert parameters to values as written, with c = h / m where the table has c.

        Args:
            theta: (n, 10) with the first moment, in `order`.
            values: (n, 10) as the file has them: a centre of mass that need not change keeps its
                bits, which h / m might round.
        """
        written = np.array(theta)
        if self.has_com:
            kept = np.all(theta[:, :4] == self.theta(values)[:, :4], axis=1)[:, None]
            with np.errstate(all="ignore"):  # rows without mass keep their centre, see `kept`
                center = theta[:, 1:4] / theta[:, :1]
            written[:, 1:4] = np.where(kept, values[:, 1:4], center)
        return written


def check_order(order: Order | None) -> None:
    """Refuse an unknown order.

    Raises:
        UsageError: Names the orders.
    """
    if order is not None and order not in ORDERS:
        raise UsageError(f"unknown order {order!r}: choose one of {', '.join(ORDERS)}")


def require_order(order: Order | None, path: str) -> Order:
    """Give the order that the caller declared.

    Raises:
        UsageError: The caller declared none.
    """
    if order is None:
        raise UsageError(
            f"{path}: the six inertia numbers have no names that tell their order: "
            f"declare it with --order, one of {', '.join(ORDERS)}"
        )
    return order


def find_changes(values: Floats, others: Floats) -> Iterator[tuple[int, list[int]]]:
    """Find the rows in which two tables differ, and the columns; NaN equals NaN."""
    differs = (values != others) & ~(np.isnan(values) & np.isnan(others))
    places = zip(*(axis.tolist() for axis in np.nonzero(differs)), strict=True)
    for row, group in groupby(places, key=itemgetter(0)):
        yield row, [column for _, column in group]
