"""What is read, mended and refused, held against the engines themselves."""

from xml.etree import ElementTree

import pytest

from inertial_check.documents.load import load
from inertial_check.errors import DocumentError

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
ROBOT = f'<robot name="r"><link name="a">{INERTIAL}</link>%s</robot>'
PLAIN = ROBOT % ""
DECLARATION = '<?xml version="1.0"?>'

STRICT = {
    "plain": PLAIN,
    "declared": DECLARATION + PLAIN,
    "version 0.0": '<?xml version="0.0" ?>' + PLAIN,
    "comment before": "<!-- c -->" + PLAIN,
    "angle in attribute": ROBOT % '<foo a="a > b"/>',
    "angle in text": ROBOT % "<foo>a > b</foo>",
    "cdata": ROBOT % "<foo><![CDATA[a < b & c]]></foo>",
    "blanks around the equals sign": ROBOT % '<foo a = "1"/>',
    "blank in end tag": ROBOT % "<foo></foo >",
    "comment that begins with an angle": ROBOT % "<!--> x -->",
    "doctype": DECLARATION + "<!DOCTYPE robot>" + PLAIN,
    "external doctype": DECLARATION + '<!DOCTYPE robot SYSTEM "x.dtd">' + PLAIN,
    "declared prefix": ROBOT % '<q:e xmlns:q="u" q:a="1"/>',
    "UTF-8 mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "lone CR": DECLARATION + "\r" + PLAIN.replace("><", ">\r<"),
    "DEL": ROBOT % "<foo>\x7f</foo>",
}

MENDED = {  # name: document, words of the message
    "blank before declaration": ("\n " + DECLARATION + PLAIN, "does not stand at the very start"),
    "two declarations": (DECLARATION * 2 + PLAIN, "does not stand at the very start"),
    "empty declaration": ("<?xml?>" + PLAIN, "declaration is not well-formed"),
    "unquoted version": ("<?xml version=1.0?>" + PLAIN, "declaration is not well-formed"),
    "upper case declaration": ('<?XML version="1.0"?>' + PLAIN, "declaration is not well-formed"),
    "undeclared prefix": (ROBOT % "<xi:foo/>", "the prefix of xi:foo is not declared"),
    "undeclared attribute prefix": (ROBOT % '<foo xi:a="1"/>', "the prefix of xi:a"),
    "two colons": (ROBOT % "<a:b:c/>", "one colon"),
    "leading colon": (ROBOT % "<:a/>", "one colon"),
    "undeclaring a prefix": (ROBOT % '<foo xmlns:q=""/>', "must not undeclare prefix"),
    "dashes in comment": (ROBOT % "<!-- a -- b -->", "`--` is not allowed"),
    "three dashes end a comment": (ROBOT % "<!-- a --->", "`--` is not allowed"),
    "ampersand in text": (ROBOT % "<foo>a & b</foo>", "`&` begins no reference"),
    "ampersand in attribute": (ROBOT % '<foo a="a & b"/>', "`&` begins no reference"),
    "undefined entity": (ROBOT % '<foo a="&foo;"/>', "`&` begins no reference"),
    "reference to no character": (ROBOT % '<foo a="&#1;"/>', "`&` begins no reference"),
    "less-than in attribute": (ROBOT % '<foo a="a < b"/>', "`<` is not allowed in the value"),
    "end of CDATA in text": (ROBOT % "<foo>]]></foo>", "`]]>` is not allowed"),
    "CDATA before root": ("<![CDATA[a]]>" + PLAIN, "before the root element"),
    "text before root": ("junk" + PLAIN, "text before the root element"),
    "second root": (PLAIN + PLAIN, "<robot> after the end of the root element"),
    "end tag after root": (PLAIN + "</robot> junk <", "</robot> closes nothing"),
    "control character": (ROBOT % "\x01", "control character U+0001"),
    "control character in comment": (ROBOT % "<!-- \x01 -->", "control character U+0001"),
    "form feed in tag": (ROBOT % '<foo\x0ca="1"/>', "control character U+000C"),
    "U+FFFE": (ROBOT % "\ufffe", "control character U+FFFE"),
    "NUL at the end": (PLAIN + "\x00junk", "a NUL ends the document"),
    "no blank between attributes": (ROBOT % '<foo a="1"b="2"/>', "one must part two attributes"),
    "blank before name": (ROBOT % "< foo/>", "no blank may follow `<`"),
    "end tag with attributes": (ROBOT % '<foo></foo a="1">', "</foo> has more than its name"),
    "end tag that closes itself": (ROBOT % "</foo/>", "read as the empty element"),
    "doctype after root": (PLAIN + "<!DOCTYPE robot>", "this markup is not allowed here"),
    "doctype twice": ("<!DOCTYPE robot>" * 2 + PLAIN, "this markup is not allowed here"),
    "doctype in lower case": ("<!doctype robot>" + PLAIN, "this markup is not allowed here"),
    "markup inside": (ROBOT % "<!foo>", "this markup is not allowed here"),
    "Latin-1 undeclared": ((ROBOT % "<!-- \u00e9 -->").encode("latin-1"), "no text in UTF-8"),
    "Latin-1 in a name": ((ROBOT % "<fo\u00e9/>").encode("latin-1"), "no text in UTF-8"),
    "mark after blank": (b"\n\xef\xbb\xbf" + PLAIN.encode(), "mark does not stand at the very"),
}

