"""Whether two checkouts give the same answers, byte for byte: the tool beside every refactoring.

    python benchmarks/same_answers.py OLD NEW [--long] [--only COMMAND[,COMMAND]]
    python benchmarks/same_answers.py OLD --save FOLDER      # keep the answers of OLD
    python benchmarks/same_answers.py FOLDER NEW             # compare NEW with kept answers

OLD and NEW are checkouts, or folders that --save has written. Each checkout runs in child
processes with its own package on PYTHONPATH: the reports of `check` in every format, the diffs,
reports and written bytes of `fix` and `fill`, `diff`, `project`, `identify` and the public
functions on seeded arrays; exit codes and standard error with each. The models are those of the
folders INERTIAL_CHECK_CORPUS, INERTIAL_CHECK_MESHES and INERTIAL_CHECK_DATASETS, and of data/
beside this script; folders that are not set are left out, which is said. The quick form takes 200
models chosen by the hash of their paths, --long all of them, with `fill` on 60.

Numbers that differ by at most 1e-12 relative, and rounding of zero at most 1e-15, are counted in
one line; every other difference is listed with its place, and the exit code is 1. The first models
of data/, and all other calls on it, are processes as a user starts them; the rest is forked from
a process that has imported the package. Paths of checkouts and temporary folders do not count.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

Answer = dict[str, str]
"""What one job said: `exit`, `stdout`, `stderr`, and the text of each file that it wrote."""

HERE = Path(__file__).resolve().parents[1]
COMMANDS = ("check", "fix", "fill", "diff", "project", "identify", "python")
RELATIVE = 1e-12
"""Numbers that differ by less count as equal, and are counted."""

ROUNDING = 1e-15
"""The same for numbers where one of both may be exactly 0."""

TIMEOUT = 300.0
"""[s] that one job may take; one that takes longer has the exit code `timeout`."""

QUICK = 200
"""Models that the quick form looks at; of the corpus with meshes, a fifth of them."""

FRESH = 15
"""Models of data/ that are checked by processes of their own."""

SUFFIXES = (".urdf", ".xacro", ".sdf", ".world", ".xml", ".usda", ".usd")
OUT = "{out}"
"""Stands in the arguments of a job for the folder that it may write into."""

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
FORMS = ("full", "concise", "sarif", "junit", "github", "gitlab", "markdown", "rdjson", "html")
FIXES = (
    (), ("--metric", "covariance", "--margin", "1e-3"), ("--method", "geometry", "--move-com"),
    ("--cause", "1"), ("--engine", "mujoco"), ("--output-format", "json", "--impact"),
)  # fmt: skip
"""Options of `fix` beside the plain form; the hash of a path chooses one of them."""

ARRAYS = """
import numpy as np
import inertial_check as ic
from inertial_check.inertia import sampling

for seed in range(3):
    wrong = sampling.inconsistent(seed, 500)
    sound = sampling.consistent(seed + 100, 500)
    judged = ic.check(np.concatenate([wrong.as_theta(), sound.as_theta()]))
    print(seed, "check", *judged.verdict_code.ravel(), *judged.margin.ravel())
    prior = sampling.consistent(seed + 200, 500, strata=["solid"]).as_theta()  # definite
    for metric in ("inertia", "covariance", "weighted", "prior", "euclidean", "entropic"):
        given = {"weights": np.ones(10)} if metric in ("weighted", "entropic") else {}
        if metric in ("prior", "entropic"):
            given["prior"] = prior
        rows = wrong.as_theta()
        for name, part in (("all", rows), ("one", rows[seed]), ("least", rows[:20])):
            more = {"mass_min": 1.0} if name == "least" else {}
            found = ic.project(part, metric, **given_of(given, name, seed), **more)
            print(seed, metric, name, *np.asarray(found.theta).ravel())
            print(seed, metric, name, *np.atleast_1d(np.asarray(found.status)).ravel())
"""
GIVEN = """
def given_of(given, name, seed):
    if "prior" not in given:
        return given
    rows = {"all": slice(None), "one": seed, "least": slice(20)}[name]
    return given | {"prior": given["prior"][rows]}
"""
"""Seeded batches and single bodies by the public functions; floats print all their digits."""

HEAVY = ("numpy", "scipy.optimize", "scipy.spatial", "scipy.linalg", "scipy.signal", "trimesh")
"""Libraries that the forking process imports beforehand."""

SERVER = """
import importlib, json, os, pkgutil, runpy, signal, sys, tempfile, time
import inertial_check
for name in sys.argv[1:]:
    try: importlib.import_module(name)
    except ImportError: pass
