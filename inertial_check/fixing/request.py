"""Request of a fix, one body before it is fixed with the obstacles to it, and what is proposed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from typing import Literal, NamedTuple, Protocol, TypedDict, Unpack, get_args

import numpy as np

from inertial_check.checking.check import check_model
from inertial_check.checking.engines.usd import contradicts
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.report import MOTIONS, Finding, name_all_numbers
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.documents.edits import ZERO_VECTOR, NotInsertable
from inertial_check.documents.model import ENTRIES, Body, Judgement, Model, Number, Role, judge
from inertial_check.documents.source import Edit, Span
from inertial_check.documents.spelling import suggest_name
from inertial_check.documents.writing import insert
from inertial_check.errors import UsageError
from inertial_check.fixing.digits import QUATERNION, Region, find_axes, spell_moments
from inertial_check.fixing.result import BodyFix, FixStatus, Six, Three
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.representations import join, symmetric
from inertial_check.inertia.representations import six as six_of
from inertial_check.projection.moments import INERTIA, find_metric, read_margin

Texts = Mapping[str, str]
"""New texts of the numbers of a body, by the names of the numbers."""

Obstacle = tuple[FixStatus, str]
"""Status and reason of a body that is not fixed."""

Locator = Callable[[Span], str]
"""Function that describes the place of a span of a document to a reader."""

LayerFunction = Callable[[Model, Mapping[str, Texts], str], bytes]
"""Function of a format that writes a layer over a document; see formats.usd.format.overlay."""

MASS, CENTER = "mass", ("x", "y", "z")
MOMENTS, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")

_ADDED_MASS = [f"{one}{other}" for at, one in enumerate(MOTIONS) for other in MOTIONS[at:]]
EDITABLE = (MASS, *CENTER, *QUATERNION, *ENTRIES, *_ADDED_MASS)
"""Names of all numbers of a body that may stand in a document."""

BROKEN = ("inconsistent", "rounding")
"""Verdicts of bodies that fix moves."""

WHOLE = ("consistent", "boundary")
"""Verdicts of bodies that are physically consistent."""

_IN_LAYERS = {MASS, *CENTER, *MOMENTS, *QUATERNION}
"""Numbers that a layer can state; in the axes that it states, the products are 0."""

_LONG_NAMES = {name: f"{name[1]} of the quaternion of its axes" for name in QUATERNION}


def collect_editable_numbers(body: Body) -> dict[str, Number]:
    """Collect the numbers that a body's document has, by name; see `name_all_numbers`."""
    return {} if body.inertial is None else name_all_numbers(body.inertial)


@dataclass(frozen=True)
class Proposal:
    """Proposed fix of a body.

    Attributes:
        result: The result that is reported.
        texts: By name, the new texts of the numbers that change; empty where nothing is written.
        edits: What changes, in the words of `result.reason`.
        strict: Whether the new tensor passes the test without any tolerance.
        for_engine: Whether the body is consistent and changes only because an engine refuses it.
    """

    result: BodyFix
    texts: Texts = field(default_factory=dict)
    edits: str = ""
    strict: bool = True
    for_engine: bool = False


class Change(TypedDict, total=False):
    """The fields of a BodyFix that new texts determine."""

    new: Six
    relative_change: float
    distance: float
    margin: float
    mass: tuple[float, float]
    com: tuple[Three, Three]
    cause: str


