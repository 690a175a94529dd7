"""Elements, start tags and references of an XML document, each with its position in the text.

A position is the index of a character in the document's text. expat reports where a tag begins, but
not where its attributes are, so the start tags that matter are scanned here.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inertial_check.documents.xml.encoding import Unreadable

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
WORD = re.compile(r"[^ \t\r\n]+")


class CommentSpan(NamedTuple):
    """Positions of a comment, from `<!--` to after `-->`."""

    start: int
    end: int


def pair_comments(positions: Sequence[int]) -> Iterator[CommentSpan]:
    """The comments of which these are the starts and ends."""
    return map(CommentSpan, positions[::2], positions[1::2])


class Element:
    """An element of the tree.

    Attributes:
        tag: Name as written, with its prefix.
        attributes: Values by name, decoded and normalised as XML asks.
        children: Elements directly inside, in order.
        remarks: Positions of the comments directly inside, in order: of each its start and end, as
            numbers alone, since an empty comment has seven bytes.
        start: Position of the start tag.
        close: Position of the end tag; position after the tag of an empty element.
        end: Position after the element; None until XmlDocument.end finds it.
    """

    __slots__ = ("attributes", "children", "close", "end", "remarks", "start", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], start: int) -> None:
        self.tag = tag
        self.attributes = attributes
        # Most elements have neither children nor comments: no list is made for them.
        self.children: list[Element] | tuple[()] = ()
        self.remarks: array[int] | tuple[()] = ()
        self.start = self.close = start
        self.end: int | None = None

    def add_child(self, child: Element) -> None:
        """Add a child after the others."""
        if self.children:
            self.children.append(child)
        else:
            self.children = [child]

    def add_comment(self, start: int, end: int) -> None:
        """Add a comment after the others."""
        if not self.remarks:
            self.remarks = array("q")
        self.remarks.extend((start, end))

    @property
    def comments(self) -> list[CommentSpan]:
        """Comments directly inside, in order."""
        return list(pair_comments(self.remarks))

    def walk(self) -> Iterator[Element]:
        """Visit the element and those below it in document order, without recursion."""
        pending = [self]
        while pending:
            element = pending.pop()
            yield element
            pending += reversed(element.children)

    def all(self, tag: str) -> list[Element]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child with this tag; None if there is none."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None


class PlacedText(NamedTuple):
    """Text of a document with the position of each of its characters.

    Attributes:
        value: The text, with references resolved and space as written.
        places: Position of each character, and the position after the last one.
    """

    value: str
    places: Sequence[int]

    def trim(self) -> tuple[str, int, int]:
        """Return the text without surrounding XML space, with its start and end."""
        text = self.value.strip(XML_SPACE)
        if len(text) == len(self.value):
            return text, self.places[0], self.places[-1]
        at = self.value.index(text) if text else 0
        return text, self.places[at], self.places[at + len(text)]

    def pieces(self) -> Iterator[tuple[str, int, int]]:
        """Split the text at XML space into words, each with its start and end."""
        for match in WORD.finditer(self.value):
            yield match[0], self.places[match.start()], self.places[match.end()]


def resolve_character(reference: re.Match[str]) -> str | None:
    """Return the character of a reference; None if XML does not allow it."""
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _ENTITIES[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    legal = code in {9, 10, 13} or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE
    return chr(code) if legal or 0x10000 <= code < 0x110000 else None


def resolve_references(text: str, start: int, end: int) -> PlacedText:
    """Resolve the references between two positions; an unknown reference stays as written."""
    raw = text[start:end]
    if "&" not in raw:
        return PlacedText(raw, range(start, end + 1))
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for match in _REFERENCE.finditer(raw):
        resolved = resolve_character(match)
        if resolved is None:
            continue
        pieces += [raw[at : match.start()], resolved]
        places += [*range(start + at, start + match.start()), start + match.start()]
        at = match.end()
    pieces.append(raw[at:])
    return PlacedText("".join(pieces), [*places, *range(start + at, end + 1)])


def references(text: str, start: int, end: int) -> Iterator[int]:
    """Find ampersands between two positions that begin no reference known to XML."""
    at = text.find("&", start, end)
    while at >= 0:
        match = _REFERENCE.match(text, at, end)
        if match is None or resolve_character(match) is None:
            yield at
        at = text.find("&", at + 1, end)


def normalise(value: str) -> str:
    """Normalise an attribute value as an XML parser does: line ends and tabs become blanks."""
    return _LINE_OR_TAB.sub(" ", value)


class Tag(NamedTuple):
    """A scanned tag.

    Attributes:
        name: Name as written.
        attributes: Start and end of each value, between the quotes, by the attribute's name.
        end: Position after `>`.
        closing: Whether it is an end tag, `</name>`.
        empty: Whether it is an empty element, `<name/>`.
        spaced: Whether no space follows `<` and space precedes every attribute.
        unquoted: Position of the first attribute without quotes, which few engines read.
    """

    name: str
    attributes: dict[str, tuple[int, int]]
    end: int
    closing: bool
    empty: bool
    spaced: bool
    unquoted: int | None = None


def scan_tag(text: str, start: int) -> Tag:
    """Scan the tag that begins at a position, as leniently as engines do.

    Raises:
        Unreadable: No engine could read the tag.
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
        bare = match.lastgroup == "value"
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
                f"<{name}> has the attribute {match['name']} twice: delete one", match.start("name")
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


def split_runs(text: str, start: int, end: int) -> Iterator[PlacedText]:
    """Split the text between two positions at comments, instructions and CDATA sections."""
    if start < end and text.find("<", start, end) < 0:
        yield resolve_references(text, start, end)
        return
    for match in _RUN.finditer(text, start, end):
        if match["text"] is not None:
            yield resolve_references(text, *match.span("text"))
        elif match["cdata"] is not None:
            span = match.span("cdata")
            yield PlacedText(match["cdata"], range(span[0], span[1] + 1))
