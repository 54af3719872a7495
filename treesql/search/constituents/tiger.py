"""Grammar and parser of TIGERSearch requests: `#n:[cat="NP"] >HD #h:[pos=/N.*/] & #h . [word="and"]`.

Source: König & Lezius 2003, The TIGER language: a description language for syntax graphs; Lezius 2002, Ein Suchwerkzeug
für syntaktisch annotierte Textkorpora, chapter 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from treesql.errors import RequestError, UnknownName
from treesql.search.constituents.syntax import (
    ALWAYS,
    AllOf,
    AnyOf,
    Condition,
    Exists,
    Formula,
    Holds,
    Not,
    OneOf,
    Related,
    Relation,
    SameValue,
    Shape,
    TreeNode,
    TreeRequest,
    Value,
    same_as,
)
from treesql.search.constituents.tokens import END, Tokens, tokenize
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import Span

FEATURES: Mapping[str, tuple[str, str | None]] = {
    "cat": ("category", "phrase"),
    "word": ("form", "word"),
    "pos": ("label", "word"),
    "lemma": ("lemma", "word"),
    "morph": ("feats", "word"),
    "edge": ("edge_label", None),
}
"""Features of nodes: the column of `tree_nodes`, and what has it."""

PREDICATES = ("root", "arity", "tokenarity", "continuous", "discontinuous")
HEAD = "node"

_TOKENS = re.compile(
    r"(?P<relation>!?(?:>@[lr]|>~|>\*|>(?:\d+(?:,\d+)?)?|\$\.\*|\$|\.\*|\.(?:\d+(?:,\d+)?)?))"
    r"|(?P<variable>\#[\w-]+)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<regex>/(?:[^/\\\n]|\\.)*/)"
    r"|(?P<name>[\w-]+)"
    r"|(?P<symbol>!=|[()\[\]=&|!:,])"
)
_NUMBERED = re.compile(r"([>.])(\d+)(?:,(\d+))?")
_HINT = 'nodes are written `[cat="NP"]` or `#name:[pos=/N.*/]`'
_TERMINALS = Shape("without_leaves", Span(0, 0))
MAX_DISTANCE = 1_000_000
"""Maximum number in a relation or predicate."""


def parse(text: str) -> TreeRequest:
    """Parse a request. Raises RequestError."""
    return _TigerParser(text).request()


def parse_relations(text: str, request: TreeRequest) -> Formula:
    """Parse a formula about the nodes of a request, such as `#n > [cat="PP"]`. Raises RequestError."""
    parser = _TigerParser(text)
    parser.bound, parser.prefix = dict.fromkeys(request.names), "?"
    parser.outer = {name: request.head.variable if name == request.head.name else name for name in request.names}
    formula = parser.disjunction()
    parser.take(END, "`&`, `|` or the end")
    return parser.with_nodes(formula, parser.order)


class _TigerParser(Tokens):
    """Nodes are bound where they are first named; the first of them is the head, and the others exist beside it."""

    def __init__(self, text: str) -> None:
        super().__init__(text, tokenize(text, _TOKENS, _HINT))
        self.bound: dict[str, TreeNode | None] = {}
        self.outer: dict[str, str] = {}
        self.order: list[TreeNode] = []
        self.count, self.prefix = 0, " "

    def request(self) -> TreeRequest:
        if self.token.kind == END:
            raise self.error("the request is empty", 'write for example `[cat="NP"] > [pos="NN"]`')
        formula = self.disjunction()
        self.take(END, "a relation, `&`, `|` or the end")
        head, *others = self.order
        names = [name for name in self.bound if name != head.name]
        if head.name is not None:
            names.insert(0, head.name)
        if head.name is None:
            name = next(candidate for candidate in (HEAD, "first_node", "head_node") if candidate not in names)
            head = TreeNode(head.variable, head.condition, head.span, name)
            names.insert(0, name)
        return TreeRequest(self.text, head, self.with_nodes(formula, others), tuple(names))

    def with_nodes(self, formula: Formula, nodes: list[TreeNode]) -> Formula:
        """Return the formula that there are nodes of which a formula holds."""
        for node in reversed(nodes):
            formula = Exists(node, formula)
        return formula

    def disjunction(self) -> Formula:
        start, before, bound = self.token.start, len(self.order), {**self.bound}
        parts = [self.conjunction()]
        if self.token.kind != "|":
            return parts[0]
        known = {**self.bound}
        shared = bool(bound or before)
        head = TreeNode(f"{self.prefix}1", None, self.span(start))
        while True:
            nodes = self.order[before:]
            if shared:
                parts[-1] = self.with_nodes(parts[-1], nodes)
            else:
                parts[-1] = same_as(head, nodes[0], self.with_nodes(parts[-1], nodes[1:]))
            del self.order[before:]
            if not self.skip("|"):
                break
            self.bound = {**bound}
            self.count = self.count if shared else 0
            parts.append(self.conjunction())
            known |= self.bound
        self.bound = known
        if not shared:
            self.order.append(head)
        return AnyOf(tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.constraint()]
        while self.skip("&"):
            parts.append(self.constraint())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def constraint(self) -> Formula:
        if self.token.kind == "(":
            self.at += 1
            self.enter()
            inner = self.disjunction()
            self.take(")", "`&`, `|` or `)`")
            self.leave()
            return inner
        if self.token.kind == "name" and self.peek().kind == "(":
            return self.predicate()
        left, formula = self.node()
        if self.token.kind != "relation":
            return formula
        start = self.token.start
        relation, negated = self.relation()
        right, more = self.node()
        related: Formula = Related(left, relation, right, self.span(start))
        parts = [part for part in (formula, more) if part != ALWAYS] + [Not(related) if negated else related]
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def node(self) -> tuple[str, Formula]:
        """Parse a description of a node; return its variable, and what is said of it if it was named before."""
        start = self.token.start
        name = None
        if self.token.kind == "variable":
            name = self.next().text[1:]
            if name in self.bound and not self.skip(":"):
                return self.outer.get(name, name), ALWAYS
            if name not in self.bound and not self.skip(":"):
                return self.bind(name, None, start), ALWAYS
        self.take("[", 'a node, such as `[cat="NP"]` or `#name`')
        self.enter()
        condition = None if self.token.kind == "]" else self.either()
        self.take("]", "`&`, `|` or `]`")
        self.leave()
        if name is not None and name in self.bound:
            variable = self.outer.get(name, name)
            return variable, ALWAYS if condition is None else Holds(variable, condition, self.span(start))
        return self.bind(name, condition, start), ALWAYS

    def bind(self, name: str | None, condition: Condition | None, start: int) -> str:
        self.count += 1
        whole: Condition = _TERMINALS if condition is None else AllOf((_TERMINALS, condition))
        node = TreeNode(name or f"{self.prefix}{self.count}", whole, self.span(start), name)
        self.order.append(node)
        if name is not None:
            self.bound[name] = node
        return node.variable

    def either(self) -> Condition:
        parts = [self.both()]
        while self.skip("|"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def both(self) -> Condition:
        parts = [self.test()]
        while self.skip("&"):
            parts.append(self.test())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def test(self) -> Condition:
        start = self.token.start
        if self.skip("!"):
            return Not(self.test())
        if self.skip("("):
            self.enter()
            condition = self.either()
            self.take(")", "`&`, `|` or `)`")
            self.leave()
            return condition
        name = self.take("name", "a feature: cat, word, pos, lemma, morph or edge").text
        if name in ("T", "NT") and self.token.kind not in ("=", "!="):
            return Shape("phrase" if name == "NT" else "word", self.span(start))
        if name not in FEATURES:
            raise self.unknown("feature", name, tuple(FEATURES), start)
        negated = self.token.kind == "!="
        if not self.skip("=", "!="):
            raise self.failure("`=` or `!=`")
        column, having = FEATURES[name]
        value = self.values(column)
        condition = Not(value) if negated else value
        return condition if having is None else AllOf((Shape(having, self.span(start)), condition))

    def values(self, column: str) -> Condition:
        """Parse a value, a variable of values, or a combination of values in brackets."""
        start = self.token.start
        if self.skip("!"):
            return Not(self.values(column))
        if self.skip("("):
            self.enter()
            parts = [self.values(column)]
            kind = self.token.kind
            while kind in ("|", "&") and self.skip(kind):
                parts.append(self.values(column))
            self.take(")", "`|`, `&` or `)`")
            self.leave()
            return AllOf(tuple(parts)) if kind == "&" else AnyOf(tuple(parts)) if len(parts) > 1 else parts[0]
        if self.token.kind == "variable":
            same = SameValue(column, f"%{self.next().text[1:]}", self.span(start))
            return AllOf((self.values(column), same)) if self.skip(":") else same
        return OneOf(column, (self.value(),), self.span(start))

    def value(self) -> Value:
        if self.token.kind not in ("quoted", "regex", "name"):
            raise self.failure("a text in quotes or an expression in slashes")
        token = self.next()
        if token.kind == "quoted":
            return re.sub(r"\\(.)", r"\1", token.text[1:-1])
        return Regex(token.text[1:-1].replace(r"\/", "/")) if token.kind == "regex" else token.text

    def relation(self) -> tuple[Relation, bool]:
        """Parse a relation between nodes; return it, and whether it is negated."""
        token = self.next()
        sign = token.text.removeprefix("!")
        negated = sign != token.text
        if match := _NUMBERED.fullmatch(sign):
            least, most = int(match[2]), int(match[3] or match[2])
            if not 1 <= least <= most <= MAX_DISTANCE:
                raise self.error(
                    f"`{sign}` is no distance", "distances are numbers from 1 on, the smaller one first", token.start
                )
            return Relation("dominates_by" if match[1] == ">" else "starts_before_by", (least, most)), negated
        if sign in (">", ">~") and self.token.kind in ("name", "quoted", "regex") and self.token.start == token.end:
            labels = (self.value(),)
            return Relation("labelled_child" if sign == ">" else "secondary", labels=labels), negated
        return _RELATIONS[sign], negated

    def predicate(self) -> Formula:
        start = self.token.start
        name = self.next().text
        if name not in PREDICATES:
            raise self.unknown("predicate", name, PREDICATES, start)
        self.take("(")
        variable, formula = self.node()
        numbers = []
        while self.skip(","):
            token = self.take("name", "a number")
            if not token.text.isdigit() or int(token.text) > MAX_DISTANCE:
                raise self.error(
                    f"{token.text!r} is no number of nodes", "write for example `arity(#n,2,4)`", token.start
                )
            numbers.append(int(token.text))
        self.take(")", "`,` or `)`")
        allowed = (1, 2) if "arity" in name else (0,)
        if len(numbers) not in allowed:
            hint = f"write `{name}(#n,2)` or `{name}(#n,2,4)`" if "arity" in name else f"write `{name}(#n)`"
            raise self.error(f"{name} has {len(numbers)} numbers", hint, start)
        if numbers and numbers[0] > numbers[-1]:
            what = f"{name} has the numbers {numbers[0]} and {numbers[-1]}"
            raise self.error(what, "the smaller one stands first", start)
        shape = Shape(name, self.span(start), *((numbers[0], numbers[-1]) if numbers else ()))
        predicate = Holds(variable, shape, self.span(start))
        return predicate if formula == ALWAYS else AllOf((formula, predicate))

    def unknown(self, kind: str, name: str, known: tuple[str, ...], start: int) -> RequestError:
        what, _, hint = str(UnknownName(kind, name, known)).partition("; ")
        return self.error(what, hint, start)


_RELATIONS = {
    ">": Relation("child"),
    ">*": Relation("dominates"),
    ">@l": Relation("left_corner"),
    ">@r": Relation("right_corner"),
    ">~": Relation("secondary"),
    ".": Relation("starts_before_by", (1, 1)),
    ".*": Relation("starts_before"),
    "$": Relation("sister"),
    "$.*": Relation("sister_before"),
}
"""Relations without numbers and labels. Precedence is that of the first words."""
