"""The page of a report: scenes in one HTML file, which loads nothing from anywhere.

Texts of documents reach the page as JSON in script elements of type application/json, which no
browser executes, and reach the eye as text nodes. The policy of the page lets only the script and
the style sheet of this package act, which it names by their digests.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import isfinite

from inertial_check import __version__
from inertial_check.files.json import Json
from inertial_check.model import FileReport, Severity
from inertial_check.viewing.scene import Scene, encode_for_script

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
            "title": file.model or _file_name(file.path),
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
        "policy": _write_policy(script, style, live),
        "version": __version__,
        "style": style,
        "script": script,
        "data": "\n".join(data),
    }
    page = read_asset("page.html")
    pieces = page.split("{{")  # each placeholder once, so that no content is searched for another
    return pieces[0] + "".join(
        parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:])
    )


@cache
def read_asset(name: str) -> str:
    """Read a part of the page from the package."""
    return (files("inertial_check.viewing") / "assets" / name).read_text("utf-8")


def _escape(text: str, form: str) -> str:
    """Escape the few signs beyond ASCII in strings of the script and the style sheet."""
    return "".join(each if each.isascii() else form.format(ord(each)) for each in text)


def _embed(id_: str, value: Json) -> str:
    return f'<script type="application/json" id="{id_}">{encode_for_script(value)}</script>'


def _write_policy(script: str, style: str, live: bool) -> str:
    """Write the content security policy: this script, this style, pictures of the page itself."""
    return "; ".join(
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
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _summarise_scene(scene: Scene, index: int) -> dict[str, Json]:
    content = scene.content
    bodies = content["bodies"]
    assert isinstance(bodies, list)
    return {
        "title": content["name"] or _file_name(scene.path),
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


def count_findings(file: FileReport) -> dict[str, Json]:
    """Count the findings of a file by severity."""
    return {
        severity.word: sum(each.severity == severity for each in file.findings)
        for severity in Severity
    }


def _rank(model: Mapping[str, Json]) -> tuple[bool, int, int, float, str]:
    """Rank of a model: shown ones first, then errors, warnings, and the least margin."""
    counts, margin = model["counts"], model["margin"]
    assert isinstance(counts, Mapping)
    assert isinstance(margin, float | int)
    errors, warnings = (int(str(counts[word])) for word in ("error", "warning"))
    return model["scene"] is None, -errors, -warnings, margin, str(model["path"])


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
