"""The sentences of a corpus in runs that are written at a time."""

from __future__ import annotations

from collections.abc import Iterator

from treesql.engines import Engine

_RUNS = """
SELECT min(n.sentence), max(n.sentence)
FROM (SELECT s.sentence, (row_number() OVER (ORDER BY s.sentence) - 1) // $size AS run
      FROM sentences AS s
      WHERE s.corpus = $corpus AND s.sentence BETWEEN $start AND $stop) AS n
GROUP BY n.run ORDER BY n.run
"""


def runs(engine: Engine, corpus: str, sentences: range, size: int) -> Iterator[tuple[int, int]]:
    """The first and the last sentence of every run of `size` existing sentences in a range.

    Numbers may have gaps, however wide: SQL can write any.
    """
    values = {"corpus": corpus, "start": sentences.start, "stop": sentences.stop - 1, "size": size}
    yield from engine.rows(_RUNS, values)
