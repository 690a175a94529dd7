"""Records: immutable classes with named fields that cost little to define.

`@dataclass(frozen=True)` compiles the methods of each class from text; the dozen that every check
defines took a fifteenth of its start. `Record` behaves the same without that. It is for classes of
which a document makes few objects, because these are constructed in a loop over the fields. The
functions of `dataclasses` (`fields`, `replace`, `asdict`) know records as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

_R = TypeVar("_R", bound="Record")
_MISSING: Any = object()
"""Default of a field that has none, as None may be one."""


class _Field:
    """The default of a field, or what makes it, and whether repr and comparisons look at it."""

    __slots__ = ("compare", "default", "default_factory", "repr")

    def __init__(
        self,
        default: Any = _MISSING,  # noqa: ANN401 - of any type
        default_factory: Any = _MISSING,  # noqa: ANN401 - a function, or none
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.compare = compare


def field(
    *,
    default: Any = _MISSING,  # noqa: ANN401 - of the type of the field
    default_factory: Callable[[], Any] = _MISSING,
    repr: bool = True,
    compare: bool = True,
) -> Any:  # noqa: ANN401 - of the type of the field
    """Declare a field as `dataclasses.field` does."""
    return _Field(default, default_factory, repr, compare)


@cache
def _make_dataclass(record: type[Record]) -> type:
    """Make a dataclass with the fields of a record, for those who ask a record for them."""
    import dataclasses

    declared = []
    for name, each in record._fields.items():
        given: dict[str, Any] = {"repr": each.repr, "compare": each.compare}
        for kind in ("default", "default_factory"):
            if getattr(each, kind) is not _MISSING:
                given[kind] = getattr(each, kind)
        declared.append((name, Any, dataclasses.field(**given)))
    return dataclasses.make_dataclass(record.__name__, declared, frozen=True)


class _OfDataclass:
    """An attribute by which `dataclasses` knows its classes; nothing asks for it in a check."""

    def __set_name__(self, owner: type, name: str) -> None:
        """Keep the name of the attribute."""
        self._name = name

    def __get__(self, record: object, owner: type[Record]) -> object:
        """The attribute of a dataclass with the same fields."""
        # mypy takes the hash of the class for that of its objects.
        made = _make_dataclass(owner)  # type: ignore[arg-type]
        return vars(made)[self._name]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Base of a class with fields; `class A(Record, eq=False)` compares by identity."""

    _fields: ClassVar[dict[str, _Field]] = {}
    __dataclass_fields__: ClassVar[Any] = _OfDataclass()
    __dataclass_params__: ClassVar[Any] = _OfDataclass()

    def __init_subclass__(cls, eq: bool = True) -> None:
        """Collect the fields of a class from its annotations, behind those of its base."""
        cls._fields = dict(cls._fields)
        for name, annotation in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063
            if annotation.startswith("ClassVar"):
                continue
            value = cls.__dict__.get(name, _MISSING)
            declared = value if isinstance(value, _Field) else _Field(value)
            cls._fields[name] = declared
            if declared.default is not _MISSING:
                setattr(cls, name, declared.default)
            elif declared is value:
                delattr(cls, name)
        setattr(cls, "__match_args__", (*cls._fields,))  # noqa: B010 - final for type checkers
        if not eq:
            cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]

    def __init__(self, *arguments: object, **named: object) -> None:
        given = dict(zip(self._fields, arguments, strict=False)) | named
        if len(given) != len(arguments) + len(named) or not given.keys() <= self._fields.keys():
            raise TypeError(f"{type(self).__qualname__}() got arguments that it does not take")
        values = self.__dict__
        for name, declared in self._fields.items():
            if name in given:
                values[name] = given[name]
            elif declared.default_factory is not _MISSING:
                values[name] = declared.default_factory()
            elif declared.default is not _MISSING:
                values[name] = declared.default
            else:
                raise TypeError(f"{type(self).__qualname__}() missing argument {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to change the record."""
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        """Refuse to change the record."""
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        """Whether the other is a record of the same class with equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        """Hash of the values of all fields."""
        return hash(self._values())

    def __repr__(self) -> str:
        """The call that makes an equal record, without the fields that a repr leaves out."""
        shown = [f"{name}={getattr(self, name)!r}" for name, f in self._fields.items() if f.repr]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __replace__(self: _R, /, **changes: object) -> _R:
        """Copy the record with other values in some fields; copy.replace calls it."""
        return replace(self, **changes)

    def _values(self) -> tuple[object, ...]:
        """The values of the fields that are compared."""
        values = self.__dict__
        return tuple([values[name] for name, each in self._fields.items() if each.compare])


def replace(record: _R, **changes: object) -> _R:
    """Copy a record with other values in some fields."""
    values = record.__dict__
    return type(record)(**{name: values[name] for name in record._fields} | changes)
