"""What weighs and classifies relations: tables, treebanks, folders, and corpora of the database."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import conllu, heard
from tests.evaluation.systems import GOLD, A, B, rows, same, score
from treesql.errors import InvalidInput, UnknownName, UsageError

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

WEIGHTS = {"nsubj": 1.0, "det": 0.0, "punct": 0.25}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A treebank with det (two forms of four), nsubj (two) and root (one), alone in a folder."""
    path = tmp_path_factory.mktemp("treebank") / "one.conllu"
    path.write_bytes(conllu("a:2:det b:3:nsubj c:0:root", "d:2:det b:3:nsubj c:0:root"))
    return str(path)


@cache
def edges() -> list[dict[str, Any]]:
    """Every word of gold, beside that of parser-a."""
    with treesql.connect() as db:
        for corpus, path in (("gold", GOLD), ("a", A)):
            db.load(path, corpus=corpus)
        return db.query("attachment", gold_corpus="gold", system_corpus="a").rows()


def weighed(expected: dict[str, float]) -> float:
    """WLAS of parser-a by weights, 0.5 where there is none, word by word."""
    right = total = 0.0
    for row in edges():
        weight = expected.get(row["gold_udeprel"], 0.5)
        total += weight
        right += weight * row["correct_edge"]
    return right / total


@cache
def entropies(*paths: str, query: str = "averaged_word_entropy") -> dict[str, float]:
    with treesql.connect() as db:
        for number, path in enumerate(paths):
            db.load(path, corpus=f"c{number}", treebank=f"t{number}")
        return {row["relation"]: row["wde"] for row in db.query(query).rows()}


@pytest.mark.parametrize(
    "text", ["relation,weight\nnsubj,1\ndet,0\npunct,0.25\n", "# 2017\nnsubj 1\ndet 0\npunct 0.25\n"]
)
def test_a_table_of_weights(tmp_path: Path, text: str) -> None:
    (tmp_path / "w.csv").write_text(text)
    result = score(A, weights=str(tmp_path / "w.csv"), metric="wlas,uas")
    [row] = result.rows()
    assert row["wlas"] == pytest.approx(weighed(WEIGHTS))
    assert row["wlas"] != pytest.approx(weighed(entropies(GOLD))), "as if there were no table"
    assert re.search(r"\|weights:w\.csv@[0-9a-f]{6}\|", result.signatures["parser-a.conllu:wlas"])
    assert "weights" not in result.signatures["parser-a.conllu:uas"]


def test_the_gold_corpus_weighs_if_nothing_else_does() -> None:
    result = score(A, B)
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(entropies(GOLD)))
    assert "|weights:wde|" in result.signatures["parser-b.conllu:wlas"]


def test_one_treebank_weighs(treebank: str) -> None:
    result = score(A, weights=treebank, metric="wlas")
    expected = entropies(treebank)
    assert expected == pytest.approx({"det": 0.5, "nsubj": 0, "root": 0})
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(expected))
    assert re.search(
        r"\|weights:wde\(one\.conllu@[0-9a-f]{6}\)@[0-9a-f]{6}\|", result.signatures["parser-a.conllu:wlas"]
    )


def test_several_treebanks_weigh_on_average(treebank: str) -> None:
    """A relation that a treebank lacks counts 0.5 there."""
    result = score(A, weights=[treebank, GOLD], metric="wlas")
    one, own = entropies(treebank), entropies(GOLD)
    expected = {relation: (one.get(relation, 0.5) + own[relation]) / 2 for relation in own}
    assert expected["case"] == (0.5 + own["case"]) / 2
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(expected))
    digest = "[0-9a-f]{6}"
    names = rf"\|weights:wde\(gold\.conllu@{digest}\+one\.conllu@{digest}\)@{digest}\|"
    assert re.search(names, result.signatures["parser-a.conllu:wlas"])


def test_a_folder_weighs(treebank: str) -> None:
    folder, file = (rows(A, weights=[one], metric="wlas") for one in (str(Path(treebank).parent), treebank))
    assert folder == file


@pytest.mark.thorough
def test_corpora_of_the_database_weigh(tmp_path: Path, treebank: str, database: str) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in (("gold", GOLD), ("parser-a", A), ("one", treebank)):
            db.load(file, corpus=corpus)
    result = score("parser-a", gold="gold", db=path, weights="one")
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(entropies(treebank)))
    assert re.search(r"\|weights:wde\(one\.conllu@[0-9a-f]{6}\)@[0-9a-f]{6}\|", result.signatures["parser-a:wlas"])
    [row] = rows("parser-a", gold="gold", db=path, weights=["one", "gold"])
    assert row["wlas"] == rows(A, weights=[treebank, GOLD])[0]["wlas"]
    [row] = rows("parser-a", gold="gold", db=path, weights=[treebank, GOLD])
    assert row["wlas"] == rows(A, weights=[treebank, GOLD])[0]["wlas"], "files beside a database"
    with pytest.raises(UnknownName, match="unknown corpus 'onn'; did you mean one"):
        rows("parser-a", gold="gold", db=path, weights=["onn"])


@pytest.mark.slow
def test_weights_where_words_differ(tmp_path: Path, cut: str) -> None:
    (tmp_path / "w.csv").write_text("relation,weight\nnsubj,1\ndet,0\npunct,0.25\n")
    weights = str(tmp_path / "w.csv")
    first, second = rows(A, cut, weights=weights)
    assert first["wlas"] == pytest.approx(weighed(WEIGHTS))
    [alone] = rows(cut, weights=weights)
    assert 0 < alone["wlas_recall"] < first["wlas"]
    assert {name: second[name] for name in alone} == alone


