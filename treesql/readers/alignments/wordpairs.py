"""Word alignments as pairs of words, behind the sentences that have them: `das Haus ||| the house ||| das<sep>the
Haus<sep>house:0.93`.

The sentences are a line of the input of fast_align or awesome-align, the pairs a line of awesome-align's
`--output_word_file`; a number from 0 to 1 behind a pair is its probability. Words that occur several times are
ambiguous: each such pair is of the two words, not linked to each other yet, whose relative positions differ least.
Source: Dou & Neubig 2021, Word alignment by fine-tuning embeddings on parallel corpora.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from treesql.errors import Diagnostic
from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import Links, LinkWarnings, base_of, lines_of_links, link_batch
from treesql.readers.alignments.pharaoh import is_probability
from treesql.readers.fields import Faults, refuse_long
from treesql.readers.source import Source

SUFFIXES = (".wordpairs",)
KIND = "alignment"

BASE = 1

BAR, BETWEEN = "|||", "<sep>"

_FORM = "write the source words ||| the target words ||| pairs such as das<sep>the"

Link = tuple[int, int, float]
"""Both words, from 1, and the probability, NaN where there is none."""


class _PairFault(Exception):
    """A fault of a line: what is wrong, and what to do."""


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    base_of(options, BASE)  # there are no positions, but a base that is none is refused
    faults, warnings, n_lines, ambiguous = Faults(source.name), LinkWarnings(), 0, 0
    for data, line in lines_of_links(source, faults, options.max_sentence):
        rows: list[list[Link]] = []
        for number, content in enumerate(data.decode("utf-8", "replace").split("\n")[:-1], line):
            try:
                links, unsure = _read_line(content)
            except _PairFault as fault:
                faults.add(number, *fault.args)
                links, unsure = [], 0
            rows.append(links)
            ambiguous += unsure
        n_lines += len(rows)
        lengths = np.array([len(row) for row in rows])
        refuse_long(lengths, line + np.arange(len(rows)), options.max_sentence, faults, "links")
        if faults.full:
            break
        if faults.found:
            continue
        flat = np.array([link for row in rows for link in row], dtype=np.float64).reshape(-1, 3)
        left, right = flat[:, 0].astype(np.int64), flat[:, 1].astype(np.int64)
        sure = np.ones(len(flat), dtype=bool)
        batch_links = Links(np.repeat(np.arange(len(rows)), lengths), left, right, sure, flat[:, 2].copy())
        yield link_batch(batch_links, line + np.arange(len(rows)), source.name, state, options, warnings)
    if not n_lines and not faults.found:
        faults.add(0, "the file is empty", "give a file with a line for every sentence")
    faults.raise_any()
    state.warnings += warnings.warnings(source.name)
    if ambiguous:
        what = f"{ambiguous:,} pair{'s' if ambiguous > 1 else ''} of words that occur several times in their sentences"
        hint = "each is of the words whose relative positions differ least; links of positions, 0-0, are exact"
        state.warnings.append(Diagnostic.warning(source.name, 0, what, hint))


def _read_line(content: str) -> tuple[list[Link], int]:
    """The links of a line, and how many of them are ambiguous."""
    fields = [field.replace("\t", " ").split(" ") for field in content.split(BAR)]
    if len(fields) != 3:
        raise _PairFault(f"{len(fields)} field{'s' * (len(fields) > 1)} between |||, not 3", _FORM)
    source, target, pairs = ([word for word in field if word] for field in fields)
    probability_of_link: dict[tuple[int, int], float] = {}
    unsure = 0
    for pair in pairs:
        left, right, probability = _split_pair(pair)
        sources, targets = _places(left, source, "source", pair), _places(right, target, "target", pair)
        free = [
            (left_place, right_place)
            for left_place in sources
            for right_place in targets
            if (left_place, right_place) not in probability_of_link
        ]
        if not free:
            raise _PairFault(f"`{pair[:60]}` stands more often than its words are in the sentences", "give it once")
        unsure += len(sources) * len(targets) > 1
        best = min(free, key=lambda link: abs(link[0] * len(target) - link[1] * len(source)))
        probability_of_link[best] = probability
    return [(*link, probability) for link, probability in probability_of_link.items()], unsure


def _split_pair(pair: str) -> tuple[str, str, float]:
    left, between, right = pair.partition(BETWEEN)
    if not between or not left or not right:
        raise _PairFault(f"`{pair[:60]}` is not a pair of words", _FORM)
    word, colon, number = right.rpartition(":")
    if not colon or not word or not number.replace(".", "", 1).replace("-", "").replace("e", "").isdigit():
        return left, right, float("nan")
    if not is_probability(number):
        raise _PairFault(f"`{number[:60]}` of `{pair[:60]}` is not a number from 0 to 1", _FORM)
    return left, word, float(number)


def _places(word: str, words: list[str], side: str, pair: str) -> list[int]:
    """The positions of a word, from 1."""
    places = [at for at, other in enumerate(words, 1) if other == word]
    if not places:
        raise _PairFault(f"`{word[:60]}` of `{pair[:60]}` is no word of the {side} sentence", _FORM)
    return places
