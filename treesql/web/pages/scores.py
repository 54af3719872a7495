"""Scores and comparisons of systems among the corpora, whose numbers lead to the sentences behind them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pyarrow as pa

import treesql
from treesql import Comparison, Kind, Result, Role, TreesqlError, UsageError
from treesql.errors import UnknownName
from treesql.reports import SENTENCES, score_charts
from treesql.reports.score_charts import MAX_COLUMNS, HeatCell, HeatTable, Panel, heat_table
from treesql.results.cells import find_start
from treesql.results.documents import DocumentTable
from treesql.results.tables import quoted
from treesql.web import answers, rendering
from treesql.web.addresses import Address, link
from treesql.web.answers import Answer
from treesql.web.pages import edits
from treesql.web.visits import TREES, Visit, Window, command_line, literal

SYSTEM = "system"

SCORE = ("by", "where", "metric", "with", "table", "ci", "grid", "limit", "offset", "timeout")
COMPARE = ("where", "metric", "test", "runs", "seed", "correction", "stratum", "limit", "offset", "timeout")
REPORT = ("where", "metric", "with", "seed", "sentences", "timeout")
"""Parameters besides those of a kind."""

NOT_WRITTEN = ("limit", "offset", "timeout", "grid", "ci")
"""Parameters of pages that the command for the same does not have, or as a flag."""

TESTS = ("shuffling", "bootstrap", "mcnemar", "mcnemar-chi2", "mcnemar-mid-p")
CORRECTIONS = ("holm", "bonferroni", "bh", "by", "none")
RUNS, SEED = 10_000, 12345
"""Defaults of `compare`."""

MAX_RUNS = 100_000
"""Maximum number of runs of a test."""

MAX_GRID = 40
"""Maximum number of rows and columns of a confusion matrix on a page; data have all."""

COUNTS = ("words", "sentences", "brackets", "count")
"""Columns that say of how many items a score is."""

ALIGNED = 30
"""Number of aligned sentences of a page, unless the address says another."""

MOST_NAMED = 3
"""Maximum number of systems that the head of a page names."""

DEFAULT_LIMIT = 100
"""Number of rows of a page, unless the address says another."""


def score(visit: Visit) -> Answer:
    """Score systems."""
    kind = _kind(visit, SCORE)
    inputs = _inputs(visit, kind)
    if kind is None or inputs is None:
        return _form(visit, "score", kind)
    address = visit.address
    options: dict[str, Any] = {name: address.several(name) for name in ("by", "metric") if address.several(name)}
    options |= {"where": address.get("where") or None, "ci": address.flag("ci"), **_declared(visit, kind)}
    if address.get("with"):
        options["with_"] = address.several("with")
    if address.get("table"):
        options["table"] = address.get("table")
    is_aligned = address.get("table") not in ("", None) and address.get("table") == edits.table_of(kind)
    window = visit.window(ALIGNED if is_aligned else DEFAULT_LIMIT)
    keys = [key.strip() for text in address.several("by") for key in text.split(",") if key.strip()]
    with visit.listening():
        scores = visit.database.score(kind.name, **inputs, **options)
    if not visit.is_page:
        return answers.of_rows(window.cut(scores), visit.form, total=len(scores), more=window.more(len(scores)))
    rows = _without_empty(_by_value(scores, keys), keys)
    part, total = window.cut(rows), len(rows)
    comparison = _comparison(visit, kind, inputs) if _are_whole(address) else None
    command = _command(visit, kind, "score", SCORE, inputs["systems"])
    shown: dict[str, Any]
    if is_aligned:
        shown = {"aligned": edits.paragraphs(visit, part.rows())}
    elif address.flag("grid"):
        shown = {"grid": _grid(visit, kind, scores, keys)}
    else:
        table = _linked(visit, kind, part, keys, _constant_counts(kind, rows, keys) if keys else ())
        shown = {"tables": [table], **_measured(visit, kind, part, keys, comparison)}
    if not ("grid" in shown or shown.get("charts") or shown.get("panel")):
        shown["heading"], shown["said"] = _heading(address.get("table"), keys)
    return _form(
        visit, "score", kind, _scored(inputs), command=command, signature=scores.signature,
        report=_report_link(visit, kind), **shown, **window.shown(total),
    )  # fmt: skip


def _scored(inputs: Mapping[str, Any]) -> str:
    """What is scored, for the head of a page: the systems, and what they are scored against."""
    systems = inputs["systems"]
    alone = isinstance(systems, Mapping) and len(systems) == 1
    names = list(next(iter(systems.values())).values()) if alone else list(systems)
    if len(names) > MOST_NAMED:
        names = [f"{len(names):,} systems"]
    against = [name for role, named in inputs.items() if role != "systems" for name in _several(named)]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{listed} against {', '.join(against)}" if against else listed


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _by_value(scores: Result, keys: Sequence[str]) -> Result:
    """Scores whose rows of one value stand below each other, system by system; they come system after system."""
    if not keys or SYSTEM not in scores.columns:
        return scores
    rows = scores.rows()
    names = [key if key in scores.columns else key.partition("/")[0] for key in keys]
    values = [tuple(row.get(name) for name in names) for row in rows]
    found = list(dict.fromkeys(values))
    if "/" in keys[0]:  # some bins occur with further systems alone
        found.sort(key=lambda value: _start_of(value[0]))
    place = {value: number for number, value in enumerate(found)}
    order = sorted(range(len(rows)), key=lambda number: place[values[number]])
    columns = [name for name in scores.columns if name in names]
    table = scores.arrow().select([*columns, *(name for name in scores.columns if name not in columns)])
    return Result(_rows_at(table, order), scores.signatures, scores.percent, scores.directions)


def _without_empty(scores: Result, keys: Sequence[str]) -> Result:
    """Scores by a key without the row of what is counted per sentence, which has neither a value nor an item; items of
    systems alone have no value either."""
    others = {*keys, SYSTEM, "treebank", "sentences", *scores.percent, *scores.directions}
    counts = [name for name in scores.columns if name not in others]
    if len(keys) != 1 or keys[0] not in scores.columns or not counts:
        return scores
    rows = enumerate(scores.rows())
    kept = [number for number, row in rows if row[keys[0]] is not None or any(row[name] for name in counts)]
    return Result(_rows_at(scores.arrow(), kept), scores.signatures, scores.percent, scores.directions)


def _rows_at(table: pa.Table, numbers: Sequence[int]) -> pa.Table:
    """The rows of a table with some numbers, which may be none."""
    return table.take(pa.array(numbers, pa.int64()))


def _heading(table: str, keys: Sequence[str]) -> tuple[str, str]:
    """What the rows of a page without a picture are, and what a table has: its name, and what its query says of it."""
    if not table:
        return f"Scores by {', '.join(keys)}" if keys else "", ""
    doc = treesql.queries(table)[0].doc.partition("; one row per ")[0]
    return table.replace("_", " "), f"{doc[:1].upper()}{doc[1:]}."


def answer_form(visit: Visit) -> Answer:
    """The form of a kind alone, with what the address has."""
    page, *names = visit.address.parts
    return _form(visit, page, treesql.kinds(names[0])[0] if names else None)


def _are_whole(address: Address) -> bool:
    """Whether an address asks for scores of whole corpora, with intervals."""
    return address.flag("ci") and not any(address.several(name) for name in ("by", "table", "grid"))


def _comparison(visit: Visit, kind: Kind, inputs: Mapping[str, Any]) -> Comparison | None:
    """The comparison of the systems whose scores a page shows, None of what cannot be compared."""
    if len(inputs["systems"]) < 2:
        return None
    address = visit.address
    options: dict[str, Any] = {"metric": address.several("metric")} if address.several("metric") else {}
    with suppress(TreesqlError), visit.listening():
        return visit.database.compare(
            kind.name, **inputs, where=address.get("where") or None, **options, **_declared(visit, kind)
        )
    return None


def _measured(
    visit: Visit, kind: Kind, scores: Result, keys: Sequence[str], comparison: Comparison | None
) -> dict[str, Any]:
    """Scores with intervals as marks: of a row per score, or of a value of the only key; nothing where there are none.

    words: what `compare` says of the main score, then of the others.
    """
    rows = scores.rows()
    names = score_charts.names_with_intervals(scores)
    main = _main_score(kind)
    main = main if main in (names or scores.columns) else (names or [""])[0]
    systems = list(dict.fromkeys(str(row["system"]) for row in rows)) if main and "system" in scores.columns else []
    given = visit.address.several(SYSTEM)
    systems.sort(key=lambda name: given.index(name) if name in given else len(given))
    if not systems or len(rows) % len(systems) or "treebank" in scores.columns:
        return {}
    if len(keys) > 1 or "sentence" in keys or not (names or keys):
        return {}
    if not keys:
        docs = score_charts.score_docs(kind.all_metrics)
        charts = score_charts.score_rows(scores, systems, comparison, main, docs)
        behind = {system: _link_to_errors(visit, kind, system) for system in systems}
        return {
            "charts": charts, "systems": systems, "words": _words_of(kind, comparison, charts, main in scores.percent),
            "behind": behind if len(_own_roles(visit, kind)) == 1 else {}, "tables": [],
            "scale_note": score_charts.scale_note(charts), "looks": score_charts.looks_of_scores(charts),
        }  # fmt: skip
    by_value: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        if row[keys[0]] is not None or kind.report.without.get(keys[0].partition("/")[0]):
            by_value.setdefault(_value_text(kind, keys[0], row[keys[0]]), {})[str(row["system"])] = row
    intervals = {
        value: {system: score_charts.interval_of(of.get(system, {}), main) for system in systems}
        for value, of in by_value.items()
    }
    if "/" not in keys[0]:  # names, the best score of the first system first
        direction = scores.directions.get(main)
        order = sorted(intervals, key=lambda value: score_charts.badness(intervals[value][systems[0]], direction))
        intervals = {value: intervals[value] for value in order}
    count = next((name for name in (kind.report.count, *COUNTS) if name in scores.columns), "")
    sizes = {value: rendering.cell_text(next(iter(of.values()))[count]) for value, of in by_value.items() if count}
    lanes, scale = score_charts.value_lanes(intervals, sizes, main in scores.percent)
    panel = Panel(
        f"{main} by {_title_of(kind, keys[0]) or keys[0]}",
        kind.report.unit if count == kind.report.count and kind.report.unit else count.replace("_", " "), lanes,
    )  # fmt: skip
    return {"panel": panel, "scale": scale, "systems": systems, "has_intervals": bool(names)}


def _value_text(kind: Kind, key: str, value: object) -> str:
    """What readers see of a value of a key: a name of its own, or the bounds of a bin."""
    without = kind.report.without.get(key.partition("/")[0])
    text = without if value is None and without else rendering.cell_text(value)
    text = kind.report.values.get(key, {}).get(text, text)
    return score_charts.bin_text(text) if "/" in key else text


def _title_of(kind: Kind, key: str) -> str:
    """What readers see of a key, of one that forms do not offer nothing."""
    title = next((title for title, column in kind.report.buckets.items() if column == key), "")
    return f"{title[:1].lower()}{title[1:]}"


def _start_of(value: object) -> float:
    """The number that a bin begins with; what is none comes last."""
    start = find_start(str(value))
    return math.inf if start is None else start


def _main_score(kind: Kind) -> str:
    """The name of the main score of a kind."""
    return str(kind.report.score or "").rpartition(".")[2]


def _words_of(
    kind: Kind, comparison: Comparison | None, charts: Sequence[score_charts.ScoreRow], percent: bool
) -> list[str]:
    """The answer of a page of scores in sentences: of one system its main score."""
    if comparison is not None:
        return _main_first(kind, comparison)
    if not charts or len(charts[0].cells) > 1:
        return []
    cell = charts[0].cells[0]
    ends = cell.interval.replace(score_charts.DASH, "\u00a0to\u00a0")
    return [f"{charts[0].name}: {cell.text}{'%' * percent}{f', 95% interval {ends}' if ends else ''}"]


def _main_first(kind: Kind, comparison: Comparison) -> list[str]:
    """What a comparison says, first of the main score of its kind: how the best system differs from the next one."""
    main, words = _main_score(kind), comparison.words()
    compared = list(dict.fromkeys(row["metric"] for row in comparison.rows()))
    main = main if main in compared else compared[0]
    ordered = [pair.sentence for pair in score_charts.best_first(comparison.pairs(main))]
    of_main = [word for word in words if word.startswith(f"{main}:") and word not in ordered]
    shown = [sentence for sentence in ordered if sentence in words or sentence == ordered[0]]
    return [*shown[:1], *of_main, *shown[1:], *(word for word in words if word not in (*of_main, *shown))]


def compare(visit: Visit) -> Answer:
    """Compare systems."""
    kind = _kind(visit, COMPARE)
    inputs = _inputs(visit, kind)
    if kind is None or inputs is None:
        return _form(visit, "compare", kind)
    address = visit.address
    options: dict[str, Any] = {
        "where": address.get("where") or None, "test": address.get("test", TESTS[0]),
        "runs": address.number("runs", RUNS, least=1, most=MAX_RUNS), "seed": address.number("seed", SEED),
        "correction": address.get("correction", CORRECTIONS[0]), "stratum": address.get("stratum") or None,
    }  # fmt: skip
    if address.several("metric"):
        options["metric"] = address.several("metric")
    window = visit.window(DEFAULT_LIMIT)
    with visit.listening():
        comparison = visit.database.compare(kind.name, **inputs, **options, **_declared(visit, kind))
    if not visit.is_page:
        total = len(comparison)
        return answers.of_rows(window.cut(comparison), visit.form, total=total, more=window.more(total))
    command = _command(visit, kind, "compare", COMPARE, inputs["systems"])
    words = _main_first(kind, comparison)
    main = words[0].partition(":")[0]
    names = sorted(dict.fromkeys(row["metric"] for row in comparison.rows()), key=lambda name: name != main)
    return _form(
        visit, "compare", kind, _scored(inputs), tables=_comparison_tables(visit, kind, comparison), words=words,
        command=command, signature=comparison.signature, report=_report_link(visit, kind),
        differences=[score_charts.differences(comparison, name) for name in names], rank=_systems_of(comparison).index,
    )  # fmt: skip


def _systems_of(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(row["system"] for row in comparison.scores.rows()))


def report(visit: Visit) -> Answer:
    """The report of systems, to download."""
    kind = _kind(visit, REPORT)
    inputs = _inputs(visit, kind)
    if kind is None or inputs is None:
        raise UsageError("name a kind, a gold corpus and a system: /report/dependency?gold=NAME&system=NAME")
    if not visit.is_page:
        raise UsageError("a report is a page; ask /score or /compare for its tables as data")
    address = visit.address
    options: dict[str, Any] = {"where": address.get("where") or None, "metric": address.several("metric")}
    options |= {"sentences": address.number("sentences", SENTENCES, most=100), "seed": address.number("seed", SEED)}
    options |= {"with_": address.several("with"), **_declared(visit, kind)}
    with visit.listening():
        page = visit.database.report(kind.name, **inputs, **options)
    return answers.of_text(page.html, name="report", download=True)


def _kind(visit: Visit, known: Sequence[str]) -> Kind | None:
    """The kind of evaluation that a path names. Raises UnknownName, also for parameters."""
    parts = visit.address.parts
    if len(parts) > 2:
        raise UnknownName("page", "/".join(parts), [f"{parts[0]}/KIND"])
    if len(parts) == 1:
        visit.address.check(())
        return None
    [kind] = treesql.kinds(parts[1])
    visit.address.check({*known, SYSTEM, *(role.name for role in kind.roles), *kind.declared})
    return kind


def _inputs(visit: Visit, kind: Kind | None) -> dict[str, Any] | None:
    """The corpora by role, and the systems; None where the address names none. Raises UsageError, UnknownName."""
    if kind is None:
        return None
    corpora_by_role = {role.name: visit.address.several(role.name) for role in kind.roles}
    systems = visit.address.several(SYSTEM)
    if not systems and not any(corpora_by_role.values()):
        return None
    for name in (*systems, *(name for names in corpora_by_role.values() for name in names)):
        visit.check_corpus(name)
    inputs: dict[str, Any] = {}
    for role in kind.shared:
        names = corpora_by_role[role.name]
        if not names and not role.option:
            raise UsageError(f"{role.doc} is missing; add {role.name}=CORPUS")
        if names:
            inputs[role.name] = names if role.several else visit.address.get(role.name)
    roles = _own_roles(visit, kind)
    if len(roles) == 1:
        inputs["systems"] = systems or corpora_by_role[roles[0].name]
    else:
        inputs["systems"] = _systems_of_several(visit, kind)
    if not inputs["systems"]:
        raise UsageError("there is no system; add system=CORPUS")
    return inputs


def _systems_of_several(visit: Visit, kind: Kind) -> dict[str, dict[str, str]]:
    """Systems with corpora of several roles, by name: the first of each role, the second, and so on; a role with one
    corpus has it in all. Their names are of the roles in which they differ, of a single one that of its first.
    Raises UsageError.
    """
    roles = _own_roles(visit, kind)
    corpora = {role.name: visit.address.several(role.name) for role in roles}
    corpora[roles[0].name] = corpora[roles[0].name] or visit.address.several(SYSTEM)
    lacking = next((name for name, names in corpora.items() if not names), None)
    if lacking:
        raise UsageError(f"{lacking} is missing; add {lacking}=CORPUS")
    number = max(map(len, corpora.values()))
    uneven = next((name for name, names in corpora.items() if len(names) not in (1, number)), None)
    if uneven:
        what = f"{uneven} is given {len(corpora[uneven])} times, and there are {number} systems"
        raise UsageError(f"{what}; give it once for each system, or once for all")
    systems = [
        {name: names[place if len(names) > 1 else 0] for name, names in corpora.items()} for place in range(number)
    ]
    differing = [name for name, names in corpora.items() if len(set(names)) > 1] or [roles[0].name]
    return {" + ".join(system[name] for name in differing): system for system in systems}


def _own_roles(visit: Visit, kind: Kind) -> list[Role]:
    """The roles of which each system has a corpus of its own, without options that the address does not have."""
    return [role for role in kind.own if not role.option or visit.address.several(role.name)]


def _declared(visit: Visit, kind: Kind) -> dict[str, Any]:
    """The values of the parameters of the kind's queries that the address has."""
    values: dict[str, Any] = {}
    for name, parameter in kind.declared.items():
        text = visit.address.get(name)
        if text:
            number = parameter.type in ("INTEGER", "BIGINT", "DOUBLE")
            values[name] = (float(text) if parameter.type == "DOUBLE" else int(text)) if number else text
    return values


