"""The process in which xacro runs: requests on standard input, answers on standard output.

xacro evaluates what a file says. It does so here, with bounded memory and time, away from the
process that was asked to check the file. Nothing is written to disk.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from inertial_check.errors import DocumentError
from inertial_check.formats.lookups import Lookups, note_lookup, note_other_inputs, record_lookups
from inertial_check.formats.resources import resolve
from inertial_check.formats.xacro.traced import TextRange, Traced
from inertial_check.formats.xacro.tracing import LocatedError, Node, StampedName, Tracing
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.encoding import decode
from inertial_check.model.source import Source, Span

_PIECE = re.compile(r"[^ \t\r\n]+")
_BESIDES_FILES = re.compile(
    rb"\$\(\s*(?:env|optenv|anon|cwd|eval)\b|include\b[^>]*filename\s*=\s*[\"'][^\"']*[*?\[]"
)
"""What makes an expansion depend on more than the files that it reads: the environment, and which
files there are."""

_MOST_BYTES = 1 << 26
"""Of an expanded document; the largest robots have a few million."""


class _ExpansionError(Exception):
    """Why a file cannot be expanded."""

    def __init__(self, reason: str, path: str | None, line: int | None, column: int | None) -> None:
        super().__init__(reason)
        self.answer = {"reason": reason, "path": path, "line": line, "column": column}


class _ReadText:
    """The text of a file that is no XML, with the way back to its bytes."""

    def __init__(self, path: str, data: bytes, number: int) -> None:
        found = decode(data)
        self.source = Source(path, data, found.encoding, found.bom)
        self.text = found.text
        self._index, self._number = found.index, number
        for message, start, _ in found.complaints:
            place = self.source.line_column(found.index.byte(start))
            raise DocumentError(path, message, *place)

    def span(self, start: int, end: int) -> Span:
        """The bytes between two places of the text."""
        return Span(self._index.byte(start), self._index.byte(end), self._number)


class _ExpansionFiles:
    """The files that an expansion reads: the one it was asked for, and what that includes."""

    def __init__(self, path: str, data: bytes, overlay: Mapping[str, bytes]) -> None:
        self.sources: list[Source] = []
        self.problems: dict[Span, str] = {}
        self._bytes = {**overlay, os.path.abspath(path): data}
        self._numbers: dict[str, int] = {}
        self._main = path

    def document(self, path: str) -> XmlDocument:
        """An XML file.

        Raises:
            OSError: There is none.
            DocumentError: It is not XML.
        """
        data, number = self._read(path)
        document = parse(self.sources[number].path, data, number)
        self.sources[number] = document.source
        self.problems.update((problem.span, problem.message) for problem in document.problems)
        return document

    def texts(self, path: str) -> _ReadText:
        """A file that is no XML.

        Raises:
            OSError: There is none.
            DocumentError: It is no text.
        """
        data, number = self._read(path)
        file = _ReadText(self.sources[number].path, data, number)
        self.sources[number] = file.source
        return file

    def _display_path(self, path: str) -> str:
        """What to call an included file: relative, where the including one is named so."""
        path, here = os.path.normpath(path), os.path.join(os.getcwd(), "")
        below = not os.path.isabs(self._main) and path.startswith(here)
        return path[len(here) :] if below else path

    def _read(self, path: str) -> tuple[bytes, int]:
        key = os.path.abspath(path)
        if key not in self._bytes:
            note_lookup(path)
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError(0, "not a file")
            with open(path, "rb") as file:
                self._bytes[key] = file.read()
        data = self._bytes[key]
        if _BESIDES_FILES.search(data):
            note_other_inputs()
        number = self._numbers.setdefault(key, len(self.sources))
        if number == len(self.sources):
            self.sources.append(Source(self._display_path(path) if number else path, data))
        return data, number


class _Writer:
    """Writes an expanded document, and lists where its elements and words come from."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.elements: list[list[int | None]] = []
        self.words: list[list[int]] = []
        self._at = 0

    def write(self, node: Any) -> None:
        """Write a node of the document and all that is in it."""
        if node.nodeType == node.ELEMENT_NODE:
            self._element(node)
        elif node.nodeType in (node.TEXT_NODE, node.CDATA_SECTION_NODE):
            self._put(_escape(node.data))
        elif node.nodeType == node.COMMENT_NODE:
            self._put(f"<!--{node.data.replace('--', '- -')}-->")

    def _put(self, text: str) -> None:
        data = text.encode()
        self.pieces.append(data)
        self._at += len(data)
        if self._at > _MOST_BYTES:
            reason = f"expands to more than {_MOST_BYTES >> 20} MB: does a macro repeat itself?"
            raise _ExpansionError(reason, None, None, None)

    def _element(self, node: Node) -> None:
        start = self._at
        row: list[int | None] = []
        self.elements.append(row)
        self._put(f"<{node.tagName}")
        for name, value in node.attributes.items():
            self._put(f' {name}="')
            self._value(value)
            self._put('"')
        self._put(">")
        tag_end = self._at
        for child in node.childNodes:
            self.write(child)
        self._put(f"</{node.tagName}>")
        row += [start, tag_end, self._at, *_origin(node.tagName)]

    def _value(self, value: str) -> None:
        at = 0
        for match in _PIECE.finditer(value):
            self._put(_escape(value[at : match.start()]))
            start, at = self._at, match.end()
            self._put(_escape(match[0]))
            found = value.locate(*match.span()) if isinstance(value, Traced) else None
            if found is not None:
                self.words.append([start, self._at, *found.span, int(found.verbatim)])
        self._put(_escape(value[at:]))


