"""The compiler, and vectors as triples of numbers: compiled, they live in registers.

Numbers of K configurations stand side by side in a flat scratch array, so that the innermost loops
run over contiguous numbers and the compiler makes vector instructions of them. For this it has to
see that distances between rows are constants, and that no index is negative: hence Index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np

from inertial_check.arrays.types import Floats

P = ParamSpec("P")
T = TypeVar("T")

Index = Any  # Any: numpy.uint64, whose arithmetic with itself alone keeps its type when compiled
Scratch = Any  # Any: a flat array of float64, of which an Index of type Any would give arrays
Vector = tuple[float, float, float]
Columns = tuple[Vector, Vector, Vector]

K = 32
"""Configurations in a block: their scratch numbers stay in the cache of a core."""

U = np.uint64
"""An unsigned index."""

NEXT = U(K), U(2 * K)
"""Distances from the first number of a vector in a scratch array to the others."""


_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}, "nogil": True}
"""Options of the compiler: a product and a sum may be rounded once, and nothing else is reordered,
so that numbers that are not finite go through as in NumPy. The lock of the interpreter is free."""


def compile_part(function: Callable[P, T]) -> Callable[P, T]:
    """The function as a part of compiled loops; it cannot be called from Python."""
    options = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast("Callable[P, T]", numba.njit(**options)(function))


def compile_loop(function: Callable[P, T]) -> Callable[P, T]:
    """The function, compiled when it is first called, and kept on disk where a folder allows."""
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no folder for the cache can be written
        compiled = numba.njit(**_OPTIONS)(function)
    return cast("Callable[P, T]", compiled)


@compile_part
def load(S: Scratch, at: Index) -> Vector:
    """Read a vector of a configuration."""
    return S[at], S[at + NEXT[0]], S[at + NEXT[1]]


@compile_part
def store(S: Floats, at: Index, v: Vector) -> None:
    """Write a vector of a configuration."""
    S[at] = v[0]
    S[at + NEXT[0]] = v[1]
    S[at + NEXT[1]] = v[2]


@compile_part
def plus(a: Vector, b: Vector) -> Vector:
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@compile_part
def minus(a: Vector, b: Vector) -> Vector:
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@compile_part
def times(s: float, a: Vector) -> Vector:
    """The multiple s a."""
    return s * a[0], s * a[1], s * a[2]


@compile_part
def dot(a: Vector, b: Vector) -> float:
    """A . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compile_part
def cross(a: Vector, b: Vector) -> Vector:
    """A x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@compile_part
def combine(M: Columns, v: Vector) -> Vector:
    """M v of a matrix given by its columns."""
    return plus(plus(times(v[0], M[0]), times(v[1], M[1])), times(v[2], M[2]))


@compile_part
def project(M: Columns, v: Vector) -> Vector:
    """M^T v of a matrix given by its columns."""
    return dot(M[0], v), dot(M[1], v), dot(M[2], v)


@compile_part
def symmetric(diagonal: Vector, beside: Vector) -> Columns:
    """The symmetric matrix of xx, yy, zz and yz, xz, xy."""
    return (
        (diagonal[0], beside[2], beside[1]),
        (beside[2], diagonal[1], beside[0]),
        (beside[1], beside[0], diagonal[2]),
    )


@compile_part
def turn(R: Columns, M: Columns) -> tuple[Vector, Vector]:
    """R M R^T of a symmetric M: its xx, yy, zz and yz, xz, xy."""
    x, y, z = (R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2])
    along = combine(M, x), combine(M, y), combine(M, z)
    return (
        (dot(x, along[0]), dot(y, along[1]), dot(z, along[2])),
        (dot(y, along[2]), dot(x, along[2]), dot(x, along[1])),
    )


@compile_part
def load_columns(S: Floats, at: Index) -> Columns:
    """Read a matrix of a configuration."""
    return load(S, at), load(S, at + U(3 * K)), load(S, at + U(6 * K))


@compile_part
def store_columns(S: Floats, at: Index, M: Columns) -> None:
    """Write a matrix of a configuration."""
    store(S, at, M[0])
    store(S, at + U(3 * K), M[1])
    store(S, at + U(6 * K), M[2])
