"""Limits of what is fetched for one address, with the option that raises each."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from inertial_check.files.access import Limits

_EXPANSION = 4
"""Largest size of all members of an archive, divided by the largest size of the archive."""

_MEMBERS = 100_000
"""Largest number of members of an archive, or of files in a folder of a store."""

_PATIENCE = 10.0
"""Time for fetching one address, divided by that for one document: 600 s and 60 s."""


_DOCUMENT_SUFFIXES = (".urdf", ".xacro", ".sdf", ".world", ".mjcf", ".xml", ".yaml", ".yml")
"""Suffixes of files that readers refuse above the limit of a document, so that they need not be
fetched."""


class RefusedError(Exception):
    """Something that is not fetched, or not unpacked; its text says why and names the option."""


@dataclass
class Budget:
    """Amounts that may still be fetched for one address.

    Attributes:
        limits: Limits of a document and of a mesh.
        largest: Largest size of a file or an archive [bytes].
        left: Size that all unpacked files together may still have [bytes].
        members: Number of files that may still be unpacked.
        deadline: Time of the monotonic clock at which everything ends [s].
    """

    limits: Limits
    largest: int = field(init=False)
    left: int = field(init=False)
    members: int = _MEMBERS
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        """Derive the amounts from the limits of a document."""
        self.largest = self.limits.mesh
        self.left = _EXPANSION * self.limits.mesh
        self.deadline = time.monotonic() + _PATIENCE * self.limits.seconds

    @property
    def seconds(self) -> float:
        """The time that is left [s].

        Raises:
            RefusedError: There is none.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise RefusedError(
                f"fetching it takes longer than {_PATIENCE * self.limits.seconds:g} s; --timeout "
                "raises that"
            )
        return left

    def expect_size(self, size: int, path: str = "") -> None:
        """Refuse a file of this size; a path that ends as documents do has the limit of these.

        Raises:
            RefusedError: It is too large.
        """
        is_document = path.lower().endswith(_DOCUMENT_SUFFIXES)
        largest = min(self.limits.document, self.largest) if is_document else self.largest
        if size > largest:
            raise RefusedError(
                f"too large: it has {size} bytes, and the limit is {largest}; "
                "--max-file-size raises it"
            )

    def count_member(self) -> None:
        """Count a file.

        Raises:
            RefusedError: There are too many.
        """
        self.members -= 1
        if self.members < 0:
            raise RefusedError(f"it has more than {_MEMBERS} files, and no more are unpacked")

    def spend(self, size: int) -> None:
        """Count unpacked bytes.

        Raises:
            RefusedError: There are too many, or it has taken too long.
        """
        self.left -= size
        if self.left < 0:
            raise RefusedError(
                f"its files have more than {_EXPANSION * self.limits.mesh} bytes when unpacked; "
                "--max-file-size raises the limit"
            )
        _ = self.seconds
