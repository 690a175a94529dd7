"""Insertion of elements and attributes into an XML document, in the document's own style.

Indentation, line ends, quotes, the end of empty elements and the place of attributes on lines are
those of the neighbours. No byte of the document changes but the end of an empty tag that is opened.

Style of an XML document: indentation, line ends, quotes, and the layout of its tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from inertial_check.documents.edits import NotInsertable, make_comment_line
from inertial_check.documents.model import Model
from inertial_check.documents.source import Edit, Span
from inertial_check.documents.xml.document import XmlDocument, parse
from inertial_check.documents.xml.markup import XML_SPACE, Element, scan_tag

LINE_END = re.compile(r"\r\n|\r|\n")
_EMPTY_TAG_END = re.compile(r"([ \t]?)/>")
_SPACE = re.compile(rf"[{XML_SPACE}]*")
_SAMPLE = 500
"""Number of elements at the beginning of a document whose style is looked at."""

_STEP = "  "
"""Indentation of a child in its parent where the document shows none."""


class Layout(NamedTuple):
    """Layout of the children of an element.

    Attributes:
        newline: Line end before each child; "" where the children stand on the parent's line.
        outer: Indentation of the parent.
        indent: Indentation of its children.
        step: Indentation of a child in its parent.
        quote: Quotation mark of attributes.
    """

    newline: str
    outer: str
    indent: str
    step: str
    quote: str


class TagStyle(NamedTuple):
    """Places of the attributes of a tag.

    Attributes:
        apart: Whether attributes after the first begin a line.
        hanging: Whether the first attribute begins a line, too.
    """

    apart: bool
    hanging: bool


class DocumentStyle:
    """Finds the style of a document near its elements."""

    def __init__(self, document: XmlDocument) -> None:
        self._root = document.root
        self._text = document.text
        self._styles: dict[str, TagStyle] = {}

    def layout(self, path: Sequence[Element]) -> Layout:
        """Determine the layout of the children of an element.

        Args:
            path: The elements from the root to it.
        """
        parent = path[-1]
        outer = self._indent_of(parent)
        children = (self._indent_of(child) for child in parent.children)
        own = next((indent for indent in children if indent is not None), None)
        newline, quote = self._newline(parent.start), self.quote([*parent.children, *path[::-1]])
        if not newline or (own is None and (parent.children or outer is None)):
            return Layout("", "", "", "", quote)
        if own is not None and outer is not None and own != outer and own.startswith(outer):
            return Layout(newline, outer, own, own[len(outer) :], quote)
        step, outer = self._step(path), outer or ""
        return Layout(newline, outer, outer + step if own is None else own, step, quote)

    def quote(self, near: Iterable[Element]) -> str:
        """Return the quotation mark of the first of these elements that has attributes."""
        for element in near:
            for start, _ in scan_tag(self._text, element.start).attributes.values():
                if self._text[start - 1] in "\"'":
                    return self._text[start - 1]
        return '"'

    @cached_property
    def empty_end(self) -> str:
        """The end of an empty element, with the blank before it that most of the document has."""
        found = _EMPTY_TAG_END.findall(self._text)
        return " />" if 2 * sum(map(bool, found)) > len(found) else "/>"

    def tag_style(self, tag: str) -> TagStyle:
        """Determine where attributes stand in elements of this name, or else in all of them."""
        if tag not in self._styles:
            several, single = self._count_breaks(tag)
            if not several and not single:
                several, single = self._count_breaks(None)
            apart = 2 * sum(second for _, second in several) > len(several)
            hanging = [first for first, _ in several] if several else single
            self._styles[tag] = TagStyle(apart, 2 * sum(hanging) > len(hanging))
        return self._styles[tag]

    def gaps(self, element: Element) -> list[str]:
        """Return the space before each attribute of an element."""
        tag = scan_tag(self._text, element.start)
        ends = [self.end_of_name(element), *map(self.after_value, tag.attributes.values())]
        return [
            match[0] for end in ends[:-1] for match in (_SPACE.match(self._text, end),) if match
        ]

    def end_of_name(self, element: Element) -> int:
        """Return the position after the name in the start tag of an element."""
        return self._text.index(element.tag, element.start) + len(element.tag)

    def after_value(self, value: tuple[int, int]) -> int:
        """Return the position after an attribute, past the quote if its value has one."""
        return value[1] + (self._text[value[0] - 1] in "\"'")

    def _newline(self, start: int) -> str:
        """Return the line end nearest after a position, or else the first one; "" without any."""
        found = LINE_END.search(self._text, start) or LINE_END.search(self._text)
        return found[0] if found else ""

    def _indent_of(self, element: Element) -> str | None:
        """Return the blanks before an element; None if it does not begin its line."""
        start = element.start
        line = max(self._text.rfind("\n", 0, start), self._text.rfind("\r", 0, start)) + 1
        before = self._text[line:start]
        return None if before.strip(" \t") else before

    def _step(self, path: Sequence[Element]) -> str:
        """Determine the indentation of a child in its parent, nearby or else anywhere."""
        for parent, child in reversed(list(pairwise(path))):
            if step := self._measure_step(parent, child):
                return step
        return self._common_step

    @cached_property
    def _common_step(self) -> str:
        family = ((each, child) for each in self._root.walk() for child in each.children[:1])
        steps = (self._measure_step(parent, child) for parent, child in islice(family, _SAMPLE))
        return next((step for step in steps if step), _STEP)

    def _measure_step(self, parent: Element, child: Element) -> str:
        outer, inner = self._indent_of(parent), self._indent_of(child)
        if outer is None or inner is None or not inner.startswith(outer):
            return ""
        return inner[len(outer) :]

    def _count_breaks(self, tag: str | None) -> tuple[list[tuple[bool, bool]], list[bool]]:
        """Look where lines end in tags: before the first two attributes, and before an only one."""
        several: list[tuple[bool, bool]] = []
        single: list[bool] = []
        for element in islice(self._root.walk(), _SAMPLE):
            if element.attributes and (tag is None or element.tag == tag):
                breaks = [bool(LINE_END.search(gap)) for gap in self.gaps(element)]
                if len(breaks) > 1:
                    several.append((breaks[0], breaks[1]))
                else:
                    single += breaks
        return several, single


_SUPPRESSION = "inertial-check: ignore["
"""Beginning of a comment that must precede every element of its parent to apply to the parent."""


class NewElement(NamedTuple):
    """An element to be inserted.

    Attributes:
        tag: Its name.
        attributes: Its attributes in order, with texts that need no references.
        children: Its children in order.
        text: Its text, where it has no children.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[NewElement, ...] = ()
    text: str = ""


