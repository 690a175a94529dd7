"""The MJCF format: the model files of MuJoCo."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from inertial_check.documents.context import Head

NAME = "mjcf"

FRAGMENT = "mujocoinclude"
"""Root element of a document that other documents include; it is no model by itself."""

ROOTS = frozenset(("mujoco", FRAGMENT))
"""Root elements of MJCF; MuJoCo does not accept them in capital letters."""

MAIN = "main"
"""Name of the default class of elements that name no class."""

ONE_AXIS = frozenset(("hinge", "slide"))
"""Types of joints that turn about one axis or move along it."""

ORIENTATIONS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "quat": (4, "w x y z"),
        "axisangle": (4, "x y z angle"),
        "xyaxes": (6, "x-axis, y-axis"),
        "zaxis": (3, "x y z"),
        "euler": (3, "three angles"),
    }
)
"""Attributes that state an orientation: how many numbers each holds, and their names."""


SUFFIXES: tuple[str, ...] = (".mjcf",)
"""Endings of MJCF file names; .xml is not among them, because files of any format end in it."""


def matches(head: Head) -> bool:
    """Return whether a document is MJCF, judged by its root element."""
    return head.root_tag in ROOTS
