"""Discontinuous trees in brackets, a tree a line: `(ROOT (S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John)))`.

The outermost bracket `ROOT` is the root above all phrases, parent 0 of NEGRA's export format, and no phrase itself.

Source: disco-dop, https://github.com/andreasvc/disco-dop, docs/fileformats.rst
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treesql.kernels.arrays import Ints
from treesql.readers import Batch, Options, State
from treesql.readers.constituents.phrases import PhraseNumbers, TreeChunk, tree_batch, with_prefix
from treesql.readers.fields import Faults, Field, FilePosition, Text, clean_text, refuse_long
from treesql.readers.source import Source

if TYPE_CHECKING:
    from treesql.kernels.scanning.disc_brackets import DiscBracketScan

SUFFIXES = (".discbracket", ".dbr")
KIND = "constituency"

MAX_SHOWN = 60
"""Maximum number of bytes of a text that an error message quotes."""

QUOTED = ((b"#LRB#", b"("), (b"#RRB#", b")"))
"""How round brackets in words are written."""

# By kind of fault, in the order of treesql.kernels.scanning.disc_brackets: what is wrong (`{}` is the text there,
# {index} an index) and what to do.
FAULTS = (
    ("`)` closes no bracket", "remove it, or open its bracket"),
    ("{} is outside of all brackets", "write a tree a line, such as (S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))"),
    ("a second tree in this line", "write each tree in a line of its own"),
    ("a bracket without a label", "label it; only the outermost may go without one"),
    ("{} is not a word with its index", "write INDEX=WORD, with the number of the word from 0, such as 0=the"),
    ("{} holds no word and no phrase", "remove it, or write its words; (()) is a sentence without a tree"),
    ("this tree is not closed at the end of its line", "close its brackets; a tree takes one line"),
    ("index {index} is given twice", "give every word of a sentence its own index"),
    ("no word has index {index}", "number the words of a sentence 0, 1, 2, ... without gaps"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The trees of a file, chunk by chunk. Raises InvalidInput."""
    from treesql.kernels.scanning import disc_brackets  # here, as few commands need it

    faults, position = Faults(source.name), FilePosition()
    n_trees = n_rooted = 0
    for chunk in source.chunks(cut_of=lambda block: block.rfind(b"\n") + 1, limit=options.max_sentence):
        position.end_chunk()
        data = clean_text(chunk.data, position.line, chunk.last, faults, returns=False)
        position.begin_chunk(data)
        text = Text(data)
        scan = disc_brackets.scan(text.raw, position.line)
        n_trees += len(scan.line)
        n_rooted += int(scan.rooted.sum())
        _add_faults(scan, position, text, faults)
        refuse_long(np.diff(scan.leaf_offsets), scan.line, options.max_sentence, faults)
        if faults.full:
            break
        if not faults.found and len(scan.line):
            yield tree_batch(_trees(scan, data), source.name, state, options)
    if not n_trees and not faults.found:
        faults.add(0, "the file is empty", "give a file with at least one tree")
    faults.raise_any()
    source.layout.no_root = n_rooted == 0


def _trees(scan: DiscBracketScan, data: bytes) -> TreeChunk:
    numbers = PhraseNumbers(scan.leaf_offsets, scan.node_offsets, scan.phrase, scan.parent)
    order, phrases = numbers.order, numbers.numbered
    start, length = scan.tag
    # The sign before a function is no part of it: `-HD`. Another is: `=2`.
    raw = np.frombuffer(data, dtype=np.uint8)
    signed = (scan.rest_of_tag > 0) & (np.append(raw, 0)[np.minimum(start + length, len(raw))] == ord("-"))
    data, function = with_prefix(data, (start + length + signed, scan.rest_of_tag - signed), b"Function=")
    data, form = _unquoted(data, (scan.form[0], scan.form[1]))
    labels, sizes = scan.label[0][order], scan.label[1][order]
    return TreeChunk(
        text=Text(data),
        line=scan.line,
        leaf_offsets=scan.leaf_offsets,
        node_offsets=scan.node_offsets,
        form=form,
        tag=(start, length),
        phrase=phrases.phrase,
        leaf_line=np.repeat(scan.line, np.diff(scan.leaf_offsets)),
        label=(labels, sizes),
        rest=(labels + sizes, scan.rest_length[order]),
        parent=phrases.parent,
        first=phrases.first,
        last=phrases.last,
        depth=phrases.depth,
        continuous=phrases.continuous,
        texts={"misc": function},
        comments=_comments(scan.comment),
    )


def _comments(comment: Ints) -> tuple[Ints, Field]:
    """What follows the trees, as a comment of each."""
    start, length = comment
    there = length > 0
    return np.concatenate([[0], np.cumsum(there)]), (start[there], length[there])


def _unquoted(data: bytes, forms: Field) -> tuple[bytes, Field]:
    """Words with brackets in place of `#LRB#` and `#RRB#`; such words are put behind the data."""
    starts, lengths = forms[0].copy(), forms[1].copy()
    if not any(quoted in data for quoted, _ in QUOTED):
        return data, forms
    end, more = len(data), []
    raw = np.frombuffer(data, dtype=np.uint8)
    long = np.flatnonzero(lengths >= len(QUOTED[0][0]))
    signs = np.concatenate([[0], np.cumsum(raw == ord("#"))])
    for at in long[signs[starts[long] + lengths[long]] - signs[starts[long]] > 1].tolist():
        form = data[starts[at] : starts[at] + lengths[at]]
        for quoted, sign in QUOTED:
            form = form.replace(quoted, sign)
        starts[at], lengths[at] = end, len(form)
        more.append(form)
        end += len(form)
    return b"".join([data, *more]), (starts, lengths)


def _add_faults(scan: DiscBracketScan, position: FilePosition, text: Text, faults: Faults) -> None:
    for kind, offset, index in scan.faults.tolist():
        line, column = position.line_and_column(offset)
        what, hint = FAULTS[kind]
        faults.add(line, what.replace("{index}", str(index)).replace("{}", _quote(text, offset)), hint, column)


def _quote(text: Text, offset: int) -> str:
    """The text at a place up to a blank or a bracket, for an error message."""
    end = offset + 1
    while end < len(text.data) and text.data[end] not in b" \t\n()" and end - offset <= MAX_SHOWN:
        end += 1
    return text.quote((np.array([offset]), np.array([end - offset])), 0)
