"""The example notebook runs, and shows a path, a grid, a scene and a flight."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebooks" / "first_steps.ipynb"
SHOWN = {
    "grid": "blocked",
    "path": "algorithm",
    "scene": "bodies",
    "flight": "travelled",
}  # the last line of a cell, and a word of what it shows


@pytest.fixture(scope="module")
def outputs():
    """The outputs of each cell of the executed notebook, by the last line of the cell."""
    nbformat = pytest.importorskip("nbformat", reason="needs the extra test")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="needs the extra test")
    pytest.importorskip("ipykernel", reason="needs the extra test")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    run = preprocessors.ExecutePreprocessor(timeout=900, kernel_name="python3")
    run.preprocess(notebook, {"metadata": {"path": NOTEBOOK.parent}})
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return {cell.source.splitlines()[-1]: cell.outputs for cell in code}


@pytest.mark.parametrize("name", SHOWN)
def test_values_show_a_picture_and_numbers(outputs, name):
    (shown,) = [each for each in outputs[name] if each.output_type == "execute_result"]
    assert SHOWN[name] in shown.data["text/html"]
    assert "image/png" in shown.data or "data:image/png;base64," in shown.data["text/html"]
    assert len(shown.data.get("image/png", shown.data["text/html"])) > 10_000


def test_draw_shows_a_picture(outputs):
    (shown,) = [found for line, found in outputs.items() if line.startswith("nt.draw")]
    assert any("image/png" in each.data for each in shown if each.output_type == "execute_result")
