"""The types that annotations of arrays share.

Code for files and commands works on NumPy arrays and says so: Floats, Integers, Mask. The numerical
core takes the arrays of any library with the Python array API. Its functions accept an ArrayLike
and return an Array; a function that is handed the library itself calls that argument xp and
annotates it as a Namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

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
