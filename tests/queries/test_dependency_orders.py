"""Lengths of dependencies in other orders, shapes and frames of dependency trees, against brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations, product
from pathlib import Path
from random import Random

import pytest

import treesql

Heads = Sequence[int]
"""Positions of heads, from 1; 0 for roots."""


def random_heads(random: Random, most: int) -> Heads:
    """Of a forest of up to so many words, in any order."""
    n = random.randint(1, most)
    order = random.sample(range(1, n + 1), n)
    heads = [0] * n
    for at, word in enumerate(order[1:], 1):
        heads[word - 1] = random.choice([0, *order[:at] * 3])
    return heads


def conllu(trees: Sequence[Heads], deprel: str = "dep") -> bytes:
    return "".join(
        "".join(f"{w}\tw\t_\tX\t_\t_\t{h}\t{deprel if h else 'root'}\t_\t_\n" for w, h in enumerate(tree, 1)) + "\n"
        for tree in trees
    ).encode()


def below(heads: Heads, word: int) -> set[int]:
    return {word}.union(*(below(heads, child) for child, head in enumerate(heads, 1) if head == word))


def projective_orders(heads: Heads, word: int) -> Iterator[list[int]]:
    """All of a word and those below it: the word and the orders of its dependents, in every order."""
    parts = [[[word]], *(list(projective_orders(heads, w)) for w, head in enumerate(heads, 1) if head == word)]
    for order in permutations(parts):
        for chosen in product(*order):
            yield [w for part in chosen for w in part]


def length(order: Sequence[int], heads: Heads) -> int:
    places = {word: place for place, word in enumerate(order)}
    return sum(abs(places[word] - places[heads[word - 1]]) for word in order if heads[word - 1])


def stats(trees: Sequence[Heads], **options: str) -> list[dict[str, object]]:
    with pytest.warns(treesql.TreesqlWarning) if any(t.count(0) > 1 for t in trees) else pytest.MonkeyPatch.context():
        return treesql.stats(conllu(trees), **options).rows()  # type: ignore[arg-type]


def test_lengths_in_all_projective_orders() -> None:
    random = Random(1)
    trees = [random_heads(random, 7) for _ in range(40)]
    rows = stats(trees, table="dependency_lengths", by="sentence")
    for row, heads in zip(rows, trees, strict=True):
        words = range(1, len(heads) + 1)
        of_roots = [
            [length(order, heads) for order in projective_orders(heads, root)] for root in words if not heads[root - 1]
        ]
        assert row["length"] == length(words, heads)
        assert row["random_projective"] == pytest.approx(sum(sum(all_) / len(all_) for all_ in of_roots))
        assert row["minimum"] == sum(min(all_) for all_ in of_roots)
        orders = list(permutations(words)) if len(heads) < 6 else []
        if orders:
            assert row["random"] == pytest.approx(sum(length(order, heads) for order in orders) / len(orders))
    [whole] = stats(trees, table="dependency_lengths")
    for name in ("words", "length", "random_projective", "random", "minimum"):
        assert whole[name] == pytest.approx(sum(row[name] for row in rows)), name  # type: ignore[misc]
    assert whole["ratio"] == pytest.approx(whole["length"] / whole["random_projective"])  # type: ignore[operator]
    assert whole["ratio_low"] < whole["ratio"] < whole["ratio_high"]  # type: ignore[operator]


def test_groups_of_lengths() -> None:
    text = b"1\tx\t_\tX\t_\t_\t2\tnsubj\t_\t_\n2\ty\t_\tX\t_\t_\t0\troot\t_\t_\n3\tz\t_\tX\t_\t_\t2\tobj\t_\t_\n\n"
    by_relation = treesql.stats(text, table="dependency_lengths", by="relation").rows()
    assert [(row["relation"], row["words"], row["length"], row["minimum"]) for row in by_relation] == [
        ("nsubj", 1, 1, None), ("obj", 1, 1, None), ("root", 1, 0, None),
    ]  # fmt: skip
    assert by_relation[0]["random_projective"] == pytest.approx((1 + 2 * 3 + 1) / 6)
    assert by_relation[2]["ratio"] is None
    by_size = treesql.stats(text + text, table="dependency_lengths", by="n_words").rows()
    assert [(row["n_words"], row["words"], row["ratio_low"]) for row in by_size] == [(3, 6, by_size[0]["ratio"])]
    with treesql.connect() as db:
        for name, language in (("a", "en"), ("b", "en"), ("c", "de")):
            db.load(text, corpus=name, language=language)
        by_language = db.stats(table="dependency_lengths", by="language")
        assert by_language.columns[0] == "language"
        assert [(row["language"], row["words"]) for row in by_language.rows()] == [("de", 3), ("en", 6)]


def test_folders_of_one_language_are_one_group(tmp_path: Path) -> None:
    text = b"1\tx\t_\tX\t_\t_\t2\tnsubj\t_\t_\n2\ty\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    folders = [tmp_path / name for name in ("UD_English-A", "English-B", "UD_German-A", "mine")]
    for folder, file in zip(folders, ("en_a-ud-test", "en_b-ud-test", "de_a-ud-test", "x"), strict=True):
        folder.mkdir()
        (folder / f"{file}.conllu").write_bytes(text)
    rows = treesql.stats(*folders, table="dependency_lengths", by="language").rows()
    assert [(row["language"], row["words"]) for row in rows] == [("English", 4), ("German", 2), ("mine", 2)]


def test_dropped_punctuation() -> None:
    """`(a , b)` below a comma below c: b hangs on c, a on nothing where the comma was a root; places close up."""
    text = (
        b"1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\t,\t_\tPUNCT\t_\t_\t5\tdep\t_\t_\n3\t;\t_\tX\t_\t_\t2\tpunct:x\t_\t_\n"
        b"4\tb\t_\tX\t_\t_\t3\tdep\t_\t_\n5\tc\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
        b"1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\t.\t_\tPUNCT\t_\t_\t0\troot\t_\t_\n3\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    )
    kept = treesql.stats(text, table="dependency_lengths", by="sentence").rows()
    assert [(row["words"], row["length"]) for row in kept] == [(5, 6), (3, 3)]
    first, second = treesql.stats(text, table="dependency_lengths", by="sentence", punctuation="drop").rows()
    assert (first["words"], first["length"], first["minimum"]) == (3, 2 + 1, 2)  # a and b on c: a b c
    assert first["random_projective"] == pytest.approx(2 * (1 + 2 * 3 + 1) / 6)
    assert (second["words"], second["length"], second["minimum"]) == (2, 1, 1)  # b on a, which is a root


def test_a_cycle_has_no_lengths() -> None:
    text = b"1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.warns(treesql.TreesqlWarning):
        rows = treesql.stats(text, table="dependency_lengths", by="sentence", permissive=True).rows()
    with pytest.warns(treesql.TreesqlWarning):
        shapes = treesql.stats(text, table="tree_shapes", permissive=True).rows()
    assert [row["sent_id"] for row in rows] == ["1"]
    assert shapes[0]["sentences"] == 1


def test_shapes_and_gaps() -> None:
    """Of sets of words, and of edges as pairs of ends."""
    random = Random(2)
    trees = [random_heads(random, 8) for _ in range(120)]
    degrees: Counter[int] = Counter()
    gaps: Counter[int] = Counter()
    counted: Counter[str] = Counter()
    for heads in trees:
        words = range(1, len(heads) + 1)
        under = {word: below(heads, word) for word in words}
        gap = max(sum(b - a > 1 for a, b in pairwise(sorted(under[word]))) for word in words)
        gaps[gap] += 1
        counted["projective"] += gap == 0
        edges = [sorted((word, heads[word - 1])) for word in words if heads[word - 1]]
        counted["planar"] += not any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(edges, 2))
        counted["well_nested"] += not any(
            (a in x) == (c in x) != (b in x) == (d in x)
            for one, other in combinations(words, 2)
            if not under[one] & under[other]
            for x in [under[one]]
            for a, b, c, d in combinations(sorted(under[one] | under[other]), 4)
        )
        degrees[max((degree(heads, word, under) for word in words if heads[word - 1]), default=0)] += 1
    [row] = stats(trees, table="tree_shapes")
    assert row["sentences"] == len(trees)
    for name, n in counted.items():
        assert row[f"{name}_share"] == pytest.approx(n / len(trees)), name
        assert 0 < n < len(trees), name
    shares = [row[f"edge_degree_{degree}_share"] for degree in range(3)] + [row["higher_edge_degree_share"]]
    assert shares == pytest.approx(
        [degrees[n] / len(trees) for n in range(3)] + [sum(degrees[n] for n in (3, 4, 5)) / len(trees)]
    )
    of_gaps = stats(trees, table="gap_degrees")
    assert {one["gap_degree"]: one["sentences"] for one in of_gaps} == gaps
    assert sum(one["well_nested_sentences"] for one in of_gaps) == counted["well_nested"]  # type: ignore[misc]


def degree(heads: Heads, word: int, under: dict[int, set[int]]) -> int:
    """Connected parts between the ends of an edge whose topmost word its head does not dominate."""
    head = heads[word - 1]
    inside = range(min(word, head) + 1, max(word, head))
    tops = [w for w in inside if heads[w - 1] not in inside]
    return sum(top not in under[head] for top in tops)


FRAMES = b"""\
1\tIn\tin\tADP\t_\t_\t2\tcase\t_\t_
2\tit\tit\tPRON\t_\tNumber=Sing|Case=Dat\t4\tobl\t_\t_
3\the\the\tPRON\t_\tCase=Nom|Gender=Masc\t4\tnsubj:pass\t_\t_
4\tsees\tsee\tVERB\t_\t_\t0\troot\t_\t_
5\tthat\tthat\tPRON\t_\tCase=Acc\t4\tobj\t_\t_