class Case(NamedTuple):
    """One body before it is fixed.

    Attributes:
        model: The model that holds the body.
        body: The body as written.
        judgement: Its verdict and numbers.
        locate: Describes the place of a span to a reader; None for its line in the model.
    """

    model: Model
    body: Body
    judgement: Judgement
    locate: Locator | None = None

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers that the document has, by name."""
        return collect_editable_numbers(self.body)

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
        """The document's unit of mass [kg]."""
        return 1.0 if self.body.inertial is None else self.body.inertial.kilograms_per_unit

    @property
    def meters(self) -> float:
        """The document's unit of length [m]."""
        return 1.0 if self.body.inertial is None else self.body.inertial.meters_per_unit

    @property
    def unit(self) -> float:
        """The document's unit of inertia [kg m^2]."""
        return self.body.unit

    def report(self, status: FixStatus, reason: str = "", **change: Unpack[Change]) -> BodyFix:
        """The result for the body, with its numbers before the fix."""
        place = self.model.place(self.body.span)
        margin = self.judgement.margin
        old = None if self.body.inertial is None else self.judgement.I_BBcm_Bi
        name, id_ = self.body.name, self.body.id
        fields: Change = {"margin": margin, **change}
        return BodyFix(
            name, id_, place.line, status, reason, old, margin_before=margin, file=place.path,
            **fields,
        )  # fmt: skip

    def skip(self, status: FixStatus, reason: str = "", **change: Unpack[Change]) -> Proposal:
        """Propose to leave the body as it is."""
        return Proposal(self.report(status, reason, **change))

    def measure_change(self, texts: Texts, metric: str = "inertia") -> Change:
        """The change of the body by new texts."""
        before = self.six
        written = [texts.get(entry, self.numbers[entry].text) for entry in ENTRIES]
        after = np.array([float(text) for text in written])
        size = float(INERTIA.distance(np.zeros(6), before))
        moved = after
        if self.body.inertial is not None and not texts.keys().isdisjoint(QUATERNION):
            # In the axes that the document has now.
            turn = np.array(self.body.inertial.R_BBi).T @ find_axes(self.body.inertial, texts)
            moved = six_of(turn @ symmetric(after) @ turn.T)
        change, chosen = float(INERTIA.distance(before, moved)), find_metric(metric)
        distance = change if chosen is INERTIA else float(chosen.distance(before, moved))
        measured: Change = {
            "new": tuple((self.unit * after).tolist()),
            "relative_change": change / size if size else (np.inf if change else 0.0),
            "distance": self.unit * distance,
            "margin": float(Consistency(join(np.ones(()), np.zeros(3), after), "com").margin),
        }
        if MASS in texts:
            measured["mass"] = self.judgement.mass, float(texts[MASS]) * self.kilograms
        if not texts.keys().isdisjoint(CENTER):
            numbers = self.numbers
            x, y, z = (float(texts.get(name, numbers[name].text)) * self.meters for name in CENTER)
            measured["com"] = self.judgement.p_BoBcm_B, (x, y, z)
        return measured

    def find_malformed_text(self) -> Obstacle | None:
        """The obstacle of a body whose text breaks the rules of its format; None without one."""
        malformed = (each for each in self.body.problems if each.kind == "malformed")
        return next((("malformed", problem.message) for problem in malformed), None)

    def find_contradiction(self) -> Obstacle | None:
        """The obstacle of a body whose inertia is spelled twice, and not alike; None without it."""
        if contradicts(self.body, self.judgement):
            reason = "newton:inertia and physics:diagonalInertia state two tensors: write one twice"
            return "malformed", reason
        return None

    def find_obstacle(self) -> Obstacle | None:
        """The obstacle of a body without a mass and six numbers to start from; None with them."""
        inertial, verdict = self.body.inertial, self.judgement.verdict
        if (malformed := self.find_malformed_text() or self.find_contradiction()) is not None:
            return malformed
        if inertial is None:
            missing = self.body.moved and self.body.inertia_from == "file"
            return ("missing", "it moves and has no inertial") if missing else None
        if verdict == "invalid":
            return _explain_invalid(self.judgement.mass)
        if verdict in BROKEN and len(inertial.I_BBcm_Bi) < len(ENTRIES):
            return "malformed", "some of its six numbers are not written"
        return None

    def has_stated_inertia(self) -> bool:
        """Whether the document states all six numbers of the inertia, and engines use them."""
        inertial = self.body.inertial
        stated = inertial is not None and len(inertial.I_BBcm_Bi) == len(ENTRIES)
        return stated and self.body.inertia_from == "file"

    def can_be_layered(self) -> bool:
        """Whether a layer over the document can override numbers of the body."""
        has_layers, on_disk = layer_function(self.model), os.path.exists(self.model.source.path)
        return has_layers is not None and on_disk and self.body.inertial is not None

    def find_uneditable(self, texts: Texts) -> Obstacle | None:
        """The obstacle where no edit gives the numbers these texts; None where one does."""
        numbers = self.numbers
        changing = {
            name: text
            for name, text in texts.items()
            if name not in numbers or text != numbers[name].text
        }
        absent = [name for name in changing if not is_in_text(numbers.get(name))]
        if set(absent) <= set(PRODUCTS) and spell_products(self.model, self.body, texts):
            absent = []
        if absent and set(absent) <= set(CENTER) and spell_center(self.model, self.body, texts):
            absent = []
        # A layer states numbers of these names, unless one of them is computed.
        literal = all(numbers[name].literal for name in changing if name in numbers)
        layered = self.can_be_layered() and literal and changing.keys() <= _IN_LAYERS
        layered &= not self.body.find_numbers("newton:inertia") or bool(
            self.body.find_numbers("physics:diagonalInertia")
        )
        if absent and not layered:
            wanted = ", ".join(
                f"{_LONG_NAMES.get(name, name)} = {changing[name]}" for name in absent
            )
            return "unwritten", f"not written where it could change: {wanted}; write it"
        computed = [
            f"{name} = {text} for {self.model.source_of(number.span).text(number.span)}"
            f" ({(self.locate or partial(describe_place, self.model))(number.span)})"
            for name, text in changing.items()
            for number in (numbers.get(name),)
            if number is not None and number.span is not None and not number.literal
        ]
        if computed and spell_expressions(self.model, self.body, changing):
            return None
        return ("expression", f"computed; change to {', '.join(computed)}") if computed else None


