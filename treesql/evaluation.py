"""Scoring several systems against one gold standard, from files or from the corpora of a database."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from treesql import (
    blocks,
    catalog,
    classes,
    comparison,
    evalb,
    linking,
    loading,
    readers,
    scoring,
    scratch,
    storage,
    tables,
    treebanks,
)
from treesql.compared import Comparison
from treesql.errors import FormatError, Incomparable, InvalidInput, UnknownName, UsageError
from treesql.readers import Notation, Options, content
from treesql.readers.source import STANDARD_INPUT
from treesql.results import Result
from treesql.scoring import FEATURE
from treesql.significance import Method

Answer = TypeVar("Answer")

DEPENDENCY = ("attachment", "exact_match", "relation_class_scores", "weighted_attachment")
"""The metrics of `score dependency` where both sides have the same words."""

CONSTITUENCY = ("evalb", "robinson_foulds", "generalised_robinson_foulds", "quartets")
"""The metrics of `score constituency`."""

NEWICK = CONSTITUENCY[1:]
"""Those of `score newick`."""

ACROSS = ("aligned_attachment", "aligned_class_scores", "aligned_weighted_attachment")
"""Those where only the text is the same."""

NAMED = 5
"""So many sentences are named in a warning."""

DEPENDENCY_KIND = "dependency"

TEXTS = "words of "
"""What stands before `source` and `target` in the names of the corpora of texts whose words are linked."""

ALWAYS_READ = ("sent_id", "file", "line")
"""Columns that warnings and faults name places by."""

GOLD_ENTROPIES = "wde"
"""What the word dependency entropies of the gold corpus are called in relation_weights."""


@dataclass(frozen=True)
class Opened:
    """A connection that holds all corpora, the gold corpus's name in it, and parameters that name what is there."""

    connection: duckdb.DuckDBPyConnection
    gold: str
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Alignments:
    """How files of alignments are written, and the texts, files or corpora of the database, whose words they link.

    notation: of the systems' files; its base is the gold file's, too, where that has none and is of the same format.
    gold_notation, gold_form: of the gold file.
    """

    notation: Notation = field(default_factory=Notation)
    gold_notation: Notation = field(default_factory=Notation)
    gold_form: str | None = None
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class Task:
    """What to score, and how.

    gold, systems: files, or names of corpora of `database`. parameters: of the metrics, corpora left out. tables:
    names of statistics whose rows are wanted in place of scores. weights: a table of weights, or treebanks whose
    averaged word dependency entropies weigh. classes: a CSV file in place of the table relation_classes. rules: a
    parameter file of EVALB, or the name of a parameter set. form, permissive, strict: how files are read. kind: of the
    corpora that the metrics are for, which is the metrics' family. alignments: how these are written, if they are such.
    options: by their names, how parameters were given, for messages.
    ci: intervals beside the scores. names: what the systems are called, if not by their files or corpora. read: columns
    that are needed beside those of the metrics. warn: called with everything that is worth a look.
    """

    metrics: Sequence[str]
    gold: str
    systems: Sequence[str]
    parameters: Mapping[str, object] = field(default_factory=dict)
    database: str | None = None
    by: str | None = None
    where: str | None = None
    tables: Sequence[str] = ()
    weights: Sequence[str] = ()
    classes: str | None = None
    rules: str | None = None
    form: str | None = None
    permissive: bool = False
    strict: bool = False
    kind: str = "dependency"
    alignments: Alignments = field(default_factory=Alignments)
    ci: bool = False
    names: Sequence[str] = ()
    read: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    warn: Callable[[FormatError], object] = lambda warning: None

    @property
    def queries(self) -> list[catalog.Query]:
        """What is asked of every pair of corpora."""
        return [catalog.query(name) for name in self.tables or self.metrics]

    @property
    def reads_standard_input(self) -> bool:
        """Whether a file of it can be read only once."""
        return not self.database and STANDARD_INPUT in (self.gold, *self.systems)

    @property
    def texts(self) -> dict[str, str]:
        """The texts whose words are linked, by what they are called in SQL: `source` and `target`."""
        given = {"source": self.alignments.source, "target": self.alignments.target}
        return {name: text for name, text in given.items() if text is not None}


