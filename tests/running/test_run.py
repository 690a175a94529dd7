"""A run by many processes: the same report as by one, whatever becomes of them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from inertial_check.checking.check import Document, DocumentResult, ReportContent, check_documents
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import FORMS, Settings
from inertial_check.reports import View, render
from inertial_check.running import workers
from inertial_check.running.run import CheckRequest, check_paths, cores
from inertial_check.running.workers import decode, encode
from waiting import GUARD, wait_until

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


DEADLY = """
import os
from inertial_check.running import workers
check = workers.check_documents
def deadly(documents, *rest):
    if any("deadly" in document.path for document in documents):
        os.abort()
    return check(documents, *rest)
workers.check_documents = deadly
workers.main()
"""


@pytest.fixture
def models(tmp_path, data_dir, monkeypatch):
    """A folder with models of several formats, some broken; it is the working directory."""
    for name in ("valid", "defects", "mjcf", "xacro"):
        shutil.copytree(data_dir / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_any_number_of_processes_gives_the_same_bytes_in_every_form(models):
    reports = [check_paths(CheckRequest(["."], settings_of, jobs=jobs)) for jobs in (1, 3)]
    for form in set(FORMS) - {"html"}:  # which draws, and does not go through render
        texts = {render(report, form, View(exit_code=1)) for report in reports}
        assert len(texts) == 1, form
    assert reports[0].files == tuple(sorted(reports[0].files, key=lambda file: file.path))
    assert len({report.notes for report in reports}) == 1
    assert 1 <= cores() <= (os.cpu_count() or 1)


def test_what_goes_through_json_comes_back_as_it_was(models):
    names = [*map(str, sorted(Path().rglob("*.urdf"))), "mjcf/arm.xml", "xacro/arm.urdf.xacro"]
    outcomes = check_documents([Document(name, True, SETTINGS) for name in names])
    back = decode(encode(outcomes))
    assert [outcome.path for outcome in back] == names
    assert _comparable(back) == _comparable(outcomes)
    severities = {type(each.severity) for o in back for each in o.file.findings}
    assert severities == {Severity}
    without_a_file = [DocumentResult("a")]
    assert decode(encode(without_a_file)) == without_a_file


def _comparable(value):
    """Types and values all the way down; NaN, which is not equal to itself, by its name."""
    if isinstance(value, tuple | list):
        return type(value), [_comparable(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _comparable(each) for name, each in value.items()}
    return type(value), repr(value)


@pytest.mark.parametrize("line", ["", "3", "[[]]", "[3]", '[["a",[1],null,null,null]]'])
def test_a_line_that_is_no_outcome_is_refused(line):
    with pytest.raises(ValueError):  # noqa: PT011 - of whatever part refuses it
        decode(line)


def test_predictions_are_made_only_where_a_form_shows_them(models):
    foretold = {
        predictions: {
            file.path
            for file in check_paths(
                CheckRequest(["valid", "defects"], settings_of, content=ReportContent(predictions))
            ).files
            for body in file.bodies
            if body.predictions
        }
        for predictions in ("all", "findings", "provable", "none")
    }
    assert foretold["none"] == set()
    assert foretold["provable"] < foretold["findings"]
    assert "defects/ic601-twins.urdf" not in foretold["provable"]
    assert "defects/ic301-triangle.urdf" in foretold["provable"]
    assert "valid/crane.urdf" not in foretold["findings"]
    assert "defects/ic301-triangle.urdf" in foretold["findings"]
    assert foretold["findings"] < foretold["all"]


def test_causes_are_sought_only_where_a_form_shows_them(models):
    with_causes, without = (
        check_paths(CheckRequest(["defects"], settings_of, content=ReportContent(causes=causes)))
        for causes in (True, False)
    )
    assert any(finding.causes for finding in with_causes.findings)
    # The first cause also tells which of the numbers are guilty.
    none = {"causes": (), "no_cause": "", "entries": (), "guilty": None}
    bare, plain = (
        [finding._replace(**none) for finding in report.findings]
        for report in (with_causes, without)
    )
    assert _comparable(bare) == _comparable(plain)
    views = [render(each, "concise", View(exit_code=1)) for each in (with_causes, without)]
    assert views[0] == views[1]


def test_documents_are_quoted_only_where_a_form_shows_it(models):
    quoting, without = (
        check_paths(
            CheckRequest(["defects"], settings_of, content=ReportContent(causes=False, quotes=each))
        )
        for each in (True, False)
    )
    assert any(finding.excerpt for finding in quoting.findings)
    assert any(finding.entries and finding.written for finding in quoting.findings)
    none = {"excerpt": None, "written": {}, "entries": ()}
    bare = [finding._replace(**none) for finding in quoting.findings]
    assert _comparable(bare) == _comparable(list(without.findings))
    for form in ("concise", "badge"):
        views = [render(each, form, View(exit_code=1)) for each in (quoting, without)]
        assert views[0] == views[1]


def test_a_document_that_ends_a_process_is_a_finding_and_the_others_are_checked(
    models, monkeypatch
):
    started = subprocess.Popen

    def popen(command, **options):
        return started(
            [*command[:-1], f"import sys; sys.path[:] = {sys.path!r}\n{DEADLY}"], **options
        )

    monkeypatch.setattr(workers.subprocess, "Popen", popen)
    shutil.copy("valid/rod.urdf", "deadly.urdf")
    named = ["deadly.urdf", "valid", "defects"]
    report = check_paths(CheckRequest(named, settings_of, jobs=2))
    (deadly,) = (file for file in report.files if file.path == "deadly.urdf")
    (finding,) = deadly.findings
    assert finding.code == "IC001"
    assert "has crashed a process" in finding.message
    assert len(report.failures) == 1  # it was named
    assert report.failures[0].startswith("deadly.urdf: ")
    assert "SIGABRT" in report.failures[0]
    alone = check_paths(CheckRequest(named[1:], settings_of))
    assert [f.path for f in report.files if f.path != "deadly.urdf"] == [
        f.path for f in alone.files
    ]


def test_tasks_hold_every_document_once_the_largest_first(tmp_path):
    sizes = {"a.urdf": 10, "b.urdf": 300_000, "c.urdf": 200, "d.usda": 5, "e.usdc": 7}
    documents = []
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b" " * size)
        documents.append(Document(str(tmp_path / name), False, SETTINGS))
    work = workers.split_into_tasks(documents)
    names = [[Path(document.path).name for document in task.documents] for task in work]
    assert names == [["d.usda", "e.usdc"], ["b.urdf"], ["c.urdf", "a.urdf"]]
    assert len(workers.split_into_tasks(documents[:1] * 70)[0].documents) == 32


def test_documents_of_several_settings_keep_their_own(models):
    quiet = Settings(ignore=("ALL",)).validate()
    of = {"valid/rod.urdf": quiet}.get
    report = check_paths(CheckRequest(["valid"], lambda path: of(path, SETTINGS), jobs=2))
    found = {file.path: len(file.findings) for file in report.files}
    assert found["valid/rod.urdf"] == 0
    assert found["valid/rod-rotated.urdf"] > 0


def test_standard_input_may_be_called_as_a_file_is(models):
    data = b'<robot name="r"><link name="typed"/></robot>'
    stdin = Document("valid/rod.urdf", True, SETTINGS, data)
    report = check_paths(CheckRequest(["valid/rod.urdf", "-"], settings_of, stdin=stdin))
    assert [file.path for file in report.files] == ["valid/rod.urdf"] * 2
    assert report.files[1].bodies[0].name == "typed"


def _children(pid):
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def _workers_of(run):
    """The two workers of a run; nothing while they are not both there."""
    assert run.poll() is None
    pids = _children(run.pid)
    return pids if len(pids) == 2 else None


def _gone(pids):
    return not any(os.path.exists(f"/proc/{pid}") and not _is_zombie(pid) for pid in pids)


def _is_zombie(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_no_process_outlives_a_run_that_is_stopped(models, number, code):
    for copy in range(300):
        shutil.copytree("valid", f"more/{copy}")
    command = [sys.executable, "-m", "inertial_check", "check", ".", "--jobs", "2", "--no-cache"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        pids = wait_until(lambda: _workers_of(run))
        os.kill(run.pid, number)
        assert run.wait(GUARD) == code
    wait_until(lambda: _gone(pids))


def test_what_evidence_was_left_out_is_said_once_a_run(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)  # as where the extra is not installed
    (tmp_path / "part.dae").write_text("<COLLADA/>")
    link = (
        '<link name="l"><inertial><mass value="1"/><inertia ixx="0.001" ixy="0" ixz="0" '
        'iyy="0.001" iyz="0" izz="0.001"/></inertial><visual><geometry>'
        '<mesh filename="part.dae"/></geometry></visual></link>'
    )
    for name in ("a", "b"):
        (tmp_path / f"{name}.urdf").write_text(f'<robot name="{name}">{link}</robot>')
    (note,) = check_paths(CheckRequest([str(tmp_path)], settings_of)).notes
    assert "inertial-check[mesh]" in note
    off = Settings(geometry="off").validate()
    assert check_paths(CheckRequest([str(tmp_path)], lambda path: off)).notes == ()
