"""Evaluation of the expressions of a xacro file, which reach only what the file itself can name.

An expression is Python, and the attributes of almost any Python object lead to modules, to the
environment and to files. So no expression is evaluated as it is written: each attribute in it is
looked up by `read_attribute`, which knows the few types that expressions compute with, and so are
the attributes in a template of str.format.
"""

from __future__ import annotations

import ast
import builtins
from _string import (  # type: ignore[import-not-found]  # what string.Formatter splits fields with
    formatter_field_name_split,
)
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from types import CodeType
from typing import Any

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
