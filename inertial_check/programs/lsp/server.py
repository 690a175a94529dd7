"""Language server: handles the editor's notifications and requests, and publishes diagnostics.

Messages are handled in one thread, which never waits: checks and answers are computed in threads of
their own, which do not keep the process from ending. One check of a document runs at a time. Its
result is used only if the document is still the same; otherwise the newest text is checked next.

A client may send anything. Every request gets an answer, if only an error; a message that is none
is answered with an error, too; and a stream that cannot be followed any further ends the session.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import BinaryIO, TypeVar, cast
from urllib.parse import unquote

from lsprotocol import types
from lsprotocol.types import EXIT, INITIALIZE, ErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from inertial_check import __version__
from inertial_check.checking.check import describe_lateness
from inertial_check.checking.configuration import FILE_NAMES, Configurations
from inertial_check.documents.children import (
    Termination,
    TimeLimitReached,
    describe_defect,
    raise_defects,
)
from inertial_check.documents.files.access import JsonObject, Limits
from inertial_check.errors import DefectError, UsageError
from inertial_check.programs.lsp.documents import Document, DocumentCheck, Text, check
from inertial_check.programs.lsp.features import (
    FIX_ALL,
    SOURCE,
    Actions,
    collect_diagnostics,
    describe_position,
)
from inertial_check.programs.lsp.quick_fixes import QuickFixes

T = TypeVar("T")


async def in_thread(work: Callable[[], T], seconds: float | None = None) -> T:
    """Run a function in a thread of its own.

    Args:
        work: The function.
        seconds: Time limit [s]; None for no limit.

    Raises:
        asyncio.TimeoutError: The time is used up. The thread is told to stop; it ends as soon as it
            leaves whatever library keeps it busy.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(cast(T, result))

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as failure:
            error = failure
        except BaseException as failure:  # which would otherwise end the thread without an answer
            error = RuntimeError(describe_defect(failure))
        with suppress(RuntimeError):  # the loop has been closed: nobody waits for the result
            loop.call_soon_threadsafe(settle, result, error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        return await asyncio.wait_for(future, seconds)
    except TimeoutError:
        # Raise an exception in a thread, as soon as it carries out Python code.
        import ctypes  # only for a document that never ends

        if thread.ident is not None and thread.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(TimeLimitReached)
            )
        raise


LONGEST = 256 << 20
"""Largest size of a message [bytes]: a document of the largest size, each byte escaped fourfold."""

_LONGEST_HEADER = 4096
"""Largest size of a line of a header [bytes]."""

_PIECE = 1 << 20
"""Number of bytes of a message that are read at a time, so that a length alone takes no memory."""

_LENGTH = re.compile(rb"content-length:[ \t]*([0-9]{1,15})[ \t]*\r?\n", re.IGNORECASE)

_log = logging.getLogger(__name__)


class StreamError(Exception):
    """A stream whose next message cannot be found."""


def read_message(stream: BinaryIO) -> bytes | None:
    """Read the body of the next message; None at the end of the stream.

    Raises:
        StreamError: The header is malformed, or the message is longer than LONGEST.
    """
    length: int | None = None
    while True:
        line = stream.readline(_LONGEST_HEADER)
        if not line:
            return None
        if not line.endswith(b"\n"):
            raise StreamError("a line of a header has no end")
        if match := _LENGTH.fullmatch(line):
            length = int(match[1])
        elif not line.strip() and length is not None:
            break
        elif line[:15].lower() == b"content-length:":
            raise StreamError("Content-Length is no number of bytes")
    if length > LONGEST:
        raise StreamError(f"Content-Length is {length}, and the limit is {LONGEST} bytes")
    pieces: list[bytes] = []
    while length:
        piece = stream.read(min(length, _PIECE))
        if not piece:
            return None
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def serve_messages(server: LanguageServer, stream: BinaryIO) -> None:
    """Handle the messages of a stream until it ends, or the client says so.

    Raises:
        Termination: A signal has asked the process to end.
        KeyboardInterrupt: The same, from the keyboard.
    """
    signals: list[int] = []
    try:
        asyncio.run(_handle_messages(server, stream, signals))
    except (BrokenPipeError, SystemExit):  # the client is gone, or has said goodbye
        pass
    except asyncio.CancelledError:
        if signals[0] == signal.SIGINT:
            raise KeyboardInterrupt from None
        raise Termination(signals[0]) from None
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]


