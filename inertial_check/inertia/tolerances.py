"""The tolerances of the package, each with the reason for its value.

They decide a verdict, a finding, a cause, or when a computation stops. All are relative; one has a
unit: NUMERICALLY_ZERO_RADIUS, which defines a finding. Unit factors, the limits of engines,
settings of solvers and ranges of random bodies stand where they are used.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import tolerances
"""

from __future__ import annotations

from functools import cache

from inertial_check.errors import expect
from inertial_check.inertia.arrays import Array, DType, FloatLimits, Namespace, array_namespace

FLOOR_FACTOR = 8.0
"""tau = FLOOR_FACTOR eps kappa: storing theta errs by 2.5 eps kappa, its eigenvalues by 2."""

COUPLED = 0.25
"""Entry beside the diagonal, in eps sqrt(d_p d_q), up to which it is left where it is: it changes
neither of the two entries d by half a unit in the last place."""

ILL_POSED_FLOOR = 1e-3
"""Floor tau above which there is no verdict: the data has under three digits of the margin."""

DIGITS_LOST = 0.1
"""Half a unit of the last printed digit, in parts of the trace, above which the digits of a tensor
say nothing about the body: every form lies within half a unit then."""

NUMERICALLY_ZERO_RADIUS = 1e-6
"""[m] No link of a robot has a radius of gyration under a micrometre: its tensor is crumbs."""

SAME_SHARES = 1e-12
"""Shares of moments in their sum that differ by less are equal: expressions round by 1e-15."""

PROMISING_FLOOR = 1 / 64
"""Times sqrt(eps): with a floor tau below it, holding a margin costs less than a residual shows."""

CERTIFIED = 1e-9
"""Residuals and gap of a projection, in its normalised problem, for which optimality is claimed."""

NEAR = 1.05
"""Largest ratio of a distance to its lower bound for which an answer is called near."""

SOLVED_FACTOR = 64.0
"""Residuals of a problem of unit size under SOLVED_FACTOR eps are rounding, whatever the move."""

CONFLICT = 1e-8
"""Least slack of constraints, in units of what they speak of, above which they exclude each other:
ten times what the solver leaves of one that is zero."""

NEARLY_ISOTROPIC = 1e-6
"""Distance of a margin from 1/3 below which the cone of bodies that have it has no inside for a
conic solver; its equations are posed instead."""

MARGIN_SETTLED = 1e-14
"""Promised decrease, relative to the squared distance, below which a descent to a body with a
margin has settled: rounding of that distance, so that one more step is the last."""

SADDLE = 1e-13
"""Least curvature of a descent, relative to the largest: the factor of a singular matrix is not
unique, and along what leaves it the same nothing bends."""

BOUNDED = 1e-4
"""Part of a lower bound that its own proof may be short of: a bound need not be the best."""

FIRST_SPREAD = 0.01
"""Least part of the spread in each direction of a body at which a descent starts: without any, the
descent would see no gain in giving it some."""

SETTLED_PLACE = 1e-9
"""Move of a centre of mass, in squared radii of gyration, below which a margin about the former one
is the margin."""

MEETS = 1e-12
"""Bodies that fail a constraint by less, of its size, stay: a solver hardly sees so little."""

SMALL_MOVE = 1e-11
"""Move, relative to the body, below which it is found in twice the digits: a solver's residual, of
some rounding units of the body, would show in its third digit."""

FLAT = 1e-9
"""Points that spread so much less in one direction than in another fill no volume."""

ROUNDING_FACTOR = 4.0
"""Newton's method stops at a residual of ROUNDING_FACTOR eps (1 + ||M||), that of its terms."""

MASS_FLOOR = 1e-6
"""Least mass of a projection, relative to the given one, where the nearest matrix has no mass and
is no body."""

SOUND_SHARE = 1e-11
"""Share of a body added to an answer that is a point: less than that, and tau > ILL_POSED_FLOOR."""

OWN_PRIOR_MARGIN = 0.05
"""Margin of a body that is its own prior, that of a box with edges 3 : 3 : 1, so that no direction
is held fast."""

PRIOR_MARGIN = 1e-3
"""Least margin of a prior from elsewhere: its spreads differ by a factor of 1000 at most, which
costs three of 16 digits."""

NEAREST_WRITTEN = 5e-7
"""Largest distance of a printed tensor from the nearest one, relative to its norm: six digits."""

RANK = 1e-10
"""Singular values of a regressor below it, of the largest: rounding leaves 1e-13, motions 1e-6."""

# formats

USD_SCALE_NOISE = 1e-5
"""Relative error up to which lengths and right angles of a USD frame count as exact: rotations by
float32 quaternions keep them up to a few roundings."""

MAX_CHANGE = 0.05
"""Relative change of the principal moments that `fix` makes unasked: below it, shape survives."""

