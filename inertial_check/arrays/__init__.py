"""Array helpers that every numerical package shares: namespaces, broadcasting, SO(3) series."""
