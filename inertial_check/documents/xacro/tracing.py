"""Tracing of values through xacro, by replacing the functions of xacro that pass values on.

Texts that xacro reads become traced texts, copies stay traced, and computed values are traced to
their expression. Differences from xacro: expressions reach nothing of Python's internals
(expressions.py), files are read and listed only as the document may (reading.py), the environment
is what the user allows, packages are not looked up in a ROS installation, and what is missing costs
no more than what needs it.

Tree of a xacro file, with traced names and values, which xacro turns into the expanded document.

It is minidom's, which xacro changes and copies; the names of elements and the values of attributes
are texts that know where they are written, and stay so in every copy.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from math import isfinite
from types import SimpleNamespace
from typing import Any, NamedTuple
from xml.dom import minidom
from xml.parsers.expat import ExpatError

from inertial_check.documents.files.access import RefusedFileError
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.ros_yaml import scalar_start
from inertial_check.documents.xacro.expressions import (
    TextRange,
    Traced,
    Unknown,
    UnsafeNameError,
    evaluate,
    find_unknowns,
    join_pieces,
    list_names,
    trace_number,
    trace_value,
    trace_verbatim,
    type_of,
)
from inertial_check.documents.xacro.reading import ExpansionFiles, TextFile
from inertial_check.documents.xml.document import XmlDocument
from inertial_check.documents.xml.markup import Element, normalise
from inertial_check.errors import DocumentError, PicklableError


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


def _list_nodes(tree: minidom.Node) -> Iterator[minidom.Element]:
    """Visit all elements of a tree in document order."""
    pending: list[minidom.Node] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, minidom.Element):
            yield node
        pending += reversed(node.childNodes)


Node = minidom.Element

Value = Any  # Any: an expression has a value of any type, and an element children of any kind
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
    "process_file", "grab_property", "grab_macro", "get_boolean_value", "replace_node",
    "eval_default_arg", "macrostack",
)
# fmt: on
"""Names of the xacro module that are replaced or called here."""

_NOTHING_MATCHED = "Include tag's filename spec"


_FATAL = (MemoryError, RecursionError, UnsafeNameError)
"""Errors that end an expansion: nothing that the rest says is worth them."""

_STEPS = (1.0, 0.6180339887498949, 0.7548776662466927)
"""Irrational steps between samples of unknown numbers, after the first sample, which is 1."""

_SHAPES = ("visual", "collision")
"""Elements of a link that show what a formula of its inertia was to be."""

_MOST_WAYS = 8
"""Largest number of ways in which one inertial is expanded alone; few macros have more callers."""

_FEW = 6
"""Number of unknown names and macros that one message lists."""

_WITH_GAPS = ("inertial", "link")
"""Elements in which it is noted that something is missing."""

_MACRO, _INCLUDE, _NO_MACRO = "xacro:macro", "xacro:include", "unknown macro name: "


class _Left(NamedTuple):
    """An element that an expansion leaves out, and the macros and symbols known there."""

    node: Value
    macros: Symbols
    symbols: Symbols


class _Loss(NamedTuple):
    """A reason why something was left out, its place, and whether a name or macro is unknown.

    Attributes:
        reason: The reason.
        where: The place.
        kind: "name" or "macro" where one is unknown; "" otherwise.
        unread: Whether a file was not opened that other programs may read.
    """

    reason: str
    where: TextRange | None
    kind: str
    unread: bool = False


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

    What cannot be computed, found or called is left out of an expansion and is one loss; the rest
    is expanded. What was left out, and macros that nothing calls, are expanded alone afterwards.

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
        self._expand_element = self._placing(module.eval_all)
        module.eval_all = self._eval_all
        for name in ("handle_macro_call", "process_include", "grab_property", "grab_macro"):
            setattr(module, name, self._placing(self._tolerating(getattr(module, name))))
        self._plain_boolean = module.get_boolean_value
        module.get_boolean_value = self._boolean
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

    def expand(self, path: str, arguments: dict[str, str], inputs: Inputs) -> minidom.Document:
        """Expand a file to a document whose attributes are traced.

        Raises:
            LocatedError: xacro cannot expand the file.
            DocumentError: A file is not XML.
        """
        self.warnings: list[tuple[str, TextRange | None]] = []
        self._inputs = inputs
        self._arguments = arguments
        self._nodes: list[Node] = []
        self._looked_at: Node | None = None
        self._failed: tuple[Exception | None, Node | None] = None, None
        self._scopes: list[tuple[Symbols, Symbols]] = []
        self._losses: dict[str, _Loss] = {}
        self._left: list[_Left] = []
        self._macros: list[_Left] = []
        self._called: set[Element] = set()
        self._undefined: dict[str, Unknown] = {}
        self._unread = False
        self._alone = False
        sys.setrecursionlimit(_RECURSION)
        try:
            tree: minidom.Document
            tree = self._xacro.process_file(path, mappings=arguments, verbosity=0)
        except RecursionError as error:
            reason = RecursionError("nested too deep: does a macro or a file include itself?")
            raise LocatedError(reason, getattr(error, "where", None)) from None
        except (MemoryError, DocumentError):
            raise
        except Exception as error:  # an expression or a library may raise anything
            raise LocatedError(error, _where_of(error)) from None
        return tree

    @property
    def losses(self) -> list[tuple[str, TextRange | None, bool]]:
        """Reasons why the last expansion left out elements, the place, and if a file is unread.

        Names and macros that are unknown are one loss each; beside an include that was not found
        they follow from it.
        """
        groups: dict[str, list[tuple[str, _Loss]]] = {"": []}
        for key, loss in self._losses.items():
            groups.setdefault(loss.kind, []).append((key, loss))
        first = next((loss for _, loss in groups[""]), None) if self._unread else None
        told = {id(loss): loss.reason for _, loss in groups[""]}
        for kind in ("name", "macro"):
            for key, loss in groups.get(kind, ()):
                head = first or groups[kind][0][1]
                told.setdefault(id(head), head.reason)
                if head is not loss and told[id(head)].count(";") < _FEW:
                    told[id(head)] += f"; {key}"
        losses = [loss for loss in self._losses.values() if id(loss) in told]
        return [(told[id(loss)], loss.where, loss.unread) for loss in losses]

    def expand_alone(self, reached: set[Element], root: Node) -> dict[Element, list[Node]]:
        """Expand what no link came from: each macro by itself, and what was left out.

        What stands in the expanded document where no reader looks is taken from there. Parameters
        without a value are unknown, and conditions on them hold.

        Args:
            reached: The <inertial> elements of the files that are read in the expanded document.
            root: Root element of that document.

        Returns:
            Links with the other <inertial> elements as they expand, for each of the elements.
        """
        self._alone = True
        self._xacro.substitution_args_context["arg"] = self._arguments
        found: dict[Element, dict[str, tuple[bool, Node]]] = {}
        macros = {each.node.tagName.element: each for each in self._macros}
        uncalled = [each for element, each in macros.items() if element not in self._called]
        # Macros are called after they are defined: the last callers know most.
        pending = [*self._left, *reversed(uncalled), *reversed(macros.values())]
        self._left = []
        self._harvest(root, reached, found)
        # Names of the macros from which inertials that were not reached come.
        holding: set[str] = set()
        for _ in macros:
            before = len(holding)
            holding |= {
                left.node.getAttribute("name")
                for left in macros.values()
                if self._leads_to(left.node, holding, reached)
            }
            if len(holding) == before:
                break
        callers = len(pending) - len(macros)
        for number, left in enumerate(pending):
            known = {element for element, ways in found.items() if any(k for k, _ in ways.values())}
            calls = holding if number < callers else ()
            if self._leads_to(left.node, calls, known | reached):
                with suppress(*_FATAL):
                    self._harvest(self._expand_left(left), reached, found)
                pending += self._left
                self._left = []
        return {
            element: [link for known, link in ways.values() if known]
            or [link for _, link in ways.values()][:1]
            for element, ways in found.items()
        }

    @staticmethod
    def _leads_to(node: Value, macros: Collection[str], reached: Collection[Element]) -> bool:
        """Whether an element holds an <inertial> that is not reached, or calls such a macro."""
        for each in _list_nodes(node):
            name = each.tagName
            if name == "inertial" and isinstance(name, StampedName) and name.element not in reached:
                return True
            if name.startswith("xacro:") and name[6:].rpartition(".")[2] in macros:
                return True
        return False

    def _expand_left(self, left: _Left) -> Value:
        """Expand a copy of an element, with the parameters of a macro as far as they are known."""
        body = left.node.cloneNode(deep=True)
        symbols = self._xacro.Table(left.symbols)
        text = left.node.getAttribute("params") if left.node.tagName == _MACRO else ""
        while text.strip():
            name, default, text = self._parse_macro_arg(text)
            if name.startswith("*"):
                symbols[name] = body.ownerDocument.createElement("unknown")
                symbols[name].appendChild(_make_gap(body, [name.strip("*")]))
                continue
            try:
                if default is None:
                    raise LookupError(name)
                value = self._xacro.eval_default_arg(*default, left.symbols, None)
            except _FATAL:
                raise
            except Exception:  # the default is computed from what is not known
                value = self._make_unknown(f"{id(left)} {name}", [name], None)
            symbols._setitem(name, value, unevaluated=False)
        self._xacro.macrostack.clear()
        self._xacro.eval_all(body, self._xacro.Table(left.macros), symbols)
        return body

    @staticmethod
    def _harvest(
        body: Value,
        reached: Collection[Element],
        found: dict[Element, dict[str, tuple[bool, Node]]],
    ) -> None:
        """Collect the <inertial> elements of an expanded element, each in its link."""
        for inertial in body.getElementsByTagName("inertial"):
            stamp = inertial.tagName
            if not isinstance(stamp, StampedName) or stamp.element in reached:
                continue
            holder = inertial.parentNode
            while holder is not body and holder.tagName != "link":
                holder = holder.parentNode
            name = StampedName("link")
            name.document, name.element = stamp.document, stamp.element
            parts: dict[str, list[Value]] = {}
            for child in _list_nodes(inertial):
                if child.parentNode is inertial:
                    parts.setdefault(child.tagName, []).append(child)
            # Branches of unknown conditions all hold: each gives the elements of one inertial.
            branches = getattr(inertial, "branches", False)
            for index in range(max(map(len, parts.values()), default=1) if branches else 1):
                one = inertial.cloneNode(deep=not branches)
                for each in parts.values() if branches else ():
                    one.appendChild(each[min(index, len(each) - 1)].cloneNode(deep=True))
                values = [
                    value
                    for node in _list_nodes(one)
                    for value in dict(node.attributes.items()).values()
                ]
                link = body.ownerDocument.createElement(name)
                link.setAttribute("name", holder.getAttribute("name") or "inertial")
                link.appendChild(one)
                for shape in _list_nodes(holder):
                    if shape.parentNode is holder and shape.tagName in _SHAPES:
                        link.appendChild(shape.cloneNode(deep=True))
                ways = found.setdefault(stamp.element, {})
                if len(ways) < _MOST_WAYS:
                    ways["\n".join(values)] = not any(map(find_unknowns, values)), link

    def _eval_all(self, node: Value, macros: Symbols, symbols: Symbols) -> None:
        """Evaluate an element; a child on which that fails is left out."""
        if self._xacro.macrostack:
            self._called.add(self._xacro.macrostack[-1].body.tagName.element)
        self._scopes.append((macros, symbols))
        done: list[Value] = []
        try:
            while True:
                try:
                    self._expand_element(node, macros, symbols)
                    break
                except _FATAL:
                    raise
                except Exception as error:
                    child: Value = self._failed[1]
                    if child is None or child.parentNode is not node:
                        self._lose(error, _where_of(error))
                        break
                    while node.firstChild is not child:
                        done.append(node.removeChild(node.firstChild))
                    self._leave(child, error)
            rest = node.firstChild
            for each in done:
                node.insertBefore(each, rest)
        finally:
            self._scopes.pop()

    def _tolerating(self, function: Function) -> Function:
        """Wrap a function of an element, so that the element is left out if the function fails."""

        def tolerating(node: Node, *arguments: Value) -> Value:
            files, macros = len(self._xacro.filestack), len(self._xacro.macrostack)
            left = _Left(node, *self._scopes[-1])
            if node.tagName == _MACRO:
                self._macros.append(left)
            elif node.tagName == "xacro:property" and node.firstChild is not None:
                self._left.append(left)
            elif node.tagName == _INCLUDE and find_unknowns(
                self._eval_text(node.getAttribute("filename"), left.symbols)
            ):
                self._leave(node)
                return True
            elif self._alone and any(
                node.tagName == f"xacro:{each.body.getAttribute('name')}"
                for each in self._xacro.macrostack
            ):
                return True  # conditions that are not known never end a recursion
            try:
                return function(node, *arguments)
            except _FATAL:
                raise
            except Exception as error:
                del self._xacro.filestack[files:], self._xacro.macrostack[macros:]
                self._leave(node, error)
                return True

        return tolerating

    def _leave(self, node: Node, error: Exception | None = None) -> None:
        """Leave an element out of the expansion, because of an error or of what is unknown."""
        if error is not None:
            self._lose(error, _where_of(error) or _stamp(self._looked_at or node))
        self._unread |= node.tagName == _INCLUDE
        if node.parentNode is not None:
            if isinstance(node.parentNode, Node) and node.parentNode.tagName in _WITH_GAPS:
                node.parentNode.insertBefore(_make_gap(node, [node.tagName]), node)
            node.parentNode.removeChild(node)
        self._left.append(_Left(node, *self._scopes[-1]))

    def _lose(
        self, error: Exception, where: TextRange | None, needs: Iterable[str] = ()
    ) -> Unknown:
        """Note that an error leaves something out, once for each reason; return what stands in."""
        cause: Any = error  # Any: errors of xacro have the error that they wrap
        while (inner := getattr(cause, "exc", None)) is not None:
            cause = inner
        key = str(cause) or type(cause).__name__
        kind = "macro" if key.startswith(_NO_MACRO) else ""
        if isinstance(cause, NameError):
            kind = "name"
        if not self._alone:
            unread = isinstance(cause, RefusedFileError | _RefusedInclude)
            self._losses.setdefault(key, _Loss(str(error) or key, where, kind, unread))
        place = "" if where is None or needs else f" {where.start} {where.end}"
        return self._make_unknown(key + place, needs, where)

    def _make_unknown(self, key: str, needs: Iterable[str], where: TextRange | None) -> Unknown:
        """Make an unknown value, with numbers that are in no simple ratio to those of others."""
        number = len(self._undefined) + 1
        samples = tuple(1.0 + number * step % 1.0 for step in _STEPS)
        return self._undefined.setdefault(key, Unknown.of(needs, where, samples))

    def _boolean(self, value: Value, condition: Value) -> bool:
        """Decide a condition; what it leaves out is noted; an unknown one leaves all of it out."""
        node = self._looked_at
        if node is None or node.tagName not in ("xacro:if", "xacro:unless"):
            return bool(self._plain_boolean(value, condition))
        unless = node.tagName == "xacro:unless"
        if not find_unknowns(value):
            holds = bool(self._plain_boolean(value, condition))
        else:
            holds = self._alone != unless
            self._unread = True
            parent: Value = node.parentNode
            if self._alone:
                while parent is not None and getattr(parent, "tagName", "") != "inertial":
                    parent = parent.parentNode
                if parent is not None:
                    parent.branches = True
            elif parent.tagName in _WITH_GAPS:
                needs = [need for each in find_unknowns(value) for need in each.needs]
                parent.insertBefore(_make_gap(parent, needs), node)
        if holds == unless:
            self._left.append(_Left(node, *self._scopes[-1]))
        return holds

    def _glob(self, pattern: str) -> list[str]:
        """List the files that an include with a pattern names."""
        try:
            return self._inputs.files.glob(pattern)
        except RefusedFileError as error:
            reason = f"{error.strerror}: {pattern}"
            raise self._xacro.XacroException(reason, exc=_RefusedInclude(reason)) from None

    def _warning(self, *texts: object, **_: object) -> None:
        text = " ".join(map(str, texts))
        if text.startswith(_NOTHING_MATCHED):
            self.warnings.append((text, _stamp(self._nodes[-1]) if self._nodes else None))

    def _placing(self, function: Function) -> Function:
        """Wrap a function so that its errors carry the place and the element of their cause."""

        def placing(node: Node, *arguments: Value) -> Value:
            self._nodes.append(node)
            self._looked_at = None
            try:
                return function(node, *arguments)
            except Exception as error:
                if self._failed[0] is not error:
                    self._failed = error, self._looked_at
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

    def _parse(self, _: object, path: str) -> minidom.Document:
        """Parse a file to a DOM whose names and values are traced."""
        try:
            document = self._inputs.files.document(path)
        except OSError as error:
            self._xacro.filestack.pop()
            reason = f"{error.strerror or error}: {path}"
            refused = isinstance(error, RefusedFileError)
            cause = _RefusedInclude(reason) if refused else _Unread()
            raise self._xacro.XacroException(reason, exc=cause) from None
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
        except _FATAL as error:
            self._mark(error, traced.where)
            raise
        except Exception as error:
            return self._lose(error, traced.where)
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
        source = self._eval_text(text, symbols)
        try:
            if self._undefined and (unknowns := self._read_unknowns(source, symbols)):
                return self._sample(source, symbols, unknowns, text.where)
            value = self._xacro.safe_eval(source, symbols)
        except _FATAL:
            raise
        except Exception as error:
            name = getattr(error, "name", None)
            if isinstance(error, NameError) and name and name not in self._undefined:
                self._make_unknown(name, [name], text.where)
                self._lose(error, text.where)
                return self._expression(text, symbols)
            suffix = f"\nwhen evaluating expression '{text}'"
            wrapped = self._xacro.XacroException(exc=error, suffix=suffix)
            return self._lose(wrapped, _where_of(error) or text.where)
        number = type(value) in (int, float) and parse_number(text.strip()) == (value, None)
        return trace_number(value, text.trim()) if number else value

    def _read_unknowns(self, source: str, symbols: Symbols) -> dict[str, Value]:
        """Read the names in an expression whose values are unknown, or made from what is."""
        found: dict[str, Value] = {}
        for name in sorted(list_names(source)):  # the same on every run
            value = symbols[name] if name in symbols else self._undefined.get(name)
            if find_unknowns(value):
                found[name] = value
        return {"": source, **found} if find_unknowns(source) else found

    def _sample(
        self, source: str, symbols: Symbols, unknowns: dict[str, Value], where: TextRange | None
    ) -> Value:
        """Evaluate an expression that depends on unknown values, at several values of them."""
        name = source.strip()
        if name in unknowns:
            return unknowns[name]
        needs = [
            n for value in unknowns.values() for each in find_unknowns(value) for n in each.needs
        ]
        samples: list[float] = []
        for at in range(len(_STEPS)):
            scope = self._xacro.Table(symbols)
            for key, value in unknowns.items():
                sampled = value.samples if isinstance(value, Unknown) else ()
                if not sampled:
                    return Unknown.of(needs, where)
                dict.__setitem__(scope, key, sampled[at])
            try:
                result = evaluate(source, scope)
            except _FATAL:
                raise
            except Exception:  # what is unknown is no number
                return Unknown.of(needs, where)
            if type(result) not in (int, float) or not isfinite(result):
                return Unknown.of(needs, where)
            samples.append(float(result))
        return Unknown.of(needs, where, tuple(samples))

    def _extension(self, text: Traced, symbols: Symbols) -> Value:
        """Evaluate the substitution in $(); the default of an argument stays traced."""
        said = self._eval_text(text, symbols)
        if unknowns := find_unknowns(said):
            return Unknown.of((need for each in unknowns for need in each.needs), text.where)
        argument = _ARG.fullmatch(str(said))
        known = self._xacro.substitution_args_context["arg"]
        if argument and argument[1] in known:
            return known[argument[1]]
        try:
            return self._xacro.eval_extension(f"$({said})")
        except _FATAL:
            raise
        except Exception as error:
            return self._lose(error, text.where, said.split()[1:2])

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


class _RefusedInclude(Exception):
    """Error of a file that must not be opened: an optional include of it is not passed over."""


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


def _make_gap(node: Value, needs: Iterable[str]) -> Value:
    """Make an element that stands in an <inertial> or <link> for what is missing there."""
    gap = node.ownerDocument.createElement("unknown")
    gap.setAttribute("needs", Unknown.of(needs, None))
    return gap


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
