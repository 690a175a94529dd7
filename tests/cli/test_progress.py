"""A bar on terminals only, only where work takes long, and gone in the end."""

import io

import pytest

from inertial_check.cli import progress
from inertial_check.cli.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    times = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: times[0])
    monkeypatch.setenv("TERM", "xterm")

    def advance(seconds):
        times[0] += seconds

    return advance


def test_work_that_is_done_soon_shows_nothing(clock):
    stream = Terminal()
    bar = ProgressBar(True, stream)
    for _ in range(9):
        clock(0.1)
        bar(0.5)
    bar.close()
    assert stream.getvalue() == ""


def test_long_work_is_drawn_over_itself_and_wiped_away(clock):
    stream = Terminal()
    bar = ProgressBar(True, stream)
    for part in (0.25, 0.26, 0.5):
        clock(1.0)
        bar(part)
        bar(part)  # too soon to be drawn again
    bar.close()
    bar.close()
    lines = stream.getvalue().split("\r")
    assert lines[1] == "[########                      ]  25%  3 s left"
    assert lines[3].startswith("[###############               ]  50%  3 s left")
    assert lines[4:] == [" " * len(lines[1]), ""]
    assert "\033" not in stream.getvalue()


@pytest.mark.parametrize(
    ("wanted", "stream", "term"),
    [(False, Terminal(), "xterm"), (True, io.StringIO(), "xterm"), (True, Terminal(), "dumb")],
)
def test_who_does_not_want_it_or_is_no_terminal_sees_nothing(
    clock, monkeypatch, wanted, stream, term
):
    monkeypatch.setenv("TERM", term)
    bar = ProgressBar(wanted, stream)
    clock(9.0)
    bar(0.5)
    bar.close()
    assert stream.getvalue() == ""
