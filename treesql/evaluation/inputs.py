"""Open the inputs of a task on one engine: the corpora of all roles, from files, a database or an open engine.

Of data frames, sentences are paired by their numbers: metrics ask for the columns that they compare, words without
forms have those of the same text, and errors cite sentences by the numbers that frames have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from treesql import catalog, kernels, readers, significance
from treesql.catalog import kinds
from treesql.catalog.kinds import Role
from treesql.engines import Engine
from treesql.engines.duckdb import DuckDB
from treesql.engines.duckdb_files import open_database
from treesql.errors import (
    Diagnostic,
    Incomparable,
    InvalidInput,
    UnknownName,
    UsageError,
    first_names,
    not_applicable,
)
from treesql.evaluation.task import (
    EMPTY_REFERENCES,
    Input,
    Inputs,
    Task,
    check_inputs,
    columns_named,
    columns_needed,
    corpus_names,
    notation_of,
    with_attributes,
    words_named,
)
from treesql.kernels.arrays import Flags, Ints
from treesql.readers import CTM, DEPENDENCY, FIRST, LAST, STM, TEXT, WITHOUT_WORDS, Options, describe_kind
from treesql.readers.frames import Frames, constant
from treesql.readers.source import STANDARD_INPUT
from treesql.runtime.arrays import integers
from treesql.scoring import scores
from treesql.scoring.items import column_of, correspond_by_id, declared_values, records_of
from treesql.storage import corpus_plans, loading, precompiling
from treesql.storage.corpus_plans import CorpusFiles
from treesql.storage.frames import rows_of_frames


@contextmanager
def open_inputs(task: Task, queries: Sequence[catalog.Query], columns: Sequence[str] = ()) -> Iterator[Inputs]:
    """Open the corpora of a task with the columns that the queries read. SQL on the engine cannot reach files.

    columns: further columns to read. Raises UsageError, UnknownName, InvalidInput, DatabaseError.
    """
    check_inputs(task)
    hook = task.hook
    check_options(task, queries)
    hook.check(task)
    prepared = task.prepared or hook.prepare(task)
    wide, corpora = replace(task, read=(*task.read, *columns)), corpus_names(task)
    with (
        citing_own_numbers(task) if task.frames else nullcontext(),
        _open(wide, queries, corpora) as engine,
        engine.restoring() if task.database is engine and task.options else nullcontext(),
    ):
        inputs = Inputs(task, engine, corpora)
        check_kinds(inputs)
        if task.database is not None:
            trees = (corpus for role, corpus in inputs.by_role if role.reads == "dependency")
            for corpus in dict.fromkeys(trees):
                _check_single_roots(engine, corpus, task)
        check_ids(inputs, queries)
        warn_of_empty_references(inputs, queries)
        inputs = replace(inputs, installed=hook.install(inputs, queries, prepared))
        hook.warn(inputs, queries)
        yield inputs


def check_options(task: Task, queries: Sequence[catalog.Query]) -> None:
    """Raises UsageError for options of the kind's hook on which no query depends."""
    used = task.hook.used_options(queries) | {parameter.name for query in queries for parameter in query.parameters}
    unused = [f"--{name}" for name in task.options if name not in used]
    if unused:
        raise not_applicable(unused, ", ".join(query.name for query in queries))


def check_kinds(inputs: Inputs) -> None:
    """Raises UnknownName for a corpus that does not exist, UsageError for one of another kind than its role reads."""
    loaded = records_of(inputs.engine)
    for role, corpus in inputs.by_role:
        if corpus not in loaded:
            raise UnknownName("corpus", corpus, loaded)
        check_kind(corpus, loaded[corpus].kind, role)


def is_read_by(role: Role, kind: str) -> bool:
    """Whether a role reads corpora of a kind."""
    return kind not in WITHOUT_WORDS if role.reads == kinds.WORDS else kind == role.reads


def check_kind(corpus: str, kind: str, role: Role) -> None:
    """Raises UsageError for a corpus of another kind than its role reads."""
    if not is_read_by(role, kind):
        expected = "words" if role.reads == kinds.WORDS else describe_kind(role.reads)
        raise UsageError(f"{corpus} has {describe_kind(kind)}, and {role.name} is for {expected}{_suggest_kind(kind)}")


def _suggest_kind(reads: str) -> str:
    """The kind of evaluation whose systems are corpora of a kind, for the end of a message; empty if there is none."""
    for kind in kinds.all_kinds().values():
        if {role.reads for role in kind.roles if not role.option} == {reads}:
            return f"; those are scored by `treesql score {kind.name}`"
    return ""


