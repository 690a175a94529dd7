"""Filling of a model's inertials: pieces, equations, densities, document, check.

The filled model is checked again before it is written: it is read again, and its findings compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import inf
from typing import NamedTuple

import numpy as np

from inertial_check.checking.check import ReportContent, check_model
from inertial_check.checking.evidence.twins import find_twins
from inertial_check.checking.report import FileReport, Severity
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes.evidence import check_choices
from inertial_check.checking.shapes.priors import indices_of
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import Judgement, Model, Role, judge
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, expect
from inertial_check.fixing.fill.densities import Divergence
from inertial_check.fixing.fill.equations import (
    TAUGHT_MISFIT,
    Unknowns,
    compare_shapes,
    fits_shapes,
    read_judgement,
)
from inertial_check.fixing.fill.intervals import solve_unknowns
from inertial_check.fixing.fill.knowledge import WATER, Knowledge, LinkDensity, read_arguments
from inertial_check.fixing.fill.overlaps import PieceReader, merge_cells
from inertial_check.fixing.fill.result import FilledBody, Filling, FillStatus
from inertial_check.fixing.fill.shapes import ROLES, BodyPieces
from inertial_check.fixing.fill.twins import find_prior_densities, follow_twins
from inertial_check.fixing.result import INTACT, Fix, layer_path
from inertial_check.fixing.writing import write_parameters
from inertial_check.inertia.arrays import quiet
from inertial_check.inertia.consistency import Verdict
from inertial_check.inertia.parameters import InertialParameters

REASONS = {
    "IC103": "missing",
    "IC105": "default",
    "IC303": "zero",
    "IC304": "zero",
    "IC501": "placeholder",
}
"""Findings that ask for numbers, and a word for each."""

_CONTENT = ReportContent(predictions="none", causes=False)

_ENGINE_RULES = {
    "mjcf": "MuJoCo computes them from geoms (inertiafromgeom)",
    "sdf": 'Gazebo computes them from collisions (<inertial auto="true">)',
    "usd": "physics engines compute them from colliders and their density",
}
"""By format, the engine's own rule for bodies whose document leaves their numbers to shapes."""

_MOST_NAMES = 4
"""Most names in one note; more would bury its end."""

_UNWRITTEN = (Verdict.MISSING.word, Verdict.DERIVED.word, Verdict.DEFAULTED.word)


class Target(NamedTuple):
    """A body to fill.

    Attributes:
        at: Its index in the model.
        reason: "missing", "default", "zero", "placeholder" or "named".
        mass: Mass that the document states and that stays [kg]; None where it states none or it is
            a placeholder too.
    """

    at: int
    reason: str
    mass: float | None


def examine_model(model: Model, context: Context) -> FileReport:
    """Check a model for what fill needs: its findings, with the default rules."""
    (file,) = check_model(model, Settings(context=context), _CONTENT).files
    return file


def select_targets(model: Model, names: Sequence[str], report: FileReport) -> list[Target]:
    """Select the bodies to fill.

    Args:
        model: The model.
        names: Names or ids of the bodies; empty for those whose numbers check misses: missing, the
            format's default, zero, or a placeholder.
        report: What check finds of the model.

    Raises:
        ParameterError: A name that no body or several have.
    """
    if names:
        return [Target(index, "named", None) for index in dict.fromkeys(indices_of(model, names))]
    reasons: dict[str, str] = {}
    for finding in report.findings:
        if finding.code in REASONS and finding.body_id is not None:
            reasons.setdefault(finding.body_id, REASONS[finding.code])
    judgements = judge(model)
    return [
        Target(index, reasons[body.id], _held_mass(judgements[index], reasons[body.id]))
        for index, body in enumerate(model.bodies)
        if body.id in reasons
    ]


def _held_mass(judgement: Judgement, reason: str) -> float | None:
    """The mass that a document states beside a tensor that stands for none."""
    mass = judgement.mass
    if reason in ("missing", "default") or judgement.verdict in _UNWRITTEN or not mass > 0:
        return None
    if reason == "placeholder" and mass == judgement.principal_moments[0]:
        return None  # 1 kg and 1 kg m^2: neither was measured
    return mass


