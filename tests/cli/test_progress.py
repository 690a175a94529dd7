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


def test_the_current_file_is_named_at_its_end(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    bar = ProgressBar(True, stream)
    clock(2.0)
    bar(0.5, "robots/" + "folder/" * 20 + "arm\x1b[2J.urdf")
    line = stream.getvalue()
    assert line.endswith(r"arm\x1b[2J.urdf")
    assert len(line) <= 80
    assert "\x1b" not in line


def test_the_bar_moves_while_nobody_calls(monkeypatch):
    """As during a long step of one file; a thread draws it on the terminal of stderr."""
    import threading

    drawn = threading.Event()

    class Stream(Terminal):
        def write(self, text):
            drawn.set()
            return len(text)

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr(progress.sys, "stderr", Stream())
    bar = ProgressBar(True)
    assert drawn.wait(30)
    bar.close()


def test_rich_draws_names_as_text_and_shows_the_cursor_again(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    display = progress.RichDisplay(stream, color=False)
    display.show(0.5, 3.0, "[bold]arm.urdf[/bold]")
    display.erase()
    text = stream.getvalue()
    assert "[bold]arm.urdf[/bold]" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    assert "\x1b[1m" not in text


def test_a_plain_bar_stands_in_for_rich(monkeypatch):
    monkeypatch.setitem(progress.sys.modules, "rich", None)
    monkeypatch.setitem(progress.sys.modules, "rich.console", None)
    display = progress._choose_display(Terminal(), False, True)
    assert isinstance(display, progress.PlainDisplay)
