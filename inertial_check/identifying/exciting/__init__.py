"""The `excite` command: motions that a robot can follow and that tell the most."""
