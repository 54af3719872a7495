"""SQL of strangers: what was tried on safe connections, and what came of it.

Every statement is either refused with a clear first line, or harmless: afterwards the files are as they were, no result
has shown what stands in another file, the settings are as they were, and the connection still answers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.errors import QueryError, RequestError, TreesqlError, UnknownName, UsageError

SECRET = "hunter2"
HARMLESS = None
NO_FILES = "this connection reaches no files and no network"
READ_ONLY = "read-only"
LOCKED = "configuration has been locked"
UNKNOWN = "does not exist"
SYNTAX = "Parser Error"

# In the statements DIR is a folder with secret.csv, secret.json, secret.parquet, secret.txt and other.duckdb; DB is the
# path of the database itself.
READING = [
    ("FROM 'DIR/secret.csv'", NO_FILES),
    ("FROM 'DIR/secret.parquet'", NO_FILES),
    ("FROM 'DIR/secret.json'", NO_FILES),
    ('FROM "DIR/secret.csv"', NO_FILES),
    ("FROM 'DIR/*.csv'", NO_FILES),
    ("FROM 'file://DIR/secret.csv'", NO_FILES),
    ("FROM 'DB'", NO_FILES),
    ("FROM 'DIR/other.duckdb'", NO_FILES),
    ("FROM read_csv('DIR/secret.csv')", NO_FILES),
    ("FROM read_csv(['DIR/secret.csv', 'DIR/secret.txt'])", NO_FILES),
    ("FROM read_csv('DIR/secret.txt', columns = {'a': 'VARCHAR'}, auto_detect = false)", NO_FILES),
    ("FROM read_csv_auto('DIR/secret.csv')", NO_FILES),
    ("FROM read_csv('/dev/stdin')", NO_FILES),
    ("FROM read_csv('/proc/self/environ')", NO_FILES),
    ("FROM read_csv('/dev/fd/0')", NO_FILES),
    ("FROM sniff_csv('DIR/secret.csv')", NO_FILES),
    ("FROM read_text('DIR/secret.txt')", NO_FILES),
    ("FROM read_text('DIR/*')", "(reaches no files|^$)"),
    ("FROM read_text('/etc/passwd')", NO_FILES),
    ("FROM read_text('/proc/self/cmdline')", NO_FILES),
    ("FROM read_text('DB')", NO_FILES),
    ("FROM read_text('DB.wal')", NO_FILES),
    ("FROM read_text('DB.tmp/../secret.txt')", NO_FILES),
    ("FROM read_blob('DIR/secret.txt')", NO_FILES),
    ("FROM read_blob('DB')", NO_FILES),
    ("FROM read_parquet('DIR/secret.parquet')", NO_FILES),
    ("FROM parquet_scan('DIR/secret.parquet')", NO_FILES),
    ("FROM parquet_metadata('DIR/secret.parquet')", NO_FILES),
    ("FROM parquet_schema('DIR/secret.parquet')", NO_FILES),
    ("FROM parquet_file_metadata('DIR/secret.parquet')", NO_FILES),
    ("FROM parquet_kv_metadata('DIR/secret.parquet')", NO_FILES),
    ("FROM read_json('DIR/secret.json')", NO_FILES),
    ("FROM read_json_auto('DIR/secret.json')", NO_FILES),
    ("FROM read_json_objects('DIR/secret.json')", NO_FILES),
    ("FROM read_ndjson('DIR/secret.json')", NO_FILES),
    ("FROM read_ndjson_objects('DIR/secret.json')", NO_FILES),
    ("FROM read_duckdb('DIR/other.duckdb')", NO_FILES),
    ("FROM glob('DIR/*')", "(reaches no files|^$)"),
    ("FROM glob('/*')", "(reaches no files|^$)"),
    ("SELECT * FROM query('FROM ''DIR/secret.csv''')", NO_FILES),
    ("FROM query_table('DIR/secret.csv')", f"({UNKNOWN}|reaches no files)"),
    ("SELECT (SELECT content FROM read_text('DIR/secret.txt'))", NO_FILES),
    ("WITH a AS (FROM read_text('DIR/secret.txt')) FROM a", NO_FILES),
    ("SELECT * FROM words WHERE form IN (FROM 'DIR/secret.csv')", NO_FILES),
    ("EXPLAIN FROM 'DIR/secret.csv'", NO_FILES),
    ("EXPLAIN ANALYZE FROM 'DIR/secret.csv'", NO_FILES),
    ("DESCRIBE 'DIR/secret.csv'", NO_FILES),
    ("SUMMARIZE 'DIR/secret.csv'", NO_FILES),
    ("PREPARE p AS FROM 'DIR/secret.csv'", NO_FILES),
    ("CREATE TEMP VIEW v AS FROM 'DIR/secret.csv'", NO_FILES),
    ("CREATE TEMP TABLE t AS FROM 'DIR/secret.csv'", NO_FILES),
    ("CREATE TEMP MACRO m() AS TABLE FROM read_text('DIR/secret.txt')", f"({NO_FILES}|^$)"),
    ("SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''DIR/secret.txt'')'))", NO_FILES),
    ("FROM 'https://example.org/a.csv'", NO_FILES),
    ("FROM read_json('https://example.org/a.json')", NO_FILES),
    ("FROM 's3://bucket/a.parquet'", NO_FILES),
    ("FROM read_parquet('hf://datasets/a/b.parquet')", NO_FILES),
    ("FROM 'gcs://bucket/a.csv'", NO_FILES),
]
WRITING = [
    ("COPY words TO 'DIR/out.csv'", NO_FILES),
    ("COPY words TO 'DIR/out.parquet' (FORMAT parquet)", NO_FILES),
    ("COPY words TO 'DIR/out.json'", NO_FILES),
    ("COPY (SELECT 1) TO 'out.csv'", NO_FILES),
    ("COPY (SELECT 1) TO '/dev/stdout'", NO_FILES),
    ("COPY (SELECT 1) TO STDOUT", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB'", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.wal.recovery' (FORMAT csv)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.wal.checkpoint' (FORMAT csv)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.tmp' (FORMAT csv)", NO_FILES),
    ("COPY (SELECT 'garbage') TO 'DB.tmp/out.csv'", NO_FILES),
    ("COPY (SELECT 'garbage') TO '.tmp/out.csv'", NO_FILES),
    ("COPY (SELECT 1 AS a) TO 'DIR/parts' (FORMAT parquet, PARTITION_BY (a))", NO_FILES),
    ("COPY (SELECT 1 AS a) TO 'DIR/parts' (FORMAT csv, PER_THREAD_OUTPUT true)", NO_FILES),
    ("COPY words FROM 'DIR/secret.csv'", f"({NO_FILES}|{READ_ONLY})"),
    ("COPY words FROM STDIN", f"({NO_FILES}|{READ_ONLY})"),
    ("COPY FROM DATABASE memory TO memory", f"({UNKNOWN}|not found|Binder Error|{READ_ONLY}|^$)"),
    ("EXPLAIN ANALYZE COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
    ("EXPLAIN ANALYZE COPY (SELECT 1) TO 'DIR/out.csv'", NO_FILES),
    ("PREPARE p AS COPY (SELECT 1) TO 'DIR/out.csv'; EXECUTE p", NO_FILES),
    ("SELECT 1; COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
    ("SELECT 1; COPY (SELECT 'garbage') TO 'DIR/out.csv'; SELECT 2", NO_FILES),
    ("EXPORT DATABASE 'DIR/exported'", NO_FILES),
    ("EXPORT DATABASE 'DB.tmp/exported' (FORMAT parquet)", NO_FILES),
    ("IMPORT DATABASE 'DIR'", NO_FILES),
    ("PRAGMA import_database('DIR')", NO_FILES),
]
ATTACHING = [
    ("ATTACH 'DIR/other.duckdb' AS other", NO_FILES),
    ("ATTACH 'DIR/other.duckdb' AS other (READ_ONLY)", NO_FILES),
    ("ATTACH 'DIR/new.duckdb' AS new", NO_FILES),
    ("ATTACH 'DB' AS again", f"({NO_FILES}|already)"),
    ("ATTACH 'DB' AS again (READ_WRITE)", f"({NO_FILES}|already)"),
    ("ATTACH 'https://example.org/x.duckdb' AS far", NO_FILES),
    ("ATTACH 'DIR/secret.csv' AS x (TYPE sqlite)", f"({NO_FILES}|extension)"),
    ("ATTACH 'dbname=postgres' AS x (TYPE postgres)", f"({NO_FILES}|extension)"),
    ("ATTACH IF NOT EXISTS 'DIR/other.duckdb'", NO_FILES),
    ("DETACH t", "Cannot detach|Binder Error"),
    ("DETACH system", "Cannot detach|Binder Error|internal"),
    ("USE system", "(Cannot|Catalog Error|^$)"),
    ("CREATE DATABASE x", SYNTAX),
]
EXTENSIONS = [
    ("INSTALL httpfs", NO_FILES),
    ("FORCE INSTALL httpfs", NO_FILES),
    ("INSTALL httpfs FROM community", NO_FILES),
    ("INSTALL 'DIR/evil.duckdb_extension'", NO_FILES),
    ("LOAD httpfs", NO_FILES),
    ("LOAD 'DIR/evil.duckdb_extension'", NO_FILES),
    ("LOAD sqlite_scanner", NO_FILES),
    ("FROM sqlite_scan('DIR/secret.csv', 'a')", "(extension|reaches no files|Catalog Error)"),
    ("FROM postgres_scan('', 'public', 'a')", "(extension|reaches no files|Catalog Error)"),
    ("FROM st_read('DIR/secret.csv')", "(extension|reaches no files|Catalog Error)"),
    ("FROM read_xlsx('DIR/secret.csv')", "(extension|reaches no files|Catalog Error)"),
    ("FROM http_get('https://example.org')", "(extension|reaches no files|Catalog Error)"),
    ("FROM duckdb_extensions()", NO_FILES),
    ("UPDATE EXTENSIONS", "."),
]
SETTINGS = [
    ("SET enable_external_access = true", LOCKED),
    ("SET disabled_filesystems = ''", LOCKED),
    ("RESET disabled_filesystems", LOCKED),
    ("SET lock_configuration = false", LOCKED),
    ("RESET lock_configuration", LOCKED),
    ("SET GLOBAL enable_external_access = true", LOCKED),
    ("SET SESSION enable_external_access = true", "(locked|Catalog Error|global)"),
    ("PRAGMA enable_external_access = true", LOCKED),
    ("SET allowed_paths = ['DIR/secret.csv']", "(locked|Cannot change)"),
    ("SET allowed_directories = ['/']", "(locked|Cannot change)"),
    ("SET allowed_configs = ['threads']", "(locked|Cannot change)"),
    ("SET temp_directory = 'DIR'", "(locked|disabled)"),
    ("SET secret_directory = 'DIR'", "(locked|disabled|Cannot)"),
    ("SET extension_directory = 'DIR'", "(locked|disabled)"),
    ("SET home_directory = 'DIR'", "(locked|disabled)"),
    ("SET file_search_path = 'DIR'", LOCKED),
    ("SET memory_limit = '1TB'", LOCKED),
    ("SET max_memory = '1TB'", LOCKED),
    ("SET max_temp_directory_size = '1TB'", LOCKED),
    ("SET threads = 1000", LOCKED),
    ("SET access_mode = 'read_write'", "(locked|Cannot change)"),
    ("SET allow_unsigned_extensions = true", "(locked|Cannot change)"),
    ("SET autoload_known_extensions = true", LOCKED),
    ("SET autoinstall_known_extensions = true", LOCKED),
    ("SET custom_extension_repository = 'https://example.org'", LOCKED),
    ("SET python_enable_replacements = true", LOCKED),
    ("SET python_scan_all_frames = true", LOCKED),
    ("SET enable_profiling = 'json'", LOCKED),
    ("SET profile_output = 'DIR/out.json'", LOCKED),
    ("SET profiling_output = 'DIR/out.json'", LOCKED),
    ("PRAGMA profiling_output = 'DIR/out.json'", LOCKED),
    ("PRAGMA enable_profiling", LOCKED),
    ("PRAGMA enable_logging", f"({LOCKED}|{UNKNOWN})"),
    ("CALL enable_logging(storage = 'file', storage_path = 'DIR')", LOCKED),
    ("CALL enable_profiling()", LOCKED),
    ("SET log_query_path = 'DIR/log'", f"({LOCKED}|Catalog Error)"),
    ("SET http_proxy = 'example.org'", LOCKED),
    ("SET ordered_aggregate_threshold = 1", LOCKED),
    ("PRAGMA threads = 1", LOCKED),
    ("PRAGMA memory_limit = '1TB'", LOCKED),
    ("PRAGMA disable_optimizer", LOCKED),
    ("SELECT current_setting('temp_directory')", HARMLESS),
    ("FROM duckdb_settings()", HARMLESS),
    ("SET VARIABLE a = 1", HARMLESS),
    ("SET schema = 'main'", HARMLESS),
]
SECRETS = [
    ("FROM duckdb_secrets()", "(reaches no files|^$)"),
    ("FROM duckdb_secrets(redact = false)", "(reaches no files|unredacted)"),
    ("CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')", "(reaches no files|Catalog Error|Invalid|locked|not found)"),
    ("CREATE PERSISTENT SECRET s (TYPE http)", "(reaches no files|Catalog Error|Invalid|locked|not found)"),
    ("DROP SECRET s", "(reaches no files|Invalid|not found|Failed)"),
    ("FROM which_secret('s3://a', 's3')", "(reaches no files|^$)"),
    ("SELECT getenv('HOME')", UNKNOWN),
    ("SELECT getenv('AWS_SECRET_ACCESS_KEY')", UNKNOWN),
    ("SELECT current_setting('s3_secret_access_key')", "."),
    ("CREATE EXTERNAL RESOURCE x", SYNTAX),
    ("CALL create_external_resource('shell')", "unknown resource type"),
    ("CALL register_external_resource('shell', 'x', MAP {}, '', '', '')", "."),
]
CHANGING = [
    ("DELETE FROM words", READ_ONLY),
    ("TRUNCATE words", READ_ONLY),
    ("UPDATE words SET head = 1", READ_ONLY),
    ("INSERT INTO words SELECT * FROM words", READ_ONLY),
    ("INSERT OR REPLACE INTO corpora SELECT * FROM corpora", "(read-only|Binder Error)"),
    ("MERGE INTO words USING words AS w ON true WHEN MATCHED THEN DELETE", "(read-only|Binder Error)"),
    ("WITH gone AS (DELETE FROM words RETURNING form) FROM gone", READ_ONLY),
    ("WITH more AS (INSERT INTO words SELECT * FROM words RETURNING form) FROM more", READ_ONLY),
    ("DROP TABLE words", READ_ONLY),
    ("DROP SCHEMA main CASCADE", "(read-only|Cannot drop)"),
    ("DROP VIEW IF EXISTS edges", "(read-only|Catalog Error|^$)"),
    ("DROP MACRO TABLE attachment", "(read-only|Cannot drop|Catalog Error)"),
    ("ALTER TABLE words ADD COLUMN x INTEGER", READ_ONLY),
    ("ALTER TABLE words RENAME TO w", READ_ONLY),
    ("COMMENT ON TABLE words IS 'x'", READ_ONLY),
    ("CREATE TABLE t (a INTEGER)", READ_ONLY),
    ("CREATE OR REPLACE TABLE words AS SELECT 1", READ_ONLY),
    ("CREATE VIEW v AS SELECT 1", READ_ONLY),
    ("CREATE SCHEMA s", READ_ONLY),
    ("CREATE SEQUENCE s", READ_ONLY),
    ("CREATE TYPE t AS ENUM ('a')", READ_ONLY),
    ("CREATE INDEX i ON words (form)", READ_ONLY),
    ("CREATE MACRO m() AS 1", READ_ONLY),
    ("CREATE OR REPLACE MACRO attachment(a, b) AS TABLE SELECT 1", READ_ONLY),
    ("CREATE FUNCTION f() AS 1", READ_ONLY),
    ("FORCE CHECKPOINT", "(read-only|Cannot|^$)"),
    ("CHECKPOINT", "(read-only|Cannot|^$)"),
    ("VACUUM", HARMLESS),
    ("VACUUM words", "(read-only|^$)"),
    ("ANALYZE", HARMLESS),
    ("BEGIN; DELETE FROM words; COMMIT", READ_ONLY),
    ("SELECT 1; DELETE FROM words", READ_ONLY),
    ("SELECT 1; SELECT 2; DROP TABLE words; SELECT 3", READ_ONLY),
    ("PREPARE gone AS DELETE FROM words; EXECUTE gone", READ_ONLY),
    ("SELECT nextval('s')", "(does not exist|read-only)"),
]
OF_THE_SESSION = [  # what stays in the connection, and is gone with it
    ("CREATE TEMP TABLE mine AS SELECT 1 AS a", HARMLESS),
    ("CREATE TEMP VIEW seen AS SELECT 1 AS a", HARMLESS),
    ("CREATE TEMP MACRO twice(a) AS a * 2", HARMLESS),
    ("CREATE OR REPLACE TEMP MACRO upper(a) AS 'x'", HARMLESS),
    ("CREATE TEMP TABLE one AS SELECT 1 AS a; INSERT INTO one VALUES (2); FROM one", HARMLESS),
    ("PREPARE one AS SELECT 1", HARMLESS),
    ("PREPARE two AS SELECT 1; EXECUTE two", HARMLESS),
    ("DEALLOCATE one", HARMLESS),
    ("SELECT 1; SELECT 2", HARMLESS),
    ("CALL pragma_version()", HARMLESS),
    ("CALL truncate_duckdb_logs()", HARMLESS),
    ("SELECT write_log('x')", HARMLESS),
    ("FROM duckdb_logs()", HARMLESS),
    ("SHOW ALL TABLES", HARMLESS),
    ("PRAGMA database_list", HARMLESS),
    ("PRAGMA show_tables", HARMLESS),
    ("PRAGMA storage_info('words')", HARMLESS),
    ("FROM duckdb_databases()", HARMLESS),
    ("FROM duckdb_functions()", HARMLESS),
    ("FROM duckdb_temporary_files()", HARMLESS),
    ("FROM duckdb_external_file_cache()", HARMLESS),
]
NAMES_OF_PYTHON = [  # variables of treesql's frames and modules, and of the test's
    ("FROM hidden", UNKNOWN),
    ("FROM self", UNKNOWN),
    ("FROM sql", UNKNOWN),
    ("FROM parameters", UNKNOWN),
    ("FROM relation", UNKNOWN),
    ("FROM loading", UNKNOWN),
    ("FROM catalog", UNKNOWN),
    ("FROM _CORPORA", UNKNOWN),
    ("FROM pandas_scan(1)", "Binder Error"),
    ("FROM arrow_scan(1, 2, 3)", "Binder Error"),
    ("FROM arrow_scan_dumb(1, 2, 3)", "Binder Error"),
    ("FROM python_arrow_scan(1, 2, 3)", "Binder Error"),
    ("FROM python_map_function((SELECT 1))", "Binder Error"),
    ("SELECT CAST(140000000000000 AS POINTER)", UNKNOWN),
    ("FROM seq_scan(1)", "Binder Error"),
]
ODD = [
    ("", HARMLESS),
    (";", HARMLESS),
    ("-- nothing", HARMLESS),
    ("/* nothing", "."),
    ("SELECT", SYNTAX),
    ("\x00", "."),
    ("SELECT '\x00'", "(.|^$)"),
    ("SELECT " + "(" * 3000 + "1" + ")" * 3000, SYNTAX),
    ("SELECT " + "1 + " * 3000 + "1", SYNTAX),
    ("SELECT " + "[" * 90 + "]" * 90, "Recursion"),
    ("SELECT regexp_matches(repeat('a', 100000), '(a*)*(a*)*b')", HARMLESS),
    ("SELECT regexp_matches('a', repeat('(', 1000))", "Invalid Input Error"),
    ("SELECT regexp_matches('a', '(a{1000}){1000}')", "Invalid Input Error"),
    ("SELECT 'a' SIMILAR TO '(?=a)'", "Invalid Input Error"),
    ("SELECT error('mine')", "mine"),
    ("SELECT CAST('x' AS INTEGER)", "Conversion Error"),
    ("SELECT sum(DISTINCT i) FROM range(3) t(i) QUALIFY 1", "."),
    ("SELECT list_resize([1], -1)", "."),
    ("SELECT repeat('x', -1)", HARMLESS),
    ("SELECT substring('abc', -9223372036854775808, 9223372036854775807)", "(.|^$)"),
    ("SELECT printf('%s%s%s%n')", "."),
    ("SELECT format('{:>{}}', 'a', 10)", "(.|^$)"),
    ("SELECT make_timestamp(9223372036854775807)", "(.|^$)"),
    ("SELECT range(-9223372036854775808, 9223372036854775807, 9223372036854775807)", HARMLESS),
]
STATEMENTS = [
    *READING, *WRITING, *ATTACHING, *EXTENSIONS, *SETTINGS, *SECRETS, *CHANGING, *OF_THE_SESSION, *NAMES_OF_PYTHON, *ODD
]  # fmt: skip
hidden = pytest  # a name of this module's, which SQL must not find


def files(folder: Path) -> dict[str, str]:
    """What the files of a folder hold."""
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in folder.rglob("*") if one.is_file()}


@pytest.fixture(scope="module")
def folder(gold_and_parser: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the database t.duckdb, and files that nobody may read."""
    made = tmp_path_factory.mktemp("safety")
    for name in ("t.duckdb", "open.duckdb"):
        shutil.copy(gold_and_parser, made / name)
    for name in ("secret.csv", "secret.txt"):
        (made / name).write_text(f"a\n{SECRET}\n")
    (made / "secret.json").write_text(json.dumps({"a": SECRET}))
    with treesql.connect(made / "other.duckdb") as other:
        other.connection.execute(f"CREATE TABLE kept AS SELECT '{SECRET}' AS a")
        other.connection.execute(f"COPY kept TO '{made}/secret.parquet'")
    return made


