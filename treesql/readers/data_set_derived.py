"""Checks of columns and rows of a Parquet data set that are derived from others: they must be what a reader of files
derives. Arrays are compared batch by batch, which takes a tenth of the time of the same comparisons in SQL.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels import links as lines
from treesql.kernels import text as kernel
from treesql.kernels.arrays import Bytes, Ints
from treesql.readers.columns import METADATA, find_metadata, text_keys
from treesql.readers.data_set import DataSetState
from treesql.readers.data_set_columns import HINT, all_flags, ints, string_bytes
from treesql.readers.fields import Faults, Text
from treesql.runtime.arrays import compute as pc

_FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
"""Multiplier and shift of a mixing step, as in SplitMix64."""

_SHOWN = 60
"""Maximum number of characters of a value in an error."""


def check_metadata(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Comments are lines that begin with #; sent_id, text, newdoc and newpar are those of the comments."""
    if known.kind != "dependency" or "comments" not in batch.schema.names:
        return
    lists = batch.column("comments")
    comments = lists.flatten()
    owner = ints(pc.list_parent_indices(lists))
    raw, starts, lengths = string_bytes(comments)
    wrong = np.append(raw, 0).take(starts) != ord("#")
    wrong |= lengths == 0
    if raw.min(initial=ord(" ")) < ord(" "):
        wrong |= all_flags(pc.match_substring_regex(comments, "\n|\r$"))
    if wrong.any():
        at = int(wrong.argmax())
        shown = comments[at].as_py()[:_SHOWN]
        what = "has a line break in it" if shown.startswith("#") else "does not begin with #"
        faults.add(first + int(owner[at]), f"the comment {shown!r} {what}", HINT)
        return
    names = [name for name in METADATA if name in batch.schema.names]
    made = find_metadata(Text(raw.tobytes()), (starts, lengths), owner, len(batch), names)
    for name in names:
        found, expected = batch.column(name), made[name].cast(pa.string())
        same = pc.fill_null(pc.equal(found, expected), False)
        same = pc.or_(same, pc.and_(found.is_null(), expected.is_null()))
        if name == "sent_id" and known.without_ids:
            same = pc.or_(same, found.is_null())
        if not pc.all(same, min_count=0).as_py():
            at = int(pc.index(same, False).as_py())
            what = f"{name} is {_shown(found[at])}, and by its comments {_shown(expected[at])}"
            faults.add(first + at, what, HINT)


