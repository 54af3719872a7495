"""The counts of a metric's items by sentence and by values of columns, for all systems of an evaluation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from treesql.catalog import Query
from treesql.catalog.attributes import further_corpora
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.roles import Inputs
from treesql.kernels.arrays import Floats, Ints
from treesql.runtime.arrays import compute as pc
from treesql.scoring import scores
from treesql.scoring.item_columns import column_of, find_groupings
from treesql.scoring.items import sum_name
from treesql.significance import correspondence
from treesql.significance.strata import find_gold_corpus


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
        counts = {sum_name(self.query, one) for one in self.query.counts}
        table = next(iter(self.tables.values()))
        return [name for name in table.column_names if name not in counts and name != "sentence"]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.tables)

    def counts(self, system: str, names: Sequence[str]) -> Floats:
        """The sums of some counts in the rows of a system: float64[rows, names]."""
        table = self.tables[system]
        known = {one.name: one for one in self.query.counts}
        columns = [table[sum_name(self.query, known[name])].to_numpy().astype(np.float64) for name in names]
        return np.stack(columns, axis=1) if columns else np.zeros((len(table), 0))

    def places(self, system: str) -> Ints:
        """The place of the sentence of every row of a system among the sentences: int64[rows]."""
        found: Ints = np.searchsorted(self.sentences, self.tables[system]["sentence"].to_numpy())
        return found

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
        for name, one in counts.items():
            table = one.tables[system]
            moved = pc.add(table["sentence"].cast(pa.int64()), first_numbers[name])
            table = table.set_column(table.schema.get_field_index("sentence"), "sentence", moved)
            parts.append(table.append_column(TREEBANK, pa.repeat(name, len(table))))
        tables[system] = pa.concat_tables(parts, promote_options="permissive")
    sentences = np.concatenate([one.sentences.astype(np.int64) + first_numbers[name] for name, one in counts.items()])
    return ItemCounts(first.query, tables, first.gold, sentences, [first_numbers[name] for name in counts])


def sum_rows(counts: Floats, places: npt.NDArray[np.int64], n: int) -> Floats:
    """The sums of rows by place: float64[n, columns] of float64[rows, columns] and int64[rows]."""
    found = np.zeros((n, counts.shape[1]))
    np.add.at(found, places, counts)
    return found


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
        of_value = self.codes == self.names.get(name, -1)
        return sum_rows(self.counts[of_value], self.places[of_value], n)


def count_values(items: ItemCounts, system: str, column: str, used: Sequence[str]) -> CountsByValue:
    """The counts of a system by the values of a column."""
    names, codes = items.values(system, column)
    by_name = {NONE if name is None else name: code for code, name in enumerate(names)}
    return CountsByValue(by_name, codes, items.counts(system, used), items.places(system))


def largest_sizes(parts: Iterable[CountsByValue], columns: Sequence[int]) -> dict[str, float]:
    """By value, the largest of its sizes in several systems."""
    found: dict[str, float] = {}
    for part in parts:
        for name, size in part.sizes(columns).items():
            found[name] = max(size, found.get(name, 0.0))
    return found


def count_items(inputs: Inputs, query: Query, by: Sequence[str], where: str | None) -> ItemCounts:
    """Count the items of a metric of all systems. by: what `--by` takes; where: an SQL condition on items.

    Raises UnknownName, UsageError, Incomparable, QueryError.
    """
    values = {name: inputs.values(name, [query]) for name in inputs.systems}
    gold = find_gold_corpus(query, values)
    tables = {}
    for name, of_system in values.items():
        rows = scores.score(inputs.engine, [query.name], of_system, by=["sentence", *by], where=where, sums=True)
        table = rows.arrow().filter(pc.is_valid(rows.arrow()["sentence"]))
        own = str(of_system[str(query.reference_corpus)])
        tables[name] = correspondence.renumber_items(inputs.engine, query, table, own, gold)
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
    found = []
    values = [inputs.values(system, [query]) for system in inputs.systems]
    for name in by:
        try:
            [grouping] = find_groupings(inputs.engine, query, [name], values[0])
        except (UnknownName, UsageError):
            continue
        described = further_corpora(query, [column_of(grouping.name)])
        if all(described.keys() <= of_system.keys() for of_system in values):
            found.append(name)
    return found


def _text(value: object) -> str | None:
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
