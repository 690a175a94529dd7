"""Style of an XML document: indentation, line ends, quotes, and the layout of its tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import NamedTuple

from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import XML_SPACE, Element, scan_tag

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
        first = self.end_of_name(element)
        ends = [first, *map(self.after_value, tag.attributes.values())]
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
        family = ((each, child) for each in self._elements() for child in each.children[:1])
        steps = (self._measure_step(parent, child) for parent, child in islice(family, _SAMPLE))
        return next((step for step in steps if step), _STEP)

    def _measure_step(self, parent: Element, child: Element) -> str:
        outer, inner = self._indent_of(parent), self._indent_of(child)
        if outer is None or inner is None or not inner.startswith(outer):
            return ""
        return inner[len(outer) :]

    def _elements(self) -> Iterator[Element]:
        pending = [self._root]
        while pending:
            element = pending.pop()
            yield element
            pending += reversed(element.children)

    def _count_breaks(self, tag: str | None) -> tuple[list[tuple[bool, bool]], list[bool]]:
        """Look where lines end in tags: before the first two attributes, and before an only one."""
        several: list[tuple[bool, bool]] = []
        single: list[bool] = []
        for element in islice(self._elements(), _SAMPLE):
            if element.attributes and (tag is None or element.tag == tag):
                breaks = [bool(LINE_END.search(gap)) for gap in self.gaps(element)]
                if len(breaks) > 1:
                    several.append((breaks[0], breaks[1]))
                else:
                    single += breaks
        return several, single
