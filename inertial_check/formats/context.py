"""What a reader knows besides the document: its beginning, and where to find what it includes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inertial_check.formats.lookups import note_lookup


class Head(NamedTuple):
    """By what a format knows its documents.

    Attributes:
        root_tag: Name of an XML document's root element; None where there is none.
        data: The document, or its beginning.
    """

    root_tag: str | None
    data: bytes


@dataclass(frozen=True)
class Context:
    """Where a reader finds what a document refers to.

    Attributes:
        packages: Folders by package name, before the folders above the document are searched.
        xacro_args: Arguments of a xacro file, by name.
        overlay: Bytes to be read in place of what lies under these paths.
    """

    packages: Mapping[str, str] = field(default_factory=dict)
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    overlay: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> bytes:
        """The bytes of an included file.

        Raises:
            OSError: There is none, or it cannot be read.
        """
        known = self.overlay.get(os.path.abspath(path))
        if known is not None:
            return known
        note_lookup(path)
        with open(path, "rb") as file:
            return file.read()
