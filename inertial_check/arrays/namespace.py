"""The array library of the caller: NumPy without any import, every other through the array API."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Array, Namespace


def array_namespace(*arrays: Array) -> Namespace:
    """The array-API namespace that all `arrays` share; plain numbers and lists count as NumPy's.

    Raises:
        TypeError: Arrays of several libraries.
    """
    for array in arrays:
        if type(array) is not np.ndarray:
            break
    else:  # the usual case, in a tenth of the time
        return np
    arrays = tuple(a for a in arrays if not isinstance(a, (float, int, list, tuple)))
    if all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
        return np
    from array_api_compat import array_namespace as namespace

    shared: Namespace = namespace(*arrays)
    return shared
