"""Figures about the order of the source code, for one checkout or several side by side.

    python benchmarks/house.py [CHECKOUT ...]
    python benchmarks/house.py --list FIGURE [CHECKOUT ...]   # the places behind one figure
    python benchmarks/house.py --check [CHECKOUT ...]         # fail where a budget is passed
    python benchmarks/house.py --run [CHECKOUT ...]           # also run four commands

Without a checkout, the one that holds this script is measured. All figures are about the files of
the package; tests, documents and benchmarks are not counted. A room is a folder directly below the
package. The source code is parsed; only --run executes it, in child processes.

Budgets stand in docs/architecture.md of the checkout, in the tables whose last column is `budget`:
a row with a room in its first cell has lines of code, a row with the name of a figure has `at most`
or `at least` a number. --check fails where one is passed, where files import each other in a
circle, and where a folder below the package is no room of the table.

* `code`: lines that hold a token which is neither a comment nor part of a docstring.
* `files`, `largest file`, `folder`: Python files; the most code in one; the most files in a folder.
* `rooms`: folders directly below the package.
* `circles`: groups of files that import each other; imports inside functions and imports of names
  by `importlib` count, those for the type checker only do not.
* `class systems`: kinds of classes with fields: dataclass, NamedTuple and Enum are three.
* `mean body`: mean lines of a function from its first statement to its last, without docstring.
* `statements`: functions with more than 50 statements, those of nested functions included.
* `one caller`: functions of a module, and private methods, that one function of the package names
  and that no `__init__` of a room gives out.
* `short`: share [%] of functions whose body has one to three lines.
* `assets`, `schemas`: lines of the page's files and of the JSON Schemas.
* `ignores`: comments that silence ruff or mypy.
* `any`: lines of code that use the name `Any` other than to import it.
* `tolerances`: lines with a float literal of at most 1e-3 in size, but not 0, outside
  `inertia/tolerances.py`, without the places of OTHER_NUMBERS: unit factors, numbers of the
  engines, settings of solvers and ranges of random bodies. Each place is a file and a name in it,
  so that another number in the same file counts.
* `files of check` and the like, by --run: package files in which a function runs after its import.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeGuard

PACKAGE = "inertial_check"
TOLERANCES = f"{PACKAGE}/inertia/tolerances.py"
SMALL = 1e-3
OTHER_NUMBERS: dict[str, dict[str, str]] = {
    "unit factors": {
        "checking/causes/frames.py": "ComOutside._SCALES",
        "checking/causes/amounts.py": "Units.proposals Density._TIMES",
        "fixing/converters.py": "_MASSES _LENGTHS _INERTIAS",
        "checking/evidence/readings.py": "UNITS MASSES",
        "identification/diagnosis/diagnosis.py": "UNITS",
    },
    "numbers of an engine, or derived from them": {
        "checking/engines/mujoco.py": "_RELATIVE _ABSOLUTE _BOUND _EIGENVALUE _MINIMUM",
        "checking/engines/others.py": "_PRODUCTS _UNWRITTEN _NEGLIGIBLE _EDGE "
        "_RELATIVE _ABSOLUTE _CORRECTION _FLOORS",
        "checking/engines/usd.py": "_UNIT_IN_MASS_CHECKER _UNIT_IN_RB_008 _NO_LENGTH",
        "documents/mjcf/elements.py": "_LENGTHS",
        "documents/mjcf/__init__.py": "_LEAST",
    },
    "settings tried in turn with a solver or method": {
        "identification/fit/published.py": "WEIGHTS",
        "fixing/fill/intervals.py": "_HIGHS",
        "projection/conic/solvers.py": "_TIGHT ATTEMPTS",
    },
    "ranges of random bodies": {
        "inertia/sampling.py": "THINNEST consistent inconsistent",
    },
}
"""Small numbers that are no tolerances of the package: by kind and file, the names of what holds
them (constants, attributes, functions and methods)."""
LAYOUT_TOKENS = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
ASSETS = (".js", ".css", ".html")
IGNORES = re.compile(r"#\s*(?:noqa|ruff:|type:\s*ignore|mypy:)")
ENUMS = frozenset(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))

COMMANDS = {
    "files of check": ["check", "--isolated", "--no-cache", "data/arm.urdf"],
    "files of project": [],
    "files of fill": ["fill", "--isolated", "data/fill/arm.urdf"],
    "files of identify": ["identify", "data/recordings/train.csv", "--model",
                          "data/recordings/arm.urdf"],
}  # fmt: skip
"""What --run executes: a command line, or without one `ic.project` of one row."""

TRACER = """
import io, runpy, sys, threading
package, arguments = sys.argv[1] + "/", sys.argv[2:]
files, importing = set(), threading.local()
def profile(frame, event, argument):
    name = frame.f_code.co_filename
    if not name.startswith(package) or event not in ("call", "return"):
        return
    depth = getattr(importing, "depth", 0)
    if frame.f_code.co_name == "<module>" and not name.endswith("__main__.py"):
        importing.depth = depth + (1 if event == "call" else -1)
    elif event == "call" and depth == 0 and not frame.f_code.co_name.startswith("<module"):
        files.add(name)
