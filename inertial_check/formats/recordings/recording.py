"""What a recording holds, as plain data, and that its arrays belong to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError

Place = Callable[[str, tuple[int, ...]], tuple[str, int | None, int | None]]
"""Of an entry, by the quantity and the index: what to call it, and its line and column if any."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """Samples of a robot's motion and torques, or of the equations that they make.

    Attributes:
        path: Of the file, as it was named.
        t: (S,) time [s], as stamped; None where the file has none.
        q: (S, n) positions of the joints [rad or m], or None.
        u: (S, n) velocities [rad/s or m/s], or None.
        du: (S, n) accelerations [rad/s^2 or m/s^2], or None.
        tau: (S, n) torques or forces [N m or N], or None where the caller can do without.
        Y: (S, n, 10 L) regressor, in place of the motion; or None.
        F: (S, n, k) columns of what is beside the bodies, only with Y; or None.
        columns: Names of the columns of F, where the file gives them.
        joints: Names of the n joints in the order of the columns, where the file gives them.
        ignored: What else the file holds.
    """

    path: str
    t: Floats | None = None
    q: Floats | None = None
    u: Floats | None = None
    du: Floats | None = None
    tau: Floats | None = None
    Y: Floats | None = None
    F: Floats | None = None
    columns: tuple[str, ...] | None = None
    joints: tuple[str, ...] | None = None
    ignored: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """The sizes."""
        held = ", ".join(name for name in ("t", *SIGNALS, "Y", "F") if name not in self.absent)
        return f"Recording({self.path!r}: {held}; samples {self.samples}, joints {self.count})"

    @property
    def absent(self) -> tuple[str, ...]:
        """Which of t, q, u, du, tau, Y and F the file does not have."""
        return tuple(name for name in ("t", *SIGNALS, "Y", "F") if getattr(self, name) is None)

    @property
    def samples(self) -> int:
        """S."""
        return len(self._shown)

    @property
    def count(self) -> int:
        """How many joints there are, n."""
        return int(self._shown.shape[1])

    @property
    def _shown(self) -> Floats:
        shown = self.q if self.Y is None else self.Y
        assert shown is not None
        return shown


SIGNALS = ("q", "u", "du", "tau")
"""Arrays of one column a joint."""


def refuse_not_finite(path: str, arrays: Mapping[str, Floats], place: Place) -> None:
    """Refuse what is no number: no sample can be used half.

    Raises:
        DocumentError: Names the first of each file, and how many there are.
    """
    for name, array in arrays.items():
        bad = ~np.isfinite(array)
        if not bad.any():
            continue
        index = tuple(int(axis[0]) for axis in np.nonzero(bad))
        called, line, column = place(name, index)
        rows = int(bad.reshape(len(bad), -1).any(axis=1).sum())
        raise DocumentError(
            path,
            f"{called} is {array[index]}, expected a finite number: "
            f"leave out the {rows} of {len(bad)} samples in which {name} has such values",
            line,
            column,
        )


def refuse_unlike(path: str, arrays: Mapping[str, Floats]) -> None:
    """Refuse signals of different numbers of joints or samples.

    Args:
        path: Of the file.
        arrays: t (S,) and signals (S, n) by name.

    Raises:
        DocumentError: Names two that differ.
    """
    first = next((name for name in SIGNALS if name in arrays), None)
    for name, array in arrays.items():
        if first is None or name == first:
            continue
        if array.ndim > 1 and array.shape[1] != arrays[first].shape[1]:
            raise DocumentError(
                path,
                f"{name} has {array.shape[1]} and {first} has {arrays[first].shape[1]} columns: "
                "expected one for each joint in both",
            )
        if len(array) != len(arrays[first]):
            raise DocumentError(
                path,
                f"{name} has {len(array)} samples and {first} has {len(arrays[first])}: "
                "expected as many in both",
            )
