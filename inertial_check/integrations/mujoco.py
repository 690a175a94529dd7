"""Check and repair a `mujoco.MjSpec` or a `mujoco.MjModel` in memory.

A spec holds the numbers as written, before MuJoCo's compiler. A model holds what the compiler made
of them, principal moments and their axes, with all changes since, as by domain randomisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, radians
from typing import TYPE_CHECKING, Unpack

from inertial_check.checking.check import check_model
from inertial_check.formats import rotations as orientations
from inertial_check.integrations._assigning import LoadedModel
from inertial_check.integrations._loaded import (
    UNTURNED,
    Loaded,
    Rotation,
    Undo,
    import_library,
    model_of,
    overwrite,
    rotation_of,
    three_of,
    wrong_type,
)
from inertial_check.integrations._mujoco_joints import JOINTS, place_body, read_quaternion
from inertial_check.integrations._mujoco_numbers import ModelHolder, SpecHolder
from inertial_check.integrations._repair import RepairOptions, repair_model

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from mujoco import MjModel, MjsBody, MjSpec

    from inertial_check.fixing.result import BodyFix, Six, Three
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_SPEC, _MODEL = "mujoco.MjSpec", "mujoco.MjModel"
_FORMAT = "mjcf"
_FULL = (0, 3, 4, 1, 5, 2)
"""Indices in fullinertia, xx yy zz xy xz yz, of the entries xx xy xz yy yz zz."""

_FULL_FROM_SIX = (0, 3, 5, 1, 2, 4)
"""Indices in xx xy xz yy yz zz of the entries of fullinertia."""


def read(model: MjSpec | MjModel) -> LoadedModel:
    """The bodies of an `MjSpec` or an `MjModel` as plain data, the world left out.

    A body of a spec whose inertia the compiler will derive from its geoms gets the verdict derived.
    In a compiled model nothing tells which were: every number counts.

    The result has `names`, `theta`, `parameters` and `tree()` as a model of a file has them, and
    `with_parameters`, which sets the numbers of the spec, or those of the model and all that
    MuJoCo derives from them (`mujoco.mj_setConst`). MuJoCo's compiler decides what a spec takes. A
    model takes any numbers, except that a body whose mass matrix was compiled as diagonal
    (`body_simple`) keeps its inertial frame. The coordinates of the tree are zero at `qpos0`; that
    of a spec is the tree of what it compiles to; rotor inertias (`armature`) are not in it.

    Raises:
        MissingExtraError: MuJoCo is not installed.
        ParameterError: Neither an `MjSpec` nor an `MjModel`.
    """
    if _is_spec(model):
        name = model.modelname
        holder = SpecHolder(model, lambda: read(model))
        return model_of(_SPEC, _FORMAT, name, _bodies_of_spec(model), holder)
    name = bytes(model.names).partition(b"\0")[0].decode("utf-8", "replace")
    bodies = _bodies_of_model(model)
    return model_of(_MODEL, _FORMAT, name, bodies, ModelHolder(model, lambda: read(model)))


def check(model: MjSpec | MjModel, settings: Settings | None = None) -> Report:
    """Judge every body of an `MjSpec` or an `MjModel`.

    Args:
        model: The spec or the model; it is not changed.
        settings: Which rules run and how severe they are; None for the defaults.

    Returns:
        A report with one file, `<mujoco.MjSpec NAME>` or `<mujoco.MjModel NAME>`.

    Raises:
        MissingExtraError: MuJoCo is not installed.
        ParameterError: Neither an `MjSpec` nor an `MjModel`.
        UsageError: The settings name an unknown rule.
    """
    return check_model(read(model), settings)


def repair(model: MjSpec | MjModel, **options: Unpack[RepairOptions]) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of an `MjSpec` or an `MjModel` the nearest inertia, in place.

    Mass, centre of mass and axes stay, and the inertias of the other bodies. A spec compiles to the
    new numbers; inertias that its compiler derives from geoms stay, and the result says so. In a
    model `body_inertia` changes, and with it all that `mujoco.mj_setConst` computes: `dof_M0`,
    `dof_invweight0`, `body_invweight0`, ...; not `model.stat`.

    Args:
        model: The spec or the model, which is changed.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        The result for each body.

    Raises:
        MissingExtraError: MuJoCo is not installed.
        ParameterError: Neither a spec nor a model; an unknown metric, or a margin outside 0 to 1/3.
        UsageError: No such body or engine, or a max_change that is no relative change.
    """
    if _is_spec(model):
        bodies = model.bodies[1:]
        return repair_model(
            lambda: read(model), lambda i, six: _write_to_spec(bodies[i], six), options
        )
    fixes = repair_model(
        lambda: read(model),
        lambda i, six: overwrite(model.body_inertia[i + 1], _diagonal_of_six(six)),
        options,
    )
    if any(fix.status == "fixed" for fix in fixes):
        import mujoco

        mujoco.mj_setConst(model, mujoco.MjData(model))
    return fixes