threading.setprofile(profile)
sys.setprofile(profile)
out, sys.stdout = sys.stdout, io.StringIO()
try:
    if arguments:
        sys.argv = ["inertial-check", *arguments]
        runpy.run_module("inertial_check", run_name="__main__", alter_sys=True)
    else:
        import numpy, inertial_check
        row = numpy.array([1, 0, 0, 0, 1, 0, 0, 1, 0, 3.0])
        inertial_check.project(row, "inertia")
except SystemExit as exit:
    if exit.code not in (0, 1, None):
        raise
finally:
    sys.setprofile(None)
    print("\\n".join(sorted(files)), file=out, flush=True)
"""

Figure = Callable[["House"], list["Place"]]


class Place(NamedTuple):
    """Position of one counted thing in the source code, with the text to show for it."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class Source:
    """Source file of the package: its path, module name, text and syntax tree with all nodes."""

    path: str
    module: str
    text: str
    tree: ast.Module
    nodes: tuple[ast.AST, ...]

    @property
    def is_package(self) -> bool:
        """Whether the file is the `__init__.py` of a folder."""
        return self.path.endswith("/__init__.py")

    @property
    def room(self) -> str:
        """The folder below the package, or an empty text at the top level."""
        parts = self.path.split("/")
        return parts[1] if len(parts) > 2 else ""


@dataclass(frozen=True)
class Function:
    """Function of the package: its file, its node and the lines of its body."""

    source: Source
    node: ast.FunctionDef | ast.AsyncFunctionDef
    scope: str
    """Classes and functions around it, joined by dots."""

    @property
    def lines(self) -> int:
        """Lines from the first statement to the last, without the docstring."""
        body = self.node.body[is_text(self.node.body[0]) :] or self.node.body
        return (body[-1].end_lineno or 0) - body[0].lineno + 1

    @property
    def statements(self) -> int:
        """Number of statements, at all depths."""
        return sum(isinstance(node, ast.stmt) for node in ast.walk(self.node)) - 1

    def place(self, text: str) -> Place:
        """Show where it is."""
        name = f"{self.scope}.{self.node.name}".lstrip(".")
        return Place(self.source.path, self.node.lineno, f"{name}: {text}")


@dataclass(frozen=True)
class House:
    """Package of one checkout, parsed."""

    root: Path

    @cached_property
    def sources(self) -> list[Source]:
        """All Python files, in the order of their paths."""
        return read_sources(self.root)

    @cached_property
    def code(self) -> dict[str, int]:
        """Lines of code of each file."""
        return {source.path: measure_file(source) for source in self.sources}

    @cached_property
    def functions(self) -> list[Function]:
        """All functions and methods, without those that are only a signature."""
        found = []

        def visit(source: Source, parent: ast.AST, scope: str) -> None:
            for node in ast.iter_child_nodes(parent):
                inner = scope
                if isinstance(node, FUNCTION | ast.ClassDef):
                    inner = f"{scope}.{node.name}".lstrip(".")
                if isinstance(node, FUNCTION) and not is_signature(node):
                    found.append(Function(source, node, scope))
                visit(source, node, inner)

        for source in self.sources:
            visit(source, source.tree, "")
        return found


