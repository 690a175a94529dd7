"""Figures about the order of the source code, for one checkout or several side by side.

    python benchmarks/house.py [CHECKOUT ...]
    python benchmarks/house.py --list FIGURE [CHECKOUT ...]

The first form prints two Markdown tables with one column for each checkout. The second form
prints the places behind one figure, each as `file:line: text`, so that they can be worked off.
Without a checkout, the one that holds this script is measured. The source code is parsed and never
imported. All figures are about the files of the package: tests, documents and benchmarks are not
counted.

Size, in the second table:

* A line of code holds a token that is neither a comment nor part of a docstring.
* A line of docstring belongs to a statement that is only a string.
* A line of comment holds a comment and nothing else.

Figures, in the first table:

* `folder`: the number of Python files that lie directly in the folder that has the most of them.
* `circles`: groups of files that import each other, where an import inside a function counts and
  an import for the type checker only does not.
* `circles-at-import`: the same groups, counting only what is imported when a file is loaded.
* `circles-typed`: the same groups, counting every import, also those for the type checker only.
* `any`: lines of code that use the name `Any` other than to import it.
* `any-imports`: files that import `Any`.
* `docstrings`: docstrings of constants, which are strings behind an assignment in the body of a
  module or class.
* `fragments`: docstrings of constants whose first word, after a unit or shape in brackets,
  continues a sentence that is not there (FRAGMENT_WORDS: Of, By, As, That and a few more).
* `prepositions`: docstrings of constants that begin with another preposition (PREPOSITIONS).
* `riddles`: docstrings of constants that begin with a question word (RIDDLE_WORDS).
* `titles`: docstrings of modules, classes and functions that begin with a word of these three
  lists.
* `ed`: functions whose name ends in `ed`.
* `participles`: functions whose last word is a participle, by its ending `ed` or by a list of
  irregular ones (PARTICIPLES); properties and names that begin as a predicate (PREDICATES) are
  left out, as these do state something.
* `public`: functions and classes at the level of a module that have no leading underscore, in
  modules none of whose names has one.
* `public-constants`: assignments by the same rule.
* `namesakes`: classes and type aliases at the level of a module whose name, without leading
  underscores, is defined in more than one file.
* `tolerances`: lines with a float literal of at most 1e-3 in size, but not 0, outside
  `inertia/tolerances.py`, without the places of OTHER_NUMBERS: unit factors, numbers of the
  engines, settings of solvers and ranges of random bodies. Each place is a
  file and a name in it, so that another number in the same file counts.
* `duplicates`: pairs of places that share eight or more lines, as the command `duplicates` finds
  them; where this command is not installed, the figure is left out.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeGuard

PACKAGE = "inertial_check"
TOLERANCES = f"{PACKAGE}/inertia/tolerances.py"
SMALL = 1e-3
OTHER_NUMBERS: dict[str, dict[str, str]] = {
    "unit factors": {
        "causes/geometric.py": "ComOutside._SCALES",
        "causes/units.py": "_mesh_in_millimetres Density._TIMES",
        "comparing/conversions.py": "_MASSES _LENGTHS _INERTIAS",
        "evidence/readings.py": "UNITS MASSES",
        "identification/recordings/thresholds.py": "UNITS",
    },
    "numbers of an engine, or derived from them": {
        "engines/genesis.py": "_RELATIVE _ABSOLUTE _BOUND",
        "engines/gz.py": "_PRODUCTS",
        "engines/mujoco.py": "_EIGENVALUE _MINIMUM",
        "engines/newton.py": "_RELATIVE _ABSOLUTE _CORRECTION _FLOORS",
        "engines/physx.py": "_UNWRITTEN",
        "engines/pybullet.py": "_NEGLIGIBLE _EDGE",
    },
    "settings tried in turn with a solver or method": {
        "identification/estimation/from_base.py": "WEIGHTS",
        "projection/conic/entropy.py": "_TIGHT",
        "projection/conic/joint.py": "ATTEMPTS",
        "projection/conic/moments.py": "ATTEMPTS",
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


def split_words(text: str) -> frozenset[str]:
    """Split a list of words, written with blanks between them, into a set."""
    return frozenset(text.split())


FRAGMENT_WORDS = split_words("as by of per so than that whose")
PREPOSITIONS = split_words(
    "above after at before below between beyond but during for from in into on over through to "
    "under up with within without"
)
RIDDLE_WORDS = split_words("how what when where whether which who why")
PARTICIPLES = split_words(
    "begun bent born bought broken brought built caught chosen come done drawn driven fallen "
    "fed felt found given gone grown heard held hidden kept known laid left lent lost made "
    "meant met misspelt paid proven rewritten risen said seen sent shaken shown slept sought "
    "spent spoken stood struck sworn taken taught thought thrown told torn understood undone "
    "won worn woven written"
)
ED_WORDS = split_words("bed embed exceed feed indeed need proceed red seed shed speed")
PREDICATES = split_words("are can does has have is may must needs was were")

Figure = Callable[[list["Source"]], list["Place"]]


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
    def is_private(self) -> bool:
        """Whether a name in the path of the module has a leading underscore."""
        return any(part.startswith("_") for part in self.module.split("."))


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


def tokens_of(source: Source) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a file."""
    return tokenize.generate_tokens(io.StringIO(source.text).readline)


