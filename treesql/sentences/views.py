"""Drawings from the rows of a sentence: its trees, its enhanced graph, a comparison with a parser's trees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from treesql.drawing import constituents, dependencies
from treesql.drawing.arcs import Arc
from treesql.drawing.grids import AlignmentGrid
from treesql.drawing.lattices import DrawnEdge, Lattice
from treesql.drawing.pairs import Link, TreePair
from treesql.drawing.svg import SYSTEM_SIGNS, Drawing
from treesql.errors import UsageError
from treesql.sentences.sentence_names import SentenceRows

HEAD = "HD"
"""The function of heads in treebanks that mark them, such as NEGRA and TIGER."""

_FUNCTION = re.compile(r"Function=([^|]+)")
_INDEX_OF_PHRASE, _INDEX_OF_TRACE = re.compile(r"-([0-9]+)(?:=|$)"), re.compile(r"-([0-9]+)$")

Captioned = list[tuple[str, Drawing]]
"""Drawings from top to bottom, each with its caption, or ``."""

LEGEND_OF_PHRASES = "✗ not in the other tree"
"""Legend of a comparison of phrases as text."""

LEGEND = f"{LEGEND_OF_PHRASES}   ≠ another relation there"
"""Legend of a comparison of dependency trees as text."""

LEGEND_OF_LINKS = "↓ linked to these words of the other sentence   ? not surely"
"""Legend of an aligned sentence as text."""

LEGEND_OF_LINES = "Dotted lines and ?: links that are not sure."
"""Legend of a picture of aligned sentences."""

LEGENDS_OF_GRID = "■ sure   □ possible", "Boxes: sure links. Dotted circles: possible ones."
"""Legends of a grid, as text and as a picture."""

LEGENDS_OF_COMPARED_GRID = (
    "■ sure, found   ○ sure, missed   ▣ possible, found   □ possible, not found   ✗ wrong",
    "Boxes: sure links; dashed: missed by the system. Dotted circles: possible links. Dots: found by the system. "
    "Crosses: wrong.",
)
"""Legends of a grid with a system's links, as text and as a picture."""

LEGEND_OF_LATTICE = (
    "Bars run from node to node. First line: the path with the fewest edits to a reference, dashed where the best "
    "path, below it in red, differs."
)
"""Legend of a picture of a lattice."""

_WHERE_MISSED, _OF_WRONG = ", dashed and violet where it misses it", "Below, red: the system's, wrong."

LEGEND_OF_COLOURS = f"Above: gold; grey where the system agrees{_WHERE_MISSED}. {_OF_WRONG}"
"""Legend of a picture of a comparison of trees."""

LEGEND_OF_LABELS = "≠:\N{NO-BREAK SPACE}right place, another label."
"""Further legend of one with such places."""

LEGEND_OF_SUBTYPES = "~:\N{NO-BREAK SPACE}another subtype, which counts as the same."
"""Further legend of one with such relations."""

_OF_BOTH, _OF_UPPER, _OF_LOWER, _OF_OTHERS = (
    "Grey: in both.",
    "Dashed and violet: only in the one above.",
    "Red: only in the one below.",
    "≠:\N{NO-BREAK SPACE}another label there.",
)

LEGEND_OF_BOTH = f"{_OF_BOTH} {_OF_UPPER} {_OF_LOWER} {_OF_OTHERS} {LEGEND_OF_SUBTYPES}"
"""Legend of a picture of two trees, which names neither: either may be the gold one."""

NO_DIFFERENCES = "No differences."
"""Legend of one without any mark."""

_MISSED, _WRONG = '<g class="missed"', '<g class="wrong"'

_MARKS = {
    _WHERE_MISSED: _MISSED,
    _OF_WRONG: _WRONG,
    LEGEND_OF_LABELS: "≠",
    LEGEND_OF_SUBTYPES: "<text[^>]*>[^<]* ~ ",
    LEGEND_OF_LINES: 'class="[^"]*dotted"',
    _OF_UPPER: _MISSED,
    _OF_LOWER: _WRONG,
    _OF_OTHERS: "≠",
}
"""Parts of legends, each with the pattern of what pictures for pages have where its mark occurs."""


