"""Writing into documents: missing inertials, joints, and layers over what cannot be edited.

Each format is loaded when a document of it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from inertial_check.documents.context import Context
from inertial_check.documents.edits import JointEdits, NotInsertable
from inertial_check.documents.model import Body, Model
from inertial_check.documents.source import Edit

if TYPE_CHECKING:
    from inertial_check.documents.mjcf.writing import Overrides

CAN_INSERT = frozenset(("urdf", "xacro", "sdf", "mjcf", "usd"))
"""Formats that can state numbers where a document states none."""


def _load_writing(model: Model, lack: str) -> ModuleType:
    """Load the module that writes into documents of the format of a model."""
    if model.format not in CAN_INSERT:
        raise NotInsertable(f"documents of the format {model.format} {lack}")
    folder = "urdf" if model.format == "xacro" else model.format
    return import_module(f"inertial_check.documents.{folder}.writing")


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
    writing = _load_writing(model, "are not given numbers")
    edits: tuple[Edit, ...] = writing.insert_numbers(model, body, names, comment)
    return edits


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
    edits: JointEdits = _load_writing(model, "state no joints").set_joint(model, body, values)
    return edits


def find_overrides(model: Model, context: Context) -> Overrides | None:
    """Find the settings by which MuJoCo uses other numbers than those that a document states."""
    if model.format != "mjcf":
        return None
    from inertial_check.documents.mjcf.writing import Overrides

    return Overrides(model, context)
