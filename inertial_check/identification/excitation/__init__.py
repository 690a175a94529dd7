"""The design of motions that make a robot's parameters visible."""