def legend_of_pictures(legend: str, pictures: str) -> str:
    """Return a legend without the marks that pictures for a page lack."""
    for part, mark in _MARKS.items():
        if part in legend and re.search(mark, pictures) is None:
            legend = legend.replace(part, "")
    legend = re.sub(" +", " ", legend.strip())
    return NO_DIFFERENCES if legend == _OF_BOTH else legend


def draw_trees(
    sentence: SentenceRows, enhanced: bool, highlights: Mapping[int, str], marks: Mapping[int, str]
) -> Captioned:
    """Return drawings of a sentence's trees. Raises UsageError if it has none."""
    drawings: Captioned = []
    if sentence.parsed or (enhanced and sentence.enhanced_edges):
        drawings.append(
            ("", _enhanced_tree(sentence, highlights, marks) if enhanced else _tree(sentence, highlights, marks))
        )
    if enhanced and not sentence.enhanced_edges:
        raise UsageError(f"{sentence.place} has no enhanced dependencies (column DEPS); draw it without --enhanced")
    if sentence.constituents:
        drawings.append(("", _phrase_tree(sentence, highlights, {})))
    if sentence.lattice_edges:
        drawings.append(("", _lattice(sentence)))
    if not drawings:
        raise UsageError(f"{sentence.place} has no tree to draw: its words have no heads, and no phrases above them")
    return drawings


def draw_comparison(
    gold: SentenceRows, system: SentenceRows, relations: str, highlights: Mapping[int, str]
) -> Captioned:
    """Return drawings of a sentence's trees and those of a parser, with the differences marked.

    Words tagged -NONE- are left out, as in EVALB. Raises UsageError if there is nothing to compare.
    """
    gold, system = without_traces(gold), without_traces(system)
    if character_offset(gold, system) is None:
        raise UsageError(
            f"{gold.place} and {system.place} are not of the same text: {_excerpts(gold.surface, system.surface)}; "
            "name an output for the same text"
        )
    drawings: Captioned = []
    if gold.parsed and system.parsed:
        drawings.append(
            (f"above: {gold.corpus}, below: {system.corpus}", _compared_tree(gold, system, relations, highlights))
        )
    if gold.constituents and system.constituents:
        missed, wrong = _unmatched(gold, system), _unmatched(system, gold)
        trees = (
            _phrase_tree(gold, highlights, dict.fromkeys(missed, "missed")),
            _phrase_tree(system, {}, dict.fromkeys(wrong, "wrong")),
        )
        if trees[0].forms == trees[1].forms:
            compared = constituents.ComparedPhrases(gold.corpus, {system.corpus: trees})
            drawings.append((f"above: {gold.corpus}, below: {system.corpus}", compared))
        else:
            drawings += zip((gold.corpus, system.corpus), trees, strict=True)
    if not drawings:
        raise UsageError(f"{gold.place} and {system.place} have no trees of one kind, so there is nothing to compare")
    return drawings


def combine(drawn: Mapping[str, Captioned], gold: str, signs: str = SYSTEM_SIGNS) -> list[tuple[str, Captioned]]:
    """Return the comparisons of a sentence with systems in one drawing, else one each, with what it shows of whom.

    gold: the name of the corpus that they are compared with; signs: of the systems, in their order.
    """
    alone = [(system, drawings) for system, drawings in drawn.items()]
    drawings = {system: parts[0][1] for system, parts in drawn.items() if len(parts) == 1}
    if len(drawn) < 2 or len(drawings) < len(drawn) or len(drawn) > len(signs):
        return alone
    named = ", ".join(f"{sign}\u00a0{system}" for sign, system in zip(signs, drawn, strict=False))
    caption = f"above: {gold}, below: {named}"
    trees = {system: tree for system, tree in drawings.items() if isinstance(tree, dependencies.Tree)}
    phrases = {system: tree for system, tree in drawings.items() if isinstance(tree, constituents.ComparedPhrases)}
    if len(trees) == len(drawn):
        return [(caption, [("", dependencies.ComparedTrees(trees, signs))])]
    if len(phrases) == len(drawn):
        compared = {system: pair for system, tree in phrases.items() for pair in tree.trees.values()}
        return [(caption, [("", constituents.ComparedPhrases(gold, compared, signs))])]
    return alone


