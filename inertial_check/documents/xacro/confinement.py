"""Confinement of the process that expands one xacro file: what it can open, start and use.

Expressions cannot reach files, modules or the environment (expressions.py). These walls stand
behind that one: they would still hold if an expression found a way out of it.
"""

from __future__ import annotations

import encodings
import os
import sys

from inertial_check.documents.files.access import Access, RefusedFileError, contains

_MOST_FILES = 64
"""Largest number of open files; an expansion opens one at a time."""

# fmt: off
_ORDINARY = frozenset([
    "builtins.id", "compile", "cpython._PySys_ClearAuditHooks", "exec", "glob.glob", "glob.glob/2",
    "sys._getframe", "sys.excepthook", "sys.unraisablehook", "time.sleep", "marshal.loads",
])
# fmt: on
"""Audit events of Python that expanding a file may raise besides those of files and imports; the
last one belongs to the import of a text codec."""

_LISTING = frozenset(["os.listdir", "os.scandir"])
"""Audit events of reading the names in a folder."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
"""Flags of a file that is not only read."""

_CODECS = os.path.dirname(os.path.realpath(encodings.__file__))
"""Folder of Python's text codecs, which are imported when a document has their encoding."""


def limit_resources(memory: int, seconds: float) -> None:
    """Limit the memory [bytes] and time [s] of this process, and forbid it to write files."""
    if sys.platform == "win32":  # has no such limits, but the parent stops the process in time
        return
    import resource

    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(seconds) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (limit, limit))
        except (ValueError, OSError):  # macOS refuses a limit below what the process has already
            if sys.platform != "darwin":
                raise


def import_parsers() -> None:
    """Import what is otherwise imported when a document is parsed, or is not well-formed."""
    import unicodedata  # noqa: F401 - Python's parser normalises names of other scripts with it
    from xml.dom import expatbuilder  # noqa: F401

    from inertial_check.documents.xml import lenient  # noqa: F401


def confine(access: Access) -> None:
    """Refuse whatever this process does from now on, except expanding a file.

    It opens files for reading that `access` allows, and lists such folders. It imports nothing but
    text codecs and starts nothing. This cannot be undone.

    Args:
        access: The files that the document may use.
    """
    import_parsers()

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        if event in _ORDINARY:
            return
        if event == "import":
            _refuse_import(str(arguments[0]))
        elif event == "open" or event in _LISTING:
            _refuse_path(event, arguments, access)
        else:
            raise RuntimeError(f"refused while a file is expanded: {event}")

    sys.addaudithook(refuse)


def _refuse_import(name: str) -> None:
    """Refuse to import a module that is no text codec.

    Raises:
        ImportError: The module is no text codec.
    """
    if not name.startswith(f"{encodings.__name__}."):
        raise ImportError(f"refused while a file is expanded: import of {name}")


def _refuse_path(event: str, arguments: tuple[object, ...], access: Access) -> None:
    """Refuse to open a file, or to list a folder, that the document may not use.

    Raises:
        RefusedFileError: The path is not allowed, or the file is not only read.
    """
    path = arguments[0]
    if isinstance(path, int):  # a file that is open already
        return
    path = os.fsdecode(path) if isinstance(path, (str, bytes)) else os.curdir
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & _WRITING:
            raise RefusedFileError(path, "not written while a file is expanded")
    reason = access.reason_against(path)
    if reason is not None and not contains(_CODECS, os.path.realpath(path)):
        raise RefusedFileError(path, reason)
