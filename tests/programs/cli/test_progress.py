"""A bar on terminals only, only where work takes long, and gone in the end."""

import io
import sys
import time

import pytest

from inertial_check.programs.cli import output
from inertial_check.programs.cli.output import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(output, "_DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def wait_for(stream, text):
    limit = time.monotonic() + 30
    while text not in stream.getvalue():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_work_that_is_done_soon_shows_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    bar = ProgressBar(True, stream)
    for _ in range(9):
        bar(0.5)
    bar.close()
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("wanted", "stream", "term"),
    [(False, Terminal(), "xterm"), (True, io.StringIO(), "xterm"), (True, Terminal(), "dumb")],
)
def test_who_does_not_want_it_or_is_no_terminal_sees_nothing(
    soon, monkeypatch, wanted, stream, term
):
    monkeypatch.setenv("TERM", term)
    bar = ProgressBar(wanted, stream)
    time.sleep(0.05)
    bar(0.5)
    bar.close()
    assert stream.getvalue() == ""


def test_rich_draws_names_as_text_and_shows_the_cursor_again(soon):
    """It is drawn before anybody calls, as during a long step of one file."""
    pytest.importorskip("rich")
    stream = Terminal()
    bar = ProgressBar(True, stream)
    wait_for(stream, "0%")
    bar(0.5, "[bold]" + "folder/" * 40 + "arm\x1b[2J.urdf")
    wait_for(stream, "50%")
    bar.close()
    bar.close()
    text = stream.getvalue()
    assert r"arm\x1b[2J.urdf" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    assert "\x1b[1m" not in text
    assert "\x1b[2J" not in text


def test_lines_stand_in_for_rich(soon, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(output, "_LINE_PERIOD", 0.2)
    stream = Terminal()
    bar = ProgressBar(True, stream)
    time.sleep(0.3)
    bar(0.5, "robots/" * 20 + "arm\x1b.urdf")
    bar(0.6, "too soon for another line")
    bar.close()
    (line,) = stream.getvalue().splitlines()
    assert line.startswith(" 50%, ")
    assert line.endswith(r"arm\x1b.urdf")
    assert len(line) < 80
