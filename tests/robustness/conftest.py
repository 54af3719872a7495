"""A folder with files that SQL may not read, and a safe connection to a database there."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.robustness.sql_safety import SECRET, files
from treesql.errors import QueryError


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
def before(folder: Path) -> dict[str, str]:
    """What its files hold, and hold after every test."""
    return files(folder)


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
