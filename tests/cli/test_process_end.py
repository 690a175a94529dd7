"""The process ends at once, and does before that what Python does at its end."""

import json
import os
import subprocess
import sys

import pytest

from inertial_check.cli import main, signals

MODEL = """<robot name="r">{}</robot>"""
BODY = """<link name="a{}"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.4"/></inertial></link>
<joint name="j{}" type="fixed"><parent link="a0"/><child link="a{}"/></joint>"""


@pytest.fixture(autouse=True)
def bad(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    links = [BODY.format(number, number, number) for number in range(60)]
    links[0] = links[0].partition("<joint")[0]
    (tmp_path / "bad.urdf").write_text(MODEL.format("\n".join(links)))


def run_program(code, *arguments):
    """Run a program that calls the entry point as a console script does."""
    program = f"import sys\n{code}\nfrom inertial_check.cli.main import entry_point\nentry_point()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )


def test_all_of_a_report_that_a_pipe_cannot_hold_arrives():
    """A pipe holds 64 KiB: the rest is written while the reader reads."""
    done = run_program("", "bad.urdf", "--output-format", "json")
    assert len(done.stdout) > 1 << 17
    assert json.loads(done.stdout)["summary"]["exit_code"] == done.returncode == 1


def test_functions_that_python_calls_at_its_end_are_called(tmp_path):
    """That of a finalizer, which removes a folder, and one that prints to a buffered stream."""
    code = (
        "import atexit, tempfile\n"
        "folder = tempfile.TemporaryDirectory(dir='.')\n"
        "atexit.register(print, 'printed', folder.name)"
    )
    done = run_program(code, "bad.urdf", "-q", "--output-file", "report.txt")
    assert (done.returncode, done.stderr) == (1, "")
    word, name = done.stdout.split()
    assert word == "printed"
    assert not os.path.exists(name)
    assert sorted(os.listdir(tmp_path)) == ["bad.urdf", "report.txt"]


def test_a_thread_that_still_runs_ends_first():
    code = (
        "import threading\n"
        "def wait():\n"
        "    threading.main_thread().join()\n"
        "    print('waited')\n"
        "threading.Thread(target=wait).start()"
    )
    done = run_program(code, "bad.urdf", "-q", "--output-file", "report.txt")
    assert (done.returncode, done.stdout, done.stderr) == (1, "waited\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_what_cannot_be_written_at_the_end_is_reported():
    """By Python, which has the exit code 120 for it."""
    program = "import atexit, sys\nfrom inertial_check.cli.main import entry_point\n"
    program += "atexit.register(sys.stdout.write, 'late')\nentry_point()"
    argv = [sys.executable, "-c", program, "bad.urdf", "-q", "--output-file", "report.txt"]
    buffered = {key: each for key, each in os.environ.items() if key != "PYTHONUNBUFFERED"}
    with open("/dev/full", "wb") as stdout:
        done = subprocess.run(argv, stdout=stdout, stderr=-1, env=buffered, check=False)
    assert done.returncode == 120
    assert b"No space left on device" in done.stderr


def test_a_profiler_shows_what_it_has_measured():
    argv = ["-m", "cProfile", "-m", "inertial_check", "bad.urdf", "-q"]
    done = subprocess.run([sys.executable, *argv], capture_output=True, text=True, check=False)
    assert "function calls" in done.stdout


def test_a_program_that_calls_the_entry_point_goes_on(monkeypatch):
    """Only the program itself may end the process: here that would end these tests."""
    for name in ("handle_signals", "ignore_signals"):
        monkeypatch.setattr(signals, name, lambda: None)
    monkeypatch.setattr(sys, "argv", ["inertial-check", "bad.urdf", "-q"])
    monkeypatch.setattr(main.gc, "set_threshold", lambda *_: None)
    with pytest.raises(SystemExit) as ending:
        main.entry_point()
    assert ending.value.code == 1
