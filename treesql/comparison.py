"""Systems compared by the scores of any metric, and intervals of scores, from counts that are summed per sentence."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql import correspondence, expressions, significance
from treesql.catalog import Query, documents, schemas
from treesql.catalog.header import Score
from treesql.catalog.schemas import quote
from treesql.compared import Comparison
from treesql.errors import FormatError, UnknownName, UsageError
from treesql.kernels.resampling import Floats
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.scoring import scores as scoring_scores
from treesql.scoring import signatures
from treesql.scoring.scores import SentenceSums
from treesql.significance import LEVEL, TIE, Counts, Method, Tested

Warn = Callable[[FormatError], object]
Values = Mapping[str, object]
Look = Callable[[str, Counts], Iterable[FormatError]]

FEW = 50
"""With fewer sentences (or strata) intervals are too narrow and differences must be large to be found."""

ONE_OF = {"sentences": "sentence", "strata": "stratum"}
"""What is exchanged and drawn, in the singular."""

MOST_GROUPS = 100
"""So many groups can have intervals."""

CLUSTERS = (
    "it takes items for independent, which the words of a sentence are not: on the errors of two real parsers it "
    "rejected about 20% of true null hypotheses at 5%, on made-up errors in clusters 32 to 54%"
)
"""Measured by benchmarks/significance.py; docs/significance.md has the numbers."""

STANDARDS = ("gold", "reference")
"""How parameters begin that name what systems are compared with."""

USUAL_KEY = 3
"""So many first columns mostly tell the items of a metric apart."""

_MCNEMAR = {"mcnemar": ("exact", "McNemar exact"), "mcnemar-chi2": ("chi2", "McNemar chi-square"),
            "mcnemar-mid-p": ("mid-p", "McNemar mid-p")}  # fmt: skip
_ROWS = pa.schema(
    [
        ("metric", pa.string()), ("system_a", pa.string()), ("system_b", pa.string()), ("score_a", pa.float64()),
        ("score_b", pa.float64()), ("difference", pa.float64()), ("p", pa.float64()), ("p_corrected", pa.float64()),
        ("test", pa.string()), ("difference_low", pa.float64()), ("difference_high", pa.float64()),
        ("wins_a", pa.int64()), ("ties", pa.int64()), ("wins_b", pa.int64()), ("sentences", pa.int64()),
        ("strata", pa.int64()), ("runs", pa.int64()), ("seed", pa.int64()), ("correction", pa.string()),
        ("direction", pa.string()),
    ]
)  # fmt: skip


def compare(
    connection: duckdb.DuckDBPyConnection,
    chosen: Sequence[tuple[Query, Sequence[Score]]],
    systems: Mapping[str, Values],
    method: Method,
    *,
    where: str | None = None,
    look: Look = lambda system, counts: (),
    warn: Warn = lambda warning: None,
) -> Comparison:
    """Compare all pairs of systems by scores of metrics, as `choosing.choose` gives them.

    systems: by name the values of the metrics' parameters. where: an SQL condition on items. look: gives warnings about
    a system from what was counted of it for a metric. warn: called with what is worth a look. Raises UsageError,
    UnknownName, Incomparable, QueryError.
    """
    require_two(systems)
    scored: dict[str, dict[str, Any]] = {name: {"system": name} for name in systems}
    rows: list[dict[str, Any]] = []
    remarks: dict[str, FormatError] = {}
    cited: dict[str, str] = {}
    for query, scores in chosen:
        gold = _gold(query, systems)
        own = {name: _declared(query, values) for name, values in systems.items()}
        summed = {name: _sums(connection, query, values, where, gold) for name, values in own.items()}
        numbers = _strata(connection, gold, method.stratum)
        if all(values[str(query.reference_corpus)] == gold for values in own.values()):
            numbers, summed = _with_later(numbers, summed)
        sums = {name: Counts(query.counts, one.values[:, 0]) for name, one in summed.items()}
        _look_at_lengths(query, {gold: len(numbers), **{name: len(one.values) for name, one in sums.items()}})
        counts = {name: one.strata(numbers) for name, one in sums.items()}
        sentences, strata = len(numbers), int(numbers.max(initial=-1)) + 1
        resampled = significance.bootstrap(
            connection, scores, list(counts.values()), runs=method.runs, seed=method.seed
        )
        observed = np.concatenate([_observed(connection, scores, one) for one in sums.values()])
        for at, score in enumerate(scores):
            for name, value, runs in zip(systems, observed[:, at], resampled[:, :, at], strict=True):
                low, high = significance.interval(runs) if not np.isnan(value) else (None, None)
                scored[name] |= {score.name: _or_none(value), f"{score.name}_low": low, f"{score.name}_high": high}
        tested = {
            (a, b): _tested(connection, query, scores, method, counts, own, resampled, where, a, b)
            for a, b in itertools.combinations(systems, 2)
        }
        for at, score in enumerate(scores):
            found = [tests[at] for tests in tested.values()]
            corrected = significance.corrected([one.p for one in found], method.correction)
            for (a, b), one, p in zip(tested, found, corrected, strict=True):
                i, j = list(systems).index(a), list(systems).index(b)
                rows.append(
                    {
                        "metric": score.name, "system_a": a, "system_b": b,
                        "score_a": _or_none(observed[i, at]), "score_b": _or_none(observed[j, at]),
                        "difference": _apart(observed[i, at], observed[j, at]), "p": one.p, "p_corrected": p,
                        "test": one.test, **_difference(resampled[i, :, at], resampled[j, :, at], one, score),
                        "sentences": sentences, "strata": strata, "runs": method.runs, "seed": method.seed,
                        "correction": method.correction, "direction": score.direction,
                    }
                )  # fmt: skip
                among = own if method.correction != "none" and len(own) > 2 else {}
                cited[f"{score.name}:{a}:{b}"] = _signature(
                    connection, query, score, own[a], own[b], where, method, one, [*among.values()]
                )
        told = [look(name, one) for name, one in sums.items()]
        told.append(_remarks(gold, counts, strata, method))
        remarks |= {str(remark): remark for remark in itertools.chain.from_iterable(told)}
    for remark in remarks.values():
        warn(remark)
    _look_for_nothing(rows, warn)
    if method.test in _MCNEMAR:
        warn(FormatError("McNemar's test", 0, CLUSTERS, "the default test, shuffling, exchanges whole sentences"))
    percent = [score.name for _, scores in chosen for score in scores if score.unit == "percent"]
    table = pa.Table.from_pylist(list(scored.values()))
    intervals = Result(table, percent=frozenset(f"{name}{end}" for name in percent for end in ("", "_low", "_high")))
    return Comparison(pa.Table.from_pylist(rows, _ROWS), cited, frozenset(), intervals, method)


def require_two(systems: Collection[str]) -> None:
    """Raises UsageError where there are fewer systems than can be compared."""
    if len(systems) < 2:
        given = f"only {', '.join(systems)} is given" if systems else "none is given"
        raise UsageError(f"a comparison takes two systems at least, and {given}; `treesql score` scores one")


def with_intervals(
    connection: duckdb.DuckDBPyConnection,
    results: Sequence[Result],
    metrics: Sequence[str],
    values: Sequence[Values],
    *,
    by: str | None = None,
    where: str | None = None,
    method: Method | None = None,
    warn: Warn = lambda warning: None,
) -> list[Result]:
    """What `scoring.score` gave for several systems of one gold corpus, SCORE_low and SCORE_high behind each score.

    results, values: of every system, its scores and the values of the metrics' parameters. by, where: as given to
    `score`. Raises UsageError where there is nothing to draw, or too much, and what `score` raises.
    """
    method = method or Method()
    if by == "sentence":
        raise UsageError("--ci draws sentences anew; a row per sentence leaves nothing to draw")
    if max(map(len, results)) > MOST_GROUPS:
        raise UsageError(f"--ci is for {MOST_GROUPS} groups at most; choose some of them with --where")
    summed = [scoring_scores.sentence_sums(connection, metrics, one, by=by, where=where) for one in values]
    firsts = [np.any(one.values, axis=(1, 2)) for one in _together(sums[0] for sums in summed)]
    few = _few(_gold(summed[0][0].query, {"": values[0]}), firsts, "sentences")
    if few:
        warn(few)
    bounds: list[dict[str, list[float | None]]] = [{} for _ in results]
    for at, first in enumerate(summed[0]):
        query = first.query
        of_systems = [one.values for one in _together(sums[at] for sums in summed)]
        for group in range(max(one.shape[1] for one in of_systems)):
            having = [system for system, one in enumerate(of_systems) if group < one.shape[1]]
            counts = [Counts(query.counts, of_systems[system][:, group]) for system in having]
            runs = significance.bootstrap(connection, query.ratios, counts, runs=method.runs, seed=method.seed)
            for system, of_system in zip(having, runs, strict=True):
                for score, column in zip(query.ratios, of_system.T, strict=True):
                    low, high = significance.interval(column)
                    bounds[system].setdefault(f"{score.name}_low", []).append(low)
                    bounds[system].setdefault(f"{score.name}_high", []).append(high)
    return [_beside(result, found, method) for result, found in zip(results, bounds, strict=True)]


def _gold(query: Query, systems: Mapping[str, Values]) -> str:
    """The corpus that all systems are compared on, whose sentences are exchanged. Raises UsageError if none is."""
    names = [p.name for p in query.parameters if p.name.endswith("_corpus")]
    given = {name: {str(values.get(name)) for values in systems.values()} for name in names}
    several = [name for name in names if len(given[name]) > 1 and name.startswith(STANDARDS)]
    shared = [name for name in names if len(given[name]) == 1]
    if several or not (shared or len(names) == 1):
        raise UsageError(f"{query.name}: systems are compared on one and the same {(several or names)[0]}")
    first = (shared or names)[0]
    return str(next(iter(systems.values()))[first])


def _declared(query: Query, values: Values) -> dict[str, object]:
    return {name: value for name, value in values.items() if name in {p.name for p in query.parameters}}


def _sums(
    connection: duckdb.DuckDBPyConnection, query: Query, values: Values, where: str | None, gold: str
) -> SentenceSums:
    [summed] = scoring_scores.sentence_sums(connection, [query.name], values, where=where)
    return correspondence.renumbered(connection, query, summed, str(values[str(query.reference_corpus)]), gold)


def _with_later(
    numbers: npt.NDArray[np.int64], summed: Mapping[str, SentenceSums]
) -> tuple[npt.NDArray[np.int64], dict[str, SentenceSums]]:
    """Strata and counts for the sentences of gold, and for those behind that some system has, which stand alone."""
    found = _together(summed.values())
    n_sentences = len(next(iter(found)).sentences)
    later = int(numbers.max(initial=-1)) + 1 + np.arange(n_sentences - len(numbers))
    return np.concatenate([numbers, later]), dict(zip(summed, found, strict=True))


def _together(summed: Iterable[SentenceSums]) -> list[SentenceSums]:
    """The counts of several systems, of all sentences that any of them has."""
    summed = list(summed)
    sentences = functools.reduce(np.union1d, (one.sentences for one in summed))
    return [one.of(sentences) for one in summed]


def _look_at_lengths(query: Query, lengths: Mapping[str, int]) -> None:
    """Raises UsageError where systems have other numbers of sentences."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise UsageError(f"{query.name} is compared sentence by sentence, and their numbers differ: {told}")


