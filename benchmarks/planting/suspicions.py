"""Defects of one body that leave it possible, but wrong."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from inertial_check.documents.model import ENTRIES, Shape
from planting.contradictions import decimal_slip, flipped
from planting.decimals import AXES, DIAGONAL, PRODUCTS, exact
from planting.defects import (
    RELEVANT,
    UNITS,
    Change,
    cause,
    coarse,
    moves,
    negated,
    one_body,
    one_tensor,
    plain,
    scaled,
    shuffled,
)
from planting.sites import Array, Site, change, shifted


@cause("placeholder", "valid")
def placeholder(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Numbers that stand for none."""
    zeros = dict.fromkeys(PRODUCTS, "0")
    forms = {"identity": one_body(site, "identity", dict.fromkeys(DIAGONAL, "1") | zeros)}
    power = -int(rng.integers(1, 7))
    written = str(Decimal(1).scaleb(power))
    forms["power"] = one_body(
        site, f"1e{power} isotropic", dict.fromkeys(DIAGONAL, written) | zeros
    )
    masses: dict[str, int] = {site.texts["mass"]: site.index}
    for index in shuffled(rng, sorted(site.sound)):
        masses.setdefault(site.at(index).texts["mass"], index)
    bodies = tuple(masses.values())[:4]
    if len(bodies) >= 3:
        block = {entry: site.texts[entry] for entry in ENTRIES}
        several = dict.fromkeys(bodies, block)
        # The tensor that was computed for one body is a copied block on others, as well as a
        # placeholder: no number tells what it was pasted for. Few digits alone are nobody's.
        own = max(map(_digits, block.values())) > 2 or any(exact(block[e]) for e in PRODUCTS)
        also = frozenset({"copied-block"}) if own else frozenset()
        forms["several"] = Change(f"one tensor on {len(bodies)} bodies", several, bodies, also=also)
    for name in shuffled(rng, list(forms)):
        moved = forms[name].texts[site.index]
        if name == "several" or moves(site, moved):
            yield forms[name]


def _digits(text: str) -> int:
    """Number of significant digits of a printed number."""
    return len(Decimal(text).normalize().as_tuple().digits)


