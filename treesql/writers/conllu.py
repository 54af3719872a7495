"""Tables -> CoNLL-U, byte for byte what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

import pyarrow as pa

from treesql.engines import Engine
from treesql.writers.runs import runs

SUFFIXES = (".conllu",)
KIND = "dependency"

SENTENCES_AT_ONCE = 20_000

# The lines of a range of sentences in the order of the file: comments at position -1, a range before its first word,
# empty nodes behind the word that they follow, a blank line at the end.
_LINES = """
SELECT string_agg(l.line, chr(10) ORDER BY l.sentence, l.position, l.kind, l.number) || chr(10)
FROM (
    SELECT s.sentence, -1 AS position, 0 AS kind, c.position AS number, c.comment AS line
    FROM sentences AS s JOIN comments AS c ON c.corpus = s.corpus AND c.sentence = s.sentence
    WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
      AND c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT t.sentence, t.first, 0, 0,
           concat_ws(chr(9), t.first || '-' || t.last, t.form, coalesce(t.lemma, '_'), coalesce(t.upos, '_'),
                     coalesce(t.xpos, '_'), coalesce(t.feats, '_'), '_', '_', '_', coalesce(t.misc, '_'))
    FROM tokens AS t WHERE t.corpus = $corpus AND t.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT w.sentence, w.word, 1, 0,
           concat_ws(chr(9), w.word, w.form, coalesce(w.lemma, '_'), coalesce(w.upos, '_'), coalesce(w.xpos, '_'),
                     coalesce(w.feats, '_'), coalesce(CAST(w.head AS VARCHAR), '_'), coalesce(w.deprel, '_'),
                     coalesce(w.deps, '_'), coalesce(w.misc, '_'))
    FROM words AS w WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT e.sentence, e.word, 2, e.index,
           concat_ws(chr(9), e.word || '.' || e.index, coalesce(e.form, '_'), coalesce(e.lemma, '_'),
                     coalesce(e.upos, '_'), coalesce(e.xpos, '_'), coalesce(e.feats, '_'), '_', '_',
                     coalesce(e.deps, '_'), coalesce(e.misc, '_'))
    FROM empty_nodes AS e WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT s.sentence, s.n_words + 1, 3, 0, ''
    FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
) AS l
"""


_CHOSEN = _LINES.replace("BETWEEN $first AND $last", "IN (SELECT unnest($sentences))")


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus."""
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        _write(engine, _LINES, {"corpus": corpus, "first": first, "last": last}, out)


def write_chosen(engine: Engine, corpus: str, sentences: Sequence[int], out: BinaryIO) -> None:
    """Write some sentences of a corpus."""
    for at in range(0, len(sentences), SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "sentences": list(sentences[at : at + SENTENCES_AT_ONCE])}
        _write(engine, _CHOSEN, values, out)


def _write(engine: Engine, sql: str, values: Mapping[str, object], out: BinaryIO) -> None:
    text = engine.table(sql, values).column(0).combine_chunks().cast(pa.large_binary())
    out.write(text.buffers()[2])