def test_a_table_and_treebanks_are_not_mixed(tmp_path: Path, treebank: str, database: str) -> None:
    table = tmp_path / "w.csv"
    table.write_text("relation,weight\nnsubj,1\n")
    for mixed in ([str(table), treebank], [treebank, str(table)], [str(table), str(table)]):
        with pytest.raises(UsageError, match="name one table of weights, or treebanks"):
            rows(A, weights=mixed)
    with pytest.raises(UsageError, match="name one table of weights, or treebanks"):
        rows("parser-a", gold="gold", db=database, weights=[str(table), treebank])
    with pytest.raises(InvalidInput, match="name a file that can be read"):
        rows(A, weights=[str(tmp_path / "none.csv")])


def test_classes_of_ones_own(tmp_path: Path, cut: str, database: str) -> None:
    """Here det is all that is content; parser-a has all four right."""
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\nobl,function\n")
    classes = str(tmp_path / "c.csv")
    scores = [f"{of}_{score}" for of in ("content", "function") for score in ("precision", "recall")]
    how = {"classes": classes, "metric": scores}
    [row] = rows(A, **how)
    assert (row["content_precision"], row["content_recall"]) == (1, 1)
    assert (row["function_precision"], row["function_recall"]) == (1 / 2, 1 / 2)
    assert rows(A, cut, **how)[0]["function_recall"] == 1 / 2
    loaded = rows("parser-a", gold="gold", db=database, **how)
    assert same(loaded, [{**row, "system": "parser-a"}])
    with treesql.connect(database, read_only=True) as db:
        assert len(db.sql("FROM relation_classes")) > 30
        [found] = db.score("dependency", gold="gold", systems=["parser-a"], **how).rows()
        assert found["content_recall"] == row["content_recall"]
        assert len(db.sql("FROM relation_classes")) > 30


def test_relations_without_a_class_are_told_of_each_file(tmp_path: Path, cut: str, database: str) -> None:
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\nobl,function\n")
    classes = str(tmp_path / "c.csv")
    with heard() as told:
        for systems, how in (((A,), {}), ((A, cut), {}), (("parser-a",), {"gold": "gold", "db": database})):
            rows(*systems, **how, classes=classes, metric="content_recall")
    assert " ".join(told).count("relations that belong to no class: ") == 2 + 3 + 2
    assert "punct (5)" in told[0]
    assert "det (4)" not in " ".join(told)


def test_unclassified_relations_are_told_once(tmp_path: Path) -> None:
    text = Path(GOLD).read_text()
    (tmp_path / "gold.conllu").write_text(text.replace("\tobl\t", "\todd\t").replace("\tcc\t", "\tstrange\t"))
    with heard() as told:
        rows(A, B, gold=str(tmp_path / "gold.conllu"), metric="content_recall")
    assert told == [
        "gold.conllu: relations that belong to no class: odd (1), strange (1); "
        "they count as other; classes=FILE classifies them"
    ]


def test_unclassified_relations_are_told_once_where_words_differ(tmp_path: Path, cut: str) -> None:
    (tmp_path / "gold.conllu").write_text(Path(GOLD).read_text().replace("\tcc\t", "\tstrange\t"))
    with heard() as told:
        rows(A, cut, gold=str(tmp_path / "gold.conllu"), metric="content_recall")
    assert [("belong to no class" in one, "not those of every" in one) for one in told] == [
        (True, False),
        (False, True),
    ]


def test_weights_are_corpora_of_an_open_database(examples: treesql.Database) -> None:
    for names in (["gold"], ["gold", "parser-a"]):
        [row] = examples.score("dependency", gold="gold", systems=["parser-a"], metric="wlas", weights=names).rows()
        assert row["wlas"] == pytest.approx(weighed(entropies(*(GOLD if name == "gold" else A for name in names))))
    with pytest.raises(UnknownName, match="unknown corpus 'nobody'"):
        examples.score("dependency", gold="gold", systems=["parser-a"], metric="wlas", weights=["gold", "nobody"])


def test_scores_of_enhanced_edges_say_that_there_are_none() -> None:
    with pytest.warns(treesql.TreesqlWarning, match=r"parser-a.conllu: no enhanced dependencies: .* DEPS is empty"):
        assert treesql.score("dependency", gold=GOLD, systems=[A], metric="elas").rows()[0]["elas"] == 0


def test_tables_of_enhanced_scores_say_it_too_and_once() -> None:
    """Their files are read block by block."""
    with pytest.warns(treesql.TreesqlWarning) as caught:
        rows = treesql.score("dependency", gold=GOLD, systems=[A, B], conll18=True, enhanced=True).rows()
    assert {row["correct"] for row in rows if row["metric"] == "ELAS"} == {0}
    gold, *told = [str(one.message) for one in caught]
    assert "gold.conllu: 4 of 31 enhanced edges come from or go to empty nodes and are not compared" in gold
    assert [one.split(": ")[0] for one in told] == ["parser-a.conllu", "parser-b.conllu"]
    assert all("no enhanced dependencies: its column DEPS is empty" in one for one in told)
    treesql.score("dependency", gold=GOLD, systems=[GOLD], conll18=True, enhanced=True)
