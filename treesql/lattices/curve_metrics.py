"""Metrics of curves: columns of lattices, of a decoder's output, and of the words of nearest and best paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql import catalog
from treesql.catalog import Query, kinds
from treesql.catalog.kinds import Kind
from treesql.errors import UnknownName, UsageError
from treesql.evaluation.task import choose_columns
from treesql.readers import LATTICE, TEXT

ORACLE = "oracle_"
"""Prefix of scores of translations that are computed of the words of nearest paths."""

BEST = "best_"
"""Prefix of scores of translations that are computed of the words of the paths with the best scores of edges."""

DEFAULT_METRICS = ("ger_rate", "swcd")
"""The default metrics of a curve."""


def choose_metrics(metrics: Sequence[str], hypotheses: Sequence[str]) -> Mapping[str, list[str]]:
    """The columns to compute of lattices, hypotheses, oracle and best paths; under `order` all of them in order."""
    named: dict[str, list[str]] = {LATTICE: [], TEXT: [], ORACLE: [], BEST: [], "order": []}
    known = {kind: set(_names_of_kind(kind)) for kind in (LATTICE, TEXT)}
    for name in metrics or DEFAULT_METRICS:
        prefix = next((one for one in (ORACLE, BEST) if name.startswith(one)), "")
        plain = name.removeprefix(prefix)
        if name in known[LATTICE]:
            kind, columns, shown = LATTICE, _columns(LATTICE, [name]), ""
        elif prefix and plain in known[TEXT]:
            kind, columns, shown = prefix, _columns(TEXT, [plain]), prefix
        elif name in known[TEXT]:
            if not hypotheses:
                raise UsageError(
                    f"{name} is of translations: name hypotheses, or write {ORACLE}{name} for oracle paths, "
                    f"{BEST}{name} for the paths with the best scores of edges"
                )
            kind, columns, shown = TEXT, _columns(TEXT, [name]), ""
        else:
            every = known[LATTICE] | known[TEXT] | {prefix + one for prefix in (ORACLE, BEST) for one in known[TEXT]}
            raise UnknownName("metric", name, every)
        named[kind] += [one for one in columns if one not in named[kind]]
        named["order"] += [shown + one for one in columns if shown + one not in named["order"]]
    if hypotheses and not named[TEXT]:
        raise UsageError("hypotheses do not apply without a score of translations among the metrics: bleu, wer, ...")
    return named


def kind_of(content: str) -> Kind:
    """The kind that scores lattices, or texts."""
    return kinds.kind("translation" if content == TEXT else content)


def queries_of(content: str, columns: Sequence[str]) -> list[Query]:
    """The metrics of columns of a kind."""
    return [catalog.query(name) for name in choose_columns(kind_of(content), columns).metrics]


def _columns(content: str, names: Sequence[str]) -> list[str]:
    """The columns of metrics, counts and scores of a kind."""
    return list(choose_columns(kind_of(content), names).order)


def _names_of_kind(kind: str) -> list[str]:
    metrics = kind_of(kind).all_metrics
    return [*metrics, *(name for metric in metrics for name in _columns(kind, [metric]))]
