"""Equality by value of objects that hold arrays.

NumPy compares arrays entry by entry, so the equality that a dataclass makes raises an error as soon
as a field is an array. Here two objects are equal where they have one type, equal numbers of equal
shape, and NaN in the same places: a copy equals its original.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any


def equal_values(one: object, other: object) -> bool:
    """Compare two values: arrays by shape and numbers, NaN equal to NaN; containers by content.

    Arrays of different libraries are not equal. Precision is not compared, only numbers are.
    """
    if one is other:
        return True
    if hasattr(one, "__array__") or hasattr(other, "__array__"):
        return _equal_arrays(one, other)
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (isnan(one) and isnan(other))
    for kind in (tuple, list, Mapping):  # subclasses count as these, as for Python's own ==
        if isinstance(one, kind) and isinstance(other, kind):
            return _equal_containers(one, other)
    if _has_fields(one) and type(one) is type(other) and type(one).__eq__ is object.__eq__:
        return all(map(equal_values, _field_values(one), _field_values(other)))
    return bool(one == other)


def _equal_containers(one: Any, other: Any) -> bool:  # noqa: ANN401 - any container of any values
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(equal_values(one[k], other[k]) for k in one)
    return len(one) == len(other) and all(map(equal_values, one, other))


def _has_fields(one: object) -> bool:
    """Whether an object is a dataclass."""
    return hasattr(type(one), "__dataclass_fields__")


def _field_values(one: Any) -> tuple[object, ...]:  # noqa: ANN401 - any dataclass
    from dataclasses import fields  # no check of a file compares one

    return tuple(getattr(one, each.name) for each in fields(one) if each.compare)


def _equal_arrays(one: Any, other: Any) -> bool:  # noqa: ANN401 - arrays of any library
    import numpy as np  # what reads files compares by value, too, and loads no array library

    numpy = isinstance(one, (np.ndarray, np.generic)), isinstance(other, (np.ndarray, np.generic))
    if not all(numpy) and type(one) is not type(other):
        return False
    if tuple(one.shape) != tuple(other.shape):
        return False
    same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - NaN alone is not itself
    return bool(same.all())


class EqualByValue:  # noqa: PLW1641 - no hash is meant, see below
    """Base of classes that compare by the values of their fields and cannot be hashed.

    A hash would have to stay the same while the arrays that an object holds can be written to.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same type and equal values, NaN equal to NaN."""
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, EqualByValue)
        return equal_values(self._values(), other._values())

    def _values(self) -> tuple[object, ...]:
        """The values that are compared: by default all fields of a dataclass."""
        assert _has_fields(self)
        return _field_values(self)
