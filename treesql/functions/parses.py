"""SQL functions that compare parses word by word, with the rules of EVALB: brackets, lineages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from treesql.functions.arrays import (
    check_range,
    check_tree,
    constant_choice,
    constant_lists,
    explain_faults,
    fields_of_struct,
    integer_array,
    list_array,
    to_arrow,
    to_numpy,
)  # fmt: skip
from treesql.functions.function import Function
from treesql.kernels.arrays import Keys

if TYPE_CHECKING:
    from treesql.kernels.trees.compared_words import ParsedTrees
    from treesql.kernels.trees.parseval import BracketCounts

PARSE = "STRUCT(parents INTEGER[], labels INTEGER[], phrases INTEGER[], tags INTEGER[], forms UBIGINT[])"
"""A tree with numbered labels, as the table constituent_lists has it."""

LABELS = "STRUCT(classes INTEGER[], kinds UTINYINT[])"
"""Classes and kinds of the labels of a corpus, by their numbers: see label_lists."""

CLASSES = "STRUCT(members UBIGINT[], representatives UBIGINT[])"
"""Classes of words: their members, and the word that replaces each."""

QUOTES = b"'\"/"
"""The words whose tags EVALB takes for mistaken (QUOTE_LABEL)."""

COUNTS = ("length", "outcome", "matched", "gold", "test", "crossing", "tags", "correct_tags")
BRACKET = ("label", "first", "last", "gold", "test", "crossing", "gaps", "height")
LINEAGES = ("outcome", "words", "similarity")
MATCHED = ("side", "node", "word", "label", "first", "last", "gaps", "key")


def compared_brackets(*parses: pa.ChunkedArray) -> pa.Array:
    """EVALB's counts for every pair of trees, and their brackets. parses: the columns of `COMPARED`."""
    from treesql.kernels.trees import parseval

    compared = _compared(parseval.compare_brackets, *parses)
    columns = (compared.labels, *compared.spans.T, *compared.numbers.T, compared.gaps, compared.heights)
    parts = [integer_array(column) for column in columns]
    brackets = list_array(pa.StructArray.from_arrays(parts, names=list(BRACKET)), compared.offsets)
    return pa.StructArray.from_arrays([*_counts(compared), brackets], names=[*COUNTS, "brackets"])


def bracket_counts(*parses: pa.ChunkedArray) -> pa.Array:
    """EVALB's counts for every pair of trees alone. parses: the columns of `COMPARED`."""
    from treesql.kernels.trees import parseval

    return pa.StructArray.from_arrays(_counts(_compared(parseval.compare_brackets, *parses)), names=list(COUNTS))


def _counts(compared: BracketCounts) -> list[pa.Array]:
    return [to_arrow(column) for column in compared.counts.T]


def compared_lineages(*columns: pa.ChunkedArray) -> pa.Array:
    """For every pair of trees how many words they have that count, and how similar the labels above each are.

    columns: those of `COMPARED`.
    """
    from treesql.kernels.trees import matched_nodes

    compared = _compared(matched_nodes.compare_lineages, *columns)
    return pa.StructArray.from_arrays([to_arrow(column) for column in compared], names=list(LINEAGES))


def matched_nodes(*columns: pa.ChunkedArray) -> pa.Array:
    """The phrases and words that the trees of every pair share. columns: those of `COMPARED`."""
    from treesql.kernels.trees import matched_nodes

    matched = _compared(matched_nodes.match_nodes, *columns)
    parts = [*(integer_array(column.astype(np.int32)) for column in matched.places.T), to_arrow(matched.keys)]
    return list_array(pa.StructArray.from_arrays(parts, names=list(MATCHED)), matched.offsets)


def _compared(
    compare: Callable[..., Any],
    gold: pa.ChunkedArray,
    test: pa.ChunkedArray,
    gold_labels: pa.ChunkedArray,
    test_labels: pa.ChunkedArray,
    words: pa.ChunkedArray,
    labelled: pa.ChunkedArray,
    by_gold: pa.ChunkedArray,
) -> Any:
    """What a kernel finds for every pair of trees: parseval.compare_brackets, or one with its parameters."""
    from treesql.kernels import keys
    from treesql.kernels.trees import compared_words

    members, representatives = constant_lists(words, members=np.uint64, representatives=np.uint64)
    if len(members) != len(representatives):
        raise ValueError(f"{len(members)} members of classes of words have {len(representatives)} representatives")
    gold_classes, test_classes = (
        compared_words.LabelClasses(*constant_lists(side, classes=np.int32, kinds=np.uint8))
        for side in (gold_labels, test_labels)
    )
    for label_classes in (gold_classes, test_classes):
        if len(label_classes.classes) != len(label_classes.kinds):
            raise ValueError(f"{len(label_classes.classes)} classes of labels have {len(label_classes.kinds)} kinds")
    gold_trees, test_trees = (_parses(side, members, representatives) for side in (gold, test))
    quotes = keys.hash_pieces(np.frombuffer(QUOTES, np.uint8), np.arange(len(QUOTES)), np.ones(len(QUOTES), np.int64))
    by_label, by_gold_tags = (constant_choice(choice, (False, True)) == 1 for choice in (labelled, by_gold))
    with explain_faults(
        partial(_check_parses, gold_trees, len(gold_classes.kinds)),
        partial(_check_parses, test_trees, len(test_classes.kinds)),
    ):
        return compare(gold_trees, test_trees, gold_classes, test_classes, quotes, by_label, by_gold_tags)


