"""The default form: groups of findings, four lines each, and last lines that say what to do."""

import re
import shlex
import shutil
import subprocess
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hand_made_reports as hand_made
from inertial_check.checking.report import (
    Excerpt,
    ExcerptLine,
    FileReport,
    Hypothesis,
    MarkedLine,
    Report,
    Severity,
)
from inertial_check.documents.escaping import printable
from inertial_check.documents.source import Place
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, render
from inertial_check.reports.text import (
    count_columns,
    count_rows,
    cut_sentence,
    cut_text,
    fit_source,
    wrap,
    wrap_command,
    write_command,
)

SLIP = hand_made.TRIANGLE._replace(
    guilty=MarkedLine(Place(15, 71, 15, 75), '<inertia ixx="0.02" izz="0.08"/>', ((25, 29),))
)


def shown(report, **view):
    return render(report, "full", View(exit_code=0, **view))


def report_of(*findings, path="a.urdf"):
    return Report((FileReport(path, "urdf", "a", (), findings),))


def many(count):
    """Findings of as many groups: their causes differ."""
    return [
        SLIP._replace(
            body=f"link_{i}",
            body_id=f"/{i}",
            causes=(Hypothesis(f"cause-{i}", 0.9, "why"),),
            guilty=SLIP.guilty._replace(place=Place(i, 1, i, 2)),
        )
        for i in range(count)
    ]


def test_a_finding_is_four_lines_with_the_caret_under_the_guilty_number():
    assert shown(report_of(SLIP), summary=False).splitlines() == [
        "a.urdf:15:71: error IC301 [forearm] no body has principal moments 0.02, 0.03, 0.08 kg m^2",
        '  15 | <inertia ixx="0.02" izz="0.08"/>',
        "     |                          ^^^^",
        "  why: decimal-slip (90 %): izz is ten times what goes with the other five "
        "(izz 0.08 -> 0.008)",
        "  fix: inertial-check fix --unsafe --body forearm a.urdf",
    ]


def test_bodies_with_one_mistake_are_one_entry_with_their_names():
    names = ["a", "b", "c"]
    alike = [SLIP._replace(body=name, body_id=name) for name in names]
    lines = shown(report_of(*alike), summary=False).splitlines()
    assert "  3 bodies: a, b, c" in lines
    assert sum("IC301" in line and "error" in line for line in lines) == 1


def test_files_with_one_mistake_are_listed_without_the_folder_that_they_share():
    files = [FileReport(f"robots/{name}.urdf", "urdf", name, (), (SLIP,)) for name in "abc"]
    report = Report(tuple(file._replace(findings=(SLIP._replace(fact="1"),)) for file in files))
    text = shown(report, most_lines=60)
    assert "  3 bodies in 3 files: forearm\n  also in: b.urdf, c.urdf\n" in text
    complete = shown(report)
    for name in "abc":
        assert f"    robots/{name}.urdf: forearm\n" in complete


@pytest.mark.parametrize("count", [1, 8, 9, 10, 11, 200])
@pytest.mark.parametrize("view", [{}, {"summary": False}, {"statistics": True}])
def test_no_line_is_more_than_the_limit_and_what_is_cut_is_counted(count, view):
    errors = many(count)
    warnings = [each._replace(severity=Severity.WARNING) for each in many(count)]
    text = shown(report_of(*warnings, *errors), most_lines=50, **view)
    assert text.count("\n") <= 50
    titles = re.findall(r"^a\.urdf:.*?: (error|warning) IC301 \[link_", text, re.MULTILINE)
    cut = re.search(r"^\.\.\. and (\d+) more groups? with (.*): --all shows", text, re.MULTILINE)
    left = {} if cut is None else dict(re.findall(r"(\d+) (error|warning)", cut[2]))
    left = {kind: int(number) for number, kind in left.items()}
    assert titles == sorted(titles), "worst first"
    assert len(titles) + (0 if cut is None else int(cut[1])) == 2 * count
    for kind in ("error", "warning"):
        assert titles.count(kind) + left.get(kind, 0) == count
    assert (cut is None) == (len(titles) == 2 * count)
    everything = shown(report_of(*warnings, *errors), **view)
    assert "--all" not in everything
    assert everything.count("IC301 [link_") == 2 * count