def spell_expressions(model: Model, body: Body, texts: Texts) -> Texts:
    """Spell the expressions for new texts of a body's computed numbers; none without all of them.

    Args:
        model: The model.
        body: One of its bodies.
        texts: By name, the new text of each number that is to change.
    """
    numbers = collect_editable_numbers(body)
    pairs = ((name, numbers.get(name)) for name in texts)
    names = [name for name, n in pairs if n and not n.literal and n.text != texts[name]]
    spelt = spell_moments(model, body) if names else {}
    known = {
        name: f"${{{spelt[name][1]}}}"
        for name in names
        if name in spelt and spelt[name][0] == float(texts[name])
    }
    return known if len(known) == len(names) else {}


def spell_center(model: Model, body: Body, texts: Texts) -> Edit | None:
    """The edit that gives the inertial of a URDF or xacro file the origin that it lacks.

    None where it has one, or where other bodies are made of the same element.
    """
    inertial = body.inertial
    if model.format not in ("urdf", "xacro") or inertial is None:
        return None
    others = (each.inertial for each in model.bodies if each.id != body.id)
    if any(each is not None and each.span == inertial.span for each in others):
        return None
    try:
        (edit,) = insert(model, body, frozenset(CENTER))
    except (NotInsertable, ValueError):  # it has an origin, which needs no edit
        return None
    numbers = zip(CENTER, inertial.p_BoBcm_B, strict=True)
    place = " ".join(texts.get(name, number.text) for name, number in numbers)
    return edit._replace(text=edit.text.replace(ZERO_VECTOR, place))


def spell_products(model: Model, body: Body, texts: Texts) -> Edit | None:
    """The edit that makes the diaginertia of an MJCF body a fullinertia with new texts.

    None where the document is no MJCF, where the inertial states axes, which MuJoCo does not take
    beside a fullinertia, or where other bodies are made of the same element.
    """
    inertial = body.inertial
    if model.format != "mjcf" or inertial is None or inertial.R_BBi != _ALIGNED:
        return None
    span, source = inertial.span, model.source_of(inertial.span)
    tag = source.text(span)
    found = re.search(r"\bdiaginertia(\s*=\s*[\"'])[^\"']*", tag)
    others = (each.inertial for each in model.bodies if each.id != body.id)
    if found is None or any(each is not None and each.span == span for each in others):
        return None
    if re.search(r"\b(quat|axisangle|xyaxes|zaxis|euler)\s*=", tag):
        return None
    start, end = (span.start + len(tag[:at].encode(source.encoding)) for at in found.span())
    six = (texts.get(name, inertial.I_BBcm_Bi[name].text) for name in (*MOMENTS, *PRODUCTS))
    return Edit(Span(start, end, span.file), f"fullinertia{found[1]}{' '.join(six)}")


_ALIGNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
"""Rotation of an inertial whose axes are those of its body."""


