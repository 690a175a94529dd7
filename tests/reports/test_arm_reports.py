"""Every form over data/arm.urdf, from the command line to the last byte."""

import re
import subprocess
import sys

import pytest

import inertial_check
from inertial_check.checking.settings import FORMS
from inertial_check.programs.cli.main import main

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


@pytest.fixture(scope="module")
def written_twice(project_root, tmp_path_factory):
    """Two folders with a file of each form, written by two processes.

    Hashes of strings differ between them, and so does the sequence of the same paths.
    """
    folders = [tmp_path_factory.mktemp("forms") for _ in range(2)]
    lists = (["data/arm.urdf", "data/defects"], ["data/defects", "data/arm.urdf"])
    for seed, (folder, paths) in enumerate(zip(folders, lists, strict=True), 1):
        also = [f"--also={form}={folder / form}" for form in FORMS]
        subprocess.run(
            [sys.executable, "-m", "inertial_check", "check", "-q", *also, *paths],
            stdout=subprocess.DEVNULL,
            check=False,
            cwd=project_root,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ".", "PATH": ""},
        )
    return folders


@pytest.mark.parametrize("form", FORMS)
def test_the_same_input_gives_the_same_bytes(form, written_twice):
    one, other = ((folder / form).read_bytes() for folder in written_twice)
    assert one == other
    assert one


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


def test_the_page_names_no_folder_that_was_not_given(capsys, project_root):
    """The other forms are compared as a whole."""
    assert str(project_root) not in run(capsys, "data/arm.urdf", "--output-format", "html")[1]


def test_forms_that_show_no_remedy_do_not_ask_for_one(capsys, monkeypatch):
    from inertial_check.fixing import prescriptions

    def refuse(*_):
        raise AssertionError("nobody shows them")

    monkeypatch.setattr(prescriptions, "prescribe", refuse)
    for form in ("concise", "github", "gitlab", "junit", "badge"):
        assert (
            "finding remedies failed"
            not in run(capsys, "data/arm.urdf", "--output-format", form)[2]
        )
    assert "finding remedies failed" in run(capsys, "data/arm.urdf", "--output-format", "sarif")[2]
