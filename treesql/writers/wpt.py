"""Tables -> word alignments as in the WPT shared tasks: a line per link, `sentence source target S|P [confidence]`.

Sentences count from 1 in every file. Those without links have no line, so that a file's last ones are not seen in it.
"""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from treesql.engines import Engine
from treesql.writers.runs import runs

SUFFIXES = (".wpt", ".wa", ".naacl")
KIND = "alignment"

SENTENCES_AT_ONCE = 20_000
_LINES = """
SELECT coalesce(string_agg(concat_ws(' ', CAST(a.sentence AS BIGINT) - $start + 1, a.source, a.target,
                                     CASE WHEN a.sure THEN 'S' ELSE 'P' END, a.confidence) || chr(10), ''
                           ORDER BY a.sentence, a.source, a.target), '')
FROM alignments AS a
WHERE a.corpus = $corpus AND a.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus."""
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "start": sentences.start, "first": first, "last": last}
        text = engine.table(_LINES, values).column(0).combine_chunks().cast(pa.large_binary())
        out.write(text.buffers()[2] or b"")
