"""Scripts by which a shell completes the command line: --generate-completion.

A script is static text: completing a word starts no program. The commands and options are those of
the parsers, so a script is generated again after an update.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

_FUNCTION = "_inertial_check"


class CompletionOption(NamedTuple):
    """An option of a command, as a script completes it.

    Attributes:
        names: The spellings of the option: -o, --output.
        summary: Help of the option, on one line.
        takes_value: Whether a value follows the option.
        values: The values to choose from; empty where the value is a path or free text.
        repeatable: Whether the option may be given several times.
    """

    names: tuple[str, ...]
    summary: str
    takes_value: bool = False
    values: tuple[str, ...] = ()
    repeatable: bool = False


class CompletionCommand(NamedTuple):
    """A command, as a script completes it.

    Attributes:
        name: Name of the command.
        summary: One line about the command.
        options: Options of the command.
        values: Words to choose from for the arguments; empty where they are paths.
    """

    name: str
    summary: str
    options: tuple[CompletionOption, ...]
    values: tuple[str, ...] = ()


def describe_command(
    name: str,
    summary: str,
    parser: argparse.ArgumentParser,
    words: Mapping[str, Sequence[str]],
) -> CompletionCommand:
    """Describe a command by its parser.

    Args:
        name: Name of the command.
        summary: One line about the command.
        parser: Parser of the command.
        words: Words that stand for a metavar, such as the engines for ENGINES.
    """
    options: list[CompletionOption] = []
    values: tuple[str, ...] = ()
    for action in parser._actions:
        metavar = action.metavar if isinstance(action.metavar, str) else ""
        choices = tuple(map(str, action.choices or words.get(metavar, ())))
        if action.option_strings:
            repeatable = isinstance(action, argparse._AppendAction | argparse._ExtendAction)
            text = "" if action.help is None else action.help % {"default": action.default}
            option = CompletionOption(
                tuple(action.option_strings),
                " ".join(text.split()),
                action.nargs != 0,
                choices,
                repeatable,
            )
            options.append(option)
        else:
            values = choices
    return CompletionCommand(name, summary, tuple(options), tuple(values))


def generate_completion(
    shell: str, program: str, commands: Sequence[CompletionCommand], default: str
) -> str:
    """Generate the script of a shell.

    Args:
        shell: One of SHELLS.
        program: Name of the program.
        commands: The commands.
        default: Name of the command that runs where none is named.
    """
    return _WRITERS[shell](program, commands, default)


def _quote(text: str) -> str:
    """A word of a POSIX shell."""
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"


def _bash_words(words: Iterable[str]) -> str:
    return _quote(" ".join(words))


def _write_bash(program: str, commands: Sequence[CompletionCommand], default: str) -> str:
    """The script of bash: words of compgen; what is no word is completed as a path by readline."""
    values, options, arguments = [], [], []
    for command in commands:
        names = [name for option in command.options for name in option.names]
        options.append(f"        {command.name}) words={_bash_words(names)} ;;")
        if command.values:
            arguments.append(f"        {command.name}) words={_bash_words(command.values)} ;;")
        for option in command.options:
            if option.takes_value:
                keys = "|".join(f"{command.name}:{name}" for name in option.names)
                values.append(f"        {keys}) words={_bash_words(option.values)}; known=1 ;;")
    names = [command.name for command in commands]
    lines = [
        f"# bash completion of {program}",
        f"{_FUNCTION}() {{",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        f"    local command={default} words= known=",
        "    COMPREPLY=()",
        "    # bash splits --option=value into three words.",
        '    if [[ $current == "=" ]]; then',
        "        current=",
        '    elif [[ $previous == "=" ]]; then',
        '        previous="${COMP_WORDS[COMP_CWORD-2]}"',
        "    fi",
        "    if (( COMP_CWORD > 1 )); then",
        '        case "${COMP_WORDS[1]}" in',
        f"        {'|'.join(names)}) command=${{COMP_WORDS[1]}} ;;",
        "        esac",
        "    fi",
        '    case "$command:$previous" in',
        *values,
        "    esac",
        "    if [[ $known ]]; then",
        "        :",
        "    elif [[ $current == -* ]]; then",
        '        case "$command" in',
        *options,
        "        esac",
        "    elif (( COMP_CWORD == 1 )); then",
        f"        words={_bash_words(names)}",
        "    else",
        '        case "$command" in',
        *arguments,
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        f"complete -o bashdefault -o default -F {_FUNCTION} {program}",
    ]
    return "\n".join(lines) + "\n"


def _write_zsh(program: str, commands: Sequence[CompletionCommand], default: str) -> str:
    """The script of zsh: _arguments with the options of the command."""
    summaries = [_quote(f"{each.name}:{_zsh_text(each.summary)}") for each in commands]
    cases = []
    for command in commands:
        specs = [spec for option in command.options for spec in _zsh_option(option)]
        action = f"({' '.join(command.values)})" if command.values else "_files"
        specs.append(_quote(f"*:argument:{action}"))
        body = " \\\n            ".join(["_arguments -S", *specs])
        cases += [f"    ({command.name})", f"        {body}", "        ;;"]
    lines = [
        f"#compdef {program}",
        f"# zsh completion of {program}",
        f"{_FUNCTION}() {{",
        f"    local command={default}",
        "    local -a commands",
        f"    commands=({' '.join(summaries)})",
        "    if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then",
        "        _describe -t commands command commands",
        "        _files",
        "        return",
        "    fi",
        "    if (( CURRENT > 2 && ${commands[(I)${words[2]}:*]} )); then",
        "        command=${words[2]}",
        "        shift words",
        "        (( CURRENT-- ))",
        "    fi",
        "    case $command in",
        *cases,
        "    esac",
        "}",
        f'if [[ "${{funcstack[1]}}" == "{_FUNCTION}" ]]; then',
        f'    {_FUNCTION} "$@"',
        "else",
        f"    compdef {_FUNCTION} {program}",
        "fi",
    ]
    return "\n".join(lines) + "\n"


def _zsh_option(option: CompletionOption) -> list[str]:
    """The specifications of an option for _arguments, one for each spelling."""
    action = f"({' '.join(option.values)})" if option.values else "_files"
    value = f":value:{action}" if option.takes_value else ""
    specs = []
    for name in option.names:
        others = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
        before = "*" if option.repeatable else others
        assigns = "=" if option.takes_value and name.startswith("--") else ""
        specs.append(_quote(f"{before}{name}{assigns}[{_zsh_text(option.summary)}]{value}"))
    return specs


def _zsh_text(text: str) -> str:
    for char in "\\[]:":
        text = text.replace(char, f"\\{char}")
    return text


def _write_fish(program: str, commands: Sequence[CompletionCommand], default: str) -> str:
    """The script of fish: one `complete` for each command and for each of its options."""
    others = " ".join(each.name for each in commands if each.name != default)
    start = f"complete -c {program}"
    lines = [f"# fish completion of {program}"]
    for command in commands:
        summary = _fish_quote(command.summary)
        lines.append(f"{start} -n __fish_use_subcommand -a {command.name} -d {summary}")
    for command in commands:
        seen = f"__fish_seen_subcommand_from {command.name}"
        if command.name == default:
            seen = f"not __fish_seen_subcommand_from {others}"
        condition = f"{start} -n {_fish_quote(seen)}"
        if command.values:
            lines.append(f"{condition} -f -a {_fish_quote(' '.join(command.values))}")
        lines += [f"{condition} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: CompletionOption) -> str:
    parts = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    ]
    if option.values:
        parts += ["-x", f"-a {_fish_quote(' '.join(option.values))}"]
    elif option.takes_value:
        parts += ["-r", "-F"]
    return " ".join([*parts, f"-d {_fish_quote(option.summary)}"])


def _fish_quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_WRITERS: Mapping[str, Callable[[str, Sequence[CompletionCommand], str], str]] = {
    "bash": _write_bash,
    "zsh": _write_zsh,
    "fish": _write_fish,
}

SHELLS = tuple(_WRITERS)
"""Shells for which there is a script."""
