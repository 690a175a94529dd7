"""The witnesses of a body that was perhaps meant: its shapes, its twin and experience.

The product of their likelihoods (likelihoods.py) is compared with that of the numbers as written.

Vetoes: every edit that a cause proposes is applied, and every witness judges the body it makes.

How natural a body is, compared with real ones; it weighs the causes that would mend a body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.causes.base import (
    FAR,
    HEAVIER,
    IN_BOX,
    IN_BOX_DECADES,
    MOST,
    OUTSIDE,
    STATED,
    Cause,
    Components,
    Meant,
    Proposal,
    Subject,
    heavy_tail,
    likelihood_of_density,
    likelihood_of_likeness,
    likelihood_of_twin,
    likelihood_of_wrong_size,
)
from inertial_check.checking.evidence.examination import BodyGeometry
from inertial_check.checking.evidence.twins import AGREEMENT
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask
from inertial_check.inertia.eigen import eigenvalues
from inertial_check.inertia.representations import second_moment

if TYPE_CHECKING:
    import numpy.typing as npt


Flags = Mask
Indices = LongIntegers

_BATCH = 64
"""Largest number of bodies that are weighed at once, which bounds the memory."""

_NO_GAINS: Floats = np.zeros(0)
"""Gains of a cause that says nothing of a body."""


def is_stated(subject: Subject) -> bool:
    """Whether some body has the numbers as written, with mass: what the causes here explain."""
    return subject.kind in STATED


def read_body(subject: Subject) -> Meant:
    """Read the numbers of a body as the document states them."""
    return Meant(
        np.array([subject.mass]),
        subject.p_BoBcm_B[None],
        subject.examination.assembly.C_BBcm_B[subject.index][None],
    )


def with_spreads(subject: Subject, C_BBcm_B: Floats) -> Meant:
    """The body with other spreads (n, 3, 3), mass and centre as they stand."""
    count = len(C_BBcm_B)
    return Meant(
        np.array([subject.mass]).repeat(count),
        subject.p_BoBcm_B[None].repeat(count, axis=0),
        C_BBcm_B,
    )


def with_centers(subject: Subject, p_BoBcm_B: Floats) -> Meant:
    """The body with other centres of mass (n, 3)."""
    mass, _, C_BBcm_B = read_body(subject)
    return Meant(
        np.repeat(mass, len(p_BoBcm_B)), p_BoBcm_B, np.tile(C_BBcm_B, (len(p_BoBcm_B), 1, 1))
    )


def gains(subject: Subject, meant: Meant, twin: bool = True) -> Floats:
    """Compare the likelihood of other bodies with that of the body as written.

    Args:
        subject: The body as it stands.
        meant: n others.
        twin: Whether the body on the other side is heard.

    Returns:
        (n,) ratios of likelihoods, at most MOST; 0 where one is not finite.
    """
    return _compare([(subject, meant, False)], twin)


def weigh_together(causes: Sequence[Cause], subjects: Sequence[Subject]) -> None:
    """Weigh what all causes say that the bodies of a model meant, and leave it in `weighed`."""
    asked: list[tuple[Subject, Cause, Meant]] = []
    for subject in subjects:
        for cause in (each for each in causes if subject.kind in each.kinds):
            meant = cause.meant(subject)
            if meant is None:
                subject.weighed[cause.name] = _NO_GAINS
            else:
                asked.append((subject, cause, meant))
    for first in range(0, len(asked), _BATCH):
        batch = asked[first : first + _BATCH]
        ratio = _compare([(subject, meant, cause.any_size) for subject, cause, meant in batch])
        start = 0
        for subject, cause, meant in batch:
            subject.weighed[cause.name] = ratio[start : start + len(meant.mass)]
            start += len(meant.mass)


def find_gains(cause: Cause, subject: Subject) -> Floats:
    """Gains of what a cause says that a body meant; none where it says nothing."""
    if cause.name not in subject.weighed:
        weigh_together([cause], [subject])
    return subject.weighed[cause.name]


def _compare(asked: Sequence[tuple[Subject, Meant, bool]], twin: bool = True) -> Floats:
    """Gains of all bodies that were perhaps meant in place of several of a model, in their order.

    One row for each body as written comes first, and then one for each that was meant.

    Args:
        asked: Bodies, what was meant in place of each, and whether its size was chosen to agree
            with the shapes, so that the agreement is no evidence.
        twin: Whether the body on the other side is heard.
    """
    subjects = [subject for subject, _, _ in asked]
    index = np.array([subject.index for subject in subjects])
    counts = [len(meant.mass) for _, meant, _ in asked]
    of = np.concatenate([np.arange(len(asked)), np.repeat(np.arange(len(asked)), counts)])
    assembly = subjects[0].examination.assembly
    written = assembly.mass[index], assembly.p_BoBcm_B[index], assembly.C_BBcm_B[index]
    together = Meant(
        *map(np.concatenate, zip(written, *(each for _, each, _ in asked), strict=True))
    )
    free = (np.arange(len(of)) >= len(asked)) & np.array([chosen for _, _, chosen in asked])[of]
    with np.errstate(all="ignore"):
        second_moment = together.mass * np.trace(together.C_BBcm_B, axis1=1, axis2=2)
        likelihood = likelihood_of_density(together.mass, second_moment)
        # Likelihood of the distances of the centres of mass from the origins of the bodies.
        distance_assembly = subjects[0].examination.assembly
        sizes = resemblance.size(together.C_BBcm_B)
        reach = np.minimum(sizes, sizes[of])  # a tensor that grows must not excuse a far centre
        reach = reach + distance_assembly.reach[[subject.index for subject in subjects]][of]
        distance_ratio = resemblance.norm(together.p_BoBcm_B) / (2 * reach)
        likelihood = likelihood * heavy_tail(np.log10(np.maximum(distance_ratio, 1.0)) / FAR)
        likelihood = likelihood * weigh_shapes(subjects, together, of, free)
        if twin:
            likelihood = likelihood * weigh_twin(subjects, together, of)
        ratio = likelihood[len(asked) :] / likelihood[of[len(asked) :]]
    believed: Floats = np.minimum(np.nan_to_num(ratio, nan=0.0, posinf=MOST), MOST)
    return believed


def I_BBcm_Bi(subject: Subject, mass: float, C_BBcm_B: Floats) -> Floats:
    """The rotational inertia of a spread, in the inertial's own axes [kg m^2]."""
    return tidy(resemblance.inertia(mass, resemblance.rotate(subject.R_BBi.T, C_BBcm_B)))


