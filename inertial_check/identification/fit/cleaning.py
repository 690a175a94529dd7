"""Consistent bodies from an identified vector alone, whose samples are not at hand.

The nearest bodies in the metric of what is known of the vector's errors: its information matrix, or
its covariance; beside a prior, or a prior instead; and of nothing, in the metric that depends on no
frame and no unit. Bodies that information does not couple are moved one by one, as by `project`,
and those that are consistent not at all. Coupled ones are moved together.

Whether tensors look as if they were about the point that is declared for them.

A tensor about the origin has the parallel-axis term in it: along the offset c of the centre of
mass, its second moment is m |c|^2 larger than about the centre of mass. Nothing in ten numbers says
which of the two was meant, and a body read with the wrong point is often a consistent body. But
links are about as slender one way as the other, and with the wrong point every one of them is too
long along c, or too short, or no body at all. So the links of a robot are asked together.

For each link g = (k / |c|)^2, with k the radius of gyration along c of the tensor as it stands, is
compared with what it is across c: as it stands, as a tensor about the centre of mass; less 1, as
one about the origin. How slender links of robots are is known, and so each reading has a
likelihood.

The information matrix of an identified vector, from any form in which a caller passes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from inertial_check.errors import ParameterError, RowIndexError
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.samples import label_columns, list_columns, read_reals
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    ArrayLike,
    EqualByValue,
    Floats,
    Mask,
    NumpyArray,
    as_number,
    first_index,
    quiet,
    select_rows,
)
from inertial_check.inertia.consistency import Consistency, Verdict, as_theta, check
from inertial_check.inertia.parameters import InertialParameters, body_names
from inertial_check.inertia.representations import (
    ABOUTS,
    ORDERS,
    Order,
    Point,
    find_form,
    find_own_form,
    pseudo_inertia,
    refuse_asymmetric,
    reorder,
    second_moment,
    state_form,
    symmetric,
)
from inertial_check.projection.constraint import Constraint, read_constraints
from inertial_check.projection.metrics import Metric, read_prior
from inertial_check.projection.moments import find_unsound, needs_projection
from inertial_check.projection.project import project
from inertial_check.projection.quadratic import weights_of_prior
from inertial_check.projection.result import Status

SLENDER, SPREAD = 0.3, 1.0
"""Median and scale of ln(second moment along c / mean across c) over links of robot models, whose
distribution has long tails: Student's t with two degrees of freedom."""

STRAYS = 0.007
"""Density, per unit of the logarithm, of links that are like none: wrong, or not yet consistent."""

SUSPECT = 100.0
"""Odds against the declared point from which on it is doubted."""

LINKS = 3
"""Links with an offset, different from each other, below which nothing is said."""

OTHER = {"origin": "com", "com": "origin"}
IN_WORDS = {"origin": "the body origin", "com": "the centre of mass"}


class PointDeclaration(NamedTuple):
    """Evidence of the tensors for the point that they are about, and against the declared one.

    Attributes:
        about: What was declared: "origin" or "com".
        links: How many tell something: those whose centre of mass is not at the origin, and that
            are no copies of others.
        odds: For the other point and against the declared one; 1 where nothing is told.
        longer: How many of them have, as given, a radius of gyration along c that exceeds |c|: all,
            if the tensors are about the origin.
    """

    about: Point
    links: int
    odds: float
    longer: int

    @property
    def doubtful(self) -> bool:
        """Whether the declared point has to be looked at."""
        return self.odds >= SUSPECT

    def __str__(self) -> str:
        """Describe the suspected point, with the numbers."""
        other = OTHER[self.about]
        odds = f"{float(f'{self.odds:.2g}'):,.0f}" if self.odds < 1e9 else f"{self.odds:.0e}"
        if other == "origin":
            seen = f"{self.longer} of {self.links} links have one of at least that offset"
        else:
            seen = f"{self.links - self.longer} of {self.links} links have one below that offset"
        return (
            f"declared about {IN_WORDS[self.about]}, the tensors look as if they were about "
            f"{IN_WORDS[other]} (about={other!r}): by their radii of gyration along the offset of "
            f"the centre of mass, of which {seen}, the odds are {odds} : 1"
        )


