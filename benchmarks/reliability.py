"""How often stories are right, by their cause: the table in `causes/base.py`.

    python benchmarks/planted_defects.py --no-simcheck --stories planted.jsonl
    python benchmarks/reliability.py planted.jsonl [MORE.jsonl ...] [--write]

    score.py run --tool inertial-check --exe "python benchmarks/reliability.py" ...
    INERTIAL_CHECK_PLANTING=DIR python benchmarks/reliability.py --planted M.jsonl.gz F.jsonl.gz

A story is the first cause of a warning or an error. A line of a file is one, as JSON: its upstream
(the folder of the repository), its cause, the confidence that its share among all causes gives, and
whether it is right. `planted_defects.py --stories` writes those of planted defects; stories on real
models that were judged by hand come in files of the same form.

The table counts, for each cause, how many stories were right and how many were told, between 60 and
90 % and from 90 % on. What it is worth on an upstream that it has not seen shows the second table:
each upstream is left out in turn, its stories get the confidences that the counts of all others
allow, and are counted by these.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from inertial_check.checking.causes import base
from inertial_check.programs.cli.main import main as command_line

BANDS = (0.9, 0.75, 0.6, 0.0)
"""Least confidences of the rows of the second table."""

TABLE = Path(base.__file__)


class Story(NamedTuple):
    """The first cause of a finding."""

    upstream: str
    cause: str
    confidence: float
    right: bool


Counts = Mapping[str, tuple[tuple[int, int], tuple[int, int]]]


def count(stories: Iterable[Story]) -> Counts:
    """Count the stories of each cause: right and told as probable, right and told as sure."""
    found: dict[str, list[list[int]]] = defaultdict(lambda: [[0, 0], [0, 0]])
    for each in stories:
        if each.confidence >= base.PROBABLE:
            band = found[each.cause][each.confidence >= base.SURE]
            band[0] += each.right
            band[1] += 1
    return {
        cause: ((low[0], low[1]), (high[0], high[1]))
        for cause, (low, high) in sorted(found.items())
    }


UNNAMED = ("other-text", "edited-copy")
"""Causes that name no mistake."""


def read_planted(manifest: str, findings: str) -> Iterator[Story]:
    """Read the first stories of warnings and errors that are new on planted bodies."""
    sys.path.insert(0, os.environ["INERTIAL_CHECK_PLANTING"])
    score = importlib.import_module("score")
    with gzip.open(findings, "rt") as lines:
        found = {each["key"]: each.get("findings") for each in map(json.loads, lines)}
    for row in score.read_manifest(manifest):
        names = score.MAP[row["class"]][0] if row["kind"] == "mutant" else ()
        clean, own = found.get(f"{row.get('repo')}/{row.get('file')}"), found.get(row.get("id"))
        if not names or clean is None or own is None:
            continue
        before = {(each["body"], each["code"], each["sev"]) for each in clean}
        new = [
            each
            for each in own
            if each["sev"] > 1
            and score.on_body(each, row)
            and (each["body"], each["code"], each["sev"]) not in before
        ]
        worst = max(new, key=lambda each: each["sev"], default={"causes": ()})
        for cause, confidence in worst["causes"][:1]:
            if cause not in UNNAMED:
                yield Story(row["repo"], cause, confidence, score.hit(cause, names))


def leave_out(stories: list[Story]) -> list[tuple[float, bool]]:
    """Confidence of each story by the counts of all other upstreams, and whether it is right."""
    told = []
    for upstream in sorted({each.upstream for each in stories}):
        counts = count(each for each in stories if each.upstream != upstream)
        told += [
            (base.limit_confidence(each.cause, each.confidence, counts), each.right)
            for each in stories
            if each.upstream == upstream
        ]
    return told


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stories", nargs="*", type=Path, help="files of stories, one a line")
    parser.add_argument("--write", action="store_true", help="write the counts into the package")
    parser.add_argument("--planted", nargs=2, help="print the stories of a manifest and findings")
    if sys.argv[1:2] == ["check"]:
        base.COUNTS = None  # which worker processes would not know
        sys.exit(command_line(["check", "--jobs", "1", "--no-cache", *sys.argv[2:]]))
    args = parser.parse_args()
    if args.planted:
        for story in read_planted(*args.planted):
            print(json.dumps(story._asdict()))
        return
    lines = [line for path in args.stories for line in path.read_text().splitlines()]
    stories = [Story(**json.loads(line)) for line in lines]
    rows = "".join(f'    "{cause}": {counts},\n' for cause, counts in count(stories).items())
    table = f"MappingProxyType({{\n{rows}}})"
    if args.write:
        before, rest = TABLE.read_text().split("COUNTS: ReliabilityCounts | None = ", 1)
        after = rest[rest.index("\n# fmt: on") :]
        TABLE.write_text(f"{before}COUNTS: ReliabilityCounts | None = {table}{after}")
    print(table)
    print(f"\n{len(stories)} stories of {len({each.upstream for each in stories})} upstreams\n")
    print("| confidence | told | right | share |\n| --- | --- | --- | --- |")
    told, above = leave_out(stories), 1.01
    for least in BANDS:
        right = [each for confidence, each in told if least <= confidence < above]
        share = f"{100 * sum(right) / len(right):.1f} %" if right else "-"
        print(f"| {100 * least:.0f} % or more | {len(right)} | {sum(right)} | {share} |")
        above = least


if __name__ == "__main__":
    main()
