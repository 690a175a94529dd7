"""Reader of xacro files: the URDF to which a file expands, with places in the xacro files.

The file is expanded in a process of its own (run.py) and read as a URDF. Then every place in the
expanded document is replaced by its origin in the files: for a number, the literal that was copied,
or else the expression that computes it.

Client of the process that expands xacro files, which is stopped if it takes too long.

Files that an expansion reads, with the byte offsets of the characters of their texts.
"""

from __future__ import annotations

import base64
import glob
import json
import os
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.documents.children import (
    ChildClient,
    answer_seconds,
    count_expansion,
    open_child,
    reason_against_expanding,
)
from inertial_check.documents.context import (
    Context,
    note_child_lookups,
    note_lookup,
    note_other_inputs,
)
from inertial_check.documents.files.access import Access, JsonObject, RefusedFileError
from inertial_check.documents.model import (
    ENTRIES,
    Body,
    How,
    Inertial,
    Model,
    Number,
    Problem,
    Shape,
    Unjudged,
)
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.poses import Unusable, digest_rest, unusable_shape
from inertial_check.documents.source import Source, Span
from inertial_check.documents.urdf import reading
from inertial_check.documents.xacro import NAME
from inertial_check.documents.xml.document import XmlDocument, parse
from inertial_check.documents.xml.encoding import Unreadable, decode
from inertial_check.errors import (
    DocumentError,
    ExpansionLimitError,
    NotAModelError,
    NotExpandedError,
)
from inertial_check.inertia.tolerances import SAME_SHARES

if TYPE_CHECKING:
    import subprocess

_BESIDES_FILES = re.compile(
    rb"\$\(\s*(?:env|optenv|anon|cwd|eval)\b|include\b[^>]*filename\s*=\s*[\"'][^\"']*[*?\[]"
)
"""Pattern of texts that make an expansion depend on the environment or on which files exist."""
_MAGIC = re.compile(r"[*?\[]")
"""First special character of a pattern of paths."""


class TextFile:
    """Text of a file that is not XML, with the byte offset of every character."""

    def __init__(self, path: str, data: bytes, number: int) -> None:
        try:
            found = decode(data)
        except Unreadable as error:
            raise DocumentError(path, error.reason, 1, 1) from None
        self.source = Source(path, data, found.encoding, found.bom)
        self.text = found.text
        self._index, self._number = found.index, number
        for message, start, _ in found.complaints:
            place = self.source.line_column(found.index.byte(start))
            raise DocumentError(path, message, *place)

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""
        return Span(self._index.byte(start), self._index.byte(end), self._number)


class ExpansionFiles:
    """The files that an expansion reads: the main file and the files that it includes.

    Attributes:
        sources: The files in the order in which they were first read, the main file first.
        problems: Repairs that reading the files needed, by their spans.
    """

    def __init__(
        self, path: str, data: bytes, overlay: Mapping[str, bytes], access: Access
    ) -> None:
        self.sources: list[Source] = []
        self.problems: dict[Span, str] = {}
        self._bytes = {**overlay, os.path.abspath(path): data}
        self._numbers: dict[str, int] = {}
        self._documents: dict[int, XmlDocument] = {}
        self._main = path
        self._access = access
        self.find_source: Callable[[str], str] = lambda path: path
        """Function that finds the source of a file that a package installs; see `_read`."""

    def document(self, path: str) -> XmlDocument:
        """Read an XML file, which is parsed once however often it is included.

        Raises:
            OSError: The file cannot be read.
            DocumentError: The file is not XML.
        """
        data, number = self._read(path)
        if number in self._documents:
            return self._documents[number]
        document = parse(self.sources[number].path, data, number)
        self._documents[number] = document
        self.sources[number] = document.source
        self.problems.update((problem.span, problem.message) for problem in document.problems)
        return document

    @property
    def documents(self) -> Iterable[XmlDocument]:
        """The XML files among them."""
        return self._documents.values()

    def text_file(self, path: str) -> TextFile:
        """Read a file that is not XML.

        Raises:
            OSError: The file cannot be read.
            DocumentError: The file is not text.
        """
        data, number = self._read(path)
        file = TextFile(self.sources[number].path, data, number)
        self.sources[number] = file.source
        return file

    def glob(self, pattern: str) -> list[str]:
        """List the paths that match a pattern, in folders that the document may use.

        Raises:
            RefusedFileError: A folder in which the pattern begins or leads may not be used.
        """
        above = os.path.dirname(_MAGIC.split(pattern, maxsplit=1)[0])
        reason = self._access.reason_against(above or os.curdir)
        if reason is not None:
            raise RefusedFileError(above, reason)
        found = glob.glob(pattern)
        for path in found:
            reason = self._access.reason_against(os.path.dirname(path) or os.curdir)
            if reason is not None:
                raise RefusedFileError(os.path.dirname(path), reason)
        return found

    def _read(self, path: str) -> tuple[bytes, int]:
        key = os.path.abspath(path)
        if key not in self._bytes:
            note_lookup(path)
            path = path if os.path.lexists(path) else self.find_source(path)
            if os.path.isdir(path):
                raise OSError(0, "not a file")
            self._bytes[key] = self._access.read(path)
        data = self._bytes[key]
        if _BESIDES_FILES.search(data):
            note_other_inputs()
        number = self._numbers.setdefault(key, len(self.sources))
        if number == len(self.sources):
            if number:  # the path of an included file is relative if that of the main file is
                path, here = os.path.normpath(path), os.path.join(os.getcwd(), "")
                path = path if os.path.isabs(self._main) else path.removeprefix(here)
            self.sources.append(Source(path, data))
        return data, number


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


