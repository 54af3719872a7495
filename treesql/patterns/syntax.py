"""What a request says: items, clauses and clustering keys, each with the place where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from treesql.patterns.lexer import Regex

Value = str | Regex


@dataclass(frozen=True)
class Span:
    """A stretch of the request: offsets of its first character and behind its last."""

    start: int
    end: int


@dataclass(frozen=True)
class Test:
    """What a feature must be: `=` or `<>` some values, `defined`, or `absent`."""

    name: str
    operator: str
    values: tuple[Value, ...]
    span: Span


@dataclass(frozen=True)
class Node:
    """`X [upos=VERB]|[upos=AUX]`: one of several lists of tests."""

    name: str
    alternatives: tuple[tuple[Test, ...], ...]
    span: Span


@dataclass(frozen=True)
class Labels:
    """`nsubj|obj`, `^punct`, `re".*subj"`: the whole label is, or is not, one of these. Empty and negated: any."""

    negated: bool
    values: tuple[Value, ...]


@dataclass(frozen=True)
class LabelTests:
    """`1=nsubj, !2`: tests of parts of the label."""

    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Edge:
    """`e: X -[nsubj]-> Y`; a source or target of None is `*`, which binds nothing."""

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
class Reference:
    """`X.lemma`, `e.label`."""

    owner: str
    name: str
    span: Span


@dataclass(frozen=True)
class Number:
    """A number, as it is written."""

    text: str

    @property
    def value(self) -> float:
        """What it is worth."""
        return float(self.text)


@dataclass(frozen=True)
class Comparison:
    """`X.lemma = Y.lemma`, `X.lemma <> "be"`, `e.length > 3`."""

    left: Reference
    operator: str
    right: Reference | Value | Number
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
    """`meta.text = re"And.*"`, or in `global` plainly `text = ...`."""

    test: Test

    @property
    def span(self) -> Span:
        """Where it stands: where its test does."""
        return self.test.span


@dataclass(frozen=True)
class Shape:
    """`global.is_projective` and the like."""

    name: str
    negated: bool
    span: Span


Clause = Node | Edge | Dominance | Order | Comparison | Distance | Metadata | Shape


@dataclass(frozen=True)
class Item:
    """`pattern { ... }`, `with { ... }`, `without { ... }` or `global { ... }`."""

    kind: str
    clauses: tuple[Clause, ...]
    span: Span


@dataclass(frozen=True)
class Request:
    """A whole request."""

    text: str
    items: tuple[Item, ...]

    def clauses(self, *kinds: str) -> tuple[Clause, ...]:
        """The clauses of the items of some kinds together."""
        return tuple(clause for item in self.items if item.kind in kinds for clause in item.clauses)

    def told(self, span: Span) -> str:
        """A stretch of the request as it is written, on one line."""
        return " ".join(self.text[span.start : span.end].split())


@dataclass(frozen=True)
class Gap:
    """`[gap=100, min=0, max=1000]`: a number is told by the interval that it lies in."""

    width: float
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class FeatureKey:
    """`X.lemma`, `X.ExtPos/upos` (the first that is defined), `S.Duration[gap=100]`, `e.label`."""

    references: tuple[Reference, ...]
    gap: Gap | None = None


@dataclass(frozen=True)
class NameKey:
    """`X`: where the node stands. `e`: what the edge is called. `sent_id`, `text`, `corpus`: what the sentence is."""

    name: str
    span: Span


@dataclass(frozen=True)
class MetadataKey:
    """`meta.speaker`."""

    name: str
    span: Span


@dataclass(frozen=True)
class OrderKey:
    """`V#S#O`: the nodes in the order in which they stand."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class RelationKey:
    """`X -> Y`, `X <-> Y`: how two nodes are related."""

    left: str
    right: str
    both: bool
    span: Span


@dataclass(frozen=True)
class WhetherKey:
    """`whether X << Y`: Yes or No."""

    clauses: tuple[Clause, ...]
    span: Span


Term = FeatureKey | NameKey | MetadataKey | Measure | OrderKey | RelationKey | WhetherKey


@dataclass(frozen=True)
class Key:
    """A term with the text that names its column, and the text that it stands in."""

    term: Term
    name: str
    text: str
