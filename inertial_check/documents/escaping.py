"""Escaping of texts from documents, so that no output speaks for this program.

A document says what its bodies and files are called, and messages quote it. Each form of output has
its own characters that act: a terminal's control sequences, the commands that a build server reads
in a log, the markup of Markdown, HTML and SARIF, and the header lines of a diff. Every report and
every message takes its functions from here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from json import JSONEncoder


_LOG_COMMAND = re.compile(r"##(?=\[|vso\[)", re.IGNORECASE)
"""Beginning of a command that GitHub (##[) or Azure (##vso[) reads anywhere in a line of a log."""

_LINE_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
"""Beginning of a command that GitHub reads at the start of a line, after any blanks."""

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")
_AUTOLINK = re.compile(
    r"(?:(?<=http:)|(?<=https:)|(?<=ftp:))(?=//)|(?<=www)(?=\.)|(?<=mailto:)|(?<=xmpp:)",
    re.IGNORECASE,
)
"""Places in an address without which GitHub makes no link of it."""

_REFERENCE = re.compile(r"(?<!\w)#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
"""Beginning of the number of an issue, of which GitHub makes a link, and tells the issue so."""

_BLOCK = re.compile(r"^(\s*|\s*\d+)((?<!\d)[#+=-]|(?<=\d)[.)](?=\s|$))")
"""Beginning of a text that would be a heading, a list or a rule where it begins a line."""

_BREAK = "<!-- -->"
"""Empty comment, by which a mention, a reference or an address is none."""

_EMBEDDED_LINK = "]("

_GIT_ESCAPES = dict(zip('"\\\a\b\t\n\v\f\r', '"\\abtnvfr', strict=True))
"""Characters that git writes as a backslash and a letter in a quoted path."""

_INVISIBLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""Letters and marks that Python counts as printable and that show nothing (Unicode's
Default_Ignorable_Code_Point): two names that differ in them look alike."""

_HIDDEN = re.compile(f"[{_INVISIBLE}]")
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069" + _INVISIBLE + "]"
)
"""Characters that control a terminal, change the direction of a line or show nothing, without tabs
and line feeds and with carriage returns."""


_FORMULA = re.compile(
    r"(?:(?<=[,;\t])|^)(\"?)(?=[=@]|[+-](?!\.?\d|inf|nan))", re.MULTILINE | re.IGNORECASE
)
"""Beginning of a cell that a spreadsheet takes for a formula; a number is none."""


def guard_cells(text: str) -> str:
    """Text of a table in csv, of which a spreadsheet runs nothing and a terminal shows all."""

    def escape(match: re.Match[str]) -> str:
        char = match[0]
        return char if char == "\r" else char.encode("unicode_escape").decode()

    return _FORMULA.sub(r"\1'", _ACTING.sub(escape, text))


def printable(text: str) -> str:
    """The text on one line of a log: what moves a cursor, does not show or is a command is escaped.

    Other text stays as it is.
    """
    if not text.isprintable():
        text = "".join(
            char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
        )
    if not text.isascii():
        text = _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
    return guard_log(text) if "##" in text or "::" in text else text


def clip(text: str, length: int) -> str:
    """The text on one line, cut at a length [code points]; the end says how much is left out."""
    if len(text) > length:
        return f"{printable(text[:length])}... ({len(text) - length} more characters)"
    return printable(text)


def guard_log(text: str) -> str:
    """Text of any number of lines in which no build server reads a command."""
    return _LINE_COMMAND.sub(r"\1\\x3a", _LOG_COMMAND.sub(r"#\\x23", text))


def dump_json(value: object, indent: int | None = None) -> str:
    """JSON in ASCII in which a build server that shows it in a log reads no command."""
    text = _encoder(indent).encode(value)
    return _LOG_COMMAND.sub(r"#\\u0023", text) if "##" in text else text


@cache
def _encoder(indent: int | None) -> JSONEncoder:
    import json  # most forms have no JSON

    # Reports hold no value within itself, and to look for one takes a tenth of the time.
    return json.JSONEncoder(
        allow_nan=False, indent=indent, default=_convert_mapping, check_circular=False
    )


def _convert_mapping(value: object) -> object:
    """The dict of a mapping of another class, which the encoder would refuse."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no value of JSON: {type(value).__name__}")


def guard_xml(text: str) -> str:
    """XML in which a build server that shows it in a log reads no command."""
    return _LINE_COMMAND.sub(r"\1&#58;", _LOG_COMMAND.sub("#&#35;", text))


def escape_command(text: str, length: int) -> str:
    """The message of a GitHub workflow command: one line, with escaped percent signs."""
    return clip(text, length).replace("%", "%25")


def escape_property(text: str) -> str:
    """A property of a GitHub workflow command: what would end it is escaped, too."""
    return printable(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def markdown_text(text: str, length: int) -> str:
    """Markdown in which nothing is markup or a link, and nobody is mentioned."""
    plain = _AUTOLINK.sub(_BREAK, _MARKDOWN.sub(r"\\\1", _escape_html(clip(text, length))))
    plain = _BLOCK.sub(r"\1\\\2", plain)
    return _REFERENCE.sub(lambda match: f"{match[0]}{_BREAK}", plain)


def _escape_html(text: str) -> str:
    from html import escape  # slow to import: it holds the names of all characters

    return escape(text, quote=False).replace("@", f"@{_BREAK}")


def markdown_code(text: str, length: int) -> str:
    """A name in a table, where Markdown is read inside HTML, too."""
    return f"<code>{markdown_text(text, length)}</code>"


def html_code(text: str, length: int) -> str:
    """A name in a block of HTML, where Markdown is not read."""
    return f"<code>{_escape_html(clip(text, length))}</code>"


def fence(lines: Iterable[str], language: str = "text") -> str:
    """A block of Markdown in which nothing is markup: its fence is longer than any inside."""
    text = "\n".join(lines)
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def sarif_text(text: str) -> str:
    """A SARIF message (3.11): no placeholders (3.11.5), and no embedded links (3.11.6)."""
    text = text.replace("{", "{{").replace("}", "}}")
    if _EMBEDDED_LINK in text:
        text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return text


def quote_path(path: str) -> str:
    """A path in the header of a diff, in quotes as git writes it where it needs them."""
    special = any(char in '"\\' or not char.isprintable() for char in path)
    if not special and not _LOG_COMMAND.search(path):
        return path
    quoted = []
    for char in path:
        if char in _GIT_ESCAPES:
            quoted.append(f"\\{_GIT_ESCAPES[char]}")
        elif char.isprintable() and char != "#":
            quoted.append(char)
        else:
            data = (
                os.fsencode(char)
                if ("\udc80" <= char <= "\udcff")
                else char.encode("utf-8", "surrogatepass")
            )
            quoted += [f"\\{byte:03o}" for byte in data]
    return f'"{"".join(quoted)}"'


def guard_diff(diff: str) -> str:
    """A diff for a log: characters and words of a document that act are escaped.

    A diff in which nothing acts stays as it is, and can be applied.
    """

    def escape(match: re.Match[str]) -> str:
        ends = match[0] == "\r" and diff[match.end() : match.end() + 1] in ("", "\n")
        return match[0] if ends else match[0].encode("unicode_escape").decode()

    return guard_log(_ACTING.sub(escape, diff))  # lines of a document may end in CR LF
