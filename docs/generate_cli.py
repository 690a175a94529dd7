"""Write docs/commands/*.md from the parsers of the commands; with --check, compare them."""

import argparse
import json
import re
import sys
from importlib.resources import files
from pathlib import Path

from inertial_check.checking.configuration import OPTIONS
from inertial_check.programs.cli.commands import COMMANDS, build_parser

FOLDER = Path(__file__).parent / "commands"

EXPLANATIONS = {
    "--allow-host": "scale.md#urls-and-archives",
    "--badge": "reports.md#badge",
    "--baseline": "suppressing.md#baseline",
    "--cache": "scale.md#cache",
    "--changed-since": "scale.md#changes",
    "--cluster": "scale.md#cluster",
    "--config": "configuration.md",
    "--engine": "engines.md",
    "--expect": "plausibility.md",
    "--expect-mass": "plausibility.md",
    "--files-from": "scale.md#lists",
    "--follow-outside": "security.md",
    "--geometry": "geometry.md",
    "--impact": "dynamics.md",
    "--max-file-size": "security.md#limits",
    "--metric": "metrics.md",
    "--order": "theory.md#notation",
    "--plot": "plots.md",
    "--results": "scale.md#results",
    "--preset": "configuration.md#presets",
    "--prune-baseline": "suppressing.md#baseline",
    "--timeout": "security.md#limits",
    "--tolerance MARGIN": "theory.md#one-scalar-the-margin",
    "--write-baseline": "suppressing.md#baseline",
}
"""Pages that explain an option, wherever it occurs."""

GUIDES = {
    "check": "cli.md#check",
    "diff": "diff.md",
    "doctor": "cli.md#doctor",
    "excite": "excitation.md",
    "fill": "fill.md",
    "fix": "cli.md#fix",
    "identify": "identify.md",
    "init": "cli.md#init",
    "lsp": "integrations.md#editor",
    "mcp": "integrations.md#coding-agents",
    "project": "cli.md#project",
    "report": "report.md",
    "summary": "cli.md#summary",
    "view": "report.md#watch-a-model",
}
"""Page that explains a command; the help of a command that is not listed says all."""

DEFAULT = re.compile(r"\s*\((?:([^()]*); )?default: ((?:[^()]|\([^()]*\))*)\)")
"""The default at the end of a help text, and the other words in the same parentheses."""

LONGEST_CHOICES = 40
"""Largest length of a list of choices that is shown with the name of the option [characters]."""

MARK = "†"
"""Mark of the options that a configuration can set."""

COMMON = "Miscellaneous"
"""Title of the options that every command has; only the page of check and the index name them."""

TITLES = {"positional arguments": "Arguments", "options": "Options"}
"""Headings in place of the titles that argparse gives its own groups."""


def make_pages() -> dict[str, str]:
    """Every file of docs/commands and its text."""
    explained: dict[tuple[str, str], tuple[str, str]] = {}
    return {"index.md": _index()} | {f"{name}.md": _page(name, explained) for name in COMMANDS}


def _index() -> str:
    rows = [
        f"* [{name}]({name}.md): {_capitalise(entry.summary)}" for name, entry in COMMANDS.items()
    ]
    return "\n".join(
        [
            "# Commands",
            "",
            "The options of every command. [Command line](../cli.md) has exit codes.",
            "A [configuration](../configuration.md) can set the options that are marked with "
            f"{MARK},",
            "under the same names without `--`, those of `fill` in its table `fill`.",
            "Every command has `--help`, `--quiet`, `--verbose` and `--color`, which the page of",
            "check explains. A title in italics stands for all options below it on that page.",
            "",
            *rows,
            "",
            "```{toctree}\n:hidden:\n:glob:\n\n*\n```",
            "",
        ]
    )


