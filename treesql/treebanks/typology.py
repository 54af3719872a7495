"""Scores of a parser across treebanks, with properties of the treebanks: tables and correlations.

Source: on cross-linguistic parser evaluation with Universal Dependencies 1.2 (unpublished draft).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from treesql import readers
from treesql.engines import Engine
from treesql.engines.connections import select_from
from treesql.errors import Diagnostic, UsageError, Warn, issue
from treesql.evaluation.hooks.dependency import find_unweighted_relations, find_warnings
from treesql.evaluation.treebanks import check_names
from treesql.results import signature_text
from treesql.results.result import Result
from treesql.runtime import steps
from treesql.runtime.arrays import compute as pc
from treesql.runtime.failures import convert_errors, convert_errors_of_class
from treesql.scoring import relation_tables, scores, treebank_inputs
from treesql.scoring.treebank_inputs import path_text
from treesql.significance.coefficients import MIN_ROWS
from treesql.significance.methods import MACRO
from treesql.treebanks import correlation
from treesql.treebanks.parser_outputs import Pair, find_pairs

AVERAGED, OWN = WEIGHTS = ("averaged", "own")
"""Weights of relations that are no file: word dependency entropies over all gold treebanks, or of each treebank."""

CLASS_SCORES = ("content_precision", "content_recall", "function_precision", "function_recall")
PROPERTIES = ("sttr", "function_share", "content_share")
CORRELATED = ("function_share", "content_share", "wlas", "las", *CLASS_SCORES)
"""The measures of table 3, in its order."""

VARIED = ("las", "wlas", "content_precision", "content_recall")
"""The measures of figure 5."""

_STATISTICS = (
    "relation_shares", "standardised_type_token", "averaged_word_entropy", "word_entropy", "unclassified_relations"
)  # fmt: skip
_METRICS = ("attachment", "weighted_attachment", "relation_class_scores")


@dataclass(frozen=True)
class TypologyTask:
    """Folders of gold treebanks and outputs, and options of the measures.

    system: which of several systems, else all. classes: a file that replaces the built-in classes. weights: AVERAGED,
    OWN, or a file. warn: called with every warning. punctuation: which words are scored, as in `attachment`.
    max_sentence: as it was asked for.
    """

    gold: str
    systems: str
    system: str | Sequence[str] | None = None
    classes: str | None = None
    weights: str | None = None
    permissive: bool = False
    strict: bool = False
    warn: Warn = lambda warning: None
    punctuation: str = "all"
    max_sentence: int | str | None = None

    @property
    def weights_of(self) -> dict[str, str]:
        """By column its weights: of `wlas` the chosen ones, of further columns those of WEIGHTS that were not."""
        chosen = self.weights or AVERAGED
        return {"wlas": chosen, **{f"wlas_{name}": name for name in WEIGHTS if name != chosen}}

    @property
    def ratios(self) -> tuple[str, ...]:
        """The columns of properties and scores, in order."""
        return (*PROPERTIES, "las", "uas", *self.weights_of, *CLASS_SCORES)

    @property
    def reading(self) -> dict[str, bool]:
        """Options of reading files."""
        return {"permissive": self.permissive, "strict": self.strict}


@dataclass(frozen=True)
class TypologyMeasures:
    """Measures with signatures, averaged entropies, and the files that were read with their digests.

    measures: a row per system and treebank, then the `macro` average of every system.
    """

    task: TypologyTask
    measures: Result
    entropies: Result
    files: tuple[tuple[str, str], ...]

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(dict.fromkeys(self.measures.arrow()["system"].to_pylist()))

    @property
    def averages(self) -> Result:
        """The averages of all systems."""
        return self._where(pc.field("treebank") == MACRO)

    @property
    def treebanks(self) -> Result:
        """Words, type/token ratio and shares of every treebank."""
        columns = ["treebank", "words", *PROPERTIES]
        rows = self._where(pc.field("treebank") != MACRO).arrow().select(columns).to_pylist()
        by_name = {row["treebank"]: row for row in rows}
        table = pa.Table.from_pylist([by_name[name] for name in sorted(by_name)], _schema(columns))
        return Result(table, percent=self.measures.percent & set(columns))

    def of_system(self, name: str) -> Result:
        """The measures of one system, without its average."""
        return self._where((pc.field("system") == name) & (pc.field("treebank") != MACRO))

    def _where(self, condition: pc.Expression) -> Result:
        return Result(self.measures.arrow().filter(condition), percent=self.measures.percent)


def measure(task: TypologyTask) -> TypologyMeasures:
    """The measures of every system on every treebank that it parsed.

    words, sttr and shares are those of the whole treebank, scores those of the parsed file. Raises UsageError, for
    fewer than three treebanks among others, UnknownName, InvalidInput, Incomparable, QueryError.
    """
    systems = _find_systems(task)
    described = _describe(task, {pair.treebank: pair.files for pairs in systems.values() for pair in pairs})
    rows, signatures, files = _score(task, systems, described)
    if task.classes:
        files[task.classes] = _digest(task.classes)
    if task.weights and task.weights not in WEIGHTS:
        files[task.weights] = _digest(task.weights)
    table = pa.Table.from_pylist(rows, _schema(["system", "treebank", "words", *task.ratios]))
    measures = Result(table, signatures, frozenset(task.ratios) - {"sttr"})
    return TypologyMeasures(task, measures, described.entropies, tuple(sorted({**described.files, **files}.items())))


@dataclass(frozen=True)
class _Described:
    """Gold treebanks: properties by name, averaged entropies, sets of weights by name, and files with digests."""

    properties: Mapping[str, Mapping[str, Any]]
    entropies: Result
    weights: Mapping[str, relation_tables.Weights]
    files: Mapping[str, str]


def _find_systems(task: TypologyTask) -> dict[str, list[Pair]]:
    """The systems that parsed three treebanks. Raises UsageError if none did, or not one that was chosen."""
    chosen = treebank_inputs.as_list(task.system) or []
    systems = find_pairs(task.gold, task.systems, chosen, task.warn)
    kept = {name: pairs for name, pairs in systems.items() if len(pairs) >= MIN_ROWS}
    for name, pairs in systems.items():
        if name not in kept and (chosen or not kept):
            listed = ", ".join(pair.treebank for pair in pairs) or "none"
            whose = f"an output of {name}" if len(systems) > 1 else "an output"
            raise UsageError(f"a correlation across treebanks needs three of them with {whose}; here are: {listed}")
    treebanks = {pair.treebank for pairs in kept.values() for pair in pairs}
    check_names(treebanks)
    for name, pairs in systems.items():
        absent = sorted(treebanks - {pair.treebank for pair in pairs})
        if name not in kept:
            what, hint = f"{name} parsed {len(pairs)} of the treebanks", "correlations need three; it is left out"
            task.warn(Diagnostic.warning(task.systems, 0, what, hint))
        elif absent:
            what, hint = f"{name} has no output for {', '.join(absent)}", "its averages are over fewer treebanks"
            task.warn(Diagnostic.warning(task.systems, 0, what, hint))
    return kept


def _describe(task: TypologyTask, treebanks: Mapping[str, Sequence[Path]]) -> _Described:
    """Describe whole treebanks, all files of each together."""
    plans = [
        treebank_inputs.plan_treebank(str(file), f"{name}/{file}", name)
        for name, files in sorted(treebanks.items())
        for file in files
    ]  # names of corpora sort as the files: the type/token ratio depends on the order of words
    with treebank_inputs.load_treebanks(plans, _STATISTICS, warn=task.warn, **task.reading) as engine:
        _install_classes(engine, task)
        for warning in find_warnings(engine):
            task.warn(warning)
        entropies = scores.run_statistic(engine, "averaged_word_entropy")
        weights: dict[str, list[tuple[str, float]]] = {
            _set_name(AVERAGED): [(row["relation"], row["wde"]) for row in entropies.rows()]
        }
        for row in scores.run_statistic(engine, "word_entropy").rows():
            weights.setdefault(_set_name(OWN, row["treebank"]), []).append((row["relation"], row["wde"]))
        if task.weights and task.weights not in WEIGHTS:
            name = _set_name(task.weights)
            weights[name] = list(relation_tables.read_weights(task.weights))
            relation_tables.install_weights(engine, name, weights[name])
            for warning in find_unweighted_relations(engine, name):
                task.warn(warning)
        return _Described(_properties(engine), entropies, weights, _files_of(engine))


def _score(
    task: TypologyTask, systems: Mapping[str, Sequence[Pair]], described: _Described
) -> tuple[list[dict[str, Any]], dict[str, str], dict[str, str]]:
    """Score every system on its treebanks: rows with averages, signatures, and files with digests."""
    by_treebank: dict[str, dict[str, Pair]] = {}
    for name, pairs in systems.items():
        for pair in pairs:
            by_treebank.setdefault(pair.treebank, {})[name] = pair
    rows_of: dict[tuple[str, str], dict[str, Any]] = {}
    warnings: dict[str, list[Diagnostic]] = {}
    signatures_of: dict[tuple[str, str], dict[str, str]] = {}
    files: dict[str, str] = {}
    for treebank, pairs_of in steps.each(by_treebank.items(), "treebanks"):
        with _load_outputs(task, treebank, pairs_of, warnings) as (engine, corpora):
            _install_classes(engine, task)
            for name, weights in described.weights.items():
                relation_tables.install_weights(engine, name, weights)
            for system, named in corpora.items():
                values, signatures_of[system, treebank] = _scores_of(engine, task, treebank, named)
                rows_of[system, treebank] = {**described.properties[treebank], **values, "system": system}
            files |= _files_of(engine)
    rows: list[dict[str, Any]] = []
    cited: dict[str, str] = {}
    for system, pairs in systems.items():
        for pair in pairs:
            rows.append(rows_of[system, pair.treebank])
            signatures = signatures_of[system, pair.treebank]
            cited |= {f"{system}:{pair.treebank}:{name}": text for name, text in signatures.items()}
            for warning in warnings.get(str(pair.system), ()):
                task.warn(warning)
    rows += [_average(task, [row for row in rows if row["system"] == system]) for system in systems]
    for system, pairs in systems.items():
        for name in task.ratios[len(PROPERTIES) :]:
            texts = [cited[f"{system}:{pair.treebank}:{name}"] for pair in pairs]
            cited[f"{system}:{MACRO}:{name}"] = signature_text.over(texts, [f"average:{MACRO}"])
    return rows, cited, files


@contextmanager
def _load_outputs(
    task: TypologyTask, treebank: str, pairs: Mapping[str, Pair], warnings: dict[str, list[Diagnostic]]
) -> Iterator[tuple[Engine, dict[str, dict[str, str]]]]:
    """Yield an engine with the outputs of systems for a treebank, and the parameters that name their corpora.

    SQL on few corpora is planned in less time than on all. warnings: gets those of each output.
    """
    gold = {pair.scored: f"{treebank}/{pair.scored}" for pair in pairs.values()}
    plans = [treebank_inputs.plan_treebank(str(path), corpus, treebank) for path, corpus in gold.items()]
    corpora: dict[str, dict[str, str]] = {}
    for name, pair in pairs.items():
        plans.append(treebank_inputs.plan_treebank(str(pair.system), f"{treebank} {name}"))
        corpora[name] = {"gold_corpus": gold[pair.scored], "system_corpus": plans[-1].corpus}

    def keep(warning: Diagnostic) -> None:
        warnings.setdefault(warning.path, []).append(warning)

    with treebank_inputs.load_treebanks(plans, _METRICS, warn=keep, **task.reading) as engine:
        yield engine, corpora


def _scores_of(
    engine: Engine, task: TypologyTask, treebank: str, corpora: Mapping[str, str]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """The scores of one output with their signatures, by column."""
    scored: dict[str, float | None] = {}
    cited: dict[str, str] = {}
    for column, weights in task.weights_of.items():
        values = {**corpora, "weights": _set_name(weights, treebank), "punctuation": task.punctuation}
        result = scores.score(engine, ("weighted_attachment",) if scored else _METRICS, values)
        [row] = result.rows()
        shown = {"wlas": column} if scored else {name: name for name in task.ratios if name in row}
        scored |= {name: row[score] for score, name in shown.items()}
        cited |= {name: result.signatures[score] for score, name in shown.items()}
    return scored, cited


def _average(task: TypologyTask, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The means of one system's rows, of those that have a value."""
    present = {name: [row[name] for row in rows if row[name] is not None] for name in task.ratios}
    means = {name: math.fsum(values) / len(values) if values else None for name, values in present.items()}
    return {"system": rows[0]["system"], "treebank": MACRO, "words": None, **means}


