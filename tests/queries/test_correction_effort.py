"""The effort of correcting an alignment: by hand, and against a search over all sequences of changes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import treesql
from tests.evaluation.word_alignments import GOLD, LINKS, LINKS_A, score, written
from tests.house.rules import in_turn

Links = frozenset[tuple[int, int]]

GRID = list(itertools.product(range(2), range(3)))
"""All links of a sentence of two words and its translation of three."""


def effort(gold: str | Path, system: str | Path, **how: object) -> list[dict[str, object]]:
    rows = score(str(gold), str(system), metric="correction_effort", **how)
    return [{name: value for name, value in row.items() if name != "system"} for row in rows]


@in_turn(
    ("gold", "system", "sure", "added", "removed", "moved"),
    [
        ("0-0 1-1\n", "0-0 1-1\n", 2, 0, 0, 0),
        ("0-0 1p1\n", "0-0\n", 1, 0, 0, 0),
        ("0-0 1p1\n", "0-0 1-1\n", 1, 0, 0, 0),
        ("0-0\n", "\n", 1, 1, 0, 0),
        ("\n", "0-0\n", 0, 0, 1, 0),
        ("0p0\n", "0-1\n", 0, 0, 1, 0),
        ("0-0\n", "1-1\n", 1, 1, 1, 0),
        ("0-0\n", "0-1\n", 1, 0, 0, 1),
        ("0-0\n", "1-0\n", 1, 0, 0, 1),
        ("0-0\n", "0-1 0-2 3-0\n", 1, 0, 2, 1),
        ("1-0 0-5\n", "0-0 1-9\n", 2, 0, 0, 2),
        ("\n0-0\n", "0-0\n\n", 1, 1, 1, 0),
    ],
)  # fmt: skip
def test_by_hand(tmp_path: Path, gold: str, system: str, sure: int, added: int, removed: int, moved: int) -> None:
    [row] = effort(written(tmp_path / "gold", gold), written(tmp_path / "system", system))
    total = added + removed + moved
    assert row == {
        "sure": sure, "added": added, "removed": removed, "moved": moved, "effort": total,
        "effort_rate": total / sure if sure else None,
    }  # fmt: skip


def test_nothing_on_either_side(tmp_path: Path) -> None:
    [row] = effort(written(tmp_path / "gold", "\n"), written(tmp_path / "system", "\n"))
    assert (row["effort"], row["effort_rate"]) in ((None, None), (0, None))


def changes(links: Links) -> Iterator[Links]:
    """What one change makes of an alignment."""
    for one in GRID:
        if one not in links:
            yield links | {one}
            continue
        yield links - {one}
        for other in GRID:
            if other not in links and (one[0] == other[0]) != (one[1] == other[1]):
                yield links - {one} | {other}


def distance(start: Links, sure: Links, possible: Links) -> int:
    """The fewest changes to all sure and no links but possible ones, by breadth-first search."""
    reached, seen, n = {start}, {start}, 0
    while not any(sure <= one <= possible for one in reached):
        reached = {after for one in reached for after in changes(one)} - seen
        seen |= reached
        n += 1
    return n


def line(links: Iterable[tuple[int, int]], possible: Iterable[tuple[int, int]] = ()) -> str:
    return " ".join([f"{i}-{j}" for i, j in sorted(links)] + [f"{i}p{j}" for i, j in sorted(possible)]) + "\n"


def test_no_sequence_of_changes_is_shorter(tmp_path: Path) -> None:
    """150 random sentences, in which links are moved over possible ones and by way of others, too."""
    draw = random.Random(5)
    cases = []
    for _ in range(150):
        drawn = draw.sample(GRID, draw.randint(0, 6))
        sure = frozenset(drawn[: draw.randint(0, len(drawn))])
        cases.append((frozenset(draw.sample(GRID, draw.randint(0, 6))), sure, frozenset(drawn)))
    gold = written(tmp_path / "gold", "".join(line(sure, possible - sure) for _, sure, possible in cases))
    system = written(tmp_path / "system", "".join(line(links) for links, _, _ in cases))
    found = {row["sentence"]: row["effort"] for row in effort(gold, system, by="sentence")}
    assert [found.get(at) or 0 for at in range(len(cases))] == [distance(*one) for one in cases]


def test_a_null_link_shares_no_word_0(tmp_path: Path) -> None:
    """1-0 to 2-0 would change one end, but 0 is no word; 1-0 to 1-3 keeps word 1."""
    gold = written(tmp_path / "gold.wpt", "1 2 0\n2 1 3\n")
    [row] = effort(gold, written(tmp_path / "a.wpt", "1 1 0\n2 1 3\n"), null_links=True)
    assert (row["added"], row["removed"], row["moved"]) == (1, 1, 0)
    [row] = effort(gold, written(tmp_path / "b.wpt", "1 2 0\n2 1 0\n"), null_links=True)
    assert (row["added"], row["removed"], row["moved"]) == (0, 0, 1)


def test_rows_are_the_corrections() -> None:
    with treesql.connect() as db:
        db.load(GOLD, corpus="text")
        for path, corpus in ((LINKS, "gold"), (LINKS_A, "system")):
            db.load(path, corpus=corpus, source_corpus="text", target_corpus="text")
        rows = db.sql(
            "SELECT sentence, source, target, correction, new_source, new_target "
            "FROM correction_effort('gold', 'system') WHERE correction <> 'none' ORDER BY sentence, source, target"
        ).rows()
        assert [tuple(row.values()) for row in rows] == [
            (0, 4, 5, "move", 4, 4),
            (1, 1, 1, "remove", None, None),
            (2, 3, 4, "add", None, None),
            (2, 4, 3, "remove", None, None),
            (3, 1, 2, "move", 2, 2),
            (4, 1, 2, "remove", None, None),
        ]
        [of_database] = db.score("correction_effort", gold_corpus="gold", system_corpus="system").rows()
    [of_files] = effort(LINKS, LINKS_A)
    assert of_database == of_files


def test_links_of_systems_are_all_equivalent(db: treesql.Database, tmp_path: Path) -> None:
    """Gold has two sure links and a possible one; the system calls one of the sure ones possible."""
    for name, line in {"gold": "0-0 1-1 2?2", "system": "0-0 1?1 2?2", "sure": "0-0 1-1 2-2"}.items():
        (tmp_path / f"{name}.pharaoh").write_text(f"{line}\n")
        db.load(tmp_path / f"{name}.pharaoh", corpus=name)
    how = {"gold_corpus": "gold"}
    items = db.query("agreement", system_corpus="system", **how)
    assert items["matched_sure"] == [1, 1, 0]
    assert items["matched_possible"] == [1, 1, 1]
    [found], [sure] = (db.score("agreement", system_corpus=name, **how).rows() for name in ("system", "sure"))
    assert found == sure
    assert (found["precision"], found["recall"], found["aer"]) == (1, 1, 0)
    assert (found["sure_precision"], found["proposed"], found["sure"], found["possible"]) == (2 / 3, 3, 2, 3)
