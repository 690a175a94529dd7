"""Write docs/configuration-keys.md from the schema of the configuration; with --check, compare."""

import json
import sys
from importlib.resources import files
from pathlib import Path

from inertial_check.checking.configuration import OPTIONS
from inertial_check.programs.cli.doctor import format_toml

PAGE = Path(__file__).parent / "configuration-keys.md"

SCHEMA = json.loads(
    files("inertial_check.checking").joinpath("configuration.schema.json").read_text("utf-8")
)

INTRODUCTION = """\
# Configuration keys

Every key of `inertial-check.toml`, or of the table `[tool.inertial-check]` in `pyproject.toml`,
made from the JSON Schema that editors use. [Configuration](configuration.md) explains which file
counts and how values are merged. Most keys are [options of check](commands/check.md); the command
line overrides the file. The type after a colon is that of each item or member."""

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
    """The whole page."""
    keys = SCHEMA["properties"]
    rows = [f"| [`{key}`](#{key}) | {_name_type(member)} |" for key, member in keys.items()]
    table = "\n".join(["| key | value |", "|---|---|", *rows])
    sections = [_section(key, member) for key, member in keys.items()]
    return "\n\n".join([INTRODUCTION, table, *sections]) + "\n"


def _section(key: str, member: dict) -> str:
    """A key with its description, facts and examples."""
    facts = [f"* Value: {_name_type(member)}"]
    if "default" in member:
        facts.append(f"* Default: `{format_toml(member['default'])}`")
    option = OPTIONS.get(key)
    if option is not None and option.table and key != "fill":
        facts.append("* Members of several files and of the command line are merged.")
    if option is not None and option.whole_run:
        facts.append(
            "* Taken from the configuration nearest to the working directory, for the run."
        )
    if "$comment" in member:
        facts.append(f"* {member['$comment']} The [reason](security.md).")
    parts = [f"## `{key}`", _prose(member["description"]), "\n".join(facts)]
    if members := _find_members(member):
        parts.append(_table_of_members(members))
    examples = [f"```toml\n{_write(key, each)}\n```" for each in member["examples"]]
    return "\n\n".join([*parts, *examples])


def _write(key: str, example: object) -> str:
    """An example as TOML; tables and lists of tables under headers of their own."""
    if isinstance(example, dict):
        lines = [f"{_quote(name)} = {format_toml(each)}" for name, each in example.items()]
        return "\n".join([f"[{key}]", *lines])
    if isinstance(example, list) and all(isinstance(each, dict) for each in example):
        return "\n".join(
            "\n".join([f"[[{key}]]", *(f"{n} = {format_toml(v)}" for n, v in each.items())])
            for each in example
        )
    return f"{key} = {format_toml(example)}"


def _quote(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else json.dumps(name)


def _table_of_members(members: dict) -> str:
    rows = [
        f"| `{name}` | {_name_type(each)} | {_prose(each.get('description', ''))} |"
        for name, each in members.items()
    ]
    return "\n".join(["| member | value | meaning |", "|---|---|---|", *rows])


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
