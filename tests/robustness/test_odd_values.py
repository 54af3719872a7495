"""No type of SQL and no long chain of a request ends in a wrong value, a long echo or an error of another library."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import thorough_but
from tests.robustness import odd_values
from treesql.cli import main
from treesql.reports import sentence_drawings
from treesql.search import drawings

SHORT = ("date", "hugeint", "time_tz", "bignum", "interval", "bit", "union", "array_of_structs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("odd")
    odd_values.write_databases(made)
    return made


@pytest.mark.spread(4)
@pytest.mark.parametrize("sql", [f'SELECT "{name}" AS x FROM {odd_values.ALL_TYPES}' for name in SHORT])
def test_values_of_some_types(db: treesql.Database, sql: str) -> None:
    assert list(odd_values.find_faults_of_values(db, sql)) == []


@pytest.mark.spread(8)
@pytest.mark.parametrize(
    "sql", odd_values.statements(1, 0)[-3:-1] + [f"SELECT {value} AS x" for value in odd_values.FURTHER]
)
def test_further_values(db: treesql.Database, sql: str) -> None:
    assert list(odd_values.find_faults_of_values(db, sql)) == []


def test_all_types_at_once(db: treesql.Database) -> None:
    assert list(odd_values.find_faults_of_values(db, f"FROM {odd_values.ALL_TYPES}")) == []


@pytest.mark.slow
@pytest.mark.parametrize("every", thorough_but([8, 1], 8))
def test_values_of_all_types_and_random_structures(db: treesql.Database, every: int) -> None:
    """every: n-th statement."""
    asked = odd_values.statements(1, 20)[::every]
    assert [fault for sql in asked for fault in odd_values.find_faults_of_values(db, sql)] == []


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["tregex <", "grew", "where (", "sql +", "tiger ("])
def test_long_chains(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert odd_values.find_fault_of_chain(odd_values.chains(1, 2000)[name]) == ""


def test_values_that_are_nested_too_deeply(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow has types of fewer levels than SQL."""
    monkeypatch.chdir(folder)
    assert odd_values.find_fault_of_chain(odd_values.chains(1, 70)["sql ["]) == ""


@pytest.mark.thorough
@pytest.mark.parametrize("size", [2000, 70])
def test_all_chains(size: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    faults = {name: odd_values.find_fault_of_chain(command) for name, command in odd_values.chains(2, size).items()}
    assert not {name: fault for name, fault in faults.items() if fault}


@pytest.mark.parametrize("options", [(), ("--write",)])
def test_a_kind_of_statement_that_the_client_cannot_name_is_one_line(
    options: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match="2"):
        main(["sql", "trees.duckdb", "UPDATE EXTENSIONS", *options])
    assert "cannot run this kind of statement; leave it out" in capsys.readouterr().err


def write_long(path: Path, words: int) -> None:
    """A sentence of so many words, each the head of the next, and a short one."""
    lines = [f"{at}\tw\tw\tNOUN\t_\t_\t{at - 1}\t{'dep' if at > 1 else 'root'}\t_\t_\n" for at in range(1, words + 1)]
    path.write_text(f"# sent_id = long\n{''.join(lines)}\n# sent_id = short\n{lines[0]}\n")


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_what_is_drawn_of_a_long_sentence_is_bounded(tmp_path: Path) -> None:
    """And the page says so; a short one beside it is drawn."""
    gold = tmp_path / "gold.conllu"
    write_long(gold, drawings.MAX_WORDS + 1)
    other = tmp_path / "other.conllu"
    other.write_text(gold.read_text().replace("\t0\troot", "\t0\tdep").replace("\tdep\t", "\tobj\t"))
    page = treesql.report("dependency", gold=gold, systems=[other]).html
    assert f"it has 1,001 words, and {sentence_drawings.MAX_TREE_WORDS} at most are drawn here" in page
    assert page.count("<svg") > 1
    with treesql.prepare(gold, "pattern { X [upos=NOUN]; X -> Y }", limit=1) as search:
        drawn = search.draw()
        assert "not drawn: this sentence has 1,001 words, and 1,000 at most are drawn" in drawn.text(width=80)
        assert "not drawn: this sentence has 1,001 words" in drawn.html()
    with treesql.prepare(gold, "pattern { X [upos=NOUN] }", limit=2000) as search:
        assert "<svg" in search.draw().html()
