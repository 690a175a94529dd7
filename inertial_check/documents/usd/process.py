"""Client of the process that composes USD stages; the process is started again if it ends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import Literal

from inertial_check.documents.children import ChildClient, answer_seconds, open_child
from inertial_check.documents.context import Context, note_child_lookups, note_other_inputs
from inertial_check.documents.files.access import JsonObject, read_regular
from inertial_check.documents.source import Source
from inertial_check.documents.usd import SUFFIXES, TEXT
from inertial_check.errors import DocumentError
from inertial_check.inertia.tolerances import USD_SCALE_NOISE

StagePart = Literal["bodies", "shapes", "joints"]

_SCRIPT = os.path.join(os.path.dirname(__file__), "stage.py")
_MEMORY = "1 GB"
"""Memory that a stage may take, which stage.py limits."""

# The library reads its settings from the environment: the caller's could name plugins to load.
_SETTINGS = {"PXR_WORK_THREAD_LIMIT": "1"}


def compose_stage(source: Source, context: Context, *asked: StagePart) -> JsonObject:
    """Compose the stage of a layer and describe parts of it, as stage.py does.

    Args:
        source: The layer; its bytes count, not those on the disk.
        context: Bytes of layers to which it refers, in place of those on the disk.
        asked: Parts of the stage to describe. A further part is a member of the description of the
            first one, see `check_description`; it is absent if the process ended, because the first
            part is then described alone.

    Raises:
        DocumentError: The library cannot read the layer, or reading it ended the process.
    """
    answer = _ask(source, context, asked)
    if isinstance(answer, str) and len(asked) > 1:
        answer = _ask(source, context, asked[:1])
    if isinstance(answer, str):
        note_other_inputs()
        raise DocumentError(source.path, answer)
    check_description(source, answer)
    note_child_lookups((path.partition("[")[0] for path in answer["used"]), answer["complete"])
    return answer


def check_description(source: Source, described: JsonObject) -> JsonObject:
    """Return the description of a part of a stage.

    Raises:
        DocumentError: The description says why the part cannot be read.
    """
    if "refused" in described:
        note_other_inputs()
        raise DocumentError(source.path, described["refused"])
    if "error" in described:
        reason = f"no USD layer: {described['error']}"
        raise DocumentError(source.path, reason, described["line"], described["column"])
    return described


def _ask(source: Source, context: Context, asked: Sequence[StagePart]) -> JsonObject | str:
    """Ask the process for parts of a stage; return its answer, or why there is none."""
    granted = context.of_document(source.path).granted
    data = None if _is_on_disk(source) else source.data
    overlay = context.overlay
    blobs = [*([] if data is None else [data]), *overlay.values()]
    request = {
        "path": os.path.abspath(source.path),
        "size": None if data is None else len(data),
        "asked": asked,
        "scale_noise": USD_SCALE_NOISE,
        "roots": None if granted.follow_outside else granted.list_roots(),
        "overlay": [(os.path.abspath(other), len(blob)) for other, blob in overlay.items()],
    }
    line = json.dumps(request).encode() + b"\n"
    seconds = answer_seconds(granted.limits)
    return _ComposingProcess.current().ask(line + b"".join(blobs), seconds)


def _is_on_disk(source: Source) -> bool:
    """Return whether the file on the disk has these bytes; a text layer is always sent along."""
    if source.data.startswith(TEXT) or not source.path.endswith(SUFFIXES):
        return False
    try:
        return read_regular(source.path, len(source.data)) == source.data
    except (OSError, ValueError):
        return False


class _ComposingProcess(ChildClient):
    """A process that composes stages; one thread at a time sends it a request."""

    _folder = ""

    def ask(self, request: bytes, seconds: float) -> JsonObject | str:
        """Send a request; return the answer, or why there is none within the time [s]."""
        with self.exchange() as process:
            stopped = threading.Event()
            timer = threading.Timer(seconds, _stop, (process, stopped))
            timer.daemon = True
            timer.start()
            try:
                line = _exchange(process, request)
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                answer: JsonObject = json.loads(line)
                if answer["last"]:
                    self.close()
                return answer
            code = process.wait()
            self.close()
        if stopped.is_set():
            return (
                f"not read within {seconds:g} s: damaged, or with references that multiply? "
                "--timeout raises the limit, a third of the time for a document"
            )
        reason = f"it may be damaged, or need more than {_MEMORY} of memory"
        return f"the USD library ended reading it (exit code {code}): {reason}"

    def _start(self) -> subprocess.Popen[bytes]:
        # Created here, because a process that is killed would leave its folder behind.
        self._folder = tempfile.mkdtemp(prefix="inertial-check-")
        code = f"import runpy; runpy.run_path({_SCRIPT!r}, run_name='__main__')"
        return open_child(code, self._folder, environment=_SETTINGS)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)


def _stop(process: subprocess.Popen[bytes], stopped: threading.Event) -> None:
    stopped.set()
    process.kill()


def _exchange(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    """Return the line that answers; only a part of it if the process ends before."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return b""
    try:
        stdin.write(request)
        stdin.flush()
    except OSError:
        return b""
    return stdout.readline()
