"""The space that a body fills, and what it says of the body's moments.

A density constraint holds where some non-negative density inside a shape has the moments. Each one
says whether it is exact (every point of its set is reached by a density inside) or necessary only.
All stand beside Pi >= 0, which they do not repeat. In the shape's own frame and size, Pi = T J T^T,
the moments J are of the order of the mass; auxiliary variables are such moments.

Sources: "WKS": Wensing, Kim, Slotine, IEEE RA-L 3(1), 2018, arXiv:1701.04395. "AB": Anstreicher,
Burer, Computable representations for convex hulls of low-dimensional quadratic forms, Mathematical
Programming 124, 2010. "YZ": Ye, Zhang, New results on quadratic minimization, SIAM J. Optim. 14,
2003.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.projection.constraint import (
    ArrayField,
    Block,
    Cone,
    Constraint,
    LengthsField,
    RotationField,
    extent,
    frame_around,
    homogeneous,
    pose,
    set_numbers,
    show_vector,
)
from inertial_check.projection.svec import ENTRY, SCALE, TO_SVEC, congruence

MOST_TETRAHEDRA = 64
"""An exact polytope is a sum over its tetrahedra; beyond that many, a solve takes minutes."""


@dataclass(frozen=True, eq=False)
class _Linear:
    """Rows M [theta; aux]; columns of aux are added as they come to be."""

    M: Floats

    def __add__(self, other: _Linear) -> _Linear:
        width = max(self.M.shape[1], other.M.shape[1])
        return _Linear(_widen(self.M, width) + _widen(other.M, width))

    def __neg__(self) -> _Linear:
        return _Linear(-self.M)

    def __sub__(self, other: _Linear) -> _Linear:
        return self + -other

    def __mul__(self, factor: float) -> _Linear:
        return _Linear(factor * self.M)

    def map(self, matrix: Floats) -> _Linear:
        """The rows multiplied by a matrix."""
        return _Linear(matrix @ self.M)

    def entry(self, i: int, j: int) -> _Linear:
        """Entry of the 4x4 matrix of which the ten rows are the svec."""
        k = ENTRY[i, j]
        return _Linear(self.M[k : k + 1] / SCALE[k])


class _Builder:
    """Blocks of one body, with the auxiliary variables made for them."""

    def __init__(self) -> None:
        self._width = 10
        self._parts: list[tuple[Cone, Floats]] = []

    def new(self, count: int) -> _Linear:
        """So many auxiliary variables [kg]."""
        self._width += count
        return _Linear(np.eye(count, self._width, self._width - count))

    def require(self, cone: Cone, *rows: _Linear) -> None:
        """The rows, one under the other, lie in the cone."""
        stacked = [_widen(part.M, self._width) for part in rows]
        self._parts.append((cone, np.concatenate(stacked)))

    def semidefinite(self, entries: Sequence[Sequence[_Linear]]) -> None:
        """The symmetric matrix with these entries (the upper triangle counts) is semidefinite."""
        triangle = combinations_with_replacement(range(len(entries)), 2)
        rows = (entries[i][j] * (1.0 if i == j else np.sqrt(2.0)) for i, j in triangle)
        self.require("psd", *rows)

    def blocks(self) -> tuple[Block, ...]:
        """Blocks of all conditions that were required."""
        wide = [(cone, _widen(M, self._width)) for cone, M in self._parts]
        return tuple(Block(cone, M[:, :10], M[:, 10:], np.zeros(len(M))) for cone, M in wide)


@dataclass(frozen=True, eq=False, repr=False)
class Density(Constraint):
    """Some non-negative density inside a shape has these moments.

    In the shape's own frame and size, Pi = T J T^T, J is of the order of the mass [kg].
    """

    @property
    def exact(self) -> bool:
        """Whether a density inside exists wherever this holds; else it is necessary only."""
        return True

    @abstractmethod
    def frame(self) -> Floats:
        """(4, 4) T: maps points of the shape in its own frame and size to those of B [m]."""

    @abstractmethod
    def inside(self, J: _Linear, build: _Builder) -> None:
        """Require what J, svec of a semidefinite matrix, needs beside, in the shape's own frame."""

    def blocks(self, theta0: Floats) -> tuple[Block, ...]:
        """The moments, in the shape's own frame, are those of a density inside."""
        return self._blocks

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        """The cones, which depend on the shape alone, built once for each constraint."""
        build = _Builder()
        self.inside(_Linear(_seen_from(self.frame()) @ TO_SVEC), build)
        return build.blocks()


