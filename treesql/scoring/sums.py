"""Partial sums of blocks of sentences -> those of the whole: sentences are independent, and sums add up.

A block is a range of the sentences of a large database, or a part of large files; a small input is one block, which the
statement of the scores sums itself. What counts over all sentences, such as frequencies of words, and adds up itself is
summed over the blocks before, and read from a table then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.catalog.schemas import quote
from treesql.catalog.sql_text import relations_of, with_clause
from treesql.engines import Engine
from treesql.engines.relations import WORDS_OF_SENTENCE, of_range
from treesql.scoring.items import ScoringPlan, correspond_by_id, execute, is_aligned

SUMS = "partial sums"
"""Name of the table of partial sums over which scores are evaluated."""

MAX_ROWS = 1 << 18
"""Number of rows of partial sums above which those of equal groups are added up."""

MAX_SIZE_AT_ONCE = 8_000_000
"""Maximum number of words of a plan's corpora up to which audits and scores are one statement, planned once."""

MAX_PARTS = 64
"""Number of parts that are added up to one, of parts again."""

SIZE_OF_RANGE = 4_000_000
"""Number of words of all corpora together, at which a range ends."""

SENTENCES_OF_STEP = 8_192
"""Ranges begin at multiples of this number of sentences."""

NO_END = 1 << 31
"""End of the last range; numbers of sentences are INTEGER."""

Step = tuple[int, str, int]
"""The number of a step, a corpus, and how many of its sentences are in the step."""

_SIZES = f"""
SELECT c.corpus, CAST(greatest(c.n_words, {WORDS_OF_SENTENCE} * c.n_sentences) AS BIGINT) AS size
FROM corpora AS c
WHERE c.corpus IN (SELECT unnest($corpora))
"""

_IDS = "SELECT count(s.sent_id) AS n FROM sentences AS s WHERE s.corpus IN (SELECT unnest($corpora))"

_STEPS = """
SELECT CAST(s.sentence // $step AS BIGINT) AS step, s.corpus, count(*) AS n_sentences
FROM sentences AS s
WHERE s.corpus IN (SELECT unnest($corpora))
GROUP BY 1, 2
ORDER BY 1, 2
"""


@dataclass
class SumAccumulator:
    """Rows of several blocks that add up over equal values of the columns `keys`: all others are sums."""

    keys: Collection[str]
    parts: list[pa.Table] = field(default_factory=list)
    n_rows: int = 0
    n_added: int = 0

    def add(self, rows: pa.Table) -> None:
        """Add the rows of a block."""
        self.parts.append(rows)
        self.n_rows += len(rows)
        self.n_added += 1
        if self.n_rows > MAX_ROWS and len(self.parts) > 1:
            added = self.table()
            # Of sums per sentence nothing adds up, and they are left as they are from here on.
            self.parts, self.n_rows = [added], 0 if len(added) > self.n_rows / 2 else len(added)
            self.n_added = 1
        n_equal = self.n_added
        while n_equal % MAX_PARTS == 0:  # as many parts are sums of as many blocks each
            self.parts[-MAX_PARTS:] = [self._added_up(self.parts[-MAX_PARTS:])]
            n_equal //= MAX_PARTS

    def table(self) -> pa.Table:
        """All rows; not added up where they have lists as keys, by which Arrow does not group."""
        return self._added_up(self.parts)

    def _added_up(self, parts: Sequence[pa.Table]) -> pa.Table:
        rows = pa.concat_tables(parts)
        keys = [name for name in rows.column_names if name in self.keys]
        if any(pa.types.is_nested(rows.schema.field(key).type) for key in keys):
            return rows
        sums = [name for name in rows.column_names if name not in self.keys]
        added = rows.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
        return added.rename_columns([*keys, *sums]).select(rows.column_names).cast(rows.schema)


def keys_of_sums(plan: ScoringPlan, *, by_sentence: bool) -> list[str]:
    """Return the columns of partial sums that are no sums."""
    return ["part", *["sentence"] * by_sentence, *plan.parts[0].keys]


