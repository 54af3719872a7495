"""Checks of tokens, empty nodes and enhanced edges of a Parquet data set."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints
from treesql.readers import is_further_name
from treesql.readers.data_set import _OPEN, _TEXTS, DataSetState
from treesql.readers.data_set_columns import HINT, check_open_values, check_texts, ints
from treesql.readers.fields import Faults
from treesql.runtime.arrays import compute as pc


def check_tokens(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Multiword tokens lie in their sentences and do not overlap."""
    sentence, begin, end = (ints(batch.column(name)) for name in ("sentence", "first", "last"))
    known.check_order("tokens", {"sentence": sentence, "first": begin}, first, faults)
    check_texts(batch, [name for name in _TEXTS if name not in ("deprel", "deps")], first, faults)
    check_open_values(batch, _OPEN, first, faults)
    known.check_sentences(sentence, first, faults)
    if faults.found or known.n_words is None:
        return
    known.check_below("word", end, known.n_words[sentence] + 1, first, faults)
    last_sentence, last_end = known.last_token
    known.last_token = (int(sentence[-1]), int(end[-1])) if len(batch) else known.last_token
    overlapping = (sentence == np.append(last_sentence, sentence[:-1])) & (begin <= np.append(last_end, end[:-1]))
    known.first_words = np.append(known.first_words, sentence << 32 | begin)
    if overlapping.any():
        at = int(overlapping.argmax())
        faults.add(first + at, f"token {begin[at]}-{end[at]} overlaps the one before", HINT)


def check_empty_nodes(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Empty nodes follow words of their sentences, numbered 1, 2, ..."""
    keys = {name: ints(batch.column(name)) for name in ("sentence", "word", "index")}
    last = known.last_key.get("empty_nodes")
    known.check_order("empty_nodes", keys, first, faults)
    known.check_sentences(keys["sentence"], first, faults)
    check_texts(batch, [name for name in _TEXTS if name != "deprel"], first, faults)
    check_open_values(batch, ("form", "lemma", *_OPEN), first, faults)
    if faults.found or known.n_words is None or not len(batch):
        return
    known.check_below("word", keys["word"], known.n_words[keys["sentence"]] + 1, first, faults)
    node = keys["sentence"] << 32 | keys["word"]
    before = np.append(-1 if last is None else last[0] << 32 | last[1], node[:-1])
    number = np.append(0 if last is None else last[2], keys["index"][:-1])
    wrong = keys["index"] != np.where(node == before, number + 1, 1)
    if wrong.any():
        at = int(wrong.argmax())
        faults.add(first + at, f"empty node {keys['word'][at]}.{keys['index'][at]} is not the next one", HINT)
    nodes, counts = known.empty_nodes
    joined = np.concatenate([np.repeat(nodes, counts), node])
    nodes, counts = np.unique(joined, return_counts=True)
    known.empty_nodes = nodes, counts


def check_word_columns(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Values of further columns belong to words."""
    keys = _check_further(known, "word_columns", ("sentence", "word"), batch, first, faults)
    if not faults.found and known.n_words is not None:
        known.check_below("word", keys["word"], known.n_words[keys["sentence"]] + 1, first, faults)


def check_token_columns(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Values of further columns belong to multiword tokens."""
    keys = _check_further(known, "token_columns", ("sentence", "first"), batch, first, faults)
    if faults.found or known.n_words is None:
        return
    lacking = ~np.isin(keys["sentence"] << 32 | keys["first"], known.first_words)
    if lacking.any():
        at = int(lacking.argmax())
        faults.add(first + at, f"no token begins at word {keys['first'][at]} of sentence {keys['sentence'][at]}", HINT)


def check_empty_node_columns(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Values of further columns belong to empty nodes."""
    keys = _check_further(known, "empty_node_columns", ("sentence", "word", "index"), batch, first, faults)
    if faults.found or known.n_words is None:
        return
    lacking = _missing_nodes(known, keys["sentence"], keys["word"], keys["index"])
    if lacking.any():
        at = int(lacking.argmax())
        faults.add(first + at, f"node {keys['word'][at]}.{keys['index'][at]} does not exist", HINT)


def _check_further(
    known: DataSetState, table: str, names: tuple[str, ...], batch: pa.RecordBatch, first: int, faults: Faults
) -> dict[str, Ints]:
    """Check sentences, order, names and values of a table of further columns; returns its keys, without the names."""
    keys = {name: ints(batch.column(name)) for name in names}
    name = batch.column("name").cast(pa.string())
    known.check_sentences(keys["sentence"], first, faults)
    known.check_order(table, keys, first, faults, name)
    wrong = sorted(one for one in pc.unique(name).to_pylist() if not is_further_name(one))
    if wrong:
        faults.add(first + int(pc.index(name, wrong[0]).as_py()), f"there is no column {wrong[0]!r}", HINT)
    check_texts(batch, ("value",), first, faults)
    check_open_values(batch, ("value",), first, faults)
    return keys


def _missing_nodes(known: DataSetState, sentence: Ints, word: Ints, index: Ints) -> Flags:
    """Which empty nodes do not exist."""
    nodes, counts = known.empty_nodes
    wanted = sentence << 32 | word
    at = np.searchsorted(nodes, wanted)
    missing: Flags = (np.append(nodes, -1)[at] != wanted) | (index > np.append(counts, 0)[at])
    return missing


def check_enhanced_edges(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Enhanced edges link words and empty nodes of their sentences, each once."""
    names = ("sentence", "dependent", "dependent_index", "head", "head_index")
    keys = {name: ints(batch.column(name)) for name in names}
    known.check_sentences(keys["sentence"], first, faults)
    if faults.found or known.n_words is None or not len(batch):
        return
    known.check_order("enhanced_edges", keys, first, faults, batch.column("deprel").cast(pa.string()))
    after_last = known.n_words[keys["sentence"]] + 1
    for name in ("dependent", "head"):
        node, index = keys[name], keys[f"{name}_index"]
        known.check_below(name, node, after_last, first, faults)
        lacking = np.flatnonzero(index > 0)
        wrong = _missing_nodes(known, keys["sentence"][lacking], node[lacking], index[lacking])
        if known.options.wants("empty_nodes") and wrong.any():
            row = int(lacking[wrong.argmax()])
            faults.add(first + row, f"{name} {node[row]}.{index[row]} does not exist", HINT)
