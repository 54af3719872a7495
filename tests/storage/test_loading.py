"""Loading: whole or not at all, provenance, features, several files."""

from __future__ import annotations

import hashlib
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from treesql.engines import duckdb as engine_module
from treesql.engines.connections import Connection
from treesql.errors import InvalidInput, UnknownName, UsageError
from treesql.storage import loading

BAD = conllu("a:0:root") + b"1\tb\n\n"


def counts(db: treesql.Database) -> dict[str, int]:
    tables = ("corpora", "sentences", "words", "tokens", "empty_nodes", "enhanced_edges", "features")
    return {name: db.sql(f"SELECT count(*) AS n FROM {name}").rows()[0]["n"] for name in tables}


def test_a_load_tells_what_it_did_and_where_it_came_from(db: treesql.Database) -> None:
    path = FIXTURES / "gold.conllu"
    [loaded] = db.load(path, corpus="gold", treebank="Examples", language="en")
    assert (loaded.corpus, loaded.n_sentences, loaded.n_words) == ("gold", 5, 30)
    [row] = db.sql("FROM corpora").rows()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert row["files"] == [{"path": str(path), "sha256": digest}]
    assert (row["sha256"], row["treebank"], row["language"], row["format"]) == (digest, "Examples", "en", "conllu")
    assert (row["n_sentences"], row["n_words"], row["kind"]) == (5, 30, "dependency")
    assert row["treesql_version"] == treesql.__version__
    assert counts(db)["tokens"] == 1
    assert counts(db)["empty_nodes"] == 1
    assert counts(db)["enhanced_edges"] == 31


def test_computed_columns(examples: treesql.Database) -> None:
    rows = examples.sql("SELECT form, udeprel, punctuation FROM words WHERE corpus = 'gold' AND sentence = 2").rows()
    assert rows[1] == {"form": "hearing", "udeprel": "nsubj", "punctuation": False}
    assert rows[8] == {"form": ".", "udeprel": "punct", "punctuation": True}


def test_punctuation_is_unicode_category_p(db: treesql.Database, tmp_path: Path) -> None:
    forms = {**dict.fromkeys([".", "...", "«", "、", ":)"], True), **dict.fromkeys(["$", "+", "^_^", "a."], False)}
    (tmp_path / "a.conllu").write_text("".join(f"1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n\n" for form in forms))
    db.load(tmp_path / "a.conllu", corpus="a")
    rows = db.sql("SELECT form, punctuation FROM words").rows()
    assert {row["form"]: row["punctuation"] for row in rows} == forms


def test_features_are_taken_apart(examples: treesql.Database) -> None:
    sql = "SELECT f.name, f.value FROM features AS f WHERE f.feats = $feats ORDER BY f.name"
    rows = examples.sql(sql, {"feats": "Mood=Ind|Tense=Past|VerbForm=Fin"}).rows()
    assert rows == [
        {"name": "Mood", "value": "Ind"},
        {"name": "Tense", "value": "Past"},
        {"name": "VerbForm", "value": "Fin"},
    ]
    assert examples.sql(sql, {"feats": "SpaceAfter=No"}).rows() == [{"name": "SpaceAfter", "value": "No"}]
    assert examples.sql(sql, {"feats": "CopyOf=2"}).rows() == [{"name": "CopyOf", "value": "2"}]


