"""Programs that tests run to their end."""

import subprocess


def captured(command, **options):
    """The finished process of a command with any exit code; its output is text."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)