def _check_single_roots(engine: Engine, corpus: str, task: Task) -> None:
    """Warn of sentences with several roots in a loaded corpus. Raises InvalidInput if the task is strict."""
    sentences = scores.run_query(engine, catalog.query("several_roots"), {"tree_corpus": corpus}).to_pylist()
    if not sentences:
        return
    names = first_names([row["sent_id"] or f"line {row['line']}" for row in sentences])
    what = f"{len(sentences)} sentence{'s' if len(sentences) > 1 else ''} with several roots: {names}"
    file, line = sentences[0]["file"], sentences[0]["line"]
    if task.reading.strict:
        raise InvalidInput([Diagnostic.error(file, line, what, "give one word HEAD 0, or score without --strict")])
    task.warn(Diagnostic.warning(file, line, what, "they are scored as they are; --strict refuses them"))


def check_ids(inputs: Inputs, queries: Sequence[catalog.Query]) -> None:
    """Raises UsageError where systems have their sentences in different orders. Warns of ids that are read as words."""
    if not correspond_by_id(queries):
        return
    systems, references = inputs.by_side(kinds.SYSTEM), inputs.by_side(kinds.GOLD)
    significance.correspondence.check_one_order(inputs.engine, systems, references)
    if inputs.task.reading.ids is None:
        read_now = inputs.task.database is None
        for warning in significance.correspondence.find_likely_ids(
            inputs.engine, systems, references, read_now=read_now
        ):
            inputs.task.warn(warning)


def warn_of_empty_references(inputs: Inputs, queries: Sequence[catalog.Query]) -> None:
    """Warn of references that are empty beside others of the sentence, where a query takes these for references."""
    declared = {parameter.name for query in queries for parameter in query.parameters}
    if EMPTY_REFERENCES not in declared or inputs.task.parameters.get(EMPTY_REFERENCES, "count") != "count":
        return
    references = inputs.of_role("reference")
    if len(references) < 2:
        return
    [numbered, *_] = inputs.by_side(kinds.SYSTEM)
    values = {**inputs.corpus_values(inputs.systems[0]), "numbered_as": numbered}
    query = catalog.query("partly_empty_references")
    sentences = scores.run_query(inputs.engine, query, declared_values(query, values))["sentence"].to_pylist()
    if sentences:
        noun = "sentence has" if len(sentences) == 1 else "sentences have"
        what = f"{len(sentences)} {noun} an empty reference beside others, the first is {min(sentences) + 1}"
        hint = "--empty-references missing leaves it out"
        inputs.task.warn(Diagnostic.warning(", ".join(references), 0, f"{what}; it counts as a reference", hint))


def _open(task: Task, queries: Sequence[catalog.Query], corpora: Mapping[Input, str]) -> AbstractContextManager[Engine]:
    if isinstance(task.database, str):
        expect_kernels(words_run(task, queries))
        return open_database(task.database, read_only=True, safe=True)
    return _load_files(task, queries, corpora) if task.database is None else nullcontext(task.database)


def expect_kernels(words: frozenset[str] | None, forms: Set[str] = frozenset()) -> None:
    """Have kernels that SQL of these words and readers of these formats call compiled together, once one is missing."""
    kernels.when_missing[:] = [partial(precompiling.compile_expected, words, forms)]


def _load_files(task: Task, queries: Sequence[catalog.Query], corpora: Mapping[Input, str]) -> DuckDB:
    files = plan_loads(task, corpora)
    words = words_run(task, queries)
    expect_kernels(words, {corpus_files.form for corpus_files in files})
    options = options_of(task, queries)
    if task.frames:
        prepare_frames(task, queries, files, options)
    try:
        engine, _ = loading.load_into_memory(files, options, words, warn=task.warn, lent=task.where is None)
    except InvalidInput as error:
        raise with_own_options(error, task) from None
    return engine


def options_of(task: Task, queries: Sequence[catalog.Query], *, aligning: bool = True) -> Options:
    """How the files of a task are read, with the columns that queries read. aligning: as for `catalog.columns_read`."""
    columns = columns_needed(task, queries, aligning=aligning)
    return replace(task.reading, columns=columns, max_sentence=readers.default_max_sentence())


def words_run(task: Task, queries: Sequence[catalog.Query], *, aligning: bool = True) -> frozenset[str] | None:
    """The words of the SQL that a task runs; None where its condition may name anything."""
    if catalog.contains_query(task.where):
        return None
    words = catalog.words(f"{' '.join(task.by)} {task.where or ''}".lower()).union(words_named(task), task.read)
    return catalog.words_of_queries(with_attributes(task, queries), aligning=aligning) | words


