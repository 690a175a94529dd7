import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.source import Edit, Place, Source, Span


def places(text):
    """(line, column) of every character and of the end, counted one by one."""
    line, column, found = 1, 1, []
    for at, character in enumerate(text):
        found.append((line, column))
        column += 1
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 1
    return [*found, (line, column)]


ENCODINGS = [
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-16-le", b""),
]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "ascii"])
def test_places_in_single_byte_encodings(encoding):
    text = "ab\r\nc\rd\n" + ("" if encoding == "ascii" else "\u00e9") + "f"
    source = Source("x", text.encode(encoding), encoding)
    assert [source.line_column(at) for at in range(len(text) + 1)] == places(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_places_in_documents_of_many_blocks(encoding, end):
    # Lines of all lengths around a block, so that blocks begin inside lines and at their ends.
    text = end.join("x" * length for length in (0, 511, 512, 513, 0, 5, 1500, *range(40), 0))
    source = Source("x", text.encode(encoding), encoding)
    width = len("x".encode(encoding))
    found = [source.line_column(width * at) for at in range(len(text) + 1)]
    assert found == places(text)
    assert [source.line(width * at) for at in range(len(text) + 1)] == [each[0] for each in found]
    spans = [(0, 511), (500, 530), (511, 513), (2000, 2500), (len(text), len(text))]
    for start, stop in spans:
        place = Place(*places(text)[start], *places(text)[stop])
        assert source.place(Span(width * start, width * stop)) == place


@given(
    st.text("a\u00e9\u4e2d\U0001f916\r\n\u0a0d\u0d0a\u0100\u000a", max_size=30),
    st.sampled_from(ENCODINGS[:5]),
)
def test_places_of_any_text(text, how):
    encoding, bom = how
    source = Source("x", bom + text.encode(encoding), encoding, bom)
    offsets = [len(bom) + len(text[:at].encode(encoding)) for at in range(len(text) + 1)]
    assert [source.line_column(offset) for offset in offsets] == places(text)


@pytest.mark.parametrize(("encoding", "bom"), [*ENCODINGS, ("latin-1", b"")])
def test_columns_on_a_line_longer_than_a_block(encoding, bom):
    piece = "x" * 7 + ("\u00e9" if encoding == "latin-1" else "\u00e9\U0001f916\u4e2d")
    text = "first\n" + piece * 3000
    source = Source("x", bom + text.encode(encoding), encoding, bom)
    for at in (6, 4096, 4097, 12_345, len(text)):
        offset = len(bom) + len(text[:at].encode(encoding))
        assert source.line_column(offset) == (2, at - 5)


def test_offsets_outside_of_the_document_are_its_ends():
    source = Source("x", b"ab\nc")
    assert source.line_column(-5) == (1, 1)
    assert source.line_column(99) == (2, 2)


@pytest.mark.parametrize("text", ["", "ab\r\nc\rd\n\n", "ab\ncd"])
def test_a_place_is_that_of_its_ends(text):
    source = Source("x", text.encode())
    for start in range(len(text) + 2):
        for end in range(start, len(text) + 2):
            ends = source.line_column(start), source.line_column(end)
            assert source.place(Span(start, end)) == Place(*ends[0], *ends[1])
            assert source.line(start) == ends[0][0]


def test_edits_touch_their_spans_only_and_do_not_overlap():
    source = Source("x", b"\xef\xbb\xbfa=1\r\nb=22", "utf-8", codecs.BOM_UTF8)
    edits = [Edit(Span(10, 12), "3"), Edit(Span(5, 6), "0.10")]
    assert source.apply_edits(edits) == b"\xef\xbb\xbfa=0.10\r\nb=3"
    source = Source("x", codecs.BOM_UTF16_LE + "a=1".encode("utf-16-le"), "utf-16-le", b"\xff\xfe")
    assert source.apply_edits([Edit(Span(6, 8), "25")]).decode("utf-16") == "a=25"
    source = Source("x", b"12345")
    with pytest.raises(ValueError, match="overlap at byte 2"):
        source.apply_edits([Edit(Span(1, 3), "a"), Edit(Span(2, 4), "b")])
