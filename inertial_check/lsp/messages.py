"""Messages of the language server protocol: read from the stream, checked, and handled.

A client may send anything. Every request gets an answer, if only an error; a message that is none
is answered with an error, too; and a stream that cannot be followed any further ends the session.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import signal
from contextlib import suppress
from typing import BinaryIO

from lsprotocol.types import EXIT, INITIALIZE, ErrorCodes
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from inertial_check.files.json import JsonObject
from inertial_check.isolation import Termination, describe_defect
from inertial_check.lsp.threads import in_thread

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
    _heed_signals(signals)
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


def _heed_signals(signals: list[int]) -> None:
    """Have signals cancel the current task: an exception would end whichever task runs then."""
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
