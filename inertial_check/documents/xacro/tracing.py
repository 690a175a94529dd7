"""Tracing of values through xacro, by replacing the functions of xacro that pass values on.

Texts that xacro reads become traced texts (traced.py), copies stay traced, and computed values are
traced to their expression. Differences from xacro: expressions reach nothing of Python's internals
(expressions.py), files are read and listed only as the document may (files.py), the environment is
what the user allows, and packages are not looked up in a ROS installation.

Strings and numbers that keep the place where they were written through every copy by xacro.

xacro passes values on as Python objects: the text of an attribute becomes a property, the property
an argument of a macro, the argument an attribute. A traced object survives all of these copies.
Arithmetic makes plain objects of traced ones, which shows where a copy ends and a computation
begins.

Tree of a xacro file, with traced names and values, which xacro turns into the expanded document.

It is minidom's, which xacro changes and copies; the names of elements and the values of attributes
are texts that know where they are written, and stay so in every copy.
"""

from __future__ import annotations

import io
import re
import sys
import xml.dom.minidom
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from xml.dom import minidom
from xml.parsers.expat import ExpatError

from inertial_check.documents.files.access import RefusedFileError
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.ros_yaml import scalar_start
from inertial_check.documents.source import Span
from inertial_check.documents.xacro.expressions import evaluate, type_of
from inertial_check.documents.xacro.reading import ExpansionFiles, TextFile
from inertial_check.documents.xml.document import XmlDocument
from inertial_check.documents.xml.markup import Element, normalise
from inertial_check.errors import DocumentError, PicklableError

if TYPE_CHECKING:
    pass


class Holder(Protocol):
    """Interface of a document that maps positions of its text to bytes."""

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""


class TextRange(NamedTuple):
    """Interval of positions in the text of a document."""

    document: Holder
    start: int
    end: int


class Located(NamedTuple):
    """Origin of a piece of text.

    Attributes:
        span: Span of the text, or of the expression that computes it.
        verbatim: Whether the text is written there character by character.
    """

    span: Span
    verbatim: bool


class TracedRun(NamedTuple):
    """Part of a traced text that has a single origin.

    Attributes:
        start: Its start in the traced text.
        end: Its end in the traced text.
        where: The characters that it copies, or the expression that computed it.
        places: Position of each character, and the one after the last; None for an expression.
        value: Value of the expression, if it is a copy of another text.
        reprinted: Whether the part prints the number in `value` in other characters.
    """

    start: int
    end: int
    where: TextRange
    places: Sequence[int] | None = None
    value: Traced | None = None
    reprinted: bool = False

    def part(self, start: int, end: int, shift: int) -> TracedRun:
        """Cut the part between two positions of the text, and shift it."""
        start, end = max(start, self.start), min(end, self.end)
        first, last = start - self.start, end - self.start
        where, places, value = self.where, self.places, self.value
        if places is not None:
            places = places[first : last + 1]
            where = TextRange(where.document, places[0], places[-1])
        elif value is not None and (start, end) != (self.start, self.end):
            # Single digits of a number that was printed again have no origin.
            value = None if self.reprinted else value.part(first, last)
        return TracedRun(start + shift, end + shift, where, places, value, self.reprinted)

    def locate(self, start: int, end: int) -> Located:
        """Find the origin of the characters between two positions inside this part."""
        first, last = start - self.start, end - self.start
        if self.places is not None:
            return Located(self.where.document.span(self.places[first], self.places[last]), True)
        found = None
        if self.value is not None and not self.reprinted:
            found = self.value.locate(first, last)
        elif self.value is not None and (start, end) == (self.start, self.end):
            text = self.value.trim()
            found = text.locate(0, len(text))
        return found or Located(self.where.document.span(self.where.start, self.where.end), False)


