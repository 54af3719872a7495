"""Gap degree and well-nestedness of constituency trees, against sets of words."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest

import treesql
from tests.kernels.nested import Tree, below

N_TREES = 60
"""Number of random trees."""


def random_tree(words: list[int], random: Random) -> Tree:
    """A tree over these words: every phrase is divided at random, whatever the order."""
    if len(words) == 1:
        return words[0]
    parts: list[list[int]] = [[] for _ in range(random.randint(2, 3))]
    for word in words:
        random.choice(parts).append(word)
    filled = [part for part in parts if part]
    return [random_tree(part, random) for part in filled] if len(filled) > 1 else list(words)


def near_order(tree: Tree) -> Tree:
    return (
        sorted((near_order(child) for child in tree), key=lambda one: min(below(one)))
        if isinstance(tree, list)
        else tree
    )


def written(tree: Tree) -> str:
    """In brackets with indices."""
    return f"(X {' '.join(written(child) for child in tree)})" if isinstance(tree, list) else f"(T {tree}=w)"


def yields(tree: Tree) -> list[frozenset[int]]:
    """The words of every phrase."""
    if not isinstance(tree, list):
        return []
    return [frozenset(below(tree)), *(words for child in tree for words in yields(child))]


def n_gaps(words: frozenset[int]) -> int:
    return sum(b - a > 1 for a, b in pairwise(sorted(words)))


def interleave(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether a word of one, of the other, of the one and of the other follow each other."""
    return not one & other and any(
        a in x and b in y and c in x and d in y
        for x, y in ((one, other), (other, one))
        for a, b, c, d in combinations(sorted(one | other), 4)
    )


def test_random_trees(db: treesql.Database, tmp_path: Path) -> None:
    random, lines, expected = Random(5), [], []
    for sentence in range(N_TREES):
        tree = near_order(random_tree(list(range(random.randint(1, 9))), random))
        tree = tree if isinstance(tree, list) else [tree]
        lines.append(f"(ROOT {written(tree)})\n")
        phrases = yields(tree)
        degree = max(map(n_gaps, phrases))
        ill = {
            at
            for pair in combinations(range(len(phrases)), 2)
            if interleave(*(phrases[at] for at in pair))
            for at in pair
        }
        expected.append((sentence, degree, sum(n_gaps(one) > 0 for one in phrases), len(ill), not ill))
    (tmp_path / "trees.discbracket").write_text("".join(lines))
    db.load(tmp_path / "trees.discbracket", corpus="trees")
    rows = db.sql("FROM sentence_gaps('trees') AS g ORDER BY g.sentence").rows()
    assert [tuple(row.values())[1:] for row in rows] == expected
    assert len({row[1] for row in expected}) > 2
    assert {row[-1] for row in expected} == {True, False}
    degrees = db.stats(table="gap_degrees").rows()
    for row in degrees:
        of = [one for one in expected if one[1] == row["gap_degree"]]
        assert (row["sentences"], row["well_nested_sentences"]) == (len(of), sum(one[-1] for one in of))
        assert row["share"] == len(of) / N_TREES
        assert row["well_nested_share"] == row["well_nested_sentences"] / len(of)


def test_by_hand(db: treesql.Database, tmp_path: Path) -> None:
    """A over 0 and 2, B over 1 and 3: ill-nested; A over 0 and 3, B over 1 and 2 with a word between: not."""
    ill, well = "(ROOT (S (A 0=a 2=c) (B 1=b 3=d)))", "(ROOT (S (A 0=a 4=e) (B 1=b 3=d) 2=c))"
    (tmp_path / "trees.discbracket").write_text(f"{ill}\n{well}\n(ROOT (S 0=a 1=b))\n")
    db.load(tmp_path / "trees.discbracket", corpus="trees")
    rows = db.sql("FROM sentence_gaps('trees') AS g ORDER BY g.sentence").rows()
    found = [(row["gap_degree"], row["ill_nested_phrases"], row["well_nested"]) for row in rows]
    assert found == [(1, 2, False), (1, 0, True), (0, 0, True)]
    labels = {row["label"]: (row["phrases"], row["phrases_with_gaps"]) for row in db.stats(table="label_gaps").rows()}
    assert labels == {"S": (3, 0), "A": (2, 2), "B": (2, 2)}
    [row] = db.score(
        "evalb", gold_corpus="trees", system_corpus="trees", by="gap_degree", where="gap_degree = 1"
    ).rows()
    assert (row["gap_degree"], row["sentences"], row["f1"]) == (1, 2, 1)


