"""Names that the modules of the MJCF format share."""

from __future__ import annotations

NAME = "mjcf"

FRAGMENT = "mujocoinclude"
"""Root element of a document that other documents include; it is no model by itself."""

ROOTS = frozenset(("mujoco", FRAGMENT))
"""Root elements of MJCF; MuJoCo does not accept them in capital letters."""

MAIN = "main"
"""Name of the default class of elements that name no class."""

ONE_AXIS = frozenset(("hinge", "slide"))
"""Types of joints that turn about one axis or move along it."""
