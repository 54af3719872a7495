"""Warnings about a Parquet data set: those that readers of other formats give, in the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from treesql.errors import MAX_NAMED, Diagnostic
from treesql.kernels.arrays import Ints
from treesql.readers.columns import FINDINGS, Finding, RepeatedFeatures
from treesql.readers.lattices import LatticeWarnings
from treesql.readers.links import LinkWarnings
from treesql.runtime.arrays import compute as pc


@dataclass
class DataSetWarnings:
    """What was found in the rows of a corpus.

    roots, cyclic, doubled: sentences with several roots, with cycles, and with a repeated feature; ids, files: sent_id
    and file of sentences; links, lattices: warnings of these kinds of corpora.
    """

    roots: list[Ints] = field(default_factory=list)
    cyclic: list[Ints] = field(default_factory=list)
    doubled: list[Ints] = field(default_factory=list)
    ids: list[pa.Array] = field(default_factory=list)
    files: list[pa.Array] = field(default_factory=list)
    features: RepeatedFeatures = field(default_factory=RepeatedFeatures)
    links: LinkWarnings = field(default_factory=LinkWarnings)
    lattices: LatticeWarnings = field(default_factory=lambda: LatticeWarnings("row"))

    def add_sentences(self, batch: pa.RecordBatch) -> None:
        """Keep what names sentences."""
        if "sent_id" in batch.schema.names and "file" in batch.schema.names:
            self.ids.append(batch.column("sent_id"))
            self.files.append(batch.column("file").dictionary_encode())

    def add_features(self, batch: pa.RecordBatch) -> None:
        """Note the sentences of rows whose FEATS name a feature twice."""
        if "feats" in batch.schema.names:
            self.doubled.append(self.features.sentences_of(batch))

    def repeated_ids(self) -> Ints:
        """The sentences whose sent_id an earlier one of the corpus has."""
        return _repeated(pa.chunked_array(self.ids, pa.string()))

    def repeated_ids_of_files(self) -> Ints:
        """The sentences whose sent_id an earlier one of the same file has."""
        ids = pa.chunked_array(self.ids, pa.string())
        files = pa.chunked_array(self.files).cast(pa.string()) if self.files else ids
        return _repeated(pc.binary_join_element_wise(ids, files, "\0"))

    def warnings(self, kind: str, path_of: Callable[[str], str]) -> Iterator[Diagnostic]:
        """The warnings about a corpus of a kind. path_of: the file of a table."""
        if kind == "dependency":
            found = (_joined(self.roots), _joined(self.cyclic), self.repeated_ids(), _joined(self.doubled))
            for texts, sentences in zip(FINDINGS, found, strict=True):
                if len(sentences):
                    finding = Finding(*texts, "row")
                    shown = sentences[:MAX_NAMED]
                    finding.add(np.arange(len(shown)), self._names(shown), shown + 1, len(sentences))
                    yield finding.warning(path_of("sentences"))
        elif kind == "alignment":
            yield from self.links.warnings(path_of("alignments"))
        elif kind == "lattice":
            if self.ids:
                names = pa.chunked_array(self.ids)
                self.lattices.add_names(names, np.arange(1, len(names) + 1), set())
            yield from self.lattices.warnings(path_of("lattices"))

    def _names(self, sentences: Ints) -> list[str | None]:
        if not self.ids:
            return [None] * len(sentences)
        names: list[str | None] = pa.chunked_array(self.ids).take(pa.array(sentences)).to_pylist()
        return names


def _repeated(names: pa.ChunkedArray) -> Ints:
    """The places of names that an earlier one has, ascending; NULL is none."""
    there = np.flatnonzero(np.asarray(names.is_valid()))
    codes = np.asarray(names.drop_null().combine_chunks().dictionary_encode().indices)
    _, first = np.unique(codes, return_index=True)
    found: Ints = np.delete(there, first).astype(np.int64)
    return found


def _joined(found: list[Ints]) -> Ints:
    """Sentences found in several batches, ascending, each once."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
