"""Constituency trees and trees over named leaves: EVALB's parameters, and sentences that cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.evaluation.hooks import Hook, Unscored
from treesql.evaluation.task import Inputs
from treesql.scoring import evalb_parameters
from treesql.scoring.items import declared_values, execute

LARGE = 10_000
"""Number of leaves below which no tree is too large for quartets."""


class ConstituencyHook(Hook):
    """`rules`: a parameter file of EVALB, or the name of a parameter set."""

    def default_metrics(self, options: Mapping[str, object]) -> Sequence[str]:
        """What disco-dop reports, with its rules."""
        discodop = options.get("rules") == "discodop"
        return ("evalb", "complete_match.complete_match", "discontinuous_brackets") if discodop else ()

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: None) -> Mapping[str, str]:
        """Install the parameter set."""
        rules = inputs.task.options.get("rules")
        return {"rules": evalb_parameters.install_rules(inputs.engine, str(rules), inputs.task.warn)} if rules else {}

    def precomputed(self, queries: Sequence[Query]) -> tuple[str, ...] | None:
        """Nothing, but None for quartets: whether their sentences are named depends on the largest tree of a file."""
        return None if any(query.name == "quartets" for query in queries) else ()

    def find_unscored(self, inputs: Inputs, system: str, metrics: Sequence[str], counts: Mapping[str, Any]) -> Unscored:
        """Sentences which cannot be compared, if the counts of a system include any."""
        unscored: dict[tuple[str, str], list[int]] = {}
        if inputs.task.where or inputs.task.by or inputs.task.tables:
            return unscored
        values = inputs.values(system)
        outcomes = {"error": "whose compared words differ", "skip": "without words to compare"}
        checks: list[tuple[str, str, Mapping[Any, str], str]] = []
        if counts.get("errors") or counts.get("skipped"):
            checks.append(("evaluated_trees", "outcome", outcomes, "they count for no bracket score"))
        if counts.get("unlike_leaves"):
            what = {0: "with other leaves than gold's"}
            checks.append(("robinson_foulds", "comparable", what, "they have no distances"))
        if "quartets" in metrics and _has_large_trees(inputs.engine, str(values["gold_corpus"])):
            what = {0: "with other leaves than gold's, or too many for quartets"}
            checks.append(("quartets", "comparable", what, "they count for no quartet score"))
        for name, column, values_found, hint in checks:
            rows = _rows_where(inputs.engine, catalog.query(name), column, list(values_found), values)
            for value, what_is_wrong in values_found.items():
                numbers = [sentence for sentence, found in rows if found == value]
                if numbers:
                    unscored[what_is_wrong, hint] = numbers
        return unscored


HOOK = ConstituencyHook()


def _rows_where(
    engine: Engine, query: Query, column: str, found: Sequence[Any], values: Mapping[str, object]
) -> list[tuple[int, Any]]:
    """The sentences in whose rows a column has one of these values, in order, with the value."""
    sql = with_clause([*query.statement.expressions, ("unscored", query.statement.body)])
    sql += f"SELECT u.sentence, u.{column} AS found FROM unscored AS u\n"
    sql += f"WHERE u.{column} IN ({', '.join(map(repr, found))}) ORDER BY u.sentence"
    rows = execute(engine, sql, query.name, query.values(declared_values(query, values)), aggregated=True)
    return list(zip(rows["sentence"].to_pylist(), rows["found"].to_pylist(), strict=True))


def _has_large_trees(engine: Engine, corpus: str) -> bool:
    """Whether a sentence of a corpus may be too large for quartets."""
    sql = f"SELECT count(*) FROM sentences AS s WHERE s.corpus = $corpus AND s.n_words > {LARGE}"
    [(n_large,)] = engine.rows(sql, {"corpus": corpus})
    return bool(n_large)
