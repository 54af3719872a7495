"""The SQL functions of macros/."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from tests.house.rules import in_turn
from tests.search.treebank import SENTENCES
from treesql.catalog import schemas


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    path: Path = tmp_path_factory.mktemp("macros") / "small.conllu"
    path.write_text(SENTENCES.split("# sent_id = four")[0])
    with treesql.connect() as db:
        db.load(path, corpus="small")
        yield db


def pairs(db: treesql.Database, condition: str) -> list[tuple[str, str]]:
    sql = f"""
        SELECT a.form AS one, b.form AS other FROM words AS a JOIN words AS b ON {condition}
        WHERE a.sentence = 0 ORDER BY a.word, b.word
    """
    return [(row["one"], row["other"]) for row in db.sql(sql).rows()]


def test_children_and_dominance(small: treesql.Database) -> None:
    edges = [("dog", "The"), ("dog", "old"), ("barks", "dog"), ("barks", "n't"), ("n't", "do")]
    assert pairs(small, "is_child(b, a)") == edges
    assert pairs(small, "dominates(a, b)") == [
        *edges[:2], ("barks", "The"), ("barks", "old"), ("barks", "dog"), ("barks", "do"), ("barks", "n't"), edges[-1],
    ]  # fmt: skip
    rows = small.sql("SELECT children(w) AS below FROM words AS w WHERE w.sentence = 0 ORDER BY w.word").rows()
    assert [row["below"] for row in rows] == [None, None, [1, 2], [3, 6], None, [5]]


def test_paths(small: treesql.Database) -> None:
    def path(origin: int, goal: int) -> list[str] | None:
        sql = """
            SELECT path(a, b) AS steps
            FROM words AS a JOIN words AS b ON b.corpus = a.corpus AND b.sentence = a.sentence
            WHERE a.sentence = 0 AND a.word = $a AND b.word = $b
        """
        return small.sql(sql, {"a": origin, "b": goal}).rows()[0]["steps"]  # type: ignore[no-any-return]

    assert path(1, 5) == ["↑det", "↑nsubj", "↓conj", "↓aux"]
    assert path(5, 1) == ["↑aux", "↑conj", "↓nsubj", "↓det"]
    assert path(1, 4) == ["↑det", "↑nsubj"]
    assert path(4, 1) == ["↓nsubj", "↓det"]
    assert path(1, 2) == ["↑det", "↓amod"]
    assert path(3, 3) is None


def test_text_below_a_word(small: treesql.Database) -> None:
    rows = small.sql("SELECT subtree_text(w) AS t FROM words AS w WHERE w.sentence = 0 ORDER BY w.word").rows()
    assert [row["t"] for row in rows] == ["The", "old", "The old dog", "The old dogbarks do n't", "do", "do n't"]


@in_turn(
    ("string", "name", "value"),
    [
        ("Number=Sing|Person=3", "Person", "3"),
        ("Number=Sing|Person=3", "Number", "Sing"),
        ("Number=Sing", "umber", None),
        ("Number[psor]=Plur|Number=Sing", "Number", "Sing"),
        ("Number[psor]=Plur|Number=Sing", "Number[psor]", "Plur"),
        ("Flag|Ref=a=b", "Ref", "a=b"),
        ("Flag|Ref=a=b", "Flag", None),
        ("", "Flag", None),
        (None, "Flag", None),
    ],
)
def test_features(small: treesql.Database, string: str | None, name: str, value: str | None) -> None:
    sql = "SELECT feature(CAST($string AS VARCHAR), $name) AS value"
    assert small.sql(sql, {"string": string, "name": name}).rows() == [{"value": value}]


def test_features_of_a_corpus_without_any(db: treesql.Database, tmp_path: Path) -> None:
    """DuckDB 2.0.0 fails to compare split_part() of a column of NULLs with a text."""
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:root"))
    db.load(tmp_path / "a.conllu", corpus="a")
    for column in ("feats", "misc"):
        assert not db.sql(f"SELECT 1 FROM words AS w WHERE feature(w.{column}, 'Mood') = 'Ind'").rows()


def test_comments(small: treesql.Database) -> None:
    rows = small.sql("SELECT comment_value(s.comments, 'speaker') AS v FROM sentences AS s ORDER BY s.sentence").rows()
    assert [row["v"] for row in rows] == ["Ann", "Bob", None]


def test_text_between_words(small: treesql.Database) -> None:
    def text(sentence: int, first: int, last: int) -> str:
        sql = "SELECT text_between(s, $first, $last) AS t FROM sentences AS s WHERE s.sentence = $sentence"
        [row] = small.sql(sql, {"first": first, "last": last, "sentence": sentence}).rows()
        return str(row["t"])

    assert text(0, 1, 2) == "The old"
    assert text(0, 2, 6) == "old dogbarks don't"  # SpaceAfter=No
    assert text(0, 4, 5) == "barks do"  # the multiword token goes on
    assert text(0, 6, 9) == "n't"
    assert text(0, -3, 1) == "The"
    assert (text(0, 3, 2), text(0, 7, 9), text(0, -1, 0)) == ("", "", "")


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("per_million(3, 2000)", 1500.0),
        ("per_million(0, 5)", 0.0),
        ("per_million(0, 0)", None),
        # Expected counts of 15 words in corpora of equal size: 7.5 each.
        ("keyness(10, 1000, 5, 1000)", 2 * (10 * math.log(10 / 7.5) + 5 * math.log(5 / 7.5))),
        ("keyness(5, 1000, 10, 1000)", 2 * (10 * math.log(10 / 7.5) + 5 * math.log(5 / 7.5))),
        # Of 6 words, 1.5 are expected in a corpus of a quarter of all words.
        ("keyness(6, 100, 0, 300)", 2 * 6 * math.log(6 / 1.5)),
        ("keyness(7, 50, 14, 100)", 0.0),
        ("keyness(0, 10, 0, 20)", 0.0),
        ("keyness(0, 0, 3, 20)", None),
        ("log_ratio(8, 1000, 1, 500)", 2.0),
        ("log_ratio(1, 500, 8, 1000)", -2.0),
        ("log_ratio(4, 1000, 0, 1000)", 3.0),
        ("log_ratio(0, 1000, 4, 1000)", -3.0),
        ("log_ratio(0, 10, 0, 20)", None),
        ("log_ratio(1, 10, 0, 0)", None),
        # Of 64 pairs one is expected: log2(4 / 1).
        ("pmi(4, 8, 8, 64)", 2.0),
        ("pmi(1, 8, 8, 64)", 0.0),
        ("pmi(0, 8, 8, 64)", None),
        ("log_dice(5, 5, 5)", 14.0),
        ("log_dice(4, 8, 8)", 13.0),
        ("log_dice(0, 8, 8)", None),
        # Cells 4, 4, 4, 52 where 1, 7, 7, 49 are expected.
        ("g2(4, 8, 8, 64)", 2 * (4 * math.log(4) + 8 * math.log(4 / 7) + 52 * math.log(52 / 49))),
        ("g2(1, 8, 8, 64)", 0.0),
        ("g2(2, 2, 2, 4)", 2 * 4 * math.log(2)),
        ("g2(0, 2, 2, 4)", 2 * 4 * math.log(2)),
        ("g2(3, 3, 3, 3)", 0.0),
        ("g2(0, 0, 0, 0)", None),
    ],
)
def test_statistics(small: treesql.Database, call: str, value: float | None) -> None:
    [row] = small.sql(f"SELECT {call} AS value").rows()
    assert row["value"] == (None if value is None else pytest.approx(value, abs=1e-9))


def test_keyness_is_the_power_divergence_of_two_counts(small: treesql.Database) -> None:
    from scipy.stats import power_divergence

    for a, c, b, d in ((120, 21_180, 606, 204_577), (1, 999, 40, 3_000), (65, 21_180, 1_332, 204_577)):
        expected = [c * (a + b) / (c + d), d * (a + b) / (c + d)]
        [row] = small.sql(f"SELECT keyness({a}, {c}, {b}, {d}) AS g2").rows()
        assert row["g2"] == pytest.approx(power_divergence([a, b], expected, lambda_="log-likelihood").statistic)


def test_g2_of_a_table(small: treesql.Database) -> None:
    from scipy.stats import chi2_contingency

    for count, first, second, total in ((68, 75, 340, 11_818), (1, 20, 30, 400), (29, 120, 29, 11_818)):
        table = [[count, first - count], [second - count, total - first - second + count]]
        found = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        [row] = small.sql(f"SELECT g2({count}, {first}, {second}, {total}) AS g2").rows()
        assert row["g2"] == pytest.approx(found.statistic)


def test_every_macro_returns_what_it_says(small: treesql.Database) -> None:
    for macro in schemas.all_macros().values():
        [result] = macro.columns
        arguments = ", ".join(
            {"WORD": "w", "VARCHAR[]": "s.comments", "VARCHAR": "w.feats"}.get(p.type, f"CAST(w.word AS {p.type})")
            for p in macro.parameters
        )
        sql = f"SELECT typeof({macro.name}({arguments})) AS type FROM words AS w, sentences AS s LIMIT 1"
        assert small.sql(sql).rows() == [{"type": result.type}], macro.name
        assert macro.doc
        assert macro.source
        assert all(p.doc for p in macro.parameters)


def test_other_clients_have_them(tmp_path: Path) -> None:
    import duckdb

    with treesql.connect(tmp_path / "t.duckdb") as db:
        (tmp_path / "a.conllu").write_bytes(conllu("a:2:det b:0:root"))
        db.load(tmp_path / "a.conllu", corpus="a")
    with duckdb.connect(str(tmp_path / "t.duckdb"), read_only=True) as client:
        sql = "SELECT count(*), list(path(a, b)) FROM words AS a JOIN words AS b ON dominates(b, a)"
        assert client.execute(sql).fetchall() == [(1, [["↑det"]])]
