"""Execution of requests within a time limit, with the reasons for an empty result."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from treesql.engines import Engine
from treesql.engines.relations import of_range
from treesql.errors import QueryError, StatementError, UnknownName
from treesql.runtime import limits
from treesql.search import costs, tree_reasons
from treesql.search.costs import count_matches
from treesql.search.grew import contexts, syntax
from treesql.search.grew.fields import DERIVED
from treesql.search.grew.scopes import edges_between_nodes, names_bound_by
from treesql.search.grew.syntax import Clause, GrewRequest, Item, Span, Test, Value
from treesql.search.grew.vocabulary import Vocabulary, suggestion
from treesql.search.planning import PlannedQuestion
from treesql.search.request import PreparedRequest
from treesql.storage import loading

MANY_SENTENCES = 20_000
"""Number of sentences from which the first rows are looked for among the first sentences."""

SENTENCES_AT_A_TIME = 262_144
"""Maximum number of sentences in which matches are counted at a time: those of eight parts of a folder."""

SENTENCES_OF_PAIRS = 32_768
"""Maximum number of sentences whose words are joined with all others at a time: those of a part of a folder."""

FIRST_PART = 50
"""The part of these sentences: a fiftieth."""

DUCKDB = "duckdb"
"""Name of the engine that searches parts one by one; Spark has tasks for them."""

_NUMBERS = "SELECT s.corpus, max(s.sentence) + 1 AS n FROM sentences AS s GROUP BY s.corpus ORDER BY s.corpus"
"""The number after the last sentence of every corpus, which has fewer sentences where SQL deleted some."""

UNSUPPORTED_SUBQUERY = "[UNSUPPORTED_SUBQUERY"
"""How Spark's message begins where it does not run a subquery, as concordances have."""

DEFAULT_SECONDS = 60.0
"""Maximum number of seconds that a request may take, by default."""


def find_matches(engine: Engine, prepared: PreparedRequest, seconds: float) -> tuple[pa.Table, list[str]]:
    """Return all rows, and the reasons if there are no matches. Raises TimeLimit, QueryError."""
    with limits.limited(engine, seconds) as limit:
        return find_matches_within(engine, prepared, limit)


def find_matches_within(engine: Engine, prepared: PreparedRequest, limit: limits.Limit) -> tuple[pa.Table, list[str]]:
    """Return the same within a limit that is watched already."""
    limit.explain = lambda: costs.describe_costliest_clause(engine, prepared)
    table = _find_in_parts(engine, prepared)
    if table is None:
        table = _run(engine, prepared.sql, prepared.request.text)
    empty = is_empty(prepared, table)
    return table, explain_empty_result(engine, prepared, limit.left) if empty else []


def find_table_within(engine: Engine, planned: PlannedQuestion, limit: limits.Limit) -> tuple[pa.Table, list[str]]:
    """Return all rows of a question, and the reasons if its only request has no matches, within a limit.

    Raises TimeLimit, QueryError.
    """
    first, *others = planned.requests
    table = None
    if not others:
        limit.explain = lambda: costs.describe_costliest_clause(engine, first)
        table = _find_in_parts(engine, first) if planned.statement == first.sql else None
    if table is None:
        table = _run(engine, planned.statement, "; ".join(prepared.request.text for prepared in planned.requests))
    empty = planned.explained and is_empty(first, table)
    return table, explain_empty_result(engine, first, limit.left) if empty else []


def find_sentences(engine: Engine, prepared: PreparedRequest, seconds: float) -> tuple[dict[str, list[int]], list[str]]:
    """Return the sentences with matches by corpus, in order, and the reasons if there are none.

    Raises TimeLimit, QueryError.
    """
    with limits.limited(engine, seconds) as limit:
        limit.explain = lambda: costs.describe_costliest_clause(engine, prepared)
        table = _run(engine, prepared.select_sentences().sql, prepared.request.text)
        why = explain_empty_result(engine, prepared, limit.left) if not table.num_rows else []
    order = {name: at for at, name in enumerate(loading.corpus_names(engine))}
    rows = zip(table["corpus"].to_pylist(), table["sentence"].to_pylist(), strict=True)
    sentences: dict[str, list[int]] = {}
    first, limit_of_rows = prepared.selection.offset, prepared.selection.limit
    last = None if limit_of_rows is None else first + limit_of_rows
    for corpus, sentence in sorted(rows, key=lambda row: (order[row[0]], row[1]))[first:last]:
        sentences.setdefault(corpus, []).append(sentence)
    return sentences, why


