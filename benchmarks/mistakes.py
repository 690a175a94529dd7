"""How often a planted mistake of a log, a model or a declaration is named, and what is written.

    python benchmarks/mistakes.py [--robots NAME ...] [--half tuned|kept|both] [--clean N]
        [--mistake WORD ...] [--seed N] [--quick] [--obey] [--json FILE]

Robots are chains of random links, the arm of data/, and, if INERTIAL_CHECK_DATASETS and _CORPUS are
set, arms of these folders. The file of a robot is the prior: the simulated links have other masses
(up to a fifth), centres and moments. A log has positions by an encoder of 16 bits, velocities and
torques with 2 % noise, of a random motion with viscous and Coulomb friction and offsets, as csv.
One mistake is planted into each log, or into what is simulated, and the command line is run on it:
`identify LOG --model ROBOT --holdout 0.2 -o FILE`. Rules were chosen on the half `tuned` only.

* *shown* (the oracle): on held-out data some joint is explained worse than in the log without the
  mistake (its relative residual is 1.25 times as large), or a base parameter is five deviations
  from the prior, those of the fit and of the robots' spread together, or the log is refused.
* *named*: first of all errors and warnings, or among the first three, is the kind of the mistake
  with its joints.
* *wrong with exit 0*: the file is written, and a mass or a base parameter of bodies is more than
  five deviations and 5 % from the truth.
* *obeyed* (`--obey`): the remedy of the first remark that has one is carried out, options or an
  edit of the log, until there is none (three times at most); a payload is taken off, and a joint
  that a refusal calls unmeasured is declared so. Of the base parameters at most one in twenty is
  more than three deviations and 1 % from the truth then, or as many as in the log without the
  mistake.
* *clean*: logs without a mistake in which something is named by an error or a warning.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

for variable in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported
ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "truths")]

import numpy as np
from scipy.stats import beta

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.identification.options import RobotOptions
from inertial_check.identification.robot import read_robot
from inertial_check.mechanics.equations import GRAVITY, inverse_dynamics
from inertial_check.programs.cli.main import main as run_command
from random_trees import as_urdf
from synthetic_robots import chain, motion

RATE, COUNT, NOISE, ENCODER = 200.0, 2000, 0.02, 2 * np.pi / 2**16
WORSE, LEFT, WRONG, RELATIVE, RESTORED = 1.25, 5.0, 5.0, 0.05, 3.0
TUNED = ("chain3", "chain6", "arm", "ur10e", "panda")
KEPT = ("chain4", "tx40", "iiwa", "irb120", "gen3")
Floats = np.ndarray
Selection = int | slice | list[int]
THETA = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_MATLAB = "Daniella1+urdf_files_dataset/urdf_files/matlab"
FILES = {
    "ur10e": ("DATASETS", "ur10e/ur10e.urdf"),
    "panda": ("DATASETS", "panda/panda_mdh.urdf"),
    "tx40": ("DATASETS", "tx40/tx40.urdf"),
    "iiwa": ("CORPUS", f"{_MATLAB}/iiwa_description/urdf/kukaIiwa7.urdf"),
    "irb120": ("CORPUS", f"{_MATLAB}/abb_irb120_support/urdf/abbIrb120.urdf"),
    "gen3": ("CORPUS", f"{_MATLAB}/kortex_description/urdf/kinovaGen3.urdf"),
}


def find_file(name: str) -> str | None:
    """The text of a robot's file; None where its folder is not there."""
    if name.startswith("chain"):
        robot = chain(int(name[5:]), 11)
        return as_urdf(robot.tree)
    if name == "arm":
        return (ROOT / "data" / "recordings" / "arm.urdf").read_text()
    folder, path = FILES[name]
    found = Path(os.environ.get(f"INERTIAL_CHECK_{folder}", "/nowhere")) / path
    return found.read_text() if found.exists() else None


