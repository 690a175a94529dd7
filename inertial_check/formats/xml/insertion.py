"""Insertion of elements and attributes into an XML document, in the document's own style.

Indentation, line ends, quotes, the end of empty elements and the place of attributes on lines are
those of the neighbours. No byte of the document changes but the end of an empty tag that is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from inertial_check.formats.insertion import NotInsertable, make_comment_line
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.markup import XML_SPACE, Element, scan_tag
from inertial_check.formats.xml.style import LINE_END, DocumentStyle, Layout
from inertial_check.model.body import Model
from inertial_check.model.source import Edit, Span

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
        at = self._find_place(parent, after, tag.end)
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

    # Places

    def _find_place(self, parent: Element, after: Element | None, begin: int) -> int:
        """Find where children are inserted: behind comments on what stands before them."""
        at = begin if after is None else self._document.end(after)
        following = next((c.start for c in parent.children if c.start >= at), parent.close)
        comments = [each for each in parent.comments if at <= each.start < following]
        for comment in comments:
            text = self._document.comment_text(comment)
            between = self._text[at : comment.start]
            if between.strip(" \t") or "ignore-next[" in text:
                break
            at = comment.end
        if after is None:
            for comment in comments:
                if self._document.comment_text(comment).strip().startswith(_SUPPRESSION):
                    at = max(at, comment.end)
        return at

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
