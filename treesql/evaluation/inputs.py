"""Open the inputs of a task: gold and system corpora, relation weights and classes, from files or a database."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treesql import catalog, readers
from treesql.engines import Engine
from treesql.engines.duckdb_files import is_database, open_database
from treesql.errors import Diagnostic, InvalidInput, UnknownName, UsageError
from treesql.evaluation.task import DEPENDENCY_KIND, Task, columns_needed
from treesql.readers import Notation, Options, describe_kind
from treesql.readers.source import STANDARD_INPUT
from treesql.scoring import evalb_parameters, relation_tables, statistics, treebank_inputs, treebank_warnings
from treesql.scoring.signatures import GOLD_ENTROPIES, WDE, cite_corpus
from treesql.storage import in_memory, link_checks, loading

MAX_NAMED = 5
"""Maximum number of sentences that a warning names."""

TEXTS = {"source": "the source text", "target": "the target text"}
"""Names of the corpora of the texts whose words are linked."""


@dataclass(frozen=True)
class OpenInputs:
    """An engine with all corpora, the name of the gold corpus, and the parameters of installed weights and rules."""

    engine: Engine
    gold: str
    parameters: Mapping[str, str]


@contextmanager
def open_inputs(task: Task, queries: Sequence[catalog.Query]) -> Iterator[OpenInputs]:
    """Open the corpora of a task with the columns that the queries read. SQL on the engine cannot reach files."""
    named_weights = _read_named_weights(task)
    with _database(task) if task.database else _files(task, queries) as (engine, gold):
        check_kinds(engine, (gold, *task.corpora), task.kind)
        if task.kind == loading.ALIGNMENT:
            _check_links(engine, gold, task)
        if task.classes:
            relation_tables.install_classes(engine, task.classes)
        installed: dict[str, str] = {}
        if any(parameter.name == "weights" for query in queries for parameter in query.parameters):
            name, weights = named_weights or (GOLD_ENTROPIES, _entropies(engine, gold))
            if weights:
                installed["weights"] = relation_tables.install_weights(engine, name, weights)
        for warning in _find_relation_warnings(engine, task.distinct_corpora, queries, installed):
            task.warn(warning)
        if task.rules:
            installed["rules"] = evalb_parameters.install_rules(engine, task.rules, task.warn)
        yield OpenInputs(engine, gold, installed)


def check_kinds(engine: Engine, corpora: Sequence[str], kind: str) -> None:
    """Raises UsageError if a corpus is of another kind than the metrics."""
    kinds = dict(engine.rows("SELECT corpus, kind FROM corpora"))
    for corpus in corpora:
        if kinds.get(corpus, kind) != kind:
            raise UsageError(
                f"{corpus} has {describe_kind(kinds[corpus])}, and these scores compare {describe_kind(kind)}"
            )


def check_single_roots(engine: Engine, corpus: str, task: Task) -> None:
    """Warn of sentences with several roots in a loaded corpus. Raises InvalidInput if the task is strict."""
    found = statistics.run_query(engine, catalog.query("several_roots"), {"tree_corpus": corpus}).to_pylist()
    if not found:
        return
    names = [row["sent_id"] or f"line {row['line']}" for row in found[:MAX_NAMED]] + ["..."] * (len(found) > MAX_NAMED)
    what = f"{len(found)} sentence{'s' if len(found) > 1 else ''} with several roots: {', '.join(names)}"
    file, line = found[0]["file"], found[0]["line"]
    if task.strict:
        raise InvalidInput([Diagnostic.error(file, line, what, "give one word HEAD 0, or score without --strict")])
    task.warn(Diagnostic.warning(file, line, what, "they are scored as they are; --strict refuses them"))


@contextmanager
def _database(task: Task) -> Iterator[tuple[Engine, str]]:
    if task.form or task.permissive:
        raise UsageError("options for reading files (--from, --permissive) cannot be combined with --db")
    how = task.alignments
    if how.gold_form or any(Notation() != one for one in (how.notation, how.gold_notation)):
        raise UsageError("options for reading links (--base, --reverse, ...) cannot be combined with --db")
    assert task.database
    with open_database(task.database, read_only=True, safe=True) as engine:
        for corpus in dict.fromkeys((task.gold, *task.systems)) if task.kind == DEPENDENCY_KIND else ():
            check_single_roots(engine, corpus, task)
        yield engine, task.gold


@contextmanager
def _files(task: Task, queries: Sequence[catalog.Query]) -> Iterator[tuple[Engine, str]]:
    files = _plan_loads(task)
    options = Options(task.permissive, task.strict, columns_needed(task, queries))
    words = catalog.words(f"{task.by or ''} {task.where or ''}".lower())
    named = None if catalog.contains_query(task.where) else catalog.words_of_queries(queries) | words
    try:
        engine, loaded = in_memory.load_into_memory(files, options, named)
    except InvalidInput as error:
        raise _with_gold_options(error, task) from None
    with engine:
        for warning in loading.distinct_warnings(loaded):
            task.warn(warning)
        yield engine, task.gold_corpus


def _with_gold_options(error: InvalidInput, task: Task) -> InvalidInput:
    """The faults of alignments, with the options of the gold file (--gold-base) in hints about it."""
    if task.kind != loading.ALIGNMENT or task.gold in task.systems:
        return error
    path = "<stdin>" if task.gold == STANDARD_INPUT else task.gold
    return InvalidInput(
        [replace(one, hint=one.hint.replace("--", "--gold-")) if one.path == path else one for one in error.faults]
    )


def _plan_loads(task: Task) -> list[loading.CorpusFiles]:
    """The files of a task, including the texts whose words are linked."""
    how = task.alignments
    files = []
    for corpus, path in zip(task.corpora, task.systems, strict=True):
        files += loading.plan_loads([path], corpus, task.form, notation=how.notation, kind=task.kind)
    form = how.gold_form if task.kind == loading.ALIGNMENT else task.form
    notation = _gold_notation(task, readers.format_of([task.gold], form, task.kind), {one.form for one in files})
    reference = loading.plan_loads([task.gold], task.gold_corpus, form, notation=notation, kind=task.kind)
    for corpus, path in task.texts.items():
        files += loading.plan_loads([path], TEXTS[corpus], kind=readers.TEXT)
    return [*reference, *files]


def _gold_notation(task: Task, form: str, forms: Collection[str]) -> Notation:
    """The notation of the gold file; without a base of its own, it has that of systems' files of the same format."""
    notation = task.alignments.gold_notation
    if notation.base is None and form in forms:
        return replace(notation, base=task.alignments.notation.base)
    return notation


