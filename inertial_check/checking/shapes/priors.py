"""Priors for the bodies of a model: from another model, or from the geometry of their shapes.

Both match bodies by name and give InertialParameters in the bodies' own frames, in the order of the
names. `projection.priors` moves them strictly inside the cone of consistent parameters, where a
projection needs its prior.

The examples of this module continue this session:

>>> from inertial_check.checking.shapes import priors
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.checking.shapes.evidence import (
    ROLES,
    Fill,
    GeometryReader,
    Reading,
    ShapeUse,
    UniformBody,
    check_choices,
)
from inertial_check.documents.context import Context, Packages, as_context
from inertial_check.documents.load import load
from inertial_check.documents.model import Body, Model, Role, judge
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, expect
from inertial_check.inertia.arrays import ArrayLike, Floats, real_arrays
from inertial_check.inertia.consistency import Verdict
from inertial_check.inertia.parameters import InertialParameters

__all__ = [
    "BodyPrior",
    "GeometryPriors",
    "ModelOrPath",
    "from_geometry",
    "from_model",
]

ModelOrPath = Model | str | os.PathLike[str] | bytes

_STATED = frozenset(verdict.word for verdict in Verdict if verdict <= Verdict.ILL_POSED)
"""Verdicts that a body can have whose file states its numbers, the mass among them."""


class BodyPrior(NamedTuple):
    """Record of the shapes behind the prior of one body.

    Attributes:
        name: Name of the body.
        role: Role of the shapes that were used, "collision" or "visual".
        mass: Mass of the prior [kg].
        size: Volume [m^3], or area [m^2] of shells; where shapes overlap it counts twice.
        shapes: Record of every shape that was looked at.
    """

    name: str
    role: Role | None
    mass: float
    size: float
    shapes: tuple[ShapeUse, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """One line for each shape that was skipped, or not taken for the first reading allowed."""
        return tuple(
            f"{self.name}: {use.shape.role} {use.shape.kind or 'shape'} "
            f"{'skipped' if use.reading is None else f'taken as {use.reading}'}: {use.reason}"
            for use in self.shapes
            if use.reason is not None
        )


class GeometryPriors(NamedTuple):
    """Priors of bodies made from their shapes.

    Attributes:
        parameters: (n,) bodies, about their centres of mass.
        bodies: Record of the shapes behind each prior.
    """

    parameters: InertialParameters
    bodies: tuple[BodyPrior, ...]


def from_model(model_or_path: ModelOrPath, names: Sequence[str]) -> InertialParameters:
    """Take the bodies of another model, by name, as it states them.

    Args:
        model_or_path: The other model.
        names: Names of the bodies; where a name repeats, their ids.

    Returns:
        (n,) bodies about their centres of mass, in the axes of their own frames. Nothing is
        repaired: a body that is inconsistent in that model is inconsistent here.

    Raises:
        ParameterError: A name that the model does not have (naming the nearest it has), or has more
            than once; a body whose inertial is missing, invalid, massless or not of the file.
        DocumentError: The model cannot be read.

    Example:
        >>> print(priors.from_model("data/valid/arm.urdf", ["forearm", "wrist_2"]).mass)
        [1.35 0.42]
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", names=names)
    model = _load(model_or_path)
    judgements = judge(model)
    found = [judgements[index] for index in indices_of(model, names)]
    for name, judgement in zip(names, found, strict=True):
        if judgement.verdict not in _STATED:
            raise ParameterError(
                f"{model.source.path}: body {name!r} is {judgement.verdict}, so it cannot be a "
                "prior: take its geometry, or another model"
            )
    return InertialParameters.from_com(
        np.array([judgement.mass for judgement in found]),
        np.array([judgement.p_BoBcm_B for judgement in found]).reshape(-1, 3),
        np.array([judgement.I_BBcm_B for judgement in found]).reshape(-1, 6),
    )


