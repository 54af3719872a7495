"""Pairs of links that share a word, against a slow and obvious twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from treesql.kernels.alignments.alignment import match_links

Links = list[tuple[int, int]]


def share(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] == other[0] or one[1] == other[1]


def most_pairs(links: Links, others: Links) -> int:
    """The size of a largest matching, by trying everything."""
    if not links:
        return 0
    rest = links[1:]
    tried = [most_pairs(rest, others)]
    for at, other in enumerate(others):
        if share(links[0], other):
            tried.append(1 + most_pairs(rest, others[:at] + others[at + 1 :]))
    return max(tried)


def words(links: Links, first_target: int) -> np.ndarray:
    """Numbers of source and target words. first_target: the number of target word 0."""
    numbers = np.array(links, dtype=np.int64).reshape(-1, 2).T
    return np.stack([numbers[0], numbers[1] + first_target])


def matched(links: Links, others: Links) -> list[int]:
    """Partners by the kernel; target words are numbered behind source words."""
    return match_links(words(links, 100), words(others, 100)).tolist()  # type: ignore[no-any-return]


def test_by_hand() -> None:
    """The first link leaves its first choice to the second one, which has no other."""
    assert matched([], []) == []
    assert matched([(1, 1)], []) == [-1]
    assert matched([], [(1, 1)]) == []
    assert matched([(1, 1)], [(2, 2)]) == [-1]
    assert matched([(1, 1)], [(1, 2)]) == [0]
    assert matched([(1, 1)], [(1, 1)]) == [0]
    assert matched([(1, 1), (1, 2), (3, 3)], [(1, 3)]) == [0, -1, -1]
    assert matched([(1, 1), (2, 9)], [(2, 1), (1, 8)]) == [1, 0]


def test_a_long_chain_of_changes_of_partner() -> None:
    """Link k shares words with others k and k - 1 alone: all are paired, the last one by moving every other."""
    n = 2000
    chain = [*((k, k) for k in range(1, n)), (0, 0)]
    others = [*((k, k + 1) for k in range(n - 1)), (n - 1, 10**6)]
    found = match_links(words(chain, 2 * n), words(others, 2 * n))
    assert sorted(found.tolist()) == list(range(n))


links = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=6, unique=True)


@given(links, links)
@settings(max_examples=20)
def test_against_a_slow_twin(one: Links, other: Links) -> None:
    found = matched(one, other)
    taken = [at for at in found if at >= 0]
    assert len(taken) == len(set(taken)) == most_pairs(one, other)
    assert all(share(link, other[at]) for link, at in zip(one, found, strict=True) if at >= 0)
