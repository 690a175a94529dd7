"""The commands of `inertial-check`: which one a command line means, its parser, and its run.

A command is imported only when it is used, so that checking a file does not wait for the imports of
other commands. Scripts that complete words in a shell are static text, made of the same parsers by
shtab.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from inertial_check import __version__
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output
from inertial_check.programs.cli.output import PROGRAM


class Command(NamedTuple):
    """A command that is imported: its description, its own arguments in groups, and its run.

    The run returns an exit code, and raises InertialCheckError if the command cannot run.
    """

    description: str | None
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class CommandEntry(NamedTuple):
    """A row of the table of commands.

    Attributes:
        arguments: Usage of the arguments.
        summary: Summary in one line.
        examples: Arguments of command lines that a short help begins with, each with its purpose.
        options: Options that a short help lists; () for a help with all.
    """

    arguments: str
    summary: str
    examples: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()


_MODELS = ("--package-path", "--xacro-arg", "--help", "--quiet", "--verbose")
"""Options that a short help of a command on models ends with."""


COMMANDS = {
    "check": CommandEntry(
        "PATH...",
        "check robot models (the default command)",
        (
            ("robot.urdf", "one model"),
            (". --output-format sarif --output-file inertia.sarif", "a repository, for a host"),
            (". --engine mujoco,gz --baseline known.json", "a gate: new findings alone fail"),
        ),
        ("--select", "--ignore", "--engine", "--baseline", "--output-format", *_MODELS),
    ),
    "fix": CommandEntry(
        "PATH...",
        "show, or write, the remedies of bodies that cannot exist",
        (
            ("robot.urdf", "the diff of the remedies"),
            ("--write robot.urdf", "write those that are sure"),
            ("--write --unsafe --body forearm robot.urdf", "one body, as its diff says"),
        ),
        ("--write", "--output", "--unsafe", "--body", "--method", *_MODELS),
    ),
    "fill": CommandEntry(
        "MODEL...",
        "show, or write, missing inertials, from shapes",
        (
            ("robot.urdf --density 2700", "from shapes and a density"),
            ("robot.urdf --total-mass 12.5", "from shapes and a known sum"),
            ("robot.urdf --total-mass 12.5 --write", "write them"),
        ),
        ("--total-mass", "--density", "--mass", "--body", "--write", *_MODELS),
    ),
    "project": CommandEntry(
        "TABLE",
        "project a table of parameter vectors",
        (
            ("bodies.csv --about com", "to standard output"),
            ("bodies.csv --about com -o nearest.npz", "to a file of the format of its suffix"),
            ("bodies.json --about origin --order pinocchio", "bare numbers in another order"),
        ),
        (
            *("--about", "--order", "--metric", "--margin", "--output", "--report", "--plot"),
            *("--help", "--quiet", "--verbose"),
        ),
    ),
    "identify": CommandEntry(
        "DATA... --model ROBOT",
        "identify inertial parameters from measured torques",
        (
            ("log.csv --model robot.urdf", "the result, and how far to trust it"),
            ("log.csv --model robot.urdf --validation other.csv", "tried on another recording"),
            ("log.csv --model robot.urdf -o new.urdf", "write the model with new numbers"),
        ),
        (
            *("--model", "--validation", "--columns", "--friction", "--prior", "--output"),
            *("--write", "--help", "--quiet", "--verbose"),
        ),
    ),
    "excite": CommandEntry(
        "ROBOT",
        "design a motion that makes these parameters visible",
        (
            ("robot.urdf -o motion.csv", "a motion within the limits of the joints"),
            ("robot.urdf --duration 20 -o motion.csv", "a longer one"),
            ("robot.urdf --from motion.csv", "what a motion shows"),
        ),
        ("--output", "--duration", "--rate", "--from", "--gravity", *_MODELS),
    ),
    "report": CommandEntry(
        "PATH...",
        "write a page that shows models in 3-D with all findings",
        (
            ("robot.urdf -o report.html", "one page, without network"),
            (". -o report.html", "all models of a repository, the worst first"),
            ("--issue robot.urdf --body forearm", "Markdown for an issue upstream"),
        ),
        ("--output", "--issue", "--body", "--fail-on", "--select", *_MODELS),
    ),
    "diff": CommandEntry(
        "A B",
        "compare two models body by body",
        (
            ("robot.urdf robot.xml", "a model and its conversion"),
            ("old.urdf new.urdf --impact", "and what the change does to the dynamics"),
            ("robot.urdf scene.xml --map names.csv", "bodies of other names"),
        ),
        ("--tolerance", "--map", "--lump-fixed", "--impact", "--output-format", *_MODELS),
    ),
    "summary": CommandEntry(
        "RESULTS...",
        "count stored results by upstream, rule, cause, engine",
        (
            ("results/", "of a folder of check --results"),
            ("report.json --by rule,severity", "two counts together"),
            ("results/ --output-format csv", "for a spreadsheet"),
        ),
        ("--by", "--output-format", "--output-file", "--help", "--quiet", "--verbose"),
    ),
    "view": CommandEntry(
        "MODEL",
        "show a model in the browser, and follow its file",
        (
            ("robot.urdf", "opens the browser; each save is shown"),
            ("robot.urdf --no-browser --port 8080", "on another machine, with ssh -L 8080:..."),
            ("robot.urdf.xacro --xacro-arg prefix:=left_", "one variant of a robot"),
        ),
        ("--port", "--no-browser", "--config", "--isolated", *_MODELS),
    ),
    "init": CommandEntry(
        "[DIR]",
        "write a configuration and a CI workflow for a repository",
        (
            ("", "for this repository"),
            ("--baseline", "so that only new and worse findings fail"),
            ("--dry-run", "print the files, write none"),
        ),
        ("--baseline", "--dry-run", "--help", "--quiet", "--verbose"),
    ),
    "doctor": CommandEntry("", "print versions, extras, engines, package paths, configuration"),
    "mcp": CommandEntry("", "serve a coding agent (Model Context Protocol, on stdin and stdout)"),
    "explain": CommandEntry(
        "CODE",
        "print the page of a rule or of a cause",
        (
            ("IC301", "by its code"),
            ("triangle-inequality-violation", "by its name"),
            ("decimal-slip", "a cause"),
        ),
        ("--output-format", "--help", "--quiet", "--verbose"),
    ),
    "lsp": CommandEntry("", "serve an editor (language server, on stdin and stdout)"),
    "rules": CommandEntry(
        "",
        "list every rule",
        (
            ("", "code, severity, name"),
            ("--output-format json", "every page"),
            ("--standard rep0158", "what covers each requirement"),
        ),
        ("--standard", "--output-format", "--help", "--quiet", "--verbose"),
    ),
}


WITHDRAWN = {
    ("fill", "--divergence"): "the key divergence of [fill] in the configuration says it, and in "
    "Python ic.fill(..., divergence=)",
    ("fill", "--solver"): "Python has it: ic.fill(..., solver=)",
    ("fill", "--twins"): "left and right bodies have one mass unless --no-twins is given",
    ("identify", "--filter-order"): "--cutoff sets the filter, whose order is 4",
    ("identify", "--solver"): "Python has it: ic.identify(..., solver=)",
}
"""Options of commands that are gone, and what replaces each."""

_HELP_AND_VERSION = ("-h", "--help", "-V", "--version")
_GENERATE = "--generate-completion"
GLOBAL_OPTIONS = (*_HELP_AND_VERSION, _GENERATE)
"""Options that stand in place of a command."""


def run_command(argv: list[str]) -> int:
    """Run the command that a command line means, `check` by default; returns its exit code.

    Raises:
        InertialCheckError: The command line is wrong, or the command cannot run.
    """
    name = argv[0] if argv else ""
    if name in COMMANDS:
        argv = argv[1:]
    elif name in ("", *_HELP_AND_VERSION):
        # Print the version or the help; without any argument the help goes to stderr as a failure.
        if name in ("-V", "--version"):
            output.write(f"{PROGRAM} {__version__}\n")
        elif name:
            output.write(_help())
        else:
            print(_help(), file=sys.stderr, end="")
            return output.FAILURE
        return output.CLEAN
    elif name.partition("=")[0] == _GENERATE:
        output.write(generate_completion([*name.split("=", 1)[1:], *argv[1:]]))
        return output.CLEAN
    else:
        _refuse_misspelled_command(name)
        name = "check"
    for word in argv[: argv.index("--")] if "--" in argv else argv:
        # Hooks and shells put names of files behind options, and a tree may hold any name.
        if len(word) > 1 and word.startswith("-") and os.path.lexists(word):
            raise UsageError(
                f"{word!r} is a file here, and no option: write {os.path.join(os.curdir, word)!r}, "
                "or -- in front of the paths"
            )

    parser = build_parser(name)
    parser.words = argv
    # Options may stand between paths, except where -- says that none follow.
    parse = parser.parse_args if "--" in argv else parser.parse_intermixed_args
    try:
        args = parse(argv)
    except SystemExit:  # after --help, which is printed
        return output.CLEAN
    if args.verbose:
        # Print the tracebacks of defects that are reported as findings.
        import logging  # only where somebody looks for a defect

        logger = logging.getLogger("inertial_check")
        if not logger.handlers:
            logger.addHandler(logging.StreamHandler())
        logger.setLevel(logging.DEBUG)
    return import_command(name).run(args)


def _refuse_misspelled_command(word: str) -> None:
    """Refuse a first word that is no path and is spelled almost as a command.

    Raises:
        UsageError: Names the command that was probably meant.
    """
    looks_like_path = any(mark in word for mark in "/\\.*?[:") or os.path.lexists(word)
    if looks_like_path or word.startswith("-"):
        return
    if hint := suggest_name(word, COMMANDS):
        raise UsageError(f"{word!r} is no command and no file{hint} (see {PROGRAM} --help)")


def import_command(name: str) -> Command:
    """Import the module of a command, and of no other."""
    if name == "check":
        from inertial_check.programs.cli.check import __doc__, add_arguments, run
    elif name == "fix":
        from inertial_check.programs.cli.fix import __doc__, add_arguments, run
    elif name == "fill":
        from inertial_check.programs.cli.fill import __doc__, add_arguments, run
    elif name == "project":
        from inertial_check.programs.cli.project import __doc__, add_arguments, run
    elif name == "identify":
        from inertial_check.programs.cli.identify import __doc__, add_arguments, run
    elif name == "excite":
        from inertial_check.programs.cli.excite import __doc__, add_arguments, run
    elif name == "diff":
        from inertial_check.programs.cli.diff import __doc__, add_arguments, run
    elif name == "summary":
        from inertial_check.programs.cli.summary import __doc__, add_arguments, run
    elif name == "init":
        from inertial_check.programs.cli.init import __doc__, add_arguments, run
    elif name == "doctor":
        from inertial_check.programs.cli.doctor import __doc__, add_arguments, run
    else:
        return _import_page_or_server(name)
    return Command(__doc__, add_arguments, run)


def _import_page_or_server(name: str) -> Command:
    """Import the module of a command that shows something, or serves another program.

    Raises:
        KeyError: There is no such command.
    """
    command: Command | None = None
    if name == "report":
        from inertial_check.programs.cli import pages

        command = Command(pages.REPORT, pages.add_report_arguments, pages.write_page)
    elif name == "view":
        from inertial_check.programs.cli import pages

        command = Command(pages.VIEW, pages.add_view_arguments, pages.view)
    elif name == "mcp":
        from inertial_check.programs.cli import servers

        command = Command(servers.MCP, servers.add_mcp_arguments, servers.serve_agent)
    elif name == "explain":
        from inertial_check.programs.cli import explain

        command = Command(explain.EXPLAIN, explain.add_explain_arguments, explain.explain)
    elif name == "lsp":
        from inertial_check.programs.cli import servers

        command = Command(servers.LSP, servers.add_lsp_arguments, servers.serve_editor)
    elif name == "rules":
        from inertial_check.programs.cli import explain

        command = Command(explain.RULES, explain.add_rules_arguments, explain.list_rules)
    if command is None:
        raise KeyError(name)
    return command


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every command."""
    add = options.add_group(parser, "Miscellaneous")
    add(
        "-h, --help all",
        "show the options that most people need, or all, and exit",
        action=_Help,
        nargs="?",
        choices=("all",),
    )
    add("-q, --quiet", "print only the report: no progress bar, notes or summary")
    add("-v, --verbose", "print more details, and tracebacks of errors")
    add(
        "--color",
        "colour the output (auto: on a terminal, unless NO_COLOR is set)",
        choices=("auto", "always", "never"),
        default="auto",
    )


