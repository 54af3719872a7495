"""Which texts were there before, against a set."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from treesql.readers.columns import SeenTexts

TEXTS = st.lists(st.one_of(st.none(), st.text("ab", max_size=3)), max_size=8)


@given(st.lists(TEXTS, max_size=12))
def test_as_a_set_has_them(batches: list[list[str | None]]) -> None:
    seen, known = SeenTexts(), set[str]()
    for batch in batches:
        expected = []
        for text in batch:
            expected.append(text is not None and text in known)
            known |= set() if text is None else {text}
        padded = pa.array([None, *batch], pa.string_view()).slice(1)  # as readers have them, inside of longer buffers
        assert seen.add(padded).tolist() == expected
