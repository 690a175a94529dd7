"""Open documents of an editor: their text, and their check with what quick fixes and hovers need.

An editor counts lines from 0 and columns in the code units that were negotiated; a report counts
from 1 and in code points, and does not count a byte order mark. Both end lines at LF, CRLF and CR.
"""

from __future__ import annotations

import codecs
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from lsprotocol.types import Position, PositionEncodingKind, Range

from inertial_check.checking.baseline import Baseline
from inertial_check.checking.check import check_model, is_fragment, report_unreadable
from inertial_check.checking.configuration import Configurations
from inertial_check.checking.report import FileReport, Report, TextReplacement
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Lookups, record_lookups
from inertial_check.documents.load import FORMATS, load, sniff
from inertial_check.documents.model import Body, Model
from inertial_check.documents.resources import concerns_lookup
from inertial_check.documents.source import Place
from inertial_check.documents.usd import TEXT
from inertial_check.errors import DocumentError, MissingExtraError, NotAModelError, UsageError
from inertial_check.fixing.prescriptions import prescribe

_LINE_END = re.compile(r"\r\n?|\n")
_MARK = "\ufeff"
_DECLARED = re.compile(r"\ufeff?\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']\s*([A-Za-z][\w.:-]*)")
_WORD = re.compile(r"\w+|.")
_ASCII = bytes(range(0x20, 0x7F))
_CODECS = {PositionEncodingKind.Utf8: "utf-8", PositionEncodingKind.Utf16: "utf-16-le"}
_CODE_UNIT = {PositionEncodingKind.Utf8: 1, PositionEncodingKind.Utf16: 2}


