"""A data set with one table changed by SQL, its metadata and the order of its rows kept: what no file could have given
is refused, what a reader of files warns of is warned of, and what loads can be exported to a file and read again.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest

import treesql
from tests.conftest import FIXTURES, thorough_but
from treesql.catalog import schemas
from treesql.errors import InvalidInput, TreesqlWarning

LINKS = "1 1 1 S 0.5\n1 2 2 P 0.25\n2 1 1 S 1\n"
LATTICES = "0 1 a 0.5\n1 2 b 0.25\n0 2 c 1\n2 0.75\n\n0 1 a 0.5\n1 2 b 0.25\n1 0.5\n2 0.75\n\n"
FILES = {"gold": "conllu", "parses": "penn", "links": "wpt", "lattices": "jsonl", "text": None}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of corpora of every kind."""
    folder = tmp_path_factory.mktemp("data set")
    (folder / "links.wpt").write_text(LINKS)
    (folder / "lattices.fst.txt").write_text(LATTICES)
    with treesql.connect() as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        db.load(FIXTURES / "gold.mrg", corpus="parses")
        db.load(folder / "links.wpt", corpus="links")
        db.load(folder / "lattices.fst.txt", corpus="lattices")
        db.load(FIXTURES / "lattices.txt", corpus="text")
        db.export(folder / "out")
    return folder / "out"


@pytest.fixture(scope="module")
def none() -> Iterator[treesql.Database]:
    """A database in which nothing is ever loaded."""
    with treesql.connect() as db:
        yield db


@cache
def plain() -> duckdb.DuckDBPyConnection:
    """A database for the tables to be changed."""
    return duckdb.connect()


