"""Gazebo's and DART's 6x6 inertias, and the added mass of a fluid: points, frames, validity.

An added mass is any symmetric 6x6: three masses, a coupling that is not skew, and an inertia, which
together move by the full congruence X^T M X. The order of its rows is always said: Gazebo and SDF
write it for twists [v, w] ("linear-angular"), about the link's origin in the link's axes since SDF
1.10; DART's tensors are for [w, v]. The monogram notation is Drake's: the body frame B with its
origin Bo, the centre of mass Bcm, and the frame Bcm of the inertial there.

Sources: gz-math, Inertial.hh; gz-physics, dartsim SDFFeatures.cc; DART, Inertia.cpp; SDF 1.10,
inertial.sdf; RBDA: Featherstone, Rigid Body Dynamics Algorithms, 2008, section 2.13; the note
"Gazebo / DART inertia conversion". Names of the note, what computes them, and their tests in
tests/mechanics/test_added_mass.py; the remarks are those of docs/engines.md::

    MassMatrix, Pose               GzInertial (TestGazebo)
    Moi, R I R^T                   GzInertial.moi (test_moi)
    BodyMatrix                     GzInertial.body_matrix; remark 1
                                   (test_body_matrix_is_the_inertia_about_no_point)
    SpatialMatrix                  GzInertial.spatial_matrix; remark 2
                                   (test_spatial_matrix_is_the_plain_sum)
    DART's TL, TR, BL, BR          dart_spatial_tensor, RBDA eq. 2.63
                                   (test_tensor_has_the_blocks_of_the_source)
    setMass, setMoment,            dart_parameters; remark 3 (test_and_back)
    setLocalCOM, and back
    setSpatialTensor of the sum    GzInertial.dart_tensor; remark 2
                                   (test_what_gazebo_hands_over_is_the_sum_about_the_origin)
    I_BBo = I_BBcm + [c]x M [c]x^T shift_added_mass; remark 4 (test_a_shift_by_its_blocks)
    CMCT                           cmct; remark 4 (TestCmct)

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.mechanics import added_mass
>>> fluid = np.diag([0.1, 0.1, 0.1, 1.0, 2.0, 3.0])  # three moments, then three masses
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    EqualByValue,
    Namespace,
    array_namespace,
    batch_shape,
    device_of,
    expect_shape,
    first_index,
    of_body,
    product,
    quiet,
    real_arrays,
)
from inertial_check.inertia.frames import cross
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import SpatialOrder, check_spatial_order, six, symmetric
from inertial_check.mechanics import vectors
from inertial_check.mechanics.compact import length
from inertial_check.mechanics.rotations import skew

# Gazebo and DART


@dataclass(frozen=True, slots=True, eq=False)
class GzInertial(EqualByValue):
    """Numbers that a gz::math::Inertial holds of bodies B, and results of its methods.

    Attributes:
        mass: (...,) [kg].
        I_BBcm_Bcm: (..., 3, 3) about the centre of mass in the inertial's own axes [kg m^2].
        X_BBcm: (..., 4, 4) pose of the inertial's frame in the body's.
        fluid_added_mass: (..., 6, 6) for twists [v, w], in the axes of B; None where there is none.
    """

    mass: Array
    I_BBcm_Bcm: Array
    X_BBcm: Array
    fluid_added_mass: Array | None = None

    @classmethod
    def of(
        cls,
        mass: ArrayLike,
        I_BBcm_Bcm: ArrayLike,
        X_BBcm: ArrayLike,
        fluid_added_mass: ArrayLike | None = None,
    ) -> GzInertial:
        """Of numbers and arrays of one library, looked over.

        Args:
            mass: (...,) [kg].
            I_BBcm_Bcm: (..., 3, 3) [kg m^2].
            X_BBcm: (..., 4, 4).
            fluid_added_mass: (..., 6, 6) in [kg], [kg m] and [kg m^2], or None.

        Raises:
            ParameterError: Shapes that do not fit, a matrix that is no pose, an inertia or an added
                mass that is not symmetric, with the index of the body.
        """
        values = {"mass": mass, "I_BBcm_Bcm": I_BBcm_Bcm, "X_BBcm": X_BBcm}
        if fluid_added_mass is not None:
            values["fluid_added_mass"] = fluid_added_mass
        xp, arrays = real_arrays(**values)
        mass, inertia, pose, *added = arrays
        expect_shape("I_BBcm_Bcm", inertia, 3, 3)
        inertia = symmetric(six(inertia))
        frames.pose_parts(pose, like=pose, name="X_BBcm")
        batches = {"mass": mass.shape, "I_BBcm_Bcm": inertia.shape[:-2], "X_BBcm": pose.shape[:-2]}
        if added:
            check_added_mass(xp, added[0], "fluid_added_mass")
            batches["fluid_added_mass"] = added[0].shape[:-2]
        batch_shape(**batches)
        return cls(mass, inertia, pose, *added)

    @quiet
    def moi(self) -> Array:
        """(..., 3, 3) Moi(): I_BBcm_B = R_BBcm I_BBcm_Bcm R_BBcm^T [kg m^2]."""
        xp, (I_BBcm_Bcm, R_BBcm) = real_arrays(inertia=self.I_BBcm_Bcm, R=self.X_BBcm[..., :3, :3])
        return symmetric(frames.rotate_tensor(xp, R_BBcm, six(I_BBcm_Bcm)))

    @quiet
    def body_matrix(self) -> Array:
        """(..., 6, 6) BodyMatrix(): [[m 1, m [c]x^T], [m [c]x, I_BBcm_B]] for twists [v, w].

        Its coupling is that about Bo and its inertia that about Bcm, so where c = p_BoBcm_B is not
        0 it is the inertia of the body about no point, and can be indefinite. About Bo it is
        parameters().as_spatial_inertia("linear-angular").
        """
        xp, (mass, c) = real_arrays(mass=self.mass, c=self.X_BBcm[..., :3, 3])
        mass = mass[..., None, None]
        one = xp.eye(3, dtype=c.dtype, device=device_of(c))
        coupling = mass * skew(c)
        return vectors.assemble(xp, mass * one, -coupling, coupling, self.moi())

    @quiet
    def spatial_matrix(self) -> Array:
        """(..., 6, 6) SpatialMatrix(): body_matrix() and the added mass on top, if there is one.

        Since SDF writes the added mass about Bo, this adds matrices about different points.
        """
        added = self.fluid_added_mass
        return self.body_matrix() if added is None else self.body_matrix() + added

    def parameters(self) -> InertialParameters:
        """The rigid body alone, in B, about its centre of mass."""
        return InertialParameters.from_com(self.mass, self.X_BBcm[..., :3, 3], self.moi())

    @quiet
    def dart_tensor(self) -> Array:
        """(..., 6, 6) about Bo for twists [w, v], the added mass on top, as gz-physics hands DART.

        The added mass is taken as SDF 1.10 has it, about Bo: no term is missing.
        """
        matrix = self.parameters().as_spatial_inertia("angular-linear")
        if self.fluid_added_mass is None:
            return matrix
        added = vectors.reorder_matrix(self.fluid_added_mass, "linear-angular", "angular-linear")
        return matrix + added


class DartParameters(NamedTuple):
    """Parameters that dart::dynamics::Inertia reads from a spatial tensor.

    Attributes:
        mass: (...,) the entry [3, 3] [kg].
        local_com: (..., 3) read from the upper right block, divided by mass [m].
        moment: (..., 3, 3) about that point [kg m^2], symmetric: the upper triangle, mirrored.
    """

    mass: Array
    local_com: Array
    moment: Array


@quiet
def dart_spatial_tensor(mass: ArrayLike, local_com: ArrayLike, moment: ArrayLike) -> Array:
    """DART's tensor about Bo for twists [w, v]: [[I + m C C^T, m C], [m C^T, m 1]], C = [c]x.

    RBDA section 2.13, eq. 2.63.

    Args:
        mass: (...,) [kg].
        local_com: (..., 3) p_BoBcm_B [m].
        moment: (..., 3, 3) I_BBcm_B [kg m^2].

    Returns:
        (..., 6, 6), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a moment that is not symmetric.

    Example:
        >>> tensor = added_mass.dart_spatial_tensor(2.0, [0, 0, 0.5], np.diag([0.1, 0.1, 0.1]))
        >>> print(tensor.diagonal())  # 2 * 0.5^2 more about x and y
        [0.6 0.6 0.1 2.  2.  2. ]
    """
    real_arrays(local_com=local_com)
    real_arrays(moment=moment)
    return InertialParameters.from_com(mass, local_com, moment).as_spatial_inertia()


@quiet
def dart_parameters(tensor: ArrayLike) -> DartParameters:
    """Mass, centre of mass and moment as DART reads them from a tensor: setSpatialTensor.

    They are those of a rigid body where the tensor is. Of one with an added mass they are what DART
    reports, and weighs the body with: the mass in x alone, entry [3, 3], is taken for the mass.

    Args:
        tensor: (..., 6, 6) about Bo for twists [w, v].

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> mass, com, moment = added_mass.dart_parameters(np.diag([0.1, 0.1, 0.1, 2.0, 2.0, 2.0]))
        >>> print(mass, com + 0.0, moment.diagonal())
        2.0 [0. 0. 0.] [0.1 0.1 0.1]
    """
    xp, (tensor,) = real_arrays(tensor=tensor)
    expect_shape("tensor", tensor, 6, 6)
    mass = tensor[..., 3, 3]
    C = tensor[..., :3, 3:] / mass[..., None, None]
    com = xp.stack([-C[..., 1, 2], C[..., 0, 2], -C[..., 0, 1]], axis=-1)
    full = tensor[..., :3, :3] + mass[..., None, None] * product(xp, C, C)
    # DART stores six numbers, those of the upper triangle, and mirrors them when it is asked.
    rows = [
        xp.stack([full[..., min(i, j), max(i, j)] for j in range(3)], axis=-1) for i in range(3)
    ]
    return DartParameters(mass, com, xp.stack(rows, axis=-2))


# Added mass


def transform_added_mass(added_mass: ArrayLike, X_AB: ArrayLike, order: SpatialOrder) -> Array:
    """An added mass about Bo in B, about Ao in A: the full congruence X^T M X.

    Args:
        added_mass: (..., 6, 6) symmetric, in B.
        X_AB: (..., 4, 4) poses of B in A.
        order: A name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 6, 6) in A, exactly symmetric, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is no pose or not symmetric, unknown
            order.

    Example:
        >>> X_AB = np.eye(4)
        >>> X_AB[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        >>> print(added_mass.transform_added_mass(fluid, X_AB, "angular-linear").diagonal())
        [0.1 0.1 0.1 2.  1.  3. ]
    """
    xp, (added_mass, X_AB) = real_arrays(added_mass=added_mass, X_AB=X_AB)
    check_added_mass(xp, added_mass)
    return vectors.congruence(added_mass, vectors.Plx.from_pose(X_AB).as_matrix(order))


@quiet
def shift_added_mass(added_mass: ArrayLike, p_QP: ArrayLike, order: SpatialOrder) -> Array:
    """An added mass about P, taken about Q in the same axes.

    With K = [p_QP]x: the masses M stay, the coupling S (rows moments, columns linear accelerations)
    becomes S + K M, and the inertia J becomes J + K S^T + S K^T + K M K^T.

    Args:
        added_mass: (..., 6, 6) symmetric, about P.
        p_QP: (..., 3) from Q to P [m]: p_BoBcm_B takes it from Bcm to Bo.
        order: A name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 6, 6) about Q, exactly symmetric, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is not symmetric, unknown order.

    Example:
        >>> # 2 kg along y and 3 kg along z, at 1 m along x
        >>> print(added_mass.shift_added_mass(fluid, [1.0, 0, 0], "angular-linear").diagonal())
        [0.1 3.1 2.1 1.  2.  3. ]
    """
    xp, (added_mass, p_QP) = real_arrays(added_mass=added_mass, p_QP=p_QP)
    check_added_mass(xp, added_mass)
    expect_shape("p_QP", p_QP, 3)
    one = xp.eye(3, dtype=p_QP.dtype, device=device_of(p_QP))
    X = vectors.Plx(one, p_QP).as_matrix(order)
    return vectors.congruence(added_mass, X)


@quiet
def cmct(added_mass: ArrayLike, order: SpatialOrder) -> Array:
    """The term C M C^T = S M^-1 S^T of the proposal for gz-physics, with C = S M^-1.

    It is J_Bo - J_Bcm, what a shift from Bcm to Bo adds, exactly where the given coupling S is the
    one about Bo and the one about Bcm vanishes: then S = [c]x M and C = [c]x. Where the coupling
    about Bcm is S_cm, it differs by S_cm M^-1 S_cm^T; shift_added_mass is right for all.

    Args:
        added_mass: (..., 6, 6) symmetric, with linear block M and coupling S.
        order: A name of representations.SPATIAL_ORDERS.

    Returns:
        (..., 3, 3) [kg m^2].

    Raises:
        ParameterError: Wrong shape, a matrix that is not symmetric, unknown order; a linear block
            that has no inverse, with the index of the body.

    Example:
        >>> shifted = added_mass.shift_added_mass(fluid, [1.0, 0, 0], "angular-linear")
        >>> print(added_mass.cmct(shifted, "angular-linear").diagonal())
        [0. 3. 2.]
    """
    check_spatial_order(order)
    xp, (added_mass,) = real_arrays(added_mass=added_mass)
    check_added_mass(xp, added_mass)
    M, S, _ = _blocks(added_mass, order)
    rows = [[M[..., i, j] for j in range(3)] for i in range(3)]
    x, y, z = (xp.stack(row, axis=-1) for row in rows)
    cofactors = xp.stack([cross(xp, *p) for p in ((y, z), (z, x), (x, y))], axis=-2)
    determinant = xp.sum(x * cofactors[..., 0, :], axis=-1)
    size = _norm(xp, M)
    floor = tolerances.floor(xp.ones_like(size))
    body = first_index(xp, ~(xp.abs(determinant) > floor * size * size * size))
    if body is not None:
        raise ParameterError(
            f"the linear block of added_mass{of_body(body)} has no inverse (determinant "
            f"{float(determinant[body]):.3g}), so C = S M^-1 does not exist; use shift_added_mass"
        )
    C = product(xp, S, cofactors / determinant[..., None, None])
    return product(xp, C, xp.matrix_transpose(S))


class AddedMassVerdict(IntEnum):
    """Verdict on a rigid body with an added mass; `.word` is its name in reports."""

    POSITIVE_DEFINITE = 0
    SINGULAR = 1
    INDEFINITE = 2
    ILL_POSED = 3
    INVALID = 4

    @property
    def word(self) -> str:
        """The verdict as it is printed."""
        return self.name.lower().replace("_", "-")


class AddedMassJudgement:
    """Whether bodies with the fluid's added mass have an inertia in every direction.

    Margins are least eigenvalues of 6x6 matrices about the centre of mass, in units in which the
    masses of body and fluid have the norm 1, and so have their inertias: dimensionless, at most 1,
    the same in every frame and unit. Their signs do not depend on the point.

    Attributes:
        margin: (...,) of body and fluid together: positive where the sum is positive definite.
        added_margin: (...,) of the added mass alone, in the same units: 0 or more where it is
            semidefinite, as that of a body deep in a resting fluid is; near a surface it need not.
        rigid_margin: (...,) of the body alone: 0 of rods and points, negative of no body.
        tolerance: (...,) the numerical floor tau, with kappa what the shift to Bcm cancels.
    """

    def __init__(
        self, margin: Array, added_margin: Array, rigid_margin: Array, tolerance: Array
    ) -> None:
        self.margin = margin
        self.added_margin = added_margin
        self.rigid_margin = rigid_margin
        self.tolerance = tolerance
        self._xp = array_namespace(margin)

    @cached_property
    def verdict_code(self) -> Array:
        """(...,) integers of AddedMassVerdict, in the caller's array library."""
        xp, margin, floor = self._xp, self.margin, self.tolerance
        codes = xp.full_like(margin, int(AddedMassVerdict.INDEFINITE), dtype=xp.int8)
        for condition, verdict in (
            (margin >= -floor, AddedMassVerdict.SINGULAR),
            (margin > floor, AddedMassVerdict.POSITIVE_DEFINITE),
            (floor > tolerances.ILL_POSED_FLOOR, AddedMassVerdict.ILL_POSED),
            (xp.isnan(margin), AddedMassVerdict.INVALID),
        ):
            codes = xp.where(condition, xp.full_like(codes, int(verdict)), codes)
        return codes

    @property
    def verdict(self) -> str | npt.NDArray[np.str_]:
        """(...,) words; a str for a single body."""
        words = np.array([verdict.word for verdict in AddedMassVerdict])
        codes = np.asarray(self.verdict_code)
        return str(words[codes]) if codes.ndim == 0 else words[codes]

    @property
    def positive_definite(self) -> Array:
        """(...,) whether every motion has a positive kinetic energy."""
        return self.verdict_code == int(AddedMassVerdict.POSITIVE_DEFINITE)

    @property
    def added_semidefinite(self) -> Array:
        """(...,) whether the fluid's share of the kinetic energy is never negative."""
        return self.added_margin >= -self.tolerance

    def raise_for_verdict(self) -> None:
        """Refuse bodies whose inertia is not positive definite.

        Raises:
            ParameterError: With the index of the first such body, and its margin.
        """
        body = first_index(self._xp, ~self.positive_definite)
        if body is not None:
            word = AddedMassVerdict(int(self.verdict_code[body])).word
            raise ParameterError(
                f"the inertia{of_body(body)} with its added mass is {word}: margin "
                f"{float(self.margin[body]):.3g}, expected more than "
                f"{float(self.tolerance[body]):.2g}"
            )


