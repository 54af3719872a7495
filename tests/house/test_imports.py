"""What imports what: rooms in their order, no circle, and nothing heavy before it is needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, ROOT
from tests.house.rules import assert_none, imported_modules, statements

HEAVY = (
    "starlette",
    "uvicorn",
    "jinja2",
    "asyncio",
    "duckdb",
    "polars",
    "pyarrow",
    "numba",
    "rich",
    "numpy",
    "scipy",
    "matplotlib",
    "sklearn",
    "pyspark",
    "sqlglot",
)

ROOMS = (
    ("benchmarks",),
    ("__main__",),
    ("cli",),
    ("web",),
    ("__init__",),
    ("database",),
    ("reports",),
    ("lattices", "treebanks"),
    ("evaluation",),
    ("significance",),
    ("search",),
    ("sentences",),
    ("scoring",),
    ("storage",),
    ("writers",),
    ("engines",),
    ("readers",),
    ("functions",),
    ("drawing",),
    ("catalog",),
    ("results",),
    ("kernels",),
    ("runtime",),
    ("errors",),
    ("_version",),
)
"""Rooms, the highest first: modules at the root of the package, and folders there with all that is in them. A room
imports from lower ones only; those of one line do not import each other."""

ROOT_MODULES = {"__init__", "__main__", "_version", "database", "errors"}


@cache
def modules() -> dict[str, Path]:
    """Every module of the package and of benchmarks by its dotted name; a package has the name of its folder."""
    found = {}
    for path in sorted([*(ROOT / "treesql").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of the package that a module imports, wherever in its text."""
    return frozenset(_imported(modules()[module].read_text("utf-8")))


def _imported(text: str) -> Iterator[str]:
    for node in statements(text):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name the package"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                target = whole if whole in modules() else node.module
                if target in modules():
                    yield str(target)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules())


def room(module: str) -> str:
    first, *rest = [*module.split("."), "__init__"]
    return first if first == "benchmarks" else rest[0]


def test_every_module_is_in_a_room() -> None:
    known = {name for names in ROOMS for name in names}
    assert {room(module) for module in modules()} <= known
    assert {path.stem for path in (ROOT / "treesql").glob("*.py")} == ROOT_MODULES


def test_imports_lead_to_lower_rooms() -> None:
    height = {name: len(ROOMS) - at for at, names in enumerate(ROOMS) for name in names}
    higher = [
        f"{module} imports {other}"
        for module in modules()
        for other in sorted(imports(module))
        if room(other) != room(module) and height[room(other)] >= height[room(module)]
    ]
    assert_none(higher)


def test_floors() -> None:
    """A room stands above all that it imports: so many lie between a call and the ground."""
    graph = {
        room(module): {room(other) for one in modules() if room(one) == room(module) for other in imports(one)}
        for module in modules()
    }

    @cache
    def floor(name: str) -> int:
        return 1 + max((floor(other) for other in graph[name] - {name}), default=0)

    assert max(floor(name) for name in graph if name not in ("benchmarks", "__main__")) <= 16


def circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Nodes of a graph that lead to each other in a circle, if there are any."""
    done: set[str] = set()

    def search(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(set(graph[node]) - {node}):
            if found := search(other, [*path, node]):
                return found
        done.add(node)
        return []

    return next((found for node in graph if (found := search(node, []))), [])


def test_circles_are_found() -> None:
    assert circle({"a": "b", "b": "c", "c": "a", "d": "a"}) == ["a", "b", "c", "a"]
    assert not circle({"a": "bc", "b": "c", "c": ""})


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert not circle({module: imports(module) for module in modules()})


def test_rooms_are_few_and_import_each_other_in_no_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for module in modules():
        rooms.setdefault(room(module), set()).update(room(other) for other in imports(module))
    assert len(rooms) <= 27
    assert not circle(rooms)


def loaded(code: str, *, whole: bool = False) -> set[str]:
    """The modules that code imports: packages at the root, or whole names."""
    script = f"import sys\n{code}\nprint(*{{name{'' if whole else '.split(chr(46))[0]'} for name in sys.modules}})"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    return set(out.split("\n")[-2].split())


def main(*arguments: str) -> str:
    given = f"sys.argv = {['treesql', *arguments]!r}"
    return (
        f"{given}\nfrom treesql.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code"
    )


LIGHT = [
    "import treesql",
    "import treesql; treesql.formats(); treesql.queries(); treesql.queries('attachment')[0].markdown",
    "import treesql; treesql.process.check_size('1GB'); treesql.when_compiling; treesql.max_sentence(64)",
    "import treesql.lattices, treesql.drawing; dir(treesql), dir(treesql.lattices)",
    "import treesql.cli",
    main("--help"),
    *(main(command, "--help") for command in (
        "score", "compare", "report", "load", "stats", "wde", "correlate", "typology", "find", "show", "serve",
    )),
    *(main("score", kind, "--help") for kind in ("dependency", "paths", "trees", "lattice", "translation")),
    *(main(command, "dependency", "--help") for command in ("compare", "report")),
    *(main("lattice", command, "--help")
      for command in ("oracle", "prune", "show", "curve", "examples", "fit", "apply")),
]  # fmt: skip
"""Code that has an answer at once."""


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    """In one process; after a failure, each code in its own."""
    found = loaded("\n".join(LIGHT)).intersection(HEAVY)
    assert not found, {code: found.intersection(loaded(code)) for code in LIGHT}


FIRST_ANSWERS = {
    "dependency": ("gold.conllu", "parser-a.conllu"),
    "alignment": ("links.pharaoh", "links-a.pharaoh"),
    "translation": ("hypotheses.txt", "--reference", "lattices.txt"),
}
"""Inputs of commands that score without a kernel, by their kind."""

NOT_FOR_FIRST_ANSWERS = {
    *("numba", "scipy", "polars", "pandas", "rich", "sqlglot", "pyspark", "numpy.ma", "pyarrow.compute", "jinja2"),
    "matplotlib",
    *("click.shell_completion", "difflib", "pydoc", "fractions", "treesql.database", "treesql.reports.evaluation"),
    *("treesql.evaluation.treebanks", "treesql.search", "treesql.drawing.arcs", "treesql.engines.spark.engine"),
}
"""Modules that a score of single files needs none of. Arrow would import pandas, which the tests need for Spark."""


def test_scores_import_only_what_they_use() -> None:
    """In one process; after a failure, each kind in its own."""
    codes = {
        kind: main("score", kind, *(str(FIXTURES / one) if "." in one else one for one in inputs))
        for kind, inputs in FIRST_ANSWERS.items()
    }
    found = loaded("\n".join(codes.values()), whole=True)
    unused = found & NOT_FOR_FIRST_ANSWERS
    assert not unused, {kind: unused & loaded(code, whole=True) for kind, code in codes.items()}
    assert {"duckdb", "pyarrow"} <= found


def test_scores_by_attributes_as_csv_import_no_compiler_and_no_data_frames() -> None:
    gold, system = str(FIXTURES / "gold.conllu"), str(FIXTURES / "parser-a.conllu")
    found = loaded(main("score", "dependency", gold, system, "--by", "depth", "--format", "csv"))
    assert not found.intersection({"numba", "scipy", "polars", "pandas"})
    assert "duckdb" in found


NOT_FOR_SQL = {
    *("numba", "scipy", "pandas", "sqlglot", "pyspark", "numpy.ma", "pyarrow.compute", "treesql.scoring.items"),
    *("jinja2", "matplotlib"),
    *("treesql.search.planning", "treesql.reports.evaluation", "treesql.drawing.arcs", "treesql.evaluation.task"),
    *("treesql.writers.conllu", "treesql.treebanks.descriptions", "treesql.significance.intervals"),
}
"""Modules that a statement on a database needs none of."""


def test_sql_imports_neither_search_nor_reports_nor_scores() -> None:
    code = "import treesql\nwith treesql.connect() as db: assert db.sql('SELECT 1 AS one').rows() == [{'one': 1}]"
    found = loaded(f"from treesql.runtime import process; process.leave_pandas_out()\n{code}", whole=True)
    assert sorted(found & NOT_FOR_SQL) == []
    assert "treesql.storage.sql_streams" in found


def test_kernels_know_nothing_of_arrow_sql_or_files() -> None:
    for path in (ROOT / "treesql" / "kernels").rglob("*.py"):
        imported = {
            name.split(".")[0]
            for node in statements(path.read_text("utf-8"))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
            if not name.startswith("treesql.kernels")
        }
        allowed = {"__future__", "collections", "math", "numpy", "typing"}
        assert imported <= allowed | WHAT_COMPILES.get(path.name, set()), path.name


WHAT_COMPILES = {
    "__init__.py": {"threading", "time"},
    "compiling.py": {"functools", "os", "threading", "time", "treesql"},
    "compiler.py": {
        "contextlib", "functools", "gc", "hashlib", "io", "llvmlite", "numba", "os", "pathlib", "pickle", "sys",
        "threading", "time", "treesql", "types",
    },
    "kernel_cache.py": {
        "contextlib", "fcntl", "functools", "hashlib", "json", "os", "pathlib", "platformdirs", "stat", "tempfile",
        "zlib",
    },
}  # fmt: skip
"""What the modules import that interpret and compile kernels, and keep what is compiled."""


def imports_duckdb(text: str) -> bool:
    """Whether a module imports DuckDB anywhere: in a function, or only for annotations."""
    return "duckdb" in text and "duckdb" in {name.split(".")[0] for name in imported_modules(text)}


@pytest.mark.parametrize(
    "text",
    [
        "import duckdb",
        "from duckdb import Error",
        "import os, duckdb.typing",
        "def f():\n    import duckdb as d",
        "if TYPE_CHECKING:\n    import duckdb",
    ],
)
def test_imports_of_duckdb_are_found(text: str) -> None:
    assert imports_duckdb(text)
    assert not imports_duckdb(text.replace("duckdb", "treesql.engines.duckdb"))


def test_rooms_but_three_know_nothing_of_duckdb() -> None:
    """The others run SQL on an engine, and results have values cast by one."""
    importing = {room(name) for name, path in modules().items() if imports_duckdb(path.read_text("utf-8"))}
    assert importing == {"benchmarks", "engines", "significance", "storage"}


def test_significance_has_duckdb_for_itself_alone() -> None:
    """It evaluates scores on a connection of its own; what it reads from a database, it reads from an engine."""
    for path in (ROOT / "treesql" / "significance").glob("*.py"):
        for node in statements(path.read_text("utf-8")):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                assert "duckdb" not in ast.unparse(node.args) + ast.unparse(node.returns or ast.Constant("")), node.name
