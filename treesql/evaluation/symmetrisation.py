"""Symmetrise two alignments of the same sentences, of source with target words and of target with source words."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from treesql import catalog, readers, writers
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.errors import UsageError, Warn, issue
from treesql.readers import ALIGNMENT, TEXT, Notation, Options
from treesql.readers.fields import numbers
from treesql.readers.source import PACKED_ENDINGS, STANDARD_INPUT
from treesql.results.result import Result
from treesql.results.tables import open_whole
from treesql.runtime.failures import convert_errors
from treesql.scoring import scores
from treesql.storage import corpus_plans, exporting, link_checks, loading
from treesql.storage.corpus_plans import CorpusFiles

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
        files += corpus_plans.plan_loads([path], corpus, form, notation=notation, kind=ALIGNMENT)
    for corpus, path in texts:
        files += corpus_plans.plan_loads([path], corpus, kind=TEXT)
    return files


@dataclass(frozen=True, repr=False)
class SymmetrisedLinks(Result):
    """The links: `sentence, source, target`. content: the alignment as a file of its format."""

    content: bytes = b""


@convert_errors
def symmetrise(
    forward: str | Path,
    backward: str | Path,
    *,
    method: str = "grow-diag-final-and",
    variant: str = "either",
    reverse: bool = False,
    base: int | None = None,
    source: str | Path | None = None,
    target: str | Path | None = None,
    format: str | None = None,
    to: str | None = None,
    out: str | Path | None = None,
    max_sentence: int | str | None = None,
) -> SymmetrisedLinks:
    """Make one alignment from two: of source with target words, and of target with source words.

    In both files the source word comes first, unless `reverse` says otherwise of the second. method: intersection,
    union, grow-diag, grow-diag-final or grow-diag-final-and. variant: a link beside a taken one is taken if `either` of
    its words is not linked yet, or `both`. base: the number of a sentence's first word. source, target: the sentences,
    outside of which links are refused. format: of both files. to: format of the output, pharaoh or wpt, else that of
    the ending of `out`. out: a file to write to, whole or not at all. max_sentence: as for `treesql.load`. Warns with
    TreesqlWarning. Raises InvalidInput, UsageError, UnknownName, Incomparable.
    """
    if variant != "either" and not method.startswith("grow"):
        raise UsageError(f"--variant is for the methods that grow, not for {method}; leave it out")
    directions = (str(forward), Notation(base)), (str(backward), Notation(base, reverse))
    texts = (None if text is None else str(text) for text in (source, target))
    with readers.max_sentence(max_sentence):
        files = plan_directions(*directions, format, *texts)
        form = to or _format_of(out)
        if str(out).endswith(PACKED_ENDINGS):
            raise UsageError(f"{out}: links are not written compressed; name a file without this ending")
        with nullcontext() if out is None else open_whole(out) as file:
            links = _symmetrise(files, form, method=method, variant=variant)
            if file is not None:
                file.write(links.content)
        return links


def _format_of(out: str | Path | None) -> str:
    """The format of a file by its ending, by default pharaoh. Raises UsageError for formats that are not written."""
    form = readers.format_of([str(out or "")], None, ALIGNMENT)
    known = [name for name, written in writers.formats().items() if written.kind == ALIGNMENT]
    if form not in known:
        raise UsageError(f"{out}: links are written as {' or '.join(known)}, not as {form}; name another file, or --to")
    return form


def _symmetrise(files: Sequence[CorpusFiles], form: str, **parameters: str) -> SymmetrisedLinks:
    """Return the alignment made of two. files: from `plan_directions`; parameters: those of the query."""
    writer = exporting.writer_of(ALIGNMENT, form)
    engine, loaded = loading.load_into_memory(files, Options(), warn=issue)
    with engine:
        _check_links(engine, files, issue)
        values = {"forward_corpus": FORWARD, "backward_corpus": BACKWARD, **parameters}
        links_by_sentence = scores.run_query(engine, catalog.query(QUERY), values)
        longer = max(loaded[:2], key=lambda corpus: corpus.n_sentences)
        links = links_by_sentence.append_column(
            "sure", numbers(np.ones(len(links_by_sentence), dtype=bool), pa.bool_())
        )
        loading.register_rows(engine, schemas.table("alignments"), {"alignments": [(longer.corpus, links)]}, Options())
        written = io.BytesIO()
        writer.write(engine, longer.corpus, range(longer.n_sentences), written)
    return SymmetrisedLinks(links_by_sentence, content=written.getvalue())


def _check_links(engine: Engine, files: Sequence[CorpusFiles], warn: Warn) -> None:
    """Raises InvalidInput if links are outside of the texts. Warns if the two alignments hardly agree."""
    forward, backward, *texts = files
    known = {text.corpus for text in texts}
    source, target = (corpus if corpus in known else None for corpus in (SOURCE, TARGET))
    others = link_checks.other_readings(backward.form, backward.notation or Notation())
    of_forward = link_checks.other_readings(forward.form, forward.notation or Notation())
    of_forward = {reading: notation for reading, notation in of_forward.items() if not reading.reversed}
    for corpus_files, known_ways in ((forward, of_forward), (backward, others)):
        link_checks.check_links(engine, corpus_files.corpus, source, target, known_ways)
    warning = link_checks.suggest_notation(engine, FORWARD, BACKWARD, others)
    if warning:
        warn(warning)
