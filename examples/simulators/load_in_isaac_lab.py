"""Check a USD asset for PhysX, and spawn it in Isaac Lab.

    ./isaaclab.sh -p load_in_isaac_lab.py robot.usda --headless

Isaac Lab takes a minute to start, and PhysX computes the inertia of a body anew without a word if
the written one cannot be used. So the file is checked before the simulator starts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from check_then_load import prepare


def import_launcher() -> Any:  # noqa: ANN401 - a class of a library that need not be installed
    """Import the class that starts Isaac Lab's simulator; other modules can only follow it.

    Raises:
        SystemExit: Isaac Lab is not installed.
    """
    try:
        from isaaclab.app import AppLauncher
    except ImportError:
        raise SystemExit(
            "checked, not loaded: Isaac Lab is missing; run this script with the Python of an "
            "Isaac Lab installation (it needs an NVIDIA GPU)"
        ) from None
    return AppLauncher


def spawn(path: Path) -> None:
    """Spawn an asset as an articulation, and print its masses as PhysX has them."""
    import isaaclab.sim as sim_utils
    from isaaclab.assets import Articulation, ArticulationCfg

    simulation = sim_utils.SimulationContext(sim_utils.SimulationCfg(dt=0.01))
    asset = sim_utils.UsdFileCfg(usd_path=str(path.resolve()))
    robot = Articulation(ArticulationCfg(prim_path="/World/Robot", spawn=asset, actuators={}))
    simulation.reset()
    mass = float(robot.data.default_mass.sum())
    print(f"Isaac Lab simulates {robot.num_bodies} bodies, {mass:.4g} kg")


def main() -> None:
    """Check the asset that the command line names, start Isaac Lab, and spawn it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    arguments, rest = parser.parse_known_args()
    checked = prepare(arguments.model, "physx")
    AppLauncher = import_launcher()
    launching = argparse.ArgumentParser()
    AppLauncher.add_app_launcher_args(launching)
    application = AppLauncher(launching.parse_args(rest)).app
    spawn(checked)
    application.close()


if __name__ == "__main__":
    main()