class UnknownWord(NamedTuple):
    """A word of the expanded document whose value is unknown.

    Attributes:
        needs: Names of what is missing.
        samples: Its values for several values of what is missing; () if they are no numbers.
    """

    needs: tuple[str, ...]
    samples: tuple[float, ...]


@dataclass(frozen=True)
class Expansion:
    """An expanded xacro file.

    Attributes:
        data: The expanded document in UTF-8.
        sources: The files that were read, the main one first; Span.file counts them from 0.
        elements: Its elements in document order.
        words: Origin of each word of an attribute, by its first byte and the one after its last.
        repairs: Repairs that reading the files needed, and their spans.
        unmatched: What was not found or not computed, so that it is left out, whether a file is
            unread that other programs may read, and its spans.
        unknowns: Words whose values are unknown, by their first byte and the one after the last.
        missing: Spans of the <inertial> elements of the files that are not in the document.
        alone: A document of links with those of them that could be expanded by themselves.
    """

    data: bytes = field(repr=False)
    sources: tuple[Source, ...]
    elements: tuple[ExpandedElement, ...] = field(repr=False)
    words: Mapping[tuple[int, int], WordOrigin] = field(repr=False)
    repairs: tuple[tuple[str, Span], ...] = ()
    unmatched: tuple[tuple[str, bool, Span], ...] = ()
    unknowns: Mapping[tuple[int, int], UnknownWord] = field(default_factory=dict, repr=False)
    missing: tuple[Span, ...] = ()
    alone: Expansion | None = field(default=None, repr=False)


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
    # Send a request to the process and decode the answer.
    ask = _once if sys.platform == "win32" else XacroServer.current().ask
    with count_expansion():
        said = ask(_request(source, context, limits), limits.seconds)
    if said.late:
        note_other_inputs()
        reason = (
            f"not expanded within {limits.seconds:g} s: does an expression grow without bound? "
            "--timeout raises the limit, a third of the time for a document"
        )
        raise ExpansionLimitError(source.path, reason)
    answers: list[JsonObject] = []
    for line in said.answer.splitlines():
        with suppress(ValueError):  # the process was stopped while it wrote
            answers.append(json.loads(line))
    if not answers:
        note_other_inputs()
        most = f"{limits.memory >> 20} MB of memory"
        reason = f"xacro ended without an answer (exit code {said.code}): it may need over {most}"
        raise ExpansionLimitError(source.path, reason)
    note_child_lookups(*answers[-1]["lookups"])
    answer, *rest = answers
    if "error" in answer:
        raise _error(source.path, answer["limited"], **answer["error"])
    alone = next((_decode(each) for each in rest if "text" in each), None)
    if alone is None and answer["missing"]:
        note_other_inputs()  # the time for it may have been too short
    return _decode(answer, alone)


