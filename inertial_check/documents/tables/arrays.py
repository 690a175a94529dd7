"""Tables as NumPy arrays: npy of shape (n, 10), npz with named arrays; read in pieces.

An npz holds `theta` (n, 10), or `mass` (n,), `com` or `first_moment` (n, 3) and `inertia` (n, 6) or
(n, 3, 3); `name` (n,) if rows have names. Other arrays are kept when the table is written again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from inertial_check.documents.archives import (
    AnyArray,
    Archive,
    ArrayStream,
    as_float64,
    decode_texts,
)
from inertial_check.documents.tables.reading import Block, Layout, TableReader, require_order
from inertial_check.errors import DocumentError, ParameterError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import Order, six

_MEMBERS = {
    "theta": ("theta",),
    "mass": ("mass", "m"),
    "com": ("com",),
    "first_moment": ("first_moment", "h"),
    "inertia": ("inertia",),
    "name": ("name",),
}
_ROWS = {"theta": (10,), "mass": (), "com": (3,), "first_moment": (3,), "name": ()}
_MATRIX, _BARE = (3, 3), (6,)


class NpzReader(TableReader):
    """Reads the arrays of a table in an npz file side by side."""

    format = "npz"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path = path
        self.archive = Archive(stream, path)
        self.roles = self._find_roles()
        self.arrays = {role: self.archive.array(name) for role, name in self.roles.items()}
        # Refuse arrays of wrong shape or type, or of different numbers of rows.
        rows = None
        for role, array in self.arrays.items():
            shape, kind = array.header.shape, array.header.dtype.kind
            expected = [_ROWS[role]] if role != "inertia" else [_BARE, _MATRIX]
            if not shape or shape[1:] not in expected:
                wanted = " or ".join(
                    ("(" + ", ".join(["n", *map(str, each)]) + ("," if not each else "") + ")")
                    for each in expected
                )
                reason = f"{array.name}: has shape {shape}, expected {wanted}"
                raise DocumentError(self.path, reason)
            if kind not in ("US" if role == "name" else "fiu"):
                wanted = "text" if role == "name" else "real numbers"
                reason = f"{array.name}: holds {array.header.dtype}, expected {wanted}"
                raise DocumentError(self.path, reason)
            if rows is not None and rows != shape[0]:
                first = next(iter(self.arrays.values()))
                reason = f"{array.name}: has {shape[0]} rows, and {first.name} has {rows}"
                raise DocumentError(self.path, reason)
            rows = shape[0]
        bare = "theta" in self.roles or self.arrays["inertia"].header.shape[1:] == _BARE
        self.layout = Layout(
            require_order(order, path) if bare else "urdf", not bare, "com" in self.roles
        )
        self.rows = next(iter(self.arrays.values())).rows
        if not self.rows:
            raise DocumentError(path, "the table has no rows")

    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time."""
        for first in range(0, self.rows, rows):
            taken = {role: array.take(rows) for role, array in self.arrays.items()}
            values = self._values(taken, first)
            labels = [None] * len(values) if "name" not in taken else decode_texts(taken["name"])
            yield Block(first, values, labels)

    def _find_roles(self) -> dict[str, str]:
        """Find the name of the array for each role.

        Raises:
            DocumentError: An array is missing, or two have one role.
        """
        roles: dict[str, str] = {}
        for role, names in _MEMBERS.items():
            found = [name for name in names if name in self.archive.members]
            if len(found) > 1:
                raise DocumentError(self.path, f"{found[0]} and {found[1]} mean the same: keep one")
            roles |= dict.fromkeys([role] if found else [], found[0] if found else "")
        vectors = [role for role in ("com", "first_moment") if role in roles]
        parts = {"mass", "inertia"} & roles.keys()
        if "theta" in roles and (parts or vectors):
            other = next(iter([*sorted(parts), *vectors]))
            raise DocumentError(self.path, f"theta and {other} say the same twice: keep one")
        if len(vectors) == 2:
            raise DocumentError(self.path, "both a first moment and a centre of mass: keep one")
        if "theta" not in roles and (len(parts) < 2 or not vectors):
            has = ", ".join(sorted(self.archive.members)) or "nothing"
            raise DocumentError(
                self.path,
                f"the archive has {has}; expected theta (n, 10), or mass (n,), com or first_moment "
                "(n, 3) and inertia (n, 6) or (n, 3, 3)",
            )
        return roles

    def _values(self, taken: dict[str, AnyArray], first: int) -> Floats:
        """Put the arrays of some rows side by side."""
        if "theta" in taken:
            return as_float64(taken["theta"])
        vector = taken["com" if "com" in taken else "first_moment"]
        inertia = as_float64(taken["inertia"])
        if inertia.ndim == 3:
            inertia = self._upper(inertia, first)
        return np.column_stack([as_float64(taken["mass"]), as_float64(vector), inertia])

    def _upper(self, inertia: Floats, first: int) -> Floats:
        """Take the six entries of matrices, averaging halves that differ by rounding.

        Raises:
            DocumentError: A matrix is not symmetric; names its row.
        """
        try:
            return np.asarray(six(inertia))
        except ParameterError:
            for row, matrix in enumerate(inertia):  # one by one, to find the row
                try:
                    six(matrix)
                except ParameterError as error:
                    place = f"{self.roles['inertia']}[{first + row}]"
                    raise DocumentError(self.path, f"{place}: {error}") from None
            raise


class NpyReader(TableReader):
    """Reads the rows of the array in an npy file."""

    format = "npy"

    def __init__(self, stream: BinaryIO, path: str, order: Order | None) -> None:
        self.path, self.stream = path, stream
        self.array = ArrayStream.of(stream, path, "")
        header = self.array.header
        if header.shape[1:] != (10,) or header.dtype.kind not in "fiu":
            reason = f"an array of {header.dtype} of shape {header.shape}"
            raise DocumentError(path, f"{reason}, expected real numbers of shape (n, 10)")
        if not self.array.rows:
            raise DocumentError(path, "the table has no rows")
        self.layout = Layout(require_order(order, path))

    def blocks(self, rows: int) -> Iterator[Block]:
        """Read the rows in their order, so many at a time."""
        for first in range(0, self.array.rows, rows):
            values = as_float64(self.array.take(rows))
            yield Block(first, values, [None] * len(values))

    def reopen(self) -> ArrayStream:
        """Begin to read the array again."""
        self.stream.seek(0)
        return ArrayStream.of(self.stream, self.path, "")
