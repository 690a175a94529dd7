"""Tests of the map between characters and bytes of a text."""

import random
from itertools import pairwise

import pytest

from inertial_check.documents.xml.encoding import Index


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("seed", range(5))
def test_every_character_has_the_byte_at_which_it_is_encoded(encoding, seed):
    """Blocks of the text with and without characters of several bytes take different ways."""
    choose = random.Random(seed)
    plain, marked = "a" * choose.randrange(600), "é€" * choose.randrange(1, 300)
    text = "".join(choose.choice([plain, marked, "é", "x"]) for _ in range(8)) + plain + "é"
    expect_places(text, encoding)


def test_a_last_block_may_have_as_many_bytes_as_a_whole_one_has_characters():
    expect_places("a" * 256 + "é" * 128, "utf-8")
    expect_places("é" * 56 + "a" * 144, "utf-8")


def expect_places(text, encoding):
    index = Index(text, encoding, base=3)
    ends = [3 + len(text[:at].encode(encoding)) for at in range(len(text) + 1)]
    assert [index.byte(at) for at in range(len(text) + 1)] == ends
    assert [index.char(byte) for byte in ends] == list(range(len(text) + 1))
    for at, (start, end) in enumerate(pairwise(ends)):
        assert {index.char(byte) for byte in range(start, end)} == {at}
