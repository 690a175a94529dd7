"""Web server of a live view: one page and its scene, for browsers of this machine only.

It listens on 127.0.0.1, answers GET and HEAD of three fixed paths from memory, and opens no file.
A page elsewhere in the same browser could send requests here, also under a name that leads to
127.0.0.1 (DNS rebinding): so requests with another Host, with the Origin of another page, or that
the browser calls cross-site are refused.

Scene of one document that is read again when the document or a file that it uses is saved.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from socket import socket
from socketserver import TCPServer
from threading import BoundedSemaphore, Condition, Lock, Thread
from time import monotonic
from typing import Any

from inertial_check.checking.check import Document, check_documents
from inertial_check.checking.report import FileReport
from inertial_check.checking.settings import Settings
from inertial_check.documents.children import (
    TimeLimitReached,
    limit_times,
    raise_defects,
    run_within,
)
from inertial_check.documents.context import Lookups, record_lookups
from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.fixing.prescriptions import prescribe
from inertial_check.reports.page.page import write_page
from inertial_check.reports.page.scene import MeshLibrary, Scene, build_plain_scene, build_scene

HOST = "127.0.0.1"
"""The only address that the server listens on: that of the machine itself."""

MOST_CLIENTS = 24
"""Largest number of connections at a time; further ones get the status 503."""

MOST_LISTENERS = 12
"""Largest number of pages that follow the scene at a time, so that pages can still be fetched."""

REQUEST_SECONDS = 10.0
"""Time in which a client must send its whole request, and take each block of the answer [s]."""

_BLOCK = 1 << 20
"""Size of the blocks in which an answer is sent [bytes]."""

_HEARTBEAT = 15.0
"""Time after which a page without news gets an empty line, so that closed ones are noticed [s]."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer: nothing is stored, framed, or read by pages of other origins."""


