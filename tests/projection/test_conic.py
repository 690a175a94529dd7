"""The conic path against closed forms, independent formulations, and solvers that lie or break."""

import clarabel
import cvxpy as cp
import numpy as np
import pytest

import families
import inertial_check as ic
import textbook
from inertial_check.inertia import sampling
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection import conic, newton
from inertial_check.projection.conic import cones, joint, solvers
from inertial_check.projection.conic.solvers import NoAnswer, ask_solver
from inertial_check.projection.constraints import (
    ComInBall,
    ComInBox,
    ComInHull,
    FixedCom,
    FixedEntries,
    FixedMass,
    MassBounds,
    Mirrored,
    TotalMass,
)
from inertial_check.projection.densities import DensityInBall, DensityInBox
from inertial_check.projection.moments import METRICS
from inertial_check.projection.quadratic import (
    Quadratic,
    certify_in_units,
    fit_reference,
    measure_change,
    normalise,
    to_units,
)
from inertial_check.projection.svec import TO_SVEC, pack
from limits import CORNERS, POINTS, SHAPES, quadratic, worst

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
    points = closed.vanished  # they come back as given, and have no distance and no certificate
    assert (found.vanished == points).all()
    assert (error <= np.where(points, 0, 1e-12 * closed.relative_change + 256 * EPS)).all()
    assert (found.status == closed.status).all()
    assert (np.array(found.certify())[:, ~points] <= CERTIFIED).all()
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
    kinds = ["triangle", "negative-moment", "two-facets"]
    bodies = sampling.inconsistent(
        2, 6, kinds=kinds, violation=(0.05, 1), mass=(1, 2), length=(0.5, 2), offset=(0.1, 1)
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


def told(problem, change, z):
    """The point of the polish that says this change and these multipliers."""
    point = problem.g + problem.Gu @ change - z
    return cones.ConePoint(change, np.zeros(0), point, 1.0)


class TestSolversThatFail:
    def test_an_answer_without_proof_is_never_returned(self, monkeypatch):
        """Too few iterations and no polish: the body comes with the error, to be solved again."""
        monkeypatch.setitem(solvers.ATTEMPTS, "SCS", ({"max_iters": 5},))
        monkeypatch.setattr(joint, "polish", lambda problem, start: (start, np.inf))
        with pytest.raises(
            ic.ProjectionError, match=r"SCS gave no certified answer .*residual"
        ) as e:
            ic.project(LONG, about="com", margin=0.125, solver="scs").raise_for_status()
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
            lambda s, d, z: (11 * d, z),
            lambda s, d, z: (11 * d, 11 * z),
            lambda s, d, z: (d / 2, z / 2),
            lambda s, d, z: (d + 10 * np.linalg.norm(d) * (s + d), z),
            lambda s, d, z: (d, -z),
        ],
        ids=["too far", "too far, multiplier alike", "half way", "too large", "wrong side"],
    )
    def test_answers_are_judged_in_the_size_of_the_move(self, monkeypatch, violation, lie):
        """Ten times too far is wrong, also where the whole move is below the tolerance."""
        theta = np.array([1.0, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3 * (1 + violation)])
        right = joint.polish

        def wrong(problem, start):
            point, residual = right(problem, start)
            z = (cones.project(point.w, problem.parts) - point.w) * point.step
            d, z = lie(problem.g, point.step * point.d, z)
            return told(problem, d, z), residual

        assert ic.project(theta, about="com", solver="clarabel").status == "projected"
        monkeypatch.setattr(joint, "polish", wrong)
        found = ic.project(theta, about="com", solver="clarabel")
        assert found.status == "uncertified"
        assert (found.theta == theta).all()
        with pytest.raises(ic.ProjectionError, match="no certified answer"):
            found.raise_for_status()

    @pytest.mark.parametrize("second", [1.0, -1.0], ids=["one facet too many", "one too few"])
    @pytest.mark.parametrize("violation", [1e-4, 1e-11])
    def test_the_wrong_facets_are_seen(self, monkeypatch, violation, second):
        """Everything else about these answers is as it should be."""
        spreads = violation * np.array([-1.0, second, 0]) + np.array([0, 0, 1.0])
        theta = np.zeros(10)
        theta[0], theta[[4, 7, 9]] = 1, spreads.sum() - spreads

        def wrong(problem, start):
            change = np.array([0, 0, 0, second < 0, 0, 1.0]) * problem.g - problem.g
            return told(problem, change, change), 0.0

        monkeypatch.setattr(joint, "polish", wrong)
        with pytest.raises(ic.ProjectionError, match="no certified answer"):
            ic.project(theta, "covariance", about="com", solver="clarabel").raise_for_status()

    def test_a_second_attempt_is_made(self, monkeypatch):
        solve, calls = cp.Problem.solve, []

        def once_broken(self, **options):
            calls.append(options)
            if len(calls) == 1:
                raise cp.error.SolverError("stalled")
            return solve(self, **options)

        monkeypatch.setattr(cp.Problem, "solve", once_broken)
        found = ic.project(LONG, about="com", solver="scs")
        assert len(calls) == 2
        assert found.gap <= CERTIFIED


