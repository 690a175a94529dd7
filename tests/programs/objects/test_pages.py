"""Sessions of docs/integrations.md with libraries that the other pages' tests do not need."""

import doctest
import re

import pytest

BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("library", ["pinocchio", "pydrake"])
def test_sessions_print_what_the_page_shows(library, project_root, monkeypatch):
    pytest.importorskip(library, reason="install pin and drake")
    monkeypatch.chdir(project_root)
    page = project_root / "docs" / "integrations.md"
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    (session,) = (block for block in blocks if library in block)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    problems = []
    doctest.DocTestRunner(verbose=False).run(test, out=problems.append)
    assert not problems, "".join(problems)
