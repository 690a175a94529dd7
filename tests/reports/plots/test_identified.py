"""An identification as a plot and in a notebook."""

from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.identification.command import draw_pages, identify_robot
from inertial_check.identification.options import IdentifyOptions, RecordingOptions

RECORDINGS = Path(__file__).resolve().parents[3] / "data" / "recordings"


@pytest.fixture(scope="module")
def identified():
    """A robot identified from a part of its recording: two samples in fifty are held out."""
    options = IdentifyOptions(
        data=(str(RECORDINGS / "train.csv"),),
        model=str(RECORDINGS / "arm.urdf"),
        context=Context(),
        recordings=RecordingOptions(holdout=0.02),
    )
    return identify_robot(options)


@pytest.fixture(scope="module")
def found(identified):
    return identified.found


def test_lines_break_where_samples_are_held_out(identified):
    pytest.importorskip("matplotlib", reason='needs matplotlib: "inertial-check[report]"')
    pages = draw_pages(identified.robot, identified.datasets, identified.found, identified.report)
    train = identified.datasets.train[0]
    measured = next(iter(pages)).figure.axes[0].lines[0].get_xdata()
    breaks = np.flatnonzero(np.isnan(measured))
    assert len(breaks) == len(train.recorded.joins) == 4
    before = measured[breaks - 1]
    steps = np.diff(train.recorded.t)
    assert np.allclose(before, train.recorded.t[:-1][steps > 1.5 * np.median(steps)])


def test_an_identification_is_drawn_with_its_errors(found):
    pytest.importorskip("matplotlib", reason='needs matplotlib: "inertial-check[report]"')
    figure = ic.plot.identification(found)
    changes, errors, *_ = figure.axes
    assert [each.get_text() for each in changes.get_yticklabels()] == list(found.bodies)
    (image,) = changes.images
    assert image.get_array().shape == (3, 10)
    mass_change = found.theta[:, 0] / found.given[:, 0] - 1
    assert image.get_array()[:, 0].tolist() == pytest.approx(mass_change.tolist(), abs=1e-12)
    widths = [patch.get_width() for patch in errors.patches]
    assert widths[:3] == pytest.approx(found.prior_rmse.tolist())
    assert widths[3:6] == pytest.approx(found.rmse.tolist())
    assert changes.yaxis_inverted()  # the first body and the first joint stand on top
    assert errors.yaxis_inverted()


def test_an_identification_has_a_history_in_the_triangle(found):
    pytest.importorskip("matplotlib", reason='needs matplotlib: "inertial-check[report]"')
    (axes,) = ic.plot.principal_moments(found).figure.axes
    assert any(line.get_label().startswith("before: ") for line in axes.lines)


def test_an_identification_shows_itself_in_a_notebook(found):
    shown = found._repr_html_()
    assert "<bdi>forearm</bdi>" in shown
    assert f"{found.theta[2, 0]:.3g}" in shown
    assert len(shown) < 20_000
