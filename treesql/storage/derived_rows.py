"""Columns, rows and texts that are derived from others at load, recomputed for sentences that were changed through SQL.

The table `changed_sentences` names these sentences. Rows that are already right are not written. Where a user changed
derived rows and they disagree with their source, the change is refused rather than lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.errors import Diagnostic, InvalidInput
from treesql.kernels import trees
from treesql.kernels.arrays import Flags, Ints
from treesql.readers.sentences import describe_cycle, find_cycle
from treesql.storage.row_checks import CHANGED, CHANGED_IN, FAULTS_SHOWN, check_none

_OF_CHANGED = f"t.corpus = $corpus AND t.sentence IN ({CHANGED})"
_WORDS = f"SELECT t.sentence, t.word, t.head, t.phrase FROM words AS t WHERE {_OF_CHANGED} ORDER BY t.sentence, t.word"
_NODES = f"""
SELECT t.sentence, t.node, t.parent FROM constituents AS t WHERE {_OF_CHANGED} ORDER BY t.sentence, t.node
"""

# Characters of category Zs have no place in the text that offsets count in; words of a token share its span.
_WIDTH = """CASE WHEN strlen({form}) = length({form}) THEN length(replace({form}, ' ', ''))
                 ELSE length(regexp_replace({form}, '\\p{{Zs}}', '', 'g')) END"""
_SPANS = f"""
SELECT p.sentence, p.word, p.ends - p.width AS span_start, p.ends AS span_end, p.multiword
FROM (SELECT w.sentence, w.word, t.first IS NOT NULL AS multiword,
             {_WIDTH.format(form="coalesce(t.form, w.form)")} AS width,
             CAST(sum(CASE WHEN w.word > t.first THEN 0 ELSE {_WIDTH.format(form="coalesce(t.form, w.form)")} END)
                  OVER (ORDER BY w.sentence, w.word ROWS UNBOUNDED PRECEDING) AS BIGINT) AS ends
      FROM words AS w
      LEFT JOIN (SELECT k.sentence, k.first, k.form, unnest(generate_series(k.first, k.last)) AS word
                 FROM tokens AS k WHERE k.corpus = $corpus) AS t ON t.sentence = w.sentence AND t.word = w.word
      WHERE w.corpus = $corpus) AS p
"""
_LENGTHS = f"""
SELECT t.sentence, count(w.word) AS n_words
FROM sentences AS t LEFT JOIN words AS w ON w.corpus = t.corpus AND w.sentence = t.sentence
WHERE {_OF_CHANGED}
GROUP BY t.sentence
"""


def fill_words(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute columns of words from others of their row, their spans and multiword, and n_words of sentences."""
    table = schemas.table("words")
    for column in table.columns:
        if column.computed:
            made = f"UPDATE words AS t SET {column.name} = {column.computed} WHERE {_OF_CHANGED}"
            connection.execute(f"{made} AND {column.name} IS DISTINCT FROM ({column.computed})", {"corpus": corpus})
    _update(connection, "words", ("sentence", "word"), ("span_start", "span_end", "multiword"), _SPANS, corpus)
    _update(connection, "sentences", ("sentence",), ("n_words",), _LENGTHS, corpus)


def fill_tree_index(connection: duckdb.DuckDBPyConnection, corpus: str, *, cycles: bool) -> None:
    """Recompute depth, enter, leave and projective of words. cycles: whether they are allowed. Raises InvalidInput."""
    rows = connection.sql(_WORDS, params={"corpus": corpus}).to_arrow_table()
    sentence, offsets, owner = _sentences(rows)
    unparsed = rows["head"].is_null().to_numpy()
    head = _filled(rows["head"], 0)
    parents = np.where((head == 0) | unparsed, -1, offsets[owner] + head - 1)
    longest = int(np.diff(offsets).max(initial=0))
    walks = trees.ancestor_jumps(parents, longest)
    cyclic = np.zeros(len(offsets) - 1, dtype=bool)
    if len(walks.endless):
        cyclic[owner[walks.endless]] = True
        if not cycles:
            raise InvalidInput([*_cycles(corpus, sentence, offsets, parents, cyclic)])
        parents[cyclic[owner]] = -1
        walks = trees.ancestor_jumps(parents, longest)
    index = trees.index_trees(parents, offsets, walks.rounds)
    absent = unparsed | cyclic[owner]
    found = {name: pa.array(values, mask=absent) for name, values in index._asdict().items()}
    made = pa.table({"sentence": rows["sentence"], "word": rows["word"], **found})
    _update(connection, "words", ("sentence", "word"), tuple(found), made, corpus)


