"""Repair of a model that a library holds in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypedDict

from inertial_check.fixing.case import BROKEN, Case, Proposal, propose_all
from inertial_check.fixing.edits import select_changing, withdraw
from inertial_check.fixing.engine_targets import EngineTargets
from inertial_check.fixing.methods import NearestMethod
from inertial_check.fixing.request import FixRequest, choose_by_name
from inertial_check.fixing.result import BodyFix, Six
from inertial_check.integrations._loaded import Undo
from inertial_check.model import Model
from inertial_check.model.judging import judge

_ROUNDED_AWAY = "what the library makes of its nearest inertia by rounding is inconsistent again"


class RepairOptions(TypedDict, total=False):
    """Options of a repair, as in `inertial_check.fix_model`.

    Attributes:
        metric: Which change is least: "inertia", that of the tensor, or "covariance", that of the
            second moment of the mass.
        margin: Least margin of the results, 0 to 1/3.
        engines: Names of engines that must accept the bodies; consistent bodies that one of them
            would refuse or change are moved, too.
        max_change: Larger relative changes are made only if `unsafe`.
        unsafe: Also make changes larger than max_change.
        bodies: Names or ids of the only bodies to look at.
        tolerance: Bodies with margins down to -tolerance count as consistent.
    """

    metric: str
    margin: float
    engines: Sequence[str]
    max_change: float
    unsafe: bool
    bodies: Collection[str]
    tolerance: float


def repair_model(
    read: Callable[[], Model],
    write: Callable[[int, Six], Undo],
    options: RepairOptions,
) -> tuple[BodyFix, ...]:
    """Write the nearest inertia over each inconsistent one.

    Args:
        read: Gives the model as the library holds it now.
        write: Gives the body of an index new entries, and returns a function that takes them back.
        options: The options of the repair.

    Returns:
        The result for each requested body, in the library's order.

    Raises:
        ParameterError: An unknown metric, or a margin outside 0 to 1/3.
        UsageError: No such body or engine, or a max_change that is no relative change.
    """
    request = FixRequest(**options)
    request.validate()
    model, tolerance = read(), request.tolerance
    targets = EngineTargets.of(model, request.engines, tolerance)
    ids = choose_by_name(model, request.bodies)
    method = _RepairMethod(request, targets)
    proposals = propose_all(model, method, ids, bool(request.bodies), tolerance)
    rows = {body.id: row for row, body in enumerate(model.bodies)}
    take_back = {
        id_: write(rows[id_], proposal.result.new)
        for id_, proposal in select_changing(proposals).items()
        if proposal.result.new is not None
    }
    again = read() if take_back else model
    broken = {
        body.id: _ROUNDED_AWAY
        for body, judgement in zip(again.bodies, judge(again, tolerance), strict=True)
        if body.id in take_back and judgement.verdict in BROKEN
    }
    useless = targets.find_useless(targets.predict(again), select_changing(proposals))
    withdraw(useless, proposals, "engine-refused")
    withdraw(broken, proposals, "not-representable")
    for id_ in {*useless, *broken}:
        take_back[id_]()
    after = targets.predict(read())
    return tuple(targets.conclude(each, after).result for each in proposals.values())


class _RepairMethod(NearestMethod):
    """Method nearest, except for bodies whose inertia the library derives from their shapes."""

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the nearest tensor, or nothing for a derived inertia."""
        if case.body.inertia_from == "geometry":
            return case.skip("unchanged", "its inertia is derived from its shapes")
        return super().propose(case, chosen)
