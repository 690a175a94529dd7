"""Hypotheses of what is wrong with a recording, ranked by how well each explains it when undone.

A hypothesis has a kind, joints, a number and a unit; `undo` gives the recording, the robot, the
prior or the friction as they are if it holds. Consistent bodies and friction are fitted to that.
Its score is minus twice the logarithm of the posterior, the noise of each joint being unknown: the
logarithms of the unexplained parts of the torques, times the independent samples, and the distance
of the bodies from the prior. Friction that would have to be negative and bodies that cannot exist
tell a turned joint apart from other links. Numbers such as a shift or a scale are searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple, cast

import numpy as np

from inertial_check.errors import InertialCheckError
from inertial_check.identification.diagnosis.diagnosis import CLOCKS
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Coupling,
    JointTerm,
    LoadColumn,
    Nuisance,
    Offset,
    RotorInertia,
    StribeckCurve,
    Viscous,
)
from inertial_check.identification.fit.problem import IDENTITY, Problem
from inertial_check.identification.fit.samples import Reduction
from inertial_check.identification.motion.floating import exchange, sum_forces
from inertial_check.identification.motion.motion import (
    FilteredSteps,
    JointMotion,
    WholeMotion,
    leave_out_rows,
)
from inertial_check.identification.motion.signals import differentiate
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers, Mask
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.equations import GRAVITY

Kind = Literal[
    "torque-sign",
    "position-sign",
    "torques-exchanged",
    "positions-exchanged",
    "joints-exchanged",
    "degrees",
    "time",
    "velocity",
    "zero",
    "scale",
    "lag",
    "gravity",
    "rotor",
    "viscous",
    "coulomb",
    "offset",
    "stribeck",
    "load",
    "coupled",
    "mass",
    "wrench-sign",
    "wrench-exchanged",
    "wrench-axes",
]
"""Kind of what can be wrong."""

NOISE = 0.05
"""First guess of the noise, relative to the torque of each joint."""

PRIOR = 4.0
"""Weight of the prior: the numbers of a robot's file are good to a half."""

DEVIATIONS = 5.0
"""Standard deviations by which a hypothesis has to explain a recording better, or a scale of the
torques to differ from 1."""

STEP = 1.3
"""Least factor by which the unexplained part of some torque has to fall, or else the distance of
the bodies from the prior by as much: smaller gains are shapes of friction, which sound recordings
of real robots show with as much evidence."""

EXPLAINED = 2.0**-14
"""Unexplained part of a torque's variance below which a smaller one is no news: the noise of a good
sensor leaves as much after the filter."""

APART = 0.2
"""Difference between recorded velocities and those of the positions, relative to them, from which
on they can be those of something else."""

UNLIKELY = 4 * DEVIATIONS**2
"""Fall of the score that is evidence where the torques are explained no better, and the distance
from the prior falls by half: files of robots are good to a fifth, and some bodies are worse."""

POOR = 0.02
"""Unexplained part of some torque from which on exchanged columns are searched."""

TERMS: dict[Kind, tuple[str, ...]] = {
    "rotor": ("Ia",),
    "viscous": ("fv", "fvp"),
    "coulomb": ("fc", "fcp"),
    "offset": ("off",),
    "stribeck": ("fst",),
    "load": ("fl",),
    "coupled": ("Iam", "fvm"),
}
"""Kinds that are torques which were not declared, and the symbols of numbers that declare them."""

ROUNDS = 6
"""Rounds in which the weights are found from the residuals of the round before."""

VANISHED = 2.0**-10
"""Least mass over that of the prior which counts: a body with less is as good as none."""

WRENCHES: tuple[Kind, ...] = ("wrench-sign", "wrench-exchanged", "wrench-axes")
"""Kinds of mistakes of wrenches from outside."""