for found in pkgutil.walk_packages(inertial_check.__path__, "inertial_check."):
    if "__main__" not in found.name:
        try: importlib.import_module(found.name)
        except Exception: pass
for line in sys.stdin:
    arguments, folder, limit, files = json.loads(line)
    pid = os.fork()
    if pid == 0:
        for fd, name in zip((1, 2), files):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), fd)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.setpgid(0, 0)
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["inertial-check", *arguments]
        code = 0
        try:
            runpy.run_module("inertial_check", run_name="__main__", alter_sys=True)
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
        except BaseException:
            import traceback
            traceback.print_exc()
            code = 70
        for stream in (sys.stdout, sys.stderr):
            try: stream.flush()
            except Exception: code = 71
        os._exit(code)
    end = time.monotonic() + limit
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done: break
        if time.monotonic() > end:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            status = None
            break
        time.sleep(0.002)
    code = "timeout" if status is None else os.waitstatus_to_exitcode(status)
    print(json.dumps(str(code)), flush=True)
"""
"""Runs one job after the other, each in a fork of a process that has imported the package."""


class Job(NamedTuple):
    """One call of the program: its command and name, its arguments and the working folder."""

    command: str
    name: str
    arguments: list[str]
    folder: str
    fresh: bool = False
    """Whether it is a process of its own, as a user starts it."""


@dataclass
class Differences:
    """What differs between two sets of answers."""

    listed: list[str] = field(default_factory=list)
    rounding: Counter[str] = field(default_factory=Counter)
    largest: float = 0.0


def main() -> int:
    """Read the command line, run or read both sides, and print what differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("--long", action="store_true", help="all models, not 200")
    parser.add_argument("--only", default=",".join(COMMANDS), help=f"of {', '.join(COMMANDS)}")
    parser.add_argument("--match", default="", help="only jobs with this text in their names")
    parser.add_argument("--save", type=Path, help="keep the answers of OLD in this folder")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default: 2)")
    parser.add_argument("--most", type=int, default=200, help="differences printed (default: 200)")
    args = parser.parse_args()
    commands = args.only.split(",")
    if unknown := [name for name in commands if name not in COMMANDS]:
        parser.error(f"--only {unknown[0]}: not one of {', '.join(COMMANDS)}")
    if (args.new is None) == (args.save is None):
        parser.error("name two sides, or one and --save FOLDER")
    jobs = [
        job for job in list_jobs(args.long) if job.command in commands and args.match in job.name
    ]
    if args.save is not None:
        save(run_checkout(args.old, jobs, args.jobs), args.save)
        return 0
    old, new = (read_or_run(side, jobs, args.jobs) for side in (args.old, args.new))
    both = [job.name for job in jobs if job.name in old and job.name in new]
    for side, answers in ((args.old, old), (args.new, new)):
        if missing := sum(job.name not in answers for job in jobs):
            print(f"{side} has no answers of {missing} of {len(jobs)} jobs; they are left out")
    found = Differences()
    for name in both:
        compare(name, old[name], new[name], found)
    return report(found, len(both), args.most)


def report(found: Differences, count: int, most: int) -> int:
    """Print the differences; 1 if there are others than rounding."""
    print("\n".join(found.listed[:most]), end="\n" if found.listed else "")
    if len(found.listed) > most:
        print(f"... and {len(found.listed) - most} more (--most N)")
    for command, number in sorted(found.rounding.items()):
        print(f"{command}: {number} numbers differ by at most {RELATIVE:g} relative")
    if found.rounding:
        print(f"the largest of these differences: {found.largest:.2g}")
    print(f"{count} answers compared, {len(found.listed)} differences listed")
    return bool(found.listed)


# What is asked.


def list_jobs(long: bool) -> list[Job]:
    """List all calls; folders that are not there are named on standard error."""
    roots = {"data": HERE / "data"}
    for name in ("CORPUS", "MESHES", "DATASETS"):
        folder = os.environ.get(f"INERTIAL_CHECK_{name}")
        if folder is not None and Path(folder).is_dir():
            roots[name.lower()] = Path(folder).resolve()
        else:
            print(f"left out: INERTIAL_CHECK_{name} names no folder", file=sys.stderr)
    jobs = list(list_data_jobs(roots["data"]))
    for name, share in (("corpus", 1.0), ("meshes", 0.2)):
        if name in roots:
            models = sorted(list_models(roots[name]), key=digest)
            jobs += list_model_jobs(name, roots[name], models, share, long)
    if "datasets" in roots:
        jobs += list_dataset_jobs(roots["datasets"])
    jobs.append(Job("python", "python/arrays", ["-c", GIVEN + ARRAYS], str(HERE), True))
    return jobs


