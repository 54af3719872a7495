"""Columns and rows that are derived from others, as schemas/ declares them: recomputed where sentences were changed
through SQL, and compared where a data set has them.

Rows that are already right are not written. Where a user changed derived rows and they disagree with their source, the
change is refused rather than lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Derived, Table, quote
from treesql.errors import FAULTS_SHOWN
from treesql.kernels.arrays import Bytes, Flags, Ints
from treesql.kernels.scanning import text
from treesql.kernels.trees import trees
from treesql.readers.dependencies.columns import METADATA, find_metadata
from treesql.readers.dependencies.enhanced_edges import split_deps
from treesql.readers.dependencies.sentences import describe_cycle, find_cycle
from treesql.readers.fields import Text
from treesql.runtime.arrays import array_of, call, cast, cast_rows, differs_from_previous, flags, integers
from treesql.storage.row_rules import CheckedRows, RuleFault, list_columns, own_key, shown_value

_MADE = "derived rows"
"""Name of a view of rows that a function has computed."""

_SELECT_MADE = f"SELECT * FROM {quote(_MADE)}"

Given = Mapping[str, pa.Table]
"""By table, the columns that a function reads, in the order of the keys."""

MadeRows = tuple[Mapping[str, pa.Array], list[RuleFault]]
"""The columns of a derivation, as long as its rows, and what is wrong with these."""


def rows_of(rows: CheckedRows, table: Table, derived: Derived, faults: list[RuleFault], *, cycles: bool) -> pa.Table:
    """The key and the columns of a derivation.

    cycles: whether heads may form some. What is wrong with the rows that it is derived from is added to faults.
    """
    return _compute(rows, table, derived, faults, cycles=cycles) if derived.function else rows.arrow(derived.rows)


def _compute(rows: CheckedRows, table: Table, derived: Derived, faults: list[RuleFault], *, cycles: bool) -> pa.Table:
    """The key and the columns of a derivation by a function. faults, cycles: as for `rows_of`."""
    given = {
        name: rows.read(schemas.table(name), columns, whole=derived.whole).combine_chunks()
        for name, columns in derived.reads.items()
    }
    columns, new_faults = _FUNCTIONS[str(derived.function)](given, rows.characters, cycles)
    faults += new_faults[: rows.limit]
    n = max(map(len, columns.values()), default=0)
    key = {name: given[table.name][name].slice(0, n) for name in own_key(table) if derived.columns}
    return pa.table({**key, **columns})


def find_stale(rows: CheckedRows, table: Table, derived: Derived, *, cycles: bool) -> Iterator[RuleFault]:
    """What is wrong with derived columns or rows. cycles: as for `rows_of`."""
    faults: list[RuleFault] = []
    computed = _compute(rows, table, derived, faults, cycles=cycles) if derived.function else None
    if faults:
        yield from faults
        return
    known = table.names if rows.columns is None else rows.columns[table.name]
    key = () if derived.columns else own_key(table)
    columns = [*key, *(name for name in derived.columns or table.names if name not in table.key and name in known)]
    if rows.stored is not None and (derived.columns or computed is not None):
        there = rows.stored[table.name].select(columns)
        expected = rows.arrow(derived.rows) if computed is None else computed
        if len(there) == len(expected) and there.equals(cast_rows(expected, there.schema)):
            return
    if computed is not None:
        rows.connection.register(_MADE, computed)
    try:
        made = derived.rows if computed is None else _SELECT_MADE
        if derived.columns or not _have_same_sums(rows, table, derived, columns, made):
            yield from _find_differences(rows, table, derived, columns, made)
    finally:
        _forget(rows, derived)


def fill(rows: CheckedRows, table: Table, derived: Derived, corpus: str, *, cycles: bool) -> list[RuleFault]:
    """Write derived columns, or the rows of a derived table, where they differ; returns what is wrong.

    The table `differing` has the sentences of a derived table whose rows were replaced.
    """
    faults: list[RuleFault] = []
    made = derived.rows
    if derived.function:
        rows.connection.register(_MADE, _compute(rows, table, derived, faults, cycles=cycles))
        made = _SELECT_MADE
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


def _have_same_sums(rows: CheckedRows, table: Table, derived: Derived, columns: Sequence[str], made: str) -> bool:
    """Whether the rows of a table and those of `made` have equal sums of hashes, which no order changes."""
    sums = f"SELECT count(*), sum(hash({list_columns(columns, 'found')})) FROM ({{}}) AS found"
    both = f"{sums.format(f'FROM {table.name}')} UNION ALL {sums.format(made)}"
    stored_sums, derived_sums = rows.execute(both, whole=derived.whole).fetchall()
    return bool(stored_sums == derived_sums)


def _find_differences(
    rows: CheckedRows, table: Table, derived: Derived, columns: Sequence[str], made: str
) -> Iterator[RuleFault]:
    """Rows whose derived columns are not those of `made`, a SELECT; of a derived table, rows that are not in it, and
    then those of it that the table has not."""
    key = own_key(table)
    columns = [name for name in columns if name not in key]
    same = " AND ".join(f"t.{quote(name)} = m.{quote(name)}" for name in key)
    differ = [f"t.{quote(name)} IS DISTINCT FROM m.{quote(name)}" for name in columns]
    pairs = [f"t.{quote(name)} AS {quote(name)}, m.{quote(name)} AS {quote(f'made {name}')}" for name in columns]
    shown = ", ".join([list_columns(key), *pairs, "m.sentence IS NOT NULL AS is_derived"])
    join = "JOIN" if derived.columns else "LEFT JOIN"
    wrong = rows.first(
        f"""
        SELECT {shown} FROM {table.name} AS t {join} ({made}) AS m ON {same}
        WHERE {" OR ".join(differ if derived.columns else [*differ, "m.sentence IS NULL"])}""",
        whole=derived.whole,
    )
    hint = f"change {derived.source}, from which it is derived"
    for row in wrong:
        what = f"it is not derived from {derived.source}"
        if row["is_derived"]:
            name = next(name for name in columns if row[name] != row[f"made {name}"])
            what = f"{name} is {shown_value(row[name])}, and by {derived.source} {shown_value(row[f'made {name}'])}"
        yield RuleFault(table.name, {name: row[name] for name in key}, what, hint)
    if derived.columns or len(wrong) == rows.limit:
        return
    missing = rows.first(
        f"SELECT {list_columns(key, 'm')} FROM ({made}) AS m ANTI JOIN {table.name} AS t ON {same}", whole=derived.whole
    )
    for row in missing[: rows.limit - len(wrong)]:
        shown_key = ", ".join(f"{name} {value}" for name, value in row.items())
        what = f"{shown_key} is derived from {derived.source}, and missing"
        yield RuleFault(table.name, {"sentence": row["sentence"]}, what, hint)


def n_words(given: Given, characters: int, cycles: bool) -> MadeRows:
    """Number of words of sentences."""
    return {"n_words": array_of(_count_rows(given["sentences"], given["words"]))}, []


def n_edges(given: Given, characters: int, cycles: bool) -> MadeRows:
    """Number of edges of lattices."""
    return {"n_edges": array_of(_count_rows(given["lattices"], given["lattice_edges"]))}, []


def _count_rows(sentences: pa.Table, rows: pa.Table) -> Ints:
    """The number of rows that each sentence has."""
    sentence, of_rows = integers(sentences["sentence"]), integers(rows["sentence"])
    return np.searchsorted(of_rows, sentence, side="right") - np.searchsorted(of_rows, sentence)


def metadata(given: Given, characters: int, cycles: bool) -> MadeRows:
    """sent_id, text, newdoc and newpar of sentences, given their comments; the id is left out where that of the corpus
    is, and of rows that have none."""
    rows = given["sentences"]
    comments = rows["comments"].combine_chunks()
    raw, starts, lengths = string_bytes(call("list_flatten", comments))
    owner = np.repeat(np.arange(len(rows)), integers(call("list_value_length", comments)))
    made = find_metadata(Text(raw.tobytes()), (starts, lengths), owner, len(rows), METADATA)
    reading = given["corpora"]["reading"][0].as_py() if len(rows) else ""
    if reading is None or "ids:none" in reading.split():
        absent = call("is_null", rows["sent_id"].combine_chunks())
        made["sent_id"] = call("if_else", absent, pa.nulls(len(rows), pa.string()), cast(made["sent_id"], pa.string()))
    return made, []


def spans(given: Given, characters: int, cycles: bool) -> MadeRows:
    """Where words begin and end in the text without blanks, and whether a token of several words has them; given the
    words, the tokens, and the number of characters before."""
    words, tokens = given["words"], given["tokens"]
    sentence, word = integers(words["sentence"]), integers(words["word"])
    of_token, first, last = (integers(tokens[name]) for name in ("sentence", "first", "last"))
    width, token_width = (_widths(*string_bytes(rows["form"].combine_chunks())) for rows in (words, tokens))
    places = np.searchsorted(sentence << 32 | word, of_token << 32 | first)
    sizes = last - first + 1
    within = np.repeat(places - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
    multiword = np.zeros(len(words), dtype=np.bool_)
    multiword[within] = True
    width[within] = 0
    width[places] = token_width
    ends = np.cumsum(width) + characters
    width[within] = np.repeat(token_width, sizes)
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


def tree_index(given: Given, characters: int, cycles: bool) -> MadeRows:
    """Depth, enter, leave and projective of words with heads, which are words of their sentences or 0."""
    rows = given["words"]
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


def phrase_index(given: Given, characters: int, cycles: bool) -> MadeRows:
    """First, last, depth and continuous of phrases, given their parents, which precede them, and the words on each."""
    sentence, offsets, owner = _sentences(given["constituents"])
    parent = integers(given["constituents"]["parent"], 0)
    parents = np.where(parent == 0, -1, offsets[owner] + parent - 1)
    walks = trees.ancestor_jumps(parents, int(np.diff(offsets).max(initial=0))).rounds
    phrase = integers(given["words"]["phrase"], 0)
    below_phrase = np.flatnonzero(phrase)
    position = integers(given["words"]["word"])[below_phrase]
    above = offsets[np.searchsorted(sentence, integers(given["words"]["sentence"])[below_phrase])]
    above += phrase[below_phrase] - 1
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


def enhanced_edges(given: Given, characters: int, cycles: bool) -> MadeRows:
    """The edges of DEPS of words and empty nodes, which are as DEPS must be, in the order of these."""
    pieces, texts, n_bytes = [], [], 0
    for rows in (given["words"], given["empty_nodes"]):
        deps = rows["deps"].combine_chunks()
        raw, starts, lengths = string_bytes(deps)
        there = np.flatnonzero(flags(call("is_valid", deps)))
        entries = split_deps(raw, there, (starts[there], lengths[there]))
        number = integers(rows["index"]) if "index" in rows.column_names else np.zeros(len(rows), dtype=np.int64)
        of_rows = (integers(rows["sentence"]), integers(rows["word"]), number)
        start, length = entries.relation
        edges = (entries.head, entries.head_index, start + n_bytes, length)
        pieces.append([*(values[entries.rows] for values in of_rows), *edges])
        texts.append(raw)
        n_bytes += len(raw)
    of_words, of_nodes = (piece[0] << 32 | piece[1] for piece in pieces)
    columns = pieces[0]
    if len(of_nodes):
        after = np.searchsorted(of_words, of_nodes, side="right")
        order = np.insert(np.arange(len(of_words)), after, len(of_words) + np.arange(len(of_nodes)))
        columns = [np.concatenate(values)[order] for values in zip(*pieces, strict=True)]
    *numbers, start, length = columns
    names = ("sentence", "dependent", "dependent_index", "head", "head_index")
    made = {name: array_of(values) for name, values in zip(names, numbers, strict=True)}
    relation = Text(np.concatenate(texts).tobytes()).strings((start, length))
    return {**made, "deprel": cast(relation, pa.string())}, []


def dead_edges(given: Given, characters: int, cycles: bool) -> MadeRows:
    """The number of edges of lattices that are on no path, given the nodes of their edges."""
    from treesql.kernels.lattices.lattices import lattice_structure, used_nodes  # here, as few commands need it

    edges, sentence = given["lattice_edges"], integers(given["lattices"]["sentence"])
    counts, nodes = _count_rows(given["lattices"], edges), integers(given["lattices"]["n_nodes"], 1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    of_edges = [integers(edges[name]) for name in ("from_node", "to_node")]
    if int(nodes.sum()) > 2 * int(offsets[-1]) + 2 * len(nodes):  # pruning leaves nodes without edges
        nodes, *of_edges = used_nodes(nodes, np.repeat(np.arange(len(nodes)), counts), *of_edges)
    shape = lattice_structure(nodes, offsets, *of_edges)
    what, hint = "no path leads from the first node to the last", "let at least one"
    return {"dead_edges": array_of(shape.dead_edges)}, [
        RuleFault("lattices", {"sentence": int(sentence[at])}, what, hint)
        for at in np.flatnonzero(shape.complete == 0)[:FAULTS_SHOWN].tolist()
    ]


_FUNCTIONS: Mapping[str, Callable[[Given, int, bool], MadeRows]] = {
    function.__name__: function
    for function in (n_words, n_edges, metadata, spans, tree_index, phrase_index, enhanced_edges, dead_edges)
}
"""The functions that schemas/ names, by name: of rows, the number of characters before them, and whether heads may form
cycles."""


def string_bytes(values: pa.Array) -> tuple[Bytes, Ints, Ints]:
    """The bytes of texts, and where each starts and how long it is."""
    if not len(values):
        none = np.zeros(0, dtype=np.int64)
        return np.zeros(0, dtype=np.uint8), none, none
    values = cast(values, pa.string())
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
    of_rows = integers(rows["sentence"])
    starts = np.flatnonzero(differs_from_previous(of_rows))
    offsets = np.append(starts, len(of_rows))
    return of_rows[starts], offsets, np.repeat(np.arange(len(starts)), np.diff(offsets))


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
