"""The session of docs/integrations.md with Drake, which the other pages' tests do not need."""

import doctest
import re

import pytest

BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_session_prints_what_the_page_shows(project_root, monkeypatch):
    pytest.importorskip("pydrake", reason="install drake")
    monkeypatch.chdir(project_root)
    page = project_root / "docs" / "integrations.md"
    (session,) = BLOCK.findall(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    problems = []
    doctest.DocTestRunner(verbose=False).run(test, out=problems.append)
    assert not problems, "".join(problems)