async def _handle_messages(server: LanguageServer, stream: BinaryIO, signals: list[int]) -> None:
    """Handle messages; a signal is added to `signals`, and cancels this."""
    # Have signals cancel the current task: an exception would end whichever task runs then.
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def cancel(number: int) -> None:
        signals.append(number)
        if task is not None:
            task.cancel()

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Windows has none of this, other threads receive no signals, and ignored ones stay so.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(number, cancel, number)
    while True:
        try:
            body = await in_thread(lambda: read_message(stream))
        except StreamError as error:
            _refuse(server, None, ErrorCodes.InvalidRequest, f"{error}; the session ends")
            return
        if body is None:
            return
        try:
            handle_message(server, body)
        except BrokenPipeError:
            raise
        except Exception:  # of a notification or a response, which nobody waits for
            _log.debug("message", exc_info=True)


def handle_message(server: LanguageServer, body: bytes) -> None:
    """Handle a message, or answer with an error."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        _refuse(server, None, ErrorCodes.ParseError, "the message is no JSON")
        return
    if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
        _refuse(server, _id_of(data), ErrorCodes.InvalidRequest, "the message is no JSON-RPC 2.0")
        return
    is_request = "method" in data and "id" in data
    if is_request and (refusal := _reason_against(server, data)) is not None:
        _refuse(server, _id_of(data), *refusal)
        return
    try:
        message = server.protocol.structure_message(data)
    except JsonRpcException:
        if is_request:
            reason = f"the parameters of {data['method']} are malformed"
            _refuse(server, _id_of(data), ErrorCodes.InvalidParams, reason)
        return
    try:
        server.protocol.handle_message(message)
    except (BrokenPipeError, SystemExit):
        raise
    except Exception as error:
        if not is_request:
            raise
        _refuse(server, _id_of(data), ErrorCodes.InternalError, describe_defect(error))


def _id_of(data: object) -> str | int | None:
    """The id of a message; None if it has none that a response could repeat."""
    found = data.get("id") if isinstance(data, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _reason_against(server: LanguageServer, data: JsonObject) -> tuple[int, str] | None:
    """The code and the message of the error with which a request is refused; None if it is not."""
    method = data["method"]
    if _id_of(data) is None or not isinstance(method, str):
        return ErrorCodes.InvalidRequest, "a request has a method and an id"
    if server.protocol._shutdown and method != EXIT:
        return ErrorCodes.InvalidRequest, f"{method} came after the shutdown"
    started = server.protocol._workspace is not None
    if method == INITIALIZE and started:
        return ErrorCodes.InvalidRequest, "the server is initialized already"
    if method != INITIALIZE and not started:
        return ErrorCodes.ServerNotInitialized, f"{method} came before the server was initialized"
    return None


def _refuse(server: LanguageServer, request: str | int | None, code: int, reason: str) -> None:
    # Not as an object of the library, which leaves out an id that is null.
    error = {"code": int(code), "message": reason}
    server.protocol._send_data({"jsonrpc": "2.0", "id": request, "error": error})


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
        # Whether the editor takes edits with the versions of the documents that they are for.
        workspace = server.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace else None
        versioned = bool(edits and edits.document_changes)
        actions = Actions(server.documents(), versioned, params)
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
    try:
        seconds = configured().run.settings.context.granted.limits.seconds
    except UsageError:  # a configuration is wrong, for now
        seconds = Limits.seconds
    server = _register_features(Server(configured, seconds))
    server.protocol.set_writer(StdoutWriter(stdout))
    # Print no tracebacks of the protocol library about messages that are no good; -v does.
    if not logging.getLogger("inertial_check").isEnabledFor(logging.DEBUG):
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    serve_messages(server, stdin)
    return server.shut_down


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol; everything else that is printed goes to stderr."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("a language server speaks on stdin and stdout, one of which is closed")
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    if sys.stderr is not None:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # A copy without a buffer's lock, as a thread may still read when the process ends.
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb"), stdout
