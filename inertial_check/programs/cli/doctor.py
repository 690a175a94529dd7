"""Print what is installed and in force: versions, extras, engines, package paths, configuration.

Nothing is imported to find out, and nothing in the working directory is run.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from shutil import which
from typing import TYPE_CHECKING

from inertial_check import __version__
from inertial_check.documents.escaping import dump_json, printable
from inertial_check.documents.files.access import JsonObject
from inertial_check.documents.resources import count_packages
from inertial_check.errors import InertialCheckError
from inertial_check.programs.cli import options, output
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    from inertial_check.checking.configuration import Configurations


SCHEMA_VERSION = "1"

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)")
_EXTRA = re.compile(r"extra\s*==\s*[\"']([a-z]+)[\"']")

_ENGINES: Mapping[str, tuple[str, ...]] = {
    "mujoco": ("mujoco",),
    "drake": ("drake",),
    "gz": (),
    "newton": ("newton", "newton-physics"),
    "pybullet": ("pybullet",),
    "pinocchio": ("pin",),
    "idyntree": ("idyntree",),
    "genesis": ("genesis-world",),
    "dart": ("dartpy",),
    "physx": ("isaacsim",),
}
"""Distributions that contain an engine; of Gazebo only the program can be found."""

_PATH_VARIABLES = (
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
    "COLCON_PREFIX_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
    "SDF_PATH",
)
"""Environment variables in which ROS and Gazebo keep folders of packages and models."""

_MOST_FOLDERS = 20
"""Largest number of folders that the text lists for one variable."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `doctor`."""
    add = options.add_group(parser, "Output")
    add("--output-format", "a list for people, or JSON", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """Print what is installed and in force; code 1 if the configuration cannot be used."""
    facts = _collect_facts()
    if args.output_format == "json":
        output.write(dump_json(facts, indent=2) + "\n")
    else:
        output.write("".join(f"{printable(line)}\n" for line in _describe(facts)))
    return output.CLEAN if facts["configuration"]["error"] is None else output.FINDINGS


def _read_requirements() -> dict[str, list[str]]:
    """Read the requirements of this package, by extra; "" for those without one."""
    try:
        texts = metadata.requires("inertial-check") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return {}
    found: dict[str, list[str]] = {}
    for text in texts:
        name, extra = _REQUIREMENT.match(text), _EXTRA.search(text)
        if name is not None:
            found.setdefault("" if extra is None else extra[1], []).append(name[1])
    return found


def _find_version(distribution: str) -> str | None:
    """The version of an installed distribution, from its metadata; None if there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _list_engines() -> Iterator[JsonObject]:
    """List the engines with the version predicted and the one installed, of Gazebo its program."""
    from inertial_check.checking.engines.catalogue import ALL_ENGINES

    for engine in ALL_ENGINES:
        versions = map(_find_version, _ENGINES.get(engine.name, ()))
        installed = next((each for each in versions if each is not None), None)
        if engine.name == "gz":
            installed = which("gz")
        predicted = engine.version
        yield {"name": engine.name, "predicted_version": predicted, "installed": installed}


def _read_configuration() -> JsonObject:
    """Read the configuration of the working directory, or why it is wrong."""
    from inertial_check.checking.configuration import OPTIONS, Configurations

    try:
        configuration = Configurations().run
        _ = configuration.settings
    except InertialCheckError as error:
        return {"path": None, "set": {}, "error": str(error)}
    places = {
        ".".join(value.where.keys): str(value.where)
        for name in OPTIONS
        for value in configuration.values(name)
        if value.where is not None
    }
    return {"path": configuration.path, "set": places, "error": None}


def _collect_facts() -> JsonObject:
    """Collect what is installed and in force, as JSON has it; the text shows the same."""
    requirements = _read_requirements()
    extras = []
    # The extras "test" and "docs" are for those who work on this program.
    for name in sorted(requirements.keys() - {"test", "docs", ""}):
        versions = {each: _find_version(each) for each in requirements[name]}
        extras.append(
            {
                "name": name,
                "installed": None not in versions.values(),
                "packages": versions,
                "install": f'pip install "inertial-check[{name}]"',
            }
        )
    searched = {name: os.environ.get(name, "").split(os.pathsep) for name in _PATH_VARIABLES}
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": output.PROGRAM, "version": __version__},
        "python": {"version": platform.python_version(), "executable": sys.executable},
        "platform": platform.platform(),
        "dependencies": {name: _find_version(name) for name in requirements.get("", ())},
        "extras": extras,
        "engines": list(_list_engines()),
        "package_paths": [
            {
                "variable": name,
                "folders": [
                    {"path": each, "exists": os.path.isdir(each), "packages": count_packages(each)}
                    for each in filter(None, folders)
                ],
            }
            for name, folders in searched.items()
            if os.environ.get(name)
        ],
        "configuration": _read_configuration(),
    }


def _describe(facts: JsonObject) -> Iterator[str]:
    """The facts as lines of text."""
    yield f"{output.PROGRAM} {__version__}"
    yield f"Python {facts['python']['version']}, {facts['python']['executable']}"
    yield facts["platform"]
    if facts["dependencies"]:
        yield ", ".join(f"{name} {version}" for name, version in facts["dependencies"].items())
    yield ""
    yield "extras"
    for extra in facts["extras"]:
        versions = ", ".join(f"{name} {version}" for name, version in extra["packages"].items())
        found = versions if extra["installed"] else f"absent: {extra['install']}"
        yield f"  {extra['name']:<11}{found}"
    if not facts["extras"]:
        yield "  unknown: the package is not installed, only its sources are here"
    yield ""
    yield "engines, whose behaviour is predicted without them"
    for engine in facts["engines"]:
        here = f"installed: {engine['installed']}" if engine["installed"] else "not installed"
        yield f"  {engine['name']:<11}predicted as of {engine['predicted_version']}; {here}"
    yield ""
    yield 'package paths (not searched by check without --package-path "$VARIABLE")'
    for each in facts["package_paths"]:
        name, folders = each["variable"], each["folders"]
        for folder in folders[:_MOST_FOLDERS]:
            held = plural(folder["packages"], "package") if folder["exists"] else "no such folder"
            yield f"  {name}: {folder['path']} ({held})"
        if len(folders) > _MOST_FOLDERS:
            yield f"  {name}: {len(folders) - _MOST_FOLDERS} more"
    if not facts["package_paths"]:
        yield f"  none: {', '.join(_PATH_VARIABLES)} are not set"
    yield ""
    configuration = facts["configuration"]
    if configuration["error"] is not None:
        yield f"configuration: error: {configuration['error']}"
    elif configuration["path"] is None:
        yield "configuration: none, `inertial-check init` writes one"
    else:
        yield f"configuration: {configuration['path']}"
        for name, place in configuration["set"].items():
            yield f"  {name} ({place})"


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def render(configurations: Configurations, paths: Sequence[str]) -> str:
    """Write one block for each path: its configuration file, then every option with a value."""
    return "\n".join("".join(_block(configurations, path)) for path in paths)


def _block(configurations: Configurations, path: str) -> Iterator[str]:
    from inertial_check.checking.configuration import OPTIONS

    own, run = configurations.of(path), configurations.run
    file = "no configuration file" if own.path is None else own.path
    yield f"# {printable(path)}: {printable(file)}\n"
    for name, option in OPTIONS.items():
        configuration = run if option.whole_run else own
        # Find the value that another option implies instead of the written one; None if none does.
        settings = configuration.settings
        fail_on = "never" if settings.fail_on is None else settings.fail_on.word
        carried_out = {"strict": settings.strict, "fail-on": fail_on, "engine": settings.engines}
        holds = carried_out.get(name)
        implied = None if holds == configuration[name] else holds
        values = configuration.values(name)
        if implied is not None:
            yield f"{name} = {format_toml(implied)}  # by preset or strict\n"
        elif not values:
            yield f"# {name} is not set\n"
        for value in values if implied is None else ():
            keys = (name,) if value.where is None else value.where.keys
            origin = "default" if value.where is None else printable(str(value.where))
            yield f"{'.'.join(map(_key, keys))} = {format_toml(value.written)}  # {origin}\n"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else dump_json(key)


def format_toml(value: object) -> str:
    """A value in TOML, which is JSON for everything except tables."""
    if isinstance(value, Mapping):
        members = ", ".join(f"{_key(key)} = {format_toml(each)}" for key, each in value.items())
        return f"{{ {members} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_toml, value))}]"
    return dump_json(value)