REFUSED = {  # name: document, reason, line, column
    "blank": (" \n", "empty", None, None),
    "truncated end tag": (PLAIN[:-1], "ends inside the tag <robot>", 1, len(PLAIN) - 7),
    "truncated tag": ("<robot>\n<link na", "ends inside the tag <link>", 2, 1),
    "truncated value": ('<robot>\n<link name="a', "attribute name of <link> is never", 2, 7),
    "truncated element": ("<robot>\n<link></link>", "ends inside <robot>", 1, 1),
    "mismatch": ("<robot>\n <foo>\n</bar></robot>", "expected: <foo> begins in line 2", 3, 1),
    "mismatched case": (ROBOT % "<foo></Foo>", "</foo> is expected", 1, None),
    "open comment": ("<robot>\n <!-- a </robot>", "comment begins here and is never", 2, 2),
    "short comment": (ROBOT % "<!--->", "comment begins here", 1, None),
    "open CDATA": ("<robot>\n<![CDATA[ </robot>", "CDATA section begins here", 2, 1),
    "text after root": (PLAIN + "\n junk", "text after the end", 2, 2),
    "angle after root": (PLAIN + "\n<", "begins no tag", 2, 1),
    "open second root": (PLAIN + "\n<foo>", "ends inside <foo>", 2, 1),
    "attribute twice": ('<robot>\n<a b="1" b="1"/></robot>', "attribute b twice", 2, 10),
    "comma between attributes": (
        ROBOT % '<foo a="1", b="2"/>',
        "<foo> is not well-formed",
        1,
        None,
    ),
    "unquoted value": ("<robot>\n<foo a=1/></robot>", "<foo> is not well-formed", 2, 5),
    "attribute without value": ("<robot>\n<foo a/></robot>", "expected name=", 2, 5),
    "blank in empty tag": ("<robot>\n<foo / ></robot>", "<foo> is not well-formed", 2, 5),
    "tag of digits": ("<robot>\n<1/></robot>", "begins no tag", 2, 1),
    "control character in tag": ("<robot>\n<foo \x01/></robot>", "not well-formed", 2, 5),
    "NUL inside": (ROBOT % "\x00", "ends inside <robot>", 1, 1),
    "declaration without end": ('<?xml version="1.0">' + PLAIN, "is never closed", 1, 1),
    "no element": (DECLARATION + "<!-- only -->", "no element in it", 1, 1),
    "only an end tag": ("\n</robot>", "closes nothing", 2, 1),
}

# Read here with a problem, as the engines of their time do; these MuJoCo refuses.
OLD_ENGINES_ONLY = {
    "comment before declaration": "<!-- c -->" + DECLARATION + PLAIN,
    "declaration inside": ROBOT % DECLARATION,
}


def as_bytes(document):
    return document if isinstance(document, bytes) else document.encode()


def mujoco_parses(path, data):
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    path.write_bytes(data)
    try:
        mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        message = str(error)
        return not any(sign in message for sign in ("XML parse", "empty file", "root element"))
    return True


def element_tree_parses(data):
    try:
        ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", STRICT)
def test_well_formed_documents_are_read_without_a_problem(name, tmp_path):
    data = as_bytes(STRICT[name])
    assert element_tree_parses(data)
    assert load(data).problems == ()
    assert mujoco_parses(tmp_path / "x.urdf", data)


@pytest.mark.parametrize("name", MENDED)
def test_what_engines_mend_is_mended_and_told(name, tmp_path):
    document, words = MENDED[name]
    data = as_bytes(document)
    assert not element_tree_parses(data)
    assert mujoco_parses(tmp_path / "x.urdf", data)
    model = load(data)
    assert {problem.kind for problem in model.problems} == {"repair"}
    assert any(words in problem.message for problem in model.problems)
    assert [body.name for body in model.bodies] == ["a"]
    assert model.bodies[0].inertial.mass.value == 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_reads_is_refused_with_its_place(name, tmp_path):
    document, words, line, column = REFUSED[name]
    data = as_bytes(document)
    assert not element_tree_parses(data)
    assert not mujoco_parses(tmp_path / "x.urdf", data)
    with pytest.raises(DocumentError) as caught:
        load(data, format="urdf")
    assert words in caught.value.reason
    assert caught.value.line == line
    assert column is None or caught.value.column == column


@pytest.mark.parametrize("name", OLD_ENGINES_ONLY)
def test_a_declaration_anywhere_is_mended_and_told(name):
    (problem,) = load(as_bytes(OLD_ENGINES_ONLY[name])).problems
    assert problem.kind == "repair"
    assert "does not stand at the very start" in problem.message


def test_an_instruction_inside_is_xml_though_engines_refuse_it():
    (problem,) = load(as_bytes(ROBOT % "<?foo bar?>")).problems
    assert problem.misreadings[0].parsers == ("tinyxml2",)
