"""What imports what: nothing upwards, and nothing heavy before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, ROOT

HEAVY = ("duckdb", "polars", "pyarrow", "numba", "rich", "numpy", "scipy", "matplotlib", "sklearn")

# A module imports from its own floor or from one below.
FLOORS = [
    {"errors", "evalb_layout", "interrupts", "documents"},
    {"unfinished"},
    {"limits"},
    {"resources", "kernels", "failures", "signature_text"},
    {"header"},
    {"tables", "shorthands"},
    {"catalog", "expressions", "functions", "readers", "writers"},
    {"results", "significance", "curves"},
    {"drawing", "compared"},
    {"linking", "packing", "item_conditions"},
    {"storage", "loading"},
    {"scratch", "signatures"},
    {"scoring", "exporting", "classes", "evalb", "portraits", "sentences", "bitexts", "patterns"},
    {"row_checks", "derived_columns", "derived_rows"},
    {"correspondence"},
    {"blocks", "choosing", "comparison", "changes", "one_system"},
    {"database", "tasks", "treebanks"},
    {"opening"},
    {"evaluation", "translation"},
    {"correlation", "reports", "pairing", "parallel", "pruning", "symmetrising", "aligned_trees", "arbiter"},
    {"typology", "densities", "arbitration"},
    {"cli"},
    {"__main__"},
]


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


def room(path: Path) -> str:
    return path.relative_to(ROOT / "treesql").parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", sorted((ROOT / "treesql").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_imports_upwards(path: Path) -> None:
    floor = {name: at for at, names in enumerate(FLOORS) for name in names}
    own = room(path)
    if own == "__init__":
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        modules = []
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "treesql":
            rest = node.module.split(".")[1:]
            modules = [rest[0]] if rest else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            modules = [name[1] for name in names if name[0] == "treesql" and len(name) > 1]
        for module in modules:
            if module in floor:
                assert floor[module] <= floor[own], f"{own} imports {module}"


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