def draw_pair(
    sentence: SentenceRows,
    other: SentenceRows,
    links: tuple[Link, ...],
    highlights: Mapping[int, str],
    marks: Mapping[int, str],
) -> Captioned:
    """Return a drawing of the dependency trees of a sentence and its translation, or of words without trees."""
    trees = _tree(sentence, highlights, marks), _tree(other, {}, {})
    return [(f"above: {sentence.corpus}, below: {other.corpus}", TreePair(*trees, links))]


def draw_grid(
    sentence: SentenceRows, other: SentenceRows, links: Sequence[Link], system: Sequence[Link] | None
) -> Captioned:
    """Return the links between a sentence and its translation as a grid, compared with a system's links if given."""
    source, target = ([word["form"] for word in side.words] for side in (sentence, other))
    return [(f"rows: {sentence.corpus}, columns: {other.corpus}", AlignmentGrid(source, target, links, system))]


def character_offset(gold: SentenceRows, system: SentenceRows) -> int | None:
    """Return the number of characters of a parser's sentence before the gold one's; None if the characters differ.

    A parser of raw text splits sentences itself, and the gold one may be a part of its sentence.
    """
    written, output = without_traces(gold).surface, without_traces(system).surface
    if written == output:
        return 0
    begins = [min((word["span_start"] or 0 for word in side.words), default=0) for side in (gold, system)]
    before = begins[0] - begins[1]
    return before if before >= 0 and output[before : before + len(written)] == written else None


def without_traces(sentence: SentenceRows) -> SentenceRows:
    """Return a sentence without traces (words tagged -NONE-), and without phrases that have no other words."""
    if not any(word["xpos"] == "-NONE-" for word in sentence.words) or sentence.parsed:
        return sentence
    parents = {node["node"]: node["parent"] for node in sentence.constituents}
    words = [word for word in sentence.words if word["xpos"] != "-NONE-"]
    kept: set[int] = set()
    for word in words:
        node = word["phrase"]
        while node is not None and node not in kept:
            kept.add(node)
            node = parents[node]
    numbers = {node: number for number, node in enumerate(sorted(kept), 1)}
    return replace(
        sentence,
        words=tuple({**word, "word": at, "phrase": numbers.get(word["phrase"])} for at, word in enumerate(words, 1)),
        constituents=tuple(
            {**node, "node": numbers[node["node"]], "parent": numbers.get(node["parent"])}
            for node in sentence.constituents
            if node["node"] in kept
        ),
    )


def in_order_of(sentence: SentenceRows, other: SentenceRows) -> SentenceRows | None:
    """Return a sentence with its words in the order of another one; None where they are not the same, each once.

    The leaves of a Newick tree have no order, and its phrases may have gaps in that of another tree.
    """
    words = {word["form"]: word for word in sentence.words}
    forms = [word["form"] for word in other.words]
    if len(words) < len(sentence.words) or len(forms) != len(words) or words.keys() != set(forms):
        return None
    return replace(sentence, words=tuple({**words[form], "word": at} for at, form in enumerate(forms, 1)))


def _lattice(sentence: SentenceRows) -> Lattice:
    edges = [
        DrawnEdge(row["edge"], row["from_node"], row["to_node"], row["edge_words"]) for row in sentence.lattice_edges
    ]
    return Lattice(1 + max(edge.to_node for edge in edges), edges)


def _tree(
    sentence: SentenceRows, highlights: Mapping[int, str], marks: Mapping[int, str], below: Sequence[Arc] = ()
) -> dependencies.Tree:
    words = sentence.words
    return dependencies.Tree(
        [word["form"] for word in words],
        [word["head"] for word in words],
        [word["deprel"] for word in words],
        [word["upos"] for word in words],
        highlights,
        marks,
        below,
        [(token["first"], token["last"], token["form"]) for token in sentence.tokens],
        notes={word["word"]: _note(word) for word in words},
    )


