"""Conditions on items: what is no function of a row is refused, wherever a condition can be given."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

import treesql
from tests.conftest import bare
from tests.evaluation.kinds_by_file import KINDS
from tests.house.rules import in_turn
from tests.reports.pages import whole
from tests.scoring.attachment import one
from treesql.engines.conditions import check_condition, find_references, replace_references
from treesql.errors import UsageError

EMPTY = "the condition on items (--where) is empty; leave it out to score all items"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as one:
        one.execute("CREATE MACRO dice(n) AS floor(random() * n); CREATE MACRO next(n) AS n + 1")
        one.execute("CREATE MACRO rolls(n) AS TABLE SELECT dice(n) AS d FROM range(3)")
        one.execute("CREATE MACRO endless(n) AS n + 1")
        yield one


@in_turn(
    ("condition", "told"),
    [
        ("random() < 0.5", "random()"),
        ("Random ( ) < 0.5 AND upos = 'NOUN'", "random()"),
        ("system.main.random() < 0.5", "random()"),
        ("CASE WHEN len(form) > 3 THEN random() ELSE 1 END < 0.5", "random()"),
        ("list_filter([1], lambda x: random() < x) <> []", "random()"),
        ("form = CAST(uuid() AS VARCHAR)", "uuid()"),
        ("form = CAST(gen_random_uuid() AS VARCHAR)", "gen_random_uuid()"),
        ("nextval('numbers') > 1", "nextval()"),
        ("now() > TIMESTAMP '2020-01-01'", "now()"),
        ("today() > DATE '2020-01-01'", "today()"),
        ("current_timestamp > '2020-01-01'", "current_timestamp"),
        ("CURRENT_DATE = '2020-01-01'", "current_date"),
        ("localtime > '12:00'", "localtime"),
        ("current_localtimestamp() > '2020-01-01'", "current_localtimestamp()"),
        ("age(DATE '2020-01-01') > INTERVAL 1 DAY", "age() of one date"),
        ("getvariable('x') = 1", "getvariable()"),
        ("sentence IN (SELECT sentence FROM words WHERE random() < 0.5)", "random()"),
        ("sentence IN (SELECT sentence FROM words ORDER BY random() LIMIT 3)", "random()"),
        ("sentence IN (WITH w AS (SELECT random() AS a) SELECT a FROM w)", "random()"),
        ("sentence IN (VALUES (random()))", "random()"),
        ("sum(random()) OVER () > 1", "random()"),
        ("sentence IN (SELECT sentence FROM words USING SAMPLE 3)", "a sample of rows"),
        ("sentence IN (SELECT sentence FROM words TABLESAMPLE 10%)", "a sample of rows"),
        ("sentence IN (SELECT 1 FROM (PIVOT words ON upos USING sum(random())))", "random()"),
        ("dice(6) = 1", "dice(), and with it random()"),
        ("sentence IN (SELECT d FROM rolls(6))", "rolls(), and with it dice(), and with it random()"),
    ],
)
def test_what_varies_is_refused(connection: duckdb.DuckDBPyConnection, condition: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        check_condition(connection, condition)
    assert str(error.value) == (
        f"the condition on items (--where) has {told}, which may differ from run to run; select items by their columns"
    )


@in_turn(
    "condition",
    [
        "upos = 'random()'",
        "upos = 'NOUN' -- not random()",
        "random = 1",
        "now IS NULL",
        "len(form) > 3 AND regexp_matches(form, 'a+') OR hash(form) % 2 = 0",
        "sentence IN (SELECT sentence FROM trees WHERE corpus = 'gold' AND depth > 5 ORDER BY sentence LIMIT 3)",
        "next(word) = 2",
        "age(DATE '2020-01-01', DATE '2019-01-01') > INTERVAL 1 DAY",
        "CASE WHEN word < 0 THEN error('negative') ELSE word END > 1",
        "feature(feats, 'Case') = 'Nom'",
    ],
)
def test_what_is_of_a_row_is_not(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    check_condition(connection, condition)


@pytest.mark.parametrize("condition", ["", " ", "\n\t"])
def test_blank_conditions_are_refused_everywhere(examples: treesql.Database, condition: str) -> None:
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    for call in (
        lambda: examples.score("attachment", where=condition, **pair),
        lambda: examples.score("attachment", by="upos", where=condition, ci=True, **pair),
        lambda: examples.compare("attachment", systems=["parser-a", "parser-b"], gold_corpus="gold", where=condition),
        lambda: examples.compare(
            "attachment.las", systems=["parser-a", "parser-b"], gold_corpus="gold", where=condition, test="mcnemar"
        ),
    ):
        with pytest.raises(UsageError) as error:
            call()
        assert str(error.value) == EMPTY.replace("--where", "where=")


def test_conditions_stand_for_themselves(examples: treesql.Database) -> None:
    """A comment at the end, an OR, or more than a condition change nothing around it."""
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    [row] = examples.score("attachment", where="upos = 'NOUN' -- nouns", **pair).rows()
    assert row["words"] == 7
    for condition, why in (("upos = 'NOUN' LIMIT 3", '"LIMIT"'), ("no such thing", '"such"')):
        with pytest.raises(UsageError, match=f"is not a SQL expression: syntax error at or near {why}; write one"):
            examples.score("attachment", where=condition, **pair)
    bare(examples).execute("SELECT 1").fetchall()


@in_turn("kind", KINDS)
@in_turn(("condition", "told"), [(" ", EMPTY), ("random() < 0.5", "has random(), which may differ")])
def test_every_kind_refuses(kind: str, condition: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        treesql.score(kind, where=condition, **whole(kind))
    assert told.replace("--where", "where=") in str(error.value)


def test_a_condition_on_a_column_of_words_leaves_exact_match_out(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", where="UPOS = 'NOUN'")
    assert row["exact_match"] is None
    assert one(examples, "attachment", "exact_match", where="\"upos\" = 'NOUN'") == row
    assert one(examples, "attachment", "exact_match", where="sentence = 4")["exact_match"] == 1


def test_a_condition_may_name_columns_in_strings(examples: treesql.Database) -> None:
    row = one(examples, "attachment", "exact_match", where="sentence >= 0 AND 'upos' <> ''")
    assert row["exact_match"] is not None


@in_turn(
    ("condition", "names", "outside"),
    [
        ("upos = 'NOUN' AND length(form) > 2", ["upos", "form"], ["upos", "form"]),
        ("""meta."b[c]" = 'a.b' OR META.Key = "meta.x" -- w.y""", *[["meta.b[c]", "META.Key", "meta.x"]] * 2),
        ("a.b.c = 1 AND attachment.depth > 1", *[["a.b.c", "attachment.depth"]] * 2),
        ("word IN (SELECT w.word FROM words AS w WHERE w.upos = upos AND sentences.x = 1)",
         ["word", "upos", "sentences.x"], ["word"]),
        ("sentence IN (SELECT meta.sentence FROM comments AS meta WHERE words.a = meta.b)", ["sentence", "words.a"],
         ["sentence"]),
        ("EXISTS (SELECT 1 FROM words WHERE words.upos = t.upos)", ["t.upos"], []),
        ("1); DROP TABLE words; --", ["1", "DROP", "TABLE", "words"], ["1", "DROP", "TABLE", "words"]),
    ],
)  # fmt: skip
def test_references(condition: str, names: list[str], outside: list[str]) -> None:
    assert sorted(map(".".join, find_references(condition))) == sorted(names)
    assert sorted(map(".".join, find_references(condition, subqueries=False))) == sorted(outside)


@in_turn(
    ("condition", "expected"),
    [
        ('meta.a = 1 AND META . "a"=2', "[a] = 1 AND [a]=2"),
        ('"meta"."b ""c" = meta.d', "[b] = meta.d"),
        ("x.meta.a = 'meta.a' OR \"meta.a\" = metameta.a -- meta.a", None),
        (
            "/* it's meta.a */ meta.a = $$meta.a$$ || $q$ 'meta.a $q$",
            "/* it's meta.a */ [a] = $$meta.a$$ || $q$ 'meta.a $q$",
        ),
        ("E'\\' meta.a' = meta.a", "E'\\' meta.a' = [a]"),
        ("'it''s meta.a' = meta.A AND 1.5 > meta.a.x", "'it''s meta.a' = meta.A AND 1.5 > [a].x"),
    ],
)
def test_replaced_references(condition: str, expected: str | None) -> None:
    named = {("meta", "a"): "[a]", ("meta", 'b "c'): "[b]"}
    assert replace_references(condition, named) == (condition if expected is None else expected)
