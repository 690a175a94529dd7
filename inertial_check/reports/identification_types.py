"""What an identification says: bodies, torques before and after, what the data decide, doubts.

Assessment of an identification as it is reported: base parameters, runs and residuals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from inertial_check.checking.report import Severity
from inertial_check.inertia import tolerances

Row = tuple[float, ...]


class BaseTermValue(NamedTuple):
    """A single parameter in a base parameter.

    Attributes:
        coefficient: Its factor; 1 for the first, which is the parameter that stays.
        parameter: m, hx, ..., Izz of a body, or the name of a friction number.
        body: Name of the body; None for a number beside the bodies.
    """

    coefficient: float
    parameter: str
    body: str | None


class BaseValue(NamedTuple):
    """A row of the table of base parameters.

    Attributes:
        name: The combination in symbols, as "Iyy(upper) + 0.16 m(lower)".
        unit: SI unit; "" if not known.
        value: By weighted least squares, without prior, cones and bounds [unit].
        standard_deviation: Of the value [unit].
        percent: Standard deviation in per cent of the value; infinite for 0.
        identified: Of the identified bodies [unit].
        birge_ratio: Spread between runs, in units of the deviations; NaN without several runs.
        terms: The combination as numbers.
        impossible: Whether no bodies have this value, by five deviations.
        bias: Estimated bias of the value by noise of positions and velocities; NaN if not known
            [unit].
    """

    name: str
    unit: str
    value: float
    standard_deviation: float
    percent: float
    identified: float
    birge_ratio: float
    terms: tuple[BaseTermValue, ...]
    impossible: bool = False
    bias: float = float("nan")


class RunValues(NamedTuple):
    """Base parameters of one recording alone.

    Attributes:
        path: The recording.
        values: (b,) weighted least squares; NaN where the recording does not decide one.
        standard_deviations: (b,) of these; infinite there.
        deviations: (b,) differences from the fit of all, in deviations of the difference.
    """

    path: str
    values: Row
    standard_deviations: Row
    deviations: Row


class BaseTable(NamedTuple):
    """The table of base parameters.

    Attributes:
        parameters: (b,) rows.
        covariance: (b, b) of the values.
        condition: Condition number of their regressor with columns of length one.
        runs: Each recording alone; () for a single one.
        birge_ratio: Root mean square of the rows' ratios; NaN without several runs.
    """

    parameters: tuple[BaseValue, ...]
    covariance: tuple[Row, ...]
    condition: float
    runs: tuple[RunValues, ...] = ()
    birge_ratio: float = float("nan")


class ResidualWhiteness(NamedTuple):
    """Test of the residuals of one joint for autocorrelation.

    Attributes:
        first: Autocorrelation of neighbouring independent samples.
        statistic: Ljung and Box's Q.
        lags: Lags in it.
        p_value: Probability of such a Q in white noise.
        spacing: Samples from one tested sample to the next: the filter makes those between alike.
        alike: Number of samples that tell as much as one independent sample, by the residuals'
            own autocorrelation; NaN for too few samples.
    """

    first: float
    statistic: float
    lags: int
    p_value: float
    spacing: int
    alike: float


class ResidualSpectrum(NamedTuple):
    """Power spectral density of the residuals of one joint, by Welch's method.

    Attributes:
        frequency: (f,) [Hz].
        density: (f,) [(N m)^2/Hz or N^2/Hz].
        peak: Frequency of the highest density [Hz].
        peak_share: Part of the power around it: the peak with the frequency on either side.
        slow_share: Part of the power in the lower half of the band: 0.5 for white noise.
    """

    frequency: Row
    density: Row
    peak: float
    peak_share: float
    slow_share: float


class ResidualCourse(NamedTuple):
    """Mean residual of one joint by velocity.

    Attributes:
        velocity: (b,) mean velocity of each bin [rad/s or m/s].
        mean: (b,) mean residual, measured less predicted [N m or N].
        standard_error: (b,) of these means, for independent samples [N m or N].
        share: Part of the residuals' variance that velocity explains, less what chance would.
    """

    velocity: Row
    mean: Row
    standard_error: Row
    share: float


class JointResiduals(NamedTuple):
    """Residuals of one joint in the fitted recordings, measured less predicted.

    Attributes:
        joint: Its name.
        unit: Of the torque, "N m"; of a force, "N".
        samples: Number of samples that were analysed.
        rms: Root mean square [unit].
        mean: Mean [unit].
        whiteness: Test for autocorrelation; None for too few samples.
        spectrum: Power spectral density; None without a rate.
        course: Mean by velocity; None without a motion.
    """

    joint: str
    unit: str
    samples: int
    rms: float
    mean: float
    whiteness: ResidualWhiteness | None = None
    spectrum: ResidualSpectrum | None = None
    course: ResidualCourse | None = None


THETA = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The ten inertial parameters of a body, in order."""