def plan_loads(task: Task, corpora: Mapping[Input, str]) -> list[corpus_plans.CorpusFiles]:
    """The files of a task, those that all systems share first. Raises InvalidInput, UnknownName, UsageError."""
    reading = task.reading
    planned_files: list[corpus_plans.CorpusFiles] = []
    for task_input in task.inputs:
        form = _format(task, task_input.role)
        kind = TEXT if task_input.role.reads == kinds.WORDS else task_input.role.reads
        notation = None
        if task_input.role.is_alignment:
            notation = notation_of(task, task_input.role, readers.format_of([task_input.path], form, kind))
        planned = corpus_plans.plan_loads([task_input.path], corpora[task_input], form, notation=notation, kind=kind)
        for files in planned:
            scores = None if task_input.role.reads == kinds.WORDS else reading.scores  # words have none
            readers.check_options(files.form, Options(scores=scores, ids=reading.ids if files.form == TEXT else None))
        planned_files += [replace(files, segments=_segments(task, task_input, files.form)) for files in planned]
    if reading.ids in (FIRST, LAST) and not any(files.form == TEXT for files in planned_files):
        raise UsageError(f"--ids {reading.ids} is for plain texts, and none of these files is one")
    return planned_files


def _segments(task: Task, task_input: Input, form: str) -> str | None:
    """The reference in segments with times, `.stm`, that the words of a system with times are cut by; None without.

    Raises UsageError for a system in segments whose reference has words with times: the one is given for the other.
    """
    if form not in (CTM, STM) or task_input.role.side != kinds.SYSTEM:
        return None
    gold = [other for other in task.inputs if other.role.side == kinds.GOLD and other.role.reads == kinds.WORDS]
    of_form = {readers.format_of([other.path], _format(task, other.role), TEXT): other for other in reversed(gold)}
    if form == STM and CTM in of_form and STM not in of_form and task.reading.ids is None:
        other = of_form[CTM]
        what = (
            f"{task_input.path} has segments, as references do (.stm), "
            f"and {other.path} words with times, as systems do (.ctm)"
        )
        raise UsageError(f"{what}: they look exchanged; give {task_input.path} as the {other.role.name}")
    return of_form[STM].path if STM in of_form else None


def _format(task: Task, role: Role) -> str | None:
    """The format of a role's files, None for that of their ending."""
    if role.checked:
        return None
    return task.reading.formats.get(role.format) or task.kind.usual_format


def with_own_options(error: InvalidInput, task: Task) -> InvalidInput:
    """The faults of alignments, with the options of their role (--gold-base) in the hints."""
    systems = {task_input.path for task_input in task.inputs if task_input.system is not None}
    prefixes: dict[str, str] = {}
    for task_input in task.inputs:
        if task_input.role.is_alignment and task_input.role.notation and task_input.path not in systems:
            path = "<stdin>" if task_input.path == STANDARD_INPUT else task_input.path
            prefixes[path] = f"--{task_input.role.notation.replace('_', '-')}"
    return InvalidInput(
        [replace(fault, hint=fault.hint.replace("--", prefixes.get(str(fault.path), "--"))) for fault in error.faults]
    )


_BASE = ("head", "deprel")
"""Columns of words that all metrics of dependency trees read."""

_OPEN = "_"
"""The form of words whose forms nothing compares."""


def prepare_frames(
    task: Task, queries: Sequence[catalog.Query], files: Sequence[CorpusFiles], options: Options
) -> None:
    """Check that frames have the columns that a task compares, and give words without forms some.

    files: what is read of each input, in their order. Raises InvalidInput, Incomparable.
    """
    trees = {
        task_input: (task_input.path, planned)
        for task_input, planned in zip(task.inputs, files, strict=True)
        if isinstance(task_input.path, Frames)
        and task_input.path.kind == DEPENDENCY
        and task_input.role.reads == DEPENDENCY
    }
    needed = list(_find_needed(task, queries)) if trees else []
    for framed, _ in trees.values():
        columns = framed.tables["words"].column_names
        lacking = {reader for column, reader in needed if column not in columns}
        names = [query.name for query in queries]
        others = ", ".join(name for name in names if name not in lacking) if lacking <= set(names) else ""
        for column, reader in dict(needed).items():
            if column not in columns:
                raise framed.fault(
                    f"there is no column {column}, which {reader} reads",
                    f"add it{f', or name the scores without it by --metric: {others}' if others else ''}",
                )
    for task_input, (framed, _) in trees.items():
        if framed.lacks_forms and options.wants("words", "form"):
            framed.forms = _forms_for(task, task_input, framed, files, options)


