"""Input of the readers besides the document: its root element, and where included files are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inertial_check.formats.lookups import note_lookup


class Head(NamedTuple):
    """Beginning of a document, by which its format is determined.

    Attributes:
        root_tag: Name of an XML document's root element; None if there is none.
        data: The document, or its beginning.
    """

    root_tag: str | None
    data: bytes


@dataclass(frozen=True)
class Context:
    """Places where a reader finds the files to which a document refers.

    Attributes:
        packages: Folders by package name; they take precedence over folders above the document.
        xacro_args: Arguments of a xacro file, by name.
        overlay: Bytes by absolute path, read in place of the file on the disk.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    overlay: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> bytes:
        """Read the bytes of an included file.

        Raises:
            OSError: The file does not exist or cannot be read.
        """
        known = self.overlay.get(os.path.abspath(path))
        if known is not None:
            return known
        note_lookup(path)
        with open(path, "rb") as file:
            return file.read()
