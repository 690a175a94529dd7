"""The request of a projection, stated once: from `project` and the command line to the core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import Array, as_number
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, Point, reorder
from inertial_check.projection.moments import BALL, METRICS, read_margin

if TYPE_CHECKING:
    from inertial_check.projection.constraint import Constraint
    from inertial_check.projection.metrics import Weights


Metric = Literal[
    "inertia",
    "covariance",
    "prior",
    "weighted",
    "entropic",
    "affine-invariant",
    "euclidean",
    "pseudo-inertia",
]
"""Metric of a projection: the change of a body that it makes least."""

Argument = Literal["weights", "prior"]
"""Argument of a projection that some metrics take."""

TAKES: dict[str, tuple[Argument, ...]] = {
    **dict.fromkeys(METRICS, ()),
    "prior": ("prior",),
    "weighted": ("weights", "prior"),
    "entropic": ("prior", "weights"),
    "affine-invariant": ("prior", "weights"),
    "euclidean": (),
    "pseudo-inertia": (),
}
"""Arguments that each metric takes; the first is the one that it needs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Options:
    """The options of a projection; `inertial_check.project` says what each means.

    Attributes:
        metric: Change that is least.
        order: Order of the last six entries of theta: a name of representations.ORDERS.
        about: Point about which those six are taken: "origin" or "com".
        weights: (..., 10) diagonals or (..., 10, 10) matrices W on theta in `order`; or these as
            they were read.
        prior: InertialParameters, or (..., 10) in `order` and about `about`.
        constraints: Objects of inertial_check.projection.constraints.
        margin: Least margin of the results, 0 to 1/3.
        solver: Name of an installed conic solver; None for our own methods.
        mass_min: Least mass of rows that move [kg]; None for a part of each mass.
        regularization: Weight of the prior's term beside another, positive.
        exact: Whether results are consistent in exact arithmetic.
    """

    metric: Metric = "inertia"
    order: Order = "urdf"
    about: Point = "origin"
    weights: Array | Weights | None = None
    prior: InertialParameters | Array | None = None
    constraints: tuple[Constraint, ...] = ()
    margin: float = 0.0
    solver: str | None = None
    mass_min: float | None = None
    regularization: float = 1.0
    exact: bool = False

    def validate(self) -> Options:
        """Return the same options with their numbers as floats, if they go together.

        Raises:
            ParameterError: An unknown name, an argument that the metric needs or does not take, or
                a number out of its range.
        """
        metric = self.metric
        if not isinstance(metric, str) or metric not in TAKES:
            raise ParameterError(
                f"metric is {metric!r}; available are {', '.join(map(repr, TAKES))}"
            )
        reorder(BALL, "urdf", self.order)  # refuses an unknown order, also beside a body's own
        given = [name for name in get_args(Argument) if getattr(self, name) is not None]
        for name in given:
            if name not in TAKES[metric]:
                able = ", ".join(repr(other) for other in TAKES if name in TAKES[other])
                raise ParameterError(f"metric {metric!r} takes no {name}; {able} take {name}")
        for name in TAKES[metric][:1]:
            if name not in given:
                raise ParameterError(f"metric {metric!r} needs {name}={name}")
        if not isinstance(self.exact, (bool, np.bool_)):
            raise ParameterError(f"exact is {self.exact!r}; it is True or False")
        for name, number in (("mass_min", self.mass_min), ("regularization", self.regularization)):
            missing = number is None and name == "mass_min"
            if not missing and not 0 < as_number(number) < np.inf:
                raise ParameterError(f"{name} is {number!r}; it is a positive number")
        margin, regularization = read_margin(self.margin), float(self.regularization)
        if margin is self.margin and regularization is self.regularization:
            return self
        return replace(self, margin=margin, regularization=regularization)