def _page(name: str, explained: dict[tuple[str, str], tuple[str, str]]) -> str:
    """The page of a command.

    Args:
        name: Name of the command.
        explained: The command whose page explains an option, and the section there, by the names
            of the option and its meaning; the options that only this page explains are added.
    """
    parser = build_parser(name)
    usage = f"{name} [OPTION]... {COMMANDS[name].arguments}".rstrip()
    settable, words = _list_set(name, parser), _list_words(parser)
    groups: dict[str, list[argparse.Action]] = {}
    for group in parser._action_groups:  # a command may add to a group of another module
        shown = [each for each in group._group_actions if each.help != argparse.SUPPRESS]
        title = TITLES.get(str(group.title), str(group.title))
        groups.setdefault(title, []).extend(shown)
    sections: list[str] = []
    elsewhere: dict[str, list[str]] = {}
    for title, actions in groups.items():
        lines: list[str] = []
        places: list[tuple[str, str]] = []
        rest: list[str] = []
        for action in actions:
            names, meaning = _spell(action), _explain(action, words)
            mark = MARK if settable.intersection(action.option_strings) else ""
            place = explained.setdefault((names, meaning), (name, title))
            if place[0] == name:
                lines.append(f"* {names}{mark}: {meaning}")
            else:
                places.append(place)
                short = action.option_strings or [str(action.metavar)]
                rest.append(", ".join(map(_code, short)) + mark)
        if lines:
            sections.append(f"## {title}\n\n" + "\n".join(lines))
        elif title == COMMON:
            continue
        elif len(places) > 1 and places == [at for at in explained.values() if at == places[0]]:
            mark = MARK if any(option.endswith(MARK) for option in rest) else ""
            rest = [f"*{places[0][1]}*{mark}"]
            places = places[:1]
        for (page, _), option in zip(places, rest, strict=True):
            elsewhere.setdefault(page, []).append(option)
    if elsewhere:
        lines = [f"* [{page}]({page}.md): {', '.join(told)}" for page, told in elsewhere.items()]
        sections.append("## See also\n\n" + "\n".join(lines))
    summary = f"{_capitalise(COMMANDS[name].summary)}."
    if name in GUIDES:
        summary += f" [Guide](../{GUIDES[name]})."
    return "\n\n".join([f"# {name}", summary, _code(usage), *sections]) + "\n"


def _list_words(parser: argparse.ArgumentParser) -> set[str]:
    """The options and placeholders of a command, which help texts mention."""
    words = {option for action in parser._actions for option in action.option_strings}
    for action in parser._actions:
        words.update(re.findall(r"[A-Z]{2,}", str(action.metavar or "")))
    return words


def _list_set(name: str, parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command that the configuration can set."""
    offered = {option for action in parser._actions for option in action.option_strings}
    if "--show-settings" in offered:
        return {f"--{key}" for key in OPTIONS}
    settable: set[str] = set()
    if "--config" in offered:
        (documents,) = [
            group for group in parser._action_groups if group.title == "What a model refers to"
        ]
        settable = {action.option_strings[-1] for action in documents._group_actions}
    if name == "fill":
        schema = files("inertial_check.checking").joinpath("configuration.schema.json")
        members = json.loads(schema.read_text("utf-8"))["properties"]["fill"]["properties"]
        settable |= {f"--{member}" for member in members}
    return settable


def _spell(action: argparse.Action) -> str:
    """The names of an option, with its value, as code."""
    if not action.option_strings:
        return _code(str(action.metavar or action.dest))
    value = ""
    if action.nargs != 0:
        value = str(action.metavar or action.dest.upper().rpartition("_")[2])
        if action.metavar is None and action.choices and not _has_many_choices(action):
            value = "|".join(map(str, action.choices))
        value = f" {value}"
    return ", ".join(_code(f"{name}{value}") for name in action.option_strings)


def _has_many_choices(action: argparse.Action) -> bool:
    return len("|".join(map(str, action.choices or ()))) > LONGEST_CHOICES


def _explain(action: argparse.Action, words: set[str]) -> str:
    """The meaning of an option, with its default, its choices and a link."""
    text = " ".join(str(action.help or "").split()).replace("%%", "%")
    default = ""
    if found := DEFAULT.search(text):
        default = _prose(found[2], words)
        rest = f" ({found[1]})" if found[1] else ""
        text = text[: found.start()] + rest + text[found.end() :]
    elif isinstance(action.default, str | int | float) and not isinstance(action.default, bool):
        default = "" if action.default == argparse.SUPPRESS else _code(str(action.default))
    meaning = f"{_capitalise(_prose(text, words))}."
    if default and "(default)" not in text:
        meaning += f" Default: {default}."
    listed = (str(each) in text for each in action.choices or ())
    if action.choices and (_has_many_choices(action) or action.metavar) and not all(listed):
        meaning += f" One of {', '.join(_code(str(each)) for each in action.choices)}."
    names = [
        *action.option_strings,
        *(f"{name} {action.metavar}" for name in action.option_strings),
    ]
    links = [EXPLANATIONS[name] for name in names if name in EXPLANATIONS]
    if links:
        meaning += f" [More](../{links[0]})."
    return meaning


def _prose(text: str, words: set[str]) -> str:
    """A help text as Markdown in a table; what stands between backticks there is code."""
    parts = text.split("`")
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = _code(part)
            continue
        escaped = re.sub(r"([\\*_<>\[\]|$])", r"\\\1", part)
        parts[index] = re.sub(
            r"(?<![\w-])--?[a-z][\w-]*|\b[A-Z]{2,}\b",
            lambda word: _code(word[0]) if word[0] in words else word[0],
            escaped,
        )
    return "".join(parts)


def _code(text: str) -> str:
    return f"`{text}`"


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(FOLDER, make_pages()))
