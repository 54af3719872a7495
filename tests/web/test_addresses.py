"""Addresses of any names lead to them, also in a browser, which resolves `.` and `..`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.robustness.server_attacks import NAMES
from treesql.web.addresses import Address, link
from treesql.web.site import PAGES, Site


@in_turn("name", NAMES)
@in_turn("form", ["html", "json"])
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


def test_names_of_corpora_are_found_with_the_newlines_of_forms(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as made:
        for name in ("a\nb", "a\r\nb", "c\rd"):
            made.load(FIXTURES / "gold.conllu", corpus=name)
    with Site(str(tmp_path / "t.duckdb"), seconds=20.0) as site:
        for sent, name in (("a\nb", "a\nb"), ("a\r\nb", "a\r\nb"), ("c\r\nd", "c\rd")):
            query = urlencode({"q": "pattern { X [upos=VERB] }", "corpus": sent})
            answer, body = site.answer("/search.json", query), io.BytesIO()
            answer.write(body)
            assert answer.status == 200, body.getvalue()
            assert site._visit.address.get("corpus") == name


def test_an_error_of_treesql_is_one_line(
    web_database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(visit: object) -> None:
        raise AttributeError("no such thing\nat all")

    monkeypatch.setitem(PAGES, "corpora", fail)
    with Site(str(web_database), seconds=20.0) as site:
        answer, body = site.answer("/corpora/gold.json"), io.BytesIO()
        answer.write(body)
    assert answer.status == 500
    assert json.loads(body.getvalue())["error"] == "treesql failed: AttributeError: no such thing"
    said = capsys.readouterr().err
    assert said.startswith("treesql failed: AttributeError: no such thing (test_addresses.py, line ")
    assert said.count("\n") == 1


def test_newlines_of_texts_are_those_that_were_typed() -> None:
    found = Address.parse("/search", "q=a%0D%0Ab&corpus=a%0D%0Ab")
    assert (found.get("q"), found.get("corpus")) == ("a\nb", "a\r\nb")
