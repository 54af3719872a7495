"""Tables of groups of matches, as SQL: shares, rates, keyness and association, computed from the counts of the groups.

Sources: see `macros/per_million.sql`, `keyness.sql`, `log_ratio.sql`, `pmi.sql`, `log_dice.sql`, `g2.sql`,
`wilson_low.sql`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treesql.catalog.schemas import literal, quote
from treesql.errors import UnknownName

BY_G2 = "g2 DESC, g.count DESC"
"""The usual order of what is tested by G2."""

KEYNESS = ("count", "reference_count", "per_million", "reference_per_million", "g2", "log_ratio")
"""Columns of measures of keyness."""

SHARES = ("row", "column", "all")
"""What a share is a part of: the groups with the same keys but the last, those with the same last key, or all."""


@dataclass(frozen=True)
class Groups:
    """Counts of groups of matches.

    sql: a SELECT of a column per key, then of the count. keys: names of the keys. corpora: the searched corpora.
    """

    sql: str
    keys: tuple[str, ...]
    corpora: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """The columns of the keys in statements."""
        return [f"key_{number}" for number in range(1, len(self.keys) + 1)]

    @property
    def named(self) -> list[str]:
        """The keys of the rows of `g`, by their names."""
        return [f"g.{column} AS {quote(name)}" for column, name in zip(self.columns, self.keys, strict=True)]

    @property
    def order(self) -> str:
        """The keys of the rows of `g`, each after a comma, to sort by at last."""
        return "".join(f", g.{column}" for column in self.columns)

    def source(self, more: Sequence[str] = ()) -> str:
        """The counts as an item of FROM. more: columns between the keys and the count."""
        return f"(\n{self.sql}\n) AS g({', '.join([*self.columns, *more, 'count'])})"


def counts_statement(
    groups: Groups, *, share: str | None, per_million: bool, min_count: int, limit: int | None,
    sort: str | None = None, ci: bool = False,
) -> str:  # fmt: skip
    """Return the statement of counts with their shares, 95% intervals of these, and rates."""
    columns = [*groups.named, "g.count"]
    if share:
        whole = f"sum(g.count) OVER ({_partition(groups.columns, share)})"
        columns.append(f"CAST(g.count AS DOUBLE) / {whole} AS share")
        columns += [f"wilson_{end}(g.count, CAST({whole} AS BIGINT)) AS share_{end}" for end in ("low", "high") if ci]
    if per_million:
        columns.append(f"per_million(g.count, {_words(groups)}) AS per_million")
    least = f"\n{'QUALIFY' if share else 'WHERE'} g.count >= {min_count}" if min_count > 1 else ""
    named = ["count", *(["share"] if share else []), *(["per_million"] if per_million else [])]
    order = _order(groups, sort, named, "g.count DESC")
    return f"SELECT {', '.join(columns)}\nFROM {groups.source()}{least}\nORDER BY {order}{_most(limit)}"


def association_statement(groups: Groups, *, min_count: int, limit: int | None, sort: str | None = None) -> str:
    """Return the statement of the association of the last two keys, within each value of those before them."""
    *outer, first, second = groups.columns
    sums = {"first_count": [*outer, first], "second_count": [*outer, second], "total": outer}
    windows = ", ".join(f"{_sum_over(keys)} AS {name}" for name, keys in sums.items())
    return f"""\
SELECT {", ".join(groups.named)}, g.count,
       CAST(g.first_count AS DOUBLE) * g.second_count / g.total AS expected,
       pmi(g.count, g.first_count, g.second_count, g.total) AS pmi,
       log_dice(g.count, g.first_count, g.second_count) AS log_dice,
       g2(g.count, g.first_count, g.second_count, g.total) AS g2
