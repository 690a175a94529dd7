"""Small numbers of the package stand where docs/tolerances.md says that they do."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import house

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sources():
    return house.read_sources(ROOT)


def test_every_tolerance_is_in_its_home(sources):
    assert house.tolerances(sources) == []


def test_every_place_of_another_number_has_one(sources):
    held = {(s.path, name) for s in sources for name, _ in house.small_numbers(s.tree)}
    assert house.other_numbers() - held == set()
    kept = [file for files in house.OTHER_NUMBERS.values() for file in files]
    assert len(set(kept)) == len(kept)


def test_a_new_number_in_a_listed_file_counts(sources):
    """The list names constants and functions, not whole files."""
    (units,) = [source for source in sources if source.path.endswith("causes/units.py")]
    text = f"{units.text}\n\ndef _near(x: float) -> bool:\n    return x < 1e-7\n"
    tree = house.ast.parse(text)
    changed = house.Source(units.path, units.module, text, tree, tuple(house.ast.walk(tree)))
    assert [place.text for place in house.tolerances([changed])] == ["return x < 1e-7"]
