"""Rows and texts that are derived from others at load, recomputed for sentences that were changed through SQL.

Where a user changed derived rows and they disagree with their source, the change is refused rather than lost.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa

from treesql.errors import Diagnostic, InvalidInput
from treesql.storage.derived_columns import update

_FAULTS_SHOWN = 20
_CHANGED = "SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus"
_CHANGED_IN_TABLE = "SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus AND d.of_table = "

_KEYS = {
    "sent_id": r"^# *sent_id *= *(.*?) *$",
    "text": r"^# *text *= *(.*?) *$",
    "newdoc": r"^# *newdoc *(?:(?:id *)?= *(.*?))? *$",
    "newpar": r"^# *newpar *(?:(?:id *)?= *(.*?))? *$",
}
"""By column of sentences, the comment that it is derived from: the first one that matches."""

_MADE = ", ".join(
    f"regexp_extract(list_filter(s.comments, lambda c: regexp_matches(c, '{key}'))[1], '{key}', 1) AS made_{name}"
    for name, key in _KEYS.items()
)
_DIFFERENT = " OR ".join(f"m.{name} IS DISTINCT FROM m.made_{name}" for name in _KEYS)
NAMED_BY = f"hash({', '.join(_KEYS)})"
"""SQL for a digest of the columns of sentences that comments define: `named_by` of `before_sentences`."""

_METADATA = f"""
SELECT m.*,
       CASE WHEN b.sentence IS NULL THEN coalesce({", ".join(f"m.{name}" for name in _KEYS)}) IS NOT NULL
            ELSE b.named_by <> m.named_by END AS renamed
FROM (SELECT s.sentence, s.sent_id, s.text, s.newdoc, s.newpar, {_MADE}, {NAMED_BY} AS named_by
      FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence IN ({_CHANGED_IN_TABLE} 'sentences')) AS m
LEFT JOIN before_sentences AS b ON b.corpus = $corpus AND b.sentence = m.sentence
WHERE {_DIFFERENT}
"""
_RENAMED = " UNION ALL ".join(
    f"SELECT r.sentence, '{name}' AS name, r.{name} AS value, r.made_{name} AS made FROM ({_METADATA}) AS r "
    f"WHERE r.renamed AND r.{name} IS DISTINCT FROM r.made_{name}"
    for name in _KEYS
)
_UPDATE_METADATA = f"""
UPDATE sentences AS t SET {", ".join(f"{name} = m.made_{name}" for name in _KEYS)}
FROM ({_METADATA}) AS m WHERE t.corpus = $corpus AND t.sentence = m.sentence
"""
_BAD_COMMENTS = f"""
SELECT s.sentence, 'sentences: sentence ' || s.sentence || ': the comment `' || c.comment || '` '
           || CASE WHEN c.comment LIKE '#%' THEN 'has a line break in it' ELSE 'does not begin with #' END,
       'write each comment as one line that begins with #'
FROM sentences AS s
JOIN (SELECT k.sentence, unnest(k.comments) AS comment FROM sentences AS k
      WHERE k.corpus = $corpus AND k.sentence IN ({_CHANGED_IN_TABLE} 'sentences')) AS c ON c.sentence = s.sentence
WHERE s.corpus = $corpus AND (c.comment IS NULL OR c.comment NOT LIKE '#%' OR contains(c.comment, chr(10))
                              OR contains(c.comment, chr(13)) OR contains(c.comment, chr(0)))
"""
_PARTS = f"""
SELECT w.sentence, w.word AS dependent, 0 AS dependent_index, unnest(string_split(w.deps, '|')) AS part
FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN ({_CHANGED}) AND w.deps IS NOT NULL
UNION ALL
SELECT e.sentence, e.word, e."index", unnest(string_split(e.deps, '|')) AS part
FROM empty_nodes AS e WHERE e.corpus = $corpus AND e.sentence IN ({_CHANGED}) AND e.deps IS NOT NULL
"""
_EDGES = f"""
SELECT p.sentence, TRY_CAST(regexp_extract(p.part, '^([0-9]+)', 1) AS INTEGER) AS head,
       TRY_CAST(coalesce(nullif(regexp_extract(p.part, '^[0-9]+\\.([0-9]+)', 1), ''), '0') AS INTEGER) AS head_index,
       p.dependent, p.dependent_index, substr(p.part, strpos(p.part, ':') + 1) AS deprel, p.part
