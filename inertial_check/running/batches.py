"""Batches of documents that are checked for a folder of results, here or by workers of a cluster.

What comes back from a batch is encoded rows, which the process that asked writes as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from inertial_check.checking.check import Document, DocumentResult, ReportContent, give_up
from inertial_check.remote.addresses import Address
from inertial_check.remote.limits import RefusedError
from inertial_check.results.parts import Form, encode_part, encode_rows
from inertial_check.results.rows import ARCHIVE, DocumentRows, Row, build_rows
from inertial_check.running.bundles import open_bundle
from inertial_check.running.cache import Fingerprints
from inertial_check.running.encoding import encode
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

    def only(self, documents: tuple[Document, ...]) -> Batch:
        """The same batch with some of its documents."""
        return self._replace(documents=documents)

    def check(self, process: WorkerProcess) -> BatchAnswer:
        """Check the documents in a worker process, and encode their rows."""
        answers: list[DocumentRows] = []
        if self.documents:
            task = Task(self.documents, self.content, own_total=True)
            for part in process.do(RowsTask(self.upstream, task)):
                answers += part
        return encode_answer(self, answers)


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

    def only(self, documents: tuple[Document, ...]) -> None:
        """Say that an archive is checked as a whole."""

    def check(self, process: WorkerProcess) -> BatchAnswer:
        """Fetch the archive, check its documents, and encode their rows after its own."""
        return _check_bundle(self, process)


AnyBatch = Batch | BundleBatch


class BatchAnswer(NamedTuple):
    """The results of a batch.

    Attributes:
        piece: The rows, as `results.parts.join` takes them.
        paths: Paths of the documents that were checked.
        failures: Why named documents could not be checked.
        number: Number of documents that were checked.
        notes: Lines about what was left out of archives.
        whole: Whether the rows are encoded as a whole part, which only has to be written.
    """

    piece: bytes
    paths: tuple[str, ...]
    failures: tuple[str, ...] = ()
    number: int = 0
    notes: tuple[str, ...] = ()
    whole: bool = False


class RowsTask(NamedTuple):
    """A group of documents of one upstream that one worker checks, whose answers are rows.

    Rows leave out most of a result, so that the processes have less to encode and to decode.

    Attributes:
        upstream: Name of the upstream.
        task: The documents.
    """

    upstream: str
    task: Task

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents to check."""
        return self.task.documents

    @property
    def seconds(self) -> float:
        """The largest time limit of one of the documents [s]."""
        return self.task.seconds

    def split(self) -> list[RowsTask]:
        """The same documents, one in each task."""
        return [self._replace(task=each) for each in self.task.split()]

    def run(self, begin: Callable[[str], None] = lambda path: None) -> list[DocumentRows]:
        """Check the documents in this process; `begin` is called before each step."""
        return [build_rows(self.upstream, result) for result in self.task.run(begin)]

    def encode(self, answers: list[DocumentRows]) -> str:
        """Encode rows as one line of JSON, without a line end."""
        return encode(answers)

    def decode(self, line: bytes) -> list[DocumentRows]:
        """Decode the rows in a line.

        Raises:
            ValueError: The line does not hold rows.
        """
        try:
            return [DocumentRows(*each) for each in json.loads(line)]
        except TypeError as error:
            raise ValueError(f"no rows: {error}") from None

    def give_up(self, document: Document, reason: str) -> DocumentRows:
        """The rows of a document that cannot be checked at all, with the reason."""
        return build_rows(self.upstream, give_up(document, reason))


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


def encode_answer(batch: Batch, answers: Sequence[DocumentRows]) -> BatchAnswer:
    """Encode the rows of documents with the fingerprints of all files that they depend on."""
    fingerprints = Fingerprints()
    content = repr(batch.content)
    rows: list[Row] = []
    for document, answer in zip(batch.documents, answers, strict=True):
        own = os.path.abspath(document.path)
        inputs = None
        if answer.lookups is not None:
            seen = {path: fingerprints.of(path) for path in (own, *answer.lookups)}
            inputs = json.dumps(seen, separators=(",", ":"))
        rows += answer.complete(fingerprints.of(own), make_key(document, content), inputs)
    failures = tuple(each.failure for each in answers if each.failure is not None)
    paths = tuple(document.path for document in batch.documents)
    piece = encode_rows(rows, batch.form) if rows else b""
    return BatchAnswer(piece, paths, failures, number=len(paths))


def _check_bundle(batch: BundleBatch, process: WorkerProcess) -> BatchAnswer:
    """Fetch an archive or a URL, check its documents, and encode their rows after its own."""
    address = batch.address
    own = os.path.abspath(address.base)
    inputs = None
    if address.is_local and not os.path.isdir(own):  # of a repository the files do not tell
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
                parts = process.do(RowsTask(batch.upstream, task))
                for answer in (each for part in parts for each in part):
                    own_rows = answer.complete(seen_of(answer.path), "", None)
                    rows += bundle.rename_rows(own_rows)
                    if answer.failure is not None:
                        failures.append(own_rows[0]["note"])
            count = len(bundle.documents)
    except RefusedError as error:
        failures, count, inputs = [f"{address.shown}: {error}"], 0, None
    archive = build_rows(batch.upstream, DocumentResult(address.shown))
    (row,) = archive.complete("", key, inputs)
    row["status"] = ARCHIVE
    rows.insert(0, row)
    part = encode_part(rows, batch.form)
    told = tuple(failures)
    return BatchAnswer(part, (address.shown,), told, number=count, notes=notes, whole=True)
