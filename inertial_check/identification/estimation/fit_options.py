"""Options of an identification: metric, loss, weight of the prior, constraints and solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from inertial_check.arrays.broadcasting import as_number
from inertial_check.arrays.types import ArrayLike
from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.projection._constraint import Constraint

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
