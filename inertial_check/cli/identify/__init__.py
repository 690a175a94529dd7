"""Identify the inertial parameters of a robot from the recorded torques of its joints.

The torques are linear in the ten parameters of each body. All bodies are fitted together, each
constrained to be physically consistent; the prior decides what the data leave open. Prints the
result and how far it can be trusted; writes no robot file unless -o or --write is given.
"""

from inertial_check.cli.identify.arguments import add_arguments
from inertial_check.cli.identify.command import run

__all__ = ["add_arguments", "run"]