FROM ({_PARTS}) AS p
"""
_BAD_DEPS = f"""
SELECT e.sentence, 'words: sentence ' || e.sentence || ', word ' || e.dependent
           || CASE WHEN e.dependent_index > 0 THEN '.' || e.dependent_index ELSE '' END
           || ': deps has `' || e.part || '`'
           || CASE WHEN e.malformed THEN ', which is not a relation' WHEN e.again > 1 THEN ' twice'
                   ELSE ', whose head does not exist' END,
       CASE WHEN e.malformed THEN 'write NULL, or HEAD:RELATION pairs with `|` between them'
            WHEN e.again > 1 THEN 'write each relation once'
            ELSE 'name a word or an empty node of the sentence, or 0 for the root' END
FROM (SELECT m.*, NOT regexp_full_match(m.part, '(0|[1-9][0-9]*)([.][1-9][0-9]*)?:.+')
                  OR m.head IS NULL OR m.head_index IS NULL AS malformed,
             row_number() OVER (PARTITION BY m.sentence, m.dependent, m.dependent_index, m.part) AS again
      FROM ({_EDGES}) AS m) AS e
JOIN (SELECT w.sentence, count(*) AS n FROM words AS w WHERE w.corpus = $corpus GROUP BY w.sentence) AS l
  ON l.sentence = e.sentence
LEFT JOIN empty_nodes AS n
  ON n.corpus = $corpus AND n.sentence = e.sentence AND n.word = e.head AND n."index" = e.head_index
WHERE e.malformed OR e.again > 1 OR (e.head_index = 0 AND e.head > l.n) OR (e.head_index > 0 AND n.word IS NULL)
"""
_EDGE_COLUMNS = "sentence, head, head_index, dependent, dependent_index, deprel"
_PLACED_WORDS = f"""
SELECT e.sentence, e.edge, CAST(generate_subscripts(e.edge_words, 1) AS INTEGER) AS position,
       unnest(e.edge_words) AS form
FROM lattice_edges AS e WHERE e.corpus = $corpus AND e.sentence IN ({_CHANGED})
"""
_LATTICES = f"""
SELECT l.sentence, l.n_nodes, count(e.edge) AS n_edges
FROM lattices AS l LEFT JOIN lattice_edges AS e ON e.corpus = l.corpus AND e.sentence = l.sentence
WHERE l.corpus = $corpus AND l.sentence IN ({_CHANGED})
GROUP BY l.sentence, l.n_nodes ORDER BY l.sentence
"""
_LATTICE_EDGES = f"""
SELECT e.from_node, e.to_node FROM lattice_edges AS e
WHERE e.corpus = $corpus AND e.sentence IN ({_CHANGED}) ORDER BY e.sentence, e.edge
"""


def fill_metadata(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute sent_id, text, newdoc and newpar of sentences from their comments. Raises InvalidInput."""
    _check_none(connection, corpus, _BAD_COMMENTS)
    found = connection.execute(f"{_RENAMED} ORDER BY ALL LIMIT {_FAULTS_SHOWN}", {"corpus": corpus}).fetchall()
    if found:
        hint = "change comments, from which it is derived and which are exported"
        whats = [
            (f"sentences: sentence {sentence}: {name} is {_quoted(value)}, and by its comments {_quoted(made)}")
            for sentence, name, value, made in found
        ]
        raise InvalidInput([Diagnostic.error(corpus, 0, what, hint) for what in whats])
    connection.execute(_UPDATE_METADATA, {"corpus": corpus})


