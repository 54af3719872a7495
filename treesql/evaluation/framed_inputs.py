"""Inputs that are data frames, whose sentences are paired by their numbers: metrics ask for the columns that they
compare, words without forms have those of the same text, and errors cite sentences by the numbers that frames have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.errors import Diagnostic, Incomparable
from treesql.evaluation.task import Input, Task, columns_named, words_named
from treesql.kernels.arrays import Ints
from treesql.readers import DEPENDENCY, Options
from treesql.readers.frames import Frames, constant
from treesql.runtime.arrays import integers
from treesql.scoring.items import column_of
from treesql.storage import loading
from treesql.storage.corpus_plans import CorpusFiles

_BASE = ("head", "deprel")
"""Columns of words that all metrics of dependency trees read."""

_OPEN = "_"
"""The form of words whose forms nothing compares."""


def prepare(task: Task, queries: Sequence[catalog.Query], files: Sequence[CorpusFiles], options: Options) -> None:
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
    needed = dict(_find_needed(task, queries)) if trees else {}
    for framed, _ in trees.values():
        for column, reader in needed.items():
            if column not in framed.tables["words"].column_names:
                raise framed.fault(
                    f"there is no column {column}, which {reader} reads", "add it, or choose other scores"
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
        _check_lengths(framed, own, other.path, numbers)
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


def _check_lengths(framed: Frames, own: Ints, other: str, numbers: Ints) -> None:
    """Raises Incomparable where sentences differ in their numbers of words."""
    n = len(framed.numbers)
    counts, others = np.bincount(own, minlength=n), np.bincount(numbers, minlength=n)
    if len(others) > n:
        what = f"it has {n} sentences, and {other} {len(others)}"
        raise Incomparable([Diagnostic.error(framed, 0, what, "give both sides the same sentences")], 0)
    if len(unequal := np.flatnonzero(counts != others)):
        at = int(unequal[0])
        what = f"{framed.place('words', {'sentence': at})} has {counts[at]} words, and {others[at]} in {other}"
        raise Incomparable([Diagnostic.error(framed, 0, what, "give both sides the same words, or the column form")], 0)


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
