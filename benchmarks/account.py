"""Whether every inertial of a folder is judged, or named with the reason why not.

    python benchmarks/account.py ROOT...

For each ROOT, with the settings of a plain `check ROOT`: the inertials that are found, those that
are judged and how, and those that are not by their reason. An independent count stands beside:
elements of an XML parser (lxml where it is installed, else that of Python), bodies of MJCF without
an inertial whose geoms state a mass, and prims of usd-core with a mass or moments of inertia. Where
mujoco is installed, the bodies whose inertial MuJoCo reads from a URDF or MJCF file, before it
fuses any, are compared by name with those of the report. The exit code is 1 if a file with an
inertial appears nowhere in the report, a file has another count than the independent one, a body of
MuJoCo is not in the report, or less than 97 % are judged.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from inertial_check.checking.configuration import Configurations
from inertial_check.checking.report import Account, Report
from inertial_check.documents.files.walking import walk
from inertial_check.documents.inertials import find_inertials
from inertial_check.documents.mjcf import ROOTS as MJCF_ROOTS
from inertial_check.documents.usd import BINARY, TEXT, ZIP
from inertial_check.running.run import CheckRequest, check_paths

AIM = 0.97
"""Least share of the inertials that are judged."""

MOST = 20
"""Number of reasons and files that are listed."""


def count_independently(path: str) -> int | None:
    """The inertials that a parser finds in a file; None if it cannot parse the file."""
    with open(path, "rb") as stream:
        data = stream.read()
    if data.startswith(TEXT):
        return count_prims(path)
    if data.startswith((BINARY, ZIP)):
        return None
    root = parse(data)
    if root is None:
        return None
    count = len(root.findall(".//{*}inertial"))
    settings = [each.get("inertiafromgeom") for each in root.iter("compiler")]
    if root.tag in MJCF_ROOTS and "false" not in settings:
        count += sum(map(takes_mass_from_geoms, root.iter("body")))
    return count


def parse(data: bytes) -> Any:  # noqa: ANN401 - an element of either library
    """The root element of a document; None if it is none."""
    try:
        from lxml import etree

        return etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True))
    except ImportError:
        from xml.etree import ElementTree

        try:
            return ElementTree.fromstring(data)
        except ElementTree.ParseError:
            return None
    except ValueError:  # an encoding that is not what the text is
        return None


def takes_mass_from_geoms(body: Any) -> bool:  # noqa: ANN401 - an element of either library
    """Whether a body has no inertial, and a geom of its own that states a mass."""

    def list_own(element: Any) -> Iterator[Any]:  # noqa: ANN401
        for child in element:
            if child.tag != "body":
                yield child
                yield from list_own(child)

    own = list(list_own(body))
    masses = [each.get("mass", "").strip() for each in own if each.tag == "geom"]
    stated = any(mass and mass.strip("+-0.") for mass in masses)
    return stated and not any(each.tag == "inertial" for each in own)


def count_prims(path: str) -> int | None:
    """The active prims of a text layer with a mass or moments of inertia, as usd-core reads it."""
    try:
        from pxr import Sdf
    except ImportError:
        return None
    layer, found = Sdf.Layer.FindOrOpen(path), set()

    def visit(spec: Any) -> None:  # noqa: ANN401 - usd-core has no types
        names = ("physics:mass", "physics:diagonalInertia")
        if not spec.IsPropertyPath() or spec.name not in names:
            return
        paths = [each.StripAllVariantSelections() for each in spec.GetPrimPath().GetPrefixes()]
        active = all(prim is None or prim.active for prim in map(layer.GetPrimAtPath, paths))
        if active and layer.GetAttributeAtPath(spec).HasInfo("default"):
            found.add(spec.GetParentPath())

    layer.Traverse("/", visit)
    return len(found)


def compare_with_engine(report: Report) -> tuple[list[str], str]:
    """Models with a body that MuJoCo has an inertial for and the report has not, and the counts."""
    try:
        import mujoco
    except ImportError:
        return [], "mujoco is not installed: its bodies are not counted"
    wrong, bodies, models, refused = [], 0, 0, 0
    for file in report.files:
        if file.format not in ("urdf", "mjcf"):
            continue
        try:
            spec = mujoco.MjSpec.from_file(file.path)
        except ValueError:
            refused += 1
            continue
        models += 1
        theirs = Counter(body.name for body in spec.bodies if body.explicitinertial)
        bodies += theirs.total()
        if missing := theirs - Counter(body.name for body in file.bodies):
            names = ", ".join(sorted(missing)[:MOST])
            wrong.append(
                f"{file.path}: MuJoCo reads an inertial of {names}, and the report has none"
            )
    return wrong, f"{bodies} bodies of {models} models by MuJoCo; it refuses {refused} models"


def survey(root: str) -> bool:
    """Print the account of a folder; whether it is complete and enough is judged."""
    request = CheckRequest([root], Configurations().settings, allow_empty=True, jobs=None)
    report = check_paths(request)
    account: Account = report.account
    judged = sum(account.judged.values())
    share = judged / account.inertials if account.inertials else 1.0
    kinds = ", ".join(f"{count} {how}" for how, count in account.judged.items() if count)
    print(f"{root}: {account.inertials} found, {judged} judged ({100 * share:.2f} %: {kinds})")
    for reason, count in Counter(each.reason for each in account.unjudged).most_common(MOST):
        print(f"  {count} not judged: {reason[:120]}")
    shown = chain(
        (file.path for file in report.files),
        (body.file for body in report.bodies if body.file is not None),
        (each.path for each in account.unjudged),
        (path for skipped in account.skipped for path in skipped.paths),
    )
    known = set(map(os.path.realpath, shown))
    compared = unparsed = 0
    wrong, engine = compare_with_engine(report)
    for entry in walk(root, root, None, lambda path, error: None):
        if not os.path.isfile(entry.absolute):
            continue
        with open(entry.absolute, "rb") as stream:
            own = len(find_inertials(stream.read()))
        count = count_independently(entry.absolute)
        compared += count or 0
        unparsed += own if count is None else 0
        if (own or count) and os.path.realpath(entry.absolute) not in known:
            wrong.append(f"{entry.printed}: {own} inertials, and the report does not name it")
        if count is not None and count != own:
            wrong.append(f"{entry.printed}: {own} inertials, and the parser finds {count}")
    print(f"  {compared} by the parsers; {unparsed} in files that they do not read")
    print(f"  {engine}")
    for line in wrong[:MOST]:
        print(f"  {line}")
    print(f"  {len(wrong)} files are wrong")
    return not wrong and share >= AIM


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python benchmarks/account.py ROOT...")
    complete = [survey(root) for root in sys.argv[1:]]
    sys.exit(not all(complete))
