"""The tables of a report of an evaluation, which need no page: scores, comparison, buckets, confusions, sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql import catalog, significance
from treesql.catalog import Query
from treesql.catalog.kinds import ConfusionLayout, Kind
from treesql.catalog.queries import further_corpora
from treesql.errors import UnknownName, UsageError
from treesql.evaluation import evaluate
from treesql.evaluation.sources import summed_once
from treesql.evaluation.task import Inputs, MainScore, Task, find_main_score
from treesql.kernels.arrays import Floats, Ints
from treesql.results.cells import find_starts
from treesql.results.result import Result
from treesql.runtime.arrays import compute as pc
from treesql.scoring import scores
from treesql.scoring.items import column_of, find_columns, sum_name
from treesql.significance import correspondence
from treesql.significance.averages import score_buckets
from treesql.significance.comparison import Comparison
from treesql.significance.methods import Method
from treesql.significance.strata import find_gold_corpus
from treesql.significance.tests import evaluate_scores

MAX_SENTENCES = 10_000
"""Maximum number of sentences whose buckets have intervals and tests; of more, a random sample."""

MAX_VALUES = 40
"""Maximum number of values of a column that are buckets, the largest ones; of treebanks, all are."""

MAX_EXAMPLES = 3
"""Maximum number of sentences named for a pair of values that a system confuses."""

_BUCKETS = pa.schema(
    [
        ("attribute", pa.string()), ("column", pa.string()), ("value", pa.string()), ("system", pa.string()),
        ("sentences", pa.int64()), ("count", pa.int64()), ("metric", pa.string()), ("score", pa.float64()),
        ("low", pa.float64()), ("high", pa.float64()), ("p", pa.float64()), ("p_corrected", pa.float64()),
        ("differs", pa.bool_()),
    ]
)  # fmt: skip
_CONFUSIONS = pa.schema(
    [
        ("confusion", pa.string()), ("system", pa.string()), ("gold", pa.string()), ("found", pa.string()),
        ("count", pa.int64()), ("examples", pa.list_(pa.int64())),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class EvaluationTables:
    """What a report shows. items: of the main score by sentence; sampled: how many of the sentences buckets are of, if
    not all. against: the corpora that all systems share. differences: by title, what differs from the first system.

    Tables of `--data`: scores as `score --ci` has them, comparison as `compare` has it (without rows for one system),
    buckets, confusions.
    """

    kind: Kind
    systems: Sequence[str]
    scores: Result
    comparison: Comparison | None
    main: MainScore
    items: ItemCounts
    buckets: Result
    confusions: Result
    against: Sequence[str]
    sampled: int | None = None
    differences: Mapping[str, Result] = field(default_factory=dict)

    @cached_property
    def ranked(self) -> list[str]:
        """The systems by the main score of all sentences, the best first; sentences are lists of the first two."""
        return [self.systems[at] for at in rank_systems(self.items, self.main)]

    @property
    def best(self) -> str:
        """The system with the best main score of all sentences; buckets are compared with it."""
        return self.ranked[0]

    @property
    def n_sentences(self) -> int:
        """Number of the sentences that are scored."""
        return len(self.items.sentences)


@dataclass(frozen=True)
class ConfusedItems:
    """Items of a table of confusions. rows, columns: of values; terms: the counts to sum, each times 1 or -1."""

    items: ItemCounts
    rows: str
    columns: str
    terms: Mapping[str, int]


@dataclass(frozen=True)
class ReportCounts:
    """What buckets, confusions and sentences are made from. finer: items with columns that `items` lack."""

    main: MainScore
    items: ItemCounts
    finer: ItemCounts | None
    confused: Mapping[str, ConfusedItems]


def count_report(inputs: Inputs) -> ReportCounts:
    """Count the items of a report. Raises UnknownName, UsageError, Incomparable, QueryError."""
    kind, where = inputs.task.kind, inputs.task.where
    main = find_main_score(inputs.task)
    columns = groupable(inputs, main.query, list(kind.report.buckets.values()))
    confused = {
        title: confusion
        for title, confusion in kind.report.confusions.items()
        if _metric_of(inputs, confusion) is not None
    }
    further = [
        name
        for confusion in confused.values()
        if _metric_of(inputs, confusion) == main.query.name and confusion.where is None
        for name in (confusion.rows, confusion.columns)
    ]
    items = count_items(inputs, main.query, list(dict.fromkeys([*columns, *further])), where)
    finer = _count_finer_items(inputs, main, columns, where)
    return ReportCounts(main, items, finer, _count_confusions(inputs, confused, items))


def join_counts(parts: Mapping[str, ReportCounts]) -> tuple[ReportCounts, dict[str, int]]:
    """The counts of several treebanks as those of one, and by treebank the number of its first sentence."""
    firsts, n = {}, 0
    for name, counts in parts.items():
        firsts[name] = n
        n += int(counts.items.sentences[-1]) + 1 if len(counts.items.sentences) else 0

    first = next(iter(parts.values()))
    finer = {name: part.finer for name, part in parts.items() if part.finer is not None}
    confused = {
        title: replace(
            confusion, items=join_treebanks({name: part.confused[title].items for name, part in parts.items()}, firsts)
        )
        for title, confusion in first.confused.items()
        if all(title in part.confused for part in parts.values())
    }
    items = join_treebanks({name: part.items for name, part in parts.items()}, firsts)
    finer_items = join_treebanks(finer, firsts) if len(finer) == len(parts) else None
    return ReportCounts(first.main, items, finer_items, confused), firsts


def make_tables(
    kind: Kind, counts: ReportCounts, scored: Result, comparison: Comparison | None, seed: int, against: Sequence[str]
) -> EvaluationTables:
    """Make the tables of a report. against: the corpora that all systems share. Raises UsageError without sentences."""
    items = counts.items
    if not len(items.sentences):
        raise UsageError(f"{items.gold} has no sentences; a report is about one at least")
    sampled = len(items.sentences) > MAX_SENTENCES
    chosen = items.only(sample(items.sentences, MAX_SENTENCES, seed)) if sampled else items
    items_by_column = dict.fromkeys(items.columns, chosen)
    if counts.finer is not None:
        finer = counts.finer.only(chosen.sentences)
        items_by_column |= {column: finer for column in finer.columns if column not in items_by_column}
    titles = {TREEBANK.capitalize(): TREEBANK, **kind.report.buckets}
    titles = {title: column for title, column in titles.items() if column in items_by_column}
    best = rank_systems(items, counts.main)[0]
    buckets, confusions = _score_values(items_by_column, counts.main, titles, seed, best), _confusions(counts.confused)
    return EvaluationTables(
        kind, items.systems, scored, comparison, counts.main, items, buckets, confusions, against,
        MAX_SENTENCES if sampled else None,
    )  # fmt: skip


def find_differences(inputs: Inputs) -> dict[str, Result]:
    """By title, the tables that compare systems with the first one; none of one system, or with a condition."""
    task = inputs.task
    named = task.kind.report.differences if len(task.systems) > 1 and task.where is None else {}
    results = {}
    for title, table in named.items():
        of_table = replace(task, tables=(table,), metrics=(), by=(), ci=False)
        results[title] = evaluate.join_systems(evaluate.score_systems(replace(inputs, task=of_table)))
    return results


def score_and_compare(inputs: Inputs, task: Task, seed: int) -> tuple[Result, Comparison | None]:
    """The scores with intervals, as `evaluate` has them, and the comparison of systems. task: that was asked for."""
    with summed_once(replace(inputs, task=replace(inputs.task, ci=True))) as summed:
        parts = evaluate.score_systems(summed)
        shown = {name: evaluate.choose_shown(result, (), task) for name, result in parts.items()}
        return evaluate.join_systems(shown), _compare(summed, task, seed) if len(inputs.systems) > 1 else None


def sample(numbers: Ints, size: int, seed: int) -> Ints:
    """Some of the numbers, drawn without replacement, in order; the same for the same seed."""
    drawn = np.random.Generator(np.random.PCG64(seed)).permutation(len(numbers))[:size]
    sampled: Ints = numbers[np.sort(drawn)]
    return sampled


def _compare(inputs: Inputs, task: Task, seed: int) -> Comparison:
    method = Method(seed=seed)
    compared = replace(evaluate.task_to_compare(task, method), warn=inputs.task.warn)
    counted = {"": evaluate.count_systems(replace(inputs, task=compared), method)}
    [fitting] = evaluate.fit_comparison(counted, compared.kind, compared.choice.named).values()
    return significance.compare.compare_counted(fitting, method, inputs.task.warn, compared.choice.order)


def _count_finer_items(inputs: Inputs, main: MainScore, columns: Sequence[str], where: str | None) -> ItemCounts | None:
    """The counts of the main score at a finer grain, by the columns of buckets that its own items lack.

    None where the kind has no such items, or a condition names a column that they lack.
    """
    report = inputs.task.kind.report
    query = None if report.finer is None else catalog.query(report.finer)
    if query is None or not {count.name for count in query.counts} >= set(main.score.counts):
        return None
    lacking = [column for column in report.buckets.values() if column not in columns]
    groupings = groupable(inputs, query, lacking)
    return find_items(inputs, query, groupings, where) if groupings else None


def _score_values(
    items_by_column: Mapping[str, ItemCounts], main: MainScore, titles: Mapping[str, str], seed: int, best: int
) -> Result:
    """A row per column, value and system. items_by_column: items by column; titles: columns by their titles.

    best: the number of the system that the others are compared with.
    """
    if not titles:
        return Result(pa.Table.from_pylist([], _BUCKETS))
    systems = next(iter(items_by_column.values())).systems
    order = [best, *(at for at in range(len(systems)) if at != best)]
    count_names = list(dict.fromkeys([*main.score.counts, *filter(None, [main.count])]))
    columns = tuple(count for name in count_names for count in main.query.counts if count.name == name)
    values: list[tuple[str, str]] = []
    counts: list[list[Floats]] = []
    for title, column in titles.items():
        counts_by_value = _sum_values(items_by_column[column], column, count_names, main)
        if counts_by_value.keys() == {NONE}:
            continue
        values += [(title, value) for value in counts_by_value]
        counts += ([of_systems[at] for at in order] for of_systems in counts_by_value.values())
    treebanks = next(iter(items_by_column.values())).treebanks
    scored = score_buckets(main.score, columns, counts, Method(seed=seed), treebanks)
    size = count_names.index(main.count) if main.count else None
    rows: list[dict[str, Any]] = []
    for (title, value), system_counts, bucket_scores in zip(values, counts, scored, strict=True):
        in_order = sorted(zip(order, system_counts, bucket_scores, strict=True), key=itemgetter(0))
        for system, (_, sentence_counts, score) in zip(systems, in_order, strict=True):
            rows.append(
                {"attribute": title, "column": titles[title], "value": value, "system": system}
                | {"sentences": int(np.any(sentence_counts != 0, axis=1).sum()), "metric": main.score.name}
                | {"count": None if size is None else int(sentence_counts[:, size].sum())}
                | {"score": score.value, "low": score.low, "high": score.high, "p": score.p}
                | {"p_corrected": score.p_corrected, "differs": score.differs}
            )
    return Result(pa.Table.from_pylist(rows, _BUCKETS))


def _sum_values(items: ItemCounts, column: str, count_names: Sequence[str], main: MainScore) -> dict[str, list[Floats]]:
    """The counts of the values of a column by system, by sentence; numbers and bins in order, else the largest first.

    Values whose counts are all 0 are left out. Items without a value are NONE.
    """
    parts = [count_values(items, system, column, count_names) for system in items.systems]
    sizes = largest_sizes(parts, [count_names.index(main.count)] if main.count else range(len(count_names)))
    whole = [name for name, size in largest_sizes(parts, range(len(count_names))).items() if size]
    limit = None if column == TREEBANK else MAX_VALUES
    value_names = sorted((name for name in whole if name != NONE), key=lambda name: (-sizes[name], name))[:limit]
    if starts := find_starts(value_names):
        value_names = sorted(value_names, key=starts.__getitem__)
    value_names += [NONE] * (NONE in whole)
    return {name: [part.by_sentence(name, len(items.sentences)) for part in parts] for name in value_names}


def _metric_of(inputs: Inputs, confusion: ConfusionLayout) -> str | None:
    """The metric whose items are confused; None if what it is shown with is not scored."""
    return confusion.metric if (confusion.beside or confusion.metric) in inputs.task.choice.metrics else None


def _count_confusions(
    inputs: Inputs, confused: Mapping[str, ConfusionLayout], known: ItemCounts
) -> dict[str, ConfusedItems]:
    """Count the items of tables of confusions. known: items that are counted already.

    Leaves out the tables of other metrics whose items lack a column of the condition.
    """
    items_by_title = {}
    for title, confusion in confused.items():
        name = str(_metric_of(inputs, confusion))
        items = known
        if name != known.query.name or confusion.where is not None:
            condition_of_both = (
                " AND ".join(f"({condition})" for condition in (inputs.task.where, confusion.where) if condition)
                or None
            )
            counted = find_items(inputs, catalog.query(name), [confusion.rows, confusion.columns], condition_of_both)
            if counted is None:
                continue
            items = counted
        items_by_title[title] = ConfusedItems(items, confusion.rows, confusion.columns, confusion.terms)
    return items_by_title


def _confusions(confused: Mapping[str, ConfusedItems]) -> Result:
    """A row per table of confusions, system and pair of values, with the first sentences that have it."""
    rows: list[dict[str, Any]] = []
    for title, confusion in confused.items():
        for system in confusion.items.systems:
            rows += [
                {"confusion": title, "system": system, **row}
                for row in _pairs_of(confusion.items, system, confusion.rows, confusion.columns, confusion.terms)
            ]
    return Result(pa.Table.from_pylist(rows, _CONFUSIONS))


def _pairs_of(
    items: ItemCounts, system: str, rows: str, columns: str, terms: Mapping[str, int]
) -> list[dict[str, Any]]:
    """The pairs of values that a system has, the most frequent first, with sentences as examples.

    terms: the counts to sum, each times 1 or -1.
    """

    def values_of(column: str) -> pa.Array:
        names, codes = items.values(system, column)
        return pa.array([value or NONE for value in names], pa.string()).take(pa.array(codes))

    table = pa.table(
        {
            "gold": values_of(rows), "found": values_of(columns),
            "count": (items.counts(system, list(terms)) @ np.array(list(terms.values()))).astype(np.int64),
            "examples": items.tables[system]["sentence"].cast(pa.int64()),
        }
    )  # fmt: skip
    grouped = table.group_by(["gold", "found"]).aggregate([("count", "sum"), ("examples", "list")])
    pairs = [
        {"gold": row["gold"], "found": row["found"], "count": row["count_sum"]}
        | {"examples": sorted(set(row["examples_list"]))[:MAX_EXAMPLES]}
        for row in grouped.to_pylist()
        if row["count_sum"]
    ]
    return sorted(pairs, key=lambda row: (-row["count"], row["gold"], row["found"]))


def rank_systems(items: ItemCounts, main: MainScore) -> list[int]:
    """The numbers of the systems by their score of all sentences, the best first; of equal ones in their order."""
    names = list(main.score.counts)
    columns = tuple(count for name in names for count in main.query.counts if count.name == name)
    sums = np.stack([items.counts(system, names).sum(axis=0) for system in items.systems])
    values = evaluate_scores([main.score], columns, sums)[:, 0]
    worse = np.where(np.isnan(values), np.inf, values if main.lower else -values)
    ranks: list[int] = np.argsort(worse, kind="stable").tolist()
    return ranks


def sentence_scores(tables: EvaluationTables) -> tuple[Floats, Floats]:
    """The main score of every sentence by system, NaN for none, float64[systems, sentences], and its size by sentence.

    The size is that of the count of buckets, the same for all systems or the largest one; 1 without such a count.
    """
    main = tables.main
    names = list(main.score.counts)
    columns = tuple(count for name in names for count in main.query.counts if count.name == name)
    values = [
        evaluate_scores([main.score], columns, tables.items.by_sentence(system, names))[:, 0]
        for system in tables.systems
    ]
    sizes = [tables.items.by_sentence(system, [main.count])[:, 0] for system in tables.systems] if main.count else []
    size: Floats = np.max(sizes, axis=0) if sizes else np.ones(len(tables.items.sentences))
    return np.stack(values), size


@dataclass(frozen=True)
class SentenceList:
    """Sentences under a heading. name: of the list in data; numbers: of the sentences."""

    name: str
    title: str
    numbers: Sequence[int]


@dataclass(frozen=True)
class ChosenSentences:
    """Lists of sentences. scores: the main score of all sentences by system, NaN for none, float64[systems, n]."""

    lists: Sequence[SentenceList]
    scores: Floats

    @property
    def numbers(self) -> list[int]:
        """The sentences of all lists, each once."""
        return list(dict.fromkeys(number for sentences in self.lists for number in sentences.numbers))


def choose_sentences(tables: EvaluationTables, most: int) -> ChosenSentences:
    """Choose at most so many sentences for each list.

    The best system wins most over the second best where the difference of the scores times the size of the sentence is
    largest; all fail where the best of a sentence loses most, likewise.
    """
    scores, sizes = sentence_scores(tables)
    better = -scores if tables.main.lower else scores
    numbers = tables.items.sentences
    first, *others = tables.ranked

    def largest(gains: Floats) -> list[int]:
        known = np.where(np.isnan(gains), 0.0, gains)
        order = np.argsort(-known, kind="stable")[:most]
        return [int(numbers[at]) for at in order if known[at] > 0]

    lists = []
    if others:
        second = others[0]
        gains = (better[tables.systems.index(first)] - better[tables.systems.index(second)]) * sizes
        lists.append(SentenceList("first_wins", f"Where {first} wins most over {second}", largest(gains)))
        lists.append(SentenceList("second_wins", f"Where {second} wins most over {first}", largest(-gains)))
    known = np.where(np.isnan(better), -np.inf, better).max(axis=0)
    loss = np.where(np.isinf(known), 0.0, (1.0 - known if not tables.main.lower else -known)) * sizes
    title = "Where all systems fail" if others else f"Where {first} fails most"
    lists.append(SentenceList("all_fail", title, largest(loss)))
    return ChosenSentences(lists, scores)


@dataclass(frozen=True)
class ItemCounts:
    """The summed counts of a metric by system: a row per sentence and combination of values of the columns.

    gold: the corpus whose sentences are numbered; sentences: its numbers; firsts: of several treebanks, the number of
    the first sentence of each.
    """

    query: Query
    tables: Mapping[str, pa.Table]
    gold: str
    sentences: Ints
    firsts: Sequence[int] = ()

    @property
    def treebanks(self) -> list[slice]:
        """The places of the sentences of each of several treebanks."""
        starts = [*np.searchsorted(self.sentences, self.firsts).tolist(), len(self.sentences)]
        return list(itertools.starmap(slice, itertools.pairwise(starts)))

    @property
    def columns(self) -> list[str]:
        """The columns that items are counted by."""
        counts = {sum_name(self.query, count) for count in self.query.counts}
        table = next(iter(self.tables.values()))
        return [name for name in table.column_names if name not in counts and name != "sentence"]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.tables)

    def counts(self, system: str, names: Sequence[str]) -> Floats:
        """The sums of some counts in the rows of a system: float64[rows, names]."""
        table = self.tables[system]
        known = {count.name: count for count in self.query.counts}
        columns = [table[sum_name(self.query, known[name])].to_numpy().astype(np.float64) for name in names]
        return np.stack(columns, axis=1) if columns else np.zeros((len(table), 0))

    def places(self, system: str) -> Ints:
        """The place of the sentence of every row of a system among the sentences: int64[rows]."""
        places: Ints = np.searchsorted(self.sentences, self.tables[system]["sentence"].to_numpy())
        return places

    def by_sentence(self, system: str, names: Sequence[str]) -> Floats:
        """The sums of some counts of a system by sentence: float64[sentences, names]."""
        return sum_rows(self.counts(system, names), self.places(system), len(self.sentences))

    def values(self, system: str, column: str) -> tuple[list[str | None], Ints]:
        """The values of a column, as text, and for every row of a system the place of its own among them."""
        encoded = self.tables[system][column].combine_chunks().dictionary_encode(null_encoding="encode")
        return [_text(value) for value in encoded.dictionary.to_pylist()], encoded.indices.to_numpy().astype(np.int64)

    def only(self, sentences: Ints) -> ItemCounts:
        """The counts of some of the sentences."""
        tables = {
            name: table.filter(pa.array(np.isin(table["sentence"].to_numpy(), sentences)))
            for name, table in self.tables.items()
        }
        return ItemCounts(self.query, tables, self.gold, sentences, self.firsts)


TREEBANK = "treebank"
"""Column of the counts of several treebanks, and the title of its buckets."""


def join_treebanks(counts: Mapping[str, ItemCounts], first_numbers: Mapping[str, int]) -> ItemCounts:
    """The counts of several treebanks as those of one, with their names in a column.

    first_numbers: by treebank, what is added to the numbers of its sentences.
    """
    first = next(iter(counts.values()))
    tables = {}
    for system in first.systems:
        parts = []
        for name, items in counts.items():
            table = items.tables[system]
            numbers = pc.add(table["sentence"].cast(pa.int64()), first_numbers[name])
            table = table.set_column(table.schema.get_field_index("sentence"), "sentence", numbers)
            parts.append(table.append_column(TREEBANK, pa.repeat(name, len(table))))
        tables[system] = pa.concat_tables(parts, promote_options="permissive")
    sentences = np.concatenate(
        [items.sentences.astype(np.int64) + first_numbers[name] for name, items in counts.items()]
    )
    return ItemCounts(first.query, tables, first.gold, sentences, [first_numbers[name] for name in counts])


def sum_rows(counts: Floats, places: npt.NDArray[np.int64], n: int) -> Floats:
    """The sums of rows by place: float64[n, columns] of float64[rows, columns] and int64[rows]."""
    sums = np.zeros((n, counts.shape[1]))
    np.add.at(sums, places, counts)
    return sums


NONE = "(none)"
"""Name of the value of items without one."""


@dataclass(frozen=True)
class CountsByValue:
    """The counts of the rows of a system, the places of their sentences, and those of their values, by name."""

    names: Mapping[str, int]
    codes: Ints
    counts: Floats
    places: Ints

    def sizes(self, columns: Sequence[int]) -> dict[str, float]:
        """By value, the sum over all sentences of the sizes of its counts there."""
        n = int(self.places.max(initial=0)) + 1
        pairs, at = np.unique(self.codes * n + self.places, return_inverse=True)
        sizes = np.zeros(len(self.names))
        for column in columns:
            sums = np.abs(np.bincount(at, self.counts[:, column], minlength=len(pairs)))
            sizes += np.bincount(pairs // n, sums, minlength=len(sizes))
        return {name: float(sizes[code]) for name, code in self.names.items()}

    def by_sentence(self, name: str, n: int) -> Floats:
        """The counts of a value: float64[n sentences, columns]."""
        has_value = self.codes == self.names.get(name, -1)
        return sum_rows(self.counts[has_value], self.places[has_value], n)


def count_values(items: ItemCounts, system: str, column: str, count_names: Sequence[str]) -> CountsByValue:
    """The counts of a system by the values of a column."""
    names, codes = items.values(system, column)
    by_name = {NONE if name is None else name: code for code, name in enumerate(names)}
    return CountsByValue(by_name, codes, items.counts(system, count_names), items.places(system))


def largest_sizes(parts: Iterable[CountsByValue], columns: Sequence[int]) -> dict[str, float]:
    """By value, the largest of its sizes in several systems."""
    largest: dict[str, float] = {}
    for part in parts:
        for name, size in part.sizes(columns).items():
            largest[name] = max(size, largest.get(name, 0.0))
    return largest


def count_items(inputs: Inputs, query: Query, by: Sequence[str], where: str | None) -> ItemCounts:
    """Count the items of a metric of all systems. by: what `--by` takes; where: an SQL condition on items.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = {name: inputs.values(name, [query]) for name in inputs.systems}
    gold = find_gold_corpus(query, values)
    tables = {}
    for name, system_values in values.items():
        rows = scores.score(inputs.engine, [query.name], system_values, by=["sentence", *by], where=where, sums=True)
        table = rows.arrow().filter(pc.is_valid(rows.arrow()["sentence"]))
        corpus = str(system_values[str(query.reference_corpus)])
        tables[name] = correspondence.renumber_items(inputs.engine, query, table, corpus, gold)
    numbers = scores.sentence_numbers(inputs.engine, gold)
    seen = [table["sentence"].to_numpy() for table in tables.values()]
    return ItemCounts(query, tables, gold, np.unique(np.concatenate([numbers, *seen])))


def find_items(inputs: Inputs, query: Query, by: Sequence[str], where: str | None) -> ItemCounts | None:
    """Count items as `count_items` does; None if they lack a column, such as one of the condition."""
    try:
        return count_items(inputs, query, by, where)
    except UnknownName:
        return None


def groupable(inputs: Inputs, query: Query, by: Sequence[str]) -> list[str]:
    """The columns and bins among some that the items of a metric can be grouped by."""
    groupings = []
    values = [inputs.values(system, [query]) for system in inputs.systems]
    for name in by:
        try:
            [grouping], _ = find_columns(inputs.engine, query, [name], None, values[0])
        except (UnknownName, UsageError):
            continue
        described = further_corpora(query, [column_of(grouping.name)])
        if all(described.keys() <= system_values.keys() for system_values in values):
            groupings.append(name)
    return groupings


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