Decider = Literal["data", "both", "prior"]
"""Source of the value of a parameter: the samples, the prior, or both."""

Role = Literal["train", "validation"]
"""Use of samples: fitted, or kept for validation."""

Ten = tuple[float, ...]


class Edit(NamedTuple):
    """Edit of a log that undoes a mistake.

    Attributes:
        action: What is done to the columns: add, multiply, exchange, delay, drop or unwrap.
        signals: Names of the signals: t, q, u, du or tau.
        joints: Names of the joints whose columns these are; () for all.
        value: Number that is added [rad], multiplied, or the time of a delay [s].
    """

    action: str
    signals: tuple[str, ...]
    joints: tuple[str, ...]
    value: float


class Remedy(NamedTuple):
    """Remedy of a mistake: what undoes it.

    Attributes:
        options: Options of the command line, each in one word.
        edits: Edits of the log.
        words: What to do, where there is no option for it.
        probability: Probability of the mistake beside all others that were tried.
    """

    options: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    words: str = ""
    probability: float = 1.0


class Remark(NamedTuple):
    """Something that was assumed, left out, or looks wrong.

    Attributes:
        severity: An error casts doubt on the whole result, a warning on a part of it; a note says
            how it was made.
        kind: A short word, the same for all remarks of a kind.
        message: One line with the numbers.
        joints: Names of the joints or bodies that it is about; () for all.
        remedy: What undoes it; None where nothing is known to.
    """

    severity: Severity
    kind: str
    message: str
    joints: tuple[str, ...] = ()
    remedy: Remedy | None = None


class JointFit(NamedTuple):
    """How well the torque of one joint is predicted.

    Attributes:
        joint: Its name.
        unit: Of the torque, "N m"; of a force, "N".
        rms: Root mean square of what was measured.
        before: RMSE of the prior's bodies, with friction and offsets fitted to them.
        after: RMSE of the identified bodies.
        r_squared_before: Part of the variance that the prior explains.
        r_squared: Part that the identified bodies explain.
    """

    joint: str
    unit: str
    rms: float
    before: float
    after: float
    r_squared_before: float
    r_squared: float


class TorqueFit(NamedTuple):
    """How well the torques of a part of the recordings are predicted.

    Attributes:
        role: What the samples are for.
        path: The recordings, as they were named.
        samples: How many there are, of all joints together.
        joints: In the order of the model.
        weighted_before: Root mean square of the weighted residuals of the prior: 1 is the noise.
        weighted: The same of the identified bodies.
    """

    role: Role
    path: str
    samples: int
    joints: tuple[JointFit, ...]
    weighted_before: float
    weighted: float


class IdentifiedBody(NamedTuple):
    """One body before and after.

    Attributes:
        name: As written; can repeat.
        id: Unique in the document.
        line: Where it begins, 1-based.
        prior: (10,) [kg, kg m, kg m^2] about the body's origin, in its axes, order of THETA.
        theta: (10,) the identified ones.
        mass: [kg].
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_B: xx xy xz yy yz zz about it, in the body's axes [kg m^2].
        principal_moments: Ascending [kg m^2].
        margin: mu, at least 0 for a body that exists (dimensionless).
        verdict: Of the identified numbers.
        least_squares_verdict: Of what least squares alone gives.
        distance: ||L^-1 (Pi - P) L^-T||_F from the prior P = L L^T (dimensionless).
        prior_moved: Whether the prior had to be moved to lie strictly inside the cone.
        share: (10,) part of the prior's variance that the data took away, 0 to 1.
        decided_by: (10,) what each number rests on.
        standard_deviation: (10,) of each, posterior [kg, kg m, kg m^2].
        unsupported: Names of those that moved from the prior although the data do not decide them.
        impossible: Whether least squares with the prior give numbers that no body has, by five
            deviations.
    """

    name: str
    id: str
    line: int
    prior: Ten
    theta: Ten
    mass: float
    p_BoBcm_B: tuple[float, ...]
    I_BBcm_B: tuple[float, ...]
    principal_moments: tuple[float, ...]
    margin: float
    verdict: str
    least_squares_verdict: str
    distance: float
    prior_moved: bool
    share: Ten
    decided_by: tuple[Decider, ...]
    standard_deviation: Ten
    unsupported: tuple[str, ...] = ()
    impossible: bool = False


