"""Evaluation of the expressions of a xacro file, which reach only what the file itself can name.

An expression is Python, and the attributes of almost any Python object lead to modules, to the
environment and to files. So no expression is evaluated as it is written: each attribute in it is
looked up by `read_attribute`, which knows the few types that expressions compute with, and so are
the attributes in a template of str.format.

Strings and numbers that keep the place where they were written through every copy by xacro.

xacro passes values on as Python objects: the text of an attribute becomes a property, the property
an argument of a macro, the argument an attribute. A traced object survives all of these copies.
Arithmetic makes plain objects of traced ones, which shows where a copy ends and a computation
begins.
"""

from __future__ import annotations

import ast
import builtins
import re
from _string import (  # type: ignore[import-not-found]  # what string.Formatter splits fields with
    formatter_field_name_split,
)
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from types import CodeType
from typing import Any, NamedTuple, Protocol

from inertial_check.documents.source import Span
from inertial_check.errors import PicklableError

Value = Any  # Any: an expression of a xacro file has a value of any type

_LOOKUP = "__attribute__"
"""Name of `read_attribute` in compiled expressions; no expression may contain such a name."""

# fmt: off
_INTERNAL = frozenset([
    "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin",
    "ag_frame", "ag_code", "ag_await", "f_back", "f_builtins", "f_globals", "f_locals", "f_code",
    "tb_frame", "tb_next", "mro",
])
# fmt: on
"""Attributes of Python objects that lead to Python's internals, besides those with underscores."""

_TEMPLATES = ("format", "format_map")
"""Methods of str whose template reads attributes."""

# fmt: off
_METHODS = {
    kind: frozenset(name for name in dir(kind) if not name.startswith("_")).difference(_TEMPLATES)
    for kind in (
        str, bytes, int, float, complex, list, tuple, dict, set, frozenset, range, slice,
    )
}
# fmt: on
"""Attributes that expressions may read, by the type of the object."""


class UnsafeNameError(PicklableError, Exception):
    """An expression contains a name that leads to Python's internals."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Use of invalid name(s): {name}")


def evaluate(expression: str, names: dict[str, Any], local: Value = None) -> Value:
    """Evaluate an expression; its builtin functions are those among the names.

    Args:
        expression: The expression.
        names: Values by name.
        local: Mapping of further values by name, which take precedence.

    Raises:
        UnsafeNameError: The expression contains a name that leads to Python's internals.
        SyntaxError: The text is no expression.
        Exception: The expression may raise any exception.
    """
    # A subclass of str, such as a traced text, becomes a str here.
    code = _compile(expression.strip())
    names.update(__builtins__={_LOOKUP: read_attribute})
    return builtins.eval(code, names, local)


@lru_cache(1 << 14)
def list_names(expression: str) -> frozenset[str]:
    """List the names in an expression; none if it is no expression."""
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return frozenset()
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def type_of(value: Value) -> type:
    """Return the type of a value; a class has none here, since `type` itself can make classes.

    Raises:
        TypeError: The value is a class.
    """
    if isinstance(value, type):
        raise TypeError(f"python.type takes a value, not the type {value.__name__}")
    return type(value)


def read_attribute(value: Value, name: str) -> Value:
    """Read an attribute of a value in an expression.

    Numbers, texts and collections have their public methods. Namespaces of xacro and dictionaries
    read by load_yaml have their entries, too. No other object has any attribute.

    Raises:
        UnsafeNameError: The name leads to Python's internals.
        AttributeError: The value has no such attribute here.
    """
    _expect_safe(name)
    kind = value if isinstance(value, type) else type(value)
    if name in _TEMPLATES and issubclass(kind, str):
        # Return the method format or format_map of a text, or of the type str.
        def fill(template: str, *arguments: Value, **named: Value) -> str:
            return _SafeFormatter().vformat(template, arguments, named)

        def fill_from(template: str, named: Mapping[str, Value]) -> str:
            return _SafeFormatter().vformat(template, (), named)

        method: Callable[..., str] = fill if name == "format" else fill_from
        if isinstance(value, type):
            return method
        return lambda *arguments, **named: method(value, *arguments, **named)
    for known, methods in _METHODS.items():
        if issubclass(kind, known) and name in methods:
            return getattr(value, name)
    if isinstance(value, dict) and (read_entry := getattr(kind, "__getattr__", None)):
        return read_entry(value, name)
    raise AttributeError(f"an expression cannot read the attribute {name} of a {kind.__name__}")


class _SafeFormatter(Formatter):
    """The formatting of str.format with the attributes that an expression may read."""

    def get_field(
        self, field_name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
    ) -> tuple[Value, int | str]:
        first, rest = formatter_field_name_split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = read_attribute(value, key) if is_attribute else value[key]
        return value, first


@lru_cache(1 << 14)
def _compile(expression: str) -> CodeType:
    """Compile an expression with its attributes looked up; cached, as properties repeat."""
    tree = ast.parse(expression, mode="eval")
    reads_attributes = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            reads_attributes = True
            _expect_safe(node.attr)
        elif isinstance(node, ast.Name):
            _expect_safe(node.id)
    if not reads_attributes:  # most expressions: rewriting them would take longer than the rest
        return compile(tree, "<expression>", "eval")
    guarded = ast.fix_missing_locations(_AttributeLookup().visit(tree))
    return compile(guarded, "<expression>", "eval")


def _expect_safe(name: str) -> None:
    if name.startswith("__") or name in _INTERNAL:
        raise UnsafeNameError(name)


class _AttributeLookup(ast.NodeTransformer):
    """Replaces every attribute of an expression by a call of `read_attribute`."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):  # the target of a comprehension
            raise SyntaxError(f"an expression cannot set the attribute {node.attr}")
        arguments = [self.visit(node.value), ast.Constant(node.attr)]
        return ast.Call(ast.Name(_LOOKUP, ast.Load()), arguments, [])


