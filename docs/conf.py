"""Sphinx configuration; every page except for the API reference also reads as plain Markdown."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx

project = "inertial_check"
author = "inertial_check contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
html_theme = "furo"
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say shapes and units; resolving every hint takes minutes
autodoc_class_signature = "mixed"
autodoc_mock_imports = ["mujoco", "pinocchio", "pydrake"]
napoleon_use_ivar = True
suppress_warnings = [
    "myst.xref_missing",  # README.md lies outside; tests/docs checks every link in the project
    "ref.python",  # attributes of several classes share a name: theta, mass
]
napoleon_numpy_docstring = False


class Objects(SphinxDirective):
    """The reference of the objects of a module, by their names: `.. objects:: MODULE`."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {}

    def run(self) -> list[Node]:
        """The nodes of all objects, with the members of classes and modules."""
        (module,) = self.arguments
        lines = [f".. currentmodule:: {module}", ""]
        for name in " ".join(self.content).split():
            lines += [*name_directive(getattr(import_module(module), name), name), ""]
        return self.parse_text_to_nodes("\n".join(lines))


def name_directive(value: object, name: str) -> list[str]:
    """The directive of autodoc for an object, line by line."""
    if isinstance(value, ModuleType):
        return [f".. automodule:: {value.__name__}", "   :members:"]
    if not isinstance(value, type):
        return [f".. auto{'function' if callable(value) else 'data'}:: {name}"]
    kind = "exception" if issubclass(value, BaseException) else "class"
    return [f".. auto{kind}:: {name}", "   :members:"]


def setup(app: Sphinx) -> None:
    """Keep the docstrings of attributes whole, and refuse entries that a colon has garbled.

    Napoleon takes "Rank b: how many there are" for a type and its description.
    """
    from sphinx.ext.napoleon.docstring import GoogleDocstring

    GoogleDocstring._parse_attribute_docstring = GoogleDocstring._consume_to_end
    app.add_directive("objects", Objects)
    app.connect("autodoc-process-docstring", _escape, priority=600)  # behind Napoleon


def _escape(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Write |v| for a length, which reStructuredText would take for a reference."""
    if any(line.lstrip().startswith(":type:") for line in lines):
        from sphinx.util import logging

        logging.getLogger(__name__).warning("garbled entry %s: %s", name, lines[0])
    lines[:] = [line.replace("|", "\\|") for line in lines]