@dataclass(frozen=True, eq=False, repr=False)
class DensityInEllipsoid(Density):
    """A density inside an ellipsoid has these moments: tr(Pi Q) >= 0 (WKS). Exact.

    Q is the quadratic form that is non-negative exactly inside: by the S-lemma nothing else is
    needed beside Pi >= 0.

    Attributes:
        half_extents: (3,) along the ellipsoid's own axes [m], positive.
        center: (3,) in B [m].
        rotation: (3, 3) R_BE, its axes in B.
    """

    half_extents: LengthsField = LengthsField()
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))
    rotation: RotationField = RotationField()

    def frame(self) -> Floats:
        """Of the unit ball."""
        return pose(self.rotation * self.half_extents, self.center)

    def inside(self, J: _Linear, build: _Builder) -> None:
        """M - tr(S) >= 0 in the unit ball."""
        build.require("nonneg", J.entry(3, 3) - J.entry(0, 0) - J.entry(1, 1) - J.entry(2, 2))

    def describe(self) -> str:
        """Half extents and centre."""
        return (
            f"DensityInEllipsoid(half extents {show_vector(self.half_extents)} m "
            f"around {show_vector(self.center)} m)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class DensityInBall(Density):
    """A density inside a ball has these moments: tr(S) <= radius^2 m about its centre. Exact.

    The bound on the size of a body that carries its own unit, where a least mass does not.

    Attributes:
        radius: [m].
        center: (3,) in B [m]; the body origin by default.
    """

    radius: float
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        set_numbers(self, "radius")

    def frame(self) -> Floats:
        """Of the unit ball."""
        return pose(self.radius * np.eye(3), self.center)

    inside = DensityInEllipsoid.inside  # that of the unit ball, too

    def describe(self) -> str:
        """Radius and centre."""
        return f"DensityInBall(radius {self.radius!r} m around {show_vector(self.center)} m)"


@dataclass(frozen=True, eq=False, repr=False)
class DensityInCylinder(Density):
    """A density inside a solid cylinder has these moments.

    Each mass is split between the two end discs, which keeps its moments but for the one along the
    axis: that can only grow, up to m (length / 2)^2. Necessary by construction; exact as far as
    measured: of more than a thousand random quadratic forms none had a maximum larger than over the
    cylinder, by 1e-7 of its range. For a ball between parallel planes YZ prove the like.

    Attributes:
        radius: [m].
        length: Along the axis [m].
        center: (3,) in B [m].
        rotation: (3, 3) R_BC; its third column is the axis.
    """

    radius: float
    length: float
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))
    rotation: RotationField = RotationField()

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        set_numbers(self, "radius", "length")

    def frame(self) -> Floats:
        """Of the cylinder of radius 1 from z = -1 to 1."""
        return pose(self.rotation * [self.radius, self.radius, self.length / 2], self.center)

    def inside(self, J: _Linear, build: _Builder) -> None:
        """J is that of two discs but for its zz entry, which is at most m."""
        build.require("nonneg", J.entry(3, 3) - J.entry(2, 2))
        first = build.new(3)
        xx, xy, yy = (_Linear(first.M[k : k + 1]) for k in range(3))
        rest = J.entry(0, 0) - xx, J.entry(0, 1) - xy, J.entry(1, 1) - yy
        for sign, (a, b, c) in ((1.0, (xx, xy, yy)), (-1.0, rest)):
            x, y = ((J.entry(k, 3) + J.entry(k, 2) * sign) * 0.5 for k in (0, 1))
            m = (J.entry(3, 3) + J.entry(2, 3) * sign) * 0.5
            build.semidefinite([[a, b, x], [b, c, y], [x, y, m]])
            build.require("nonneg", m - a - c)

    def describe(self) -> str:
        """Radius, length and centre."""
        return (
            f"DensityInCylinder(radius {self.radius!r} m, length {self.length!r} m "
            f"around {show_vector(self.center)} m)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Tetrahedron(Density):
    """A density inside a tetrahedron: J = V^-1 Pi V^-T has no negative entry (AB). Exact.

    With V the homogeneous corners, J holds the moments of the barycentric coordinates: doubly
    non-negative 4x4 matrices are completely positive.
    """

    corners: Floats

    def frame(self) -> Floats:
        """The homogeneous corners: barycentric coordinates instead of points."""
        return homogeneous(self.corners)

    def inside(self, J: _Linear, build: _Builder) -> None:
        """No negative entry; those on the diagonal have none."""
        build.require("nonneg", *(J.entry(i, j) for i, j in combinations(range(4), 2)))

    def describe(self) -> str:
        """The corners."""
        return f"tetrahedron {self.corners.tolist()}"


@dataclass(frozen=True, eq=False, repr=False)
class _Union(Density):
    """Bodies in several shapes that make up one: Pi = sum of Pi_k, each of a density in its shape.

    Exact where each of the shapes is.
    """

    @abstractmethod
    def parts(self) -> tuple[Density, ...]:
        """The shapes; they may overlap."""

    @property
    def exact(self) -> bool:
        """Whether each of the shapes is."""
        return all(part.exact for part in self.parts())

    def frame(self) -> Floats:
        """Of the largest shape, whose body is what the others leave."""
        return self._largest_first[0].frame()

    def inside(self, J: _Linear, build: _Builder) -> None:
        """Every sub-body is semidefinite and inside its shape."""
        largest, *others = self._largest_first
        if not others:
            largest.inside(J, build)
            return
        own = _seen_from(largest.frame())
        for part in others:
            body = build.new(10)
            build.require("psd", body)
            part.inside(body, build)
            J = J - body.map(own @ congruence(part.frame()[None])[0])
        build.require("psd", J)
        largest.inside(J, build)

    @cached_property
    def _largest_first(self) -> list[Density]:
        return sorted(self.parts(), key=lambda part: -abs(float(np.linalg.det(part.frame()))))


@dataclass(frozen=True, eq=False, repr=False)
class DensityInUnion(_Union):
    """A density inside the union of shapes has these moments; the shapes need not touch.

    The sum of bodies, each in its shape. Exact where the shapes are.

    Attributes:
        shapes: Density constraints; their own `bodies` do not count.
    """

    shapes: tuple[Density, ...]

    def __post_init__(self) -> None:
        """Check the shapes."""
        super().__post_init__()
        shapes = tuple(self.shapes) if isinstance(self.shapes, Iterable) else ()
        wrong = [shape for shape in shapes if not isinstance(shape, Density)]
        if wrong or not shapes:
            raise ParameterError(
                f"DensityInUnion: shapes is {self.shapes!r}, expected Density constraints"
            )
        object.__setattr__(self, "shapes", shapes)

    def parts(self) -> tuple[Density, ...]:
        """The shapes."""
        return self.shapes

    def describe(self) -> str:
        """The shapes."""
        return f"DensityInUnion({', '.join(shape.describe() for shape in self.shapes)})"


@dataclass(frozen=True, eq=False, repr=False)
class DensityInCapsule(_Union):
    """A density inside a capsule has these moments: a cylinder and a ball at either end.

    As exact as DensityInCylinder.

    Attributes:
        radius: [m].
        length: Of the cylinder, between the centres of the balls [m].
        center: (3,) in B [m].
        rotation: (3, 3) R_BC; its third column is the axis.
    """

    radius: float
    length: float
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))
    rotation: RotationField = RotationField()

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        set_numbers(self, "radius", "length")

    def parts(self) -> tuple[Density, ...]:
        """The cylinder and the two balls."""
        arm = self.rotation[:, 2] * (self.length / 2)
        ends = (DensityInBall(self.radius, self.center + s * arm) for s in (1.0, -1.0))
        return (DensityInCylinder(self.radius, self.length, self.center, self.rotation), *ends)

    def describe(self) -> str:
        """Radius, length and centre."""
        return (
            f"DensityInCapsule(radius {self.radius!r} m, length {self.length!r} m "
            f"around {show_vector(self.center)} m)"
        )


