"""Documents of archives and URLs: fetched, checked in a private folder, and reported by address."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inertial_check.checking.check import FULL_CONTENT, Document, DocumentResult
from inertial_check.checking.discovery import FileSearch
from inertial_check.checking.settings import Settings
from inertial_check.documents.files.access import Access
from inertial_check.documents.inertials import CountedFile
from inertial_check.documents.resources import split_tree_lookup
from inertial_check.running.remote.addresses import (
    Address,
    RefusedError,
    hide_secrets,
    parse_address,
    resolve_local,
)
from inertial_check.running.remote.fetch import Fetched, fetch
from inertial_check.running.results.rows import Row
from inertial_check.running.workers import Task, WorkerProcess, encode, restore

if TYPE_CHECKING:
    from inertial_check.running.run import CheckRequest


@dataclass
class Bundle:
    """The documents of an address.

    Attributes:
        fetched: The files.
        documents: The documents, at paths in the private folder.
        notes: Lines about what was left out.
        failures: Why something could not be read.
        counted: Inertials of files that are no models.
    """

    fetched: Fetched
    documents: tuple[Document, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    counted: tuple[CountedFile, ...] = ()

    def rename_rows(self, rows: list[Row]) -> list[Row]:
        """Replace private paths by addresses in the rows of one document, which are changed."""
        rename = self.fetched.rename
        address = rename(rows[0]["path"])
        for row in rows:
            row["path"] = address
            for name in ("note", "body_file"):
                if row.get(name) is not None:
                    row[name] = rename(row[name])
            for finding in row["findings"]:
                finding["message"] = rename(finding["message"])
        return rows

    def rename(self, result: DocumentResult) -> DocumentResult:
        """The result with the addresses of files; what it depends on is in no lasting file."""
        rows = json.loads(encode([result._replace(lookups=None)]))
        renamed: DocumentResult
        (renamed,) = restore(self.fetched.rename(rows))
        if renamed.file is None:
            return renamed
        # `fix` writes no archive and no URL, so no report counts on it.
        findings = tuple(each._replace(fix=None, remedy=None) for each in renamed.file.findings)
        return renamed._replace(file=renamed.file._replace(findings=findings))


@contextmanager
def open_bundle(
    address: Address, settings: Settings, allowed: Sequence[str] = ()
) -> Iterator[Bundle]:
    """Fetch the documents of an address, for as long as the context lasts.

    Args:
        address: The address.
        settings: The settings of the run; configurations beside the documents are not read.
        allowed: Hosts to which servers may redirect.

    Raises:
        RefusedError: It cannot be fetched, or exceeds a limit.
        UsageError: A library that is needed is not installed.
    """
    limits = settings.context.granted.limits
    process = WorkerProcess()

    def find_references(path: str) -> Collection[str]:
        # The private root of a fetched model: the second folder below that for temporary files.
        folder = os.path.dirname(path)
        while not os.path.basename(os.path.dirname(folder)).startswith("inertial-check-"):
            folder = os.path.dirname(folder)
        confined = _confine(settings, folder)
        found: set[str] = set()
        for results in process.do(Task((Document(path, True, confined),), FULL_CONTENT)):
            for result in results:
                looked = result.lookups or ()
                found.update(each for each in looked if split_tree_lookup(each) is None)
        return found

    try:
        with fetch(address, limits, allowed, find_references) as fetched:
            confined = _confine(settings, fetched.root)
            search = FileSearch(access_of=lambda path: confined.context.granted)
            if fetched.single:
                path = os.path.join(fetched.root, *fetched.single.split("/"))
                documents = [Document(path, True, confined)]
            else:
                found = search.find(fetched.root)
                documents = [Document(file.path, False, confined) for file in found]
            said = search.messages()
            notes = (*fetched.notes, *fetched.rename(list(said.notes)))
            failures = tuple(fetched.rename(list(said.failures)))
            counted = [each._replace(path=fetched.rename(each.path)) for each in said.counted]
            yield Bundle(fetched, tuple(documents), notes, failures, tuple(counted))
    finally:
        process.close()


@contextmanager
def open_bundles(
    texts: Sequence[str], request: CheckRequest
) -> Iterator[tuple[list[Bundle], list[str]]]:
    """Fetch all addresses of a request; what cannot be fetched is a failure in the report.

    Args:
        texts: Texts with "://" or the suffix of an archive.
        request: The request.

    Raises:
        UsageError: An address has another form, or a library that is needed is not installed.
    """
    bundles: list[Bundle] = []
    local: list[str] = []
    with ExitStack() as stack:
        for text in dict.fromkeys(texts):
            address = parse_address(text)
            if address is None:
                local.append(resolve_local(text))
                continue
            settings = request.settings_of(os.path.join(os.curdir, "fetched"))
            try:
                opened = open_bundle(address, settings, request.allowed_hosts)
                bundles.append(stack.enter_context(opened))
            except RefusedError as error:
                failed = Bundle(Fetched(address, ""), (), (), (f"{hide_secrets(text)}: {error}",))
                bundles.append(failed)
        yield bundles, local


def _confine(settings: Settings, root: str) -> Settings:
    """The settings of a run, with access to nothing but a private folder."""
    limits = settings.context.granted.limits
    access = Access(roots=(root,), limits=limits, named=(root,), ceiling=root)
    return replace(settings, context=replace(settings.context, access=access, packages={}))
