"""What other mass properties do to a robot: the change of its equations of motion.

A tensor that moves by five per cent can leave the motion of the robot unchanged, or not. So the
mass matrix, the gravity torques and the velocity torques of both sets of numbers are compared over
sampled configurations. The measures depend on no choice of units or coordinates: forces are
measured by the accelerations that they cause, in the metric of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.equations import bias_forces, gravity_forces, mass_matrix
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import UsageError
from inertial_check.fixing.result import BodyFix
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Model
from inertial_check.model.difference import ComparedBody, Difference
from inertial_check.model.judging import judge
from inertial_check.model.tree import tree_of

CONFIGURATIONS = 256
"""The median is known to a few per cent of itself; the worst is that of what was seen."""

_SEED = 0
_NO_INERTIA = 64 * np.finfo(float).eps
"""Eigenvalues of the scaled mass matrix below it, times its size, are rounding."""


_ROUNDING = 1e-12
"""Changes below it are called none: recursions over a tree err by some hundred roundings."""


class Change(NamedTuple):
    """A relative change over the configurations.

    Attributes:
        worst: The largest.
        median: The median.
    """

    worst: float
    median: float


class Impact(NamedTuple):
    """The change of the equations of motion.

    Attributes:
        configurations: How many were looked at; 0 where there is a reason.
        floating: Whether a root is free to move.
        inertia: Of M(q): the largest relative change of the kinetic energy of any motion.
        gravity: Of the joints' gravity torques, relative to their root mean square; None without
            joints, and where gravity does nothing to them.
        bias: Likewise of the torques that go with velocities of equal kinetic energy.
        notes: What was taken for granted, one line each.
        reason: Why nothing can be said; "" where something is.
    """

    configurations: int
    floating: bool = False
    inertia: Change | None = None
    gravity: Change | None = None
    bias: Change | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""

    def text(self) -> str:
        """One line in words."""
        if self.reason:
            return f"impact unknown: {self.reason}"
        parts = [
            f"{what} {_said(change)}"
            for what, change in (
                ("gravity torques", self.gravity),
                ("velocity torques", self.bias),
                ("joint-space inertia", self.inertia),
            )
            if change is not None
        ]
        base = "free" if self.floating else "fixed"
        return f"{', '.join(parts)}; {self.configurations} configurations, base {base}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        changes = {"inertia": self.inertia, "gravity": self.gravity, "bias": self.bias}
        return {
            "configurations": self.configurations,
            "base": "floating" if self.floating else "fixed",
            **{name: None if each is None else each._asdict() for name, each in changes.items()},
            "notes": list(self.notes),
            "reason": self.reason or None,
        }


def impact_of_fix(model: Model, bodies: Sequence[BodyFix]) -> Impact:
    """What the bodies that are fixed do to the robot; `reason` says where that is unknown."""
    try:
        tree, notes, _ = tree_of(model, "floating")
    except UsageError as error:
        return Impact(0, reason=str(error))
    theta, fixes = tree.theta.copy(), {each.id: each for each in bodies}
    for index, (body, judgement) in enumerate(zip(model.bodies, judge(model), strict=True)):
        fix = fixes.get(body.id)
        if fix is None or fix.status != "fixed" or fix.new is None or body.inertial is None:
            continue
        R_BBi = np.array(body.inertial.R_BBi)
        own = InertialParameters.from_com(1.0, (0.0, 0.0, 0.0), list(fix.new)).rotate(R_BBi)
        mass = judgement.mass if fix.mass is None else fix.mass[1]
        center = judgement.p_BoBcm_B if fix.com is None else fix.com[1]
        theta[index] = _theta(mass, center, own.inertia_com)
    return impact(tree, tree.theta, theta, notes)


def impact_of_difference(model: Model, difference: Difference) -> Impact:
    """What the numbers of model B do to the robot of model A, body by body as they are compared."""
    try:
        tree, notes, _ = tree_of(model, "floating")
    except UsageError as error:
        return Impact(0, reason=str(error))
    before = tree.theta.copy()
    index_of = {body.id: index for index, body in enumerate(model.bodies)}
    name_of = {body.name: index for index, body in enumerate(model.bodies)}
    pairs = [(each.a, each.b) for each in difference.bodies if each.deviations is not None]
    for a, _ in pairs:
        if a is not None:
            before[index_of[a.id]] = _compared(a)
            for name in a.merged:
                before[name_of[name]] = 0.0
    after, alone = before.copy(), []
    for each in difference.bodies:
        if each.deviations is not None and each.a is not None and each.b is not None:
            after[index_of[each.a.id]] = _compared(each.b)
        elif not each.frame:
            alone.append((each.a or each.b or _NOBODY).name)
    if alone:
        shown = ", ".join(alone[:4]) + (", ..." if len(alone) > 4 else "")
        notes = (*notes, f"left as in A, for it has no counterpart: {shown}")
    return impact(tree, before, after, notes)


def impact(
    tree: Tree, before: Floats, after: Floats, notes: tuple[str, ...] = (), seed: int = _SEED
) -> Impact:
    """The change of the equations of motion from one set of numbers to another.

    Args:
        tree: The tree.
        before: (N, 10) about the body origins.
        after: (N, 10) likewise; what changes is measured by.
        notes: To go with the result.
        seed: Of the configurations: joints within a turn, slides within the tree's longest link.
    """
    floating = "floating" in tree.joints
    if not tree.n_u:
        return Impact(0, notes=notes, reason="nothing moves: the tree has no joint that does")
    rng = np.random.default_rng(seed)
    q = _sampled(tree, rng)
    M_before, M_after = (np.asarray(mass_matrix(tree, q, theta=theta)) for theta in (before, after))
    whole = _Metric.of(M_after)
    if whole is None:
        reason = "the mass matrix is no kinetic energy's: bodies that are not consistent remain"
        return Impact(0, floating, notes=notes, reason=reason)
    if whole.lost:
        notes = (*notes, f"motions without inertia, left out: {whole.lost}")
    change = np.abs(np.linalg.eigvalsh(whole.seen(M_before - M_after))).max(axis=-1)
    found = Impact(len(q), floating, _change(change), notes=notes)
    joints = _joint_rows(tree)
    own = _Metric.of(M_after[:, joints][:, :, joints])
    if not joints or own is None:
        return found
    u = whole.motions(rng.standard_normal((len(q), tree.n_u)))
    gravity = [
        np.asarray(gravity_forces(tree, q, theta=theta))[:, joints] for theta in (before, after)
    ]
    bias = [
        np.asarray(bias_forces(tree, q, u, theta=theta))[:, joints] for theta in (before, after)
    ]
    return found._replace(gravity=own.change(*gravity), bias=own.change(*bias))


class _Metric(NamedTuple):
    """Of a mass matrix M: roots W with W^T M W = 1 on the motions that have inertia.

    Attributes:
        roots: (k, n, n); columns of zeros stand for motions without inertia.
        lost: In how many directions, at most, there is no inertia.
    """

    roots: Floats
    lost: int

    @classmethod
    def of(cls, M: Floats) -> _Metric | None:
        """None where M is indefinite, or not finite."""
        if not np.all(np.isfinite(M)):
            return None
        diagonal = np.einsum("kii->ki", M)
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        values, vectors = np.linalg.eigh(scale[:, :, None] * M * scale[:, None, :])
        floor = _NO_INERTIA * M.shape[-1]
        if M.shape[-1] and values.min() < -floor:
            return None
        held = values > floor
        shares = np.where(held, 1 / np.sqrt(np.where(held, values, 1.0)), 0.0)
        roots = scale[:, :, None] * vectors * shares[:, None, :]
        return cls(roots, int((~held).sum(axis=-1).max(initial=0)))

    def seen(self, matrices: Floats) -> Floats:
        """W^T A W."""
        seen: Floats = self.roots.swapaxes(1, 2) @ matrices @ self.roots
        return seen

    def motions(self, directions: Floats) -> Floats:
        """W x: velocities of the kinetic energy |x|^2 / 2."""
        motions: Floats = np.einsum("kij,kj->ki", self.roots, directions)
        return motions

    def change(self, before: Floats, after: Floats) -> Change | None:
        """Of forces, in the metric of M^-1, relative to the root mean square of those after."""
        sizes = [
            np.linalg.norm(np.einsum("kij,ki->kj", self.roots, forces), axis=-1)
            for forces in (before - after, after)
        ]
        usual = float(np.sqrt(np.mean(sizes[1] ** 2)))
        return _change(sizes[0] / usual) if usual > 0 else None


def _change(values: Floats) -> Change:
    return Change(float(values.max()), float(np.median(values)))


def _joint_rows(tree: Tree) -> list[int]:
    """The velocities of the joints, without those of floating bodies."""
    return [
        index
        for joint, place in zip(tree.joints, tree.velocities, strict=True)
        if joint != "floating"
        for index in range(place.start, place.stop)
    ]


def _sampled(tree: Tree, rng: np.random.Generator) -> Floats:
    q = np.tile(tree.neutral, (CONFIGURATIONS, 1))
    reach = float(np.linalg.norm(tree.X_PB[:, :3, 3], axis=-1).max()) or 1.0
    for joint, place in zip(tree.joints, tree.coordinates, strict=True):
        if joint == "floating":
            quaternions = rng.standard_normal((CONFIGURATIONS, 4))
            norms = np.linalg.norm(quaternions, axis=-1, keepdims=True)
            q[:, place.start + 3 : place.stop] = quaternions / norms
        elif joint != "fixed":
            limit = pi if joint == "revolute" else reach
            q[:, place] = rng.uniform(-limit, limit, (CONFIGURATIONS, 1))
    return q


_NOBODY = ComparedBody("", "", 0, None, 0.0, (), ())


def _compared(body: ComparedBody) -> Floats:
    return _theta(body.mass, body.p_BoBcm_B, list(body.I_BBcm_B))


def _theta(mass: float, center: Any, inertia: Any) -> Floats:
    theta = np.asarray(InertialParameters.from_com(mass, list(center), inertia).as_theta())
    return theta


def _said(change: Change) -> str:
    if change.worst <= _ROUNDING:
        return "unchanged"
    return f"at most {_percent(change.worst)} (median {_percent(change.median)})"


def _percent(value: float) -> str:
    return f"{100 * value:.2g} %"
