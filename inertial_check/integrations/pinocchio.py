"""Check and repair a `pinocchio.Model` in memory.

Pinocchio keeps one inertia for each joint: links behind a fixed joint are merged into the link
before it when the model is built. So a body here is everything that a joint moves, under the name
of the link that the joint moves. To find what is wrong with a single link, check its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

from inertial_check.checking.check import check_model
from inertial_check.integrations._loaded import (
    Loaded,
    RepairOptions,
    Undo,
    import_library,
    matrix_of,
    model_of,
    repair_model,
    rotation_of,
    six_of,
    three_of,
    wrong_type,
)
from inertial_check.model.body import Model, Pose

if TYPE_CHECKING:
    import pinocchio

    from inertial_check.fixing.result import BodyFix, Six
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_KIND = "pinocchio.Model"
_PREFIX = "JointModel"
_FLOATING = "FreeFlyer"


def read(model: pinocchio.Model) -> Model:
    """The bodies of a `pinocchio.Model` as plain data: one for each joint.

    Everything that is fixed to the world is one more body, if it has a mass.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`.
    """
    _validate(model)
    return model_of(_KIND, "pinocchio", model.name, _bodies(model))


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
    joints = [int(body.id.partition("[")[2].rstrip("]")) for body in read(model).bodies]

    def write(index: int, six: Six) -> Undo:
        inertia = model.inertias[joints[index]]
        old = inertia.inertia.copy()
        inertia.inertia = matrix_of(six)  # an attribute of the library, not an array of its own
        return lambda: setattr(inertia, "inertia", old)

    return repair_model(lambda: read(model), write, options)


def _validate(model: pinocchio.Model) -> None:
    if not isinstance(model, import_library("pinocchio", "Pinocchio", _KIND).Model):
        raise wrong_type(model, "a pinocchio.Model")


def _bodies(model: pinocchio.Model) -> Iterator[Loaded]:
    names = _link_names(model)
    for joint in range(model.njoints):
        inertia = model.inertias[joint]
        if joint == 0 and inertia.mass == 0:
            continue
        placement = model.jointPlacements[joint]
        kind = model.joints[joint].shortname().removeprefix(_PREFIX)
        parent = model.parents[joint]
        yield Loaded(
            names.get(joint, model.names[joint]),
            f"inertias[{joint}]",
            float(inertia.mass),
            three_of(inertia.lever),
            six_of(inertia.inertia),
            joint=None if joint == 0 else "floating" if kind == _FLOATING else kind,
            moved=joint > 0,
            parent=f"inertias[{parent}]" if parent else None,
            X_PB=Pose(three_of(placement.translation), rotation_of(placement.rotation)),
        )


def _link_names(model: pinocchio.Model) -> dict[int, str]:
    """The link that each joint moves: the first of its frames that is a link's."""
    import pinocchio

    names: dict[int, str] = {}
    for frame in model.frames:
        if frame.type == pinocchio.FrameType.BODY:
            names.setdefault(frame.parentJoint, frame.name)
    return names
