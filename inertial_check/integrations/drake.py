"""Check and repair the bodies of a Drake `MultibodyPlant` in memory.

Drake's parsers replace an inertia that fails their test before a plant holds it, so check a file to
see what is wrong in it. Inertias that a program gives a plant, in `AddRigidBody` without the check
or through a context, are seen here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import numpy as np

from inertial_check.checking.check import check_model
from inertial_check.errors import UsageError
from inertial_check.inertia import tolerances
from inertial_check.integrations._loaded import (
    Loaded,
    RepairOptions,
    Undo,
    import_library,
    model_of,
    repair_model,
    six_of,
    three_of,
    wrong_type,
)
from inertial_check.model.body import Model

if TYPE_CHECKING:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RigidBody, SpatialInertia
    from pydrake.systems.framework import Context

    from inertial_check.fixing.result import BodyFix, Six
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_KIND = "drake.MultibodyPlant"
_WORDS = {"weld": "fixed", "quaternion_floating": "floating", "rpy_floating": "floating"}
"""Words of robot descriptions for types of joints that Drake calls otherwise."""


def read(plant: MultibodyPlant, context: Context | None = None) -> Model:
    """The bodies of a `MultibodyPlant` as plain data, the world left out.

    Drake keeps inertias about the body's origin, per unit of mass. The digits that are lost on the
    way to the centre of mass count as not printed.

    Args:
        plant: Plant of float, finalized or not.
        context: Context of the plant; its parameters are read in place of the plant's own.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`.
    """
    _validate(plant)
    return model_of(_KIND, "drake", plant.get_name(), _bodies(plant, context))


def check(
    plant: MultibodyPlant, context: Context | None = None, settings: Settings | None = None
) -> Report:
    """Judge every body of a `MultibodyPlant`.

    Args:
        plant: The plant, finalized or not; it is not changed.
        context: Context of the plant; its parameters are judged in place of the plant's own.
        settings: Which rules run and how severe they are; None for the defaults.

    Returns:
        A report with one file, `<drake.MultibodyPlant NAME>`.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`.
        UsageError: The settings name an unknown rule.
    """
    return check_model(read(plant, context), settings)


def repair(
    plant: MultibodyPlant, context: Context | None, **options: Unpack[RepairOptions]
) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of a `MultibodyPlant` the nearest inertia, in a context.

    The inertias that a plant was built with cannot change; they are parameters of its contexts. So
    the plant must be finalized, and the context changes. Mass and centre of mass stay, and every
    number of the other bodies.

    Args:
        plant: The plant, finalized.
        context: Context of the plant, which is changed; in a diagram,
            `plant.GetMyContextFromRoot(root)`.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        The result for each body.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`; an unknown metric, or a margin outside 0 to 1/3.
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

    def write(index: int, six: Six) -> Undo:
        body = bodies[index]
        old = body.CalcSpatialInertiaInBodyFrame(context)
        xx, xy, xz, yy, yz, zz = six
        central = RotationalInertia(xx, yy, zz, xy, xz, yz)
        new = SpatialInertia.MakeFromCentralInertia(old.get_mass(), old.get_com(), central)
        body.SetSpatialInertiaInBodyFrame(context, new)
        return lambda: body.SetSpatialInertiaInBodyFrame(context, old)

    return repair_model(lambda: read(plant, context), write, options)


def _validate(plant: MultibodyPlant) -> None:
    module = import_library("pydrake.multibody.plant", "Drake", _KIND)
    if not isinstance(plant, module.MultibodyPlant):
        raise wrong_type(plant, "a MultibodyPlant of float")


def _rigid_bodies(plant: MultibodyPlant) -> list[RigidBody]:
    from pydrake.multibody.tree import BodyIndex

    return [plant.get_body(BodyIndex(index)) for index in range(1, plant.num_bodies())]


def _bodies(plant: MultibodyPlant, context: Context | None) -> Iterator[Loaded]:
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


def _about_center(inertia: SpatialInertia) -> tuple[Six, float]:
    """Entries about the centre of mass, and their rounding error [kg m^2]."""
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
