"""What the check tells of links whose right numbers are public, and what `fix` makes of them.

    INERTIAL_CHECK_CASES=DIR INERTIAL_CHECK_REPORTS=DIR python benchmarks/public_reports.py [--all]

public_reports.json in the first folder lists links of public issues and commits: the numbers
before, those of the maintainers or reporters after, the cause in one word, and whether it is
visible from the link alone. Such a link is checked as the only one of a small robot, that of one of
the repositories in the second folder in its model. --all checks the others alone, too.

* A first story is right if its edit gives the numbers after within 5 %; without an edit, or where
  nobody tells the numbers, if it is a name of the cause.
* A remedy (`fix --all-remedies --unsafe`) is right if it gives the numbers after within 5 %: mass,
  centre of mass (of its distance from the link frame) and tensor about the centre in link axes.
* A false statement is a first story of at least 60 % that is not right.
* Destroyed numbers are those that `fix --all-remedies` writes without --unsafe and that are wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import inertial_check as ic
from inertial_check.checking.report import Severity, name_all_numbers
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, Body, Judgement, Model, judge
from inertial_check.fixing.result import Fix
from inertial_check.inertia.resemblance import matrices
from inertial_check.mechanics.rotations import matrix_from_euler as rotation

NEAR = 0.05
"""Largest relative deviation of numbers that count as those after."""

TOLD = 0.6
"""Least confidence of a story that is a statement."""

NAMES = {
    "mass": ("density", "mass-replaced", "total-mass"),
    "transcription": ("decimal-slip", "copied-entry", "mirror"),
    "rounding-floor": ("same-number-everywhere", "placeholder", "fixed-decimals"),
    "com-sign": ("com-outside", "mirror"),
    "com-not-moved": ("com-outside",),
}
"""Names of causes that say what a word of the list says, where they are others than the word."""

FOLDERS = {"erd_solo": "solo"}
"""Folders of repositories that are named otherwise than in the list."""

_LINK = """<robot name="r"><link name="base"/><joint name="j" type="revolute"><parent link="base"/>
<child link="body"/><axis xyz="0 0 1"/></joint><link name="body"><inertial>
<origin xyz="{com}" rpy="{rpy}"/><mass value="{mass}"/><inertia {six}/></inertial></link></robot>
"""
_BODY = """<mujoco><worldbody><body name="body"><joint axis="0 0 1"/>
<inertial pos="{com}" mass="{mass}" diaginertia="{six}"/></body></worldbody></mujoco>
"""


class Score(NamedTuple):
    """What was told and written of one link; None where it cannot be decided.

    Attributes:
        link: Its repository and name.
        found: Whether it has a finding.
        story: The first cause with its confidence; "" if none is told.
        right: Whether that is the cause.
        false: Whether it is a statement, and none that is right.
        remedy: Source of what is written; "" if nothing is.
        mended: Whether these are the numbers after.
        destroyed: Whether other numbers are written without --unsafe.
    """

    link: str
    found: bool
    story: str
    right: bool | None
    false: bool
    remedy: str
    mended: bool | None
    destroyed: bool


def write_model(numbers: Mapping[str, Any], path: str) -> str:
    """Write a model of one link, and return its path."""
    six = numbers["inertia"]
    com, rpy = (" ".join(map(str, numbers[key] or (0, 0, 0))) for key in ("com", "rpy"))
    if "diaginertia" in six:
        path, form = f"{path}.xml", _BODY
        texts = " ".join(map(str, six["diaginertia"]))
    else:
        path, form = f"{path}.urdf", _LINK
        texts = " ".join(f'{entry}="{six[entry]}"' for entry in ENTRIES)
    Path(path).write_text(form.format(com=com, rpy=rpy, mass=numbers["mass"], six=texts))
    return path


def find_models(folder: Path, link: str) -> Iterator[tuple[str, str]]:
    """The models of a repository with a body of a name, and the names of these bodies."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".urdf", ".xacro"):
            for body in load(str(path)).whole.bodies:
                if body.inertial is not None and body.name.endswith(link):
                    yield str(path), body.name


def is_after(written: Judgement, case: Mapping[str, Any], body: Body) -> bool | None:
    """Whether a body has the numbers after; None where these tell no tensor.

    Lists quote numbers without the turn of their axes: those after are in the axes that the body
    has in the document, turned as far as the list says that they changed.
    """
    after = case["after"]
    six = None if after is None else after["inertia"]
    if after is None or not isinstance(six, Mapping):
        return None
    if "diaginertia" in six:
        tensor = np.diag(six["diaginertia"]).astype(float)
    else:
        quoted, meant = (
            rotation(np.array(case[key]["rpy"] or (0, 0, 0), dtype=float), "rpy")
            for key in ("before", "after")
        )
        inertial = body.inertial
        R_BBi = np.eye(3) if inertial is None else np.array(inertial.R_BBi)
        R = R_BBi @ quoted.T @ meant
        tensor = R @ matrices(np.array([float(six[entry]) for entry in ENTRIES])) @ R.T
    away = np.linalg.norm(matrices(np.array(written.I_BBcm_B)) - tensor)
    near = bool(away <= NEAR * np.linalg.norm(tensor))
    near &= abs(written.mass - after["mass"]) <= NEAR * after["mass"]
    if after["com"] is not None:
        center = np.array(after["com"], dtype=float)
        moved = np.linalg.norm(np.array(written.p_BoBcm_B) - center)
        near &= bool(moved <= NEAR * np.linalg.norm(center))
    return near


