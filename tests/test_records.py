"""Records and named tuples against those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from dataclasses import FrozenInstanceError
from typing import ClassVar

import pytest

from inertial_check import namedtuples, records
from inertial_check.records import Record


class Own(namedtuples.NamedTuple):
    """A place."""

    x: int
    y: list[int] = [1]  # noqa: RUF012 - one list for all, as in any named tuple

    def double(self) -> int:
        return 2 * self.x


class Standard(typing.NamedTuple):
    """A place."""

    x: int
    y: list[int] = [1]  # noqa: RUF012

    def double(self) -> int:
        return 2 * self.x


class Settings(Record):
    level: int
    KINDS: ClassVar[int] = 2
    names: dict[str, int] = records.field(default_factory=dict)
    data: bytes = records.field(default=b"", repr=False)
    word: str = "a"
    passing: int = records.field(default=1, compare=False)


@dataclasses.dataclass(frozen=True)
class Dataclass:
    level: int
    KINDS: ClassVar[int] = 2
    names: dict[str, int] = dataclasses.field(default_factory=dict)
    data: bytes = dataclasses.field(default=b"", repr=False)
    word: str = "a"
    passing: int = dataclasses.field(default=1, compare=False)


class Compared(Settings, eq=False):
    further: int = 5


@dataclasses.dataclass(frozen=True)
class Derived(Settings):
    further: int = 5


WRONG_CALLS = [((), {}), ((1, 2, 3, 4, 5, 6), {}), ((1,), {"level": 1}), ((1,), {"unknown": 1})]


def test_a_named_tuple_is_that_of_typing():
    own, standard = Own(3), Standard(3)
    assert own == standard == (3, [1])
    assert repr(own) == repr(standard).replace("Standard", "Own")
    assert own.double() == 6
    assert own._asdict() == standard._asdict()
    assert own._replace(x=4) == own.__replace__(x=4) == Own._make([4, [1]]) == Own(x=4)
    assert isinstance(own._replace(x=4), Own)
    for copied in (copy.deepcopy(own), pickle.loads(pickle.dumps(own))):
        assert type(copied) is Own
        assert copied == own
    for name in ("_fields", "_field_defaults", "__match_args__", "__doc__", "__slots__"):
        assert getattr(Own, name) == getattr(Standard, name)
    assert list(inspect.signature(Own).parameters) == ["x", "y"]
    with pytest.raises(AttributeError):
        own.x = 1


def test_a_named_tuple_refuses_what_that_of_typing_refuses():
    for kind in (Own, Standard):
        for arguments, named in WRONG_CALLS:
            with pytest.raises(TypeError, match=r"__new__\(\)"):
                kind(*arguments, **named)
        with pytest.raises(ValueError, match="unexpected field names"):
            kind(1)._replace(z=2)
        with pytest.raises(TypeError, match="xpected 2 arguments"):
            kind._make([1])
    with pytest.raises(TypeError, match="default"):

        class Wrong(namedtuples.NamedTuple):
            x: int = 1
            y: int


def test_a_record_is_a_frozen_dataclass():
    record, model = Settings(3, word="b"), Dataclass(3, word="b")
    assert repr(record) == repr(model).replace("Dataclass", "Settings")
    assert vars(record) == vars(model)
    assert record == Settings(3, {}, b"", "b") != Settings(4, word="b")
    assert record != model
    assert record == Settings(3, {}, b"", "b", 7)
    assert model == Dataclass(3, {}, b"", "b", 7)
    assert hash(Settings(1, (), b"", "")) == hash(Dataclass(1, (), b"", ""))
    assert record.names is not Settings(3).names
    assert records.replace(record, level=5) == dataclasses.replace(record, level=5)
    assert records.replace(record, level=5).level == record.__replace__(level=5).level == 5
    assert dataclasses.asdict(record) == dataclasses.asdict(model)
    assert [each.name for each in dataclasses.fields(Compared)][-2:] == ["passing", "further"]
    assert pickle.loads(pickle.dumps(record)) == copy.copy(record) == record
    assert Settings.__match_args__ == Dataclass.__match_args__
    for change in (lambda: setattr(record, "level", 1), lambda: delattr(record, "level")):
        with pytest.raises(FrozenInstanceError):
            change()


def test_a_record_refuses_wrong_arguments():
    for arguments, named in WRONG_CALLS:
        with pytest.raises(TypeError, match=r"Settings\(\)"):
            Settings(*arguments, **named)


def test_a_record_without_eq_compares_by_identity():
    one = Compared(1)
    assert one == one  # noqa: PLR0124
    assert one != Compared(1)
    assert {one: 1}[one] == 1
    assert one.further == 5


def test_a_dataclass_can_have_a_record_as_its_base():
    derived = Derived(3, word="b", further=6)
    assert (derived.level, derived.word, derived.further) == (3, "b", 6)
    assert dataclasses.replace(derived, level=4) == Derived(4, word="b", further=6) != derived