class Holder(Protocol):
    """Interface of a document that maps positions of its text to bytes."""

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""


class TextRange(NamedTuple):
    """Interval of positions in the text of a document."""

    document: Holder
    start: int
    end: int


class Located(NamedTuple):
    """Origin of a piece of text.

    Attributes:
        span: Span of the text, or of the expression that computes it.
        verbatim: Whether the text is written there character by character.
    """

    span: Span
    verbatim: bool


class TracedRun(NamedTuple):
    """Part of a traced text that has a single origin.

    Attributes:
        start: Its start in the traced text.
        end: Its end in the traced text.
        where: The characters that it copies, or the expression that computed it.
        places: Position of each character, and the one after the last; None for an expression.
        value: Value of the expression, if it is a copy of another text.
        reprinted: Whether the part prints the number in `value` in other characters.
    """

    start: int
    end: int
    where: TextRange
    places: Sequence[int] | None = None
    value: Traced | None = None
    reprinted: bool = False

    def part(self, start: int, end: int, shift: int) -> TracedRun:
        """Cut the part between two positions of the text, and shift it."""
        start, end = max(start, self.start), min(end, self.end)
        first, last = start - self.start, end - self.start
        where, places, value = self.where, self.places, self.value
        if places is not None:
            places = places[first : last + 1]
            where = TextRange(where.document, places[0], places[-1])
        elif value is not None and (start, end) != (self.start, self.end):
            # Single digits of a number that was printed again have no origin.
            value = None if self.reprinted else value.part(first, last)
        return TracedRun(start + shift, end + shift, where, places, value, self.reprinted)

    def locate(self, start: int, end: int) -> Located:
        """Find the origin of the characters between two positions inside this part."""
        first, last = start - self.start, end - self.start
        if self.places is not None:
            return Located(self.where.document.span(self.places[first], self.places[last]), True)
        found = None
        if self.value is not None and not self.reprinted:
            found = self.value.locate(first, last)
        elif self.value is not None and (start, end) == (self.start, self.end):
            text = self.value.trim()
            found = text.locate(0, len(text))
        return found or Located(self.where.document.span(self.where.start, self.where.end), False)


