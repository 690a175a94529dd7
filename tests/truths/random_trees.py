"""Random trees of bodies, and the same as URDF and MJCF texts of full precision."""

import numpy as np

import clouds
import inertial_check as ic
from inertial_check.mechanics.tree import Tree


def rotation(rng):
    """Uniform."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    cross = clouds.skew((x, y, z))
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def random_tree(
    seed,
    *,
    count=8,
    base="revolute",
    kinds=("revolute", "prismatic", "fixed"),
    anchored=False,
    shuffled=False,
    axes="any",
):
    """A tree of `count` bodies; `anchored` axes pass beside the body origins.

    Bodies stand in a random order if `shuffled`, else parents before children.
    """
    rng = np.random.default_rng(seed)
    X_PB = np.tile(np.eye(4), (count, 1, 1))
    for X in X_PB:
        X[:3, :3], X[:3, 3] = rotation(rng), rng.normal(size=3)
    parents = np.array([-1, *(rng.integers(max(0, i - 3), i) for i in range(1, count))])
    joints = np.array([base, *rng.choice(kinds, size=count - 1)])
    X_PB[0] = np.eye(4)
    directions = rng.normal(size=(count, 3))
    if axes == "coordinate":
        directions = np.eye(3)[rng.integers(3, size=count)] * rng.choice([-1, 1], size=(count, 1))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    masses, points = rng.uniform(0.1, 1, (count, 6)), rng.normal(size=(count, 6, 3))
    theta = ic.InertialParameters.from_point_masses(masses, points).as_theta()
    centers = rng.normal(size=(count, 3)) * anchored
    names = np.array([f"body{i}" for i in range(count)])
    if shuffled:
        order = rng.permutation(count)  # place -> body
        place = np.argsort(order)
        parents = np.array([place[p] if p >= 0 else -1 for p in parents])[order]
        joints, X_PB, directions = joints[order], X_PB[order], directions[order]
        theta, centers, names = theta[order], centers[order], names[order]
    return Tree(names.tolist(), parents, joints.tolist(), X_PB, directions, theta, centers)


def configurations(tree, seed, shape=(4,)):
    """Random q, u and du; quaternions of length 1."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(*shape, tree.n_q))
    for joint, place in zip(tree.joints, tree.coordinates, strict=True):
        if joint == "floating":
            four = q[..., place.start + 3 : place.stop]
            four /= np.linalg.norm(four, axis=-1, keepdims=True)
    return q, *rng.normal(size=(2, *shape, tree.n_u))


def _text(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _numbers(tree, body):
    own = ic.InertialParameters.from_theta(tree.theta[body])
    inertia = own.inertia_com
    return (
        float(own.mass),
        own.com,
        [inertia[i, j] for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))],
    )


def rpy(R):
    """Roll, pitch and yaw."""
    yaw, pitch = np.arctan2(R[1, 0], R[0, 0]), np.arcsin(np.clip(-R[2, 0], -1, 1))
    return np.arctan2(R[2, 1], R[2, 2]), pitch, yaw


def as_urdf(tree):
    """The tree as a URDF; a floating body is its root, and a body tied to I hangs on `world`."""
    parts = []
    if "floating" not in tree.joints:
        parts.append('<link name="world"/>')
    for body, name in enumerate(tree.names):
        mass, com, six = _numbers(tree, body)
        entries = " ".join(
            f'{entry}="{value!r}"'
            for entry, value in zip(
                ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), map(float, six), strict=True
            )
        )
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{_text(com)}"/><mass value="{mass!r}"/>'
            f"<inertia {entries}/></inertial></link>"
        )
    for body, (name, kind) in enumerate(zip(tree.names, tree.joints, strict=True)):
        if kind == "floating":
            continue
        parent = tree.parents[body]
        above = tree.names[parent] if parent >= 0 else "world"
        X = tree.X_PB[body]
        limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>'
        parts.append(
            f'<joint name="to_{name}" type="{kind}"><parent link="{above}"/><child link="{name}"/>'
            f'<origin xyz="{_text(X[:3, 3])}" rpy="{_text(rpy(X[:3, :3]))}"/>'
            f'<axis xyz="{_text(tree.axes_B[body])}"/>{limit}</joint>'
        )
    return f'<robot name="tree">{"".join(parts)}</robot>'


def as_mjcf(tree):
    """The tree as an MJCF, for which parents stand before children and bodies are depth-first."""
    children = {}
    for body, parent in enumerate(tree.parents.tolist()):
        children.setdefault(parent, []).append(body)

    def element(body):
        mass, com, six = _numbers(tree, body)
        full = _text([six[i] for i in (0, 3, 5, 1, 2, 4)])
        X, kind = tree.X_PB[body], tree.joints[body]
        axes = _text([X[:3, 0], X[:3, 1]])
        joint = {
            "fixed": "",
            "floating": "<freejoint/>",
            "revolute": f'<joint type="hinge" axis="{_text(tree.axes_B[body])}" '
            f'pos="{_text(tree.points_B[body])}"/>',
            "prismatic": f'<joint type="slide" axis="{_text(tree.axes_B[body])}"/>',
        }[kind]
        inside = "".join(element(child) for child in children.get(body, []))
        return (
            f'<body name="{tree.names[body]}" pos="{_text(X[:3, 3])}" xyaxes="{axes}">{joint}'
            f'<inertial pos="{_text(com)}" mass="{mass!r}" fullinertia="{full}"/>{inside}</body>'
        )

    bodies = "".join(element(body) for body in children[-1])
    return (
        '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option gravity="0 0 -9.81"/><worldbody>{bodies}</worldbody></mujoco>'
    )