class Publication:
    """The scene that the server shows, and those who wait for the next one."""

    def __init__(self, scene: Scene) -> None:
        self._changed = Condition()
        self._writing = Lock()
        self._closed = False
        self._page: tuple[str, bytes] | None = None
        self._scene, self._json, self.version = scene, b"", ""
        self.publish(scene)

    def publish(self, scene: Scene) -> bool:
        """Replace the scene, and wake those who wait; tells whether it differs from the last."""
        data = scene.as_json().encode("ascii")
        version = hashlib.sha256(data).hexdigest()
        with self._changed:
            if version == self.version:
                return False
            self._scene, self._json, self.version = scene, data, version
            self._changed.notify_all()
        return True

    def close(self) -> None:
        """Wake those who wait, for the last time."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def scene(self) -> bytes:
        """The scene as JSON."""
        return self._json

    def page(self) -> bytes:
        """The page with the scene, which is written when it is asked for."""
        with self._writing:
            with self._changed:
                scene, version = self._scene, self.version
            if self._page is None or self._page[0] != version:
                self._page = version, write_page([scene], live=True).encode("utf-8")
            return self._page[1]

    def events(self) -> Iterator[bytes]:
        """Yield server-sent events: the version now and each later one; a comment now and then."""
        seen = ""
        while True:
            with self._changed:
                if self.version == seen and not self._closed:
                    self._changed.wait(_HEARTBEAT)
                if self._closed:
                    return
                news, seen = self.version != seen, self.version
            yield f"event: scene\ndata: {seen}\n\n".encode() if news else b":\n\n"


class _RequestReader(RawIOBase):
    """Reads a request up to a deadline, so that no client holds a connection by dripping bytes.

    The timeout of a socket alone begins again with every byte.
    """

    def __init__(self, connection: socket, seconds: float) -> None:
        self._connection = connection
        self._deadline = monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as the base class
        """Read some bytes; raises TimeoutError after the deadline."""
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError("the request is not complete in time")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request from memory, or refuses it."""

    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "inertial-check"
    sys_version = ""
    timeout = REQUEST_SECONDS

    def setup(self) -> None:
        """Prepare to read one request within the time that it may take."""
        super().setup()
        self.rfile.close()
        self.rfile = BufferedReader(_RequestReader(self.connection, self.timeout))

    def parse_request(self) -> bool:
        """Parse the request line and the headers; refuse what no page of this server sends."""
        if not super().parse_request():
            return False
        self.close_connection = True
        if self.command not in ("GET", "HEAD"):
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})
            return False
        if not self._comes_from_here():
            self._refuse(HTTPStatus.FORBIDDEN)
            return False
        return True

    def _comes_from_here(self) -> bool:
        """Tell whether the request is for this server by name, and of no other page."""
        names = {name.lower() for name in self.server.names}
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].strip().lower() not in names:
            return False
        own = {f"http://{name}" for name in names}
        if any(each.strip().lower() not in own for each in self.headers.get_all("Origin", [])):
            return False
        sites = self.headers.get_all("Sec-Fetch-Site", [])
        return all(each.strip().lower() in ("same-origin", "none") for each in sites)

    def do_GET(self) -> None:
        """Answer with the page, the scene, or the stream of events; else with 404."""
        # The raw target: the library joins slashes in self.path.
        target = self.requestline.split()[1]
        shown = self.server.publication
        if target == "/":
            self._send("text/html; charset=utf-8", shown.page())
        elif target == "/scene.json":
            self._send("application/json", shown.scene())
        elif target == "/events":
            self._send_events(shown)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    do_HEAD = do_GET

    def _send(self, kind: str, data: bytes) -> None:
        self._begin(HTTPStatus.OK, {"Content-Type": kind, "Content-Length": str(len(data))})
        if self.command != "HEAD":
            for start in range(0, len(data), _BLOCK):  # a timeout holds for one write
                self.wfile.write(data[start : start + _BLOCK])

    def _send_events(self, shown: Publication) -> None:
        listeners = self.server.listeners
        if not listeners.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        try:
            self._begin(HTTPStatus.OK, {"Content-Type": "text/event-stream; charset=utf-8"})
            if self.command == "HEAD":
                return
            for event in shown.events():
                self.wfile.write(event)
                self.wfile.flush()
        finally:
            listeners.release()

    def _refuse(self, status: HTTPStatus, headers: dict[str, str] | None = None) -> None:
        """Answer with a status and its phrase; nothing of the request is repeated."""
        self.close_connection = True
        data = f"{status.value} {status.phrase}\n".encode("ascii")
        kind = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(data))}
        self._begin(status, {**kind, **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a malformed request; the library would repeat parts of it."""
        if not hasattr(self, "command") or self.command is None:
            self.command = ""
        self.request_version = "HTTP/1.1"
        self._refuse(HTTPStatus(code))

    def _begin(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.connection.settimeout(self.timeout)
        self.send_response_only(status)
        for name, value in {**headers, **_HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: ANN401 - as the base class
        """Print nothing: requests are nobody's news."""


class _Server(ThreadingHTTPServer):
    """Server with a bounded number of connections, each in a thread."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # where it would let another program take the port

    def __init__(self, port: int, publication: Publication) -> None:
        self.publication = publication
        self.listeners = BoundedSemaphore(MOST_LISTENERS)
        self._clients = BoundedSemaphore(MOST_CLIENTS)
        super().__init__((HOST, port), _Handler)

    def server_bind(self) -> None:
        """Bind the socket; the library would also ask the network for the name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])
        self.names = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}
        if self.server_port == 80:  # browsers leave out the port that a scheme implies
            self.names |= {HOST, "localhost"}

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer in a thread of its own, or with 503 if there are too many."""
        if self._clients.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.settimeout(0.1)  # this thread answers, and nobody else is answered meanwhile
            request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n")
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer a request, and give its place free."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._clients.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Pass over connections that a client has closed; report a defect on stderr."""
        error = sys.exception() if sys.version_info >= (3, 12) else sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handle_error(request, client_address)


@contextmanager
def serve(publication: Publication, port: int = 0) -> Iterator[str]:
    """Serve a publication in threads while the context lasts.

    Args:
        publication: The scene to show.
        port: Port of 127.0.0.1; 0 for any free one.

    Yields:
        The address of the page.

    Raises:
        UsageError: The port cannot be used.
    """
    try:
        server = _Server(port, publication)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "expected 0 to 65535"
        raise UsageError(f"--port {port}: {reason}; without it any free port is used") from None
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        publication.close()
        server.shutdown()
        # Threads of clients are not waited for: one that reads slowly would delay the end.
        server.server_close()


_MOST_FILES = 20_000
"""Largest number of files that are watched: looking at each takes some microseconds."""

