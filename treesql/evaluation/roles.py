"""The corpora of a task by their roles, on the engine that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from treesql import catalog, readers
from treesql.catalog import attributes, kinds
from treesql.catalog.kinds import Role
from treesql.engines import Engine
from treesql.evaluation.task import EMPTY_REFERENCES, Input, Task
from treesql.readers import ALIGNMENT, Notation
from treesql.scoring.items import ScoringPlan
from treesql.storage import link_checks


@dataclass(frozen=True)
class Inputs:
    """An engine with all corpora of a task, and their names by input.

    installed: values of parameters that the kind's hook has set. plans: by system, how it is scored where the engine
    holds partial sums in place of the corpora's rows. unscored: then, by system, sentences that count for no score;
    aligned: systems whose words are aligned by their characters.
    """

    task: Task
    engine: Engine
    corpora: Mapping[Input, str]
    installed: Mapping[str, str] = field(default_factory=dict)
    plans: Mapping[str, ScoringPlan] = field(default_factory=dict)
    unscored: Mapping[str, Mapping[tuple[str, str], list[int]]] = field(default_factory=dict)
    aligned: frozenset[str] = frozenset()

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.task.systems)

    def of_role(self, role: str, system: str | None = None) -> list[str]:
        """The corpora of a role: those shared by all systems, or those of one system."""
        return [name for one, name in self.corpora.items() if one.role.name == role and one.system == system]

    @property
    def by_role(self) -> list[tuple[Role, str]]:
        """All corpora with their roles, each once."""
        return list(dict.fromkeys((one.role, corpus) for one, corpus in self.corpora.items()))

    def by_side(self, side: str) -> list[str]:
        """The corpora of the systems, or of the gold standard or references, each once in a role."""
        return [corpus for role, corpus in self.by_role if role.side == side]

    def values(self, system: str, queries: Sequence[catalog.Query] | None = None) -> dict[str, object]:
        """The values of parameters for a system; queries: only those of one of them or of its attributes."""
        values = {**self.task.kind.parameters, **self.task.parameters, **self.installed, **self.corpus_values(system)}
        if queries is None:
            return values
        declared = {parameter.name for query in queries for parameter in query.parameters}
        declared.update(name for query in queries for name in attributes.further_corpora(query))
        return {name: value for name, value in values.items() if name in declared}

    def corpus_values(self, system: str) -> dict[str, object]:
        """The parameters that name corpora, for a system, and the one that says which of them are references."""
        given = self.task.parameters
        values = {name: given[name] for name in (EMPTY_REFERENCES,) if name in given}
        for role in self.task.kind.roles:
            found = self.of_role(role.name, system if role.side == kinds.SYSTEM else None)
            if found:
                values[role.corpus] = found[0]
            if found and role.several:
                values[role.several] = ",".join(found[1:])
        return values


def naming_corpus(inputs: Inputs) -> str | None:
    """The corpus whose ids name sentences that have none: of the role that the kind declares, else that of the source
    words for which links were loaded; None where there is neither."""
    task = inputs.task
    named = [corpus for role in task.kind.roles if role.names for corpus in inputs.of_role(role.name)]
    links = [corpus for role in task.kind.roles if role.is_alignment for corpus in inputs.of_role(role.name)]
    if named or not links or task.database is None:
        return next(iter(named), None)
    return link_checks.linked_texts(inputs.engine, links[0])[0]


def notation_of(task: Task, role: Role, form: str) -> Notation:
    """The notation of a role's links in a format; without a base of its own, that of systems' files of this format."""
    own = task.reading.notation(role)
    if own.base is not None or not role.notation:
        return own
    for one in task.inputs:
        if one.role.is_alignment and not one.role.notation:
            their = task.reading.formats.get(one.role.format)
            if task.database is not None or readers.format_of([one.path], their, ALIGNMENT) == form:
                return replace(own, base=task.reading.notation(one.role).base)
    return own