def _roles_of(visit: Visit, kind: Kind) -> dict[str, list[str]]:
    """The corpora that the address names, by role."""
    return {name: visit.address.several(name) for name in (*(role.name for role in kind.roles), SYSTEM)}


def _command(visit: Visit, kind: Kind, name: str, known: Sequence[str], systems: object) -> str:
    """The same as a command: arguments, the gold ones first, then options of roles, of the page and of queries."""
    address = visit.address
    roles = _roles_of(visit, kind)
    inputs: dict[str, Any] = {role.name: roles[role.name] for role in kind.shared if role.option}
    needed = [role for role in kind.roles if not role.option and role.name != SYSTEM]
    arguments = [corpus for role in needed for corpus in roles[role.name]] + roles[SYSTEM]
    if isinstance(systems, Mapping) and len(systems) > 1:
        arguments = [corpus for role in needed if role in kind.shared for corpus in roles[role.name]]
        inputs[SYSTEM] = [f"{called}={','.join(of.values())}" for called, of in systems.items()]
    else:
        inputs |= {role.name: roles[role.name] for role in kind.own if role.option}
    options: dict[str, Any] = {one: address.several(one) for one in known if one not in NOT_WRITTEN}
    options |= {
        parameter.name: address.get(parameter.name)
        for parameter in kind.declared.values()
        if address.get(parameter.name) not in ("", str(parameter.default))
    }
    ci = address.flag("ci") if "ci" in known else None
    return command_line(name, kind.name, *arguments, **inputs, db=visit.shown, **options, ci=ci)