def _parses(column: pa.ChunkedArray, members: Keys, representatives: Keys) -> ParsedTrees:
    """The trees of one side, words of classes replaced."""
    from treesql.kernels.trees.compared_words import ParsedTrees

    node_offsets, (parents, labels) = fields_of_struct(column, "parents", "labels")
    word_offsets, (phrases, tags, words) = fields_of_struct(column, "phrases", "tags", "forms")
    forms = to_numpy(words, np.uint64)
    if len(members):
        order = np.argsort(members)
        place = np.minimum(np.searchsorted(members, forms, sorter=order), len(members) - 1)
        candidates = order[place]
        forms = np.where(members[candidates] == forms, representatives[candidates], forms)
    return ParsedTrees(
        node_offsets, to_numpy(parents, np.int32), to_numpy(labels, np.int32),
        word_offsets, to_numpy(phrases, np.int32), to_numpy(tags, np.int32), forms,
    )  # fmt: skip


def _check_parses(side: ParsedTrees, n_labels: int) -> None:
    """n_labels: how many numbers labels and tags have."""
    check_tree(side.parents, side.node_offsets, side.phrases, side.word_offsets)
    what = "labels and tags of a tree must be numbers of labels"
    check_range(what, side.labels, 1, n_labels, side.node_offsets)
    check_range(what, side.tags, 1, n_labels, side.word_offsets)


COMPARED = (
    ("gold", PARSE),
    ("test", PARSE),
    ("gold_labels", LABELS),
    ("test_labels", LABELS),
    ("words", CLASSES),
    ("labelled", "BOOLEAN"),
    ("by_gold", "BOOLEAN"),
)
"""Parameters of functions that compare parses."""

_CONTINUOUS, _WITH_A_GAP = (
    f"{{parents: [0, 1], labels: [1, 2], phrases: {phrases}, tags: [3, 3, 3], forms: [4, 5, 6]}}"
    for phrases in ("[2, 2, 1]", "[2, 1, 2]")
)
_CONSTANT = ("{classes: [1, 2, 3], kinds: [0, 0, 0]}",) * 2 + (
    "{members: []::UBIGINT[], representatives: []::UBIGINT[]}",
    "true",
    "false",
)
_EXAMPLES = ((_CONTINUOUS, _CONTINUOUS, *_CONSTANT), (_CONTINUOUS, _WITH_A_GAP, *_CONSTANT))

FUNCTIONS = (
    Function(
        "compared_brackets",
        "what EVALB counts of two trees. `brackets` has every distinct bracket, after one of zeros for the sentence, "
        "with how often the gold tree and the test tree have it and how often it crosses gold brackets in the test "
        "tree; the other fields are sums. `outcome` is 0, 1 where the words that are compared differ, 2 where the "
        "test tree has none. `gold_labels`, `test_labels`, `words` and `labelled` must be the same in all rows; a "
        "tree that is NULL counts as empty",
        COMPARED,
        f"STRUCT({', '.join(f'{name} BIGINT' for name in COUNTS)}, brackets STRUCT("
        f"{', '.join(f'{name} INTEGER' for name in BRACKET)})[])",
        compared_brackets,
        _EXAMPLES,
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "bracket_counts",
        "the counts of `compared_brackets` alone, without `brackets`; arguments as for it",
        COMPARED,
        f"STRUCT({', '.join(f'{name} BIGINT' for name in COUNTS)})",
        bracket_counts,
        _EXAMPLES,
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "compared_lineages",
        "how similar the labels above each word are in two trees: `words` is the number of words that count, "
        "`similarity` the sum of their similarities from 0 to 1; arguments and `outcome` as for `compared_brackets`",
        COMPARED,
        "STRUCT(outcome BIGINT, words BIGINT, similarity DOUBLE)",
        compared_lineages,
        _EXAMPLES,
        gives_nulls=True,
        shared=True,
    ),
    Function(
        "matched_nodes",
        "the phrases and words that two trees share, of the gold tree (`side` 0) and of the test tree (1): phrases "
        "with the same label and the same words, and words with the same tag. `node` is the number of a phrase, `word` "
        "the position of a word, the other 0; `label` the class of the label, `first` and `last` are counted among the "
        "words that count, and `key` is the same for the same words; arguments as for `compared_brackets`, no phrases "
        "if not `labelled`",
        COMPARED,
        f"STRUCT({', '.join(f'{name} INTEGER' for name in MATCHED[:-1])}, key BIGINT)[]",
        matched_nodes,
        _EXAMPLES,
        gives_nulls=True,
        shared=True,
    ),
)
