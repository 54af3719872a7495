"""CoNLL-X and CoNLL 2007: 10 columns, or 8 without PHEAD and PDEPREL, which go to `misc`. CPOSTAG is `upos`.

Source: Buchholz & Marsi 2006, CoNLL-X shared task on multilingual dependency parsing, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from treesql.readers import Batch, Options, State
from treesql.readers.dependencies.columns import read_columns
from treesql.readers.dependencies.sentences import Layout
from treesql.readers.source import Source

SUFFIXES = (".conllx", ".conll")
KIND = "dependency"

LAYOUT = Layout(
    name="CoNLL-X",
    fields=(8, 10),
    column_names=("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL"),
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a CoNLL-X file, chunk by chunk. Raises InvalidInput."""
    yield from read_columns(source, state, options, LAYOUT)
