"""The same command prints the same bytes: for any order of rows, number of threads, size of blocks and hash seed.

TREESQL_RUNS=10 pytest tests/house/test_repeatable.py makes ten runs of every command in place of two.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, ROOT, bare, thorough_but
from tests.house.every_command import chosen, lay_files
from tests.house.sample_values import CORPORA, sample_values
from treesql import catalog
from treesql.catalog import Query, schemas

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*no enhanced dependencies")]

RUNS = int(os.environ.get("TREESQL_RUNS", "2"))
IN_ANY_ORDER = ("lattice_references",)
"""Has edges in any order, as its header says: functions sort what they need."""
ASKED = [
    query
    for query in catalog.all_queries().values()
    if query.kind != "audit" and query.name not in IN_ANY_ORDER and query.family != "nbest"
]
OF_ALL_PAIRS = ("robinson_foulds_distances", "tree_distances")


def load(db: treesql.Database, folder: Path) -> None:
    """The corpora of the fixture `examples`, from files of the same names in a folder."""
    for corpus in ("gold", "parser-a", "parser-b", "reference", "hypothesis"):
        db.load(folder / f"{corpus}.conllu", corpus=corpus)
    for side in ("gold", "test"):
        db.load(folder / f"{side}.mrg", corpus=f"{side} parses")
    for corpus in ("links", "links-a"):
        db.load(folder / f"{corpus}.pharaoh", corpus=corpus, source_corpus="gold", target_corpus="gold")
    db.load(folder / "reference-hypothesis.align", corpus="reference-hypothesis")
    db.load(folder / "lattices.plf", corpus="lattices", phrases=True)
    db.load(folder / "lattices.txt", corpus="references")
    db.load(folder / "hypotheses.txt", corpus="hypotheses")
    db.load(FIXTURES / "gold.mrg", corpus="small parses")


def reorder(db: treesql.Database, seed: int) -> None:
    """Put the rows of every table in a random order."""
    connection = bare(db)
    connection.execute("BEGIN")
    for table in map(schemas.quote, schemas.all_tables()):
        connection.execute(f"CREATE TEMP TABLE reordered AS SELECT * FROM {table} ORDER BY hash(rowid + {seed})")
        connection.execute(f"DELETE FROM {table}; INSERT INTO {table} SELECT * FROM reordered; DROP TABLE reordered")
    connection.execute("COMMIT")


def answer(db: treesql.Database, query: Query) -> str:
    """The rows of a query, and what a metric scores: every bit of every number."""
    values = sample_values(query, system=None if query.family in CORPORA else "parser-a")
    if query.name in OF_ALL_PAIRS:
        values["tree_corpus"] = "small parses"
    rows = repr(db.query(query.name, **values).rows())
    return rows + repr(db.score(query.name, **values).rows()) if query.scores else rows  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[treesql.Database, treesql.Database]]:
    """The fixtures several times over: in file order, asked by one thread, and in any order, asked by four."""
    folder = tmp_path_factory.mktemp("several")
    one, other = folder / "one.duckdb", folder / "other.duckdb"
    with pytest.MonkeyPatch.context() as patch, treesql.connect(one) as made:
        patch.chdir(folder)
        lay_files()
        load(made, folder)
    shutil.copy(one, other)
    with treesql.connect(one) as in_order, treesql.connect(other) as in_any_order:
        bare(in_order).execute("SET threads = 1")
        reorder(in_any_order, 1)
        bare(in_any_order).execute("SET threads = 4")
        yield in_order, in_any_order


@pytest.mark.filterwarnings("ignore:.*turned round:treesql.TreesqlWarning")  # the links of the same sentences again
@pytest.mark.spread(40)
@pytest.mark.parametrize("query", ASKED, ids=lambda query: query.name)
def test_every_query(several: tuple[treesql.Database, treesql.Database], query: Query) -> None:
    in_order, in_any_order = several
    assert answer(in_any_order, query) == answer(in_order, query)


def test_counts_that_are_no_whole_numbers_where_several_threads_sum(tmp_path: Path) -> None:
    """A table of words with more rows than DuckDB gives to one thread."""
    asked = {
        "weighted_attachment": {"gold_corpus": "gold", "system_corpus": "parser-a"},
        "reference_coverage": {"lattice_corpus": "lattices", "reference_corpus": "references"},
        "word_count_distance": {"lattice_corpus": "lattices", "reference_corpus": "references"},
        "lattice_size": {"lattice_corpus": "lattices"},
    }
    with treesql.connect() as db:
        for name, corpus in (("gold.conllu", "gold"), ("parser-a.conllu", "parser-a"), ("lattices.plf", "lattices"),
                             ("lattices.txt", "references")):  # fmt: skip
            text = "".join(line for line in (FIXTURES / name).read_text().splitlines(True) if line[:1] != "#")
            (tmp_path / name).write_text(text * 4200)
            db.load(tmp_path / name, corpus=corpus, **({"phrases": True} if corpus == "lattices" else {}))  # type: ignore[arg-type]
        found: dict[str, set[str]] = {name: set() for name in asked}
        for threads in (1, 2, 4):
            bare(db).execute(f"SET threads = {threads}")
            for name, values in asked.items():
                found[name].add(repr(db.score(name, **values).rows()))  # type: ignore[arg-type]
    assert {name: len(different) for name, different in found.items()} == dict.fromkeys(asked, 1)


@pytest.mark.parametrize(("every", "times"), thorough_but([(24, 2), (1, 12)], (24, 2)))
def test_every_command(tmp_path: Path, every: int, times: int) -> None:
    """Runs that differ in PYTHONHASHSEED, threads and the size of blocks, two at a time.

    every: of the commands of a name every n-th is run, besides those that write what it reads. times: how many times
    over the fixtures are their input.
    """
    printed: list[str] = []
    for first in range(0, RUNS, 2):
        running = []
        for run in range(first, min(first + 2, RUNS)):
            folder = tmp_path / str(run)
            folder.mkdir()
            command = [
                sys.executable,
                "-m",
                "tests.house.every_command",
                str((1, 4, 2)[run % 3]),
                str((100_000, 100)[run % 2]),
                str(every),
                str(times),
            ]
            environment = {**os.environ, "PYTHONHASHSEED": str(run), "PYTHONPATH": str(ROOT)}
            running.append(
                subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            )
        for process in running:
            out, err = process.communicate(timeout=900)
            assert not process.returncode, err.decode()
            printed.append(out.decode())
    lines = printed[0].splitlines()
    files = [line for line in lines if line.split()[1] == "file"]
    assert len(files) > 40
    assert len(lines) == len(files) + len(chosen(every))
    failed = [line for line in lines if line.split()[1] not in ("0", "file")]
    assert [line.split(" ", 2)[2] for line in failed] == ["score dependency gold.conllu bad.conllu"]
    for other in printed[1:]:
        differing = [line for line, same in zip(lines, other.splitlines(), strict=True) if line != same]
        assert not differing, f"{tmp_path}/*/log has what was printed"