def _observed(connection: duckdb.DuckDBPyConnection, scores: Sequence[Score], counts: Counts) -> Floats:
    return significance.evaluated(connection, scores, counts.columns, counts.sums)


def _strata(connection: duckdb.DuckDBPyConnection, gold: str, column: str | None) -> npt.NDArray[np.int64]:
    """The number of every sentence's stratum: its own without a column; a sentence without a value stands alone.

    Raises UnknownName, and UsageError where no sentence has a value.
    """
    if column is None:
        return np.arange(len(scoring_scores.sentence_numbers(connection, gold)))
    known = schemas.table("sentences").names
    if column not in known:
        raise UnknownName("column of sentences", column, known)
    [(given,)] = connection.execute(
        f"SELECT count(l.{quote(column)}) FROM sentences AS l WHERE l.corpus = ?", [gold]
    ).fetchall()
    if not given:
        raise UsageError(f"--stratum {column}: no sentence of {gold} has a value there, so that nothing is grouped")
    values = (
        documents.reaching(column, "$corpus")
        if column in documents.MARKS
        else (
            f"SELECT l.sentence, coalesce(CAST(l.{quote(column)} AS VARCHAR), '<' || l.sentence || '>') AS number\n"
            "FROM sentences AS l\nWHERE l.corpus = $corpus"
        )
    )
    sql = (
        "SELECT CAST(dense_rank() OVER (ORDER BY s.number) - 1 AS BIGINT) AS number\n"
        f"FROM (\n{values}\n) AS s\nORDER BY s.sentence"
    )
    numbers: npt.NDArray[np.int64] = connection.sql(sql, params={"corpus": gold}).to_arrow_table()["number"].to_numpy()
    return numbers