def check_text(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Lines of a plain text have the words of the table words."""
    if known.kind != "text" or "text" not in batch.schema.names:
        return
    texts = pc.fill_null(batch.column("text"), "")
    wrong = pc.match_substring(texts, "\n")
    if pc.any(wrong).as_py():
        faults.add(first + int(pc.index(wrong, True).as_py()), "text has a line end", HINT)
        return
    joined = "".join(f"{text}\n" for text in texts.to_pylist()).encode()
    raw = np.frombuffer(joined, np.uint8)
    starts, lengths, counts = lines.find_fields(raw)
    wrong_count = counts != ints(batch.column("n_words"))
    if wrong_count.any():
        at = int(wrong_count.argmax())
        what = f"text has {counts[at]} words, where n_words is {batch.column('n_words')[at].as_py()}"
        faults.add(first + at, what, HINT)
        return
    known.add("text", text_keys(Text(joined).strings((starts, lengths)).cast(pa.string())))


def check_spans(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """span_start and span_end are offsets in the text, and multiword is whether a token has the word."""
    names = batch.schema.names
    if known.n_words is None or "multiword" not in names or "form" not in names:
        return
    raw, starts, lengths = string_bytes(batch.column("form"))
    width = _widths(raw, starts, lengths)
    outer, part = width.copy(), np.zeros(len(batch), dtype=np.bool_)
    row = first - 1
    for token, size, token_width in _tokens_between(known, row, row + len(batch)):
        inside = slice(max(token - row, 0), token + size - row)
        part[inside] = True
        width[inside] = 0
        outer[inside] = token_width
        if token >= row:
            width[token - row] = token_width
    ends = known.characters + np.cumsum(width)
    known.characters += int(width.sum())
    multiword = all_flags(batch.column("multiword"))
    if (multiword != part).any():
        at = int((multiword != part).argmax())
        what = f"multiword is {str(multiword[at]).lower()}, but the word is in {'a' if part[at] else 'no'} token"
        faults.add(first + at, what, HINT)
    for name, expected in (("span_start", ends - outer), ("span_end", ends)):
        if name in names:
            _compare(name, ints(batch.column(name)), expected, first, faults)


def _tokens_between(known: DataSetState, low: int, high: int) -> list[tuple[int, int, int]]:
    """The tokens with words among some rows: the row of the first word, the number of words, and the width."""
    tokens = known.tokens
    begin = int(np.searchsorted(tokens[0] + tokens[1], low, side="right"))
    end = int(np.searchsorted(tokens[0], high, side="left"))
    return list(zip(*(values[begin:end].tolist() for values in tokens), strict=True))


def note_tokens(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Keep the places and widths of tokens, from which the spans of their words are computed."""
    if known.n_words is None or "form" not in batch.schema.names or not len(batch):
        return
    sentence, begin, end = (ints(batch.column(name)) for name in ("sentence", "first", "last"))
    raw, starts, lengths = string_bytes(batch.column("form"))
    width = _widths(raw, starts, lengths)
    found = known.starts("words", known.n_words)[sentence] + begin - 1, end - begin + 1, width
    before, size, widths = known.tokens
    known.tokens = (
        np.concatenate([before, found[0]]), np.concatenate([size, found[1]]), np.concatenate([widths, found[2]])
    )  # fmt: skip


def note_deps(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Add the relations of DEPS to a sum that those of enhanced_edges must bring back to 0."""
    if known.kind != "dependency" or "deps" not in batch.schema.names:
        return
    deps = batch.column("deps")
    rows = pc.indices_nonzero(deps.is_valid())
    if not len(rows):
        return
    parts = pc.split_pattern(deps.take(rows) if deps.null_count else deps, "|")
    at = ints(rows.cast(pa.int64()))[ints(pc.list_parent_indices(parts))]
    sentence, word = ints(batch.column("sentence"))[at], ints(batch.column("word"))[at]
    index = ints(batch.column("index"))[at] if "index" in batch.schema.names else np.zeros_like(at)
    known.relations += _sum_of_relations(sentence, word, index, parts.flatten())


def note_enhanced_edges(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Take the relations of enhanced_edges from the sum of those of DEPS."""
    sentence, word, at = (ints(batch.column(name)) for name in ("sentence", "dependent", "dependent_index"))
    heads, index = batch.column("head").cast(pa.string()), batch.column("head_index")
    if (ints(index) > 0).any():
        heads = pc.if_else(
            pc.greater(index, 0), pc.binary_join_element_wise(heads, index.cast(pa.string()), "."), heads
        )
    parts = pc.binary_join_element_wise(heads, batch.column("deprel").cast(pa.string()), ":")
    known.relations -= _sum_of_relations(sentence, word, at, parts)


def _sum_of_relations(sentence: Ints, word: Ints, index: Ints, parts: pa.Array) -> int:
    """The sum of a hash of every relation, which no order of them changes."""
    hashes = text_keys(parts)
    for values in (sentence, word, index):
        hashes = (hashes ^ (hashes >> _SHIFT) ^ values.astype(np.uint64)) * _FACTOR
    hashes ^= hashes >> _SHIFT
    return int(hashes.sum(dtype=np.uint64))


def _widths(raw: Bytes, starts: Ints, lengths: Ints) -> Ints:
    """The number of characters of texts without those of category Zs, by running sums over all bytes."""
    uncounted = kernel.utf8_continuation_bytes(raw)
    if not len(uncounted):
        return lengths.copy()
    flags = np.zeros(len(raw) + 1, dtype=np.int32)
    flags[uncounted + 1] = 1
    before = np.cumsum(flags, dtype=np.int32)
    width: Ints = lengths - (before[starts + lengths] - before[starts])
    return width


def _compare(name: str, found: Ints, expected: Ints, first: int, faults: Faults) -> None:
    """Note the first value that is not the expected one."""
    if not np.array_equal(found, expected):
        at = int((found != expected).argmax())
        faults.add(first + at, f"{name} is {found[at]}, where it should be {expected[at]}", HINT)


def _shown(value: pa.Scalar) -> str:
    text = value.as_py()
    return "NULL" if text is None else f"`{text[:_SHOWN]}`"