def test_features_without_a_value_and_with_several_signs(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\ta\t_\t_\t_\tA|B=1=2|C=\t0\troot\t_\t_\n\n")
    db.load(tmp_path / "a.conllu", corpus="a")
    rows = db.sql("SELECT name, value FROM features ORDER BY name").rows()
    assert rows == [{"name": "A", "value": None}, {"name": "B", "value": "1=2"}, {"name": "C", "value": ""}]


def test_a_string_is_kept_once_whatever_the_number_of_its_features(db: treesql.Database, tmp_path: Path) -> None:
    feats = "|".join(f"A{number}=1" for number in range(500))
    (tmp_path / "a.conllu").write_text(f"1\ta\t_\t_\t_\t{feats}\t0\troot\t_\tB=2|B=2|B=1\n\n")
    db.load(tmp_path / "a.conllu", corpus="a")
    kept = db.sql("SELECT count(*) AS n, sum(length(feats)) AS characters FROM feature_lists").rows()
    assert kept == [{"n": 2, "characters": len(feats) + len("B=2|B=2|B=1")}]
    assert db.sql("SELECT count(*) AS n FROM words AS w JOIN features AS f ON f.feats = w.feats").rows() == [{"n": 500}]
    rows = db.sql("SELECT f.name, f.value FROM words AS w JOIN features AS f ON f.feats = w.misc").rows()
    assert rows == [{"name": "B", "value": "1"}, {"name": "B", "value": "2"}], "each once, in order"


def test_several_files_are_one_corpus(db: treesql.Database, tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(f"{name}:0:root", f"{name}{name}:0:root"))
    (tmp_path / "notes.txt").write_text("no treebank")
    db.load(tmp_path, corpus="all")
    rows = db.sql(
        "SELECT w.form, w.span_start, s.line FROM words w JOIN sentences s USING (corpus, sentence) ORDER BY sentence"
    ).rows()
    assert [row["form"] for row in rows] == ["a", "aa", "b", "bb"], "the files of a folder in order of their names"
    assert [row["span_start"] for row in rows] == [0, 1, 3, 4]
    assert [row["line"] for row in rows] == [1, 3, 1, 3]
    [corpus] = db.sql("SELECT files, sha256 FROM corpora").rows()
    digests = "".join(file["sha256"] for file in corpus["files"])
    assert corpus["sha256"] == hashlib.sha256(digests.encode()).hexdigest()
    assert db.load(str(tmp_path / "[ab].conllu"), corpus="pattern")[0].n_words == 4


def test_faults_of_all_files_are_told_and_nothing_is_loaded(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    before = counts(db)
    for name in ("one", "two"):
        (tmp_path / f"{name}.conllu").write_bytes(BAD)
    with pytest.raises(InvalidInput) as caught:
        db.load(FIXTURES / "parser-a.conllu", tmp_path / "one.conllu", tmp_path / "two.conllu", corpus="new")
    assert [Path(fault.path).name for fault in caught.value.faults] == ["one.conllu", "two.conllu"]
    assert counts(db) == before


def test_a_corpus_is_replaced_only_if_asked(db: treesql.Database, tmp_path: Path) -> None:
    db.load(FIXTURES / "gold.conllu", corpus="c")
    with pytest.raises(UsageError, match="is loaded already"):
        db.load(FIXTURES / "gold.conllu", corpus="c")
    (tmp_path / "bad.conllu").write_bytes(BAD)
    with pytest.raises(InvalidInput):
        db.load(tmp_path / "bad.conllu", corpus="c", replace=True)
    assert counts(db)["words"] == 30, "a replacement that fails leaves what was there"
    (tmp_path / "new.conllu").write_bytes(conllu("a:0:root"))
    db.load(tmp_path / "new.conllu", corpus="c", replace=True)
    assert counts(db) == {
        "corpora": 1,
        "sentences": 1,
        "words": 1,
        "tokens": 0,
        "empty_nodes": 0,
        "enhanced_edges": 0,
        "features": 0,
    }


def test_drop_takes_all_of_a_corpus_and_nothing_else(db: treesql.Database) -> None:
    db.load(FIXTURES / "gold.conllu", corpus="gold")
    before = counts(db)
    db.load(FIXTURES / "parser-a.conllu", corpus="parser")
    assert db.corpora == ["gold", "parser"]
    db.drop("parser")
    assert counts(db) == before
    with pytest.raises(UnknownName, match="unknown corpus 'god'; did you mean gold"):
        db.drop("god")


def test_strict_and_permissive(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "roots.conllu").write_bytes(conllu("a:0:root b:0:root", "a:0:root"))
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence with several roots: line 1"):
        db.load(tmp_path / "roots.conllu", corpus="roots")
    with pytest.raises(InvalidInput, match="2 roots"):
        db.load(tmp_path / "roots.conllu", corpus="strict", strict=True)
    (tmp_path / "cycle.conllu").write_bytes(conllu("a:2:x b:1:x", "a:0:root"))
    with pytest.raises(InvalidInput, match="heads form a cycle, 1 -> 2 -> 1, and no word is a root"):
        db.load(tmp_path / "cycle.conllu", corpus="cycle")
    with pytest.warns(treesql.TreesqlWarning, match="1 sentence whose heads form a cycle"):
        db.load(tmp_path / "cycle.conllu", corpus="cycle", permissive=True)
    rows = db.sql(
        "SELECT depth, enter, leave, projective FROM words WHERE corpus = 'cycle' ORDER BY sentence, word"
    ).rows()
    assert rows[0] == rows[1] == {"depth": None, "enter": None, "leave": None, "projective": None}
    assert rows[2] == {"depth": 1, "enter": 1, "leave": 1, "projective": True}


def test_views(examples: treesql.Database) -> None:
    trees = examples.sql("FROM trees WHERE corpus = 'gold' ORDER BY sentence").rows()
    assert [row["depth"] for row in trees] == [3, 2, 4, 3, 2]
    assert [row["projective"] for row in trees] == [True, True, False, True, True]
    assert [row["non_projective_edges"] for row in trees] == [0, 0, 1, 0, 0]
    # hearing: 1 + 2 + 1 + 2 + 1 + 5 + 4 + 5 over 8 edges
    assert (trees[2]["dependency_length"], trees[2]["mean_dependency_length"]) == (21, 21 / 8)
    assert (trees[4]["words"], trees[4]["roots"], trees[4]["mean_dependency_length"]) == (2, 1, 1.0)
    edges = examples.sql(
        "SELECT enhanced, count(*) AS n FROM edges WHERE corpus = 'gold' GROUP BY enhanced ORDER BY enhanced"
    ).rows()
    assert edges == [{"enhanced": False, "n": 30}, {"enhanced": True, "n": 31}]
    to_coffee = "corpus = 'gold' AND sentence = 3 AND dependent = 6 AND enhanced"
    assert examples.sql(f"SELECT head, head_index, deprel FROM edges WHERE {to_coffee}").rows() == [
        {"head": 5, "head_index": 1, "deprel": "obj"}
    ]
    comments = examples.sql(
        "SELECT key, value FROM comments WHERE corpus = 'gold' AND sentence = 2 ORDER BY position"
    ).rows()
    assert comments[0] == {"key": "sent_id", "value": "hearing"}
    assert comments[2] == {"key": "the textbook example of an edge that is not projective", "value": None}


@pytest.mark.slow
def test_killed_in_the_middle_the_database_holds_what_it_held(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
    (tmp_path / "large.conllu").write_bytes(conllu("a:2:x b:0:root c:2:x " + "d:2:x " * 27) * 20_000)
    script = (
        "import sys, treesql; db = treesql.connect(sys.argv[1]); db.load(sys.argv[2], corpus='large', progress=print)"
    )
    arguments = [sys.executable, "-u", "-c", script, str(path), str(tmp_path / "large.conllu")]
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(4):
        assert child.stdout.readline(), "the load was over before it could be killed"
    time.sleep(0.1)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    with treesql.connect(path) as db:
        assert db.corpora == ["gold"]
        assert counts(db)["words"] == 30


def test_blocks_are_released_within_a_corpus_where_nothing_else_uses_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that is open may run other statements, for which there would be too little memory for a moment."""
    limits: list[str] = []
    monkeypatch.setattr(loading, "release_blocks", lambda connection, limit: limits.append(limit))
    with treesql.connect(tmp_path / "open.duckdb") as db:
        db.load(FIXTURES / "gold.conllu")
    assert not limits
    for name, corpus in (("new", None), ("open", None), ("named", "a"), ("open", "b")):
        treesql.load(tmp_path / f"{name}.duckdb", FIXTURES / "parser-a.conllu", corpus=corpus)
        assert len(limits) > 2, "after each table"
        limits.clear()


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False])
def test_blocks_of_a_corpus_are_released_while_it_is_loaded(
    is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = "SELECT sum(memory_usage_bytes) FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"
    kept: list[int] = []

    def release(connection: Connection, limit: str) -> None:
        release_blocks(connection, limit)
        kept.append(int(connection.execute(used).fetchall()[0][0]))

    release_blocks = loading.release_blocks
    monkeypatch.setattr(loading, "release_blocks", release)
    monkeypatch.setattr(engine_module, "_CACHE_BYTES", 1_000_000)
    number = itertools.count()
    rest = "\t_" * 8
    form = (f"{next(number) * 7919 % 999983:x}" for _ in itertools.repeat(0))
    words = ("\n".join(f"{at}\t{next(form)}{rest}" for at in range(1, 101)) for _ in range(3000))
    (tmp_path / "a.conllu").write_text("\n\n".join([*words, ""]), "utf-8")
    (tmp_path / "b.conllu").write_text("1\ta" + "\t_" * 8 + "\n\n", "utf-8")
    if not is_new:
        treesql.load(tmp_path / "c.duckdb", tmp_path / "b.conllu")
        kept.clear()
    treesql.load(tmp_path / "c.duckdb", tmp_path / "a.conllu")
    assert len(kept) > 3
    assert max(kept) <= 1_000_000
