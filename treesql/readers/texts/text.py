"""Plain text: a sentence a line, words between blanks. An empty line is an empty sentence.

With ids, the first or the last word of a line is the sentence's `sent_id`, and none of its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from treesql.catalog import schemas
from treesql.kernels.arrays import Flags, Ints, positions_in_list
from treesql.kernels.scanning import links as lines
from treesql.kernels.scanning import text as kernel
from treesql.readers import FIRST, LAST, Batch, Options, State, describe_times
from treesql.readers.fields import (
    Faults,
    Field,
    Text,
    clean_text,
    list_array,
    no_comments,
    numbers,
    refuse_long,
    repeated,
    strings_of,
)
from treesql.readers.source import Source
from treesql.readers.texts.ids import Ids, LikelyIds, LinesWithIds, find_lines, ids_at_one_end

SUFFIXES = (".txt", ".text", ".tok")
KIND = "text"

Columns = dict[str, pa.Array | Ints | Flags]


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lines of a file, chunk by chunk. Raises InvalidInput."""
    if options.ids in (FIRST, LAST):
        hint = f"check whether the {options.ids} word of every line is its id, and give every sentence one of its own"
        yield from read_with_ids(source, state, options, partial(ids_at_one_end, where=options.ids), hint)
        return
    faults, likely = Faults(source.name), LikelyIds()
    for text, line in _texts(source, faults, options):
        timed = describe_times(source.head) if line == 1 and options.ids is None else None
        if timed is not None:
            faults.add(1, *timed)
            break
        fields = lines.find_fields(text.raw)
        if options.ids is None:
            likely.add(text, fields[:2], fields[2])
        refuse_long(fields[2], line + np.arange(len(fields[2])), options.max_sentence, faults)
        if not faults.found:
            places = np.arange(len(fields[2]))
            whole = LinesWithIds(places, (places, np.zeros_like(places)), find_lines(text.raw))
            yield _batch(text, whole, fields, line + places, source.name, state, options)
    faults.raise_any()
    state.warnings += likely.warnings(source.name)


@dataclass(frozen=True)
class MadeLines:
    """Sentences that a reader has put together: the words of each on a line, their ids, line numbers and comments."""

    data: bytes
    ids: Sequence[str]
    line: Sequence[int]
    comments: Sequence[Sequence[str]]


def batch_of_lines(made: MadeLines, path: str, state: State, options: Options, faults: Faults) -> Batch:
    """The rows of sentences; those that are too long are faults."""
    text = Text(made.data + "".join(made.ids).encode() + b"\n")
    starts, lengths, counts = lines.find_fields(np.frombuffer(made.data, dtype=np.uint8))
    line = np.array(made.line, dtype=np.int64)
    refuse_long(counts, line, options.max_sentence, faults)
    widths = np.array([len(sent_id.encode()) for sent_id in made.ids], dtype=np.int64)
    ids = len(made.data) + np.cumsum(widths) - widths, widths
    whole = LinesWithIds(np.arange(len(line)), ids, find_lines(np.frombuffer(made.data, dtype=np.uint8)))
    comments = list_array(
        np.cumsum([0, *map(len, made.comments)]), strings_of([text for comments in made.comments for text in comments])
    )
    return _batch(text, whole, (starts, lengths, counts), line, path, state, options, comments)


def read_with_ids(
    source: Source,
    state: State,
    options: Options,
    cut: Callable[..., LinesWithIds],
    hint: str,
    prepare: Callable[[bytes, int, Faults], bytes] = lambda data, line, faults: data,
) -> Iterator[Batch]:
    """The lines of a file that have ids. Raises InvalidInput.

    cut: called with a chunk, `line`, the number of its first line, and `faults`. hint: what to do where an id stands
    twice. prepare: what is taken off a chunk before, of which all lines stay.
    """
    faults, ids, n_lines = Faults(source.name), Ids(), 0
    for text, line in _texts(source, faults, options, prepare):
        lines_with_ids = cut(text, line=line, faults=faults)
        n_lines += len(lines_with_ids.places)
        if faults.full:
            break
        if faults.found or not len(lines_with_ids.places):
            continue
        ids.add(text, lines_with_ids.ids, line + lines_with_ids.places)
        starts, lengths, counts = lines.find_fields(lines_with_ids.only_words(text.raw))
        refuse_long(counts[lines_with_ids.places], line + lines_with_ids.places, options.max_sentence, faults)
        if faults.found:
            continue
        fields = (starts, lengths, counts[lines_with_ids.places])
        yield _batch(text, lines_with_ids, fields, line + lines_with_ids.places, source.name, state, options)
    if not faults.found:
        ids.check(faults, hint)
    if not n_lines and not faults.found:
        faults.add(0, "the file has no sentence", "give a file with a line for every sentence")
    faults.raise_any()


