"""Files for other programs, run as those programs run them."""

import os
import shutil
import sys
from pathlib import Path

import pytest


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """A folder that stands first in PATH, with an `inertial-check` that runs this interpreter's."""
    programs = tmp_path / "programs"
    programs.mkdir()
    script = programs / "inertial-check"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inertial_check "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return programs


@pytest.fixture
def robots(tmp_path, data_dir):
    """A folder with a broken model, a sound one, and XML that is no model."""
    folder = tmp_path / "project" / "robots"
    folder.mkdir(parents=True)
    (folder / "broken.urdf").write_bytes((data_dir / "arm.urdf").read_bytes())
    (folder / "sound.urdf").write_bytes((data_dir / "valid" / "arm.urdf").read_bytes())
    (folder / "package.xml").write_text("<package><name>robots</name></package>\n")
    return Path(folder)


@pytest.fixture
def copy_source(project_root):
    """copy_source(folder): what the package is built from, and the hooks of pre-commit."""

    def copy_source(folder):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project_root / "inertial_check", folder / "inertial_check", ignore=ignored)
        for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
            shutil.copy(project_root / name, folder)
        shutil.copy(project_root / ".pre-commit-hooks.yaml", folder)
        return folder

    return copy_source
