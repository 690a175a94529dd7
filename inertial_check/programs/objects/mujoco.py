"""Check and repair a `mujoco.MjSpec` or a `mujoco.MjModel` in memory.

A spec holds the numbers as written, before MuJoCo's compiler. A model holds what the compiler made
of them, principal moments and their axes, with all changes since, as by domain randomisation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan, radians
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from inertial_check.checking.check import check_model
from inertial_check.checking.report import Report
from inertial_check.checking.settings import Settings
from inertial_check.documents import poses
from inertial_check.documents.mjcf import Bounds
from inertial_check.documents.model import Joint, Model, Pose
from inertial_check.errors import UsageError
from inertial_check.fixing.assign import Target
from inertial_check.fixing.result import BodyFix, Six, Three
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import six
from inertial_check.mechanics.rotations import quaternion_from_matrix
from inertial_check.programs.objects.loaded import (
    UNTURNED,
    Loaded,
    LoadedModel,
    Refused,
    RepairOptions,
    Rotation,
    Undo,
    import_library,
    model_of,
    overwrite,
    repair_model,
    rotation_of,
    three_of,
    wrong_type,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from mujoco import MjModel, MjsBody, MjSpec


JOINTS = ("free", "ball", "slide", "hinge")
"""Names of the types of joints, in the order of the integers of mujoco.mjtJoint."""

_WITH_AXIS = ("slide", "hinge")


class Placement(NamedTuple):
    """Place of a body in its parent, and the joints between them.

    Attributes:
        X_PB: Pose in the parent, or in the world, where the joint is at its ref (`qpos0`).
        axis_B: Direction of the axis of its only joint; None with another number of axes.
        p_BoJo_B: A point on it [m].
        joints: Its joints, whose positions are relative to `qpos0`.
    """

    X_PB: Pose
    axis_B: Three | None
    p_BoJo_B: Three | None
    joints: tuple[Joint, ...]


def read_quaternion(w: float, x: float, y: float, z: float) -> Rotation:
    """The rotation of a quaternion; MuJoCo reads one of length zero as no rotation."""
    rotation = poses.from_wxyz(w, x, y, z)
    return UNTURNED if rotation is None else rotation_of(rotation)


def place_body(model: MjModel, index: int) -> Placement:
    """The place and the joints of a body of a compiled model."""
    first, count = int(model.body_jntadr[index]), int(model.body_jntnum[index])
    joints = range(first, first + count)
    X_PB = Pose(three_of(model.body_pos[index]), read_quaternion(*model.body_quat[index].tolist()))
    axis = point = None
    if count == 1 and JOINTS[model.jnt_type[first]] in _WITH_AXIS:
        axis, point = three_of(model.jnt_axis[first]), three_of(model.jnt_pos[first])
    return Placement(X_PB, axis, point, tuple(_describe_joint(model, each) for each in joints))


def _describe_joint(model: MjModel, joint: int) -> Joint:
    kind, name = JOINTS[model.jnt_type[joint]], model.joint(joint).name
    if kind not in _WITH_AXIS:
        return Joint(name, kind)
    place, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    lower, upper = -np.inf, np.inf
    if model.jnt_limited[joint]:
        lower, upper = (model.jnt_range[joint] - model.qpos0[place]).tolist()
    return Joint(
        name,
        kind,
        lower=lower,
        upper=upper,
        damping=float(np.ravel(model.dof_damping[dof])[0]),
        friction=float(model.dof_frictionloss[dof]),
        armature=float(model.dof_armature[dof]),
    )


_FULL_ORDER = (0, 3, 5, 1, 2, 4)
"""Indices in xx xy xz yy yz zz of the entries of fullinertia."""

_ROUNDING = float(tolerances.floor(np.ones(())))
"""Relative error of a tensor that is turned into other axes."""

_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])
_SPEC_FIELDS = ("mass", "ipos", "iquat", "inertia", "fullinertia", "explicitinertial")
_MODEL_FIELDS = ("body_mass", "body_ipos", "body_iquat", "body_inertia")
_SHORTCUTS = ("body_sameframe", "geom_sameframe", "site_sameframe")
_INERTIAL_FRAMES = (2, 4)
"""mjtSameFrame of geoms and sites that MuJoCo takes to stand at, or turned as, the inertial frame:
mjSAMEFRAME_INERTIA and mjSAMEFRAME_INERTIAROT."""

_COMPILER = ("boundmass", "boundinertia", "balanceinertia")
"""Settings of the compiler by which it changes masses and inertias."""


@dataclass(frozen=True)
class SpecHolder:
    """The bodies of a spec.

    Attributes:
        spec: The spec.
    """

    spec: MjSpec

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return read(self.spec)

    def place(self, model: Model) -> Model:
        """Return the model with the joints that the compiler makes of the spec.

        Raises:
            UsageError: It does not compile.
        """
        # A model that was read from a spec, with the joints that MuJoCo's compiler makes of it.
        probe = self.spec.copy()
        probe.compiler.fusestatic = False
        for body in probe.bodies[1:]:
            body.mass, body.ipos, body.inertia = 1.0, np.zeros(3), np.ones(3)
            body.fullinertia = np.full(6, np.nan)
            body.explicitinertial = True
        try:
            compiled = probe.compile()
        except ValueError as error:
            reason = str(error).strip().partition("\n")[0]
            raise UsageError(f"{model.source.path}: MuJoCo does not compile it: {reason}") from None
        indices = [int(body.id) for body in probe.bodies[1:]]
        return replace(
            model,
            bodies=tuple(
                body._replace(**place_body(compiled, index)._asdict())
                for body, index in zip(model.bodies, indices, strict=True)
            ),
        )

    def examine(self, index: int, target: Target) -> None:
        """Ask MuJoCo's compiler, in a spec of this body alone, whether it takes the numbers.

        Raises:
            Refused: It does not, or it would use others.
        """
        import mujoco

        compiler, body = self.spec.compiler, self.spec.bodies[index + 1]
        always = compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
        if always and body.first_geom() is not None:
            why = "the compiler takes its inertia from its geoms (inertiafromgeom)"
            raise Refused("overridden", why)
        if compiler.settotalmass > 0:
            why = f"the compiler scales all masses to {compiler.settotalmass:g} kg (settotalmass)"
            raise Refused("overridden", why)
        probe = mujoco.MjSpec()
        for name in _COMPILER:
            setattr(probe.compiler, name, getattr(compiler, name))
        carrier = probe.worldbody.add_body(mass=1.0, inertia=[1.0, 1.0, 1.0], ipos=[0.0, 0.0, 0.0])
        carrier.explicitinertial = True
        carrier.add_freejoint()
        single = carrier.add_body()
        if body.first_joint() is not None:
            single.add_joint()
        _set_spec(single, target)
        try:
            made = probe.compile()
        except ValueError as error:
            reason = str(error).strip().partition("\n")[0]
            raise Refused("engine-refused", f"MuJoCo refuses it: {reason}") from None
        R = np.array(read_quaternion(*made.body_iquat[2].tolist()))
        tensor = R @ np.diag(made.body_inertia[2]) @ R.T
        change = float(np.linalg.norm(tensor - target.I_BBcm_B))
        exact = made.body_mass[2] == target.mass
        if not exact or change > 8 * _ROUNDING * float(np.linalg.norm(target.I_BBcm_B)):
            why = f"a setting of the compiler ({', '.join(_COMPILER)}) has MuJoCo use other numbers"
            raise Refused("overridden", why)

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the numbers of bodies; return the function that sets the old."""
        bodies = {row: self.spec.bodies[row + 1] for row in targets}
        old = {row: _keep(body) for row, body in bodies.items()}
        for row, target in targets.items():
            _set_spec(bodies[row], target)

        def take_back() -> None:
            for row, (fields, orientation) in old.items():
                for name, value in fields.items():
                    setattr(bodies[row], name, value)
                bodies[row].ialt.type = orientation

        return take_back


