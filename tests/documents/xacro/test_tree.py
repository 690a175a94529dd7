"""Tests of the tree of a xacro file: its names and values know where they are written."""

from xml.dom import minidom

import pytest

from inertial_check.documents.xacro.tracing import StampedName, Traced, build_tree
from inertial_check.documents.xml.document import parse

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


def test_names_values_and_copies_know_where_they_are_written():
    link = build_tree(parse("arm.xacro", TEXT.encode())).documentElement.childNodes[1]
    assert isinstance(link.tagName, StampedName)
    name = link.getAttribute("name")
    assert isinstance(name, Traced)
    assert name == "a&b A"
    where = name.locate(4, 5)
    assert TEXT.encode()[where.span.start : where.span.end] == b"&#65;"
    tree = build_tree(parse("arm.xacro", TEXT.encode()))
    copy = tree.documentElement.cloneNode(deep=True).childNodes[1]
    assert isinstance(copy.tagName, StampedName)
    assert isinstance(copy.getAttribute("name"), Traced)


def test_a_repaired_document_with_an_unknown_prefix_is_refused_as_by_minidom():
    text = '<robot name="a"><link gz:name="b"/></robot>'
    with pytest.raises(Exception, match="unbound prefix: line 1, column 16") as theirs:
        minidom.parseString(text)
    with pytest.raises(type(theirs.value), match="unbound prefix: line 1, column 16"):
        build_tree(parse("arm.xacro", text.encode()))
