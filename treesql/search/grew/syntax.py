"""Syntax tree of a request: items, clauses and clustering keys, each with its position in the text."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.errors import RequestError, shortened
from treesql.search.grew.lexer import Regex

Value = str | Regex


MAX_NODES = 100
"""Maximum number of nodes of a request: the time to plan their joins grows with its third power."""


LONGEST_CLAUSE = 200
"""Maximum number of characters of a clause in messages."""


def check_size(text: str, nodes: int) -> None:
    """Raise RequestError for a request of too many nodes."""
    if nodes > MAX_NODES:
        what = f"this request has {nodes:,} nodes, and may have {MAX_NODES}"
        raise RequestError(text, 0, what, "ask for fewer, or make several requests")


@dataclass(frozen=True)
class Span:
    """A range of the request: the offset of its first character and the offset after its last."""

    start: int
    end: int


@dataclass(frozen=True)
class Test:
    """A condition on a feature: `=` or `<>` some values, `defined`, or `absent`.

    otherwise: the condition where the feature is not defined, of `ExtPos=ADV/upos=ADV`.
    """

    name: str
    operator: str
    values: tuple[Value, ...]
    span: Span
    otherwise: Test | None = None


@dataclass(frozen=True)
class Node:
    """`X [upos=VERB]|[upos=AUX]`: one of several lists of tests."""

    name: str
    alternatives: tuple[tuple[Test, ...], ...]
    span: Span


@dataclass(frozen=True)
class Labels:
    """`nsubj|obj`, `^punct`, `re".*subj"`: the whole label is, or is not, one of these. Negated without values: any
    label."""

    negated: bool
    values: tuple[Value, ...]


@dataclass(frozen=True)
class LabelTests:
    """`1=nsubj, !2`: conditions on parts of the label."""

    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Edge:
    """`e: X -[nsubj]-> Y`; a source or target of None is `*`, which binds no node."""

    name: str | None
    source: str | None
    labels: Labels | LabelTests
    target: str | None
    span: Span


@dataclass(frozen=True)
class Dominance:
    """`X ->> Y`: there is a path from X to Y."""

    source: str
    target: str
    span: Span


@dataclass(frozen=True)
class Order:
    """`X < Y`, `X << Y`, `e1 >< e2`, `e1 << e2`, `e1 <> e2`, `X << e`."""

    left: str
    operator: str
    right: str
    span: Span


@dataclass(frozen=True)
class FeatureReference:
    """`X.lemma`, `e.label`, `height(X)`. others: of `X.ExtPos/upos`, of which the first that is defined counts."""

    owner: str
    name: str
    span: Span
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Number:
    """A number as written."""

    text: str

    @property
    def value(self) -> float:
        """Its numeric value."""
        return float(self.text)


@dataclass(frozen=True)
class FeatureComparison:
    """`X.lemma = Y.lemma`, `X.lemma <> "be"`, `e.length > 3`."""

    left: FeatureReference
    operator: str
    right: FeatureReference | Value | Number
    span: Span


@dataclass(frozen=True)
class FeatureTest:
    """`X.Mood`, `X.Mood = *`, `!X.Mood`: a feature is defined, or not."""

    reference: FeatureReference
    defined: bool
    span: Span


@dataclass(frozen=True)
class Measure:
    """`delta(X,Y)`, `length(X,Y)`."""

    name: str
    left: str
    right: str
    span: Span


@dataclass(frozen=True)
class Distance:
    """`delta(X,Y) = -1`, `length(X,Y) >= 4`."""

    measure: Measure
    operator: str
    number: Number
    span: Span


@dataclass(frozen=True)
class Metadata:
    """`meta.text = re"And.*"`, or in `global` just `text = ...`."""

    test: Test

    @property
    def span(self) -> Span:
        """The position of its test."""
        return self.test.span


@dataclass(frozen=True)
class GraphShape:
    """`global.is_projective` and similar conditions."""

    name: str
    negated: bool
    span: Span


Clause = Node | Edge | Dominance | Order | FeatureComparison | FeatureTest | Distance | Metadata | GraphShape


@dataclass(frozen=True)
class Item:
    """`pattern { ... }`, `with { ... }`, `without { ... }` or `global { ... }`."""

    kind: str
    clauses: tuple[Clause, ...]
    span: Span

    def nodes(self) -> set[str]:
        """Return the names of the nodes of its clauses."""
        fields = ("source", "target", "left", "right")
        names = {getattr(clause, field, None) for clause in self.clauses for field in fields}
        return {name for name in names if isinstance(name, str)} | {
            clause.name for clause in self.clauses if isinstance(clause, Node)
        }


@dataclass(frozen=True)
class GrewRequest:
    """A whole request."""

    text: str
    items: tuple[Item, ...]

    def clauses(self, *kinds: str) -> tuple[Clause, ...]:
        """Return the clauses of all items of some kinds."""
        return tuple(clause for item in self.items if item.kind in kinds for clause in item.clauses)

    def text_at(self, span: Span) -> str:
        """Return a range of the request as written, on one line, and its beginning where it is long."""
        return shortened(" ".join(self.text[span.start : span.end].split()), LONGEST_CLAUSE)


@dataclass(frozen=True)
class Gap:
    """`[gap=100, min=0, max=1000]`: a number is replaced by the interval that contains it."""

    width: float
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class FeatureKey:
    """`X.lemma`, `X.ExtPos/upos` (the first that is defined), `S.Duration[gap=100]`, `e.label`."""

    references: tuple[FeatureReference, ...]
    gap: Gap | None = None


@dataclass(frozen=True)
class NameKey:
    """`X`: the position of the node. `e`: the label of the edge. `sent_id`, `text`, `corpus`: properties of the
    sentence; `language`, `treebank`: of its corpus."""

    name: str
    span: Span


@dataclass(frozen=True)
class MetadataKey:
    """`meta.speaker`."""

    name: str
    span: Span


@dataclass(frozen=True)
class OrderKey:
    """`V#S#O`: the order of the nodes in the sentence."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class PlacesKey:
    """`order(S,V,O)`: SVO, or SUBJ-VERB-OBJ where a name has several letters. `direction(S,V)`: left or right."""

    kind: str
    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class BinKey:
    """`length(S,V)/5`: the bin of a distance, 5..9."""

    measure: Measure
    width: int


@dataclass(frozen=True)
class RelationKey:
    """`X -> Y`, `X <-> Y`: the relation between two nodes."""

    left: str
    right: str
    both: bool
    span: Span


@dataclass(frozen=True)
class WhetherKey:
    """`whether X << Y`: Yes or No."""

    clauses: tuple[Clause, ...]
    span: Span


@dataclass(frozen=True)
class ContextKey:
    """`left(5)`, `match`, `right(5)`: words before, in and after the match. `N.left(5)`: before the node N.

    words: their maximum number, None for all of the sentence.
    """

    side: str
    words: int | None
    node: str | None
    span: Span


@dataclass(frozen=True)
class SentenceKey:
    """The corpus or the number of the sentence, also where a node is called `corpus` or `sentence`."""

    name: str


Term = (
    FeatureKey | NameKey | MetadataKey | Measure | BinKey | OrderKey | PlacesKey | RelationKey | WhetherKey
    | ContextKey | SentenceKey
)  # fmt: skip


@dataclass(frozen=True)
class Key:
    """A term with its column name, and the text that contains it."""

    term: Term
    name: str
    text: str


CORPUS, SENTENCE = (Key(SentenceKey(name), name, name) for name in ("corpus", "sentence"))
"""Keys that identify the sentence of a match."""
