"""Constraints of a body beside its consistency: fixed numbers, bounds, the space that it fills.

A constraint is written once, as affine images of theta in convex cones, and serves three uses:
`inertial_check.project`, a user's own cvxpy problem (projection.conic.constrain), and a number
that says by how much given parameters fail it. All of them stand beside Pi >= 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.frames import refuse_nonrotation
from inertial_check.projection.constraint import (
    ArrayField,
    Block,
    Cone,
    Constraint,
    UnmetError,
    array_of,
    extent,
    frame_around,
    homogeneous,
    name_value,
    number,
    set_numbers,
    show_vector,
)
from inertial_check.projection.densities import (
    Density,
    DensityInBall,
    DensityInBox,
    DensityInCapsule,
    DensityInCylinder,
    DensityInEllipsoid,
    DensityInPolytope,
    DensityInUnion,
)
from inertial_check.projection.svec import TO_SVEC, congruence

__all__ = [
    "Block",
    "ComInBall",
    "ComInBox",
    "ComInHull",
    "Constraint",
    "Density",
    "DensityInBall",
    "DensityInBox",
    "DensityInCapsule",
    "DensityInCylinder",
    "DensityInEllipsoid",
    "DensityInPolytope",
    "DensityInUnion",
    "FixedCom",
    "FixedEntries",
    "FixedMass",
    "MassBounds",
    "Mirrored",
    "TotalMass",
]

NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The entries of theta in order "urdf", as FixedEntries calls them."""


@dataclass(frozen=True, eq=False, repr=False)
class FixedMass(Constraint):
    """The mass is known, and comes back bit for bit.

    Attributes:
        mass: [kg]; None for the mass that each body was given.
    """

    mass: float | None = None

    def __post_init__(self) -> None:
        """Check the mass."""
        super().__post_init__()
        if self.mass is not None:
            set_numbers(self, "mass")

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The zero m - mass."""
        mass = theta0[0, 0] if self.mass is None else self.mass
        return (_rows("zero", _unit(0), -np.array([mass])),)

    @property
    def anywhere(self) -> bool:
        """A mass does."""
        return True

    def snap(self, theta: Floats, theta0: Floats) -> Floats:
        """The mass as it was fixed."""
        theta[:, 0] = theta0[:, 0] if self.mass is None else self.mass
        return theta

    def describe(self) -> str:
        """The mass."""
        return f"FixedMass({name_value(self.mass, 'kg')})"


@dataclass(frozen=True, eq=False, repr=False)
class FixedCom(Constraint):
    """The centre of mass is known: h = m c.

    Where the mass is fixed too, h comes back as the rounded product, or bit for bit as given.

    Attributes:
        com: (3,) p_BoBcm_B [m]; None for the one that each body was given.
    """

    com: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Check the point."""
        super().__post_init__()
        if self.com is not None:
            object.__setattr__(self, "com", array_of(self, "com", self.com, (3,), "[m]"))

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The zeros h - m c.

        Raises:
            UnmetError: A body without mass has no centre of mass to keep.
        """
        if self.com is None and not theta0[0].any():  # a frame without mass, at any place
            return (_rows("zero", np.eye(10)[1:4]),)
        if self.com is None and theta0[0, 0] == 0:
            raise UnmetError(
                "FixedCom(as given): the body has mass 0 and so no centre of mass; say com="
            )
        com = theta0[0, 1:4] / theta0[0, 0] if self.com is None else np.asarray(self.com)
        return (_rows("zero", np.eye(10)[1:4] - np.outer(com, _unit(0))),)

    @property
    def anywhere(self) -> bool:
        """The point that a body was given does."""
        return self.com is None

    def snap(self, theta: Floats, theta0: Floats) -> Floats:
        """The first moment of the mass at that point; as given where neither changed."""
        mass = theta[:, :1]
        if self.com is not None:
            theta[:, 1:4] = mass * np.asarray(self.com)
        else:
            given = np.where(theta0[:, :1] != 0, theta0[:, :1], 1.0)  # no mass, no moment
            product = mass * (theta0[:, 1:4] / given)
            theta[:, 1:4] = np.where(mass == theta0[:, :1], theta0[:, 1:4], product)
        return theta

    def describe(self) -> str:
        """The point."""
        return f"FixedCom({name_value(self.com, 'm')})"


@dataclass(frozen=True, eq=False, repr=False)
class FixedEntries(Constraint):
    """Single numbers of theta about the body origin are known, and come back bit for bit.

    Attributes:
        entries: Names of NAMES, each kept as given; or a mapping of names to values [SI], None for
            the value that each body was given. Ixy and its like are products of inertia, entries of
            the matrix.
    """

    entries: Mapping[str, float | None] | Iterable[str] = ()

    def __post_init__(self) -> None:
        """Check names and values."""
        super().__post_init__()
        try:
            values = self._values
        except TypeError:
            values = {}
        unknown = [name for name in values if name not in NAMES]
        if unknown or not values:
            raise ParameterError(
                f"FixedEntries: entries is {self.entries!r}, expected some of {', '.join(NAMES)}"
            )
        for name, value in values.items():
            if value is not None:
                values[name] = number(self, name, value, above=None)
        object.__setattr__(self, "entries", values)

    def value_of(self, k: int, theta: Floats) -> float | None:
        """The value at which entry k is fixed, for a body (10,); None where it is free."""
        name = NAMES[k]
        if name not in self._values:
            return None
        value = self._values[name]
        return float(theta[k]) if value is None else value

    @property
    def _values(self) -> dict[str, float | None]:
        """The entries as a mapping, also where they were given as names."""
        named = (self.entries,) if isinstance(self.entries, str) else self.entries
        return dict(named) if isinstance(named, Mapping) else dict.fromkeys(named)

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The zeros theta_k - value."""
        indices = [NAMES.index(name) for name in self._values]
        fixed = [
            theta0[0, k] if value is None else value
            for k, value in zip(indices, self._values.values(), strict=True)
        ]
        return (_rows("zero", np.eye(10)[indices], -np.array(fixed)),)

    @property
    def anywhere(self) -> bool:
        """The mass alone does."""
        return set(self._values) == {"m"}

    def snap(self, theta: Floats, theta0: Floats) -> Floats:
        """The numbers as they were fixed."""
        for name, value in self._values.items():
            k = NAMES.index(name)
            theta[:, k] = theta0[:, k] if value is None else value
        return theta

    def describe(self) -> str:
        """Names and values."""
        parts = (f"{name}={name_value(value)}" for name, value in self._values.items())
        return f"FixedEntries({', '.join(parts)})"