class MergedPart(NamedTuple):
    """A body that was identified as one with others, and its own numbers.

    Attributes:
        name: Name as written; can repeat.
        id: Id, unique in the document.
        kept: Whether it keeps the numbers of the file.
        mass: Mass [kg].
        p_BoBcm_B: Centre of mass in the body frame [m].
        I_BBcm_B: Inertia xx xy xz yy yz zz about it, in the body's axes [kg m^2].
        theta: (10,) about the body's origin, in the order of THETA [kg, kg m, kg m^2].
    """

    name: str
    id: str
    kept: bool
    mass: float
    p_BoBcm_B: tuple[float, ...]
    I_BBcm_B: tuple[float, ...]
    theta: Ten


class MergedBody(NamedTuple):
    """Bodies that no joint moves apart, which were identified as one.

    Attributes:
        name: Name of the body in whose frame they were identified.
        method: Rule by which its numbers were shared: remainder, nearest or proportional.
        parts: This body, then the others; they add up to the identified one.
    """

    name: str
    method: str
    parts: tuple[MergedPart, ...]


class FrictionValue(NamedTuple):
    """A number in the torque beside the bodies: friction, an offset, a rotor's inertia.

    Attributes:
        name: fv1, fc1, off1, Ia1, ...
        joint: The joint, or joints, in whose torque it is.
        meaning: "viscous friction", ...
        unit: Of the value.
        value: Identified.
        standard_deviation: Posterior; infinite where neither data nor a prior decide it.
        lower: Its lower bound.
        upper: Its upper bound.
        model: What the robot's file states; None where it states nothing.
    """

    name: str
    joint: str
    meaning: str
    unit: str
    value: float
    standard_deviation: float
    lower: float
    upper: float
    model: float | None = None


class GainValue(NamedTuple):
    """Drive gain of a joint, found with the bodies.

    Attributes:
        joint: Name of the joint.
        value: Factor from what was recorded to the torque.
        standard_deviation: Of the value, common scale included.
        ratio_standard_deviation: Of the ratio to the geometric mean of all gains, relative.
    """

    joint: str
    value: float
    standard_deviation: float
    ratio_standard_deviation: float


class LoadValue(NamedTuple):
    """Load that the robot carried in some recordings.

    Attributes:
        name: Name in the file of loads.
        link: Name of the link that carries it.
        recordings: Paths of the recordings in which it is carried.
        known: Which of mass, com and inertia were given.
        mass: [kg].
        com: Centre of mass in the frame of the link [m].
        inertia: xx xy xz yy yz zz about it, in the axes of the link [kg m^2].
        margin: At least 0 for a body that exists (dimensionless).
        theta: (10,) parameters about the origin of the link, order of THETA.
        standard_deviation: (10,) of these, 0 where they were given.
        share: (10,) part of the prior's variance that the data took away.
    """

    name: str
    link: str
    recordings: tuple[str, ...]
    known: tuple[str, ...]
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    margin: float
    theta: Ten
    standard_deviation: Ten
    share: Ten


class SolverCertificate(NamedTuple):
    """How far the solution is from the optimum, computed from the problem (dimensionless).

    Attributes:
        solver: What solved it.
        iterations: Of the solver.
        primal_residual: By how much a constraint fails.
        dual_residual: By how much the gradient is not balanced.
        gap: Between the objective and its lower bound, relative.
        rounds: Number of linear problems in whose turn nonlinear friction was found; 0 without it.
        step: Largest change of nonlinear friction in the last round, in standard deviations.
    """

    solver: str
    iterations: int
    primal_residual: float
    dual_residual: float
    gap: float
    rounds: int = 0
    step: float = 0.0

    @property
    def proven(self) -> bool:
        """Whether the solution is proven optimal, to tolerances.CERTIFIED, and stationary."""
        optimal = max(self.primal_residual, self.gap) <= tolerances.CERTIFIED
        return optimal and self.step <= tolerances.STATIONARY


class CandidateWeight(NamedTuple):
    """One weight of the prior that was tried.

    Attributes:
        weight: The regularization.
        error: Root mean square of the weighted residuals of what was left out; NaN by the L-curve.
        standard_error: Of it.
        data_term: Weighted squares of all residuals, fitted together.
        prior_term: Of the objective, over the weight.
        mass: Of all bodies [kg].
        chosen: Whether it was taken.
    """

    weight: float
    error: float
    standard_error: float
    data_term: float
    prior_term: float
    mass: float
    chosen: bool


class WrittenBody(NamedTuple):
    """What became of a body in the robot's file.

    Attributes:
        name: As written.
        status: "fixed" where its numbers were replaced, "unchanged", or why not in a word.
        reason: One line; "" where there is nothing to say.
    """

    name: str
    status: str
    reason: str


