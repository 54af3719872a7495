"""Words of the same text cut in two ways: which correspond, and what is right about them.

The cases by hand are those of the unit tests of conll18_ud_eval.py (Zeman et al. 2018); all else is compared with an
evaluator in plain Python that follows the definitions of the shared tasks of 2018 and of IWPT 2020.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treesql
from treesql import catalog
from treesql.errors import Incomparable
from treesql.readers import Options
from treesql.scoring import scores as scoring_scores
from treesql.scoring import statistics
from treesql.storage import in_memory, loading

PAIR = {"gold_corpus": "gold", "system_corpus": "system"}
METRICS = ("aligned_attachment", "tagging", "content_attachment", "segmentation", "enhanced_attachment")
SPACES = " \u00a0\u2003"


@dataclass
class Word:
    """A line of CoNLL-U; edges are heads and relations, `1.1` being an empty node."""

    form: str
    head: int
    deprel: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    edges: Sequence[tuple[str, str]] = ()


@dataclass
class Token:
    """A token of the text; a multiword one has other words than itself."""

    form: str
    words: Sequence[Word]
    multiword: bool = False


Sentence = Sequence[Token]


def conllu(*sentences: Sentence) -> str:
    """The sentences as a file; a sentence with an edge from 1.1 gets that empty node behind its first word."""
    lines = []
    for sentence in sentences:
        position = 0
        words = [word for token in sentence for word in token.words]
        empty = any(head == "1.1" for word in words for head, _ in word.edges)
        for token in sentence:
            if token.multiword:
                lines.append(f"{position + 1}-{position + len(token.words)}\t{token.form}" + 8 * "\t_")
            for w in token.words:
                position += 1
                deps = "|".join(f"{head}:{relation}" for head, relation in w.edges) or "_"
                row = (position, w.form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.deprel, deps, "_")
                lines.append("\t".join(map(str, row)))
                if position == 1 and empty:
                    lines.append("1.1\tempty" + 6 * "\t_" + "\t1:conj>nsubj\t_")
        lines.append("")
    return "".join(line + "\n" for line in lines)


def tokens(*entries: str) -> Sentence:
    """A sentence from entries such as `a` and, with the words of a multiword token behind it, `abc a b c`."""
    made = []
    for entry in entries:
        form, *parts = entry.split(" ")
        words = [Word(part, 1, "dep") for part in parts or [form]]
        made.append(Token(form, words, bool(parts)))
    made[0].words[0].head = 0
    return made


@contextmanager
def opened(folder: Path, **texts: Sequence[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with corpora of one or several files."""
    wanted = []
    for corpus, files in texts.items():
        paths = []
        for number, text in enumerate(files):
            path = folder / f"{corpus}{number or ''}.conllu"
            path.write_text(text, "utf-8")
            paths.append(str(path))
        wanted += loading.plan_loads(paths, corpus, None)
    connection, _ = in_memory.load_into_memory(wanted, Options())
    with connection:
        yield connection


def run(connection: duckdb.DuckDBPyConnection, name: str, **given: object) -> list[dict[str, Any]]:
    return statistics.run_query(connection, catalog.query(name), {**PAIR, **given}).to_pylist()  # type: ignore[no-any-return]


def scores(connection: duckdb.DuckDBPyConnection, *metrics: str, **given: object) -> dict[str, Any]:
    [row] = scoring_scores.score(connection, metrics, {**PAIR, **given}).rows()
    return row


def aligned(connection: duckdb.DuckDBPyConnection) -> set[tuple[int, int, int, int]]:
    rows = [tuple(row.values()) for row in run(connection, "aligned_words")]
    assert len(set(rows)) == len(rows)
    return set(rows)  # type: ignore[arg-type]


