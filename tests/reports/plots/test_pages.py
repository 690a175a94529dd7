"""Plots of an identification: the data in the lines, the words around them, the files."""

import re

import numpy as np
import pytest

from assigning import about_origin, body
from inertial_check.errors import ParameterError, UsageError
from inertial_check.reports import plots

matplotlib = pytest.importorskip(
    "matplotlib", reason='needs matplotlib: pip install "inertial-check[report]"'
)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def lines(axes):
    """The curves of axes by their labels."""
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def words(figure):
    """All that is written on a page, but for ticks."""
    texts = [figure.get_suptitle(), *(t.get_text() for g in figure.legends for t in g.get_texts())]
    for axes in figure.axes:
        titles = [axes.get_title(loc) for loc in ("left", "center")]
        texts += [*titles, axes.get_xlabel(), axes.get_ylabel()]
    return [text for text in texts if text]


def panels(pages):
    return [axes for page in pages for axes in page.figure.axes]


# Torques


def test_torques_are_drawn_as_given_with_their_errors(rng):
    t, measured, before, after = np.arange(50) * 0.1, *rng.normal(size=(3, 50, 3))
    (page,) = plots.torques(t, measured, before, after, ["hip", "knee", "slide"])
    assert page.name == "torques-1"
    assert len(page.figure.axes) == 6
    for j in range(3):
        upper, lower = page.figure.axes[2 * j : 2 * j + 2]
        drawn = lines(upper)
        assert list(drawn) == ["measured", "before", "after"]
        for label, values in (("measured", measured), ("before", before), ("after", after)):
            assert np.array_equal(drawn[label], np.stack([t, values[:, j]], axis=1))
        errors = [line.get_ydata() for line in lower.lines]
        assert np.array_equal(errors, [before[:, j] - measured[:, j], after[:, j] - measured[:, j]])


def test_torques_say_joints_units_and_errors():
    t, measured = np.arange(4.0), np.zeros((4, 2))
    pages = plots.torques(t, measured, measured + 2, measured - 0.5, ["hip", "slide"], ["N m", "N"])
    said = words(pages[0].figure)
    assert "hip: RMSE before 2, after 0.5 N m" in said
    assert "slide: RMSE before 2, after 0.5 N" in said
    assert {"[N m]", "[N]", "time [s]", "measured", "before", "after"} <= set(said)


def test_long_recordings_are_drawn_by_their_extremes(rng):
    """No peak is lost, and the page says what is drawn."""
    samples = 10 * plots.MOST_POINTS + 7
    t, torque = np.arange(samples) * 1.0, rng.normal(size=(samples, 1))
    torque[11], torque[-1] = 50.0, -60.0
    (page,) = plots.torques(t, torque, None, torque, ["hip"])
    drawn = lines(page.figure.axes[0])["measured"]
    assert len(drawn) < 1.1 * plots.MOST_POINTS
    assert np.all(np.diff(drawn[:, 0]) >= 0)
    assert np.array_equal(drawn[:, 1], torque[drawn[:, 0].astype(int), 0])
    assert (drawn[:, 1].max(), drawn[:, 1].min()) == (50.0, -60.0)
    (stretch,) = re.findall(r"drawn by the extremes of each (\d+) samples", words(page.figure)[0])
    for start in range(0, samples - int(stretch), int(stretch)):
        inside = drawn[(start <= drawn[:, 0]) & (drawn[:, 0] < start + int(stretch)), 1]
        assert inside.max() == torque[start : start + int(stretch)].max()


def test_fifty_joints_take_pages(rng):
    t, torque = np.arange(5.0), rng.normal(size=(5, 50))
    pages = plots.torques(t, torque, torque, torque, [f"joint{j}" for j in range(50)])
    assert [page.name for page in pages] == [f"torques-{k}" for k in range(1, 8)]
    titles = [axes.get_title() for axes in panels(pages) if axes.get_title()]
    assert [title.partition(":")[0] for title in titles] == [f"joint{j}" for j in range(50)]
    assert words(pages[6].figure)[0].endswith("(7 of 7)")


# Parameters


def test_parameters_are_in_units_of_the_prior():
    """One sphere, by hand: r^2 = 3/5 R^2 from its centre."""
    mass, radius = 2.0, 0.3
    prior = about_origin(mass, (0, 0, 0), 0.4 * mass * radius**2 * np.eye(3))
    theta, deviation = prior.copy(), np.zeros(10)
    theta[[0, 1, 4]] += 0.5, 0.1, 0.02
    deviation[[0, 1, 4]] = 0.2, 0.05, 0.01
    (page,) = plots.parameters([theta], [prior], [deviation], ["ball"])
    (axes,) = page.figure.axes
    (container,) = axes.containers
    points = container.lines[0].get_xydata()
    r = np.sqrt(0.6) * radius
    units = mass * np.array([1, r, r, r] + 6 * [r * r])
    assert np.array_equal(points[:, 0], np.arange(10))
    assert np.allclose(points[:, 1], (theta - prior) / units, rtol=1e-12)
    (bars,) = container.lines[2]
    low, high = np.array([segment[:, 1] for segment in bars.get_segments()]).T
    assert np.allclose((high - low) / 2, deviation / units, atol=1e-15)
    assert [label.get_text() for label in axes.get_xticklabels()][:2] == ["$m$", "$h_x$"]


