"""`summary` counts the same whatever form the results have, and by whatever is asked."""

import csv
import io
import json
import shutil
from collections import Counter

import pytest

from inertial_check.programs.cli.main import main
from inertial_check.running.workers import WorkerProcess

pytest.importorskip("pyarrow", reason='pip install "inertial-check[cluster]"')


@pytest.fixture(scope="module")
def results(tmp_path_factory, data_dir):
    """Results of the same check in every form, by name."""
    folder = tmp_path_factory.mktemp("results")
    shutil.copytree(data_dir / "mjcf", folder / "robots/mjcf")
    for path in [*data_dir.glob("defects/ic[1-3]*"), *data_dir.glob("valid/r*")]:
        (folder / "robots" / path.parent.name).mkdir(exist_ok=True)
        shutil.copy(path, folder / "robots" / path.parent.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        check_in_this_process(patch)
        for form in ("json", "jsonl"):
            main(["check", "robots", "--output-format", form, "--output-file", f"report.{form}"])
        for form in ("parquet", "jsonl"):
            main(["check", "robots", "--results", form, "--results-format", form, "-q"])
    paths = {"json": "report.json", "lines": "report.jsonl", "rows": "jsonl", "parquet": "parquet"}
    return {name: str(folder / path) for name, path in paths.items()}


def check_in_this_process(patch):
    patch.setattr(WorkerProcess, "do", lambda self, task: iter([task.run()]))


@pytest.fixture
def summary(results, capsys):
    def summary(name, *options):
        capsys.readouterr()
        code = main(["summary", results[name], *options])
        return code, capsys.readouterr().out

    return summary


@pytest.mark.parametrize("by", ["", "upstream,rule", "cause,severity", "engine,rule", "verdict"])
def test_every_form_of_the_results_gives_the_same_counts(summary, by):
    options = ["--by", by] if by else []
    texts = {name: summary(name, *options)[1] for name in ("json", "lines", "rows", "parquet")}
    assert "IC301" in texts["json"] or "rule" not in (by or "rule")
    # A report in JSON does not say which files were skipped.
    assert {text.partition("\n")[2] for text in texts.values()} == {
        texts["json"].partition("\n")[2]
    }
    assert texts["rows"] == texts["parquet"]
    facts = {text.partition("\n")[0].rpartition(", ")[2] for text in texts.values()}
    assert len(facts) == 1


def test_the_counts_are_those_of_the_report(results, summary):
    with open(results["json"], encoding="utf-8") as stream:
        report = json.load(stream)
    rules = Counter(each["code"] for file in report["files"] for each in file["findings"])
    actions = Counter(
        (engine, action)
        for file in report["files"]
        for body in file["bodies"]
        for engine, action in body["engines"].items()
    )
    assert rules["IC301"] > 1
    _, text = summary("parquet", "--by", "rule", "--output-format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["rule"]: int(row["findings"]) for row in rows} == rules
    _, text = summary("parquet", "--by", "engine", "--output-format", "json")
    (table,) = json.loads(text)["tables"]
    counted = {(r["engine"], a): n for r in table["rows"] for a, n in r["actions"].items()}
    assert counted == actions


def test_names_from_outside_stay_text(tmp_path, data_dir, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_in_this_process(monkeypatch)
    for name in ("=1+1|x", "a\n# b", "c%2Fd"):
        (tmp_path / "robots" / f"{name}~").mkdir(parents=True)
        shutil.copy(data_dir / "defects/ic301-triangle.urdf", f"robots/{name}~")
    run("check", "robots", "--results", "out", "--results-format", "jsonl", "-q")
    assert len(list((tmp_path / "out").iterdir())) == 3
    _, text, _ = run("summary", "out", "--by", "upstream", "--output-format", "markdown")
    assert "\n# b" not in text
    assert "=1+1\\|x" in text
    _, text, _ = run("summary", "out", "--by", "upstream", "--output-format", "csv")
    assert "'=1+1|x~,2" in text
    _, text, _ = run("summary", "out", "--by", "upstream")
    assert "a\\n# b" in text


def test_what_holds_no_results_is_told(tmp_path, run):
    for name, data in {"a": b"[[", "b": b"3", "c": b'{"a": 1}', "d": b"PAR1xxxx", "e": b""}.items():
        (tmp_path / name).write_bytes(data)
        code, _, told = run("summary", str(tmp_path / name))
        assert code == 2
        assert "no results" in told
        assert "Traceback" not in told
    assert run("summary", str(tmp_path))[0] == 2
    code, _, told = run("summary", str(tmp_path / "a"), "--by", "rules")
    assert code == 2
