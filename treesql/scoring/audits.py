"""Before anything is scored: audits, which say that corpora can be compared, and the table `word_alignments`, which
pairs the words of corpora of one text where these are not the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.queries import CORPORA_OF_PAIRS, further_corpora, pairs_words
from treesql.catalog.schemas import ALIGNMENTS
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.engines.relations import records_of
from treesql.errors import Diagnostic, Incomparable, StatementError, UnknownName, UsageError

MAX_AUDIT_FAULTS = 5
"""Maximum number of faults of an audit that are reported."""


def check_corpora(engine: Engine, query: Query, values: Mapping[str, object]) -> None:
    """Raise UnknownName if a parameter names a corpus that is not loaded."""
    known = _corpora(engine)
    for parameter in query.parameters:
        if parameter.name.endswith("_corpus") and values[parameter.name] not in known:
            raise UnknownName("corpus", str(values[parameter.name]), known)


def check_corpus(engine: Engine, name: str) -> None:
    """Raise UnknownName for a corpus that is not loaded."""
    known = _corpora(engine)
    if name not in known:
        raise UnknownName("corpus", name, known)


def _corpora(engine: Engine) -> list[str]:
    return list(records_of(engine))


def check_audit(engine: Engine, audit: Query, values: Mapping[str, object]) -> None:
    """Run an audit. Raises Incomparable if it finds anything."""
    bound = audit.values(declared_values(audit, values))
    rows = execute(
        engine,
        with_clause([*audit.statement.expressions, ("faults", audit.statement.body)])
        + "SELECT f.file, f.line, f.problem, f.hint, count(*) OVER () AS n FROM faults AS f\n"
        + f"ORDER BY f.file, f.line, f.problem LIMIT {MAX_AUDIT_FAULTS}",
        audit.name,
        bound,
        aggregated=True,
    ).to_pylist()
    if rows:
        faults = [Diagnostic.error(row["file"], row["line"], row["problem"], row["hint"]) for row in rows]
        raise Incomparable(faults, rows[0]["n"] - len(faults))


def check_distinct_scores(scores_of: Mapping[str, Sequence[str]]) -> None:
    """Raise UsageError if two metrics have a score of the same name: only the name identifies columns and rows.

    scores_of: by metric, the names of scores.
    """
    metric_of: dict[str, str] = {}
    for metric, scores in scores_of.items():
        for score in scores:
            if metric_of.setdefault(score, metric) != metric:
                raise UsageError(f"{metric_of[score]} and {metric} both have a score {score}; name one at a time")


def add_defaults(audits: Iterable[Query], values: Mapping[str, object]) -> dict[str, object]:
    """Return values with the defaults of parameters that only audits declare. Raises UsageError if one has none."""
    known = dict(values)
    for audit in audits:
        known |= audit.values(declared_values(audit, known))
    return known


def scored_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a metric declares, and of the corpora that its attributes describe."""
    further = further_corpora(query)
    return declared_values(query, values) | {name: values[name] for name in further if name in values}