class Traced(str):
    """A text that keeps the origins of its characters."""

    runs: tuple[TracedRun, ...]

    def __new__(cls, text: str, runs: Iterable[TracedRun] = ()) -> Traced:
        """Make a text from its characters and the origins of its parts, in order."""
        traced = super().__new__(cls, text)
        traced.runs = tuple(runs)
        return traced

    def __str__(self) -> str:
        """Return the text itself, so that str() keeps its origins."""
        return self

    def __deepcopy__(self, _: object) -> Traced:
        """Return the text itself: it never changes, and its origins hold whole documents.

        xacro copies the names of the files that it reads with every macro that it defines.
        """
        return self

    @property
    def where(self) -> TextRange | None:
        """Interval of the document that contains all of the text; None if it is unknown."""
        if not self.runs:
            return None
        first, last = self.runs[0].where, self.runs[-1].where
        return TextRange(first.document, first.start, last.end)

    def part(self, start: int, end: int) -> Traced:
        """Return the characters between two positions with their origins."""
        runs = [
            run.part(start, end, -start) for run in self.runs if run.start < end and start < run.end
        ]
        return Traced(str.__getitem__(self, slice(start, end)), runs)

    def trim(self) -> Traced:
        """Return the text without surrounding space, with its origins."""
        text = self.strip()
        start = self.index(text) if text else 0
        return self.part(start, start + len(text))

    def locate(self, start: int, end: int) -> Located | None:
        """Find the origin of the characters between two positions; None if it is unknown."""
        met = [run for run in self.runs if run.start < end and start < run.end]
        if not met:
            return None
        if len(met) > 1 or start < met[0].start or end > met[0].end:
            first, last = met[0].where, met[-1].where
            return Located(first.document.span(first.start, last.end), False)
        return met[0].locate(start, end)


