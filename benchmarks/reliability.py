"""How often stories are right, by their cause: the table in `causes/base.py`.

    python benchmarks/planted_defects.py --no-simcheck --stories planted.jsonl
    python benchmarks/reliability.py planted.jsonl [MORE.jsonl ...] [--write]

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
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from inertial_check.checking.causes import base

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
    parser.add_argument("stories", nargs="+", type=Path, help="files of stories, one a line")
    parser.add_argument("--write", action="store_true", help="write the counts into the package")
    args = parser.parse_args()
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
