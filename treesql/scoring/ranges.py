"""Sums of large corpora of a database, computed from one range of their sentences after another.

The joins of a statement over many millions of words are in memory together. Sentences are independent of each other
and sums add up, so the sums of ranges are those of the whole, to the last digit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

import pyarrow as pa

from treesql.catalog import Query
from treesql.engines import Engine
from treesql.engines.kept_lists import WORDS_OF_SENTENCE
from treesql.scoring.added_rows import AddedRows
from treesql.scoring.plans import ScoringPlan
from treesql.scoring.word_alignments import is_aligned

JOINED_BY_ID = "references_with_ids"
"""The relation of queries whose sentences correspond by their ids, where they have some."""

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


@contextmanager
def evaluating(engine: Engine, plan: ScoringPlan, *, by_sentence: bool) -> Iterator[tuple[Engine, ScoringPlan]]:
    """Yield the engine that evaluates a plan's scores, and the plan for it.

    It is over sums where the engine adds up alone, and where corpora are large and are summed range by range. Raises
    Incomparable, QueryError.
    """
    queries = [part.query for part in plan.parts]
    if engine.only_sums:
        sums = plan.partial_sums(engine, by_sentence=by_sentence)
    elif sum((sizes := _sizes(engine, plan)).values()) <= MAX_SIZE_AT_ONCE or is_aligned(engine, queries, plan.values):
        yield engine, plan
        return
    else:
        found = _sums_of_ranges(engine, plan, sizes, by_sentence=by_sentence)
        if found is None:
            yield engine, plan.audited(engine)
            return
        sums = found
    with engine.holding({SUMS: sums}) as evaluator:
        yield evaluator, plan.over_partial_sums(SUMS, by_sentence=by_sentence)


def _sums_of_ranges(
    engine: Engine, plan: ScoringPlan, sizes: Mapping[str, int], *, by_sentence: bool
) -> pa.Table | None:
    """Return the partial sums of a plan; None where its corpora cannot be divided. Raises Incomparable, QueryError."""
    by_id = correspond_by_id([part.query for part in plan.parts])
    if not plan.is_of_sentences or (by_id and _have_ids(engine, sizes)):
        return None
    added = AddedRows(1 + by_sentence + len(plan.parts[0].by))
    for sentences in _ranges(engine, sizes):
        sums = plan.sums_of(engine, sentences, by_sentence=by_sentence)
        if sums is None:
            return None
        added.add(sums)
    return added.table() if added.parts else None


def correspond_by_id(queries: Sequence[Query]) -> bool:
    """Whether sentences correspond by their ids, where they have some."""
    return any(JOINED_BY_ID in name for query in queries for name, _ in query.statement.expressions)


def _have_ids(engine: Engine, corpora: Collection[str]) -> bool:
    """Whether a sentence of the corpora has an id."""
    [(n_ids,)] = engine.rows(_IDS, {"corpora": list(corpora)})
    return bool(n_ids)


def _sizes(engine: Engine, plan: ScoringPlan) -> Mapping[str, int]:
    """Return the numbers of words of the corpora that are values of a plan."""
    named = {str(value) for name, value in plan.values.items() if name.endswith(("corpus", "corpora"))}
    named.update(*(one.split(",") for one in named))
    return {corpus: size or 0 for corpus, size in engine.rows(_SIZES, {"corpora": sorted(named)})}


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
