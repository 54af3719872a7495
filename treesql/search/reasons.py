"""Explanations of empty results."""

from __future__ import annotations

import time
from dataclasses import replace

from treesql.engines import Engine
from treesql.errors import UnknownName
from treesql.search import tree_reasons
from treesql.search.counts import count_matches
from treesql.search.grew import contradictions, syntax
from treesql.search.grew.fields import DERIVED
from treesql.search.grew.syntax import Item, Test
from treesql.search.grew.vocabulary import Vocabulary, suggestion
from treesql.search.request import PreparedRequest

MAX_VALUES = 5000
"""Maximum number of values of a feature among which the nearest is suggested."""


def explain_empty_result(engine: Engine, prepared: PreparedRequest, seconds: float) -> list[str]:
    """Return the reasons for an empty result that can be found in some seconds; none after warnings of names."""
    if prepared.tree is not None:
        return tree_reasons.explain_empty_result(engine, prepared, prepared.tree, seconds)
    request = prepared.grew
    contradictory = contradictions.find_contradictions(request, prepared.selection.enhanced)
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
            one = replace(clause, alternatives=((test,),))
            if not count_matches(engine, prepared, [replace(alone, clauses=(one,))]):
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
    if not filters or time.monotonic() > ends:
        return []
    found = count_matches(engine, prepared, rest)
    if not found:
        return []
    alone = f"the pattern alone has {found:,} match{'es' if found > 1 else ''}"
    for item in filters:
        if time.monotonic() > ends:
            return []
        if not count_matches(engine, prepared, [*rest, item]):
            return [f"{alone}; `{prepared.grew.text_at(item.span)}` leaves none of them"]
    return [f"{alone}; the filters together leave none of them"]
