"""Language server: handles the editor's notifications and requests, and publishes diagnostics.

Messages are handled in one thread, which never waits: checks and answers are computed in threads of
their own. One check of a document runs at a time. Its result is used only if the document is still
the same; otherwise the newest text is checked next.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO
from urllib.parse import unquote

from lsprotocol import types
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from inertial_check import __version__
from inertial_check.checking.check import describe_lateness
from inertial_check.errors import DefectError, UsageError
from inertial_check.files.access import Limits
from inertial_check.isolation import raise_defects
from inertial_check.lsp.actions import FIX_ALL, Actions
from inertial_check.lsp.checking import Document, DocumentCheck, check
from inertial_check.lsp.diagnostics import SOURCE, collect_diagnostics
from inertial_check.lsp.hover import describe_position
from inertial_check.lsp.messages import serve_messages
from inertial_check.lsp.quick_fixes import QuickFixes
from inertial_check.lsp.texts import Text
from inertial_check.lsp.threads import in_thread
from inertial_check.settings.configuration import FILE_NAMES, Configurations

_QUIET = 0.15
"""Time without a change before a text is checked [s]: a pause between words, not letters."""

_PATIENCE = 5.0
"""Longest time that a hover or a list of actions waits for a check [s]."""

_WATCHED = (
    f"**/{{{','.join(FILE_NAMES)}}}",
    "**/*.{urdf,xacro,sdf,world,xml,mjcf,usd,usda,yaml,yml,stl,obj,dae}",
)

Shown = Mapping[str, list[types.Diagnostic]]
"""Diagnostics by the path of the document in which they are shown."""


class _Buffer(TextDocument):
    """Open document in the workspace, whose lines end as the protocol says."""

    def __init__(self, item: types.TextDocumentItem, units: types.PositionEncodingKind) -> None:
        super().__init__(item.uri, item.text, item.version, item.language_id)
        self.text = Text(item.text, units)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        where = change.range if isinstance(change, types.TextDocumentContentChangePartial) else None
        self.text = self.text.apply_change(where, change.text)


@dataclass(eq=False)
class _OpenDocument:
    """State of an open document.

    Attributes:
        document: Its newest text.
        due: Time of the next check on the loop's clock [s]; None where none is due.
        task: Task that checks it as long as it is due.
        checked: Its newest check.
        fixes: Quick fixes of the findings of that check.
        shown: Its diagnostics, by the path of the document in which they are shown.
    """

    document: Document
    due: float | None = None
    task: asyncio.Task[None] | None = None
    checked: DocumentCheck | None = None
    fixes: QuickFixes | None = None
    shown: Shown = field(default_factory=dict)


class Server(LanguageServer):
    """Language server that checks open documents.

    Args:
        configured: Reads the configurations.
        seconds: Time limit of a check and of an answer [s].
    """

    def __init__(
        self, configured: Callable[[], Configurations], seconds: float = Limits.seconds
    ) -> None:
        super().__init__(SOURCE, __version__)
        self.seconds = seconds
        self._configured = configured
        self._open: dict[str, _OpenDocument] = {}
        self.shut_down = False

    def update_document(self, uri: str, delay: float = _QUIET) -> None:
        """Handle a document that was opened, or has another text."""
        buffer = self.workspace.text_documents[unquote(uri)]
        if not isinstance(buffer, _Buffer):
            return
        path = _path(uri)
        document = Document(uri, path, buffer.text, buffer.version)
        known = self._open.get(path)
        if known is None:
            self._open[path] = _OpenDocument(document)
        else:
            known.document = document
        self._schedule(path, delay)
        self.recheck_dependents(path, delay)

    def close_document(self, uri: str) -> None:
        """Handle a document that was closed: its diagnostics disappear."""
        path = _path(uri)
        known = self._open.pop(path, None)
        for shown in () if known is None else known.shown:
            self._publish(shown)
        self.recheck_dependents(path)

    def recheck_dependents(self, path: str, delay: float = _QUIET) -> None:
        """Check the open documents that depend on a file that has changed."""
        for other, known in self._open.items():
            if other != path and known.checked is not None and known.checked.concerns(path):
                self._schedule(other, delay)

    def handle_file_changes(self, paths: Sequence[str]) -> None:
        """Handle files that have changed on the disk; a configuration concerns every document."""
        configured = any(os.path.basename(path) in FILE_NAMES for path in paths)
        for path in self._open if configured else ():
            self._schedule(path, 0)
        for path in paths:
            self.recheck_dependents(path, 0)

    async def wait_for_checks(self, uri: str) -> list[tuple[DocumentCheck, QuickFixes]]:
        """The current checks of all documents, after waiting for that of one document."""
        known = self._open.get(_path(uri))
        if known is not None and known.task is not None:
            await asyncio.wait({known.task}, timeout=_PATIENCE)
        return [
            (each.checked, each.fixes)
            for each in self._open.values()
            if each.checked is not None
            and each.fixes is not None
            and each.checked.document is each.document
        ]

    def document(self, uri: str) -> Document | None:
        """An open document; None where it is not open."""
        known = self._open.get(_path(uri))
        return None if known is None else known.document

    def documents(self) -> dict[str, Document]:
        """The open documents, by path."""
        return {path: known.document for path, known in self._open.items()}

    def takes_versions(self) -> bool:
        """Whether the editor takes edits with the versions of the documents that they are for."""
        workspace = self.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        return bool(edits and edits.document_changes)

    def _schedule(self, path: str, delay: float) -> None:
        known = self._open[path]
        loop = asyncio.get_running_loop()
        known.due = loop.time() + delay
        if known.task is None or known.task.done():
            known.task = loop.create_task(self._keep_checked(known))

    async def _keep_checked(self, known: _OpenDocument) -> None:
        loop = asyncio.get_running_loop()
        path = known.document.path
        while known.due is not None and self._open.get(path) is known:
            if (wait := known.due - loop.time()) > 0:
                await asyncio.sleep(wait)
                continue
            known.due = None
            document = known.document
            others = {
                other: each.document.text for other, each in self._open.items() if other != path
            }
            work = partial(_run_check, document, others, self._configured)
            try:
                checked, shown = await in_thread(work, self.seconds)
            except TimeoutError:
                checked = DocumentCheck(document, failure=describe_lateness(self.seconds))
                shown = collect_diagnostics(checked)
            if known.document is document and self._open.get(path) is known:
                self._take(known, checked, shown)

    def _take(self, known: _OpenDocument, checked: DocumentCheck, shown: Shown) -> None:
        before = set(known.shown)
        known.checked, known.fixes, known.shown = checked, QuickFixes(checked), shown
        for path in sorted(before | set(known.shown)):
            self._publish(path)

    def _publish(self, path: str) -> None:
        """Publish the diagnostics of all open documents in one document, each once."""
        shown = {
            (str(each.range), each.code, each.message): each
            for known in self._open.values()
            for each in known.shown.get(path, ())
        }
        own = self._open.get(path)
        uri = own.document.uri if own is not None else from_fs_path(path)
        version = own.checked.document.version if own is not None and own.checked else None
        if uri is not None:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, list(shown.values()), version)
            )


def _run_check(
    document: Document, others: Mapping[str, Text], configured: Callable[[], Configurations]
) -> tuple[DocumentCheck, Shown]:
    """A check and its diagnostics; an internal error becomes one, and does not end the server."""
    try:
        with raise_defects(document.path):
            overlay = {path: text.data for path, text in others.items()}
            checked = check(document, overlay, configured)
            return checked, collect_diagnostics(checked)
    except DefectError as error:
        checked = DocumentCheck(document, failure=error.reason)
        return checked, collect_diagnostics(checked)


def _path(uri: str) -> str:
    """The absolute path of a document; one in the working directory if it has no file."""
    return os.path.abspath(to_fs_path(uri) or re.sub(r"[^\w.-]", "_", unquote(uri)))


def _register_features(server: Server) -> Server:
    """Register the handlers of the editor's notifications and requests."""

    @server.feature(types.INITIALIZED)
    def watch_files(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is not None and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob) for glob in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration(f"{SOURCE}.files", method, options)
            server.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.shut_down = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        units = types.PositionEncodingKind(server.workspace.position_encoding)
        server.workspace.text_documents[unquote(item.uri)] = _Buffer(item, units)
        server.update_document(item.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.update_document(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.close_document(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.handle_file_changes([_path(each.uri) for each in params.changes])

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        checks = await server.wait_for_checks(params.text_document.uri)
        document = server.document(params.text_document.uri)
        if document is None:
            return None
        only = [checked for checked, _ in checks]
        return await in_thread(
            lambda: describe_position(document, only, params.position), server.seconds
        )

    kinds = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        checks = await server.wait_for_checks(params.text_document.uri)
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        actions = Actions(server.documents(), server.takes_versions(), params)
        return await in_thread(lambda: actions.of(document, checks), server.seconds)

    return server


def serve(configured: Callable[[], Configurations]) -> bool:
    """Serve one editor on stdin and stdout until it ends the session, or is gone.

    Args:
        configured: Finds the configurations anew.

    Returns:
        Whether it requested the shutdown before the end, as the protocol asks.

    Raises:
        UsageError: There is no stdin or stdout.
    """
    stdin, stdout = _streams()
    server = _register_features(Server(configured, _time_limit(configured)))
    server.protocol.set_writer(StdoutWriter(stdout))
    _silence_library()
    serve_messages(server, stdin)
    return server.shut_down


def _time_limit(configured: Callable[[], Configurations]) -> float:
    """The time limit of the command line; the default where a configuration is wrong, for now."""
    try:
        return configured().run.settings.context.granted.limits.seconds
    except UsageError:
        return Limits.seconds


def _silence_library() -> None:
    """Print no tracebacks of the protocol library about messages that are no good; -v does."""
    if not logging.getLogger("inertial_check").isEnabledFor(logging.DEBUG):
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol; everything else that is printed goes to stderr."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("a language server speaks on stdin and stdout, one of which is closed")
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    if sys.stderr is not None:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # A copy without a buffer's lock, as a thread may still read when the process ends.
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb"), stdout
