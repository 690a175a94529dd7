"""Encoding of results as lines of JSON, for other processes and for caches; exact to the bit.

The types of `inertial_check.model` are named tuples of tuples, numbers and strings. JSON writes
them as lists; decoding restores the types from their annotations. A line is never executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from inertial_check.checking.check import DocumentResult
from inertial_check.model import Severity

if TYPE_CHECKING:
    import numpy as np

_Decoder = Callable[[Any], Any]  # Any: parsed JSON of any type, and what is restored from it


def encode(answers: Sequence[tuple[object, ...]]) -> str:
    """Encode results, or rows of documents, as one line of JSON, without a line end."""
    return json.dumps(answers, default=_plain, separators=(",", ":"))


def decode(line: str | bytes) -> list[DocumentResult]:
    """Decode the results from a line.

    Raises:
        ValueError: The line does not hold results.
    """
    return restore(json.loads(line))


def restore(rows: object) -> list[DocumentResult]:
    """Restore results from parsed JSON.

    Raises:
        ValueError: The rows are not results.
    """
    if not isinstance(rows, list):
        raise ValueError("no results: not a list")
    decode_row = _named_tuple_decoder(DocumentResult)
    try:
        return [decode_row(row) for row in rows]
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"no results: {error}") from None


def _plain(value: Mapping[str, object] | np.generic) -> object:
    """Values that JSON can write, for other mappings and NumPy scalars."""
    return dict(value) if isinstance(value, Mapping) else value.item()


@cache
def _decoder(annotation: object) -> _Decoder | None:
    """The function that restores a value of an annotated type; None if JSON keeps the value."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        (inner,) = {_decoder(each) for each in arguments if each is not type(None)}
        return inner and (lambda value: None if value is None else inner(value))
    if origin is tuple:
        item = _decoder(arguments[0])
        return tuple if item is None else lambda values: tuple(map(item, values))
    if annotation is Any or origin is Literal or annotation in (str, int, float, bool):
        return None
    if annotation is Severity:
        return Severity
    if isinstance(origin, type) and issubclass(origin, Mapping):
        member = _decoder(arguments[1])
        return member and (lambda values: {key: member(value) for key, value in values.items()})
    return _named_tuple_decoder(annotation)


@cache
def _named_tuple_decoder(kind: Any) -> _Decoder:  # noqa: ANN401 - classes of NamedTuple share no type
    """The function that restores a named tuple from the list of its fields."""
    hints = get_type_hints(kind)
    inner = [(at, _decoder(hints[name])) for at, name in enumerate(kind._fields)]
    changed = [(at, decode) for at, decode in inner if decode is not None]
    count = len(inner)

    def decode(row: list[object]) -> object:
        if len(row) != count:
            raise ValueError(f"{kind.__name__} has {count} fields, not {len(row)}")
        for at, each in changed:
            if row[at] is not None:
                row[at] = each(row[at])
        return tuple.__new__(kind, row)

    return decode
