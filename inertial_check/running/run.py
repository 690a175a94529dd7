"""The check of many documents: paths to one report, in this process or in several.

With changes since a revision of git, only documents are checked that these concern: those that have
changed themselves, and those of which anything has changed that was looked at for them: included
files, meshes, manifests of packages, and what was looked for and not found. What git does not track
counts as changed: nobody knows.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from inertial_check.checking.check import (
    FULL_CONTENT,
    Document,
    DocumentResult,
    ReportContent,
    check_documents,
)
from inertial_check.checking.discovery import Discovery, discover
from inertial_check.checking.report import Account, Report
from inertial_check.checking.settings import Settings
from inertial_check.checking.suppressions import Acceptances
from inertial_check.documents.children import Termination, count_interruptions, limit_expansions
from inertial_check.documents.files.access import (
    FolderMemory,
    Limits,
    contains,
    read_regular,
    remember_folders,
)
from inertial_check.errors import UsageError
from inertial_check.reports.text import describe_account
from inertial_check.running import find_size, prescribe_lazily

if TYPE_CHECKING:
    from inertial_check.checking.expected import Expected
    from inertial_check.running.cache import Store
    from inertial_check.running.remote.bundles import Bundle


MANY = 128
"""Number of documents from which worker processes and the default cache save time."""

_BATCH = 64
"""Number of documents that one process reads before it judges their bodies in one batch; larger
batches save little time and need more memory."""

_FIRST_BATCH = 8
"""Number of documents of the first batch of a process that shows its progress."""

_PATIENCE = 0.5
"""Processor time that a batch should take at most [s]: the next one is half as large after a longer
one. Waiting on a busy machine makes no batch smaller, which would take more time in all."""

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

    The last nine attributes say how the check is carried out; they do not change its report.

    Attributes:
        paths: Files, directories and globs; "-" stands for `stdin`.
        settings_of: Gives the validated settings of the file at a path, one object for all files
            that share a configuration.
        stdin: The document read from standard input; None if it is not read.
        sniff: Treat named files as a folder search does; see `discover`.
        allow_empty: Whether it is no failure that there is nothing to check.
        allow_unjudged: Whether it is no failure that none of the inertials that were found could be
            judged.
        changes: Check only documents that these changes affect; None to check all.
        content: The optional parts of the report.
        jobs: Number of processes; None for one per core if there are enough documents.
        cache: Folder with the results of earlier runs; None for no cache.
        always_cache: Use the cache for few documents as well.
        resume: File that stores the results of this run, from which it can be resumed; None for
            no such file.
        cluster: Address of the Dask scheduler whose workers check; None for this machine.
        allowed_hosts: Hosts to which a server that a URL names may redirect.
        progress: Called with the completed fraction of the work, 0 to 1, and the path of the file
            that was begun or completed last.
        remark: Called with each remark about how the check was carried out, for the user.
        interrupted: Called when a signal ends the check, with the report on the files that are
            checked and the number of the others, before the exception goes on.
    """

    paths: Sequence[str]
    settings_of: Callable[[str], Settings]
    stdin: Document | None = None
    sniff: bool = False
    allow_empty: bool = False
    allow_unjudged: bool = False
    changes: Changes | None = None
    content: ReportContent = FULL_CONTENT
    jobs: int | None = 1
    cache: str | None = None
    always_cache: bool = False
    resume: str | None = None
    cluster: str | None = None
    allowed_hosts: Sequence[str] = ()
    progress: Callable[[float, str], None] = lambda part, path: None
    remark: Callable[[str], None] = lambda line: None
    interrupted: Callable[[Report, int], None] = lambda report, left: None


@limit_expansions()
def check_paths(request: CheckRequest) -> Report:
    """Judge every model that the paths of a request name or contain, also by URL and in archives.

    Raises:
        UsageError: A configuration is wrong, or the cache, the file to resume from or the cluster
            cannot be used.
    """
    remote = list(filter(may_be_remote, request.paths))
    if not remote:
        return _check_local(request, ())
    from inertial_check.running.remote.bundles import open_bundles

    local = tuple(path for path in request.paths if path not in remote)
    with open_bundles(remote, request) as (bundles, further):
        return _check_local(replace(request, paths=(*local, *further)), bundles)


_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".tzst", ".git")
"""Last suffixes of archives and of repositories without a working tree, which are unpacked."""


def may_be_remote(path: str) -> bool:
    """Whether a path may be a URL or an archive, by its spelling alone."""
    return "://" in path or path.lower().endswith((*_ARCHIVES, ".bundle"))


