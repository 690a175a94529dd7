"""Further mistakes, of the planter's second list: entries, units, frames, materials and formulas.

`planted_defects.py --further` plants these in place of the first list, so that the figures of
either can be compared with those of an earlier run.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from inertial_check.checking.evidence.twins import world_poses
from planting.defects import (
    FURTHER,
    Change,
    cause,
    moves,
    negated,
    one_body,
    one_tensor,
    plain,
    scaled,
    shuffled,
)
from planting.shapes import measure
from planting.sites import AXES, Site, Texts, shifted
from planting.whole_models import LEAST_LINKS, LEAST_SHAPED, of_all

OFF_DIAGONAL = ("ixy", "ixz", "iyz")
PROGRAMS_STEEL = (7850.0, 7860.0, 7800.0)
"""Densities [kg/m^3] that programs assume for a steel."""
TURNS = (
    np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]),
    np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
)
NOTICED = 0.1
"""Distance of a planted centre of mass from the true one, in sizes of the body, at least."""


def six(site: Site) -> list[str]:
    """The names of the six entries, in rows."""
    return [name for name in site.numbers if name.startswith("i")]


def at(site: Site, point: np.ndarray) -> Texts:
    """The texts of a centre of mass."""
    return {axis: f"{x:.{site.digits}g}" for axis, x in zip(AXES, point, strict=True)}


def is_far(site: Site, point: np.ndarray) -> bool:
    """Whether a centre of mass is far from the true one, beside the size of the body."""
    size = np.sqrt(np.trace(site.I_BBcm_Bi) / site.mass)
    return bool(np.linalg.norm(point - site.p_BoBcm_B) > NOTICED * size)


@cause("one digit", "valid", "wrong-entry", "decimal-slip", "edited-copy", into=FURTHER)
def one_digit(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One of the first two digits of an entry lost, doubled or mistyped."""
    for entry in shuffled(rng, six(site)):
        text = site.texts[entry]
        places = [k for k, c in enumerate(text.lower().split("e")[0]) if c.isdigit()]
        places = [k for k in places if text[:k].strip("-+0.") or text[k] != "0"][:2]
        for place in shuffled(rng, places):
            typed = str((int(text[place]) + int(rng.integers(1, 10))) % 10)
            for middle in shuffled(rng, ["", text[place] * 2, typed]):
                new = text[:place] + middle + text[place + 1 :]
                if any(c.isdigit() for c in new.lower().split("e")[0]) and moves(
                    site, {entry: new}
                ):
                    yield one_body(site, f"{entry} {text} -> {new}", {entry: new})


