"""Whether two checkouts say the same of real models, byte for byte: a script for refactorings.

    python benchmarks/compare_checkouts.py BEFORE AFTER [--corpus DIR] [--datasets DIR] [--work DIR]

Each checkout runs as a process of its own, on one thread: `check --output-format json` and `fix
--unsafe` over every folder of the corpus, `project` over every table of the data sets, and
`ic.check` and `ic.project` on seeded batches. The outputs are kept below --work; those of BEFORE
are used again while its revision stays the same. Texts for people (messages, evidence, notes) may
differ: each kind of difference is printed once, with digits as #. Any other difference is printed
with its place, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TEXTS = frozenset({"message", "evidence", "notes"})
"""JSON fields that hold sentences for people."""

METRICS = ("inertia", "covariance")
"""Metrics of `project` that need no prior and no weights."""

OUTPUT = "{output}"
"""Stands in the arguments of a job for the file that it writes instead of standard output."""

ARRAYS = """
import sys
import numpy as np
import inertial_check as ic
from inertial_check.inertia import sampling

for seed in range(4):
    wrong = sampling.inconsistent(seed, 2000).as_theta()
    sound = sampling.consistent(seed + 100, 2000)
    judged = ic.check(np.concatenate([wrong, sound.as_theta()]))
    print(seed, "check", judged.verdict_code.tobytes().hex(), judged.margin.tobytes().hex())
    for metric in ("inertia", "covariance", "weighted"):
        given = {"weights": np.ones(10)} if metric == "weighted" else {}
        found = ic.project(wrong, metric, **given)
        for name in ("theta", "primal_residual", "dual_residual", "gap", "distance", "iterations"):
            print(seed, metric, name, np.asarray(getattr(found, name)).tobytes().hex())
        print(seed, metric, *found.status)
"""
"""What is computed of seeded batches; bytes are printed, so that the last bit counts."""


def main() -> int:
    """Run both checkouts and compare what they have written."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--corpus", default=os.environ.get("INERTIAL_CHECK_CORPUS"))
    parser.add_argument("--datasets", default=os.environ.get("INERTIAL_CHECK_DATASETS"))
    parser.add_argument("--work", type=Path, default=None)
    args = parser.parse_args()
    work = args.work or Path(tempfile.mkdtemp(prefix="compare-"))
    jobs = list(list_jobs(args.corpus, args.datasets))
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=args.before, capture_output=True, text=True, check=True
    ).stdout.strip()
    outputs = [
        run_all(args.before.resolve(), work / f"before-{revision}", jobs, keep=True),
        run_all(args.after.resolve(), work / "after", jobs, keep=False),
    ]
    texts: Counter[tuple[str, str]] = Counter()
    different = [name for name, *_ in jobs if not compare(*(out / name for out in outputs), texts)]
    for (one, other), count in texts.most_common():
        print(f"text, {count} times\n  before: {one}\n  after:  {other}")
    print(
        f"{len(jobs)} jobs, {len(different)} with other results: {', '.join(different) or 'none'}"
    )
    return bool(different)


def list_jobs(corpus: str | None, datasets: str | None) -> Iterator[tuple[str, list[str], str]]:
    """The name, the arguments of Python and the working folder of each job."""
    module = ["-m", "inertial_check"]
    if corpus is not None:
        for folder in sorted(path.name for path in Path(corpus).iterdir() if path.is_dir()):
            check = ["check", "--isolated", "--no-cache", "--jobs", "1", "--output-format", "json"]
            yield f"check-{folder}.json", [*module, *check, folder], corpus
            yield f"fix-{folder}.diff", [*module, "fix", "--isolated", "--unsafe", folder], corpus
    if datasets is not None:
        for table in sorted(Path(datasets).glob("tables/**/*.csv")):
            for about in ("origin", "com"):
                for metric in METRICS:
                    options = ["--about", about, "--metric", metric, "-o", OUTPUT]
                    name = f"project-{table.stem}-{about}-{metric}.csv"
                    yield name, [*module, "project", *options, str(table)], datasets
    yield "arrays.txt", ["-c", ARRAYS], "."


def run_all(checkout: Path, out: Path, jobs: list[tuple[str, list[str], str]], keep: bool) -> Path:
    """Run every job with a checkout's package; outputs that are there are used if `keep`."""
    out.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"
    }  # fmt: skip
    for name, arguments, folder in jobs:
        if keep and (out / name).exists():
            continue
        written = str((out / name).resolve())
        # -P keeps the working folder off the module path, so that PYTHONPATH decides
        done = subprocess.run(
            [sys.executable, "-P", *(written if part == OUTPUT else part for part in arguments)],
            cwd=folder, env=environment, capture_output=True, check=False,
        )  # fmt: skip
        (out / f"{name}.stderr").write_bytes(done.stderr + b"exit %d\n" % done.returncode)
        if OUTPUT not in arguments:
            (out / name).write_bytes(done.stdout)
        elif not (out / name).exists():
            (out / name).write_bytes(b"")  # a refused table: its reason is in the other file
    return out


def compare(before: Path, after: Path, texts: Counter[tuple[str, str]]) -> bool:
    """Whether two outputs are the same except for texts, which are counted."""
    errors = [path.with_name(f"{path.name}.stderr").read_bytes() for path in (before, after)]
    if errors[0] != errors[1]:
        lines = zip(
            *(error.decode(errors="replace").splitlines() for error in errors), strict=False
        )
        texts.update((mask(one), mask(other)) for one, other in lines if one != other)
    one, other = before.read_bytes(), after.read_bytes()
    if one == other:
        return errors[0].splitlines()[-1] == errors[1].splitlines()[-1]
    if before.suffix != ".json":
        print(f"{before.name}: {len(one)} bytes became {len(other)} other bytes")
        return False
    places = list(differences(json.loads(one), json.loads(other), texts))
    print("".join(f"{before.name}{place}\n" for place in places[:5]), end="")
    return not places


def differences(
    one: object, other: object, texts: Counter[tuple[str, str]], at: str = ""
) -> Iterator[str]:
    """The places at which two JSON values differ, texts aside."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], texts, f"{at}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, texts, f"{at}/{index}")
    elif one != other and TEXTS.intersection(at.split("/")):
        texts[shorten(str(one), str(other))] += 1
    elif one != other:
        yield f"{at}: {one!r} became {other!r}"


def shorten(one: str, other: str) -> tuple[str, str]:
    """Two texts from the clause on in which they differ, with digits as #."""
    pairs = zip(one, other, strict=False)
    start = next((i for i, pair in enumerate(pairs) if pair[0] != pair[1]), 0)
    start = max(one.rfind(";", 0, start), 0)
    return mask(one[start:]), mask(other[start:])


def mask(text: str) -> str:
    """A text with its numbers as #."""
    return re.sub(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?", "#", text)


if __name__ == "__main__":
    sys.exit(main())
