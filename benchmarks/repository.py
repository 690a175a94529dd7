"""How long a whole repository of models takes: cold, with a warm cache, by one process and by two.

    INERTIAL_CHECK_CORPUS=DIR python benchmarks/repository.py [--sample 60] [--simcheck PROGRAM]

Whole processes, from start to exit, on the wall, and the processor time of them and their children.
The contenders run one after the other in rounds, so that a busy machine slows all of them; a figure
is the least of the rounds, as what disturbs only ever adds. What other tools take is put into
proportion on the files that they read, which are URDF, xacro and MJCF:

* simcheck 0.2.0, `scan --static-only` with as many workers, on a random sample of these files. What
  it takes beyond its start is scaled from the sample to all of them. inertial-check checks all.
* MuJoCo, which loads each of these files that is no template, in one process, and takes them or
  refuses them: that is no check, but what every user of a model pays anyhow.

The report is that of one line a finding; `full` and `json` also have the probable causes of
findings, and what engines do.

The aims: all models cold in 5 s on two cores; processor time of one process at most twice what
loading the same files in MuJoCo takes, a thirtieth of simcheck's, and with JSON 1.15 times that of
the report of one line a finding.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

SECONDS_AIM, SIMCHECK_AIM, MUJOCO_AIM, JSON_AIM = 5.0, 30.0, 2.0, 1.15
CHECK = (sys.executable, "-m", "inertial_check", "check", "--output-format", "concise")
SIMCHECK_STARTS = "simcheck --version"
LOAD = """
import sys, mujoco
for path in open(sys.argv[1]).read().split("\\n"):
    try:
        mujoco.MjModel.from_xml_path(path)
    except Exception:
        pass
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default=os.environ.get("INERTIAL_CHECK_CORPUS"))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sample", type=int, default=60, help="files that simcheck is given")
    parser.add_argument("--simcheck", default=shutil.which("simcheck"), help="its program")
    args = parser.parse_args()
    if not args.corpus:
        parser.error("set INERTIAL_CHECK_CORPUS to a folder of models, or give --corpus")
    with tempfile.TemporaryDirectory() as folder:
        measure(args, Path(folder))


def measure(args: argparse.Namespace, folder: Path) -> None:
    files = listed(args.corpus)
    shared = [path for path in files if is_shared(path)]
    sample = random.Random(0).sample(shared, min(args.sample, len(shared)))
    plain = [path for path in shared if not path.endswith(".xacro")]
    lists = {"shared": shared, "sample": sample, "plain": plain}
    for name, paths in lists.items():
        (folder / name).write_text("\n".join(map(os.path.abspath, paths)))
    print(f"{len(files)} models, {len(shared)} of them URDF, xacro or MJCF; {cores()} cores")

    contenders: dict[str, Callable[[], list[str]]] = {}
    for jobs in ("1", "2"):
        cache = str(folder / f"cache-{jobs}")
        cold = [*CHECK, args.corpus, "--jobs", jobs]
        some = [*CHECK, "--files-from", str(folder / "shared"), "--jobs", jobs, "--no-cache"]
        contenders |= {
            f"all, cold, jobs {jobs}": lambda cold=cold: [*cold, "--no-cache"],
            f"all, cold, writing a cache, jobs {jobs}": lambda cold=cold, cache=cache: [
                *cold,
                "--cache",
                emptied(cache),
            ],
            f"all, warm, jobs {jobs}": lambda cold=cold, cache=cache: [*cold, "--cache", cache],
            f"URDF, xacro, MJCF, cold, jobs {jobs}": lambda some=some: some,
            f"all, cold, json, jobs {jobs}": lambda cold=cold: [
                *cold,
                "--no-cache",
                "--output-format",
                "json",
            ],
        }
        if args.simcheck:
            contenders[f"simcheck, sample of {len(sample)}, jobs {jobs}"] = lambda jobs=jobs: [
                args.simcheck,
                "scan",
                "--static-only",
                "--no-config",
                "-q",
                "-j",
                jobs,
                "--files-from",
                str(folder / "sample"),
                "-o",
                str(fresh(folder)),
            ]
    if args.simcheck:
        contenders[SIMCHECK_STARTS] = lambda: [args.simcheck, "--version"]
    contenders["all, cold, full, jobs 2"] = lambda: [
        *CHECK[:-1],
        "full",
        args.corpus,
        "--jobs",
        "2",
        "--no-cache",
    ]
    contenders["URDF, MJCF, cold, jobs 1"] = lambda: [
        *CHECK,
        "--files-from",
        str(folder / "plain"),
        "--jobs",
        "1",
        "--no-cache",
    ]
    contenders["MuJoCo loads URDF and MJCF"] = lambda: [
        sys.executable,
        "-c",
        LOAD,
        str(folder / "plain"),
    ]
    best = rounds(contenders, args.rounds)
    print(f"least of {args.rounds} rounds\n    wall  processor")
    for name, (wall, processor) in best.items():
        print(f"{wall:7.2f} s {processor:7.2f} s  {name}")
    compared(best, len(shared), len(sample), args.simcheck)


