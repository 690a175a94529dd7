"""A run: from the paths on a command line to one report, by one process or many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertial_check.checking.check import EVERYTHING, Document, Extent, Outcome, check_documents
from inertial_check.model import Report
from inertial_check.selecting.discovery import discover
from inertial_check.settings.settings import Settings

if TYPE_CHECKING:
    from inertial_check.running.cache import Store
    from inertial_check.running.changes import Changes

MANY = 128
"""From so many documents on it pays to start processes, and to remember what came of each."""

_TOGETHER = 64
"""Documents that one process reads before it judges them in one batch: more of them gain little."""

_CACHE = ".inertial_check_cache"
"""Folder of the cache, unless another is named; below the project's root."""

_Pairs = Sequence[tuple[Document, Settings]]


@dataclass(frozen=True)
class Plan:
    """How a run is carried out; but for `changes` none of it changes the findings.

    Attributes:
        jobs: How many processes check; None for as many as there are cores, where that pays.
        cache: Folder of outcomes of earlier runs; None for none.
        always_cache: Also where there are few documents.
        resume: File of the outcomes of this run, by which it can be taken up again; None for none.
        cluster: Address of a Dask scheduler whose workers check; None for this machine alone.
        extent: What the report says besides findings and judgements.
        progress: Is told which part of the work is done, 0 to 1.
        changes: Only documents that these concern are checked; None for all.
    """

    jobs: int | None = 1
    cache: str | None = None
    always_cache: bool = False
    resume: str | None = None
    cluster: str | None = None
    extent: Extent = EVERYTHING
    progress: Callable[[float], None] = lambda part: None
    changes: Changes | None = None


def check_paths(
    paths: Sequence[str],
    settings: Settings,
    stdin: tuple[bytes, str] | None = None,
    settings_of: Callable[[str], Settings] | None = None,
    plan: Plan | None = None,
    sniff: bool = False,
) -> Report:
    """Judge every model that the paths name or hold.

    Args:
        paths: Files, directories, globs; "-" stands for `stdin`.
        settings: Validated settings of the run.
        stdin: Bytes and the name under which to report them.
        settings_of: Validated settings of the file at a path, one object for all files that share
            them; None where those of the run hold for each.
        plan: How to go about it; None for this process alone.
        sniff: Treat named files as a walk does; see `discover`.
    """
    of = settings_of or (lambda path: settings)
    plan = plan or Plan()
    named = [path for path in paths if path != "-"]
    found = discover(named, lambda path: of(path).excludes(path), sniff)
    documents = [Document(*file) for file in found.files]
    changes = plan.changes
    if changes is not None:
        documents = [each for each in documents if changes.may_concern(each.path)]
    said: list[str] = []
    outcomes = _outcomes(documents, of, plan, said)
    if changes is not None:
        outcomes = [outcome for outcome in outcomes if changes.concern(outcome)]
    if stdin is not None:
        data, name = stdin
        outcomes += check_documents([Document(name, True, data)], of, plan.extent)
        outcomes.sort(key=lambda outcome: outcome.path)
    notes = (*found.notes, *said, *(each.note for each in outcomes if each.note is not None))
    failures = (*found.failures, *(each.failure for each in outcomes if each.failure is not None))
    files = tuple(each.file for each in outcomes if each.file is not None)
    notes += tuple(dict.fromkeys(note for file in files for note in file.notes))
    if changes is not None and found.files and not outcomes:
        notes += (f"none of {len(found.files)} files is concerned by a change",)
    elif not files and not failures and not settings.allow_empty:
        where = ", ".join(paths) or "an empty list"
        failures = (f"nothing to check in {where}; --allow-empty accepts that",)
    return Report(files, failures, notes)


def _outcomes(
    documents: Sequence[Document],
    of: Callable[[str], Settings],
    plan: Plan,
    said: list[str],
) -> list[Outcome]:
    """What comes of each document, in their order; what is known already is not done again.

    What is to be said of the run is added to `said`.
    """
    pairs = [(document, of(document.path)) for document in documents]
    known: dict[str, Outcome] = {}
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(store)) for store in _stores(plan, len(documents))]
        for document, own in pairs:
            if (outcome := _known(stores, document, own)) is not None:
                known[document.path] = outcome
        left = [pair for pair in pairs if pair[0].path not in known]
        settings = {document.path: (document, own) for document, own in left}
        plan.progress(len(known) / max(len(documents), 1))
        for outcome in _checked(left, plan, said):
            for store in stores:
                store.put(*settings[outcome.path], outcome)
            known[outcome.path] = outcome
            plan.progress(len(known) / len(documents))
    return [known[document.path] for document in documents]


def _stores(plan: Plan, count: int) -> list[Store]:
    """Where outcomes are kept. Few documents are checked sooner than a cache is asked."""
    stores: list[Store] = []
    if plan.cache is not None and (plan.always_cache or count >= MANY):
        from inertial_check.running.cache import Folder

        stores.append(Folder(plan.cache, plan.extent))
    if plan.resume is not None:
        from inertial_check.running.cache import Journal

        stores.append(Journal(plan.resume, plan.extent))
    return stores


def _known(stores: Iterable[Store], document: Document, settings: Settings) -> Outcome | None:
    outcomes = (store.get(document, settings) for store in stores)
    return next((outcome for outcome in outcomes if outcome is not None), None)


def _checked(pairs: _Pairs, plan: Plan, said: list[str]) -> Iterator[Outcome]:
    """The outcomes, in the order in which they come."""
    if plan.cluster is not None and pairs:
        from inertial_check.running.cluster import on_cluster

        yield from on_cluster(plan.cluster, pairs, said.append, plan.extent)
        return
    jobs = _jobs(plan.jobs, len(pairs))
    if jobs > 1:
        from inertial_check.running.workers import in_processes, tasks

        with closing(in_processes(tasks(pairs, plan.extent), jobs)) as batches:
            for outcomes in batches:
                yield from outcomes
        return
    settings = {document.path: own for document, own in pairs}
    for start in range(0, len(pairs), _TOGETHER):
        documents = [document for document, _ in pairs[start : start + _TOGETHER]]
        yield from check_documents(documents, settings.__getitem__, plan.extent)


def _jobs(wanted: int | None, documents: int) -> int:
    if wanted is None:
        return cores() if documents >= MANY else 1
    return min(wanted, documents)


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_cache() -> str:
    """The cache of a project: in the nearest folder above the working directory that is its root.

    A root has a configuration of this program, or a .git; where there is none, it is the working
    directory itself.
    """
    here = os.getcwd()
    folder, below = here, ""
    while folder != below:
        if _is_root(folder):
            return os.path.join(folder, _CACHE)
        folder, below = os.path.dirname(folder), folder
    return os.path.join(here, _CACHE)


def _is_root(folder: str) -> bool:
    names = ("inertial-check.toml", ".inertial-check.toml", ".git")
    return any(os.path.exists(os.path.join(folder, name)) for name in names)
