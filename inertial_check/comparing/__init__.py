"""The `diff` command: two models compared body by body."""