def note_derived_bodies(model: Model, targets: Sequence[Target]) -> Iterator[str]:
    """Say which bodies have no numbers and are not filled, as the engine has a rule for them."""
    filled = {target.at for target in targets}
    names = [
        body.name
        for index, body in enumerate(model.bodies)
        if body.inertia_from == "geometry" and index not in filled
    ]
    if names:
        shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
        rule = _ENGINE_RULES.get(model.format, "engines compute them from shapes")
        yield f"not filled, as {rule}: {shown}; --body NAME fills one"


def note_unmatched_patterns(model: Model, links: Sequence[LinkDensity]) -> Iterator[str]:
    """Say which patterns of a table of materials match no body of a model."""
    for link in links:
        if not any(fnmatchcase(body.name, link.pattern) for body in model.bodies):
            hint = suggest_name(link.pattern, [body.name for body in model.bodies])
            yield f"no body matches {link.pattern!r} of the materials{hint}"


@dataclass(frozen=True)
class Collector:
    """Collects the unknowns of one model.

    Attributes:
        model: The model.
        known: What is known.
        targets: The bodies to fill.
        reader: Reader of their shapes.
        context: Where meshes and the prior model are.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.
    """

    model: Model
    known: Knowledge
    targets: Sequence[Target]
    reader: PieceReader
    context: Context
    thickness: float | None

    def read_targets(self) -> dict[int, BodyPieces]:
        """The pieces of the bodies to fill, by index."""
        return {each.at: self._read(each) for each in self.targets}

    def _read(self, target: Target) -> BodyPieces:
        """The pieces of a body; a guess is as large as its known mass needs."""
        body = self.model.bodies[target.at]
        mass = self.known.masses.get(body.name, self.known.masses.get(body.id, target.mass))
        if mass is None:
            return self.reader.read(body)
        low, high = self.known.density_range
        density = min(max(self.known.density or WATER, 2 * low), high / 2)
        return self.reader.read(body, mass / density)

    def find_unfit(self, pieces: Mapping[int, BodyPieces]) -> dict[int, str]:
        """Why shapes cannot hold the masses that the document states for some of the bodies."""
        low, high = self.known.density_range
        found = {}
        for target in self.targets:
            own, body = pieces[target.at], self.model.bodies[target.at]
            given = {body.name, body.id} & self.known.masses.keys()
            if target.mass is None or given or not own.pieces:
                continue
            density = target.mass / own.volume if own.volume else inf  # underflows in tiny shapes
            if not low <= density <= high:
                found[target.at] = (
                    f"its {target.mass:g} kg are {density:.3g} kg/m^3 in its shapes, expected "
                    f"{low:g} to {high:g}: correct the mass, or give --mass {body.name}=KG"
                )
        return found

    def find_bodies_by_primitives(self, roles: tuple[Role, ...]) -> frozenset[str]:
        """Find bodies, by id, whose collision primitives tell better where their mass lies.

        Measured bodies vote whose numbers fit what is drawn and that collide as primitives: for all
        of these, or for none. Where none can, it is the bodies drawn as meshes of which primitives
        have about the centre and tensor: many numbers are computed from these.

        Args:
            roles: Roles of shapes, best first; others than ROLES stay as they are.
        """
        judgements, filled = judge(self.model), {target.at for target in self.targets}
        votes: list[bool] = []
        boxed, alike = set[str](), set[str]()
        order = [
            *sorted(filled),
            *(index for index in range(len(judgements)) if index not in filled),
        ]
        for index in order if roles == ROLES else ():
            body, judgement = self.model.bodies[index], judgements[index]
            kinds = {shape.kind for shape in body.shapes if shape.role == "collision"}
            idle = index not in filled and not (boxed and judgement.verdict == "consistent")
            if idle or not kinds or "mesh" in kinds:
                continue
            try:
                own = self.reader.read(body)
                box = self.reader.read(body, roles=("collision",))
            except ParameterError:  # a mesh in millimetres
                continue
            if own.role != "visual" or box.role is None:
                continue
            boxed.add(body.id)
            if index not in filled and fits_shapes(judgement, own):
                stated = read_judgement(judgement)
                votes.append(sum(compare_shapes(stated, box)) < sum(compare_shapes(stated, own)))
            drawn = InertialParameters.from_theta(own.unit)
            if not own.plain and max(compare_shapes(drawn, box)) <= TAUGHT_MISFIT:
                alike.add(body.id)
        if votes:
            return frozenset(boxed if 2 * sum(votes) > len(votes) else ())
        return frozenset(alike)

    def collect(self, usable: Mapping[int, BodyPieces]) -> Unknowns:
        """The unknowns, with the pieces of those measured bodies that are needed.

        Args:
            usable: Pieces of the bodies to fill, by index.
        """
        judgements = judge(self.model)
        masses, centers = np.zeros(len(judgements)), np.zeros((len(judgements), 3))
        for index, judgement in enumerate(judgements):
            stated = self.model.bodies[index].inertia_from == "file"
            if index not in usable and stated and 0 < judgement.mass < np.inf:
                masses[index], centers[index] = judgement.mass, judgement.p_BoBcm_B
        others = self._read_others(usable, set(np.flatnonzero(masses).tolist()))
        seen = follow_twins(self.model, usable, others, judgements, self.known)
        # Collision shapes tell where the mass lies; those that are drawn, how much there is.
        drawn = {**others, **usable}
        for at, own in drawn.items():
            if own.body.id in self.reader.boxed:
                found = self.reader.read(own.body, roles=ROLES)
                drawn[at] = own if found.guess or not found.pieces else found
        prior: dict[int, float] = {}
        note = ""
        if self.known.prior is not None:
            prior, note = find_prior_densities(
                self.model, seen, self.known.prior, self.context, self.thickness
            )
        return Unknowns(
            self.model,
            tuple(merge_cells(seen).values()),
            tuple(seen),
            {
                each.at: each.mass
                for each in self.targets
                if each.mass is not None and each.at in seen
            },
            masses,
            centers,
            others,
            frozenset(index for index in others if fits_shapes(judgements[index], drawn[index])),
            prior,
            note,
            tuple(merge_cells(usable).values()),
            all(drawn[at].plain for at in usable),
            {at: own.volume for at, own in drawn.items()},
        )

    def _read_others(
        self, usable: Mapping[int, BodyPieces], measured: set[int]
    ) -> dict[int, BodyPieces]:
        """Pieces of the measured bodies whose densities or twins say something."""
        settled = len(usable) == 1 and self.known.total_mass is not None
        if self.known.density is not None or settled:
            pairs = find_twins([body.name for body in self.model.bodies])
            places = {name: at for at, name in enumerate(self.model.names)}
            pairs += tuple(
                [
                    (places[one], places[other])
                    for one, other, *_ in self.known.pairs
                    if one in places and other in places
                ]
            )
            measured = measured & {i for pair in pairs for i in pair if set(pair) & set(usable)}
        found = {}
        for index in sorted(measured):
            try:
                found[index] = self.reader.read(self.model.bodies[index])
            except ParameterError:  # a mesh in millimetres says nothing of densities
                continue
        return found


