"""What a database says about the names in a request, and why a request finds nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import duckdb

from treesql.errors import UnknownName
from treesql.patterns import compiler, syntax
from treesql.patterns.compiler import COLUMNS, DERIVED, LENGTHS, POSITIONS, Names, written_name
from treesql.patterns.syntax import Clause, Item, Key, Labels, LabelTests, Reference, Request, Span, Test, Value
from treesql.tables import literal

if TYPE_CHECKING:
    from treesql.patterns.finding import Question

UNIVERSAL_FEATURES = frozenset({
    "Abbr", "AdpType", "AdvType", "Animacy", "Aspect", "Case", "Clusivity", "ConjType", "Definite", "Degree", "Deixis",
    "DeixisRef", "Evident", "ExtPos", "Foreign", "Form", "Gender", "Mood", "NameType", "NounClass", "NounType",
    "NumForm", "NumType", "NumValue", "Number", "Person", "Polarity", "Polite", "Poss", "PrepCase", "PronType",
    "PunctSide", "PunctType", "Reflex", "Style", "Subcat", "Tense", "Typo", "VerbForm", "VerbType", "Voice",
})  # fmt: skip
"""Features of Universal Dependencies: a treebank without them is no sign of a slip."""

VALUES_SHOWN = 5000
"""Of features with more values than these the nearest one is not looked for."""


def look_up(
    connection: duckdb.DuckDBPyConnection, request: Request, keys: Sequence[Key], enhanced: bool
) -> tuple[Names, list[str]]:
    """What names mean in a database, and a remark for each that it does not know.

    Raises UnknownName for a key that nothing in the database has.
    """
    remarks: list[str] = []
    misc = set()
    asked = {written_name(name): name for name in _features(request, keys)}
    for written, name in asked.items():
        place = _place_of(connection, written, enhanced)
        if place == "misc":
            misc.add(written)
        elif place is None:
            found = UnknownName("feature", name, _known_features(connection))
            if name in _features_of_keys(keys) and written.split("[")[0] not in UNIVERSAL_FEATURES:
                raise found
            remarks.append(f"no word has the feature {name!r}; {_hint(found)}")
    for name in _comments(request, keys):
        if not _has_comment(connection, name):
            found = UnknownName("comment", name, _known_comments(connection))
            if any(isinstance(key.term, syntax.MetadataKey) and key.term.name == name for key in keys):
                raise found
            remarks.append(f"no sentence has the comment {name!r}; {_hint(found)}")
    relations = _relations(connection) if _speaks_of_labels(request, keys) else frozenset()
    remarks += _unknown_relations(connection, request, keys, relations)
    return Names(frozenset(misc), any("@" in relation for relation in relations)), remarks


def why_nothing(connection: duckdb.DuckDBPyConnection, question: Question, seconds: float) -> list[str]:
    """Reasons why a request finds nothing, as far as they can be told in so many seconds."""
    request = question.request
    told = [*question.remarks, *contradictions(request, question.wanted.enhanced)]
    if told:
        return told[len(question.remarks) :]
    ends = time.monotonic() + seconds
    for clause in request.clauses("pattern"):
        if time.monotonic() > ends:
            return []
        if isinstance(clause, syntax.Node) and (reason := _no_word(connection, question, clause)):
            return [reason]
        if isinstance(clause, syntax.Edge) and (reason := _no_edge(connection, question, clause)):
            return [reason]
    return _what_filters(connection, question, ends)


def contradictions(request: Request, enhanced: bool) -> list[str]:
    """What no sentence can have, whatever it is."""
    clauses = request.clauses("pattern")
    found = _contradicting_tests(request, clauses) + _circular_order(request, clauses)
    if not enhanced:
        found += _no_tree(request, clauses)
    return list(dict.fromkeys(found))


def with_texts(request: Request, keys: Iterable[Key]) -> Iterator[tuple[str, Clause]]:
    """All clauses, each with the text that it stands in."""
    for item in request.items:
        for clause in item.clauses:
            yield request.text, clause
    for key in keys:
        if isinstance(key.term, syntax.WhetherKey):
            for clause in key.term.clauses:
                yield key.text, clause


def tests_of(clause: Clause) -> tuple[Test, ...]:
    """The tests of features, parts of labels or comments in a clause."""
    if isinstance(clause, syntax.Node):
        return tuple(test for tests in clause.alternatives for test in tests)
    if isinstance(clause, syntax.Edge) and isinstance(clause.labels, LabelTests):
        return clause.labels.tests
    if isinstance(clause, syntax.Metadata):
        return (clause.test,)
    return ()


def count(connection: duckdb.DuckDBPyConnection, question: Question, items: Sequence[Item]) -> int:
    """The number of matches of some items alone."""
    wanted = replace(question.wanted, columns=(), by=(), count=True, limit=None)
    sql = compiler.compile_request(Request(question.request.text, tuple(items)), wanted, question.names)
    return int(connection.execute(sql).fetchall()[0][0])


def _features(request: Request, keys: Sequence[Key]) -> list[str]:
    """The features of FEATS and MISC that a request names."""
    names = []
    edges = {clause.name for clause in compiler.all_clauses(request, keys) if isinstance(clause, syntax.Edge)}
    for clause in compiler.all_clauses(request, keys):
        if isinstance(clause, syntax.Node):
            names += [test.name for test in tests_of(clause)]
        elif isinstance(clause, syntax.Comparison):
            both = (clause.left, clause.right)
            names += [r.name for r in both if isinstance(r, Reference) and r.owner not in edges]
    names += _features_of_keys(keys, edges)
    return [name.removeprefix("__MISC__") for name in dict.fromkeys(names) if not _is_built_in(name)]


def _features_of_keys(keys: Sequence[Key], edges: Iterable[str | None] = ()) -> list[str]:
    terms = [key.term for key in keys if isinstance(key.term, syntax.FeatureKey)]
    return [r.name for term in terms for r in term.references if r.owner not in edges and not _is_built_in(r.name)]


def _is_built_in(name: str) -> bool:
    return name in (*COLUMNS, *DERIVED, *POSITIONS, *LENGTHS, "label", "1", "2", "deep", "enhanced", "deprel", "head")


def _comments(request: Request, keys: Sequence[Key]) -> list[str]:
    names = [c.test.name for c in compiler.all_clauses(request, keys) if isinstance(c, syntax.Metadata)]
    names += [key.term.name for key in keys if isinstance(key.term, syntax.MetadataKey)]
    return [name for name in dict.fromkeys(names) if name not in ("text", "sent_id")]


def _place_of(connection: duckdb.DuckDBPyConnection, name: str, enhanced: bool) -> str | None:
    """Where a feature stands: feats, if any word has it there, else misc, else nowhere."""
    for column in ("feats", "misc"):
        for table in ("words", "empty_nodes") if enhanced else ("words",):
            sql = (
                f"SELECT 1 FROM {table} AS w WHERE w.{column} IN"
                " (SELECT f.feats FROM features AS f WHERE f.name = ?) LIMIT 1"
            )
            if connection.execute(sql, [name]).fetchall():
                return column
    return None


def _known_features(connection: duckdb.DuckDBPyConnection) -> list[str]:
    names = [name for (name,) in connection.execute("SELECT DISTINCT f.name FROM features AS f").fetchall()]
    return [*COLUMNS, "textform", "wordform", *(name.replace("[", "__").rstrip("]") for name in names)]


def _has_comment(connection: duckdb.DuckDBPyConnection, key: str) -> bool:
    sql = "SELECT 1 FROM sentences AS s WHERE comment_value(s.comments, ?) IS NOT NULL LIMIT 1"
    return bool(connection.execute(sql, [key]).fetchall())


def _known_comments(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [key for (key,) in connection.execute("SELECT DISTINCT c.key FROM comments AS c").fetchall()]


def _relations(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    rows = connection.execute("SELECT DISTINCT w.deprel FROM words AS w WHERE w.deprel IS NOT NULL").fetchall()
    return frozenset(relation for (relation,) in rows)


def _enhanced_relations(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    rows = connection.execute("SELECT DISTINCT e.deprel FROM enhanced_edges AS e").fetchall()
    return frozenset(relation for (relation,) in rows)


def _speaks_of_labels(request: Request, keys: Sequence[Key]) -> bool:
    named = any(isinstance(key.term, syntax.FeatureKey) for key in keys)
    clauses = list(compiler.all_clauses(request, keys))
    labelled = any(isinstance(clause, syntax.Edge) and clause.labels != Labels(True, ()) for clause in clauses)
    return named or labelled or any(isinstance(clause, syntax.Comparison) for clause in clauses)


def _unknown_relations(
    connection: duckdb.DuckDBPyConnection, request: Request, keys: Sequence[Key], relations: frozenset[str]
) -> list[str]:
    labels = [clause.labels for clause in compiler.all_clauses(request, keys) if isinstance(clause, syntax.Edge)]
    whole = [v for one in labels if isinstance(one, Labels) for v in one.values if isinstance(v, str)]
    tests = [test for one in labels if isinstance(one, LabelTests) for test in one.tests if test.name == "1"]
    parts = [value for test in tests for value in test.values if isinstance(value, str)]
    unknown = {value: relations for value in whole if not value.startswith("E:") and value not in relations}
    universal = {relation.split(":")[0].split("@")[0] for relation in relations}
    more = {value.removeprefix("E:") for value in whole if value.startswith("E:")}
    beyond = _enhanced_relations(connection) if more or (parts and set(parts) - universal) else frozenset()
    universal |= {relation.split(":")[0] for relation in beyond}
    unknown.update({part: frozenset(universal) for part in parts if part not in universal})
    told = [
        f"no edge has the relation {name!r}; {_hint(UnknownName('', name, known))}" for name, known in unknown.items()
    ]
    for relation in sorted(more - beyond):
        hint = _hint(UnknownName("", relation, beyond)) if beyond else "there are no enhanced edges (DEPS) at all"
        told.append(f"no enhanced edge has the relation {relation!r}; {hint}")
    return told


def _hint(found: UnknownName) -> str:
    return str(found).split("; ", 1)[1]


def _no_word(connection: duckdb.DuckDBPyConnection, question: Question, clause: syntax.Node) -> str | None:
    """Why no word at all fits a node, if so."""
    alone = Item("pattern", (clause,), clause.span)
    if count(connection, question, [alone]):
        return None
    for tests in clause.alternatives[:1] if len(clause.alternatives) == 1 else ():
        for test in tests:
            one = replace(clause, alternatives=((test,),))
            if not count(connection, question, [replace(alone, clauses=(one,))]):
                return f"no word has `{question.request.told(test.span)}`{_nearest_value(connection, test)}"
    return f"no word fits `{question.request.told(clause.span)}`"


def _nearest_value(connection: duckdb.DuckDBPyConnection, test: Test) -> str:
    """The values that are nearest to the one that a test wants."""
    wanted = [value for value in test.values if isinstance(value, str)]
    if test.operator != "=" or len(wanted) != 1 or test.name in ("form", *DERIVED):
        return ""
    if test.name in COLUMNS:
        sql = f"SELECT DISTINCT w.{test.name} FROM words AS w WHERE w.{test.name} IS NOT NULL"
    else:
        name = literal(written_name(test.name.removeprefix("__MISC__")))
        sql = f"SELECT DISTINCT f.value FROM features AS f WHERE f.name = {name} AND f.value IS NOT NULL"
    known = [value for (value,) in connection.execute(f"{sql} LIMIT {VALUES_SHOWN + 1}").fetchall()]
    return "" if len(known) > VALUES_SHOWN else f"; {_hint(UnknownName('', wanted[0], known))}"


def _no_edge(connection: duckdb.DuckDBPyConnection, question: Question, clause: syntax.Edge) -> str | None:
    """Whether no edge at all has the label that a clause wants."""
    alone = Item("pattern", (replace(clause, name=None),), clause.span)
    if count(connection, question, [alone]):
        return None
    return f"no edge fits `{question.request.told(clause.span)}`"


def _what_filters(connection: duckdb.DuckDBPyConnection, question: Question, ends: float) -> list[str]:
    """Which item leaves nothing of what the pattern finds."""
    items = question.request.items
    filters = [item for item in items if item.kind in ("with", "without")]
    rest = [item for item in items if item not in filters]
    if not filters or time.monotonic() > ends:
        return []
    found = count(connection, question, rest)
    if not found:
        return []
    alone = f"the pattern alone has {found:,} match{'es' if found > 1 else ''}"
    for item in filters:
        if time.monotonic() > ends:
            return []
        if not count(connection, question, [*rest, item]):
            return [f"{alone}; `{question.request.told(item.span)}` leaves none of them"]
    return [f"{alone}; the filters together leave none of them"]


def _contradicting_tests(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Tests of one feature of one node that exclude each other."""
    told = []
    tests: dict[tuple[str, str], list[Test]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Node) and len(clause.alternatives) == 1:
            for test in clause.alternatives[0]:
                tests.setdefault((clause.name, test.name), []).append(test)
    for (node, name), own in tests.items():
        if len(own) > 1 and not _can_be(own):
            both = " and ".join(f"`{request.told(test.span)}`" for test in own)
            told.append(f"{name} of {node} cannot be {both} at once")
    return told


