"""Public results as Python objects: repr, length, rows, equality, hash, copy and pickle."""

import copy
import pickle

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.report import Report
from inertial_check.documents.model import Model
from inertial_check.fixing.fill.result import Filling
from inertial_check.mechanics.tree import Tree
from inertial_check.mechanics.vectors import plx, plxb

GOOD = [1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.015]
BAD = [1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.035]
NAN = [float("nan")] * 10
ROWS = np.array([GOOD, BAD, NAN, GOOD])


def _results() -> dict[str, object]:
    rng = np.random.default_rng(3)
    Y, tau = rng.normal(size=(12, 2, 10)), rng.normal(size=(12, 2))
    model = "data/arm.urdf"
    return {
        "Consistency": ic.check(ROWS),
        "Projection": ic.project(ROWS),
        "Projection, weighted": ic.project(ROWS, "weighted", weights=np.eye(10)),
        "InertialParameters": ic.InertialParameters.from_theta(ROWS),
        "Cleaned": ic.clean(ROWS, order="urdf", about="origin"),
        "Plx": plx(np.eye(3), np.zeros(3)),
        "Plxb": plxb(np.eye(3), np.zeros(3)),
        "Tree": Tree(["a"], [-1], ["revolute"], [np.eye(4)], [[0, 0, 1]], [NAN]),
        "Model": ic.load(model),
        "Report": ic.check_model(model),
        "Fix": ic.fix_model(model),
        "Difference": ic.diff_models(model, model),
        "Filling": ic.fill(model),
        "Findings": ic.check_models([model, "data/diff"]),
        "Identification": ic.identify(Y, tau, [GOOD]),
        "BaseParameters": ic.base_parameters(Y),
    }


RESULTS = _results()


@pytest.mark.parametrize("name", [*RESULTS, "theta", "file", "finding", "body", "many rows"])
def test_repr_is_at_most_ten_short_lines(name: str) -> None:
    report, model = RESULTS["Report"], RESULTS["Model"]
    assert isinstance(report, Report)
    assert isinstance(model, Model)
    others = {
        "theta": model.theta,
        "file": report.files[0],
        "finding": report.findings[0],
        "body": report.bodies[0],
        "many rows": ic.project(np.ones((7, 9, 3, 10))).theta,
    }
    lines = repr(RESULTS.get(name, others.get(name))).splitlines()
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 1000


@pytest.mark.parametrize("name", RESULTS)
def test_copies_and_pickles_equal_the_original(name: str) -> None:
    result = RESULTS[name]
    for made in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert made == result
        assert repr(made) == repr(result)
    assert result != "text"
    assert result != None  # noqa: E711 - the comparison is what is tested


def test_objects_with_other_numbers_are_not_equal() -> None:
    other = np.array(ROWS)
    other[3, 4] += 1e-12
    assert ic.check(ROWS) != ic.check(other)
    assert ic.check(ROWS) != ic.check(ROWS, tolerance=0.1)
    assert ic.check(ROWS) != ic.check(ROWS, about="com")
    assert ic.check(ROWS) != ic.check(ROWS[:3])
    assert ic.project(ROWS) != ic.project(other)
    assert ic.project(ROWS) != ic.project(ROWS, "covariance")
    parameters = ic.InertialParameters.from_theta
    assert parameters(ROWS) != parameters(other)
    assert plx(np.eye(3), np.zeros(3)) != plxb(np.eye(3), np.zeros(3))
    tree = RESULTS["Tree"]
    assert isinstance(tree, Tree)
    assert tree != Tree(["a"], [-1], ["prismatic"], tree.X_PB, tree.axes_B, tree.theta)


def test_only_trees_have_a_hash() -> None:
    """Arrays can be written to, so what holds them has no hash; the arrays of a Tree cannot."""
    tree = RESULTS["Tree"]
    assert hash(tree) == hash(copy.deepcopy(tree))
    for name in ("Consistency", "Projection", "InertialParameters", "Plx", "Cleaned", "Fix"):
        with pytest.raises(TypeError, match="unhashable"):
            hash(RESULTS[name])


def test_repr_shows_the_verdicts() -> None:
    assert repr(RESULTS["Consistency"]) == (
        "Consistency(2 consistent, 1 inconsistent, 1 invalid; shape=(4,), about='origin')"
    )
    assert repr(ic.check(BAD)).startswith("Consistency(inconsistent, margin=-0.1764")
    assert repr(ic.check(np.zeros((0, 10)))) == "Consistency(; shape=(0,), about='origin')"
    assert repr(RESULTS["Projection"]) == (
        "Projection(2 feasible, 1 no-nearest, 1 projected; metric='inertia', margin=0.0)"
    )
    assert repr(ic.project(BAD)) == "Projection(projected; metric='inertia', margin=0.0)"


