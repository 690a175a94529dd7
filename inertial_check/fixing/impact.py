"""Impact of other mass properties on a robot: the change of its equations of motion.

A tensor that changes by five per cent may change the motion of the robot, or not. So the mass
matrix, the gravity torques and the velocity torques of both sets of numbers are compared over
sampled configurations. The measures do not depend on units or coordinates: forces are measured by
the accelerations that they cause, in the metric of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import ComparedBody, Difference
from inertial_check.documents.files.access import Json
from inertial_check.documents.mjcf import Bounds
from inertial_check.documents.model import Model, judge, tree_of
from inertial_check.errors import UsageError
from inertial_check.fixing.result import BodyFix
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Array, Floats, quiet
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.equations import bias_forces, gravity_forces, mass_matrix
from inertial_check.mechanics.tree import Tree

CONFIGURATIONS = 256
"""Number of sampled configurations: the median is known to a few per cent of itself; the largest
change is that of the samples."""

_BLOCK = 1 << 20
"""Largest number of entries of the mass matrices that are held at once, unless a single one has
more: some twenty arrays of this size are needed beside them, 160 MB."""

_OPERATIONS = CONFIGURATIONS * 200**3
"""Largest sum of the cubed sizes of the mass matrices: a tree of more than 200 coordinates is
sampled at fewer configurations, so that it takes seconds and not minutes."""

_FEWEST = 16
"""Smallest number of sampled configurations of a tree of any size."""

_NO_INERTIA = 64 * np.finfo(float).eps
"""Eigenvalue of the scaled mass matrix, over its size, up to which a motion has no inertia: smaller
ones are rounding."""


class RelativeChange(NamedTuple):
    """Relative change over the configurations.

    Attributes:
        worst: The largest change.
        median: The median change.
    """

    worst: float
    median: float


class Impact(NamedTuple):
    """Change of the equations of motion.

    Attributes:
        configurations: Number of sampled configurations; 0 where there is a reason.
        floating: Whether a root is free to move.
        inertia: Change of the mass matrix M(q): that of the kinetic energy of any motion.
        gravity: Change of the gravity torques of the joints, relative to their root mean square;
            None without joints, and where gravity does nothing to them.
        bias: Change of the velocity torques at velocities of equal kinetic energy, likewise.
        notes: Assumptions, one line each.
        reason: The reason why the impact is unknown; "" where it is known.
    """

    configurations: int
    floating: bool = False
    inertia: RelativeChange | None = None
    gravity: RelativeChange | None = None
    bias: RelativeChange | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""

    def text(self) -> str:
        """One line in words."""
        if self.reason:
            return f"impact unknown: {self.reason}"
        parts = [
            f"{what} {_describe(change)}"
            for what, change in (
                ("gravity torques", self.gravity),
                ("velocity torques", self.bias),
                ("joint-space inertia", self.inertia),
            )
            if change is not None
        ]
        base = "free" if self.floating else "fixed"
        return f"{', '.join(parts)}; {self.configurations} configurations, base {base}"

    def as_dict(self) -> dict[str, Json]:
        """Convert to the object of JSON reports."""
        changes = {"inertia": self.inertia, "gravity": self.gravity, "bias": self.bias}
        return {
            "configurations": self.configurations,
            "base": "floating" if self.floating else "fixed",
            **{name: None if each is None else each._asdict() for name, each in changes.items()},
            "notes": list(self.notes),
            "reason": self.reason or None,
        }


def impact_of_fix(model: Model, bodies: Sequence[BodyFix]) -> Impact:
    """Measure the impact of fixed bodies on the robot; `reason` says if it is unknown, and why."""
    try:  # the numbers of a fix are those to write, so all others are those written, too
        tree, notes, _ = tree_of(replace(model, bounds=Bounds()), "floating")
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
    return measure_impact(tree, tree.theta, theta, notes)


def impact_of_difference(model: Model, difference: Difference) -> Impact:
    """Measure the impact of the numbers of model B on the robot A, body by body as compared.

    Where MuJoCo compiles other bodies than those written, these count.
    """
    difference = difference.compiled or difference
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
            before[index_of[a.id]] = _theta(a.mass, a.p_BoBcm_B, a.I_BBcm_B)
            for name in a.merged:
                before[name_of[name]] = 0.0
    after, alone = before.copy(), []
    for each in difference.bodies:
        if each.deviations is not None and each.a is not None and each.b is not None:
            after[index_of[each.a.id]] = _theta(each.b.mass, each.b.p_BoBcm_B, each.b.I_BBcm_B)
        elif not each.frame:
            alone.append((each.a or each.b or _NOBODY).name)
    if alone:
        shown = ", ".join(alone[:4]) + (", ..." if len(alone) > 4 else "")
        notes = (*notes, f"left as in A, for it has no counterpart: {shown}")
    return measure_impact(tree, before, after, notes)


@quiet  # places of joints near the largest of float64 overflow; the result is then not finite
def measure_impact(
    tree: Tree, before: Floats, after: Floats, notes: tuple[str, ...] = (), seed: int = 0
) -> Impact:
    """Measure the change of the equations of motion from one set of numbers to another.

    Args:
        tree: The tree of the robot.
        before: (N, 10) parameters about the body origins.
        after: (N, 10) parameters likewise; changes are relative to these.
        notes: Notes for the result.
        seed: Seed of the random configurations: revolute joints within a turn, prismatic ones
            within the length of the longest link.
    """
    floating = "floating" in tree.joints
    if not tree.n_u:
        return Impact(0, notes=notes, reason="nothing moves: the tree has no joint that does")
    rng = np.random.default_rng(seed)
    count = min(CONFIGURATIONS, max(_FEWEST, _OPERATIONS // tree.n_u**3))
    q = np.tile(tree.neutral, (count, 1))
    reach = float(np.linalg.norm(tree.X_PB[:, :3, 3], axis=-1).max()) or 1.0
    for joint, place in zip(tree.joints, tree.coordinates, strict=True):
        if joint == "floating":
            quaternions = rng.standard_normal((count, 4))
            norms = np.linalg.norm(quaternions, axis=-1, keepdims=True)
            q[:, place.start + 3 : place.stop] = quaternions / norms
        elif joint != "fixed":
            limit = pi if joint == "revolute" else reach
            q[:, place] = limit * rng.uniform(-1.0, 1.0, (count, 1))
    directions = rng.standard_normal((len(q), tree.n_u))
    joints = [
        index
        for joint, place in zip(tree.joints, tree.velocities, strict=True)
        if joint != "floating"
        for index in range(place.start, place.stop)
    ]
    size = max(1, _BLOCK // tree.n_u**2)
    blocks = [
        _measure_block(tree, before, after, q[at : at + size], directions[at : at + size], joints)
        for at in range(0, len(q), size)
    ]
    measured = [block for block in blocks if block is not None]
    if len(measured) < len(blocks):
        reason = "the mass matrix is no kinetic energy's: bodies that are not consistent remain"
        return Impact(0, floating, notes=notes, reason=reason)
    if lost := max(block.lost for block in measured):
        notes = (*notes, f"motions without inertia, left out: {lost}")
    inertia = np.concatenate([block.inertia for block in measured])
    found = Impact(len(q), floating, _summarise(inertia), notes=notes)
    gravity = [block.gravity for block in measured if block.gravity is not None]
    bias = [block.bias for block in measured if block.bias is not None]
    if not joints or len(gravity) < len(blocks) or len(bias) < len(blocks):
        return found
    return found._replace(gravity=_relate(gravity), bias=_relate(bias))


class _Block(NamedTuple):
    """Changes over some of the configurations.

    Attributes:
        inertia: (k,) changes of the mass matrix.
        lost: Largest number of directions without inertia.
        gravity: (2, k) sizes of the change of the gravity torques, and of the torques themselves;
            None without joints.
        bias: (2, k) those of the velocity torques.
    """

    inertia: Floats
    lost: int
    gravity: Floats | None = None
    bias: Floats | None = None


def _measure_block(
    tree: Tree, before: Floats, after: Floats, q: Floats, directions: Floats, joints: list[int]
) -> _Block | None:
    """Measure the changes at some configurations; None where a mass matrix is indefinite."""
    M_before, M_after = (np.asarray(mass_matrix(tree, q, theta=theta)) for theta in (before, after))
    whole = _MassMetric.of(M_after)
    if whole is None:
        return None
    difference = whole.transform(M_before - M_after)
    if not np.all(np.isfinite(difference)):
        return None
    try:
        change = np.abs(np.linalg.eigvalsh(difference)).max(axis=-1)
    except np.linalg.LinAlgError:
        return None
    block = _Block(change, whole.lost)
    own = _MassMetric.of(M_after[:, joints][:, :, joints])
    if not joints or own is None:
        return block
    u = whole.motions(directions)
    gravity = [
        np.asarray(gravity_forces(tree, q, theta=theta))[:, joints] for theta in (before, after)
    ]
    bias = [
        np.asarray(bias_forces(tree, q, u, theta=theta))[:, joints] for theta in (before, after)
    ]
    return block._replace(gravity=own.measure(*gravity), bias=own.measure(*bias))


def _relate(blocks: Sequence[Floats]) -> RelativeChange | None:
    """Relate changes of forces to the root mean square of the forces after the change."""
    changes, forces = np.concatenate(blocks, axis=1)
    usual = float(np.sqrt(np.mean(forces**2)))
    return _summarise(changes / usual) if usual > 0 else None


class _MassMetric(NamedTuple):
    """Metric of a mass matrix M: W with W^T M W = 1 on the motions that have inertia.

    Attributes:
        roots: (k, n, n) the matrices W; columns of zeros stand for motions without inertia.
        lost: Largest number of directions without inertia.
    """

    roots: Floats
    lost: int

    @classmethod
    def of(cls, M: Floats) -> _MassMetric | None:
        """Make the metric of mass matrices; None where one is indefinite or not finite."""
        # Scaled to a unit diagonal, so that units of joints do not decide what counts as rounding.
        diagonal = np.einsum("kii->ki", M)
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        scaled = scale[:, :, None] * M * scale[:, None, :]
        if not np.all(np.isfinite(scaled)):
            return None
        try:
            values, vectors = np.linalg.eigh(scaled)
        except np.linalg.LinAlgError:  # entries of 1e300 beside ones
            return None
        floor = _NO_INERTIA * M.shape[-1]
        if M.shape[-1] and values.min() < -floor:
            return None
        held = values > floor
        shares = np.where(held, 1 / np.sqrt(np.where(held, values, 1.0)), 0.0)
        roots = scale[:, :, None] * vectors * shares[:, None, :]
        return cls(roots, int((~held).sum(axis=-1).max(initial=0)))

    def transform(self, matrices: Floats) -> Floats:
        """Give W^T A W."""
        transformed: Floats = self.roots.swapaxes(1, 2) @ matrices @ self.roots
        return transformed

    def motions(self, directions: Floats) -> Floats:
        """Give W x: velocities of the kinetic energy |x|^2 / 2."""
        motions: Floats = np.einsum("kij,kj->ki", self.roots, directions)
        return motions

    def measure(self, before: Floats, after: Floats) -> Floats:
        """Measure the change of forces, and the forces after it, in the metric of M^-1: (2, k)."""
        sizes = [
            np.linalg.norm(np.einsum("kij,ki->kj", self.roots, forces), axis=-1)
            for forces in (before - after, after)
        ]
        return np.stack(sizes)


def _summarise(values: Floats) -> RelativeChange:
    return RelativeChange(float(values.max()), float(np.median(values)))


_NOBODY = ComparedBody("", "", 0, None, 0.0, (), ())


def _theta(
    mass: float, center: Sequence[float] | Floats, inertia: Sequence[float] | Array
) -> Floats:
    theta = np.asarray(InertialParameters.from_com(mass, list(center), inertia).as_theta())
    return theta


def _describe(change: RelativeChange) -> str:
    if change.worst <= tolerances.SAME_MOTION:
        return "unchanged"
    return f"at most {100 * change.worst:.2g} % (median {100 * change.median:.2g} %)"
