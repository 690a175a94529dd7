"""Reports for programs are written file by file, with the bytes of a report that is held."""

import io
import json
import os
import shutil
import sys
import tempfile

import pytest

from inertial_check.cli import progress, streaming
from inertial_check.files import spool
from inertial_check.running import run as running

FORMS = ["json", "jsonl", "sarif"]

ACCEPTING = """
[[accepted]]
files = "a_[0-3].urdf"
codes = ["IC302"]
reason = "nothing is wrong there"
"""


@pytest.fixture
def models(data_dir, tmp_path, monkeypatch):
    """Eight models, most of them broken, of which reports keep two as a whole."""
    monkeypatch.chdir(tmp_path)
    for index in range(6):
        shutil.copy(data_dir / "defects" / "ic301-triangle.urdf", f"a_{index}.urdf")
    shutil.copy(data_dir / "valid" / "plate.urdf", "b_0.urdf")
    (tmp_path / "c_0.urdf").write_text("<robot name='unfinished'>")
    (tmp_path / "inertial-check.toml").write_text(ACCEPTING)
    monkeypatch.setattr(streaming, "_WHOLE", 2)
    return tmp_path


@pytest.fixture
def reversed_results(monkeypatch):
    """Has documents checked in the reverse of their order, as processes may do."""
    check = running._check
    monkeypatch.setattr(
        running, "_check", lambda documents, *rest: iter([*check(documents, *rest)][::-1])
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_bytes_are_those_of_a_report_that_is_held(models, run, reversed_results, form):
    """Files in another order, a finding that comes after its file, or a wrong count would show."""
    command = (".", "--jobs", "1", "--no-cache", "--statistics", "--output-format", form)
    code, streamed, told = run(*command)
    held = run(*command, "--verbose")
    assert (code, streamed) == held[:2]
    assert told in held[2]
    assert "a_[0-3].urdf" in streamed


def test_standard_input_may_have_the_path_of_a_file(models, run, monkeypatch):
    """One of the two reports would stand there twice."""
    outputs = []
    for extra in ((), ("--verbose",)):
        stdin = io.TextIOWrapper(io.BytesIO((models / "b_0.urdf").read_bytes()))
        monkeypatch.setattr(sys, "stdin", stdin)
        named = ("a_0.urdf", "-", "--stdin-filename", "a_0.urdf", "--output-format", "json")
        outputs.append(run(*named, *extra)[1])
    assert outputs[0] == outputs[1]
    assert len({json.dumps(file) for file in json.loads(outputs[0])["files"]}) == 2


def test_several_forms_of_one_check(models, run):
    command = (".", "--jobs", "1", "--no-cache", "--output-format")
    alone = [run(*command, form)[1] for form in FORMS]
    _, first, _ = run(*command, "json", "--also", "jsonl=lines", "--also", "sarif=log")
    assert [first, *((models / name).read_text() for name in ("lines", "log"))] == alone


def test_a_report_beyond_a_size_goes_through_a_file(models, run, monkeypatch):
    command = (".", "--jobs", "1", "--no-cache", "--output-format", "json")
    expected = run(*command)
    files = []
    original = tempfile.TemporaryFile
    monkeypatch.setattr(
        tempfile, "TemporaryFile", lambda **how: files.append(original(**how)) or files[-1]
    )
    monkeypatch.setattr(spool.Spool.__init__, "__defaults__", (1000,))
    assert run(*command) == expected
    (file,) = files
    assert file.closed


def test_reports_of_files_are_not_held(models, run, monkeypatch):
    """The memory would grow with the number of files."""
    held = []
    original = streaming.StreamedReports.write

    def look(self, args, settings, report, destinations):
        held.extend(file for file in report.files if file.bodies or file.findings)
        return original(self, args, settings, report, destinations)

    monkeypatch.setattr(streaming.StreamedReports, "write", look)
    assert run("a_0.urdf", "a_1.urdf", "a_2.urdf", "a_3.urdf", "--output-format", "json")[0] == 1
    assert [file.path for file in held] == ["a_0.urdf", "a_1.urdf"]


@pytest.mark.parametrize("form", FORMS)
def test_an_interruption_leaves_no_report(models, run, monkeypatch, form):
    def interrupt(_, completed, name=""):
        if completed > 0.9:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.ProgressBar, "__call__", interrupt)
    for target in ((), ("--output-file", "report")):
        code, out, err = run(".", "--jobs", "1", "--no-cache", "--output-format", form, *target)
        assert (code, out) == (130, "")
        assert "interrupted: no report is written; " in err
        assert "files left unchecked" in err or "1 file left unchecked" in err
    assert "report" not in os.listdir()


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_a_full_disk_leaves_no_report(models, run, monkeypatch):
    (models / "report").write_text("the report of yesterday")
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **how: open("/dev/full", "r+b", 0))  # noqa: SIM115
    monkeypatch.setattr(spool.Spool.__init__, "__defaults__", (1000,))
    code, out, err = run(".", "--no-cache", "--output-format", "json", "--output-file", "report")
    assert (code, out) == (2, "")
    assert "cannot keep the report in a temporary file: No space left on device" in err
    assert (models / "report").read_text() == "the report of yesterday"