@dataclass(frozen=True)
class Hypothesis:
    """One thing that can be wrong.

    Attributes:
        kind: Kind of it.
        joints: Indices of the joints; of bodies for "mass"; of wrenches for those.
        number: Shift [rad], lag [s], factor of a signal, Stribeck velocity over the highest speed,
            or the units of time in a second.
        unit: Name of the unit of time; "" where the number is none.
        vector: Gravity [m/s^2].
    """

    kind: Kind
    joints: tuple[int, ...] = ()
    number: float = 1.0
    unit: str = ""
    vector: tuple[float, ...] = ()

    def undo(self, case: Case) -> Case:
        """Return the recording and the robot as they are if the hypothesis holds."""
        if self.kind in TERMS:
            return case._replace(terms=(*case.terms, *self.list_terms(case)))
        if self.kind == "mass":
            return case._replace(theta0=self._change_mass(case.theta0))
        if self.kind == "gravity":
            return case._replace(robot=case.robot._replace(gravity=self.vector))
        if self.kind in WRENCHES:
            return case._replace(motion=self._undo_wrenches(case.motion, case.robot))
        return case._replace(motion=self.undo_signals(case.motion))

    def undo_signals(self, motion: JointMotion) -> JointMotion:
        """Return the signals of the joints without the mistake."""
        kind, joints, q, tau = self.kind, list(self.joints), motion.q, motion.tau
        if kind in ("time", "velocity"):
            return self._derive(motion)
        if kind == "zero":
            shift = np.zeros(q.shape[1])
            shift[joints] = self.number
            return replace(motion, q=q - shift)
        if kind == "lag":
            moved_back = tau.copy()
            for rows in motion.runs:
                t = motion.t[rows]
                for k in joints or range(tau.shape[1]):
                    moved_back[rows, k] = np.interp(t + self.number, t, tau[rows, k])
            return replace(motion, tau=moved_back)
        columns, scale = np.arange(q.shape[1]), np.ones(q.shape[1])
        if kind.endswith("exchanged"):
            columns[joints] = columns[joints[::-1]]
        else:
            scale[joints] = -1.0 if kind.endswith("sign") else 1 / self.number
        in_torques = kind in ("torque-sign", "scale", "torques-exchanged")
        names: tuple[str, ...] = ("tau",) if in_torques else ("q", "u", "du")
        names = ("q", "u", "du", "tau") if kind == "joints-exchanged" else names
        return replace(
            motion, **{name: getattr(motion, name)[:, columns] * scale for name in names}
        )

    def _change_mass(self, theta0: Floats) -> Floats:
        """Make a body lighter, or add to it as much at its centre, as wide as the widest body."""
        own = InertialParameters.from_theta(theta0)
        theta0, joints = theta0.copy(), list(self.joints)
        if self.number < 1:
            theta0[joints] *= self.number
            return theta0
        moments = np.trace(np.asarray(own.inertia_com), axis1=1, axis2=2)
        added = theta0[joints, 0] * (self.number - 1)
        spread = added * float(np.max(moments / theta0[:, 0])) / 3
        six = spread[:, None] * np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
        more = InertialParameters.from_com(added, np.asarray(own.com)[joints], six)
        theta0[joints] += np.asarray(more.as_theta())
        return theta0

    def _derive(self, motion: JointMotion) -> JointMotion:
        """Take velocities and accelerations from the positions, at a clock of another unit."""
        whole, factor = motion.whole, self.number
        if whole is not None:
            powers = np.repeat([0, 1, 2], [7, 6, 6])
            base = whole.base * factor ** powers[: whole.base.shape[1]]
            whole = replace(whole, base=base)
        if self.kind == "time" and motion.rate is None:
            return replace(motion, u=motion.u * factor, du=motion.du * factor**2, whole=whole)
        rate = factor * (motion.rate or 1.0)
        u, du = motion.u.copy(), motion.du.copy()
        for rows in motion.runs:
            u[rows] = differentiate(motion.q[rows], rate)
            du[rows] = differentiate(u[rows], rate)
        return replace(motion, u=u, du=du, whole=whole)

    def _undo_wrenches(self, motion: JointMotion, robot: Robot) -> JointMotion:
        whole = motion.whole
        assert whole is not None
        wrenches = list(whole.wrenches)
        for place in self.joints:
            own = wrenches[place]
            if self.kind == "wrench-sign":
                own = own._replace(values=-own.values)
            elif self.kind == "wrench-exchanged":
                own = own._replace(values=exchange(own.values))
            else:
                own = own._replace(in_world=not own.in_world)
            wrenches[place] = own
        whole = replace(whole, wrenches=tuple(wrenches))
        return replace(motion, whole=sum_wrenches(whole, robot, motion.q))

    def list_terms(self, case: Case) -> tuple[JointTerm, ...]:
        """List the terms of a torque that was not declared."""
        if self.kind == "stribeck":
            fastest = np.abs(case.motion.u).max(axis=0)
            velocity = self.number * np.where(fastest > 0, fastest, 1.0)
            return (StribeckCurve(joints=self.joints, velocity=velocity),)
        if self.kind == "coupled":
            inertia = Coupling(joints=self.joints, kind="inertia")
            return (inertia, Coupling(joints=self.joints, kind="viscous"))
        if self.kind == "load":
            return (LoadColumn(joints=self.joints),)
        single: dict[str, type[Viscous | Coulomb | Offset]] = {
            "viscous": Viscous,
            "coulomb": Coulomb,
            "offset": Offset,
        }
        return (single.get(self.kind, RotorInertia)(joints=self.joints),)


