"""Every form over data/arm.urdf, from the command line to the last byte."""

import re
import subprocess
import sys

import pytest

import inertial_check
from inertial_check.cli.main import main
from inertial_check.reports import FORMS

LONG_NUMBER = re.compile(r"-?\d+\.\d{12,}(?:e-?\d+)?")


def settled(text):
    """Without the version, and without last digits, which depend on the processor."""
    text = text.replace(f'"{inertial_check.__version__}"', '"VERSION"')
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.10g}", text)


@pytest.fixture(autouse=True)
def at_the_root(project_root, monkeypatch):
    monkeypatch.chdir(project_root)
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)


def run(capsys, *arguments):
    code = main(["check", *arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("form", [form for form in FORMS if form != "html"])
def test_arm(form, golden, capsys):
    code, out, err = run(capsys, "data/arm.urdf", "--output-format", form)
    assert (code, err) == (1, "")
    golden(f"reports/arm.{form}", settled(out))


@pytest.mark.parametrize("form", FORMS)
def test_the_same_input_gives_the_same_bytes(form):
    """In two processes, whose hashes of strings differ, and from two lists of the same files."""
    program = [sys.executable, "-m", "inertial_check", "check", "--output-format", form]
    runs = [
        subprocess.run(
            [*program, *paths],
            capture_output=True,
            check=False,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "PATH": ""},
        ).stdout
        for seed, paths in [
            ("1", ["data/arm.urdf", "data/defects"]),
            ("2", ["data/defects", "data/arm.urdf"]),
        ]
    ]
    assert runs[0] == runs[1]
    assert runs[0]


@pytest.mark.parametrize("form", FORMS)
def test_the_payload_is_alone_on_stdout(form, capsys, tmp_path):
    """With a failure and a note; and a file gets the same bytes."""
    paths = ["data/arm.urdf", "absent.urdf", "--output-format", form, "--statistics"]
    code, out, err = run(capsys, *paths)
    assert code == 2
    assert err == "inertial-check: error: absent.urdf: No such file or directory\n"
    target = tmp_path / "report"
    assert run(capsys, *paths, "--output-file", str(target)) == (2, "", err)
    assert target.read_bytes().decode() == out


@pytest.mark.parametrize("form", FORMS)
def test_no_form_names_a_folder_that_was_not_given(form, capsys, project_root):
    _, out, _ = run(capsys, "data/arm.urdf", "--output-format", form)
    assert str(project_root) not in out


@pytest.mark.parametrize(
    ("only", "function"), [("sarif", "add_suggestions"), ("rdjson", "add_cause_edits")]
)
def test_only_one_form_asks_for_edits(only, function, capsys, monkeypatch):
    from inertial_check.fixing import suggestions

    def refuse(*_):
        raise AssertionError("nobody shows them")

    monkeypatch.setattr(suggestions, function, refuse)
    for form in FORMS:
        if form != only:
            assert run(capsys, "data/arm.urdf", "--output-format", form)[0] == 1
    assert run(capsys, "data/arm.urdf", "--output-format", only)[0] == 2
