"""Solution of a filling: densities that meet the known sums, as bodies with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.filling.densities.cells import Cells, build_problem
from inertial_check.filling.densities.deviations import use_deviations
from inertial_check.filling.densities.equations import CenterSum, MassSum, Unknowns, list_sums
from inertial_check.filling.densities.nominal import find_nominal
from inertial_check.filling.densities.problem import Densities, InfeasibleSumsError, solve
from inertial_check.filling.intervals import BodyInterval, find_intervals
from inertial_check.filling.known import Knowledge
from inertial_check.inertia import tolerances
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.solvers.certificate import Certificate


class Solution(NamedTuple):
    """Numbers of the bodies with a shape.

    Attributes:
        parameters: By index of the body.
        intervals: By index.
        densities: Mean densities by index [kg/m^3].
        certificate: Of the densities.
        usual: Source of the nominal densities that nothing states.
        dropped: What was assumed of twins, and given sums exclude.
        remarks: What another model gives, and sums that are met within their deviations.
    """

    parameters: Mapping[int, InertialParameters]
    intervals: Mapping[int, BodyInterval]
    densities: Mapping[int, float]
    certificate: Certificate
    usual: str
    dropped: tuple[str, ...]
    remarks: tuple[str, ...]


def solve_unknowns(unknowns: Unknowns, known: Knowledge, solver: str | None) -> Solution:
    """Solve for the densities of all bodies.

    Args:
        unknowns: The bodies.
        known: What is known.
        solver: None for Newton's method, or a solver of cvxpy.

    Raises:
        ParameterError: Sums that exclude each other (InfeasibleSumsError), or a mesh in
            millimetres.
        ProjectionError: The answer cannot be certified.
    """
    sums, centers = list_sums(unknowns, known)
    _refuse_millimetres(unknowns, known, sums)
    cells, answer, met, usual, dropped = _solve_sums(unknowns, known, solver, sums, centers)
    stated = {each.name: each for each in sums}
    sums = [stated[each.name] for each in met]
    moves = [(each.name, each.wanted - stated[each.name].wanted) for each in met]
    theta = np.zeros((len(unknowns.pieces), 10))
    np.add.at(theta, cells.body, answer.rho[:, None] * cells.moments)
    parameters = {index: _about_com(theta[at]) for at, index in enumerate(unknowns.indices)}
    intervals = _find_intervals(unknowns, known, sums, centers, theta)
    densities = {
        index: float(theta[at, 0]) / unknowns.pieces[at].volume
        for at, index in enumerate(unknowns.indices)
    }
    return Solution(
        parameters,
        intervals,
        densities,
        answer.certificate,
        usual,
        dropped,
        (unknowns.prior_note, *_describe_moves(moves)),
    )


def _refuse_millimetres(unknowns: Unknowns, known: Knowledge, sums: Sequence[MassSum]) -> None:
    """Refuse meshes in which a known mass has a density that only millimetres explain.

    Raises:
        ParameterError: There is such a sum.
    """
    low, high = known.density_range
    for each in sums:
        own = [unknowns.pieces[at] for at in each.coefficients]
        uris = [shape.uri for one in own for shape in one.body.shapes if shape.uri]
        density = each.wanted / sum(one.volume for one in own)
        if uris and 0 < density < low <= 1e9 * density <= high:
            raise ParameterError(
                f"{each.name} in the shapes is {density:.2g} kg/m^3, so {uris[0]} is in "
                "millimetres: give it the scale 0.001 0.001 0.001"
            )


def _solve_sums(
    unknowns: Unknowns,
    known: Knowledge,
    solver: str | None,
    sums: list[MassSum],
    centers: Sequence[CenterSum],
) -> tuple[Cells, Densities, list[MassSum], str, tuple[str, ...]]:
    """The densities, without what is assumed of twins where the given sums exclude it.

    Returns:
        The cells, their densities, the sums that are met, the source of the nominal densities,
        and the names of the sums that are not met.

    Raises:
        InfeasibleSumsError: The given sums exclude each other.
        ProjectionError: The answer cannot be certified.
    """
    dropped: list[str] = []
    moving = False
    while True:
        nominal, usual = find_nominal(unknowns, known, sums)
        cells = build_problem(unknowns, known, sums, centers, nominal)
        assumed = {each.name for each in sums if each.assumed}
        try:
            answer = solve(cells.problem, solver)
            if answer.certified:
                return cells, answer, sums, usual, tuple(dropped)
            worst = float(answer.certificate.worst)
            error: ParameterError | ProjectionError = ProjectionError(
                f"the densities are not certified: their residual is {worst:.2g}"
            )
            excluded = assumed
        except InfeasibleSumsError as conflict:
            error, excluded = conflict, assumed.intersection(conflict.conflict)
        except ProjectionError as failure:  # printed masses contradict each other by rounding
            error, excluded = failure, assumed
        if not moving:  # what is assumed of twins stays where deviations are enough
            moving = True
            volumes = np.array([own.volume for own in unknowns.pieces])
            low, high = (volumes * density for density in known.density_range)
            if (moved := use_deviations(sums, low, high)) is not None:
                sums = moved
                continue
        if not excluded:
            raise error
        out = [each for each in sums if each.assumed and each.name in excluded]
        dropped += [each.name for each in out]
        sums = [each for each in sums if each not in out]


def _find_intervals(
    unknowns: Unknowns,
    known: Knowledge,
    sums: Sequence[MassSum],
    centers: Sequence[CenterSum],
    theta: Floats,
) -> dict[int, BodyInterval]:
    found = find_intervals(
        unknowns.shapes or unknowns.pieces,
        sums,
        np.tile(np.array(known.density_range), (len(unknowns.pieces), 1)),
        theta,
        centers,
    )
    return dict(zip(unknowns.indices, found, strict=True))


def _describe_moves(moves: Sequence[tuple[str, float]]) -> Iterator[str]:
    """Lines about sums that are met beside the stated ones."""
    for name, move in moves:
        if move:
            yield (
                f"{name} is met {abs(move):.3g} kg {'above' if move > 0 else 'below'}, within its "
                "deviation: the other sums exclude it as stated"
            )


def _about_com(theta: Floats) -> InertialParameters:
    """One body about its centre of mass, from its parameters about the origin."""
    body = InertialParameters.from_theta(theta)
    mass, com, inertia = (np.asarray(x) for x in (body.mass, body.com, body.inertia_com))
    size = np.sqrt(np.trace(inertia) / mass) + np.linalg.norm(com)
    com = np.where(np.abs(com) <= tolerances.CANCELLED * size, 0.0, com)
    cancelled = np.abs(inertia) <= tolerances.CANCELLED * np.trace(inertia)
    inertia = np.where(cancelled & ~np.eye(3, dtype=bool), 0.0, inertia)
    return InertialParameters.from_com(mass, com, inertia)