def tidy(values: npt.ArrayLike) -> Floats:
    """Round numbers to 12 digits, and those that rounding alone left to zero."""
    values = np.asarray(values, dtype=float)
    size = np.max(np.abs(values), initial=0.0)
    kept = np.where(np.abs(values) > tolerances.ROTATED_ZERO * size, values, 0.0)
    digits = [float(f"{x:.12g}") for x in kept.ravel().tolist()]
    rounded: Floats = np.array(digits).reshape(kept.shape)
    return rounded


def box_text(mass: float, C_BBcm_B: Floats) -> str:
    """The equivalent box in words."""
    spreads = np.linalg.eigvalsh(C_BBcm_B)
    with np.errstate(all="ignore"):  # no box has a negative spread, and one of 0 no volume
        density = np.float64(mass) / np.prod(np.sqrt(12 * spreads))
    edges = np.sqrt(12 * np.maximum(spreads, 0.0))
    sizes = " x ".join(f"{edge:.3g}" for edge in edges.tolist())
    return f"a box of {sizes} m and {density:.3g} kg/m^3"


def twin_of(subject: Subject) -> int | None:
    """The body on the other side, where it states numbers that some body has; none by copy."""
    assembly = subject.examination.assembly
    twin = assembly.twin(subject.index)
    return None if twin is None or assembly.share_copy(subject.index, twin) else twin


def reflect_twin(subject: Subject, twin: int) -> tuple[Floats, Floats]:
    """Centre of mass [m] and spread [m^2] of the twin as this body would have them, in its axes.

    In the symmetry of the model; the twin's own numbers where the model has none.
    """
    assembly = subject.examination.assembly
    X_BT = assembly.twin_map(subject.index)
    R_BT, p_BT = X_BT[:3, :3], X_BT[:3, 3]
    center: Floats = R_BT @ assembly.p_BoBcm_B[twin] + p_BT
    return center, resemblance.rotate(R_BT, assembly.C_BBcm_B[twin])


def gain_of_scaled_shapes(subject: Subject, factor: float) -> float:
    """Compare the likelihood of the body beside its shapes times a factor with that as they are."""
    now = read_body(subject)
    scaled = Meant(now.mass, now.p_BoBcm_B / factor, now.C_BBcm_B / factor**2)
    together = Meant(*(np.concatenate(pair) for pair in zip(now, scaled, strict=True)))
    of, free = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=bool)
    written, meant = weigh_shapes([subject], together, of, free).tolist()
    return min(meant / written, MOST) if written > 0 else MOST


