"""Search: hits as trees, as a concordance or as rows, groups of hits as tables and grids, several requests compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from treesql import DrawnMatches, MemoryLimit, Result, Search, TreesqlError, UsageError
from treesql.reports.score_charts import HeatCell, HeatTable, heat_table
from treesql.results.concordance import LEFT, MATCH, RIGHT, Concordance
from treesql.results.documents import DocumentTable
from treesql.results.pages import Figure
from treesql.results.tables import runs_right_to_left
from treesql.web import answers, rendering
from treesql.web.addresses import link
from treesql.web.answers import Answer
from treesql.web.pages.sentences import sentences_around
from treesql.web.visits import TREES as KINDS
from treesql.web.visits import Visit, Window, command_line, silent

PARAMETERS = (
    "q", "corpus", "syntax", "by", "whether", "show", "columns", "words", "sort", "order", "grid", "share",
    "per_million", "enhanced", "around", "key", "value", "min_count", "bars", "limit", "offset",
    "timeout",
)  # fmt: skip

CONCORDANCE, TREES, GROUPS, ROWS = "concordance", "trees", "groups", "rows"
VIEWS = {CONCORDANCE: "in context", TREES: "as trees", GROUPS: "as counts", ROWS: "as rows"}
"""How hits are shown, and what pages call it."""

OF_GROUPS = ("by", "whether", "share", "per_million", "grid", "min_count")
"""Parameters of groups alone."""

DEFAULT_LIMIT = {TREES: 10, CONCORDANCE: 50, ROWS: 100}
"""Number of hits, or of groups, of a page, by view, unless the address says another."""

TOTAL = "total"
"""The name of sums in grids."""

WORDS = 8
"""Words of context of a concordance."""

MAX_NAME = 24
"""Number of characters of a sentence's name in a line of a concordance."""

MAX_LEFT = 40
"""Maximum number of characters before a match, in whole words: what has room on a line of a page; data have all."""


MAX_BARS = 12
"""Number of groups beside hits."""

MAX_WORDS_OF_BARS = 1_000_000
"""Maximum number of words in which hits are counted by a key without being asked for."""


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
        return answer_form(visit)
    if visit.form == "conllu":
        return _sentences(visit, asked)
    if asked.compared or asked.grouped:
        return _groups(visit, asked)
    return _page_of_hits(visit, asked) if visit.is_page else _rows(visit, asked)


def answer_form(visit: Visit) -> Answer:
    """The form alone, with what the address asks as far as it can be read."""
    try:
        asked = _read(visit)
    except TreesqlError:
        requests = tuple(text for text in visit.address.several("q") if text.strip())
        asked = AskedSearch(requests, {"by": visit.address.several("by"), "whether": []}, CONCORDANCE)
    answer = _render(visit, asked, Window(visit.address).shown(0) | {"is_asked": False})
    return replace(answer, is_final=not visit.examples.are_left)


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
    view = address.get("show", GROUPS if options["by"] or options["whether"] else TREES)
    if view not in VIEWS:
        raise UsageError(f"hits are not shown as {view!r}; choose one of {', '.join(VIEWS)}")
    requests = tuple(text.strip() for text in address.several("q") if text.strip())
    if visit.is_page and view == GROUPS and len(requests) == 1 and not (options["by"] or options["whether"]):
        chosen = {name: options[name] for name in ("corpus", "syntax")}
        options["by"] = visit.database.prepare(requests[0], **chosen, enhanced=options["enhanced"]).keys[:1]
    elif visit.is_page and view != GROUPS:
        options |= {"by": [], "whether": []}
    return AskedSearch(requests, options, view)


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
            if asked.view == ROWS and not columns:
                columns = ", ".join([MATCH, *_prepare(visit, asked, options, window).keys])
            options["columns"] = ", ".join(["corpus", "sentence", "sent_id", columns or MATCH])
            search = _prepare(visit, asked, options, window)
            hits = search.matches(timeout=visit.timeout, progress=silent)
            if isinstance(hits, Concordance):
                shown = {"lines": _lines(visit, hits)}
            else:
                shown = {"table": _linked_table(visit, hits)}
        bars = _count_bars(visit, asked, search.keys) if len(hits) else {}
        total = bars.get("hits") or (_total_or_none(visit, asked, search) if len(hits) or window.offset else 0)
    least = window.offset + len(hits)
    whole = total if total is not None else least + (len(hits) == window.limit)
    return _page(visit, asked, window, {**window.shown(whole), **shown, **bars, "total": total, "least": least})