def sum_wrenches(whole: WholeMotion, robot: Robot, q: Floats) -> WholeMotion:
    """Compute the forces of the joints that the wrenches are worth, at positions (S, n)."""
    coordinates, _, _ = whole.assemble(robot, q, q, q)
    return replace(whole, forces=sum_forces(robot.tree, coordinates, whole.wrenches))


class Fit(NamedTuple):
    """Fit of bodies and friction.

    Attributes:
        score: Minus twice the logarithm of the posterior; less is better.
        unexplained: (n,) parts of the torques' variances that are left.
        moved: Distance of the bodies from the prior, in the unit of the score.
        si: (p,) bodies, and the numbers beside them.
        systematic: Largest autocorrelation of a joint's residuals, beyond what the filter makes;
            not computed (0) without the cone.
    """

    score: float
    unexplained: Floats
    moved: float
    si: Floats
    systematic: float = 0.0


class Columns(NamedTuple):
    """Equations of a motion.

    Attributes:
        A: (S, n, p) columns of bodies and friction.
        nuisance: Friction.
        white: (S, n, p) columns in units of the prior.
        gram: (n, p, p) their products.
        unit: (k,) units of the further numbers.
        to_theta: (L, 10, 10) maps of the bodies' columns in units of the prior to theta.
    """

    A: Floats
    nuisance: Nuisance
    white: Floats
    gram: Floats
    unit: Floats
    to_theta: Floats