def fill_constituents(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute first, last, depth and continuous of phrases. Raises InvalidInput where these are not in preorder."""
    words = connection.sql(_WORDS, params={"corpus": corpus}).to_arrow_table()
    nodes = connection.sql(_NODES, params={"corpus": corpus}).to_arrow_table()
    sentence, offsets, owner = _sentences(nodes)
    n = len(owner)
    parent = _filled(nodes["parent"], 0)
    parents = np.where(parent == 0, -1, offsets[owner] + parent - 1)
    walks = trees.ancestor_jumps(parents, int(np.diff(offsets).max(initial=0))).rounds
    hanging = ~words["phrase"].is_null().to_numpy()
    position = _filled(words["word"], 0)[hanging]
    of_sentence = np.searchsorted(sentence, _filled(words["sentence"], 0)[hanging])
    above = offsets[of_sentence] + _filled(words["phrase"], 0)[hanging] - 1
    first, last, below = trees.phrase_spans(n, above, position, walks)
    index = trees.index_trees(parents, offsets, walks)
    number = np.arange(n) - offsets[owner] + 1
    _check_preorder(corpus, sentence[owner], number, index.enter, below, _find_ordered_siblings(parents, owner, first))
    made = {
        "first": first, "last": last, "depth": index.depth, "continuous": below == last - first + 1
    }  # fmt: skip
    table = pa.table({"sentence": nodes["sentence"], "node": nodes["node"], **made})
    _update(connection, "constituents", ("sentence", "node"), tuple(made), table, corpus)


def _find_ordered_siblings(parents: Ints, owner: Ints, first: Ints) -> Flags:
    """Which phrases begin after the sibling before them, or are the first."""
    family = np.where(parents < 0, -1 - owner, parents)
    order = np.argsort(family, kind="stable")
    later_child = np.append(False, family[order][1:] == family[order][:-1])[: len(order)]
    rising = np.append(True, first[order][1:] > first[order][:-1])[: len(order)]
    ordered = np.empty(len(order), dtype=bool)
    ordered[order] = ~later_child | rising
    return ordered


def _check_preorder(corpus: str, sentence: Ints, number: Ints, enter: Ints, below: Ints, ordered: Flags) -> None:
    faults = []
    for at in np.flatnonzero((below == 0) | (enter != number) | ~ordered)[:FAULTS_SHOWN].tolist():
        place = f"constituents: sentence {sentence[at]}, node {number[at]}"
        if below[at] == 0:
            faults.append(
                Diagnostic.error(corpus, 0, f"{place}: no word is below it", "hang words on it, or delete it")
            )
        else:
            hint = "number nodes in preorder, children in the order of their first words"
            faults.append(Diagnostic.error(corpus, 0, f"{place} is number {enter[at]} in preorder", hint))
    if faults:
        raise InvalidInput(faults)


def _sentences(rows: pa.Table) -> tuple[Ints, Ints, Ints]:
    """The sentences of rows that are sorted by them, where each begins and ends, and the index of each row's."""
    sentence, counts = np.unique(_filled(rows["sentence"], 0), return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return sentence, offsets, np.repeat(np.arange(len(sentence)), counts)


def _filled(column: pa.ChunkedArray, value: int) -> Ints:
    return np.asarray(column.fill_null(value).to_numpy(), dtype=np.int64)


def _cycles(corpus: str, sentence: Ints, offsets: Ints, parents: Ints, cyclic: Flags) -> Iterable[Diagnostic]:
    for at in np.flatnonzero(cyclic)[:FAULTS_SHOWN].tolist():
        heads = (parents[offsets[at] : offsets[at + 1]] - offsets[at] + 1).tolist()
        what = f"words: sentence {sentence[at]}: {describe_cycle(find_cycle(heads))}"
        yield Diagnostic.error(corpus, 0, what, "give one of them another head")


def _update(
    connection: duckdb.DuckDBPyConnection, table: str, key: Sequence[str], columns: Sequence[str],
    made: str | pa.Table, corpus: str,
) -> None:  # fmt: skip
    """Write columns of a table where they differ. made: the new values, a SELECT or rows."""
    if isinstance(made, pa.Table):
        connection.register("recomputed", made)
    source = f"({made})" if isinstance(made, str) else "recomputed"
    values = ", ".join(f"{quote(name)} = m.{quote(name)}" for name in columns)
    matched = " AND ".join(f"t.{quote(name)} = m.{quote(name)}" for name in key)
    differ = " OR ".join(f"t.{quote(name)} IS DISTINCT FROM m.{quote(name)}" for name in columns)
    sql = f"UPDATE {table} AS t SET {values} FROM {source} AS m WHERE t.corpus = $corpus AND {matched} AND ({differ})"
    try:
        connection.execute(sql, {"corpus": corpus})
    finally:
        if isinstance(made, pa.Table):
            connection.unregister("recomputed")


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
      FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence IN ({CHANGED_IN} 'sentences')) AS m
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
      WHERE k.corpus = $corpus AND k.sentence IN ({CHANGED_IN} 'sentences')) AS c ON c.sentence = s.sentence
