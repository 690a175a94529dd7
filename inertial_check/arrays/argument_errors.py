"""Explanation of an error by the arguments of a call: which one, its value and what was expected.

A public function reads its arguments as it needs them, and a wrong type or shape can fail anywhere
inside, with an error of NumPy or Python that names nothing the caller wrote. Only then are the
arguments compared with the annotations of the function, and with the shapes that its docstring
states.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from numbers import Integral
from types import UnionType
from typing import Any, cast, get_args, get_origin

import numpy as np

from inertial_check.arrays.broadcasting import as_number
from inertial_check.arrays.namespace import array_namespace
from inertial_check.arrays.types import Array
from inertial_check.errors import DefectError, InertialCheckError, ParameterError

_LONGEST_VALUE = 60
"""Largest length of a value in a message [characters]; a longer one is named by type and shape."""

_ARRAYS = frozenset(
    [
        "Array",
        "ArrayLike",
        "ArrayField",
        "Floats",
        "Integers",
        "Mask",
        "NumpyArray",
        "npt.ArrayLike",
        "Triangles",
    ]
)
"""Annotations of arguments that are read as arrays of real numbers."""

_NUMERIC = _ARRAYS | {"float", "int", "Triangles"}
"""Annotations of arguments that hold numbers."""

_SEQUENCES = ("Sequence", "Iterable", "Collection", "list", "tuple", "set")
"""Annotations of arguments that are lists of something, which no text is."""

_SHAPE = re.compile(r"\(([^()]*)\)")
"""A shape in a docstring: (..., 3) or (L, 10)."""

_AXIS = re.compile(r"\.\.\.|\d+|\d* ?[A-Za-z]\w?")
"""The length of one axis in a shape: a number, a letter, a multiple of one, or leading axes."""

_FOREIGN = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
"""Errors with which NumPy, SciPy and Python answer arguments that do not fit together."""


def explain(
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    error: Exception,
) -> ParameterError | None:
    """Find the argument that explains an error; None if none does, or if the error names it."""
    ours = isinstance(error, InertialCheckError)
    if ours and not isinstance(error, (ParameterError, DefectError)):
        return None
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:  # an argument is missing or unknown: Python's own message says which
        return None
    given = {
        name: (value, str(signature.parameters[name].annotation).strip("'"))
        for name, value in bound.arguments.items()
        if _has_annotation(signature.parameters[name])
        and value is not signature.parameters[name].default
    }
    shapes = _read_shapes(inspect.getdoc(function) or "")
    for name, (value, annotation) in given.items():
        fault = _find_fault(name, value, annotation, function, shapes)
        if fault is not None:
            clear = isinstance(error, ParameterError) and _is_clear(str(error), name, value)
            return None if clear else ParameterError(fault)
    return _explain_together(function, given, error)


def _is_clear(message: str, name: str, value: object) -> bool:
    """Decide whether a message names an argument or shows a text of it, so that it may stay."""
    if re.search(rf"\b{name}\b", message) or (isinstance(value, str) and repr(value) in message):
        return True
    items = value if isinstance(value, (list, tuple)) else ()
    texts = [each for each in items if isinstance(each, str)]
    return "expected" in message and any(repr(text) in message for text in texts)


def _has_annotation(parameter: inspect.Parameter) -> bool:
    """Decide whether a parameter is one argument of a stated type."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.annotation is not inspect.Parameter.empty and parameter.kind not in several


class _MismatchError(ParameterError):
    """Numbers that do not fit together, where each by itself is what was expected."""


def _explain_together(
    function: Callable[..., object],
    given: Mapping[str, tuple[object, str]],
    error: Exception,
) -> ParameterError | None:
    """Name the numbers that a foreign error refused, where each by itself is what was expected.

    Errors of a function that the caller passed, of a model, and of a library that traces functions
    are not explained: they are not about the numbers.
    """
    reason = error.__cause__ if isinstance(error, _MismatchError) else error
    if isinstance(reason, InertialCheckError) or not isinstance(reason, _FOREIGN):
        return None
    for name, (value, annotation) in given.items():
        if isinstance(value, np.ndarray) and re.search("Sequence|Collection|tuple", annotation):
            return ParameterError(f"{name} is {_show(value)}, expected a list")
    words = re.findall(r"\w+", " ".join(annotation for _, annotation in given.values()))
    numeric = not _NUMERIC.isdisjoint(words) and "Model" not in words
    traced = type(reason).__module__.partition(".")[0] in ("jax", "jaxlib", "torch")
    if not numeric or traced or any(callable(value) for value, _ in given.values()):
        return None
    values = ", ".join(f"{name} is {_show(value)}" for name, (value, _) in given.items())
    return _MismatchError(
        f"{function.__name__}: these arguments do not fit together: {values} ({reason})"
    )