def _check_links(engine: Engine, gold: str, task: Task) -> None:
    """Warn of alignments that are probably misread. Raises InvalidInput for links outside the texts."""
    texts = {name: text if task.database else TEXTS[name] for name, text in task.texts.items()}
    kinds = dict(engine.rows("SELECT corpus, kind FROM corpora"))
    for text in texts.values():
        if text not in kinds:
            raise UnknownName("corpus", text, kinds)
        if kinds[text] == loading.ALIGNMENT:
            raise UsageError(f"{text} has links; name the text whose words are linked")
    forms = dict(engine.rows("SELECT corpus, format FROM corpora"))
    names = task.corpora
    for corpus in (gold, *names):
        if corpus not in forms:
            raise UnknownName("corpus", corpus, forms)
    of_gold, of_systems = _gold_notation(task, forms[gold], {forms[name] for name in names}), task.alignments.notation
    if texts:
        for corpus, notation, of in [(gold, of_gold, "gold-"), *((name, of_systems, "") for name in names)]:
            others = {} if task.database else link_checks.other_readings(forms[corpus], notation, of)
            link_checks.check_links(engine, corpus, texts.get("source"), texts.get("target"), others)
    for name in names:
        others = (
            link_checks.readings_of_loaded()
            if task.database
            else link_checks.readings_with_gold(forms[name], of_systems, forms[gold], of_gold)
        )
        found = (
            link_checks.suggest_notation(engine, gold, name, others),
            link_checks.find_extra_links(engine, gold, name),
        )
        for warning in filter(None, found):
            task.warn(warning)


def _read_named_weights(task: Task) -> tuple[str, relation_tables.Weights] | None:
    """The weights that a task names, with their name in signatures; None if it names none."""
    if not task.weights:
        return None
    loaded = task.database is not None and _are_corpora(task.database, task.weights)
    are_treebanks = [loaded or _is_treebank(one) for one in task.weights]
    if not any(are_treebanks) and len(are_treebanks) == 1:
        [path] = task.weights
        weights = relation_tables.read_weights(path)
        return relation_tables.weights_name(path), weights
    if not all(are_treebanks):
        raise UsageError("name one table of weights, or treebanks")
    query = "averaged_word_entropy"
    paths = [task.database] if loaded and task.database else task.weights
    with treebank_inputs.open_treebanks(
        paths, [query], warn=task.warn, corpora=task.weights if loaded else None
    ) as engine:
        read = sorted(cite_corpus(engine, name) for name in loading.corpus_names(engine))
        entropies = statistics.run_statistic(engine, query).rows()
        return f"{WDE}({'+'.join(read)})", _weights(entropies)


def _are_corpora(database: str, names: Sequence[str]) -> bool:
    """Whether all names are corpora of a database, or none of them is a file."""
    with open_database(database, read_only=True) as engine:
        known = loading.corpus_names(engine)
    return all(name in known for name in names) or not any(Path(name).exists() for name in names)


def _is_treebank(path: str) -> bool:
    endings = tuple(end for one in readers.formats().values() if one.kind == DEPENDENCY_KIND for end in one.suffixes)
    return Path(path).is_dir() or is_database(path) or path.removesuffix(".gz").endswith(endings)


def _entropies(engine: Engine, corpus: str) -> relation_tables.Weights:
    return _weights(statistics.run_statistic(engine, "word_entropy", {"corpus_name": corpus}).rows())


def _weights(entropies: Sequence[Mapping[str, Any]]) -> relation_tables.Weights:
    return [(row["relation"], row["wde"]) for row in entropies]


def _find_relation_warnings(
    engine: Engine,
    corpora: Sequence[str],
    queries: Sequence[catalog.Query],
    installed: Mapping[str, str],
) -> Iterator[Diagnostic]:
    """Warnings of relations without a class, and of gold relations without a weight in a table of weights."""
    if any("relation_classes" in query.sources for query in queries):
        for corpus in corpora:
            yield from treebank_warnings.find_unclassified_relations(engine, corpus_name=corpus)
    if installed.get("weights", GOLD_ENTROPIES) != GOLD_ENTROPIES:
        yield from treebank_warnings.find_unweighted_relations(engine, installed["weights"], corpus_name=corpora[0])
