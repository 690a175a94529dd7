"""Resolution of the <include> elements of SDF: URIs, and the model.config of model folders.

Nothing is downloaded, and an include that cannot be resolved gets a reason. A document is read
once, however often it is included, and the total size of all includes is bounded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from inertial_check.documents.context import Context, note_lookup
from inertial_check.documents.resources import ResourceFinder
from inertial_check.documents.sdf import LATEST, ROOTS
from inertial_check.documents.sdf.links import word
from inertial_check.documents.source import Source
from inertial_check.documents.xml.document import XmlDocument, parse
from inertial_check.documents.xml.markup import Element
from inertial_check.errors import DocumentError

_CONFIGS = ("model.config", "manifest.xml")
"""Files that name the SDF of a model folder, in order of preference."""

_MOST_INCLUDES = 10_000
"""Largest number of includes that are resolved for one document."""

_MOST_ELEMENTS = 5_000_000
"""Largest number of elements of included models, counted as often as they are included."""


class NotIncluded(Exception):
    """Reason why an include was skipped.

    Attributes:
        unread: Whether there is, or may be, a model that engines read.
    """

    def __init__(self, reason: str, unread: bool = False) -> None:
        super().__init__(reason)
        self.unread = unread


@dataclass(frozen=True)
class Included:
    """A model that an include names, the document that contains it, and a remark on the choice."""

    document: XmlDocument
    model: Element
    remark: str | None = None


def minor_version(text: str) -> int | None:
    """Parse the K of SDF version 1.K; None if the text is no such version."""
    major, dot, minor = text.strip().partition(".")
    numeric = minor.isascii() and minor.isdigit() and len(minor) < 4
    return int(minor) if major == "1" and dot and numeric else None


class Library:
    """Finds included models and keeps the documents that it has read.

    Attributes:
        sources: The documents, in the order in which they were first included.
        documents: The same documents, parsed.
    """

    def __init__(self, context: Context) -> None:
        self.sources: list[Source] = []
        self.documents: list[XmlDocument] = []
        self._context = context
        self._finders: dict[str | None, ResourceFinder] = {}
        self._known: dict[str, XmlDocument | NotIncluded] = {}
        self._includes = 0
        self._elements = 0

    def find(self, uri: str, including: str | None) -> Included:
        """Find the model that a URI names.

        Args:
            uri: The URI as written.
            including: Path of the document that includes it; None for one without a file.

        Raises:
            NotIncluded: There is no such model, or it cannot be read.
        """
        self._includes += 1
        if self._includes > _MOST_INCLUDES:
            raise NotIncluded(f"more than {_MOST_INCLUDES} includes", unread=True)
        if not uri:
            raise NotIncluded("it names no <uri>: add <uri>model://NAME</uri>")
        path, remark = self._path(uri, including)
        document = self._document(path)
        for tag in ("model", "actor", "light"):  # libsdformat's order of preference
            if found := document.root.all(tag):
                return Included(document, found[0], remark)
        raise NotIncluded(f"{document.source.path} holds no <model>")

    def spend(self, elements: int) -> None:
        """Count the elements of an included model.

        Raises:
            NotIncluded: All included models together have too many.
        """
        self._elements += elements
        if self._elements > _MOST_ELEMENTS:
            reason = f"its includes hold more than {_MOST_ELEMENTS} elements"
            raise NotIncluded(reason, unread=True)

    def _path(self, uri: str, including: str | None) -> tuple[str, str | None]:
        """Find the file that a URI names, or its model folder; returns a remark on it as well."""
        finder = self._finders.get(including)
        if finder is None:
            finder = self._finders[including] = ResourceFinder(including, self._context, _is_model)
        found = finder.find(uri)
        if found.path is None and "://" not in uri and not os.path.isabs(uri):
            # A relative path that does not exist may be the name of a model.
            named, name = finder.find(f"model://{uri}"), uri.partition("/")[0]
            way = f"name the folder of the model with --package-path {name}=DIR"
            found = named if named.path else found._replace(reason=f"{found.reason}; {way}")
        if found.path is None:
            raise NotIncluded(str(found.reason), bool({uri, found.uri} & finder.refused))
        path = found.path
        if os.path.isdir(path):
            path = _read_config(path, self._context)
        if including is None or os.path.isabs(including) or not os.path.isabs(path):
            return path, found.reason
        try:  # relative to the current folder, as the path of the including document is
            return os.path.relpath(path), found.reason
        except ValueError:  # on another drive
            return path, found.reason

    def _document(self, path: str) -> XmlDocument:
        """Read a document once, or raise again why it cannot be included."""
        key = os.path.abspath(path)
        known = self._known.get(key)
        if known is None:
            try:
                known = _parse(path, self._context, len(self.sources) + 1)
                tag = known.root.tag
                if tag not in ROOTS:
                    model = tag in {"robot", "mujoco"}
                    way = "check it by itself" if model else "an SDF's is <sdf>"
                    reason = f"the root element of {path} is <{tag}>: {way}"
                    raise NotIncluded(reason, unread=model)
                self.sources.append(known.source)
                self.documents.append(known)
            except NotIncluded as reason:
                known = reason
            self._known[key] = known
        if isinstance(known, NotIncluded):
            raise known
        return known


def _is_model(path: str) -> bool:
    return os.path.isfile(path) or any(
        os.path.isfile(os.path.join(path, name)) for name in _CONFIGS
    )


def _parse(path: str, context: Context, file: int = 0) -> XmlDocument:
    """Parse an XML document.

    Raises:
        NotIncluded: The document cannot be read.
    """
    try:
        data = context.read(path)
        if not data.strip():
            raise NotIncluded(f"{path} is empty")
        return parse(path, data, file, unquoted=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise NotIncluded(f"{path}: {reason}", not isinstance(error, FileNotFoundError)) from None
    except DocumentError as error:
        raise NotIncluded(str(error), unread=True) from None


def _read_config(folder: str, context: Context) -> str:
    """Find the file that the model.config of a folder names for the newest known SDF version."""
    names = [name for name in _CONFIGS if os.path.isfile(os.path.join(folder, name))]
    path = os.path.join(folder, names[0] if names else _CONFIGS[0])
    config = _parse(path, context)
    entries = [
        (minor_version(entry.attributes.get("version", "")), word(config, entry))
        for entry in config.root.all("sdf")
    ]
    if not entries:
        raise NotIncluded(f'{path} names no SDF: add <sdf version="1.{LATEST}">model.sdf</sdf>')
    readable = [entry for entry in entries if (entry[0] or 0) <= LATEST]
    _, name = max(readable or entries[:1], key=lambda entry: entry[0] or 0)
    file = os.path.join(folder, name)
    note_lookup(file)
    if not name or not os.path.isfile(file):
        refused = context.granted.reason_against(file) is not None
        raise NotIncluded(f"{path} names {name!r}, and there is no such file", refused)
    return file
