"""What simcheck says of the same files, without engines, as far as it reads them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from planting.defects import Mutant
from planting.outcomes import Outcome
from planting.sites import Site

READS = ("urdf", "mjcf")
MAXIMUM_SECONDS = 60
"""After which simcheck gives up on a file [s]."""
UNREAD = "unread"
"""Stands for a check where nothing of a file could be checked."""

Pairs = dict[tuple[str, str], str]
"""(check, target) -> message."""


class PeerFigures(NamedTuple):
    """Warnings and errors of its checks inertia.* on sound bodies of the files that it read.

    Attributes:
        bodies: How many sound bodies there are.
        files: How many files they are in.
        flagged: How many of the bodies have one.
        warnings: By check.
    """

    bodies: int
    files: int
    flagged: int
    warnings: Counter[str]


def run_simcheck(program: str, paths: Sequence[str], jobs: int) -> dict[str, Pairs]:
    """Warnings and errors of simcheck by file."""
    with tempfile.TemporaryDirectory() as folder:
        names, out = Path(folder, "files.txt"), Path(folder, "out.jsonl")
        names.write_text("".join(f"{path}\n" for path in paths))
        limits = ["-j", str(jobs), "--timeout", str(MAXIMUM_SECONDS)]
        options = ["--static-only", "--no-config", "-q", "--files-from", str(names)]
        command = [program, "scan", *options, *limits, "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not out.exists():
            sys.exit(f"{program} left with {done.returncode}:\n{done.stderr[-2000:]}")
        lines = out.read_text().splitlines()
    results = {}
    for report in map(json.loads, lines):
        findings = chain.from_iterable(result["findings"] for result in report["results"])
        pairs = {
            (f["check"], f["target"]): f["message"]
            for f in findings
            if f["severity"] in ("warning", "error")
        }
        if report.get("error") or report["stats"].get("unreadable"):
            pairs[UNREAD, ""] = report.get("error") or "unreadable"
        results[report["asset"]] = pairs
    return results


def with_simcheck(each: Outcome, mutant: Mutant, before: Pairs, after: Pairs) -> Outcome:
    """The outcome with what simcheck found."""
    new = {pair: message for pair, message in after.items() if pair not in before}
    watched = mutant.change.watched
    names = {mutant.site.model.bodies[k].name for k in watched} if watched is not None else None
    named = names is None or any(
        pair[1] in names or any(f"'{name}'" in message for name in names)
        for pair, message in new.items()
    )
    return each._replace(simcheck=bool(new) and named, simcheck_anywhere=bool(new))


def peer_figures(
    sites: Sequence[Site], paths: Mapping[str, str], said: Mapping[str, Pairs]
) -> PeerFigures:
    """What simcheck says of sound bodies.

    Args:
        sites: The sound bodies.
        paths: Path by file.
        said: What it says, by path.
    """
    read = {f for f, path in paths.items() if path in said and (UNREAD, "") not in said[path]}
    warnings: Counter[str] = Counter()
    judged = [site for site in sites if site.file in read]
    flagged = 0
    for site in judged:
        found = {check for check, target in said[paths[site.file]] if target == site.body.name}
        of_inertia = [check for check in found if check.startswith("inertia.")]
        warnings.update(of_inertia)
        flagged += bool(of_inertia)
    return PeerFigures(len(judged), len(read), flagged, warnings)