def list_models(root: Path) -> list[str]:
    """List the paths of the models below a folder, relative to it."""
    found = (path for path in root.rglob("*") if path.suffix.lower() in SUFFIXES)
    return [path.relative_to(root).as_posix() for path in found if path.is_file()]


def digest(path: str) -> str:
    """Say the hash of a path, by which models are chosen."""
    return sha256(path.encode()).hexdigest()


def list_data_jobs(root: Path) -> Iterator[Job]:
    """Calls on the models, tables and recordings of data/, as fresh processes."""

    def job(command: str, name: str, *arguments: str) -> Job:
        return Job(command, f"{command}/data/{name}", [command, *arguments], str(root), True)

    for number, path in enumerate(sorted(list_models(root), key=digest)):
        yield make_check("data", root, path)._replace(fresh=number < FRESH)
        yield job("fix", path, "--isolated", "--unsafe", path)._replace(fresh=False)
    for form in FORMS:
        yield job(
            "check",
            f"all.{form}",
            "--isolated",
            "--no-cache",
            "-v",
            "--strict",
            "--geometry",
            "off",
            "--output-format",
            form,
            "defects",
            "valid",
        )
    for path in sorted(list_models(root / "fill")):
        for form in ("text", "json", "markdown"):
            yield job(
                "fill",
                f"{path}.{form}",
                "--isolated",
                "--output-format",
                form,
                "--provenance",
                f"fill/{path}",
            )
    for form in ("text", "json"):
        for pair in (("diff/gripper.xml", "diff/gripper.urdf"), ("arm.urdf", "fill/arm.urdf")):
            yield job(
                "diff", f"{'-'.join(pair)}.{form}", "--impact", "--output-format", form, *pair
            )
    yield from list_table_jobs("data", root, ["tables/cad-export.csv", "tables/identified.csv"])
    for form in ("text", "json", "markdown", "latex"):
        for name, more in (
            ("arm", []),
            ("huber", ["--loss", "huber"]),
            ("entropic", ["--metric", "entropic", "--regularization", "1"]),
        ):
            if name == "arm" or form == "json":
                yield job(
                    "identify",
                    f"{name}.{form}",
                    "recordings/train.csv",
                    "--validation",
                    "recordings/validation.csv",
                    "--model",
                    "recordings/arm.urdf",
                    *more,
                    "--output-format",
                    form,
                    "-o",
                    f"{OUT}/arm.urdf",
                )


def make_check(corpus: str, root: Path, path: str) -> Job:
    """One model's report as JSON, and as text with all details."""
    arguments = [
        "check",
        "--isolated",
        "--no-cache",
        "--jobs",
        "1",
        "-v",
        "--color",
        "never",
        "--output-format",
        "json",
        "--also",
        f"full={OUT}/full",
        path,
    ]
    return Job("check", f"check/{corpus}/{path}", arguments, str(root))


def list_model_jobs(
    corpus: str, root: Path, models: list[str], share: float, long: bool
) -> Iterator[Job]:
    """Calls on the models of a corpus, in the order of their hashes.

    Args:
        corpus: Name of the corpus.
        root: Folder of the corpus.
        models: Paths of all its models.
        share: Part of the 200 models of the quick form that comes from this corpus, and of the
            60 (12) that are filled.
        long: Whether all models are looked at.
    """
    chosen = models if long else models[: int(QUICK * (1 - 0.2 if share == 1 else share))]
    for path in chosen:
        yield make_check(corpus, root, path)
        other = FIXES[int(digest(path)[:8], 16) % len(FIXES)]
        for name, options in (("", ()), (".other", other)):
            if options or not name:
                yield Job(
                    "fix",
                    f"fix/{corpus}/{path}{name}",
                    ["fix", "--isolated", "--unsafe", *options, path],
                    str(root),
                )
        yield Job(
            "fix",
            f"fix/{corpus}/{path}.written",
            ["fix", "--isolated", "--unsafe", "-o", f"{OUT}/model", path],
            str(root),
        )
    for path in models[: int((60 if long else 15) * share)]:
        yield Job(
            "fill",
            f"fill/{corpus}/{path}",
            ["fill", "--isolated", "--output-format", "json", path],
            str(root),
        )
        yield Job("fill", f"fill/{corpus}/{path}.diff", ["fill", "--isolated", path], str(root))
    pairs = pairwise(sorted(chosen))
    near = [pair for pair in pairs if Path(pair[0]).parts[0] == Path(pair[1]).parts[0]]
    for one, other in near if long else sorted(near, key=lambda pair: digest(pair[0]))[:30]:
        yield Job(
            "diff",
            f"diff/{corpus}/{one}",
            ["diff", "--output-format", "json", one, other],
            str(root),
        )


