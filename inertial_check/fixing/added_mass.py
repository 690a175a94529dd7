"""The nearest added mass of a fluid with which a body has an inertia in every direction.

Nearest is the positive semidefinite matrix with the least ||D (A' - A) D||_F, where D takes the
units away: masses of body and fluid together count as one, and so do their inertias. Its sum with a
body that has an inertia in every direction has one, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence.added_mass import (
    Margins,
    has_known_numbers,
    is_to_blame,
    measure_added_mass,
    read_added_mass,
)
from inertial_check.fixing.case import Case, Proposal, Texts, format_percent
from inertial_check.fixing.digits import FEWEST_DIGITS, MOST_DIGITS, format_number
from inertial_check.fixing.request import FixRequest
from inertial_check.inertia.tolerances import NEAREST_WRITTEN, SOLVED_FACTOR
from inertial_check.model import Body, Judgement
from inertial_check.model.entries import MOTIONS, name_added_mass


def propose_added_mass(  # noqa: PLR0911 - a reason each
    case: Case, rigid: Proposal, request: FixRequest
) -> Proposal:
    """Add to the proposal for a rigid body the nearest added mass, where its own is to blame.

    Args:
        case: The body.
        rigid: What is proposed for the body without its fluid.
        request: What is asked of it.
    """
    inertial = case.body.inertial
    if inertial is None or not inertial.fluid_added_mass or case.body.inertia_from != "file":
        return rigid
    if rigid.result.status not in ("unchanged", "fixed"):
        return rigid
    judgement = _judge_proposed(case, rigid)
    before = np.array(read_added_mass(inertial))
    if not np.all(np.isfinite(before)):
        return case.skip("non-finite", "its added mass is not finite")
    if not has_known_numbers(judgement, before.tolist()):
        return rigid
    margins = _measure(judgement, before)
    if not is_to_blame(margins):
        return rigid
    found = _print_nearest(case, judgement, before)
    if found is None:
        return case.skip("not-representable", "no decimals of its added mass survive")
    after, texts = found
    if (obstacle := case.find_uneditable(texts)) is not None:
        return case.skip(*obstacle)
    D = _remove_units(judgement, before)
    size, moved = np.linalg.norm(D * before), np.linalg.norm(D * (after - before))
    change = float(moved / size)
    matrices = tuple(tuple(tuple(row) for row in matrix.tolist()) for matrix in (before, after))
    words = f"its added mass changes by {format_percent(change)}"
    reason = f"{rigid.result.reason}; {words}" if rigid.texts else words
    result = replace(
        rigid.result, status="fixed", reason=reason, added_mass=(matrices[0], matrices[1])
    )
    if limit := request.explain_limit("added mass", change):
        return Proposal(replace(result, status="needs-unsafe", reason=limit))
    strict = rigid.strict and bool(rigid.texts)
    return Proposal(result, {**rigid.texts, **texts}, rigid.edits or words, strict)


def has_proposed_added_mass(proposal: Proposal, body: Body, judgement: Judgement) -> bool:
    """Whether a body that was read again has the proposed added mass, and an inertia with it."""
    wanted = proposal.result.added_mass
    if wanted is None:
        return True
    if body.inertial is None:
        return False
    written = read_added_mass(body.inertial)
    return written == [list(row) for row in wanted[1]] and not is_to_blame(
        _measure(judgement, np.array(written))
    )


def find_nearest_semidefinite(matrix: Floats, D: Floats, least: float = 0.0) -> Floats:
    """The matrix A' >= 0 with the least ||D (A' - A) D||_F; exactly symmetric.

    Args:
        matrix: (6, 6) A, symmetric.
        D: (6, 6) products of the factors by which rows and columns lose their units.
        least: What negative eigenvalues become, without units: 0, or more to survive rounding.
    """
    scaled = D * matrix
    values, vectors = np.linalg.eigh(scaled)
    rounding = _rounding(scaled)
    if values[0] >= -rounding:
        return matrix
    # Eigenvalues that are zero stay so: they belong to entries that the file does not write.
    found = (vectors * np.where(values < -rounding, least, values)) @ vectors.T
    # Entries that are zero by the structure of the matrix come out as rounding.
    found = np.where(np.abs(found) <= rounding, 0.0, (found + found.T) / 2)
    return np.asarray(found / D)


def _print_nearest(case: Case, judgement: Judgement, before: Floats) -> tuple[Floats, Texts] | None:
    """The nearest added mass as it is printed, and its texts; None if no digits hold it."""
    D = _remove_units(judgement, before)
    tries = [(0.0, FEWEST_DIGITS), *((NEAREST_WRITTEN, d) for d in range(FEWEST_DIGITS, 13))]
    for least, digits in (*tries, (0.0, MOST_DIGITS)):
        nearest = find_nearest_semidefinite(before, D, least)
        after, texts = _print_matrix(case, before, nearest, digits)
        scaled = D * after
        semidefinite = np.linalg.eigvalsh(scaled)[0] >= -_rounding(scaled)
        if semidefinite and not is_to_blame(_measure(judgement, after)):
            return after, texts
    return None


def _rounding(scaled: Floats) -> float:
    """Size of an eigenvalue that is rounding, of a matrix without units."""
    return float(SOLVED_FACTOR * np.finfo(np.float64).eps * np.max(np.abs(scaled)))


def _print_matrix(
    case: Case, before: Floats, nearest: Floats, digits: int
) -> tuple[Floats, dict[str, str]]:
    """A matrix in decimals, and the texts of the entries that change."""
    assert case.body.inertial is not None
    numbers, after, texts = name_added_mass(case.body.inertial), before.copy(), {}
    for name, number in numbers.items():
        i, j = (MOTIONS.index(letter) for letter in name)
        if nearest[i, j] == before[i, j]:
            continue
        text = format_number(float(nearest[i, j]), digits, number.text)
        after[i, j] = after[j, i] = float(text)
        texts[name] = text
    return after, texts


def _remove_units(judgement: Judgement, added: Floats) -> Floats:
    """(6, 6) factors by which an added mass loses its units: as judge_added_mass, about Bo."""
    center, mass = np.array(judgement.p_BoBcm_B), judgement.mass
    linear = mass + float(np.linalg.norm(added[:3, :3]))
    turning = float(np.linalg.norm(judgement.I_BBcm_B)) + mass * float(center @ center)
    angular = turning + float(np.linalg.norm(added[3:, 3:]))
    roots = [1 / np.sqrt(size) if size > 0 else 1.0 for size in (*[linear] * 3, *[angular] * 3)]
    return np.outer(roots, roots)


def _judge_proposed(case: Case, rigid: Proposal) -> Judgement:
    """The judgement with the numbers of the body as they are proposed."""
    result, judgement = rigid.result, case.judgement
    if not rigid.texts or result.new is None or case.body.inertial is None:
        return judgement
    R = np.array(case.body.inertial.R_BBi)
    xx, xy, xz, yy, yz, zz = result.new
    I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T  # noqa: E741 - inertia
    six = tuple(float(I[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    mass = judgement.mass if result.mass is None else result.mass[1]
    center = judgement.p_BoBcm_B if result.com is None else result.com[1]
    return judgement._replace(mass=mass, p_BoBcm_B=center, I_BBcm_B=six)


def _measure(judgement: Judgement, added: Floats) -> Margins:
    return measure_added_mass([judgement], [added.tolist()])[0]
