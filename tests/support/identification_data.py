"""Recordings of real robots in the folder INERTIAL_CHECK_DATASETS, as its README describes them.

What is done to them here is done with NumPy and SciPy alone; of the package, the trees of the URDF
files come from its reader, and the declarations of friction are its own.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Coupling,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)
from inertial_check.identification.fit.samples import Samples
from inertial_check.mechanics import equations

GAINS = np.array([14.87, 13.26, 11.13, 10.62, 11.03, 11.47])
"""[N m/A] of the UR10e's drives, for torques from currents."""

LEAST_MASS, LEAST_LENGTH, LEAST_SHARE = 0.05, 0.01, 0.02
"""[kg], [m] and 1: how the README moves a prior into the cone. They have units; the package's
floors have none."""


class Run(NamedTuple):
    """Samples: t (S,), q, u, du and tau (S, n)."""

    t: Any
    q: Any
    u: Any
    du: Any
    tau: Any

    def part(self, rows: Any) -> "Run":
        return Run(*(each[rows] for each in self))


class Robot(NamedTuple):
    """How the files of one robot are called, and how its recordings were made."""

    name: str
    urdf: str
    training: str
    validation: tuple[str, ...]
    cutoff: float  # [Hz]
    dropped: int  # samples at either end, which the filter spoils
    every: int  # one sample of so many is kept
    extra: tuple[str, ...]  # kinds of further numbers


ROBOTS = {
    robot.name: robot
    for robot in (
        Robot(
            "ur10e",
            "ur10e.urdf",
            "train_50s12h",
            ("val_30s12h", "val_40s12h", "val_20s8h", "val_ptp10"),
            6.0,
            20,
            1,
            ("fv", "fc", "off", "Ia"),
        ),
        Robot(
            "panda",
            "panda_mdh.urdf",
            "train_first60",
            ("val_last40",),
            10.0,
            100,
            4,
            ("fv", "fc", "off"),
        ),
        Robot(
            "tx40",
            "tx40.urdf",
            "train_even_blocks",
            ("val_odd_blocks",),
            60.0,
            150,
            10,
            ("fv", "fc", "off", "Ia", "wrist"),
        ),
    )
}

RAW = {"panda": "trajectory_1", "tx40": "trajectory"}
"""The file that training and validation are cut from, where they are not files of their own."""


class Problem(NamedTuple):
    """The training set as `problem.npz` has it, all joints in one weighted system."""

    R: Any
    rho: Any
    rss: float
    prior: Any  # (L, 10)
    weights: Any  # (n,)
    names: tuple[str, ...]  # of the further numbers
    nonneg: Any  # (k,)
    samples: int
    joints: int


class Row(NamedTuple):
    """One row of `baseline.json`."""

    problem: str
    method: str
    regularization: float | None
    objective: float | None
    cones: bool
    certified: bool
    entries: dict[str, Any]


def problem(folder: Path, name: str) -> Problem:
    found = np.load(folder / name / "problem.npz")
    links = len(found["prior"])
    return Problem(
        found["R"],
        found["rho"],
        float(found["rss0"]),
        found["prior"].reshape(-1, 10),
        found["weights"],
        tuple(map(str, found["names"][links:])),
        found["nonneg"][links:],
        int(found["n_samples"]),
        int(found["n_joints"]),
    )


def baseline(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "baseline.json").read_text()))


def rows(folder: Path, *names: str) -> Iterator[Row]:
    """The rows of some problems; those with a regularization of 0.01 and more are certified."""
    everything = baseline(folder)
    for name in names:
        for row in everything[name]["rows"]:
            weight = row["lam"]
            cones = row["method"].startswith("consistent")
            certified = cones and weight >= 0.01
            yield Row(name, row["method"], weight, row.get("objective"), cones, certified, row)


@cache
def tree(folder: Path, name: str) -> tuple[Any, tuple[int, ...]]:
    """The tree of a robot's URDF, and the indices of the bodies that move."""
    found = tree_of(ic.load(folder / name / ROBOTS[name].urdf)).tree
    return found, tuple(i for i, joint in enumerate(found.joints) if joint != "fixed")