def _is_spec(model: MjSpec | MjModel) -> bool:
    mujoco = import_library("mujoco", "MuJoCo", _MODEL)
    if isinstance(model, mujoco.MjSpec):
        return True
    if isinstance(model, mujoco.MjModel):
        return False
    raise wrong_type(model, f"a {_SPEC} or a {_MODEL}")


def _six_of_diagonal(moments: npt.NDArray[np.float64]) -> Six:
    x, y, z = map(float, moments)
    return x, 0.0, 0.0, y, 0.0, z


def _diagonal_of_six(six: Six) -> Three:
    return six[0], six[3], six[5]


def _bodies_of_model(model: MjModel) -> Iterator[Loaded]:
    for index in range(1, model.nbody):
        joint = None
        if model.body_jntnum[index]:
            joint = JOINTS[model.jnt_type[model.body_jntadr[index]]]
        parent = int(model.body_parentid[index])
        place = place_body(model, index)
        yield Loaded(
            model.body(index).name or f"body#{index}",
            f"body({index})",
            float(model.body_mass[index]),
            three_of(model.body_ipos[index]),
            _six_of_diagonal(model.body_inertia[index]),
            read_quaternion(*model.body_iquat[index].tolist()),
            joint=joint or ("fixed" if parent else None),
            moved=joint is not None,
            parent=f"body({parent})" if parent else None,
            X_PB=place.X_PB,
            axis_B=place.axis_B,
            p_BoJo_B=place.p_BoJo_B,
            joints=place.joints,
            diagonal=True,
        )


def _bodies_of_spec(spec: MjSpec) -> Iterator[Loaded]:
    bodies = spec.bodies[1:]
    places = {body: index for index, body in enumerate(bodies, 1)}
    for index, body in enumerate(bodies, 1):
        derived = _is_derived(spec, body)
        joint = _joint(body)
        parent = places.get(body.parent)
        full = _is_full(body)
        moments = body.fullinertia[list(_FULL)].tolist() if full else None
        six = tuple(moments) if moments else _six_of_diagonal(body.inertia)
        yield Loaded(
            body.name or f"body#{index}",
            f"bodies[{index}]",
            float(body.mass),
            three_of(body.ipos) if _is_placed(body) else (0.0, 0.0, 0.0),
            six if _is_stated(body) and not derived else None,
            UNTURNED if full else _orientation(spec, body),
            joint=joint or ("fixed" if parent else None),
            moved=joint is not None,
            parent=f"bodies[{parent}]" if parent else None,
            derived=derived,
            diagonal=not full,
        )


def _is_full(body: MjsBody) -> bool:
    return not isnan(body.fullinertia[0])


def _is_placed(body: MjsBody) -> bool:
    """Whether a centre of mass is given; without one, the compiler puts it at the origin."""
    return not isnan(body.ipos[0])


def _is_stated(body: MjsBody) -> bool:
    """Whether a spec states any number of a body's inertia."""
    given = body.explicitinertial or _is_placed(body) or _is_full(body)
    return bool(given or body.mass or body.inertia.any())


def _is_derived(spec: MjSpec, body: MjsBody) -> bool:
    """Whether the compiler takes the inertia of a body from its geoms."""
    import mujoco

    when, kinds = spec.compiler.inertiafromgeom, mujoco.mjtInertiaFromGeom
    unstated = not (body.explicitinertial or _is_placed(body))
    always = when == kinds.mjINERTIAFROMGEOM_TRUE
    if not (always or (when == kinds.mjINERTIAFROMGEOM_AUTO and unstated)):
        return False
    # After a failed compilation, body.geoms would raise that error.
    return body.first_geom() is not None


def _joint(body: MjsBody) -> str | None:
    """Type of the first joint of a body; None where it has none."""
    joint = body.first_joint()
    return None if joint is None else JOINTS[int(joint.type)]


def _orientation(spec: MjSpec, body: MjsBody) -> Rotation:
    """The axes of the principal moments, in whichever form they are given."""
    import mujoco

    given, kinds = body.ialt, mujoco.mjtOrientation
    unit = radians(1.0) if spec.compiler.degree else 1.0
    rotation = None
    if given.type == kinds.mjORIENTATION_QUAT:
        return read_quaternion(*body.iquat.tolist())
    if given.type == kinds.mjORIENTATION_AXISANGLE:
        *axis, angle = given.axisangle.tolist()
        rotation = orientations.from_axis_angle(axis, angle * unit)
    elif given.type == kinds.mjORIENTATION_XYAXES:
        rotation = orientations.from_xy_axes(*given.xyaxes.ravel().tolist())
    elif given.type == kinds.mjORIENTATION_ZAXIS:
        rotation = orientations.from_z_axis(*given.zaxis.tolist())
    elif given.type == kinds.mjORIENTATION_EULER:
        angles = [angle * unit for angle in given.euler.tolist()]
        rotation = orientations.from_euler(angles, "".join(spec.compiler.eulerseq))
    return UNTURNED if rotation is None else rotation_of(rotation)


def _write_to_spec(body: MjsBody, six: Six) -> Undo:
    if _is_full(body):
        return overwrite(body.fullinertia, [six[index] for index in _FULL_FROM_SIX])
    return overwrite(body.inertia, _diagonal_of_six(six))
