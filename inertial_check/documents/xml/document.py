"""XML parser that keeps the byte position of every element, attribute and comment.

expat parses well-formed documents. A document that expat refuses is read as robot engines read it,
and every repair becomes a problem of the document. No entity or external file is ever resolved.

XPath steps that identify an element uniquely in its document.

Base class of the readers of bodies in XML: numbers with their places, and problems.
"""

from __future__ import annotations

import codecs
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from xml.parsers import expat

from inertial_check.documents.context import DEEPEST, MOST_ELEMENTS, NestingError, check_nesting
from inertial_check.documents.model import Misreading, Number, Problem, ProblemKind
from inertial_check.documents.numbers import parse_number, quote
from inertial_check.documents.source import Source, Span
from inertial_check.documents.xml.encoding import (
    ENTITY_REASON,
    Complaints,
    Index,
    TooLarge,
    Unreadable,
    decode,
)
from inertial_check.documents.xml.markup import (
    CommentSpan,
    Element,
    PlacedText,
    pair_comments,
    references,
    resolve_references,
    scan_tag,
    split_runs,
)
from inertial_check.errors import DocumentError, NotAModelError

_NO_ELEMENT = "no element in it: expected an XML document"

PlacedTexts = dict[str, PlacedText]
"""The texts of an element's attributes, by name."""


@dataclass(frozen=True, eq=False)
class XmlDocument:
    """An XML document.

    Attributes:
        source: Path, bytes and encoding.
        root: The root element.
        outside: Positions of the comments outside the root element, as Element.remarks has them.
        problems: Repairs that reading the document needed.
        text: Decoded text, to which the positions of elements, comments and texts refer.
        file: Number of the document among those of the model, for spans.
    """

    source: Source
    root: Element
    outside: Sequence[int]
    problems: tuple[Problem, ...]
    text: str = field(repr=False)
    _index: Index = field(repr=False)
    file: int = 0

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""
        shift = self._index.shift
        if shift is not None:
            return tuple.__new__(Span, (shift + start, shift + end, self.file))
        return Span(self._index.byte(start), self._index.byte(end), self.file)

    def element_span(self, element: Element) -> Span:
        """Return the bytes of an element."""
        return self.span(element.start, self.end(element))

    def end(self, element: Element) -> int:
        """Return the position after an element; it is found when it is first asked for."""
        if element.end is None:
            text, close = self.text, element.close
            # A document that is not well-formed has its ends already; in one that is, an element
            # with something in it has an end tag, which is its name alone.
            empty = (
                not element.children
                and not element.remarks
                and text.startswith("/>", close - 2)
                and scan_tag(text, element.start).end == close
            )
            element.end = close if empty else text.index(">", close) + 1
        return element.end

    def tag_span(self, element: Element) -> Span:
        """Return the bytes of an element's start tag."""
        return self.span(element.start, scan_tag(self.text, element.start).end)

    def find_path(self, span: Span) -> list[Element]:
        """Find the element that begins where a span does: those from the root to it; [] if none."""
        at = self._index.char(span.start)
        path: list[Element] = []
        children: Sequence[Element] = [self.root]
        while index := bisect_right(children, at, key=lambda each: each.start):
            around = children[index - 1]
            path.append(around)
            if around.start == at:
                return path
            children = around.children if at < self.end(around) else ()
        return []

    def no_model_error(self, element: Element, reason: str) -> NotAModelError:
        """Make the error of an element for which the document is no model of its format."""
        place = self.source.line_column(self.element_span(element).start)
        return NotAModelError(self.source.path, reason, *place)

    @property
    def comments(self) -> list[CommentSpan]:
        """The comments outside the root element."""
        return list(pair_comments(self.outside))

    def comment_text(self, comment: CommentSpan) -> str:
        """Return the text of a comment as written."""
        return self.text[comment.start + 4 : comment.end - 3]

    def attributes(self, element: Element) -> PlacedTexts:
        """Read an element's attributes, with the position of every character."""
        places = scan_tag(self.text, element.start).attributes
        return {name: resolve_references(self.text, *place) for name, place in places.items()}

    def texts(self, element: Element) -> list[PlacedText]:
        """Read the pieces of text directly inside an element, with all their positions."""
        found: list[PlacedText] = []
        at = scan_tag(self.text, element.start).end
        for child in element.children:
            found += split_runs(self.text, at, child.start)
            at = self.end(child)
        return [*found, *split_runs(self.text, at, element.close)]


