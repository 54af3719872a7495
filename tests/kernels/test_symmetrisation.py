"""The grow-diag heuristics against a slow and obvious twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treesql.kernels.alignments import alignment
from treesql.kernels.alignments.alignment import BACKWARD, BOTH, FINAL, FINAL_AND, FORWARD, NO_FINAL

Links = set[tuple[int, int]]


def grown(forward: Links, backward: Links, final: int, both_new: bool = False) -> Links:
    taken = forward & backward

    def linked(link: tuple[int, int]) -> tuple[bool, bool]:
        return any(link[0] == i for i, _ in taken), any(link[1] == j for _, j in taken)

    def beside(link: tuple[int, int]) -> bool:
        return any(max(abs(link[0] - i), abs(link[1] - j)) == 1 for i, j in taken)

    added = True
    while added:
        added = False
        for link in sorted((forward | backward) - taken):
            if beside(link) and not (any if both_new else all)(linked(link)):
                taken.add(link)
                added = True
    if final != NO_FINAL:
        for side in (forward, backward):
            for link in sorted(side - taken):
                both = linked(link)
                if not any(both) or (final == FINAL and not all(both)):
                    taken.add(link)
    return taken


def by_kernel(sentences: list[tuple[Links, Links]], final: int, both_new: bool = False) -> list[Links]:
    rows = [sorted(forward | backward) for forward, backward in sentences]
    flat = [link for links in rows for link in links]
    direction = [
        (FORWARD if link in forward else 0) + (BACKWARD if link in backward else 0)
        for links, (forward, backward) in zip(rows, sentences, strict=True)
        for link in links
    ]
    offsets = np.cumsum([0, *map(len, rows)])
    columns = (np.array([link[i] for link in flat], dtype=np.int64) for i in range(2))
    flags = alignment.grow_diag(*columns, np.array(direction, dtype=np.int64), offsets, final, both_new=both_new)
    taken = flags.tolist()
    ends = offsets.tolist()
    return [
        {link for link, kept in zip(flat[a:b], taken[a:b], strict=True) if kept} for a, b in itertools.pairwise(ends)
    ]


def test_by_hand() -> None:
    """(2, 2) stands beside (1, 2) and brings in a word, as does (2, 3) then; (5, 1) brings in two, (5, 6) then one."""
    forward, backward = {(1, 2), (2, 3), (5, 1)}, {(1, 2), (2, 2), (5, 6)}
    assert BOTH == FORWARD + BACKWARD
    assert by_kernel([(forward, backward)], NO_FINAL) == [{(1, 2), (2, 2), (2, 3)}]
    assert by_kernel([(forward, backward)], FINAL) == [{(1, 2), (2, 2), (2, 3), (5, 1), (5, 6)}]
    assert by_kernel([(forward, backward)], FINAL_AND) == [{(1, 2), (2, 2), (2, 3), (5, 1)}]
    assert by_kernel([(set(), set()), (set(), {(3, 3)})], FINAL_AND) == [set(), {(3, 3)}]
    assert by_kernel([(forward, backward)], NO_FINAL, True) == [{(1, 2), (2, 3)}], "(2, 2) brings in one word alone"
    far = {(1, 1), (10**9, 10**9)}
    assert by_kernel([(far, {(1, 1)})], NO_FINAL) == [{(1, 1)}]


positions = st.tuples(st.integers(1, 7), st.integers(1, 7))
sentence = st.tuples(st.sets(positions, max_size=14), st.sets(positions, max_size=14))


@pytest.mark.parametrize("final", [NO_FINAL, FINAL, FINAL_AND])
@given(st.lists(sentence, max_size=4), st.booleans())
def test_against_a_slow_twin(final: int, sentences: list[tuple[Links, Links]], both_new: bool) -> None:
    assert by_kernel(sentences, final, both_new) == [grown(*one, final, both_new) for one in sentences]
