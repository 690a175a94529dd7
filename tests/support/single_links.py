"""Models of one body that matter to engines: good, bad, and at the edges of what they accept."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
UNIT = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


class Link(NamedTuple):
    """A body "link" on a base: mass [kg], the six entries of NAMES [kg m^2], what ties it."""

    mass: float
    entries: tuple[float, float, float, float, float, float]
    joint: str = "revolute"

    @property
    def is_diagonal(self):
        return not any(self.entries[i] for i in (1, 2, 4))


def diagonal(mass, a, b, c, joint="revolute"):
    return Link(mass, (a, 0.0, 0.0, b, 0.0, c), joint)


TABLE = {
    "box": diagonal(1.0, 0.2, 0.3, 0.4),
    "izz twice as large": diagonal(1.0, 0.1, 0.1, 0.4),
    "izz 1e-9 too large": diagonal(1.0, 1.0, 1.0, 2.0 * (1 + 1e-9)),
    "izz 1e-7 too large": diagonal(1.0, 1.0, 1.0, 2.0 * (1 + 1e-7)),
    "izz 1e-5 too large": diagonal(1.0, 1.0, 1.0, 2.0 * (1 + 1e-5)),
    "plate": diagonal(1.0, 0.1, 0.2, 0.3),
    "rod": diagonal(1.0, 0.0, 0.1, 0.1),
    "point mass": diagonal(1.0, 0.0, 0.0, 0.0),
    "negative ixx": diagonal(1.0, -0.1, 0.1, 0.1),
    "negative mass": diagonal(-1.0, 0.2, 0.3, 0.4),
    "no mass": diagonal(0.0, 0.2, 0.3, 0.4),
    "indefinite": Link(1.0, (1.0, 3.0, 0.0, 1.0, 0.0, 1.0)),
    "finger": diagonal(0.01, 1e-7, 1e-7, 1.5e-7),
    "insect": diagonal(1e-4, 1e-11, 1e-11, 1.5e-11),
    "tiny and bad": diagonal(1e-3, 1e-9, 1e-9, 4e-9),
    "thin": diagonal(1.0, 1e-5, 1.0, 1.0),
}
"""The sixteen cases that docs/engines.md shows."""

FLOORS = (1e-15, 1e-14, 1e-12, 1e-10, 1e-9, 1e-7, 1e-6, 1e-5)
"""Absolute thresholds of one engine or another [kg] or [kg m^2]."""

EXCESSES = (1e-15, 3.5e-15, 3.7e-15, 1e-13, 1e-9, 1.1e-7, 1.3e-7, 0.9e-6, 1.1e-6, 1e-5, 1e-3, 1.0)
"""How much too large the largest moment is, relative to it."""


def links(count: int, seed: int) -> Iterator[Link]:
    """The table, the edges, then random links until there are enough."""
    rng = np.random.default_rng(seed)
    made = list(TABLE.values())
    for floor in FLOORS:
        for factor in (1 - 1e-3, np.nextafter(1, 0), 1.0, np.nextafter(1, 2), 1 + 1e-3):
            value = float(floor * factor)
            made += [diagonal(value, 1.0, 1.0, 1.0), diagonal(1.0, value, value, value)]
            made += [diagonal(1.0, value, 1.0, 1.0), diagonal(1.0, -value, 1.0, 1.0)]
    for scale in (1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6):
        for excess in (*EXCESSES, *(-excess for excess in EXCESSES)):
            a, b = 0.3 * scale, 0.5 * scale
            made.append(diagonal(scale, a, b, (a + b) * (1 + excess)))
    for special in (float("nan"), float("inf")):
        made += [diagonal(special, 1.0, 1.0, 1.0), diagonal(1.0, special, 1.0, 1.0)]
    made += [diagonal(0.0, 0.0, 0.0, 0.0), diagonal(-1.0, 0.0, 0.0, 0.0)]
    made += [diagonal(0.0, -1.0, 1.0, 1.0), diagonal(-2.0, -1.0, -1.0, -1.0)]
    made += [link._replace(joint="fixed") for link in made]
    yield from made
    for _ in range(count - len(made)):
        yield _random(rng)


def _random(rng: np.random.Generator) -> Link:
    scale = 10.0 ** rng.uniform(-12, 6)
    moments = np.sort(rng.uniform(-0.1, 1, 3))
    if rng.random() < 0.5:
        moments = np.sort(np.abs(moments))
        moments[2] = (moments[0] + moments[1]) * rng.choice([0.6, 0.99, 1 - 1e-5, 1 + 1e-5, 1.3])
    axes = np.eye(3) if rng.random() < 0.4 else np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = axes @ np.diag(moments * scale) @ axes.T
    tensor = (tensor + tensor.T) / 2
    entries = tuple(tensor[np.triu_indices(3)].tolist())
    mass = float(scale * 10.0 ** rng.uniform(-2, 4) * rng.choice([1, 1, 1, 1, -1]))
    return Link(mass, entries, str(rng.choice(["revolute", "fixed"])))


def urdf(link: Link) -> str:
    entries = " ".join(
        f'{name}="{value!r}"' for name, value in zip(NAMES, link.entries, strict=True)
    )
    return (
        f'<robot name="r"><link name="base"><inertial><mass value="1"/>{UNIT}</inertial></link>'
        f'<link name="link"><inertial><origin xyz="0 0 0.1"/><mass value="{link.mass!r}"/>'
        f'<inertia {entries}/></inertial></link><joint name="j" type="{link.joint}">'
        '<parent link="base"/><child link="link"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )


def sdf(link: Link) -> str:
    entries = "".join(f"<{n}>{v!r}</{n}>" for n, v in zip(NAMES, link.entries, strict=True))
    axis = "" if link.joint == "fixed" else "<axis><xyz>0 0 1</xyz></axis>"
    return (
        '<sdf version="1.9"><model name="m"><link name="base"/><link name="link"><inertial>'
        f"<pose>0 0 0.1 0 0 0</pose><mass>{link.mass!r}</mass><inertia>{entries}</inertia>"
        f'</inertial></link><joint name="j" type="{link.joint}"><parent>base</parent>'
        f"<child>link</child>{axis}</joint></model></sdf>"
    )


def mjcf(link: Link, settings: str = "") -> str:
    """With fullinertia."""
    xx, xy, xz, yy, yz, zz = link.entries
    form = f'fullinertia="{xx!r} {yy!r} {zz!r} {xy!r} {xz!r} {yz!r}"'
    return _mjcf(link, form, settings)


def mjcf_principal(link: Link, settings: str = "") -> str:
    """With diaginertia; only for a link without products of inertia."""
    xx, _, _, yy, _, zz = link.entries
    return _mjcf(link, f'diaginertia="{xx!r} {yy!r} {zz!r}"', settings)


def _mjcf(link: Link, form: str, settings: str) -> str:
    joint = "" if link.joint == "fixed" else '<joint name="j" type="hinge" axis="0 0 1"/>'
    return (
        f'<mujoco model="m"><compiler {settings}/><worldbody><body name="link">{joint}'
        f'<inertial pos="0 0 0.1" mass="{link.mass!r}" {form}/></body></worldbody></mujoco>'
    )
