"""The papers behind metrics, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Callable

import treesql
from tests.conftest import ROOT, Run
from treesql.catalog import citations
from treesql.catalog.queries import all_queries

ENGINES = {"DuckDB, lists"}
"""Sources of relations that arrange rows for a kernel: no paper is behind them."""


def test_every_paper_behind_a_query_has_an_entry() -> None:
    """Every source of a header: authors and year, or the beginning of what has none."""
    sources = {source: query.name for query in all_queries().values() for source in query.source.split("; ")}
    assert not {source: name for source, name in sources.items() if not citations.entries_of(source)}.keys() - ENGINES
    assert not [query.name for query in all_queries().values() if query.scores and query.source in ENGINES]


def test_every_entry_is_named_by_a_header() -> None:
    named = {entry for query in all_queries().values() for entry in citations.entries_of(query.source)}
    assert named == set(citations.papers().values())


def test_every_entry_says_where_it_appeared() -> None:
    """What BibTeX's styles require of each kind of entry, but for drafts and software that name less."""
    required = {
        "article": {"author", "title", "journal", "volume", "pages", "year"},
        "inproceedings": {"author", "title", "booktitle", "year"},
        "book": {"author", "title", "publisher", "year"},
        "phdthesis": {"author", "title", "school", "year"},
        "mastersthesis": {"author", "title", "school", "year"},
        "techreport": {"author", "title", "institution", "year"},
        "misc": {"author", "title"},
        "unpublished": {"title", "note"},
    }
    for entry in citations.papers().values():
        kind, fields = re.match(r"@(\w+)", entry), set(re.findall(r"^  (\w+) = ", entry, re.MULTILINE))
        assert kind
        assert required[kind[1]] <= fields, entry


def test_names_of_papers_and_their_fields() -> None:
    papers = citations.papers()
    for name in ("Popović 2015", "van Cranenburgh, Scha & Bod 2016", "Zeman et al. 2018", "Zhang & Shasha 1989"):
        [entry] = citations.entries_of(f"{name}, a title")
        assert entry in papers.values()
        assert name[-4:] in entry
    assert citations.entries_of("Popovic 2015") == citations.entries_of("Popović 2015") != []
    assert len({re.match(r"@\w+\{(.*),", entry)[1] for entry in papers.values()}) == len(papers)  # type: ignore[index]
    assert all(entry.count("{") == entry.count("}") for entry in papers.values())


def test_what_is_cited(run: Callable[..., Run]) -> None:
    """Once each, after treesql; a score stands for all queries that have it."""
    found = treesql.cite("las", "attachment", "uas")
    assert found.index("@software{treesql") < found.index("{buchholz-marsi-2006")
    assert (
        found.count("{zeman-etal-2018,") == found.count("{buchholz-marsi-2006,") == found.count("% attachment: ") == 1
    )
    assert treesql.cite() == citations.OWN
    assert f"version = {{{treesql.__version__}}}" in citations.OWN
    assert run("cite", "las", "attachment", "uas").out == found + "\n"
    missing = run("cite", "lass")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.startswith("unknown metric 'lass'; did you mean las")


def test_the_version_in_the_citation_file() -> None:
    assert f"\nversion: {treesql.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_a_name_stands_for_the_scores_that_begin_with_it() -> None:
    assert treesql.cite("ger") == treesql.cite("ger_rate")