def _enhanced_tree(
    sentence: SentenceRows, highlights: Mapping[int, str], marks: Mapping[int, str]
) -> dependencies.Tree:
    """Return a tree with the enhanced graph below, empty nodes among the words, and its additional edges marked."""
    nodes = [((word["word"], 0), word) for word in sentence.words]
    nodes += [((node["word"], node["index"]), node) for node in sentence.empty_nodes]
    nodes.sort(key=lambda item: item[0])
    at = {key: place for place, (key, _) in enumerate(nodes, 1)} | {(0, 0): 0}
    basic = {(word["head"], word["word"], word["deprel"]) for word in sentence.words}
    below = []
    for edge in sentence.enhanced_edges:
        head, dependent = (edge["head"], edge["head_index"]), (edge["dependent"], edge["dependent_index"])
        plain = not (head[1] or dependent[1]) and (head[0], dependent[0], edge["deprel"]) in basic
        below.append(Arc(at[head], at[dependent], edge["deprel"], "" if plain else "enhanced"))
    heads = [node.get("head") for _, node in nodes]
    return dependencies.Tree(
        [node["form"] or "_" for _, node in nodes],
        [None if head is None else at[head, 0] for head in heads],
        [node.get("deprel") for _, node in nodes],
        [node["upos"] for _, node in nodes],
        {at[word, 0]: name for word, name in highlights.items()},
        {at[word, 0]: mark for word, mark in marks.items()},
        below,
        [(at[token["first"], 0], at[token["last"], 0], token["form"]) for token in sentence.tokens],
        [place for place, (key, _) in enumerate(nodes, 1) if key[1]],
        {place: _note(node) for place, (_, node) in enumerate(nodes, 1)},
    )


def _phrase_tree(sentence: SentenceRows, words: Mapping[int, str], marks: Mapping[int, str]) -> constituents.PhraseTree:
    functions = [_function(word["misc"]) for word in sentence.words]
    heads = {head["child_node"] for head in sentence.heads}, {head["child_word"] for head in sentence.heads}
    if not sentence.heads:
        heads = _marked_heads([node["functions"] for node in sentence.constituents]), _marked_heads(functions)
    return constituents.PhraseTree(
        [word["form"] for word in sentence.words],
        [(node["label"] or "") + (node["functions"] or "") for node in sentence.constituents],
        [node["parent"] for node in sentence.constituents],
        [word["phrase"] for word in sentence.words],
        [word["xpos"] for word in sentence.words],
        words=words,
        marks=marks,
        functions=functions,
        traces=_antecedents(sentence),
        heads=(heads[0] - {None}, heads[1] - {None}),
    )


def _marked_heads(functions: Sequence[str | None]) -> set[int | None]:
    """Return the places, from 1, that treebanks mark as heads."""
    return {at for at, function in enumerate(functions, 1) if HEAD in (function or "").split("-")}


def _function(misc: str | None) -> str | None:
    """Return the function of a word in a constituency tree."""
    match = _FUNCTION.match(misc or "")
    return match[1] if match else None


def _antecedents(sentence: SentenceRows) -> dict[int, int]:
    """Return by trace (a word tagged -NONE-) the phrase with its index, the first if there are several."""
    nodes: dict[str, int] = {}
    for node in sentence.constituents:
        match = _INDEX_OF_PHRASE.search(node["functions"] or "")
        if match:
            nodes.setdefault(match[1], node["node"])
    traces = [
        (word["word"], _INDEX_OF_TRACE.search(word["form"])) for word in sentence.words if word["xpos"] == "-NONE-"
    ]
    return {word: nodes[match[1]] for word, match in traces if match and match[1] in nodes}


