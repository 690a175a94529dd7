"""The types that annotations of arrays share.

Code for files and commands works on NumPy arrays and says so: Floats, Integers, Mask. The numerical
core takes the arrays of any library with the Python array API. Its functions accept an ArrayLike
and return an Array; a function that is handed the library itself calls that argument xp and
annotates it as a Namespace.

The array library of the caller: NumPy without any import, every other through the array API.

Arguments as real floating arrays of one library, one precision, one device and known shapes.

Numbers that are not finite go through everywhere as IEEE arithmetic has it, without a warning:
whether they are a body is for the consistency check to say, row by row.

Indexing of objects that hold a batch of bodies: which rows an index means, and how many.

Random numbers from the generator of the caller's array library, in its precision.

Equality by value of objects that hold arrays.

NumPy compares arrays entry by entry, so the equality that a dataclass makes raises an error as soon
as a field is an array. Here two objects are equal where they have one type, equal numbers of equal
shape, and NaN in the same places: a copy equals its original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from math import isnan
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np

from inertial_check.errors import ParameterError, RowIndexError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    """A NumPy array of double-precision numbers."""

    Integers = npt.NDArray[np.intp]
    """A NumPy array of indices or counts."""

    Mask = npt.NDArray[np.bool_]
    """A NumPy array of truth values."""

    NumpyArray = npt.NDArray[Any]  # Any: whatever its entries are
    """A NumPy array of any kind of entries."""

    LongIntegers = npt.NDArray[np.int64]
    """A NumPy array of 64-bit integers."""

else:  # the module numpy.typing is for type checkers: `import numpy` does not load it
    Floats = Integers = Mask = NumpyArray = LongIntegers = np.ndarray

DType = Any  # Any: every library has a class of its own for the types of entries
"""The type of an array's entries, of any library."""

Device = Any  # Any: every library has a class of its own for devices; NumPy has strings
"""The place where an array's numbers are, of any library; None for the default."""

Generator = Any  # Any: an integer, or a class of NumPy, PyTorch or JAX
"""A seed, a numpy.random.Generator, a torch.Generator or a JAX key."""

_Operand = Any  # Any: what stands beside an array, or indexes it, differs between the libraries


class Array(Protocol):  # noqa: PLW1641 - arrays have no hash
    """An array of any library that speaks the array API (NumPy, PyTorch, JAX, CuPy, ...).

    It has the attributes and operators of the array API, and the methods that the libraries share.
    For functions that ask for a numpy.ndarray, use numpy.asarray(array): no number is copied.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def device(self) -> Device: ...
    @property
    def mT(self) -> Array: ...
    @property
    def T(self) -> Array: ...
    def __array__(self) -> NumpyArray: ...
    def tolist(self) -> Any: ...  # noqa: ANN401 - a number, or lists of lists as deep as the array
    def all(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def any(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def sum(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def mean(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def min(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def max(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def reshape(self, *args: _Operand, **kwargs: _Operand) -> Array: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...  # Any: rows, or numbers of an array of one axis
    def __getitem__(self, key: _Operand, /) -> Array: ...
    def __setitem__(self, key: _Operand, value: _Operand, /) -> None: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __neg__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __add__(self, other: _Operand, /) -> Array: ...
    def __radd__(self, other: _Operand, /) -> Array: ...
    def __sub__(self, other: _Operand, /) -> Array: ...
    def __rsub__(self, other: _Operand, /) -> Array: ...
    def __mul__(self, other: _Operand, /) -> Array: ...
    def __rmul__(self, other: _Operand, /) -> Array: ...
    def __truediv__(self, other: _Operand, /) -> Array: ...
    def __rtruediv__(self, other: _Operand, /) -> Array: ...
    def __floordiv__(self, other: _Operand, /) -> Array: ...
    def __mod__(self, other: _Operand, /) -> Array: ...
    def __pow__(self, other: _Operand, /) -> Array: ...
    def __matmul__(self, other: _Operand, /) -> Array: ...
    def __and__(self, other: _Operand, /) -> Array: ...
    def __or__(self, other: _Operand, /) -> Array: ...
    def __lt__(self, other: _Operand, /) -> Array: ...
    def __le__(self, other: _Operand, /) -> Array: ...
    def __gt__(self, other: _Operand, /) -> Array: ...
    def __ge__(self, other: _Operand, /) -> Array: ...
    def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]  # entry by entry
    def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]  # entry by entry


_Scalar = float | np.integer | np.floating
_Row = Sequence[_Scalar] | Array

ArrayLike = (
    Array
    | _Scalar
    | Sequence[_Scalar]
    | Sequence[_Row]
    | Sequence[Sequence[_Row]]
    | Sequence[Sequence[Sequence[_Row]]]
)
"""An array of any library, a number, or nested sequences of numbers; no text, unlike NumPy's."""


