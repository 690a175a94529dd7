"""Model in, mended bytes out: better numbers over those that no body has.

Nothing changes but the numbers of a body that is fixed. Before a Fix exists, its bytes have been
read again and every body judged again. What a body shall have is told by a method: the nearest
tensor (`fixing.moving`), its shapes (`fixing.geometric`) or a cause of what is wrong with it
(`fixing.caused`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

from inertial_check.checking.check import check_model
from inertial_check.errors import UsageError
from inertial_check.fixing.aims import Aims
from inertial_check.fixing.case import Case
from inertial_check.fixing.caused import Causes
from inertial_check.fixing.editing import (
    named_bodies,
    unknown_bodies,
    with_the_same_text,
)
from inertial_check.fixing.geometric import Shapes
from inertial_check.fixing.moving import Nearest, Terms
from inertial_check.fixing.result import BodyFix, EngineActions, Fix, FixStatus
from inertial_check.fixing.settling import Way, settled
from inertial_check.fixing.verifying import Reader
from inertial_check.formats import Context, load
from inertial_check.inertia import tolerances
from inertial_check.model import Model, Role
from inertial_check.model.judging import judge
from inertial_check.settings.settings import Settings

__all__ = ["METHODS", "BodyFix", "EngineActions", "Fix", "FixStatus", "fix_model", "unknown_bodies"]

Method = Literal["nearest", "geometry"]
METHODS: tuple[Method, ...] = get_args(Method)
"""Where the inertia of a body comes from: the nearest that a body has, or its shapes."""


def fix_model(  # noqa: PLR0913 - the public signature
    model_or_path: Model | str | os.PathLike[str] | bytes,
    *,
    method: str = "nearest",
    metric: str | None = None,
    margin: float = 0.0,
    engines: Sequence[str] = (),
    cause: int | None = None,
    shapes: Sequence[Role] = (),
    move_com: bool = False,
    max_change: float | None = None,
    unsafe: bool = False,
    bodies: Collection[str] = (),
    select: Collection[str] = (),
    tolerance: float = 0.0,
    context: Context | None = None,
) -> Fix:
    """Give every inconsistent body an inertia that a body can have.

    Mass, centre of mass and axes stay as written, unless a cause or `move_com` says otherwise. The
    new numbers pass a test without any tolerance after they have been printed and parsed, in
    float64 and rounded to float32; under `cause`, they are exactly those of the cause.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        method: "nearest", the least change; "geometry", the written mass spread evenly over the
            body's own shapes, also of consistent bodies that are chosen by `bodies` or `select`.
        metric: What is least: "inertia", the change of the tensor (the default), or "covariance",
            of the spread.
        margin: The results have at least this margin, 0 to 1/3.
        engines: Names of engines that shall take the bodies as written; consistent bodies that one
            of them would refuse or change are moved, too, above its absolute floors.
        cause: Instead, write what this probable cause of a body's findings says was meant, counted
            from 1, the most probable.
        shapes: Whose shapes are looked at under "geometry", "collision" and "visual", best first;
            both if empty.
        move_com: Under "geometry", give the body the centre of mass of its shapes, too.
        max_change: Larger relative changes of the inertia are made only if `unsafe`; None for 0.05,
            and for any change under `cause`.
        unsafe: Make them.
        bodies: Names or ids of the only bodies to look at; all if empty.
        select: Only bodies with findings of these rules (codes, prefixes, names); all if empty.
        tolerance: Bodies with margins down to -tolerance count as consistent.
        context: Where what the document includes is found.

    Returns:
        The new bytes, not written, and what was done about each body.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: An unknown metric, or a margin that is none.
        UsageError: No such body, rule, engine or method, a max_change that is no relative change, a
            cause together with what it takes the place of.
    """
    wishes = _Wishes(method, cause, tuple(shapes), move_com, tolerance, context or Context())
    terms = wishes.terms(metric, margin, max_change, unsafe)
    wishes.validate(metric is not None or margin > 0 or bool(engines))
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=wishes.context)
    chosen = wishes.chosen(model, bodies, select)
    aims = Aims.of(model, engines, tolerance)
    way = wishes.way(model, terms, aims)
    proposals = {
        body.id: way.proposal(Case(model, body, judgement), bool(bodies or select))
        for body, judgement in zip(model.bodies, judge(model, tolerance), strict=True)
        if body.id in chosen
    }
    return settled(Reader(model, wishes.context, tolerance), proposals, way, aims)


@dataclass(frozen=True)
class _Wishes:
    """What the caller asks for: the arguments of fix_model of the same names."""

    method: str
    cause: int | None
    shapes: tuple[Role, ...]
    move_com: bool
    tolerance: float
    context: Context

    def terms(
        self, metric: str | None, margin: float, max_change: float | None, unsafe: bool
    ) -> Terms:
        """What is asked of every body.

        Raises:
            ParameterError: An unknown metric, or a margin that is none.
            UsageError: A max_change that is no relative change.
        """
        if max_change is None:
            max_change = tolerances.MAX_CHANGE if self.cause is None else inf
        return Terms.of(metric or "inertia", margin, max_change, unsafe)

    def validate(self, aimed: bool) -> None:
        """Refuse what contradicts itself.

        Args:
            aimed: Whether a metric, a margin or an engine is asked for.

        Raises:
            UsageError: Naming both sides.
        """
        if self.method not in METHODS:
            raise UsageError(f"method is {self.method!r}: expected {' or '.join(METHODS)}")
        if self.cause is not None and (aimed or self.method != "nearest"):
            raise UsageError(
                "--cause writes exactly what a cause says was meant: it goes without --method "
                "geometry, --metric, --margin and --engine"
            )
        if self.method != "geometry" and (self.shapes or self.move_com):
            raise UsageError("--shapes and --move-com are about --method geometry")

    def chosen(self, model: Model, bodies: Collection[str], select: Collection[str]) -> set[str]:
        """Ids of the bodies to look at.

        Raises:
            UsageError: A body or rule that does not exist.
        """
        chosen = named_bodies(model, bodies)
        if select:
            settings = Settings(tuple(select), tolerance=self.tolerance, context=self.context)
            findings = check_model(model, settings).findings
            chosen &= {finding.body_id for finding in findings if finding.body_id}
        return with_the_same_text(model, chosen)

    def way(self, model: Model, terms: Terms, aims: Aims) -> Way:
        """The method, ready for the bodies of a model."""
        if self.cause is not None:
            return Causes.of(model, self.cause, terms, self.context, self.tolerance)
        if self.method == "geometry":
            packages = self.context.packages
            return Shapes(model, packages, self.shapes, self.move_com, terms, aims)
        return Nearest(terms, aims)
