"""Exports: Parquet and back, CoNLL-U byte for byte, whole or not at all."""

from __future__ import annotations

import gzip
import importlib
import warnings
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES, bare, conllu
from tests.storage.parts import restamp
from treesql.catalog import schemas
from treesql.errors import InvalidInput, UnknownName, UsageError
from treesql.storage import exporting

TABLES = [table.name for table in schemas.corpus_tables()] + ["feature_lists"]


@pytest.mark.parametrize("corpus", ["gold", "parser-a", "parser-b"])
def test_conllu_comes_back_byte_for_byte(examples: treesql.Database, tmp_path: Path, corpus: str) -> None:
    original = (FIXTURES / f"{corpus}.conllu").read_bytes()
    assert examples.export(tmp_path / "out.conllu", corpus=corpus) == [tmp_path / "out.conllu"]
    assert (tmp_path / "out.conllu").read_bytes() == original
    examples.export(tmp_path / "out.conllu.gz", corpus=corpus)
    assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()) == original


def test_odd_but_valid_lines_come_back(db: treesql.Database, tmp_path: Path) -> None:
    text = (
        "#comment\n# = \n#  newpar\n# text = a  b \n"
        "0.1\tz\t_\t_\t_\t_\t_\t_\t1:x\t_\n"
        "1-2\ta b\tl\tX\tY\tTypo=Yes\t_\t_\t_\tM\n"
        "1\t_\t_\t_\t_\t_\t2\t_\t_\t_\n2\ta\u00a0b\t\u3000\tX\t_\tA=B\t0\troot\t0:root|0.1:y\t|\n2.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n2.2\t_\t_\t_\t_\t_\t_\t_\t2.1:z\t_\n"
        "\n1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    (tmp_path / "odd.conllu").write_text(text)
    db.load(tmp_path / "odd.conllu", corpus="odd")
    db.export(tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == text


def test_a_corpus_of_several_files_comes_back_as_files(db: treesql.Database, tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.conllu").write_bytes(conllu(f"{folder}:0:root"))
    db.load(tmp_path / "x", tmp_path / "y", corpus="both")
    written = db.export(tmp_path / "out", to="conllu")
    assert [path.name for path in written] == ["a.conllu", "2-a.conllu"]
    with pytest.raises(UsageError, match="named twice"):
        db.load(tmp_path / "x", tmp_path / "x", corpus="again")
    assert written[1].read_bytes() == conllu("y:0:root")
    db.export(tmp_path / "one.conllu")
    assert (tmp_path / "one.conllu").read_bytes() == conllu("x:0:root", "y:0:root")


def rows(db: treesql.Database) -> dict[str, list[str]]:
    return {name: sorted(map(str, db.sql(f"FROM {name}").rows())) for name in TABLES}


@pytest.mark.slow
def test_parquet_comes_back_whole(examples: treesql.Database, db: treesql.Database, tmp_path: Path) -> None:
    files = examples.export(tmp_path / "data")
    assert tmp_path / "data" / "words" / "parser-a" / "part-00000.parquet" in files
    loaded = db.load(tmp_path / "data")
    assert sorted((one.corpus, one.n_sentences, one.n_words) for one in loaded) == [
        ("gold", 5, 30),
        ("gold parses", 5, 38),
        ("hypotheses", 3, 12),
        ("hypothesis", 5, 15),
        ("lattices", 3, 0),
        ("links", 5, 0),
        ("links-a", 5, 0),
        ("lists", 3, 0),
        ("parser-a", 5, 30),
        ("parser-b", 5, 30),
        ("reference", 5, 16),
        ("reference-hypothesis", 5, 0),
        ("references", 3, 13),
        ("references-2", 3, 12),
        ("test parses", 5, 36),
    ]
    assert rows(db) == rows(examples)
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    assert db.score("attachment", **pair).signatures == examples.score("attachment", **pair).signatures


def test_parquet_of_one_corpus_under_another_name(gold_and_parser: Path, db: treesql.Database, tmp_path: Path) -> None:
    with treesql.connect(gold_and_parser, read_only=True) as both:
        both.export(tmp_path / "one", corpus="gold")
        both.export(tmp_path / "all")
    db.load(tmp_path / "one", corpus="renamed")
    assert db.corpora == ["renamed"]
    db.export(tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == (FIXTURES / "gold.conllu").read_bytes()
    assert [one.corpus for one in db.load(tmp_path / "all", corpus="gold")] == ["gold"]
    with pytest.raises(UnknownName, match="corpus of the data set"):
        db.load(tmp_path / "all", corpus="other")


def test_parquet_carries_its_provenance(examples: treesql.Database, tmp_path: Path) -> None:
    examples.export(tmp_path / "data", corpus="gold")
    metadata = pq.read_metadata(tmp_path / "data" / "words" / "gold" / "part-00000.parquet").metadata
    [(sha256,)] = bare(examples).execute("SELECT sha256 FROM corpora WHERE corpus = 'gold'").fetchall()
    assert metadata[b"signature"].decode() == f"gold@{sha256}"
    assert metadata[b"treesql"].decode() == treesql.__version__


@pytest.mark.slow
def test_corpora_of_any_name(db: treesql.Database, tmp_path: Path) -> None:
    names = ["2020", "a/b", "a=b c", "ü'\""]
    for name in names:
        db.load(FIXTURES / "gold.conllu", corpus=name)
    db.export(tmp_path / "data")
    with treesql.connect() as other:
        other.load(tmp_path / "data")
        assert sorted(other.corpora) == sorted(names)
        for name in names:
            assert other.score("attachment", gold_corpus=name, system_corpus=name).rows()[0]["uas"] == 1, name


def test_what_cannot_be_exported(examples: treesql.Database, db: treesql.Database, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for call, error, message in (
        ({"out": tmp_path / "there"}, UsageError, "exists"),
        ({"out": tmp_path / "x", "corpus": "gould"}, UnknownName, "did you mean gold"),
        ({"out": tmp_path / "x", "to": "conll"}, UnknownName, "did you mean conllu"),
        ({"out": tmp_path / "x.conllu"}, UsageError, "several corpora"),
    ):
        with pytest.raises(error, match=message):
            examples.export(**call)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="holds no corpus"):
        db.export(tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_an_export_that_fails_leaves_nothing(
    examples: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[Path]:
        (tmp_path / "half").write_text("x")
        raise OSError("disk full")

    monkeypatch.setattr(exporting.parquet, "write_part", broken)
    with pytest.raises(UsageError, match="disk full"):
        examples.export(tmp_path / "data")
    assert [path.name for path in tmp_path.iterdir()] == ["half"], "only what the test itself wrote"


def test_other_parquet_is_refused(db: treesql.Database, tmp_path: Path) -> None:
    for table in ("corpora", "sentences", "words"):
        folder = tmp_path / table / "x"
        folder.mkdir(parents=True)
        bare(db).execute(f"COPY (SELECT 1 AS a) TO '{folder}/part-00000.parquet'")
    with pytest.raises(InvalidInput, match="not of treesql"):
        db.load(tmp_path)
    record = tmp_path / "corpora" / "x" / "part-00000.parquet"
    record.write_text("nonsense")
    with pytest.raises(InvalidInput, match="not a Parquet file"):
        db.load(tmp_path)
    (folder / "part-00000.parquet").unlink()
    with pytest.raises(UsageError, match="has no words of 'x'"):
        db.load(tmp_path)
    (tmp_path / "flat.parquet").write_text("nonsense")
    with pytest.raises(UsageError, match="not a data set"):
        db.load(tmp_path / "flat.parquet")


def test_a_data_set_that_lacks_rows_is_refused(
    examples: treesql.Database, db: treesql.Database, tmp_path: Path
) -> None:
    examples.export(tmp_path / "data", corpus="gold")
    words = tmp_path / "data" / "words" / "gold" / "part-00000.parquet"
    pq.write_table(pq.read_table(words, partitioning=None).slice(0, 29), words)
    restamp(tmp_path / "data")
    with pytest.raises(InvalidInput, match="n_words is 2, and by words 1"):
        db.load(tmp_path / "data")
    assert db.corpora == []


@pytest.mark.parametrize("name", ["out.ph0", "out.talp", "out.conllu.bak", "b.tsv.gz"])
def test_an_ending_of_no_format_is_no_folder(examples: treesql.Database, tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"its ending is of no format \(.*\.pharaoh.*\); name one"):
        examples.export(tmp_path / name, corpus="links")
    assert not list(tmp_path.iterdir())
    examples.export(tmp_path / name, corpus="links", to="parquet")
    assert (tmp_path / name).is_dir()


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("gold.conllu", "conllu"), ("gold.mrg", "penn"), ("gold.mrg", "newick"), ("lattices.plf", "plf"),
        ("lattices.plf", "jsonl"), ("lattices.plf", "openfst"), ("links.pharaoh", "pharaoh"), ("links.pharaoh", "wpt"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_sentences_with_gaps_in_their_numbers(
    db: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """SQL can write the largest number there is: what is written is the same, and as soon."""
    if kind == "openfst":  # has no phrases
        (tmp_path / name).write_text("((('a',1,1),('b',1,1),),(('c',1,1),),)\n((('a',1,1),),)\n")
    else:
        (tmp_path / name).write_bytes((FIXTURES / name).read_bytes())
    db.load(tmp_path / name, corpus="a", phrases=kind in ("plf", "jsonl"))
    for module in ("conllu", "runs", "wpt"):
        monkeypatch.setattr(importlib.import_module(f"treesql.writers.{module}"), "SENTENCES_AT_ONCE", 2)
    written = []
    for last in (None, 2**31 - 1):
        if last:
            for table in schemas.corpus_tables():
                if "sentence" in table.names:
                    n = "(SELECT n_sentences - 1 FROM corpora)"
                    bare(db).execute(f"UPDATE {table.name} SET sentence = {last} WHERE sentence = {n}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            db.export(tmp_path / f"out-{last}.x", corpus="a", to=kind)
        written.append((tmp_path / f"out-{last}.x").read_text().replace(str(2**31), "5"))
    assert written[0] == written[1] != ""
