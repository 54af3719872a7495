"""Checks between the tables of constituency trees in a Parquet data set, and with words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels import trees
from treesql.kernels.arrays import Flags, Ints, Keys, SmallInts
from treesql.readers.columns import text_keys
from treesql.readers.data_set import DataSetState, check_numbered
from treesql.readers.data_set_columns import HINT, check_texts, ints, missing
from treesql.readers.fields import Faults
from treesql.runtime.arrays import compute as pc

SAME = (
    ("constituents", "parent", "constituent_lists", "parent_list"),
    ("constituents", "label", "constituent_lists", "label_list"),
    ("words", "phrase", "constituent_lists", "phrase_list"),
    ("words", "xpos", "constituent_lists", "tag_list"),
    ("words", "form", "constituent_lists", "form_list"),
)
"""What two tables both have: constituent_lists is made from the other tables."""


_AFTER_ALL = (1 << 31) - 1
LAST_TEXT = "\U0010ffff"
"""What stands for NULL in keys: it is sorted behind all numbers and texts."""


def check_constituent_labels(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Labels are numbered 1, 2, ..., each there once."""
    check_numbered(batch, "number", first, first, faults)
    labels = batch.column("label").cast(pa.string())
    known.labels = labels if known.labels is None else pa.concat_arrays([known.labels, labels])
    if len(known.labels.unique()) < len(known.labels):
        faults.add(0, "a label is there twice", HINT)


