"""A margin as a problem of its own: the nearest body that has it, and the bound that proves it.

Two oracles share nothing with the package: a search from random starts over bodies that have the
margin by their form, and conic programs in which the centre of mass is fixed, which makes the
margin linear. The first finds nothing nearer than what is claimed; neither goes below a bound.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import inertial_check as ic
import nearest_search
from inertial_check.inertia.frames import translate
from inertial_check.projection import constraints
from inertial_check.projection import margin as margin_module

BALL = [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
FAR = [1.2, 1.2, -1.4, -1.7, 4.1, 1.5, 1.8, 4.7, -1.3, 5.9]
PRIOR = [1, -0.5, 0.4, 2, 5, 0.5, 0.8, 5.5, -0.8, 1.5]
PLATE = [1, 0, 0, 0, 1, 0, 0, 1, 0, 2]
MARGINS = (1e-6, 0.1, 1 / 3)
METRICS = ("prior", "weighted", "pseudo-inertia", "euclidean")


def draw(seed, count):
    """Broken bodies, garbage and plates beside priors, as theta about the origin."""
    rng = np.random.default_rng(seed)
    N = rng.normal(size=(2, count, 4, 4))
    N[1, ::3, :, 3] = 0.0  # plates, as their fourth column is
    Pi = N @ N.swapaxes(-1, -2)
    six = np.trace(Pi[..., :3, :3], axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
    inertia = (six - Pi[..., :3, :3])[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    prior, theta = np.concatenate([Pi[..., 3, 3:], Pi[..., 3, :3], inertia], axis=-1)
    theta[1::3] += 0.5 * rng.normal(size=theta[1::3].shape)
    theta[2::3] = rng.normal(size=theta[2::3].shape)
    return theta, prior


def pose(metric, theta, prior, seed):
    """The arguments of `project`, and the weights (n, 10, 10) of the squared distance."""
    if metric == "prior":
        return {"prior": prior}, nearest_search.weights_of_prior(prior)
    if metric == "weighted":
        factor = np.random.default_rng(seed).normal(size=(len(theta), 10, 10))
        weights = factor @ factor.swapaxes(1, 2) + 0.1 * np.eye(10)
        return {"weights": weights}, weights
    basis = nearest_search.pseudo_inertia(np.eye(10)).reshape(10, 16)
    weights = np.eye(10) if metric == "euclidean" else basis @ basis.T
    return {}, np.broadcast_to(weights, (len(theta), 10, 10))


def has_margin(theta, margin):
    """Whether S_c - margin tr(S_c) 1 >= 0 and m > 0, in exact rational arithmetic."""
    m, *h = (Fraction(float(value)) for value in theta[:4])
    xx, xy, xz, yy, yz, zz = (Fraction(float(value)) for value in theta[4:])
    half = (xx + yy + zz) / 2
    S = [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]
    S = [[S[i][j] - h[i] * h[j] / m for j in range(3)] for i in range(3)]
    taken = margin * sum(S[i][i] for i in range(3))
    for i in range(3):
        S[i][i] -= taken
    pairs = all(S[i][i] * S[j][j] >= S[i][j] ** 2 for i, j in combinations(range(3), 2))
    (a, b, c), (_, d, e), (_, _, f) = S
    whole = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    return m > 0 and min(a, d, f) >= 0 and pairs and whole >= 0


def test_a_body_with_the_margin_is_found_where_raising_a_floor_ended_seven_times_as_far():
    found = ic.project(FAR, "prior", prior=PRIOR, margin=0.1)
    assert found.status == "projected"
    assert found.distance <= 0.156922
    assert has_margin(found.theta, Fraction(0.1))
    assert max(found.certify()) <= 1e-9


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("metric", METRICS)
def test_a_search_finds_nothing_nearer_than_what_is_claimed_and_nothing_below_a_bound(
    metric, margin
):
    theta, prior = draw(1, 15)
    given, weights = pose(metric, theta, prior, 2)
    found = ic.project(theta, metric, margin=margin, **given)
    judged = ic.check(found.theta)
    assert judged.consistent.all()
    assert (judged.margin >= margin - judged.tolerance).all()
    task = nearest_search.Task(theta, weights, prior=prior if metric == "prior" else None)
    rng = np.random.default_rng(3)
    searched = np.sqrt(nearest_search.search(task, margin, 6, rng).value)
    assert (found.distance <= 1.05 * searched + 1e-9).all()
    projected, near = found.status == "projected", found.status == "near"
    assert (found.distance[projected] <= searched[projected] * (1 + 1e-6) + 1e-9).all()
    assert (found.factor[near] <= 1.05).all()
    # The bound of every row, also of one that is not certified.
    bound = found.distance / found.factor
    assert (bound <= searched * (1 + 1e-6) + 1e-9)[found.changed].all()
    # Regions of centres of mass prove most rows; one about the answer alone, few of large margins.
    assert (projected | near)[found.changed].mean() > (0.7 if margin < 0.3 else 0.4)


@pytest.mark.parametrize(("margin", "share"), [(0.1, 0.97), (0.2, 0.93)])
def test_few_rows_stay_without_a_proof_whose_centre_of_mass_may_lie_anywhere(margin, share):
    """Balls inside a cut left 6 and 10 of these 50 rows uncertified."""
    theta, prior = draw(1, 50)
    found = ic.project(theta, "prior", prior=prior, margin=margin)
    assert np.isin(found.status, ["projected", "near"])[found.changed].mean() >= share
    assert (found.factor[found.status == "projected"] <= 1 + 1e-9).all()


@pytest.mark.parametrize("margin", [0.1, 1 / 3])
def test_centres_at_infinity_are_proven_with_the_margin(margin):
    """A cut without the margin left 9 and 22 of these 50 rows uncertified."""
    theta = np.random.default_rng(5).normal(size=(50, 10))
    found = ic.project(theta, "prior", prior=BALL, margin=margin)
    assert np.isin(found.status, ["projected", "near"]).sum() >= 48


def test_no_proof_is_tried_where_the_distance_is_rounding(monkeypatch):
    """A point is as near as one likes to bodies with the margin; 508 boxes could not prove that."""
    asked = []
    monkeypatch.setattr(margin_module, "_cover", lambda problem, *_: asked.append(problem))
    prior = ic.InertialParameters.from_com(1, [0.3, 0.2, 0.1], np.eye(3))
    points = np.array([[17.3], [0.836], [13.7]]) * np.eye(10)[0]
    found = ic.project(points, "prior", prior=prior, margin=0.1)
    assert not asked
    assert found.status.tolist() == ["uncertified"] * 3


def test_multipliers_that_are_rounding_prove_nothing():
    """About this row a cut leaves a multiplier of 1e-14, whose cone is rounding."""
    theta, prior = draw(1, 24)
    row, given = 9, prior[9:10]
    found = ic.project(theta[row : row + 1], "prior", prior=given, margin=0.1)
    task = nearest_search.Task(
        theta[row : row + 1], nearest_search.weights_of_prior(given), prior=given
    )
    searched = np.sqrt(nearest_search.search(task, 0.1, 6, np.random.default_rng(3)).value)
    assert found.distance[0] / found.factor[0] <= searched[0] * (1 + 1e-6)
    assert found.distance[0] <= 1.05 * searched[0]


def test_no_body_with_a_fixed_centre_of_mass_is_below_the_bound():
    """Conic programs: with c fixed, m and S_c are variables, and the margin is linear in them."""
    cp = pytest.importorskip("cvxpy")
    theta, prior = draw(4, 6)
    margin = 0.1
    weights = nearest_search.weights_of_prior(prior)
    found = ic.project(theta, "prior", prior=prior, margin=margin)
    m, S = cp.Variable(nonneg=True), cp.Variable((3, 3), symmetric=True)
    inertia = cp.trace(S) * np.eye(3) - S
    for row in np.flatnonzero(found.changed):
        bound = found.distance[row] / found.factor[row]
        root = np.linalg.cholesky(weights[row]).T
        com = found.theta[row, 1:4] / found.theta[row, 0]
        own = None
        for shift in [np.zeros(3), *(0.7 * np.eye(3)), *(-0.7 * np.eye(3)), *(4.0 * np.eye(3))]:
            c = com + shift
            about = inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
            six = [about[i, j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
            body = cp.hstack([m, *(m * c), *six])
            problem = cp.Problem(
                cp.Minimize(cp.norm(root @ (body - theta[row]))),
                [S - margin * cp.trace(S) * np.eye(3) >> 0],
            )
            distance = problem.solve(solver="CLARABEL")
            own = distance if own is None else own
            assert bound <= distance * (1 + 1e-6)
        assert own == pytest.approx(found.distance[row], rel=1e-5)  # nothing nearer at its centre


@pytest.mark.parametrize(
    ("metric", "margin"), [("prior", 0.05), *((metric, 0.2) for metric in METRICS)]
)
def test_under_a_fixed_mass_a_search_finds_nothing_nearer_than_what_is_claimed(metric, margin):
    """A heavy weight holds the mass of the search, what it costs beside the others taken out."""
    theta, prior = draw(11, 9)
    given, weights = pose(metric, theta, prior, 2)
    limits = [constraints.FixedMass(1.3)]
    found = ic.project(theta, metric, margin=margin, constraints=limits, **given)
    rest, moved = 1.3 - theta[:, 0], np.array(theta)
    pull = weights[:, 0, 1:] * rest[:, None]
    moved[:, 0] = 1.3
    moved[:, 1:] -= np.linalg.solve(weights[:, 1:, 1:], pull[:, :, None])[:, :, 0]
    held = np.array(weights)
    held[:, 0, :] = held[:, :, 0] = 0.0
    held[:, 0, 0] = 1e9 * np.trace(weights, axis1=1, axis2=2)
    searched = nearest_search.search(
        nearest_search.Task(moved, held), margin, 6, np.random.default_rng(3)
    )
    change = searched.theta - theta
    change[:, 0] = rest
    distance = np.sqrt(np.einsum("ni,nij,nj->n", change, weights, change))
    assert (found.theta[:, 0] == 1.3).all()
    assert (found.distance <= 1.05 * distance).all()
    # One problem after another about a centre of mass that moves proves no bound: this is one.
    bound = found.distance / found.factor
    assert (bound <= distance * (1 + 1e-5))[found.changed].all()
    assert (found.factor[found.status == "near"] <= 1.05).all()
    if margin <= 0.05:
        assert np.isin(found.status, ["projected", "near"])[found.changed].mean() > 0.5


def test_margins_of_bodies_that_a_sum_ties_are_bounded_together():
    theta, prior = draw(1, 4)
    limits = [constraints.TotalMass(4.0, bodies=(0, 1))]
    found = ic.project(theta[:2], "prior", prior=prior[:2], margin=0.05, constraints=limits)
    assert found.theta[:, 0].sum() == pytest.approx(4.0)
    assert found.factor[0] == pytest.approx(found.factor[1])
    assert found.factor[0] >= 1
    assert (ic.check(found.theta).margin >= 0.05 - ic.check(found.theta).tolerance).all()


@pytest.mark.parametrize("metric", ["prior", "pseudo-inertia", "weighted", "euclidean"])
@pytest.mark.parametrize("margin", [1e-6, 0.01, 1 / 3])
def test_a_plate_has_the_margin_afterwards_in_exact_arithmetic(metric, margin):
    given = {"prior": {"prior": BALL}, "weighted": {"weights": np.ones(10)}}.get(metric, {})
    found = ic.project(PLATE, metric, margin=margin, **given)
    assert has_margin(
        found.theta, Fraction(margin) - Fraction(float(ic.check(found.theta).tolerance))
    )
    assert margin > 0.1 or found.status == "projected"


@pytest.mark.parametrize("about", ["origin", "com"])
@pytest.mark.parametrize("metric", ["inertia", "covariance", "prior", "pseudo-inertia"])
def test_a_point_mass_has_no_margin_and_is_not_feasible(metric, about):
    point = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    given = {"prior": BALL} if metric == "prior" else {}
    found = ic.project(point, metric, about=about, margin=0.1, **given)
    if metric in ("inertia", "covariance"):
        assert found.status == "no-nearest"
        assert found.theta.tolist() == point
    else:  # a little body around it is as near as one likes, and none is nearest
        assert found.status == "uncertified"
        assert ic.check(found.theta, about=about).margin >= 0.1


def test_the_nearest_with_a_margin_does_not_depend_on_the_frame_of_a_prior():
    theta, prior = draw(5, 12)
    offset = np.array([3.0, -1.0, 2.0])
    found = ic.project(theta, "prior", prior=prior, margin=0.1)
    moved = ic.project(
        translate(theta, offset), "prior", prior=translate(prior, offset), margin=0.1
    )
    sure = found.status == "projected"
    assert sure.any()
    np.testing.assert_allclose(moved.distance[sure], found.distance[sure], rtol=1e-7)


def test_a_row_ends_at_the_least_mass_with_the_margin():
    theta = np.array([[-2.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], [0.5, 0, 0, 0, -9, 0, 0, 1, 0, 1]])
    found = ic.project(theta, "pseudo-inertia", margin=0.2, mass_min=0.1)
    assert found.status[0] == "mass-floored"
    assert found.theta[0, 0] == pytest.approx(0.1)
    judged = ic.check(found.theta)
    assert (judged.margin >= 0.2 - judged.tolerance).all()


@pytest.mark.parametrize("margin", [1e-3, 0.2])
@pytest.mark.parametrize("metric", ["entropic", "affine-invariant"])
def test_a_search_finds_no_better_estimate_with_the_margin_and_none_below_the_bound(metric, margin):
    theta, prior = draw(1, 24)
    found = ic.project(theta, metric, prior=prior, margin=margin)
    judged = ic.check(found.theta)
    assert (judged.margin >= margin - judged.tolerance).all()
    weights = nearest_search.weights_of_prior(prior)
    task = nearest_search.Task(theta, weights, prior=prior, rho=1.0, divergence=metric)
    least = nearest_search.search(task, margin, 6, np.random.default_rng(3)).value
    own = nearest_search.objective(task, np.asarray(found.theta))
    projected, near = found.status == "projected", found.status == "near"
    assert (own[projected] <= least[projected] * (1 + 1e-6)).all()
    assert (own[near] <= 1.05**2 * least[near]).all()
    moved = found.changed
    assert (own / found.factor**2 <= least * (1 + 1e-6))[moved].all()
    assert (projected | near)[moved].mean() > (0.8 if margin < 0.1 else 0.4)
    assert max(np.max(found.gap[projected]), np.max(found.dual_residual[projected])) <= 1e-9


def test_estimates_that_had_the_margin_are_those_without_it():
    theta, prior = draw(1, 12)
    for metric in ("entropic", "affine-invariant"):
        found = ic.project(theta, metric, prior=prior, margin=0.01)
        free = ic.project(theta, metric, prior=prior)
        had = (ic.check(free.theta).margin >= 0.01) & free.changed
        assert had.any()
        np.testing.assert_allclose(found.theta[had], free.theta[had], rtol=1e-12)


def test_an_estimate_whose_bound_would_need_definite_weights_is_not_claimed():
    """Where the geodesic distance outweighs the data, its least has no bound."""
    theta, prior = draw(1, 12)
    given = {"prior": prior, "weights": np.full(10, 1e-6)}
    free = ic.project(theta, "affine-invariant", **given)
    found = ic.project(theta, "affine-invariant", margin=0.2, **given)
    lacking = ic.check(free.theta).margin < 0.2
    assert lacking.any()
    assert (found.status[lacking] == "uncertified").all()
    judged = ic.check(found.theta)
    assert (judged.margin >= 0.2 - judged.tolerance).all()
