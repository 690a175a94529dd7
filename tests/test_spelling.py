import time

import pytest

from inertial_check.documents.spelling import MOST_NAMES, find_similar_names, suggest_name


@pytest.mark.parametrize(
    ("name", "meant"),
    [("forarm", "forearm"), ("FOREARM", "forearm"), ("fore_arm", "fore-arm"), ("ic310", "IC301")],
)
def test_the_name_that_was_meant(name, meant):
    known = ["palm", "IC710", "IC305", "IC301", "fore-arm", "forearm"]
    assert suggest_name(name, known, "; none") == f"; did you mean {meant!r}?"


def test_another_ending_where_nothing_is_similar():
    assert suggest_name("wheel", ["palm", "forearm"], ": expected others") == ": expected others"
    assert suggest_name("", [], "") == ""


def test_huge_names_and_many_names_take_no_time():
    """Each pair of 10,000 characters alone would take seconds."""
    many = [f"{'a' * 10_000}{i}" for i in range(300)] + [f"link_{i}" for i in range(10**6)]
    before = time.process_time()
    assert find_similar_names("a" * 10_001, many) == []
    assert find_similar_names("lnik_7", many, most=2)[0] == "link_7"
    assert time.process_time() - before < 2 + MOST_NAMES * 1e-3
