"""Elements of an XML document, its start tags and references, each with its place in the text.

A place is a character of the document's text. expat tells where a tag begins and nothing of its
attributes, so start tags of interest are scanned here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inertial_check.formats.xml.complaints import Unreadable

SPACE = r"[ \t\r\n\v\f]"
# Letters, "_", ":" and all beyond ASCII; then also digits, "." and "-". By what they exclude: sets
# that name the range beyond ASCII take twenty milliseconds to compile.
NAME = r"[^\x00-9;-@\[-\^`{-\x7f][^\x00-,/;-@\[-\^`{-\x7f]*+"
_TAG = re.compile(rf"<(?P<space>{SPACE}*+)(?P<close>/?)(?P<name>{NAME})")
_ATTRIBUTE = re.compile(rf"(?P<space>{SPACE}*+)(?P<name>{NAME}){SPACE}*+={SPACE}*+(?P<quote>[\"'])")
_UNQUOTED = re.compile(
    rf"(?P<space>{SPACE}*+)(?P<name>{NAME}){SPACE}*+={SPACE}*+(?P<value>[^\s\"'/><]++)(?=[\s/>])"
)
_TAG_END = re.compile(rf"{SPACE}*+(?P<empty>/?)>")
_REFERENCE = re.compile(
    r"&(?:#0*(\d{1,7})|#x0*([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));", re.ASCII
)
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_LINE_OR_TAB = re.compile(r"\r\n|[\t\r\n]")
_RUN = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(?P<cdata>.*?)\]\]>|<![^>]*>|(?P<text>[^<]+)", re.DOTALL
)
XML_SPACE = " \t\r\n"
_PIECE = re.compile(r"[^ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class CommentSpan:
    """A comment, from `<!--` to `-->`."""

    start: int
    end: int


class Element:
    """An element of the tree.

    Attributes:
        tag: As written, with its prefix.
        attributes: Decoded and normalised as XML asks.
        children: Elements directly inside, in order.
        comments: Comments directly inside, in order.
        start: Where its start tag begins.
        close: Where its end tag begins; past the tag of an empty element.
        end: Past its end tag.
    """

    __slots__ = ("attributes", "children", "close", "comments", "end", "start", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], start: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.comments: list[CommentSpan] = []
        self.start = start
        self.close = start
        self.end = start

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child with this tag."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None


class PlacedText(NamedTuple):
    """Decoded text that knows where each of its characters stands.

    Attributes:
        value: References resolved; space as written.
        places: Where each character stands, and past the last one.
    """

    value: str
    places: Sequence[int]

    def trim(self) -> tuple[str, int, int]:
        """The text without surrounding XML space, its start and its end."""
        text = self.value.strip(XML_SPACE)
        at = self.value.index(text) if text else 0
        return text, self.places[at], self.places[at + len(text)]

    def pieces(self) -> Iterator[tuple[str, int, int]]:
        """The stretches between XML space: text, start, end."""
        for match in _PIECE.finditer(self.value):
            yield match[0], self.places[match.start()], self.places[match.end()]


def character(reference: re.Match[str]) -> str | None:
    """What a reference stands for; None where that is no character of XML."""
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _ENTITIES[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    legal = code in {9, 10, 13} or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE
    return chr(code) if legal or 0x10000 <= code < 0x110000 else None


def resolve_references(text: str, start: int, end: int) -> PlacedText:
    """The text between two places with its references resolved; what is none stays as written."""
    raw = text[start:end]
    if "&" not in raw:
        return PlacedText(raw, range(start, end + 1))
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for match in _REFERENCE.finditer(raw):
        resolved = character(match)
        if resolved is None:
            continue
        pieces += [raw[at : match.start()], resolved]
        places += [*range(start + at, start + match.start()), start + match.start()]
        at = match.end()
    pieces.append(raw[at:])
    return PlacedText("".join(pieces), [*places, *range(start + at, end + 1)])


def references(text: str, start: int, end: int) -> Iterator[int]:
    """Where an ampersand between two places begins no reference that XML knows."""
    at = text.find("&", start, end)
    while at >= 0:
        match = _REFERENCE.match(text, at, end)
        if match is None or character(match) is None:
            yield at
        at = text.find("&", at + 1, end)


def normalise(value: str) -> str:
    """An attribute value as an XML parser reports it."""
    return _LINE_OR_TAB.sub(" ", value)


class Tag(NamedTuple):
    """A scanned tag.

    Attributes:
        name: As written.
        attributes: Name -> where its value stands (between the quotes).
        end: Past `>`.
        closing: `</name>`.
        empty: `<name/>`.
        spaced: Nothing stands between `<` and the name, and space before every attribute.
        unquoted: Where the first attribute without quotes stands, which few engines read.
    """

    name: str
    attributes: dict[str, tuple[int, int]]
    end: int
    closing: bool
    empty: bool
    spaced: bool
    unquoted: int | None = None


def scan_tag(text: str, start: int) -> Tag:
    """Scan the tag that begins at a place, as leniently as engines do.

    Raises:
        Unreadable: No engine could.
    """
    opening = _TAG.match(text, start)
    if opening is None:
        raise Unreadable("`<` begins no tag here: write &lt; for the character", start)
    name = opening["name"]
    spaced = not opening["space"]
    attributes: dict[str, tuple[int, int]] = {}
    unquoted = None
    at = opening.end()
    while match := _ATTRIBUTE.match(text, at) or _UNQUOTED.match(text, at):
        bare = match.re is _UNQUOTED
        start, close = match.span("value") if bare else (match.end(), -1)
        if bare:
            unquoted = at if unquoted is None else unquoted
        elif (close := text.find(match["quote"], start)) < 0:
            raise Unreadable(
                f"the value of attribute {match['name']} of <{name}> is never closed",
                match.start("name"),
            )
        if match["name"] in attributes:
            raise Unreadable(
                f"<{name}> has the attribute {match['name']} twice: delete one",
                match.start("name"),
            )
        attributes[match["name"]] = (start, close)
        spaced = spaced and bool(match["space"])
        at = close if bare else close + 1
    ending = _TAG_END.match(text, at)
    if ending is None and text.find(">", at) < 0:
        raise Unreadable(f"the document ends inside the tag <{name}>, which begins here", start)
    if ending is None:
        raise Unreadable(
            f'<{name}> is not well-formed here: expected name="value" or the end of the tag', at
        )
    closing, empty = bool(opening["close"]), bool(ending["empty"])
    return Tag(name, attributes, ending.end(), closing, empty, spaced, unquoted)


def runs(text: str, start: int, end: int) -> Iterator[PlacedText]:
    """The runs of text between two places that no element parts."""
    for match in _RUN.finditer(text, start, end):
        if match["text"] is not None:
            yield resolve_references(text, *match.span("text"))
        elif match["cdata"] is not None:
            span = match.span("cdata")
            yield PlacedText(match["cdata"], range(span[0], span[1] + 1))
