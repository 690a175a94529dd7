"""Tree of a xacro file, with traced names and values, which xacro turns into the expanded document.

It is minidom's, which xacro changes and copies; the names of elements and the values of attributes
are texts that know where they are written, and stay so in every copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.dom import minidom

from inertial_check.formats.xacro.traced import trace_verbatim
from inertial_check.formats.xml.document import XmlDocument
from inertial_check.formats.xml.markup import Element, normalise


class StampedName(str):
    """Name of an element, which all copies of the element share.

    Attributes:
        document: The document that contains the element.
        element: The element in that document.
    """

    document: XmlDocument
    element: Element


def build_tree(document: XmlDocument) -> minidom.Document:
    """Build the tree of a document, with traced names and values.

    Raises:
        ExpatError: The document is not well-formed, or a prefix in it is not declared.
    """
    tree: minidom.Document = minidom.parseString(document.text)
    for element, node in zip(_list_elements(document.root), _list_nodes(tree), strict=False):
        if node.tagName != element.tag:  # engines read the document in another way than minidom
            break
        name = StampedName(element.tag)
        name.document, name.element = document, element
        node.tagName = node.nodeName = name
        for key, (text, places) in document.attributes(element).items():
            attribute = node.getAttributeNode(key)
            if attribute is not None and attribute.value in (text, normalise(text)):
                attribute.value = trace_verbatim(attribute.value, document, places)
    return tree


def _list_elements(root: Element) -> Iterator[Element]:
    """Visit all elements in document order."""
    pending = [root]
    while pending:
        element = pending.pop()
        yield element
        pending += reversed(element.children)


def _list_nodes(tree: minidom.Document) -> Iterator[minidom.Element]:
    """Visit all elements of a tree in document order."""
    pending: list[minidom.Node] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, minidom.Element):
            yield node
        pending += reversed(node.childNodes)
