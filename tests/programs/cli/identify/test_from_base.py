"""`identify --from-base`: bodies for published base parameters, in every form of the file."""

import csv
import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import inertial_check as ic
import recorded

AS_JSON = ("--model", "arm.urdf", "--output-format", "json")
SCHEMA = json.loads(
    Path(ic.__file__).with_name("reports").joinpath("identification_base.schema.json").read_text()
)


@pytest.fixture
def table(run, tmp_path, monkeypatch):
    """A JSON report of an identification, beside the robot's file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")
    recorded.written(tmp_path, recorded.with_friction(seed=1, noise=1.0))
    code, out, _ = run("identify", "r.npz", *AS_JSON, "--output-file", "report.json")
    assert (code, out) == (0, "")
    return json.loads((tmp_path / "report.json").read_text())["base"]["parameters"]


def write_forms(table, folder):
    """The same rows with deviations as csv, toml, yaml and json."""
    rows = [(row["name"], row["value"], row["standard_deviation"]) for row in table]
    with open(folder / "t.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([("name", "value", "standard_deviation"), *rows])
    held = {name: {"value": value, "std": std} for name, value, std in rows}
    (folder / "t.json").write_text(json.dumps(held))
    (folder / "t.yaml").write_text(json.dumps(held))
    lines = [f'"{name}" = {{value = {own!r}, std = {std!r}}}' for name, own, std in rows]
    (folder / "t.toml").write_text("\n".join(lines))
    return ["t.csv", "t.json", "t.yaml", "t.toml"]


def test_every_form_gives_the_same_consistent_robot(run, table, tmp_path):
    found = []
    for name in write_forms(table, tmp_path):
        code, out, err = run("identify", "--from-base", name, *AS_JSON, "-o", f"{name}.urdf")
        assert (code, err) == (0, "")
        document = json.loads(out)
        jsonschema.validate(document, SCHEMA)
        assert (document["written"]["path"], document["written"]["done"]) == (f"{name}.urdf", True)
        found.append([body["theta"] for body in document["bodies"]])
        checked = ic.check_model(f"{name}.urdf").files[0]
        assert [body.judgement.verdict for body in checked.bodies[:4]] == ["consistent"] * 4
    for each in found[1:]:
        np.testing.assert_array_equal(each, found[0])
    for row in document["base"]:
        assert abs(row["value"] - row["robot"]) < 4 * row["standard_deviation"]
    whole = run("identify", "--from-base", "report.json", "--model", "arm.urdf")
    assert whole[0] == 0
    assert "nothing of a body, not used: fv1" in whole[1]


@pytest.mark.parametrize("factor", [-1.0, 1000.0])
def test_values_that_no_such_robot_has_are_not_written(run, table, tmp_path, factor):
    """Base parameters of another sign or unit: the bodies miss them by more than noise."""
    rows = [row | {"value": factor * row["value"]} for row in table]
    name = write_forms(rows, tmp_path)[0]
    code, out, _ = run("identify", "--from-base", name, *AS_JSON, "-o", "out.urdf")
    kinds = [each["kind"] for each in json.loads(out)["remarks"] if each["severity"] == "error"]
    assert (code, kinds[0]) == (1, "misfit")
    assert not (tmp_path / "out.urdf").exists()


def test_a_dry_run_shows_the_diff(run, table, tmp_path):
    name = write_forms(table, tmp_path)[0]
    before = (tmp_path / "arm.urdf").read_bytes()
    code, out, _ = run("identify", "--from-base", name, "--model", "arm.urdf", "--dry-run")
    assert code == 0
    assert "+++ b/arm.urdf" in out
    assert (tmp_path / "arm.urdf").read_bytes() == before
    document = json.loads(run("identify", "--from-base", name, *AS_JSON, "--dry-run")[1])
    jsonschema.validate(document, SCHEMA)
    assert document["written"]["diff"] == document["diff"]
    assert "+++ b/arm.urdf" in document["diff"]
    assert not document["written"]["done"]


def test_options_that_base_parameters_have_no_use_for_are_refused(run, table, tmp_path):
    name = write_forms(table, tmp_path)[0]
    code, out, err = run("identify", "--from-base", name, "--model", "arm.urdf", "--mass", "a=1")
    assert (code, out) == (2, "")
    assert "--from-base makes no use of --mass" in err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,value\nIzz(hand),1\n", "no identified body is hand"),
        ("name,value\nIzz9,1\n", "no identified body is 9"),
        ("name,value\nIzz1 ++ m2,1\n", "no sum"),
        ("name,value\nIzz1,nan\n", "expected a finite number"),
        ("name,value\nIzz1,1\nm2,2\nIzz1 + m2,3\n", "follows from the base parameters before"),
        ("name,value,std\nIzz1,1,0.1\nm2,2,\n", "no standard deviation of m2"),
        ("name,value,std\nIzz1,1,0\n", "not above 0"),
        ("number\n1\n", "expected name,value"),
        ("", "no base parameters"),
    ],
)
def test_a_table_that_is_wrong_is_refused_by_its_row(run, tmp_path, monkeypatch, text, reason):
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")
    (tmp_path / "t.csv").write_text(text)
    code, out, err = run("identify", "--from-base", "t.csv", "--model", "arm.urdf")
    assert (code, out) == (2, "")
    assert reason in err


def test_the_names_of_papers_are_understood(run, tmp_path, monkeypatch):
    """Khalil's symbols, and bodies by their numbers: the mass of body 3 goes to body 2."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")
    (tmp_path / "t.csv").write_text("parameter,value\nYY2 + 0.16*M3,0.4\nMZ_3,0.2\n")
    code, out, _ = run(
        "identify", "--from-base", "t.csv", "--model", "arm.urdf", "--output-format", "json"
    )
    assert code == 0
    upper, fore = (np.array(body["theta"]) for body in json.loads(out)["bodies"][1:])
    assert abs(upper[7] + 0.16 * fore[0] - 0.4) < 1e-6
    assert abs(fore[3] - 0.2) < 1e-6
