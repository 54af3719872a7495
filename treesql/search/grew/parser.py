"""Recursive-descent parser, tokens -> clauses. Every error names its position and what was expected there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from treesql.errors import RequestError
from treesql.search.grew import lexer, syntax
from treesql.search.grew.lexer import END, NAME, NUMBER, REGEX, TEXT, Regex, Token
from treesql.search.grew.syntax import Clause, FeatureReference, GrewRequest, Key, Span, Term, Test, Value

EXPECTED_VALUE = 'a value: a name, a quoted text, a number, or re"..."'


class TokenStream:
    """The tokens of a text, and the position in them. All methods that consume tokens raise RequestError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = lexer.tokenize(text)
        self.at = 0

    @property
    def token(self) -> Token:
        """The current token."""
        return self.tokens[self.at]

    def feature(self) -> str:
        """Parse the name of a feature; parts of labels are named by numbers."""
        if self.token.kind == NUMBER and str(self.token.value).isdigit():
            self.at += 1
            return str(self.peek(-1).value)
        return self.name("the name of a feature")

    def value(self, expected: str = EXPECTED_VALUE) -> Value:
        """Consume a value."""
        token = self.token
        if token.kind == REGEX:
            self.at += 1
            return cast(Regex, token.value)
        if token.kind in (NAME, TEXT, NUMBER):
            self.at += 1
            return str(token.value)
        raise self.failure(expected)

    def number(self) -> syntax.Number:
        """Consume a number."""
        token = self.token
        self.take(NUMBER, "a number")
        return syntax.Number(str(token.value))

    def name(self, expected: str) -> str:
        """Consume a name."""
        token = self.token
        self.take(NAME, expected)
        return str(token.value)

    def comment(self, expected: str) -> str:
        """Consume the key of a comment: a name, or any text in quotes."""
        if self.token.kind == TEXT:
            self.at += 1
            return str(self.peek(-1).value)
        return self.name(expected)

    def one_of(self, kinds: tuple[str, ...], expected: str | None = None) -> str:
        """Consume a symbol of some kinds and return it."""
        kind = self.token.kind
        if kind not in kinds:
            self.fail(expected or " or ".join(f"`{symbol}`" for symbol in kinds))
        self.at += 1
        return kind

    def skip(self, kind: str) -> bool:
        """Consume a token of a kind if it comes next; return whether it did."""
        if self.token.kind == kind:
            self.at += 1
            return True
        return False

    def take(self, kind: str, expected: str | None = None) -> None:
        """Consume a token of a kind."""
        if self.token.kind != kind:
            self.fail(expected or f"`{kind}`")
        self.at += kind != END

    def peek(self, steps: int) -> Token:
        """Return a later token; the last one is END."""
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    def span(self, start: int) -> Span:
        """Return the span from an offset to the end of the preceding token."""
        return Span(start, self.tokens[self.at - 1].end if self.at else start)

    def fail(self, expected: str) -> None:
        """Raise RequestError at the current token."""
        raise self.failure(expected)

    def failure(self, expected: str) -> RequestError:
        """Return the error at the current token."""
        token = self.text[self.token.start : self.token.end]
        what = "the request ends here" if self.token.kind == END else f"found `{token}`"
        return RequestError(self.text, self.token.start, what, f"expected {expected}")


ITEMS = ("pattern", "with", "without", "global")
SHAPES = ("projective", "tree", "forest", "cyclic")
MEASURES = ("delta", "length")
PLACES = ("order", "direction")
SIZES = ("height", "proj_size", "cont_proj_size", "constituent_size")
SIDES = ("left", "right")
META, GLOBAL, WHETHER = "meta", "global", "whether"
ANY_LABEL = syntax.Labels(True, ())
_NUMERIC = ("=", "<", "<=", ">", ">=")
_COMPARING = ("=", "<>", "<", "<=", ">", ">=")
_ENDS = (";", "}", END)
_ORDERING = ("<", "<<", ">", ">>", "><", "<>")
_EXPECTED_AFTER_NAME = "`[`, `->`, `-[`, `->>`, an order such as `<<`, `.` and a feature, or `:` and an edge"

Part = TypeVar("Part")


