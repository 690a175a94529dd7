"""The URDF format."""
