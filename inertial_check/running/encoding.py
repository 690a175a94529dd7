"""Reports as lines of JSON and back, the same to the bit: between processes, and into a cache.

The types of `inertial_check.model` are tuples of tuples, numbers and texts, which JSON writes as
they are; what they were is read off their annotations. Nothing that a line says is ever executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from inertial_check.checking.check import Outcome
from inertial_check.model import Severity

_Decoder = Callable[[Any], Any]


def encoded(outcomes: list[Outcome]) -> str:
    """The outcomes as one line of JSON, without its end."""
    return json.dumps(outcomes, default=_plain, separators=(",", ":"))


def decoded(line: str | bytes) -> list[Outcome]:
    """The outcomes that a line stands for.

    Raises:
        ValueError: It is no such line.
    """
    return restored(json.loads(line))


def restored(rows: Any) -> list[Outcome]:
    """The outcomes that JSON stands for, once it is read.

    Raises:
        ValueError: It stands for none.
    """
    decode = _outcome()
    try:
        return [decode(row) for row in rows]
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"no outcomes: {error}") from None


@cache
def _outcome() -> _Decoder:
    return _decoder(Outcome) or _as_it_is


def _plain(value: Any) -> Any:
    """What JSON can write, of a mapping that is no dict or of a number of NumPy."""
    return dict(value) if isinstance(value, Mapping) else value.item()


@cache
def _decoder(annotation: Any) -> _Decoder | None:
    """What makes a value of this type from what JSON has of it; None where that is the same."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        (inner,) = {_decoder(each) for each in arguments if each is not type(None)}
        return inner and (lambda value: None if value is None else inner(value))
    if origin is tuple:
        return _tuple(_decoder(arguments[0]))
    if annotation is Any or origin is Literal or annotation in (str, int, float, bool):
        return None
    if annotation is Severity:
        return Severity
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(_decoder(arguments[1]))
    return _named(annotation)


def _tuple(inner: _Decoder | None) -> _Decoder:
    return tuple if inner is None else lambda values: tuple(map(inner, values))


def _mapping(inner: _Decoder | None) -> _Decoder | None:
    if inner is None:
        return None
    return lambda values: {key: inner(value) for key, value in values.items()}


def _named(kind: Any) -> _Decoder:
    """For a NamedTuple, which JSON has as a list of its fields."""
    hints = get_type_hints(kind)
    inner = [(at, _decoder(hints[name])) for at, name in enumerate(kind._fields)]
    changed = [(at, decode) for at, decode in inner if decode is not None]
    count = len(inner)

    def decode(row: list[Any]) -> Any:
        if len(row) != count:
            raise ValueError(f"{kind.__name__} has {count} fields, not {len(row)}")
        for at, each in changed:
            if row[at] is not None:
                row[at] = each(row[at])
        return kind._make(row)

    return decode


def _as_it_is(value: Any) -> Any:
    return value
