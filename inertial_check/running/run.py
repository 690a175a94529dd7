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
from inertial_check.errors import UsageError
from inertial_check.formats.xacro.total import limit_expansions
from inertial_check.isolation import count_interruptions
from inertial_check.model import Report
from inertial_check.selecting.discovery import discover
from inertial_check.selecting.suppressions import report_unused_acceptances
from inertial_check.settings.settings import Settings

if TYPE_CHECKING:
    from inertial_check.running.cache import Store
    from inertial_check.running.changes import Changes

MANY = 128
"""Number of documents from which worker processes and the default cache save time."""

_BATCH = 64
"""Number of documents that one process reads before it judges their bodies in one batch; larger
batches save little time and need more memory."""

_LARGE = 8 << 20
"""Size from which a document is checked by a process of its own even if one process is to do all
[bytes]: a library may be busy with it so long that only ending the process stops it, and starting
one takes less than 3 % of the time of such a check."""

_CACHE = ".inertial_check_cache"
"""Name of the default cache folder, in the root folder of the project."""

_ROOT_MARKS = ("inertial-check.toml", ".inertial-check.toml", ".git")
"""Files and folders of which a root folder of a project has at least one."""


@dataclass(frozen=True)
class CheckRequest:
    """Everything that one check of many documents is asked to do.

    The last seven attributes say how the check is carried out; they do not change its report.

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
        remark: Called with each remark about how the check was carried out, for the user.
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
    remark: Callable[[str], None] = lambda line: None


@limit_expansions()
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
    results = _collect(documents, request)
    if changes is not None:
        results = [result for result in results if changes.concern(result)]
    if request.stdin is not None:
        results += _check_here([request.stdin], request)
        results.sort(key=lambda result: result.path)
    notes = (*found.notes, *(each.note for each in results if each.note is not None))
    failures = (*found.failures, *(each.failure for each in results if each.failure is not None))
    files = tuple(each.file for each in results if each.file is not None)
    notes += tuple(dict.fromkeys(note for file in files for note in file.notes))
    if changes is not None and found.files and not results:
        notes += (f"none of {len(found.files)} files is affected by a change",)
    elif not files and not failures and not request.allow_empty:
        where = ", ".join(request.paths) or "an empty list"
        failures = (f"nothing to check in {where}; --allow-empty accepts that",)
    searched = () if changes is not None else tuple(filter(os.path.isdir, named))
    return report_unused_acceptances(Report(files, failures, notes), settings_of, searched)


def _collect(documents: Sequence[Document], request: CheckRequest) -> list[DocumentResult]:
    """The result of each document, in their order; stored results are used again."""
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
        for result in _check(list(pending.values()), request):
            for store in stores:
                store.put(pending[result.path], result)
            results[result.path] = result
            request.progress(len(results) / len(documents))
    return [results[document.path] for document in documents]


def _stores(request: CheckRequest, count: int) -> list[Store]:
    """The stores of results; a default cache only for many documents, as few are checked faster.

    A cache that may be a stranger's is not used, and a remark says so; nor is a default one that
    cannot be written.
    """
    stores: list[Store] = []
    if request.cache is not None and (request.always_cache or count >= MANY):
        from inertial_check.running.cache import Folder
        from inertial_check.running.seal import RefusedStoreError

        try:
            stores.append(Folder(request.cache, request.content))
        except UsageError as error:
            if request.always_cache and not isinstance(error, RefusedStoreError):
                raise
            request.remark(str(error))
    if request.resume is not None:
        from inertial_check.running.cache import Journal

        stores.append(Journal(request.resume, request.content))
    return stores


def _check(documents: Sequence[Document], request: CheckRequest) -> Iterator[DocumentResult]:
    """Check documents where the request says; results come in the order of their completion."""
    if request.cluster is not None and documents:
        from inertial_check.running.cluster import check_on_cluster

        yield from check_on_cluster(request.cluster, documents, request.remark, request.content)
        return
    automatic = cores() if len(documents) >= MANY else 1
    jobs = automatic if request.jobs is None else min(request.jobs, len(documents))
    if jobs > 1:
        yield from _check_elsewhere(documents, request, jobs)
    else:
        yield from _check_here(documents, request)


def _check_here(documents: Sequence[Document], request: CheckRequest) -> Iterator[DocumentResult]:
    """Check documents in this process, except large ones.

    After a document has been stopped by the time limit, another process checks the rest: the
    exception that stops it may leave a library in any state.
    """
    large = [document for document in documents if _is_large(document)]
    rest = [document for document in documents if not _is_large(document)] if large else documents
    before = count_interruptions()
    while rest and count_interruptions() == before:
        yield from check_documents(rest[:_BATCH], request.content)
        rest = rest[_BATCH:]
    if large or rest:
        yield from _check_elsewhere([*large, *rest], request, 1)


def _is_large(document: Document) -> bool:
    try:
        size = len(document.data) if document.data is not None else os.path.getsize(document.path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False
    return size >= _LARGE


def _check_elsewhere(
    documents: Sequence[Document], request: CheckRequest, jobs: int
) -> Iterator[DocumentResult]:
    """Check documents in worker processes."""
    from inertial_check.running.workers import check_in_processes, split_into_tasks

    tasks = split_into_tasks(documents, request.content)
    with closing(check_in_processes(tasks, jobs)) as batches:
        for results in batches:
            yield from results


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