CASES = [
    (["abc a b c"], ["abc a b c"], 3),
    (["a", "b", "c"], ["a", "b", "c"], 3),
    (["a"], ["a"], 1),
    (["abc a b c"], ["a", "b", "c"], 3),
    (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
    (["abcd a b c d"], ["ab a b", "cd c d"], 4),
    (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
    (["abcd"], ["a", "b", "c", "d"], 0),
    (["abc", "d"], ["a", "b", "c", "d"], 1),
    (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
    (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
    (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
    (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
    (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
    (["ab x bcd", "cd"], ["a", "bcd"], 0),  # not theirs: a word that ends beyond the span is not inside
]


@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
@pytest.mark.parametrize(("gold", "system", "expected"), CASES)
def test_the_cases_of_the_scorer(
    tmp_path: Path, gold: list[str], system: list[str], expected: int, turned: bool
) -> None:
    """All of them hold with the sides exchanged."""
    if turned:
        gold, system = system, gold
    with opened(tmp_path, gold=[conllu(tokens(*gold))], system=[conllu(tokens(*system))]) as connection:
        pairs = run(connection, "aligned_word_pairs")
    n_gold, n_system = (sum(len(token.words) for token in tokens(*side)) for side in (gold, system))
    counts = [sum(row[count] for row in pairs) for count in ("gold_words", "system_words", "aligned_pairs")]
    assert counts == [n_gold, n_system, expected]
    assert len(pairs) == n_gold + n_system - expected


def test_forms_are_compared_in_lower_case_inside_multiword_tokens_alone(tmp_path: Path) -> None:
    gold, system = tokens("AB a B", "ÉÑ É Ñ", "c"), tokens("A", "B", "ÉÑ é ñ", "c")
    with opened(tmp_path, gold=[conllu(gold)], system=[conllu(system)]) as connection:
        assert len(aligned(connection)) == 5


def test_final_sigmas_and_dotted_capitals_are_lowered_as_python_does(tmp_path: Path) -> None:
    """A sigma that ends a word is another, and the dot of a Turkish capital stays."""
    gold, system = tokens("ΣΕΤΟΣ ΣΕ ΤΟΣ", "İYİ İ Yİ"), tokens("ΣΕΤΟΣ σε τος", "İYİ i yi")
    assert "ΤΟΣ".lower() == "τος"
    assert "İ".lower() != "i"
    with opened(tmp_path, gold=[conllu(gold)], system=[conllu(system)]) as connection:
        assert aligned(connection) == {(0, 1, 0, 1), (0, 2, 0, 2)}


def test_ties_are_the_scorers(tmp_path: Path) -> None:
    """Of two longest common subsequences that which a walk from the front finds, the gold word stepping first."""
    gold, system = tokens("xyz a b c"), tokens("xyz b a c")
    with opened(tmp_path, gold=[conllu(gold)], system=[conllu(system)]) as connection:
        assert {(g, s) for _, g, _, s in aligned(connection)} == {(2, 1), (3, 3)}
    with opened(tmp_path, gold=[conllu(system)], system=[conllu(gold)]) as connection:
        assert {(g, s) for _, g, _, s in aligned(connection)} == {(2, 1), (3, 3)}


def test_sentences_may_end_elsewhere(tmp_path: Path) -> None:
    """Words correspond and are scored across sentence ends; a head in another sentence is wrong."""
    gold = conllu(tokens("a", "b"), tokens("c", "de d e"), tokens("f"))
    system = conllu(tokens("a", "b", "c"), tokens("d", "e", "f"))
    with opened(tmp_path, gold=[gold], system=[system]) as connection:
        assert aligned(connection) == {
            (0, 1, 0, 1), (0, 2, 0, 2), (1, 1, 0, 3), (1, 2, 1, 1), (1, 3, 1, 2), (2, 1, 1, 3),
        }  # fmt: skip
        row = scores(connection, "aligned_attachment", "segmentation")
        assert row["uas"] == 2 / 6  # a and b; the heads of c and of d are roots on one side, that of e is c or d
        assert (row["sentences_f1"], row["tokens_f1"]) == (0, 2 * 4 / (5 + 6))


def test_the_same_word_at_a_sentence_end_belongs_to_the_sentence_in_which_it_begins(tmp_path: Path) -> None:
    """Words that only the system has are counted in the gold sentence of their first character."""
    gold, system = conllu(tokens("a", "bc"), tokens("d", "ef")), conllu(tokens("a", "b", "cd", "e", "f"))
    with opened(tmp_path, gold=[gold], system=[system]) as connection:
        rows = [row for row in run(connection, "aligned_word_pairs") if not row["gold_words"]]
        found = sorted((row["sentence"], row["system_word"], row["system_form"]) for row in rows)
        assert found == [(0, 2, "b"), (0, 3, "cd"), (1, 4, "e"), (1, 5, "f")]
        by = scoring_scores.score(connection, ["aligned_attachment"], PAIR, by="sentence").rows()
        assert [(row["sentence"], row["uas_precision"], row["uas_recall"]) for row in by] == [
            (0, 1 / 3, 1 / 2),
            (1, 0, 0),
        ]


# ---------------------------------------------------------------- texts that differ


@pytest.mark.parametrize(
    ("gold", "system", "line", "message"),
    [
        (["ab", "c"], ["ab"], 2, "the system's text has ended where the gold text has `c` ("),
        (["ab"], ["ab", "c"], 2, "`c` where the gold text has ended"),
        (["abc"], ["ab"], 1, "`ab` where the gold text has `abc` ("),
        (["ab"], ["abc"], 1, "`abc` where the gold text has `ab` ("),
        (["ab", "c", "d"], ["ab", "x", "d"], 2, "`x` where the gold text has `c` ("),
        (["a", "b", "|", "c", "d"], ["ab", "|", "cx", "d"], 1, "`abcxd` where the gold text has `abcd` ("),
        (["a", "b", "|", "c", "d"], ["ab", "|", "c", "x"], 4, "`x` where the gold text has `d` ("),
        (["ab a b", "|", "cd c d"], ["a", "b", "|", "cx c d"], 1, "`abcx` where the gold text has `abcd` ("),
        (["ab a b", "|", "e", "cd c d"], ["a", "b", "|", "e", "cx c d"], 5, "`cx` where the gold text has `cd` ("),
        (["ab", "|", "c"], ["ab"], 3, "the system's text has ended where the gold text has `c` ("),
        (["ab"], ["ab", "|", "c"], 3, "`c` where the gold text has ended"),
        (["ab"], ["aB"], 1, "`aB` where the gold text has `ab` ("),
        (["é"], ["e"], 1, "`e` where the gold text has `é` ("),
    ],
)
def test_differing_texts_are_refused_with_one_place(
    tmp_path: Path, gold: list[str], system: list[str], line: int, message: str
) -> None:
    texts = {}
    for name, entries in (("gold", gold), ("system", system)):
        sentences = " ~ ".join(entries).split(" ~ | ~ ")
        texts[name] = [conllu(*(tokens(*sentence.split(" ~ ")) for sentence in sentences))]
    with opened(tmp_path, **texts) as connection:
        [fault] = run(connection, "text_correspondence")
        assert message in fault["problem"]
        path = tmp_path / ("gold.conllu" if "system's text has ended" in message else "system.conllu")
        assert (fault["file"], fault["line"]) == (str(path), line)


@pytest.mark.parametrize("name", [*METRICS, "aligned_class_scores", "aligned_weighted_attachment", "conll18", "iwpt20"])
def test_all_that_align_refuse_differing_texts(tmp_path: Path, name: str) -> None:
    with opened(tmp_path, gold=[conllu(tokens("a", "b"))], system=[conllu(tokens("a", "c"))]) as connection:
        with pytest.raises(Incomparable, match=r"system.conllu:2: the texts part here: `c` where") as caught:
            statistics.run_query(connection, catalog.query(name), PAIR)
        assert (len(caught.value.faults), caught.value.more) == (1, 0)


def test_the_place_is_found_in_corpora_of_several_files(tmp_path: Path) -> None:
    gold = [conllu(tokens("a", "b")), conllu(tokens("c"), tokens("de d e")), conllu(tokens("f", "g"))]
    system = [conllu(tokens("ab", "c")), conllu(tokens("d", "e"), tokens("f", "x"))]
    with opened(tmp_path, gold=gold, system=system) as connection:
        [fault] = run(connection, "text_correspondence")
        assert (fault["file"], fault["line"]) == (str(tmp_path / "system1.conllu"), 5)
        assert f"`x` where the gold text has `g` ({tmp_path / 'gold2.conllu'}:2)" in fault["problem"]
    system[1] = conllu(tokens("d", "e"), tokens("f", "g"))
    with opened(tmp_path, gold=gold, system=system) as connection:
        assert run(connection, "text_correspondence") == []
        assert len(aligned(connection)) == 5  # all but a, b and the system's ab


def test_white_space_inside_forms_counts_for_nothing(tmp_path: Path) -> None:
    gold = conllu(tokens("10", "000", "€")).replace("€", "€\u00a0x")
    system = conllu(tokens("10000", "€x")).replace("10000", "10 000")
    with opened(tmp_path, gold=[gold], system=[system]) as connection:
        assert run(connection, "text_correspondence") == []
        assert {(g, s) for _, g, _, s in aligned(connection)} == {(3, 2)}
        assert scores(connection, "segmentation")["tokens_f1"] == 2 * 1 / (3 + 2)


def test_white_space_in_a_multiword_token_and_beside_one(tmp_path: Path) -> None:
    """A token's form loses it before it is compared with a word of a multiword token, whose own forms keep theirs."""
    gold = conllu(tokens("ab~c ab c")).replace("ab~c", "ab c")
    system = conllu(tokens("a~b", "c")).replace("a~b", "a\u00a0b")
    with opened(tmp_path, gold=[gold], system=[system]) as connection:
        assert run(connection, "text_correspondence") == []
        assert {(g, s) for _, g, _, s in aligned(connection)} == {(1, 1), (2, 2)}
    gold = conllu(tokens("abc a~b c")).replace("a~b", "a b")
    with opened(tmp_path, gold=[gold], system=[system]) as connection:
        assert {(g, s) for _, g, _, s in aligned(connection)} == {(2, 2)}


@pytest.mark.parametrize("name", ["aligned_attachment", "tagging", "content_attachment"])
def test_an_unparsed_gold_corpus_is_refused(tmp_path: Path, name: str) -> None:
    unparsed = conllu(tokens("a"), tokens("b", "c")).replace("\t0\tdep", "\t_\t_").replace("\t1\tdep", "\t_\t_")
    parsed = conllu(tokens("a"), tokens("bc b c"))
    with opened(tmp_path, gold=[unparsed], system=[parsed]) as connection:
        with pytest.raises(Incomparable, match=r"gold.conllu:1: this gold sentence is not parsed"):
            scores(connection, name)
        with pytest.raises(Incomparable, match="is not parsed"):
            statistics.run_statistic(connection, "conll18", PAIR)
    with opened(tmp_path, gold=[parsed], system=[unparsed]) as connection:  # such a system has no head right
        assert scores(connection, "aligned_attachment")["uas"] == 0


# ---------------------------------------------------------------- against an evaluator in plain Python

# Of those words that the random corpora have.
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


RELATIONS = ("nsubj", "nsubj:pass", "det", "det:poss", "case", "punct", "root", "obj", "dep", "mwe")
PATHS = ("nsubj", "nsubj:pass", "conj:and>nsubj", "conj:or>nsubj:pass", "conj>nsubj", "obj>conj:or")
FEATS = ("_", "Number=Sing", "Number=Plur", "Foo=Bar|Number=Sing", "Foo=Baz", "Number=Plur|Typo=Yes", "Gender=Fem")


@st.composite
def cut_twice(draw: st.DrawFn) -> tuple[list[Sentence], list[Sentence]]:
    """Gold and system sentences over one text, whose cuts, forms and trees are often the same."""
    chance = draw(st.randoms(use_true_random=False))
    text = draw(st.text("aAbBé", min_size=1, max_size=40))
    ends = {at: chance.choice(["token", "token", "sentence", ""]) for at in range(1, len(text))}
    split = {at: chance.random() < 0.4 for at in range(len(text))}
    return one_side(chance, text, ends, split), one_side(chance, text, ends, split)


def one_side(chance: random.Random, text: str, ends: Mapping[int, str], split: Mapping[int, bool]) -> list[Sentence]:
    sentences: list[list[Token]] = [[]]
    begin = 0
    for end in range(1, len(text) + 1):
        kind = ends.get(end, "token")
        if chance.random() < 0.2:
            kind = chance.choice(["token", "sentence", ""])
        if not kind and end < len(text):
            continue
        sentences[-1].append(one_token(chance, text[begin:end], split[begin] != (chance.random() < 0.2)))
        begin = end
        if kind == "sentence" and end < len(text):
            sentences.append([])
    for sentence in sentences:
        attach(chance, [word for token in sentence for word in token.words])
    return sentences  # type: ignore[return-value]


def one_token(chance: random.Random, text: str, multiword: bool) -> Token:
    forms = [text]
    if multiword:
        forms = list(text) if chance.random() < 0.6 else [chance.choice("abBx") for _ in range(chance.randint(2, 4))]
    if len(text) > 1 and chance.random() < 0.2:
        text = text[0] + chance.choice(SPACES) + text[1:]
    if multiword and len(forms) > 1:
        return Token(text, [described(chance, form) for form in forms], True)
    return Token(text, [described(chance, text)])


def described(chance: random.Random, form: str) -> Word:
    def often_first(*values: str) -> str:
        return values[0] if chance.random() < 0.6 else chance.choice(values)

    return Word(
        form, 0, often_first(*RELATIONS), often_first("l", "m", "_"), often_first("X", "NOUN", "_"),
        often_first("x", "y", "_"), often_first(*FEATS),
    )  # fmt: skip


def attach(chance: random.Random, words: Sequence[Word]) -> None:
    """A tree or several, and edges, one of them often that of the tree."""
    order = list(range(len(words)))
    if chance.random() < 0.3:
        chance.shuffle(order)
    for rank, at in enumerate(order):
        if rank and chance.random() < 0.9:
            words[at].head = order[0 if chance.random() < 0.6 else chance.randrange(rank)] + 1
        heads = {chance.choice(["0", "1", "1", "1.1", str(words[at].head)]) for _ in range(chance.randint(0, 2))}
        edges = {(head, chance.choice(PATHS)) for head in heads for _ in range(2) if head != str(at + 1)}
        words[at].edges = sorted(edges, key=lambda edge: (float(edge[0]), edge[1]))


@pytest.mark.slow
@given(cut_twice())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_against_an_evaluator_in_plain_python(
    tmp_path_factory: pytest.TempPathFactory, sides: tuple[list[Sentence], list[Sentence]]
) -> None:
    gold, system = map(Side, sides)
    pairs = {(g.sentence, g.position, s.sentence, s.position) for g, s in correspondences(gold, system)}
    found = evaluated(gold, system)
    texts = {"gold": [conllu(*gold.sentences)], "system": [conllu(*system.sentences)]}
    with opened(tmp_path_factory.getbasetemp(), **texts) as connection:
        assert aligned(connection) == pairs
        row = scores(connection, *METRICS)
        assert {name: row[name] for name in row if name in expected_scores(found)} == expected_scores(found)
        tables = [*run(connection, "conll18"), *run(connection, "iwpt20")]
    rows = {row.pop("metric"): tuple(row.values()) for row in tables}
    assert rows == expected_rows(found, *rows)
    assert len(rows) == 15


def test_function_words_that_the_system_alone_has_spoil_mlas(tmp_path: Path) -> None:
    gold, system = tokens("a", "b"), tokens("a", "b")
    gold[1].words[0].deprel, system[1].words[0].deprel = "nsubj", "det"
    with opened(tmp_path, gold=[conllu(gold)], system=[conllu(system)]) as connection:
        assert scores(connection, "content_attachment") == {"clas": 2 / 3, "mlas": 0, "blex": 2 / 3}


def test_edges_from_and_to_empty_nodes_are_left_out(tmp_path: Path) -> None:
    sentence = tokens("a", "b")
    sentence[0].words[0].edges = [("0", "root")]
    sentence[1].words[0].edges = [("1", "conj:and"), ("1", "nsubj"), ("1.1", "nsubj")]
    other = tokens("a", "b")
    other[0].words[0].edges = [("0", "root")]
    other[1].words[0].edges = [("1", "conj:or"), ("1", "nsubj:pass")]
    with opened(tmp_path, gold=[conllu(sentence)], system=[conllu(other)]) as connection:
        row = scores(connection, "enhanced_attachment")
        assert row == {"elas": 2 * 1 / (3 + 3), "eulas": 1}


def test_the_evaluator_agrees_with_the_cases() -> None:
    """The oracle is tested as well."""
    for gold, system, expected in CASES:
        assert len(correspondences(Side([tokens(*gold)]), Side([tokens(*system)]))) == expected


def test_a_database_gives_the_same(tmp_path: Path) -> None:
    """Loaded, where all spans are stored, as for files."""
    texts = {"gold": conllu(tokens("a", "bc b c"), tokens("d")), "system": conllu(tokens("a", "b", "cd"))}
    with treesql.connect() as db, opened(tmp_path, **{name: [text] for name, text in texts.items()}) as connection:
        for name in texts:
            db.load(tmp_path / f"{name}.conllu", corpus=name)
        assert aligned(db.connection) == aligned(connection) != set()
        assert scores(db.connection, *METRICS) == scores(connection, *METRICS)
