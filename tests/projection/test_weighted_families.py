"""The weighted projection on six families against a reference that is proven without the package.

benchmarks/projection_accuracy.py is the long form of this, with the figures.
"""

from unittest import mock

import numpy as np
import pytest

import families
import inertial_check as ic
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import conic, newton
from projection_oracle import PROVEN, by_clarabel, reference

DEVIATION = 1e-8
ROUNDINGS = 64
"""Of theta: what a deviation is held against where the move is too small for DEVIATION of it."""


@pytest.fixture(scope="module", params=families.FAMILIES)
def case(request, amount):
    """Instances, what the package finds, and the proven nearest above the same floors."""
    count = amount(60, 200)
    instances = families.draw(request.param, count, seed=7)
    found = ic.project(instances.theta, "weighted", weights=instances.weights)
    floors = np.zeros((count, 4, 4))  # of mass, and of spread where float64 would hold none
    floors[found.rows.mask] = found.result.evidence.Delta
    problems = zip(instances.theta, instances.matrices, floors, strict=True)
    return instances, found, floors, [reference(*problem) for problem in problems]


def moving(found):
    return np.flatnonzero(found.status != "feasible")


def test_every_instance_ends_certified(case):
    _, found, _, _ = case
    assert set(found.status) <= {"feasible", "projected", "mass-floored"}
    assert len(moving(found)) > len(found) / 5
    assert np.max(found.certify()) <= CERTIFIED


def test_it_is_the_nearest(case):
    """Catches a solver that stops early, a wrong metric, units that a weight does not survive."""
    _, found, _, references = case
    for i in moving(found):
        truth = references[i]
        allowed = DEVIATION + ROUNDINGS * truth.rounding
        assert truth.deviation(found.theta[i]) <= allowed, i
        assert truth.objective_deviation(found.theta[i]) <= 2 * allowed, i
        assert found.distance[i] == pytest.approx(truth.move, rel=2 * allowed), i


def test_feasible_rows_are_untouched_and_are_feasible(case):
    """By the signs of pivots in decimals, or outside by less than the floor: verdict boundary."""
    instances, found, _, references = case
    judged = ic.check(instances.theta)
    for i in np.flatnonzero(found.status == "feasible"):
        assert found.theta[i].tobytes() == instances.theta[i].tobytes()
        assert references[i].move == 0 or judged.verdict[i] == "boundary"
    for i in moving(found):
        assert references[i].move > 0
        assert found.changed[i]


def test_every_result_is_a_body(case):
    """Also where the nearest matrix has no mass, or is a point that float64 cannot hold."""
    instances, found, floors, _ = case
    nothing = ~instances.theta.any(axis=1)
    assert (ic.check(found.theta).consistent | nothing).all()
    held = found.status == "mass-floored"
    assert (found.theta[:, 0] >= floors[:, 3, 3]).all()
    assert (floors[held, 3, 3] >= 1e-6 * np.abs(instances.theta[held, 0])).all()


def test_holding_a_result_above_a_floor_costs_nothing_that_shows(case):
    """The floors are a thousandth of a percent of the body: the distance does not notice."""
    instances, _, floors, references = case
    held = np.flatnonzero(floors.any(axis=(1, 2)))[:20]
    for i in held:
        free = reference(instances.theta[i], instances.matrices[i])
        assert references[i].move <= free.move * (1 + 1e-4), i


def test_the_reference_is_proven_and_another_solver_agrees(case):
    instances, found, floors, references = case
    assert max(truth.bound for truth in references) < PROVEN
    plain = [i for i in moving(found) if not floors[i].any()]
    plain.sort(key=lambda i: references[i].rounding)  # the largest moves: it fails on the least
    for i in plain[:6]:
        other = by_clarabel(instances.theta[i], instances.matrices[i])
        assert references[i].objective_deviation(other) < 1e-2, i


def test_the_conic_solver_finds_the_same(case):
    """Asked by name: the road that is taken where Newton's method does not get there."""
    instances, found, floors, references = case
    for i in [i for i in moving(found) if not floors[i].any()][:8]:
        row = ic.project(
            instances.theta[i], "weighted", weights=instances.weights[i], solver="clarabel"
        )
        assert row.solver == "clarabel"
        assert row.status == found.status[i]
        truth = references[i]
        assert truth.deviation(row.theta) <= DEVIATION + ROUNDINGS * truth.rounding, i


@pytest.mark.parametrize("name", families.FAMILIES)
def test_rows_that_newton_leaves_are_certified_by_the_conic_solver(monkeypatch, name):
    """No instance of the families needs it, so Newton's method is stopped after its first step."""
    theta, weights = families.draw(name, 12, seed=8)
    whole = ic.project(theta, "weighted", weights=weights)
    monkeypatch.setattr(newton, "STEPS", 1)
    monkeypatch.setattr(newton, "PATH", newton.PATH[:1])
    with mock.patch.object(conic, "try_nearest", wraps=conic.try_nearest) as solver:
        found = ic.project(theta, "weighted", weights=weights)
    assert solver.called
    assert np.max(found.certify()) <= CERTIFIED
    assert (found.status == whole.status).all()
    np.testing.assert_allclose(found.distance, whole.distance, rtol=1e-6)


def test_a_batch_in_which_nothing_moves():
    body = families.lumps(np.random.default_rng(0), 5)
    found = ic.project(body.theta, "weighted", weights=body.units**-2)
    assert (found.status == "feasible").all()
    assert found.theta.tobytes() == body.theta.tobytes()
    assert np.max(found.certify()) <= CERTIFIED
    none = ic.project(np.empty((0, 10)), "weighted", weights=np.ones(10))
    assert none.theta.shape == (0, 10)
