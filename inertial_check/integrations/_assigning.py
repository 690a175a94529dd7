"""Models of libraries whose inertial parameters can be set: all of the given bodies, or none.

A library is asked first whether it takes the new numbers. Only when it takes those of every body
are they written; then they are read again and compared with those that were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal, Protocol, cast

import numpy as np

from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import UsageError
from inertial_check.files.writing import WritableFolders
from inertial_check.fixing.assign import Target, find_targets
from inertial_check.fixing.case import Case, Change
from inertial_check.fixing.result import BodyFix, Fix, FixStatus
from inertial_check.formats.context import Context
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import symmetric
from inertial_check.model import Model
from inertial_check.model.judging import judge
from inertial_check.model.tree import tree_of
from inertial_check.model.vectors import Given, select_changes

_KEPT = 8 * float(tolerances.floor(np.ones(())))
"""Relative error that a library may make of a tensor: it turns it into other axes, or moves it to
another point, and back."""


class Refused(Exception):
    """A library does not take the parameters of a body.

    Attributes:
        status: Status of the result.
        reason: Explanation in one line.
    """

    def __init__(self, status: FixStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Holder(Protocol):
    """An object of a library that holds the bodies of a model."""

    def read(self) -> Model:
        """Read the bodies as the object holds them now."""

    def place(self, model: Model) -> Model:
        """Return the model with the joints of its bodies, where reading it does not tell them.

        Raises:
            UsageError: The library cannot tell.
        """

    def examine(self, index: int, target: Target) -> None:
        """Ask the library whether it takes the parameters of the body at an index.

        Raises:
            Refused: It does not.
            UsageError: It takes none at all.
        """

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the parameters of bodies by their indices; return the function that sets the old.

        Raises:
            Refused: The library does not take them; nothing has changed.
        """


@dataclass(frozen=True)
class LoadedModel(Model):
    """Model that a library holds in memory, whose parameters can be set there.

    Attributes:
        holder: The object of the library.
    """

    holder: Holder | None = field(default=None, repr=False, compare=False)

    def tree(self, base: Literal["fixed", "floating"] = "fixed") -> Tree:
        """Build the kinematic tree of the bodies, for inertial_check.dynamics.

        Args:
            base: Joint of a root that no joint holds.

        Raises:
            UsageError: The model has no tree; the message names the body.
        """
        model = self if self.holder is None else self.holder.place(self)
        return tree_of(model, base).tree

    def with_parameters(
        self,
        parameters: InertialParameters | ArrayLike | Mapping[str, InertialParameters | ArrayLike],
        bodies: Sequence[str] | None = None,
        *,
        digits: int | None = None,
        context: Context | None = None,
    ) -> LoadedFix:
        """Set inertial parameters in the object of the library, all of these bodies or none.

        The object itself changes; what was read from it before does not, and `model` of the result
        is the model as it is then.

        Args:
            parameters: One row for each body: InertialParameters, or (n, 10) about the bodies'
                origins in the order "urdf". Rows of NaN, and rows that are those of the object,
                stay as they are. Or a mapping of one body each by name or id.
            bodies: Names or ids of the bodies; None for all of the model, in its order.
            digits: None: an object keeps float64, and has no digits.
            context: None: an object includes no files.

        Returns:
            The result for each body, and a diff of the numbers. `complete` tells whether all of
            them were set; if not, nothing has changed, and each result has its reason.

        Raises:
            ParameterError: No such body, another number of rows, or parameters that no body has.
            UsageError: The bodies of the object are others than those that were read; the object
                takes no parameters at all.
        """
        if digits is not None or context is not None:
            raise UsageError(
                f"{self.source.path}: digits and context are of documents; an object in memory "
                "keeps each number as float64"
            )
        if self.holder is None:
            raise UsageError(f"{self.source.path}: no object of a library to set parameters in")
        current = self.holder.read()
        if [body.id for body in current.bodies] != [body.id for body in self.bodies]:
            raise UsageError(f"{self.source.path}: it has other bodies now: read it again")
        targets = find_targets(current, select_changes(current, cast("Given", parameters), bodies))
        return _Assignment(self.holder, current, targets).run()


@dataclass(frozen=True)
class LoadedFix(Fix):
    """Parameters that were set in an object of a library, or were not, and why.

    `source` and `data` are listings of the numbers before and after, of which `diff` shows the
    difference. The change is in the object already, so there is nothing to write.

    Attributes:
        model: The model as the object holds it now.
    """

    model: Model | None = field(default=None, repr=False, compare=False)

    def write(
        self,
        path: str | os.PathLike[str] | None = None,
        writable: WritableFolders | None = None,
    ) -> None:
        """Refuse to write: the numbers are in the object.

        Raises:
            UsageError: Always; save the object with its own library.
        """
        raise UsageError(
            f"{self.source.path}: nothing to write: the parameters are set in the object itself; "
            "save it with its own library"
        )


