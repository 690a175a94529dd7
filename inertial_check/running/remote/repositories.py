"""Archives of git repositories without a working tree, and of bundles, that strangers have made.

`git archive` runs the commands that the configuration of a repository names for its filters. So git
never works in a stranger's repository: it works in an empty one of its own, with no configuration
of the system or the user, no hooks and no network, to which the stranger's objects are lent. The
commit is read from the files of the repository by this module.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO

from inertial_check.documents.files.access import open_regular, read_regular
from inertial_check.running.remote.addresses import Budget, RefusedError

_PIECE = 1 << 16
"""Size of the pieces in which the output of git is read [bytes]."""

_MEMORY = 2 << 30
"""Memory that git may use beside the packs that it maps [bytes]."""

_LARGEST_REFERENCES = 64 << 20
"""Largest size of the file of packed references that is read [bytes]."""

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCHES = ("HEAD", "refs/heads/main", "refs/heads/master")
"""References of a bundle, of which the first one that it has is read."""


class Exporter:
    """Writes the files of a commit as a tar archive.

    Args:
        folder: An empty private folder, which lasts as long as the exporter.
        budget: What may be unpacked.

    Raises:
        RefusedError: git is not installed.
    """

    def __init__(self, folder: str, budget: Budget) -> None:
        git = shutil.which("git")
        if git is None:
            raise RefusedError("reading it needs git, which is not installed")
        self._git, self._folder, self._budget = git, folder, budget
        self._own = os.path.join(folder, "repository")
        self._lent: dict[str, str] = {}

    def export(self, path: str, target: BinaryIO) -> None:
        """Write the files of the commit that HEAD names.

        Args:
            path: Path of a repository, or of a bundle.
            target: The stream for the archive.

        Raises:
            RefusedError: It is no repository, exceeds a limit, or takes files from elsewhere.
        """
        path = os.path.abspath(path)
        try:
            if os.path.isdir(path):
                commit = self._borrow(path)
            else:
                open_regular(path, self._budget.largest, "--max-file-size").close()
                # Unpack a bundle into the private repository; returns its commit.
                with open(path, "rb") as stream:
                    head = stream.read(1 << 10)
                if not head.startswith((b"# v2 git bundle\n", b"# v3 git bundle\n")):
                    raise RefusedError("damaged: no bundle of git")
                self._make_own("0" * (64 if b"@object-format=sha256\n" in head else 40))
                listing = os.path.join(self._folder, "references")
                with open(listing, "w+b") as stream:
                    unbundle_command = ("--git-dir", self._own, "bundle", "unbundle", path)
                    self._run(unbundle_command, stream, _LARGEST_REFERENCES)
                    stream.seek(0)
                    lines = stream.read().decode("utf-8", "replace").splitlines()
                found = {
                    name: unbundle_commit
                    for unbundle_commit, _, name in (line.partition(" ") for line in lines)
                }
                unbundle_commit = next((found[name] for name in _BRANCHES if name in found), None)
                if unbundle_commit is None and len(set(found.values())) == 1:
                    (unbundle_commit,) = set(found.values())
                if unbundle_commit is None or not _COMMIT.fullmatch(unbundle_commit):
                    raise RefusedError("it has no HEAD, and no branch main or master")
                commit = unbundle_commit
        except (OSError, ValueError) as error:
            raise RefusedError(getattr(error, "strerror", None) or str(error)) from None
        options = ("-c", "core.bigFileThreshold=1m", "-c", "core.attributesFile=")
        command = (*options, "--git-dir", self._own, "archive", "--format=tar", commit)
        self._run(command, target, self._budget.left)

    def _borrow(self, path: str) -> str:
        """Lend the objects of a repository to the private one; returns its commit."""
        objects = os.path.join(path, "objects")
        for name in ("alternates", "http-alternates"):
            if os.path.lexists(os.path.join(objects, "info", name)):
                raise RefusedError(
                    "its objects lie in another repository; git clone makes a folder of it that "
                    "can be checked"
                )
        # Refuse a folder of objects that is, or has, a link: its objects could be anybody's.
        names = [objects]
        for folder, folders, files in os.walk(objects):
            _ = self._budget.seconds
            names += [os.path.join(folder, name) for name in (*folders, *files)]
            if any(map(os.path.islink, names)):
                raise RefusedError("its folder of objects has links")
            names = []
        # The commit that HEAD of a repository names.
        text = read_regular(os.path.join(path, "HEAD"), 1 << 12).decode("utf-8", "replace").strip()
        commit_name = text.removeprefix("ref:").strip()
        if commit_name == text:
            found = text
        elif not commit_name.startswith("refs/") or ".." in commit_name or "\0" in commit_name:
            found = ""
        else:
            found = _resolve(path, commit_name)
        if not _COMMIT.fullmatch(found):
            raise RefusedError(f"its HEAD names no commit: {text[:100]!r}")
        commit = found
        self._make_own(commit)
        link = os.path.join(self._folder, "objects")  # a path without colons and line ends
        os.symlink(objects, link, target_is_directory=True)
        self._lent = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": link}
        return commit

    def _make_own(self, commit: str) -> None:
        """Make the private repository, for names of commits of this length."""
        form = "sha256" if len(commit) == 64 else "sha1"
        command = ("init", "--quiet", "--bare", "--template=", f"--object-format={form}", self._own)
        with open(os.devnull, "wb") as nothing:
            self._run(command, nothing, 0)

    def _run(self, arguments: Sequence[str], target: BinaryIO, largest: int) -> None:
        """Run git within the time that is left, and write its output to a stream.

        Raises:
            RefusedError: It fails, takes too long, or its output is too large.
        """
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self._folder,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_TERMINAL_PROMPT": "0",
            **self._lent,
        }
        seconds = self._budget.seconds
        with (
            open(os.path.join(self._folder, "errors"), "w+b") as errors,
            subprocess.Popen(
                [self._git, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=self._folder,
            ) as process,
        ):
            # Limit the memory of a process that has just begun, where the system can do that.
            size = _MEMORY + self._budget.largest
            with suppress(ImportError, AttributeError, OSError):
                import resource

                resource.prlimit(process.pid, resource.RLIMIT_AS, (size, size))
            timer = threading.Timer(seconds, process.kill)
            timer.daemon = True
            timer.start()
            try:
                assert process.stdout is not None
                size = 0
                while piece := process.stdout.read(_PIECE):
                    size += len(piece)
                    if size > largest:
                        reason = f"its files have more than {largest} bytes"
                        raise RefusedError(f"{reason}; --max-file-size raises the limit")
                    target.write(piece)
                process.wait()
            finally:
                timer.cancel()
                process.kill()
            code = process.wait()
            _ = self._budget.seconds
            errors.seek(0)
            told = errors.read(1 << 10).decode("utf-8", "replace").split("\n")[0]
        if code:
            raise RefusedError(f"git: {told.removeprefix('fatal: ') or f'exit code {code}'}")


def _resolve(path: str, name: str) -> str:
    """The commit of a branch; "" if there is none."""
    own = os.path.join(path, *name.split("/"))
    try:
        return read_regular(own, 1 << 12).decode("ascii", "replace").strip()
    except FileNotFoundError:
        pass
    try:
        packed = read_regular(os.path.join(path, "packed-refs"), _LARGEST_REFERENCES)
    except FileNotFoundError:
        return ""
    wanted = f" {name}".encode()
    lines = (line for line in packed.splitlines() if line.endswith(wanted))
    return next((line[: -len(wanted)].decode("ascii", "replace") for line in lines), "")
