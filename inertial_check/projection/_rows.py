"""Working on the rows of a batch that need it, and leaving every other bit as it is."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.broadcasting import device_of
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array


class Rows:
    """The rows that a mask selects: gathered on NumPy, computed beside the others elsewhere.

    Array libraries that trace or compile know no shape that depends on data. There `take` gives all
    rows, with a harmless stand-in where the mask is false, and `put` keeps the others by `where`.

    Attributes:
        mask: (...,) booleans.
    """

    def __init__(self, mask: Array) -> None:
        self.mask = mask
        self._gathers = isinstance(mask, (np.ndarray, np.generic))

    def take(self, array: Array, blank: tuple[float, ...]) -> Array:
        """The rows of array (..., k), (n, k) on NumPy; blank (k,) stands in elsewhere."""
        if self._gathers:
            return array[self.mask]
        xp = array_namespace(array)
        stand_in = xp.asarray(blank, dtype=array.dtype, device=device_of(array))
        return xp.where(self.mask[..., None], array, stand_in)

    def put(self, values: Array, into: Array) -> Array:
        """A copy of `into`, (...,) or (..., k), with these values in the selected rows."""
        if self._gathers:
            result = np.array(into)
            result[self.mask] = values
            return result
        xp = array_namespace(into)
        mask = self.mask if into.ndim == self.mask.ndim else self.mask[..., None]
        return xp.where(mask, values, into)

    @property
    def none(self) -> bool:
        """Known to be empty; False where the library cannot say without looking."""
        return self._gathers and not np.any(self.mask)