_MOST_UNUSED = 4
"""Number of times that a library may hold as many meshes as the scene uses, before it is emptied:
every save of a mesh leaves an old one in it."""

_CALM, _PATIENCE = 0.05, 1.0
"""Time without a change after which a save is complete, and time after which a file that changes
all the while is read anyway [s]."""

_Stamp = tuple[int, int, int] | None
"""Time of the last change, size and number of a file; None where there is none."""


class LiveScene:
    """Scene of a document that follows its files.

    Attributes:
        path: Path of the document.
        scene: Scene to show: the last one that could be read, with a message if the document
            cannot be read any more.
        message: Why the document cannot be read; "" if it can.
    """

    def __init__(self, path: str, settings: Settings) -> None:
        """Read the scene for the first time."""
        self.path = path
        self._settings = settings
        self._library = MeshLibrary()
        self._stamps: dict[str, _Stamp] = {}
        self._good: Scene | None = None
        self.message = ""
        self.scene = self.read()

    def has_changed(self) -> bool:
        """Tell whether a file of the scene has changed since it was read."""
        return any(_stamp(path) != before for path, before in self._stamps.items())

    def wait_for_calm(self) -> None:
        """Wait until a save is complete: many editors empty a file before they write it."""
        deadline = time.monotonic() + _PATIENCE
        before = None
        while time.monotonic() < deadline:
            now = [_stamp(path) for path in self._stamps]
            if now == before:
                return
            before = now
            time.sleep(_CALM)

    def read(self) -> Scene:
        """Read the document again, and return the scene to show."""
        # Stamps are taken before the files are read, so that a change while they are read is seen.
        known = {path: _stamp(path) for path in (os.path.abspath(self.path), *self._stamps)}
        self._stamps = known  # also if reading fails, so that it is not tried again and again
        lookups = Lookups()
        with record_lookups(lookups):
            found = self._read_now(lookups)
        if found.content["format"] is None:
            paths = {*known, *lookups.paths}
            self.message = _find_message(found)
            self.scene = found if self._good is None else _mark_broken(self._good, self.message)
        else:
            paths = {os.path.abspath(self.path), *lookups.paths}
            self.message, self._good, self.scene = "", found, found
        chosen = sorted(paths)[:_MOST_FILES]
        self._stamps = {path: known[path] if path in known else _stamp(path) for path in chosen}
        return self.scene

    def _read_now(self, lookups: Lookups) -> Scene:
        """Check the document and build its scene; note the files that it uses."""
        used = {} if self._good is None else self._good.meshes
        if len(self._library.contents) > _MOST_UNUSED * (1 + len(used)):
            self._library = MeshLibrary()
        document = Document(self.path, True, self._settings)
        (result,) = check_documents([document], prescribe=prescribe)
        lookups.paths.update(result.lookups or ())
        nothing = FileReport(self.path, None, None, (), ())
        if result.file is None:
            reason = result.failure or result.note or "cannot be read"
            return build_plain_scene(nothing._replace(notes=(reason,)))
        file, seconds = result.file, self._settings.context.granted.limits.seconds
        try:
            with limit_times(), raise_defects(self.path, InertialCheckError):
                build = partial(build_scene, file, self._settings, library=self._library)
                return run_within(seconds, build)
        except TimeLimitReached:
            note = f"not drawn: it takes more than {seconds:g} s; --timeout allows more"
            return build_plain_scene(file._replace(notes=(*file.notes, note)))
        except InertialCheckError as error:
            return build_plain_scene(nothing._replace(notes=(str(error),)))


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _find_message(scene: Scene) -> str:
    """Find the reason why a document gave no scene."""
    findings, notes = scene.content["findings"], scene.content["notes"]
    assert isinstance(findings, list)
    assert isinstance(notes, list)
    for each in findings:
        if isinstance(each, dict):
            return f"{each['file'] or scene.path}:{each['line']}: {each['message']}"
    return str(notes[0]) if notes else f"{scene.path}: cannot be read"


def _mark_broken(scene: Scene, message: str) -> Scene:
    """Give the last good scene a message, which the page shows above it."""
    notes = scene.content["notes"]
    assert isinstance(notes, list)
    note = f"shown as it was before the last change, which cannot be read: {message}"
    content = {**scene.content, "broken": message, "notes": [note, *notes]}
    return Scene(scene.path, content, scene.meshes)
