"""Input of the readers besides the document: its root element, and where included files are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from inertial_check.files.access import Access
from inertial_check.formats.lookups import note_lookup


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
