"""One number, one meaning; and never a traceback unless asked."""

import os
import signal
import subprocess
import sys

import pytest

from inertial_check.programs.cli import check, exit_codes
from inertial_check.programs.cli.main import main
from waiting import GUARD

PROGRAM = [sys.executable, "-m", "inertial_check"]
CLEAN_MODEL = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link></robot>"""
FINDING = CLEAN_MODEL.replace('izz="0.1"', 'izz="0.4"')
PLATE = CLEAN_MODEL.replace('izz="0.1"', 'izz="0.2"')
BROKEN = "<robot><link></robot>"
SUPPRESSED = FINDING.replace('"a">', '"a"><!-- inertial-check: ignore[IC301] x -->')
CONFIGURED = {
    "ignoring": "[per-file-ignores]\n'*.urdf' = ['IC301']",
    "unlike": "tolerance = 'much'",
    "unknown": "tolerence = 1",
    "no-toml": "tolerance = = 1",
    "excluding": "exclude = ['*.urdf']",
    "nested": "fail-on = 'never'",
}
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
    for folder, text in CONFIGURED.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "finding.urdf").write_text(FINDING)
        (tmp_path / folder / "inertial-check.toml").write_text(text)
    (tmp_path / "malformed.json").write_text('{"entries": [\n}')
    (tmp_path / "known.json").write_text(
        '{"schema_version": "1", "entries": [{"file": "bad/finding.urdf", "body": "a",\n'
        '"code": "IC301", "findings": 1, "margin": -0.5}]}'
    )


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
        (["good", "--preset", "strikt"], exit_codes.FAILURE),
        (["bad/plate.urdf", "--preset", "strict"], exit_codes.FINDINGS),
        (["bad/plate.urdf", "--preset", "strict", "--fail-on", "never"], exit_codes.CLEAN),
        (["ignoring"], exit_codes.CLEAN),
        (["ignoring", "--isolated"], exit_codes.FINDINGS),
        (["bad", "--config", "ignoring/inertial-check.toml"], exit_codes.CLEAN),
        (["bad", "--config", "absent.toml"], exit_codes.FAILURE),
        (["bad", "--config", "ignoring"], exit_codes.FAILURE),
        (["bad", "--config", "ignoring/inertial-check.toml", "--isolated"], exit_codes.FAILURE),
        (["unlike"], exit_codes.FAILURE),
        (["unlike", "--isolated"], exit_codes.FINDINGS),
        (["unknown"], exit_codes.FAILURE),
        (["no-toml"], exit_codes.FAILURE),
        (["unknown", "--show-settings"], exit_codes.FAILURE),
        (["bad", "--show-settings"], exit_codes.CLEAN),
        (["excluding"], exit_codes.FAILURE),
        (["excluding", "--allow-empty"], exit_codes.CLEAN),
        (["excluding/finding.urdf"], exit_codes.FINDINGS),
        (["bad", "--exclude", "finding.urdf"], exit_codes.CLEAN),
        (["bad", "--exclude", "["], exit_codes.FAILURE),
        (["nested"], exit_codes.FINDINGS),
        (["bad", "--baseline", "known.json"], exit_codes.CLEAN),
        (["bad", "--baseline", "absent.json"], exit_codes.FAILURE),
        (["bad", "--baseline", "malformed.json"], exit_codes.FAILURE),
        (["bad", "--baseline", "good"], exit_codes.FAILURE),
        (["bad", "--write-baseline", "new.json"], exit_codes.CLEAN),
        (["bad", "--write-baseline", "known.json", "--fail-on", "note"], exit_codes.CLEAN),
        (["bad", "--write-baseline", "malformed.json"], exit_codes.FAILURE),
        (["bad", "--write-baseline", "absent/new.json"], exit_codes.FAILURE),
        (["bad", "absent.urdf", "--write-baseline", "new.json"], exit_codes.FAILURE),
        (["bad", "--prune-baseline"], exit_codes.FAILURE),
        (["bad", "--prune-baseline", "--baseline", "known.json"], exit_codes.CLEAN),
        (
            ["bad", "--prune-baseline", "--write-baseline", "n.json", "--baseline", "known.json"],
            exit_codes.FAILURE,
        ),
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


def test_a_suppressed_error_does_not_fail(tmp_path, capsys):
    (tmp_path / "good" / "suppressed.urdf").write_text(SUPPRESSED)
    assert main(["good"]) == exit_codes.CLEAN
    assert "1 suppressed" in capsys.readouterr().out


def test_a_baseline_is_not_written_where_something_failed(tmp_path, capsys):
    assert main(["bad", "absent.urdf", "--write-baseline", "new.json"]) == exit_codes.FAILURE
    assert not (tmp_path / "new.json").exists()
    assert "new.json is not written" in capsys.readouterr().err


def test_the_payload_comes_also_where_the_baseline_cannot_be_written(capsys):
    assert main(["bad", "--write-baseline", "absent/new.json"]) == exit_codes.FAILURE
    out, err = capsys.readouterr()
    assert "IC301" in out
    assert "absent/new.json: cannot be written" in err


@on_posix
def test_interrupted():
    """Opening the pipe waits until the check has it open: it is then inside its job.

    A list of files may come through a pipe; a document may not.
    """
    os.mkfifo("paths")
    process = subprocess.Popen([*PROGRAM, "--files-from", "paths"], stdout=-1, stderr=-1)
    with process, open("paths", "wb"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=GUARD)
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
    assert lines[-1].startswith("inertial-check: error: internal error, RuntimeError: first second")
    assert "report" in lines[-1]
    assert (len(lines) > 1) == bool(flags)


def test_a_report_never_overwrites_a_model(capsys):
    for target in ("bad/finding.urdf", "./bad/../bad/finding.urdf"):
        assert main(["bad", "--output-file", target]) == exit_codes.FAILURE
        assert "is one of the files to check" in capsys.readouterr().err
    with open("bad/finding.urdf", encoding="utf-8") as stream:
        assert stream.read() == FINDING
