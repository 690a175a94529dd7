"""Outcomes of a filling for each body, and notes on the whole model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from inertial_check.filling.densities.solution import Solution
from inertial_check.filling.known import Knowledge
from inertial_check.filling.result import GUESS, FilledBody, FillStatus
from inertial_check.filling.selection import Target
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.fixing.result import INTACT, Fix
from inertial_check.model import Model
from inertial_check.model.judging import judge

_ALONE = "--body NAME fills bodies alone"
"""Way out where one body keeps the others from being written."""


class Refusals(NamedTuple):
    """Reasons against bodies.

    Attributes:
        unfit: By index, why shapes cannot hold the masses that the document states.
        objections: By id, findings of check against new numbers.
    """

    unfit: Mapping[int, str]
    objections: Mapping[str, str]


def list_outcomes(
    model: Model,
    targets: Sequence[Target],
    pieces: Mapping[int, BodyPieces],
    solution: Solution | None,
    fix: Fix,
    refusals: Refusals,
) -> tuple[FilledBody, ...]:
    """List what became of each body.

    Args:
        model: The model.
        targets: The bodies to fill.
        pieces: Their pieces, by index.
        solution: Their numbers; None where none has a shape.
        fix: The document with new numbers.
        refusals: Reasons against bodies.
    """
    written = {body.id: body for body in fix.bodies}
    found = []
    for target in targets:
        body, own = model.bodies[target.at], pieces[target.at]
        line = model.place(body.span).line
        if target.at in refusals.unfit:
            why = refusals.unfit[target.at]
            found.append(FilledBody(body.name, body.id, line, "refused", why))
            continue
        if solution is None or target.at not in solution.parameters:
            why = "; ".join(own.remarks) or "it has no shape, and carries no joint"
            found.append(FilledBody(body.name, body.id, line, "no-shape", why))
            continue
        status: FillStatus = "filled"
        reason = f"its inertial was {target.reason}"
        result, objections = written[body.id], refusals.objections
        if body.id in objections:
            status, reason = "refused", objections[body.id]
        elif objections or result.status == "withheld":
            names = ", ".join(_list_names(model, objections))
            why = f"all bodies are written or none, and {names} cannot be"
            status, reason = "withheld", f"{why if names else result.reason}; {_ALONE}"
        elif result.status not in INTACT:
            status, reason = "unwritten", result.reason
        found.append(_describe_body(own, line, status, reason, solution, target.at))
    return tuple(found)


def _describe_body(
    own: BodyPieces, line: int, status: FillStatus, reason: str, solution: Solution, index: int
) -> FilledBody:
    interval, density = solution.intervals[index], solution.densities[index]
    least, most = (float(value) for value in interval.mass)
    return FilledBody(
        own.body.name,
        own.body.id,
        line,
        status,
        reason,
        describe_source(own, density),
        solution.parameters[index],
        density,
        interval,
        own.guess or own.skipped or most > GUESS * least,
        own.remarks,
    )


def _list_names(model: Model, ids: Collection[str]) -> list[str]:
    return [body.name for body in model.bodies if body.id in ids][:4]


def describe_source(own: BodyPieces, density: float) -> str:
    """Where the numbers of a body come from, in one line."""
    if own.guess:
        return f"a guess: {density:.4g} kg/m^3 in {own.pieces[0].label}"
    readings = dict.fromkeys(piece.reading for piece in own.pieces)
    taken = [name for name in readings if name != "solid"]
    kinds = dict.fromkeys(piece.label for piece in own.pieces)
    as_ = f" as {', '.join(taken)}" if taken else ""
    without = f" without what lies in {', '.join(own.shared)}" if own.shared else ""
    like = f", distributed as in {own.like}" if own.like else ""
    return f"{density:.4g} kg/m^3 in {', '.join(kinds)}{as_}{without}{like}"


def list_notes(
    model: Model, known: Knowledge, targets: Sequence[Target], solution: Solution
) -> Iterator[str]:
    """Lines about the whole model."""
    if known.density is None and known.total_mass is None:
        yield f"the usual density is {solution.usual}"
    yield from filter(None, solution.remarks)
    for name in solution.dropped:
        yield f"given sums exclude {name}, which was assumed of twins with equal shapes"
    if known.total_mass is None and not known.subtree_masses:
        return
    filled = {each.at for each in targets}
    empty = [
        body.name
        for index, (body, judgement) in enumerate(zip(model.bodies, judge(model), strict=True))
        if index not in filled and body.shapes and not judgement.mass > 0
    ]
    if empty:
        shown = ", ".join(empty[:4]) + (", ..." if len(empty) > 4 else "")
        yield f"counted with 0 kg, as no joint moves them: {shown}; --body fills them too"
