"""What an identification from files is asked for, and the texts that say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Literal, get_args

from inertial_check.errors import UsageError
from inertial_check.formats import Context
from inertial_check.identification.recordings.signals import Smoothing
from inertial_check.inertia.representations import Order

Term = Literal["viscous", "coulomb", "offset", "rotor"]
TERMS: tuple[Term, ...] = get_args(Term)
"""What can be in the torque of a joint beside the bodies."""

USUAL_TERMS: tuple[Term, ...] = ("viscous", "coulomb", "offset")
"""Taken where nothing is said: any drive has the first two, any sensor the third."""


@dataclass(frozen=True)
class Request:
    """An identification to be made.

    Attributes:
        data: Paths of the recordings to fit.
        model: Path of the robot.
        context: Where the robot finds what it refers to.
        validation: Paths of the recordings to predict.
        holdout: Part of each recording that is predicted and not fitted.
        gain: The torques are multiplied by it, by one number or one a joint; None for 1.
        degrees: Whether angles are recorded in degrees.
        delay: By which the torques come later than the motion that they go with [s].
        smoothing: What is done to the signals.
        base: "fixed" or "floating".
        gravity: (3,) in the axes of the base [m/s^2]; None for the usual.
        locked: Positions of joints that the data do not have [rad or m].
        order: Of the last six of each body's parameters in the columns of a given Y.
        prior: "file", "geometry", or the path of another model.
        prior_margin: Least margin of the prior's bodies; None for the package's own.
        prior_radius: Radius of gyration of the prior's bodies that have less [m]; None gives points
            that of the least of the others.
        regularization: Weight of the prior, or how it is chosen.
        metric: Of the distance to the prior.
        friction: Terms beside the bodies; None for the usual ones.
        friction_prior: Standard deviation about 0 by term; terms that it does not have are free.
        coupling: Pairs of joints that share a gear.
        weights: One over the standard deviation of each joint's noise; None to find them.
        loss: "squares" or "huber".
        margin: Least margin of the results.
        total_mass: Of the identified bodies [kg], and its relative tolerance.
        masses: Known masses by body [kg].
        solver: A conic solver to use instead of the package's own.
    """

    data: tuple[str, ...]
    model: str
    context: Context = field(default_factory=Context)
    validation: tuple[str, ...] = ()
    holdout: float = 0.0
    gain: tuple[float, ...] | None = None
    degrees: bool = False
    delay: float = 0.0
    smoothing: Smoothing = field(default_factory=Smoothing)
    base: Literal["fixed", "floating"] = "fixed"
    gravity: tuple[float, ...] | None = None
    locked: Mapping[str, float] = field(default_factory=dict)
    order: Order | None = None
    prior: str = "file"
    prior_margin: float | None = None
    prior_radius: float | None = None
    regularization: float | str = 1.0
    metric: str = "prior"
    friction: tuple[Term, ...] | None = None
    friction_prior: Mapping[Term, float] = field(default_factory=dict)
    coupling: tuple[tuple[str, str], ...] = ()
    weights: tuple[float, ...] | None = None
    loss: str = "squares"
    margin: float = 0.0
    total_mass: tuple[float, float] | None = None
    masses: Mapping[str, float] = field(default_factory=dict)
    solver: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no recording could meet.

        Raises:
            UsageError: Names the option.
        """
        if self.base == "floating":
            raise UsageError(
                "--base floating: the motion of the base is not in a recording of joints, and six "
                "of the equations need it; give --base fixed, or compute Y and tau yourself and "
                "give those"
            )
        if not 0 <= self.holdout < 1:
            raise UsageError(f"--holdout is {self.holdout!r}, expected 0 or more and less than 1")
        if not isfinite(self.delay):
            raise UsageError(f"--delay is {self.delay!r}, expected a time [s]")
        if self.prior_radius is not None and not 0 < self.prior_radius < inf:
            raise UsageError(f"--prior-radius is {self.prior_radius!r}, expected more than 0 [m]")
        if self.gravity is not None and len(self.gravity) != 3:
            raise UsageError(f"--gravity has {len(self.gravity)} numbers, expected three: X,Y,Z")


def terms(words: Sequence[str]) -> tuple[Term, ...]:
    """The terms that words name, in the order of TERMS; "none" for no term.

    Raises:
        UsageError: A word that is none.
    """
    if list(words) == ["none"]:
        return ()
    _refuse_unknown("--friction", words)
    return tuple(term for term in TERMS if term in words)


def scales(text: str | None) -> dict[Term, float]:
    """Standard deviations by term, of SCALE or TERM=SCALE,...

    Raises:
        UsageError: A text of another form, or a scale that is not positive.
    """
    if text is None:
        return {}
    if "=" not in text:
        scale = _number("--friction-prior", text, text)
        found: dict[str, float] = dict.fromkeys(TERMS, scale)
    else:
        found = _assigned("--friction-prior", text.split(","), "TERM=SCALE")
        _refuse_unknown("--friction-prior", list(found))
    for term, scale in found.items():
        if not scale > 0:
            raise UsageError(f"--friction-prior: {term} is {scale!r}, expected more than 0")
    return {term: found[term] for term in TERMS if term in found}


def positions(texts: Sequence[str]) -> dict[str, float]:
    """Positions by joint, of texts JOINT or JOINT=POSITION [rad or m].

    Raises:
        UsageError: A position that is no number.
    """
    given = [text if "=" in text else f"{text}=0" for text in texts]
    return _assigned("--locked", given, "JOINT[=POSITION]")


def masses(texts: Sequence[str]) -> dict[str, float]:
    """Masses by body, of texts BODY=KG.

    Raises:
        UsageError: A text of another form, or a mass that is not positive.
    """
    found = _assigned("--mass", texts, "BODY=KG")
    for body, mass in found.items():
        if not mass > 0:
            raise UsageError(f"--mass: {body} is {mass!r} kg, expected more than 0")
    return found


def total_mass(text: str | None) -> tuple[float, float] | None:
    """Mass and relative tolerance, of KG or KG:REL.

    Raises:
        UsageError: A text of another form, or a number that no robot has.
    """
    if text is None:
        return None
    mass, colon, relative = text.partition(":")
    found = (
        _number("--total-mass", text, mass),
        _number("--total-mass", text, relative) if colon else 0.0,
    )
    if not (found[0] > 0 and 0 <= found[1] < 1):
        raise UsageError(f"--total-mass {text}: expected KG above 0, and REL from 0 to below 1")
    return found


def pairs(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of joints, of texts JOINT,JOINT.

    Raises:
        UsageError: A text of another form.
    """
    found = []
    for text in texts:
        names = [part.strip() for part in text.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise UsageError(f"--coupling {text}: expected two joints, JOINT,JOINT")
        found.append((names[0], names[1]))
    return tuple(found)


def _assigned(option: str, texts: Sequence[str], form: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not (sign and name.strip()):
            raise UsageError(f"{option} {text}: expected {form}")
        found[name.strip()] = _number(option, text, value)
    return found


def _number(option: str, text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise UsageError(f"{option} {text}: {value!r} is no number") from None
    if not isfinite(number):
        raise UsageError(f"{option} {text}: {value!r} is not finite")
    return number


def _refuse_unknown(option: str, words: Sequence[str]) -> None:
    for word in words:
        if word not in TERMS:
            raise UsageError(f"{option}: {word!r} is none of {', '.join(TERMS)}, none")
