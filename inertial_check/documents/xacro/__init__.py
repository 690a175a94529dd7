"""The xacro format: macros that expand to a URDF."""

from __future__ import annotations

import re

from inertial_check.documents.context import Head
from inertial_check.documents.urdf import XACRO_WORDS
from inertial_check.documents.xml.encoding import head as beginning

NAME = "xacro"


SUFFIXES: tuple[str, ...] = (".xacro",)
"""Endings of xacro file names."""

# Compiled when they are first used, so that reading other formats does not wait for it.
_COMMENT = r"(?s)<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
_WORD = rf"<(?:{'|'.join(sorted(XACRO_WORDS))})(?=[\s/>])"
_TEMPLATE = r"=\s*[\"'][^\"'<>]*\$(?:\{|\((?:arg|eval)\s)"
_LINK = r"<link(?=[\s/>])"
_INERTIAL = r"<inertial(?=[\s/>])"
_OTHER_ROOTS = ("sdf", "gazebo", "mujoco", "mujocoinclude")


def matches(head: Head) -> bool:
    """Return whether a document is a xacro file; a URDF with a left-over macro call is not.

    Files that others include may have any root element.
    """
    if not any(mark in head.data for mark in (b"xacro", b"x\0a\0c")):
        return False
    text = beginning(head.data, len(head.data))
    if head.root_tag != "robot":
        known = head.root_tag is None or ":" in head.root_tag or head.root_tag in _OTHER_ROOTS
        return not known and "<xacro:macro" in text and re.search(_INERTIAL, text) is not None
    if "<xacro:" not in text and "$" not in text:
        return False
    text = re.sub(_COMMENT, "", text)
    if re.search(_WORD, text) or ("xmlns:xacro" in text and re.search(_TEMPLATE, text)):
        return True
    return "<xacro:" in text and re.search(_LINK, text) is None


def missing() -> str | None:
    """Say how to install what reading needs; None if it is installed."""
    from importlib.util import find_spec

    spec = find_spec("xacro")
    if spec is not None and spec.origin is not None:  # no origin: a mere folder of that name
        return None
    return 'xacro files are expanded by xacro: pip install "inertial-check[xacro]"'
