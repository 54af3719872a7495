"""What a report shows of a kind of evaluation, as `[report]` in queries/KIND/kind.toml declares it.

[report]
score = "attachment.las"        # of buckets and sentences; by default the first score of the first metric
finer = "path_edits"            # a metric with the counts of the score whose items have further columns of buckets
count = "words"                 # the size of a bucket; by default the first count that the metric shows
drawing = "trees"               # how sentences are drawn; by default they are not

[report.buckets]                # by title, what `--by` takes
"Relation" = "gold_udeprel"

[report.confusions."Relations"]   # by title, a heat map
metric = "attachment"           # whose items are counted
beside = "evalb"                # a metric that it is shown with; by default the same
rows = "gold_udeprel"           # what is right
columns = "system_udeprel"      # what the system has instead
count = "gold_words + system_words - aligned_pairs"    # the counts that are added and subtracted in a cell
where = "..."                   # a condition on the items; by default none
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from treesql.catalog import queries, schemas

DRAWINGS = ("trees", "pairs", "links", "parallel", "paths", "lattices", "edits")
"""How the sentences of a kind are drawn: trees of one text, trees of two, links, all three, paths between links,
lattices with the path nearest to a reference, edit operations."""


@dataclass(frozen=True)
class ConfusionLayout:
    """A table of confusions: the items of a metric counted by two columns; see the head of this module."""

    metric: str
    rows: str
    columns: str
    count: str
    where: str | None = None
    beside: str | None = None

    @property
    def terms(self) -> dict[str, int]:
        """The counts that a cell sums, each 1 or -1 times."""
        return {name: -1 if sign == "-" else 1 for sign, name in re.findall(r"([+-]?)\s*(\w+)", self.count)}


@dataclass(frozen=True)
class ReportLayout:
    """What a report shows of a kind; see the head of this module."""

    score: str | None = None
    count: str | None = None
    finer: str | None = None
    drawing: str | None = None
    buckets: Mapping[str, str] = field(default_factory=dict)
    confusions: Mapping[str, ConfusionLayout] = field(default_factory=dict)

    def find_unknown(self, default: str) -> Iterator[str]:
        """What is declared that no query has, a line each. default: the metric where none is declared."""
        if self.drawing not in (None, *DRAWINGS):
            yield f"sentences of a report are not drawn as {self.drawing}"
        metric = (self.score or default).partition(".")[0]
        finer = _columns(self.finer) if self.finer and self.finer in queries.names() else set()
        used = [
            (metric, name) for name in (one.partition("/")[0] for one in self.buckets.values()) if name not in finer
        ]
        used += [(one.metric, name) for one in self.confusions.values() for name in (one.rows, one.columns, *one.terms)]
        for name, column in used:
            if name not in queries.names():
                yield f"{name} of its report is no metric"
            elif column not in _columns(name):
                yield f"{column} of its report is no column of the items of {name}"


def _columns(metric: str) -> set[str]:
    """The columns that items of a metric are grouped by: their own, attributes, those of gold words or sentences."""
    query = queries.query(metric)
    own = {one.name for one in query.columns}
    joined = (schemas.table(table).names for table in queries.reachable_tables(query))
    return own.union(queries.attributes_of(query), *joined)
