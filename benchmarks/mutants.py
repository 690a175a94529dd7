"""Whether the tests would notice: small random faults in the package, and who finds them.

    python benchmarks/mutants.py [--room ROOM ...] [--count N] [--seed TEXT] [--jobs N]

Each mutant is one change at one line, drawn evenly from the lines of code that an operator can
change: comparison (== to !=, < to >), boundary (< to <=), arithmetic (+ to -, * to /, a sign),
constant (a number or True), boolean (and to or, not), return (of None) and removed (a statement).
It is killed where a test of its room's folder in tests/ fails within --seconds; the tests nearest
to the file come first: those that are named like it, then by the number of imports between. A test
that fails without the mutant as well is left out. What takes too long has survived. Mutants run in
copies of the tree; a run is repeated by its seed. The table and the survivors go to standard
output, with the change of each.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from house import PACKAGE, Source, find_imports, is_text, read_sources

HERE = Path(__file__).resolve().parents[1]
COMPARISONS = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", ">"), ast.Gt: (">", "<"),
    ast.LtE: ("<=", ">="), ast.GtE: (">=", "<="), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
BOUNDARIES = {
    ast.Lt: ("<", "<="), ast.Gt: (">", ">="), ast.LtE: ("<=", "<"), ast.GtE: (">=", ">")
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
REMOVABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Continue, ast.Break, ast.Delete)
OPERATORS = (
    "comparison", "boundary", "arithmetic", "constant", "boolean", "return", "removed"
)  # fmt: skip
SKIPPED = ("--color=no", "-p", "no:cacheprovider", "-p", "no:randomly", "-q", "-x", "--tb=no")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+\.py(?:::.*?)?)(?: - .*)?$", re.MULTILINE)


class Mutant(NamedTuple):
    """One change of one file: bytes from `start` to `end` become `new`."""

    source: Source
    line: int
    operator: str
    start: int
    end: int
    new: str

    @property
    def text(self) -> str:
        """The file with the change."""
        raw = self.source.text.encode()
        return (raw[: self.start] + self.new.encode() + raw[self.end :]).decode()

    @property
    def difference(self) -> str:
        """The change as a diff without context."""
        lines = [text.splitlines() for text in (self.source.text, self.text)]
        diff = list(difflib.unified_diff(*lines, self.source.path, self.source.path, "", "", 0, ""))
        return "\n".join(diff[2:])


@dataclass
class Outcome:
    """What became of one mutant."""

    mutant: Mutant
    killer: str
    """The test that failed, or an empty text."""
    reason: str
    """Why it survived: no test failed, or the time was over."""
    seconds: float


@dataclass
class Copy:
    """Copy of the tree in which mutants run, one after the other."""

    root: Path
    changes: int = 0
    broken: dict[str, bool] = field(default_factory=dict)
    """Whether a test fails without a mutant, by its name."""

    def write(self, path: str, text: str) -> None:
        """Write a file with a time of its own, so that no old bytecode is taken for it."""
        self.changes += 1
        (self.root / path).write_bytes(text.encode())
        os.utime(self.root / path, (1e9 + self.changes, 1e9 + self.changes))


# Mutants of a file.


@dataclass(frozen=True)
class Text:
    """Bytes of a file, with the position of each of its lines."""

    source: Source
    raw: bytes
    starts: list[int]

    def begin(self, node: ast.expr | ast.stmt) -> int:
        """Find the byte at which a node begins."""
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Find the byte behind a node."""
        return self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def read(self, node: ast.expr | ast.stmt) -> str:
        """Read the text of a node."""
        return self.raw[self.begin(node) : self.end(node)].decode()

    def replace(self, kind: str, node: ast.expr | ast.stmt, new: str) -> Mutant:
        """Put another text in the place of a node."""
        return Mutant(self.source, node.lineno, kind, self.begin(node), self.end(node), new)

    def exchange(
        self, kind: str, one: ast.expr, other: ast.expr, change: tuple[str, str]
    ) -> Mutant:
        """Put another operator between two nodes."""
        gap = self.raw[self.end(one) : self.begin(other)].decode()
        word = re.escape(change[0]).replace("\\ ", r"\s+")
        found = re.search(rf"\b{word}\b" if change[0][0].isalpha() else word, gap)
        assert found is not None, (self.source.path, one.lineno, change)
        at = self.end(one) + len(gap[: found.start()].encode())
        line = self.raw[:at].count(b"\n") + 1
        return Mutant(self.source, line, kind, at, at + len(found[0].encode()), change[1])


