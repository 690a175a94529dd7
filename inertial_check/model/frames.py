"""Places that a document names or states: frames on bodies, and roots in the world. Plain data."""

from __future__ import annotations

from typing import NamedTuple

from inertial_check.model.body import Pose
from inertial_check.model.deferred import Deferred


class NamedFrame(NamedTuple):
    """Frame with a name that a document attaches to a body: a site, or an SDF <frame>.

    Attributes:
        name: Name as written, scoped as those of bodies are.
        body: Id of the body; "" for the world.
        X_BF: Pose of the frame in the body.
    """

    name: str
    body: str
    X_BF: Pose


class RootPose(NamedTuple):
    """Pose in the world of a body without a parent, where its joint is at zero.

    Attributes:
        body: Id of the body.
        X_WB: Pose of the body in the world.
    """

    body: str
    X_WB: Pose


class NamedFrames(Deferred[NamedFrame]):
    """The named frames of a document, read when they are first used."""

    __slots__ = ()


class RootPoses(Deferred[RootPose]):
    """The poses of the roots of a document, read when they are first used."""

    __slots__ = ()
