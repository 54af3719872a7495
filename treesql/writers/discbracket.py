"""Tables -> discontinuous trees in brackets, a tree a line: what is read back has the same rows.

The root above all phrases is the bracket `ROOT`, left out where the file that was read had none.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.kernels.arrays import Flags, Ints
from treesql.kernels.trees.discontinuous_trees import words_in_brackets
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers
from treesql.writers.phrase_rows import (
    SENTENCES_AT_ONCE,
    PhraseRows,
    concatenated,
    joined,
    read_rows,
    repeated,
    texts,
    warn_of_secondary_edges,
    word_functions,
)
from treesql.writers.runs import check_sentences, runs

SUFFIXES = (".discbracket", ".dbr")
KIND = "constituency"

_OTHER = "write the corpus as export or tigerxml"

# A label is cut at its first sign when it is read, so none may stand in it; a phrase of one bare word would be a tag.
_WRONG = f"""
SELECT c.sentence, 'phrase ' || c.node || CASE WHEN c.label IS NULL THEN ' has no label' ELSE ' has the label `'
           || c.label || coalesce(c.functions, '') || '`, which brackets cannot hold' END AS what, '{_OTHER}' AS hint
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
  AND (c.label IS NULL OR regexp_matches(c.label || coalesce(c.functions, ''), '[() \\x00-\\x1f]')
       OR (c.label NOT LIKE '-%' AND regexp_matches(substr(c.label, 2), '[-=]'))
       OR (c.functions IS NOT NULL AND (c.label LIKE '-%' OR NOT regexp_matches(c.functions, '^[-=]'))))
UNION ALL
SELECT w.sentence, '`' || w.form || '` has ' || CASE WHEN w.xpos IS NULL THEN 'no part of speech, and no sister'
           WHEN regexp_matches(w.form, '[ \\x00-\\x1f]') THEN 'a blank in it'
           WHEN regexp_matches(w.form, '#[LR]RB#') THEN 'a bracket written in letters'
           ELSE 'the part of speech `' || w.xpos || '`, which brackets cannot hold' END, '{_OTHER}'
FROM words AS w
LEFT JOIN constituents AS c ON c.corpus = $corpus AND c.sentence = w.sentence AND c.node = w.phrase
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
  AND (regexp_matches(w.form, '[ \\x00-\\x1f]') OR regexp_matches(w.form, '#[LR]RB#')
       OR regexp_matches(w.xpos || coalesce(w.misc, ''), '[() \\x00-\\x1f]')
       OR (w.xpos NOT LIKE '-%' AND regexp_matches(substr(w.xpos, 2), '[-=]'))
       OR (w.xpos LIKE '-%' AND starts_with(w.misc, 'Function='))
       OR (w.xpos IS NULL AND c.first = c.last))
"""

# By file of the corpus, whether its trees had no bracket ROOT.
_ROOTLESS = """
SELECT f.path, contains(coalesce(f.layout, ''), 'no_root')
FROM (SELECT unnest(c.files).path AS path, unnest(c.layouts) AS layout
      FROM corpora AS c WHERE c.corpus = $corpus AND c.format = 'discbracket') AS f
