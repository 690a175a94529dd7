"""One body before it is fixed, and what is to be written for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.fixing.result import BodyFix, FixStatus, Three
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.representations import join
from inertial_check.model import ENTRIES, Body, Judgement, Model, Number
from inertial_check.projection.metrics import INERTIA, find_metric

Texts = Mapping[str, str]

MASS, CENTER = "mass", ("x", "y", "z")
QUATERNION = ("qw", "qx", "qy", "qz")
BROKEN = ("inconsistent", "rounding")
WHOLE = ("consistent", "boundary")


def numbers_of(body: Body) -> dict[str, Number]:
    """The ten numbers of a body that its document has: mass, x, y, z and those of ENTRIES."""
    if body.inertial is None:
        return {}
    mass = body.inertial.mass
    found = {} if mass is None else {MASS: mass}
    found |= zip(CENTER, body.inertial.p_BoBcm_B, strict=True)
    return found | dict(body.inertial.I_BBcm_Bi)


def changeable(body: Body) -> dict[str, Number]:
    """Those ten and the numbers of the quaternion, where one states the axes, by QUATERNION."""
    quaternion = () if body.inertial is None else body.inertial.quaternion or ()
    return numbers_of(body) | dict(zip(QUATERNION, quaternion, strict=False))


@dataclass(frozen=True)
class Proposal:
    """What is done about a body, and how.

    Attributes:
        result: What is said of it.
        texts: By name, the new texts of the numbers that change; empty where nothing is written.
        strict: Whether the new tensor passes without any tolerance.
        for_engine: Whether nothing but an engine asks for it.
    """

    result: BodyFix
    texts: Texts = field(default_factory=dict)
    strict: bool = True
    for_engine: bool = False


class Case(NamedTuple):
    """One body before it is fixed.

    Attributes:
        model: In which it is.
        body: As written.
        judgement: What the conditions say of it.
    """

    model: Model
    body: Body
    judgement: Judgement

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers that the document has, by name."""
        return changeable(self.body)

    @property
    def entries(self) -> list[Number]:
        """The six numbers of the inertia of a body that has them, in the order of ENTRIES."""
        numbers = self.numbers
        return [numbers[entry] for entry in ENTRIES]

    @property
    def six(self) -> Floats:
        """(6,) entries in the document's own units and the inertial's own axes."""
        return np.array([number.value for number in self.entries])

    @property
    def kilograms(self) -> float:
        """What the document's unit of mass weighs [kg]."""
        return 1.0 if self.body.inertial is None else self.body.inertial.kilograms_per_unit

    @property
    def meters(self) -> float:
        """How long the document's unit of length is [m]."""
        return 1.0 if self.body.inertial is None else self.body.inertial.meters_per_unit

    @property
    def unit(self) -> float:
        """The document's unit of inertia [kg m^2]."""
        return self.kilograms * self.meters**2

    def result(self, status: FixStatus, reason: str = "", **values: Any) -> BodyFix:
        """What is said of the body, with what it was."""
        place = self.model.place(self.body.span)
        margin = self.judgement.margin
        values = {"margin_before": margin, "margin": margin, **values}
        old = None if self.body.inertial is None else self.judgement.I_BBcm_Bi
        name, id_ = self.body.name, self.body.id
        return BodyFix(name, id_, place.line, status, reason, old, **values, file=place.path)

    def left(self, status: FixStatus, reason: str = "", **values: Any) -> Proposal:
        """The body stays as it is."""
        return Proposal(self.result(status, reason, **values))

    def moves(self, texts: Texts, metric: str = "inertia") -> dict[str, Any]:
        """What the new texts make of the body: the values of a BodyFix."""
        before = self.six
        written = [texts.get(entry, self.numbers[entry].text) for entry in ENTRIES]
        after = np.array([float(text) for text in written])
        size = float(INERTIA.distance(np.zeros(6), before))
        change = float(INERTIA.distance(before, after))
        moved: dict[str, Any] = {
            "new": tuple((self.unit * after).tolist()),
            "relative_change": change / size if size else (np.inf if change else 0.0),
            "distance": self.unit * float(find_metric(metric).distance(before, after)),
            "margin": _margin(after),
        }
        if MASS in texts:
            moved["mass"] = self.judgement.mass, float(texts[MASS]) * self.kilograms
        if not texts.keys().isdisjoint(CENTER):
            moved["com"] = self.judgement.p_BoBcm_B, self._center(texts)
        return moved

    def _center(self, texts: Texts) -> Three:
        numbers = self.numbers
        x, y, z = (float(texts.get(name, numbers[name].text)) * self.meters for name in CENTER)
        return x, y, z


def _margin(six: Floats) -> float:
    theta = join(np.ones(()), np.zeros(3), six)
    return float(Consistency(theta, "com").margin)


def percent(fraction: float) -> str:
    """A fraction as a reader reads it."""
    return f"{100 * fraction:.3g} %"
