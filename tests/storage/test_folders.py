"""Folders of Parquet as databases: loaded, queried in place, replaced, and refused where they are damaged."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES, bare, conllu
from tests.house.rules import in_turn
from tests.storage.parts import change_manifest, restamp
from treesql.catalog import schemas
from treesql.engines import duckdb_folders, manifests, parquet_parts
from treesql.engines.corpus_groups import CorpusGroup
from treesql.engines.duckdb_folders import DuckDBFolder
from treesql.errors import DatabaseError, InvalidCorpora, InvalidInput, TreesqlError, UnknownName, UsageError
from treesql.runtime import atomic_files
from treesql.storage import corpus_plans, folders, loading
from treesql.writers import parquet

TABLES = [table.name for table in schemas.corpus_tables() if table.name != "corpora"] + ["feature_lists"]
FILES = {
    "gold": "gold.conllu", "parser-a": "parser-a.conllu", "phrases": "discontinuous.export", "brackets": "gold.mrg",
    "a/b 'ü%": "trees.nwk", "lattices": "lattices.plf", "texts": "lattices.txt",
}  # fmt: skip


FEW = ("gold", "parser-a", "phrases")


def load_all(db: str | Path | treesql.Database, corpora: Iterable[str] = FILES) -> None:
    """Corpora, if left out of every kind, and the links of gold with itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", treesql.TreesqlWarning)  # secondary edges are passed over
        if not isinstance(db, treesql.Database):
            treesql.load(db, FIXTURES / FILES["gold"], corpus="gold")  # which makes the folder
            with treesql.connect(db) as opened:
                load_others(opened, corpora)
        else:
            db.load(FIXTURES / FILES["gold"], corpus="gold")
            load_others(db, corpora)


def load_others(db: treesql.Database, corpora: Iterable[str]) -> None:
    """All but gold."""
    for corpus in corpora:
        if corpus != "gold":
            db.load(FIXTURES / FILES[corpus], corpus=corpus, **({"phrases": True} if corpus == "lattices" else {}))
    db.load(FIXTURES / "links.pharaoh", corpus="links", source_corpus="gold", target_corpus="gold")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with corpora of every kind, to be copied."""
    folder = tmp_path_factory.mktemp("made") / "corpus"
    load_all(f"{folder}/")
    return folder


@pytest.fixture(scope="module")
def made_of_few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with FEW corpora and links, to be copied."""
    folder = tmp_path_factory.mktemp("made") / "few"
    load_all(f"{folder}/", FEW)
    return folder


@pytest.fixture
def folder(made_of_few: Path, tmp_path: Path) -> Path:
    """A folder of its own with FEW corpora and links."""
    return Path(shutil.copytree(made_of_few, tmp_path / "corpus"))


@pytest.fixture(scope="module")
def loaded() -> Iterator[treesql.Database]:
    """The same corpora in DuckDB's memory."""
    with treesql.connect() as db:
        load_all(db)
        yield db


def rows(db: treesql.Database) -> dict[str, list[str]]:
    return {name: sorted(map(str, db.sql(f"FROM {name}").rows())) for name in TABLES}


@pytest.mark.slow
def test_a_folder_has_the_rows_of_a_database(made: Path, loaded: treesql.Database, tmp_path: Path) -> None:
    pair = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    noun = "pattern { N [upos=NOUN] }"
    with treesql.connect(made) as db:
        assert db.corpora == loaded.corpora
        assert rows(db) == rows(loaded)
        assert db.score("attachment", **pair).signatures == loaded.score("attachment", **pair).signatures
        assert db.find(noun).rows() == loaded.find(noun).rows()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", treesql.TreesqlWarning)  # the corpus is short
            assert str(db.stats(corpus="gold")) == str(loaded.stats(corpus="gold"))
        assert len(db.info().rows()) == len(FILES) + 1, "choosing corpora leaves the others"
        db.export(tmp_path / "gold.conllu", corpus="gold")
        db.export(tmp_path / "again")
    assert (tmp_path / "gold.conllu").read_bytes() == (FIXTURES / "gold.conllu").read_bytes()
    with treesql.connect(tmp_path / "again") as db:
        assert rows(db) == rows(loaded), "a folder that export wrote"
    with treesql.connect() as db:
        db.load(tmp_path / "again")
        assert rows(db) == rows(loaded), "a folder that was loaded again"


