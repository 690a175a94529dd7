import re

import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import Report
from inertial_check.reports import View, render
from inertial_check.reports.markdown import MOST_CHARACTERS


def shown(report, **view):
    return render(report, "markdown", View(exit_code=1, **view))


def rows(text):
    return [line for line in text.splitlines() if re.match(r"\| (error|warning|note) \|", line)]


def test_a_clean_run_is_a_sentence():
    text = shown(hand_made.CLEAN)
    assert text == "## inertial-check\n\nChecked 1 body in 1 file: no findings.\n"


def test_what_could_not_be_done_comes_first():
    text = shown(hand_made.FAILED)
    assert "**Could not be done**\n\n- absent.urdf: No such file or directory\n" in text


def many(count, length=100):
    """A report with as many files, each with a finding of each severity, none like another."""
    kinds = (hand_made.PLATE, hand_made.MISSING, hand_made.TRIANGLE)
    files = []
    for index in range(count):
        findings = tuple(
            kind._replace(
                message=f"{kind.code} {index} \U0001f916{'x' * length}",
                place=kind.place._replace(path=None),
                entries=(),
                fact="",
            )
            for kind in kinds
        )
        files.append(hand_made.ARM._replace(path=f"{index}.urdf", findings=findings))
    return Report(tuple(files))


def size(text):
    """The size of a comment, as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


def left_out(text, words):
    return sum(int(count) for count in re.findall(rf"^{words}(\d+) findings? in ", text, re.M))


def test_what_is_too_long_is_left_out_the_least_severe_first():
    text = shown(many(300))
    assert size(text) <= MOST_CHARACTERS
    words = [row.split(" ", 2)[1] for row in rows(text)]
    assert words.count("error") > 0
    assert words == sorted(words, key=["error", "warning", "note"].index)
    assert left_out(text, "") == 900 - len(words)


def test_details_go_before_findings():
    text = shown(many(60))
    assert size(text) <= MOST_CHARACTERS
    assert len(rows(text)) == 180
    details = text.count("<details>")
    assert left_out(text, "Details of ") == 180 - details
    assert "<summary>error IC301" in text


def test_what_fits_is_complete():
    text = shown(many(10))
    assert len(rows(text)) == 30
    assert "left out" not in text


def test_one_mistake_in_many_bodies_is_one_row_with_its_places():
    findings = tuple(
        hand_made.TRIANGLE._replace(body=f"link_{i}", body_id=f"/link_{i}", fact=f"{i}")
        for i in range(30)
    )
    text = shown(Report((hand_made.ARM._replace(findings=findings),)))
    assert [row.split(" | ")[2] for row in rows(text)] == ["30 bodies"]
    assert "[link_0]" in text
    assert "and 10 more" in text


def test_long_lists_of_notes_are_cut_and_counted():
    report = Report((hand_made.ARM,), notes=tuple(f"{i} {'x' * 1000}" for i in range(500)))
    text = shown(report)
    assert size(text) <= MOST_CHARACTERS
    assert text.count("\n- ") - 1 + int(re.search(r"- and (\d+) more", text)[1]) == 500


@pytest.mark.parametrize("name", [hand_made.WICKED, "x" * 1_000_000, "````", "a|b"])
def test_no_name_is_markup(name):
    text = shown(hand_made.named(name))
    assert len(text.encode("utf-8")) < 100_000
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^\s*```", outside, re.MULTILINE)
    assert "<b>" not in outside
    assert not re.search(r"@(?!<!-- -->)", outside)
    assert set(re.findall(r"</?(\w+)", outside)) == {"code", "details", "summary"}
    for row in rows(outside):
        cells = re.split(r"(?<!\\)\|", row)
        assert len(cells) == 6  # four, and what is outside the first and the last bar


def test_a_fence_is_longer_than_any_inside():
    text = shown(hand_made.named("`" * 7))
    assert "\n" + "`" * 8 + "text\n" in text


def test_a_long_message_is_cut_in_its_row_and_whole_in_the_details():
    message = "the body is wrong: " + "and why, " * 60 + "which ends here"
    finding = hand_made.TRIANGLE._replace(message=message)
    text = shown(Report((hand_made.ARM._replace(findings=(finding,)),)))
    (row,) = rows(text)
    assert len(row) < 600
    assert "which ends here" not in row
    assert message in text
