"""Targets of the language server: texts of an editor, and messages of its protocol."""

import io
import json
import threading
from pathlib import Path
from random import Random

from lsprotocol import types

from fuzz.cases import Case
from fuzz.extremes import NAMES
from fuzz.targets import ViolationError, expect_messages, expect_output
from inertial_check.checking.configuration import Configurations
from inertial_check.programs.lsp.documents import Document, Text, check
from inertial_check.programs.lsp.features import (
    FIX_ALL,
    Actions,
    collect_diagnostics,
    describe_position,
)
from inertial_check.programs.lsp.quick_fixes import QuickFixes

_PATIENCE = 20.0
"""Longest time that a session waits for its answers [s]; the test fails if one is missing."""

_UNITS = tuple(types.PositionEncodingKind)
_NUMBERS = (-1, 0, 1, 5, 20, 100_000, 2**31 - 1, 2**31, 2**40, 10**20, 1.5, "1", None, True, [], {})


def _position(rng: Random, text: str) -> types.Position:
    lines = text.count("\n") + 2
    big = rng.random() < 0.1
    return types.Position(
        2**31 - 1 if big else rng.randrange(lines),
        rng.choice([0, 5, rng.randrange(200), 2**31 - 1]),
    )


def edit_document(case: Case, path: Path, rng: Random) -> None:
    """Check an open document, and ask for hovers and quick fixes at random places."""
    content = case.data.decode("utf-8", rng.choice(["replace", "surrogateescape"]))
    text = Text(content, rng.choice(_UNITS))
    for _ in range(rng.choice([0, 1, 3])):
        where = types.Range(_position(rng, content), _position(rng, content))
        changed = getattr(text, "apply_change", None) or text.changed  # type: ignore[attr-defined]
        text = changed(rng.choice([where, None]), rng.choice([*NAMES, content, content]))
    document = Document(path.as_uri(), str(path), text, 1)
    checked = check(document, {}, Configurations)
    for shown in collect_diagnostics(checked).values():
        expect_messages(each.message for each in shown)
    fixes = QuickFixes(checked)
    for _ in range(2):
        hover = describe_position(document, [checked], _position(rng, text.content))
        if hover is not None and isinstance(hover.contents, types.MarkupContent):
            expect_output(hover.contents.value, "hover")
    if rng.random() < 0.3:
        everywhere = types.Range(types.Position(0, 0), types.Position(2**31 - 1, 0))
        context = types.CodeActionContext([], rng.choice([None, [FIX_ALL]]))
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(path.as_uri()), everywhere, context
        )
        Actions({str(path): document}, True, params).of(document, [(checked, fixes)])


def _messages(case: Case, path: Path, rng: Random) -> list[dict[str, object]]:
    """A session: some messages are damaged, missing or out of order."""
    uri = rng.choice([path.as_uri()] * 5 + [*NAMES[:40], "untitled:1", "file://%00", "file:///%ff"])
    text = case.data.decode("utf-8", "replace")[:100_000]
    place = {"line": rng.choice(_NUMBERS), "character": rng.choice(_NUMBERS)}
    span = {"start": {"line": 0, "character": 0}, "end": place}
    document: dict[str, object] = {"uri": uri, "languageId": "xml", "version": 1, "text": text}
    bodies: list[tuple[str, object, bool]] = [
        ("textDocument/didOpen", {"textDocument": document}, False),
        (
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": rng.choice(_NUMBERS)},
                "contentChanges": [{"range": span, "text": rng.choice(NAMES)}],
            },
            False,
        ),
        ("textDocument/hover", {"textDocument": {"uri": uri}, "position": place}, True),
        (
            "textDocument/codeAction",
            {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}},
            True,
        ),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]}, False),
        ("textDocument/didClose", {"textDocument": {"uri": uri}}, False),
        (rng.choice(["$/x", "x", "", "textDocument/rename"]), rng.choice(_NUMBERS), True),
        ("shutdown", None, True),
        ("textDocument/hover", {"textDocument": {"uri": uri}, "position": place}, True),
    ]
    found = []
    for at, (method, params, asks) in enumerate(bodies):
        if rng.random() < 0.12:
            continue
        if isinstance(params, dict) and params and rng.random() < 0.15:
            params.pop(rng.choice(list(params)))
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
        found.append({**message, "id": 100 + at} if asks else message)
    return found


def send_messages(case: Case, path: Path, rng: Random) -> None:
    """Run a session with the server; every request must have one answer."""
    from pygls.io_ import StdoutWriter

    from inertial_check.programs.lsp.server import Server, _register_features, serve_messages

    start = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "rootUri": None}}
    messages = [{"jsonrpc": "2.0", **start}, *_messages(case, path, rng)]
    bodies = [json.dumps(each).encode() for each in messages]
    asked = [each["id"] for each in messages if "id" in each]
    output = _Output(len(asked))
    server = _register_features(Server(Configurations, 60.0))
    server.protocol.set_writer(StdoutWriter(output))
    serve_messages(server, _Input(bodies, output))  # type: ignore[arg-type]
    answers = list(_split(output.written))
    answered = [each["id"] for each in answers if "id" in each and "method" not in each]
    if sorted(map(str, asked)) != sorted(map(str, answered)):
        raise ViolationError(f"requests {asked} were answered as {answered}")
    for answer in answers:
        told = json.dumps(answer)
        if answer.get("error", {}).get("code") == -32603 or "internal error" in told:
            raise ViolationError(f"internal error in an answer: {told[:1000]}")
        expect_messages([told.replace(json.dumps(case.data.decode("utf-8", "replace")), "")[:9000]])


class _Output(io.BytesIO):
    """Stream whose content stays when it is closed.

    Args:
        expected: Number of answers.
    """

    def __init__(self, expected: int) -> None:
        super().__init__()
        self.written = b""
        self.complete = threading.Event()
        self._expected = expected

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.written += bytes(data)
        # A notification has no id, and the server asks this client nothing.
        if self.written.count(b'"id"') >= self._expected:
            self.complete.set()
        return len(data)

    def close(self) -> None:
        """Keep the content."""


class _Input(io.BytesIO):
    """Stream of messages that goes on with the last, exit, once all requests are answered."""

    def __init__(self, bodies: list[bytes], output: _Output) -> None:
        end = json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode()
        stream = [b"Content-Length: %d\r\n\r\n%b" % (len(each), each) for each in [*bodies, end]]
        super().__init__(b"".join(stream))
        self._last = sum(map(len, stream[:-1]))
        self._output = output

    def readline(self, size: int | None = -1) -> bytes:  # type: ignore[override]
        if self.tell() == self._last:
            self._output.complete.wait(_PATIENCE)
        return super().readline(-1 if size is None else size)


def _split(data: bytes) -> list[dict[str, dict[str, object]]]:
    found = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        size = int(head.split(b"Content-Length:")[1].split(b"\r\n")[0])
        found.append(json.loads(rest[:size]))
        data = rest[size:]
    return found
