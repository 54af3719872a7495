"""treesql lattice prune."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import FIXTURES
from treesql.cli import group
from treesql.errors import TreesqlError, UsageError

PLF = str(FIXTURES / "lattices.plf")
GIVEN = [PLF, "--phrases", "--reference", str(FIXTURES / "lattices.txt")]
COLUMNS = (
    "edges_before", "edges_after", "pruned", "trimmed", "kept_path_edges", "ger_before", "ger_after", "swcd_before",
    "swcd_after",
)  # fmt: skip


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["lattice", "prune", *arguments], catch_exceptions=False)


def report(*arguments: str) -> dict[str, float]:
    [row] = json.loads(run(*arguments, "--report", "json").stdout)
    return dict(row)


@pytest.mark.slow
def test_what_is_printed_and_written(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    row = report(*GIVEN, "--threshold", "0", "-o", str(out))
    assert set(COLUMNS) < set(row)
    assert row["edges_before"] == row["edges_after"] + row["pruned"] + row["trimmed"] == 25
    assert sum(len(json.loads(line)["edges"]) for line in out.read_text().splitlines()) == row["edges_after"]
    assert row["swcd_after"] < row["swcd_before"]
    table = run(*GIVEN, "-o", str(out)).stdout
    assert "edges_after" in table
    assert "oracle_pruned_share" in table
    [told] = csv.DictReader(run(*GIVEN, "--report", "csv").stdout.splitlines())
    assert told["edges_after"] == str(row["edges_after"])


@pytest.mark.thorough
def test_thresholds() -> None:
    """-1 prunes what is worst, 1e6 all but a path; --raw-threshold does not divide by the number of edges."""
    rows = [report(*GIVEN, "--threshold", text) for text in ("-1", "1e6")]
    assert 0 < rows[0]["pruned"] < rows[1]["pruned"]
    assert rows[1]["edges_after"] == rows[1]["kept_path_edges"] == 2 + 2 + 3
    assert report(*GIVEN, "--threshold", "-1", "--raw-threshold")["pruned"] == 0


@pytest.mark.thorough
def test_options_that_change_what_is_pruned() -> None:
    usual = report(*GIVEN)
    assert report(*GIVEN, "--greedy")["swcd_after"] <= usual["swcd_after"]
    free = report(*GIVEN, "--min-redundancy", "0")
    assert free["swcd_before"] != usual["swcd_before"]
    both = report(*GIVEN, "--reference", str(FIXTURES / "lattices-2.txt"))
    assert both["ger_before"] <= usual["ger_before"]


@pytest.mark.slow
def test_a_format_is_named(tmp_path: Path) -> None:
    out = tmp_path / "pruned.txt"
    result = run(*GIVEN, "-o", str(out), "--to", "plf")
    assert "phrases of 1 lattice are written word by word" in result.stderr
    assert out.read_text().startswith("((('the',-0.2,1),),")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-redundancy", "-1"], "--min-redundancy is -1; it is a number, 0 or more"),
        (["-o", "/nowhere/out.jsonl"], "there is no folder /nowhere"),
        (["-o", "/"], "exists; remove it"),
        (["-o", "out.svg"], "its ending is of no format"),
        (["--to", "jsonl"], "--to needs a file to write"),
    ],
    ids=["redundancy", "folder", "root", "ending", "nowhere"],
)
def test_what_cannot_be_done(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(*GIVEN, *arguments)


def test_files_that_cannot_be_pruned(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("as before\n")
    (tmp_path / "one.txt").write_text("the cat sat\n")
    (tmp_path / "bad.plf").write_text("((('a',1,),)\n")
    references = ["-r", str(FIXTURES / "lattices.txt")]
    for arguments in (
        [PLF, "--phrases"],
        [PLF, "--phrases", "-r", str(tmp_path / "one.txt")],
        [PLF, "--phrases", "-r", str(tmp_path / "none.txt")],
        [str(tmp_path / "bad.plf"), *references],
        [str(FIXTURES / "lattices.txt"), "--from", "text", *references],
    ):
        with pytest.raises(TreesqlError):
            run(*arguments, "-o", str(out))
        assert out.read_text() == "as before\n"
    assert len(list(tmp_path.iterdir())) == 3
