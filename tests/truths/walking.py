"""Recordings of known robots on feet: base motion, joint torques and contact wrenches."""

from types import SimpleNamespace

import numpy as np

import inertial_check as ic
from inertial_check.documents.model import tree_of
from inertial_check.mechanics.equations import inverse_dynamics
from inertial_check.mechanics.jacobians import jacobian, poses

LEGS = ("front_left", "front_right", "hind_left", "hind_right")


def _inertial(mass, center, size):
    x, y, z = size
    moments = [mass / 12 * (b * b + c * c) for b, c in ((y, z), (x, z), (x, y))]
    return (
        f'<inertial><origin xyz="{center}"/><mass value="{mass}"/><inertia ixx="{moments[0]}" '
        f'ixy="0" ixz="0" iyy="{moments[1]}" iyz="0" izz="{moments[2]}"/></inertial>'
    )


def _link(name, mass, center, size):
    return f'<link name="{name}">{_inertial(mass, center, size)}</link>'


def _joint(name, kind, parent, child, xyz, axis):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/></joint>'
    )


def quadruped(scale=1.0, legs=LEGS):
    """URDF of a trunk on legs of hip, thigh, shank and a foot without mass.

    Args:
        scale: Factor of all masses of the links but the trunk's, whose factor is its root.
        legs: Names of the legs, at the corners of the trunk.
    """
    parts = [_link("trunk", 8 * scale**0.5, "0.02 -0.01 0.03", (0.5, 0.25, 0.15))]
    for place, leg in enumerate(legs):
        x, y = 0.2 * (1 - 2 * (place // 2)), 0.12 * (1 - 2 * (place % 2))
        names = [f"{leg}_{part}" for part in ("hip", "thigh", "shank", "foot")]
        hip, thigh, shank, foot = names
        parts += [
            _link(hip, 0.7 * scale, "0.01 0.02 0", (0.1, 0.1, 0.1)),
            _link(thigh, 1.1 * scale, "0 0.01 -0.1", (0.06, 0.06, 0.25)),
            _link(shank, 0.4 * scale, "0.01 0 -0.11", (0.04, 0.05, 0.25)),
            f'<link name="{foot}"/>',
            _joint(f"{leg}_abduct", "revolute", "trunk", hip, f"{x} {y} 0", "1 0 0"),
            _joint(f"{leg}_flex", "revolute", hip, thigh, "0 0.06 0", "0 1 0"),
            _joint(f"{leg}_knee", "revolute", thigh, shank, "0 0 -0.25", "0 1 0"),
            _joint(f"{leg}_toe", "fixed", shank, foot, "0 0 -0.25", "0 0 1"),
        ]
    return f'<robot name="quadruped">{"".join(parts)}</robot>'


def record(urdf, *, seed=0, count=400, rate=200.0, contacts=None, axes="body", points=False):
    """Record a walk of a URDF with a floating base.

    The motion is a sum of sines. The wrenches of the contacts are those of least squares that carry
    the base, plus smooth random ones that cancel each other.

    Returns:
        tree, t, q, u, du (of the joints), base_pose, base_twist and base_acceleration (world),
        wrenches by body (S, 6), tau.
    """
    rng = np.random.default_rng(seed)
    tree = tree_of(ic.load(urdf.encode()), "floating").tree
    t = np.arange(count) / rate
    n = tree.n_u - 6
    motion = _sines(rng, t, n, 0.5)
    turns, places = _sines(rng, t, 3, 0.3), _sines(rng, t, 3, 0.1)
    q_IB, w_B, dw_B = _turn(turns)
    q = np.concatenate([places[0] + [0, 0, 0.5], q_IB, motion[0]], axis=1)
    u = np.concatenate([places[1], w_B, motion[1]], axis=1)
    du = np.concatenate([places[2], dw_B, motion[2]], axis=1)
    forces = inverse_dynamics(tree, q, u, du)
    feet = contacts or [name for name in tree.names if name.endswith("foot")]
    wrenches = _carry(rng, tree, q, t, forces, feet, points=points)
    J = [jacobian(tree, q, foot) for foot in feet]
    tau = forces - sum(
        np.einsum("sij,si->sj", each, w) for each, w in zip(J, wrenches, strict=True)
    )
    assert abs(tau[:, :6]).max() < 1e-9 * abs(forces).max()
    R_IB = poses(tree, q)[:, [tree.index(foot) for foot in feet], :3, :3]
    if axes == "body":
        wrenches = [
            np.einsum("sji,skj->ski", R_IB[:, place], w.reshape(-1, 2, 3)).reshape(-1, 6)
            for place, w in enumerate(wrenches)
        ]
    R_trunk = poses(tree, q)[:, 0, :3, :3]
    world = [np.einsum("sij,sj->si", R_trunk, each) for each in (w_B, dw_B)]
    return SimpleNamespace(
        tree=tree, t=t, q=motion[0], u=motion[1], du=motion[2], pose=q[:, :7],
        twist=np.concatenate([places[1], world[0]], axis=1),
        acceleration=np.concatenate([places[2], world[1]], axis=1),
        wrenches=dict(zip(feet, wrenches, strict=True)), tau=tau[:, 6:],
        whole=(q, u, du, forces),
    )  # fmt: skip


def _sines(rng, t, count, size):
    """Positions, velocities and accelerations (S, count) of sums of sines."""
    phase, weight = rng.uniform(0, 6, (3, 1, count)), rng.uniform(0.3, 1, (3, 1, count)) * size
    w = 2 * np.pi * rng.uniform(0.4, 1.6, (3, 1, count))
    x = w * t[:, None] + phase
    return (
        (weight * np.sin(x)).sum(axis=0),
        (weight * w * np.cos(x)).sum(axis=0),
        -(weight * w * w * np.sin(x)).sum(axis=0),
    )


def _turn(angles):
    """Quaternions, angular velocities in the body and their rates, of Euler angles."""
    from scipy.spatial.transform import Rotation

    a, da, dda = angles
    _, y, x = a.T
    dz, dy, dx = da.T
    ddz, ddy, ddx = dda.T
    sy, cy, sx, cx = np.sin(y), np.cos(y), np.sin(x), np.cos(x)
    w = np.stack([dx - sy * dz, cx * dy + sx * cy * dz, -sx * dy + cx * cy * dz], axis=1)
    dw = np.stack(
        [
            ddx - cy * dy * dz - sy * ddz,
            -sx * dx * dy + cx * ddy + (cx * dx * cy - sx * sy * dy) * dz + sx * cy * ddz,
            -cx * dx * dy - sx * ddy + (-sx * dx * cy - cx * sy * dy) * dz + cx * cy * ddz,
        ],
        axis=1,
    )
    xyzw = Rotation.from_euler("ZYX", a).as_quat()
    return xyzw[:, [3, 0, 1, 2]], w, dw


def _carry(rng, tree, q, t, forces, feet, *, points):
    """Wrenches (S, 6) in the world that carry the base; forces alone but on the trunk."""
    given = np.ones((len(feet), 6))
    if points:
        given[[foot != "trunk" for foot in feet], 3:] = 0.0
    J = [np.swapaxes(jacobian(tree, q, foot)[:, :, :6], 1, 2) for foot in feet]
    G = np.concatenate(J, axis=2) * given.ravel()
    extra = _sines(rng, t, 6 * len(feet), 5.0)[0] * given.ravel()
    lacking = forces[:, :6] - np.einsum("sij,sj->si", G, extra)
    w = extra + np.einsum("sij,sj->si", np.linalg.pinv(G), lacking)
    return list(np.moveaxis(w.reshape(len(q), len(feet), 6), 1, 0))


def arrays(walk, *, noise=0.0, seed=0, rates=True, prefix="wrench_"):
    """Arrays of an npz of a walk, with noise relative to each channel of torques and wrenches."""
    rng = np.random.default_rng(seed)

    def spoil(signal):
        size = np.sqrt((signal**2).mean(axis=0))
        return signal + noise * size * rng.normal(size=signal.shape)

    joints = [name for name in walk.tree.names if not name.endswith(("trunk", "foot"))]
    ends = {"hip": "abduct", "thigh": "flex", "shank": "knee"}
    names = [f"{name.rpartition('_')[0]}_{ends[name.rpartition('_')[2]]}" for name in joints]
    found = {"t": walk.t, "q": walk.q, "tau": spoil(walk.tau), "joints": np.array(names)}
    found["base_pose"] = walk.pose
    if rates:
        found |= {"qd": walk.u, "qdd": walk.du}
        found |= {"base_twist": walk.twist, "base_acceleration": walk.acceleration}
    found |= {f"{prefix}{foot}": spoil(w) for foot, w in walk.wrenches.items()}
    return found
