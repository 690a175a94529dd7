"""Names that the modules of the ROS parameter format share."""

from __future__ import annotations

NAME = "ros-yaml"
