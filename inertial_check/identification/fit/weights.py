"""One weight a joint: one over the deviation of its noise, found from the residuals themselves.

Iterated weighted least squares: the deviation of a joint's residuals tells its noise, its noise how
much its residuals count, and so on until both agree.

Huber's loss: residuals beyond a bend count by their size, not by their square.

Each round is a weighted least-squares problem of its own, with another look at the samples; the
loss falls from round to round (Huber, Ronchetti: Robust Statistics, 2009, section 7.8).

Weights of an identification: of the joints, of outliers by Huber's loss, and of the prior.

The weight of the prior, chosen from the samples: by validation, or where the L-curve bends.

A weight says how much a change of a body by its prior's own size counts beside the samples' noise.
Samples that are filtered, or that no rigid robot explains, count for less than their number, and by
how much nobody says: so the weight is tried out.

Weight of the prior by evidence maximisation: what makes the measured torques most probable.

Bodies are drawn from the prior, whose variance is one over the weight, and torques from the bodies;
the deviation of the noise is left open. The logarithm of the probability of the torques is

    -(N / 2) log(data term + prior term) - log det(A^T A + K) / 2 + (k / 2) log(weight)

for N independent samples and k numbers with a prior. Residuals of neighbouring samples repeat each
other, so N is the number of samples over their redundancy: with all samples counted, the rule would
trust what a rigid robot does not explain.

Source: MacKay, Bayesian Interpolation, Neural Computation 4 (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Problem, euclidean_pull
from inertial_check.identification.fit.result import describe_gap
from inertial_check.identification.fit.samples import Measurements, Reduction, Samples
from inertial_check.identification.fit.solve import FitOptions, JointFit, JointSolution, WeightRule
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats

ROUNDS = 50
"""Rounds at most; three to fifteen are usual."""

SETTLED = 0.1
"""Part of a deviation's own statistical error, 1 / sqrt(2 S), below which a change is no news."""

FEW = 3.0
"""Samples for each parameter of a joint below which residuals tell little of its noise."""


class Noise(NamedTuple):
    """The noise of the joints.

    Attributes:
        weights: (n,) one over the deviation [1/(N m)]; 0 for a joint without torque.
        remarks: What is doubtful, one line each.
    """

    weights: Floats
    remarks: tuple[str, ...]


def news(samples: npt.NDArray[np.int64]) -> Floats:
    """(n,) relative changes of deviations up to which they tell nothing new."""
    return np.asarray(SETTLED / np.sqrt(2 * np.maximum(samples, 1)))


def estimate_noise(reduction: Reduction, theta0: Floats, nuisance: Nuisance) -> Noise:
    """Weights from the residuals of least squares.

    Args:
        reduction: Of the samples, in order "urdf".
        theta0: (L, 10) priors, in whose units least squares is solved.
        nuisance: The further numbers.

    Raises:
        ParameterError: No torque at all, too few samples to tell, or residuals beyond float64.
    """
    sizes = np.sqrt(reduction.squares / np.maximum(reduction.samples, 1))
    silent = sizes == 0
    if silent.all():
        raise ParameterError(
            "the torque is zero in every sample of every joint: there is nothing to identify"
        )
    weights = np.where(silent, 0.0, 1 / np.where(silent, 1.0, sizes))
    remarks = [
        f"joint {j}: its torque is zero in every sample; left out" for j in np.flatnonzero(silent)
    ]
    squares, rank = _fit(reduction, weights, theta0, nuisance)
    share = rank / int((~silent).sum())
    if not np.all(np.isfinite(squares)):
        raise ParameterError(
            "the residuals of least squares are beyond float64: a number of the prior, or a sample,"
            " is larger than that of any robot"
        )
    if rank == 0:
        raise ParameterError(
            f"the regressor is zero: the samples decide 0 of {reduction.columns} parameters; did "
            "any joint move, and is there gravity?"
        )
    if np.any(reduction.samples <= share):
        raise ParameterError(
            f"{int(reduction.samples.max())} samples of {reduction.joints} joints are too few for "
            f"{rank} parameters to tell the noise: give weights, one over the deviation of each "
            "joint's torque"
        )
    if np.any(reduction.samples[~silent] < FEW * share):
        pooled = float(weights**2 @ squares) / float((reduction.samples - share)[~silent].sum())
        remarks.append(
            f"{int(reduction.samples.max())} samples for {rank} parameters of {reduction.joints} "
            "joints tell little of the noise of each: the same part of the torque for all; give "
            "weights"
        )
        return Noise(weights / max(np.sqrt(pooled), tolerances.LEAST_NOISE), tuple(remarks))
    for _ in range(ROUNDS):
        deviations = np.sqrt(squares / np.where(silent, 1.0, reduction.samples - share))
        deviations = np.maximum(deviations, tolerances.LEAST_NOISE * sizes)
        change = np.abs(weights * deviations - 1)
        weights = np.where(silent, 0.0, 1 / np.where(silent, 1.0, deviations))
        if np.all((change <= news(reduction.samples))[~silent]):
            break
        squares, _ = _fit(reduction, weights, theta0, nuisance)
    remarks += [
        f"joint {j}: its residuals are rounding; its noise counts as "
        f"{tolerances.LEAST_NOISE:g} of its torque"
        for j in np.flatnonzero(~silent & (deviations <= tolerances.LEAST_NOISE * sizes))
    ]
    return Noise(weights, tuple(remarks))


