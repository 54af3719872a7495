"""A sentence of a file."""

from __future__ import annotations

from pathlib import Path

from treesql.readers import Options
from treesql.sentences import lookup
from treesql.sentences.sentence import Sentence


def sentence(content: bytes, path: Path, name: str = "0") -> Sentence:
    path.write_bytes(content)
    with lookup.open_file(str(path), Options()) as (connection, corpus):
        return lookup.find_sentences(connection, [name], corpus)[0]
