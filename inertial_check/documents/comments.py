"""Search for comments that address this program, and for the elements to which they apply.

An element is an XML element, a prim of a USD text layer, or a key of a YAML mapping with its value.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.documents.source import Source, Span
from inertial_check.errors import DocumentError

if TYPE_CHECKING:
    from yaml import Node


_HASH = r"(?:(?<=[ \t\r\n])|\A)#[^\r\n]*"
"""Pattern of a YAML comment outside of scalars; compiled when it is first used."""


class Comment(NamedTuple):
    """A comment and its neighbours.

    Attributes:
        text: The text between the comment's delimiters.
        span: The comment with its delimiters.
        inside: The innermost element around it; None outside of all elements.
        follows: Whether an element precedes it inside the same parent.
        next: The next element inside the same parent; None if there is none.
        top: Whether it applies to the whole document: it is outside of all elements or, in XML,
            directly inside the root.
    """

    text: str
    span: Span
    inside: Span | None
    follows: bool
    next: Span | None
    top: bool


def find_comments(
    source: Source, mark: str, file: int = 0, most: int = sys.maxsize
) -> list[Comment]:
    """Find the comments of a document that contain a mark, in order.

    A document whose bytes do not contain the mark, in XML within comments, is not parsed.

    Args:
        source: XML, a USD text layer or YAML; other documents have no comments.
        mark: An ASCII text.
        file: Number of the document among those of the model, for spans.
        most: Largest number of comments; others are left out.
    """
    data, marked = source.data, mark.encode(source.encoding)
    if marked not in data:
        return []
    from inertial_check.documents.load import root_tag
    from inertial_check.documents.usd import TEXT

    if data.startswith(TEXT):
        from inertial_check.documents.usd.text import hash_comments, scan

        remarks = (
            _Remark(start, start + len(text), text[1:].decode("utf-8", "replace"))
            for start, text in hash_comments(data)
            if mark.encode() in text
        )
        prims = (_Stretch(start, end, end) for start, end in scan(data, ()).prims.values())
        return _nest(
            prims, islice(remarks, most), lambda start, end: Span(start, end, file), top_level=0
        )
    find = _find_in_yaml if root_tag(data) is None else _find_in_xml
    comments = [each.partition(b"-->")[0] for each in data.split(b"<!--")[1:]]  # none in UTF-16
    if find is _find_in_xml and comments and not any(marked in each for each in comments):
        return []
    return find(source, mark, file, most)


class _Stretch(NamedTuple):
    """Extent of an element, in bytes or characters.

    Attributes:
        start: First position.
        inner: Position up to which a comment counts as inside the element.
        end: Position after the element.
    """

    start: int
    inner: int
    end: int


class _Remark(NamedTuple):
    """Extent and text of a comment, in bytes or characters."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class _OpenElement:
    """An element that is open: whether a child was met, and comments that wait for the next one."""

    element: _Stretch | None
    seen: bool = False
    waiting: list[int] = field(default_factory=list)


def _nest(
    elements: Iterable[_Stretch],
    remarks: Iterable[_Remark],
    span: Callable[[int, int], Span],
    top_level: int,
) -> list[Comment]:
    """Find the elements around and after each comment, in one pass over both.

    Args:
        elements: Elements in any order; two of them are nested or disjoint.
        remarks: Comments in any order.
        span: Function that makes a span of two positions.
        top_level: Largest number of elements around a comment that applies to the document.
    """
    found: list[Comment] = []
    stack = [_OpenElement(None)]
    items: list[_Stretch | _Remark] = [*elements, *remarks]
    for item in sorted(items, key=lambda each: (each.start, -each.end)):
        while (element := stack[-1].element) is not None and element.inner <= item.start:
            stack.pop()
        here = stack[-1]
        if isinstance(item, _Remark):
            inside = None if element is None else span(element.start, element.end)
            here.waiting.append(len(found))
            top = len(stack) - 1 <= top_level
            found.append(
                Comment(item.text, span(item.start, item.end), inside, here.seen, None, top)
            )
            continue
        for index in here.waiting:
            found[index] = found[index]._replace(next=span(item.start, item.end))
        here.seen, here.waiting = True, []
        stack.append(_OpenElement(item))
    return found


def _find_in_xml(source: Source, mark: str, file: int, most: int) -> list[Comment]:
    from inertial_check.documents.xml.document import parse
    from inertial_check.documents.xml.markup import pair_comments

    try:
        document = parse(source.path, source.data, file, unquoted=True)
    except DocumentError:  # not XML after all, although "<" occurs in it
        return []
    elements = list(document.root.walk())
    remarks = (
        _Remark(comment.start, comment.end, text)
        for held in (document.outside, *(element.remarks for element in elements))
        for comment in pair_comments(held)
        if mark in (text := document.comment_text(comment))
    )
    extents = ((element.start, document.end(element)) for element in elements)
    stretches = (_Stretch(start, end, end) for start, end in extents)
    return _nest(stretches, islice(remarks, most), document.span, top_level=1)


def _find_in_yaml(source: Source, mark: str, file: int, most: int) -> list[Comment]:
    import yaml

    from inertial_check.documents.context import NestingError, compose_yaml
    from inertial_check.documents.xml.encoding import Unreadable, decode

    try:
        decoded = decode(source.data)
        root = compose_yaml(decoded.text)
    except (Unreadable, NestingError, yaml.YAMLError, RecursionError):  # its reader reports it
        return []
    pairs: list[_Stretch] = []
    texts: list[tuple[int, int]] = []
    _collect(root, pairs, texts)
    texts = [(-1, -1), *sorted(texts)]
    remarks = (
        _Remark(match.start(), match.end(), match[0][1:])
        for match in re.finditer(_HASH, decoded.text)
        if mark in match[0]
        and match.start() >= texts[bisect_right(texts, (match.start(), sys.maxsize)) - 1][1]
    )

    def span(start: int, end: int) -> Span:
        return Span(decoded.index.byte(start), decoded.index.byte(end), file)

    return _nest(pairs, islice(remarks, most), span, top_level=0)


def _collect(root: Node | None, pairs: list[_Stretch], texts: list[tuple[int, int]]) -> None:
    """Collect the pairs of a YAML document, and the scalars, in which # begins no comment.

    PyYAML ends a block after the comments that follow it; here a block ends with its last scalar.
    """
    pending = [] if root is None else [root]
    seen: set[int] = set()
    members: list[tuple[Node, Node]] = []
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "scalar":
            texts.append((node.start_mark.index, node.end_mark.index))
        elif node.id == "sequence":
            pending += node.value
        else:
            members += node.value
            pending += [part for member in node.value for part in member]
    ends = sorted(end for _, end in texts)
    for key, value in members:
        # The value of an alias is the node of its anchor, which precedes the key.
        last = value if value.start_mark.index >= key.end_mark.index else key
        end = inner = last.end_mark.index
        if last.id != "scalar" and not last.flow_style:
            inner = ends[bisect_right(ends, end) - 1]
        pairs.append(_Stretch(key.start_mark.index, inner, end))
