"""Features, parts of labels, comments and distances, as SQL."""

from __future__ import annotations

from dataclasses import replace

from treesql.catalog.documents import DOCUMENT_IDS, KEYS_WITH_COLUMNS
from treesql.catalog.schemas import literal
from treesql.search.grew import values
from treesql.search.grew.scopes import BoundNode, Scope, StatementBuilder
from treesql.search.grew.syntax import FeatureReference, Labels, LabelTests, Measure, Span, Test

EMPTY = "__EMPTY__"
COLUMNS = ("form", "lemma", "upos", "xpos")
DERIVED = ("textform", "wordform", "__RAW_MISC__")
POSITIONS = ("__id__", "position")
LENGTHS = ("length", "delta")
SIZES = ("height", "proj_size", "cont_proj_size", "constituent_size")
LABEL_PARTS = ("1", "2", "deep", "enhanced", "label")
ENHANCED = "E:"
EDGE_COLUMNS = ("deprel", "head", "deps")
MISC = "__MISC__"


def feature_value(scope: Scope, node: BoundNode, name: str, span: Span) -> str:
    """Return the value of a node's feature. Raises RequestError."""
    if name in COLUMNS:
        return f"{node.alias}.{name}"
    if name in EDGE_COLUMNS:
        hint = f"name the edge, `e: ... -> {node.name}`, and say `e.label`"
        raise scope.error(span, f"`{name}` belongs to an edge, not to a node", hint)
    if name == "textform":
        return _textform(node)
    if name == "wordform":
        return _wordform(node)
    if name == "__RAW_MISC__":
        return f"CASE WHEN regexp_matches({node.alias}.misc, '(^|\\|)[^=|]*(\\||$)') THEN {node.alias}.misc END"
    if further := scope.statement.names.further.get(name):
        return _further_value(node, further)
    column = "feats"
    if name.startswith(MISC) and name != MISC:
        name, column = name.removeprefix(MISC), "misc"
    written = written_name(name)
    if written in scope.statement.names.misc:
        column = "misc"
    return f"feature({node.alias}.{column}, {literal(written)})"


def value_condition(scope: Scope, node: BoundNode, name: str, span: Span, test: Test) -> str:
    """Return the condition that a node's feature passes a test; of one that words have twice, any value counts."""
    value = feature_value(scope, node, name, span)
    column = "misc" if name.startswith(MISC) and name != MISC else "feats"
    written = written_name(name.removeprefix(MISC) if column == "misc" else name)
    if not test.values or written not in scope.statement.names.repeated:
        return values.test_condition(value, test)
    column = "misc" if written in scope.statement.names.misc else column
    row = '"repeated feature"'  # no node has a name with a blank
    allowed = values.membership_condition(f"{row}.value", test.values, negated=False)
    of_node = f"{row}.feats = {node.alias}.{column} AND {row}.name = {literal(written)}"
    exists = f"EXISTS (SELECT 1 FROM features AS {row} WHERE {of_node} AND {allowed})"
    return f"({value} IS NOT NULL AND NOT {exists})" if test.operator == "<>" else exists


def _further_value(node: BoundNode, column: str) -> str:
    """The value of a further column of CoNLL-U Plus."""
    row = '"further column"'  # no node has a name with a blank
    same = " AND ".join(f"{row}.{key} = {node.alias}.{key}" for key in ("corpus", "sentence", "word"))
    return f"(SELECT {row}.value FROM word_columns AS {row} WHERE {same} AND {row}.name = {literal(column)})"


def label_conditions(scope: Scope, alias: str, labels: Labels | LabelTests) -> list[str]:
    """Return the conditions on the label of the edge that a row represents. Raises RequestError."""
    if isinstance(labels, LabelTests):
        return [values.test_condition(label_part(scope, alias, test.name, test.span), test) for test in labels.tests]
    if not labels.values:
        return []
    texts = [value for value in labels.values if isinstance(value, str)]
    marked = [text for text in texts if text.startswith(ENHANCED)]
    if scope.statement.enhanced and not labels.negated and len(texts) == len(labels.values) and marked in ([], texts):
        # Labels are written for every edge, relations are there.
        relations = [text.removeprefix(ENHANCED) for text in texts]
        enhanced = f"{alias}.enhanced" if marked else f"NOT {alias}.enhanced"
        return [enhanced, values.membership_condition(f"{alias}.deprel", relations, negated=False)]
    return [values.membership_condition(_label(scope.statement, alias), labels.values, labels.negated)]


def label_part(scope: Scope, alias: str, name: str, span: Span, others: tuple[str, ...] = ()) -> str:
    """Return a part of a label: 1 before the colon, 2 after it, `deep` after an `@`.

    others: further valid names, for the message. Raises RequestError.
    """
    statement = scope.statement
    label = f"{alias}.deprel"
    if name == "label":
        return _label(statement, alias)
    if name == "1":
        universal = f"{alias}.udeprel"
        return f"string_split({universal}, '@')[1]" if statement.names.deep else universal
    if name == "2":
        rest = f"substr({label}, strpos({label}, ':') + 1)"
        rest = f"string_split({rest}, '@')[1]" if statement.names.deep else rest
        return f"CASE WHEN contains({label}, ':') THEN {rest} END"
    if name == "deep":
        return f"nullif(string_split({label}, '@')[2], '')"
    if name == "enhanced":
        return f"CASE WHEN {alias}.enhanced THEN 'yes' END" if statement.enhanced else "CAST(NULL AS VARCHAR)"
    raise scope.unknown_error(span, "part of a label", name, (*LABEL_PARTS, *others))


