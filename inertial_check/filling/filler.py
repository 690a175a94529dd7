"""Filling of one model: pieces, equations, densities, document, check."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.evidence.twins import find_twins
from inertial_check.filling.cells import Cells, build_problem
from inertial_check.filling.deviations import use_deviations
from inertial_check.filling.equations import CenterSum, MassSum, Unknowns, list_sums
from inertial_check.filling.intervals import BodyInterval, find_intervals
from inertial_check.filling.known import WATER, Knowledge
from inertial_check.filling.nominal import find_nominal, fits_shapes
from inertial_check.filling.pieces import ROLES, BodyPieces, PieceReader
from inertial_check.filling.prior import find_prior_densities
from inertial_check.filling.problem import Densities, InfeasibleSumsError, solve
from inertial_check.filling.result import GUESS, FilledBody, Filling, FillStatus
from inertial_check.filling.selection import Target
from inertial_check.filling.verification import check_again
from inertial_check.fixing.result import INTACT, Fix
from inertial_check.fixing.writing import write_parameters
from inertial_check.formats.context import Context
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Body, FileReport, Model, Role
from inertial_check.model.judging import judge
from inertial_check.solvers.certificate import Certificate

_ALONE = "--body NAME fills bodies alone"
"""Way out where one body keeps the others from being written."""

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


class _Answer(NamedTuple):
    """Numbers of the bodies with a shape.

    Attributes:
        parameters: By index of the body.
        intervals: By index.
        densities: Mean densities by index [kg/m^3].
        certificate: Of the densities.
        usual: Source of the nominal densities that nothing states.
        dropped: What was assumed of twins, and given sums exclude.
        remarks: What another model gives, and sums that are met within their deviations.
    """

    parameters: Mapping[int, InertialParameters]
    intervals: Mapping[int, BodyInterval]
    densities: Mapping[int, float]
    certificate: Certificate
    usual: str
    dropped: tuple[str, ...]
    remarks: tuple[str, ...]


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
        reader = PieceReader(
            self.model, self.context, roles=self.options.roles, thickness=self.options.thickness
        )
        pieces = {each.at: self._read(reader, each) for each in self.targets}
        unfit = self._find_unfit(pieces)
        usable = {at: own for at, own in pieces.items() if own.pieces and at not in unfit}
        if not usable:
            return self._report(pieces, None, self._keep(), {}, unfit)
        unknowns = self._collect(usable, reader)
        answer = self._solve(unknowns)
        sources = {index: _describe(pieces[index], answer.densities[index]) for index in usable}
        comments = {
            self._body(index).id: f"inertial-check fill: {text}" for index, text in sources.items()
        }
        fix = write_parameters(
            self.model,
            {self._body(index).id: each for index, each in answer.parameters.items()},
            digits=self.options.digits,
            comments=comments if self.options.provenance else None,
            context=self.context,
        )
        objections, changes = check_again(self.model, self.report, fix, self.context)
        filling = self._report(pieces, answer, fix, objections, unfit)
        return replace(filling, notes=(*filling.notes, *changes))

    def _body(self, index: int) -> Body:
        return self.model.bodies[index]

    def _names_of(self, ids: Collection[str]) -> list[str]:
        return [body.name for body in self.model.bodies if body.id in ids][:4]

    def _read(self, reader: PieceReader, target: Target) -> BodyPieces:
        """The pieces of a body; a guess is as large as its known mass needs."""
        body = self._body(target.at)
        mass = self.known.masses.get(body.name, self.known.masses.get(body.id, target.mass))
        if mass is None:
            return reader.read(body)
        low, high = self.known.density_range
        density = min(max(self.known.density or WATER, 2 * low), high / 2)
        return reader.read(body, mass / density)

    def _find_unfit(self, pieces: Mapping[int, BodyPieces]) -> dict[int, str]:
        """Why shapes cannot hold the masses that the document states for some of the bodies."""
        low, high = self.known.density_range
        found = {}
        for target in self.targets:
            own, body = pieces[target.at], self._body(target.at)
            given = {body.name, body.id} & self.known.masses.keys()
            if target.mass is None or given or not own.pieces:
                continue
            density = target.mass / own.volume
            if not low <= density <= high:
                found[target.at] = (
                    f"its {target.mass:g} kg are {density:.3g} kg/m^3 in its shapes, expected "
                    f"{low:g} to {high:g}: correct the mass, or give --mass {body.name}=KG"
                )
        return found

    def _collect(self, usable: Mapping[int, BodyPieces], reader: PieceReader) -> Unknowns:
        """The unknowns, with the pieces of those measured bodies that are needed."""
        filled = set(usable)
        judgements = judge(self.model)
        masses, centers = np.zeros(len(judgements)), np.zeros((len(judgements), 3))
        for index, judgement in enumerate(judgements):
            stated = self._body(index).inertia_from == "file"
            if index not in filled and stated and 0 < judgement.mass < np.inf:
                masses[index], centers[index] = judgement.mass, judgement.p_BoBcm_B
        wanted = set(np.flatnonzero(masses).tolist())
        settled = len(usable) == 1 and self.known.total_mass is not None
        if self.known.density is not None or settled:
            pairs = find_twins(self.model.names)
            wanted &= {i for pair in pairs for i in pair if filled.intersection(pair)}
        others = {}
        for index in sorted(wanted):
            try:
                others[index] = reader.read(self._body(index))
            except ParameterError:  # a mesh in millimetres says nothing of densities
                continue
        held = {
            each.at: each.mass
            for each in self.targets
            if each.mass is not None and each.at in usable
        }
        prior: dict[int, float] = {}
        note = ""
        if self.known.prior is not None:
            prior, note = find_prior_densities(
                self.model, usable, self.known.prior, self.context, self.options.thickness
            )
        teachers = frozenset(
            index for index, own in others.items() if fits_shapes(judgements[index], own)
        )
        return Unknowns(
            self.model,
            tuple(usable.values()),
            tuple(usable),
            held,
            masses,
            centers,
            others,
            teachers,
            prior,
            note,
        )

    def _solve(self, unknowns: Unknowns) -> _Answer:
        sums, centers = list_sums(unknowns, self.known)
        self._refuse_millimetres(unknowns, sums)
        cells, answer, met, usual, dropped = self._solve_sums(unknowns, sums, centers)
        stated = {each.name: each for each in sums}
        sums = [stated[each.name] for each in met]
        moves = [(each.name, each.wanted - stated[each.name].wanted) for each in met]
        theta = np.zeros((len(unknowns.pieces), 10))
        np.add.at(theta, cells.body, answer.rho[:, None] * cells.moments)
        parameters = {index: _about_com(theta[at]) for at, index in enumerate(unknowns.indices)}
        intervals = self._find_intervals(unknowns, sums, centers, theta)
        densities = {
            index: float(theta[at, 0]) / unknowns.pieces[at].volume
            for at, index in enumerate(unknowns.indices)
        }
        return _Answer(
            parameters,
            intervals,
            densities,
            answer.certificate,
            usual,
            dropped,
            (unknowns.prior_note, *_describe_moves(moves)),
        )

    def _refuse_millimetres(self, unknowns: Unknowns, sums: Sequence[MassSum]) -> None:
        """Refuse meshes in which a known mass has a density that only millimetres explain.

        Raises:
            ParameterError: There is such a sum.
        """
        low, high = self.known.density_range
        for each in sums:
            own = [unknowns.pieces[at] for at in each.coefficients]
            uris = [shape.uri for one in own for shape in one.body.shapes if shape.uri]
            density = each.wanted / sum(one.volume for one in own)
            if uris and 0 < density < low <= 1e9 * density <= high:
                raise ParameterError(
                    f"{each.name} in the shapes is {density:.2g} kg/m^3, so {uris[0]} is in "
                    "millimetres: give it the scale 0.001 0.001 0.001"
                )

    def _solve_sums(
        self,
        unknowns: Unknowns,
        sums: list[MassSum],
        centers: Sequence[CenterSum],
    ) -> tuple[Cells, Densities, list[MassSum], str, tuple[str, ...]]:
        """The densities, without what is assumed of twins where the given sums exclude it.

        Returns:
            The cells, their densities, the sums that are met, the source of the nominal densities,
            and the names of the sums that are not met.

        Raises:
            InfeasibleSumsError: The given sums exclude each other.
            ProjectionError: The answer cannot be certified.
        """
        dropped: list[str] = []
        moving = False
        while True:
            nominal, usual = find_nominal(unknowns, self.known, sums)
            cells = build_problem(unknowns, self.known, sums, centers, nominal)
            assumed = {each.name for each in sums if each.assumed}
            try:
                answer = solve(cells.problem, self.options.solver)
                if answer.certified:
                    return cells, answer, sums, usual, tuple(dropped)
                worst = float(answer.certificate.worst)
                error: ParameterError | ProjectionError = ProjectionError(
                    f"the densities are not certified: their residual is {worst:.2g}"
                )
                excluded = assumed
            except InfeasibleSumsError as conflict:
                error, excluded = conflict, assumed.intersection(conflict.conflict)
            except ProjectionError as failure:  # printed masses contradict each other by rounding
                error, excluded = failure, assumed
            if not moving:  # what is assumed of twins stays where deviations are enough
                moving = True
                volumes = np.array([own.volume for own in unknowns.pieces])
                low, high = (volumes * density for density in self.known.density_range)
                if (moved := use_deviations(sums, low, high)) is not None:
                    sums = moved
                    continue
            if not excluded:
                raise error
            out = [each for each in sums if each.assumed and each.name in excluded]
            dropped += [each.name for each in out]
            sums = [each for each in sums if each not in out]

    def _find_intervals(
        self,
        unknowns: Unknowns,
        sums: Sequence[MassSum],
        centers: Sequence[CenterSum],
        theta: Floats,
    ) -> dict[int, BodyInterval]:
        found = find_intervals(
            unknowns.pieces,
            sums,
            np.tile(np.array(self.known.density_range), (len(unknowns.pieces), 1)),
            theta,
            centers,
        )
        return dict(zip(unknowns.indices, found, strict=True))

    def _keep(self) -> Fix:
        """The fix that changes nothing."""
        return Fix(self.model.source, self.model.format, self.model.source.data, ())

    def _report(
        self,
        pieces: Mapping[int, BodyPieces],
        answer: _Answer | None,
        fix: Fix,
        objections: Mapping[str, str],
        unfit: Mapping[int, str],
    ) -> Filling:
        written = {body.id: body for body in fix.bodies}
        reports = []
        for target in self.targets:
            body, own = self._body(target.at), pieces[target.at]
            line = self.model.place(body.span).line
            if target.at in unfit:
                reports.append(FilledBody(body.name, body.id, line, "refused", unfit[target.at]))
                continue
            if answer is None or target.at not in answer.parameters:
                why = "; ".join(own.remarks) or "it has no shape, and carries no joint"
                reports.append(FilledBody(body.name, body.id, line, "no-shape", why))
                continue
            result = written[body.id]
            status: FillStatus = "filled"
            reason = f"its inertial was {target.reason}"
            if body.id in objections:
                status, reason = "refused", objections[body.id]
            elif objections or result.status == "withheld":
                names = ", ".join(self._names_of(objections)) if objections else ""
                why = f"all bodies are written or none, and {names} cannot be"
                status, reason = "withheld", f"{why if names else result.reason}; {_ALONE}"
            elif result.status not in INTACT:
                status, reason = "unwritten", result.reason
            interval = answer.intervals[target.at]
            least, most = (float(value) for value in interval.mass)
            reports.append(
                FilledBody(
                    body.name,
                    body.id,
                    line,
                    status,
                    reason,
                    _describe(own, answer.densities[target.at]),
                    answer.parameters[target.at],
                    answer.densities[target.at],
                    interval,
                    own.guess or own.skipped or most > GUESS * least,
                    own.remarks,
                )
            )
        notes = () if answer is None else tuple(self._list_notes(answer))
        certificate = None if answer is None else answer.certificate
        return Filling(self._keep() if objections else fix, tuple(reports), certificate, notes)

    def _list_notes(self, answer: _Answer) -> Iterator[str]:
        """What holds for the whole model."""
        if self.known.density is None and self.known.total_mass is None:
            yield f"the usual density is {answer.usual}"
        yield from filter(None, answer.remarks)
        for name in answer.dropped:
            yield f"given sums exclude {name}, which was assumed of twins with equal shapes"
        if self.known.total_mass is None and not self.known.subtree_masses:
            return
        filled = {each.at for each in self.targets}
        empty = [
            body.name
            for index, (body, judgement) in enumerate(
                zip(self.model.bodies, judge(self.model), strict=True)
            )
            if index not in filled and body.shapes and not judgement.mass > 0
        ]
        if empty:
            shown = ", ".join(empty[:4]) + (", ..." if len(empty) > 4 else "")
            yield f"counted with 0 kg, as no joint moves them: {shown}; --body fills them too"


def _describe_moves(moves: Sequence[tuple[str, float]]) -> Iterator[str]:
    """Lines about sums that are met beside the stated ones."""
    for name, move in moves:
        if move:
            yield (
                f"{name} is met {abs(move):.3g} kg {'above' if move > 0 else 'below'}, within its "
                "deviation: the other sums exclude it as stated"
            )


def _describe(own: BodyPieces, density: float) -> str:
    """Where the numbers of a body come from, in one line."""
    if own.guess:
        return f"a guess: {density:.4g} kg/m^3 in {own.pieces[0].label}"
    readings = dict.fromkeys(piece.reading for piece in own.pieces)
    taken = [name for name in readings if name != "solid"]
    kinds = dict.fromkeys(piece.label for piece in own.pieces)
    as_ = f" as {', '.join(taken)}" if taken else ""
    return f"{density:.4g} kg/m^3 in {', '.join(kinds)}{as_}"


def _about_com(theta: Floats) -> InertialParameters:
    """One body about its centre of mass, from its parameters about the origin."""
    body = InertialParameters.from_theta(theta)
    mass, com, inertia = (np.asarray(x) for x in (body.mass, body.com, body.inertia_com))
    size = np.sqrt(np.trace(inertia) / mass) + np.linalg.norm(com)
    com = np.where(np.abs(com) <= tolerances.CANCELLED * size, 0.0, com)
    cancelled = np.abs(inertia) <= tolerances.CANCELLED * np.trace(inertia)
    inertia = np.where(cancelled & ~np.eye(3, dtype=bool), 0.0, inertia)
    return InertialParameters.from_com(mass, com, inertia)
