"""Write a survey of a folder of robot models, one subfolder an upstream repository, as Markdown.

    INERTIAL_CHECK_CORPUS=DIR python benchmarks/survey.py > docs/survey.md

For each upstream: models, bodies, findings by rule and cause, and what each engine does with the
bodies. Then the most instructive findings: of each cause the one that is proved and most certain,
no upstream more often than its share. A table SOURCES.md in the folder, with the
columns folder, upstream, commit and licence, names the sources. The text has figures and facts
only; it is the same on every run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from inertial_check.documents.escaping import markdown_text
from inertial_check.running.results.counts import Counts
from inertial_check.running.results.reading import convert_file

JsonObject = dict[str, Any]

EXAMPLES = 1
"""Number of findings that are explained."""

ENGINES = ("mujoco", "drake", "gz", "newton", "pybullet", "pinocchio", "genesis")
"""Engines of the table; the others do what one of these does, or read other formats."""

PROVED = ("IC1", "IC3", "IC4")
"""Families of rules whose findings follow from the written numbers."""

NORMAL = "accept"
CHANGES = ("alter", "replace", "reject", "drop")

_LENGTH = 500
"""Longest text of a model on the page [characters]."""


class Upstream(NamedTuple):
    """A repository of models.

    Attributes:
        folder: Name of its folder in the corpus.
        name: Name of the repository.
        commit: Commit or release; "" if the corpus does not say.
        licence: First words of its licence; "" if the corpus does not say.
        report: Report of `check` in the form of JSON.
    """

    folder: str
    name: str
    commit: str
    licence: str
    report: JsonObject

    @property
    def bodies(self) -> list[JsonObject]:
        """The bodies of all models."""
        return [body for file in self.report["files"] for body in file["bodies"]]

    @property
    def findings(self) -> list[JsonObject]:
        """The findings on all models."""
        return [finding for file in self.report["files"] for finding in file["findings"]]


class Example(NamedTuple):
    """A finding on a body, with what the report says of both."""

    upstream: Upstream
    path: str
    finding: JsonObject
    body: JsonObject

    @property
    def cause(self) -> JsonObject:
        """The most probable cause."""
        cause: JsonObject = self.finding["causes"][0]
        return cause


def main() -> int:
    """Check every upstream, and print the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="?", default=os.environ.get("INERTIAL_CHECK_CORPUS"))
    corpus = parser.parse_args().corpus
    if corpus is None:
        parser.error("name a folder of upstream repositories, or set INERTIAL_CHECK_CORPUS")
    sources = read_sources(Path(corpus) / "SOURCES.md")
    folders = sorted(path for path in Path(corpus).iterdir() if path.is_dir())
    upstreams = [survey_upstream(folder, sources.get(folder.name, {})) for folder in folders]
    print("\n".join(write_page([each for each in upstreams if each.report["files"]])))
    return 0


