"""The bodies of models that an engine might not accept, as arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, LongIntegers, Mask
from inertial_check.model import ENTRIES, Body, Judgement, Model

Flags = Mask

_SAFE_MARGIN = 1e-5
"""Margin above which no engine refuses a body: ten times the coarsest relative tolerance of an
engine (Newton, 1e-6). Dimensionless."""

_LARGEST = 1e30
"""Mass [kg] and moment [kg m^2] up to which neither float32 nor products of three such numbers in
float64 overflow."""

_DIAGONAL, _PRODUCTS = [0, 3, 5], [1, 2, 4]


def find_doubtful(model: Model, judgements: Sequence[Judgement], least: float) -> list[int]:
    """Indices of the bodies that an engine might not accept.

    The others are so far inside its limits that nothing has to be computed for them.

    Args:
        model: The model.
        judgements: One for each body.
        least: Ten times the highest absolute floor of the engine [kg] and [kg m^2].
    """
    settled, in_si = model.format != "mjcf", model.format != "usd"
    return [
        row
        for row, (body, judgement) in enumerate(zip(model.bodies, judgements, strict=True))
        if not (
            judgement.verdict == "consistent"
            and judgement.margin > _SAFE_MARGIN
            and judgement.principal_moments[0] > least
            and judgement.principal_moments[2] < _LARGEST
            and least < judgement.mass < _LARGEST
            and (settled or not body.problems)
            and (in_si or body.unit == 1)
        )
    ]


class Bounds(NamedTuple):
    """Settings of MJCF's <compiler>, known from what the reader reports about changed numbers.

    Attributes:
        mass: boundmass [kg].
        inertia: boundinertia [kg m^2].
        balanced: Whether balanceinertia is on.
    """

    mass: float
    inertia: float
    balanced: bool


_BOUND = re.compile(r"(boundmass|boundinertia): MuJoCo (?:raises|takes).*? ([-+.\de]+) kg")
"""The bound in a message of the reader, which is the only place that holds it."""


def read_bounds(model: Model) -> Bounds:
    """The settings of an MJCF that change the numbers of its bodies; none in other formats."""
    values = dict.fromkeys(("boundmass", "boundinertia"), 0.0)
    balanced = False
    if model.format == "mjcf":
        problems = [*model.problems, *(p for body in model.bodies for p in body.problems)]
        for message in (problem.message for problem in problems if problem.kind == "engine"):
            balanced |= "balanceinertia: MuJoCo " in message
            for setting, value in _BOUND.findall(message):
                values[setting] = max(values[setting], float(value))
    return Bounds(values["boundmass"], values["boundinertia"], balanced)


@dataclass(frozen=True, eq=False)
class Batch:
    """N bodies of models of one format with the same bounds, and the models around them.

    What an engine does with a body does not depend on the other models of the batch.

    Attributes:
        models: The models, whose bodies are counted through.
        judgements: One for each body of the models.
        rows: (N,) indices of the N bodies among those of all models.
    """

    models: Sequence[Model]
    judgements: Sequence[Judgement]
    rows: Sequence[int]

    @property
    def format(self) -> str:
        """The format of the models."""
        return self.models[0].format

    @cached_property
    def bounds(self) -> Bounds:
        """The settings of the models, if they are MJCF, that change the numbers of their bodies."""
        return read_bounds(self.models[0])

    @cached_property
    def all_bodies(self) -> list[Body]:
        """The bodies of all models, also those that are not in the batch."""
        return [body for model in self.models for body in model.bodies]

    @cached_property
    def model_rows(self) -> LongIntegers:
        """(N,) index of the model of each body."""
        ends = np.cumsum([len(model.bodies) for model in self.models])
        return np.searchsorted(ends, np.array(self.rows, dtype=np.int64), side="right")

    @cached_property
    def bodies(self) -> list[Body]:
        """The N bodies."""
        return [self.all_bodies[row] for row in self.rows]

    @cached_property
    def _judged(self) -> list[Judgement]:
        return [self.judgements[row] for row in self.rows]

    @cached_property
    def mass(self) -> Floats:
        """(N,) masses [kg]; NaN if a mass is missing or no number."""
        return np.array([judgement.mass for judgement in self._judged], dtype=float)

    @cached_property
    def I_BBcm_Bi(self) -> Floats:
        """(N, 6) inertias as written, in the order of ENTRIES [kg m^2]."""
        return np.array([judgement.I_BBcm_Bi for judgement in self._judged], dtype=float)

    @cached_property
    def I_BBcm_B(self) -> Floats:
        """(N, 6) inertias in the axes of the bodies [kg m^2]."""
        return np.array([judgement.I_BBcm_B for judgement in self._judged], dtype=float)

    @cached_property
    def p_BoBcm_B(self) -> Floats:
        """(N, 3) centres of mass in the body frames [m]."""
        return np.array([judgement.p_BoBcm_B for judgement in self._judged], dtype=float)

    @cached_property
    def diagonal(self) -> Flags:
        """(N,) whether all products of inertia are zero, so that the diagonal holds the moments."""
        return np.asarray((self.I_BBcm_Bi[:, _PRODUCTS] == 0).all(axis=1))

    @cached_property
    def moments(self) -> Floats:
        """(N, 3) ascending principal moments [kg m^2]; those written on a diagonal are exact."""
        computed = np.array([judgement.principal_moments for judgement in self._judged], float)
        written = np.sort(self.I_BBcm_Bi[:, _DIAGONAL], axis=1)
        return np.where(self.diagonal[:, None], written, computed)

    @cached_property
    def finite(self) -> Flags:
        """(N,) whether all six entries of the inertia are finite."""
        return np.asarray(np.isfinite(self.I_BBcm_Bi).all(axis=1))

    @cached_property
    def moved(self) -> Flags:
        """(N,) whether a movable joint connects the body to its parent."""
        return np.array([body.moved for body in self.bodies], dtype=bool)

    @cached_property
    def derived(self) -> Flags:
        """(N,) whether the document asks the engine to compute the inertia from geometry."""
        return np.array([body.inertia_from == "geometry" for body in self.bodies], dtype=bool)

    @cached_property
    def missing(self) -> Flags:
        """(N,) whether the document states no inertial."""
        return np.array([body.inertial is None for body in self.bodies], dtype=bool)

    @cached_property
    def principal_form(self) -> Flags:
        """(N,) whether the document states principal moments (diaginertia)."""
        return np.array([_is_principal(body) for body in self.bodies], dtype=bool)

    @cached_property
    def unit(self) -> Floats:
        """(N,) the unit of inertia of the document [kg m^2]."""
        return np.array([body.unit for body in self.bodies], dtype=float)

    def some(self, where: Flags, test: Callable[[int], bool]) -> Flags:
        """Apply a test to some bodies of the batch.

        Bodies whose inertia an engine computes from geometry are not tested, as no effect concerns
        them: tests of shapes would read those of nearly every body of an MJCF.

        Args:
            where: (N,) the bodies to test; the result is false for the others.
            test: A function of the position of a body in the batch.
        """
        result = np.zeros(len(self.rows), dtype=bool)
        for i in (where & ~self.derived).nonzero()[0].tolist():
            result[i] = test(i)
        return result

    def has_collision(self, i: int) -> bool:
        """Whether a body has a shape for contact."""
        return any(shape.role == "collision" for shape in self.bodies[i].shapes)

    def has_shape(self, i: int) -> bool:
        """Whether a body has any shape."""
        return bool(self.bodies[i].shapes)

    def is_anchored(self, i: int) -> bool:
        """Whether only fixed joints connect a body to the root."""
        row: int | None = self.rows[i]
        while row is not None:
            if self.all_bodies[row].moved:
                return False
            row = self.family.parents[row]
        return True

    def carries(self, i: int, mass: float, moment: float) -> bool:
        """Whether a body that fixed joints connect below this one has enough mass and inertia.

        Args:
            i: Position of the body in the batch.
            mass: The least mass [kg].
            moment: The least principal moment [kg m^2].
        """
        below = (self.judgements[row] for row in self.family.welded_descendants(self.rows[i]))
        return any(j.mass >= mass and j.principal_moments[0] >= moment for j in below)

    @cached_property
    def family(self) -> Family:
        """Parents and children of the bodies."""
        return Family(self.models)

    def name(self, i: int) -> str:
        """The name of a body."""
        return self.bodies[i].name

    def unread(self, i: int) -> tuple[str, str]:
        """Name and text of the first number of a body, mass first, that is not finite."""
        inertial = self.bodies[i].inertial
        if inertial is not None:
            for name in ("mass", *ENTRIES):
                number = inertial.mass if name == "mass" else inertial.I_BBcm_Bi.get(name)
                if number is None or not isfinite(number.value):
                    return name, "" if number is None else number.text
        return "mass", ""


class Family:
    """Parents and children of the bodies of models, by their indices among all bodies.

    Attributes:
        parents: Parent of each body; None for a root.
        children: Children of each body.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        self.parents: list[int | None] = []
        for model in models:
            rows = {body.id: row for row, body in enumerate(model.bodies, len(self.parents))}
            self.parents += [
                None if body.parent is None else rows.get(body.parent) for body in model.bodies
            ]
        self.children: list[list[int]] = [[] for _ in self.parents]
        self._moved = [body.moved for model in models for body in model.bodies]
        for row, parent in enumerate(self.parents):
            if parent is not None and parent != row:
                self.children[parent].append(row)

    def welded_descendants(self, row: int) -> Iterator[int]:
        """The bodies below a body that chains of fixed joints connect to it."""
        yield from self._below(row, fixed=True)

    def descendants(self, row: int) -> Iterator[int]:
        """All bodies below a body."""
        yield from self._below(row, fixed=False)

    def _below(self, row: int, *, fixed: bool) -> Iterator[int]:
        seen, pending = {row}, [row]
        while pending:
            for child in self.children[pending.pop()]:
                if child not in seen and not (fixed and self._moved[child]):
                    seen.add(child)
                    pending.append(child)
                    yield child


def _is_principal(body: Body) -> bool:
    """Whether the document states principal moments, which imply products of zero."""
    inertial = body.inertial
    if inertial is None:
        return False
    product = inertial.I_BBcm_Bi.get("ixy")
    return product is not None and product.span is None