def _fit(
    reduction: Reduction, weights: Floats, theta0: Floats, nuisance: Nuisance
) -> tuple[Floats, int]:
    """Fit weighted least squares: sums of squared residuals (n,), and the rank."""
    problem = Problem.of(reduction.stack(weights), theta0, nuisance, 0.0)
    x, rank = problem.least_squares
    return reduction.residual_squares(problem.si(x)), rank


BEND = 1.345
"""Deviations at which the loss turns: 95 % of the precision of least squares for normal noise."""

EXPECTED = 0.71016
"""Mean of min(z^2, BEND^2) over normal z of deviation 1 (Huber's proposal 2 for the scale)."""

ROBUST_ROUNDS = 50
"""Rounds at most; five to twenty are usual."""


class Huber:
    """Factors of the squares of residuals, and the loss on the way.

    Args:
        x: (p,) the parameters, as the samples' columns have them.
        weights: (n,) one over the deviation of each joint's noise.
    """

    def __init__(self, x: Floats, weights: Floats) -> None:
        self.x, self.weights = x, weights
        self.loss = 0.0
        """Twice Huber's loss of all samples that were seen: their squares where they are small."""
        self.bent = 0
        """How many residuals are beyond the bend."""
        self.bounded = np.zeros(len(weights))
        """(n,) sums of min(z^2, BEND^2), by which a few large residuals do not tell the noise."""

    def __call__(self, A: Floats, tau: Floats) -> Floats:
        """Factors (s, n) for a block of A (s, n, p) and tau (s, n)."""
        z = np.abs(A @ self.x - tau) * self.weights
        beyond = z > BEND
        self.bent += int(beyond.sum())
        self.bounded += np.minimum(z, BEND).T ** 2 @ np.ones(len(z))
        self.loss += float(np.sum(np.where(beyond, BEND * (2 * z - BEND), z**2)))
        return np.where(beyond, BEND / np.where(beyond, z, 1.0), 1.0)

    def reweigh(self, samples: npt.NDArray[np.int64]) -> Floats:
        """The weights (n,) that these residuals of so many samples (n,) suggest."""
        scale = np.sqrt(self.bounded / (EXPECTED * samples))
        return np.asarray(self.weights / np.where(scale > 0, scale, 1.0))


FOLDS = 5
"""Folds of a validation: of those usual, the cheapest."""

STRETCHES = 4
"""Stretches of the samples in each fold: apart, so that what is left out is seldom of a kind."""

GRID = 10.0 ** np.arange(-2, 5.25, 0.5)
"""Weights tried, times the variance of the weighted noise: two to a decade."""

APART = 0.1
"""Least distance between points of the L-curve, relative to its range; closer ones say nothing
about its shape."""