class WrittenJoint(NamedTuple):
    """Damping, friction and armature of a joint in the robot's file.

    Attributes:
        name: Name of the joint.
        status: "fixed" where numbers changed, "unchanged", "refused" where the file cannot state
            them, "withheld" where it cannot state those of another joint.
        reason: Explanation in one line; "" where there is nothing to explain.
        values: Numbers that the file states [SI], by the names damping, friction and armature.
    """

    name: str
    status: str
    reason: str
    values: Mapping[str, float]


class WrittenModel(NamedTuple):
    """The robot's file with the identified numbers.

    Attributes:
        path: Where it was to go.
        done: Whether it is there.
        reason: Why not; "" where it is.
        complete: Whether it has the numbers of all bodies.
        bodies: What became of each identified body.
        diff: Unified diff of what a dry run would write; "" where it would write nothing.
        joints: What became of each joint; empty unless they were to be written.
    """

    path: str
    done: bool
    reason: str
    complete: bool
    bodies: tuple[WrittenBody, ...]
    diff: str = ""
    joints: tuple[WrittenJoint, ...] = ()


class RuleFinding(NamedTuple):
    """Finding of a rule of `check` on the robot with the identified numbers.

    Attributes:
        code: Code of the rule, such as IC501.
        name: Name of the rule.
        severity: Severity of the finding.
        body: Name of the body; None for several.
        bodies: Names of the bodies of a finding on several; empty for one.
        message: One line: numbers with units, what is expected, what to do.
        new: Whether the robot as it is written does not have it.
    """

    code: str
    name: str
    severity: Severity
    body: str | None
    bodies: tuple[str, ...]
    message: str
    new: bool


@dataclass(frozen=True)
class IdentificationReport:
    """An identification as it is reported.

    Attributes:
        model: Path of the robot.
        data: Paths of the recordings that were fitted.
        bodies: Those identified, in document order.
        left: Names of the other bodies, and why each stays as it is written.
        fits: First of what was fitted, then of each validation.
        friction: Everything in the torques beside the bodies.
        weights: One over the standard deviation of the noise, a joint [1/(N m) or 1/N].
        rank: Of all columns, bodies and friction.
        columns: How many there are.
        condition: Of the columns that can be seen, in units of the prior.
        regularization: Weight of the prior, beside the samples as they are.
        redundancy: How many of them say what one independent one would.
        deviation_factor: Factor by which the deviations were multiplied, as parts of the data
            differ by more than the noise of residuals.
        weighings: The weights that were tried; () where one was given.
        base: The table of base parameters; None if it was not made.
        residuals: Analysis of the residuals of what was fitted, joint by joint.
        metric: Of the prior's term.
        loss: Of the residuals.
        prior: Where the prior comes from, in words.
        total_mass: Of the identified bodies [kg].
        prior_mass: Of the same bodies in the prior [kg].
        total_mass_share: Part of the prior's variance of the total mass that the data took away.
        objective: Minimised: data term plus prior's term (dimensionless).
        data_term: Of it.
        prior_term: Of it.
        certificate: How far from the optimum.
        remarks: Worst first.
        written: The robot's file; None where none was asked for.
        findings: Findings of the rules of `check` on the identified bodies; each is a remark, too.
        gains: Drive gains that were found with the bodies; () where they were given.
        gain_scale: What decides their common scale: loads, masses or prior; "" without gains.
        loads: Loads that the robot carried, in the order of their file.
        method: Method of the identification.
        simulations: Number of simulations of the robot; 0 for least squares.
        change: Relative change of the predicted torques by the last simulation.
        merged: Bodies that were identified as one, with the numbers of their parts.
    """

    model: str
    data: tuple[str, ...]
    bodies: tuple[IdentifiedBody, ...]
    left: tuple[tuple[str, str], ...]
    fits: tuple[TorqueFit, ...]
    friction: tuple[FrictionValue, ...]
    weights: tuple[float, ...]
    rank: int
    columns: int
    condition: float
    regularization: float
    redundancy: float
    metric: str
    loss: str
    prior: str
    total_mass: float
    prior_mass: float
    total_mass_share: float
    objective: float
    data_term: float
    prior_term: float
    certificate: SolverCertificate
    weighings: tuple[CandidateWeight, ...] = ()
    base: BaseTable | None = None
    residuals: tuple[JointResiduals, ...] = ()
    remarks: tuple[Remark, ...] = ()
    written: WrittenModel | None = None
    findings: tuple[RuleFinding, ...] = ()
    gains: tuple[GainValue, ...] = ()
    gain_scale: str = ""
    loads: tuple[LoadValue, ...] = ()
    method: str = "least-squares"
    simulations: int = 0
    change: float = 0.0
    merged: tuple[MergedBody, ...] = ()
    deviation_factor: float = 1.0

    def count(self, severity: Severity) -> int:
        """How many remarks have this severity."""
        return sum(remark.severity == severity for remark in self.remarks)