def _tested(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    scores: Sequence[Score],
    method: Method,
    counts: Mapping[str, Counts],
    values: Mapping[str, Values],
    resampled: Floats,
    where: str | None,
    a: str,
    b: str,
) -> list[Tested]:
    """The p-value of every score for one pair."""
    if method.test == "bootstrap":
        i, j = list(counts).index(a), list(counts).index(b)
        pairs = zip(resampled[i].T, resampled[j].T, strict=True)
        return [Tested(significance.bootstrap_p(one, other), "paired bootstrap") for one, other in pairs]
    if method.test in _MCNEMAR:
        kind, name = _MCNEMAR[method.test]
        gold = _gold(query, values)
        found = _discordant(connection, query, scores, values[a], values[b], where, gold)
        return [Tested(significance.mcnemar(*one, kind), name) for one in found]
    return significance.exchange(connection, scores, counts[a], counts[b], runs=method.runs, seed=method.seed)


def _discordant(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    scores: Sequence[Score],
    a: Values,
    b: Values,
    where: str | None,
    gold: str,
) -> list[tuple[int, int]]:
    """For every score the numbers of items that a alone, and that b alone, has right.

    Items are matched by the first columns of the metric's header that tell them apart. Raises UsageError where the
    systems have other items, or where a score is no share of items that are right or wrong.
    """
    counts = [column.name for column in query.counts]
    measured = ", ".join(
        f"count(*) FILTER (a.{c} IS DISTINCT FROM b.{c}), count(*) FILTER (a.{c} = 1 AND b.{c} = 0), "
        f"count(*) FILTER (a.{c} = 0 AND b.{c} = 1), coalesce(CAST(sum(a.{c}) AS DOUBLE), 0)"
        for c in counts
    )
    names = [column.name for column in query.columns if column.name not in counts]
    with duckdb.connect() as own:
        key: list[str] = []
        for columns in (names[:USUAL_KEY], names):
            if key:
                break
            for side, values in (("a", a), ("b", b)):
                items = scoring_scores.items(connection, query.name, values, [*columns, *counts], where=where)
                corpus = str(values[str(query.reference_corpus)])
                own.register(side, correspondence.renumbered_items(connection, query, items, corpus, gold))
            key = _key(own, columns)
        if not key:
            raise UsageError(f"McNemar's test matches items, and those of {query.name} cannot be told apart")
        matched = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in key)
        sql = f"SELECT count(*), count(a.sentence), count(b.sentence), {measured} FROM a FULL JOIN b ON {matched}"
        n, in_a, in_b, *rest = own.execute(sql).fetchall()[0]
    if n != in_a or n != in_b:
        raise UsageError(
            f"McNemar's test needs the same items for both systems, and of {query.name} {2 * n - in_a - in_b} stand on "
            "one side only; --test shuffling compares sums"
        )
    found = {name: rest[4 * at : 4 * at + 4] for at, name in enumerate(counts)}
    known = {name: Fraction(total) for name, (differ, _, _, total) in found.items() if not differ}
    right = []
    for score in scores:
        weights = expressions.coefficients(connection, score, known)
        names = list(weights or {})
        if (
            weights is None
            or len(names) > 1
            or any(found[name][0] != found[name][1] + found[name][2] for name in names)
        ):
            raise UsageError(
                f"McNemar's test is for shares of items that are right or wrong, and {score.name} of {query.name} is "
                "none; --test shuffling is for every score"
            )
        right.append((found[names[0]][1], found[names[0]][2]) if names else (0, 0))
    return right


