"""The command line of a tool's run: python -m ...cli.confined FOLDER COMMAND ARGUMENT ...

No file outside the folder is opened, whatever a model or an option names.
"""

from __future__ import annotations

import sys

from inertial_check.documents.files.access import confine

if __name__ == "__main__":
    confine(sys.argv[1])
    del sys.argv[1]
    from inertial_check.programs.cli.main import entry_point

    entry_point()
