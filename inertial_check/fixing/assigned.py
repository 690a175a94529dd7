"""Given parameters into a model's document, as identification finds them: only numbers change."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import acos, degrees, dist, inf
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import InertialCheckError, ParameterError, UsageError
from inertial_check.fixing.aims import Aims
from inertial_check.fixing.case import (
    CENTER,
    MASS,
    QUATERNION,
    Case,
    Proposal,
    Texts,
    percent,
)
from inertial_check.fixing.digits import (
    FEWEST_DIGITS,
    MOST_DIGITS,
    printed,
    printed_nearest,
)
from inertial_check.fixing.obstacles import complaint, has_layers, is_stated, unreachable
from inertial_check.fixing.region import Region
from inertial_check.fixing.result import Fix
from inertial_check.fixing.settling import settled
from inertial_check.fixing.turning import diagonalised, turned
from inertial_check.fixing.verifying import Reader
from inertial_check.formats import Context, load
from inertial_check.geometry.priors import indices_of
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.representations import symmetric
from inertial_check.model import ENTRIES, Inertial, Model, Number
from inertial_check.model.judging import judge
from inertial_check.projection.metrics import INERTIA

_ROUNDING = float(tolerances.floor(np.ones(())))
"""What the way between parameters about the origin and about the centre of mass may err by."""

_TURNED = 4
"""How much more it may err by in axes that are not those of the body: into them, and back."""

_UNSTATED = {
    "geometry": "its inertia is taken from its shapes",
    "default": "the default of its format stands in",
}

_ALIGNED = tuple(Number(float(text), text, None) for text in "1000")
"""The quaternion of a body whose axes a layer can state, and its document does not."""

_FORMS = {
    "mjcf": "write its six numbers as fullinertia, without an orientation, or its axes as quat",
    "usd": "write physics:principalAxes",
}
"""How documents whose form is principal moments state others than those about the axes of B."""


def assign(
    model_or_path: Model | str | os.PathLike[str] | bytes,
    parameters: Mapping[str, Any],
    *,
    digits: int | None = None,
    context: Context | None = None,
) -> Fix:
    """Write given inertial parameters over those that a model's document states.

    Mass, centre of mass and the six entries change, in the document's own units and in the
    inertial's own axes; these stay where the document can say so, and are the principal ones where
    it has principal moments and a quaternion. All other bytes stay. Numbers that are what they
    shall be, up to the rounding of the way from the origin to the centre of mass, keep their text.

    What is written passes a test without any tolerance, printed and parsed, in float64 and rounded
    to float32. A tensor so near to the edge that it would not is moved inside, by some 1e-7 of its
    norm, and the body's `reason` says how far; one that stands there already is left.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        parameters: By the name of a body, or its id where names repeat: (10,) parameters about the
            body's origin in its axes, in the order "urdf": mass, first moment, ixx, ixy, ixz, iyy,
            iyz, izz [kg, kg m, kg m^2]. Other bodies stay as they are.
        digits: Significant digits, but never fewer than the text that is replaced has; None for as
            many as tell each float64 from its neighbours.
        context: Where what the document includes is found.

    Returns:
        The new bytes, not written, and what was done about each of these bodies. `unwritten`: the
        document states no inertia of the body, or a number that would have to change is not there;
        the reason tells what to write. `expression`, `shared`: see FixStatus.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: A name that no body or several have, parameters that are not ten finite
            numbers, or that no body has.
        UsageError: A number of digits that does not serve.
        InertialCheckError: The new document would not read as told.
    """
    if digits is not None and not FEWEST_DIGITS <= digits <= MOST_DIGITS:
        raise UsageError(f"digits is {digits!r}: expected {FEWEST_DIGITS} to {MOST_DIGITS}")
    within = context or Context()
    model = (
        model_or_path if isinstance(model_or_path, Model) else load(model_or_path, context=within)
    )
    way = _Assigned(_targets(model, parameters), digits or MOST_DIGITS)
    proposals = {
        body.id: way.proposal(Case(model, body, judgement), True)
        for body, judgement in zip(model.bodies, judge(model), strict=True)
        if body.id in way.targets
    }
    return settled(Reader(model, within, 0.0), proposals, way, Aims.of(model, (), 0.0))


class _Target(NamedTuple):
    """What a body shall have.

    Attributes:
        mass: [kg].
        p_BoBcm_B: (3,) [m].
        I_BBcm_B: (3, 3) [kg m^2].
        size: The largest entry of the tensor about the origin [kg m^2].
        posed: Whether its rounding leaves three digits of the tensor about the centre of mass.
    """

    mass: float
    p_BoBcm_B: Floats
    I_BBcm_B: Floats
    size: float
    posed: bool

    def crumb(self, case: Case) -> float:
        """What an entry may err by, in the units and the axes of the document."""
        inertial = case.body.inertial
        aligned = inertial is None or np.array_equal(inertial.R_BBi, np.eye(3))
        return (1 if aligned else _TURNED) * _ROUNDING * self.size / case.unit

    def __str__(self) -> str:
        """As a reader who has to write it needs it."""
        center = " ".join(map(repr, self.p_BoBcm_B.tolist()))
        entries = zip(ENTRIES, six_of(self.I_BBcm_B).tolist(), strict=True)
        six = ", ".join(f"{entry} {value!r}" for entry, value in entries)
        return f"mass {self.mass!r} kg, centre of mass {center} m, about it {six} kg m^2"


def _targets(model: Model, parameters: Mapping[str, Any]) -> dict[str, _Target]:
    """By the body's id, what it shall have.

    Raises:
        ParameterError: See assign.
    """
    names = list(parameters)
    ids = [model.bodies[index].id for index in indices_of(model, names)]
    for name, id_ in zip(names, ids, strict=True):
        if (first := names[ids.index(id_)]) != name:
            raise ParameterError(f"{first!r} and {name!r} are the same body: give one of them")
    theta = np.array([_ten(name, parameters[name]) for name in names]).reshape(-1, 10)
    result = Consistency(theta, "origin")
    # A body that is small beside its distance from the origin may be the one that stands there.
    posed = np.asarray(result.verdict_code) != Verdict.ILL_POSED
    for number in np.flatnonzero(posed & ~np.asarray(result.consistent)).tolist():
        raise ParameterError(
            f"parameters of {names[number]!r} are {result.verdict[number]} (margin "
            f"{float(result.margin[number]):.3g}), so they are not written; "
            "inertial_check.project gives the nearest that a body has"
        )
    bodies = InertialParameters.from_theta(theta)
    columns = (
        np.asarray(bodies.mass).tolist(),
        np.asarray(bodies.com),
        np.asarray(bodies.inertia_com),
        np.max(np.abs(theta[:, 4:]), axis=1).tolist(),
        posed.tolist(),
    )
    return dict(zip(ids, map(_Target, *columns), strict=True))


def _ten(name: str, values: Any) -> Floats:
    theta = np.asarray(values, dtype=float)
    if theta.shape != (10,):
        raise ParameterError(f"parameters of {name!r} have shape {theta.shape}, expected (10,)")
    if not np.all(np.isfinite(theta)):
        (place, *_) = np.flatnonzero(~np.isfinite(theta))
        raise ParameterError(
            f"parameters of {name!r}: entry {place} is {float(theta[place])!r}; they are finite"
        )
    return theta


class _Tensor(NamedTuple):
    """A tensor as it is to be written.

    Attributes:
        six: (6,) in the document's own units and the inertial's own axes.
        turn: (3, 3) its own axes, in those that the document has now.
        quaternion: The texts of the numbers that state them; () where the axes stay.
    """

    six: Floats
    turn: Floats
    quaternion: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Assigned:
    """Gives bodies what they are told to have.

    Attributes:
        targets: By id.
        digits: Significant digits of what is written.
    """

    targets: Mapping[str, _Target]
    digits: int

    def proposal(self, case: Case, chosen: bool) -> Proposal:
        """What is told over what is written; all bodies that come here are chosen."""
        target = self.targets[case.body.id]
        if (malformed := complaint(case)) is not None:
            return case.left(*malformed)
        inertial = case.body.inertial
        if inertial is None or not is_stated(case):
            why = _UNSTATED.get(case.body.inertia_from, "it has no inertial")
            return case.left("unwritten", f"{why}; write one: {target}")
        tensor = self._tensor(case, inertial, target)
        written = self._six(case, tensor.six, target)
        if isinstance(written, Proposal):
            return written
        six, remarks = written
        wished = dict(zip((MASS, *CENTER), self._mass_and_center(case, target), strict=True))
        wished |= dict(zip(ENTRIES, six, strict=True))
        wished |= dict(zip(QUATERNION, tensor.quaternion, strict=False))
        numbers = {name: number.text for name, number in case.numbers.items()}
        texts = {name: text for name, text in wished.items() if text != numbers.get(name)}
        if (obstacle := unreachable(case, texts)) is not None:
            status, reason = obstacle
            return case.left(status, _formless(case, texts, target) or reason)
        if not texts:
            return case.left("unchanged")
        moves = _moves(case, texts, tensor)
        said = "; ".join([*_said(moves), *_turning(tensor), *remarks])
        strict = not texts.keys().isdisjoint(ENTRIES)
        return Proposal(case.result("fixed", said, **moves), texts, strict)

    def objections(self, again: Model, moved: Mapping[str, Proposal]) -> dict[str, str]:
        """None: what reads otherwise than it was told is no body's fault.

        Raises:
            InertialCheckError: Some body does.
        """
        allowed = tolerances.digits_margin(self.digits) + 2 * _TURNED * _ROUNDING
        for body, judgement in zip(again.bodies, judge(again), strict=True):
            if body.id not in moved:
                continue
            target = self.targets[body.id]
            center = np.array(judgement.p_BoBcm_B) - target.p_BoBcm_B
            tensor = symmetric(np.array(judgement.I_BBcm_B)) - target.I_BBcm_B
            inside = tolerances.NEAREST_WRITTEN * np.linalg.norm(target.I_BBcm_B)
            if not (
                abs(judgement.mass - target.mass) <= allowed * target.mass
                and np.linalg.norm(center) <= allowed * np.linalg.norm(target.p_BoBcm_B)
                and np.linalg.norm(tensor) <= allowed * target.size + inside
            ):
                raise InertialCheckError(
                    f"{again.source.path}: not written: the new document gives {body.name} other "
                    f"parameters than it shall have: {target}"
                )
        return {}

    def _mass_and_center(self, case: Case, target: _Target) -> list[str]:
        numbers = case.numbers
        mass, center = target.mass / case.kilograms, target.p_BoBcm_B / case.meters
        crumb = _ROUNDING * float(np.max(np.abs(center)))
        return [
            *printed([numbers[MASS]], [mass], self.digits, _ROUNDING * mass),
            *printed([numbers[name] for name in CENTER], center.tolist(), self.digits, crumb),
        ]

    def _tensor(self, case: Case, inertial: Inertial, target: _Target) -> _Tensor:
        """The tensor in the inertial's own axes, which turn where only moments are written."""
        R_BBi = np.array(inertial.R_BBi)
        tensor = R_BBi.T @ target.I_BBcm_B @ R_BBi / case.unit
        crumb = target.crumb(case)
        products = np.abs(tensor[np.triu_indices(3, 1)])
        quaternion = inertial.quaternion or (_ALIGNED if has_layers(case) else ())
        if not quaternion or np.max(products) <= crumb:
            return _Tensor(six_of(tensor), np.eye(3))
        moments, turn = diagonalised(tensor, crumb)
        values = turned([number.value for number in quaternion], turn)
        texts = printed(quaternion, values.tolist(), self.digits, _ROUNDING)
        return _Tensor(six_of(np.diag(moments)), turn, tuple(texts))

    def _six(
        self, case: Case, six: Floats, target: _Target
    ) -> tuple[list[str], list[str]] | Proposal:
        """The texts of the six entries, with remarks, or what is done where there are none."""
        region = Region()
        texts = printed(case.entries, six.tolist(), self.digits, target.crumb(case))
        stays = texts == [number.text for number in case.entries]
        if stays or (target.posed and region.holds(_values(texts))):
            return texts, []
        nearest = region.nearest(six) if target.posed else None
        if nearest is None:
            why = "about its centre of mass, rounding leaves fewer than three digits of its tensor"
            return case.left("no-nearest", why)
        inside = printed_nearest(case.entries, nearest, region, self.digits)
        if inside is None:
            return case.left("not-representable", "no decimals of its size survive float32")
        moved = float(INERTIA.distance(_values(inside), six) / INERTIA.distance(np.zeros(6), six))
        return inside, [f"moved inside by {moved:.2g} of its norm, so that it survives rounding"]