def _key(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[str]:
    """The fewest first columns that tell all rows of the tables a and b apart; none if all columns do not."""
    for width in range(1, len(names) + 1):
        key = ", ".join(names[:width])
        distinct = (f"(SELECT count(*) FROM (SELECT DISTINCT {key} FROM {side}))" for side in ("a", "b"))
        whole = (f"(SELECT count(*) FROM {side})" for side in ("a", "b"))
        told = " AND ".join(f"{some} = {all_of}" for some, all_of in zip(distinct, whole, strict=True))
        if connection.execute(f"SELECT {told}").fetchall()[0][0]:
            return list(names[:width])
    return []


def _difference(a: Floats, b: Floats, tested: Tested, score: Score) -> dict[str, float | int | None]:
    """The interval of the difference, and who has the better score how often, over resamples; the higher one where
    neither is better.
    """
    keys = ("difference_low", "difference_high", "wins_a", "ties", "wins_b")
    if tested.p is None:
        return dict.fromkeys(keys)
    wins = significance.wins(b, a) if score.direction == "lower" else significance.wins(a, b)
    return dict(zip(keys, (*significance.interval(a - b), *wins), strict=True))


def _signature(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    score: Score,
    a: Values,
    b: Values,
    where: str | None,
    method: Method,
    tested: Tested,
    among: Sequence[Values],
) -> str:
    """The signature of a score with both systems in it, and the test before the query's digest.

    among: all systems, if p is corrected for the number of their pairs.
    """
    one, other = (signatures.signature(connection, query, score.name, query.values(side), where) for side in (a, b))
    how = [f"test:{tested.test}", f"runs:{method.runs}", f"seed:{method.seed}", f"correction:{method.correction}"]
    how += [f"among:{signatures.digest_of(connection, query, among)}"] * bool(among)
    how += [f"stratum:{method.stratum}"] * (method.stratum is not None)
    return signature_text.both(one, other, how)


def _remarks(gold: str, counts: Mapping[str, Counts], strata: int, method: Method) -> Iterator[FormatError]:
    """What is worth a warning about the number of sentences."""
    unit = "sentences" if method.stratum is None else "strata"
    few = _few(gold, [np.any(one.values, axis=1) for one in counts.values()], unit)
    if few:
        yield few
    for a, b in itertools.combinations(counts, 2):
        differ = int(np.count_nonzero(np.any(counts[a].values != counts[b].values, axis=1)))
        if method.test == "shuffling" and differ > 0 and 2 ** (1 - differ) > LEVEL:
            what = (
                f"{a} and {b} differ in {differ} of {strata} {unit}, and no p below {2 ** (1 - differ):g} is possible"
            )
            yield FormatError(gold, 0, what, "compare them on more text")


def _few(gold: str, counted: Sequence[npt.NDArray[np.bool_]], unit: str) -> FormatError | None:
    """A warning where few sentences or strata have what is scored. counted: by system, which of them have."""
    n, n_all = int(np.count_nonzero(np.any(counted, axis=0))), len(counted[0])
    if n >= FEW:
        return None
    having = "" if n == n_all else f" of {n_all} {'has' if n == 1 else 'have'} what is scored"
    few = f"only {n} {ONE_OF[unit] if n == 1 else unit}{having}"
    what = f"{few}, so that intervals of the bootstrap are too narrow, and small differences are not found"
    return FormatError(gold, 0, what, f"compare on {FEW} at least")


def _look_for_nothing(rows: Sequence[Mapping[str, Any]], warn: Warn) -> None:
    """Warn of scores without a value. Raises UsageError if none has one."""
    empty: dict[str, list[str]] = {}
    for row in rows:
        for side in ("a", "b"):
            if row[f"score_{side}"] is None and row[f"system_{side}"] not in empty.setdefault(row["metric"], []):
                empty[row["metric"]].append(row[f"system_{side}"])
    told = [f"{metric} has no value for {', '.join(systems)}" for metric, systems in empty.items() if systems]
    if rows and all(row["score_a"] is None or row["score_b"] is None for row in rows):
        raise UsageError(f"nothing can be compared: {'; '.join(told)}, as nothing is counted there")
    for one in told:
        warn(FormatError("comparison", 0, one, "it is not compared there"))


def _beside(result: Result, bounds: Mapping[str, Sequence[float | None]], method: Method) -> Result:
    """A table of scores with the ends of an interval behind every score; the signatures say how they were found."""
    table = result.arrow()
    names, columns = [], []
    for name in table.column_names:
        names.append(name)
        columns.append(table[name])
        for end in ("_low", "_high"):
            if f"{name}{end}" in bounds:
                found = [*bounds[f"{name}{end}"], *[None] * (len(table) - len(bounds[f"{name}{end}"]))]
                names.append(f"{name}{end}")
                columns.append(pa.chunked_array([pa.array(found, pa.float64())]))
    how = [f"bootstrap:{method.runs}", f"seed:{method.seed}"]
    cited = {name: signature_text.insert(text, how) for name, text in result.signatures.items()}
    percent = frozenset(f"{name}{end}" for name in result.percent for end in ("", "_low", "_high"))
    return Result(pa.table(columns, names=names), cited, percent)


def _apart(a: float, b: float) -> float | None:
    """How far a score is above another: 0 where only rounding is between them, None where one of them has no value."""
    return 0.0 if abs(a - b) <= TIE * max(abs(a), abs(b)) else _or_none(a - b)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
