"""Input of the readers besides the document: its root element, and where included files are.

Record of the files on which the result of reading a document depends, for the cache.

Readers note every path that they open or test, whether or not it exists. The notes are dropped
unless the caller records them.

Limits of the structure of documents: how deep they nest, and how many elements they have.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.documents.files.access import Access

if TYPE_CHECKING:
    from yaml import Node


@dataclass(slots=True)
class Lookups:
    """Files on which a result depends.

    Attributes:
        paths: Absolute paths of files and folders that were opened or tested.
        witnesses: Those of texts that were asked for causes alone: no verdict depends on them.
        complete: Whether the result depends on nothing else, such as an environment variable.
    """

    paths: set[str] = field(default_factory=set)
    witnesses: set[str] = field(default_factory=set)
    complete: bool = True


_listener: ContextVar[Lookups | None] = ContextVar("_listener", default=None)


@contextmanager
def record_lookups(lookups: Lookups) -> Iterator[None]:
    """Record in `lookups` what readers open or test inside the context."""
    token = _listener.set(lookups)
    try:
        yield
    finally:
        _listener.reset(token)


def note_lookup(*paths: str) -> None:
    """Note files that were opened or tested, and folders whose lists of names were used."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.paths.update(map(os.path.abspath, paths))


def note_witness(*paths: str) -> None:
    """Note files and folders whose content can change causes and nothing else."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.witnesses.update(map(os.path.abspath, paths))


def note_other_inputs() -> None:
    """Note that the result depends on something that is not a file."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.complete = False


def note_child_lookups(paths: Iterable[str], complete: bool) -> None:
    """Note what a child process has opened or tested."""
    note_lookup(*paths)
    if not complete:
        note_other_inputs()


class Head(NamedTuple):
    """Beginning of a document, by which its format is determined.

    Attributes:
        root_tag: Name of an XML document's root element; None if there is none.
        data: The document, or its beginning.
    """

    root_tag: str | None
    data: bytes


Packages = Mapping[str, str | os.PathLike[str]]
"""Folders of packages by name."""


@dataclass(frozen=True)
class Context:
    """Places where a reader finds the files to which a document refers.

    Attributes:
        packages: Folders by package name; they take precedence over folders above the document.
        xacro_args: Arguments of a xacro file, by name.
        overlay: Bytes by absolute path, read in place of the file on the disk.
        xacro_env: Environment variables that a xacro file may read, by name; None for one that is
            not set.
        access: The files that documents may use beside those of their own repository; None for
            those in the folders of `packages`, which a caller has named.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    overlay: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    xacro_env: Mapping[str, str | None] = field(default_factory=dict)
    access: Access | None = None

    @property
    def granted(self) -> Access:
        """The files that may be used."""
        return self.access or Access().with_folders(self.packages.values())

    def of_document(self, path: str) -> Context:
        """Extend the files that may be used by those of a document's own repository."""
        access = self.granted.of_document(path)
        return self if access is self.access else replace(self, access=access)

    def read(self, path: str) -> bytes:
        """Read the bytes of an included file.

        Raises:
            RefusedFileError: The file lies outside, is no regular file, or is too large.
            OSError: The file does not exist or cannot be read.
        """
        known = self.overlay.get(os.path.abspath(path))
        if known is not None:
            return known
        note_lookup(path)
        return self.granted.read(path)


def as_context(places: Context | Packages | None) -> Context:
    """Make a context of folders of packages alone; a context stays."""
    if isinstance(places, Context):
        return places
    return Context({name: os.fspath(folder) for name, folder in (places or {}).items()})


DEEPEST = 256
"""Largest depth of nesting in a document; the deepest robot models have a few dozen levels."""

MOST_ELEMENTS = 1_000_000
"""Largest number of elements of a document: a model of a thousand bodies has about 50,000."""


class NestingError(ValueError):
    """A document that is nested too deep, or has too many elements; the text says which."""


def check_nesting(depth: int, count: int, noun: str = "element") -> None:
    """Refuse an element that stands too deep, or is one too many.

    Args:
        depth: Depth of the element; that of the root is 1.
        count: Number of elements so far, with this one.
        noun: Name of an element in the format.

    Raises:
        NestingError: No robot model has such an element.
    """
    if depth > DEEPEST:
        raise NestingError(
            f"nested too deep: this {noun} is in level {depth}, and the limit is {DEEPEST}; "
            "no robot model needs more"
        )
    if count > MOST_ELEMENTS:
        raise NestingError(
            f"too many {noun}s: the limit is {MOST_ELEMENTS}, and no robot model needs more; "
            "split the file"
        )


def check_json_nesting(text: str) -> None:
    """Refuse a JSON text that is nested too deep; brackets inside of strings do not count.

    Raises:
        NestingError: No robot model is nested so deep.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    import re

    depth = count = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        mark = match[0][0]
        if mark in "[{":
            depth, count = depth + 1, count + 1
            check_nesting(depth, count, "list or object")
        elif mark in "]}":
            depth -= 1


def compose_yaml(text: str) -> Node | None:
    """Compose the nodes of a YAML document; aliases stay references to one node.

    Raises:
        NestingError: It is nested too deep, or has too many nodes.
        yaml.YAMLError: It is no YAML.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        depth = count = 0

        def compose_node(self, parent: Node | None, index: object) -> Node | None:
            self.depth, self.count = self.depth + 1, self.count + 1
            check_nesting(self.depth, self.count, "node")
            node: Node | None = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return yaml.compose(text, Loader)