WHERE s.corpus = $corpus AND (c.comment IS NULL OR c.comment NOT LIKE '#%' OR contains(c.comment, chr(10))
                              OR contains(c.comment, chr(13)) OR contains(c.comment, chr(0)))
"""
_PARTS = f"""
SELECT w.sentence, w.word AS dependent, 0 AS dependent_index, unnest(string_split(w.deps, '|')) AS part
FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN ({CHANGED}) AND w.deps IS NOT NULL
UNION ALL
SELECT e.sentence, e.word, e."index", unnest(string_split(e.deps, '|')) AS part
FROM empty_nodes AS e WHERE e.corpus = $corpus AND e.sentence IN ({CHANGED}) AND e.deps IS NOT NULL
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
FROM lattice_edges AS e WHERE e.corpus = $corpus AND e.sentence IN ({CHANGED})
"""
_LATTICES = f"""
SELECT l.sentence, l.n_nodes, count(e.edge) AS n_edges
FROM lattices AS l LEFT JOIN lattice_edges AS e ON e.corpus = l.corpus AND e.sentence = l.sentence
WHERE l.corpus = $corpus AND l.sentence IN ({CHANGED})
GROUP BY l.sentence, l.n_nodes ORDER BY l.sentence
"""
_LATTICE_EDGES = f"""
SELECT e.from_node, e.to_node FROM lattice_edges AS e
WHERE e.corpus = $corpus AND e.sentence IN ({CHANGED}) ORDER BY e.sentence, e.edge
"""


def fill_metadata(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute sent_id, text, newdoc and newpar of sentences from their comments. Raises InvalidInput."""
    check_none(connection, corpus, [_BAD_COMMENTS])
    found = connection.execute(f"{_RENAMED} ORDER BY ALL LIMIT {FAULTS_SHOWN}", {"corpus": corpus}).fetchall()
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
    check_none(connection, corpus, [_BAD_DEPS])
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
    incomplete = np.flatnonzero(shape.complete == 0)[:FAULTS_SHOWN].tolist()
    if incomplete:
        what = "lattice_edges: sentence {}: no path leads from the first node to the last"
        hint = "let at least one"
        raise InvalidInput([Diagnostic.error(corpus, 0, what.format(rows["sentence"][at]), hint) for at in incomplete])
    made = pa.table({"sentence": rows["sentence"], "n_edges": rows["n_edges"], "dead_edges": shape.dead_edges})
    _update(connection, "lattices", ("sentence",), ("n_edges", "dead_edges"), made, corpus)


def fill_text(connection: duckdb.DuckDBPyConnection, corpus: str) -> None:
    """Recompute the lines of a plain text whose words differ from them."""
    sql = f"""
    UPDATE sentences AS t SET text = m.text
    FROM (SELECT s.sentence, coalesce(string_agg(w.form, ' ' ORDER BY w.word), '') AS text
          FROM sentences AS s LEFT JOIN words AS w ON w.corpus = s.corpus AND w.sentence = s.sentence
          WHERE s.corpus = $corpus AND s.sentence IN ({CHANGED})
          GROUP BY s.sentence) AS m
    WHERE t.corpus = $corpus AND t.sentence = m.sentence
      AND trim(regexp_replace(coalesce(t.text, ''), '[ \\t\\r]+', ' ', 'g')) <> m.text
    """
    connection.execute(sql, {"corpus": corpus})


def _replace(
    connection: duckdb.DuckDBPyConnection, corpus: str, table: str, columns: str, made: str, source: str
) -> None:
    """Replace the rows of a table in sentences where they differ from those of `made`. Raises InvalidInput."""
    there = f"SELECT {columns} FROM {table} WHERE corpus = $corpus AND sentence IN ({CHANGED})"
    differ = f"""
    SELECT DISTINCT x.sentence FROM ((({there}) EXCEPT ALL ({made})) UNION ALL (({made}) EXCEPT ALL ({there}))) AS x
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE differing AS {differ}", {"corpus": corpus})
    by_user = f"x.sentence IN ({CHANGED_IN} '{table}')"
    sql = f"SELECT x.sentence FROM differing AS x WHERE {by_user} ORDER BY 1 LIMIT {FAULTS_SHOWN}"
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


def _quoted(value: str | None) -> str:
    return "NULL" if value is None else f"`{value}`"


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