def _report_link(visit: Visit, kind: Kind) -> str:
    roles: dict[str, Any] = {name: values for name, values in _roles_of(visit, kind).items() if values}
    return link("report", kind.name, **roles, where=visit.address.get("where"), metric=visit.address.several("metric"))


def _link_to_errors(visit: Visit, kind: Kind, system: str) -> str:
    """Where the errors of a system are: in the table that the flag `--errors` shows, else the scores by sentence."""
    if "errors" not in kind.flags or visit.address.get("where"):  # a table has no condition
        return _link_to_sentences(visit, kind, system, {})
    roles: dict[str, Any] = {name: names for name, names in _roles_of(visit, kind).items() if names}
    return link("score", kind.name, **{**roles, SYSTEM: system}, table=kind.flags["errors"].table)


def _link_to_sentences(visit: Visit, kind: Kind, system: str, conditions: Mapping[str, object]) -> str:
    """Where the sentences behind a number are: the scores of one system by sentence, under some conditions."""
    clauses = [f"({where})" for where in visit.address.several("where")]
    clauses += [_condition(name, value) for name, value in conditions.items()]
    roles = {role.name: visit.address.several(role.name) for role in kind.shared}
    parameters: dict[str, Any] = {name: values for name, values in roles.items() if values}
    return link(
        "score", kind.name, **parameters, system=system, by="sentence", where=" AND ".join(clauses),
        metric=visit.address.several("metric"),
    )  # fmt: skip