def list_table_jobs(corpus: str, root: Path, tables: list[str]) -> Iterator[Job]:
    """Projections of tables in each metric that needs no file beside them, with their reports."""
    for path in tables:
        for about in ("origin", "com"):
            for metric in ("inertia", "covariance", "prior", "entropic", "euclidean"):
                arguments = ["project", "--about", about, "--metric", metric, path]
                if metric in ("prior", "entropic"):
                    arguments += ["--prior", "self"]
                arguments += ["--report", f"{OUT}/report.json"]
                name = f"project/{corpus}/{path}-{about}-{metric}"
                yield Job("project", name, arguments, str(root), corpus == "data")


def list_dataset_jobs(root: Path) -> Iterator[Job]:
    """Projections of published tables, and identification from recordings of real robots."""
    tables = sorted(path.relative_to(root).as_posix() for path in root.glob("tables/*.csv"))
    yield from list_table_jobs("datasets", root, tables)
    for robot, model, train, validation in (
        ("ur10e", "ur10e", "train_50s12h", "val_30s12h"),
        ("panda", "panda_mdh", "train_first60", "val_last40"),
        ("tx40", "tx40", "train_even_blocks", "val_odd_blocks"),
    ):
        for form in ("json", "text"):
            yield Job(
                "identify",
                f"identify/datasets/{robot}.{form}",
                [
                    "identify",
                    f"{robot}/ref/{train}.npz",
                    "--validation",
                    f"{robot}/ref/{validation}.npz",
                    "--model",
                    f"{robot}/{model}.urdf",
                    "--output-format",
                    form,
                    "-o",
                    f"{OUT}/{model}.urdf",
                ],
                str(root),
            )


# Running a checkout.


def read_or_run(side: Path, jobs: list[Job], count: int) -> dict[str, Answer]:
    """Take the answers of a side: kept ones are read, a checkout is run."""
    if (side / "inertial_check").is_dir():
        return run_checkout(side, jobs, count)
    answers: dict[str, Answer] = {}
    for file in sorted(side.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="ascii") as lines:
            answers.update(json.loads(line) for line in lines)
    if not answers:
        sys.exit(f"{side} is neither a checkout nor a folder of answers")
    return answers