def find_changes(source: Source) -> Iterator[Mutant]:
    """Yield the changes of a file.

    Docstrings, annotations, decorators, imports and blocks for the type checker have none, nor
    have f-strings, whose parts have no true positions before Python 3.12.
    """
    raw = source.text.encode()
    starts = [0]
    for line in raw.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    text = Text(source, raw, starts)

    def visit(node: ast.AST, in_function: bool) -> Iterator[Mutant]:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr) or is_text(node):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        yield from change_operators(node, text)
        yield from change_values(node, text)
        if in_function and isinstance(node, REMOVABLE):
            yield text.replace("removed", node, "pass")
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns", "decorator_list", "type_params"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from visit(child, in_function or function)

    yield from visit(source.tree, False)


def change_operators(node: ast.AST, text: Text) -> Iterator[Mutant]:
    """Yield the changes of the operators between the parts of a node."""
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            for one, operator, other in zip(sides, node.ops, sides[1:], strict=False):
                yield text.exchange("comparison", one, other, COMPARISONS[type(operator)])
                if type(operator) in BOUNDARIES:
                    yield text.exchange("boundary", one, other, BOUNDARIES[type(operator)])
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield text.exchange("arithmetic", node.left, node.right, ARITHMETIC[type(node.op)])
        case ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield text.exchange("arithmetic", node.target, node.value, ARITHMETIC[type(node.op)])
        case ast.BoolOp():
            change = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            for one, other in pairwise(node.values):
                yield text.exchange("boolean", one, other, change)


