"""Check and repair a `pinocchio.Model` in memory.

Pinocchio keeps one inertia for each joint: links behind a fixed joint are merged into the link
before it when the model is built. So a body here is everything that a joint moves, under the name
of the link that the joint moves. To find what is wrong with a single link, check its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from inertial_check.checking.check import check_model
from inertial_check.checking.report import Report
from inertial_check.checking.settings import Settings
from inertial_check.documents.model import Joint, Model, Pose
from inertial_check.errors import UsageError
from inertial_check.fixing.assign import Target
from inertial_check.fixing.result import BodyFix, Three
from inertial_check.programs.objects.loaded import (
    Loaded,
    LoadedModel,
    RepairOptions,
    import_library,
    model_of,
    repair_held,
    rotation_of,
    six_of,
    three_of,
    wrong_type,
)

if TYPE_CHECKING:
    import pinocchio


_KIND = "pinocchio.Model"

_WITH_ONE_AXIS = {
    **dict.fromkeys(("RX", "RY", "RZ", "RevoluteUnaligned"), "revolute"),
    **dict.fromkeys(("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"), "continuous"),
    **dict.fromkeys(("PX", "PY", "PZ", "PrismaticUnaligned"), "prismatic"),
}
"""Types of joints in robot descriptions, by Pinocchio's names of those with one axis."""


def read(model: pinocchio.Model) -> LoadedModel:
    """The bodies of a `pinocchio.Model` as plain data: one for each joint.

    Everything that is fixed to the world is one more body, if it has a mass.

    The result has `names`, `theta`, `parameters` and `tree()` as a model of a file has them, and
    `with_parameters`, which sets `model.inertias`: Pinocchio takes any numbers. A body of the tree
    is all that a joint moves; its coordinate is the angle also where Pinocchio keeps cosine and
    sine (RUBX, ...), and a floating body has coordinates of its own (see
    inertial_check.mechanics.tree). Rotor inertias are not in it.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`.
    """
    _validate(model)
    return model_of(_KIND, "pinocchio", model.name, _bodies(model), _Inertias(model))


def check(model: pinocchio.Model, settings: Settings | None = None) -> Report:
    """Judge every body of a `pinocchio.Model`.

    Args:
        model: The model; it is not changed.
        settings: Which rules run and how severe they are; None for the defaults.

    Returns:
        A report with one file, `<pinocchio.Model NAME>`.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`.
        UsageError: The settings name an unknown rule.
    """
    return check_model(read(model), settings)


def repair(model: pinocchio.Model, **options: Unpack[RepairOptions]) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of a `pinocchio.Model` the nearest inertia, in place.

    Mass and centre of mass stay, and every number of the other bodies. To keep the old model, copy
    it before with `model.copy()`. Data made from the model hold no inertias of their own.

    Args:
        model: The model, which is changed.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        The result for each body.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`; an unknown metric, or a margin outside 0 to 1/3.
        UsageError: No such body or engine, or a max_change that is no relative change.
    """
    _validate(model)
    return repair_held(_Inertias(model), options)


def _validate(model: pinocchio.Model) -> None:
    if not isinstance(model, import_library("pinocchio", "Pinocchio", _KIND).Model):
        raise wrong_type(model, "a pinocchio.Model")


@dataclass(frozen=True)
class _Inertias:
    """The inertias of a model."""

    model: pinocchio.Model

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return read(self.model)

    def place(self, model: Model) -> Model:
        """Return the model, which has the joints of Pinocchio already.

        Raises:
            UsageError: A joint follows another one; a tree has no such joint.
        """
        for body in model.bodies:
            if (body.joint or "").startswith("Mimic"):
                raise UsageError(
                    f"{model.source.path}: {body.name}: its joint {body.joints[0].name} follows "
                    "another one: no tree; build the Pinocchio model with mimic=False, so that "
                    "each joint moves by itself"
                )
        return model

    def examine(self, index: int, target: Target) -> None:
        """Accept any numbers, as Pinocchio does."""

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the inertias of bodies; return the function that sets the old."""
        joints = [int(body.id.partition("[")[2].rstrip("]")) for body in self.read().bodies]
        old = {row: self.model.inertias[joints[row]].copy() for row in targets}
        for row, target in targets.items():
            inertia = self.model.inertias[joints[row]]  # one of the library, not a copy
            inertia.mass, inertia.lever = target.mass, target.p_BoBcm_B
            inertia.inertia = target.I_BBcm_B

        def take_back() -> None:
            for row, inertia in old.items():
                self.model.inertias[joints[row]] = inertia

        return take_back


def _bodies(model: pinocchio.Model) -> Iterator[Loaded]:
    import pinocchio

    # The link that each joint moves: the first of its frames that is a link's.
    names: dict[int, str] = {}
    for frame in model.frames:
        if frame.type == pinocchio.FrameType.BODY:
            names.setdefault(frame.parentJoint, frame.name)
    for joint in range(model.njoints):
        inertia = model.inertias[joint]
        if joint == 0 and inertia.mass == 0:
            continue
        placement = model.jointPlacements[joint]
        kind = model.joints[joint].shortname().removeprefix("JointModel")
        word = "floating" if kind == "FreeFlyer" else _WITH_ONE_AXIS.get(kind, kind)
        axis = _axis(model, joint) if kind in _WITH_ONE_AXIS else None
        parent = model.parents[joint]
        yield Loaded(
            names.get(joint, model.names[joint]),
            f"inertias[{joint}]",
            float(inertia.mass),
            three_of(inertia.lever),
            six_of(inertia.inertia),
            joint="fixed" if joint == 0 else word,
            moved=joint > 0,
            parent=f"inertias[{parent}]" if parent else None,
            X_PB=Pose(three_of(placement.translation), rotation_of(placement.rotation)),
            axis_B=axis,
            p_BoJo_B=None if axis is None else (0.0, 0.0, 0.0),
            joints=(_describe_joint(model, joint, word),) if joint else (),
        )


def _axis(model: pinocchio.Model, joint: int) -> Three:
    """The axis of a joint: the half of its motion subspace that is not zero."""
    import pinocchio

    data = model.joints[joint].createData()
    model.joints[joint].calc(data, pinocchio.neutral(model))
    linear, angular = np.array(data.S).reshape(2, 3)
    return three_of(angular if np.any(angular) else linear)


def _describe_joint(model: pinocchio.Model, joint: int, kind: str) -> Joint:
    """The name, type and limits of a joint."""
    found = model.joints[joint]
    if found.nv != 1:
        return Joint(model.names[joint], kind)
    effort, velocity = model.upperEffortLimit, model.upperVelocityLimit
    free = found.nq != 1  # cosine and sine have no limits
    return Joint(
        model.names[joint],
        kind,
        lower=-np.inf if free else float(model.lowerPositionLimit[found.idx_q]),
        upper=np.inf if free else float(model.upperPositionLimit[found.idx_q]),
        velocity=float(velocity[found.idx_v]),
        effort=float(effort[found.idx_v]),
        armature=float(model.armature[found.idx_v]),
    )