class Method(Protocol):
    """Method of a fix: proposes the new numbers of each body.

    Attributes:
        tries: Whether its proposals are only tried: their bytes are not needed.
    """

    tries: bool = False

    def propose(self, case: Case, chosen: bool, /) -> Proposal:
        """Propose new numbers for a body.

        Args:
            case: The body.
            chosen: Whether the caller has named the body or a rule.
        """

    def find_objections(
        self, again: Model, changing: Mapping[str, Proposal], /
    ) -> dict[str, Obstacle]:
        """Bodies that must stay as they are, by id, and why.

        Args:
            again: The model as it would be after writing.
            changing: The proposals that change something, by id.
        """
        return {}


def propose_all(
    model: Model,
    method: Method,
    ids: Collection[str],
    chosen: bool,
    judgements: Sequence[Judgement],
    locate: Locator | None = None,
) -> dict[str, Proposal]:
    """The proposals of a method, by the ids of bodies, in document order."""
    proposals = {}
    for body, judgement in zip(model.bodies, judgements, strict=True):
        case, needs = Case(model, body, judgement, locate), body.inertial and body.inertial.needs
        if body.id in ids and needs and judgement.verdict in BROKEN:
            reason = f"its numbers depend on {needs}: change what computes them"
            proposals[body.id] = Proposal(case.report("expression", reason))
        elif body.id in ids:
            proposals[body.id] = method.propose(case, chosen)
    return proposals


def layer_function(model: Model) -> LayerFunction | None:
    """The function that writes a layer over documents of the model's format; None without one."""
    if model.format != "usd":
        return None
    from inertial_check.documents.usd.writing import write_layer  # rarely needed

    return write_layer


def is_in_text(number: Number | None) -> bool:
    """Whether a number is written as text, which can be edited; binary data has empty spans."""
    return number is not None and number.span is not None and number.span.start < number.span.end


def describe_place(model: Model, span: Span) -> str:
    """The line of a number for a reader, with the path of an included document."""
    place = model.place(span)
    line = f"{place.line}:{place.column}"
    return f"{place.path}:{line}" if place.path else f"line {line}"


def format_percent(fraction: float) -> str:
    """A fraction in percent."""
    return f"{100 * fraction:.3g} %"


def _explain_invalid(mass: float) -> Obstacle:
    if mass < 0:
        return "negative-mass", "its mass is negative; write the mass that the body has"
    if mass == 0:
        return "massless-with-inertia", "it has inertia but no mass; write its mass"
    return "non-finite", "one of its numbers is not finite"