def _condition(name: str, value: object) -> str:
    """An SQL condition on a column of items."""
    return f"{quoted(name)} {'IS NULL' if value is None else f'= {literal(str(value))}'}"


def _linked(
    visit: Visit, kind: Kind, scores: Result, keys: Sequence[str], left_out: Collection[str] = ()
) -> DocumentTable:
    """A table of scores: counts lead to the sentences behind them, sentences to the drawing of gold against system.

    left_out: columns that are not shown.
    """
    single = len(_own_roles(visit, kind)) == 1
    gold = next(iter(visit.address.several(kind.shared[0].name)), "") if kind.shared else ""
    plain = all(key in scores.columns and "/" not in key for key in keys) and not visit.address.get("table")
    by_sentence = {"system", "sentence"} <= {*scores.columns}
    names = visit.database.sentence_names(gold, [row["sentence"] for row in scores.rows()] if by_sentence else [])
    has_both = kind.own[0].reads in TREES or edits.table_of(kind)
    counted = kind.report.count if kind.report.count in scores.columns else _counted(scores, keys)

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        if not single:
            return None
        if by_sentence:
            drawn = {SYSTEM: row["system"]} if has_both else {}
            is_name = name in ("sent_id", "sentence") and gold and row[name] is not None
            return link("sentences", gold, names[row["sentence"]], **drawn) if is_name else None
        if name == counted and plain and row[name]:
            return _link_to_sentences(visit, kind, row["system"], {key: row[key] for key in keys})
        return None

    single_system = len({row.get(SYSTEM) for row in scores.rows()}) == 1
    unsaid = {*left_out, *([SYSTEM] if single_system else [])}
    heads = [name for name in _without_repeated(scores.columns) if name not in unsaid]
    table = rendering.table_of(scores, linked=linked, heads=heads, only_filled=True, is_plain=True)
    return _with_texts_of_keys(kind, table, scores, keys)


