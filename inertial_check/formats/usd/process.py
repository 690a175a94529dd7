"""The process that composes USD stages: started when first asked, and again where one ended it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any, Literal

from inertial_check.errors import DocumentError
from inertial_check.formats.context import Context
from inertial_check.formats.lookups import note_child_lookups, note_other_inputs
from inertial_check.formats.usd.constants import SUFFIXES, TEXT
from inertial_check.model.source import Source

SECONDS = 60.0
"""For one stage; a few hundred bytes of references that multiply can ask for years."""

StagePart = Literal["bodies", "shapes", "joints"]

_SCRIPT = os.path.join(os.path.dirname(__file__), "stage.py")
_PLUGINS = "PXR_PLUGINPATH_NAME"  # libraries that reading a document would load and run
_ONE_THREAD = {"PXR_WORK_THREAD_LIMIT": "1"}


def compose_stage(source: Source, context: Context, asked: StagePart = "bodies") -> dict[str, Any]:
    """What the stage of a layer states of bodies, as `_usd_stage` says it.

    Args:
        source: The layer; what lies on the disk where its bytes differ plays no part.
        context: Holds what layers that it refers to have, in place of what lies on the disk.
        asked: For the bodies; or for their shapes, or the joints, and nothing else.

    Raises:
        DocumentError: The library cannot read it, or it ended the process.
    """
    data = None if _lies_there(source) else source.data
    overlay = context.overlay
    blobs = [*([] if data is None else [data]), *overlay.values()]
    request = {
        "path": os.path.abspath(source.path),
        "size": None if data is None else len(data),
        "asked": asked,
        "overlay": [(os.path.abspath(other), len(blob)) for other, blob in overlay.items()],
    }
    answer = _reader().ask(json.dumps(request).encode() + b"\n" + b"".join(blobs))
    if isinstance(answer, str):
        note_other_inputs()
        raise DocumentError(source.path, answer)
    if "error" in answer:
        reason = f"no USD layer: {answer['error']}"
        raise DocumentError(source.path, reason, answer["line"], answer["column"])
    note_child_lookups((path.partition("[")[0] for path in answer["used"]), answer["complete"])
    return answer


def _lies_there(source: Source) -> bool:
    """Whether it can be read from the disk; a text is handed over, so that nothing can differ."""
    if source.data.startswith(TEXT) or not source.path.endswith(SUFFIXES):
        return False
    try:
        with open(source.path, "rb") as file:
            return file.read() == source.data
    except (OSError, ValueError):
        return False


class _ComposingProcess:
    """One process, asked by one thread at a time."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""

    def ask(self, request: bytes) -> dict[str, Any] | str:
        """The answer; or why there is none."""
        with self._lock:
            process = self._running()
            stopped = threading.Event()
            timer = threading.Timer(SECONDS, _stop, (process, stopped))
            timer.daemon = True
            timer.start()
            try:
                line = _exchange(process, request)
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                answer: dict[str, Any] = json.loads(line)
                if answer["last"]:
                    self.close()
                return answer
            code = process.wait()
            self.close()
            if stopped.is_set():
                return f"not read within {SECONDS:g} s: damaged, or with references that multiply"
            return f"the USD library ended reading it (exit code {code}): it may be damaged"

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and self.owner == os.getpid():
            process.kill()
            process.communicate()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        environment = {key: value for key, value in os.environ.items() if key != _PLUGINS}
        # Not the process's own: one that is killed leaves it behind.
        self._folder = tempfile.mkdtemp(prefix="inertial-check-")
        self._process = subprocess.Popen(
            [sys.executable, "-P", _SCRIPT, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | _ONE_THREAD,
        )
        return self._process


def _stop(process: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    stopped.set()
    process.kill()


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    """The line that answers; what there is of it where the process ends before."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return b""
    try:
        stdin.write(request)
        stdin.flush()
    except OSError:
        return b""
    return stdout.readline()


_current: list[_ComposingProcess] = []


def _reader() -> _ComposingProcess:
    """This process's reader; a fork takes its own."""
    if not _current or _current[0].owner != os.getpid():
        _current[:] = [_ComposingProcess()]
        atexit.register(_current[0].close)
    return _current[0]
