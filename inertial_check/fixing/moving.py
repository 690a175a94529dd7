"""A body's inertia to a tensor of a region: printed, within what may change unasked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from inertial_check.arrays.types import Floats
from inertial_check.engines import Floors
from inertial_check.errors import UsageError
from inertial_check.fixing.aims import Aims
from inertial_check.fixing.case import BROKEN, Case, Proposal, Texts, percent
from inertial_check.fixing.digits import printed_nearest
from inertial_check.fixing.obstacles import is_stated, unreachable, why_not
from inertial_check.fixing.region import Region
from inertial_check.model import ENTRIES, Model
from inertial_check.projection.closed_form import read_margin
from inertial_check.projection.metrics import find_metric


@dataclass(frozen=True)
class Terms:
    """What the caller asks of every body.

    Attributes:
        region: Where its tensor shall be; floors in kg m^2.
        max_change: The largest relative change that is made.
        unsafe: Make larger ones, too.
    """

    region: Region
    max_change: float
    unsafe: bool

    @classmethod
    def of(cls, metric: str, margin: float, max_change: float, unsafe: bool) -> Terms:
        """The terms of a caller, looked over; without floors.

        Raises:
            ParameterError: An unknown metric, or a margin that is none.
            UsageError: A max_change that is no relative change.
        """
        if not 0 <= max_change <= inf:
            raise UsageError(
                f"max-change is {max_change!r}; it is a relative change, so 0 or positive"
            )
        return cls(Region(find_metric(metric).name, read_margin(margin)), max_change, unsafe)

    def forbid(self, change: float) -> bool:
        """Whether a relative change is too large."""
        return change > self.max_change and not self.unsafe

    def region_of(self, case: Case, floors: Floors) -> Region:
        """The region in the document's own units, above floors [kg m^2]."""
        return replace(self.region, floors=floors._replace(moment=floors.moment / case.unit))


@dataclass(frozen=True)
class Nearest:
    """Gives bodies that are broken, or that an engine refuses, the nearest tensor of a region.

    Attributes:
        terms: What is asked of every body.
        aims: The engines that shall take them.
    """

    terms: Terms
    aims: Aims

    def proposal(self, case: Case, chosen: bool) -> Proposal:
        """The nearest tensor over that of a body; whether it was chosen makes no difference."""
        refusal = self.aims.refusal(case)
        if (untouchable := why_not(case)) is not None:
            return case.left(*untouchable)
        broken = case.judgement.verdict in BROKEN
        if not (broken or refusal) or not is_stated(case):
            return case.left("unchanged")
        if case.judgement.numerically_zero:
            why = "it is smaller than a micrometre; write the body's inertia"
            return case.left("numerically-zero", f"{refusal}: {why}" if refusal else why)
        found = moved_to(case, case.six, self.terms, self.aims, said=refusal)
        return replace(found, for_engine=not broken)

    def objections(self, again: Model, moved: Mapping[str, Proposal]) -> dict[str, str]:
        """None: what is nearest passes as soon as it is written."""
        return {}


def moved_to(  # noqa: PLR0913, PLR0917 - a tensor, its company, and what is said of both
    case: Case,
    tensor: Floats,
    terms: Terms,
    aims: Aims,
    others: Texts | None = None,
    said: str = "",
    noun: str = "moments",
) -> Proposal:
    """The tensor of the region nearest to one, printed over a body's.

    Args:
        case: The body, which has six numbers.
        tensor: (6,) in the document's own units and the inertial's own axes.
        terms: What is asked of it.
        aims: The engines that shall take it.
        others: Texts of other numbers that change with it.
        said: What there is to say besides.
        noun: What is said to change.
    """
    region = terms.region_of(case, aims.floors(case.body))
    nearest = region.nearest(tensor)
    if nearest is None:
        return case.left("no-nearest", "the nearest tensor is zero; write the body's inertia")
    six = printed_nearest(case.entries, nearest, region)
    if six is None:
        return case.left("not-representable", "no decimals of its size survive float32")
    wished = dict(zip(ENTRIES, six, strict=True)) | dict(others or {})
    numbers = case.numbers
    texts = {name: text for name, text in wished.items() if text != numbers[name].text}
    if (obstacle := unreachable(case, texts)) is not None:
        return case.left(*obstacle)
    moves = case.moves(texts, terms.region.metric)
    change, tail = moves["relative_change"], f"; {said}" if said else ""
    if terms.forbid(change):
        reason = (
            f"its {noun} would change by {percent(change)}, more than "
            f"{percent(terms.max_change)}; --unsafe does it{tail}"
        )
        return case.left("needs-unsafe", reason, **moves)
    if not texts:
        return case.left("unchanged", said)
    reason = f"its {noun} {'change' if noun.endswith('s') else 'changes'} by {percent(change)}"
    return Proposal(case.result("fixed", reason + tail, **moves), texts)