def _with_texts_of_keys(kind: Kind, table: DocumentTable, scores: Result, keys: Sequence[str]) -> DocumentTable:
    """A table whose keys with bins, or with names for their values, read as in its drawing."""
    texts, rows = list(table.heads), [list(row) for row in table.rows]
    for key in keys:
        head = key.replace("_", " ")
        if ("/" in key or key in kind.report.values) and head in texts:
            at = texts.index(head)
            texts[at] = _title_of(kind, key) or head
            for cells, row in zip(rows, scores.rows(), strict=True):
                cells[at] = cells[at]._replace(text=_value_text(kind, key, row[key]))
    return replace(table, heads=texts, rows=rows)


def _constant_counts(kind: Kind, scores: Result, keys: Sequence[str]) -> list[str]:
    """The columns of a table by keys that say nothing: no scores, and the same in all of several rows."""
    table = scores.arrow()
    kept = {*keys, "sent_id", SYSTEM, kind.report.count, *scores.percent, *scores.directions}
    counts = [name for name in table.column_names if name not in kept and not pa.types.is_nested(table[name].type)]
    return [name for name in counts if len(table) > 1 and len(table[name].unique()) == 1]


def _without_repeated(columns: Sequence[str]) -> list[str]:
    """Columns without those that others say better: the number of a head beside its word, what is right beside both."""
    return [name for name in columns if f"{name}_form" not in columns and not name.startswith("correct_")]