class Case(NamedTuple):
    """Recording and robot under some hypotheses.

    Attributes:
        robot: Robot that moved.
        motion: Recording.
        theta0: (L, 10) priors in order "urdf".
        terms: Torques that hypotheses add to the declared ones.
        nuisance: Declared torques besides those of the bodies.
        rows: Samples that are compared.
        independent: Number of independent samples among them.
        cache: Columns, and the arrays that they are made of, by name.
        unmeasured: Indices of the joints whose torque is not measured.
        equations: (S, n, p) columns of a recording that holds them; None for those of the motion.
        load: (10 L,) bodies whose torque is the load of friction.
        weights: (L,) weights of the bodies' priors; PRIOR for each where None.
    """

    robot: Robot
    motion: JointMotion
    theta0: Floats
    terms: tuple[JointTerm, ...]
    nuisance: Nuisance
    rows: Integers
    independent: float
    cache: dict[str, tuple[tuple[object, ...], object]]
    unmeasured: tuple[int, ...] = ()
    equations: Floats | None = None
    load: Floats | None = None
    weights: Floats | None = None

    @property
    def prior_weights(self) -> Floats:
        """(L,) weights of the bodies' priors."""
        return np.full(len(self.theta0), PRIOR) if self.weights is None else self.weights

    def recall(self, name: str, made: tuple[object, ...]) -> object:
        """Return what was kept first under a name, if it was made of the same arrays; else None."""
        kept = self.cache.get(name)
        same = kept is not None and all(a is b for a, b in zip(kept[0], made, strict=True))
        return kept[1] if kept is not None and same else None

    def keep(self, name: str, made: tuple[object, ...], found: object) -> None:
        """Keep what was made of arrays, unless something of that name is there."""
        self.cache.setdefault(name, (made, found))

    def columns(self) -> Columns:
        """Compute the columns of the motion, or take those of a case with the same motion."""
        motion, robot, nuisance = self.motion, self.robot, self.nuisance
        made = (motion.q, motion.u, motion.du, robot.gravity, motion.whole)
        A = self.equations
        if A is None:
            A = cast(Floats | None, self.recall("equations", made))
        if A is None:
            steps = cast(tuple[FilteredSteps | None] | None, self.recall("steps", (motion.u,)))
            if steps is None:
                steps = (motion.filter_friction(nuisance, robot).steps,)
                self.keep("steps", (motion.u,), steps)
            thinned = replace(motion, steps=steps[0]).part(self.rows)
            samples = thinned.equations(robot, nuisance, len(thinned))
            ((A, _),) = leave_out_rows(samples, self.unmeasured).rows()
            self.keep("equations", made, A)
        name, whole = "terms" if self.terms else "columns", (*made, self.theta0, self.terms)
        found = cast(Columns | None, self.recall(name, whole))
        if found is None and self.terms:
            found = self._add(self._replace(terms=()).columns())
        elif found is None:
            white, to_theta = A.copy(), Problem._to_theta(self.theta0)
            for body, own in enumerate(to_theta):
                place = slice(10 * body, 10 * body + 10)
                white[:, :, place] = A[:, :, place] @ own
            unit = _size_columns(A[:, :, 10 * len(self.theta0) :], nuisance.scale)
            white[:, :, 10 * len(self.theta0) :] *= unit
            own = white.transpose(1, 0, 2)
            found = Columns(A, nuisance, white, own.transpose(0, 2, 1) @ own, unit, to_theta)
        self.keep(name, whole, found)
        return found

    def _add(self, before: Columns) -> Columns:
        """Add the columns of the terms to those of the motion."""
        robot, count = self.robot, 10 * len(self.theta0)
        further = Nuisance.of(*self.terms, joints=len(robot.joints))
        thinned = self.motion.filter_friction(further, robot).part(self.rows)
        F = further.columns(thinned.u, thinned.du)
        if thinned.steps is not None:
            F[:, :, thinned.steps.columns] = thinned.steps.values[:, None, :] * thinned.steps.rows
        for k, joint in further.find_columns(LoadColumn):
            assert self.load is not None
            own = np.abs(before.A[:, joint, :count] @ self.load)
            F[:, joint, k] = own * np.sign(thinned.u[:, joint])
        unit = _size_columns(F, further.scale)
        white = np.concatenate([before.white, F * unit], axis=2)
        size = before.white.shape[2]
        gram = np.empty((len(before.gram), white.shape[2], white.shape[2]))
        gram[:, :size, :size] = before.gram
        own = white.transpose(1, 0, 2)
        gram[:, :, size:] = own.transpose(0, 2, 1) @ own[:, :, size:]
        gram[:, size:] = gram[:, :, size:].transpose(0, 2, 1)
        nuisance = Nuisance.of(*self.nuisance.terms, *self.terms, joints=len(robot.joints))
        A = np.concatenate([before.A, F], axis=2)
        unit = np.append(before.unit, unit)
        return Columns(A, nuisance, white, gram, unit, before.to_theta)

    @property
    def torques(self) -> tuple[Floats, Floats]:
        """Torques (s, n) of the equations, and (n,) their sums of squares about the mean."""
        tau, whole = self.motion.tau[self.rows], self.motion.whole
        if whole is not None:
            own = whole.part(self.rows)
            tau = own.combine(own.spread(self.robot, tau))
        return tau, ((tau - tau.mean(axis=0)) ** 2).sum(axis=0)

    def screen(self, rounds: int = ROUNDS) -> Fit | None:
        """Fit without the cone: friction below its bounds is left out, bodies are free."""
        columns, count = self.columns(), 10 * len(self.theta0)
        (tau, variance), nuisance = self.torques, columns.nuisance
        varies = variance > 0
        variance = np.where(varies, variance, 1.0)
        right = np.einsum("snp,sn->np", columns.white, tau)
        usual = np.isfinite(nuisance.scale)
        K = np.concatenate([np.repeat(self.prior_weights, 10), np.where(usual, PRIOR, 0.0)])
        x0 = np.concatenate([np.tile(IDENTITY, len(self.theta0)), nuisance.prior / columns.unit])
        lower = np.concatenate([np.full(count, -np.inf), nuisance.lower / columns.unit])
        free = np.ones(len(K), dtype=bool)
        left, x = np.full(len(variance), NOISE**2), x0
        squares = (tau**2).sum(axis=0)
        for _ in range(rounds):
            each = self.independent / (np.maximum(left, tolerances.MADE_UP) * variance)
            each = np.where(varies, each, 0.0)
            H = np.tensordot(each, columns.gram, 1) + np.diag(K)
            own = (each @ right + K * x0)[free]
            H[np.diag_indices_from(H)] *= 1 + tolerances.MADE_UP
            try:
                x = np.where(free, 0.0, np.maximum(lower, 0.0))
                x[free] = np.linalg.solve(H[np.ix_(free, free)], own)
            except np.linalg.LinAlgError:
                return None
            free &= x > lower
            residual = squares + (columns.gram @ x - 2 * right) @ x
            left = np.where(varies, residual / variance, 0.0)
        moved = float(K @ (x - x0) ** 2)
        bodies = x[:count].reshape(-1, 10, 1)
        theta = (columns.to_theta @ bodies).ravel()
        si = np.concatenate([theta, x[count:] * columns.unit])
        return self._judge(left, varies, moved, si)

    def fit(self) -> Fit | None:
        """Fit consistent bodies and friction; None if there is no fit."""
        columns = self.columns()
        tau, variance = self.torques
        varies = variance > 0
        variance = np.where(varies, variance, 1.0)
        pull = self.prior_weights[:, None, None] / PRIOR * np.eye(10)
        try:
            reduction = Reduction.of([(columns.A, tau)], columns.A.shape[2])
            left = np.full(len(variance), NOISE**2)
            for _ in range(ROUNDS):
                each = np.sqrt(self.independent / (np.maximum(left, tolerances.MADE_UP) * variance))
                system = reduction.stack(np.where(varies, each, 0.0))
                problem = Problem.of(system, self.theta0, columns.nuisance, PRIOR, pull=pull)
                x = interior_point.solve(problem).x
                left = reduction.residual_squares(problem.si(x)) / variance
        except (InertialCheckError, np.linalg.LinAlgError):
            return None
        left = np.where(varies, left, 0.0)
        found = self._judge(left, varies, problem.prior_term(x), problem.si(x))
        if found is None:
            return None
        residual = tau - columns.A @ found.si
        lag = int(np.ceil(len(tau) / self.independent))  # rows that the filter makes alike
        squares = (residual**2).sum(axis=0)
        products = (residual[lag:] * residual[:-lag]).sum(axis=0)
        alike = products / np.where(squares > 0, squares, 1.0)
        return found._replace(systematic=float(np.max(alike, initial=0.0)))

    def _judge(self, left: Floats, varies: Mask, moved: float, si: Floats) -> Fit | None:
        least = float(np.log(np.maximum(left[varies], tolerances.MADE_UP)).sum())
        # A body that all but vanishes is only four units from its prior: its mass says it is not.
        ratio = si[: self.theta0.size : 10] / self.theta0[:, 0]
        ratio = np.clip(ratio, VANISHED, 1 / VANISHED)
        moved += float(self.prior_weights @ np.log(ratio) ** 2)
        score = self.independent * least + moved
        return Fit(score, left, moved, si) if np.isfinite(score) else None


