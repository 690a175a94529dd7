"""How many bodies a second are judged, against LAPACK and against other libraries one by one.

    python benchmarks/check_speed.py [--bodies 1000000] [--repeats 9]

Everything runs in one process on one thread, in rounds: every contender once a round, so that a
busy machine slows all of them. Processor time is counted, so that waiting for it is not. A figure
is the median over the rounds; a ratio is the median of the rounds' own ratios to
np.linalg.eigvalsh (N,3,3), which is given matrices that are there already and finds eigenvalues
only. Rates change with the machine, ratios less.

The aims: a verdict by the sign test at 30 x eigvalsh (N,3,3), a margin at 3 x. An inconsistent row
costs what a margin costs besides, so the aim with a fraction of them is 1 / (1/30 + fraction/3).

Bodies like those of robots: masses 1 g to 1 t, radii of gyration 1 cm to 1 m, centre of mass up to
ten radii from the origin; every row solid, as a body of the boundary costs what an inconsistent one
does. Peers that cannot be imported are named with the command that installs them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

for variable in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # read when NumPy is imported

import numpy as np
from numpy.typing import NDArray

import inertial_check as ic
from inertial_check.inertia import sampling

Floats = NDArray[np.float64]

VERDICT_AIM, MARGIN_AIM = 30.0, 3.0
FRACTIONS = (0.0, 0.01, 0.5)
LAPACK_BODIES, PEER_BODIES, COMPILED_BODIES = 100_000, 5_000, 100
ROBOT_LIKE = {"mass": (1e-3, 1e3), "length": (1e-2, 1.0), "offset": (1e-2, 1e1)}
REFERENCE = "np.linalg.eigvalsh (N,3,3)"


@dataclass(frozen=True)
class Contender:
    """One line of the table: `run()` judges `bodies` bodies."""

    name: str
    bodies: int
    run: Callable[[], object]
    aim: float | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bodies", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=9, help="rounds, at least 5")
    args = parser.parse_args()
    if args.repeats < 5 or args.bodies < LAPACK_BODIES:
        parser.error(f"at least 5 repeats and {LAPACK_BODIES} bodies")
    print(f"NumPy {np.__version__}, one thread, median of {args.repeats} interleaved rounds")
    for fraction in FRACTIONS:
        bodies = sample(args.bodies, fraction)
        contenders = [*lapack(bodies), *ours(bodies, fraction)]
        missing: list[str] = []
        if fraction == 0:
            for peer in (drake, pinocchio, mujoco):
                try:
                    contenders += peer(bodies)
                except ImportError as error:
                    missing.append(f"{peer.__name__}: {error}")
        print(f"\n{args.bodies:,} bodies, {fraction:.0%} of them inconsistent")
        report(contenders, rounds(contenders, args.repeats))
        print(*missing, sep="\n", end="\n" if missing else "")


def sample(count: int, fraction: float) -> ic.InertialParameters:
    """Solid bodies, a fraction of them replaced by inconsistent ones, in random places."""
    rng = np.random.default_rng(0)
    solid = sampling.consistent(rng, count, strata=("solid",), **ROBOT_LIKE)
    theta = np.array(solid.as_theta(about="com"))
    bad = rng.permutation(count)[: round(fraction * count)]
    broken = sampling.inconsistent(rng, bad.size, violation=(1e-3, 0.9), **ROBOT_LIKE)
    theta[bad] = broken.as_theta(about="com")
    return ic.InertialParameters.from_theta(theta, about="com")


def lapack(bodies: ic.InertialParameters) -> list[Contender]:
    bodies = bodies[:LAPACK_BODIES]  # its rate does not depend on how many they are
    second, pseudo = bodies.central_second_moment, bodies.pseudo_inertia
    count = len(bodies)
    return [
        Contender(REFERENCE, count, lambda: np.linalg.eigvalsh(second)),
        Contender("np.linalg.eigvalsh (N,4,4)", count, lambda: np.linalg.eigvalsh(pseudo)),
    ]


def ours(bodies: ic.InertialParameters, fraction: float) -> list[Contender]:
    contenders = []
    aims = {"verdict_code": 1 / (1 / VERDICT_AIM + fraction / MARGIN_AIM), "margin": MARGIN_AIM}
    for about in ("com", "origin"):
        rows = np.array(bodies.as_theta(about=about), order="C")  # that can be written to
        if about == "com":  # what the memory allows: nothing that reads every number is faster
            contenders += [
                Contender("limit of the memory: theta.sum()", len(rows), rows.sum),
                Contender("limit of the memory: theta.copy()", len(rows), rows.copy),
            ]
        # A check copies what can be written to: the caller could change it before the margin.
        layouts = {"rows": rows.copy(), "columns": np.asfortranarray(rows), "rows, copied": rows}
        for layout, theta in layouts.items():
            theta.flags.writeable = theta is rows
            for what, aim in aims.items():
                name = f'check(theta, about="{about}").{what}, {layout}'
                contenders.append(Contender(name, len(theta), judged(theta, about, what), aim))
    return contenders


def judged(theta: Floats, about: str, what: str) -> Callable[[], object]:
    return lambda: getattr(ic.check(theta, about=about), what)


def drake(bodies: ic.InertialParameters) -> list[Contender]:
    try:
        from pydrake.multibody.tree import RotationalInertia, SpatialInertia
    except ImportError:
        raise ImportError("not installed (pip install drake)") from None
    some = bodies[:PEER_BODIES]
    numbers = list(zip(some.mass.tolist(), some.com, listed(some, "mujoco"), strict=True))

    def build() -> list[SpatialInertia]:
        make, inertia = SpatialInertia.MakeFromCentralInertia, RotationalInertia
        return [make(mass, com, inertia(*six)) for mass, com, six in numbers]

    built = build()
    return [
        Contender("loop: Drake, SpatialInertia made, which checks it", len(built), build),
        Contender(
            "loop: Drake, IsPhysicallyValid of made ones",
            len(built),
            lambda: [body.IsPhysicallyValid() for body in built],
        ),
    ]


def pinocchio(bodies: ic.InertialParameters) -> list[Contender]:
    try:
        from pinocchio import Inertia
    except ImportError:
        raise ImportError("not installed (pip install pin)") from None
    some = bodies[:PEER_BODIES]
    numbers = list(zip(some.mass.tolist(), some.com, some.inertia_com, strict=True))
    return [
        Contender(
            "loop: Pinocchio, Inertia made, eigvalsh of its inertia",
            len(numbers),
            lambda: [np.linalg.eigvalsh(Inertia(*body).inertia) for body in numbers],
        )
    ]


def mujoco(bodies: ic.InertialParameters) -> list[Contender]:
    try:
        from mujoco import MjSpec
    except ImportError:
        raise ImportError("not installed (pip install mujoco)") from None
    some = bodies[:COMPILED_BODIES]
    numbers = list(zip(some.mass.tolist(), some.com, listed(some, "mujoco"), strict=True))

    def compiled() -> None:
        for mass, com, six in numbers:
            spec = MjSpec()
            body = spec.worldbody.add_body(mass=mass, ipos=com, explicitinertial=True)
            body.fullinertia = six
            spec.compile()

    return [Contender("loop: MuJoCo, one-body model compiled", len(numbers), compiled)]


def listed(bodies: ic.InertialParameters, order: str) -> list[list[float]]:
    """The six of each inertia about the centre of mass, as plain numbers."""
    six: list[list[float]] = bodies.as_theta(order=order, about="com")[:, 4:].tolist()
    return six


def rounds(contenders: list[Contender], repeats: int) -> Floats:
    """Seconds per body, (repeats, contenders), after a first round that does not count."""
    seconds = np.empty((repeats + 1, len(contenders)))
    for row in seconds:
        for i, contender in enumerate(contenders):
            start = process_time()
            contender.run()
            row[i] = (process_time() - start) / contender.bodies
    return seconds[1:]


def report(contenders: list[Contender], seconds: Floats) -> None:
    reference = [contender.name for contender in contenders].index(REFERENCE)
    rates = np.median(1e-6 / seconds, axis=0)
    ratios = np.median(seconds[:, [reference]] / seconds, axis=0)
    width = max(len(contender.name) for contender in contenders)
    print(f"{'':{width}}  M bodies/s  x eigvalsh (N,3,3)     aim")
    for contender, rate, ratio in zip(contenders, rates, ratios, strict=True):
        line = f"{contender.name:{width}}  {rate:10.4g}  {ratio:18.4g}"
        if contender.aim is not None:
            line += f"  {contender.aim:6.3g}  {'met' if ratio >= contender.aim else 'missed'}"
        print(line)


if __name__ == "__main__":
    main()
