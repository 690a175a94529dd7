"""Named tuples whose classes cost little to define.

A check of one file defines ninety of them when it starts. `typing.NamedTuple` compiles every
annotation and one constructor for each class, which took a tenth of the start. `NamedTuple` of
this module makes classes of the same behaviour, which share one constructor for each number of
fields. Type checkers take it for `typing.NamedTuple`, which modules that no check imports may use.
"""

from __future__ import annotations

from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - exported

make_tuple = _new = tuple.__new__
"""Makes a named tuple of its class and a tuple of all its fields, in half the time of a call of the
class: for the few places that make tens of thousands."""

_CONSTRUCTORS = (
    lambda _, a: _new(_, (a,)),
    lambda _, a, b: _new(_, (a, b)),
    lambda _, a, b, c: _new(_, (a, b, c)),
    lambda _, a, b, c, d: _new(_, (a, b, c, d)),
    lambda _, a, b, c, d, e: _new(_, (a, b, c, d, e)),
    lambda _, a, b, c, d, e, f: _new(_, (a, b, c, d, e, f)),
    lambda _, a, b, c, d, e, f, g: _new(_, (a, b, c, d, e, f, g)),
    lambda _, a, b, c, d, e, f, g, h: _new(_, (a, b, c, d, e, f, g, h)),
    lambda _, a, b, c, d, e, f, g, h, i: _new(_, (a, b, c, d, e, f, g, h, i)),
    lambda _, a, b, c, d, e, f, g, h, i, j: _new(_, (a, b, c, d, e, f, g, h, i, j)),
    lambda _, a, b, c, d, e, f, g, h, i, j, k: _new(_, (a, b, c, d, e, f, g, h, i, j, k)),
    lambda _, a, b, c, d, e, f, g, h, i, j, k, m: _new(_, (a, b, c, d, e, f, g, h, i, j, k, m)),
)
"""Constructors of tuples of one field, of two and so on, up to the sizes that are usual: compiled
with this module once, and not in every check."""


@cache
def _constructor_code(size: int) -> CodeType:
    """The compiled constructor of tuples of one size; the names of its parameters mean nothing."""
    if 0 < size <= len(_CONSTRUCTORS):
        return _CONSTRUCTORS[size - 1].__code__
    fields = "".join(f"_{number}, " for number in range(size))
    code: CodeType = eval(f"lambda _cls, {fields}: _new(_cls, ({fields}))").__code__
    return code


class _Methods(tuple[Any, ...]):
    """The methods that all named tuples share."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]

    @classmethod
    def _make(cls, values: Iterable[object]) -> Self:
        made = _new(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **changes: object) -> Self:
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    __replace__ = _replace  # what copy.replace calls from Python 3.13 on

    def _asdict(self) -> dict[str, object]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        """The call that makes an equal tuple."""
        values = ", ".join(map("{}={!r}".format, self._fields, self))
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple[object, ...]:
        """The arguments of the constructor, for copies and pickles."""
        return tuple(self)


if not TYPE_CHECKING:
    from collections import _tuplegetter

    class _Definition(type):
        """Turns the body of a class statement into a subclass of tuple."""

        def __new__(cls, name, bases, body):
            if not bases:
                return type.__new__(cls, name, bases, body)
            fields = tuple(body["__annotations__"])
            defaults = {field: body[field] for field in fields if field in body}
            if (*defaults,) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            code = _constructor_code(len(fields)).replace(
                co_name="__new__", co_qualname=f"{name}.__new__", co_varnames=("_cls", *fields)
            )
            body["__new__"] = FunctionType(code, globals(), "__new__", (*defaults.values(),))
            for index, field in enumerate(fields):
                body[field] = _tuplegetter(index, f"Field number {index}")
            body["__slots__"] = ()
            body["_fields"] = body["__match_args__"] = fields
            body["_field_defaults"] = defaults
            return type(name, (_Methods,), body)

    class NamedTuple(metaclass=_Definition):
        """Base in the statement of a named tuple; the class that it defines has another base."""
