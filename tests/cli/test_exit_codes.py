"""One number, one meaning; and never a traceback unless asked."""

import os
import signal
import subprocess
import sys

import pytest

from inertial_check.cli import check, exit_codes
from inertial_check.cli.main import main

PROGRAM = [sys.executable, "-m", "inertial_check"]
CLEAN_MODEL = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link></robot>"""
FINDING = CLEAN_MODEL.replace('izz="0.1"', 'izz="0.4"')
PLATE = CLEAN_MODEL.replace('izz="0.1"', 'izz="0.2"')
BROKEN = "<robot><link></robot>"
on_posix = pytest.mark.skipif(os.name == "nt", reason="signals and pipes of POSIX")


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("good", "bad", "broken", "none", "mixed"):
        (tmp_path / folder).mkdir()
    (tmp_path / "good" / "clean.urdf").write_text(CLEAN_MODEL)
    (tmp_path / "good" / "package.xml").write_text("<package/>")
    (tmp_path / "bad" / "finding.urdf").write_text(FINDING)
    (tmp_path / "bad" / "plate.urdf").write_text(PLATE)
    (tmp_path / "broken" / "broken.urdf").write_text(BROKEN)
    (tmp_path / "none" / "notes.txt").write_text("text")
    (tmp_path / "mixed" / "clean.urdf").write_text(CLEAN_MODEL)
    (tmp_path / "mixed" / "broken.urdf").write_text(BROKEN)


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["good/clean.urdf"], exit_codes.CLEAN),
        (["good"], exit_codes.CLEAN),
        (["check", "good"], exit_codes.CLEAN),
        (["bad/finding.urdf"], exit_codes.FINDINGS),
        (["good", "bad"], exit_codes.FINDINGS),
        (["bad", "--fail-on", "never"], exit_codes.CLEAN),
        (["bad", "--ignore", "IC301"], exit_codes.CLEAN),
        (["bad/plate.urdf"], exit_codes.CLEAN),
        (["bad/plate.urdf", "--fail-on", "note"], exit_codes.FINDINGS),
        (["bad/plate.urdf", "--fail-on", "warning"], exit_codes.CLEAN),
        (["bad/plate.urdf", "--strict"], exit_codes.FINDINGS),
        (["bad", "--tolerance", "0.9"], exit_codes.CLEAN),
        (["broken"], exit_codes.FINDINGS),
        (["broken/broken.urdf"], exit_codes.FAILURE),
        (["mixed"], exit_codes.FINDINGS),
        (["good", "broken/broken.urdf"], exit_codes.FAILURE),
        (["absent.urdf"], exit_codes.FAILURE),
        (["absent/*.urdf"], exit_codes.FAILURE),
        (["good/package.xml"], exit_codes.FAILURE),
        (["good/clean.urdf", "absent.urdf"], exit_codes.FAILURE),
        (["bad/finding.urdf", "absent.urdf"], exit_codes.FAILURE),
        (["absent.urdf", "--fail-on", "never"], exit_codes.FAILURE),
        (["none"], exit_codes.FAILURE),
        (["none", "--allow-empty"], exit_codes.CLEAN),
        (["none/*.urdf", "--allow-empty"], exit_codes.CLEAN),
        ([], exit_codes.FAILURE),
        (["check"], exit_codes.FAILURE),
        (["good", "--no-such-option"], exit_codes.FAILURE),
        (["good", "--fail-on", "sometimes"], exit_codes.FAILURE),
        (["good", "--tolerance", "much"], exit_codes.FAILURE),
        (["good", "--tolerance", "-1"], exit_codes.FAILURE),
        (["good", "--tolerance", "nan"], exit_codes.FAILURE),
        (["good", "--select", "IC999"], exit_codes.FAILURE),
        (["good", "--select", ""], exit_codes.FAILURE),
        (["good", "--select", "IC301", "--ignore", "IC301"], exit_codes.FAILURE),
        (["good", "--stdin-filename", "a.urdf"], exit_codes.FAILURE),
        (["good", "--output-file", "absent/report.txt"], exit_codes.FAILURE),
        (["good", "--output-file", "none"], exit_codes.FAILURE),
        (["good", "--show-files"], exit_codes.CLEAN),
        (["none", "--show-files"], exit_codes.FAILURE),
        (["none", "--show-files", "--allow-empty"], exit_codes.CLEAN),
        (["--help"], exit_codes.CLEAN),
        (["check", "--help"], exit_codes.CLEAN),
        (["--version"], exit_codes.CLEAN),
        (["rules"], exit_codes.CLEAN),
        (["explain", "IC301"], exit_codes.CLEAN),
        (["explain", "IC999"], exit_codes.FAILURE),
        (["explain"], exit_codes.FAILURE),
    ],
)
def test_exit_code(argv, code, capsys):
    assert main(argv) == code
    stderr = capsys.readouterr().err
    assert "Traceback" not in stderr
    if code == exit_codes.FAILURE:
        assert stderr
    if code == exit_codes.FAILURE and argv:
        assert all(line.startswith("inertial-check: ") for line in stderr.splitlines())


def test_the_numbers_are_those_of_the_contract():
    assert (exit_codes.CLEAN, exit_codes.FINDINGS, exit_codes.FAILURE) == (0, 1, 2)


def test_the_process_leaves_with_the_code():
    for argv, code in ((["good"], 0), (["bad"], 1), (["absent"], 2)):
        assert (
            subprocess.run([*PROGRAM, *argv], capture_output=True, check=False).returncode == code
        )


def test_a_failure_still_gives_the_payload(capsys):
    assert main(["bad/finding.urdf", "absent.urdf"]) == exit_codes.FAILURE
    out, err = capsys.readouterr()
    assert "IC301" in out
    assert err == "inertial-check: error: absent.urdf: No such file or directory\n"


@on_posix
def test_interrupted():
    """Opening the pipe waits until the check has it open: it is then inside its job."""
    os.mkfifo("pipe.urdf")
    process = subprocess.Popen([*PROGRAM, "pipe.urdf"], stdout=-1, stderr=-1)
    with process, open("pipe.urdf", "wb"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (exit_codes.INTERRUPTED, b"", b"")


@on_posix
@pytest.mark.parametrize(
    ("argv", "code"), [(["bad"], 1), (["good"], 0), (["rules"], 0), (["--help"], 0), (["-h"], 0)]
)
def test_a_reader_that_has_gone_changes_nothing(argv, code):
    """`inertial-check bad | head` under pipefail still says that there are findings."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as stdout:
        done = subprocess.run([*PROGRAM, *argv], stdout=stdout, stderr=-1, check=False)
    assert (done.returncode, done.stderr) == (code, b"")


