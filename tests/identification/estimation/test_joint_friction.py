"""Stribeck, asymmetric and load-dependent friction: known truth back, with honest deviations."""

import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.errors import ParameterError
from inertial_check.identification.fit.nuisance import (
    Asymmetric,
    Coulomb,
    LoadFriction,
    Nuisance,
    Offset,
    Stribeck,
    Viscous,
)
from inertial_check.identification.fit.samples import Samples
from inertial_check.mechanics.equations import inverse_dynamics, regressor

TREE = recorded.TREE
NOISE = np.array([0.1, 0.2, 0.05])
TRUTH = {
    "fv": (1.8, 1.5, 0.7),
    "fc": (1.1, 1.4, 0.5),
    "fst": (0.8, 0.6, 0.4),
    "vs": (0.1, 0.15, 0.2),
    "fl": (0.03, 0.08, 0.1),
}
BY_DIRECTION = {
    "fvp": (1.8, 1.5, 0.7),
    "fvn": (1.5, 1.7, 0.9),
    "fcp": (1.1, 1.4, 0.5),
    "fcn": (0.7, 1.6, 0.4),
}
BODIES = [i for i in range(len(TREE)) if TREE.columns[i] and TREE.theta[i].any()]
PRIOR = np.asarray(TREE.theta)[BODIES]


def numbered(truth):
    return {f"{name}{k + 1}": value for name, own in truth.items() for k, value in enumerate(own)}


def curved(u, base, numbers):
    """Torques of the curve of Stribeck, beside friction in proportion to the load."""
    fv, fc, fst, vs, fl = (np.array([numbers[f"{s}{k}"] for k in (1, 2, 3)]) for s in TRUTH)
    size = fc + fst * np.exp(-((u / vs) ** 2)) + fl * np.abs(base)
    return fv * u + size * np.sign(u)


def directed(u, numbers):
    fvp, fvn, fcp, fcn = (np.array([numbers[f"{s}{k}"] for k in (1, 2, 3)]) for s in BY_DIRECTION)
    return np.where(u > 0, fvp * u + fcp, fvn * u - fcn)


@pytest.fixture(scope="module")
def motion():
    _, q, u, du = recorded.GENERATOR.motion(1, 20.0)
    return q, u, du, np.asarray(inverse_dynamics(TREE, q, u, du))


def identify(motion, friction, terms, seed, **options):
    q, u, du, base = motion
    tau = base + friction + NOISE * np.random.default_rng(seed).normal(size=base.shape)
    nuisance = Nuisance.of(*terms, joints=3)
    samples = Samples.of_trajectory(TREE, q, u, du, tau, nuisance, bodies=BODIES)
    return ic.identify(samples, prior=PRIOR, **options), tau


def scores(found, truth):
    deviations = found.nuisance_standard_deviation
    return [(found.nuisance[k] - value) / deviations[k] for k, value in truth.items()]


def check_scores(motion, friction, terms, truth, seeds):
    found = [identify(motion, friction, terms, seed)[0] for seed in seeds]
    assert {each.status for each in found} == {"certified"}
    z = np.abs([scores(each, truth) for each in found])
    if len(seeds) < 50:
        assert z.max() < 4
        return
    assert np.mean(z > 3) < 0.01  # 0.27 % of a normal distribution
    assert 0.85 < np.sqrt(np.mean(z**2)) < 1.15


CURVED = (Viscous(), Coulomb(), Offset(), Stribeck(), LoadFriction())
DIRECTED = (Asymmetric(kind="viscous"), Asymmetric(kind="coulomb"))


def test_three_deviations_cover_the_truth(motion, request):
    seeds = range(200 if request.config.getoption("--long") else 2)
    _, u, _, base = motion
    truth = numbered(TRUTH)
    check_scores(motion, curved(u, base, truth), CURVED, truth, seeds)
    truth = numbered(BY_DIRECTION)
    check_scores(motion, directed(u, truth), DIRECTED, truth, seeds)


def test_an_answer_is_stationary_for_the_model_itself(motion):
    """Slopes of the squares, by differences of the model, vanish at the answer."""
    q, u, du, _ = motion
    truth = numbered(TRUTH)
    friction = curved(u, motion[3], truth)
    found, tau = identify(motion, friction, CURVED, 5, regularization=1e-6)
    Y = np.asarray(regressor(TREE, q, u, du))
    columns = np.concatenate([np.arange(10 * i, 10 * i + 10) for i in BODIES])
    offset = np.array([found.nuisance[f"off{k}"] for k in (1, 2, 3)])

    def squares(numbers, theta):
        base = Y[:, :, columns] @ theta.ravel()
        left = tau - base - offset - curved(u, base, numbers)
        return float(np.sum((found.weights * left) ** 2))

    for name in truth:
        h = 0.05 * found.nuisance_standard_deviation[name]
        middle, *ends = (
            squares({**found.nuisance, name: found.nuisance[name] + step}, found.theta)
            for step in (0.0, h, -h)
        )
        curvature = (ends[0] + ends[1] - 2 * middle) / h**2
        shift = -(ends[0] - ends[1]) / (2 * h) / curvature
        assert abs(shift) < 1e-2 * found.nuisance_standard_deviation[name], name
    assert found.rounds > 1
    assert found.step <= 1e-6


def test_a_known_velocity_is_not_sought(motion):
    _, u, _, base = motion
    truth = {**numbered(TRUTH), "fl1": 0.0, "fl2": 0.0, "fl3": 0.0}
    terms = (Viscous(), Coulomb(), Stribeck(velocity=TRUTH["vs"]))
    found, _ = identify(motion, curved(u, base, truth), terms, 7)
    assert not any(name.startswith("vs") for name in found.names)
    known = {name: value for name, value in truth.items() if name[:-1] in ("fv", "fc", "fst")}
    assert np.abs(scores(found, known)).max() < 4


def test_without_the_effect_nothing_is_made_up(motion):
    _, u, _, base = motion
    none = dict.fromkeys(numbered(TRUTH), 0.0) | {"fv1": 1.0, "fv2": 1.0, "fv3": 1.0}
    none |= {f"fc{k}": 1.0 for k in (1, 2, 3)} | {f"vs{k}": 1.0 for k in (1, 2, 3)}
    found, _ = identify(motion, curved(u, base, none), CURVED, 3)
    assert found.status == "certified"
    assert not any(name.startswith("vs") for name in found.names)
    shown = {k: 0.0 for k in found.names if k.startswith(("fst", "fl"))}
    assert len(shown) == 6
    assert np.abs(scores(found, shown)).max() < 4


@pytest.mark.parametrize("velocity", [0.0, -1.0, [0.1, 0.0, 0.1], np.inf, "fast"])
def test_velocities_that_no_curve_has(velocity):
    with pytest.raises(ParameterError, match="velocity"):
        Stribeck(velocity=velocity)


def test_wrong_declarations_are_named(motion):
    with pytest.raises(ParameterError, match="'viscous' or 'coulomb'"):
        Asymmetric(kind="rotor")
    terms = (Coulomb(), Stribeck(velocity=[0.1, 0.2]))
    with pytest.raises(ParameterError, match="2 Stribeck velocities, expected one"):
        identify(motion, 0.0, terms, 0)