Solve = Callable[[Reduction, float], JointSolution]
"""Solves the joint problem of samples with a weight of the prior."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A weight, and what it was chosen from. As text, it is a table.

    Attributes:
        weight: Of the prior.
        rule: "evidence", "k-fold" or "l-curve".
        candidates: (c,) the weights tried, ascending.
        errors: (c,) root mean squares of the weighted residuals of what was left out; NaN by the
            L-curve, and where a fold has no certified answer.
        standard_errors: (c,) of `errors`.
        data_terms: (c,) weighted squares of the residuals of all samples, fitted together.
        prior_terms: (c,) the prior terms, over the weight.
        masses: (c,) of all bodies [kg].
        note: Why this weight, and what is doubtful about it; sentences.
    """

    weight: float
    rule: str
    candidates: Floats
    errors: Floats
    standard_errors: Floats
    data_terms: Floats
    prior_terms: Floats
    masses: Floats
    note: str

    def __str__(self) -> str:
        """A row for each weight, a star before the one that was chosen."""
        validated = self.rule == "k-fold"
        heads = ["regularization", "left out", "data term", "prior term", "mass [kg]"]
        rows = [heads if validated else [heads[0], *heads[2:]]]
        for i, candidate in enumerate(self.candidates.tolist()):
            star = "* " if candidate == self.weight else ""
            row = [f"{star}{candidate:.3g}"]
            if validated:
                row.append(f"{self.errors[i]:.4f} +- {self.standard_errors[i]:.4f}")
            terms = (self.data_terms[i], self.prior_terms[i], self.masses[i])
            rows.append([*row, *(f"{value:.5g}" for value in terms)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        ]
        return "\n".join([*lines, self.note])


def k_fold(
    stretches: Sequence[Reduction],
    weights: Floats,
    solve: Solve,
    *,
    folds: int = FOLDS,
    candidates: ArrayLike | None = None,
) -> Choice:
    """The weight that explains best what was left out of the fit, or nearly, and trusts the prior.

    Each fold is every `folds`-th stretch. The least error is found only up to its own standard
    error, and the prior's weight moves it little over decades: taken is the largest weight whose
    mean squared error is within one standard error of the least (Breiman et al., Classification and
    Regression Trees, 1984, sec. 3.4.3).

    Args:
        stretches: The samples in stretches of about equal length, in their order, each reduced by
            itself; residuals of neighbouring samples are alike, so they are not drawn at random.
        weights: (n,) factors of the residuals of each joint.
        solve: Solves the joint problem.
        folds: How many, at least 2.
        candidates: The weights to try; None for GRID times the variance of the weighted noise.

    Raises:
        ParameterError: Fewer than two folds or stretches, candidates that are not positive; or
            numbers that neither the other folds nor a prior decide.
        ProjectionError: No weight with a certified answer in every fold.
    """
    if folds < 2 or len(stretches) < folds:
        raise ParameterError(
            f"{len(stretches)} stretches of samples for {folds} folds, expected at least two folds "
            "and a stretch for each"
        )
    stretched = (stretches[k::folds] for k in range(folds))
    parts = [first.merge(*others) for first, *others in stretched]
    whole = parts[0].merge(*parts[1:])
    tried = read_candidates(candidates, whole, weights)
    fits = [_fit_weight(solve, whole, weight) for weight in tried]
    squares = np.full((len(tried), folds), np.nan)
    for k, part in enumerate(parts):
        first, *others = (other for j, other in enumerate(parts) if j != k)
        rest = first.merge(*others)
        for i in np.flatnonzero([fit is not None for fit in fits]):
            try:
                fit = _fit_weight(solve, rest, float(tried[i]))
            except ParameterError as error:
                raise ParameterError(f"without fold {k + 1} of {folds}: {error}") from None
            squares[i, k] = np.nan if fit is None else part.weighted_mean_square(weights, fit.si)
    means = squares.mean(axis=1)
    spread = squares.std(axis=1, ddof=1) / np.sqrt(folds)
    known = np.flatnonzero(np.isfinite(means))
    if not known.size:
        raise ProjectionError("no weight of the prior has a certified answer in every fold")
    best = int(known[np.argmin(means[known])])
    chosen = int(known[means[known] <= means[best] + spread[best]].max())
    note = (
        f"{tried[chosen]:.3g} is the largest within one standard error of the least error, which "
        f"is at {tried[best]:.3g}."
    )
    errors = np.sqrt(means)
    validated = errors, spread / (2 * errors)
    return _describe_choice("k-fold", tried, fits, validated, chosen, note)


def l_curve(
    reduction: Reduction, weights: Floats, solve: Solve, *, candidates: ArrayLike | None = None
) -> Choice:
    """The weight at the corner of the logarithms of the data term and the prior term.

    Below it, the bodies move far from their priors for little; above, the fit suffers for little.
    The corner is where the curve turns most, with both axes scaled to their range: the data term is
    mostly noise, which no weight changes, and its logarithm spans little. The turn at a point is
    seen from points a tenth of the range away: where the weight does nothing, they lie on a heap.

    Source: Hansen, O'Leary, SIAM J. Sci. Comput. 14 (1993).

    Args:
        reduction: The samples.
        weights: (n,) factors of the residuals of each joint.
        solve: Solves the joint problem.
        candidates: The weights to try; None for GRID times the variance of the weighted noise.

    Raises:
        ParameterError: Candidates that are not positive, or fewer than three.
        ProjectionError: Fewer than three weights with a certified answer.
    """
    tried = read_candidates(candidates, reduction, weights)
    fits = [_fit_weight(solve, reduction, weight) for weight in tried]
    known = np.flatnonzero([fit is not None for fit in fits])
    if len(known) < 3:
        raise ProjectionError(
            f"{len(known)} of {len(tried)} weights of the prior have a certified answer, expected "
            "three at least: an L-curve needs them to have a corner"
        )
    data, prior, _ = _list_terms(tried, fits)
    corner = _corner(data[known], prior[known])
    if corner is None:
        chosen, note = int(known[-1]), "the curve has no corner: the largest weight is taken."
    else:
        chosen = int(known[corner])
        note = f"{tried[chosen]:.3g} is at the corner of the L-curve."
    unknown = np.full(len(tried), np.nan)
    return _describe_choice("l-curve", tried, fits, (unknown, unknown), chosen, note)


def _list_terms(tried: Floats, fits: Sequence[JointSolution | None]) -> Floats:
    """(3, c) data term, prior term over its weight, and mass of the answer with each weight."""
    rows = [
        (np.nan, np.nan, np.nan)
        if fit is None
        else (
            fit.problem.data_term(fit.x),
            fit.prior_term / weight,
            float(fit.problem.theta(fit.x)[:, 0].sum()),
        )
        for weight, fit in zip(tried.tolist(), fits, strict=True)
    ]
    return np.array(rows).T


def _describe_choice(
    rule: str,
    tried: Floats,
    fits: Sequence[JointSolution | None],
    errors: tuple[Floats, Floats],
    chosen: int,
    note: str,
) -> Choice:
    """Describe the choice of one of the weights that were tried, with what is doubtful about it."""
    if chosen in (0, len(tried) - 1):
        which = "least" if chosen == 0 else "largest"
        note += f" It is the {which} weight tried: the best may lie beyond."
    missing = [f"{weight:.3g}" for weight, fit in zip(tried, fits, strict=True) if fit is None]
    if missing:
        note += f" No certified answer with {', '.join(missing)}."
    data, prior, mass = _list_terms(tried, fits)
    return Choice(float(tried[chosen]), rule, tried, *errors, data, prior, mass, note)


def read_candidates(candidates: ArrayLike | None, reduction: Reduction, weights: Floats) -> Floats:
    """Read the weights to try, ascending.

    Raises:
        ParameterError: One that is not positive.
    """
    if candidates is None:
        # The variance of the weighted noise, to a power of ten: 1 where weights are what they are.
        A, b, rss = reduction.stack(weights)
        count = int(reduction.samples[weights > 0].sum())
        size = float(b @ b) + rss
        free = max(count - np.linalg.matrix_rank(A), 1)
        variance = max(rss / free, tolerances.NOISE_ROUNDING * size / max(count, 1))
        return (10.0 ** round(float(np.log10(variance))) if variance > 0 else 1.0) * GRID
    tried = np.unique(np.asarray(candidates, dtype=np.float64))
    if not tried.size or not np.all(np.isfinite(tried) & (tried > 0)):
        raise ParameterError(
            f"weights of the prior to try are {candidates!r}, expected positive ones"
        )
    return tried


def _fit_weight(solve: Solve, reduction: Reduction, weight: float) -> JointSolution | None:
    """Solve with a weight of the prior; None where no answer could be certified."""
    try:
        return solve(reduction, float(weight))
    except ProjectionError:
        return None


def _corner(data: Floats, prior: Floats) -> int | None:
    """Where the L-curve of data and prior terms (c,) bends most; None where it does not."""
    if not (np.all(data > 0) and np.all(prior > 0)):
        return None
    x, y = np.log(data), np.log(prior)
    if not (np.ptp(x) > 0 and np.ptp(y) > 0):
        return None
    points = np.stack([x / np.ptp(x), y / np.ptp(y)], axis=1)
    # Angles between chords: the curvature needs second differences, which few points do not give.
    turns = [_turn(points, i) for i in range(len(points))]
    return int(np.argmax(turns)) if max(turns) > 0 else None


def _turn(points: Floats, i: int) -> float:
    """By which angle a curve turns left at a point, seen from the nearest ones APART from it."""
    away = np.linalg.norm(points - points[i], axis=1) >= APART
    before, after = np.flatnonzero(away[:i]), i + np.flatnonzero(away[i:])
    if not (before.size and after.size):
        return 0.0
    u, v = points[i] - points[before[-1]], points[after[0]] - points[i]
    return float(np.arctan2(u[0] * v[1] - u[1] * v[0], u @ v))


MOST_BODIES = 12
"""Number of bodies up to which every trial is consistent; with more, regularised least squares
stands in, whose evidence is greatest at nearly the same weight."""

RESIDUALS = 20_000
"""Largest number of samples whose residuals tell the redundancy."""

POWER = 0.8
"""Part of the power of the residuals below the frequency up to which they are taken for white. The
rest is in the steps of friction, which reach far beyond what a filter lets pass."""


def maximize_evidence(
    reduction: Reduction,
    weights: Floats,
    theta0: Floats,
    nuisance: Nuisance,
    redundancy: float,
    *,
    euclidean: bool = False,
) -> Choice:
    """Choose the weight of the prior that makes the measured torques most probable.

    Args:
        reduction: Reduction of the samples, in order "urdf".
        weights: (n,) factors of the residuals of each joint.
        theta0: (L, 10) priors.
        nuisance: Torques besides those of the bodies.
        redundancy: Number of samples that tell as much as one independent sample.
        euclidean: Whether the prior's metric is the Euclidean one.
    """
    tried = read_candidates(None, reduction, weights)
    system = reduction.stack(weights)
    pull = euclidean_pull(theta0) if euclidean else None
    independent = float(reduction.samples[weights > 0].sum()) / redundancy
    rows = []
    for weight in tried.tolist():
        problem = Problem.of(system, theta0, nuisance, weight, pull=pull)
        x = _solve(problem)
        known = 10 * problem.bodies + int(np.count_nonzero(problem.beside))
        log_det = float(np.linalg.slogdet(problem.H)[1])
        objective = max(problem.objective(x), np.finfo(np.float64).tiny)
        evidence = known * np.log(weight) - log_det - independent * np.log(objective)
        terms = problem.data_term(x), problem.prior_term(x) / weight
        rows.append((evidence / 2, *terms, float(problem.theta(x)[:, 0].sum())))
    evidences, data_terms, prior_terms, masses = np.array(rows).T
    best = int(np.argmax(evidences))
    note = (
        f"{tried[best] / redundancy:.3g} x {redundancy:.3g} has the greatest evidence: it makes "
        "the measured torques most probable"
    )
    if best in (0, len(tried) - 1):
        note += f"; it is the {'least' if best == 0 else 'largest'} weight tried"
    unknown = np.full(len(tried), np.nan)
    return Choice(
        float(tried[best]),
        "evidence",
        tried,
        unknown,
        unknown,
        data_terms,
        prior_terms,
        masses,
        note,
    )


def _solve(problem: Problem) -> Floats:
    """Solve a trial; without the cones where there are many bodies or no certified answer."""
    if problem.bodies <= MOST_BODIES:
        try:
            return interior_point.solve(problem).x
        except ProjectionError:
            pass
    return problem.free


def measure_redundancy(
    samples: Samples, reduction: Reduction, weights: Floats, theta0: Floats
) -> float:
    """Measure how many samples tell as much as one, by the band of the residuals' spectrum.

    Residuals of filtered signals have no power above the cut-off of the filter.

    Args:
        samples: Samples at uniform steps, as far as one knows, in any order of columns.
        reduction: Their reduction, with the same columns.
        weights: (n,) factors of the residuals of each joint; 0 for joints to leave out.
        theta0: (L, 10) priors, in whose units least squares is solved.
    """
    nuisance = samples.nuisance
    none = np.full(len(nuisance), np.inf)
    free = Nuisance(nuisance.names, -none, none, np.zeros(len(nuisance)), none)
    problem = Problem.of(reduction.stack(weights), theta0, free, 0.0)
    x = problem.si(problem.least_squares[0])
    parts: list[Floats] = []
    for A, tau in samples.rows():
        parts.append(tau - A @ x)
        if sum(map(len, parts)) >= RESIDUALS:
            break
    residuals = np.concatenate(parts)[:, weights > 0]
    if len(residuals) < 2:
        return 1.0
    residuals = residuals - residuals.mean(axis=0)
    power = np.abs(np.fft.rfft(residuals * np.hanning(len(residuals))[:, None], axis=0)) ** 2
    whole = power.sum(axis=0)
    if not np.all(whole > 0):
        return 1.0
    below = np.cumsum((power / whole).mean(axis=1))
    return max(1.0, len(below) / (int(np.searchsorted(below, POWER)) + 1))


def read_weights(weights: ArrayLike | None, reduction: Reduction, fit: JointFit) -> Noise:
    """Read the weights of the joints, or estimate them from the residuals.

    Raises:
        ParameterError: Their number does not fit, or one is negative or not finite.
    """
    if weights is None:
        return estimate_noise(reduction, fit.theta0, fit.nuisance)
    (given,) = read_floats((), weights=weights)
    if given.ndim > 1 or given.size not in (1, reduction.joints):
        raise ParameterError(
            f"weights has shape {given.shape}, expected ({reduction.joints},): one for each joint, "
            "or one for all"
        )
    given = np.broadcast_to(given, (reduction.joints,))
    if not np.all(np.isfinite(given) & (given >= 0)) or not given.any():
        raise ParameterError(f"weights are {given.tolist()}, expected positive numbers [1/(N m)]")
    return Noise(np.array(given), ())


def iterate_huber(
    data: Measurements,
    fit: JointFit,
    weights: Floats,
    remarks: tuple[str, ...],
    solution: JointSolution,
    estimate_weights: bool,
) -> tuple[Floats, tuple[str, ...], JointSolution, Reduction]:
    """Minimise Huber's loss by reweighted least squares, in rounds until it falls no more.

    Returns:
        The weights of the joints, the remarks, the solution, and the samples as the loss weighs
        them there.

    Raises:
        ParameterError: There are no samples, only their reduction.
    """
    if data.samples is None:
        raise ParameterError("loss 'huber' looks at each sample: a Reduction has none")
    last = np.inf
    for _ in range(ROBUST_ROUNDS):
        factors = Huber(solution.si[data.labels], weights)
        reduction = data.samples.reduce(factors).relabel(data.labels)
        objective = factors.loss + solution.prior_term
        if not estimate_weights and objective >= last * (1 - tolerances.HUBER_SETTLED):
            break
        if estimate_weights:
            before, weights = weights, factors.reweigh(reduction.samples)
            moved = np.abs(weights - before) > news(reduction.samples) * before
            estimate_weights = bool(moved.any())
        solution = fit.solve(reduction, weights, solution.problem.regularization)
        last = np.inf if estimate_weights else objective
    else:
        remarks = (*remarks, f"Huber's loss still falls after {ROBUST_ROUNDS} rounds")
        last_factors = Huber(solution.si[data.labels], weights)
        reduction = data.samples.reduce(last_factors).relabel(data.labels)
    count = int(data.samples.samples) * len(weights)
    remark = (
        f"{factors.bent} of {count} residuals are beyond {BEND} deviations and count by their size"
    )
    return weights, (*remarks, remark), solution, reduction


def weigh_down_outliers(
    data: Measurements, fit: JointFit, weights: Floats, options: FitOptions
) -> tuple[Reduction, Floats]:
    """Reduce the samples as Huber's loss weighs them, and weigh the joints by what is left.

    Outliers would pass for noise otherwise, and a rule would give the prior too much weight.
    """
    assert data.samples is not None
    first = fit.solve(data.whole, weights, options.redundancy)
    weights, _, _, reduction = iterate_huber(data, fit, weights, (), first, options.weights is None)
    return reduction, weights


def choose_weight(
    rule: WeightRule,
    data: Measurements,
    fit: JointFit,
    weights: Floats,
    redundancy: float,
    reduction: Reduction,
) -> Choice:
    """Choose the weight of the prior from the samples."""
    if rule == "evidence":
        if redundancy == 1.0 and data.samples is not None:
            columns = reduction.relabel(np.argsort(data.labels))
            redundancy = measure_redundancy(data.samples, columns, weights, fit.theta0)
        euclidean = fit.metric == "euclidean"
        return maximize_evidence(
            reduction, weights, fit.theta0, fit.nuisance, redundancy, euclidean=euclidean
        )

    def solve(reduction: Reduction, regularization: float) -> JointSolution:
        found = fit.solve(reduction, weights, regularization)
        if not found.certificate.proves:  # candidates are compared by their objectives
            raise ProjectionError(describe_gap(found.certificate), found.problem)
        return found

    if rule == "k-fold":
        return k_fold(data.folds(FOLDS * STRETCHES), weights, solve)
    return l_curve(data.whole, weights, solve)
