"""`benchmarks/same_answers.py` sees what differs between two checkouts, and nothing else."""

import json
import sys
from pathlib import Path

import pytest
import same_answers
from same_answers import Differences, Job

PROGRAM = """
import pathlib, sys
command, *rest = sys.argv[1:]
print(__file__ and pathlib.Path(__file__).parent, {value!r})
if rest:
    pathlib.Path(rest[0], "written").write_text({value!r})
sys.stderr.write(command)
sys.exit({code})
"""


def differ(old, new):
    found = Differences()
    same_answers.compare("check/a", {"stdout": old}, {"stdout": new}, found)
    return found


def make_checkout(folder, value, code=0):
    package = folder / "inertial_check"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(PROGRAM.format(value=value, code=code))
    return folder


def test_equal_answers_are_equal():
    found = differ('{"a": [1.0, "b"]}', '{"a": [1.0, "b"]}')
    assert not found.listed
    assert not found.rounding


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mass 1.0000000000000002 kg", "mass 1 kg"),
        ('{"a": 1.0000000000000002}', '{"a": 1.0}'),
        ("0", "-3e-17"),
    ],
)
def test_rounding_is_counted(old, new):
    found = differ(old, new)
    assert not found.listed
    assert found.rounding == {"check": 1}


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("margin 0.12", "margin 0.13", "check/a stdout:1:"),
        ("one\ntwo", "one\ntwo\nthree", "2 lines became 3"),
        ("a1", "b1", "check/a stdout:1:"),
        ('{"a": {"causes": ["x", "y"]}}', '{"a": {"causes": ["y", "x"]}}', "stdout/a/causes/0:1:"),
        ('{"a": 1.0}', '{"a": null}', "stdout/a:1:"),
        ('{"a": true}', '{"a": 1}', "stdout/a:1:"),
        ('{"a": 1, "b": 2}', '{"a": 1}', "gone ['b'], new []"),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', "other order"),
        ("[1, 2]", "[1]", "2 entries became 1"),
        ("v1.2.3", "v1.2.4", "check/a stdout:1:"),
    ],
)
def test_every_other_difference_is_listed_with_its_place(old, new, place):
    found = differ(old, new)
    assert any(place in line for line in found.listed)
    assert not found.rounding


def test_a_file_that_only_one_side_writes_is_listed():
    found = Differences()
    same_answers.compare("fix/a", {"exit": "0"}, {"exit": "0", "model": "x"}, found)
    assert found.listed == ["fix/a model: only new has it"]


@pytest.mark.parametrize("fresh", [True, False])
def test_checkouts_differ_by_what_they_say_and_not_by_their_paths(tmp_path, monkeypatch, fresh):
    monkeypatch.setattr(same_answers, "HEAVY", ())
    jobs = [Job("fix", "fix/a", ["fix", same_answers.OUT], str(tmp_path), fresh)]
    one, same, other = (
        same_answers.run_checkout(make_checkout(tmp_path / name, value, code), jobs, 1)
        for name, value, code in (("one", "A", 0), ("longer", "A", 0), ("third", "B", 3))
    )
    assert one == same
    assert one["fix/a"]["written"] == "A"
    assert one["fix/a"]["stderr"] == "fix"
    assert (one["fix/a"]["exit"], other["fix/a"]["exit"]) == ("0", "3")
    found = Differences()
    same_answers.compare("fix/a", one["fix/a"], other["fix/a"], found)
    assert [line.split(":")[0] for line in found.listed] == [
        "fix/a exit", "fix/a stdout", "fix/a written"
    ]  # fmt: skip


def test_a_job_that_takes_too_long_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(same_answers, "HEAVY", ())
    monkeypatch.setattr(same_answers, "TIMEOUT", 0.3)
    checkout = make_checkout(tmp_path, "A")
    (checkout / "inertial_check" / "__main__.py").write_text("import time; time.sleep(30)")
    jobs = [Job("fix", f"fix/{f}", ["fix"], str(tmp_path), f) for f in (True, False)]
    answers = same_answers.run_checkout(checkout, jobs, 1)
    assert [answer["exit"] for answer in answers.values()] == ["timeout", "timeout"]


def test_answers_that_are_kept_are_read_again(tmp_path):
    answers = {"check/a": {"exit": "1", "stdout": "\udcff"}, "fix/a": {"exit": "0"}}
    same_answers.save(answers, tmp_path)
    assert same_answers.read_or_run(tmp_path, [], 1) == answers


def test_missing_answers_are_said_and_differences_make_the_exit_code(tmp_path, monkeypatch, capsys):
    jobs = [Job("fix", f"fix/{name}", [], "") for name in "ab"]
    monkeypatch.setattr(same_answers, "list_jobs", lambda long: jobs)
    for name, value in (("old", "1"), ("new", "2")):
        same_answers.save({"fix/a": {"exit": value}}, tmp_path / name)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "old"), str(tmp_path / "new")])
    assert same_answers.main() == 1
    assert "no answers of 1 of 2 jobs" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "old"), str(tmp_path / "old")])
    assert same_answers.main() == 0


def test_models_are_chosen_by_their_hash_and_unset_folders_are_named(monkeypatch, capsys):
    for name in ("CORPUS", "MESHES", "DATASETS"):
        monkeypatch.delenv(f"INERTIAL_CHECK_{name}", raising=False)
    jobs = same_answers.list_jobs(long=False)
    assert capsys.readouterr().err.count("left out") == 3
    assert {job.command for job in jobs} == set(same_answers.COMMANDS)
    assert len({job.name for job in jobs}) == len(jobs)
    root = Path(same_answers.HERE) / "data"
    models = sorted(same_answers.list_models(root), key=same_answers.digest)
    short, full = (
        list(same_answers.list_model_jobs("meshes", root, models, 0.2, long)) for long in (0, 1)
    )
    assert {job.name for job in short} < {job.name for job in full}
    assert json.dumps([job.arguments for job in full])
