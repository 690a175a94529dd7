"""Issue for the maintainers of a model, as Markdown: what is wrong with a body, and what is right.

Public threads that were acted on have these parts: file and line at a commit, the numbers as they
stand, a reason that can be checked by hand, what engines do with them, why the correction is the
only one of its kind, what it means for the robot, and the change as a diff.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import dist
from typing import NamedTuple

import numpy as np

from inertial_check.checking.evidence.twins import find_twins
from inertial_check.checking.report import BodyReport, FileReport, Finding, Severity
from inertial_check.documents.escaping import clip, fence, guard_diff, markdown_code, markdown_text
from inertial_check.documents.model import ENTRIES
from inertial_check.fixing.result import BodyFix, Fix
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.consistency import check
from inertial_check.inertia.representations import symmetric
from inertial_check.reports.terminal import (
    describe_cause,
    describe_engines,
    draw_excerpt,
    list_disagreements,
)
from inertial_check.reports.text import Style, plural

_LENGTH = 2_000
_DIAGONAL = ("ixx", "iyy", "izz")
_FEW = 4


class Commit(NamedTuple):
    """State of a file in its repository.

    Attributes:
        commit: Hash of the commit; "" outside a repository.
        path: Path of the file in the repository, or as it was named.
        changed: Whether the file differs from the one of the commit.
    """

    commit: str
    path: str
    changed: bool = False


def render_issue(file: FileReport, fix: Fix, ids: Sequence[str], at: Commit) -> str:
    """Write the issue about some bodies.

    Args:
        file: The report of the model, with causes, quotes and predictions.
        fix: What would be written for these bodies.
        ids: Ids of the bodies, in the order of the model.
        at: The file in its repository.

    Returns:
        The text; "" where no body has a finding that counts.
    """
    findings = {
        id_: [each for each in file.findings if id_ in (each.body_id, *each.body_ids)]
        for id_ in ids
    }
    bodies = {body.id: body for body in file.bodies}
    fixes = {each.id: each for each in fix.bodies}
    twins: dict[str, BodyReport] = {}
    for pair in find_twins([body.name for body in file.bodies]):
        one, other = (file.bodies[index] for index in pair)
        twins |= {one.id: other, other.id: one}
    parts = [
        "\n\n".join(_describe(bodies[id_], own, fixes.get(id_), twins.get(id_), at))
        for id_, own in findings.items()
        if own
    ]
    if not parts:
        return ""
    if diff := guard_diff(fix.diff()):
        parts.append(f"## The change\n\n{fence(diff.splitlines(), 'diff')}")
    return "\n\n".join(parts) + "\n"


def _describe(
    body: BodyReport,
    findings: Sequence[Finding],
    fix: BodyFix | None,
    twin: BodyReport | None,
    at: Commit,
) -> Iterator[str]:
    """The parts of the section of one body."""
    worst = max(findings, key=lambda each: each.severity)
    what = "no body has its numbers" if worst.severity == Severity.ERROR else worst.name
    yield f"## {markdown_code(body.name, _LENGTH)}: {what}"
    own = body.id in (worst.body_id, *worst.body_ids[:1])  # else it stands at another body
    where = f"{at.path}:{worst.place.line if own else body.line}"
    state = f" at commit {at.commit}" if at.commit else ""
    state += ", with changes that are not committed" if at.changed else ""
    yield f"{markdown_code(where, _LENGTH)}{state}:"
    if not own:
        six = zip(ENTRIES, body.judgement.I_BBcm_Bi, strict=True)
        yield fence([", ".join(f"{name} {value:.6g}" for name, value in six)])
    elif worst.excerpt is not None:
        yield fence(draw_excerpt(worst.excerpt, Style(color=False), worst.severity.word))
    for each in findings:
        yield markdown_text(f"{each.code} {each.name}: {each.message}.", _LENGTH)
    judgement = body.judgement
    if judgement.verdict == "inconsistent" and (proof := prove(judgement.I_BBcm_Bi)):
        yield f"By hand: {markdown_text(proof, _LENGTH)}"
    engines = [row.text for row in describe_engines(body)]
    quotes = [
        f"{name} {each.version}: {each.message}"
        for name, each in list_disagreements(body).items()
        if each.message
    ]
    if engines:
        yield markdown_text(f"Simulators: {'; '.join(engines)}.", _LENGTH)
    if quotes:
        yield fence(clip(each, _LENGTH) for each in quotes)
    if fix is not None and fix.new is not None:
        yield from _explain(findings, fix, judgement.verdict)
    if twin is not None and twin.judgement.verdict == "consistent":
        numbers = ", ".join(
            f"{name} {value:.6g}"
            for name, value in zip(ENTRIES, twin.judgement.I_BBcm_B, strict=True)
        )
        name = markdown_code(twin.name, _LENGTH)
        yield f"Beside it, {name}, its mirror image, has {numbers}, mass {twin.judgement.mass:.6g}."


def _explain(findings: Sequence[Finding], fix: BodyFix, verdict: str) -> Iterator[str]:
    """Why the correction is the one that was meant, and what it changes."""
    assert fix.new is not None
    assert fix.old is not None
    causes = (each for finding in findings for each in finding.causes)
    if cause := next((each for each in causes if each.cause == fix.cause), None):
        yield markdown_text(f"Probable cause: {describe_cause(cause)}.", _LENGTH)
    elif fix.source == "shapes":
        yield "The correction below is the mass spread evenly over the shapes, not a measured one."
    else:
        yield "The correction below is the nearest tensor that a body can have, not a measured one."
    if verdict == "inconsistent":
        tried, giving = try_single_edits(fix.old)
        named = f": {'; '.join(giving)}" if 0 < len(giving) <= _FEW else ""
        yield (
            f"Of {plural(tried, 'edit')} of a single kind (one entry by a power of ten from 1e-3 "
            f"to 1e3, its other sign, two entries exchanged) {len(giving) or 'none'} "
            f"{'gives' if len(giving) == 1 else 'give'} a tensor that a body can have{named}."
        )
    yield describe_effect(fix.old, fix.new, fix.com)


def prove(six: Sequence[float]) -> str:
    """Say in one sentence that can be checked by hand why no body has a tensor.

    Args:
        six: Entries about the centre of mass, as ENTRIES [kg m^2].

    Returns:
        The sentence; "" where the entries of no two axes show it.
    """
    value = {entry: Fraction(each) for entry, each in zip(ENTRIES, six, strict=True)}
    for axis in _DIAGONAL:
        others = [each for each in _DIAGONAL if each != axis]
        low, high = sum(value[each] for each in others), value[axis]
        if high < 0:
            return (
                f"{axis} = {float(high):.6g} is negative, and it is a sum of masses times squares."
            )
        if low < high:
            return (
                f"{others[0]} + {others[1]} = {float(low):.6g} is less than {axis} = "
                f"{float(high):.6g}; in a body it is more, by twice the sum of masses times "
                f"{axis[1]} squared."
            )
    half = sum(value[each] for each in _DIAGONAL) / 2
    xx, yy, zz = (half - value[axis] for axis in _DIAGONAL)  # sums of m x^2, m y^2, m z^2
    xy, xz, yz = (-value[axis] for axis in ("ixy", "ixz", "iyz"))
    for (one, first), (other, second), product in (
        (("x", xx), ("y", yy), xy),
        (("x", xx), ("z", zz), xz),
        (("y", yy), ("z", zz), yz),
    ):
        if first * second < product * product:
            return (
                f"the sum of m {one}^2 is (ixx + iyy + izz)/2 - i{one}{one} = {float(first):.6g}, "
                f"that of m {other}^2 is {float(second):.6g}, and the square of i{one}{other} = "
                f"{float(-product):.6g} is more than their product, against the inequality of "
                "Cauchy and Schwarz."
            )
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    if determinant < 0:
        return (
            "the matrix (ixx + iyy + izz)/2 1 - I, of the sums of m x x, m x y, ..., has the "
            f"determinant {float(determinant):.3g}, and that of a body has none below 0."
        )
    return ""


def try_single_edits(six: Sequence[float]) -> tuple[int, list[str]]:
    """Count the edits of a single kind, and describe those that give a body.

    An edit multiplies one entry by a power of ten, turns its sign, or exchanges two entries.

    Args:
        six: Entries about the centre of mass, as ENTRIES [kg m^2].
    """
    written = np.array(six, dtype=float)
    edits: list[tuple[str, Floats]] = []
    for index in np.flatnonzero(written):
        for factor in (*(10.0**power for power in (-3, -2, -1, 1, 2, 3)), -1.0):
            new = written.copy()
            new[index] *= factor
            edits.append((f"{ENTRIES[index]} = {new[index]:.6g}", new))
    for one, other in combinations(range(len(written)), 2):
        if written[one] != written[other]:
            new = written.copy()
            new[[one, other]] = written[[other, one]]
            edits.append((f"{ENTRIES[one]} and {ENTRIES[other]} exchanged", new))
    if not edits:
        return 0, []
    theta = np.zeros((len(edits), 10))
    theta[:, 0], theta[:, 4:] = 1.0, [new for _, new in edits]
    consistent = check(theta, about="com").consistent
    return len(edits), [text for (text, _), good in zip(edits, consistent, strict=True) if good]


def describe_effect(
    old: Sequence[float],
    new: Sequence[float],
    com: tuple[Sequence[float], Sequence[float]] | None = None,
) -> str:
    """Say what a torque does with the body before and after, about the axis that changes most.

    Where no moment changes, it is the turn about another axis that the torque brings with it, and
    for the same tensor the way of the centre of mass.
    """
    before, after = (dict(zip(ENTRIES, six, strict=True)) for six in (old, new))

    def change(axis: str) -> float:
        low, high = sorted((before[axis], after[axis]))
        return high / low if low > 0 else np.inf * (high != low)

    axis = max(_DIAGONAL, key=change)
    if before[axis] != after[axis] and not (before[axis] > 0 and after[axis] > 0):
        return (
            f"As written, its moment about {axis[1]} is {before[axis]:.6g} kg m^2, which no body "
            f"has; corrected it is {after[axis]:.6g} kg m^2."
        )
    if before[axis] != after[axis]:
        return (
            f"1 N m about {axis[1]} turns it at {1 / before[axis]:.4g} rad/s^2 as written, at "
            f"{1 / after[axis]:.4g} rad/s^2 when corrected."
        )
    product = max(ENTRIES, key=lambda entry: abs(before[entry] - after[entry]))
    if before[product] != after[product]:
        at, to = ("xyz".index(letter) for letter in product[1:])
        one, two = (np.linalg.pinv(symmetric(np.array(six)))[at, to] for six in (old, new))
        return (
            f"1 N m about {product[1]} turns it about {product[2]}, too: at {one:.4g} rad/s^2 as "
            f"written, at {two:.4g} rad/s^2 when corrected."
        )
    if com is None:
        return "Its tensor stays as it is."
    return f"Its centre of mass moves by {1e3 * dist(*com):.4g} mm, and its tensor stays."