def check_constituent_lists(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Lists of one sentence have one length; phrases come after those above them, words below phrases."""
    check_numbered(batch, "sentence", first, first - 1, faults)
    if faults.found or known.n_words is None:
        return
    names = batch.schema.names
    items = {name: batch.column(name).flatten() for name in names if name.endswith("_list")}
    lengths = {name: ints(pc.list_value_length(batch.column(name))) for name in items}
    n_words = known.n_words[first - 1 : first - 1 + len(batch)]
    n_phrases = lengths["parent_list"]
    sizes = {"label_list": n_phrases, "phrase_list": n_words, "tag_list": n_words, "form_list": n_words}
    for name in items.keys() & sizes.keys():
        wrong = lengths[name] != sizes[name]
        if wrong.any():
            at = int(wrong.argmax())
            faults.add(first + at, f"{name} has {lengths[name][at]} items, where {sizes[name][at]} should be", HINT)
    if faults.found:
        return
    parents = ints(items["parent_list"])
    own = np.arange(len(parents)) - np.repeat(np.cumsum(n_phrases) - n_phrases, n_phrases)
    _note("parent_list", parents, (parents < 0) | (parents > own), n_phrases, first, faults)
    if "phrase_list" in items:
        phrases = ints(items["phrase_list"])
        wrong = (phrases < 0) | (phrases > np.repeat(n_phrases, n_words))
        _note("phrase_list", phrases, wrong, n_words, first, faults)
        if not faults.found:
            _add_spans(known, parents, phrases, n_phrases, n_words, first, faults)
    n_labels = 0 if known.labels is None else len(known.labels)
    for name, counts in (("label_list", n_phrases), ("tag_list", n_words)):
        if name in items and known.options.wants("constituent_labels"):
            labels = ints(items[name])
            _note(name, labels, (labels < 1) | (labels > n_labels), counts, first, faults)
    for name, values in items.items():
        known.add(name, _unsigned(values) if name == "form_list" else ints(values).astype(np.int32))
    known.n_phrases = n_phrases if known.n_phrases is None else np.concatenate([known.n_phrases, n_phrases])


def _add_spans(
    known: DataSetState, parents: Ints, phrases: Ints, n_phrases: Ints, n_words: Ints, first: int, faults: Faults
) -> None:
    """Add the spans of phrases, as their words give them, to a checksum."""
    starts = np.cumsum(n_phrases) - n_phrases
    above = np.where(parents > 0, np.repeat(starts, n_phrases) + parents - 1, -1)
    rounds = trees.ancestor_jumps(above, int(n_phrases.max(initial=0))).rounds
    position = np.arange(1, len(phrases) + 1) - np.repeat(np.cumsum(n_words) - n_words, n_words)
    hanging = phrases > 0
    owner = (np.repeat(starts, n_words) + phrases - 1)[hanging]
    begin, end, below = trees.phrase_spans(len(parents), owner, position[hanging], rounds)
    if (below == 0).any():
        at = int((below == 0).argmax())
        row = int(np.searchsorted(np.cumsum(n_phrases), at, side="right"))
        faults.add(first + row, f"no word is below phrase {at - starts[row] + 1}", HINT)
    known.add("words below", _spans(begin, end, below == end - begin + 1))


def _spans(begin: Ints, end: Ints, continuous: Flags) -> Ints:
    return np.column_stack([begin, end, continuous]).reshape(-1)


def _note(name: str, values: Ints, wrong: Flags, counts: Ints, first: int, faults: Faults) -> None:
    """Note the first item of a list that is wrong."""
    if wrong.any():
        at = int(wrong.argmax())
        row = int(np.searchsorted(np.cumsum(counts), at, side="right"))
        faults.add(first + row, f"{name} has {values[at]}, which does not exist", HINT)


def _unsigned(values: pa.Array) -> Keys:
    return np.frombuffer(values.buffers()[1] or b"", np.uint64, len(values), values.offset * 8 if len(values) else 0)


def check_constituents(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Phrases are numbered 1, 2, ... in their sentences, come after those above them, and their spans nest."""
    if known.n_words is None or known.n_phrases is None:
        return
    columns = {name: ints(batch.column(name), 0) for name in ("sentence", "node", "parent", "first", "last", "depth")}
    known.check_sentences(columns["sentence"], first, faults)
    of = columns.pop("sentence"), columns.pop("node")
    known.check_layout("constituents", known.n_phrases, of, ("sentence", "phrase"), 1, faults)
    if faults.found:
        return
    known.add("parent", columns["parent"].astype(np.int32))
    if "label" in batch.schema.names:
        known.add("label", _numbers(known, batch.column("label"), "label", first, faults))
    any_sign, blanks = known.form == "newick", " \t\n\r()" if known.form == "penn" else " \t\n\r"
    check_texts(batch, ("label", "functions"), first, faults, "" if any_sign else blanks)
    known.check_below("last", columns["last"], known.n_words[of[0]] + 1, first, faults)
    columns["continuous"] = np.asarray(batch.column("continuous").to_numpy(zero_copy_only=False)).astype(np.int64)
    known.add("spans", _spans(columns["first"], columns["last"], columns["continuous"] > 0))
    offsets, found = known.whole("constituents", known.n_phrases, columns)
    row = first - 1 + len(batch) - len(known.left["constituents"]["parent"]) - int(offsets[-1]) + 1
    if not faults.found:
        _check_nesting(offsets, found, row, faults)


def _check_nesting(offsets: Ints, columns: dict[str, Ints], first: int, faults: Faults) -> None:
    """Spans of whole sentences lie in those above them, and after those of the sisters before them."""
    parent, begin, end, depth = (columns[name] for name in ("parent", "first", "last", "depth"))
    whole = columns["continuous"] > 0
    n = np.diff(offsets)
    start = np.repeat(offsets[:-1], n)
    here = np.arange(len(parent))
    _note_row("parent", parent, start + parent - 1 >= here, first, faults)
    if faults.found:
        return
    below = np.flatnonzero(parent > 0)
    above = start[below] + parent[below] - 1
    expected = np.ones(len(parent), dtype=np.int64)
    expected[below] = depth[above] + 1
    _note_row("depth", depth, depth != expected, first, faults)
    outside = below[(begin[below] < begin[above]) | (end[below] > end[above])]
    if len(outside):
        at = int(outside[0])
        faults.add(first + at, f"phrase {begin[at]}-{end[at]} leaves the one above it", HINT)
    family = np.where(parent > 0, start + parent - 1, len(parent) + start)
    order = np.argsort(family, kind="stable")
    one, other = order[:-1], order[1:]
    sisters = family[one] == family[other]
    apart = np.where(whole[one] & whole[other], begin[other] > end[one], begin[other] > begin[one])
    # where no phrase has gaps, those that follow in preorder begin no earlier
    all_whole = (
        np.repeat(np.add.reduceat(np.append(~whole, False), offsets[:-1])[: len(n)] == 0, n) if len(n) else whole
    )
    back = np.append(False, (begin[1:] < begin[:-1]) & (start[1:] == start[:-1]) & all_whole[1:])
    wrong = np.append(other[sisters & ~apart], np.flatnonzero(back))
    if len(wrong):
        at = int(wrong.min())
        faults.add(first + at, f"phrase {begin[at]}-{end[at]} overlaps one before it, or belongs before it", HINT)


def _note_row(name: str, values: Ints, wrong: Flags, first: int, faults: Faults) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        faults.add(first + at, f"{name} {values[at]} is not that of a tree in preorder", HINT)


def check_tagged_words(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Tags and forms of words, to be compared with those of constituent_lists."""
    if known.kind != "constituency":
        return
    names = batch.schema.names
    if "xpos" in names and known.labels is not None:
        known.add("xpos", _numbers(known, batch.column("xpos"), "xpos", first, faults))
    if "form" in names and known.options.wants("constituent_lists", "form_list"):
        known.add("form", text_keys(batch.column("form")))


def check_secondary_edges(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Secondary edges lead from a word or a phrase of their sentence to a phrase of it, each once."""
    sentence = ints(batch.column("sentence"))
    known.check_sentences(sentence, first, faults)
    if faults.found or known.n_words is None or known.n_phrases is None or not len(batch):
        return
    names = ("word", "node", "parent")
    keys = {"sentence": sentence} | {name: ints(batch.column(name), _AFTER_ALL) for name in names}
    labels = pc.fill_null(batch.column("label").cast(pa.string()), LAST_TEXT)
    known.check_order("secondary_edges", keys, first, faults, labels)
    both = missing(batch.column("word")) == missing(batch.column("node"))
    if both.any():
        faults.add(first + int(both.argmax()), "expected a word or a node, and NULL for the other", HINT)
    for name, most in (("word", known.n_words), ("node", known.n_phrases), ("parent", known.n_phrases)):
        known.check_below(name, ints(batch.column(name), 0), most[sentence] + 1, first, faults)
    check_texts(batch, ("label",), first, faults, " \t\n\r")


def _numbers(known: DataSetState, values: pa.Array, name: str, first: int, faults: Faults) -> SmallInts:
    """The numbers of labels in constituent_labels."""
    encoded = values.cast(pa.string()).dictionary_encode(null_encoding="encode")
    if known.labels is None:
        return np.zeros(len(values), dtype=np.int32)
    found = ints(pc.index_in(encoded.dictionary, value_set=known.labels, skip_nulls=False))[ints(encoded.indices)]
    if (found < 0).any():
        at = int((found < 0).argmax())
        faults.add(first + at, f"{name} {values[at].as_py()!r} is not in constituent_labels", HINT)
    return np.asarray(found + 1, dtype=np.int32)