class TracedFloat(float):
    """A number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(float.__repr__(self), self.text)


class TracedInt(int):
    """A whole number that keeps the text from which it was read."""

    text: Traced

    def __str__(self) -> str:
        """Print the number, with the origin of its text."""
        return _reprint(int.__repr__(self), self.text)


def trace_verbatim(text: str, document: Holder, places: Sequence[int]) -> Traced:
    """Trace a text of a document by the positions of its characters and the one after the last."""
    if not text:
        return Traced(text)
    where = TextRange(document, places[0], places[-1])
    return Traced(text, (TracedRun(0, len(text), where, places),))


def trace_value(value: object, where: TextRange | None) -> object:
    """Trace a value to the expression that computed it, unless it is a copy of a traced value.

    Truth values, lists and dictionaries are not traced, since no number is printed from them.
    """
    if isinstance(value, (Traced, TracedFloat, TracedInt, bool)) or where is None:
        return value
    if isinstance(value, (int, float)):
        text = repr(value)
        return trace_number(value, Traced(text, (TracedRun(0, len(text), where),)))
    if isinstance(value, str):
        return Traced(value, (TracedRun(0, len(value), where),))
    return value


def trace_number(value: float, text: Traced) -> float:
    """Trace a number to the text from which it was read."""
    number = TracedInt(value) if isinstance(value, int) else TracedFloat(value)
    number.text = text
    return number


def join_pieces(pieces: Iterable[tuple[object, TextRange | None]]) -> Traced:
    """Join the values of the pieces of a template to one text.

    Args:
        pieces: Values, each with its expression; None instead for text of the template.
    """
    texts: list[str] = []
    runs: list[TracedRun] = []
    at = 0
    for value, where in pieces:
        text = str(value)
        traced = text if isinstance(text, Traced) else None
        if text and where is not None:
            runs.append(TracedRun(at, at + len(text), where, None, traced))
        elif traced is not None:
            runs += [run.part(0, len(text), at) for run in traced.runs]
        texts.append(text)
        at += len(text)
    return Traced("".join(texts), runs)


def _reprint(text: str, source: Traced) -> Traced:
    where = source.where
    if where is None:
        return Traced(text)
    return Traced(text, (TracedRun(0, len(text), where, None, source, text != source),))


class StampedName(str):
    """Name of an element, which all copies of the element share.

    Attributes:
        document: The document that contains the element.
        element: The element in that document.
    """

    document: XmlDocument
    element: Element


def build_tree(document: XmlDocument) -> minidom.Document:
    """Build the tree of a document, with traced names and values.

    Raises:
        ExpatError: The document is not well-formed, or a prefix in it is not declared.
    """
    tree: minidom.Document = minidom.parseString(document.text)
    for element, node in zip(document.root.walk(), _list_nodes(tree), strict=False):
        if node.tagName != element.tag:  # engines read the document in another way than minidom
            break
        name = StampedName(element.tag)
        name.document, name.element = document, element
        node.tagName = node.nodeName = name
        for key, (text, places) in document.attributes(element).items():
            attribute = node.getAttributeNode(key)
            if attribute is not None and attribute.value in (text, normalise(text)):
                attribute.value = trace_verbatim(attribute.value, document, places)
    return tree


def _list_nodes(tree: minidom.Document) -> Iterator[minidom.Element]:
    """Visit all elements of a tree in document order."""
    pending: list[minidom.Node] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, minidom.Element):
            yield node
        pending += reversed(node.childNodes)


Node = xml.dom.minidom.Element

Value = Any  # Any: an expression of a xacro file has a value of any type
Symbols = dict[str, Any]  # Any: see Value
Function = Callable[..., Value]

_RECURSION = 4000
"""Limit of nested Python calls, of which the functions of this module take half."""

_ARG = re.compile(r"arg +(\S+) *")
# fmt: off
_NEEDED = (
    "safe_eval", "eval_text", "eval_extension", "parse", "parse_macro_arg", "re_macro_arg", "Table",
    "QuickLexer", "LEXER", "XacroException", "eval_all", "check_attrs", "reqd_attrs",
    "process_include", "warning", "handle_macro_call", "substitution_args_context", "filestack",
    "process_file",
)
# fmt: on
"""Names of the xacro module that are replaced or called here."""

_NOTHING_MATCHED = "Include tag's filename spec"


class LocatedError(PicklableError, Exception):
    """An error of xacro with the place in a document to which it applies."""

    def __init__(self, error: Exception, where: TextRange | None) -> None:
        super().__init__(str(error))
        self.where = where


class Inputs(NamedTuple):
    """Inputs of an expansion.

    Attributes:
        files: The files that xacro reads.
        find: Function that finds the folder of a package, or raises OSError with a reason.
        environment: Environment variables that the file may read; None for one that is not set.
    """

    files: ExpansionFiles
    find: Callable[[str], str]
    environment: Mapping[str, str | None]


class Tracing:
    """Makes the xacro module of this process trace what it does, from now on.

    Attributes:
        warnings: Warnings of the last expansion, and the places to which they apply.
    """

    def __init__(self) -> None:
        import xacro as module
        import yaml
        from xacro import substitution_args

        missing = [name for name in _NEEDED if not hasattr(module, name)]
        if missing:
            raise RuntimeError(f"this version of xacro has no {missing[0]}: install xacro>=2.1,<3")
        self._xacro = module
        self._plain_literal = module.Table._eval_literal
        self._plain_extension = module.eval_extension
        module.Table._eval_literal = staticmethod(self._literal)
        for name in ("eval_text", "eval_extension", "parse", "parse_macro_arg"):
            setattr(module, name, getattr(self, f"_{name}"))
        module.safe_eval = evaluate
        for name in ("eval_all", "handle_macro_call", "process_include"):
            setattr(module, name, self._placing(getattr(module, name)))
        for name in ("check_attrs", "reqd_attrs"):
            setattr(module, name, self._looking(getattr(module, name)))
        module.warning = self._warning
        # load_yaml opens a file and passes it to yaml.safe_load.
        module.open = lambda path: _YamlStream(self._inputs.files.text_file(path))
        module.glob = SimpleNamespace(glob=self._glob)
        module._global_symbols["python"].pop("vars", None)
        module._global_symbols["python"].update(type=type_of)
        for name, read in (
            ("find", lambda package: self._inputs.find(str(package))),
            ("env", self._env),
            ("optenv", self._optenv),
        ):
            setattr(substitution_args, f"_eval_{name}", read)
            substitution_args._eval_dict[name] = read
        # Without the builtin functions of Python, which $(eval) would have.
        substitution_args.eval = lambda expression, _, local: evaluate(expression, {}, local)
        yaml.safe_load = _load_yaml

    def expand(
        self, path: str, arguments: dict[str, str], inputs: Inputs
    ) -> xml.dom.minidom.Document:
        """Expand a file to a document whose attributes are traced.

        Raises:
            LocatedError: xacro cannot expand the file.
            DocumentError: A file is not XML.
        """
        self.warnings: list[tuple[str, TextRange | None]] = []
        self._inputs = inputs
        self._nodes: list[Node] = []
        self._looked_at: Node | None = None
        sys.setrecursionlimit(_RECURSION)
        try:
            tree: xml.dom.minidom.Document
            tree = self._xacro.process_file(path, mappings=arguments, verbosity=0)
        except RecursionError as error:
            reason = RecursionError("nested too deep: does a macro or a file include itself?")
            raise LocatedError(reason, getattr(error, "where", None)) from None
        except (MemoryError, DocumentError):
            raise
        except Exception as error:  # an expression or a library may raise anything
            raise LocatedError(error, _where_of(error)) from None
        return tree

    def _glob(self, pattern: str) -> list[str]:
        """List the files that an include with a pattern names."""
        try:
            return self._inputs.files.glob(pattern)
        except RefusedFileError as error:
            raise self._xacro.XacroException(f"{error.strerror}: {pattern}") from None

    def _warning(self, *texts: object, **_: object) -> None:
        text = " ".join(map(str, texts))
        if text.startswith(_NOTHING_MATCHED):
            self.warnings.append((text, _stamp(self._nodes[-1]) if self._nodes else None))

    def _placing(self, function: Function) -> Function:
        """Wrap a function so that its errors carry the element at which they occur."""

        def placing(node: Node, *arguments: Value) -> Value:
            self._nodes.append(node)
            self._looked_at = None
            try:
                return function(node, *arguments)
            except Exception as error:
                self._mark(error, _stamp(self._looked_at or node))
                raise
            finally:
                self._nodes.pop()
                self._looked_at = None

        return placing

    def _looking(self, function: Function) -> Function:
        """Wrap a function that reads attributes, so that its errors belong to that element."""

        def looking(node: Node, *arguments: Value) -> Value:
            self._looked_at = node
            return function(node, *arguments)

        return looking

    @staticmethod
    def _mark(error: Exception, where: TextRange | None) -> None:
        if where is not None and _where_of(error) is None:
            error.where = where  # type: ignore[attr-defined]

    def _parse(self, _: object, path: str) -> xml.dom.minidom.Document:
        """Parse a file to a DOM whose names and values are traced."""
        try:
            document = self._inputs.files.document(path)
        except OSError as error:
            self._xacro.filestack.pop()
            reason = f"{error.strerror or error}: {path}"
            raise self._xacro.XacroException(reason, exc=_Unread()) from None
        try:
            return build_tree(document)
        except ExpatError as error:
            raise self._xacro.XacroException(f"not well-formed: {error}") from None

    def _parse_macro_arg(self, text: str) -> tuple[Value, ...]:
        """Parse a macro argument as xacro does, but keep its default and the rest traced."""
        match = self._xacro.re_macro_arg.match(text)
        if match is None or not isinstance(text, Traced):
            words = text.lstrip().split(None, 1)
            rest = words[1] if len(words) > 1 else ""
            if rest and isinstance(text, Traced):
                rest = text.part(len(text) - len(rest), len(text))
            return words[0], None, rest
        param, forward, default, _ = match.groups()
        value = text.part(*match.span(3)) if default else None
        return param, (param if forward else None, value), text.part(*match.span(4))

    def _literal(self, value: object) -> object:
        """Evaluate the text of a property: a number, a truth value, or the text itself."""
        found = self._plain_literal(value)
        if not isinstance(value, Traced) or isinstance(found, bool):
            return found
        if isinstance(found, (int, float)):
            return trace_number(found, value)
        return value if len(found) == len(value) else value.part(1, len(value) - 1)

    def _eval_text(self, text: str, symbols: Symbols) -> Value:
        """Evaluate a template: a value of any type if it is one expression, or else a text."""
        if text.isspace():  # most texts, which stand between elements
            return text
        traced = text if isinstance(text, Traced) else Traced(text)
        if "$" not in traced:  # most attributes are no templates
            return traced
        try:
            if traced.startswith("${") and traced.find("}") == len(traced) - 1:
                inside = traced.part(2, len(traced) - 1)
                return trace_value(self._expression(inside, symbols), traced.where)
            pieces = list(self._pieces(traced, symbols))
        except Exception as error:
            self._mark(error, traced.where)
            raise
        return pieces[0][0] if len(pieces) == 1 else join_pieces(pieces)

    def _pieces(self, text: Traced, symbols: Symbols) -> Iterator[tuple[Value, TextRange | None]]:
        lexer = self._xacro.QuickLexer(self._xacro.LEXER)
        lexer.lex(text)
        at = 0
        while lexer.peek():
            kind, piece = lexer.next()
            start, at = at, at + len(piece)
            if kind == lexer.TEXT:
                yield text.part(start, at), None
            elif kind == lexer.DOLLAR_DOLLAR_BRACE:
                yield text.part(start + 1, at), None
            else:
                whole, inside = text.part(start, at), text.part(start + 2, at - 1)
                evaluate = self._expression if kind == lexer.EXPR else self._extension
                yield trace_value(evaluate(inside, symbols), whole.where), whole.where

    def _expression(self, text: Traced, symbols: Symbols) -> Value:
        """Evaluate the expression in ${}; a literal number stays traced."""
        try:
            value = self._xacro.safe_eval(self._eval_text(text, symbols), symbols)
        except Exception as error:
            if isinstance(error, (MemoryError, RecursionError)):
                raise
            suffix = f"\nwhen evaluating expression '{text}'"
            wrapped = self._xacro.XacroException(exc=error, suffix=suffix)
            self._mark(wrapped, _where_of(error) or text.where)
            raise wrapped from None
        number = type(value) in (int, float) and parse_number(text.strip()) == (value, None)
        return trace_number(value, text.trim()) if number else value

    def _extension(self, text: Traced, symbols: Symbols) -> Value:
        """Evaluate the substitution in $(); the default of an argument stays traced."""
        said = self._eval_text(text, symbols)
        argument = _ARG.fullmatch(str(said))
        known = self._xacro.substitution_args_context["arg"]
        if argument and argument[1] in known:
            return known[argument[1]]
        return self._xacro.eval_extension(f"$({said})")

    def _eval_extension(self, text: str) -> Value:
        from xacro.substitution_args import ArgException, resolve_args

        if text == "$(cwd)":
            return self._plain_extension(text)
        try:
            return resolve_args(text, context=self._xacro.substitution_args_context)
        except ArgException as error:
            reason = f"the argument {error} is not given: give it with --xacro-arg {error}:=VALUE"
        except Exception as error:
            reason = f"{text}: {error}"
        raise self._xacro.XacroException(reason)

    def _env(self, name: str) -> str:
        """Read an environment variable for $(env)."""
        if name not in self._inputs.environment:
            reason = f"the environment variable {name} is not read: --xacro-env {name} allows it"
            raise self._xacro.XacroException(reason)
        value = self._inputs.environment[name]
        if value is None:
            raise self._xacro.XacroException(f"the environment variable {name} is not set")
        return value

    def _optenv(self, name: str, default: str = "") -> str:
        """Read an environment variable for $(optenv), which gives a default beside its name.

        The default also stands for a variable that the user does not allow, with a warning.
        """
        if name not in self._inputs.environment:
            text = (
                f"the environment variable {name} is not read, its default is taken: "
                f"--xacro-env {name} allows it"
            )
            if all(text != known for known, _ in self.warnings):
                self.warnings.append((text, _stamp(self._nodes[-1]) if self._nodes else None))
        value = self._inputs.environment.get(name)
        return default if value is None else value


class _Unread(OSError):
    """Error by which xacro recognises that the file of an optional include is missing."""


class _YamlStream(io.StringIO):
    """An open text file that keeps its text and path."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.text)
        self.file = file


