"""Older versions of a file, as the git repository around it has them."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from inertial_check.documents.files.access import Limits, read_regular

if TYPE_CHECKING:
    import subprocess

SAFE_GIT = (
    *("-c", "core.quotePath=false"),
    *("-c", "safe.bareRepository=explicit"),  # a folder of the checkout may pose as a repository
    *("-c", "core.fsmonitor=false"),  # and name a program here that git would run
    *("-c", "core.hooksPath=/dev/null"),
)
"""Options of git for a repository whose files may be a stranger's."""

_COMMANDS = ("clean", "smudge", "process", "required")
"""Settings of a filter: what git runs on the content of files, and that it must succeed."""


def close_environment(folder: str) -> dict[str, str]:
    """Make the environment of git for a repository whose configuration may be a stranger's.

    An object that is missing is not fetched, as that runs what the configuration names for ssh and
    for passwords; and no filter runs, whatever it is called.
    """
    import subprocess  # for this alone: a hundredth of the start

    closed = {
        **os.environ,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    command = ["git", "-C", folder, *SAFE_GIT, "config", "--null", "--name-only", "--get-regexp"]
    try:
        done = subprocess.run(
            [*command, r"^filter\."], env=closed, capture_output=True, check=False
        )
    except OSError:  # there is no git: who asks it says so
        return closed
    named = (os.fsdecode(name) for name in done.stdout.split(b"\0") if name)
    filters = sorted({name.rpartition(".")[0] for name in named})
    settings = [(f"{each}.{what}", what) for each in filters for what in _COMMANDS]
    first = int(closed.get("GIT_CONFIG_COUNT") or 0)
    for at, (key, what) in enumerate(settings, first):
        closed[f"GIT_CONFIG_KEY_{at}"] = key
        closed[f"GIT_CONFIG_VALUE_{at}"] = "false" if what == "required" else ""
    closed["GIT_CONFIG_COUNT"] = str(first + len(settings))
    return closed


_DEEPEST = 400
"""Largest number of commits that are looked through for older versions of one file."""

_LARGEST_COMMIT = 1 << 20
"""Largest size of a commit that is read [bytes]: its message is a stranger's."""

_PATIENCE = 20.0
"""Time after which git is stopped for one file [s]; a commit of a large repository takes it
milliseconds."""


def list_versions(path: str, most: int) -> list[tuple[str, bytes]]:
    """List the older versions of a file that differ from each other and from it, newest first.

    One process of git answers for a file: it is asked for objects by name, runs no filter, and is
    stopped after a time. Commits are those of the first-parent line of HEAD.

    Args:
        path: The file.
        most: Largest number of versions.

    Returns:
        The commit in words, with the day on which it was made, and the content at it; nothing
        outside a repository, without git, and for a file that git does not know.
    """
    import subprocess  # for this alone: a hundredth of the start

    folder, name = os.path.split(os.path.abspath(path))
    if "\n" in name:
        return []
    command = ["git", "-C", folder, *SAFE_GIT, "cat-file", "--batch-command"]
    try:
        process = subprocess.Popen(
            command,
            env=close_environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return []
    watchdog = threading.Timer(_PATIENCE, process.kill)
    watchdog.start()
    found: list[tuple[str, bytes]] = []
    try:
        # Where git ends, or says what nobody expects, what it said before holds.
        with suppress(OSError, ValueError, EOFError):
            found.extend(islice(_ask_versions(_Objects(process), name, path), most))
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()
    return found


class _Objects:
    """Objects of a repository, by their names."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._questions, self._answers = process.stdin, process.stdout

    def find(self, name: str) -> tuple[str, int] | None:
        """The id and the size of an object; None if there is none."""
        words = self._ask("info", name)
        return None if words[-1] == "missing" else (words[0], int(words[2]))

    def read(self, id_: str) -> bytes:
        """The content of an object."""
        size = int(self._ask("contents", id_)[2])
        return self._answers.read(size + 1)[:-1]

    def _ask(self, what: str, name: str) -> list[str]:
        self._questions.write(os.fsencode(f"{what} {name}\n"))
        self._questions.flush()
        line = self._answers.readline()
        if not line:
            raise EOFError
        return os.fsdecode(line).rstrip("\n").split(" ")


def _ask_versions(objects: _Objects, name: str, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the versions of a file, each with the newest commit that has it.

    All of them together are no larger than one document may be.
    """
    seen, left = {b""}, Limits.document
    with suppress(OSError):
        seen.add(read_regular(path, Limits.document))
    last = None
    for depth in range(_DEEPEST):
        commit, blob = objects.find(f"HEAD~{depth}"), objects.find(f"HEAD~{depth}:./{name}")
        if commit is None or blob is None:
            return
        if blob != last and blob[1] <= left and commit[1] <= _LARGEST_COMMIT:
            data = objects.read(blob[0])
            if data not in seen:
                seen.add(data)
                left -= len(data)
                header = objects.read(commit[0]).partition(b"\n\n")[0]
                made = re.search(rb"^committer .* (\d{1,11}) [+-]\d{4}$", header, re.MULTILINE)
                day = time.strftime(" of %Y-%m-%d", time.gmtime(int(made[1]))) if made else ""
                yield f"commit {commit[0][:10]}{day}", data
        last = blob