def mutated(exported: Path, out: Path, corpus: str, table: str, sql: str) -> Path:
    """The data set of one corpus after an SQL statement about one of its tables, `t`."""
    db = plain()
    for folder in exported.glob(f"*/{corpus}"):
        shutil.copytree(folder, out / folder.relative_to(exported))
    path = out / table / corpus / "part-00000.parquet"
    key = ", ".join(f'"{name}"' for name in schemas.table(table).key if name != "corpus") or "1"
    kept = db.execute(f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{path}')").fetchall()
    pairs = ", ".join(f"'{name}': '{value}'" for name, value in kept if name != "ARROW:schema")
    db.execute(f"CREATE OR REPLACE TABLE t AS FROM read_parquet('{path}', hive_partitioning = false)")
    db.execute(sql)
    db.execute(f"COPY (FROM t ORDER BY {key}) TO '{path}' (FORMAT parquet, KV_METADATA {{{pairs}}})")
    return out


WORD = "WHERE sentence = 0 AND word = 2"
REFUSED = [
    ("gold", "words", f"UPDATE t SET form = 'a' || chr(0) {WORD}", "part-00000.parquet:2: form has a NUL byte"),
    ("gold", "words", f"UPDATE t SET misc = 'a' || chr(13) {WORD}", "misc ends in a carriage return"),
    ("gold", "words", f"UPDATE t SET upos = '_' {WORD}", "upos is `_`; write NULL"),
    ("gold", "words", f"UPDATE t SET span_start = -4 {WORD}", "part-00000.parquet:2: span_start is -4, and by forms"),
    ("gold", "words", f"UPDATE t SET span_start = 100000, span_end = 100000 {WORD}",
     "span_start is 100000, and by forms"),
    ("gold", "words", "UPDATE t SET span_end = span_end + 4",
     "span_(start|end) is .*, and by forms of words and tokens"),
    ("gold", "words", f"UPDATE t SET multiword = NOT multiword {WORD}",
     "multiword is true, and by forms of words and tokens false"),
    ("gold", "words", f"UPDATE t SET enter = enter + 1 {WORD}", "enter is 3, and by heads 2"),
    ("gold", "words", f"UPDATE t SET leave = leave + 1 {WORD}", "leave is 4, and by heads 3"),
    ("gold", "words", f"UPDATE t SET enter = NULL {WORD}", "enter is NULL, and by heads 2"),
    ("gold", "words", f"UPDATE t SET projective = NOT projective {WORD}",
     "projective is false, and by heads true"),
    ("gold", "words", "UPDATE t SET deps = NULL", "it is not derived from deps of words and empty_nodes"),
    ("gold", "words", f"UPDATE t SET deps = 'garbage' {WORD}",
     "part-00000.parquet:2: deps is `garbage`, which is not HEAD:RELATION"),
    ("gold", "enhanced_edges", "UPDATE t SET deprel = 'x' || deprel",
     "enhanced_edges/gold/part-00000.parquet:1: it is not derived from deps of words and empty_nodes"),
    ("gold", "empty_nodes", "UPDATE t SET deps = NULL", "it is not derived from deps of words and empty_nodes"),
    ("gold", "empty_nodes", "UPDATE t SET misc = chr(10)", "misc has a tab or a line break"),
    ("gold", "tokens", "UPDATE t SET form = form || 'x'", "span_(start|end) is .*, and by forms of words and tokens"),
    ("gold", "tokens", "UPDATE t SET form = 'a' || chr(9)", "form has a tab or a line break"),
    ("gold", "sentences", "UPDATE t SET comments = ['# x' || chr(10) || '1']", "`# x.*1` has a line break in it"),
    ("gold", "sentences", "UPDATE t SET comments = ['x']", "the comment `x` does not begin with #"),
    ("gold", "sentences", "UPDATE t SET newdoc = 'a' || chr(10)", r"newdoc is `a.x0a`, and by its comments "),
    ("gold", "sentences", "UPDATE t SET sent_id = 'other'", "sent_id is `other`, and by its comments `"),
    ("gold", "sentences", "UPDATE t SET text = NULL", "text is NULL, and by its comments `"),
    ("parses", "constituents", "UPDATE t SET continuous = false", "continuous is false, and by parents and words true"),
    ("parses", "constituents", "UPDATE t SET last = last - 1 WHERE sentence = 0 AND node = 3",
     "last is 2, and by parents and words"),
    ("parses", "constituents", "UPDATE t SET functions = ' (x'",
     "functions has a blank, a tab, a line break or a bracket"),
    ("parses", "words", f"UPDATE t SET form = 'a' || chr(10) {WORD}", "form has a tab or a line break"),
    ("parses", "words", f"UPDATE t SET span_end = span_end + 4 {WORD}",
     "span_(start|end) is .*, and by forms of words and tokens"),
    ("text", "words", f"UPDATE t SET form = 'a b' {WORD}", "form `a b` is empty or has a blank, a tab or a line break"),
    ("text", "words", f"UPDATE t SET form = 'other', span_end = span_start + 5 {WORD}",
     "text is `the cat sat`, and by words `the other sat`"),
    ("text", "sentences", "UPDATE t SET text = text || chr(10)", "text has a line break"),
    ("text", "sentences", "UPDATE t SET text = text || ' more'",
     "text is `the cat sat more`, and by words `the cat sat`"),
    ("text", "sentences", "UPDATE t SET text = upper(text)", "text is `THE CAT SAT`, and by words `the cat sat`"),
    ("links", "alignments", "UPDATE t SET target = 2147483647",
     "the link 1-2147483647 has a position above 1000000000"),
    ("links", "alignments", "UPDATE t SET source = 0", "the link 0-1 has no word"),
    ("lattices", "lattice_edges", "UPDATE t SET scores = ['inf'::DOUBLE] WHERE edge = 0",
     "score inf is not a finite number"),
    ("lattices", "lattice_edges", "UPDATE t SET scores = [1e305] WHERE edge = 1",
     "the score 1e[+]305 is not a finite number"),
    ("lattices", "lattice_edges", "UPDATE t SET scores = [1, 2] WHERE edge = 0", "2 scores, where the final node .* 1"),
    ("lattices", "lattices", "UPDATE t SET final_scores = ['nan'::DOUBLE] WHERE n_finals = 1",
     "the score nan of the final node is not a finite number"),
    ("lattices", "lattices", "UPDATE t SET final_scores = [] WHERE sentence = 0",
     "1 scores, where the final node .* 0"),
    ("lattices", "lattices", "UPDATE t SET final_scores = [1.0] WHERE n_finals > 1",
     "n_finals is [23], but final_scores is not NULL"),
    ("lattices", "lattices", "UPDATE t SET n_finals = 3 WHERE sentence = 0",
     "n_finals is [23], but final_scores is not NULL"),
    ("lattices", "lattices", "UPDATE t SET n_finals = 2, final_scores = NULL WHERE sentence = 0",
     "it has words and leads to the node after 2 final nodes"),
]  # fmt: skip

WARNED = [
    ("gold", "words", f"UPDATE t SET feats = 'A=1|A=2' {WORD}", "1 sentence with a repeated feature in FEATS: "),
    ("gold", "tokens", "UPDATE t SET feats = 'A=1|A=2'", "sentences? with a repeated feature in FEATS: "),
    ("gold", "sentences",
     "UPDATE t SET sent_id = 'a', comments = ['# sent_id = a', '# text = ' || text], newdoc = NULL, newpar = NULL",
     "4 sentences with a repeated sent_id: a, a, a, a; make every sent_id unique"),
    ("links", "alignments", "UPDATE t SET confidence = -7", "3 confidences are below 0 or above 1; they are kept"),
    ("lattices", "sentences", "UPDATE t SET sent_id = 'a'", "1 lattice has a repeated id: a; make every id unique"),
]  # fmt: skip

LOADED = [
    ("gold", "words", "UPDATE t SET feats = 'garbage'"),
    ("gold", "words", "UPDATE t SET upos = 'a b', lemma = NULL, deprel = NULL"),
    ("gold", "words", "UPDATE t SET misc = 'SpaceAfter=No|SpaceAfter=Yes'"),
    ("gold", "sentences", "UPDATE t SET line = line + 7, file = 'other.conllu'"),
    ("lattices", "lattice_edges", "UPDATE t SET scores = [] WHERE edge = 0"),
    ("lattices", "lattice_edges", "UPDATE t SET scores = [1e299] WHERE edge = 0"),
    ("links", "alignments", "UPDATE t SET source = 1000000 + target, confidence = NULL"),
]


@pytest.mark.spread(10)
@pytest.mark.parametrize(("corpus", "table", "sql", "what"), REFUSED)
def test_refused(
    exported: Path, none: treesql.Database, tmp_path: Path, corpus: str, table: str, sql: str, what: str
) -> None:
    out = mutated(exported, tmp_path / "out", corpus, table, sql)
    with pytest.raises(InvalidInput, match=what):
        none.load(out)
    assert none.corpora == []


@pytest.mark.spread(2)
@pytest.mark.parametrize(("corpus", "table", "sql", "what"), WARNED)
def test_warned(exported: Path, tmp_path: Path, corpus: str, table: str, sql: str, what: str) -> None:
    out = mutated(exported, tmp_path / "out", corpus, table, sql)
    with treesql.connect() as db:
        with pytest.warns(TreesqlWarning, match=what):
            db.load(out)
        assert db.corpora == [corpus]


def test_computed_columns_are_computed_again(exported: Path, tmp_path: Path) -> None:
    out = mutated(
        exported, tmp_path / "out", "gold", "words", "UPDATE t SET udeprel = 'x', punctuation = NOT punctuation"
    )
    rows = []
    for folder in (exported, out):
        with treesql.connect() as db:
            db.load(folder, corpus="gold")
            rows.append(db.sql("FROM words ORDER BY sentence, word").rows())
    assert rows[0] == rows[1]


CASES = [case[:3] for case in [*LOADED, *WARNED, *REFUSED]]


@pytest.mark.spread(4)
@pytest.mark.parametrize(("corpus", "table", "sql"), thorough_but(CASES, *CASES[::3]))
def test_what_loads_can_be_exported_and_read_again(
    exported: Path, tmp_path: Path, corpus: str, table: str, sql: str
) -> None:
    """To a file of the kind's own format, and as a data set."""
    out = mutated(exported, tmp_path / "out", corpus, table, sql)
    with warnings.catch_warnings(), treesql.connect() as db, treesql.connect() as again:
        warnings.simplefilter("ignore", TreesqlWarning)
        try:
            db.load(out)
        except InvalidInput:
            assert (corpus, table, sql) not in LOADED
            return
        form = FILES[corpus]
        if form is not None:
            db.export(tmp_path / f"file.{form}", corpus=corpus, to=form)
            again.load(tmp_path / f"file.{form}", corpus="again", format=form)
            sizes = "SELECT n_sentences, n_words FROM corpora"
            assert again.sql(sizes).rows() == db.sql(sizes).rows()
        db.export(tmp_path / "data set")
        again.load(tmp_path / "data set")