def _check_local(request: CheckRequest, bundles: Sequence[Bundle]) -> Report:
    """Check files of this machine, and those that were fetched.

    Args:
        request: The request, whose paths are plain paths.
        bundles: Documents of archives and URLs.
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
        found = found._replace(counted=())  # what a change concerns is not asked of them
        documents = [each for each in documents if changes.may_concern(each.path)]
    found = found._replace(counted=(*found.counted, *chain(*(each.counted for each in bundles))))
    owners = {each.path: bundle for bundle in bundles for each in bundle.documents}
    documents += [document for bundle in bundles for document in bundle.documents]
    known: dict[str, DocumentResult] = {}
    acceptances = Acceptances(settings_of)

    def keep(result: DocumentResult) -> DocumentResult:
        """Keep a result under the path that the report has."""
        if result.path in owners:
            result = owners[result.path].rename(result)
        if result.file is not None:
            acceptances.add(result.file)
        return result

    # What no change concerns is not kept, and only the whole result tells that.
    at_once = keep if changes is None else None
    try:
        _collect(documents, request, known, owners.keys(), at_once)
    except (KeyboardInterrupt, Termination):
        done = [known[each.path] for each in documents if each.path in known]
        done = done if changes is None else list(map(keep, done))
        left = len(documents) - len(done) + (request.stdin is not None)
        request.interrupted(_assemble(found, _sort(done, owners), allow_unjudged=True), left)
        raise
    results = [known[document.path] for document in documents]
    if changes is not None:
        results = [each for each in results if each.path in owners or changes.concern(each)]
        results = list(map(keep, results))
    if request.stdin is not None:
        results += map(keep, _check_here([request.stdin], request, len(documents)))
        results.sort(key=lambda result: result.path)
    results = _sort(results, owners)
    report = _assemble(found, results, request.allow_unjudged)
    notes = report.notes + tuple(note for bundle in bundles for note in bundle.notes)
    failures = report.failures + tuple(each for bundle in bundles for each in bundle.failures)
    if changes is not None and found.files and not results:
        notes += (f"none of {len(found.files)} files is affected by a change",)
    elif not (report.files or failures or report.account.inertials or request.allow_empty):
        where = ", ".join(request.paths) or "an empty list"
        failures = (f"nothing to check in {where}; --allow-empty accepts that",)
    failures += _name_unmatched(report, request)
    searched = () if changes is not None else tuple(filter(os.path.isdir, named))
    report = replace(report, failures=failures, notes=notes)
    return acceptances.report_unused(report, searched)


def _name_unmatched(report: Report, request: CheckRequest) -> tuple[str, ...]:
    """Say which rows of expected values name no body, and which two disagree about one."""
    asked: dict[tuple[Expected, ...], list[tuple[str, tuple[str, str]]]] = {}
    for file in report.files:
        if rows := request.settings_of(file.path).expected:
            bodies = asked.setdefault(rows, [])
            bodies += ((file.path, (body.name, body.id)) for body in file.bodies)
    if not asked:
        return ()
    from inertial_check.checking.expected import find_unmatched  # where a table is given

    whole = request.changes is None
    return tuple(chain(*(find_unmatched(rows, each, whole) for rows, each in asked.items())))


def _sort(results: list[DocumentResult], owners: Collection[str]) -> list[DocumentResult]:
    """Sort results by path where documents were fetched, whose addresses are among the paths."""
    return sorted(results, key=lambda result: result.path) if owners else results


def _assemble(found: Discovery, results: Sequence[DocumentResult], allow_unjudged: bool) -> Report:
    """Assemble the report from what was found and the results of the documents."""
    notes = (*found.notes, *(each.note for each in results if each.note is not None))
    failures = (*found.failures, *(each.failure for each in results if each.failure is not None))
    files = tuple(each.file for each in results if each.file is not None)
    notes += tuple(dict.fromkeys(note for file in files for note in file.notes))
    counted = chain(found.counted, *(each.counted for each in results))
    account = Account.of(counted, found.skipped)
    if account.unjudged and not any(account.judged.values()) and not allow_unjudged:
        what = describe_account(account).removesuffix(".")
        failures += (f"{what}; --allow-unjudged accepts that",)
    return Report(files, failures, notes, account)


def _collect(
    documents: Sequence[Document],
    request: CheckRequest,
    results: dict[str, DocumentResult],
    unstored: Collection[str],
    keep: Callable[[DocumentResult], DocumentResult] | None,
) -> None:
    """Add the result of each document by its path; stored results are used again.

    Args:
        documents: The documents.
        request: The request.
        results: The results so far.
        unstored: Paths of documents whose results are not stored: they lie there for this run only.
        keep: Gives what is kept of a result; None to keep it whole.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(each)) for each in _stores(request, len(documents))]
        for document in documents:
            if document.path in unstored:
                continue
            stored = (store.get(document) for store in stores)
            result = next((each for each in stored if each is not None), None)
            if result is not None:
                results[document.path] = keep(result) if keep else result
        pending = {each.path: each for each in documents if each.path not in results}
        request.progress(len(results) / max(len(documents), 1), next(iter(pending), ""))
        for result in _check(list(pending.values()), request, len(results)):
            for store in () if result.path in unstored else stores:
                store.put(pending[result.path], result)
            results[result.path] = keep(result) if keep else result
            request.progress(len(results) / len(documents), result.path)


