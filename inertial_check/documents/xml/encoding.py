"""Decoding of XML documents, with the byte offset of every character of the text.

Complaints about a document that is not well-formed XML: repairs with places, or a refusal.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from inertial_check.errors import PicklableError

_MOST_PLACES = 10
"""Largest number of places reported for one kind of repair; a broken document may have millions."""

_LONGEST = 300
"""Largest number of characters of a complaint, which may quote names of any length."""


def _cut(message: str) -> str:
    """Cut a message to its largest length."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


ENTITY_REASON = (
    "entity declarations are refused: they can fetch files and expand without bound, and robot "
    "engines do not read them; write the text itself"
)

MISPLACED_DECLARATION = (
    "the XML declaration does not stand at the very start, which some engines refuse: move it there"
)


class Unreadable(PicklableError, Exception):
    """A document that cannot be read.

    Attributes:
        reason: Why not.
        at: Index of the character where reading fails.
    """

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = _cut(reason)
        self.at = at


class TooLarge(Unreadable):
    """A document that is nested too deep or has too many elements, for every reader."""


class Complaint(NamedTuple):
    """A repair that reading needed, and the characters of the text to which it applies."""

    message: str
    start: int
    end: int


class Complaints:
    """The first repairs of each kind."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[Complaint]] = {}
        self._full: set[str] = set()

    def add(self, kind: str, message: str, start: int, end: int) -> bool:
        """Add a repair; return False if its kind has been reported often enough."""
        known = self._kinds.setdefault(kind, [])
        if len(known) < _MOST_PLACES:
            known.append(Complaint(_cut(message), start, end))
            return True
        if kind not in self._full:
            self._full.add(kind)
            last = known.pop()
            known.append(last._replace(message=f"{last.message} (and more of this kind)"))
        return False

    def __iter__(self) -> Iterator[Complaint]:
        """Iterate over all repairs in the order of their places."""
        every = (complaint for known in self._kinds.values() for complaint in known)
        return iter(sorted(every, key=lambda complaint: complaint.start))

    def __len__(self) -> int:
        """Return the number of complaints of all kinds."""
        return sum(len(known) for known in self._kinds.values())


_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROLOGUE = rb"(?:[ \t\r\n\v\f]++|<!--(?s:.*?)-->)*+"
_DECLARED = re.compile(
    _PROLOGUE + rb"<\?xml\s[^>]*?\bencoding\s*=\s*[\"']\s*([A-Za-z][\w.:-]*)\s*[\"']"
)
_DECLARED_TEXT = re.compile(r"\s*<\?xml\s[^>]*?\bencoding\s*=\s*[\"']\s*([A-Za-z][\w.:-]*)")
_ACCEPTED = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d")
"""Codecs, by Python's names, whose bytes below 0x80 are ASCII wherever they stand. Engines know no
encodings: in Shift_JIS, GBK or Big5 the second byte of a character may be `]` or `|`, so that one
reader ends a CDATA section or a value where the other does not."""

_WAY_OUT = "save the document as UTF-8 and declare UTF-8"
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]+")
_BLOCK = 256


class Index:
    """Map between the characters and the bytes of a text, built block by block when first used.

    Attributes:
        shift: Number of bytes before the text if each of its characters is one byte; None if not.
    """

    def __init__(self, text: str, encoding: str, errors: str = "strict", base: int = 0) -> None:
        self._text = text
        self._encoding = encoding
        self._errors = errors
        self._base = base
        plain = text.isascii() and not encoding.startswith("utf-16")
        self.shift = base if plain else None
        self._starts: list[int] = []

    def _encode(self, start: int, end: int) -> bytes:
        return self._text[start:end].encode(self._encoding, self._errors)

    def _blocks(self) -> list[int]:
        if not self._starts:
            blocks = range(0, len(self._text) + 1, _BLOCK)
            lengths = (len(self._encode(at, at + _BLOCK)) for at in blocks)
            self._starts = list(accumulate(lengths, initial=self._base))
        return self._starts

    def _is_plain(self, block: int) -> bool:
        """Whether a block is whole and each of its characters is one byte, as in most of them."""
        whole = block < len(self._text) // _BLOCK
        return whole and self._starts[block + 1] - self._starts[block] == _BLOCK

    def byte(self, char: int) -> int:
        """Return the byte offset of a character."""
        if self.shift is not None:
            return self.shift + char
        block, rest = divmod(char, _BLOCK)
        start = self._blocks()[block]
        return start + (rest if self._is_plain(block) else len(self._encode(char - rest, char)))

    def char(self, byte: int) -> int:
        """Return the index of the character that begins at a byte offset or contains it."""
        if self.shift is not None:
            return byte - self.shift
        block = min(bisect_right(self._blocks(), byte) - 1, len(self._text) // _BLOCK)
        start = block * _BLOCK
        if self._is_plain(block):
            return start + byte - self._starts[block]
        head = self._encode(start, start + _BLOCK)[: byte - self._starts[block]]
        whole = "ignore" if self._errors == "strict" else self._errors
        return start + len(head.decode(self._encoding, whole))


@dataclass(frozen=True, eq=False)
class Decoded:
    """A decoded document.

    Attributes:
        text: The text, with U+FFFD for each byte that is not text.
        encoding: Name of the codec that encodes the text to the same bytes.
        bom: The byte order mark.
        index: Map between characters of `text` and bytes of the document.
        complaints: Repairs that decoding needed.
    """

    text: str
    encoding: str
    bom: bytes
    index: Index
    complaints: Complaints


def _codec(name: str) -> str | None:
    """Find the codec of a declared encoding, by any alias; None unless documents may be in it."""
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        return None
    return codec if _ACCEPTED.fullmatch(codec) else None


def _byte_order(data: bytes) -> tuple[bytes, str | None]:
    """Determine the byte order mark, and the encoding that the first bytes show."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return bom, encoding
    if data[:2] == b"<\0":
        return b"", "utf-16-le"
    return b"", "utf-16-be" if data[:2] == b"\0<" else None


