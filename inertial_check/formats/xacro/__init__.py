"""The xacro format."""
