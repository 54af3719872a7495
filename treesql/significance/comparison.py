"""Results of comparisons: rows, tables for people, and conclusions in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from treesql.results.documents import DocumentTable, Presentation, arrange
from treesql.results.result import Result
from treesql.results.tables import SMALLEST_P, p_text
from treesql.runtime.failures import convert_errors_of_class
from treesql.significance.methods import AVERAGES, LEVEL, MACRO, Method

DAGGER = "†"
"""Marks p-values below LEVEL."""

ARROWS = {"higher": "↑", "lower": "↓"}
"""Signs of the better direction, in the heads of tables."""

MAX_PAIRS = 6
"""Maximum number of pairs of systems with a sentence each; of more, only those whose difference chance can explain."""

_CORRECTIONS = {
    "holm": "corrected by Holm's method for {pairs} pairs",
    "bonferroni": "corrected by Bonferroni's method for {pairs} pairs",
    "bh": "corrected by Benjamini and Hochberg's method for {pairs} pairs (false discovery rate)",
    "by": "corrected by Benjamini and Yekutieli's method for {pairs} pairs (false discovery rate)",
    "none": "not corrected for the {pairs} pairs",
}
"""Descriptions of corrections, after `p is`."""

TEST_DESCRIPTIONS = {
    "exact shuffling": "share of all exchanges of {units} between two systems, every one counted, after which the "
    "scores are at least as far apart",
    "stratified shuffling": "share of {runs:,} random exchanges of {units} between two systems, seed {seed}, after "
    "which the scores are at least as far apart",
    "paired bootstrap": "twice the share of {runs:,} resamples of {units}, seed {seed}, in which the difference is not "
    "on the side of the observed one",
    "McNemar exact": "binomial test on the items that only one system has right",
    "McNemar chi-square": "chi-square test with continuity correction on the items that only one system has right",
    "McNemar mid-p": "binomial test (mid-p) on the items that only one system has right",
}
"""Descriptions of tests."""


@dataclass(frozen=True)
class ComparedPair:
    """Two systems in one score, the better one first, or the higher one where neither is.

    difference: of its score from the other's, above 0, with the ends of its interval; None where a score has no value.
    p: corrected; difference_text, p_text: as in the sentence, which is the conclusion.
    """

    first: str
    second: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    difference_text: str
    p_text: str
    sentence: str

    @property
    def differs(self) -> bool:
        """Whether they differ by more than chance explains."""
        return self.p is not None and self.p < LEVEL


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Comparison(Result):
    """A row per score and pair of systems. scores: the scores of every system with their intervals.

    In Markdown, LaTeX and HTML a row per system, with a dagger at scores that differ from those of the first system.
    """

    scores: Result = field(default_factory=lambda: Result(pa.table({})))
    method: Method = field(default_factory=Method)

    @property
    def level(self) -> float:
        """The level of significance: of a difference with a lower p, more than chance explains it."""
        return LEVEL

    def tables(self) -> list[Result]:
        """Return tables for people: scores with intervals, and differences with p-values; a dagger marks p < 0.05.

        Of more than two systems, a cross table for each score; of several treebanks, for each of their averages.
        """
        directions = {row["metric"]: row["direction"] for row in self.rows()}
        heads = {name: _head(name, direction) for name, direction in directions.items()}
        systems = list(dict.fromkeys(row["system"] for row in self.scores.rows()))
        names = [name for name in ("system", "treebank") if name in self.scores.columns]
        shown: dict[str, list[Any]] = {name: [row[name] for row in self.scores.rows()] for name in names}
        for name, head in heads.items():
            percent = name in self.scores.percent
            shown[head] = [_with_interval(row, name, percent) for row in self.scores.rows()]
        if len(systems) == 2:
            return [Result(pa.table(shown)), self._pair_table(heads)]
        crossed = [
            self._cross_table([row for row in self._averages() if _label(row) == label], systems)
            for label in dict.fromkeys(map(_label, self._averages()))
        ]
        return [Result(pa.table(shown)), *crossed]

    def words(self) -> list[str]:
        """Return conclusions in sentences, one for each score and pair, then the method.

        Of more than MAX_PAIRS pairs, the number of those that differ by more than chance explains, and a sentence for
        each of the others. Of several treebanks, the conclusions from their averages.
        """
        rows = self._averages()
        sentences: list[str] = []
        for label in dict.fromkeys(map(_label, rows)):
            of_score = [row for row in rows if _label(row) == label]
            sentences += _conclusions(of_score, of_score[0]["metric"] in self.scores.percent)
        sides = "row minus column" if _n_pairs(rows) > 1 else f"{rows[0]['system_a']} minus {rows[0]['system_b']}"
        legend = f"{DAGGER} {self._legend(rows)}"
        return [*sentences, *self._test_sentences(rows), legend, f"Differences in tables: {sides}."]

    def pairs(self, metric: str) -> list[ComparedPair]:
        """Return the pairs of systems in a score with their conclusions; of several treebanks, by the first average."""
        rows = [row for row in self._averages() if row["metric"] == metric]
        percent = metric in self.scores.percent
        return [_pair(row, percent) for row in rows if _label(row) == _label(rows[0])]

    def _arranged(self) -> DocumentTable:
        rows = self.rows()
        heads = {row["metric"]: _head(row["metric"], row["direction"]) for row in rows}
        scored = self.scores.rows()
        first = scored[0]["system"]
        places = {(row.get("treebank"), row["system"]): at for at, row in enumerate(scored)}
        marks = {
            (row["metric"], places[row.get("treebank"), row["system_b"]]): DAGGER
            for row in rows
            if row["system_a"] == first and row["p_corrected"] is not None and row["p_corrected"] < LEVEL
        }
        notes = (f"{DAGGER} differs from {first}: {self._legend(rows)}", *self._test_sentences(self._averages()))
        groups = [name for name in self.scores.columns if name == "treebank"]
        presentation = Presentation(self.scores.percent, self.scores.directions, groups, heads, marks, notes)
        return arrange(self.scores.arrow(), presentation)

    def _repr_html_(self) -> str:
        from treesql.results import pages

        return pages.notebook(table=self._arranged())

    def _averages(self) -> list[dict[str, Any]]:
        """Return the rows of averages over treebanks; all rows if there is one corpus."""
        return [row for row in self.rows() if row.get("treebank", MACRO) in AVERAGES]

    def _pair_table(self, heads: Mapping[str, str]) -> Result:
        rows = self.rows()
        treebank_column = {"treebank": [row["treebank"] for row in rows]} if "treebank" in self.columns else {}
        columns = treebank_column | {
            "score": [heads[row["metric"]] for row in rows],
            "difference": [_number(row["difference"], row["metric"] in self.scores.percent) for row in rows],
            "95% interval": [
                _span(row["difference_low"], row["difference_high"], row["metric"] in self.scores.percent)
                for row in rows
            ],
            "p": [_p(row["p_corrected"]) for row in rows],
        }
        if not self.method.ci:
            del columns["95% interval"]
        return Result(pa.table(columns))

    def _cross_table(self, rows: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> Result:
        """Return the differences of all pairs of systems in one score."""
        percent = rows[0]["metric"] in self.scores.percent
        cells = {
            (row["system_a"], row["system_b"]): f"{_number(row['difference'], percent)}  p {_p(row['p_corrected'])}"
            for row in rows
        }
        columns = {b: [cells.get((a, b), "") for a in systems[:-1]] for b in systems[1:]}
        return Result(pa.table({_head(_label(rows[0]), rows[0]["direction"]): systems[:-1], **columns}))

    @property
    def _treebanks(self) -> set[str]:
        return {row["treebank"] for row in self.rows() if "treebank" in row} - set(AVERAGES)

    @property
    def _units(self) -> str:
        units = "sentences" if self.method.stratum is None else f"sentences grouped by {self.method.stratum}"
        return f"{units} within treebanks" if self._treebanks else units

    def _test_sentences(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield what p is, and what it is corrected for."""
        values = {"units": self._units, "runs": self.method.runs, "seed": self.method.seed}
        tested = [row for row in rows if row["p"] is not None]
        for test in dict.fromkeys(row["test"] for row in tested):
            labels = [_label(row) for row in tested if row["test"] == test]
            scores = "" if len(labels) == len(rows) else f" of {', '.join(dict.fromkeys(labels))}"
            yield f"p{scores} ({test}, two-sided): {TEST_DESCRIPTIONS[test].format(**values)}."
        pairs, scored = _n_pairs(rows), len({row["metric"] for row in rows})
        if pairs > 1:
            intervals = "; intervals are not" if self.method.ci else ""
            yield f"p is {_CORRECTIONS[self.method.correction].format(pairs=pairs)}{intervals}."
        if scored > 1:
            yield f"p is not corrected for {scored} scores; name the one that decides before you compare."
        if self._treebanks:
            yield f"p is not corrected for the {len(self._treebanks)} treebanks and their averages."

    def _legend(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return what a dagger, arrows and intervals are."""
        directions = {row["direction"] for row in rows}
        arrows = "".join(f" {arrow} {way} is better." for way, arrow in ARROWS.items() if way in directions)
        resampling = f"percentile bootstrap of {self._units}, {self.method.runs:,} runs, seed {self.method.seed}"
        return f"p < {LEVEL}.{arrows}{f' Intervals: 95%, {resampling}.' if self.method.ci else ''}"


def _n_pairs(rows: Sequence[Mapping[str, Any]]) -> int:
    return len({(row["system_a"], row["system_b"]) for row in rows})


def _label(row: Mapping[str, Any]) -> str:
    """Return the name of a row's score, `las`, or of an average of it, `las (macro)`."""
    treebank = row.get("treebank")
    return str(row["metric"]) if treebank is None else f"{row['metric']} ({treebank})"


def _head(name: str, direction: str) -> str:
    """Return a score's name with the sign of its better direction."""
    return f"{name} {ARROWS[direction]}" if direction in ARROWS else name


def _number(value: float | None, percent: bool) -> str:
    """Return a score or a difference of scores as text, in points if scores are percentages."""
    if value is None:
        return "-"
    return f"{round(100 * value, 2) + 0.0:.2f}" if percent else f"{value + 0.0:.4g}"


def _span(low: float | None, high: float | None, percent: bool) -> str:
    return "-" if low is None or high is None else f"{_number(low, percent)} to {_number(high, percent)}"


def _with_interval(row: Mapping[str, Any], name: str, percent: bool) -> str:
    value = _number(row[name], percent)
    return (
        value
        if row[name] is None or f"{name}_low" not in row
        else f"{value} ({_span(row[f'{name}_low'], row[f'{name}_high'], percent)})"
    )


def _p(value: float | None) -> str:
    """Return a p-value as text, with a dagger if it is below 0.05."""
    if value is None:
        return "-"
    return f"{p_text(value)}{DAGGER}" if value < LEVEL else p_text(value)


def _conclusions(rows: Sequence[Mapping[str, Any]], percent: bool) -> Iterator[str]:
    """Yield the sentences about the pairs of one score."""
    shown = rows
    if len(rows) > MAX_PAIRS:
        shown = [row for row in rows if row["p_corrected"] is None or row["p_corrected"] >= LEVEL]
        apart = len(rows) - len(shown)
        yield f"{_label(rows[0])}: of {len(rows)} differences, {apart} are more than chance explains."
    for row in shown:
        yield _pair(row, percent).sentence


def _pair(row: Mapping[str, Any], percent: bool) -> ComparedPair:
    """Return one score of one pair, with the sentence about it."""
    name, a, b, p = _label(row), row["system_a"], row["system_b"], row["p_corrected"]
    if p is None:
        sentence = f"{name}: {a} and {b} cannot be compared, as one of the scores has no value."
        return ComparedPair(a, b, None, None, None, None, "-", "-", sentence)
    said = "p < 0.0001" if p_text(p) == SMALLEST_P else f"p = {p_text(p)}"
    lower = row["direction"] == "lower"
    a_first = row["difference"] == 0 or (row["difference"] > 0) != lower
    first, second = (a, b) if a_first else (b, a)
    low, high = row["difference_low"], row["difference_high"]
    if row["difference"] < 0 and low is not None:
        low, high = 0.0 - high, 0.0 - low
    by = f"{_number(abs(row['difference']), percent)}{' points' if percent else ''}"
    if by == "0.00 points" and row["difference"]:
        by = "less than 0.01 points"
    interval = "" if low is None else f"95% interval {_span(low, high, percent)}, "
    finding = {
        "higher": f"{first} scores better than {second} by {by} ({interval}{said})",
        "lower": f"{first} scores better than {second} by {by} (lower is better; {interval}{said})",
        "neither": f"{first} is {by} above {second} ({interval}{said})",
    }[row["direction"]]
    if p < LEVEL:
        verdict = "more than chance explains"
    else:
        alike = "alike" if row["direction"] == "neither" else "equally good"
        verdict = f"chance can explain that, which does not show that they are {alike}"
    sentence = f"{name}: {finding}: {verdict}."
    if row["difference"] == 0:
        sentence = f"{name}: {a} and {b} have the same score."
    return ComparedPair(first, second, abs(row["difference"]), low, high, p, by, said, sentence)
