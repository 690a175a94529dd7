"""Assignment of given parameters to the bodies of a model's document, as identification finds them.

Only numbers change; fixing.writing also inserts those that a document does not state. Where a
document states principal moments and a quaternion, the axes turn, and stay as near to those that
are written as they can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import acos, degrees, dist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.checking.shapes.priors import indices_of
from inertial_check.documents.context import Context
from inertial_check.documents.model import ENTRIES, Inertial, Judgement, Model, judge
from inertial_check.errors import InertialCheckError, ParameterError, UsageError
from inertial_check.fixing.digits import (
    ALIGNED,
    FEWEST_DIGITS,
    MOST_DIGITS,
    QUATERNION,
    Region,
    diagonalise,
    print_nearest,
    print_numbers,
    turn_quaternion,
)
from inertial_check.fixing.edits import settle
from inertial_check.fixing.methods import EngineTargets
from inertial_check.fixing.request import (
    CENTER,
    MASS,
    Case,
    Change,
    Locator,
    Method,
    Obstacle,
    Proposal,
    format_percent,
    is_in_text,
    propose_all,
)
from inertial_check.fixing.result import Fix
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.consistency import Consistency, Verdict
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Point, find_form, symmetric
from inertial_check.inertia.representations import six as six_of
from inertial_check.projection.moments import INERTIA

_ROUNDING = float(tolerances.floor(np.ones(())))
"""Relative rounding error of the way from the body's origin to the centre of mass."""

_TURNED = 4
"""Factor by which the error grows in axes that are not those of the body: into them, and back."""


_UNSTATED = {
    "geometry": "its inertia is taken from its shapes",
    "default": "the default of its format stands in",
}
"""Reasons why a document states no inertia of a body, by model.Body.inertia_from."""

Parameters = Mapping[str, "InertialParameters | npt.ArrayLike"]
"""Parameters by the name or id of a body; a vector (10,) is about its origin, in order "urdf"."""


def check_digits(digits: int | None) -> int:
    """The number of significant digits that is asked for.

    Raises:
        UsageError: Too few or too many.
    """
    if digits is not None and not FEWEST_DIGITS <= digits <= MOST_DIGITS:
        raise UsageError(f"digits is {digits!r}: expected {FEWEST_DIGITS} to {MOST_DIGITS}")
    return digits or MOST_DIGITS


def assign_targets(
    model: Model,
    targets: Mapping[str, Target],
    digits: int,
    context: Context,
    locate: Locator | None = None,
) -> Fix:
    """Write targets over the numbers that a document states of bodies, by their ids.

    Mass, centre of mass and the six entries change, in the document's own units and in the
    inertial's own axes. The axes stay where the document states six entries; where it states
    principal moments and a quaternion, they turn to the principal axes. All other bytes stay.
    Numbers that have their new value already, up to the rounding of the way from the origin to the
    centre of mass, keep their text.

    What is written passes a test without any tolerance, printed and parsed, in float64 and rounded
    to float32. A tensor so near to the border that it would not is moved inside, by some 1e-7 of
    its norm, and the body's `reason` says how far; if it is written there already, it stays.

    Raises:
        InertialCheckError: The new document would not have these parameters.
    """
    method = _AssignMethod(targets, digits)
    proposals = propose_all(model, method, targets, True, judge(model), locate)
    return settle(model, context, proposals, method, EngineTargets.of(model, (), 0.0), locate)


