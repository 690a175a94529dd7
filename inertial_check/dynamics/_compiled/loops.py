"""Compiled loops on chunks of configurations, as `equations` calls them."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Array, Floats, Integers, NumpyArray
from inertial_check.dynamics._batches import Chunk
from inertial_check.dynamics._compiled import articulated, matrices, momenta, motions, regressors
from inertial_check.dynamics._compiled.layout import lay_out, read_states
from inertial_check.dynamics.tree import INERTIAL_FRAME, Tree
from inertial_check.inertia import tolerances


def write_mass_matrix(tree: Tree, chunk: Chunk, out: NumpyArray) -> None:
    """Write M into (k, n_u, n_u)."""
    matrices.mass_matrix(lay_out(tree, chunk), read_states(tree, chunk), out)


def write_regressor(
    tree: Tree, chunk: Chunk, gravity: Floats, positions: Integers, out: NumpyArray
) -> None:
    """Write Y into (k, n_u, 10 N)."""
    layout, states = lay_out(tree, chunk), read_states(tree, chunk)
    regressors.regressor(layout, states, gravity, positions, out)


def newton_euler(tree: Tree, chunk: Chunk, gravity: Floats) -> Floats:
    """The forces M du + b + g, (k, n_u)."""
    out = np.empty((tree.n_u, chunk.count))
    motions.newton_euler(lay_out(tree, chunk), read_states(tree, chunk), gravity, out)
    return np.ascontiguousarray(out.T)


def solve_mass_matrix(tree: Tree, chunk: Chunk) -> Floats | None:
    """M^-1 tau, (k, n_u); None where a joint moves nothing that has inertia."""
    out, floor = np.empty((tree.n_u, chunk.count)), float(tolerances.floor(np.ones(1))[0])
    layout, states = lay_out(tree, chunk), read_states(tree, chunk)
    tau = np.array(chunk.beside["tau"], order="C")
    fine = articulated.solve_mass_matrix(layout, states, tau, floor, out)
    return np.ascontiguousarray(out.T) if fine else None


def centroidal_momenta(tree: Tree, chunk: Chunk, starts: list[Array]) -> Floats:
    """Angular momenta about S and linear ones at unit velocities, (k, 6, n_u).

    Args:
        tree: The tree.
        chunk: The configurations.
        starts: (3, k) for each body, from where in I its position is measured.
    """
    first = np.array(starts[0])
    roots = np.zeros(len(tree), dtype=np.intp)
    shifts: list[NumpyArray] = []
    for body in tree.order:
        if tree.parents[body] == INERTIAL_FRAME:
            roots[body] = len(shifts)
            shifts.append(np.asarray(starts[body]) - first)
        else:
            roots[body] = roots[tree.parents[body]]
    out = np.empty((chunk.count, 6, tree.n_u))
    layout, states = lay_out(tree, chunk), read_states(tree, chunk)
    momenta.centroidal_momenta(layout, states, roots, np.array(shifts, order="C"), out)
    return out
