"""Tree of a xacro file, with traced names and values, which xacro turns into the expanded document.

xacro copies the body of a macro for each call and moves the copied nodes one by one. In a
minidom.Element each attribute is a node with a node inside, found by two keys, and the place of an
element among its siblings is searched for with every node that is moved. The elements here keep
their attributes in a dictionary, and are read, copied and moved in half of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple
from xml.dom import NotFoundErr, minidom
from xml.dom.expatbuilder import ExpatBuilder
from xml.parsers import expat

from inertial_check.formats.xacro.traced import trace_verbatim
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element, normalise

Node = Any  # Any: a node of minidom, whose classes have no common type for their links


class StampedName(str):
    """Name of an element, which all copies of the element share.

    Attributes:
        document: The document that contains the element.
        element: The element in that document.
    """

    document: XmlDocument
    element: Element


class AttributeTable(dict[str, str]):
    """Attributes of an element by name, which may be changed while one visits them."""

    def items(self) -> list[tuple[str, str]]:  # type: ignore[override]  # as minidom has it
        """List the names and values."""
        return list(super().items())


class AttributeNode(NamedTuple):
    """An attribute as a node of the tree."""

    value: str


class TreeElement(minidom.Element):
    """An element whose attributes are a dictionary.

    What xacro calls of a minidom.Element has the same results.
    """

    attributes: AttributeTable = AttributeTable()  # type: ignore[assignment]  # no nodes

    def __init__(self, tag: str, attributes: AttributeTable) -> None:
        super().__init__(tag)
        self.attributes = attributes
        self._unbound: tuple[str, ...] = ()

    def hasAttribute(self, name: str) -> bool:
        """Tell whether there is an attribute of this name."""
        return name in self.attributes

    def getAttribute(self, attname: str) -> str:
        """Return the value of an attribute; "" if there is none."""
        return self.attributes.get(attname, "")

    def getAttributeNode(  # type: ignore[override]  # less than a node of minidom
        self, attrname: str
    ) -> AttributeNode | None:
        """Return an attribute, of which xacro reads the value; None if there is none."""
        value = self.attributes.get(attrname)
        return None if value is None else AttributeNode(value)

    def setAttribute(self, attname: str, value: str) -> None:
        """Set an attribute; one that has an equal value keeps its own, with its origin."""
        known = self.attributes.get(attname)
        if known is None and (":" in attname or self._unbound):
            self._remove_rival(attname)
        if known != value:
            self.attributes[attname] = value

    def _remove_rival(self, name: str) -> None:
        """Remove the attribute whose place a new one takes.

        An attribute that is set by its name has no namespace, even if the name has a prefix. Of
        those with the same local name and no namespace minidom keeps one.
        """
        local = name.split(":", 1)[-1]
        rivals = [each for each in self._unbound if each.split(":", 1)[-1] == local]
        for rival in (local, *rivals):
            self.attributes.pop(rival, None)
        kept = tuple(each for each in self._unbound if each not in rivals)
        self._unbound = (*kept, name) if ":" in name else kept

    def removeAttribute(self, name: str) -> None:
        """Remove an attribute.

        Raises:
            NotFoundErr: There is none of this name.
        """
        if self.attributes.pop(name, None) is None:
            raise NotFoundErr

    def cloneNode(self, deep: bool) -> TreeElement:
        """Copy the element, with what is inside of it if the copy is deep."""
        copy = TreeElement(self.nodeName, AttributeTable(self.attributes))
        copy.ownerDocument = self.ownerDocument
        copy._unbound = self._unbound
        if deep:
            for child in self.childNodes:
                _append(copy, _copy_text(child) if type(child) is minidom.Text else _copy(child))
        return copy


def _copy(node: Node) -> Node:
    return node.cloneNode(True)


def _copy_text(text: minidom.Text) -> minidom.Text:
    """Copy a text; most nodes are blanks between elements."""
    copy = minidom.Text()
    copy.data = text.data
    copy.ownerDocument = text.ownerDocument
    return copy


def _append(parent: Node, node: Node) -> None:
    """Add a new node after the children of another one."""
    siblings = parent.childNodes
    if siblings:
        node.previousSibling = siblings[-1]
        siblings[-1].nextSibling = node
    siblings.append(node)
    node.parentNode = parent


def replace_node(node: Node, by: Node, content_only: bool = False) -> None:
    """Put other nodes, or only what is inside of them, in the place of a node.

    This does what the function of xacro does, which moves one node at a time.

    Args:
        node: The node.
        by: A node or a list of nodes; None to remove the node.
        content_only: Whether to put the children of those nodes there.
    """
    others = [] if by is None else by if isinstance(by, list) else [by]
    new: list[Node] = []
    for other in others:
        if content_only:
            new += other.childNodes
            other.childNodes[:] = []
        else:
            new.append(other)
            if other.parentNode is not None:
                other.parentNode.removeChild(other)
    parent = node.parentNode
    at = parent.childNodes.index(node)
    parent.childNodes[at : at + 1] = new
    for before, after in pairwise([node.previousSibling, *new, node.nextSibling]):
        if before is not None:
            before.nextSibling = after
        if after is not None:
            after.previousSibling = before
    for each in new:
        each.parentNode = parent
    node.parentNode = node.previousSibling = node.nextSibling = None


def build_tree(document: XmlDocument) -> minidom.Document:
    """Build the tree of a document, with traced names and values.

    Raises:
        ExpatError: The document is not well-formed, or a prefix in it is not declared.
    """
    if document.problems:  # of which one may be about prefixes
        expat.ParserCreate(namespace_separator=" ").Parse(document.text, True)
    tree: minidom.Document = _TreeBuilder(document).parseString(document.text)
    return tree


class _TreeBuilder(ExpatBuilder):
    """Builds a tree of elements that know where they are written."""

    def __init__(self, document: XmlDocument) -> None:
        super().__init__()
        self._document = document
        self._elements = _list_elements(document.root)

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        """Begin an element; names and values alternate in the list of attributes."""
        values = AttributeTable(zip(attributes[::2], attributes[1::2], strict=True))
        element = next(self._elements, None)
        if element is not None and element.tag == name:
            name = stamp_name(name, self._document, element)
            _trace_values(values, self._document, element)
        else:  # engines read the document in another way than this parser
            self._elements = iter(())
        node = TreeElement(name, _put_namespaces_first(values))
        node.ownerDocument = self.document
        _append(self.curNode, node)
        self.curNode = node


def stamp_name(name: str, document: XmlDocument, element: Element) -> StampedName:
    """Make the name of an element that is written in a document."""
    stamped = StampedName(name)
    stamped.document, stamped.element = document, element
    return stamped


def _trace_values(values: AttributeTable, document: XmlDocument, element: Element) -> None:
    """Trace the values of attributes to where they are written."""
    for name, (text, places) in document.attributes(element).items():
        value = values.get(name)
        if value is not None and (value == text or value == normalise(text)):
            values[name] = trace_verbatim(value, document, places)


def _put_namespaces_first(values: AttributeTable) -> AttributeTable:
    """Put declarations of namespaces before other attributes, as namespace-aware parsers do."""
    if not any(name.startswith("xmlns") for name in values):
        return values
    return AttributeTable(
        sorted(values.items(), key=lambda item: item[0].partition(":")[0] != "xmlns")
    )


def _list_elements(root: Element) -> Iterator[Element]:
    """Visit all elements in document order."""
    pending = [root]
    while pending:
        element = pending.pop()
        yield element
        pending += reversed(element.children)