def test_parameters_show_who_decides(rng):
    prior = np.array([body(rng), body(rng)])
    decided = np.full((2, 10), "data", dtype=object)
    decided[0, 3:6], decided[1, 7] = "both", "prior"
    (page,) = plots.parameters(prior, prior, np.ones((2, 10)), ["a", "b"], decided)
    for axes, row in zip(page.figure.axes, decided, strict=True):
        for container in axes.containers:
            entries = container.lines[0].get_xdata()
            meant = {"decided by the data": "data", "by data and prior": "both"}
            decision = meant.get(container.get_label(), "prior")
            assert np.array_equal(entries, np.flatnonzero(row == decision))
    assert {"decided by the data", "by data and prior", "by the prior alone"} <= set(
        words(page.figure)
    )


def test_a_deviation_that_is_not_known_draws_no_bar(rng):
    theta = [body(rng)]
    (page,) = plots.parameters(theta, theta, np.full((1, 10), np.inf), ["a"])
    (container,) = page.figure.axes[0].containers
    (bars,) = container.lines[2]
    assert all(np.ptp(segment[:, 1]) == 0 for segment in bars.get_segments())


def test_fifty_bodies_take_pages(rng):
    theta = np.array([body(rng) for _ in range(50)])
    names = [f"link{i}" for i in range(50)]
    pages = plots.parameters(theta, theta, np.ones((50, 10)), names)
    assert [axes.get_title() for axes in panels(pages)] == names
    assert len(pages) == 5


# Ellipsoids


def test_the_outline_of_an_ellipsoid_is_its_shadow(rng):
    """An ellipsoid reaches sqrt(d^T A A^T d) in a direction d, also as a shadow."""
    semi_axes, center, mass = np.array([0.1, 0.2, 0.4]), np.array([0.3, -0.1, 0.2]), 3.0
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    shape = R @ np.diag(semi_axes**2) @ R.T
    second = mass / 5 * shape
    theta = about_origin(mass, center, np.trace(second) * np.eye(3) - second)
    (page,) = plots.ellipsoids([np.full(10, np.nan)], [theta], ["a"])
    for axes, plane in zip(page.figure.axes, ([0, 1], [0, 2], [1, 2]), strict=True):
        outline = lines(axes)["after"] - center[plane]
        for angle in np.linspace(0, np.pi, 7):
            d = np.array([np.cos(angle), np.sin(angle)])
            reach = np.sqrt(d @ shape[np.ix_(plane, plane)] @ d)
            assert np.max(outline @ d) == pytest.approx(reach, rel=1e-3)


def test_what_is_no_body_has_no_ellipsoid_and_it_is_said(rng):
    wrong = about_origin(1.0, (0, 0, 0), np.diag([1.0, 1.0, 3.0]))
    (page,) = plots.ellipsoids([wrong, wrong], [body(rng), wrong], ["a", "b"])
    said = words(page.figure)
    assert "a (before: no body, no ellipsoid)" in said
    assert "b (before and after: no body, no ellipsoid)" in said
    assert np.all(np.isnan(lines(page.figure.axes[0])["before"]))


def test_ellipsoids_have_one_scale_and_say_it(rng):
    (page,) = plots.ellipsoids([body(rng)], [body(rng)], ["a"])
    assert [axes.get_aspect() for axes in page.figure.axes] == [1.0, 1.0, 1.0]
    labels = [(axes.get_xlabel(), axes.get_ylabel()) for axes in page.figure.axes]
    assert labels == [("x [m]", "y [m]"), ("x [m]", "z [m]"), ("y [m]", "z [m]")]


# The weight of the prior


def test_k_fold_draws_the_candidates_in_order():
    (page,) = plots.k_fold([1.0, 0.01, 0.1], [3.0, 2.0, 1.0], [0.3, 0.2, 0.1], 0.1)
    (axes,) = page.figure.axes
    assert np.array_equal(lines(axes)["chosen: 0.1"][:, 0], [0.1, 0.1])
    points = axes.containers[0].lines[0].get_xydata()
    assert np.array_equal(points, [[0.01, 2.0], [0.1, 1.0], [1.0, 3.0]])
    (bars,) = axes.containers[0].lines[2]
    assert np.allclose([np.ptp(s[:, 1]) for s in bars.get_segments()], [0.4, 0.2, 0.6])
    assert axes.get_xscale() == "log"


