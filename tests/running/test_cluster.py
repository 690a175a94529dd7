"""A Dask cluster gives the report of this machine alone, whatever becomes of its workers."""

import os
import shutil
import signal
import threading
from dataclasses import replace

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError
from inertial_check.reports import View, render
from inertial_check.running import pools
from inertial_check.running import workers as workers_module
from inertial_check.running.cache import Fingerprints, program_digest
from inertial_check.running.results import store
from inertial_check.running.results.reading import list_folders, list_parts
from inertial_check.running.results.stream import check_to_folder
from inertial_check.running.run import CheckRequest, check_paths
from waiting import wait_until

pytestmark = [
    pytest.mark.cluster,
    # Dask leaves sockets and event loops to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


@pytest.fixture(scope="module")
def workers():
    program_digest.cache_clear()  # so that both see the same files of this package
    distributed = pytest.importorskip("distributed", reason='pip install "dask[distributed]"')
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as running:
        yield running


@pytest.fixture
def models(tmp_path, data_dir, monkeypatch):
    for name in ("valid", "defects", "mjcf", "xacro"):
        shutil.copytree(data_dir / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rendered(report):
    return render(report, "json", View(exit_code=0))


def test_the_report_is_that_of_this_machine(models, workers):
    here = check_paths(CheckRequest(["."], settings_of))
    there = check_paths(CheckRequest(["."], settings_of, cluster=workers.scheduler_address))
    assert rendered(there) == rendered(here)
    assert there.notes == here.notes


def test_a_worker_that_is_killed_in_the_middle_costs_no_file(models, workers, monkeypatch):
    monkeypatch.setattr(workers_module, "_TASK_DOCUMENTS", 2)
    for copy in range(10):
        shutil.copytree("valid", f"more/{copy}")
    here = check_paths(CheckRequest(["."], settings_of))
    done = []

    def kill_one(part, _):
        done.append(part)
        if len(done) == 5:
            pids = [worker.pid for worker in workers.workers.values()]
            os.kill(pids[0], signal.SIGKILL)

    request = CheckRequest(
        ["."], settings_of, cluster=workers.scheduler_address, resume="run.jsonl", progress=kill_one
    )
    there = check_paths(request)
    assert len(done) > 100
    assert rendered(there) == rendered(here)
    asked = []
    request = replace(
        request, cluster="tcp://127.0.0.1:1", progress=lambda part, _: asked.append(part)
    )
    assert rendered(check_paths(request)) == rendered(here)
    assert asked == [1.0]  # nothing was left to do, and no cluster was asked


def test_a_document_that_workers_see_otherwise_is_checked_here(models, workers, monkeypatch):
    here = check_paths(CheckRequest(["valid"], settings_of))
    of = Fingerprints.of
    monkeypatch.setattr(
        Fingerprints, "of", lambda self, path: of(self, path) + "x" * ("rod" in path)
    )
    submit, undone = pools.LocalPool.submit, []

    def watched(self, work):
        undone.extend(document.path for document in work.documents)
        return submit(self, work)

    monkeypatch.setattr(pools.LocalPool, "submit", watched)
    remarks = []
    there = check_paths(
        CheckRequest(
            ["valid"], settings_of, cluster=workers.scheduler_address, remark=remarks.append
        )
    )
    assert sorted(undone) == ["valid/rod-rotated.urdf", "valid/rod.urdf"]
    assert rendered(there) == rendered(here)
    (note,) = remarks
    assert note.startswith("2 of 11 files were checked on this machine")


def rows_in(folder):
    """The rows of a folder of results, in the order of their files and bodies."""
    return [
        line
        for upstream in list_folders(folder)
        for part in list_parts(upstream)
        for line in part.read().splitlines()
    ]


def test_a_folder_of_results_is_that_of_this_machine(models, workers, monkeypatch):
    """Also if a worker is killed in the middle; no more batches are under way than allowed."""
    monkeypatch.setattr(pools, "DOCUMENTS", 2)
    monkeypatch.setattr(pools, "_LEAST_WINDOW", 4)
    monkeypatch.setattr(pools, "_BATCHES_OF_THREAD", 2)
    check_to_folder(CheckRequest(["."], settings_of, jobs=2), "here", "jsonl")
    sent, most = [], []
    submit, finish = pools.ClusterPool.submit, pools.ClusterPool._finish

    def counted_submit(self, batch):
        sent.append(batch)
        most.append(len(sent))
        return submit(self, batch)

    def counted_finish(self, batch, future):
        if batch is next(batch for batch in sent):
            sent.pop(0)
        return finish(self, batch, future)

    monkeypatch.setattr(pools.ClusterPool, "submit", counted_submit)
    monkeypatch.setattr(pools.ClusterPool, "_finish", counted_finish)
    done = []

    def kill_one(part, name):
        done.append(name)
        if len(done) == 3:
            os.kill(next(iter(workers.workers.values())).pid, signal.SIGKILL)

    request = CheckRequest(["."], settings_of, cluster=workers.scheduler_address, progress=kill_one)
    outcome = check_to_folder(request, "there", "jsonl")
    assert rows_in("there") == rows_in("here")
    assert outcome.checked > 40
    assert outcome.received > outcome.sent / 100
    assert max(most) <= 4
    assert any(f"by 2 workers of {workers.scheduler_address}; " in name for name in done)


def test_a_scheduler_that_dies_ends_the_run_and_the_next_goes_on(models, monkeypatch):
    distributed = pytest.importorskip("distributed", reason='pip install "dask[distributed]"')
    monkeypatch.setattr(pools, "DOCUMENTS", 2)
    monkeypatch.setattr(store, "_FILES_OF_PART", 2)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as lost:
        done = []

        def close(part, name):
            done.append(name)
            if len(done) == 2:
                lost.close()

        request = CheckRequest(["."], settings_of, cluster=lost.scheduler_address, progress=close)
        with pytest.raises(UsageError, match="the scheduler is gone; the same command goes on"):
            check_to_folder(request, "out", "jsonl")
    kept = len(rows_in("out"))
    assert kept > 0
    outcome = check_to_folder(replace(request, cluster=None), "out", "jsonl")
    assert outcome.kept >= 2
    check_to_folder(replace(request, cluster=None), "fresh", "jsonl")
    assert sorted(rows_in("out")) == sorted(rows_in("fresh"))


def test_an_address_without_a_scheduler_is_told(models, monkeypatch):
    pytest.importorskip("distributed", reason='pip install "dask[distributed]"')
    monkeypatch.setattr(pools, "_CONNECTION_TIMEOUT", 0.5)
    with pytest.raises(UsageError, match=r"--cluster tcp://127\.0\.0\.1:1: no scheduler answers"):
        check_paths(CheckRequest(["valid"], settings_of, cluster="tcp://127.0.0.1:1"))
    with pytest.raises(UsageError, match="--cluster nonsense://x: "):
        check_paths(CheckRequest(["valid"], settings_of, cluster="nonsense://x"))


def test_no_thread_or_process_is_left(models, workers):
    before = threading.active_count()
    check_paths(CheckRequest(["valid"], settings_of, cluster=workers.scheduler_address))
    wait_until(lambda: threading.active_count() <= before + 2)
