"""The figures of `benchmarks/house.py`, and the budgets that docs/architecture.md states."""

import shutil
import sys
from pathlib import Path

import house
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = """
| room | one sentence | budget |
|---|---|---|
| `core/` | numbers | {core} |
| `doors/` | commands | 1.5k |

| figure | now | budget |
|---|---|---|
| mean body | 3 | at least {mean} |
| files | 4 | at most {files} |
"""
CORE = '''"""Numbers."""

from dataclasses import dataclass


# a comment
@dataclass(frozen=True)
class Pair:
    """Two numbers."""

    one: int
    other: int

    def _double(self):
        return 2 * self.one

    def total(self):
        """Add them."""
        # before the first statement
        doubled = self._double()

        # four lines
        return doubled + self.other


def _helper(x):
    return x


def given(x):
    return _helper(x) + _helper(-x)
'''


@pytest.fixture
def checkout(tmp_path):
    """A package of two rooms, without a fault."""
    package = tmp_path / house.PACKAGE
    for path, text in {
        "__init__.py": "",
        "core/__init__.py": "from inertial_check.core.numbers import given",
        "core/numbers.py": CORE,
        "doors/__init__.py": "from inertial_check.core import given\n\nx = given(1)\n",
    }.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text)
    write_budgets(tmp_path)
    return tmp_path


def write_budgets(root, core=100, mean=2, files=4):
    (root / "docs").mkdir(exist_ok=True)
    text = BUDGETS.format(core=core, mean=mean, files=files)
    (root / "docs" / "architecture.md").write_text(text)


def find_faults(root):
    read = house.House(root)
    return house.check(read, {name: house.measure(name, read) for name in house.FIGURES})


def test_lines_of_code_leave_out_docstrings_comments_and_blanks(checkout):
    assert house.House(checkout).code["inertial_check/core/numbers.py"] == 14


def test_functions_are_measured_from_the_first_statement_to_the_last(checkout):
    read = house.House(checkout)
    assert [(one.node.name, one.lines, one.statements) for one in read.functions] == [
        ("_double", 1, 1), ("total", 4, 3), ("_helper", 1, 1), ("given", 1, 1)
    ]  # fmt: skip
    assert house.measure("mean body", read) == 1.75
    assert house.measure("short", read) == 75.0


def test_functions_with_one_caller_that_no_room_gives_out(checkout):
    places = house.one_caller(house.House(checkout))
    assert [place.text for place in places] == [
        "Pair._double: named by inertial_check.core.numbers:Pair.total",
        "_helper: named by inertial_check.core.numbers:given",
    ]


def test_budgets_that_are_kept(checkout):
    assert house.read_budgets(checkout) == {
        "core": ("most", 100), "doors": ("most", 1500), "mean body": ("least", 2),
        "files": ("most", 4),
    }  # fmt: skip
    write_budgets(checkout, mean=1.7)
    assert find_faults(checkout) == []


@pytest.mark.parametrize(
    ("budget", "fault"),
    [
        ({"core": 14}, "core: 15, at most 14"),
        ({"mean": 1.8}, "mean body: 1.75, at least 1.8"),
        ({"files": 3}, "files: 4, at most 3"),
    ],
)
def test_a_budget_that_is_passed_fails(checkout, budget, fault):
    write_budgets(checkout, **{"mean": 1.7} | budget)
    assert find_faults(checkout) == [fault]


def test_a_room_without_a_budget_fails(checkout):
    (checkout / "inertial_check" / "doors").rename(checkout / "inertial_check" / "attic")
    assert "attic: a room without a budget" in find_faults(checkout)


@pytest.mark.parametrize(
    ("line", "circle"),
    [
        ("def f():\n    from inertial_check.doors import x\n", True),
        ("import importlib\nimportlib.import_module('inertial_check.doors')\n", True),
        ("if TYPE_CHECKING:\n    from inertial_check.doors import x\n", False),
    ],
)
def test_lazy_imports_make_circles(checkout, line, circle):
    path = checkout / "inertial_check" / "core" / "numbers.py"
    path.write_text(f"{CORE}\n{line}")
    assert bool(house.circles(house.House(checkout))) == circle


def test_a_class_made_otherwise_is_a_system_of_its_own(checkout):
    path = checkout / "inertial_check" / "core" / "numbers.py"
    path.write_text(f"{CORE}\nclass Home(Pair, metaclass=Made):\n    pass\n")
    assert [place.text for place in house.class_systems(house.House(checkout))] == [
        "dataclass", "metaclass Made"
    ]  # fmt: skip


def test_files_in_which_a_function_runs_after_import(checkout, monkeypatch):
    main = "from inertial_check.core import given\ngiven(3)\n"
    (checkout / "inertial_check" / "__main__.py").write_text(main)
    places = house.trace(house.House(checkout), "files of check")
    assert [place.file for place in places] == ["inertial_check/core/numbers.py"]


def test_the_exit_code_says_whether_budgets_are_kept(checkout, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["house.py", "--check", str(checkout)])
    assert house.main() == 1
    assert "mean body: 1.75, at least 2" in capsys.readouterr().out
    write_budgets(checkout, mean=1.5)
    assert house.main() == 0
    shutil.rmtree(checkout / "docs")
    monkeypatch.setattr(sys, "argv", ["house.py", "--list", "short", str(checkout)])
    assert house.main() == 0
    assert capsys.readouterr().out.count("inertial_check/core/numbers.py:") == 3


@pytest.fixture(scope="module")
def sources():
    return house.read_sources(ROOT)


def test_every_tolerance_is_in_its_home(sources):
    assert house.list_tolerances(sources) == []


def test_every_place_of_another_number_has_one(sources):
    held = {(s.path, name) for s in sources for name, _ in house.small_numbers(s.tree)}
    assert house.list_other_numbers() - held == set()
    kept = [file for files in house.OTHER_NUMBERS.values() for file in files]
    assert len(set(kept)) == len(kept)


def test_a_new_number_in_a_listed_file_counts(sources):
    """The list names constants and functions, not whole files."""
    listed = {path for path, _ in house.list_other_numbers()}
    one = next(source for source in sources if source.path in listed)
    text = f"{one.text}\n\ndef _near_by(x: float) -> bool:\n    return x < 1e-7\n"
    tree = house.ast.parse(text)
    changed = house.Source(one.path, one.module, text, tree, tuple(house.ast.walk(tree)))
    assert [place.text for place in house.list_tolerances([changed])] == ["return x < 1e-7"]