def test_feasible_rows_never_reach_the_solver(monkeypatch):
    def called(*_):
        raise AssertionError

    monkeypatch.setattr(solvers, "ask_solver", called)
    theta = sampling.consistent(3, 50).as_theta(about="com")
    found = ic.project(theta, about="com", solver="clarabel")
    assert found.theta.tobytes() == theta.tobytes()


def some_bodies(seed, count, **scales):
    ranges = {"mass": (1, 3), "length": (0.1, 0.3), "offset": (0.1, 1), **scales}
    bodies = sampling.inconsistent(seed, count, violation=(0.01, 0.5), **ranges)
    return quadratic(bodies.as_theta(about="origin"), ranges["mass"][0], ranges["length"][0])


def objective(problem, theta):
    return measure_change(problem, theta) ** 2


class TestNearestWithoutConstraints:
    @pytest.mark.parametrize("name", families.FAMILIES)
    def test_every_family_is_certified_in_the_units_of_newtons_method(self, name):
        drawn = families.draw(name, 8, seed=4)
        W = drawn.matrices
        problem = Quadratic(drawn.theta, W, np.zeros((8, 4, 4)), fit_reference(W, drawn.theta))
        found = conic.nearest(problem)
        units = normalise(problem)
        residuals = certify_in_units(units, *to_units(problem, units, found.theta, found.dual))
        assert max(part.max() for part in residuals) <= CERTIFIED
        other = newton.project(problem)
        size = measure_change(problem, np.zeros((8, 10)))
        difference = np.abs(
            measure_change(problem, found.theta) - measure_change(problem, other.theta)
        )
        assert (difference <= 1e-9 * size).all()

    def test_a_floor_of_mass_is_held(self):
        problem = some_bodies(1, 3)
        floor = np.zeros((3, 4, 4))
        floor[:, 3, 3] = 10.0
        found = conic.nearest(problem._replace(Delta=floor))
        lowest = np.linalg.eigvalsh(_matrices(found.theta) - floor)[:, 0]
        assert (lowest >= -1e-12).all()
        assert (found.theta[:, 0] >= 10).all()
        assert worst(found) <= CERTIFIED

    def test_consistent_bodies_come_back_bit_for_bit_without_a_solver(self, monkeypatch):
        monkeypatch.setattr(solvers, "ask_solver", None)
        theta = sampling.consistent(3, 20, offset=(0.1, 10)).as_theta(about="origin")
        found = conic.nearest(quadratic(theta))
        assert found.theta.tobytes() == theta.tobytes()
        assert not found.iterations.any()


