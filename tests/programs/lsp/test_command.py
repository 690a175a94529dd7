"""`inertial-check lsp` before it serves anybody."""

import sys

import pytest

from inertial_check.programs.cli.main import main


@pytest.mark.parametrize("library", ["pygls", "lsprotocol"])
def test_without_its_libraries_it_says_what_to_install(library, monkeypatch, capsys):
    for name in [*sys.modules]:
        if name.startswith("inertial_check.lsp") or name.partition(".")[0] == library:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    assert main(["lsp"]) == 2
    captured = capsys.readouterr()
    assert 'pip install "inertial-check[lsp]"' in captured.err
    assert captured.out == ""


def test_a_configuration_that_is_named_has_to_be_one(capsys, tmp_path):
    (tmp_path / "wrong.toml").write_text("ignor = 3\n")
    assert main(["lsp", "--config", str(tmp_path / "wrong.toml")]) == 2
    assert "did you mean 'ignore'" in capsys.readouterr().err
