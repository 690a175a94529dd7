"""For each parameter, whether the samples decide it, or only the prior.

Samples whose residuals have deviation 1, and a prior whose change has variance 1 / regularization
in units of each body's own size, leave a normal distribution of the parameters. How much narrower
it is than the prior alone is what the samples told. Cones and bounds are left out: they narrow it
further, and tell nothing of this robot.

Many directions stay open in any regressor, and a prior that hardly weighs holds nothing there: a
cone that binds, or noise, moves bodies far along them. So what a value moved is held against a
prior of weight 1, for which a body is as uncertain as it is large: of a change d along a singular
value s the samples account for d s^2 / (s^2 + 1), and the rest has no support.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.identification.estimation.base import name_entries
from inertial_check.identification.estimation.problem import Problem
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import Order, reorder

Words = npt.NDArray[np.str_]

DECIDED = 0.9
"""Part of the prior's variance above which the samples decide: a third of its deviation is left."""

UNDECIDED = 0.1
"""Part below which the prior does: its deviation is as it was, to 5 %."""

FAR = 1.0
"""Own sizes that a value may lie off without support: a mass doubled, or gone."""

ROUNDING = tolerances.SOLVED_FACTOR * float(np.finfo(np.float64).eps)
"""Cosines below it are those of a right angle."""


class Unsupported(NamedTuple):
    """A value that a body can have, and that no sample asked for.

    Attributes:
        body: Index of the body.
        entry: Place in its theta.
        change: How far it lies from the prior, in units of the prior's own size.
        unaccounted: The part of it that the samples do not account for.
    """

    body: int
    entry: int
    change: float
    unaccounted: float


@dataclass(frozen=True, eq=False, repr=False)
class Identifiability:
    """Share of each parameter that the samples decide, in the caller's order of the last six.

    Attributes:
        order: Of the last six entries.
        share: (L, 10) part of the prior's variance that the samples took away, 0 to 1.
        standard_deviation: (L, 10) that is left [SI]; infinite where nothing decides.
        size: (L, 10) of the prior: the deviation of a prior of weight 1 [SI]. Of a mass it is the
            mass.
        change: (L, 10) from the prior, in units of size.
        unaccounted: (L, 10) the part of it that the samples do not account for, in the same.
        total_mass_share: As share, of the mass of all bodies.
        total_mass_standard_deviation: As standard_deviation [kg].
        total_mass_change: As change.
        total_mass_unaccounted: As unaccounted.
    """

    order: Order
    share: Floats
    standard_deviation: Floats
    size: Floats
    change: Floats
    unaccounted: Floats
    total_mass_share: float
    total_mass_standard_deviation: float
    total_mass_change: float
    total_mass_unaccounted: float

    def __repr__(self) -> str:
        """How many parameters who decides, and how many lack support."""
        words, counts = np.unique(self.decided_by, return_counts=True)
        found = ", ".join(f"{count} by {word}" for word, count in zip(words, counts, strict=True))
        return f"Identifiability(decided {found}; {len(self.unsupported)} unsupported)"

    def widen(self, covariance: Floats, weight: float) -> Identifiability:
        """Add a covariance to what the samples leave open, as that of gains found with the bodies.

        Args:
            covariance: (10 L, 10 L) of all parameters, in order "urdf" [SI].
            weight: Weight of the prior, whose variance is one over it.
        """
        own = np.diag(covariance).reshape(-1, 10)
        own = np.asarray(reorder(np.maximum(own, 0.0), "urdf", self.order))
        masses = covariance[::10, ::10].sum()
        whole = float(np.sqrt(max(float(masses), 0.0)))
        return replace(
            self,
            standard_deviation=np.hypot(self.standard_deviation, np.sqrt(own)),
            share=np.clip(self.share - weight * own / self.size**2, 0.0, 1.0),
            total_mass_standard_deviation=float(
                np.hypot(self.total_mass_standard_deviation, whole)
            ),
        )

    @property
    def decided_by(self) -> Words:
        """(L, 10) "data" from a share of 0.9 on, "prior" up to 0.1, else "both"."""
        return np.where(
            self.share >= DECIDED, "data", np.where(self.share <= UNDECIDED, "prior", "both")
        )

    @property
    def total_mass_decided_by(self) -> str:
        """The same of the mass of all bodies."""
        share = self.total_mass_share
        return "data" if share >= DECIDED else "prior" if share <= UNDECIDED else "both"

    @property
    def total_mass_supported(self) -> bool:
        """Whether the samples account for the mass of all bodies, but for its own size."""
        return abs(self.total_mass_unaccounted) <= FAR

    @property
    def unsupported(self) -> tuple[Unsupported, ...]:
        """Values that lie more than the prior's size off without support, body by body."""
        far = np.argwhere(np.abs(self.unaccounted) > FAR).tolist()
        return tuple(
            Unsupported(i, k, float(self.change[i, k]), float(self.unaccounted[i, k]))
            for i, k in far
        )

    def remarks(self, bodies: Sequence[str]) -> tuple[str, ...]:
        """Describe changes without support of samples: the mass of all, then a line for each body.

        Args:
            bodies: (L,) names.
        """
        lines = []
        if not self.total_mass_supported:
            lines.append(
                f"the total mass lies {abs(self.total_mass_unaccounted):.3g} times the prior's own "
                f"uncertainty {_side(self.total_mass_unaccounted)} it without support of the "
                "samples: a larger regularization keeps to the prior what they do not decide"
            )
        entries = name_entries(self.order)
        for body, name in enumerate(bodies):
            own = np.abs(self.unaccounted[body])
            if (own > FAR).any():
                which = ", ".join(entries[k] for k in np.flatnonzero(own > FAR))
                lines.append(
                    f"{name}: {which} moved by up to {own.max():.3g} times the prior's own size "
                    "without support of the samples"
                )
        return tuple(lines)


