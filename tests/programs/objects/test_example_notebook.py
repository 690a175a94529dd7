"""The notebook of examples/notebooks: committed without outputs, and every cell runs."""

import json

import pytest

NOTEBOOK = "examples/notebooks/check_project_plot.ipynb"


@pytest.fixture
def notebook(project_root):
    return project_root / NOTEBOOK


def test_the_notebook_is_committed_without_outputs(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(codes) > 5
    assert [cell["id"] for cell in codes if cell["outputs"] or cell["execution_count"]] == []


@pytest.mark.filterwarnings("ignore:Proactor event loop:RuntimeWarning")  # of pyzmq on Windows
def test_every_cell_runs_in_a_kernel_and_shows_what_its_text_promises(notebook):
    """An error in a cell is an exception here; the kernel starts in the folder of the notebook."""
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel")
    pytest.importorskip("ipykernel", reason="pip install ipykernel")
    pytest.importorskip("matplotlib", reason="pip install 'inertial-check[report]'")
    nbformat = pytest.importorskip("nbformat")
    read = nbformat.read(notebook, as_version=4)
    resources = {"metadata": {"path": str(notebook.parent)}}
    nbclient.NotebookClient(read, timeout=120, resources=resources).execute()
    outputs = {cell.id: cell.outputs for cell in read.cells if cell.cell_type == "code"}
    assert outputs["margins"][0].text == "forearm, wrist_2, finger_left\n"
    assert "image/png" in outputs["overview"][-1].data
    assert "image/png" in outputs["nearest"][-1].data
    assert "forearm" in outputs["fix"][-1].data["text/html"]
    assert '+      <inertia ixx="0.00801" ixy="0" ixz="0" iyy="0.00801"' in outputs["diff"][0].text