def test_l_curve_marks_the_candidate_that_was_chosen():
    weights = np.logspace(-2, 2, 5)
    data, prior = 1 + weights, 1 / weights
    (page,) = plots.l_curve(weights, data, prior, 1.05)
    (axes,) = page.figure.axes
    drawn = lines(axes)
    assert np.array_equal(drawn["chosen: 1"], [[2.0, 1.0]])
    assert np.array_equal(drawn["candidates, with their weights"], np.stack([data, prior], axis=1))
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in axes.texts] == ["0.01", "0.1", "1", "10", "100"]


def test_labels_of_an_l_curve_do_not_cover_each_other():
    weights = np.logspace(-8, 2, 41)
    (page,) = plots.l_curve(weights, 1 + weights, 1 / (1e-2 + weights), 1.0)
    labelled = [float(text.get_text()) for text in page.figure.axes[0].texts]
    assert len(labelled) < 20
    assert np.sum(np.array(labelled) < 1e-4) == 1


# Errors


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.torques([0.0], [[1.0]], None, [[1.0, 2.0]], ["a"]), r"after has shape"),
        (
            lambda: plots.torques(np.zeros((2, 1)), np.ones((2, 1)), None, np.ones((2, 1)), ["a"]),
            r"t has shape \(2, 1\), expected \(2,\)",
        ),
        (
            lambda: plots.parameters(np.ones((1, 10)), np.zeros((1, 10)), np.ones((1, 10)), ["a"]),
            r"prior of 'a' has mass 0.0 and second moment 0.0",
        ),
        (
            lambda: plots.parameters(*np.ones((3, 1, 10)), ["a"], [["data"] * 9 + ["me"]]),
            r"decided_by has 'me': expected data, both, prior",
        ),
        (
            lambda: plots.parameters(*np.ones((3, 1, 10)), ["a"], [["data"]]),
            r"decided_by has shape \(1, 1\), expected \(1, 10\)",
        ),
        (lambda: plots.ellipsoids([[1.0]], [[1.0]], ["a"]), r"before has shape \(1, 1\)"),
        (lambda: plots.k_fold([0.0], [1.0], None, 1.0), r"weights has 0.0: .* all are positive"),
        (lambda: plots.l_curve([1.0], [1.0], [0.0], 1.0), r"prior_terms has 0.0"),
    ],
)
def test_what_does_not_fit_is_refused(draw, message):
    with pytest.raises(ParameterError, match=message):
        draw()


# Files


@pytest.fixture
def pages(rng):
    theta = [body(rng)]
    return [
        *plots.torques(np.arange(3.0), *rng.normal(size=(3, 3, 1)), ["hip $1$"]),
        *plots.ellipsoids(theta, theta, ["link_a$"]),
    ]


MAGIC = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG"}


@pytest.mark.parametrize("suffix", plots.SUFFIXES)
def test_the_same_numbers_give_the_same_bytes(pages, suffix):
    first, second = (plots.render_pages(f"out{suffix}", pages) for _ in range(2))
    assert first == second
    assert all(data.startswith(MAGIC[suffix]) for data in first.values())


def test_one_pdf_or_a_file_a_page(pages, tmp_path):
    assert plots.write_all(tmp_path / "a.pdf", pages) == [str(tmp_path / "a.pdf")]
    assert (tmp_path / "a.pdf").read_bytes().count(b"/Type /Page ") == 2
    plots.write_all(tmp_path / "b.png", pages)
    plots.write_all(tmp_path / "folder", pages)
    found = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.*"))
    svgs = ["folder/ellipsoids-1.svg", "folder/torques-1.svg"]
    assert found == ["a.pdf", "b-ellipsoids-1.png", "b-torques-1.png", *svgs]


def test_files_that_cannot_be_are_refused(pages, tmp_path):
    with pytest.raises(UsageError, match=r"a\.gif: the format of a plot is .*, or a folder$"):
        plots.write_all("a.gif", pages)
    with pytest.raises(UsageError, match="there is nothing to draw"):
        plots.write_all("a.pdf", [])
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="cannot be written"):
        plots.write_all(tmp_path / "file" / "a.pdf", pages)


def test_settings_and_backend_of_the_user_stay_and_do_not_show(rng):
    """A session with its own style and backend gets the same bytes, and both back."""
    theta = [body(rng)]
    plain = plots.render_pages("a.svg", plots.ellipsoids(theta, theta, ["a"]))
    with matplotlib.rc_context({"font.size": 23.0, "axes.grid": False}):
        before = dict(matplotlib.rcParams)
        assert plots.render_pages("a.svg", plots.ellipsoids(theta, theta, ["a"])) == plain
        assert dict(matplotlib.rcParams) == before
