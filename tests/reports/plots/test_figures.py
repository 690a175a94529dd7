"""Figures of `ic.plot`: where each body is drawn, what is counted, and texts that stay texts."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.report import Report
from inertial_check.errors import ParameterError, UsageError
from inertial_check.inertia.notebook import place_shapes

matplotlib = pytest.importorskip(
    "matplotlib", reason='needs matplotlib: pip install "inertial-check[report]"'
)
from matplotlib.figure import Figure  # noqa: E402 - only where it is installed

ARM = Path(__file__).resolve().parents[3] / "data" / "arm.urdf"

HOSTILE = [
    "<script>alert(1)</script>",
    "$\\frac{",
    "a_b^c$$",
    "\U0001f916\U0001f9be",
    "\u202etxet",
    "\u0630\u0631\u0627\u0639",
    "new\nline\x00\x1b[31m",
    "\udcff",
    "x" * 10_000,
    "",
]
"""Names that a document can have."""

BALL, ROD, PLATE, IMPOSSIBLE = (1, 1, 1), (0, 1, 1), (1, 1, 2), (1, 1, 4)


def bodies(*moments):
    """Parameters about the centre of mass of bodies with these principal moments."""
    theta = np.zeros((len(moments), 10))
    theta[:, 0] = 1.0
    theta[:, [4, 7, 9]] = moments
    return theta


def texts(figure):
    """All words on a figure."""
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


def points(axes):
    """The points of the bodies by the word of their group."""
    return {
        line.get_label().partition(":")[0]: np.array(line.get_xydata())
        for line in axes.lines
        if not line.get_label().startswith("_")
    }


@pytest.fixture(scope="module")
def model():
    return ic.load(ARM)


# The triangle


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e307])
def test_corners_are_ball_rod_and_plate_at_any_size(scale):
    placed = place_shapes(scale * np.array([BALL, ROD, PLATE]))
    assert np.allclose(placed, [(0.5, 1), (0, 0), (1, 0)], atol=1e-12)


def test_the_height_in_the_triangle_is_three_times_the_margin():
    moments = np.random.default_rng(1).uniform(0, 1, (200, 3))
    result = ic.check(bodies(*moments), about="com")
    assert np.allclose(place_shapes(result.principal_moments)[:, 1], 3 * result.margin, atol=1e-12)


def test_what_has_no_shape_is_not_placed_but_counted():
    theta = bodies(BALL, (0, 0, 0), (np.nan, 1, 1))
    figure = ic.plot.principal_moments(theta, about="com")
    assert np.allclose(points(figure.axes[0])["consistent"], [(0.5, 1.0)])
    assert "2 bodies without moments not shown" in texts(figure)


def test_impossible_bodies_lie_in_the_shaded_region():
    figure = ic.plot.principal_moments(bodies(BALL, IMPOSSIBLE), about="com")
    (axes,) = figure.axes
    assert points(axes)["impossible"][0, 1] < 0 < points(axes)["consistent"][0, 1]
    (shade,) = axes.patches
    shaded = shade.get_extents().transformed(axes.transData.inverted())
    assert shaded.y1 == pytest.approx(0.0, abs=1e-9)


def test_a_fix_draws_where_bodies_were(model):
    figure = ic.plot.principal_moments(ic.fix_model(model, method="nearest"))
    (axes,) = figure.axes
    drawn = points(axes)
    assert len(drawn["before"]) == 2  # forearm needs --unsafe, so it stays
    assert np.all(drawn["before"][:, 1] < 0)
    assert np.count_nonzero(drawn["impossible"][:, 1] < 0) == 1


# Margins


def test_margins_stand_worst_first_and_the_rest_is_counted(model):
    figure = ic.plot.margins(model, most=3)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["forearm", "wrist_2", "finger_left"]
    widths = [patch.get_width() for patch in axes.patches[:3]]
    assert widths == sorted(widths)
    assert axes.get_title() == "Margins, worst first: 3 of 9 bodies"
    assert "1 body without one not shown" in axes.get_xlabel()


def test_margins_do_not_depend_on_the_size():
    widths = []
    for scale in (1e-12, 1e12):
        figure = ic.plot.margins(scale * bodies(BALL, PLATE, IMPOSSIBLE), about="com")
        widths.append([patch.get_width() for patch in figure.axes[0].patches[:3]])
    assert np.allclose(*widths, rtol=1e-12, atol=1e-15)


# Fixes


def test_a_fix_shows_numbers_before_and_after(model):
    figure = ic.plot.fix(ic.fix_model(model, method="nearest"))
    said = texts(figure)
    assert "2 of 10 bodies changed; left: 1 needs-unsafe" in said
    assert "0.000475\n0.0004678 (-1.5 %)" in said
    assert any("changed by 2.19 %" in text for text in said)
    assert "forearm" not in said


def test_bodies_of_several_fixes_are_named_by_file(model):
    one = ic.fix_model(model, method="nearest")
    said = texts(ic.plot.fix([one, one]))
    assert any(text.startswith("wrist_2 (") for text in said)
    assert "4 of 20 bodies changed; left: 2 needs-unsafe" in said
    assert "2 of 10 bodies changed; left: 1 needs-unsafe" in texts(ic.plot.fix(one.bodies))
    assert "0 of 0 bodies changed" in texts(ic.plot.fix([]))


def test_two_arrays_before_and_after():
    before = bodies(IMPOSSIBLE, BALL)
    after = ic.project(before, about="com")
    said = texts(ic.plot.fix(before, after, ["a", "b"], about="com"))
    assert "1 of 2 bodies changed" in said
    assert "a" in said
    assert "b" not in said
    (percent,) = [text for text in said if text.startswith("changed by")]
    assert percent.startswith(f"changed by {100 * after.relative_change[0]:.3g} %")
    worst = np.asarray(ic.check(before[0]).margin)
    assert percent.splitlines()[1].startswith(f"margin {worst:.2g} to ")


def test_a_fix_that_changes_nothing_is_drawn():
    assert "0 of 1 body changed" in texts(ic.plot.fix(bodies(BALL), bodies(BALL), about="com"))


# Every plot


def test_every_subject_is_taken(model):
    theta = bodies(BALL, PLATE)
    report = ic.check_model(model)
    subjects = [
        model,
        report,
        ic.fix_model(model, method="nearest"),
        theta,
        theta[0],
        theta[:0],
        ic.InertialParameters.from_theta(theta, about="com"),
        ic.check(theta, about="com"),
        ic.project(theta, about="com"),
        Report((report, report) if not isinstance(report, Report) else report.files * 2),
    ]
    for subject in subjects:
        figure = Figure()
        for draw in (ic.plot.margins, ic.plot.principal_moments):
            assert draw(subject, ax=figure.add_subplot()) is figure


def test_files_of_a_report_are_named(model):
    report = ic.check_model(model)
    files = report.files if isinstance(report, Report) else (report,)
    figure = ic.plot.margins(Report((*files, files[0]._replace(path="other.urdf"))))
    assert any(text.endswith("(other.urdf)") for text in texts(figure))


def test_plots_go_into_the_axes_of_the_caller(model):
    figure = Figure()
    axes = figure.add_subplot()
    for draw in (ic.plot.principal_moments, ic.plot.margins):
        assert draw(model, ax=axes) is figure
    assert ic.plot.fix(ic.fix_model(model, method="nearest"), ax=axes) is figure
    with pytest.raises(ParameterError, match="expected matplotlib"):
        ic.plot.margins(model, ax="left")


def draw_fix(theta, names, about):
    return ic.plot.fix(theta, np.array(ic.project(theta, about=about).theta), names, about=about)


@pytest.mark.parametrize(
    ("draw", "suffix"),
    [(ic.plot.principal_moments, ".png"), (ic.plot.margins, ".svg"), (draw_fix, ".pdf")],
)
def test_names_are_texts(draw, suffix, tmp_path):
    """No formula, no control character, no warning for letters without a glyph."""
    theta = bodies(*[IMPOSSIBLE] * len(HOSTILE))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw(theta, HOSTILE, about="com")
        said = texts(figure)
        assert max(map(len, said)) < 200
        assert not any("\x1b" in text or "\x00" in text or "\u202e" in text for text in said)
        ic.plot.save(figure, tmp_path / f"plot{suffix}")
        if suffix == ".png":
            figure.savefig(tmp_path / "own.png", bbox_inches="tight")
    assert (tmp_path / f"plot{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: ic.plot.margins(object()), "cannot plot object: expected a Model"),
        (lambda: ic.plot.margins("arm.urdf"), "cannot plot str"),
        (lambda: ic.plot.margins(np.ones((2, 9))), "shape"),
        (lambda: ic.plot.margins(bodies(BALL), ["a", "b"]), "bodies has 2 names, expected 1"),
        (lambda: ic.plot.margins(bodies(BALL), most=0), "most is 0"),
        (lambda: ic.plot.fix(bodies(BALL)), "after is missing"),
        (lambda: ic.plot.fix(bodies(BALL), bodies(BALL, ROD)), "after has shape"),
        (lambda: ic.plot.identification(bodies(BALL)), "expected an Identification"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(ParameterError, match=message):
        draw()


def test_files_are_whole_and_have_a_known_suffix(model, tmp_path):
    figure = ic.plot.margins(model)
    with pytest.raises(UsageError, match=r"expected \.pdf, \.svg or \.png$"):
        ic.plot.save(figure, tmp_path / "plot.gif")
    for _ in range(2):
        ic.plot.save(figure, tmp_path / "a.svg")
    ic.plot.save(ic.plot.margins(model), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "b.svg"]
    with pytest.raises(UsageError, match="cannot be written"):
        ic.plot.save(figure, tmp_path / "no" / "a.svg")


def test_a_figure_shows_itself_in_a_notebook(model):
    assert ic.plot.margins(model)._repr_png_().startswith(b"\x89PNG")


def test_the_package_stays_light_and_pyplot_is_never_imported():
    code = (
        "import sys, inertial_check as ic\n"
        "early = [name for name in ('numpy', 'matplotlib') if name in sys.modules]\n"
        "ic.plot.margins([[1, 0, 0, 0, 1, 0, 0, 1, 0, 1]])\n"
        "from inertial_check.reports import plots\n"
        "plots.torques([0.0, 1.0], [[1.0], [2.0]], None, [[1.0], [2.0]], ['a'])\n"
        "print(early, 'matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True False"