@pytest.fixture(scope="module")
def opened(folder: Path) -> Iterator[treesql.Database]:
    with treesql.connect(folder / "open.duckdb", read_only=True, safe=True) as db:
        yield db


@pytest.fixture
def safe(opened: treesql.Database) -> Iterator[treesql.Database]:
    """The database open.duckdb, as `treesql sql` opens it."""
    yield opened
    with contextlib.suppress(QueryError):  # unless a statement left a transaction
        opened.sql("ROLLBACK")


@pytest.fixture(scope="module")
def in_memory() -> Iterator[treesql.Database]:
    """A safe database in memory."""
    with treesql.connect(safe=True) as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        yield db


def written(sql: str, folder: Path, name: str = "t.duckdb") -> str:
    return sql.replace("DIR", str(folder)).replace("DB", str(folder / name))


def attempt(db: treesql.Database, sql: str) -> str:
    """The error's message, or nothing; no row may hold the secret."""
    try:
        told, rows = "", db.sql(sql).rows()
    except QueryError as error:
        told, rows = str(error), []
        assert told.splitlines()[0].strip()
    if "reaches no" in told:
        assert len(told.splitlines()) == 1
        assert "treesql load" in told
    assert SECRET not in str(rows)
    return told


def test_enough_was_tried() -> None:
    assert len({sql for sql, _ in STATEMENTS}) >= 180


