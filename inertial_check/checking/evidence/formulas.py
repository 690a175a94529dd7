"""Dimensions of the formulas of an inertia: every term is a mass times a squared length.

Names tell masses and lengths. What a name, a number or a function does not tell is left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from inertial_check.documents.model import Body, Model, Number
from inertial_check.documents.source import Span

_EXPRESSION = re.compile(r"\s*\$\{([^{}]*)\}\s*")
_FACTOR = 60
"""Largest number that is a factor of a formula of a solid, with room: a box has 12."""

_LONGEST = 2000
"""Largest number of characters of a formula that is read."""

_OF_MASS = re.compile(r"m|(?:\w+_)?mass(?:_[a-z]+)?")
_OF_LENGTH = re.compile(
    r"[dhlrwxyz]|l[xyz]|size_?[xyz]|"
    r"(?:\w+_)?(?:len|length|width|height|depth|radius|diameter|thickness)(?:_[a-z]+)?"
)
_NEITHER = re.compile(
    r"sq|inv|ratio|scale|factor|offset|inertia|density|rho|per_|_per|num|count|frac|i[xyz]{2}"
)
"""Names of masses, of lengths, and of what is neither: a square, a ratio, another quantity."""


class _Dimension(NamedTuple):
    """Powers of mass and of length."""

    mass: Fraction = Fraction(0)
    length: Fraction = Fraction(0)


def list_mismatches(model: Model, body: Body) -> Iterator[tuple[str, Span, str]]:
    """List the entries of a body whose formula contradicts itself: its name, place, and in what."""
    inertial = body.inertial
    if inertial is None or inertial.mass is None:
        return
    for entry, number in inertial.I_BBcm_Bi.items():
        if number.literal or number.span is None or number.span.end - number.span.start > _LONGEST:
            continue
        text = model.source_of(number.span).data[number.span.start : number.span.end]
        match = _EXPRESSION.fullmatch(text.decode("utf-8", "replace"))
        complaint = find_mismatch(match[1], inertial.mass) if match else ""
        if complaint:
            yield entry, number.span, complaint


def find_mismatch(expression: str, mass: Number) -> str:
    """Say in what a formula of an inertia contradicts its dimension; "" if in nothing.

    Args:
        expression: Of xacro, without its braces.
        mass: Of the body: a formula for 1 kg may leave it out.
    """
    found = _read(expression.strip())
    if isinstance(found, str):
        return found
    if found is None or not found.length or found == _OF_INERTIA:
        return ""
    if not found.mass and mass.value == 1:
        return ""
    return f"{expression.strip()} is {_name(found)}: an inertia is a mass times a squared length"


_OF_INERTIA = _Dimension(Fraction(1), Fraction(2))


@lru_cache(maxsize=1024)  # a macro has one formula for all its bodies
def _read(expression: str) -> _Dimension | str | None:
    """Read the dimension of an expression, or in what its terms contradict each other."""
    try:
        return _measure(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    except _MismatchError as error:
        return str(error)


class _MismatchError(Exception):
    """Two terms of different dimensions are added."""


def _measure(node: ast.expr) -> _Dimension | None:
    """Measure an expression; None where it does not tell its dimension."""
    found: _Dimension | None = None
    if isinstance(node, ast.Constant):
        # A small whole number or a half is a factor; of others nobody knows.
        value = node.value
        if isinstance(value, (int, float)) and abs(value) <= _FACTOR and 2 * value % 1 == 0:
            found = _Dimension()
    elif isinstance(node, ast.Name):
        name = node.id.lower()
        mass, length = bool(_OF_MASS.fullmatch(name)), bool(_OF_LENGTH.fullmatch(name))
        if name == "pi":
            found = _Dimension()
        elif mass != length and not _NEITHER.search(name):
            found = _Dimension(Fraction(mass), Fraction(length))
    elif isinstance(node, ast.UnaryOp):
        found = _measure(node.operand)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "pow" and len(node.args) == 2:
            found = _raise(node.args[0], node.args[1])
    elif isinstance(node, ast.BinOp):
        power = isinstance(node.op, ast.Pow)
        found = _raise(node.left, node.right) if power else _combine(node)
    return found


def _combine(node: ast.BinOp) -> _Dimension | None:
    """Measure a sum or a product of two expressions."""
    one, other = _measure(node.left), _measure(node.right)
    if one is None or other is None:
        return None
    if isinstance(node.op, (ast.Mult, ast.Div)):
        sign = 1 if isinstance(node.op, ast.Mult) else -1
        return _Dimension(one.mass + sign * other.mass, one.length + sign * other.length)
    if not isinstance(node.op, (ast.Add, ast.Sub)):
        return None
    if one == other or _Dimension() in (one, other):  # a number may be a length
        return one if one == other else None
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    raise _MismatchError(
        f"{left} is {_name(one)} and {right} {_name(other)}, which cannot be added"
    )


def _raise(base: ast.expr, power: ast.expr) -> _Dimension | None:
    """Measure a power, whose exponent stands there as a number."""
    found = _measure(base)
    times = power.value if isinstance(power, ast.Constant) else None
    if found is None or not isinstance(times, int) or not 1 <= times <= 3:
        return None
    return _Dimension(times * found.mass, times * found.length)


def _name(dimension: _Dimension) -> str:
    """Name a dimension by its unit."""
    powers = (("kg", dimension.mass), ("m", dimension.length))
    units = [unit if power == 1 else f"{unit}^{power}" for unit, power in powers if power]
    return "in " + " ".join(units)
