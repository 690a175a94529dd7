"""Answers of the matrix metrics are bodies: mass, margin and verdict are held after rounding."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling

METRICS = ("prior", "weighted", "euclidean", "pseudo-inertia")
SCALES = {"mass": (1e-3, 1e3), "length": (1e-2, 10), "offset": (1e-2, 10)}
PRIOR = ic.InertialParameters.from_com(2.0, [0.1, 0, 0.2], np.diag([0.2, 0.3, 0.4]))


def arguments(metric, theta):
    if metric == "prior":
        return {"prior": PRIOR}
    unit = np.abs(theta).max(axis=-1, keepdims=True)
    return {"weights": 1 / (np.abs(theta) + 1e-3 * unit) ** 2} if metric == "weighted" else {}


def garbage(seed, count):
    """Numbers of no body: negative masses, tensors of any sign, offsets of any size."""
    rng = np.random.default_rng(seed)
    length, mass = 10 ** rng.uniform(-2, 1, (count, 1)), 10 ** rng.uniform(-3, 3, (count, 1))
    units = np.concatenate([mass, *[mass * length] * 3, *[mass * length**2] * 6], axis=1)
    return units * rng.normal(size=(count, 10))


@pytest.mark.parametrize("margin", [0.0, 1e-3, 0.25])
@pytest.mark.parametrize("metric", METRICS)
def test_every_answer_is_a_body_with_the_margin(metric, margin, amount):
    count = amount(15, 100) if margin else 100  # a margin takes a hundred times as long
    violating = sampling.inconsistent(1, count, **SCALES).as_theta()
    theta = np.concatenate([violating, garbage(1, count)])
    found = ic.project(theta, metric, margin=margin, **arguments(metric, theta))
    judged = ic.check(found.theta)
    assert judged.consistent.all()
    assert (judged.margin >= margin - judged.tolerance).all()
    if margin == 0:
        assert (np.array(found.certify()) <= 1e-9).all()


@pytest.mark.parametrize("metric", METRICS)
def test_a_margin_costs_little_more_than_it_must(metric, amount):
    theta = sampling.inconsistent(2, amount(25, 100), violation=(0.1, 0.5), **SCALES).as_theta()
    given = arguments(metric, theta)
    plain, held = (ic.project(theta, metric, margin=mu, **given) for mu in (0.0, 1e-3))
    assert (
        held.distance >= plain.distance * (1 - 1e-11)
    ).all()  # a point keeps that share of a body
    assert np.median(held.distance / plain.distance) < 1.05


@pytest.mark.parametrize("metric", METRICS)
def test_no_mass_is_floored_at_a_share_of_what_was_given(metric):
    theta = np.array(
        [[-2.0, 0, 0, 0, -1, 0, 0, -1, 0, -1], [-2.0, 0, 0, 0, 1e-9, 0, 0, 1e-9, 0, 0]]
    )
    found = ic.project(theta, metric, **arguments(metric, theta))
    assert found.status.tolist() == ["mass-floored"] * 2
    np.testing.assert_allclose(found.theta[:, 0], 2e-6, rtol=1e-2)
    assert ic.check(found.theta).consistent.all()
    chosen = ic.project(theta, metric, mass_min=0.25, **arguments(metric, theta))
    np.testing.assert_allclose(chosen.theta[:, 0], 0.25, rtol=1e-2)
    assert (chosen.theta[:, 0] >= 0.25).all()
    assert chosen.status.tolist() == ["mass-floored"] * 2


@pytest.mark.parametrize("metric", METRICS)
def test_massless_rows_with_inertia_become_bodies(metric):
    theta = np.array([0.0, 0.1, 0, 0, 1, 0, 0, 1, 0, 1.5])
    found = ic.project(theta, metric, **arguments(metric, theta))
    assert ic.check(found.theta).consistent
    assert found.theta[0] > 0


@pytest.mark.parametrize("metric", METRICS)
def test_nothing_at_all_is_a_frame_and_stays(metric):
    given = arguments(metric, np.ones(10))
    found = ic.project(np.zeros(10), metric, **given)
    assert found.status == "feasible"
    assert not found.theta.any()
    assert max(found.certify()) == 0


@pytest.mark.parametrize("metric", METRICS)
def test_rows_that_are_not_finite_come_back_and_are_told_of(metric):
    theta = sampling.inconsistent(3, 4, **SCALES).as_theta()
    theta[1, 5], theta[2, 0] = np.nan, np.inf
    found = ic.project(theta, metric, **arguments(metric, np.ones((4, 10))))
    assert found.status.tolist() == ["projected", "no-nearest", "no-nearest", "projected"]
    np.testing.assert_array_equal(found.theta[1:3], theta[1:3])
    assert np.isnan(found.gap[1:3]).all()
    with pytest.raises(ic.ProjectionError, match=r"indices: 1, 2"):
        found.raise_for_status()


def test_a_single_point_far_from_the_origin_keeps_a_sound_verdict():
    """Its S_c is all rounding: without a little body around it the verdict would be ill-posed."""
    theta = np.array([1.0, 1, 0, 0, 0, 0, 0, -3, 0, -3])
    found = ic.project(theta, "euclidean")
    assert ic.check(found.theta).consistent
    assert max(found.certify()) <= 1e-9


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("metric", METRICS)
def test_other_libraries_and_precisions(metric, dtype):
    xp = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
    theta = sampling.inconsistent(4, 6, violation=(1e-2, 0.5), **SCALES).as_theta().astype(dtype)
    theta[3:] = sampling.consistent(4, 3, strata=["solid"], **SCALES).as_theta()
    given = arguments(metric, theta.astype(float))
    plain, found = (ic.project(t, metric, **given) for t in (theta, xp.asarray(theta)))
    assert found.theta.__array_namespace__() is xp
    assert found.theta.dtype == getattr(xp, dtype)
    np.testing.assert_array_equal(np.asarray(found.theta), plain.theta)
    assert (np.asarray(found.theta)[3:] == theta[3:]).all()
    for name in ("distance", "gap", "changed", "status_code", "iterations"):
        assert getattr(found, name).__array_namespace__() is xp
    judged = ic.check(plain.theta)  # in float32 the ten numbers of some points hold no verdict
    assert (judged.consistent | (judged.verdict == "ill-posed")).all()


def test_a_singular_step_of_one_row_does_not_stop_the_batch():
    """A body outside by a rounding unit: its multiplier is so small that its equations vanish."""
    row = [
        *(0.23807587242485426, 0.004612930585066679, 0.07980763843204874, 0.03180077920530693),
        *(0.031000826060166537, -0.0015463435773456703, -0.0006161682220503685),
        *(0.004337141248839667, -0.010660236431457882, 0.026842444030948005),
    ]
    theta = np.array([row, *sampling.inconsistent(5, 20, **SCALES).as_theta()])
    found = ic.project(theta, "weighted", weights=[1, 2, 2, 2, 10, 10, 10, 10, 10, 10])
    assert (np.array(found.certify()) <= 1e-9).all()
    assert ic.check(found.theta).consistent.all()


def test_a_batch_that_is_worked_on_in_parts_is_the_same_as_its_rows(monkeypatch):
    theta = np.concatenate([sampling.inconsistent(6, 50, **SCALES).as_theta(), garbage(6, 50)])
    given = arguments("weighted", theta)
    whole = ic.project(theta, "weighted", **given)
    monkeypatch.setattr("inertial_check.projection.problems.BATCH", 7)
    parts = ic.project(theta, "weighted", **given)
    for name in ("status", "changed", "vanished"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    size = np.abs(whole.theta).max(axis=1, keepdims=True)  # BLAS rounds by the shape of a batch
    assert (np.abs(parts.theta - whole.theta) <= 1e-10 * size).all()
    for name in ("distance", "relative_change"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-6)
    assert parts.iterations.shape == whole.iterations.shape
    assert (np.array(parts.certify()) <= 1e-9).all()


def test_a_margin_that_no_share_of_the_prior_gives_is_not_paid_for_with_the_prior():
    """A prior too flat for the margin: what was raised for it in vain must not stay below."""
    wide = {"mass": (0.1, 1), "length": (1, 5), "offset": (0.01, 0.1)}  # lighter than the prior
    theta = sampling.inconsistent(7, 20, violation=(0.1, 0.5), **wide).as_theta()
    flat = ic.InertialParameters.from_com(2.0, [0.1, 0, 0.2], np.diag([0.2, 0.2, 0.39]))
    plain = ic.project(theta, "prior", prior=flat)
    held = ic.project(theta, "prior", prior=flat, margin=0.1)
    judged = ic.check(held.theta)
    assert (judged.margin >= 0.1 - judged.tolerance).all()
    whole = np.maximum(2.0, plain.theta[:, 0])  # of the prior, or of the answer
    assert (held.result.evidence.Delta[:, 3, 3] <= whole).all()