def _compared_tree(
    gold: SentenceRows, system: SentenceRows, relations: str, highlights: Mapping[int, str]
) -> dependencies.Tree | TreePair:
    """Return one line of words with arcs on both sides, or two lines with links if the words differ."""
    links = _links(gold, system)
    same = {first: second for first, second, exact in links if exact}
    there = {second: first for first, second in same.items()}
    gold_marks = _marks(gold, system, same, relations, "missed")
    marks = _marks(system, gold, there, relations, "wrong")
    shared = {second for _, second, _ in links}
    marks = {at: mark for at, mark in marks.items() if at in shared}
    if [word["form"] for word in gold.words] == [word["form"] for word in system.words]:
        below = [
            Arc(word["head"], word["word"], word["deprel"] or "_", marks.get(word["word"], ""))
            for word in system.words
            if word["head"] is not None
        ]
        return _tree(gold, highlights, gold_marks, below)
    linked = [Link(first, second, "" if exact else "wrong") for first, second, exact in links]
    return TreePair(_tree(gold, highlights, gold_marks), _tree(system, {}, marks), linked)


def _marks(
    sentence: SentenceRows, other: SentenceRows, counterparts: Mapping[int, int], relations: str, absent: str
) -> dict[int, str]:
    """Return marks for the words whose edge the other sentence lacks, or has under another relation."""
    relation = "udeprel" if relations == "universal" else "deprel"
    marks = {}
    for word in sentence.words:
        counterpart = counterparts.get(word["word"])
        edge = other.words[counterpart - 1] if counterpart is not None else None
        if edge is None or counterparts.get(word["head"], word["head"] or None) != (edge["head"] or None):
            marks[word["word"]] = absent
        elif (word[relation] or "_") != (edge[relation] or "_"):
            marks[word["word"]] = "mislabelled"
    return marks


def _links(gold: SentenceRows, system: SentenceRows) -> list[tuple[int, int, bool]]:
    """Return pairs of words that share characters, and whether they are the same word.

    Words of the same characters are the same; the words of a multiword token share all of its characters, and are
    paired in order.
    """
    links = []
    spans = [_spans(gold, 0), _spans(system, character_offset(gold, system) or 0)]
    for span, firsts in spans[0].items():
        others = spans[1].get(span, [])
        links += [(first, second, True) for first, second in zip(firsts, others, strict=False)]
        if not others:
            links += [
                (first, second, False)
                for other, seconds in spans[1].items()
                if other[0] < span[1] and span[0] < other[1] and other not in spans[0]
                for first in firsts
                for second in seconds
            ]
    return links


def _spans(sentence: SentenceRows, before: int) -> dict[tuple[int, int], list[int]]:
    """Return the words of every span of characters, counted from the gold sentence's first, `before` characters on."""
    spans: dict[tuple[int, int], list[int]] = {}
    begin = before + min((word["span_start"] for word in sentence.words), default=0)
    for word in sentence.words:
        spans.setdefault((word["span_start"] - begin, word["span_end"] - begin), []).append(word["word"])
    return spans


def _unmatched(sentence: SentenceRows, other: SentenceRows) -> list[int]:
    """Return the phrases that the other sentence lacks, compared by label and words, not by functions."""
    other_brackets = Counter(_brackets(other).values())
    unmatched = []
    for node, bracket in _brackets(sentence).items():
        if other_brackets[bracket]:
            other_brackets[bracket] -= 1
        else:
            unmatched.append(node)
    return unmatched


def _brackets(sentence: SentenceRows) -> dict[int, tuple[str | None, tuple[int, ...]]]:
    """Return the label and the words of every phrase."""
    parents = {node["node"]: node["parent"] for node in sentence.constituents}
    words: dict[int, list[int]] = {node: [] for node in parents}
    for word in sentence.words:
        node = word["phrase"]
        while node is not None:
            words[node].append(word["word"])
            node = parents[node]
    return {node["node"]: (node["label"], tuple(words[node["node"]])) for node in sentence.constituents}


def _note(word: Mapping[str, Any]) -> str:
    """Return the text shown when the pointer is on a word, whose universal tag stands below it."""
    return "\n".join(str(word[name]) for name in ("lemma", "xpos", "feats") if word.get(name))


def _excerpts(gold: str, system: str) -> str:
    """Return the surroundings of the first difference of two texts."""
    at = next((at for at, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b), min(len(gold), len(system)))
    begin = max(at - 10, 0)
    return f"{gold[begin : at + 10]!r} against {system[begin : at + 10]!r}"
