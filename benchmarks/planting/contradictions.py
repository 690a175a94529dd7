"""Defects of one body that no numbers can excuse, and the one that is both: a rotor."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import permutations, product
from xml.etree import ElementTree

import numpy as np

from inertial_check.documents.model import ENTRIES
from planting.decimals import DIAGONAL, PRODUCTS, exact
from planting.defects import (
    ORDERS,
    RELEVANT,
    ROW_MAJOR,
    Change,
    cause,
    negated,
    one_body,
    one_tensor,
    plain,
    shuffled,
)
from planting.sites import Array, Site, change, shifted


@cause("decimal-slip", "provable")
def decimal_slip(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One entry is 10^k of what it was."""
    nonzero = [entry for entry in ENTRIES if exact(site.texts[entry])]
    for entry, power in shuffled(rng, list(product(nonzero, (-3, -2, -1, 1, 2, 3)))):
        slipped = plain(Decimal(site.texts[entry]).scaleb(power))
        yield one_body(site, f"{entry} x 1e{power}", {entry: slipped})


def flipped(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Every product with the other sign."""
    products = [entry for entry in PRODUCTS if exact(site.texts[entry])]
    yield one_body(
        site, "all products negated", {entry: negated(site.texts[entry]) for entry in products}
    )


cause("sign-of-products", "provable", identifiable=False)(flipped)


@cause("double-parallel-axis", "provable", "com-tensor-read-as-origin")
def double_parallel_axis(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The parallel-axis term subtracted from a tensor that was about the centre of mass."""
    term = shifted(site.mass, site.p_BoBcm_Bi)
    yield one_tensor(site, "I - m [c]^2", site.I_BBcm_Bi - term)


@cause("component-order", "provable")
def component_order(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The six numbers of one convention in the slots of another."""
    pairs = [(a, b) for a, b in permutations(ORDERS, 2) if "urdf" in (a, b)]
    for written, read in shuffled(rng, [*pairs, ("row-major", "urdf")]):
        source = ROW_MAJOR if written == "row-major" else ORDERS[written]
        texts = {slot: site.texts[e] for slot, e in zip(ORDERS[read], source, strict=True)}
        yield one_body(site, f"{written} order read as {read}", texts)


@cause("unpopulated", "provable")
def unpopulated(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Entries that were never filled in."""
    entry = str(rng.choice(DIAGONAL))
    others = [e for e in ENTRIES if e != entry]
    crumbs = {e: f"{rng.uniform(1, 10):.12f}e-{rng.integers(16, 31)}" for e in others}
    forms = {
        "one diagonal entry alone": dict.fromkeys(others, "0"),
        "one diagonal entry zero": {entry: "0"},
        "crumbs beside one diagonal entry": crumbs,
    }
    for name in shuffled(rng, list(forms)):
        yield one_body(site, f"{name} ({entry})", forms[name])


@cause("same-number-everywhere", "provable")
def same_number(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """One number in all six places."""
    entry = str(rng.choice(DIAGONAL))
    yield one_body(site, f"{entry} in all six", dict.fromkeys(ENTRIES, site.texts[entry]))


@cause("few-digits", "provable", "fixed-decimals")
def few_digits(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Rounded to one or two significant digits."""
    for decimals in shuffled(rng, (0, 1)):
        texts = {e: f"{float(site.texts[e]):.{decimals}e}" for e in ENTRIES}
        yield one_body(
            site, f"%.{decimals}e", {e: "0" if float(t) == 0 else t for e, t in texts.items()}
        )


@cause("fixed-decimals", "provable", "few-digits")
def fixed_decimals(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Printed with so few decimals that it breaks, and no fewer."""
    for decimals in range(8, 1, -1):
        texts = {e: f"{float(site.texts[e]):.{decimals}f}" for e in ENTRIES}
        if any(exact(texts[e]) for e in DIAGONAL):
            yield one_body(site, f"%.{decimals}f", texts)


@cause("negative-diagonal", "provable")
def negative_diagonal(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """A sign too many on a moment of inertia."""
    entry = str(rng.choice(DIAGONAL))
    yield one_body(site, f"-{entry}", {entry: negated(site.texts[entry])})


@cause("compound", "provable", "component-order", "units", identifiable=False)
def compound(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """Nine numbers in kg cm^2, row by row, in six slots."""
    texts = {
        slot: plain(Decimal(site.texts[e]).scaleb(4))
        for slot, e in zip(ORDERS["urdf"], ROW_MAJOR, strict=True)
    }
    yield one_body(site, "row-major and kg cm^2", texts)


@cause("rotor-inertia", "provable", identifiable=False)
def rotor_beyond(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The reflected inertia of a motor, more than the link has, added about the joint's axis."""
    yield from _with_rotor(site, 3.0)


@cause("rotor-inertia", "valid", identifiable=False)
def rotor_within(site: Site, rng: np.random.Generator) -> Iterator[Change]:
    """The same, as much as the triangle inequality just allows."""
    yield from _with_rotor(site, 0.95)


def _with_rotor(site: Site, share: float) -> Iterator[Change]:
    urdf = site.model.format == "urdf" and site.body.moved
    axis = joint_axes(site.model.source.data).get(site.body.name) if urdf else None
    if axis is None:
        return
    along = site.R_BBi.T @ axis
    S = np.trace(site.I_BBcm_Bi) / 2 * np.eye(3) - site.I_BBcm_Bi
    across = np.outer(along, along)
    if np.linalg.eigvalsh(S)[0] <= 0:
        return
    # J a a^T changes S by J (1/2 - a a^T); the largest J that leaves it PSD, by bisection.
    low, high = 0.0, 4 * float(np.trace(S))
    for _ in range(60):
        J = (low + high) / 2
        ok = np.linalg.eigvalsh(S + J * (np.eye(3) / 2 - across))[0] >= 0
        low, high = (J, high) if ok else (low, J)
    inflated = site.I_BBcm_Bi + share * low * across
    if change(inflated, site.I_BBcm_Bi) >= RELEVANT:
        yield one_tensor(site, f"{share} x what is allowed", inflated)


@lru_cache(maxsize=64)
def joint_axes(data: bytes) -> dict[str, Array]:
    """Child link -> unit vector along its joint's axis, for a URDF that parses strictly."""
    axes: dict[str, Array] = {}
    try:
        root = ElementTree.fromstring(data)
        for joint in root.iter("joint"):
            child, axis = joint.find("child"), joint.find("axis")
            if child is not None and joint.get("type") in ("revolute", "continuous"):
                text = "1 0 0" if axis is None else axis.get("xyz", "1 0 0")
                vector = np.array([float(word) for word in text.split()])
                if vector.shape == (3,) and vector.any():
                    axes[child.get("link", "")] = vector / np.linalg.norm(vector)
    except (ElementTree.ParseError, ValueError):
        return {}
    return axes
