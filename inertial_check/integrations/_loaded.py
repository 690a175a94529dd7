"""Model that a library holds in memory, as the plain data that files become.

The numbers are those that the library computes with. They were never printed, so no rounding of
digits excuses them: a body that fails is inconsistent. Where a report shows a line, it is that of a
listing of the bodies, one on each line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from importlib import import_module
from math import ceil, isfinite, log10
from types import ModuleType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.errors import MissingExtraError, ParameterError
from inertial_check.fixing.case import PRODUCTS
from inertial_check.fixing.digits import MOST_DIGITS, significant_digits
from inertial_check.fixing.result import Six, Three
from inertial_check.inertia.representations import symmetric
from inertial_check.integrations._assigning import Holder, LoadedModel
from inertial_check.model import ENTRIES, Body, Inertial, Number, Source, Span
from inertial_check.model.body import Pose
from inertial_check.model.joint import Joint

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