def vary(theta: Floats, rng: np.random.Generator) -> Floats:
    """Bodies (L, 10) with other masses, centres and spreads, each of which can exist."""
    own = ic.InertialParameters.from_theta(theta)
    mass, com, inertia = (np.array(x) for x in (own.mass, own.com, own.inertia_com))
    spread = np.trace(inertia, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - inertia
    scale = 1.2 ** rng.uniform(-1, 1, len(mass))
    B = np.eye(3) + 0.1 * rng.normal(size=(len(mass), 3, 3))
    size = np.sqrt(np.trace(spread, axis1=1, axis2=2) / mass)
    com = com + 0.15 * size[:, None] * rng.normal(size=com.shape)
    spread = scale[:, None, None] * B @ spread @ B.transpose(0, 2, 1)
    inertia = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(3) - spread
    six = inertia[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return ic.InertialParameters.from_com(mass * scale, com, six).as_theta()


class Bench:
    """A robot's file, and how much its bodies may differ from it."""

    def __init__(self, name: str, text: str, folder: Path) -> None:
        self.name, self.path = name, folder / f"{name}.urdf"
        self.path.write_text(text)
        self.robot = read_robot(str(self.path), Context(), RobotOptions())
        self.bodies, self.joints = list(self.robot.bodies), self.robot.joints
        self.prior = np.array(self.robot.tree.theta[self.bodies])
        rng = np.random.default_rng([3, len(name)])
        self.draws = np.stack([vary(self.prior, rng) for _ in range(200)])


@dataclass
class Case:
    """One simulated log; planters change what is simulated, or the log."""

    bench: Bench
    seed: int
    one: int = 0
    two: int = 0
    gravity: Any = GRAVITY
    still: bool = False  # torques without those of gravity
    rotor: float = 0.0  # relative to the mean inertia that the joint moves
    stribeck: float = 0.0
    load: float = 0.0
    shared: float = 0.0
    payload: float = 0.0  # relative to the mass of all bodies
    options: list[str] = field(default_factory=list)
    model: Any = None  # (L, 10) of a file with a mistake
    log: dict[str, Any] = field(default_factory=dict)

    def simulate(self) -> None:
        """Simulate the robot, its sensors and its friction."""
        bench, n = self.bench, len(self.bench.joints)
        rng = np.random.default_rng([self.seed, n, len(bench.name)])
        self.truth = vary(bench.prior, rng)
        q, u, du = motion(n, COUNT, self.seed, rate=RATE)
        limits = np.clip(bench.robot.limits, -2.3, 2.3)
        half = 0.85 * np.ptp(limits, axis=1) / 2
        ratio = half / np.abs(q - q.mean(axis=0)).max(axis=0)
        q, u, du = limits.mean(axis=1) + (q - q.mean(axis=0)) * ratio, u * ratio, du * ratio
        tree, theta = bench.robot.tree, np.array(bench.robot.tree.theta)
        theta[bench.bodies] = self.truth
        own = theta.copy()
        if self.payload:
            m, size = self.payload * theta[bench.bodies, 0].sum(), 0.1
            body = ic.InertialParameters.from_com(
                m, [0.02, -0.03, size], m * size**2 / 6 * np.array([1, 0, 0, 1, 0, 1])
            )
            own[bench.bodies[-1]] += np.ravel(body.as_theta())

        def move(*signals: Floats) -> Floats:
            return np.asarray(inverse_dynamics(tree, *signals, gravity=self.gravity, theta=own))

        bodies = move(q, u, du)
        scale = np.sqrt((bodies**2).mean(axis=0))
        scale, speed = np.maximum(scale, 0.02 * scale.max()), np.sqrt((u**2).mean(axis=0))
        if self.still:
            bodies = bodies - move(q, 0 * u, 0 * du)
        one = np.arange(n) == self.one
        inertia = scale / np.sqrt((du**2).mean(axis=0))
        self.friction = {"fv": 0.1 * scale / speed, "fc": 0.08 * scale, "off": 0.03 * scale}
        self.friction["Ia"] = one * self.rotor * inertia
        tau = bodies + self.friction["fv"] * u + self.friction["fc"] * np.sign(u)
        tau += self.friction["off"] + one * self.rotor * inertia * du
        tau += one * self.load * np.abs(bodies) * np.sign(u)
        tau += one * self.stribeck * scale * np.sign(u) * np.exp(-((u / (0.2 * speed)) ** 2))
        if self.shared:
            both = [self.one, self.two]
            least = self.shared * inertia[both].min()
            tau[:, both] += least * du[:, both[::-1]]
            self.friction["Iam"] = np.full(n, least)
        tau += NOISE * np.sqrt((tau**2).mean(axis=0)) * rng.normal(size=tau.shape)
        self.exact = q
        u = u + 0.005 * speed * rng.normal(size=u.shape)
        q = np.round(q / ENCODER) * ENCODER
        self.log = {"t": np.arange(COUNT) / RATE, "q": q, "u": u, "tau": tau}

    def write(self, folder: Path) -> Path:
        """Write the log as csv."""
        joints, path = self.bench.joints, folder / "log.csv"
        names = {"q": "position", "u": "velocity", "tau": "effort"}
        head = ["t", *(f"{j}.{names[s]}" for s in names if s in self.log for j in joints)]
        columns = np.column_stack([self.log[s] for s in ("t", *names) if s in self.log])
        rows = [",".join(f"{x:.9g}" for x in row) for row in columns.tolist()]
        path.write_text("\n".join([",".join(head), *rows, ""]))
        return path

    # Mistakes of logs.
    def times(self, signals: str, factor: float, joints: Selection = slice(None)) -> None:
        """Multiply signals."""
        for signal in signals.split():
            self.log[signal][..., joints] *= factor

    def add(self, signal: str, value: float) -> None:
        """Add a number to a signal of one joint."""
        self.log[signal][:, self.one] += value

    def exchange(self, signals: str) -> None:
        """Exchange the columns of two joints."""
        both = [self.one, self.two]
        for signal in signals.split():
            self.log[signal][:, both] = self.log[signal][:, both[::-1]]

    def delay(self, steps: int, joints: Selection = slice(None)) -> None:
        """Delay torques by whole samples."""
        tau = self.log["tau"]
        tau[:, joints] = np.roll(tau, steps, axis=0)[:, joints]
        self.log = {name: each[steps:] for name, each in self.log.items()}

    def wrap(self, least: float) -> None:
        """Wrap the positions of one joint into a turn."""
        self.log["q"][:, self.one] = (self.log["q"][:, self.one] - least) % (2 * np.pi) + least

    def freeze(self, names: str, joints: Selection, count: int = 100) -> None:
        """Repeat one sample of signals."""
        for name in names.split():
            self.log[name][500 : 500 + count, joints] = self.log[name][500, joints]

    def clip(self, part: float) -> None:
        """Cut the torques of one joint off."""
        own = self.log["tau"][:, self.one]
        middle, half = (own.max() + own.min()) / 2, part * np.ptp(own) / 2
        self.log["tau"][:, self.one] = np.clip(own, middle - half, middle + half)

    def change_model(self, body: int, factor: float, give: bool = False) -> None:
        """Make a body of the file heavier, or give it to its parent."""
        theta = self.bench.prior.copy()
        self.model = theta
        if give:  # two bodies are one in the file, its parent's
            from inertial_check.inertia.frames import transform

            bodies, tree = self.bench.bodies, self.bench.robot.tree
            theta[body - 1] += np.ravel(transform(theta[body][None], tree.X_PB[bodies[body]]))
        theta[body] *= factor

    def spike(self, name: str, share: float, size: float) -> None:
        """Add spikes to a signal of one joint."""
        rng, own = np.random.default_rng(self.seed), self.log[name]
        rows = rng.choice(COUNT, round(share * COUNT), replace=False)
        own[rows, self.one] += size * np.ptp(own[:, self.one]) * rng.choice([-1, 1], len(rows))


class Planted(NamedTuple):
    """A mistake: its name, the kinds of remark that name it, whose joints have to be named."""

    name: str
    kinds: str
    joints: int  # of the joints `one` and `two`
    log: Callable[[Case], Any] = lambda case: None
    world: Callable[[Case], Any] = lambda case: None


def of_world(name: str, kinds: str, joints: int, **values: object) -> Planted:
    """A mistake of what is simulated or declared."""

    def world(case: Case) -> None:
        for key, value in values.items():
            setattr(case, key, value)

    return Planted(name, kinds, joints, world=world)


def of_log(name: str, kinds: str, joints: int, log: Callable[[Case], Any]) -> Planted:
    return Planted(name, kinds, joints, log)


TILTED = (9.81 * np.sin(np.pi / 9), 0.0, -9.81 * np.cos(np.pi / 9))

MISTAKES = (
    of_log("sign of one torque", "sign", 1, lambda c: c.times("tau", -1, c.one)),
    of_log("sign of all torques", "sign", 0, lambda c: c.times("tau", -1)),
    of_log("sign of one position", "sign", 1, lambda c: c.times("q u", -1, c.one)),
    of_log("sign of one velocity", "velocity sign", 1, lambda c: c.times("u", -1, c.one)),
    of_log("zero 0.1 rad", "zero", 1, lambda c: c.add("q", 0.1)),
    of_log("zero -0.3 rad", "zero", 1, lambda c: c.add("q", -0.3)),
    of_log("zero 90 degrees", "zero", 1, lambda c: c.add("q", np.pi / 2)),
    of_log("zero 180 degrees", "zero", 1, lambda c: c.add("q", np.pi)),
    of_log("one torque times 100", "scale unit", 1, lambda c: c.times("tau", 100, c.one)),
    of_log("one torque times 1.5", "scale", 1, lambda c: c.times("tau", 1.5, c.one)),
    of_log("one torque times 0.7", "scale", 1, lambda c: c.times("tau", 0.7, c.one)),
    of_log("all torques times 1.2", "scale unit gain", 0, lambda c: c.times("tau", 1.2)),
    of_log("all torques in N mm", "scale unit", 0, lambda c: c.times("tau", 1000)),
    of_log("all torques in kgf m", "scale unit", 0, lambda c: c.times("tau", 1 / 9.80665)),
    of_log("torques of motors", "scale unit gear", 0, lambda c: c.times("tau", 0.01)),
    of_log("positions in degrees", "degrees", 0, lambda c: c.times("q u", 180 / np.pi)),
    of_log("one position in degrees", "degrees", 1, lambda c: c.times("q", 180 / np.pi, c.one)),
    of_log("velocities in degrees", "degrees velocity", 0, lambda c: c.times("u", 180 / np.pi)),
    of_log("velocities in rpm", "velocity", 0, lambda c: c.times("u", 30 / np.pi)),
    of_log("one velocity in rpm", "velocity", 1, lambda c: c.times("u", 30 / np.pi, c.one)),
    of_log("time in ms", "time", 0, lambda c: c.times("t", 1000)),
    of_log("time in us", "time", 0, lambda c: c.times("t", 1e6)),
    of_log("time in min", "time", 0, lambda c: c.times("t", 1 / 60)),
    of_log("clock twice as fast", "time velocity", 0, lambda c: c.times("t", 2)),
    of_log("lag of 20 ms", "lag", 0, lambda c: c.delay(4)),
    of_log("lag of 60 ms", "lag", 0, lambda c: c.delay(12)),
    of_log("lag of one joint, 60 ms", "lag", 1, lambda c: c.delay(12, c.one)),
    of_log("torques exchanged", "exchanged", 2, lambda c: c.exchange("tau")),
    of_log("positions exchanged", "exchanged", 2, lambda c: c.exchange("q u")),
    of_log("joints exchanged", "exchanged", 2, lambda c: c.exchange("q u tau")),
    of_log(
        "wrapped at the middle",
        "wrapped",
        1,
        lambda c: c.wrap(float(np.median(c.log["q"][:, c.one]))),
    ),
    of_log("wrapped at 0", "wrapped", 1, lambda c: c.wrap(0.0)),
    of_log("log frozen 0.5 s", "frozen", 0, lambda c: c.freeze("q u tau", slice(None))),
    of_log("one position frozen", "frozen velocity", 1, lambda c: c.freeze("q", c.one, 200)),
    of_log("torques frozen", "frozen", 0, lambda c: c.freeze("tau", slice(None), 200)),
    of_log("spikes of a torque", "spikes outliers", 1, lambda c: c.spike("tau", 0.01, 2)),
    of_log("spikes of a position", "spikes", 1, lambda c: c.spike("q", 0.002, 0.5)),
    of_log("saturated at 60 %", "saturated", 1, lambda c: c.clip(0.6)),
    of_log("saturated at 85 %", "saturated", 1, lambda c: c.clip(0.85)),
    of_log("dead torque", "constant unmeasured", 1, lambda c: c.times("tau", 0, c.one)),
    of_log("dead position", "still", 1, lambda c: c.times("q u", 0, c.one)),
    of_log("positions of 2 decimals", "coarse", 0, lambda c: np.round(c.log["q"], 2, c.log["q"])),
    of_log(
        "noise of a torque", "noise poor-fit spikes outliers", 1, lambda c: c.spike("tau", 0.5, 0.3)
    ),
    of_world("torques without gravity", "gravity", 0, still=True),
    of_world("mounted upside down", "gravity", 0, gravity=(0.0, 0.0, 9.81)),
    of_world("mounted on a wall", "gravity", 0, gravity=(9.81, 0.0, 0.0)),
    of_world("tilted by 20 degrees", "gravity", 0, gravity=TILTED),
    of_world("rotor not declared", "rotor", 1, rotor=1.0),
    of_world("friction not declared", "friction viscous coulomb", 0, options=["--friction=none"]),
    of_world("viscous not declared", "viscous", 0, options=["--friction=coulomb,offset"]),
    of_world("Coulomb not declared", "coulomb", 0, options=["--friction=viscous,offset"]),
    of_world("Stribeck not declared", "stribeck", 1, stribeck=0.15),
    of_world("load friction not declared", "load-friction load", 1, load=0.2),
    of_world("coupling not declared", "coupled", 2, shared=0.8),
    of_world("payload of 10 %", "payload", 0, payload=0.1),
    of_world("payload of 40 %", "payload", 0, payload=0.4),
    Planted(
        "a body in its parent's", "mass payload", 0, world=lambda c: c.change_model(-1, 0.01, True)
    ),
    Planted("a body 10 times too heavy", "mass", 0, world=lambda c: c.change_model(1, 10.0)),
)


class Verdict(NamedTuple):
    """What the command said of one log, and what of it is right."""

    code: int
    remarks: list[dict[str, Any]]  # errors and warnings
    report: dict[str, Any] | None
    error: str
    worst: tuple[float, float]  # of masses and base parameters: deviations, and part beyond three

    @property
    def wrong(self) -> bool:
        """Whether a wrong robot was written with exit code 0."""
        return self.code == 0 and self.worst[0] > WRONG


def run(case: Case, folder: Path) -> Verdict:
    """Run the command on a log."""
    log, report = case.write(folder), folder / "report.json"
    report.unlink(missing_ok=True)
    model = case.bench.path
    if case.model is not None:
        bodies = ic.InertialParameters.from_theta(case.model)
        model = folder / "changed.urdf"
        read = ic.load(str(case.bench.path))
        model.write_bytes(read.with_parameters(bodies, bodies=list(case.bench.robot.names)).data)
    arguments = ["identify", str(log), "--model", str(model), "--holdout", "0.2", "-q"]
    arguments += ["--output-format", "json", "--output-file", str(report), *case.options]
    arguments += ["-o", str(folder / "out.urdf")]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        try:
            code = int(run_command(arguments))
        except SystemExit as error:
            code = int(error.code or 0)
    if not report.exists():
        return Verdict(code, [], None, said.getvalue().strip(), (np.inf, 1.0))
    found = json.loads(report.read_text())
    remarks = [each for each in found["remarks"] if each["severity"] != "note"]
    return Verdict(code, remarks, found, said.getvalue().strip(), compare(case, found))


def base_values(case: Case, found: dict[str, Any], theta: Floats) -> Floats:
    """(..., b) base parameters of a report for bodies (..., L, 10)."""
    names, values = list(case.bench.robot.names), []
    for row in found["base"]["parameters"]:
        value: Any = 0.0
        for term in row["terms"]:
            if term["body"] is not None:
                own = theta[..., names.index(term["body"]), THETA.index(term["parameter"])]
            else:
                kind, number = re.fullmatch(r"(\D+)(\d+)", term["parameter"]).groups()
                known = case.friction.get(kind)
                own = 0.0 if known is None else known[int(number) - 1]
            value = value + term["coefficient"] * own
        values.append(value + np.zeros(theta.shape[:-2]))
    return np.stack(values, axis=-1)


def compare(case: Case, found: dict[str, Any]) -> tuple[float, float]:
    """Deviations of the worst number that is 5 % off, and the part beyond three and 1 %."""
    rows = found["base"]["parameters"]
    value, sd = (
        np.array([row[key] for row in rows]) for key in ("identified", "standard_deviation")
    )
    truth = base_values(case, found, case.truth)
    masses = [body["parameters"]["m"] for body in found["bodies"]]
    value, sd = (
        np.append(value, [m["value"] for m in masses]),
        np.append(sd, [m["standard_deviation"] for m in masses]),
    )
    truth = np.append(truth, case.truth[:, 0])
    rows = [*rows, *({"terms": [{"body": True}]} for _ in masses)]
    inertial = np.array([any(term["body"] for term in row["terms"]) for row in rows])
    value, sd, truth = value[inertial], sd[inertial], truth[inertial]
    off, z = np.abs(value - truth) / np.abs(truth), np.abs(value - truth) / sd
    beyond = (z > RESTORED) & (off > 0.01)
    return float(np.max(z[off > RELATIVE], initial=0.0)), float(beyond[: -len(masses)].mean())


def is_shown(case: Case, clean: Verdict, own: Verdict) -> bool:
    """Tell whether held-out data or the prior show a mistake."""
    if own.report is None:
        return True
    left = [
        np.sqrt(1 - np.array([j["r_squared"] for j in each.report["fits"][-1]["joints"]]))
        for each in (clean, own)
    ]
    if not np.all(left[1] <= WORSE * left[0]):
        return True
    rows = own.report["base"]["parameters"]
    value, sd = (np.array([row[key] for row in rows]) for key in ("value", "standard_deviation"))
    draws = base_values(case, own.report, case.bench.draws)
    known = np.array([all(term["body"] is not None for term in row["terms"]) for row in rows])
    z = np.abs(value - draws.mean(axis=0)) / np.sqrt(draws.var(axis=0) + sd**2)
    return bool(np.any(z[known] > LEFT))


def is_named(case: Case, planted: Planted, own: Verdict, most: int) -> bool:
    """Tell whether one of the first remarks names a mistake and its joints."""
    wanted = [case.bench.joints[k] for k in (case.one, case.two)[: planted.joints]]
    texts = [(each["kind"], each["message"]) for each in own.remarks[:most]]
    if own.report is None:
        texts = [(kind, own.error) for kind in planted.kinds.split() if kind in own.error]
    return any(
        kind in planted.kinds.split()
        and all(re.search(rf"(?<!\w){re.escape(joint)}(?!\w)", text) for joint in wanted)
        for kind, text in texts
    )


def obey(case: Case, own: Verdict) -> bool:
    """Carry out the remedy of the first remark that has one; False where none has."""
    if own.report is None:
        dead = re.search(r"--unmeasured (\S+)", own.error)
        case.options += [f"--unmeasured={dead[1]}"] if dead else []
        return dead is not None
    named = [each for each in own.remarks if each.get("remedy")]
    remedies = [each["remedy"] for each in named]
    if not remedies:
        return False
    if named[0]["kind"] == "payload":
        case.payload = 0.0
        case.simulate()
    for option in remedies[0]["options"]:
        name = option.partition("=")[0]
        case.options = [each for each in case.options if each.partition("=")[0] != name]
        case.options.append(option)
    for edit in remedies[0]["edits"]:
        joints = [case.bench.joints.index(each) for each in edit["joints"]] or slice(None)
        for signal in set(edit["signals"]) & set(case.log):
            column = case.log[signal].reshape(len(case.log["t"]), -1)
            if edit["action"] == "drop":
                del case.log[signal]
            else:
                carry_out(edit["action"], edit["value"], column, joints, case.log["t"])
    return True


def carry_out(action: str, value: float, column: Floats, joints: Selection, t: Floats) -> None:
    """Carry out one edit of a log."""
    if action == "delay":
        late = [np.interp(t - value, t, own) for own in column[:, joints].T]
        column[:, joints] = np.transpose(late)
    elif action == "unwrap":
        column[:, joints] = np.unwrap(column[:, joints], axis=0)
    elif action == "exchange":
        column[:, joints] = column[:, joints[::-1]]
    else:
        column[:, joints] = (
            column[:, joints] * value if action == "multiply" else column[:, joints] + value
        )


@cache
def bench_of(name: str, folder: Path) -> Bench | None:
    text = find_file(name)
    return None if text is None else Bench(name, text, folder)


def interval(hits: int, count: int) -> str:
    """A rate with its number and the 95 % interval of Clopper and Pearson."""
    if not count:
        return "0 of 0"
    low = beta.ppf(0.025, hits, count - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, count - hits) if hits < count else 1.0
    return f"{hits} of {count} = {hits / count:.1%} [{low:.1%}, {high:.1%}]"


def measure(
    names: Sequence[str], chosen: Sequence[Planted], args: argparse.Namespace, folder: Path
) -> list[dict[str, Any]]:
    """Run every mistake on every robot, and each robot's logs without one."""
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        bench = bench_of(name, folder)
        if bench is None:
            print(f"{name}: its folder is not there", file=sys.stderr)
            continue
        n = len(bench.joints)
        for number in range(args.clean):
            case = Case(bench, args.seed + 1 + number)
            case.simulate()
            own = run(case, folder)
            rows.append(describe(case, None, own) | {"named": bool(own.remarks)})
            say(rows[-1])
        clean = None
        for planted in chosen:
            rng = np.random.default_rng([args.seed, MISTAKES.index(planted), place])
            one, two = sorted(rng.choice(n, 2, replace=False).tolist())
            case = Case(bench, args.seed, one, two)
            if clean is None:
                case.simulate()
                clean = run(case, folder)
            planted.world(case)
            case.simulate()
            planted.log(case)
            own = run(case, folder)
            row = describe(case, planted, own)
            row |= {f"first {most}": is_named(case, planted, own, most) for most in (1, 3)}
            row["shown"] = is_shown(case, clean, own)
            if args.obey:
                now = own
                for _ in range(3):
                    if not obey(case, now):
                        break
                    now = run(case, folder)
                row["obeyed"] = now.worst[1] <= max(RELATIVE, clean.worst[1])
                row["after"] = [each["kind"] for each in now.remarks]
            rows.append(row)
            say(row)
    return rows


def describe(case: Case, planted: Planted | None, own: Verdict) -> dict[str, Any]:
    return {
        "robot": case.bench.name,
        "mistake": "" if planted is None else planted.name,
        "joints": [case.bench.joints[k] for k in (case.one, case.two)],
        "code": own.code,
        "wrong": own.wrong,
        "worst": own.worst[0],
        "beyond": own.worst[1],
        "remarks": [f"{each['kind']}: {each['message']}" for each in own.remarks] or [own.error],
    }


def say(row: dict[str, Any]) -> None:
    """Print one line on a log."""
    flags = [
        key for key in ("shown", "first 1", "first 3", "obeyed", "named", "wrong") if row.get(key)
    ]
    kinds = ",".join(text.partition(":")[0] for text in row["remarks"][:4])
    print(
        f"{row['robot']:8}{row['mistake'] or 'clean':28}exit {row['code']}  z {row['worst']:8.3g}  "
        f"{', '.join(flags)}  <{kinds}>",
        flush=True,
    )


def summarise(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The rates of the table."""
    planted = [row for row in rows if row["mistake"]]
    clean = [row for row in rows if not row["mistake"]]
    shown = [row for row in planted if row["shown"]]

    def rate(key: str, own: list[dict[str, Any]]) -> str:
        return interval(sum(row.get(key, False) for row in own), len(own))

    found = {
        "shown": rate("shown", planted),
        "named first": rate("first 1", shown),
        "named in the first three": rate("first 3", shown),
        "wrong with exit 0": rate("wrong", planted),
        "wrong with exit 0, of those shown": rate("wrong", shown),
        "clean logs with something named": rate("named", clean),
        "clean logs wrong with exit 0": rate("wrong", clean),
    }
    if any("obeyed" in row for row in planted):
        found["obeyed"] = rate("obeyed", [row for row in shown if "obeyed" in row])
    return found


def main(arguments: Sequence[str] | None = None) -> dict[str, str]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="+", choices=(*TUNED, *KEPT))
    parser.add_argument("--half", choices=("tuned", "kept", "both"), default="tuned")
    parser.add_argument("--clean", type=int, default=2)
    parser.add_argument("--mistake", nargs="+", default=[""])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="one small robot")
    parser.add_argument("--obey", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    halves = {"tuned": TUNED, "kept": KEPT, "both": (*TUNED, *KEPT)}
    names = args.robots or (("arm",) if args.quick else halves[args.half])
    chosen = [each for each in MISTAKES if any(word in each.name for word in args.mistake)]
    start = process_time()
    with tempfile.TemporaryDirectory(prefix="mistakes-") as folder:
        rows = measure(names, chosen, args, Path(folder))
    figures = summarise(rows)
    print("\n".join(f"{name}: {value}" for name, value in figures.items()))
    print(f"{len(chosen)} mistakes, {len(names)} robots, {process_time() - start:.0f} s")
    if args.json:
        args.json.write_text(json.dumps({"figures": figures, "rows": rows}, indent=1))
    return figures


if __name__ == "__main__":
    main()
