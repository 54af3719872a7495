"""Tables -> Pharaoh's notation of word alignments: a line per sentence, `0-0 1p2`, words counted from 0."""

from __future__ import annotations

from typing import BinaryIO

from treesql.engines import Engine
from treesql.writers.runs import write_trees

SUFFIXES = (".pharaoh", ".align", ".gdfa")
KIND = "alignment"

_WRONG = """
SELECT a.sentence, 'a null link, ' || a.source || ' ' || a.target AS what, 'write the corpus as WPT' AS hint
FROM alignments AS a
WHERE a.corpus = $corpus AND a.sentence BETWEEN $first AND $last AND (a.source = 0 OR a.target = 0)
"""

_LINES = """
SELECT string_agg(coalesce(l.links, '') || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
LEFT JOIN (
    SELECT a.sentence, string_agg((a.source - 1) || CASE WHEN a.sure THEN '-' ELSE 'p' END || (a.target - 1), ' '
                                  ORDER BY a.source, a.target) AS links
    FROM alignments AS a
    WHERE a.corpus = $corpus AND a.sentence BETWEEN $first AND $last
    GROUP BY a.sentence
) AS l ON l.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus. Raises InvalidInput where there are null links."""
    write_trees(engine, corpus, sentences, out, _LINES, _WRONG)
