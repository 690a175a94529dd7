"""Models that a library holds in memory: as plain data, with parameters to set, and repaired.

The numbers are those that the library computes with. They were never printed, so no rounding of
digits excuses them: a body that fails is inconsistent. Where a report shows a line, it is that of a
listing of the bodies, one on each line.

A library is asked first whether it takes new numbers. Only when it takes those of every body are
they written; then they are read again and compared with those that were given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from importlib import import_module
from math import ceil, inf, isfinite, log10
from types import ModuleType
from typing import Literal, NamedTuple, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from inertial_check.documents.context import Context
from inertial_check.documents.files.writing import WritableFolders
from inertial_check.documents.model import (
    ENTRIES,
    Body,
    Given,
    Inertial,
    Joint,
    Model,
    Number,
    Pose,
    judge,
    select_changes,
    tree_of,
)
from inertial_check.documents.source import Source, Span
from inertial_check.errors import MissingExtraError, ParameterError, UsageError
from inertial_check.fixing.assign import Target, find_targets
from inertial_check.fixing.digits import MOST_DIGITS, significant_digits
from inertial_check.fixing.edits import select_changing, withdraw
from inertial_check.fixing.methods import EngineTargets, NearestMethod
from inertial_check.fixing.request import (
    BROKEN,
    PRODUCTS,
    Case,
    Change,
    FixRequest,
    Proposal,
    choose_by_name,
    propose_all,
)
from inertial_check.fixing.result import BodyFix, Fix, FixStatus, Six, Three
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import Order, Point, symmetric
from inertial_check.mechanics.tree import Tree

_KEPT = 8 * float(tolerances.floor(np.ones(())))
"""Relative error that a library may make of a tensor: it turns it into other axes, or moves it to
another point, and back."""


class Refused(Exception):
    """A library does not take the parameters of a body.

    Attributes:
        status: Status of the result.
        reason: Explanation in one line.
    """

    def __init__(self, status: FixStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Holder(Protocol):
    """An object of a library that holds the bodies of a model."""

    def read(self) -> Model:
        """Read the bodies as the object holds them now."""

    def place(self, model: Model) -> Model:
        """Return the model with the joints of its bodies, where reading it does not tell them.

        Raises:
            UsageError: The library cannot tell.
        """

    def examine(self, index: int, target: Target) -> None:
        """Ask the library whether it takes the parameters of the body at an index.

        Raises:
            Refused: It does not.
            UsageError: It takes none at all.
        """

    def write(self, targets: Mapping[int, Target]) -> Callable[[], None]:
        """Set the parameters of bodies by their indices; return the function that sets the old.

        Raises:
            Refused: The library does not take them; nothing has changed.
        """


@dataclass(frozen=True, repr=False)
class LoadedModel(Model):
    """Model that a library holds in memory, whose parameters can be set there.

    Attributes:
        holder: The object of the library.
    """

    holder: Holder | None = field(default=None, repr=False, compare=False)

    def tree(self, base: Literal["fixed", "floating"] = "fixed") -> Tree:
        """Build the kinematic tree of the bodies, for inertial_check.mechanics.

        Args:
            base: Joint of a root that no joint holds.

        Raises:
            UsageError: The model has no tree; the message names the body.
        """
        model = self if self.holder is None else self.holder.place(self)
        return tree_of(model, base).tree

    def with_parameters(
        self,
        parameters: Given,
        bodies: Sequence[str] | None = None,
        *,
        order: Order | None = None,
        about: Point | None = None,
        digits: int | None = None,
        context: Context | None = None,
    ) -> LoadedFix:
        """Set inertial parameters in the object of the library, all of these bodies or none.

        The object itself changes; what was read from it before does not, and `model` of the result
        is the model as it is then.

        Args:
            parameters: One row for each body, or one body each by name or id, as documents take
                them. Rows of NaN, and rows that are those of the object, stay as they are.
            bodies: Names or ids of the bodies; None for those that a result names, else for all of
                the model, in its order.
            order: Order of the last six of vectors; None for their own.
            about: Point of their inertia, "origin" or "com"; None for their own.
            digits: None: an object keeps float64, and has no digits.
            context: None: an object includes no files.

        Returns:
            The result for each body, and a diff of the numbers. `complete` tells whether all of
            them were set; if not, nothing has changed, and each result has its reason.

        Raises:
            ParameterError: No such body, another number of rows, or parameters that no body has.
            UsageError: The bodies of the object are others than those that were read; the object
                takes no parameters at all.
        """
        if digits is not None or context is not None:
            raise UsageError(
                f"{self.source.path}: digits and context are of documents; an object in memory "
                "keeps each number as float64"
            )
        if self.holder is None:
            raise UsageError(f"{self.source.path}: no object of a library to set parameters in")
        current = self.holder.read()
        if [body.id for body in current.bodies] != [body.id for body in self.bodies]:
            raise UsageError(f"{self.source.path}: it has other bodies now: read it again")
        targets = find_targets(current, select_changes(current, parameters, bodies, order, about))
        return _Assignment(self.holder, current, targets).run()


@dataclass(frozen=True, repr=False)
class LoadedFix(Fix):
    """Parameters that were set in an object of a library, or were not, and why.

    `source` and `data` are listings of the numbers before and after, of which `diff` shows the
    difference. The change is in the object already, so there is nothing to write.

    Attributes:
        model: The model as the object holds it now.
    """

    model: Model | None = field(default=None, repr=False, compare=False)

    def write(
        self, path: str | os.PathLike[str] | None = None, writable: WritableFolders | None = None
    ) -> None:
        """Refuse to write: the numbers are in the object.

        Raises:
            UsageError: Always; save the object with its own library.
        """
        raise UsageError(
            f"{self.source.path}: nothing to write: the parameters are set in the object itself; "
            "save it with its own library"
        )


@dataclass(frozen=True)
class _Assignment:
    """Assigns targets to the bodies of an object.

    Attributes:
        holder: The object.
        model: The model as the object holds it.
        targets: Parameters by the ids of bodies.
    """

    holder: Holder
    model: Model
    targets: Mapping[str, Target]

    def run(self) -> LoadedFix:
        """Set all targets, or none."""
        rows = {
            index: self.targets[body.id]
            for index, body in enumerate(self.model.bodies)
            if body.id in self.targets
        }
        failures: dict[int, Refused] = {}
        for index, target in rows.items():
            try:
                self.holder.examine(index, target)
            except Refused as refusal:
                failures[index] = refusal
        if failures:
            return self._withhold(failures)
        if not rows:
            return self._conclude(self.model, ())
        try:
            take_back = self.holder.write(rows)
        except Refused as refusal:
            return self._withhold(dict.fromkeys(rows, refusal))
        again = self.holder.read()
        failures = self._compare(again, rows)
        if failures:
            take_back()
            return self._withhold(failures)
        return self._conclude(again, self._report(again))

    def _compare(self, again: Model, rows: Mapping[int, Target]) -> dict[int, Refused]:
        """The bodies whose parameters are others than those that were written."""
        failures, judgements = {}, judge(again)
        for index, target in rows.items():
            # A library that keeps the tensor about the origin rounds the one about the origin.
            moved = target.mass * float(target.p_BoBcm_B @ target.p_BoBcm_B)
            size = max(target.size, moved, float(np.linalg.norm(target.I_BBcm_B)))
            if not target.is_met(judgements[index], _KEPT, _KEPT * size):
                reason = f"the library makes other numbers of them than it was given: {target}"
                failures[index] = Refused("not-representable", reason)
        return failures

    def _report(self, again: Model) -> tuple[BodyFix, ...]:
        """The results of the bodies that were set."""
        before, after = judge(self.model), judge(again)
        found = []
        for index, body in enumerate(self.model.bodies):
            if body.id not in self.targets:
                continue
            was, now = before[index], after[index]
            old, new = (symmetric(np.array(each.I_BBcm_B)) for each in (was, now))
            change: Change = {"new": now.I_BBcm_Bi, "margin": now.margin}
            change["distance"] = float(np.linalg.norm(new - old))
            distance = change["distance"]
            size = float(np.linalg.norm(old))
            change["relative_change"] = distance / size if size > 0 else (inf if distance else 0.0)
            if was.mass != now.mass:
                change["mass"] = was.mass, now.mass
            if was.p_BoBcm_B != now.p_BoBcm_B:
                change["com"] = was.p_BoBcm_B, now.p_BoBcm_B
            found.append(Case(self.model, body, was).report("fixed", **change))
        return tuple(found)

    def _withhold(self, failures: Mapping[int, Refused]) -> LoadedFix:
        """The result of which nothing was set, as some bodies cannot be."""
        names = [self.model.bodies[index].name for index in failures]
        shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
        others = Refused("withheld", f"all bodies are set or none, and {shown} cannot be")
        results = []
        for index, (body, judgement) in enumerate(
            zip(self.model.bodies, judge(self.model), strict=True)
        ):
            if body.id in self.targets:
                why = failures.get(index, others)
                results.append(Case(self.model, body, judgement).report(why.status, why.reason))
        return self._conclude(self.model, tuple(results))

    def _conclude(self, model: Model, results: tuple[BodyFix, ...]) -> LoadedFix:
        source = self.model.source
        results = tuple(replace(each, file=None) for each in results)
        return LoadedFix(source, self.model.format, model.source.data, results, model=model)


Rotation = tuple[Three, Three, Three]

UNTURNED: Rotation = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

Undo = Callable[[], object]
"""Function that takes new entries of a body back."""


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
        X_PB: Pose of its frame in that of its parent, or of the world, where its joint is at zero.
        axis_B: Direction about or along which its joint moves it, of length 1; None where there is
            not exactly one.
        p_BoJo_B: A point on that axis [m].
        joints: The joints that move it.
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
    axis_B: Three | None = None
    p_BoJo_B: Three | None = None
    joints: tuple[Joint, ...] = ()
    derived: bool = False
    diagonal: bool = False
    error: float = 0.0


def model_of(
    kind: str, format: str, name: str, bodies: Iterable[Loaded], holder: Holder | None = None
) -> LoadedModel:
    """The model of loaded bodies.

    Args:
        kind: Type of the object that holds them, as in "pinocchio.Model".
        format: Format by whose rules engines would read these numbers.
        name: Name of the model.
        bodies: Bodies in the library's order.
        holder: The object, whose parameters can be set.
    """
    listing = _Listing()
    found = tuple(listing.body(each) for each in bodies)
    path = f"<{kind} {name}>" if name else f"<{kind}>"
    return LoadedModel(Source(path, bytes(listing.data)), format, name, found, holder=holder)


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
            axis_B=loaded.axis_B,
            p_BoJo_B=loaded.p_BoJo_B,
            joints=loaded.joints,
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
        # The number in so many digits that half a unit of the last is below float64's rounding.
        if value == 0 or not isfinite(value):
            return repr(value) if value else "0"
        mantissa, mark, exponent = repr(value).partition("e")
        if "." not in mantissa:
            mantissa += "."
        return mantissa.ljust(len(mantissa) + MOST_DIGITS - significant_digits(mantissa), "0") + (
            mark + exponent
        )
    unit = Decimal(1).scaleb(ceil(log10(2 * error)))
    return f"{Decimal(value).quantize(unit):E}"


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


def three_of(vector: Iterable[float]) -> Three:
    """The three entries of a vector."""
    x, y, z = map(float, vector)
    return x, y, z


def rotation_of(matrix: Iterable[Iterable[float]]) -> Rotation:
    """The three rows of a 3x3 matrix."""
    x, y, z = (three_of(row) for row in matrix)
    return x, y, z


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
    read: Callable[[], Model], write: Callable[[int, Six], Undo], options: RepairOptions
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
    proposals = propose_all(model, method, ids, bool(request.bodies), request.judge(model))
    rows = {body.id: row for row, body in enumerate(model.bodies)}
    take_back = {
        id_: write(rows[id_], proposal.result.new)
        for id_, proposal in select_changing(proposals).items()
        if proposal.result.new is not None
    }
    again = read() if take_back else model
    broken = {
        body.id: "what the library makes of its nearest inertia by rounding is inconsistent again"
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


def repair_held(holder: Holder, options: RepairOptions) -> tuple[BodyFix, ...]:
    """Repair the bodies of an object that keeps full tensors in the axes of the bodies."""

    def write(index: int, six: Six) -> Undo:
        body = judge(holder.read())[index]
        tensor = np.asarray(symmetric(np.array(six)))
        center, size = np.array(body.p_BoBcm_B), float(np.max(np.abs(tensor)))
        return holder.write({index: Target(body.mass, center, tensor, size, posed=True)})

    return repair_model(holder.read, write, options)


class _RepairMethod(NearestMethod):
    """Method nearest, except for bodies whose inertia the library derives from their shapes."""

    def propose(self, case: Case, chosen: bool) -> Proposal:
        """Propose the nearest tensor, or nothing for a derived inertia."""
        if case.body.inertia_from == "geometry":
            return case.skip("unchanged", "its inertia is derived from its shapes")
        return super().propose(case, chosen)