def read_sources(path: Path) -> dict[str, dict[str, str]]:
    """Read the table of sources: for each folder, its columns by their first word."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    names = [re.split(r"\W+", cell)[0] for cell in rows[0]]
    named = [dict(zip(names, row, strict=False)) for row in rows[2:]]
    for each, row in zip(named, rows[2:], strict=True):
        each["licence"] = row[-1] or row[-2]
    return {each["folder"]: each for each in named}


def survey_upstream(folder: Path, source: dict[str, str]) -> Upstream:
    """Check one upstream by the program, as a user would."""
    command = [sys.executable, "-m", "inertial_check", "check", "--isolated", "--no-cache"]
    done = subprocess.run(
        [*command, "--allow-empty", "--output-format", "json", "-q", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1) and not done.stdout:
        raise SystemExit(f"{folder}: {done.stderr.decode()}")
    return Upstream(
        folder.name,
        source.get("upstream", folder.name.replace("+", "/")),
        source.get("commit", ""),
        name_licence(source.get("licence", "")),
        json.loads(done.stdout),
    )


def name_licence(text: str) -> str:
    """Name a licence by the words with which its file begins."""
    known = {
        "Apache": "Apache-2.0",
        "BSD 3-Clause": "BSD-3-Clause",
        "MIT": "MIT",
        "zlib": "zlib",
        "Creative Commons Attribution 3.0": "CC-BY-3.0",
        "Redistribution and": "BSD",
    }
    return next((name for words, name in known.items() if words in text), text[:40] or "not stated")


def write_page(upstreams: list[Upstream]) -> Iterator[str]:
    """Write the page, line by line."""
    counts = count_upstreams(upstreams)
    files = sum(len(each.report["files"]) for each in upstreams)
    bodies = sum(len(each.bodies) for each in upstreams)
    yield "# Survey of published models\n"
    yield (
        f"What `check` says of {files:,} models with {bodies:,} bodies in {len(upstreams)} public "
        "repositories. `benchmarks/survey.py` makes such a page of any folder of repositories.\n"
    )
    yield "## Repositories\n"
    yield from write_sources(upstreams)
    yield "## Findings by rule\n"
    yield "Number of findings / of repositories in which they occur.\n"
    yield from write_counts(counts, "rule")
    yield "## Findings by most probable cause\n"
    yield "The same of first causes that are at least 50 % probable.\n"
    yield from write_counts(counts, "cause")
    yield "## What engines do with the bodies\n"
    yield from write_engines(counts)
    yield "## Instructive findings\n"
    yield "The margin is negative where no body has the numbers.\n"
    for number, example in enumerate(choose_examples(upstreams), 1):
        yield from write_example(number, example)


_COUNTED = ("files", "bodies", "errors", "warnings", "distinct_findings")
"""Members of a summary that the page states for each repository."""


def write_sources(upstreams: list[Upstream]) -> Iterator[str]:
    """The list of repositories."""
    yield (
        "Each with its commit, its licence, and the numbers of models, bodies, errors, warnings "
        "and facts, which are findings that differ: the same body in five files is one.\n"
    )
    for each in upstreams:
        summary = each.report["summary"]
        numbers = [summary[name] for name in _COUNTED]
        source = ", ".join(filter(None, (each.commit[:10], each.licence)))
        yield f"* {each.name} ({source}): {', '.join(map(str, numbers))}"
    yield ""


def count_upstreams(upstreams: list[Upstream]) -> Counts:
    """Count the reports of all upstreams, as `summary` does."""
    counts = Counts()
    for each in upstreams:
        for file in each.report["files"]:
            counts.add_rows(convert_file(each.folder, file))
    return counts


def write_counts(counts: Counts, dimension: str) -> Iterator[str]:
    """The findings of each rule or cause, and in how many upstreams they occur."""
    places = Counter(group.keys[0] for group in counts.project([dimension, "upstream"]))
    rules = {kind.rule for kind in counts.findings}
    groups = [(group.keys[0], group.number) for group in counts.project([dimension])]
    yield ", ".join(
        f"[{key}]({'rules' if key in rules else 'causes'}/{key}.md) {number}/{places[key]}"
        for key, number in groups
        if key
    )
    yield ""


def write_engines(counts: Counts) -> Iterator[str]:
    """The list of what engines do with bodies that are not simulated as written."""
    yield "Bodies as written, altered, replaced, whose model is refused, and dropped:\n"
    actions = {group.keys[0]: group.actions for group in counts.project(["engine"])}
    for engine in ENGINES:
        own = actions.get(engine, {})
        plain = own.get(NORMAL, 0) + own.get("warn", 0)
        numbers = [plain, *(own.get(each, 0) for each in CHANGES)]
        yield f"* {engine}: {', '.join(map(str, numbers))}"
    yield "\nBodies without an inertial count, too: PyBullet gives them 1 kg.\n"


def choose_examples(upstreams: list[Upstream]) -> list[Example]:
    """Choose the findings that are explained, the most certain of each cause."""
    found = [example for each in upstreams for example in list_examples(each)]
    found.sort(key=rank_example)
    chosen: dict[str, Example] = {}
    share = Counter[str]()
    most = -(-EXAMPLES // max(1, len({each.upstream.folder for each in found}))) + 1
    for example in found:
        name, cause = example.upstream.folder, example.cause["cause"]
        if cause not in chosen and share[name] < most and len(chosen) < EXAMPLES:
            chosen[cause] = example
            share[name] += 1
    return list(chosen.values())


def list_examples(upstream: Upstream) -> Iterator[Example]:
    """The findings of an upstream on a body with numbers."""
    for file in upstream.report["files"]:
        bodies = {body["id"]: body for body in file["bodies"]}
        for finding in file["findings"]:
            body = bodies.get(finding["body_id"])
            if body is not None and body["mass"] is not None and finding["causes"]:
                inside = file["path"].partition(f"{upstream.folder}/")[2] or file["path"]
                yield Example(upstream, inside, finding, body)


def rank_example(example: Example) -> tuple[bool, float, str, str]:
    """Proved findings first, then by the probability of the cause; ties by name."""
    proved = example.finding["code"].startswith(PROVED)
    return not proved, -round(example.cause["confidence"], 3), example.path, example.finding["body"]


def write_example(number: int, example: Example) -> Iterator[str]:
    """One finding: where, the numbers of the body, the cause, and what engines do with it."""
    finding, body, cause = example.finding, example.body, example.cause
    yield f"### {number}. {finding['name']}: {markdown_text(finding['body'], _LENGTH)}\n"
    path = markdown_text(example.path, _LENGTH)
    yield f"{example.upstream.name}, {path}, line {finding['line']}\n"
    moments = ", ".join(f"{each:.4g}" for each in body["principal_moments"])
    yield f"* {body['mass']:.4g} kg, principal moments {moments} kg m², margin {body['margin']:.3g}"
    page = f"**[{cause['cause']}](causes/{cause['cause']}.md)**"
    yield f"* {page}, {cause['confidence']:.0%}: {markdown_text(cause['evidence'], _LENGTH)}"
    changed = [
        f"{engine} {action}s" for engine, action in body["engines"].items() if action != NORMAL
    ]
    yield f"* engines: {', '.join(changed) or 'all simulate it as written'}\n"


if __name__ == "__main__":
    sys.exit(main())
