"""Settings that a gate takes in place of those of a checked tree, and changes that it refuses.

A folder outside the tree stands for it, or a revision of git, of which the configurations are
written into a folder, with the baselines, tables and further configurations that they name.
"""

from __future__ import annotations

import os
import posixpath
import tempfile
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from inertial_check.checking.configuration import FILE_NAMES, Configurations, Stand
from inertial_check.checking.discovery import LINK_OUT
from inertial_check.checking.report import Lowering, Report
from inertial_check.documents.files.access import SUFFIXES, contains, root_of
from inertial_check.inertia.tolerances import GATE
from inertial_check.reports.text import plural
from inertial_check.running.run import Changes, ask_git, mentions_program

_REFERRING = ("extend", "baseline", "expect")
"""Keys of configurations that name files."""

_IGNORING = frozenset([".gitignore"])
_SHARED = FILE_NAMES[-1]
_LINK, _MODELS = "120000", SUFFIXES - {".xml"}
_SHOWN = 3
"""Number of files that a message names."""


@dataclass(frozen=True)
class Gate:
    """A gate.

    Attributes:
        stand: What stands for the checked tree.
        changes: What has changed in the tree; None if nothing tells.
        taken: Real paths in the tree of the files that were taken of the revision.
    """

    stand: Stand
    changes: Changes | None
    taken: frozenset[str] = frozenset()

    def judge(self, report: Report, configurations: Configurations, allows: bool) -> Report:
        """Add to a report what a gate refuses.

        Args:
            report: Report of the check.
            configurations: The configurations of the run.
            allows: Whether configurations may change beside models.
        """
        wide = {
            f"tolerance = {each.written} ({each.where}): a gate takes {GATE:g} at most"
            for configuration in configurations.read
            for each in configuration.values("tolerance")
            if configuration["tolerance"] > GATE
        }
        links = tuple(
            Lowering(path, 1, f"a {LINK_OUT}: what it leads to is not checked", fails=True)
            for each in report.account.skipped
            for path in (each.paths if each.kind == LINK_OUT else ())
        )
        account = report.account
        account = replace(account, lowered_by=(*account.lowered_by, *links))
        what = f"a gate refuses {plural(len(links), 'link')} out of the repository: delete them"
        report = replace(
            report,
            failures=(*report.failures, *sorted(wide)),
            notes=(*report.notes, *([what] if links else ())),
            account=account,
        )
        changed = frozenset[str]() if self.changes is None else self.changes.paths
        checked = {os.path.realpath(file.path) for file in report.files}
        models = [
            path
            for path in sorted(changed)
            if path in checked or os.path.splitext(path)[1].lower() in _MODELS
        ]
        baseline = configurations.run["baseline"]
        known = {os.path.realpath(self.stand.restore(baseline))} if baseline else set()
        settings = sorted(path for path in changed if self._is_setting(path, known))
        if allows or not models or not settings:
            return report
        count = plural(len(models), "model")
        what = f"changed together with {count} ({self._name(models)})"
        lowered = tuple(Lowering(self._show(path), 1, what, fails=True) for path in settings)
        note = f"{self._name(settings)} {what}: --allow-config-change says that this was reviewed"
        account = replace(account, lowered_by=(*account.lowered_by, *lowered))
        return replace(report, account=account, notes=(*report.notes, note))

    def _is_setting(self, path: str, known: Collection[str]) -> bool:
        """Tell whether a file says what is checked, and which findings count."""
        name = os.path.basename(path)
        if name == _SHARED:
            return path in self.taken or (os.path.exists(path) and mentions_program(path))
        return name in FILE_NAMES or name in _IGNORING or path in known or path in self.taken

    def _show(self, path: str) -> str:
        return os.path.relpath(path, self.stand.tree).replace(os.sep, "/")

    def _name(self, paths: Sequence[str]) -> str:
        """Name some paths."""
        shown = [self._show(path) for path in paths[:_SHOWN]]
        return ", ".join(shown + ["..."] * (len(paths) > _SHOWN))


@contextmanager
def open_gate(trusted: str | None, since: str | None, named: Sequence[str]) -> Iterator[Gate]:
    """Open a gate for the tree around the working directory.

    Args:
        trusted: A folder outside the tree, or a revision; None for the base of `since`.
        since: Revision of --changed-since; None without it.
        named: Files of the tree that the command line names, and that are to be trusted.

    Raises:
        UsageError: There is no such folder and no such revision.
    """
    tree = root_of(os.getcwd()).path
    changes = None if since is None else Changes(since)
    if trusted is not None and os.path.isdir(trusted):
        folder = os.path.realpath(trusted)
        if not contains(tree, folder):
            yield Gate(Stand(tree, folder, trusted=True), changes)
            return
    if trusted is not None:
        option = "--trusted"
        changes = Changes(trusted, option=option)
        revision = ask_git(".", "rev-parse", f"{trusted}^{{commit}}", option=option).strip()
    elif changes is not None:
        revision = changes.base
    else:
        yield Gate(Stand(tree), None)
        return
    with tempfile.TemporaryDirectory(prefix="inertial-check-trusted-") as made:
        folder = os.path.realpath(made)
        os.mkdir(os.path.join(folder, ".git"))  # makes it a root, as the tree is one
        relative = [os.path.relpath(os.path.realpath(path), tree) for path in named]
        taken = _take(tree, revision, folder, relative)
        stand = Stand(tree, folder, trusted or revision[:12])
        yield Gate(stand, changes, frozenset(os.path.join(tree, name) for name in taken))


def _take(tree: str, revision: str, folder: str, named: Sequence[str]) -> set[str]:
    """Write the configurations of a revision and the files that they name into a folder.

    Returns:
        The paths of the files in the tree; a shared file counts if it has the program's table.
    """
    listing = ask_git(tree, "ls-tree", "-r", "-z", "--full-tree", revision, option="--trusted")
    entries: dict[str, tuple[str, str]] = {}
    for entry in filter(None, listing.split("\0")):
        attributes, _, name = entry.partition("\t")
        mode, _, blob = attributes.split(" ")
        entries[name] = mode, blob
    found = [name for name in entries if posixpath.basename(name) in FILE_NAMES]
    pending, done = [*found, *(name.replace(os.sep, "/") for name in named)], set[str]()
    while pending:
        name = pending.pop()
        path = os.path.normpath(os.path.join(folder, name))
        if name not in entries or name in done or not contains(folder, path):
            continue
        mode, blob = entries[name]
        text = ask_git(tree, "cat-file", "blob", blob, option="--trusted")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        done.add(name)
        above = posixpath.dirname(name)
        if mode == _LINK:
            os.symlink(text, path)
            pending.append(posixpath.normpath(posixpath.join(above, text)))
            continue
        data = os.fsencode(text)
        with open(path, "xb") as stream:
            stream.write(data)
        if posixpath.basename(name) == _SHARED and not mentions_program(path):
            done.discard(name)
        for reference in _list_references(data, posixpath.basename(name) == _SHARED):
            pending.append(posixpath.normpath(posixpath.join(above, reference)))
    return done


def _list_references(data: bytes, shared: bool) -> Iterator[str]:
    """List the files that a configuration names; a malformed one is refused when it is used."""
    try:
        table: object = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return
    for key in ("tool", "inertial-check") if shared else ():
        table = table.get(key) if isinstance(table, Mapping) else None
    values = (table.get(key) for key in _REFERRING) if isinstance(table, Mapping) else ()
    yield from (value for value in values if isinstance(value, str))
