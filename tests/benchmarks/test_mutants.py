"""`benchmarks/mutants.py` makes small faults, and says which of them tests notice."""

import ast
import sys

import mutants
import pytest
from house import Source, read_sources

CODE = '''"""Signs."""

from __future__ import annotations

LIMIT = 3


def sign(x: float, way: int = 1) -> float:
    """Say 1, 0 or -1."""
    if x == 0 and way is not None:
        return 0
    if x < 0 or way > LIMIT:
        total = -x / abs(x)
        total += 1
        return total * way
    return 1.0
'''
TEST = """
from inertial_check.core.signs import sign


def test_broken_before():
    assert False


def test_sign():
    assert (sign(-2.0), sign(0), sign(2)) == (2, 0, 1)
"""


def parse(text, path="inertial_check/core/signs.py"):
    tree = ast.parse(text)
    module = path.removesuffix(".py").replace("/", ".")
    return Source(path, module, text, tree, tuple(ast.walk(tree)))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A package of one room with a test that kills some mutants, and one that always fails."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the package's own is not there
    for path, text in {
        "inertial_check/__init__.py": "",
        "inertial_check/core/__init__.py": "",
        "inertial_check/core/signs.py": CODE,
        "tests/core/test_signs.py": TEST,
        "tests/core/test_a.py": "def test_nothing():\n    pass\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['--import-mode=importlib']\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("operator", "change"),
    [
        ("comparison", ("if x == 0 and way", "if x != 0 and way")),
        ("comparison", ("way is not None", "way is None")),
        ("comparison", ("if x < 0", "if x > 0")),
        ("boundary", ("if x < 0", "if x <= 0")),
        ("boundary", ("way > LIMIT", "way >= LIMIT")),
        ("arithmetic", ("-x / abs(x)", "(x) / abs(x)")),
        ("arithmetic", ("-x / abs(x)", "-x * abs(x)")),
        ("arithmetic", ("total += 1", "total -= 1")),
        ("constant", ("LIMIT = 3", "LIMIT = 4")),
        ("constant", ("way: int = 1", "way: int = 2")),
        ("constant", ("return 1.0", "return 2.0")),
        ("boolean", ("x == 0 and way", "x == 0 or way")),
        ("boolean", ("x < 0 or way", "x < 0 and way")),
        ("return", ("return total * way", "return None")),
        ("removed", ("total = -x / abs(x)", "pass")),
    ],
)
def test_each_operator_changes_one_thing(operator, change):
    texts = {one.text for one in mutants.find_changes(parse(CODE)) if one.operator == operator}
    assert CODE.replace(*change) in texts


def test_annotations_imports_and_docstrings_have_no_mutants():
    source = parse(CODE)
    lines = {one.line for one in mutants.find_changes(source)}
    assert lines == set(range(5, 17)) - {6, 7, 9}
    texts = [one.text for one in mutants.find_changes(source)]
    assert all(ast.parse(text) for text in texts)
    assert len(texts) == len(set(texts))


def test_bytes_before_a_change_do_not_move_it():
    source = parse('x = "größer", 1 < 2\n')
    assert 'x = "größer", 1 <= 2\n' in {one.text for one in mutants.find_changes(source)}


def test_draws_repeat_by_their_seed_and_take_a_line_once():
    source = parse(CODE)
    one, same, other = (mutants.draw([source], 5, seed) for seed in ("a", "a", "b"))
    assert one == same != other
    assert len({mutant.line for mutant in one}) == 5
    assert len(mutants.draw([source], 99, "a")) == 9
    assert all(mutants.is_valid(mutant) for mutant in one)


def test_the_nearest_tests_come_first(checkout):
    sources = read_sources(checkout)
    signs = next(source for source in sources if source.module.endswith("signs"))
    assert mutants.order_tests(checkout, sources, signs) == [
        "tests/core/test_signs.py", "tests/core/test_a.py"
    ]  # fmt: skip
    (checkout / "tests/core/test_signs.py").rename(checkout / "tests/core/test_z.py")
    assert mutants.order_tests(checkout, sources, signs)[0] == "tests/core/test_z.py"


def test_what_tests_notice_is_killed_and_the_tree_stays(checkout, capsys):
    sources = read_sources(checkout)
    by_line = {
        line: [one for one in mutants.find_changes(sources[-1]) if one.line == line]
        for line in (12, 16)
    }
    killed, survives = by_line[16][0], next(m for m in by_line[12] if m.operator == "boundary")
    outcomes = mutants.run(checkout, sources, [killed, survives], 1, 60)
    assert [one.killer for one in outcomes] == ["tests/core/test_signs.py::test_sign", ""]
    assert outcomes[1].reason == "no test failed"
    mutants.report(outcomes)
    out = capsys.readouterr().out
    assert "| all | 2 | 1 | 50 |" in out
    assert "-    if x < 0 or way > LIMIT:\n+    if x <= 0 or way > LIMIT:" in out
    assert (checkout / "inertial_check/core/signs.py").read_text() == CODE


def test_what_takes_too_long_has_survived(checkout):
    (checkout / "tests/core/test_signs.py").write_text("import time\n\ntime.sleep(60)\n")
    sources = read_sources(checkout)
    (outcome,) = mutants.run(checkout, sources, mutants.draw(sources, 1, "a"), 1, 2)
    assert (outcome.killer, outcome.reason) == ("", "time-out")


def test_an_unknown_room_is_named(checkout, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["", "--room", "attic", "--checkout", str(checkout)])
    with pytest.raises(SystemExit):
        mutants.main()
    assert "no room attic" in capsys.readouterr().err