def parse(text: str) -> GrewRequest:
    """Parse a request. Raises RequestError."""
    return _Parser(text).request()


def parse_keys(text: str) -> list[Key]:
    """Parse clustering keys or columns, separated by commas. Raises RequestError."""
    return _Parser(text).keys()


def parse_whether(text: str) -> Key:
    """Parse the clauses of a `whether`, with or without curly brackets. Raises RequestError."""
    return _Parser(text).whether()


class _Parser(TokenStream):
    def request(self) -> GrewRequest:
        items = []
        while self.token.kind != END:
            items.append(self.item())
        bound = {name for item in items if item.kind != "without" for name in item.nodes()}
        hidden = sum(max(1, len(item.nodes() - bound)) for item in items if item.kind == "without")
        syntax.check_size(self.text, len(bound) + hidden)
        return GrewRequest(self.text, tuple(items) or (syntax.Item("pattern", (), syntax.Span(0, 0)),))

    def item(self) -> syntax.Item:
        start = self.token.start
        kind = {"match": "pattern"}.get(str(self.token.value), self.token.value)
        if self.token.kind != NAME or kind not in ITEMS:
            self.fail("`pattern`, `with`, `without` or `global`")
        self.at += 1
        clauses = self.block(self.global_clause if kind == "global" else self.clause)
        return syntax.Item(str(kind), tuple(clauses), self.span(start))

    def block(self, parse_clause: Callable[[], Clause]) -> list[Clause]:
        self.take("{")
        clauses = self.clauses(parse_clause, "}")
        self.take("}", "`;` or `}`")
        return clauses

    def clauses(self, parse_clause: Callable[[], Clause], end: str) -> list[Clause]:
        clauses = []
        while self.token.kind != end:
            clauses.append(parse_clause())
            if not self.skip(";"):
                break
        return clauses

    def global_clause(self) -> Clause:
        """Parse a clause of `global`: a shape, or a comment of the sentence, with or without `meta.` before it."""
        start = self.token.start
        if self.token.value in (META, GLOBAL) and self.peek(1).kind == ".":
            return self.clause()
        if self.skip("!"):
            if self.token.value == META and self.peek(1).kind == ".":
                self.at -= 1
                return self.clause()
            name = self.comment("the name of a comment, such as `sent_id`")
            return syntax.Metadata(Test(name, "absent", (), self.span(start)))
        if self.token.kind == NAME and str(self.token.value).startswith("is_"):
            return self.shape(start)
        name = self.comment("`is_projective`, or the name of a comment such as `sent_id`")
        return syntax.Metadata(self.rest_of_test(name, start))

    def clause(self) -> Clause:
        start = self.token.start
        if self.skip("!"):
            return self.absent(start)
        if self.skip("*"):
            return self.edge(start, None, None)
        if self.token.kind == NUMBER:
            return self.reversed_comparison(start)
        name = self.name("a node, an edge, `meta`, `global`, `length`, `delta` or `}`")
        if name in MEASURES and self.token.kind == "(":
            measure = self.measure(start, name)
            return syntax.Distance(measure, self.one_of(_NUMERIC), self.number(), self.span(start))
        if name in SIZES and self.token.kind == "(":
            return self.comparison(start, self.size(start, name))
        if name == META and self.skip("."):
            return syntax.Metadata(self.comment_test(self.comment("the name of a comment, such as `text`"), start))
        if name == GLOBAL and self.skip("."):
            return self.shape(start)
        return self.node_or_edge_clause(start, name)

    def absent(self, start: int) -> Clause:
        """Parse what follows `!`: `meta.speaker`, or a feature such as `X.Mood`."""
        name = self.name("`meta`, a node or an edge")
        self.take(".")
        if name == META:
            comment = self.comment("the name of a comment, such as `speaker`")
            return syntax.Metadata(Test(comment, "absent", (), self.span(start)))
        return syntax.FeatureTest(self.features_of(start, name), False, self.span(start))

    def comment_test(self, name: str, start: int) -> Test:
        """Parse the test of a comment after its name; without one, the comment has to be there."""
        if self.token.kind in _ENDS:
            return Test(name, "defined", (), self.span(start))
        return self.rest_of_test(name, start)

    def features_of(self, start: int, owner: str) -> FeatureReference:
        """Parse the features of a reference after its `.`: `Mood`, `ExtPos/upos`."""
        names = [self.feature()]
        while self.skip("/"):
            names.append(self.feature())
        return FeatureReference(owner, names[0], self.span(start), tuple(names[1:]))

    def node_or_edge_clause(self, start: int, name: str) -> Clause:
        """Parse a clause that begins with the name of a node or an edge."""
        if self.token.kind == "[":
            alternatives = [self.features()]
            while self.skip("|"):
                alternatives.append(self.features())
            return syntax.Node(name, tuple(alternatives), self.span(start))
        if self.skip(":"):
            source = None if self.skip("*") else self.name("the node at the beginning of the edge")
            return self.edge(start, name, source)
        if self.token.kind in ("->", "-[", "-[^"):
            return self.edge(start, None, name)
        if self.skip("->>"):
            return syntax.Dominance(name, self.name("a node"), self.span(start))
        if self.skip("."):
            return self.comparison(start, self.features_of(start, name))
        if self.token.kind in _ORDERING:
            operator = self.one_of(_ORDERING)
            right = self.name("a node or an edge")
            if operator in (">", ">>"):
                return syntax.Order(right, operator.replace(">", "<"), name, self.span(start))
            return syntax.Order(name, operator, right, self.span(start))
        raise self.failure(_EXPECTED_AFTER_NAME)

    def reversed_comparison(self, start: int) -> Clause:
        """Parse `3 <= X.feature`, with the number on the left."""
        number = self.number()
        operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[self.one_of(("<", "<=", ">", ">="))]
        return syntax.FeatureComparison(self.reference(), operator, number, self.span(start))

    def comparison(self, start: int, left: FeatureReference) -> Clause:
        if self.token.kind in _ENDS and left.name not in SIZES:
            return syntax.FeatureTest(left, True, self.span(start))
        operator = self.one_of(_COMPARING)
        if operator == "=" and self.skip("*"):
            return syntax.FeatureTest(left, True, self.span(start))
        right: FeatureReference | Value | syntax.Number
        if self.token.kind == NUMBER:
            right = self.number()
        elif (self.token.kind == NAME and self.peek(1).kind == ".") or (
            self.token.value in SIZES and self.peek(1).kind == "("
        ):
            right = self.reference()
        elif operator in ("=", "<>"):
            right = self.value()
            if self.token.kind == "|":
                raise RequestError(
                    self.text, self.token.start, "`|` is not allowed here",
                    f"write alternatives in brackets:  `{left.owner} [{left.name}=...|...]`",
                )  # fmt: skip
        else:
            raise self.failure("a number or a feature such as `Y.lemma`")
        return syntax.FeatureComparison(left, operator, right, self.span(start))

    def edge(self, start: int, name: str | None, source: str | None) -> Clause:
        labels: syntax.Labels | syntax.LabelTests = ANY_LABEL
        if not self.skip("->"):
            negated = self.token.kind == "-[^"
            self.one_of(("->", "-[", "-[^"))
            labels = self.labels(negated)
        target = None if self.skip("*") else self.name("the node at the end of the edge, or `*`")
        if source is None and target is None:
            raise RequestError(self.text, start, "an edge from `*` to `*` binds nothing", "name one of its nodes")
        if name is not None and None in (source, target):
            raise RequestError(
                self.text, start, f"the edge {name} has an unbound end", "name both nodes, or not the edge"
            )
        return syntax.Edge(name, source, labels, target, self.span(start))

    def labels(self, negated: bool) -> syntax.Labels | syntax.LabelTests:
        tested = self.token.kind == "!" or (self.token.kind == NAME and self.peek(1).kind in ("=", "<>"))
        if tested and not negated:
            tests = [self.label_test()]
            while self.skip(","):
                tests.append(self.label_test())
            self.take("]->", _expected_after(tests[-1:], "]->"))
            return syntax.LabelTests(tuple(tests))
        values = self.alternatives("a relation" if negated else "a relation, or a test such as `1=nsubj`")
        self.take("]->", "`|` or `]->`")
        return syntax.Labels(negated, values)

    def label_test(self) -> Test:
        start = self.token.start
        if self.skip("!"):
            return Test(self.name("a part of the label, such as `2`"), "absent", (), self.span(start))
        name = self.name("a part of the label, such as `1`")
        return self.rest_of_test(name, start, f"`=` or `<>`; `{name}=*` requires that it exists")

    def features(self) -> tuple[Test, ...]:
        """Parse `[upos=VERB, !Number]`."""
        self.take("[")
        tests: list[Test] = []
        while self.token.kind != "]":
            tests.append(self.feature_test())
            if not self.skip(","):
                break
        self.take("]", _expected_after(tests[-1:], "]"))
        return tuple(tests)

    def feature_test(self) -> Test:
        start = self.token.start
        if self.skip("!"):
            return Test(self.feature(), "absent", (), self.span(start))
        name = self.feature()
        if self.token.kind in ("]", ","):
            return Test(name, "defined", (), self.span(start))
        test = self.rest_of_test(name, start, "`=`, `<>`, `,` or `]`")
        if test.values and self.skip("/"):
            return replace(test, otherwise=self.feature_test(), span=self.span(start))
        return test

    def rest_of_test(self, name: str, start: int, expected: str = "`=` or `<>`") -> Test:
        """Parse the part of a test after the name."""
        operator = self.one_of(("=", "<>"), expected)
        if operator == "=" and self.token.value == "*" and self.token.kind != TEXT:
            self.at += 1
            return Test(name, "defined", (), self.span(start))
        return Test(name, operator, self.alternatives(), self.span(start))

    def alternatives(self, expected: str = EXPECTED_VALUE) -> tuple[Value, ...]:
        """Parse `VERB|AUX`."""
        values = [self.value(expected)]
        while self.skip("|"):
            values.append(self.value(expected))
        return tuple(values)

    def shape(self, start: int) -> Clause:
        name = self.name("`is_projective`, `is_tree`, `is_forest`, `is_cyclic`, or one with `is_not_`")
        negated = name.startswith("is_not_")
        shape_name = name.removeprefix("is_not_" if negated else "is_")
        if shape_name not in SHAPES or not name.startswith("is_"):
            self.at -= 1
            self.fail(" or ".join(f"`is_{shape}`" for shape in SHAPES) + ", or one with `is_not_`")
        return syntax.GraphShape(shape_name, negated, self.span(start))

    def keys(self) -> list[Key]:
        keys: list[Key] = []
        while True:
            if self.token.kind == "(":
                self.at += 1
                keys += self.key_list()
                self.take(")", "`,` or `)`")
            else:
                keys.append(self.key())
            if not self.skip(","):
                break
        spelled = f'; a comment with other signs in its key is written `meta."{self.text.strip()}"`'
        named = len(keys) == 1 and isinstance(keys[0].term, syntax.NameKey)
        self.take(END, f"`,` or the end{spelled if named else ''}")
        return keys

    def key_list(self) -> list[Key]:
        keys = [self.key()]
        while self.skip(","):
            keys.append(self.key())
        return keys

    def key(self) -> Key:
        start = self.token.start
        if self.token.value == WHETHER and self.peek(1).kind not in (".", ",", END, "#"):
            self.at += 1
            begins = self.token.start
            clauses = self.block(self.clause) if self.token.kind == "{" else self.clauses(self.clause, END)
            return self.with_column_name(syntax.WhetherKey(tuple(clauses), self.span(begins)), begins)
        name = self.name("a key such as `X.lemma`, `e.label` or `sent_id`")
        return self.with_column_name(self.term(start, name), start)

    def term(self, start: int, name: str) -> Term:
        if name in MEASURES and self.token.kind == "(":
            return self.binned(self.measure(start, name))
        if name in PLACES and self.token.kind == "(":
            return self.places(start, name)
        if name in SIZES and self.token.kind == "(":
            return syntax.FeatureKey((self.size(start, name),))
        if name in SIDES and self.token.kind == "(":
            return self.context(start, name, None)
        if self.token.kind in ("->", "<->"):
            both = self.one_of(("->", "<->")) == "<->"
            return syntax.RelationKey(name, self.name("a node"), both, self.span(start))
        if self.token.kind == "#":
            names = [name]
            while self.skip("#"):
                names.append(self.name("a node"))
            return syntax.OrderKey(tuple(names), self.span(start))
        if not self.skip("."):
            return syntax.NameKey(name, self.span(start))
        if name == META:
            return syntax.MetadataKey(self.comment("the name of a comment"), self.span(start))
        if self.token.value in SIDES and self.peek(1).kind == "(":
            return self.context(start, self.name("`left` or `right`"), name)
        references = [FeatureReference(name, self.feature(), self.span(start))]
        while self.skip("/"):
            references.append(FeatureReference(name, self.feature(), self.span(start)))
        return syntax.FeatureKey(tuple(references), self.gap() if self.token.kind == "[" else None)

    def gap(self) -> syntax.Gap:
        self.take("[")
        given: dict[str, float] = {}
        while True:
            name = self.name("`gap`, `min` or `max`")
            if name not in ("gap", "min", "max") or name in given:
                self.at -= 1
                self.fail("`gap`, `min` or `max`, each once")
            self.take("=")
            given[name] = self.number().value
            if not self.skip(","):
                break
        self.take("]", "`,` or `]`")
        if given.get("gap", 0) <= 0:
            self.at -= 1
            self.fail("a `gap` above 0")
        return syntax.Gap(given["gap"], given.get("min"), given.get("max"))

    def context(self, start: int, side: str, node: str | None) -> syntax.ContextKey:
        """Parse the `(5)` of `left(5)` or `N.left(5)`."""
        self.take("(")
        words = self.number().value
        if words < 0 or not words.is_integer():
            self.at -= 1
            self.fail("a number of words")
        self.take(")")
        return syntax.ContextKey(side, int(words), node, self.span(start))

    def whether(self) -> Key:
        start = self.token.start
        clauses = self.block(self.clause) if self.token.kind == "{" else self.clauses(self.clause, END)
        self.take(END, "`;` or the end")
        if not clauses:
            raise RequestError(self.text, 0, "the sub-request is empty", "write clauses, for example `X << Y`")
        return self.with_column_name(syntax.WhetherKey(tuple(clauses), self.span(start)), start)

    def with_column_name(self, term: Term, start: int) -> Key:
        return Key(term, " ".join(self.text[start : self.span(start).end].split()), self.text)

    def measure(self, start: int, name: str) -> syntax.Measure:
        self.take("(")
        left = self.name("a node")
        self.take(",")
        right = self.name("a node")
        self.take(")")
        return syntax.Measure(name, left, right, self.span(start))

    def binned(self, measure: syntax.Measure) -> Term:
        """Parse the `/5` of `length(X,Y)/5`, if it is there."""
        if not self.skip("/"):
            return measure
        width = self.number().value
        if width < 1 or not width.is_integer():
            self.at -= 1
            self.fail("a whole number, the width of bins")
        return syntax.BinKey(measure, int(width))

    def places(self, start: int, kind: str) -> syntax.PlacesKey:
        self.take("(")
        names = [self.name("a node")]
        while self.skip(","):
            names.append(self.name("a node"))
        if len(names) < 2 or (kind == "direction" and len(names) > 2):
            self.fail("another node" if len(names) < 2 else "two nodes")
        self.take(")", "`,` or `)`")
        return syntax.PlacesKey(kind, tuple(names), self.span(start))

    def reference(self) -> FeatureReference:
        start = self.token.start
        owner = self.name("a node or an edge")
        if owner in SIZES and self.token.kind == "(":
            return self.size(start, owner)
        self.take(".")
        return FeatureReference(owner, self.feature(), self.span(start))

    def size(self, start: int, name: str) -> FeatureReference:
        """Parse the `(X)` of `height(X)`."""
        self.take("(")
        node = self.name("a node")
        self.take(")")
        return FeatureReference(node, name, self.span(start))


def _expected_after(tests: Sequence[Test], end: str) -> str:
    """Return what may follow the last test in brackets, for messages."""
    more = "`|`, " if any(test.values for test in tests) else ""
    return f"{more}`,` or `{end}`"
