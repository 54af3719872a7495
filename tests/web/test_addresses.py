"""Addresses of any names lead to them, also in a browser, which resolves `.` and `..`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.house.rules import in_turn
from tests.robustness.server_attacks import NAMES
from tests.web.pages import Links
from treesql.errors import TreesqlWarning
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


def test_links_lead_to_their_sentences(tmp_path: Path) -> None:
    names = ("1", "own", "1", None)
    sentences = [
        (b"" if name is None else f"# sent_id = {name}\n".encode()) + conllu(f"{form}:0:root")
        for name, form in zip(names, "abcd", strict=True)
    ]
    (tmp_path / "t.conllu").write_bytes(b"".join(sentences))
    with treesql.connect(tmp_path / "t.duckdb") as db, pytest.warns(TreesqlWarning, match="repeated sent_id"):
        db.load(tmp_path / "t.conllu", corpus="t")
    expected = ["/sentences/t/%230", "/sentences/t/own", "/sentences/t/%232", "/sentences/t/%233"]
    with Site(str(tmp_path / "t.duckdb"), seconds=20.0) as site:

        def ask(path: str, **parameters: object) -> str:
            answer, body = site.answer(path, urlencode(parameters, doseq=True)), io.BytesIO()
            answer.write(body)
            site.renew()
            return body.getvalue().decode()

        def links(path: str, **parameters: object) -> list[str]:
            found = [href for _, href in Links(ask(path, **parameters)).found if href.startswith("/sentences/")]
            return list(dict.fromkeys(found))

        for path, parameters in {
            "/corpora/t": {"table": "sentences"},
            "/search": {"q": "pattern { X [form] }"},
            "/score/dependency": {"gold": "t", "system": "t", "by": "sentence"},
        }.items():
            assert [href.partition("?")[0] for href in links(path, **parameters)] == expected
        assert links("/search", q="pattern { X [form] }", show="rows") == expected
        assert {"/sentences/t/own", "/sentences/t/%233"} <= set(links(expected[2]))
        for href, form in zip(expected, "abcd", strict=True):
            page = ask(href)
            assert "treesql show" in page
            assert f">{form}<" in page
