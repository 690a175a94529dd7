"""Files that an expansion reads, with the byte offsets of the characters of their texts."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping

from inertial_check.errors import DocumentError
from inertial_check.files.access import Access, RefusedFileError
from inertial_check.formats.lookups import note_lookup, note_other_inputs
from inertial_check.formats.xml.complaints import Unreadable
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.encoding import decode
from inertial_check.model.source import Source, Span

_BESIDES_FILES = re.compile(
    rb"\$\(\s*(?:env|optenv|anon|cwd|eval)\b|include\b[^>]*filename\s*=\s*[\"'][^\"']*[*?\[]"
)
"""Pattern of texts that make an expansion depend on the environment or on which files exist."""
_MAGIC = re.compile(r"[*?\[]")
"""First special character of a pattern of paths."""


class TextFile:
    """Text of a file that is not XML, with the byte offset of every character."""

    def __init__(self, path: str, data: bytes, number: int) -> None:
        try:
            found = decode(data)
        except Unreadable as error:
            raise DocumentError(path, error.reason, 1, 1) from None
        self.source = Source(path, data, found.encoding, found.bom)
        self.text = found.text
        self._index, self._number = found.index, number
        for message, start, _ in found.complaints:
            place = self.source.line_column(found.index.byte(start))
            raise DocumentError(path, message, *place)

    def span(self, start: int, end: int) -> Span:
        """Return the bytes between two positions of the text."""
        return Span(self._index.byte(start), self._index.byte(end), self._number)


class ExpansionFiles:
    """The files that an expansion reads: the main file and the files that it includes.

    Attributes:
        sources: The files in the order in which they were first read, the main file first.
        problems: Repairs that reading the files needed, by their spans.
    """

    def __init__(
        self, path: str, data: bytes, overlay: Mapping[str, bytes], access: Access
    ) -> None:
        self.sources: list[Source] = []
        self.problems: dict[Span, str] = {}
        self._bytes = {**overlay, os.path.abspath(path): data}
        self._numbers: dict[str, int] = {}
        self._documents: dict[int, XmlDocument] = {}
        self._main = path
        self._access = access

    def document(self, path: str) -> XmlDocument:
        """Read an XML file, which is parsed once however often it is included.

        Raises:
            OSError: The file cannot be read.
            DocumentError: The file is not XML.
        """
        data, number = self._read(path)
        if number in self._documents:
            return self._documents[number]
        document = parse(self.sources[number].path, data, number)
        self._documents[number] = document
        self.sources[number] = document.source
        self.problems.update((problem.span, problem.message) for problem in document.problems)
        return document

    def text_file(self, path: str) -> TextFile:
        """Read a file that is not XML.

        Raises:
            OSError: The file cannot be read.
            DocumentError: The file is not text.
        """
        data, number = self._read(path)
        file = TextFile(self.sources[number].path, data, number)
        self.sources[number] = file.source
        return file

    def glob(self, pattern: str) -> list[str]:
        """List the paths that match a pattern, in folders that the document may use.

        Raises:
            RefusedFileError: The folder in which the pattern begins may not be used.
        """
        above = os.path.dirname(_MAGIC.split(pattern, maxsplit=1)[0])
        reason = self._access.reason_against(above or os.curdir)
        if reason is not None:
            raise RefusedFileError(above, reason)
        found = glob.glob(pattern)
        return [path for path in found if self._access.allows(os.path.dirname(path) or os.curdir)]

    def _display_path(self, path: str) -> str:
        """Make the path of an included file relative if the path of the main file is."""
        path, here = os.path.normpath(path), os.path.join(os.getcwd(), "")
        below = not os.path.isabs(self._main) and path.startswith(here)
        return path[len(here) :] if below else path

    def _read(self, path: str) -> tuple[bytes, int]:
        key = os.path.abspath(path)
        if key not in self._bytes:
            note_lookup(path)
            if os.path.isdir(path):
                raise OSError(0, "not a file")
            self._bytes[key] = self._access.read(path)
        data = self._bytes[key]
        if _BESIDES_FILES.search(data):
            note_other_inputs()
        number = self._numbers.setdefault(key, len(self.sources))
        if number == len(self.sources):
            self.sources.append(Source(self._display_path(path) if number else path, data))
        return data, number