def judge_fixed(fix: Fix, path: str, name: str) -> Judgement:
    """The judgement of a body as it would be written."""
    context = Context(overlay={os.path.abspath(each.path): data for each, data in fix.others})
    model = load(fix.data, format=fix.format, path=path, context=context).whole
    return next(
        each for body, each in zip(model.bodies, judge(model), strict=True) if body.name == name
    )


def judge_edited(model: Model, name: str, entries: Mapping[str, float]) -> Judgement:
    """The judgement of a body with the entries that a cause says were meant."""
    bodies = []
    for body in model.bodies:
        inertial = body.inertial
        if body.name == name and inertial is not None:
            renewed = {
                each: number._replace(value=float(entries[each]), text=repr(float(entries[each])))
                for each, number in name_all_numbers(inertial).items()
                if each in entries
            }
            center = zip("xyz", inertial.p_BoBcm_B, strict=True)
            x, y, z = (renewed.get(each, number) for each, number in center)
            inertial = inertial._replace(
                mass=renewed.get("mass", inertial.mass),
                p_BoBcm_B=(x, y, z),
                I_BBcm_Bi={e: renewed.get(e, n) for e, n in inertial.I_BBcm_Bi.items()},
            )
        bodies.append(body._replace(inertial=inertial))
    again = replace(model, bodies=tuple(bodies), macros=())
    return next(each for body, each in zip(bodies, judge(again), strict=True) if body.name == name)


def score(case: Mapping[str, Any], path: str, name: str) -> Score:
    """Check and fix the body of a case in a model."""
    model = load(path).whole
    body = next(each for each in model.bodies if each.name == name)
    findings = [
        each
        for each in ic.check_model(path).findings
        if name in (each.body, *each.bodies) and each.severity > Severity.NOTE
    ]
    told = [each.causes[0] for each in findings if each.causes]
    first = max(told, key=lambda each: each.confidence, default=None)
    right: bool | None = None
    if first is not None:
        edit = first.edit or {}
        entries = edit.get("bodies", {}).get(name, edit).get("entries") or {}
        judged = judge_edited(model, name, entries) if entries else None
        right = None if judged is None else is_after(judged, case, body)
        names = (case["cause"], *NAMES.get(case["cause"], ()))
        right = first.cause in names if right is None else right
    options = {"all_remedies": True, "bodies": [name]}
    sure, fix = (ic.fix_model(path, unsafe=each, **options) for each in (False, True))
    written = next(each for each in fix.bodies if each.name == name)
    unasked = next(each for each in sure.bodies if each.name == name).status == "fixed"
    mended = is_after(judge_fixed(fix, path, name), case, body)
    return Score(
        f"{case['name']} {case['link']}"[:44],
        bool(findings),
        "" if first is None else f"{first.cause} {100 * first.confidence:.0f} %",
        right,
        first is not None and first.confidence >= TOLD and not right,
        (written.source or written.status) if written.status == "fixed" else written.status,
        mended,
        unasked and is_after(judge_fixed(sure, path, name), case, body) is False,
    )


def score_all(cases: str, reports: str | None, every: bool) -> Iterator[Score]:
    """Score the cases that are visible alone, and those of the repositories."""
    for case in json.loads(Path(cases, "public_reports.json").read_text()):
        folder = None if reports is None else Path(reports, FOLDERS.get(case["name"], case["name"]))
        if folder is not None and folder.is_dir():
            path, name = next(find_models(folder, case["link"].split()[0]))
            yield score(case, path, name)
        elif isinstance(case["before"]["inertia"], Mapping) and (
            case["visible"] == "alone" or every
        ):
            with tempfile.TemporaryDirectory() as temporary:
                path = write_model(case["before"], os.path.join(temporary, "model"))
                yield score(case, path, "body")


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each link, and the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="also those that are not visible alone")
    every = parser.parse_args(arguments).all
    scores = list(
        score_all(
            os.environ["INERTIAL_CHECK_CASES"], os.environ.get("INERTIAL_CHECK_REPORTS"), every
        )
    )
    words = {True: "right", False: "wrong", None: "-"}
    for each in scores:
        end = " DESTROYED" if each.destroyed else ""
        print(
            f"{each.link:45}{'found' if each.found else '-':6}{each.story or '-':28}"
            f"{words[each.right]:6}{each.remedy:20}{words[each.mended]}{end}"
        )
    told = [each.right for each in scores if each.right is not None]
    mended = [each.mended for each in scores if each.mended is not None]
    print(f"found: {sum(each.found for each in scores)} of {len(scores)}")
    print(f"first story right: {sum(told)} of {len(told)} told, of {len(scores)} links")
    print(f"remedy within {NEAR:.0%}: {sum(mended)} of {len(mended)} (aim 60 %)")
    print(f"false statements: {sum(each.false for each in scores)} (aim 0)")
    print(f"destroyed without --unsafe: {sum(each.destroyed for each in scores)} (aim 0)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
