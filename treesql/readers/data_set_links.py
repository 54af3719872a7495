"""Checks of the links of a Parquet data set."""

from __future__ import annotations

import pyarrow as pa

from treesql.readers.data_set import DataSetState
from treesql.readers.data_set_columns import HINT, ints
from treesql.readers.fields import Faults
from treesql.runtime.arrays import compute as pc

MAX_POSITION = 1_000_000_000
"""Maximum position of a word in a link: files of links have up to 9 digits."""


def check_alignments(known: DataSetState, batch: pa.RecordBatch, first: int, faults: Faults) -> None:
    """Links of sentences that there are, each once. Whether their words are there, the texts tell."""
    keys = {name: ints(batch.column(name)) for name in ("sentence", "source", "target")}
    known.check_order("alignments", keys, first, faults)
    known.check_sentences(keys["sentence"], first, faults)
    for name in ("source", "target"):
        known.check_below(name, keys[name], MAX_POSITION + 1, first, faults)
    empty = (keys["source"] == 0) | (keys["target"] == 0)
    wrong = (keys["source"] == 0) & (keys["target"] == 0) if known.null_links else empty
    if wrong.any():
        at = int(wrong.argmax())
        what = f"the link {keys['source'][at]}-{keys['target'][at]} has no word"
        faults.add(first + at, what, "positions begin at 1; 0 is allowed only in null links, of corpora that kept them")
    if "confidence" in batch.schema.names:
        confidence = batch.column("confidence")
        odd = pc.invert(pc.is_finite(confidence))
        if pc.any(odd).as_py():
            faults.add(first + int(pc.index(odd, True).as_py()), "confidence is not a number", HINT)
        outside = pc.or_(pc.less(confidence, 0.0), pc.greater(confidence, 1.0))
        known.warnings.links.outside += pc.sum(outside).as_py() or 0
