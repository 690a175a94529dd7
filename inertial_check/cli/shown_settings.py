"""The settings of a path as TOML, each with the place that sets it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from inertial_check.reports.escaping import dump_json, printable

if TYPE_CHECKING:
    from inertial_check.settings.configuration import Configuration, Configurations, Value

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def render(configurations: Configurations, paths: Sequence[str]) -> str:
    """Write one block for each path: its configuration file, then every option with a value."""
    return "\n".join("".join(_block(configurations, path)) for path in paths)


def _block(configurations: Configurations, path: str) -> Iterator[str]:
    from inertial_check.settings.configuration import OPTIONS

    own, run = configurations.of(path), configurations.run
    file = "no configuration file" if own.path is None else own.path
    yield f"# {printable(path)}: {printable(file)}\n"
    for name, option in OPTIONS.items():
        configuration = run if option.whole_run else own
        implied = _find_implied_value(name, configuration)
        values = configuration.values(name)
        if implied is not None:
            yield f"{name} = {format_toml(implied)}  # by preset or strict\n"
        elif not values:
            yield f"# {name} is not set\n"
        for value in values if implied is None else ():
            yield _line(name, value)


def _find_implied_value(name: str, configuration: Configuration) -> object:
    """Find the value that another option implies instead of the written one; None if none does."""
    settings = configuration.settings
    fail_on = "never" if settings.fail_on is None else settings.fail_on.word
    carried_out = {"strict": settings.strict, "fail-on": fail_on, "engine": settings.engines}
    holds = carried_out.get(name)
    return None if holds == configuration[name] else holds


def _line(name: str, value: Value) -> str:
    keys = (name,) if value.where is None else value.where.keys
    origin = "default" if value.where is None else printable(str(value.where))
    return f"{'.'.join(map(_key, keys))} = {format_toml(value.written)}  # {origin}\n"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else dump_json(key)


def format_toml(value: object) -> str:
    """A value in TOML, which is JSON for everything except tables."""
    if isinstance(value, Mapping):
        members = ", ".join(f"{_key(key)} = {format_toml(each)}" for key, each in value.items())
        return f"{{ {members} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_toml, value))}]"
    return dump_json(value)
