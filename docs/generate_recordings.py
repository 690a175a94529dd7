"""Write data/recordings/*.csv: what the arm beside them would measure if its links were TRUTH."""

import sys
from pathlib import Path

import numpy as np

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics.equations import inverse_dynamics

FOLDER = Path(__file__).parents[1] / "data" / "recordings"
ROBOT = FOLDER / "arm.urdf"

TRUTH = {
    "shoulder": (3.4, (0.002, 0.03, 0.09), (0.012, 0.011, 0.007, 0.0001, -0.0002, 0.0012)),
    "upper_arm": (3.1, (0.004, -0.02, 0.17), (0.051, 0.049, 0.006, 0.0004, -0.0010, 0.0006)),
    "forearm": (1.45, (-0.003, 0.01, 0.12), (0.011, 0.0105, 0.0014, 0, 0.0005, -0.0003)),
}
"""Mass [kg], p_BoBcm_B [m], I_BBcm_B as xx yy zz xy xz yz [kg m^2]."""

VISCOUS = np.array([1.8, 1.5, 0.7])
"""[N m s/rad]"""
COULOMB = np.array([1.1, 1.4, 0.5])
"""[N m]"""
OFFSET = np.array([0.1, -0.2, 0.05])
"""[N m]"""
NOISE = np.array([0.08, 0.12, 0.05])
"""Deviation of the torques [N m]."""

RATE = 50.0
RECORDINGS = {"train.csv": (1, 12.0), "validation.csv": (2, 6.0)}
"""Name: seed of the motion and of the noise, duration [s]."""

RAW = {"raw_train.csv": (81, 12.0), "raw_validation.csv": (42, 6.0)}
"""The same for recordings as a logger leaves them, with the faults of `raw_recording`."""

LAG = 0.06
"""Time by which the torques of the raw recordings come late [s]."""

SPIKES = 6
"""Number of samples with a wrong torque in each raw recording."""


def tree():
    """The arm with the links of TRUTH."""
    read = tree_of(ic.load(ROBOT)).tree
    theta = np.array(read.theta)
    for name, (mass, center, six) in TRUTH.items():
        xx, yy, zz, xy, xz, yz = six
        body = ic.InertialParameters.from_com(mass, center, [xx, xy, xz, yy, yz, zz])
        theta[read.index(name)] = body.as_theta()
    return type(read)(
        read.names, read.parents, read.joints, read.X_PB, read.axes_B, theta, read.points_B
    )


def motion(seed, duration, rate=RATE, ago=0.0):
    """T (S,), and q, u and du (S, 3) so long ago: five harmonics of one period, never at rest."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(duration * rate)) / rate
    w = 2 * np.pi / duration * np.arange(1, 6)
    a, b = rng.normal(size=(2, 5, 3)) * np.array([0.7, 0.5, 0.8])
    phase = w[:, None] * (t - ago)
    sines, cosines = np.sin(phase).T, np.cos(phase).T
    q = np.array([0.0, 0.4, -0.6]) + sines @ (a / w[:, None]) - cosines @ (b / w[:, None])
    u = cosines @ a + sines @ b
    du = -sines @ (a * w[:, None]) + cosines @ (b * w[:, None])
    return t, q, u, du


def friction(u):
    """Torques beside those of the links."""
    return VISCOUS * u + COULOMB * np.sign(u) + OFFSET


def recording(seed, duration):
    """The text of a csv file."""
    t, q, u, du = motion(seed, duration)
    noise = NOISE * np.random.default_rng([seed, 1]).normal(size=q.shape)
    tau = inverse_dynamics(tree(), q, u, du) + friction(u) + noise
    joints = ("turn", "lift", "bend")
    head = [
        "t",
        *(f"{joint}.position" for joint in joints),
        *(f"{joint}.effort" for joint in joints),
    ]
    rows = [
        ",".join([f"{time:.2f}", *(f"{x:.5f}" for x in own), *(f"{x:.3f}" for x in torque)])
        for time, own, torque in zip(t, q, tau, strict=True)
    ]
    return "\n".join([",".join(head), *rows, ""])


def raw_recording(seed, duration):
    """The text of a csv file of a logger: ms, degrees, late torques, spikes, short numbers."""
    t, q, _, _ = motion(seed, duration)
    _, *before = motion(seed, duration, ago=LAG)
    rng = np.random.default_rng([seed, 2])
    tau = inverse_dynamics(tree(), *before) + friction(before[1])
    tau += NOISE * rng.normal(size=tau.shape)
    rows = rng.choice(np.arange(20, len(t) - 20), SPIKES, replace=False)
    tau[rows, rng.integers(3, size=SPIKES)] += rng.choice([-40.0, 40.0], SPIKES)
    joints = ("turn", "lift", "bend")
    head = ["timestamp", *(f"{joint}/position" for joint in joints)]
    head += [f"{joint}/effort" for joint in joints]
    lines = [
        ",".join([f"{1000 * time:.0f}", *(f"{x:.3f}" for x in own), *(f"{x:.3f}" for x in torque)])
        for time, own, torque in zip(t, np.rad2deg(q), tau, strict=True)
    ]
    return "\n".join([",".join(head), *lines, ""])


def main():
    """Write the files, or with --check only say whether they are as they would be written."""
    stale = []
    texts = {name: recording(*each) for name, each in RECORDINGS.items()}
    texts |= {name: raw_recording(*each) for name, each in RAW.items()}
    for name, text in texts.items():
        path = FOLDER / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.exit(f"{', '.join(stale)}: not as docs/generate_recordings.py writes them")


if __name__ == "__main__":
    main()
