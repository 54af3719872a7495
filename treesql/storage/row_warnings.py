"""Warnings that readers give about files, for sentences that were changed through SQL, in the same words."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.readers.columns import FINDINGS, WITH_FEATURES, Finding
from treesql.readers.links import LinkWarnings

_CHANGED = "SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus AND d.of_table = "
_PARTS = "list_filter(string_split(t.feats, '|'), lambda part: part <> '')"
_SENTENCES = (
    f"""
    SELECT w.sentence FROM words AS w
    WHERE w.corpus = $corpus AND w.sentence IN ({_CHANGED} 'words') AND w.head = 0 AND w.depth IS NOT NULL
    GROUP BY w.sentence HAVING count(*) > 1
    """,
    f"""
    SELECT DISTINCT w.sentence FROM words AS w
    WHERE w.corpus = $corpus AND w.sentence IN ({_CHANGED} 'words') AND w.head IS NOT NULL AND w.depth IS NULL
    """,
    f"""
    SELECT n.sentence
    FROM (SELECT s.sentence, row_number() OVER (PARTITION BY s.file, s.sent_id ORDER BY s.sentence) AS place,
                 bool_or(s.sentence IN ({_CHANGED} 'sentences')) OVER (PARTITION BY s.file, s.sent_id) AS changed
          FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id IS NOT NULL) AS n
    WHERE n.place > 1 AND n.changed
    """,
    " UNION ".join(
        f"""
        SELECT t.sentence FROM {table} AS t
        WHERE t.corpus = $corpus AND t.sentence IN ({_CHANGED} '{table}') AND contains(t.feats, '|')
          AND len(list_distinct(list_transform({_PARTS}, lambda part: split_part(part, '=', 1)))) < len({_PARTS})
        """
        for table in WITH_FEATURES
    ),
)
"""Queries for the sentences of each of FINDINGS."""

_OUTSIDE = f"""
SELECT count(*) FROM alignments AS a
WHERE a.corpus = $corpus AND a.sentence IN ({_CHANGED} 'alignments') AND (a.confidence < 0 OR a.confidence > 1)
"""


def find_warnings(connection: duckdb.DuckDBPyConnection, corpus: str, kind: str) -> Iterator[Diagnostic]:
    """The warnings about the sentences of a corpus that `changed_sentences` names, each about the changed table."""
    if kind == "alignment":
        links = LinkWarnings()
        [(links.outside,)] = connection.execute(_OUTSIDE, {"corpus": corpus}).fetchall()
        yield from links.warnings(corpus)
    if kind != "dependency":
        return
    for texts, query in zip(FINDINGS, _SENTENCES, strict=True):
        sql = f"""
        SELECT n.sentence, s.sent_id, n.n
        FROM (SELECT q.sentence, count(*) OVER () AS n FROM ({query}) AS q ORDER BY q.sentence LIMIT {MAX_NAMED}) AS n
        LEFT JOIN sentences AS s ON s.corpus = $corpus AND s.sentence = n.sentence ORDER BY n.sentence
        """
        rows = connection.execute(sql, {"corpus": corpus}).fetchall()
        if rows:
            finding = Finding(*texts, "sentence")
            numbers = np.array([sentence for sentence, _, _ in rows], dtype=np.int64)
            finding.add(np.arange(len(rows)), [name for _, name, _ in rows], numbers, rows[0][2])
            yield Diagnostic.warning(corpus, 0, finding.what, finding.hint)
