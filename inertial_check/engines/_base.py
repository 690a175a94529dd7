"""What an engine is: name, version, source, and what it does with bodies, in its own order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

from inertial_check.engines._batch import Batch, Flags
from inertial_check.model import Action, Body, Prediction

Words = str | Callable[[int], str]
"""A text for all bodies, or what makes it from a body's position in the batch."""


class Outcome(NamedTuple):
    """One thing that an engine does.

    Attributes:
        where: (N,) with which bodies, unless an earlier outcome has taken them.
        action: What it does.
        message: What it prints or raises, line ends shown as spaces.
        becomes: What it simulates instead.
    """

    where: Flags
    action: Action
    message: Words = ""
    becomes: Words = ""


class Floors(NamedTuple):
    """Lower limits on the principal moments of inertia, besides the triangle inequality.

    Attributes:
        moment: Smallest principal moment, in the units of the tensor that it is compared with.
        ratio: Smallest principal moment divided by the largest. Dimensionless.
    """

    moment: float = 0.0
    ratio: float = 0.0

    def raised(self, further: float, largest: float) -> Floors:
        """These floors raised by a share of the largest moment; a floor of zero stays zero."""
        moment = self.moment + further * largest if self.moment else 0.0
        return Floors(moment, self.ratio + further if self.ratio else 0.0)


NO_FLOORS = Floors()
"""Floors of an engine that compares moments with each other only."""


class Engine(ABC):
    """One engine, as it is used by default.

    Attributes:
        name: As --engine takes it.
        version: For which this holds.
        source: Where it is read, and how it was tried.
        doors: The formats that it reads itself, each with the call that is meant.
        least: Ten times the highest absolute floor for masses [kg] and moments [kg m^2].
        otherwise: The format as which it is taken to get the numbers of any other.
        exact: It has no tolerance in the triangle inequality and computes the moments of a full
            tensor itself, so that the last bits of its own eigenvalues decide on the boundary.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    source: ClassVar[str]
    doors: ClassVar[dict[str, str]]
    otherwise: ClassVar[str] = "urdf"
    least: ClassVar[float] = 1e-8
    exact: ClassVar[bool] = False

    @abstractmethod
    def outcomes(self, batch: Batch, door: str) -> Iterator[Outcome]:
        """What it does, in the order in which it looks at a body.

        Args:
            batch: The bodies.
            door: The format as which it reads them.
        """

    def door(self, format_: str) -> str:
        """The format as which a document of some format is read."""
        format_ = "urdf" if format_ == "xacro" else format_
        return format_ if format_ in self.doors else self.otherwise

    def floors(self, body: Body) -> Floors:
        """The floors [kg m^2] that a tensor written for this body must reach to be accepted.

        Args:
            body: The body as it is written; its form may decide which check the engine makes.
        """
        return NO_FLOORS

    def accepted(self) -> Prediction:
        """What is said of a body that it takes as it is."""
        return Prediction(self.name, self.version, "accept")

    def predict(self, batch: Batch) -> dict[int, Prediction]:
        """What it does with the bodies that it does not take as they are.

        Args:
            batch: The bodies.

        Returns:
            By the body's index in the model.
        """
        found: dict[int, Prediction] = {}
        pending = ~batch.derived
        left = int(pending.sum())
        for outcome in self.outcomes(batch, self.door(batch.model.format)):
            if not left:
                break  # and with it all that the engine would compute next
            taken = outcome.where & pending
            rows = taken.nonzero()[0].tolist()
            if not rows:
                continue
            pending ^= taken
            left -= len(rows)
            if outcome.action == "accept":
                continue
            for i in rows:
                message, becomes = (
                    words if isinstance(words, str) else words(i)
                    for words in (outcome.message, outcome.becomes)
                )
                found[batch.rows[i]] = Prediction(
                    self.name, self.version, outcome.action, message, becomes
                )
        return found
