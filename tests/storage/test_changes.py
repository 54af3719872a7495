"""Rows changed through SQL: what is made from them made anew, and the corpus marked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, Run, bare, conllu
from tests.storage.tables import rows
from treesql.errors import UsageError
from treesql.scoring import scores


@pytest.fixture
def changing(every_kind: Path, tmp_path: Path) -> Iterator[treesql.Database]:
    """Corpora of every kind, to be changed."""
    with treesql.connect(shutil.copy(every_kind, tmp_path / "changing.duckdb")) as db:
        yield db


def changed(db: treesql.Database) -> set[str]:
    return {row["corpus"] for row in db.sql("SELECT corpus FROM corpora WHERE changed_at IS NOT NULL").rows()}


def cited(db: treesql.Database, corpus: str) -> str:
    return scores.cite_corpus(db.engine, corpus)


@pytest.mark.spread(7)
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE words SET depth = NULL, enter = NULL, leave = NULL, projective = NULL, udeprel = NULL",
        "UPDATE words SET span_start = 0, span_end = 0, punctuation = NULL, multiword = NOT multiword",
        "UPDATE sentences SET n_words = 0",
        "UPDATE constituents SET first = 1, last = 1, depth = 7, continuous = NOT continuous",
        "UPDATE lattices SET n_edges = 0, dead_edges = 9",
        "DELETE FROM feature_lists",
        "UPDATE words SET form = form, head = head",
    ],
)
def test_what_is_made_from_others_is_made_as_readers_make_it(changing: treesql.Database, sql: str) -> None:
    before = rows(changing)
    changing.sql(sql)
    assert rows(changing) == before
    assert changed(changing) == set()


def test_lists_of_phrases_are_recomputed(changing: treesql.Database) -> None:
    given = {"gold_corpus": "brackets", "system_corpus": "test brackets"}
    before = changing.score("evalb", "robinson_foulds", **given).rows()
    changing.sql("DELETE FROM constituent_lists")
    assert changing.score("evalb", "robinson_foulds", **given).rows() == before
    changing.sql("UPDATE constituents SET label = 'XX' WHERE corpus = 'test brackets'")
    [after] = changing.score("evalb", **given).rows()
    assert after["matched"] == 0
    assert changed(changing) == {"test brackets"}


@pytest.mark.filterwarnings("ignore:.*several roots:treesql.TreesqlWarning")
def test_a_changed_head(changing: treesql.Database, tmp_path: Path) -> None:
    """The tree index, the score, the signature and the file follow; another corpus stays as it was."""
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    [before], signature, other = (
        changing.score("attachment", **pair).rows(),
        cited(changing, "gold"),
        cited(changing, "parser-a"),
    )
    changing.sql("UPDATE words SET head = 0, deprel = 'root:x' WHERE corpus = 'gold' AND sentence = 0 AND word = 2")
    found = changing.sql("SELECT head, depth, enter, leave, udeprel FROM words WHERE corpus = 'gold' AND sentence = 0")
    assert [(row["head"], row["depth"], row["enter"], row["leave"]) for row in found.rows()] == [
        (2, 2, 2, 2), (0, 1, 1, 2), (0, 1, 3, 7), (6, 3, 5, 5), (6, 3, 6, 6), (3, 2, 4, 6), (3, 2, 7, 7)
    ]  # fmt: skip
    assert found.rows()[1]["udeprel"] == "root"
    [after] = changing.score("attachment", **pair).rows()
    assert after["uas"] == before["uas"] - 1 / 30
    assert re.fullmatch(r"gold\.conllu@[0-9a-f]{6}\(changed\)", cited(changing, "gold"))
    assert cited(changing, "gold")[:18] != signature[:18]
    assert cited(changing, "parser-a") == other
    changing.export(tmp_path / "changed.conllu", corpus="gold")
    changing.export(tmp_path / "data", corpus="gold")
    with treesql.connect() as again:
        again.load(tmp_path / "changed.conllu", corpus="gold")
        select = "SELECT * EXCLUDE (line) FROM words WHERE corpus = 'gold' ORDER BY ALL"
        assert again.sql(select).rows() == changing.sql(select).rows()
    with treesql.connect() as again:
        again.load(tmp_path / "data")
        assert cited(again, "gold") == cited(changing, "gold")


@pytest.mark.slow
def test_the_same_change_gives_the_same_signature(tmp_path: Path) -> None:
    """Wherever the file lay, whatever the corpus is called, and in however many steps."""
    found = []
    steps = [
        ["UPDATE words SET lemma = 'x' WHERE sentence < 2"],
        ["UPDATE words SET lemma = 'x' WHERE sentence = 1", "UPDATE words SET lemma = 'x' WHERE sentence = 0"],
        ["UPDATE words SET lemma = 'y' WHERE sentence < 2"],
    ]
    for at, statements in enumerate(steps):
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "gold.conllu").write_bytes((FIXTURES / "gold.conllu").read_bytes())
        with treesql.connect() as db:
            db.load(folder / "gold.conllu", corpus=f"corpus {at}")
            for sql in statements:
                db.sql(sql)
            found.append(cited(db, f"corpus {at}"))
    assert found[0] == found[1] != found[2]


def test_texts_and_their_parts_follow(changing: treesql.Database) -> None:
    changing.sql("UPDATE words SET feats = 'New=Yes|Old' WHERE corpus = 'gold' AND sentence = 4 AND word = 1")
    known = changing.sql("SELECT name, value FROM features WHERE feats = 'New=Yes|Old' ORDER BY name").rows()
    assert known == [{"name": "New", "value": "Yes"}, {"name": "Old", "value": None}]
    changing.sql("; ".join([
        "UPDATE words SET feats = NULL, deps = '2:dep|0:root' WHERE corpus = 'gold' AND sentence = 4 AND word = 1",
        "UPDATE sentences SET comments = ['# newdoc id = d', '# sent_id = a b ', '# text =x'] "
        "WHERE corpus = 'gold' AND sentence = 4",
        "UPDATE lattice_edges SET edge_words = ['two', 'words'] WHERE sentence = 0 AND edge = 0",
        "UPDATE words SET form = 'dog' WHERE corpus = 'texts' AND sentence = 0 AND word = 2",
    ]))  # fmt: skip
    assert changing.sql("FROM features WHERE feats = 'New=Yes|Old'").rows() == []
    edges = changing.sql("SELECT head, dependent, deprel FROM enhanced_edges WHERE corpus = 'gold' AND sentence = 4")
    assert sorted((row["head"], row["dependent"], row["deprel"]) for row in edges.rows()) == [
        (0, 1, "root"), (1, 2, "punct"), (2, 1, "dep")
    ]  # fmt: skip
    [row] = changing.sql(
        "SELECT sent_id, text, newdoc, newpar FROM sentences WHERE corpus = 'gold' AND sentence = 4"
    ).rows()
    assert row == {"sent_id": "a b", "text": "x", "newdoc": "d", "newpar": None}
    words = changing.sql(
        "SELECT position, form FROM lattice_words WHERE sentence = 0 AND edge = 0 ORDER BY position"
    ).rows()
    assert words == [{"position": 1, "form": "two"}, {"position": 2, "form": "words"}]
    [row] = changing.sql("SELECT text FROM sentences WHERE corpus = 'texts' AND sentence = 0").rows()
    assert row == {"text": "the dog sat"}
    assert changed(changing) == {"gold", "lattices", "texts"}


def test_spans_count_on(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_bytes(conllu("ab:2:det c:0:root", "é_f:0:root").replace(b"_f", "\u00a0f".encode(), 1))
    db.load(tmp_path / "x.conllu", corpus="x")
    select = "SELECT span_start, span_end FROM words ORDER BY sentence, word"
    assert [tuple(row.values()) for row in db.sql(select).rows()] == [(0, 2), (2, 3), (3, 5)]
    db.sql("UPDATE words SET form = 'a b' || chr(160) || 'ü' WHERE sentence = 0 AND word = 2")
    assert [tuple(row.values()) for row in db.sql(select).rows()] == [(0, 2), (2, 5), (5, 7)]


def test_sentences_are_deleted_and_added(changing: treesql.Database, tmp_path: Path) -> None:
    tables = ("words", "tokens", "empty_nodes", "enhanced_edges", "sentences")
    changing.sql("; ".join(f"DELETE FROM {name} WHERE corpus = 'parser-a' AND sentence = 4" for name in tables))
    assert changing.sql("SELECT n_sentences, n_words FROM corpora WHERE corpus = 'parser-a'").rows() == [
        {"n_sentences": 4, "n_words": 28}
    ]
    changing.sql("; ".join(
        f"DELETE FROM {name} WHERE corpus = 'parser-a' AND sentence = 0; "
        f"UPDATE {name} SET sentence = sentence - 1 WHERE corpus = 'parser-a'" for name in tables
    ))  # fmt: skip
    changing.export(tmp_path / "two.conllu", corpus="parser-a")
    changing.load(tmp_path / "two.conllu", corpus="again")
    columns = "sentence, word, form, head, depth, enter, leave, span_start, span_end, multiword"
    one, other = (
        changing.sql(f"SELECT {columns} FROM words WHERE corpus = '{c}' ORDER BY ALL").rows()
        for c in ("again", "parser-a")
    )
    assert one == other
    assert one[0]["span_start"] == 0


def test_a_corpus_of_ones_own(changing: treesql.Database) -> None:
    """Rows of a new corpus need no computed values; it counts as changed."""
    names = ("sentences", "words", "tokens", "empty_nodes")
    copies = [
        f"INSERT INTO {name} SELECT * REPLACE ('copy' AS corpus) FROM {name} WHERE corpus = 'gold'"
        for name in ("corpora", *names)
    ]
    changing.sql(";".join([*copies, "UPDATE words SET depth = NULL, span_start = NULL WHERE corpus = 'copy'"]))
    for name in (*names, "enhanced_edges"):
        one, other = (
            changing.sql(f"SELECT * EXCLUDE (corpus) FROM {name} WHERE corpus = '{c}' ORDER BY ALL")
            for c in ("gold", "copy")
        )
        assert one.rows() == other.rows()
    assert changed(changing) == {"copy"}
    assert cited(changing, "copy") != cited(changing, "gold")


def test_cycles_where_they_were_taken(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_bytes(conllu("a:2:det b:1:det c:0:root", "x:0:root y:1:obj"))
    with pytest.warns(treesql.TreesqlWarning):
        db.load(tmp_path / "x.conllu", corpus="x", permissive=True)
    with pytest.warns(treesql.TreesqlWarning, match="x: 1 sentence whose heads form a cycle: sentence 1;"):
        db.sql("UPDATE words SET head = 1 WHERE sentence = 1 AND word = 1")
    assert [row["depth"] for row in db.sql("SELECT depth FROM words ORDER BY sentence, word").rows()] == [None] * 5
    db.sql("UPDATE words SET head = 3 WHERE sentence = 0 AND word = 2")
    depths = [row["depth"] for row in db.sql("SELECT depth FROM words ORDER BY sentence, word").rows()]
    assert depths == [3, 2, 1, None, None]


def test_tables_of_ones_own_are_free(changing: treesql.Database) -> None:
    for sql in ("BEGIN", "CREATE TABLE mine (word INTEGER)", "COMMIT"):
        changing.sql(sql)
    changing.sql(
        "INSERT INTO mine SELECT max(word) FROM words; UPDATE mine SET word = -1; ALTER TABLE mine ADD COLUMN x TEXT"
    )
    changing.sql(
        "UPDATE corpora SET treebank = 'T', language = 'en'; DELETE FROM relation_classes WHERE relation = 'det'"
    )
    assert changing.sql("SELECT word, x FROM mine").rows() == [{"word": -1, "x": None}]
    assert changing.sql("INSERT INTO mine SELECT 5, form FROM words LIMIT 1 RETURNING word").rows() == [{"word": 5}]
    assert changing.sql("UPDATE words SET lemma = $x WHERE lemma = $y", {"x": "a", "y": "no such"}).rows() == []
    assert changed(changing) == set()
    bare(changing).execute("BEGIN")
    with pytest.raises(UsageError, match="a transaction is open"):
        changing.sql("UPDATE words SET lemma = 'x'")
    bare(changing).execute("ROLLBACK")


def test_the_command(tmp_path: Path, run: Callable[..., Run]) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
    wrong, right = (f"UPDATE words SET head = {head} WHERE sentence = 0 AND word = 2" for head in (999, 0))
    done = run("sql", path, wrong, "--write")
    assert done.code == 2
    assert "gold: words: sentence 0, word 2: head 999" in done.err
    assert "read-only" in run("sql", path, right).err
    with treesql.connect(path) as db:
        assert changed(db) == set()
    roots = "warning: gold: 1 sentence with several roots: mat; they are scored as they are; --strict refuses them\n"
    done = run("sql", path, right, "--write")
    assert (done.code, done.err) == (0, roots)
    with treesql.connect(path) as db:
        assert changed(db) == {"gold"}
        assert db.info().rows()[0]["changed"]


def test_changed_sentences_are_warned_of_as_at_load(tmp_path: Path) -> None:
    """In the words of the readers, about changed sentences alone, and after the change."""
    words = "1\ta\t_\t_\t_\tA=1\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
    (tmp_path / "c.conllu").write_text(f"# sent_id = s1\n{words}# sent_id = s2\n{words}")
    (tmp_path / "links.wpt").write_text("1 1 1 S 0.5\n")
    first = "WHERE corpus = 'c' AND sentence = 0"
    with treesql.connect() as db:
        db.load(tmp_path / "c.conllu", corpus="c")
        db.load(tmp_path / "links.wpt", corpus="links")
        for sql, what in (
            (f"UPDATE words SET feats = 'A=1|A=2' {first}", "c: 1 sentence with a repeated feature in FEATS: s1; give"),
            (f"UPDATE words SET head = 0 {first}", "c: 1 sentence with several roots: s1; they are scored as they are"),
            (f"UPDATE sentences SET comments = ['# sent_id = s2'] {first}", "1 sentence with a repeated sent_id: s2;"),
            ("UPDATE alignments SET confidence = -7", "links: 1 confidence is below 0 or above 1; they are kept"),
        ):
            with pytest.warns(treesql.TreesqlWarning) as raised:
                db.sql(sql)
            assert any(what in str(one.message) for one in raised)
        db.sql("UPDATE words SET feats = 'B=1' WHERE corpus = 'c' AND sentence = 1")  # no warning of the other sentence
