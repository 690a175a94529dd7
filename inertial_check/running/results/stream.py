"""The check of any number of documents, whose results go to a folder instead of a report.

Documents are found, checked and written at the same time, in the order in which they are found, and
a bounded number of them is under way: the memory of this process does not grow with their number.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from inertial_check.checking.check import Document
from inertial_check.checking.discovery import FileSearch
from inertial_check.running.cache import Fingerprints, make_key
from inertial_check.running.pools import (
    AnyBatch,
    BatchAnswer,
    BundleBatch,
    Pool,
    Promise,
    map_in_order,
    open_pool,
    split_into_batches,
)
from inertial_check.running.remote.addresses import parse_address, resolve_local
from inertial_check.running.results.counts import load_pyarrow
from inertial_check.running.results.reading import Form
from inertial_check.running.results.store import ResultsStore, UpstreamStore, is_current
from inertial_check.running.run import CheckRequest, cores, may_be_remote

_PERIOD = 2.0
"""Shortest time between two questions to the scheduler about its workers [s]."""

_Step = tuple[UpstreamStore, AnyBatch | None]
"""A batch on its way through the pool, or None for the end of an upstream."""
_MOST_MESSAGES = 1000
"""Largest number of failures that are kept to be shown."""


@dataclass
class StreamOutcome:
    """Outcome of a run whose results are stored.

    Attributes:
        checked: Number of documents that were checked.
        kept: Number of documents whose stored results still hold.
        failures: Why documents or paths could not be checked, the first of them.
        notes: Remarks about the search.
        sent: Size of what went to the workers of a cluster [bytes].
        received: Size of the rows that came from them [bytes].
    """

    checked: int = 0
    kept: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sent: int = 0
    received: int = 0


def check_to_folder(request: CheckRequest, path: str, form: Form) -> StreamOutcome:
    """Check every model that the paths of a request name or contain, into a folder of results.

    Args:
        request: The request.
        path: Path of the folder.
        form: Form of the parts.

    Raises:
        UsageError: The folder, a configuration or the cluster cannot be used.
    """
    if form == "parquet":
        load_pyarrow()
    return _Stream(request, ResultsStore(path, form, request.remark), form).run()


class _Stream:
    def __init__(self, request: CheckRequest, store: ResultsStore, form: Form) -> None:
        self._request, self._store, self._form = request, store, form
        self._outcome = StreamOutcome()
        self._open: dict[str, tuple[UpstreamStore, int]] = {}
        self._part = 0.0
        self._search = FileSearch(
            lambda path: request.settings_of(path).excludes(path),
            request.sniff,
            lambda path: request.settings_of(path).context.of_document(path).granted,
        )
        self._remote = list(dict.fromkeys(filter(may_be_remote, request.paths)))
        plain = [path for path in request.paths if not may_be_remote(path)]
        self._paths = [path.replace(os.sep, "/") for path in plain]

    def run(self) -> StreamOutcome:
        outcome = self._outcome
        with open_pool(self._request.cluster, self._request.jobs or cores()) as pool:
            self._work(pool)
            outcome.sent = pool.sent
            if pool.undone:
                self._request.remark(
                    f"{pool.undone} files were checked on this machine: the workers of "
                    f"{self._request.cluster} see other files, have another version, or have ended"
                )
        self._store.drop_others(self._covers)
        found = self._search.messages()
        outcome.notes += found.notes
        outcome.failures += found.failures
        if not (outcome.checked or outcome.kept or outcome.failures or self._request.allow_empty):
            where = ", ".join(self._request.paths) or "an empty list"
            outcome.failures.append(f"nothing to check in {where}; --allow-empty accepts that")
        return outcome

    def _work(self, pool: Pool) -> None:
        def submit(step: _Step) -> Promise[BatchAnswer]:
            return list if step[1] is None else pool.submit(step[1])

        who, due = "", 0.0
        last = ""
        for (store, batch), answers in map_in_order(self._steps(), submit, pool.window):
            if batch is None:
                self._leave(store)
                continue
            for answer in answers:
                write = store.add_part if answer.whole else store.add
                write(answer.piece, answer.paths)
                self._outcome.received += len(answer.piece) if pool.sent else 0
                self._outcome.checked += answer.number
                self._outcome.notes += answer.notes[: _MOST_MESSAGES - len(self._outcome.notes)]
                room = _MOST_MESSAGES - len(self._outcome.failures)
                self._outcome.failures += answer.failures[:room]
                last = answer.paths[-1] if answer.paths else ""
            done = self._outcome.checked + self._outcome.kept
            now = time.monotonic()
            if now >= due:  # asking the scheduler takes a moment
                who, due = pool.describe(), now + _PERIOD
            self._request.progress(self._part, f"{done} files by {who}; {last}")

    def _steps(self) -> Iterator[_Step]:
        """The batches of documents that have changed, and the ends of upstreams."""
        content = repr(self._request.content)
        # The archives and URLs among the paths, unless their stored rows hold.
        request = self._request
        for at, text in enumerate(self._remote):
            self._part = at / (len(self._remote) + len(self._paths))
            address = parse_address(text)
            if address is None:
                self._paths.append(resolve_local(text))
                continue
            settings = request.settings_of(os.path.join(os.curdir, "fetched"))
            store = self._enter(address.upstream)
            parts = (settings, request.content, self._form, tuple(request.allowed_hosts))
            bundle = BundleBatch(address.upstream, address, *parts)
            row = store.known.get(address.shown)
            owned = [path for path in store.known if address.owns(path)]
            key = make_key(bundle.document, content)
            if row is not None and is_current(key, row, Fingerprints()):
                store.keep(owned)
                self._outcome.kept += max(len(owned) - 1, 0)
            else:
                store.replace(owned)
                yield store, bundle
            yield store, None
        for upstream, found in groupby(self._find(), key=lambda pair: pair[0]):
            store = self._enter(upstream)
            documents = self._pick((document for _, document in found), store, content)
            for batch in split_into_batches(upstream, documents, self._request.content, self._form):
                yield store, batch
            yield store, None

    def _enter(self, upstream: str) -> UpstreamStore:
        """Open an upstream; one whose earlier batches are still under way stays open."""
        store, visits = self._open.get(upstream) or (self._store.open_upstream(upstream), 0)
        self._open[upstream] = store, visits + 1
        return store

    def _leave(self, left: UpstreamStore) -> None:
        """Close an upstream, unless later batches of it are under way."""
        for upstream, (store, visits) in self._open.items():
            if store is left:
                if visits > 1:
                    self._open[upstream] = store, visits - 1
                else:
                    del self._open[upstream]
                    store.close(self._covers)
                return

    def _pick(
        self, documents: Iterator[Document], store: UpstreamStore, content: str
    ) -> Iterator[Document]:
        """Pick the documents whose stored rows do not hold, and keep the rows of the others."""
        fingerprints = Fingerprints()
        for document in documents:
            row = store.known.get(document.path)
            if row is not None and is_current(make_key(document, content), row, fingerprints):
                store.keep([document.path])
                self._outcome.kept += 1
            else:
                yield document

    def _find(self) -> Iterator[tuple[str, Document]]:
        """Find the documents, each with the name of its upstream."""
        settings_of = self._request.settings_of
        total = len(self._paths) + len(self._remote)
        for at, path in enumerate(self._paths, len(self._remote)):
            name = name_upstreams(path)
            try:
                folders = len(os.listdir(path)) or 1
            except (OSError, ValueError):
                folders = 1
            begun: set[str] = set()
            for file in self._search.find(path):
                upstream = name(file.path)
                begun.add(upstream)
                self._part = (at + min(len(begun) / folders, 1.0)) / total
                yield upstream, Document(file.path, file.named, settings_of(file.path))

    def _covers(self, path: str) -> bool:
        """Whether the search of this run would find a document, if it existed."""
        return any(
            path == given or path.startswith(given.rstrip("/") + "/") for given in self._paths
        )


def name_upstreams(path: str) -> Callable[[str], str]:
    """Make the function that names the upstream of a document that was found below a path.

    It is the first folder below that path; for a document beside these folders, or one that was
    named itself, the name of the folder that holds it.
    """
    base = path.rstrip("/") + "/" if os.path.isdir(path) else ""

    def name(document: str) -> str:
        inside = document[len(base) :] if base and document.startswith(base) else ""
        first, slash, _ = inside.partition("/")
        holder = os.path.basename(os.path.dirname(os.path.abspath(document)))
        return first if slash and first not in ("..", ".") else holder or "."

    return name
