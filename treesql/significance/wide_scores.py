"""Systems side by side, as papers print them: a row per group or treebank, with the differences from one system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from treesql.catalog.header import Score
from treesql.results import signature_text
from treesql.results.documents import DocumentTable, Presentation, arrange
from treesql.results.result import Result
from treesql.results.tables import cells_by_column, is_numeric, p_text, render_text, text_array, text_blocks
from treesql.runtime import steps
from treesql.runtime.failures import convert_errors_of_class
from treesql.significance.averages import macro_shuffling_test, mean_of_scores
from treesql.significance.compare import difference_of, or_none
from treesql.significance.comparison import DAGGER, TEST_DESCRIPTIONS
from treesql.significance.counted_metrics import GroupedCounts
from treesql.significance.methods import LEVEL, MACRO, RUNS, SEED
from treesql.significance.tests import Counts, TestedScore, correct_p_values, evaluate_scores

ALL = "all"
"""The row of all items, in place of the value of a group."""

TREEBANK = "treebank"

Key = tuple[Any, ...]
"""The values of a group's columns."""


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class WideScores(Result):
    """A row per group: `n`, `SCORE:SYSTEM` of every system, `difference:SYSTEM` and `p:SYSTEM` of all but the baseline.

    For readers a dagger marks the scores whose p is below 0.05, and p has four digits; in Markdown, LaTeX and HTML the
    best score of a row is bold.
    scored: the column of the score by system, whether higher or lower is better; notes: what the columns are.
    """

    scored: tuple[tuple[str, str], ...] = ()
    direction: str = "neither"
    notes: tuple[str, ...] = ()

    def _rendered(self, screen: int) -> str:
        return render_text(self._texts(), right=self._numbers, screen=screen)

    def _text_blocks(self) -> Iterator[str]:
        return text_blocks(self._texts(), right=self._numbers)

    def _texts(self) -> pa.Table:
        """The cells of a screen: percentages with their sign, all others as in documents."""
        cells, marks = cells_by_column(self._table, self.percent), self._marks()
        marked = {column for column, _ in marks}
        for system, column in self.scored:
            if column in marked:  # a blank where there is no dagger keeps the digits below each other
                cells[column] = [f"{cell}{marks.get((column, row), ' ')}" for row, cell in enumerate(cells[column])]
            if f"p:{system}" in cells:
                cells[f"p:{system}"] = list(map(p_text, self[f"p:{system}"]))
        return pa.table({name: text_array(column) for name, column in cells.items()})

    @property
    def _numbers(self) -> frozenset[str]:
        return frozenset(
            name for name, kind in zip(self.columns, self._table.schema.types, strict=True) if is_numeric(kind)
        )

    def _marks(self) -> dict[tuple[str, int], str]:
        """The daggers, by column and number of the row."""
        return {
            (column, row): DAGGER
            for system, column in self.scored
            if f"p:{system}" in self.columns
            for row, p in enumerate(self[f"p:{system}"])
            if p is not None and p < LEVEL
        }

    def _arranged(self) -> DocumentTable:
        beside = [column for _, column in self.scored]
        return arrange(
            self.arrow(),
            Presentation(
                self.percent, dict.fromkeys(beside, self.direction), beside=beside, marks=self._marks(),
                notes=self.notes, p_values={f"p:{system}" for system, _ in self.scored},
            ),
        )  # fmt: skip


@dataclass(frozen=True)
class _Row:
    """A row of the table: the values of its groups, and what returns the counts by treebank and system."""

    labels: Sequence[object]
    counts: Callable[[], list[dict[str, Counts]]]


@dataclass(frozen=True)
class _ScoredRow:
    """n: the size of a row; values: its score by system; tested: by system but the baseline."""

    labels: Sequence[object]
    n: int
    values: Mapping[str, float]
    tested: Mapping[str, TestedScore]


def wide_scores(
    treebanks: Mapping[str, GroupedCounts], keys: Sequence[Key], by: Sequence[str], baseline: str, count: str | None
) -> WideScores:
    """Return the scores of systems side by side, with the differences from a baseline.

    treebanks: by name, the empty one for a single corpus; of several, the rows are treebanks, or of groups the
    macro-averages. keys: the groups in order. by: the columns of groups. count: the count that says how large a row
    is; None for the number of sentences. p-values are those of `compare`, corrected by Holm's method for all of the
    table.
    """
    first = next(iter(treebanks.values()))
    scored = [_score_row(first.score, row, baseline, count) for row in steps.each(_rows(treebanks, keys, by), "rows")]
    others = [name for name in first.sums if name != baseline]
    corrected = iter(correct_p_values([row.tested[name].p for row in scored for name in others], "holm"))
    p_values: dict[str, list[float | None]] = {name: [] for name in others}
    for _ in scored:
        for name in others:
            p_values[name].append(next(corrected))
    columns: dict[str, Any] = {}
    for at, name in enumerate(by or ([TREEBANK] if len(treebanks) > 1 else [])):
        columns[name] = pa.array([_text(row.labels[at]) for row in scored], pa.string())
    columns["n"] = pa.array([row.n for row in scored], pa.int64())
    heads = {name: f"{first.score.name}:{name}" for name in first.sums}
    columns |= {
        head: pa.array([or_none(row.values[name]) for row in scored], pa.float64()) for name, head in heads.items()
    }
    for name in others:
        differences = [difference_of(row.values[name], row.values[baseline]) for row in scored]
        columns |= {f"difference:{name}": pa.array(differences, pa.float64())}
        columns |= {f"p:{name}": pa.array(p_values[name], pa.float64())}
    percent = [*heads.values(), *(f"difference:{name}" for name in others)] if first.score.unit == "percent" else []
    directions = dict.fromkeys(heads.values(), first.score.direction)
    return WideScores(
        pa.table(columns), _signatures(list(treebanks.values()), heads, baseline), frozenset(percent), directions,
        tuple(heads.items()), first.score.direction,
        tuple(_notes(first.score, scored, treebanks, by, baseline, count)),
    )  # fmt: skip


