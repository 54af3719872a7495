"""Corpora as Arrow tables: read whole, and in blocks of sentences."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import treesql
from tests.conftest import ALIKE, FIXTURES, bare, conllu
from tests.house.rules import in_turn
from tests.readers.reading import Piecewise
from treesql import readers
from treesql.catalog import schemas
from treesql.catalog.kinds import KINDS, USUAL
from treesql.errors import InvalidInput, UnknownName, UsageError
from treesql.readers import Options, State
from treesql.readers.source import Source
from treesql.storage import data_sets, loading
from treesql.storage.corpus_plans import CorpusFiles, plan_loads
from treesql.storage.tables import ALWAYS

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

FILES = {path.name: path for path in sorted(FIXTURES.iterdir()) if path.is_file()}
EACH_FORMAT = [name for name in FILES if name not in ALIKE]
OPTIONS: dict[str, dict[str, Any]] = {"lattices.plf": {"phrases": True}, "links.pharaoh": {"null_links": True}}
RECORD = "corpora"


def rows_of(tables: treesql.Tables) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables but the record."""
    return {name: rows.to_pylist() for name, rows in tables.items() if name != RECORD}


@cache
def read(name: str) -> treesql.Tables:
    """The tables of a fixture, which no test changes."""
    return treesql.read(FILES[name], **OPTIONS.get(name, {}))


@in_turn("name", EACH_FORMAT)
def test_tables_are_those_of_a_database(db: treesql.Database, name: str) -> None:
    tables = read(name)
    db.load(FILES[name], corpus=name, **OPTIONS.get(name, {}))
    for table in schemas.corpus_tables():
        sql = f"SELECT * EXCLUDE (corpus) FROM {table.name} WHERE corpus = $corpus"
        expected = bare(db).sql(sql, params={"corpus": name}).to_arrow_table()
        if not expected.num_rows:
            assert not tables.get(table.name, ()), table.name
            continue
        found = tables[table.name]
        assert found.column_names == list(table.names[1:])
        assert found.schema.types == expected.schema.types
        shown = [column for column in found.column_names if column != "loaded_at"]
        assert found.select(shown).to_pylist() == expected.select(shown).to_pylist(), table.name


