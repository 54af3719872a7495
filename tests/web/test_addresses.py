"""Addresses of any names lead to them, also in a browser, which resolves `.` and `..`."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest

from tests.robustness.server_attacks import NAMES
from treesql.web.addresses import Address, link


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["html", "json"])
def test_a_link_leads_to_its_parts(name: str, form: str) -> None:
    for parts in (
        ("corpora", name),
        ("sentences", name, "tea"),
        ("sentences", "gold", name),
        ("sentences", name, name),
    ):
        written = link(*parts, form=form, table="sentences", corpus=name)
        place = urlsplit(urljoin("http://127.0.0.1/search", written))
        found = Address.parse(place.path, place.query)
        assert (found.parts, found.form) == (parts, form)
        assert (found.get("table"), found.get("corpus")) == ("sentences", name)
        assert found.link(form) == written


def test_newlines_of_texts_are_those_that_were_typed() -> None:
    found = Address.parse("/search", "q=a%0D%0Ab&corpus=a%0D%0Ab")
    assert (found.get("q"), found.get("corpus")) == ("a\nb", "a\r\nb")
