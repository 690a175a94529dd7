"""Base parameters with deviations: against least squares of NumPy alone, and against the truth."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import inertial_check as ic
import synthetic_robots as synthetic
from inertial_check.identification.fit.base import estimate_base, find_base, find_impossible
from inertial_check.identification.fit.nuisance import Coulomb, Nuisance, Viscous
from inertial_check.identification.fit.samples import Reduction
from inertial_check.mechanics import equations

ROBOT = synthetic.chain(3, 1)
RUN = synthetic.recording(ROBOT.tree, 400, 1)
BESIDE = Nuisance.of(Viscous(), Coulomb(), joints=3)
WEIGHTS = 1 / RUN.deviation
FRICTION = np.array([0.6, 0.4, 0.2, 0.5, 0.3, 0.1])
COLUMNS = BESIDE.columns(RUN.u, RUN.du)
DESIGN = np.concatenate([equations.regressor(ROBOT.tree, RUN.q, RUN.u, RUN.du), COLUMNS], axis=2)
TRUTH = np.concatenate([ROBOT.tree.theta.ravel(), FRICTION])
EXACT = DESIGN @ TRUTH


def found_from(tau, **options):
    run = RUN._replace(tau=tau)
    options = {"prior": ROBOT.prior, "weights": WEIGHTS, "bodies": ROBOT.tree.names, **options}
    return ic.identify(synthetic.samples(ROBOT.tree, run, BESIDE), **options)


TAU = EXACT + RUN.tau - RUN.exact
FOUND = found_from(TAU)
BASE = FOUND.base
ROWS = (DESIGN * WEIGHTS[:, None]).reshape(-1, DESIGN.shape[2])
RIGHT = TAU * WEIGHTS


def test_the_basis_makes_the_torques():
    np.testing.assert_allclose(
        DESIGN[..., BASE.independent] @ BASE.basis, DESIGN, atol=1e-11 * np.abs(DESIGN).max()
    )
    np.testing.assert_allclose(BASE.identified, BASE.basis @ FOUND.si, rtol=1e-12)
    assert BASE.rank == len(BASE) == np.linalg.matrix_rank(ROWS)
    assert BASE.columns[:2] == ("m(link0)", "hx(link0)")
    assert BASE.columns[-1] == "fc3"


def test_least_squares_and_covariance_are_those_of_numpy():
    kept = ROWS[:, BASE.independent]
    values, *_ = np.linalg.lstsq(kept, RIGHT.ravel(), rcond=None)
    np.testing.assert_allclose(BASE.values, values, rtol=1e-8, atol=1e-10)
    expected = np.linalg.inv(kept.T @ kept)
    scale = np.sqrt(np.multiply.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(BASE.covariance / scale, expected / scale, atol=1e-8)
    np.testing.assert_allclose(BASE.standard_deviation, np.sqrt(np.diag(expected)), rtol=1e-8)
    np.testing.assert_allclose(
        BASE.relative_standard_deviation, 100 * np.sqrt(np.diag(expected)) / np.abs(BASE.values)
    )
    np.testing.assert_allclose(np.diag(BASE.correlation), 1)


def test_the_covariance_is_that_of_differences_of_the_answer():
    """Each torque moved by its deviation moves the answer: the sum of squares is the covariance."""
    few = slice(0, 30)  # of 3 joints: 90 torques for 23 base parameters

    def least_squares(tau):
        system = Reduction.of([(DESIGN[few], tau)])
        found = find_base(system, WEIGHTS, ROBOT.tree.names, BESIDE.names, "urdf")
        return estimate_base(system, WEIGHTS, TRUTH, found)

    start = least_squares(EXACT[few])
    np.testing.assert_allclose(start.values, start.identified, rtol=1e-6, atol=1e-8)
    jacobian = []
    for sample, joint in np.ndindex(*EXACT[few].shape):
        moved = EXACT[few].copy()
        moved[sample, joint] += RUN.deviation[joint]
        jacobian.append(least_squares(moved).values - start.values)
    expected = np.transpose(jacobian) @ jacobian
    scale = np.sqrt(np.multiply.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(start.covariance / scale, expected / scale, atol=1e-6)


def test_truth_within_three_deviations(request):
    """Noise drawn anew: 99.7 % of the errors are within three deviations, also of friction."""
    draws = 1000 if request.config.getoption("--long") else 40
    rng = np.random.default_rng(11)
    beta, errors, distances = BASE.parameters.of(TRUTH), [], []
    for _ in range(draws):
        tau = EXACT + RUN.deviation * rng.standard_normal(EXACT.shape)
        base = found_from(tau).base
        errors.append((base.values - beta) / base.standard_deviation)
        free = base.values - beta
        distances.append(free @ np.linalg.solve(base.covariance, free) / len(base))
    allowed = 0.003 + 3 * np.sqrt(0.003 / (draws * 4))  # base parameters of a draw go together
    assert np.mean(np.abs(errors) > 3) <= allowed
    assert np.std(errors) == pytest.approx(1, abs=0.1)
    # The whole covariance: squares in its metric are chi squared over their number.
    assert np.mean(distances) == pytest.approx(1, abs=5 * np.sqrt(2 / (len(BASE) * draws)))


def test_samples_that_repeat_each_other_give_larger_deviations():
    alike = found_from(RUN.tau, redundancy=4.0).base
    np.testing.assert_allclose(alike.standard_deviation, 2 * BASE.standard_deviation, rtol=1e-9)


def test_a_joint_without_weight_shows_nothing():
    """Its friction is then in no base parameter."""
    weights = np.array([0.0, *WEIGHTS[1:]])
    found = find_base(FOUND.reduction, weights, ROBOT.tree.names, BESIDE.names, "urdf")
    alone = estimate_base(FOUND.reduction, weights, FOUND.si, found)
    assert len(alone) < len(BASE)
    assert not any("fv1" in name or "fc1" in name for name in alone.names)
    assert np.all(np.isfinite(alone.standard_deviation))


@pytest.mark.parametrize("order", ["pinocchio", "mujoco"])
def test_another_order_of_the_entries_is_the_same_table(order):
    Y = equations.regressor(ROBOT.tree, RUN.q, RUN.u, RUN.du, order=order)
    prior = ic.InertialParameters.from_theta(ROBOT.prior).as_theta(order=order)
    again = ic.identify(
        Y, RUN.tau, prior, weights=WEIGHTS, order=order, bodies=ROBOT.tree.names
    ).base
    own = ic.identify(
        synthetic.samples(ROBOT.tree, RUN),
        prior=ROBOT.prior,
        weights=WEIGHTS,
        bodies=ROBOT.tree.names,
    )
    table = dict(zip(own.base.names, own.base.values.tolist(), strict=True))
    same = dict(zip(again.names, again.values.tolist(), strict=True))
    shared = sorted(set(table) & set(same))
    assert len(shared) > len(table) / 2  # sums name their parts in the order of the columns
    for name in shared:
        assert same[name] == pytest.approx(table[name], rel=1e-4, abs=1e-6)


def test_it_prints_copies_and_pickles():
    assert repr(BASE).startswith(f"BaseEstimate({len(BASE)} base parameters, ")
    lines = str(BASE).splitlines()
    assert lines[0].split() == ["base", "parameter", "value", "deviation", "%"]
    assert len(lines) == len(BASE) + 1
    assert lines[-1].split()[0] == "fc3"
    for other in (copy.deepcopy(BASE), pickle.loads(pickle.dumps(BASE))):
        assert other == BASE
        assert other.names == BASE.names
    assert BASE.units[0] == "kg m^2"
    assert BASE.units[-1] == ""
    for name, terms in zip(BASE.names, BASE.parameters.terms, strict=True):
        assert name.startswith(BASE.columns[terms[0].column])
        assert terms[0].coefficient == 1
        assert name.count("(") == sum(term.column < 30 for term in terms)


def test_impossible_rows_are_those_that_no_mass_points_give():
    # Any body is a sum of mass points, so that a combination is never negative if none of many
    # points, near and far, makes it negative, and friction at its bounds does not, either.
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20000, 3)) * 10.0 ** rng.uniform(-2, 2, (20000, 1))
    x, y, z = points.T
    ten = np.stack(
        [1 + 0 * x, x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, 0 * x]
    )
    ten[9] = x * x + y * y
    rows = BASE.basis[:, :-6].reshape(len(BASE), -1, 10)
    least, most = (end(rows @ ten, axis=(1, 2)) for end in (np.min, np.max))
    free = np.abs(BASE.basis[:, -6:]).any(axis=1)
    largest = np.abs(rows @ ten).max(axis=(1, 2)) * 1e-9
    bounds = np.zeros(6), np.full(6, np.inf)
    for deviations, never in ((-5.1, least >= -largest), (5.1, (most <= largest) & ~free)):
        far = replace(BASE, values=deviations * BASE.standard_deviation)
        assert never.any() == (deviations < 0)
        np.testing.assert_array_equal(find_impossible(far, "urdf", *bounds), never)
        near = replace(BASE, values=0.9 * far.values)
        assert not find_impossible(near, "urdf", *bounds).any()
    open_ = find_impossible(
        replace(BASE, values=-1e9 + 0 * BASE.values), "urdf", -bounds[1], bounds[1]
    )
    assert not open_[free].any()
    assert open_[~free].any()


def test_torques_of_the_other_sign_put_bodies_outside_the_cone():
    assert FOUND.outside.max() < 5
    assert found_from(-TAU).outside.max() > 5


def test_a_prior_that_is_far_off_widens_what_it_decides():
    """The bug: single numbers lay beyond three deviations five times as often as they should."""
    for factor in (1.0, 4.0):
        prior = ROBOT.tree.theta.copy()
        prior[1] *= factor
        found = found_from(TAU, prior=prior, regularization=300.0)
        off = np.abs(found.free_theta - ROBOT.tree.theta)
        stated, wide = found.identifiability.standard_deviation, found.body_deviation
        assert np.max(off / wide) < 3
        assert (np.max(off / stated) > 3) == (factor > 1)
        if factor == 1:  # a right prior is believed
            assert np.max(wide / stated) < 1.1
