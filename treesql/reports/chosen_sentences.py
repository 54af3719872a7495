"""Which sentences a report shows: those where one of two systems wins most, where all fail, and a random sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treesql.kernels.arrays import Floats
from treesql.reports.evaluation_tables import EvaluationTables, sample, sentence_scores


@dataclass(frozen=True)
class SentenceList:
    """Sentences under a heading. name: of the list in data; numbers: of the sentences."""

    name: str
    title: str
    numbers: Sequence[int]


@dataclass(frozen=True)
class ChosenSentences:
    """Lists of sentences. scores: the main score of all sentences by system, NaN for none, float64[systems, n]."""

    lists: Sequence[SentenceList]
    scores: Floats

    @property
    def numbers(self) -> list[int]:
        """The sentences of all lists, each once."""
        return list(dict.fromkeys(number for one in self.lists for number in one.numbers))


def choose_sentences(tables: EvaluationTables, most: int, seed: int) -> ChosenSentences:
    """Choose at most so many sentences for each list.

    The first system wins most where the difference of the scores times the size of the sentence is largest; all fail
    where the best system loses most, likewise.
    """
    scores, sizes = sentence_scores(tables)
    better = -scores if tables.main.lower else scores
    numbers = tables.items.sentences
    first = tables.systems[0]

    def largest(gains: Floats) -> list[int]:
        known = np.where(np.isnan(gains), 0.0, gains)
        order = np.argsort(-known, kind="stable")[:most]
        return [int(numbers[at]) for at in order if known[at] > 0]

    lists = []
    if len(tables.systems) > 1:
        second = tables.systems[1]
        gains = (better[0] - better[1]) * sizes
        lists.append(SentenceList("first_wins", f"Where {first} wins most over {second}", largest(gains)))
        lists.append(SentenceList("second_wins", f"Where {second} wins most over {first}", largest(-gains)))
    known = np.where(np.isnan(better), -np.inf, better).max(axis=0)
    loss = np.where(np.isinf(known), 0.0, (1.0 - known if not tables.main.lower else -known)) * sizes
    title = "Where all systems fail" if len(tables.systems) > 1 else f"Where {first} fails most"
    lists.append(SentenceList("all_fail", title, largest(loss)))
    drawn = [int(number) for number in sample(numbers, most, seed)]
    lists.append(SentenceList("random", f"A random sample, seed {seed}", drawn))
    return ChosenSentences(lists, scores)
