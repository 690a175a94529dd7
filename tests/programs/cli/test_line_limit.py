"""At most 60 lines for a folder, whatever is in it, and no finding that is not counted."""

import json
import re
from collections import Counter
from dataclasses import replace

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.reports import terminal
from inertial_check.reports.grouping import group_findings
from inertial_check.reports.text import count_rows
from inertial_check.running import run as running
from inertial_check.running.run import CheckRequest, check_paths

SMALL = ("google-deepmind+dm_control",)


TITLE = re.compile(r"^\S.*?:\d+:\d+: (error|warning|note) (IC\d+)", re.M)
CUT = re.compile(r"^\.\.\. and (\d+) (?:more )?groups? with (.*): --all shows them$", re.M)


def count_findings(block):
    """The number of findings that a group, or the line that counts the others, says it has."""
    if cut := CUT.search(block):
        return sum(map(int, re.findall(r"(\d+) (?:error|warning|note)", cut[2])))
    if not TITLE.search(block):
        return 0
    several = re.search(r"^  (\d+) (?:body|bodies|findings)(?:, (\d+) findings?)?\b", block, re.M)
    return 1 if several is None else int(several[2] or several[1])


@pytest.fixture(scope="module")
def report(data_dir):
    """A report of more groups than sixty lines hold, with many failures and notes."""
    settings = Settings().validate()
    found = check_paths(CheckRequest([str(data_dir / "defects")], lambda _: settings))
    failures = tuple(f"absent_{index}.urdf: No such file" for index in range(100))
    return replace(found, failures=failures, notes=tuple(f"note {i}" for i in range(100)))


@pytest.fixture
def checked(report, tmp_path, monkeypatch):
    """Has every check of the folder robots give that report."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    monkeypatch.setattr(running, "check_paths", lambda request: report)
    return report


@pytest.mark.parametrize("options", [[], ["--statistics"], ["--color", "always"], ["-q"]])
def test_a_folder_takes_sixty_lines_with_its_notes_and_failures(checked, run, options):
    code, out, err = run("robots", *options)
    assert code == 2
    assert out.count("\n") + err.count("\n") <= 60
    assert "--all shows them" in out
    assert "and 91 more failures: --all shows them" in err
    assert ("and 97 more notes: --all shows them" in err) is (options != ["-q"])
    assert run("robots", "--all", *options)[2].count("\n") >= 100


def test_all_shows_every_group_and_verbose_every_finding(checked, run):
    limited, everything, verbose = (run("robots", *option)[1] for option in ([], ["--all"], ["-v"]))
    assert "--all" not in everything + verbose
    assert len(TITLE.findall(verbose)) == len(checked.findings)
    titles, shown = TITLE.findall(everything), TITLE.findall(limited)
    assert titles[: len(shown)] == shown
    assert len(shown) + int(CUT.search(limited)[1]) == len(titles) <= len(checked.findings)


def test_one_named_file_shows_all_of_its_groups(data_dir, run, tmp_path, monkeypatch):
    """Forty bodies, each with a cause or a rule of its own, take more than sixty lines."""
    monkeypatch.chdir(tmp_path)
    link = (
        '<link name="l{i}"><inertial><mass value="{m}"/>'
        '<inertia ixx="{x}" ixy="0" ixz="0" iyy="1" iyz="0" izz="{z}"/></inertial></link>'
    )
    codes = [each.split() for each in ("-1 1 1", "nan 1 1", "0 1 1", "1 1 9", "1 -1 1")]
    codes += [("1", "x", "1"), ("1,5", "1", "1"), ("1", "1e-9", "1"), ("1", "1", "1e999")]
    links = "\n".join(link.format(i=i, m=m, x=x, z=z) for i, (m, x, z) in enumerate(codes * 3))
    (tmp_path / "one.urdf").write_text(f'<robot name="r">\n{links}\n</robot>\n')
    out = run("one.urdf")[1]
    assert "--all" not in out
    bodies = set(re.findall(r"\bl\d+\b", out))
    document = json.loads(run("one.urdf", "--output-format", "json")[1])
    assert {each["body"] for each in document["files"][0]["findings"]} <= bodies


@pytest.fixture
def groups(monkeypatch):
    """The groups of the reports that are rendered."""
    seen = []

    def record(report):
        seen[:] = group_findings(report)
        assert sum(group.findings for group in seen) == len(report.findings)
        return list(seen)

    monkeypatch.setattr(terminal, "group_findings", record)
    return seen


@pytest.mark.parametrize("form", ["quick", "long"])
def test_upstreams_take_sixty_lines_and_lose_nothing(
    form, corpus, run, groups, monkeypatch, request
):
    """The groups that are shown and those that are counted are all, with all their findings."""
    if form == "long" and not request.config.getoption("--long"):
        pytest.skip("all upstreams take two minutes: run pytest with --long")
    monkeypatch.chdir(corpus)
    every = sorted(each.name for each in corpus.iterdir() if each.is_dir())
    for name in SMALL if form == "quick" else every:
        _, out, err = run(name, "--isolated", "--jobs", "1", "--no-cache")
        assert out.count("\n") + err.count("\n") <= 60, name
        titles = TITLE.findall(out)
        assert titles == [(each.severity.word, each.code) for each in groups[: len(titles)]], name
        number, listed = CUT.search(out).groups()
        rest = groups[len(titles) :]
        assert len(rest) == int(number), name
        counts = {word: int(count) for count, word in re.findall(r"(\d+) ([a-z]+?)s?\b", listed)}
        expected = Counter()
        for each in rest:
            expected[each.severity.word] += each.findings
        assert counts == expected, name
        assert sum(map(count_findings, out.split("\n\n"))) == sum(g.findings for g in groups), name


def test_long_failures_count_as_the_rows_that_they_take(checked, run, monkeypatch):
    failures = tuple(f"{'absent_' * 30}{index}.urdf: No such file" for index in range(9))
    monkeypatch.setattr(running, "check_paths", lambda _: replace(checked, failures=failures))
    monkeypatch.setenv("COLUMNS", "60")
    _, out, err = run("robots")
    assert count_rows(f"{out}{err}".splitlines(), 60) <= 60
    assert "more failures: --all shows them" in err
