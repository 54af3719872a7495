"""Run the notebooks of docs/notebooks and save them with their outputs: python docs/run_notebooks.py."""

from __future__ import annotations

import sys
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.manager import KernelManager


def run(path: Path) -> str:
    """A notebook run in its folder, with what its cells show; warnings and times are left out."""
    notebook = nbformat.read(path, as_version=4)
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    client = nbclient.NotebookClient(
        notebook, km=manager, timeout=300, record_timing=False, resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell["metadata"] = {}
        if cell.cell_type == "code":
            cell["outputs"] = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook["metadata"] = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return nbformat.writes(notebook) + "\n"


if __name__ == "__main__":
    for path in sorted((Path(__file__).parent / "notebooks").glob("*.ipynb")):
        path.write_text(run(path), "utf-8")
