"""Columns beyond those of CoNLL-U in databases: exported, changed by SQL, and in data sets."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.storage.parts import restamp
from treesql.errors import InvalidInput
from treesql.readers import STANDARD_COLUMNS

EXPRESSIONS, REORDERED = FIXTURES / "expressions.conllup", FIXTURES / "reordered.cupt"
TABLES = ("word_columns", "token_columns", "empty_node_columns")


@pytest.fixture
def db() -> treesql.Database:
    db = treesql.connect()
    db.load(EXPRESSIONS, corpus="e")
    return db


def rows(db: treesql.Database, table: str) -> list[dict[str, object]]:
    return db.sql(f"FROM {table} ORDER BY ALL").rows()


@pytest.mark.spread(3)
@pytest.mark.parametrize("path", [EXPRESSIONS, REORDERED])
@pytest.mark.parametrize("ending", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_files_come_back_byte_for_byte(tmp_path: Path, path: Path, ending: str) -> None:
    with treesql.connect() as db:
        db.load(path, corpus="a")
        db.export(tmp_path / f"packed{path.suffix}{ending}")
        db.load(tmp_path / f"packed{path.suffix}{ending}", corpus="b")
        db.export(tmp_path / "out.conllup", corpus="b")
        assert (tmp_path / "out.conllup").read_bytes() == path.read_bytes()
        assert db.sql("SELECT DISTINCT format FROM corpora").rows() == [{"format": "conllup"}]


def test_layouts_of_the_file_are_kept(tmp_path: Path) -> None:
    odd = b"\xef\xbb\xbf" + EXPRESSIONS.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n")
    (tmp_path / "a.conllup").write_bytes(odd)
    with treesql.connect() as db:
        with pytest.warns(treesql.TreesqlWarning, match="byte order mark"):
            db.load(tmp_path / "a.conllup", corpus="a")
        db.export(tmp_path / "out.conllup")
    assert (tmp_path / "out.conllup").read_bytes() == odd


def test_files_of_a_corpus_may_have_different_columns(tmp_path: Path) -> None:
    with treesql.connect() as db:
        db.load(EXPRESSIONS, REORDERED, corpus="both")
        db.export(tmp_path / "out", to="conllup")
        for path in (EXPRESSIONS, REORDERED):
            assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()
        db.export(tmp_path / "one.conllup")
        lines = (tmp_path / "one.conllup").read_text("utf-8").split("\n")
        assert lines[0] == (
            "# global.columns = ID FORM UPOS HEAD DEPREL MISC PARSEME:MWE DEMO:NE LEMMA XPOS FEATS DEPS"
        )
        assert "2\trains\tVERB\t0\troot\t_\t1:VID\t_\train\tVBZ\t_\t0:root" in lines
        db.load(tmp_path / "one.conllup", corpus="again")
        for table in ("words", *TABLES):
            own = f"SELECT * EXCLUDE (corpus{', line' if table == 'words' else ''}) FROM {table} WHERE corpus = "
            assert db.sql(f"{own} 'again' ORDER BY ALL").rows() == db.sql(f"{own} 'both' ORDER BY ALL").rows()


def test_conllu_leaves_them_out_with_one_warning(tmp_path: Path) -> None:
    with treesql.connect() as db:
        db.load(EXPRESSIONS, REORDERED, corpus="both")
        with pytest.warns(treesql.TreesqlWarning) as heard:
            db.export(tmp_path / "out", to="conllu")
        [warning] = heard
        assert "no place for 2 columns of the corpus: DEMO:NE, PARSEME:MWE" in str(warning.message)
        db.load(tmp_path / "out" / EXPRESSIONS.name, corpus="plain", format="conllu")
        assert db.sql("SELECT count(*) AS n FROM word_columns WHERE corpus = 'plain'").rows() == [{"n": 0}]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            db.export(tmp_path / "plain.conllu", corpus="plain")
        found = (tmp_path / "plain.conllu").read_text("utf-8")
    assert found.startswith("# sent_id = w-1\n")
    assert "3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_\n" in found


def test_a_corpus_of_conllu_has_its_columns(tmp_path: Path) -> None:
    first = f"# global.columns = {' '.join(STANDARD_COLUMNS)}\n"
    gold = (FIXTURES / "gold.conllu").read_text("utf-8")
    (tmp_path / "named.conllu").write_text(first + gold, "utf-8")
    with treesql.connect() as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        db.load(tmp_path / "named.conllu", corpus="named")
        for corpus in ("gold", "named"):
            db.export(tmp_path / f"{corpus}.conllup", corpus=corpus)
            assert (tmp_path / f"{corpus}.conllup").read_text("utf-8") == first + gold
        db.export(tmp_path / "again.conllu", corpus="named")
    assert (tmp_path / "again.conllu").read_text("utf-8") == first + gold


def test_values_written_by_sql_get_columns(db: treesql.Database, tmp_path: Path) -> None:
    db.sql("UPDATE words SET lemma = 'geben' WHERE sentence = 0 AND word = 2")
    db.sql("INSERT INTO word_columns VALUES ('e', 0, 1, 'A:B', 'x'), ('e', 0, 1, 'DEMO:NE', 'y')")
    db.export(tmp_path / "out.conllup")
    lines = (tmp_path / "out.conllup").read_text("utf-8").split("\n")
    assert lines[0].endswith("DEMO:NE LEMMA A:B")
    assert lines[3:5] == [
        "1\tSie\tPRON\t2\tnsubj\t_\t*\ty\t_\tx", "2\tgibt\tVERB\t0\troot\t_\t1:VPC.full\t_\tgeben\t_"
    ]  # fmt: skip
    [record] = db.sql("SELECT sha256, changed_at IS NOT NULL AS changed FROM corpora").rows()
    assert record["changed"]
    db.sql("DELETE FROM word_columns WHERE name = 'A:B'")
    [again] = db.sql("SELECT sha256 FROM corpora").rows()
    assert again["sha256"] != record["sha256"]


@pytest.mark.spread(5)
@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("INSERT INTO word_columns VALUES ('e', 0, 14, 'A:B', 'x')",
         "sentence 0, word 14, name A:B: it is of no row of words"),
        ("INSERT INTO word_columns VALUES ('e', 9, 1, 'A:B', 'x')",
         "word_columns: sentence 9: it has rows and is not in"),
        ("INSERT INTO word_columns VALUES ('e', 0, 1, 'PARSEME:MWE', 'x')", "name PARSEME:MWE: it is there twice"),
        ("INSERT INTO word_columns VALUES ('e', 0, 1, 'ab', 'x')",
         "word_columns: sentence 0, word 1, name ab: a column cannot be called `ab`"),
        ("UPDATE word_columns SET value = 'a' || chr(9) WHERE word = 1", "value has a tab or a line break in it"),
        ("UPDATE token_columns SET value = '_'",
         "token_columns: sentence 0, first 3, name DEMO:NE: value is `_`; delete the row"),
        ("UPDATE token_columns SET first = 5",
         "token_columns: sentence 0, first 5, name DEMO:NE: it is of no row of tokens"),
        ("DELETE FROM tokens",
         "token_columns: sentence 0, first 3, name DEMO:NE: it is of no row of tokens; delete this row"),
        ("DELETE FROM empty_nodes WHERE index = 2",
         "empty_node_columns: sentence 0, word 10, index 2, name DEMO:NE: it is of no row of empty"),
        ("UPDATE corpora SET global_columns = NULL", "global_columns of e is maintained by treesql"),
    ],
)  # fmt: skip
def test_changes_that_no_file_could_have(db: treesql.Database, sql: str, what: str) -> None:
    before = [rows(db, table) for table in TABLES]
    with pytest.raises(treesql.TreesqlError, match=re.escape(what)):
        db.sql(sql)
    assert [rows(db, table) for table in TABLES] == before


def test_a_data_set_has_them(db: treesql.Database, tmp_path: Path) -> None:
    db.load(REORDERED, corpus="r")
    db.export(tmp_path / "set")
    with treesql.connect() as other:
        other.load(tmp_path / "set")
        for table in TABLES:
            assert rows(other, table) == rows(db, table)
        other.export(tmp_path / "out.conllup", corpus="e")
    assert (tmp_path / "out.conllup").read_bytes() == EXPRESSIONS.read_bytes()


@pytest.mark.spread(6)
@pytest.mark.parametrize(
    ("table", "column", "value", "what"),
    [
        ("word_columns", "word", 90, "it is of no row of words"),
        ("word_columns", "sentence", 2, "it has rows and is not in sentences"),
        ("word_columns", "name", "ab", "a column cannot be called `ab`"),
        ("word_columns", "value", "a\tb", "value has a tab or a line break"),
        ("word_columns", "value", "_", "value is `_`"),
        ("word_columns", "value", "", "value is empty"),
        ("token_columns", "first", 4, "it is of no row of tokens"),
        ("empty_node_columns", "index", 3, "it is of no row of empty_nodes"),
        ("empty_node_columns", "word", 11, "it is of no row of empty_nodes"),
        ("corpora", "global_columns", ["# global.columns = ID"], "global_columns: there is no column FORM"),
        ("corpora", "global_columns", ["# x"], "global_columns: no columns are named"),
        ("corpora", "global_columns", ["a", "b"], "global_columns has 2 lines for 1 files"),
    ],
)
def test_data_sets_are_checked(
    db: treesql.Database, tmp_path: Path, table: str, column: str, value: object, what: str
) -> None:
    """The last row of a table is changed."""
    db.export(tmp_path / "set")
    path = tmp_path / "set" / table / "e" / "part-00000.parquet"
    found = pq.read_table(path, partitioning=None)
    values = [*found[column].to_pylist()[:-1], value]
    at = found.schema.get_field_index(column)
    pq.write_table(found.set_column(at, found.schema.field(at), pa.array(values, found.schema.field(at).type)), path)
    restamp(tmp_path / "set")
    with treesql.connect() as other, pytest.raises(InvalidInput, match=re.escape(what)):
        other.load(tmp_path / "set")


def test_a_row_that_is_there_twice_is_refused(db: treesql.Database, tmp_path: Path) -> None:
    db.export(tmp_path / "set")
    path = tmp_path / "set" / "word_columns" / "e" / "part-00000.parquet"
    found = pq.read_table(path, partitioning=None)
    pq.write_table(pa.concat_tables([found.slice(0, 1), found]).replace_schema_metadata(found.schema.metadata), path)
    restamp(tmp_path / "set")
    with treesql.connect() as other, pytest.raises(InvalidInput, match="parquet:2: it is there twice"):
        other.load(tmp_path / "set")
    shutil.rmtree(tmp_path / "set" / "token_columns")
    shutil.rmtree(tmp_path / "set" / "word_columns")
    restamp(tmp_path / "set")
    with treesql.connect() as other:  # as after DELETE: rows of further columns are nobody's due
        other.load(tmp_path / "set")


def test_the_sql_of_the_page_about_formats(db: treesql.Database) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "formats.md").read_text("utf-8")
    words, wide = (db.sql(sql).rows() for sql in re.findall(r"```sql\n(.*?)```", page, re.DOTALL))
    assert [(row["form"], row["value"]) for row in words] == [("gibt", "1:VPC.full"), ("auf", "1")]
    assert len(wide) == 15
    assert wide[2] == {"sentence": 0, "word": 3, "form": "in", "PARSEME:MWE": "*", "DEMO:NE": "B-EVENT"}
