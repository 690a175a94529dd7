"""Request of a fix: one object from the command line, or ic.fix_model, to the methods."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Literal, get_args

from inertial_check.checking.check import check_model
from inertial_check.errors import UsageError
from inertial_check.fixing.case import format_percent
from inertial_check.fixing.region import Region
from inertial_check.formats import Context
from inertial_check.inertia import tolerances
from inertial_check.model import Body, Finding, Model, Role, Span
from inertial_check.projection.closed_form import read_margin
from inertial_check.projection.metrics import find_metric
from inertial_check.settings.settings import Settings
from inertial_check.spelling import suggest_name

MethodName = Literal["nearest", "geometry"]
METHODS: tuple[MethodName, ...] = get_args(MethodName)
"""Sources of the new inertia of a body: the nearest consistent inertia, or its shapes."""


@dataclass(frozen=True)
class FixRequest:
    """Options of a fix; see inertial_check.fix_model for each attribute but `findings`.

    Attributes:
        findings: Findings of a check of the model with their causes, where one has been made; None
            to check the model where a cause is wanted.
    """

    method: str = "nearest"
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

    def validate(self) -> None:
        """Refuse values out of range, and options that contradict each other.

        Raises:
            ParameterError: An unknown metric, or a margin outside 0 to 1/3.
            UsageError: A max_change that is no relative change, an unknown method, or options that
                exclude each other; the message names both.
        """
        if not 0 <= self._allowed_change <= inf:  # also true where it is NaN
            raise UsageError(
                f"max-change is {self._allowed_change!r}; it is a relative change, so 0 or positive"
            )
        _ = self.region
        if self.method not in METHODS:
            raise UsageError(f"method is {self.method!r}: expected {' or '.join(METHODS)}")
        aimed = self.metric is not None or self.margin > 0 or bool(self.engines)
        if self.cause is not None and (aimed or self.method != "nearest"):
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
    def check_settings(self) -> Settings:
        """The settings of a check whose findings select bodies or tell their causes."""
        return Settings(tolerance=self.tolerance, context=self.context)

    @property
    def _allowed_change(self) -> float:
        """The largest relative change that is made without `unsafe`."""
        if self.max_change is not None:
            return self.max_change
        return tolerances.MAX_CHANGE if self.cause is None else inf

    def explain_limit(self, noun: str, change: float) -> str:
        """Why a relative change needs `unsafe`; "" where it is allowed."""
        if self.unsafe or not change > self._allowed_change:
            return ""
        return (
            f"its {noun} would change by {format_percent(change)}, more than "
            f"{format_percent(self._allowed_change)}; --unsafe does it"
        )

    def choose_bodies(self, model: Model) -> set[str]:
        """Ids of the bodies to look at, and of those that share a text with them.

        Raises:
            UsageError: An unknown body or rule.
        """
        ids = choose_by_name(model, self.bodies)
        if self.select:
            settings = replace(self.check_settings, select=tuple(self.select))
            findings = check_model(model, settings).findings
            ids &= {
                id_ for finding in findings for id_ in (finding.body_id, *finding.body_ids) if id_
            }
        # A document that is included twice states the inertia of two bodies once.
        places = {body.id: _inertia_places(body) for body in model.bodies}
        shared = {places[id_] for id_ in ids} - {()}
        return ids | {id_ for id_ in places if places[id_] in shared}


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
