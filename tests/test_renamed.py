"""Names that the documentation of earlier releases showed still work, and say what to write now."""

import subprocess
import sys
from importlib import import_module

import pytest

from inertial_check import _renamed


@pytest.mark.parametrize(("old", "new"), _renamed._MODULES.items())
def test_a_renamed_module_is_imported_with_a_warning_that_names_its_home(
    old: str, new: str
) -> None:
    home = import_module(f"inertial_check.{new}")
    sys.modules.pop(f"inertial_check.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"is called inertial_check.{new} now"):
        module = import_module(f"inertial_check.{old}")
    public = [name for name in vars(home) if not name.startswith("_")]
    assert public
    assert all(getattr(module, name) is getattr(home, name) for name in public)


def test_every_form_of_the_import_statement_works_and_is_blamed_on_its_line() -> None:
    script = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    from inertial_check.inertia import rotations\n"
        "    from inertial_check.pipeline.tree import tree_of\n"
        "    import inertial_check.inertia.spatial\n"
        "print([(w.filename, w.lineno) for w in caught])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[('<string>', 4), ('<string>', 5), ('<string>', 6)]"


def test_a_name_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("inertial_check.inertia.nonsense")
    with pytest.raises(ModuleNotFoundError):
        import_module("inertial_check.pipeline.nonsense")