def test_the_last_lines_are_those_of_the_concise_form():
    view = {"offers_baseline": True, "paths": ("robots",), "most_lines": 50}
    full = shown(hand_made.EVERYTHING, **view)
    concise = render(hand_made.EVERYTHING, "concise", View(exit_code=0, **view))
    last = full.rpartition("\n\n")[2]
    assert concise.endswith(last)
    assert "\nTo fail on new findings only: inertial-check check robots --write-baseline " in last
    assert "\n1 of 3 errors can be fixed: inertial-check fix --unsafe --body forearm " in last


def test_files_without_findings_are_one_number():
    report = Report((*report_of(SLIP).files, hand_made.CLEAN_FILE, hand_made.CLEAN_FILE))
    assert "Checked 2 bodies in 3 files: 1 error. 2 files without findings.\n" in shown(report)


def test_a_partial_report_says_so_and_never_that_there_is_nothing():
    text = shown(hand_made.CLEAN, left=7)
    assert "no findings" not in text
    assert "interrupted with 7 files left unchecked" in text


def test_the_fix_can_be_pasted_into_a_shell_also_over_several_lines():
    folder = "a folder/" * 5
    alike = [SLIP._replace(body=f"link {i}", body_id=f"link {i}") for i in range(3)]
    alike = [hand_made.remedy_of(each) for each in alike]
    text = shown(report_of(*alike, path=f"{folder}x.urdf"), width=60, summary=False)
    command = text.partition("  fix: ")[2]
    assert "\\\n" in command
    words = shlex.split(command.replace("\\\n", ""))
    bodies = ["--body", "link 0", "--body", "link 1", "--body", "link 2"]
    options = ["--unsafe", "--follow-outside"]  # one edit is in a file of another folder
    assert words == ["inertial-check", "fix", *options, *bodies, f"{folder}x.urdf"]


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("most_lines", [None, 50])
def test_hostile_names_stay_on_their_lines(color, most_lines):
    wicked = shown(hand_made.named(hand_made.WICKED), color=color, most_lines=most_lines)
    assert not set(wicked) & set("\x00\u202e\ud800\udce9")
    assert ("\x1b" in wicked) is color
    assert "\x1b[2J" not in wicked
    assert not re.search(r"^\s*::", wicked, re.MULTILINE)


def test_a_name_of_a_million_characters_takes_no_more_lines():
    text = shown(hand_made.named("x" * 1_000_000), most_lines=50)
    assert len(text) < 20_000
    assert text.count("\n") <= 50


def test_carets_stand_under_wide_characters_tabs_and_after_combining_ones():
    text = '\t<link n="\u91cd\u304f" e="e\u0301" m="9"/>'
    start = text.index("9")
    line = MarkedLine(Place(20, start + 1, 20, start + 2), text, ((start, start + 1),))
    lines = shown(report_of(SLIP._replace(guilty=line)), summary=False).splitlines()
    above, below = next((a, b) for a, b in pairwise(lines) if "^" in b)
    assert count_columns(above[: above.index("9")]) == below.index("^")
    assert below.count("^") == 1


def test_a_binary_document_has_no_source_line():
    bare = SLIP._replace(guilty=None, excerpt=None)
    assert "^\n" not in shown(report_of(bare))


def test_an_excerpt_stands_in_where_no_number_is_guilty():
    missing = hand_made.MISSING._replace(excerpt=Excerpt((ExcerptLine(20, "<link/>", 0, 7),)))
    assert "  20 | <link/>\n     | ^^^^^^^\n" in shown(report_of(missing))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200).filter(str.isprintable)


@given(texts, st.integers(40, 120))
def test_wrapped_lines_fit_and_keep_every_word(text, width):
    lines = wrap(text, width, "  ")
    assert all(count_columns(line) <= width for line in lines)
    joined = "".join(line.removeprefix("  ").replace(" ", "") for line in lines)
    assert joined.replace("\\x3a", ":") == text.replace(" ", "").replace("\\x3a", ":")


