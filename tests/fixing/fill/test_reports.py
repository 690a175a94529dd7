"""Intervals in every form: text, JSON with its schema, Markdown, HTML, notebooks; names escaped."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import inertial_check as ic
from inertial_check.programs.cli.main import main

ARM = Path(__file__).resolve().parents[3] / "data" / "fill" / "arm.urdf"


@pytest.fixture
def attacked(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.read_text().replace("forearm", "a&lt;script>|`x`"))
    return path


def test_the_json_follows_its_schema(capsys):
    schema = json.loads(
        files("inertial_check.fixing.fill").joinpath("fill.schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    for known in (["--com", "0,0,0.25", "--total-mass", "9"], ["--body", "finger_left"]):
        main(["fill", str(ARM), "--output-format", "json", *known])
        report = json.loads(capsys.readouterr().out)
        jsonschema.validate(report, schema)
        states = {body["interval_exact"] for body in report["files"][0]["bodies"]}
        assert (states == {True}) == ("--com" not in known)


def test_verbose_prints_every_number_with_its_interval(capsys):
    main(["fill", str(ARM), "--total-mass", "9", "-v"])
    err = capsys.readouterr().err
    assert err.count(" kg m^2 possible") == 6 * 4
    assert "  mass 3.42248 kg, 0.0288 to 4.99 kg possible" in err
    main(["fill", str(ARM), "--total-mass", "9", "--com", "0,0,0.25", "-v"])
    assert "the intervals are outer bounds" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_tables_have_every_number_and_escape_names(attacked, capsys, form):
    main(["fill", str(attacked), "--total-mass", "9", "--output-format", form])
    out = capsys.readouterr().out
    assert out.replace("\\", "").count("ixx, kg m^2") == 4
    assert "a guess" in out
    assert "<script" not in out
    if form == "markdown":
        rows = [line for line in out.splitlines() if line.startswith("|")]
        assert len(rows) == 2 + 4 * 10


def test_a_filling_shows_itself(attacked):
    filling = ic.fill(attacked, total_mass=9)
    assert repr(filling) == f"Filling({str(attacked)!r}: 4 filled)"
    html = filling._repr_html_()
    assert "<script" not in html
    assert html.count("guess</span>") == 4
