"""Validation and projection of the inertial parameters of rigid bodies.

Notation, units and tolerances: the theory page of the documentation. The public names are listed in
`__init__.pyi`; each is loaded when it is first used, so that `import inertial_check` is fast.
"""

from __future__ import annotations

import os
import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    # `python -m inertial_check` searches the working directory first, which may be a stranger's
    # checkout with a numpy.py in it. So the directory is dropped before any other import, unless it
    # is the one from which this very package runs.
    _here = os.getcwd()
    if os.path.dirname(__path__[0]) != _here:
        sys.path[:] = [each for each in sys.path if each and os.path.abspath(each) != _here]

from functools import cache
from typing import TYPE_CHECKING

from inertial_check.documents import WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from inertial_check.fixing.result import Fix

__version__ = "0.1.0"

_PUBLIC_MODULES = frozenset(["plot"])
"""Public names that are modules: `ic.plot` is `inertial_check.reports.plots`."""


@cache
def _modules() -> dict[str, str]:
    """The module of each public name, read from the stub file."""
    import re

    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stream:
        stub = stream.read()
    found = re.findall(r"^from (\S+) import \(?\s*(\w+) as (\w+)", stub, re.MULTILINE)
    # A public name that is not that of its object is the name of a module, as `plot` is.
    return {name: module if own == name else f"{module}.{own}" for module, own, name in found}


def _find_writer() -> Callable[..., Fix]:
    """The function behind `Model.with_parameters`, whose room knows no writer."""
    from inertial_check.fixing.writing import write_parameters

    return write_parameters


WRITERS.append(_find_writer)


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name == "__all__":
        value: object = sorted(_modules())
    elif name.startswith("_") or name not in _modules():
        raise AttributeError(f"module 'inertial_check' has no attribute {name!r}")
    else:
        from importlib import import_module

        module = import_module(_modules()[name])
        value = module if name in _PUBLIC_MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), "__all__", *_modules()})
