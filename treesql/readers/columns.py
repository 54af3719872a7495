"""Files of ten columns, CoNLL-U and CoNLL-X: from chunks of bytes to Arrow batches, faults and warnings gathered."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from treesql.errors import FormatError
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
    line = 1
    for chunk in source.chunks():
        data = _clean(chunk, line, layout, faults)
        if not data:
            continue
        sentences = Sentences(Text(data), line, layout, options, faults)
        sentences.check()
        line += sentences.n_lines
        if faults.full:
            break
        if not faults.found:
            rows = Rows(sentences, state)
            batch = rows.batch(source.name)
            notes.add(sentences, batch["sentences"])
            yield batch
            state.sentences += sentences.n
            state.characters += rows.n_characters
    if line == 1:
        faults.add(0, "the file is empty", "give a file with at least one sentence")
    faults.raise_any()
    state.warnings += notes.warnings(source.name)


def _clean(chunk: Chunk, first: int, layout: Layout, faults: Faults) -> bytes:
    """The chunk's bytes, ready to be scanned: faults of encoding and line ends are noted and mended.

    first: number of the chunk's first line.
    """
    data = chunk.data
    if first == 1 and chunk.last and not data.strip():
        return b""
    if first == 1 and data.startswith(b"\xef\xbb\xbf"):
        faults.add(1, "the file begins with a byte order mark", "save it as UTF-8 without one")
        data = data[3:]
    if b"\r" in data and b"\r\n" in data:
        line = first + data.count(b"\n", 0, data.find(b"\r\n"))
        faults.add(line, "line ends in CR LF", "convert the file to LF line ends, for example with dos2unix")
        data = data.replace(b"\r\n", b"\n")
    invalid = Text(data).invalid_utf8()
    if invalid is not None:
        line = first + data.count(b"\n", 0, invalid)
        faults.add(
            line, f"byte 0x{data[invalid]:02x} is not UTF-8 here", "convert the file to UTF-8, for example with iconv"
        )
    if chunk.last and data and not data.endswith(b"\n\n"):
        if layout.final_blank_line:
            line = first + data.count(b"\n") - data.endswith(b"\n")
            faults.add(
                line, "no blank line follows the last sentence", "end the file with a blank line; it may be cut off"
            )
        data = data.rstrip(b"\n") + b"\n\n"
    return data


class Notes:
    """What is worth a warning in a file that is taken: several roots, cycles, sent_ids that stand twice."""

    def __init__(self) -> None:
        self._parts: list[tuple[pa.Array, pa.Array, np.ndarray, np.ndarray]] = []

    def add(self, sentences: Sentences, rows: pa.RecordBatch) -> None:
        """Note what is found in a chunk; `rows` are those of the table `sentences`."""
        self._parts.append((rows["sent_id"].cast(pa.string()), rows["line"], sentences.n_roots > 1, sentences.cyclic))

    def warnings(self, path: str) -> list[FormatError]:
        """One warning for each kind of finding."""
        if not self._parts:
            return []
        ids = pa.concat_arrays([part[0] for part in self._parts])
        lines = np.concatenate([part[1].to_numpy() for part in self._parts])
        several, cyclic = (np.concatenate([part[at] for part in self._parts]) for at in (2, 3))
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
                found.append(
                    FormatError(path, int(lines[at[0]]), f"{len(at)} {noun} {what}: {', '.join(names)}{more}", hint)
                )
        return found


def _repeated(ids: pa.Array) -> np.ndarray:
    """Which values of an array, NULL left out, stand in it before."""
    codes = pc.dictionary_encode(ids).indices
    known = np.flatnonzero(codes.is_valid().to_numpy(zero_copy_only=False))
    _, first = np.unique(codes.drop_null().to_numpy(), return_index=True)
    repeated = np.zeros(len(ids), dtype=bool)
    repeated[known] = True
    repeated[known[first]] = False
    return repeated
