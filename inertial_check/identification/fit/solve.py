"""Options of an identification: metric, loss, weight of the prior, constraints and solver.

The priors of an identification: strictly inside the cone, and what it took to get there.

The joint problem under further constraints, or by a conic solver of the caller's choice.

Joint fit of all bodies to reduced samples, for given weights of the joints and the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit import problem as interior_point
from inertial_check.identification.fit import problem as regularisers
from inertial_check.identification.fit.base import base_parameters
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.problem import Answer, Problem
from inertial_check.identification.fit.samples import Reduction
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats, as_number, read_floats
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters, read_about_origin
from inertial_check.inertia.representations import Order
from inertial_check.inertia.tolerances import BEYOND_CERTIFIED
from inertial_check.projection.conic.cones import complementarity, distance
from inertial_check.projection.conic.problem import Applied, describe, irreducible
from inertial_check.projection.constraint import Block, Constraint, read_constraints
from inertial_check.projection.moments import read_margin
from inertial_check.projection.priors import from_body
from inertial_check.projection.svec import Certificate, pack

if TYPE_CHECKING:
    from inertial_check.projection.conic.joint import CoupledProblem


PriorMetric = Literal["prior", "entropic", "affine-invariant", "euclidean"]
"""Distance of a body from its prior."""

Loss = Literal["squares", "huber"]
"""Loss function of a residual."""

WeightRule = Literal["evidence", "k-fold", "l-curve"]
"""Rule that chooses the weight of the prior from the samples."""

Method = Literal["least-squares", "instrumental-variables", "didim"]
"""Method of an identification; all but the first simulate the robot."""

GainRule = Literal["unknown"]
"""Word for drive gains that are identified with the bodies."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FitOptions:
    """Options of a fit, stated once from the command line to the solver.

    Attributes: As the arguments of `identify` of the same names.
    """

    weights: ArrayLike | None = None
    constraints: Constraint | Iterable[Constraint] = ()
    regularization: float | WeightRule = 1.0
    metric: PriorMetric = "prior"
    loss: Loss = "squares"
    margin: float = 0.0
    prior_margin: float = tolerances.PRIOR_MARGIN
    redundancy: float = 1.0
    bodies: Sequence[str] | None = None
    solver: str | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and a redundancy below one.

        Raises:
            ParameterError: The message names the option.
        """
        refuse_unknown("metric", self.metric, get_args(PriorMetric))
        refuse_unknown("loss", self.loss, get_args(Loss))
        if not 1 <= self.redundancy < np.inf:
            raise ParameterError(f"redundancy is {self.redundancy!r}, expected a number from 1 on")


def read_rule(regularization: float | WeightRule) -> WeightRule | None:
    """Read the rule that chooses the weight of the prior; None if the weight is a number.

    Raises:
        ParameterError: An unknown rule, or a number that is negative or not finite.
    """
    if isinstance(regularization, str):
        refuse_unknown("regularization", regularization, get_args(WeightRule))
        return regularization
    if not 0 <= as_number(regularization) < np.inf:
        raise ParameterError(
            f"regularization is {regularization!r}, expected a number from 0 on, 'evidence', "
            "'k-fold' or 'l-curve'"
        )
    return None


def refuse_unknown(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is none of those that an option knows.

    Raises:
        ParameterError: The message names the option and the words.
    """
    if value not in known:
        raise ParameterError(f"{name} is {value!r}; available are {', '.join(map(repr, known))}")


NO_PRIOR = "no prior: the samples alone decide, and regularization is 0"
"""Remark where no prior is given: that is what was asked for, and no doubt."""


class Priors(NamedTuple):
    """Expected bodies, as they were given and as they are used.

    Attributes:
        given: (L, 10) in order "urdf" about the body origins.
        theta: (L, 10) the same, each at least with the margin.
        remarks: Which were moved, and how far.
    """

    given: Floats
    theta: Floats
    remarks: tuple[str, ...]


