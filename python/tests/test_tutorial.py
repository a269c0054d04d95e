"""The tutorial runs from its first cell to its last, and shows what it then shows.

Without Jupyter there is nothing to run it. EVENHAND_WRITE_GOLDEN=1 keeps what it shows now.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import evenhand

# Seconds, the last digits of numbers, and the digest of a function, which each Python compiles
# anew.
DIFFERS = [
    (r"\d+\.\d+ s\b", "0 s"),
    (r"(\.\d{4})\d+", r"\1"),
    (r"(python:\w+:)[0-9a-f]+", r"\1"),
]
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"


def run_tutorial(directory: Path) -> Any:
    """Run the cells in a kernel of this interpreter, and return the notebook with its outputs."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(TUTORIAL, as_version=4)
    resources = {"metadata": {"path": str(directory)}}
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources=resources, record_timing=False
    )
    client.execute()
    return notebook


def shown(outputs: list[Any]) -> dict[str, str]:
    """Return what a cell shows by its kind, without what differs from run to run.

    What is printed may come in several pieces.
    """
    texts: dict[str, str] = {}
    for output in outputs:
        data = output["data"] if "data" in output else {output["name"]: output["text"]}
        for kind, text in data.items():
            texts[kind] = texts.get(kind, "") + "".join(text)
    for pattern, kept in DIFFERS:
        texts = {kind: re.sub(pattern, kept, text) for kind, text in texts.items()}
    return texts


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(evenhand.__file__).parents[1]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = run_tutorial(tmp_path)
    if os.environ.get("EVENHAND_WRITE_GOLDEN"):
        nbformat = pytest.importorskip("nbformat")
        # The kernel adds its own version.
        notebook.metadata = nbformat.read(TUTORIAL, as_version=4).metadata
        nbformat.write(notebook, TUTORIAL)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    kept = json.loads(TUTORIAL.read_text(encoding="utf-8"))["cells"]
    kept = [cell for cell in kept if cell["cell_type"] == "code"]
    for cell, before in zip(cells, kept, strict=True):
        assert shown(cell.outputs) == shown(before["outputs"]), (
            f"docs/tutorial.ipynb shows something else below: {cell.source[:80]}"
        )
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert "error" not in kinds and "execute_result" in kinds


def test_the_tutorial_is_kept_with_its_outputs() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    shown = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    assert sum(bool(outputs) for outputs in shown) >= len(shown) - 1
    assert not re.search(r"/(tmp|home|root|Users)/", text)
