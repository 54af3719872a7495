"""Data frames in place of files: rows of tables, whose scores are those of the files that they are from."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import assert_none, in_turn
from treesql.catalog import kinds, schemas

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

GOLD, PARSER = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
LINKS, LINKS_A = FIXTURES / "links.pharaoh", FIXTURES / "links-a.pharaoh"

FILES: Mapping[str, Mapping[str, Path]] = {
    "alignment": {"gold": LINKS, "system": LINKS_A},
    "constituency": {"gold": FIXTURES / "gold.mrg", "system": FIXTURES / "test.mrg"},
    "dependency": {"gold": GOLD, "system": PARSER},
    "lattice": {"lattice": FIXTURES / "lattices.plf", "reference": FIXTURES / "lattices.txt"},
    "newick": {"gold": FIXTURES / "trees.nwk", "system": FIXTURES / "trees.nwk"},
    "parallel": {
        "gold_a": GOLD, "system_a": PARSER, "gold_b": GOLD, "system_b": FIXTURES / "parser-b.conllu",
        "gold_links": LINKS, "system_links": LINKS_A,
    },
    "paths": {
        "reference": FIXTURES / "reference.conllu", "hypothesis": FIXTURES / "hypothesis.conllu",
        "alignment": FIXTURES / "reference-hypothesis.align",
    },
    "translation": {"hypothesis": FIXTURES / "hypotheses.txt", "reference": FIXTURES / "lattices.txt"},
    "trees": {"reference": FIXTURES / "reference.conllu", "hypothesis": FIXTURES / "hypothesis.conllu"},
}  # fmt: skip
"""By kind of evaluation, the file of every role."""

FRAMES: Mapping[str, Callable[[pa.Table], Any]] = {
    "Arrow": lambda rows: rows,
    "Polars": pl.DataFrame,
    "DuckDB": lambda rows: duckdb.connect().from_arrow(rows),
    "pandas": pa.Table.to_pandas,
}
"""By library, how its frames are made of Arrow tables."""


@cache
def tables(path: Path) -> dict[str, pa.Table]:
    """All rows of a file, but for its record."""
    with treesql.connect() as db:
        db.load(path, corpus="c")
        read = {
            table.name: db.sql(f"SELECT * EXCLUDE (corpus) FROM {table.name}").arrow()
            for table in schemas.corpus_tables()
            if table.name != "corpora"
        }
    return {name: rows for name, rows in read.items() if len(rows)}


def lists(path: Path) -> Any:
    between = "\n\n" if path.suffix == ".conllu" else "\n"
    return path.read_text("utf-8").removesuffix(between).split(between)


WAYS: Mapping[str, Callable[[Path], Any]] = {
    "path": lambda path: path,
    "bytes": Path.read_bytes,
    "file": lambda path: io.StringIO(path.read_text("utf-8")),
    "list": lists,
    "tables": lambda path: treesql.read(path),
    **{
        name: lambda path, frame=frame: {table: frame(rows) for table, rows in tables(path).items()}
        for name, frame in FRAMES.items()
    },
}  # fmt: skip
"""The ways in which a corpus goes in."""


def score(kind: str, inputs: Mapping[str, Any], **given: Any) -> treesql.Result:
    """The scores of a system `a`, given the inputs by role."""
    own = {role.name: inputs[role.name] for role in kinds.kind(kind).own if role.name in inputs}
    shared = {name: value for name, value in inputs.items() if name not in own}
    return treesql.score(kind, systems={"a": own}, **shared, **given)


@in_turn("kind", [kind.name for kind in treesql.kinds()])
def test_scores_are_those_of_files(kind: str) -> None:
    """For each kind and each way in."""
    [metric, *_] = kinds.kind(kind).metrics or kinds.kind(kind).all_metrics
    expected = score(kind, FILES[kind], metric=metric).rows()
    found = {
        way: score(kind, {role: of(path) for role, path in FILES[kind].items()}, metric=metric).rows()
        for way, of in WAYS.items()
    }
    assert_none({way: f"{rows} instead of {expected}" for way, rows in found.items() if rows != expected})
