"""References and what systems have in their place, with edits marked, behind scores of translations and lattices."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlencode

import pytest

import treesql
from tests.web.pages import Links
from treesql.web.site import Site

Ask = Callable[..., str]

EDIT = "<ruby><del>sits</del><rt><ins>sat</ins></rt></ruby>"
MISSING = "<ruby>***<rt><ins>down</ins></rt></ruby>"


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Pages on a reference, a translation and lattices of two sentences, of which the second is right."""
    folder = tmp_path_factory.mktemp("edits")
    with treesql.connect(folder / "t.duckdb") as made:
        for name, text in {
            "reference.txt": "the cat sat down\nyes\n",
            "translation.txt": "the cat sits\nyes\n",
            "lattices.plf": "((('the',0,1),('a',0,1),),(('cat',0,1),),(('sits',0,1),),)\n((('yes',0,1),),)\n",
        }.items():
            (folder / name).write_text(text, "utf-8")
            made.load(folder / name, corpus=name.partition(".")[0])
    with Site(str(folder / "t.duckdb"), seconds=20.0, memory="2GB") as site:

        def asked(path: str, **parameters: object) -> str:
            answer, body = site.answer(path, urlencode(parameters, doseq=True)), io.BytesIO()
            answer.write(body)
            site.renew()
            return body.getvalue().decode()

        yield asked


@pytest.mark.parametrize(
    ("kind", "system", "table"),
    [("translation", "translation", "translation_errors"), ("lattice", "lattices", "nearest_path_steps")],
)
def test_edits_are_behind_scores(ask: Ask, kind: str, system: str, table: str) -> None:
    wrong = ask(f"/score/{kind}", reference="reference", system=system, table=table)
    assert EDIT in wrong
    assert MISSING in wrong
    assert "<ruby>yes" not in wrong
    page = Links(ask(f"/score/{kind}", reference="reference", system=system, by="sentence"))
    links = dict.fromkeys(href for _, href in page.found if href.startswith("/sentences/reference/"))
    first, second = (href.partition("?") for href in links)
    shown = ask(first[0], **parse_qs(first[2]))
    assert EDIT in shown
    assert f"treesql score {kind} {system} --reference reference --db" in shown
    assert f"{system} has the same words" in ask(second[0], **parse_qs(second[2]))
