"""The tables constituent_lists and constituent_labels, from rows, after changes through SQL."""

from __future__ import annotations

import duckdb

_LABELS = """
INSERT INTO constituent_labels
SELECT l.corpus, row_number() OVER (PARTITION BY l.corpus ORDER BY l.label NULLS FIRST), l.label
FROM (SELECT c.corpus, c.label FROM constituents AS c
      UNION
      SELECT w.corpus, w.xpos FROM words AS w) AS l
JOIN corpora AS k ON k.corpus = l.corpus
WHERE k.kind = 'constituency' AND l.corpus NOT IN (SELECT p.corpus FROM constituent_lists AS p)
"""
_LISTS = """
INSERT INTO constituent_lists
SELECT s.corpus, s.sentence, coalesce(c.parent_list, []), coalesce(c.label_list, []), coalesce(w.phrase_list, []),
       coalesce(w.tag_list, []), coalesce(w.form_list, [])
FROM sentences AS s
JOIN corpora AS k ON k.corpus = s.corpus
LEFT JOIN (SELECT n.corpus, n.sentence, list(coalesce(n.parent, 0) ORDER BY n.node) AS parent_list,
                  list(l.number ORDER BY n.node) AS label_list
           FROM constituents AS n
           JOIN constituent_labels AS l ON l.corpus = n.corpus AND l.label IS NOT DISTINCT FROM n.label
           GROUP BY n.corpus, n.sentence) AS c ON c.corpus = s.corpus AND c.sentence = s.sentence
LEFT JOIN (SELECT o.corpus, o.sentence, list(coalesce(o.phrase, 0) ORDER BY o.word) AS phrase_list,
                  list(l.number ORDER BY o.word) AS tag_list, list(text_key(o.form) ORDER BY o.word) AS form_list
           FROM words AS o
           JOIN constituent_labels AS l ON l.corpus = o.corpus AND l.label IS NOT DISTINCT FROM o.xpos
           GROUP BY o.corpus, o.sentence) AS w ON w.corpus = s.corpus AND w.sentence = s.sentence
WHERE k.kind = 'constituency' AND s.corpus NOT IN (SELECT p.corpus FROM constituent_lists AS p)
"""


def fill_constituent_lists(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill constituent_labels and constituent_lists for constituency corpora without them.

    The connection needs treesql's functions.
    """
    connection.execute(_LABELS)
    connection.execute(_LISTS)