@cause("exchanged entries", "valid", "component-order", "edited-copy", "wrong-entry", into=FURTHER)
def exchanged(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Two of the six entries exchanged; without products, that is two axes exchanged."""
    names = six(site)
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    for one, other in shuffled(rng, pairs):
        texts = {one: site.texts[other], other: site.texts[one]}
        if moves(site, texts):
            diagonal = not any(float(site.texts[name]) for name in OFF_DIAGONAL)
            also = frozenset({"wrong-frame"} if diagonal else ())
            change = one_body(site, f"{one} and {other} exchanged", texts)
            yield change._replace(also=also)


@cause("all negated", "provable", "negative-diagonal", "edited-copy", into=FURTHER)
def all_negated(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The six entries negated."""
    texts = {entry: negated(site.texts[entry]) for entry in six(site)}
    yield one_body(site, "all six negated", texts)


@cause("shifted list", "provable", "component-order", "edited-copy", into=FURTHER)
def shifted_list(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The six entries shifted by one place."""
    names = six(site)
    for step in shuffled(rng, [1, 5]):
        texts = {name: site.texts[names[(k + step) % 6]] for k, name in enumerate(names)}
        if moves(site, texts):
            yield one_body(site, f"shifted by {step}", texts)


@cause("product dropped", "valid", "unpopulated", "wrong-entry", "edited-copy", into=FURTHER)
def product_dropped(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The largest product written as 0."""
    entry = max(OFF_DIAGONAL, key=lambda name: abs(float(site.texts[name])))
    if moves(site, {entry: "0"}, least=0.05):
        yield one_body(site, f"{entry} {site.texts[entry]} -> 0", {entry: "0"})


@cause("stray product", "valid", "wrong-entry", "copied-entry", "edited-copy", into=FURTHER)
def stray_product(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A product that was 0, or hardly more, becomes a third of its two moments."""
    trace = np.trace(site.I_BBcm_Bi)
    for entry in shuffled(rng, list(OFF_DIAGONAL)):
        if abs(float(site.texts[entry])) <= 0.01 * trace:
            one, other = (float(site.texts["i" + axis * 2]) for axis in entry[1:])
            number = f"{np.sqrt(one * other) / 3 * rng.choice((-1, 1)):.{site.digits}g}"
            yield one_body(site, f"{entry} {site.texts[entry]} -> {number}", {entry: number})


@cause("stale mass", "valid", "mass-replaced", "density", "edited-copy", into=FURTHER)
def stale_mass(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Another mass beside the old tensor."""
    for factor in shuffled(rng, ["3", "0.3"]):
        mass = plain(Decimal(site.texts["mass"]) * Decimal(factor))
        yield one_body(site, f"mass x {factor}", {"mass": mass})


def _in_unit(name: str, factor: float) -> None:
    @cause(name, "valid", "units", into=FURTHER)
    def in_unit(site: Site, rng: np.random.Generator) -> Iterator[Change]:
        yield one_body(site, f"in {name}", scaled(site, 1 / factor))


for _name, _factor in (
    ("lb in^2", 2.926397e-4),
    ("oz in^2", 1.828998e-5),
    ("kg cm^2", 1e-4),
    ("g mm^2", 1e-9),
):
    _in_unit(_name, _factor)


@cause("tensor of the assembly", "model", "copied-block", "size-mismatch", into=FURTHER)
def of_assembly(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor of the whole robot on each link."""
    poses, _ = world_poses(site.model)
    every = [site.at(index) for index in sorted(site.sound)]
    if not np.all(np.isfinite(poses[[each.index for each in every]])):
        return
    mass = sum(each.mass for each in every)
    places = [
        poses[each.index][:3, :3] @ each.p_BoBcm_B + poses[each.index][:3, 3] for each in every
    ]
    middle = sum(each.mass * p for each, p in zip(every, places, strict=True)) / mass
    total = np.zeros((3, 3))
    for each, place in zip(every, places, strict=True):
        R = poses[each.index][:3, :3]
        total += R @ each.I_BBcm_B @ R.T + shifted(each.mass, place - middle)
    yield from of_all(site, "the sum of all", lambda each: each.write(total))


@cause("centre of the child's frame", "valid", "com-outside", "edited-copy", into=FURTHER)
def of_child(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The centre of mass in the frame of a body that hangs on this one."""
    for body in site.model.bodies:
        if body.X_PB is not None and body.parent == site.body.id:
            R, p = np.array(body.X_PB.R_PB), np.array(body.X_PB.p_PoBo_P)
            point = R.T @ (site.p_BoBcm_B - p)
            if is_far(site, point):
                yield one_body(site, f"in the frame of {body.name}", at(site, point))


@cause("centre left behind", "valid", "com-outside", "wrong-frame", "edited-copy", into=FURTHER)
def left_behind(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The link's frame was turned, and the centre of mass was not turned with it."""
    for turn in shuffled(rng, list(TURNS)):
        point = turn @ site.p_BoBcm_B
        if is_far(site, point):
            yield one_body(site, "a quarter turn", at(site, point))


@cause("rotor added", "valid", "rotor-inertia", into=FURTHER)
def rotor_added(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The reflected inertia of a rotor, half the trace, on one axis of the link."""
    for axis in shuffled(rng, [0, 1, 2]):
        matrix = site.I_BBcm_Bi.copy()
        matrix[axis, axis] += np.trace(matrix) / 2
        yield one_tensor(site, f"a rotor about {AXES[axis]}", matrix)


@cause("scaled robot", "model", "size-mismatch", "units", "mass-replaced", into=FURTHER)
def scaled_robot(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A robot of twice or half the size, with the tensors of the original."""
    for factor in shuffled(rng, [2.0, 0.5]):
        yield from of_all(
            site,
            f"size x {factor:g}",
            lambda each, factor=factor: scaled(each, factor**-5),
            LEAST_SHAPED,
        )


@cause("formula without a square", "valid", "wrong-formula", needs="geometry", into=FURTHER)
def without_square(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A box, or a cylinder along z, alone, whose formula has a length in place of its square."""
    if len(site.usable_shapes) != 1 or np.any(site.R_BBi != np.eye(3)):
        return
    (shape,) = site.usable_shapes
    if np.any(np.array(shape.R_BG) != np.eye(3)) or shape.kind not in ("box", "cylinder"):
        return
    sizes = np.array(shape.dimensions)
    for k in shuffled(rng, range(len(sizes))):
        x = sizes**2
        x[k] = sizes[k]
        if shape.kind == "box":
            moments = (np.sum(x) - x) / 12
        else:  # (3 r^2 + h^2) / 12 across, and r^2 / 2 about the axis
            moments = np.array([3 * x[0] + x[1], 3 * x[0] + x[1], 6 * x[0]]) / 12
        yield one_tensor(site, "a length for its square", site.mass * np.diag(moments))


def _places(site: Site, frame: np.ndarray, name: str, turned: bool) -> Iterator[Change]:
    """All centres, and perhaps tensors, in a frame (4, 4) X_FW of the whole model."""
    poses, _ = world_poses(site.model)
    moved: dict[int, Texts] = {}
    for index in sorted(site.sound):
        each = site.at(index)
        X_FB = frame @ poses[index]
        if not np.all(np.isfinite(X_FB)):
            return
        texts = at(each, X_FB[:3, :3] @ each.p_BoBcm_B + X_FB[:3, 3])
        if turned and np.all(each.R_BBi == np.eye(3)):
            texts |= each.write(X_FB[:3, :3] @ each.I_BBcm_Bi @ X_FB[:3, :3].T)
        moved[index] = texts
    far = [k for k, t in moved.items() if is_far(site.at(k), np.array([float(t[a]) for a in AXES]))]
    shaped = [k for k in far if site.at(k).has_geometry]
    if len(far) >= LEAST_LINKS and len(shaped) >= LEAST_LINKS:
        yield Change(name, moved, tuple(far))


@cause("base frame", "model", "com-outside", into=FURTHER)
def base_frame(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Centres of mass in the frame of the base."""
    yield from _places(site, np.eye(4), "in the base's frame", turned=False)


@cause("assembly frame", "model", "com-outside", into=FURTHER)
def assembly_frame(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Centres of mass and tensors in a frame of the CAD, turned and moved from the base."""
    frame = np.eye(4)
    frame[:3, :3] = TURNS[int(rng.integers(3))]
    size = np.linalg.norm(np.ptp(world_poses(site.model)[0][:, :3, 3], axis=0))
    frame[:3, 3] = rng.uniform(-1, 1, 3) * size
    turned = bool(rng.random() < 0.5)
    yield from _places(site, frame, "in an assembly's frame" + ", tensors too" * turned, turned)


@cause("default steel", "model", "density", needs="geometry", into=FURTHER)
def default_steel(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every link with a closed mesh as if it were full of a program's steel."""
    density = float(rng.choice(PROGRAMS_STEEL))

    def fill(each: Site) -> Texts:
        measured = measure(each, "visual") or measure(each, "collision")
        if measured is None or not (measured.closed and measured.volume > 0):
            return {}
        mass = density * measured.volume
        return {"mass": f"{mass:.{each.digits}g}"} | scaled(each, mass / each.mass)

    yield from of_all(site, f"{density:g} kg/m^3", fill)
