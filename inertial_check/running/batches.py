"""Batches of documents that are checked for a folder of results, here or by workers of a cluster.

What comes back from a batch is encoded rows, which the process that asked writes as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from inertial_check.checking.check import Document, DocumentResult, ReportContent
from inertial_check.remote.addresses import Address
from inertial_check.remote.limits import RefusedError
from inertial_check.results.parts import Form, encode_rows, join
from inertial_check.results.rows import ARCHIVE, Row, build_rows
from inertial_check.running.bundles import open_bundle
from inertial_check.running.cache import Fingerprints
from inertial_check.running.results_store import make_key
from inertial_check.running.workers import Task, WorkerProcess, measure_size
from inertial_check.settings.settings import Settings

DOCUMENTS = 64
"""Largest number of documents in one batch."""

_BYTES = 1 << 21
"""Size of the documents of one batch above which no further one is added [bytes]."""


class Batch(NamedTuple):
    """Documents of one upstream.

    Attributes:
        upstream: Name of the upstream.
        documents: The documents.
        content: The optional parts of their reports.
        form: Form of the rows.
    """

    upstream: str
    documents: tuple[Document, ...]
    content: ReportContent
    form: Form


class BundleBatch(NamedTuple):
    """An archive or a URL, which the process that checks it fetches itself.

    Attributes:
        upstream: Name of the upstream.
        address: The address.
        settings: The settings of the run.
        content: The optional parts of the reports.
        form: Form of the rows.
        allowed: Hosts to which servers may redirect.
    """

    upstream: str
    address: Address
    settings: Settings
    content: ReportContent
    form: Form
    allowed: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        """The archive itself as a document, whose row says whether its members' rows hold."""
        return Document(self.address.shown, bool(self.address.member), self.settings)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The files that have to be the same on a worker."""
        local = self.document._replace(path=self.address.base)
        return (local,) if self.address.is_local else ()


AnyBatch = Batch | BundleBatch


class BatchAnswer(NamedTuple):
    """The results of a batch.

    Attributes:
        piece: The rows, as `results.parts.join` takes them.
        paths: Paths of the documents that were checked.
        failures: Why named documents could not be checked.
        undone: Documents that the worker could not check.
        number: Number of documents that were checked.
        notes: Lines about what was left out of archives.
        whole: Whether the rows are encoded as a whole part, which only has to be written.
    """

    piece: bytes
    paths: tuple[str, ...]
    failures: tuple[str, ...] = ()
    undone: tuple[Document, ...] = ()
    number: int = 0
    notes: tuple[str, ...] = ()
    whole: bool = False


def split_into_batches(
    upstream: str, documents: Iterable[Document], content: ReportContent, form: Form
) -> Iterator[Batch]:
    """Group documents into batches, in their order."""
    part: list[Document] = []
    total = 0
    for document in documents:
        size = measure_size(document)
        if part and (len(part) == DOCUMENTS or total + size > _BYTES):
            yield Batch(upstream, tuple(part), content, form)
            part, total = [], 0
        part.append(document)
        total += size
    if part:
        yield Batch(upstream, tuple(part), content, form)


def check_batch(batch: AnyBatch, process: WorkerProcess) -> BatchAnswer:
    """Check the documents of a batch in a worker process, and encode their rows."""
    if isinstance(batch, BundleBatch):
        return _check_bundle(batch, process)
    results: list[DocumentResult] = []
    if batch.documents:
        for part in process.do(Task(batch.documents, batch.content, own_total=True)):
            results += part
    return encode_answer(batch, results)


def encode_answer(batch: Batch, results: Sequence[DocumentResult]) -> BatchAnswer:
    """Encode the rows of documents with the fingerprints of all files that they depend on."""
    fingerprints = Fingerprints()
    content = repr(batch.content)
    rows: list[Row] = []
    for document, result in zip(batch.documents, results, strict=True):
        own = os.path.abspath(document.path)
        inputs = None
        if result.lookups is not None:
            seen = {path: fingerprints.of(path) for path in (own, *result.lookups)}
            inputs = json.dumps(seen, separators=(",", ":"))
        key = make_key(document, content)
        rows += build_rows(batch.upstream, result, fingerprints.of(own), key, inputs)
    failures = tuple(each.failure for each in results if each.failure is not None)
    paths = tuple(document.path for document in batch.documents)
    piece = encode_rows(rows, batch.form) if rows else b""
    return BatchAnswer(piece, paths, failures, number=len(paths))


def _check_bundle(batch: BundleBatch, process: WorkerProcess) -> BatchAnswer:
    """Fetch an archive or a URL, check its documents, and encode their rows after its own."""
    address = batch.address
    own = os.path.abspath(address.base)
    inputs = None
    if address.is_local:
        inputs = json.dumps({own: Fingerprints().of(own)}, separators=(",", ":"))
    key = make_key(batch.document, repr(batch.content))
    rows: list[Row] = []
    failures: list[str] = []
    notes: tuple[str, ...] = ()
    seen_of = Fingerprints().of
    try:
        with open_bundle(address, batch.settings, batch.allowed) as bundle:
            notes = bundle.notes
            failures += bundle.failures
            for at in range(0, len(bundle.documents), DOCUMENTS):
                task = Task(bundle.documents[at : at + DOCUMENTS], batch.content, own_total=True)
                for result in (each for part in process.do(task) for each in part):
                    own_rows = build_rows(batch.upstream, result, seen_of(result.path), "", None)
                    rows += map(bundle.rename_row, own_rows)
                    if result.failure is not None:
                        failures.append(own_rows[0]["note"])
            count = len(bundle.documents)
    except RefusedError as error:
        failures, count, inputs = [f"{address.shown}: {error}"], 0, None
    row = build_rows(batch.upstream, DocumentResult(address.shown), "", key, inputs)[0]
    row["status"] = ARCHIVE
    rows.insert(0, row)
    part = join([encode_rows(rows, batch.form)], batch.form)
    told = tuple(failures)
    return BatchAnswer(part, (address.shown,), told, number=count, notes=notes, whole=True)
