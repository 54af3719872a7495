"""Dependency trees: weights and classes of relations, and warnings of treebanks that lack some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from treesql import catalog, readers
from treesql.catalog import Query
from treesql.engines import Engine
from treesql.engines.duckdb_files import is_database, open_database
from treesql.errors import MAX_NAMED, Diagnostic, UsageError, Warn, plural
from treesql.evaluation.task import Hook, Inputs, ScoredSystem, Task, Unscored
from treesql.readers.source import without_packed_ending
from treesql.scoring import relation_tables, treebank_inputs
from treesql.scoring.items import may_have_nulls
from treesql.scoring.scores import CORPUS, WDE, cite_corpus, precomputed_rows, run_query, run_statistic
from treesql.storage import loading

NamedWeights = tuple[str, relation_tables.Weights]
"""The name of weights in signatures, and the weights."""

_OF_TAGS = ("tagging",)
"""Metrics of tags, for which heads do not matter."""

# Of a sentence, either all words have heads or none.
_WITHOUT_HEADS = """
SELECT w.sentence FROM words AS w WHERE w.corpus = $corpus AND w.word = 1 AND w.head IS NULL
"""

_AVERAGED = "averaged_word_entropy"

EDGE_COUNTS = "enhanced_edge_counts"
"""The relation with the number of enhanced edges of a corpus."""

CHUNK_WORDS = 1000
"""Number of words of a chunk of the standardised type/token ratio, as in the query."""


class DependencyHook(Hook):
    """`weights`: a table of weights, or treebanks whose averaged word dependency entropies are the weights; by default
    the entropies of the gold corpus. `classes`: a CSV file that replaces the table relation_classes."""

    def used_options(self, queries: Sequence[Query]) -> Set[str]:
        """`classes`, if a query reads them."""
        return frozenset({"classes"}) if any("relation_classes" in query.sources for query in queries) else frozenset()

    def precomputed(self, queries: Sequence[Query]) -> tuple[str, ...]:
        """The frequencies of relations, if their classes or weights are read, and the number of enhanced edges."""
        relations = ("treebank_relations",) if self.used_options(queries) or _are_weighted(queries) else ()
        edges = any("enhanced_edges" in query.sources for query in queries)
        return relations + ((EDGE_COUNTS,) if edges else ())

    def prepare(self, task: Task) -> NamedWeights | None:
        """The weights that a task names; None if it names none."""
        named = task.options.get("weights") or ()
        paths = [str(named)] if isinstance(named, str | Path) else [str(path) for path in named]  # type: ignore[attr-defined]
        if not paths:
            return None
        if task.database is not None and _are_corpora(task.database, paths):
            return _averaged_entropies(task.database, paths, task.warn)
        are_treebanks = [_is_treebank(path) for path in paths]
        if not any(are_treebanks) and len(are_treebanks) == 1:
            [path] = paths
            return relation_tables.weights_name(path), relation_tables.read_weights(path)
        if not all(are_treebanks):
            raise UsageError("name one table of weights, or treebanks")
        with treebank_inputs.open_treebanks(paths, [_AVERAGED], warn=task.warn) as engine:
            return _entropies_of_all(engine)

    def install(self, inputs: Inputs, queries: Sequence[Query], prepared: NamedWeights | None) -> Mapping[str, str]:
        """Install classes and weights."""
        classes = inputs.task.options.get("classes")
        if classes:
            relation_tables.install_classes(inputs.engine, str(classes))
        if not prepared or not prepared[1] or not _are_weighted(queries):
            return {}
        return {"weights": relation_tables.install_weights(inputs.engine, *prepared)}

    def warn(self, inputs: Inputs, queries: Sequence[Query]) -> None:
        """Warn of relations without a class or weight, and of corpora without enhanced edges."""
        for warning in _find_relation_warnings(inputs, queries):
            inputs.task.warn(warning)

    def find_unscored(self, inputs: Inputs, scored: ScoredSystem) -> Unscored:
        """Sentences of a system without heads, if a metric compares heads."""
        parsed = (metric for metric in scored.metrics if metric not in _OF_TAGS)
        if not any("unparsed_gold" in catalog.query(metric).audits for metric in parsed):
            return {}
        if not may_have_nulls(inputs.engine, "words", "head"):
            return {}
        rows = inputs.engine.rows(_WITHOUT_HEADS, {"corpus": inputs.values(scored.system)["system_corpus"]})
        hint = "their words count as wrong; parse them, or leave them out of both files"
        return {("without heads", hint): sorted(int(number) for (number,) in rows)} if rows else {}


HOOK = DependencyHook()


def _are_corpora(database: str | Engine, names: Sequence[str]) -> bool:
    """Whether all names are corpora of a database, or none of them is a file."""
    opened = open_database(database, read_only=True) if isinstance(database, str) else nullcontext(database)
    with opened as engine:
        known = loading.corpus_names(engine)
    return all(name in known for name in names) or not any(Path(name).exists() for name in names)


def _averaged_entropies(database: str | Engine, corpora: Sequence[str], warn: Warn) -> NamedWeights:
    """The entropies of loaded corpora. Raises UnknownName."""
    if isinstance(database, str):
        with treebank_inputs.open_treebanks([database], [_AVERAGED], warn=warn, corpora=corpora) as engine:
            return _entropies_of_all(engine)
    with treebank_inputs.selected(database, corpora):
        return _entropies_of_all(database)


def _entropies_of_all(engine: Engine) -> NamedWeights:
    read = sorted(cite_corpus(engine, name) for name in loading.corpus_names(engine))
    return f"{WDE}({'+'.join(read)})", _weights(run_statistic(engine, _AVERAGED).rows())


def _is_treebank(path: str) -> bool:
    endings = tuple(
        end
        for known_format in readers.formats().values()
        if known_format.kind == "dependency"
        for end in known_format.suffixes
    )
    return Path(path).is_dir() or is_database(path) or without_packed_ending(path).endswith(endings)


def _weights(entropies: Sequence[Mapping[str, Any]]) -> relation_tables.Weights:
    return [(row["relation"], row["wde"]) for row in entropies]


def _are_weighted(queries: Sequence[Query]) -> bool:
    """Whether a query reads weights of relations."""
    return any(parameter.name == "weights" for query in queries for parameter in query.parameters)


def _find_relation_warnings(inputs: Inputs, queries: Sequence[Query]) -> Iterator[Diagnostic]:
    """Warnings of relations without a class, of corpora without enhanced edges where these are scored, and of gold
    relations without a weight in a table of weights.

    A file that is used several times counts once, by its first name.
    """
    corpora: dict[str, str] = {}
    for task_input, corpus in inputs.corpora.items():
        corpora.setdefault(task_input.path, corpus)
    if any("relation_classes" in query.sources for query in queries):
        for corpus in corpora.values():
            yield from find_unclassified_relations(inputs.engine, corpus_name=corpus)
    if any("enhanced_edges" in query.sources for query in queries):
        for corpus in corpora.values():
            counts = count_enhanced_edges(inputs.engine, corpus)
            yield from find_uncompared_edges(corpus, *counts)
    weights = inputs.installed.get("weights")
    if weights is not None:
        [gold] = inputs.of_role("gold")
        yield from find_unweighted_relations(inputs.engine, weights, corpus_name=gold)


def find_warnings(engine: Engine) -> Iterator[Diagnostic]:
    """Warn of treebanks smaller than a chunk, of words without a head, and of relations without a class."""
    sizes = engine.rows(
        "SELECT coalesce(c.treebank, c.corpus), CAST(sum(c.n_words) AS BIGINT) FROM corpora AS c\n"
        "GROUP BY coalesce(c.treebank, c.corpus) ORDER BY coalesce(c.treebank, c.corpus)"
    )
    small = (
        Diagnostic.warning(
            treebank, 0, f"{words} {plural(words, 'word')}, fewer than the {CHUNK_WORDS} of a chunk",
            "its standardised type/token ratio is NULL",
        )
        for treebank, words in sizes
        if words < CHUNK_WORDS
    )  # fmt: skip
    yield from _first_treebanks(small, f"fewer words than the {CHUNK_WORDS} of a chunk")
    yield from _find_unparsed_words(engine)
    yield from find_unclassified_relations(engine)


def _first_treebanks(warnings: Iterable[Diagnostic], what: str) -> Iterator[Diagnostic]:
    """Some warnings, a treebank each, and one about the other treebanks. what: all are about."""
    listed = list(warnings)
    yield from listed[:MAX_NAMED]
    if n_others := len(listed[MAX_NAMED:]):
        others = f"{n_others:,} further {plural(n_others, 'treebank')}"
        yield Diagnostic.warning(others, 0, what, listed[0].hint)


def _find_unparsed_words(engine: Engine) -> Iterator[Diagnostic]:
    """Warn once per dependency treebank of its words without a head."""
    rows = engine.rows(
        "SELECT coalesce(c.treebank, c.corpus) AS treebank, count(*), count(*) - count(w.head)\n"
        "FROM words AS w JOIN corpora AS c ON c.corpus = w.corpus\nWHERE c.kind = 'dependency'\n"
        "GROUP BY coalesce(c.treebank, c.corpus) ORDER BY treebank"
    )
    hint = "shares of relations are those in the other words"
    unparsed_words = (
        Diagnostic.warning(treebank, 0, f"{unparsed} of {words} words {plural(unparsed, 'has', 'have')} no head", hint)
        for treebank, words, unparsed in rows
        if unparsed
    )
    yield from _first_treebanks(unparsed_words, "words without a head")


def find_unclassified_relations(engine: Engine, corpus_name: str = "") -> Iterator[Diagnostic]:
    """Warn once per treebank, or for one corpus, of its relations outside the table relation_classes."""
    hint = "they count as other; --classes FILE classifies them"
    values = {"corpus_name": corpus_name}
    yield from _warn_by_treebank(engine, "unclassified_relations", values, "that belong to no class", hint)


def find_unweighted_relations(engine: Engine, weights: str, corpus_name: str = "") -> Iterator[Diagnostic]:
    """Warn once per treebank, or for one corpus, of its relations that a set of weights lacks."""
    hint = "each of their words counts 0.5"
    values = {"weights": weights, "corpus_name": corpus_name}
    yield from _warn_by_treebank(engine, "unweighted_relations", values, "without a weight", hint)


def count_enhanced_edges(engine: Engine, corpus: str) -> tuple[int, int]:
    """Return how many enhanced edges a corpus has, and how many of these come from an empty node or go to one."""
    query = catalog.query(EDGE_COUNTS)
    sql = precomputed_rows(query.name) if query.name in engine.precomputed else query.statement.sql
    [counts] = engine.rows(sql, {CORPUS: corpus})
    return counts


def find_uncompared_edges(corpus: str, edges: int, of_empty_nodes: int) -> Iterator[Diagnostic]:
    """Warn of a corpus that has no enhanced edges, and of edges that no score compares."""
    if not edges:
        what = "no enhanced dependencies: its column DEPS is empty"
        yield Diagnostic.warning(corpus, 0, what, "scores of enhanced edges are 0 or NULL without them")
    if of_empty_nodes:
        verb = "comes from an empty node, or goes to one," if of_empty_nodes == 1 else "come from or go to empty nodes"
        what = f"{of_empty_nodes:,} of {edges:,} enhanced edges {verb} and {'is' if of_empty_nodes == 1 else 'are'}"
        hint = "collapse empty nodes in all files to have these edges scored"
        yield Diagnostic.warning(corpus, 0, f"{what} not compared", hint)


def _warn_by_treebank(engine: Engine, query: str, values: dict[str, str], what: str, hint: str) -> Iterator[Diagnostic]:
    relations: dict[str, list[str]] = {}
    for row in run_query(engine, catalog.query(query), values).to_pylist():
        relations.setdefault(row["treebank"], []).append(f"{row['relation']} ({row['words']})")
    warnings = (
        Diagnostic.warning(treebank, 0, f"relations {what}: {', '.join(names)}", hint)
        for treebank, names in relations.items()
    )
    yield from _first_treebanks(warnings, f"relations {what}")
