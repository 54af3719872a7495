"""Why a request for constituency trees matches nothing: a label that no node has, or a part that leaves no match."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import UnknownName
from treesql.search.constituents.syntax import (
    ALWAYS,
    AllOf,
    AnyOf,
    Condition,
    Exists,
    Formula,
    OneOf,
    TreeNode,
    TreeRequest,
)
from treesql.search.grew.vocabulary import suggestion
from treesql.search.request import PreparedRequest
from treesql.search.selection import Selection

MAX_LABELS = 5000
"""Maximum number of labels among which the nearest is suggested."""

_SUGGESTED = ("label", "category", "edge_label")
"""Columns of which the nearest value is suggested."""


def explain_empty_result(engine: Engine, prepared: PreparedRequest, request: TreeRequest, seconds: float) -> list[str]:
    """Return the reason for an empty result, if it can be found in some seconds."""
    ends = time.monotonic() + seconds
    for node in _needed_nodes(request):
        if time.monotonic() > ends:
            return []
        if not _count(engine, prepared, replace(request, head=replace(node, name=request.names[0]), formula=ALWAYS)):
            near = _suggest(engine, node.condition, prepared.selection.corpora)
            return [f"no node matches `{request.text_at(node.span)}`{near}"]
    n_before = _count(engine, prepared, replace(request, formula=ALWAYS))
    for number, (_, span) in enumerate(request.pieces, 1):
        if time.monotonic() > ends:
            return []
        part = AllOf(tuple(piece for piece, _ in request.pieces[:number]))
        n_after = _count(engine, prepared, replace(request, formula=part))
        if not n_after and len(request.pieces) > 1:
            before = f"{n_before:,} node{'s' * (n_before != 1)}"
            return [f"`{request.text_at(span)}` leaves none of the {before} that match what stands before it"]
        n_before = n_after
    return []


def count_nodes(engine: Engine, prepared: PreparedRequest, request: TreeRequest) -> list[tuple[TreeNode, int]]:
    """Return the nodes outside of negations, each with the number of nodes of the corpora that match it alone."""
    counts = []
    for node in _needed_nodes(request, alternatives=True):
        alone = replace(request, head=replace(node, name=request.names[0]), formula=ALWAYS)
        counts.append((node, _count(engine, prepared, alone)))
    return counts


def _needed_nodes(request: TreeRequest, alternatives: bool = False) -> Iterator[TreeNode]:
    """Yield the head and the nodes that have to be there. alternatives: also those of alternatives."""
    yield request.head
    yield from _bound(request.formula, alternatives)


def _bound(formula: Formula | Condition, alternatives: bool) -> Iterator[TreeNode]:
    if isinstance(formula, Exists):
        yield formula.node
        yield from _bound(formula.body, alternatives)
    elif isinstance(formula, AllOf) or (alternatives and isinstance(formula, AnyOf)):
        for part in formula.parts:
            yield from _bound(part, alternatives)


def _count(engine: Engine, prepared: PreparedRequest, request: TreeRequest) -> int:
    first_only = replace(request, names=request.names[:1])
    selection = Selection(count=True, corpora=prepared.selection.corpora)
    part = replace(prepared, request=first_only, whether={}).select(selection)
    [(n,)] = engine.rows(part.sql)
    return int(n)


def _suggest(engine: Engine, condition: Condition | None, corpora: Sequence[str] | None) -> str:
    """Suggest the values in the searched corpora nearest to the one that a node requires."""
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    for part in parts:
        values = [value for value in part.values if isinstance(value, str)] if isinstance(part, OneOf) else []
        if isinstance(part, AllOf):
            return _suggest(engine, part, corpora)
        if isinstance(part, OneOf) and part.column in _SUGGESTED and len(values) == 1 == len(part.values):
            column = f"n.{part.column}"
            among = "" if corpora is None else f"n.corpus IN ({', '.join(map(literal, corpora))}) AND "
            chosen = f"{among}n.kind <> 'word' AND {column} IS NOT NULL AND {column} <> {literal(values[0])}"
            sql = f"SELECT DISTINCT {column} FROM tree_nodes AS n WHERE {chosen} LIMIT {MAX_LABELS + 1}"
            known = [value for (value,) in engine.rows(sql)]
            return "" if len(known) > MAX_LABELS else f"; {suggestion(UnknownName('', values[0], known))}"
    return ""