@cause("units", "valid")
def units(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor of one body in another unit."""
    for name in shuffled(rng, list(UNITS)):
        inverse = rng.random() < 0.25
        factor, word = (UNITS[name], "converted twice from") if inverse else (1 / UNITS[name], "in")
        yield one_body(site, f"{word} {name}", scaled(site, factor))


@cause("density", "valid", "units")
def density(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The mass in grams, or in tonnes."""
    for power, both in shuffled(rng, [(3, False), (-3, False), (3, True), (-3, True)]):
        texts = {"mass": plain(Decimal(site.texts["mass"]).scaleb(power))}
        if both:
            texts |= scaled(site, 10.0**power)
        yield one_body(site, f"mass x 1e{power}{', tensor too' if both else ''}", texts)


@cause("size-mismatch", "valid", needs="geometry")
def size_mismatch(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor of a body 2.8 times larger, or smaller."""
    for factor in shuffled(rng, (8.0, 1 / 8)):
        yield one_body(site, f"tensor x {factor:g}", scaled(site, factor))


@cause("about-link-origin", "valid", "origin-tensor-read-as-com")
def about_link_origin(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The tensor about the link's origin where that about the centre of mass belongs."""
    term = shifted(site.mass, site.p_BoBcm_Bi)
    if np.trace(term) >= np.trace(site.I_BBcm_Bi) / 2:
        yield one_tensor(site, "I + m [c]^2", site.I_BBcm_Bi + term)


@cause("wrong-frame", "valid", needs="geometry")
def wrong_frame(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The right tensor along the wrong axes."""
    R_BBi, I_BBcm_Bi = site.R_BBi, site.I_BBcm_Bi
    swaps = {
        "axes turned x->y->z": np.eye(3)[[2, 0, 1]],
        "axes turned x->z->y": np.eye(3)[[1, 2, 0]],
        "y and z swapped": np.eye(3)[[0, 2, 1]],
        "x and z swapped": np.eye(3)[[2, 1, 0]],
    }
    axes = np.linalg.eigh(I_BBcm_Bi)[1]
    own = {"R I R^T": R_BBi, "R^T I R": R_BBi.T, "eigenvectors transposed": axes.T @ axes.T}
    for name in [*shuffled(rng, list(own)), *shuffled(rng, list(swaps))]:
        turn = own.get(name, swaps.get(name))
        turned = turn @ I_BBcm_Bi @ turn.T
        if change(turned, I_BBcm_Bi) >= 2 * RELEVANT:
            yield one_tensor(site, name, turned)


@cause("wrong-formula", "valid", "wrong-frame", needs="geometry")
def wrong_formula(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A textbook formula of the body's one primitive, misread."""
    for role in ("visual", "collision"):
        shapes = [shape for shape in site.body.shapes if shape.role == role]
        if len(shapes) == 1 and shapes[0] in site.usable_shapes:
            break
    else:
        return
    shape = shapes[0]
    if not np.allclose(site.R_BBi, shape.R_BG, atol=1e-6):
        return
    right, wrong = formulas(shape, site.mass)
    for name in shuffled(rng, list(wrong)):
        matrix = np.diag(wrong[name])
        if min(change(matrix, right), change(matrix, site.I_BBcm_Bi)) >= RELEVANT:
            yield one_tensor(site, f"{shape.kind}: {name}", matrix)


def formulas(shape: Shape, mass: float) -> tuple[Array, dict[str, Array]]:
    """The tensor of a primitive, and the moments that misread formulas give, by name."""
    if shape.kind == "box":
        x, y, z = np.array(shape.dimensions) ** 2
        per_kilogram = np.array([y + z, x + z, x + y]) / 12
        longest = int(np.argmax(shape.dimensions))
        rod = np.full(3, max(x, y, z) / 12)
        rod[longest] = 0
        wrong = {"another axis": mass * np.roll(per_kilogram, 1), "thin rod": mass * rod}
    elif shape.kind == "cylinder":
        r, L = (dimension**2 for dimension in shape.dimensions)
        per_kilogram = np.array([r / 4 + L / 12, r / 4 + L / 12, r / 2])
        wrong = {
            "another axis": mass * per_kilogram[[2, 1, 0]],
            "1/12 for 1/4": mass * np.array([(r + L) / 12, (r + L) / 12, r / 2]),
            "thin rod": mass * np.array([L / 12, L / 12, 0]),
        }
    elif shape.kind == "sphere":
        per_kilogram, wrong = np.full(3, 0.4 * shape.dimensions[0] ** 2), {}
    else:
        return np.eye(3), {}
    if not 0.7 < mass < 1.4:
        wrong["missing mass"] = per_kilogram
    return np.diag(mass * per_kilogram), wrong


@cause("com-outside", "valid")
def com_outside(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The centre of mass with a sign too many, or in millimetres."""
    moved = [axis for axis in AXES if exact(site.texts[axis])]
    if not moved:
        return
    largest = max(moved, key=lambda axis: abs(float(site.texts[axis])))
    forms = {
        "a sign lost": {largest: negated(site.texts[largest])},
        "in mm": {axis: plain(Decimal(site.texts[axis]).scaleb(3)) for axis in moved},
    }
    for name in forms if rng.random() < 0.7 else reversed(forms):
        texts = site.texts | forms[name]
        p_BoBcm_B = np.array([float(texts[axis]) for axis in AXES])
        if _outside(site, p_BoBcm_B) if site.usable_shapes else name == "in mm":
            yield one_body(site, name, forms[name])


def _outside(site: Site, point: Array) -> bool:
    """Whether a point is out of the box about the shapes by a tenth of it."""
    if site.bounds is None:
        return False
    lower, upper = site.bounds
    room = 0.1 * np.linalg.norm(upper - lower)
    return bool(np.any(point < lower - room) or np.any(point > upper + room))


@cause("mirror", "valid", needs="twin")
def mirror(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A body with the numbers of its twin, not reflected; or with half as much again."""
    twin = site.twin
    if twin is None:
        return
    forms = {"one side x 1.5": scaled(site, 1.5) | {"mass": f"{1.5 * site.mass:.{site.digits}g}"}}
    if np.allclose(site.R_BBi, np.eye(3)) and np.allclose(twin.R_BBi, np.eye(3)):
        size = np.sqrt(np.trace(site.I_BBcm_B) / site.mass)
        far = np.linalg.norm(site.p_BoBcm_B - twin.p_BoBcm_B) >= RELEVANT * size
        if far or change(twin.I_BBcm_B, site.I_BBcm_B) >= RELEVANT:
            forms["not reflected"] = dict(twin.texts)
    for name in reversed(forms):
        yield Change(name, {site.index: forms[name]}, (site.index, twin.index))


@cause("sign-of-products", "valid", needs="geometry or twin")
def flipped_yet_valid(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The products negated, which no test of the numbers alone can see."""
    if np.linalg.norm(site.I_BBcm_Bi - np.diag(np.diag(site.I_BBcm_Bi))) * 2 >= (
        RELEVANT * np.linalg.norm(site.I_BBcm_Bi)
    ):
        yield from flipped(site, rng)


@cause("copied-block", "valid", identifiable=True)
def copied_block(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The ten numbers of another body of the model."""
    for index in shuffled(rng, sorted(site.sound - {site.index})):
        donor = site.at(index)
        heavier = max(donor.mass, site.mass) / min(donor.mass, site.mass)
        if heavier >= 1.5 and change(donor.I_BBcm_Bi, site.I_BBcm_Bi) >= 2 * RELEVANT:
            bodies = (site.index, index)
            yield Change(f"those of {donor.body.name}", {site.index: dict(donor.texts)}, bodies)


@cause("decimal-slip", "valid", needs="geometry")
def slip_yet_valid(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A point moved, where that leaves a body: the tensor moves by a third at least."""
    for candidate in decimal_slip(site, rng):
        if moves(site, candidate.texts[site.index], least=0.3):
            yield candidate


@cause("fixed-decimals", "valid", "few-digits")
def coarse_yet_valid(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Printed with so few decimals that most of the numbers is gone, and yet a body."""
    texts = coarse(site)
    if texts is not None:
        yield one_body(site, "few decimals", texts)


@cause("total-mass", "valid", identifiable=False)
def total_mass(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One body so much heavier that the whole is off by 5 %, with the true total told."""
    bodies = site.model.bodies
    written = [body.inertial.mass for body in bodies if body.inertial and body.inertial.mass]
    total = sum(mass.value for mass in written)
    if np.isfinite(total) and all(body.inertia_from == "file" for body in bodies):
        heavier = f"{site.mass + 0.05 * total:.{site.digits}g}"
        yield Change("5 % of the whole more", {site.index: {"mass": heavier}}, None, total)
