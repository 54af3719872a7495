"""Signatures: the same number has the same one from all sides, and they cite all that it depends on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import treesql
from tests.conftest import FIXTURES, bare
from tests.scoring.attachment import PAIR
from treesql import catalog
from treesql.cli import group
from treesql.results import signature_text
from treesql.scoring import scores

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("metrics", "files", "options", "parameters"),
    [
        (("attachment", "weighted_attachment", "relation_class_scores"), ("gold.conllu", "parser-a.conllu"),
         ["dependency", "--metric", "attachment,weighted_attachment,relation_class_scores", "--punctuation", "form"],
         {"punctuation": "form"}),
        (("content_attachment",), ("gold.conllu", "parser-a.conllu"),
         ["dependency", "--metric", "content_attachment", "--by", "upos"], {"by": "upos"}),
        (("attachment",), ("gold.conllu", "parser-b.conllu"),
         ["dependency", "--metric", "attachment", "--where", "word > 1", "--ci"], {"where": "word > 1", "ci": True}),
        (("evalb", "robinson_foulds"), ("gold.mrg", "test.mrg"),
         ["constituency", "--metric", "evalb,robinson_foulds", "--rules", "new"], {"rules": "new"}),
        (("agreement",), ("links.pharaoh", "links-a.pharaoh"), ["alignment"], {}),
    ],
)  # fmt: skip
def test_both_sides_give_one_signature(
    folder: Path, tmp_path: Path, metrics: Sequence[str], files: Sequence[str], options: list[str],
    parameters: dict[str, Any],
) -> None:  # fmt: skip
    """Files, a database by the command line, and the same in Python, whatever corpora are called there."""
    with treesql.connect(tmp_path / "t.duckdb") as db:
        for corpus, file in zip("xy", files, strict=True):
            db.load(folder / file, corpus=corpus)
        result = db.score(*metrics, gold_corpus="x", system_corpus="y", **parameters)
    kind, *others = options
    of_files = told(kind, *(str(folder / file) for file in files), *others)
    of_database = told(kind, "x", "y", "--db", str(tmp_path / "t.duckdb"), *others)
    assert of_files == of_database
    for name, text in result.signatures.items():
        parts = set(signature_text.split(text)[1:-3])
        [line] = [line for line in of_files if name in line.split("|")[0].split(",")]
        assert parts <= set(signature_text.split(line)), name


def test_tables_and_lattices_have_one_signature_from_both_sides(folder: Path, tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as db:
        db.load(folder / "gold.conllu", corpus="g")
        db.load(folder / "parser-a.conllu", corpus="a")
        db.load(folder / "lattices.plf", corpus="l", phrases=True)
        db.load(folder / "lattices.txt", corpus="r")
        table = db.query("conll18", gold_corpus="g", system_corpus="a")
        swcd = db.score("word_count_distance", lattice_corpus="l", reference_corpus="r", min_redundancy=2)
    files = [str(folder / name) for name in ("gold.conllu", "parser-a.conllu")]
    assert told("dependency", *files, "--conll18") == [table.signature]
    assert "(phrases)" in swcd.signature
    lattice = [str(folder / "lattices.plf"), "-r", str(folder / "lattices.txt"), "--phrases", "--min-redundancy", "2"]
    [line] = told("lattice", *lattice, "--metric", "word_count_distance")
    assert swcd.signatures["swcd"].split("|")[1:] == line.split("|")[1:]


def told(kind: str, *arguments: str) -> list[str]:
    done = CliRunner().invoke(group, ["score", kind, *arguments, "--format", "json", "--signature"])
    assert done.exit_code == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "|duckdb:" in line]


def test_weights_are_cited_by_what_they_are(db: treesql.Database, folder: Path) -> None:
    for corpus in ("gold", "parser-a"):
        db.load(folder / f"{corpus}.conllu", corpus=corpus)
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    assert "|weights:wde|" in db.score("weighted_attachment", **pair).signatures["wlas"]
    db.sql("INSERT INTO relation_weights VALUES ('wde', 'nsubj', 1), ('w.csv', 'nsubj', 1), ('w.csv', 'det', 0)")
    own = db.score("weighted_attachment", weights="wde", **pair).signatures["wlas"]
    assert re.search(r"\|weights:wde@[0-9a-f]{6}\|", own)
    files = [str(folder / name) for name in ("gold.conllu", "parser-a.conllu", "w.csv")]
    [line] = told("dependency", *files[:2], "--metric", "weighted_attachment", "--weights", files[2])
    [weights] = [part for part in line.split("|") if part.startswith("weights:")]
    assert weights in db.score("weighted_attachment", weights="w.csv", **pair).signatures["wlas"].split("|")
    db.sql("UPDATE relation_weights SET weight = 0.25 WHERE relation = 'det'")
    assert weights not in db.score("weighted_attachment", weights="w.csv", **pair).signatures["wlas"].split("|")


def test_a_condition_that_asks_other_corpora_is_cited_with_them(db: treesql.Database, folder: Path) -> None:
    for corpus in ("gold", "parser-a"):
        db.load(folder / f"{corpus}.conllu", corpus=corpus)
    given = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    where = "word IN (SELECT w.word FROM words AS w WHERE w.corpus = 'other')"
    before = db.score("attachment", where=where, **given).signatures["las"]
    db.load(folder / "parser-b.conllu", corpus="other")
    after = db.score("attachment", where=where, **given).signatures["las"]
    assert before != after
    assert "|others:" in after


def test_statistics_cite_the_corpora_that_they_are_of(db: treesql.Database, folder: Path) -> None:
    db.load(folder / "gold.conllu", corpus="gold")
    one = db.query("word_entropy", corpus_name="gold").signature
    assert re.search(r"\|corpus:gold\.conllu@[0-9a-f]{6}\|", one)
    every, inventory = db.query("averaged_word_entropy").signature, db.query("relation_inventory").signature
    assert "|corpora:1@" in every
    db.load(folder / "parser-a.conllu", corpus="parser-a")
    assert "|corpora:2@" in db.query("averaged_word_entropy").signature
    assert db.query("relation_inventory").signature != inventory
    assert db.query("word_entropy", corpus_name="gold").signature == one
    two = db.query("averaged_word_entropy").signature
    db.sql("UPDATE corpora SET treebank = 'T'")
    assert db.query("averaged_word_entropy").signature != two


def test_corpora_keep_how_they_were_read(db: treesql.Database, folder: Path, tmp_path: Path) -> None:
    def reading(corpus: str) -> object:
        return db.sql("SELECT reading FROM corpora WHERE corpus = $c", {"c": corpus}).rows()[0]["reading"]

    def load(name: str, corpus: str, **options: Any) -> object:
        db.load(folder / name, corpus=corpus, **options)
        return reading(corpus)

    assert load("links.pharaoh", "usual") == ""
    assert load("links.pharaoh", "same", base=0) == ""
    assert load("plain", "many", format="pharaoh", base=1, reverse=True, null_links=True) == "base:1 null_links reverse"
    assert load("plain-b.talp", "talp", base=1) == ""
    assert load("lattices.plf", "phrases", phrases=True) == "phrases"
    assert load("gold.conllu", "strict", strict=True, permissive=True) == ""
    assert load("tree.conllu", "acyclic", permissive=True) == ""
    assert re.fullmatch(
        "symbols:[0-9a-f]{6}", str(load("one.fst.txt", "fst", format="openfst", symbols=folder / "one.syms"))
    )
    with pytest.warns(treesql.TreesqlWarning):
        assert load("cyclic.conllu", "cyclic", permissive=True) == "permissive"
    cited = {corpus: scores.cite_corpus(db.engine, corpus) for corpus in db.corpora}
    assert re.fullmatch(r"plain@[0-9a-f]{6}\(pharaoh,base:1,null_links,reverse\)", cited["many"])
    assert re.fullmatch(r"links\.pharaoh@[0-9a-f]{6}", cited["usual"])
    assert re.fullmatch(r"cyclic\.conllu@[0-9a-f]{6}\(permissive\)", cited["cyclic"])
    rows = {row["corpus"]: row["reading"] for row in db.info().rows()}
    assert rows["many"] == "base:1 null_links reverse"
    db.export(tmp_path / "out")
    with treesql.connect() as other:
        with pytest.warns(treesql.TreesqlWarning, match="heads form a cycle"):
            other.load(tmp_path / "out", permissive=True)
        assert {corpus: scores.cite_corpus(other.engine, corpus) for corpus in other.corpora} == cited
    bare(db).execute("UPDATE corpora SET reading = NULL")
    assert re.fullmatch(r"links\.pharaoh@[0-9a-f]{6}\(\?\)", scores.cite_corpus(db.engine, "usual"))


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_p_corrected_depends_on_all_systems(examples: treesql.Database) -> None:
    given = {"gold_corpus": "gold", "runs": 50}
    two = examples.compare("attachment.las", systems=["parser-a", "parser-b"], **given)
    three = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], **given)
    key = "las:parser-a:parser-b"
    assert two.signatures[key] != three.signatures[key]
    plain = examples.compare("attachment.las", systems=["parser-a", "parser-b", "gold"], correction="none", **given)
    assert "|among:" not in plain.signatures[key]


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("method", [{"seed": 1}, {"runs": 60}, {"test": "bootstrap"}, {"stratum": "newdoc"}])
def test_methods_of_comparison_are_cited(examples: treesql.Database, method: dict[str, Any]) -> None:
    given: dict[str, Any] = {"systems": ["parser-a", "parser-b"], "gold_corpus": "gold", "runs": 50}
    usual = examples.compare("attachment.las", **given)
    assert set(usual.signatures.values()).isdisjoint(
        examples.compare("attachment.las", **{**given, **method}).signatures.values()
    )


def test_classes_are_part_of_what_is_signed(db: treesql.Database) -> None:
    for name in ("gold", "parser-a"):
        db.load(FIXTURES / f"{name}.conllu", corpus=name)
    before = db.score("relation_class_scores", **PAIR)
    bare(db).execute("UPDATE relation_classes SET class = 'other' WHERE relation = 'nsubj'")
    after = db.score("relation_class_scores", **PAIR)
    assert before.rows() != after.rows()
    assert before.signature != after.signature
    assert "classes:" not in db.score("attachment", **PAIR).signature


def test_signature(examples: treesql.Database) -> None:
    result = examples.score("attachment", where="word > 1", punctuation="form", **PAIR)
    parts = result.signatures["las"].split("|")
    assert parts[:5] == ["las", "match:order", "punctuation:form", "relations:universal", "where:word > 1"]
    assert [part.split("@")[0] for part in parts[5:7]] == ["gold:gold.conllu", "system:parser-a.conllu"]
    assert parts[7] == f"q:{catalog.query('attachment').sha256[:8]}"
    assert parts[8] == f"v:{treesql.__version__}"
    assert result.signature == result.signatures["las"].replace("las|", "words,uas,las,la|", 1)
