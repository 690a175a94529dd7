"""The format of ROS parameter files: inertial parameters that xacro files load from YAML."""

from __future__ import annotations

import re

from inertial_check.documents.context import Head
from inertial_check.documents.xml.encoding import head as beginning

NAME = "ros-yaml"


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