def _can_be(tests: Sequence[Test]) -> bool:
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


def _circular_order(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Nodes that would stand before themselves."""
    after: dict[str, dict[str, Span]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Order) and clause.operator in ("<", "<<"):
            after.setdefault(clause.left, {})[clause.right] = clause.span
    told = []
    for start in after:
        seen, reached = set(), list(after[start])
        while reached:
            node = reached.pop()
            if node == start:
                told.append(f"{start} cannot stand before itself, as the order of the nodes wants")
                return told
            if node not in seen:
                seen.add(node)
                reached += after.get(node, {})
    return told


def _no_tree(request: Request, clauses: Sequence[Clause]) -> list[str]:
    """Edges that a tree cannot have: two heads of a word, or a circle."""
    heads: dict[str, set[str]] = {}
    for clause in clauses:
        if isinstance(clause, syntax.Edge) and clause.source and clause.target:
            heads.setdefault(clause.target, set()).add(clause.source)
    for node, own in heads.items():
        injective = {name for name in own if not name.endswith("$")}
        if len(injective) > 1:
            names = " and ".join(sorted(injective))
            return [f"{node} cannot have both {names} as heads: a word of the basic tree has one (--enhanced has more)"]
    for node in heads:
        above, seen = node, set()
        while above in heads and above not in seen:
            seen.add(above)
            above = next(iter(heads[above]))
        if above in seen:
            return [f"{above} cannot be below itself: the basic tree has no circles"]
    return []
