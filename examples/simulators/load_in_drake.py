"""Check a model, repair what has a small repair, and load it with Drake's parser.

    python load_in_drake.py robot.urdf

Drake's parser puts a sphere of water in the place of an inertia that it does not believe, and only
prints a warning. Here such a model is repaired or refused before the parser sees it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from check_then_load import prepare


def main(path: Path) -> None:
    """Load the model of a path, and print the mass that Drake simulates."""
    checked = prepare(path, "drake")
    try:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant
    except ImportError:
        raise SystemExit("checked, not loaded: Drake is missing: pip install drake") from None
    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModels(str(checked))
    plant.Finalize()
    mass = plant.CalcTotalMass(plant.CreateDefaultContext())
    print(f"Drake simulates {plant.num_bodies() - 1} bodies, {mass:.4g} kg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
