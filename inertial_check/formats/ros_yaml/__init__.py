"""YAML parameter files of ROS robot descriptions."""
