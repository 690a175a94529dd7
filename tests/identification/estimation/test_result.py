"""What an identification says of itself, against the same computed by hand."""

import numpy as np
import pytest

import inertial_check as ic
from identification_problems import measured, robot
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit import problem
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.samples import Reduction
from inertial_check.inertia.representations import pseudo_inertia

Y, TAU, TRUTH, PRIOR, WEIGHTS = measured(robot(3, thin=True), 150, noise=[0.1, 0.3, 1.0])
F = np.random.default_rng(3).normal(size=(150, 3, 1))
FOUND = ic.identify(Y, TAU, PRIOR, weights=WEIGHTS, nuisance={"drag": F[..., 0]})


def predicted():
    return Y @ FOUND.theta.ravel() + F[..., 0] * FOUND.nuisance["drag"]


def test_fit_and_prediction_agree_with_the_samples():
    left = predicted() - TAU
    np.testing.assert_allclose(FOUND.predict(Y, F), predicted(), rtol=1e-12)
    np.testing.assert_allclose(FOUND.rmse, np.sqrt(np.mean(left**2, axis=0)), rtol=1e-9)
    spread = np.sum((TAU - TAU.mean(axis=0)) ** 2, axis=0)
    np.testing.assert_allclose(FOUND.r_squared, 1 - np.sum(left**2, axis=0) / spread, rtol=1e-9)
    np.testing.assert_allclose(
        FOUND.weighted_rms, np.sqrt(np.mean((WEIGHTS * left) ** 2)), rtol=1e-9
    )
    np.testing.assert_allclose(FOUND.data_term, np.sum((WEIGHTS * left) ** 2), rtol=1e-9)
    assert FOUND.objective == pytest.approx(FOUND.data_term + FOUND.prior_term)


def test_other_samples_are_judged_as_these_are():
    half = Reduction.of([(np.concatenate([Y, F], axis=2)[:70], TAU[:70])])
    left = (predicted() - TAU)[:70]
    np.testing.assert_allclose(half.rmse(FOUND.si), np.sqrt(np.mean(left**2, axis=0)), rtol=1e-9)
    np.testing.assert_allclose(
        FOUND.weighted_rms_of(half), np.sqrt(np.mean((WEIGHTS * left) ** 2)), rtol=1e-9
    )


def test_distance_and_mass_are_those_of_the_bodies():
    for body, prior, distance in zip(FOUND.theta, PRIOR, FOUND.distance, strict=True):
        L = np.linalg.cholesky(pseudo_inertia(prior))
        change = np.linalg.solve(L, pseudo_inertia(body) - pseudo_inertia(prior))
        assert distance == pytest.approx(np.linalg.norm(np.linalg.solve(L, change.T)), rel=1e-6)
    assert FOUND.prior_term == pytest.approx(np.sum(FOUND.distance**2), rel=1e-6)
    assert FOUND.total_mass == pytest.approx(FOUND.theta[:, 0].sum())
    assert FOUND.prior_mass == pytest.approx(PRIOR[:, 0].sum())


def test_the_rank_is_that_of_the_regressor():
    whole = np.concatenate([Y, F], axis=2).reshape(-1, 31)
    assert FOUND.rank == np.linalg.matrix_rank(whole)
    assert FOUND.condition == pytest.approx(
        FOUND.singular_values[0] / FOUND.singular_values[FOUND.rank - 1]
    )


def test_samples_that_repeat_each_other_tell_no_more():
    """Each sample thrice, said so, is each sample once."""
    thrice = ic.identify(
        np.repeat(Y, 3, axis=0),
        np.repeat(TAU, 3, axis=0),
        PRIOR,
        weights=WEIGHTS,
        nuisance={"drag": np.repeat(F[..., 0], 3, axis=0)},
        redundancy=3.0,
    )
    np.testing.assert_allclose(thrice.theta, FOUND.theta, rtol=1e-5, atol=1e-6)
    assert thrice.regularization == 3 * FOUND.regularization
    one, other = FOUND.identifiability, thrice.identifiability
    np.testing.assert_allclose(other.share, one.share, atol=1e-9)
    np.testing.assert_allclose(other.standard_deviation, one.standard_deviation, rtol=1e-6)
    assert thrice.nuisance_standard_deviation["drag"] == pytest.approx(
        FOUND.nuisance_standard_deviation["drag"], rel=1e-6
    )
    with pytest.raises(ParameterError, match=r"redundancy is 0\.5"):
        ic.identify(Y, TAU, PRIOR, redundancy=0.5)


def test_deviations_of_further_numbers_are_those_of_the_normal_equations():
    deviation = np.sqrt(np.linalg.inv(FOUND.problem.H)[-1, -1]) * FOUND.problem.unit[0]
    assert FOUND.nuisance_standard_deviation["drag"] == pytest.approx(deviation, rel=1e-6)


def test_it_prints_its_rank_fit_and_proof():
    assert repr(FOUND).startswith(f"Identification(3 bodies, rank {FOUND.rank} of 31, weighted RMS")


def test_predictions_of_other_shapes_are_refused():
    with pytest.raises(ParameterError, match=r"expected \(..., 30\)"):
        FOUND.predict(Y[..., :20], F)
    with pytest.raises(ParameterError, match=r"F has shape \(\), expected \(150, 3, 1\)"):
        FOUND.predict(Y)


def test_an_answer_with_too_large_a_gap_is_uncertified(monkeypatch):
    """It comes back with its gap and a remark, and with bodies that exist."""
    monkeypatch.setattr(problem, "STEPS", 6)
    found = ic.identify(Y, TAU, PRIOR, weights=WEIGHTS, nuisance={"drag": F[..., 0]})
    assert (FOUND.status, found.status) == ("certified", "uncertified")
    assert 1e-9 < found.gap < np.inf
    assert FOUND.objective < found.objective <= FOUND.objective * (1 + 2 * found.gap)
    assert found.consistency.consistent.all()
    assert f"no certified answer: gap {found.gap:.2e}" in found.remarks[0]
    assert "uncertified, gap" in repr(found)
    with pytest.raises(ProjectionError, match="expected at most 1e-09 of the objective"):
        found.require_certificate()
    assert FOUND.require_certificate() is FOUND


@pytest.mark.parametrize("name", ["Ia2", "fv2", "fc12"])
def test_friction_and_rotors_of_ready_columns_are_not_negative(name):
    """As `RotorInertia` and the command have them; other names, and given bounds, stay free."""
    Q = np.zeros((150, 3, 1))
    Q[:, 1, 0] = np.random.default_rng(5).normal(size=150)
    tau = TAU - 2.0 * Q[..., 0]
    bounded = ic.identify(Y, tau, PRIOR, weights=WEIGHTS, nuisance={name: Q[..., 0]})
    free = ic.identify(Y, tau, PRIOR, weights=WEIGHTS, nuisance={"drag": Q[..., 0]})
    given = Nuisance.from_columns(Q, [name], lower=-np.inf)
    asked = ic.identify(Y, tau, PRIOR, weights=WEIGHTS, nuisance=given)
    assert bounded.nuisance[name] == pytest.approx(0, abs=1e-6)
    assert bounded.nuisance[name] >= 0
    assert free.nuisance["drag"] == pytest.approx(-2, abs=0.2)
    assert asked.nuisance[name] == pytest.approx(free.nuisance["drag"])