def _keep(body: MjsBody) -> tuple[dict[str, Any], object]:
    """Copies of the fields of a body that are set."""
    fields = {name: getattr(body, name) for name in _SPEC_FIELDS}
    return {name: np.copy(x) if np.ndim(x) else x for name, x in fields.items()}, body.ialt.type


def _set_spec(body: MjsBody, target: Target) -> None:
    """Set a body's numbers: principal moments where its own axes are principal, else all six."""
    import mujoco

    tensor = target.I_BBcm_B
    full = np.asarray(six(tensor))[list(_FULL_ORDER)]
    body.mass, body.ipos = target.mass, target.p_BoBcm_B
    # An orientation beside six numbers would be refused.
    body.ialt.type, body.iquat = mujoco.mjtOrientation.mjORIENTATION_QUAT, _NO_TURN
    diagonal = not full[3:].any()
    body.inertia = full[:3] if diagonal else np.zeros(3)
    body.fullinertia = np.full(6, np.nan) if diagonal else full
    body.explicitinertial = True


@dataclass(frozen=True)
class ModelHolder:
    """The bodies of a compiled model.

    Attributes:
        model: The model.
    """

    model: MjModel

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return read(self.model)

    def place(self, model: Model) -> Model:
        """Return the model, which has the joints of MuJoCo already."""
        return model

    def examine(self, index: int, target: Target) -> None:
        """Refuse other axes for a body whose mass matrix MuJoCo compiled as diagonal.

        Raises:
            Refused: The mass matrix of the body would no longer be diagonal.
        """
        if self.model.body_simple[index + 1] != 1:
            return
        _, quaternion = self._find_axes(index, target)
        if np.any(target.p_BoBcm_B) or not np.array_equal(quaternion, _NO_TURN):
            why = (
                "MuJoCo compiled it with a diagonal mass matrix (body_simple), which it would no "
                'longer have: set simple="false" in the MJCF, or set the parameters of the MjSpec'
            )
            raise Refused("engine-refused", why)

    def _find_axes(self, index: int, target: Target) -> tuple[Floats, Floats]:
        """(3,) moments and (4,) quaternion: of the axes that the body has, if they are principal.

        Else of its own axes, if those are, or of axes that are computed.
        """
        size = _ROUNDING * float(np.linalg.norm(target.I_BBcm_B))
        quaternion = self.model.body_iquat[index + 1].copy()
        for each in (quaternion, _NO_TURN):
            R = np.array(read_quaternion(*each.tolist()))
            turned = R.T @ target.I_BBcm_B @ R
            if np.max(np.abs(turned[np.triu_indices(3, 1)])) <= size:
                return np.diag(turned), each
        moments, axes = eigensystem(six(target.I_BBcm_B))
        return np.asarray(moments), np.asarray(quaternion_from_matrix(axes))

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the numbers of bodies and all that MuJoCo derives; return what sets the old ones.

        Raises:
            Refused: MuJoCo does not take them.
        """
        import mujoco

        model = self.model
        fields = (*_MODEL_FIELDS, *_SHORTCUTS)
        old = {name: getattr(model, name).copy() for name in fields}

        def take_back() -> None:
            for name, values in old.items():
                getattr(model, name)[:] = values
            mujoco.mj_setConst(model, mujoco.MjData(model))

        for row, target in targets.items():
            body, (moments, quaternion) = row + 1, self._find_axes(row, target)
            moved = np.any(model.body_ipos[body] != target.p_BoBcm_B)
            if moved or np.any(model.body_iquat[body] != quaternion):
                # Let MuJoCo compute the poses that it copied from an inertial frame that moves now.
                shortcuts_model = self.model
                if self.model.body_simple[body] != 1:  # a simple body keeps its inertial frame
                    shortcuts_model.body_sameframe[body] = 0
                for kind in ("geom", "site"):
                    same = getattr(shortcuts_model, f"{kind}_sameframe")
                    own = getattr(shortcuts_model, f"{kind}_bodyid") == body
                    same[own & np.isin(same, _INERTIAL_FRAMES)] = 0
            model.body_mass[body], model.body_ipos[body] = target.mass, target.p_BoBcm_B
            model.body_inertia[body], model.body_iquat[body] = moments, quaternion
        try:
            mujoco.mj_setConst(model, mujoco.MjData(model))
        except mujoco.FatalError as error:
            take_back()
            reason = str(error).strip().partition("\n")[0]
            raise Refused("engine-refused", f"MuJoCo refuses it: {reason}") from None
        return take_back


_SPEC, _MODEL = "mujoco.MjSpec", "mujoco.MjModel"
_FORMAT = "mjcf"
_FULL = (0, 3, 4, 1, 5, 2)
"""Indices in fullinertia, xx yy zz xy xz yz, of the entries xx xy xz yy yz zz."""


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
        holder = SpecHolder(model)
        found = model_of(_SPEC, _FORMAT, name, _bodies_of_spec(model), holder)
        settings = model.compiler
        total = max(settings.settotalmass, 0.0)
        bounds = Bounds(
            max(settings.boundmass, 0.0),
            max(settings.boundinertia, 0.0),
            bool(settings.balanceinertia),
            nan if total and settings.fusestatic else total,
        )
        return replace(found, bounds=bounds, gravity=three_of(model.option.gravity))
    name = bytes(model.names).partition(b"\0")[0].decode("utf-8", "replace")
    bodies = _bodies_of_model(model)
    return model_of(_MODEL, _FORMAT, name, bodies, ModelHolder(model))


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
        lambda i, six: overwrite(model.body_inertia[i + 1], (six[0], six[3], six[5])),
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


def _bodies_of_model(model: MjModel) -> Iterator[Loaded]:
    for index in range(1, model.nbody):
        joint = None
        if model.body_jntnum[index]:
            joint = JOINTS[model.jnt_type[model.body_jntadr[index]]]
        parent = int(model.body_parentid[index])
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
            diagonal=True,
            **place_body(model, index)._asdict(),
        )


def _bodies_of_spec(spec: MjSpec) -> Iterator[Loaded]:
    bodies = spec.bodies[1:]
    places = {body: index for index, body in enumerate(bodies, 1)}
    for index, body in enumerate(bodies, 1):
        # Whether the compiler takes the inertia of a body from its geoms.
        import mujoco

        when, kinds = spec.compiler.inertiafromgeom, mujoco.mjtInertiaFromGeom
        unstated = not (body.explicitinertial or _is_placed(body))
        always = when == kinds.mjINERTIAFROMGEOM_TRUE
        if not (always or (when == kinds.mjINERTIAFROMGEOM_AUTO and unstated)):
            derived = False
        else:
            # After a failed compilation, body.geoms would raise that error.
            derived = body.first_geom() is not None
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
        rotation = poses.from_axis_angle(axis, angle * unit)
    elif given.type == kinds.mjORIENTATION_XYAXES:
        rotation = poses.from_xy_axes(*given.xyaxes.ravel().tolist())
    elif given.type == kinds.mjORIENTATION_ZAXIS:
        rotation = poses.from_z_axis(*given.zaxis.tolist())
    elif given.type == kinds.mjORIENTATION_EULER:
        angles = [angle * unit for angle in given.euler.tolist()]
        rotation = poses.from_euler(angles, "".join(spec.compiler.eulerseq))
    return UNTURNED if rotation is None else rotation_of(rotation)


def _write_to_spec(body: MjsBody, six: Six) -> Undo:
    if _is_full(body):
        return overwrite(body.fullinertia, [six[index] for index in _FULL_ORDER])
    return overwrite(body.inertia, (six[0], six[3], six[5]))
