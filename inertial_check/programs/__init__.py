"""The doors of the package: command line, servers, pytest plugin and simulator objects."""