def read_sources(checkout: Path) -> list[Source]:
    """Parse all Python files of the package in a checkout, in the order of their paths."""
    sources = []
    for file in sorted((checkout / PACKAGE).rglob("*.py")):
        path = file.relative_to(checkout).as_posix()
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text, path)
        sources.append(Source(path, module, text, tree, tuple(ast.walk(tree))))
    return sources


def is_text(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Say whether a statement is only a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Say whether a function has no statement: an overload, or a member of a protocol."""
    return all(
        is_text(one) or (isinstance(one, ast.Expr) and ast.unparse(one) == "...")
        for one in node.body
    )


# Size.


def measure_file(source: Source) -> int:
    """Count the lines of code of one file."""
    docstring: set[int] = set()
    for node in source.nodes:
        if is_text(node):
            docstring.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type != tokenize.COMMENT and token.type not in LAYOUT_TOKENS:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstring)


def code(house: House) -> list[Place]:
    """List the files with their lines of code, the largest first."""
    order = sorted(house.code.items(), key=lambda item: -item[1])
    return [Place(path, 1, f"{lines} lines") for path, lines in order]


def rooms(house: House) -> list[Place]:
    """List the folders below the package."""
    names = sorted({source.room for source in house.sources} - {""})
    return [Place(f"{PACKAGE}/{name}", 1, name) for name in names]


def folder(house: House) -> list[Place]:
    """List the files of the folder that has the most of them."""
    folders: dict[str, list[Place]] = defaultdict(list)
    for source in house.sources:
        folders[source.path.rpartition("/")[0]].append(Place(source.path, 1, source.module))
    return max(folders.values(), key=len)


def list_lines(house: House, suffixes: tuple[str, ...]) -> list[Place]:
    """List the lines of the files of the package with these endings of their names."""
    return [
        Place(path.relative_to(house.root).as_posix(), number, line)
        for path in sorted((house.root / PACKAGE).rglob("*"))
        if path.name.endswith(suffixes)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


# Imports between files.


class Import(NamedTuple):
    """Import of one file of the package by another."""

    source: Source
    target: str
    line: int


def find_imports(sources: list[Source]) -> list[Import]:
    """Find all imports between two files of the package, but those for the type checker only."""
    modules = {source.module for source in sources}
    found: list[Import] = []

    def visit(source: Source, parent: ast.AST) -> None:
        for node in ast.iter_child_nodes(parent):
            targets: Iterable[str] = ()
            if isinstance(node, ast.Import | ast.ImportFrom):
                targets = list_modules(source, node, modules)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                texts = (ast.literal_eval(a) for a in node.args if isinstance(a, ast.Constant))
                targets = {text for text in texts if text in modules}
            elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                continue
            line = getattr(node, "lineno", 1)
            found.extend(Import(source, target, line) for target in targets)
            visit(source, node)

    for source in sources:
        visit(source, source.tree)
    return found


def list_modules(source: Source, node: ast.Import | ast.ImportFrom, modules: set[str]) -> set[str]:
    """Resolve an import statement to the modules of the package that it names."""
    if isinstance(node, ast.Import):
        names = {alias.name for alias in node.names}
    else:
        base = node.module or ""
        if node.level:
            parts = source.module.split(".")
            above = parts[: len(parts) - node.level + source.is_package]
            base = ".".join([*above, *filter(None, [node.module])])
        # `from package import name` loads a file where `name` is one, and the package otherwise.
        both = ((f"{base}.{alias.name}", base) for alias in node.names)
        names = {inner if inner in modules else outer for inner, outer in both}
    return (names & modules) - {source.module}


def circles(house: House) -> list[Place]:
    """List the groups of two or more files that reach each other by their imports."""
    direct: dict[str, set[str]] = defaultdict(set)
    first: dict[tuple[str, str], Import] = {}
    for one in find_imports(house.sources):
        direct[one.source.module].add(one.target)
        first.setdefault((one.source.module, one.target), one)
    reach = {module: list_reachable(module, direct) for module in list(direct)}
    groups = {
        frozenset(other for other in reach[module] if module in reach.get(other, ()))
        for module in reach
        if module in reach[module]
    }
    places = []
    for group in sorted(groups, key=sorted):
        links = [one for (a, b), one in sorted(first.items()) if a in group and b in group]
        text = "; ".join(
            f"{one.source.path}:{one.line} imports {one.target.removeprefix(PACKAGE + '.')}"
            for one in links
        )
        places.append(Place(links[0].source.path, links[0].line, f"{len(group)} files: {text}"))
    return places


def list_reachable(start: str, direct: dict[str, set[str]]) -> set[str]:
    """Collect the modules that a chain of one or more imports leads to."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        new = direct.get(todo.pop(), set()) - seen
        seen |= new
        todo.extend(new)
    return seen


# Functions and classes.


def statements(house: House) -> list[Place]:
    """List the functions with more than 50 statements."""
    found = (one for one in house.functions if one.statements > 50)
    return [one.place(f"{one.statements} statements") for one in found]


def short(house: House) -> list[Place]:
    """List the functions whose body has at most three lines."""
    return [one.place(f"{one.lines} lines") for one in house.functions if one.lines <= 3]


def one_caller(house: House) -> list[Place]:
    """List the functions of modules and private methods that one function names."""
    given: set[str] = set()
    callers: dict[str, set[str]] = defaultdict(set)
    for source in house.sources:
        for node in source.nodes:
            if isinstance(node, ast.ImportFrom) and source.is_package:
                given.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Constant) and source.is_package:
                given.add(str(node.value))
        note_names(source, source.tree, "", callers)
    places = []
    for one in house.functions:
        name, method = one.node.name, bool(one.scope)
        outer = one.scope.rpartition(".")[2]
        if one.node.decorator_list or name in given or name.startswith("__"):
            continue
        if method and not (name.startswith("_") and outer[:1].lstrip("_").isupper()):
            continue
        own = f"{one.source.module}:{one.scope}.{name}".replace(":.", ":")
        named = {caller for caller in callers[name] if not (caller + ".").startswith(own + ".")}
        if len(named) == 1:
            places.append(one.place(f"named by {next(iter(named))}"))
    return places


