"""Which batches go through compiled loops: large ones of float64, where Numba is installed."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

import numpy as np

from inertial_check.arrays.types import Array, Floats, Integers, NumpyArray
from inertial_check.dynamics._batches import Batch, Chunk
from inertial_check.dynamics.tree import Tree

LEAST = 512
"""Fewest configurations that take compiled loops: loading them costs as much as some batches."""


class Loops(Protocol):
    """The functions of `loops`, without importing them."""

    def write_mass_matrix(self, tree: Tree, chunk: Chunk, out: NumpyArray) -> None:
        """Write M into (k, n_u, n_u)."""

    def write_regressor(
        self, tree: Tree, chunk: Chunk, gravity: Floats, positions: Integers, out: NumpyArray
    ) -> None:
        """Write Y into (k, n_u, 10 N)."""

    def newton_euler(self, tree: Tree, chunk: Chunk, gravity: Floats) -> Floats:
        """The forces M du + b + g, (k, n_u)."""

    def centroidal_momenta(self, tree: Tree, chunk: Chunk, starts: list[Array]) -> Floats:
        """Angular momenta about S and linear ones at unit velocities, (k, 6, n_u)."""

    def solve_mass_matrix(self, tree: Tree, chunk: Chunk) -> Floats | None:
        """M^-1 tau, (k, n_u); None where a joint moves nothing that has inertia."""


def choose_loops(batch: Batch, out: NumpyArray | None = None) -> Loops | None:
    """The compiled loops for a batch; None where the NumPy path has to do.

    They take float64 arrays of NumPy, with one theta for all configurations.

    Args:
        batch: The configurations.
        out: Array that the result is written into; None for a new one.
    """
    if batch.xp is not np or batch.like.dtype != np.float64 or not batch.shares_theta:
        return None
    if batch.count < LEAST or not batch.tree.n_u:
        return None
    return load_loops() if out is None or out.flags.aligned else None


@cache
def load_loops() -> Loops | None:
    """The compiled loops; None without Numba, or where NUMBA_DISABLE_JIT turns its compiler off."""
    if find_spec("numba") is None:
        return None
    try:
        numba = import_module("numba")
    except ImportError:  # of a Numba that is older than this NumPy
        return None
    if numba.config.DISABLE_JIT:
        return None
    return cast("Loops", import_module("inertial_check.dynamics._compiled.loops"))
