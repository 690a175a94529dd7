import codecs
import os
import subprocess
import sys

import pytest

from inertial_check.documents.context import Head
from inertial_check.documents.load import FORMATS, load, root_tag, sniff
from inertial_check.errors import DocumentError, NotAModelError, UsageError

ROBOT = '<robot name="r"><link name="a"/></robot>'


def test_files_and_bytes_have_any_kind_of_path(tmp_path):
    path = tmp_path / "b\u00f6t.urdf"
    path.write_text(ROBOT)
    assert load(path).source.path == str(path)
    assert load(str(path)).bodies == load(path).bodies
    assert load(ROBOT.encode()).source.path == "<bytes>"
    # Its places and messages have the name as a text.
    data = ROBOT.encode()
    for name in (tmp_path / "arm.urdf", str(tmp_path / "arm.urdf")):
        assert load(data, path=name).source.path == str(tmp_path / "arm.urdf")


def test_the_name_of_a_file_decides_nothing(tmp_path):
    path = tmp_path / "robot.txt"
    path.write_text(ROBOT)
    assert load(path).format == "urdf"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the document is empty"),
        (b" \n\t", "the document is empty"),
        (b"\x7fELF\x00\x01\x02" * 10, "binary data"),
        (b"just text", "no element in it"),
        (b"<robot><link>", "ends inside <link>"),
        (b"{}", "no element in it"),
        (codecs.BOM_UTF16_LE, "no element in it"),
    ],
)
def test_unreadable_documents_say_why(data, reason):
    with pytest.raises(DocumentError, match=reason) as caught:
        load(data)
    assert not isinstance(caught.value, NotAModelError)
    assert str(caught.value).startswith("<bytes>")


def test_files_that_cannot_be_opened_say_why(tmp_path):
    with pytest.raises(DocumentError, match="no such file") as caught:
        load(tmp_path / "absent.urdf")
    assert caught.value.path == str(tmp_path / "absent.urdf")
    with pytest.raises(DocumentError, match="is a directory"):
        load(tmp_path)
    with pytest.raises(DocumentError, match="null"):
        load("a\0b")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_files_without_permission_say_so(tmp_path):
    path = tmp_path / "secret.urdf"
    path.write_text(ROBOT)
    path.chmod(0)
    with pytest.raises(DocumentError, match="permission denied"):
        load(path)


def test_other_models_and_unknown_formats_are_refused():
    with pytest.raises(NotAModelError, match=r"<html> is no robot model \(known: xacro, urdf"):
        load(b"<!DOCTYPE html><html></html>")
    with pytest.raises(NotAModelError, match=r"<bytes>:1:1: the root element is <mujocoinclude>"):
        load(b"<mujocoinclude/>", format="urdf")
    with pytest.raises(UsageError, match="unknown format 'stl': known are xacro, urdf"):
        load(b"<robot/>", format="stl")


HEADS = [
    "",
    " \n",
    '<?xml version="1.0"?>',
    "\n<?xml version='1.0' encoding='utf-8'?>\n<!-- <sdf> -- --->\n",
    "<!DOCTYPE robot>",
    '<!DOCTYPE robot SYSTEM "a.dtd" [<!ELEMENT robot ANY>]>',
    "<?pi <sdf> ?><!-- a --><?xml version='1.0'?>",
    "<!-- " + "x" * 5000 + " <sdf/> -->",
    "<!-- " + "<x>" * 100_000 + " -->",
    "stray text",
    "<![CDATA[<sdf>]]>",
]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("rest", ["<robot>", "<robot/>", "<robot\n name='a'>", "< robot >"])
def test_the_first_element_is_found_behind_any_head(head, rest):
    for data in (
        (head + rest).encode(),
        codecs.BOM_UTF8 + (head + rest).encode(),
        codecs.BOM_UTF16_LE + (head + rest).encode("utf-16-le"),
        codecs.BOM_UTF16_BE + (head + rest).encode("utf-16-be"),
    ):
        assert root_tag(data) == "robot"
        assert sniff(data) == "urdf"


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"robot", b"<robot", b"<rob", b"<robots/>", b"<model><robot/></model>"),
        *(b"<!-- <robot/>", b"</robot>", b"\0<robot/>", b"text only " * 100_000, b"<a:robot/>"),
        *(b"<Robot/>",),
    ],
)
def test_what_is_no_robot_is_not_taken_for_one(data):
    assert sniff(data) is None


def test_sniffing_reads_the_head_only():
    assert sniff(b"<robot><" + b"\xff\0<" * 1000) == "urdf"


def test_the_registry_matches_its_modules():
    assert FORMATS["urdf"].matches(Head("robot", b""))
    assert {name: module.NAME for name, module in FORMATS.items()} == {
        name: name for name in FORMATS
    }
    assert all(suffix.startswith(".") for module in FORMATS.values() for suffix in module.SUFFIXES)


def test_reading_imports_nothing_slow():
    code = (
        "import sys, inertial_check.documents.load as f; f.load(b'<robot><link/></robot>')\n"
        "slow = {'scipy', 'cvxpy', 'xml.etree.ElementTree', 'lxml', 'decimal'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
