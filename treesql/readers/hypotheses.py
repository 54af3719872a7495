"""The rows of n-best lists of any notation, as Arrow batches of schemas/: sentences, hypotheses."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from treesql.kernels.arrays import Flags, Ints
from treesql.readers import Batch, Options, State
from treesql.readers.batches import Columns, list_array, record_batch
from treesql.readers.fields import Field, Text, chosen, no_comments, repeated


@dataclass(frozen=True)
class Hypotheses:
    """The hypotheses of a chunk. new: whether each begins a list; rank, line: of each.

    score: None where none has one. values: of their features, one after the other, as many for each. ids: of the lists
    that begin, None where they are numbered.
    """

    new: Flags
    rank: Ints
    line: Ints
    text: Field
    score: Field | None
    values: Field
    ids: Field | None = None


def hypothesis_batch(
    text: Text, found: Hypotheses, names: list[bytes], path: str, state: State, options: Options
) -> Batch:
    """The rows of a chunk's hypotheses. `state` counts the lists. names: of the features of a hypothesis."""
    found = _first_ones(found, options.last_rank, len(names)) if options.last_rank else found
    begun = int(found.new.sum())
    made = {"sentences": _sentence_columns(text, found, path, begun)}
    if options.wants("hypotheses"):
        made["hypotheses"] = _hypothesis_columns(text, found, names, copied=options.last_rank > 0)
    batches = {name: record_batch(name, columns, state, options) for name, columns in made.items()}
    state.sentences += begun
    return batches


def _first_ones(found: Hypotheses, last_rank: int, n_features: int) -> Hypotheses:
    """The first hypotheses of every list."""
    kept = np.flatnonzero(found.rank <= last_rank)
    values = (kept[:, None] * n_features + np.arange(n_features)).ravel()
    return replace(
        found, new=found.new[kept], rank=found.rank[kept], line=found.line[kept], text=_take(found.text, kept),
        score=None if found.score is None else _take(found.score, kept), values=_take(found.values, values),
    )  # fmt: skip


def _take(field: Field, places: Ints) -> Field:
    return field[0][places], field[1][places]


def _sentence_columns(text: Text, found: Hypotheses, path: str, n: int) -> Columns:
    columns: Columns = {
        "sentence": lambda: np.arange(n),
        "comments": lambda: no_comments(n),
        "file": lambda: repeated(path, n),
        "line": lambda: found.line[found.new],
        "n_words": lambda: np.zeros(n, dtype=np.int64),
    }
    ids = found.ids
    return columns if ids is None else {**columns, "sent_id": lambda: text.strings(ids, ids[1] == 0)}


def _hypothesis_columns(text: Text, found: Hypotheses, names: list[bytes], *, copied: bool) -> Columns:
    """The columns of hypotheses. copied: whether texts are copied, so that those of the others leave memory."""
    n, score = len(found.new), found.score
    offsets = np.arange(n + 1) * len(names)
    columns: Columns = {
        "sentence": lambda: np.cumsum(found.new) - 1,
        "rank": lambda: found.rank,
        "line": lambda: found.line,
        "text": lambda: _copy(text.strings(found.text)) if copied else text.strings(found.text),
        "features": lambda: list_array(offsets, text.strings(found.values).cast(pa.float64())),
        "feature_names": lambda: list_array(
            offsets, chosen([name.decode() for name in names] or [""], np.tile(np.arange(len(names)), n))
        ),
    }
    if score is None:
        return columns
    return {**columns, "score": lambda: text.strings(score, score[1] == 0).cast(pa.float64())}


def _copy(texts: pa.Array) -> pa.Array:
    return texts.cast(pa.string()).cast(pa.string_view())
