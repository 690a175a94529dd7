"""`python -m inertial_check` is `inertial-check`."""

from inertial_check.programs.cli.main import entry_point

if __name__ == "__main__":
    entry_point()
