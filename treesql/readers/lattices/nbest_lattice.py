"""N-best lists as lattices: two nodes, and an edge for every hypothesis, with all its words. The files are those of
treesql.readers.lattices.nbest. The score of an edge is that of its hypothesis; where lists have none, its features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from treesql.kernels.scanning import links as lines
from treesql.readers import Batch, Options, State
from treesql.readers.fields import Faults, JoinedTexts, Text, floats, offsets_of
from treesql.readers.lattices import nbest
from treesql.readers.lattices.lattices import LatticeChunk, LatticeWarnings, lattice_batch
from treesql.readers.source import Source
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers

SUFFIXES = ()
KIND = "lattice"
SCORE_SENSES = ("log_likelihood", "cost")

LISTS_AT_ONCE = 256
"""Minimum number of lists that become lattices at a time."""

_COLUMNS = {"sentences": frozenset({"sent_id", "line"}), "hypotheses": frozenset({"text", "score", "features"})}


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The lattices of a file, some lists at a time. Raises InvalidInput."""
    faults, warnings, of_lists = Faults(source.name), LatticeWarnings(), State()
    lists = hypotheses = None
    for batch in nbest.read(source, of_lists, replace(options, columns=_COLUMNS)):
        sentences, other = (pa.Table.from_batches([batch[name]]) for name in ("sentences", "hypotheses"))
        lists = sentences if lists is None else pa.concat_tables([lists, sentences], promote_options="default")
        hypotheses = other if hypotheses is None else pa.concat_tables([hypotheses, other], promote_options="default")
        if len(lists) > LISTS_AT_ONCE:  # the last one may go on
            n = int(pc.index(hypotheses["sentence"], lists["sentence"][-1]).as_py())
            rows = lattice_batch(_lattices(lists[:-1], hypotheses[:n]), source.name, state, options, faults, warnings)
            if rows is not None:
                yield rows
            lists, hypotheses = lists[-1:], hypotheses[n:]
    if lists is not None and hypotheses is not None:
        rows = lattice_batch(_lattices(lists, hypotheses), source.name, state, options, faults, warnings)
        if rows is not None:
            yield rows
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)


def _lattices(lists: pa.Table, hypotheses: pa.Table) -> LatticeChunk:
    """Lists with all their hypotheses as lattices."""
    n = len(lists)
    edges_of = np.bincount(integers(hypotheses["sentence"]) - integers(lists["sentence"])[0], minlength=n)
    texts = "".join(f"{text}\n" for text in hypotheses["text"].to_pylist()).encode()
    starts, lengths, words_of = lines.find_fields(np.frombuffer(texts, np.uint8))
    scored = "score" in hypotheses.schema.names and hypotheses["score"].null_count < len(hypotheses)
    given = hypotheses["score" if scored else "features"].to_pylist()
    scores = [[] if value is None else [value] if scored else value for value in given]
    joined = JoinedTexts(texts)
    ids = joined.add(
        [sent_id or "" for sent_id in lists["sent_id"].to_pylist()] if "sent_id" in lists.schema.names else [""] * n
    )
    return LatticeChunk(
        text=Text(joined.data),
        line=integers(lists["line"]),
        name=ids,
        n_nodes=np.full(n, 2),
        n_finals=np.ones(n, np.int64),
        edge_offsets=offsets_of(edges_of),
        from_node=np.zeros(len(hypotheses), np.int64),
        to_node=np.ones(len(hypotheses), np.int64),
        word_offsets=offsets_of(words_of),
        words=(starts, lengths),
        score_offsets=offsets_of([len(values) for values in scores]),
        scores=floats([value for values in scores for value in values]),
    )
