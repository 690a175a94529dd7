"""Process that runs xacro: requests on standard input, answers on standard output.

xacro evaluates expressions of the file that it expands. It runs here with bounded memory and time,
apart from the process that checks the file, and opens nothing but the files that the document may
use.

Confinement of the process that expands one xacro file: what it can open, start and use.

Expressions cannot reach files, modules or the environment (expressions.py). These walls stand
behind that one: they would still hold if an expression found a way out of it.
"""

from __future__ import annotations

import base64
import contextlib
import encodings
import gc
import io
import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Collection, Iterator
from functools import cache
from typing import NoReturn
from xml.dom import minidom

from inertial_check.documents.children import limit_resources
from inertial_check.documents.context import Context, Lookups, record_lookups
from inertial_check.documents.files.access import (
    Access,
    JsonObject,
    Limits,
    RefusedFileError,
    contains,
    remember_folders,
)
from inertial_check.documents.resources import ResourceFinder
from inertial_check.documents.source import Span
from inertial_check.documents.xacro.expressions import TextRange, Traced, Unknown, find_unknowns
from inertial_check.documents.xacro.reading import ExpansionFiles
from inertial_check.documents.xacro.tracing import Inputs, LocatedError, Node, StampedName, Tracing
from inertial_check.documents.xml.markup import Element
from inertial_check.errors import DocumentError, PicklableError

# fmt: off
_ORDINARY = frozenset([
    "array.__new__", "builtins.id", "compile", "cpython._PySys_ClearAuditHooks", "exec",
    "glob.glob", "glob.glob/2",
    "sys._getframe", "sys.excepthook", "sys.unraisablehook", "time.sleep", "marshal.loads",
])
# fmt: on
"""Audit events of Python that expanding a file may raise besides those of files and imports; the
last one belongs to the import of a text codec."""

_LISTING = frozenset(["os.listdir", "os.scandir"])
"""Audit events of reading the names in a folder."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of a file that is not only read."""

_CODECS = os.path.dirname(os.path.realpath(encodings.__file__))
"""Folder of Python's text codecs, which are imported when a document has their encoding."""


def import_parsers() -> None:
    """Import what is otherwise imported when a document is parsed, or is not well-formed."""
    import unicodedata  # noqa: F401 - Python's parser normalises names of other scripts with it
    from xml.dom import expatbuilder  # noqa: F401

    from inertial_check.documents.xml import lenient  # noqa: F401


def confine(access: Access) -> None:
    """Refuse whatever this process does from now on, except expanding a file.

    It opens files for reading that `access` allows, and lists such folders. It imports nothing but
    text codecs and starts nothing. This cannot be undone.

    Args:
        access: The files that the document may use.
    """
    import_parsers()

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in _ORDINARY:
            return
        if event == "import":
            name = str(arguments[0])
            if not name.startswith(f"{encodings.__name__}."):
                raise ImportError(f"refused while a file is expanded: import of {name}")
        elif event == "open" or event in _LISTING:
            path = arguments[0]
            if isinstance(path, int):  # a file that is open already
                return
            path = os.fsdecode(path) if isinstance(path, (str, bytes)) else os.curdir
            if event == "open":
                flags = arguments[2]
                if isinstance(flags, int) and flags & _WRITING:
                    raise RefusedFileError(path, "not written while a file is expanded")
            reason = access.reason_against(path)
            if reason is not None and not contains(_CODECS, os.path.realpath(path)):
                raise RefusedFileError(path, reason)
        else:
            raise RuntimeError(f"refused while a file is expanded: {event}")

    sys.addaudithook(refuse)


_PIECE = re.compile(r"[^ \t\r\n]+")
_SPECIAL = re.compile(r"[&<>\"\t\r\n]")
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}

_MOST_BYTES = 1 << 26
"""Largest size of an expanded document [bytes]; the largest robots have a few million."""

_MOST_PARTS = 1_000_000
"""Largest number of elements, and of words in attributes, of an expanded document; the largest
robots have some ten thousand."""

_MOST_ANSWER = 1 << 29
"""Largest size of an answer [bytes]: an expanded document with its places and its files."""

_GARBAGE = (100_000, 20, 50)
"""Numbers of new objects and of collections after which Python searches for reference cycles: an
expansion makes many objects and few cycles."""

_ALONE = 5.0
"""Time for macros that nothing calls, after the document is expanded [s]; 50 of them take 0.1 s."""

_MOST_DESCRIPTORS = 1 << 10
"""Number above those of all file descriptors of the server, which has a handful."""


