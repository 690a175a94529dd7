"""The priors of an identification: strictly inside the cone, and what it took to get there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.base import base_parameters
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.inertia.consistency import as_theta, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order
from inertial_check.projection.priors import from_body


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
    if isinstance(prior, InertialParameters):
        given = np.asarray(prior.as_theta(order="urdf", about="origin"), dtype=np.float64)
    else:
        (array,) = read_floats((), prior=prior)
        if array.shape == (10 * count,):
            array = array.reshape(count, 10)
        given = np.asarray(as_theta(array, order, "origin")[0], dtype=np.float64)
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
    return Priors(units, units, ("no prior: the samples alone decide, and regularization is 0",))
