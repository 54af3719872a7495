"""Phrase pairs against their definition, and the curve of an alignment with probabilities."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES
from tests.kernels.lattices import ints, offsets
from treesql.drawing import charts
from treesql.errors import QueryError
from treesql.kernels.alignments import alignment
from treesql.kernels.alignments.alignment import consistent_pairs

Links = set[tuple[int, int]]


def runs(n: int, longest: int) -> list[tuple[int, int]]:
    return [(start, end) for start in range(1, n + 1) for end in range(start, min(start + longest, n + 1))]


def by_definition(links: Links, n_source: int, n_target: int, longest: int) -> set[tuple[int, int, int, int]]:
    found = set()
    for one, two in runs(n_source, longest):
        for left, right in runs(n_target, longest):
            inside = [(one <= source <= two, left <= target <= right) for source, target in links]
            if any(a and b for a, b in inside) and all(a == b for a, b in inside):
                found.add((one, two, left, right))
    return found


@given(st.lists(st.tuples(st.sets(st.tuples(st.integers(1, 5), st.integers(1, 6)))), max_size=4), st.integers(1, 7))
def test_pairs_are_those_of_the_definition(sentences: list[tuple[Links]], longest: int) -> None:
    links = [sorted(one) for (one,) in sentences]
    found, ends = consistent_pairs(
        ints([source for one in links for source, _ in one]), ints([target for one in links for _, target in one]),
        offsets([len(one) for one in links]), np.full(len(links), 5), np.full(len(links), 6), longest,
    )  # fmt: skip
    for at, (one,) in enumerate(sentences):
        own = [tuple(pair) for pair in found[:, ends[at] : ends[at + 1]].T.tolist()]
        assert len(own) == len(set(own))
        assert set(own) == by_definition(one, 5, 6, longest)


def test_counts_of_phrases(tmp_path: Path) -> None:
    """Koehn, Och & Marcu's example of an unlinked word: it belongs to either neighbour, or to none."""
    for name, text in (
        ("s.txt", "das Haus\ndas\n"),
        ("t.txt", "the old house\nthe\n"),
        ("a.pharaoh", "0-0 1-2\n0-0\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with treesql.connect(":memory:") as database:
        database.load(tmp_path / "s.txt", corpus="s")
        database.load(tmp_path / "t.txt", corpus="t")
        database.load(tmp_path / "a.pharaoh", corpus="a")
        rows = database.sql("FROM phrase_pairs('a', 's', 't')").rows()
        found = {(row["source_phrase"], row["target_phrase"]): row for row in rows}
        assert {pair: row["occurrences"] for pair, row in found.items()} == Counter(
            {("das", "the"): 2, ("das", "the old"): 1, ("Haus", "house"): 1, ("Haus", "old house"): 1,
             ("das Haus", "the old house"): 1}
        )  # fmt: skip
        assert (found["das", "the"]["source_occurrences"], found["das", "the"]["target_occurrences"]) == (3, 2)
        assert found["das", "the"]["target_share"] == 2 / 3
        assert len(database.sql("FROM phrase_pairs('a', 's', 't', longest_phrase := 1)").rows()) == 2
        with pytest.raises(QueryError, match="a link of the target word 2, which does not exist"):
            database.sql("SELECT consistent_pairs([1], [2], 1, 1, 7)").rows()
        with pytest.raises(QueryError, match="phrases have at least one word, not 0"):
            database.sql("SELECT consistent_pairs([1], [1], 1, 1, 0)").rows()


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ("[1], [1], 1000000000, 1, 7", "row 1 of 1: 1,000,000,001 by 7 words are too many"),
        ("[1], [1], 1, 1000000000, 7", "row 1 of 1: 1,000,000,001 by 7 words are too many"),
        ("[1], [1], 9000, 1, 1000000000", "row 1 of 1: 9,001 by 9,000 words are too many"),
        ("[2], [2], 3, 3, 3", "row 1 of 1: more than 15 pairs of runs of at most 3 words; take shorter runs"),
    ],
)
def test_sentences_of_too_many_words(call: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three words one is linked: its 4 runs on either side are 16 pairs."""
    monkeypatch.setattr(alignment, "MAX_PAIRS", 15)
    with treesql.connect() as database:
        assert len(database.sql("SELECT unnest(consistent_pairs([2], [2], 3, 3, 2))").rows()) == 9
        with pytest.raises(QueryError, match=re.escape(f"consistent_pairs, {fault}")):
            database.sql(f"SELECT consistent_pairs({call})").rows()


def test_curve_over_a_threshold(tmp_path: Path) -> None:
    (tmp_path / "gold.pharaoh").write_text("0-0 1-1 2p2\n0-0\n", encoding="utf-8")
    (tmp_path / "system.pharaoh").write_text("0-0:0.9 1-1:0.62 2-1:0.4 2-2:0.62\n0-1:0.1\n", encoding="utf-8")
    files: dict[str, Any] = {"gold": tmp_path / "gold.pharaoh", "systems": [tmp_path / "system.pharaoh"]}
    rows = treesql.score("alignment", **files, table="threshold_curve", threshold_step=0.5).rows()
    found = [tuple(row[name] for name in ("threshold", "best", "proposed", "precision", "recall")) for row in rows]
    assert found == [
        (0.0, 0, 5, 3 / 5, 2 / 3), (0.5, 0, 3, 1.0, 2 / 3), (0.62, 1, 3, 1.0, 2 / 3), (1.0, 0, 0, None, 0.0),
    ]  # fmt: skip
    assert [row["aer"] for row in rows] == [1 - 5 / 8, 1 - 5 / 6, 1 - 5 / 6, 1.0]
    for threshold in (0.1, 0.62, 0.9):  # the same as scoring what is left
        text = (tmp_path / "system.pharaoh").read_text("utf-8")
        lines = [
            " ".join(link for link in line.split() if float(link.split(":")[1]) >= threshold)
            for line in text.splitlines()
        ]
        (tmp_path / "left.pharaoh").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        [score] = treesql.score("alignment", gold=files["gold"], systems=[tmp_path / "left.pharaoh"]).rows()
        rows = treesql.score("alignment", **files, table="threshold_curve", threshold_step=0.0).rows()
        [row] = [row for row in rows if row["threshold"] == threshold]
        assert (row["precision"], row["recall"], row["aer"]) == (score["precision"], score["recall"], score["aer"])
    assert [row["threshold"] for row in rows] == [0.1, 0.4, 0.62, 0.9]


def test_the_curve_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {name: tmp_path / f"{name}.pharaoh" for name in ("gold", "b")}
    files["gold"].write_text("0-0 1-1\n")
    files["b"].write_text("0-0:0.9 0-1:0.5\n")
    systems = {"a": files["gold"], "b": files["b"]}
    curve = treesql.score("alignment", gold=files["gold"], systems=systems, table="threshold_curve", threshold_step=0.5)
    shown: list[charts.LinePanel] = []
    drawn = charts.line_panels
    monkeypatch.setattr(charts, "line_panels", lambda panels, **how: shown.extend(panels) or drawn(panels, **how))
    picture = curve.svg()
    assert [(panel.name, panel.x, [line.name for line in panel.lines]) for panel in shown] == [
        (name, "threshold", ["precision", "recall", "aer"]) for name in "ab"
    ]
    assert [list(line.points) for line in shown[1].lines] == [
        [(0, 0.5), (0.5, 0.5), (0.9, 1)],  # of no links, from 1 on, there is no precision
        [(0, 0.5), (0.5, 0.5), (0.9, 0.5), (1, 0)],
        [(0, 0.5), (0.5, 0.5), (0.9, pytest.approx(1 / 3)), (1, 1)],
    ]
    assert "Precision, recall, aer by threshold" in picture


def test_of_thresholds_with_the_least_error_rate_the_lowest_is_best(tmp_path: Path) -> None:
    """The first link alone, of 2 sure ones, has the error rate 1 - 2/3; with one right and two wrong ones, 1 - 4/6."""
    files = {name: tmp_path / f"{name}.pharaoh" for name in ("gold", "systems")}
    files["gold"].write_text("0-0 1-1\n")
    files["systems"].write_text("0-0:0.9 1-1:0.5 0-1:0.5 1-0:0.5\n")
    rows = treesql.score("alignment", **files, table="threshold_curve", threshold_step=0.0).rows()
    assert [(row["threshold"], row["best"], row["aer"]) for row in rows] == [(0.5, 1, 1 - 4 / 6), (0.9, 0, 1 - 2 / 3)]


def test_links_without_a_probability_are_certain(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.pharaoh" for name in ("gold", "systems")}
    files["gold"].write_text("0-0 1-1\n")
    files["systems"].write_text("0-0 1-1:0.5\n")
    rows = treesql.score("alignment", **files, table="threshold_curve", threshold_step=0.5).rows()
    assert [(row["threshold"], row["proposed"]) for row in rows] == [(0, 2), (0.5, 2), (1, 1)]


@pytest.mark.parametrize("step", [0.1, 0.05, 0.01])
def test_a_link_of_the_probability_of_a_threshold_is_kept(tmp_path: Path, step: float) -> None:
    """0.3, 0.6 and 0.7 are no multiples of 0.1 in floating point."""
    links = " ".join(f"{place}-{place}:0.{place}" for place in range(1, 10))
    files = {name: tmp_path / f"{name}.pharaoh" for name in ("gold", "systems")}
    for path in files.values():
        path.write_text(links + "\n")
    rows = treesql.score("alignment", **files, table="threshold_curve", threshold_step=step).rows()
    proposed = {row["threshold"]: row["proposed"] for row in rows}
    assert len(proposed) == len(rows) == round(1 / step) + 1
    assert [proposed[place / 10] for place in range(1, 10)] == list(range(9, 0, -1))


@pytest.mark.parametrize("step", [-1, float("nan"), float("inf"), 2, 1e-9])
def test_steps_that_are_none(step: float) -> None:
    files = {"gold": FIXTURES / "links.pharaoh", "systems": FIXTURES / "links-a.pharaoh"}
    with pytest.raises(treesql.UsageError, match=r"threshold_step is .*; it is 0, or a number from 0.0001 to 1"):
        treesql.score("alignment", **files, table="threshold_curve", threshold_step=step)


def test_steps_that_are_none_in_sql(examples: treesql.Database) -> None:
    with pytest.raises(treesql.QueryError, match=r"threshold_step must be 0, or a number from 0.0001 to 1"):
        examples.sql("FROM threshold_curve('links', 'links-a', threshold_step := 2)")