# Size.


class Size(NamedTuple):
    """Number of files and of their lines of code, docstring and comment."""

    files: int
    code: int
    docstring: int
    comment: int


def measure_file(source: Source) -> Size:
    """Count the lines of one file by kind."""
    docstring: set[int] = set()
    for node in source.nodes:
        if is_text(node):
            docstring.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    comment = 0
    for token in tokens_of(source):
        if token.type == tokenize.COMMENT:
            comment += token.line.lstrip().startswith("#")
        elif token.type not in LAYOUT_TOKENS:
            code.update(range(token.start[0], token.end[0] + 1))
    return Size(1, len(code - docstring), len(docstring), comment)


def measure_packages(sources: list[Source]) -> dict[str, Size]:
    """Add up the sizes of the files by first-level package, and under `total` all of them."""
    sizes: dict[str, Size] = defaultdict(lambda: Size(0, 0, 0, 0))
    for source in sources:
        parts = source.path.split("/")
        size = measure_file(source)
        for name in (f"{parts[1]}/" if len(parts) > 2 else "(top level)", "total"):
            sizes[name] = Size(*(a + b for a, b in zip(sizes[name], size, strict=True)))
    return sizes


# Imports between files.


class Import(NamedTuple):
    """Import of one file of the package by another, with the conditions under which it happens."""

    source: Source
    target: str
    line: int
    in_function: bool
    for_types: bool


def find_imports(sources: list[Source]) -> list[Import]:
    """Find all imports between two files of the package."""
    modules = {source.module for source in sources}
    found: list[Import] = []

    def visit(source: Source, parent: ast.AST, in_function: bool, for_types: bool) -> None:
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.extend(
                    Import(source, target, node.lineno, in_function, for_types)
                    for target in imported_modules(source, node, modules)
                )
                continue
            typed = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            visit(source, node, in_function or function, for_types or typed)

    for source in sources:
        visit(source, source.tree, False, False)
    return found


def imported_modules(
    source: Source, node: ast.Import | ast.ImportFrom, modules: set[str]
) -> set[str]:
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


def list_circles(imports: Iterable[Import]) -> list[Place]:
    """List the groups of two or more files that reach each other by the given imports."""
    direct: dict[str, set[str]] = defaultdict(set)
    first: dict[tuple[str, str], Import] = {}
    for one in imports:
        direct[one.source.module].add(one.target)
        first.setdefault((one.source.module, one.target), one)
    reach = {module: reachable(module, direct) for module in list(direct)}
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