def compared(
    best: dict[str, tuple[float, float]], count: int, sampled: int, simcheck: str | None
) -> None:
    """Print ratios beside the aims."""
    cold = best["all, cold, jobs 2"][0]
    print(f"all cold on two cores: {cold:.2f} s, aim {SECONDS_AIM:g} s: {met(cold <= SECONDS_AIM)}")
    for jobs in ("1", "2") if simcheck else ():
        ours = best[f"URDF, xacro, MJCF, cold, jobs {jobs}"]
        theirs = best[f"simcheck, sample of {sampled}, jobs {jobs}"]
        start = best[SIMCHECK_STARTS]
        wall, processor = (
            one + (many - one) * count / sampled for one, many in zip(start, theirs, strict=True)
        )
        print(
            f"simcheck, scaled from {sampled} to {count} files, jobs {jobs}: {wall:.0f} s, "
            f"{wall / ours[0]:.0f} x on the wall"
        )
        at_least(f"simcheck's processor time, jobs {jobs}", processor / ours[1], SIMCHECK_AIM)
    if not simcheck:
        print("simcheck is not installed: pip install simcheck==0.2.0, or name it with --simcheck")
    one = best["all, cold, jobs 1"][1]
    at_most(
        "checking URDF and MJCF, processor time by that of loading them in MuJoCo",
        best["URDF, MJCF, cold, jobs 1"][1] / best["MuJoCo loads URDF and MJCF"][1],
        MUJOCO_AIM,
    )
    at_most("JSON by one line a finding", best["all, cold, json, jobs 1"][1] / one, JSON_AIM)
    print(f"a warm cache by none, processor time: {best['all, warm, jobs 1'][1] / one:.2f} x")


def at_most(name: str, ratio: float, aim: float) -> None:
    print(f"{name}: {ratio:.2f} x, aim at most {aim:g} x: {met(ratio <= aim)}")


def at_least(name: str, ratio: float, aim: float) -> None:
    print(f"{name}: {ratio:.0f} x, aim at least {aim:g} x: {met(ratio >= aim)}")


def met(holds: bool) -> str:
    return "met" if holds else "missed"


def rounds(
    contenders: dict[str, Callable[[], list[str]]], count: int
) -> dict[str, tuple[float, float]]:
    """The least seconds of each, on the wall and of the processor."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(count):
        for name, command in contenders.items():
            wall, processor = timed(command())
            least = best.get(name, (wall, processor))
            best[name] = min(least[0], wall), min(least[1], processor)
    return best


def timed(command: list[str]) -> tuple[float, float]:
    before, start = os.times(), perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall, after = perf_counter() - start, os.times()
    # 2: some of the files are named, and cannot be read.
    if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr:
        sys.exit(f"{' '.join(command)} left with {done.returncode}:\n{done.stderr[-2000:]}")
    spent = after.children_user + after.children_system
    return wall, spent - before.children_user - before.children_system


def listed(corpus: str) -> list[str]:
    shown = subprocess.run(
        [*CHECK, corpus, "--show-files"], capture_output=True, text=True, check=True
    )
    return shown.stdout.splitlines()


def is_shared(path: str) -> bool:
    """Whether simcheck and MuJoCo read files of this kind."""
    from inertial_check.documents.load import sniff

    return sniff(Path(path).read_bytes()) in ("urdf", "xacro", "mjcf")


def emptied(folder: str) -> str:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def fresh(folder: Path) -> Path:
    results = folder / "results.jsonl"
    results.unlink(missing_ok=True)
    return results


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


if __name__ == "__main__":
    main()