def prepare_priors(
    prior: InertialParameters | ArrayLike,
    count: int,
    order: Order,
    margin: float,
    names: Sequence[str],
) -> Priors:
    """Priors with a margin.

    Args:
        prior: InertialParameters or (L, 10), or (10 L,), about the body origins.
        count: L.
        order: Of the last six of an array.
        margin: What they have at least, above 0 and at most 1/3.
        names: (L,) of the bodies.

    Raises:
        ParameterError: Another shape, or a body without mass or extent: names it.
    """
    if not isinstance(prior, InertialParameters):
        (array,) = read_floats((), prior=prior)
        prior = array.reshape(count, 10) if array.shape == (10 * count,) else prior
    given = read_about_origin(prior, order)
    if given.shape != (count, 10):
        raise ParameterError(
            f"the prior has shape {given.shape}, expected ({count}, 10): ten numbers for each body "
            "that the regressor has columns of"
        )
    try:
        theta = np.asarray(from_body(given, margin=margin).as_theta(order="urdf", about="origin"))
    except ParameterError as error:
        raise ParameterError(f"{error} (bodies: {', '.join(names)})") from None
    before = check(given)
    remarks = tuple(
        f"prior of {names[i]}: margin {before.margin[i]:.3g}, moved to {margin:.3g}, strictly "
        "inside the cone"
        for i in np.flatnonzero(np.any(theta != given, axis=1)).tolist()
    )
    return Priors(given, theta, remarks)


def priors_from_samples(reduction: Reduction, nuisance: Nuisance) -> Priors:
    """Units for bodies of which nothing is known beforehand, from the samples alone.

    Args:
        reduction: Of the samples, in order "urdf".
        nuisance: The further numbers.

    Raises:
        ParameterError: The samples do not decide all parameters of all bodies.
    """
    base = base_parameters(reduction, nuisance_names=nuisance.names)
    if base.rank < reduction.columns:
        raise ParameterError(
            f"the samples decide {base.rank} combinations of {reduction.columns} parameters, and "
            "without a prior nothing decides the others: give prior="
        )
    count = (reduction.columns - len(nuisance)) // 10
    A, b, _ = reduction.stack(np.ones(reduction.joints))
    length = np.linalg.norm(A, axis=0)
    theta = (np.linalg.lstsq(A / length, b, rcond=None)[0] / length)[: 10 * count].reshape(-1, 10)
    units = np.zeros((count, 10))
    units[:, 0] = np.abs(theta[:, 0])
    units[:, [4, 7, 9]] = np.abs(theta[:, [4, 7, 9]]).sum(axis=1, keepdims=True) / 3
    if not np.all(units[:, [0, 4]] > 0):
        raise ParameterError("a body of no mass and no inertia fits the samples best: give prior=")
    return Priors(units, units, (NO_PRIOR,))


@dataclass(frozen=True, eq=False)
class Proof:
    """Proof that an answer is the best: the multipliers of all cones.

    Attributes:
        problem: The problem, without the constraints.
        rows: The cones, in the units of x: rows (k, p) on x, on the auxiliary numbers, and b.
        y: The auxiliary numbers.
        z: (k,) multipliers, with half the gradient = Gu^T z.
    """

    problem: Problem
    rows: CoupledProblem
    y: Floats
    z: Floats

    def __call__(self, x: Floats) -> Certificate:
        """Bound how far x is from the optimum, as Problem.certify does, with these multipliers."""
        rows, problem = self.rows, self.problem
        s = rows.g + rows.Gu @ x + rows.Gy @ self.y
        left = problem.gradient(x) - rows.Gu.T @ self.z
        short = problem.shortfall(left)
        outside = distance(self.z, rows.parts, dual=True)
        loose = float(np.linalg.norm(rows.Gy.T @ self.z))
        scale = problem.scale(x)
        apart = 2 * (
            complementarity(s, self.z, rows.parts) + (outside + loose) * float(np.abs(s).sum())
        )
        return Certificate(distance(s, rows.parts), short / scale, (apart + short) / scale)


def solve_conic(problem: Problem, constraints: Sequence[Constraint], solver: str) -> Answer:
    """Find the minimum under constraints.

    Args:
        problem: A problem with a positive definite H.
        constraints: Constraints on its bodies, by index.
        solver: Name of an installed cvxpy solver with semidefinite cones.

    Raises:
        ParameterError: No such solver, or body; neither samples nor a prior decide everything.
        ProjectionError: The constraints exclude each other: names an irreducible set of them; or
            the solver found no answer.
    """
    # Apply each constraint to its bodies.
    count = problem.bodies
    applied: list[Applied] = []
    for one in constraints:
        bodies = tuple(range(count)) if one.bodies is None else one.bodies
        if max(bodies) >= count:
            raise ParameterError(
                f"{one!r} names body {max(bodies)}; there are bodies 0 to {count - 1}"
            )
        if one.coupling:
            applied.append(Applied(one, bodies))
        else:
            applied += [Applied(one, (body,)) for body in bodies]
    every = tuple(applied)
    found = problem.solve_soundly(lambda lifted: _answer(problem, lifted, every, solver))
    if not found.certificate.proves and not np.all(problem.sound(found.x)):
        bad = np.flatnonzero(~problem.sound(found.x)).tolist()
        raise ProjectionError(
            f"{solver} gave no consistent answer: bodies {bad} are not, and the residual is "
            f"{float(found.certificate.worst):.1e}",
            problem,
        )
    return found