"""
_COUNT_IF_DISCBRACKET = "SELECT count(*) FROM corpora AS c WHERE c.corpus = $corpus AND c.format = 'discbracket'"


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> list[Diagnostic]:
    """Write a range of the sentences of a corpus; returns a warning about what brackets do not hold.

    Raises InvalidInput where a tree cannot be written so.
    """
    rootless = dict(engine.rows(_ROOTLESS, {"corpus": corpus}))
    [(is_discbracket,)] = engine.rows(_COUNT_IF_DISCBRACKET, {"corpus": corpus})
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        check_sentences(engine, _WRONG, values)
        rows = read_rows(engine, values)
        lines = concatenated(_trees(rows, rootless), _comments(rows) if is_discbracket else "", "\n")
        out.write("".join(lines.to_pylist()).encode())
    return warn_of_secondary_edges(engine, corpus, "discbracket")


def _trees(rows: PhraseRows, rootless: dict[str, bool]) -> pa.Array:
    """The tree of every sentence in brackets."""
    numbered, depth, first = rows.numbered, integers(rows.phrases["depth"]), integers(rows.phrases["first"])
    order, opened, closed = words_in_brackets(
        rows.leaf_offsets, rows.node_offsets, numbered.phrase, numbered.parent, first, depth, numbered.postorder
    )
    labels = concatenated(" (", texts(rows.phrases["label"]), pc.fill_null(texts(rows.phrases["functions"]), ""))
    starts = np.repeat(rows.node_offsets[:-1], np.diff(rows.leaf_offsets)) + opened
    offsets = np.append(starts - _newly_opened(opened, rows.leaf_offsets), len(labels))
    brackets = concatenated(joined(labels, offsets), _words(rows).take(pa.array(order)), repeated(")", closed))
    trees = joined(brackets, rows.leaf_offsets)
    plain = _without_root(rows, rootless)
    rooted = concatenated("(ROOT", trees, ")")
    bare = pc.utf8_slice_codeunits(trees, 1)
    empty = pa.array(np.diff(rows.leaf_offsets) == 0)
    return pc.if_else(empty, "(())", pc.if_else(pa.array(plain), bare, rooted))


def _newly_opened(opened: Ints, leaf_offsets: Ints) -> Ints:
    """The number of brackets that open right before every word."""
    before = np.concatenate([[0], opened[:-1]])
    before[leaf_offsets[:-1][np.diff(leaf_offsets) > 0]] = 0
    return np.asarray(opened - before, dtype=np.int64)


def _words(rows: PhraseRows) -> pa.Array:
    """Every word with its index, in a bracket with its tag and functions where it has a tag."""
    index = pa.array(integers(rows.words["word"]) - 1).cast(pa.large_string())
    forms = texts(rows.words["form"])
    for sign, quoted in (("(", "#LRB#"), (")", "#RRB#")):
        forms = pc.replace_substring(forms, sign, quoted)
    word, tag, function = concatenated(" ", index, "=", forms), texts(rows.words["xpos"]), word_functions(rows)
    signed = pc.if_else(pc.starts_with(function, "="), function, concatenated("-", function))
    tagged = concatenated(" (", pc.fill_null(tag, ""), pc.fill_null(signed, ""), word, ")")
    return pc.if_else(pc.is_null(tag), word, tagged)


def _comments(rows: PhraseRows) -> pa.Array:
    """What follows every tree: a tab and its comment, if it has one."""
    comment_texts = [
        "".join(f"\t{comment}" for comment in comments) for comments in rows.sentences["comments"].to_pylist()
    ]
    return pa.array(comment_texts, pa.large_string())


def _without_root(rows: PhraseRows, rootless: dict[str, bool]) -> Flags:
    """Which trees are written without the bracket ROOT: those of files without any, and with one tree at the top."""
    file_rootless = np.array([rootless.get(file, False) for file in rows.sentences["file"].to_pylist()], dtype=bool)
    tops = np.zeros(len(file_rootless), dtype=np.int64)
    for table, above in ((rows.words, "phrase"), (rows.phrases, "parent")):
        at_top = rows.place_of(table)[integers(table[above]) == 0]
        tops += np.bincount(at_top, minlength=len(file_rootless))
    named = np.zeros(len(file_rootless), dtype=bool)
    root = pc.fill_null(pc.equal(rows.phrases["label"], "ROOT"), False).to_numpy()
    named[rows.place_of(rows.phrases)[root & (integers(rows.phrases["parent"]) == 0)]] = True
    untagged = rows.words["xpos"].is_null().to_numpy() & (integers(rows.words["phrase"]) == 0)
    named[rows.place_of(rows.words)[untagged]] = True
    without_root: Flags = file_rootless & (tops == 1) & ~named
    return without_root
