"""Reports on typology: whole or not at all, and the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.treebanks.folders import PARSED, put
from treesql.errors import Diagnostic, Incomparable, UsageError
from treesql.reports.typology import write_report
from treesql.treebanks.typology import TypologyTask


@pytest.mark.slow
def test_a_report_is_whole(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    heard: list[Diagnostic] = []
    found = write_report(TypologyTask(*treebank_folders, warn=heard.append), tmp_path / "one")
    names = {path.name for path in (tmp_path / "one").iterdir()}
    tables = {"table1", "figure2", "measures", "table3", "figure3", "figure4", "figure5", "figure6", "figure7"}
    drawn = tables - {"table1", "measures", "figure3"}  # no treebank has 1000 words
    assert names == {f"{n}.{e}" for n in tables for e in ("csv", "parquet")} | {f"{n}.svg" for n in drawn} | {
        "report.html"
    }
    assert [row["las"] for row in found.rows()] == pytest.approx([4 / 6, 3 / 4, 4 / 5, (4 / 6 + 3 / 4 + 4 / 5) / 3])
    page = (tmp_path / "one" / "report.html").read_text().replace("<wbr>", "")
    assert '<h1 id="answer">out: las 73.89% on average, from 66.67% on X to 80.00% on Z</h1>' in page
    assert "function_share correlates most with las: r = -0.09, n = 3; three treebanks are too few for an" in page
    for text in ("Averaged word dependency entropy", "66.67", "las|match:order", "x-test.conllu", "treesql 0"):
        assert text in page
    with pytest.raises(UsageError, match="exists and is not empty"):
        write_report(TypologyTask(*treebank_folders), tmp_path / "one")


@pytest.mark.thorough
def test_a_report_of_several_systems(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    for treebank, sentences in PARSED.items():
        for system in "ab":
            put(tmp_path / "both" / f"{treebank}.{system}.conllu", *sentences)
    write_report(TypologyTask(treebank_folders[0], str(tmp_path / "both")), tmp_path / "page")
    own = {"table3", "figure4", "figure5", "figure6", "figure7"}
    drawn = {"figure2", "systems"} | {f"{name}-{system}" for name in own for system in "ab"}
    assert {path.stem for path in (tmp_path / "page").glob("*.svg")} == drawn
    page = (tmp_path / "page" / "report.html").read_text()
    assert '<h1 id="answer">a and b each have the best las on 3 of 3 treebanks</h1>' in page
    for text in ("Typology · a, b · 3 treebanks", "Correlations across treebanks: b", "macro"):
        assert text in page


def test_nothing_is_left_of_a_report_that_fails(treebank_folders: tuple[str, str], tmp_path: Path) -> None:
    put(tmp_path / "out" / "X.p.conllu", "other:0:root")
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(Incomparable):
        write_report(TypologyTask(*treebank_folders), tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
