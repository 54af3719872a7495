"""Lattices of one system at several densities, and of several systems."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.lattice_tasks import lattice_task
from treesql.errors import UsageError
from treesql.lattices import curve_points


def written(path: Path, lattices: list[list[list[str]]], ids: list[str] | None = None) -> str:
    """Lattices that are chains of words, several beside each other, as JSON lines."""
    lines = []
    for at, places in enumerate(lattices):
        edges = [[place, place + 1, [word]] for place, words in enumerate(places) for word in words]
        lines.append(json.dumps({**({"id": ids[at]} if ids else {}), "n_nodes": len(places) + 1, "edges": edges}))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def beside(of: list[list[str]], n: int, sign: str) -> list[list[list[str]]]:
    """Lattices of some texts with n further words of a system beside each word."""
    return [[[word, *(f"{word}{sign}{at}" for at in range(n))] for word in words] for words in of]


TEXTS = [["a", "b", "c"], ["d"], ["e", "f"], ["g", "h", "i", "j"]] * 3


@pytest.mark.thorough
def test_several_systems_are_no_curve(tmp_path: Path) -> None:
    """Joined by their densities they would be a zigzag, in whatever order they are named."""
    a = [written(tmp_path / f"a{n}.jsonl", beside(TEXTS, n, "x")) for n in (1, 3)]
    b = [written(tmp_path / f"b{n}.jsonl", beside(TEXTS, n, "y")) for n in (2, 4)]
    reference = tmp_path / "r.txt"
    reference.write_text("".join(f"{' '.join(words)}\n" for words in TEXTS))
    told = r"12 of 12 lattices of b2\.jsonl, which is denser, lack words of a1\.jsonl, as those of another system do"
    for systems in ([*a, *b], [a[0], b[0], a[1], b[1]], [b[0], a[0]]):
        with pytest.raises(UsageError, match=told):
            curve_points.find_points(lattice_task(systems, [str(reference)]), ["ger"]).result()
    for systems in (a, a[::-1], b):
        assert len(curve_points.find_points(lattice_task(systems, [str(reference)])).result()) == 2


def test_lattices_of_one_system_come_in_any_order(tmp_path: Path) -> None:
    """Where the denser ones have all words of the sparser ones, by ids if there are some, nothing else is asked for."""
    reference = tmp_path / "r.txt"
    reference.write_text("".join(f"{' '.join(words)}\n" for words in TEXTS))
    names = [f"utt{at}" for at in range(len(TEXTS))]
    made = {}
    for n in (1, 2, 3):
        order = random.Random(n).sample(range(len(TEXTS)), len(TEXTS))
        lattices = beside(TEXTS, n, "x")
        made[n] = written(tmp_path / f"{n}.jsonl", [lattices[at] for at in order], [names[at] for at in order])
    (tmp_path / "r.trn").write_text("".join(f"{' '.join(words)} (utt{at})\n" for at, words in enumerate(TEXTS)))
    found = curve_points.find_points(
        lattice_task([made[2], made[3], made[1]], [str(tmp_path / "r.trn")]), ["ger"]
    ).result()
    assert found.arrow()["system"].to_pylist() == ["1.jsonl", "2.jsonl", "3.jsonl"]


@pytest.mark.parametrize(("lacking", "refused"), [(2, False), (3, True)])
def test_a_wider_search_may_lose_a_path(tmp_path: Path, lacking: int, refused: bool) -> None:
    """In 2% of the lattices, 2 of 100."""
    texts = [["a", "b"]] * 100
    (tmp_path / "r.txt").write_text("a b\n" * 100)
    one = written(tmp_path / "one.jsonl", beside(texts, 1, "x"))
    denser = [beside([words], 2, "y" if at < lacking else "x")[0] for at, words in enumerate(texts)]
    task = lattice_task([one, written(tmp_path / "two.jsonl", denser)], [str(tmp_path / "r.txt")])
    if refused:
        with pytest.raises(UsageError, match=r"3 of 100 lattices of two\.jsonl, which is denser, lack words of one"):
            curve_points.find_points(task).result()
    else:
        assert len(curve_points.find_points(task).result()) == 2


def test_lattices_of_other_sentences(tmp_path: Path) -> None:
    reference = tmp_path / "r.txt"
    reference.write_text("".join(f"{' '.join(words)}\n" for words in TEXTS))
    names = [f"utt{at}" for at in range(len(TEXTS))]
    one = written(tmp_path / "one.jsonl", beside(TEXTS, 1, "x"), names)
    other = written(tmp_path / "other.jsonl", beside(TEXTS, 2, "x"), [*names[1:], "utt99"])
    short = written(tmp_path / "short.jsonl", beside(TEXTS[:-1], 2, "x"))
    for second in (other, short):
        with pytest.raises(UsageError, match=r"one\.jsonl and (other|short)\.jsonl are of other sentences"):
            curve_points.find_points(lattice_task([one, second], [str(reference)])).result()