def evaluate(task: Task) -> Result:
    """One row per system, or per system and group; the first column, `system`, is the corpus or the file's name.

    Where a system's words are not the gold words, but its text is the same, all systems are scored by the metrics that
    align words by their characters. Raises UsageError, UnknownName, InvalidInput, Incomparable, QueryError,
    DatabaseError.
    """
    _check(task)
    _look_for_useless(task)
    if task.tables and not task.database and all(query.sums for query in task.queries) and not _shared_input(task):
        return _in_blocks(task)
    return _asked(task, _answer, lambda task: task.queries)


def compare(task: Task, names: Sequence[str] = (), method: Method | None = None) -> Comparison:
    """All pairs of systems compared by scores of a task's metrics, or of others; names as for `comparison.choose`.

    Raises what `evaluate` raises.
    """
    _check(task)
    if len(task.systems) < 2:
        raise UsageError("a comparison takes two systems at least; `treesql score` scores one")

    def answer(opened: Opened, task: Task) -> Comparison:
        chosen = comparison.choose(task.metrics, names)
        pairs = zip(_labels(task), _systems(task), strict=True)
        systems = {label: _values(opened, task, name) for label, name in pairs}
        how = method or Method()
        return comparison.compare(opened.connection, chosen, systems, how, where=task.where, warn=task.warn)

    stratum = method.stratum if method else None
    return _asked(
        replace(task, read=(stratum,) if stratum else ()),
        answer,
        lambda task: [query for query, _ in comparison.choose(task.metrics, names)],
    )


def _asked(
    task: Task, answer: Callable[[Opened, Task], Answer], needed: Callable[[Task], Sequence[catalog.Query]]
) -> Answer:
    """The answer to a task from what it opens; where words differ, to the task whose metrics align them.

    needed: the queries that the answer will ask.
    """
    across = _across(task)
    if across is None:
        with _opened(task, needed(task)) as opened:
            return answer(opened, task)
    at_once = task.reads_standard_input
    try:
        with _opened(task, [*needed(task), *needed(across)] if at_once else needed(task)) as opened:
            try:
                return answer(opened, task)
            except Incomparable:
                if at_once:
                    return _told_across(opened, across, answer)
                raise
    except Incomparable:
        if at_once:
            raise
    with _opened(replace(across, warn=lambda warning: None), needed(across)) as opened:
        return _told_across(opened, across, answer)


def _check(task: Task) -> None:
    if not task.systems:
        raise UsageError("name at least one system")
    if not task.database and [task.gold, *task.systems, *task.texts.values()].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    if len(set(_systems(task))) < len(task.systems) or len(set(_labels(task))) < len(task.systems):
        raise UsageError("a system stands twice; name each once")
    if task.tables and (task.by or task.where):
        raise UsageError("a table has its own rows; --by and --where are for scores")
    if task.tables and task.ci:
        raise UsageError("a table has no intervals; --ci is for scores")
    for name in () if task.tables else task.metrics:
        if scoring.metric(name).family != task.kind:
            known = [q.name for q in catalog.all_queries().values() if q.kind == "metric" and q.family == task.kind]
            raise UsageError(f"{name} is no metric of the kind {task.kind}; these are {', '.join(known)}")
    if task.tables:
        for query in task.queries:
            if query.kind != "statistic" or not query.reference_corpus:
                known = [q.name for q in catalog.all_queries().values() if q.kind == "statistic" and q.reference_corpus]
                raise UsageError(f"{query.name} is no table of gold and system; tables are {', '.join(known)}")


