"""Concordances as text for a screen."""

from __future__ import annotations

import re

import pyarrow as pa
from rich.cells import cell_len

from treesql.results.concordance import Concordance
from treesql.results.result import render

ROWS = [
    {"sent_id": "a", "left": "", "match": "<one>", "right": "two three four five six seven eight nine ten eleven"},
    {"sent_id": "b", "left": "alpha beta gamma delta epsilon zeta eta", "match": "<th> iota <ka>", "right": "."},
    {"sent_id": None, "left": "日本語日本語日本語日本語日本語日本語", "match": "語", "right": "x"},
]


def concordance() -> Concordance:
    return Concordance.of_marked(pa.Table.from_pylist(ROWS), ("<", ">"))


def plain(text: str) -> list[str]:
    return re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()


def test_contexts_are_cut_to_the_screen_where_they_are_far_from_the_match() -> None:
    lines = plain(render(concordance(), screen=60))
    assert lines[0].split() == ["sent_id", "left", "match", "right"]
    assert all(cell_len(line) <= 60 for line in lines)
    assert lines[2].endswith("…")
    assert lines[3].split()[1].startswith("…")
    assert lines[4].split()[1].startswith("…")
    starts = [lines[0].index("match"), lines[2].index("one"), lines[3].index("th iota ka")]
    assert starts == [starts[0]] * 3
    assert cell_len(lines[4].split("   語")[0]) + 3 == starts[0]


def test_a_context_has_the_room_that_the_other_leaves() -> None:
    table = pa.table({"left": ["a b"], "match": ["m"], "right": ["c" * 36]})
    lines = plain(render(Concordance.of_marked(table, ("<", ">")), screen=60))
    assert lines[2].endswith("c" * 36)


def test_matched_words_are_bold() -> None:
    lines = render(concordance(), screen=80).splitlines()
    assert "\x1b[1mone\x1b[0m" in lines[2]
    assert "\x1b[1mth\x1b[0m iota \x1b[1mka\x1b[0m" in lines[3]
    assert "\x1b" not in lines[4]


def test_long_matches_are_folded() -> None:
    long = " ".join(f"word{number}" for number in range(30))
    table = pa.table({"left": ["a"], "match": [long], "right": ["b"]})
    lines = plain(render(Concordance.of_marked(table, ("<", ">")), screen=50))
    assert all(len(line) <= 50 for line in lines)
    assert all(word in "".join(lines) for word in long.split())


def test_narrow_screens_and_empty_concordances() -> None:
    assert len(plain(render(concordance(), screen=5))) >= 5
    empty = concordance().head(0)
    assert plain(render(empty, screen=60))[0].split() == ["sent_id", "left", "match", "right"]
    assert len(empty) == 0


def test_the_first_rows_keep_their_marks() -> None:
    first = concordance().head(1)
    assert len(first) == 1
    assert first.marked is not None
    assert first.marked.to_pylist() == ["<one>"]
    assert first.rows()[0]["match"] == "one"
    assert "\x1b[1mone" in render(first, screen=80)


def test_the_last_rows_keep_their_marks() -> None:
    last = concordance().tail(1)
    assert isinstance(last, Concordance)
    assert last.marked is not None
    assert last.marked.to_pylist() == [concordance().marked.to_pylist()[-1]]  # type: ignore[union-attr]
