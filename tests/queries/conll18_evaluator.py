"""The evaluation of the shared tasks of 2018 and of IWPT 2020, in plain Python, by their definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.queries.tokens import Sentence, Word

# Of the relations and features of random corpora.
CONTENT = frozenset({"nsubj", "root", "obj", "dep"})
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
FEATURES = frozenset({"Number", "Gender"})


@dataclass(eq=False)
class Node:
    """A word in its place; an object is equal to itself alone."""

    word: Word
    sentence: int
    position: int
    start: int
    end: int
    multiword: bool
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def deprel(self) -> str:
        return self.word.deprel.split(":")[0]

    @property
    def features(self) -> set[str]:
        return {feature for feature in self.word.feats.split("|") if feature.split("=")[0] in FEATURES}


@dataclass
class Side:
    """A corpus, its spans counted without white space."""

    sentences: Sequence[Sentence]
    nodes: list[Node] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        at = 0
        for number, sentence in enumerate(self.sentences):
            begin, first = at, len(self.nodes)
            for token in sentence:
                end = at + len(re.sub(r"\s", "", token.form))
                self.tokens.append((at, end))
                for word in token.words:
                    position = len(self.nodes) - first + 1
                    self.nodes.append(Node(word, number, position, at, end, token.multiword))
                at = end
            self.ends.append((begin, at))
            own = self.nodes[first:]
            for node in own:
                node.parent = own[node.word.head - 1] if node.word.head else None
                if node.parent:
                    node.parent.children.append(node)

    def edges(self, node: Node) -> list[tuple[Node | None, str]]:
        """The enhanced edges of a word that do not come from an empty node."""
        own = [other for other in self.nodes if other.sentence == node.sentence]
        given = [(int(head), relation) for head, relation in node.word.edges if "." not in head]
        return [(own[head - 1] if head else None, relation) for head, relation in given]


def correspondences(gold: Side, system: Side) -> list[tuple[Node, Node]]:
    """Tokens that cover the same characters, and longest common subsequences inside spans of multiword tokens."""
    spans = [[node.start, node.end] for side in (gold, system) for node in side.nodes if node.multiword]
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    found = [
        (g, s)
        for g in gold.nodes
        for s in system.nodes
        if (g.start, g.end, g.multiword, s.multiword) == (s.start, s.end, False, False)
    ]
    for start, end in joined:
        inside = [[node for node in side.nodes if start <= node.start and node.end <= end] for side in (gold, system)]
        found += common(*inside)
    return found


def common(left: Sequence[Node], right: Sequence[Node]) -> list[tuple[Node, Node]]:
    forms = [[lowered(node) for node in side] for side in (left, right)]

    def longest(i: int, j: int) -> int:
        if i == len(left) or j == len(right):
            return 0
        if forms[0][i] == forms[1][j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    i = j = 0
    found = []
    while i < len(left) and j < len(right):
        if forms[0][i] == forms[1][j]:
            found.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif longest(i, j) == longest(i + 1, j):
            i += 1
        else:
            j += 1
    return found


def lowered(node: Node) -> str:
    return (node.word.form if node.multiword else re.sub(r"\s", "", node.word.form)).lower()


Counts = tuple[int, int, int, int | None]
"""What is right, and how many the gold side and the system have; how many are aligned, where that is told."""


def evaluated(gold: Side, system: Side) -> dict[str, Counts]:
    """The rows of the scorers of 2018 and of IWPT 2020, and LA."""
    pairs = correspondences(gold, system)
    to_gold = {s: g for g, s in pairs}
    totals = (len(gold.nodes), len(system.nodes))

    def heads(g: Node, s: Node) -> bool:
        if s.parent is None or g.parent is None:
            return g.parent is s.parent
        return to_gold.get(s.parent) is g.parent

    def features(g: Node, s: Node) -> bool:
        return g.features == s.features

    def upos(g: Node, s: Node) -> bool:
        return g.word.upos == s.word.upos

    def xpos(g: Node, s: Node) -> bool:
        return g.word.xpos == s.word.xpos

    def lemma(g: Node, s: Node) -> bool:
        return g.word.lemma in ("_", s.word.lemma)

    def relation(g: Node, s: Node) -> bool:
        return g.deprel == s.deprel

    def edge(g: Node, s: Node) -> bool:
        return heads(g, s) and relation(g, s)

    def tags(g: Node, s: Node) -> bool:
        return upos(g, s) and xpos(g, s) and features(g, s)

    def morphology(g: Node, s: Node) -> bool:
        ours = [(child, child.deprel, child.word.upos, child.features) for child in g.children]
        theirs = [(to_gold.get(child), child.deprel, child.word.upos, child.features) for child in s.children]
        words = [[child for child in children if child[1] in FUNCTIONAL] for children in (ours, theirs)]
        return edge(g, s) and upos(g, s) and features(g, s) and words[0] == words[1]

    def lexeme(g: Node, s: Node) -> bool:
        return edge(g, s) and lemma(g, s)

    found: dict[str, Counts] = {
        "Tokens": (len({*gold.tokens} & {*system.tokens}), len(gold.tokens), len(system.tokens), None),
        "Sentences": (len({*gold.ends} & {*system.ends}), len(gold.ends), len(system.ends), None),
        "Words": (len(pairs), *totals, None),
    }
    checks = {
        "UPOS": upos, "XPOS": xpos, "UFeats": features, "AllTags": tags, "Lemmas": lemma, "UAS": heads, "LAS": edge,
        "LA": relation,
    }  # fmt: skip
    for name, check in checks.items():
        found[name] = (sum(check(g, s) for g, s in pairs), *totals, len(pairs))
    content = [(g, s) for g, s in pairs if g.deprel in CONTENT]
    totals = (sum(g.deprel in CONTENT for g in gold.nodes), sum(s.deprel in CONTENT for s in system.nodes))
    for name, check in {"CLAS": edge, "MLAS": morphology, "BLEX": lexeme}.items():
        found[name] = (sum(check(g, s) for g, s in content), *totals, len(content))

    def parts(relation: str) -> list[str]:
        return [step.split(":")[0] for step in relation.split(">")]

    elas = eulas = 0
    for g, s in pairs:
        for head, relation_ in gold.edges(g):
            for other, its in system.edges(s):
                same = head is other if head is None or other is None else to_gold.get(other) is head
                elas += same and relation_ == its
                eulas += same and parts(relation_) == parts(its)
    totals = (sum(len(side.edges(node)) for node in side.nodes) for side in (gold, system))  # type: ignore[assignment]
    n_gold, n_system = totals
    return found | {"ELAS": (elas, n_gold, n_system, None), "EULAS": (eulas, n_gold, n_system, None)}


def ratio(correct: float, total: int | None) -> float | None:
    return correct / total if total else None


SCORES = {
    "uas": "UAS", "las": "LAS", "la": "LA", "words_f1": "Words", "upos_f1": "UPOS", "xpos_f1": "XPOS",
    "features_f1": "UFeats", "tags_f1": "AllTags", "lemmas_f1": "Lemmas", "clas": "CLAS", "mlas": "MLAS",
    "blex": "BLEX", "tokens_f1": "Tokens", "sentences_f1": "Sentences", "elas": "ELAS", "eulas": "EULAS",
}  # fmt: skip


def expected_scores(found: Mapping[str, Counts]) -> dict[str, float | None]:
    made = {}
    for score, row in SCORES.items():
        correct, gold, system, _ = found[row]
        made[score] = ratio(2 * correct, gold + system)
        if row in ("UAS", "LAS", "LA"):
            made |= {f"{score}_precision": ratio(correct, system), f"{score}_recall": ratio(correct, gold)}
    return made


def expected_rows(found: Mapping[str, Counts], *names: str) -> dict[str, tuple[Any, ...]]:
    made = {}
    for name in names:
        correct, gold, system, both = found[name]
        made[name] = (
            ratio(correct, system), ratio(correct, gold), ratio(2 * correct, gold + system), ratio(correct, both),
            correct, gold, system, both,
        )  # fmt: skip
    return made
