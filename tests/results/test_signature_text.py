"""Signatures that are joined."""

from __future__ import annotations

from treesql.results import signature_text


def test_signatures_that_agree_are_one_line() -> None:
    texts = ["uas|a:1|gold:x|q:1|v:0|duckdb:2", "las|a:1|gold:x|q:1|v:0|duckdb:2", "em|gold:x|b:2|q:3|v:0|duckdb:2"]
    assert signature_text.joined(texts) == ["uas,las,em|a:1|gold:x|b:2|q:1,3|v:0|duckdb:2"]
    other = "uas|a:1|gold:y|q:1|v:0|duckdb:2"
    assert signature_text.joined([*texts[:2], other]) == ["uas,las|a:1|gold:x|q:1|v:0|duckdb:2", other]
    assert signature_text.joined(["a|where:x \\| y|q:1|v:0|duckdb:2"]) == ["a|where:x \\| y|q:1|v:0|duckdb:2"]