@quiet
def judge_added_mass(
    rigid: InertialParameters, added_mass: ArrayLike, order: SpatialOrder
) -> AddedMassJudgement:
    """Whether rigid bodies with an added mass are positive definite, and the added mass alone PSD.

    Args:
        rigid: The bodies, in B.
        added_mass: (..., 6, 6) symmetric, about Bo in the axes of B, of the library of `rigid`.
        order: A name of representations.SPATIAL_ORDERS.

    Returns:
        The margins and verdicts, leading axes broadcast; rows that are not finite are invalid.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is not symmetric, unknown order.

    Example:
        >>> body = ic.InertialParameters.from_com(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.1]))
        >>> print(added_mass.judge_added_mass(body, fluid, "angular-linear").verdict)
        positive-definite
    """
    expect(InertialParameters, rigid=rigid)
    check_spatial_order(order)
    arrays = {"mass": rigid.mass, "com": rigid.com, "inertia": rigid.inertia_com}
    xp, (mass, com, inertia, added) = real_arrays(**arrays, added_mass=added_mass)
    check_added_mass(xp, added)
    batch_shape(rigid=rigid.shape, added_mass=added.shape[:-2])
    com = xp.where((mass == 0)[..., None], xp.zeros_like(com), com)  # any point: it weighs nothing
    central = shift_added_mass(vectors.reorder_matrix(added, order, "angular-linear"), -com, _FIRST)
    one = xp.eye(3, dtype=mass.dtype, device=device_of(mass))
    zero = xp.zeros_like(inertia)
    body = vectors.assemble(xp, inertia, zero, zero, mass[..., None, None] * one)
    units, kappa = _units(xp, body, central, _blocks(added, order), arm=length(xp, com))
    central, body = units * central, units * body
    together, alone, without = (
        _least_eigenvalue(xp, matrix) for matrix in (body + central, central, body)
    )
    return AddedMassJudgement(together, alone, without, tolerances.floor(kappa))


