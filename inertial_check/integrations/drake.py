"""Check and repair the bodies of a Drake `MultibodyPlant` in memory.

Drake's parsers replace an inertia that fails their test before a plant holds it, so what was wrong
in a file is seen in the file. What a program gives a plant itself, in `AddRigidBody` without the
check or through a context, is seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from inertial_check.checking.check import check_model
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances
from inertial_check.integrations._loaded import (
    Loaded,
    RepairOptions,
    missing_extra,
    model_of,
    repair_loaded,
    six_of,
    three_of,
    wrong_type,
)
from inertial_check.model.body import Model

if TYPE_CHECKING:
    from inertial_check.fixing.result import BodyFix, Six
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_KIND = "drake.MultibodyPlant"
_WORDS = {"weld": "fixed", "quaternion_floating": "floating", "rpy_floating": "floating"}
"""Types of joints, where the word of a robot description is another."""


def read(plant: Any, context: Any = None) -> Model:
    """The bodies of a `MultibodyPlant` as plain data, the world left out.

    Drake keeps inertias about the body's origin, per unit of mass. What the way to the centre of
    mass costs in digits is left open, as digits that are not printed are.

    Args:
        plant: Of float, finalized or not.
        context: Of the plant; its parameters are read in place of the plant's own.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`.
    """
    _validate(plant)
    return model_of(_KIND, "drake", plant.get_name(), _bodies(plant, context))


def check(plant: Any, context: Any = None, settings: Settings | None = None) -> Report:
    """Judge every body of a `MultibodyPlant`.

    Args:
        plant: The plant, finalized or not; it is not changed.
        context: Of the plant; its parameters are judged in place of the plant's own.
        settings: Which rules run and how severe they are; None for the defaults.

    Returns:
        A report with one file, `<drake.MultibodyPlant NAME>`.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`.
        UsageError: The settings name an unknown rule.
    """
    return check_model(read(plant, context), settings)


def repair(plant: Any, context: Any, **options: Unpack[RepairOptions]) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of a `MultibodyPlant` the nearest inertia, in a context.

    A plant lets nobody change the inertias it was built with: they are parameters of its contexts.
    So the plant has to be finalized, and the context is what changes. Mass and centre of mass stay,
    and every number of the other bodies.

    Args:
        plant: The plant, finalized.
        context: Of the plant, which is changed; of a diagram, `plant.GetMyContextFromRoot(root)`.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        What was done about each body.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`; an unknown metric, or a margin that is none.
        UsageError: The plant is not finalized, or there is no context; no such body or engine, or a
            max_change that is no relative change.
    """
    _validate(plant)
    if not plant.is_finalized():
        raise UsageError(
            "the plant is not finalized: Drake takes new inertias through a context only, which "
            "plant.CreateDefaultContext() makes after plant.Finalize()"
        )
    if context is None:
        raise UsageError("a context is needed: it holds the inertias that are changed")
    from pydrake.multibody.tree import RotationalInertia, SpatialInertia

    bodies = _rigid_bodies(plant)

    def write(index: int, six: Six) -> Callable[[], None]:
        body = bodies[index]
        old = body.CalcSpatialInertiaInBodyFrame(context)
        xx, xy, xz, yy, yz, zz = six
        central = RotationalInertia(xx, yy, zz, xy, xz, yz)
        new = SpatialInertia.MakeFromCentralInertia(old.get_mass(), old.get_com(), central)
        body.SetSpatialInertiaInBodyFrame(context, new)
        return lambda: body.SetSpatialInertiaInBodyFrame(context, old)

    return repair_loaded(lambda: read(plant, context), write, options)


def _validate(plant: Any) -> None:
    try:
        from pydrake.multibody.plant import MultibodyPlant
    except ImportError:
        raise missing_extra(_KIND, "Drake", "drake") from None
    if not isinstance(plant, MultibodyPlant):
        raise wrong_type(plant, "a MultibodyPlant of float")


def _rigid_bodies(plant: Any) -> list[Any]:
    from pydrake.multibody.tree import BodyIndex

    return [plant.get_body(BodyIndex(index)) for index in range(1, plant.num_bodies())]


def _bodies(plant: Any, context: Any) -> Iterator[Loaded]:
    joints = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        joints[int(joint.child_body().index())] = joint
    for body in _rigid_bodies(plant):
        if context is None:
            inertia = body.default_spatial_inertia()
        else:
            inertia = body.CalcSpatialInertiaInBodyFrame(context)
        six, error = _about_center(inertia)
        joint = joints.get(int(body.index()))
        kind = None if joint is None else _WORDS.get(joint.type_name(), joint.type_name())
        parent = 0 if joint is None else int(joint.parent_body().index())
        yield Loaded(
            body.name(),
            f"BodyIndex({int(body.index())})",
            float(inertia.get_mass()),
            three_of(inertia.get_com()),
            six,
            joint=kind,
            moved=kind not in (None, "fixed"),
            parent=f"BodyIndex({parent})" if parent else None,
            error=error,
        )


def _about_center(inertia: Any) -> tuple[Six, float]:
    """Entries about the centre of mass, and what rounding may have made of them [kg m^2]."""
    if inertia.IsZero():
        return (0.0,) * 6, 0.0
    p_BoBcm_B = inertia.get_com()
    I_BBo_B = inertia.CalcRotationalInertia().CopyToFullMatrix3()
    square = float(p_BoBcm_B @ p_BoBcm_B)
    if square == 0:
        return six_of(I_BBo_B), 0.0
    shift = inertia.get_mass() * (square * np.eye(3) - np.outer(p_BoBcm_B, p_BoBcm_B))
    floor = float(tolerances.floor(np.ones(())))
    return six_of(I_BBo_B - shift), floor * float(np.max(np.abs(I_BBo_B)))