def _count_bars(visit: Visit, asked: AskedSearch, keys: list[str]) -> dict[str, Any]:
    """The most frequent values of a key that hits are not narrowed by yet, each with where its hits are."""
    key = visit.address.get("bars")
    searched = asked.options["corpus"] or visit.corpora
    n_words = sum(int(str(visit.corpora[name]["words"])) for name in searched)
    shown = {"keys": {name: visit.address.link(bars=name) for name in keys}}
    key = key or next((name for name in keys if name not in asked.options["group"]), "")
    if not key or not (visit.address.get("bars") or n_words <= MAX_WORDS_OF_BARS):
        return shown
    options = {**asked.options, "by": [key], "whether": []}
    try:
        groups = visit.database.find(asked.requests[0], **options, timeout=visit.timeout, progress=silent)
    except MemoryLimit:
        return shown
    hits = sum(row["count"] for row in groups.rows())
    bars = _bars(visit, asked.requests[0], groups.rows()[:MAX_BARS], key)
    return {**shown, "bars": bars, "bars_key": key, "bars_more": max(len(groups) - MAX_BARS, 0), "hits": hits}


def _bars(visit: Visit, request: str, rows: list[dict[str, Any]], key: str) -> list[tuple[str, int, float, str | None]]:
    """Groups of a key: their values, their counts, these in percent of the largest, and where their hits are."""
    largest = max((row["count"] for row in rows), default=1)
    name = next((name for name in (rows[0] if rows else ()) if name != "count"), key)
    return [
        (
            f"no {name.rpartition('.')[2]}" if row[name] is None else rendering.cell_text(row[name]),
            row["count"],
            round(100 * row["count"] / largest, 1),
            None if row[name] is None else _hits(visit, request, {key: row[name]}),
        )
        for row in rows
    ]


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


@dataclass(frozen=True)
class ConcordanceLine:
    """A line of a concordance. pieces: of the match, each with the names of its nodes; further: other columns."""

    place: str
    href: str
    left: str
    pieces: list[tuple[str, str]]
    right: str
    direction: str
    further: list[str]


def _lines(visit: Visit, matches: Concordance) -> list[ConcordanceLine]:
    """The matches of a concordance, each in the direction of its text."""
    rows = matches.rows()
    names = _names(visit, [(row["corpus"], row["sentence"]) for row in rows])
    several = _are_several_searched(visit)
    further = [name for name in matches.columns if name not in ("corpus", "sentence", "sent_id", LEFT, MATCH, RIGHT)]
    lines = []
    for row, pieces in zip(rows, matches.pieces(), strict=True):
        name = names[row["corpus"], row["sentence"]]
        direction = "rtl" if runs_right_to_left([row[LEFT], row[MATCH], row[RIGHT]]) else "ltr"
        place = f"{row['corpus']} {_brief(name)}" if several else _brief(name)
        href, values = link("sentences", row["corpus"], name), [rendering.cell_text(row[name]) for name in further]
        lines.append(ConcordanceLine(place, href, _last_words(row[LEFT]), pieces, row[RIGHT], direction, values))
    return lines


def _are_several_searched(visit: Visit) -> bool:
    """Whether hits may be of several corpora, so that each names its own."""
    return len(visit.address.several("corpus") or _searched(visit)) > 1


def _searched(visit: Visit) -> list[str]:
    """The corpora that can be searched."""
    return [name for name, row in visit.corpora.items() if row["kind"] in KINDS]


def _brief(name: str) -> str:
    """The name of a sentence without its middle where it is long: names differ most at their ends."""
    name = name.removeprefix("#")
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME // 3]}…{name[-(MAX_NAME // 2) :]}"


def _last_words(text: str) -> str:
    """The words before a match that have room on a line."""
    return text if len(text) <= MAX_LEFT else text[text.find(" ", len(text) - MAX_LEFT - 1) + 1 :]


def _linked_table(visit: Visit, matches: Result) -> DocumentTable:
    """Rows of hits whose sentences are links."""
    names = _names(visit, [(row["corpus"], row["sentence"]) for row in matches.rows()])

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        sentence_name = names[row["corpus"], row["sentence"]]
        return link("sentences", row["corpus"], sentence_name) if name in ("sent_id", "sentence") else None

    several = _are_several_searched(visit)
    heads = [name for name in matches.columns if name != "sentence" and (several or name != "corpus")]
    texts = [name for name in heads if name.endswith(".text")]
    if MATCH in heads and len(texts) == 1 and all(row[texts[0]] == row[MATCH] for row in matches.rows()):
        heads.remove(texts[0])  # the text of the only node is the match
    if all(row["sent_id"] is None for row in matches.rows()):
        heads = ["sentence" if name == "sent_id" else name for name in heads]
    return rendering.table_of(matches, linked=linked, heads=heads)


