"""Options of an identification: metric, loss, weight of the prior, constraints and solver.

The priors of an identification: strictly inside the cone, and what it took to get there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.base import base_parameters
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.reduction import Reduction
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, as_number, read_floats
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters, read_about_origin
from inertial_check.inertia.representations import Order
from inertial_check.projection.constraint import Constraint
from inertial_check.projection.priors import from_body

PriorMetric = Literal["prior", "entropic", "affine-invariant", "euclidean"]
"""Distance of a body from its prior."""

Loss = Literal["squares", "huber"]
"""Loss function of a residual."""

WeightRule = Literal["evidence", "k-fold", "l-curve"]
"""Rule that chooses the weight of the prior from the samples."""

Method = Literal["least-squares", "instrumental-variables", "didim"]
"""Method of an identification; all but the first simulate the robot."""

GainRule = Literal["unknown"]
"""Word for drive gains that are identified with the bodies."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, stated once from the command line to the solver.

    Attributes: As the arguments of `identify` of the same names.
    """

    weights: ArrayLike | None = None
    constraints: Constraint | Iterable[Constraint] = ()
    regularization: float | WeightRule = 1.0
    metric: PriorMetric = "prior"
    loss: Loss = "squares"
    margin: float = 0.0
    prior_margin: float = tolerances.PRIOR_MARGIN
    redundancy: float = 1.0
    bodies: Sequence[str] | None = None
    solver: str | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and a redundancy below one.

        Raises:
            ParameterError: The message names the option.
        """
        refuse_unknown("metric", self.metric, get_args(PriorMetric))
        refuse_unknown("loss", self.loss, get_args(Loss))
        if not 1 <= self.redundancy < np.inf:
            raise ParameterError(f"redundancy is {self.redundancy!r}, expected a number from 1 on")


def read_rule(regularization: float | WeightRule) -> WeightRule | None:
    """Read the rule that chooses the weight of the prior; None if the weight is a number.

    Raises:
        ParameterError: An unknown rule, or a number that is negative or not finite.
    """
    if isinstance(regularization, str):
        refuse_unknown("regularization", regularization, get_args(WeightRule))
        return regularization
    if not 0 <= as_number(regularization) < np.inf:
        raise ParameterError(
            f"regularization is {regularization!r}, expected a number from 0 on, 'evidence', "
            "'k-fold' or 'l-curve'"
        )
    return None


def refuse_unknown(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is none of those that an option knows.

    Raises:
        ParameterError: The message names the option and the words.
    """
    if value not in known:
        raise ParameterError(f"{name} is {value!r}; available are {', '.join(map(repr, known))}")


NO_PRIOR = "no prior: the samples alone decide, and regularization is 0"
"""Remark where no prior is given: that is what was asked for, and no doubt."""


class Priors(NamedTuple):
    """Expected bodies, as they were given and as they are used.

    Attributes:
        given: (L, 10) in order "urdf" about the body origins.
        theta: (L, 10) the same, each at least with the margin.
        remarks: Which were moved, and how far.
    """

    given: Floats
    theta: Floats
    remarks: tuple[str, ...]


def prepare_priors(
    prior: InertialParameters | ArrayLike,
    count: int,
    order: Order,
    margin: float,
    names: Sequence[str],
) -> Priors:
    """Priors with a margin.

    Args:
        prior: InertialParameters or (L, 10), or (10 L,), about the body origins.
        count: L.
        order: Of the last six of an array.
        margin: What they have at least, above 0 and at most 1/3.
        names: (L,) of the bodies.

    Raises:
        ParameterError: Another shape, or a body without mass or extent: names it.
    """
    if not isinstance(prior, InertialParameters):
        (array,) = read_floats((), prior=prior)
        prior = array.reshape(count, 10) if array.shape == (10 * count,) else prior
    given = read_about_origin(prior, order)
    if given.shape != (count, 10):
        raise ParameterError(
            f"the prior has shape {given.shape}, expected ({count}, 10): ten numbers for each body "
            "that the regressor has columns of"
        )
    try:
        theta = np.asarray(from_body(given, margin=margin).as_theta(order="urdf", about="origin"))
    except ParameterError as error:
        raise ParameterError(f"{error} (bodies: {', '.join(names)})") from None
    before = check(given)
    remarks = tuple(
        f"prior of {names[i]}: margin {before.margin[i]:.3g}, moved to {margin:.3g}, strictly "
        "inside the cone"
        for i in np.flatnonzero(np.any(theta != given, axis=1)).tolist()
    )
    return Priors(given, theta, remarks)


def priors_from_samples(reduction: Reduction, nuisance: Nuisance) -> Priors:
    """Units for bodies of which nothing is known beforehand, from the samples alone.

    Args:
        reduction: Of the samples, in order "urdf".
        nuisance: The further numbers.

    Raises:
        ParameterError: The samples do not decide all parameters of all bodies.
    """
    base = base_parameters(reduction, nuisance_names=nuisance.names)
    if base.rank < reduction.columns:
        raise ParameterError(
            f"the samples decide {base.rank} combinations of {reduction.columns} parameters, and "
            "without a prior nothing decides the others: give prior="
        )
    count = (reduction.columns - len(nuisance)) // 10
    A, b, _ = reduction.stack(np.ones(reduction.joints))
    length = np.linalg.norm(A, axis=0)
    theta = (np.linalg.lstsq(A / length, b, rcond=None)[0] / length)[: 10 * count].reshape(-1, 10)
    units = np.zeros((count, 10))
    units[:, 0] = np.abs(theta[:, 0])
    units[:, [4, 7, 9]] = np.abs(theta[:, [4, 7, 9]]).sum(axis=1, keepdims=True) / 3
    if not np.all(units[:, [0, 4]] > 0):
        raise ParameterError("a body of no mass and no inertia fits the samples best: give prior=")
    return Priors(units, units, (NO_PRIOR,))
