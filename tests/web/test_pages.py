"""What addresses answer: pages, JSON and other data, errors."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, quote

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.web.conftest import Get
from tests.web.pages import Links
from treesql.errors import MemoryLimit, TimeLimit
from treesql.results.result import Result
from treesql.web import examples, faults, rendering
from treesql.web.addresses import Address
from treesql.web.answers import status_of
from treesql.web.examples import EXAMPLES, MAX_FOUND
from treesql.web.pages import search
from treesql.web.pages.search import MAX_BARS
from treesql.web.site import Site

OBJECTS = "pattern { e: H -> X; H [upos] }"
"""A request with 25 hits in gold."""


def test_the_first_page_says_what_there_is_and_offers_only_what_finds_something(
    web_database: Path, tmp_path: Path
) -> None:
    with Site(str(shutil.copy(web_database, tmp_path)), seconds=10.0) as site:

        def shown() -> Links:
            answer, body = site.answer("/"), io.BytesIO()
            answer.write(body)
            site.finish()
            assert (answer.status, answer.is_final) == (200, not site._examples.are_left)
            return Links(body.getvalue().decode())

        before = shown()
        assert ("parser-a", "/corpora/parser-a") in before.found
        assert "7 corpora, " in before.shown
        assert not any(one.question in before.shown for one in EXAMPLES)
        while site.try_example():
            pass
        after = shown()
        offered = [one for one in EXAMPLES if one.question in after.shown]
        assert 3 < len(offered) <= MAX_FOUND
        for text, href in after.found:
            if href.startswith("/search?q="):
                path, _, query = href.partition("?")
                answer, body = site.answer(path, query), io.BytesIO()
                answer.write(body)
                site.finish()
                assert answer.status == 200
                assert "0 hits" not in Links(body.getvalue().decode()).shown, text


def test_the_first_page_proposes_a_request_in_the_corpus_where_it_finds_something(
    web_database: Path, tmp_path: Path
) -> None:
    with Site(str(shutil.copy(web_database, tmp_path)), seconds=10.0) as site:
        counts, hits = next(one for one in EXAMPLES if one.by), next(one for one in EXAMPLES if not one.by)
        answer, body = site.answer("/"), io.BytesIO()
        answer.write(body)
        site._examples.found = [(counts, "gold"), (hits, "parser-a")]
        site.answer("/").write(body := io.BytesIO())
    shown = unescape(body.getvalue().decode())
    assert f">{hits.request}</textarea>" in shown
    assert re.findall("<option selected>([^<]+)", shown)[:1] == ["parser-a"]


def test_a_question_that_fails_is_not_offered(
    web_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four questions, as the database is opened again after each."""

    def fail(*given: object, **options: object) -> treesql.Search:
        raise TimeLimit(1.0)

    for name in ("EXAMPLES", "TREE_EXAMPLES"):
        monkeypatch.setattr(examples, name, getattr(examples, name)[-2:])
    with Site(str(shutil.copy(web_database, tmp_path)), seconds=10.0) as site:
        monkeypatch.setattr(treesql.Database, "prepare", fail)
        while site.try_example():
            pass
        assert site._examples.found == []


