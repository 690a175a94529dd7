from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
from inertial_check.inertia.eigen import columns, eigensystem, eigenvalues, eigenvalues_of_entries

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


def closed_form(six):
    """The eigenvalues that the margin takes: relative to the largest, four times as fast."""
    return np.stack(eigenvalues_of_entries(np, columns(six)), axis=-1)


@pytest.mark.parametrize("eigenvalues", [eigenvalues, closed_form])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_eigenvalues_are_as_good_as_lapack_everywhere(dtype, eigenvalues):
    six = samples(np.random.default_rng(1), 20_000, dtype)
    truth = np.linalg.eigvalsh(matrix(six).astype(np.float64))
    scale = np.abs(truth).sum(axis=-1, keepdims=True)
    error = np.abs(eigenvalues(six) - truth) / np.where(scale > 0, scale, 1)
    bound = 8 * np.finfo(dtype).eps  # the floor tau assumes it; in float64 LAPACK errs by 6 itself
    assert eigenvalues(six).dtype == dtype
    assert error.max() < bound


@pytest.mark.parametrize("eigenvalues", [eigenvalues, closed_form])
def test_eigenvalues_against_extended_precision(eigenvalues):
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


SIZES = st.floats(-12, 0).map(lambda power: 10.0**power)


@st.composite
def graded(draw):
    """Positive definite matrices D H D with entries of every size, one axis perhaps on its own."""
    size = [draw(SIZES) for _ in range(3)]
    xy, xz, yz = (draw(st.floats(-0.45, 0.45)) for _ in range(3))
    if draw(st.booleans()):
        xy = xz = 0.0
    x, y, z = size
    return [x * x, xy * x * y, xz * x * z, y * y, yz * y * z, z * z]


def signs(six, shift):
    """How many eigenvalues of M - shift 1 are negative, and how many positive, exactly.

    All roots of the characteristic polynomial are real, so Descartes' rule of signs counts them.
    """
    xx, xy, xz, yy, yz, zz = (Fraction(float(entry)) for entry in six)
    xx, yy, zz = xx - shift, yy - shift, zz - shift
    one = xx + yy + zz
    two = xx * yy - xy * xy + xx * zz - xz * xz + yy * zz - yz * yz
    three = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)

    def changes(*terms):
        kept = [term > 0 for term in terms if term != 0]
        return sum(a != b for a, b in pairwise(kept))

    return changes(1, one, two, three), changes(1, -one, two, -three)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(entries=graded(), exact_scale=st.integers(-20, 20))
@example(entries=[1.0, 2.0**-50, 0.0, 1.0, 0.0, 4.0], exact_scale=0)  # 1 +- 4 eps
@example(entries=[1.0, 0.0, 2.0**-21, 3.0, 0.0, 1.0], exact_scale=0)  # the same in float32
def test_small_eigenvalues_keep_the_digits_that_the_entries_determine(dtype, entries, exact_scale):
    # sum |v_i| |M_ij| |v_j| is what changes of all entries by their own size would do.
    six = np.array(entries, dtype) * dtype(2.0**exact_scale)
    values, vectors = eigensystem(six)
    assert eigenvalues(six).tolist() == values.tolist()
    for k in range(3):
        v = np.abs(vectors[:, k].astype(float))
        open_ = 2 * float(np.finfo(dtype).eps) * float(v @ np.abs(matrix(six).astype(float)) @ v)
        value, error = Fraction(float(values[k])), Fraction(open_)
        assert signs(six, value - error)[0] <= k, "too large"
        assert signs(six, value + error)[1] <= 2 - k, "too small"


@given(small=st.floats(-300, 0), place=st.integers(0, 2), angle=st.floats(0, 7))
def test_an_entry_on_its_own_is_an_eigenvalue_to_the_last_digit(small, place, angle):
    # The axis of a needle along a coordinate axis, beside two others turned by any angle.
    c, s, alone = np.cos(angle), np.sin(angle), 0.1 * 10.0**small
    tensor = np.zeros((3, 3))
    others = np.delete(np.arange(3), place)
    tensor[np.ix_(others, others)] = [[c * c + 2 * s * s, c * s], [c * s, s * s + 2 * c * c]]
    tensor[place, place] = alone
    values, vectors = eigensystem(oracles.six_of(tensor))
    assert values[0] == alone
    assert np.abs(vectors[:, 0]).tolist() == np.eye(3)[place].tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_row_does_not_depend_on_the_rows_beside_it(dtype):
    six = samples(np.random.default_rng(4), 200, dtype)
    six[::3, [1, 2, 4]] = 0  # needs no rotation, and gets none while the others turn
    six[5, 0] = np.nan
    values, vectors = eigensystem(six)
    for k, row in enumerate(six):
        alone = eigensystem(row)
        np.testing.assert_array_equal(values[k], alone[0])
        np.testing.assert_array_equal(vectors[k], alone[1])


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_an_entry_that_is_not_finite_leaves_nothing(place, number):
    six = np.array([2.0, 0, 0, 3.0, 0, 4.0])
    six[place] = number
    with np.errstate(all="ignore"):
        values, vectors = eigensystem(six)
    assert np.isnan(values).all()
    assert np.isnan(vectors).all()