def _size_columns(F: Floats, scale: Floats) -> Floats:
    """(k,) units of columns (s, n, k): their stated scale, or one over their length."""
    length = np.sqrt((F**2).sum(axis=(0, 1)))
    return np.where(np.isfinite(scale), scale, 1 / np.where(length > 0, length, 1.0))


def list_hypotheses(case: Case, options: IdentifyOptions, now: Fit) -> Iterator[Hypothesis]:
    """List what can be wrong with a recording, with the numbers from which a search starts."""
    every = tuple(range(len(case.robot.joints)))
    groups = ((joint,) for joint in every)
    yield from (Hypothesis("torque-sign", group) for group in groups)
    if len(every) > 1:
        yield Hypothesis("torque-sign", every)
    pairs = sorted(combinations(every, 2), key=lambda pair: pair[1] - pair[0])
    if case.equations is not None:
        yield from (Hypothesis("torques-exchanged", pair) for pair in pairs)
        return
    moves = np.ptp(case.motion.q, axis=0) > 0
    moving = tuple(np.flatnonzero(moves).tolist())
    angles = tuple(k for k in moving if case.robot.units[k] == "N m")
    yield from (Hypothesis("position-sign", (joint,)) for joint in moving)
    yield from (Hypothesis("time", (), factor, unit) for unit, factor in CLOCKS.items())
    if np.max(now.unexplained) > POOR:
        yield from (Hypothesis("torques-exchanged", pair) for pair in pairs)
        both: tuple[Kind, ...] = ("positions-exchanged", "joints-exchanged")
        moved = [pair for pair in pairs if moves[list(pair)].any()]
        yield from (Hypothesis(kind, pair) for kind in both for pair in moved)
        own = float(np.deg2rad(1.0) if options.recordings.degrees else np.rad2deg(1.0))
        several = ((joint,) for joint in angles if len(every) > 1)
        yield from (Hypothesis("degrees", joints, own) for joints in (angles, *several))
    if case.motion.whole is not None:
        wrenches = case.motion.whole.wrenches
        for kind in WRENCHES:  # each alone, and all alike
            for place, wrench in enumerate(wrenches):
                if kind == "wrench-axes" and wrench.point is not None:
                    continue
                if kind != "wrench-exchanged" or wrench.values[:, 3:].any():
                    yield Hypothesis(kind, (place,))
            if len(wrenches) > 1:
                yield Hypothesis(kind, tuple(range(len(wrenches))))
        return
    yield from _list_numbers(case, every, moving, angles)
    yield from _list_of_robot(case, moving)