def note_names(source: Source, parent: ast.AST, scope: str, callers: dict[str, set[str]]) -> None:
    """Note for every name which function, or else which module or class, uses it."""
    for node in ast.iter_child_nodes(parent):
        inner = scope
        if isinstance(node, FUNCTION | ast.ClassDef):
            inner = f"{scope}.{node.name}".lstrip(".")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            callers[node.id].add(f"{source.module}:{scope}")
        elif isinstance(node, ast.Attribute):
            callers[node.attr].add(f"{source.module}:{scope}")
        note_names(source, node, inner, callers)


def class_systems(house: House) -> list[Place]:
    """List one class of each kind that has fields."""
    first: dict[str, Place] = {}
    for source in house.sources:
        for node in source.nodes:
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                names = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
                kinds = {name for name in names if name.endswith("dataclass")} | {
                    "Enum" if base in ENUMS else base
                    for base in bases
                    if base in ENUMS or base.endswith(("NamedTuple", "Record", "Struct"))
                }
                kinds |= {
                    f"metaclass {ast.unparse(k.value)}"
                    for k in node.keywords
                    if k.arg == "metaclass"
                }
                if "dataclass_transform" in " ".join(names):
                    kinds.add(node.name)
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("namedtuple", "make_dataclass", "define", "attrs")
            ):
                kinds = {ast.unparse(node.func)}
            else:
                continue
            for kind in kinds:
                first.setdefault(kind, Place(source.path, node.lineno, kind))
    return list(first.values())


# Types and numbers.


def ignores(house: House) -> list[Place]:
    """List the comments that silence ruff or mypy."""
    return [
        Place(source.path, number, line.strip())
        for source in house.sources
        for number, line in enumerate(source.text.split("\n"), 1)
        if IGNORES.search(line)
    ]