MethodName = Literal["remedy", "nearest", "geometry"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
"""Sources of the new inertia of a body: its remedy, the nearest consistent inertia, its shapes."""


@dataclass(frozen=True)
class FixRequest:
    """Options of a fix; see inertial_check.fix_model for each attribute but `findings`.

    Attributes:
        findings: Findings of a check of the model with their causes, where one has been made; None
            to check the model where a cause is wanted.
        settings: Settings of that check; None for the defaults.
        examination: The model as it was checked, if the fix is tried and not written: then new
            numbers are judged without writing and reading the document again, unless it is a
            template whose numbers can have other effects.
    """

    method: str = "remedy"
    metric: str | None = None
    margin: float = 0.0
    engines: Sequence[str] = ()
    cause: int | None = None
    shapes: Sequence[Role] = ()
    move_com: bool = False
    max_change: float | None = None
    unsafe: bool = False
    bodies: Collection[str] = ()
    select: Collection[str] = ()
    tolerance: float = 0.0
    context: Context = field(default_factory=Context)
    findings: Sequence[Finding] | None = field(default=None, repr=False)
    settings: Settings | None = field(default=None, repr=False)
    examination: Examination | None = field(default=None, repr=False)
    all_remedies: bool = False

    def validate(self) -> None:
        """Refuse values out of range, and options that contradict each other.

        Raises:
            ParameterError: An unknown metric, or a margin outside 0 to 1/3.
            UsageError: A max_change that is no relative change, an unknown method, or options that
                exclude each other; the message names both.
        """
        if not 0 <= self.allowed_change <= inf:  # also true where it is NaN
            raise UsageError(
                f"max-change is {self.allowed_change!r}; it is a relative change, so 0 or positive"
            )
        _ = self.region
        if self.method not in METHODS:
            raise UsageError(f"method is {self.method!r}: expected {', '.join(METHODS)}")
        if self.cause is not None and (self.aimed or self.method == "geometry"):
            raise UsageError(
                "--cause writes exactly what a cause says was meant: it goes without --method "
                "geometry, --metric, --margin and --engine"
            )
        if self.method != "geometry" and (self.shapes or self.move_com):
            raise UsageError("--shapes and --move-com need --method geometry")

    @cached_property
    def region(self) -> Region:
        """The region of the tensors that may be written, without the floors of engines.

        Raises:
            ParameterError: An unknown metric, or a margin outside 0 to 1/3.
        """
        return Region(find_metric(self.metric or "inertia").name, read_margin(self.margin))

    @property
    def aimed(self) -> bool:
        """Whether the nearest body is asked for by what it has to reach."""
        return self.metric is not None or self.margin > 0 or bool(self.engines)

    @property
    def check_settings(self) -> Settings:
        """The settings of a check whose findings select bodies or tell their causes."""
        return self.settings or Settings(tolerance=self.tolerance, context=self.context)

    def judge(self, model: Model) -> Sequence[Judgement]:
        """The judgements of the bodies of a model; a check has made those of its own bodies."""
        known = self.examination
        pairs = () if known is None else zip(known.model.bodies, known.judgements, strict=True)
        made = {id(body): judgement for body, judgement in pairs}
        new = tuple(body for body in model.bodies if id(body) not in made)
        made |= zip(map(id, new), judge(replace(model, bodies=new), self.tolerance), strict=True)
        return [made[id(body)] for body in model.bodies]

    def find_findings(self, model: Model) -> Sequence[Finding]:
        """The findings of a check of the model, with their causes."""
        if self.findings is not None:
            return self.findings
        return check_model(model, self.check_settings).findings

    @property
    def allowed_change(self) -> float:
        """The largest relative change that is made without `unsafe`."""
        if self.max_change is not None:
            return self.max_change
        return tolerances.MAX_CHANGE if self.cause is None else inf

    def explain_limit(self, noun: str, change: float) -> str:
        """Why a relative change needs `unsafe`; "" where it is allowed."""
        if self.unsafe or not change > self.allowed_change:
            return ""
        return (
            f"its {noun} would change by {format_percent(change)}, more than "
            f"{format_percent(self.allowed_change)}; --unsafe does it"
        )

    def choose_bodies(self, model: Model) -> set[str]:
        """Ids of the bodies to look at, and of those that share a text with them.

        Raises:
            UsageError: An unknown body or rule.
        """
        ids = choose_by_name(model, self.bodies)
        if self.select:
            settings = replace(self.check_settings, select=tuple(self.select))
            ids &= group_by_body(check_model(model, settings).findings).keys()
        # A document that is included twice states the inertia of two bodies once.
        places = {body.id: _inertia_places(body) for body in model.bodies}
        shared = {places[id_] for id_ in ids} - {()}
        return ids | {id_ for id_ in places if places[id_] in shared}


def group_by_body(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Group findings by the ids of their bodies; one on several bodies stands under each."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        for id_ in finding.body_ids or ((finding.body_id,) if finding.body_id else ()):
            found.setdefault(id_, []).append(finding)
    return found


def find_unknown_bodies(model: Model, bodies: Collection[str]) -> list[str]:
    """Those of some names and ids that no body of the model has."""
    known = {key for body in model.bodies for key in (body.name, body.id)}
    return [name for name in bodies if name not in known]


def choose_by_name(model: Model, bodies: Collection[str]) -> set[str]:
    """Ids of the bodies with these names or ids; of all bodies if none is given.

    Raises:
        UsageError: A body that does not exist.
    """
    if unknown := find_unknown_bodies(model, bodies):
        hint = suggest_name(unknown[0], (body.name for body in model.bodies))
        raise UsageError(f"{model.source.path}: no body is called {unknown[0]!r}{hint}")
    return {body.id for body in model.bodies if not bodies or {body.name, body.id} & set(bodies)}


def _inertia_places(body: Body) -> tuple[Span | str, ...]:
    """Span or default of each number of a body's inertia; () where none of them is text."""
    numbers = () if body.inertial is None else tuple(body.inertial.I_BBcm_Bi.values())
    # Binary data has empty spans, which say nothing about what is shared.
    binary = any(each.span is not None and each.span.start >= each.span.end for each in numbers)
    if binary or not any(each.span for each in numbers):
        return ()
    return tuple(number.span or number.text for number in numbers)
