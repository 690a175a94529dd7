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

OTHERS = {"identification", "programs.lsp", "programs.mcp", "programs.init", "programs.objects"}
CHECK = OTHERS | {"fixing", "reports.difference", "running.cache", "running.remote"}
CHECK |= {"running.results", "running.workers", "documents.resources", "projection.constraint"}
CHECK |= {"documents.files.walking", "documents.files.history"}
MESHES = {"documents.meshes", "inertia.meshes"}
NOTHING = OTHERS | {"fixing", "running", "projection"}

LINES = [
    ("check data/valid/arm.urdf", (), CHECK | {"projection"}),
    ("check data/arm.urdf", (), CHECK - {"fixing"} | {"fixing.fill", "fixing.diff", "mechanics"}),
    ("fix data/arm.urdf", (), OTHERS | {"running", "fixing.fill", "fixing.tables"}),
    ("fix data/defects/ic301-triangle.urdf", (), OTHERS | {"running", "fixing.fill"}),
    ("fill data/fill/arm.urdf", ("scipy",), OTHERS | {"running", "fixing.tables"}),
    (
        "project data/tables/identified.csv --order urdf --about com",
        (),
        OTHERS | {"running", "fixing.fill", "fixing.diff", "reports.page"},
    ),
    (
        "identify data/recordings/train.csv --model data/recordings/arm.urdf",
        ("scipy", "yaml"),
        OTHERS - {"identification"} | {"running", "fixing.fill", "reports.page"},
    ),
    ("excite --help", (), NOTHING),
    ("report data/arm.urdf -o {new}/page.html", (), OTHERS | {"fixing.fill", "running.remote"}),
    (
        "diff data/diff/gripper.urdf data/diff/gripper.xml",
        (),
        OTHERS | {"running", "fixing.fill", "projection"},
    ),
    ("summary --help", (), NOTHING),
    ("view --help", (), NOTHING),
    ("init {new}", (), OTHERS - {"programs.init"} | {"fixing", "running.workers"}),
    ("doctor", (), NOTHING),
    ("mcp --help", (), NOTHING),
    ("explain IC301", (), NOTHING),
    ("lsp --help", (), NOTHING),
    ("rules", (), NOTHING),
    ("--help", (), NOTHING),
]
"""Command lines, the heavy libraries that each may import, and the modules that it may not."""

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
    own = [each.split(".")[1:] for each in modules if each.startswith("inertial_check.")]
    loaded = {".".join(parts[:length]) for parts in own for length in (1, 2, 3)}
    assert "programs.cli" in loaded
    assert not loaded & absent


def test_every_command_has_a_line():
    assert {line.split()[0] for line, _, _ in LINES} == {*COMMANDS, "--help"}