def _find_fault(
    name: str,
    value: object,
    annotation: str,
    function: Callable[..., object],
    shapes: Mapping[str, list[list[str]]],
) -> str | None:
    """Compare one argument with its annotation and its documented shapes."""
    choices = _split(annotation, "|")
    space = getattr(inspect.unwrap(function), "__globals__", {})
    if not any(_admits(choice, value, space) for choice in choices):
        return f"{name} is {_show(value)}, expected {_name_choices(choices, space)}"
    if name in shapes and any(choice in _ARRAYS for choice in choices) and _is_real(value):
        shape = np.shape(cast("Any", value))  # _is_real has read it
        if not any(_fits(shape, expected) for expected in shapes[name]):
            wanted = " or ".join(f"({', '.join(each)})" for each in shapes[name])
            return f"{name} has shape {shape}, expected {wanted}"
    return None


def _admits(choice: str, value: object, space: Mapping[str, object]) -> bool:
    """Decide whether a value is what one alternative of an annotation names."""
    kind, _, inner = choice.partition("[")
    if choice == "Triangles" and isinstance(value, Iterator):  # blocks, read one by one
        return True
    if choice in _ARRAYS:
        return _is_real(value)
    if kind in _SEQUENCES:
        ordered = kind not in ("Iterable", "Collection", "set")
        items = _split(inner.removesuffix("]"), ",")
        return not (ordered and isinstance(value, Set)) and _admits_items(items, value, space)
    if choice == "float":
        return _is_number(value)
    if choice == "int":
        whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
        return whole and abs(int(cast("int", value))) <= sys.maxsize
    simple: dict[str, Any] = {
        "None": type(None),
        "bool": (bool, np.bool_),
        "str": str,
        "bytes": bytes,
        "Mapping": Mapping,
        "Callable": Callable,
        "os.PathLike": os.PathLike,
    }
    expected = simple.get(kind)
    return _admits_by_name(kind, value, space) if expected is None else isinstance(value, expected)


def _admits_items(items: list[str], value: object, space: Mapping[str, object]) -> bool:
    """Decide whether a value is a list of things of one kind; no iterator, which is read once."""
    refused = (str, bytes, Mapping, Iterator, np.ma.MaskedArray)
    if not isinstance(value, Iterable) or isinstance(value, refused):
        return False
    if not items:
        return True
    kinds = _split(items[0], "|")
    try:
        return all(any(_admits(kind, one, space) for kind in kinds) for one in value)
    except Exception:  # a foreign container that does not iterate as it says
        return False


def _admits_by_name(kind: str, value: object, space: Mapping[str, object]) -> bool:
    """Decide for a name: a class, an alias of literals or of a union, or an unknown name."""
    known: Any = space.get(kind.partition(".")[0], _look_up(kind))
    for part in kind.split(".")[1:]:
        known = getattr(known, part, None)
    literals = _literals(known)
    if literals:
        return isinstance(value, str) and value in literals
    if isinstance(get_origin(known), type) and get_args(known):
        if not isinstance(known, UnionType):
            return _admits_items([], value, space)
        names = [
            each.__name__ if isinstance(each, type) else str(each).replace("collections.abc.", "")
            for each in get_args(known)
        ]
        return any(_admits(each, value, space) for each in names)
    if known is Any or not isinstance(known, type) or getattr(known, "_is_protocol", False):
        return not isinstance(value, (str, bytes, set, dict, complex)) and value is not None
    return isinstance(value, known)


def _look_up(name: str) -> object:
    """Find a class of this package that only type checkers import where it is named."""
    for module in list(sys.modules):
        if module.partition(".")[0] == __package__.partition(".")[0]:
            found = getattr(sys.modules[module], name, None)
            if isinstance(found, type):
                return found
    return None