def check_added_mass(xp: Namespace, added_mass: Array, name: str = "added_mass") -> None:
    """Refuse what is no batch of symmetric 6x6 matrices.

    Raises:
        ParameterError: Wrong shape; halves that differ, with the entries and the body.
    """
    expect_shape(name, added_mass, 6, 6)
    vectors.refuse_asymmetric(xp, name, added_mass)


_FIRST: SpatialOrder = "angular-linear"


def _units(
    xp: Namespace, body: Array, central: Array, about_Bo: tuple[Array, Array, Array], arm: Array
) -> tuple[Array, Array]:
    """The factors (..., 6, 6) by which the entries lose their units, and kappa (...,).

    Kappa compares what is summed in the shift of an added mass from Bo to Bcm with what is left.
    """
    M, S, J = (_norm(xp, block) for block in about_Bo)
    linear = _norm(xp, body[..., 3:, 3:]) + M
    angular = _norm(xp, body[..., :3, :3]) + _norm(xp, central[..., :3, :3])
    linear, angular = (xp.where(s > 0, s, xp.ones_like(s)) for s in (linear, angular))
    summed = (J + 2 * arm * S + arm * arm * M) / angular
    # The root of each, because float32 does not hold the product for a body of some kilometres.
    kappa = 1 + summed + (S + arm * M) / (xp.sqrt(linear) * xp.sqrt(angular))
    root = xp.stack([1 / xp.sqrt(s) for s in (*[angular] * 3, *[linear] * 3)], axis=-1)
    return root[..., :, None] * root[..., None, :], kappa


