"""File access that every command shares: folders, path patterns, and writing whole files."""