class Traced(str):
    """A text that keeps the origins of its characters."""

    runs: tuple[TracedRun, ...]

    def __new__(cls, text: str, runs: Iterable[TracedRun] = ()) -> Traced:
        """Make a text from its characters and the origins of its parts, in order."""
        traced = super().__new__(cls, text)
        traced.runs = tuple(runs)
        return traced

    def __str__(self) -> str:
        """Return the text itself, so that str() keeps its origins."""
        return self

    def __deepcopy__(self, _: object) -> Traced:
        """Return the text itself: it never changes, and its origins hold whole documents.

        xacro copies the names of the files that it reads with every macro that it defines.
        """
        return self

    @property
    def where(self) -> TextRange | None:
        """Interval of the document that contains all of the text; None if it is unknown."""
        if not self.runs:
            return None
        first, last = self.runs[0].where, self.runs[-1].where
        return TextRange(first.document, first.start, last.end)

    def part(self, start: int, end: int) -> Traced:
        """Return the characters between two positions with their origins."""
        runs = [
            run.part(start, end, -start) for run in self.runs if run.start < end and start < run.end
        ]
        return Traced(str.__getitem__(self, slice(start, end)), runs)

    def trim(self) -> Traced:
        """Return the text without surrounding space, with its origins."""
        text = self.strip()
        start = self.index(text) if text else 0
        return self.part(start, start + len(text))

    def locate(self, start: int, end: int) -> Located | None:
        """Find the origin of the characters between two positions; None if it is unknown."""
        met = [run for run in self.runs if run.start < end and start < run.end]
        if not met:
            return None
        if len(met) > 1 or start < met[0].start or end > met[0].end:
            first, last = met[0].where, met[-1].where
            return Located(first.document.span(first.start, last.end), False)
        return met[0].locate(start, end)


class Unknown(Traced):
    """A text in place of a value that cannot be computed; it remembers what is missing.

    Attributes:
        needs: Names of what is missing: arguments, properties, packages.
        samples: Values of its expression for several values of what is missing, all of them 1
            first; () if those are no numbers.
    """

    needs: tuple[str, ...]
    samples: tuple[float, ...]

    @classmethod
    def of(
        cls, needs: Iterable[str], where: TextRange | None, samples: tuple[float, ...] = ()
    ) -> Unknown:
        """Make the text from what is missing and the expression that asks for it."""
        needed = tuple(dict.fromkeys(needs))
        text = "{" + _NO_WORD.sub("_", needed[0] if needed else "") + "}"
        unknown = cls(text, () if where is None else (TracedRun(0, len(text), where),))
        unknown.needs, unknown.samples = needed, samples
        return unknown

    def part(self, start: int, end: int) -> Unknown:
        """Return a part of the text, of which no less is missing."""
        cut = super().part(start, end)
        unknown = Unknown(cut, cut.runs)
        unknown.needs, unknown.samples = self.needs, self.samples
        return unknown


_NO_WORD = re.compile(r"[^\w./-]+")
"""Characters of names that do not show in an unknown text."""


def find_unknowns(value: object) -> list[Unknown]:
    """List the unknown values that a text was made from."""
    if isinstance(value, Unknown):
        return [value]
    if not isinstance(value, Traced):
        return []
    return [each for run in value.runs if run.value for each in find_unknowns(run.value)]


class TracedFloat(float):
    """A number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(float.__repr__(self), self.text)


class TracedInt(int):
    """A whole number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(int.__repr__(self), self.text)


def trace_verbatim(text: str, document: Holder, places: Sequence[int]) -> Traced:
    """Trace a text of a document by the positions of its characters and the one after the last."""
    if not text:
        return Traced(text)
    where = TextRange(document, places[0], places[-1])
    return Traced(text, (TracedRun(0, len(text), where, places),))


def trace_value(value: object, where: TextRange | None) -> object:
    """Trace a value to the expression that computed it, unless it is a copy of a traced value.

    Truth values, lists and dictionaries are not traced, since no number is printed from them.
    """
    if isinstance(value, (Traced, TracedFloat, TracedInt, bool)) or where is None:
        return value
    if isinstance(value, (int, float)):
        text = repr(value)
        return trace_number(value, Traced(text, (TracedRun(0, len(text), where),)))
    if isinstance(value, str):
        return Traced(value, (TracedRun(0, len(value), where),))
    return value


def trace_number(value: float, text: Traced) -> float:
    """Trace a number to the text from which it was read."""
    number = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    number.text = text
    return number


def join_pieces(pieces: Iterable[tuple[object, TextRange | None]]) -> Traced:
    """Join the values of the pieces of a template to one text.

    Args:
        pieces: Values, each with its expression; None instead for text of the template.
    """
    texts: list[str] = []
    runs: list[TracedRun] = []
    at = 0
    for value, where in pieces:
        text = str(value)
        traced = text if isinstance(text, Traced) else None
        if text and where is not None:
            runs.append(TracedRun(at, at + len(text), where, None, traced))
        elif traced is not None:
            runs += [run.part(0, len(text), at) for run in traced.runs]
        texts.append(text)
        at += len(text)
    return Traced("".join(texts), runs)


def _reprint(text: str, source: Traced) -> Traced:
    where = source.where
    if where is None:
        return Traced(text)
    return Traced(text, (TracedRun(0, len(text), where, None, source, text != source),))
