"""A folder of results is extended by what has changed, and is never believed blindly."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from inertial_check.documents import children
from inertial_check.documents.children import (
    count_expansion,
    limit_expansions,
    reason_against_expanding,
)
from inertial_check.documents.files.access import Limits
from inertial_check.programs.cli.main import main
from inertial_check.running import pools as batches
from inertial_check.running.pools import map_in_order
from inertial_check.running.results import store
from inertial_check.running.results.reading import decode_rows, list_folders, list_parts
from inertial_check.running.workers import WorkerProcess

FORMS = ["jsonl", "parquet"]


DEFECTS = ["ic101-negative-mass", "ic301-triangle", "ic305-rounding", "ic303-zero-inertia"]


@pytest.fixture
def robots(tmp_path, data_dir, monkeypatch):
    """Two upstreams with few models, which are checked in this process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots/defects").mkdir(parents=True)
    (tmp_path / "robots/valid").mkdir()
    for name in DEFECTS:
        shutil.copy(data_dir / f"defects/{name}.urdf", tmp_path / "robots/defects")
    for path in (data_dir / "valid").glob("r*.urdf"):
        shutil.copy(path, tmp_path / "robots/valid")
    monkeypatch.setattr(WorkerProcess, "do", lambda self, task: iter([task.run()]))
    return tmp_path / "robots"


@pytest.fixture
def processes(monkeypatch, robots):
    """Worker processes check, as they do outside of tests."""
    monkeypatch.undo()
    monkeypatch.chdir(robots.parent)


@pytest.fixture
def form():
    return "jsonl"


@pytest.fixture
def check(form, capsys):
    """check(*options) -> exit code, stdout, stderr of a check into the folder `out`."""
    if form == "parquet":
        pytest.importorskip("pyarrow", reason='pip install "inertial-check[cluster]"')

    def check(*options, paths=("robots",), out="out"):
        capsys.readouterr()
        given = ["--results", out, "--results-format", form, "--jobs", "1"]
        code = main(["check", *paths, *given, *options])
        return code, *capsys.readouterr()

    return check


def rows_in(out="out"):
    """All rows of a folder by path and body; keys also depend on the folders that were named."""
    return sorted(
        (row["path"], row["body_id"] or "", json.dumps(row | {"key": ""}, sort_keys=True))
        for folder in list_folders(out)
        for part in list_parts(folder)
        for row in decode_rows(part.read(), part.form)
    )


@pytest.mark.parametrize("form", FORMS)
def test_only_what_has_changed_is_checked_again(robots, check):
    code, first, told = check()
    count = len(list(robots.rglob("*.urdf")))
    assert code == 1
    assert f"{count} files checked; " in told
    code, again, told = check()
    assert (code, again) == (1, first)
    assert f"0 files checked, {count} unchanged" in told

    shutil.copy(robots / "defects/ic301-triangle.urdf", robots / "valid/rod.urdf")
    os.unlink(robots / "defects/ic305-rounding.urdf")
    shutil.copy(robots / "defects/ic101-negative-mass.urdf", robots / "valid/new.urdf")
    _, changed, told = check()
    asked, kept = map(int, re.search(r"(\d+) files checked, (\d+) unchanged", told).groups())
    assert asked + kept == count
    assert 2 <= asked < count  # with those beside them that have findings, for their causes
    check(out="fresh")
    assert rows_in() == rows_in("fresh")
    assert changed != first


