"""What has changed in a git repository since a revision, and which documents that concerns.

A document is concerned if it has changed itself, or anything that was looked at for it: included
files, meshes, manifests of packages, and what was looked for and not found. What git does not track
counts as changed: nobody knows.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable

from inertial_check.checking.check import DocumentResult
from inertial_check.errors import UsageError
from inertial_check.files.access import Limits, read_regular

_SAFE_GIT = (
    *("-c", "core.quotePath=false"),
    *("-c", "safe.bareRepository=explicit"),  # a folder of the checkout may pose as a repository
    *("-c", "core.fsmonitor=false"),  # and name a program here that git would run
    *("-c", "core.hooksPath=/dev/null"),
)
"""Options of git for a repository whose files may be a stranger's."""

_REFERENCES = re.compile(rb"mesh|include|file|uri|package|xacro|@|\0")
"""Words without which a document refers to no other file; binary data may refer without them."""

_CONFIGURATIONS = ("inertial-check.toml", ".inertial-check.toml")
_SHARED_CONFIGURATION = "pyproject.toml"


class Changes:
    """What is not as it was at the merge base of a revision and HEAD."""

    def __init__(self, revision: str, folder: str = ".") -> None:
        """Ask git.

        Args:
            revision: As git takes it.
            folder: In the working tree of the repository.

        Raises:
            UsageError: There is no git, no repository, or no such revision; in git's words.
        """
        self._top = os.path.realpath(_git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))
        if revision.startswith("-"):
            raise UsageError(f"--changed-since {revision}: expected a revision")
        base = _git(folder, "merge-base", f"{revision}^{{commit}}", "HEAD").strip()
        names = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z")
        self._changed = self._absolute(
            _git(self._top, *names, base, "--"),
            _git(self._top, *names, "--cached", base, "--"),
            _git(self._top, "ls-files", "-z", "--others", "--exclude-standard"),
        )
        self._tracked = self._absolute(_git(self._top, "ls-files", "-z"))
        self._folders = {os.path.dirname(path) for path in self._changed}
        self._configured = tuple(_find_configured_folders(self._changed))
        self._known: dict[str, bool] = {}

    def _absolute(self, *listings: str) -> frozenset[str]:
        names = {name for listing in listings for name in listing.split("\0") if name}
        return frozenset(os.path.join(self._top, name) for name in names)

    def may_concern(self, path: str) -> bool:
        """Whether a document has to be looked at in order to know."""
        if self._has_changed(path):
            return True
        try:
            return _REFERENCES.search(read_regular(path, Limits.document)) is not None
        except OSError:
            return True

    def concern(self, result: DocumentResult) -> bool:
        """Whether what came of a document may be another than at that revision."""
        if result.lookups is None or self._has_changed(result.path):
            return True
        return any(self._is_other(path) for path in result.lookups)

    def _has_changed(self, path: str) -> bool:
        real = os.path.realpath(path)
        if real not in self._tracked or real in self._changed:
            return True
        return os.path.join(real, "").startswith(self._configured) if self._configured else False

    def _is_other(self, path: str) -> bool:
        """Whether a file or folder that was looked at is another, or may be."""
        known = self._known.get(path)
        if known is None:
            real = os.path.realpath(path)
            if os.path.isdir(real):
                known = real in self._folders or not self._holds(real)
            else:
                known = real in self._changed or (
                    os.path.exists(real) and real not in self._tracked
                )
            self._known[path] = known
        return known

    def _holds(self, folder: str) -> bool:
        """Whether a folder is in the repository."""
        return os.path.join(folder, "").startswith(os.path.join(self._top, ""))


def _find_configured_folders(changed: Iterable[str]) -> Iterable[str]:
    """Find the folders below which a configuration has changed, with a separator at their end."""
    for path in changed:
        folder, name = os.path.split(path)
        if name in _CONFIGURATIONS or (name == _SHARED_CONFIGURATION and _mentions(path)):
            yield os.path.join(folder, "")


def _mentions(path: str) -> bool:
    """Whether a pyproject.toml speaks of this program; one that is gone may have."""
    try:
        return b"inertial-check" in read_regular(path, Limits.document)
    except OSError:
        return True


def _git(folder: str, *arguments: str) -> str:
    """What git prints.

    Raises:
        UsageError: In its words.
    """
    command = ["git", "-C", folder, *_SAFE_GIT, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"--changed-since asks git, which cannot be run: {reason}") from None
    if done.returncode:
        said = " ".join(os.fsdecode(done.stderr).split()).removeprefix("fatal: ")
        reason = said or "it has no ancestor in common with HEAD"
        raise UsageError(f"--changed-since: git says: {reason}")
    return os.fsdecode(done.stdout)