def _list_numbers(
    case: Case, every: tuple[int, ...], moving: tuple[int, ...], angles: tuple[int, ...]
) -> Iterator[Hypothesis]:
    """List clocks, velocities, zeros, scales and lags, whose numbers are searched."""
    yield from (Hypothesis("time", (), factor) for factor in (0.5, 2.0))
    apart = differ(Hypothesis("velocity").undo_signals(case.motion), case.motion)
    if apart.any():
        yield Hypothesis("velocity", tuple(np.flatnonzero(apart).tolist()))
    shifts = (np.pi / 2, -np.pi / 2, np.pi, 0.1, -0.1)
    yield from (Hypothesis("zero", (joint,), float(own)) for joint in angles for own in shifts)
    if len(every) > 1:
        factors = (0.01, 0.1, 0.7, 1.4, 10.0, 100.0)
        yield from (Hypothesis("scale", (joint,), own) for joint in every for own in factors)
    yield from (
        Hypothesis("scale", every, own) for own in (1 / 1000, 0.01, 0.1, 10.0, 100.0, 1000.0)
    )
    if case.motion.rate is not None:
        groups = ((), *((joint,) for joint in moving))
        lags = (-0.02, 0.02, 0.06)
        yield from (Hypothesis("lag", joints, own) for joints in groups for own in lags)


def _list_of_robot(case: Case, moving: tuple[int, ...]) -> Iterator[Hypothesis]:
    """List gravity, torques that were not declared, and masses of the robot's file."""
    size = float(np.linalg.norm(case.robot.gravity)) or float(np.linalg.norm(GRAVITY))
    down = np.array(case.robot.gravity) / size
    tilts = [down + sign * TILT * np.roll(down, turn) for sign in (1, -1) for turn in (1, 2)]
    tilts = [tilt / np.linalg.norm(tilt) for tilt in tilts if tilt.any()]  # none without gravity
    for axis in (*np.eye(3), *-np.eye(3), np.zeros(3), *tilts):
        yield Hypothesis("gravity", vector=tuple((size * axis).tolist()))
    bodies = np.flatnonzero(case.prior_weights >= PRIOR).tolist()  # others may be anything
    factors = (0.1, 0.3, 3.0, 10.0, 100.0)
    yield from (Hypothesis("mass", (body,), factor) for body in bodies for factor in factors)
    if case.nuisance.point is not None:
        return
    further = Nuisance.of(*case.terms, joints=len(case.robot.joints))
    taken = {*case.nuisance.names, *further.names}
    single: tuple[Kind, ...] = ("rotor", "load")
    terms: tuple[tuple[Kind, tuple[int, ...], float], ...] = (
        *(("viscous", moving, 1.0), ("coulomb", moving, 1.0), ("offset", moving, 1.0)),
        *((kind, (joint,), 1.0) for kind in single for joint in moving),
        *(("stribeck", (joint,), part) for joint in moving for part in (0.03, 0.12)),
        *(("coupled", pair, 1.0) for pair in combinations(moving, 2)),
    )
    for kind, joints, number in terms:
        names = {symbol + str(joints[-1] + 1) for symbol in TERMS[kind]} if joints else taken
        if not names & taken:
            yield Hypothesis(kind, joints, number)


