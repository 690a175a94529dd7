"""Check a model, repair what has a small repair, and compile it with MuJoCo.

    python load_in_mujoco.py robot.xml

MuJoCo refuses a whole model because of one impossible body, and its message names no line. Here the
line, the number and the probable mistake are printed first.
"""

from __future__ import annotations

import sys
from pathlib import Path

from check_then_load import prepare


def main(path: Path) -> None:
    """Load the model of a path, and print the mass that MuJoCo simulates."""
    checked = prepare(path, "mujoco")
    try:
        import mujoco
    except ImportError:
        raise SystemExit("checked, not loaded: MuJoCo is missing: pip install mujoco") from None
    model = mujoco.MjModel.from_xml_path(str(checked))
    mass = float(model.body_mass[1:].sum())
    print(f"MuJoCo simulates {model.nbody - 1} bodies, {mass:.4g} kg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