def judge_declaration(theta: Floats, about: Point) -> PointDeclaration:
    """Ask the links of one robot about the point of their tensors.

    Args:
        theta: (L, 10) in order "urdf", about `about`; links with numbers that are not finite or
            without positive mass are left out.
        about: "origin" or "com".
    """
    # Second moments along c and the mean across it, over m |c|^2, of the links that differ.
    with np.errstate(all="ignore"):
        mass, c = theta[:, 0], theta[:, 1:4] / theta[:, :1]
        square = np.sum(c**2, axis=1)
        S = np.asarray(symmetric(second_moment(theta[:, 4:])))
        along = np.einsum("ni,nij,nj->n", c, S, c) / (mass * square**2)
        whole = np.trace(S, axis1=1, axis2=2) / (mass * square)
    usable = np.isfinite(theta).all(axis=1) & (mass > 0) & np.isfinite(along) & np.isfinite(whole)
    pairs = np.stack([along, (whole - along) / 2], axis=1)[usable]
    kept: list[Floats] = []
    for pair in pairs:
        if not any(np.allclose(pair, other, rtol=tolerances.SAME_LINK, atol=0.0) for other in kept):
            kept.append(pair)
    found = np.array(kept).reshape(-1, 2)
    along, across = found[:, 0], found[:, 1]
    evidence = np.logaddexp(_density(along, across, 0.0), np.log(STRAYS)) - np.logaddexp(
        _density(along, across, 1.0), np.log(STRAYS)
    )
    if about == "com":
        evidence = -evidence
    told = float(evidence.sum()) if len(evidence) >= LINKS else 0.0
    odds = float(np.exp(np.clip(told, -700.0, 700.0)))
    return PointDeclaration(about, len(evidence), odds, int(np.count_nonzero(along >= 1)))


def _density(along: Floats, across: Floats, term: float) -> Floats:
    """Logarithm of the density of ln(along), if it holds that much of a parallel-axis term."""
    own = along - term
    body = (own > 0) & (across > 0)
    own, wide = np.where(body, own, 1.0), np.where(body, across, 1.0)
    z = (np.log(own / wide) - SLENDER) / SPREAD
    density = -1.5 * np.log1p(z**2 / 2) - np.log(2 * np.sqrt(2.0) * SPREAD)
    return np.where(body, density + np.log(np.where(body, along, 1.0) / own), -np.inf)


def own_columns(body: int) -> slice:
    """The columns of the ten parameters of a body."""
    return slice(10 * body, 10 * body + 10)


def read_information(
    information: ArrayLike | None, covariance: ArrayLike | None, count: int, order: Order
) -> Floats | None:
    """Read W (10 L, 10 L) in order "urdf"; None where neither is given.

    Raises:
        ParameterError: Both are given, or one that is none.
    """
    if information is not None and covariance is not None:
        raise ParameterError("information and covariance are inverses: give one of them")
    if covariance is not None:
        matrix = _read_matrix("covariance", covariance, count)
    elif information is not None:
        matrix = _read_matrix("information", information, count)
    else:
        return None
    places = np.argsort(label_columns(count, order))
    matrix = matrix[np.ix_(places, places)]
    if covariance is not None:
        # The information matrix of a covariance.
        sizes = np.sqrt(np.diag(matrix))
        unit = matrix / (sizes[:, None] * sizes)
        try:
            np.linalg.cholesky(unit)
        except np.linalg.LinAlgError:
            raise ParameterError(
                "covariance is not positive definite: with its diagonal scaled to 1 the least "
                f"eigenvalue is {_least_eigenvalue(matrix):.3g}; give information, which may be "
                "singular beside a prior"
            ) from None
        if np.count_nonzero(unit) == len(unit):
            return np.diag(1 / np.diag(matrix))
        return np.asarray(np.linalg.inv(unit) / (sizes[:, None] * sizes))
    least = _least_eigenvalue(matrix)
    if least < -tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np):
        raise ParameterError(
            "information is not positive semidefinite: with its diagonal scaled to 1 the least "
            f"eigenvalue is {least:.3g}, expected 0 or more"
        )
    return matrix


def _least_eigenvalue(matrix: Floats) -> float:
    """Of a matrix (n, n) with its diagonal scaled to 1."""
    sizes = np.sqrt(np.diag(matrix))
    sizes = np.where(sizes > 0, sizes, 1.0)
    return float(np.linalg.eigvalsh(matrix / (sizes[:, None] * sizes))[0])


