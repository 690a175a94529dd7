"""The page of a report on many documents: scenes of the worst, and a list of all."""

from __future__ import annotations

from collections.abc import Callable

from inertial_check.checking.check import Document
from inertial_check.errors import InertialCheckError
from inertial_check.isolation import TimeLimitReached, limit_times, raise_defects, run_within
from inertial_check.model import FileReport, Report, Severity
from inertial_check.settings.settings import Settings
from inertial_check.viewing.meshes import MODEL_TRIANGLES, MeshLibrary
from inertial_check.viewing.page import find_least_margin, write_page
from inertial_check.viewing.scene import Scene, build_plain_scene, build_scene

MOST_MODELS = 100
"""Largest number of models that a page shows in detail; it lists the others."""

PAGE_TRIANGLES = 480_000
"""Triangles that all models of a page may have together: about 6 MB of it."""

_LEAST_TRIANGLES = 12_000
"""Triangles that each model may have at least, however many there are."""


def build_page(
    report: Report,
    settings_of: Callable[[str], Settings],
    stdin: Document | None = None,
    most_models: int = MOST_MODELS,
) -> str:
    """Build the page of a report.

    Every file that is shown is read once more; nothing is written. A file whose scene cannot be
    built, or takes too long, is shown with its judgements and findings and a note that says why.

    Args:
        report: Report of a check, with causes and predictions of all bodies.
        settings_of: Gives the settings of the file at a path.
        stdin: The document read from standard input, if it was checked.
        most_models: Largest number of models that are shown in detail, worst first.

    Returns:
        The page, in ASCII.
    """
    ranked = sorted(report.files, key=_rank)
    shown, others = ranked[:most_models], ranked[most_models:]
    library = MeshLibrary()
    triangles = max(min(MODEL_TRIANGLES, PAGE_TRIANGLES // max(len(shown), 1)), _LEAST_TRIANGLES)
    with limit_times():
        scenes = [
            _build(
                file,
                settings_of(file.path),
                library,
                stdin.data if stdin is not None and stdin.path == file.path else None,
                triangles,
            )
            for file in shown
        ]
    if not scenes or _list_unseen(report):
        notes = (*_list_unseen(report), *report.notes)
        scenes.append(build_plain_scene(FileReport("", None, "Not checked", (), (), notes=notes)))
    return write_page(scenes, others=others)


def _list_unseen(report: Report) -> list[str]:
    """List the failures that no file of the report tells of, such as a path that does not exist."""
    told = tuple(file.path for file in report.files)
    return [failure for failure in report.failures if not failure.startswith(told)]


def _build(
    file: FileReport,
    settings: Settings,
    library: MeshLibrary,
    data: bytes | None,
    triangles: int,
) -> Scene:
    """Build the scene of a file; without shapes and fixes where that fails."""

    def build() -> Scene:
        return build_scene(file, settings, library=library, data=data, triangles=triangles)

    try:
        with raise_defects(file.path, InertialCheckError):
            return run_within(settings.context.granted.limits.seconds, build)
    except InertialCheckError as error:
        reason = str(error)
    except TimeLimitReached:
        reason = "it takes longer than --timeout allows for one document"
    return build_plain_scene(file._replace(notes=(*file.notes, f"not drawn: {reason}")))


def _rank(file: FileReport) -> tuple[int, int, float, str]:
    """Rank of a file: errors, warnings, and the least margin, worst first."""
    errors, warnings = (
        sum(each.severity == severity for each in file.findings)
        for severity in (Severity.ERROR, Severity.WARNING)
    )
    return -errors, -warnings, find_least_margin(file), file.path