def _least_eigenvalue(xp: Namespace, matrix: Array) -> Array:
    """Of symmetric matrices; NaN where one is not finite."""
    finite = xp.all(xp.isfinite(matrix), axis=(-2, -1))
    known = xp.where(finite[..., None, None], matrix, xp.zeros_like(matrix))
    least = xp.linalg.eigvalsh(known)[..., 0]
    return xp.where(finite, least, xp.full_like(least, xp.nan))


def _blocks(matrix: Array, order: SpatialOrder) -> tuple[Array, Array, Array]:
    """The linear block M, the coupling S (rows angular, columns linear) and the angular block J."""
    linear, angular = slice(0, 3), slice(3, 6)
    if order == _FIRST:
        linear, angular = angular, linear
    parts = ((linear, linear), (angular, linear), (angular, angular))
    M, S, J = (matrix[..., rows, columns] for rows, columns in parts)
    return M, S, J


def _norm(xp: Namespace, matrix: Array) -> Array:
    """Frobenius norm (...,); scaled first, because float32 holds no squares of 1e-23 or 1e23."""
    size = xp.max(xp.abs(matrix), axis=(-2, -1))
    safe = xp.where(size > 0, size, xp.ones_like(size))
    scaled = matrix / safe[..., None, None]
    return size * xp.sqrt(xp.sum(scaled * scaled, axis=(-2, -1)))
