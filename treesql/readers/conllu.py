"""CoNLL-U (Universal Dependencies): words, multiword tokens, empty nodes, enhanced dependencies, comments.

Source: https://universaldependencies.org/format.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from treesql.readers import STANDARD_COLUMNS, Batch, Options, State, names_other_columns
from treesql.readers.columns import read_chunks
from treesql.readers.fields import Faults
from treesql.readers.joined_files import JoinedFiles, read_joined, whole_text
from treesql.readers.sentences import Layout
from treesql.readers.source import HEAD_BYTES, Source

SUFFIXES = (".conllu",)
KIND = "dependency"

LAYOUT = Layout(
    name="CoNLL-U",
    fields=(10,),
    column_names=STANDARD_COLUMNS,
    texts={"upos": 3, "xpos": 4, "feats": 5, "deprel": 7, "deps": 8, "misc": 9},
    final_blank_line=True,
    special_ids=True,
)


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a CoNLL-U file, chunk by chunk. Raises InvalidInput."""
    chunks = source.chunks(limit=options.max_sentence)
    first = next(chunks)
    faults = Faults(source.name)
    if first.data.startswith(b"#") and names_other_columns(first.data[:HEAD_BYTES].decode("utf-8", "replace")):
        faults.add(1, "the first line names other columns than the ten of CoNLL-U", "read it with --from conllup")
        faults.raise_any()
    yield from read_chunks(chain([first], chunks), 1, source, state, options, LAYOUT, faults)


def text_to_join(source: Source, options: Options) -> bytes | None:
    """The bytes of a small file that `read_together` takes; None if it has to be read alone. Raises InvalidInput."""
    text = whole_text(source, options)
    return None if text is None or names_other_columns(text[:HEAD_BYTES].decode("utf-8", "replace")) else text


def read_together(texts: Mapping[str, bytes], options: Options) -> JoinedFiles | None:
    """The sentences of small files by name, without files that have warnings; None if there is a fault in any."""
    return read_joined(texts, options, LAYOUT)
