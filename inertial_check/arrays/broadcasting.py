"""Arguments as real floating arrays of one library, one precision, one device and known shapes.

Numbers that are not finite go through everywhere as IEEE arithmetic has it, without a warning:
whether they are a body is for the consistency check to say, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array, ArrayLike, Device, DType, Floats, Namespace
from inertial_check.errors import ParameterError

quiet = np.errstate(all="ignore")
"""Decorator: rows that are not finite stay NaN or infinite instead of printing warnings."""


def real_arrays(**values: ArrayLike) -> tuple[Namespace, tuple[Array, ...]]:
    """The namespace of the values, and the values as real floating arrays of it.

    Floating arrays set the precision (the widest wins). Numbers, lists and integer arrays follow
    it, and become float64 where no floating array is among the values.

    Args:
        **values: Arrays, numbers or nested lists, by the names that error messages call them.

    Raises:
        ParameterError: A value that holds no real numbers, or arrays of several libraries.
    """
    # All of them are called arrays here, also the numbers and lists that _read makes arrays of.
    arrays = cast("tuple[Array, ...]", tuple(values.values()))
    if all(type(a) is np.ndarray and a.dtype == np.float64 for a in arrays):
        return np, arrays
    for name, value in values.items():
        if _is_array(value) and not hasattr(value, "dtype"):
            kind = type(value).__name__
            raise ParameterError(f"{name} is a {kind}, expected an array, a number or a list")
        if hasattr(value, "filled"):  # NumPy would drop the mask and read what is under it
            raise ParameterError(f"{name} is a masked array; fill it first: {name}.filled(nan)")
    try:
        xp = array_namespace(*arrays)
    except TypeError as error:
        raise ParameterError(
            f"{', '.join(values)}: {error}; pass arrays of one library, numbers or lists"
        ) from error
    read = {name: _read(xp, name, value) for name, value in values.items()}
    strong = [
        read[name].dtype
        for name, value in values.items()
        if _is_array(value) and xp.isdtype(read[name].dtype, "real floating")
    ]
    dtype = xp.result_type(*strong) if strong else _widest(xp)
    device = device_of(*(value for value in arrays if _is_array(value)))
    return xp, tuple(_cast(xp, array, dtype, device) for array in read.values())


def read_floats(shape: tuple[int, ...], **values: ArrayLike) -> tuple[Floats, ...]:
    """Arguments as NumPy arrays of double precision, for functions that work on NumPy alone.

    Args:
        shape: Lengths of the last axes of each.
        **values: Arrays, numbers or nested lists, by the names that error messages call them.

    Raises:
        ParameterError: A value that holds no real numbers, has other last axes, or, where last
            axes are given, leading axes that do not broadcast with those of the others.
    """
    arrays = []
    for name, value in values.items():
        array = np.asarray(real_arrays(**{name: value})[1][0], dtype=float)
        expect_shape(name, array, *shape)
        arrays.append(array)
    if shape and len(arrays) > 1:
        leading = [array.shape[: array.ndim - len(shape)] for array in arrays]
        batch_shape(**dict(zip(values, leading, strict=True)))
    return tuple(arrays)


def as_number(value: object) -> float:
    """Read a value as a float; NaN, which passes no comparison, where it is no real number."""
    if isinstance(value, (str, bytes)):
        return np.nan
    try:
        return float(cast("float", value))
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return np.nan


def expect_shape(name: str, array: Array, *trailing: int) -> None:
    """Refuse an array whose last axes are not the expected ones.

    Raises:
        ParameterError: Naming the shape it got.
    """
    shape = tuple(array.shape)
    if shape[max(len(shape) - len(trailing), 0) :] != trailing:
        expected = ", ".join(["...", *map(str, trailing)])
        raise ParameterError(f"{name} has shape {shape}, expected ({expected})")


def batch_shape(**batches: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape to which the leading axes of several arrays broadcast.

    Raises:
        ParameterError: They do not fit together.
    """
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        shapes = ", ".join(f"{name} {tuple(shape)}" for name, shape in batches.items())
        raise ParameterError(
            f"the leading axes do not broadcast to one batch of bodies: {shapes}"
        ) from None


def first_index(xp: Namespace, bad: Array) -> tuple[int, ...] | None:
    """Where a boolean array is first true; None if nowhere, or if a trace hides the values."""
    try:
        if not bool(xp.any(bad)):
            return None
    except (TypeError, RuntimeError):  # JAX and PyTorch tracers: there are no values yet
        return None
    if bad.ndim == 0:
        return ()
    return tuple(int(axis[0]) for axis in xp.nonzero(bad))


def of_body(index: tuple[int, ...]) -> str:
    """Which body an error is about, for the end of a noun phrase; "" for a single one."""
    if not index:
        return ""
    return f" of body {index[0] if len(index) == 1 else index}"


def gather(xp: Namespace, array: Array, indices: tuple[int, ...]) -> Array:
    """The entries of the last axis with these indices, in their order."""
    if xp is np:
        return array[..., indices]
    return xp.take(array, xp.asarray(indices, device=device_of(array)), axis=-1)


def product(xp: Namespace, left: Array, right: Array) -> Array:
    """Matrix products (..., n, n) in full precision: some accelerators' matmul rounds its input."""
    return xp.sum(left[..., :, :, None] * right[..., None, :, :], axis=-2)


def cross_components(
    a: Sequence[Array] | Array, b: Sequence[Array] | Array
) -> tuple[Array, Array, Array]:
    """Compute the three components of a x b from those of a and of b, arrays of any shape."""
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def device_of(*arrays: Array) -> Device:
    """Where new arrays belong beside these; None for NumPy, which has one place."""
    foreign = [array for array in arrays if not isinstance(array, (np.ndarray, np.generic))]
    if not foreign:
        return None
    from array_api_compat import device

    return device(foreign[0])


def copy_array(xp: Namespace, array: Array) -> Array:
    """A copy that no one else can change: read-only where the library knows that."""
    return read_only(np.array(array)) if xp is np else array * 1


def read_only(array: Array) -> Array:
    """The same numbers, not to be written through this array where the library knows that."""
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


def _is_array(value: object) -> bool:
    return not isinstance(value, (float, int, list, tuple)) or isinstance(value, np.generic)


def _read(xp: Namespace, name: str, value: ArrayLike) -> Array:
    """The value as an array of numbers: NumPy's for numbers and lists, else of its own library."""
    array = cast("Array", value)
    if xp is np or not _is_array(value):
        try:
            array = np.asarray(value)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ParameterError(f"{name} cannot be read as an array: {error}") from error
    library = np if isinstance(array, np.ndarray) else xp
    if not library.isdtype(array.dtype, ("real floating", "integral")):
        raise ParameterError(f"{name} holds {array.dtype}, expected real numbers")
    return array


def _cast(xp: Namespace, array: Array, dtype: DType, device: Device) -> Array:
    if xp is np:
        return np.asarray(array, dtype=dtype)
    if isinstance(array, np.ndarray):
        return xp.asarray(array.tolist(), dtype=dtype, device=device)
    return array if array.dtype == dtype else xp.astype(array, dtype)


def _widest(xp: Namespace) -> DType:
    """float64, save where the library has it switched off (JAX)."""
    if xp is np:
        return np.float64
    known = xp.__array_namespace_info__().dtypes(kind="real floating")
    return known.get("float64", known.get("float32"))
