"""Reproductions of sources: the command that makes them, states of items by hand, and what pages say of its results."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import pytest

from docs.reproductions import __main__ as reproductions
from tests.conformance.cases import CASES, DATA, needs
from tests.conftest import ROOT

SOURCES = sorted(path.stem for path in (ROOT / "docs" / "reproductions").glob("*.toml"))
WITHOUT_DATA = ("000", "004")
FURTHER = os.environ.get("TREESQL_FURTHER")


def said(source: str) -> str:
    """The last line of the command, as the source's page has it."""
    page = (ROOT / "docs" / "reproductions" / f"{source}.md").read_text("utf-8")
    return re.findall(r"^OUT/index.html: (.*)$", page, re.MULTILINE)[0]


def made(source: str, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[dict[str, str]]]:
    """The last line of the command, and the items it wrote."""
    assert reproductions.main([source, "-o", str(out)]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    with (out / "items.csv").open(encoding="utf-8") as file:
        return last.split(": ", 1)[1], list(csv.DictReader(file))


def test_every_source_has_a_page_and_items() -> None:
    assert [f"{number:03}" for number in range(5)] == SOURCES
    for source in SOURCES:
        declared = reproductions.read(source)
        assert said(source)
        for item in declared["items"]:
            assert {"place", "shows", "source"} <= item.keys() <= {
                "place", "shows", "source", "ours", "holds", "other", "remark", "needs"
            }, item  # fmt: skip
            assert {"ours", "holds"} & item.keys() or item.get("remark"), item


def test_definitions_of_parallel_treebanks_are_what_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last, items = made("004", tmp_path / "004", capsys)
    assert last == said("004")
    page = (tmp_path / "004" / "index.html").read_text("utf-8")
    assert all(item["shows"].split("'")[0] in page for item in items)
    by_shows = {item["shows"]: item for item in items}
    assert by_shows["AER"]["ours"] == "29.6296"
    assert by_shows["McNemar's test of two parsers, p"]["state"] == "other data"


@pytest.mark.slow
def test_examples_of_paths_are_what_the_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last, _ = made("000", tmp_path / "000", capsys)
    assert last == said("000")


def item(**values: Any) -> dict[str, str]:
    return reproductions.row_of({"place": "", "shows": "", "source": "", **values}, {"tolerance": 0.1})


@pytest.mark.parametrize(
    ("values", "state", "difference", "remark"),
    [
        ({"source": ["0.27"], "ours": "SELECT 0.2749"}, "equal", "0.00", ""),
        ({"source": ["0.27"], "ours": "SELECT 0.275001"}, "near", "0.01", ""),
        ({"source": ["-0.9", "0.5"], "ours": "SELECT -0.8, 0.5"}, "near", "0.1, 0.0", ""),
        ({"source": ["0.27"], "ours": "SELECT 0.4", "other": "few"}, "other data", "0.13", "few"),
        ({"source": ["3"], "ours": "SELECT 2"}, "differs", "-1", ""),
        ({"source": "a, b", "ours": "SELECT 'a, b'"}, "equal", "", ""),
        ({"holds": "SELECT true UNION ALL SELECT false", "other": "few"}, "other data", "", "holds in 1 of 2; few"),
        ({"holds": "SELECT true"}, "equal", "", "holds"),
        ({"holds": "SELECT false"}, "differs", "", "does not hold"),
        ({"remark": "nothing to compute"}, "not reproducible", "", "nothing to compute"),
    ],
    ids=range(10),
)
def test_states_of_items(values: dict[str, Any], state: str, difference: str, remark: str) -> None:
    found = item(**values)
    assert (found["state"], found["difference"], found["remark"]) == (state, difference, remark)


def test_matrices_of_correlations_are_items() -> None:
    matrix = {"place": "t", "table": "c.csv", "columns": ["a", "b", "c"], "source": [["0.5", ""], ["1"]]}
    found = list(reproductions.expanded({"items": [], "correlations": [matrix]}, {}))
    assert [(one["shows"], one["source"]) for one in found] == [("r of a and b", ["0.5"]), ("r of b and c", ["1"])]
    assert found[1]["ours"] == "SELECT r FROM 'c.csv' WHERE metric_a = 'b' AND metric_b = 'c'"


def test_words_of_commands_are_values_of_earlier_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran: list[str] = []

    def run(command: str) -> str:
        ran.append(command)
        return 'weights\n"1,words=2"\n'

    monkeypatch.setattr(reproductions, "run", run)
    steps = [
        {"shows": "tuned", "run": "tune", "prints": "tuned.csv"},
        {"shows": "best", "given": "SELECT weights FROM 'tuned.csv'", "run": "best --edge-weights={weights}"},
    ]
    items = [{"place": "p", "shows": "s", "source": "none", "remark": "nothing to compute"}]
    page, _ = reproductions.make("t", {"title": "T", "data": "", "steps": steps, "items": items}, {})
    assert ran == ["tune", "best --edge-weights=1,words=2"]
    assert f"treesql {ran[1]}" in page


def test_what_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CASES", "DATA", "FURTHER"):
        monkeypatch.delenv(f"TREESQL_{name}", raising=False)
    assert reproductions.main(["003", "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("003 needs --cases DIR or TREESQL_CASES and --data DIR")
    assert reproductions.main(["000", "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path} exists; name a new folder\n"
    with pytest.raises(SystemExit, match="treesql stats nowhere"):
        reproductions.run("stats nowhere")


@pytest.mark.slow
@needs(CASES)
@needs(DATA)
@pytest.mark.skipif(not FURTHER, reason="needs TREESQL_FURTHER")
@pytest.mark.parametrize("source", [source for source in SOURCES if source not in (*WITHOUT_DATA, "002")])
def test_sources_on_data_are_what_their_pages_say(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last, _ = made(source, tmp_path / source, capsys)
    assert last == said(source)


@pytest.mark.thorough
@needs(CASES)
@pytest.mark.skipif(not FURTHER, reason="needs TREESQL_FURTHER")
def test_lattices_are_what_their_page_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last, _ = made("002", tmp_path / "002", capsys)
    assert last == said("002")
