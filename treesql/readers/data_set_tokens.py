"""Checks of tokens, empty nodes and enhanced edges of a Parquet data set."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from treesql.readers.data_set import _OPEN, _TEXTS, DataSetState
from treesql.readers.data_set_columns import HINT, check_open_values, check_texts, ints
from treesql.readers.faults import Faults


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
        nodes, counts = known.empty_nodes
        wanted = keys["sentence"][lacking] << 32 | node[lacking]
        at = np.searchsorted(nodes, wanted)
        there = np.append(nodes, -1)[at] == wanted
        wrong = ~there | (index[lacking] > np.append(counts, 0)[at])
        if known.options.wants("empty_nodes") and wrong.any():
            row = int(lacking[wrong.argmax()])
            faults.add(first + row, f"{name} {node[row]}.{index[row]} does not exist", HINT)