def declared_values(query: Query, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of the parameters that a query declares."""
    return {p.name: values[p.name] for p in query.parameters if p.name in values}


def execute(engine: Engine, sql: str, name: str, values: Mapping[str, object], *, aggregated: bool = False) -> pa.Table:
    """Return the rows of a SELECT. Raises QueryError, which names the query."""
    try:
        return engine.table(sql, values, aggregated=aggregated)
    except StatementError as error:
        raise error.of_query(name) from None


_COMPARED = frozenset({"tree_correspondence"})
"""Audits that find nothing where the words are known to be the same, or are aligned."""

COMPARED_TEXTS = _COMPARED | {"text_correspondence"}
"""Audits that find nothing where words are aligned: their texts are the same."""

_STATE = """
SELECT concat_ws(' ', c.corpus, c.sha256, c.loaded_at, c.changed_at) AS state
FROM corpora AS c
WHERE c.corpus = $gold_corpus OR c.corpus = $system_corpus
ORDER BY c.corpus
"""

_N_ROWS = f"""
SELECT count(*) AS n FROM {ALIGNMENTS} AS a
WHERE a.gold = $gold_corpus AND a.system = $system_corpus
"""

_IS_ALIGNED = f"""
SELECT count(*) AS n
FROM (SELECT 1 AS one FROM {ALIGNMENTS} AS a
      WHERE a.gold = $gold_corpus AND a.system = $system_corpus LIMIT 1) AS f
"""


Pair = Mapping[str, str]
"""The corpora whose words are paired, by their parameters."""


def pair_words(
    engine: Engine, queries: Iterable[Query], values: Mapping[str, object], *, of_blocks: bool = False
) -> frozenset[str]:
    """Align the words of two corpora for this engine, if a query pairs them and they differ.

    values: of the parameters of the queries. of_blocks: whether nothing is compared or aligned now: `have_same_words`
    and `align_block` do it for every block. Returns the names of audits that find nothing now. Raises Incomparable
    where the texts differ as well.
    """
    pair = pair_of(queries, values)
    if not pair or of_blocks:
        return _COMPARED if pair else frozenset()
    key = (pair["gold_corpus"], pair["system_corpus"])
    state = _state(engine, pair)
    aligned = _is_aligned(engine, pair)
    if aligned and engine.paired.setdefault(key, (state, False)) == (state, False):
        return COMPARED_TEXTS
    if not aligned and engine.paired.get(key) == (state, True):
        return _COMPARED
    same = _compare_words(engine, pair)
    if aligned or not same:
        _fill(engine, pair, empty=same)
    engine.paired[key] = (state, same)
    return _COMPARED if same else COMPARED_TEXTS


def align_block(engine: Engine, pair: Pair) -> None:
    """Align the words of a block of two corpora of one text by their characters, in place of those of the block before.

    Raises Incomparable where the texts differ as well.
    """
    check_audit(engine, catalog.query("text_correspondence"), pair)
    _fill(engine, pair, empty=False)


def align_words(engine: Engine, gold: str, system: str) -> int:
    """Store the alignment of a system's words with those of a gold corpus, for all who read the database.

    Returns the number of its rows: 0 where the words are the same, so that they correspond by their positions. Engines
    that cannot write to their database keep it themselves. Raises UnknownName, Incomparable where the texts differ.
    """
    for corpus in (gold, system):
        check_corpus(engine, corpus)
    pair = dict(zip(CORPORA_OF_PAIRS, (gold, system), strict=True))
    same = _compare_words(engine, pair)
    _fill(engine, pair, empty=same, stored=True)
    engine.paired[gold, system] = (_state(engine, pair), same)
    return int(engine.rows(_N_ROWS, pair)[0][0])


def is_aligned(engine: Engine, queries: Iterable[Query], values: Mapping[str, object]) -> bool:
    """Whether queries pair words that are aligned by their characters, in the database or for this engine."""
    pair = pair_of(queries, values)
    return bool(pair) and _is_aligned(engine, pair)


def _state(engine: Engine, pair: Pair) -> str:
    """What changes whenever the rows of one of two corpora do; those of small engines do not."""
    return "" if engine.is_small else str(engine.rows(_STATE, pair))


def _is_aligned(engine: Engine, pair: Pair) -> bool:
    return bool(engine.rows(_IS_ALIGNED, pair)[0][0])


def pair_of(queries: Iterable[Query], values: Mapping[str, object]) -> dict[str, str]:
    """The corpora whose words queries pair; empty where none does, or sentences correspond by their ids."""
    pair = {name: str(values[name]) for name in CORPORA_OF_PAIRS if name in values}
    is_paired = len(pair) == len(CORPORA_OF_PAIRS) and values.get("match") != "sent_id"
    return pair if is_paired and any(map(pairs_words, queries)) else {}


def _compare_words(engine: Engine, pair: Pair) -> bool:
    """Whether two corpora have the same words. Raises Incomparable where they have not even the same text."""
    same = have_same_words(engine, pair)
    if not same:
        check_audit(engine, catalog.query("text_correspondence"), pair)
    return same


def have_same_words(engine: Engine, pair: Pair) -> bool:
    """Whether two corpora have the same words in the same sentences."""
    return bool(engine.rows(catalog.query("same_words").statement.sql, pair)[0][0])


def _fill(engine: Engine, pair: Pair, *, empty: bool, stored: bool = False) -> None:
    """Replace the alignment of two corpora of the same text. empty: by none. stored: in the database."""
    keys = dict(zip(("gold", "system"), pair.values(), strict=True))
    statement = (
        "SELECT $gold_corpus AS gold, $system_corpus AS system, a.sentence, a.word, a.system_sentence, a.system_word\n"
        f"FROM (\n{catalog.query('aligned_words').statement.sql}\n) AS a"
    )
    engine.fill_table(ALIGNMENTS, keys, None if empty else statement, pair, stored=stored)
