"""Write docs/rules/*.md from the rule classes; with --check, only say whether they are current."""

import sys
from pathlib import Path

from inertial_check.rules import ALL_RULES, page

FOLDER = Path(__file__).parent / "rules"


def pages() -> dict[str, str]:
    """Every file of docs/rules and its text."""
    rows = [
        f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity.word} |"
        for rule in ALL_RULES
    ]
    table = ["# Rules", "", "| code | name | severity |", "|---|---|---|", *rows, ""]
    listing = "\n".join(rule.code for rule in ALL_RULES)
    toctree = f"```{{toctree}}\n:hidden:\n\n{listing}\n```\n"
    index = "\n".join(table) + "\n" + toctree
    return {"index.md": index, **{f"{rule.code}.md": page(rule) for rule in ALL_RULES}}


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
