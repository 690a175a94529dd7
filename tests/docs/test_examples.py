"""Every public array function has an example in its docstring, and prints what it shows."""

import doctest
import importlib
import importlib.util
import inspect
import shutil
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import inertial_check as ic

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("inertia", "mechanics", "projection", "identification", "documents", "checking.shapes")
"""Public packages whose functions take and return arrays or models; the others need engines."""


def read_reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("_api", ROOT / "docs" / "generate_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE = read_reference()
MODULES = [
    f"{package}.{module}" for package in PACKAGES for module in REFERENCE.PUBLIC[package][1].split()
]


def list_functions(name: str) -> dict[str, FunctionType]:
    """The public functions of a module that no other public module defines."""
    module = importlib.import_module(f"inertial_check.{name}")
    public = REFERENCE.MEMBERS.get(name, "").split() or getattr(module, "__all__", None)
    if public is None:
        public = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
    others = {f"inertial_check.{each}" for each in MODULES} - {module.__name__}
    values = {key: getattr(module, key) for key in public}
    return {
        key: value
        for key, value in values.items()
        if inspect.isfunction(value) and value.__module__ not in others
    }


def run_examples(text: str, names: dict[str, object], where: str) -> list[str]:
    """Run the examples of a docstring, which add to the names; the report of each that fails."""
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(text), names, where, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append, clear_globs=False)
    names |= test.globs
    return failures


@pytest.fixture
def beside_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("beside_data")
@pytest.mark.parametrize("name", [each for each in MODULES if list_functions(each)])
def test_every_function_of_a_module_has_an_example_that_runs(name: str) -> None:
    module = importlib.import_module(f"inertial_check.{name}")
    session: dict[str, object] = {"np": np, "ic": ic}
    problems = run_examples(module.__doc__ or "", session, name)
    for key, function in list_functions(name).items():
        text = function.__doc__ or ""
        assert ">>>" in text, f"{name}.{key} has no example"
        problems += run_examples(text, dict(session), f"{name}.{key}")
    assert not problems, "".join(problems)


@pytest.mark.usefixtures("beside_data")
def test_every_function_of_the_package_has_an_example_that_runs() -> None:
    problems: list[str] = []
    for key in ic.__all__:
        value = getattr(ic, key)
        if inspect.isfunction(value):
            assert ">>>" in (value.__doc__ or ""), f"ic.{key} has no example"
            problems += run_examples(value.__doc__ or "", {"np": np, "ic": ic}, f"ic.{key}")
    assert not problems, "".join(problems)


def test_the_modules_have_more_than_two_hundred_public_functions() -> None:
    """An `__all__` that lost its names would leave nothing to test."""
    assert sum(len(list_functions(name)) for name in MODULES) > 200


def test_examples_say_what_they_print() -> None:
    """An ellipsis would let any result pass."""
    for name in MODULES:
        for key, function in list_functions(name).items():
            examples = doctest.DocTestParser().get_examples(function.__doc__ or "")
            assert any(each.want for each in examples), f"{name}.{key} shows no result"
            assert not any("..." in each.want for each in examples), f"{name}.{key}"