def _groups(visit: Visit, asked: AskedSearch) -> Answer:
    """Groups of hits with their counts, or the requests with theirs."""
    address = visit.address
    options = {
        **asked.options, "share": address.get("share") or None, "per_million": address.flag("per_million"),
        "grid": address.flag("grid"), "min_count": address.number("min_count", 1, least=1),
    }  # fmt: skip
    chosen: dict[str, Any] = {"requests": asked.named} if asked.compared else {"request": asked.requests[0]}
    with visit.listening():
        groups = visit.database.find(**chosen, **options, timeout=visit.timeout, progress=silent)
    window, total = visit.window(DEFAULT_LIMIT[ROWS]), len(groups)
    part = window.cut(groups)
    if not visit.is_page:
        return answers.of_rows(part, visit.form, total=total, more=window.more(total))
    keys = _keys_of(asked, groups, grid=bool(options["grid"]))
    shown: dict[str, Any] = {"total": None, "groups": None if options["grid"] or asked.compared else total}
    if options["grid"]:
        shown["grid"] = _grid(visit, part, keys)
    elif len(part.columns) == 2 and len(keys) == 1 and part.columns[1] == "count":
        shown["bars_alone"] = _bars(visit, asked.requests[0], part.rows(), next(iter(keys.values())))
    else:
        shown["table"] = _table_of_groups(visit, asked, part, keys)
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
        q=request, corpus=corpus or visit.address.several("corpus"), show=_view_of_hits(visit), bars=None, limit=None,
        offset=None, key=list(values), value=list(values.values()), **dict.fromkeys(OF_GROUPS),
    )  # fmt: skip


def _view_of_hits(visit: Visit) -> str:
    """The view of hits to which groups lead."""
    return CONCORDANCE if visit.address.get("show", GROUPS) == GROUPS else visit.address.get("show")


def _table_of_groups(visit: Visit, asked: AskedSearch, groups: Result, keys: Mapping[str, str]) -> DocumentTable:
    """Groups whose counts lead to their hits."""
    names = asked.named

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        if name not in ("count", "matches") or not row[name]:
            return None
        request = names.get(str(row.get("request")), asked.requests[0])
        corpus = row["corpus"] if asked.compared and not asked.grouped else None
        return _hits(visit, request, {key: row[column] for column, key in keys.items() if column in row}, corpus)

    return rendering.table_of(groups, linked=linked, is_plain=True)


def _grid(visit: Visit, groups: Result, keys: Mapping[str, str]) -> HeatTable:
    """A grid of two keys, whose cells lead to their hits; sums have no colour."""
    head, *columns = groups.columns
    lines = []
    for row in groups.rows():
        cells = []
        for name in columns:
            value_by_key = {keys["rows"]: row[head], keys["columns"]: name}
            group = {key: value for key, value in value_by_key.items() if value != TOTAL}
            text = rendering.cell_text(row[name], name in groups.percent) if row[name] else ""
            href = _hits(visit, visit.address.get("q"), group) if row[name] else None
            cells.append(HeatCell(text.removesuffix("%"), row[name] or 0.0, href, "" if len(group) == 2 else "all"))
        lines.append((rendering.cell_text(row[head]), cells))
    unit = "shares in percent" if groups.percent else "counts"
    return heat_table(f"{unit}: rows are {keys['rows']}, columns {keys['columns']}", columns, lines)


def _render(visit: Visit, asked: AskedSearch, shown: Mapping[str, Any]) -> Answer:
    empty: dict[str, Any] = {
        "table": None, "grid": None, "lines": [], "drawn": [], "least": 0, "groups": None, "command": "",
        "keys": {}, "bars": [], "bars_alone": [], "is_asked": bool(asked.requests),
    }  # fmt: skip
    address = visit.address.changed(limit=None, offset=None)
    views = {name: address.link(show=name, **({} if name == GROUPS else dict.fromkeys(OF_GROUPS))) for name in VIEWS}
    pairs = list(zip(address.several("key"), address.several("value"), strict=False))
    without = [[pair for pair in pairs if pair != chosen] for chosen in pairs]
    filters = [
        (key, value, address.link(key=[name for name, _ in others], value=[text for _, text in others]))
        for (key, value), others in zip(pairs, without, strict=True)
    ]
    return rendering.page(
        visit, "search.html", "Search", asked=asked, names_of_views=VIEWS, views=views, filters=filters,
        searched=_searched(visit),
        fault=visit.fault_in(asked.requests[0]) if asked.requests and not visit.failure else None,
        **{**empty, **shown},
    )  # fmt: skip


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
