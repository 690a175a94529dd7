"""The MJCF format: the model files of MuJoCo, and the bodies that its compiler makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inertial_check.documents.context import Head
from inertial_check.inertia.arrays import Floats, Mask
from inertial_check.inertia.eigen import eigensystem

if TYPE_CHECKING:
    from inertial_check.documents.model import Judgement, Model

NAME = "mjcf"

FRAGMENT = "mujocoinclude"
"""Root element of a document that other documents include; it is no model by itself."""

ROOTS = frozenset(("mujoco", FRAGMENT))
"""Root elements of MJCF; MuJoCo does not accept them in capital letters."""

MAIN = "main"
"""Name of the default class of elements that name no class."""

ONE_AXIS = frozenset(("hinge", "slide"))
"""Types of joints that turn about one axis or move along it."""

ORIENTATIONS: Mapping[str, tuple[int, str]] = MappingProxyType(
    {
        "quat": (4, "w x y z"),
        "axisangle": (4, "x y z angle"),
        "xyaxes": (6, "x-axis, y-axis"),
        "zaxis": (3, "x y z"),
        "euler": (3, "three angles"),
    }
)
"""Attributes that state an orientation: how many numbers each holds, and their names."""


SUFFIXES: tuple[str, ...] = (".mjcf",)
"""Endings of MJCF file names; .xml is not among them, because files of any format end in it."""


def matches(head: Head) -> bool:
    """Return whether a document is MJCF, judged by its root element."""
    return head.root_tag in ROOTS


class Bounds(NamedTuple):
    """Settings of MuJoCo's <compiler> that change the numbers of bodies; none in other formats.

    Attributes:
        mass: boundmass, to which smaller masses are raised [kg].
        inertia: boundinertia, to which smaller principal moments are raised [kg m^2].
        balanced: Whether balanceinertia replaces moments that violate A + B >= C by their mean.
        total: settotalmass, to which the masses of all bodies are scaled [kg]; 0 for none, NaN if
            what MuJoCo makes of the bodies depends on more than their numbers.
    """

    mass: float = 0.0
    inertia: float = 0.0
    balanced: bool = False
    total: float = 0.0

    def lift(self, mass: Floats, moments: Floats, unequal: Mask) -> tuple[Floats, Floats]:
        """Raise masses and principal moments to the bounds, and balance moments.

        Args:
            mass: (N,) masses [kg].
            moments: (N, 3) principal moments [kg m^2].
            unequal: (N,) whether the raised moments violate A + B >= C.
        """
        raised = np.maximum(moments, self.inertia)
        if self.balanced:
            raised = np.where(unequal[:, None], raised.mean(axis=1)[:, None], raised)
        return np.maximum(mass, self.mass), raised


class CompiledBodies(NamedTuple):
    """Bodies of a model as MuJoCo compiles them.

    Attributes:
        judgements: One for each body, with its compiled mass, centre of mass and inertia; all else,
            such as the verdict, is that of the numbers as written.
        note: What the compiler changed, in one line; "" where nothing.
        known: Whether all is known that the numbers depend on; if not, they are as written.
    """

    judgements: Sequence[Judgement]
    note: str = ""
    known: bool = True


_SETTINGS = ("boundmass", "boundinertia", "balanceinertia", "settotalmass")
"""Names of the fields of Bounds in MJCF."""

_UPPER = np.triu_indices(3)
"""Indices of the entries xx xy xz yy yz zz of a symmetric matrix."""

_LEAST = 1e-15
"""mjMINVAL: the least total mass [kg], and the least factor, with which MuJoCo scales masses."""


@np.errstate(all="ignore")  # of numbers near the largest float64, which overflow to infinities
def compile_bodies(model: Model, judgements: Sequence[Judgement]) -> CompiledBodies:
    """Compute masses and inertias as MuJoCo's compiler makes them of those that are written.

    Numbers that are not finite stay, and those of bodies that it refuses.

    Args:
        model: The model; settings in a URDF are those of its <mujoco>.
        judgements: One for each of its bodies.
    """
    bounds, bodies = model.bounds, model.bodies
    if bounds == Bounds() or not bodies:
        return CompiledBodies(judgements)
    urdf = model.format != NAME
    shaped = np.array([body.inertia_from == "geometry" for body in bodies], dtype=bool)
    bare = np.array([body.inertial is None for body in bodies], dtype=bool) & ~shaped
    if urdf:  # without an inertial, MuJoCo takes that of the collision shapes
        solid = [any(shape.role == "collision" for shape in body.shapes) for body in bodies]
        shaped |= bare & np.array(solid, dtype=bool)
        bare &= ~shaped
    # A body without any number has those of the bounds.
    written = np.where(bare, 0.0, [each.mass for each in judgements])
    tensors = np.where(bare[:, None], 0.0, [each.I_BBcm_Bi for each in judgements])
    finite = np.all(np.isfinite(tensors), axis=1)
    own, axes = (np.asarray(each) for each in eigensystem(np.where(finite[:, None], tensors, 0.0)))
    low, middle, high = np.maximum(own, bounds.inertia).T
    mass, moments = bounds.lift(written, own, low + middle < high)
    lifted = finite & np.any(moments != own, axis=1)
    changed, factor = lifted | ((mass != written) & ~np.isnan(mass)), np.ones(len(bodies))
    if bounds.total:
        # A URDF's bodies that no joint moves are merged into the world, whose mass is not scaled.
        below: dict[str | None, list[int]] = {}
        for index, body in enumerate(bodies):
            below.setdefault(body.parent, []).append(index)
        pending: list[str | None] = [None] if urdf else []
        still = np.zeros(len(bodies), dtype=bool)
        while pending:
            for index in below.pop(pending.pop(), ()):
                if not bodies[index].moved:
                    still[index] = True
                    pending.append(bodies[index].id)
        whole = float(mass[~still].sum())
        if shaped.any() or not isfinite(whole + bounds.total):
            note = "MuJoCo's compiler takes other masses, by shapes or bodies that have no numbers"
            return CompiledBodies(judgements, note, known=False)
        factor[~still] = max(_LEAST, bounds.total / max(_LEAST, whole))
        changed |= (factor != 1.0) & (~bare | (mass != 0))
    if not changed.any():
        return CompiledBodies(judgements)
    mass, found = mass * factor, list(judgements)
    for row in changed.nonzero()[0].tolist():
        inertial, one = bodies[row].inertial, judgements[row]
        R_BBi = np.eye(3) if inertial is None else np.array(inertial.R_BBi)
        turned = tensors[row] if inertial is None else one.I_BBcm_B
        own_axes, body_axes = (
            (R @ np.diag(moments[row]) @ R.T)[_UPPER] if lifted[row] else np.array(entries)
            for entries, R in ((tensors[row], axes[row]), (turned, R_BBi @ axes[row]))
        )
        center = (0.0, 0.0, 0.0) if inertial is None else one.p_BoBcm_B
        found[row] = one._replace(
            mass=float(mass[row]),
            p_BoBcm_B=center,
            I_BBcm_Bi=tuple((own_axes * factor[row]).tolist()),
            I_BBcm_B=tuple((body_axes * factor[row]).tolist()),
        )
    names = [name for name, value in zip(_SETTINGS, bounds, strict=True) if value]
    note = (
        f"MuJoCo's compiler changes {changed.sum()} of {len(bodies)} bodies "
        f"({', '.join(names)}): {np.nansum(written):.6g} kg written are {np.nansum(mass):.6g} kg"
    )
    return CompiledBodies(found, note)
