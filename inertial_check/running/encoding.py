"""Encoding of results as lines of JSON, for other processes and for caches; exact to the bit.

The types of `inertial_check.model` are named tuples of tuples, numbers and strings. JSON writes
them as lists; decoding restores the types from their annotations. A line is never executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from inertial_check.checking.check import DocumentResult
from inertial_check.model import BodyReport, Severity
from inertial_check.model.deferred import Deferred

if TYPE_CHECKING:
    import numpy as np

_Decoder = Callable[[Any], Any]  # Any: parsed JSON of any type, and what is restored from it


def encode(answers: Sequence[tuple[object, ...]]) -> str:
    """Encode results, or rows of documents, as one line of JSON, without a line end."""
    return json.dumps(answers, default=_plain, separators=(",", ":"))


class StoredBodies(Deferred[BodyReport]):
    """The bodies of a stored report, which are decoded when they are first used.

    They are most of a report, and a report of findings needs no more than their number.
    """

    __slots__ = ("_count",)

    def __init__(self, rows: str, count: int) -> None:
        """Keep the bodies as they are stored.

        Args:
            rows: The bodies as a JSON list.
            count: Their number.
        """
        super().__init__(lambda: tuple(map(_body_decoder(), json.loads(rows))))
        self._count = count

    def __len__(self) -> int:
        """Return the number of bodies."""
        return self._count


def encode_apart(result: DocumentResult) -> tuple[str, str, int]:
    """Encode a result without its bodies, and its bodies; also the number of these."""
    if result.file is None:
        return encode([result]), "[]", 0
    bodies = result.file.bodies
    rest = result._replace(file=result.file._replace(bodies=()))
    return encode([rest]), encode(bodies), len(bodies)


def restore_apart(rows: object, bodies: str, count: int) -> DocumentResult:
    """Restore a result that `encode_apart` has encoded; its bodies stay text until they are used.

    Raises:
        ValueError: The rows are not one result.
    """
    (result,) = restore(rows)
    if result.file is None:
        return result
    stored = cast("tuple[BodyReport, ...]", StoredBodies(bodies, count))
    return result._replace(file=result.file._replace(bodies=stored))


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
    decode_row = _result_decoder()
    try:
        return [decode_row(row) for row in rows]
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"no results: {error}") from None


@cache
def _result_decoder() -> _Decoder:
    return _named_tuple_decoder(DocumentResult)


@cache
def _body_decoder() -> _Decoder:
    return _named_tuple_decoder(BodyReport)


def _plain(value: Mapping[str, object] | StoredBodies | np.generic) -> object:
    """Values that JSON can write, for other mappings, stored bodies and NumPy scalars."""
    if isinstance(value, StoredBodies):
        return tuple(value)
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