def _schema(columns: Sequence[str]) -> pa.Schema:
    types = {"system": pa.string(), "treebank": pa.string(), "words": pa.int64()}
    return pa.schema([(name, types.get(name, pa.float64())) for name in columns])


def _set_name(weights: str, treebank: str = "") -> str:
    """The name of a set of weights in the table relation_weights and in signatures."""
    if weights == OWN:
        return f"wde of {treebank}"
    return "averaged wde" if weights == AVERAGED else relation_tables.weights_name(weights)


def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def correlations(measured: TypologyMeasures, system: str, warn: Warn = lambda warning: None) -> Result:
    """Pearson correlations across a system's treebanks of the measures of table 3, and of wlas by other weights."""
    columns = [*CORRELATED, *(name for name in measured.task.weights_of if name != "wlas")]
    return correlation.correlate_table(measured.of_system(system).arrow(), columns, source=system, warn=warn)


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


def _files_of(engine: Engine) -> dict[str, str]:
    """The files that were read, with their digests."""
    sql = "SELECT f.file.path, f.file.sha256 FROM (SELECT unnest(c.files) AS file FROM corpora AS c) AS f"
    return dict(engine.rows(sql))


def _properties(engine: Engine) -> dict[str, dict[str, object]]:
    """Size, type/token ratio and shares of every treebank."""
    rows: dict[str, dict[str, object]] = {}
    for name in ("relation_shares", "standardised_type_token"):
        for row in scores.run_statistic(engine, name).rows():
            rows.setdefault(row["treebank"], {}).update(row)
    return rows


