import pytest


@pytest.fixture(scope="session")
def start(tmp_path_factory):
    """start(*arguments, folder=..., capabilities=...) -> a running Editor, ended with the tests."""
    pytest.importorskip("pygls", reason='install "inertial-check[lsp]"')
    from language_client import Editor

    running = []

    def start(*arguments, folder=None, capabilities=None):
        folder = folder or tmp_path_factory.mktemp("workspace")
        editor = Editor(folder, *arguments, capabilities=capabilities)
        running.append(editor)
        return editor

    yield start
    for editor in running:
        editor.kill()


@pytest.fixture(scope="session")
def editor(start):
    """An editor that counts in UTF-16, as most do, and is shared by tests that do not end it."""
    return start(capabilities={"workspace": {"workspaceEdit": {"documentChanges": True}}})
