"""Columns and rows that are derived from others, as schemas/ declares them: recomputed where sentences were changed
through SQL, and compared where a data set has them.

Rows that are already right are not written. Where a user changed derived rows and they disagree with their source, the
change is refused rather than lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from treesql.catalog.schemas import Derived, Table, quote
from treesql.errors import FAULTS_SHOWN
from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.kernels.scanning import text
from treesql.kernels.trees import trees
from treesql.readers.dependencies.columns import METADATA, find_metadata
from treesql.readers.dependencies.sentences import describe_cycle, find_cycle
from treesql.readers.fields import Text
from treesql.runtime.arrays import array_of, integers
from treesql.runtime.arrays import compute as pc
from treesql.storage.row_rules import CheckedRows, RuleFault, find_stale_values, own_key

_MADE = "derived rows"
"""Name of a view of rows that a function has computed."""

MadeRows = tuple[Mapping[str, pa.Array], list[RuleFault]]
"""The columns of a derivation, as long as its rows, and what is wrong with these."""


def columns_of(
    rows: CheckedRows, table: Table, derived: Derived, faults: list[RuleFault], *, cycles: bool
) -> tuple[str, pa.Table | None]:
    """SQL for the key and the columns of a derivation, and its rows where a function computes them.

    cycles: whether heads may form some. What is wrong with the rows that it is derived from is added to faults.
    """
    if derived.function is None:
        return derived.rows, None
    given = _in_order(rows.arrow(derived.rows, whole=derived.whole).combine_chunks(), own_key(table))
    columns, new_faults = _FUNCTIONS[derived.function](given, cycles)
    faults += new_faults[: rows.limit]
    n = max(map(len, columns.values()), default=0)
    key = {name: given[name].slice(0, n) for name in own_key(table)}
    computed = pa.table({**key, **columns})
    rows.connection.register(_MADE, computed)
    return f"SELECT * FROM {quote(_MADE)}", computed


def find_stale(rows: CheckedRows, table: Table, derived: Derived, *, cycles: bool) -> Iterator[RuleFault]:
    """What is wrong with derived columns or rows. cycles: as for `columns_of`."""
    faults: list[RuleFault] = []
    made, computed = columns_of(rows, table, derived, faults, cycles=cycles)
    try:
        yield from faults or find_stale_values(rows, table, derived, made, computed)
    finally:
        _forget(rows, derived)


def fill(rows: CheckedRows, table: Table, derived: Derived, corpus: str, *, cycles: bool) -> list[RuleFault]:
    """Write derived columns, or the rows of a derived table, where they differ; returns what is wrong.

    The table `differing` has the sentences of a derived table whose rows were replaced.
    """
    faults: list[RuleFault] = []
    made, _ = columns_of(rows, table, derived, faults, cycles=cycles)
    try:
        if not faults:
            statement = rows.statement(made, whole=derived.whole)
            if derived.columns:
                _update(rows, table, derived.columns, statement, corpus)
            else:
                _replace(rows, table, statement, corpus)
    finally:
        _forget(rows, derived)
    return faults


def _forget(rows: CheckedRows, derived: Derived) -> None:
    if derived.function is not None:
        rows.connection.unregister(_MADE)


def _in_order(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """Rows sorted by a key of one or two small integers, those with a value of `last` behind the others."""
    numbers = integers(rows[key[0]])
    if len(key) > 1:
        numbers = numbers << 32 | integers(rows[key[1]])
    if "last" in rows.column_names:
        numbers[integers(rows["last"]) > 0] |= np.int64(1) << 62
    return rows if (numbers[1:] >= numbers[:-1]).all() else rows.take(array_of(np.argsort(numbers, kind="stable")))


def metadata(rows: pa.Table, cycles: bool) -> MadeRows:
    """sent_id, text, newdoc and newpar of sentences, given their comments; the id is left out where that of the corpus
    is, and of rows that have none."""
    comments = rows["comments"].combine_chunks()
    raw, starts, lengths = string_bytes(comments.flatten())
    owner = np.repeat(np.arange(len(rows)), integers(comments.value_lengths(), 0))
    made = find_metadata(Text(raw.tobytes()), (starts, lengths), owner, len(rows), METADATA)
    reading = rows["reading"][0].as_py() if len(rows) else ""
    if reading is None or "ids:none" in reading.split():
        made["sent_id"] = pc.if_else(
            rows["sent_id"].combine_chunks().is_null(), None, made["sent_id"].cast(pa.string())
        )
    return made, []


def spans(rows: pa.Table, cycles: bool) -> MadeRows:
    """Where words begin and end in the text without blanks, and whether a token of several words has them; given the
    words, the tokens, which have a last word, and the number of characters before."""
    last = integers(rows["last"], 0)
    n = int((last == 0).sum())
    sentence, word = integers(rows["sentence"]), integers(rows["word"])
    widths = _widths(*string_bytes(rows["form"].combine_chunks()))
    width, tokens = widths[:n].copy(), slice(n, len(last))
    places = np.searchsorted(sentence[:n] << 32 | word[:n], sentence[tokens] << 32 | word[tokens])
    sizes = last[tokens] - word[tokens] + 1
    within = np.repeat(places - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
    multiword = np.zeros(n, dtype=np.bool_)
    multiword[within] = True
    width[within] = 0
    width[places] = widths[tokens]
    ends = np.cumsum(width) + (int(rows["characters"][0].as_py()) if n else 0)
    width[within] = np.repeat(widths[tokens], sizes)
    return {"span_start": array_of(ends - width), "span_end": array_of(ends), "multiword": array_of(multiword)}, []


def _widths(raw: Bytes, starts: Ints, lengths: Ints) -> Ints:
    """The number of characters of texts without those of category Zs, by running sums over all bytes."""
    uncounted = text.utf8_continuation_bytes(raw)
    if not len(uncounted):
        return lengths.copy()
    flags = np.zeros(len(raw) + 1, dtype=np.int32)
    flags[uncounted + 1] = 1
    before = np.cumsum(flags, dtype=np.int32)
    width: Ints = lengths - (before[starts + lengths] - before[starts])
    return width


def tree_index(rows: pa.Table, cycles: bool) -> MadeRows:
    """Depth, enter, leave and projective of words with heads, which are words of their sentences or 0."""
    sentence, offsets, owner = _sentences(rows)
    unparsed = integers(rows["head"], -1) < 0
    head = integers(rows["head"], 0)
    parents = np.where((head == 0) | unparsed, -1, offsets[owner] + head - 1)
    longest = int(np.diff(offsets).max(initial=0))
    walks = trees.ancestor_jumps(parents, longest)
    cyclic = np.zeros(len(offsets) - 1, dtype=bool)
    faults: list[RuleFault] = []
    if len(walks.endless):
        cyclic[owner[walks.endless]] = True
        if not cycles:
            return {}, list(_find_cycles(sentence, offsets, parents, cyclic))
        parents[cyclic[owner]] = -1
        walks = trees.ancestor_jumps(parents, longest)
    index = trees.index_trees(parents, offsets, walks.rounds)
    absent = unparsed | cyclic[owner]
    return {name: array_of(values, absent) for name, values in index._asdict().items()}, faults


def phrase_index(rows: pa.Table, cycles: bool) -> MadeRows:
    """First, last, depth and continuous of phrases, given their parents, which precede them, and the words on each."""
    sentence, offsets, owner = _sentences(rows)
    parent = integers(rows["parent"], 0)
    parents = np.where(parent == 0, -1, offsets[owner] + parent - 1)
    walks = trees.ancestor_jumps(parents, int(np.diff(offsets).max(initial=0))).rounds
    words = rows["words"].combine_chunks()
    position = integers(words.flatten())
    above = np.repeat(np.arange(len(owner)), integers(words.value_lengths(), 0))
    first, last, below = trees.phrase_spans(len(owner), above, position, walks)
    index = trees.index_trees(parents, offsets, walks)
    number = np.arange(len(owner)) - offsets[owner] + 1
    wrong = (below == 0) | (index.enter != number) | ~_find_ordered_siblings(parents, owner, first)
    made = {"first": first, "last": last, "depth": index.depth, "continuous": below == last - first + 1}
    return {name: array_of(values) for name, values in made.items()}, [
        RuleFault(
            "constituents",
            {"sentence": int(sentence[owner[at]]), "node": int(number[at])},
            "no word is below it" if below[at] == 0 else f"in preorder it is number {index.enter[at]}",
            "hang words on it, or delete it"
            if below[at] == 0
            else "number nodes in preorder, children in the order of their first words",
        )
        for at in np.flatnonzero(wrong)[:FAULTS_SHOWN].tolist()
    ]


def dead_edges(rows: pa.Table, cycles: bool) -> MadeRows:
    """The number of edges of lattices that are on no path, given the nodes of their edges."""
    from treesql.kernels.lattices.lattices import lattice_structure, used_nodes  # here, as few commands need it

    begins, ends = (rows[name].combine_chunks() for name in ("begins", "ends"))
    lengths = integers(begins.value_lengths())
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    nodes, of_edges = integers(rows["n_nodes"], 1), [integers(nodes.flatten()) for nodes in (begins, ends)]
    if int(nodes.sum()) > 2 * int(offsets[-1]) + 2 * len(nodes):  # pruning leaves nodes without edges
        nodes, *of_edges = used_nodes(nodes, np.repeat(np.arange(len(nodes)), lengths), *of_edges)
    shape = lattice_structure(nodes, offsets, *of_edges)
    sentence = integers(rows["sentence"], 0)
    what, hint = "no path leads from the first node to the last", "let at least one"
    return {"dead_edges": array_of(shape.dead_edges)}, [
        RuleFault("lattices", {"sentence": int(sentence[at])}, what, hint)
        for at in np.flatnonzero(shape.complete == 0)[:FAULTS_SHOWN].tolist()
    ]


_FUNCTIONS: Mapping[str, Callable[[pa.Table, bool], MadeRows]] = {
    one.__name__: one for one in (metadata, spans, tree_index, phrase_index, dead_edges)
}  # fmt: skip
"""The functions that schemas/ names, by name."""


def string_bytes(values: pa.Array) -> tuple[Bytes, Ints, Ints]:
    """The bytes of texts, and where each starts and how long it is."""
    if not len(values):
        none = np.zeros(0, dtype=np.int64)
        return np.zeros(0, dtype=np.uint8), none, none
    values = values.cast(pa.string())
    _, buffer, data = values.buffers()
    offsets = np.frombuffer(buffer, np.int32, len(values) + 1, values.offset * 4).astype(np.int64)
    raw = np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]]
    return raw, offsets[:-1] - offsets[0], np.diff(offsets)


def _find_ordered_siblings(parents: Ints, owner: Ints, first: Ints) -> Flags:
    """Which phrases begin after the sibling before them, or are the first."""
    family = np.where(parents < 0, -1 - owner, parents)
    order = np.argsort(family, kind="stable")
    later_child = np.append(False, family[order][1:] == family[order][:-1])[: len(order)]
    rising = np.append(True, first[order][1:] > first[order][:-1])[: len(order)]
    ordered = np.empty(len(order), dtype=bool)
    ordered[order] = ~later_child | rising
    return ordered


def _sentences(rows: pa.Table) -> tuple[Ints, Ints, Ints]:
    """The sentences of rows that are sorted by them, where each begins and ends, and the index of each row's."""
    sentence, counts = np.unique(integers(rows["sentence"], 0), return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return sentence, offsets, np.repeat(np.arange(len(sentence)), counts)


def _find_cycles(sentence: Ints, offsets: Ints, parents: Ints, cyclic: Flags) -> Iterator[RuleFault]:
    for at in np.flatnonzero(cyclic)[:FAULTS_SHOWN].tolist():
        heads = (parents[offsets[at] : offsets[at + 1]] - offsets[at] + 1).tolist()
        what = describe_cycle(find_cycle(heads))
        yield RuleFault(
            "words", {"sentence": int(sentence[at])}, what, "give one of them another head, or load with --permissive"
        )


def _update(rows: CheckedRows, table: Table, columns: Sequence[str], made: str, corpus: str) -> None:
    """Write columns of a table where they differ from those of `made`."""
    values = ", ".join(f"{quote(name)} = m.{quote(name)}" for name in columns)
    matched = " AND ".join(f"t.{quote(name)} = m.{quote(name)}" for name in own_key(table))
    differ = " OR ".join(f"t.{quote(name)} IS DISTINCT FROM m.{quote(name)}" for name in columns)
    changed = f"t.corpus = $corpus AND {matched} AND ({differ})"
    sql = f"UPDATE main.{table.name} AS t SET {values} FROM ({made}) AS m WHERE {changed}"
    rows.connection.execute(sql, {**rows.values, "corpus": corpus})


def _replace(rows: CheckedRows, table: Table, made: str, corpus: str) -> None:
    """Replace the rows of a table in sentences where they differ from those of `made`."""
    columns = ", ".join(quote(name) for name in table.names if name != "corpus")
    there, connection = f"SELECT {columns} FROM ({rows.tables[table.name]}) AS t", rows.connection
    made = f"SELECT {columns} FROM ({made}) AS m"
    differ = f"""
    SELECT DISTINCT x.sentence FROM ((({there}) EXCEPT ALL ({made})) UNION ALL (({made}) EXCEPT ALL ({there}))) AS x"""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE differing AS {differ}", rows.values)
    chosen = "sentence IN (SELECT x.sentence FROM differing AS x)"
    connection.execute(f"DELETE FROM main.{table.name} WHERE corpus = $corpus AND {chosen}", {"corpus": corpus})
    insert = f"INSERT INTO main.{table.name} (corpus, {columns})"
    sql = f"{insert} SELECT $corpus, {columns} FROM ({made}) AS m WHERE {chosen}"
    connection.execute(sql, {**rows.values, "corpus": corpus})
