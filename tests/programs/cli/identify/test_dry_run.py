"""`inertial-check identify --dry-run`: the diff, the exit code, and nothing on the disk."""

import json
import os
import shutil
import subprocess

import pytest

import recorded


@pytest.fixture
def identify(run, tmp_path, monkeypatch):
    """identify(*options) -> exit code, stdout, stderr, in a folder with robot and recording."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recorded.ROBOT, tmp_path / "arm.urdf")
    recorded.written(tmp_path, recorded.with_friction(seed=1, noise=1.0))
    return lambda *options: run("identify", "r.npz", "--model", "arm.urdf", *options)


def snapshot(folder):
    return {
        path.relative_to(folder): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("way", "form"),
    [
        (("--write",), "json"),
        (("-o", "out.urdf"), "json"),
        ((), "text"),
        (("--write",), "markdown"),
        (("-o", "out.urdf"), "latex"),
    ],
)
def test_the_diff_is_that_of_the_run_and_nothing_is_written(identify, tmp_path, way, form):
    before = snapshot(tmp_path)
    others = ("--output-file", "report.txt", "--plot", "torques.pdf")
    code, out, err = identify(*way, "--dry-run", "--output-format", form, *others)
    assert code == 0
    assert snapshot(tmp_path) == before
    assert "not written: report.txt, torques.pdf" in err
    diff = json.loads(out)["written"]["diff"] if form == "json" else out
    lines = [line.removeprefix("% ") for line in diff.splitlines()]
    assert any(line.startswith("+++ b/arm.urdf") for line in lines)
    if form == "json":
        subprocess.run(["git", "apply"], input=diff, text=True, check=True)
        applied = (tmp_path / "arm.urdf").read_bytes()
        (tmp_path / "arm.urdf").write_bytes(recorded.ROBOT.read_bytes())
        assert identify("-o", "out.urdf")[0] == 0
        assert (tmp_path / "out.urdf").read_bytes() == applied


@pytest.mark.parametrize(
    ("options", "break_it", "code"),
    [
        (("-o", "nowhere/out.urdf"), lambda: None, 2),
        (("--write",), lambda: os.chmod("arm.urdf", 0o444), 2),
        (("--write", "--fail-on", "note"), lambda: None, 1),
    ],
)
def test_the_exit_code_is_that_of_the_run(identify, tmp_path, options, break_it, code):
    """A dry run that promises what the run refuses is worth nothing."""
    break_it()
    before = snapshot(tmp_path)
    dry = identify(*options, "--dry-run")
    assert (dry[0], snapshot(tmp_path)) == (code, before)
    assert "+++ b/arm.urdf" not in dry[1]
    assert identify(*options)[0] == code
    assert snapshot(tmp_path) == before