def reachable(start: str, direct: dict[str, set[str]]) -> set[str]:
    """Collect the modules that a chain of one or more imports leads to."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for module in direct.get(todo.pop(), ()):
            if module not in seen:
                seen.add(module)
                todo.append(module)
    return seen


def circles(sources: list[Source]) -> list[Place]:
    """List the circles of imports without those for the type checker only."""
    return list_circles(one for one in find_imports(sources) if not one.for_types)


def circles_at_import(sources: list[Source]) -> list[Place]:
    """List the circles of the imports that happen when a file is loaded."""
    found = find_imports(sources)
    return list_circles(one for one in found if not (one.for_types or one.in_function))


def circles_typed(sources: list[Source]) -> list[Place]:
    """List the circles of all imports, including those for the type checker only."""
    return list_circles(find_imports(sources))


# Texts.


def is_text(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Say whether a statement is only a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def docstrings(sources: list[Source]) -> list[Place]:
    """List the docstrings of constants, each behind the name of its constant."""
    places = []
    for source in sources:
        for scope in source.nodes:
            if not isinstance(scope, ast.Module | ast.ClassDef):
                continue
            for before, node in zip(scope.body, scope.body[1:], strict=False):
                if isinstance(before, ast.Assign | ast.AnnAssign) and is_text(node):
                    target = before.targets[0] if isinstance(before, ast.Assign) else before.target
                    text = " ".join(str(ast.literal_eval(node.value)).split())
                    places.append(Place(source.path, node.lineno, f"{ast.unparse(target)}: {text}"))
    return places


def first_word(text: str) -> str:
    """Find the first word of a text in lower case, passing over units and shapes in brackets."""
    text = re.sub(r"^(\[[^\]]*\]|\([^)]*\))[,:.]?\s+", "", text)
    match = re.match(r"[A-Za-z]+", text)
    return match[0].lower() if match else ""


def constants_beginning_with(sources: list[Source], words: frozenset[str]) -> list[Place]:
    """List the docstrings of constants whose first word is one of the given words."""
    return [one for one in docstrings(sources) if first_word(one.text.partition(": ")[2]) in words]


def fragments(sources: list[Source]) -> list[Place]:
    """List the docstrings of constants that continue a sentence which is not there."""
    return constants_beginning_with(sources, FRAGMENT_WORDS)


def prepositions(sources: list[Source]) -> list[Place]:
    """List the docstrings of constants that begin with another preposition."""
    return constants_beginning_with(sources, PREPOSITIONS)


def riddles(sources: list[Source]) -> list[Place]:
    """List the docstrings of constants that begin with a question word."""
    return constants_beginning_with(sources, RIDDLE_WORDS)


def titles(sources: list[Source]) -> list[Place]:
    """List docstrings of modules, classes and functions that begin in the middle of a sentence."""
    places = []
    for source in sources:
        for node in source.nodes:
            if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                continue
            text = (ast.get_docstring(node) or "").partition("\n\n")[0]
            if first_word(text) in FRAGMENT_WORDS | PREPOSITIONS | RIDDLE_WORDS:
                places.append(
                    Place(
                        source.path,
                        1 if isinstance(node, ast.Module) else node.lineno,
                        f"{getattr(node, 'name', source.module)}: {' '.join(text.split())}",
                    )
                )
    return places


# Names.


def functions(sources: list[Source]) -> Iterator[tuple[Source, ast.FunctionDef]]:
    """Yield all functions and methods with their files."""
    for source in sources:
        for node in source.nodes:
            if isinstance(node, ast.FunctionDef):
                yield source, node


def ed(sources: list[Source]) -> list[Place]:
    """List the functions whose name ends in `ed`."""
    return [
        Place(source.path, node.lineno, node.name)
        for source, node in functions(sources)
        if node.name.endswith("ed")
    ]


def participles(sources: list[Source]) -> list[Place]:
    """List the functions whose last word is a participle, without properties and predicates."""
    places = []
    for source, node in functions(sources):
        words = node.name.strip("_").split("_")
        last = words[-1]
        participle = last in PARTICIPLES or (last.endswith("ed") and last not in ED_WORDS)
        decorators = " ".join(ast.unparse(one) for one in node.decorator_list)
        if participle and words[0] not in PREDICATES and "property" not in decorators:
            places.append(Place(source.path, node.lineno, node.name))
    return places


def module_names(source: Source) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the names that a module defines at its top level, each with its statement."""
    for node in source.tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from ((n.id, node) for n in ast.walk(target) if isinstance(n, ast.Name))


def list_public(sources: list[Source], constants: bool) -> list[Place]:
    """List the public names of public modules: constants, or else functions and classes."""
    return [
        Place(source.path, node.lineno, name)
        for source in sources
        if not source.is_private
        for name, node in module_names(source)
        if not name.startswith("_") and isinstance(node, ast.Assign | ast.AnnAssign) == constants
    ]


def public(sources: list[Source]) -> list[Place]:
    """List the public functions and classes."""
    return list_public(sources, constants=False)


def public_constants(sources: list[Source]) -> list[Place]:
    """List the public constants and type aliases."""
    return list_public(sources, constants=True)


def namesakes(sources: list[Source]) -> list[Place]:
    """List the names of classes and type aliases that more than one file defines."""
    homes: dict[str, list[Place]] = defaultdict(list)
    for source in sources:
        for name, node in module_names(source):
            # A type alias is written like a class: it begins with a capital and is no constant.
            plain = name.lstrip("_")
            if isinstance(node, ast.ClassDef) or (plain[:1].isupper() and not plain.isupper()):
                homes[plain].append(Place(source.path, node.lineno, name))
    places = []
    for plain, several in sorted(homes.items()):
        if len({place.file for place in several}) > 1:
            where = ", ".join(f"{place.file}:{place.line}" for place in several)
            places.append(Place(several[0].file, several[0].line, f"{plain} in {where}"))
    return places


# Types and numbers.


def any_uses(sources: list[Source]) -> list[Place]:
    """List the lines of code that use the name `Any` other than to import it."""
    places = set()
    for source in sources:
        lines = source.text.split("\n")
        for node in source.nodes:
            if isinstance(node, ast.Name) and node.id == "Any":
                places.add(Place(source.path, node.lineno, lines[node.lineno - 1].strip()))
    return sorted(places)


def any_imports(sources: list[Source]) -> list[Place]:
    """List the import statements that import `Any`."""
    return [
        Place(source.path, node.lineno, ast.unparse(node))
        for source in sources
        for node in source.nodes
        if isinstance(node, ast.ImportFrom) and any(alias.name == "Any" for alias in node.names)
    ]


