"""Writing into documents: missing inertials, joints, and layers over what cannot be edited.

Each format is loaded when a document of it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from inertial_check.documents.context import Context
from inertial_check.documents.edits import JointEdits, NotInsertable
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit

if TYPE_CHECKING:
    from inertial_check.documents.mjcf.writing import Overrides

CAN_INSERT = frozenset(("urdf", "xacro", "sdf", "mjcf", "usd"))
"""Formats that can state numbers where a document states none."""


class _Writing(Protocol):
    """Interface of the module that writes into documents of a format."""

    def insert_numbers(
        self, model: Model, body: Body, names: frozenset[str], comment: str, /
    ) -> tuple[Edit, ...]:
        """Insert numbers; arguments and errors are those of `insert`."""

    def set_joint(self, model: Model, body: Body, values: Mapping[str, float], /) -> JointEdits:
        """Set the numbers of a joint; arguments and errors are those of `set_joint`."""


def _load_writing(format: str) -> _Writing | None:
    """Load the module that writes a format; None for a format whose documents are not edited."""
    if format in ("urdf", "xacro"):
        from inertial_check.documents.urdf import writing as urdf

        return urdf
    if format == "sdf":
        from inertial_check.documents.sdf import writing as sdf

        return sdf
    if format == "mjcf":
        from inertial_check.documents.mjcf import writing as mjcf

        return mjcf
    if format == "usd":
        from inertial_check.documents.usd import writing as usd

        return usd
    return None


def insert(model: Model, body: Body, names: frozenset[str], comment: str = "") -> tuple[Edit, ...]:
    """Insert placeholders of numbers that the document does not state.

    Args:
        model: The model as read, in one of the formats CAN_INSERT.
        body: One of its bodies.
        names: Names of the numbers: mass; x, y, z; ixx ... izz; in USD also qw, qx, qy, qz. In MJCF
            products without a name are 0.
        comment: A comment beside an inertial that is inserted as a whole; "" for none.

    Returns:
        Edits of the document, or of the one that it includes.

    Raises:
        NotInsertable: The document cannot state them; its reason says why.
    """
    writing = _load_writing(model.format)
    if writing is None:
        raise NotInsertable(f"documents of the format {model.format} are not given numbers")
    return writing.insert_numbers(model, body, names, comment)


def set_joint(model: Model, body: Body, values: Mapping[str, float]) -> JointEdits:
    """Set the damping, friction and armature of the joint that moves a body.

    Args:
        model: The model as read.
        body: One of its bodies, with one joint.
        values: Numbers by their names in JOINT_NUMBERS, in SI units.

    Returns:
        Edits of the document, or of one that it includes, and the numbers without a place.

    Raises:
        NotInsertable: The document cannot state them; its reason says why.
    """
    writing = _load_writing(model.format)
    if writing is None:
        raise NotInsertable(f"documents of the format {model.format} state no joints")
    return writing.set_joint(model, body, values)


def find_overrides(model: Model, context: Context) -> Overrides | None:
    """Find the settings by which MuJoCo uses other numbers than those that a document states."""
    if model.format != "mjcf":
        return None
    from inertial_check.documents.mjcf.writing import Overrides

    return Overrides(model, context)
