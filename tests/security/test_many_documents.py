"""Thousands of documents with ten bad ones among them: the same bytes, wherever they are checked.

With --long there are 10,000 documents; otherwise 150.
"""

import functools
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from waiting import GUARD, wait_until

INJECTED = Path(__file__).parent / "injected"

BAD = (
    "value", "overflow", "memory", "recursion", "exit",
    "panic", "unspeakable", "judge", "rule", "geometry",
)  # fmt: skip

COMMAND = (
    *(sys.executable, "-m", "inertial_check", "check", ".", "--isolated", "--no-cache"),
    *("--output-format", "json"),
)

LINK = (
    '<link name="part"><inertial><mass value="{mass}"/><inertia ixx="{ixx}" ixy="0" ixz="0" '
    'iyy="0.0200" iyz="0" izz="0.0300"/></inertial></link>'
)


@pytest.fixture(scope="module")
def count(amount):
    return amount(150, 10_000)


@pytest.fixture(scope="module")
def models(tmp_path_factory, count):
    """A folder of generated models: every second one breaks the triangle inequality."""
    models = tmp_path_factory.mktemp("models")
    for number in range(count):
        folder = models / f"part-{number // 100:03}"
        folder.mkdir(exist_ok=True)
        text = LINK.format(mass=1 + number / 7, ixx=("0.0200", "0.1000")[number % 2])
        (folder / f"{number:05}.urdf").write_text(f'<robot name="r{number}">{text}</robot>')
    for fault, number in zip(BAD, range(0, count, count // len(BAD)), strict=False):
        text = LINK.format(mass=1, ixx="0.1000")
        path = models / f"part-{number // 100:03}" / f"bad-{fault}.urdf"
        path.write_text(f'<robot name="bad">{text}</robot>')
    return models


@pytest.fixture(scope="module")
def environment(project_root):
    path = os.pathsep.join((str(INJECTED), str(project_root)))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def check(models, environment):
    """check(number of processes) -> the report, made once for each number."""

    @functools.cache
    def check(jobs):
        command = [*COMMAND, "--jobs", jobs]
        given = {"cwd": models, "env": environment, "timeout": 20 * GUARD}
        done = subprocess.run(command, capture_output=True, check=False, **given)
        assert b"Traceback" not in done.stderr
        assert done.returncode == 1
        return done.stdout

    return check


def findings(report):
    return {
        Path(file["path"]).name: [each["code"] for each in file["findings"]]
        for file in json.loads(report)["files"]
    }


def test_the_findings_of_every_good_document_are_there(check, count):
    report = check("1")
    found = findings(report)
    for fault in BAD:
        assert found.pop(f"bad-{fault}.urdf")[0] == "IC001"
    assert len(found) == count
    for name, codes in found.items():
        broken = int(name[:5]) % 2
        assert ("IC301" in codes) == broken, name
        assert "IC001" not in codes
    assert check("2") == report


@pytest.mark.cluster
@pytest.mark.skipif(sys.platform == "win32", reason="workers are killed by a signal")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cluster_that_loses_workers_says_the_same(
    check, models, environment, monkeypatch, tmp_path_factory
):
    distributed = pytest.importorskip("distributed", reason='pip install "dask[distributed]"')
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    monkeypatch.chdir(models)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        journal = tmp_path_factory.mktemp("run") / "run.jsonl"
        command = [*COMMAND, "--resume", str(journal), "--cluster", cluster.scheduler_address]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        ) as run:
            assert _kill_workers(cluster, journal, run)
            report, errors = run.communicate(timeout=20 * GUARD)
        assert b"Traceback" not in errors
        assert run.returncode == 1
        assert report == check("1")


def _kill_workers(cluster, journal, run):
    """Kill a worker after the first results, and one after further ones; returns how many."""
    seen = killed = 0
    for _ in range(2):
        wait_until(lambda seen=seen: run.poll() is not None or _lines(journal) > seen)
        seen = _lines(journal)
        killed += wait_until(lambda: run.poll() is not None or _kill_one(cluster)) is _KILLED
    return killed


_KILLED = "killed"


def _kill_one(cluster):
    """Kill the first worker that runs; the process of one that is being replaced may be gone."""
    for pid in [each.pid for each in cluster.workers.values() if each.pid]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return _KILLED
    return None


def _lines(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0
