"""The check of many documents: paths to one report, in this process or in several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inertial_check.checking.check import (
    FULL_CONTENT,
    Document,
    DocumentResult,
    ReportContent,
    check_documents,
)
from inertial_check.model import Report
from inertial_check.selecting.discovery import discover
from inertial_check.settings.settings import Settings

if TYPE_CHECKING:
    from inertial_check.running.cache import Store
    from inertial_check.running.changes import Changes

MANY = 128
"""Number of documents from which worker processes and the default cache save time."""

_BATCH = 64
"""Number of documents that one process reads before it judges their bodies in one batch; larger
batches save little time and need more memory."""

_CACHE = ".inertial_check_cache"
"""Name of the default cache folder, in the root folder of the project."""

_ROOT_MARKS = ("inertial-check.toml", ".inertial-check.toml", ".git")
"""Files and folders of which a root folder of a project has at least one."""


@dataclass(frozen=True)
class CheckRequest:
    """Everything that one check of many documents is asked to do.

    The last six attributes say how the check is carried out; they do not change its report.

    Attributes:
        paths: Files, directories and globs; "-" stands for `stdin`.
        settings_of: Gives the validated settings of the file at a path, one object for all files
            that share a configuration.
        stdin: The document read from standard input; None if it is not read.
        sniff: Treat named files as a folder search does; see `discover`.
        allow_empty: Whether it is no failure that there is nothing to check.
        changes: Check only documents that these changes affect; None to check all.
        content: The optional parts of the report.
        jobs: Number of processes; None for one per core if there are enough documents.
        cache: Folder with the results of earlier runs; None for no cache.
        always_cache: Use the cache for few documents as well.
        resume: File that stores the results of this run, from which it can be resumed; None for
            no such file.
        cluster: Address of the Dask scheduler whose workers check; None for this machine.
        progress: Called with the completed fraction of the work, 0 to 1.
    """

    paths: Sequence[str]
    settings_of: Callable[[str], Settings]
    stdin: Document | None = None
    sniff: bool = False
    allow_empty: bool = False
    changes: Changes | None = None
    content: ReportContent = FULL_CONTENT
    jobs: int | None = 1
    cache: str | None = None
    always_cache: bool = False
    resume: str | None = None
    cluster: str | None = None
    progress: Callable[[float], None] = lambda part: None


def check_paths(request: CheckRequest) -> Report:
    """Judge every model that the paths of a request name or contain.

    Raises:
        UsageError: A configuration is wrong, or the cache, the file to resume from or the cluster
            cannot be used.
    """
    settings_of, changes = request.settings_of, request.changes
    named = [path for path in request.paths if path != "-"]
    found = discover(
        named,
        lambda path: settings_of(path).excludes(path),
        request.sniff,
        lambda path: settings_of(path).context.of_document(path).granted,
    )
    documents = [Document(path, named, settings_of(path)) for path, named in found.files]
    if changes is not None:
        documents = [each for each in documents if changes.may_concern(each.path)]
    remarks: list[str] = []
    results = _collect(documents, request, remarks)
    if changes is not None:
        results = [result for result in results if changes.concern(result)]
    if request.stdin is not None:
        results += check_documents([request.stdin], request.content)
        results.sort(key=lambda result: result.path)
    notes = (*found.notes, *remarks, *(each.note for each in results if each.note is not None))
    failures = (*found.failures, *(each.failure for each in results if each.failure is not None))
    files = tuple(each.file for each in results if each.file is not None)
    notes += tuple(dict.fromkeys(note for file in files for note in file.notes))
    if changes is not None and found.files and not results:
        notes += (f"none of {len(found.files)} files is affected by a change",)
    elif not files and not failures and not request.allow_empty:
        where = ", ".join(request.paths) or "an empty list"
        failures = (f"nothing to check in {where}; --allow-empty accepts that",)
    return Report(files, failures, notes)


def _collect(
    documents: Sequence[Document], request: CheckRequest, remarks: list[str]
) -> list[DocumentResult]:
    """The result of each document, in their order; stored results are used again.

    Remarks for the user about the run are appended to `remarks`.
    """
    results: dict[str, DocumentResult] = {}
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(each)) for each in _stores(request, len(documents))]
        for document in documents:
            stored = (store.get(document) for store in stores)
            result = next((each for each in stored if each is not None), None)
            if result is not None:
                results[document.path] = result
        pending = {each.path: each for each in documents if each.path not in results}
        request.progress(len(results) / max(len(documents), 1))
        for result in _check(list(pending.values()), request, remarks):
            for store in stores:
                store.put(pending[result.path], result)
            results[result.path] = result
            request.progress(len(results) / len(documents))
    return [results[document.path] for document in documents]


def _stores(request: CheckRequest, count: int) -> list[Store]:
    """The stores of results; a default cache only for many documents, as few are checked faster."""
    stores: list[Store] = []
    if request.cache is not None and (request.always_cache or count >= MANY):
        from inertial_check.running.cache import Folder

        stores.append(Folder(request.cache, request.content))
    if request.resume is not None:
        from inertial_check.running.cache import Journal

        stores.append(Journal(request.resume, request.content))
    return stores


def _check(
    documents: Sequence[Document], request: CheckRequest, remarks: list[str]
) -> Iterator[DocumentResult]:
    """Check documents where the request says; results come in the order of their completion."""
    if request.cluster is not None and documents:
        from inertial_check.running.cluster import check_on_cluster

        yield from check_on_cluster(request.cluster, documents, remarks.append, request.content)
        return
    automatic = cores() if len(documents) >= MANY else 1
    jobs = automatic if request.jobs is None else min(request.jobs, len(documents))
    if jobs > 1:
        from inertial_check.running.workers import check_in_processes, split_into_tasks

        tasks = split_into_tasks(documents, request.content)
        with closing(check_in_processes(tasks, jobs)) as batches:
            for results in batches:
                yield from results
        return
    for start in range(0, len(documents), _BATCH):
        yield from check_documents(documents[start : start + _BATCH], request.content)


def cores() -> int:
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_cache() -> str:
    """Path of the cache folder of the project that contains the working directory.

    It lies in the nearest folder, from the working directory upwards, that has a configuration
    file of this program or a .git; without any such folder, in the working directory.
    """
    here = os.getcwd()
    folder, below = here, ""
    while folder != below:
        if any(os.path.exists(os.path.join(folder, name)) for name in _ROOT_MARKS):
            return os.path.join(folder, _CACHE)
        folder, below = os.path.dirname(folder), folder
    return os.path.join(here, _CACHE)
