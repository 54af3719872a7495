"""Corpora of Parquet data sets: the rows of their tables in blocks of whole sentences, each checked by the rules of
schemas/ before it is used.

The rows of a table stand in the order of their keys, as `treesql export` writes them, so that a block is a piece of
every table. Rules run in a database in memory, over the rows in Arrow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pyarrow as pa

from treesql import readers
from treesql.catalog import schemas
from treesql.catalog.schemas import Derived, Rule, Table, quote
from treesql.catalog.sql_text import words
from treesql.engines import connections
from treesql.errors import Diagnostic, InvalidInput
from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State, column_names_in, find_column_faults, parquet
from treesql.readers.alignments.links import LinkWarnings
from treesql.readers.dependencies.columns import FINDINGS, RepeatedFeatures
from treesql.readers.fields import max_faults
from treesql.readers.lattices.lattices import LatticeWarnings
from treesql.readers.parquet import HINT
from treesql.readers.source import Source
from treesql.runtime.arrays import array_of, call, cast_rows, flags, integers, keep_freed_memory
from treesql.storage import derived_rows, row_rules
from treesql.storage.row_rules import NO_SENTENCES, CheckedRows, RuleFault, own_key, view_of

BLOCK_ROWS = 1 << 17
"""Number of rows of a table from which they are a block, if they are more than one sentence."""

_NAMES = ("sentence", "sent_id", "file")
"""Columns of sentences that are kept of the whole corpus: for ids that are there twice, and for warnings."""

_ALWAYS = {"corpora": ("kind", "format"), "sentences": ("n_words",)}
"""Columns that are read whatever is wanted, beside keys."""


class StoredTable:
    """The rows of one table of a corpus, file by file, of which pieces are taken.

    `rows`: those that were taken last, n_before: the number of those taken before; n_waiting: that of rows that were
    read and not taken, of which the last one is of `last_sentence`. ended: whether all were read.
    """

    def __init__(self, table: Table, files: Iterable[str], state: State, options: Options) -> None:
        self.table = table
        self.ended = False
        self._files = [(path, Source(path, digest=False)) for path in files]
        self._starts: list[int] = []
        self._n_read = 0
        self.last_sentence = -1
        self.n_waiting = self.n_before = 0
        self._waiting: list[pa.RecordBatch] = []
        self._batches = self._read(state, options)
        columns = [
            column for column in table.columns[1:] if column.name in table.key or options.wants(table.name, column.name)
        ]
        types = [(column.name, column.plain_type) for column in columns if not column.computed]
        self._schema = pa.schema(types)
        self.rows = pa.Table.from_batches([], self._schema)

    def _read(self, state: State, options: Options) -> Iterator[pa.RecordBatch]:
        for _, source in self._files:
            self._starts.append(self._n_read)
            for batch in readers.read(source, readers.PARQUET, state, options):
                yield cast_rows(batch[self.table.name], self._schema)

    def read_more(self) -> None:
        """Read the next rows. Raises InvalidInput where they do not follow those before."""
        batch = next(self._batches, None)
        if batch is None:
            self.ended = True
            return
        if "sentence" in self.table.names and len(batch):
            sentences = batch.column("sentence")
            if sentences.null_count:
                raise InvalidInput(
                    [self.fault(self._n_read + _first(call("is_null", sentences)), "sentence is missing", HINT)]
                )
            values = integers(sentences)
            fall = np.flatnonzero(values < np.append(self.last_sentence, values[:-1]))
            if len(fall):
                what = f"sentence {values[fall[0]]}: it belongs before the row above"
                raise InvalidInput([self.fault(self._n_read + int(fall[0]), what, HINT)])
            self.last_sentence = int(values[-1])
        self._n_read += len(batch)
        self.n_waiting += len(batch)
        self._waiting.append(batch)

    def take(self, end: int | None) -> pa.Table:
        """The rows of sentences below `end`, or all that wait."""
        waiting = pa.Table.from_batches(self._waiting, self._schema)
        n = len(waiting) if end is None else int(np.searchsorted(integers(waiting["sentence"]), end))
        self._waiting = waiting.slice(n).to_batches()
        self.n_waiting -= n
        self.n_before, self.rows = self.n_before + len(self.rows), waiting.slice(0, n)
        return self.rows

    def row_of(self, key: Mapping[str, object]) -> int | None:
        """The row of those taken last that has a key, or the part of it that is known; None if none has."""
        among = np.ones(len(self.rows), dtype=np.bool_)
        for name, value in key.items():
            column = self.rows[name]
            among &= flags(call("is_null", column) if value is None else call("equal", column, value))
        places = np.flatnonzero(among)
        if not len(places):
            return None
        return self.n_before + int(places[-1 if {*own_key(self.table)} <= {*key} else 0])

    def fault(self, row: int | None, what: str, hint: str) -> Diagnostic:
        """An error at a row of the table, counted from 0; None where none can be named."""
        if row is None or not self._files:
            return Diagnostic.error(self._files[0][0] if self._files else "", 0, what, hint)
        file = max(int(np.searchsorted(self._starts, row, side="right")) - 1, 0)
        return Diagnostic.error(self._files[file][0], row - self._starts[file] + 1, what, hint)


@dataclass
class _Plan:
    """What is read of a corpus, and checked. read: with the columns that rules need; derived: with their tables; kept:
    by table, columns of which all rows are kept, for rules about the whole corpus and for warnings."""

    kind: str
    read: Options
    rules: list[tuple[Table, Rule]]
    derived: list[tuple[Table, Derived]]
    kept: Mapping[str, list[str]]


def rows_of_data_set(files: Sequence[str], state: State, options: Options) -> Iterator[Batch]:
    """The rows of a corpus of a data set, table by table in blocks of sentences, which follow the rules of schemas/.

    files: of all its tables; part by part, in the order of the rows. Raises InvalidInput.
    """
    by_table: dict[str, list[str]] = defaultdict(list)
    for path in files:
        by_table[parquet.table_of(path)].append(path)
    record = StoredTable(schemas.table("corpora"), by_table["corpora"], state, replace(options, columns=None))
    kind = _check_record(record)
    plan = _plan(kind, options)
    checked = _CorpusChecks(plan, record, options)
    sql = [*(rule.sql for _, rule in plan.rules), *(derivation.sql for _, derivation in plan.derived)]
    functions = words(" ".join(sql)) & {"text_key"}
    keep_freed_memory()
    with connections.connect_alone(functions) as checked.connection:
        checked.connection.execute("SET threads = 1")
        tables = {
            name: StoredTable(table, by_table[name], state, plan.read)
            for name, table in schemas.all_tables().items()
            if "corpus" in table.names and name != "corpora" and plan.read.wants(name)
        }
        for block in checked.blocks(tables):
            if "sentences" in block:
                state.sentences += len(block["sentences"])
            for name, rows in block.items():
                for batch in wanted_rows(name, rows, options):
                    yield {name: batch}
        checked.finish(files[0])
    state.warnings += checked.warnings(lambda name: by_table[name][0] if by_table.get(name) else files[0])


def wanted_rows(name: str, rows: pa.Table, options: Options) -> list[pa.RecordBatch]:
    """The columns of rows that are wanted."""
    key, is_record = schemas.table(name).key, name == "corpora"
    columns = [column for column in rows.column_names if is_record or column in key or options.wants(name, column)]
    return list(rows.select(columns).to_batches()) if is_record or options.wants(name) else []


def _plan(kind: str, options: Options) -> _Plan:
    """What to read of a corpus of a kind, where these columns are wanted: with those that are checked beside them."""
    read = {name: {*columns} for name, columns in (options.columns or {}).items() if name in schemas.all_tables()}
    for name, columns in _ALWAYS.items():
        read.setdefault(name, set()).update(columns)
    chosen: list[tuple[Table, Rule]] = []
    made: list[tuple[Table, Derived]] = []
    tables = [table for table in schemas.corpus_tables() if table.name != "corpora"]
    rules = [
        (table, rule_part)
        for table in tables
        for rule in table.rules
        if schemas.is_of_kind(rule, kind)
        for rule_part in rule.each
    ]
    derived = [
        (table, derivation) for table in tables for derivation in table.derived if schemas.is_of_kind(derivation, kind)
    ]
    if options.columns is None:
        return _Plan(kind, options, rules, derived, _kept(rules))
    given = {*read, "corpora"}
    size = -1
    while size != (size := sum(map(len, read.values()))):  # what is read for a rule follows rules itself
        chosen = [(table, rule) for table, rule in rules if _guards(table, rule, read)]
        made = [(table, derivation) for table, derivation in derived if _is_compared(table, derivation, read, given)]
        every = [(table, rule.sql) for table, rule in chosen] + [(table, derivation.sql) for table, derivation in made]
        for table, sql in every:
            for name, named in schemas.columns_read(f"{sql} {table.name}").items():
                read.setdefault(name, set()).update(named)
    wanted = {name: frozenset(names) for name, names in read.items()}
    return _Plan(kind, replace(options, columns=wanted), chosen, made, _kept(chosen))


def _guards(table: Table, rule: Rule, read: Mapping[str, set[str]]) -> bool:
    """Whether a rule is about columns that are read."""
    columns = schemas.columns_read(f"{rule.sql} {table.name}")[table.name] - {*table.key}
    return table.name in read and (not columns or not columns.isdisjoint(read[table.name]))


def _is_compared(table: Table, derived: Derived, read: Mapping[str, set[str]], given: Collection[str]) -> bool:
    """Whether derived columns are compared: where some are read; rows and their numbers where all tables are wanted."""
    if not derived.columns or derived.counted:
        return {table.name, *schemas.tables_read(derived.sql)} <= {*given}
    return not read.get(table.name, set()).isdisjoint(derived.columns)


def _kept(rules: Iterable[tuple[Table, Rule]]) -> dict[str, list[str]]:
    kept = {"sentences": set(_NAMES)}
    for table, rule in rules:
        if rule.whole:
            kept.setdefault(table.name, set()).update(schemas.columns_read(rule.sql)[table.name])
    return {
        name: [column for column in schemas.table(name).names if column in columns] for name, columns in kept.items()
    }


def _check_record(record: StoredTable) -> str:
    """The kind of a corpus, from its record. Raises InvalidInput."""
    while not record.ended:
        record.read_more()
    rows = record.take(None)
    if rows is None or len(rows) != 1:
        raise InvalidInput([record.fault(0, "a corpus has one row", HINT)])
    [row] = rows.to_pylist()
    faults = row_rules.find_record_faults(row)
    lines = row["global_columns"] or []
    if lines and len(lines) != (len(row["files"] or []) if row["format"] == readers.CONLLU_PLUS else 0):
        faults.append(f"global_columns has {len(lines)} lines for {len(row['files'] or [])} files")
    for line in filter(None, lines):
        names = column_names_in(line)
        column_faults = find_column_faults(names) if names else [("no columns are named", "")]
        faults += [f"global_columns: {what}" for what, _ in column_faults]
    if faults:
        raise InvalidInput([record.fault(0, what, HINT) for what in faults])
    return str(row["kind"])


class _CorpusChecks:
    """The state of checking a corpus: what is known from the blocks before."""

    connection: duckdb.DuckDBPyConnection

    def __init__(self, plan: _Plan, record: StoredTable, options: Options) -> None:
        self._plan, self._options = plan, options
        self._tables: dict[str, StoredTable] = {"corpora": record}
        self._n_sentences = self._n_words = self._n_characters = 0
        self._kept: dict[str, list[pa.Table]] = {name: [] for name in plan.kept}
        self._registered: dict[str, pa.Table] = {}
        self._features = RepeatedFeatures()
        self._warned: list[list[Ints]] = [[] for _ in FINDINGS]
        self._links, self._lattices = LinkWarnings(), LatticeWarnings("row")

    def blocks(self, tables: Mapping[str, StoredTable]) -> Iterator[dict[str, pa.Table]]:
        """The rows of all tables, in blocks that are checked. Raises InvalidInput."""
        self._tables |= tables
        whole = {name: table for name, table in self._tables.items() if "sentence" not in table.table.names}
        for table in whole.values():
            while not table.ended:
                table.read_more()
        first = {name: table.rows if name == "corpora" else table.take(None) for name, table in whole.items()}
        self._check(first, {})
        yield {name: rows for name, rows in first.items() if len(rows)}
        cut = [table for name, table in tables.items() if name not in whole]
        while any(not table.ended or table.n_waiting for table in cut):
            block = {table.table.name: rows for table, rows in zip(cut, _take_block(cut), strict=True)}
            if any(map(len, block.values())):
                self._check(block, first)
                yield block

    def _check(self, block: dict[str, pa.Table], beside: Mapping[str, pa.Table]) -> None:
        """Check the rows of a block. beside: those of tables that are no part of it. Raises InvalidInput."""
        every = {**block, **beside}
        rows = CheckedRows.in_memory(
            self.connection,
            self._plan.kind,
            every,
            self._registered,
            sorted=True,
            sentences=self._n_sentences,
            characters=self._n_characters,
        )
        filled = {name for name, some in block.items() if len(some)}
        for stage in (self._find_column_faults, self._find_structure_faults, self._find_row_faults, self._find_stale):
            self._refuse(stage(rows, filled), block)
        if beside:
            self._note(rows, block)

    def _find_column_faults(self, rows: CheckedRows, filled: Collection[str]) -> Iterator[RuleFault]:
        for name in sorted(filled):
            table = schemas.table(name)
            rules = list(row_rules.column_rules(table, (rows.columns or {})[name]))
            yield from row_rules.find_row_faults(rows, table, [*rules, *self._rules(rows, table, first=True)])

    def _find_structure_faults(self, rows: CheckedRows, filled: Collection[str]) -> Iterator[RuleFault]:
        for name in sorted({*filled} - {"corpora"}):
            yield from row_rules.find_structure_faults(rows, schemas.table(name))

    def _find_row_faults(self, rows: CheckedRows, filled: Collection[str]) -> Iterator[RuleFault]:
        yield from self._compare(rows, filled, counted=True)
        for name in sorted(filled):
            table = schemas.table(name)
            yield from row_rules.find_row_faults(rows, table, self._rules(rows, table, first=False))

    def _rules(self, rows: CheckedRows, table: Table, *, first: bool) -> list[Rule]:
        """The rules of the rows of a table: quick conditions of a row come first, the others once these hold."""
        return [
            rule
            for owner, rule in self._plan.rules
            if owner is table
            and (rule.where is not None and not rule.distinct) is first
            and not rule.whole
            and rows.has(f"{rule.sql} {table.name}")
        ]

    def _find_stale(self, rows: CheckedRows, filled: Collection[str]) -> Iterator[RuleFault]:
        yield from self._compare(rows, filled, counted=False)

    def _compare(self, rows: CheckedRows, filled: Collection[str], *, counted: bool) -> Iterator[RuleFault]:
        for table, derived in self._plan.derived:
            sources = () if derived.columns else schemas.tables_read(derived.sql) - {"sentences"}
            known = derived.counted is counted and table.name in rows.tables and rows.has(derived.sql)
            if known and not {table.name, *sources}.isdisjoint(filled):
                yield from derived_rows.find_stale(rows, table, derived, cycles=self._options.permissive)

    def _refuse(self, faults: Iterable[RuleFault], block: Mapping[str, pa.Table]) -> None:
        """Raises InvalidInput where there are faults, at the rows of the block that have them."""
        diagnostics = []
        for fault in faults:
            stored = self._tables[fault.table]
            rows = block.get(fault.table)
            diagnostics.append(stored.fault(None if rows is None else stored.row_of(fault.key), fault.what, fault.hint))
        if diagnostics:
            raise InvalidInput(diagnostics[: max_faults.get()])

    def _note(self, rows: CheckedRows, block: Mapping[str, pa.Table]) -> None:
        """Keep what later blocks, rules about the whole corpus, and warnings need."""
        for name, columns in self._plan.kept.items():
            if name in block:
                self._kept[name].append(
                    block[name].select([column for column in columns if column in block[name].column_names])
                )
        sentences, of_words = block["sentences"], block.get("words")
        self._n_sentences += len(sentences)
        self._n_words += call("sum", sentences["n_words"]).as_py() or 0
        if of_words is not None and len(of_words) and "span_end" in of_words.column_names:
            self._n_characters = of_words["span_end"][-1].as_py() or 0
        if self._plan.kind == "dependency":
            for place, with_warnings in enumerate(row_rules.find_warned(rows, self._features)):
                self._warned[place].append(with_warnings)
            if self._options.strict and of_words is not None and len(several := self._warned[row_rules.ROOTS][-1]):
                is_root = (integers(of_words["sentence"]) == several[0]) & (integers(of_words["head"], -1) == 0)
                n = int(is_root.sum())
                hint = "give one word head 0, or load without --strict"
                self._refuse([RuleFault("words", {"sentence": int(several[0]), "word": 1}, f"{n} roots", hint)], block)
        elif self._plan.kind == "alignment" and rows.has(row_rules.UNLIKELY):
            self._links.outside += rows.execute(row_rules.UNLIKELY).fetchall()[0][0]
        elif self._plan.kind == "lattice" and "dead_edges" in block["lattices"].column_names:
            numbers, dead = (integers(block["lattices"][name]) for name in ("sentence", "dead_edges"))
            self._lattices.add(numbers + 1, dead)

    def finish(self, path: str) -> None:
        """Check the corpus as a whole. path: of a file of it. Raises InvalidInput."""
        [record] = self._tables["corpora"].rows.to_pylist()
        if (self._n_sentences, self._n_words) != (record["n_sentences"], record["n_words"]):
            what = f"{self._n_sentences} sentences and {self._n_words} words are not what its record says"
            place = self._tables["sentences"].fault(None, what, HINT)
            raise InvalidInput([place if place.path else Diagnostic.error(path, 0, what, HINT)])
        kept = {name: pa.concat_tables(pieces) for name, pieces in self._kept.items() if pieces}
        for name, rows in kept.items():
            self._tables[name].n_before, self._tables[name].rows = 0, rows
        rows = CheckedRows.in_memory(self.connection, self._plan.kind, kept, self._registered)
        columns = rows.columns or {}
        for table, rule in self._plan.rules:
            if rule.whole and rows.has(rule.sql):
                self._refuse(row_rules.find_row_faults(rows, table, [rule]), kept)
        self._ids = kept["sentences"]["sent_id"] if "sent_id" in columns.get("sentences", ()) else None
        named = {*_NAMES} <= columns.get("sentences", frozenset())
        if self._plan.kind == "dependency" and named and _have_repeated(self._ids):
            rows = replace(rows, whole={"sentences": f"SELECT *, TRUE AS changed FROM {quote(view_of('sentences'))}"})
            repeated = rows.execute(row_rules.REPEATED_IDS.format(by="s.sent_id"), whole=True).fetchnumpy()["sentence"]
            self._warned[row_rules.IDS].append(np.sort(np.asarray(repeated, np.int64)))

    def warnings(self, path_of: Callable[[str], str]) -> Iterator[Diagnostic]:
        """The warnings about the corpus. path_of: the file of a table."""
        ids = self._ids

        def names(sentences: Ints) -> list[str | None]:
            return [None] * len(sentences) if ids is None else call("take", ids, array_of(sentences)).to_pylist()

        if self._plan.kind == "dependency":
            warned = [np.concatenate([NO_SENTENCES, *sentences]) for sentences in self._warned]
            yield from row_rules.warnings_of(warned, names, "row", path_of("sentences"), 1)
        elif self._plan.kind == "alignment":
            yield from self._links.warnings(path_of("alignments"))
        elif self._plan.kind == "lattice":
            if ids is not None:
                self._lattices.add_names(ids, np.arange(1, len(ids) + 1), set())
            yield from self._lattices.warnings(path_of("lattices"))


def _take_block(tables: Sequence[StoredTable]) -> list[pa.Table]:
    """The rows of the next sentences that were read of all tables, at least of one sentence unless all have ended."""
    while True:
        for table in tables:
            while not table.ended and table.n_waiting < BLOCK_ROWS:
                table.read_more()
        open_tables = [table for table in tables if not table.ended]
        if not open_tables:
            return [table.take(None) for table in tables]
        last = min(open_tables, key=lambda table: table.last_sentence)
        blocks = [table.take(last.last_sentence) for table in tables]
        if any(map(len, blocks)):
            return blocks
        last.read_more()


def _have_repeated(ids: pa.ChunkedArray) -> bool:
    """Whether an id is there twice."""
    return bool(len(call("unique", call("drop_null", ids))) < len(ids) - ids.null_count)


def _first(absent: pa.Array) -> int:
    """The first row for which a flag is set."""
    return int(np.flatnonzero(flags(absent))[0])