def is_empty(prepared: PreparedRequest, table: pa.Table) -> bool:
    """Whether a table shows that there are no matches."""
    if prepared.selection.limit == 0:
        return False
    return table["count"][0].as_py() == 0 if prepared.selection.count else not table.num_rows


def _find_in_parts(engine: Engine, prepared: PreparedRequest) -> pa.Table | None:
    """Return what parts of the sentences suffice for, or are searched one by one for; None to search all at once."""
    return _count_in_parts(engine, prepared) if prepared.selection.count else _first_rows(engine, prepared)


def _count_in_parts(engine: Engine, prepared: PreparedRequest) -> pa.Table | None:
    """Return the number of matches, part by part, where there are many sentences.

    DuckDB would keep the rows of a join in memory, and those of words with all others are twenty or thirty for a word.
    """
    selection = prepared.selection
    if engine.name != DUCKDB or prepared.tree is not None:
        return None
    joins_all = contexts.joins_all_words(prepared.grew, enhanced=selection.enhanced)
    n_sentences = SENTENCES_OF_PAIRS if joins_all else SENTENCES_AT_A_TIME
    if _n_sentences(engine, selection.corpora) <= n_sentences:
        return None
    parts = list(_parts(engine, selection.corpora, n_sentences))
    if len(parts) < 2:
        return None
    total = 0
    for corpora, sentences in parts:
        sql = of_range(engine, prepared.select(replace(selection, corpora=corpora)).sql, sentences)
        total += _run(engine, sql, prepared.request.text)["count"][0].as_py()
    return pa.table({"count": pa.array([total], pa.int64())})


def _n_sentences(engine: Engine, corpora: Sequence[str] | None) -> int:
    """Return the number of sentences of corpora, of all for None."""
    sizes = dict(engine.rows("SELECT c.corpus, c.n_sentences FROM corpora AS c"))
    return sum(sizes.get(name, 0) for name in (sizes if corpora is None else set(corpora)))


def _parts(engine: Engine, corpora: Sequence[str] | None, n_sentences: int) -> Iterator[tuple[tuple[str, ...], range]]:
    """Yield corpora with a range of their sentences: a part of one corpus, or several small ones."""
    sizes = dict(engine.rows(_NUMBERS))
    together: list[str] = []
    n = 0
    for name in sizes if corpora is None else dict.fromkeys(corpora):
        size = sizes.get(name, 0)
        if size > n_sentences:
            for since in range(0, size, n_sentences):
                yield (name,), range(since, since + n_sentences)
            continue
        if together and n + size > n_sentences:
            yield tuple(together), range(n_sentences)
            together, n = [], 0
        together.append(name)
        n += size
    if together:
        yield tuple(together), range(n_sentences)


