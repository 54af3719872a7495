"""Statements about the matches of a tree request: rows with columns, groups with counts, or their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql.catalog.documents import DOCUMENT_IDS
from treesql.catalog.schemas import literal, quote
from treesql.errors import RequestError, UnknownName
from treesql.search.constituents import compiler, relations
from treesql.search.constituents.syntax import Formula, TreeRequest
from treesql.search.grew import contexts, syntax
from treesql.search.grew.contexts import Place
from treesql.search.grew.relations import DOCUMENTS
from treesql.search.grew.syntax import ContextKey, Key
from treesql.search.selection import LENGTH, SHUFFLED, Selection, distinct_keys, group_clauses

COLUMNS = ("label", "category", "edge_label", "kind", "form", "lemma", "feats", "first", "last", "phrase")
"""Columns of `tree_nodes` that are keys: `N.label`."""

DERIVED = ("text", "words", "parent", "rule")
"""Keys that are computed: the words, their number, the label of the parent, the labels of the children."""

NUMBERS = ("first", "last", "phrase", "words")
"""Keys that are numbers."""

UNDEFINED = "__undefined__"
SENTENCE_COLUMNS = ("corpus", "sentence", "sent_id", "file", "line")
_MATCH, _HIT = "m", "hit"


def compile_statement(
    request: TreeRequest,
    wanted: Selection,
    whether: Mapping[str, tuple[Formula, str]],
    head_rules: Mapping[str, str],
    *,
    tops: bool = False,
) -> str:
    """Compile a request to one statement.

    whether: formulas and their texts by the names of keys; head_rules: the set of head rules of every searched corpus,
    for requests with heads; tops: whether a tree has a top without a label that branches. Raises RequestError,
    UnknownName.
    """
    matches = compiler.matches_sql(request, wanted.corpora)
    if wanted.count and not wanted.group:
        body = f"SELECT count(*) AS count\nFROM (\n{matches}\n) AS {_MATCH}"
    else:
        body = _Rows(request, wanted, whether).statement(matches)
    return compiler.with_common_tables(body, head_rules, tops=tops)


class _Rows:
    """Rows of matches, or groups of them: the columns, and the tables that they need beside the matches."""

    def __init__(self, request: TreeRequest, wanted: Selection, whether: Mapping[str, tuple[Formula, str]]) -> None:
        self.request, self.wanted, self.whether = request, wanted, whether
        self.aliases: dict[str, str] = {}
        for name in request.names:
            alias = compiler.free_alias(name, {one.strip('"').lower() for one in self.aliases.values()})
            self.aliases[name] = quote(alias)
        self.sentence = False

    def statement(self, matches: str) -> str:
        wanted = self.wanted
        chosen = distinct_keys(wanted.by or wanted.columns)
        columns = [f"{self._key(key, grouped=bool(wanted.by))} AS {quote(key.name)}" for key in chosen]
        limit = wanted.bounds
        held = [f"CAST({self._key(key, grouped=True)} AS VARCHAR) = {literal(value)}" for key, value in wanted.group]
        if wanted.count:
            select, tail = ["count(*) AS count"], ""
        elif wanted.by:
            select, tail = [*columns, "count(*) AS count"], group_clauses(len(chosen), wanted.ordered) + limit
        else:
            select, tail = columns, f"\nORDER BY {', '.join(self._order())}{limit}"
        where = f"\nWHERE {' AND '.join(held)}" if held else ""
        return "SELECT " + ",\n       ".join(select) + f"\nFROM (\n{matches}\n) AS {_MATCH}{self._joins()}{where}{tail}"

    def _joins(self) -> str:
        lines = []
        for number, name in enumerate(self.request.names, 1):
            alias = self.aliases[name]
            same = f"{relations.same_tree(_MATCH, alias)} AND {alias}.node = {_MATCH}.node_{number}"
            lines.append(f"\n{'JOIN' if number == 1 else 'LEFT JOIN'} tree_nodes AS {alias} ON {same}")
        if self.sentence:
            lines.append(f"\nJOIN sentences AS s ON {relations.same_tree(_MATCH, 's')}")
        return "".join(lines)

    def _order(self) -> list[str]:
        """Return what orders matches as they stand in the corpora, or by the context that is chosen."""
        order = [f"{_MATCH}.corpus", f"{_MATCH}.sentence"]
        for alias in self.aliases.values():
            order += [f"{alias}.first", f"{alias}.level"]
        if self.wanted.order == SHUFFLED:
            return [f"hash({', '.join(order)})", *order]
        if self.wanted.order == LENGTH:
            self.sentence = True
            return ["s.n_words", *order]
        if self.wanted.sort is None:
            return order
        return [f"{contexts.order_sql(self.wanted.sort, _MATCH, self._places())} NULLS FIRST", *order]

    def _places(self) -> dict[str, Place]:
        """Return the places of nodes; the match of a concordance is the head alone."""
        return {name: Place(f"{alias}.first", f"{alias}.last", False) for name, alias in self.aliases.items()}

    def _key(self, key: Key, *, grouped: bool = False) -> str:
        if key.name in self.whether:
            formula, text = self.whether[key.name]
            rows = {variable_of(name, self.request): alias for name, alias in self.aliases.items()}
            return f"CASE WHEN {compiler.holds_sql(self.request, formula, text, rows)} THEN 'Yes' ELSE 'No' END"
        sql = self._term(key)
        texts = isinstance(key.term, syntax.FeatureKey | syntax.NameKey | syntax.MetadataKey)
        numeric = isinstance(key.term, syntax.FeatureKey) and key.term.references[0].name in NUMBERS
        return f"coalesce({sql}, {literal(UNDEFINED)})" if grouped and texts and not numeric else sql

    def _term(self, key: Key) -> str:
        term = key.term
        if isinstance(term, syntax.SentenceKey):
            return f"{_MATCH}.{term.name}"
        if isinstance(term, syntax.NameKey):
            return self._name(key, term)
        if isinstance(term, syntax.FeatureKey) and term.gap is None:
            found = [self._feature(key, one) for one in term.references]
            return found[0] if len(found) == 1 else f"coalesce({', '.join(found)})"
        if isinstance(term, syntax.MetadataKey):
            self.sentence = True
            if term.name in DOCUMENT_IDS:
                same = "d.corpus = s.corpus AND d.sentence = s.sentence"
                return f"(SELECT d.{DOCUMENT_IDS[term.name]} FROM {DOCUMENTS} AS d WHERE {same})"
            return "s.text" if term.name == "text" else f"comment_value(s.comments, {literal(term.name)})"
        if isinstance(term, ContextKey):
            return self._context(term, key)
        what, hint = f"`{key.name}` is no key of tree requests", f"keys are a node's {', '.join(COLUMNS + DERIVED)}"
        raise RequestError(key.text, 0, what, hint)

    def _name(self, key: Key, term: syntax.NameKey) -> str:
        if term.name in self.aliases:
            return f"{self.aliases[term.name]}.label"
        if term.name in ("corpus", "sentence"):
            return f"{_MATCH}.{term.name}"
        if term.name == contexts.TEXT:
            self.sentence = True
            return contexts.text_sql("s.text", _MATCH)
        if term.name in SENTENCE_COLUMNS:
            self.sentence = True
            return f"s.{term.name}"
        known = (*self.request.names, *SENTENCE_COLUMNS, contexts.TEXT)
        raise self._unknown("node or column", term.name, known, key, term.span)

    def _feature(self, key: Key, reference: syntax.FeatureReference) -> str:
        if reference.owner not in self.aliases:
            raise self._unknown("node", reference.owner, self.request.names, key, reference.span)
        alias = self.aliases[reference.owner]
        if reference.name in COLUMNS:
            return f"{alias}.{reference.name}"
        if reference.name not in DERIVED:
            raise self._unknown("key of a node", reference.name, COLUMNS + DERIVED, key, reference.span)
        return _derived(reference.name, alias)

    def _context(self, term: ContextKey, key: Key) -> str:
        if term.node is not None and term.node not in self.aliases:
            raise self._unknown("node", term.node, self.request.names, key, term.span)
        head = self.request.names[0]
        places = self._places()
        side = contexts.MATCH if term.side == contexts.MARKED else term.side
        chosen = ContextKey(side, term.words, term.node or head, term.span)
        return contexts.context_sql(chosen, _MATCH, places)

    def _unknown(self, kind: str, name: str, known: Sequence[str], key: Key, span: syntax.Span) -> RequestError:
        what, _, hint = str(UnknownName(kind, name, list(known))).partition("; ")
        return RequestError(key.text, span.start, what, hint)


def variable_of(name: str, request: TreeRequest) -> str:
    """Return the variable of a shown node: the head's own, or else its name."""
    return request.head.variable if name == request.head.name else name


def _derived(name: str, alias: str) -> str:
    same = relations.same_tree(alias, "w")
    words = f"FROM words AS w WHERE {same} AND {relations.covers(alias, 'w')}"
    if name == "words":
        return (
            f"CASE WHEN {alias}.leave IS NULL THEN {alias}.last - {alias}.first + 1 ELSE (SELECT count(*) {words}) END"
        )
    if name == "text":
        apart = f"(SELECT string_agg(w.form, ' ' ORDER BY w.word) {words})"
        whole = f"text_between({alias}, {alias}.first, {alias}.last)"
        return f"CASE WHEN {alias}.leave IS NOT NULL THEN {apart} WHEN {alias}.node IS NOT NULL THEN {whole} END"
    if name == "parent":
        above = f"{relations.same_tree(alias, 'c')} AND c.node = {alias}.parent"
        return f"(SELECT any_value(c.label) FROM tree_nodes AS c WHERE {above})"
    below = f"{relations.same_tree(alias, 'c')} AND c.parent = {alias}.node"
    return f"(SELECT string_agg(c.category, ' ' ORDER BY c.first) FROM tree_nodes AS c WHERE {below})"
