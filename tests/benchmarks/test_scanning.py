"""benchmarks/million.py goes on where it was interrupted, and reads speeds and slopes rightly."""

import json
import zipfile

import pytest
from scanning.models import generate
from scanning.page import measure_work, write_tables
from scanning.scans import Attempt, Job, Loss, Scan, read_attempts


def test_archives_that_are_complete_are_kept(tmp_path):
    first = generate(70, 20, tmp_path)
    assert (first.made, len(first.paths)) == (4, 4)
    before = first.paths[3].read_bytes()
    first.paths[1].write_bytes(first.paths[1].read_bytes()[:-1])
    first.paths[2].unlink()
    (tmp_path / "shard-000009.zip").write_bytes(b"")
    again = generate(70, 20, tmp_path)
    assert again.made == 2
    assert again.planted == first.planted
    assert again.paths[3].read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 4
    with zipfile.ZipFile(again.paths[3]) as archive:
        assert len(archive.namelist()) == 10
    assert generate(70, 30, tmp_path).made == 3  # other archives of the same models


@pytest.fixture
def job(tmp_path):
    paths = [tmp_path / f"{number}.zip" for number in range(20)]
    return Job("two", paths, 10, tmp_path, "parquet", "digest", (Loss("client", 0.5),))


def test_speed_and_slope_of_a_scan_that_was_taken_up(job):
    """10 archives in 10 s, then 10 in 20 s after a start of 5 s; 3 bytes a model."""
    first = Attempt([(float(at), at, 1000) for at in range(11)], lost=[("client", 10)])
    later = [(5.0 + 2 * at, 10 + at, 7000 + 30 * at) for at in range(11)]
    scan = Scan(job, [first, Attempt([(1.0, 10, 9000), *later], code=0)])
    assert scan.seconds == 35
    assert scan.lost == [("client", 10)]
    assert scan.rates()[:5] == pytest.approx([10] * 5)
    assert scan.rates()[6:] == pytest.approx([5] * 4)
    assert scan.rates()[5] == pytest.approx(20 / 9)  # with the start of the second client
    assert scan.slope() == pytest.approx(3)


def test_what_was_seen_of_a_scan_is_read_back(job):
    job.out.mkdir()
    lines = [job.header, {"begin": 0}, {"looks": [[0.5, 0, 9]], "peak": {"client": 9}}]
    lines += [{"lost": [["client", 10]]}, {"code": -9, "told": "x"}, {"begin": 0}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    job.watched.write_text(text + '{"looks": [[1.0, 10')
    first, second = read_attempts(job)
    assert first == Attempt([(0.5, 0, 9)], {}, {"client": 9}, [("client", 10)], "x", -9)
    assert second == Attempt()
    assert read_attempts(job._replace(digest="other models")) is None
    assert read_attempts(job._replace(name="other")) is None


def test_the_tables_of_a_scan_leave_out_the_start_of_each_client(job):
    """A client takes 2 s to start and 0.1 s an archive of 10 models; workers take 1 s for it."""
    told = "inertial-check: note: 0.2 MB sent to the workers of the cluster, 5.6 MB received\n"
    times = {"client": 2.1, "worker": 1.0, "scheduler": 0.01}
    start = Attempt([(3.0, 1, 9000)], times, code=0)
    alone = Scan(job._replace(paths=job.paths[:1]), [start])
    lost = Attempt([(5.0, 10, 9000)], {"client": 3.0, "worker": 10.0, "scheduler": 0.1})
    last = Attempt([(5.0, 20, 9000)], lost.processor, {"client": 7_000_000}, told=told, code=0)
    scan = Scan(job, [lost, last])
    work = measure_work(scan, alone)
    # The archive that `alone` has checked is left out with each of the two clients.
    assert work == pytest.approx(((6.0 - 4.2) / 180, 0.001, 0.1))
    assert work.rate(1) == pytest.approx(1 / 0.11)
    assert work.rate(1000) == pytest.approx(1 / 0.0101)
    assert work.half == pytest.approx(10)
    assert work._replace(scheduler=0.5).rate(1000) == 2  # then the scheduler is the limit
    text = write_tables({"two workers": (scan, 20.0)}, work)
    assert "| models a second | 20 |\n" in text
    assert "| processor time of the client a model | 30,000 µs |\n" in text
    assert "| largest client, scheduler, worker | 7, 0, 0 MB |\n" in text
    assert "| sent to the workers, received from them | 0.2, 5.6 MB |\n" in text
    assert "| 1,024 | 99 | 168 min | 99.0 % |\n" in text
