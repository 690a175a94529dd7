"""Microseconds a configuration of the equations of motion, against a loop over Pinocchio.

    python benchmarks/dynamics_batches.py [--rounds 7] [--configurations 10240] [--batch 2048]

Two arms of 7 and 30 revolute joints, random poses and bodies. Both contenders fill arrays for all
configurations, a batch at a time: ours in one call, Pinocchio (`computeJointTorqueRegressor`,
`crba`, `nonLinearEffects`, `computeGeneralizedGravity`, `aba`, `centerOfMass`,
`jacobianCenterOfMass`, `computeCentroidalMap`, and `computeJointJacobians` times a force) in a loop
over Python calls. One process, one thread, in turns; processor time is counted. A figure is the
median over the rounds, a ratio the median of the rounds' own ratios. `deviation` is the largest
difference over the largest entry in one batch, computed before.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from time import process_time
from typing import NamedTuple

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported

import numpy as np

from inertial_check.inertia.representations import reorder
from inertial_check.mechanics import composites, contacts, equations, forward
from inertial_check.mechanics.tree import Tree

JOINTS = (7, 30)

try:
    import pinocchio
except ImportError:
    sys.exit("needs Pinocchio: pip install pin")


class Contest(NamedTuple):
    """One quantity, by both; each fills the array that it is given, for q, u and du."""

    name: str
    ours: Callable[..., np.ndarray]
    theirs: Callable[..., None]
    shape: tuple[int, ...]


def arm(joints: int) -> tuple[Tree, pinocchio.Model]:
    pinocchio.seed(joints)
    model, X_PB, axes, theta = pinocchio.Model(), [], [], []
    kinds = (pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ)
    for joint in range(joints):
        pose, body = pinocchio.SE3.Random(), pinocchio.Inertia.Random()
        model.addJoint(joint, kinds[joint % 3](), pose, f"joint{joint}")
        model.appendBodyToJoint(joint + 1, body, pinocchio.SE3.Identity())
        X_PB.append(pose.homogeneous)
        axes.append(np.eye(3)[joint % 3])
        theta.append(reorder(body.toDynamicParameters(), "pinocchio", "urdf"))
    names = [f"link{joint}" for joint in range(joints)]
    parents = np.arange(joints) - 1
    tree = Tree(names, parents, ["revolute"] * joints, X_PB, np.array(axes), np.array(theta))
    return tree, model


def contests(tree: Tree, model: pinocchio.Model) -> list[Contest]:
    data, n = model.createData(), tree.n_u

    def loop(call: Callable[..., np.ndarray]) -> Callable[..., None]:
        def fill(out, q, u, du):
            for place, state in enumerate(zip(q, u, du, strict=True)):
                out[place] = call(*state)

        return fill

    return [
        Contest(
            "regressor",
            lambda q, u, du, out=None: equations.regressor(
                tree, q, u, du, order="pinocchio", out=out
            ),
            loop(lambda q, u, du: pinocchio.computeJointTorqueRegressor(model, data, q, u, du)),
            (n, 10 * n),
        ),
        Contest(
            "mass matrix",
            lambda q, u, du, out=None: equations.mass_matrix(tree, q, out=out),
            loop(lambda q, u, du: pinocchio.crba(model, data, q)),
            (n, n),
        ),
        Contest(
            "bias",
            lambda q, u, du, out=None: equations.bias_forces(tree, q, u),
            loop(lambda q, u, du: pinocchio.nonLinearEffects(model, data, q, u)),
            (n,),
        ),
        Contest(
            "gravity",
            lambda q, u, du, out=None: equations.gravity_forces(tree, q),
            loop(lambda q, u, du: pinocchio.computeGeneralizedGravity(model, data, q)),
            (n,),
        ),
        *newer_contests(tree, model, data, loop),
    ]


def newer_contests(
    tree: Tree,
    model: pinocchio.Model,
    data: pinocchio.Data,
    loop: Callable[[Callable[..., np.ndarray]], Callable[..., None]],
) -> list[Contest]:
    """Forward dynamics, the tree as one body, and forces at points."""
    n, last, force = tree.n_u, model.njoints - 1, np.array([1.0, 2.0, 3.0])
    axes = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def act(q, u, du):
        pinocchio.computeJointJacobians(model, data, q)
        return pinocchio.getJointJacobian(model, data, last, axes)[:3].T @ force

    return [
        Contest(
            "forward",
            lambda q, u, tau, out=None: forward.forward_dynamics(tree, q, u, tau),
            loop(lambda q, u, tau: pinocchio.aba(model, data, q, u, tau)),
            (n,),
        ),
        Contest(
            "centre",
            lambda q, u, du, out=None: composites.center_of_mass(tree, q),
            loop(lambda q, u, du: pinocchio.centerOfMass(model, data, q)),
            (3,),
        ),
        Contest(
            "its Jacobian",
            lambda q, u, du, out=None: composites.center_of_mass_jacobian(tree, q),
            loop(lambda q, u, du: pinocchio.jacobianCenterOfMass(model, data, q)),
            (3, n),
        ),
        Contest(
            "momentum",
            lambda q, u, du, out=None: composites.centroidal_momentum_matrix(
                tree, q, "linear-angular"
            ),
            loop(lambda q, u, du: pinocchio.computeCentroidalMap(model, data, q)),
            (6, n),
        ),
        Contest(
            "force",
            lambda q, u, du, out=None: contacts.generalized_forces(tree, q, n - 1, force),
            loop(act),
            (n,),
        ),
    ]


def seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def deviation(contest: Contest, tree: Tree, few: list[np.ndarray]) -> float:
    theirs = np.zeros((len(few[0]), *contest.shape))
    contest.theirs(theirs, *few)
    ours = contest.ours(*few)
    if contest.name == "mass matrix":  # crba fills the upper triangle
        ours, theirs = np.triu(ours), np.triu(theirs)
    if contest.name == "bias":  # nonLinearEffects counts gravity in
        ours = ours + equations.gravity_forces(tree, few[0])
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--configurations", type=int, default=10_240)
    parser.add_argument("--batch", type=int, default=2_048)
    args = parser.parse_args()
    print(f"{'joints':>6}  {'quantity':<12} {'ours':>9} {'Pinocchio':>10} {'ratio':>6}  deviation")
    for joints in JOINTS:
        tree, model = arm(joints)
        rng = np.random.default_rng(0)
        states = list(rng.uniform(-3, 3, (3, args.configurations, joints)))
        for contest in contests(tree, model):
            compare(contest, tree, states, args)
    print("ratio: Pinocchio / ours")


def compare(
    contest: Contest, tree: Tree, states: list[np.ndarray], args: argparse.Namespace
) -> None:
    count, batch = args.configurations, args.batch
    batches = [[s[start : start + batch] for s in states] for start in range(0, count, batch)]
    out = np.zeros((batch, *contest.shape))

    def ours() -> None:
        for each in batches:
            contest.ours(*each, out)

    def theirs() -> None:
        for each in batches:
            contest.theirs(out, *each)

    off = deviation(contest, tree, batches[0])
    times = np.array([(seconds(ours), seconds(theirs)) for _ in range(args.rounds)])
    micro = np.median(times, axis=0) / count * 1e6
    ratio = np.median(times[:, 1] / times[:, 0])
    print(
        f"{tree.n_u:>6}  {contest.name:<12} {micro[0]:>6.2f} us {micro[1]:>7.2f} us "
        f"{ratio:>6.2f}  {off:.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main()