def differ(derived: JointMotion, motion: JointMotion) -> Mask:
    """(n,) joints whose recorded velocities are not those of their positions."""
    difference = ((derived.u - motion.u) ** 2).mean(axis=0)
    return np.asarray(difference > APART**2 * (motion.u**2).mean(axis=0))


class Finding(NamedTuple):
    """One step of what is wrong with a recording.

    Attributes:
        hypothesis: The most probable.
        probability: Its probability beside all that were tried.
        before: Fit without it.
        after: Fit with it.
    """

    hypothesis: Hypothesis
    probability: float
    before: Fit
    after: Fit


Trial = tuple[float, Hypothesis, Fit]
"""Score of a hypothesis, the hypothesis, and the fit with it."""


def rank(case: Case, options: IdentifyOptions) -> tuple[Finding, ...]:
    """Find what explains a recording, one thing after the other until nothing helps.

    All hypotheses are compared without the cone, and the best of them with it.
    """
    found: list[Finding] = []
    while len(found) < MOST:
        case = case._replace(cache={})
        now = case.screen()
        if now is None:
            break
        case = case._replace(load=now.si[: case.theta0.size])
        chosen, trials = list(list_hypotheses(case, options, now)), list[Trial]()
        every = THIN if len(case.rows) >= SAMPLES else 1
        thin = case._replace(
            rows=case.rows[::every],
            independent=min(case.independent, len(case.rows[::every])),
            equations=None if case.equations is None else case.equations[::every],
            cache={},
        )
        for part, most, rounds in ((thin, SCREENED, 3), (case, REFINED, ROUNDS)):
            fits = [(each, each.undo(part).screen(rounds)) for each in chosen]
            trials = [(fit.score, each, fit) for each, fit in fits if fit is not None]
            trials = sorted(trials, key=lambda trial: trial[0])[:most]
            chosen = [each for _, each, _ in trials]
        trials = [trial for trial in trials if is_better(now, trial[2], True)]
        exact = case.fit() if trials else None
        if exact is None:
            break
        refined = [_refine(case, *trial) for trial in trials]
        judged = [(each, each.undo(case).fit()) for each in refined]
        better = [
            (each, own)
            for each, own in judged
            if own
            and is_better(exact, own, each.kind == "mass")
            and _is_felt(case, each, exact, own)
        ]
        if not better:
            break
        best, own = min(better, key=lambda trial: trial[1].score)
        odds = sum(
            np.exp((own.score - other.score) / 2)
            for each, other in judged
            if other and (each.kind, each.joints) != (best.kind, best.joints)
        )
        case = best.undo(case)
        step = Finding(best, float(1 / (1 + odds)), exact, own)
        for earlier in [each for each in found if each.hypothesis.kind == best.kind]:
            if best.kind.endswith("sign"):  # turned twice is not turned
                found.remove(earlier)
                joints = {*earlier.hypothesis.joints} ^ {*best.joints}
                turned = replace(best, joints=tuple(sorted(joints)))
                step = step._replace(hypothesis=turned, before=earlier.before)
        found.append(step)
    if found and np.median(found[-1].after.unexplained) > UNEXPLAINED:
        return ()
    return tuple(found)


MOST = 3
"""Largest number of things that are wrong at once."""

SAMPLES = 400
"""Largest number of samples that hypotheses are compared on: enough for 100 unknowns a joint."""

THIN = 3
"""Step by which these samples are thinned to choose the SCREENED hypotheses that are compared on
all of them."""

SCREENED = 40
"""Number of best hypotheses on the thinned samples."""

