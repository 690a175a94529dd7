"""The settings of a run and of each document, and the configuration files they come from."""