SAME_BODY = 1e-6
"""Deviation up to which `diff` calls two bodies equal: six digits, as most converters write."""

EXPLAINED = 1e-3
"""Share of a difference that a named mistake may leave: by chance, no tensor agrees so far."""

TOTAL_MASS = 0.01
"""Relative deviation of a model's mass that --expect-mass allows: data sheets round to that."""

EXPECTED = 0.01
"""The same of a body's expected numbers, where their row of --expect states none."""

# Causes

ROTATED_ZERO = 1e-14
"""Size of an entry, relative to the largest number, up to which it is a zero that was rotated: some
50 roundings at most."""

TOLD_DIGITS = 5e-12
"""Relative rounding of the numbers that a cause tells, which have twelve digits: within it, what it
tells is a number that is written."""

EMPTY_MOMENT = 1e-9
"""Moment, relative to the largest entry, up to which it is a zero that went through arithmetic and
not a thin needle."""

UNMENDED = 1e-3
"""Factor on the weight of a cause whose edit leaves the body inconsistent: with it, such a cause is
named only where nothing else explains the body."""

SAME_MEANING = 1e-6
"""Difference, relative to the largest entry, up to which two causes mean the same tensor: the
rounding of two ways to compute it."""

COPIED_WIDTH = 1e-3
"""Width of the logarithm of a size or mass that was computed from the very shapes, or copied from
the twin: three printed digits."""

# Votes and twins

SAME_READING = 1e-3
"""Change, relative to the largest entry, below which two readings of a tensor are one, and two
moments one number: the third printed digit."""

VOTES_BY_CHANCE = 1e-3
"""Largest probability that broken bodies without shapes agree on a reading by chance; a folder of a
thousand models then has one such finding by chance at most."""

TURNED_COPY = 1e-3
"""Largest offset at which one body is a copy of another, turned; the digits of CAD leave less."""

PLANE_BASE = 1e-3
"""Distance of two points, relative to the farthest pair of the model, below which the plane between
them is rounding."""

SAME_PLANE = 1e-5
"""Step of the normals, and of the offsets relative to the farthest pair, within which two proposed
planes are one."""

WHOLE_COUNT = 1e-6
"""Distance from a whole number of counts of the last decimal, in counts, up to which an entry is
one: rounding leaves 1e-14 of 12 counts, and numbers with six more digits are no fixed decimals."""

PLANE_PRINTED = 1e-3
"""Step, in sizes of the bodies, to which the place of a mirror plane is printed; finer digits are
rounding of the poses."""

# Baselines

WORSE = 1e-6
"""Decrease of a margin from which a finding counts as worse than in the baseline: printing numbers
again with seven digits changes a margin by less."""

GATE = 1e-3
"""Largest tolerance of a gate: numbers of three digits err by 5e-4, so that a larger one hides what
no rounding explains."""

# Fixing

ON_FACE = 1e-12
"""Share of the largest moment by which a corner of a region may miss a face: its rounding."""

ONE_DENSITY = 0.05
"""Difference of the logarithms of densities up to which bodies have one: overlaps of shapes change
a volume by so much; bodies of other materials differ by 0.5."""

ENCLOSED_TWICE = 1e-6
"""Share of a mesh's volume up to which places enclosed twice are rounding: faces that touch overlap
by single precision of their coordinates."""

WORTH_NARROWING = 1e-3
"""Share of a mesh's volume that a box around places enclosed twice holds at least where it is
narrowed: the volume of those in smaller ones is estimated to some percent."""

# Solvers and projection.

EPS = 2.0**-52
"""Rounding unit of float64: distance from 1 to the next number, in which all solvers compute."""

BEYOND_CERTIFIED = 1e-3
"""Part of CERTIFIED at which a solver stops: a factor for every later sum, and no time wasted."""

REGULAR_SYSTEM = 1e-6
"""Relative residual of a solved linear system above which its matrix counts as singular."""

DAMPING = 1e-10
"""Damping of variables that an optimum leaves open: so small that a Newton step stays one, yet
large beside the rounding of a system of unit size."""

DAMPED_SYSTEM = 0.1
"""Part of its right side that the solution of a damped system may leave: more steps do the rest."""

CLOSE_EIGENVALUES = 1e-4
"""Difference of two eigenvalues, relative to their sum, below which a divided difference of the
logarithm's derivatives would cancel; the derivative at their mean is used instead."""

WEIGHED_DIRECTION = 1e-12
"""Part of the largest weight below which a direction of a joint problem counts as weightless."""

SUFFICIENT_DECREASE = 1e-4
"""Part of the promised decrease that a Newton step has to bring, the usual value of Armijo's rule:
almost any decrease is accepted, and steps that do not help are shortened."""

