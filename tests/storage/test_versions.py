"""Databases of other versions of treesql are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import execute_plainly
from treesql.catalog import schemas
from treesql.errors import DatabaseError


@pytest.mark.spread(3)
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            schemas.SCHEMA_VERSION - 1,
            rf"made by an older treesql \(tables of version {schemas.SCHEMA_VERSION - 1}\); load its corpora again "
            "into a new database, or export them with the treesql that made it",
        ),
        (99, r"made by a newer treesql \(tables of version 99\); update treesql to read it"),
    ],
)
def test_another_version_is_refused(gold_database: Path, version: int, message: str, read_only: bool) -> None:
    execute_plainly(gold_database, f"UPDATE installation SET schema_version = {version}")
    before = gold_database.read_bytes()
    with pytest.raises(DatabaseError, match=message):
        treesql.connect(gold_database, read_only=read_only)
    assert gold_database.read_bytes() == before


def test_an_installation_without_a_version_is_refused(gold_database: Path) -> None:
    execute_plainly(gold_database, "DELETE FROM installation")
    with pytest.raises(DatabaseError, match="does not name its version"):
        treesql.connect(gold_database)