def _text(label: object) -> str | None:
    return None if label is None else str(label)


def _rows(treebanks: Mapping[str, GroupedCounts], keys: Sequence[Key], by: Sequence[str]) -> list[_Row]:
    """Return the rows of groups, or else of treebanks, then that of all items. Of one at a time there are counts."""

    def of_group(key: Key) -> list[dict[str, Counts]]:
        return [treebank.of_group(key) for treebank in treebanks.values()]

    def of_all(*names: str) -> list[dict[str, Counts]]:
        return [treebanks[name].of_all() for name in names]

    rows = [_Row(key, partial(of_group, key)) for key in keys] if by else []
    last = [f"({ALL})" if ALL in {str(key[0]) for key in keys} else ALL, *[None] * (len(by) - 1)]
    if len(treebanks) > 1 and not by:
        rows, last = [_Row([name], partial(of_all, name)) for name in treebanks], [MACRO]
    return [*rows, _Row(last, partial(of_all, *treebanks))]


def _score_row(score: Score, row: _Row, baseline: str, count: str | None) -> _ScoredRow:
    by_treebank = row.counts()
    counts = {name: [of_treebank[name] for of_treebank in by_treebank] for name in by_treebank[0]}
    values = {
        name: mean_of_scores([evaluate_scores([score], part.columns, part.sums) for part in parts])
        for name, parts in counts.items()
    }
    tested = {
        name: macro_shuffling_test([score], counts[baseline], parts, runs=RUNS, seed=SEED)[0]
        for name, parts in counts.items()
        if name != baseline
    }
    n = sum(len(part.values) if count is None else int(part.totals[count]) for part in counts[baseline])
    return _ScoredRow(row.labels, n, {name: float(value[0, 0]) for name, value in values.items()}, tested)


def _signatures(treebanks: Sequence[GroupedCounts], heads: Mapping[str, str], baseline: str) -> dict[str, str]:
    """Return the signatures of the scores, and of the p-values those of both systems with the test."""
    cited = {
        name: treebanks[0].cited[name]
        if len(treebanks) == 1
        else signature_text.over([treebank.cited[name] for treebank in treebanks], [f"average:{MACRO}"])
        for name in heads
    }
    test = ["test:shuffling", f"runs:{RUNS}", f"seed:{SEED}", "correction:holm"]
    among = [f"among:{treebanks[0].among}"] if len(heads) > 2 and len(treebanks) == 1 else []
    tested = {
        f"p:{name}": signature_text.both(cited[baseline], cited[name], [*test, *among])
        for name in heads
        if name != baseline
    }
    return {heads[name]: text for name, text in cited.items()} | tested


def _notes(
    score: Score, rows: Sequence[_ScoredRow], treebanks: Mapping[str, GroupedCounts], by: Sequence[str], baseline: str,
    count: str | None,
) -> Iterator[str]:  # fmt: skip
    """Yield what the columns are, for the lines below the table."""
    size = "sentences with scored items" if count is None else count
    several = len(treebanks) > 1
    average = f" Scores are macro-averages over {len(treebanks)} treebanks." if several and by else ""
    better = "" if score.direction == "neither" else f", {score.direction} is better"
    yield f"n: {size}. {score.name}: {score.doc}{better}.{average}"
    if len(rows[0].values) == 1:
        yield "There are no differences and no p of one system alone."
        return
    units = "sentences within treebanks" if several else "sentences"
    tested = [result for row in rows for result in row.tested.values()]
    known = [result for result in tested if result.p is not None]
    yield f"difference: from {baseline}{', in points' if score.unit == 'percent' else ''}. {DAGGER} p < {LEVEL}."
    for test in dict.fromkeys(result.test for result in known):
        text = TEST_DESCRIPTIONS[test].format(units=units, runs=RUNS, seed=SEED)
        yield f"p ({test}, two-sided): {text}."
    if len(known) > 1:
        yield f"p is corrected by Holm's method for the {len(known)} p-values of the table."
    if missing := len(tested) - len(known):
        cells = f"{missing} difference{'s have' if missing > 1 else ' has'}"
        yield f"{cells} no p: one of the scores has no value, as nothing is counted there."
