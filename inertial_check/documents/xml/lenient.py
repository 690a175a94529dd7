"""Parser for documents that are not well-formed XML but that robot engines read.

MuJoCo, urdfdom, Gazebo and PyBullet read XML with TinyXML or TinyXML-2, which tolerate many
mistakes. This parser tolerates the same mistakes, each with a complaint, and refuses the others.
"""

from __future__ import annotations

import re
from array import array

from inertial_check.documents.context import NestingError, check_nesting
from inertial_check.documents.xml.encoding import (
    ENTITY_REASON,
    MISPLACED_DECLARATION,
    Complaints,
    TooLarge,
    Unreadable,
)
from inertial_check.documents.xml.markup import (
    NAME,
    Element,
    Tag,
    normalise,
    references,
    resolve_references,
    scan_tag,
)

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_DECLARATION = re.compile(
    r"""<\?xml\s+version\s*=\s*(["'])[\w.:-]+\1(\s+encoding\s*=\s*(["'])[A-Za-z][\w.-]*\3)?"""
    r"""(\s+standalone\s*=\s*(["'])(yes|no)\5)?\s*\?>"""
)
_INSTRUCTION = re.compile(rf"<\?(?!xml[\s?])(?={NAME})", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\s[^\[>]*(?:\[[^\]]*\]\s*)?>")
_SPACE = " \t\r\n\v\f"


class LenientParser:
    """Parses a text in one pass, by the grammar of TinyXML-2 or of TinyXML.

    Attributes:
        root: The first element.
        outside: Positions of the comments outside the root element, as Element.remarks has them.
        complaints: Repairs that reading the document needed.
    """

    def __init__(self, text: str, complaints: Complaints, unquoted: bool = False) -> None:
        """Parse a text.

        Args:
            text: Text of the document.
            complaints: List to which repairs are added.
            unquoted: Whether to accept attributes without quotes, as TinyXML but not TinyXML-2.

        Raises:
            Unreadable: No engine would read the document.
        """
        self._reads_unquoted = unquoted
        self.outside: array[int] = array("q")
        self.complaints = complaints
        self.root: Element | None = None
        self._open: list[Element] = []
        self._count = 0
        nul = text.find("\0")
        if nul >= 0:
            message = "a NUL ends the document for engines; what follows is not read: delete it"
            self.complaints.add("nul", message, nul, nul + 1)
            text = text[:nul]
        self._text = text
        self._may_have_doctype = True
        self._parse()

    def _parse(self) -> None:
        text = self._text
        at = 0
        while (mark := text.find("<", at)) >= 0:
            self._characters(at, mark)
            if text.startswith("<!--", mark):
                at = self._comment(mark)
            elif text.startswith("<![CDATA[", mark):
                at = self._past("]]>", mark, 9, "a CDATA section")
                self._outside("a CDATA section", mark, at)
            elif text.startswith("<!", mark):
                at = self._unknown(mark)
            elif text.startswith("<?", mark):
                at = self._instruction(mark)
            else:
                at = self._tag(mark)
                if at < 0:
                    break
        else:
            self._finish(at)
        for match in _CONTROL.finditer(self._text):
            code = f"U+{ord(match[0]):04X}"
            message = f"the control character {code} is not allowed in XML: delete it"
            if not self.complaints.add("control", message, *match.span()):
                break

    def _finish(self, at: int) -> None:
        if self._open:
            element = self._open[-1]
            raise Unreadable(
                f"the document ends inside <{element.tag}>, which begins here: close it",
                element.start,
            )
        rest = self._text[at:]
        if rest.strip(_SPACE) and self.root is not None:
            at += len(rest) - len(rest.lstrip(_SPACE))
            raise Unreadable("text after the end of the root element: delete it", at)

    def _past(self, end: str, start: int, opening: int, what: str) -> int:
        found = self._text.find(end, start + opening)
        if found < 0:
            raise Unreadable(f"{what} begins here and is never closed: expected {end}", start)
        return found + len(end)

    def _outside(self, what: str, start: int, end: int) -> None:
        if not self._open:
            where = "before" if self.root is None else "after"
            message = f"{what} {where} the root element is not read: delete it"
            self.complaints.add("outside-root", message, start, end)

    def _characters(self, start: int, end: int) -> None:
        text = self._text
        if not self._open:
            stray = text[start:end].lstrip(_SPACE + "\ufeff")
            if stray:
                self._outside("text", end - len(stray), end)
            elif "\ufeff" in text[start:end]:
                at = text.index("\ufeff", start)
                message = "the byte order mark does not stand at the very start: delete it"
                self.complaints.add("mark", message, at, at + 1)
            return
        self._ampersands(start, end)
        bracket = text.find("]]>", start, end)
        if bracket >= 0:
            message = "`]]>` is not allowed in text: write ]]&gt;"
            self.complaints.add("bracket", message, bracket, bracket + 3)

    def _ampersands(self, start: int, end: int) -> None:
        for at in references(self._text, start, end):
            message = "`&` begins no reference that XML knows; read as it stands: write &amp;"
            if not self.complaints.add("ampersand", message, at, at + 1):
                break

    def _comment(self, start: int) -> int:
        end = self._past("-->", start, 4, "a comment")
        if self._open:
            self._open[-1].add_comment(start, end)
        else:
            self.outside.extend((start, end))
        dashes = self._text.find("--", start + 4, end - 2)
        if dashes >= 0:
            message = "`--` is not allowed inside a comment: put one dash or a blank between"
            self.complaints.add("dashes", message, dashes, dashes + 2)
        return end

    def _unknown(self, start: int) -> int:
        match = _DOCTYPE.match(self._text, start) if self._may_have_doctype else None
        end = match.end() if match else self._past(">", start, 2, "markup")
        self._may_have_doctype = False
        declared = self._text.find("<!ENTITY", start, end)
        if declared >= 0:
            raise Unreadable(ENTITY_REASON, declared)
        if match is None:
            message = "this markup is not allowed here and is not read: delete it"
            self.complaints.add("unknown", message, start, end)
        return end

    def _instruction(self, start: int) -> int:
        end = self._past("?>", start, 2, "an XML declaration or instruction")
        if _INSTRUCTION.match(self._text, start):
            return end
        if start > 0 and self._text.startswith("<?xml", start):
            self.complaints.add("declaration", MISPLACED_DECLARATION, start, end)
        elif not _DECLARATION.fullmatch(self._text, start, end):
            message = 'the XML declaration is not well-formed: write <?xml version="1.0"?>'
            self.complaints.add("declaration-form", message, start, end)
        return end

    def _tag(self, start: int) -> int:
        """Read a tag; return the position after it, or -1 if an engine would stop reading."""
        tag = scan_tag(self._text, start)
        if tag.closing and not tag.empty:
            if not self._open:
                if self.root is None:
                    raise Unreadable(f"</{tag.name}> closes nothing", start)
                closing_message = (
                    f"</{tag.name}> closes nothing; what follows is not read: delete it"
                )
                self.complaints.add("extra-end", closing_message, start, tag.end)
                return -1
            if tag.name != self._open[-1].tag:
                raise Mismatch(tag.name, self._open[-1], start)
            if tag.attributes or not tag.spaced:
                closing_message = (
                    f"</{tag.name}> has more than its name, which is not read: delete it"
                )
                self.complaints.add("end-tag", closing_message, start, tag.end)
            closing_element = self._open.pop()
            closing_element.close, closing_element.end = start, tag.end
            return tag.end
        if tag.closing:
            message = f"</{tag.name}/> is read as the empty element <{tag.name}/>: delete one slash"
            self.complaints.add("two-slashes", message, start, tag.end)
        if not tag.spaced:
            message = f"<{tag.name}>: no blank may follow `<`, and one must part two attributes"
            self.complaints.add("blanks", message, start, tag.end)
        self._check_quotes(tag)
        self._may_have_doctype = False
        element = Element(tag.name, self._attributes(tag), start)
        element.close = element.end = tag.end
        self._count += 1
        try:
            check_nesting(len(self._open) + 1, self._count)
        except NestingError as error:
            raise TooLarge(str(error), start) from None
        if self._open:
            self._open[-1].add_child(element)
        elif self.root is None:
            self.root = element
        else:
            message = f"<{tag.name}> after the end of the root element is not read: delete it"
            self.complaints.add("second-root", message, start, tag.end)
        if not tag.empty:
            self._open.append(element)
        return tag.end

    def _check_quotes(self, tag: Tag) -> None:
        if tag.unquoted is None:
            return
        if not self._reads_unquoted:
            what = (
                f'<{tag.name}> is not well-formed here: expected name="value" or the end of the tag'
            )
            raise Unreadable(what, tag.unquoted)
        message = f"<{tag.name}> has a value without quotes, which newer engines refuse: quote it"
        self.complaints.add("unquoted", message, tag.unquoted, tag.end)

    def _attributes(self, tag: Tag) -> dict[str, str]:
        values: dict[str, str] = {}
        for name, (start, end) in tag.attributes.items():
            self._ampersands(start, end)
            angle = self._text.find("<", start, end)
            if angle >= 0:
                message = f"`<` is not allowed in the value of {name}: write &lt;"
                self.complaints.add("angle", message, angle, angle + 1)
            values[name] = normalise(resolve_references(self._text, start, end).value)
        return values


class Mismatch(Unreadable):
    """An end tag that does not match the open element."""

    def __init__(self, name: str, element: Element, at: int) -> None:
        super().__init__(f"</{name}> where </{element.tag}> is expected", at)
        self.element = element
