"""Write docs/rules/*.md from the rule classes; with --check, only say whether they are current."""

import sys
from pathlib import Path

from inertial_check.checking.pages import rule_page
from inertial_check.checking.rules.catalogue import ALL_RULES

FOLDER = Path(__file__).parent / "rules"

INTRODUCTION = """\
A page without the section *Tolerance* has none, one without *Fix* is mended by hand, as its causes
say, and [plausibility](../plausibility.md) is the reference of one without *References*.
[Standards](../standards.md) says what a rule covers of those that its page names."""


def make_pages() -> dict[str, str]:
    """Every file of docs/rules and its text."""
    rows = [f"* [{rule.code}]({rule.code}.md) {rule.name}" for rule in ALL_RULES]
    page = ["# Rules", "", INTRODUCTION, "", *rows, ""]
    toctree = "```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
    index = "\n".join(page) + "\n" + toctree
    return {"index.md": index, **{f"{rule.code}.md": rule_page(rule) for rule in ALL_RULES}}


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(FOLDER, make_pages()))
