"""Configuration files: how they are found, their options, and the settings of each file.

A value comes from the command line, else from the nearest configuration file above the file that is
checked, else from a file that this one extends, else it is the default. Every value has its origin.

Values of the table [fill] of configuration files: what is known of bodies without inertials.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard, TypeVar

from inertial_check.checking.report import Severity
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import (
    FORMS,
    Exemption,
    Settings,
    codes_of,
    validate_engine,
    validate_presets,
    validate_selector,
)
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import (
    Access,
    Limits,
    contains,
    is_beyond_ceiling,
    parse_size,
    root_of,
)
from inertial_check.documents.source import Place
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances

if TYPE_CHECKING:
    from inertial_check.checking.expected import Expected
    from inertial_check.checking.toml import TomlFile
    from inertial_check.documents.files.walking import PathPattern


FILE_NAMES = ("inertial-check.toml", ".inertial-check.toml", "pyproject.toml")
"""Names of configuration files; in one folder the first that exists is used."""

_SHARED_FILE, _TABLE = "pyproject.toml", ("tool", "inertial-check")
_MARKS = (b"inertial-check", b"inertial_check")
"""Names in a pyproject.toml that may hold a configuration: the table, and its misspelling."""

_EXTEND = "extend"
_RESERVED = "only the command line, or a --config outside the repository, can"

_Validated = TypeVar("_Validated")


class Origin(Protocol):
    """A source of option values: a configuration file or the command line."""

    @property
    def folder(self) -> str:
        """The folder that relative paths are relative to."""

    @property
    def tree(self) -> str:
        """The folder that patterns and packages start at: that of a file in the checked tree."""

    @property
    def stand(self) -> Stand | None:
        """Files that stand for those of the checked tree that it names; None if those do."""

    @property
    def trusted(self) -> bool:
        """Whether it may raise limits, and allow the environment and files outside the root."""

    def place(self, keys: Sequence[str]) -> str:
        """The place of a value, as messages show it."""

    def name(self, keys: Sequence[str]) -> str:
        """The place and name of a value, as the beginning of a message."""

    def locate_items(self, keys: Sequence[str], count: int) -> Sequence[Place | None]:
        """The place of each item of a list of tables; None without a file."""


class Stand(NamedTuple):
    """A folder whose configurations and tables count in place of those of a checked tree.

    Attributes:
        tree: Real path of the root of the tree.
        folder: Real path of the folder; None if no file counts.
        shown: Beginning of the paths in it, in messages; "" to show them as they are.
        trusted: Whether its configurations may raise limits.
    """

    tree: str
    folder: str | None = None
    shown: str = ""
    trusted: bool = False

    def find(self, path: str) -> str | None:
        """Find the path that stands for one in the tree; None for another, or without a folder."""
        real = os.path.realpath(path)
        if self.folder is None or not contains(self.tree, real):
            return None
        return os.path.normpath(os.path.join(self.folder, os.path.relpath(real, self.tree)))

    def restore(self, path: str) -> str:
        """Find the path in the tree that one in the folder stands for; another stays."""
        absolute = os.path.abspath(path)
        if self.folder is None or not contains(self.folder, absolute):
            return path
        return os.path.normpath(os.path.join(self.tree, os.path.relpath(absolute, self.folder)))


class Where(NamedTuple):
    """The place of one value.

    Attributes:
        origin: The file, or the command line.
        keys: The name of the option, and the keys inside it.
    """

    origin: Origin
    keys: tuple[str, ...]

    def __str__(self) -> str:
        """The place, as messages show it."""
        return self.origin.place(self.keys)

    def inside(self, key: str) -> Where:
        """The place of a member of a table."""
        return Where(self.origin, (*self.keys, key))

    def wrong(self, message: str) -> UsageError:
        """The error for a value that cannot be used."""
        return UsageError(self.origin.name(self.keys) + message)

    def unlike(self, value: object, expected: str) -> UsageError:
        """The error for a value of the wrong type or range."""
        return self.wrong(f" is {_show(value)}: expected {expected}")

    def validate(self, validate: Callable[[str], _Validated], value: str) -> _Validated:
        """Call a validation function; put the place before the message of its error."""
        try:
            return validate(value)
        except UsageError as error:
            raise self.wrong(f": {error}") from None


class Value(NamedTuple):
    """One value of an option.

    Attributes:
        written: The value as the configuration file or the command line states it.
        where: Its place; None for a default.
        read: The value checked and converted to that of Settings; None for a default.
    """

    written: object
    where: Where | None = None
    read: Any = None  # Any: each option has its own type


@dataclass(frozen=True)
class _CommandLine:
    """The origin of options on the command line."""

    stand: Stand | None = None
    folder = tree = ""
    trusted = True

    def place(self, keys: Sequence[str]) -> str:
        return "command line"

    def name(self, keys: Sequence[str]) -> str:
        return "--" + " ".join(keys)

    def locate_items(self, keys: Sequence[str], count: int) -> Sequence[Place | None]:
        return [None] * count


class _File:
    """The origin of options in a configuration file."""

    stand = None

    def __init__(self, path: str, trusted: bool, stand: Stand | None) -> None:
        from inertial_check.checking.toml import TomlFile, relative_path

        self.trusted = trusted
        access = Access(follow_outside=True) if trusted else Access().of_document(path)
        read = shown = relative_path(path)
        self.folder = self.tree = os.path.dirname(read)
        if stand is not None and (own := stand.restore(path)) != path:
            self.tree = os.path.dirname(own)
            place = os.path.relpath(own, stand.tree).replace(os.sep, "/")
            shown = f"{stand.shown}:{place}" if stand.shown else read
        self.toml: TomlFile = TomlFile(read, access, shown)
        self.table = _TABLE if os.path.basename(path) == _SHARED_FILE else ()

    def place(self, keys: Sequence[str]) -> str:
        return f"{self.toml.path}:{self.toml.line((*self.table, *keys))}"

    def name(self, keys: Sequence[str]) -> str:
        return f"{self.place(keys)}: {'.'.join(keys)}"

    def locate_items(self, keys: Sequence[str], count: int) -> Sequence[Place | None]:
        lines = self.toml.lines_of_items((*self.table, *keys), count)
        return [Place(line, 1, line, 1, self.toml.path) for line in lines]

    def values(self) -> Mapping[str, object] | None:
        """The options that the file sets; None if it has no section for this program.

        Raises:
            UsageError: An unknown option; suggests the nearest.
        """
        found: object = self.toml.values
        for key in self.table:
            if not isinstance(found, Mapping) or key not in found:
                # Refuse a table whose name has underscores, which would be ignored without a word.
                wrong = key.replace("-", "_")
                if wrong != key and isinstance(found, Mapping) and wrong in found:
                    place = f"{self.toml.path}:{self.toml.line((*self.table[:-1], wrong))}"
                    raise UsageError(f"{place}: [tool.{wrong}] is not read; write [tool.{key}]")
                return None
            found = found[key]
        if not isinstance(found, Mapping):
            raise Where(self, ()).wrong(f"[tool.inertial-check] is {_show(found)}: not a table")
        for key in found:
            if key not in OPTIONS and key != _EXTEND:
                hint = suggest_key(key, [*OPTIONS, _EXTEND])
                raise UsageError(f"{self.place((key,))}: unknown key {key!r}{hint}")
        return found


def suggest_key(key: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown key: the nearest one, else all that are known."""
    return suggest_name(key, known, f": expected one of {', '.join(known)}")