def reference_value(scope: Scope, reference: FeatureReference) -> str:
    """Return the value of `X.lemma`, `e.label` and the like. Raises RequestError."""
    if reference.others:
        names = (reference.name, *reference.others)
        values_of = [reference_value(scope, replace(reference, name=name, others=())) for name in names]
        return f"coalesce({', '.join(values_of)})"
    if edge := scope.edge(reference.owner):
        if reference.name in LENGTHS:
            return _difference(reference.name, edge.source, edge.target)
        return label_part(scope, edge.alias, reference.name, reference.span, LENGTHS)
    node = scope.require(reference.owner, reference.span)
    if reference.name in POSITIONS:
        return node.position
    if reference.name in SIZES:
        return _size(scope, node, reference.name)
    return feature_value(scope, node, reference.name, reference.span)


def is_number(scope: Scope, reference: FeatureReference) -> bool:
    """Whether the value of a reference is always a number."""
    known = LENGTHS if scope.edge(reference.owner) else (*POSITIONS, *SIZES)
    return all(name in known for name in (reference.name, *reference.others))


def distance_value(scope: Scope, measure: Measure) -> str:
    """Return `delta(X,Y)` or `length(X,Y)`. Raises RequestError."""
    left, right = (scope.require(name, measure.span) for name in (measure.left, measure.right))
    return _difference(measure.name, left, right)


def document_name(statement: StatementBuilder, column: str) -> str:
    """Return the name of the document (`newdoc`) or paragraph (`newpar`) that the sentence is in."""
    row, alias = statement.sentence_row(), statement.alias("document")
    same = f"{alias}.corpus = {row}.corpus AND {alias}.sentence = {row}.sentence"
    return f"(SELECT {alias}.{column} FROM {statement.relation('documents')} AS {alias} WHERE {same})"


def comment_text(statement: StatementBuilder, name: str) -> str:
    """Return the value of a comment of the sentence; `newdoc id` and `newpar id` hold to the next mark."""
    if name in DOCUMENT_IDS:
        return document_name(statement, DOCUMENT_IDS[name])
    row = statement.sentence_row()
    if name in KEYS_WITH_COLUMNS:
        return f"{row}.{name}"
    return f"comment_value({row}.comments, {literal(name)})"


def written_name(name: str) -> str:
    """Return the name of a feature in a file: `Number[psor]` is `Number__psor` in a request."""
    head, separator, layer = name.partition("__")
    return f"{head}[{layer}]" if head and separator and layer else name


def _label(statement: StatementBuilder, alias: str) -> str:
    return f"{alias}.{'label' if statement.enhanced else 'deprel'}"


def _difference(measure: str, left: BoundNode, right: BoundNode) -> str:
    difference = f"({right.position} - {left.position})"
    return f"abs{difference}" if measure == "length" else difference


def _size(scope: Scope, node: BoundNode, name: str) -> str:
    """Return the height of a node's subtree, or the number of its words; of empty nodes and the anchor NULL."""
    statement = scope.statement
    table, alias = statement.relation("tree_sizes"), statement.alias("size")
    basic = [f"{alias}.word = {node.alias}.word", f"{node.alias}.index = 0"]
    conditions = [*scope.same_sentence(alias), *(basic if statement.enhanced else [f"{alias}.word = {node.position}"])]
    return f"(SELECT {alias}.{name} FROM {table} AS {alias} WHERE {' AND '.join(conditions)})"


def _textform(node: BoundNode) -> str:
    """Return the form in the text: a multiword token at its first word, `_` at its others; else MISC's value, or the
    form."""
    alias, token = node.alias, node.home.statement.alias("token")
    form = (
        f"(SELECT {token}.form FROM tokens AS {token} WHERE {token}.corpus = {alias}.corpus"
        f" AND {token}.sentence = {alias}.sentence AND {token}.first = {alias}.word)"
    )
    inside = f"WHEN {alias}.multiword THEN coalesce({form}, '_')"
    return f"CASE {_case_of_empty_node(node, '_')}{inside} ELSE {_misc_or_form(alias, 'textform')} END"


def _wordform(node: BoundNode) -> str:
    """Return the form of the word itself: MISC's value, or else the form."""
    given = _misc_or_form(node.alias, "wordform")
    empty = _case_of_empty_node(node, EMPTY)
    return f"CASE {empty}ELSE {given} END" if empty else given


def _case_of_empty_node(node: BoundNode, value: str) -> str:
    return f"WHEN {node.alias}.index > 0 THEN {literal(value)} " if node.home.statement.enhanced else ""


def _misc_or_form(alias: str, name: str) -> str:
    """Return the value in MISC or FEATS, or else the form; the anchor has none."""
    features = ", ".join(f"feature({alias}.{column}, {literal(name)})" for column in ("misc", "feats"))
    return f"coalesce({features}, CASE WHEN {alias}.word > 0 THEN {alias}.form END)"
