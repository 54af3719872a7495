"""The queries of the catalogue as the front door lists them."""

from __future__ import annotations

import pytest

import treesql
from treesql import catalog
from treesql.catalog import query_list


def test_every_query_is_listed_with_its_header() -> None:
    found = {one.name: one for one in treesql.queries()}
    assert list(found) == list(catalog.all_queries())
    one = found["attachment"]
    assert (one.kind, one.folder) == ("metric", "dependency")
    assert one.scores[::3] == ("uas", "las", "la")
    [punctuation] = [parameter for parameter in one.parameters if parameter.name == "punctuation"]
    assert punctuation.choices == ("all", "form", "relation")
    assert punctuation.default == "all"
    assert one.doc


def test_named_queries_have_their_statement_and_their_page() -> None:
    one, other = treesql.queries("exact_match", "attachment")
    assert (one.name, other.name) == ("exact_match", "attachment")
    assert one.sql == catalog.query("exact_match").statement.sql
    assert str(one) == one.markdown == query_list.describe(catalog.query("exact_match")).rstrip()
    with pytest.raises(treesql.UnknownName, match="did you mean attachment"):
        treesql.queries("attachmnt")
