"""Constituency corpora in a database: load, info, export and back, drop, and what does not go together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES, bare
from tests.readers import trees
from treesql.errors import InvalidInput, UsageError

TABLES = ("sentences", "words", "constituents", "constituent_lists", "constituent_labels")
FILES = {"gold.mrg": (5, 38, 37), "trees.nwk": (3, 16, 11), "discontinuous.export": (2, 8, 5)}


def rows(db: treesql.Database, corpus: str, *left_out: str) -> dict[str, list[dict[str, object]]]:
    """All rows of a corpus but for where they were read."""
    found = {
        name: db.sql(f"FROM {name} WHERE corpus = $corpus ORDER BY ALL", {"corpus": corpus}).rows() for name in TABLES
    }
    return {
        name: [{k: v for k, v in row.items() if k not in ("corpus", "file", *left_out)} for row in table]
        for name, table in found.items()
    }


@pytest.mark.spread(3, rest="slow")
@pytest.mark.filterwarnings("ignore:.*secondary edge")
@pytest.mark.parametrize("name", FILES)
def test_loaded_dropped_and_back_from_parquet(db: treesql.Database, tmp_path: Path, name: str) -> None:
    n_sentences, n_words, n_constituents = FILES[name]
    [loaded] = db.load(FIXTURES / name, corpus="trees")
    assert (loaded.n_sentences, loaded.n_words) == (n_sentences, n_words)
    assert db.sql("SELECT kind, n_sentences, n_words FROM corpora").rows() == [
        {"kind": "constituency", "n_sentences": n_sentences, "n_words": n_words}
    ]
    assert db.info().rows()[0]["kind"] == "constituency"
    before = rows(db, "trees")
    assert len(before["constituents"]) == n_constituents
    assert all(row["head"] is row["deprel"] is row["udeprel"] is row["upos"] is None for row in before["words"])
    assert db.sql("FROM trees").rows() == db.sql("FROM edges").rows() == []
    files = db.export(tmp_path / "data")
    assert tmp_path / "data" / "constituents" / "trees" / "part-00000.parquet" in files
    db.drop("trees")
    for table in (*TABLES, "corpora", "feature_lists"):
        assert db.sql(f"FROM {table}").rows() == [], table
    db.load(tmp_path / "data")
    assert rows(db, "trees") == before


def as_lists(db: treesql.Database) -> dict[int, list[list[object]]]:
    """Every tree as constituent_lists has it, with labels in place of their numbers."""
    named = dict(bare(db).execute("SELECT number, label FROM constituent_labels").fetchall())
    assert len(set(named.values())) == len(named)
    found = (
        bare(db)
        .execute("""
        SELECT sentence, parent_list, phrase_list, form_list, label_list, tag_list FROM constituent_lists
    """)
        .fetchall()
    )
    return {
        sentence: [*numbers, *([named[number] for number in one] for one in (labels, tags))]
        for sentence, *numbers, labels, tags in found
    }


def as_rows(db: treesql.Database) -> dict[int, list[list[object]]]:
    """The same from the rows of the other tables."""
    result: dict[int, list[list[object]]] = {
        sentence: [[], [], [], [], []] for (sentence,) in bare(db).execute("SELECT sentence FROM sentences").fetchall()
    }
    sql = "SELECT sentence, coalesce(parent, 0), label FROM constituents ORDER BY sentence, node"
    for sentence, parent, label in bare(db).execute(sql).fetchall():
        result[sentence][0].append(parent)
        result[sentence][3].append(label)
    sql = "SELECT sentence, coalesce(phrase, 0), text_key(form), xpos FROM words ORDER BY sentence, word"
    for sentence, phrase, form, tag in bare(db).execute(sql).fetchall():
        result[sentence][1].append(phrase)
        result[sentence][2].append(form)
        result[sentence][4].append(tag)
    return result


@pytest.mark.filterwarnings("ignore:.*secondary edge")
@pytest.mark.parametrize("name", FILES)
def test_lists_say_what_the_rows_say(db: treesql.Database, name: str) -> None:
    db.load(FIXTURES / name, corpus="trees")
    assert as_lists(db) == as_rows(db)


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("name", ["gold.mrg", "test.mrg", "trees.nwk"])
def test_exported_trees_have_the_same_rows(db: treesql.Database, tmp_path: Path, name: str) -> None:
    suffix = Path(name).suffix
    db.load(FIXTURES / name, corpus="first")
    db.export(tmp_path / f"out{suffix}", corpus="first")
    db.load(tmp_path / f"out{suffix}", corpus="again")
    assert rows(db, "again") == rows(db, "first")
    if suffix == ".mrg":
        assert (tmp_path / f"out{suffix}").read_bytes() == (FIXTURES / name).read_bytes()
    db.export(tmp_path / "folder", corpus="first", to="penn" if suffix == ".mrg" else "newick")
    assert (tmp_path / "folder" / name).read_bytes() == (tmp_path / f"out{suffix}").read_bytes()


@pytest.mark.slow
@given(st.lists(trees.sentences(), min_size=1, max_size=5))
@settings(deadline=None, max_examples=10)
def test_penn_brackets_come_back(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[trees.Tree]]) -> None:
    folder = tmp_path_factory.mktemp("penn")
    text = "".join(trees.line(tops) + "\n" for tops in sentences)
    (folder / "a.mrg").write_text(text, "utf-8")
    with treesql.connect() as db:
        db.load(folder / "a.mrg", corpus="a")
        db.export(folder / "b.mrg", corpus="a")
    assert (folder / "b.mrg").read_text("utf-8") == text


def test_penn_brackets_over_several_lines_become_one_line_each(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.psd").write_text("( (S\n  (NP=1 (NN a))\n  (. .)))\n\n()\n(X (Y (Z z) ) )\n((A a)\n (B b))")
    db.load(tmp_path / "a.psd", corpus="a")
    db.export(tmp_path / "b.psd", corpus="a")
    assert (tmp_path / "b.psd").read_text() == "(S (NP=1 (NN a)) (. .))\n(())\n(X (Y (Z z)))\n((A a) (B b))\n"
    db.load(tmp_path / "b.psd", corpus="b")
    assert rows(db, "a", "line") == rows(db, "b", "line")


def test_names_in_newick_are_quoted_where_they_must_be(db: treesql.Database, tmp_path: Path) -> None:
    text = "(('a b','it''s')'x;',(a_b,c-d)'[y]',('(','\"é\tü'));\n;\na;\n(b);\n"
    (tmp_path / "a.nwk").write_text(text)
    db.load(tmp_path / "a.nwk", corpus="a")
    db.export(tmp_path / "b.nwk", corpus="a")
    assert (tmp_path / "b.nwk").read_text() == text


def test_brackets_that_are_words_are_escaped(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "a.export").write_text("#BOS 1\n(\t$(\t--\t--\t500\na)\tX\t--\tHD\t500\n#500\tS\t--\tTOP\t0\n#EOS 1\n")
    db.load(tmp_path / "a.export", corpus="a")
    db.export(tmp_path / "a.mrg", corpus="a")
    assert (tmp_path / "a.mrg").read_text() == "(S-TOP ($-LRB- -LRB-) (X a-RRB-))\n"
    db.export(tmp_path / "a.nwk", corpus="a")
    assert (tmp_path / "a.nwk").read_text() == "('(','a)')S-TOP;\n"


@pytest.mark.filterwarnings("ignore:.*secondary edge")
def test_what_cannot_be_written(db: treesql.Database, tmp_path: Path) -> None:
    for name in ("gold.mrg", "trees.nwk", "discontinuous.export", "gold.conllu"):
        db.load(FIXTURES / name, corpus=name)
    (tmp_path / "a.mrg").write_text("(NP (NN a) (NN a))\n")
    (tmp_path / "b.mrg").write_text("((NP (NN a)) (. .))\n")
    for name in ("a.mrg", "b.mrg"):
        db.load(tmp_path / name, corpus=name)
    for corpus, form, error, message in (
        ("gold.conllu", "penn", UsageError, "has dependency trees, penn is for constituency trees; try conllu"),
        ("discontinuous.export", "penn", InvalidInput, "export:3: the tree is discontinuous: the words of"),
        ("discontinuous.export", "newick", InvalidInput, "export:3: the tree is discontinuous: the words of"),
        ("trees.nwk", "penn", InvalidInput, "trees.nwk:1: `bear` has no part of speech; write the corpus as Newick"),
        ("a.mrg", "newick", InvalidInput, "a.mrg:1: `a` is repeated, and leaves must have distinct names; name"),
        ("b.mrg", "newick", InvalidInput, "b.mrg:1: this sentence has 2 trees; write the corpus as Penn"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            db.export(tmp_path / "out.txt", corpus=corpus, to=form)
        assert not (tmp_path / "out.txt").exists()


def test_a_fault_loads_nothing(db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "bad.mrg").write_text("(S (A a))\n" * 1000 + "(S (A a)\n")
    with pytest.raises(InvalidInput, match=r"bad\.mrg:1001:1: this tree is not closed"):
        db.load(FIXTURES / "gold.mrg", tmp_path / "bad.mrg", corpus="both")
    assert all(db.sql(f"FROM {table}").rows() == [] for table in (*TABLES, "corpora"))


def test_dependency_scores_refuse_other_trees(db: treesql.Database) -> None:
    gold, test = str(FIXTURES / "gold.mrg"), str(FIXTURES / "test.mrg")
    for one, other in ((gold, test), (str(FIXTURES / "gold.conllu"), test), (gold, str(FIXTURES / "gold.conllu"))):
        with pytest.raises(UsageError, match=r"\.mrg has constituency trees, and (gold|system) is for dependency"):
            treesql.score("dependency", gold=one, systems=[other])
