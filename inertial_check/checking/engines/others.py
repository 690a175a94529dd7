"""DART: warns about a mass that is not positive, and uses it.

Gazebo: libsdformat refuses the world; links without mass in a URDF are dropped.

iDynTree: accepts what is written; its check of consistency runs only on request.

PhysX behind USD: UsdPhysics ignores a small inertia, PhysX refuses some others.

Pinocchio: accepts what is written; a negative mass displaces the centre of mass.

PyBullet: sets an inertia with inconsistent moments to zero, and prints the name of the link.

Newton: corrects inertias when the model is finalized, and says how many, not which.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from inertial_check.checking.engines import base
from inertial_check.checking.engines.base import Engine, Floors, replace_unreadable
from inertial_check.checking.engines.predict import Batch, Effect, Flags
from inertial_check.checking.engines.usd import read_as_newton
from inertial_check.checking.report import Prediction
from inertial_check.documents.model import Body, Parser
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats

if TYPE_CHECKING:
    import numpy.typing as npt

    Singles = npt.NDArray[np.float32]


class Dart(Engine):
    """DART's URDF loader."""

    name, version = "dart", "6.20.0"
    source = (
        "dart/dynamics/BodyNode.cpp, setMass, and dart/utils/urdf; run: "
        "dartpy.utils.DartLoader().parseSkeleton(file)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "DartLoader.parseSkeleton"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {"urdf": ("tinyxml2", "urdfdom")}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Missing inertials, unreadable numbers, masses; DART does not check the inertia."""
        default = "1 kg, principal moments 1, 1, 1 kg m^2"
        yield Effect(batch.missing, "replace", becomes=default)
        yield from replace_unreadable(batch)

        def message(i: int) -> str:
            return (
                f"[BodyNode] A negative or zero mass [{batch.mass[i]:.6g}] is set to BodyNode "
                f"[{batch.name(i)}], which can cause invalid physical behavior or segfault. "
                "Consider setting positive value instead."
            )

        yield Effect(batch.mass <= 0, "warn", message)


_TOLERANCE = 10 * float(np.finfo(float).eps)
"""GZ_MASSMATRIX3_DEFAULT_TOLERANCE, relative to half the trace."""

_PRODUCTS = 1e-6
"""Products of inertia up to this share of the largest diagonal entry count as zero."""

_ENSURE = (
    "Please ensure this link has a valid mass to prevent any missing links or joints in the "
    "resulting SDF model."
)


class Gazebo(Engine):
    """libsdformat and gz-math, with which gz-sim loads worlds."""

    name, version = "gz", "libsdformat in Drake 1.51.1"
    source = (
        "gz/math/MassMatrix3.hh, IsValid; sdformat src/Link.cc and src/parser_urdf.cc; run: the "
        "libsdformat in Drake 1.51.1"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "gz sdf -p, then as SDF", "sdf": "sdf::Root::Load"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {
        "urdf": ("tinyxml2", "urdfdom"),
        "sdf": ("tinyxml2", "sdformat"),
    }
    otherwise = "sdf"

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Links without mass, then MassMatrix3::IsValid."""
        if door == "urdf":
            massless = ~(np.isfinite(batch.mass) & (batch.mass > 0))
            lost = batch.some(massless, lambda i: not _is_lumped(batch, i))
            becomes = "neither this link nor those that hang on it"
            yield Effect(lost, "drop", lambda i: _massless(batch, i), becomes)
            yield Effect(massless, "accept")
            yield from replace_unreadable(batch)
        yield Effect(batch.missing, "accept")
        invalid = ~is_valid(batch.mass, batch.I_BBcm_Bi)
        yield Effect(
            invalid,
            "reject",
            lambda i: f"A link named {batch.name(i).rpartition('::')[2]} has invalid inertia.",
        )

    def predict(self, batch: Batch) -> dict[int, Prediction]:
        """Predict the effects; bodies below a dropped body are dropped with it."""
        found = super().predict(batch)
        dropped = {row for row, prediction in found.items() if prediction.action == "drop"}
        gone: set[int] = set()
        for row in sorted(dropped):
            if row in gone or batch.family.parents[row] in dropped:
                continue  # it is dropped with its parent
            name = batch.name(row)
            prediction = found[row]._replace(becomes=f"left out with {name}, on which it hangs")
            below = set(batch.family.descendants(row))
            found.update(dict.fromkeys(below, prediction))
            gone |= below
        return found


def _is_lumped(batch: Batch, i: int) -> bool:
    """Whether a link without mass is merged into another link instead of being dropped."""
    body = batch.bodies[i]
    tied = body.joint == "fixed" and batch.family.parents[i] is not None
    return tied or body.name == "world" or batch.carries(i, np.nextafter(0, 1), -np.inf)


def _massless(batch: Batch, i: int) -> str:
    what = "a mass value of less than or equal to zero"
    if batch.missing[i]:
        what = "no <inertial> block defined"
    return f"urdf2sdf: link[{batch.name(i)}] has {what}. {_ENSURE}"


def is_valid(mass: Floats, I_BBcm_Bi: Floats) -> Flags:
    """Evaluate MassMatrix3::IsValid for N bodies.

    Args:
        mass: (N,) [kg].
        I_BBcm_Bi: (N, 6) [kg m^2].

    Returns:
        (N,) whether each is valid.
    """
    xx, xy, xz, yy, yz, zz = I_BBcm_Bi.T
    floor = _TOLERANCE * 0.5 * np.abs(xx + yy + zz)
    minor = xx * yy - xy**2
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    positive = (mass >= 0) & (xx + floor >= 0) & (minor + floor >= 0) & (determinant + floor >= 0)
    # Compute MassMatrix3::PrincipalMoments, (N, 3), whose last digits decide on the boundary.
    entries = np.stack([xx, yy, zz], axis=1)
    negligible = _PRODUCTS * entries.max(axis=1)
    b = xx + yy + zz
    c = xx * yy - xy**2 + xx * zz - xz**2 + yy * zz - yz**2
    d = xx * yz**2 + yy * xz**2 + zz * xy**2 - xx * yy * zz - 2 * xy * xz * yz
    p = b**2 - 3 * c
    q = 2 * b**3 - 9 * b * c - 27 * d
    angle = np.arccos(np.clip(0.5 * q / p**1.5, -1, 1))
    turns = np.array([0, 2 * np.pi, -2 * np.pi])
    swing = 2 * np.sqrt(p)[:, None] * np.cos((angle[:, None] + turns) / 3)
    moments = np.sort((b[:, None] + swing) / 3, axis=1)
    round_ = p < negligible**2
    moments[round_] = (b / 3.0)[round_, None]
    diagonal = np.all(np.abs(I_BBcm_Bi[:, [1, 2, 4]]) <= negligible[:, None], axis=1)
    moments[diagonal] = entries[diagonal]
    a, b, c = moments.T
    floor = _TOLERANCE * 0.5 * np.abs(a + b + c)
    least = np.min(moments, axis=1) + floor >= 0
    triangle = (a + b + floor >= c) & (b + c + floor >= a) & (c + a + floor >= b)
    return np.asarray(positive & least & triangle)


class IDynTree(Engine):
    """iDynTree's ModelLoader, which does not call SpatialInertia.isPhysicallyConsistent()."""

    name, version = "idyntree", "15.1.0"
    source = "src/model_io/codecs/src/InertialElement.cpp; run: ModelLoader.loadModelFromString"
    doors: ClassVar[dict[str, str]] = {"urdf": "ModelLoader.loadModelFromFile"}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Effects on numbers that cannot be read."""
        yield Effect(batch.missing, "accept")
        for element, where, becomes in (
            ("mass", ~np.isfinite(batch.mass), "0 kg with the inertia as written"),
            ("inertia", ~batch.finite, "an inertia from memory that was never set"),
        ):
            message = (
                f"[WARNING] InertiaElement :: childElementForName::{element}::f_attribute : Failed "
                f"to obtain floating point representation for the {element} element."
            )
            yield Effect(where, "alter", message, becomes)


_UNWRITTEN = 1e-5
"""Length of diagonalInertia, in the units of the stage, up to which it counts as not written."""

_CALL = "PxRigidBody::setMassSpaceInertiaTensor(): "
_ADVICE = (
    "Either specify correct values in the mass properties, or add collider(s) to any shape(s) that "
    "you wish to automatically compute mass properties for."
)
_COLLIDERS = "the inertia of its colliders"


class PhysX(Engine):
    """UsdPhysics.RigidBodyAPI.ComputeMassProperties, then PhysX."""

    name, version = "physx", "5, USD 26.11"
    source = (
        "pxr/usd/usdPhysics/rigidBodyAPI.cpp (run: ComputeMassProperties) and PhysX "
        "NpRigidBodyTemplate.h (read)"
    )
    doors: ClassVar[dict[str, str]] = {"usd": "UsdPhysics.RigidBodyAPI.ComputeMassProperties"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {"usd": ("usdphysics",)}
    otherwise = "usd"

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Inertias that count as not written, in the units of the stage, then refusals of PhysX."""
        single = (batch.moments / batch.unit[:, None]).astype(np.float32)
        squares = (single * single).sum(axis=1, dtype=np.float32)
        massless = batch.missing | ~(batch.mass.astype(np.float32) > 0)
        yield Effect(
            massless,
            "replace",
            lambda i: (
                ""
                if batch.has_collision(i)
                else (
                    f"The rigid body at {batch.name(i)} has a possibly invalid inertia tensor "
                    f"of {{1.0, 1.0, 1.0}} and "
                    f"a negative mass. {_ADVICE}"
                )
            ),
            "mass and inertia of its colliders at 1000 kg/m^3",
        )
        small = squares <= np.float64(_UNWRITTEN) ** 2
        solid = batch.some(small, batch.has_collision)
        yield Effect(small & solid, "replace", becomes=f"{_COLLIDERS}, at its own mass")
        yield Effect(
            small,
            "replace",
            lambda i: (
                f"The rigid body at {batch.name(i)} has a possibly invalid inertia tensor of "
                f"{{1.0, 1.0, 1.0}}, "
                f"small sphere approximated inertia was used. {_ADVICE}"
            ),
            lambda i: (
                f"a sphere of radius 0.1: {batch.mass[i]:.6g} kg, I = "
                f"{0.4 * batch.mass[i] * 0.01:.6g} kg m^2"
            ),
        )
        kept = "the inertia that the link had before: 1, 1, 1 kg m^2 where none was set"
        unread = ~np.all(np.isfinite(single), axis=1)
        yield Effect(unread, "replace", f"{_CALL}invalid inertia", kept)
        negative = np.any(single < 0, axis=1)
        articulated = batch.moved & np.any(single <= 0, axis=1)
        message = f"{_CALL}components must be > 0 for articulations"
        yield Effect(articulated, "replace", message, kept)
        yield Effect(negative, "replace", f"{_CALL}components must be non-negative", kept)


_EPS = float(np.finfo(float).eps)


class Pinocchio(Engine):
    """Pinocchio's parsers, which do not call the constructor pin.Inertia and its check."""

    name, version = "pinocchio", "4.1.0"
    source = (
        "parsers/urdf/model.cpp, parsers/mjcf/mjcf-graph.cpp and spatial/inertia.hpp; run: "
        "buildModelFromXML, buildModelFromMJCF"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "buildModelFromUrdf", "mjcf": "buildModelFromMJCF"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {
        "urdf": ("tinyxml2", "urdfdom"),
        "mjcf": ("pinocchio",),
    }

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Numbers that cannot be read, and negative masses."""
        yield Effect(batch.missing, "accept")
        if door == "mjcf":
            yield from self._in_mjcf(batch)
            return
        yield from replace_unreadable(batch)

        def becomes(i: int) -> str:
            thrown = batch.mass[i] ** 2 / _EPS**2 * batch.p_BoBcm_B[i]
            return f"{batch.mass[i]:.6g} kg, centre of mass at {base.join(thrown)} m"

        off = np.any(batch.p_BoBcm_B != 0, axis=1)
        yield Effect((batch.mass < 0) & off, "alter", becomes=becomes)

    def _in_mjcf(self, batch: Batch) -> Iterator[Effect]:
        """The bounds of MJCF, which Pinocchio applies to the entries of the diagonal."""
        text = 'conversion of data to type "double" failed'
        yield Effect(~np.isfinite(batch.mass), "reject", text)
        yield Effect(~batch.finite, "alter", becomes="an inertia that is not the one written")
        entries = batch.I_BBcm_Bi
        diagonal = entries[:, [0, 3, 5]]
        bounds = batch.model.bounds
        lifted: Flags = (batch.mass < bounds.mass) | np.any(diagonal < bounds.inertia, axis=1)

        def becomes(i: int) -> str:
            raised = base.join(np.maximum(diagonal[i], bounds.inertia))
            return f"{max(batch.mass[i], bounds.mass):.6g} kg, ixx, iyy, izz = {raised} kg m^2"

        yield Effect(lifted, "alter", becomes=becomes)


_NEGLIGIBLE = 1e-6
"""Largest product of inertia, relative to the sum of the diagonal, after which
btMatrix3x3::diagonalize does one more rotation and stops."""

_ROTATIONS = 30
"""Largest number of Jacobi rotations of btMatrix3x3::diagonalize."""

_BULLET_EPS = float(np.finfo(float).eps)
"""SIMD_EPSILON of Bullet in double precision."""

_EDGE = 1e-9
"""Distance from the triangle inequality, relative to the largest moment, within which the digits of
btMatrix3x3::diagonalize decide; it leaves products of about 1e-12 of the sum of the moments."""

_NO_DATA = (
    "No inertial data for link, using mass=1, localinertiadiagonal = 1,1,1, identity local "
    "inertial frame"
)
_BAD = "Bad inertia tensor properties, setting inertia to zero for link: "


class PyBullet(Engine):
    """Bullet's URDF importer with URDF_USE_INERTIA_FROM_FILE."""

    name, version = "pybullet", "3.2.7"
    source = (
        "BulletUrdfImporter.cpp, getMassAndInertia2; run: loadURDF(file, "
        "flags=URDF_USE_INERTIA_FROM_FILE)"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "loadURDF(file, flags=URDF_USE_INERTIA_FROM_FILE)"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = {"urdf": ("tinyxml2",)}

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """Missing inertials, then the moments, without any tolerance."""
        yield Effect(batch.missing, "replace", _NO_DATA, "1 kg, principal moments 1, 1, 1 kg m^2")
        low, middle, high = moments = batch.moments.T.copy()
        edge = _EDGE * np.abs(high)
        doubt = np.minimum(np.abs(low), np.abs(low + middle - high)) <= edge
        for i in (doubt & batch.finite & ~batch.diagonal).nonzero()[0].tolist():
            # Repeat btMatrix3x3::diagonalize operation by operation: its last bits decide on the
            # edge.
            entries = batch.I_BBcm_Bi[i]
            xx, xy, xz, yy, yz, zz = entries.tolist()
            matrix = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            for _ in range(_ROTATIONS):
                p, q = max(
                    ((0, 1), (0, 2), (1, 2)), key=lambda place: abs(matrix[place[0]][place[1]])
                )
                negligible = _NEGLIGIBLE * sum(abs(matrix[k][k]) for k in range(3))
                largest = abs(matrix[p][q])
                if largest <= _BULLET_EPS * negligible:
                    break
                _rotate(matrix, p, q)
                if largest <= negligible:
                    break
            moments[:, i] = np.sort([matrix[k][k] for k in range(3)])
        bad = (low < 0) | (high > low + middle)
        yield Effect(
            bad,
            "replace",
            lambda i: f"{_BAD}{batch.name(i)}",
            lambda i: f"{batch.mass[i]:.6g} kg without rotational inertia",
        )


def _rotate(matrix: list[list[float]], p: int, q: int) -> None:
    """Do one Jacobi rotation, which makes the product of inertia of two axes zero."""
    r = 3 - p - q
    product = matrix[p][q]
    theta = (matrix[q][q] - matrix[p][p]) / (2 * product)
    square = theta * theta
    if square * square < 10 / _BULLET_EPS:
        root = sqrt(1 + square)
        tangent = 1 / (theta + root) if theta >= 0 else 1 / (theta - root)
        cosine = 1 / sqrt(1 + tangent * tangent)
        sine = cosine * tangent
    else:
        tangent = 1 / (theta * (2 + 0.5 / square))
        cosine = 1 - 0.5 * tangent * tangent
        sine = cosine * tangent
    matrix[p][q] = matrix[q][p] = 0.0
    matrix[p][p] -= tangent * product
    matrix[q][q] += tangent * product
    rp, rq = matrix[r][p], matrix[r][q]
    matrix[r][p] = matrix[p][r] = cosine * rp - sine * rq
    matrix[r][q] = matrix[q][r] = cosine * rq + sine * rp


_SINGLE_EPS = np.finfo(np.float32).eps

_RELATIVE = np.float32(1e-6)
"""inertia_relative_tolerance: least moment relative to the largest. Dimensionless."""

_ABSOLUTE = np.float32(1e-10)
"""inertia_absolute_tolerance: least moment [kg m^2]."""

_CORRECTION = np.float32(1e-6)
"""inertia_correction: what the kernel adds to corrected moments [kg m^2]."""

_ROUNDING = 8 * float(_SINGLE_EPS)
"""Tolerance of the MJCF importer in A + B >= C, relative to the largest moment."""

_FLOORS = Floors(moment=1.01e-10, ratio=1.5e-6)
"""Floors of the kernel, max(1e-6 of the largest moment, 1e-10 kg m^2), with room for its single
precision, which moves the moments of a tensor by about 1e-7 of the largest."""

TRIANGLE = "MJCF body inertia must satisfy A + B >= C; use 'balanceinertia' to fix."
UNREADABLE = "Eigenvalues did not converge"


class Repaired(NamedTuple):
    """The mass and moments of N bodies after the kernel.

    Attributes:
        corrected: (N,) whether the kernel counts the body as corrected.
        mass: (N,) masses [kg].
        moments: (N, 3) ascending principal moments [kg m^2].
    """

    corrected: Flags
    mass: Singles
    moments: Floats


class Newton(Engine):
    """newton.ModelBuilder with its default settings."""

    name, version = "newton", "1.8.0"
    source = (
        "geometry/inertia.py, validate_and_correct_inertia_kernel, utils/import_mjcf.py and "
        "utils/import_usd.py; run: ModelBuilder.finalize()"
    )
    doors: ClassVar[dict[str, str]] = {"urdf": "add_urdf", "mjcf": "add_mjcf", "usd": "add_usd"}
    parsers: ClassVar[dict[str, tuple[Parser, ...]]] = dict.fromkeys(
        ("urdf", "mjcf"), ("expat", "newton")
    )

    def floors(self, body: Body) -> Floors:
        """The floors of the kernel, whatever the form of the document."""
        return _FLOORS

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """MuJoCo's rules in single precision for an MJCF, then the validation of the model."""
        yield Effect(batch.some(batch.missing, batch.has_collision), "replace", becomes=base.BOX)
        yield Effect(batch.missing, "accept")
        if door == "usd" and batch.model.format == "usd":
            yield from self._in_usd(batch)
            return
        mass, tensors = batch.mass.astype(np.float32), batch.I_BBcm_B.astype(np.float32)
        lifted: Flags = np.zeros(len(mass), dtype=np.bool_)
        if door == "mjcf":
            yield Effect(~batch.finite, "reject", UNREADABLE)
            bounds = batch.model.bounds
            moments = _eigenvalues(tensors, batch.finite)
            lifted = (batch.mass < bounds.mass) | (moments[:, 0] < bounds.inertia)
            moments = np.maximum(moments, bounds.inertia)
            low, middle, high = moments.T
            unequal = low + middle < high - _ROUNDING * high
            if bounds.balanced:
                lifted |= unequal
                moments = np.where(unequal[:, None], moments.mean(axis=1)[:, None], moments)
            else:
                yield Effect(unequal, "reject", TRIANGLE)
            mass = np.maximum(mass, np.float32(bounds.mass))
            # (N, 6) diagonal tensors with these moments; directions of axes have no effect here.
            diagonal_tensors = np.zeros((len(moments), 6), dtype=np.float32)
            diagonal_tensors[:, [0, 3, 5]] = moments
            tensors = np.where(lifted[:, None], diagonal_tensors, tensors)
        repaired = _run_kernel(mass, tensors)
        count = int(np.sum(repaired.corrected & ~batch.missing & ~batch.derived))
        yield Effect(
            repaired.corrected,
            "alter",
            (
                f"Inertia validation corrected {count} bodies. Set "
                "validate_inertia_detailed=True for detailed per-body warnings."
            ),
            lambda i: base.body(repaired.mass[i], repaired.moments[i]),
        )
        yield Effect(
            lifted, "alter", becomes=lambda i: base.body(repaired.mass[i], repaired.moments[i])
        )

    def _in_usd(self, batch: Batch) -> Iterator[Effect]:
        """Which spelling counts, units that are taken for SI, then the validation of the model."""
        bodies = batch.bodies
        read = [read_as_newton(each, batch.has_collision(i)) for i, each in enumerate(bodies)]
        mass = np.array([each.mass for each in read], dtype=np.float32)
        tensors = np.array([each.tensor for each in read], dtype=np.float32).reshape(-1, 6)
        given = "the mass of its colliders at their density or 1000 kg/m^3"
        spread = "its mass with the inertia of its colliders"
        for what, instead in (("mass", given), ("inertia", spread)):
            where = np.array([each.computed == what for each in read], dtype=bool)
            yield Effect(where, "replace", lambda i: read[i].said, instead)
        repaired = _run_kernel(mass, tensors)
        count = int(np.sum(repaired.corrected & ~batch.missing & ~batch.derived))
        corrections = (
            f"Inertia validation corrected {count} bodies. Set "
            "validate_inertia_detailed=True for detailed per-body warnings."
        )
        stage, units = batch.model.stage, ""
        if stage is not None and stage.written_meters != 1:
            units = "USD stages with non-unit linear units are not supported"
        elif stage is not None and stage.kilograms != 1:
            units = "USD stages with non-unit mass units are not supported"
        taken = np.column_stack([mass, tensors]).astype(np.float64)
        known = np.column_stack([batch.mass, batch.I_BBcm_B])
        size = np.abs([known[:, 1:], taken[:, 1:]]).max(axis=(0, 2))
        scale = np.column_stack([np.abs([known[:, 0], taken[:, 0]]).max(axis=0), *[size] * 6])
        same = np.all(np.abs(taken - known) <= tolerances.SAME_SPELLING * scale, axis=1)

        def becomes(i: int) -> str:
            return base.body(repaired.mass[i], repaired.moments[i])

        yield Effect(repaired.corrected, "alter", lambda i: read[i].said or corrections, becomes)
        yield Effect(~same, "alter", lambda i: read[i].said or units, becomes)


def _run_kernel(mass: Singles, tensors: Singles) -> Repaired:
    """Run the validation kernel, in single precision as it does."""
    readable = np.isfinite(mass) & np.all(np.isfinite(tensors), axis=1)
    corrected = ~readable | (mass < 0)
    mass = np.where(corrected, np.float32(0), mass)
    none = mass == 0
    weights = np.array([1, 2, 2, 1, 2, 1], dtype=np.float32)
    corrected |= none & (np.sum(weights * tensors * tensors, axis=1, dtype=np.float32) > 0)
    moments = _eigenvalues(tensors, readable & ~none).astype(np.float32)
    low, _, high = moments.T
    floor = np.maximum(_RELATIVE * high, _ABSOLUTE)
    raised = ~none & (low < floor)
    moments = moments + np.where(raised, floor - low + _CORRECTION, np.float32(0))[:, None]
    low, middle, high = moments.T
    unequal = ~none & (low + middle < high - np.maximum(_SINGLE_EPS * high, _ABSOLUTE))
    shift = np.where(unequal, high - low - middle + _CORRECTION, np.float32(0))
    moments = np.where(none[:, None], np.float32(0), moments + shift[:, None])
    return Repaired(corrected | raised | unequal, mass, moments.astype(np.float64))


def _eigenvalues(tensors: Singles, where: Flags) -> Floats:
    """(N, 3) ascending eigenvalues in double precision; 0 where not wanted or not finite."""
    where = where & np.all(np.isfinite(tensors), axis=1)
    xx, xy, xz, yy, yz, zz = np.where(where[:, None], tensors, 0).astype(np.float64).T
    rows = np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.linalg.eigvalsh(rows), dtype=np.float64)