def _answer(problem: Problem, lifted: Problem, applied: tuple[Applied, ...], solver: str) -> Answer:
    """Solve the problem with floors a little higher, and prove the answer for the problem itself.

    Returns:
        The answer with the smallest residuals, which can be above tolerances.CERTIFIED.

    Raises:
        ProjectionError: No answer, or only one outside the constraints.
    """
    from inertial_check.projection.conic.joint import CoupledProblem, solve_coupled_problem
    from inertial_check.projection.conic.solvers import NoAnswer

    free = problem.free
    rows = CoupledProblem.of(problem.H, _blocks(problem, applied))
    size = max(float(np.linalg.norm(free - problem.prior)), 1.0)
    weight = float(np.exp(np.linalg.slogdet(problem.H)[1] / len(free)))
    offsets = CoupledProblem.of(problem.H, _blocks(lifted, applied)).g
    scaled = rows._replace(M=problem.H / weight, g=(offsets + rows.Gu @ free) / size)
    try:
        found = solve_coupled_problem(scaled, solver)
    except NoAnswer as error:
        _refuse_conflict(problem, applied, solver)
        raise ProjectionError(f"{solver}: {error}", problem) from None
    best: Answer | None = None
    for each in found:
        x = free + size * each.d
        proof = Proof(problem, rows, size * each.y, weight * size * each.z)
        certificate = proof(x)
        if best is None or certificate.worst < best.certificate.worst:
            best = Answer(x, certificate, each.steps, partial(proof, x))
    assert best is not None
    outside, most = best.certificate.primal_residual, tolerances.CERTIFIED / BEYOND_CERTIFIED
    if not (outside <= most and np.isfinite(best.certificate.gap)):
        raise ProjectionError(
            f"{solver} gave no answer within the constraints: outside by {outside:.1e}, expected "
            f"at most {most:.0e}; gap {best.certificate.gap:.1e}",
            problem,
        )
    return best


def _blocks(problem: Problem, applied: Sequence[Applied]) -> list[list[Block]]:
    """Build the cones of the bodies, the bounds and the constraints, on x."""
    count, width = problem.bodies, len(problem.prior)
    eye = np.eye(width)
    none = np.zeros((10, 0))
    blocks = [
        [Block("psd", eye[10 * i : 10 * i + 10], none, -pack(problem.floor[i]))]
        for i in range(count)
    ]
    for sign, bounds in ((1.0, problem.lower), (-1.0, problem.upper)):
        has = np.flatnonzero(np.isfinite(bounds))
        if len(has):
            rows = sign * eye[10 * count + has]
            blocks.append([Block("nonneg", rows, np.zeros((len(has), 0)), -sign * bounds[has])])
    for constraint, bodies in applied:
        # Place the blocks of a constraint on x.
        placed = []
        for block in constraint.blocks(problem.theta0[list(bodies)]):
            A = np.zeros((len(block.b), len(problem.prior)))
            for k, i in enumerate(bodies):
                own = block.A[:, 10 * k : 10 * k + 10] @ problem.to_theta[i]
                A[:, 10 * i : 10 * i + 10] += own
            placed.append(block._replace(A=A))
        blocks.append(placed)
    return blocks


def _refuse_conflict(problem: Problem, applied: tuple[Applied, ...], solver: str) -> None:
    """Name the constraints that exclude each other, if the solver says so of them alone as well.

    Raises:
        ProjectionError: They do.
    """
    from inertial_check.projection.conic.joint import CoupledProblem, solve_coupled_problem
    from inertial_check.projection.conic.solvers import NoAnswer

    width = len(problem.prior)

    def infeasible(some: tuple[Applied, ...]) -> bool:
        try:
            solve_coupled_problem(CoupledProblem.of(np.eye(width), _blocks(problem, some)), solver)
        except NoAnswer:
            return True
        except ProjectionError:
            return False
        return False

    if applied and infeasible(applied):
        conflict = irreducible(applied, infeasible)
        raise ProjectionError(describe(conflict, range(problem.bodies)).message, problem)


