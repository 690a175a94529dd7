"""Motions that show a robot's parameters: how well one does, and one that does it well.

A motion is a finite Fourier series for each joint (Swevers, Ganseman, Tükel, de Schutter and Van
Brussel, Optimal Robot Excitation and Identification, 1997). Position, velocity and acceleration are
linear in its coefficients, and so are all limits; what is best is not, and is sought by SLSQP.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.identification.excitation.search import Limits
>>> from inertial_check.identification.excitation.search import TorqueLimits
>>> from inertial_check.identification.excitation import design
>>> tree = ic.load("data/recordings/arm.urdf").tree()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect, show_value
from inertial_check.identification.excitation.convex import Clearance, Closest, Obstacles
from inertial_check.identification.excitation.fourier import (
    CRITERIA,
    Criterion,
    FourierSeries,
    Motion,
    report,
)
from inertial_check.identification.excitation.search import (
    Limits,
    LimitUse,
    Search,
    TorqueBound,
    TorqueLimits,
    TorqueUse,
    check_point,
    draw_starts,
    improve,
)
from inertial_check.identification.excitation.visibility import Visibility, Weights, prior_of
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.mechanics.equations import GRAVITY
from inertial_check.mechanics.tree import Tree

CANDIDATES = 24
"""Random motions, of which the best are improved."""

USUAL_STEPS = 60
"""Steps of a descent that progress is estimated with."""


class Condition(NamedTuple):
    """How evenly a motion shows what can be seen of a robot.

    Attributes:
        number: The largest singular value over the least, in all directions that any motion shows;
            infinite if this one leaves one of them out.
        rank: In how many directions this motion shows anything.
        columns: In how many any motion does: the count of base parameters.
        singular_values: (columns,) descending, without units.
    """

    number: float
    rank: int
    columns: int
    singular_values: Floats


class Trajectory(NamedTuple):
    """One of the motions that are designed together.

    Attributes:
        series: The motion.
        t: (S,) times [s].
        q: (S, n) positions.
        u: (S, n) velocities.
        du: (S, n) accelerations.
    """

    series: FourierSeries
    t: Floats
    q: Floats
    u: Floats
    du: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Excitation:
    """A motion within limits that shows a robot's parameters, or several that do so together.

    Attributes:
        series: The motion, of which one period takes all of the duration; of several the first.
        t: (S,) times from 0 to the duration [s].
        q: (S, n) positions then.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        condition: Of this motion, or of all together.
        condition_start: Of the random motion that it was improved from.
        use: Of the limits, at all times.
        trajectories: All motions, in the order of their design.
        criterion: Name of what was made small or large.
        value: Of the criterion.
        value_start: The same of the start.
        torque: (n,) largest share of each torque limit, with its margin; None without limits.
        closest: Closest approach of the shapes; None without shapes.
    """

    series: FourierSeries
    t: Floats
    q: Floats
    u: Floats
    du: Floats
    condition: Condition
    condition_start: Condition
    use: LimitUse
    trajectories: tuple[Trajectory, ...] = ()
    criterion: Criterion = "condition"
    value: float = float("nan")
    value_start: float = float("nan")
    torque: Floats | None = None
    closest: Closest | None = None

    def __repr__(self) -> str:
        """The motion, and what was gained."""
        before, after = self.condition_start.number, self.condition.number
        return f"Excitation({self.series!r}, condition {before:.4g} -> {after:.4g})"


def condition_number(  # noqa: PLR0913 - a motion, and the units
    tree: Tree,
    q: ArrayLike,
    u: ArrayLike,
    du: ArrayLike,
    *,
    prior: InertialParameters | ArrayLike | None = None,
    nuisance: Nuisance | None = None,
    noise: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    tolerance: float = tolerances.RANK,
    weights: Weights | None = None,
) -> Condition:
    """How evenly a motion shows what can be seen of a robot's parameters.

    Without units: every body in those of its prior, ||L^-1 dPi L^-T||_F with P = L L^T, as in
    identify; bodies whose prior has no extent, and numbers beside the bodies that have no scale, so
    that their columns are as long over random motions as those of the other bodies on average;
    torques in units of `noise`. Over the directions that any motion shows, so that it is that of no
    choice of base parameters.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        q: (S, n) coordinates.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        prior: (N, 10) in order "urdf" about the body origins, or InertialParameters; None for the
            tree's own. Bodies of zeros are frames, and left out.
        nuisance: What is identified beside the bodies, as terms.
        noise: (n,) standard deviation of each joint's torque; None for one in proportion to
            sqrt(m J), of the mass m that the joint carries and its inertia J at the joint.
        gravity: (3,) in the axes of I [m/s^2].
        tolerance: Directions that are weaker, of the strongest, are not seen. Angles that were
            typed with few digits, as 1.5708, show some as weak as their last digit.
        weights: Importance of bodies and of numbers beside them; None for 1.

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, a floating joint, no
            body with mass.

    Example:
        >>> q, u, du = np.random.default_rng(0).normal(size=(3, 200, 3))
        >>> found = design.condition_number(tree, q, u, du)
        >>> print(found.rank, found.columns)
        15 15
    """
    expect(Tree, tree=tree)
    expect(Nuisance, "nothing", nuisance=nuisance)
    expect("number", tolerance=tolerance)
    visible = Visibility.of(
        tree,
        prior=prior,
        nuisance=nuisance,
        noise=noise,
        gravity=gravity,
        tolerance=tolerance,
        weights=weights,
    )
    return _condition(visible, _motion(tree, q, u, du), tolerance)


def predict_torques(
    tree: Tree,
    motion: Sequence[ArrayLike],
    limits: TorqueLimits,
    *,
    prior: InertialParameters | ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
) -> TorqueUse:
    """Predict the torques of a motion, and how much of their limits they may take.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        motion: q, u and du, each (S, n).
        limits: Torques, friction and margin.
        prior: As for condition_number.
        gravity: As for condition_number.

    Raises:
        ParameterError: Shapes that do not fit, numbers that are not finite, a floating joint.

    Example:
        >>> known = TorqueLimits([60.0, 60.0, 30.0], *np.zeros((3, 3)), margin=0.1)
        >>> still = np.zeros((1, 3))
        >>> bent = np.array([[0.0, 1.0, 0.0]])
        >>> use = design.predict_torques(tree, (bent, still, still), known)
        >>> print(use.predicted.round(2), use.share.round(2))
        [[ 0.   -9.58 -1.49]] [[0.   0.17 0.05]]
    """
    q, u, du = motion
    visible = Visibility.of(tree, prior=prior, gravity=gravity)
    return _bound_torques(visible, prior, limits).use(_motion(tree, q, u, du))


def optimise(  # noqa: PLR0913 - what is moved, within what, and how hard to look
    tree: Tree,
    limits: Limits,
    *,
    duration: float,
    harmonics: int = 5,
    rate: float | None = None,
    seed: int = 0,
    prior: InertialParameters | ArrayLike | None = None,
    nuisance: Nuisance | None = None,
    noise: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    tolerance: float = tolerances.RANK,
    starts: int = 3,
    trajectories: int = 1,
    criterion: Criterion = "condition",
    weights: Weights | None = None,
    torques: TorqueLimits | None = None,
    obstacles: Obstacles | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Excitation:
    """Find a motion within the limits whose condition number is small, or several together.

    It starts and ends at rest, u = du = 0. The limits hold at all times, not only at samples: see
    FourierSeries.peaks. What is least is the smooth bound of the condition number

        (sum lambda_i^2 sum lambda_i^-2)^(1/4),   lambda_i the squared singular values,

    which is at most sqrt(r) times as large, for r directions; a local minimum, the best of several.
    Torque limits and distances between shapes are held by penalties while searching; the motion
    that is returned is checked at 128 times in a period of the highest harmonic, and distances
    between these, too, by the speeds of the joints.

    Args:
        tree: The robot, of fixed, revolute and prismatic joints.
        limits: Arrays lower, upper, velocity and acceleration (n,), as of Limits.
        duration: Of the motion, one period [s].
        harmonics: Of the series, 2 or more.
        rate: Samples of a second; None for 32 of a period of the highest harmonic.
        seed: Of the random motions it starts from: the same seed gives the same motion.
        prior: As for condition_number.
        nuisance: As for condition_number.
        noise: As for condition_number.
        gravity: As for condition_number.
        tolerance: As for condition_number.
        starts: How many of the random motions are improved.
        trajectories: Number of motions; what they show adds up.
        criterion: "condition", "log-det" or "mean-variance", as of criteria.
        weights: Importance of bodies and of numbers beside them; None for 1.
        torques: Limits of the torques that are predicted with the prior; None for none.
        obstacles: Shapes that have to stay apart; None for none.
        progress: Receives the share of the search that is done, 0 to 1, and the least logarithm
            that the criterion has had.

    Returns:
        The motion. Its condition and that of its start are those of condition_number, of the
        samples of one period.

    Raises:
        ParameterError: A limit that is not finite or leaves no room, fewer than two harmonics, no
            positive duration or rate, harmonics that are too few to show everything, torques or
            distances that nothing holds.

    Example:
        >>> limits = Limits([-2.0] * 3, [2.0] * 3, [2.0] * 3, [8.0] * 3)
        >>> motion = design.optimise(tree, limits, duration=4.0, harmonics=2, rate=10.0, starts=1)
        >>> print(motion.condition.number < motion.condition_start.number)
        True
    """
    expect(Tree, tree=tree)
    expect("number", duration=duration, tolerance=tolerance)
    expect("whole", harmonics=harmonics, seed=seed, starts=starts, trajectories=trajectories)
    expect("number", "nothing", rate=rate)
    expect(Nuisance, "nothing", nuisance=nuisance)
    expect("text", criterion=criterion)
    expect(TorqueLimits, "nothing", torques=torques)
    expect(Obstacles, "nothing", obstacles=obstacles)
    expect("function", "nothing", progress=progress)
    visible = Visibility.of(
        tree,
        prior=prior,
        nuisance=nuisance,
        noise=noise,
        gravity=gravity,
        tolerance=tolerance,
        weights=weights,
    )
    for name, number in (("duration", duration), ("rate", rate)):
        if number is not None and not 0 < number < np.inf:
            raise ParameterError(f"{name} is {number!r}, expected a positive number")
    if harmonics != int(harmonics) or harmonics < 2:
        raise ParameterError(
            f"harmonics is {harmonics!r}, expected 2 or more: one alone cannot start at rest"
        )
    if starts != int(starts) or starts < 1:
        raise ParameterError(f"starts is {starts!r}, expected 1 or more")
    if criterion not in CRITERIA:
        raise ParameterError(f"criterion is {criterion!r}, expected one of {', '.join(CRITERIA)}")
    if trajectories != int(trajectories) or trajectories < 1:
        raise ParameterError(f"trajectories is {trajectories!r}, expected 1 or more")
    search = Search(
        visible,
        _limits(tree, limits),
        float(duration),
        int(harmonics),
        trajectories=int(trajectories),
        criterion=criterion,
        torques=None if torques is None else _bound_torques(visible, prior, torques),
        clearance=None if obstacles is None else Clearance(tree, obstacles),
    )
    drawn = draw_starts(search, np.random.default_rng(seed), max(CANDIDATES, starts))
    drawn.sort(key=search.value)
    steps = _Steps(starts, progress)
    improved = [(improve(search, start, steps), start) for start in steps.each(drawn[:starts])]
    best, start = min(improved, key=lambda pair: search.value(pair[0]))
    series = search.series(best)
    condition = _condition(visible, search.motion(best), tolerance)
    if condition.rank < condition.columns:
        raise ParameterError(
            f"no motion with {harmonics} harmonics was found that shows more than {condition.rank} "
            f"of the {condition.columns} directions that can be seen: give more harmonics"
        )
    rate = rate or 32 * harmonics / duration
    t = np.linspace(0.0, duration, max(round(duration * rate), 1) + 1)
    found = tuple(Trajectory(each, t, *each.at(t)) for each in series)
    before, proof = _condition(visible, search.motion(start), tolerance), check_point(search, best)
    samples = len(search.seen[0])
    return Excitation(
        *found[0],
        condition,
        before,
        search.use(best),
        found,
        criterion,
        report(criterion, condition.singular_values, samples),
        report(criterion, before.singular_values, samples),
        proof.torque,
        proof.closest,
    )


class _Steps:
    """Steps of a search, of which the share that is done is told.

    Args:
        starts: Number of descents.
        progress: Receives the share and the least value.
    """

    def __init__(self, starts: int, progress: Callable[[float, float], None] | None) -> None:
        self._starts, self._progress = starts, progress
        self._begun, self._taken, self._least = -1, 0, float("inf")

    def each(self, drawn: Sequence[Floats]) -> Iterator[Floats]:
        """Go through the starts."""
        for self._begun, start in enumerate(drawn):
            self._taken = 0
            yield start

    def __call__(self, value: float) -> None:
        """Count a step with this value."""
        self._taken += 1
        self._least = min(self._least, value)
        if self._progress is not None:
            part = self._taken / (self._taken + USUAL_STEPS)  # never done before the descent is
            self._progress((self._begun + part) / self._starts, self._least)


def _bound_torques(
    visible: Visibility,
    prior: InertialParameters | ArrayLike | None,
    limits: TorqueLimits,
) -> TorqueBound:
    """Make a bound of the torques of the prior's bodies.

    Raises:
        ParameterError: A shape that does not fit, or a number that no joint has.
    """
    arrays = {
        name: np.asarray(each, dtype=np.float64)
        for name, each in limits._asdict().items()
        if name != "margin"
    }
    for name, array in arrays.items():
        good = array > 0 if name == "most" else (array >= 0) & np.isfinite(array)
        if array.shape != (visible.tree.n_u,) or not np.all(good):
            raise ParameterError(f"torques.{name}: expected {visible.tree.n_u} numbers above 0")
    if not 0 <= limits.margin < np.inf:
        raise ParameterError(f"torques.margin is {limits.margin!r}, expected 0 or more")
    return TorqueBound(
        visible,
        prior_of(visible.tree, prior),
        limits._replace(**arrays, margin=float(limits.margin)),
    )


def _motion(tree: Tree, q: ArrayLike, u: ArrayLike, du: ArrayLike) -> Motion:
    arrays = []
    for name, value in (("q", q), ("u", u), ("du", du)):
        (array,) = read_floats((), **{name: value})
        if array.ndim != 2 or array.shape[1] != tree.n_u or len(array) != len(np.asarray(q)):
            raise ParameterError(f"{name} has shape {array.shape}, expected (S, {tree.n_u})")
        bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
        if bad.size:
            raise ParameterError(f"{name} of sample {int(bad[0])} is not finite")
        arrays.append(array)
    if not len(arrays[0]):
        raise ParameterError("the motion has no samples")
    return arrays[0], arrays[1], arrays[2]


def _condition(visible: Visibility, motion: Motion, tolerance: float) -> Condition:
    rows = visible.project_rows(*motion)
    sizes = np.zeros(visible.rank)
    found = np.linalg.svd(rows.reshape(-1, visible.rank), compute_uv=False)
    sizes[: len(found)] = found
    rank = int(np.count_nonzero(sizes > tolerance * sizes[0]))
    number = float(sizes[0] / sizes[-1]) if rank == visible.rank else float("inf")
    return Condition(number, rank, visible.rank, sizes)


def _limits(tree: Tree, limits: Limits) -> Limits:
    """The limits as arrays.

    Raises:
        ParameterError: One that is not finite, or leaves no room; names the body that it moves.
    """
    moved = [tree.names[i] for i, joint in enumerate(tree.joints) if joint != "fixed"]
    arrays = []
    for name in Limits._fields:
        if not hasattr(limits, name):
            raise ParameterError(f"limits is {show_value(limits)}, which has no {name}")
        (array,) = read_floats((), **{f"limits.{name}": getattr(limits, name)})
        if array.shape != (tree.n_u,):
            raise ParameterError(
                f"limits: {name} has shape {array.shape}, expected ({tree.n_u},): one a joint"
            )
        for joint in np.flatnonzero(~np.isfinite(array)):
            raise ParameterError(
                f"limits: {name} of joint {joint}, which moves {moved[joint]}, is "
                f"{float(array[joint])}, expected a finite number: where a joint turns "
                "without end, give the range that it is to move in"
            )
        arrays.append(array)
    found = Limits(*arrays)
    for what, room in (
        ("upper - lower", found.upper - found.lower),
        ("velocity", found.velocity),
        ("acceleration", found.acceleration),
    ):
        for joint in np.flatnonzero(~(room > 0)):
            raise ParameterError(
                f"limits: {what} of joint {joint}, which moves {moved[joint]}, is "
                f"{float(room[joint])!r}, expected a positive number"
            )
    return found
