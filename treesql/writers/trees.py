"""Lines made in SQL, one for every sentence, for writers of trees and links; checks of what cannot be written."""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic, InvalidInput
from treesql.writers.runs import runs

SENTENCES_AT_ONCE = 20_000

# Rows of constituents that no notation with brackets can show.
GAPS = """
SELECT c.sentence, 'the words of phrase ' || c.node || ', ' || coalesce(c.label, '') || ', have gaps' AS what,
       'write the corpus as Parquet' AS hint
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last AND NOT c.continuous
"""


def write_trees(engine: Engine, corpus: str, sentences: range, out: BinaryIO, lines: str, wrong: str) -> None:
    """Write a line for every sentence of a range.

    lines: SQL for one text, of the sentences $first to $last of $corpus; wrong: SQL for sentences that cannot be
    written, with what and hint. Raises InvalidInput with the first of these.
    """
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        _refuse(engine, wrong, values)
        text = engine.table(lines, values).column(0).combine_chunks().cast(pa.large_binary())
        out.write(text.buffers()[2])


def _refuse(engine: Engine, wrong: str, values: dict[str, object]) -> None:
    sql = f"""
        SELECT s.file, s.line, w.what, w.hint
        FROM ({wrong}) AS w
        JOIN sentences AS s ON s.corpus = $corpus AND s.sentence = w.sentence
        ORDER BY s.sentence, w.what LIMIT 1
    """
    for found in engine.rows(sql, values):
        raise InvalidInput([Diagnostic.error(*found)])