_DOUBTS = "IC5"
"""Codes of findings that doubt numbers beside the shapes, which new numbers must not have."""


def check_again(
    model: Model, report: FileReport, fix: Fix, context: Context
) -> tuple[dict[str, str], list[str]]:
    """Check the document with new numbers.

    Args:
        model: The model without them.
        report: What check finds of it.
        fix: The new numbers.
        context: Where meshes and included files are.

    Returns:
        By the ids of bodies, findings against their new numbers; and one line for each finding
        on the whole model that comes or goes with them.
    """
    if not fix.changed:
        return {}, []
    overlay = {os.path.abspath(source.path): data for source, data in fix.others}
    context = replace(context, overlay={**context.overlay, **overlay})
    source = model.source
    path = source.path if fix.layer is None else layer_path(source.path)
    again = load(fix.data, model.format, path, context)
    filled = {body.id for body in fix.bodies if body.status in INTACT}
    found: dict[str, str] = {}
    after = examine_model(again, context)
    for finding in after.findings:
        if finding.severity is Severity.ERROR or finding.code.startswith(_DOUBTS):
            own = filled.intersection((finding.body_id or "", *finding.body_ids))
            for id_ in own:
                found.setdefault(id_, f"{finding.code}: {finding.message}")
    return found, [] if found else list(_compare_findings(report, after))