def _decode(answer: JsonObject, alone: Expansion | None = None) -> Expansion:
    """Decode an expanded document of an answer."""
    return Expansion(
        base64.b64decode(answer["text"]),
        tuple(_source(**file) for file in answer["files"]),
        tuple(_element(row) for row in answer["elements"]),
        {(row[0], row[1]): WordOrigin(Span(*row[2:5]), bool(row[5])) for row in answer["words"]},
        tuple((text, Span(*span)) for text, *span in answer.get("repairs", ())),
        tuple((text, unread, Span(*span)) for text, unread, *span in answer.get("unmatched", ())),
        {
            (start, end): UnknownWord(tuple(needs), tuple(samples))
            for start, end, needs, samples in answer["unknowns"]
        },
        tuple(Span(*span) for span in answer["missing"]),
        alone,
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
        "trees": context.granted.trees,
        "follow_outside": context.granted.follow_outside,
        "largest": context.granted.limits.document,
        "environment": dict(context.xacro_env),
        **limits._asdict(),
    }
    return json.dumps(request).encode()


class _Reply(NamedTuple):
    """Reply to a request: the answer, whether it is late, and the exit code."""

    answer: bytes
    late: bool
    code: int


def _call(function: str) -> str:
    """Make the code that calls a function of the process."""
    return f"from inertial_check.documents.xacro.child import {function}; {function}()"


def _once(request: bytes, seconds: float) -> _Reply:
    """Answer a request in a new process, on systems where processes cannot fork."""
    import subprocess

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
        head = {"size": len(request), "seconds": seconds, "folder": os.getcwd()}
        with self.exchange() as process:
            stdin, stdout = process.stdin, process.stdout
            if stdin is None or stdout is None:
                return _Reply(b"", False, 0)
            try:
                stdin.write(json.dumps(head).encode() + b"\n" + request)
                stdin.flush()
            except OSError:
                return _Reply(b"", False, process.wait())
            line = stdout.readline()
            if not line:
                return _Reply(b"", False, process.wait())
            said = json.loads(line)
            return _Reply(stdout.read(said["size"]), said["late"], said["code"])

    def _start(self) -> subprocess.Popen[bytes]:
        # In a session of its own, as an interrupt of this process must not reach it.
        return open_child(_call("serve"), start_new_session=True)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """End the process; at the end of its input it stops a fork that is still running."""
        from subprocess import TimeoutExpired

        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        with suppress(TimeoutExpired):
            process.wait(_GRACE)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _error(
    main: str, limited: bool, reason: str, path: str | None, line: int | None, column: int | None
) -> NotExpandedError:
    """Make an error of one line; if it is about an included file, it names that file."""
    reason = _join_lines(reason)
    if limited:
        return ExpansionLimitError(main, reason)
    if path is None or path == main:
        return NotExpandedError(main, reason, line, column)
    return NotExpandedError(main, f"in {path}:{line}:{column}: {reason}")


def _join_lines(reason: str) -> str:
    """Put a reason on one line of a readable length."""
    reason = " ".join(reason.split())
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}..."


def _source(path: str, encoding: str, bom: str, data: str) -> Source:
    return Source(path, base64.b64decode(data), encoding, base64.b64decode(bom))


def _element(row: list[int | None]) -> ExpandedElement:
    start, tag_end, end = (place or 0 for place in row[:3])
    at, at_tag_end, at_end, file = row[3:]
    if at is None or at_tag_end is None or at_end is None or file is None:
        return ExpandedElement(start, tag_end, end, None, None)
    return ExpandedElement(start, tag_end, end, Span(at, at_tag_end, file), Span(at, at_end, file))