@dataclass(frozen=True, eq=False, repr=False)
class MassBounds(Constraint):
    """lower <= m <= upper.

    Attributes:
        lower: [kg], 0 or more.
        upper: [kg]; infinite by default.
    """

    lower: float = 0.0
    upper: float = np.inf

    def __post_init__(self) -> None:
        """Check the bounds."""
        super().__post_init__()
        lower = number(self, "lower", self.lower, above=None)
        endless = isinstance(self.upper, float) and self.upper == np.inf
        upper = np.inf if endless else number(self, "upper", self.upper, above=None)
        if not 0 <= lower <= upper:
            raise ParameterError(
                f"MassBounds: {lower!r} to {upper!r} kg, expected 0 <= lower <= upper"
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """Non-negative: m - lower and upper - m."""
        bounds = [_rows("nonneg", _unit(0), -np.array([self.lower]))]
        if self.upper < np.inf:
            bounds.append(_rows("nonneg", -_unit(0), np.array([self.upper])))
        return tuple(bounds)

    def describe(self) -> str:
        """The bounds."""
        return f"MassBounds({self.lower!r} to {self.upper!r} kg)"


@dataclass(frozen=True, eq=False, repr=False)
class ComInBox(Constraint):
    """The centre of mass lies in a box along the body axes: m lower <= h <= m upper.

    Attributes:
        lower: (3,) p_BoBcm_B at least [m].
        upper: (3,) p_BoBcm_B at most [m].
    """

    lower: ArrayField = ArrayField(3, unit="[m]")
    upper: ArrayField = ArrayField(3, unit="[m]")

    def __post_init__(self) -> None:
        """Check the corners."""
        super().__post_init__()
        if not np.all(self.lower <= self.upper):
            raise ParameterError(f"ComInBox: lower {self.lower} exceeds upper {self.upper}")

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """Non-negative: h - m lower and m upper - h."""
        h = np.eye(10)[1:4]
        sides = [h - np.outer(self.lower, _unit(0)), np.outer(self.upper, _unit(0)) - h]
        return (_rows("nonneg", np.concatenate(sides)),)

    def describe(self) -> str:
        """The corners."""
        return f"ComInBox({show_vector(self.lower)} to {show_vector(self.upper)} m)"


@dataclass(frozen=True, eq=False, repr=False)
class ComInBall(Constraint):
    """The centre of mass lies near a point: |h - m center| <= m radius.

    Attributes:
        radius: [m].
        center: (3,) in B [m].
    """

    radius: float
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        """Check radius and centre."""
        super().__post_init__()
        set_numbers(self, "radius")

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """(m radius, h - m center) in the second-order cone."""
        arm = np.eye(10)[1:4] - np.outer(self.center, _unit(0))
        return (_rows("soc", np.concatenate([self.radius * _unit(0), arm])),)

    def describe(self) -> str:
        """Radius and centre."""
        return f"ComInBall({self.radius!r} m around {show_vector(self.center)} m)"


@dataclass(frozen=True, eq=False, repr=False)
class ComInHull(Constraint):
    """The centre of mass lies in the convex hull of points, which may be flat.

    Attributes:
        points: (k, 3) in B [m].
    """

    points: ArrayField = ArrayField(None, 3, unit="[m]")

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """(h, m) = sum of w_k (points_k, 1) with w >= 0, in units of the hull's size."""
        frame = frame_around(self.points)
        inverse = np.asarray(np.linalg.inv(frame))
        head = inverse @ np.eye(10)[[1, 2, 3, 0]]
        corners = inverse @ homogeneous(self.points)
        count = len(self.points)
        return (
            Block("zero", head, -corners, np.zeros(4)),
            Block("nonneg", np.zeros((count, 10)), np.eye(count), np.zeros(count)),
        )

    def describe(self) -> str:
        """How many points, and where."""
        return f"ComInHull({len(self.points)} points{extent(self.points)})"


@dataclass(frozen=True, eq=False, repr=False)
class TotalMass(Constraint):
    """The bodies weigh so much together.

    Attributes:
        mass: [kg].
        tolerance: Relative: the sum is within mass (1 - tolerance) and mass (1 + tolerance).
    """

    coupling: ClassVar[bool] = True

    mass: float
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Check mass and tolerance."""
        super().__post_init__()
        set_numbers(self, "mass")
        tolerance = number(self, "tolerance", self.tolerance, above=None)
        if not 0 <= tolerance < 1:
            raise ParameterError(f"TotalMass: tolerance is {tolerance!r}, expected 0 <= t < 1")
        object.__setattr__(self, "tolerance", tolerance)

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """Sum of m - mass = 0, or bounds on it."""
        total = np.tile(_unit(0), (1, len(theta0)))
        if self.tolerance == 0:
            return (_rows("zero", total, -np.array([self.mass])),)
        bounds = self.mass * np.array([-(1 - self.tolerance), 1 + self.tolerance])
        return (_rows("nonneg", np.concatenate([total, -total]), bounds),)

    def describe(self) -> str:
        """Mass and tolerance."""
        within = f" within {self.tolerance:.3g}" if self.tolerance else ""
        return f"TotalMass({self.mass!r} kg{within})"


@dataclass(frozen=True, eq=False, repr=False)
class Mirrored(Constraint):
    """Two bodies are images of each other: Pi_first = T Pi_second T^T.

    `bodies` names the two, first and second; a batch of two needs no naming.

    Attributes:
        transform: (4, 4) maps points of the second body's frame to the first's; the default is the
            reflection y -> -y of a left and a right link with mirrored frames. An isometry:
            orthonormal, rotation or reflection, and a shift [m].
    """

    coupling: ClassVar[bool] = True

    transform: ArrayField = ArrayField(
        4, 4, default=((1.0, 0, 0, 0), (0, -1.0, 0, 0), (0, 0, 1.0, 0), (0, 0, 0, 1.0))
    )

    def __post_init__(self) -> None:
        """Check the isometry."""
        super().__post_init__()
        if self.bodies is not None and len(self.bodies) != 2:
            raise ParameterError(f"Mirrored: bodies is {self.bodies!r}, expected two indices")
        T = self.transform
        if T[3].tolist() != [0, 0, 0, 1]:
            raise ParameterError(
                f"Mirrored: transform has the last row {T[3].tolist()}, expected [0, 0, 0, 1]"
            )
        proper = T[:3, :3] if np.linalg.det(T[:3, :3]) > 0 else -T[:3, :3]
        refuse_nonrotation(np, "Mirrored: transform", proper)

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """Pi_first - T Pi_second T^T = 0.

        Raises:
            ParameterError: Not two bodies.
        """
        if len(theta0) != 2:
            raise ParameterError(
                f"Mirrored: {len(theta0)} bodies, expected two: say which with "
                "bodies=(first, second)"
            )
        image = congruence(self.transform[None])[0] @ TO_SVEC
        return (_rows("zero", np.concatenate([TO_SVEC, -image], axis=1)),)

    def describe(self) -> str:
        """The reflection or the transform."""
        diagonal = np.diag(self.transform)
        if np.array_equal(self.transform, np.diag(diagonal)) and np.sum(diagonal < 0) == 1:
            return (
                f"Mirrored({'xyz'[int(np.argmin(diagonal))]} -> -{'xyz'[int(np.argmin(diagonal))]})"
            )
        return f"Mirrored(transform={self.transform.tolist()})"


def _rows(cone: Cone, A: Floats, b: Floats | None = None) -> Block:
    """A block without auxiliary variables."""
    return Block(cone, A, np.zeros((len(A), 0)), np.zeros(len(A)) if b is None else b)


def _unit(k: int) -> Floats:
    """The row (1, 10) that picks theta_k."""
    return np.eye(10)[k : k + 1]