class FloatLimits(Protocol):
    """The limits of a floating-point type, as finfo of an array library gives them."""

    @property
    def eps(self) -> float: ...
    @property
    def max(self) -> float: ...
    @property
    def tiny(self) -> float: ...
    @property
    def smallest_normal(self) -> float: ...


class Namespace(Protocol):
    """An array library as the array API defines it: numpy, array_api_compat.torch, jax.numpy."""

    inf: float
    nan: float

    def isdtype(self, dtype: DType, kind: str | tuple[str, ...]) -> bool:
        """Whether a type of entries is of a kind."""

    def finfo(self, dtype: DType, /) -> FloatLimits:
        """The limits of a floating-point type."""

    def nonzero(
        self,
        array: Any,  # noqa: ANN401 - NumPy's own takes its ArrayLike
        /,
    ) -> tuple[Array, ...]:
        """The indices of the entries that are not zero, axis by axis."""

    @property
    def linalg(self) -> Any:  # noqa: ANN401 - a module of functions that are optional
        """The functions of linear algebra."""

    @property
    def int8(self) -> DType: ...
    @property
    def float64(self) -> DType: ...

    def __array_namespace_info__(self) -> Any:  # noqa: ANN401 - a class of the library
        """Capabilities of the library."""

    def __getattr__(self, name: str, /) -> Callable[..., Array]:
        """Every other name of the array API that is used here is a function to an array."""

    def __hash__(self) -> int:
        """Libraries are keys of caches."""


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


SIX_PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of each of the six entries xx, xy, xz, yy, yz, zz of a symmetric 3x3 matrix."""

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
    if _are_doubles(arrays):
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
    given = cast("tuple[Floats, ...]", tuple(values.values()))
    if _are_doubles(given):  # the usual case, in a fifth of the time
        shapes = [array.shape for array in given]
        own, least = max(shapes, key=len), len(shape)
        for each in shapes:  # each is broadcast over the leading axes that it lacks
            if len(each) < least or own[len(own) - len(each) :] != each:
                break
        else:
            if own[len(own) - least :] == shape:
                return given
    arrays = []
    for name, value in values.items():
        array = np.asarray(real_arrays(**{name: value})[1][0], dtype=float)
        expect_shape(name, array, *shape)
        arrays.append(array)
    if shape and len(arrays) > 1:
        leading = [array.shape[: array.ndim - len(shape)] for array in arrays]
        batch_shape(**dict(zip(values, leading, strict=True)))
    return tuple(arrays)


def _are_doubles(arrays: tuple[Array, ...]) -> bool:
    """Whether all are NumPy's own arrays of double precision; loops over few cost least so."""
    for array in arrays:
        if type(array) is not np.ndarray or array.dtype is not _DOUBLE:
            break
    else:
        return True
    return False


_DOUBLE = np.dtype(np.float64)


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


def constant_like(xp: Namespace, values: Array | NumpyArray, like: Array) -> Array:
    """Make an array, mostly of NumPy, one of the library, precision and device of another."""
    if not isinstance(values, np.ndarray):  # a leaf of a JAX pytree
        return xp.asarray(values, dtype=like.dtype)
    if xp is np:
        return values.astype(like.dtype, copy=False)
    return xp.asarray(values.tolist(), dtype=like.dtype, device=device_of(like))


def copy_array(xp: Namespace, array: Array) -> Array:
    """The same numbers, which no one else can change: read-only where the library knows that.

    They are copied unless they are NumPy's and read-only already, in all memory that they look at.
    """
    if xp is not np:  # not by a multiplication, which takes XLA's subnormal numbers for zero
        clone = getattr(array, "clone", None)  # PyTorch's own copy, which keeps gradients
        return xp.asarray(array, copy=True) if clone is None else cast("Array", clone())
    look: object = array
    while isinstance(look, np.ndarray) and not look.flags.writeable:
        look = look.base
    owned = np.array(array) if look is not None else np.asarray(array)
    owned.flags.writeable = False
    return owned


def read_only(array: Array) -> Array:
    """The same numbers, not to be written through this array where the library knows that."""
    if isinstance(array, np.ndarray) and array.flags.writeable:
        array = array[...]  # a view of the same class
        array.flags.writeable = False
    return array


_Self = TypeVar("_Self")
_Value = TypeVar("_Value")


def cached_array(compute: Callable[[_Self], _Value]) -> cached_property[_Value]:
    """Make a method a property that is computed once, whose NumPy array is read-only."""

    @wraps(compute)
    def compute_once(self: _Self) -> _Value:
        return cast("_Value", read_only(cast("Array", compute(self))))

    return cached_property(compute_once)


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


