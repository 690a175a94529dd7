"""Inertial parameters that are set in a `mujoco.MjSpec` or a `mujoco.MjModel`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inertial_check.inertia import tolerances
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import six
from inertial_check.integrations._assigning import LoadedModel, Refused
from inertial_check.integrations._mujoco_joints import place_spec, read_quaternion
from inertial_check.model import Model
from inertial_check.spatial.rotations import quaternion_from_matrix

if TYPE_CHECKING:
    from mujoco import MjModel, MjsBody, MjSpec

    from inertial_check.arrays.types import Floats
    from inertial_check.fixing.assign import Target

_FULL_FROM_SIX = (0, 3, 5, 1, 2, 4)
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
        read_again: Reads it.
    """

    spec: MjSpec
    read_again: Callable[[], LoadedModel]

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return self.read_again()

    def place(self, model: Model) -> Model:
        """Return the model with the joints that the compiler makes of the spec.

        Raises:
            UsageError: It does not compile.
        """
        return place_spec(self.spec, model)

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
    full = np.asarray(six(tensor))[list(_FULL_FROM_SIX)]
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
        read_again: Reads it.
    """

    model: MjModel
    read_again: Callable[[], LoadedModel]

    def read(self) -> LoadedModel:
        """Read the bodies as they are now."""
        return self.read_again()

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
                self._forget_shortcuts(body)
            model.body_mass[body], model.body_ipos[body] = target.mass, target.p_BoBcm_B
            model.body_inertia[body], model.body_iquat[body] = moments, quaternion
        try:
            mujoco.mj_setConst(model, mujoco.MjData(model))
        except mujoco.FatalError as error:
            take_back()
            reason = str(error).strip().partition("\n")[0]
            raise Refused("engine-refused", f"MuJoCo refuses it: {reason}") from None
        return take_back

    def _forget_shortcuts(self, body: int) -> None:
        """Let MuJoCo compute the poses that it copied from an inertial frame that moves now."""
        model = self.model
        if self.model.body_simple[body] != 1:  # a simple body keeps its inertial frame
            model.body_sameframe[body] = 0
        for kind in ("geom", "site"):
            same = getattr(model, f"{kind}_sameframe")
            own = getattr(model, f"{kind}_bodyid") == body
            same[own & np.isin(same, _INERTIAL_FRAMES)] = 0