@in_turn("name", EACH_FORMAT)
def test_blocks_one_after_the_other_are_the_tables(name: str) -> None:
    tables = read(name)
    n_sentences = tables["sentences"].num_rows
    for size in (1, 2, 7):
        blocks = list(treesql.scan(FILES[name], sentences=size, **OPTIONS.get(name, {})))
        sizes = [block["sentences"].num_rows for block in blocks]
        assert sizes == [size] * (n_sentences // size) + [n_sentences % size] * bool(n_sentences % size)
        assert [block[RECORD]["n_sentences"][0].as_py() for block in blocks] == sizes
        for table, rows in tables.items():
            if "sentence" in rows.column_names:
                there = [block[table] for block in blocks if table in block]
                assert pa.concat_tables(there).equals(rows), (table, size)
            elif table == "constituent_labels":
                assert blocks[-1][table].equals(rows)
        assert {key for block in blocks for key in block} == {*tables}


def test_blocks_of_small_chunks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Chunks of a few bytes, and of a data set of a few rows, in which sentences are not all complete."""
    whole = {name: treesql.read(FILES[name]) if name in OPTIONS else read(name) for name in EACH_FORMAT}
    with treesql.connect() as db:
        db.load(FILES["gold.conllu"], corpus="gold")
        db.export(tmp_path / "data")
    whole["data"] = treesql.read(tmp_path / "data")
    monkeypatch.setattr(readers, "Source", lambda path, progress=None, **more: Piecewise(path, 60))
    monkeypatch.setattr(data_sets, "BLOCK_ROWS", 8)
    n_chunks: dict[str, int] = {}
    for name, tables in whole.items():
        path = FILES.get(name, tmp_path / name)
        n_chunks[name] = sum(1 for _ in loading.batches_of_corpus(*planned(path)))
        for size in (1, 2):
            blocks = list(treesql.scan(path, sentences=size))
            assert {block["sentences"].num_rows for block in blocks[:-1]} <= {size}
            for table, rows in tables.items():
                if "sentence" in rows.column_names:
                    there = [block[table] for block in blocks if table in block]
                    assert pa.concat_tables(there).equals(rows), (name, table, size)
    assert sum(n > 1 for n in n_chunks.values()) > len(n_chunks) / 2
    assert n_chunks["gold.conllu"] > 2


def planned(path: Path) -> tuple[CorpusFiles, Options, State]:
    [wanted] = plan_loads([path], None)
    return wanted, Options(), loading.state_of(wanted)


def test_blocks_of_many_chunks_and_files(tmp_path: Path) -> None:
    """Files of several chunks of bytes, the last one with a fault."""
    two = conllu("x:0:root", "y:0:root")
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_bytes(two * 40_000)
    blocks = treesql.scan(tmp_path, sentences=30_000)
    first = next(blocks)
    assert first["sentences"]["sentence"].to_pylist() == list(range(30_000))
    rest = list(blocks)
    assert [block["words"].num_rows for block in rest] == [30_000] * 4 + [10_000]
    assert rest[-1]["words"]["span_end"][-1].as_py() == 160_000
    (tmp_path / "c.conllu").write_bytes(two + b"1\tx\n\n")
    blocks = treesql.scan(tmp_path, sentences=10_000)
    assert next(blocks)["sentences"].num_rows == 10_000
    with pytest.raises(InvalidInput, match=r"c\.conllu:5: "):
        list(blocks)


def test_a_parquet_data_set_has_the_tables_of_its_files(tmp_path: Path) -> None:
    with treesql.connect() as db:
        for name in ("gold.conllu", "gold.mrg"):
            db.load(FILES[name], corpus=name)
        db.export(tmp_path / "data")
    with pytest.raises(UsageError, match=r"several corpora \(gold.conllu, gold.mrg\); name one of them with corpus="):
        treesql.read(tmp_path / "data")
    for name in ("gold.conllu", "gold.mrg"):
        tables = treesql.read(tmp_path / "data", corpus=name)
        assert rows_of(tables) == rows_of(treesql.read(FILES[name]))
        assert tables[RECORD]["format"].to_pylist() == [readers.format_of([name], None)]
        blocks = list(treesql.scan(tmp_path / "data", corpus=name, sentences=2))
        assert pa.concat_tables(block["words"] for block in blocks).equals(tables["words"])


def test_what_is_in_memory_is_read() -> None:
    path = FILES["gold.conllu"]
    expected = treesql.read(path)["words"]
    for source in (path.read_bytes(), io.BytesIO(path.read_bytes()), io.StringIO(path.read_text("utf-8"))):
        assert treesql.read(source)["words"].equals(expected)
    assert treesql.read(path.read_text("utf-8").rstrip("\n").split("\n\n"), format="conllu")["words"].equals(expected)
    forms = treesql.read(["the cat", "a dog"], format="text")["words"]["form"]
    assert forms.to_pylist() == ["the", "cat", "a", "dog"]
    [word] = treesql.read({"words": pl.DataFrame({"sentence": [3], "word": [1], "form": ["."]})})["words"].to_pylist()
    assert (word["sentence"], word["form"], word["udeprel"], word["punctuation"]) == (0, ".", None, True)


def test_files_are_one_corpus(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.conllu").write_bytes(conllu(f"{name}:0:root"))
    for paths in ([tmp_path], [tmp_path / "*.conllu"], [tmp_path / "a.conllu", tmp_path / "b.conllu"]):
        tables = treesql.read(*paths)
        assert tables["words"].select(["sentence", "form"]).to_pylist() == [
            {"sentence": 0, "form": "a"},
            {"sentence": 1, "form": "b"},
        ]
        assert [Path(name).name for name in tables["sentences"]["file"].to_pylist()] == ["a.conllu", "b.conllu"]


def test_computed_and_derived_columns_are_there() -> None:
    """By hand: `Hello , world !` with the first word as the root."""
    text = "1\tHello\t_\t_\t_\t_\t0\troot\t_\t_\n2\t,\t_\t_\t_\t_\t1\tpunct:x\t_\t_\n\n"
    [hello, comma] = treesql.read(text.encode(), format="conllu")["words"].to_pylist()
    assert (hello["depth"], hello["enter"], hello["leave"], hello["punctuation"]) == (1, 1, 2, False)
    assert (comma["depth"], comma["udeprel"], comma["punctuation"], comma["span_start"]) == (2, "punct", True, 5)


@in_turn("kind", KINDS)
def test_tables_without_rows_are_those_of_the_usual_format(kind: str) -> None:
    """A program that reads a table of a kind finds it whatever the corpus."""
    [path, *_] = [path for path in FILES.values() if readers.format_of([str(path)], None) == USUAL[kind]]
    batch = next(readers.read(Source(str(path)), USUAL[kind], State(), Options()))
    assert {"sentences", *ALWAYS[kind]} == {*batch}


def test_the_mapping() -> None:
    tables = treesql.read(FILES["gold.conllu"])
    assert list(tables) == [RECORD, "empty_nodes", "enhanced_edges", "sentences", "tokens", "words"]
    assert "constituents" not in tables
    assert tables.get("constituents") is None
    assert {**tables, "words": 1}.keys() == tables.keys()
    with pytest.raises(UnknownName, match="did you mean words"):
        tables["word"]
    assert tables.pl("words").schema["head"] == pl.Int32
    assert tables.df("words").shape == (30, len(schemas.table("words").names) - 1)
    counts = "corpora 1, empty_nodes 1, enhanced_edges 31, sentences 5, tokens 1, words 30"
    assert repr(tables) == f"<treesql.Tables, numbers of rows: {counts}>"
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", tables._repr_html_())
    assert cells[-3:] == ["words", "30", ", ".join(schemas.table("words").names[1:])]


def test_what_cannot_be_read(tmp_path: Path) -> None:
    def messages(*given: Any, **options: Any) -> Iterator[str]:
        for call in (treesql.read, lambda *paths, **named: list(treesql.scan(*paths, sentences=2, **named))):
            with pytest.raises(treesql.TreesqlError) as raised:
                call(*given, **options)
            yield str(raised.value)

    (tmp_path / "bad.conllu").write_bytes(b"1\tx\t_\t_\t_\t_\t7\troot\t_\t_\n\n")
    for given, options, expected in (
        ((tmp_path / "none.conllu",), {}, "no such file"),
        ((tmp_path / "bad.conllu",), {}, "bad.conllu:1: "),
        ((), {}, "name at least one file"),
        ((FILES["gold.conllu"],), {"base": 1}, "conllu files have no links"),
        ((FILES["gold.conllu"],), {"corpus": "gold"}, "corpus= names one of a data set"),
        ((FILES["gold.conllu"],), {"format": "conll"}, "did you mean conllx or conllu"),
        ((FILES["gold.conllu"], FILES["gold.mrg"]), {}, "of several formats"),
    ):
        for message in messages(*given, **options):
            assert expected in message
    with pytest.raises(UsageError, match="a block has at least one"):
        treesql.scan(FILES["gold.conllu"], sentences=0)


def test_warnings_are_those_of_a_load() -> None:
    text = b"1\tx\t_\t_\t_\t_\t0\troot\t_\t_\n2\ty\t_\t_\t_\t_\t0\troot\t_\t_\n\n"

    def warned(call: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [str(warning.message) for warning in caught]

    with treesql.connect() as db:
        expected = warned(lambda: db.load(text, corpus="a", format="conllu"))
    assert [message for message in expected if "roots" not in message] == []
    assert warned(lambda: treesql.read(text, format="conllu")) == expected
    assert warned(lambda: list(treesql.scan(text, sentences=1, format="conllu"))) == expected
    with pytest.raises(InvalidInput, match="roots"):
        treesql.read(text, format="conllu", strict=True)


def test_tables_go_in_wherever_a_file_does() -> None:
    """Scores of all kinds: tests/evaluation/test_frames.py."""
    gold, parser = FILES["gold.conllu"], FILES["parser-a.conllu"]
    tables, others = treesql.read(gold), treesql.read(parser)
    request = "pattern { V -[obj]-> O }"
    assert treesql.find(tables, request, by="V.lemma").rows() == treesql.find(gold, request, by="V.lemma").rows()
    assert treesql.show(tables, "mat").text() == treesql.show(gold, "mat").text()
    assert treesql.diff(tables, others).rows() == treesql.diff(gold, parser).rows()
    [found], [expected] = treesql.stats(tables), treesql.stats(gold)
    assert found | {"treebank": ""} == expected | {"treebank": ""}
    assert treesql.check(tables).faults == ()
    with treesql.connect() as db:
        db.load(tables, corpus="a")
        assert db.sql("SELECT form, depth FROM words").rows() == tables["words"].select(["form", "depth"]).to_pylist()
    assert rows_of(treesql.read(tables)) == rows_of(tables)
    columns = FILES["expressions.conllup"]
    for block, same in zip(
        *(treesql.scan(source, sentences=1) for source in (columns, treesql.read(columns))), strict=True
    ):
        assert same["words"].equals(block["words"])
        assert same[RECORD]["global_columns"] == block[RECORD]["global_columns"]
    changed = {**tables, "words": tables.pl("words").with_columns(head=pl.lit(99))}
    [fault] = treesql.check(changed).faults
    assert "head 99 is not a word of the sentence" in fault.what


def test_blocks_are_scored() -> None:
    """Counts of blocks add up to those of the files."""
    pairs = zip(*(treesql.scan(FILES[name], sentences=2) for name in ("gold.conllu", "parser-a.conllu")), strict=True)
    rows = [
        treesql.score("dependency", gold=gold, systems={"a": system}, metric="attachment").rows()[0]
        for gold, system in pairs
    ]
    [whole] = treesql.score("dependency", FILES["gold.conllu"], FILES["parser-a.conllu"], metric="attachment").rows()
    assert sum(row["words"] * row["las"] for row in rows) == pytest.approx(whole["words"] * whole["las"])
    assert [row["words"] for row in rows] == [12, 16, 2]