def from_geometry(  # noqa: PLR0913 - each argument decides one thing that the shapes leave open
    model_or_path: ModelOrPath,
    names: Sequence[str],
    *,
    mass: ArrayLike | None = None,
    density: ArrayLike | None = None,
    fill: Fill = "solid",
    roles: Sequence[Role] = ROLES,
    meshes: Sequence[Reading] = ("solid",),
    packages: Packages | Context | None = None,
) -> GeometryPriors:
    """Spread the mass of each body of a model evenly over its shapes.

    The shapes of the first role with a usable one are taken. Where shapes overlap, they count
    twice. No mesh is repaired unless `meshes` allows it: a mesh without an inside is skipped, and
    the record says so.

    Args:
        model_or_path: The model. Meshes are found from its path.
        names: Names of the bodies; where a name repeats, their ids.
        mass: (n,) masses, or one for all [kg]; None for the masses that the model states.
        density: (n,) densities, or one for all [kg/m^3], with fill "shell" [kg/m^2]; instead of the
            mass.
        fill: "solid" for solid bodies, "shell" for shells of one thickness.
        roles: "collision" and "visual", best first.
        meshes: Readings allowed for the meshes of solid bodies, best first: "solid", if it is
            closed and faces outwards; "flipped", if it is closed and faces inwards; "hull", its
            convex hull.
        packages: Folders by package name, for package:// and model://; or a context, which also
            says which files may be used.

    Returns:
        The priors, and the record of the shapes behind each.

    Raises:
        ParameterError: A name as for from_model; a body without a usable shape (with the reason of
            each), or without a positive mass where the model's is to be taken; a mass or density
            that is not positive, or both.
        UsageError: An unknown fill, role or reading.
        DocumentError: The model cannot be read.

    Example:
        >>> ball = b'<geometry><sphere radius="0.1"/></geometry>'
        >>> robot = b'<robot name="r"><link name="b"><collision>%s</collision></link></robot>'
        >>> found = priors.from_geometry(robot % ball, ["b"], mass=[5.0])
        >>> print(found.parameters.principal_moments().round(9))  # 2/5 m r^2
        [[0.02 0.02 0.02]]
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", names=names, roles=roles, meshes=meshes)
    expect("text", fill=fill)
    expect("mapping", Context, "nothing", packages=packages)
    for folder in packages.values() if isinstance(packages, Mapping) else ():
        expect("path", packages=folder)
    roles, meshes = tuple(roles), tuple(meshes)
    check_choices("roles", roles, ROLES)
    if mass is not None and density is not None:
        raise ParameterError("both of mass and density given: give one of them")
    model = _load(model_or_path)
    reader = GeometryReader(model, fill, meshes, as_context(packages))
    bodies = [model.bodies[index] for index in indices_of(model, names)]
    geometries = [reader.body(body, roles) for body in bodies]
    units = [_unit(body, geometry) for body, geometry in zip(bodies, geometries, strict=True)]
    sizes = np.array([geometry.size for geometry in geometries])
    if density is not None:
        masses = sizes * _positive("density", density, len(bodies))
    elif mass is not None:
        masses = _positive("mass", mass, len(bodies))
    else:
        masses = np.array([_stated_mass(body) for body in bodies])
    theta = np.reshape([unit.as_theta(about="com") for unit in units], (-1, 10))
    parameters = InertialParameters.from_theta(theta * (masses / sizes)[:, None], about="com")
    records = [
        BodyPrior(body.name, geometry.role, float(kilograms), geometry.size, geometry.shapes)
        for body, geometry, kilograms in zip(bodies, geometries, masses, strict=True)
    ]
    return GeometryPriors(parameters, tuple(records))


def _load(model_or_path: ModelOrPath) -> Model:
    return model_or_path if isinstance(model_or_path, Model) else load(model_or_path)


def indices_of(model: Model, names: Sequence[str]) -> list[int]:
    """Find the indices of the bodies with these names or ids in a model.

    Raises:
        ParameterError: A name that the model does not have (naming the nearest it has), or has more
            than once.
    """
    expect(Model, model=model)
    expect("texts", names=names)
    if isinstance(names, str):
        raise ParameterError(f"names is {names!r}, expected a list of names: [{names!r}]")
    places: dict[str, list[int]] = {}
    for index, body in enumerate(model.bodies):
        for name in {body.name, body.id}:
            places.setdefault(name, []).append(index)
    missing = [name for name in names if name not in places]
    if missing:
        raise ParameterError(
            f"{model.source.path}: {'; '.join(map(_missing_message(places), missing))}"
        )
    for name in names:
        if len(places[name]) > 1:
            ids = ", ".join(model.bodies[index].id for index in places[name])
            raise ParameterError(
                f"{model.source.path}: {len(places[name])} bodies have the name {name!r}: name one "
                f"by its id, {ids}"
            )
    return [places[name][0] for name in names]


def _missing_message(places: dict[str, list[int]]) -> Callable[[str], str]:
    known = [name for name in places if not name.startswith("/")]

    def describe(name: str) -> str:
        return f"no body {name!r}{suggest_name(name, known, f': {_list_names(known)}')}"

    return describe


def _list_names(known: list[str], most: int = 10) -> str:
    if not known:
        return "the model has no bodies"
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"the model has {', '.join(map(repr, known[:most]))}{more}"


def _unit(body: Body, geometry: UniformBody) -> InertialParameters:
    """Give the body of unit density.

    Raises:
        ParameterError: No shape of the body could be used; gives the reason of each.
    """
    if geometry.unit is not None:
        return geometry.unit
    reasons = "; ".join(
        f"{use.shape.role} {use.shape.kind or 'shape'}: {use.reason}" for use in geometry.shapes
    )
    raise ParameterError(
        f"body {body.name!r} has no shape that could be its prior ({reasons or 'none at all'}): "
        "allow other roles or readings of its meshes, or take another model"
    )


def _stated_mass(body: Body) -> float:
    inertial = None if body.inertia_from == "default" else body.inertial
    mass = None if inertial is None else inertial.mass
    if inertial is None or mass is None or not 0 < mass.value < np.inf:
        stated = "no mass" if mass is None else f"the mass {mass.text}"
        raise ParameterError(
            f"body {body.name!r} states {stated}: give a positive mass, or a density"
        )
    return mass.value * inertial.kilograms_per_unit


def _positive(name: str, value: ArrayLike, count: int) -> Floats:
    """Broadcast one positive number, or as many as there are bodies, to shape (count,)."""
    _, (array,) = real_arrays(**{name: value})
    numbers = np.asarray(array, dtype=float)
    if numbers.shape not in {(), (count,)}:
        raise ParameterError(f"{name} has shape {numbers.shape}, expected () or ({count},)")
    numbers = np.broadcast_to(numbers, (count,))
    bad = np.flatnonzero(~((numbers > 0) & np.isfinite(numbers)))
    if bad.size:
        raise ParameterError(
            f"{name} of body {bad[0]} is {float(numbers[bad[0]])!r}, expected a positive number"
        )
    return numbers