@pytest.mark.parametrize(("sql", "expected"), STATEMENTS, ids=[sql[:60] for sql, _ in STATEMENTS])
def test_statements_on_a_safe_connection(safe: treesql.Database, folder: Path, sql: str, expected: str | None) -> None:
    before = files(folder)
    settings = safe.sql("SELECT name, value FROM duckdb_settings() WHERE scope = 'GLOBAL' ORDER BY name").rows()
    told = attempt(safe, written(sql, folder, "open.duckdb"))
    with contextlib.suppress(QueryError):
        safe.sql("ROLLBACK")
    if expected is HARMLESS:
        assert told == ""
    else:
        assert re.search(expected, told), told or "not refused"
    assert files(folder) == before
    assert not Path("out.csv").exists()
    assert safe.sql("SELECT name, value FROM duckdb_settings() WHERE scope = 'GLOBAL' ORDER BY name").rows() == settings
    assert safe.sql("SELECT count(*) AS n FROM main.words WHERE corpus = 'gold'").rows() == [{"n": 30}]


def test_statements_on_a_safe_connection_in_memory(in_memory: treesql.Database, folder: Path) -> None:
    before = files(folder)
    for sql, expected in [*READING, *WRITING, *EXTENSIONS, *SETTINGS, *SECRETS]:
        if expected in (NO_FILES, LOCKED):
            assert re.search(expected, attempt(in_memory, written(sql, folder))), sql
    for path in (folder / "other.duckdb", folder / "new.duckdb"):
        assert re.search(NO_FILES, attempt(in_memory, f"ATTACH '{path}' AS x"))
    assert files(folder) == before