def _counted(table: Result, keys: Sequence[str] = ()) -> str:
    """The first column of counts. keys: columns that are none."""
    return next((name for name in table.columns if name in COUNTS), "") or next(
        (name for name in table.columns if name not in (*table.percent, *keys, "system", "treebank")), ""
    )


def _grid(visit: Visit, kind: Kind, counts: Result, keys: Sequence[str]) -> HeatTable:
    """Counts of two keys as a grid, whose cells lead to the sentences behind them: a confusion matrix."""
    rows = counts.rows()
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if len(keys) != 2 or len(systems) != 1:
        raise UsageError("a grid has one system and two keys; name them, such as by=gold_udeprel,system_udeprel")
    count = _counted(Result(counts.arrow().drop_columns(keys), percent=counts.percent))
    cells = {(row[keys[0]], row[keys[1]]): int(row[count] or 0) for row in rows}
    sums, wrong = Counter[Any](), Counter[Any]()
    for (first, second), number in cells.items():
        for value in {first, second}:
            sums[value] += number
            wrong[value] += number * (first != second)
    confused = sorted(sums, key=lambda value: (-wrong[value], -sums[value], str(value)))
    values = sorted(confused[:MAX_GRID], key=lambda value: (-sums[value], str(value)))

    def cell(first: Any, second: Any) -> HeatCell:
        number = cells.get((first, second), 0)
        href = _link_to_sentences(visit, kind, systems[0], {keys[0]: first, keys[1]: second}) if number else None
        return HeatCell(rendering.cell_text(number) if number else "", number, href, "right" if first == second else "")

    lines = [
        (rendering.cell_text(first), [cell(first, second) for second in values])
        for first in values if any(first == other for other, _ in cells)
    ]  # fmt: skip
    confusions = {(one.rows, one.columns): title for title, one in kind.report.confusions.items()}
    title = confusions.get((keys[0], keys[1]))
    caption = f"{count} of {systems[0]}: rows are {keys[0]}, columns {keys[1]}"
    if title:
        caption = f"{title}: a row per gold value, a column per value of {systems[0]}; numbers are {count}"
    if len(values) < len(sums):
        caption += f"; the {len(values)} values that are confused most, of {len(sums):,}"
    return heat_table(caption, [rendering.cell_text(value) for value in values], lines)


