import re

import pytest

import hand_made_reports as hand_made
from inertial_check.model import Report
from inertial_check.reports import View, render
from inertial_check.reports.markdown import MOST_BYTES


def shown(report, **view):
    return render(report, "markdown", View(exit_code=1, **view))


def rows(text):
    return [line for line in text.splitlines() if re.match(r"\| (error|warning|note) \|", line)]


def test_everything(golden):
    golden("reports/check.md", shown(hand_made.EVERYTHING, statistics=True))


def test_a_clean_run_is_a_sentence():
    text = shown(hand_made.CLEAN)
    assert text == "## inertial-check\n\nChecked 1 body in 1 file: no findings.\n"


def test_what_could_not_be_done_comes_first():
    text = shown(hand_made.FAILED)
    assert "**Could not be done**\n\n- absent.urdf: No such file or directory\n" in text


def many(count, length=300):
    """A report with as many findings of each severity, whose messages have this length."""
    kinds = (hand_made.PLATE, hand_made.MISSING, hand_made.TRIANGLE)
    findings = tuple(
        kind._replace(message=f"{kind.code} {index} {'x' * length}")
        for index in range(count)
        for kind in kinds
    )
    return Report((hand_made.ARM._replace(findings=findings),))


def test_what_is_too_long_is_left_out_the_least_severe_first():
    text = shown(many(1500))
    assert len(text.encode()) <= MOST_BYTES
    words = [row.split(" ", 2)[1] for row in rows(text)]
    assert words.count("error") == 1500
    assert words.count("warning") == 1500 or words.count("note") == 0
    left_out = 4500 - len(words)
    assert left_out > 0
    assert f"\n{left_out} findings left out, the least severe" in text
    assert "Details of " in text


def test_details_go_before_findings():
    text = shown(many(700))
    assert len(text.encode()) <= MOST_BYTES
    assert len(rows(text)) == 2100
    assert re.search(r"\nDetails of \d+ findings left out", text)
    assert "<summary>error IC301" in text


def test_what_fits_is_complete():
    text = shown(many(20))
    assert len(rows(text)) == 60
    assert "left out" not in text


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