def read_model(source: Source, context: Context) -> Model:
    """Expand a xacro file and read the URDF; arguments and errors are those of xacro.read."""
    expansion = expand(source, context)
    try:
        model = reading.read_model(Source(source.path, expansion.data))
    except NotAModelError as error:
        raise NotAModelError(source.path, f"expanded, {error.reason}") from None
    places = _PlaceMap(expansion)
    problems = (
        *(Problem("repair", text, span) for text, span in expansion.repairs),
        *(
            Problem("unread" if unread else "reference", _join_lines(text), span)
            for text, unread, span in expansion.unmatched
        ),
        *places.problems(model.problems),
    )
    last = expansion.alone or expansion
    others = _PlaceMap(last)
    alone = reading.read_model(Source(source.path, last.data)).bodies if expansion.alone else ()
    reduced = [
        places.reduce(body, body.inertial, "part")
        for body in model.bodies
        if body.inertial is not None and places.needs(body.inertial)
    ]
    reduced += [
        others.reduce(body, body.inertial, "macro") for body in alone if body.inertial is not None
    ]
    macros = [body for body in reduced if isinstance(body, Body)]
    judged = {body.inertial.span for body in macros if body.inertial is not None}
    unjudged = {span: Unjudged(span, _NOT_REACHED) for span in last.missing}
    unjudged |= {each.span: each for each in reduced if isinstance(each, Unjudged)}
    for link in model.bodies:
        if link.inertial is None and expansion.data.find(b"<unknown ", *link.span[:2]) >= 0:
            span, needs = places.body(link).span, places.needs(link)
            unjudged[span] = Unjudged(span, f"its inertial may be in {needs}, left out", needs)
    return Model(
        expansion.sources[0],
        NAME,
        model.name,
        tuple(places.body(body) for body in model.bodies),
        problems,
        last.sources[1:],
        digest_rest(expansion.data, model.bodies)
        + (digest_rest(last.data, alone) if alone else ""),
        unjudged=tuple(each for span, each in unjudged.items() if span not in judged),
        macros=tuple(
            body._replace(id=f"/macros[{number}]{body.id}") for number, body in enumerate(macros, 1)
        ),
    )


_NOT_REACHED = "it stands in a macro or block that could not be expanded"
_A_VALUE = "a value that cannot be computed"
_MOMENTS = ("ixx", "iyy", "izz")


