"""Killed at any moment, a process leaves every file whole: the old one or the new one."""

import random
import shutil
import subprocess
import sys
import time

import pytest

WRITER = """
import sys
from inertial_check.documents.files.writing import replace_file
path, old, new = sys.argv[1], b"old " * 100_000, b"new!" * 150_000
print("ready", flush=True)
while True:
    replace_file(path, new, old)
    replace_file(path, old, new)
"""


@pytest.fixture
def turns(request):
    return 60 if request.config.getoption("--long") else 6


def test_a_file_that_is_replaced_is_the_old_or_the_new_one(tmp_path, turns):
    path = tmp_path / "model.urdf"
    old, new = b"old " * 100_000, b"new!" * 150_000
    waits = random.Random(0)
    seen = set()
    for _ in range(turns):
        path.write_bytes(old)
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline() == b"ready\n"
            time.sleep(waits.uniform(0, 0.1))
            writer.kill()
        assert path.read_bytes() in (old, new)
        seen.add(path.read_bytes())
    assert turns < 60 or seen == {old, new}


def test_fix_leaves_every_model_as_it_was_or_fixed(tmp_path, data_dir, turns):
    broken = (data_dir / "defects" / "ic305-rounding.urdf").read_bytes()
    models = [tmp_path / f"{number:02}.urdf" for number in range(30)]

    def command(*paths):
        return [sys.executable, "-m", "inertial_check", "fix", "--write", "-q", *map(str, paths)]

    alone = tmp_path / "alone.urdf"
    alone.write_bytes(broken)
    subprocess.run(command(alone), check=False)
    fixed = alone.read_bytes()
    assert fixed != broken
    moments = random.Random(1)
    half = 0
    for _ in range(turns):
        for model in models:
            model.write_bytes(broken)
        last = moments.choice(models[:15])  # the process is killed once this one is written
        with subprocess.Popen(command(*models)) as fix:
            while last.read_bytes() == broken and fix.poll() is None:
                time.sleep(0.001)
            fix.kill()
        found = [model.read_bytes() for model in models]
        assert set(found) <= {broken, fixed}
        half += len(set(found)) == 2
    assert half > 0  # otherwise nothing was interrupted

    left = list(tmp_path.glob(".*.tmp"))
    listed = subprocess.run(
        [sys.executable, "-m", "inertial_check", "check", str(tmp_path), "--show-files"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".tmp" not in listed.stdout, left
    shutil.rmtree(tmp_path)