def nuisance(name: str, scale: float = np.inf) -> Nuisance:
    """The further numbers of a robot, in the order of the README."""
    kinds = {
        "fv": [Viscous(scale=scale)],
        "fc": [Coulomb(scale=scale)],
        "off": [Offset(scale=scale)],
        "Ia": [RotorInertia(scale=scale)],
        "wrist": [
            Coupling(joints=(4, 5), kind=kind, scale=scale)
            for kind in ("inertia", "viscous", "coulomb")
        ],
    }
    terms = [term for extra in ROBOTS[name].extra for term in kinds[extra]]
    return Nuisance.of(*terms, joints=7 if name == "panda" else 6)


def extra_columns(name: str, u: Any, du: Any) -> Any:
    """(S, n, k) of the README's definitions, without the package."""
    count, joints = u.shape
    one = np.eye(joints)
    kinds = {
        "fv": one * u[:, None, :],
        "fc": one * np.sign(u)[:, None, :],
        "off": np.tile(one, (count, 1, 1)),
        "Ia": one * du[:, None, :],
    }
    if "wrist" in ROBOTS[name].extra:
        kinds["wrist"] = wrist = np.zeros((count, joints, 3))
        together = np.sign(u[:, 4] + u[:, 5])
        wrist[:, 4] = np.stack([du[:, 5], u[:, 5], together], axis=1)
        wrist[:, 5] = np.stack([du[:, 4], u[:, 4], together], axis=1)
    return np.concatenate([kinds[extra] for extra in ROBOTS[name].extra], axis=2)


def reference(folder: Path, name: str, run: str) -> Run:
    """The filtered signals of the README's table."""
    found = np.load(folder / name / "ref" / f"{run}.npz")
    return Run(*(found[key] for key in ("t", "q", "qd", "qdd", "tau")))


def regressor(folder: Path, name: str, run: Run) -> Any:
    """(S, n, 10 L) of the bodies that move, by our reader and our dynamics."""
    whole, moved = tree(folder, name)
    Y = equations.regressor(whole, run.q, run.u, run.du)
    return Y.reshape(*Y.shape[:2], -1, 10)[:, :, list(moved)].reshape(*Y.shape[:2], -1)


def design(folder: Path, name: str, run: Run) -> Any:
    """(S, n, p) of all columns, bodies first."""
    extra = extra_columns(name, run.u, run.du)
    return np.concatenate([regressor(folder, name, run), extra], axis=2)


def samples(folder: Path, name: str, run: Run, scale: float = np.inf) -> Samples:
    """A run as the package takes it, its further columns as the README defines them.

    There the sign of a velocity that is rounding counts as friction, in joints at rest.
    """
    declared = nuisance(name, scale)
    given = Nuisance.from_columns(
        extra_columns(name, run.u, run.du),
        declared.names,
        lower=declared.lower,
        upper=declared.upper,
        scale=declared.scale,
    )
    return sampled(folder, name, run, given)


def samples_by_terms(folder: Path, name: str, run: Run) -> Samples:
    """The same with the terms of the package, by which joints at rest have no Coulomb friction."""
    return sampled(folder, name, run, nuisance(name))


def sampled(folder: Path, name: str, run: Run, beside: Nuisance) -> Samples:
    whole, moved = tree(folder, name)
    return Samples.of_trajectory(whole, run.q, run.u, run.du, run.tau, beside, bodies=moved)


def floored(theta: Any) -> Any:
    """A prior (L, 10) strictly inside the cone, as the README moves it."""
    found = np.empty_like(theta)
    for row, own in zip(found, theta, strict=True):
        mass, center = max(own[0], LEAST_MASS), own[1:4] / (own[0] or 1.0)
        second = second_moment(own) - own[0] * np.outer(center, center)
        values, axes = np.linalg.eigh(second)
        least = max(LEAST_SHARE * np.trace(second), mass * LEAST_LENGTH**2)
        second = (axes * np.maximum(values, least)) @ axes.T + mass * np.outer(center, center)
        inertia = np.trace(second) * np.eye(3) - second
        row[:] = mass, *(mass * center), *inertia[np.triu_indices(3)]
    return found


