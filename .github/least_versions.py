"""Print the least version of each requirement that pyproject.toml allows, as constraints of pip."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def list_least_versions(requirements: list[str]) -> list[str]:
    """Turn requirements such as numpy>=2.0 into constraints such as numpy==2.0."""
    pattern = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?>=([0-9.]+)")
    found = [pattern.match(requirement) for requirement in requirements]
    if not all(found):
        raise ValueError(f"a requirement without a least version: {requirements}")
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    print("\n".join(list_least_versions(project["dependencies"])))
