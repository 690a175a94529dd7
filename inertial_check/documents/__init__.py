"""Bytes to a model and back: formats, meshes, edits by span, files of a checkout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inertial_check.fixing.result import Fix

WRITERS: list[Callable[[], Callable[..., Fix]]] = []
"""Finds the function that `Model.with_parameters` calls. It is of a room above, and the package
enters it when it is imported: a model is data, and knows nobody who writes it."""
