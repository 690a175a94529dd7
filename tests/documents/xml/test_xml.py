import codecs
import random
from xml.parsers import expat

import pytest

from inertial_check.documents.context import DEEPEST
from inertial_check.documents.xml.document import parse
from inertial_check.documents.xml.encoding import Complaints
from inertial_check.documents.xml.lenient import LenientParser
from inertial_check.documents.xml.markup import resolve_references, scan_tag, split_runs
from inertial_check.errors import DocumentError


def read(text):
    return parse("x.xml", text if isinstance(text, bytes) else text.encode())


def only(document):
    (problem,) = document.problems
    return problem


def written(document, element):
    span = document.element_span(element)
    return document.source.data[span.start : span.end]


def test_every_element_knows_its_bytes():
    data = (
        '<?xml version="1.0"?>\n<!-- \u00e9 --><r a="\u4e2d">\n'
        "<b x='/>'/>t<c>/></c ><b\n/><c><!--/>--></c><d></d></r>\n"
    ).encode()
    document = read(data)
    parts = [written(document, child) for child in document.root.children]
    assert parts == [b"<b x='/>'/>", b"<c>/></c >", b"<b\n/>", b"<c><!--/>--></c>", b"<d></d>"]
    assert written(document, document.root) == data[data.index(b"<r") : data.rindex(b"\n")]
    assert document.problems == ()


def test_attributes_are_decoded_and_know_their_places():
    document = read("<r a = \"1&#50;&lt;\" \n b='x &amp; \"y\"' c='\t&#9;'/>")
    texts = document.attributes(document.root)
    assert document.root.attributes == {"a": "12<", "b": 'x & "y"', "c": " \t"}
    assert {name: text.value for name, text in texts.items()} == {
        "a": "12<",
        "b": 'x & "y"',
        "c": "\t\t",
    }
    assert [document.text[at] for at in texts["a"].places] == ["1", "&", "&", '"']
    assert list(texts["b"].pieces()) == [
        ("x", *span(document.text, "x ")),
        ("&", *span(document.text, "&amp; ", 5)),
        ('"y"', *span(document.text, '"y"', 3)),
    ]


def span(text, piece, length=1):
    at = text.index(piece)
    return at, at + length


def test_text_is_found_in_runs_that_know_their_places():
    document = read("<r> 1 <!-- 2 --> 3&#52;<a>5</a><![CDATA[<6>]]><?pi 7?>8</r>")
    runs = document.texts(document.root)
    assert [run.value for run in runs] == [" 1 ", " 34", "<6>", "8"]
    assert [document.text[run.places[0]] for run in runs] == [" ", " ", "<", "8"]
    assert [run.value for run in document.texts(document.root.children[0])] == ["5"]
    empty = read("<r/>")
    assert empty.texts(empty.root) == []


def test_a_reference_to_what_is_no_character_stays_as_it_is_written():
    for code in ("0", "8", "1F", "D800", "DFFF", "FFFE", "FFFF", "110000"):
        text = f"1&#x{code};2"
        assert resolve_references(text, 0, len(text)).value == text
    for code in ("9", "20", "D7FF", "E000", "FFFD", "10000", "10FFFF"):
        text = f"1&#x{code};2"
        assert resolve_references(text, 0, len(text)).value == f"1{chr(int(code, 16))}2"


_VALUES = ("", "1 2", "/>", ">>", "&lt;&#50;", "\u00e9", "\t1\n", "'", "=", "/a>")
_TEXTS = ("", " 1 ", "/>", ">", "&gt;2", "\U0001f916", "<!--/>-->", "<![CDATA[</a>]]>", "<?i />?>")


def draw_element(draw, depth):
    """Write a random element that is well-formed, and hard for a scanner of tags."""
    named = "".join(
        draw.choice((" ", "\n ", "\t")) + name + draw.choice(("=", " = ")) + f'"{value}"'
        if "'" in (value := draw.choice(_VALUES)) or draw.random() < 0.5
        else f" {name}='{value}'"
        for name in draw.sample("abcdef", draw.randrange(4))
    )
    if draw.random() < 0.3:
        return f"<a{named}{draw.choice(('', ' '))}/>"
    inside = [draw.choice(_TEXTS)]
    for _ in range(draw.randrange(4) if depth else 0):
        inside += [draw_element(draw, depth - 1), draw.choice(_TEXTS)]
    return f"<a{named}>{''.join(inside)}</a{draw.choice(('', ' '))}>"


@pytest.mark.parametrize("seed", range(60))
def test_the_positions_from_expat_are_those_of_the_scanner(seed):
    text = "<r>" + draw_element(random.Random(seed), 4) + "</r>"
    document, lenient = read(text), LenientParser(text, Complaints())
    assert all(problem.kind == "differs" for problem in document.problems)
    pairs = [(document.root, lenient.root)]
    while pairs:
        found, expected = pairs.pop()
        assert (found.tag, found.attributes) == (expected.tag, expected.attributes)
        assert list(found.comments) == list(expected.comments)
        ends = found.start, found.close, document.end(found)
        assert ends == (expected.start, expected.close, expected.end)
        tag = scan_tag(text, found.start)
        values = {name: resolve_references(text, *at) for name, at in tag.attributes.items()}
        assert document.attributes(found) == values
        if not found.children:
            assert document.texts(found) == list(split_runs(text, tag.end, found.close))
        pairs += zip(found.children, expected.children, strict=True)


