"""Defects of all links of a model at once: one mistake of one exporter.

Each is planted into every body that has ten numbers and a mass; a finding has to cover the sound
ones whose numbers move by what one would notice. Where only shapes can tell, those of three fit the
numbers as they were at least twice as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

import numpy as np

from inertial_check.documents.model import ENTRIES
from planting.contradictions import flipped
from planting.decimals import DIAGONAL, exact
from planting.defects import (
    COARSE,
    ORDERS,
    UNITS,
    Change,
    cause,
    moves,
    plain,
    scaled,
    shuffled,
)
from planting.shapes import distance, measure, misfit
from planting.sites import Site, Texts, has_ten_numbers, shifted, tensor

LEAST_LINKS = 4
"""Links that a mistake has to move before it is one of the model."""
LEAST_SHAPED = 3
"""Of them, how many have shapes that tell, where nothing else could show it."""
TELLING = 2.0
"""How many times better shapes that tell fit the numbers as they were."""
PRINTED = 0.6
"""Part of the links that keep moments above zero where all are printed with too few decimals."""


_LINKS: dict[str, list[Site]] = {}


def links(site: Site) -> list[Site]:
    """Every body of the model with ten numbers, a positive mass, and a tensor that is not zero."""
    if site.file not in _LINKS:
        every = (site.at(k) for k, body in enumerate(site.model.bodies) if has_ten_numbers(body))
        _LINKS[site.file] = [each for each in every if each.mass > 0 and np.any(each.I_BBcm_Bi)]
    return _LINKS[site.file]


def of_all(
    site: Site, variant: str, rewrite: Callable[[Site], Texts], shaped: int = 0
) -> Iterator[Change]:
    """A change of all links, where it moves enough of them."""
    texts: Mapping[int, Texts] = {each.index: rewrite(each) for each in links(site)}
    moved = [
        each
        for each in links(site)
        if each.index in site.sound
        and ("mass" in texts[each.index] or moves(each, texts[each.index]))
    ]
    if len(moved) < LEAST_LINKS:
        return
    if not shaped or sum(tell(each, texts[each.index]) for each in moved) >= shaped:
        watched = tuple(each.index for each in moved)
        yield Change(f"{variant}, {len(moved)} of {len(texts)} links", texts, watched)


def tell(each: Site, texts: Texts) -> bool:
    """Whether the shapes of one role fit a body as it was, and less than half as well as it is."""
    six = [float((each.texts | texts)[entry]) for entry in ENTRIES]
    I_BBcm_B = each.R_BBi @ tensor(six) @ each.R_BBi.T
    for role in ("visual", "collision"):
        measured = measure(each, role)
        if measured is not None and distance(I_BBcm_B, measured) >= TELLING * misfit(
            each, measured
        ):
            return True
    return False


@cause("sign-of-products", "model")
def signs(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """All products negated."""

    def negate(each: Site) -> Texts:
        (candidate,) = flipped(each, rng)
        return dict(candidate.texts[each.index])

    yield from of_all(site, "products negated", negate, LEAST_SHAPED)


@cause("about-link-origin", "model", "origin-tensor-read-as-com")
def about_link_origins(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every tensor about its link's origin."""

    def shift(each: Site) -> Texts:
        return each.write(each.I_BBcm_Bi + shifted(each.mass, each.p_BoBcm_Bi))

    yield from of_all(site, "I + m [c]^2", shift)


@cause("units", "model")
def units_of_tensors(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every tensor in another unit."""
    for name in shuffled(rng, list(UNITS)):
        yield from of_all(site, f"in {name}", lambda each, name=name: scaled(each, 1 / UNITS[name]))


@cause("density", "model", "units")
def units_of_masses(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every mass in grams, or in tonnes, and the tensors with them or not."""
    for power, both in shuffled(rng, [(3, False), (-3, False), (3, True), (-3, True)]):

        def weigh(each: Site, power: int = power, both: bool = both) -> Texts:
            mass = {"mass": plain(Decimal(each.texts["mass"]).scaleb(power))}
            return mass | (scaled(each, 10.0**power) if both else {})

        yield from of_all(site, f"mass x 1e{power}{', tensor too' if both else ''}", weigh)


@cause("component-order", "model")
def orders(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The six numbers of every link in another convention's order."""
    for other in shuffled(rng, [name for name in ORDERS if name != "urdf"]):

        def reorder(each: Site, other: str = other) -> Texts:
            order = zip(ORDERS["urdf"], ORDERS[other], strict=True)
            return {slot: each.texts[entry] for slot, entry in order}

        yield from of_all(site, f"{other} order read as urdf", reorder)


@cause("wrong-frame", "model")
def turned(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every tensor turned by its inertial's own rotation once more, or back."""
    for name in shuffled(rng, ["R I R^T", "R^T I R"]):

        def turn(each: Site, name: str = name) -> Texts:
            R = each.R_BBi if name == "R I R^T" else each.R_BBi.T
            return each.write(R @ each.I_BBcm_Bi @ R.T)

        yield from of_all(site, name, turn, LEAST_SHAPED)


@cause("sorted-principal-moments", "model", "wrong-frame")
def sorted_moments(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Principal moments without their axes, sorted."""
    for name in shuffled(rng, ["descending", "ascending"]):

        def sort(each: Site, name: str = name) -> Texts:
            moments = np.linalg.eigvalsh(each.I_BBcm_Bi)
            return each.write(np.diag(moments if name == "ascending" else moments[::-1]))

        yield from of_all(site, f"principal moments, {name}", sort)


@cause("fixed-decimals", "model", "few-digits")
def coarse_decimals(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every tensor printed with one number of decimals, too few for most of the links."""
    every = links(site)
    for decimals in range(6, 1, -1):
        lost = [each for each in every if 0.5 / 10**decimals > COARSE * np.trace(each.I_BBcm_Bi)]

        def round_off(each: Site, decimals: int = decimals) -> Texts:
            texts = {e: f"{float(each.texts[e]):.{decimals}f}" for e in each.numbers if e[0] == "i"}
            return texts if all(exact(texts[e]) > 0 for e in DIAGONAL) else {}

        kept = sum(bool(round_off(each)) for each in every)
        if 2 * len(lost) >= len(every) and kept >= PRINTED * len(every):
            yield from of_all(site, f"%.{decimals}f", round_off)