def _first_rows(engine: Engine, prepared: PreparedRequest) -> pa.Table | None:
    """Return the first rows of a request with a limit where the first sentences have as many, None where they do not.

    Rows stand in the order of the corpora, so that these are the ones which a search of all sentences returns.
    """
    selection = prepared.selection
    rows_alone = not (selection.count or selection.by or selection.sort or selection.order)
    if not (selection.limit and rows_alone) or prepared.tree is not None:
        return None
    sizes = dict(engine.rows("SELECT c.corpus, c.n_sentences FROM corpora AS c WHERE c.n_words > 0"))
    among = [name for name in selection.corpora or sizes if name in sizes]
    if not among or sizes[min(among)] < MANY_SENTENCES:
        return None
    part = replace(selection, corpora=(min(among),), before=sizes[min(among)] // FIRST_PART)
    table = _run(engine, prepared.select(part).sql, prepared.request.text)
    return table if table.num_rows == selection.limit else None


def _run(engine: Engine, sql: str, request: str) -> pa.Table:
    try:
        return engine.table(sql)
    except StatementError as error:
        message = error.message
        if message.startswith(UNSUPPORTED_SUBQUERY):
            message = f"{message.rstrip(':. ')}; no concordances on Spark: leave Spark out, or name columns"
        raise QueryError(message, sql, "find", request) from None


_NAME = re.compile(r"\w+\$?")

MAX_VALUES = 5000
"""Maximum number of values of a feature among which the nearest is suggested."""


def explain_empty_result(engine: Engine, prepared: PreparedRequest, seconds: float) -> list[str]:
    """Return the reasons for an empty result that can be found in some seconds; none after warnings of names."""
    if prepared.tree is not None:
        return tree_reasons.explain_empty_result(engine, prepared, prepared.tree, seconds)
    request = prepared.grew
    contradictory = find_contradictions(request, prepared.selection.enhanced)
    if prepared.warnings or contradictory:
        return contradictory
    ends = time.monotonic() + seconds
    for clause in request.clauses("pattern"):
        if time.monotonic() > ends:
            return []
        if isinstance(clause, syntax.Node) and (reason := _explain_unmatched_node(engine, prepared, clause)):
            return [reason]
        if isinstance(clause, syntax.Edge) and (reason := _explain_unmatched_edge(engine, prepared, clause)):
            return [reason]
    return _explain_filters(engine, prepared, ends)


def _explain_unmatched_node(engine: Engine, prepared: PreparedRequest, clause: syntax.Node) -> str | None:
    """Return the reason if no word at all matches a node."""
    alone = Item("pattern", (clause,), clause.span)
    if count_matches(engine, prepared, [alone]):
        return None
    for tests in clause.alternatives[:1] if len(clause.alternatives) == 1 else ():
        for test in tests:
            test_alone = replace(clause, alternatives=((test,),))
            if not count_matches(engine, prepared, [replace(alone, clauses=(test_alone,))]):
                return f"no word has `{prepared.grew.text_at(test.span)}`{_suggest_value(engine, prepared, test)}"
    return f"no word matches `{prepared.grew.text_at(clause.span)}`"


def _suggest_value(engine: Engine, prepared: PreparedRequest, test: Test) -> str:
    """Suggest the values nearest to the one that a test requires."""
    required = [value for value in test.values if isinstance(value, str)]
    if test.operator != "=" or len(required) != 1 or test.otherwise is not None or test.name in ("form", *DERIVED):
        return ""
    known = Vocabulary(engine, prepared.selection.corpora).values(test.name, MAX_VALUES + 1)
    return "" if len(known) > MAX_VALUES else f"; {suggestion(UnknownName('', required[0], known))}"


def _explain_unmatched_edge(engine: Engine, prepared: PreparedRequest, clause: syntax.Edge) -> str | None:
    """Return the reason if no edge at all has the label that a clause requires."""
    alone = Item("pattern", (replace(clause, name=None),), clause.span)
    if count_matches(engine, prepared, [alone]):
        return None
    return f"no edge matches `{prepared.grew.text_at(clause.span)}`"


def _explain_filters(engine: Engine, prepared: PreparedRequest, ends: float) -> list[str]:
    """Return which item removes all matches of the pattern."""
    items = prepared.grew.items
    filters = [item for item in items if item.kind in ("with", "without")]
    rest = [item for item in items if item not in filters]
    if time.monotonic() > ends:
        return []
    n_matches = count_matches(engine, prepared, rest) if filters else 0
    if not n_matches:
        return _explain_joined_clauses(engine, prepared, ends)
    alone = f"the pattern alone has {n_matches:,} match{'es' if n_matches > 1 else ''}"
    for item in filters:
        if time.monotonic() > ends:
            return []
        if not count_matches(engine, prepared, [*rest, item]):
            return [f"{alone}; `{prepared.grew.text_at(item.span)}` leaves none of them"]
    return [f"{alone}; the filters together leave none of them"]


def _explain_joined_clauses(engine: Engine, prepared: PreparedRequest, ends: float) -> list[str]:
    """Return which clause of the pattern leaves no match of those before it that it is joined with.

    Every node and every edge matches something alone. Orders and comparisons come last, and only where edges join all
    their nodes: pairs of all words are not counted.
    """
    request = prepared.grew
    clauses = sorted(request.clauses("pattern"), key=lambda clause: not isinstance(clause, syntax.Node | syntax.Edge))
    bound = {name for clause in clauses for name in names_bound_by(clause)}
    others = [item for item in request.items if item.kind not in ("pattern", "with", "without")]
    joined: list[tuple[set[str], tuple[Clause, ...], int]] = []
    for clause in clauses:
        names = bound & set(_NAME.findall(request.text[clause.span.start : clause.span.end]))
        parts = [part for part in joined if part[0] & names]
        is_joining = isinstance(clause, syntax.Node | syntax.Edge)
        if time.monotonic() > ends or not (is_joining or (len(parts) == 1 and names <= parts[0][0])):
            return []
        together = (*(one for part in parts for one in part[1]), clause)
        n_matches = count_matches(engine, prepared, [*others, Item("pattern", together, clause.span)])
        if not n_matches and parts:
            n_before = f"{parts[0][2]:,} match{'es' if parts[0][2] > 1 else ''}"
            before = f"the clauses joined with it have {n_before}" if len(parts) == 1 else "the others match"
            return [f"{before}; `{request.text_at(clause.span)}` leaves none of them"]
        joined = [part for part in joined if part not in parts]
        joined.append((names.union(*(part[0] for part in parts)), together, n_matches))
    return []


def find_contradictions(request: GrewRequest, enhanced: bool) -> list[str]:
    """Return descriptions of the conditions that no sentence can satisfy, whatever the corpus."""
    clauses = request.clauses("pattern")
    contradictions = _contradicting_tests(request, clauses) + _circular_order(request, clauses)
    if not enhanced:
        contradictions += _impossible_tree(request, clauses)
    return list(dict.fromkeys(contradictions))


def _contradicting_tests(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe tests of one feature of one node that exclude each other."""
    contradictions = []
    tests: dict[tuple[str, str], list[Test]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in (candidate for candidate in clause.alternatives[0] if candidate.otherwise is None):
                tests.setdefault((clause.name, test.name), []).append(test)
    for (node, name), node_tests in tests.items():
        if len(node_tests) > 1 and not _is_satisfiable(node_tests):
            both = " and ".join(f"`{request.text_at(test.span)}`" for test in node_tests)
            contradictions.append(f"{name} of {node} cannot be {both} at once")
    return contradictions


def _is_satisfiable(tests: Sequence[Test]) -> bool:
    if any(test.operator == "absent" for test in tests):
        return all(test.operator == "absent" for test in tests)
    allowed: set[Value] | None = None
    for test in tests:
        if test.operator == "=" and all(isinstance(value, str) for value in test.values):
            allowed = set(test.values) if allowed is None else allowed & set(test.values)
    for test in tests:
        if test.operator == "<>" and allowed is not None:
            allowed -= set(test.values)
    return allowed is None or bool(allowed)


def _circular_order(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe nodes that would precede themselves."""
    after: dict[str, dict[str, Span]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Order) and clause.operator in ("<", "<<"):
            after.setdefault(clause.left, {})[clause.right] = clause.span
    for start in after:
        seen, reached = set(), list(after[start])
        while reached:
            node = reached.pop()
            if node == start:
                return [f"{start} cannot precede itself, as the order of the nodes requires"]
            if node not in seen:
                seen.add(node)
                reached += after.get(node, {})
    return []


def _impossible_tree(request: GrewRequest, clauses: Sequence[Clause]) -> list[str]:
    """Describe edges that no tree can have: two heads of a word, or a cycle."""
    heads: dict[str, set[str]] = {}
    for _, source, target in edges_between_nodes(clauses):
        heads.setdefault(target, set()).add(source)
    for node, sources in heads.items():
        injective = {name for name in sources if not name.endswith("$")}
        if len(injective) > 1:
            names = " and ".join(sorted(injective))
            return [f"{node} cannot have both {names} as heads: a word of the basic tree has one (--enhanced has more)"]
    for node in heads:
        above, seen = node, set()
        while above in heads and above not in seen:
            seen.add(above)
            above = min(heads[above])
        if above in seen:
            return [f"{above} cannot be below itself: the basic tree has no cycles"]
    return []