class TestNearestUnderConstraints:
    @pytest.mark.parametrize("name", SHAPES)
    def test_agrees_with_its_textbook_formulation(self, name):
        """Posed on Pi itself, with lifted variables of full size: nothing else is better."""
        problem = some_bodies(11, 1)
        found = conic.nearest(problem, [SHAPES[name].constraint, MassBounds(2.0)])
        assert worst(found) <= CERTIFIED
        simple = name in {"ball", "ellipsoid", "box, vertices", "polytope, vertices"}
        least = lifted(problem, lambda Pi: textbook.inside(name, Pi), by_scs=simple)
        assert objective(problem, found.theta)[0] == pytest.approx(least, rel=1e-6)

    @pytest.mark.parametrize(("name", "corners"), [("box", CORNERS), ("polytope", POINTS)])
    def test_a_hierarchy_of_moments_gets_there_from_below(self, name, corners):
        """Order two of Lasserre's is a relaxation: it can only come nearer than a density does."""
        problem = some_bodies(11, 1)
        found = conic.nearest(problem, [SHAPES[name].constraint, MassBounds(2.0)])
        least = lifted(problem, lambda Pi: textbook.lasserre(corners, Pi))
        assert 0.9 < least / objective(problem, found.theta)[0] < 1 + 1e-6

    def test_what_is_fixed_is_met_bit_for_bit(self):
        problem = some_bodies(12, 3)
        values = {"Ixx": 0.3, "hy": None}
        found = conic.nearest(problem, [FixedMass(2.7), FixedEntries(values), FixedMass(2.7)])
        assert found.theta[:, 0].tolist() == [2.7] * 3
        assert found.theta[:, 4].tolist() == [0.3] * 3
        assert found.theta[:, 2].tobytes() == problem.theta0[:, 2].tobytes()
        assert ic.check(found.theta).consistent.all()
        assert worst(found) <= CERTIFIED
        kept = conic.nearest(problem, [FixedMass(), FixedCom()])
        assert kept.theta[:, :4].tobytes() == problem.theta0[:, :4].tobytes()
        assert (kept.theta[:, 4:] != problem.theta0[:, 4:]).any()

    def test_fixed_metrics_keep_mass_and_first_moment(self):
        kinds = ["triangle", "negative-moment", "two-facets"]
        theta = sampling.inconsistent(
            13, 3, kinds=kinds, mass=(1, 2), length=(0.1, 1), offset=(0.1, 1)
        )
        rows = theta.as_theta(about="origin")
        W = np.diag([0, 0, 0, 0, 1.0, 2, 2, 1, 2, 1])
        problem = quadratic(rows)._replace(W=np.tile(W, (3, 1, 1)), fixed=True)
        found = conic.nearest(problem)
        closed = ic.project(rows, "inertia").theta
        assert found.theta[:, :4].tobytes() == rows[:, :4].tobytes()
        np.testing.assert_allclose(found.theta, closed, rtol=0, atol=1e-9 * np.abs(rows).max())

    def test_bounds_and_centres_of_mass_are_held(self):
        problem = some_bodies(14, 2)
        for one in (
            MassBounds(0.5, 0.9),
            ComInBox([0.5, 0.1, 0.1], [0.6, 0.2, 0.2]),
            ComInBall(0.01, [0.3, 0, 0]),
            ComInHull([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ):
            found = conic.nearest(problem, [one, MassBounds(0.5)])
            assert worst(found) <= CERTIFIED
            assert ic.check(found.theta).consistent.all()
            com = found.theta[:, 1:4] / found.theta[:, :1]
            if isinstance(one, ComInHull):
                np.testing.assert_allclose(com.sum(axis=1), 1, rtol=1e-9)
                assert com.min() > -1e-9
            else:
                assert (one.violation(found.theta) <= 1e-9).all()

    def test_total_mass_is_shared_as_the_multiplier_says(self):
        """All weights alike: without other constraints active each gives the same."""
        theta = sampling.consistent(
            15, 3, strata=["sphere"], mass=(2, 3), length=(0.3, 0.4), offset=(0.1, 0.2)
        ).as_theta()
        problem = quadratic(theta)
        total = float(theta[:, 0].sum()) - 0.3
        found = conic.nearest(problem, TotalMass(total))
        np.testing.assert_allclose(found.theta[:, 0], theta[:, 0] - 0.1, rtol=1e-6)
        assert found.theta[:, 0].sum() == pytest.approx(total, rel=1e-12)
        assert worst(found) <= CERTIFIED
        within = conic.nearest(problem, TotalMass(total, tolerance=0.5))
        assert within.theta.tobytes() == theta.tobytes()

    def test_mirrored_bodies_are_images_and_meet_half_way(self):
        problem = some_bodies(16, 2)
        signs = np.array([1, 1, -1, 1, 1, -1, 1, 1, -1, 1.0])
        found = conic.nearest(problem, Mirrored())
        np.testing.assert_allclose(found.theta[0], found.theta[1] * signs, rtol=0, atol=1e-12)
        mean = (problem.theta0[0] + problem.theta0[1] * signs) / 2
        alone = conic.nearest(quadratic(mean, 1, 0.1))
        np.testing.assert_allclose(found.theta[0], alone.theta[0], rtol=0, atol=1e-9)

    def test_bodies_that_nothing_couples_are_problems_of_their_own(self):
        problem = some_bodies(17, 3)
        ball = DensityInBall(0.2)
        together = conic.nearest(problem, [FixedMass(2.0, bodies=1), ball])
        for row, extra in ((0, []), (1, [FixedMass(2.0)]), (2, [])):
            alone = conic.nearest(problem.rows(np.array([row])), [*extra, ball])
            assert alone.theta[0].tobytes() == together.theta[row].tobytes()
        part = conic.nearest(
            problem.rows(np.array([1])), [FixedMass(2.0, bodies=1), ball], rows=[1]
        )
        assert part.theta[0].tobytes() == together.theta[1].tobytes()

    @pytest.mark.parametrize(("mass", "length"), [(1e-6, 1e-4), (1e-6, 10.0), (1e5, 50.0)])
    def test_beads_and_cranes_are_the_same_problem(self, mass, length):
        """Milligrams and a hundred tonnes: only units differ, so only units may."""
        unit = some_bodies(18, 1, mass=(1, 1), length=(1, 1))
        scale = mass * length ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
        problem = quadratic(unit.theta0 * scale, mass, length)
        for small, large in (
            (MassBounds(1.5), MassBounds(1.5 * mass)),
            (
                DensityInBox([0.8, 0.5, 0.6]),
                DensityInBox([0.8 * length, 0.5 * length, 0.6 * length]),
            ),
            (FixedEntries(("Ixy", "m")), FixedEntries(("Ixy", "m"))),
        ):
            expected, found = conic.nearest(unit, small), conic.nearest(problem, large)
            assert worst(found) <= CERTIFIED
            np.testing.assert_allclose(found.theta / scale, expected.theta, rtol=0, atol=1e-8)

    def test_about_another_point_constraints_mean_the_body_origin_all_the_same(self):
        problem = some_bodies(19, 2)
        box = DensityInBox([0.2, 0.2, 0.2], form="vertices")
        shift = np.array([[0.3, -0.1, 0.2], [0, 0, 0.5]])
        there = np.stack([back_map(-p) @ t for t, p in zip(problem.theta0, shift, strict=True)])
        back = np.stack([back_map(p) for p in shift])
        W = back.transpose(0, 2, 1) @ problem.W @ back
        expected = conic.nearest(problem, box)
        found = conic.nearest(problem._replace(theta0=there, W=W), box, shifts=shift)
        again = np.einsum("nij,nj->ni", back, found.theta)
        np.testing.assert_allclose(again, expected.theta, rtol=0, atol=1e-9)
        moved = problem._replace(theta0=there, W=W)
        kept = conic.nearest(moved, [FixedMass(), FixedCom()], shifts=shift)
        assert kept.theta[:, :4].tobytes() == there[:, :4].tobytes()

    def test_the_multiplier_of_the_cone_explains_the_change(self):
        """With a constraint on the mass alone, W (theta - theta0) - Z is along the mass."""
        problem = some_bodies(20, 2)
        found = conic.nearest(problem, FixedMass(5.0))
        pulled = np.einsum("nij,nj->ni", problem.W, found.theta - problem.theta0)
        left = pulled - found.dual @ TO_SVEC
        assert (np.abs(left[:, 1:]) <= 1e-9 * np.abs(pulled).max()).all()
        assert (np.abs(left[:, 0]) > 1e-3 * np.abs(pulled).max()).all()

    def test_the_proof_is_computed_anew_for_any_answer(self):
        problem = some_bodies(21, 2)
        found, proof = conic.prove_nearest(problem, [DensityInBall(0.2), FixedMass()])
        np.testing.assert_array_equal(proof.certify(found.theta), found.certificate)
        wrong = problem.theta0 * 1.01
        assert max(part.min() for part in proof.certify(wrong)) > 1e-4

    def test_another_solver_agrees(self):
        problem = some_bodies(22, 1)
        limits = [DensityInBall(0.15), MassBounds(upper=2.0)]
        found, other = conic.nearest(problem, limits), conic.nearest(problem, limits, "scs")
        np.testing.assert_allclose(found.theta, other.theta, rtol=0, atol=1e-9)


class TestConflicts:
    @pytest.mark.parametrize(
        ("limits", "named", "unnamed"),
        [
            (
                [ComInBall(9.0), FixedMass(2.0), MassBounds(3, 4)],
                ["FixedMass(2.0 kg) of body 0", "MassBounds(3.0 to 4.0 kg) of body 0"],
                ["ComInBall"],
            ),
            (
                [FixedEntries({"Ixx": 1.0, "Iyy": 1.0, "Izz": 3.0}), FixedMass()],
                ["no consistent body meets FixedEntries(Ixx=1.0, Iyy=1.0, Izz=3.0) of body 0"],
                ["FixedMass"],
            ),
            (
                [DensityInBox([0.1, 0.1, 0.1]), FixedCom([0.2, 0, 0]), FixedMass()],
                ["DensityInBox", "FixedCom([0.2, 0, 0] m)"],
                ["FixedMass"],
            ),
            (
                [TotalMass(5.0), MassBounds(3.0, bodies=(0, 1))],
                ["TotalMass(5.0 kg) of bodies 0, 1, 2", "of body 0", "of body 1"],
                [],
            ),
            (
                [Mirrored(bodies=(2, 1)), *(FixedMass(k, bodies=k) for k in (1, 2))],
                ["Mirrored(y -> -y) of bodies 2, 1", "FixedMass(1.0 kg)", "FixedMass(2.0 kg)"],
                [],
            ),
        ],
        ids=["numbers", "triangle inequality", "space", "sum", "mirror"],
    )
    def test_an_irreducible_set_is_named_with_numbers_and_bodies(self, limits, named, unnamed):
        problem = some_bodies(30, 3)
        with pytest.raises(ic.ProjectionError) as caught:
            conic.nearest(problem, limits)
        said = str(caught.value)
        assert all(name in said for name in named), said
        assert not any(name in said for name in unnamed), said
        assert len(caught.value.instance["theta0"]) in (1, 2, 3)

    def test_the_body_is_named_by_the_callers_index(self):
        problem = some_bodies(31, 1)
        with pytest.raises(ic.ProjectionError, match="of body 7 and MassBounds"):
            conic.nearest(problem, [FixedMass(1.0), MassBounds(2.0)], rows=[7])

    @pytest.mark.parametrize(
        ("limits", "said"),
        [
            (3.0, r"constraints\[0\] is 3.0, expected a constraint"),
            ([3.0], r"constraints\[0\] is 3.0, expected a constraint"),
            ([FixedMass(1.0, bodies=5)], "names body 5, but the bodies are 0"),
            ([Mirrored()], "1 bodies, expected two"),
        ],
    )
    def test_what_cannot_be_asked_is_refused(self, limits, said):
        with pytest.raises((ic.ParameterError, TypeError), match=said):
            conic.nearest(some_bodies(32, 1), limits)


def break_solver(monkeypatch, solver, error):
    """Let a solver raise an error: Clarabel itself, or cvxpy, which asks all others."""

    def fail(*args, **options):
        raise error

    if solver == "clarabel":
        monkeypatch.setattr(clarabel, "DefaultSolver", fail)
    else:
        monkeypatch.setattr(cp.Problem, "solve", fail)


class TestSolversThatBreakUnderConstraints:
    @pytest.mark.parametrize("solver", ["clarabel", "scs"])
    def test_a_panic_becomes_an_error_with_the_instance(self, monkeypatch, solver):
        class PanicException(BaseException):
            pass

        break_solver(monkeypatch, solver, PanicException("index out of bounds"))
        problem = some_bodies(40, 1)
        with pytest.raises(
            ic.ProjectionError, match=r"no certified answer for body 0 .*bounds"
        ) as e:
            conic.nearest(problem, FixedMass(2.0), solver)
        assert e.value.instance["theta0"] == problem.theta0.tolist()
        assert e.value.instance["constraints"] == ["FixedMass(2.0 kg)"]

    @pytest.mark.parametrize("solver", ["clarabel", "scs"])
    @pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
    def test_the_user_can_still_stop_it(self, monkeypatch, solver, stop):
        break_solver(monkeypatch, solver, stop)
        with pytest.raises(stop):
            conic.nearest(some_bodies(41, 1), FixedMass(2.0), solver)

    def test_a_solver_that_lies_is_found_out(self, monkeypatch):
        """It swears by another point, and nothing polishes it."""
        solve = ask_solver

        def lying(problem, step, solver, options):
            point, steps = solve(problem, step, solver, options)
            return point._replace(d=1.1 * point.d), steps

        monkeypatch.setattr(solvers, "ask_solver", lying)
        monkeypatch.setattr(joint, "polish", lambda problem, start, **_: (start, 0.0))
        with pytest.raises(ic.ProjectionError, match="no certified answer"):
            conic.nearest(some_bodies(42, 1), FixedMass(2.0))

    def test_a_solver_that_cries_infeasible_is_not_believed(self, monkeypatch):
        """Once infeasible, then not: no conflict can be shown, so none is claimed."""
        solve, calls = ask_solver, []

        def crying(*arguments):
            calls.append(arguments)
            if len(calls) == 1:
                raise NoAnswer("no answer, status infeasible", infeasible=True)
            return solve(*arguments)

        monkeypatch.setattr(solvers, "ask_solver", crying)
        assert worst(conic.nearest(some_bodies(43, 1), FixedMass(2.0))) <= CERTIFIED


def lifted(problem, conditions, by_scs=False):
    """The least objective of a problem with a mass of 2 kg or more, posed by hand."""
    theta = cp.Variable(10)
    root = np.diag(np.sqrt(np.diag(problem.W[0])))
    Pi = cp.reshape(_spread() @ theta, (4, 4), order="C")
    posed = cp.Problem(
        cp.Minimize(cp.sum_squares(root @ (theta - problem.theta0[0]))),
        [*conditions(Pi), theta[0] >= 2],
    )
    if by_scs:
        return posed.solve(solver="SCS", eps_abs=1e-10, eps_rel=1e-10, max_iters=100_000)
    return posed.solve(solver="CLARABEL")


def _matrices(theta):
    return ic.InertialParameters.from_theta(theta).pseudo_inertia


def _spread():
    """(16, 10): theta to Pi, row by row."""
    return ic.InertialParameters.from_theta(np.eye(10)).pseudo_inertia.reshape(10, 16).T


def back_map(shift):
    """(10, 10): theta about F to theta about B, F at `shift` in B."""
    X = np.eye(4)
    X[:3, 3] = shift
    Pi = X @ _matrices(np.eye(10)) @ X.T
    return np.linalg.solve(TO_SVEC, pack(Pi).T)
