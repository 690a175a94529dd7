"""Which upstreams rules may be tuned on, and which they are only measured on.

The half of an upstream is the parity of the first byte of SHA-256 of its folder's name followed by
"1": the same on every machine, and for an upstream that is added later. Of the collections:

* tuned: Daniella1+urdf_files_dataset, Gepetto+example-robot-data, RethinkRobotics+baxter_common,
  google-deepmind+dm_control, pypi_robosuite-1.5.2; RealManRobot+rm_models,
  hello-robot+stretch_urdf, heuristicus+spot_ros, utiasDSL+gym-pybullet-drones;
* untouched: bulletphysics+bullet3, newton-physics+newton, osrf+gazebo_models,
  shadow-robot+sr_common; AlphaDogDeveloper+dev_robot_control_sdk, BoosterRobotics+booster_gym,
  enactic+openarm_description, open-dynamic-robot-initiative+robot_properties_solo,
  upkie+upkie_description.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

Half = Literal["tuned", "untouched"]
HALVES: tuple[Half, Half] = ("tuned", "untouched")


def half_of(upstream: str) -> Half:
    """The half that an upstream's folder is in."""
    return "tuned" if sha256(f"{upstream}1".encode()).digest()[0] % 2 else "untouched"