class _PlaceMap:
    """Maps places in the expanded document to places in the files that it was made from."""

    def __init__(self, expansion: Expansion) -> None:
        self._expansion = expansion
        self._starts = [element.start for element in expansion.elements]
        self._word_starts = [start for start, _ in expansion.words]
        self._words = list(expansion.words.items())
        self._unknown_starts = [start for start, _ in expansion.unknowns]
        self._unknowns = list(expansion.unknowns.values())

    def body(self, body: Body) -> Body:
        """Map every place of a body; what is unknown of its shapes is none of their numbers."""
        inertial, problems = body.inertial, body.problems
        if inertial is not None and self.needs(inertial):
            start, end, _ = inertial.span
            problems = tuple(
                each
                for each in problems
                if each.kind != "malformed" or not start <= each.span.start < end
            )
        if inertial is not None:
            how: How = "part" if self.needs(inertial) else "expanded"
            inertial = self._inertial(inertial)._replace(how=how)
        return body._replace(
            span=self._span(body.span),
            inertial=inertial,
            problems=tuple(self.problems(problems)),
            shapes=tuple(map(self._shape, body.shapes)),
        )

    def problems(self, problems: Iterable[Problem]) -> list[Problem]:
        """Map the places of problems; a text that is unknown is none."""
        return [
            problem._replace(span=self._span(problem.span))
            for problem in problems
            if problem.kind != "malformed" or not self._unknown_in(problem.span)
        ]

    def needs(self, element: Inertial | Body) -> str:
        """List what the unknown words of an element need; "" if all are known."""
        words = self._unknown_in(element.span)
        return ", ".join(
            dict.fromkeys(need or _A_VALUE for word in words for need in word.needs or ("",))
        )

    def reduce(self, body: Body, inertial: Inertial, known: How) -> Body | Unjudged:
        """Reduce a body to what is known of its inertial; say what it needs if that is too little.

        Moments whose ratios are known are those for values of 1 of all that is unknown. Unknown
        products of inertia are 0: none saves moments that violate the triangle inequality, or one
        that is negative.
        """
        needs, mapped = self.needs(inertial), self._inertial(inertial)
        if not needs:
            mapped = mapped._replace(how=known)
        else:
            entries = self._known_entries(inertial, mapped)
            mass = None if mapped.mass is None or isnan(mapped.mass.value) else mapped.mass
            if not entries and mass is None:
                reason = f"its numbers depend on {needs}, which no file that was read states"
                return Unjudged(mapped.span, reason, needs)
            mapped = mapped._replace(mass=mass, I_BBcm_Bi=entries, how="part", needs=needs)
        problems = () if needs else tuple(self.problems(body.problems))
        found = Body(body.name, body.id, self._span(body.span), None, False, mapped, problems)
        return found if needs else found._replace(shapes=tuple(map(self._shape, body.shapes)))

    def _known_entries(self, inertial: Inertial, mapped: Inertial) -> Mapping[str, Number]:
        """Find the entries of the inertia with which it can be judged; none if that cannot be."""
        columns = {
            name: words[0].samples if words else (number.value,)
            for name, number in inertial.I_BBcm_Bi.items()
            for words in [self._unknown_in(number.span)]
        }
        zeros = dict.fromkeys(ENTRIES, Number(0.0, "0", None))
        for names in (ENTRIES, _MOMENTS):
            if not all(columns.get(name) for name in names):
                continue
            most = max(len(columns[name]) for name in names)
            rows = zip(
                *(columns[name] * (most // len(columns[name])) for name in names), strict=True
            )
            shares = [[each / (sum(map(abs, row)) or 1.0) for each in row] for row in rows]
            if all(
                abs(each - first) <= SAME_SHARES
                for row in shares
                for each, first in zip(row, shares[0], strict=True)
            ):
                ones = {name: columns[name][0] for name in names if len(columns[name]) > 1}
                found = {
                    name: mapped.I_BBcm_Bi[name]._replace(value=value, text=f"{value:.17e}")
                    for name, value in ones.items()
                }
                return zeros | {name: mapped.I_BBcm_Bi[name] for name in names} | found
        fixed = {
            name: mapped.I_BBcm_Bi[name] for name, column in columns.items() if len(column) == 1
        }
        if any(fixed[name].value < 0 for name in _MOMENTS if name in fixed):
            return zeros | fixed
        return {}

    def _unknown_in(self, span: Span | None) -> list[UnknownWord]:
        """List the unknown words in a span of the expanded document."""
        if span is None:
            return []
        first, last = (bisect_left(self._unknown_starts, at) for at in (span.start, span.end))
        return self._unknowns[first:last]

    def _shape(self, shape: Shape) -> Shape:
        if not (words := self._unknown_in(shape.span)):
            return shape._replace(span=self._span(shape.span))
        needs = ", ".join(dict.fromkeys(need for word in words for need in word.needs)) or _A_VALUE
        why = Unusable(f"depends on {needs}, which is not known")
        return unusable_shape(shape.kind, shape.role, self._span(shape.span), why)

    def _inertial(self, inertial: Inertial) -> Inertial:
        x, y, z = (self._number(number) for number in inertial.p_BoBcm_B)
        entries = inertial.I_BBcm_Bi.items()
        return inertial._replace(
            span=self._span(inertial.span),
            mass=None if inertial.mass is None else self._number(inertial.mass),
            p_BoBcm_B=(x, y, z),
            I_BBcm_Bi={entry: self._number(number) for entry, number in entries},
            how="expanded",
        )

    def _number(self, number: Number) -> Number:
        """Map a number to the literal that it copies, or else to its expression."""
        if number.span is None:
            return number
        origin = self._expansion.words.get((number.span.start, number.span.end))
        if origin is None:
            return number._replace(span=self._span(number.span), literal=False)
        text = self._expansion.sources[origin.span.file].text(origin.span)
        same = text == number.text or parse_number(text) == (number.value, None)
        if origin.verbatim and same:
            return Number(number.value, text, origin.span)
        return number._replace(span=origin.span, literal=False)

    def _span(self, span: Span) -> Span:
        """Map the span of a word, of some words of one attribute, or of an element."""
        first = bisect_right(self._word_starts, span.start - 1)
        inside = []
        for (start, end), origin in self._words[first:]:
            if start >= span.end or end > span.end:
                break
            inside.append(origin.span)
        element = self._element(span)
        if element is not None and self._expansion.elements[element].start == span.start:
            found = self._expansion.elements[element]
            place = found.whole if span.end == found.end else found.tag
            if place is not None:
                return place
        elif inside and len({place.file for place in inside}) == 1:
            ends = max(place.end for place in inside)
            return Span(min(inside).start, ends, inside[0].file)
        # Return the tag of an element, or of the nearest one before it whose tag is known.
        for at in range(-1 if element is None else element, -1, -1):
            tag = self._expansion.elements[at].tag
            if tag is not None:
                return tag
        return Span(0, 0)

    def _element(self, span: Span) -> int | None:
        """Return the index of the innermost element around a place."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0 and self._expansion.elements[at].end < span.end:
            at -= 1
        return at if at >= 0 else None
