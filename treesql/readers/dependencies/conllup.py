"""CoNLL-U Plus: CoNLL-U with some of its columns, in any order, and further ones; the first line names them.

`.cupt` files of the PARSEME corpora are such files. Source: https://universaldependencies.org/ext-format.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from treesql.readers import (
    COLUMNS_EXAMPLE,
    STANDARD_COLUMNS,
    Batch,
    Options,
    State,
    column_names_in,
    find_column_faults,
    further_columns,
)
from treesql.readers.dependencies import conllu
from treesql.readers.dependencies.columns import read_chunks
from treesql.readers.dependencies.sentences import Layout
from treesql.readers.fields import Faults, clean_text
from treesql.readers.source import Chunk, Source

SUFFIXES = (".conllup", ".cupt")
KIND = "dependency"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The sentences of a CoNLL-U Plus file, chunk by chunk. Raises InvalidInput."""
    faults = Faults(source.name)
    chunks = source.chunks(limit=options.max_sentence)
    first = next(chunks)
    data = clean_text(first.data, 1, first.last, faults)
    if not data and first.last:
        names: Sequence[str] = STANDARD_COLUMNS
    else:
        line, _, rest = data.partition(b"\n")
        source.layout.columns = line.decode("utf-8", "replace")
        names = _check_names(source.layout.columns, rest, faults)
        first = Chunk(rest, first.last)
    checked = _check_named_once(chain([first], chunks), faults)
    yield from read_chunks(checked, 2, source, state, options, _layout(names), faults)


def _check_names(line: str, rest: bytes, faults: Faults) -> tuple[str, ...]:
    """The names of the columns in the first line of a file. rest: what follows it. Raises InvalidInput."""
    names = column_names_in(line)
    if names is None:
        later = rest.decode("utf-8", "replace").split("\n\n")[0].split("\n")
        at = next((at for at, later_line in enumerate(later, 2) if column_names_in(later_line) is not None), None)
        what = "the first line does not name the columns" if at is None else f"line {at} names the columns"
        hint = f"begin the file with a line such as `{COLUMNS_EXAMPLE}`"
        faults.add(at or 1, what if at is None else "the columns are named after the first line", hint)
    else:
        for what, hint in find_column_faults(names):
            faults.add(1, what, hint)
    faults.raise_any()
    assert names is not None
    return names


def _check_named_once(chunks: Iterable[Chunk], faults: Faults) -> Iterator[Chunk]:
    """Chunks from line 2 on; notes lines in them that name columns, as the first line of a file does."""
    first = 2
    for chunk in chunks:
        if b"global.columns" in chunk.data:
            for at, line in enumerate(chunk.data.decode("utf-8", "replace").split("\n"), first):
                if column_names_in(line) is not None:
                    hint = "remove it, or split the file here if its columns are others"
                    faults.add(at, "this line names columns again", hint)
        first += chunk.data.count(b"\n")
        yield chunk


def _layout(names: Sequence[str]) -> Layout:
    """The layout of a file with these columns."""
    further = further_columns(names)
    places = tuple(names.index(name) if name in names else None for name in (*STANDARD_COLUMNS, *further))
    return Layout(
        name="CoNLL-U Plus",
        fields=(len(names),),
        column_names=tuple(names),
        texts=conllu.LAYOUT.texts,
        final_blank_line=True,
        special_ids=True,
        expected="the first line names",
        places=places,
        further=further,
    )
