"""Check and repair the bodies of a Drake `MultibodyPlant` in memory.

Drake's parsers replace an inertia that fails their test before a plant holds it, so check a file to
see what is wrong in it. Inertias that a program gives a plant, in `AddRigidBody` without the check
or through a context, are seen here.
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
from inertial_check.fixing.result import BodyFix, Six
from inertial_check.inertia import tolerances
from inertial_check.programs.objects.loaded import (
    Loaded,
    LoadedModel,
    Refused,
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
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import Joint as DrakeJoint
    from pydrake.multibody.tree import RigidBody, SpatialInertia
    from pydrake.systems.framework import Context


_KIND = "drake.MultibodyPlant"
_WORDS = {"weld": "fixed", "quaternion_floating": "floating", "rpy_floating": "floating"}
"""Words of robot descriptions for types of joints that Drake calls otherwise."""


def read(plant: MultibodyPlant, context: Context | None = None) -> LoadedModel:
    """The bodies of a `MultibodyPlant` as plain data, the world left out.

    Drake keeps inertias about the body's origin, per unit of mass. The digits that are lost on the
    way to the centre of mass count as not printed.

    The result has `names`, `theta`, `parameters` and `tree()` as a model of a file has them, and
    `with_parameters`, which sets the parameters of the context: Drake's test of an inertia decides
    what it takes. The pose of a body in the tree is that where all joints are at zero, whatever
    their defaults are, and a floating body of the tree has coordinates of its own
    (see inertial_check.mechanics.tree).

    Args:
        plant: Plant of float, finalized or not.
        context: Context of the plant; its parameters are read in place of the plant's own, and set
            by `with_parameters`, which needs it.

    Raises:
        MissingExtraError: Drake is not installed.
        ParameterError: Not a `MultibodyPlant`.
    """
    _validate(plant)
    bodies = _bodies(plant, context)
    return model_of(_KIND, "drake", plant.get_name(), bodies, _Plant(plant, context))


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
    _require_context(plant, context)
    return repair_held(_Plant(plant, context), options)


def _validate(plant: MultibodyPlant) -> None:
    module = import_library("pydrake.multibody.plant", "Drake", _KIND)
    if not isinstance(plant, module.MultibodyPlant):
        raise wrong_type(plant, "a MultibodyPlant of float")


def _require_context(plant: MultibodyPlant, context: Context | None) -> None:
    """Refuse a plant whose inertias cannot change.

    Raises:
        UsageError: The plant is not finalized, or there is no context.
    """
    if not plant.is_finalized():
        raise UsageError(
            "the plant is not finalized: Drake takes new inertias through a context only, which "
            "plant.CreateDefaultContext() makes after plant.Finalize()"
        )
    if context is None:
        raise UsageError("a context is needed: it holds the inertias that are changed")


@dataclass(frozen=True)
class _Plant:
    """A plant and the context in which its parameters are set."""

    plant: MultibodyPlant
    context: Context | None

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return read(self.plant, self.context)

    def place(self, model: Model) -> Model:
        """Return the model, which has the joints of the plant already."""
        return model

    def examine(self, index: int, target: Target) -> None:
        """Ask Drake for an inertia with these numbers, which it makes if they pass its test.

        Raises:
            Refused: They do not.
            UsageError: The plant is not finalized, or there is no context.
        """
        _require_context(self.plant, self.context)
        try:
            _make_inertia(target)
        except RuntimeError as error:
            (first, *_) = str(error).strip().splitlines()
            raise Refused("engine-refused", f"Drake refuses it: {first}") from None

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the parameters of bodies in the context; return the function that sets the old."""
        bodies, context = _rigid_bodies(self.plant), self.context
        old = {row: bodies[row].CalcSpatialInertiaInBodyFrame(context) for row in targets}
        for row, target in targets.items():
            bodies[row].SetSpatialInertiaInBodyFrame(context, _make_inertia(target))

        def take_back() -> None:
            for row, inertia in old.items():
                bodies[row].SetSpatialInertiaInBodyFrame(context, inertia)

        return take_back


def _make_inertia(target: Target) -> SpatialInertia:
    """An inertia of Drake's.

    Raises:
        RuntimeError: Drake refuses it.
    """
    from pydrake.multibody.tree import RotationalInertia, SpatialInertia

    if target.mass == 0 and not np.any(target.I_BBcm_B):
        return SpatialInertia.Zero()
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = target.I_BBcm_B.tolist()
    central = RotationalInertia(xx, yy, zz, xy, xz, yz)
    return SpatialInertia.MakeFromCentralInertia(target.mass, target.p_BoBcm_B, central)