def _texts(
    source: Source,
    faults: Faults,
    options: Options,
    prepare: Callable[[bytes, int, Faults], bytes] = lambda data, line, faults: data,
) -> Iterator[tuple[Text, int]]:
    """The runs of whole lines of a file, and the number of the first line of each; an empty file is a fault."""
    line = 1
    for chunk in source.chunks(cut_of=lambda block: block.rfind(b"\n") + 1, limit=options.max_sentence):
        data = clean_text(chunk.data, line, chunk.last, faults, returns=False)
        if not data:
            continue
        text = Text(prepare(data if data.endswith(b"\n") else data + b"\n", line, faults))
        yield text, line
        line += text.data.count(b"\n")
    if line == 1 and not faults.found:
        faults.add(0, "the file is empty", "give a file with a line for every sentence")


def _batch(
    text: Text,
    lines_with_ids: LinesWithIds,
    fields: tuple[Ints, Ints, Ints],
    line: Ints,
    path: str,
    state: State,
    options: Options,
    comments: pa.Array | None = None,
) -> Batch:
    """The rows of some lines; `state` counts on.

    fields: their words, and how many each line has; line: their numbers; comments: None for none.
    """
    starts, lengths, n_words = fields
    made = {"sentences": _sentences(text, lines_with_ids, n_words, line, path, comments)}
    if options.wants("words"):
        made["words"] = _words(text, (starts, lengths), n_words, line, state, options)
    batch = {name: _record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += len(n_words)
    return batch


def _sentences(
    text: Text, lines_with_ids: LinesWithIds, n_words: Ints, line: Ints, path: str, comments: pa.Array | None
) -> Columns:
    n = len(n_words)
    columns: Columns = {
        "sentence": np.arange(n),
        "text": text.strings(lines_with_ids.rest),
        "comments": no_comments(n) if comments is None else comments,
        "file": repeated(path, n),
        "line": line,
        "n_words": n_words,
    }
    return columns | {"sent_id": text.strings(lines_with_ids.ids)} if lines_with_ids.ids[1].any() else columns


def _words(text: Text, form: Field, n_words: Ints, line: Ints, state: State, options: Options) -> Columns:
    sentence = np.repeat(np.arange(len(n_words)), n_words)
    columns: Columns = {
        "sentence": sentence,
        "word": positions_in_list(n_words) + 1,
        "form": text.strings(form),
        "deprel": pa.nulls(len(sentence), pa.string_view()),  # from which udeprel is computed
        "multiword": np.zeros(len(sentence), dtype=bool),
        "line": line[sentence],
    }
    if options.wants("words", "span_start") or options.wants("words", "span_end"):
        width = kernel.count_characters(kernel.utf8_continuation_bytes(text.raw), *form)
        ends = state.characters + np.cumsum(width)
        state.characters += int(width.sum())
        columns |= {"span_start": ends - width, "span_end": ends}
    return columns


def _record_batch(table: str, columns: Columns, state: State, options: Options) -> pa.RecordBatch:
    """The columns that are wanted, in the table's order; `sentence` counts on from the sentences before."""
    wanted = None if options.columns is None else options.columns.get(table, frozenset())
    fields = [field for field in schemas.table(table).arrow_schema(wanted) if field.name in columns]
    columns["sentence"] = columns["sentence"] + state.sentences
    values = [(columns[field.name], field.type) for field in fields]
    arrays = [
        numbers(values_of_column, kind) if isinstance(values_of_column, np.ndarray) else values_of_column
        for values_of_column, kind in values
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
