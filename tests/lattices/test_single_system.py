"""Lattices of one system at several densities, and of several systems."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lattice_tasks import lattice_task
from treesql.errors import Diagnostic, UsageError
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


def test_lattices_that_may_be_of_several_systems(tmp_path: Path) -> None:
    """Joined by their densities they would be a zigzag, in whatever order they are named: a warning has the number."""
    a = [written(tmp_path / f"a{n}.jsonl", beside(TEXTS, n, "x")) for n in (1, 3)]
    b = [written(tmp_path / f"b{n}.jsonl", beside(TEXTS, n, "y")) for n in (2, 4)]
    reference = tmp_path / "r.txt"
    reference.write_text("".join(f"{' '.join(words)}\n" for words in TEXTS))
    by_names = {name: [Path(path).name for path in files] for name, files in {"mixed": [a[0], b[0]], "a": a}.items()}
    lacking = "12 of 12 lattices lack words of a1.jsonl, which is sparser"
    mixed = "move it, if it is not of the system mixed"
    unnamed = "name each system with its files, if they are of several: --system NAME=FILE,FILE,..."
    for systems, named, hint in (
        ([a[0], b[0]], None, unnamed), ([b[0], a[0]], None, unnamed), (a[::-1], None, ""), (b, None, ""),
        ([a[0], b[0]], {"mixed": by_names["mixed"]}, mixed), (a, {"a": by_names["a"]}, ""),
    ):  # fmt: skip
        warnings: list[Diagnostic] = []
        task = replace(lattice_task(systems, [str(reference)]), warn=warnings.append)
        assert len(curve_points.find_points(task, ["ger"], systems=named).result()) == 2
        found = [(warning.path, warning.what, warning.hint) for warning in warnings]
        assert found == ([("b2.jsonl", lacking, hint)] if hint else [])


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


@pytest.mark.parametrize(("lacking", "warned"), [(2, False), (3, True)])
def test_a_wider_search_may_lose_a_path(tmp_path: Path, lacking: int, warned: bool) -> None:
    """In 2% of the lattices, 2 of 100."""
    texts = [["a", "b"]] * 100
    (tmp_path / "r.txt").write_text("a b\n" * 100)
    one = written(tmp_path / "one.jsonl", beside(texts, 1, "x"))
    denser = [beside([words], 2, "y" if at < lacking else "x")[0] for at, words in enumerate(texts)]
    warnings: list[Diagnostic] = []
    task = lattice_task([one, written(tmp_path / "two.jsonl", denser)], [str(tmp_path / "r.txt")])
    assert len(curve_points.find_points(replace(task, warn=warnings.append)).result()) == 2
    assert [warning.what for warning in warnings] == [
        "3 of 100 lattices lack words of one.jsonl, which is sparser"
    ] * warned


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
