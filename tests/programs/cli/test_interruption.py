"""An interrupted check prints what it knows, says that this is not all, and keeps its exit code."""

import os
import re
import shutil

import pytest

from inertial_check.documents.children import Termination
from inertial_check.programs.cli import output


@pytest.fixture
def models(data_dir, tmp_path, monkeypatch):
    """Twenty broken models, of which a check in batches completes some."""
    monkeypatch.chdir(tmp_path)
    for index in range(20):
        shutil.copy(data_dir / "defects" / "ic301-triangle.urdf", f"robot_{index:02}.urdf")
    return tmp_path


@pytest.fixture
def interrupt(monkeypatch):
    """Has a signal come when more than a part of the steps is done."""

    def after(error, part=0.6):
        def call(_, completed, name=""):
            if completed > part:
                raise error

        monkeypatch.setattr(output.ProgressBar, "__call__", call)

    return after


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (Termination(15), 143), (Termination(1), 129)]
)
def test_the_findings_so_far_are_printed(models, run, interrupt, error, code):
    interrupt(error)
    status, out, err = run("check", ".", "--jobs", "1")
    assert status == code
    assert "error IC301 [body]" in out
    checked = int(re.search(r"^Checked \d+ bodies in (\d+) files: \1 errors", out, re.M)[1])
    left = 20 - checked  # how many depends on the size of the batches, and that on the machine
    assert 0 < left < 20
    assert f"Partial report: the check was interrupted with {left} files left unchecked.\n" in out
    assert err == (
        f"inertial-check: error: interrupted: the report is partial, {left} files left unchecked\n"
    )


def test_a_program_gets_nothing_that_looks_complete(models, run, interrupt):
    interrupt(KeyboardInterrupt())
    for form in ("json", "sarif", "junit"):
        code, out, err = run(".", "--jobs", "1", "--output-format", form)
        assert (code, out) == (130, "")
        assert "error IC301 [body]" in err
        assert "files left unchecked" in err
    assert run(".", "--output-file", "report.txt", "--also", "json=all.json")[0] == 130
    assert not {"report.txt", "all.json"} & set(os.listdir())


def test_nothing_so_far_is_not_no_findings(models, run, interrupt):
    interrupt(KeyboardInterrupt(), part=0.0)
    code, out, err = run(".", "--jobs", "1")
    assert code == 130
    assert out == ""
    assert err == "inertial-check: error: interrupted before any file was checked\n"


def test_a_baseline_is_not_written_and_known_findings_stay_known(models, run, interrupt):
    assert run(".", "--write-baseline", "known.json")[0] == 0
    interrupt(KeyboardInterrupt())
    code, out, _ = run(".", "--jobs", "1", "--baseline", "known.json")
    assert code == 130
    assert re.search(r"in (\d+) files: nothing found in what was checked; \1 suppressed", out)
    assert run(".", "--jobs", "1", "--write-baseline", "new.json")[0] == 130
    assert not os.path.exists("new.json")
