"""Attacks with declared encodings: engines know none, and read bytes that look like markup."""

import pytest

import inertial_check as ic
from inertial_check.errors import DocumentError
from inertial_check.programs.cli.main import main

URDF = (
    b'<?xml version="1.0" encoding="%s"?>\n<robot name="r"><link name="a"><inertial>%s'
    b'<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>%s</inertial>'
    b"</link></robot>"
)
HIDDEN = b'<mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="-9"/>'

CLOSED = [b"<![CDATA[\x83]]>" + HIDDEN + b"<!--]]>-->", b""]
"""The second byte of a character is the first `]` of the section's end for those who read bytes."""

QUOTED = [b"<q a='\x81'" + HIDDEN.replace(b'"', b"'") + b" b='\x81'/>", b""]
"""The second byte of a character may be the quote that ends a value."""

MULTIPLE_BYTES = [
    *("Shift_JIS", "shift-jis", "sjis", "cp932", "windows-31j", "shift_jis_2004", "shift_jisx0213"),
    *("GBK", "cp936", "GB2312", "gb18030", "hz", "Big5", "big5-hkscs", "big5hkscs", "cp950"),
    *("EUC-JP", "euc_jis_2004", "EUC-KR", "johab", "cp949", "iso-2022-jp", "iso-2022-kr", "utf-7"),
    *("UTF-16", "UTF-16LE", "utf_32", "cp037", "cp437", "koi8-r", "macintosh", "bogus", "hex"),
]


@pytest.mark.parametrize("pieces", [CLOSED, QUOTED, [b"", b""]], ids=["CDATA", "quote", "plain"])
@pytest.mark.parametrize("encoding", MULTIPLE_BYTES)
def test_encodings_that_engines_would_read_otherwise_are_refused(encoding, pieces):
    data = URDF % (encoding.encode(), *pieces)
    with pytest.raises(DocumentError) as caught:
        ic.load(data)
    assert (caught.value.line, caught.value.column) == (1, 31)
    assert f"declared encoding {encoding} is not read" in caught.value.reason
    assert "declare UTF-8" in caught.value.reason


def test_the_command_line_says_where_and_what_to_do(tmp_path, capsys):
    path = tmp_path / "model.urdf"
    path.write_bytes(URDF % (b"Shift_JIS", *CLOSED))
    assert main(["check", "--isolated", "--no-cache", "--output-format=concise", str(path)]) == 2
    said = capsys.readouterr().out
    assert "model.urdf:1:31: error IC001" in said
    assert "save the document as UTF-8" in said


@pytest.mark.parametrize(
    "encoding",
    [
        *("US-ASCII", "ascii", "UTF-8", "utf8", "U8", "ISO-8859-1", "latin1", "L1"),
        *(f"iso-8859-{part}" for part in (*range(1, 12), *range(13, 17))),
        *(f"windows-{page}" for page in range(1250, 1259)),
        *("cp1252", "windows_1252", "iso8859_15", "cp819"),
    ],
)
def test_encodings_whose_bytes_are_what_engines_read_are_accepted(encoding):
    model = ic.load(URDF % (encoding.encode(), b"", b""))
    assert model.bodies[0].inertial.mass.value == 1.0
    assert model.problems == ()


def test_a_declaration_behind_a_comment_counts():
    data = b"<!-- \x83 -->" + URDF % (b"Shift_JIS", *CLOSED)
    with pytest.raises(DocumentError, match="declared encoding Shift_JIS"):
        ic.load(data)


def test_an_included_document_is_refused_too(tmp_path):
    inner = b'<?xml version="1.0" encoding="big5"?><mujocoinclude/>'
    (tmp_path / "inner.xml").write_bytes(inner)
    outer = tmp_path / "outer.xml"
    outer.write_text('<mujoco><worldbody><include file="inner.xml"/></worldbody></mujoco>')
    report = ic.check_model(outer)
    assert any("declared encoding big5" in each.message for each in report.findings)
