"""Search: hits as trees, as a concordance or as rows, groups of hits as tables and grids, several requests compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from treesql import DrawnMatches, MemoryLimit, Result, Search, UsageError
from treesql.results.documents import Cell, DocumentTable
from treesql.results.pages import Figure
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.examples import EXAMPLES
from treesql.web.pages.sentences import sentences_around
from treesql.web.visits import Visit, Window, command_line, silent

PARAMETERS = (
    "q", "corpus", "syntax", "by", "whether", "show", "columns", "words", "sort", "order", "grid", "share",
    "per_million", "enhanced", "around", "key", "value", "min_count", "limit", "offset", "timeout",
)  # fmt: skip

TREES, CONCORDANCE, ROWS = VIEWS = ("trees", "concordance", "rows")

DEFAULT_LIMIT = {TREES: 10, CONCORDANCE: 50, ROWS: 100}
"""Number of hits, or of groups, of a page, by view, unless the address says another."""

WORDS = 8
"""Words of context of a concordance."""


@dataclass(frozen=True)
class AskedSearch:
    """What a search asks: the words of `find`, and how hits are shown."""

    requests: tuple[str, ...]
    options: Mapping[str, Any]
    view: str

    @property
    def grouped(self) -> bool:
        """Whether hits are counted by keys."""
        return bool(self.options["by"] or self.options["whether"])

    @property
    def compared(self) -> bool:
        """Whether several requests are compared."""
        return len(self.requests) > 1

    @property
    def named(self) -> dict[str, str]:
        """The requests by the names that they have where they are compared."""
        return {str(number): text for number, text in enumerate(self.requests, 1)}


def answer(visit: Visit) -> Answer:
    """Answer a search."""
    visit.address.check(PARAMETERS)
    asked = _read(visit)
    if not asked.requests:
        if not visit.is_page:
            raise UsageError("name a request; q=pattern { X [upos=VERB] }")
        return _render(visit, asked, Window(visit.address).shown(0))
    if visit.form == "conllu":
        return _sentences(visit, asked)
    if asked.compared or asked.grouped:
        return _groups(visit, asked)
    return _page_of_hits(visit, asked) if visit.is_page else _rows(visit, asked)


def _read(visit: Visit) -> AskedSearch:
    address = visit.address
    corpora = [visit.check_corpus(name) for name in address.several("corpus")]
    keys, values = address.several("key"), address.several("value")
    if len(keys) != len(values):
        raise UsageError("every key= has a value=, and there are not as many; give both")
    options: dict[str, Any] = {
        "corpus": corpora or None,
        "syntax": address.get("syntax") or None,
        "by": [text for text in address.several("by") if text.strip()],
        "whether": [text for text in address.several("whether") if text.strip()],
        "enhanced": address.flag("enhanced"),
        "group": dict(zip(keys, values, strict=True)),
    }
    view = address.get("show", TREES)
    if view not in VIEWS:
        raise UsageError(f"hits are not shown as {view!r}; choose one of {', '.join(VIEWS)}")
    return AskedSearch(tuple(text.strip() for text in address.several("q") if text.strip()), options, view)


def _row_options(visit: Visit, asked: AskedSearch) -> dict[str, Any]:
    """The words of `find` for rows of hits."""
    address = visit.address
    options = {**asked.options, "order": address.get("order") or None, "columns": address.get("columns")}
    if asked.view == CONCORDANCE:
        options |= {"kwic": address.number("words", WORDS, most=100), "sort": address.get("sort") or None}
    return options


def _prepare(visit: Visit, asked: AskedSearch, options: Mapping[str, Any], window: Window) -> Search:
    return visit.database.prepare(asked.requests[0], **options, limit=window.limit, offset=window.offset)


def _total(visit: Visit, asked: AskedSearch, search: Search) -> int:
    """The number of hits, counted again only where corpora were added to a folder of Parquet."""
    key = repr((asked.requests[0], sorted(asked.options.items()), visit.corpora))
    if key not in visit.totals:
        visit.totals[key] = search.count(timeout=visit.timeout, progress=silent)
    return visit.totals[key]


def _total_or_none(visit: Visit, asked: AskedSearch, search: Search) -> int | None:
    """The number of hits, None where counting takes more memory than a request may take: the first hits take less."""
    try:
        return _total(visit, asked, search)
    except MemoryLimit as error:
        visit.warnings.append(f"the hits are not counted: {error}")
        return None


def _rows(visit: Visit, asked: AskedSearch) -> Answer:
    window = visit.window(DEFAULT_LIMIT[ROWS])
    with visit.listening():
        search = _prepare(visit, asked, _row_options(visit, asked), window)
        matches = search.matches(timeout=visit.timeout, progress=silent)
        is_whole = window.limit is None and not window.offset
        total = None if is_whole else _total(visit, asked, search) if len(matches) or window.offset else 0
    return answers.of_rows(matches, visit.form, total=total, more=window.more(total or 0))


def _sentences(visit: Visit, asked: AskedSearch) -> Answer:
    if asked.compared or asked.grouped:
        raise UsageError("sentences (.conllu) are those of one request without groups; leave out by, whether, or a q")
    with visit.listening():
        search = _prepare(visit, asked, asked.options, visit.window(DEFAULT_LIMIT[ROWS]))
        return answers.of_parts(search.sentences(timeout=visit.timeout, progress=silent), visit.form)


def _page_of_hits(visit: Visit, asked: AskedSearch) -> Answer:
    window = visit.window(DEFAULT_LIMIT[asked.view])
    options = _row_options(visit, asked)
    columns = options.pop("columns")
    hits: DrawnMatches | Result
    with visit.listening():
        if asked.view == TREES:
            search = _prepare(visit, asked, options, window)
            hits = search.draw(counted=False, timeout=visit.timeout, progress=silent)
            shown: dict[str, Any] = {"drawn": _drawn_hits(visit, hits)}
        else:
            options["columns"] = ", ".join(["corpus", "sentence", "sent_id", columns or "match"])
            search = _prepare(visit, asked, options, window)
            hits = search.matches(timeout=visit.timeout, progress=silent)
            shown = {"table": _linked_table(visit, hits)}
        total = _total_or_none(visit, asked, search) if len(hits) or window.offset else 0
    least = window.offset + len(hits)
    whole = total if total is not None else least + (len(hits) == window.limit)
    return _page(visit, asked, window, {**window.shown(whole), **shown, "total": total, "least": least})


def _drawn_hits(visit: Visit, drawn: DrawnMatches) -> list[Figure]:
    """Hits as the template shows them: each with its picture, and on demand the sentences around it."""
    hits = []
    names = _names(visit, [(match.corpus, match.sentence) for match in drawn.drawn])
    for match in drawn.drawn:
        around: list[str] = []
        if visit.address.flag("around"):
            sentence = visit.database.sentence(match.sentence, corpus=match.corpus)
            before, after = sentences_around(visit, sentence)
            around = [near["text"] if near else "" for near in (before, after)]
        href = link("sentences", match.corpus, names[match.corpus, match.sentence])
        hits.append(replace(match.figure, href=href, around=around))
    return hits


def _names(visit: Visit, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """The names of sentences by corpus and number."""
    numbers: dict[str, list[int]] = {}
    for corpus, number in places:
        numbers.setdefault(corpus, []).append(number)
    return {
        (corpus, number): name
        for corpus, numbers_of_corpus in numbers.items()
        for number, name in visit.database.sentence_names(corpus, numbers_of_corpus).items()
    }


def _linked_table(visit: Visit, matches: Result) -> DocumentTable:
    """Rows of hits whose sentences are links."""
    names = _names(visit, [(row["corpus"], row["sentence"]) for row in matches.rows()])

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        sentence_name = names[row["corpus"], row["sentence"]]
        return link("sentences", row["corpus"], sentence_name) if name in ("sent_id", "sentence") else None

    several = len({row["corpus"] for row in matches.rows()}) > 1
    heads = [name for name in matches.columns if name != "sentence" and (several or name != "corpus")]
    if all(row["sent_id"] is None for row in matches.rows()):
        heads = ["sentence" if name == "sent_id" else name for name in heads]
    return rendering.table_of(matches, linked=linked, heads=heads)


def _groups(visit: Visit, asked: AskedSearch) -> Answer:
    """Groups of hits with their counts, or the requests with theirs."""
    address = visit.address
    names = asked.named
    options = {
        **asked.options, "share": address.get("share") or None, "per_million": address.flag("per_million"),
        "grid": address.flag("grid"), "min_count": address.number("min_count", 1, least=1),
    }  # fmt: skip
    chosen: dict[str, Any] = {"requests": names} if asked.compared else {"request": asked.requests[0]}
    with visit.listening():
        groups = visit.database.find(**chosen, **options, timeout=visit.timeout, progress=silent)
    window, total = visit.window(DEFAULT_LIMIT[ROWS]), len(groups)
    part = window.cut(groups)
    if not visit.is_page:
        return answers.of_rows(part, visit.form, total=total, more=window.more(total))
    keys = _keys_of(asked, groups, grid=bool(options["grid"]))
    table = _grid(visit, part, keys) if options["grid"] else _table_of_groups(visit, asked, part, keys)
    shown = {"total": None, "groups": total, "table": table, "names": names if asked.compared else {}}
    return _page(visit, asked, window, window.shown(total) | shown)


def _keys_of(asked: AskedSearch, groups: Result, *, grid: bool) -> dict[str, str]:
    """The keys of groups as `group` names them, by the names of their columns."""
    splits = [f"whether {text}" for text in asked.options["whether"]]
    names = [name for name in groups.columns if name not in ("request", "count", "share", "per_million")]
    written = [part.strip() for text in asked.options["by"] for part in _split_keys(text)]
    if grid:
        return dict(zip(("rows", "columns"), [*written, *splits], strict=False))
    return dict(zip(names, [*written, *splits], strict=False))


def _split_keys(text: str) -> list[str]:
    """The keys of a text with commas between them, but not in brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _hits(visit: Visit, request: str, group: Mapping[str, object], corpus: str | None = None) -> str:
    """Where the hits of a group are."""
    group_values = {**dict(zip(visit.address.several("key"), visit.address.several("value"), strict=True)), **group}
    values = {name: str(value) for name, value in group_values.items()}
    return visit.address.link(
        q=request, corpus=corpus or visit.address.several("corpus"), by=None, whether=None, grid=None, share=None,
        per_million=None, min_count=None, limit=None, offset=None, key=list(values), value=list(values.values()),
    )  # fmt: skip