def _read_matrix(name: str, value: ArrayLike, count: int) -> Floats:
    """Read a symmetric matrix (10 L, 10 L) with a non-negative diagonal, from any of its forms.

    Raises:
        ParameterError: It is none; names the entry.
    """
    array = read_reals(name, value)
    whole = 10 * count
    if array.shape == (count, 10, 10):
        matrix = np.zeros((whole, whole))
        for i in range(count):
            matrix[own_columns(i), own_columns(i)] = array[i]
    elif array.shape in ((whole,), (count, 10)):
        matrix = np.diag(array.ravel())
    elif array.shape == (whole, whole):
        matrix = array
    else:
        raise ParameterError(
            f"{name} has shape {array.shape}, expected ({whole}, {whole}) of all bodies, "
            f"({count}, 10, 10) of each, or ({whole},) or ({count}, 10) diagonal"
        )
    index = first_index(np, ~np.isfinite(matrix))
    if index is not None:
        raise ParameterError(f"{name}{list(index)} is {matrix[index]}, expected finite numbers")
    refuse_asymmetric(np, name, matrix)
    matrix = (matrix + matrix.T) / 2
    diagonal = np.diag(matrix)
    index = first_index(np, diagonal < 0)
    if index is None and name == "covariance":
        index = first_index(np, diagonal == 0)
    if index is not None:
        wanted = "0 or more" if name == "information" else "above 0; fix entries by FixedEntries"
        place = [index[0], index[0]]
        value = float(diagonal[index])
        raise ParameterError(f"{name}{place} is {value!r}, expected {wanted}")
    return np.asarray(matrix)


METRICS = {
    "inertia": "nothing is said of the errors: masses and centres of mass stay, and each inertia "
    "about them moves as little as it can",
    "prior": "each body moves as little as it can in units of its prior",
    "weighted": "the bodies move as little as they can by the information that is given of them",
}
"""Metrics of the move from the given vector to consistent bodies: what each minimises."""

UNCERTIFIED = "uncertified"
"""Status of a body whose numbers are ill-posed: rounding hides whether a body can have them."""


_ROW_FIELDS = (
    *("given", "theta", "status", "together", "distance"),
    *("primal_residual", "dual_residual", "gap"),
)
"""Fields of a Cleaned that have a row for each body."""