@contextmanager
def reduce_to_sums(engine: Engine, plan: ScoringPlan, *, by_sentence: bool) -> Iterator[tuple[Engine, ScoringPlan]]:
    """Yield the engine that evaluates a plan's scores, and the plan for it.

    It is over sums where the engine adds up alone, and where corpora are large and are summed range by range. Raises
    Incomparable, QueryError.
    """
    queries = [part.query for part in plan.parts]
    if engine.only_sums:
        sums = plan.partial_sums(engine, by_sentence=by_sentence)
    elif sum((sizes := _sizes(engine, plan)).values()) <= MAX_SIZE_AT_ONCE or is_aligned(engine, queries, plan.values):
        sums = None
    elif (sums := _sums_of_ranges(engine, plan, sizes, by_sentence=by_sentence)) is None:
        plan.check_audits(engine)
        plan = replace(plan, audits=(), faults="")
    if sums is None:
        yield engine, plan
        return
    with engine.with_tables({SUMS: sums}) as evaluator:
        yield evaluator, plan.over_sums(SUMS)


def _sums_of_ranges(
    engine: Engine, plan: ScoringPlan, sizes: Mapping[str, int], *, by_sentence: bool
) -> pa.Table | None:
    """Return the partial sums of a plan; None where its corpora cannot be divided. Raises Incomparable, QueryError."""
    by_id = correspond_by_id([part.query for part in plan.parts])
    if not plan.is_of_sentences or (by_id and _have_ids(engine, sizes)):
        return None
    ranges = _ranges(engine, sizes)
    if not ranges:
        return None
    added = SumAccumulator(keys_of_sums(plan, by_sentence=by_sentence))
    with PrecomputedSums(engine) as precomputed:
        divided = precomputed.plan(plan, lambda corpora: ranges)
        for sentences in ranges:
            sums = divided.partial_sums(engine, sentences, by_sentence=by_sentence)
            if sums is None:
                return None
            added.add(sums)
    return added.table()


