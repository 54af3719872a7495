"""What comes back: tables in every form."""

from __future__ import annotations

import polars as pl
import pytest

import treesql
from treesql.errors import QueryError


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
    [row] = [row for row in examples.query("inventory").rows() if row["corpus"] == "gold"]
    assert (row["sentences"], row["words"], row["types"], row["words_per_sentence"]) == (5, 30, 25, 6.0)
    assert (row["upos_tags"], row["universal_relations"], row["full_relations"]) == (11, 13, 16)
    relations = {row["deprel"]: row for row in examples.query("relation_inventory").rows() if row["corpus"] == "gold"}
    assert (relations["det"]["words"], relations["det"]["types"], relations["det"]["mean_dependency_length"]) == (
        4,
        3,
        1.0,
    )
    assert relations["root"]["mean_dependency_length"] is None
    tags = {row["upos"]: row for row in examples.query("upos_inventory").rows() if row["corpus"] == "gold"}
    assert (tags["VERB"]["words"], tags["VERB"]["lemmas"]) == (4, 4)