def weigh_shapes(subjects: Sequence[Subject], meant: Meant, of: Indices, free: Flags) -> Floats:
    """Geometric mean of the likelihoods by visual and collision shapes, which show one body.

    Args:
        subjects: The bodies as they stand; the first rows of `meant` are theirs.
        meant: n bodies.
        of: (n,) which of the subjects each row was perhaps meant for.
        free: (n,) whether the size of each was chosen to agree with the shapes.
    """
    likelihood = np.ones(len(meant.mass))
    written = resemblance.size(meant.C_BBcm_B)[of]
    # Bodies with as many geometries, seen along the same directions, are compared at once.
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, subject in enumerate(subjects):
        alike.setdefault(tuple(id(each.directions) for each in subject.beside), []).append(place)
    for key, places in alike.items():
        chosen = np.zeros(len(subjects), dtype=bool)
        chosen[places] = True
        rows = np.flatnonzero(chosen[of])
        at = (np.cumsum(chosen) - 1)[of[rows]]
        some = Meant(*(each[rows] for each in meant))
        for which in range(len(key)):
            beside = [subjects[place].beside[which] for place in places]
            # Likelihood of bodies beside one geometry each.
            fit_written = written[rows]
            fit_free = free[rows]
            form = np.array([each.form for each in beside])[at]
            size, extent, box = np.array([(each.size, each.extent, each.box) for each in beside])[
                at
            ].T
            support = np.array([each.support for each in beside])[at]
            columns = zip(*(each.components for each in beside), strict=True)
            components = Components(*(np.array(column)[at] for column in columns))
            outside = resemblance.excess(some.p_BoBcm_B, beside[0].directions, support, extent)
            misfit = resemblance.norm(resemblance.form(some.C_BBcm_B) - form, axis=(-2, -1))
            fit = likelihood_of_likeness(
                misfit, np.log(resemblance.size(some.C_BBcm_B) / size), components
            )
            if np.any(fit_free):
                other = likelihood_of_wrong_size(misfit, np.log(fit_written / size), components)
                fit = np.where(fit_free, other, fit)
            fit = fit * heavy_tail((np.log10(some.mass / box) - IN_BOX) / IN_BOX_DECADES)
            fit = fit * heavy_tail(np.maximum(outside, 0.0) / OUTSIDE)
            likelihood[rows] = likelihood[rows] * fit ** (1 / len(key))
    return likelihood


def weigh_twin(subjects: Sequence[Subject], meant: Meant, of: Indices) -> Floats:
    """Likelihood of the differences from the twin; 1 for a body without one."""
    assembly = subjects[0].examination.assembly
    twins = [twin_of(subject) for subject in subjects]
    other = np.array([-1 if twin is None else twin for twin in twins])[of]
    likelihood = np.ones(len(meant.mass))
    rows = np.flatnonzero(other >= 0)
    if not len(rows):
        return likelihood
    index = np.array([subject.index for subject in subjects])[of[rows]]
    off = assembly.apart(index, meant.p_BoBcm_B[rows], meant.C_BBcm_B[rows])
    heavier = np.log(meant.mass[rows] / assembly.mass[other[rows]])
    pairs = zip(subjects, twins, strict=True)
    allowed = [0.0 if twin is None else subject.printed_misfit for subject, twin in pairs]
    digits = np.array(allowed)[of[rows]]
    likelihood[rows] = likelihood_of_twin(off, heavier, digits)
    return likelihood


VETOED = 0.05
"""Factor on the weight of a proposal whose result is implausible. Chosen: evidence that refutes is
seldom wrong itself."""

HELD_BACK = 0.5
"""Largest confidence of a cause whose result is implausible: below that of a probable one."""

_WORSE = 3.0
"""Ratio of likelihoods by which a witness speaks against an edit: other readings of one body differ
by less where a witness stands for it loosely."""


