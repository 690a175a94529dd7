import math

import pytest

from inertial_check.formats.xml.document import parse
from inertial_check.formats.xml.reading import TextReader, parse_plain


def test_plain_numbers_know_their_places():
    assert parse_plain(" 1.5\n-2e3\tinf") == (
        (1.5, "1.5", 1, 4),
        (-2000.0, "-2e3", 5, 9),
        (math.inf, "inf", 10, 13),
    )
    assert parse_plain(" ") == ()


@pytest.mark.parametrize(
    "text",
    [
        *("1,2", "1 2;3", "1_000", "0x10", "1.5f", "\uff11", "1\u00a02", "1\x0b2", "--1"),
        *("1 2 1e-400", "${mass} 1", "0" * 200),
    ],
)
def test_numbers_with_a_complaint_or_long_ones_are_not_plain(text):
    assert parse_plain(text) is None


@pytest.mark.parametrize("start", ["", "<!-- \u00e9 -->\n"])
@pytest.mark.parametrize(
    "values",
    [
        *(
            "1 2.5",
            "'1' \" -2e3\t\"",
            "1 2,5",
            "1 &#50;",
            "1 2&#9;3",
            "1 ",
            '1 "2 3"',
            "inf 1e-400",
        ),
        f"1 {'0' * 120}1",
        f'1 "{" " * 200}7"',
    ],
)
def test_numbers_in_attributes_are_read_alike_in_one_step_and_in_many(start, values, monkeypatch):
    first, _, second = values.partition(" ")
    quoted = [each if each[:1] in ("'", '"') else f'"{each}"' for each in (first, second)]
    text = f"{start}<r><m  a = {quoted[0]}\n b={quoted[1]} /></r>"
    document = parse("x", text.encode())

    def read():
        reader = TextReader(document, "r")
        found = reader._read_attributes(document.root.children[0], ("a", "b"))
        return repr(found), reader._problems

    quick = read()
    monkeypatch.setattr(TextReader, "_read_plain", lambda self, element: None)
    assert read() == quick
