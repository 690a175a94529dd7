"""A bar on terminals only, only where work takes long, and gone in the end."""

import io
import sys
import threading

import pytest

from inertial_check.programs.cli import output
from inertial_check.programs.cli.main import main
from inertial_check.programs.cli.output import ProgressBar


class Terminal(io.StringIO):
    def __init__(self):
        super().__init__()
        self.written = threading.Condition()

    def isatty(self):
        return True

    def write(self, text):
        with self.written:
            self.written.notify_all()
            return super().write(text)

    def wait_for(self, text):
        with self.written:
            assert self.written.wait_for(lambda: text in self.getvalue(), timeout=30)


def list_timers():
    return [each for each in threading.enumerate() if isinstance(each, threading.Timer)]


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(output, "_DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


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
def test_who_does_not_want_it_or_is_no_terminal_sees_nothing(monkeypatch, wanted, stream, term):
    monkeypatch.setenv("TERM", term)
    before = {*list_timers()}  # a bar of another test may be ending
    bar = ProgressBar(wanted, stream)
    assert {*list_timers()} <= before  # nothing draws it later
    bar(0.5)
    bar.close()
    assert stream.getvalue() == ""


def test_rich_draws_names_as_text_and_shows_the_cursor_again(soon):
    """It is drawn before anybody calls, as during a long step of one file."""
    pytest.importorskip("rich")
    stream = Terminal()
    bar = ProgressBar(True, stream)
    stream.wait_for("0%")
    bar(0.5, "[bold]" + "folder/" * 40 + "arm\x1b[2J.urdf")
    stream.wait_for("50%")
    bar.close()
    bar.close()
    text = stream.getvalue()
    assert r"arm\x1b[2J.urdf" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")
    assert "\x1b[1m" not in text
    assert "\x1b[2J" not in text


def test_lines_stand_in_for_rich(soon, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(output, "_LINE_PERIOD", 0.0)
    stream = Terminal()
    bar = ProgressBar(True, stream)
    for timer in list_timers():
        timer.join(30)
    monkeypatch.setattr(output, "_LINE_PERIOD", 1000.0)
    bar(0.5, "robots/" * 20 + "arm\x1b.urdf")
    bar(0.6, "too soon for another line")
    bar.close()
    (line,) = stream.getvalue().splitlines()
    assert line.startswith(" 50%, ")
    assert " s left: " in line
    assert line.endswith(r"arm\x1b.urdf")
    assert len(line) < 80


@pytest.mark.parametrize(
    "words",
    [
        ["check", "data/arm.urdf"],
        ["fix", "data/arm.urdf"],
        ["fill", "data/arm.urdf"],
        ["report", "data/arm.urdf", "-o", "-"],
        ["project", "data/tables/cad-export.csv", "--about", "com"],
    ],
    ids=lambda words: words[0],
)
def test_commands_on_many_files_or_rows_tell_their_progress(words, monkeypatch, capsysbinary):
    parts = []
    monkeypatch.setattr(ProgressBar, "__call__", lambda bar, part, name="": parts.append(part))
    assert main(words) in (0, 1)
    assert parts == sorted(parts)
    assert 0 <= parts[0] <= parts[-1] <= 1