@dataclass(frozen=True)
class Text:
    """Text of a document at one moment.

    Attributes:
        content: All characters, including a byte order mark.
        units: Units in which the editor counts columns.
    """

    content: str = field(repr=False)
    units: PositionEncodingKind | str = PositionEncodingKind.Utf16

    def __post_init__(self) -> None:
        """Replace halves of surrogate pairs, which no file can hold, by U+FFFD."""
        object.__setattr__(self, "content", re.sub(r"[\ud800-\udfff]", "\ufffd", self.content))

    @cached_property
    def encoding(self) -> str:
        """The codec that a reader of the document expects: the declared one, else UTF-8."""
        declared = _DECLARED.match(self.content)
        if declared is None:
            return "utf-8"
        try:
            codec = codecs.lookup(declared[1]).name
            if codec.startswith("utf-16"):
                return "utf-16-le"
            self.content.removeprefix(_MARK).encode(codec)
            return codec if _ASCII.decode().encode(codec) == _ASCII else "utf-8"
        except (LookupError, UnicodeError):
            return "utf-8"

    @cached_property
    def data(self) -> bytes:
        """The bytes of a file that holds the text."""
        return self._prefix + self._body.encode(self.encoding)

    @cached_property
    def _body(self) -> str:
        """The text to encode; only Unicode encodings can write a byte order mark."""
        return self.content if self.encoding.startswith("utf") else self.content.removeprefix(_MARK)

    @property
    def _prefix(self) -> bytes:
        wide = self.encoding == "utf-16-le" and not self.content.startswith(_MARK)
        return codecs.BOM_UTF16_LE if wide else b""

    @cached_property
    def _starts(self) -> list[int]:
        """Indices of the characters at which lines start."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    def byte(self, index: int) -> int:
        """The byte offset of a character in `data`."""
        index -= len(self.content) - len(self._body)
        return len(self._prefix) + len(self._body[: max(index, 0)].encode(self.encoding))

    def index(self, position: Position) -> int:
        """The index of the character at an editor's position; the nearest one outside the text."""
        if position.line >= len(self._starts):
            return len(self.content)
        # A line, counted from 0, without its end.
        start = self._starts[position.line]
        match = _LINE_END.search(self.content, start)
        line = self.content[start : match.start() if match else len(self.content)]
        # Number of characters that lie within so many code units.
        count = position.character
        units = self.units
        codec = _CODECS.get(PositionEncodingKind(units))
        if codec is None or line.isascii():
            characters = min(count, len(line))
        else:
            size = count * _CODE_UNIT[PositionEncodingKind(units)]
            characters = len(line.encode(codec)[:size].decode(codec, "ignore"))
        return self._starts[position.line] + characters

    def position(self, index: int) -> Position:
        """The editor's position of a character."""
        line = bisect_right(self._starts, index) - 1
        # Number of code units of a text.
        text = self.content[self._starts[line] : index]
        units = self.units
        codec = _CODECS.get(PositionEncodingKind(units))
        if codec is None or text.isascii():
            found = len(text)
        else:
            found = len(text.encode(codec)) // _CODE_UNIT[PositionEncodingKind(units)]
        return Position(line, found)

    def span(self, place: Place) -> tuple[int, int]:
        """The indices of the first character of a report's place and of the one after its last."""
        return (
            self._index(place.line, place.column),
            self._index(place.end_line, place.end_column),
        )

    def range(self, place: Place) -> Range:
        """The editor's range of a report's place; an empty one is widened to the word there."""
        start, end = self.span(place)
        if start >= end:
            word = _WORD.match(self.content, start)
            end = word.end() if word else start
        return Range(self.position(start), self.position(end))

    def exact_range(self, place: Place) -> Range:
        """The editor's range of a report's place, empty if the place is."""
        start, end = self.span(place)
        return Range(self.position(start), self.position(end))

    def has_same_content(self, other: Text) -> bool:
        """Whether two texts differ by no more than a byte order mark."""
        return self.content.removeprefix(_MARK) == other.content.removeprefix(_MARK)

    def apply_change(self, where: Range | None, new: str) -> Text:
        """Apply an editor's change; without a range, the whole text is replaced."""
        if where is None:
            return Text(new, self.units)
        start, end = self.index(where.start), self.index(where.end)
        return Text(self.content[:start] + new + self.content[max(start, end) :], self.units)

    def apply_replacements(self, replacements: Iterable[TextReplacement]) -> Text:
        """Replace the text at several places."""
        content = self.content
        spans = [(self.span(each.place), each.text) for each in replacements]
        for (start, end), new in sorted(spans, reverse=True):
            content = content[:start] + new + content[end:]
        return Text(content, self.units)

    @property
    def line_end(self) -> str:
        """The line end of the text."""
        match = _LINE_END.search(self.content)
        return match[0] if match else "\n"

    def before(self, index: int) -> str:
        """The part of a line before a character."""
        return self.content[self._starts[bisect_right(self._starts, index) - 1] : index]

    def _index(self, line: int, column: int) -> int:
        if line > len(self._starts):
            return len(self.content)
        marked = line == 1 and self.content.startswith(_MARK)
        return min(self._starts[line - 1] + marked + column - 1, len(self.content))


_SUFFIXES = tuple(suffix for each in FORMATS.values() for suffix in each.SUFFIXES)
"""Suffixes of files that are checked as robot models whatever they contain."""


@dataclass(frozen=True)
class Document:
    """Open document at one moment.

    Attributes:
        uri: Name that the editor gives it.
        path: Absolute path of its file; a path of no file where it has none.
        text: Its text.
        version: Number that the editor gives this text.
    """

    uri: str
    path: str
    text: Text
    version: int | None = None


@dataclass(frozen=True)
class DocumentCheck:
    """Result of the check of an open document.

    Attributes:
        document: The document.
        overlay: Bytes of the other open documents, by path.
        settings: Settings of the check, which hold the overlay; None where nothing was checked.
        file: The report; None where the document is not a robot model, or is excluded.
        model: The model that was read; None where it could not be read.
        failure: Reason why nothing was checked, if the editor should show it.
        depends: Absolute paths of the files that the result depends on; None where unknown.
    """

    document: Document
    overlay: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    settings: Settings | None = None
    file: FileReport | None = None
    model: Model | None = field(default=None, repr=False)
    failure: str | None = None
    depends: frozenset[str] | None = frozenset()

    def concerns(self, path: str) -> bool:
        """Whether the result depends on another file."""
        if self.file is None:
            return False
        return self.depends is None or any(concerns_lookup(each, path) for each in self.depends)

    def text_of(self, path: str | None) -> Text | None:
        """The text of the document at a finding's path, as it was read; None if it is unknown."""
        return self.document.text if path is None else self._others.get(os.path.abspath(path))

    def path_of(self, place: Place) -> str:
        """The absolute path of the document in which a place is."""
        return self.document.path if place.path is None else os.path.abspath(place.path)

    @cached_property
    def bodies(self) -> Mapping[str, Body]:
        """The bodies of the model, by id."""
        return {body.id: body for body in (self.model.bodies if self.model is not None else ())}

    @cached_property
    def _others(self) -> Mapping[str, Text]:
        units = self.document.text.units
        sources = () if self.model is None else self.model.others
        return {
            os.path.abspath(source.path): Text(
                source.data[len(source.bom) :].decode(source.encoding, "replace"), units
            )
            for source in sources
        }


