"""An identification as a plot and in a notebook."""

from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.formats.context import Context
from inertial_check.identifying.identify import identify_robot
from inertial_check.identifying.options import IdentifyOptions

RECORDINGS = Path(__file__).resolve().parents[2] / "data" / "recordings"


@pytest.fixture(scope="module")
def found():
    options = IdentifyOptions(
        data=(str(RECORDINGS / "train.csv"),),
        model=str(RECORDINGS / "arm.urdf"),
        context=Context(),
    )
    return identify_robot(options).found


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


def test_an_identification_has_a_history_in_the_triangle(found):
    pytest.importorskip("matplotlib", reason='needs matplotlib: "inertial-check[report]"')
    (axes,) = ic.plot.principal_moments(found).figure.axes
    assert any(line.get_label().startswith("before: ") for line in axes.lines)


def test_an_identification_shows_itself_in_a_notebook(found):
    shown = found._repr_html_()
    assert "<bdi>forearm</bdi>" in shown
    assert f"{found.theta[2, 0]:.3g}" in shown
    assert len(shown) < 20_000
