"""Tests of the tree of a xacro file: it does what the nodes of xml.dom.minidom do."""

import random
from xml.dom import Node, NotFoundErr, minidom

import pytest

from inertial_check.formats.xacro.traced import Traced
from inertial_check.formats.xacro.tree import StampedName, build_tree, replace_node
from inertial_check.formats.xml.document import parse

pytest.importorskip("xacro")

TEXT = """<?xml version="1.0"?>
<!DOCTYPE robot [<!-- inside --> <?target data?>]>
<!-- before -->
<robot type="arm" xmlns:xacro="urn:x" name='a "quoted" one' xmlns="urn:y">
  <link name="a&amp;b &#65;" mass="1
2"/> text &lt; <![CDATA[raw <b>]]><![CDATA[ more]]> <!-- c --> <?pi of it?>
  <xacro:macro name="m" xacro:name="n"><a><b c="d"/></a><!-- e --></xacro:macro>
  <a x="1">ä\t</a>
</robot>
<!-- after -->
"""


def show(node):
    """What a node and everything inside of it say."""
    if node.nodeType == Node.ELEMENT_NODE:
        inside = [show(child) for child in node.childNodes]
        return node.tagName, node.nodeName, list(node.attributes.items()), inside
    if node.nodeType == Node.DOCUMENT_NODE:
        kinds = (Node.DOCUMENT_TYPE_NODE,)  # which neither xacro nor the expanded document shows
        return [show(child) for child in node.childNodes if child.nodeType not in kinds]
    return type(node), node.nodeValue


def expect_linked(node):
    """Expect every link between nodes to agree with the lists of children."""
    around = [None, *node.childNodes, None]
    for before, child, after in zip(around, around[1:], around[2:], strict=False):
        if child is not None:
            assert (child.previousSibling, child.nextSibling) == (before, after)
            assert child.parentNode is node
            expect_linked(child)


def both(text):
    """The tree of a text, and that of minidom."""
    return build_tree(parse("arm.xacro", text.encode())), minidom.parseString(text)


def test_a_document_has_the_nodes_that_minidom_finds():
    ours, theirs = both(TEXT)
    assert show(ours) == show(theirs)
    expect_linked(ours.documentElement)


def test_names_and_values_know_where_they_are_written():
    link = build_tree(parse("arm.xacro", TEXT.encode())).documentElement.childNodes[1]
    assert isinstance(link.tagName, StampedName)
    name = link.getAttribute("name")
    assert isinstance(name, Traced)
    assert name == "a&b A"
    where = name.locate(4, 5)
    assert TEXT.encode()[where.span.start : where.span.end] == b"&#65;"


def test_a_repaired_document_with_an_unknown_prefix_is_refused_as_by_minidom():
    text = '<robot name="a"><link gz:name="b"/></robot>'
    with pytest.raises(Exception, match="unbound prefix: line 1, column 16") as theirs:
        minidom.parseString(text)
    with pytest.raises(type(theirs.value), match="unbound prefix: line 1, column 16"):
        build_tree(parse("arm.xacro", text.encode()))


@pytest.mark.parametrize("seed", range(20))
def test_changes_have_the_results_that_minidom_has(seed):
    from xacro.xmlutils import replace_node as plain_replace_node

    ours, theirs = (tree.documentElement for tree in both(TEXT))
    choose = random.Random(seed)
    for _ in range(30):
        path = [choose.random() for _ in range(choose.randrange(1, 4))]
        act = choose.choice(["set", "remove", "clone", "inside", "whole", "delete", "if"])
        name = choose.choice(["name", "a:name", "b:name", "type", "xmlns:type", "c", "xacro:name"])
        value = choose.choice(["1", "2"])
        for root, replace in ((ours, replace_node), (theirs, plain_replace_node)):
            change(walk(root, path), act, name, value, replace)
        assert show(ours) == show(theirs)
        expect_linked(ours)


def walk(node, path):
    """Go down to an element by shares of the numbers of children."""
    for share in path:
        inside = [each for each in node.childNodes if each.nodeType == Node.ELEMENT_NODE]
        if inside:
            node = inside[int(share * len(inside))]
    return node


def change(node, act, name, value, replace):
    """Change an element as xacro does."""
    if act == "set":
        node.setAttribute(name, value)
        assert node.getAttributeNode(name).value == node.getAttribute(name) == value
        assert node.hasAttribute(name)
    elif act == "remove" and node.hasAttribute(name):
        node.removeAttribute(name)
    elif act == "remove":
        assert node.getAttributeNode(name) is None
        assert node.getAttribute(name) == ""
        with pytest.raises(NotFoundErr):
            node.removeAttribute(name)
    elif node.parentNode.nodeType == Node.DOCUMENT_NODE:
        return
    elif act == "clone":
        replace(node, by=node.parentNode.cloneNode(deep=True), content_only=True)
    elif act == "inside":
        replace(node, by=[node.cloneNode(deep=True), node.cloneNode(deep=True)], content_only=True)
    elif act == "whole":
        replace(node, by=node.cloneNode(deep=True))
    elif act == "if":
        replace(node, by=node, content_only=True)
    else:
        replace(node, by=None)


def test_an_equal_value_keeps_its_origin():
    node = build_tree(parse("arm.xacro", b'<robot name="a"/>')).documentElement
    name = node.getAttribute("name")
    node.setAttribute("name", "a")
    assert node.getAttribute("name") is name