def _compare_findings(before: FileReport, after: FileReport) -> Iterator[str]:
    """Say which findings on the whole model come and go with the new numbers."""
    old, new = (
        {each.code: each.message for each in report.findings if each.body_id is None}
        for report in (before, after)
    )
    for code, message in new.items():
        if code not in old:
            yield f"with the new numbers check finds {code}: {message}"
    for code, message in old.items():
        if code not in new:
            yield f"with the new numbers check no longer finds {code}: {message}"


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


def fill(  # noqa: PLR0913 - each argument is one thing that may be known
    model_or_path: Model | str | os.PathLike[str] | bytes,
    *,
    bodies: Sequence[str] = (),
    density: float | None = None,
    materials: str | os.PathLike[str] | Mapping[str, float | str] | None = None,
    masses: Mapping[str, float] | None = None,
    total_mass: float | tuple[float, float] | None = None,
    subtree_masses: Mapping[str, float] | None = None,
    com: Sequence[float] | None = None,
    at: Mapping[str, float] | None = None,
    twins: bool = True,
    pairs: Sequence[Sequence[str]] = (),
    prior: Model | str | os.PathLike[str] | None = None,
    density_range: tuple[float, float] | None = None,
    divergence: Divergence = "entropic",
    roles: Sequence[Role] = ROLES,
    thickness: float | None = None,
    solver: str | None = None,
    digits: int = DIGITS,
    provenance: bool = False,
    context: Context | None = None,
) -> Filling:
    """Fill the inertials of a model that are missing, from its shapes and what is known.

    Mass is spread over the shapes of each body with the densities that meet every known sum and
    deviate least from the nominal ones. Measured bodies count in the sums and stay.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        bodies: Names or ids of the bodies to fill, whatever they state; empty for those whose
            inertial is missing, the default of the format, zero or a placeholder.
        density: Nominal density [kg/m^3]; None for the median of measured bodies, else that of
            water.
        materials: A TOML file of link patterns and materials, or densities and names of materials
            by patterns of names.
        masses: Masses by name [kg].
        total_mass: Mass of the whole model [kg], or with its relative deviation.
        subtree_masses: Masses of bodies with all that they carry, by name [kg].
        com: (3,) centre of mass of the whole model, measured bodies included, from the origin of
            its root in the root's axes [m].
        at: Positions of the joints where `com` was measured, by name [rad] or [m]; the others are
            at zero.
        twins: Whether left and right bodies with equal shapes have one mass.
        pairs: Further pairs of bodies with one mass, each with or without "mirrored" or "equal":
            how the centre and tensor of one follow those of the other where that is measured.
        prior: Another model, as an earlier revision: its masses in its own shapes give nominal
            densities to the bodies that match, as `diff` matches them.
        density_range: Least and largest density of every part [kg/m^3].
        divergence: "entropic" scales densities by one factor where only a sum is known;
            "quadratic" adds.
        roles: Roles of shapes, best first; by default visual shapes come first, but where collision
            primitives fit measured bodies better, or meshes of bodies of which nothing is measured.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.
        solver: None for Newton's method; "clarabel" or another solver of cvxpy.
        digits: Significant digits of new numbers, 8 to 17.
        provenance: Whether a comment beside each new inertial says where it comes from.
        context: Where meshes and included files are.

    Returns:
        The new document, not written, with an interval for every new number.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: Names, masses or densities that cannot be, or sums that exclude each other
            (InfeasibleSumsError); a mesh in millimetres.
        UsageError: An unknown option.

    Example:
        >>> found = ic.fill("data/fill/arm.urdf", total_mass=12.0)
        >>> print([body.name for body in found.bodies if body.status == "filled"])
        ['upper_arm', 'forearm', 'finger_left', 'finger_right']
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", bodies=bodies, roles=roles)
    expect("path", "mapping", "nothing", materials=materials)
    expect("list", pairs=pairs)
    expect("text", divergence=divergence)
    model = (
        model_or_path
        if isinstance(model_or_path, Model)
        else load(model_or_path, context=context or Context())
    )
    known = read_arguments(
        density=density,
        materials=materials,
        masses=masses,
        total_mass=total_mass,
        subtree_masses=subtree_masses,
        com=com,
        at=at,
        twins=twins,
        pairs=pairs,
        prior=prior,
        density_range=density_range,
        divergence=divergence,
    )
    options = FillOptions(tuple(roles), thickness, solver, digits, provenance)
    return fill_model(model, known, options, bodies, context or Context())


@quiet  # sizes near the ends of float64 are told by their reasons, not by warnings
def fill_model(
    model: Model,
    known: Knowledge,
    options: FillOptions | None = None,
    bodies: Sequence[str] = (),
    context: Context | None = None,
) -> Filling:
    """Fill the inertials of a loaded model; see fill."""
    context, options = context or Context(), options or FillOptions()
    check_choices("roles", options.roles, ROLES)
    report = examine_model(model, context)
    targets = select_targets(model, bodies, report)
    notes = (*note_derived_bodies(model, targets), *note_unmatched_patterns(model, known.links))
    fix = unchanged = Fix(model.source, model.format, model.source.data, ())
    if not targets:
        return Filling(unchanged, (), notes=notes)
    reader = PieceReader(model, context, roles=options.roles, thickness=options.thickness)
    collector = Collector(model, known, targets, reader, context, options.thickness)
    reader.boxed = collector.find_bodies_by_primitives(options.roles)
    pieces = collector.read_targets()
    unfit = collector.find_unfit(pieces)
    usable = {at: own for at, own in pieces.items() if own.pieces and at not in unfit}
    filled: dict[int, FilledBody] = {}
    certificate, objections = None, dict[str, str]()
    if usable:
        unknowns = collector.collect(usable)
        pieces |= dict(zip(unknowns.indices, unknowns.pieces, strict=True))
        filled, certificate, remarks = solve_unknowns(unknowns, known, options.solver)
        fix = write_parameters(
            model,
            {body.id: body.parameters for body in filled.values() if body.parameters is not None},
            digits=options.digits,
            comments={body.id: f"inertial-check fill: {body.source}" for body in filled.values()}
            if options.provenance
            else None,
            context=context,
        )
        objections, changes = check_again(model, report, fix, context)
        empty = (
            _note_empty_bodies(model, targets) if known.total_mass or known.subtree_masses else ()
        )
        notes = (*remarks, *empty, *changes, *notes)
    written = {body.id: body for body in fix.bodies}
    found = []
    for target in targets:
        body = model.bodies[target.at]
        line = model.place(body.span).line
        if target.at in unfit:
            found.append(FilledBody(body.name, body.id, line, "refused", unfit[target.at]))
            continue
        if target.at not in filled:
            why = "; ".join(pieces[target.at].remarks) or "it has no shape, and carries no joint"
            found.append(FilledBody(body.name, body.id, line, "no-shape", why))
            continue
        status: FillStatus = "filled"
        reason, result = f"its inertial was {target.reason}", written[body.id]
        if body.id in objections:
            status, reason = "refused", objections[body.id]
        elif objections or result.status == "withheld":
            names = ", ".join([each.name for each in model.bodies if each.id in objections][:4])
            why = f"all bodies are written or none, and {names} cannot be"
            status, reason = "withheld", f"{why if names else result.reason}; {_ALONE}"
        elif result.status not in INTACT:
            status, reason = "unwritten", result.reason
        found.append(replace(filled[target.at], status=status, reason=reason))
    return Filling(unchanged if objections else fix, tuple(found), certificate, notes)


def _note_empty_bodies(model: Model, targets: Sequence[Target]) -> Iterator[str]:
    """Say which bodies with shapes count with no mass in known sums."""
    filled = {each.at for each in targets}
    empty = [
        body.name
        for index, (body, judgement) in enumerate(zip(model.bodies, judge(model), strict=True))
        if index not in filled and body.shapes and not judgement.mass > 0
    ]
    if empty:
        shown = ", ".join(empty[:4]) + (", ..." if len(empty) > 4 else "")
        yield f"counted with 0 kg, as no joint moves them: {shown}; --body fills them too"