def _rigid_bodies(plant: MultibodyPlant) -> list[RigidBody]:
    from pydrake.multibody.tree import BodyIndex

    return [plant.get_body(BodyIndex(index)) for index in range(1, plant.num_bodies())]


def _bodies(plant: MultibodyPlant, context: Context | None) -> Iterator[Loaded]:
    joints: dict[int, list[DrakeJoint]] = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        joints.setdefault(int(joint.child_body().index()), []).append(joint)
    for body in _rigid_bodies(plant):
        if context is None:
            inertia = body.default_spatial_inertia()
        else:
            inertia = body.CalcSpatialInertiaInBodyFrame(context)
        # Entries about the centre of mass, and their rounding error [kg m^2].
        six: Six
        if inertia.IsZero():
            six, error = (0.0,) * 6, 0.0
        else:
            p_BoBcm_B = inertia.get_com()
            I_BBo_B = inertia.CalcRotationalInertia().CopyToFullMatrix3()
            square = float(p_BoBcm_B @ p_BoBcm_B)
            if square == 0:
                six, error = six_of(I_BBo_B), 0.0
            else:
                shift = inertia.get_mass() * (square * np.eye(3) - np.outer(p_BoBcm_B, p_BoBcm_B))
                floor = float(tolerances.floor(np.ones(())))
                six, error = six_of(I_BBo_B - shift), floor * float(np.max(np.abs(I_BBo_B)))
        above = joints.get(int(body.index()), [])
        loaded = Loaded(
            body.name(),
            f"BodyIndex({int(body.index())})",
            float(inertia.get_mass()),
            three_of(inertia.get_com()),
            six,
            error=error,
        )
        yield _hang(loaded, above) if above else loaded


def _hang(loaded: Loaded, above: list[DrakeJoint]) -> Loaded:
    """The body on its parent; with several joints above it, its place and axis are not told."""
    joint = above[-1]
    kind = _WORDS.get(joint.type_name(), joint.type_name())
    parent = int(joint.parent_body().index())
    loaded = loaded._replace(
        joint=kind,
        moved=kind != "fixed",
        parent=f"BodyIndex({parent})" if parent else None,
        joints=tuple(_describe_joint(each) for each in above),
    )
    if len(above) > 1:
        return loaded._replace(joint=" and ".join(each.type_name() for each in above))
    F, M = joint.frame_on_parent(), joint.frame_on_child()
    X_PF, X_BM = F.GetFixedPoseInBodyFrame(), M.GetFixedPoseInBodyFrame()
    X_FM = joint.X_FM() if kind == "fixed" else None
    X_PM = X_PF if X_FM is None else X_PF.multiply(X_FM)
    X_PB = X_PM.multiply(X_BM.inverse())
    loaded = loaded._replace(
        X_PB=Pose(three_of(X_PB.translation()), rotation_of(X_PB.rotation().matrix()))
    )
    # The axis of a joint, which is the same in its frames F and M; None where it has none.
    if kind == "revolute":
        axis = three_of(joint.revolute_axis())
    elif kind == "prismatic":
        axis = three_of(joint.translation_axis())
    else:
        axis = None
    if axis is None:
        return loaded
    axis_B = three_of(X_BM.rotation().matrix() @ np.array(axis))
    return loaded._replace(axis_B=axis_B, p_BoJo_B=three_of(X_BM.translation()))


def _describe_joint(joint: DrakeJoint) -> Joint:
    """The name, type and limits of a joint."""
    kind = _WORDS.get(joint.type_name(), joint.type_name())
    if joint.num_velocities() != 1 or joint.num_positions() != 1:
        return Joint(joint.name(), kind)
    damping = joint.default_damping_vector() if kind in ("revolute", "prismatic") else [0.0]
    return Joint(
        joint.name(),
        kind,
        lower=float(joint.position_lower_limits()[0]),
        upper=float(joint.position_upper_limits()[0]),
        velocity=float(joint.velocity_upper_limits()[0]),
        acceleration=float(joint.acceleration_upper_limits()[0]),
        damping=float(damping[0]),
    )