def _table_of_groups(visit: Visit, asked: AskedSearch, groups: Result, keys: Mapping[str, str]) -> DocumentTable:
    """Groups whose counts lead to their hits."""
    names = asked.named

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        if name not in ("count", "matches") or not row[name]:
            return None
        request = names.get(str(row.get("request")), asked.requests[0])
        corpus = row["corpus"] if asked.compared and not asked.grouped else None
        return _hits(visit, request, {key: row[column] for column, key in keys.items() if column in row}, corpus)

    return rendering.table_of(groups, linked=linked)


def _grid(visit: Visit, groups: Result, keys: Mapping[str, str]) -> DocumentTable:
    """A grid of two keys, whose cells lead to their hits."""
    head, *columns = groups.columns
    rows = []
    for row in groups.rows():
        cells = [Cell(rendering.cell_text(row[head]))]
        for name in columns:
            value_by_key = {keys["rows"]: row[head], keys["columns"]: name}
            group = {key: value for key, value in value_by_key.items() if value != "total"}
            href = _hits(visit, visit.address.get("q"), group) if row[name] else None
            cells.append(Cell(rendering.cell_text(row[name], name in groups.percent), href=href))
        rows.append(cells)
    return DocumentTable(groups.columns, [False, *[True] * len(columns)], rows)