def ask_witnesses(subject: Subject, meant: Meant) -> Mapping[str, Floats]:
    """Ask the shapes and the twin of a body about others that were perhaps meant.

    Args:
        subject: The body as it stands; only one that states what some body has is compared.
        meant: n others.

    Returns:
        For each witness by name (n,) how many times as probable they are as the body as written.
    """
    if not subject.examination.assembly.stated[subject.index]:
        return {}
    pairs = zip(read_body(subject), meant, strict=True)
    together = Meant(*(np.concatenate(pair) for pair in pairs))
    of = np.zeros(len(together.mass), dtype=np.int64)
    found: dict[str, Floats] = {}
    with np.errstate(all="ignore"):
        if subject.beside:
            free = np.zeros(len(of), dtype=bool)
            found["the body's shapes"] = weigh_shapes([subject], together, of, free)
        twin = twin_of(subject)
        if twin is not None:
            name = subject.examination.model.bodies[twin].name
            found[name] = weigh_twin([subject], together, of)
        return {name: np.nan_to_num(each[1:] / each[0]) for name, each in found.items()}


def name_witnesses(subject: Subject, meant: Meant) -> str:
    """Names of the witnesses that were asked and agree that a body was meant; other bodies if none.

    Args:
        subject: The body as it stands.
        meant: The one that was meant.
    """
    found = ask_witnesses(subject, meant)
    return " and ".join(name for name, gain in found.items() if gain[0] > 1) or "other bodies"


def find_vetoes(subject: Subject, proposals: Sequence[Proposal]) -> list[str]:
    """Judge the body that each proposal makes by all that is known of it and of its model.

    Returns:
        For each proposal what speaks against it, in one clause; "" where nothing does.
    """
    vetoes = [""] * len(proposals)
    changed = [
        place
        for place, each in enumerate(proposals)
        if not (each.mass is None and each.p_BoBcm_B is None and each.I_BBcm_Bi is None)
    ]
    if not changed or not subject.mass > 0:
        return vetoes
    meant = _apply(subject, [proposals[place] for place in changed])
    resized = np.array(
        [not (proposals[i].mass is None and proposals[i].I_BBcm_Bi is None) for i in changed]
    )
    moved = np.array([proposals[i].p_BoBcm_B is not None for i in changed])
    with np.errstate(all="ignore"):
        spreads = np.linalg.eigvalsh(np.nan_to_num(meant.C_BBcm_B))
        edges = np.sqrt(12 * np.maximum(spreads, 0.0))
        thick = np.maximum(edges, limits.THICKNESS * edges[:, 2:])
        density = limits.ELLIPSOID * meant.mass / np.prod(thick, axis=1)
    # A model without shapes may be longer than its joints tell, by the length of its last links.
    trace = np.trace(subject.examination.assembly.C_BBcm_B[subject.index])
    extent = float(np.max(subject.examination.likeness.extent, initial=0.0))
    whole = subject.examination.assembly.span + 2 * extent
    whole = max(whole, float(np.sqrt(12 * abs(trace)))) if whole > 0 else 0.0
    away = resemblance.norm(meant.p_BoBcm_B)
    asked = ask_witnesses(subject, meant)
    seen = [each.C_GGcm_B for each in subject.geometry if subject.broken and not each.skipped]
    shapes = [resemblance.matrices(np.array(six)) for six in seen]
    for row, place in enumerate(changed):
        if resized[row] and density[row] > limits.OSMIUM:
            vetoes[place] = (
                f"the result has {density[row]:.3g} kg/m^3, and osmium, the densest metal, "
                f"{limits.OSMIUM:.0f}"
            )
        elif whole > 0 and resized[row] and edges[row, 2] > limits.LARGER_THAN_MODEL * whole:
            vetoes[place] = (
                f"the result is {edges[row, 2]:.3g} m long, and the whole model {whole:.3g} m"
            )
        elif whole > 0 and moved[row] and away[row] > limits.LARGER_THAN_MODEL * whole:
            vetoes[place] = (
                f"the centre is {away[row]:.3g} m away, and the whole model {whole:.3g} m long"
            )
        else:
            vetoes[place] = _find_contradiction(subject, asked, row)
            # The shapes of a body that nobody has are compared here: no likelihood is known of it.
            ratios = [float(resemblance.size_ratio(meant.C_BBcm_B[row], C)) for C in shapes]
            off = [max(r, 1 / r) if r > tolerances.EMPTY_MOMENT else np.inf for r in ratios]
            if not vetoes[place] and min(off, default=1.0) > limits.ODD_SIZE:
                vetoes[place] = f"the result is {ratios[0]:.3g} times as large as the body's shapes"
    return vetoes