class Target(NamedTuple):
    """Parameters that a body is given.

    Attributes:
        mass: [kg].
        p_BoBcm_B: (3,) centre of mass [m].
        I_BBcm_B: (3, 3) tensor about it [kg m^2].
        size: The largest entry of the tensor about the point that it was given about [kg m^2].
        posed: Whether rounding leaves three digits of the tensor about the centre of mass.
    """

    mass: float
    p_BoBcm_B: Floats
    I_BBcm_B: Floats
    size: float
    posed: bool

    def is_met(self, judgement: Judgement, relative: float, tensor: float) -> bool:
        """Whether a body has these parameters; NaN is none.

        Args:
            judgement: The body.
            relative: Largest relative error of its mass and its centre of mass.
            tensor: Largest error of its tensor [kg m^2].
        """
        center = np.array(judgement.p_BoBcm_B) - self.p_BoBcm_B
        rest = symmetric(np.array(judgement.I_BBcm_B)) - self.I_BBcm_B
        return bool(
            abs(judgement.mass - self.mass) <= relative * self.mass
            and np.linalg.norm(center) <= relative * np.linalg.norm(self.p_BoBcm_B)
            and np.linalg.norm(rest) <= tensor
        )

    def rounding(self, case: Case) -> float:
        """Rounding error of an entry, in the units and the axes of the document."""
        inertial = case.body.inertial
        aligned = inertial is None or np.array_equal(inertial.R_BBi, np.eye(3))
        return (1 if aligned else _TURNED) * _ROUNDING * self.size / case.unit

    def express(self, R_BBi: Floats, unit: float) -> Floats:
        """(3, 3) the tensor in other axes, in a unit of inertia [kg m^2]."""
        tensor: Floats = R_BBi.T @ self.I_BBcm_B @ R_BBi / unit
        return tensor

    def turns_axes(self, case: Case) -> bool:
        """Whether the tensor has products in the axes in which the document states the body."""
        inertial = case.body.inertial
        R_BBi = np.eye(3) if inertial is None else np.array(inertial.R_BBi)
        products = self.express(R_BBi, case.unit)[np.triu_indices(3, 1)]
        return bool(np.max(np.abs(products)) > self.rounding(case))

    def __str__(self) -> str:
        """The parameters for a reader who has to write them."""
        center = " ".join(map(repr, self.p_BoBcm_B.tolist()))
        entries = zip(ENTRIES, six_of(self.I_BBcm_B).tolist(), strict=True)
        six = ", ".join(f"{entry} {value!r}" for entry, value in entries)
        return f"mass {self.mass!r} kg, centre of mass {center} m, about it {six} kg m^2"


def find_targets(model: Model, parameters: Parameters) -> dict[str, Target]:
    """The parameters that bodies are given, by their ids.

    Raises:
        ParameterError: See write_parameters.
    """
    names = list(parameters)
    ids = [model.bodies[index].id for index in indices_of(model, names)]
    for name, id_ in zip(names, ids, strict=True):
        if (first := names[ids.index(id_)]) != name:
            raise ParameterError(f"{first!r} and {name!r} are the same body: give one of them")
    bodies = [_read_parameters(name, parameters[name]) for name in names]
    found: dict[str, Target] = {}
    # Numbers about the centre of mass are judged there, without the rounding of a way from afar.
    for about in ("origin", "com"):
        rows = [i for i, body in enumerate(bodies) if body.about == about]
        if rows:
            theta = np.array([bodies[row].as_theta(about=about) for row in rows])
            targets = _judge_targets(
                theta, about, [bodies[row] for row in rows], [names[row] for row in rows]
            )
            found |= zip((ids[row] for row in rows), targets, strict=True)
    return {id_: found[id_] for id_ in ids}


def _judge_targets(
    theta: Floats, about: Point, bodies: Sequence[InertialParameters], names: Sequence[str]
) -> Iterator[Target]:
    """The targets of bodies with parameters (n, 10) about a point, once all are consistent.

    Raises:
        ParameterError: See write_parameters.
    """
    result = Consistency(theta, about)
    # A body far from its origin for its size has few digits left; it may be as it is written.
    posed = np.asarray(result.verdict_code) != Verdict.ILL_POSED
    for number in np.flatnonzero(posed & ~np.asarray(result.consistent)).tolist():
        raise ParameterError(
            f"parameters of {names[number]!r} are {result.verdict[number]} (margin "
            f"{float(result.margin[number]):.3g}), so they are not written; "
            "inertial_check.project gives the nearest consistent ones"
        )
    sizes = np.max(np.abs(theta[:, 4:]), axis=1).tolist()
    for body, size, is_posed in zip(bodies, sizes, posed.tolist(), strict=True):
        yield Target(
            float(body.mass), np.asarray(body.com), np.asarray(body.inertia_com), size, is_posed
        )