def select_rows(array: Array, index: object, trailing: int) -> Array:
    """The rows of an array at an index of its batch axes; the trailing axes stay whole.

    Args:
        array: (..., k) with as many trailing axes as are said.
        index: Whatever the array library takes as an index of the batch axes; None adds one.
        trailing: Number of axes that belong to one row.

    Raises:
        RowIndexError: There are no such rows, or there is only one body.
    """
    parts: Any = index if isinstance(index, tuple) else (index,)
    names_rows = any(part is not None and part is not Ellipsis for part in parts)
    if array.ndim == trailing and names_rows:
        raise RowIndexError("there is one body, without rows; a batch is an array (n, 10)")
    try:
        return array[(*parts, *[slice(None)] * trailing)]
    except (IndexError, TypeError, ValueError) as error:
        raise RowIndexError(f"index {index!r} names no rows: {error}") from None


def count_rows(shape: tuple[int, ...]) -> int:
    """The length of the first batch axis, for __len__.

    Raises:
        TypeError: There is one body and no batch, as for len() of a number.
    """
    if not shape:
        raise TypeError(
            "one body has no length: the parameters are not batched, as an array (n, 10) is"
        )
    return shape[0]


def describe_counts(words: NumpyArray | Sequence[str]) -> str:
    """How often each word occurs, for a repr: "2 consistent, 1 inconsistent"."""
    names, counts = np.unique(np.asarray(words, dtype=str), return_counts=True)
    return ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))


EXPECTED = "a seed, a numpy.random.Generator, a torch.Generator or a JAX key"


def standard_normal(rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    """Independent standard normal numbers, in the precision of an array.

    Args:
        rng: A seed or a NumPy generator, for every array library; a generator of PyTorch or a key
            of JAX, for its own.
        shape: Of the result.
        xp: The namespace of `like`.
        like: An array whose precision the numbers get, and whose library those of NumPy.

    Raises:
        ParameterError: None of these.
    """
    return _draw("normal", rng, shape, xp, like)


def uniform(rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    """Independent numbers, uniform in [0, 1); arguments and errors as for standard_normal."""
    return _draw("uniform", rng, shape, xp, like)


def _draw(law: str, rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    kind = type(rng)
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        rng = np.random.default_rng(int(rng))
    if isinstance(rng, np.random.Generator):
        numbers = rng.standard_normal(shape) if law == "normal" else rng.random(shape)
        if xp is np:
            return numbers.astype(like.dtype, copy=False)
        return xp.asarray(numbers, dtype=like.dtype, device=device_of(like))
    if kind.__module__.partition(".")[0] == "torch" and kind.__name__ == "Generator":
        import torch

        make = torch.randn if law == "normal" else torch.rand
        dtype = like.dtype if isinstance(like, torch.Tensor) else torch.float64
        torch_numbers: Array = make(shape, generator=rng, dtype=dtype, device=rng.device)
        return torch_numbers
    from array_api_compat import is_jax_array

    if bool(is_jax_array(rng)):
        import jax

        # Any: the arrays that it makes are of JAX, whose type is not the protocol Array
        jax_make: Any = jax.random.normal if law == "normal" else jax.random.uniform
        jax_dtype = like.dtype if isinstance(like, jax.Array) else None
        jax_numbers: Array = (
            jax_make(rng, shape) if jax_dtype is None else jax_make(rng, shape, jax_dtype)
        )
        return jax_numbers
    said = repr(rng) if isinstance(rng, (int, float, str, bool)) or rng is None else kind.__name__
    raise ParameterError(f"rng is {said}, expected {EXPECTED}")


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


_SHOWN_VALUE = 60
"""Largest length of a field's value in the repr of a result [characters]."""

_SHOWN_TEXT = 250
"""Largest length of a field that is a text, such as a message, in the same [characters]."""


def show_fields(value: object, fields: Mapping[str, object]) -> str:
    """Show an object on one line: long fields by their type and length."""
    shown = []
    for name, each in fields.items():
        kind = type(each).__name__
        text = repr(each)
        if isinstance(each, (tuple, list, Mapping)) and each and not hasattr(each, "_fields"):
            text = f"<{kind} of {len(each)}>"
        long = len(text) > (_SHOWN_TEXT if isinstance(each, str) else _SHOWN_VALUE)
        shown.append(f"{name}={f'<{kind}>' if long else text}")
    return f"{type(value).__name__}({', '.join(shown)})"


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

    def __repr__(self) -> str:
        """Show the fields of a dataclass on one line, without the content of long ones."""
        assert _has_fields(self)
        from dataclasses import fields  # no check of a file shows one

        own: Any = self  # of subclasses, which are dataclasses
        shown = (each.name for each in fields(own) if each.repr)
        return show_fields(self, {name: getattr(self, name) for name in shown})

    def _values(self) -> tuple[object, ...]:
        """The values that are compared: by default all fields of a dataclass."""
        assert _has_fields(self)
        return _field_values(self)
