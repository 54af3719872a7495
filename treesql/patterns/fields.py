"""What clauses and keys speak of, as SQL: features, parts of labels, comments, distances."""

from __future__ import annotations

from treesql.patterns import values
from treesql.patterns.scopes import Node, Scope, Statement
from treesql.patterns.syntax import Labels, LabelTests, Measure, Reference, Span
from treesql.tables import literal

EMPTY = "__EMPTY__"
COLUMNS = ("form", "lemma", "upos", "xpos")
DERIVED = ("textform", "wordform", "__RAW_MISC__")
POSITIONS = ("__id__", "position")
LENGTHS = ("length", "delta")
PARTS = ("1", "2", "deep", "enhanced", "label")
OF_EDGES = ("deprel", "head", "deps")
MISC = "__MISC__"


def feature(scope: Scope, node: Node, name: str, span: Span) -> str:
    """The value of a node's feature. Raises RequestError."""
    if name in COLUMNS:
        return f"{node.alias}.{name}"
    if name in OF_EDGES:
        hint = f"name the edge, `e: ... -> {node.name}`, and say `e.label`"
        raise scope.error(span, f"`{name}` belongs to an edge, not to a node", hint)
    if name == "textform":
        return _textform(node)
    if name == "wordform":
        return _wordform(node)
    if name == "__RAW_MISC__":
        return f"CASE WHEN regexp_matches({node.alias}.misc, '(^|\\|)[^=|]*(\\||$)') THEN {node.alias}.misc END"
    column = "feats"
    if name.startswith(MISC) and name != MISC:
        name, column = name.removeprefix(MISC), "misc"
    written = written_name(name)
    if written in scope.statement.names.misc:
        column = "misc"
    return f"feature({node.alias}.{column}, {literal(written)})"


def labelled(scope: Scope, alias: str, labels: Labels | LabelTests) -> list[str]:
    """The conditions on the label of the edge that a row stands for. Raises RequestError."""
    if isinstance(labels, LabelTests):
        return [values.tested(label_part(scope, alias, test.name, test.span), test) for test in labels.tests]
    if not labels.values:
        return []
    return [values.one_of(_label(scope.statement, alias), labels.values, labels.negated)]


def label_part(scope: Scope, alias: str, name: str, span: Span, others: tuple[str, ...] = ()) -> str:
    """A part of a label: 1 before the colon, 2 behind it, `deep` behind an `@`.

    others: what else could stand there, for the message. Raises RequestError.
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
    raise scope.unknown(span, "part of a label", name, (*PARTS, *others))


def value(scope: Scope, reference: Reference) -> str:
    """The value of `X.lemma`, `e.label` and the like. Raises RequestError."""
    if edge := scope.edge(reference.owner):
        if reference.name in LENGTHS:
            return _difference(reference.name, edge.source, edge.target)
        return label_part(scope, edge.alias, reference.name, reference.span, LENGTHS)
    node = scope.required(reference.owner, reference.span)
    if reference.name in POSITIONS:
        return node.position
    return feature(scope, node, reference.name, reference.span)


def is_number(scope: Scope, reference: Reference) -> bool:
    """Whether the value of a reference is a number in any case."""
    if scope.edge(reference.owner):
        return reference.name in LENGTHS
    return reference.name in POSITIONS


def distance(scope: Scope, measure: Measure) -> str:
    """`delta(X,Y)` or `length(X,Y)`. Raises RequestError."""
    left, right = (scope.required(name, measure.span) for name in (measure.left, measure.right))
    return _difference(measure.name, left, right)


def comment(statement: Statement, name: str) -> str:
    """The value of a comment of the sentence."""
    row = statement.sentence_row()
    if name in ("text", "sent_id"):
        return f"{row}.{name}"
    return f"comment_value({row}.comments, {literal(name)})"


def written_name(name: str) -> str:
    """The name of a feature in a file: `Number[psor]` is `Number__psor` in a request."""
    head, separator, layer = name.partition("__")
    return f"{head}[{layer}]" if head and separator and layer else name


def _label(statement: Statement, alias: str) -> str:
    return f"{alias}.{'label' if statement.enhanced else 'deprel'}"


def _difference(measure: str, left: Node, right: Node) -> str:
    difference = f"({right.position} - {left.position})"
    return f"abs{difference}" if measure == "length" else difference


def _textform(node: Node) -> str:
    """What stands in the text: a multiword token at its first word, `_` at its others; else what MISC says, or the
    form."""
    alias, token = node.alias, node.home.statement.alias("token")
    form = (
        f"(SELECT {token}.form FROM tokens AS {token} WHERE {token}.corpus = {alias}.corpus"
        f" AND {token}.sentence = {alias}.sentence AND {token}.first = {alias}.word)"
    )
    inside = f"WHEN {alias}.multiword THEN coalesce({form}, '_')"
    return f"CASE {_if_empty(node, '_')}{inside} ELSE {_given(alias, 'textform')} END"


def _wordform(node: Node) -> str:
    """The form of the word itself, where MISC says one, or else the form."""
    given = _given(node.alias, "wordform")
    empty = _if_empty(node, EMPTY)
    return f"CASE {empty}ELSE {given} END" if empty else given


def _if_empty(node: Node, value: str) -> str:
    return f"WHEN {node.alias}.index > 0 THEN {literal(value)} " if node.home.statement.enhanced else ""


def _given(alias: str, name: str) -> str:
    """What MISC or FEATS say, or else the form; the anchor has none."""
    said = ", ".join(f"feature({alias}.{column}, {literal(name)})" for column in ("misc", "feats"))
    return f"coalesce({said}, CASE WHEN {alias}.word > 0 THEN {alias}.form END)"
