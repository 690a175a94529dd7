"""Five links on which MuJoCo refuses what figaroh 1.0.2's project_p10_lmi returns, and MuJoCo.

Three are synthetic; two come from public issues (Talos gripper, Mia finger), whose file states no
mass: they get one, and a centre of mass in the origin.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class Link(NamedTuple):
    mass: float  # [kg]
    com: tuple[float, float, float]  # [m]
    six: tuple[float, ...]  # I_BBcm in the order of ENTRIES [kg m^2]


SYNTHETIC = {
    "one moment too large": Link(1.0, (0.1, 0.0, 0.05), (0.01, 0, 0, 0.02, 0, 0.033)),
    "with products": Link(2.0, (0.0, 0.0, 0.0), (0.01, 0.001, 0, 0.02, 0.002, 0.045)),
    "one gram": Link(0.001, (0.0, 0.0, 0.01), (1e-9, 0, 0, 1e-9, 0, 2.2e-9)),
}
ISSUES = {"talos_gripper": "Talos gripper", "mia_index_fle": "Mia finger"}


def five(cases: Path) -> dict[str, Link]:
    """All of them; cases is the folder of real_inertials.json."""
    links = dict(SYNTHETIC)
    for case in json.loads((cases / "real_inertials.json").read_text()):
        if case["id"] in ISSUES:
            six = tuple(case[entry] for entry in ENTRIES)
            links[ISSUES[case["id"]]] = Link(1.0, (0.0, 0.0, 0.0), six)
    assert len(links) == len(SYNTHETIC) + len(ISSUES)
    return links


def refusal(mass, com, six):
    """The compiler's error for a free body, without balanceinertia; None where it takes it."""
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    spec = mujoco.MjSpec()
    assert not spec.compiler.balanceinertia
    body = spec.worldbody.add_body(mass=mass, ipos=np.asarray(com), explicitinertial=True)
    body.fullinertia = np.asarray(six)[[0, 3, 5, 1, 2, 4]]
    body.add_freejoint()
    try:
        spec.compile()
    except ValueError as error:
        return str(error)
    return None
