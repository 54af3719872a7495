"""Lattices that a kernel scans, a lattice a line: what PLF and JSON lines have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, FilePosition, Text, clean_text
from treesql.readers.lattices import LatticeChunk, LatticeWarnings, after_last_line, lattice_batch, replace_fields
from treesql.readers.source import Source


def read_lines(
    source: Source,
    state: State,
    options: Options,
    scan: Callable[..., Any],
    told: Sequence[tuple[str, str]],
    resolved: Callable[[bytes], bytes],
    empty: str,
) -> Iterator[Batch]:
    """The lattices of a file, chunk by chunk. Raises InvalidInput.

    scan: called with a chunk's bytes and the number of its first line. told: by kind of fault, what is wrong (`{}` is
    the text there, `{other}` a node) and what to do. resolved: text without its escapes. empty: the hint for a file
    without lattices.
    """
    faults, remarks = Faults(source.name), LatticeWarnings()
    position = FilePosition()
    n_lattices = 0
    for chunk in source.chunks(cut_of=after_last_line, limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults, returns=False)
        position.begin_chunk(data)
        found = scan(np.frombuffer(data, dtype=np.uint8), position.line)
        n_lattices += len(found.line)
        for kind, offset, other in found.faults.tolist():
            line, column = position.line_and_column(offset)
            what, hint = told[kind]
            faults.add(line, what.replace("{}", _shown(data, offset)).replace("{other}", str(other)), hint, column)
        if faults.full:
            break
        if faults.found or not len(found.line):
            continue
        data, words = replace_fields(data, (found.words[0], found.words[1]), found.words[2] == 1, resolved)
        name = (found.name[0], found.name[1])
        if len(found.name) > 2:
            data, name = replace_fields(data, name, found.name[2] == 1, resolved)
        lattices = LatticeChunk(
            text=Text(data),
            line=found.line,
            name=name,
            n_nodes=found.n_nodes,
            n_finals=np.ones(len(found.line), dtype=np.int64),
            edge_offsets=found.edge_offsets,
            from_node=found.from_node,
            to_node=found.to_node,
            word_offsets=found.word_offsets,
            words=words,
            score_offsets=found.score_offsets,
            scores=(found.scores[0], found.scores[1]),
        )
        rows = lattice_batch(lattices, source.name, state, options, faults, remarks)
        if rows is not None:
            yield rows
    if not n_lattices and not faults.found:
        faults.add(0, "the file is empty", empty)
    faults.raise_any()
    state.warnings += remarks.warnings(source.name)


def _shown(data: bytes, offset: int) -> str:
    """What stands at a place, for an error message: up to a blank, a comma or a bracket."""
    text = data[offset : offset + 60].split(b"\n")[0]
    token = re.match(rb"[^\s,(){}\[\]]+|.", text, re.DOTALL)
    return f"`{token[0].decode('utf-8', 'replace')}`" if token else "the end of the line"
