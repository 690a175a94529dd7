"""Names that the modules of the MJCF format share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
