"""Writing of the damping, friction and armature of joints, in the package of each format."""

from __future__ import annotations

from collections.abc import Mapping

from inertial_check.documents.edits import NotInsertable
from inertial_check.documents.joint_edits import JointEdits
from inertial_check.documents.model import Body, Model


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
    # Each format is loaded when a document of it is written.
    if model.format in ("urdf", "xacro"):
        from inertial_check.documents.urdf.writing import set_joint as set_urdf

        return set_urdf(model, body, values)
    if model.format == "sdf":
        from inertial_check.documents.sdf.writing import set_joint as set_sdf

        return set_sdf(model, body, values)
    if model.format == "mjcf":
        from inertial_check.documents.mjcf.writing import set_joint as set_mjcf

        return set_mjcf(model, body, values)
    if model.format == "usd":
        from inertial_check.documents.usd.writing import set_joint as set_usd

        return set_usd(model, body, values)
    raise NotInsertable(f"documents of the format {model.format} state no joints")
