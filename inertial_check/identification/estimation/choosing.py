"""The weight of the prior, chosen from the samples: by validation, or where the L-curve bends.

A weight says how much a change of a body by its prior's own size counts beside the samples' noise.
Samples that are filtered, or that no rigid robot explains, count for less than their number, and by
how much nobody says: so the weight is tried out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.estimation.problem import Problem
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia import tolerances

FOLDS = 5
"""Folds of a validation: of those usual, the cheapest."""

STRETCHES = 4
"""Stretches of the samples in each fold: apart, so that what is left out is seldom of a kind."""

GRID = 10.0 ** np.arange(-2, 5.25, 0.5)
"""Weights tried, times the variance of the weighted noise: two to a decade."""

APART = 0.1
"""Least distance between points of the L-curve, relative to its range; closer ones say nothing
about its shape."""


class Fit(Protocol):
    """An answer of the joint problem.

    Attributes:
        problem: What was solved.
        x: (p,) its answer.
        prior_term: Of the objective, with the regularization.
        si: (p,) the parameters, as a reduction's columns have them.
    """

    @property
    def problem(self) -> Problem:
        """Problem that was solved."""

    @property
    def x(self) -> Floats:
        """Its answer."""

    @property
    def prior_term(self) -> float:
        """With the regularization."""

    @property
    def si(self) -> Floats:
        """In SI units."""


Solve = Callable[[Reduction, float], Fit]
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
    parts = [_merge(stretches[k::folds]) for k in range(folds)]
    whole = _merge(parts)
    tried = read_candidates(candidates, whole, weights)
    fits = [_fit(solve, whole, weight) for weight in tried]
    squares = np.full((len(tried), folds), np.nan)
    for k, part in enumerate(parts):
        rest = _merge([other for j, other in enumerate(parts) if j != k])
        for i in np.flatnonzero([fit is not None for fit in fits]):
            try:
                fit = _fit(solve, rest, float(tried[i]))
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
    return _choice("k-fold", _Trials(tried, fits, errors, spread / (2 * errors)), chosen, note)


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
    fits = [_fit(solve, reduction, weight) for weight in tried]
    known = np.flatnonzero([fit is not None for fit in fits])
    if len(known) < 3:
        raise ProjectionError(
            f"{len(known)} of {len(tried)} weights of the prior have a certified answer, expected "
            "three at least: an L-curve needs them to have a corner"
        )
    terms = _terms(tried, fits)
    corner = _corner(terms.data[known], terms.prior[known])
    if corner is None:
        chosen, note = int(known[-1]), "the curve has no corner: the largest weight is taken."
    else:
        chosen = int(known[corner])
        note = f"{tried[chosen]:.3g} is at the corner of the L-curve."
    unknown = np.full(len(tried), np.nan)
    return _choice("l-curve", _Trials(tried, fits, unknown, unknown), chosen, note)


class _Terms(NamedTuple):
    """Terms (c,) of the objective: data term, prior term over its weight; and the mass."""

    data: Floats
    prior: Floats
    mass: Floats


def _terms(tried: Floats, fits: Sequence[Fit | None]) -> _Terms:
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
    return _Terms(*np.array(rows).T)


class _Trials(NamedTuple):
    """The weights, ascending, the answer with each, and the errors of what was left out."""

    weights: Floats
    fits: Sequence[Fit | None]
    errors: Floats
    standard_errors: Floats


def _choice(rule: str, tried: _Trials, chosen: int, note: str) -> Choice:
    """The choice, with what is doubtful about it."""
    if chosen in (0, len(tried.weights) - 1):
        which = "least" if chosen == 0 else "largest"
        note += f" It is the {which} weight tried: the best may lie beyond."
    missing = [
        f"{weight:.3g}"
        for weight, fit in zip(tried.weights.tolist(), tried.fits, strict=True)
        if fit is None
    ]
    if missing:
        note += f" No certified answer with {', '.join(missing)}."
    return Choice(
        float(tried.weights[chosen]),
        rule,
        tried.weights,
        tried.errors,
        tried.standard_errors,
        *_terms(tried.weights, tried.fits),
        note,
    )


def read_candidates(candidates: ArrayLike | None, reduction: Reduction, weights: Floats) -> Floats:
    """Read the weights to try, ascending.

    Raises:
        ParameterError: One that is not positive.
    """
    if candidates is None:
        return measure_unit(reduction, weights) * GRID
    tried = np.unique(np.asarray(candidates, dtype=np.float64))
    if not tried.size or not np.all(np.isfinite(tried) & (tried > 0)):
        raise ParameterError(
            f"weights of the prior to try are {candidates!r}, expected positive ones"
        )
    return tried


def measure_unit(reduction: Reduction, weights: Floats) -> float:
    """The variance of the weighted noise, to a power of ten: 1 where weights are what they are."""
    A, b, rss = reduction.stack(weights)
    count = int(reduction.samples[weights > 0].sum())
    size = float(b @ b) + rss
    free = max(count - np.linalg.matrix_rank(A), 1)
    variance = max(rss / free, tolerances.NOISE_ROUNDING * size / max(count, 1))
    return 10.0 ** round(float(np.log10(variance))) if variance > 0 else 1.0


def _merge(parts: Sequence[Reduction]) -> Reduction:
    return parts[0].merge(*parts[1:])


def _fit(solve: Solve, reduction: Reduction, weight: float) -> Fit | None:
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
