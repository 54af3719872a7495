"""Grammar and parser of Tregex and TGrep2 requests: `NP < (NN=noun $.. PP) !<< SBAR`.

Source: Levy & Andrew 2006, Tregex and Tsurgeon: tools for querying and manipulating tree data structures; Rohde 2005,
TGrep2 user manual.
"""

from __future__ import annotations

import re

from treesql.search.constituents.relations import TREGEX
from treesql.search.constituents.syntax import (
    ALWAYS,
    AllOf,
    AnyOf,
    Condition,
    Exists,
    Formula,
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
from treesql.search.constituents.tokens import END, Tokens, TreeToken, tokenize
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import Span

HEAD = "node"
"""The name of the first node where the request gives it none."""

_CHAINS = {"<+": "dominates_through", ">+": "dominates_through", ".+": "precedes_through", ",+": "precedes_through"}
_SIGNS = r"""\s(/@!#%&)=?\[\]><~.,$:{};|\""""
_NODE = r"""[^\s)&=?\[\]><.,$:{};%|#]"""
_LABEL = (
    rf"(?:(?:PRP|WP)\$(?!\w)|(?:[^{_SIGNS}\d_*]|\*(?=[\w*-]))[^{_SIGNS}]*"
    rf"(?:\$(?!(?:\+\+|--|\.\.|,,|[+.,-])?\s*{_NODE}))?)"
)
"""A label without quotes: a `$` ends it, but in PRP$ and WP$, and where it cannot begin a relation to a node."""

_NUMBERED = re.compile(r"(<<<|>>>|<|>)(-?)(\d+)")
_TOKENS = re.compile(
    r"(?P<chain>[<>.,]\+)"
    r"|(?P<children><\.\.\.)"
    r"|(?P<numbered>(?:<<<|>>>|<|>)-?\d+)"
    r"|(?P<operator><<<|>>>|(?:<<|>>)[#,:`'-]|<<|>>|<=|[<>][#,:`'-]|[<>]|\$\+\+|\$--|\$\.\.|\$,,|\$[+.,-]|\$|==|\.\.|\.|,,|,|:)"
    r"|(?P<regex>/(?:[^/\\\n]|\\.)*/)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<capture>\#\d+%[\w-]+)"
    r"|(?P<any>__|\*(?![\w*-]))"
    r"|(?P<root>_ROOT_)"
    rf"|(?P<label>{_LABEL})"
    r"|(?P<symbol>[()\[\]{}!?@~=&|;])"
)
_HINT = "labels with other signs stand in slashes, as regular expressions, or in quotes"
_TARGET = "a label, `/regular expression/`, `__`, `=name` or `(`"
_RELATION = "a relation such as `<`, `<<`, `$` or `.`"
_CLOSING = {"(": ")", "[": "]"}
_LABELS = ("label", "regex", "quoted")
_NODES = (*_LABELS, "any", "root", "(", "=", "@", "!", "~")
_RELATIONS = ("operator", "numbered", "chain", "children", "!", "?", "[", "(")
"""Kinds of tokens with which labels, nodes and relations begin."""


def parse(text: str) -> TreeRequest:
    """Parse a request. Raises RequestError."""
    return _TregexParser(text).request()


def parse_relations(text: str, request: TreeRequest) -> Formula:
    """Parse relations of the head of a request, such as `< PP !<< SBAR`. Raises RequestError."""
    parser = _TregexParser(text)
    parser.known, parser.prefix = {*request.names}, "?"
    formula = parser.disjunction(request.head.variable)
    parser.take(END, "a relation or the end")
    return formula


class _TregexParser(Tokens):
    def __init__(self, text: str) -> None:
        super().__init__(text, tokenize(text, _TOKENS, _HINT))
        self.known: set[str] = set()
        self.names: list[str] = []
        self.count, self.prefix, self.reference = 0, " ", ""
        self.pieces: list[tuple[Formula, Span]] = []

    def request(self) -> TreeRequest:
        if self.token.kind == END:
            raise self.error("the request is empty", "write for example `NP < NN`")
        head, formula = self.alternatives()
        self.take(END, "a relation or the end")
        if head.name is None:
            name = next(
                candidate for candidate in (HEAD, "first_node", "head_node", f"{HEAD}_0") if candidate not in self.names
            )
            head = TreeNode(head.variable, head.condition, head.span, name)
        names = (head.name or HEAD, *(name for name in self.names if name != head.name))
        return TreeRequest(self.text, head, formula, names, tuple(self.pieces))

    def alternatives(self) -> tuple[TreeNode, Formula]:
        """Parse patterns between `|`; of several, the formula says which one the first node is of."""
        patterns: list[tuple[TreeNode, Formula]] = []
        bound: set[str] = set()
        while not patterns or self.skip("|"):
            start = self.token.start
            self.count, self.known = 0, set()
            node, body = self.pattern(head=True)
            if node is None:
                raise self.error("the first node is a reference", "describe it: `NP=name < NN`", start)
            patterns.append((node, body))
            bound |= self.known
        self.known = bound
        if len(patterns) == 1:
            return patterns[0]
        head = TreeNode(f"{self.prefix}1", None, self.span(0))
        either = AnyOf(tuple(same_as(head, node, body) for node, body in patterns))
        self.pieces = [(either, head.span)]
        return head, either

    def pattern(self, *, head: bool = False) -> tuple[TreeNode | None, Formula]:
        """Parse a node and its relations; the node is None, and in the formula, if it refers to another one."""
        node, body = self.node(head=head)
        if self.token.kind in (*_RELATIONS, "&"):
            variable = node.variable if node else self.reference
            relations = self.disjunction(variable, outermost=head and self.depth == 0)
            body = relations if body == ALWAYS else AllOf((body, relations))
            if node is None:
                self.reference = variable
        return node, body

    def node(self, *, head: bool) -> tuple[TreeNode | None, Formula]:
        start = self.token.start
        if self.skip("("):
            self.enter()
            node, body = self.pattern(head=head)
            self.take(")", "a relation or `)`")
            self.leave()
            return node, body
        if self.token.kind == "=":
            self.at += 1
            return self.refer(self.take_name(), ALWAYS, start)
        condition = self.description()
        name = self.take_name() if self.skip("=") else None
        if name is not None and name in self.known:
            what = f"the name `{name}` is given twice in one conjunction"
            raise self.error(what, f"write `={name}` alone for the same node, or choose another name", start)
        self.count += 1
        if name is not None:
            self.known.add(name)
            if name not in self.names:
                self.names.append(name)
        return TreeNode(name or f"{self.prefix}{self.count}", condition, self.span(start), name), ALWAYS

    def refer(self, name: str, body: Formula, start: int) -> tuple[None, Formula]:
        if name not in self.known:
            what = f"`={name}` refers to a node that is not named before"
            raise self.error(what, f"name one, such as `NP={name}`, before this", start)
        self.reference = name
        return None, body

    def take_name(self) -> str:
        if self.token.kind not in ("label", "any"):
            raise self.failure("a name")
        return self.next().text

    def description(self) -> Condition | None:
        start = self.token.start
        negated = self.skip("!")
        if self.skip("~"):
            link = SameValue("label", self.linked(), self.span(start))
            return Not(link) if negated else link
        if self.skip("root"):
            root = Shape("root", self.span(start))
            return Not(root) if negated else root
        column = "category" if self.skip("@") else "label"
        captures: list[SameValue] = []
        condition: Condition | None
        if self.token.kind == "any":
            self.at += 1
            condition = None
            if negated:
                raise self.error("`!__` matches no node", "leave out `!`, or name a label", start)
        else:
            values = [self.value(column, captures)]
            while self.joins_labels():
                self.at += 1
                values.append(self.value(column, captures))
            condition = OneOf(column, tuple(values), self.span(start), find=True)
            condition = Not(condition) if negated else condition
        return AllOf((condition, *captures)) if captures and condition else condition

    def joins_labels(self) -> bool:
        """Whether `|` and a label come next, without white space around `|` unless in brackets."""
        close = self.tokens[self.at - 1].end == self.token.start and self.token.end == self.peek().start
        return self.token.kind == "|" and self.peek().kind in _LABELS and (close or self.depth > 0)

    def joins_relations(self) -> bool:
        """Whether `|` and a relation come next, and not another pattern."""
        steps = 1
        while self.peek(steps).kind in ("(", "!"):
            steps += 1
        return self.token.kind == "|" and self.peek(steps).kind not in (*_NODES, END)

    def linked(self) -> str:
        """The variable of a label that equals that of a named node."""
        name = self.take_name()
        if name not in self.known:
            raise self.error(f"`~{name}` refers to a node that is not named before", f"name one, such as `NP={name}`")
        return f"={name}"

    def value(self, column: str, captures: list[SameValue]) -> Value:
        if self.token.kind not in _LABELS:
            raise self.failure(_TARGET)
        token = self.next()
        if token.kind == "label":
            return token.text
        if token.kind == "quoted":
            return re.sub(r"\\(.)", r"\1", token.text[1:-1])
        pattern = token.text[1:-1].replace(r"\/", "/")
        while self.token.kind == "capture":
            start = self.token.start
            group, variable = self.next().text[1:].split("%")
            captures.append(SameValue(column, f"%{variable}", self.span(start), pattern, int(group)))
        return Regex(pattern)

    def disjunction(self, left: str, *, outermost: bool = False) -> Formula:
        before = {*self.known}
        parts: list[Formula] = []
        bound: set[str] = set()
        at = self.token.start
        while True:
            self.known = {*before}
            parts.append(self.conjunction(left, outermost=outermost and not parts))
            bound |= self.known
            if not self.joins_relations():
                break
            self.at += 1
        self.known = bound
        if len(parts) == 1:
            return parts[0]
        if outermost:
            self.pieces = [(AnyOf(tuple(parts)), self.span(at))]
        return AnyOf(tuple(parts))

    def conjunction(self, left: str, *, outermost: bool) -> Formula:
        parts: list[Formula] = []
        while True:
            joined = self.skip("&")
            if self.token.kind not in _RELATIONS:
                if parts and not joined:
                    break
                raise self.failure(_RELATION)
            start = self.token.start
            parts.append(self.relation(left))
            if outermost:
                self.pieces.append((parts[-1], self.span(start)))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def relation(self, left: str) -> Formula:
        if self.skip("?"):
            formula = self.relation(left)
            return AnyOf((formula, Not(formula)))
        if self.skip("!"):
            names, known = [*self.names], {*self.known}
            formula = Not(self.relation(left))
            self.names, self.known = names, known
            return formula
        token = self.next()
        if closing := _CLOSING.get(token.kind):
            self.enter()
            formula = self.disjunction(left)
            self.take(closing, f"a relation, `|` or `{closing}`")
            self.leave()
            return formula
        if token.kind == "children":
            return self.children(left, token)
        if token.kind == "chain":
            chain = self.chain()
            relation, inverse = Relation(_CHAINS[token.text], chain=chain), token.text[0] in ">,"
        elif token.kind == "numbered":
            relation, inverse = self.numbered(token)
        elif token.kind == "operator":
            name, inverse = TREGEX[token.text]
            relation = Relation(name)
        else:
            self.at -= 1
            raise self.failure(_RELATION)
        return self.related(left, relation, inverse, token)

    def chain(self) -> Condition | None:
        """Parse the description of the nodes of a chain, in brackets, or an expression without."""
        closing = _CLOSING.get(self.token.kind)
        if closing is None and self.token.kind not in ("regex", "!"):
            raise self.failure("the label of the chain in brackets, as in `<+(VP)`")
        self.at += closing is not None
        condition = self.description()
        if closing is not None:
            self.take(closing, f"`{closing}` after the label of the chain")
        return condition

    def numbered(self, token: TreeToken) -> tuple[Relation, bool]:
        match = _NUMBERED.fullmatch(token.text)
        assert match is not None
        operator, minus, number = match.groups()
        if int(number) == 0 or int(number) > 1_000_000:
            raise self.error(
                f"`{token.text}` names no child", "children are counted from 1, or from -1 at the end", token.start
            )
        name = "leaf" if len(operator) == 3 else "child_number"
        return Relation(name, (-int(number) if minus else int(number),)), operator[0] == ">"

    def children(self, left: str, token: TreeToken) -> Formula:
        """Parse `<... { B ; C }`: these children and no others."""
        self.take("{")
        parts: list[Formula] = []
        while self.token.kind != "}":
            parts.append(self.related(left, Relation("child_number", (len(parts) + 1,)), False, token))
            if not self.skip(";"):
                break
        self.take("}", "`;` or `}`")
        self.count += 1
        more = TreeNode(f"{self.prefix}{self.count}", None, self.span(token.start))
        beyond = Relation("child_number", (len(parts) + 1,))
        return AllOf((*parts, Not(Exists(more, Related(left, beyond, more.variable, more.span)))))

    def related(self, left: str, relation: Relation, inverse: bool, token: TreeToken) -> Formula:
        if self.token.kind not in _NODES:
            raise self.failure(_TARGET)
        node, body = self.pattern_of_target()
        right = node.variable if node else self.reference
        ends = (right, left) if inverse else (left, right)
        relation_formula = Related(ends[0], relation, ends[1], self.span(token.start))
        whole = relation_formula if body == ALWAYS else AllOf((relation_formula, body))
        return Exists(node, whole) if node else whole

    def pattern_of_target(self) -> tuple[TreeNode | None, Formula]:
        """Parse what a relation leads to: a node without relations, or a pattern in brackets."""
        return self.node(head=False)
