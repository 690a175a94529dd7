"""The `project` command: tables of parameter vectors projected and written back."""