class _ExpansionError(PicklableError, Exception):
    """Reason why a file cannot be expanded, and its place."""

    def __init__(
        self,
        reason: str,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.answer = {"reason": reason, "path": path, "line": line, "column": column}


class _LimitError(_ExpansionError):
    """Reason why a file is not expanded any further: it needs too much."""


def _too_large(most: str) -> _LimitError:
    reason = f"expands to more than {most}, and no robot model needs more: a macro in a loop?"
    return _LimitError(reason)


class _Writer:
    """Writes an expanded document and lists the origins of its elements and words."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.elements: list[list[int | None]] = []
        self.words: list[list[int]] = []
        self.unknowns: list[tuple[int, int, list[str], tuple[float, ...]]] = []
        self.inertials: set[Element] = set()
        self._parents: list[str] = []
        self._at = 0
        self._origins: dict[Element, list[int | None]] = {}

    def write(self, node: minidom.Node) -> None:
        """Write a node of the document with its children."""
        if isinstance(node, minidom.Element):
            self._element(node)
        elif isinstance(node, minidom.Text):  # also a CDATA section
            self._put(_escape(node.data))
        elif isinstance(node, minidom.Comment):
            self._put(f"<!--{node.data.replace('--', '- -')}-->")

    def _put(self, text: str) -> None:
        data = text.encode()
        self.pieces.append(data)
        self._at += len(data)
        if self._at > _MOST_BYTES:
            raise _too_large(f"{_MOST_BYTES >> 20} MB")

    def _element(self, node: Node) -> None:
        start = self._at
        row: list[int | None] = []
        self.elements.append(row)
        if len(self.elements) > _MOST_PARTS:
            raise _too_large(f"{_MOST_PARTS} elements")
        before = f"<{node.tagName}"
        for name, value in node.attributes.items():
            self._put(f'{before} {name}="')
            self._value(value)
            before = '"'
        self._put(f"{before}>")
        tag_end = self._at
        if isinstance(node.tagName, StampedName) and self._is_read(node):
            self.inertials.add(node.tagName.element)
        self._parents.append(node.tagName)
        for child in node.childNodes:
            self.write(child)
        self._parents.pop()
        self._put(f"</{node.tagName}>")
        row += [start, tag_end, self._at, *self._origin(node.tagName)]

    def _is_read(self, node: Node) -> bool:
        """Whether an element is the inertial of a link, or has another form than that of URDF."""
        if node.tagName != "inertial" or self._parents[1:] == ["link"]:
            return bool(node.tagName == "inertial")
        return not any(mass.hasAttribute("value") for mass in node.getElementsByTagName("mass"))

    def _origin(self, name: str) -> list[int | None]:
        """Return the place of an element in its file, which a macro may have copied many times."""
        if not isinstance(name, StampedName):
            return _origin(name)
        known = self._origins.get(name.element)
        if known is None:
            known = self._origins[name.element] = _origin(name)
        return known

    def _value(self, value: str) -> None:
        if value.isascii() and _SPECIAL.search(value) is None:  # each character is one byte
            start = self._at
            self._put(value)
            for match in _PIECE.finditer(value):
                self._word(value, match, start + match.start(), start + match.end())
            return
        at = 0
        for match in _PIECE.finditer(value):
            self._put(_escape(value[at : match.start()]))
            start, at = self._at, match.end()
            self._put(_escape(match[0]))
            self._word(value, match, start, self._at)
        self._put(_escape(value[at:]))

    def _word(self, value: str, match: re.Match[str], start: int, end: int) -> None:
        """List the origin of a word of a value, which is written between two bytes."""
        if not isinstance(value, Traced):
            return
        if unknowns := find_unknowns(value.part(*match.span())):
            needs = [need for each in unknowns for need in each.needs]
            samples = value.samples if isinstance(value, Unknown) else ()
            self.unknowns.append((start, end, needs, samples))
        found = value.locate(*match.span())
        if found is not None:
            self.words.append([start, end, *found.span, int(found.verbatim)])
            if len(self.words) > _MOST_PARTS:
                raise _too_large(f"{_MOST_PARTS} words")


def _origin(name: str) -> list[int | None]:
    """Return the place of an element in its file: start, end of its tag, end, file number."""
    if isinstance(name, StampedName):
        span = name.document.element_span(name.element)
        return [span.start, name.document.tag_span(name.element).end, span.end, span.file]
    if isinstance(name, Traced) and name.where is not None:
        span = name.where.document.span(name.where.start, name.where.end)
        return [span.start, span.end, span.end, span.file]
    return [None] * 4


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda match: _REFERENCES.get(match[0]) or f"&#{ord(match[0])};", text)


@cache
def _tracing() -> Tracing:
    """Make xacro trace what it does, once in this process."""
    return Tracing()


def _expand(request: JsonObject) -> Iterator[JsonObject]:
    """Expand the file of a request, and then what no link of the expansion came from.

    Raises:
        _ExpansionError: The file cannot be expanded.
    """
    inputs, access = _read_request(request)
    _tracing()
    limit_resources(request["memory"], request["seconds"])
    confine(access)
    try:
        tracing = _tracing()
        tree = tracing.expand(request["path"], dict(request["arguments"]), inputs)
        writer = _Writer()
        root = tree.documentElement
        assert root is not None  # it was parsed
        own = root.tagName
        if own != "robot" and ":" not in own and isinstance(own, StampedName):
            name = StampedName("robot")  # files that others include may have any root
            name.document, name.element = own.document, own.element
            root.tagName = name
        for node in tree.childNodes:
            writer.write(node)
        yield {
            **_written(writer, inputs.files),
            "repairs": [[message, *span] for span, message in inputs.files.problems.items()],
            "unmatched": [
                *([text, False, *_span(where)] for text, where in tracing.warnings[:20]),
                *([text, unread, *_span(where)] for text, where, unread in tracing.losses),
            ],
        }
        if not _list_missing(inputs.files, writer.inertials):
            return
        ways = tracing.expand_alone(writer.inertials, root)
        robot = minidom.Document().createElement("robot")
        if version := root.getAttribute("version"):
            robot.setAttribute("version", version)
        for link in (each for links in ways.values() for each in links):
            robot.appendChild(link)
        alone = _Writer()
        alone.write(robot)
        yield _written(alone, inputs.files, writer.inertials)
    except LocatedError as error:
        if error.where is None:
            raise _ExpansionError(str(error)) from None
        span = _span(error.where)
        source = inputs.files.sources[span.file]
        place = source.line_column(span.start)
        raise _ExpansionError(str(error), source.path, *place) from None
    except DocumentError as error:
        raise _ExpansionError(error.reason, error.path, error.line, error.column) from None
    except MemoryError:
        most = f"{request['memory'] >> 20} MB"
        reason = f"its expansion needs more than {most} of memory, and no robot model needs more"
        raise _LimitError(reason) from None


def _written(
    writer: _Writer, files: ExpansionFiles, reached: Collection[Element] = ()
) -> JsonObject:
    """Describe what was written, and which <inertial> elements of the files are not in it."""
    return {
        "text": base64.b64encode(b"".join(writer.pieces)).decode(),
        "elements": writer.elements,
        "words": writer.words,
        "unknowns": writer.unknowns,
        "files": [
            {
                "path": source.path,
                "encoding": source.encoding,
                "bom": base64.b64encode(source.bom).decode(),
                "data": base64.b64encode(source.data).decode(),
            }
            for source in files.sources
        ],
        "missing": _list_missing(files, {*writer.inertials, *reached}),
    }


def _list_missing(files: ExpansionFiles, reached: Collection[Element]) -> list[Span]:
    """List the places of the <inertial> elements of the files that are not among others."""
    return [
        document.element_span(element)
        for document in files.documents
        for element in document.root.walk()
        if element.tag == "inertial" and element not in reached
    ]


def _read_request(request: JsonObject) -> tuple[Inputs, Access]:
    """Return what the expansion of a request reads, and the files that it may use."""
    path = request["path"]
    overlay = {key: base64.b64decode(value) for key, value in request["overlay"].items()}
    limits = Limits().with_document(request["largest"])
    access = Access(
        tuple(request["roots"]),
        request["follow_outside"],
        limits,
        around=tuple(request["around"]),
        trees=tuple(request["trees"]),
    )
    context = Context(request["packages"], access=access)
    files = ExpansionFiles(path, base64.b64decode(request["data"]), overlay, access)

    finder, main = ResourceFinder(path, context, os.path.isdir), path
    folders: dict[str, str] = {}

    @cache  # most includes name a package, and few packages are named
    def find(package: str) -> str:
        found = finder.find(f"package://{package}")
        if found.path is None:
            raise OSError(found.reason)
        if found.reason is not None:
            _tracing().warnings.append((found.reason, None))
        folder = os.path.abspath(found.path)  # xacro joins others to the folder of the file
        folders[folder] = package
        return folder

    def find_source(path: str) -> str:
        for folder, package in folders.items():
            if contains(folder, path):
                inside = os.path.relpath(path, folder).replace(os.sep, "/")
                source = ResourceFinder(main, context).find(f"package://{package}/{inside}")
                return source.path or path
        return path

    files.find_source = find_source
    return Inputs(files, find, request["environment"]), access


def _span(where: TextRange | None) -> Span:
    return Span(0, 0) if where is None else where.document.span(where.start, where.end)


def main() -> None:
    """Answer the one request on standard input."""
    answer = os.dup(1)
    os.dup2(2, 1)  # other output must not mix with the answer
    _shut_off()
    _answer(sys.stdin.buffer.read(), answer)


def _shut_off() -> None:
    """Leave nothing of the environment, and let nothing be printed."""
    os.environ.clear()  # a document reads those variables only that the request names
    sys.stderr = io.StringIO()  # xacro prints its warnings there


def _answer(request: bytes, answer: int) -> NoReturn:
    """Write the answer to a file descriptor and end the process."""
    asked = json.loads(request)
    lookups = Lookups()
    with os.fdopen(answer, "wb") as stream, record_lookups(lookups), remember_folders():

        def send(reply: JsonObject) -> None:
            reply["lookups"] = [sorted(lookups.paths), lookups.complete]
            stream.write(json.dumps(reply).encode() + b"\n")
            stream.flush()

        try:
            for reply in _expand(asked):
                send(reply)
        except _ExpansionError as error:
            send({"error": error.answer, "limited": isinstance(error, _LimitError)})
        except Exception as error:  # expressions may raise any exception
            reason = str(error) or type(error).__name__
            send({"error": _ExpansionError(reason).answer, "limited": False})
    os._exit(0)


def serve() -> None:
    """Answer requests until the input ends, each in a fork, so that xacro is imported only once.

    A request is a line of JSON with its size [bytes], time limit [s] and folder, and then its
    bytes. An answer is a line of JSON with its size, whether it is late, and the exit
    code, and then its bytes.
    """
    _shut_off()
    prepare_expansions()
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        request = sys.stdin.buffer.read(asked["size"])
        # Answer a request in a fork: the answer, whether the fork was stopped, and its exit code.
        if sys.platform == "win32":  # has no forks: run.py starts a process for each request there
            raise NotImplementedError("requests are answered in forks")
        reader, writer = os.pipe()
        fork = os.fork()
        if fork == 0:
            os.setsid()
            os.close(reader)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):  # the fork must neither print answers nor read requests
                os.dup2(nothing, descriptor)
            writer = os.dup2(writer, 3)
            os.closerange(4, _MOST_DESCRIPTORS)  # nothing else is inherited
            os.chdir(asked["folder"])
            _answer(request, writer)
        os.close(writer)
        said, late = _read_until(reader, time.monotonic() + asked["seconds"])
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(fork, signal.SIGKILL)  # and the processes that it started
        code = os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])
        head = {"size": len(said), "late": late, "code": code}
        sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + said)
        sys.stdout.buffer.flush()


def prepare_expansions() -> None:
    """Import and compile what expansions need, so that their forks find it, and freeze it.

    The garbage collector of a fork does not search what was there before it.
    """
    if sys.platform != "win32":
        import resource  # noqa: F401
    import_parsers()
    with contextlib.suppress(Exception):  # what is wrong with a library is said by each fork
        _tracing()
    gc.set_threshold(*_GARBAGE)
    gc.freeze()


def _read_until(reader: int, deadline: float) -> tuple[bytes, bool]:
    """Read until the end of the answer or the deadline; return it and whether it is late.

    It is not if its first line is there; the second may be missing.
    """
    pieces: list[bytes] = []
    size = 0
    while size <= _MOST_ANSWER and (left := deadline - time.monotonic()) > 0:
        # Input that comes before the answer is its end: the parent process is gone.
        ready, _, _ = select.select([reader, sys.stdin], [], [], left)
        if sys.stdin in ready:
            break
        if reader in ready:
            pieces.append(os.read(reader, 1 << 16))
            if not pieces[-1]:
                return b"".join(pieces), False
            if b"\n" in pieces[-1]:
                deadline = min(deadline, time.monotonic() + _ALONE)
            size += len(pieces[-1])
    return (said := b"".join(pieces)), b"\n" not in said