def test_a_broken_pipe_before_the_result_is_known(monkeypatch):
    def run(args):
        raise BrokenPipeError

    monkeypatch.setattr(check, "run", run)
    assert main(["good"]) == exit_codes.BROKEN_PIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk():
    with open("/dev/full", "wb") as stdout:
        done = subprocess.run([*PROGRAM, "good"], stdout=stdout, stderr=-1, check=False)
    assert done.returncode == exit_codes.FAILURE
    assert done.stderr == (
        b"inertial-check: error: cannot write standard output: No space left on device\n"
    )


@on_posix
def test_closed_streams():
    command = " ".join(f"'{word}'" for word in [*PROGRAM, "bad"])
    assert subprocess.run(["sh", "-c", f"{command} >&-"], stderr=-1, check=False).returncode == 2
    assert subprocess.run(["sh", "-c", f"{command} 2>&-"], stdout=-1, check=False).returncode == 1
    assert subprocess.run(["sh", "-c", f"{command} <&-"], stdout=-1, check=False).returncode == 1


@pytest.mark.parametrize("flags", [[], ["-v"]])
def test_our_own_mistake_is_one_line_unless_asked_for_more(flags, monkeypatch, capsys):
    def run(args):
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(check, "run", run)
    assert main(["good", *flags]) == exit_codes.FAILURE
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith(
        r"inertial-check: error: internal error, RuntimeError: first\nsecond"
    )
    assert "report" in lines[-1]
    assert (len(lines) > 1) == bool(flags)


def test_a_report_never_overwrites_a_model(capsys):
    for target in ("bad/finding.urdf", "./bad/../bad/finding.urdf"):
        assert main(["bad", "--output-file", target]) == exit_codes.FAILURE
        assert "is one of the files to check" in capsys.readouterr().err
    with open("bad/finding.urdf", encoding="utf-8") as stream:
        assert stream.read() == FINDING
