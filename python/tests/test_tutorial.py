"""The tutorial runs from its first cell to its last. Without Jupyter there is nothing to run it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import evenhand

TUTORIAL = ROOT / "docs" / "tutorial.ipynb"


def run_tutorial(directory: Path) -> Any:
    """Run the cells in a kernel of this interpreter, and return the notebook with its outputs."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    resources = {"metadata": {"path": str(directory)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    return notebook


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(evenhand.__file__).parents[1]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = run_tutorial(tmp_path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert "error" not in kinds and "execute_result" in kinds


def test_the_tutorial_is_kept_with_its_outputs() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    shown = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    assert sum(bool(outputs) for outputs in shown) >= len(shown) - 1
    assert not re.search(r"/(tmp|home|root|Users)/", text)
