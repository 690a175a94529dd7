"""Numbers in attributes, with their places."""

import pytest

from inertial_check.documents.xml.document import TextReader, parse


@pytest.mark.parametrize("start", ["", "<!-- \u00e9 -->\n"])
@pytest.mark.parametrize(
    ("values", "texts", "problems"),
    [
        (("1", "2.5"), ["1", "2.5"], 0),
        (("1", " -2e3\t"), ["1", "-2e3"], 0),
        (("1", "2,5"), ["1", "2,5"], 1),
        (("1", "&#50;"), ["1", "2"], 0),
        (("1", "2&#9;3"), ["1", "2\t3"], 1),
        (("1", ""), ["1", ""], 1),
        (("inf", "1e-400"), ["inf", "1e-400"], 1),
        (("1", f"{' ' * 200}7"), ["1", "7"], 0),
    ],
)
def test_numbers_in_attributes_know_their_places(start, values, texts, problems):
    text = f"{start}<r><m  a = '{values[0]}'\n b=\"{values[1]}\" /></r>"
    document = parse("x", text.encode())
    reader = TextReader(document, "r")
    found = reader._read_attributes(document.root.children[0], ("a", "b"))
    assert [found[name].text for name in ("a", "b")] == texts
    assert len(reader.problems) == problems
    for number, value in zip(found.values(), values, strict=True):
        assert document.source.text(number.span) == value.strip()
