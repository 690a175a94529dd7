"""An MJCF document with its includes resolved by the rules of MuJoCo."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from inertial_check.errors import DocumentError
from inertial_check.formats.context import Context
from inertial_check.formats.lookups import note_lookup
from inertial_check.formats.numbers import quote
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.markup import Element, PlacedText
from inertial_check.model.body import Problem
from inertial_check.model.source import Source, Span


class MjcfElement(NamedTuple):
    """An element and the document that contains it."""

    element: Element
    document: XmlDocument

    @property
    def tag(self) -> str:
        """Name of the element."""
        return self.element.tag

    @property
    def span(self) -> Span:
        """Span of the element."""
        return self.document.element_span(self.element)

    @property
    def tag_span(self) -> Span:
        """Span of the start tag."""
        return self.document.tag_span(self.element)

    def get(self, name: str) -> str | None:
        """Return the value of an attribute; None if it is missing or blank, as for MuJoCo."""
        value = self.element.attributes.get(name, "")
        return value if value.strip() else None

    def attributes(self) -> dict[str, PlacedText]:
        """Read the attributes that are not blank, with the position of every character."""
        texts = self.document.attributes(self.element)
        return {name: text for name, text in texts.items() if text.value.strip()}


class MjcfDocument:
    """A document and the documents that it includes.

    Attributes:
        root: Root element of the main document.
        others: The included documents, in the order in which they are read.
        problems: Repairs of all documents, and includes that could not be resolved.
    """

    def __init__(self, source: Source, context: Context) -> None:
        document = parse(source.path, source.data)
        self.root = MjcfElement(document.root, document)
        self.others: list[Source] = []
        self.problems = list(document.problems)
        self._context = context
        self._folder = os.path.dirname(source.path)
        self._read = {os.path.realpath(source.path)}
        self._included: dict[Element, MjcfElement] = {}
        self._include_all()

    def children(self, node: MjcfElement) -> Iterator[MjcfElement]:
        """Iterate over the children of an element; includes are replaced by what they include."""
        pending = [(iter(node.element.children), node.document)]
        while pending:
            elements, document = pending[-1]
            for element in elements:
                if element.tag != "include":
                    yield MjcfElement(element, document)
                elif element in self._included:
                    included = self._included[element]
                    pending.append((iter(included.element.children), included.document))
                    break
            else:
                pending.pop()

    def _include_all(self) -> None:
        """Read the included documents depth first, as MuJoCo does, and no file twice."""
        pending = self._includes(self.root)
        while pending:
            include = pending.pop()
            included = self._resolve(include)
            if included is not None:
                self._included[include.element] = included
                pending += self._includes(included)

    @staticmethod
    def _includes(root: MjcfElement) -> list[MjcfElement]:
        """Find the include elements of one document, last first."""
        if "include" not in root.document.text:
            return []
        found = []
        pending = [root.element]
        while pending:
            element = pending.pop()
            if element.tag == "include":
                found.append(MjcfElement(element, root.document))
            else:
                pending += reversed(element.children)
        return found[::-1]

    def _resolve(self, include: MjcfElement) -> MjcfElement | None:
        """Read the document that an element includes; None, and a problem, if that fails."""
        path, why = self._path(include)
        document = None
        if not why:
            try:
                document = parse(path, self._context.read(path), len(self.others) + 1)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                why = f"it cannot be read ({reason}), so that nothing of it was checked"
            except DocumentError as error:
                place = f"{error.line}:{error.column}: " if error.line else ""
                why = f"nothing of it was checked, for it cannot be read: {place}{error.reason}"
        if document is not None:
            self.others.append(document.source)
            self.problems += document.problems
            if not document.root.children:
                why = "its root is empty, which MuJoCo refuses: delete the <include>"
        if why:
            message = f"include {quote(include.get('file') or '')}: {why}"
            self.problems.append(Problem("reference", message, include.tag_span))
        return None if document is None else MjcfElement(document.root, document)

    def _path(self, include: MjcfElement) -> tuple[str, str]:
        """Find the path of an included document, or the reason why it is not read."""
        file = include.get("file")
        if file is None:
            return "", 'it has no file: write file="..." or delete it'
        if include.element.children or include.element.comments:
            return "", "MuJoCo refuses an <include> with content: write <include file=.../>"
        path = self._find(file.replace("\\", "/"), include.document)
        if path is None:
            folder = self._folder or "."
            return "", f"no such file in {folder}; what it holds was not checked"
        real = os.path.realpath(path)
        if real in self._read:
            return (
                "",
                "this file is read already, and MuJoCo refuses to include it again: delete it",
            )
        self._read.add(real)
        return path, ""

    def _find(self, file: str, document: XmlDocument) -> str | None:
        """Find a file beside the main document, or else beside the including one."""
        for folder in (self._folder, os.path.dirname(document.source.path)):
            path = os.path.join(folder, file)
            note_lookup(path)
            if "\0" not in path and os.path.isfile(path):
                return path
        return None