LEAST_CHANGE = 1e-5
"""Smallest unit of change, relative to the body, in which a conic solver is asked: with smaller
ones its tables hold numbers too far apart for it to factorise."""


# Identification and excitation

STATIONARY = 1e-6
"""Standard deviations by which numbers of nonlinear friction change at most in the last round."""

SIMULATED = 1e-6
"""Jumps between the segments of a simulated motion, relative to its range, at which rounds end:
integration and references err by as much."""

METHOD_SETTLED = 1e-3
"""Relative change of the torques of all parameters at which instrumental variables and closed-loop
output errors end: a tenth of what published methods ask for."""

HUBER_SETTLED = 1e-8
"""Relative fall of Huber's loss at which its rounds end: what follows is below the noise."""

LEAST_NOISE = 1e-4
"""Noise of a joint relative to its torque, at least: no sensor is more precise than four digits."""

NOISE_ROUNDING = 1e-12
"""Weighted noise relative to the torques, squared, that is rounding and no unit for a weight."""

BLIND = 1e-8
"""Squared part of an undecided direction in a number above which the number is undecided, too."""

BASE_PIVOT = 1e-3
"""Least pivot of a column that is regrouped, so that no coefficient exceeds 1000."""

REST = 1e-6
"""Speed of a joint relative to its fastest, below which the sign of the velocity is rounding."""

STILL = 1e-3
"""Motion of a joint relative to the joint that moves most, below which it excites nothing."""

LOOP_RANK = 1e-6
"""Singular value of the constraints of closed loops, relative to the largest, below which they are
redundant: planar loops of printed axes are flat to as many digits."""

LOOP_CLOSED = 1e-10
"""Newton step at which a closed loop counts as closed, in rad and m: positions are never measured
so well."""

LOOP_OPEN = 1e-6
"""Residual of a closed loop, relative to the size of the mechanism, above which it is open."""

SINGULAR = 0.02
"""Smallest singular value of a choice of velocities, relative to its median over a motion, below
which noise is multiplied 50 times: such configurations of closed loops are left out."""

MADE_UP = 1e-9
"""Size of a signal, relative to itself, after removing others that make it up: their rounding."""

UNIFORM_CLOCK = 1e-3
"""Deviation of time stamps from a uniform clock, in steps, that changes a signal by as little."""

CLOCK_ROUNDING = 1e-6
"""Part of a step by which a uniform clock may end behind the last time stamp: rounding."""

SAME_LINK = 1e-6
"""Relative difference of second moments below which two links are copies and count once."""

VANISHING_MASS = 1 / 4
"""Part of the masses of a sum below which their total has cancelled: the sum is about the origin,
since a centre of mass h / m would have lost the digits that the total has lost. So it is where this
part of h.h / m of the sum is more than the moments about the origin that its terms have."""

EDGE = 1e-6
"""Margin of an identified body below which only the cone keeps it consistent."""

SAME_STEP = 1e-3
"""Part of a step by which the distance of two readings may differ from whole ones: their digits."""

ZERO_OF_JOINT = 1e-4
"""Turn to which the zero of a joint is searched [rad]: finer than any recording tells it."""

LIMIT_ROUNDING = 1e-9
"""Part of a limit by which a motion may exceed it: files of trajectories have few digits."""

BASE_SETTLED = 1e-3
"""Relative decrease of the distance to base parameters at which its rounds end: none is nearer."""

BASE_REACHED = 1e-6
"""Relative distance at which base parameters are reached: singular bodies converge slowly."""

SEARCH_SETTLED = 1e-5
"""Change of the logarithm of the condition number below which the search for a motion stops: a
condition number that is smaller by a hundred-thousandth makes no plan better."""

DISTANCE_SETTLED = 1e-6
"""Difference of a distance from its proven bound, relative to the sizes of both shapes, at which
its search stops: a thousandth of the digits of any CAD model."""

GRAM_PRECISE = 1e-12
"""Least eigenvalue of a Gram matrix, relative to the largest, that keeps four digits."""

# Inertials from shapes.

MASS_KNOWN = 1e-9
"""Width of the interval of a mass, relative to it, up to which the sums determine it."""

CELL_MOMENTS = 1e-12
"""Error of the moments of the cells of a mesh, of unit size, at which their tilting ends."""

QUADRATURE = 1e-9
"""Relative error of the moments of cells above which a piece is one cell: rounding leaves 1e-13."""

REAL_ROOT = 1e-9
"""Imaginary part of a root of a cubic, relative to it, up to which it is real: its rounding."""

SUM_ROUNDING = 1e-12
"""Part by which measured masses may exceed a given sum of them: rounding of their addition."""

SUM_MET = 1e-9
"""Error of a sum, of the size of its terms, up to which a linear program calls it met."""

INTERVAL_REACHED = 1e-6
"""Part of the size of a body's numbers up to which a bound that a body reaches is called exact."""