def save(answers: dict[str, Answer], folder: Path) -> None:
    """Keep answers, a file for each command; those of other commands stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for command in {name.partition("/")[0] for name in answers}:
        with gzip.open(folder / f"{command}.jsonl.gz", "wt", encoding="ascii") as lines:
            for name, answer in answers.items():
                if name.startswith(f"{command}/"):
                    lines.write(json.dumps([name, answer]) + "\n")


def run_checkout(checkout: Path, jobs: list[Job], count: int) -> dict[str, Answer]:
    """Run all jobs with the package of a checkout, `count` at once."""
    checkout = checkout.resolve()
    environment = os.environ | {
        "PYTHONPATH": str(checkout),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    answers: dict[str, Answer] = {}
    with ThreadPoolExecutor(count) as pool:
        parts = [pool.submit(run_part, checkout, jobs[i::count], environment) for i in range(count)]
        for part in parts:
            answers.update(part.result())
    return {job.name: answers[job.name] for job in jobs}


def run_part(checkout: Path, jobs: list[Job], environment: dict[str, str]) -> dict[str, Answer]:
    """Run jobs one after the other, those of corpora by a forking process of their own."""
    answers = {}
    work = Path(tempfile.mkdtemp(prefix="same-answers-"))
    # -P keeps the working folder off the module path, so that PYTHONPATH decides
    with subprocess.Popen(
        [sys.executable, "-P", "-W", "ignore", "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=work,
    ) as server:
        for job in jobs:
            out = work / "out"
            out.mkdir()
            streams = [work / "stdout", work / "stderr"]
            arguments = [part.replace(OUT, str(out)) for part in job.arguments]
            if job.fresh:
                code = run_fresh(arguments, job.folder, streams, environment)
            else:
                assert server.stdin is not None
                assert server.stdout is not None
                order = [arguments, job.folder, TIMEOUT, [str(path) for path in streams]]
                server.stdin.write(json.dumps(order) + "\n")
                server.stdin.flush()
                code = json.loads(server.stdout.readline())
            answer = {"exit": code, "stdout": "", "stderr": ""}
            for path in (*streams, *sorted(out.rglob("*"))):
                if path.is_file():
                    text = path.read_bytes().decode("utf-8", "surrogateescape")
                    text = text.replace(str(work), "WORK").replace(str(checkout), "CHECKOUT")
                    answer[path.name] = text
            answers[job.name] = answer
            shutil.rmtree(out)
        if server.stdin is not None:
            server.stdin.close()
    shutil.rmtree(work)
    return answers


def run_fresh(
    arguments: list[str], folder: str, streams: list[Path], environment: dict[str, str]
) -> str:
    """Run one job as a process of its own, and say its exit code."""
    module = [] if arguments[0] == "-c" else ["-m", "inertial_check"]
    with open(streams[0], "wb") as stdout, open(streams[1], "wb") as stderr:
        try:
            done = subprocess.run(
                [sys.executable, "-P", *module, *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "timeout"
    return str(done.returncode)


# Comparison.


def compare(name: str, old: Answer, new: Answer, found: Differences) -> None:
    """Add what differs between two answers of one job."""
    for part in sorted(old.keys() | new.keys()):
        if part not in old or part not in new:
            found.listed.append(f"{name} {part}: only {'old' if part in old else 'new'} has it")
        elif old[part] != new[part]:
            at = f"{name} {part}"
            try:
                values = json.loads(old[part]), json.loads(new[part])
            except ValueError:
                compare_texts(at, old[part], new[part], found)
            else:
                compare_values(at, *values, found)


def compare_values(at: str, old: object, new: object, found: Differences) -> None:
    """Add what differs between two JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
            found.listed.append(
                f"{at}: gone {gone}, new {come}"
                if gone or come
                else f"{at}: other order of the keys"
            )
        for key in old:
            if key in new:
                compare_values(f"{at}/{key}", old[key], new[key], found)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            found.listed.append(f"{at}: {len(old)} entries became {len(new)}")
        for index, pair in enumerate(zip(old, new, strict=False)):
            compare_values(f"{at}/{index}", *pair, found)
    elif isinstance(old, str) and isinstance(new, str):
        compare_texts(at, old, new, found)
    elif type(old) is not type(new) or old != new:
        compare_texts(at, json.dumps(old), json.dumps(new), found)


def compare_texts(at: str, old: str, new: str, found: Differences) -> None:
    """Add what differs between two texts, line by line where they have equally many."""
    if old == new:
        return
    lines = old.split("\n"), new.split("\n")
    if len(lines[0]) != len(lines[1]):
        number = next((i for i, (a, b) in enumerate(zip(*lines, strict=False)) if a != b), 0)
        pair = [side[number] if number < len(side) else "" for side in lines]
        count = f"{len(lines[0])} lines became {len(lines[1])}"
        found.listed.append(f"{at}:{number + 1}: {count}, the first: {quote(*pair)}")
        return
    for number, (one, other) in enumerate(zip(*lines, strict=True), 1):
        if one == other:
            continue
        deviation = deviate(one, other)
        if deviation <= RELATIVE:
            found.rounding[at.partition("/")[0]] += 1
            found.largest = max(found.largest, deviation)
        else:
            found.listed.append(f"{at}:{number}: {quote(one, other)}")


def deviate(old: str, new: str) -> float:
    """Find the largest relative deviation of the numbers of two lines, infinite for other text."""
    numbers = NUMBER.findall(old), NUMBER.findall(new)
    if NUMBER.split(old) != NUMBER.split(new) or len(numbers[0]) != len(numbers[1]):
        return math.inf
    largest = 0.0
    for one, other in zip(*numbers, strict=True):
        if one != other:
            a, b = float(one), float(other)
            size = max(abs(a), abs(b))
            if abs(a - b) <= ROUNDING and 0 in (a, b):
                continue
            largest = max(largest, abs(a - b) / size if size else 0.0)
    return largest


def quote(old: str, new: str, width: int = 100) -> str:
    """Show two lines around the first place where they differ."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    begin = max(0, start - 30)
    return f"{old[begin : begin + width]!r} became {new[begin : begin + width]!r}"


if __name__ == "__main__":
    sys.exit(main())
