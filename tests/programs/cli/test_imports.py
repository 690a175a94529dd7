"""A command imports no heavy library and no part of the package that it does not need."""

import os
import shutil
import subprocess
import sys

import pytest

from inertial_check.programs.cli.commands import COMMANDS

ROOT = os.path.join(os.path.dirname(__file__), "..", "..", "..")

HEAVY = {
    "clarabel", "cvxpy", "dask", "distributed", "fsspec", "jax", "lsprotocol", "matplotlib", "mcp",
    "mujoco", "pinocchio", "pxr", "pyarrow", "pydrake", "pygls", "rich", "scipy", "shtab", "torch",
    "trimesh", "xacro", "yaml",
}  # fmt: skip
"""Libraries that take longer to import than the check of a file."""

DOORS = {"integrations", "lsp", "mcp", "scaffolding", "testing"}
IDENTIFICATION = {"identification", "identifying"}
FIXING = {"comparing", "filling", "fixing", "plotting", "tables", "viewing"}
RUNNING = {"remote", "results", "running"}

LINES = [
    ("check data/valid/arm.urdf", (), DOORS | IDENTIFICATION | FIXING | {"remote", "results"}),
    ("check data/arm.urdf", (), DOORS | IDENTIFICATION | FIXING | {"remote", "results"}),
    ("fix data/arm.urdf", (), DOORS | IDENTIFICATION | RUNNING | {"filling"}),
    ("fix data/defects/ic301-triangle.urdf", (), DOORS | IDENTIFICATION | RUNNING | {"filling"}),
    ("fill data/fill/arm.urdf", ("scipy",), DOORS | IDENTIFICATION | RUNNING),
    (
        "project data/tables/identified.csv --order urdf --about com",
        (),
        DOORS | IDENTIFICATION | RUNNING | {"filling", "fixing", "viewing"},
    ),
    (
        "identify data/recordings/train.csv --model data/recordings/arm.urdf",
        ("scipy", "yaml"),
        DOORS | RUNNING | {"filling", "viewing"},
    ),
    ("excite --help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("report data/arm.urdf -o {new}/page.html", (), DOORS | IDENTIFICATION | {"filling", "remote"}),
    ("diff data/diff/gripper.urdf data/diff/gripper.xml", (), DOORS | IDENTIFICATION | RUNNING),
    ("summary --help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("view --help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("init {new}", (), DOORS - {"scaffolding"} | IDENTIFICATION | FIXING),
    ("doctor", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("mcp --help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("explain IC301", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("lsp --help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("rules", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
    ("--help", (), DOORS | IDENTIFICATION | FIXING | RUNNING),
]
"""Command lines, the heavy libraries that each may import, and the folders that it may not."""

PROGRAM = """
import numpy, sys
before = set(sys.modules)
from inertial_check.programs.cli.main import main
code = main(sys.argv[1:])
print("\\nimported", code, *sys.modules.keys() - before)
"""


@pytest.mark.parametrize(("line", "libraries", "absent"), LINES, ids=[line[0] for line in LINES])
def test_a_command_imports_only_what_it_needs(line, libraries, absent, tmp_path):
    shutil.copy(f"{ROOT}/data/valid/arm.urdf", tmp_path)
    argv = line.format(new=tmp_path).split()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *argv], cwd=ROOT, capture_output=True, text=True, check=True
    )
    code, *modules = done.stdout.rpartition("\nimported ")[2].split()
    assert int(code) in (0, 1), done.stderr
    assert {each.partition(".")[0] for each in modules} & HEAVY <= set(libraries)
    folders = {each.split(".")[1] for each in modules if each.startswith("inertial_check.")}
    assert "cli" in folders
    assert not folders & absent


def test_every_command_has_a_line():
    assert {line.split()[0] for line, _, _ in LINES} == {*COMMANDS, "--help"}
