"""The program without some of its libraries: what goes on working, and what is said of the rest."""

import re
import subprocess
import sys
import tomllib

import pytest

from inertial_check.documents.children import describe_missing_dependency

WITHOUT = """
import sys

for name in ("scipy", "cvxpy", "clarabel", "matplotlib", "rich"):
    sys.modules[name] = None  # an import then fails as for a library that is absent
from inertial_check.programs.cli.main import main

sys.exit(main(sys.argv[1:]))
"""


def run_light(project_root, *arguments):
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments],
        cwd=project_root,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("fill", "data/fill/arm.urdf", "--total-mass", "9"),
        ("identify", "data/recordings/train.csv", "--model", "data/recordings/arm.urdf"),
    ],
)
def test_a_library_that_is_absent_is_named_with_the_way_to_install_it(project_root, arguments):
    """Catches "internal error, please report it" where the user left out the dependencies."""
    done = run_light(project_root, *arguments)
    assert done.returncode == 2
    assert "this needs scipy, which is not installed: pip install scipy" in done.stderr
    assert "internal error" not in done.stderr


def test_every_required_library_has_its_message(project_root):
    """Catches a dependency that is added to pyproject.toml alone."""
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    for requirement in project["project"]["dependencies"]:
        name = re.split(r"[><=\[]", requirement)[0]
        module = {"pyyaml": "yaml"}.get(name, name.replace("-", "_"))
        error = ModuleNotFoundError(f"No module named {module!r}", name=f"{module}.part")
        assert f"pip install {name}" in (describe_missing_dependency(error) or "")
    assert describe_missing_dependency(ModuleNotFoundError("x", name="strange")) is None
    assert describe_missing_dependency(ValueError("scipy")) is None
