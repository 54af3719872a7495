"""No type of SQL and no long chain of a request ends in a wrong value, a long echo or an error of another library."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.robustness import odd_values

SHORT = ("date", "hugeint", "time_tz", "bignum", "interval", "bit", "union", "array_of_structs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("odd")
    odd_values.write_databases(made, FIXTURES / "gold.mrg", FIXTURES / "gold.conllu")
    return made


@pytest.mark.parametrize("sql", [f'SELECT "{name}" AS x FROM {odd_values.ALL_TYPES}' for name in SHORT])
def test_values_of_some_types(db: treesql.Database, sql: str) -> None:
    assert list(odd_values.find_faults_of_values(db, sql)) == []


@pytest.mark.parametrize("sql", [f"SELECT {value} AS x" for value in odd_values.FURTHER])
def test_further_values(db: treesql.Database, sql: str) -> None:
    assert list(odd_values.find_faults_of_values(db, sql)) == []


def test_all_types_at_once(db: treesql.Database) -> None:
    assert list(odd_values.find_faults_of_values(db, f"FROM {odd_values.ALL_TYPES}")) == []


@pytest.mark.slow
def test_values_of_all_types_and_random_structures(db: treesql.Database) -> None:
    faults = [fault for sql in odd_values.statements(1, 100) for fault in odd_values.find_faults_of_values(db, sql)]
    assert faults == []


@pytest.mark.parametrize("name", ["tregex <", "grew", "where (", "sql +", "tiger ("])
def test_long_chains(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert odd_values.find_fault_of_chain(odd_values.chains(1, 2000)[name], capsys) == ""


@pytest.mark.slow
@pytest.mark.parametrize("size", [70, 2000])
@pytest.mark.parametrize("name", list(odd_values.chains(1, 1)))
def test_all_chains(
    name: str, size: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert odd_values.find_fault_of_chain(odd_values.chains(2, size)[name], capsys) == ""
