"""Newick trees: `((raccoon:0.2,bear)x,'sea lion');`, leaf-labelled trees of any kind. Every leaf is a word.

Source: Felsenstein et al. 1986, The Newick tree format,
https://evolution.genetics.washington.edu/phylip/newicktree.html.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.constituents.phrases import TreeChunk, tree_batch
from treesql.readers.fields import Faults, Field, FilePosition, Text, clean_text, refuse_long
from treesql.readers.source import Source

if TYPE_CHECKING:
    from treesql.kernels.scanning.newick import NewickScan

SUFFIXES = (".nwk", ".newick", ".tree", ".tre")
KIND = "constituency"

# By kind of fault, in the order of treesql.kernels.scanning.newick: what is wrong (`{}` is the text there) and what to
# do.
FAULTS = (
    ("a leaf without a name", "name every leaf, and remove extra commas and brackets"),
    ("expected a comma, a bracket or `;`, found {}", "put names with blanks or signs in single quotes"),
    ("a comma outside of all brackets", "put a bracket around the whole tree"),
    ("`)` closes no bracket", "remove it, or open its bracket"),
    ("this tree has a bracket that is not closed", "close it before the `;`"),
    ("no `;` ends this tree", "end every tree with `;`; the file may be cut off"),
    ("a branch length that is not a number", "write it as 0.25 or 1e-3, or leave it out with its colon"),
    ("a quoted name that is not closed in its line", "close it with `'`; write `''` for a `'` in it"),
    ("a comment that is not closed", "close it with `]`"),
    ("`]` closes no comment", "put names with brackets in single quotes"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The trees of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels.scanning import newick  # here, as few commands need it

    faults = Faults(source.name)
    position = FilePosition()
    n_trees, quoted, comments = 0, False, 0

    def cut(block: bytes) -> int:
        nonlocal quoted, comments
        place, quoted, comments = newick.find_split(np.frombuffer(block, dtype=np.uint8), quoted, comments)
        return place

    for chunk in source.chunks(cut_of=cut, limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults, returns=False)
        position.begin_chunk(data)
        if not n_trees and data.lstrip()[:6].upper() == b"#NEXUS":
            faults.add(1, "this is a NEXUS file", "write its trees in Newick's notation, one a line")
            break
        scan = newick.scan(np.frombuffer(data, dtype=np.uint8), position.line)
        n_trees += len(scan.line)
        for kind, offset in scan.faults.tolist():
            line, column = position.line_and_column(offset)
            what, hint = FAULTS[kind]
            faults.add(line, what.replace("{}", _shown(data, offset)), hint, column)
        refuse_long(np.diff(scan.leaf_offsets), scan.line, options.max_sentence, faults)
        trees = _trees(scan, data)
        if not len(scan.faults):
            _check_names(trees, scan.form_start, position, faults)
        if faults.full:
            break
        if not faults.found and len(scan.line):
            yield tree_batch(trees, source.name, state, options)
    if not n_trees and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one tree")
    faults.raise_any()


def _trees(scan: NewickScan, data: bytes) -> TreeChunk:
    form, label = (scan.form_start, scan.form_length), (scan.label_start, scan.label_length)
    data, form = _unquoted(data, form, scan.form_quoted == 1)
    data, label = _unquoted(data, label, scan.label_quoted == 1)
    return TreeChunk(
        text=Text(data),
        line=scan.line,
        leaf_offsets=scan.leaf_offsets,
        node_offsets=scan.node_offsets,
        form=form,
        phrase=scan.phrase,
        leaf_line=scan.leaf_line,
        label=label,
        parent=scan.parent,
        first=scan.first,
        last=scan.last,
        depth=scan.depth,
        spaced=True,
    )


def _unquoted(data: bytes, names: Field, which: Flags) -> tuple[bytes, Field]:
    """Names with `'` for `''`, which are put behind the data."""
    starts, lengths = names[0].copy(), names[1].copy()
    end = len(data)
    more = []
    for at in np.flatnonzero(which).tolist():
        name = data[starts[at] : starts[at] + lengths[at]].replace(b"''", b"'")
        starts[at], lengths[at] = end, len(name)
        more.append(name)
        end += len(name)
    return b"".join([data, *more]), (starts, lengths)


def _check_names(trees: TreeChunk, starts: Ints, position: FilePosition, faults: Faults) -> None:
    """Add a fault for the first repeated leaf of every tree. starts: of the names in the chunk."""
    names = trees.text.strings(trees.form).cast(pa.large_binary()).dictionary_encode()
    numbers = np.frombuffer(names.indices.buffers()[1], dtype=np.int32, count=len(starts)).astype(np.int64)
    tree = np.repeat(np.arange(len(trees.line)), np.diff(trees.leaf_offsets))
    keys = tree * max(len(names.dictionary), 1) + numbers
    again = np.ones(len(keys), dtype=bool)
    again[np.unique(keys, return_index=True)[1]] = False
    here = np.flatnonzero(again)
    for leaf in here[np.unique(tree[here], return_index=True)[1]].tolist():
        if faults.full:
            return
        line, column = position.line_and_column(int(starts[leaf]))
        name = trees.text.quote(trees.form, leaf)
        faults.add(line, f"{name} is the name of two leaves of this tree", "give every leaf its own name", column)


def _shown(data: bytes, offset: int) -> str:
    """What stands at a place, up to a sign or a blank, for an error message."""
    end = offset + 1
    while end < len(data) and data[end] not in b" \t\n()[]:;,'":
        end += 1
    return Text(data).quote((np.array([offset]), np.array([end - offset])), 0)
