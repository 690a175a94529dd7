"""The base class of engines: name, version, source, and the effects of an engine on bodies.

Texts of predictions: numbers with their units.

urdfdom, which reads URDF for several engines and drops inertials with numbers not finite.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain
from math import cbrt, pi
from typing import ClassVar, NamedTuple

import numpy as np

from inertial_check.checking.engines.predict import Batch, Effect
from inertial_check.checking.report import Prediction
from inertial_check.documents.model import Body, Parser


class Floors(NamedTuple):
    """Lower limits on the principal moments of inertia, besides the triangle inequality.

    Attributes:
        moment: Smallest principal moment, in the units of the tensor that it is compared with.
        ratio: Smallest principal moment divided by the largest. Dimensionless.
    """

    moment: float = 0.0
    ratio: float = 0.0

    def raise_by(self, further: float, largest: float) -> Floors:
        """Raise the floors by a share of the largest moment; a floor of zero stays zero."""
        moment = self.moment + further * largest if self.moment else 0.0
        return Floors(moment, self.ratio + further if self.ratio else 0.0)


NO_FLOORS = Floors()
"""Floors of an engine that compares moments with each other only."""


class Engine(ABC):
    """One physics engine with its default settings.

    Attributes:
        name: Its name, as --engine takes it.
        version: The version that the predictions hold for.
        source: The source files that they were read from, and the call that they were tested with.
        doors: The formats that it reads itself, each with the call that reads it.
        parsers: The code that parses a document of each of its formats.
        otherwise: The format that stands for all formats that it does not read itself.
        exact: It has no tolerance in the triangle inequality and computes the moments of a full
            tensor itself, so that the last bits of its own eigenvalues decide on the boundary.
        concerns_derived: It says something of bodies whose inertia engines take from geometry.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    source: ClassVar[str]
    doors: ClassVar[dict[str, str]]
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {}
    otherwise: ClassVar[str] = "urdf"
    exact: ClassVar[bool] = False
    concerns_derived: ClassVar[bool] = False

    @abstractmethod
    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """The effects of the engine, in the order in which it checks a body.

        Args:
            batch: The bodies.
            door: The format that it reads them from.
        """

    def door(self, format_: str) -> str:
        """The format that stands for a document of some format."""
        format_ = "urdf" if format_ == "xacro" else format_
        return format_ if format_ in self.doors else self.otherwise

    def floors(self, body: Body) -> Floors:
        """The floors [kg m^2] that a tensor written for this body must reach to be accepted.

        Args:
            body: The body as it is written; its form may decide which check the engine makes.
        """
        return NO_FLOORS

    def predict(self, batch: Batch) -> dict[int, Prediction]:
        """Predict what the engine does with the bodies that it does not take as written.

        Args:
            batch: The bodies.

        Returns:
            The predictions, by the index of the body in the batch.
        """
        found: dict[int, Prediction] = {}
        pending = ~(batch.derived & (not self.concerns_derived))
        left = int(pending.sum())
        door = self.door(batch.model.format)
        parsers = self.parsers.get(batch.model.format.replace("xacro", "urdf"), ())
        for effect in chain(batch.find_misreadings(parsers), self.effects(batch, door)):
            if not left:
                break  # the generator is not resumed: later effects are not computed
            taken = effect.where & pending
            rows = taken.nonzero()[0].tolist()
            if not rows:
                continue
            pending ^= taken
            left -= len(rows)
            if effect.action == "accept":
                continue
            say, become = effect.message, effect.becomes
            for i in rows:
                message = say if isinstance(say, str) else say(i)
                becomes = become if isinstance(become, str) else become(i)
                found[i] = Prediction(self.name, self.version, effect.action, message, becomes)
        return found


BOX = "the inertia of its collision shapes at 1000 kg/m^3"


def join(values: Iterable[float]) -> str:
    """Numbers with six digits, separated by commas."""
    return ", ".join(f"{value:.6g}" for value in values)


def moments(values: Iterable[float]) -> str:
    """Principal moments with their unit."""
    return f"principal moments {join(values)} kg m^2"


def body(mass: float, values: Iterable[float]) -> str:
    """A mass with its principal moments."""
    return f"{mass:.6g} kg, {moments(values)}"


def sphere(mass: float, density: float) -> str:
    """A solid sphere of a given density [kg/m^3], with its mass and moment of inertia."""
    radius = cbrt(3 * mass / (4 * pi * density))
    inertia = 0.4 * mass * radius**2
    return f"a sphere of {density:.6g} kg/m^3: {mass:.6g} kg, I = {inertia:.6g} kg m^2"


def replace_unreadable(batch: Batch) -> Iterator[Effect]:
    """The effects of urdfdom on bodies with such a number."""

    def message(i: int) -> str:
        name, text = batch.unread(i)
        if name == "mass":
            return f"Inertial: mass [{text}] is not a float"
        return f"Inertial: inertia element {name} is not a valid double"

    yield Effect(~np.isfinite(batch.mass), "replace", message, "0 kg without rotational inertia")
    yield Effect(
        ~batch.finite,
        "replace",
        message,
        lambda i: f"{batch.mass[i]:.6g} kg without rotational inertia",
    )
