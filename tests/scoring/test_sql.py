"""Sums in SQL: the same in any order, and counts that cannot be summed."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import bare, conllu
from treesql import catalog
from treesql.errors import UsageError
from treesql.scoring import scores
from treesql.scoring.sql import MetricPart, _sums_of_part

WEIGHTED = [f"{form}:0:{relation}" for form, relation in zip("abc", ("root", "det", "case"), strict=True)]


@pytest.mark.parametrize("order", ["form", "form DESC"])
def test_counts_that_are_no_whole_numbers_are_summed_alike_in_any_order(
    db: treesql.Database, tmp_path: Path, order: str
) -> None:
    """As doubles 0.1 + 0.2 + 0.3 is 0.6000000000000001, and 0.3 + 0.2 + 0.1 is 0.6."""
    (tmp_path / "t.conllu").write_bytes(conllu(" ".join(WEIGHTED).replace("b:0", "b:1").replace("c:0", "c:1")))
    db.load(tmp_path / "t.conllu", corpus="t")
    connection = bare(db)
    connection.execute("INSERT INTO relation_weights VALUES ('w', 'root', 0.1), ('w', 'det', 0.2), ('w', 'case', 0.3)")
    connection.execute(f"CREATE TEMP TABLE ordered AS SELECT * FROM words ORDER BY {order}")
    connection.execute("DELETE FROM words; INSERT INTO words SELECT * FROM ordered")
    given = {"gold_corpus": "t", "system_corpus": "t", "weights": "w"}
    [summed] = scores.sentence_sums(db.engine, ["weighted_attachment"], given)
    expected = sum(round(weight * 2**40) for weight in (0.1, 0.2, 0.3)) / 2**40
    assert summed.values.tolist() == [[[expected] * 3]]
    sql = _sums_of_part(MetricPart(catalog.query("weighted_attachment"), "items", None, None))
    connection.execute(
        f"CREATE TEMP TABLE items AS SELECT weight AS gold_weight, weight AS system_weight, "
        f"weight AS correct_weight FROM relation_weights ORDER BY relation{order[4:]}"
    )
    assert connection.execute(sql).fetchall() == [(expected,) * 3]


@pytest.mark.parametrize("weight", ["1e30", "'inf'", "'nan'"])
def test_a_count_that_cannot_be_summed_is_named(db: treesql.Database, tmp_path: Path, weight: str) -> None:
    (tmp_path / "t.conllu").write_bytes(conllu("a:2:nsubj b:0:root", "a:2:det b:0:root"))
    db.load(tmp_path / "t.conllu", corpus="t")
    db.sql(f"INSERT INTO relation_weights VALUES ('w', 'det', {weight}), ('w', 'nsubj', 1), ('w', 'root', 1)")
    with pytest.raises(UsageError) as error:
        db.score("weighted_attachment", gold_corpus="t", system_corpus="t", weights="w")
    assert str(error.value) == (
        f"weighted_attachment: gold_weight of sentence 1 is {float(weight.strip(chr(39))):g}, "
        "and only numbers below 1e+25 are summed"
    )
