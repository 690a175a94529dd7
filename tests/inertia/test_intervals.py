import json
from fractions import Fraction

import numpy as np
import pytest

import oracles
from inertial_check.inertia.intervals import admissible_intervals


def with_entry(texts, index, value):
    changed = [Fraction(text) for text in texts]
    changed[index] = Fraction(value)
    return changed


def random_tensors(rng, count):
    for _ in range(count):
        second = rng.normal(size=(3, 3))
        second = second @ second.T * rng.choice([1e-12, 1e-3, 1, 1e8])
        tensor = np.trace(second) * np.eye(3) - second
        six = oracles.six_of(tensor)
        six[rng.integers(6)] *= rng.choice([1, 0.3, 3, -1, 10])
        yield [f"{value:.6e}" for value in six]


def test_ends_are_where_consistency_begins_and_ends_in_exact_arithmetic():
    rng = np.random.default_rng(11)
    seen, empty = 0, 0
    for texts in random_tensors(rng, 300):
        ends = admissible_intervals(np.array([float(t) for t in texts]))
        for index, (low, high) in enumerate(ends):
            if np.isnan(low):
                empty += 1
                continue
            width = high - low
            scale = max(abs(float(t)) for t in texts)
            if width < 1e-9 * scale:
                continue
            step = width * 1e-6
            assert oracles.is_consistent(with_entry(texts, index, low + step))
            assert oracles.is_consistent(with_entry(texts, index, high - step))
            assert not oracles.is_consistent(with_entry(texts, index, low - step))
            assert not oracles.is_consistent(with_entry(texts, index, high + step))
            seen += 1
    assert seen > 500
    assert empty > 50


def test_an_empty_interval_holds_no_value():
    rng = np.random.default_rng(12)
    for texts in random_tensors(rng, 100):
        six = np.array([float(t) for t in texts])
        for index, (low, _) in enumerate(admissible_intervals(six)):
            if np.isnan(low):
                scale = np.abs(six).max()
                for value in np.linspace(-4 * scale, 4 * scale, 81):
                    assert not oracles.is_consistent(with_entry(texts, index, value))


@pytest.mark.parametrize(
    ("six", "entry", "expected"),
    [
        ((1, 0, 0, 2, 0, 9), "izz", (1, 3)),
        ((1, 0, 0, 2, 0, 9), "ixx", (7, 11)),
        ((0, 0, 0, 0, 0, 108.5602), "izz", (0, 0)),
        ((0, 0, 0, 0, 0, 108.5602), "ixx", (108.5602, 108.5602)),
        ((0.1, 0.1, 0, 0.1, 0, 0.2), "ixy", (-0.1, 0.1)),
        ((1, 0, 0, 2, 0, 3), "ixz", (0, 0)),  # a plate in the plane z = 0 has no ixz
        ((1, 0, 0, 2, 0, 3), "ixy", (-(2**0.5), 2**0.5)),
    ],
)
def test_known_intervals(six, entry, expected):
    low, high = admissible_intervals(np.array(six, dtype=float))[oracles.ENTRIES.index(entry)]
    assert (low, high) == pytest.approx(expected, rel=1e-12)


def test_batches_equal_loops_and_scale():
    six = np.random.default_rng(13).normal(size=(4, 5, 6))
    batch = admissible_intervals(six)
    assert batch.shape == (4, 5, 6, 2)
    assert np.array_equal(batch[2, 3], admissible_intervals(six[2, 3]), equal_nan=True)
    assert np.allclose(admissible_intervals(six * 2.0**-40) * 2.0**40, batch, equal_nan=True)


def test_real_broken_inertials(cases):
    """Published intervals come from a coarse scan: ours contain them and end within 1.5 %."""
    for case in json.loads((cases / "real_inertials.json").read_text()):
        intervals = admissible_intervals(np.array([float(case[e]) for e in oracles.ENTRIES]))
        published = case.get("single_entry_admissible")
        if published is None:
            continue
        for index, entry in enumerate(oracles.ENTRIES):
            low, high = intervals[index]
            if entry in published:
                scan = np.array(published[entry])
                slack = 0.015 * max(np.abs(scan).max(), high - low)
                assert low <= scan[0] + slack * 1e-2
                assert high >= scan[1] - slack * 1e-2
                assert np.allclose([low, high], scan, rtol=0, atol=slack)
            elif not np.isnan(low):
                # A scan in steps misses intervals that are narrow against the entry's size.
                assert high - low < 0.01 * max(abs(low), abs(high))
