"""Word alignments: links outside of the texts are refused, and links that are probably misread are warned of.

Attributes of the linked words are those of the texts that are named, or that loaded links were loaded for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from treesql.catalog import Query
from treesql.catalog.queries import further_corpora
from treesql.errors import Diagnostic
from treesql.evaluation.task import Hook, Inputs, notation_of, words_named
from treesql.scoring.items import records_of
from treesql.storage import link_checks


class AlignmentHook(Hook):
    """`source` and `target` are roles: the texts whose words are linked."""

    def precomputed(self, queries: Sequence[Query]) -> None:
        """None: the notation of links is guessed from all of them."""
        return None

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: None) -> Mapping[str, str]:
        """Check the links, and return the corpora whose words loaded links connect."""
        source, target = (next(iter(inputs.of_role(role)), None) for role in ("source", "target"))
        check_links(inputs, "gold", "system", source, target)
        named = words_named(inputs.task)
        if inputs.task.database is None or not any(further_corpora(query, named) for query in queries):
            return {}
        [gold] = inputs.of_role("gold")
        source_words, target_words = link_checks.linked_texts(inputs.engine, gold)
        linked = {"source_words_corpus": source_words, "target_words_corpus": target_words}
        return {parameter: name for parameter, name in linked.items() if name is not None}


HOOK = AlignmentHook()


def check_links(inputs: Inputs, gold: str, system: str, source: str | None, target: str | None) -> None:
    """Warn of links that are probably misread. Raises InvalidInput for links outside of their sentences.

    gold, system: roles of the links; source, target: corpora of the words that they link, None where unknown.
    """
    task, engine = inputs.task, inputs.engine
    [gold_corpus] = inputs.of_role(gold)
    systems = [corpus for name in inputs.systems for corpus in inputs.of_role(system, name)]
    forms = {name: record.format for name, record in records_of(engine).items()}
    notations = {role: notation_of(task, task.kind.role(role), forms[gold_corpus]) for role in (gold, system)}
    if source or target:
        for corpus, role in [(gold_corpus, gold), *((name, system) for name in systems)]:
            prefix = task.kind.role(role).notation.replace("_", "-")
            others = {} if task.database else link_checks.other_readings(forms[corpus], notations[role], prefix)
            link_checks.check_links(engine, corpus, source, target, others)
    warnings: dict[str, Diagnostic] = {}
    for corpus in systems:
        others = (
            link_checks.readings_of_loaded()
            if task.database
            else link_checks.readings_with_gold(forms[corpus], notations[system], forms[gold_corpus], notations[gold])
        )
        for warning in _find_warnings(inputs, gold_corpus, corpus, others):
            warnings.setdefault(str(warning), warning)
    for warning in warnings.values():
        task.warn(warning)


def _find_warnings(
    inputs: Inputs, gold: str, corpus: str, others: Mapping[link_checks.LinkReading, str]
) -> Iterator[Diagnostic]:
    for warning in (
        link_checks.suggest_notation(inputs.engine, gold, corpus, others),
        link_checks.find_extra_links(inputs.engine, gold, corpus),
    ):
        if warning:
            yield warning