1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_
2\tsee\tsee\tVERB\t_\t_\t1\txcomp\t_\t_

"""


@pytest.mark.parametrize(
    ("options", "frames"),
    [
        ({}, {"nsubj obj": (1, "0", 4), "-": (1, "1", 2), "xcomp": (1, "1", 1)}),
        ({"frame_relations": "all"}, {"nsubj obj obl": (1, "0", 4), "-": (1, "1", 2), "xcomp": (1, "1", 1)}),
        ({"frame_relations": "obl, obj", "order": True, "case": True},
         {"obl:in:dat _ obj:acc": (1, "0", 4), "_": (2, "1", 1)}),
        ({"frame_relations": "nsubj,obj", "case": True}, {"nsubj:nom obj:acc": (1, "0", 4), "-": (2, "1", 1)}),
        ({"word_tags": "^PRON$"}, {"-": (3, "0", 2)}),
    ],
)  # fmt: skip
def test_frames(options: dict[str, object], frames: dict[str, tuple[int, str, int]]) -> None:
    rows = treesql.stats(FRAMES, table="dependency_frames", **options).rows()  # type: ignore[arg-type]
    assert {row["frame"]: (row["words"], row["sent_id"], row["word"]) for row in rows} == frames
    assert math.isclose(sum(row["share"] for row in rows), 1)


def test_frames_by_lemma() -> None:
    rows = treesql.stats(FRAMES, table="dependency_frames", by="lemma").rows()
    assert [(row["lemma"], row["frame"], row["share"]) for row in rows] == [
        ("go", "xcomp", 1), ("see", "-", 0.5), ("see", "nsubj obj", 0.5),
    ]  # fmt: skip


def test_parameters_of_tables() -> None:
    with pytest.raises(
        treesql.UsageError, match=r"by= of table='dependency_frames' is one of treebank, lemma, language, not relation"
    ):
        treesql.stats(FRAMES, table="dependency_frames", by="relation")
    with pytest.raises(treesql.UsageError, match="punctuation"):
        treesql.stats(FRAMES, table="tree_shapes", punctuation="drop")
    with pytest.raises(treesql.UnknownName, match="unknown parameter 'punct'; did you mean punctuation"):
        treesql.stats(FRAMES, table="tree_shapes", punct="drop")  # type: ignore[call-arg]
    with pytest.raises(treesql.UsageError, match=r"word_tags= \[: the regular expression cannot be used: missing \]"):
        treesql.stats(FRAMES, table="dependency_frames", word_tags="[")
    with pytest.raises(treesql.UsageError, match="word_tags=Q: no word has a part of speech with a match"):
        treesql.stats(FRAMES, table="dependency_frames", word_tags="Q")
    with pytest.warns(treesql.TreesqlWarning, match="no word has the relation nsubj:pass, iobj; name universal ones"):
        treesql.stats(FRAMES, table="dependency_frames", frame_relations="obj, nsubj:pass,iobj")