@lru_cache(maxsize=4)  # a document's bodies are asked for one after another
def _open(path: str, data: bytes, file: int) -> tuple[XmlDocument, DocumentStyle]:
    document = parse(path, data, file)
    return document, DocumentStyle(document)


class XmlInserter:
    """Collects insertions into one element of a document.

    Attributes:
        element: The element.
    """

    def __init__(
        self, document: XmlDocument, style: DocumentStyle, path: Sequence[Element]
    ) -> None:
        """Begin without an insertion.

        Args:
            document: The document.
            style: Its style.
            path: The elements from its root to the one that is changed.
        """
        self.element = path[-1]
        self._document = document
        self._style = style
        self._text = document.text
        self._path = path
        self._edits: list[Edit] = []

    @classmethod
    def at(cls, model: Model, span: Span, tag: str) -> XmlInserter:
        """Find the element of a body that begins at a place.

        Raises:
            NotInsertable: Another element begins there, for example one that a template makes.
        """
        source = model.source_of(span)
        document, style = _open(source.path, source.data, span.file)
        path = document.find_path(span)
        if not path or path[-1].tag != tag:
            line, column = source.line_column(span.start)
            raise NotInsertable(f"no <{tag}> is written at {source.path}:{line}:{column}")
        return cls(document, style, path)

    @classmethod
    def at_root(cls, model: Model, file: int) -> XmlInserter:
        """Begin at the root element of one of the documents of a model.

        Raises:
            DocumentError: It is no XML document.
        """
        source = (model.source, *model.others)[file]
        document, style = _open(source.path, source.data, file)
        return cls(document, style, [document.root])

    def inside(self, child: Element) -> XmlInserter:
        """Continue in a child of the element."""
        return XmlInserter(self._document, self._style, [*self._path, child])

    def text_of(self, element: Element) -> str:
        """Read the first text in an element that is not blank; "" if there is none."""
        texts = (text.value.strip(XML_SPACE) for text in self._document.texts(element))
        return next((text for text in texts if text), "")

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The insertions so far; those at one place are joined in the order in which they came."""
        joined: dict[Span, str] = {}
        for edit in self._edits:
            joined[edit.span] = joined.get(edit.span, "") + edit.text
        return tuple(Edit(span, text) for span, text in joined.items())

    def add_missing(
        self, new: Iterable[NewElement], order: Sequence[str], parent: Element | None = None
    ) -> None:
        """Insert children after those that stand before them in an order.

        Args:
            new: The children, in that order.
            order: Tags of the children that the parent may have.
            parent: A child of the element; None for the element itself.
        """
        parent = parent or self.element
        groups: dict[Element | None, list[NewElement]] = {}
        for each in new:
            before = order[: order.index(each.tag)]
            present = [child for tag in before for child in (parent.first(tag),) if child]
            after = max(present, key=lambda child: child.start, default=None)
            groups.setdefault(after, []).append(each)
        for after, group in groups.items():
            self.add_children(group, after, parent)

    def add_children(
        self,
        new: Sequence[NewElement],
        after: Element | None = None,
        parent: Element | None = None,
        comment: str = "",
    ) -> None:
        """Insert children, after one of the children or else before all of them.

        Args:
            new: The children.
            after: The child of the parent after which they are inserted.
            parent: A child of the element; None for the element itself.
            comment: Text of a comment before them; "" for none.
        """
        path = [*self._path, *([parent] if parent else [])]
        parent = path[-1]
        layout = self._style.layout(path)
        pieces = [self._render(each, layout, layout.indent) for each in new]
        if comment:
            shown = re.sub(r"-(?=-)", "- ", make_comment_line(comment))
            pieces.insert(0, f"<!-- {shown} -->")
        before = layout.newline + layout.indent if layout.newline else ""
        content = "".join(before + piece for piece in pieces)
        ending = layout.newline + layout.outer if layout.newline else ""
        tag = scan_tag(self._text, parent.start)
        if tag.empty:
            start = tag.end - len("/>")
            while self._text[start - 1] in " \t":
                start -= 1
            self._edit(start, tag.end, f">{content}{ending}</{parent.tag}>")
            return
        # Find where children are inserted: behind comments on what stands before them.
        at = tag.end if after is None else self._document.end(after)
        following = next((c.start for c in parent.children if c.start >= at), parent.close)
        comments = [each for each in parent.comments if at <= each.start < following]
        for place_comment in comments:
            text = self._document.comment_text(place_comment)
            between = self._text[at : place_comment.start]
            if between.strip(" \t") or "ignore-next[" in text:
                break
            at = place_comment.end
        if after is None:
            for place_comment in comments:
                if self._document.comment_text(place_comment).strip().startswith(_SUPPRESSION):
                    at = max(at, place_comment.end)
        rest = LINE_END.split(self._text[at : parent.close], maxsplit=1)
        if len(rest) == 1:  # the end of the parent is on this line
            alone = not rest[0].strip(XML_SPACE)
            content += ending if alone or not ending else f"{layout.newline}{layout.indent}"
        elif rest[0].strip(XML_SPACE) and not rest[0].lstrip(XML_SPACE).startswith("<!--"):
            content += before
        self._edit(at, at, content)

    def add_attributes(
        self, new: Mapping[str, str], order: Sequence[str], element: Element | None = None
    ) -> None:
        """Insert attributes, each after those that stand before it in an order.

        An attribute that is there and blank is given its value.

        Args:
            new: Values by name.
            order: Names of the attributes that the element may have.
            element: A child of the element; None for the element itself.
        """
        element = element or self.element
        tag = scan_tag(self._text, element.start)
        first = self._style.end_of_name(element)
        ends = {name: self._style.after_value(value) for name, value in tag.attributes.items()}
        gaps = self._style.gaps(element)
        gap = next((gap for gap in (*gaps[1:], *gaps) if LINE_END.search(gap)), " ")
        quote = self._style.quote([element, *reversed(self._path)])
        for name in (name for name in order if name in new):
            if name in tag.attributes:
                self._edit(*tag.attributes[name], new[name])
                continue
            before = [ends[each] for each in order[: order.index(name)] if each in ends]
            at = max(before, default=first)
            self._edit(at, at, f"{gap}{name}={quote}{new[name]}{quote}")

    def set_text(self, element: Element, text: str) -> None:
        """Give a blank element a text."""
        tag = scan_tag(self._text, element.start)
        if tag.empty:
            self._edit(tag.end - len("/>"), tag.end, f">{text}</{element.tag}>")
        else:
            self._edit(tag.end, tag.end, text)

    def replace_text(self, element: Element, text: str) -> None:
        """Replace the first text in an element that is not blank; without one, set it."""
        for piece in self._document.texts(element):
            old, start, end = piece.trim()
            if old:
                self._edit(start, end, text)
                return
        self.set_text(element, text)

    def _edit(self, start: int, end: int, text: str) -> None:
        self._edits.append(Edit(self._document.span(start, end), text))

    def _render(self, new: NewElement, layout: Layout, indent: str) -> str:
        """Write an element in the style of the document, without the indentation of its start."""
        newline, step, style = layout.newline, layout.step, self._style.tag_style(new.tag)
        attributes = [
            f"{name}={layout.quote}{value}{layout.quote}" for name, value in new.attributes
        ]
        line = newline + indent + (step if style.hanging else " " * len(f"<{new.tag} "))
        begin = line if newline and style.hanging else " "
        between = line if newline and (style.hanging or style.apart) else " "
        tag = f"<{new.tag}{begin if attributes else ''}{between.join(attributes)}"
        if new.text:
            return f"{tag}>{new.text}</{new.tag}>"
        if not new.children:
            return tag + self._style.empty_end
        inner = indent + step
        parts = [self._render(child, layout, inner) for child in new.children]
        before, ending = (newline + inner, newline + indent) if newline else ("", "")
        return f"{tag}>{''.join(before + part for part in parts)}{ending}</{new.tag}>"


def find_element(
    model: Model, file: int, what: str, accept: Callable[[Sequence[Element]], bool]
) -> XmlInserter | None:
    """Find the one element of a document that a function accepts; None if there is none.

    Args:
        model: The model.
        file: Number of the document.
        what: What the element is, for the message.
        accept: Decides by the path of elements from the root to the element.

    Raises:
        NotInsertable: There are several.
    """
    root = XmlInserter.at_root(model, file)
    found = [path for path in _walk(root.element) if accept(path)]
    if len(found) > 1:
        raise NotInsertable(f"{what} is written {len(found)} times in one document")
    inserter = root
    for element in found[0][1:] if found else ():
        inserter = inserter.inside(element)
    return inserter if found else None


def _walk(root: Element) -> Iterator[tuple[Element, ...]]:
    """Visit the path of every element, without recursion."""
    pending: list[tuple[Element, ...]] = [(root,)]
    while pending:
        path = pending.pop()
        yield path
        pending += [(*path, child) for child in reversed(path[-1].children)]