def _load_yaml(stream: Value) -> Value:
    """Load YAML safely, with traced scalars."""
    import yaml

    if not isinstance(stream, _YamlStream):
        raise TypeError("only a file of the expansion is loaded as YAML")
    file = stream.file

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Safe loader with xacro's constructors of units."""

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Value:
            value = super().construct_object(node, deep)
            if not isinstance(node, yaml.ScalarNode):
                return value
            where = TextRange(file, node.start_mark.index, node.end_mark.index)
            start = scalar_start(node, file.text)
            if start is None:
                return trace_value(value, where)
            text = trace_verbatim(node.value, file, range(start, start + len(node.value) + 1))
            if isinstance(value, str):
                return text
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or parse_number(node.value) != (value, None):
                return trace_value(value, where)
            return trace_number(value, text)

    try:
        return yaml.load(file.text, Loader)
    except yaml.MarkedYAMLError as error:  # its text quotes several lines
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        reason = error.problem or error.context
        raise ValueError(f"{file.source.path}{place}: no YAML: {reason}") from None


def _where_of(error: BaseException | None) -> TextRange | None:
    """Return the place of an error, or of the error that it wraps."""
    while error is not None:
        where: TextRange | None = getattr(error, "where", None)
        if where is not None:
            return where
        error = getattr(error, "exc", None)
    return None


def _stamp(node: Node) -> TextRange | None:
    """Return the place of the start tag of an element."""
    name = node.tagName
    if isinstance(name, StampedName):
        return TextRange(name.document, name.element.start, name.element.start + 1 + len(name))
    return name.where if isinstance(name, Traced) else None