def _literals(alias: object) -> tuple[str, ...]:
    """The words of a Literal, also of one behind another alias; nothing for any other type."""
    words = get_args(alias)
    return words if words and all(isinstance(word, str) for word in words) else ()


def _is_number(value: object) -> bool:
    """Decide whether a value is one real number; NaN is."""
    if isinstance(value, (str, bytes, bool, np.bool_, np.ma.MaskedArray)):
        return False
    return not np.isnan(as_number(value)) or isinstance(value, (float, np.floating))


def _is_real(value: object) -> bool:
    """Decide whether a value can be read as an array of real numbers; arrays of tracers can."""
    if isinstance(value, (str, bytes, Mapping, np.ma.MaskedArray)):
        return False
    plain = isinstance(value, (bool, float, int, list, tuple, np.ndarray, np.generic))
    try:
        if not plain:
            array_namespace(cast("Array", value))
            return hasattr(value, "shape")
        return np.asarray(value).dtype.kind in "fiu"
    except Exception:  # whatever a foreign object raises, it is no array of numbers
        return False


def _read_shapes(text: str) -> dict[str, list[list[str]]]:
    """Read the shapes of arguments that a docstring states: "theta: (..., 10) or (10 L,)"."""
    shapes: dict[str, list[list[str]]] = {}
    for line in text.splitlines():
        name, separator, rest = line.strip().partition(": ")
        if separator and name.isidentifier():
            written = [part.split(",") for part in _SHAPE.findall(rest.partition("[")[0])]
            axes = [[axis.strip() for axis in each if axis.strip()] for each in written]
            # A shape without leading axes is one of several that the text goes on to name.
            if axes and all(len(each) > 1 and _is_trailing(each) for each in axes):
                shapes[name] = axes
    return shapes


def _is_trailing(axes: list[str]) -> bool:
    """Decide whether these are any leading axes, and last axes of which a length is known."""
    known = any(axis.isdigit() for axis in axes)
    return axes[0] == "..." and known and all(map(_AXIS.fullmatch, axes))


def _fits(shape: tuple[int, ...], expected: list[str]) -> bool:
    """Compare the last axes with documented ones: numbers must agree, names are any length."""
    wanted = expected[1:]
    if len(shape) < len(wanted):
        return False
    pairs = zip(shape[len(shape) - len(wanted) :], wanted, strict=True)
    return all(have == int(want) for have, want in pairs if want.isdigit())


def _split(text: str, separator: str) -> list[str]:
    """Split an annotation at separators that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == separator and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def _name_choices(choices: list[str], space: Mapping[str, object]) -> str:
    """Name what was expected, in words for the common kinds."""
    words = []
    for choice in choices:
        literals = _literals(space.get(choice))
        if literals:
            words.append("one of " + ", ".join(map(repr, literals)))
        elif choice in _ARRAYS:
            words.append("an array of real numbers")
        elif choice.partition("[")[0] in _SEQUENCES:
            words.append(f"a {_name_list(choice)}")
        else:
            plain = {"float": "a number", "int": "a whole number", "str": "a text"}
            words.append(plain.get(choice, choice))
    return " or ".join(dict.fromkeys(words))


def _name_list(choice: str) -> str:
    """Name a sequence and what it holds: Sequence[Sequence[str]] is a list of lists of texts."""
    kind, _, inner = choice.partition("[")
    word = kind if kind in ("set", "tuple") else "list"
    items = [each for each in _split(inner.removesuffix("]"), ",") if each not in ("", "...")]
    if not items or items == ["object"]:
        return word
    count = f"{len(items)} " if len(items) > 1 else ""
    kinds = dict.fromkeys(one for each in items for one in _split(each, "|"))
    return f"{word} of {count}{' or '.join(map(_name_items, kinds))}"


def _name_items(kind: str) -> str:
    """Name the items of a sequence, in the plural where there is a word."""
    if kind.partition("[")[0] in _SEQUENCES:
        word, _, items = _name_list(kind).partition(" ")
        return f"{word}s {items}".strip()
    if kind in _ARRAYS:
        return "arrays of real numbers"
    return {"str": "texts", "float": "numbers", "int": "whole numbers"}.get(kind, kind)


def _show(value: object) -> str:
    """Show a value on one line, or its type and shape where it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a foreign object that cannot show itself
        text = ""
    if text and len(text) <= _LONGEST_VALUE:
        return text
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of shape {shape}" if shape is not None else "")