@dataclass(frozen=True)
class _Assignment:
    """Assigns targets to the bodies of an object.

    Attributes:
        holder: The object.
        model: The model as the object holds it.
        targets: Parameters by the ids of bodies.
    """

    holder: Holder
    model: Model
    targets: Mapping[str, Target]

    def run(self) -> LoadedFix:
        """Set all targets, or none."""
        rows = {
            index: self.targets[body.id]
            for index, body in enumerate(self.model.bodies)
            if body.id in self.targets
        }
        failures: dict[int, Refused] = {}
        for index, target in rows.items():
            try:
                self.holder.examine(index, target)
            except Refused as refusal:
                failures[index] = refusal
        if failures:
            return self._withhold(failures)
        if not rows:
            return self._conclude(self.model, ())
        try:
            take_back = self.holder.write(rows)
        except Refused as refusal:
            return self._withhold(dict.fromkeys(rows, refusal))
        again = self.holder.read()
        failures = self._compare(again, rows)
        if failures:
            take_back()
            return self._withhold(failures)
        return self._conclude(again, self._report(again))

    def _compare(self, again: Model, rows: Mapping[int, Target]) -> dict[int, Refused]:
        """The bodies whose parameters are others than those that were written."""
        failures, judgements = {}, judge(again)
        for index, target in rows.items():
            now = judgements[index]
            center = np.array(now.p_BoBcm_B) - target.p_BoBcm_B
            tensor = symmetric(np.array(now.I_BBcm_B)) - target.I_BBcm_B
            # A library that keeps the tensor about the origin rounds the one about the origin.
            moved = target.mass * float(target.p_BoBcm_B @ target.p_BoBcm_B)
            size = max(target.size, moved, float(np.linalg.norm(target.I_BBcm_B)))
            # A comparison with NaN is False, so that a body without numbers fails.
            if not (
                abs(now.mass - target.mass) <= _KEPT * target.mass
                and np.linalg.norm(center) <= _KEPT * np.linalg.norm(target.p_BoBcm_B)
                and np.linalg.norm(tensor) <= _KEPT * size
            ):
                reason = f"the library makes other numbers of them than it was given: {target}"
                failures[index] = Refused("not-representable", reason)
        return failures

    def _report(self, again: Model) -> tuple[BodyFix, ...]:
        """The results of the bodies that were set."""
        before, after = judge(self.model), judge(again)
        found = []
        for index, body in enumerate(self.model.bodies):
            if body.id not in self.targets:
                continue
            was, now = before[index], after[index]
            old, new = (symmetric(np.array(each.I_BBcm_B)) for each in (was, now))
            change: Change = {"new": now.I_BBcm_Bi, "margin": now.margin}
            change["distance"] = float(np.linalg.norm(new - old))
            change["relative_change"] = _relate(change["distance"], old)
            if was.mass != now.mass:
                change["mass"] = was.mass, now.mass
            if was.p_BoBcm_B != now.p_BoBcm_B:
                change["com"] = was.p_BoBcm_B, now.p_BoBcm_B
            found.append(Case(self.model, body, was).report("fixed", **change))
        return tuple(found)

    def _withhold(self, failures: Mapping[int, Refused]) -> LoadedFix:
        """The result of which nothing was set, as some bodies cannot be."""
        names = [self.model.bodies[index].name for index in failures]
        shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        others = Refused("withheld", f"all bodies are set or none, and {shown} cannot be")
        results = []
        for index, (body, judgement) in enumerate(
            zip(self.model.bodies, judge(self.model), strict=True)
        ):
            if body.id in self.targets:
                why = failures.get(index, others)
                results.append(Case(self.model, body, judgement).report(why.status, why.reason))
        return self._conclude(self.model, tuple(results))

    def _conclude(self, model: Model, results: tuple[BodyFix, ...]) -> LoadedFix:
        source = self.model.source
        results = tuple(replace(each, file=None) for each in results)
        return LoadedFix(source, self.model.format, model.source.data, results, model=model)


def _relate(distance: float, old: Floats) -> float:
    """The distance over the norm of the old tensor; infinite where that is zero or unknown."""
    size = float(np.linalg.norm(old))
    return distance / size if size > 0 else (inf if distance else 0.0)
