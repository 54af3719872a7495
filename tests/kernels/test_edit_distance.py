"""Alignments of pairs of sequences against a slow definition."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import lattices as slow
from tests.kernels.dependencies import levenshtein
from tests.kernels.nested import ints
from treesql.kernels.texts.edit_distance import DELETION, INSERTION, MATCH, SUBSTITUTION, alignments, edit_distances

pairs = st.lists(st.tuples(slow.words, slow.words), max_size=5)


@cache
def least_weight(one: slow.Words, other: slow.Words, substitution: int, gap: int) -> tuple[int, int]:
    """The least weight of an alignment, and the most matches of such a one, negated."""
    if not one or not other:
        return gap * (len(one) + len(other)), 0
    weight, matches = least_weight(one[1:], other[1:], substitution, gap)
    same = one[0] == other[0]
    found = [(weight + (0 if same else substitution), matches - same)]
    shorter = least_weight(one[1:], other, substitution, gap), least_weight(one, other[1:], substitution, gap)
    found += [(weight + gap, matches) for weight, matches in shorter]
    return min(found)


@given(pairs, st.sampled_from([(1, 1), (4, 3)]))
@settings(max_examples=20)
def test_alignments_have_least_weight_and_most_matches(
    pairs: list[tuple[slow.Words, slow.Words]], weights: tuple[int, int]
) -> None:
    substitution, gap = weights
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    sequences = (
        slow.ints([word for one in left for word in one]), slow.offsets([len(one) for one in left]),
        slow.ints([word for one in right for word in one]), slow.offsets([len(one) for one in right]),
    )  # fmt: skip
    found = alignments(*sequences, substitution, gap)
    for at, (one, other) in enumerate(pairs):
        here = slice(int(found.offsets[at]), int(found.offsets[at + 1]))
        steps = list(zip(found.kind[here].tolist(), found.left[here].tolist(), found.right[here].tolist(), strict=True))
        assert [place for _, place, _ in steps if place >= 0] == list(range(len(one)))
        assert [place for _, _, place in steps if place >= 0] == list(range(len(other)))
        for kind, i, j in steps:
            assert (i < 0, j < 0) == {INSERTION: (False, True), DELETION: (True, False)}.get(kind, (False, False))
            if kind in (MATCH, SUBSTITUTION):
                assert (one[i] == other[j]) == (kind == MATCH)
        weight = sum({MATCH: 0, SUBSTITUTION: substitution}.get(kind, gap) for kind, _, _ in steps)
        assert (weight, -sum(kind == MATCH for kind, _, _ in steps)) == least_weight(one, other, substitution, gap)


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=7), st.lists(st.integers(0, 3), max_size=7)), max_size=5)
)
def test_edit_distances(pairs: list[tuple[list[int], list[int]]]) -> None:
    flat = []
    for side in range(2):
        flat.append(ints([item for pair in pairs for item in pair[side]]))
        lengths = [len(pair[side]) for pair in pairs]
        flat.append(ints([sum(lengths[:at]) for at in range(len(pairs) + 1)]))
    assert edit_distances(*flat).tolist() == [levenshtein(tuple(one), tuple(other)) for one, other in pairs]
