"""References and what systems have in their place, with edits marked, behind scores of translations and lattices."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlencode

import pytest

import treesql
from tests.web.pages import Links
from treesql.web.site import Site

Ask = Callable[..., str]

EDIT = '<li class="substitution"><span>sat</span><b>sits</b><i title="replaced">≠</i></li>'
MISSING = '<li class="deletion"><span>down</span><s></s><i title="missing">\N{MINUS SIGN}</i></li>'


TREES = """# sent_id = one
# text = the cat sat
1	the	the	DET	_	_	{}	det	_	_
2	cat	cat	NOUN	_	_	{}	nsubj	_	_
3	sat	sit	VERB	_	_	{}	root	_	_

"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Pages on a reference, a translation and lattices of two sentences, of which the second is right; on a reference
    with three sentences, a translation with ids; on a treebank without heads, and a parser's trees."""
    folder = tmp_path_factory.mktemp("edits")
    with treesql.connect(folder / "t.duckdb") as made:
        for name, text in {
            "reference.txt": "the cat sat down\nyes\n",
            "longer.txt": "the cat sat down\nyes\nno\n",
            "translation.txt": "the cat sits\nyes\n",
            "lattices.plf": "((('the',0,1),('a',0,1),),(('cat',0,1),),(('sits',0,1),),)\n((('yes',0,1),),)\n",
            "raw.conllu": TREES.format("_", "_", "_").replace("root", "_").replace("nsubj", "_").replace("det", "_"),
            "parser.conllu": TREES.format(2, 3, 0),
        }.items():
            (folder / name).write_text(text, "utf-8")
            made.load(folder / name, corpus=name.partition(".")[0])
        (folder / "named.txt").write_text("a the cat sits\nb yes\n", "utf-8")
        made.load(folder / "named.txt", corpus="named", ids="first")
    with Site(str(folder / "t.duckdb"), seconds=20.0) as site:

        def asked(path: str, **parameters: object) -> str:
            answer, body = site.answer(path, urlencode(parameters, doseq=True)), io.BytesIO()
            answer.write(body)
            site.renew()
            return body.getvalue().decode()

        yield asked


@pytest.mark.parametrize(
    ("kind", "system", "table"),
    [
        ("translation", "translation", "translation_errors"),
        pytest.param("lattice", "lattices", "nearest_path_steps", marks=pytest.mark.slow),
    ],
)
def test_edits_are_behind_scores(ask: Ask, kind: str, system: str, table: str) -> None:
    wrong = ask(f"/score/{kind}", reference="reference", system=system, table=table)
    assert EDIT in wrong
    assert MISSING in wrong
    assert "<b>yes" not in wrong
    assert f"treesql score {kind} {system} --reference reference --db" in Links(wrong).shown
    page = Links(ask(f"/score/{kind}", reference="reference", system=system, by="sentence"))
    links = dict.fromkeys(href for _, href in page.found if href.startswith("/sentences/reference/"))
    first, second = (href.partition("?") for href in links)
    shown = ask(first[0], **parse_qs(first[2]))
    assert EDIT in shown
    assert f"treesql score {kind} {system} --reference reference --db" in re.sub("</?span[^>]*>|<wbr>", "", shown)
    assert f"{system} has the same words" in ask(second[0], **parse_qs(second[2]))


def test_a_system_without_the_sentence_is_an_error(ask: Ask) -> None:
    shown = ask("/sentences/longer/2", system="translation")
    assert "has the same words" not in shown
    assert "hypotheses" in shown


def test_trees_are_drawn_even_without_heads(ask: Ask) -> None:
    shown = ask("/sentences/raw/0", system="parser")
    assert "same words" not in shown
    assert "score translation" not in shown
    shown = ask("/sentences/parser/one", system="raw")
    assert "same words" not in shown


def test_edits_lead_to_references_without_ids(ask: Ask) -> None:
    wrong = ask("/score/translation", reference="reference", system="named", table="translation_errors")
    links = [href for _, href in Links(wrong).found if href.startswith("/sentences/")]
    assert {href.partition("?")[0] for href in links} == {"/sentences/reference/%230"}
    path, _, query = links[0].partition("?")
    assert EDIT in ask(path, **parse_qs(query))


def test_a_lattice_is_not_compared_with_lattices(ask: Ask) -> None:
    assert "system=" not in ask("/sentences/lattices/0")
    assert "system=lattices" in ask("/sentences/reference/0")
