"""Type of the values that JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | float | int | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value: a text, a number, true, false, null, an array or an object."""
