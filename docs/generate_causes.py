"""Write docs/causes/*.md from the cause classes; with --check, only say whether that was done."""

import sys
from pathlib import Path

from inertial_check.causes import ALL_CAUSES, page, summary

FOLDER = Path(__file__).parent / "causes"

INTRODUCTION = """\
# Causes

A finding about an inertia names its probable causes: what the numbers were to be, what speaks for
that, and the edit that would undo it. Nothing is changed by itself; `inertial-check fix --cause
N` applies the N-th.

**Confidence** is the probability that this is the cause: the share of (how often it happens) x
(how much more often its signature is seen with it than without) x (how natural the body is that
it leads to: its margin, its products, its size for its mass, and its shapes where the model has
them), among all causes and what none of them explains. It is tuned so that of the causes given
with 0.9 nine in ten are right, on defects planted in real models. The bodies of a model share
their history: a cause that explains several of them gains in each. At most five causes are given,
none below 0.02.

**Two causes at once** are looked for where no single one explains a body: another order and
another unit, the sign of the products and the point of reference. Such a pair stands under the
name of its first cause; its evidence tells both, and its edit undoes both.

"""


def pages() -> dict[str, str]:
    """Every file of docs/causes and its text."""
    rows = [f"| [{cause.name}]({cause.name}.md) | {summary(cause)} |" for cause in ALL_CAUSES]
    table = "\n".join(["| cause | what happened |", "|---|---|", *rows, "", ""])
    listing = "\n".join(cause.name for cause in ALL_CAUSES)
    toctree = f"```{{toctree}}\n:hidden:\n\n{listing}\n```\n"
    index = INTRODUCTION + table + toctree
    return {"index.md": index, **{f"{cause.name}.md": page(cause) for cause in ALL_CAUSES}}


def main() -> int:
    """Write the pages, or compare them."""
    stale = [
        name
        for name, text in pages().items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text
    ]
    if "--check" in sys.argv[1:]:
        print(f"stale: {', '.join(stale)}" if stale else "current")
        return bool(stale)
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
