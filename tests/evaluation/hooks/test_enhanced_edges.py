"""Edges of empty nodes, which no score of enhanced graphs compares, are told of."""

from __future__ import annotations

from pathlib import Path

import pytest

import treesql
from tests.conftest import heard
from treesql.evaluation import evaluate, sources
from treesql.readers import source

GOLD = """\
# sent_id = a
1	dogs	dog	NOUN	_	_	2	nsubj	2:nsubj	_
2	bark	bark	VERB	_	_	0	root	0:root	_
3	cats	cat	NOUN	_	_	2	conj	3.1:nsubj	_
3.1	bark	bark	VERB	_	_	_	_	2:conj	_
4	too	too	ADV	_	_	3	advmod	3.1:advmod	_

"""
PLAIN = GOLD.replace("3.1:", "2:").replace("3.1\tbark\tbark\tVERB\t_\t_\t_\t_\t2:conj\t_\n", "")
HINT = "collapse empty nodes in all files to have these edges scored"


def warned(folder: Path, gold: str, system: str, **how: object) -> list[str]:
    paths = [folder / "gold.conllu", folder / "system.conllu"]
    for path, text in zip(paths, (gold, system), strict=True):
        path.write_text(text)
    with heard() as found:
        treesql.score("dependency", *paths, **how)
    return found


def test_edges_that_are_not_compared_are_counted_on_both_sides(tmp_path: Path) -> None:
    one = GOLD.replace("3.1:advmod", "2:advmod").replace("3.1:nsubj", "2:conj")
    for how in ({"metric": "elas"}, {"table": "iwpt20"}, {"conll18": True, "enhanced": True}):
        assert warned(tmp_path, GOLD, one, **how) == [
            f"gold.conllu: 3 of 5 enhanced edges come from or go to empty nodes and are not compared; {HINT}",
            "system.conllu: 1 of 5 enhanced edges comes from an empty node, or goes to one, and is not compared; "
            + HINT,
        ]


def test_they_are_counted_over_all_blocks_of_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "MIN_BYTES", 1)
    monkeypatch.setattr(sources, "MIN_BLOCK_WORDS", 1)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (64, None, None))
    gold = "".join(GOLD.replace("= a", f"= {at}") for at in range(5))
    found = warned(tmp_path, gold, PLAIN.replace("= a", "= 0") * 1 + gold[len(GOLD) :], metric="elas")
    assert [one.split(" come")[0] for one in found] == [
        "gold.conllu: 15 of 25 enhanced edges", "system.conllu: 12 of 24 enhanced edges",
    ]  # fmt: skip


def test_other_scores_and_graphs_without_empty_nodes_are_not_told_of(tmp_path: Path) -> None:
    assert warned(tmp_path, PLAIN, PLAIN, metric="elas") == []
    assert warned(tmp_path, GOLD, GOLD, metric="las") == []
