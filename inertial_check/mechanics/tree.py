"""Trees of rigid bodies: what is tied to what, where, how it moves, and the ten numbers of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import EqualByValue, Floats, Integers, real_arrays
from inertial_check.inertia.derivatives import register_pytree
from inertial_check.inertia.frames import pose_parts, transform
from inertial_check.mechanics.added_mass import check_added_mass

JointType = Literal["fixed", "revolute", "prismatic", "floating"]
JOINT_TYPES: tuple[JointType, ...] = get_args(JointType)
"""Types of joints between a body and its parent; a continuous joint counts as revolute."""

SIZES: dict[str, tuple[int, int]] = {
    "fixed": (0, 0),
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "floating": (7, 6),
}
"""Numbers of coordinates and of velocities of a joint, by its type."""

_WITH_AXIS = ("revolute", "prismatic")

INERTIAL_FRAME = -1
"""Index that stands for the inertial frame I where a parent is asked for."""


@register_pytree(
    leaves=("theta", "added_mass"),
    static=("names", "parents", "joints", "X_PB", "axes_B", "points_B", "order", "in_fluid"),
)
@dataclass(frozen=True, eq=False)
class Tree(EqualByValue):
    """N rigid bodies B, each tied by one joint to its parent P or to the inertial frame I.

    At q = 0 the body stands at X_PB. A revolute joint turns it about the line through Jo along
    axis_B, a prismatic one moves it along axis_B. A floating joint ties it to I, whatever X_PB is:
    its coordinates are p_IoBo_I [m] and the unit quaternion q_IB = (w, x, y, z), its velocities
    v_IBo_I [m/s] and w_IB_B [rad/s]. The coordinates of all joints follow each other in the order
    of the bodies; so do the velocities.

    A tree is a JAX pytree whose leaf is theta; all else is static, as the size of an array is.

    Attributes:
        names: Of the bodies.
        parents: (N,) index of each body's parent, -1 for the inertial frame; in any order.
        joints: Type of each body's joint: fixed, revolute, prismatic or floating.
        X_PB: (N, 4, 4) pose of each body in its parent at q = 0, mapping points of B to P [m].
        axes_B: (N, 3) unit vectors in B; not looked at where a joint has none.
        points_B: (N, 3) p_BoJo_B, a point on each revolute joint's axis [m]; None for the origins.
        theta: (N, 10) [m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz] about the body origins, in
            [kg, kg m, kg m^2]; any ten numbers pass.
        added_mass: (N, 6, 6) added mass of the fluid around each body, at rest in I, about the body
            origins in their axes; symmetric, for twists [v, w] [kg, kg m, kg m^2]. None for none.

    Raises:
        ParameterError: Shapes that do not fit, an unknown joint type, an axis that is no unit
            vector, a matrix that is no pose, a parent that does not exist, bodies in a loop, a
            floating body on another one.
    """

    names: Sequence[str]
    parents: Integers
    joints: Sequence[str]
    X_PB: Floats
    axes_B: Floats
    theta: Floats
    points_B: Floats = None  # type: ignore[assignment]  # zeros after __post_init__
    added_mass: Floats = None  # type: ignore[assignment]  # zeros after __post_init__
    order: tuple[int, ...] = field(init=False, repr=False)
    in_fluid: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Look over what was given, and keep copies that no one else can change."""
        count = len(self.names)
        points = np.zeros((count, 3)) if self.points_B is None else self.points_B
        fluid = np.zeros((count, 6, 6)) if self.added_mass is None else self.added_mass
        parents = np.asarray(self.parents)
        if parents.shape != (count,) or (count and parents.dtype.kind not in "iu"):
            raise ParameterError(
                f"parents has shape {parents.shape} of {parents.dtype}, expected ({count},) "
                "integers"
            )
        bad = np.flatnonzero((parents < INERTIAL_FRAME) | (parents >= count))
        if bad.size:
            first = int(bad[0])
            raise ParameterError(
                f"parent {int(parents[first])} of body {first} does not exist, expected -1 (the "
                f"inertial frame) to {count - 1}"
            )
        self._set("parents", parents.astype(np.int64))
        self._set("names", tuple(self.names))
        self._set("joints", tuple(self.joints))
        for name, value, shape in (
            ("X_PB", self.X_PB, (count, 4, 4)),
            ("axes_B", self.axes_B, (count, 3)),
            ("theta", self.theta, (count, 10)),
            ("points_B", points, (count, 3)),
            ("added_mass", fluid, (count, 6, 6)),
        ):
            _, (array,) = real_arrays(**{name: value})
            if not isinstance(array, np.ndarray) or array.shape != shape:
                raise ParameterError(f"{name} has shape {tuple(array.shape)}, expected {shape}")
            array = np.array(array, dtype=np.float64)
            array.flags.writeable = False
            self._set(name, array)
        check_added_mass(np, self.added_mass)
        if len(self.joints) != len(self.names):
            raise ParameterError(
                f"joints has length {len(self.joints)}, expected one for each of the "
                f"{len(self.names)} bodies"
            )
        floor = tolerances.rotation_floor(np.float64, np)
        for body, joint in enumerate(self.joints):
            who = f"body {body} ({self.names[body]})"
            if joint not in SIZES:
                known = ", ".join(JOINT_TYPES)
                raise ParameterError(f"joint {joint!r} of {who} is none of {known}")
            if joint == "floating" and self.parents[body] != INERTIAL_FRAME:
                raise ParameterError(
                    f"{who} floats, but its parent is body {self.parents[body]}: a floating body "
                    "is tied to the inertial frame, parent -1"
                )
            length = float(np.linalg.norm(self.axes_B[body]))
            if joint in _WITH_AXIS and not abs(length - 1) <= floor:
                raise ParameterError(f"the axis of {who} has length {length:.6g}, expected 1")
        pose_parts(self.X_PB, like=self.theta)
        self._set("order", self._sort())
        wet = np.flatnonzero(np.any(self.added_mass != 0, axis=(1, 2)))
        self._set("in_fluid", tuple(wet.tolist()))

    def __hash__(self) -> int:
        """A hash that equal trees share: of what is tied to what, since -0.0 equals 0.0."""
        return hash((self.names, tuple(self.joints), self.parents.tobytes()))

    def __len__(self) -> int:
        """How many bodies there are."""
        return len(self.names)

    def __repr__(self) -> str:
        """The size, the fluid and, for few bodies, the names."""
        shown = ", ".join(self.names) if len(self) <= 8 else f"{', '.join(self.names[:8])}, ..."
        fluid = ", with added mass" if np.any(self.added_mass) else ""
        return f"Tree({len(self)} bodies, n_q={self.n_q}, n_u={self.n_u}{fluid}: {shown})"

    def without_added_mass(self) -> Tree:
        """The same tree without the fluid around its bodies."""
        return replace(self, added_mass=np.zeros_like(self.added_mass))

    @cached_property
    def n_q(self) -> int:
        """How many coordinates there are."""
        return sum(SIZES[joint][0] for joint in self.joints)

    @cached_property
    def n_u(self) -> int:
        """How many velocities there are."""
        return sum(SIZES[joint][1] for joint in self.joints)

    @cached_property
    def coordinates(self) -> tuple[slice, ...]:
        """Where the coordinates of each body's joint stand in q."""
        return self._slices(0)

    @cached_property
    def velocities(self) -> tuple[slice, ...]:
        """Where the velocities of each body's joint stand in u."""
        return self._slices(1)

    @cached_property
    def neutral(self) -> Floats:
        """(n_q,) the configuration in which every body stands at X_PB: zeros, quaternions 1."""
        q = np.zeros(self.n_q)
        for joint, place in zip(self.joints, self.coordinates, strict=True):
            if joint == "floating":
                q[place.start + 3] = 1.0
        return q

    def index(self, body: int | str) -> int:
        """The index of a body, by index or name.

        Raises:
            ParameterError: There is none, or there are several.
        """
        expect("whole", "text", body=body)
        if isinstance(body, str):
            found = [index for index, name in enumerate(self.names) if name == body]
            if len(found) != 1:
                known = ", ".join(self.names[:12]) + (", ..." if len(self) > 12 else "")
                what = f"is the name of {len(found)} bodies" if found else "is no body"
                raise ParameterError(f"{body!r} {what}; there are {known}")
            return found[0]
        if not 0 <= body < len(self):
            raise ParameterError(f"body {body} does not exist, expected 0 to {len(self) - 1}")
        return int(body)

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Indices into u of the velocities that move each body, from the root on."""
        found: dict[int, tuple[int, ...]] = {INERTIAL_FRAME: ()}
        for body in self.order:
            place = self.velocities[body]
            found[body] = found[int(self.parents[body])] + tuple(range(place.start, place.stop))
        return tuple(found[body] for body in range(len(self)))

    @cached_property
    def X_JB(self) -> Floats:
        """(N, 4, 4) each body in its joint frame: z along the axis, the origin on it.

        The body frame itself where the joint has no axis.
        """
        X_JB = np.tile(np.eye(4), (len(self), 1, 1))
        for body, joint in enumerate(self.joints):
            if joint in _WITH_AXIS:
                # R_JB of a frame J whose z is the axis; a permutation for an axis of coordinates.
                axis = self.axes_B[body]
                along = int(np.argmax(np.abs(axis)))
                x = np.eye(3)[(along + 1) % 3]
                x = x - (x @ axis) * axis
                x /= np.linalg.norm(x)
                R_JB = np.stack([x, np.cross(axis, x), axis])
                X_JB[body, :3, :3] = R_JB
                if joint == "revolute":
                    X_JB[body, :3, 3] = -R_JB @ self.points_B[body]
        return X_JB

    @cached_property
    def is_joint_frame(self) -> tuple[bool, ...]:
        """Whether each body's frame is its joint frame."""
        return tuple(np.all(np.eye(4) == self.X_JB, axis=(1, 2)).tolist())

    @cached_property
    def X_PJ(self) -> Floats:
        """(N, 4, 4) each joint frame, at q = 0, in that of its parent, or in I."""
        X = self.X_JB
        R = X[:, :3, :3].transpose(0, 2, 1)
        inverse = np.tile(np.eye(4), (len(X), 1, 1))
        inverse[:, :3, :3] = R
        inverse[:, :3, 3] = -np.einsum("nij,nj->ni", R, X[:, :3, 3])
        whole = self.X_PB @ inverse
        tied = self.parents != INERTIAL_FRAME
        X_PJ: Floats = np.where(tied[:, None, None], self.X_JB[self.parents] @ whole, whole)
        return X_PJ

    @cached_property
    def theta_J(self) -> Floats:
        """(N, 10) theta about the origins of the joint frames, in their axes."""
        return np.asarray(transform(self.theta, self.X_JB))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _slices(self, which: int) -> tuple[slice, ...]:
        ends = np.cumsum([0, *(SIZES[joint][which] for joint in self.joints)]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    def _sort(self) -> tuple[int, ...]:
        """Bodies, parents before children, each chain in one piece."""
        children: dict[int, list[int]] = {}
        for body, parent in enumerate(self.parents.tolist()):
            children.setdefault(parent, []).append(body)
        order: list[int] = []
        pending = children.get(INERTIAL_FRAME, [])[::-1]
        while pending:
            order.append(pending.pop())
            pending += reversed(children.get(order[-1], []))
        if len(order) < len(self.names):
            left = set(range(len(self.names))).difference(order)
            loop_body, seen = min(left), []
            while loop_body not in seen:
                seen.append(loop_body)
                loop_body = int(self.parents[loop_body])
            loop = [self.names[each] for each in [*seen[seen.index(loop_body) :], loop_body]]
            raise ParameterError(
                f"bodies {' -> '.join(loop)} are in a closed loop: a tree has a root, whose parent "
                "is -1"
            )
        return tuple(order)
