"""Reports on several treebanks: buckets, confusions and sentences are those of all sentences together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.reports.pages import TWO_SYSTEMS, check_page
from treesql.kernels.arrays import Floats
from treesql.kernels.sampling import resampling
from treesql.reports import evaluation_tables
from treesql.scoring.items import ScoringPlan

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")


@pytest.mark.thorough
def test_every_treebank_has_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_tables, "MAX_VALUES", 1)
    for folder in ("gold", "a"):
        (tmp_path / folder).mkdir()
        for name in "xyz":
            (tmp_path / folder / f"{name}.txt").write_text("yes no\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    rows = treesql.report("translation", reference="gold", systems={"a": "a"}).tables["buckets"].rows()
    assert [row["value"] for row in rows if row["column"] == "treebank"] == ["x", "y", "z"]


@pytest.mark.slow
def test_folders_are_reported_on_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (FIXTURES / "gold.conllu").read_text("utf-8").strip().split("\n\n")
    for folder, file in (("gold", "gold"), ("a", "parser-a"), ("b", "parser-b")):
        parts = (FIXTURES / f"{file}.conllu").read_text("utf-8").strip().split("\n\n")
        (tmp_path / folder).mkdir()
        for name, own in (("x", parts[:2]), ("y", parts[2:])):
            (tmp_path / folder / f"{name}.conllu").write_text("\n\n".join(own) + "\n\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    how: dict[str, Any] = {"gold": "gold", "systems": {"a": "a", "b": "b"}, "metric": "las"}
    made = treesql.report("dependency", **how)
    check_page(made.html)
    assert made.tables["scores"].arrow().equals(treesql.score("dependency", ci=True, **how).arrow())
    assert made.tables["comparison"].arrow().equals(treesql.compare("dependency", **how).arrow())
    monkeypatch.chdir(FIXTURES)
    one = treesql.report("dependency", metric="las", **TWO_SYSTEMS["dependency"])
    buckets = made.tables["buckets"].rows()
    assert {row["value"] for row in buckets if row["column"] == "treebank"} == {"x", "y"}
    compared = ("column", "value", "system", "sentences", "count", "score")
    rest = [tuple(row[name] for name in compared) for row in buckets if row["column"] != "treebank"]
    assert rest == [tuple(row[name] for name in compared) for row in one.tables["buckets"].rows()]
    assert made.tables["confusions"].arrow().equals(one.tables["confusions"].arrow())
    rows = made.tables["sentences"].rows()
    assert {(row["treebank"], row["sentence"]) for row in rows} <= {
        ("x" if at < 2 else "y", at) for at in range(len(whole))
    }
    assert '<span class="id">y: tea</span>' in made.html
    assert "not drawn" not in made.html


@pytest.mark.thorough
def test_every_system_of_a_treebank_is_summed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("gold", "a", "b"):
        (tmp_path / folder).mkdir()
        for name in "xyz":
            (tmp_path / folder / f"{name}.txt").write_text(f"yes {folder}\nno\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    how: dict[str, Any] = {"reference": "gold", "systems": {"a": "a", "b": "b"}}
    expected = treesql.score("translation", ci=True, **how), treesql.compare("translation", **how)
    computed: list[bool] = []
    execute = ScoringPlan.execute

    def execute_and_note(plan: ScoringPlan, *arguments: Any, **options: Any) -> Any:
        if not plan.parts[0].keys:  # not of buckets or confusions
            computed.append(plan.table is None)
        return execute(plan, *arguments, **options)

    monkeypatch.setattr(ScoringPlan, "execute", execute_and_note)
    made = treesql.report("translation", sentences=0, **how)
    assert made.tables["scores"].arrow().equals(expected[0].arrow())
    assert made.tables["comparison"].arrow().equals(expected[1].arrow())
    assert computed.count(True) == 3 * 2  # treebanks, systems


def test_no_column_is_drawn_twice_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[bytes, ...]] = []

    def draw(rows: Floats, runs: int, seed: int) -> Floats:
        drawn.append(tuple(column.tobytes() for column in rows.T))
        return bootstrap_sums(rows, runs, seed)

    bootstrap_sums = resampling.bootstrap_sums
    monkeypatch.setattr(resampling, "bootstrap_sums", draw)
    monkeypatch.chdir(FIXTURES / "folders")
    treesql.report("dependency", gold="gold", systems={"a": "parser-a", "b": "parser-b"}, metric="las")
    columns = [column for of_call in drawn for column in of_call]
    assert columns
    assert len(set(columns)) == len(columns)


def test_sentences_have_the_numbers_of_their_treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "1\ta\t_\tX\t_\t_\t0\t{}\t_\t_\n\n"
    for folder in ("gold", "a"):
        (tmp_path / folder).mkdir()
        for name in "xy":
            last = "dep" if (folder, name) == ("a", "y") else "root"
            (tmp_path / folder / f"{name}.conllu").write_text(sentence.format("root") * 2 + sentence.format(last))
    monkeypatch.chdir(tmp_path)
    made = treesql.report("dependency", gold="gold", systems={"a": "a"}, metric="las")
    assert re.findall('<span class="id">(.*?)</span>', made.html) == ["y: sentence 2"]
    assert [row["sentence"] for row in made.tables["sentences"].rows()] == [5]  # numbered through
