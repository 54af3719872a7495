"""Exported folders open in other programs, with the columns and types of the tables, whatever corpora are called."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import treesql
from tests.conftest import FIXTURES, heard

CORPORA = {
    "2026": "gold.conllu", "2026-01-01": "lists.nbest", "_x": "expressions.conllup", ".y": "discontinuous.export",
    "a=b c/d": "gold.mrg", "NULL": "lattices.txt", "lattices": "lattices.plf", "parser": "parser-a.conllu",
}  # fmt: skip
"""Files by the name of their corpus, of which most would be taken for no text, or for no folder of data."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "data"
    with treesql.connect() as db, heard():
        for corpus, file in CORPORA.items():
            db.load(FIXTURES / file, corpus=corpus, phrases=corpus == "lattices")
        db.load(FIXTURES / "links.pharaoh", corpus="links", source_corpus="2026", target_corpus="2026")
        db.export(folder, to="parquet")
    return folder


def plain(kind: pa.DataType) -> pa.DataType:
    """A type without what programs call the items of lists, and how long texts may be."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(pa.field("item", plain(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain(field.type)) for field in kind])
    return pa.string() if pa.types.is_large_string(kind) or kind == pa.string_view() else kind


def types(schema: pa.Schema) -> dict[str, pa.DataType]:
    return {field.name: plain(field.type) for field in schema}


@pytest.mark.slow
def test_every_program_has_the_types_of_the_tables(db: treesql.Database, exported: Path) -> None:
    """R's `arrow::open_dataset` is Arrow's dataset, which reads `key=value` in the names of folders as columns."""
    import pandas as pd

    tables = sorted(path.name for path in exported.iterdir() if path.name != "_manifest")
    assert len(tables) == 19
    for name in tables:
        folder = exported / name
        declared = types(db.sql(f"FROM {name}").arrow().schema)
        dataset = pyarrow.dataset.dataset(folder, partitioning="hive").to_table()
        assert types(dataset.schema) == declared, name
        assert types(pl.read_parquet(folder).to_arrow().schema) == declared, name
        assert types(pl.scan_parquet(f"{folder}/**/*.parquet").collect().to_arrow().schema) == declared, name
        assert types(duckdb.sql(f"FROM '{folder}/*/*.parquet'").arrow().schema) == declared, name
        frame = pd.read_parquet(folder, dtype_backend="pyarrow")
        assert {column: plain(kind.pyarrow_dtype) for column, kind in frame.dtypes.items()} == declared, name
        usual = pd.read_parquet(folder)
        assert list(usual.columns) == list(declared), name
        texts = [column for column, kind in declared.items() if kind == pa.string()]
        assert all(pd.api.types.is_string_dtype(usual[column].dtype) for column in texts), name
        assert len({dataset.num_rows, len(frame), len(usual), pl.read_parquet(folder).height}) == 1, name


@pytest.mark.slow
def test_corpora_keep_their_names(exported: Path) -> None:
    import pandas as pd

    names = {*CORPORA, "links"}
    assert set(pd.read_parquet(exported / "corpora")["corpus"]) == names
    assert set(pl.read_parquet(exported / "sentences")["corpus"]) == names
    assert {name for (name,) in duckdb.sql(f"SELECT corpus FROM '{exported}/corpora/*/*.parquet'").fetchall()} == names
    with treesql.connect(exported) as db:
        assert set(db.corpora) == names
        words = {row["corpus"]: row["n"] for row in db.sql("SELECT corpus, count(*) AS n FROM words GROUP BY corpus")}
        assert (words["2026"], words["parser"], words["NULL"], words["a=b c/d"]) == (30, 30, 13, 38)
        assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = '.y'")["n"] == [words[".y"]]
    frame = pd.read_parquet(exported / "words")
    assert frame.groupby("corpus").size().to_dict() == words