def test_no_wrapped_line_is_a_command_of_a_build_server():
    words = " ".join(["word"] * 30) + " ::error::a " + "x" * 90 + "::error::b ::c"
    finding = hand_made.MISSING._replace(message=words, causes=(Hypothesis("x", 0.5, words),))
    for width in range(40, 120):
        text = shown(report_of(finding), width=width)
        assert not re.search(r"^\s*::", text, re.M), width


@given(texts, st.integers(3, 120))
def test_a_cut_text_fits(text, width):
    assert count_columns(cut_text(text, width)) <= width
    assert len(wrap(text, 40, most=2)) <= 2


@given(st.text(max_size=300), st.data(), st.integers(20, 120))
def test_marks_of_a_cut_line_stand_under_their_text(text, data, room):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    line = fit_source(text, [(start, end)], room)
    assert count_columns(line.text) <= room
    assert "\n" not in line.text
    ((column, width),) = line.marks
    assert 0 <= column <= room
    assert width >= 1


def test_a_sentence_ends_with_a_clause_and_not_inside_a_parenthesis():
    text = "the smallest moment is -1 kg m^2; none may be below 0 (all three: 1, 2, 3)"
    assert cut_sentence(text, 60) == "the smallest moment is -1 kg m^2; none may be below 0"
    assert cut_sentence(text, 40) == "the smallest moment is -1 kg m^2"
    assert cut_sentence(text, 10) == text


def test_a_command_is_broken_between_its_arguments():
    assert wrap_command(["a" * 30, "b" * 30, "c"], 40, " ") == [f" {'a' * 30} \\", f" {'b' * 30} c"]


@pytest.mark.parametrize("name", ["--unsafe", "-", "--body=x"])
def test_no_name_in_a_command_is_an_option(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--also=html=x.urdf").write_text(
        f'<robot name="r"><link name="{name}"><inertial><mass value="1"/><inertia ixx="0.00100" '
        'iyy="0.00100" izz="0.00300" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    assert main(["check", "--no-cache", "--", "--also=html=x.urdf"]) == 1
    told = capsys.readouterr().out
    for command in re.findall(r"(?m)fix(?:ed)?: inertial-check (.*)$", told):
        assert main([*shlex.split(command), "--write"]) == 0
    assert main(["check", "--no-cache", "."]) == 0


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_arguments_have_the_quotes_of_the_standard_library(argument):
    assume(printable(argument) == argument)
    assert write_command(argument).endswith(f" {shlex.quote(argument)}")


@pytest.mark.parametrize("argument", ["::error::x", "::add-mask::y/arm.urdf", "::stop-commands::t"])
def test_a_path_of_plain_characters_begins_no_command_of_a_build_server(argument):
    """A broken command may have it at the start of a line, where such a server reads `::`."""
    assert "::" not in write_command(argument)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "name", ["a\nb\t'c", "\x1b[31m\\", "\u202eabc", "##[error]x", "::error::x", "$(x) `y`"]
)
def test_a_shell_reads_from_the_command_the_name_itself(name):
    text = shown(report_of(hand_made.remedy_of(SLIP._replace(body=name))), summary=False)
    command = text.partition("  fix: ")[2].replace("inertial-check", "printf '%s\\0'", 1)
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=30, check=True)
    assert done.stdout.decode().split("\0")[3] == name


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("width", [20, 40, 70])
def test_a_broken_line_counts_as_the_rows_that_it_takes(width, color):
    paths = tuple(f"a_long_name_of_a_model_{i}.urdf" for i in range(9))
    view = {"width": width, "most_lines": 60, "paths": paths, "offers_baseline": True}
    text = shown(report_of(*many(100)), color=color, **view)
    assert count_rows(re.sub("\x1b\\[[0-9;]*m", "", text).splitlines(), width) <= 60
    assert "--all shows" in text


def test_marks_without_a_column_move_no_caret_and_no_name_is_a_tower_of_them():
    assert count_columns("\u2764\ufe0fe\u0301") == 2
    name = "a" + "\u0301" * 10_000
    assert max(map(len, shown(report_of(SLIP._replace(body=name))).splitlines())) < 400


def test_no_caret_stands_under_the_dots_of_a_cut_line():
    source = fit_source("ixx=1111 ixy=2222 iyy=3333333", [(4, 8), (13, 17), (22, 29)], 24)
    assert source.text.endswith("...")
    assert source.marks == ((4, 4), (13, 4))
