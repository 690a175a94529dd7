"""One number, one meaning; and never a traceback unless asked."""

import os
import signal
import subprocess
import sys

import pytest

from inertial_check.programs.cli import check, output
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
        (["good/clean.urdf"], output.CLEAN),
        (["good"], output.CLEAN),
        (["check", "good"], output.CLEAN),
        (["bad/finding.urdf"], output.FINDINGS),
        (["good", "bad"], output.FINDINGS),
        (["bad", "--fail-on", "never"], output.CLEAN),
        (["bad", "--ignore", "IC301"], output.CLEAN),
        (["bad/plate.urdf"], output.CLEAN),
        (["bad/plate.urdf", "--fail-on", "note"], output.FINDINGS),
        (["bad/plate.urdf", "--fail-on", "warning"], output.CLEAN),
        (["bad/plate.urdf", "--strict"], output.FINDINGS),
        (["bad", "--tolerance", "0.9"], output.CLEAN),
        (["broken"], output.FINDINGS),
        (["broken/broken.urdf"], output.FAILURE),
        (["mixed"], output.FINDINGS),
        (["good", "broken/broken.urdf"], output.FAILURE),
        (["absent.urdf"], output.FAILURE),
        (["absent/*.urdf"], output.FAILURE),
        (["good/package.xml"], output.FAILURE),
        (["good/clean.urdf", "absent.urdf"], output.FAILURE),
        (["bad/finding.urdf", "absent.urdf"], output.FAILURE),
        (["absent.urdf", "--fail-on", "never"], output.FAILURE),
        (["none"], output.FAILURE),
        (["none", "--allow-empty"], output.CLEAN),
        (["none/*.urdf", "--allow-empty"], output.CLEAN),
        ([], output.FAILURE),
        (["check"], output.FAILURE),
        (["good", "--no-such-option"], output.FAILURE),
        (["good", "--fail-on", "sometimes"], output.FAILURE),
        (["good", "--tolerance", "much"], output.FAILURE),
        (["good", "--tolerance", "-1"], output.FAILURE),
        (["good", "--tolerance", "nan"], output.FAILURE),
        (["good", "--select", "IC999"], output.FAILURE),
        (["good", "--select", ""], output.FAILURE),
        (["good", "--select", "IC301", "--ignore", "IC301"], output.FAILURE),
        (["good", "--stdin-filename", "a.urdf"], output.FAILURE),
        (["good", "--output-file", "absent/report.txt"], output.FAILURE),
        (["good", "--output-file", "none"], output.FAILURE),
        (["good", "--show-files"], output.CLEAN),
        (["none", "--show-files"], output.FAILURE),
        (["none", "--show-files", "--allow-empty"], output.CLEAN),
        (["good", "--preset", "strikt"], output.FAILURE),
        (["bad/plate.urdf", "--preset", "strict"], output.FINDINGS),
        (["bad/plate.urdf", "--preset", "strict", "--fail-on", "never"], output.CLEAN),
        (["ignoring"], output.CLEAN),
        (["ignoring", "--isolated"], output.FINDINGS),
        (["bad", "--config", "ignoring/inertial-check.toml"], output.CLEAN),
        (["bad", "--config", "absent.toml"], output.FAILURE),
        (["bad", "--config", "ignoring"], output.FAILURE),
        (["bad", "--config", "ignoring/inertial-check.toml", "--isolated"], output.FAILURE),
        (["unlike"], output.FAILURE),
        (["unlike", "--isolated"], output.FINDINGS),
        (["unknown"], output.FAILURE),
        (["no-toml"], output.FAILURE),
        (["unknown", "--show-settings"], output.FAILURE),
        (["bad", "--show-settings"], output.CLEAN),
        (["excluding"], output.FAILURE),
        (["excluding", "--allow-empty"], output.CLEAN),
        (["excluding/finding.urdf"], output.FINDINGS),
        (["bad", "--exclude", "finding.urdf"], output.CLEAN),
        (["bad", "--exclude", "["], output.FAILURE),
        (["nested"], output.FINDINGS),
        (["bad", "--baseline", "known.json"], output.CLEAN),
        (["bad", "--baseline", "absent.json"], output.FAILURE),
        (["bad", "--baseline", "malformed.json"], output.FAILURE),
        (["bad", "--baseline", "good"], output.FAILURE),
        (["bad", "--write-baseline", "new.json"], output.CLEAN),
        (["bad", "--write-baseline", "known.json", "--fail-on", "note"], output.CLEAN),
        (["bad", "--write-baseline", "malformed.json"], output.FAILURE),
        (["bad", "--write-baseline", "absent/new.json"], output.FAILURE),
        (["bad", "absent.urdf", "--write-baseline", "new.json"], output.FAILURE),
        (["bad", "--prune-baseline"], output.FAILURE),
        (["bad", "--prune-baseline", "--baseline", "known.json"], output.CLEAN),
        (
            ["bad", "--prune-baseline", "--write-baseline", "n.json", "--baseline", "known.json"],
            output.FAILURE,
        ),
        (["--help"], output.CLEAN),
        (["check", "--help"], output.CLEAN),
        (["--version"], output.CLEAN),
        (["rules"], output.CLEAN),
        (["explain", "IC301"], output.CLEAN),
        (["explain", "IC999"], output.FAILURE),
        (["explain"], output.FAILURE),
    ],
)
def test_exit_code(argv, code, capsys):
    assert main(argv) == code
    stderr = capsys.readouterr().err
    assert "Traceback" not in stderr
    if code == output.FAILURE:
        assert stderr
    if code == output.FAILURE and argv:
        assert all(line.startswith("inertial-check: ") for line in stderr.splitlines())


def test_the_numbers_are_those_of_the_contract():
    assert (output.CLEAN, output.FINDINGS, output.FAILURE) == (0, 1, 2)


def test_a_suppressed_error_does_not_fail(tmp_path, capsys):
    (tmp_path / "good" / "suppressed.urdf").write_text(SUPPRESSED)
    assert main(["good"]) == output.CLEAN
    assert "1 suppressed" in capsys.readouterr().out


def test_a_baseline_is_not_written_where_something_failed(tmp_path, capsys):
    assert main(["bad", "absent.urdf", "--write-baseline", "new.json"]) == output.FAILURE
    assert not (tmp_path / "new.json").exists()
    assert "new.json is not written" in capsys.readouterr().err


def test_the_payload_comes_also_where_the_baseline_cannot_be_written(capsys):
    assert main(["bad", "--write-baseline", "absent/new.json"]) == output.FAILURE
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
    assert (process.returncode, out, err) == (output.INTERRUPTED, b"", b"")


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
    assert main(["good"]) == output.BROKEN_PIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk():
    with open("/dev/full", "wb") as stdout:
        done = subprocess.run([*PROGRAM, "good"], stdout=stdout, stderr=-1, check=False)
    assert done.returncode == output.FAILURE
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
    assert main(["good", *flags]) == output.FAILURE
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("inertial-check: error: internal error, RuntimeError: first second")
    assert "report" in lines[-1]
    assert (len(lines) > 1) == bool(flags)


def test_a_report_never_overwrites_a_model(capsys):
    for target in ("bad/finding.urdf", "./bad/../bad/finding.urdf"):
        assert main(["bad", "--output-file", target]) == output.FAILURE
        assert "is one of the files to check" in capsys.readouterr().err
    with open("bad/finding.urdf", encoding="utf-8") as stream:
        assert stream.read() == FINDING