def _find_needed(task: Task, queries: Sequence[catalog.Query]) -> Iterator[tuple[str, str]]:
    """The columns of words that frames have to have, each with what reads it."""
    values = {**task.kind.parameters, **task.parameters, **task.options}
    for query in queries:
        yield from (
            (column, query.name) for column in _BASE if column in catalog.columns_read([query]).get("words", ())
        )
        shown = task.choice.columns.get(query.name) if not task.tables else None
        scores = {score.name: score.counts for score in query.scores}
        summed = None if shown is None else {count for name in shown for count in scores.get(name, (name,))}
        for column, counts in query.compares:
            if (summed is None or not summed.isdisjoint(counts)) and not (column == "form" and values.get("weights")):
                yield column, query.name
        for parameter in query.parameters:
            if parameter.name == "punctuation" and values.get("punctuation", parameter.default) == "form":
                yield "form", f"{query.name} with punctuation=form"
    if "form" in {column_of(name) for name in columns_named(task)} | words_named(task):
        yield "form", "a group or condition"


def _forms_for(
    task: Task, task_input: Input, framed: Frames, files: Sequence[CorpusFiles], options: Options
) -> pa.ChunkedArray:
    """The forms of the same words in another input of the text, or open ones. Raises Incomparable for other words."""
    words = framed.tables["words"]
    own = np.searchsorted(framed.numbers, integers(words["sentence"]))
    of_text = task_input.role.name.removeprefix(task_input.role.side)
    forms = pa.chunked_array([constant(_OPEN, pa.string(), len(words))])
    for other, planned in zip(task.inputs, files, strict=True):
        same_text = other.role.side != task_input.role.side and other.role.name == f"{other.role.side}{of_text}"
        if not same_text:
            continue
        if isinstance(other.path, Frames):
            there = other.path.tables["words"]
            numbers = np.searchsorted(framed.numbers, integers(there["sentence"]))
            known = None if other.path.lacks_forms else there["form"]
        else:
            numbers, known = _words_of(planned, options)
        _check_lengths(framed, own, other.path, numbers, options)
        if known is not None:
            return known
    return forms


def _words_of(planned: CorpusFiles, options: Options) -> tuple[Ints, pa.ChunkedArray]:
    """The sentence and the form of every word in a file."""
    wanted = {"words": frozenset({"form"}), "sentences": frozenset({"n_words"})}
    of_words = [
        rows.select(["sentence", "form"])
        for table, rows in loading.rows_of_corpus(planned, replace(options, columns=wanted))
        if table.name == "words"
    ]
    rows = pa.concat_tables(of_words)
    return integers(rows["sentence"]), rows["form"].cast(pa.string())


def _check_lengths(framed: Frames, own: Ints, other: str, numbers: Ints, options: Options) -> None:
    """Raises Incomparable where sentences differ in their numbers of words; InvalidInput where they do as words of a
    frame are missing or there twice."""
    n = len(framed.numbers)
    counts, others = np.bincount(own, minlength=n), np.bincount(numbers, minlength=n)
    if len(others) > n:
        what = f"it has {n} sentences, and {other} {len(others)}"
        raise Incomparable([Diagnostic.error(framed, 0, what, "give both sides the same sentences")], 0)
    if len(unequal := np.flatnonzero(counts != others)):
        at = int(unequal[0])
        for frames, sentences in ((framed, own), (other, numbers)):
            if isinstance(frames, Frames):
                _check_numbers(frames, sentences == at, options)
        what = f"{framed.place('words', {'sentence': at})} has {counts[at]} words, and {others[at]} in {other}"
        raise Incomparable([Diagnostic.error(framed, 0, what, "give both sides the same words, or the column form")], 0)


def _check_numbers(frames: Frames, of_sentence: Flags, options: Options) -> None:
    """Raises InvalidInput if words of a sentence are not numbered 1, 2, ..."""
    words = np.sort(integers(frames.tables["words"]["word"])[of_sentence])
    if not np.array_equal(words, np.arange(1, len(words) + 1)):
        if frames.lacks_forms:
            frames.forms = pa.chunked_array([constant(_OPEN, pa.string(), len(of_sentence))])
        rows_of_frames(frames, readers.State(), options)


@contextmanager
def citing_own_numbers(task: Task) -> Iterator[None]:
    """Let errors of the block cite sentences of frames by their own numbers, where they cite lines."""
    frames = {str(framed): framed for framed in task.frames if framed.counts_lines}
    try:
        yield
    except Incomparable as error:
        if not frames:
            raise
        raise Incomparable([_with_own_number(fault, frames) for fault in error.faults], error.more) from None


def _with_own_number(fault: Diagnostic, frames: Mapping[str, Frames]) -> Diagnostic:
    def cited(match: re.Match[str]) -> str:
        return f"{match[1]}, {frames[match[1]].place('sentences', {'sentence': int(match[2]) - 1})}"

    names, framed = "|".join(map(re.escape, frames)), frames.get(str(fault.path))
    what = re.sub(rf"\b({names}):(\d+)", cited, fault.what)
    if framed is None or not fault.line:
        return replace(fault, what=what)
    return replace(fault, line=0, what=f"{framed.place('sentences', {'sentence': fault.line - 1})}: {what}")