class _TreeBuilder:
    """Builds a tree of elements with their positions from the events of expat.

    The functions that expat calls for each element do as little as possible: they are a third of
    the time of reading a document.
    """

    def __init__(self, text: str) -> None:
        self._document = Element("", {}, 0)  # around the root and the comments outside of it
        self.names_external_dtd = False
        self._text = text
        self._index = Index(text, "utf-8")
        self._open = [self._document]
        self._elements: list[Element] = []
        self._comments = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.specified_attributes = True

    @property
    def root(self) -> Element | None:
        """The root element; None if there is none."""
        return self._document.children[0] if self._document.children else None

    @property
    def outside(self) -> Sequence[int]:
        """Positions of the comments outside the root element, as Element.remarks has them."""
        return self._document.remarks

    def parse(self) -> None:
        """Build the tree.

        Raises:
            Unreadable: The document is not well-formed.
        """
        if self._text.startswith("\ufeff"):  # expat would take a second mark for the first
            raise Unreadable("a second byte order mark")
        parser = self._parser
        # Collect the elements, each in the one around it; positions are those of bytes.
        around, elements, bare = self._open, self._elements, dict[str, str]()
        enter, leave, keep = around.append, around.pop, elements.append

        def start(tag: str, attributes: dict[str, str]) -> None:
            # An empty dict of its own would be a quarter of an element without attributes.
            element = Element(tag, attributes or bare, parser.CurrentByteIndex)
            keep(element)
            parent = around[-1]
            if parent.children:
                parent.children.append(element)
            else:
                parent.children = [element]
            enter(element)
            if len(around) > DEEPEST + 1 or len(elements) > MOST_ELEMENTS:
                self._refuse(self._here(), len(around) - 1, len(elements))

        def end(tag: str) -> None:
            # The position is at `</` of an end tag, but after `/>` of an empty element.
            leave().close = parser.CurrentByteIndex

        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CommentHandler = self._comment
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        try:
            parser.Parse(self._text.encode(), True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise Unreadable(reason, self._index.char(parser.ErrorByteIndex)) from None
        finally:  # the parser refers to functions that refer to it, and to the tree
            parser.StartElementHandler = parser.EndElementHandler = None
            parser.CommentHandler = parser.StartDoctypeDeclHandler = None
            parser.EntityDeclHandler = None
        if not self._text.isascii():
            for element in self._elements:
                element.start = self._index.char(element.start)
                element.close = self._index.char(element.close)

    def _here(self) -> int:
        return self._index.char(self._parser.CurrentByteIndex)

    def _refuse(self, at: int, depth: int, count: int, noun: str = "element") -> None:
        try:
            check_nesting(depth, count, noun)
        except NestingError as error:
            raise TooLarge(str(error), at) from None

    def _comment(self, data: str) -> None:
        start = self._here()
        self._open[-1].add_comment(start, self._text.index("-->", start + 4) + 3)
        self._comments += 1
        if self._comments > MOST_ELEMENTS:
            self._refuse(start, 0, self._comments, "comment")

    def _doctype(self, name: str, system: str | None, public: str | None, subset: bool) -> None:
        self.names_external_dtd = system is not None

    def _entity(self, *declaration: object) -> None:
        raise _EntityError(ENTITY_REASON, self._text.rfind("<!ENTITY", 0, self._here() + 1))


class _EntityError(Unreadable):
    """A document that declares an entity."""


def parse(path: str, data: bytes, file: int = 0, unquoted: bool = False) -> XmlDocument:
    """Read an XML document.

    Args:
        path: Name of the document in messages.
        data: Bytes of the document.
        file: Number among the documents of the model: 0 for the main one, then included ones.
        unquoted: Whether to accept attributes without quotes, as TinyXML did.

    Raises:
        DocumentError: Neither an XML parser nor a robot engine could read it, or it declares
            entities.
    """
    try:
        found = decode(data)
    except Unreadable as error:
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        place = Source(path, data, bom=mark).line_column(error.at)
        raise DocumentError(path, error.reason, *place) from None
    source = Source(path, data, found.encoding, found.bom)
    text, index = found.text, found.index
    try:
        root, outside = _tree(text, found.complaints, unquoted)
    except Unreadable as error:
        line, column = source.line_column(index.byte(error.at))
        reason = error.reason
        from inertial_check.documents.xml.lenient import Mismatch

        if isinstance(error, Mismatch):
            opened, _ = source.line_column(index.byte(error.element.start))
            reason = f"{reason}: <{error.element.tag}> begins in line {opened}"
        raise DocumentError(source.path, reason, line, column) from None
    at = _find_instruction(text)
    problems = [
        Problem(
            "repair",
            message,
            Span(index.byte(start), index.byte(end), file),
            (_STRICT, _LATE) if start == at else (_STRICT,),
        )
        for message, start, end in found.complaints
    ]
    if at is not None and all(start != at for _, start, _ in found.complaints):
        message = "an instruction behind other markup, which most engines refuse: delete it"
        span = Span(index.byte(at), index.byte(at + 2), file)
        problems.append(Problem("differs", message, span, (_LATE,)))
    if found.encoding.startswith("utf-16"):
        message = "UTF-16, which most engines cannot read: save the document as UTF-8"
        problems.append(Problem("differs", message, Span(0, len(found.bom), file), (_WIDE,)))
    return XmlDocument(source, root, outside, tuple(problems), text, index, file)


_STRICT = Misreading(("expat",), said="not well-formed")
"""Refusal of a document that has to be repaired, by a parser that repairs nothing."""

_LATE = Misreading(("tinyxml2",), said="XML_ERROR_PARSING_DECLARATION")
"""Refusal of an instruction behind other markup by tinyxml2, with which most engines parse."""

_WIDE = Misreading(("tinyxml2", "pinocchio"), said="XML_ERROR_PARSING")
"""Refusal of UTF-16 by parsers that know no encodings."""

_INSTRUCTIONS = re.compile(r"\s*+(?:<\?.*?\?>\s*+)*+", re.DOTALL)
_INSTRUCTION_OR_TEXT = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|(?P<instruction><\?)", re.DOTALL)


def _find_instruction(text: str) -> int | None:
    """Find the first `<?` behind other markup, which tinyxml2 refuses; instructions may begin.

    Only what stands before a NUL is a document, whose comments and sections are closed.
    """
    text = text.partition("\0")[0]
    begin = _INSTRUCTIONS.match(text)
    at = begin.end() if begin else 0
    if text.find("<?", at) < 0:
        return None
    places = _INSTRUCTION_OR_TEXT.finditer(text, at)
    return next((place.start() for place in places if place["instruction"]), None)


def _tree(text: str, complaints: Complaints, unquoted: bool) -> tuple[Element, Sequence[int]]:
    """Parse a text as XML or, if it is not well-formed, as an engine does."""
    strict = _TreeBuilder(text)
    try:
        strict.parse()
    except (_EntityError, TooLarge):
        raise
    except Unreadable as refusal:
        return _mended_tree(text, complaints, refusal, unquoted)
    undefined = strict.names_external_dtd and next(references(text, 0, len(text)), None)
    if undefined:
        # expat drops references that an external DTD might declare; engines keep them as text.
        return _mended_tree(text, complaints, None, unquoted)
    if strict.root is None:
        raise Unreadable(_NO_ELEMENT)
    # Note what a namespace-aware parser would refuse in a well-formed document. The separator of
    # its names occurs in no name and no URI.
    parser = expat.ParserCreate("utf-8", "\x01")
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        known = len(complaints)
        _note_prefixes(strict.root, text, complaints)
        if len(complaints) == known:
            at = Index(text, "utf-8").char(parser.ErrorByteIndex)
            _note_refusal(Unreadable(expat.ErrorString(error.code), at), complaints)
    return strict.root, strict.outside


def _mended_tree(
    text: str, complaints: Complaints, refusal: Unreadable | None, unquoted: bool
) -> tuple[Element, Sequence[int]]:
    from inertial_check.documents.xml.lenient import LenientParser

    known = len(complaints)
    lenient = LenientParser(text, complaints, unquoted)
    if lenient.root is None:
        raise Unreadable(_NO_ELEMENT)
    if refusal and len(complaints) == known:
        _note_refusal(refusal, complaints)
    _note_prefixes(lenient.root, text, complaints)
    return lenient.root, lenient.outside


def _note_refusal(error: Unreadable, complaints: Complaints) -> None:
    message = f"XML parsers refuse this ({error.reason}), robot engines read it: mend it"
    complaints.add("syntax", message, error.at, error.at + 1)


def _walk(root: Element) -> Iterator[tuple[Element, bool]]:
    """Visit every element when it begins (True) and when it ends (False), without recursion."""
    pending = [(root, True)]
    while pending:
        element, begins = pending.pop()
        yield element, begins
        if begins:
            pending.append((element, False))
            pending += [(child, True) for child in reversed(element.children)]


def _note_prefixes(root: Element, text: str, complaints: Complaints) -> None:
    """Note each namespace prefix that is used without being declared."""
    scopes = {"xml": 1, "xmlns": 1}
    for element, begins in _walk(root):
        for name in element.attributes:
            if name.startswith("xmlns:"):
                scopes[name[6:]] = scopes.get(name[6:], 0) + (1 if begins else -1)
        for name in (element.tag, *element.attributes) if begins else ():
            prefix, colon, local = name.partition(":")
            if not colon or scopes.get(prefix):
                continue
            scopes[prefix] = 1  # each prefix is reported once
            qualified = prefix and local and ":" not in local
            way = f'declare xmlns:{prefix}="..."' if qualified else "write a name with one colon"
            message = f"the prefix of {name} is not declared: {way}"
            end = scan_tag(text, element.start).end
            complaints.add("prefix", message, element.start, end)


_LONGEST_NAME = 1000
"""Largest length of a name in a path; an element with a longer one is numbered."""


def make_steps(elements: Sequence[Element]) -> list[str]:
    """Make an XPath step for each sibling: by its name, with an index if the name repeats.

    Args:
        elements: All siblings of these tags, in order.
    """
    total = Counter((element.tag, element.attributes.get("name", "")) for element in elements)
    named: Counter[tuple[str, str]] = Counter()
    placed: Counter[str] = Counter()
    found = []
    for element in elements:
        tag, name = element.tag, element.attributes.get("name", "")
        mark = next((mark for mark in "'\"" if mark not in name), None)
        quotable = mark is not None and 0 < len(name) <= _LONGEST_NAME
        placed[tag] += 1
        named[tag, name] += 1
        if not quotable:
            found.append(f"{tag}[{placed[tag]}]")
        else:
            index = f"[{named[tag, name]}]" if total[tag, name] > 1 else ""
            found.append(f"{tag}[@name={mark}{name}{mark}]{index}")
    return found


_SEPARATORS = re.compile(r"[,;]")


class TextReader:
    """Reads the numbers of one body and collects the problems of its text.

    Attributes:
        problems: Problems in the order in which they were found.
    """

    def __init__(self, document: XmlDocument, who: str) -> None:
        """Begin without a problem.

        Args:
            document: Document that contains the body.
            who: Name of the body in messages.
        """
        self._document = document
        self._who = who
        self.problems: list[Problem] = []

    def _problem(
        self, message: str, span: Span, kind: ProblemKind = "malformed", *misread: Misreading
    ) -> None:
        self.problems.append(Problem(kind, f"{self._who}: {message}", span, misread))

    def _complain(self, element: Element, message: str) -> None:
        self._problem(f"<{element.tag}> {message}", self._document.tag_span(element))

    def _first_child(self, parent: Element, tag: str) -> Element | None:
        """Return the first child with exactly this tag, as engines do; note other candidates."""
        first = None
        for child in parent.children:
            if child.tag.lower() != tag:
                continue
            if child.tag == tag and first is None:
                first = child
            elif child.tag == tag:
                what = f"a second <{tag}> in <{parent.tag}>; the first is taken: delete one"
                self._problem(what, self._document.tag_span(child))
            else:
                self._complain(child, f"is ignored by engines: write <{tag}>")
        return first

    def _parse_number(self, what: str, text: str, start: int, end: int) -> Number:
        """Parse one number; `what` names it in a message."""
        value, complaint = parse_number(text)
        span = self._document.span(start, end)
        if complaint:
            self._problem(f"{what}: {complaint}", span)
        return Number(value, text, span)

    def _read_attributes(
        self, element: Element, texts: PlacedTexts, names: Iterable[str]
    ) -> dict[str, Number]:
        """Read those of the named attributes that an element has, each of them one number."""
        return {
            name: self._parse_number(f"{name} of <{element.tag}>", *texts[name].trim())
            for name in names
            if name in texts
        }

    def _parse_series(self, what: str, text: PlacedText, count: int, names: str) -> list[Number]:
        """Parse `count` numbers separated by space; all are NaN if the text holds another count."""
        pieces = list(islice(text.pieces(), count + 1))
        words = [] if len(pieces) > count else _SEPARATORS.sub(" ", text.value).split()
        commas = len(words) == count and words != [piece for piece, _, _ in pieces]
        meant = commas and all(parse_number(word)[1] is None for word in words)
        if len(pieces) == count and not meant:
            return [self._parse_number(what, *piece) for piece in pieces]
        whole, start, end = text.trim()
        span = self._document.span(start, end)
        expected = "a number" if count == 1 else f"{count} numbers"
        way = f"write {' '.join(words)}" if meant else f"expected {expected}, {names}"
        self._problem(f"{what}: {quote(whole)}: {way}", span)
        return [Number(math.nan, whole, span)] * count