@pytest.mark.parametrize("name", ["Consistency", "Projection", "Projection, weighted"])
@pytest.mark.parametrize(
    "index",
    [0, 1, -1, slice(1, None), slice(0, 0), [1, 1, 2], np.array([False, True, True, False])],
)
def test_an_index_gives_the_rows(name: str, index: object) -> None:
    result = RESULTS[name]
    row = result[index]  # type: ignore[index]
    numbers = ["margin", "tolerance", "verdict_code", "principal_moments", "witness"]
    if name != "Consistency":
        numbers = ["theta", "status_code", "changed", "vanished", "distance", "relative_change"]
        numbers += ["primal_residual", "dual_residual", "gap", "iterations"]
    for number in numbers:
        np.testing.assert_array_equal(getattr(row, number), getattr(result, number)[index])
    assert pickle.loads(pickle.dumps(row)) == row


@pytest.mark.parametrize("make", [ic.check, ic.project, ic.InertialParameters.from_theta])
def test_rows_are_iterated_over_and_counted(make: object) -> None:
    assert callable(make)
    result = make(ROWS)
    assert len(result) == len(list(result)) == 4
    assert list(result) == [make(row) for row in ROWS]
    assert make(ROWS.reshape(2, 2, 10))[1, 0] == make(ROWS[2])
    assert make(ROWS.reshape(2, 2, 10))[1].shape == (2,)


@pytest.mark.parametrize("make", [ic.check, ic.project, ic.InertialParameters.from_theta])
def test_errors_of_rows_are_ours(make: object) -> None:
    assert callable(make)
    one, batch = make(GOOD), make(ROWS)
    with pytest.raises(TypeError, match="one body has no length"):
        len(one)
    with pytest.raises(IndexError, match="one body, without rows"):
        one[0]
    with pytest.raises(IndexError):
        batch[4]
    with pytest.raises(IndexError):
        batch[0, 1]
    with pytest.raises(IndexError):
        batch["name"]


def test_a_consistency_is_neither_true_nor_false() -> None:
    for rows in (GOOD, BAD, ROWS, np.zeros((0, 10))):
        with pytest.raises(ic.ParameterError, match=r"\.consistent\.all\(\)"):
            bool(ic.check(rows))


def test_one_body_becomes_a_batch_of_one() -> None:
    one = ic.InertialParameters.from_theta(GOOD)
    assert one[None].shape == one[None, ...].shape == (1,)
    assert one[...] == one
    assert ic.check(GOOD)[None] == ic.check([GOOD])


def test_rows_of_cleaned_bodies_and_of_a_filling() -> None:
    cleaned = ic.clean(ROWS, order="urdf", about="origin", bodies=["a", "b", "c", "d"])
    assert len(cleaned) == 4
    assert [one.status.item() for one in cleaned] == cleaned.status.tolist()
    assert cleaned["b"] == cleaned[1] == cleaned[[1]] == cleaned[1:2]
    assert cleaned[-1].bodies == ("d",)
    assert cleaned[cleaned.status == "projected"].bodies == ("b",)
    assert cleaned["b"].total_distance == cleaned.distance[1]
    filling = RESULTS["Filling"]
    assert isinstance(filling, Filling)
    assert len(filling) == len(filling.bodies)
    assert filling
    assert list(filling) == [filling[i] for i in range(len(filling))]
    for one in filling:
        assert filling[one.name] == one
    for index in (99, -99, "e", 1.5):
        with pytest.raises(IndexError, match=r"index|no body"):
            cleaned[index]
        with pytest.raises(ic.ParameterError, match="no body"):
            filling[index]  # type: ignore[index]


def test_a_tree_with_a_fluid_is_another_tree() -> None:
    dry = Tree(["a"], [-1], ["revolute"], [np.eye(4)], [[0, 0, 1]], [GOOD])
    wet = Tree(["a"], [-1], ["revolute"], [np.eye(4)], [[0, 0, 1]], [GOOD], None, [np.eye(6)])
    assert wet != dry
    assert repr(wet) != repr(dry)
    assert wet.without_added_mass() == dry
    for made in (copy.deepcopy(wet), pickle.loads(pickle.dumps(wet))):
        assert made == wet
        assert made.added_mass.tolist() == [np.eye(6).tolist()]
        assert hash(made) == hash(wet)
