"""Of a large folder, what a statement is planned to read is compared, and of its rows the first ones where no more are
needed: a part that is damaged is found by whatever reads it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.engines import manifests
from treesql.engines.parquet_parts import reads_of
from treesql.errors import DatabaseError
from treesql.storage import folders
from treesql.writers import parquet

IN_THREE_PARTS = "SELECT form FROM words"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two corpora in three parts each, to be copied."""
    folder = tmp_path_factory.mktemp("made") / "c"
    with pytest.MonkeyPatch.context() as patch:
        for module in (manifests, folders, parquet):
            patch.setattr(module, "BLOCK_SENTENCES", 2)
        for corpus in ("a", "b"):
            treesql.load(f"{folder}/", FIXTURES / "gold.conllu", corpus=corpus)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own, which counts as a large one."""
    monkeypatch.setattr("treesql.engines.duckdb_folders.MIN_BYTES_FOR_PLAN", 0)
    return Path(shutil.copytree(made, tmp_path / "c"))


def damage(folder: Path, corpus: str, number: int, *, footer: bool = False) -> int:
    """Flip a bit of a column of a part, or of its footer; return the number of rows before it in its corpus."""
    parts = sorted((folder / "words" / corpus).iterdir(), key=lambda path: path.name[:10])
    data = bytearray(parts[number].read_bytes())
    rows = pq.read_metadata(parts[number]).row_group(0)
    column = next(one for one in map(rows.column, range(rows.num_columns)) if one.path_in_schema == "form")
    start = column.dictionary_page_offset or column.data_page_offset
    data[-20 if footer else start + column.total_compressed_size - 30] ^= 1
    parts[number].write_bytes(data)
    return sum(pq.read_metadata(path).num_rows for path in parts[:number])


def test_first_rows_are_of_parts_that_are_compared(folder: Path) -> None:
    before = damage(folder, "a", 2)
    with treesql.connect(folder) as db:
        for sql, n in (
            ("FROM words LIMIT 5", 5),
            (f"{IN_THREE_PARTS} LIMIT $n", before),
            (f"{IN_THREE_PARTS} WHERE corpus = 'a' LIMIT 3", 3),
            (f"{IN_THREE_PARTS} WHERE corpus = 'b' LIMIT {before}", before),
            (f"SELECT upper(s.form) FROM ({IN_THREE_PARTS} LIMIT 7) AS s ORDER BY 1", 7),
            (f"({IN_THREE_PARTS} LIMIT 4) UNION ALL ({IN_THREE_PARTS} LIMIT 5)", 9),
        ):
            assert len(db.sql(sql, {"n": before} if "$" in sql else None).rows()) == n, sql


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    "sql",
    [
        f"{IN_THREE_PARTS} LIMIT {{}} + 1",
        f"{IN_THREE_PARTS} LIMIT 1 OFFSET {{}}",
        f"{IN_THREE_PARTS} WHERE upos = 'VERB' LIMIT 1",
        f"{IN_THREE_PARTS} WHERE length(form) > 3 LIMIT 1",
        f"{IN_THREE_PARTS} ORDER BY form LIMIT 1",
        f"{IN_THREE_PARTS} LIMIT 10%",
        f"{IN_THREE_PARTS} LIMIT (SELECT 1)",
        f"{IN_THREE_PARTS} USING SAMPLE 1",
        f"SELECT * FROM ({IN_THREE_PARTS} USING SAMPLE 50%) LIMIT 1",
        "SELECT * FROM (SELECT form, count(*) FROM words GROUP BY form) LIMIT 1",
        "SELECT DISTINCT form FROM words LIMIT 1",
        f"({IN_THREE_PARTS} LIMIT 5) UNION ALL {IN_THREE_PARTS}",
        "SELECT a.form FROM words AS a JOIN words AS b ON a.form = b.form LIMIT 1",
        "SELECT form, (SELECT max(form) FROM words) FROM words LIMIT 1",
        "SELECT last(form) OVER () FROM words LIMIT 1",
        f"{IN_THREE_PARTS} LIMIT 1; SELECT max(form) FROM words",
        f"EXPLAIN ANALYZE {IN_THREE_PARTS}",
    ],
)
def test_other_statements_have_all_parts_compared(folder: Path, sql: str) -> None:
    before = damage(folder, "a", 2)
    with treesql.connect(folder) as db, pytest.raises(DatabaseError, match=r"words/a/part-00002.*this part is damaged"):
        db.sql(sql.format(before))


def test_a_connection_that_keeps_no_order_has_all_parts_compared(folder: Path) -> None:
    damage(folder, "b", 2)
    with treesql.connect(folder) as db:
        assert len(db.sql(f"{IN_THREE_PARTS} LIMIT 1").rows()) == 1
        db.sql("SET preserve_insertion_order = false")
        with pytest.raises(DatabaseError, match=r"words/b/part-00002.*this part is damaged"):
            db.sql(f"{IN_THREE_PARTS} LIMIT 2")


def test_footers_of_all_parts_are_compared(folder: Path) -> None:
    damage(folder, "b", 2, footer=True)
    with treesql.connect(folder) as db, pytest.raises(DatabaseError, match=r"words/b/part-00002.*this part is damaged"):
        db.sql(f"{IN_THREE_PARTS} LIMIT 1")


def test_first_parts_are_compared(folder: Path) -> None:
    damage(folder, "a", 0)
    for sql in ("FROM words LIMIT 1", f"{IN_THREE_PARTS} LIMIT 0 OFFSET 1", f"{IN_THREE_PARTS} LIMIT 1"):
        with treesql.connect(folder) as db:
            if "LIMIT 0" in sql:
                assert db.sql(sql).rows() == []
                continue
            with pytest.raises(DatabaseError, match=r"words/a/part-00000.*this part is damaged"):
                db.sql(sql)


def test_parts_of_other_corpora_and_sentences_are_not_compared(folder: Path) -> None:
    """What is read of parts is what the statements read of them: two sentences each."""
    damage(folder, "a", 1)
    with treesql.connect(folder) as db:
        for condition, is_read in (
            ("corpus = 'b'", False), ("corpus IN ('b', 'c')", False), ("corpus = 'a'", True),
            ("corpus IN ('b', 'a')", True), ("corpus > 'a'", True), ("corpus <> 'b' OR form = 'b'", True),
            ("sentence < 2", False), ("sentence >= 4 AND sentence <= 9", False), ("sentence = 5", False),
            ("NOT sentence < 4", False), ("sentence > 3", False), ("sentence <= 1", False), ("sentence = 3", True),
            ("sentence <> 0", True), ("sentence <= 2", True), ("sentence > 2 AND sentence < 4", True),
            ("sentence < 2 OR sentence > 3", True), ("word < 2", True),
            ("form <> E'\\n(sentence < 2)\\n'", True),
        ):  # fmt: skip
            sql = f"SELECT max(form) FROM words WHERE {condition}"
            if is_read:
                with pytest.raises(DatabaseError, match=r"words/a/part-00001.*this part is damaged"):
                    db.sql(sql)
            else:
                assert len(db.sql(sql).rows()) == 1, sql


@pytest.mark.spread(9)
@pytest.mark.parametrize("name", ["it's", "''", "', 'b", "a\nb", "(b)", "\\", "\x01", "\u2028", "ü"])
def test_corpora_of_any_name_are_compared(
    name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treesql.engines.duckdb_folders.MIN_BYTES_FOR_PLAN", 0)
    folder = Path(shutil.copytree(made, tmp_path / "c"))
    treesql.load(folder, FIXTURES / "gold.conllu", corpus=name)
    [part] = (path for path in folder.glob("words/*/*") if path.parent.name not in ("a", "b"))
    damage(folder, part.parent.name, 0)
    with treesql.connect(folder) as db:
        for condition in ("corpus = $name", "corpus IN ($name, 'a')"):
            with pytest.raises(DatabaseError, match="this part is damaged"):
                db.sql(f"SELECT max(form) FROM words WHERE {condition}", {"name": name})


def test_corpora_that_share_parts_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treesql.engines.duckdb_folders.MIN_BYTES_FOR_PLAN", 0)
    folder = tmp_path / "c"
    treesql.load(f"{folder}/", FIXTURES / "gold.conllu", corpus="own")
    small = tmp_path / "small"
    small.mkdir()
    for number in range(20):
        shutil.copy(FIXTURES / "gold.conllu", small / f"s{number}.conllu")
    treesql.load(folder, *sorted(small.iterdir()))
    damage(folder, "~together", 0)
    with treesql.connect(folder) as db:
        assert len(db.sql("SELECT form FROM words LIMIT 0").rows()) == 0
        for sql in (
            f"{IN_THREE_PARTS} WHERE corpus = 's3' LIMIT 1",
            f"{IN_THREE_PARTS} WHERE corpus = 's3'",
            "SELECT max(form) FROM words",
        ):
            with pytest.raises(DatabaseError, match=r"words/~together/.*this part is damaged"):
                db.sql(sql)


SCAN = '{"name": "READ_PARQUET", "children": [], "extra_info": {"Projections": "form"%s}}'
LIMIT = '[{"name": "%s", "extra_info": {"Limit": "%s"}, "children": [%s]}]'


def test_what_a_plan_does_not_say_in_known_words_reads_all() -> None:
    assert reads_of(LIMIT % ("LIMIT", "3", SCAN % ""), keeps_order=True).scans[0].rows == 3
    for plan in (
        LIMIT % ("LIMIT", "3", SCAN % ', "Dynamic Filters": "x"'),
        LIMIT % ("LIMIT", "3", SCAN % ', "File Filters": "(filename = 3)"'),
        LIMIT % ("LIMIT", "10%", SCAN % ""),
        LIMIT % ("LIMIT_PERCENT", "10", SCAN % ""),
        LIMIT % ("LIMIT", "3", '{"name": "OTHER", "extra_info": {}, "children": [%s]}' % (SCAN % "")),
    ):
        assert [one.rows for one in reads_of(plan, keeps_order=True).scans] == [float("inf")]
    unordered = reads_of(LIMIT % ("LIMIT", "3", SCAN % ""), keeps_order=False)
    assert "form" in unordered.columns
    assert unordered.scans[0].rows == float("inf")
    assert reads_of("[]", keeps_order=True).scans == ()
