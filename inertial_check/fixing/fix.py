"""Fix of a model: from the document to new bytes with a consistent inertia for every body.

Only the numbers of bodies that are fixed change. Before a Fix is returned, its bytes have been read
again and every body has been judged again. The new numbers come from a method, see fixing.methods.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from inertial_check.arrays.broadcasting import quiet
from inertial_check.errors import expect
from inertial_check.fixing.case import propose_all
from inertial_check.fixing.edits import settle
from inertial_check.fixing.engine_targets import EngineTargets
from inertial_check.fixing.methods import choose_method
from inertial_check.fixing.request import FixRequest
from inertial_check.fixing.result import Fix
from inertial_check.formats import Context, load
from inertial_check.model import Model, Role


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
            body's own shapes, also for consistent bodies that are chosen by `bodies` or `select`.
        metric: Which change is least: "inertia", that of the tensor (the default), or "covariance",
            that of the second moment of the mass.
        margin: Least margin of the results, 0 to 1/3.
        engines: Names of engines that must accept the bodies as written; consistent bodies that one
            of them would refuse or change are moved, too, above its absolute floors.
        cause: Instead, write what this probable cause of a body's findings says was meant, counted
            from 1, the most probable.
        shapes: Roles of the shapes under "geometry", "collision" and "visual", best first; both if
            empty.
        move_com: Under "geometry", give the body the centre of mass of its shapes, too.
        max_change: Larger relative changes of the inertia are made only if `unsafe`; None for 0.05,
            and for any change under `cause`.
        unsafe: Also make changes larger than max_change.
        bodies: Names or ids of the only bodies to look at; all if empty.
        select: Only bodies with findings of these rules (codes, prefixes, names); all if empty.
        tolerance: Bodies with margins down to -tolerance count as consistent.
        context: Where the files are that the document includes.

    Returns:
        The new bytes, not written, and the result for each body.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: An unknown metric, or a margin outside 0 to 1/3.
        UsageError: No such body, rule, engine or method, a max_change that is no relative change, a
            cause together with an option that it replaces.

    Example:
        >>> fix = ic.fix_model("data/defects/ic305-rounding.urdf")
        >>> print([(body.name, body.status, body.reason) for body in fix.bodies])
        [('base', 'unchanged', ''), ('body', 'fixed', 'its moments change by 1.31 %')]
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", engines=engines, shapes=shapes, bodies=bodies, select=select)
    engines, shapes = tuple(engines), tuple(shapes)
    expect("whole", "nothing", cause=cause)
    expect("flag", move_com=move_com)
    expect("number", "nothing", max_change=max_change)
    expect("number", tolerance=tolerance)
    expect(Context, "nothing", context=context)
    request = FixRequest(
        method=method,
        metric=metric,
        margin=margin,
        engines=engines,
        cause=cause,
        shapes=shapes,
        move_com=move_com,
        max_change=max_change,
        unsafe=unsafe,
        bodies=bodies,
        select=select,
        tolerance=tolerance,
        context=context or Context(),
    )
    return carry_out(request, model_or_path)


@quiet
def carry_out(request: FixRequest, model_or_path: Model | str | os.PathLike[str] | bytes) -> Fix:
    """Fix a model as a request says; see fix_model.

    Raises:
        DocumentError: See fix_model, as for the others.
        ParameterError: A value that is out of range.
        UsageError: A name that does not exist, or options that exclude each other.
    """
    request.validate()
    context, tolerance = request.context, request.tolerance
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=context)
    ids = request.choose_bodies(model)
    targets = EngineTargets.of(model, request.engines, tolerance)
    method = choose_method(model, request, targets)
    chosen = bool(request.bodies or request.select)
    proposals = propose_all(model, method, ids, chosen, tolerance)
    return settle(model, context, proposals, method, targets)