FORMS = ("exact", "vertices")
"""Forms of the condition that a density lies in a box or a polytope."""


@dataclass(frozen=True, eq=False, repr=False)
class DensityInBox(_Union):
    """A density inside a box has these moments.

    form="exact": the sum of bodies in five tetrahedra that fill the box (AB).

    form="vertices": point masses at the eight corners have the same mass, first moment and
    products, and at least the same second moments along the box's axes; one auxiliary variable
    instead of forty. That is necessary only: the maximum of a quadratic form can exceed the one
    over the box; random forms show nothing, a search found 0.7 % of the form's range.

    Attributes:
        half_extents: (3,) along the box's own axes [m], positive.
        center: (3,) in B [m].
        rotation: (3, 3) R_BE, its axes in B.
        form: "exact" or "vertices".
    """

    half_extents: LengthsField = LengthsField()
    center: ArrayField = ArrayField(3, unit="[m]", default=(0.0, 0.0, 0.0))
    rotation: RotationField = RotationField()
    form: str = "exact"

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        _refuse_form(self, self.form)

    @property
    def exact(self) -> bool:
        """Whether the form is."""
        return self.form == "exact"

    def parts(self) -> tuple[Density, ...]:
        """Five tetrahedra: the inner one on four corners, and what it leaves of each other one."""
        cube = np.array(list(product((-1.0, 1.0), repeat=3)))
        even = cube[cube.prod(axis=1) > 0]
        outer = [np.array([corner, *(corner * (1 - 2 * np.eye(3)))]) for corner in -even]
        return tuple(
            _Tetrahedron(self.center + (corners * self.half_extents) @ self.rotation.T)
            for corners in (even, *outer)
        )

    def frame(self) -> Floats:
        """Of the cube from -1 to 1; for the exact form of the inner tetrahedron."""
        if self.exact:
            return super().frame()
        return pose(self.rotation * self.half_extents, self.center)

    def inside(self, J: _Linear, build: _Builder) -> None:
        """Of the chosen form."""
        if self.exact:
            super().inside(J, build)
            return
        cube = np.array(list(product((-1.0, 1.0), repeat=3)))
        # Seven moments and one free number, along x y z, are the eight masses.
        pairs = ((3, 3), (0, 3), (1, 3), (2, 3), (0, 1), (0, 2), (1, 2))
        corners = np.concatenate([cube, np.ones((8, 1))], axis=1)
        masses = build.new(1).map(cube.prod(axis=1)[:, None])
        for i, j in pairs:
            masses = masses + J.entry(i, j).map((corners[:, i] * corners[:, j])[:, None] / 8)
        build.require("nonneg", masses)
        build.require("nonneg", *(J.entry(3, 3) - J.entry(k, k) for k in range(3)))

    def describe(self) -> str:
        """Half extents, centre and form."""
        return (
            f"DensityInBox(half extents {show_vector(self.half_extents)} m "
            f"around {show_vector(self.center)} m, {self.form})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class DensityInPolytope(_Union):
    """A density inside the convex hull of points has these moments.

    form="exact": the sum of bodies in the tetrahedra of a Delaunay triangulation (AB).

    form="vertices": masses w_k at the corners v_k have the same mass and first moment, and
    sum w_k v_k v_k^T - S >= 0. That is necessary only: the maximum of a random quadratic form
    exceeded the true one in 4 % of all cases, by up to 1.6 % of the form's range.

    Attributes:
        points: (k, 3) in B [m], not all in one plane; those inside the hull do not count.
        form: "exact" or "vertices".
    """

    points: ArrayField = ArrayField(None, 3, unit="[m]")
    form: str = "exact"

    def __post_init__(self) -> None:
        """Check the points and triangulate them."""
        super().__post_init__()
        _refuse_form(self, self.form)
        count = len(self._corners[1])
        if self.exact and count > MOST_TETRAHEDRA:
            raise ParameterError(
                f"DensityInPolytope: {count} tetrahedra, expected at most {MOST_TETRAHEDRA}; "
                'simplify the hull, or take form="vertices", which is necessary only'
            )

    @property
    def exact(self) -> bool:
        """Whether the form is."""
        return self.form == "exact"

    @cached_property
    def _corners(self) -> tuple[Floats, list[Floats]]:
        """The corners (k, 3) of the hull, and those of each tetrahedron (4, 3)."""
        from scipy.spatial import ConvexHull, Delaunay, QhullError

        frame = frame_around(self.points)
        middle, size = frame[:3, 3], frame[0, 0]
        unit = (self.points - middle) / size
        thin = np.linalg.svd(unit - unit.mean(axis=0), compute_uv=False)
        try:
            if len(unit) < 4 or thin[-1] <= tolerances.FLAT * thin[0]:
                raise QhullError
            own = np.sort(ConvexHull(unit).vertices)
            simplices = Delaunay(unit[own]).simplices
        except QhullError:
            raise ParameterError(
                f"DensityInPolytope: the {len(self.points)} points lie in one plane; a density "
                "needs an inside: give the body a thickness"
            ) from None
        volumes = np.array([abs(np.linalg.det(homogeneous(unit[own][s]))) for s in simplices])
        kept = simplices[volumes > tolerances.FLAT * volumes.max()]
        return self.points[own], [self.points[own][simplex] for simplex in kept]

    def parts(self) -> tuple[Density, ...]:
        """The tetrahedra."""
        return tuple(_Tetrahedron(corners) for corners in self._corners[1])

    def frame(self) -> Floats:
        """Of the hull, centred and of unit size; for the exact form of the largest tetrahedron."""
        return super().frame() if self.exact else frame_around(self.points)

    def inside(self, J: _Linear, build: _Builder) -> None:
        """Of the chosen form."""
        if self.exact:
            super().inside(J, build)
            return
        corners = np.asarray(np.linalg.solve(self.frame(), homogeneous(self._corners[0])))
        masses = build.new(corners.shape[1])
        for k in range(4):
            build.require("zero", J.entry(k, 3) - masses.map(corners[k : k + 1]))
        spread = [
            [masses.map((corners[i] * corners[j])[None]) - J.entry(i, j) for j in range(3)]
            for i in range(3)
        ]
        build.semidefinite(spread)
        build.require("nonneg", masses)

    def describe(self) -> str:
        """How many corners, where, and the form."""
        corners = self._corners[0]
        return f"DensityInPolytope({len(corners)} corners{extent(corners)}, {self.form})"


def _refuse_form(owner: Constraint, form: str) -> None:
    if form not in FORMS:
        raise ParameterError(
            f"{type(owner).__name__}: form is {form!r}, expected one of {', '.join(FORMS)}"
        )


def _widen(M: Floats, width: int) -> Floats:
    if width == M.shape[1]:
        return M
    return np.pad(M, ((0, 0), (0, width - M.shape[1])))


def _seen_from(frame: Floats) -> Floats:
    """The map (10, 10) of svec(Pi) to svec(J), Pi = T J T^T."""
    return np.asarray(congruence(np.asarray(np.linalg.inv(frame))[None])[0])