_MARGIN_ROUNDS = 60
"""Largest number of rounds that lift bodies to a margin, which depends on their own size."""

_MARGIN_STEP = 1.01
"""Factor by which each round lifts a body more than it lacks, since the body grows with it."""


class JointSolution(NamedTuple):
    """Certified solution of one joint problem."""

    problem: Problem
    x: Floats
    certificate: Certificate
    prior_term: float
    steps: int
    solver: str
    proof: Callable[[], Certificate]

    @property
    def si(self) -> Floats:
        """(p,) parameters in SI units, in order "urdf"."""
        return self.problem.si(self.x)


class JointFit:
    """Fit of all bodies to reduced samples, for any weights of joints and prior.

    Args:
        theta0: (L, 10) priors in order "urdf".
        nuisance: Torques besides those of the bodies.
        options: Options of the fit.
        names: (L,) of the bodies.

    Raises:
        ParameterError: Options that exclude each other. The message names both.
    """

    def __init__(
        self, theta0: Floats, nuisance: Nuisance, options: FitOptions, names: tuple[str, ...]
    ) -> None:
        self.theta0, self.nuisance, self.names = theta0, nuisance, names
        self.constraints = read_constraints(options.constraints)
        self.margin = read_margin(options.margin)
        self.metric, self.solver = options.metric, options.solver
        if self.metric in ("prior", "euclidean"):
            return
        given = {"constraints": self.constraints, "margin": self.margin, "solver": self.solver}
        for name, value in given.items():
            if value:
                raise ParameterError(
                    f"metric {self.metric!r} takes no {name}: 'prior' does, and 'euclidean'"
                )

    def solve(self, reduction: Reduction, weights: Floats, regularization: float) -> JointSolution:
        """Solve for bodies with at least the margin.

        A margin is a bound on the least eigenvalue of the central second moment relative to its
        trace, which is not convex. So bodies that lack it get a floor of their present trace, in
        rounds.

        Raises:
            ProjectionError: The margin is not reached.
        """
        system = reduction.stack(weights)
        spread = np.zeros(len(self.theta0))
        found = self._solve(system, regularization, spread)
        for _ in range(_MARGIN_ROUNDS if self.margin else 0):
            theta = found.problem.theta(found.x)
            short = check(theta).margin < self.margin
            if not np.any(short):
                return found
            moments = InertialParameters.from_theta(theta).central_second_moment
            wanted = _MARGIN_STEP * self.margin * np.trace(moments, axis1=1, axis2=2)
            spread = np.where(short, np.maximum(_MARGIN_STEP * spread, wanted), spread)
            found = self._solve(system, regularization, spread)
        if self.margin:
            margins = check(found.problem.theta(found.x)).margin
            worst = int(np.argmin(margins))
            raise ProjectionError(
                f"no margin of {self.margin:g}: {self.names[worst]} comes to "
                f"{float(margins[worst]):.6g}; ask for less",
                found.problem,
            )
        return found

    def _solve(
        self, system: tuple[Floats, Floats, float], regularization: float, spread: Floats
    ) -> JointSolution:
        pull = regularisers.euclidean_pull(self.theta0) if self.metric == "euclidean" else None
        problem = Problem.of(
            system, self.theta0, self.nuisance, regularization, spread=spread, pull=pull
        )
        posed, solver = problem, "interior point"
        if self.constraints or self.solver is not None:
            solver = self.solver or "clarabel"
            answer = solve_conic(problem, self.constraints, solver)  # refuses what is no name
            solver = solver.lower()
        elif self.metric == "entropic" or self.metric == "affine-invariant":  # noqa: PLR1714 - narrows
            answer = regularisers.solve_regularised(problem, self.metric)
            posed = regularisers.with_divergence(problem, self.metric)
        else:
            answer = interior_point.solve(problem)
        return JointSolution(
            problem,
            answer.x,
            answer.certificate,
            posed.prior_term(answer.x),
            answer.steps,
            solver,
            answer.proof,
        )
