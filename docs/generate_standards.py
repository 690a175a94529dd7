"""Write docs/standards.md from the table of standards; with --check, only say if it is current."""

import sys
from pathlib import Path

from inertial_check.checking.standards import write_page


def make_pages() -> dict[str, str]:
    """The page and its text."""
    return {"standards.md": write_page()}


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(Path(__file__).parent, make_pages()))
