"""The conic path against the closed form, an independent formulation, and a solver that lies."""

import cvxpy as cp
import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia import sampling
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import conic
from inertial_check.projection.metrics import METRICS

EPS = np.finfo(float).eps
LONG = [1.0, 0.3, -2, 0.1, 1, 0.01, 0, 1, 0.02, 4]


def hard_bodies(seed, each):
    """Every kind of violation, from all but zero to total, at tiny and huge scales; near rods."""
    rng = np.random.default_rng(seed)
    kinds = [
        sampling.inconsistent(rng, each, kinds=[kind], violation=violation)
        for kind in ("triangle", "negative-moment", "two-facets", "three-facets")
        for violation in ((1e-13, 1e-9), (1e-9, 1e-4), (1e-4, 1.0))
        if kind != "three-facets" or violation[1] == 1
    ]
    theta = np.concatenate([bodies.as_theta(about="com") for bodies in kinds])
    theta[:, 4:] *= 10.0 ** rng.uniform(-13, 8, (len(theta), 1))
    return theta


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("margin", [0.0, 1e-3, 0.2, 1 / 3])
def test_agrees_with_the_closed_form(metric, margin):
    theta = hard_bodies(0, 2)
    closed = ic.project(theta, metric, about="com", margin=margin)
    found = ic.project(theta, metric, about="com", margin=margin, solver="Clarabel")
    size = np.abs(theta[:, 4:]).max(-1)
    error = np.abs(found.theta - closed.theta)[:, 4:].max(-1) / size
    assert (error <= 1e-12 * closed.relative_change + 256 * EPS).all()
    assert (found.status == closed.status).all()
    assert (np.array(found.certify()) <= CERTIFIED).all()
    assert found.solver == "clarabel"
    assert (found.iterations > 0).all()
    held = ic.check(found.theta, about="com").margin >= margin
    assert held[~found.vanished].all()
    assert (closed.iterations == 0).all()


