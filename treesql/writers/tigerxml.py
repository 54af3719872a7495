"""Tables -> TIGER-XML, an element a line: what is read back has the same rows, but for ids that XML does not allow.

The root above several trees, or above one with a function, is the phrase `VROOT`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from treesql.engines import Engine
from treesql.kernels.arrays import Flags, Ints
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers
from treesql.writers.phrase_rows import (
    SENTENCES_AT_ONCE,
    TIGERXML,
    PhraseRows,
    concatenated,
    joined,
    merged,
    read_rows,
    texts,
    unsigned_functions,
    word_functions,
)
from treesql.writers.runs import check_sentences, runs

SUFFIXES = (".tigerxml", ".tiger.xml")
KIND = "constituency"

FIRST_PHRASE = 500
"""Number of the first phrase of a sentence in its id, where the sentence has fewer words."""

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<corpus id="corpus">
<head>
<annotation>
<feature name="word" domain="T"/>
<feature name="lemma" domain="T"/>
<feature name="pos" domain="T"/>
<feature name="morph" domain="T"/>
<feature name="cat" domain="NT"/>
<edgelabel/>
<secedgelabel/>
</annotation>
</head>
<body>
"""
_FOOT = "</body>\n</corpus>\n"

_CONTROL = "[\\x00-\\x1f]|\\x{FFFE}|\\x{FFFF}"
_BAD = f"{_CONTROL}|^--$|^$"
_OTHER = "write the corpus as Parquet"
_WRONG = f"""
SELECT w.sentence, 'word ' || w.word || ' has a value that XML or TIGER-XML cannot hold' AS what, '{_OTHER}' AS hint
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
  AND (regexp_matches(w.form, '{_CONTROL}|^$') OR regexp_matches(coalesce(w.lemma, 'x'), '{_BAD}')
       OR regexp_matches(coalesce(w.xpos, 'x'), '{_BAD}') OR regexp_matches(coalesce(w.feats, 'x'), '{_BAD}')
       OR regexp_matches(coalesce(w.misc, 'x=x'), '{_CONTROL}|^Function=([|]|$)|^Function=--([|]|$)|^Function=[^|]*[ ]')
       OR contains(replace(replace(regexp_replace(coalesce(w.misc, ''), '^Function=[^|]*', ''), '&amp;', ''),
                           '&#124;', ''), '&')
       OR NOT regexp_full_match(coalesce(w.misc, 'x=x'),
                                '(Function=[^|]+|[A-Za-z_][A-Za-z0-9_.-]*=[^|]+)([|][A-Za-z_][A-Za-z0-9_.-]*=[^|]+)*')
       OR regexp_matches(coalesce(w.misc, ''), '(^|[|])(id|word|lemma|pos|morph)=|=--([|]|$)')
       OR len(list_distinct(list_transform(string_split(w.misc, '|'), lambda x: string_split(x, '=')[1])))
          < len(string_split(w.misc, '|')))
UNION ALL
SELECT c.sentence, 'phrase ' || c.node || ' has the label `' || coalesce(c.label, '') || coalesce(c.functions, '')
           || '`, which TIGER-XML cannot hold', '{_OTHER}'
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
  AND (regexp_matches(coalesce(c.label, 'x'), '{_BAD}|[ ]')
       OR regexp_matches(coalesce(c.functions, '-x'), '{_CONTROL}|[ ]|^---?$|^-$|^$|^[^-=]|^-='))
UNION ALL
SELECT e.sentence, 'a secondary edge has the label `' || e.label || '`, which TIGER-XML cannot hold', '{_OTHER}'
FROM secondary_edges AS e
WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last
  AND regexp_matches(coalesce(e.label, 'x'), '{_BAD}|[ ]')
UNION ALL
SELECT s.sentence, 'the id has a character that XML cannot hold, or a blank', 'change sent_id'
FROM sentences AS s
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
  AND regexp_matches(coalesce(s.sent_id, 'x'), '{_BAD}|[ ]')
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus. Raises InvalidInput where a tree cannot be written so."""
    out.write(_HEAD.encode())
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        check_sentences(engine, _WRONG, values)
        out.write("".join(_Elements(read_rows(engine, values)).sentences().to_pylist()).encode())
    out.write(_FOOT.encode())