def test_a_run_on_one_folder_leaves_the_rows_of_others(robots, check):
    check()
    before = rows_in()
    os.unlink(robots / "valid/rod.urdf")
    check(paths=["robots/defects"])
    assert rows_in() == before
    shutil.rmtree(robots / "valid")
    check()
    assert rows_in() == [row for row in before if row[0].startswith("robots/defects/")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_part_is_told_and_rewritten(robots, check, damage):
    check()
    before = rows_in()
    part = list_parts("out/upstream=defects")[0].path
    data = bytearray(Path(part).read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    Path(part).write_bytes({"flip": data, "cut": data[:-9], "empty": b""}[damage])
    code = main(["summary", "out"])
    assert code == 2
    _, _, told = check()
    assert f"{part} is damaged" in told
    assert rows_in() == before


def test_rows_that_somebody_else_has_planted_are_not_believed(robots, check, tmp_path, monkeypatch):
    """They have the right digests of files and program, but another user's seal."""
    check()
    before = rows_in()
    part = list_parts("out/upstream=defects")[0]
    data = part.read()
    with monkeypatch.context() as patch:
        patch.setenv("INERTIAL_CHECK_USER_FOLDER", str(tmp_path / "stranger"))
        os.unlink(part.path)
        check()
        assert list_parts("out/upstream=defects")[0].read() == data
    _, _, told = check()
    assert "another user's" in told
    assert rows_in() == before


def test_a_link_in_the_folder_is_not_followed(robots, check, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/upstream=valid").symlink_to(tmp_path / "elsewhere")
    code, _, told = check()
    assert code == 2
    assert "a link or no folder" in told
    assert not os.listdir(tmp_path / "elsewhere")


def test_a_folder_with_other_files_and_options_of_reports_are_refused(robots, check, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("years of work")
    code, _, told = check(out="full")
    assert code == 2
    assert "holds other files" in told
    code, _, told = check("--output-format", "json")
    assert code == 2
    assert "leave out --output-format" in told
    assert check(paths=["-"])[0] == 2
    assert check(paths=["robots/nothing.urdf"])[0] == 2


@pytest.mark.parametrize("form", FORMS)
def test_a_run_that_is_killed_goes_on_with_the_same_rows(robots, check, monkeypatch):
    monkeypatch.setattr(batches, "DOCUMENTS", 1)
    monkeypatch.setattr(store, "_FILES_OF_PART", 2)
    check(out="whole")
    done = []
    add = store.UpstreamStore.add

    def interrupted(self, piece, paths):
        done.append(paths)
        if len(done) == 4:
            raise KeyboardInterrupt
        add(self, piece, paths)

    with monkeypatch.context() as patch:
        patch.setattr(store.UpstreamStore, "add", interrupted)
        code, _, told = check()
    assert code == 130
    assert "goes on from what is done" in told
    kept = len({row[0] for row in rows_in()})
    assert kept >= 2
    _, _, told = check()
    assert f"{kept} unchanged" in told
    assert rows_in() == rows_in("whole")


def test_two_processes_write_the_same_bytes_as_one(processes, check, monkeypatch):
    monkeypatch.setattr(batches, "DOCUMENTS", 2)
    check()
    check("--jobs", "2", out="two")
    parts = {
        out: [part.digest for folder in list_folders(out) for part in list_parts(folder)]
        for out in ("out", "two")
    }
    assert parts["out"] == parts["two"]


def test_a_file_that_kills_its_process_is_a_finding(robots, processes, check, monkeypatch):
    """The other files of its batch are checked."""
    (robots / "valid" / "poison.urdf").write_text("<robot name='p'><!-- poison --></robot>")
    monkeypatch.setattr(WorkerProcess, "_ask", _die_at_poison(WorkerProcess._ask))
    check()
    found = {row[0]: json.loads(row[2]) for row in rows_in() if not row[1]}
    (finding,) = found["robots/valid/poison.urdf"]["findings"]
    assert finding["code"] == "IC001"
    assert "crashed a process" in finding["message"]
    assert found["robots/valid/rod.urdf"]["status"] == "checked"


def _die_at_poison(ask):
    """The process of a task with the poisonous document ends instead of answering."""

    def ask_or_die(self, task):
        if any(each.path.endswith("poison.urdf") for each in task.documents):
            process = self._ensure_process()
            process.kill()
            process.wait()
            return None
        return ask(self, task)

    return ask_or_die


def test_items_are_taken_only_when_there_is_room():
    taken, under_way, most = [], set(), []

    def items():
        for item in range(50):
            taken.append(item)
            yield item

    def submit(item):
        under_way.add(item)
        most.append(len(under_way))
        return lambda: -item

    for given, (item, answer) in enumerate(map_in_order(items(), submit, 5)):
        under_way.discard(item)
        assert (item, answer) == (given, -given)
        assert len(taken) <= given + 7
    assert max(most) == 5
    assert taken == list(range(50))


def test_what_a_process_has_expanded_before_does_not_change_a_batch(robots, check, monkeypatch):
    """The limit for all xacro files of a run holds for each batch alone."""
    totals = []

    def do(self, task):
        with limit_expansions(), count_expansion():
            children._spent.get().append(1e9)
            results = task.run(lambda path: totals.append(reason_against_expanding(Limits())))
        return iter([results])

    monkeypatch.setattr(WorkerProcess, "do", do)
    check()
    assert totals
    assert set(totals) == {None}
