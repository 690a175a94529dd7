"""The nearest principal moments, exactly: every set of active facets tried in rationals."""

from fractions import Fraction
from itertools import combinations


def solve(matrix, right):
    """x of matrix x = right by elimination in rationals; None where the matrix is singular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k, row in enumerate(rows):
            if k != i:
                rows[k] = [a - row[i] * b for a, b in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def nearest_point(point, facets):
    """The point of {x : <f, x> >= 0 for each facet f} nearest to `point`, in rationals."""
    best = None
    for count in range(len(facets) + 1):
        for active in combinations(facets, count):
            gram = [[dot(a, b) for b in active] for a in active]
            weights = solve(gram, [-dot(a, point) for a in active])
            if weights is None:
                continue
            x = [p + sum(w * a[i] for w, a in zip(weights, active, strict=True))
                 for i, p in enumerate(point)]  # fmt: skip
            if all(dot(f, x) >= 0 for f in facets):
                square = dot([a - b for a, b in zip(x, point, strict=True)], x) - dot(
                    [a - b for a, b in zip(x, point, strict=True)], point
                )
                if best is None or square < best[0]:
                    best = square, x
    return best[1]


def nearest_moments(moments, metric, margin):
    """Principal moments (J1, J2, J3) of the nearest body, and none with less than the margin.

    With s_i = (J_j + J_k - J_i) / 2 the condition s_i >= margin sum(s) reads
    J_j + J_k - J_i - margin (J1 + J2 + J3) >= 0. "inertia" measures the change of J, "covariance"
    that of s.
    """
    J, margin = [Fraction(value) for value in moments], Fraction(margin)
    facets = [[1 - margin - 2 * (i == j) for j in range(3)] for i in range(3)]
    if metric == "inertia":
        return nearest_point(J, facets)
    s = [sum(J) / 2 - value for value in J]
    facets = [[(i == j) - margin for j in range(3)] for i in range(3)]
    s = nearest_point(s, [*facets, [1, 1, 1]])
    return [sum(s) - value for value in s]
