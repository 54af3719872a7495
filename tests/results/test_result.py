"""What comes back: tables in every form."""

from __future__ import annotations

import copy
import pickle
import re
from contextlib import suppress
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import treesql
from treesql.errors import QueryError
from treesql.results.result import _ELSEWHERE, Result
from treesql.results.tables import with_shown_texts


def test_every_form(examples: treesql.Database) -> None:
    result = examples.sql("SELECT form, head FROM words WHERE corpus = 'gold' AND sentence = 4 ORDER BY word")
    assert result.columns == ["form", "head"]
    assert len(result) == 2
    assert result.rows() == [{"form": "Hello", "head": 0}, {"form": "!", "head": 1}]
    assert result.arrow().num_rows == 2
    assert result.pl().equals(
        pl.DataFrame({"form": ["Hello", "!"], "head": [0, 1]}, schema_overrides={"head": pl.Int32})
    )
    assert "Hello" in repr(result)
    assert "<table" in result._repr_html_()


def test_few_rows_of_many_columns_are_printed_with_all_of_them() -> None:
    """Polars leaves out those in the middle."""
    columns = pa.table({"system": ["a", "b"], **{f"score_{at}": [at, at / 2] for at in range(9)}})
    printed = repr(Result(columns, percent=frozenset({"score_1"}))).splitlines()
    assert [line.split() for line in printed if "score_1" in line or "measure" in line] == [
        ["measure", "a", "b"], ["score_1", "100.00%", "50.00%"],
    ]  # fmt: skip
    assert all(f" score_{at} " in "\n".join(printed) for at in range(9))
    same = columns.set_column(0, "system", [["a", "a"]])
    assert "shape: (2, 10)" in repr(Result(same))


def test_rows_and_columns(examples: treesql.Database) -> None:
    result = examples.sql("SELECT form, head FROM words WHERE corpus = 'gold' AND sentence = 4 ORDER BY word")
    assert list(result) == [{"form": "Hello", "head": 0}, {"form": "!", "head": 1}]
    assert (result[0], result[-1]) == ({"form": "Hello", "head": 0}, {"form": "!", "head": 1})
    assert result["form"] == ["Hello", "!"]
    assert (result.shape, result.head(1).rows(), result.tail(1).rows()) == ((2, 2), [result[0]], [result[1]])
    assert result.head().rows() == result.tail().rows() == result.tail(9).rows() == result.rows()
    assert pl.DataFrame(result).equals(result.pl())
    assert pa.table(result).equals(result.arrow())
    assert examples.sql("SELECT sum(head) AS n FROM mine", tables={"mine": result})["n"] == [1]
    assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result
    with pytest.raises(treesql.UnknownName, match=r"unknown column 'heads'; did you mean head\?"):
        result["heads"]
    with pytest.raises(treesql.UsageError, match=r"key takes text or a whole number, not 0.5 \(float\)"):
        result[0.5]  # type: ignore[index]
    for row in (2, -3):
        with pytest.raises(IndexError, match=f"there is no row {row}; the rows are 0 to 1"):
            result[row]


def test_attributes_that_other_tables_have(examples: treesql.Database) -> None:
    """Errors name what there is instead; what they name exists."""
    result = examples.sql("SELECT 1 AS las")
    for name, hint in {
        "dicts": "write .rows(), a list of dictionaries",
        "to_pandas": "write .df(), a data frame of pandas",
        "to_polars": "write .pl(), a data frame of Polars",
        "to_csv": 'write treesql.write(result, "FILE.csv")',
        "las": 'write result["las"]',
        "colums": "did you mean columns?",
        "groupby": ".pl() and .df() are data frames of Polars and pandas, .rows() is a list of dictionaries",
    }.items():
        with pytest.raises(AttributeError) as caught:
            getattr(result, name)
        assert str(caught.value) == f"Result has no attribute {name!r}; {hint}"
    written = re.findall(r"\.(\w+)\(\)", " ".join(_ELSEWHERE.values()))
    assert written
    assert all(callable(getattr(result, name)) for name in written)
    assert not set(_ELSEWHERE) & set(dir(result))
    assert not hasattr(result, "__array__")


def test_parameters_are_prepared(examples: treesql.Database) -> None:
    sql = "SELECT count(*) AS n FROM words WHERE form = $form"
    assert examples.sql(sql, {"form": "'; DROP TABLE words; --"}).rows() == [{"n": 0}]


def test_statements_without_rows(db: treesql.Database) -> None:
    assert len(db.sql("CREATE TABLE mine (a INTEGER)")) == 0
    assert db.sql("FROM mine").columns == ["a"]


def test_large_results_stream(db: treesql.Database) -> None:
    batches = db.stream("SELECT range AS n FROM range(1000000)")
    assert sum(batch.num_rows for batch in batches) == 1_000_000


def test_sql_that_fails(db: treesql.Database) -> None:
    with pytest.raises(QueryError, match="nonsense") as caught:
        db.sql("SELECT nonsense FROM words")
    assert caught.value.sql == "SELECT nonsense FROM words"
    with pytest.raises(QueryError):
        db.stream("SELEC")


def test_queries_of_the_catalogue(examples: treesql.Database) -> None:
    relations = {row["deprel"]: row for row in examples.query("relation_inventory").rows() if row["corpus"] == "gold"}
    assert (relations["det"]["words"], relations["det"]["types"], relations["det"]["mean_dependency_length"]) == (
        4,
        3,
        1.0,
    )
    assert relations["root"]["mean_dependency_length"] is None


def test_names_of_time_zones_are_no_sql(tmp_path: Path) -> None:
    """Arrow takes any name."""
    for zone in (f"UTC'; COPY (SELECT 1) TO '{tmp_path}/written.csv'; --", "Europe/Berlin"):
        times = pa.table({"at": pa.array([0], pa.timestamp("us", tz=zone))})
        with suppress(duckdb.Error):  # a zone that DuckDB does not know
            [text] = with_shown_texts(treesql.Result(times).arrow())["at"].to_pylist()
    assert not list(tmp_path.iterdir())
    assert text == "1970-01-01 01:00:00+01"
