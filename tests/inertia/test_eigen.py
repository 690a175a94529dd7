import numpy as np
import pytest

import oracles
from inertial_check.inertia.eigen import eigensystem, eigenvalues

# Rods, plates, balls and near misses: where the trigonometric form alone loses half the digits.
STRATA = [
    (0, 0, 1), (0, 1, 1), (1, 1, 1), (0, 0, 0), (-1, 0, 1), (-1, -1, 2), (1, 1, 1 + 1e-15),
    (1, 1 + 1e-9, 2), (1e-12, 1e-12, 1), (1, 2, 3), (-1e-8, 1e-8, 1), (1 - 1e-7, 1, 1 + 1e-7),
]  # fmt: skip


def samples(rng, count, dtype):
    """Matrices of every stratum, rotated at random, over sixty orders of magnitude."""
    values = np.array(STRATA)[rng.integers(len(STRATA), size=count)]
    scale = 10.0 ** rng.uniform(-12, 9, size=(count, 1))
    rotation = oracles.rotations(rng, count)
    matrices = (rotation * (values * scale)[:, None, :]) @ rotation.transpose(0, 2, 1)
    return oracles.six_of(matrices).astype(dtype)


def matrix(six):
    return six[..., [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(*six.shape[:-1], 3, 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_eigenvalues_are_as_good_as_lapack_everywhere(dtype):
    six = samples(np.random.default_rng(1), 20_000, dtype)
    truth = np.linalg.eigvalsh(matrix(six).astype(np.float64))
    scale = np.abs(truth).sum(axis=-1, keepdims=True)
    error = np.abs(eigenvalues(six) - truth) / np.where(scale > 0, scale, 1)
    bound = 8 * np.finfo(dtype).eps  # the floor tau assumes it; in float64 LAPACK errs by 6 itself
    assert eigenvalues(six).dtype == dtype
    assert error.max() < bound


def test_eigenvalues_against_extended_precision():
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("needs a platform whose long double is wider than double (x86 Linux)")
    six = samples(np.random.default_rng(2), 20_000, np.float64)
    truth = eigenvalues(six.astype(np.longdouble))
    scale = np.abs(truth).sum(axis=-1, keepdims=True)
    error = np.abs(eigenvalues(six) - truth) / np.where(scale > 0, scale, 1)
    assert error.max() < 4 * np.finfo(np.float64).eps


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_eigenvectors_diagonalise_and_are_right_handed(dtype):
    six = samples(np.random.default_rng(3), 20_000, dtype)
    values, vectors = eigensystem(six)
    eps = np.finfo(dtype).eps
    scale = np.abs(values).max(axis=-1)[:, None, None]
    residual = matrix(six) @ vectors - vectors * values[:, None, :]
    assert np.max(np.abs(residual) / np.where(scale > 0, scale, 1)) < 16 * eps
    assert np.max(np.abs(vectors.transpose(0, 2, 1) @ vectors - np.eye(3))) < 16 * eps
    assert np.min(np.linalg.det(vectors)) > 0.5
    assert np.all(np.diff(values, axis=-1) >= -8 * eps * np.abs(values).max(-1, keepdims=True))


def test_shapes_of_single_and_batched_input():
    assert eigenvalues(np.ones(6)).shape == (3,)
    values, vectors = eigensystem(np.ones((2, 5, 6)))
    assert values.shape == (2, 5, 3)
    assert vectors.shape == (2, 5, 3, 3)
