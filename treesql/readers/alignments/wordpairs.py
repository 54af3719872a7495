"""Word alignments as pairs of words, behind the sentences that have them: `das Haus ||| the house ||| das<sep>the
Haus<sep>house:0.93`.

The sentences are a line of the input of fast_align or awesome-align, the pairs a line of awesome-align's
`--output_word_file`; a number from 0 to 1 behind a pair is its probability. Words that occur several times are
ambiguous: each such pair is of the two words, not linked to each other yet, whose relative positions differ least.
Source: Dou & Neubig 2021, Word alignment by fine-tuning embeddings on parallel corpora.
"""

from __future__ import annotations

from collections.abc import Iterator

from treesql.errors import Diagnostic
from treesql.readers import Batch, Options, State
from treesql.readers.alignments.links import Link, base_of, read_line_by_line
from treesql.readers.alignments.pharaoh import is_probability
from treesql.readers.fields import LineFault
from treesql.readers.source import Source

SUFFIXES = (".wordpairs",)
KIND = "alignment"

BASE = 1

BAR, BETWEEN = "|||", "<sep>"

_FORM = "write the source words ||| the target words ||| pairs such as das<sep>the"


def read(source: Source, state: State, options: Options) -> Iterator[Batch]:
    """The links of a file, chunk by chunk. Raises InvalidInput, UsageError."""
    base_of(options, BASE)  # there are no positions, but a base that is none is refused
    ambiguous: list[str] = []
    hint = "give a file with a line for every sentence"
    yield from read_line_by_line(source, state, options, lambda content: _links_of(content, ambiguous), hint)
    if ambiguous:
        n = len(ambiguous)
        what = f"{n:,} pair{'s' if n > 1 else ''} of words that occur several times in their sentences"
        hint = "each is of the words whose relative positions differ least; links of positions, 0-0, are exact"
        state.warnings.append(Diagnostic.warning(source.name, 0, what, hint))


def _links_of(content: bytes, ambiguous: list[str]) -> list[Link]:
    """The links of a line; pairs that are ambiguous are added to the others."""
    text, unsure = content.decode("utf-8", "replace"), []
    fields = [field.replace("\t", " ").split(" ") for field in text.split(BAR)]
    if len(fields) != 3:
        raise LineFault(f"{len(fields)} field{'s' * (len(fields) > 1)} between |||, not 3", _FORM)
    source, target, pairs = ([word for word in field if word] for field in fields)
    probability_of_link: dict[tuple[int, int], float] = {}
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
            raise LineFault(f"`{pair[:60]}` stands more often than its words are in the sentences", "give it once")
        unsure += [pair] * (len(sources) * len(targets) > 1)
        best = min(free, key=lambda link: abs(link[0] * len(target) - link[1] * len(source)))
        probability_of_link[best] = probability
    ambiguous += unsure
    return [(*link, probability, True) for link, probability in probability_of_link.items()]


def _split_pair(pair: str) -> tuple[str, str, float]:
    left, between, right = pair.partition(BETWEEN)
    if not between or not left or not right:
        raise LineFault(f"`{pair[:60]}` is not a pair of words", _FORM)
    word, colon, number = right.rpartition(":")
    if not colon or not word or not number.replace(".", "", 1).replace("-", "").replace("e", "").isdigit():
        return left, right, float("nan")
    if not is_probability(number):
        raise LineFault(f"`{number[:60]}` of `{pair[:60]}` is not a number from 0 to 1", _FORM)
    return left, word, float(number)


def _places(word: str, words: list[str], side: str, pair: str) -> list[int]:
    """The positions of a word, from 1."""
    places = [at for at, other in enumerate(words, 1) if other == word]
    if not places:
        raise LineFault(f"`{word[:60]}` of `{pair[:60]}` is no word of the {side} sentence", _FORM)
    return places