def test_a_writable_safe_connection_reaches_no_other_files(folder: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(folder / "t.duckdb", tmp_path))
    with treesql.connect(path, safe=True) as db:
        for sql in ("FROM 'DIR/secret.csv'", "COPY words TO 'DIR/out.csv'", "ATTACH 'DIR/other.duckdb'", "LOAD httpfs"):
            assert NO_FILES in attempt(db, written(sql, folder)), sql
        assert "locked" in attempt(db, "SET threads = 1")
        db.sql("UPDATE words SET lemma = 'x' WHERE corpus = 'parser-a'")
        db.load(FIXTURES / "parser-b.conllu", corpus="b")
    with treesql.connect(path, read_only=True) as db:
        assert db.corpora == ["gold", "parser-a", "b"]


def test_a_safe_connection_does_all_but_writing_parquet(in_memory: treesql.Database, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="connect without it"):
        in_memory.export(tmp_path / "set", to="parquet")
    [written] = in_memory.export(tmp_path / "gold.conllu", to="conllu")
    assert written.read_bytes() == (FIXTURES / "gold.conllu").read_bytes()
    with treesql.connect() as other:
        other.load(FIXTURES / "gold.conllu", corpus="gold")
        other.export(tmp_path / "set", to="parquet")
    with treesql.connect(safe=True) as other:
        other.load(tmp_path / "set")
        assert other.sentence("mat").svg()
        assert len(other.score("attachment", gold_corpus="gold", system_corpus="gold", by="upos")) == 11


