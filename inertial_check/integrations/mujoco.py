"""Check and repair a `mujoco.MjSpec` or a `mujoco.MjModel` in memory.

A spec holds what is written, and MuJoCo's compiler has not looked at it; a model holds what the
compiler made of it, principal moments and their axes, and what has been written into it since, as
by domain randomisation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isnan, radians
from typing import TYPE_CHECKING, Any, Unpack

from inertial_check.checking.check import check_model
from inertial_check.formats.mjcf import rotations as orientations
from inertial_check.integrations._loaded import (
    UNTURNED,
    Loaded,
    RepairOptions,
    Rotation,
    missing_extra,
    model_of,
    repair_loaded,
    three_of,
    wrong_type,
)
from inertial_check.model.body import Model

if TYPE_CHECKING:
    from inertial_check.fixing.result import BodyFix, Six
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_SPEC, _MODEL = "mujoco.MjSpec", "mujoco.MjModel"
_FORMAT = "mjcf"
_FULL = (0, 3, 4, 1, 5, 2)
"""Where fullinertia, xx yy zz xy xz yz, has the entries xx xy xz yy yz zz."""

_JOINTS = ("free", "ball", "slide", "hinge")
"""By the integers of mujoco.mjtJoint."""


def read(model: Any) -> Model:
    """The bodies of an `MjSpec` or an `MjModel` as plain data, the world left out.

    A body of a spec whose inertia the compiler will derive from its geoms is said to be derived. In
    a compiled model nothing tells which were: every number counts.

    Raises:
        MissingExtraError: MuJoCo is not installed.
        ParameterError: Neither an `MjSpec` nor an `MjModel`.
    """
    if _is_spec(model):
        name = model.modelname
        return model_of(_SPEC, _FORMAT, name, _bodies_of_spec(model))
    name = bytes(model.names).partition(b"\0")[0].decode("utf-8", "replace")
    return model_of(_MODEL, _FORMAT, name, _bodies_of_model(model))


def check(model: Any, settings: Settings | None = None) -> Report:
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


def repair(model: Any, **options: Unpack[RepairOptions]) -> tuple[BodyFix, ...]:
    """Give each inconsistent body of an `MjSpec` or an `MjModel` the nearest inertia, in place.

    Mass, centre of mass and axes stay, and the inertias of the other bodies. A spec compiles to the
    new numbers; inertias that its compiler derives from geoms are left alone, and said. In a model
    `body_inertia` changes, and what `mujoco.mj_setConst` computes from it: `dof_M0`,
    `dof_invweight0`, `body_invweight0`, ...; not `model.stat`.

    Args:
        model: The spec or the model, which is changed.
        **options: metric, margin, engines, max_change, unsafe, bodies, tolerance; see
            RepairOptions.

    Returns:
        What was done about each body.

    Raises:
        MissingExtraError: MuJoCo is not installed.
        ParameterError: Neither of both; an unknown metric, or a margin that is none.
        UsageError: No such body or engine, or a max_change that is no relative change.
    """
    if _is_spec(model):
        return repair_loaded(lambda: read(model), _writer_of_spec(model), options)
    fixes = repair_loaded(lambda: read(model), _writer_of_model(model), options)
    if any(fix.status == "fixed" for fix in fixes):
        import mujoco

        mujoco.mj_setConst(model, mujoco.MjData(model))
    return fixes


def _is_spec(model: Any) -> bool:
    try:
        import mujoco
    except ImportError:
        raise missing_extra(_MODEL, "MuJoCo", "mujoco") from None
    if isinstance(model, mujoco.MjSpec):
        return True
    if isinstance(model, mujoco.MjModel):
        return False
    raise wrong_type(model, f"a {_SPEC} or a {_MODEL}")


def _six_of_diagonal(moments: Any) -> Six:
    x, y, z = map(float, moments)
    return x, 0.0, 0.0, y, 0.0, z


def _rotation(w: float, x: float, y: float, z: float) -> Rotation:
    """Of a quaternion; MuJoCo takes one of length zero for none."""
    turned = orientations.from_wxyz(w, x, y, z)
    return UNTURNED if turned is None else (turned[0], turned[1], turned[2])


def _bodies_of_model(model: Any) -> Iterator[Loaded]:
    for index in range(1, model.nbody):
        joint = None
        if model.body_jntnum[index]:
            joint = _JOINTS[model.jnt_type[model.body_jntadr[index]]]
        parent = int(model.body_parentid[index])
        yield Loaded(
            model.body(index).name or f"body#{index}",
            f"body({index})",
            float(model.body_mass[index]),
            three_of(model.body_ipos[index]),
            _six_of_diagonal(model.body_inertia[index]),
            _rotation(*model.body_iquat[index].tolist()),
            joint=joint or ("fixed" if parent else None),
            moved=joint is not None,
            parent=f"body({parent})" if parent else None,
            diagonal=True,
        )


def _writer_of_model(model: Any) -> Callable[[int, Six], Callable[[], None]]:
    def write(index: int, six: Six) -> Callable[[], None]:
        moments = model.body_inertia[index + 1]
        old = moments.copy()

        def take_back() -> None:
            moments[:] = old

        moments[:] = six[0], six[3], six[5]
        return take_back

    return write


def _bodies_of_spec(spec: Any) -> Iterator[Loaded]:
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


def _is_full(body: Any) -> bool:
    return not isnan(body.fullinertia[0])


def _is_placed(body: Any) -> bool:
    """Whether a centre of mass is given; the compiler puts others into the origin."""
    return not isnan(body.ipos[0])


def _is_stated(body: Any) -> bool:
    """Whether a spec says anything of the inertia of a body."""
    given = body.explicitinertial or _is_placed(body) or _is_full(body)
    return bool(given or body.mass or body.inertia.any())


def _is_derived(spec: Any, body: Any) -> bool:
    """Whether the compiler takes the inertia of a body from its geoms."""
    import mujoco

    when, kinds = spec.compiler.inertiafromgeom, mujoco.mjtInertiaFromGeom
    unstated = not (body.explicitinertial or _is_placed(body))
    always = when == kinds.mjINERTIAFROMGEOM_TRUE
    if not (always or (when == kinds.mjINERTIAFROMGEOM_AUTO and unstated)):
        return False
    return body.first_geom() is not None  # after a failed compilation, body.geoms raises that error


def _joint(body: Any) -> str | None:
    """Type of the first joint of a body; None where it has none."""
    joint = body.first_joint()
    return None if joint is None else _JOINTS[int(joint.type)]


def _orientation(spec: Any, body: Any) -> Rotation:
    """The axes of the principal moments, however they are given."""
    import mujoco

    given, kinds = body.ialt, mujoco.mjtOrientation
    unit = radians(1.0) if spec.compiler.degree else 1.0
    turned = None
    if given.type == kinds.mjORIENTATION_QUAT:
        return _rotation(*body.iquat.tolist())
    if given.type == kinds.mjORIENTATION_AXISANGLE:
        *axis, angle = given.axisangle.tolist()
        turned = orientations.from_axis_angle(axis, angle * unit)
    elif given.type == kinds.mjORIENTATION_XYAXES:
        turned = orientations.from_xy_axes(*given.xyaxes.ravel().tolist())
    elif given.type == kinds.mjORIENTATION_ZAXIS:
        turned = orientations.from_z_axis(*given.zaxis.tolist())
    elif given.type == kinds.mjORIENTATION_EULER:
        angles = [angle * unit for angle in given.euler.tolist()]
        turned = orientations.from_euler(angles, "".join(spec.compiler.eulerseq))
    return UNTURNED if turned is None else (turned[0], turned[1], turned[2])


def _writer_of_spec(spec: Any) -> Callable[[int, Six], Callable[[], None]]:
    bodies = spec.bodies[1:]

    def write(index: int, six: Six) -> Callable[[], None]:
        body = bodies[index]
        target = body.fullinertia if _is_full(body) else body.inertia
        old = target.copy()

        def take_back() -> None:
            target[:] = old

        if _is_full(body):
            target[:] = [six[(0, 3, 5, 1, 2, 4)[place]] for place in range(6)]
        else:
            target[:] = six[0], six[3], six[5]
        return take_back

    return write
