"""Rows changed through SQL are checked; where one is wrong, nothing changes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.storage.tables import rows
from treesql.errors import InvalidInput, QueryError, TreesqlError, UsageError


@pytest.fixture(scope="module")
def unchanged(every_kind: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[treesql.Database]:
    """Corpora of every kind, for changes that are refused."""
    with treesql.connect(shutil.copy(every_kind, tmp_path_factory.mktemp("copied") / "t.duckdb")) as db:
        yield db


State = tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def before(unchanged: treesql.Database) -> State:
    return state(unchanged)


def state(db: treesql.Database) -> State:
    """The rows and the records of all corpora."""
    return rows(db), db.sql("FROM corpora ORDER BY corpus").rows()


FAULTS = [
    ("UPDATE words SET head = 999 WHERE corpus = 'gold' AND sentence = 1 AND word = 2",
     "gold: words: sentence 1, word 2: head 999 is not a word of the sentence, which has 5; give 0 for a root"),
    ("UPDATE words SET head = NULL WHERE corpus = 'gold' AND sentence = 1 AND word = 2",
     "sentence 1, word 2: head is NULL, although other words"),
    ("UPDATE words SET head = 1 WHERE corpus = 'gold' AND sentence = 4 AND word = 1",
     "gold: words: sentence 4: heads form a cycle, 1 -> 1; give one of them another head"),
    ("UPDATE words SET head = 3 - word WHERE corpus = 'gold' AND sentence = 4", "heads form a cycle, 1 -> 2 -> 1"),
    ("UPDATE words SET word = 9 WHERE corpus = 'gold' AND sentence = 4 AND word = 2",
     "words: sentence 4, word 9: word 9 is not the next one after 1; number them 1, 2, 3"),
    ("DELETE FROM words WHERE corpus = 'gold' AND sentence = 4", "sentences: sentence 4: it has no words"),
    ("DELETE FROM sentences WHERE corpus = 'gold' AND sentence = 1",
     "sentences: sentence 2: sentence 2 is not the next one after 0"),
    ("DELETE FROM sentences WHERE corpus = 'gold' AND sentence = 4",
     "words: sentence 4: it has rows and is not in sentences"),
    ("UPDATE words SET sentence = 77 WHERE corpus = 'gold' AND sentence = 4",
     "words: sentence 77: it has rows and is not in sentences"),
    ("UPDATE words SET form = 'a' || chr(9) || 'b' WHERE corpus = 'gold' AND sentence = 4 AND word = 1",
     "sentence 4, word 1: form has a tab or a line break in it; take it out"),
    ("UPDATE words SET upos = '_' WHERE corpus = 'gold' AND sentence = 4", "word 1: upos is `_`; write NULL"),
    ("UPDATE words SET lemma = '' WHERE corpus = 'gold' AND sentence = 4", "word 1: lemma is empty; write NULL"),
    ("UPDATE words SET deps = '9:x' WHERE corpus = 'gold' AND sentence = 4",
     "enhanced_edges: sentence 4, .*: in deps of 1, `9:x` has a head that does not exist"),
    ("UPDATE words SET deps = 'x' WHERE corpus = 'gold' AND sentence = 4",
     "words: sentence 4, word 1: deps is `x`, which is not HEAD:RELATION"),
    ("UPDATE words SET deps = '0:a|0:a' WHERE corpus = 'gold' AND sentence = 4",
     "deps has a relation twice: `0:a.0:a`; write each relation once"),
    ("UPDATE enhanced_edges SET deprel = 'x' WHERE corpus = 'gold' AND sentence = 4",
     "enhanced_edges: sentence 4: it has other rows than those derived from deps"),
    ("UPDATE sentences SET sent_id = 'new' WHERE corpus = 'gold' AND sentence = 4",
     "sentences: sentence 4: sent_id is `new`, and by its comments `hello`; change its comments"),
    ("UPDATE sentences SET comments = ['no'] WHERE corpus = 'gold' AND sentence = 4", "`no` does not begin with #"),
    ("UPDATE tokens SET last = 99 WHERE corpus = 'gold'", r"tokens: sentence \d, first \d: last 99 is after the end"),
    ("INSERT INTO tokens BY NAME SELECT * FROM tokens WHERE corpus = 'gold'",
     "tokens: sentence .*: it is there twice; keep one"),
    ("UPDATE empty_nodes SET word = 50 WHERE corpus = 'gold'",
     "empty_nodes: sentence 3, word 50, index 1: word 50 is after"),
    ("UPDATE empty_nodes SET \"index\" = 3 WHERE corpus = 'gold'",
     "empty_nodes: sentence 3, word 5, index 3: index 3 is not the next one"),
    ("UPDATE words SET phrase = 99 WHERE corpus = 'brackets' AND sentence = 0 AND word = 1",
     "brackets: words: sentence 0, word 1: phrase 99 is not in constituents"),
    ("UPDATE words SET phrase = NULL WHERE corpus = 'brackets' AND sentence = 0", "no word is below it"),
    ("UPDATE constituents SET parent = 40 WHERE corpus = 'brackets' AND sentence = 0 AND node = 3",
     "node 3: parent 40 does not precede it"),
    ("UPDATE constituents SET parent = 1 WHERE corpus = 'brackets' AND sentence = 0 AND parent = 2",
     "constituents: sentence 0, node"),
    ("UPDATE constituents SET node = node + 1 WHERE corpus = 'brackets' AND sentence = 0",
     "node 2 is not the next one; number them 1, 2, 3"),
    ("UPDATE words SET form = 'a b' WHERE corpus = 'texts' AND sentence = 0 AND word = 1",
     "texts: words: sentence 0, word 1: form `a b` is empty or has a blank"),
    ("UPDATE alignments SET target = 55 WHERE sentence = 0 AND source = 1", "outside|word|55"),
    ("UPDATE alignments SET target = 0 WHERE sentence = 0 AND source = 1", "the link 1-0 has no word"),
    ("UPDATE alignments SET source = 2, target = 2 WHERE sentence = 0 AND source < 3", "it is there twice; keep one"),
    ("UPDATE words SET head = 3, deps = NULL WHERE corpus = 'gold' AND sentence = 0 AND word > 3; "
        "DELETE FROM words WHERE corpus = 'gold' AND sentence = 0 AND word > 5", "links"),
    ("UPDATE lattice_edges SET to_node = 99 WHERE sentence = 0 AND edge = 0", "edge 0: to_node 99 is not in the latti"),
    ("UPDATE lattice_edges SET edge = 99 WHERE sentence = 0 AND edge = 0", "number them 0, 1, 2"),
    ("UPDATE lattice_edges SET edge_words = [''] WHERE sentence = 0 AND edge = 0", "edge 0: a word is empty"),
    ("UPDATE lattice_edges SET scores = ['inf'] WHERE sentence = 0 AND edge = 0",
     "edge 0: the score inf is not a finite number"),
    ("DELETE FROM lattice_edges WHERE sentence = 2", "lattices: sentence 2: no path|no path leads"),
    ("UPDATE lattices SET n_nodes = 2000000000 WHERE sentence = 0", "n_nodes 2000000000 is far more"),
    ("UPDATE lattice_words SET form = 'x' WHERE sentence = 0", "lattice_words: sentence 0: it has other rows"),
    ("DELETE FROM lattices WHERE sentence = 2", "has rows and is not|no row in lattices"),
    ("UPDATE corpora SET corpus = 'new' WHERE corpus = 'gold'", "gold: sentences has 5 rows of this corpus"),
    ("DELETE FROM corpora WHERE corpus = 'links'", "links: alignments has .* or use `treesql drop`"),
    ("UPDATE corpora SET sha256 = 'x'", "sha256 of .* is maintained by treesql; only corpus, language"),
    ("UPDATE corpora SET reading = 'reverse'", "reading of .* is maintained by treesql"),
    ("UPDATE corpora SET kind = 'text' WHERE corpus = 'gold'", "kind of gold is maintained by treesql"),
    ("UPDATE corpora SET corpus = 'gold'", "two corpora have one name"),
    ("INSERT INTO corpora BY NAME SELECT * REPLACE ('new' AS corpus, 'forest' AS kind) FROM corpora LIMIT 1",
     "corpora: new: kind is 'forest', but kinds are dependency, "),
    ("INSERT INTO corpora BY NAME SELECT * REPLACE ('new' AS corpus, 'docx' AS format) FROM corpora LIMIT 1",
     "corpora: new: format is 'docx', but formats are "),
    ("DELETE FROM installation", "installation is maintained by treesql"),
    ("DROP TABLE words", "words is a table of treesql, whose columns and conditions stay"),
    ("ALTER TABLE words ADD COLUMN mine INTEGER", "words is a table of treesql"),
    ("CREATE OR REPLACE TABLE words AS SELECT * FROM words", "words is a table of treesql"),
    ("BEGIN; UPDATE words SET head = 0; COMMIT", "BEGIN, COMMIT and ROLLBACK cannot be used here"),
    ("WITH x AS (UPDATE words SET head = 999 RETURNING word) SELECT count(*) FROM x", "head 999 is not a word"),
    ("EXPLAIN ANALYZE UPDATE words SET head = 999 WHERE corpus = 'gold'", "head 999 is not a word"),
    ("PREPARE p AS UPDATE words SET head = 999 WHERE corpus = 'gold'; EXECUTE p", "head 999 is not a word"),
    ("UPDATE words SET head = -1", "CHECK constraint"),
]  # fmt: skip


@pytest.mark.spread(12)
@pytest.mark.parametrize(("sql", "told"), FAULTS, ids=[sql[:60] for sql, _ in FAULTS])
def test_faults_are_named_and_nothing_changes(unchanged: treesql.Database, before: State, sql: str, told: str) -> None:
    with pytest.raises(TreesqlError, match=told) as error:
        unchanged.sql(sql)
    assert isinstance(error.value, InvalidInput | UsageError | QueryError)
    assert state(unchanged) == before
    temporary = unchanged.sql("SELECT table_name FROM duckdb_tables() WHERE temporary").rows()
    assert temporary == []


def test_scores_that_no_file_has(tmp_path: Path, db: treesql.Database) -> None:
    (tmp_path / "l.fst.txt").write_text("0 1 a 0.5\n1 0.75\n\n")
    db.load(tmp_path / "l.fst.txt", corpus="l")
    for change, what in (
        ("lattice_edges SET scores = [1e305] WHERE edge = 0", "the score 1e.305 is not a finite number"),
        ("lattices SET final_scores = ['nan'::DOUBLE]", "the score nan of the final node is not a finite number"),
        ("lattices SET final_scores = []", "1 scores, where the final node has 0"),
        ("lattices SET n_finals = 3", "n_finals is 3, but final_scores is not NULL"),
    ):
        with pytest.raises(InvalidInput, match=what):
            db.sql(f"UPDATE {change}")


def test_positions_that_no_file_has(tmp_path: Path) -> None:
    (tmp_path / "links.wpt").write_text("1 1 1 S 0.5\n")
    with treesql.connect() as db:
        db.load(tmp_path / "links.wpt", corpus="links")
        for change, what in (
            ("source = 2000000000", "a position above 1000000000"),
            ("confidence = 'inf'", "not a finite number"),
        ):
            with pytest.raises(InvalidInput, match=what):
                db.sql(f"UPDATE alignments SET {change}")