class _Elements:
    """The elements of some sentences."""

    def __init__(self, rows: PhraseRows) -> None:
        self.rows = rows
        self.word_at, self.node_at = rows.place_of(rows.words), rows.place_of(rows.phrases)
        columns = rows.sentences.select(["sentence", "sent_id"]).to_pylist()
        self.names = _escaped(pa.array([_name(row) for row in columns], pa.large_string()))
        base = np.maximum(FIRST_PHRASE, np.diff(rows.leaf_offsets) + 1)
        self.word_ids = self._ids(self.word_at, integers(rows.words["word"]))
        self.node_ids = self._ids(self.node_at, base[self.node_at] + rows.numbered.postorder)
        self.rooted = self._needs_root()

    def sentences(self) -> pa.Array:
        """The element <s> of every sentence."""
        rows, n = self.rows, self.rows.sentences.num_rows
        edges = self._edges()
        roots = concatenated(self.names, "_VROOT")
        tops = np.flatnonzero(integers(rows.phrases["parent"]) == 0)
        single = np.zeros(n, dtype=np.int64)
        single[self.node_at[tops]] = tops
        named = self.node_ids.take(pa.array(single)) if len(self.node_ids) else roots
        root = pc.if_else(pa.array(self.rooted), roots, named)
        heads = concatenated('<s id="', self.names, '">\n<graph root="', root, '">\n<terminals>\n')
        virtual = concatenated('<nt id="', roots, '" cat="VROOT">\n', edges.slice(0, n), "</nt>\n")
        tails = concatenated(pc.if_else(pa.array(self.rooted), virtual, ""), "</nonterminals>\n</graph>\n</s>\n")
        order = np.lexsort((rows.numbered.postorder, self.node_at))
        phrases = concatenated(
            '<nt id="', self.node_ids, '" cat="', _value(texts(rows.phrases["label"])), '">\n', edges.slice(n),
            self._secondary(rows.phrases, "node", rows.node_offsets), "</nt>\n",
        )  # fmt: skip
        each = np.arange(n)
        between = pa.array(["</terminals>\n<nonterminals>\n"] * n, pa.large_string())
        return merged(
            [
                (each, heads), (self.word_at, self._words()), (each, between),
                (self.node_at[order], phrases.take(pa.array(order))), (each, tails),
            ],
            n,
        )  # fmt: skip

    def _ids(self, sentence: Ints, number: Ints) -> pa.Array:
        return concatenated(self.names.take(pa.array(sentence)), "_", pa.array(number).cast(pa.large_string()))

    def _needs_root(self) -> Flags:
        """Which sentences have another top than a single phrase without a function."""
        rows, n = self.rows, self.rows.sentences.num_rows
        top = integers(rows.phrases["parent"]) == 0
        plain = top & rows.phrases["functions"].is_null().to_numpy()
        plain &= ~pc.fill_null(pc.equal(rows.phrases["label"], "VROOT"), False).to_numpy()
        tops = np.bincount(self.node_at[top], minlength=n)
        tops += np.bincount(self.word_at[integers(rows.words["phrase"]) == 0], minlength=n)
        edges = rows.place_of(rows.edges)[integers(rows.edges["parent"]) == 0]
        single = np.bincount(self.node_at[plain], minlength=n)
        needed: Flags = (tops != 1) | (single != 1) | (np.bincount(edges, minlength=n) > 0)
        return needed

    def _words(self) -> pa.Array:
        words = self.rows.words
        more = pc.replace_substring_regex(pc.fill_null(texts(words["misc"]), ""), "^Function=[^|]*", "")
        more = _escaped(more, ampersands=False)
        more = pc.replace_substring_regex(more, r"[|]?([^=|]+)=([^|]*)", r' \1="\2"')
        inside = self._secondary(words, "word", self.rows.leaf_offsets)
        close: pa.Array | str = "/>\n"
        if not isinstance(inside, str):
            close = pc.if_else(pc.equal(inside, ""), close, concatenated(">\n", inside, "</t>\n"))
        return concatenated(
            '<t id="', self.word_ids, '" word="', _escaped(texts(words["form"])), '" lemma="',
            _value(texts(words["lemma"])), '" pos="', _value(texts(words["xpos"])), '" morph="',
            _value(texts(words["feats"])), '"', more, close,
        )  # fmt: skip

    def _edges(self) -> pa.Array:
        """The edges of the root of every sentence, then those of every phrase, children by their first words."""
        rows, n = self.rows, self.rows.sentences.num_rows
        above = np.concatenate([integers(rows.words["phrase"]), integers(rows.phrases["parent"])])
        sentence = np.concatenate([self.word_at, self.node_at])
        owner = np.where(above == 0, sentence, n + rows.node_offsets[sentence] + above - 1)
        start = np.concatenate([integers(rows.words["word"]), integers(rows.phrases["first"])])
        order = np.lexsort((start, owner))
        label = pa.concat_arrays([_functions(rows), unsigned_functions(rows.phrases)])
        child = pa.concat_arrays([self.word_ids, self.node_ids])
        edges = concatenated('<edge label="', _value(label), '" idref="', child, '"/>\n').take(pa.array(order))
        counts = np.bincount(owner, minlength=n + rows.phrases.num_rows)
        return joined(edges, np.concatenate([[0], np.cumsum(counts)]))

    def _secondary(self, table: pa.Table, column: str, offsets: Ints) -> pa.Array | str:
        """The secondary edges of every word or phrase."""
        rows = self.rows
        edges = rows.edges.filter(pc.greater(rows.edges[column], 0))
        if not edges.num_rows:
            return ""
        sentence, parent = rows.place_of(edges), integers(edges["parent"])
        roots = concatenated(self.names.take(pa.array(sentence)), "_VROOT")
        places = rows.node_offsets[sentence] + np.maximum(parent, 1) - 1
        places = np.minimum(places, max(len(self.node_ids) - 1, 0))
        named = self.node_ids.take(pa.array(places)) if len(self.node_ids) else roots
        target = pc.if_else(pa.array(parent == 0), roots, named)
        lines = concatenated('<secedge label="', _value(texts(edges["label"])), '" idref="', target, '"/>\n')
        owner = offsets[sentence] + integers(edges[column]) - 1
        return joined(lines, np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=table.num_rows))]))


def _functions(rows: PhraseRows) -> pa.Array:
    """The function of every word, up to further attributes."""
    return word_functions(replace(rows, form=TIGERXML))


def _name(row: dict[str, object]) -> str:
    """The id of a sentence; XML has none that begins with a digit."""
    name = str(row["sent_id"] if row["sent_id"] is not None else f"s{int(str(row['sentence'])) + 1}")
    return f"s{name}" if name[0].isdigit() else name


def _escaped(values: pa.Array, *, ampersands: bool = True) -> pa.Array:
    """Texts as values of attributes. ampersands: whether those are escaped, too."""
    for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        if sign != "&" or ampersands:
            values = pc.replace_substring(values, sign, f"&{name};")
    return values


def _value(values: pa.Array) -> pa.Array:
    """The same, `--` where a value is open."""
    return _escaped(pc.fill_null(values, "--"))
