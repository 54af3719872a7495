"""Translation edit rate: against the kernel's oracle, sacrebleu, on random texts with shifts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.lattices import ints, offsets
from treesql.kernels.texts.translation_edits import translation_edits

words = st.lists(st.integers(0, 5), max_size=14)


def edits(pairs: list[tuple[list[int], list[int]]]) -> list[int]:
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    return translation_edits(
        ints([word for one in left for word in one]), offsets([len(one) for one in left]),
        ints([word for one in right for word in one]), offsets([len(one) for one in right]),
    ).tolist()  # fmt: skip


def test_edits_by_hand() -> None:
    pairs = [([], []), ([], [1, 2]), ([1, 2], []), ([1, 2], [1, 2]), ([3, 4, 5, 1, 2], [1, 2, 3, 4, 5]), ([1], [2])]
    assert edits(pairs) == [0, 2, 2, 0, 1, 1]  # the fifth: a shift


@pytest.mark.slow
@given(
    st.lists(
        st.one_of(st.tuples(words, words), words.flatmap(lambda one: st.tuples(st.permutations(one), st.just(one))))
    )
)
@settings(deadline=None, max_examples=30)
def test_edits_are_those_of_sacrebleu(pairs: list[tuple[list[int], list[int]]]) -> None:
    from sacrebleu.metrics import lib_ter as peer

    wanted = [peer.translation_edit_rate([*map(str, one)], [*map(str, other)])[0] for one, other in pairs]
    assert edits(pairs) == wanted