def test_another_solver_by_name_agrees_too():
    theta = sampling.inconsistent(1, 4, violation=(1e-2, 1)).as_theta(about="origin")
    closed, found = ic.project(theta, margin=0.01), ic.project(theta, margin=0.01, solver="scs")
    assert found.solver == "scs"
    np.testing.assert_allclose(found.distance, closed.distance, rtol=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_agrees_with_the_pseudo_inertia_formulation(metric, margin):
    """Posed on the 4x4 Pi about the origin, mass and h fixed, by a first-order solver."""
    bodies = sampling.inconsistent(
        2, 6, violation=(0.05, 1), mass=(1, 2), length=(0.5, 2), offset=(0.1, 1)
    )
    Pi = cp.Variable((4, 4), PSD=True)
    for given, found in zip(
        bodies.as_theta(about="origin"),
        ic.project(bodies, metric, margin=margin).parameters.pseudo_inertia,
        strict=True,
    ):
        body = ic.InertialParameters.from_theta(given)
        mass, h = given[0], given[1:4]
        Sigma = Pi[:3, :3]
        change = Sigma - body.pseudo_inertia[:3, :3]
        if metric == "inertia":
            change = cp.trace(change) * np.eye(3) - change
        central_trace = cp.trace(Sigma) - h @ h / mass
        floor = np.zeros((4, 4))
        floor[:3, :3] = margin * np.eye(3)
        problem = cp.Problem(
            cp.Minimize(cp.sum_squares(change)),
            [Pi[3, 3] == mass, Pi[:3, 3] == h, Pi - central_trace * floor >> 0],
        )
        problem.solve(solver="SCS", eps_abs=1e-9, eps_rel=1e-9, max_iters=50_000)
        size = np.abs(body.central_second_moment).max()
        np.testing.assert_allclose(Pi.value, found, rtol=0, atol=1e-6 * size)


class TestSolversThatFail:
    def test_an_answer_without_proof_is_never_returned(self, monkeypatch):
        """Too few iterations and no polish: the body comes with the error, to be solved again."""
        monkeypatch.setitem(conic.ATTEMPTS, "SCS", ({"max_iters": 5},))
        monkeypatch.setattr(conic, "POLISHING_STEPS", 0)
        with pytest.raises(
            ic.ProjectionError, match=r"SCS gave no certified answer .*residual"
        ) as e:
            ic.project(LONG, about="com", margin=0.125, solver="scs")
        assert e.value.instance == {
            "I_BBcm": LONG[4:],
            "metric": "inertia",
            "margin": 0.125,
            "solver": "SCS",
        }

    @pytest.mark.parametrize("violation", [1e-4, 1e-8, 1e-11])
    @pytest.mark.parametrize(
        "lie",
        [
            lambda P, Z, d: (P + 10 * d, Z),
            lambda P, Z, d: (P + 10 * d, 11 * Z),
            lambda P, Z, d: (P - 0.5 * d, 0.5 * Z),
            lambda P, Z, d: (P * (1 + 10 * np.linalg.norm(d)), Z),
            lambda P, Z, d: (P, -Z),
        ],
        ids=["too far", "too far, multiplier alike", "half way", "too large", "wrong side"],
    )
    def test_answers_are_judged_in_the_size_of_the_move(self, monkeypatch, violation, lie):
        """Ten times too far is wrong, also where the whole move is below the tolerance."""
        theta = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3 * (1 + violation)])
        right = conic._polished

        def wrong(P, s, metric, margin):
            P, Z = right(P, s, metric, margin)
            return lie(P, Z, P - s)

        assert ic.project(theta, about="com", solver="clarabel").status == "projected"
        monkeypatch.setattr(conic, "_polished", wrong)
        with pytest.raises(ic.ProjectionError, match="no certified answer"):
            ic.project(theta, about="com", solver="clarabel")

    @pytest.mark.parametrize("second", [1.0, -1.0], ids=["one facet too many", "one too few"])
    @pytest.mark.parametrize("violation", [1e-4, 1e-11])
    def test_the_wrong_facets_are_seen(self, monkeypatch, violation, second):
        """Everything else about these answers is as it should be."""
        spreads = violation * np.array([-1.0, second, 0]) + np.array([0, 0, 1.0])
        theta = np.zeros(10)
        theta[0], theta[[4, 7, 9]] = 1, spreads.sum() - spreads

        def wrong(P, s, metric, margin):
            kept = np.array([0, 0, 0, second < 0, 0, 1.0])
            return kept * s, kept * s - s

        monkeypatch.setattr(conic, "_polished", wrong)
        with pytest.raises(ic.ProjectionError, match="no certified answer"):
            ic.project(theta, "covariance", about="com", solver="clarabel")

    def test_a_second_attempt_is_made(self, monkeypatch):
        solve, calls = cp.Problem.solve, []

        def once_broken(self, **options):
            calls.append(options)
            if len(calls) == 1:
                raise cp.error.SolverError("stalled")
            return solve(self, **options)

        monkeypatch.setattr(cp.Problem, "solve", once_broken)
        found = ic.project(LONG, about="com", solver="clarabel")
        assert len(calls) == 2
        assert found.gap <= CERTIFIED

    def test_a_panic_becomes_a_projection_error(self, monkeypatch):
        """Clarabel's PanicException is no Exception."""

        class PanicException(BaseException):
            pass

        def panic(self, **options):
            raise PanicException("index out of bounds")

        monkeypatch.setattr(cp.Problem, "solve", panic)
        with pytest.raises(ic.ProjectionError, match="index out of bounds"):
            ic.project(LONG, about="com", solver="clarabel")

    @pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
    def test_the_user_can_still_stop_it(self, monkeypatch, stop):
        def interrupted(self, **options):
            raise stop

        monkeypatch.setattr(cp.Problem, "solve", interrupted)
        with pytest.raises(stop):
            ic.project(LONG, about="com", solver="clarabel")


def test_feasible_rows_never_reach_the_solver(monkeypatch):
    def called(self, **options):
        raise AssertionError

    monkeypatch.setattr(cp.Problem, "solve", called)
    theta = sampling.consistent(3, 50).as_theta(about="com")
    found = ic.project(theta, about="com", solver="clarabel")
    assert found.theta.tobytes() == theta.tobytes()


def test_the_compiled_problem_is_reused():
    """Compiling it costs more than solving it."""
    conic._problem.cache_clear()
    ic.project([LONG] * 3, about="com", solver="clarabel")
    ic.project([LONG] * 3, about="com", margin=0.1, solver="clarabel")
    assert conic._problem.cache_info().misses == 1
