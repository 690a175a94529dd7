"""Attacks on the language server: it answers whatever an editor sends, and never with silence."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from waiting import GUARD

pytest.importorskip("pygls", reason='install "inertial-check[lsp]"')

INJECTED = Path(__file__).parent / "injected"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, NOT_INITIALIZED = -32602, -32002

ROBOT = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.009"/></inertial></link></robot>"""


class Client:
    """A client that may send any bytes."""

    def __init__(self, folder, *arguments):
        pipe = subprocess.PIPE
        path = os.pathsep.join((str(INJECTED), *sys.path))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inertial_check", "lsp", *arguments],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.folder = Path(folder)
        self.guard = threading.Timer(GUARD, self.process.kill)
        self.guard.start()

    def restart_guard(self):
        """Give the process the whole time again, for the next test."""
        self.guard.cancel()
        self.guard = threading.Timer(GUARD, self.process.kill)
        self.guard.start()

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_body(self, body):
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, **message):
        self.send_body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        stream, length = self.process.stdout, 0
        while (line := stream.readline()).strip():
            if line.startswith(b"Content-Length: "):
                length = int(line.split()[1])
        assert length, "the server has ended"
        return json.loads(stream.read(length))

    def answer(self, number):
        """The response to a request; notifications before it are dropped."""
        while "method" in (message := self.receive()) or message["id"] != number:
            pass
        return message

    def error(self, number):
        return self.answer(number)["error"]["code"]

    def initialize(self):
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        self.send(id="initialize", method="initialize", params=params)
        assert "result" in self.answer("initialize")
        self.send(method="initialized", params={})

    def open(self, name):
        uri = (self.folder / name).as_uri()
        item = {"uri": uri, "languageId": "xml", "version": 1, "text": ROBOT}
        self.send(method="textDocument/didOpen", params={"textDocument": item})
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        assert message["params"]["uri"] == uri
        return message["params"]["diagnostics"]

    def still_serves(self):
        self.open("after.urdf")
        self.send(id="after", method="textDocument/hover", params=self.place("after.urdf", 1, 16))
        assert "0.001" in json.dumps(self.answer("after")["result"])

    def place(self, name, line, character):
        uri = (self.folder / name).as_uri()
        where = {"line": line, "character": character}
        return {"textDocument": {"uri": uri}, "position": where}

    def end(self):
        """Say goodbye; nothing was printed besides the protocol."""
        self.send(id="bye", method="shutdown")
        self.answer("bye")
        self.send(method="exit")
        assert self.wait() == 0

    def wait(self):
        """Wait for the end without a trace of an error; returns the exit code."""
        _, errors = self.process.communicate(timeout=GUARD)
        self.guard.cancel()
        assert errors == b""
        return self.process.returncode

    def stop(self):
        """End the process, whatever state it is in."""
        self.guard.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def client(tmp_path):
    running = []

    def start(*arguments):
        running.append(Client(tmp_path, *arguments))
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One session for the attacks that a server has to survive, one after another."""
    editor = Client(tmp_path_factory.mktemp("workspace"))
    editor.initialize()
    yield editor
    try:
        editor.end()
    finally:
        editor.stop()


@pytest.fixture
def editor(shared):
    shared.restart_guard()
    return shared


def test_a_malformed_request_is_answered_with_invalid_params(editor):
    place = editor.place("a.urdf", 0, 0)
    malformed = [
        None,
        {},
        [],
        7,
        {"textDocument": {}, "position": place["position"]},
        {"textDocument": place["textDocument"]},
        {**place, "position": {"line": "first", "character": 0}},
        {**place, "position": {"line": -1, "character": 0}},
        {**place, "position": [[[]]]},
        {**place, "textDocument": "a.urdf"},
    ]
    for method in ("textDocument/hover", "textDocument/codeAction"):
        for number, params in enumerate(malformed):
            editor.send(id=number, method=method, params=params)
            assert editor.error(number) == INVALID_PARAMS, (method, params)
        editor.send(id="none", method=method)
        assert editor.error("none") == INVALID_PARAMS
    editor.still_serves()


def test_a_place_outside_every_document_is_no_error(editor):
    editor.open("a.urdf")
    for line, character in ((0, 2**31 - 1), (2**31 - 1, 0), (2**31 - 1, 2**31 - 1)):
        editor.send(
            id=1, method="textDocument/hover", params=editor.place("a.urdf", line, character)
        )
        assert "error" not in editor.answer(1)
    editor.send(id=2, method="textDocument/hover", params=editor.place("unknown.urdf", 0, 0))
    assert editor.answer(2)["result"] is None


def test_requests_after_the_shutdown_are_refused_not_ignored(client):
    editor = client()
    editor.initialize()
    editor.send(id=1, method="shutdown")
    assert "error" not in editor.answer(1)
    for method in ("textDocument/hover", "shutdown", "initialize", "no/such/method"):
        editor.send(id=2, method=method, params=editor.place("a.urdf", 0, 0))
        assert editor.error(2) == INVALID_REQUEST, method
    editor.send(method="exit")
    assert editor.wait() == 0


def test_requests_before_the_initialization_are_refused(client):
    editor = client()
    editor.send(id=1, method="textDocument/hover", params=editor.place("a.urdf", 0, 0))
    assert editor.error(1) == NOT_INITIALIZED
    editor.initialize()
    editor.send(id=2, method="initialize", params={"capabilities": {}})
    assert editor.error(2) == INVALID_REQUEST
    editor.send(id=3, method="no/such/method", params={})
    assert editor.error(3) == METHOD_NOT_FOUND
    editor.still_serves()
    editor.end()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"no JSON", PARSE_ERROR),
        (b"\xff\xfe\x00", PARSE_ERROR),
        (b"[" * 1_000_000, PARSE_ERROR),
        (b'{"a":' * 1_000_000, PARSE_ERROR),
        (b"9" * 1_000_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": null, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {"a": []}, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', INVALID_REQUEST),
    ],
)
def test_a_message_that_is_none_is_answered_with_an_error(editor, body, code):
    editor.send_body(body)
    assert editor.error(None) == code
    editor.still_serves()


def test_notifications_and_responses_that_make_no_sense_change_nothing(editor):
    editor.send(method="textDocument/didOpen", params={"textDocument": 3})
    editor.send(method="textDocument/didChange", params={})
    editor.send(method="textDocument/didClose", params=None)
    editor.send(method="$/cancelRequest", params={"id": [1]})
    editor.send(method=["a"], params={})
    editor.send(id=[1], result={})
    editor.send(id="unknown", result={})
    editor.send(id="unknown", error={"code": 1, "message": "m"})
    editor.send()
    editor.still_serves()


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 1000000000000\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"a" * 100_000,
    ],
)
def test_a_stream_that_cannot_be_followed_ends_the_session(client, header):
    editor = client()
    editor.initialize()
    with suppress(BrokenPipeError):  # it may end before it has read everything
        editor.send_bytes(header)
    assert editor.error(None) == INVALID_REQUEST
    assert editor.wait() == 1


def test_a_document_that_fails_costs_no_other_document(editor):
    for fault in ("overflow", "memory", "recursion", "exit", "panic"):
        (shown,) = editor.open(f"bad-{fault}.urdf")
        assert "internal error" in shown["message"]
    editor.still_serves()


def test_a_document_that_never_ends_is_given_up(client):
    editor = client("--timeout", "2")
    editor.initialize()
    (shown,) = editor.open("bad-spin.urdf")
    assert shown["message"].startswith("not checked within 2 s")
    editor.still_serves()
    editor.end()


@pytest.mark.skipif(sys.platform == "win32", reason="signals end a process at once")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_server_without_traces(client, number, code):
    editor = client()
    editor.initialize()
    editor.open("a.urdf")
    editor.process.send_signal(number)
    editor.process.wait(GUARD)  # before the end of its input, which would end it as well
    assert editor.wait() == code
