"""TALP's notation of word alignments: Pharaoh's with words counted from 1, `1-1 2s3 3p2`.

Source: Lambert, de Gispert, Banchs & Mariño 2005, Guidelines for word alignment evaluation and manual alignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from treesql.readers import Batch, Options, State
from treesql.readers.alignments.pharaoh import read_pairs
from treesql.readers.source import Source

SUFFIXES = (".talp",)
KIND = "alignment"

BASE = 1


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    yield from read_pairs(source, state, options, BASE)
