"""`benchmarks/margins.py` counts broken promises, and its search finds what is least."""

from collections import Counter
from fractions import Fraction

import margins
import numpy as np
import pytest
from margins import Cell, Tally

import inertial_check as ic
import nearest_search

BODIES = margins.draw(6, seed=1)


@pytest.mark.parametrize("kind", ["plate", "rod", "point"])
@pytest.mark.parametrize("about", ["origin", "com"])
def test_flat_bodies_along_the_axes_are_exactly_flat(kind, about):
    rows = margins.draw_kind(kind, 8, np.random.default_rng(0))
    for theta in rows.theta(about)[::2]:
        assert margins.has_margin(theta, about, Fraction(0))
        assert not margins.has_margin(theta, about, Fraction(1, 10**40))


@pytest.mark.parametrize("margin", [1e-6, 0.1, 1 / 3])
def test_a_margin_is_judged_to_the_last_digit(margin):
    mu = Fraction(margin)
    low, high = 3 * mu, 3 * (1 - mu) / 2  # second moments with that margin
    body = [1.0, 0, 0, 0, 2 * high, 0, 0, low + high, 0, low + high]
    for unit in (Fraction(0), Fraction(1, 2**60)):
        exact = [Fraction(value) for value in body]
        exact[4] += unit  # less spread along the first axis
        S = (exact[7] + exact[9] - exact[4]) / 2
        assert (mu * sum(exact[4:]) / 2 <= S) == (unit == 0)
    ball = np.array([[2.0, 0, 0, 0, 2, 0, 0, 2, 0, 2], [2.0, 0, 0, 0, 2, 0, 0, 2, 0, 2.1]])
    assert margins.find_short(ball, "com", 1 / 3, False).tolist() == [False, True]
    assert not margins.find_short(ball, "origin", 0.3, True).any()


def test_the_search_finds_what_is_known_to_be_least():
    prior = np.array([[1, -0.5, 0.4, 2, 5, 0.5, 0.8, 5.5, -0.8, 1.5]])
    theta = np.array([[1.2, 1.2, -1.4, -1.7, 4.1, 1.5, 1.8, 4.7, -1.3, 5.9]])
    task = nearest_search.Task(theta, nearest_search.weights_of_prior(prior))
    found = nearest_search.search(task, 0.1, 8, np.random.default_rng(0))
    assert np.sqrt(found.value) == pytest.approx(0.156921, rel=1e-5)
    assert margins.find_short(found.theta, "origin", 0.1, True).tolist() == [False]


@pytest.mark.parametrize(
    ("metric", "about", "margin"),
    [
        ("inertia", "origin", 0.05),
        ("covariance", "com", 1 / 3),
        ("prior", "com", 0.0),
        ("weighted", "origin", 0.0),
        ("pseudo-inertia", "com", 0.0),
        ("entropic", "origin", 0.0),
        ("affine-invariant", "com", 0.0),
    ],
)
def test_the_search_agrees_with_the_nearest_that_is_proven(metric, about, margin):
    """Each metric is stated twice: by the package and by the search."""
    bodies = margins.take(BODIES, np.isin(BODIES.kind, ["outside", "needle"]))
    cell = Cell(metric, about, margin, "numpy")
    found, tally = margins.call(cell, bodies), Tally(cell)
    margins.judge(cell, found, bodies, tally)
    margins.compare(cell, found, bodies, 9, np.random.default_rng(0), tally)
    assert tally.searched >= 5
    assert not any(tally.counts.values())
    assert tally.worst["ratio"] == pytest.approx(1, abs=1e-4)


def test_broken_promises_are_counted_by_row(monkeypatch, capsys):
    bodies = margins.take(BODIES, np.isin(BODIES.kind, ["outside", "rod"]))
    cell, project = Cell("inertia", "com", 0.1, "numpy"), ic.project
    last = bodies.theta("com")[-1]

    def spoil(theta, *args, margin, **options):
        if (theta == last).all(axis=-1).any():
            raise ZeroDivisionError("no such row")
        return project(theta, *args, margin=0.0, **options)

    monkeypatch.setattr(ic, "project", spoil)
    tally = margins.measure(cell, bodies, 3, seed=0)
    assert {name: sum(tally.counts[name].values()) for name in ("raised", "short")} == {
        "raised": 1,
        "short": 11,
    }
    assert tally.statuses["ZeroDivisionError: no such row"] == 1
    margins.print_tally(tally)
    assert not margins.conclude([tally])
    told = capsys.readouterr().out
    assert "raised: rod 1" in told
    assert "missed  short 0: 11" in told


@pytest.mark.parametrize("library", ["float32", "torch", "jax"])
def test_answers_of_every_library_are_judged(library):
    pytest.importorskip(library if library != "float32" else "numpy")
    cell = Cell("prior", "origin", 1e-3, library)
    tally = margins.measure(cell, margins.take(BODIES, BODIES.kind == "outside"), 0, seed=0)
    assert tally.rows == sum(tally.statuses.values()) == 6
    assert not tally.counts["raised"]
    assert margins.conclude([Tally(cell, statuses=Counter({"projected": 6}))])
