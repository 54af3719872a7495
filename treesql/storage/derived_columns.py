"""Columns that are derived from others at load, recomputed for sentences that were changed through SQL.

The table `changed_sentences` names these sentences. Rows that are already right are not written.
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

_FAULTS_SHOWN = 20

_OF_CHANGED = """t.corpus = $corpus AND t.sentence IN (
    SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus)"""
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
    update(connection, "words", ("sentence", "word"), ("span_start", "span_end", "multiword"), _SPANS, corpus)
    update(connection, "sentences", ("sentence",), ("n_words",), _LENGTHS, corpus)


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
    update(connection, "words", ("sentence", "word"), tuple(found), made, corpus)


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
    update(connection, "constituents", ("sentence", "node"), tuple(made), table, corpus)


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
    for at in np.flatnonzero((below == 0) | (enter != number) | ~ordered)[:_FAULTS_SHOWN].tolist():
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
    for at in np.flatnonzero(cyclic)[:_FAULTS_SHOWN].tolist():
        heads = (parents[offsets[at] : offsets[at + 1]] - offsets[at] + 1).tolist()
        what = f"words: sentence {sentence[at]}: {describe_cycle(find_cycle(heads))}"
        yield Diagnostic.error(corpus, 0, what, "give one of them another head")


def update(
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
