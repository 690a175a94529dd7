"""Inputs: a seed of the target after a few mutations, determined by target, seed and number."""

from collections.abc import Callable, Sequence
from random import Random

from fuzz import mutate_arrays, mutate_bytes, mutate_structure, mutate_tokens
from fuzz.cases import OUTSIDE, Case, Content, Folder, Link, Pipe
from fuzz.seeds import find_seeds

Mutation = Callable[[Random, bytes], bytes]

_LINKS = (
    *(f"../{OUTSIDE}/secret.xml", f"../{OUTSIDE}/secret.yaml", f"../{OUTSIDE}", "/dev/zero"),
    *("/dev/null", "/etc/hostname", "..", ".", "missing", "loop"),
)


_STREAMED = ("table.", "w.")
"""Beginnings of the names of files that may be pipes, as the caller names them."""


def _nest(kind: str) -> Mutation:
    return lambda rng, data: mutate_structure.nest(rng, data, kind)


_TEXT = (*mutate_tokens.NUMBERS * 3, *mutate_tokens.WORDS)
_FAMILIES: dict[str, Sequence[Mutation]] = {
    "xml": (
        *_TEXT,
        *mutate_structure.ELEMENTS,
        mutate_tokens.repeat_attribute,
        mutate_tokens.insert_markup,
    ),
    "json": (*_TEXT, mutate_tokens.insert_brackets, mutate_structure.change_lines),
    "toml": (*_TEXT, mutate_tokens.insert_brackets, mutate_structure.change_lines),
    "yaml": (*_TEXT, mutate_tokens.insert_brackets, mutate_structure.change_lines),
    "usd": (*_TEXT, mutate_tokens.insert_brackets, mutate_structure.change_lines),
    "lines": (*_TEXT, mutate_structure.change_lines, mutate_tokens.insert_brackets),
    "csv": (*_TEXT, mutate_structure.change_lines, mutate_structure.change_cells),
    "npy": mutate_arrays.ARRAY,
    "npz": (*mutate_arrays.ARCHIVE, *mutate_arrays.ARCHIVE, *mutate_arrays.ARRAY),
    "stl": mutate_arrays.STL,
}
"""Mutations that keep most of a document's syntax, by its kind."""

_DEEP: dict[str, Sequence[Mutation]] = {
    "xml": (mutate_structure.nest_element, _nest("xml")),
    "toml": (_nest("toml"), mutate_structure.repeat_key),
    **{kind: (_nest(kind), mutate_structure.repeat_key) for kind in ("json", "yaml", "usd", "csv")},
}
"""Mutations that make deep nesting and long keys."""


def make_input(target: str, seed: int, number: int) -> Case:
    """Make one input; the same arguments always make the same."""
    rng = Random(f"{target} {seed} {number}")
    case = rng.choice(find_seeds(target))
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        names = list(case.files)
        name = case.main if len(names) == 1 or rng.random() < 0.8 else rng.choice(names)
        case = case.changed(name, _mutate(rng, case, name))
    return case


def _mutate(rng: Random, case: Case, name: str) -> Content:
    """The content of a file after one mutation."""
    content, chance = case.files[name], rng.random()
    if not isinstance(content, bytes):
        return content
    if chance < 0.015:
        pipes = [] if case.main.startswith(_STREAMED) else [Pipe()]
        return rng.choice([*pipes, Folder(), *map(Link, _LINKS), Link(name), Link(case.main)])
    if chance < 0.05:
        return _refer(rng, case, content)
    kind = case.kind if name == case.main else _kind_of(name)
    families: list[tuple[float, Sequence[Mutation]]] = [
        (0.72, _FAMILIES.get(kind, _FAMILIES["lines"])),
        (0.17, mutate_bytes.COMMON),
        (0.05, mutate_bytes.RARE),
        (0.06, _DEEP.get(kind, mutate_bytes.RARE)),
    ]
    chosen = rng.choices([each for _, each in families], [weight for weight, _ in families])[0]
    return rng.choice(chosen)(rng, content)[: mutate_bytes.LARGEST]


def _refer(rng: Random, case: Case, data: bytes) -> bytes:
    """Make the document refer to itself, to a companion, or to a file outside."""
    names = [name.encode() for name in case.files]
    new = rng.choice([*names, case.main.encode(), *(link.encode() for link in _LINKS)])
    old = [name for name in names if name in data]
    if old and rng.random() < 0.7:
        return data.replace(rng.choice(old), new)
    pieces = {
        "a.xml": b'<include file="%s"/>',
        "a.sdf": b"<include><uri>%s</uri></include>",
        "a.world": b"<include><uri>%s</uri></include>",
        "a.usda": b'def "x" ( references = @./%s@ ) {}\n',
        "a.urdf.xacro": rng.choice(
            [b'<xacro:include filename="%s"/>', b"<a b=\"${xacro.load_yaml('%s')}\"/>"]
        ),
        "inertial-check.toml": b'extend = "%s"\n',
    }
    piece = pieces.get(case.main, b'<mesh filename="%s"/>') % new
    at = data.find(b"<", rng.randrange(len(data) + 1)) if case.kind == "xml" else 0
    at = max(at, 0)
    return data[:at] + piece + data[at:]


def _kind_of(name: str) -> str:
    suffix = name.rpartition(".")[2]
    kinds = {"usda": "usd", "yaml": "yaml", "stl": "stl", "obj": "lines"}
    return kinds.get(suffix, "xml")
