"""Sums of large corpora of a database, computed from one range of their sentences after another.

The joins of a statement over many millions of words are in memory together. Sentences are independent of each other
and sums add up, so the sums of ranges are those of the whole, to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from treesql.engines import Engine
from treesql.scoring.plans import ScoringPlan

SUMS = "partial sums"
"""Name of the table of partial sums over which scores are evaluated."""

MAX_SIZE_AT_ONCE = 8_000_000
"""Maximum number of words of a plan's corpora up to which audits and scores are one statement, planned once."""

SIZE_OF_RANGE = 4_000_000
"""Number of words of all corpora together, at which a range ends."""

SENTENCES_OF_STEP = 8_192
"""Ranges begin at multiples of this number of sentences."""

NO_END = 1 << 31
"""End of the last range; numbers of sentences are INTEGER."""

MAX_ROWS = 1 << 18
"""Number of rows of partial sums above which those of equal groups are added up."""

WORDS_OF_SENTENCE = 25
"""Number of words as which a sentence counts at least, on average."""

Step = tuple[int, str, int]
"""The number of a step, a corpus, and how many of its sentences are in the step."""

_SIZES = f"""
SELECT c.corpus, CAST(greatest(c.n_words, {WORDS_OF_SENTENCE} * c.n_sentences) AS BIGINT) AS size
FROM corpora AS c
WHERE c.corpus IN (SELECT unnest($corpora))
"""

_STEPS = """
SELECT CAST(s.sentence // $step AS BIGINT) AS step, s.corpus, count(*) AS n_sentences
FROM sentences AS s
WHERE s.corpus IN (SELECT unnest($corpora))
GROUP BY 1, 2
ORDER BY 1, 2
"""


@dataclass
class AddedRows:
    """Rows of several blocks, whose last columns add up over equal values of the first `n_keys`."""

    n_keys: int
    parts: list[pa.Table] = field(default_factory=list)
    n_rows: int = 0

    def add(self, rows: pa.Table) -> None:
        """Add the rows of a block."""
        self.parts.append(rows)
        self.n_rows += len(rows)
        if self.n_rows > MAX_ROWS and len(self.parts) > 1:
            added = self.table()
            # Of sums per sentence nothing adds up, and they are left as they are from here on.
            self.parts, self.n_rows = [added], 0 if len(added) > self.n_rows / 2 else len(added)

    def table(self) -> pa.Table:
        """All rows."""
        rows = pa.concat_tables(self.parts)
        keys, sums = rows.column_names[: self.n_keys], rows.column_names[self.n_keys :]
        found = rows.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in sums])
        return found.rename_columns(rows.column_names).cast(rows.schema)


@contextmanager
def evaluating(engine: Engine, plan: ScoringPlan, *, by_sentence: bool) -> Iterator[tuple[Engine, ScoringPlan]]:
    """Yield the engine that evaluates a plan's scores, and the plan for it.

    It is over sums where the engine adds up alone, and where corpora are large and are summed range by range. Raises
    Incomparable, QueryError.
    """
    if engine.only_sums:
        sums = plan.partial_sums(engine, by_sentence=by_sentence)
    elif sum((sizes := _sizes(engine, plan)).values()) <= MAX_SIZE_AT_ONCE:
        yield engine, plan
        return
    else:
        added = AddedRows(1 + by_sentence + len(plan.parts[0].by))
        for sentences in _ranges(engine, sizes) if plan.is_of_sentences else []:
            added.add(plan.partial_sums(engine, by_sentence=by_sentence, sentences=sentences))
        if not added.parts:
            yield engine, plan.audited(engine)
            return
        sums = added.table()
    with engine.holding({SUMS: sums}) as evaluator:
        yield evaluator, plan.over_partial_sums(SUMS, by_sentence=by_sentence)


def _sizes(engine: Engine, plan: ScoringPlan) -> Mapping[str, int]:
    """Return the numbers of words of the corpora that are values of a plan."""
    named = sorted({value for value in plan.values.values() if isinstance(value, str)})
    return {corpus: size or 0 for corpus, size in engine.rows(_SIZES, {"corpora": named})}


def _ranges(engine: Engine, sizes: Mapping[str, int]) -> list[range]:
    """Return ranges of sentences that together are all; none where a corpus has no sentences in one of them.

    The whole is compared then: audits of a range see nothing of a corpus without sentences in it.
    """
    steps: list[Step] = engine.rows(_STEPS, {"step": SENTENCES_OF_STEP, "corpora": list(sizes)})
    n_sentences: dict[str, int] = {}
    for _, corpus, n in steps:
        n_sentences[corpus] = n_sentences.get(corpus, 0) + n
    found: list[range] = []
    begin, size, having = 0, 0.0, set[str]()
    for step, of_step in groupby(steps, key=itemgetter(0)):
        first = step * SENTENCES_OF_STEP
        if size >= SIZE_OF_RANGE and having == n_sentences.keys():
            found.append(range(begin, first))
            begin, size, having = first, 0.0, set()
        for _, corpus, n in of_step:
            size += n * sizes[corpus] / n_sentences[corpus]
            having.add(corpus)
    return [*found, range(begin, NO_END)] if having == n_sentences.keys() else []
