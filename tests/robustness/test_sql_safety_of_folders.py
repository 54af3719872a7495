"""SQL of strangers on a folder of Parquet: it reads the parts that stand for tables, and no file beside them."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.robustness.sql_safety import ATTACHING, EXTENSIONS, READING, SECRET, WRITING, files, written
from treesql.errors import TreesqlError
from treesql.web.site import Site

BESIDE = (".env", "secret.txt", "words/secret.txt", "words/gold/secret.txt", "words/gold/part-00000.parquet.txt")
STATEMENTS = [
    *(sql for sql, _ in (*READING, *WRITING, *ATTACHING, *EXTENSIONS)),
    "FROM read_text('DIR/.env')",
    "FROM read_text('DIR/words/gold/secret.txt')",
    "FROM read_text('DIR/words/gold/../../.env')",
    "FROM read_text('file:DIR/.env')",
    "FROM read_text('DIR/words/gold/part-00000.parquet.txt')",
    "FROM read_blob('DIR/_manifest/manifest.json')",
    "FROM glob('DIR/**')",
    "FROM glob('DIR/words/gold/*')",
    "FROM read_parquet('DIR/words/gold/part-00009.parquet')",
    "FROM read_parquet('DIR/words/gold/*.parquet')",
    "FROM 'DIR/words/gold/part-00009.parquet'",
    "FROM parquet_metadata('DIR/words/gold/part-00009.parquet')",
    "FROM read_parquet('DIR/link.parquet')",
    "SELECT * FROM query('FROM read_text(''DIR/.env'')')",
    "SELECT count(*) FROM glob('DIR/*') WHERE file LIKE '%env'",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a corpus, with files beside the parts, and a part that no manifest lists."""
    made = tmp_path_factory.mktemp("safety") / "base"
    treesql.load(f"{made}/", FIXTURES / "gold.conllu", corpus="gold")
    for name in BESIDE:
        (made / name).write_text(f"a\n{SECRET}\n")
    for name in ("secret.csv", "secret.json"):
        (made / name).write_text(f'{{"a": "{SECRET}"}}\n')
    for name in ("secret.parquet", "words/gold/part-00009.parquet"):
        pq.write_table(pa.table({"a": [SECRET]}), made / name)
    (made / "link.parquet").symlink_to(made / "secret.parquet")
    shutil.copy(made / "secret.csv", made / "other.duckdb")
    return made


@pytest.fixture(scope="module")
def safe(folder: Path) -> Iterator[treesql.Database]:
    with treesql.connect(folder, read_only=True, safe=True) as db:
        yield db


@in_turn("sql", STATEMENTS)
def test_files_beside_the_parts_are_not_read(safe: treesql.Database, folder: Path, sql: str) -> None:
    """Refused in a line or two, or, for patterns, without a row."""
    before = files(folder)
    rows: list[dict[str, Any]] = []
    told = "rows"
    try:
        rows = safe.sql(written(sql, folder, "_manifest/manifest.json")).rows()
    except TreesqlError as error:
        told = str(error)
    assert told.strip()
    assert SECRET not in told
    assert not any(value for row in rows for value in row.values() if value not in (0, False)), rows
    assert files(folder) == before
    assert safe.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 30}]


def test_the_parts_of_tables_are_read(safe: treesql.Database, folder: Path) -> None:
    sql = f"SELECT count(*) AS n FROM read_parquet('{folder}/words/gold/part-00000.parquet')"
    assert safe.sql(sql).rows() == [{"n": 30}]


def test_corpora_that_are_added_are_read(folder: Path, tmp_path: Path) -> None:
    """A safe connection reads the parts of the manifest of now."""
    own = shutil.copytree(folder, tmp_path / "own", symlinks=True)
    with treesql.connect(own, safe=True) as db:
        db.load(FIXTURES / "parser-a.conllu", corpus="parser-a")
        assert db.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 60}]
        assert db.score("attachment", gold_corpus="gold", system_corpus="parser-a").rows()[0]["words"] == 30
        with pytest.raises(TreesqlError, match="reaches no files"):
            db.sql(f"FROM read_text('{own}/.env')")
        db.drop("gold")
        with pytest.raises(TreesqlError, match="reaches no files"):
            db.sql(f"FROM read_parquet('{own}/words/gold/part-00000.parquet')")


@pytest.mark.parametrize("sql", ["FROM read_text('DIR/.env')", "FROM read_parquet('DIR/secret.parquet')"])
def test_the_command(run, folder: Path, sql: str) -> None:  # type: ignore[no-untyped-def]
    done = run("sql", folder, written(sql, folder))
    assert (done.code, done.out) == (2, "")
    assert "reaches no files" in done.err


def test_the_server(folder: Path) -> None:
    with Site(str(folder), seconds=10.0) as site:
        for sql in ("FROM read_text('DIR/.env')", "FROM glob('DIR/*')", "FROM 'DIR/words/gold/part-00009.parquet'"):
            body = io.BytesIO()
            site.answer("/sql.json", urlencode({"q": written(sql, folder)})).write(body)
            site.finish()
            assert SECRET.encode() not in body.getvalue()
            assert b"reaches no files" in body.getvalue()
