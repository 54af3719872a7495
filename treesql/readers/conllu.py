"""CoNLL-U (Universal Dependencies): words, multiword tokens, empty nodes, enhanced dependencies, comments.

Source: https://universaldependencies.org/format.html.
"""

from __future__ import annotations

from collections.abc import Iterator

from treesql.readers import Batch, Options, State
from treesql.readers.columns import read_columns
from treesql.readers.sentences import Layout
from treesql.readers.source import Source

SUFFIXES = (".conllu",)
KIND = "dependency"

LAYOUT = Layout(
    name="CoNLL-U",
    fields=(10,),
    column_names=("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"),
    texts={"upos": 3, "xpos": 4, "feats": 5, "deprel": 7, "deps": 8, "misc": 9},
    final_blank_line=True,
    special_ids=True,
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a CoNLL-U file, chunk by chunk. Raises InvalidInput."""
    yield from read_columns(source, state, options, LAYOUT)