def tolerances(sources: list[Source]) -> list[Place]:
    """List the lines with a small number of ours outside the module of the tolerances."""
    other = other_numbers()
    places = set()
    for source in sources:
        if source.path == TOLERANCES:
            continue
        lines = source.text.split("\n")
        for name, line in small_numbers(source.tree):
            if (source.path, name) not in other:
                places.add(Place(source.path, line, lines[line - 1].strip()))
    return sorted(places)


def other_numbers() -> set[tuple[str, str]]:
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


def folder(sources: list[Source]) -> list[Place]:
    """List the files of the folder that has the most of them."""
    folders: dict[str, list[Place]] = defaultdict(list)
    for source in sources:
        folders[source.path.rpartition("/")[0]].append(Place(source.path, 1, source.module))
    return max(folders.values(), key=len)


FIGURES: dict[str, Figure] = {
    "folder": folder,
    "circles": circles,
    "circles-at-import": circles_at_import,
    "circles-typed": circles_typed,
    "any": any_uses,
    "any-imports": any_imports,
    "docstrings": docstrings,
    "fragments": fragments,
    "prepositions": prepositions,
    "riddles": riddles,
    "titles": titles,
    "ed": ed,
    "participles": participles,
    "public": public,
    "public-constants": public_constants,
    "namesakes": namesakes,
    "tolerances": tolerances,
}


# Duplicates.


def run_duplicates(checkout: Path) -> list[str] | None:
    """Run the command `duplicates` on the package, or return None where it is not installed."""
    program = shutil.which("duplicates")
    if program is None:
        return None
    options = ["--min-lines", "8", "--most", "200", "--seconds", "120"]
    done = subprocess.run(
        [program, *options, "--repo", str(checkout / PACKAGE)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def count_duplicates(checkout: Path) -> str:
    """Read the number of pairs from the first line of the output, or say why there is none."""
    lines = run_duplicates(checkout)
    if lines is None:
        return "not installed"
    if not lines or lines[0].startswith("no duplicates"):
        return "0"
    match = re.match(r"[\d,]+", lines[0])
    count = match[0] if match else "unknown"
    complete = not any(line.startswith("incomplete") for line in lines)
    return count if complete else f"{count} (incomplete)"


# Output.


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table whose columns, except the first, are aligned to the right."""
    print(f"| {' | '.join(header)} |")
    print(f"|---{'|---:' * (len(header) - 1)}|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def print_figures(checkouts: list[Path]) -> None:
    """Print the figures and the sizes of all checkouts."""
    packages = [read_sources(checkout) for checkout in checkouts]
    header = [str(checkout) for checkout in checkouts]
    rows = []
    for name, figure in FIGURES.items():
        found = [figure(sources) for sources in packages]
        rows.append([f"`{name}`", *(f"{len(places):,}" for places in found)])
        if name == "folder":
            rows[0][1:] = [f"{len(p)} ({p[0].file.rpartition('/')[0]})" for p in found]
    rows.append(["`duplicates`", *map(count_duplicates, checkouts)])
    print_table(["figure", *header], rows)

    sizes = [measure_packages(sources) for sources in packages]
    names = sorted(
        {name for one in sizes for name in one}, key=lambda name: (name == "total", name)
    )
    cells = [
        [name, *(" / ".join(f"{n:,}" for n in one[name]) if name in one else "" for one in sizes)]
        for name in names
    ]
    print("Files / lines of code / of docstring / of comment:\n")
    print_table(["package", *header], cells)


def print_places(name: str, checkouts: list[Path]) -> None:
    """Print the places behind one figure."""
    for checkout in checkouts:
        if name == "duplicates":
            pairs = run_duplicates(checkout)
            print("\n".join(pairs or ["The command `duplicates` is not installed."]))
            continue
        places = FIGURES[name](read_sources(checkout))
        print(f"{checkout}: {len(places):,} {name}", file=sys.stderr)
        lines = [f"{place.file}:{place.line}: {place.text}" for place in places]
        try:
            print("\n".join(lines), flush=True)
        except BrokenPipeError:
            # The reader, such as `head`, has seen enough; without this, the exit reports it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Read the command line and print the tables or the places."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT", default=[here])
    parser.add_argument(
        "--list",
        choices=[*FIGURES, "duplicates"],
        metavar="FIGURE",
        dest="figure",
        help="print the places behind one figure: " + ", ".join([*FIGURES, "duplicates"]),
    )
    args = parser.parse_args()
    for checkout in args.checkouts:
        if not (checkout / PACKAGE).is_dir():
            parser.error(f"{checkout} has no folder {PACKAGE}; name the root of a checkout")
    if args.figure:
        print_places(args.figure, args.checkouts)
    else:
        print_figures(args.checkouts)


if __name__ == "__main__":
    main()