REFINED = 8
"""Number of best hypotheses whose numbers are searched, and which are compared with the cone."""


def is_better(before: Fit, after: Fit, nearer: bool) -> bool:
    """Tell whether a hypothesis explains clearly more: by its evidence, and by size."""
    if before.score - after.score < DEVIATIONS**2:
        return False
    ratio = np.maximum(before.unexplained, EXPLAINED) / np.maximum(after.unexplained, EXPLAINED)
    if np.max(ratio) > STEP:
        return True
    halved = after.moved < before.moved * (1 if nearer else 0.5)
    return before.score - after.score > UNLIKELY and halved


def _is_felt(case: Case, each: Hypothesis, before: Fit, after: Fit) -> bool:
    """Tell whether another mass, or scale, explains torques or changes the moments of the weight.

    A thin body is easily far from its prior, and then nearer to a wider one of any mass.
    """
    every = each.kind == "scale" and len(each.joints) == len(case.robot.joints)
    if not (every or each.kind == "mass") or np.any(before.unexplained > STEP * after.unexplained):
        return True
    found, bodies = (before, slice(None)) if every else (after, list(each.joints))
    both = np.stack([case.theta0.ravel(), found.si[: case.theta0.size]])
    file, own = np.linalg.norm(both.reshape(2, -1, 10)[:, bodies, 1:4], axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):  # a first moment of 0 tells nothing
        logs = np.nan_to_num(np.log(own / file), nan=np.inf)
    return bool(np.abs(np.median(logs)) > np.log(FELT))


FELT = 1.5
"""Factor of a body's first moment from which on its mass is another one: files of robots are good
to a fifth, in mass and in lever."""


def _refine(case: Case, score: float, start: Hypothesis, fit: Fit) -> Hypothesis:
    """Search the number of a hypothesis."""
    from scipy.optimize import minimize, minimize_scalar  # few recordings are suspicious

    fits: dict[Hypothesis, Fit] = {start: fit}

    def measure(each: Hypothesis) -> float:
        if each not in fits:
            own = each.undo(case).screen()
            if own is None:
                return np.inf
            fits[each] = own
        return fits[each].score

    turn = abs(start.number) > 1
    if start.kind in ("zero", "lag"):
        width = max(abs(start.number), 0.03) if start.kind == "lag" else NEAR if turn else 1.0
        middle = start.number if turn else 0.0
        minimize_scalar(
            lambda number: measure(replace(start, number=float(number))),
            bounds=(middle - width, middle + width),
            method="bounded",
            options={"maxiter": 16},
        )
    elif start.kind in ("scale", "mass") or (start.kind == "time" and not start.unit):
        minimize_scalar(
            lambda log: measure(replace(start, number=float(np.exp(log)))),
            bounds=np.log(start.number) + np.array([-1.2, 1.2]),
            method="bounded",
            options={"maxiter": 14},
        )
    elif start.kind == "gravity" and any(start.vector):
        size = float(np.linalg.norm(start.vector))

        def tilt(angles: Floats) -> Hypothesis:
            down = np.array(start.vector) / size
            first = np.roll(down, 1)
            vector = down + angles[0] * first + angles[1] * np.cross(down, first)
            vector *= size / np.linalg.norm(vector)
            return replace(start, vector=tuple(vector.tolist()))

        minimize(
            lambda angles: measure(tilt(angles)),
            np.zeros(2),
            method="Nelder-Mead",
            options={"maxfev": 40, "initial_simplex": [[0, 0], [0.3, 0], [0, 0.3]]},
        )
    best = min(fits, key=lambda each: fits[each].score)
    if start.kind == "time" and abs(best.number - 1) < NEAR:  # only the velocities are wrong
        return start
    # A quarter turn, or gravity along an axis, is likelier than what lies beside it.
    if (turn or start.kind == "gravity") and score - fits[best].score < DEVIATIONS**2:
        return start
    return best


NEAR = 0.35
"""Half width of the search about a quarter turn [rad]; chosen, as sensors are mounted nearer to
one."""

TILT = 0.3
"""Tilt of the base from which the search for another one starts [rad]."""

UNEXPLAINED = 0.3
"""Unexplained part of the torques, in the median of the joints, above which nothing is probable: it
is another robot, or another motion."""
