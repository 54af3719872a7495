"""The format of the shared tasks on word alignment (WPT 2003 and 2005): a line for each link.

A line is `sentence source target [S|P] [confidence]`; sentences and words count from 1, and the number of a sentence is
its `sent_id`. Source: Mihalcea & Pedersen 2003, An evaluation exercise for word alignment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from treesql.errors import Diagnostic
from treesql.kernels.arrays import Flags, Floats, Ints
from treesql.kernels.scanning import links as kernel
from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import (
    PAIRS_HINT,
    Links,
    LinkWarnings,
    base_of,
    concatenate_links,
    lines_of_links,
    link_batch,
)
from treesql.readers.fields import Faults, Field, Text, numbers, refuse_long, take
from treesql.readers.source import Source
from treesql.runtime.arrays import differs_from_previous

SUFFIXES = (".wpt", ".wa", ".naacl")
KIND = "alignment"

BASE = 1

MAX_SENTENCES_WITHOUT_LINKS = 100_000
"""Maximum number of sentences beyond that of links: a file with a link of sentence 123456789 is no alignment."""

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_CONFIDENCE = re.compile(_NUMBER)
_POSITION = re.compile(r"[0-9]{1,9}")
_NEGATIVE = re.compile(r"-[0-9]+")
_PAIR = re.compile(r"[0-9]+[-sSpP?][0-9]+(?::\w)?")


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, all at once: those of a sentence may be anywhere. Raises InvalidInput, UsageError."""
    base = base_of(options, BASE)
    faults, warnings = Faults(source.name), LinkWarnings()
    runs: list[Links] = []
    line_of = [np.zeros(0, dtype=np.int64)]
    for data, line in lines_of_links(source, faults, options.max_sentence):
        parsed = None if faults.found else _links(Text(data), base)
        if parsed is None:
            _find_malformed(data, line, faults)
        else:
            runs.append(parsed)
            line_of.append(line + np.arange(len(parsed.sentence)))
        if faults.full:
            break
    n_links, last = sum(len(run.sentence) for run in runs), max((int(run.sentence.max()) for run in runs), default=-1)
    if last >= n_links + MAX_SENTENCES_WITHOUT_LINKS:
        what = f"a link of sentence {last + 1}, and no more than {n_links} links"
        faults.add(0, what, "the first number of a line counts sentences from 1")
    faults.raise_any()
    links = concatenate_links(runs)
    first_lines = _first_lines(links.sentence, np.concatenate(line_of))
    refuse_long(np.bincount(links.sentence), first_lines, options.max_sentence, faults, "links")
    faults.raise_any()
    if links.confidence is not None:
        warnings.outside += int(np.count_nonzero((links.confidence < 0) | (links.confidence > 1)))
    names = pc.cast(numbers(np.arange(1, len(first_lines) + 1), pa.int64()), pa.string())
    yield link_batch(links, first_lines, source.name, state, options, warnings, names=names)
    state.warnings += warnings.warnings(source.name)
    if not n_links:
        state.warnings.append(
            Diagnostic.warning(source.name, 0, "the file is empty", "it counts as an alignment without links")
        )


def _first_lines(sentence: Ints, line: Ints) -> Ints:
    """For every sentence the line of its first link, or where it has none, of the next sentence's."""
    if not len(sentence):
        return line
    if (sentence[1:] < sentence[:-1]).any():
        order = np.argsort(sentence, kind="stable")
        sentence, line = sentence[order], line[order]
    first = np.flatnonzero(differs_from_previous(sentence))
    return line[first][np.searchsorted(sentence[first], np.arange(sentence[-1] + 1))]


def _links(text: Text, base: int) -> Links | None:
    """The links of a run of lines; None if any line is malformed."""
    starts, lengths, per_line = kernel.find_fields(text.raw)
    if (per_line < 3).any() or (per_line > 5).any():
        return None
    first = np.cumsum(per_line) - per_line
    sentence, source, target = (kernel.parse_numbers(text.raw, *take((starts, lengths), first + at)) for at in range(3))
    if sentence is None or source is None or target is None or (sentence < 1).any():
        return None
    with_one, with_two = (np.flatnonzero(per_line > at) for at in (3, 4))
    extra = np.concatenate([first[with_one] + 3, first[with_two] + 4])
    marks = _sure_and_confidence(text, take((starts, lengths), extra), np.concatenate([with_one, with_two]), len(first))
    if marks is None:
        return None
    return Links(sentence.astype(np.int64) - 1, source + (1 - base), target + (1 - base), *marks)


def _sure_and_confidence(text: Text, field: Field, line: Ints, n: int) -> tuple[Flags, Floats | None] | None:
    """Whether each of n lines is sure, and its confidence, from the fields behind the third of each, in any order."""
    letter, possible = kernel.find_letters(text.raw, *field)
    if max(np.bincount(line[which], minlength=1).max() for which in (letter, ~letter)) > 1:
        return None
    sure = np.ones(n, dtype=bool)
    sure[line[possible]] = False
    if letter.all():
        return sure, None
    values = text.strings(take(field, ~letter)).cast(pa.string())
    if not all(map(_is_confidence, set(values.to_pylist()))):
        return None
    confidence = np.full(n, np.nan)
    confidence[line[~letter]] = np.frombuffer(values.cast(pa.float64()).buffers()[1], dtype=np.float64)
    return sure, confidence


def _find_malformed(data: bytes, first: int, faults: Faults) -> None:
    """Add the first fault of every line."""
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n")[:-1], first):
        fault = _fault(line.replace("\t", " ").split(" "))
        if fault:
            faults.add(number, *fault)
        if faults.full:
            return


def _fault(cells: list[str]) -> tuple[str, str] | None:
    """The first fault of a line and its fix."""
    cells = [cell for cell in cells if cell]
    form = "write sentence, source and target, and if you like S or P and a confidence"
    if not cells:
        return "an empty line", "remove it; every line is a link"
    if _PAIR.fullmatch(cells[0]):
        form = PAIRS_HINT
    if len(cells) < 3 or len(cells) > 5:
        return f"{len(cells)} field{'s' if len(cells) > 1 else ''}", form
    for name, cell in zip(("sentence", "source word", "target word"), cells, strict=False):
        if _NEGATIVE.fullmatch(cell):
            return f"the {name} `{cell}` is negative", "sentences and words count from 1"
        if not _POSITION.fullmatch(cell):
            return f"the {name} `{cell[:60]}` is not a number of up to 9 digits", form
    if int(cells[0]) == 0:
        return "a link of sentence 0", "count sentences from 1"
    letters = [cell for cell in cells[3:] if cell in ("S", "P", "s", "p")]
    others = [cell for cell in cells[3:] if cell not in letters]
    if len(letters) > 1:
        return f"two letters, {' and '.join(letters)}", "give every link one: S if it is sure, P if it is possible"
    if len(others) > 1:
        return f"two confidences, `{others[0][:60]}` and `{others[1][:60]}`", form
    if others and not _CONFIDENCE.fullmatch(others[0]):
        return f"`{others[0][:60]}` is not a confidence, S or P", form
    if others and not _is_confidence(others[0]):
        return f"the confidence `{others[0][:60]}` is not finite", "write a number such as 0.5"
    return None


def _is_confidence(cell: str) -> bool:
    """Whether a field is a finite number."""
    return bool(_CONFIDENCE.fullmatch(cell)) and math.isfinite(float(cell))
