"""Scene of one document that is read again when the document or a file that it uses is saved."""

from __future__ import annotations

import os
import time
from functools import partial

from inertial_check.checking.check import Document, check_documents
from inertial_check.errors import InertialCheckError
from inertial_check.formats.lookups import Lookups, record_lookups
from inertial_check.isolation import TimeLimitReached, limit_times, raise_defects, run_within
from inertial_check.model import FileReport
from inertial_check.settings.settings import Settings
from inertial_check.viewing.meshes import MeshLibrary
from inertial_check.viewing.scene import Scene, build_plain_scene, build_scene

_MOST_FILES = 20_000
"""Largest number of files that are watched: looking at each takes some microseconds."""

_MOST_UNUSED = 4
"""Number of times that a library may hold as many meshes as the scene uses, before it is emptied:
every save of a mesh leaves an old one in it."""

_CALM, _PATIENCE = 0.05, 1.0
"""Time without a change after which a save is complete, and time after which a file that changes
all the while is read anyway [s]."""

_Stamp = tuple[int, int, int] | None
"""Time of the last change, size and number of a file; None where there is none."""


class LiveScene:
    """Scene of a document that follows its files.

    Attributes:
        path: Path of the document.
        scene: Scene to show: the last one that could be read, with a message if the document
            cannot be read any more.
        message: Why the document cannot be read; "" if it can.
    """

    def __init__(self, path: str, settings: Settings) -> None:
        """Read the scene for the first time."""
        self.path = path
        self._settings = settings
        self._library = MeshLibrary()
        self._stamps: dict[str, _Stamp] = {}
        self._good: Scene | None = None
        self.message = ""
        self.scene = self.read()

    def has_changed(self) -> bool:
        """Tell whether a file of the scene has changed since it was read."""
        return any(_stamp(path) != before for path, before in self._stamps.items())

    def wait_for_calm(self) -> None:
        """Wait until a save is complete: many editors empty a file before they write it."""
        deadline = time.monotonic() + _PATIENCE
        before = None
        while time.monotonic() < deadline:
            now = [_stamp(path) for path in self._stamps]
            if now == before:
                return
            before = now
            time.sleep(_CALM)

    def read(self) -> Scene:
        """Read the document again, and return the scene to show."""
        # Stamps are taken before the files are read, so that a change while they are read is seen.
        known = {path: _stamp(path) for path in (os.path.abspath(self.path), *self._stamps)}
        self._stamps = known  # also if reading fails, so that it is not tried again and again
        lookups = Lookups()
        with record_lookups(lookups):
            found = self._read_now(lookups)
        if found.content["format"] is None:
            paths = {*known, *lookups.paths}
            self.message = _find_message(found)
            self.scene = found if self._good is None else _mark_broken(self._good, self.message)
        else:
            paths = {os.path.abspath(self.path), *lookups.paths}
            self.message, self._good, self.scene = "", found, found
        chosen = sorted(paths)[:_MOST_FILES]
        self._stamps = {path: known[path] if path in known else _stamp(path) for path in chosen}
        return self.scene

    def _read_now(self, lookups: Lookups) -> Scene:
        """Check the document and build its scene; note the files that it uses."""
        used = {} if self._good is None else self._good.meshes
        if len(self._library.contents) > _MOST_UNUSED * (1 + len(used)):
            self._library = MeshLibrary()
        (result,) = check_documents([Document(self.path, True, self._settings)])
        lookups.paths.update(result.lookups or ())
        if result.file is None:
            return _describe_failure(self.path, result.failure or result.note or "cannot be read")
        file, seconds = result.file, self._settings.context.granted.limits.seconds
        try:
            with limit_times(), raise_defects(self.path, InertialCheckError):
                build = partial(build_scene, file, self._settings, library=self._library)
                return run_within(seconds, build)
        except TimeLimitReached:
            note = f"not drawn: it takes more than {seconds:g} s; --timeout allows more"
            return build_plain_scene(file._replace(notes=(*file.notes, note)))
        except InertialCheckError as error:
            return _describe_failure(self.path, str(error))


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _find_message(scene: Scene) -> str:
    """Find the reason why a document gave no scene."""
    findings, notes = scene.content["findings"], scene.content["notes"]
    assert isinstance(findings, list)
    assert isinstance(notes, list)
    for each in findings:
        if isinstance(each, dict):
            return f"{each['file'] or scene.path}:{each['line']}: {each['message']}"
    return str(notes[0]) if notes else f"{scene.path}: cannot be read"


def _mark_broken(scene: Scene, message: str) -> Scene:
    """Give the last good scene a message, which the page shows above it."""
    notes = scene.content["notes"]
    assert isinstance(notes, list)
    note = f"shown as it was before the last change, which cannot be read: {message}"
    content = {**scene.content, "broken": message, "notes": [note, *notes]}
    return Scene(scene.path, content, scene.meshes)


def _describe_failure(path: str, reason: str) -> Scene:
    """Describe a document that gives no scene at all."""
    return build_plain_scene(FileReport(path, None, None, (), (), notes=(reason,)))