@pytest.mark.slow
def test_parts_are_blocks_of_sentences(
    made: Path, loaded: treesql.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two sentences, with what is in none of them left out, in order; an export has the same."""
    for module in (manifests, folders, parquet):
        monkeypatch.setattr(module, "BLOCK_SENTENCES", 2)
    load_all(f"{tmp_path}/corpus/")
    with treesql.connect(tmp_path / "corpus") as db:
        assert rows(db) == rows(loaded)
        db.export(tmp_path / "again")
    for name in ("corpus", "again"):
        found = {group.names[0]: group for group in manifests.read_manifest(str(tmp_path / name))}
        words = found["gold"].parts["words"]
        assert [(part.file, part.first, part.last) for part in words] == [
            ("part-00000.parquet", 0, 1), ("part-00001.parquet", 2, 3), ("part-00002.parquet", 4, 5),
        ]  # fmt: skip
        assert sum(part.rows for part in words) == 30
        assert len(found["gold"].parts["empty_nodes"]) == 1, "one sentence has empty nodes"
        with treesql.connect() as db:
            db.load(tmp_path / name)
            assert rows(db) == rows(loaded)


def test_faults_in_later_parts_name_their_own_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    for module in (manifests, folders, parquet):
        monkeypatch.setattr(module, "BLOCK_SENTENCES", 2)
    treesql.load(f"{tmp_path}/c/", FIXTURES / "gold.conllu")
    path = tmp_path / "c" / "words" / "gold" / "part-00001.parquet"
    table = pq.ParquetFile(path).read()
    head = pa.array([99, *table["head"].to_pylist()[1:]], pa.int32())
    pq.write_table(table.set_column(table.column_names.index("head"), "head", head), path)
    restamp(tmp_path / "c")
    with treesql.connect() as db, pytest.raises(InvalidInput, match=r"part-00001.parquet:1: head 99 is not a word"):
        db.load(tmp_path / "c")


def test_corpora_are_loaded_whole_or_not_at_all(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_bytes(conllu("a:0:root") + b"1\tx\n\n")
    before = sorted(folder.rglob("*"))
    with pytest.raises(InvalidInput, match=r"bad\.conllu:3"):
        treesql.load(folder, tmp_path / "bad.conllu", corpus="new")
    with pytest.raises(UsageError, match="'gold' is loaded already"):
        treesql.load(folder, FIXTURES / "gold.conllu", corpus="gold")
    with pytest.raises(UnknownName, match="did you mean gold"):
        treesql.load(folder, FIXTURES / "links.pharaoh", corpus="l", source_corpus="gould")
    (tmp_path / "links.pharaoh").write_text("99-1\n\n\n\n\n")
    with pytest.raises(InvalidInput, match="links outside of their sentences"):
        treesql.load(folder, tmp_path / "links.pharaoh", corpus="l", source_corpus="gold", target_corpus="gold")
    assert sorted(folder.rglob("*")) == before
    with pytest.raises(InvalidCorpora) as caught:
        treesql.load(folder, tmp_path / "bad.conllu", FIXTURES / "parser-b.conllu")
    assert [one.corpus for one in caught.value.loaded] == ["parser-b"]
    with pytest.raises(InvalidInput):
        treesql.load(f"{tmp_path}/new/", tmp_path / "bad.conllu")
    assert not (tmp_path / "new").exists()


def test_corpora_are_replaced_and_removed(folder: Path) -> None:
    with treesql.connect(folder) as db:
        db.load(FIXTURES / "parser-b.conllu", corpus="gold", replace=True)
        assert db.corpora[-1] == "gold"
        assert db.score("attachment", gold_corpus="gold", system_corpus="gold").rows()[0]["las"] == 1
        [file] = [path.name for path in (folder / "words" / "gold").iterdir()]
        assert re.fullmatch(r"part-00000-[0-9a-f]{8}\.parquet", file)
        db.drop("gold")
        assert "gold" not in db.corpora
        assert not (folder / "words" / "gold").exists()
        with pytest.raises(UnknownName, match="gold"):
            db.drop("gold")


def test_sql_changes_no_rows_and_writes_nothing(folder: Path) -> None:
    for safe in (True, False):
        with treesql.connect(folder, safe=safe) as db:
            for sql in ("DELETE FROM words", "UPDATE words SET form = 'a'", "DROP VIEW words"):
                with pytest.raises(UsageError, match="SQL only reads a folder"):
                    db.sql(sql)
    target = folder / "words" / "x.csv"
    with treesql.connect(folder, safe=True) as db:
        for sql in (
            f"COPY words TO '{target}'", f"EXPLAIN ANALYZE COPY words TO '{target}'", f"ATTACH '{target}'",
            f"PREPARE a AS COPY words TO '{target}'", f"EXPORT DATABASE '{target}'",
            f"SELECT 1; COPY words TO '{target}'", f"EXPLAIN (ANALYZE, FORMAT json) COPY words TO '{target}'",
            f"EXPLAIN /* /* */ */ ANALYZE COPY words TO '{target}'", "EXPLAIN ANALYZE DELETE FROM corpora",
            f"SELECT 'é'; EXPLAIN ANALYZE (FORMAT json) COPY words TO '{target}'",
            "EXPLAIN ANALYZE WITH c AS (SELECT 'x' AS corpus) DELETE FROM corpora", "EXPLAIN PRAGMA version",
        ):  # fmt: skip
            with pytest.raises(UsageError, match="SQL only reads a folder"):
                db.sql(sql)
        with pytest.raises(TreesqlError, match="reaches no files"):
            db.sql(f"FROM read_text('{folder.parent}/a.txt')")
        for sql in (
            "EXPLAIN SELECT c.load FROM (SELECT 1 AS load) AS c", "EXPLAIN ANALYZE (FORMAT json) SELECT 'é' AS copy",
            "explain -- all\nanalyze (SELECT 1) UNION SELECT 2", "EXPLAIN (FORMAT json) FROM words AS export",
            f"EXPLAIN {'/**/' * 40} SELECT 1",
        ):  # fmt: skip
            assert db.sql(sql).rows()
        assert db.sql("SELECT count(*) AS n FROM corpora").rows() == [{"n": len(FEW) + 1}]
    assert not target.exists()


def setting(**values: object) -> Callable[[Path], object]:
    """A change of the manifest, whose digest agrees."""
    return lambda folder: change_manifest(folder, lambda found: found.update(values))


def of_part(change: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], object]:
    """A change of the parts of words of the first corpus that the manifest lists, whose digest agrees."""
    return lambda folder: change_manifest(folder, lambda found: change(found["groups"][0]["parts"]["words"]))


def of_entry(**values: object) -> Callable[[Path], object]:
    """A change of what the manifest says of the first corpus."""
    return lambda folder: change_manifest(folder, lambda found: found["groups"][0]["corpora"][0].update(values))


def manifest(folder: Path) -> Path:
    return manifests.manifest_path(folder)


def replaced_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replaced_by_link(folder: Path, path: Path) -> None:
    """A link to a copy that is not in the folder."""
    away = folder.parent / f"away-{path.name}"
    (shutil.copytree if path.is_dir() else shutil.copy)(path, away)
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(away)


DAMAGED = "this manifest is damaged"
DAMAGES: list[tuple[Callable[[Path], object], str]] = [
    (setting(schema_version=7), "older treesql .*; load its corpora again"),
    (setting(schema_version=99), "newer treesql .*; update treesql"),
    (setting(layout=1), "older treesql .*; load its corpora again"),
    (setting(layout=9), "newer treesql .*; update treesql"),
    (setting(layout=[]), DAMAGED),
    (setting(groups={}), DAMAGED),
    (setting(groups=[[]]), DAMAGED),
    (setting(groups=[{"corpora": [], "parts": {}}]), f"{DAMAGED} .a group has no corpora"),
    (of_entry(corpus=7), f"{DAMAGED} .corpus is '7'"),
    (of_entry(corpus="parser-a"), f"{DAMAGED} .the corpus 'parser-a' is listed twice"),
    (of_entry(corpus="x" * 300), f"{DAMAGED} .the name 'x+'... is too long"),
    (of_entry(corpus="silver"), "silver/part-00000.parquet: this part is damaged .it is missing"),
    (of_entry(n_words=-1), f"{DAMAGED} .n_words is '-1'"),
    (of_entry(n_words=True), f"{DAMAGED} .n_words is 'True'"),
    (of_entry(more=1), f"{DAMAGED} .entry with other keys"),
    (of_part(lambda parts: parts.append(parts[0])), f"{DAMAGED} .the part 'words/gold/part-.*' is listed twice"),
    (of_part(lambda parts: parts[0].update(file="../../../x.parquet")), f"{DAMAGED} .file is"),
    (of_part(lambda parts: parts[0].update(rows="30")), f"{DAMAGED} .rows is '30'"),
    (of_part(lambda parts: parts[0].update(crc32="")), f"{DAMAGED} .crc32 is ''"),
    (of_part(lambda parts: parts[0].pop("sha256")), f"{DAMAGED} .part with other keys"),
    (
        of_part(lambda parts: parts[0].update(file="part-00009.parquet")),
        "part-00009.parquet: this part is damaged .it is missing",
    ),
    (lambda folder: change_manifest(folder, lambda found: None, stamped=False), "manifest is not as it was written"),
    (lambda folder: manifest(folder).write_text("{"), DAMAGED),
    (lambda folder: manifest(folder).write_bytes(b"\xff"), "this manifest cannot be read"),
    (lambda folder: manifest(folder).write_text("[" * 100_000), DAMAGED),
    (lambda folder: manifest(folder).unlink(), "the manifest of this folder is missing; restore"),
    (lambda folder: replaced_by_pipe(manifest(folder)), "this is no file of this folder"),
    (lambda folder: replaced_by_link(folder, manifest(folder)), "this is no file of this folder"),
    (lambda folder: replaced_by_pipe(part(folder)), "this is no regular file.; restore"),
    (lambda folder: replaced_by_link(folder, part(folder)), "this link leads out of the folder.; restore"),
    (lambda folder: replaced_by_link(folder, folder / "words"), "this link leads out of the folder.; restore"),
    (lambda folder: replaced_by_link(folder, folder / "words" / "gold"), "this link leads out of the folder.; restore"),
    (lambda folder: part(folder).write_bytes(part(folder).read_bytes()[:-9]), "bytes, where the manifest names a part"),
    (lambda folder: part(folder).unlink(), "it is missing, where the manifest names a part"),
    (lambda folder: shutil.rmtree(folder / "_manifest"), "without a manifest; load its corpora again"),
    (lambda folder: [shutil.rmtree(one) for one in folder.iterdir()], "this folder is empty"),
    (lambda folder: shutil.rmtree(folder), "there is no such"),
]


def part(folder: Path) -> Path:
    return folder / "words" / "gold" / "part-00000.parquet"


@in_turn(("damage", "message"), DAMAGES)
def test_damaged_folders_are_refused(
    made_of_few: Path, tmp_path_factory: pytest.TempPathFactory, damage: Callable[[Path], object], message: str
) -> None:
    folder = Path(shutil.copytree(made_of_few, tmp_path_factory.mktemp("damaged") / "corpus"))
    damage(folder)
    with pytest.raises(DatabaseError, match=message) as caught:
        treesql.connect(f"{folder}/", read_only=True)
    assert "\n" not in str(caught.value)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[300] ^= 1
    path.write_bytes(data)


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: part(folder).unlink(),
        lambda folder: part(folder).write_bytes(part(folder).read_bytes()[:-9]),
        lambda folder: flip(part(folder)),
        lambda folder: replaced_by_pipe(part(folder)),
        lambda folder: replaced_by_link(folder, part(folder)),
        lambda folder: [shutil.rmtree(one) for one in folder.glob("*/gold")],
        lambda folder: flip(folder / "corpora" / "gold" / "part-00000.parquet"),
    ],
)  # fmt: skip
def test_a_damaged_corpus_is_dropped(folder: Path, damage: Callable[[Path], object], run: Any) -> None:
    """With what links to it, and the others stay as they are."""
    with treesql.connect(folder) as db:
        expected = db.sql("FROM words WHERE corpus <> 'gold'").rows()
    damage(folder)
    with pytest.raises(DatabaseError, match=r"this part is damaged .*, or drop it"), treesql.connect(folder) as db:
        db.sql("FROM words")
    assert run("drop", folder, "gold", "links", "gold") == (0, "gold: dropped\nlinks: dropped\n", "")
    assert not treesql.check(folder).faults
    with treesql.connect(folder) as db:
        assert db.sql("FROM words").rows() == expected
        assert not {"gold", "links"}.intersection(db.corpora)


def test_corpora_are_dropped_together_or_not_at_all(folder: Path, tmp_path: Path) -> None:
    treesql.load(tmp_path / "t.duckdb", FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu")
    for place in (folder, tmp_path / "t.duckdb"):
        with treesql.connect(place) as db:
            before = db.corpora
        with pytest.raises(UnknownName, match="unknown corpus 'gould'; did you mean gold"):
            treesql.drop(place, "parser-a", "gould")
        with treesql.connect(place) as db:
            assert db.corpora == before
            db.drop("parser-a", "gold")
            assert db.corpora == [name for name in before if name not in ("parser-a", "gold")]
    with pytest.raises(DatabaseError, match="there is no such database"):
        treesql.drop(tmp_path / "none.duckdb", "gold")
    with pytest.raises(UsageError, match="reads object stores, and writes local folders"):
        treesql.drop("s3://bucket/corpus", "gold")


def give_first_layout(folder: Path) -> None:
    """Give the folders of parts the names that they had in the first layout."""
    for path in [path for path in folder.glob("*/*") if path.is_dir()]:
        path.rename(path.with_name(f"corpus={path.name.replace('%5F', '_')}"))
    groups = manifests.read_manifest(str(folder), find_parts=False) if manifest(folder).exists() else []
    manifest(folder).unlink(missing_ok=True)
    for group in groups:
        [entry] = group.corpora
        parts = {table: [{"file": part.file} for part in listed] for table, listed in group.parts.items()}
        values = {"corpus": entry.corpus, "schema_version": schemas.SCHEMA_VERSION, "layout": 1, "parts": parts}
        path = folder / "_manifest" / f"corpus={quote(entry.corpus, safe='')}.json"
        path.write_text(json.dumps(values))


def test_the_first_layout_is_refused(tmp_path: Path) -> None:
    """Its parts were in folders `corpus=NAME`, with a manifest for each."""
    folder = tmp_path / "data"
    with treesql.connect() as db:
        for corpus in ("gold", "_2026"):
            db.load(FIXTURES / "gold.conllu", corpus=corpus)
        db.export(folder)
    assert {path.name for path in (folder / "words").iterdir()} == {"gold", "%5F2026"}
    give_first_layout(folder)
    for read in (treesql.connect, lambda path: treesql.load(tmp_path / "t.duckdb", path)):
        with pytest.raises(DatabaseError, match="made by an older treesql; load its corpora again into a new folder"):
            read(folder)


def test_filters_by_corpus_open_only_its_files(folder: Path) -> None:
    with treesql.connect(folder) as db:
        sql = "EXPLAIN SELECT count(DISTINCT form) FROM words WHERE corpus = 'gold'"
        plan = str(bare(db).execute(sql).fetchall())
    assert re.findall(r"Scanning Files: (\d+)/", plan) == ["1"]


def test_folders_of_others_are_not_loaded_into(tmp_path: Path) -> None:
    (tmp_path / "UD").mkdir()
    (tmp_path / "UD" / "notes.txt").write_text("x")
    with pytest.raises(DatabaseError, match="not made by treesql"):
        treesql.load(f"{tmp_path}/UD/", FIXTURES / "gold.conllu")
    with pytest.raises(UsageError, match="reads object stores, and writes local folders"):
        treesql.load("s3://bucket/corpus", FIXTURES / "gold.conllu")
    assert [path.name for path in (tmp_path / "UD").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("folder", "address"),
    [
        ("gs://b/corpora/", "gs://b/corpora?retry_limit_seconds=20"), ("gs://b/c?scheme=http", "gs://b/c?scheme=http"),
        ("s3://b/corpora/", "s3://b/corpora"),
    ],
)  # fmt: skip
def test_object_stores_that_do_not_answer_are_named(monkeypatch: pytest.MonkeyPatch, folder: str, address: str) -> None:
    """Arrow asks Google's again for a quarter of an hour, unless its address says how long."""

    class Unreachable:
        @staticmethod
        def from_uri(uri: str) -> None:
            raise OSError(f"no answer from {uri}\nand a second line")

    monkeypatch.setattr("pyarrow.fs.FileSystem", Unreachable)
    expected = f"{folder}: no answer from {address}; check the address, the network and the credentials in your"
    with pytest.raises(DatabaseError, match=re.escape(expected)):
        treesql.connect(folder)


WRITER = """
import sys, treesql
for at in range(4):
    treesql.load(sys.argv[1], sys.argv[2], corpus=f"{sys.argv[3]}-{at}")
"""


@pytest.mark.slow
def test_several_writers_of_different_corpora(tmp_path: Path) -> None:
    """Three processes; and a corpus that two of them load is there once."""
    command = [sys.executable, "-W", "ignore", "-c", WRITER, f"{tmp_path}/c/", str(FIXTURES / "gold.conllu")]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in ("a", "b", "c", "c")]
    errors = [one.communicate()[1].decode() for one in running]
    assert errors[:2] == ["", ""], errors
    with treesql.connect(tmp_path / "c") as db:
        assert set(db.corpora) >= {f"{name}-{at}" for name in "ab" for at in range(4)} | {"c-0"}
        assert db.sql("SELECT count(*) AS n FROM words GROUP BY corpus").rows() == [{"n": 30}] * len(db.corpora)