@dataclass(frozen=True, repr=False)
@convert_errors_of_class
class Correlations(Result):
    """A row per pair of columns: `metric_a, metric_b, method, n, r, r_low, r_high, p, pairs, same_order`."""

    def matrix(self) -> Result:
        """The pairs as a matrix of text, with `*` where p < .05 and `**` where p < .01, and 95 % intervals."""
        return correlation.matrix(self)

    @property
    def rows_text(self) -> str:
        """How many rows the pairs have: `n = 12`, or `n = 8 to 12`."""
        return correlation.rows_text(self)

    def svg(self) -> str:
        """The matrix as a heat map."""
        return correlation.heat_map(self)


@convert_errors
def correlate(
    table: Result | str | Path,
    system_dir: str | Path | None = None,
    *,
    method: str = "pearson",
    columns: str | Sequence[str] | None = None,
    complete: bool = False,
    system: str | Sequence[str] | None = None,
    classes: str | Path | None = None,
    weights: str | Path | None = None,
    punctuation: str = "all",
    permissive: bool = False,
    strict: bool = False,
    max_sentence: int | str | None = None,
) -> Correlations:
    """Return correlations between the numeric columns of a table, or between measures across treebanks.

    table: a result, a .csv, .json or .parquet file, `-` for CSV from standard input; with `system_dir` a folder of gold
    treebanks, and `system_dir` a folder of outputs, as `treesql.typology` reads them. method: `pearson`, `spearman`
    (rho) or `kendall` (tau-b). columns: those to correlate, with commas between, else all with numbers. complete:
    whether to use only rows in which all of these have a value. system, classes, weights, punctuation, permissive,
    strict, max_sentence: of folders, as for `treesql.typology`. Warns with TreesqlWarning. Raises UsageError,
    UnknownName, InvalidInput, Incomparable.
    """
    if system_dir is not None:
        if isinstance(table, Result):
            raise UsageError("a table of results stands alone; name GOLD_DIR and SYSTEM_DIR for treebanks")
        with readers.max_sentence(max_sentence):
            task = TypologyTask(
                str(table), str(system_dir), system, path_text(classes), path_text(weights), permissive, strict, issue,
                punctuation,
            )  # fmt: skip
            rows = _of_one_system(task).arrow()
    else:
        folder_options = {"system": system, "classes": classes, "weights": weights, "permissive": permissive}
        folder_options |= {"strict": strict, "punctuation": punctuation != "all"}
        for name in (name for name, value in folder_options.items() if value):
            raise UsageError(f"--{name} does not apply to a table; name GOLD_DIR and SYSTEM_DIR")
        rows = table.arrow() if isinstance(table, Result) else correlation.read_table(str(table))
    chosen = [name.strip() for name in columns.split(",")] if isinstance(columns, str) and columns else columns
    source = "result" if isinstance(table, Result) else "<stdin>" if str(table) == "-" else str(table)
    result = correlation.correlate_table(
        rows, chosen or None, method=method, complete=complete, source=source, warn=issue
    )
    return Correlations(result.arrow(), result.signatures, result.percent)


def _of_one_system(task: TypologyTask) -> Result:
    """The measures of the only system. Raises UsageError for several."""
    measured = measure(task)
    if len(measured.systems) > 1:
        raise UsageError(f"several systems: {', '.join(measured.systems)}; choose one: --system {measured.systems[0]}")
    return measured.of_system(measured.systems[0])
