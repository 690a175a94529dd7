"""Huber's loss: residuals beyond a bend count by their size, not by their square.

Each round is a weighted least-squares problem of its own, with another look at the samples; the
loss falls from round to round (Huber, Ronchetti: Robust Statistics, 2009, section 7.8).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats

BEND = 1.345
"""Deviations at which the loss turns: 95 % of the precision of least squares for normal noise."""

EXPECTED = 0.71016
"""Mean of min(z^2, BEND^2) over normal z of deviation 1 (Huber's proposal 2 for the scale)."""

ROUNDS = 50
"""Rounds at most; five to twenty are usual."""


class Huber:
    """Factors of the squares of residuals, and the loss on the way.

    Args:
        x: (p,) the parameters, as the samples' columns have them.
        weights: (n,) one over the deviation of each joint's noise.
    """

    def __init__(self, x: Floats, weights: Floats) -> None:
        self.x, self.weights = x, weights
        self.loss = 0.0
        """Twice Huber's loss of all samples that were seen: their squares where they are small."""
        self.bent = 0
        """How many residuals are beyond the bend."""
        self.bounded = np.zeros(len(weights))
        """(n,) sums of min(z^2, BEND^2), by which a few large residuals do not tell the noise."""

    def __call__(self, A: Floats, tau: Floats) -> Floats:
        """Factors (s, n) for a block of A (s, n, p) and tau (s, n)."""
        z = np.abs(A @ self.x - tau) * self.weights
        beyond = z > BEND
        self.bent += int(beyond.sum())
        self.bounded += np.minimum(z, BEND).T ** 2 @ np.ones(len(z))
        self.loss += float(np.sum(np.where(beyond, BEND * (2 * z - BEND), z**2)))
        return np.where(beyond, BEND / np.where(beyond, z, 1.0), 1.0)

    def reweigh(self, samples: npt.NDArray[np.int64]) -> Floats:
        """The weights (n,) that these residuals of so many samples (n,) suggest."""
        scale = np.sqrt(self.bounded / (EXPECTED * samples))
        return np.asarray(self.weights / np.where(scale > 0, scale, 1.0))