def test_shares_of_gap_degrees_are_those_of_each_treebank(db: treesql.Database, tmp_path: Path) -> None:
    """Of two corpora of one treebank 2 of 3 trees have a gap, of another treebank none of 1."""
    plain, gap = "(X (T 0=a) (T 1=b))", "(X (Y (T 0=a) (T 2=c)) (T 1=b))"
    for name, treebank, trees in (("one", "A", [plain, gap]), ("two", "A", [gap]), ("three", "B", [plain])):
        (tmp_path / f"{name}.discbracket").write_text("".join(f"{tree}\n" for tree in trees))
        db.load(tmp_path / f"{name}.discbracket", corpus=name, treebank=treebank)
    found = [
        tuple(row[key] for key in ("treebank", "gap_degree", "sentences", "share", "well_nested_share"))
        for row in db.query("gap_degrees", corpus_name="")
    ]
    assert found == [("A", 0, 1, 1 / 3, 1), ("A", 1, 2, 2 / 3, 1), ("B", 0, 1, 1, 1)]
    labels = {(row["treebank"], row["label"]): row for row in db.query("label_gaps", corpus_name="")}
    assert {
        key: (row["phrases"], row["phrases_with_gaps"], row["share"], row["gap_degree"]) for key, row in labels.items()
    } == {("A", "X"): (3, 0, 0, 0), ("A", "Y"): (2, 2, 1, 1), ("B", "X"): (1, 0, 0, 0)}


HEADS: dict[str, dict[str, list[int]]] = {
    "collins": {
        "(S (NP (DT The) (NN cat)) (VP (VBD sat)))": [2, 3, 0],
        "(NP (NNS cats) (CC and) (NNS dogs))": [0, 1, 1],  # the first conjunct
        "(NP (NN a) (, ,) (NN b) (, ,) (CC and) (NN c))": [3, 3, 0, 3, 3, 3],
        "(NP (NP (NNP Ann) (POS 's)) (NN hat))": [2, 3, 0],
        "(S (NP-SBJ (-NONE- *)) (VP (TO to) (VP (VB go))))": [2, 0, 2],  # a trace
        "(UNKNOWN (A a) (B b))": [0, 1],  # no rule for the label
        "(NP (. .))": [0],
    },
    "negra": {
        "(PP (APPR-AC 0=in) (ART-NK 1=der) (NN-NK 2=Stadt))": [0, 1, 1],
        "(S (NP-SB (ART-NK 0=der) (NN-NK 1=Hund)) (VVFIN-HD 2=bellt))": [2, 3, 0],  # by labels of edges
        "(CNP (NN-CJ 0=Hund) (KON-CD 1=und) (NN-CJ 2=Katze))": [0, 1, 1],
    },
}
"""By rules trees and the heads of their words; those of negra are in the format whose tags have functions."""


@pytest.mark.parametrize(("rules", "name"), [("collins", "trees.mrg"), ("negra", "trees.discbracket")])
def test_dependencies_of_trees(db: treesql.Database, tmp_path: Path, rules: str, name: str) -> None:
    outer = "(ROOT {})\n" if rules == "negra" else "({})\n"
    (tmp_path / name).write_text("".join(map(outer.format, HEADS[rules])))
    db.load(tmp_path / name, corpus="trees")
    relation = "head_dependencies('trees', head_rules := $rules)"
    sql = f"SELECT h.sentence, h.head FROM {relation} AS h ORDER BY h.sentence, h.word"
    heads: list[list[int]] = [[] for _ in HEADS[rules]]
    for row in db.sql(sql, {"rules": rules}).rows():
        heads[row["sentence"]].append(row["head"])
    assert heads == list(HEADS[rules].values())


def test_dependencies_without_traces(db: treesql.Database, tmp_path: Path) -> None:
    """Positions count the words that are none, and so do heads; functions lose their indices."""
    (tmp_path / "t.mrg").write_text("(S (NP-SBJ-1 (PRP We)) (VP (TO to) (VP (-NONE- *) (VB go) (PRT (RP up)))))\n")
    db.load(tmp_path / "t.mrg", corpus="t")
    rows = db.sql("SELECT position, head, relation FROM word_dependencies('t') ORDER BY position").rows()
    assert [tuple(row.values()) for row in rows] == [(1, 2, "SBJ"), (2, 0, "root"), (3, 2, "dep"), (4, 3, "dep")]


def test_an_unknown_set_of_rules_is_refused(examples: treesql.Database) -> None:
    with pytest.raises(treesql.TreesqlError, match="no rule set unknown; it has collins, negra"):
        examples.sql("FROM head_children('gold', head_rules := 'unknown')").rows()


def test_frames_of_phrases() -> None:
    rows = treesql.stats(b"(S (NP (N a)) (VP (V b) (NP (N c))))\n", table="subcategorisation_frames").rows()
    assert [(row["unit"], row["frame"], row["words"]) for row in rows] == [("b", "_ NP", 1)]