FROM (SELECT {", ".join(f"g.{column}" for column in groups.columns)}, g.count, {windows}
FROM {groups.source()}) AS g
WHERE g.count >= {min_count}
ORDER BY {_order(groups, sort, ["count", "expected", "pmi", "log_dice", "g2"], BY_G2)}{_most(limit)}"""


def keyness_statement(
    groups: Groups, reference: Sequence[str], *, min_count: int, limit: int | None, sort: str | None = None
) -> str:
    """Return the statement of the rates of every group in the corpora and in the reference corpora, compared.

    groups: with a further column, the corpus, before the count.
    """
    is_reference = f"{{}}.corpus IN ({', '.join(map(literal, reference))})"
    keys = ", ".join(f"g.{column}" for column in groups.columns)
    sides = ", ".join(
        f"CAST(sum(CASE WHEN {is_reference.format('g')} = {value} THEN g.count ELSE 0 END) AS BIGINT) AS {name}"
        for name, value in (("count", "FALSE"), ("reference_count", "TRUE"))
    )
    words = ", ".join(
        f"CAST(sum(CASE WHEN {is_reference.format('c')} = {value} THEN c.n_words ELSE 0 END) AS BIGINT) AS {name}"
        for name, value in (("words", "FALSE"), ("reference_words", "TRUE"))
    )
    counts = "g.count, s.words, g.reference_count, s.reference_words"
    return f"""\
SELECT {", ".join(groups.named)}, g.count, g.reference_count, per_million(g.count, s.words) AS per_million,
       per_million(g.reference_count, s.reference_words) AS reference_per_million,
       keyness({counts}) AS g2, log_ratio({counts}) AS log_ratio
FROM (SELECT {keys}, {sides}
FROM {groups.source(["corpus"])}
GROUP BY {keys}) AS g
CROSS JOIN (SELECT {words} FROM corpora AS c WHERE {_among(groups.corpora)}) AS s
WHERE g.count + g.reference_count >= {min_count}
ORDER BY {_order(groups, sort, KEYNESS, BY_G2)}{_most(limit)}"""


def _order(groups: Groups, sort: str | None, measures: Sequence[str], usual: str) -> str:
    """Return what sorts the rows. sort: a column; keys ascend, measures descend, and -COLUMN is the other way round.

    Raises UnknownName.
    """
    usual = f"{usual}{groups.order}"
    if sort is None:
        return usual
    name = sort.removeprefix("-")
    known = [*groups.keys, *measures]
    if name not in known:
        raise UnknownName("column to sort by", name, known)
    descending = (name in measures) != sort.startswith("-")
    columns = [quote(name)]
    if name in groups.keys:
        column = f"g.{groups.columns[groups.keys.index(name)]}"
        columns = [f"TRY_CAST(split_part(CAST({column} AS VARCHAR), '..', 1) AS DOUBLE)", column]  # bins by numbers
    return ", ".join([*(f"{column}{' DESC' if descending else ''} NULLS LAST" for column in columns), usual])


def _partition(keys: Sequence[str], share: str) -> str:
    parts = {"row": keys[:-1], "column": keys[-1:], "all": []}[share]
    return f"PARTITION BY {', '.join(f'g.{key}' for key in parts)}" if parts else ""


def _sum_over(keys: Sequence[str]) -> str:
    partition = f"PARTITION BY {', '.join(f'g.{key}' for key in keys)}" if keys else ""
    return f"CAST(sum(g.count) OVER ({partition}) AS BIGINT)"


def _words(groups: Groups) -> str:
    """Return the number of words of a group's corpus if that is a key, else of all searched corpora."""
    if "corpus" in groups.keys:
        column = groups.columns[groups.keys.index("corpus")]
        return f"(SELECT c.n_words FROM corpora AS c WHERE c.corpus = g.{column})"
    return f"(SELECT CAST(sum(c.n_words) AS BIGINT) FROM corpora AS c WHERE {_among(groups.corpora)})"


def _among(corpora: Sequence[str]) -> str:
    return f"c.corpus IN ({', '.join(map(literal, corpora))})"


def _most(limit: int | None) -> str:
    return "" if limit is None else f"\nLIMIT {limit}"
