"""Write the keys in docs/configuration.md from their schema; with --check, compare."""

import json
import sys
from importlib.resources import files
from pathlib import Path

from inertial_check.programs.cli.commands import build_parser

PAGE = Path(__file__).parent / "configuration.md"

SCHEMA = json.loads(
    files("inertial_check.checking").joinpath("configuration.schema.json").read_text("utf-8")
)

HEADING = "## Keys\n"
"""Heading of the last section of the page, which is made here; the others are written by hand."""

INTRODUCTION = """\
Every option of [check](commands/check.md) that is marked there is a key, without the `--`, and so
are those of [fill](commands/fill.md) in the table `fill`; a repeatable option is a list or a
table. The other keys, with the type of each item or member after a colon:"""

NAMES = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "`true` or `false`",
}
"""Types of JSON Schema in the words of TOML."""

DEFINITIONS = {
    "rules": "list of rules",
    "ignores": "list of rules, or a table with the list `codes` and the text `reason`",
}
"""Types that the schema defines once, in words."""


def make_page() -> str:
    """The whole page: its text above the heading of the keys as it stands, then every key."""
    written = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    options = _list_options("check")
    described: dict[str, list[str]] = {}
    for key, member in SCHEMA["properties"].items():
        if key not in options:
            described.setdefault(_describe(member), []).append(key)
        inner = _list_options(key) if key == "fill" else set()
        for name, each in _find_members(member).items():
            if name not in inner:
                described.setdefault(_describe(each), []).append(f"{key}.{name}")
    lines = [f"* {', '.join(map(_code, keys))}: {text}" for text, keys in described.items()]
    return f"{written}{HEADING}\n{INTRODUCTION}\n\n" + "\n".join(lines) + "\n"


def _list_options(command: str) -> set[str]:
    """The long options of a command, without the dashes in front."""
    actions = build_parser(command)._actions
    return {option[2:] for action in actions for option in action.option_strings}


def _describe(member: dict) -> str:
    """The type and the meaning of a key."""
    return f"{_name_type(member)}. {_prose(member['description'])}"


def _code(key: str) -> str:
    return f"`{key}`"


def _find_members(member: dict) -> dict:
    """The members of a table, or of the tables of a list; empty where names are free."""
    return member.get("properties") or member.get("items", {}).get("properties") or {}


def _name_type(member: dict) -> str:
    """The type of a value in words."""
    if "$ref" in member:
        name = member["$ref"].rpartition("/")[2]
        return DEFINITIONS.get(name) or _name_type(SCHEMA["$defs"][name])
    if "enum" in member:
        return _list_choices(member["enum"])
    if "const" in member:
        return f"`{member['const']}`"
    if "anyOf" in member:
        return ", or ".join(_name_type(each) for each in member["anyOf"])
    return _name_schema_type(member)


def _name_schema_type(member: dict) -> str:
    """The type that the member `type` of a schema names, in words."""
    kind = member["type"]
    if isinstance(kind, list):
        return " or ".join(NAMES[each] for each in kind)
    if kind == "array":
        count = f" of {member['minItems']} items" if "minItems" in member else ""
        return f"list{count}: {_name_type(member['items'])}"
    if kind == "object":
        free = member.get("additionalProperties")
        return f"table: {_name_type(free)}" if free else "table"
    return _name_bounds(member) + NAMES[kind]


def _list_choices(choices: list[str]) -> str:
    return "one of " + ", ".join(f"`{each}`" for each in choices)


def _name_bounds(member: dict) -> str:
    if member.get("exclusiveMinimum") == 0:
        return "positive "
    return "non-negative " if member.get("minimum") == 0 else ""


def _prose(text: str) -> str:
    return text.replace("[", "\\[").replace("]", "\\]").replace("*", "\\*").replace("|", "\\|")


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(PAGE.parent, {PAGE.name: make_page()}))
