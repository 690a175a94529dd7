"""Inertial parameters of the bodies of a model as arrays, one row for each body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.errors import ParameterError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Point
from inertial_check.model.body import Model
from inertial_check.model.judging import judge

_NO_BODY = (nan,) * 10


def collect_parameters(model: Model) -> InertialParameters:
    """The parameters (n,) of all bodies; rows of NaN where the document states no ten numbers.

    They are kept about the centre of mass, where documents state them.
    """
    rows = []
    for body, judgement in zip(model.bodies, judge(model), strict=True):
        ten = (judgement.mass, *judgement.p_BoBcm_B, *judgement.I_BBcm_B)
        stated = body.inertial is not None and body.inertia_from == "file"
        rows.append(ten if stated and not np.any(np.isnan(ten)) else _NO_BODY)
    numbers = np.array(rows, dtype=np.float64).reshape(-1, 10)
    return InertialParameters.from_com(numbers[:, 0], numbers[:, 1:4], numbers[:, 4:])


def collect_added_mass(model: Model) -> Floats:
    """The added mass of the fluid around each body (n, 6, 6); zeros where none is stated."""
    matrices = np.zeros((len(model.bodies), 6, 6))
    for matrix, body in zip(matrices, model.bodies, strict=True):
        if body.inertial is not None and body.inertial.fluid_added_mass:
            matrix[:] = [[n.value for n in row] for row in body.inertial.fluid_added_mass]
    return matrices


Given = InertialParameters | ArrayLike | Mapping[str, InertialParameters | npt.ArrayLike]
"""Parameters of bodies: a batch, vectors (n, 10), or either for one body by its name or id."""


def select_changes(
    model: Model, parameters: Given, bodies: Sequence[str] | None
) -> dict[str, InertialParameters | npt.ArrayLike]:
    """Pair parameters with the bodies that they are for; those that nothing changes are left out.

    Args:
        model: The model.
        parameters: One row for each body, about the body's origin where it is a vector.
        bodies: Names or ids of these bodies; None for all of the model, in its order.

    Returns:
        One body each by name or id. Rows of NaN are left out, and rows that are those of the model.

    Raises:
        ParameterError: The number of rows is another, or a row is NaN in parts.
    """
    if isinstance(parameters, Mapping):
        if bodies is not None:
            raise ParameterError("parameters name their bodies, so bodies cannot be given, too")
        return dict(parameters)
    if isinstance(bodies, str):
        bodies = [bodies]
    names = [body.id for body in model.bodies] if bodies is None else list(bodies)
    batch = _read_batch(parameters, len(names))
    rows = _stack_numbers(batch)
    own = None if bodies is not None else _stack_numbers(collect_parameters(model), batch.about)
    chosen: dict[str, InertialParameters | npt.ArrayLike] = {}
    for index, name in enumerate(names):
        blank = np.isnan(rows[index])
        if np.all(blank) or (own is not None and np.array_equal(rows[index], own[index])):
            continue
        if np.any(blank):
            raise ParameterError(
                f"parameters of {name!r} are NaN in parts: give ten numbers, or ten NaN for a body "
                "that stays as it is"
            )
        if name in chosen:
            raise ParameterError(f"{name!r} stands twice among the bodies")
        chosen[name] = batch[index]
    return chosen


def _read_batch(parameters: InertialParameters | ArrayLike, count: int) -> InertialParameters:
    """Read a batch (count,) of bodies.

    Raises:
        ParameterError: They have another shape.
    """
    batch = (
        parameters
        if isinstance(parameters, InertialParameters)
        else InertialParameters.from_theta(read_floats((), parameters=parameters)[0])
    )
    if batch.shape == () and count == 1:
        batch = batch[None]
    if batch.shape != (count,):
        bodies = "1 body" if count == 1 else f"{count} bodies"
        raise ParameterError(f"parameters have shape {batch.shape}, expected one row for {bodies}")
    return batch


def _stack_numbers(batch: InertialParameters, about: Point | None = None) -> Floats:
    """The numbers (n, 10) by which bodies are compared: mass, centre and six, without rounding."""
    about = about or batch.about
    theta = np.array(batch.as_theta(about=about), dtype=np.float64)
    if about == "com":
        theta[:, 1:4] = np.asarray(batch.com)
    return theta
