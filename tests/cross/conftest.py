"""Random bodies as lumps of point masses, and comparison in units of each body's own size."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

import clouds
import inertial_check as ic

EPS = np.finfo(float).eps


@dataclass(frozen=True)
class Lump:
    """Point masses, what they sum to by definition, and the package's view of them."""

    masses: np.ndarray
    points: np.ndarray
    sums: clouds.Sums = field(init=False)
    body: ic.InertialParameters = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "sums", clouds.sums(self.masses, self.points))
        body = ic.InertialParameters.from_point_masses(self.masses, self.points)
        object.__setattr__(self, "body", body)

    @property
    def com(self):
        return self.sums.first_moment / self.sums.mass

    @property
    def inertia_com(self):
        """By the definition, about the centre of mass: nothing of the package is asked."""
        return clouds.sums(self.masses, self.points - self.com).inertia

    @property
    def length(self):
        """[m] The farthest point from the origin."""
        return np.linalg.norm(self.points, axis=1).max()


def log_uniform(rng, low, high):
    return 10.0 ** rng.uniform(low, high)


@pytest.fixture
def log_elsewhere(tmp_path, monkeypatch):
    """MuJoCo logs its warnings to a file in the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def lumps() -> list[Lump]:
    """From a microgram to a kiloton, from a tenth of a millimetre to a hundred metres."""
    rng = np.random.default_rng(2026)
    made = []
    for seed in range(60):
        size = log_uniform(rng, -4, 2)
        center = rng.normal(size=3) * size * log_uniform(rng, -1, 1)
        masses, points = clouds.cloud(seed, spread=size, at=center)
        made.append(Lump(masses * log_uniform(rng, -9, 6), points))
    return made


@pytest.fixture(scope="session")
def assert_same() -> Callable[..., None]:
    """assert_same(actual, expected, mass, length): theta (10,), 3x3, 4x4 or 6x6, block by block.

    Every entry carries kg, kg m or kg m^2; it may err by some units in the last place of
    mass, mass length or mass length^2.
    """

    def compare(actual, expected, mass, length, order="angular-linear", ulps=64):
        actual, expected = np.asarray(actual), np.asarray(expected)
        assert actual.shape == expected.shape
        metres = {
            (10,): np.array([0, 1, 1, 1, *[2] * 6]),
            (3,): np.array([2] * 3),
            (3, 3): np.full((3, 3), 2),
            (4, 4): np.add.outer([1, 1, 1, 0], [1, 1, 1, 0]),
            (6, 6): np.add.outer(*[[1, 1, 1, 0, 0, 0][:: 1 if order[0] == "a" else -1]] * 2),
        }[actual.shape]
        unit = mass * float(length) ** metres
        np.testing.assert_allclose(actual / unit, expected / unit, rtol=0, atol=ulps * EPS)

    return compare


@pytest.fixture(scope="session")
def poses() -> list[tuple[np.ndarray, np.ndarray]]:
    """Rotations from uniform quaternions, and positions in units of a length to be chosen."""
    rng = np.random.default_rng(7)
    made = []
    for _ in range(60):
        w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
        cross = clouds.skew((x, y, z))
        made.append((np.eye(3) + 2 * w * cross + 2 * cross @ cross, rng.normal(size=3)))
    return made


def homogeneous(rotation, position):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, position
    return pose


@pytest.fixture(scope="session")
def pose_matrix() -> Callable[..., np.ndarray]:
    return homogeneous
