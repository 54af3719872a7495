"""Constituency trees and trees over named leaves: EVALB's parameters, and sentences that cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql import catalog
from treesql.catalog import Query
from treesql.catalog.sql_text import with_clause
from treesql.engines import Engine
from treesql.evaluation.task import Hook, Inputs, ScoredSystem, Task, Unscored
from treesql.scoring import evalb_parameters
from treesql.scoring.evalb_parameters import NamedParameters
from treesql.scoring.items import declared_values, execute

LARGE = 10_000
"""Number of leaves below which no tree is too large for quartets."""


class ConstituencyHook(Hook):
    """`rules`: a parameter file of EVALB, or the name of a parameter set."""

    names_sentences = True

    def default_metrics(self, options: Mapping[str, object]) -> Sequence[str]:
        """What disco-dop reports, with its rules."""
        discodop = options.get("rules") == "discodop"
        return ("evalb", "complete_match.complete_match", "discontinuous_brackets") if discodop else ()

    def prepare(self, task: Task) -> NamedParameters | None:
        """The parameters of a file, which are read once for all that a scorer is given. Raises InvalidInput."""
        rules = task.options.get("rules")
        return evalb_parameters.read_rules(str(rules)) if rules else None

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: NamedParameters | None) -> Mapping[str, str]:
        """Install the parameter set."""
        rules = inputs.task.options.get("rules")
        if not rules:
            return {}
        return {"rules": evalb_parameters.install_rules(inputs.engine, str(rules), inputs.task.warn, prepared)}

    def precomputed(self, queries: Sequence[Query]) -> tuple[str, ...] | None:
        """Nothing, but None for quartets: whether their sentences are named depends on the largest tree of a file."""
        return None if any(query.name == "quartets" for query in queries) else ()

    def find_unscored(self, inputs: Inputs, scored: ScoredSystem) -> Unscored:
        """Sentences which cannot be compared, if the counts of a system include any."""
        unscored: dict[tuple[str, str], list[int]] = {}
        if inputs.task.where or inputs.task.by or inputs.task.tables:
            return unscored
        values = inputs.values(scored.system)
        for name, (reasons, hint) in _UNSCORED.items():
            found = {count: f"u.{count} > 0" for count in reasons if scored.counts.get(count)}
            if found and scored.sentences_with is None:
                numbers = _sentences_where(inputs.engine, catalog.query(name), found, values)
            else:
                numbers = {count: scored.sentences_with(count) for count in found} if scored.sentences_with else {}
            unscored |= {(reasons[count], hint): numbers[count] for count in found}
        if "quartets" in scored.metrics and _has_large_trees(inputs.engine, str(values["gold_corpus"])):
            what, hint = "with other leaves than gold's, or too many for quartets", "they count for no quartet score"
            found = {what: "u.comparable = 0"}
            sentences = _sentences_where(inputs.engine, catalog.query("quartets"), found, values)[what]
            unscored |= {(what, hint): sentences} if sentences else {}
        return unscored


_UNSCORED = {
    "evaluated_trees": (
        {"errors": "whose compared words differ", "skipped": "without words to compare"},
        "they count for no bracket score",
    ),
    "robinson_foulds": ({"unlike_leaves": "with other leaves than gold's"}, "they have no distances"),
}
"""By query, its counts that are 1 in sentences which cannot be compared, with what is wrong and what follows."""

HOOK = ConstituencyHook()


def _sentences_where(
    engine: Engine, query: Query, conditions: Mapping[str, str], values: Mapping[str, object]
) -> dict[str, list[int]]:
    """The sentences whose row `u` of a query meets each of some conditions, by their names, in order."""
    sql = with_clause([*query.statement.expressions, ("unscored", query.statement.body)])
    met = ", ".join(f"{condition} AS met_{number}" for number, condition in enumerate(conditions.values()))
    sql += f"SELECT u.sentence, {met} FROM unscored AS u\n"
    sql += f"WHERE {' OR '.join(conditions.values())} ORDER BY u.sentence"
    rows = execute(engine, sql, query.name, query.values(declared_values(query, values)), aggregated=True).to_pylist()
    return {name: [row["sentence"] for row in rows if row[f"met_{number}"]] for number, name in enumerate(conditions)}


def _has_large_trees(engine: Engine, corpus: str) -> bool:
    """Whether a sentence of a corpus may be too large for quartets."""
    sql = f"SELECT count(*) FROM sentences AS s WHERE s.corpus = $corpus AND s.n_words > {LARGE}"
    [(n_large,)] = engine.rows(sql, {"corpus": corpus})
    return bool(n_large)