def fill_enhanced_edges(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute enhanced edges from DEPS of words and empty nodes. Raises InvalidInput."""
    _check_none(connection, corpus, _BAD_DEPS)
    edges = f"SELECT {_EDGE_COLUMNS} FROM ({_EDGES}) AS m"
    _replace(connection, corpus, "enhanced_edges", _EDGE_COLUMNS, edges, "deps of words and empty_nodes")


def fill_lattices(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute words of edges, and the numbers of edges and of those on no path. Raises InvalidInput."""
    from treesql.kernels import lattices as kernel  # here, as few commands need it

    words = "edge_words of lattice_edges"
    _replace(connection, corpus, "lattice_words", "sentence, edge, position, form", _PLACED_WORDS, words)
    rows = connection.execute(_LATTICES, {"corpus": corpus}).fetchnumpy()
    edges = connection.execute(_LATTICE_EDGES, {"corpus": corpus}).fetchnumpy()
    offsets = np.concatenate([[0], np.cumsum(rows["n_edges"])]).astype(np.int64)
    nodes, ends = rows["n_nodes"].astype(np.int64), [edges[name].astype(np.int64) for name in ("from_node", "to_node")]
    shape = kernel.lattice_structure(nodes, offsets, *ends)
    incomplete = np.flatnonzero(shape.complete == 0)[:_FAULTS_SHOWN].tolist()
    if incomplete:
        what = "lattice_edges: sentence {}: no path leads from the first node to the last"
        hint = "let at least one"
        raise InvalidInput([Diagnostic.error(corpus, 0, what.format(rows["sentence"][at]), hint) for at in incomplete])
    made = {"n_edges": rows["n_edges"], "dead_edges": shape.dead_edges}
    update(connection, "lattices", ("sentence",), tuple(made), pa.table({"sentence": rows["sentence"], **made}), corpus)


def fill_text(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute the lines of a plain text whose words differ from them."""
    sql = f"""
    UPDATE sentences AS t SET text = m.text
    FROM (SELECT s.sentence, coalesce(string_agg(w.form, ' ' ORDER BY w.word), '') AS text
          FROM sentences AS s LEFT JOIN words AS w ON w.corpus = s.corpus AND w.sentence = s.sentence
          WHERE s.corpus = $corpus AND s.sentence IN ({_CHANGED})
          GROUP BY s.sentence) AS m
    WHERE t.corpus = $corpus AND t.sentence = m.sentence
      AND trim(regexp_replace(coalesce(t.text, ''), '[ \\t\\r]+', ' ', 'g')) <> m.text
    """
    connection.execute(sql, {"corpus": corpus})


def _replace(
    connection: duckdb.DuckDBPyConnection, corpus: str, table: str, columns: str, made: str, source: str
) -> None:
    """Replace the rows of a table in sentences where they differ from those of `made`. Raises InvalidInput."""
    there = f"SELECT {columns} FROM {table} WHERE corpus = $corpus AND sentence IN ({_CHANGED})"
    differ = f"""
    SELECT DISTINCT x.sentence FROM ((({there}) EXCEPT ALL ({made})) UNION ALL (({made}) EXCEPT ALL ({there}))) AS x
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE differing AS {differ}", {"corpus": corpus})
    by_user = f"x.sentence IN ({_CHANGED_IN_TABLE} '{table}')"
    sql = f"SELECT x.sentence FROM differing AS x WHERE {by_user} ORDER BY 1 LIMIT {_FAULTS_SHOWN}"
    changed = connection.execute(sql, {"corpus": corpus}).fetchall()
    if changed:
        what = f"{table}: sentence {{}} has other rows than those derived from {source}"
        hint = f"change {source}; rows of {table} follow"
        raise InvalidInput([Diagnostic.error(corpus, 0, what.format(sentence), hint) for (sentence,) in changed])
    chosen = "sentence IN (SELECT x.sentence FROM differing AS x)"
    connection.execute(f"DELETE FROM {table} WHERE corpus = $corpus AND {chosen}", {"corpus": corpus})
    sql = f"INSERT INTO {table} (corpus, {columns}) SELECT $corpus, {columns} FROM ({made}) AS m WHERE {chosen}"
    connection.execute(sql, {"corpus": corpus})
    connection.execute("DROP TABLE differing")


def _check_none(connection: duckdb.DuckDBPyConnection, corpus: str, check: str) -> None:
    sql = f"SELECT * FROM ({check}) AS f ORDER BY ALL LIMIT {_FAULTS_SHOWN}"
    found = connection.execute(sql, {"corpus": corpus}).fetchall()
    if found:
        raise InvalidInput([Diagnostic.error(corpus, 0, what, hint) for _, what, hint in found])


def _quoted(value: str | None) -> str:
    return "NULL" if value is None else f"`{value}`"