def _render(visit: Visit, asked: AskedSearch, shown: Mapping[str, Any]) -> Answer:
    empty: dict[str, Any] = {"table": None, "drawn": [], "least": 0, "groups": None, "names": {}, "command": ""}
    return rendering.page(
        visit, "search.html", "Search", asked=asked, views=VIEWS, examples=EXAMPLES, **{**empty, **shown}
    )


def _page(visit: Visit, asked: AskedSearch, window: Window, shown: Mapping[str, Any]) -> Answer:
    find_options, address = asked.options, visit.address
    request = [] if asked.compared else [asked.requests[0]]
    options: dict[str, Any] = {
        "request": [f"{name}={text}" for name, text in asked.named.items()] if asked.compared else None,
        **{name: find_options[name] for name in ("corpus", "syntax", "by", "whether", "enhanced")},
        "group": [f"{key}={value}" for key, value in find_options["group"].items()],
        "share": address.get("share"), "per_million": address.flag("per_million"), "grid": address.flag("grid"),
    }  # fmt: skip
    if not (asked.compared or asked.grouped):
        options |= {"draw": asked.view == TREES, "order": address.get("order"), "limit": window.limit}
        options |= {"offset": window.offset or None, "sort": address.get("sort")}
        if asked.view == CONCORDANCE:
            options["kwic"] = address.number("words", WORDS, most=100)
    return _render(visit, asked, {**shown, "command": command_line("find", visit.shown, *request, **options)})