def test_what_killed_writers_left_does_not_count(folder: Path) -> None:
    """Parts that the manifest does not list are not read, and removed by the next command that writes there."""
    left = folder / "words" / "new" / "part-00007.parquet"
    hidden = folder / f"{atomic_files.PREFIX}{atomic_files._machine()}-1-00000000"
    beside = folder / "words" / "gold" / "notes.txt"
    for write in (
        lambda: treesql.load(folder, FIXTURES / "gold.conllu", corpus="new"),
        lambda: folders.drop_corpora(str(folder), ["new"]),
    ):  # fmt: skip
        left.parent.mkdir(exist_ok=True)
        hidden.mkdir()
        for path in (left, beside):
            path.write_bytes(b"PAR1")
        with treesql.connect(folder) as db:
            assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'new'").rows()[0]["n"] in (0, 30)
        write()
        assert not left.exists()
        assert not hidden.exists()
        assert beside.exists(), "treesql did not write it"


@pytest.mark.spread(7)
@pytest.mark.parametrize("name", [".", "./", "../corpus", "../corpus/../corpus/", "words/..", "../link", "absolute"])
def test_whatever_a_folder_is_called_its_parts_stay(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    stray = folder / "words" / "gold" / "part-00007.parquet"
    stray.touch()
    (folder.parent / "link").symlink_to(folder)
    monkeypatch.chdir(folder)
    name = str(folder) if name == "absolute" else name
    parts = {path for path in folder.glob("*/*/*.parquet") if path != stray}
    treesql.load(name, FIXTURES / "gold.conllu", corpus="new")
    assert parts < set(folder.glob("*/*/*.parquet"))
    folders.drop_corpora(name, ["new"])
    assert parts == set(folder.glob("*/*/*.parquet"))
    assert not treesql.check(folder).faults


def test_parts_behind_links_stay(folder: Path, tmp_path: Path) -> None:
    """Of other folders, and of the same one by another name."""
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    before = sorted(other.rglob("*"))
    (folder / "words" / "linked").symlink_to(other / "words" / "gold")
    (folder / "words" / "alias").symlink_to(folder / "words" / "gold")
    (folder / "alignments" / "links" / "part-00007.parquet").symlink_to(part(other))
    (folder / "words" / "gold" / "part-00008.parquet").hardlink_to(part(folder))
    shutil.move(folder / "constituents", tmp_path / "constituents")
    (folder / "constituents").symlink_to(tmp_path / "constituents")
    (folder / "constituents" / "phrases" / "part-00009.parquet").touch()
    treesql.load(folder, FIXTURES / "gold.conllu", corpus="new")
    assert sorted(other.rglob("*")) == before
    assert part(folder).exists()
    assert (tmp_path / "constituents" / "phrases" / "part-00009.parquet").exists()
    folders.drop_corpora(str(folder), ["phrases"])
    assert len(list((tmp_path / "constituents" / "phrases").glob("part-00000*.parquet"))) == 1
    with pytest.raises(DatabaseError, match="constituents/new: this link leads out of the folder"):
        treesql.load(folder, FIXTURES / "gold.mrg", corpus="new", replace=True)
    assert not (tmp_path / "constituents" / "new").exists()


@pytest.mark.slow
def test_a_corpus_that_was_removed_is_gone_for_every_command(folder: Path, tmp_path: Path) -> None:
    """Also where its parts are still there, because a writer was killed before it removed them."""
    kept = shutil.copytree(folder / "words" / "gold", tmp_path / "gold")
    folders.drop_corpora(str(folder), ["gold"])
    shutil.copytree(kept, folder / "words" / "gold")
    for pattern in (folder, folder / "*" / "*" / "*.parquet"):
        with treesql.connect() as db:
            db.load(pattern)
            assert "gold" not in db.corpora
            assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold'").rows() == [{"n": 0}]
    with treesql.connect(folder) as db:
        assert "gold" not in db.corpora
        db.export(tmp_path / "again")
    assert not (tmp_path / "again" / "words" / "gold").exists()
    assert "gold" not in manifests.corpora_of(manifests.read_manifest(str(tmp_path / "again")))
    assert not any("gold" in file.split("/") for file in treesql.check(folder).files)


def many(folder: Path, n: int) -> Path:
    """Files of one word each."""
    folder.mkdir()
    for at in range(n):
        (folder / f"c{at}.conllu").write_bytes(conllu("a:0:root").replace(b"\ta\t", b"\tw%d\t" % at))
    return folder


def forms(db: treesql.Database) -> dict[str, str]:
    return {row["corpus"]: row["form"] for row in db.sql("SELECT corpus, form FROM words").rows()}


def test_many_small_corpora_share_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are loaded, scored, exported, loaded again, replaced and removed as others are."""
    monkeypatch.setattr(parquet, "MIN_TOGETHER", 3)
    n = parquet.MIN_TOGETHER + 2
    treesql.load(f"{tmp_path}/c/", many(tmp_path / "files", n))
    folder = tmp_path / "c"
    expected = {f"c{at}": f"w{at}" for at in range(n)}
    assert [path.name for path in (folder / "words").iterdir()] == ["~together"]
    assert len(list(folder.glob("*/*/*.parquet"))) == 3, "corpora, sentences and words"
    assert not treesql.check(folder).faults
    with treesql.connect(folder) as db:
        assert forms(db) == expected
        assert sorted(db.corpora) == sorted(expected)
        assert db.sql("SELECT form FROM words WHERE corpus = 'c4'").rows() == [{"form": "w4"}]
        assert db.score("attachment", gold_corpus="c3", system_corpus="c3").rows()[0]["las"] == 1
        db.export(tmp_path / "c3.conllu", corpus="c3")
        db.export(tmp_path / "again")
    assert (tmp_path / "c3.conllu").read_bytes() == (tmp_path / "files" / "c3.conllu").read_bytes()
    assert [path.name for path in (tmp_path / "again" / "words").iterdir()] == ["~together"]
    for source in (folder, tmp_path / "again"):
        with treesql.connect() as db:
            db.load(source)
            assert forms(db) == expected
            with pytest.raises(UsageError, match="'c0' is loaded already"):
                db.load(source, corpus="c0")
    (tmp_path / "c2.conllu").write_bytes(conllu("other:0:root"))
    with pytest.raises(UsageError, match="'c2' is loaded already"):
        treesql.load(folder, tmp_path / "c2.conllu", corpus="c2")
    treesql.load(folder, tmp_path / "c2.conllu", corpus="c2", replace=True)
    with treesql.connect(folder) as db:
        assert forms(db) == expected | {"c2": "other"}
        db.drop("c4")
        assert forms(db) == {key: value for key, value in (expected | {"c2": "other"}).items() if key != "c4"}
    assert b"w4" not in b"".join(path.read_bytes() for path in folder.glob("words/*/*")), "its rows are gone"
    treesql.load(folder, tmp_path / "files", replace=True)
    with treesql.connect(folder) as db:
        assert forms(db) == expected
    assert len(list(folder.glob("words/*/*.parquet"))) == 1


def test_a_damaged_part_of_many_corpora_is_dropped_with_all_of_them(tmp_path: Path) -> None:
    """What is left of their rows is not known."""
    names = [f"c{at}" for at in range(parquet.MIN_TOGETHER)]
    treesql.load(f"{tmp_path}/c/", many(tmp_path / "files", len(names)))
    treesql.load(tmp_path / "c", FIXTURES / "gold.conllu")
    [shared] = (tmp_path / "c" / "words" / "~together").iterdir()
    flip(shared)
    before = (tmp_path / "c" / "_manifest" / "manifest.json").read_bytes()
    match = "; it is of c0, c1, c10, .*, c8, c9, which are replaced or dropped together"
    with pytest.raises(DatabaseError, match=match):
        treesql.drop(tmp_path / "c", "c3")
    assert (tmp_path / "c" / "_manifest" / "manifest.json").read_bytes() == before
    treesql.drop(tmp_path / "c", *names)
    assert not treesql.check(tmp_path / "c").faults
    with treesql.connect(tmp_path / "c") as db:
        assert db.corpora == ["gold"]
    assert not shared.exists()


def test_corpora_of_a_group_that_are_refused_leave_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MIN_TOGETHER", 6)
    files = many(tmp_path / "files", parquet.MIN_TOGETHER)
    (files / "c3.conllu").write_bytes(b"1\tx\n\n")
    treesql.load(f"{tmp_path}/c/", files / "c5.conllu")
    with pytest.raises(InvalidCorpora) as caught:
        treesql.load(tmp_path / "c", files)
    assert set(caught.value.refused) == {"c3", "c5"}
    with treesql.connect(tmp_path / "c") as db:
        assert forms(db) == {f"c{at}": f"w{at}" for at in range(parquet.MIN_TOGETHER) if at != 3}


@pytest.mark.slow
def test_names_of_corpora_are_not_those_of_folders_of_parts(tmp_path: Path) -> None:
    for corpus in ("~together", "_manifest", ".", ".."):
        treesql.load(f"{tmp_path}/c/", FIXTURES / "gold.conllu", corpus=corpus)
    with treesql.connect(tmp_path / "c") as db:
        assert set(db.corpora) == {"~together", "_manifest", ".", ".."}
        assert {row["n"] for row in db.sql("SELECT corpus, count(*) AS n FROM words GROUP BY corpus").rows()} == {30}
    assert {path.name for path in (tmp_path / "c" / "words").iterdir()} == {"%7Etogether", "%5Fmanifest", "%2E", "%2E."}


def test_parts_are_compared_once_and_again_where_they_changed(folder: Path) -> None:
    with treesql.connect(folder) as db:
        assert db.sql("SELECT count(*) AS n FROM words").rows() == [{"n": len(db.sql("FROM words").rows())}]
        data = bytearray(part(folder).read_bytes())
        data[300] ^= 1
        part(folder).write_bytes(data)
        for statement in ("FROM words", "SELECT count(*) FROM tree_lists", "FROM query('FROM wor' || 'ds')"):
            with pytest.raises(DatabaseError, match=r"words/gold/part-00000.parquet: this part is damaged"):
                db.sql(statement)
        with pytest.raises(DatabaseError, match="this part is damaged"):
            db.score("attachment", gold_corpus="gold", system_corpus="gold")
        with pytest.raises(DatabaseError, match="this part is damaged"):
            db.connection.execute("FROM words")
        assert db.sql("SELECT count(*) AS n FROM sentences WHERE corpus = 'gold'").rows() == [{"n": 5}]
    [fault] = treesql.check(folder).faults
    assert fault.path == str(part(folder))
    treesql.load(folder, FIXTURES / "gold.conllu", corpus="gold", replace=True)
    assert not treesql.check(folder).faults


def test_columns_that_a_plan_reads_are_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of large folders, those alone: a damaged one is found when it is read."""
    monkeypatch.setattr("treesql.engines.duckdb_folders.MIN_BYTES_FOR_PLAN", 0)
    metadata = pq.read_metadata(part(folder))
    column = next(
        metadata.row_group(0).column(at) for at in range(metadata.num_columns)
        if metadata.row_group(0).column(at).path_in_schema == "lemma"
    )  # fmt: skip
    data = bytearray(part(folder).read_bytes())
    data[(column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size - 1] ^= 1
    part(folder).write_bytes(data)
    with treesql.connect(folder) as db:
        assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold' AND head = 0").rows() == [{"n": 5}]
        for statement in (
            "SELECT max(lemma) FROM words", "SELECT count(*) FROM words WHERE lemma = 'x'", "FROM words LIMIT 1",
            "SELECT w FROM words AS w", "SELECT COLUMNS('le.*') FROM words", "SELECT 1; SELECT max(lemma) FROM words",
        ):  # fmt: skip
            with pytest.raises(DatabaseError, match=r"words/gold/part-00000.parquet: this part is damaged"):
                db.sql(statement)


def test_no_plan_is_taken_for_that_of_another_statement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and values change what is read: nothing for LIMIT 0."""
    monkeypatch.setattr("treesql.engines.duckdb_folders.MIN_BYTES_FOR_PLAN", 0)
    data = bytearray(part(folder).read_bytes())
    data[300] ^= 1
    part(folder).write_bytes(data)
    with treesql.connect(folder) as db:
        for sql, first, then in (
            ("FROM words LIMIT {}", 0, 30_000), ("FROM words WHERE 1 = {}", 0, 1), ("FROM words LIMIT $n", 0, 30_000),
        ):  # fmt: skip
            assert db.sql(sql.format(first), {"n": first} if "$" in sql else None).rows() == []
            with pytest.raises(DatabaseError, match=r"damaged .its bytes are not those that were written"):
                db.sql(sql.format(then), {"n": then} if "$" in sql else None)


@pytest.mark.slow
def test_no_part_has_the_name_that_another_had(tmp_path: Path) -> None:
    names: list[str] = []
    for _ in range(2):
        treesql.load(f"{tmp_path}/c/", FIXTURES / "gold.conllu")
        treesql.load(tmp_path / "c", FIXTURES / "gold.conllu", replace=True)
        names += [path.name for path in (tmp_path / "c" / "words" / "gold").iterdir()]
        folders.drop_corpora(str(tmp_path / "c"), ["gold"])
        treesql.load(tmp_path / "c", FIXTURES / "gold.conllu")
        names += [path.name for path in (tmp_path / "c" / "words" / "gold").iterdir()]
        folders.drop_corpora(str(tmp_path / "c"), ["gold"])
    assert len({*names, "part-00000.parquet"}) == 5


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("safe", [False, True])
def test_a_corpus_is_replaced_while_its_folder_is_opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch, safe: bool
) -> None:
    connected, times = duckdb_folders._connected, []

    def replacing(*given: Any) -> Any:
        times.append(1)
        if len(times) in (1, 2, 4):
            treesql.load(folder, FIXTURES / "parser-b.conllu", corpus="gold", replace=True)
        return connected(*given)

    monkeypatch.setattr(duckdb_folders, "_connected", replacing)
    with treesql.connect(folder, safe=safe) as db:
        assert len(times) == 3
        assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold'").rows() == [{"n": 30}]
        treesql.load(folder, FIXTURES / "gold.conllu", corpus="gold", replace=True)
        db.engine.refresh()
        assert len(times) == (5 if safe else 3)
        assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold'").rows() == [{"n": 30}]


def test_parts_that_were_replaced_are_not_called_damaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = f"{folder}: the folder has changed since it was opened; connect again"
    with treesql.connect(folder) as db:
        engine = db.engine.local
        assert isinstance(engine, DuckDBFolder)
        assert not engine.has_changed()
        assert db.sql("SELECT count(*) AS n FROM words WHERE corpus = 'gold'").rows() == [{"n": 30}]
        treesql.load(folder, FIXTURES / "parser-b.conllu", corpus="gold", replace=True)
        assert engine.has_changed()
        for ask in (
            lambda: db.sql("SELECT count(*) FROM words"),
            lambda: db.score("attachment", gold_corpus="gold", system_corpus="gold"),
            lambda: db.export(folder.parent / "again"),
        ):
            with pytest.raises(DatabaseError, match=re.escape(changed)):
                ask()
        with monkeypatch.context() as patched:  # as where it is replaced between the comparison and the reading
            patched.setattr(DuckDBFolder, "_check_parts", lambda *given: None)
            for ask in (
                lambda: db.sql("FROM words"),
                lambda: [*db.stream_each("FROM words")],
                lambda: db.query("attachment", gold_corpus="gold", system_corpus="gold"),
            ):
                with pytest.raises(DatabaseError, match=re.escape(changed)):
                    ask()
        with pytest.raises(treesql.QueryError, match='"x"'):
            db.sql("SELECT x")
        engine.refresh()
        assert not engine.has_changed()
        assert db.score("attachment", gold_corpus="gold", system_corpus="gold").rows()[0]["las"] == 1


def test_a_connection_shows_the_corpora_that_were_loaded_beside_those_that_were_refused(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.conllu").write_bytes(conllu("a:0:root") + b"1\tx\n\n")
    with treesql.connect(folder) as db:
        with pytest.raises(InvalidCorpora):
            db.load(tmp_path / "bad.conllu", FIXTURES / "gold.conllu", replace=True)
        assert db.corpora[-1] == "gold"
        assert db.score("attachment", gold_corpus="gold", system_corpus="gold").rows()[0]["las"] == 1


def test_systems_with_other_separators_and_without_pread(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths of parts are in another notation than those that the system finds, as on Windows."""
    paths = CorpusGroup.paths

    def in_other_notation(*given: Any) -> list[str]:
        return [path.replace("/part-", "//part-") for path in paths(*given)]

    monkeypatch.setattr(CorpusGroup, "paths", in_other_notation)
    monkeypatch.delattr(os, "pread")
    with treesql.connect() as db:
        assert len(db.load(folder)) == len(FEW) + 1
    checked = treesql.check(folder)
    assert not checked.faults
    assert str(part(folder)) in checked.files
    part(folder).unlink()
    [fault] = treesql.check(folder).faults
    assert "it is missing, where the manifest names a part of" in str(fault)


def test_each_step_of_a_change_is_on_the_disk_before_the_next(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New parts with their folders, the manifest, and then the removal of old parts."""
    steps: list[int | str] = []
    fsync, move, unlink = os.fsync, os.replace, Path.unlink
    monkeypatch.setattr(os, "fsync", lambda opened: (steps.append(os.fstat(opened).st_ino), fsync(opened)))
    monkeypatch.setattr(os, "replace", lambda old, new: (steps.append(Path(new).name), move(old, new)))
    monkeypatch.setattr(Path, "unlink", lambda path, **how: (steps.append(str(path)), unlink(path, **how)))
    old = set(folder.glob("*/gold/*.parquet"))
    treesql.load(folder, FIXTURES / "gold.mrg", corpus="gold", replace=True)
    new = set(folder.glob("*/gold/*.parquet"))
    assert not old & new
    manifest_at, removal_at = steps.index("manifest.json"), min(steps.index(str(path)) for path in old)
    needed = {above for path in new for above in (path, path.parent, path.parents[1], folder)}
    assert {path.stat().st_ino for path in {*needed, manifest(folder)}} <= set(steps[:manifest_at])
    assert max(steps.index(path.name) for path in new) < min(steps.index(path.parent.stat().st_ino) for path in new)
    assert (folder / "_manifest").stat().st_ino in steps[manifest_at:removal_at]


@pytest.mark.parametrize("moment", ["find_stored", "options_of"])
def test_a_corpus_is_replaced_while_its_folder_is_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """After its files were found, and after its parts were; then it is neither damaged nor left out."""
    module = {"find_stored": corpus_plans, "options_of": loading}[moment]
    done, original = [], getattr(module, moment)

    def replacing(*given: Any) -> Any:
        if not done:
            done.append(1)
            monkeypatch.setattr(module, moment, original)
            treesql.load(folder, FIXTURES / "parser-b.conllu", corpus="gold", replace=True)
        return original(*given)

    with treesql.connect() as db:
        monkeypatch.setattr(module, moment, replacing)
        with pytest.raises(DatabaseError, match="the folder has changed while it was read; load it again"):
            db.load(folder)
        assert db.corpora == []
        db.load(folder)
        assert len(db.corpora) == len(FEW) + 1


def test_a_corpus_is_replaced_while_its_folder_is_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find, times = parquet_parts.find_all_damage, []

    def replacing(*given: Any) -> Any:
        times.append(1)
        if len(times) == 1:
            treesql.load(folder, FIXTURES / "parser-b.conllu", corpus="gold", replace=True)
        return find(*given)

    monkeypatch.setattr(parquet_parts, "find_all_damage", replacing)
    assert corpus_plans.find_damaged_parts(str(folder)) == []
    assert len(times) == 2


def test_what_is_remembered_of_parts_does_not_grow(folder: Path) -> None:
    with treesql.connect(folder) as db:
        db.sql("FROM words")
        for _ in range(2):
            db.load(FIXTURES / "gold.conllu", corpus="gold", replace=True)
            db.sql("FROM words")
    remembered = [path for path in parquet_parts._Checked.columns if path.startswith(f"{folder}/words/gold/")]
    assert remembered == [str(path) for path in (folder / "words" / "gold").iterdir()]
