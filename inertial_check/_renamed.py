"""Module and function names of earlier releases that still work, with a DeprecationWarning.

Only names that the documentation of a release showed are kept.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # importlib.abc takes longer to import than all of this package's start

_MODULES = {
    "formats.recording": "formats.recordings",
    "identification.base": "identification.estimation.base",
    "identification.diagnosis": "identification.recordings.diagnosis",
    "identification.from_base": "identification.estimation.from_base",
    "identification.nuisance": "identification.estimation.nuisance",
    "identification.payload_samples": "identification.payload.samples",
    "identification.sampled": "identification.estimation.sampled",
    "identification.signals": "identification.recordings.signals",
    "inertia.added_mass": "spatial.added_mass",
    "inertia.compact": "spatial.compact",
    "inertia.factor": "spatial.factor",
    "inertia.kinematics": "spatial.kinematics",
    "inertia.rotation_calculus": "spatial.rotation_calculus",
    "inertia.rotations": "spatial.rotations",
    "inertia.spatial": "spatial.vectors",
    "pipeline.evidence": "geometry.evidence",
    "pipeline.priors": "geometry.priors",
    "pipeline.tree": "model.tree",
    "reports.plots": "plotting",
}
"""Home of each module now, by its name in the release 0.1.0; both below `inertial_check`."""

_PACKAGE = "inertial_check."
_OLD_PACKAGES = frozenset(["inertial_check.pipeline"])
"""Packages of earlier releases that hold nothing any more, except for renamed modules."""


class _Finder(Loader):
    """Import hook that gives a renamed module the content of its new home."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in _OLD_PACKAGES:
            return ModuleSpec(fullname, self, is_package=True)
        if fullname.removeprefix(_PACKAGE) in _MODULES and fullname.startswith(_PACKAGE):
            return ModuleSpec(fullname, self)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill the module under the old name from the one under the new name."""
        if module.__name__ in _OLD_PACKAGES:
            return
        home = _PACKAGE + _MODULES[module.__name__.removeprefix(_PACKAGE)]
        warnings.warn(
            f"{module.__name__} is called {home} now; the old name goes with release 1.0",
            DeprecationWarning,
            stacklevel=2,  # frames of importlib are not counted, so this is the import statement
        )
        replacement = import_module(home)
        module.__doc__ = replacement.__doc__
        module.__dict__["__getattr__"] = lambda name: getattr(replacement, name)


def install() -> None:
    """Let `import` find the renamed modules; done once, when the package is imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Make the `__getattr__` of a module whose documented functions have other names now.

    Args:
        module: The module's `__name__`.
        names: The new name of each function, by its old name.

    Returns:
        A function that gives the value of an old name, with a DeprecationWarning.
    """

    def __getattr__(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(
            f"{module}.{name} is called {names[name]} now; the old name goes with release 1.0",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(sys.modules[module], names[name])

    return __getattr__