def identifiability(problem: Problem, x: Floats, order: Order = "urdf") -> Identifiability:
    """Ask of each parameter how much the samples tell of it beside the prior.

    Args:
        problem: The joint problem, its residuals in units of their noise.
        x: (p,) its answer, for what moved without support.
        order: Of the last six entries, as the results are to have them.

    Returns:
        Shares, deviations and what lacks support. Further numbers (friction, offsets) count as
        unknown beside the bodies: what one of them explains as well is not decided.
    """
    count = 10 * problem.bodies
    pull, weight = _prior_terms(problem)
    root = np.linalg.cholesky(pull).transpose(0, 2, 1)  # (L, 10, 10): ||root x||^2
    inverse = np.linalg.inv(root)
    values, V = _directions(problem, inverse)
    theta = np.matmul(problem.to_theta, inverse)
    along = np.einsum("lij,ljp->lip", theta, V.reshape(problem.bodies, 10, count))
    change = (x - problem.prior)[:count].reshape(-1, 10, 1)
    moved = np.matmul(root, change).ravel() @ V
    told = values**2 / np.where(values > 0, values**2 + weight, 1.0)

    def measure(rows: Floats) -> tuple[Floats, ...]:
        """Measure share, deviation, size, change and unaccounted of directions (..., 10 L)."""
        size = np.linalg.norm(rows, axis=-1)
        unit = rows / size[..., None]
        unit = np.where(np.abs(unit) > ROUNDING, unit, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.where(unit == 0, 0.0, unit**2 / (values**2 + weight))
        share = np.clip(unit**2 @ told, 0.0, 1.0)
        deviation = size * np.sqrt(left.sum(axis=-1))
        return share, deviation, size, unit @ moved, unit @ (moved / (values**2 + 1))

    single = [np.asarray(reorder(each, "urdf", order)) for each in measure(along)]
    whole = [float(each) for each in measure(along[:, 0].sum(axis=0))]
    share, deviation, size, moves, rest = single
    return Identifiability(
        order, share, deviation, size, moves, rest, whole[0], whole[1], whole[3], whole[4]
    )


def _prior_terms(problem: Problem) -> tuple[Floats, float]:
    """Matrices (L, 10, 10) of the bodies' prior terms, and their weight.

    A divergence has no matrix; near the prior it is ||X - 1||_F^2, the entropic one half of it.
    """
    if problem.pull.any():
        return problem.pull, problem.regularization
    weight = problem.barrier if problem.barrier > 0 else problem.regularization
    return np.tile(np.eye(10), (problem.bodies, 1, 1)), weight


def _directions(problem: Problem, inverse: Floats) -> tuple[Floats, Floats]:
    """Singular values (10 L,) and directions (10 L, 10 L) of the samples, for the bodies alone.

    In units in which the prior term is the square of the change. The further numbers are fitted to
    whatever the bodies are, so what they explain is taken out of the rows, as far as their own
    priors let them.
    """
    count = 10 * problem.bodies
    bodies = problem.A[:, :count].reshape(-1, problem.bodies, 10)
    rows = np.einsum("rij,ijk->rik", bodies, inverse).reshape(-1, count)
    if len(problem.beside):
        beside = np.concatenate([problem.A[:, count:], np.diag(np.sqrt(problem.beside))])
        padded = np.concatenate([rows, np.zeros((len(problem.beside), count))])
        U, sizes, _ = np.linalg.svd(beside, full_matrices=False)
        U = U[:, sizes > tolerances.RANK * sizes.max()]
        rows = padded - U @ (U.T @ padded)
    _, values, Vt = np.linalg.svd(np.concatenate([rows, np.zeros((0, count))]), full_matrices=True)
    values = np.append(values, np.zeros(count - len(values)))
    values[values <= tolerances.RANK * values.max(initial=0.0)] = 0.0
    return values, Vt.T


def _side(number: float) -> str:
    return "above" if number > 0 else "below"
