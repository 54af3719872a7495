"""Values for the parameters of every query, on the corpora of the fixture examples."""

from __future__ import annotations

from treesql.catalog import Query, header

CORPORA = {
    "constituency": ("gold parses", "test parses"),
    "alignment": ("links", "links-a"),
    "lattice_corpus": ("lattices",),
    "other_lattice_corpus": ("lattices",),
    "new_corpus": ("parser-a",),
    "reference_corpus": ("references",),
    "hypothesis_corpus": ("hypotheses",),
    "baseline_corpus": ("references-2",),
    "alignment_corpus": ("reference-hypothesis",),
    "source_words_corpus": ("reference",),
    "target_words_corpus": ("hypothesis",),
    "nbest_corpus": ("lists",),
    "paths/reference_corpus": ("reference",),
    "paths/hypothesis_corpus": ("hypothesis",),
    "trees/reference_corpus": ("reference",),
    "trees/hypothesis_corpus": ("hypothesis",),
}
"""By family, parameter or both, the corpora of the examples that a query can be asked of, where not gold twice."""

SAMPLE = {"TEXT": "gold", "INTEGER": 1, "BIGINT": 1, "DOUBLE": 0.5, "BOOLEAN": True}


def sample_values(query: Query, system: str | None = None) -> dict[str, object]:
    """Values for the parameters without a default; the corpora are those of the query's family, or the system's."""
    return query.values({p.name: sample_value(query, p, system) for p in query.parameters if p.default is None})


def sample_value(query: Query, parameter: header.Parameter, system: str | None = None) -> object:
    if parameter.choices:
        return parameter.choices[0]
    if not parameter.name.endswith("_corpus"):
        return SAMPLE[parameter.type]
    by_family = CORPORA.get("alignment" if "links" in parameter.name else query.family, ("gold", "gold"))
    by_parameter = CORPORA.get(parameter.name, by_family)
    gold, *test = CORPORA.get(f"{query.family}/{parameter.name}", by_parameter)
    return (system or test[0]) if parameter.name == "system_corpus" else gold
