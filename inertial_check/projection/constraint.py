"""A convex condition on inertial parameters, written once: affine images of theta in cones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, SupportsFloat, overload

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.frames import refuse_nonrotation
from inertial_check.projection.svec import symmetric

Cone = Literal["zero", "nonneg", "psd", "soc"]


class UnmetError(ParameterError):
    """The numbers of one body leave a constraint without a meaning, so that none meets it."""


class Block(NamedTuple):
    """A theta + B aux + b lies in the cone.

    Attributes:
        cone: "zero"; "nonneg", row by row; "psd", svec of a symmetric matrix: its upper triangle by
            rows, off-diagonal entries times sqrt(2); "soc", first row at least the norm of the
            others.
        A: (k, 10 bodies) on theta in order "urdf" about the body origin, body after body [SI].
        B: (k, aux) on auxiliary variables [kg], shared by the blocks of one constraint.
        b: (k,).
    """

    cone: Cone
    A: Floats
    B: Floats
    b: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint(ABC):
    """A convex condition on one body, or on several together.

    Attributes:
        bodies: Indices of the rows that it holds for; None for every row of the batch, each by
            itself, or, where it couples bodies, for all of them together.
    """

    coupling: ClassVar[bool] = False
    """Flag: the constraint couples bodies, so that they have to be solved for together."""

    in_frame: ClassVar[bool] = False
    """Flag: the constraint is posed in the frame of the problem, and not about the body origin."""

    bodies: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse indices that are none."""
        if self.bodies is None:
            return
        given: object = self.bodies  # callers pass anything
        named = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
        chosen: list[Any] = list(self.bodies) if named else [given]
        if not all(isinstance(i, (int, np.integer)) and i >= 0 for i in chosen):
            raise ParameterError(
                f"{type(self).__name__}: bodies is {self.bodies!r}, expected row indices from 0"
            )
        if len(set(chosen)) < len(chosen) or not chosen:
            raise ParameterError(
                f"{type(self).__name__}: bodies is {self.bodies!r}, expected one index or more, "
                "each once"
            )
        object.__setattr__(self, "bodies", tuple(int(i) for i in chosen))

    @abstractmethod
    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The cones.

        Args:
            theta0: (n, 10) the bodies it holds for, as given: "as given" means these numbers. One
                body at a time, unless the constraint couples bodies.

        Raises:
            ParameterError: These bodies cannot be constrained so.
        """

    @abstractmethod
    def describe(self) -> str:
        """Describe the constraint with its numbers, on one line."""

    @property
    def anywhere(self) -> bool:
        """Whether what is fixed reads the same about every point of the body."""
        return False

    def snap(self, theta: Floats, theta0: Floats) -> Floats:
        """An answer (n, 10), right up to rounding, with what is fixed exactly as it was fixed."""
        return theta

    def __repr__(self) -> str:
        """Describe the constraint."""
        return self.describe()

    def violation(self, theta: ArrayLike, theta0: ArrayLike | None = None) -> float | Floats:
        """By how much parameters fail the constraint, relative to the size of what is compared.

        Args:
            theta: (..., 10) in order "urdf" about the body origin; (n, 10) the bodies together for
                a constraint that couples them.
            theta0: The same shape: what "as given" refers to; theta itself by default.

        Returns:
            (...,) or a number, 0 where it holds; about rounding (1e-16) where it holds by equality.

        Raises:
            ParameterError: Wrong shape, or a constraint with auxiliary variables, of which only a
                solver can say whether it holds: project, and look at the change.
        """
        rows = np.asarray(theta, dtype=np.float64)
        given = rows if theta0 is None else np.asarray(theta0, dtype=np.float64)
        if rows.shape[-1:] != (10,) or given.shape != rows.shape:
            raise ParameterError(
                f"theta has shape {rows.shape} and theta0 {given.shape}, expected (..., 10) both"
            )
        batch = () if self.coupling else rows.shape[:-1]
        together = (1, -1, 10) if self.coupling else (-1, 1, 10)
        worst = np.zeros(int(np.prod(batch)))
        pairs = zip(rows.reshape(together), given.reshape(together), strict=True)
        for i, (bodies, own) in enumerate(pairs):
            for block in self.blocks(own):
                if block.B.shape[1]:
                    raise ParameterError(
                        f"{self.describe()} has auxiliary variables: only a solver can say whether "
                        "it holds; project, and look at what changed"
                    )
                s = block.A @ bodies.ravel() + block.b
                worst[i] = max(worst[i], *distances(block.cone, s, block, bodies))
        excess: float | Floats = worst.reshape(batch)[()]
        return excess


def distances(cone: Cone, s: Floats, block: Block, theta: Floats) -> Floats:
    """By how much s = A theta + b leaves the cone, relative to the terms of which it is the sum."""
    size = np.abs(block.A) @ np.abs(theta).ravel() + np.abs(block.b)
    if cone in {"psd", "soc"}:
        size = np.max(size, initial=0.0, keepdims=True)
    return np.asarray(_outside(cone, s) / np.where(size > 0, size, 1.0))


def _outside(cone: Cone, s: Floats) -> Floats:
    """By how much s leaves the cone: row by row, or as a whole (1,)."""
    if cone == "zero":
        return np.abs(s)
    if cone == "nonneg":
        return np.maximum(-s, 0.0)
    lack = (
        -float(np.linalg.eigvalsh(symmetric(s))[0])
        if cone == "psd"
        else float(np.linalg.norm(s[1:]) - s[0])
    )
    return np.array([max(lack, 0.0)])


def read_constraints(constraints: Constraint | Iterable[Constraint]) -> tuple[Constraint, ...]:
    """The constraints as a tuple; a single one is a tuple too.

    Raises:
        ParameterError: Something else is among them; names its index.
    """
    if isinstance(constraints, Constraint) or not isinstance(constraints, Iterable):
        given: tuple[Constraint, ...] = (constraints,)
    else:
        given = tuple(constraints)
    for i, one in enumerate(given):
        if not isinstance(one, Constraint):
            raise ParameterError(
                f"constraints[{i}] is {one!r}, expected a constraint of "
                "inertial_check.projection.constraints"
            )
    return given


def number(owner: Constraint, name: str, value: SupportsFloat, above: float | None = 0.0) -> float:
    """A finite number, positive unless `above` is None."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or (above is not None and number <= above):
        expected = "a finite number" if above is None else "a positive number"
        raise ParameterError(f"{type(owner).__name__}: {name} is {value!r}, expected {expected}")
    return number


