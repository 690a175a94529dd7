"""The main function of all scripts that generate pages: it writes them, or compares them."""

import sys
from collections.abc import Mapping
from pathlib import Path


def main(folder: Path, pages: Mapping[str, str]) -> int:
    """Write pages into a folder; with --check, only print which of them are stale.

    Args:
        folder: Folder of the pages, made if it is absent.
        pages: Text of each page by the name of its file.

    Returns:
        Exit code: 1 if --check finds stale pages, else 0.
    """
    if "--check" in sys.argv[1:]:
        stale = [name for name, text in pages.items() if _read(folder / name) != text]
        print(f"stale: {', '.join(stale)}" if stale else "current")
        return bool(stale)
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


def _read(path: Path) -> str | None:
    """Read a page; None if there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else None