def test_comments_are_kept_where_they_stand():
    document = read("<!-- a --><r><!--b--><c><!-- d --></c></r><!-- e -->")
    text = document.comment_text
    assert [text(comment) for comment in document.comments] == [" a ", " e "]
    assert [text(comment) for comment in document.root.comments] == ["b"]
    assert [text(comment) for comment in document.root.children[0].comments] == [" d "]
    assert document.root.comments[0].end <= document.root.children[0].start


ACCENTS = "<r a='\u00e9'><!-- \u00e9 --><b c='1'/></r>"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (ACCENTS.encode(), "utf-8"),
        (codecs.BOM_UTF8 + ACCENTS.encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + ACCENTS.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + ACCENTS.encode("utf-16-be"), "utf-16-be"),
        (f"<?xml version='1.0' encoding='ISO-8859-1'?>{ACCENTS}".encode("latin-1"), "iso8859-1"),
        (f"<?xml version='1.0' encoding='Latin1'?>{ACCENTS}".encode("latin-1"), "iso8859-1"),
        (f"<?xml version='1.0' encoding='windows-1252'?>{ACCENTS}".encode("cp1252"), "cp1252"),
        (f"<?xml version='1.0' encoding='utf-8'?>{ACCENTS}".encode(), "utf-8"),
        (f'<?xml version="1.0" encoding="l1"?>{ACCENTS}'.encode("latin-1"), "iso8859-1"),
        (f'<?xml version="1.0" encoding="UTF8"?>{ACCENTS}'.encode(), "utf-8"),
        (f'<?xml version="1.0" encoding="iso_8859-15"?>{ACCENTS}'.encode("latin-1"), "iso8859-15"),
    ],
)
def test_every_encoding_gives_the_same_text_and_exact_places(data, encoding):
    document = read(data)
    source = document.source
    assert source.encoding == encoding
    assert document.root.attributes == {"a": "\u00e9"}
    assert all(problem.kind == "differs" for problem in document.problems)  # UTF-16
    (child,) = document.root.children
    assert source.text(document.element_span(child)) == "<b c='1'/>"
    text = document.attributes(child)["c"]
    place = document.span(*text.trim()[1:])
    assert source.text(place) == "1"
    assert source.data == data


@pytest.mark.parametrize(
    ("data", "says", "name"),
    [
        (b"<r a='\xe9'/>", "bytes e9 are no text in UTF-8; read as U+FFFD", "\ufffd"),
        (b"<?xml version='1.0' encoding='us-ascii'?><r a='\xc3\xa9'/>", "read as UTF-8", "\u00e9"),
        (b"<?xml version='1.0' encoding='cp1252'?><r a='\x81'/>", "read as U+FFFD", "\ufffd"),
        (b"\xef\xbb\xbf<?xml version='1.0' encoding='latin-1'?><r a='1'/>", "byte order mark", "1"),
    ],
)
def test_wrong_encodings_are_read_as_engines_do_and_told(data, says, name):
    document = read(data)
    assert document.root.attributes == {"a": name}
    assert says in only(document).message
    assert document.source.text(document.element_span(document.root)).startswith("<r")


def test_stray_bytes_do_not_move_what_follows():
    data = b"<r>\xe9\xe9<!-- \xff\xc3 --><b c='\xe9 1'/></r>"
    document = read(data)
    (child,) = document.root.children
    assert written(document, child) == b"<b c='\xe9 1'/>"
    pieces = list(document.attributes(child)["c"].pieces())
    place = document.span(*pieces[1][1:])
    assert data[place.start : place.end] == b"1"
    assert only(document).span.start == 3


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF16_LE + "<r/>".encode("utf-16-le") + b"x",
        codecs.BOM_UTF16_LE + '<?xml version="1.0" encoding="utf-8"?><r/>'.encode("utf-16-le"),
        codecs.BOM_UTF32_LE + "<r/>".encode("utf-32-le"),
        "<r/>".encode("utf-16-le"),
        "<r/>".encode("utf-16-be"),
        b'<?xml version="1.0" encoding="gbk"?><r/>',
    ],
)
def test_broken_wide_and_other_encodings_are_refused(data):
    with pytest.raises(DocumentError, match=r"UTF-(16|32)|declared encoding gbk is not read"):
        read(data)


def test_of_many_places_the_first_are_told():
    problems = read("<r>" + "&" * 1000 + "</r>").problems
    assert len(problems) == 10
    assert "and more of this kind" in problems[-1].message
    assert all("and more" not in problem.message for problem in problems[:-1])


