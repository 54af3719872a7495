"""Symmetrise two alignments of the same sentences, of source with target words and of target with source words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import UsageError, Warn
from treesql.readers import TEXT, Notation, Options
from treesql.readers.fields import numbers
from treesql.readers.source import STANDARD_INPUT
from treesql.scoring import statistics
from treesql.storage import exporting, in_memory, link_checks, loading
from treesql.storage.loading import CorpusFiles

QUERY = "symmetrised"
FORWARD, BACKWARD = "the forward alignment", "the backward alignment"
SOURCE, TARGET = "the source text", "the target text"


def plan_directions(
    forward: tuple[str, Notation],
    backward: tuple[str, Notation],
    form: str | None = None,
    source: str | None = None,
    target: str | None = None,
) -> list[CorpusFiles]:
    """The files of two alignments, and of the texts whose words they link, against which links are checked.

    Raises InvalidInput, UnknownName, UsageError.
    """
    texts = [(corpus, path) for corpus, path in ((SOURCE, source), (TARGET, target)) if path is not None]
    if [forward[0], backward[0], *(path for _, path in texts)].count(STANDARD_INPUT) > 1:
        raise UsageError("standard input can be read only once; name a file")
    files = []
    for corpus, (path, notation) in ((FORWARD, forward), (BACKWARD, backward)):
        files += loading.plan_loads([path], corpus, form, notation=notation, kind=loading.ALIGNMENT)
    for corpus, path in texts:
        files += loading.plan_loads([path], corpus, kind=TEXT)
    return files


def symmetrise(
    files: Sequence[CorpusFiles], method: str, out: BinaryIO, form: str = "pharaoh", warn: Warn = lambda warning: None
) -> int:
    """Write the alignment made of two; return the number of its links.

    files: from `plan_directions`; method: of the query; form: format of the output. Raises InvalidInput,
    UsageError, UnknownName, Incomparable.
    """
    writer = exporting.writer_of(loading.ALIGNMENT, form)
    engine, loaded = in_memory.load_into_memory(files, Options())
    with engine:
        for warning in loading.distinct_warnings(loaded):
            warn(warning)
        _check_links(engine, files, warn)
        values = {"forward_corpus": FORWARD, "backward_corpus": BACKWARD, "method": method}
        found = statistics.run_query(engine, catalog.query(QUERY), values)
        longer = max(loaded[:2], key=lambda one: one.n_sentences)
        links = found.append_column("sure", numbers(np.ones(len(found), dtype=bool), pa.bool_()))
        in_memory.register_rows(
            engine, schemas.table("alignments"), {"alignments": [(longer.corpus, links)]}, Options()
        )
        writer.write(engine, longer.corpus, range(longer.n_sentences), out)
    return len(found)


def _check_links(engine: Engine, files: Sequence[CorpusFiles], warn: Warn) -> None:
    """Raises InvalidInput if links are outside of the texts. Warns if the two alignments hardly agree."""
    forward, backward, *texts = files
    known = {text.corpus for text in texts}
    source, target = (corpus if corpus in known else None for corpus in (SOURCE, TARGET))
    others = link_checks.other_readings(backward.form, backward.notation or Notation())
    of_forward = link_checks.other_readings(forward.form, forward.notation or Notation())
    of_forward = {way: how for way, how in of_forward.items() if not way.reversed}
    for one, known_ways in ((forward, of_forward), (backward, others)):
        link_checks.check_links(engine, one.corpus, source, target, known_ways)
    warning = link_checks.suggest_notation(engine, FORWARD, BACKWARD, others)
    if warning:
        warn(warning)
