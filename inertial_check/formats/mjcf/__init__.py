"""The MJCF format."""