def test_a_question_gives_way_to_a_request(web_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def be_asked(search: treesql.Search, *, timeout: float, progress: Callable[[float, float], object]) -> None:
        progress(0.0, 100.0)
        raise AssertionError

    with Site(str(shutil.copy(web_database, tmp_path)), seconds=10.0) as site:
        with monkeypatch.context() as patched:
            patched.setattr(treesql.Search, "matches", be_asked)
            site.connect()  # begins the questions anew
            left = list(site._examples._left)
            assert site.try_example(lambda: True)
            assert site._examples._left == left  # for another time
        assert site._examples.found == []
        site.try_example()
        while site.try_example():
            pass
        assert len(site._examples.found) > 3


def test_pages_are_offered_for_what_there_is(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as made:
        made.load(FIXTURES / "hypotheses.txt", corpus="text")
    with Site(str(tmp_path / "t.duckdb"), seconds=10.0) as site:
        body = io.BytesIO()
        site.answer("/").write(body)
        shown = Links(body.getvalue().decode())
    pages = {text for text, href in shown.found if href in ("/", "/search", "/score", "/compare", "/sql")}
    assert {"Corpora", "SQL"} <= pages
    assert not pages & {"Search", "Scores", "Compare"}


def test_json_has_columns_rows_total_and_the_next_page(get: Get) -> None:
    whole = get("/search.json", corpus="gold", q=OBJECTS).json
    assert list(whole) == ["columns", "rows", "total", "next"]
    assert whole["columns"] == ["sentence", "sent_id", "H", "H.form", "X", "X.form", "e.label"]
    assert (len(whole["rows"]), whole["total"], whole["next"]) == (25, 25, None)
    rows, pages, address = [], 0, "/search.json"
    parameters: dict[str, object] = {"corpus": "gold", "q": OBJECTS, "limit": 10}
    while address:
        page = get(address, **parameters).json
        rows += page["rows"]
        pages += 1
        address, _, query = (page["next"] or "").partition("?")
        parameters = {**parse_qs(query)}
    assert pages == 3
    assert rows == whole["rows"]


def test_the_same_rows_in_every_format(get: Get) -> None:
    expected = get("/search.json", q=OBJECTS).json
    table = pq.read_table(io.BytesIO(get("/search.parquet", q=OBJECTS).body))
    assert table.column_names == expected["columns"]
    assert [list(row.values()) for row in table.to_pylist()] == expected["rows"]
    csv = pc.read_csv(io.BytesIO(get("/search", q=OBJECTS, format="csv").body))
    assert len(csv) == expected["total"]
    assert get("/search.tsv", q=OBJECTS).text.splitlines()[0].split("\t") == expected["columns"]


def test_a_type_that_parquet_lacks_is_an_error_before_the_answer_begins(get: Get) -> None:
    answer = get("/sql.parquet", q="SELECT union_value(k := 1) AS x")
    assert answer.status == 400
    assert "Parquet has no type for the column" in answer.text


def test_format_wins_over_dots_in_names(get: Get) -> None:
    assert get("/corpora/gold.mrg").status == 200
    assert get("/corpora/gold.json").json["rows"][0][0] == "gold"
    assert get("/corpora/gold.json", format="html").status == 404
    assert get("/corpora/gold.mrg", format="json").json["rows"][0][:2] == ["gold.mrg", "constituency"]


def test_all_sentences_of_a_corpus_are_the_bytes_of_its_file(get: Get) -> None:
    assert get("/corpora/gold.conllu").body == (FIXTURES / "gold.conllu").read_bytes()


def test_a_cell_of_a_grid_leads_to_as_many_hits_as_it_shows(get: Get) -> None:
    page = Links(get("/search", corpus="gold", q=OBJECTS, by="H.upos, e.label", whether="H << X").text)
    cells = [(text, href) for text, href in page.found if "key=" in href]
    assert len(cells) > 5
    assert sum(int(text) for text, _ in cells) == 25
    grid = Links(get("/search", corpus="gold", q=OBJECTS, by="H.upos, e.label", grid=1).text)
    assert "group" not in grid.shown
    for text, href in [*cells[:4], *[one for one in grid.found if "key=" in one[1]][-5:]]:
        path, _, query = href.partition("?")
        assert f"{text} hit" in Links(get_raw(get, path, query)).shown


def get_raw(get: Get, path: str, query: str) -> str:
    return get(path, **parse_qs(query)).text


def test_several_requests_are_compared_in_one_table(get: Get) -> None:
    requests = ["pattern { X [upos=NOUN] }", "pattern { X [upos=VERB] }"]
    found = get("/search.json", q=requests, corpus="gold").json
    assert [row[found["columns"].index("matches")] for row in found["rows"]] == [7, 4]


def test_long_names_of_sentences_are_brief_in_a_concordance(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be a line of a hit for every twelve characters; the link has the whole name."""
    assert (
        search._brief("weblog-blogspot.com_healingiraq_20040409053012_ENG_20040409_053012-0022")
        == "weblog-b…_053012-0022"
    )
    monkeypatch.setattr(search, "MAX_NAME", 2)
    page = Links(get("/search", q="pattern { X [lemma=mat] }", corpus="gold", show="concordance").text)
    assert ("…t", "/sentences/gold/mat") in page.found


def test_hits_as_trees_concordance_and_rows(get: Get) -> None:
    request = "pattern { V [upos=VERB]; V -[nsubj]-> S }"
    trees = get("/search", q=request, corpus="gold").text
    assert trees.count('<div class="drawn"') == 3
    kwic = Links(get("/search", q=request, corpus="gold", show="concordance", sort="left", words=3).text)
    assert [text for text, href in kwic.found if href.startswith("/sentences/")] == ["know", "tea", "mat"]
    assert ("mat", "/sentences/gold/mat") in kwic.found
    of_all = Links(get("/search", q="pattern { X [lemma=mat] }", show="concordance", limit=1).text)
    assert [text for text, href in of_all.found if href.startswith("/sentences/")] == ["gold mat"]
    assert "--kwic 3" in kwic.shown
    page = get("/search", q=request, corpus="gold", show="concordance", words=3).text
    assert "<b>cat<sub>S</sub></b> <b>sat<sub>V</sub></b> <span>on the mat</span>" in page
    by_length = get("/search.json", q=request, corpus="gold", order="length", columns="sent_id").json["rows"]
    assert by_length == [["know"], ["mat"], ["tea"]]


def test_the_words_before_a_match_fit_on_a_line_of_a_page() -> None:
    text = "one reader pointed out that the President watched the Americans in the embassy when they"
    shown = search._last_words(text)
    assert text.endswith(f" {shown}")
    assert len(shown) <= search.MAX_LEFT < len(shown) + 12
    assert search._last_words("short") == "short"
    assert search._last_words("x" * 60) == "x" * 60  # a word is not broken


def test_corpora_without_texts_are_lists_of_links(get: Get) -> None:
    page = get("/corpora/lattices").text
    assert "<dt>lattices</dt>" in page
    assert not re.search("<dt>words</dt>|<table>|Text contains", page)
    assert ("0", "/sentences/lattices/%230") in Links(page).found


def test_the_first_page_has_the_first_sentence_of_corpora_once(get: Get) -> None:
    page = get("/").text
    texts = re.findall('<p class="soft" dir="auto">([^<]*)</p>', page)
    assert texts
    assert len(texts) == len({*texts})
    assert "The cat sat on the mat." in texts


def test_concordances_run_in_the_direction_of_their_text(tmp_path: Path) -> None:
    with treesql.connect(tmp_path / "t.duckdb") as made:
        for corpus, words in {"arabic": "كتب:0:root ولد:1:nsubj", "english": "boys:2:nsubj write:0:root"}.items():
            (tmp_path / f"{corpus}.conllu").write_bytes(conllu(words))
            made.load(tmp_path / f"{corpus}.conllu", corpus=corpus)
    with Site(str(tmp_path / "t.duckdb"), seconds=10.0) as site:
        body = io.BytesIO()
        site.answer("/search", "show=concordance&q=pattern+{+V+-[nsubj]->+S+}").write(body)
        text = body.getvalue().decode()
    assert re.findall('<tr dir="(rtl|ltr)"><th scope="row"><a[^>]*>([^<]*)', text) == [
        ("rtl", "arabic 0"), ("ltr", "english 0"),
    ]  # fmt: skip


def test_nothing_found_says_why(get: Get) -> None:
    shown = Links(get("/search", q="pattern { X [upos=NOPE] }").text).shown
    assert "NOPE" in shown


def test_trees_of_constituents_are_found_and_drawn(get: Get) -> None:
    found = get("/search", q="NP < DT", corpus="gold.mrg")
    assert found.status == 200
    assert "<svg" in found.text
    by = Links(get("/search", q="NP < __=X", corpus="gold.mrg", by="X.label").text)
    text, href = next(one for one in by.found if "key=" in one[1])
    path, _, query = href.partition("?")
    assert f"{text} hit" in Links(get_raw(get, path, query)).shown


def test_rows_have_no_text_that_is_the_match_already(get: Get) -> None:
    def heads(request: str, **columns: str) -> list[str]:
        page = get("/search", q=request, corpus="gold.mrg", show="rows", **columns).text
        return re.findall('<th scope="col"[^>]*>([^<]*)</th>', page)

    assert heads("NP < DT") == ["sentence", "match", "node.label"]
    assert heads("NP < DT", columns="node.text") == ["sentence", "node.text"]
    assert "b.text" in heads("NP=a < DT=b")


def test_a_sentence_with_its_neighbours_source_and_picture(get: Get) -> None:
    page = Links(get("/sentences/gold/know").text)
    assert ("previous", "/sentences/gold/mat") in page.found
    assert ("next", "/sentences/gold/hearing") in page.found
    first = Links(get("/sentences/gold/0").text).found
    assert "previous" not in [text for text, _ in first]
    assert "next" in [text for text, _ in first]
    source = get("/sentences/gold/know.conllu").text
    assert source.startswith("# sent_id = know")
    assert ("CoNLL-U", "/sentences/gold/know.conllu") in page.found
    picture = get("/sentences/gold/know.svg")
    assert picture.media == "image/svg+xml"
    assert picture.text.startswith("<svg")
    assert "tea → coffee" not in get("/sentences/gold/tea").text
    assert "missed" in get("/sentences/gold/tea", system="parser-a").text
    assert "<svg" in get("/sentences/gold.mrg/0", format="html").text


def test_tables_of_a_corpus_lead_to_hits(get: Get) -> None:
    page = Links(get("/corpora/gold", table="relations").text)
    text, href = next(one for one in page.found if "nsubj" in one[1])
    path, _, query = href.partition("?")
    assert f"{text} hit" in Links(get_raw(get, path, query)).shown
    chosen = get("/corpora/gold.json", table="sentences", text="DON'T").json
    assert [row[1] for row in chosen["rows"]] == ["know"]


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("path", "parameters", "status", "said"),
    [
        ("/corpora/nope.json", {}, 404, "unknown corpus 'nope'"),
        ("/sentences/gold/nope.json", {}, 404, "unknown sentence 'nope'"),
        ("/sentences/gold/99.json", {}, 404, "unknown sentence '99'"),
        ("/nope.json", {}, 404, "unknown page"),
        ("/search.json", {"q": "pattern {"}, 400, "the request ends here"),
        ("/search.json", {}, 400, "name a request"),
        ("/search.json", {"q": OBJECTS, "corpus": "nope"}, 404, "unknown corpus"),
        ("/search.json", {"q": OBJECTS, "limit": "x"}, 400, "limit='x'"),
        ("/search.json", {"q": OBJECTS, "lim": "1"}, 400, "unknown parameter 'lim'"),
        ("/search.conllu", {"q": OBJECTS, "by": "e.label"}, 400, "sentences"),
        ("/search", {"q": OBJECTS, "format": "xml"}, 400, "unknown format"),
        ("/sql.json", {"q": "SELEC 1"}, 400, "syntax error"),
        ("/sql.json", {"q": "SELECT 1; SELECT 2"}, 400, "several statements"),
        ("/sql.json", {"q": "CREATE TEMP TABLE t AS SELECT 1 AS a"}, 400, "returns no rows"),
        ("/sql.json", {"q": "DELETE FROM words"}, 400, "read"),
        ("/sql.json", {"q": "SELECT * FROM read_text('/etc/hostname')"}, 400, "reaches no files"),
        ("/sql.json", {"q": "COPY words TO 'words.csv'"}, 400, "reaches no files"),
        ("/sql.json", {"q": "SET threads = 1"}, 400, "locked"),
    ],
)
def test_errors_have_a_status_what_and_a_hint(
    path: str, parameters: dict[str, object], status: int, said: str, get: Get
) -> None:
    found = get(path, **parameters)
    assert found.status == status
    if found.media == "application/json":
        assert list(found.json) == ["error", "hint"]
        assert said in found.json["error"]
    else:
        assert said in unescape(re.sub("<[^>]*>", "", found.text))


def test_sql_in_pages_and_with_all_kinds_of_values(get: Get) -> None:
    found = get("/sql.json", q="SELECT i FROM range(10) AS r(i)", limit=4, offset=8).json
    assert (found["rows"], found["total"], found["next"]) == ([[8], [9]], 10, None)
    kinds = "SELECT 1.50::DECIMAL(3,2), 'NaN'::DOUBLE, [1, NULL], {'x': DATE '2020-01-02'}, 7::HUGEINT"
    assert get("/sql.json", q=kinds).json["rows"] == [[1.5, None, [1, None], {"x": "2020-01-02"}, 7]]
    assert get("/sql.json", q="SELECT ';' AS a -- ;").json["rows"] == [[";"]]
    assert get("/sql.tsv", q="SELECT 1 AS a WHERE false").text == "a\n"


def test_a_statement_leaves_nothing_for_the_next_one(get: Get) -> None:
    before = get("/sql.json", q="SELECT count(*) FROM words").json["rows"]
    for statement in (
        "CREATE TEMP VIEW words AS SELECT 1 AS a",
        "BEGIN",
        "SET VARIABLE x = 1",
        "SELECT 1 FROM nothing",
    ):
        get("/sql.json", q=statement)
    get("/sql.json", q="SELECT * FROM words")
    assert get("/sql.json", q="SELECT count(*) FROM words").json["rows"] == before


def test_limits_of_time_and_memory_have_their_status(get: Get) -> None:
    assert (status_of(TimeLimit(1.0)), status_of(MemoryLimit(10))) == (408, 413)


def test_hits_that_cannot_be_counted_are_shown(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    def count(search: treesql.Search, **how: object) -> int:
        raise MemoryLimit(1000)

    def find(database: treesql.Database, *request: str, **options: object) -> treesql.Result:
        raise MemoryLimit(1000)

    monkeypatch.setattr(treesql.Search, "count", count)
    monkeypatch.setattr(treesql.Database, "find", find)
    for show in ("trees", "rows"):
        page = Links(get("/search", q="pattern { X [upos=DET] }", limit=2, show=show).text)
        assert "2 hits or more" in page.shown
        assert "the hits are not counted" in page.shown
        assert any(text == "next" for text, _ in page.found)
    assert get("/search.json", q="pattern { X [upos=DET] }", limit=2).status == 413


def test_a_lattice_is_drawn(get: Get) -> None:
    page = get("/sentences/lattices/0").text
    assert re.search(r'<div class="sheet" role="img" aria-label="[^"]+', page)
    assert page.count("<rect") >= 2
    assert "<summary>Edges: " in page
    assert b"<rect" in get("/sentences/lattices/0.svg").body
    assert get("/sentences/lattices/0.json").json["columns"][:3] == ["edge", "from_node", "to_node"]


def test_names_beside_the_editor_can_be_inserted(get: Get) -> None:
    page = get("/sql").text
    assert re.search("of up to <code[^>]*>longest</code> words", page), "descriptions of queries have no backquotes"
    for name in ("words", "deprel", "attachment(gold_corpus := &#39;...&#39;, system_corpus := &#39;...&#39;)"):
        assert f'data-insert="{name}"' in page


@pytest.mark.parametrize(
    "address", ["/search.svg", "/score/dependency.conllu", "/score/dependency.svg", "/sql.svg", "/corpora/gold.svg"]
)
def test_a_format_that_a_page_does_not_have_is_refused(address: str, get: Get) -> None:
    answer = get(address, q="pattern { X [] }") if address.startswith("/search") else get(address)
    assert answer.status == 400
    assert "unknown format of this page" in answer.json["error"]


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("address", ["/sql.json", "/search.csv", "/corpora/a\0.json", "/sentences/gold/a\0.svg"])
def test_nul_is_refused_in_the_format_that_was_asked_for(address: str, get: Get) -> None:
    found = get(quote(address), **({} if "\0" in address else {"q": "SELECT '\0'"}))
    assert found.status == 400
    assert found.json == {"error": "an address has no NUL", "hint": "leave it out"}
    assert "<h1>" in get("/sql", q="\0").text


def test_a_translation_is_drawn_by_the_links_that_the_address_names(get: Get) -> None:
    page = get("/sentences/gold/0").text
    assert "/sentences/gold/0?aligned=gold&amp;links=links" in page
    drawn = get("/sentences/gold/0", aligned="parser-a", links="links")
    assert (drawn.status, "<svg" in drawn.text) == (200, True)
    assert get("/sentences/gold/0", aligned="gold", links="/etc/passwd").status == 404


def test_lists_are_shown_as_words(get: Get) -> None:
    page = get("/sentences/lattices/0").text
    assert "[&#39;" not in page
    assert "Context" not in page
    assert "Aligned translation" not in page


def test_links_are_drawn_between_what_they_link(get: Get) -> None:
    """On their own page as on that of the source."""
    page = get("/sentences/links/0").text
    drawn = '<div class="drawn".*?</div>'
    found = re.findall(drawn, page, re.DOTALL)
    assert found
    assert found == re.findall(drawn, get("/sentences/gold/mat", aligned="gold", links="links").text, re.DOTALL)
    assert "treesql show" in page
    assert "--corpus gold --aligned gold --links links" in Links(page).shown
    assert "no tree to draw" not in page


def test_counts_of_links_lead_to_their_sentences(get: Get) -> None:
    page = Links(get("/score/alignment", gold="links", system="links", by="source_upos").text)
    led = {text for text, href in page.found if "by=sentence" in href}
    assert led
    assert all(text.replace(",", "").isdigit() for text in led)


REQUEST = "pattern { V [upos=VERB]; V -[objj]-> O }"


def test_an_error_keeps_the_request_and_marks_the_place(get: Get) -> None:
    wrong = "pattern { V [upos=VERB]; V -[obj-> O }"
    found = get("/search", q=wrong, corpus="gold", show="concordance")
    text = unescape(found.text)
    assert found.status == 400
    assert f'spellcheck="false" required aria-invalid="true">{wrong}</textarea>' in text
    assert "V -[obj-<mark>></mark> O }" in text
    assert "<option selected>gold</option>" in text
    assert "Line 1, column 34" in text
    assert "labels end in" in text


def test_a_wrong_name_in_sql_is_marked_and_its_repair_is_offered(get: Get) -> None:
    found = get("/sql", q="SELECT upoos FROM words")
    assert found.status == 400
    assert "SELECT <mark>upoos</mark> FROM words</pre>" in found.text
    assert ("upos", "/sql?q=SELECT+upos+FROM+words") in Links(found.text).found
    assert "The whole message" in found.text
    assert get("/sql", q="SELECT upos FROM words").status == 200
    query = "SELECT a.gold_deprell FROM attachment('gold', 'gold') AS a"
    column = get("/sql", q=query)
    assert "SELECT a.<mark>gold_deprell</mark> FROM" in column.text
    assert get_raw(get, *next(href for text, href in Links(column.text).found if text == "gold_deprel").split("?"))
    last = get("/sql", q="SELECT 1 AS GROUPS,\n  'a' FROM words GROUP")
    assert "FROM words <mark>GROUP</mark></pre>" in last.text


def test_the_place_that_a_message_points_at_is_marked() -> None:
    """Where the same name is right before."""
    statement = "SELECT a AS x,\n  x FROM t"
    message = 'Referenced column "x" not found in FROM clause!\n\nLINE 2:   x FROM t\n          ^'
    fault = faults.find_fault(Address(("sql",)), statement, message)
    assert fault is not None
    assert (fault.before, fault.text, fault.after) == ("SELECT a AS x,\n  ", "x", " FROM t")


def test_tables_of_pages_have_even_numbers_and_columns_with_values() -> None:
    rows = Result.of([{"key": "a", "rate": 12345.678, "none": None}, {"key": "b", "rate": 1.25, "none": None}])
    table = rendering.table_of(rows, only_filled=True)
    assert list(table.heads) == ["key", "rate"]
    assert [cells[1].text for cells in table.rows] == ["12,345.7", "1.2"]
    assert list(rendering.table_of(rows).heads) == ["key", "rate", "none"]


def test_a_statement_that_changes_something_is_refused_with_what_can_be_done(get: Get) -> None:
    for statement in ("DELETE FROM words", "COPY words TO 'words.csv'", "SET threads = 1"):
        page, data = get("/sql", q=statement), get("/sql.json", q=statement)
        assert (page.status, data.status) == (400, 400)
        assert "a served database is only read" in data.json["hint"]
        assert "a served database is only read" in page.text
        assert "(in Python" not in page.text


def test_a_name_that_there_is_not_leads_to_those_that_there_are(get: Get) -> None:
    found = get("/search", q=OBJECTS, corpus="gld")
    assert found.status == 404
    href = next(href for text, href in Links(found.text).found if text == "gold")
    assert "25 hits" in Links(get_raw(get, *href.split("?"))).shown
    kind = get("/corpora/constituency")
    assert kind.status == 404
    assert ("test.mrg", "/corpora/test.mrg") in Links(kind.text).found
    assert "constituency is a kind of corpora" in kind.text
    column = Links(get("/score/dependency", gold="gold", system="parser-a", where="upoz = 'VERB'").text)
    assert get_raw(get, *next(href for text, href in column.found if text == "upos").split("?"))


def test_what_finds_nothing_is_marked_and_its_repair_finds_something(get: Get) -> None:
    found = get("/search", q=REQUEST, corpus="gold")
    assert "-[<mark>objj</mark>]-" in found.text
    href = next(href for text, href in Links(found.text).found if text == "obj")
    path, _, query = href.partition("?")
    assert "0 hits" not in Links(get_raw(get, path, query)).shown
    tiger = Links(get("/search", q='#n:[cat="NPP"] > #d:[pos="DT"]', corpus="gold.mrg").text)
    assert "3 hits" in Links(get_raw(get, *next(href for text, href in tiger.found if text == "NP").split("?"))).shown
    assert found.text.count("no edge has the relation") == 1
    assert found.text.count("id you mean") == 1
    order = get("/search", q="pattern { V [upos=VERB]; V -[nsubj]-> S; V << S }", corpus="gold").text
    assert "<mark>V &lt;&lt; S</mark>" in order
    value = get("/search", q="pattern { X [upos=VRB] }", corpus="gold").text
    assert "<mark>upos=VRB</mark>" in value
    assert ("VERB", "/search?corpus=gold&q=pattern+%7B+X+%5Bupos%3DVERB%5D+%7D") in Links(value).found


def test_bars_beside_hits_count_all_of_them_and_narrow_the_search(get: Get) -> None:
    page = Links(get("/search", q=OBJECTS, corpus="gold", show="concordance").text)
    bars = [(text, href) for text, href in page.found if "key=" in href]
    assert bars
    assert "25 hits" in page.shown
    groups = get("/search.json", q=OBJECTS, corpus="gold", by="e.label").json["rows"]
    assert sum(count for _, count in groups) == 25
    assert [int(text) for text, _ in bars] == [count for _, count in groups][:MAX_BARS]
    path, _, query = bars[0][1].partition("?")
    narrowed = Links(get_raw(get, path, query))
    assert f"{bars[0][0]} hit" in narrowed.shown
    label, remove = next((text, href) for text, href in narrowed.found if "key=" not in href and text.startswith("e."))
    assert label.startswith("e.label = ")
    path, _, query = remove.partition("?")
    assert "25 hits" in Links(get_raw(get, path, query)).shown


def test_groups_without_a_key_are_those_of_the_first_one(get: Get) -> None:
    page = Links(get("/search", q="pattern { V [upos=VERB] }", corpus="gold", show="groups").text)
    assert "--by V.lemma" in page.shown
    assert sum(int(text) for text, href in page.found if "key=" in href) == 4
    assert (
        "4 hits"
        in Links(get("/search", q="pattern { V [upos=VERB] }", corpus="gold", show="rows", by="V.upos").text).shown
    )


def test_a_sentence_has_the_layers_of_other_corpora(get: Get) -> None:
    text = get("/sentences/gold/tea").text
    found = {label: href for label, href in Links(text).found if href.startswith("/sentences/gold/tea?")}
    assert {"parser-a", "parser-b"} <= set(found)
    assert text.count("<svg") >= 3
    assert "missed" in text
    same = get("/sentences/gold/hello").text
    assert "parser-a, no differences" in Links(same).shown
    assert same.count('<div class="drawn"') == 1
