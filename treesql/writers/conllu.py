"""Tables -> CoNLL-U, byte for byte what was read; of constituency trees, the dependencies by head rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from treesql.engines import Engine
from treesql.errors import Diagnostic, not_applicable
from treesql.writers import head_dependencies
from treesql.writers.further_columns import warn_of_further_columns
from treesql.writers.runs import runs
from treesql.writers.ten_columns import CHOSEN, lines_sql, text_of

SUFFIXES = (".conllu",)
KIND = "dependency"
ALSO_WRITES = ("constituency",)
OPTIONS = ("head_rules",)

SENTENCES_AT_ONCE = 20_000


def write(
    engine: Engine, corpus: str, sentences: range, out: BinaryIO, head_rules: str | None = None
) -> list[Diagnostic]:
    """Write a range of the sentences of a corpus; returns a warning about columns that CoNLL-U does not have.

    head_rules: as for head_dependencies.write, of constituency trees. Raises UsageError where these are none.
    """
    [(kind,)] = engine.rows("SELECT c.kind FROM corpora AS c WHERE c.corpus = $corpus", {"corpus": corpus})
    if kind in ALSO_WRITES:
        head_dependencies.write(engine, corpus, sentences, out, head_rules)
        return []
    if head_rules is not None:
        raise not_applicable(["--head-rules"], "dependency trees, which have their own heads")
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        out.write(text_of(engine, lines_sql(), {"corpus": corpus, "first": first, "last": last}))
    return warn_of_further_columns(engine, corpus)


def write_chosen(engine: Engine, corpus: str, sentences: Sequence[int], out: BinaryIO) -> None:
    """Write some sentences of a corpus."""
    for at in range(0, len(sentences), SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "sentences": list(sentences[at : at + SENTENCES_AT_ONCE])}
        out.write(text_of(engine, lines_sql(CHOSEN), values))
