"""InertialParameters: the ten numbers of a body, or of a batch, and every way to say them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    SIX_PLACES,
    Array,
    ArrayLike,
    EqualByValue,
    Floats,
    array_namespace,
    batch_shape,
    copy_array,
    count_rows,
    expect_shape,
    quiet,
    read_only,
    real_arrays,
    select_rows,
)
from inertial_check.inertia.consistency import Consistency
from inertial_check.inertia.derivatives import hides_numbers, register_pytree
from inertial_check.inertia.eigen import eigensystem
from inertial_check.inertia.representations import (
    Order,
    Point,
    SpatialOrder,
    about_com,
    about_origin,
    check_about,
    has_central_inertia,
    inertia_from_second_moment,
    join,
    prefer_own,
    pseudo_inertia,
    read_theta,
    reorder,
    second_moment,
    six,
    spatial_inertia,
    state_form,
    symmetric,
    theta_from_pseudo_inertia,
    theta_from_spatial_inertia,
)


@register_pytree(leaves=("_theta", "_com", "_lost"), static=("about",))
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InertialParameters(EqualByValue):
    """Mass, first moment and rotational inertia of rigid bodies B, in the axes of their frames.

    Make one with a from_* constructor. Leading axes are a batch of bodies; the arrays keep the
    library, the precision and the device of the input. NumPy results can be read-only.

    The inertia stays about the point it was given about, `about`: data about the centre of mass is
    never sent through the body origin, which would cost it 1 + |c|^2 / k^2 units in the last place.
    Nothing is judged here: any ten numbers pass, and inertial_check.check says whether a body has
    them. A body without mass, as a difference of bodies can be, has no centre of mass: `com` is
    NaN, unless from_com was told one, and so is all about the centre, unless the first moment is 0:
    a flywheel, whose inertia is the same about every point. It is stored, moved and added about the
    origin, as are rows of a sum of which less than a quarter of the masses is left, or whose centre
    of mass is farther out than any bodies of positive mass have theirs.

    Two of them are equal where they hold equal numbers about one point, NaN equal to NaN; they have
    no hash, since arrays of some libraries can be written to.

    Attributes:
        about: "origin" or "com", the point about which the inertia is stored.
    """

    _theta: Array
    about: Point
    _com: Array | None = None
    _lost: Array | None = None
    """(..., 1) above 0 where the masses of a row about "com" cancelled: it is about the origin."""

    # Constructors

    @classmethod
    @quiet
    def from_com(cls, mass: ArrayLike, com: ArrayLike, inertia: ArrayLike) -> InertialParameters:
        """From the numbers of URDF, SDF, MJCF and USD, all in the axes of the body frame.

        Args:
            mass: (...,) [kg].
            com: (..., 3) p_BoBcm_B [m]; kept as it is, also where the mass is 0: a frame, or with
                an inertia a flywheel whose mass another body carries.
            inertia: I_BBcm_B, (..., 3, 3) or (..., 6) xx, xy, xz, yy, yz, zz [kg m^2].

        Raises:
            ParameterError: Shapes that do not fit, an inertia that is not symmetric.
        """
        xp, (mass, com, inertia) = real_arrays(mass=mass, com=com, inertia=inertia)
        expect_shape("com", com, 3)
        if tuple(inertia.shape[-2:]) == (3, 3):
            inertia = six(inertia)
        elif tuple(inertia.shape[-1:]) != (6,):
            raise ParameterError(
                f"inertia has shape {tuple(inertia.shape)}, expected (..., 3, 3) or (..., 6)"
            )
        batch = batch_shape(mass=mass.shape, com=com.shape[:-1], inertia=inertia.shape[:-1])
        theta = join(mass, mass[..., None] * com, inertia)
        com = copy_array(xp, xp.broadcast_to(com, (*batch, 3)))
        return cls(read_only(theta), "com", com)

    @classmethod
    def from_theta(
        cls, theta: ArrayLike, order: Order | None = None, about: Point | None = None
    ) -> InertialParameters:
        """From the vector [m, hx, hy, hz, last six] with h = m p_BoBcm_B.

        Args:
            theta: (..., 10) in [kg, kg m, kg m^2].
            order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl; None for theta's
                own, else urdf.
            about: Point about which they are taken: "origin" or "com"; None for theta's own, else
                the origin.

        Raises:
            ParameterError: Wrong shape, an order or point that is unknown or contradicts theta's
                own.
        """
        xp, vector, about = read_theta(theta, order, about)
        return cls(copy_array(xp, vector), about)

    @classmethod
    def from_pseudo_inertia(cls, pseudo_inertia: ArrayLike) -> InertialParameters:
        """From [[S, h], [h^T, m]] (..., 4, 4) about the body origin, with S the second moment.

        Heins, Rigid Body Inertial Parameters, "Pseudo-Inertia Matrix"; Wensing, Kim, Slotine 2018.

        Raises:
            ParameterError: Wrong shape, a matrix that is not symmetric.
        """
        return cls._fresh(theta_from_pseudo_inertia(pseudo_inertia), "origin")

    @classmethod
    def from_spatial_inertia(
        cls, spatial_inertia: ArrayLike, order: SpatialOrder = "angular-linear"
    ) -> InertialParameters:
        """From the 6x6 spatial inertia M_BBo_B about the body origin.

        Args:
            spatial_inertia: (..., 6, 6) in [kg m^2], [kg m] and [kg].
            order: "angular-linear" (Featherstone, Drake) or "linear-angular" (Pinocchio, KSL).

        Raises:
            ParameterError: Wrong shape, unknown order, or not the matrix of a rigid body.
        """
        return cls._fresh(theta_from_spatial_inertia(spatial_inertia, order), "origin")

    @classmethod
    @quiet
    def from_point_masses(cls, masses: ArrayLike, points: ArrayLike) -> InertialParameters:
        """From point masses: the sums that Heins, eqs. 1-3, integrates; kept about their centre.

        Args:
            masses: (..., n) [kg].
            points: (..., n, 3) p_BoQ_B [m].

        Raises:
            ParameterError: Shapes that do not fit.
        """
        xp, (masses, points) = real_arrays(masses=masses, points=points)
        expect_shape("points", points, 3)
        if masses.ndim == 0 or points.ndim == 1:
            raise ParameterError(
                f"masses {tuple(masses.shape)} and points {tuple(points.shape)} "
                "have no axis of points, expected (..., n) and (..., n, 3)"
            )
        batch_shape(masses=masses.shape, points=points.shape[:-1])
        mass = xp.sum(masses, axis=-1)
        first_moment = xp.sum(masses[..., None] * points, axis=-2)
        heavy = (mass != 0)[..., None]
        safe = xp.where(heavy, mass[..., None], xp.ones_like(mass[..., None]))
        center = xp.where(heavy, first_moment / safe, xp.zeros_like(first_moment))
        arm = points - center[..., None, :]
        moments = [xp.sum(masses * arm[..., i] * arm[..., j], axis=-1) for i, j in SIX_PLACES]
        inertia = inertia_from_second_moment(xp.stack(moments, axis=-1))
        return cls._fresh(join(mass, first_moment, inertia), "com")

    @classmethod
    @quiet
    def from_principal(
        cls, mass: ArrayLike, com: ArrayLike, moments: ArrayLike, axes: ArrayLike
    ) -> InertialParameters:
        """From principal moments and axes: I_BBcm_B = V diag(J) V^T.

        Args:
            mass: (...,) [kg].
            com: (..., 3) p_BoBcm_B [m].
            moments: (..., 3) J about the centre of mass, in the order of the columns [kg m^2].
            axes: (..., 3, 3) V = R_BP, a rotation whose columns are the principal axes in B.

        Raises:
            ParameterError: Shapes that do not fit, axes that are no rotation.
        """
        xp, (mass, com, moments, axes) = real_arrays(mass=mass, com=com, moments=moments, axes=axes)
        expect_shape("moments", moments, 3)
        frames.refuse_nonrotation(xp, "axes", axes)
        batch_shape(moments=moments.shape[:-1], axes=axes.shape[:-2])
        zero = xp.zeros_like(moments[..., 0])
        entries = [moments[..., 0], zero, zero, moments[..., 1], zero, moments[..., 2]]
        diagonal = xp.stack(entries, axis=-1)
        return cls.from_com(mass, com, frames.rotate_tensor(xp, axes, diagonal))

    # Representations

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch; () for one body."""
        return tuple(self._theta.shape[:-1])

    @property
    def mass(self) -> Array:
        """(...,) m [kg]."""
        return self._theta[..., 0]

    @property
    @quiet
    def com(self) -> Array:
        """(..., 3) centre of mass p_BoBcm_B [m]; of a body without mass NaN or what was given."""
        if self._com is not None:
            return self._com
        xp, com = array_namespace(self._theta), self.first_moment / self.mass[..., None]
        return xp.where(self.mass[..., None] != 0, com, xp.full_like(com, xp.nan))

    @property
    def first_moment(self) -> Array:
        """(..., 3) h = m p_BoBcm_B [kg m]."""
        return self._theta[..., 1:4]

    @property
    def inertia_com(self) -> Array:
        """(..., 3, 3) rotational inertia about the centre of mass I_BBcm_B [kg m^2], or NaN."""
        return symmetric(self._central_six())

    @property
    def inertia_origin(self) -> Array:
        """(..., 3, 3) rotational inertia about the body origin I_BBo_B [kg m^2]."""
        return symmetric(self._six("origin"))

    @property
    def second_moment(self) -> Array:
        """(..., 3, 3) second moment S about the body origin [kg m^2] (Heins eq. 8)."""
        return symmetric(second_moment(self._six("origin")))

    @property
    def central_second_moment(self) -> Array:
        """(..., 3, 3) S_c about the centre of mass [kg m^2]: m times the covariance of the mass."""
        return symmetric(second_moment(self._central_six()))

    @property
    @quiet
    def covariance(self) -> Array:
        """(..., 3, 3) covariance S_c / m of the mass [m^2] (Heins eq. 7); NaN without mass."""
        xp = array_namespace(self._theta)
        mass, moment = self.mass[..., None, None], self.central_second_moment
        return xp.where(mass != 0, moment / mass, xp.full_like(moment, xp.nan))

    @property
    def pseudo_inertia(self) -> Array:
        """(..., 4, 4) [[S, h], [h^T, m]] about the body origin; mixed units."""
        return pseudo_inertia(self.as_theta())

    def inertia_about(self, p_BoP_B: ArrayLike) -> Array:
        """(..., 3, 3) rotational inertia I_BBp_B about any point P [kg m^2] (Heins eqs. 5, 13).

        Args:
            p_BoP_B: (..., 3) position of P in the body frame [m].

        Raises:
            ParameterError: Shapes that do not fit.
        """
        real_arrays(p_BoP_B=p_BoP_B)
        return symmetric(self._six_about(p_BoP_B))

    def second_moment_about(self, p_BoP_B: ArrayLike) -> Array:
        """(..., 3, 3) second moment S_BBp_B about any point P [kg m^2] (Heins eq. 14).

        Args:
            p_BoP_B: (..., 3) position of P in the body frame [m].

        Raises:
            ParameterError: Shapes that do not fit.
        """
        real_arrays(p_BoP_B=p_BoP_B)
        return symmetric(second_moment(self._six_about(p_BoP_B)))

    def as_theta(self, order: Order = "urdf", about: Point = "origin") -> Array:
        """(..., 10) [m, hx, hy, hz, last six] in [kg, kg m, kg m^2], which knows order and point.

        Args:
            order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl.
            about: Point about which they are taken: "origin" or "com". Rows without mass are about
                the origin in both.

        Raises:
            ParameterError: Unknown order or point.
        """
        check_about(about)
        theta = self._theta
        if about != self.about or self._lost is not None:
            theta = join(self.mass, self.first_moment, self._six(about))
        return state_form(reorder(theta, "urdf", order), order, about)

    def as_spatial_inertia(self, order: SpatialOrder = "angular-linear") -> Array:
        """(..., 6, 6) spatial inertia M_BBo_B about the body origin.

        Args:
            order: "angular-linear" (Featherstone, Drake) or "linear-angular" (Pinocchio, KSL).

        Raises:
            ParameterError: Unknown order.
        """
        return spatial_inertia(self.as_theta(), order)

    def principal_moments(self) -> Array:
        """(..., 3) eigenvalues of I_BBcm_B, ascending [kg m^2].

        Those of a diagonal tensor are its entries. Each of a consistent body is within 2 eps of
        sum |v_i| |I_ij| |v_j|, v its axis: what one rounding of each entry leaves of it.
        """
        return Consistency(self.as_theta(about=self.about), self.about).principal_moments

    @quiet
    def principal_axes(self) -> Array:
        """(..., 3, 3) R_BP, right-handed: column i is the axis in B of principal_moments() i.

        Not unique where moments are equal; NaN where the inertia is not finite.
        """
        return eigensystem(self._central_six())[1]

    # Frames and bodies

    @quiet
    def rotate(self, R_AB: ArrayLike, *, renormalize: bool = False) -> InertialParameters:
        """The body in the axes of A: Pi_A = R_AB Pi_B R_AB^T about the same point.

        Args:
            R_AB: (..., 3, 3) rotations whose columns are the axes of B in A.
            renormalize: Take the nearest rotations of matrices with rounded entries, as six printed
                digits and float32 products have them.

        Raises:
            ParameterError: Shapes that do not fit, or a matrix that is no rotation.
        """
        expect("flag", renormalize=renormalize)
        if not renormalize and self._com is None:
            return self._fresh(frames.rotate(self._theta, R_AB), self.about, None, self._lost)
        xp, (_, R_AB) = real_arrays(theta=self._theta, R_AB=R_AB)
        return self._rotate_checked(frames.read_rotation(xp, "R_AB", R_AB, renormalize=renormalize))

    @quiet
    def translate(self, p_AoBo_A: ArrayLike) -> InertialParameters:
        """The body measured from Ao: its old origin Bo stands at p_AoBo_A; the axes stay.

        Args:
            p_AoBo_A: (..., 3) [m].

        Raises:
            ParameterError: Shapes that do not fit.
        """
        theta = frames.translate(self._theta, p_AoBo_A, self.about)
        if self._lost is not None:
            moved = frames.translate(self._theta, p_AoBo_A)
            theta = array_namespace(theta).where(self._lost > 0, moved, theta)
        com = None
        if self._com is not None:
            _, (position, com) = real_arrays(p_AoBo_A=p_AoBo_A, com=self._com)
            com = com + position
        return self._fresh(theta, self.about, com, self._lost)

    def transform(self, X_AB: ArrayLike, *, renormalize: bool = False) -> InertialParameters:
        """The body in the frame A: Pi_A = X_AB Pi_B X_AB^T (Heins eq. 15).

        Args:
            X_AB: (..., 4, 4) poses [[R_AB, p_AoBo_A], [0, 1]], mapping points of B to A.
            renormalize: Take the nearest rotations of poses with rounded entries, as six printed
                digits and float32 products have them.

        Raises:
            ParameterError: Shapes that do not fit, or a matrix that is no pose.
        """
        expect("flag", renormalize=renormalize)
        if not renormalize and self._com is None and self._lost is None:
            return self._fresh(frames.transform(self._theta, X_AB, self.about), self.about, None)
        R_AB, p_AoBo_A = frames.pose_parts(X_AB, like=self._theta, renormalize=renormalize)
        return self._rotate_checked(R_AB).translate(p_AoBo_A)

    def _rotate_checked(self, R_AB: Array) -> InertialParameters:
        """Rotate the body by matrices that are known to be rotations."""
        xp, (theta, R_AB) = real_arrays(theta=self._theta, R_AB=R_AB)
        theta = frames.rotate_checked(xp, theta, R_AB)
        com = None
        if self._com is not None:
            xp, (R_AB, com) = real_arrays(R_AB=R_AB, com=self._com)
            com = frames.rotate_vector(xp, R_AB, com)
        return self._fresh(theta, self.about, com, self._lost)

    def merge(
        self,
        child: InertialParameters | Sequence[InertialParameters],
        X_PC: ArrayLike | Sequence[ArrayLike],
        *,
        renormalize: bool = False,
    ) -> InertialParameters:
        """This body P with a child C, or several, fixed to it, in the frame of P.

        Args:
            child: The child's parameters in its own frame C; or a list of children.
            X_PC: (..., 4, 4) poses of C in P; of a list, one for each child.
            renormalize: Take the nearest rotations of poses with rounded entries.

        Raises:
            ParameterError: A child that is none, another number of poses than of children, shapes
                that do not fit, or a matrix that is no pose.
        """
        expect("flag", renormalize=renormalize)
        expect(InertialParameters, "list", child=child)
        single = not isinstance(child, (list, tuple))
        children = cast("Sequence[object]", [child] if single else child)
        poses = cast("Sequence[ArrayLike]", [X_PC] if single else X_PC)
        expect("list", X_PC=poses)
        if len(children) != len(poses):
            raise ParameterError(
                f"child and X_PC: {len(children)} children and {len(poses)} poses, expected as many"
                " of both"
            )
        merged = self
        for each, X in zip(children, poses, strict=True):
            real_arrays(X_PC=X)
            if not isinstance(each, InertialParameters):
                kind = type(each).__name__
                raise ParameterError(f"child is a {kind}, expected InertialParameters")
            merged = merged + each.transform(X, renormalize=renormalize)
        return merged

    @quiet
    def sum(self, axis: int | tuple[int, ...] | None = None) -> InertialParameters:
        """The bodies along axes of the batch as one body; all are given in the same frame.

        Args:
            axis: Axis of the batch, or several; negative ones count from its last. None for all.

        Returns:
            A batch without these axes, about the same point, "origin" or "com", as this one; about
            the origin where the masses cancel.

        Raises:
            ParameterError: There is no such axis, or it is named twice.
        """
        expect("whole", tuple, "nothing", axis=axis)
        count = len(self.shape)
        given = range(count) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = tuple(each + count if each < 0 else each for each in given)
        if len(set(axes)) != len(axes) or not all(0 <= each < count for each in axes):
            raise ParameterError(
                f"axis is {axis}, expected different axes of a batch of shape {self.shape}"
            )
        if not axes:
            return self
        if self.about == "origin":
            return self._fresh(frames.total(self._theta, axes), "origin")
        return self._combine(self._theta, self._central, axes)

    def __add__(self, other: object) -> InertialParameters:
        """Both bodies, given in the same frame, as one.

        About the centre of mass, unless both are given about the origin or their masses cancel:
        what has no mass has no centre, and is a first moment and a tensor about the origin.
        """
        if not isinstance(other, InertialParameters):
            return NotImplemented
        return self._plus(other, 1)

    def __sub__(self, other: object) -> InertialParameters:
        """What is left when the other body, given in the same frame, is taken away; as `+`."""
        if not isinstance(other, InertialParameters):
            return NotImplemented
        return self._plus(other, -1)

    # Batches

    def __getitem__(self, index: object) -> InertialParameters:
        """The bodies at an index of the batch axes, of any kind that the array library takes."""
        rows = self._theta, self._com, self._lost
        theta, com, lost = (None if each is None else select_rows(each, index, 1) for each in rows)
        return InertialParameters(cast("Array", theta), self.about, com, lost)

    def __len__(self) -> int:
        """Length of the first batch axis.

        Raises:
            TypeError: There is one body and no batch.
        """
        return count_rows(self.shape)

    def __iter__(self) -> Iterator[InertialParameters]:
        """Over the first batch axis."""
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        """One body with its numbers; of a batch its shape; and how many have no centre of mass."""
        kind = str(self._theta.dtype).rpartition(".")[2]
        xp, lost = array_namespace(self._theta), 0
        if not hides_numbers(self._theta):
            lost = int((~has_central_inertia(xp, self._theta)).sum())
        note = f"{lost} without a centre of mass, " if lost else ""
        if self.shape:
            shape = f"shape={self.shape}, about={self.about!r}"
            return f"InertialParameters({shape}, {note}dtype={kind})"
        numbers = {"mass": self.mass, "com": self.com, f"inertia_{self.about}": self._theta[4:]}
        if lost:
            six = self._six("origin")
            note = "no centre of mass, "
            numbers = {"mass": self.mass, "first_moment": self.first_moment, "inertia_origin": six}
        said = ", ".join(f"{name}={_plain(value)}" for name, value in numbers.items())
        return f"InertialParameters({said}, {note}dtype={kind})"

    # Private

    @classmethod
    def _fresh(
        cls, theta: Array, about: Point, com: Array | None = None, lost: Array | None = None
    ) -> InertialParameters:
        """Of arrays that were just computed and belong to no one else."""
        xp = array_namespace(theta)
        if com is not None:
            com = read_only(xp.broadcast_to(com, (*theta.shape[:-1], 3)))
        if lost is not None:
            lost = read_only(xp.broadcast_to(lost, (*theta.shape[:-1], 1)))
        return cls(read_only(theta), about, com, lost)

    @property
    def _central(self) -> Array:
        """(..., 1) whether the inertia is stored about the centre of mass."""
        central = (self._theta[..., :1] != 0) & (self.about == "com")
        return central if self._lost is None else central & (self._lost == 0)

    def _central_six(self) -> Array:
        """The inertia (..., 6) about the centre of mass, NaN where there is none."""
        six = self._six("com")
        xp = array_namespace(six)
        exists = has_central_inertia(xp, self._theta)[..., None]
        return xp.where(exists, six, xp.full_like(six, xp.nan))

    @quiet
    def _six(self, about: Point) -> Array:
        """The inertia (..., 6) about a point; about the origin where there is no mass."""
        six, central = self._theta[..., 4:], self._central
        if about == self.about and self._lost is None:
            return six
        shifted = about_com if about == "com" else about_origin
        moved = shifted(self.mass, self.first_moment, six)
        return array_namespace(six).where(central == (about == "com"), six, moved)

    @quiet
    def _six_about(self, p_BoP_B: ArrayLike) -> Array:
        """The inertia (..., 6) about any point, straight from the point it is stored about."""
        xp, (theta, position) = real_arrays(theta=self._theta, p_BoP_B=p_BoP_B)
        expect_shape("p_BoP_B", position, 3)
        batch_shape(theta=theta.shape[:-1], p_BoP_B=position.shape[:-1])
        return frames.move_to_point(xp, theta, self._central, position)

    @quiet
    def _plus(self, other: InertialParameters, sign: int) -> InertialParameters:
        """Add a body, or take it away (sign -1)."""
        if self.about == other.about == "origin":
            return self._fresh(frames.add(self._theta, sign * other._theta), "origin")
        xp, bodies = real_arrays(one=self._theta, other=sign * other._theta)
        batch_shape(one=bodies[0].shape[:-1], other=bodies[1].shape[:-1])
        theta = xp.stack(xp.broadcast_arrays(*bodies))
        central = xp.broadcast_arrays(self._central, other._central, theta[0, ..., :1])[:2]
        return self._combine(theta, xp.stack(central), (0,))

    @classmethod
    @quiet
    def _combine(cls, theta: Array, central: Array, axes: tuple[int, ...]) -> InertialParameters:
        """Join bodies, each row about its centre unless its masses cancelled.

        About a centre of mass h / m the inertia of such a row would have lost the digits that the
        mass has lost.
        """
        xp = array_namespace(theta)
        theta, exists = frames.combine(xp, theta, central, axes, tolerances.VANISHING_MASS)
        if not hides_numbers(exists):
            if bool(xp.all(exists)):
                return cls._fresh(theta, "com")
            if not bool(xp.any(exists)):
                return cls._fresh(theta, "origin")
        lost = xp.where(exists, xp.zeros_like(theta[..., 0]), xp.ones_like(theta[..., 0]))
        return cls._fresh(theta, "com", None, lost[..., None])


def read_about_origin(prior: InertialParameters | ArrayLike, order: Order = "urdf") -> Floats:
    """Read a prior (..., 10), as a bare array in `order` about the origin, in order "urdf".

    Raises:
        ParameterError: Wrong shape, unknown order.
    """
    if not isinstance(prior, InertialParameters):
        own, point = prefer_own(prior, order, "origin")
        prior = InertialParameters(*read_theta(prior, own, point, name="prior")[1:])
    return np.asarray(prior.as_theta(), dtype=np.float64)


def _plain(array: Array) -> str:
    """The numbers of a small array in full; as the library prints them where a trace hides them."""
    try:
        return repr(float(array) if array.ndim == 0 else [float(x) for x in array])
    except (TypeError, RuntimeError):
        return str(array)


def body_names(bodies: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The names of the bodies; body 0, body 1, ... where there are none.

    Raises:
        ParameterError: Another number of names.
    """
    if bodies is None:
        return tuple(f"body {i}" for i in range(count))
    expect("texts", bodies=bodies)
    if len(bodies) != count:
        raise ParameterError(f"bodies has {len(bodies)} names, expected {count}: one for each")
    return tuple(bodies)