class PrecomputedSums:
    """Tables of what does not depend on a block: sums by key over all sentences, and what is computed from these alone.

    The engine has them as long as the block of this context manager lasts.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine, self._registered = engine, ExitStack()
        self._tables: dict[tuple[str, str], str] = {}

    def __enter__(self) -> PrecomputedSums:
        return self

    def __exit__(self, *error: object) -> None:
        self._registered.close()

    def plan(self, plan: ScoringPlan, blocks: Callable[[Sequence[str]], Iterable[range | None]]) -> ScoringPlan:
        """Return a plan that reads these tables in place of expressions of its statement.

        blocks: given the corpora that are read, returns ranges of their sentences that together are all; None for what
        the engine shows while it is yielded. Raises QueryError.
        """
        statements = {name: _rows_of(plan.expressions, name) for name in sums_by_key(plan.expressions)}
        missing = {name: sql for name, sql in statements.items() if self._key(plan, sql) not in self._tables}
        if missing:
            added = {name: SumAccumulator(keys_of_relation(name)) for name in missing}
            for sentences in blocks(_corpora_read(plan, missing.values())):
                for name, sql in missing.items():
                    added[name].add(self._rows(plan, name, sql, sentences))
            for name, sql in missing.items():
                self._register(plan, sql, added[name].table())
        tables = {name: self._tables[self._key(plan, sql)] for name, sql in statements.items()}
        for name in _constants(plan.expressions, statements):
            sql = _rows_of(plan.expressions, name)
            if self._key(plan, sql) not in self._tables:
                self._register(plan, sql, self._rows(_reading(plan, tables), name))
            tables[name] = self._tables[self._key(plan, sql)]
        return _reading(plan, tables)

    def _rows(self, plan: ScoringPlan, name: str, sql: str | None = None, sentences: range | None = None) -> pa.Table:
        sql = sql or _rows_of(plan.expressions, name)
        sql = sql if sentences is None else of_range(self._engine, sql, sentences)
        return execute(self._engine, sql, name, plan.values, aggregated=True)

    def _register(self, plan: ScoringPlan, sql: str, rows: pa.Table) -> None:
        table = f"sums over all sentences {len(self._tables)}"
        self._registered.enter_context(self._engine.with_tables({table: rows}))
        self._tables[self._key(plan, sql)] = table

    def _key(self, plan: ScoringPlan, sql: str) -> tuple[str, str]:
        return sql, repr(catalog.Statement((), sql).bind(plan.values))


def _reading(plan: ScoringPlan, tables: Mapping[str, str]) -> ScoringPlan:
    """Return a plan that reads tables in place of expressions."""
    read = {name: f"SELECT h.* FROM {quote(table)} AS h" for name, table in tables.items()}
    return replace(plan, expressions=[(name, read.get(name, sql)) for name, sql in plan.expressions])


def _corpora_read(plan: ScoringPlan, statements: Iterable[str]) -> list[str]:
    """Return the corpora that parameters of statements name."""
    named: list[str] = []
    for sql in statements:
        for name, value in catalog.Statement((), sql).bind(plan.values).items():
            named += (
                [corpus for corpus in str(value).split(",") if corpus] if name.endswith(("corpus", "corpora")) else []
            )
    return list(dict.fromkeys(named))


def sums_by_key(expressions: Sequence[tuple[str, str]]) -> list[str]:
    """Return the names of the expressions of a statement that are sums by key over all sentences."""
    return [name for name, _ in expressions if catalog.query_of(name).adds_up]


def keys_of_relation(name: str) -> list[str]:
    """Return the columns of a relation, by the name of its expression, that are no sums."""
    return [column.name for column in catalog.query_of(name).columns if not column.shown]


def _constants(expressions: Sequence[tuple[str, str]], precomputed: Collection[str]) -> list[str]:
    """Return the names of expressions that read precomputed ones, in any number of steps, and no corpora."""
    names = [name for name, _ in expressions]
    constant = set(precomputed)
    constants = []
    for name, sql in expressions:
        read = catalog.words(sql).intersection(names)
        if name not in precomputed and read and read <= constant and not _reads_sentences(sql):
            constant.add(name)
            constants.append(name)
    return constants


def _reads_sentences(sql: str) -> bool:
    """Whether SQL reads a table of corpora itself."""
    return not catalog.tables_of(relations_of(sql)).isdisjoint(table.name for table in schemas.corpus_tables())


def _rows_of(expressions: Sequence[tuple[str, str]], name: str) -> str:
    """Return a statement for the rows of one of several expressions, with those that it reads alone."""
    needed = {name}
    for expression, sql in reversed(expressions):
        if expression in needed:
            needed |= catalog.words(sql)
    return (
        with_clause([(expression, sql) for expression, sql in expressions if expression in needed])
        + f"SELECT r.* FROM {name} AS r"
    )


def _have_ids(engine: Engine, corpora: Collection[str]) -> bool:
    """Whether a sentence of the corpora has an id."""
    [(n_ids,)] = engine.rows(_IDS, {"corpora": list(corpora)})
    return bool(n_ids)


def _sizes(engine: Engine, plan: ScoringPlan) -> Mapping[str, int]:
    """Return the numbers of words of the corpora that are values of a plan."""
    named = {str(value) for name, value in plan.values.items() if name.endswith(("corpus", "corpora"))}
    named.update(*(corpora.split(",") for corpora in named))
    return {corpus: size or 0 for corpus, size in engine.rows(_SIZES, {"corpora": sorted(named)})}


def _ranges(engine: Engine, sizes: Mapping[str, int]) -> list[range]:
    """Return ranges of sentences that together are all; none where a corpus has no sentences in one of them.

    The whole is compared then: audits of a range see nothing of a corpus without sentences in it.
    """
    steps: list[Step] = engine.rows(_STEPS, {"step": SENTENCES_OF_STEP, "corpora": list(sizes)})
    n_sentences: dict[str, int] = {}
    for _, corpus, n in steps:
        n_sentences[corpus] = n_sentences.get(corpus, 0) + n
    ranges: list[range] = []
    begin, size, having = 0, 0.0, set[str]()
    for step, of_step in groupby(steps, key=itemgetter(0)):
        first = step * SENTENCES_OF_STEP
        if size >= SIZE_OF_RANGE and having == n_sentences.keys():
            ranges.append(range(begin, first))
            begin, size, having = first, 0.0, set()
        for _, corpus, n in of_step:
            size += n * sizes[corpus] / n_sentences[corpus]
            having.add(corpus)
    return [*ranges, range(begin, NO_END)] if having == n_sentences.keys() else []
