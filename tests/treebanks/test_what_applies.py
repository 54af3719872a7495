"""Statistics of data that they are not about: they say so, and what applies."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from treesql.errors import UsageError


@pytest.mark.parametrize(
    ("file", "table", "told"),
    [
        (
            "gold.conllu", "grammar_rules",
            "grammar_rules is about constituency trees, and gold.conllu has dependency trees; what applies: the "
            "default table, table='consistency_checks'",
        ),
        ("gold.conllu", "gap_degrees", "gap_degrees is about constituency trees"),
        ("gold.mrg", "single_relations", "is about dependency trees, and gold.mrg has constituency trees; .*gap_d"),
        ("lattices.plf", "variation_tags", "and lattices.plf has lattices; what applies: the default table"),
        ("links.pharaoh", None, "and links.pharaoh has links between words; name treebanks"),
    ],
)  # fmt: skip
def test_it_is_said_what_does_not_apply_and_what_does(file: str, table: str | None, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        treesql.stats(FIXTURES / file, table=table)


def test_sizes_of_lattices() -> None:
    [row] = treesql.stats(FIXTURES / "lattices.plf").rows()
    assert (row["treebank"], row["lattices"], row["nodes"], row["edges"]) == ("lattices.plf", 3, 15, 25)
    assert (row["largest_lattice"], row["words"], row["types"]) == (13, 24, 22)
    assert row["density"] == pytest.approx(25 / 15)


def test_lattices_without_words_have_sizes(tmp_path: Path) -> None:
    (tmp_path / "l.jsonl").write_text('{"n_nodes": 2, "edges": [[0, 1, []]]}\n')
    [row] = treesql.stats(tmp_path / "l.jsonl").rows()
    assert (row["edges"], row["largest_lattice"], row["words"], row["types"]) == (1, 1, 0, 0)


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_a_table_without_cases_is_none_that_does_not_apply() -> None:
    assert treesql.stats(FIXTURES / "gold.conllu", table="multiple_roots").rows() == []


def test_queries_of_a_database_without_data_of_their_kind() -> None:
    with treesql.connect() as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold")
        with pytest.warns(treesql.TreesqlWarning, match="grammar_rules is about constituency trees, and gold has dep"):
            assert db.query("grammar_rules").rows() == []
