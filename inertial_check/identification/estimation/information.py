"""The information matrix of an identified vector, from any form in which a caller passes it."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.broadcasting import first_index
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.reduction import label_columns
from inertial_check.identification.estimation.sampled import read_reals
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import Order, refuse_asymmetric


def own_columns(body: int) -> slice:
    """The columns of the ten parameters of a body."""
    return slice(10 * body, 10 * body + 10)


def read_information(
    information: ArrayLike | None, covariance: ArrayLike | None, count: int, order: Order
) -> Floats | None:
    """Read W (10 L, 10 L) in order "urdf"; None where neither is given.

    Raises:
        ParameterError: Both are given, or one that is none.
    """
    if information is not None and covariance is not None:
        raise ParameterError("information and covariance are inverses: give one of them")
    if covariance is not None:
        matrix = _read_matrix("covariance", covariance, count)
    elif information is not None:
        matrix = _read_matrix("information", information, count)
    else:
        return None
    places = np.argsort(label_columns(count, order))
    matrix = matrix[np.ix_(places, places)]
    if covariance is not None:
        return _inverse(matrix)
    least = _least_eigenvalue(matrix)
    if least < -tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np):
        raise ParameterError(
            "information is not positive semidefinite: with its diagonal scaled to 1 the least "
            f"eigenvalue is {least:.3g}, expected 0 or more"
        )
    return matrix


def _least_eigenvalue(matrix: Floats) -> float:
    """Of a matrix (n, n) with its diagonal scaled to 1."""
    sizes = np.sqrt(np.diag(matrix))
    sizes = np.where(sizes > 0, sizes, 1.0)
    return float(np.linalg.eigvalsh(matrix / (sizes[:, None] * sizes))[0])


def _read_matrix(name: str, value: ArrayLike, count: int) -> Floats:
    """Read a symmetric matrix (10 L, 10 L) with a non-negative diagonal, from any of its forms.

    Raises:
        ParameterError: It is none; names the entry.
    """
    array = read_reals(name, value)
    whole = 10 * count
    if array.shape == (count, 10, 10):
        matrix = np.zeros((whole, whole))
        for i in range(count):
            matrix[own_columns(i), own_columns(i)] = array[i]
    elif array.shape in ((whole,), (count, 10)):
        matrix = np.diag(array.ravel())
    elif array.shape == (whole, whole):
        matrix = array
    else:
        raise ParameterError(
            f"{name} has shape {array.shape}, expected ({whole}, {whole}) of all bodies, "
            f"({count}, 10, 10) of each, or ({whole},) or ({count}, 10) diagonal"
        )
    index = first_index(np, ~np.isfinite(matrix))
    if index is not None:
        raise ParameterError(f"{name}{list(index)} is {matrix[index]}, expected finite numbers")
    refuse_asymmetric(np, name, matrix)
    matrix = (matrix + matrix.T) / 2
    diagonal = np.diag(matrix)
    index = first_index(np, diagonal < 0)
    if index is None and name == "covariance":
        index = first_index(np, diagonal == 0)
    if index is not None:
        wanted = "0 or more" if name == "information" else "above 0; fix entries by FixedEntries"
        place = [index[0], index[0]]
        value = float(diagonal[index])
        raise ParameterError(f"{name}{place} is {value!r}, expected {wanted}")
    return np.asarray(matrix)


def _inverse(covariance: Floats) -> Floats:
    """The information matrix of a covariance.

    Raises:
        ParameterError: It has none.
    """
    sizes = np.sqrt(np.diag(covariance))
    unit = covariance / (sizes[:, None] * sizes)
    try:
        np.linalg.cholesky(unit)
    except np.linalg.LinAlgError:
        raise ParameterError(
            "covariance is not positive definite: with its diagonal scaled to 1 the least "
            f"eigenvalue is {_least_eigenvalue(covariance):.3g}; give information, which may be "
            "singular beside a prior"
        ) from None
    if np.count_nonzero(unit) == len(unit):
        return np.diag(1 / np.diag(covariance))
    return np.asarray(np.linalg.inv(unit) / (sizes[:, None] * sizes))
