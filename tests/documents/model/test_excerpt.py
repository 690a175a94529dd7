"""What is shown of a document around a span: the marked text is the span's, wherever it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.checking.report import extract_excerpt
from inertial_check.documents.source import Source, Span

ENCODINGS = ["utf-8", "utf-16-le", "utf-16-be", "latin-1"]


def shown(text, marked, encoding="utf-8", bom=b"", line=1):
    start = len(bom) + len(text[: text.index(marked)].encode(encoding))
    span = Span(start, start + len(marked.encode(encoding)))
    return extract_excerpt(Source("a", bom + text.encode(encoding), encoding, bom), span, line)


def marks(excerpt):
    return [line.text[line.start : line.end] for line in excerpt.lines]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_one_line(encoding, end):
    text = end.join(["<a>", '\t<b c="1.5" d="2"/>', "</a>"])
    found = shown(text, "1.5", encoding, line=2)
    assert found.lines[0]._asdict() == {
        "number": 2, "text": '\t<b c="1.5" d="2"/>', "start": 7, "end": 10
    }  # fmt: skip
    assert not found.more


def test_a_byte_order_mark_is_no_text():
    found = shown("<a/>", "a", "utf-16-le", b"\xff\xfe")
    assert found.lines[0].text == "<a/>"


def test_a_few_lines_are_shown_each_marked_from_its_first_letter():
    found = shown(
        "<r>\n  <b c='1'\n     d='2'\n     e='3'/>\n</r>", "<b c='1'\n     d='2'\n     e='3'/>"
    )
    assert [line.number for line in found.lines] == [1, 2, 3]
    assert marks(found) == ["<b c='1'", "d='2'", "e='3'/>"]
    assert not found.more


def test_of_much_text_a_part_is_shown():
    text = "<b>\n" + "x\n" * 50 + "</b>"
    found = extract_excerpt(Source("a", text.encode()), Span(0, len(text)), 7)
    assert marks(found) == ["<b>"]
    assert found.more
    text = "<a>" * 100_000 + "1.5" + "<b/>" * 100_000
    found = shown(text, "1.5")
    line = found.lines[0]
    assert marks(found) == ["1.5"]
    assert line.text.startswith("...")
    assert line.text.endswith("...")
    assert len(line.text) < 120
    found = shown("ab" + "x" * 5000 + "cd", "x" * 5000)
    assert marks(found)[0] == "x" * len(marks(found)[0])
    assert found.lines[0].text.startswith("abx")
    assert found.lines[0].text.endswith("x...")


def test_an_empty_span_marks_nothing_and_binary_data_has_no_excerpt():
    assert extract_excerpt(Source("a", b"<a/>"), Span(3, 3), 1).lines[0]._asdict() == {
        "number": 1, "text": "<a/>", "start": 3, "end": 3
    }  # fmt: skip
    assert extract_excerpt(Source("a", b"PXR-USDC\0\0\xff\xfe\0"), Span(9, 9), 1) is None


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=400),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=400),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
)
def test_the_mark_is_the_text_of_the_span(before, marked, after, encoding):
    start = len(before.encode(encoding))
    span = Span(start, start + len(marked.encode(encoding)))
    source = Source("a", (before + marked + after).encode(encoding), encoding)
    found = extract_excerpt(source, span, 1)
    if "\ufffd" in before + marked + after:
        return
    assert found is not None
    assert marks(found) == [marked]
    assert len(found.lines[0].text) <= 120