def _read_parameters(name: str, values: InertialParameters | npt.ArrayLike) -> InertialParameters:
    """The parameters of one body, in float64.

    Raises:
        ParameterError: They have another shape, or are not finite.
    """
    order, about = find_form(values)
    given = values if isinstance(values, InertialParameters) else None
    theta = np.asarray(values if given is None else given.as_theta(about=about), dtype=float)
    if theta.shape != (10,):
        raise ParameterError(f"parameters of {name!r} have shape {theta.shape}, expected (10,)")
    if not np.all(np.isfinite(theta)):
        (place, *_) = np.flatnonzero(~np.isfinite(theta))
        raise ParameterError(
            f"parameters of {name!r}: entry {place} is {float(theta[place])!r}; they are finite"
        )
    if given is None or about == "origin":
        return InertialParameters.from_theta(theta, order, about)
    center = np.asarray(given.com, dtype=float)
    if not np.all(np.isfinite(center)):
        raise ParameterError(f"parameters of {name!r}: the centre of mass is not finite")
    return InertialParameters.from_com(theta[0], center, theta[4:])


class _Tensor(NamedTuple):
    """Tensor in the form in which it is written.

    Attributes:
        six: (6,) in the document's own units and the inertial's own axes.
        turn: (3, 3) rotation from its own axes to those that the document has now.
        quaternion: Texts of the numbers that state the new axes; () where the axes stay.
    """

    six: Floats
    turn: Floats
    quaternion: tuple[str, ...] = ()