def _comparison_tables(visit: Visit, kind: Kind, comparison: Comparison) -> list[DocumentTable]:
    """The tables of a comparison; the names of systems lead to their scores by sentence."""

    def linked(row: Mapping[str, Any], name: str) -> str | None:
        single = len(_own_roles(visit, kind)) == 1 and name == "system"
        return _link_to_sentences(visit, kind, row["system"], {}) if single else None

    return [rendering.table_of(table, linked=linked) for table in comparison.tables()]


def _buckets(visit: Visit, kind: Kind) -> dict[str, str]:
    """The columns to split scores by that the items of the metrics have which the address asks for, by title."""
    asked = {name.strip() for text in visit.address.several("metric") for name in text.split(",")}
    named = {name.partition(".")[0] for name in asked}
    metrics = [one for one in kind.all_metrics if one in named or asked & {*kind.columns_of_metrics[one]}]
    return kind.report.buckets_of(metrics or kind.metrics or kind.all_metrics)


def _purpose(kind: Kind) -> str:
    """What a kind scores, in a sentence for readers: the help of its command, whose arguments are roles here."""
    purpose = kind.doc.split("\n\n")[0].partition(", a row per ")[0].removesuffix(".") + "."
    for role in kind.roles:
        if not role.option:
            purpose = re.sub(rf"\b{role.written}\b", f"the {role.name}", purpose)
    return purpose


