"""Corpora of data frames: the rows that they lack are derived, and all follow the rules of schemas/, as those of data
sets do, before they are used.

Rules and derivations run in a database in memory, over the rows in Arrow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa

from treesql.catalog import schemas
from treesql.catalog.schemas import Derived, Table
from treesql.engines import connections
from treesql.readers import ALIGNMENT, DEPENDENCY, LATTICE, NBEST, Options, State
from treesql.readers.alignments.links import LinkWarnings
from treesql.readers.dependencies.columns import METADATA, RepeatedFeatures
from treesql.readers.frames import Frames, constant, numbered, sorted_by
from treesql.readers.lattices.lattices import LatticeWarnings
from treesql.runtime.arrays import integers
from treesql.storage import derived_rows, row_rules
from treesql.storage.row_rules import CheckedRows, RuleFault

_COMMENTS = ", ".join(
    f"'# {key}{f' {infix.decode()}' if infix else ''} = ' || s.{key}" for key, infix in reversed(METADATA.items())
)
"""SQL for the comments that name a sentence, and say what its text is, where there are none."""

_LABELS = "constituent_labels"
_FIND_LABELS = """
SELECT CAST(row_number() OVER (ORDER BY l.label NULLS FIRST) AS INTEGER) AS number, l.label
FROM (SELECT c.label FROM constituents AS c UNION SELECT w.xpos FROM words AS w) AS l
ORDER BY 1"""


def rows_of_frames(frames: Frames, state: State, options: Options) -> dict[str, pa.Table]:
    """The tables of a corpus that is given as frames: a checked corpus, with sentences numbered from 0.

    The rows are those that a reader yields of a file, without `corpus`: they are loaded into an engine as those of a
    file are, once `corpus_plans.as_path` has made `frames` of a mapping of tables, such as `treesql.read` returns:

        tables = as_path({**tables, "words": changed}, "tables")
        [files] = corpus_plans.plan_loads([tables], "tables")
        engine, _ = loading.load_into_memory([files], Options())     # raises InvalidInput
        exporting.write(engine, "tables", out, form)

    What is derived is computed, whatever the frames have there; of columns that are not wanted (`options.columns`),
    those are missing that nothing has to compute. Warnings are added to `state`. Raises InvalidInput at the first row
    that breaks a rule, by the number of its sentence in the frames.
    """
    few = sum(map(len, frames.tables.values())) <= connections.FEW_ROWS
    with connections.connect(("text_key",), few=few) as connection:
        return _FrameChecks(frames, connection, options).run(state)


class _FrameChecks:
    """The tables of frames while they are checked and completed; `corpora` has what rules read of the record."""

    def __init__(self, frames: Frames, connection: duckdb.DuckDBPyConnection, options: Options) -> None:
        self._frames, self._connection, self._options = frames, connection, options
        self._cycles = options.permissive or "permissive" in frames.reading
        self._tables: dict[str, pa.Table] = {}
        self._registered: dict[str, pa.Table] = {}
        for name, rows in numbered(frames).items():
            self._put(name, rows)
        self._given = [schemas.table(name) for name in self._tables]
        reading = "null_links" if options.notation.null_links or "null_links" in frames.reading else ""
        self._put("corpora", pa.table({"kind": [frames.kind], "format": [frames.form], "reading": [reading]}))

    def run(self, state: State) -> dict[str, pa.Table]:
        """The tables, checked and completed. Raises InvalidInput."""
        self._fill()
        for table in self._given:
            rules = list(row_rules.column_rules(table, self._tables[table.name].column_names))
            self._refuse(row_rules.find_row_faults(self._rows(), table, rules))
        for table in self._given:
            self._refuse(row_rules.find_structure_faults(self._rows(), table))
        self._derive(counted=True)
        self._check(self._given)
        self._derive(counted=False)
        made = [schemas.table(name) for name in self._tables.keys() - {table.name for table in self._given}]
        self._check([table for table in made if table.name != "corpora"])
        state.sentences += len(self._frames.numbers)
        self._warn(state)
        kept = {table.name for table in self._given} | {name for name, rows in self._tables.items() if len(rows)}
        return {name: self._tables[name] for name in schemas.all_tables() if name in kept - {"corpora"}}

    def _put(self, name: str, rows: pa.Table) -> None:
        self._tables[name] = rows

    def _rows(self) -> CheckedRows:
        return CheckedRows.in_memory(self._connection, self._frames.kind, self._tables, self._registered, sorted=True)

    def _refuse(self, faults: Iterable[RuleFault]) -> None:
        """Raises InvalidInput where there is a fault, at its place in the frames."""
        for fault in list(faults):  # all, as generators of faults use the connection until they end
            place = self._frames.place(fault.table, fault.key)
            raise self._frames.fault(f"{place}: {fault.what}" if place else fault.what, fault.hint)

    def _fill(self) -> None:
        """Add comments that say what columns of sentences do, and the corpora that links name. Raises InvalidInput."""
        if "comments" not in self._tables["sentences"].column_names:
            self._complete("sentences", METADATA)
            comments = f"list_filter([{_COMMENTS}], lambda c: c IS NOT NULL) AS comments"
            rows = self._rows().arrow(f"SELECT s.sentence, {comments} FROM sentences AS s")
            self._set("sentences", sorted_by(rows, ["sentence"]), ["comments"])
        notation = self._options.notation
        for name in ("source_corpus", "target_corpus") if "alignments" in self._tables else ():
            if (corpus := getattr(notation, name)) is not None:
                n = len(self._tables["alignments"])
                self._set("alignments", pa.table({name: constant(corpus, pa.string(), n)}), [name])
        without_forms = "words" in self._tables and "form" not in self._tables["words"].column_names
        if without_forms and self._options.wants("words", "form"):
            raise self._frames.fault("there is no column form", "give the forms of the words")

    def _complete(self, table: str, columns: Collection[str]) -> None:
        """Let a table have columns, of NULL where it has none; and be there, without rows."""
        rows, described = self._tables.get(table), schemas.table(table)
        if rows is None:
            rows = pa.table({name: pa.nulls(0, described[name].plain_type) for name in described.key[1:]})
        for name in columns:
            if name not in rows.column_names and name != "corpus":
                rows = rows.append_column(name, pa.nulls(len(rows), described[name].plain_type))
        if rows is not self._tables.get(table):
            self._put(table, rows)

    def _set(self, table: str, made: pa.Table, columns: Iterable[str]) -> None:
        """Give a table columns of rows in the order of its own."""
        rows = self._tables[table]
        for name in columns:
            values = made[name].cast(schemas.table(table)[name].plain_type)
            at = rows.schema.get_field_index(name)
            rows = rows.append_column(name, values) if at < 0 else rows.set_column(at, name, values)
        self._put(table, rows)

    def _derive(self, *, counted: bool) -> None:
        """Add derived columns and rows: those that rules need, or the others. Raises InvalidInput."""
        if self._frames.kind == "constituency" and not counted:
            for name, column in (("constituents", "label"), ("words", "xpos")):
                self._complete(name, [column])
            self._put(_LABELS, self._rows().arrow(_FIND_LABELS))
        for table in schemas.corpus_tables():
            for derived in table.derived:
                of_kind = schemas.is_of_kind(derived, self._frames.kind) and derived.counted is counted
                if of_kind and self._is_needed(table, derived):
                    self._add(table, derived)

    def _is_needed(self, table: Table, derived: Derived) -> bool:
        """Whether derived columns or rows are wanted, or what they are derived from is checked by that."""
        if not derived.columns:
            return self._options.wants(table.name)
        names_sentences = derived.given and derived.function is not None
        if table.name not in self._tables or (names_sentences and "sentences" not in self._frames.tables):
            return False
        checks = derived.counted or (derived.function is not None and not derived.whole)
        return checks or any(self._options.wants(table.name, name) for name in derived.columns)

    def _add(self, table: Table, derived: Derived) -> None:
        """Add derived columns, or rows. Raises InvalidInput for what nothing can be derived from."""
        names = [name for name in derived.columns if name in self._tables[table.name].column_names]
        for name, columns in schemas.columns_read(derived.sql).items():
            self._complete(name, sorted(columns))
        rows, faults = self._rows(), list[RuleFault]()
        if derived.given and names and derived.function is not None:
            self._refuse(derived_rows.find_stale(rows, table, derived, cycles=self._cycles))
        made = derived_rows.rows_of(rows, table, derived, faults, cycles=self._cycles)
        self._refuse(faults)
        made = sorted_by(made, row_rules.own_key(table))
        if derived.columns:
            self._set(table.name, made, derived.columns)
        else:
            types = {name: table[name].plain_type for name in table.names if name != "corpus"}
            self._put(table.name, pa.table({name: made[name].cast(kind) for name, kind in types.items()}))

    def _check(self, tables: Iterable[Table]) -> None:
        """Raises InvalidInput where a row breaks a rule, as far as the rule is about columns that are there."""
        rows = self._rows()
        for table in tables:
            rules = [
                part
                for rule in table.rules
                if schemas.is_of_kind(rule, self._frames.kind)
                for part in rule.each
                if rows.has(f"{part.sql} {table.name}")
            ]
            self._refuse(row_rules.find_row_faults(rows, table, rules))

    def _warn(self, state: State) -> None:
        """Warn as of files, in the numbers of the frames. Raises InvalidInput where a warning is an error."""
        frames, rows = self._frames, self._rows()
        if frames.kind == DEPENDENCY:
            of_words = self._tables["words"]
            if {"head", "depth"} <= {*of_words.column_names}:
                head, depth = (integers(of_words[name], -1) for name in ("head", "depth"))
                state.cyclic |= bool(((head >= 0) & (depth < 0)).any())
            warned = row_rules.find_warned(rows, RepeatedFeatures())
            if self._options.strict and len(roots := warned[row_rules.ROOTS]):
                what, hint = "it has several roots", "give one word head 0, or read it without strict"
                self._refuse([RuleFault("sentences", {"sentence": int(roots[0])}, what, hint)])
            numbers = [frames.numbers[sentences] for sentences in warned]
            state.warnings += row_rules.warnings_of(numbers, lambda shown: [None] * len(shown), "sentence", frames, 0)
        elif frames.kind == ALIGNMENT and rows.has(row_rules.UNLIKELY):
            links = LinkWarnings()
            links.outside += rows.execute(row_rules.UNLIKELY).fetchall()[0][0]
            state.warnings += links.warnings(frames)
        elif frames.kind == LATTICE:
            lattices = LatticeWarnings("sentence")
            number, dead = (integers(self._tables["lattices"][name]) for name in ("sentence", "dead_edges"))
            lattices.add(frames.numbers[number], dead)
            state.warnings += lattices.warnings(frames)


def record_of(frames: Frames, tables: dict[str, pa.Table], state: State, options: Options) -> dict[str, Any]:
    """What `corpora` says of a corpus of frames that it does not say of files: of a whole corpus, whose tables are all
    read, what was given of the files that it was read from."""
    reading = {"null_links"} if options.notation.null_links else set()
    reading |= {*frames.reading} | ({"permissive"} if state.cyclic else set())
    sense = frames.record.get("score_sense", options.scores if frames.kind in (LATTICE, NBEST) else None)
    n_words = len(tables.get("words", ()))
    record = {"n_words": n_words, "score_sense": sense, "reading": " ".join(sorted(reading))}
    kept = {name: frames.record[name] for name in ("treebank", "language") if name in frames.record}
    if options.columns is None and "files" in frames.record:
        kept |= {name: frames.record.get(name) for name in ("files", "layouts", "global_columns")}
        kept["changed_at"] = datetime.now(UTC).replace(tzinfo=None)
    return {**record, **kept}