def _origin(name: str) -> list[int | None]:
    """Where an element stands: begin, end of its tag, end, file."""
    if isinstance(name, StampedName):
        span = name.document.element_span(name.element)
        return [span.start, name.document.tag_span(name.element).end, span.end, span.file]
    if isinstance(name, Traced) and name.where is not None:
        span = name.where.document.span(name.where.start, name.where.end)
        return [span.start, span.end, span.end, span.file]
    return [None] * 4


def _escape(text: str) -> str:
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, reference)
    return re.sub(r"[\t\r\n]", lambda match: f"&#{ord(match[0])};", text)


def _limit(memory: int, seconds: float) -> None:
    """Take away what an expansion does not need: memory, time, files to write."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent still stops the process
        return
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))


def _expand(request: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a request.

    Raises:
        _Refused: The file cannot be expanded.
    """
    path = request["path"]
    overlay = {key: base64.b64decode(value) for key, value in request["overlay"].items()}
    files = _ExpansionFiles(path, base64.b64decode(request["data"]), overlay)

    def find(package: str) -> str:
        found = resolve(f"package://{package}", path, request["packages"], os.path.isdir)
        if found.path is None:
            raise OSError(found.reason)
        return os.path.normpath(found.path)

    tracing = Tracing(files, find)
    _limit(request["memory"], request["seconds"])
    try:
        tree = tracing.expand(path, dict(request["arguments"]))
        writer = _Writer()
        for node in tree.childNodes:
            writer.write(node)
    except LocatedError as error:
        raise _locate_error(str(error), error.where, files) from None
    except DocumentError as error:
        raise _ExpansionError(error.reason, error.path, error.line, error.column) from None
    except MemoryError:
        reason = f"its expansion needs more than {request['memory'] >> 20} MB"
        raise _ExpansionError(reason, None, None, None) from None
    return {
        "text": base64.b64encode(b"".join(writer.pieces)).decode(),
        "elements": writer.elements,
        "words": writer.words,
        "files": [_file(source) for source in files.sources],
        "repairs": [[message, *span] for span, message in files.problems.items()],
        "unmatched": [[text, *_span(where)] for text, where in tracing.warnings[:20]],
    }


def _locate_error(reason: str, where: TextRange | None, files: _ExpansionFiles) -> _ExpansionError:
    if where is None:
        return _ExpansionError(reason, None, None, None)
    span = _span(where)
    source = files.sources[span.file]
    return _ExpansionError(reason, source.path, *source.line_column(span.start))


def _span(where: TextRange | None) -> Span:
    return Span(0, 0) if where is None else where.document.span(where.start, where.end)


def _file(source: Source) -> dict[str, str]:
    return {
        "path": source.path,
        "encoding": source.encoding,
        "bom": base64.b64encode(source.bom).decode(),
        "data": base64.b64encode(source.data).decode(),
    }


def main() -> None:
    """Answer one request: on standard input, until its end; the answer on standard output."""
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever else is printed is no answer
    _answer(sys.stdin.buffer.read(), answer)


def _answer(request: bytes, answer: int) -> NoReturn:
    """Write the answer to a file descriptor, and end."""
    asked = json.loads(request)
    sys.stderr = io.StringIO()  # where xacro's warnings go
    lookups = Lookups()
    try:
        with record_lookups(lookups):
            reply = _expand(asked)
    except _ExpansionError as error:
        reply = {"error": error.answer}
    except Exception as error:  # xacro raises whatever Python raises
        reason = str(error) or type(error).__name__
        reply = {"error": {"reason": reason, "path": None, "line": None, "column": None}}
    reply["lookups"] = [sorted(lookups.paths), lookups.complete]
    with os.fdopen(answer, "wb") as stream:
        stream.write(json.dumps(reply).encode())
    os._exit(0)


def serve() -> None:
    """Answer requests until the input ends, each in a fork: xacro is imported once.

    Each is a line of JSON: its size in bytes, seconds, folder and environment; then its bytes. So
    is each answer: its size, whether it came too late, the exit code; then its bytes.
    """
    with contextlib.suppress(ImportError):  # the fork says that xacro is not there
        import xacro  # noqa: F401
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        request = sys.stdin.buffer.read(asked["size"])
        said, late, code = _ask_fork(request, asked)
        head = {"size": len(said), "late": late, "code": code}
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + said)
        sys.stdout.buffer.flush()


def _ask_fork(request: bytes, asked: Mapping[str, Any]) -> tuple[bytes, bool, int]:
    """What a fork says, whether it had to be stopped, and its exit code."""
    reader, writer = os.pipe()
    fork = os.fork()
    if fork == 0:
        os.setsid()
        os.close(reader)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # what it prints is no answer, and no request its input
            os.dup2(nothing, descriptor)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        _answer(request, writer)
    os.close(writer)
    said, late = _read_until(reader, time.monotonic() + asked["seconds"])
    os.close(reader)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(fork, signal.SIGKILL)  # and what it has started
    code = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
    return said, late, code


def _read_until(reader: int, deadline: float) -> tuple[bytes, bool]:
    """All that is said until the end, and whether it did not come in time."""
    pieces: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0:
        # Input before the answer is the end of it: who asked is gone.
        ready, _, _ = select.select([reader, sys.stdin], [], [], left)
        if sys.stdin in ready:
            break
        if reader in ready:
            pieces.append(os.read(reader, 1 << 16))
            if not pieces[-1]:
                return b"".join(pieces), False
    return b"", True
