"""Sums in SQL: the same in any order and on any engine, and counts that cannot be summed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import treesql
from tests.conftest import bare, conllu
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import schemas
from treesql.catalog.header import Score
from treesql.catalog.schemas import literal
from treesql.errors import UsageError
from treesql.scoring import scores
from treesql.scoring.items import MetricPart, ScoringPlan, plan_scores
from treesql.scoring.scores import scores_statement, sentence_sums_statement

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
    assert summed.values.tolist() == [[[expected] * 3 + [0]]]
    part = MetricPart(catalog.query("weighted_attachment"), "items")
    sql = scores._added_up(ScoringPlan((part,), {}, (), (), ""), 0)
    connection.execute(
        f"CREATE TEMP TABLE items AS SELECT weight AS gold_weight, weight AS system_weight, "
        f"weight AS correct_weight, 0 AS by_characters FROM relation_weights ORDER BY relation{order[4:]}"
    )
    assert connection.execute(sql).fetchall() == [(*(expected,) * 3, 0)]


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


@pytest.fixture(scope="module")
def frames(examples: treesql.Database) -> dict[str, pl.DataFrame]:
    """The tables that metrics of words read, by name."""
    names = ("words", "sentences", "relation_classes", "word_alignments")
    return {name: examples.sql(f"FROM {schemas.quote(name)}").pl() for name in names}


@in_turn(
    ("metrics", "by"),
    [
        (["attachment", "exact_match", "relation_class_scores"], ()),
        (["attachment"], ("sentence",)),
        (["attachment", "relation_class_scores"], ("deprel", "n_words/5", "lemma")),
        (["attachment"], ("system_distance/2", "direction", "n_children")),
    ],
)
def test_statements_of_portable_metrics_run_on_polars_verbatim(
    examples: treesql.Database, frames: dict[str, pl.DataFrame], metrics: list[str], by: tuple[str, ...]
) -> None:
    """With literals in place of the parameters; the rows are the same as DuckDB's."""
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    plan = plan_scores(examples.engine, metrics, pair, by, None)
    for sql in (scores_statement(plan), sentence_sums_statement(plan)):
        expected = pl.from_arrow(examples.engine.table(sql, plan.values))
        assert isinstance(expected, pl.DataFrame)
        written = sql
        for name, value in sorted(plan.values.items(), key=lambda item: -len(item[0])):
            written = written.replace(f"${name}", literal(str(value)))
        with pl.SQLContext(frames) as context:
            found = context.execute(written, eager=True)
        assert found.columns == expected.columns
        assert sorted(map(repr, found.rows())) == sorted(map(repr, expected.rows()))


@pytest.mark.spread(6)
@pytest.mark.parametrize("metric", ["n_gram_matches", "character_n_grams"])
@pytest.mark.parametrize("by", [(), ("sentence",), ("n_words",)])
def test_terms_in_columns_of_their_own_give_the_same_scores(
    examples: treesql.Database, metric: str, by: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def score() -> treesql.Result:
        corpora = {"systems": ["hypotheses"], "reference": "references"}
        return examples.score("translation", **corpora, metric=metric, by=by)

    found = score()
    monkeypatch.setattr(scores, "_terms_of_part", lambda part: {})
    assert found.arrow().equals(score().arrow())
    assert len(found) >= 1


def test_a_term_of_two_meanings_is_expanded() -> None:
    score = partial(Score, unit="number", doc="", expression="1 + 1")
    terms = [("one", "1"), ("one", "2")]
    of_terms = tuple(score(f"s{at}", written="{one} + 1", terms=(term,)) for at, term in enumerate(terms))
    query = catalog.query("n_gram_matches")
    part = MetricPart(replace(query, scores=of_terms), "items")
    assert scores._terms_of_part(part) == {}
    alike = MetricPart(replace(query, scores=of_terms[:1]), "items")
    assert scores._terms_of_part(alike) == {"one": "1"}
