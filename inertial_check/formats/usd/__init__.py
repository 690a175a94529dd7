"""The USD format."""