def change_values(node: ast.AST, text: Text) -> Iterator[Mutant]:
    """Yield the changes of a sign, a negation, a constant or what is returned."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            yield text.replace("arithmetic", node, f"({text.read(node.operand)})")
        case ast.UnaryOp(op=ast.Not()):
            yield text.replace("boolean", node, f"bool({text.read(node.operand)})")
        case ast.Constant(value=bool() as value):
            yield text.replace("constant", node, str(not value))
        case ast.Constant(value=int() | float() as number):
            new = number + 1 if isinstance(number, int) else number * 2 or 1.0
            yield text.replace("constant", node, repr(new))
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield text.replace("return", node, "return None")


def is_valid(one: Mutant) -> bool:
    """Say whether a change compiles and says something else than before."""
    try:
        tree = ast.parse(one.text)
    except SyntaxError:
        return False
    return ast.dump(tree) != ast.dump(one.source.tree)


def draw(sources: list[Source], count: int, seed: str) -> list[Mutant]:
    """Draw mutants: lines evenly and without repetition, and of each line any of its changes."""
    lines: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for source in sources:
        for one in find_changes(source):
            lines[source.path, one.line].append(one)
    chance = random.Random(seed)
    order = sorted(lines)
    chance.shuffle(order)
    chosen: list[Mutant] = []
    for key in order:
        if len(chosen) == count:
            break
        changes = lines[key]
        chance.shuffle(changes)
        chosen += [one for one in changes if is_valid(one)][:1]
    return chosen


# Tests of a mutant.


def order_tests(root: Path, sources: list[Source], mutated: Source) -> list[str]:
    """List the test files of the room of a file, those nearest to it first.

    Near are tests that are named like the file, then those from whose imports few imports lead to
    it; the smaller of two files that are as near comes first.
    """
    folder = root / "tests" / mutated.room
    files = sorted(folder.rglob("test_*.py") if mutated.room else folder.glob("test_*.py"))
    modules = {source.module for source in sources}
    importers: dict[str, set[str]] = defaultdict(set)
    for one in find_imports(sources):
        importers[one.target].add(one.source.module)
    distance = {mutated.module: 0}
    todo = [mutated.module]
    for module in todo:
        new = importers[module] - distance.keys()
        distance.update(dict.fromkeys(new, distance[module] + 1))
        todo.extend(sorted(new))
    words = {part.strip("_") for part in mutated.module.split(".")[2:]}

    def rank(file: Path) -> tuple[bool, int, int, str]:
        text = file.read_text(encoding="utf-8")
        named = set(re.findall(rf"{PACKAGE}[\w.]*", text)) & modules
        for module, names in re.findall(rf"from ({PACKAGE}[\w.]*) import \(?([^)\n]*)", text):
            named |= {f"{module}.{name}" for name in re.findall(r"\w+", names)} & modules
        far = min((distance.get(module, 99) for module in named), default=99)
        mirror = file.stem.removeprefix("test_") in words
        return not mirror, far, len(text), str(file)

    return [file.relative_to(root).as_posix() for file in sorted(files, key=rank)]


def run_tests(copy: Copy, tests: list[str], skipped: set[str], limit: float) -> tuple[str, str]:
    """Run tests until one fails.

    Args:
        copy: The tree that they run in.
        tests: Files or names of tests, in their order.
        skipped: Names of tests that fail without a mutant.
        limit: Largest time [s].

    Returns:
        The name of the test that failed, or an empty text and why there is none.
    """
    command = [sys.executable, "-m", "pytest", *SKIPPED, "-rfE"]
    command += [part for name in sorted(skipped) for part in ("--deselect", name)]
    environment = os.environ | {"PYTHONPATH": str(copy.root), "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        [*command, *tests], cwd=copy.root, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "", "time-out"
    if process.returncode in (0, 5):
        return "", "no test failed"
    found = FAILED.search(out)
    return (found[1] if found else f"pytest: {out.strip()[-200:]}"), ""


def judge(copy: Copy, one: Mutant, tests: list[str], limit: float) -> Outcome:
    """Run the tests of one mutant; a test that fails without it as well does not count."""
    start = time.monotonic()
    skipped = {name for name, broken in copy.broken.items() if broken}
    while True:
        copy.write(one.source.path, one.text)
        left = limit - (time.monotonic() - start)
        killer, reason = run_tests(copy, tests, skipped, left) if left > 0 else ("", "time-out")
        copy.write(one.source.path, one.source.text)
        if killer and killer not in copy.broken:
            again = tests[0] if killer.startswith("pytest: ") else killer
            fault = run_tests(copy, [again], set(), limit)[0]
            if fault.startswith("pytest: "):
                sys.exit(f"tests do not run without a mutant: {fault}")
            copy.broken[killer] = bool(fault) and again == killer
        if not copy.broken.get(killer, False):
            return Outcome(one, killer, reason, time.monotonic() - start)
        skipped.add(killer)


def run(
    root: Path, sources: list[Source], mutants: list[Mutant], jobs: int, limit: float
) -> list[Outcome]:
    """Judge mutants, `jobs` at once, each in a copy of the tree of its own."""
    copies: SimpleQueue[Copy] = SimpleQueue()
    folder = Path(tempfile.mkdtemp(prefix="mutants-"))
    for number in range(jobs):
        place = folder / str(number)
        ignored = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "_build")
        shutil.copytree(root, place, symlinks=True, ignore=ignored)
        copies.put(Copy(place))

    def work(one: Mutant) -> Outcome:
        copy = copies.get()
        try:
            tests = order_tests(root, sources, one.source)
            outcome = judge(copy, one, tests, limit) if tests else Outcome(one, "", "no tests", 0)
        finally:
            copies.put(copy)
        print(
            f"{one.source.path}:{one.line} {one.operator}: "
            f"{'killed by ' + outcome.killer if outcome.killer else outcome.reason} "
            f"({outcome.seconds:.0f} s)", file=sys.stderr, flush=True,
        )  # fmt: skip
        return outcome

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(work, mutants))
    finally:
        shutil.rmtree(folder)


def report(outcomes: list[Outcome]) -> None:
    """Print the table by room and operator, and the survivors."""
    print("| | mutants | killed | % |\n|---|---:|---:|---:|")
    rooms = sorted({one.mutant.source.room for one in outcomes})
    groups: list[tuple[str, Callable[[Mutant], bool]]] = [
        (room or "(top level)", lambda m, r=room: m.source.room == r)  # type: ignore[misc]
        for room in rooms
    ]
    groups += [(name, lambda m, o=name: m.operator == o) for name in OPERATORS]  # type: ignore[misc]
    for name, belongs in [*groups, ("all", lambda m: True)]:
        part = [one for one in outcomes if belongs(one.mutant)]
        killed = sum(bool(one.killer) for one in part)
        if part:
            print(f"| {name} | {len(part)} | {killed} | {100 * killed / len(part):.0f} |")
    reasons = Counter(one.reason for one in outcomes if not one.killer)
    print("\nSurvived:", ", ".join(f"{n} {reason}" for reason, n in reasons.items()) or "none")
    for one in outcomes:
        if not one.killer:
            where = f"{one.mutant.source.path}:{one.mutant.line}"
            print(f"\n{where} {one.mutant.operator} ({one.reason})\n{one.mutant.difference}")


def main() -> int:
    """Read the command line, run the mutants and print what became of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--room", action="append", help="only of this room (repeatable)")
    parser.add_argument("--count", type=int, default=20, help="number of mutants (default: 20)")
    parser.add_argument("--seed", default="0", help="any text (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at once (default: 1)")
    parser.add_argument("--seconds", type=float, default=120, help="a mutant (default: 120)")
    parser.add_argument("--checkout", type=Path, default=HERE)
    args = parser.parse_args()
    root = args.checkout.resolve()
    sources = read_sources(root)
    rooms = {source.room for source in sources}
    if unknown := set(args.room or ()) - rooms:
        parser.error(f"no room {sorted(unknown)[0]}; there are {', '.join(sorted(rooms))}")
    mutants = draw(
        [source for source in sources if args.room is None or source.room in args.room],
        args.count,
        args.seed,
    )
    report(run(root, sources, mutants, args.jobs, args.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
