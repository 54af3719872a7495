"""Files of ten columns, CoNLL-U and CoNLL-X: from chunks of bytes to Arrow batches, faults and warnings gathered."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from treesql.errors import FormatError
from treesql.kernels.text import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.faults import Faults
from treesql.readers.rows import Rows
from treesql.readers.sentences import Layout, Sentences
from treesql.readers.source import Chunk, Source
from treesql.readers.text import Text

NAMED = 5
"""So many sentences are named in a warning."""


def read_columns(source: Source, state: State, options: Options, layout: Layout) -> Iterator[Batch]:
    """The sentences of a file of this layout. Raises InvalidInput at the end if anything is wrong."""
    faults = Faults(source.name)
    notes = Notes()
    line, width, empty = 1, 0, True
    for chunk in source.chunks():
        data, cut_off = _clean(chunk, line, layout, faults)
        if not data:
            continue
        sentences = Sentences(Text(data), line, layout, options, faults, width)
        if cut_off:
            sentences.broken[-1] = True
        sentences.check()
        line, width = line + sentences.n_lines, sentences.width
        empty = empty and not (sentences.is_row | sentences.comment).any()
        if faults.full:
            break
        if not faults.found:
            rows = Rows(sentences, state)
            batch = rows.batch(source.name)
            notes.add(sentences, batch["sentences"])
            yield batch
            state.sentences += sentences.n
            state.characters += rows.n_characters
    if empty:
        faults = Faults(source.name)
        faults.add(0, "the file is empty", "give a file with at least one sentence")
    faults.raise_any()
    state.warnings += notes.warnings(source.name)


def _clean(chunk: Chunk, first: int, layout: Layout, faults: Faults) -> tuple[bytes, bool]:
    """The chunk's bytes, ready to be scanned, and whether its last sentence was cut off.

    Faults of encoding and line ends are noted, each once in a file, and mended. first: number of its first line.
    """
    data = chunk.data
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        faults.add(1, "the file begins with a byte order mark", "save it as UTF-8 without one")
        data = data[3:]
    if b"\r" in data and b"\r\n" in data:
        line = first + data.count(b"\n", 0, data.find(b"\r\n"))
        faults.add_once(line, "line ends in CR LF", "convert the file to LF line ends, for example with dos2unix")
        data = data.replace(b"\r\n", b"\n")
    invalid = Text(data).invalid_utf8()
    if invalid is not None:
        line = first + data.count(b"\n", 0, invalid)
        what = f"byte 0x{data[invalid]:02x} is not UTF-8 here"
        faults.add_once(line, what, "convert the file to UTF-8, for example with iconv", kind="UTF-8")
    if not chunk.last or not data.strip(b"\n") or data.endswith(b"\n\n"):
        return data, False
    if layout.final_blank_line:
        line = first + data.count(b"\n") - data.endswith(b"\n")
        faults.add(line, "no blank line follows the last sentence", "end the file with a blank line; it may be cut off")
    return data.rstrip(b"\n") + b"\n\n", layout.final_blank_line


class Notes:
    """What is worth a warning in a file that is taken: several roots, cycles, sent_ids that stand twice."""

    def __init__(self) -> None:
        self._ids: list[pa.Array] = []
        self._found: list[tuple[Ints, Flags, Flags]] = []

    def add(self, sentences: Sentences, rows: pa.RecordBatch) -> None:
        """Note what is found in a chunk; `rows` are those of the table `sentences`, with sent_ids or without."""
        lines = sentences.first_line + sentences.first_lines(np.arange(sentences.n))
        self._found.append((lines, sentences.n_roots > 1, sentences.cyclic))
        known = "sent_id" in rows.schema.names
        self._ids.append(rows["sent_id"].cast(pa.string()) if known else pa.nulls(sentences.n, pa.string()))

    def warnings(self, path: str) -> list[FormatError]:
        """One warning for each kind of finding."""
        if not self._ids:
            return []
        ids = pa.concat_arrays(self._ids)
        lines, several, cyclic = (np.concatenate(parts) for parts in zip(*self._found, strict=True))
        found = []
        for which, what, hint in (
            (several, "with several roots", "they are scored as they are; strict refuses them"),
            (cyclic, "whose heads form a cycle", "they have no tree index"),
            (_repeated(ids), "with a sent_id that stands before", "make every sent_id unique"),
        ):
            at = np.flatnonzero(which)
            if len(at):
                names = [str(ids[i]) if ids[i].is_valid else f"line {lines[i]}" for i in at[:NAMED].tolist()]
                more = ", ..." if len(at) > NAMED else ""
                noun = "sentence" if len(at) == 1 else "sentences"
                what = f"{len(at)} {noun} {what}: {', '.join(names)}{more}"
                found.append(FormatError(path, int(lines[at[0]]), what, hint))
        return found


def _repeated(ids: pa.Array) -> Flags:
    """Which values of an array, NULL left out, stand in it before. From buffers: `to_numpy` would import pandas."""
    codes = np.frombuffer(pc.dictionary_encode(ids).indices.buffers()[1], dtype=np.int32)[: len(ids)]
    bits = np.frombuffer(pc.is_valid(ids).buffers()[1], dtype=np.uint8)
    repeated: Flags = np.unpackbits(bits, count=len(ids), bitorder="little").astype(bool)
    known = np.flatnonzero(repeated)
    repeated[known[np.unique(codes[known], return_index=True)[1]]] = False
    return repeated
