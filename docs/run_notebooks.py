"""Run the notebooks of docs/notebooks and save them with their outputs: python docs/run_notebooks.py.

All of them run in one kernel, which is emptied between them: a kernel for each would take longer than what they do.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.manager import KernelManager

NEEDS_JAVA = {"billion_words"}


def run_cells(cells: list[nbformat.NotebookNode], folder: Path) -> None:
    """Run cells in one kernel that starts in a folder; their outputs stand in them afterwards."""
    manager = KernelManager(kernel_name="python3")
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    client = nbclient.NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        km=manager,
        timeout=300,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()


def run(folder: Path, before: list[nbformat.NotebookNode] | None = None) -> dict[str, str]:
    """Each notebook of a folder as it is after a run, by its name; warnings and times are left out.

    before: further cells, which run first in the same kernel. Without Java, notebooks that need it are left out.
    """
    notebooks = {path.stem: nbformat.read(path, as_version=4) for path in sorted(folder.glob("*.ipynb"))}
    notebooks = {
        name: notebook for name, notebook in notebooks.items() if name not in NEEDS_JAVA or shutil.which("java")
    }
    cells = list(before or [])
    for notebook in notebooks.values():
        cells += [nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {folder.resolve()}"), *notebook.cells]
    for number, cell in enumerate(cells):
        cell["id"] = f"run-{number}"
    run_cells(cells, folder)
    return {name: nbformat.writes(_tidy(notebook)) + "\n" for name, notebook in notebooks.items()}


def _tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A notebook whose cells count from 1, without warnings and times."""
    count = 0
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell["metadata"] = {}
        if cell.cell_type == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                if "execution_count" in output:
                    output["execution_count"] = count
    notebook["metadata"] = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


if __name__ == "__main__":
    here = Path(__file__).parent / "notebooks"
    for name, text in run(here).items():
        (here / f"{name}.ipynb").write_text(text, "utf-8")
