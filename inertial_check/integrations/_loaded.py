"""Model that a library holds in memory, as the plain data that files become, and its repair.

The numbers are those that the library computes with. They were never printed, so no rounding of
digits excuses them: a body that fails is inconsistent. Where a report shows a line, it is that of a
listing of the bodies, one on each line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from decimal import Decimal
from importlib import import_module
from math import ceil, isfinite, log10
from types import ModuleType
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import MissingExtraError, ParameterError
from inertial_check.fixing.case import BROKEN, PRODUCTS, Case, Proposal, propose_all
from inertial_check.fixing.digits import MOST_DIGITS, significant_digits
from inertial_check.fixing.edits import select_changing, withdraw
from inertial_check.fixing.engine_targets import EngineTargets
from inertial_check.fixing.methods import NearestMethod
from inertial_check.fixing.request import FixRequest, choose_by_name
from inertial_check.fixing.result import BodyFix, Six, Three
from inertial_check.inertia.representations import symmetric
from inertial_check.model import ENTRIES, Body, Inertial, Model, Number, Source, Span
from inertial_check.model.body import Pose
from inertial_check.model.judging import judge

Rotation = tuple[Three, Three, Three]

UNTURNED: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

Undo = Callable[[], object]
"""Function that takes new entries of a body back."""

_ROUNDED_AWAY = "what the library makes of its nearest inertia by rounding is inconsistent again"


class Loaded(NamedTuple):
    """One body as a library holds it.

    Attributes:
        name: Name of the body.
        id: Expression by which the library reaches it, as in `inertias[3]`; unique in the model.
        mass: [kg].
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_Bi: (6,) inertia about the centre of mass, in the order of model.ENTRIES [kg m^2];
            None where the library keeps none.
        R_BBi: Rotation from the axes of the tensor to those of the body.
        joint: Type of the joint to its parent; None for a root.
        moved: Whether that joint moves it.
        parent: The id of its parent.
        X_PB: Pose of its frame in that of its parent.
        derived: Whether the library will compute its inertia from its shapes.
        diagonal: Whether only principal moments are kept, so that products cannot be written.
        error: Rounding error of the entries, where they are computed from what the library keeps
            [kg m^2].
    """

    name: str
    id: str
    mass: float
    p_BoBcm_B: Three
    I_BBcm_Bi: Six | None
    R_BBi: Rotation = UNTURNED
    joint: str | None = None
    moved: bool = False
    parent: str | None = None
    X_PB: Pose | None = None
    derived: bool = False
    diagonal: bool = False
    error: float = 0.0


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


def model_of(kind: str, format: str, name: str, bodies: Iterable[Loaded]) -> Model:
    """The model of loaded bodies.

    Args:
        kind: Type of the object that holds them, as in "pinocchio.Model".
        format: Format by whose rules engines would read these numbers.
        name: Name of the model.
        bodies: Bodies in the library's order.
    """
    listing = _Listing()
    found = tuple(listing.body(each) for each in bodies)
    path = f"<{kind} {name}>" if name else f"<{kind}>"
    return Model(Source(path, bytes(listing.data)), format, name, found)


class _Listing:
    """Text with a line for each body, which gives its numbers places to report."""

    def __init__(self) -> None:
        self.data = bytearray()

    def body(self, loaded: Loaded) -> Body:
        """Add a line."""
        start = len(self.data)
        self._add(" ".join(loaded.name.split()) or loaded.id)
        inertial = None
        if loaded.I_BBcm_Bi is not None:
            inertial = self._inertial(loaded, loaded.I_BBcm_Bi)
        span = Span(start, len(self.data))
        self._add("\n")
        return Body(
            loaded.name,
            loaded.id,
            span,
            loaded.joint,
            loaded.moved,
            inertial,
            inertia_from="geometry" if loaded.derived else "file",
            parent=loaded.parent,
            X_PB=loaded.X_PB,
        )

    def _inertial(self, loaded: Loaded, six: Six) -> Inertial:
        start = len(self.data)
        mass = self._number("mass", loaded.mass)
        x, y, z = (self._number(*each) for each in zip("xyz", loaded.p_BoBcm_B, strict=True))
        entries = {
            entry: (
                Number(0.0, "0", None)
                if loaded.diagonal and entry in PRODUCTS
                else self._number(entry, value, loaded.error)
            )
            for entry, value in zip(ENTRIES, six, strict=True)
        }
        span = Span(start, len(self.data))
        return Inertial(span, mass, (x, y, z), loaded.R_BBi, entries)

    def _number(self, name: str, value: float, error: float = 0.0) -> Number:
        self._add(f" {name}=")
        start = len(self.data)
        self._add(repr(value))
        return Number(value, _text(value, error), Span(start, len(self.data)))

    def _add(self, text: str) -> None:
        self.data += text.encode("utf-8", "replace")


def _text(value: float, error: float) -> str:
    """The number in so many digits that half a unit of the last is at least its error."""
    if not (error > 0 and isfinite(error) and isfinite(value)):
        return _exact(value)
    unit = Decimal(1).scaleb(ceil(log10(2 * error)))
    return f"{Decimal(value).quantize(unit):E}"


def _exact(value: float) -> str:
    """The number in so many digits that half a unit of the last is below float64's rounding."""
    if value == 0 or not isfinite(value):
        return repr(value) if value else "0"
    mantissa, mark, exponent = repr(value).partition("e")
    if "." not in mantissa:
        mantissa += "."
    return mantissa.ljust(len(mantissa) + MOST_DIGITS - significant_digits(mantissa), "0") + (
        mark + exponent
    )


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


def import_library(module: str, library: str, kind: str) -> ModuleType:
    """A module of an optional library.

    Args:
        module: Name of the module.
        library: Name of the library; in lower case, the extra that installs it.
        kind: Type of the object that needs it, as in "pinocchio.Model".

    Raises:
        MissingExtraError: The library is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"<{kind}>",
            f"{library} is not installed; pip install 'inertial-check[{library.lower()}]'",
        ) from None


def wrong_type(value: object, expected: str) -> ParameterError:
    """The error of an argument that is no model of the library."""
    return ParameterError(
        f"expected {expected}, got {type(value).__module__}.{type(value).__qualname__}"
    )


def overwrite(target: npt.NDArray[np.float64], values: Sequence[float]) -> Undo:
    """Write values into an array of a library; returns the function that writes the old ones."""
    old = target.copy()
    target[:] = values
    return lambda: target.__setitem__(slice(None), old)


def six_of(matrix: Floats) -> Six:
    """The entries xx xy xz yy yz zz of a symmetric 3x3 matrix, from its upper triangle."""
    return tuple(matrix[np.triu_indices(3)].tolist())


def matrix_of(six: Six) -> Floats:
    """The symmetric 3x3 matrix of xx xy xz yy yz zz."""
    return np.asarray(symmetric(np.array(six)))


def three_of(vector: Iterable[float]) -> Three:
    """The three entries of a vector."""
    x, y, z = map(float, vector)
    return x, y, z


def rotation_of(matrix: Iterable[Iterable[float]]) -> Rotation:
    """The three rows of a 3x3 matrix."""
    x, y, z = (three_of(row) for row in matrix)
    return x, y, z