def _form(visit: Visit, page: str, kind: Kind | None, title: str = "", **shown: Any) -> Answer:
    """The page with its form. title: what is scored; shown: what was found, if anything was asked."""
    if not (shown or visit.is_page):
        raise UsageError(f"name a kind and corpora; /{page}/dependency.json?gold=NAME&system=NAME")
    offered = [candidates.kind for candidates in visit.candidates]
    kind = kind or next((one for one in offered if one.name == "dependency"), None) or next(iter(offered), None)
    candidates = visit.database.candidates(kind.name)[0] if kind else None
    chosen: Mapping[str, list[str]] = _roles_of(visit, kind) if kind else {}
    if candidates and not any(chosen.values()):
        chosen = next(iter(candidates.proposed), {})
    own = (SYSTEM, *(role.name for role in kind.own)) if kind else ()
    empty: dict[str, Any] = {
        "tables": [], "words": [], "command": "", "signature": "", "report": None, "aligned": [], "charts": [],
        "systems": [], "behind": {}, "scale_note": "", "looks": (), "panel": None, "scale": None, "differences": [],
        "grid": None, "has_intervals": True, "heading": "", "said": "",
        **Window(visit.address).shown(0),
    }  # fmt: skip
    return rendering.page(
        visit, "scores.html", title or {"score": "Scores", "compare": "Comparison"}[page], page=page, kind=kind,
        kinds=offered, purpose=_purpose(kind) if kind else "", buckets=_buckets(visit, kind) if kind else {},
        several=any(len(chosen.get(name, ())) > 1 for name in own),
        fitting=candidates.corpora if candidates else {}, chosen=chosen, asked=bool(shown), tests=TESTS,
        corrections=CORRECTIONS, dagger=score_charts.WORSE, level=score_charts.LEVEL, few=MAX_COLUMNS,
        **{**empty, **shown},
    )  # fmt: skip