def _values(texts: Sequence[str]) -> Floats:
    return np.array([float(text) for text in texts])


def _moves(case: Case, texts: Texts, tensor: _Tensor) -> dict[str, Any]:
    """The values of a BodyFix; its changes in axes that stay, those of the body."""
    moves = case.moves(texts)
    inertial = case.body.inertial
    if tensor.quaternion and inertial is not None:
        R = np.array(inertial.R_BBi) @ tensor.turn
        before = symmetric(np.array(case.judgement.I_BBcm_B))
        distance = float(np.linalg.norm(R @ symmetric(np.array(moves["new"])) @ R.T - before))
        size = float(np.linalg.norm(before))
        moves |= {"distance": distance, "relative_change": distance / size if size else inf}
    return moves


def _said(moves: Mapping[str, Any]) -> Iterator[str]:
    """What changes."""
    if "mass" in moves:
        before, after = moves["mass"]
        yield f"its mass changes from {before:.6g} to {after:.6g} kg"
    if "com" in moves:
        yield f"its centre of mass moves by {dist(*moves['com']):.3g} m"
    yield f"its inertia changes by {percent(moves['relative_change'])}"


def _turning(tensor: _Tensor) -> Iterator[str]:
    if tensor.quaternion:
        cosine = (float(np.trace(tensor.turn)) - 1) / 2
        yield f"its axes turn by {degrees(acos(min(1.0, max(-1.0, cosine)))):.3g} deg"


def _formless(case: Case, texts: Texts, target: _Target) -> str:
    """What to write where principal moments cannot say what the body shall have; "" elsewhere."""
    form, products = _FORMS.get(case.model.format), ("ixy", "ixz", "iyz")
    if form is None or texts.keys().isdisjoint(products):
        return ""
    return f"its principal axes turn, and no quaternion states them: {form}; it shall have {target}"
