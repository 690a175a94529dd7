from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import oracles
from inertial_check.inertia.intervals import explained_by_digits, half_units


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "0", "0", "100", "0", "-3"], [0, 0, 0, 0, 0, 0]),
        (["0.5", "0", "0.0", "0.25", "0.000", "1.0"], [0.05, 0, 0, 0.005, 0.0005, 0.05]),
        (["0.001000", "0.000000", "0.00", "0.002", "0", "1e-3"],
         [5e-7, 5e-7, 0, 5e-4, 0, 5e-4]),
        (["1e-3", "1.25E-3", "1e+2", "1.e1", ".5", "+2.50"], [5e-4, 5e-6, 50, 5, 0.05, 0.005]),
        (["0.0", "0.00", "0e-5", "0", "0.", "-0.0"], [0] * 6),
    ],
)  # fmt: skip
def test_half_units(texts, expected):
    assert half_units(texts) == tuple(float(value) for value in expected)


def exact_box_optimum_sign(six, radii):
    """Whether some tensor of the box is consistent, by an independent conic solve."""
    x = cp.Variable(6)
    t = cp.Variable()
    tensor = cp.bmat([[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]])
    second = cp.trace(tensor) / 2 * np.eye(3) - tensor
    scale = np.max(np.abs(six))
    problem = cp.Problem(
        cp.Maximize(t), [second - t * np.eye(3) >> 0, cp.abs(x - six / scale) <= radii / scale]
    )
    problem.solve(solver=cp.CLARABEL)
    return t.value


def test_box_agrees_with_a_conic_solver():
    rng = np.random.default_rng(5)
    decided, explained_count = 0, 0
    for _ in range(150):
        rotation = oracles.rotations(rng, 1)[0]
        s = np.array([rng.choice([0, 0, -1e-3, -1e-2, 1e-3]), rng.uniform(0, 1), 1.0])
        second = rotation @ np.diag(s) @ rotation.T
        tensor = np.trace(second) * np.eye(3) - second
        decimals = rng.integers(1, 4)
        texts = [f"{value:.{decimals}f}" for value in oracles.six_of(tensor)]
        six, radii = np.array([float(t) for t in texts]), np.array(half_units(texts))
        if oracles.is_consistent(texts):
            continue
        best = exact_box_optimum_sign(six, radii)
        if abs(best) < 1e-6:
            continue  # the solver's own accuracy
        got = bool(explained_by_digits(six[None], radii[None])[0])
        assert got == (best > 0), (texts, best)
        decided += 1
        explained_count += got
    assert decided > 40
    assert 10 < explained_count < decided


def test_every_rounded_plate_is_explained():
    rng = np.random.default_rng(6)
    s = np.array([0.0, 0.4, 1.0])
    for rotation in oracles.rotations(rng, 200):
        second = rotation @ np.diag(s) @ rotation.T
        tensor = np.trace(second) * np.eye(3) - second
        for style in (".3f", ".6f", ".3e", ".1f"):
            texts = [format(value, style) for value in oracles.six_of(tensor)]
            six, radii = np.array([float(t) for t in texts]), np.array(half_units(texts))
            assert oracles.is_consistent(texts) or explained_by_digits(six[None], radii[None])[0]


def test_a_corner_decides_exactly():
    # 0.1 + 0.2 against 0.31: the corner of the box is 0.15 + 0.25 >= 0.305.
    six, radii = np.array([[0.1, 0, 0, 0.2, 0, 0.31]]), np.array([[0.05, 0, 0, 0.05, 0, 0.005]])
    assert explained_by_digits(six, radii)[0]
    assert not explained_by_digits(six, radii * 0.0)[0]
    assert oracles.is_consistent([Fraction(15, 100), 0, 0, Fraction(25, 100), 0, Fraction(31, 100)])


def test_scale_does_not_matter():
    rng = np.random.default_rng(7)
    six = rng.normal(size=(200, 6))
    radii = np.abs(rng.normal(size=(200, 6)))
    base = explained_by_digits(six, radii)
    for scale in (1e-12, 1e9):
        assert np.array_equal(explained_by_digits(six * scale, radii * scale), base)
    assert 0 < base.sum() < 200


def test_violations_far_below_the_digits_of_other_entries():
    """The box allows much, but no box makes a moment of -1e-10 +- 0.5e-10 non-negative."""
    six = np.array([[0.5, 0, 0, -1e-10, 0, 0.5]])
    for half, expected in ((0.5e-10, False), (0.99e-10, False), (1.01e-10, True)):
        radii = np.array([[0.05, 0, 0, half, 0, 0.05]])
        assert explained_by_digits(six, radii)[0] == expected


def test_boxes_of_every_shape_are_decided():
    """Entries and radii of any size beside each other: no warning, no error, both answers."""
    rng = np.random.default_rng(8)
    explained = 0
    for _ in range(500):
        size = 10.0 ** (rng.integers(-14, 1, size=6) * rng.integers(2))
        six = rng.normal(size=6) * size * rng.choice([0, 1, 1], 6)
        six[[0, 3, 5]] = np.abs(six[[0, 3, 5]])
        radii = np.abs(six) * 10.0 ** rng.uniform(-4, 0, size=6) * rng.choice([0, 1, 1], 6)
        explained += explained_by_digits(six[None], radii[None])[0]
    assert 0 < explained < 480
