"""Plain text: a sentence a line, words between blanks. An empty line is an empty sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from treesql import tables
from treesql.kernels import links as lines
from treesql.kernels import text as kernel
from treesql.kernels.text import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.fields import Field, Text, no_comments, numbers, repeated
from treesql.readers.limits import refuse_long
from treesql.readers.mending import mended
from treesql.readers.source import Source

SUFFIXES = (".txt", ".text", ".tok")
KIND = "text"

Columns = dict[str, pa.Array | Ints | Flags]


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lines of a file, chunk by chunk. Raises InvalidInput."""
    faults, line = Faults(source.name), 1
    for chunk in source.chunks(cut_of=lambda block: block.rfind(b"\n") + 1, limit=options.max_sentence):
        data = mended(chunk.data, line, chunk.last, faults, returns=False)
        if not data:
            continue
        text = Text(data if data.endswith(b"\n") else data + b"\n")
        found = lines.find_fields(text.raw)
        refuse_long(found[2], line + np.arange(len(found[2])), options.max_sentence, faults)
        if not faults.found:
            yield _batch(text, found, line, source.name, state, options)
        line += text.data.count(b"\n")
    if line == 1 and not faults.found:
        faults.add(0, "the file is empty", "give a file with a line for every sentence")
    faults.raise_any()


def _batch(text: Text, found: tuple[Ints, Ints, Ints], line: int, path: str, state: State, options: Options) -> Batch:
    """The rows of a run of lines; `state` counts on. found: where words start, their lengths, how many a line has."""
    starts, lengths, n_words = found
    made = {"sentences": _sentences(text, n_words, line, path)}
    if options.wants("words"):
        made["words"] = _words(text, (starts, lengths), n_words, line, state, options)
    batch = {name: _record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += len(n_words)
    return batch


def _sentences(text: Text, n_words: Ints, line: int, path: str) -> Columns:
    n = len(n_words)
    ends = np.flatnonzero(text.raw == kernel.NEWLINE)
    starts = np.append(0, ends[:-1] + 1)
    return {
        "sentence": np.arange(n),
        "text": text.strings((starts, ends - starts)),
        "comments": no_comments(n),
        "file": repeated(path, n),
        "line": line + np.arange(n),
        "n_words": n_words,
    }


def _words(text: Text, form: Field, n_words: Ints, line: int, state: State, options: Options) -> Columns:
    sentence = np.repeat(np.arange(len(n_words)), n_words)
    columns: Columns = {
        "sentence": sentence,
        "word": lines.positions_in_line(n_words) + 1,
        "form": text.strings(form),
        "deprel": pa.nulls(len(sentence), pa.string_view()),  # from which udeprel is computed
        "multiword": np.zeros(len(sentence), dtype=bool),
        "line": line + sentence,
    }
    if options.wants("words", "span_start") or options.wants("words", "span_end"):
        width = kernel.count_characters(kernel.uncounted_bytes(text.raw), *form)
        ends = state.characters + np.cumsum(width)
        state.characters += int(width.sum())
        columns |= {"span_start": ends - width, "span_end": ends}
    return columns


def _record_batch(table: str, columns: Columns, state: State, options: Options) -> pa.RecordBatch:
    """The columns that are wanted, in the table's order; `sentence` counts on from the sentences before."""
    wanted = None if options.columns is None else options.columns.get(table, frozenset())
    fields = [field for field in tables.table(table).arrow_schema(wanted) if field.name in columns]
    columns["sentence"] = columns["sentence"] + state.sentences
    values = [(columns[field.name], field.type) for field in fields]
    arrays = [numbers(found, kind) if isinstance(found, np.ndarray) else found for found, kind in values]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