def _look_for_useless(task: Task) -> None:
    """Raises UsageError if something was given that none of the queries takes."""
    declared = {parameter.name for query in task.queries for parameter in query.parameters}
    useless = [task.options.get(name, name) for name in task.parameters if name not in declared]
    useless += [name for name in ("weights", "classes") if task.tables and getattr(task, name)]
    if useless:
        names = ", ".join(query.name for query in task.queries)
        raise UsageError(f"{names}: of no use here: {', '.join(useless)}")


def _across(task: Task) -> Task | None:
    """The same task where words differ; None if it cannot be had."""
    if task.tables or tuple(task.metrics[: len(DEPENDENCY)]) != DEPENDENCY or task.parameters.get("match") == "sent_id":
        return None
    parameters = {name: value for name, value in task.parameters.items() if name != "match"}
    return replace(task, metrics=(*ACROSS, *task.metrics[len(DEPENDENCY) :]), parameters=parameters)


def _shared_input(task: Task) -> bool:
    """Whether several systems are compared with what can be read only once, or a data set, which is no such file."""
    again = task.gold == STANDARD_INPUT and len(task.systems) > 1
    return again or any(path.endswith(".parquet") for path in (task.gold, *task.systems))


def _in_blocks(task: Task) -> Result:
    """The tables of all systems, of whose files no more than a block is in memory at a time."""
    names = _systems(task)
    [gold] = _names([task.gold])
    options = Options(task.permissive, task.strict, columns_needed(task, task.queries))
    warned: set[str] = set()

    def warn_once(warning: FormatError) -> None:
        if str(warning) not in warned:
            warned.add(str(warning))
            task.warn(warning)

    labelled: list[pa.Table] = []
    for name, path in zip(names, task.systems, strict=True):
        [reference] = loading.requests([task.gold], f"gold {gold}", task.form)
        [system] = loading.requests([path], name, task.form)
        counted = blocks.counts(reference, system, task.queries, options, warn_once)
        with duckdb.connect() as connection:
            for query, totals in zip(task.queries, counted, strict=True):
                labelled.append(behind(name, blocks.table(connection, query, totals), connection))
    return Result(pa.concat_tables(labelled), percent=scoring.shares(task.queries[0]))


def behind(name: str, rows: pa.Table, connection: duckdb.DuckDBPyConnection) -> pa.Table:
    """The rows behind the name of their system."""
    system = duckdb.ConstantExpression(name).alias("system")
    return connection.from_arrow(rows).select(system, duckdb.StarExpression()).to_arrow_table()


def _told_across(opened: Opened, task: Task, answer: Callable[[Opened, Task], Answer]) -> Answer:
    result = answer(opened, task)
    what = "its words are not those of every system, and are aligned by their characters"
    task.warn(FormatError(opened.gold, 0, what, "uas, las, la and wlas are F1, with precision and recall beside them"))
    return result


def _answer(opened: Opened, task: Task) -> Result:
    """The rows of all systems, each behind its name."""
    names = _labels(task)
    values = [_values(opened, task, name) for name in _systems(task)]
    parts = [_of_system(opened.connection, task, one) for one in values]
    for one, part in zip(values, parts, strict=True):
        for warning in _outcomes(opened.connection, task, one, part):
            task.warn(warning)
    if task.ci:
        parts = comparison.with_intervals(
            opened.connection, parts, task.metrics, values, by=task.by, where=task.where, warn=task.warn
        )
    labelled = [behind(name, part.arrow(), opened.connection) for name, part in zip(names, parts, strict=True)]
    signatures = {
        f"{name}:{score}": text
        for name, part in zip(names, parts, strict=True)
        for score, text in part.signatures.items()
    }
    return Result(pa.concat_tables(labelled), signatures, parts[0].percent)


def _values(opened: Opened, task: Task, system: str) -> dict[str, object]:
    """The values of parameters for one system."""
    return {**task.parameters, **opened.parameters, "gold_corpus": opened.gold, "system_corpus": system}


def _of_system(connection: duckdb.DuckDBPyConnection, task: Task, values: Mapping[str, object]) -> Result:
    if not task.tables:
        return scoring.score(connection, task.metrics, values, by=task.by, where=task.where)
    results = [scoring.table(connection, name, values) for name in task.tables]
    return Result(pa.concat_tables([one.arrow() for one in results]), percent=results[0].percent)


