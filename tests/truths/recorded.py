"""Recordings of a known arm: what data/recordings/arm.urdf would measure with other links."""

import importlib.util
import sys
from pathlib import Path

import numpy as np

from inertial_check.mechanics.equations import inverse_dynamics

ROOT = Path(__file__).resolve().parents[2]
ROBOT = ROOT / "data" / "recordings" / "arm.urdf"
JOINTS = ("turn", "lift", "bend")
BODIES = ("shoulder", "upper_arm", "forearm")


def generator():
    """The module that writes data/recordings."""
    path = ROOT / "docs" / "generate_recordings.py"
    spec = importlib.util.spec_from_file_location("generate_recordings", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GENERATOR = generator()
TREE = GENERATOR.tree()
MOVED = [TREE.index(name) for name in BODIES]
TRUTH = TREE.theta[MOVED]


def motion(seed=3, duration=10.0, rate=50.0):
    """A recording without noise and friction: t, q, qd, qdd, tau."""
    t, q, u, du = GENERATOR.motion(seed, duration, rate)
    return {"t": t, "q": q, "qd": u, "qdd": du, "tau": inverse_dynamics(TREE, q, u, du)}


def with_friction(seed=3, duration=10.0, rate=50.0, noise=0.0):
    """The same with friction, and with noise of this part of the usual."""
    found = motion(seed, duration, rate)
    found["tau"] = found["tau"] + GENERATOR.friction(found["qd"])
    found["tau"] += (
        noise * GENERATOR.NOISE * np.random.default_rng(seed).normal(size=(len(found["t"]), 3))
    )
    return found


def written(folder, arrays, name="r.npz"):
    """The path, as text, of a file with these arrays."""
    path = folder / name
    np.savez(path, **arrays)
    return str(path)