def any_uses(house: House) -> list[Place]:
    """List the lines of code that use the name `Any` other than to import it."""
    places = set()
    for source in house.sources:
        lines = source.text.split("\n")
        for node in source.nodes:
            if isinstance(node, ast.Name) and node.id == "Any":
                places.add(Place(source.path, node.lineno, lines[node.lineno - 1].strip()))
    return sorted(places)


def tolerances(house: House) -> list[Place]:
    """List the lines with a small number of ours outside the module of the tolerances."""
    return list_tolerances(house.sources)


def list_tolerances(sources: list[Source]) -> list[Place]:
    """List such lines of some files."""
    other = list_other_numbers()
    places = set()
    for source in sources:
        if source.path == TOLERANCES:
            continue
        lines = source.text.split("\n")
        for name, line in small_numbers(source.tree):
            if (source.path, name) not in other:
                places.add(Place(source.path, line, lines[line - 1].strip()))
    return sorted(places)


def list_other_numbers() -> set[tuple[str, str]]:
    """Collect the places of OTHER_NUMBERS, each as the path of its file and a name."""
    return {
        (f"{PACKAGE}/{file}", name)
        for files in OTHER_NUMBERS.values()
        for file, names in files.items()
        for name in names.split()
    }


def small_numbers(parent: ast.AST, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, int]]:
    """Yield the small float literals below a node, each with what holds it and its line.

    What holds a number is the function, or else the constant or attribute that is assigned, with
    the classes around it: `ATTEMPTS`, `Engine.least`, `consistent`. Nested functions are not named.

    Args:
        parent: The node to search.
        inside: Names of the classes around it, and of what holds it.
    """
    for node in ast.iter_child_nodes(parent):
        names = inside
        if isinstance(node, ast.Constant):
            if isinstance(node.value, float) and 0 < node.value <= SMALL:
                yield ".".join(inside), node.lineno
        elif isinstance(parent, ast.Module | ast.ClassDef):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names = (*inside, node.name)
            elif isinstance(node, ast.Assign):
                names = (*inside, ast.unparse(node.targets[0]))
            elif isinstance(node, ast.AnnAssign):
                names = (*inside, ast.unparse(node.target))
        yield from small_numbers(node, names)