def _find_declaration(data: bytes, start: int, end: int) -> re.Match[bytes] | None:
    """Find the encoding that an XML declaration states; the word alone is soon searched for."""
    if data.find(b"encoding", start, end) < 0:
        return None
    return _DECLARED.match(data, start, end)


def head(data: bytes, size: int) -> str:
    """Decode the first bytes of a document, to determine its format."""
    bom, encoding = _byte_order(data[:4])
    declared = _find_declaration(data, len(bom), size)
    encoding = encoding or (declared and _codec(declared[1].decode())) or "utf-8"
    return data[len(bom) : size].decode(encoding, "replace")


def _wide(data: bytes, bom: bytes, encoding: str) -> Decoded:
    if encoding.startswith("utf-32"):
        raise Unreadable(f"UTF-32 is read by no engine: {_WAY_OUT}")
    if not bom:
        raise Unreadable(f"UTF-16 without a byte order mark is no XML: {_WAY_OUT}")
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not {encoding.upper()[:6]} text: {error.reason}") from None
    declared = _DECLARED_TEXT.match(text)
    if declared and not declared[1].lower().replace("_", "-").startswith(("utf-16", "utf16")):
        raise Unreadable(
            f"the document is UTF-16 and declares the encoding {declared[1]}: save it as UTF-8"
        )
    return Decoded(text, encoding, bom, Index(text, encoding, base=len(bom)), Complaints())


def decode(data: bytes) -> Decoded:
    """Decode a document in the encoding that an XML parser would use.

    That is the encoding of the byte order mark, or else the declared one, or else UTF-8. Engines
    ignore encodings, so that those are refused in which other bytes could look like markup. A
    document whose bytes are none of its encoding is read as UTF-8, or with U+FFFD in place of
    stray bytes, and gets a complaint.

    Raises:
        Unreadable: The declared encoding is none of UTF-8, ASCII, ISO-8859-x and Windows-125x, or
            the document is UTF-32, or UTF-16 that is damaged or has no mark; `at` is the byte.
    """
    bom, encoding = _byte_order(data)
    if encoding and encoding != "utf-8":
        return _wide(data, bom, encoding)
    body = data[len(bom) :] if bom else data
    declared = _find_declaration(body, 0, len(body))
    name = declared[1].decode() if declared else "UTF-8"
    codec = _codec(name)
    place = declared.span(1) if declared else (0, 0)
    if codec is None:
        reason = (
            f"the declared encoding {name} is not read: engines know no encodings, and could read "
            f"another document from the same bytes; {_WAY_OUT}"
        )
        raise Unreadable(reason, len(bom) + place[0])
    complaints = Complaints()
    if bom and codec != "utf-8":
        message = (
            f"the declared encoding {name} contradicts the byte order mark; read as UTF-8: declare "
            "UTF-8"
        )
        complaints.add("declared-encoding", message, *place)
        codec = "utf-8"
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        return _mend(body, bom, codec, (error.start, error.end), complaints)
    return Decoded(text, codec, bom, Index(text, codec, base=len(bom)), complaints)


def _mend(
    body: bytes, bom: bytes, codec: str, at: tuple[int, int], complaints: Complaints
) -> Decoded:
    """Decode bytes that are not valid in the encoding of the document."""
    for read_as, errors in (
        ("utf-8", "strict"),
        (codec, "surrogateescape"),
        ("utf-8", "surrogateescape"),
    ):
        try:
            escaped = body.decode(read_as, errors)
            if escaped.encode(read_as, errors) == body:
                break
        except UnicodeError:
            continue
    index = Index(escaped, read_as, errors, len(bom))
    way = "read as U+FFFD: save as UTF-8" if errors != "strict" else "read as UTF-8: declare UTF-8"
    message = f"bytes {body[slice(*at)][:8].hex(' ')} are no text in {codec.upper()}; {way}"
    place = (index.char(at[0] + len(bom)), index.char(at[1] + len(bom)))
    text = _LONE_SURROGATES.sub(lambda match: "\ufffd" * len(match[0]), escaped)
    complaints.add("undecodable-bytes", message, *place)
    return Decoded(text, read_as, bom, index, complaints)