def _outcomes(
    connection: duckdb.DuckDBPyConnection, task: Task, values: Mapping[str, object], scores: Result
) -> Iterator[FormatError]:
    """Which sentences cannot be compared, where the scores say that there are some."""
    if task.tables or task.by or task.where or task.kind != "constituency":
        return
    [row] = scores.rows()
    named = {"error": "whose compared words differ", "skip": "without words to compare"}
    asked: list[tuple[str, str, Mapping[Any, str], str]] = []
    if row.get("errors") or row.get("skipped"):
        asked.append(("evaluated_trees", "outcome", named, "they count for no bracket score"))
    if row.get("unlike_leaves"):
        asked.append(("robinson_foulds", "comparable", {0: "with other leaves than gold's"}, "they have no distances"))
    for name, column, which, hint in asked:
        query = catalog.query(name)
        known = {p.name: values[p.name] for p in query.parameters if p.name in values}
        found = scoring.run(connection, query, known).select(["sentence", column])
        for value, what in which.items():
            chosen = connection.from_arrow(found).filter(f"{column} = {value!r}").order("sentence")
            numbers = [sentence for (sentence,) in chosen.select("sentence").fetchall()]
            if numbers:
                shown = [str(number) for number in numbers[:NAMED]] + ["..."] * (len(numbers) > NAMED)
                trees = f"{len(numbers)} sentence{'s' if len(numbers) > 1 else ''} {what}: {', '.join(shown)} (from 0)"
                yield FormatError(str(values["system_corpus"]), 0, trees, hint)


@contextmanager
def _opened(task: Task, queries: Sequence[catalog.Query]) -> Iterator[Opened]:
    """What the queries need. What runs on the connection reaches no files."""
    given = _given_weights(task)
    with _database(task) if task.database else _files(task, queries) as (connection, gold):
        look_for_other_trees(connection, (gold, *_systems(task)), task.kind)
        if task.kind == loading.ALIGNMENT:
            _look_at_links(connection, gold, task)
        if task.classes:
            classes.use_classes(connection, task.classes)
        weighing: dict[str, str] = {}
        if any(parameter.name == "weights" for query in queries for parameter in query.parameters):
            found = given or (GOLD_ENTROPIES, _entropies(connection, gold))
            if found[1]:
                weighing["weights"] = classes.put_weights(connection, *found)
        for warning in _remarks(connection, (gold, *_systems(task)), queries, weighing):
            task.warn(warning)
        if task.rules:
            weighing["rules"] = evalb.use(connection, task.rules, task.warn)
        yield Opened(connection, gold, weighing)


@contextmanager
def _database(task: Task) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    if task.form or task.permissive:
        raise UsageError("how files are read (--from, --permissive) is of no use with --db; the corpora are loaded")
    assert task.database
    with storage.open_connection(task.database, read_only=True, safe=True) as connection:
        for corpus in dict.fromkeys((task.gold, *task.systems)) if task.kind == DEPENDENCY_KIND else ():
            look_for_roots(connection, corpus, task)
        yield connection, task.gold


@contextmanager
def _files(task: Task, queries: Sequence[catalog.Query]) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    names = _systems(task)
    [gold] = _names([task.gold])
    if gold in names:
        gold = f"gold {gold}"
    wanted = _requests(task, gold, names)
    connection, loaded = scratch.hold(wanted, Options(task.permissive, task.strict, columns_needed(task, queries)))
    with connection:
        for warning in (warning for one in loaded for warning in one.warnings):
            task.warn(warning)
        yield connection, gold


