"""Tables -> Penn brackets, a tree a line: what is read back has the same rows.

A sentence with several trees or words at the top gets an outer bracket without a label, one without words is `(())`;
round brackets in words and tags are written as `-LRB-` and `-RRB-`.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.engines import Engine
from treesql.writers.runs import GAPS, kept_trees, write_trees

SUFFIXES = (".mrg", ".psd", ".penn", ".ptb", ".bracket")
KIND = "constituency"
OPTIONS = ("delete_traces",)

_WRONG = f"""
{GAPS}
UNION ALL
SELECT c.sentence, 'phrase ' || c.node || ' has no label', 'write the corpus as Newick'
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last AND c.label IS NULL
UNION ALL
SELECT w.sentence, '`' || w.form || '` has no part of speech', 'write the corpus as Newick'
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last AND w.xpos IS NULL
UNION ALL
SELECT w.sentence, '`' || w.form || '` has a blank in it', 'write the corpus as Newick'
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last AND regexp_matches(w.form || w.xpos, '[ \\t\\r\\n]')
"""

# A word stands with the brackets that open before it and close behind it; before every bracket is a blank.
_LINES = """
SELECT string_agg(CASE WHEN t.tree IS NULL THEN '(())'
                       WHEN t.tops = 1 THEN substr(t.tree, 2)
                       ELSE '(' || substr(t.tree, 2) || ')' END || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
LEFT JOIN (
    SELECT w.sentence,
           string_agg(coalesce(o.opened, '') || ' ('
                      || replace(replace(w.xpos, '(', '-LRB-'), ')', '-RRB-') || ' '
                      || replace(replace(w.form, '(', '-LRB-'), ')', '-RRB-') || ')'
                      || repeat(')', coalesce(e.closed, 0)), '' ORDER BY w.word) AS tree,
           sum(coalesce(o.tops, 0) + CASE WHEN w.top THEN 1 ELSE 0 END) AS tops
    FROM kept_words AS w
    LEFT JOIN (
        SELECT c.sentence, c.first, string_agg(' (' || c.name, '' ORDER BY c.node) AS opened,
               sum(CASE WHEN c.top THEN 1 ELSE 0 END) AS tops
        FROM kept_phrases AS c
        GROUP BY c.sentence, c.first
    ) AS o ON o.sentence = w.sentence AND o.first = w.word
    LEFT JOIN (
        SELECT c.sentence, c.last, count(*) AS closed FROM kept_phrases AS c GROUP BY c.sentence, c.last
    ) AS e ON e.sentence = w.sentence AND e.last = w.word
    GROUP BY w.sentence
) AS t ON t.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO, *, delete_traces: bool = False) -> None:
    """Write a range of the sentences of a corpus. Raises InvalidInput where a tree cannot be written so.

    delete_traces: without words of the tag -NONE-, and phrases that have no others.
    """
    write_trees(engine, corpus, sentences, out, kept_trees(delete_traces=delete_traces) + _LINES, _WRONG)
