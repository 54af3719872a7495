"""The SQL functions of macros/."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import conllu
from tests.search.treebank import SENTENCES
from treesql.catalog import macros


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


@pytest.mark.parametrize(
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
def test_features(db: treesql.Database, string: str | None, name: str, value: str | None) -> None:
    sql = "SELECT feature(CAST($string AS VARCHAR), $name) AS value"
    assert db.sql(sql, {"string": string, "name": name}).rows() == [{"value": value}]


def test_features_of_a_corpus_without_any(db: treesql.Database, tmp_path: Path) -> None:
    """DuckDB 2.0.0 fails to compare split_part() of a column of NULLs with a text."""
    (tmp_path / "a.conllu").write_bytes(conllu("a:0:root"))
    db.load(tmp_path / "a.conllu", corpus="a")
    for column in ("feats", "misc"):
        assert not db.sql(f"SELECT 1 FROM words AS w WHERE feature(w.{column}, 'Mood') = 'Ind'").rows()


def test_comments(small: treesql.Database) -> None:
    rows = small.sql("SELECT comment_value(s.comments, 'speaker') AS v FROM sentences AS s ORDER BY s.sentence").rows()
    assert [row["v"] for row in rows] == ["Ann", "Bob", None]


def test_every_macro_returns_what_it_says(small: treesql.Database) -> None:
    for macro in macros.all_macros().values():
        [result] = macro.columns
        arguments = ", ".join(
            {"WORD": "w", "VARCHAR[]": "s.comments"}.get(p.type, f"CAST(w.feats AS {p.type})") for p in macro.parameters
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
