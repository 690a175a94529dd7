"""The format of ROS parameter files: inertial parameters that xacro files load from YAML."""

from __future__ import annotations

import re

from inertial_check.documents.context import Context, Head
from inertial_check.documents.model import Model
from inertial_check.documents.ros_yaml.constants import NAME
from inertial_check.documents.source import Source
from inertial_check.documents.xml.encoding import head as beginning

__all__ = ["NAME", "SUFFIXES", "matches", "read"]

SUFFIXES: tuple[str, ...] = ()
"""No endings: a directory search does not take .yaml files, because few of them are models."""

# Compiled when they are first used, so that reading other formats does not wait for it.
_MASS = r"\b\w*mass[\"']?[ \t]*:"
_TENSOR = r"(?m)\b(?:inertia|tensor|inertia_tensor)[\"']?[ \t]*:[ \t\r]*(?:#.*|[&{].*)?$"
_ENTRY = r"(?i)\bi?xx[\"']?[ \t]*:"


def matches(head: Head) -> bool:
    """Return whether a document is no XML and has keys for masses and for mappings of inertias."""
    if head.root_tag is not None:
        return False
    text = beginning(head.data, len(head.data))
    return all(re.search(pattern, text) for pattern in (_MASS, _TENSOR, _ENTRY))


def read(source: Source, context: Context) -> Model:
    """Read a parameter file.

    Args:
        source: Path and bytes.
        context: Not used: YAML includes no other document.

    Raises:
        DocumentError: The document is not YAML.
        NotAModelError: No mapping in it has the parameters of a link.
    """
    from inertial_check.documents.ros_yaml.reading import read_model  # not needed for other formats

    return read_model(source)
