"""Check a model, load it with Pinocchio, and check what Pinocchio computes with.

    python load_in_pinocchio.py robot.urdf

Pinocchio takes any numbers and says nothing. Fixed links are merged when it builds the model, so
the file is checked first, and the merged bodies are checked once more in memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

from check_then_load import prepare

from inertial_check.testing import assert_physically_consistent


def main(path: Path) -> None:
    """Load the model of a path, and print the mass that Pinocchio computes with."""
    checked = prepare(path, "pinocchio")
    try:
        import pinocchio
    except ImportError:
        raise SystemExit("checked, not loaded: Pinocchio is missing: pip install pin") from None
    model = pinocchio.buildModelFromUrdf(str(checked))
    assert_physically_consistent(model)
    mass = pinocchio.computeTotalMass(model)
    print(f"Pinocchio computes with {model.njoints - 1} bodies, {mass:.4g} kg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
