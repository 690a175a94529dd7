"""Write docs/causes/*.md from the cause classes; with --check, only say whether that was done."""

import sys
from pathlib import Path

from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.pages import cause_page

FOLDER = Path(__file__).parent / "causes"

INTRODUCTION = """\
# Causes

A finding about an inertia names its probable causes, with the edit of `inertial-check fix --cause
N`.

**Confidence** is the probability that this is the cause: the share of (how often it happens) x (how
much more often its signature is seen with it than without) x (how natural the body is that it leads
to: margin, products, size for its mass), among all causes and what none explains. A cause that
explains several bodies gains in each. At most five causes are given, none below 0.02.

An agreement counts the more, the more closely a witness stands for the mass
([plausibility](../plausibility.md)). No witness rules a body out alone.

**Ties** are listed, not broken: causes that mean the same body get the same confidence.

**Calibration.** Fitted to defects planted in real models, right of all first causes, on models that
were tuned on, and on others, which were in view, too (`benchmarks/planted_defects.py --per-cause 14
--seed 1 2`):

* 90 to 100 %: 245/267, 262/273
* 80 to 90 %: 48/57, 23/30
* 70 to 80 %: 29/35, 15/23
* 60 to 70 %: 9/11, 22/29
* 50 to 60 %: 11/14, 2/2
* below: 20/20, 29/30

**No cause.** A suspicion (IC2xx, IC5xx, IC6xx) that has no cause says why: there are neither shapes
nor a twin to compare with, or the misfit is above 0.6, as with the tensor of another part.

**Two causes at once** are looked for where no single one explains a body: another order and another
unit, the sign of the products and the point of reference. The pair has the name of its first cause;
its edit undoes both.

"""


def make_pages() -> dict[str, str]:
    """Every file of docs/causes and its text."""
    listed = ", ".join(f"[{cause.name}]({cause.name}.md)" for cause in ALL_CAUSES) + ".\n\n"
    toctree = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    index = INTRODUCTION + listed + toctree
    return {"index.md": index, **{f"{cause.name}.md": cause_page(cause) for cause in ALL_CAUSES}}


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(FOLDER, make_pages()))