def test_prefixes_are_told_once_and_only_where_undeclared():
    document = read('<r xmlns:d="u"><a:b/><a:c/><d:e/><f g:h="1" xml:lang="en"/></r>')
    assert [problem.message.split()[3] for problem in document.problems] == ["a:b", "g:h"]
    text = '<r><a xmlns:p="u"><p:b/></a><p:c/></r>'
    assert only(read(text)).span.start == text.index("<p:c")
    assert "the prefix of p:c is not declared" in only(read(text)).message


@pytest.mark.parametrize(
    "text",
    [
        "<r><a>b:c</a><!-- d:e --></r>",
        '<r xmlns:d="http://u" a="b:c"/>',
        "<r xmlns:d='http://u'><d:a/></r>",
        '<r xmlns:d="http://u"><e:a/></r>',
        '<r xmlns:d="http://u"><a d:b="1" e:c="2"/></r>',
        '<r xmlns:d=""/>',
        '<r xmlns:d="u"/>',
        '<r xmlns:d = "http://u"/>',
        '<r xmlns="http://u"/>',
        '<r xmlns="http://www.w3.org/2000/xmlns/"/>',
        '<r xmlns:d="http://www.w3.org/XML/1998/namespace"/>',
        '<r xmlns:d="http://&#119;ww.w3.org/XML/1998/namespace"/>',
        '<r xmlns:xml="http://u"/>',
        '<r xmlns:xmlns="http://u"/>',
        '<r xmlns:1="http://u"/>',
        '<r xmlns:a:b="http://u"/>',
        '<r xmlns:a="http://u" xmlns:b="http://u"><c a:d="" b:d=""/></r>',
        '<r xmlns:="http://u"/>',
        '<r :a="b"/>',
        "<r><?a:b c?></r>",
        "<!DOCTYPE a:b><r/>",
    ],
)
def test_what_a_parser_with_namespaces_refuses_is_told(text):
    parser = expat.ParserCreate(namespace_separator="\x01")
    try:
        parser.Parse(text, True)
        refused = False
    except expat.ExpatError:
        refused = True
    assert bool(read(text).problems) == refused


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE r [<!ENTITY m "1.5">]>',
        '<!DOCTYPE r [<!ENTITY m SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ENTITY % m SYSTEM "http://localhost/x"> %m;]>',
        '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>',
        '<!-- the declaration\nfollows --><?xml version="1.0"?><!DOCTYPE r [<!ENTITY m "1">]>',
        '<!ENTITY m "1">',
    ],
)
def test_entity_declarations_are_refused_with_their_place(declaration):
    text = f'{declaration}<r a="&m;"/>'
    with pytest.raises(DocumentError, match="entity declarations are refused") as caught:
        read(text)
    before = text[: text.index("<!ENTITY")]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_plain_doctype_is_fine_and_an_external_one_is_never_fetched():
    assert read("<!DOCTYPE r><r/>").problems == ()
    assert read('<!DOCTYPE r SYSTEM "http://localhost:1/r.dtd"><r/>').problems == ()
    assert read("<!DOCTYPE r [<!ELEMENT r ANY>]><r/>").problems == ()
    document = read('<!DOCTYPE r SYSTEM "r.dtd"><!-- & --><r a="1&m;2"/>')
    assert document.root.attributes == {"a": "1&m;2"}
    assert "`&` begins no reference" in only(document).message
    document = read('<!DOCTYPE r [<!ATTLIST r a CDATA "1">]><r/>')
    assert document.root.attributes == {}


@pytest.mark.parametrize("middle", ["", "&"])
def test_elements_nest_up_to_the_limit(middle):
    def nest(depth):
        return read("<r>" + "<a>" * (depth - 1) + middle + "</a>" * (depth - 1) + "</r>")

    element, found = nest(DEEPEST).root, 1
    while element.children:
        (element,) = element.children
        found += 1
    assert found == DEEPEST
    for depth in (DEEPEST + 1, 20_000):
        with pytest.raises(DocumentError, match="nested too deep"):
            nest(depth)


@pytest.mark.parametrize(
    "text",
    [
        "<r>" + "<!-- " * 200_000,
        "<!DOCTYPE r [" * 200_000 + "<r/>",
        "<r>" + "<!DOCTYPE r [" * 200_000 + "</r>",
        "<r " + "a" * 2_000_000,
        "<r" + " " * 2_000_000,
        "<" * 500_000,
        '<r a="' + "&" * 500_000 + '"/>',
        "<r>" + "\x01" * 500_000 + "</r>",
        "<r>" + "]]>" * 500_000 + "</r>",
        "<r a='" + "&#0" * 500_000 + "'/>",
        '<r a="x:y" xmlns:' + "a" * 500_000 + ":" * 500_000 + '="u"/>',
        "<r><a:b>" + "</>" * 200_000,
    ],
)
def test_hostile_documents_end(text):
    try:
        said = [problem.message for problem in read(text).problems]
    except DocumentError as error:
        said = [str(error)]
    assert 0 < len(said) <= 20
    assert all(len(message) < 500 for message in said)
