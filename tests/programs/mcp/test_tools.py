"""The tools without a server: what they run, what they refuse, and how long their results are."""

import json
import os
import sys

import pytest

from inertial_check.programs import mcp
from inertial_check.programs.mcp import (
    MOST_FINDINGS,
    MOST_TEXT,
    Program,
    ProgramResult,
    ToolFailure,
    Tools,
)


class Recorder:
    """A program that answers with a text, and keeps its arguments."""

    def __init__(self, root, text):
        self.root, self.text = str(root.resolve()), text

    def run(self, *arguments):
        self.arguments = arguments
        return ProgramResult(0, self.text, "")


ACCOUNT = {"inertials": 90, "judged": {"written": 5}, "lowered_by": []}
ACCOUNT["unjudged"] = [{"path": f"{n}.xml", "line": 1} for n in range(85)]
ACCOUNT["skipped"] = [{"kind": "dangling link", "count": 99, "paths": ["x"] * 99}]


def report(count, length):
    finding = {
        "code": "IC301",
        "name": "n",
        "body": "b" * length,
        "bodies": [],
        "message": "m",
        "file": None,
        "line": 1,
        "column": 1,
        "fix": None,
        "causes": [],
    }
    findings = [{**finding, "severity": "note"}] * count + [{**finding, "severity": "error"}]
    files = [{"path": "a.urdf", "findings": findings, "bodies": []}]
    return json.dumps({"summary": {}, "failures": [], "files": files, "account": ACCOUNT})


@pytest.mark.parametrize(("count", "length"), [(10, 10), (1000, 10), (1000, 5000), (0, 10**6)])
def test_results_are_bounded_and_count_what_is_left_out(tmp_path, count, length):
    text = Tools(Recorder(tmp_path, report(count, length))).check()
    assert len(text) <= MOST_TEXT + 100
    if length < 10**6:
        result = json.loads(text)
        assert len(result["findings"]) <= MOST_FINDINGS
        assert len(result["findings"]) + result["findings_left_out"] == count + 1
        assert result["findings"][0]["severity"] == "error"


@pytest.mark.parametrize("tool", [Tools.check, lambda tools: tools.report(output_format="json")])
def test_results_have_the_account_with_the_first_of_its_items(tmp_path, tool):
    account = json.loads(tool(Tools(Recorder(tmp_path, report(0, 1)))))["account"]
    assert (account["inertials"], account["unjudged_count"]) == (90, 85)
    assert account["unjudged"] == ACCOUNT["unjudged"][:20]
    assert [len(each["paths"]) for each in account["skipped"]] == [20]


def test_values_are_never_options(tmp_path):
    (tmp_path / "--write").write_text("")
    recorder = Recorder(tmp_path, report(0, 1))
    Tools(recorder).fix("--write", bodies=["--write"], cause=2)
    before, after = recorder.arguments[:-2], recorder.arguments[-2:]
    assert after == ("--", "./--write")
    assert before == ("fix", "--color=never", "--body=--write", "--cause=2")


@pytest.mark.parametrize(
    "paths", [[], [""], ["a\0b"], ["x" * 5000], ["a"] * 101, ["absent"], ["~"]]
)
def test_paths_that_are_none(tmp_path, paths):
    (tmp_path / "a").write_text("")
    with pytest.raises(ToolFailure):
        Tools(Recorder(tmp_path, report(0, 1))).check(paths)


@pytest.mark.skipif(os.name == "nt", reason="pipes and process groups of POSIX")
def test_a_run_that_does_not_end_is_stopped_with_its_processes(tmp_path, monkeypatch):
    """As long as a process of the run lives, it keeps the pipe open for writing."""
    monkeypatch.setattr(mcp, "LONGEST_RUN", 1)
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ToolFailure, match="stopped after"):
        Program.of(("sh", "-c", "exec 3> pipe; sleep 600; sleep 600"), str(tmp_path)).run()
    os.set_blocking(reading, True)
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_an_endless_output_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(mcp, "MOST_OUTPUT", 1000)
    with pytest.raises(ToolFailure, match="larger than 1000 bytes"):
        Program.of((sys.executable, "-c", "print('x' * 10000)"), str(tmp_path)).run()