def _requests(task: Task, gold: str, names: Sequence[str]) -> list[loading.Request]:
    """The files of a task, those of the texts whose words are linked among them."""
    how = task.alignments
    wanted = []
    for corpus, path in zip(names, task.systems, strict=True):
        wanted += loading.requests([path], corpus, task.form, notation=how.notation, kind=task.kind)
    form = how.gold_form if task.kind == loading.ALIGNMENT else task.form
    notation = _of_gold(task, readers.format_of([task.gold], form, task.kind), {one.form for one in wanted})
    reference = loading.requests([task.gold], gold, form, notation=notation, kind=task.kind)
    for corpus, path in task.texts.items():
        wanted += loading.requests([path], TEXTS + corpus, kind=readers.TEXT)
    return [*reference, *wanted]


def _of_gold(task: Task, form: str, forms: Collection[str]) -> Notation:
    """How the gold file is written. forms: its own format, and those of the systems."""
    own = task.alignments.gold_notation
    return replace(own, base=task.alignments.notation.base) if own.base is None and form in forms else own


def _look_at_links(connection: duckdb.DuckDBPyConnection, gold: str, task: Task) -> None:
    """Warn of alignments that seem to be read in a wrong way. Raises InvalidInput where links are outside."""
    texts = {name: text if task.database else TEXTS + name for name, text in task.texts.items()}
    kinds = dict(connection.execute("SELECT corpus, kind FROM corpora").fetchall())
    for text in texts.values():
        if text not in kinds:
            raise UnknownName("corpus", text, kinds)
        if kinds[text] == loading.ALIGNMENT:
            raise UsageError(f"{text} has links; name the text whose words are linked")
    forms = dict(connection.execute("SELECT corpus, format FROM corpora").fetchall())
    names = _systems(task)
    of_gold = _of_gold(task, forms[gold], {forms[name] for name in names})
    for corpus, notation in [(gold, of_gold), *((name, task.alignments.notation) for name in names)]:
        others = {} if task.database else linking.ways(forms[corpus], notation)
        if corpus == gold:
            others = {way: how.replace("--", "--gold-") for way, how in others.items()}
        if texts:
            linking.check(connection, corpus, texts.get("source"), texts.get("target"), others)
        if corpus != gold:
            found = linking.doubt(connection, gold, corpus, others), linking.surplus(connection, gold, corpus)
            for warning in filter(None, found):
                task.warn(warning)


def _given_weights(task: Task) -> tuple[str, classes.Weights] | None:
    """The weights that a task names, under a name for signatures; None if it names none. Raises UsageError and more."""
    if not task.weights:
        return None
    loaded = task.database is not None and _are_corpora(task.database, task.weights)
    found = [loaded or _is_treebank(one) for one in task.weights]
    if not any(found) and len(found) == 1:
        [path] = task.weights
        weights = classes.read_weights(path)
        return classes.name_of(path), weights
    if not all(found):
        raise UsageError("name one table of weights, or treebanks")
    query = "averaged_word_entropy"
    paths = [task.database] if loaded and task.database else task.weights
    with treebanks.opened(paths, [query], warn=task.warn, corpora=task.weights if loaded else None) as connection:
        read = connection.execute("SELECT corpus || '@' || left(sha256, 6) FROM corpora ORDER BY corpus").fetchall()
        entropies = treebanks.statistic(connection, query).rows()
        return f"{GOLD_ENTROPIES}({'+'.join(name for (name,) in read)})", _weights(entropies)


def _entropies(connection: duckdb.DuckDBPyConnection, corpus: str) -> classes.Weights:
    return _weights(treebanks.statistic(connection, "word_entropy", corpus_name=corpus).rows())


def _remarks(
    connection: duckdb.DuckDBPyConnection,
    corpora: Sequence[str],
    queries: Sequence[catalog.Query],
    weighing: Mapping[str, str],
) -> Iterator[FormatError]:
    """What is worth a warning about relations: those of no class, and gold ones without a given weight."""
    if any("relation_classes" in query.sources for query in queries):
        for corpus in corpora:
            yield from treebanks.unclassified(connection, corpus_name=corpus)
    if weighing.get("weights", GOLD_ENTROPIES) != GOLD_ENTROPIES:
        yield from treebanks.unweighted(connection, weighing["weights"], corpus_name=corpora[0])


