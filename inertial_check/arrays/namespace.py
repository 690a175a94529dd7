"""The array library of the caller: NumPy without any import, every other through the array API."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any
"""An array of any library that speaks the array API (NumPy, PyTorch, JAX, CuPy, ...)."""


def array_namespace(*arrays: Array) -> Any:
    """The array-API namespace that all `arrays` share; plain numbers and lists count as NumPy's.

    Raises:
        TypeError: Arrays of several libraries.
    """
    arrays = tuple(a for a in arrays if not isinstance(a, (float, int, list, tuple)))
    if all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
        return np
    from array_api_compat import array_namespace as namespace

    return namespace(*arrays)
