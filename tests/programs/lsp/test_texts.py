"""Places as an editor counts them, against those of reports and of Python's own codecs."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

pytest.importorskip("lsprotocol", reason='install "inertial-check[lsp]"')

from lsprotocol.types import Position, PositionEncodingKind, Range

from inertial_check.checking.report import TextReplacement
from inertial_check.documents.source import Place, Source, Span
from inertial_check.programs.lsp.documents import Text

UNITS = list(PositionEncodingKind)
SIZES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
CONTENT = st.text(st.sampled_from("aé関\U0001f9be\t\r\n<\u2028\x0c"), max_size=30)


def places(content):
    """Every place between two characters, but for that inside CRLF, which no editor has."""
    return [i for i in range(len(content) + 1) if not (i > 0 and content[i - 1 : i + 1] == "\r\n")]


@given(CONTENT, st.sampled_from(UNITS))
@example("\U0001f9be\r\nx", PositionEncodingKind.Utf16)
def test_every_place_is_found_again(content, units):
    text = Text(content, units)
    assert [text.index(text.position(i)) for i in places(content)] == places(content)


@given(CONTENT, st.sampled_from(UNITS))
def test_columns_are_the_code_units_on_the_line(content, units):
    codec, size = SIZES[units.value]
    for i in places(content):
        lines = content[:i].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        column = len(lines[-1].encode(codec)) // size
        assert Text(content, units).position(i) == Position(len(lines) - 1, column)


@given(CONTENT, st.booleans(), st.data())
def test_places_of_reports_are_found_in_the_text(content, marked, data):
    text = Text("\ufeff" * marked + content)
    first = st.sampled_from(places(content))
    start, end = sorted((data.draw(first) + marked, data.draw(first) + marked))
    source = Source("x", text.data, bom=b"\xef\xbb\xbf" if marked else b"")
    place = source.place(Span(text.byte(start), text.byte(end)))
    assert text.span(place) == (start, end)


@given(CONTENT, st.sampled_from(["ISO-8859-1", "UTF-8", "UTF-16", "GB18030", "utf-7", "nonsense"]))
def test_bytes_belong_to_characters_in_the_declared_encoding(content, encoding):
    text = Text(f'<?xml version="1.0" encoding="{encoding}"?>{content}')
    assert text.data.removeprefix(b"\xff\xfe").decode(text.encoding) == text.content
    for i in range(len(text.content) + 1):
        head = text.data[: text.byte(i)].removeprefix(b"\xff\xfe")
        assert head.decode(text.encoding) == text.content[:i]


@pytest.mark.parametrize(
    ("declared", "read"),
    [("ISO-8859-1", "iso8859-1"), ("UTF-16", "utf-16-le"), ("utf-7", "utf-8"), ("hex", "utf-8")],
)
def test_the_encoding_is_the_one_that_a_reader_takes(declared, read):
    assert Text(f'<?xml version="1.0" encoding="{declared}"?><a/>').encoding == read


def test_what_the_declared_encoding_cannot_say_is_kept():
    assert Text('<?xml version="1.0" encoding="ISO-8859-1"?><a b="関"/>').encoding == "utf-8"


@given(CONTENT, CONTENT, st.sampled_from(UNITS), st.data())
def test_a_change_replaces_its_range_and_nothing_else(content, new, units, data):
    first = st.sampled_from(places(content))
    start, end = sorted((data.draw(first), data.draw(first)))
    text = Text(content, units)
    where = Range(text.position(start), text.position(end))
    assert text.apply_change(where, new).content == content[:start] + new + content[end:]


def test_a_change_without_a_range_replaces_everything():
    assert Text("a").apply_change(None, "b").content == "b"


@pytest.mark.parametrize(
    ("position", "index"),
    [(Position(0, 99), 2), (Position(1, 99), 5), (Position(9, 0), 5), (Position(0, 1), 0)],
)
def test_places_that_are_none_become_the_nearest(position, index):
    assert Text("\U0001f9bea\nbc").index(position) == index


def test_an_empty_place_becomes_the_word_that_begins_there():
    text = Text("<robot>\n")
    assert text.range(Place(1, 2, 1, 2)) == Range(Position(0, 1), Position(0, 6))
    assert text.range(Place(1, 8, 1, 8)) == Range(Position(0, 7), Position(0, 7))
    assert text.exact_range(Place(1, 2, 1, 2)) == Range(Position(0, 1), Position(0, 1))


def test_half_a_surrogate_pair_does_no_harm():
    assert Text("a\ud83ab").data == "a\ufffdb".encode()


@given(CONTENT, CONTENT, CONTENT)
def test_replacements_are_of_places_of_the_text_before(one, between, other):
    assume(not any(each.endswith("\r") for each in (one, between)))
    content = one + between + other
    source = Source("x", content.encode())
    first, second = len(one.encode()), len((one + between).encode())
    spans = [Span(0, first), Span(second, len(source.data))]
    replacements = [
        TextReplacement(source.place(spans[0]), "X"),
        TextReplacement(source.place(spans[1]), "longer"),
    ]
    assert Text(content).apply_replacements(replacements).content == f"X{between}longer"
