"""What imports what: nothing upwards, and nothing heavy before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.conftest import FIXTURES, ROOT

HEAVY = ("duckdb", "polars", "pyarrow", "numba", "rich", "numpy", "scipy", "matplotlib", "sklearn")


def loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    return set(out.split("\n")[-2].split())


def main(*arguments: str) -> str:
    call = f"main({list(arguments)!r})"
    return f"from treesql.cli import main\ntry:\n    {call}\nexcept SystemExit as end:\n    assert not end.code"


@pytest.mark.parametrize(
    "code",
    [
        "import treesql",
        "import treesql.cli",
        main("--help"),
        main("score", "dependency", "--help"),
        main("compare", "--help"),
        main("compare", "dependency", "--help"),
        main("load", "--help"),
        main("stats", "--help"),
        main("wde", "--help"),
        main("correlate", "--help"),
        main("typology", "--help"),
        main("find", "--help"),
        main("show", "--help"),
        main("score", "paths", "--help"),
        main("score", "trees", "--help"),
        main("score", "lattice", "--help"),
        main("score", "translation", "--help"),
        main("lattice", "oracle", "--help"),
        main("lattice", "prune", "--help"),
        main("lattice", "show", "--help"),
        main("lattice", "curve", "--help"),
        main("lattice", "examples", "--help"),
        main("lattice", "fit", "--help"),
        main("lattice", "apply", "--help"),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    assert not loaded(code).intersection(HEAVY)


def test_scoring_imports_no_compiler_and_no_data_frames() -> None:
    gold, system = str(FIXTURES / "gold.conllu"), str(FIXTURES / "parser-a.conllu")
    found = loaded(main("score", "dependency", gold, system, "--by", "depth", "--format", "csv"))
    assert not found.intersection({"numba", "scipy", "polars", "pandas"})
    assert "duckdb" in found


def test_kernels_know_nothing_of_arrow_sql_or_files() -> None:
    for path in (ROOT / "treesql" / "kernels").glob("*.py"):
        imported = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
            if not name.startswith("treesql.kernels")
        }
        assert imported <= {"__future__", "collections", "typing", "numpy", "numba"}, path.name


def test_readers_know_nothing_of_duckdb() -> None:
    for path in (ROOT / "treesql" / "readers").glob("*.py"):
        assert "import duckdb" not in path.read_text("utf-8"), path.name