def trace(house: House, name: str) -> list[Place]:
    """List the files of the package in which a function runs after import, by one command."""
    arguments = [str(house.root / PACKAGE), *COMMANDS[name]]
    done = subprocess.run(
        [sys.executable, "-P", "-c", TRACER, *arguments], cwd=house.root, capture_output=True,
        text=True, check=False, env=os.environ | {"PYTHONPATH": str(house.root)},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{house.root}: {' '.join(COMMANDS[name])}: {done.stderr}")
    files = (Path(line).relative_to(house.root).as_posix() for line in done.stdout.split())
    return [Place(file, 1, "") for file in files]


FIGURES: dict[str, Figure] = {
    "code": code,
    "files": code,
    "largest file": code,
    "rooms": rooms,
    "folder": folder,
    "circles": circles,
    "class systems": class_systems,
    "mean body": lambda house: [one.place(f"{one.lines} lines") for one in house.functions],
    "statements": statements,
    "one caller": one_caller,
    "short": short,
    "assets": lambda house: list_lines(house, ASSETS),
    "schemas": lambda house: list_lines(house, (".schema.json",)),
    "ignores": ignores,
    "any": any_uses,
    "tolerances": tolerances,
}
RUNS: dict[str, Figure] = {
    name: lambda house, name=name: trace(house, name)  # type: ignore[misc]
    for name in COMMANDS
}


def measure(name: str, house: House) -> float:
    """Find the number of one figure."""
    places = (FIGURES | RUNS)[name](house)
    match name:
        case "code":
            return sum(house.code.values())
        case "largest file":
            return max(house.code.values())
        case "mean body":
            return round(sum(one.lines for one in house.functions) / len(house.functions), 2)
        case "short":
            return round(100 * len(places) / len(house.functions), 1)
    return len(places)


# Budgets.


def read_budgets(checkout: Path) -> dict[str, tuple[str, float]]:
    """Read the tables of docs/architecture.md with a last column `budget`.

    Returns:
        For each room or figure `most` or `least`, and the number.
    """
    budgets = {}
    inside = False
    for line in (checkout / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().strip("`/*") for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|"):
            inside = False
        elif cells[-1].lower().startswith("budget"):
            inside = True
        elif inside and (number := re.search(r"(\d[\d,]*\.?\d*) ?(k?)", cells[-1])):
            value = float(number[1].replace(",", "")) * (1000 if number[2] else 1)
            budgets[cells[0]] = ("least" if "least" in cells[-1] else "most", value)
    return budgets


def check(house: House, values: dict[str, float]) -> list[str]:
    """List what is above, or below, its budget."""
    budgets = read_budgets(house.root)
    sizes = measure_rooms(house)
    faults = [f"{place.text}: a room without a budget" for place in rooms(house)
              if place.text not in budgets]  # fmt: skip
    faults += [f"circle of {place.text}" for place in circles(house)]
    for name, (kind, budget) in budgets.items():
        value = sizes[name][1] if name in sizes else values.get(name)
        if value is None:
            if name not in RUNS:
                faults.append(f"{name}: neither a room nor a figure")
        elif value > budget if kind == "most" else value < budget:
            faults.append(f"{name}: {value:,g}, at {kind} {budget:,g}")
    return faults


def measure_rooms(house: House) -> dict[str, tuple[int, int]]:
    """Count files and lines of code of each room, and of the files beside them."""
    sizes: dict[str, tuple[int, int]] = {}
    for source in house.sources:
        files, lines = sizes.get(source.room or "(top level)", (0, 0))
        sizes[source.room or "(top level)"] = files + 1, lines + house.code[source.path]
    return sizes


# Output.


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table whose columns, except the first, are aligned to the right."""
    print(f"| {' | '.join(header)} |")
    print(f"|---{'|---:' * (len(header) - 1)}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def print_places(name: str, house: House) -> None:
    """Print the places behind one figure, as `file:line: text`."""
    places = (FIGURES | RUNS)[name](house)
    print(f"{house.root}: {measure(name, house):,g} {name}", file=sys.stderr)
    try:
        print("\n".join(f"{one.file}:{one.line}: {one.text}" for one in places), flush=True)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; without this, the exit reports it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> int:
    """Read the command line and print the tables or the places; 1 where a budget is passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT", default=[here])
    names = [*FIGURES, *RUNS]
    parser.add_argument("--list", choices=names, metavar="FIGURE", help=", ".join(names))
    parser.add_argument("--check", action="store_true", help="fail where a budget is passed")
    parser.add_argument("--run", action="store_true", help="also run four commands")
    args = parser.parse_args()
    for checkout in args.checkouts:
        if not (checkout / PACKAGE).is_dir():
            parser.error(f"{checkout} has no folder {PACKAGE}; name the root of a checkout")
    houses = [House(checkout.resolve()) for checkout in args.checkouts]
    if args.list:
        for house in houses:
            print_places(args.list, house)
        return 0
    shown = [*FIGURES, *(RUNS if args.run else ())]
    values = [{name: measure(name, house) for name in shown} for house in houses]
    header = [str(checkout) for checkout in args.checkouts]
    rows = [[f"`{name}`", *(f"{one[name]:,g}" for one in values)] for name in shown]
    print_table(["figure", *header], rows)
    sizes = [measure_rooms(house) for house in houses]
    budgets = [read_budgets(house.root) for house in houses]
    names = sorted({name for one in sizes for name in one})
    cells = [
        [name, *(f"{s[name][0]} / {s[name][1]:,} / {b[name][1] if name in b else 0:,g}"
                 if name in s else "" for s, b in zip(sizes, budgets, strict=True))]
        for name in names
    ]  # fmt: skip
    print_table(["room: files / code / budget", *header], cells)
    if not args.check:
        return 0
    faults = [fault for pair in zip(houses, values, strict=True) for fault in check(*pair)]
    print("\n".join(faults or ["every budget is kept"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
