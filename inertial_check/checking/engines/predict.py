"""The bodies of a model as arrays, for the predictions of engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Action
from inertial_check.documents.model import ENTRIES, Body, Judgement, Misreading, Model, Parser
from inertial_check.inertia.arrays import Floats, Mask

Flags = Mask

Words = str | Callable[[int], str]
"""A text for all bodies, or a function that makes it from the position of a body in the batch."""


class Effect(NamedTuple):
    """One thing that an engine does with some bodies of a batch.

    Attributes:
        where: (N,) the bodies concerned; those with an earlier effect are skipped.
        action: What the engine does with them.
        message: What it prints or raises; line ends are spaces.
        becomes: What it simulates instead of the body as written.
    """

    where: Flags
    action: Action
    message: Words = ""
    becomes: Words = ""


class Batch:
    """The N bodies of a model.

    Attributes:
        model: The model.
        bodies: The N bodies.
        judgements: One for each body.
        mass: (N,) masses [kg]; NaN if a mass is missing or no number.
        I_BBcm_Bi: (N, 6) inertias as written, in the order of ENTRIES [kg m^2].
        I_BBcm_B: (N, 6) inertias in the axes of the bodies [kg m^2].
        p_BoBcm_B: (N, 3) centres of mass in the body frames [m].
        diagonal: (N,) whether all products of inertia are zero, so that the diagonal holds the
            moments.
        moments: (N, 3) ascending principal moments [kg m^2]; those written on a diagonal are exact.
        finite: (N,) whether all six entries of the inertia are finite.
        moved: (N,) whether a movable joint connects the body to its parent.
        derived: (N,) whether the document asks the engine to compute the inertia from geometry.
        missing: (N,) whether the document states no inertial.
        principal_form: (N,) whether the document states principal moments (diaginertia).
        unit: (N,) the unit of inertia of the document [kg m^2].
    """

    def __init__(self, model: Model, judgements: Sequence[Judgement]) -> None:
        bodies = model.bodies
        self.model, self.bodies, self.judgements = model, bodies, judgements
        self.mass: Floats = np.array([each.mass for each in judgements], dtype=float)
        six = np.array([each.I_BBcm_Bi for each in judgements], dtype=float).reshape(-1, 6)
        self.I_BBcm_Bi: Floats = six
        turned = np.array([each.I_BBcm_B for each in judgements], dtype=float).reshape(-1, 6)
        self.I_BBcm_B: Floats = turned
        self.p_BoBcm_B: Floats = np.array([each.p_BoBcm_B for each in judgements], dtype=float)
        self.diagonal: Flags = np.all(six[:, [1, 2, 4]] == 0, axis=1)
        computed = np.array([each.principal_moments for each in judgements], float).reshape(-1, 3)
        written = np.sort(six[:, [0, 3, 5]], axis=1)
        self.moments: Floats = np.where(self.diagonal[:, None], written, computed)
        self.finite: Flags = np.all(np.isfinite(six), axis=1)
        self.moved: Flags = np.array([body.moved for body in bodies], dtype=bool)
        self.derived: Flags = np.array([b.inertia_from == "geometry" for b in bodies], dtype=bool)
        self.missing: Flags = np.array([body.inertial is None for body in bodies], dtype=bool)
        inertials = (body.inertial for body in bodies)
        products = (None if each is None else each.I_BBcm_Bi.get("ixy") for each in inertials)
        # Principal moments imply products of zero, which are not written anywhere.
        self.principal_form: Flags = np.array(
            [each is not None and each.span is None for each in products], dtype=bool
        )
        self.unit: Floats = np.array([body.unit for body in bodies], dtype=float)

    @cached_property
    def family(self) -> Family:
        """Parents and children of the bodies."""
        return Family(self.bodies)

    def find_misreadings(self, parsers: Sequence[Parser]) -> Iterator[Effect]:
        """Find the effects of texts that some of these parsers read otherwise than written.

        A document's misreading concerns all its bodies; of several, the first decides.
        """
        rows: dict[Misreading, list[int]] = {}
        for misread, places in self._misread:
            if not set(parsers).isdisjoint(misread.parsers):
                rows.setdefault(misread, []).extend(places)
        for misread, found in rows.items():
            where = np.zeros(len(self.bodies), dtype=bool)
            where[found] = True
            yield Effect(where, misread.action, misread.said, misread.becomes)

    @cached_property
    def _misread(self) -> list[tuple[Misreading, Sequence[int]]]:
        """The misreadings of the document and of its bodies, with the bodies that each concerns."""
        own = [([i], body.problems) for i, body in enumerate(self.bodies) if body.problems]
        every = [(range(len(self.bodies)), self.model.problems), *own]
        return [
            (misread, places)
            for places, problems in every
            for problem in problems
            for misread in problem.misreadings
        ]

    def some(self, where: Flags, test: Callable[[int], bool]) -> Flags:
        """Apply a test to some bodies of the batch.

        Bodies whose inertia an engine computes from geometry are not tested, as no effect concerns
        them: tests of shapes would read those of nearly every body of an MJCF.

        Args:
            where: (N,) the bodies to test; the result is false for the others.
            test: A function of the position of a body in the batch.
        """
        result = np.zeros(len(self.bodies), dtype=bool)
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
        row: int | None = i
        while row is not None:
            if self.bodies[row].moved:
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
        below = (self.judgements[row] for row in self.family.descendants(i, fixed=True))
        return any(j.mass >= mass and j.principal_moments[0] >= moment for j in below)

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
    """Parents and children of the bodies of a model, by their indices.

    Attributes:
        parents: Parent of each body; None for a root.
        children: Children of each body.
    """

    def __init__(self, bodies: Sequence[Body]) -> None:
        rows = {body.id: row for row, body in enumerate(bodies)}
        self.parents = [None if body.parent is None else rows.get(body.parent) for body in bodies]
        self.children: list[list[int]] = [[] for _ in self.parents]
        self._moved = [body.moved for body in bodies]
        for row, parent in enumerate(self.parents):
            if parent is not None and parent != row:
                self.children[parent].append(row)

    def descendants(self, row: int, *, fixed: bool = False) -> Iterator[int]:
        """The bodies below a body: all, or those that chains of fixed joints connect to it."""
        seen, pending = {row}, [row]
        while pending:
            for child in self.children[pending.pop()]:
                if child not in seen and not (fixed and self._moved[child]):
                    seen.add(child)
                    pending.append(child)
                    yield child
