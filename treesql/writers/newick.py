"""Tables -> Newick trees, one a line: what is read back has the same rows.

Names with blanks or signs are quoted, a sentence without words is `;`. Labels are written with their functions.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.engines import Engine
from treesql.writers.trees import GAPS, write_trees

SUFFIXES = (".nwk", ".newick", ".tree", ".tre")
KIND = "constituency"

_WRONG = f"""
{GAPS}
UNION ALL
SELECT w.sentence, '`' || w.form || '` is repeated, and leaves must have distinct names', 'write the corpus as Penn'
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
GROUP BY w.sentence, w.form
HAVING count(*) > 1
UNION ALL
SELECT t.sentence, 'this sentence has ' || CAST(sum(t.tops) AS BIGINT) || ' trees', 'write the corpus as Penn'
FROM (SELECT c.sentence, count(*) AS tops
      FROM constituents AS c
      WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last AND c.parent IS NULL
      GROUP BY c.sentence
      UNION ALL
      SELECT w.sentence, count(*)
      FROM words AS w
      WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last AND w.phrase IS NULL
      GROUP BY w.sentence) AS t
GROUP BY t.sentence
HAVING sum(t.tops) > 1
"""

_NAME = """CASE WHEN regexp_matches({0}, '[][ \\t\\r\\n():;,'']')
                THEN '''' || replace({0}, '''', '''''') || '''' ELSE {0} END"""

# A word stands with the brackets that open before it and close behind it; before every word but the first is a comma.
_LINES = f"""
SELECT string_agg(coalesce(t.tree, '') || ';' || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
LEFT JOIN (
    SELECT w.sentence,
           string_agg(CASE WHEN w.word > 1 THEN ',' ELSE '' END || repeat('(', coalesce(o.opened, 0))
                      || {_NAME.format("w.form")} || coalesce(e.closed, ''), '' ORDER BY w.word) AS tree
    FROM words AS w
    LEFT JOIN (
        SELECT c.sentence, c.first, count(*) AS opened
        FROM constituents AS c
        WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
        GROUP BY c.sentence, c.first
    ) AS o ON o.sentence = w.sentence AND o.first = w.word
    LEFT JOIN (
        SELECT c.sentence, c.last, string_agg(')' || {_NAME.format("c.name")}, '' ORDER BY c.node DESC) AS closed
        FROM (SELECT c.sentence, c.node, c.last, coalesce(c.label, '') || coalesce(c.functions, '') AS name
              FROM constituents AS c
              WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last) AS c
        GROUP BY c.sentence, c.last
    ) AS e ON e.sentence = w.sentence AND e.last = w.word
    WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
    GROUP BY w.sentence
) AS t ON t.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus. Raises InvalidInput where a tree cannot be written so."""
    write_trees(engine, corpus, sentences, out, _LINES, _WRONG)
