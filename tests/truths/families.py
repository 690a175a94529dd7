"""Six families of weighted projections, from easy to hardly posed, of every mass and length.

Each is drawn by a seed: theta (n, 10) in order "urdf" about the origin, and weights (n, 10) or
(n, 10, 10) on it. A body is a lump of six point masses, 1e-6 to 1e6 kg and 1e-4 to 1e2 m, around
the origin or up to five sizes away from it. What is added to it, and how it is weighted, is the
family. Everything is drawn in the body's own units [m, m l, m l^2]; no family is about kilograms.
NumPy only, and nothing of the package: these are inputs for it and for what judges it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Range = tuple[float, float]

MASS: Range = (-6.0, 6.0)  # powers of ten [kg]
LENGTH: Range = (-4.0, 2.0)  # powers of ten [m]
POINTS = 6
_METRES = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])


class Instances(NamedTuple):
    theta: Floats  # (n, 10)
    weights: Floats  # (n, 10) or (n, 10, 10)

    @property
    def matrices(self) -> Floats:
        """The weights (n, 10, 10), whichever way they were drawn."""
        return (
            self.weights if self.weights.ndim == 3 else self.weights[:, :, None] * np.identity(10)
        )


class Lumps(NamedTuple):
    theta: Floats  # (n, 10) of lumps of point masses
    units: Floats  # (n, 10) [m, m l, ..., m l^2, ...]: the size of each number of such a body
    pseudo_inertia: Floats  # (n, 4, 4)


def lumps(
    rng: np.random.Generator, count: int, mass: Range = MASS, length: Range = LENGTH
) -> Lumps:
    """Consistent bodies of 10 ** mass [kg], 10 ** length [m], the offset besides.

    The length unit is the radius of gyration about the origin, which holds size and offset.
    """
    sizes = 10.0 ** rng.uniform(*length, count)
    totals = 10.0 ** rng.uniform(*mass, count)
    offset = rng.choice([0.0, 1.0, 5.0], count)
    points = rng.normal(size=(count, POINTS, 3))
    points += offset[:, None, None] * rng.normal(size=(count, 1, 3))
    shares = rng.dirichlet(np.ones(POINTS), count)
    homogeneous = np.concatenate([points, np.ones((count, POINTS, 1))], axis=2)
    own = np.einsum("nk,nki,nkj->nij", shares, homogeneous, homogeneous)
    scale = np.concatenate([np.repeat(sizes[:, None], 3, axis=1), np.ones((count, 1))], axis=1)
    Pi = own * scale[:, :, None] * scale[:, None, :] * totals[:, None, None]
    reach = sizes * np.sqrt(np.trace(own[:, :3, :3], axis1=1, axis2=2))
    return Lumps(theta_of(Pi), totals[:, None] * reach[:, None] ** _METRES, Pi)


def theta_of(pseudo_inertia: Floats) -> Floats:
    """[m, h, xx, xy, xz, yy, yz, zz] of Pi (n, 4, 4): I = tr(S) 1 - S."""
    S, h, m = pseudo_inertia[:, :3, :3], pseudo_inertia[:, :3, 3], pseudo_inertia[:, 3, 3]
    (xx, yy, zz), (xy, xz, yz) = (
        (S[:, i, i] for i in range(3)),
        (S[:, 0, 1], S[:, 0, 2], S[:, 1, 2]),
    )
    six = [yy + zz, -xy, -xz, zz + xx, -yz, xx + yy]
    return np.stack([m, *h.T, *six], axis=1)


def _noise(rng: np.random.Generator, count: int, low: float, high: float) -> Floats:
    """Normal numbers (n, 10) of a size of their own in each row, powers of ten."""
    return rng.normal(size=(count, 10)) * 10.0 ** rng.uniform(low, high, (count, 1))


def noisy(rng: np.random.Generator, count: int) -> Instances:
    """Noise of 1e-6 to 3 of the body's own size, weighted by that size: the benign case."""
    body = lumps(rng, count)
    theta = body.theta + body.units * _noise(rng, count, -6, np.log10(3))
    return Instances(theta, body.units**-2)


def singular(rng: np.random.Generator, count: int) -> Instances:
    """The truth is on the boundary (Pi of rank one to three), the noise 1e-6 to 1e-2 of it.

    Plates, rods and point masses as identified from clean data: small moves, many of them along two
    or three facets at once.
    """
    body = lumps(rng, count)
    root = np.sqrt(np.diagonal(body.pseudo_inertia, axis1=1, axis2=2))
    both = root[:, :, None] * root[:, None, :]
    values, vectors = np.linalg.eigh(body.pseudo_inertia / both)
    lost = rng.choice([1, 1, 1, 2, 3], count)
    values[np.arange(4) < lost[:, None]] = 0.0
    truth = np.matmul(vectors * values[:, None, :], vectors.transpose(0, 2, 1)) * both
    theta = theta_of(truth) + body.units * _noise(rng, count, -6, -2)
    return Instances(theta, body.units**-2)


def garbage(rng: np.random.Generator, count: int) -> Instances:
    """Ten random numbers: half of the masses negative; some bodies turned over, some all zero.

    Many of the nearest are far away, without mass (the floor of the mass holds them), or zero.
    """
    body = lumps(rng, count)
    theta = body.units * rng.normal(size=(count, 10))
    kind = rng.choice(3, count, p=[0.9, 0.08, 0.02])
    theta[kind == 1] = -body.theta[kind == 1]
    theta[kind == 2] = 0.0
    return Instances(theta, body.units**-2)


def _full(rng: np.random.Generator, count: int, condition: float) -> Instances:
    """Information matrices with random eigenvectors, eigenvalues up to `condition` apart."""
    body = lumps(rng, count)
    Q = np.linalg.qr(rng.normal(size=(count, 10, 10)))[0]
    eigenvalues = 10.0 ** (rng.uniform(0, 1, (count, 10)) * np.log10(condition))
    W = np.matmul(Q * eigenvalues[:, None, :], Q.transpose(0, 2, 1))
    W = (W + W.transpose(0, 2, 1)) / 2
    W = W / (body.units[:, :, None] * body.units[:, None, :])
    theta = body.theta + body.units * _noise(rng, count, -6, np.log10(3))
    return Instances(theta, W)


def condition_1e4(rng: np.random.Generator, count: int) -> Instances:
    """Full weights of condition 1e4, as from an experiment that excites everything."""
    return _full(rng, count, 1e4)


def relative(rng: np.random.Generator, count: int) -> Instances:
    """W = 1 / theta_i^2, relative errors, as is often written: it blows up where theta_i is small.

    Products of inertia of 1e-4 of their neighbours weigh 1e8 times as much.
    """
    body = lumps(rng, count)
    theta = body.theta + body.units * _noise(rng, count, -4, 0)
    return Instances(theta, theta**-2)


def condition_1e8(rng: np.random.Generator, count: int) -> Instances:
    """Full weights of condition 1e8, as from an experiment that hardly excites some directions."""
    return _full(rng, count, 1e8)


FAMILIES: dict[str, Callable[[np.random.Generator, int], Instances]] = {
    "noisy": noisy,
    "singular truth": singular,
    "garbage": garbage,
    "condition 1e4": condition_1e4,
    "relative weights": relative,
    "condition 1e8": condition_1e8,
}


def draw(name: str, count: int, seed: int = 0) -> Instances:
    """So many instances of a family; the same ones for the same seed and count."""
    order = list(FAMILIES).index(name)
    return FAMILIES[name](np.random.default_rng([seed, order]), count)
