"""Links to sentences whose sent_ids are repeated, look like numbers of others, or are missing."""

from __future__ import annotations

import io
from pathlib import Path
from urllib.parse import urlencode

import pytest

import treesql
from tests.conftest import conllu
from tests.web.pages import Links
from treesql.errors import TreesqlWarning
from treesql.web.site import Site


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
