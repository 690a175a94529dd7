"""Write docs/api/*.md, from which Sphinx makes the API reference; with --check, compare them.

What stands on these pages is public: it changes only with a line in CHANGELOG.md.
"""

import sys
from pathlib import Path
from types import ModuleType

import inertial_check as ic

FOLDER = Path(__file__).parent / "api"

PUBLIC = {
    "inertia": (
        "The ten inertial parameters of a rigid body: conditions, frames, densities, sampling.",
        "representations frames consistency eigen printed intervals equivalents tolerances "
        "densities primitives resemblance meshes sampling randomisation integrals ordering",
    ),
    "spatial": (
        "Rigid-body algebra: spatial vectors, compact inertias, rotations, kinematics, added mass.",
        "vectors compact factor added_mass rotations rotation_calculus kinematics",
    ),
    "dynamics": (
        "Trees of bodies: equations of motion, regressor, Jacobians, composites, forces, impacts.",
        "tree coordinates kinematics equations forward composites forces newton_euler impacts",
    ),
    "projection": (
        "The nearest consistent parameters: constraints, priors, metrics, your own conic problem.",
        "constraints priors metrics conic",
    ),
    "identification": (
        "Consistent bodies from measurements: samples, base parameters, payloads, motions.",
        "estimation.base estimation.from_base estimation.nuisance estimation.sampled "
        "payload.samples excitation.design recordings.signals recordings.diagnosis "
        "recordings.thresholds",
    ),
    "model": (
        "What a robot model says, as plain data, and its tree of bodies as arrays.",
        "body joint shape finding source tree",
    ),
    "geometry": ("The shapes of a model as evidence, and priors from them.", "evidence priors"),
    "integrations": (
        "Models that other libraries hold in memory.",
        "mujoco drake pinocchio",
    ),
}
"""Public packages: the purpose of each, and its public modules."""

MEMBERS = {
    "projection.conic": "consistent constrain entropic pseudo_inertia squared_distance",
}
"""Public names of modules whose other names are for this package; elsewhere `__all__` has them."""


def make_pages() -> dict[str, str]:
    """Every file of docs/api and its text."""
    public = {name: getattr(ic, name) for name in sorted(ic.__all__)}
    # Modules come last: what follows the directive of a module is looked up in that module.
    ordered = sorted(public, key=lambda name: isinstance(public[name], ModuleType))
    every = "\n\n".join(_directive(public[name], name) for name in ordered)
    top = _page(
        "inertial_check",
        "The names of `import inertial_check as ic`, which the examples assume, with "
        "`import numpy as np`. [Python](../python.md) shows them at work.",
        _reference(f".. currentmodule:: inertial_check\n\n{every}"),
    )
    packages = {
        f"{name}.md": _page(f"inertial_check.{name}", purpose, _modules(name, modules.split()))
        for name, (purpose, modules) in PUBLIC.items()
    }
    return {"index.md": _index(), "inertial_check.md": top} | packages


def _page(title: str, purpose: str, content: str) -> str:
    return f"# {title}\n\n{purpose}\n\n{content}\n"


def _reference(directives: str) -> str:
    return f"```{{eval-rst}}\n{directives}\n```"


def _modules(package: str, modules: list[str]) -> str:
    return "\n\n".join(
        f"## {package}.{module}\n\n"
        + _reference(
            f".. automodule:: inertial_check.{package}.{module}\n   :members:"
            + "".join(f" {name}," for name in MEMBERS.get(f"{package}.{module}", "").split())[:-1]
        )
        for module in modules
    )


def _directive(value: object, name: str) -> str:
    if isinstance(value, ModuleType):
        return f".. automodule:: {value.__name__}\n   :members:"
    if not isinstance(value, type):
        return f".. autofunction:: {name}"
    kind = "exception" if issubclass(value, BaseException) else "class"
    return f".. auto{kind}:: {name}\n   :members:"


def _index() -> str:
    rows = [f"| [{name}]({name}.md) | {purpose} |" for name, (purpose, _) in PUBLIC.items()]
    listing = "\n".join(["inertial_check", *PUBLIC])
    return "\n".join(
        [
            "# API reference",
            "",
            "What these pages list is public: it changes only with a line in the change log. Every",
            "other name may change without notice.",
            "",
            "| package | for |",
            "|---|---|",
            "| [inertial_check](inertial_check.md) | The names that most programs need. |",
            *rows,
            "",
            f"```{{toctree}}\n:hidden:\n\n{listing}\n```",
            "",
        ]
    )


if __name__ == "__main__":
    from _write_pages import main

    sys.exit(main(FOLDER, make_pages()))