def array_of(
    owner: Constraint, name: str, value: ArrayLike, shape: tuple[int | None, ...], unit: str
) -> Floats:
    """A finite array of the shape, None for any length but 0; not to be written to."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.full(0, np.nan)
    fits = array.ndim == len(shape) and all(
        have > 0 if want is None else have == want
        for have, want in zip(array.shape, shape, strict=True)
    )
    if not fits or not np.all(np.isfinite(array)):
        wanted = ", ".join("k" if want is None else str(want) for want in shape)
        wanted = f"({wanted},)" if len(shape) == 1 else f"({wanted})"
        raise ParameterError(
            f"{type(owner).__name__}: {name} is {value!r}, expected {wanted} finite numbers {unit}"
        )
    array.flags.writeable = False
    return array


def set_numbers(owner: Constraint, *names: str) -> None:
    """Replace attributes by what they say as positive numbers.

    Raises:
        ParameterError: An attribute that is no positive number.
    """
    for name in names:
        object.__setattr__(owner, name, number(owner, name, getattr(owner, name)))


class ArrayField:
    """A field of a constraint that is set from any array and read as a read-only NumPy array.

    Args:
        *shape: Length of each axis; None for any length but 0.
        unit: Unit of the numbers, in brackets, for error messages.
        default: Value of the field where none is given; without one the field is required.
    """

    def __init__(
        self, *shape: int | None, unit: str = "", default: ArrayLike | None = None
    ) -> None:
        self._shape = shape
        self._unit = unit
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the name of the field."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> ArrayLike: ...
    @overload
    def __get__(self, instance: Constraint, owner: type) -> Floats: ...
    def __get__(self, instance: Constraint | None, owner: type) -> ArrayLike | Floats:
        """The array of a constraint; of the class the default, as dataclasses look it up."""
        if instance is None:
            if self._default is None:
                raise AttributeError(self._name)
            return self._default
        values: Floats = instance.__dict__[self._name]
        return values

    def __set__(self, instance: Constraint, value: ArrayLike) -> None:
        """Check and store the numbers.

        Raises:
            ParameterError: Another shape, or a number that is not finite.
        """
        instance.__dict__[self._name] = self._read(instance, value)

    def _read(self, owner: Constraint, value: ArrayLike) -> Floats:
        return array_of(owner, self._name, value, self._shape, self._unit)


class LengthsField(ArrayField):
    """A field of three positive lengths [m]."""

    def __init__(self) -> None:
        super().__init__(3, unit="[m]")

    def _read(self, owner: Constraint, value: ArrayLike) -> Floats:
        lengths = super()._read(owner, value)
        if not np.all(lengths > 0):
            raise ParameterError(
                f"{type(owner).__name__}: {self._name} is {lengths.tolist()}, expected positive "
                "lengths [m]; a shape without thickness has no inside"
            )
        return lengths


class RotationField(ArrayField):
    """A field with a rotation matrix (3, 3), which is the identity where none is given."""

    def __init__(self) -> None:
        super().__init__(3, 3, default=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))

    def __set__(self, instance: Constraint, value: ArrayLike | None) -> None:
        """Check and store the rotation; None stands for the identity.

        Raises:
            ParameterError: Another shape, or a matrix that is no rotation.
        """
        super().__set__(instance, np.eye(3) if value is None else value)

    def _read(self, owner: Constraint, value: ArrayLike) -> Floats:
        rotation = super()._read(owner, value)
        refuse_nonrotation(np, f"{type(owner).__name__}: {self._name}", rotation)
        return rotation


def name_value(value: float | ArrayLike | None, unit: str = "") -> str:
    """Write a value with its unit; "as given" for None."""
    if value is None:
        return "as given"
    text = show_vector(value) if isinstance(value, np.ndarray) else repr(value)
    return " ".join([text, unit]).strip()


def show_vector(vector: Floats) -> str:
    """Write the numbers of a vector in brackets, with six digits."""
    return "[" + ", ".join(f"{float(v):.6g}" for v in vector) + "]"


def extent(points: Floats) -> str:
    """Write the least and the greatest corner of the box around points (k, 3)."""
    return f" within {show_vector(points.min(axis=0))} to {show_vector(points.max(axis=0))} m"


def homogeneous(points: Floats) -> Floats:
    """(4, k) columns [point; 1]."""
    return np.concatenate([points.T, np.ones((1, len(points)))])


def frame_around(points: Floats) -> Floats:
    """(4, 4) the frame in which the points are centred and reach to 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.max(high - low)) / 2
    return pose((size if size > 0 else 1.0) * np.eye(3), (low + high) / 2)


def pose(axes: Floats, center: Floats) -> Floats:
    """(4, 4) maps points of a frame with these axes (3, 3), not of unit length, to B."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = axes, center
    return T