def _apply(subject: Subject, proposals: Sequence[Proposal]) -> Meant:
    """The body as each proposal makes it."""
    mass = [subject.mass if each.mass is None else each.mass for each in proposals]
    centers = [
        subject.p_BoBcm_B if each.p_BoBcm_B is None else each.p_BoBcm_B for each in proposals
    ]
    tensors = [
        subject.I_BBcm_Bi if each.I_BBcm_Bi is None else each.I_BBcm_Bi for each in proposals
    ]
    spreads = resemblance.spread(np.array(mass), np.array(tensors))
    return Meant(np.array(mass), np.array(centers), resemblance.rotate(subject.R_BBi, spreads))


def _find_contradiction(subject: Subject, asked: Mapping[str, Floats], row: int) -> str:
    """The witness for which a body is less like it than before; "" if none.

    A twin that was the mirror image of the body has its numbers from the same source, and the
    mistake with them.
    """
    for name, gain in asked.items():
        if gain[row] * _WORSE >= 1:
            continue
        if name != "the body's shapes":
            index = np.array([subject.index])
            assembly = subject.examination.assembly
            here = assembly.p_BoBcm_B[index], assembly.C_BBcm_B[index]
            if assembly.apart(index, *here)[0] <= AGREEMENT:
                continue
        return f"the result is less like {name} than the numbers as written"
    return ""


# The constants below were fitted to the 1,420 different valid inertials of the model collection
# that the tests read: quartiles, and tails that never rule a body out.

_MARGIN = 0.01
"""Half-width of the flatness factor: a twentieth of real bodies have a margin below 0.006, half
have 0.13 or more."""

_CORRELATION = 0.5
"""Half-width of the correlation factor |S_ij| / sqrt(S_ii S_jj): half of real bodies are below
0.03, a tenth above 0.4."""

_DISCREPANCY = 0.35
"""Half-width of the shape factor: log ratio of the sizes and difference of the shapes. Hollow links
differ by less."""

_STAND_IN = 0.2
"""Probability that shapes are stand-ins (a marker of a millimetre, a hull of the whole robot) and
say nothing about the body."""

_LEAST = 0.1
"""Least flatness factor: plates are unusual, but how thin they are adds nothing."""


def naturalness(
    mass: Floats, six: Floats, geometry: Sequence[BodyGeometry] = (), R_BBi: Floats | None = None
) -> Floats:
    """Rate how often real bodies look like these, relative to the most usual ones.

    Args:
        mass: (n,) [kg].
        six: (n, 6) tensors about the centre of mass [kg m^2].
        geometry: What the body's shapes say.
        R_BBi: (3, 3) from the axes of the tensors to those of the geometry; None for the same.

    Returns:
        (n,) between 0 and 1; 0 where no body has the tensor.
    """
    with np.errstate(all="ignore"):
        S = np.asarray(second_moment(six))
        spreads = eigenvalues(S)
        size = np.sum(spreads, axis=-1)
        margin = spreads[:, 0] / size
        share_result: Floats = np.maximum(margin, 0.0) / (np.maximum(margin, 0.0) + _MARGIN)
        flat = np.maximum(_LEAST, share_result)
        # (n,) the largest |S_ij| / sqrt(S_ii S_jj).
        xx, xy, xz, yy, yz, zz = S.T
        every = np.stack([xy**2 / (xx * yy), xz**2 / (xx * zz), yz**2 / (yy * zz)])
        correlation_result: Floats = np.sqrt(
            np.max(np.nan_to_num(every, nan=0.0, posinf=1.0), axis=0)
        )
        slanted = 1 / (1 + (np.minimum(correlation_result, 1.0) / _CORRELATION) ** 2)
        sized = likelihood_of_density(mass, size)
        if geometry:
            # (n,) likelihood of the discrepancy from the shapes that fit best.
            C = resemblance.rotate(
                np.eye(3) if R_BBi is None else R_BBi,
                resemblance.spread(mass, resemblance.matrices(six)),
            )
            each = [
                resemblance.discrepancy(C, resemblance.matrices(shapes.C_GGcm_B))
                for shapes in geometry
            ]
            sized = np.fmax(
                _STAND_IN * sized,
                heavy_tail(np.min(np.stack(each), axis=0) / _DISCREPANCY, HEAVIER),
            )
        sound = margin >= -tolerances.floor(np.ones_like(margin))
    result: Floats = np.nan_to_num(np.where(sound, flat * slanted * sized, 0.0), nan=0.0)
    return result
