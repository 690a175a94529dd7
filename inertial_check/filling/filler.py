"""Filling of one model: pieces, equations, densities, document, check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inertial_check.filling.collecting import Collector
from inertial_check.filling.densities.solution import Solution, solve_unknowns
from inertial_check.filling.known import Knowledge
from inertial_check.filling.outcomes import Refusals, describe_source, list_notes, list_outcomes
from inertial_check.filling.result import Filling
from inertial_check.filling.selection import Target
from inertial_check.filling.shapes.piece_reader import PieceReader
from inertial_check.filling.shapes.pieces import ROLES
from inertial_check.filling.verification import check_again
from inertial_check.fixing.result import Fix
from inertial_check.fixing.writing import write_parameters
from inertial_check.formats.context import Context
from inertial_check.model import FileReport, Model, Role

DIGITS = 10
"""Default significant digits of new numbers: the sums hold to them, and 0.2 m is written as 0.2."""


class FillOptions(NamedTuple):
    """Options of filling that are not knowledge about masses.

    Attributes:
        roles: Roles of shapes, best first.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.
        solver: None for Newton's method, or a solver of cvxpy.
        digits: Significant digits of new numbers, 8 to 17.
        provenance: Whether a comment beside each new inertial says where it comes from.
    """

    roles: tuple[Role, ...] = ROLES
    thickness: float | None = None
    solver: str | None = None
    digits: int = DIGITS
    provenance: bool = False


@dataclass(frozen=True)
class Filler:
    """Fills one model."""

    model: Model
    known: Knowledge
    options: FillOptions
    context: Context
    targets: Sequence[Target]
    report: FileReport

    def run(self) -> Filling:
        """Solve, write, read again, check."""
        options = self.options
        reader = PieceReader(
            self.model, self.context, roles=options.roles, thickness=options.thickness
        )
        collector = Collector(
            self.model, self.known, self.targets, reader, self.context, options.thickness
        )
        pieces = collector.read_targets()
        unfit = collector.find_unfit(pieces)
        usable = {at: own for at, own in pieces.items() if own.pieces and at not in unfit}
        if not usable:
            refusals = Refusals(unfit, {})
            return Filling(
                kept := self._keep(),
                list_outcomes(self.model, self.targets, pieces, None, kept, refusals),
            )
        unknowns = collector.collect(usable)
        pieces |= dict(zip(unknowns.indices, unknowns.pieces, strict=True))
        solution = solve_unknowns(unknowns, self.known, options.solver)
        sources = {
            index: describe_source(own, solution.densities[index])
            for index, own in zip(unknowns.indices, unknowns.pieces, strict=True)
        }
        fix = self._write(solution, sources)
        objections, changes = check_again(self.model, self.report, fix, self.context)
        refusals = Refusals(unfit, objections)
        return Filling(
            self._keep() if objections else fix,
            list_outcomes(self.model, self.targets, pieces, solution, fix, refusals),
            solution.certificate,
            (*list_notes(self.model, self.known, self.targets, solution), *changes),
        )

    def _write(self, solution: Solution, sources: dict[int, str]) -> Fix:
        """The document with the new numbers."""
        ids = [body.id for body in self.model.bodies]
        comments = {ids[at]: f"inertial-check fill: {text}" for at, text in sources.items()}
        return write_parameters(
            self.model,
            {ids[index]: each for index, each in solution.parameters.items()},
            digits=self.options.digits,
            comments=comments if self.options.provenance else None,
            context=self.context,
        )

    def _keep(self) -> Fix:
        """The fix that changes nothing."""
        return Fix(self.model.source, self.model.format, self.model.source.data, ())