@dataclass(frozen=True)
class _AssignMethod(Method):
    """Gives bodies the parameters of their targets.

    Attributes:
        targets: Parameters by the body's id.
        digits: Significant digits of the new texts.
    """

    targets: Mapping[str, Target]
    digits: int

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the texts of the body's target."""
        target = self.targets[case.body.id]
        if (malformed := case.find_malformed_text()) is not None:
            return case.skip(*malformed)
        inertial = case.body.inertial
        if inertial is None or not case.has_stated_inertia():
            why = _UNSTATED.get(case.body.inertia_from, "it has no inertial")
            return case.skip("unwritten", f"{why}; write one: {target}")
        tensor = self._express_in_axes(case, inertial, target)
        written = self._print_six(case, tensor.six, target)
        if isinstance(written, Proposal):
            return written
        six, remarks = written
        center_numbers = case.numbers
        mass, center = target.mass / case.kilograms, target.p_BoBcm_B / case.meters
        rounding = _ROUNDING * float(np.max(np.abs(center)))
        wanted = dict(
            zip(
                (MASS, *CENTER),
                [
                    *print_numbers([center_numbers[MASS]], [mass], self.digits, _ROUNDING * mass),
                    *print_numbers(
                        [center_numbers[name] for name in CENTER],
                        center.tolist(),
                        self.digits,
                        rounding,
                    ),
                ],
                strict=True,
            )
        )
        wanted |= dict(zip(ENTRIES, six, strict=True))
        wanted |= dict(zip(QUATERNION, tensor.quaternion, strict=False))
        numbers = {name: number.text for name, number in case.numbers.items()}
        texts = {name: text for name, text in wanted.items() if text != numbers.get(name)}
        if texts and case.can_be_layered() and not is_in_text(case.numbers["ixx"]):
            # Engines compute a centre and axes of USD that are not written.
            texts |= {name: wanted[name] for name in CENTER if case.numbers[name].span is None}
            if inertial.quaternion is None and not case.body.find_numbers("newton:inertia"):
                texts = dict(zip(QUATERNION, ("1", "0", "0", "0"), strict=True)) | texts
        if (obstacle := case.find_uneditable(texts)) is not None:
            return case.skip(*obstacle)
        if not texts:
            return case.skip("unchanged")
        change = case.measure_change(texts)
        reason = "; ".join([*_describe_change(change, tensor), *remarks])
        strict = not texts.keys().isdisjoint(ENTRIES)
        result = replace(case.report("fixed", reason, **change), remarks=tuple(remarks))
        return Proposal(result, texts, strict=strict)

    def find_objections(
        self, again: Model, changing: Mapping[str, Proposal]
    ) -> dict[str, Obstacle]:
        """No objections; a body with other parameters than its target ends the assignment.

        Raises:
            InertialCheckError: A body has other parameters.
        """
        # The digits that are written, and a way into other axes and back when it is read again.
        allowed = tolerances.digits_margin(self.digits) + 2 * _TURNED * _ROUNDING
        for body, judgement in zip(again.bodies, judge(again), strict=True):
            if body.id not in changing:
                continue
            target = self.targets[body.id]
            inside = tolerances.NEAREST_WRITTEN * float(np.linalg.norm(target.I_BBcm_B))
            if not target.is_met(judgement, allowed, allowed * target.size + inside):
                raise InertialCheckError(
                    f"{again.source.path}: not written: the new document gives {body.name} other "
                    f"parameters than it was given: {target}"
                )
        return {}

    def _express_in_axes(self, case: Case, inertial: Inertial, target: Target) -> _Tensor:
        """The tensor in the inertial's own axes, which turn where only moments are written."""
        R_BBi = np.array(inertial.R_BBi)
        tensor = target.express(R_BBi, case.unit)
        quaternion = inertial.quaternion or (ALIGNED if case.can_be_layered() else ())
        if not quaternion or not target.turns_axes(case):
            return _Tensor(six_of(tensor), np.eye(3))
        moments, turn = diagonalise(tensor, target.rounding(case))
        values = turn_quaternion([number.value for number in quaternion], turn)
        texts = print_numbers(quaternion, values.tolist(), self.digits, _ROUNDING)
        return _Tensor(six_of(np.diag(moments)), turn, tuple(texts))

    def _print_six(
        self, case: Case, six: Floats, target: Target
    ) -> tuple[list[str], list[str]] | Proposal:
        """The texts of the six entries, with remarks; or the proposal where there are none."""
        region = Region()
        texts = print_numbers(case.entries, six.tolist(), self.digits, target.rounding(case))
        stays = texts == [number.text for number in case.entries]
        if stays or (target.posed and region.contains(np.array(texts, dtype=float))):
            return texts, []
        nearest = region.find_nearest(six) if target.posed else None
        if nearest is None:
            why = "about its centre of mass, rounding leaves fewer than three digits of its tensor"
            return case.skip("no-nearest", why)
        inside = print_nearest(case.entries, nearest, region, self.digits)
        if inside is None:
            return case.skip("not-representable", "no decimals of its size survive float32")
        moved = float(
            INERTIA.distance(np.array(inside, dtype=float), six)
            / INERTIA.distance(np.zeros(6), six)
        )
        return inside, [f"moved inside by {moved:.2g} of its norm, so that it survives rounding"]


def _describe_change(change: Change, tensor: _Tensor) -> Iterator[str]:
    if "mass" in change:
        before, after = change["mass"]
        yield f"its mass changes from {before:.6g} to {after:.6g} kg"
    if "com" in change:
        yield f"its centre of mass moves by {dist(*change['com']):.3g} m"
    yield f"its inertia changes by {format_percent(change['relative_change'])}"
    if tensor.quaternion:
        cosine = (float(np.trace(tensor.turn)) - 1) / 2
        yield f"its axes turn by {degrees(acos(min(1.0, max(-1.0, cosine)))):.3g} deg"