def _stores(request: CheckRequest, count: int) -> list[Store]:
    """The stores of results; a default cache only for many documents, as few are checked faster.

    A cache that may be a stranger's is not used, and a remark says so; nor is a default one that
    cannot be written.
    """
    stores: list[Store] = []
    if request.cache is not None and (request.always_cache or count >= MANY):
        from inertial_check.running.cache import Folder, RefusedStoreError

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


def _check(
    documents: Sequence[Document], request: CheckRequest, done: int
) -> Iterator[DocumentResult]:
    """Check documents where the request says; results come in the order of their completion.

    Args:
        documents: The documents.
        request: The request.
        done: Number of other documents of the request, whose results are known.
    """
    automatic = cores() if len(documents) >= MANY else 1
    jobs = automatic if request.jobs is None else min(request.jobs, len(documents))
    if jobs > 1 or (request.cluster is not None and documents):
        yield from _check_elsewhere(documents, request, jobs)
    else:
        yield from _check_here(documents, request, done)


def _check_here(
    documents: Sequence[Document], request: CheckRequest, done: int = 0
) -> Iterator[DocumentResult]:
    """Check documents in this process, except large ones.

    An interruption loses the batch that is being checked, so batches are as small as they have to
    be for one to take no longer than a person waits.

    After a document has been stopped by the time limit, another process checks the rest: the
    exception that stops it may leave a library in any state.
    """
    large = [each for each in documents if find_size(each) >= _LARGE]
    rest = [each for each in documents if each not in large] if large else documents
    prescribe = prescribe_lazily if request.content.remedies else None
    before, size = count_interruptions(), _FIRST_BATCH
    total, steps, count = done + len(documents), 0, 0
    folders = FolderMemory()  # what is asked of the tree around a batch, the next would ask again

    def begin(path: str) -> None:
        """Show that a step on a document begins; there are two for each, and one for all."""
        nonlocal steps
        part = min(steps / (2 * count + 1), 1.0)
        steps += 1
        request.progress((done + count * part) / total, path)

    while rest and count_interruptions() == before:
        start, steps, count = time.process_time(), 0, min(size, len(rest))
        with remember_folders(folders):
            results = check_documents(rest[:size], request.content, begin, prescribe)
        yield from results
        done, rest = done + size, rest[size:]
        quick = time.process_time() - start < _PATIENCE
        size = min(2 * size, _BATCH) if quick else max(size // 2, 1)
    if large or rest:
        yield from _check_elsewhere([*large, *rest], request, 1)


def _check_elsewhere(
    documents: Sequence[Document], request: CheckRequest, jobs: int
) -> Iterator[DocumentResult]:
    """Check documents in worker processes, or on a cluster."""
    from inertial_check.running.pools import open_pool
    from inertial_check.running.workers import split_into_tasks

    with open_pool(request.cluster, jobs) as pool:
        for results in pool.do_all(split_into_tasks(documents, request.content)):
            yield from results
        if pool.undone:
            request.remark(
                f"{pool.undone} of {len(documents)} files were checked on this machine: the "
                f"workers of {request.cluster} see other files, have another version, or have ended"
            )


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


_REFERENCES = re.compile(rb"mesh|include|file|uri|package|xacro|@|\0")
"""Words without which a document refers to no other file; binary data may refer without them."""

_CONFIGURATIONS = ("inertial-check.toml", ".inertial-check.toml")
_SHARED_CONFIGURATION = "pyproject.toml"


class Changes:
    """Files that are not as they were at the merge base of a revision and HEAD.

    Attributes:
        base: The merge base.
        paths: Real paths of the files that have changed, are new, or are gone.
    """

    def __init__(self, revision: str, folder: str = ".", option: str = "--changed-since") -> None:
        """Ask git.

        Args:
            revision: As git takes it.
            folder: In the working tree of the repository.
            option: The option that names the revision, for messages.

        Raises:
            UsageError: There is no git, no repository, or no such revision; in git's words.
        """
        self._top = os.path.realpath(ask_git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
        if revision.startswith("-"):
            raise UsageError(f"{option} {revision}: expected a revision")
        commit = f"{revision}^{{commit}}"
        self.base = base = ask_git(folder, "merge-base", commit, "HEAD", option=option).strip()
        # What changes inside a submodule is no part of this repository, and to ask for it starts
        # git with the configuration of the submodule.
        forms = ("--name-only", "--no-renames", "--no-ext-diff", "-z")
        names = ("diff", *forms, "--ignore-submodules=dirty")
        self.paths = self._absolute(
            ask_git(self._top, *names, base, "--"),
            ask_git(self._top, *names, "--cached", base, "--"),
            ask_git(self._top, "ls-files", "-z", "--others", "--exclude-standard"),
        )
        self._tracked = self._absolute(ask_git(self._top, "ls-files", "-z"))
        self._folders = {os.path.dirname(path) for path in self.paths}
        # Folders below which a configuration has changed, with a separator at their end.
        self._configured = tuple(
            os.path.join(os.path.dirname(path), "")
            for path in self.paths
            if (name := os.path.basename(path)) in _CONFIGURATIONS
            or (name == _SHARED_CONFIGURATION and mentions_program(path))
        )
        self._known: dict[str, bool] = {}

    def _absolute(self, *listings: str) -> frozenset[str]:
        names = {name for listing in listings for name in listing.split("\0") if name}
        return frozenset(os.path.join(self._top, name) for name in names)

    def may_concern(self, path: str) -> bool:
        """Whether a document has to be looked at in order to know."""
        if self._has_changed(path):
            return True
        try:
            return _REFERENCES.search(read_regular(path, Limits.document)) is not None
        except OSError:
            return True

    def concern(self, result: DocumentResult) -> bool:
        """Whether what came of a document may be another than at that revision."""
        if result.lookups is None or self._has_changed(result.path):
            return True
        return any(self._is_other(path) for path in result.lookups)

    def _has_changed(self, path: str) -> bool:
        real = os.path.realpath(path)
        if real not in self._tracked or real in self.paths:
            return True
        return os.path.join(real, "").startswith(self._configured) if self._configured else False

    def _is_other(self, path: str) -> bool:
        """Whether a file or folder that was looked at is another, or may be."""
        from inertial_check.documents.resources import concerns_lookup, split_tree_lookup

        known = self._known.get(path)
        if known is None:
            real = os.path.realpath(path)
            if split_tree_lookup(real) is not None:
                known = any(concerns_lookup(real, each) for each in self.paths)
            elif os.path.isdir(real):
                known = real in self._folders or not contains(self._top, real)
            else:
                known = real in self.paths or (os.path.exists(real) and real not in self._tracked)
            self._known[path] = known
        return known


def mentions_program(path: str) -> bool:
    """Whether a pyproject.toml speaks of this program; one that is gone may have."""
    try:
        return b"inertial-check" in read_regular(path, Limits.document)
    except OSError:
        return True


def ask_git(folder: str, *arguments: str, option: str = "--changed-since") -> str:
    """Ask git about the repository of a folder, whose files may be a stranger's; returns its text.

    Raises:
        UsageError: In its words.
    """
    import subprocess  # for this option alone: a hundredth of the start

    from inertial_check.documents.files.history import SAFE_GIT, close_environment

    command = ["git", "-C", folder, *SAFE_GIT, *arguments]
    try:
        environment = close_environment(folder)
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{option} asks git, which cannot be run: {reason}") from None
    if done.returncode:
        said = " ".join(os.fsdecode(done.stderr).split()).removeprefix("fatal: ")
        reason = said or "it has no ancestor in common with HEAD"
        if "unable to read" in said or "lazy fetch" in said:  # of a partial clone
            reason += "; `git fetch --refetch` brings what is missing"
        raise UsageError(f"{option}: git says: {reason}")
    return os.fsdecode(done.stdout)
