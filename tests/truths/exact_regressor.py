"""The regressor of a tree of revolute and prismatic joints in exact arithmetic, and its rank.

Everything is a number modulo a prime: angles by the tangents of their halves, so that sines and
cosines are rational. At states drawn from the whole field the rank is the rank over the rationals
but for a chance of about one in 10^17. Written for itself: Newton and Euler, body by body.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

PRIME = 2**61 - 1


def field(value):
    """A rational number, or an array of them, modulo the prime."""
    array = np.asarray(value, dtype=object)
    if array.ndim:
        return np.array([field(entry) for entry in array.ravel()], dtype=object).reshape(
            array.shape
        )
    exact = Fraction(value)
    return exact.numerator * pow(exact.denominator, -1, PRIME) % PRIME


@dataclass
class Chain:
    """Bodies in the order of their parents; joints turn or slide along z of the body frame.

    parents: of each body, -1 for the base. kinds: "revolute" or "prismatic". R: (N, 3, 3) body
    frame in the parent's at q = 0, rational. p: (N, 3) its origin, rational.
    """

    parents: list
    kinds: list
    R: object
    p: object


def cross(a, b):
    return (
        np.array(
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
            dtype=object,
        )
        % PRIME
    )


def inertia_times(w):
    """(3, 6): I w = this times the six of I."""
    x, y, z = w
    return np.array([[x, y, z, 0, 0, 0], [0, x, 0, y, z, 0], [0, 0, x, 0, y, z]], dtype=object)


def turned(t):
    """About z by twice the arc tangent of t."""
    inverse = pow(1 + t * t, -1, PRIME)
    c, s = (1 - t * t) * inverse % PRIME, 2 * t * inverse % PRIME
    return np.array([[c, -s % PRIME, 0], [s, c, 0], [0, 0, 1]], dtype=object)


def wrench_columns(w, alpha, a):
    """(6, 10): moment about the body origin, then force, of each of m, h and the six of I."""
    columns = np.zeros((6, 10), dtype=object)
    columns[3:, 0] = a
    for axis in range(3):
        unit = np.array([int(axis == k) for k in range(3)], dtype=object)
        columns[:3, 1 + axis] = cross(unit, a)
        columns[3:, 1 + axis] = cross(alpha, unit) + cross(w, cross(w, unit))
    of_w = inertia_times(w)
    columns[:3, 4:] = inertia_times(alpha)
    for entry in range(6):
        columns[:3, 4 + entry] += cross(w, of_w[:, entry])
    return columns % PRIME


def regressor(chain, gravity, rng):
    """(n, 10 N) at a random state."""
    count = len(chain.parents)
    R, p = field(chain.R), field(chain.p)
    z = np.array([0, 0, 1], dtype=object)
    poses, motions = [], []
    Y = np.zeros((count, 10 * count), dtype=object)
    for body, parent in enumerate(chain.parents):
        q, u, du = (int(rng.integers(1, PRIME)) for _ in range(3))
        if parent < 0:
            w0 = alpha0 = np.zeros(3, dtype=object)
            a0 = -field(gravity) % PRIME
        else:
            w0, alpha0, a0 = motions[parent]
        turn, way = R[body], p[body]
        if chain.kinds[body] == "revolute":
            turn = turn @ turned(q) % PRIME
        else:
            way = (way + turn @ z * q) % PRIME
        lifted = a0 + cross(alpha0, way) + cross(w0, cross(w0, way))
        w, alpha, a = (turn.T @ vector % PRIME for vector in (w0, alpha0, lifted))
        if chain.kinds[body] == "revolute":
            alpha = (alpha + z * du + cross(w, z * u)) % PRIME
            w = (w + z * u) % PRIME
        else:
            a = (a + z * du + 2 * cross(w, z * u)) % PRIME
        poses.append((turn, way))
        motions.append((w, alpha, a))
        carried, joint = wrench_columns(w, alpha, a), body
        while joint >= 0:
            row = 2 if chain.kinds[joint] == "revolute" else 5
            Y[joint, 10 * body : 10 * body + 10] = carried[row]
            turn, way = poses[joint]
            moment, force = turn @ carried[:3] % PRIME, turn @ carried[3:] % PRIME
            arm = np.stack([cross(way, column) for column in force.T], axis=1)
            carried = np.concatenate([(moment + arm) % PRIME, force])
            joint = chain.parents[joint]
    return Y


def rank(chain, gravity=(0, 0, "-9.81"), seed=0):
    """Rank of the regressor over all states: they are drawn until some in a row add nothing."""
    rng = np.random.default_rng(seed)
    rows, idle = [], 0
    while idle < 3:
        added = [_new_row(rows, row) for row in regressor(chain, gravity, rng)]
        idle = 0 if any(added) else idle + 1
    return len(rows)


def _new_row(rows, row):
    """Eliminate a row by those that are there, and keep what is left; whether anything is."""
    for pivot, kept in rows:
        if row[pivot]:
            row = (row - row[pivot] * kept) % PRIME
    nonzero = np.flatnonzero(row)
    if nonzero.size:
        pivot = int(nonzero[0])
        rows.append((pivot, row * pow(int(row[pivot]), -1, PRIME) % PRIME))
    return bool(nonzero.size)
