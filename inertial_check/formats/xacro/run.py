"""Client of the process that expands xacro files, which is stopped if it takes too long."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from inertial_check.errors import ExpansionLimitError, NotExpandedError
from inertial_check.files.json import JsonObject
from inertial_check.formats.child_process import ChildClient, answer_seconds, open_child
from inertial_check.formats.context import Context
from inertial_check.formats.lookups import note_child_lookups, note_other_inputs
from inertial_check.formats.xacro.total import count_expansion, reason_against_expanding
from inertial_check.model.source import Source, Span

_LONGEST_REASON = 500
"""Largest number of characters of a reason."""

_GRACE = 1.0
"""Time in which a process may end by itself before it is killed [s]."""


class ExpansionLimits(NamedTuple):
    """Limits of an expansion.

    Attributes:
        seconds: Limit of elapsed time and of processor time [s].
        memory: Limit of the address space [bytes]; the largest robots need 100 MB.
    """

    seconds: float
    memory: int = 512 << 20


class ExpandedElement(NamedTuple):
    """An element of the expanded document.

    Attributes:
        start: First byte in the expanded document.
        tag_end: Byte after its start tag there.
        end: Byte after its end tag there.
        tag: Span of its start tag in the xacro file; None if it is unknown.
        whole: Span of the element in the xacro file; None if it is unknown.
    """

    start: int
    tag_end: int
    end: int
    tag: Span | None
    whole: Span | None


class WordOrigin(NamedTuple):
    """Origin of a word of the expanded document.

    Attributes:
        span: Span of the word, or of the expression that computed it.
        verbatim: Whether the word is written there.
    """

    span: Span
    verbatim: bool


@dataclass(frozen=True)
class Expansion:
    """An expanded xacro file.

    Attributes:
        data: The expanded document in UTF-8.
        sources: The files that were read, the main one first; Span.file counts them from 0.
        elements: Its elements in document order.
        words: Origin of each word of an attribute, by its first byte and the one after its last.
        repairs: Repairs that reading the files needed, and their spans.
        unmatched: Includes whose pattern matches no file, and their spans.
    """

    data: bytes = field(repr=False)
    sources: tuple[Source, ...]
    elements: tuple[ExpandedElement, ...] = field(repr=False)
    words: Mapping[tuple[int, int], WordOrigin] = field(repr=False)
    repairs: tuple[tuple[str, Span], ...] = ()
    unmatched: tuple[tuple[str, Span], ...] = ()


def expand(source: Source, context: Context, limits: ExpansionLimits | None = None) -> Expansion:
    """Expand a xacro file.

    Args:
        source: The file.
        context: Arguments, folders of packages, and bytes to read in place of files.
        limits: Limits of the expansion; None for those that follow from the context.

    Raises:
        ExpansionLimitError: The file is not expanded within the limits.
        NotExpandedError: xacro cannot expand the file.
    """
    granted = context.granted.limits
    limits = limits or ExpansionLimits(answer_seconds(granted))
    if (reason := reason_against_expanding(granted)) is not None:
        note_other_inputs()
        raise ExpansionLimitError(source.path, reason)
    answer = _answer(source.path, _request(source, context, limits), limits)
    if "error" in answer:
        raise _error(source.path, answer["limited"], **answer["error"])
    words = {(row[0], row[1]): WordOrigin(Span(*row[2:5]), bool(row[5])) for row in answer["words"]}
    return Expansion(
        base64.b64decode(answer["text"]),
        tuple(_source(**file) for file in answer["files"]),
        tuple(_element(row) for row in answer["elements"]),
        words,
        tuple((text, Span(*span)) for text, *span in answer["repairs"]),
        tuple((text, Span(*span)) for text, *span in answer["unmatched"]),
    )


def _request(source: Source, context: Context, limits: ExpansionLimits) -> bytes:
    request = {
        "path": source.path,
        "data": base64.b64encode(source.data).decode(),
        "packages": {name: os.fspath(folder) for name, folder in context.packages.items()},
        "arguments": {name: str(value) for name, value in context.xacro_args.items()},
        "overlay": {
            path: base64.b64encode(data).decode() for path, data in context.overlay.items()
        },
        "roots": context.granted.roots,
        "around": context.granted.around,
        "follow_outside": context.granted.follow_outside,
        "largest": context.granted.limits.document,
        "environment": dict(context.xacro_env),
        **limits._asdict(),
    }
    return json.dumps(request).encode()


def _answer(path: str, request: bytes, limits: ExpansionLimits) -> JsonObject:
    """Send a request to the process and decode the answer.

    Raises:
        ExpansionLimitError: The answer is late, or the process ended without one.
    """
    ask = _once if sys.platform == "win32" else XacroServer.current().ask
    with count_expansion():
        said = ask(request, limits.seconds)
    if said.late:
        note_other_inputs()
        reason = (
            f"not expanded within {limits.seconds:g} s: does an expression grow without bound? "
            "--timeout raises the limit, a third of the time for a document"
        )
        raise ExpansionLimitError(path, reason)
    try:
        answer: JsonObject = json.loads(said.answer)
    except ValueError:
        note_other_inputs()
        most = f"{limits.memory >> 20} MB of memory"
        reason = f"xacro ended without an answer (exit code {said.code}): it may need over {most}"
        raise ExpansionLimitError(path, reason) from None
    note_child_lookups(*answer["lookups"])
    return answer


class _Reply(NamedTuple):
    """Reply to a request: the answer, whether it is late, and the exit code."""

    answer: bytes
    late: bool
    code: int


def _call(function: str) -> str:
    """Make the code that calls a function of the process."""
    return f"from inertial_check.formats.xacro.child import {function}; {function}()"


def _once(request: bytes, seconds: float) -> _Reply:
    """Answer a request in a new process, on systems where processes cannot fork."""
    with open_child(_call("main")) as process:
        try:
            answer, _ = process.communicate(request, timeout=seconds)
            return _Reply(answer, False, process.returncode)
        except subprocess.TimeoutExpired:
            process.kill()
            return _Reply(b"", True, 0)


class XacroServer(ChildClient):
    """A process that has imported xacro and forks for each request of one thread at a time."""

    def ask(self, request: bytes, seconds: float) -> _Reply:
        """Send a request and wait for the reply of a fork."""
        head = {
            "size": len(request),
            "seconds": seconds,
            "folder": os.getcwd(),
        }
        with self.exchange() as process:
            return _exchange(process, json.dumps(head).encode() + b"\n" + request)

    def _start(self) -> subprocess.Popen[bytes]:
        # In a session of its own, as an interrupt of this process must not reach it.
        return open_child(_call("serve"), start_new_session=True)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process; at the end of its input it stops a fork that is still running."""
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> _Reply:
    """Send a request to the process and read the reply."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return _Reply(b"", False, 0)
    try:
        stdin.write(request)
        stdin.flush()
    except OSError:
        return _Reply(b"", False, process.wait())
    line = stdout.readline()
    if not line:
        return _Reply(b"", False, process.wait())
    said = json.loads(line)
    return _Reply(stdout.read(said["size"]), said["late"], said["code"])


def _error(
    main: str, limited: bool, reason: str, path: str | None, line: int | None, column: int | None
) -> NotExpandedError:
    """Make an error of one line; if it is about an included file, it names that file."""
    reason = " ".join(reason.split())
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}..."
    if limited:
        return ExpansionLimitError(main, reason)
    if path is None or path == main:
        return NotExpandedError(main, reason, line, column)
    return NotExpandedError(main, f"in {path}:{line}:{column}: {reason}")


def _source(path: str, encoding: str, bom: str, data: str) -> Source:
    return Source(path, base64.b64decode(data), encoding, base64.b64decode(bom))


def _element(row: list[int | None]) -> ExpandedElement:
    start, tag_end, end = (place or 0 for place in row[:3])
    at, at_tag_end, at_end, file = row[3:]
    if at is None or at_tag_end is None or at_end is None or file is None:
        return ExpandedElement(start, tag_end, end, None, None)
    return ExpandedElement(start, tag_end, end, Span(at, at_tag_end, file), Span(at, at_end, file))
