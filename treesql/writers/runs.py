"""The sentences of a corpus in runs that are written at a time, and the check of what cannot be written; lines made in
SQL, one for every sentence, for writers of trees and links.

Traces and unary chains of trees are taken out here, on request, for every notation with brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic, InvalidInput
from treesql.runtime import steps

_RUNS = """
SELECT min(n.sentence), max(n.sentence)
FROM (SELECT s.sentence, (row_number() OVER (ORDER BY s.sentence) - 1) // $size AS run
      FROM sentences AS s
      WHERE s.corpus = $corpus AND s.sentence BETWEEN $start AND $stop) AS n
GROUP BY n.run ORDER BY n.run
"""


def runs(engine: Engine, corpus: str, sentences: range, size: int) -> Iterator[tuple[int, int]]:
    """The first and the last sentence of every run of `size` existing sentences in a range.

    Numbers may have gaps, however wide: SQL can write any.
    """
    values = {"corpus": corpus, "start": sentences.start, "stop": sentences.stop - 1, "size": size}
    found = engine.rows(_RUNS, values)
    with steps.working("sentences", found[-1][1] - found[0][0] + 1 if found else 0) as work:
        for first, last in found:
            yield first, last
            work.add(last - first + 1)


def check_sentences(engine: Engine, wrong: str, values: dict[str, object]) -> None:
    """Check that sentences can be written. Raises InvalidInput with the first that cannot.

    wrong: SQL for sentence, what and hint of those that cannot, of the values' corpus and range.
    """
    sql = f"""
        SELECT s.file, s.line, w.what, w.hint
        FROM ({wrong}) AS w
        JOIN sentences AS s ON s.corpus = $corpus AND s.sentence = w.sentence
        ORDER BY s.sentence, w.what LIMIT 1
    """
    for row in engine.rows(sql, values):
        raise InvalidInput([Diagnostic.error(*row)])


SENTENCES_AT_ONCE = 20_000

# Rows of constituents that no notation with brackets can show.
GAPS = """
SELECT c.sentence,
       'the tree is discontinuous: the words of phrase ' || c.node || coalesce(', ' || c.label, '') || ', have gaps'
           AS what,
       'write the corpus as Parquet' AS hint
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last AND NOT c.continuous
"""

# kept_words and kept_phrases have what is written of the sentences $first to $last, with positions of the words left;
# `top` says whether a row has no parent. Phrases over the same words are a unary chain, as no phrase has gaps.
_WRITTEN_ROWS = """
WITH counted AS (
    SELECT w.sentence, w.word, w.form, w.xpos, w.phrase IS NULL AS top, {trace} AS trace,
           sum(CASE WHEN {trace} THEN 0 ELSE 1 END) OVER (PARTITION BY w.sentence ORDER BY w.word) AS position
    FROM words AS w
    WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
),
kept_words AS (
    SELECT c.sentence, c.position AS word, c.form, c.xpos, c.top FROM counted AS c WHERE NOT c.trace
),
filled AS (
    SELECT c.sentence, c.node, coalesce(c.label, '') || coalesce(c.functions, '') AS name, c.parent IS NULL AS top,
           f.position + CASE WHEN f.trace THEN 1 ELSE 0 END AS first, l.position AS last
    FROM constituents AS c
    JOIN counted AS f ON f.sentence = c.sentence AND f.word = c.first
    JOIN counted AS l ON l.sentence = c.sentence AND l.word = c.last
    WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
      AND f.position + CASE WHEN f.trace THEN 1 ELSE 0 END <= l.position
),
kept_phrases AS ({phrases})
"""
_TRACE = "(w.xpos IS NOT DISTINCT FROM '-NONE-')"
_JOINED = """
    SELECT p.sentence, min(p.node) AS node, coalesce(string_agg(nullif(p.name, ''), '+' ORDER BY p.node), '') AS name,
           bool_or(p.top) AS top, p.first, p.last
    FROM filled AS p
    WHERE p.first < p.last
    GROUP BY p.sentence, p.first, p.last
"""


def kept_trees(*, delete_traces: bool = False, collapse_unary: bool = False) -> str:
    """A WITH clause for kept_words (sentence, word, form, xpos, top) and kept_phrases (sentence, node, name, ...).

    delete_traces: without words of the tag -NONE-, and phrases that have no others. collapse_unary: phrases with one
    child are joined with it, their names by `+`; a phrase of one word alone is left out.
    """
    return _WRITTEN_ROWS.format(
        trace=_TRACE if delete_traces else "FALSE", phrases=_JOINED if collapse_unary else "SELECT * FROM filled"
    )


def write_trees(engine: Engine, corpus: str, sentences: range, out: BinaryIO, lines: str, wrong: str) -> None:
    """Write a line for every sentence of a range.

    lines: SQL for one text, of the sentences $first to $last of $corpus; wrong: SQL for sentences that cannot be
    written, with what and hint. Raises InvalidInput with the first of these.
    """
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        check_sentences(engine, wrong, values)
        text = engine.table(lines, values).column(0).combine_chunks().cast(pa.large_binary())
        out.write(text.buffers()[2])