def _show(value: object) -> str:
    """A value approximately as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, Mapping) else repr(value)


# Readers of values: each checks a written value and converts it to that of Settings.


def read_choice(*words: str) -> Callable[[object, Where], str]:
    """Make a reader of one of some words."""

    def read(value: object, where: Where) -> str:
        if not isinstance(value, str):
            raise where.unlike(value, f"one of {', '.join(words)}")
        if value not in words:
            raise where.unlike(value, f"one of {', '.join(words)}{suggest_name(value, words)}")
        return value

    return read


def read_flag(value: object, where: Where) -> bool:
    """Read true or false; raises UsageError for anything else."""
    if not isinstance(value, bool):
        raise where.unlike(value, "true or false")
    return value


def read_text(value: object, where: Where) -> str:
    """Read a text that is not empty; raises UsageError for anything else."""
    if not isinstance(value, str) or not value:
        raise where.unlike(value, "a text")
    return value


def _texts(value: object, where: Where) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise where.unlike(value, "a list of texts")
    return tuple(value)


def _texts_of(validate: Callable[[str], str]) -> Callable[[object, Where], tuple[str, ...]]:
    def read(value: object, where: Where) -> tuple[str, ...]:
        return tuple(where.validate(validate, each) for each in _texts(value, where))

    return read


_selectors = _texts_of(validate_selector)


def _presets(value: object, where: Where) -> str:
    return ",".join(where.validate(validate_presets, read_text(value, where)))


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a finite number that float64 holds; an integer of TOML may be any."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def _tolerance(value: object, where: Where) -> float:
    if not is_number(value) or value < 0:
        raise where.unlike(value, "a margin, so a number that is 0 or positive")
    return float(value)


def _expected_mass(value: object, where: Where) -> tuple[float, float]:
    """Mass [kg] and allowed relative deviation, from a number or a text KG:REL."""
    text = f"{value!r}" if is_number(value) else value
    mass, _, deviation = text.partition(":") if isinstance(text, str) else ("", "", "")
    try:
        pair = float(mass), float(deviation) if deviation else tolerances.TOTAL_MASS
        if all(0 < number < float("inf") for number in pair):
            return pair
    except ValueError:
        pass
    raise where.unlike(value, "KG or KG:REL, both positive, as 12.5:0.02")


def _expected(value: object, where: Where) -> tuple[Expected, ...]:
    """Read expected numbers of bodies: the path of their table, or rows by patterns of bodies."""
    from inertial_check.checking.expected import read_expected, read_row

    if isinstance(value, str):
        path, origin = read_path(value, where), where.origin
        access = Access(follow_outside=True) if origin.trusted else Access().of_document(path)
        return read_expected(path, access, os.path.join(origin.tree, os.path.dirname(value)))
    if not isinstance(value, Mapping):
        raise where.unlike(value, "the path of a table, or rows by the names of bodies")
    return tuple(
        read_row({"body": name} | dict(row), str(where.inside(name)), where.origin.tree)
        if isinstance(row, Mapping)
        else read_row(row, str(where.inside(name)), "")
        for name, row in value.items()
    )


def _environment(value: object, where: Where) -> tuple[tuple[str, str | None], ...]:
    """Read the environment variables that xacro files may read: texts NAME or NAME=VALUE."""
    found: dict[str, str | None] = {}
    for text in _texts(value, where):
        name, equals, given = text.partition("=")
        if not name:
            raise where.unlike(value, "texts NAME or NAME=VALUE")
        found[name] = given if equals else os.environ.get(name)
    if found and not where.origin.trusted:
        raise where.wrong(f": {_RESERVED} give environment variables to a document")
    return tuple(found.items())


def _outside(value: object, where: Where) -> bool:
    if read_flag(value, where) and not where.origin.trusted:
        raise where.wrong(f": {_RESERVED} allow files outside the root")
    return bool(value)


def _size(value: object, where: Where) -> int:
    """Read a size [bytes], as a number or as a text such as 200MB."""
    size = parse_size(value) if isinstance(value, str) else value
    if not isinstance(size, int) or isinstance(size, bool) or size <= 0:
        raise where.unlike(value, "a size such as 200MB, or a number of bytes")
    return int(_lower(size, Limits.document, where))


def _seconds(value: object, where: Where) -> float:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise where.unlike(value, "a number of seconds") from None
    if not is_number(value) or not value > 0:
        raise where.unlike(value, "a positive number of seconds")
    return _lower(float(value), Limits.seconds, where)


def _lower(value: float, default: float, where: Where) -> float:
    """Refuse a limit above its default from a configuration inside the checkout."""
    if value > default and not where.origin.trusted:
        raise where.wrong(f" is above the default of {default:g}: {_RESERVED} raise a limit")
    return value


def _jobs(value: object, where: Where) -> int | str:
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise where.unlike(value, "a number of processes, 0 or more, or auto")


def _versions(value: object, where: Where) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000:
        return value
    raise where.unlike(value, "a number of older versions, 0 to 1,000")


def _file(value: object, where: Where, folder: str | None = None) -> str:
    path = read_text(value, where)
    if "\0" in path:
        raise where.unlike(value, "a path without NUL")
    folder = where.origin.folder if folder is None else folder
    return os.path.join(folder, path).replace(os.sep, "/")


def read_path(value: object, where: Where) -> str:
    """Read a path from the folder of the configuration; raises UsageError for one outside.

    Only the command line and a trusted configuration may name files outside the repository.
    """
    path, stand = _file(value, where), where.origin.stand
    if stand is not None and contains(stand.tree, os.path.realpath(path)):
        found = stand.find(path)
        if found is None:
            raise where.wrong(
                f": {path} is a file of the checked tree: --gate takes it of --trusted"
            )
        path = found
    folder = where.origin.folder or os.curdir
    if not where.origin.trusted and not Access().of_document(folder).allows(path):
        raise where.wrong(f": {path} lies outside the repository: {_RESERVED} name it")
    return path


def _folder(value: object, where: Where) -> str:
    folder = _file(value, where, where.origin.tree)
    if not os.path.isdir(folder):
        raise where.wrong(f": no such folder: {folder}")
    return folder


def _argument(value: object, where: Where) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise where.unlike(value, "a text or a number")
    return str(value)


def _pattern(text: str, where: Where) -> PathPattern:
    from inertial_check.documents.files.walking import PathPattern

    pattern = PathPattern(os.path.abspath(where.origin.tree), text)
    if not pattern.valid or text.startswith("!"):
        raise where.wrong(f": {text!r} is no pattern of paths: expected one as in a .gitignore")
    return pattern


def _patterns(value: object, where: Where) -> tuple[PathPattern, ...]:
    return tuple(_pattern(text, where) for text in _texts(value, where))


_EXEMPTION = ("codes", "reason")


def _exemption(value: object, where: Where) -> Exemption:
    """Read the member `where.keys[-1]` of per-file-ignores or per-body-ignores."""
    option, name = where.keys
    files, _, body = name.partition("::")
    if option == "per-body-ignores" and not (files and body):
        raise where.wrong(': expected FILES::BODY, as "robots/*.urdf::tool0"')
    reason = ""
    if isinstance(value, Mapping):
        for key in value:
            if key not in _EXEMPTION:
                raise where.inside(key).wrong(f": unknown key{suggest_key(key, _EXEMPTION)}")
        reason = read_text(value["reason"], where.inside("reason")) if "reason" in value else ""
        if "codes" not in value:
            raise where.wrong(" has no codes")
        value = value["codes"]
    selectors = _selectors(value, where)
    if option == "per-file-ignores":
        return Exemption(_pattern(name, where), None, selectors, reason)
    return Exemption(_pattern(files, where), body, selectors, reason)


_ACCEPTANCE = ("files", "bodies", "codes", "reason")


def _acceptances(value: object, where: Where) -> tuple[Exemption, ...]:
    """Read the tables of `accepted`: findings that are known, each with the reason."""
    if not isinstance(value, list | tuple):
        raise where.unlike(value, "a list of tables, each written as [[accepted]]")
    places = where.origin.locate_items(where.keys, len(value))
    return tuple(
        _acceptance(each, where.inside(f"{n}"), place)
        for n, (each, place) in enumerate(zip(value, places, strict=True), 1)
    )


def _acceptance(value: object, where: Where, place: Place | None) -> Exemption:
    if not isinstance(value, Mapping):
        raise where.unlike(value, 'a table, as { files = "robots/*.urdf", reason = "..." }')
    for key in value:
        if key not in _ACCEPTANCE:
            raise where.inside(key).wrong(f": unknown key{suggest_key(key, _ACCEPTANCE)}")
    for key, what in (("files", "a pattern of paths"), ("reason", "the reason for accepting")):
        if key not in value:
            raise where.wrong(f" has no {key}: write {what}")
    texts = {
        key: read_text(value[key], where.inside(key))
        for key in ("files", "bodies", "reason")
        if key in value
    }
    if not texts["reason"].strip():
        raise where.inside("reason").wrong(" is blank: write the reason for accepting")
    selectors = _selectors(value["codes"], where.inside("codes")) if "codes" in value else ("ALL",)
    return Exemption(
        _pattern(texts["files"], where.inside("files")),
        texts.get("bodies"),
        selectors,
        texts["reason"],
        accepted=True,
        place=place,
    )


def _accept(value: object, where: Where) -> Exemption:
    """Read a member of `accept`: a body that is as it is on purpose, by FILES::BODY.

    Errors about numbers are not accepted: no purpose gives a body that nothing has.
    """
    files, _, body = where.keys[-1].partition("::")
    if not (files and body):
        raise where.wrong(': expected FILES::BODY, as "robots/*.urdf::tool0"')
    if not isinstance(value, Mapping) or set(value) != set(_EXEMPTION):
        raise where.wrong(' needs both: { codes = ["IC502"], reason = "..." }')
    selectors = _selectors(value["codes"], where.inside("codes"))
    wrong = sorted(
        rule.code
        for rule in ALL_RULES
        if rule.severity == Severity.ERROR and not rule.code.startswith("IC7")
        if any(rule.code in codes_of(selector) for selector in selectors)
    )
    if wrong:
        raise where.wrong(f": {wrong[0]} is an error about numbers, which nobody can accept")
    if not read_text(value["reason"], where.inside("reason")).strip():
        raise where.inside("reason").wrong(" is blank: write the reason")
    place = next(iter(where.origin.locate_items(where.keys, 1)))
    pattern = _pattern(files, where)
    return Exemption(pattern, body, selectors, str(value["reason"]), accepted=True, place=place)


def _fill_value(value: object, where: Where) -> object:
    """Read a member of the table [fill], which only configurations for `fill` have."""
    # Check the member `where.keys[-1]` of the table, and convert it.
    key = where.keys[-1]
    if key not in _READERS:
        raise where.wrong(f": unknown key{suggest_key(key, list(_READERS))}")
    return _READERS[key](value, where)


class Option(NamedTuple):
    """An option of configuration files.

    Attributes:
        default: The default, as it would be written; None for none.
        read: Checks and converts a written value; for a table, the value of one member.
        table: Whether the option is a table; tables of several origins are merged.
        adds_to: The option whose list this one extends.
        whole_run: Whether the configuration nearest to the working directory sets it for the run.
    """

    default: object
    read: Callable[[object, Where], object]
    table: bool = False
    adds_to: str | None = None
    whole_run: bool = False


_FAIL_ON = ("error", "warning", "note", "never")
OPTIONS: Mapping[str, Option] = {
    "select": Option(("ALL",), _selectors),
    "extend-select": Option((), _selectors, adds_to="select"),
    "ignore": Option((), _selectors),
    "extend-ignore": Option((), _selectors, adds_to="ignore"),
    "preset": Option("default", _presets),
    "strict": Option(False, read_flag),
    "fail-on": Option("error", read_choice(*_FAIL_ON), whole_run=True),
    "tolerance": Option(0.0, _tolerance),
    "geometry": Option("auto", read_choice("auto", "off")),
    "engine": Option((), _texts_of(validate_engine)),
    "expect-mass": Option(None, _expected_mass),
    "expect": Option(None, _expected),
    "history": Option(0, _versions),
    "package-path": Option({}, _folder, table=True),
    "xacro-arg": Option({}, _argument, table=True),
    "xacro-env": Option((), _environment),
    "follow-outside": Option(False, _outside),
    "max-file-size": Option(Limits.document, _size),
    "timeout": Option(Limits.seconds, _seconds),
    "exclude": Option((), _patterns),
    "per-file-ignores": Option({}, _exemption, table=True),
    "per-body-ignores": Option({}, _exemption, table=True),
    "accepted": Option((), _acceptances, adds_to="accepted"),
    "accept": Option({}, _accept, table=True),
    "fill": Option({}, _fill_value, table=True),
    "allow-unjudged": Option(False, read_flag, whole_run=True),
    "baseline": Option(None, read_path, whole_run=True),
    "output-format": Option("full", read_choice(*FORMS), whole_run=True),
    "jobs": Option("auto", _jobs, whole_run=True),
}
"""Every option that may be configured, by its name on the command line."""


class _Layer(NamedTuple):
    """The options that one origin sets."""

    origin: Origin
    values: Mapping[str, object]


class Configuration:
    """The configuration that holds for a folder.

    Attributes:
        path: Path of the configuration file; None if there is none.
    """

    def __init__(
        self, layers: Sequence[_Layer], path: str | None = None, access: Access | None = None
    ) -> None:
        """Merge layers.

        Args:
            layers: The layers; a later one overrides an earlier one.
            path: Path of the configuration file.
            access: The folders that the command line names.

        Raises:
            UsageError: A value of the wrong type or range; names the place.
        """
        self.path = path
        self._access = access or Access()
        self._values: dict[str, list[Value]] = {name: [] for name in OPTIONS}
        for layer in layers:
            for name, option in OPTIONS.items():
                if name in layer.values:
                    self._take(layer, name, option)

    def _take(self, layer: _Layer, name: str, option: Option) -> None:
        where, written = Where(layer.origin, (name,)), layer.values[name]
        if option.table:
            if not isinstance(written, Mapping):
                raise where.unlike(written, "a table")
            for key, each in written.items():
                self._drop(name, where.inside(key).keys)
                self._add(name, option, each, where.inside(key))
            return
        if option.adds_to is None:
            for other, each in OPTIONS.items():
                if name in (other, each.adds_to):
                    self._drop(other, (other,))
        self._add(name, option, written, where)

    def _add(self, name: str, option: Option, written: object, where: Where) -> None:
        self._values[name].append(Value(written, where, option.read(written, where)))

    def _drop(self, name: str, keys: tuple[str, ...]) -> None:
        """Forget the earlier values of an option, or of a member of a table."""
        values = self._values[name]
        values[:] = [each for each in values if each.where is None or each.where.keys != keys]

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - each option has its own type
        """The value of an option, checked and converted; a dict for a table."""
        option, values = OPTIONS[name], self._values[name]
        if option.table:
            return {each.where.keys[-1]: each.read for each in values if each.where}
        if option.adds_to is not None:
            return tuple(chain.from_iterable(each.read for each in values))
        return values[-1].read if values else option.default

    def values(self, name: str) -> Sequence[Value]:
        """The values of an option with their places; for a table, its members.

        If there is none, the default; nothing for a table or list that is empty by default.
        """
        default = OPTIONS[name].default
        if self._values[name] or default in ((), {}, None):
            return self._values[name]
        return [Value(list(default) if isinstance(default, tuple) else default)]

    @cached_property
    def settings(self) -> Settings:
        """The settings for checking a document.

        Raises:
            UsageError: The selection leaves no rule to run.
        """
        fail_on = self["fail-on"]
        ignores = (self["per-file-ignores"].values(), self["per-body-ignores"].values())
        settings = Settings(
            select=(*self["select"], *self["extend-select"]),
            ignore=(*self["ignore"], *self["extend-ignore"]),
            fail_on=None if fail_on == "never" else Severity[fail_on.upper()],
            strict=self["strict"],
            tolerance=self["tolerance"],
            context=self._context(),
            preset=self["preset"],
            geometry=self["geometry"],
            engines=self["engine"],
            expected_mass=self["expect-mass"],
            expected=self["expect"] or (),
            history=self["history"],
            exemptions=tuple(chain(self["accepted"], self["accept"].values(), *ignores)),
            exclude=self["exclude"],
        ).validate()
        if not settings.rules():
            raise UsageError(f"{self._selection()} leave no rule to run")
        return settings

    def _context(self) -> Context:
        """Make the context of documents: what they may refer to and use."""
        limits = Limits(seconds=self["timeout"]).with_document(self["max-file-size"])
        access = replace(self._access, follow_outside=self["follow-outside"], limits=limits)
        named = (each for each in self.values("package-path") if each.where is not None)
        folders = [each.read for each in named if each.where and each.where.origin.trusted]
        return Context(
            self["package-path"],
            self["xacro-arg"],
            xacro_env=dict(self["xacro-env"]),
            access=access.with_folders(folders),
        )

    def _selection(self) -> str:
        """The places that select rules, for an error message."""
        places = {
            str(value.where)
            for name in ("select", "extend-select", "ignore", "extend-ignore")
            for value in self._values[name]
        }
        return f"{', '.join(sorted(places))}: select and ignore"


class Configurations:
    """The configurations of all folders; each file is read once."""

    def __init__(
        self,
        command_line: Mapping[str, object] | None = None,
        file: str | None = None,
        isolated: bool = False,
        access: Access | None = None,
        stand: Stand | None = None,
    ) -> None:
        """Set the options that override configuration files.

        Args:
            command_line: Options that override every file, by name, as a file would write them.
            file: The configuration file of all documents, instead of the nearest of each.
            isolated: Whether to read no configuration file.
            access: The folders that the command line names.
            stand: What stands for the checked tree, whose own files do not count then.

        Raises:
            UsageError: Both `file` and `isolated` are given, or the file has no configuration.
        """
        if isolated and file is not None:
            raise UsageError("--isolated reads no configuration, --config names one: choose one")
        self._access = access
        self.stand = stand
        self._command_line = _Layer(_CommandLine(stand), command_line or {})
        self._folders: dict[str, Configuration] = {}
        self._only: Configuration | None = None
        if isolated:
            self._only = Configuration([self._command_line], access=access)
        elif file is not None:
            outside = not contains(root_of(os.getcwd()).path, os.path.realpath(file))
            if stand is not None and not outside:
                raise UsageError(f"--config {file}: --gate takes no file of the checked tree")
            self._only = self._read_configuration(file, outside)
            if self._only is None:
                raise UsageError(f"{file} has no table [tool.inertial-check]")

    @property
    def run(self) -> Configuration:
        """The configuration of the whole run: that of the working directory."""
        return self._of_folder(os.getcwd())

    @property
    def read(self) -> Sequence[Configuration]:
        """The configurations that were asked for so far."""
        return list(dict.fromkeys([self.run, *self._folders.values()]))

    def of(self, path: str) -> Configuration:
        """The configuration of a file or folder.

        Raises:
            UsageError: It cannot be read.
        """
        absolute = os.path.abspath(path)
        folder = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
        return self._of_folder(folder)

    def excludes(self, path: str) -> bool:
        """Whether a folder search leaves out the file at a path."""
        return self.settings(path).excludes(path)

    def settings(self, path: str) -> Settings:
        """The settings of a file; one object for all files of one configuration.

        Raises:
            UsageError: The configuration cannot be read.
        """
        return self._of_folder(os.path.dirname(os.path.abspath(path))).settings

    def _of_folder(self, folder: str) -> Configuration:
        if self._only is not None:
            return self._only
        passed: list[str] = []
        found = self._folders.get(folder)
        while found is None:
            passed.append(folder)
            found = self._in_folder(folder)
            above = os.path.dirname(folder)
            if found is None and above == folder:
                found = Configuration([self._command_line], access=self._access)
            folder = above
            found = found or self._folders.get(folder)
        for each in passed:
            self._folders[each] = found
        return found

    def _in_folder(self, folder: str) -> Configuration | None:
        place = folder if self.stand is None else self.stand.find(folder)
        if place is None or is_beyond_ceiling(folder):
            return None
        trusted = self.stand is not None and self.stand.trusted
        for name in FILE_NAMES:
            path = os.path.join(place, name)
            if _may_be_one(path) and (found := self._read_configuration(path, trusted)) is not None:
                return found
        return None

    def _read_configuration(self, path: str, trusted: bool = False) -> Configuration | None:
        layers = list(_layers(path, trusted, self.stand))
        if not layers:
            return None
        origin = layers[0].origin
        shown = origin.toml.path if isinstance(origin, _File) else path
        return Configuration([*reversed(layers), self._command_line], shown, self._access)


def _may_be_one(path: str) -> bool:
    """Whether a file may be a configuration; a pyproject.toml must name the table of it."""
    if not path.endswith(_SHARED_FILE):
        return os.path.lexists(path) and not os.path.isdir(path)
    if not os.path.lexists(path):  # as in most folders
        return False
    try:
        from inertial_check.checking.toml import LARGEST

        data = Access().of_document(path).read(path, LARGEST)
    except OSError:
        return False
    return any(mark in data for mark in _MARKS)


def _layers(
    path: str, trusted: bool, stand: Stand | None, above: tuple[str, ...] = ()
) -> Iterator[_Layer]:
    """Yield the options of a file, then those of the files that it extends.

    Raises:
        UsageError: A file cannot be read, or extends itself.
    """
    file = _File(path, trusted, stand)
    values = file.values()
    if values is None:
        return
    yield _Layer(file, values)
    if _EXTEND not in values:
        return
    where = Where(file, (_EXTEND,))
    base = _file(values[_EXTEND], where)
    known = (*above, os.path.realpath(path))
    if os.path.realpath(base) in known:
        raise where.wrong(f": {base} extends this file in turn")
    if not trusted and not Access().of_document(path).allows(base):
        raise where.wrong(f": {base} lies outside the repository: {_RESERVED} extend it")
    if not os.path.isfile(base):
        raise where.wrong(f": no such file: {base}")
    inherited = list(_layers(base, trusted, stand, known))
    if not inherited:
        raise where.wrong(f": {base} has no table [tool.inertial-check]")
    yield from inherited


def _number(value: object, where: Where) -> float:
    if not is_number(value):
        raise where.unlike(value, "a number")
    return float(value)


def _positive(value: object, where: Where) -> float:
    number = _number(value, where)
    if not number > 0:
        raise where.unlike(value, "a positive number")
    return number


def _table_of(read: Callable[[object, Where], object]) -> Callable[[object, Where], object]:
    def read_table(value: object, where: Where) -> dict[str, object]:
        if not isinstance(value, Mapping):
            raise where.unlike(value, "a table")
        return {name: read(each, where.inside(name)) for name, each in value.items()}

    return read_table


def _material(value: object, where: Where) -> float | str:
    """A density [kg/m^3], or the name of a material."""
    return value if isinstance(value, str) else _positive(value, where)


def _total_mass(value: object, where: Where) -> tuple[float, float]:
    """Mass [kg] and relative deviation, from a number or a text KG:REL."""
    if not isinstance(value, str):
        return _positive(value, where), 0.0
    mass, _, deviation = value.partition(":")
    try:
        found = float(mass), float(deviation or "0")
    except ValueError:
        raise where.unlike(value, "KG or KG:REL, as 23.5:0.01") from None
    if not (found[0] > 0 and isfinite(found[0]) and 0 <= found[1] < 1):
        raise where.unlike(value, "KG or KG:REL, a positive mass and a part of 1")
    return found


def _numbers(count: int, what: str) -> Callable[[object, Where], tuple[float, ...]]:
    def read(value: object, where: Where) -> tuple[float, ...]:
        if not isinstance(value, list | tuple) or len(value) != count:
            raise where.unlike(value, what)
        return tuple(_number(each, where) for each in value)

    return read


def _density_range(value: object, where: Where) -> tuple[float, ...]:
    found = _numbers(2, "a list [LOW, HIGH]")(value, where)
    if not 0 <= found[0] < found[1]:
        raise where.unlike(value, "a list [LOW, HIGH], 0 <= LOW < HIGH")
    return found


def _pairs(value: object, where: Where) -> tuple[tuple[str, str], ...]:
    expected = 'a list of pairs of names, as [["finger_left", "finger_right"]]'
    if not isinstance(value, list | tuple):
        raise where.unlike(value, expected)
    found = []
    for each in value:
        is_pair = isinstance(each, list | tuple) and len(each) == 2
        if not is_pair or not all(isinstance(name, str) and name for name in each):
            raise where.unlike(value, expected)
        found.append((each[0], each[1]))
    return tuple(found)


def _materials(value: object, where: Where) -> object:
    """The path of a table of materials, or densities by the names of materials."""
    return read_path(value, where) if isinstance(value, str) else _table_of(_positive)(value, where)


_READERS: Mapping[str, Callable[[object, Where], object]] = {
    "density": _positive,
    "materials": _materials,
    "links": _table_of(_material),
    "mass": _table_of(_positive),
    "total-mass": _total_mass,
    "subtree-mass": _table_of(_positive),
    "com": _numbers(3, "a list of three numbers [m]"),
    "at": _table_of(_number),
    "pair": _pairs,
    "twins": read_flag,
    "prior": read_path,
    "density-range": _density_range,
    "shapes": read_choice("visual", "collision"),
    "thickness": _positive,
    "divergence": read_choice("entropic", "quadratic"),
}
"""Reader of each key: those of the options of `fill` that are properties of a repository."""

FILL_KEYS = tuple(_READERS)
"""Keys of the table [fill]."""
