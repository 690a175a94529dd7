"""Types of the values that JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = "str | float | int | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value: a text, a number, true, false, null, an array or an object."""

JsonObject: TypeAlias = dict[str, Any]  # Any: the reader of an object knows what its keys hold
"""A parsed JSON object whose form is known to the reader, such as an answer of another process."""