def _help() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {entry.summary}" for name, entry in COMMANDS.items())
    return (
        f"Usage: {PROGRAM} [COMMAND] ...\n\n"
        "Checks whether real rigid bodies can have the inertial parameters of a robot model,\n"
        "says where and why not, and computes the nearest parameters that a body can have.\n\n"
        f"Commands:\n{commands}\n\n"
        f"`{PROGRAM} PATH...` is `{PROGRAM} check PATH...`.\n"
        f"`{PROGRAM} COMMAND --help` shows how to use a command, with `all` every option.\n"
        f"`{PROGRAM} --version` (or -V) prints the version,\n"
        f"`{PROGRAM} {_GENERATE} bash|zsh|fish` a script that completes words.\n"
    )


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help text of fixed width: the width of the terminal would need an import of shutil."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=88)


class _Help(argparse.Action):
    """Option that prints the short help of a command, or with `all` the whole one, and ends it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: object,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Print the help and end the command."""
        name = parser.prog.rpartition(" ")[2]
        entry = COMMANDS.get(name, CommandEntry("", ""))
        if values == "all" or not entry.options:
            parser.print_help()
            parser.exit()
        formatter = _Formatter(parser.prog)
        formatter.add_usage(parser.usage, parser._actions, [])
        formatter.add_text((parser.description or "").partition("\n\n")[0])
        wide = max(len(words) for words, _ in entry.examples)
        lines = (f"  {parser.prog} {words:<{wide}}  # {why}" for words, why in entry.examples)
        formatter.add_text("\n".join(["Examples:", *lines]))
        formatter.start_section("Options that most people need")
        known = parser._option_string_actions
        formatter.add_arguments([known[each] for each in entry.options if each in known])
        formatter.end_section()
        count = len({id(action) for action in known.values()})
        formatter.add_text(f"`{parser.prog} --help all` lists all {count} options.")
        output.write(formatter.format_help())
        parser.exit()


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError on a wrong command line, as one place prints all errors.

    Attributes:
        words: The command line, for suggestions in the message of an error.
    """

    words: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with the command that prints the help."""
        if (option := self._find_unknown_option()) is not None:
            known = [*self._option_string_actions, *GLOBAL_OPTIONS]
            message = f"unknown option {option}{suggest_name(option, known)}"
            if instead := WITHDRAWN.get((self.prog.rpartition(" ")[2], option)):
                message = f"{option} is gone: {instead}"
            if option in GLOBAL_OPTIONS:
                message = f"{option} takes the place of a command: write inertial-check {option}"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _find_unknown_option(self) -> str | None:
        """Find the first word of the command line that is spelled as an option and is none."""
        for word in self.words:
            if word == "--":
                break
            name = word.partition("=")[0]
            known = name if name.startswith("--") else name[:2]
            spelled = len(word) > 1 and word[0] == "-" and not word[1].isdecimal()
            if spelled and " " not in word and known not in self._option_string_actions:
                return name
        return None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not among the choices of an option; suggests the nearest."""
        choices = None if action.choices is None else list(action.choices)
        if choices is None or value in choices:
            return
        hint = suggest_name(str(value), map(str, choices))
        expected = ", ".join(map(str, choices))
        raise argparse.ArgumentError(
            action, f"invalid choice: {value!r} (choose from {expected}){hint}"
        )

    def print_help(self, file: object = None) -> None:
        """Write the help to standard output."""
        output.write(self.format_help())


def build_parser(name: str) -> Parser:
    """Build the parser of a command: its own groups, then the options of every command."""
    command = import_command(name)
    parser = Parser(
        prog=f"{PROGRAM} {name}",
        usage=f"%(prog)s [OPTION]... {COMMANDS[name].arguments}".rstrip(),
        description=command.description,
        formatter_class=_Formatter,
        allow_abbrev=False,
        add_help=False,
    )
    command.add_arguments(parser)
    add_common_arguments(parser)
    return parser


OPTION = "--generate-completion"
SHELLS = ("bash", "zsh", "fish")
"""Shells for which there is a script."""


def generate_completion(arguments: Sequence[str]) -> str:
    """Generate the script by which a shell completes the command line.

    Args:
        arguments: The words after the option: the name of the shell.

    Raises:
        UsageError: No shell, an unknown one, or shtab is not installed.
    """
    if len(arguments) != 1 or arguments[0] not in SHELLS:
        hint = suggest_name(arguments[0], SHELLS) if arguments else ""
        raise UsageError(f"{OPTION} takes one shell: {', '.join(SHELLS)}{hint}")
    try:
        import shtab
    except ImportError:
        raise UsageError(
            f'{OPTION} needs shtab: pip install "inertial-check[completion]"'
        ) from None
    from inertial_check.checking.causes.catalogue import ALL_CAUSES
    from inertial_check.checking.engines import ENGINES
    from inertial_check.checking.rules.catalogue import ALL_RULES

    rules = [text for rule in ALL_RULES for text in (rule.code, rule.name)]
    words = {
        "ENGINES": [*ENGINES],
        "NAME[,NAME]": [*ENGINES],
        "RULES": rules,
        "CODE": [*rules, *(cause.name for cause in ALL_CAUSES)],
    }
    whole = argparse.ArgumentParser(prog=PROGRAM, add_help=False)
    commands = whole.add_subparsers()
    for name, entry in COMMANDS.items():
        parser = commands.add_parser(name, help=entry.summary, add_help=False)
        import_command(name).add_arguments(parser)
        add_common_arguments(parser)
        for action in parser._actions:
            if name == "check" and action.option_strings:
                whole._add_action(action)  # `check` runs where no command is named
            if action.choices is None and isinstance(action.metavar, str):
                action.choices = words.get(action.metavar)
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    script: str = shtab.complete(whole, arguments[0])
    return script
