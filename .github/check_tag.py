"""Fail unless a tag, such as v0.1.0, names the version in pyproject.toml and in the changelog."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def find_mistakes(tag: str) -> list[str]:
    """Find what a tag and the files of the project say differently."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = version["project"]["version"]
    mistakes = [] if tag == f"v{version}" else [f"tag {tag}, but pyproject.toml has {version}"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if f"## [{version}] - " not in changelog or f"## [{version}] - Unreleased" in changelog:
        mistakes.append(f"CHANGELOG.md: no section of version {version} with a date")
    if f"version: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        mistakes.append(f"CITATION.cff: not version {version}")
    return mistakes


if __name__ == "__main__":
    found = find_mistakes(sys.argv[1])
    print("\n".join(found))
    sys.exit(bool(found))