def _weights(entropies: Sequence[Mapping[str, Any]]) -> classes.Weights:
    return [(row["relation"], row["wde"]) for row in entropies]


def _are_corpora(database: str, names: Sequence[str]) -> bool:
    """Whether all names are corpora of a database, or at least no files."""
    with storage.open_connection(database, read_only=True) as connection:
        known = loading.names(connection)
    return all(name in known for name in names) or not any(Path(name).exists() for name in names)


def _is_treebank(path: str) -> bool:
    return (
        Path(path).is_dir()
        or storage.is_database(path)
        or path.removesuffix(".gz").endswith((".conllu", ".conllx", ".conll"))
    )


def look_for_other_trees(connection: duckdb.DuckDBPyConnection, corpora: Sequence[str], kind: str) -> None:
    """Raises UsageError if the sentences of a corpus are of another kind than what scores them."""
    kinds = dict(connection.execute("SELECT corpus, kind FROM corpora").fetchall())
    for corpus in corpora:
        if kinds.get(corpus, kind) != kind:
            raise UsageError(f"{corpus} has {content(kinds[corpus])}, and these scores compare {content(kind)}")


def look_for_roots(connection: duckdb.DuckDBPyConnection, corpus: str, task: Task) -> None:
    """Warn of sentences with several roots in a loaded corpus, or refuse them, as for files."""
    found = scoring.run(connection, catalog.query("several_roots"), {"tree_corpus": corpus}).to_pylist()
    if not found:
        return
    names = [row["sent_id"] or f"line {row['line']}" for row in found[:NAMED]] + ["..."] * (len(found) > NAMED)
    what = f"{len(found)} sentence{'s' if len(found) > 1 else ''} with several roots: {', '.join(names)}"
    file, line = found[0]["file"], found[0]["line"]
    if task.strict:
        raise InvalidInput([FormatError(file, line, what, "give one word HEAD 0, or score without --strict")])
    task.warn(FormatError(file, line, what, "they are scored as they are; --strict refuses them"))


def columns_needed(task: Task, queries: Sequence[catalog.Query]) -> dict[str, frozenset[str]] | None:
    """The columns of the tables that a task may read; None for all.

    A condition with a query of its own may read anything; a group that is no column is a morphological feature.
    """
    condition = (task.where or "").lower()
    if re.search(r"\b(select|from)\b", condition):
        return None
    words = [
        *ALWAYS_READ,
        *task.read,
        *["n_words"] * (task.kind == loading.ALIGNMENT),
        *re.findall(r"\w+", f"{task.by or ''} {condition}"),
    ]
    if _is_feature(task):
        words.append("feats")
    read = catalog.columns_read(queries, words)
    if task.kind == DEPENDENCY_KIND:
        entropies = catalog.columns_read([catalog.query("word_entropy")])
        read["words"] = read.get("words", frozenset()) | entropies["words"] - {"lemma"}  # of forms as they stand
        read |= {name: entropies[name] | read.get(name, frozenset()) for name in entropies.keys() - {"words"}}
    return read | ({"features": frozenset({"feats"})} if _is_feature(task) else {})


def _is_feature(task: Task) -> bool:
    known = {column.name for query in task.queries for column in query.columns}
    known.update(name for table in ("words", "sentences", "corpora") for name in tables.table(table).names)
    return task.by is not None and (task.by.startswith(FEATURE) or task.by not in known)


def _systems(task: Task) -> list[str]:
    """The corpora of the systems: files are loaded under the names that are given them."""
    return list(task.systems) if task.database else list(task.names) or _names(task.systems)


def _labels(task: Task) -> list[str]:
    """What the systems are called in results."""
    return list(task.names) or _systems(task)


def _names(paths: Sequence[str]) -> list[str]:
    """The files' names without folders, or the paths where two would be the same."""
    names = ["stdin" if path == STANDARD_INPUT else Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)
