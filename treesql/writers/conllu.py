"""Tables -> CoNLL-U, byte for byte what was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.writers.further_columns import warn_of_further_columns
from treesql.writers.runs import runs
from treesql.writers.ten_columns import CHOSEN, lines_sql, text_of

SUFFIXES = (".conllu",)
KIND = "dependency"

SENTENCES_AT_ONCE = 20_000


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> list[Diagnostic]:
    """Write a range of the sentences of a corpus; returns a warning about columns that CoNLL-U does not have."""
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        out.write(text_of(engine, lines_sql(), {"corpus": corpus, "first": first, "last": last}))
    return warn_of_further_columns(engine, corpus)


def write_chosen(engine: Engine, corpus: str, sentences: Sequence[int], out: BinaryIO) -> None:
    """Write some sentences of a corpus."""
    for at in range(0, len(sentences), SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "sentences": list(sentences[at : at + SENTENCES_AT_ONCE])}
        out.write(text_of(engine, lines_sql(CHOSEN), values))
