"""Every command that a report prints about real models, run: it changes something and helps."""

import hashlib
import os
import shlex
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.programs.cli.main import main

pytestmark = pytest.mark.corpus

SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".xacro")


def find_models(root, parts):
    """The files that may be models, one in so many, chosen by its name."""
    for path in sorted(Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        digest = hashlib.sha1(name.encode(), usedforsecurity=False).digest()
        if path.suffix in SUFFIXES and path.is_file() and digest[0] % parts == 0:
            yield str(path)


def read_commands(capsys, path):
    """The commands in all forms that show remedies, each once, as lists of words."""
    found = {}
    for form in (["--all"], ["-v"], ["--output-format", "markdown"]):
        main(["check", "--isolated", "--sniff", "--allow-empty", path, *form])
        lines = capsys.readouterr().out.replace("\\\n", " ").splitlines()
        for line in lines:
            at = line.find("inertial-check fix ")
            if at >= 0:
                command = line[at:].split("&nbsp")[0].partition(" and ")[0].rstrip("`")
                found[tuple(shlex.split(command)[1:])] = None
    return found


def count_after(path, command):
    """The number of findings on the model once the command's changes are written."""
    words = iter(command[1:-1])
    options = {"unsafe": False, "all_remedies": False, "bodies": [], "select": []}
    for word in words:
        if word == "--isolated":
            continue
        if word in ("--unsafe", "--all-remedies"):
            options[word[2:].replace("-", "_")] = True
        elif word == "--body":
            options["bodies"].append(next(words))
        else:
            assert word == "--select"
            options["select"] += next(words).split(",")
    fix = ic.fix_model(path, **options)
    context = Context(overlay={os.path.abspath(each.path): data for each, data in fix.others})
    again = load(fix.data, format=fix.format, path=path, context=context)
    return len(ic.check_model(again, Settings(context=context)).findings)


@pytest.mark.parametrize(
    ("name", "parts"), [("INERTIAL_CHECK_CORPUS", 32), ("INERTIAL_CHECK_MESHES", 4)]
)
def test_no_check_tells_an_internal_error(request, capsys, name, parts):
    """Parts of a check that fail after the verdicts are notes on standard error."""
    root = os.environ.get(name) or pytest.skip(f"needs {name}")
    models = list(find_models(root, 1 if request.config.getoption("--long") else parts))
    options = ["--isolated", "--sniff", "--no-cache", "--fail-on=never", "--output-format=json"]
    assert main(["check", *options, *models]) == 0
    told = capsys.readouterr()
    assert "internal error" not in told.out + told.err


@pytest.mark.parametrize(
    ("name", "parts"), [("INERTIAL_CHECK_CORPUS", 96), ("INERTIAL_CHECK_MESHES", 16)]
)
def test_each_changes_something_and_leaves_fewer_findings(name, parts, request, capsys):
    folder = os.environ.get(name)
    if folder is None:
        pytest.skip(f"{name} names no folder of real models")
    run, wrong = 0, []
    for path in find_models(folder, 1 if request.config.getoption("--long") else parts):
        for command in read_commands(capsys, path):
            run += 1
            main([*command])
            shown = capsys.readouterr()
            before = len(ic.check_model(path).findings)
            if not shown.out or count_after(path, command) >= before:
                wrong.append((*command, shown.err[-300:]))
    assert not wrong
    assert run