@dataclass(frozen=True, eq=False, repr=False)
class Cleaned(EqualByValue):
    """A vector as consistent bodies, with what was changed.

    Attributes:
        bodies: Names of the L bodies.
        order: The caller's order of the last six entries.
        about: The caller's point, "origin" or "com".
        metric: What was least, a name of METRICS.
        given: (L, 10) the vector, in the caller's order and about his point.
        theta: (L, 10) the bodies, in the same.
        status: (L,) feasible, projected, mass-floored or no-nearest; uncertified where the numbers
            are ill-posed, so that rounding hides whether a body can have them.
        together: (L,) which bodies moved together with others, because information couples them.
        distance: (L,) length of each body's change in the metric; NaN without a nearest.
        total_distance: Of all together.
        primal_residual: (L,) by how much a body leaves the feasible set, dimensionless.
        dual_residual: (L,) by how much it is not proven that nothing is nearer.
        gap: (L,) the same along the result; one number for bodies that moved together.
        declaration: What the tensors say of the point that was declared.
    """

    bodies: tuple[str, ...]
    order: Order
    about: Point
    metric: str
    given: Floats
    theta: Floats
    status: NumpyArray
    together: Mask
    distance: Floats
    total_distance: float
    primal_residual: Floats
    dual_residual: Floats
    gap: Floats
    declaration: PointDeclaration

    def __repr__(self) -> str:
        """Counts of the statuses."""
        words, counts = np.unique(self.status, return_counts=True)
        found = ", ".join(f"{count} {word}" for word, count in zip(words, counts, strict=True))
        return f"Cleaned({found}; metric={self.metric!r})"

    def __len__(self) -> int:
        """How many bodies there are."""
        return len(self.bodies)

    def __getitem__(self, index: object) -> Cleaned:
        """The same for some of the bodies: an index, a slice, a mask, a list, or a name.

        `total_distance` is that of these bodies; `declaration` stays what all tensors say together.

        Raises:
            RowIndexError: There are no such bodies.
        """
        if isinstance(index, str):
            if index not in self.bodies:
                raise RowIndexError(f"no body is called {index!r}: {', '.join(self.bodies)}")
            index = self.bodies.index(index)
        rows = np.atleast_1d(select_rows(np.arange(len(self)), index, 0))
        distance = self.distance[rows]
        parts = {name: getattr(self, name)[rows] for name in _ROW_FIELDS}
        return replace(
            self,
            bodies=tuple(self.bodies[row] for row in rows),
            total_distance=float(np.sqrt(np.nansum(distance**2))),
            **parts,
        )

    def __iter__(self) -> Iterator[Cleaned]:
        """One body after another."""
        return (self[row] for row in range(len(self)))

    @cached_property
    def parameters(self) -> InertialParameters:
        """The bodies as InertialParameters."""
        return InertialParameters.from_theta(self.theta, order=self.order, about=self.about)

    @cached_property
    def before(self) -> Consistency:
        """Consistency of the vector that was given."""
        return check(self.given, order=self.order, about=self.about)

    @cached_property
    def consistency(self) -> Consistency:
        """Consistency of the cleaned bodies."""
        return check(self.theta, order=self.order, about=self.about)

    @cached_property
    def changed(self) -> Mask:
        """(L,) whether any number of a body differs from what was given."""
        same = (self.theta == self.given) | (np.isnan(self.theta) & np.isnan(self.given))
        return np.asarray(~same.all(axis=1))

    @cached_property
    @quiet
    def relative_change(self) -> Floats:
        """(L,) relative Frobenius change of the principal moments about the centre of mass."""
        before, after = self.before.principal_moments, self.consistency.principal_moments
        size = np.linalg.norm(before, axis=1)
        change = np.linalg.norm(after - before, axis=1)
        return np.where(self.changed, change / np.where(size > 0, size, 1.0), 0.0)

    @property
    def suspicions(self) -> tuple[str, ...]:
        """Doubts of the declared point, in words."""
        return (str(self.declaration),) if self.declaration.doubtful else ()

    @property
    def _base_parameters(self) -> tuple[str, ...]:
        """A remark on bodies without mass that have other numbers, as base parameters have them."""
        regrouped = (self.given[:, 0] == 0) & np.any(self.given[:, 1:] != 0, axis=1)
        if not regrouped.any():
            return ()
        names = ", ".join(name for name, one in zip(self.bodies, regrouped, strict=True) if one)
        return (
            f"no mass, but other numbers: {names}; as in a table of base parameters, whose numbers "
            "belong to several bodies: identify_from_base finds the bodies that have them",
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Doubts, what was assumed, and what became of each body that moved or could not."""
        lines = [*self.suspicions, METRICS[self.metric], *self._base_parameters]
        none, unit = Status.NO_NEAREST.word, " kg m^2" if self.metric == "inertia" else ""
        for i, name in enumerate(self.bodies):
            if self.status[i] == none:
                # Say why a body has no nearest.
                theta = self.given[i]
                if not np.isfinite(theta).all():
                    why = "a number is not finite"
                elif theta[0] <= 0:
                    why = f"its mass is {theta[0]:g}"
                else:
                    why = "the nearest inertia is zero, that of a point mass"
                lines.append(f"{name}: unchanged, there is no nearest body: {why}")
                continue
            if self.status[i] == UNCERTIFIED:
                error = float(max(self.before.tolerance[i], self.consistency.tolerance[i]))
                known = f"(margin {self.consistency.margin[i]:.3g}, known to {error:.1g})"
                lines.append(
                    f"{name}: ill-posed: its inertia is hidden by the rounding of its first moment "
                    f"{known}; give it about its centre of mass, or a prior"
                    if error > tolerances.ILL_POSED_FLOOR
                    else f"{name}: the answer is not proven, or no body {known}; a prior helps"
                )
            if self.changed[i]:
                lines.append(
                    f"{name}: {self.before.verdict[i]} (margin {self.before.margin[i]:.3g}), moved "
                    f"by {self.distance[i]:.3g}{unit}; principal moments by "
                    f"{100 * self.relative_change[i]:.3g} %"
                )
        if self.together.any():
            names = ", ".join(
                name for name, one in zip(self.bodies, self.together, strict=True) if one
            )
            lines.append(f"moved together, because information couples them: {names}")
        return tuple(lines)


@quiet  # numbers of any size
def clean(  # noqa: PLR0913 - the public signature
    theta: InertialParameters | ArrayLike,
    *,
    order: Order | None = None,
    about: Point | None = None,
    information: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    prior: InertialParameters | ArrayLike | None = None,
    regularization: float = 1.0,
    margin: float = 0.0,
    constraints: Constraint | Iterable[Constraint] = (),
    bodies: Sequence[str] | None = None,
) -> Cleaned:
    """Find the consistent bodies nearest to an identified vector.

    * With `information` W, or a `covariance` C (W = C^-1): (theta' - theta)^T W (theta' - theta)
      over all bodies. Where W couples bodies and any of those is no body, they move together;
      bodies that it does not couple move alone.
    * With a `prior` beside it, plus regularization times the squares of
      ||L^-1 (Pi' - Pi) L^-T||_F, P = L L^T the prior's pseudo-inertia; singular information needs
      one. With a prior alone, that distance.
    * With none of them: ||I' - I||_F about the centre of mass; mass and centre of mass stay.

    Bodies that are consistent, and that information does not couple to one that is not, come back
    bit for bit.

    Args:
        theta: (L, 10) or (10 L,) [m, hx, hy, hz, six of the inertia] of each body in kg, kg m,
            kg m^2 and its own axes; or InertialParameters, whose own point then holds.
        order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl. Must be said.
        about: Point about which they are taken: "origin" or "com". Must be said.
        information: (10 L, 10 L) of all, (L, 10, 10) of each, or (10 L,) or (L, 10) diagonal; on
            theta as it is given, about the origin.
        covariance: The same, of the errors.
        prior: InertialParameters or (L, 10), in the same order and about the same point.
        regularization: Weight of the prior beside information.
        margin: Least margin of the bodies, 0 to 1/3.
        constraints: Of inertial_check.projection.constraints; `bodies` in them are indices.
        bodies: L names, for the remarks.

    Returns:
        The bodies, what moved and how far, and doubts of the declared point. A body that has no
        nearest (a number that is not finite; without information or prior, no positive mass, or a
        nearest inertia of zero) comes back unchanged with status no-nearest.

    Raises:
        ParameterError: Order or point not said or unknown, shapes that do not fit; information
            about the centre of mass, where the pseudo-inertia is not linear; information that is
            singular without a prior, or not positive semidefinite.
        ProjectionError: No answer could be certified, or the constraints exclude each other.

    Example:
        >>> broken = [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08]
        >>> found = ic.clean([broken], order="urdf", about="origin")
        >>> print(found)
        Cleaned(1 projected; metric='inertia')
        >>> print(ic.check(found.parameters).verdict)
        ['boundary']
    """
    own = find_own_form(theta)
    if order is None:
        order = own[0] or ("urdf" if isinstance(theta, InertialParameters) else None)
    about = own[1] if about is None else about
    for name, value, choices in (("order", order, tuple(ORDERS)), ("about", about, ABOUTS)):
        if value is None:
            raise ParameterError(
                f"{name} is not said, and it is not guessed: expected {name}=, one of "
                f"{', '.join(map(repr, choices))}"
            )
    order, about = find_form(theta, order, about)
    given, about = _read_bodies("theta", theta, order, about)
    names = body_names(bodies, len(given))
    W = read_information(information, covariance, len(given), order)
    if W is not None and about == "com":
        raise ParameterError(
            "information about the centre of mass: the pseudo-inertia is not linear in such a "
            "theta; give both about the origin, where identification has them"
        )
    if not 0 < as_number(regularization) < np.inf:
        raise ParameterError(f"regularization is {regularization!r}; it is a positive number")
    known = None if prior is None else _read_prior(prior, order, about, len(given))
    request = _CleaningRequest(
        given, about, W, known, float(regularization), margin, read_constraints(constraints)
    )
    moved = _move_bodies(request)
    # Call bodies uncertified whose numbers do not say whether they are one, given or returned, and
    # those that the solver moved to no body.
    status = np.asarray(moved.status, dtype=object)
    judged = Consistency(moved.theta, about)
    doubted = np.asarray(find_unsound(judged, margin)) & (status == Status.PROJECTED.word)
    doubted |= np.asarray(judged.verdict_code) == int(Verdict.ILL_POSED)
    doubted |= np.asarray(Consistency(given, about).verdict_code) == int(Verdict.ILL_POSED)
    status = np.where(doubted & (status != Status.NO_NEAREST.word), UNCERTIFIED, status)
    before, after = (
        state_form(reorder(each, "urdf", order), order, about) for each in (given, moved.theta)
    )
    before.flags.writeable = after.flags.writeable = False
    return Cleaned(
        names,
        order,
        about,
        request.metric,
        before,
        after,
        status,
        moved.together,
        moved.distance,
        moved.total,
        moved.residuals[:, 0],
        moved.residuals[:, 1],
        moved.residuals[:, 2],
        judge_declaration(given, about),
    )


@dataclass(frozen=True, eq=False)
class _CleaningRequest:
    """Request to clean bodies, in order "urdf".

    Attributes: theta (L, 10); its point; W (10 L, 10 L); prior (L, 10) about the same point;
        weight of the prior beside W; margin; constraints.
    """

    theta: Floats
    about: Point
    W: Floats | None
    prior: Floats | None
    regularization: float
    margin: float
    constraints: tuple[Constraint, ...]

    @property
    def metric(self) -> Metric:
        """Metric of the distance that is minimised."""
        if self.W is not None:
            return "weighted"
        return "inertia" if self.prior is None else "prior"

    @cached_property
    def M(self) -> Floats:
        """(10 L, 10 L) the metric of information, with the prior's beside it."""
        assert self.W is not None
        M = np.array(self.W)
        if self.prior is not None:
            for i, own in enumerate(weights_of_prior(np.asarray(pseudo_inertia(self.prior)))):
                M[own_columns(i), own_columns(i)] += self.regularization * own
        return M

    def groups(self) -> list[list[int]]:
        """Bodies that are to be looked at together."""
        count = len(self.theta)
        if self.W is None:
            return [[i] for i in range(count)]
        ties = np.asarray(np.any(self.W.reshape(count, 10, count, 10), axis=(1, 3)))
        groups: list[list[int]] = []
        for i in range(count):
            tied = [group for group in groups if ties[i, group].any()]
            groups = [group for group in groups if group not in tied]
            groups.append(sorted([i, *(other for group in tied for other in group)]))
        if self.constraints and len(groups) < count:  # constraints can tie any of them
            return [list(range(count))]
        return groups

    def part(self, rows: list[int]) -> _CleaningRequest:
        """The same of some of the bodies."""
        places = list_columns(rows)
        W = None if self.W is None else self.W[np.ix_(places, places)]
        prior = None if self.prior is None else self.prior[rows]
        return replace(self, theta=self.theta[rows], W=W, prior=prior)


class _Cleaning(NamedTuple):
    """Cleaned bodies, in order "urdf".

    Attributes: theta (L, 10); status (L,); which moved with others (L,); distance (L,); that of all
        together; residuals (L, 3): primal, dual, gap.
    """

    theta: Floats
    status: NumpyArray
    together: Mask
    distance: Floats
    total: float
    residuals: Floats


def _move_bodies(request: _CleaningRequest) -> _Cleaning:
    """Find the nearest bodies, group by group."""
    groups = request.groups()
    single = [group[0] for group in groups if len(group) == 1]
    parts = [(group, _together(request.part(group))) for group in groups if len(group) > 1]
    if single:
        parts.append((single, _one_by_one(request.part(single))))
    back = np.argsort(np.concatenate([group for group, _ in parts]))
    names = ("theta", "status", "together", "distance", "residuals")
    whole = {
        name: np.concatenate([getattr(part, name) for _, part in parts])[back] for name in names
    }
    return _Cleaning(**whole, total=float(np.linalg.norm([part.total for _, part in parts])))


def _one_by_one(request: _CleaningRequest) -> _Cleaning:
    """Each body by itself, but for constraints that tie them."""
    count = len(request.theta)
    weights = None
    if request.W is not None:
        weights = np.array([request.W[own_columns(i), own_columns(i)] for i in range(count)])
    found = project(
        request.theta,
        request.metric,
        about=request.about,
        weights=weights,
        prior=request.prior,
        constraints=request.constraints,
        margin=request.margin,
        regularization=request.regularization,
    )
    residuals = np.stack([found.primal_residual, found.dual_residual, found.gap], axis=1)
    distance = np.asarray(found.distance)
    total = float(np.sqrt(np.nansum(distance**2)))
    alone = np.zeros(count, dtype=bool)
    return _Cleaning(
        np.asarray(found.theta), np.asarray(found.status), alone, distance, total, residuals
    )


def _together(request: _CleaningRequest) -> _Cleaning:
    """Bodies that information couples: none moves, or all.

    Raises:
        ParameterError: A number that is not finite, or information that leaves something free.
    """
    count = len(request.theta)
    index = first_index(np, ~np.isfinite(request.theta))
    if index is not None:
        raise ParameterError(
            f"theta{list(index)} is {request.theta[index]}, and information couples its body to "
            "others: without it none of them has a nearest"
        )
    judged = Consistency(request.theta, "origin")
    nobody = judged.verdict_code == int(Verdict.INVALID)
    if not request.constraints and not np.any(needs_projection(judged, request.margin) | nobody):
        return _Cleaning(
            request.theta,
            np.full(count, Status.FEASIBLE.word, dtype=object),
            np.zeros(count, dtype=bool),
            np.zeros(count),
            0.0,
            np.zeros((count, 3)),
        )
    rows = _root(request.M)
    found = identify(
        rows,
        rows @ request.theta.ravel(),
        request.prior,
        weights=1.0,
        regularization=0.0,
        constraints=request.constraints,
        margin=request.margin,
    )
    change = found.theta - request.theta
    own = [float(d @ request.M[own_columns(i), own_columns(i)] @ d) for i, d in enumerate(change)]
    total = float(np.linalg.norm(rows @ change.ravel()))
    proof = [found.primal_residual, found.dual_residual, found.gap]
    status = Status.PROJECTED if found.status == "certified" else Status.UNCERTIFIED
    return _Cleaning(
        found.theta,
        np.full(count, status.word, dtype=object),
        np.ones(count, dtype=bool),
        np.sqrt(np.maximum(own, 0.0)),
        total,
        np.tile(proof, (count, 1)),
    )


def _root(M: Floats) -> Floats:
    """A with A^T A = M.

    Raises:
        ParameterError: M is singular.
    """
    sizes = np.sqrt(np.diag(M))
    unit = M / np.where(sizes > 0, sizes, 1.0)[:, None] / np.where(sizes > 0, sizes, 1.0)
    try:
        rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np)
        np.linalg.cholesky(unit - rounding * np.eye(len(M)))
        return np.asarray(np.linalg.cholesky(unit).T * sizes)
    except np.linalg.LinAlgError:
        raise ParameterError(
            "information is singular: it leaves some change of the parameters without a price, as "
            "that of torques alone always does; give a prior beside it, whose own distance is then "
            "added"
        ) from None


def _read_bodies(
    name: str, theta: InertialParameters | ArrayLike, order: Order, about: Point
) -> tuple[Floats, Point]:
    """Read bodies (L, 10) in order "urdf", and their point.

    Raises:
        ParameterError: Another shape, an unknown order or point.
    """
    if not isinstance(theta, InertialParameters):
        theta = read_reals(name, theta)
        if theta.ndim == 1 and theta.size and theta.size % 10 == 0:
            theta = theta.reshape(-1, 10)
        if theta.ndim != 2 or theta.shape[1] != 10 or not theta.size:
            raise ParameterError(f"{name} has shape {theta.shape}, expected (L, 10) or (10 L,)")
    canonical, about = as_theta(theta, order, about)
    return np.array(canonical, dtype=np.float64).reshape(-1, 10), about


def _read_prior(
    prior: InertialParameters | ArrayLike, order: Order, about: Point, count: int
) -> Floats:
    """Read the prior (L, 10) in order "urdf", about `about`.

    Raises:
        ParameterError: Another number of bodies, or one that is not strictly consistent.
    """
    if find_own_form(prior)[0]:
        prior = InertialParameters.from_theta(cast("ArrayLike", prior))
    if isinstance(prior, InertialParameters):
        prior, order = np.asarray(prior.as_theta(order="urdf", about=about)), "urdf"
    known, _ = _read_bodies("prior", prior, order, about)
    if len(known) != count:
        raise ParameterError(f"prior is of {len(known)} bodies, expected {count}")
    read_prior(known, "urdf", about, (count,))  # the bodies are fitted together: one spoils all
    return known