def check(
    document: Document, overlay: Mapping[str, bytes], configured: Callable[[], Configurations]
) -> DocumentCheck:
    """Check an open document as the command line would check its file in a walk.

    Args:
        document: The document.
        overlay: Bytes of the other open documents, by absolute path.
        configured: Reads the configurations, so that no change of one is missed.
    """
    path, data = document.path, document.text.data
    if not data.strip() or (sniff(data) is None and not path.lower().endswith(_SUFFIXES)):
        return DocumentCheck(document)
    try:
        configuration = configured().of(path)
        settings = configuration.settings
        if settings.excludes(path):
            return DocumentCheck(document)
        # The USD library would try to read other open documents than USD text, too.
        is_usd = data.startswith(TEXT)
        overlay = {
            other: each for other, each in overlay.items() if each.startswith(TEXT) == is_usd
        }
        context = replace(settings.context, overlay=overlay)
        settings = replace(settings, context=context)
        checked = _run_check(DocumentCheck(document, overlay, settings))
        baseline, file, depends = configuration["baseline"], checked.file, checked.depends
        if baseline is None or file is None:
            return checked
        # Remove the findings that the baseline of a check lists.
        rules = {rule.code for rule in settings.rules()}
        known = _baseline(baseline, *_state(baseline)).apply(Report((file,)), lambda _: rules)
        depends = None if depends is None else depends | {os.path.abspath(baseline)}
        return replace(checked, file=known.report.files[0], depends=depends)
    except UsageError as error:
        return DocumentCheck(document, failure=str(error))


def recheck(checked: DocumentCheck, texts: Mapping[str, Text]) -> FileReport | None:
    """The report of a check in which documents have other texts.

    Args:
        checked: The check.
        texts: New texts, by absolute path.
    """
    if checked.settings is None:
        return None
    document = checked.document
    overlay = dict(checked.overlay) | {path: text.data for path, text in texts.items()}
    overlay.pop(document.path, None)
    text = texts.get(document.path, document.text)
    context = replace(checked.settings.context, overlay=overlay)
    settings = replace(checked.settings, context=context)
    return _run_check(DocumentCheck(replace(document, text=text), overlay, settings)).file


def _run_check(checked: DocumentCheck) -> DocumentCheck:
    settings = checked.settings or Settings()
    path, data = checked.document.path, checked.document.text.data
    lookups = Lookups()
    with record_lookups(lookups):
        try:
            model = load(data, path=path, context=settings.context).whole
        except MissingExtraError as error:
            return replace(checked, failure=error.reason)
        except NotAModelError:
            return checked
        except DocumentError as error:
            file = report_unreadable(error, settings, named=False)
            depends = frozenset(lookups.paths) if lookups.complete else None
            return replace(checked, file=file, depends=depends)
        if is_fragment(model):
            return checked
        file = check_model(model, settings, prescribe=prescribe).files[0]
    others = {os.path.abspath(source.path) for source in model.others}
    depends = frozenset(lookups.paths | lookups.witnesses | others) if lookups.complete else None
    return replace(checked, file=file, model=model, depends=depends)


@lru_cache(maxsize=8)
def _baseline(path: str, changed: int, size: int) -> Baseline:
    """The baseline at a path; size and time of change are keys of the cache."""
    return Baseline.read(path)


def _state(path: str) -> tuple[int, int]:
    try:
        state = os.stat(path)
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size