def test_python_variables_are_no_tables() -> None:
    import pyarrow as pa

    frame = pa.table({"a": [1]})
    with treesql.connect() as db:
        for name in ("frame", "self", "sql", "catalog"):
            with pytest.raises(QueryError, match="does not exist"):
                db.sql(f"FROM {name}")
        db.connection.register("frame", frame)
        assert db.sql("FROM frame").rows() == [{"a": 1}]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("FROM 'DIR/secret.csv'", NO_FILES),
        ("COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
        ("EXPLAIN ANALYZE COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv, USE_TMP_FILE false)", NO_FILES),
        ("ATTACH 'DIR/other.duckdb'", NO_FILES),
        ("INSTALL httpfs", NO_FILES),
        ("SET lock_configuration = false", LOCKED),
        ("DELETE FROM words", READ_ONLY),
        ("FROM database", UNKNOWN),
    ],
)
def test_the_command(run, folder: Path, sql: str, message: str) -> None:  # type: ignore[no-untyped-def]
    before = files(folder)
    done = run("sql", folder / "t.duckdb", written(sql, folder))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files(folder) == before


CONDITIONS = [
    "1 = 1); COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false); SELECT (1",
    "1 = 1) AS x; COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false); --",
    "1 = 1)) AS i) AS s) AS p0; COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv, USE_TMP_FILE false); --",
    "1 = 1; DROP TABLE words",
    "1 = 1; SELECT 1",
    "1 = 1) UNION ALL (SELECT * FROM words",
    "1 = 1 ORDER BY 1",
    "1 = 1 -- ) ; \n); COPY (SELECT 1) TO 'DB.wal'; SELECT (1",
    "1 = 1 /* ",
    "1 = 1))",
    "((1 = 1)",
    "'",
    '"',
    "$$",
    "word = 1 AND",
]
SAFE_CONDITIONS = ["word = 1 -- a remark", "(word = 1)", "form = ');'", "word /* ; */ = 1", "form <> ';' AND word = 1"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_end_no_statement(opened: treesql.Database, folder: Path, condition: str) -> None:
    before = files(folder)
    with pytest.raises(UsageError, match="is not a SQL expression"):
        opened.score("attachment", gold_corpus="gold", system_corpus="parser-a", where=written(condition, folder))
    assert files(folder) == before


@pytest.mark.parametrize("condition", CONDITIONS[:2])
def test_conditions_on_the_command_line(run, folder: Path, condition: str) -> None:  # type: ignore[no-untyped-def]
    before = files(folder)
    gold, system = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
    for arguments in (
        ["score", "dependency", "gold", "parser-a", "--db", folder / "t.duckdb"],
        ["compare", "dependency", "gold", "gold", "parser-a", "--db", folder / "t.duckdb"],
        ["score", "dependency", gold, system],
    ):
        done = run(*arguments, "--where", written(condition, folder))
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith("the condition ")
        assert "is not a SQL expression" in done.err
    assert files(folder) == before


@pytest.mark.parametrize("condition", SAFE_CONDITIONS)
def test_conditions_that_are_expressions(examples: treesql.Database, condition: str) -> None:
    given = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    [row] = examples.score("attachment", where=condition, **given).rows()
    assert row["words"] == (0 if "');'" in condition else 5)


def test_conditions_read_no_files(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    where = f"(SELECT content FROM read_text('{folder}/secret.txt')) = '{SECRET}'"
    for given in (("gold", "parser-a", "--db", folder / "t.duckdb"), (FIXTURES / "gold.conllu",) * 2):
        done = run("score", "dependency", *given, "--where", where)
        assert (done.code, done.out) == (2, "")
        assert "Permission Error" in done.err


NAMES = ["'; DROP TABLE words; --", '"; DROP TABLE words; --', "x' OR '1' = '1", "$gold_corpus", "a\nb", "words w", "*"]


@pytest.mark.parametrize("name", NAMES[:4])
def test_names_are_no_sql(run, folder: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    before = files(folder)
    path, gold = folder / "t.duckdb", FIXTURES / "gold.conllu"
    for arguments in (
        ["score", "dependency", "gold", "parser-a", "--db", path, "--by", name],
        ["score", "dependency", "gold", name, "--db", path],
        ["score", "dependency", name, "gold", "--db", path],
        ["score", "dependency", gold, gold, "--by", name],
        ["score", "dependency", gold, gold, "--table", name],
        ["score", "dependency", gold, gold, "--metric", name],
        ["compare", "dependency", "gold", "gold", "parser-a", "--db", path, "--stratum", name],
        ["stats", path, "--corpus", name],
        ["find", path, "pattern { V [] }", "--corpus", name],
    ):
        done = run(*arguments)
        assert (done.code, done.out) == (2, ""), (arguments, done)
        assert "Traceback" not in done.err
        assert "failed:" not in done.err
    assert files(folder) == before


@pytest.mark.parametrize("name", [*NAMES[:5], "%", "ä'\"ö"])
def test_corpora_with_quotes_in_their_names(db: treesql.Database, name: str) -> None:
    for corpus in (name, "gold"):
        db.load(FIXTURES / "gold.conllu", corpus=corpus)
    db.load(FIXTURES / "parser-a.conllu", corpus="parser-a")
    [row] = db.score("attachment", gold_corpus=name, system_corpus="parser-a").rows()
    assert (row["words"], round(row["uas"], 4)) == (30, 0.8333)
    assert db.find("pattern { V [upos=VERB] }", corpus=name, count=True).rows() == [{"count": 4}]
    db.drop(name)
    assert db.corpora == ["gold", "parser-a"]
    assert db.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 60}]


REQUESTS = [
    'pattern { V [form="\'; DROP TABLE words; --"] }',
    "pattern { V [form=\"x' OR '1' = '1\"] }",
    'pattern { V [lemma="\\""] }',
    'pattern { V [form=re"\'); DROP TABLE words; --"] }',
    'pattern { A -["\'; DROP TABLE words; --"]-> B }',
    "pattern { A -[x'y]-> B }",
    "pattern { V [\"form' = '1\"=x] }",
    "pattern { V'; DROP TABLE words; -- [] }",
    "pattern { V [form=$$x$$] }",
    'global { sent_id = "\'; DROP TABLE words; --" }',
    'global { text = re"\'" }',
]


@pytest.mark.parametrize("request_text", REQUESTS)
def test_requests_are_no_sql(folder: Path, safe: treesql.Database, request_text: str) -> None:
    before = files(folder)
    for given in ({}, {"count": True}, {"by": "V.form"}, {"columns": "V.form"}, {"whether": 'V [form="\'"]'}):
        try:
            rows = safe.find(request_text, **given).rows()  # type: ignore[arg-type]
        except (RequestError, UnknownName, UsageError):
            continue
        except treesql.TreesqlWarning:
            continue
        assert not rows or rows == [{"count": 0}]
    assert files(folder) == before


@pytest.mark.parametrize(
    "keys", ["V.form' FROM words; --", "V.form); DROP TABLE words; --", 'V."form"', "form; x", "'"]
)
def test_keys_of_requests_are_no_sql(safe: treesql.Database, keys: str) -> None:
    for given in ({"columns": keys}, {"by": keys}):
        with pytest.raises(TreesqlError):
            safe.find("pattern { V [] }", **given)  # type: ignore[arg-type]


RUNAWAY = [  # each would take minutes or all memory, and DuckDB's interrupt does not stop the first ones
    "SELECT length(repeat('x', 4000000000))",
    "SELECT length(rpad('x', 2000000000, 'y'))",
    "SELECT list_sort(range(300000000))",
    "SELECT count(*) FROM range(1000000000000)",
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3",
    "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r",
    "WITH RECURSIVE r AS (SELECT [1] AS i UNION ALL SELECT list_concat(i, i) FROM r) SELECT max(len(i)) FROM r",
]


@pytest.mark.slow
@pytest.mark.parametrize("sql", RUNAWAY)
def test_what_never_ends_is_ended(folder: Path, sql: str) -> None:
    done = command("sql", folder / "t.duckdb", sql, "--timeout", 0.3, "--memory", "2GB")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"stopped")
    assert len(done.stderr.splitlines()) == 1


def command(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-m", "treesql", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, check=False, timeout=60)
