"""Time of one step of the online estimator for seven links, beside a step of plain RLS in NumPy.

    python benchmarks/online_identification.py [--samples 5000] [--json]

The recursion that it is compared with is the textbook's: a covariance of 70 x 70, seven torques a
sample, no constraint. Bodies that it returns need not exist, and where a motion shows nothing of a
parameter its covariance grows with every sample.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import inertial_check as ic
from inertial_check.mechanics.equations import regressor
from inertial_check.mechanics.tree import Tree

LINKS = 7
NOISE = 0.1
RATE = 1000.0
FORGETTING = 0.9995


def build_arm() -> tuple[Tree, ic.InertialParameters]:
    """Build an arm of seven links, and the bodies that are expected in their place."""
    X_PB = np.tile(np.eye(4), (LINKS, 1, 1))
    X_PB[:, 2, 3] = 0.3
    mass = np.linspace(4.0, 1.0, LINKS)
    com = np.tile([0.02, 0.01, 0.15], (LINKS, 1))
    inertia = np.array([k * np.diag([0.02, 0.02, 0.006]) for k in mass])
    links = ic.InertialParameters.from_com(mass, com, inertia)
    axes = [[0, 0, 1] if i % 2 == 0 else [0, 1, 0] for i in range(LINKS)]
    names = [f"link_{i + 1}" for i in range(LINKS)]
    tree = Tree(
        names, list(range(-1, LINKS - 1)), ["revolute"] * LINKS, X_PB, axes, links.as_theta()
    )
    return tree, ic.InertialParameters.from_com(1.2 * mass, com * [0, 0, 0.9], 1.3 * inertia)


def draw_samples(tree: Tree, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the regressor (S, 7, 70) of a motion of four sines a joint, and noisy torques (S, 7)."""
    rng = np.random.default_rng(0)
    t = np.arange(samples)[:, None, None] / RATE
    w, phase = rng.uniform(1, 6, (4, LINKS)), rng.uniform(0, 6, (4, LINKS))
    size = 0.5 * rng.normal(size=(4, LINKS))
    q = np.sum(size * np.sin(w * t + phase), axis=1)
    u = np.sum(size * w * np.cos(w * t + phase), axis=1)
    du = np.sum(-size * w**2 * np.sin(w * t + phase), axis=1)
    Y = np.asarray(regressor(tree, q, u, du))
    return Y, Y @ tree.theta.ravel() + NOISE * rng.normal(size=(samples, LINKS))


class PlainRLS:
    """Recursive least squares with a forgetting factor, in covariance form."""

    def __init__(self, theta: np.ndarray, covariance: np.ndarray) -> None:
        self.theta, self.P = theta, covariance

    def update(self, Y: np.ndarray, tau: np.ndarray) -> None:
        """Take a sample."""
        PY = self.P @ Y.T
        gain = np.linalg.solve(FORGETTING * NOISE**2 * np.eye(len(tau)) + Y @ PY, PY.T).T
        self.theta = self.theta + gain @ (tau - Y @ self.theta)
        P = self.P - gain @ PY.T
        self.P = (P + P.T) / (2 * FORGETTING)


def measure(update, Y: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Measure the time of each step [s]."""
    times = np.empty(len(tau))
    for k, (rows, torques) in enumerate(zip(Y, tau, strict=True)):
        start = time.perf_counter()
        update(rows, torques)
        times[k] = time.perf_counter() - start
    return times


def main() -> None:
    """Print median and 99 % of the time of a step, and the ratio of the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tree, prior = build_arm()
    Y, tau = draw_samples(tree, options.samples)
    plain = PlainRLS(prior.as_theta().ravel().copy(), np.eye(10 * LINKS))
    online = ic.OnlineIdentification(prior, 1 / NOISE, forgetting=FORGETTING)
    watching = ic.OnlineIdentification(prior, 1 / NOISE, forgetting=FORGETTING, carrier=-1)
    rows = {}
    np.seterr(over="ignore", invalid="ignore")  # the plain recursion can blow up
    for name, each in {"rls": plain, "online": online, "online, load": watching}.items():
        times = measure(each.update, Y, tau)
        rows[name] = {
            "median_us": 1e6 * float(np.median(times)),
            "p99_us": 1e6 * float(np.quantile(times, 0.99)),
        }
    exists = ic.check(plain.theta.reshape(-1, 10)).consistent
    rows["rls"]["links_inconsistent"] = int((~exists).sum())
    rows["online"]["links_inconsistent"] = int((~online.consistency.consistent).sum())
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"{LINKS} links, {options.samples} samples")
    for name, row in rows.items():
        ratio = row["median_us"] / rows["rls"]["median_us"]
        print(
            f"{name:13s} median {row['median_us']:6.0f} us, 99 % {row['p99_us']:6.0f} us, "
            f"{ratio:4.1f} times RLS"
        )
    counts = [rows[name]["links_inconsistent"] for name in ("rls", "online")]
    print("links that cannot exist: RLS {}, online {}".format(*counts))


if __name__ == "__main__":
    main()
