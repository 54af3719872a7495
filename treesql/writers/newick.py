"""Tables -> Newick trees, one a line: what is read back has the same rows, unless options change the trees.

Names with blanks or signs are quoted, a sentence without words is `;`. Labels are written with their functions. Tags
are not written: a word is a leaf.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.engines import Engine
from treesql.writers.runs import GAPS, kept_trees, write_trees

SUFFIXES = (".nwk", ".newick", ".tree", ".tre")
KIND = "constituency"
OPTIONS = ("leaves", "delete_traces", "collapse_unary")

LEAVES = {
    "form": "w.form",
    "position": "CAST(w.word AS VARCHAR)",
    "numbered": "w.form || '-' || CAST(w.word AS VARCHAR)",
}
"""The names of leaves, as SQL: words, their positions among the words written, or both (`the-3`)."""

_REPEATED = """
UNION ALL
SELECT w.sentence, '`' || w.form || '` is repeated, and leaves must have distinct names',
       'name leaves by position or numbered, or write the corpus as Penn'
FROM kept_words AS w
GROUP BY w.sentence, w.form
HAVING count(*) > 1
"""

_SEVERAL = """
UNION ALL
SELECT t.sentence, 'this sentence has ' || CAST(count(*) AS VARCHAR) || ' trees', 'write the corpus as Penn'
FROM (SELECT c.sentence FROM kept_phrases AS c WHERE c.top
      UNION ALL
      SELECT w.sentence FROM kept_words AS w WHERE w.top) AS t
GROUP BY t.sentence
HAVING count(*) > 1
"""

_NAME = """CASE WHEN regexp_matches({0}, '[][ \\t\\r\\n():;,'']')
                THEN '''' || replace({0}, '''', '''''') || '''' ELSE {0} END"""

# A word stands with the brackets that open before it and close behind it; before every word but the first is a comma.
# Several trees, or words beside trees, get a root without a name.
_LINES = """
SELECT string_agg(CASE WHEN t.tree IS NULL THEN ''
                       WHEN t.n_words > 1 AND r.sentence IS NULL THEN '(' || t.tree || ')'
                       ELSE t.tree END || ';' || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
LEFT JOIN (
    SELECT w.sentence, count(*) AS n_words,
           string_agg(CASE WHEN w.word > 1 THEN ',' ELSE '' END || repeat('(', coalesce(o.opened, 0))
                      || {leaf} || coalesce(e.closed, ''), '' ORDER BY w.word) AS tree
    FROM kept_words AS w
    LEFT JOIN (
        SELECT c.sentence, c.first, count(*) AS opened FROM kept_phrases AS c GROUP BY c.sentence, c.first
    ) AS o ON o.sentence = w.sentence AND o.first = w.word
    LEFT JOIN (
        SELECT c.sentence, c.last, string_agg(')' || {label}, '' ORDER BY c.node DESC) AS closed
        FROM kept_phrases AS c
        GROUP BY c.sentence, c.last
    ) AS e ON e.sentence = w.sentence AND e.last = w.word
    GROUP BY w.sentence
) AS t ON t.sentence = s.sentence
LEFT JOIN (
    SELECT DISTINCT c.sentence, c.last FROM kept_phrases AS c WHERE c.first = 1
) AS r ON r.sentence = s.sentence AND r.last = t.n_words
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(
    engine: Engine, corpus: str, sentences: range, out: BinaryIO,
    *, leaves: str = "form", delete_traces: bool = False, collapse_unary: bool = False,
) -> None:  # fmt: skip
    """Write a range of the sentences of a corpus. Raises InvalidInput where a tree cannot be written so.

    leaves: of LEAVES; delete_traces, collapse_unary: as for `kept_trees`. With any of them, a sentence of several trees
    gets a root without a name.
    """
    kept = kept_trees(delete_traces=delete_traces, collapse_unary=collapse_unary)
    plain = leaves == "form" and not (delete_traces or collapse_unary)
    wrong = kept + GAPS + (_REPEATED if leaves == "form" else "") + (_SEVERAL if plain else "")
    lines = kept + _LINES.format(leaf=_NAME.format(LEAVES[leaves]), label=_NAME.format("c.name"))
    write_trees(engine, corpus, sentences, out, lines, wrong)
