"""Check and repair a `pinocchio.Model` in memory.

Pinocchio keeps one inertia for each joint: what a fixed joint ties to a link is merged into that
link when the model is built. So a body here is all that a joint moves, under the name of the link
that the joint moves; what is wrong with a single link before the merging, its file tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Unpack

from inertial_check.checking.check import check_model
from inertial_check.integrations._loaded import (
    Loaded,
    RepairOptions,
    matrix_of,
    missing_extra,
    model_of,
    repair_loaded,
    rotation_of,
    six_of,
    three_of,
    wrong_type,
)
from inertial_check.model.body import Model, Pose

if TYPE_CHECKING:
    from inertial_check.fixing.result import BodyFix, Six
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_KIND = "pinocchio.Model"
_PREFIX = "JointModel"
_FLOATING = "FreeFlyer"


def read(model: Any) -> Model:
    """The bodies of a `pinocchio.Model` as plain data: one for each joint.

    What is fixed to the world is a body of its own, if it has a mass.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`.
    """
    _validate(model)
    return model_of(_KIND, "pinocchio", model.name, _bodies(model))


def check(model: Any, settings: Settings | None = None) -> Report:
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


def repair(model: Any, **options: Unpack[RepairOptions]) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of a `pinocchio.Model` the nearest inertia, in place.

    Mass and centre of mass stay, and every number of the other bodies. `model.copy()` before keeps
    the old model. Data made from the model hold no inertias of their own.

    Args:
        model: The model, which is changed.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        What was done about each body.

    Raises:
        MissingExtraError: Pinocchio is not installed.
        ParameterError: Not a `pinocchio.Model`; an unknown metric, or a margin that is none.
        UsageError: No such body or engine, or a max_change that is no relative change.
    """
    _validate(model)
    joints = [int(body.id.partition("[")[2].rstrip("]")) for body in read(model).bodies]

    def write(index: int, six: Six) -> Callable[[], None]:
        inertia = model.inertias[joints[index]]
        old = inertia.inertia.copy()

        def put(tensor: Any) -> None:
            inertia.inertia = tensor

        put(matrix_of(six))
        return lambda: put(old)

    return repair_loaded(lambda: read(model), write, options)


def _validate(model: Any) -> None:
    try:
        import pinocchio
    except ImportError:
        raise missing_extra(_KIND, "Pinocchio", "pinocchio") from None
    if not isinstance(model, pinocchio.Model):
        raise wrong_type(model, "a pinocchio.Model")


def _bodies(model: Any) -> Iterator[Loaded]:
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


def _link_names(model: Any) -> dict[int, str]:
    """By joint, the link that it moves: the first of its frames that stands for a link."""
    import pinocchio

    names: dict[int, str] = {}
    for frame in model.frames:
        if frame.type == pinocchio.FrameType.BODY:
            names.setdefault(frame.parentJoint, frame.name)
    return names