def second_moment(theta: Any) -> Any:
    """S (3, 3) about the body's origin."""
    inertia = np.zeros((3, 3))
    inertia[np.triu_indices(3)] = theta[4:]
    inertia = inertia + np.triu(inertia, 1).T
    return np.trace(inertia) / 2 * np.eye(3) - inertia


# From the raw recordings


def raw(folder: Path, name: str, run: str) -> Run:
    """A recording as it was logged: t, q, u (None for tx40), no du, tau."""
    found = np.load(folder / name / f"{RAW.get(name, run)}.npz")
    tau = found["current"] * GAINS if name == "ur10e" else found["tau"]
    return Run(found["t"], found["q"], found.get("qd"), None, tau)


def rebuilt(folder: Path, name: str, run: str) -> Run:
    """What `reference` has, from the raw recording."""
    whole = filtered(name, raw(folder, name, run))
    return whole.part(kept(name, run, len(whole.t)))


def recorded(folder: Path, name: str, run: str) -> Run:
    """The same by the signal processing of the package, at the published cut-off."""
    from inertial_check.identification.motion import signals

    logged = raw(folder, name, run)
    rate = 1e3 if name == "panda" else (len(logged.t) - 1) / (logged.t[-1] - logged.t[0])
    how = signals.Smoothing(rate=rate, cutoff=ROBOTS[name].cutoff, trim=0, refilter=True)
    found = signals.smooth(logged.t, logged.q, logged.tau, u=logged.u, how=how)
    whole = Run(found.t, found.q, found.u, found.du, found.tau)
    return whole.part(kept(name, run, len(whole.t)))


def filtered(name: str, run: Run) -> Run:
    """On a uniform clock, all signals through one zero-phase filter, differentiated.

    Velocities that were not logged are central differences of the filtered q, and accelerations
    those of the filtered velocities; both are filtered once more.
    """
    from scipy.signal import butter, sosfiltfilt

    clock = uniform(name, run.t)
    step = (clock[-1] - clock[0]) / (len(clock) - 1)
    cutoff = ROBOTS[name].cutoff
    sections = butter(4, 2 * cutoff * step, output="sos")

    def smooth(signal: Any) -> Any:
        return sosfiltfilt(sections, signal, axis=0, padlen=int(3 / (cutoff * step) + 1e-6))

    def resampled(signal: Any) -> Any:
        return np.stack([np.interp(clock, run.t, column) for column in signal.T], axis=1)

    q = smooth(resampled(run.q))
    u = smooth(np.gradient(q, step, axis=0) if run.u is None else resampled(run.u))
    du = smooth(np.gradient(u, step, axis=0))
    return Run(clock, q, u, du, smooth(resampled(run.tau)))


def uniform(name: str, t: Any) -> Any:
    """As many samples in the same time (ur10e), 1 kHz (panda), what is uniform (tx40)."""
    if name == "panda":
        return np.arange(t[0], t[-1], 1e-3)
    return t if name == "tx40" else np.linspace(t[0], t[-1], len(t))


def kept(name: str, run: str, count: int) -> Any:
    """Indices of the samples of a training or validation set."""
    robot = ROBOTS[name]
    inside = np.arange(robot.dropped, count - robot.dropped, robot.every)
    training = run == robot.training
    if name == "panda":
        inside = np.arange(robot.dropped, count - robot.dropped)
        cut = int(0.6 * len(inside))
        return (inside[:cut] if training else inside[cut:])[:: robot.every]
    if name == "tx40":
        block = (np.arange(len(inside)) // 225) % 2  # of 0.45 s
        return inside[block == (0 if training else 1)]
    return inside
