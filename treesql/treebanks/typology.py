"""Scores of a parser across treebanks, with properties of the treebanks: tables and correlations.

Source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from treesql.engines import Engine
from treesql.engines.duckdb import select_from
from treesql.errors import UsageError, Warn
from treesql.evaluation.pairs import find_pairs
from treesql.results.result import Result
from treesql.scoring import relation_tables, scores, statistics, treebank_inputs, treebank_warnings
from treesql.significance.coefficients import MIN_ROWS
from treesql.treebanks import correlation

AVERAGED = "averaged wde"
"""Name of the averaged entropies of the gold treebanks as a set of weights."""

CLASS_SCORES = ("content_precision", "content_recall", "function_precision", "function_recall")
SCORES = ("las", "uas", "wlas", *CLASS_SCORES)
CORRELATED = ("function_share", "content_share", "wlas", "las", *CLASS_SCORES)
"""The measures of table 3, in its order."""

VARIED = ("las", "wlas", "content_precision", "content_recall")
"""The measures of figure 5."""

_STATISTICS = ("relation_shares", "standardised_type_token", "averaged_word_entropy", "unclassified_relations")
_METRICS = ("attachment", "weighted_attachment", "relation_class_scores")

_MEASURES = pa.schema(
    {"treebank": pa.string(), "words": pa.int64()}
    | {name: pa.float64() for name in ("sttr", "function_share", "content_share", *SCORES)}
)


@dataclass(frozen=True)
class TypologyTask:
    """Folders of gold treebanks and outputs, and options of the measures.

    system: which of several outputs. classes, weights: files that replace the built-in classes and the averaged word
    dependency entropies. warn: called with every warning. punctuation: which words are scored, as in `attachment`.
    """

    gold: str
    systems: str
    system: str | None = None
    classes: str | None = None
    weights: str | None = None
    permissive: bool = False
    strict: bool = False
    warn: Warn = lambda warning: None
    punctuation: str = "all"


@dataclass(frozen=True)
class TypologyMeasures:
    """Measures per treebank with signatures, averaged entropies, the name of the weights, and the files read."""

    measures: Result
    entropies: Result
    weights: str
    files: tuple[tuple[str, str], ...]
    punctuation: str = "all"


def measure(task: TypologyTask) -> TypologyMeasures:
    """The measures of every treebank that has an output, a row per treebank.

    words, sttr and shares are those of the whole treebank, scores those of the parsed file. Raises UsageError, for
    fewer than three treebanks among others, UnknownName, InvalidInput, Incomparable, QueryError.
    """
    pairs = find_pairs(task.gold, task.systems, task.system, task.warn)
    if len(pairs) < MIN_ROWS:
        names = ", ".join(pair.treebank for pair in pairs) or "none"
        raise UsageError(f"a correlation across treebanks needs three of them with an output; here are: {names}")
    gold = {
        (pair, file): treebank_inputs.plan_treebank(str(file), f"{pair.treebank}/{file}", pair.treebank)
        for pair in pairs
        for file in pair.files
    }  # names of corpora sort as the files: the type/token ratio depends on the order of words
    reading = {"permissive": task.permissive, "strict": task.strict}
    with treebank_inputs.load_treebanks(list(gold.values()), _STATISTICS, warn=task.warn, **reading) as engine:
        _install_classes(engine, task)
        for warning in treebank_warnings.find_warnings(engine):
            task.warn(warning)
        rows = _properties(engine)
        entropies = statistics.run_statistic(engine, "averaged_word_entropy")
        weights = _install_weights(engine, task, entropies)
        for warning in treebank_warnings.find_unweighted_relations(engine, weights):
            task.warn(warning)
        files = _files_of(engine)
    signatures: dict[str, str] = {}
    systems = {pair: treebank_inputs.plan_treebank(str(pair.system), f"{pair.treebank} system") for pair in pairs}
    scored = [one for pair in pairs for one in (gold[pair, pair.scored], systems[pair])]
    warn = _warn_of({str(pair.system) for pair in pairs}, task)
    with treebank_inputs.load_treebanks(scored, _METRICS, warn=warn, **reading) as engine:
        _install_classes(engine, task)
        _install_weights(engine, task, entropies)
        for pair in pairs:
            corpora = {"gold_corpus": gold[pair, pair.scored].corpus, "system_corpus": systems[pair].corpus}
            result = scores.score(engine, _METRICS, {**corpora, "weights": weights, "punctuation": task.punctuation})
            rows[pair.treebank] |= {name: value for name, value in result.rows()[0].items() if name in SCORES}
            signatures |= {f"{pair.treebank}:{name}": text for name, text in result.signatures.items()}
        files |= _files_of(engine)
    for path in (task.classes, task.weights):
        if path:
            files[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    percent = frozenset({"function_share", "content_share", *SCORES})
    measures = Result(pa.Table.from_pylist(list(rows.values()), _MEASURES), signatures, percent)
    return TypologyMeasures(measures, entropies, weights, tuple(sorted(files.items())), task.punctuation)


def correlations(measured: TypologyMeasures, warn: Warn = lambda warning: None) -> Result:
    """Pearson correlations across treebanks of the measures of table 3."""
    return correlation.correlate_table(measured.measures.arrow(), CORRELATED, source="measures", warn=warn)


def cumulative_variance(measures: Result, order: str | None = None) -> Result:
    """The variance of scores as treebanks are added, best first: `metric, k, treebank, score, variance`.

    variance: population variance over the k best. order: the score that ranks treebanks, by default each metric itself.
    """
    ranked = "\nUNION ALL\n".join(
        f"SELECT {at} AS at, '{name}' AS metric, m.treebank, m.{name} AS score, m.{order or name} AS rank FROM m"
        for at, name in enumerate(VARIED)
    )
    table = select_from(
        {"m": measures.arrow()},
        f"""
        SELECT v.metric, row_number() OVER best AS k, v.treebank, v.score, var_pop(v.score) OVER best AS variance
        FROM ({ranked}) AS v
        WHERE v.score IS NOT NULL
        WINDOW best AS (PARTITION BY v.at ORDER BY v.rank DESC, v.treebank ROWS UNBOUNDED PRECEDING)
        ORDER BY v.at, k
        """,
    )
    return Result(table, percent=frozenset({"score"}))


def _install_classes(engine: Engine, task: TypologyTask) -> None:
    if task.classes:
        relation_tables.install_classes(engine, task.classes)


def _install_weights(engine: Engine, task: TypologyTask, entropies: Result) -> str:
    """Install the weights of the task, or the averaged entropies; return the name of the set."""
    if task.weights:
        return relation_tables.install_weights(
            engine, relation_tables.weights_name(task.weights), relation_tables.read_weights(task.weights)
        )
    return relation_tables.install_weights(
        engine, AVERAGED, [(row["relation"], row["wde"]) for row in entropies.rows()]
    )


def _files_of(engine: Engine) -> dict[str, str]:
    """The files that were read, with their digests."""
    sql = "SELECT f.file.path, f.file.sha256 FROM (SELECT unnest(c.files) AS file FROM corpora AS c) AS f"
    return dict(engine.rows(sql))


def _warn_of(paths: set[str], task: TypologyTask) -> Warn:
    """A function that passes on warnings about these files only."""
    return lambda warning: task.warn(warning) if warning.path in paths else None


def _properties(engine: Engine) -> dict[str, dict[str, object]]:
    """Size, type/token ratio and shares of every treebank."""
    rows: dict[str, dict[str, object]] = {}
    for name in ("relation_shares", "standardised_type_token"):
        for row in statistics.run_statistic(engine, name).rows():
            rows.setdefault(row["treebank"], {}).update(row)
    return rows
