"""The page of a report: scenes in one HTML file, which loads nothing from anywhere.

Texts of documents reach the page as JSON in script elements of type application/json, which no
browser executes, and reach the eye as text nodes. The policy of the page lets only the script and
the style sheet of this package act, which it names by their digests.

The page of a report on many documents: scenes of the worst, and a list of all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from math import isfinite

from inertial_check import __version__
from inertial_check.checking.check import Document
from inertial_check.checking.report import FileReport, Report, Severity
from inertial_check.checking.settings import Settings
from inertial_check.documents.children import (
    TimeLimitReached,
    limit_times,
    raise_defects,
    run_within,
)
from inertial_check.documents.files.access import Json
from inertial_check.errors import InertialCheckError
from inertial_check.reports.page.scene import (
    MODEL_TRIANGLES,
    MeshLibrary,
    Scene,
    build_plain_scene,
    build_scene,
    count_findings,
    encode_for_script,
)
from inertial_check.reports.text import describe_account

_SCRIPTS = (
    "linear.js",
    "solids.js",
    "renderer.js",
    "camera.js",
    "colours.js",
    "dom.js",
    "robot.js",
    "marks.js",
    "figure.js",
    "table.js",
    "details.js",
    "triangle.js",
    "joints.js",
    "models.js",
    "live.js",
    "app.js",
    "start.js",
)
"""Parts of the script of a page, in order; the last one starts it."""


def write_page(
    scenes: Sequence[Scene], *, others: Sequence[FileReport] = (), live: bool = False
) -> str:
    """Write the page of some scenes.

    Args:
        scenes: The models that are shown.
        others: Further models, which the list of models names without showing them.
        live: Whether the page follows a server: it listens to `events`, server-sent events of the
            type `scene` whose data is new whenever the scene is, and fetches `scene.json`.

    Returns:
        The page, in ASCII; the model with the most and the worst findings comes first.
    """
    models = [_summarise_scene(scene, index) for index, scene in enumerate(scenes)]
    models += [
        {
            "title": file.model or file.path.replace("\\", "/").rpartition("/")[2],
            "path": file.path,
            "counts": count_findings(file),
            "bodies": len(file.bodies),
            "margin": find_least_margin(file),
            "scene": None,
        }
        for file in others
    ]
    models.sort(key=_rank)
    meshes: dict[str, Json] = {}
    for scene in scenes:
        meshes.update(scene.meshes)
    data = [_embed("page", {"models": models, "live": live})]
    data += [_embed(f"scene-{index}", scene.content) for index, scene in enumerate(scenes)]
    data += [_embed(f"mesh-{digest}", mesh) for digest, mesh in sorted(meshes.items())]
    style = _escape(read_asset("style.css"), "\\{:x} ")
    script = '"use strict";\n(() => {\n' + "".join(map(read_asset, _SCRIPTS)) + "})();\n"
    script = _escape(script, "\\u{:04x}")
    parts = {
        "policy": "; ".join(
            [
                "default-src 'none'",
                f"script-src 'sha256-{_digest(script)}'",
                f"style-src 'sha256-{_digest(style)}'",
                "img-src data:",
                *(["connect-src 'self'"] if live else []),
                "base-uri 'none'",
                "form-action 'none'",
                "require-trusted-types-for 'script'",
            ]
        ),
        "version": __version__,
        "style": style,
        "script": script,
        "data": "\n".join(data),
    }
    return _fill(read_asset("page.html"), parts)


_TEXT_STYLE = """
body { display: block; height: auto; padding: 18px; overflow-wrap: anywhere; }
h2 { margin-top: 24px; font-size: 15px; } h1 { font-size: 17px; }
img { width: 100%; max-width: 64em; background: #fff; }
td, th { padding: 4px 10px; text-align: right; white-space: nowrap; font-weight: inherit; }
tr > :first-child { text-align: left; white-space: normal; min-width: 16em; }
th { color: var(--muted); } table { width: auto; }
"""
"""Style of a page of text, behind that of all pages."""


def write_text_page(content: str) -> str:
    """Write a page of text, tables and pictures, on which nothing acts and which loads nothing.

    Args:
        content: HTML of its body, in which all texts of documents are escaped.

    Returns:
        The page, in ASCII.
    """
    style = _escape(read_asset("style.css"), "\\{:x} ") + _TEXT_STYLE
    policy = f"default-src 'none'; style-src 'sha256-{_digest(style)}'; img-src data:"
    parts = {"policy": policy, "version": __version__, "style": style}
    head = _fill(read_asset("page.html").partition("<body>")[0], parts)
    return head + _escape(f"<body>\n{content}</body>\n</html>\n", "&#{};")


def _fill(page: str, parts: Mapping[str, str]) -> str:
    """Fill the placeholders of a page."""
    pieces = page.split("{{")  # each placeholder once, so that no content is searched for another
    return pieces[0] + "".join(
        parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:])
    )


@cache
def read_asset(name: str) -> str:
    """Read a part of the page from the package."""
    return (files("inertial_check.reports.page") / "assets" / name).read_text("utf-8")


def _escape(text: str, form: str) -> str:
    """Escape the few signs beyond ASCII in strings of the script and the style sheet."""
    return "".join(each if each.isascii() else form.format(ord(each)) for each in text)


def _embed(id_: str, value: Json) -> str:
    return f'<script type="application/json" id="{id_}">{encode_for_script(value)}</script>'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _summarise_scene(scene: Scene, index: int) -> dict[str, Json]:
    content = scene.content
    bodies = content["bodies"]
    assert isinstance(bodies, list)
    return {
        "title": content["name"] or scene.path.replace("\\", "/").rpartition("/")[2],
        "path": scene.path,
        "counts": content["counts"],
        "bodies": len(bodies),
        "margin": min((each["margin"] for each in bodies if each["margin"] is not None), default=1),
        "scene": index,
    }


def find_least_margin(file: FileReport) -> float:
    """Find the least margin of the bodies of a file; 1, above all margins, if none has one."""
    margins = [body.judgement.margin for body in file.bodies]
    return min((margin for margin in margins if isfinite(margin)), default=1.0)


def _rank(model: Mapping[str, Json]) -> tuple[bool, int, int, float, str]:
    """Rank of a model: shown ones first, then errors, warnings, and the least margin."""
    counts, margin = model["counts"], model["margin"]
    assert isinstance(counts, Mapping)
    assert isinstance(margin, float | int)
    errors, warnings = (int(str(counts[word])) for word in ("error", "warning"))
    return model["scene"] is None, -errors, -warnings, margin, str(model["path"])


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
    ranked = sorted(report.files, key=_rank_model)
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
                report.options,
            )
            for file in shown
        ]
    # The failures that no file of the report tells of, such as a path that does not exist.
    told = tuple(file.path for file in report.files)
    unseen = [failure for failure in report.failures if not failure.startswith(told)]
    left = [f"{each.path}:{each.line}: {each.reason}" for each in report.account.unjudged]
    if left:
        unseen += [describe_account(report.account), *left[:_MOST_UNJUDGED]]
    if not scenes or unseen:
        notes = (*unseen, *report.notes)
        scenes.append(build_plain_scene(FileReport("", None, "Not checked", (), (), notes=notes)))
    return write_page(scenes, others=others)


_MOST_UNJUDGED = 1000
"""Largest number of inertials that are not judged and that a page lists."""


def _build(
    file: FileReport,
    settings: Settings,
    library: MeshLibrary,
    data: bytes | None,
    triangles: int,
    options: Sequence[str],
) -> Scene:
    """Build the scene of a file; without shapes and fixes where that fails."""
    build = partial(
        build_scene,
        file,
        settings,
        library=library,
        data=data,
        triangles=triangles,
        options=options,
    )
    try:
        with raise_defects(file.path, InertialCheckError):
            return run_within(settings.context.granted.limits.seconds, build)
    except InertialCheckError as error:
        reason = str(error)
    except TimeLimitReached:
        reason = "it takes longer than --timeout allows for one document"
    return build_plain_scene(file._replace(notes=(*file.notes, f"not drawn: {reason}")))


def _rank_model(file: FileReport) -> tuple[int, int, float, str]:
    """Rank of a file: errors, warnings, and the least margin, worst first."""
    errors, warnings = (
        sum(each.severity == severity for each in file.findings)
        for severity in (Severity.ERROR, Severity.WARNING)
    )
    return -errors, -warnings, find_least_margin(file), file.path
