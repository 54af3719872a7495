"""What a shell completes, as it asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from tests.house.rules import in_turn
from treesql.cli import group


def completed(line: str) -> list[str]:
    """What a line is completed with, the last word being incomplete."""
    *words, last = line.split(" ")
    found = BashComplete(group, {}, "treesql", "_TREESQL_COMPLETE").get_completions(words[1:], last)
    return [item.value if item.type == "plain" else f"{item.type}:{item.value}" for item in found]


@in_turn(
    ("line", "found"),
    [
        ("treesql corr", ["correlate"]),
        ("treesql lattice pr", ["prune"]),
        ("treesql score depend", ["dependency"]),
        ("treesql score dependency fix", ["file:fix"]),
        ("treesql compare dependency --metric las_", ["las_precision", "las_recall"]),
        ("treesql score dependency --metric uas,wlas_p", ["uas,wlas_precision"]),
        ("treesql score dependency --by gold_u", ["gold_udeprel"]),
        ("treesql score dependency --by upos,system_dis", ["upos,system_distance"]),
        ("treesql score dependency --table relation_", ["relation_agreement", "relation_confusions"]),
        ("treesql queries conll18", ["conll18", "conll18_counts"]),
        ("treesql drop DB ", ["gold", "parser-a"]),
        ("treesql show DB --corpus p", ["parser-a"]),
        ("treesql stats DB --corpus p", ["parser-a"]),
        ("treesql find DB --corpus p", ["parser-a"]),
        ("treesql score dependency --db DB gold p", ["parser-a"]),
        ("treesql export DB out --corpus g", ["gold"]),
        ("treesql drop none.duckdb ", []),
    ],
)
def test_completion(gold_and_parser: Path, line: str, found: list[str]) -> None:
    assert completed(line.replace("DB", str(gold_and_parser))) == found


def test_completion_of_a_file_that_is_no_database_is_silent(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.duckdb").write_text("no database")
    assert completed(f"treesql drop {tmp_path / 'x.duckdb'} ") == []
    assert capfd.readouterr() == ("", "")