CANCELLED = 1e-13
"""Coordinates and products, relative to the size of a body, that are sums of cells which cancel:
they are written as 0."""

LEAST_CURVATURE = 1e-3
"""Curvature of the scaled dual function, at most 1, below which it counts as this in the rounding
of its eigenvalues: cells that all lie on bounds leave none."""

NO_GRADIENT = 1e-15
"""Part of the gradient along an eigenvector that is rounding of the whole."""

DUAL_ROUNDING = 1e-13
"""Decrease of the dual function, relative to its size, that is rounding of its sum."""

# Comparison of models.

UNIT_TRIED = 1e-2
"""Relative distance of a factor from that of a unit within which the unit is tried as a cause;
whether the converted numbers agree is decided by EXPLAINED."""

EXPLANATION_ROUNDING = 1e-9
"""Share of a difference that an explanation may leave and still rank as if it left nothing: so
much is rounding of the numbers in the file."""

SAME_MOTION = 1e-12
"""Relative change of the equations of motion that is called none: recursions over a tree err by
some hundred roundings."""


@cache
def limits(dtype: DType, xp: Namespace) -> FloatLimits:
    """What the array library says of a floating-point type; asking it takes as long as a check."""
    return xp.finfo(dtype)


def epsilon(dtype: DType, xp: Namespace) -> float:
    """Distance from 1 to the next number of the floating-point type.

    Example:
        >>> print(tolerances.epsilon(np.dtype("float32"), np))
        1.1920928955078125e-07
    """
    return float(limits(dtype, xp).eps)


GAIN_SETTLED = 1e-5
"""Relative change of drive gains at which their rounds end: far below what noise leaves open."""

RENORMALIZED = 1e-2
"""Largest max|R^T R - 1| of a matrix that is made a rotation where a caller asks for that.

Two printed digits leave less; a matrix that is further off is scaled, sheared or something else.
"""


def rotation_floor(dtype: DType, xp: Namespace) -> float:
    """How far R^T R may be from 1: half the digits, as in matrices typed or read from a file.

    So near a singularity, too, rates and Euler angles are still given.

    Example:
        >>> print(tolerances.rotation_floor(np.dtype("float64"), np))
        1.4901161193847656e-08
    """
    return float(epsilon(dtype, xp) ** 0.5)


def floor(kappa: Array) -> Array:
    """The numerical floor tau of a margin.

    Args:
        kappa: (...,) condition: 1 for a tensor about the centre of mass, 1 + |c|^2 / k^2 about the
            body origin, with k the radius of gyration.

    Returns:
        (...,) tau, dimensionless, in the precision of kappa.

    Example:
        >>> print(tolerances.floor(np.asarray(1.0)) < 1e-12)
        True
    """
    xp = array_namespace(kappa)
    return FLOOR_FACTOR * epsilon(kappa.dtype, xp) * kappa


def digits_margin(digits: int) -> float:
    """Margin that survives printing with so many significant digits: one unit of the last.

    Example:
        >>> print(tolerances.digits_margin(6))
        1e-05
    """
    expect("whole", digits=digits)
    return float(10.0 ** (1 - digits))


GAP = 3.0
"""Longest step of a recording, in median steps: a longer one means that two samples or more are
lacking, so no line or derivative crosses it."""

NOISE_OF_CAD = 1e-5
"""Part of the largest number of its kind (centre, tensor) below which one is noise of the CAD
program, which prints 1e-19 for 0."""

OTHER_NUMBER = 1e-3
"""Part of the largest number of its kind by which one number has to differ, beside others that are
equal to the last digit; parts that were measured apart differ in all of them."""

EQUAL_TEXTS = 1e-9
"""Relative difference of numbers with one text, in other units or behind a turn of the axes."""

TURNED_DIGITS = 1e-5
"""Difference of equal entries of tensors in turned axes, relative to the largest: angles such as
1.5708 have five digits."""

COPIED_NUMBER = 1e-3
"""Part of the largest number of its kind up to which the numbers of a cause are those of another
body; the edits of causes have six digits, and some witnesses three."""

COPIED_ZERO = 1e-5
"""The same where the other number is 0, which three digits of a product would not tell from a small
one; six digits of a moment leave a part in a million."""

SAME_SPELLING = 1e-4
"""Largest difference of two spellings of one inertia, relative to its largest entry, that rounding
explains; chosen, as four decimals of a quaternion (0.7071) turn a tensor by 1e-5 and float32 by
1e-7, and the defects of converters are 0.3."""

UNIT_AXES = 1e-4
"""Largest distance of the length of principalAxes from 1; that of SimReady RB.008."""

LOST_BESIDE = 5e-4
"""Share of the trace that two products exceed, beside a third that is 0 and was lost: of 2,929
public bodies with three products none has such a one by rounding."""
