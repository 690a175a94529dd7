"""The SDF format."""
