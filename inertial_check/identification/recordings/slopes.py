"""Slopes of one signal over another, column by column, and the share of the variance explained."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances


def fit_lines(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Slope of y over x, column by column, and the share of the variance of y it explains."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    xx, xy, yy = (x * x).sum(axis=0), (x * y).sum(axis=0), (y * y).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(xx > 0, xy / xx, np.nan), np.where(xx * yy > 0, xy**2 / (xx * yy), 0.0)


def make_basis(predicted: Floats, u: Floats | None) -> Floats:
    """(S, n, c) what a torque may be made of, the predicted one last; orthonormal columns.

    Columns that the ones before them make up are zero.
    """
    rest = [] if u is None else [u, np.sign(u)]
    columns: list[Floats] = []
    for column in (np.ones_like(predicted), *rest, predicted):
        own = column
        for _ in range(2):  # once more: the first pass leaves rounding along the others
            for other in columns:
                own = own - other * (other * own).sum(axis=0)
        size = np.linalg.norm(own, axis=0)
        kept = size > tolerances.MADE_UP * np.linalg.norm(column, axis=0)
        columns.append(np.where(kept, own, 0.0) / np.where(kept, size, 1.0))
    return np.stack(columns, axis=2)


def fit_slopes(tau: Floats, predicted: Floats, u: Floats | None) -> tuple[Floats, Floats]:
    """(n,) slope over the predicted torque, and the share that it explains of what is left to it.

    Both are 0 where the prediction is made up of friction and offset.
    """
    basis = make_basis(predicted, u)
    parts = np.einsum("snc,sn->nc", basis, tau)
    own = (basis[:, :, -1] * predicted).sum(axis=0)
    left = np.maximum((tau**2).sum(axis=0) - (parts[:, :-1] ** 2).sum(axis=1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(own > 0, parts[:, -1] / own, 0.0)
        return slopes, np.where((own > 0) & (left > 0), parts[:, -1] ** 2 / left, 0.0)


def measure_shifts(tau: Floats, predicted: Floats, u: Floats | None, most: int) -> Floats:
    """(2 most + 1, n) share of the variance left when the torques come -most to most later."""
    count = len(tau) - 2 * most
    middle = slice(most, most + count)
    basis = make_basis(predicted[middle], None if u is None else u[middle])
    left = np.ones((2 * most + 1, tau.shape[1]))
    for shift in range(2 * most + 1):
        own = tau[shift : shift + count]
        parts = np.einsum("snc,sn->nc", basis, own)
        squares = (own**2).sum(axis=0)
        varies = squares - parts[:, 0] ** 2
        rest = np.maximum(squares - (parts**2).sum(axis=1), 0.0)
        np.divide(rest, varies, out=left[shift], where=varies > 0)
    return left


def find_vertex(three: Floats) -> float:
    """Where the parabola through three values at -1, 0, 1 is highest."""
    bend = three[0] - 2 * three[1] + three[2]
    return float((three[0] - three[2]) / (2 * bend)) if bend < 0 else 0.0
