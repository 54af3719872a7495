"""Ids that sentences of a data set share."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tests.house.rules import in_turn
from treesql.readers.data_set import DataSetWarnings


@in_turn(
    ("batches", "of_corpus", "of_files"),
    [
        ([], [], []),
        ([[("a", "x"), (None, "x"), ("b", "x"), (None, "x")]], [], []),
        ([[("a", "x"), ("b", "x")], [("a", "y"), (None, "y"), ("b", "y"), ("b", "y")]], [2, 4, 5], [5]),
        ([[("b", "x")], [("a", "x"), ("b", "x")], [("b", "x")]], [2, 3], [2, 3]),
    ],
)
def test_repeated_ids(batches: Sequence[Sequence[tuple[str | None, str]]], of_corpus: object, of_files: object) -> None:
    """Sentences without an id repeat none."""
    known = DataSetWarnings()
    for batch in batches:
        ids, files = zip(*batch, strict=True)
        columns = {"sent_id": pa.array(ids, pa.string()), "file": pa.array(files, pa.string())}
        known.add_sentences(pa.RecordBatch.from_pydict(columns))
    assert known.repeated_ids().tolist() == of_corpus
    assert known.repeated_ids_of_files().tolist() == of_files
