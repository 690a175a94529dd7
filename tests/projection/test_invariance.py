"""What the nearest body depends on: the list of docs/metrics.md, measured."""

import re
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import frames, sampling

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
SEED, COUNT = 12, 40
METRICS = (
    *("inertia", "covariance", "prior", "weighted", "entropic", "affine-invariant"),
    *("euclidean", "pseudo-inertia"),
)


def turned(theta):
    axis, angle = np.array([1.0, 2.0, 3.0]) / 14**0.5, 0.7
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    return frames.rotate(theta, R)


def shifted(theta):
    return frames.translate(theta, np.array([0.4, -0.3, 0.5]))


def heavier(theta):
    return 1000 * theta


def longer(theta):
    return theta * np.repeat([1.0, 1e3, 1e6], [1, 3, 6])


CHANGES = {"axes": turned, "origin": shifted, "unit of mass": heavier, "unit of length": longer}


def matrix_of(change):
    """The (10, 10) map of a change, which is linear."""
    return np.array([change(row) for row in np.eye(10)]).T


def bodies():
    rng = np.random.default_rng(SEED)
    scales = {"mass": (0.5, 2), "length": (0.2, 0.5), "offset": (0.5, 2)}
    theta = sampling.inconsistent(
        rng, COUNT, kinds=["triangle"], violation=(0.05, 0.5), **scales
    ).as_theta()
    prior = sampling.consistent(rng, 1, strata=["solid"], **scales).as_theta()[0]
    root = rng.normal(size=(10, 10))
    return theta, ic.project(prior, margin=0.1).theta, root @ root.T


def arguments(metric, prior, W):
    needs_prior = metric in ("prior", "entropic", "affine-invariant")
    given = {"prior": prior} if needs_prior else {}
    return {**given, "weights": W} if metric == "weighted" else given


def deviation(metric, change, carries_weights):
    """How far projecting before and after a change differ, relative to how far bodies move."""
    theta, prior, W = bodies()
    T = matrix_of(change)
    back = np.linalg.inv(T)
    there = back.T @ W @ back if carries_weights else W
    plain = ic.project(theta, metric, **arguments(metric, prior, W)).theta
    seen = ic.project(change(theta), metric, **arguments(metric, change(prior), there)).theta
    returned = seen @ back.T
    size = np.abs(theta).max(axis=0)
    return (np.abs(returned - plain) / size).max() / (np.abs(plain - theta) / size).max()


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("metric", METRICS)
def test_the_page_says_what_each_metric_depends_on(metric, change):
    listed = re.findall(r"^\* `([\w-]+)` differs by (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    differing = {name: changes.split(", ") for name, changes in listed}
    said = "differs" if change in differing.get(metric, []) else "same"
    measured = deviation(metric, CHANGES[change], carries_weights=True)
    assert (measured < 1e-9) == (said == "same"), measured
    assert measured < 1e-9 or measured > 1e-3  # nothing in between: the answer is clear


@pytest.mark.parametrize("change", CHANGES)
def test_weights_that_stay_behind_make_another_metric(change):
    if change == "unit of mass":  # all ten numbers share it: W only changes by a factor
        assert deviation("weighted", CHANGES[change], carries_weights=False) < 1e-9
    else:
        assert deviation("weighted", CHANGES[change], carries_weights=False) > 1e-3
