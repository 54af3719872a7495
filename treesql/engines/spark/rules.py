"""Rules that rewrite a syntax tree of DuckDB's SQL to what Spark runs with the same rows.

First those for lists: how they are built, filtered and unpacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from treesql.catalog import schemas
from treesql.engines.spark.functions import ON_EXECUTORS, TEXT_OF_WORDS
from treesql.errors import StatementError

UNPACKED = "_unpacked"
"""Alias of what a SELECT unpacks from lists, with the columns `_row` of each SELECT."""

_CALLS = {
    "list_length": "cardinality({0})",
    "list_sum": "aggregate({0}, CAST(0 AS BIGINT), (_s, _x) -> _s + coalesce(_x, 0))",
    "list_unique": "cardinality(array_distinct(filter({0}, _x -> _x IS NOT NULL)))",
    "list_select": "transform({1}, _i -> try_element_at({0}, CAST(_i AS INT)))",
    "list_resize": "slice(concat({0}, array_repeat({2}, {1})), 1, {1})",
    "list_slice": "slice({0}, {1}, greatest({2} - {1} + 1, 0))",
    "list_inner_product": "aggregate(zip_with({0}, {1}, (_x, _y) -> _x * _y), CAST(0 AS DOUBLE), (_s, _x) -> _s + _x)",
    "generate_subscripts": "sequence(CAST(1 AS BIGINT), CAST(cardinality({0}) AS BIGINT))",
    "isfinite": "(NOT isnan({0}) AND abs({0}) < CAST('inf' AS DOUBLE))",
    "list_contains": "array_contains({0}, {1})",
}
"""Functions of lists in Spark's SQL; `{0}` is the first argument."""


def _call(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Anonymous) and node.name.lower() in _CALLS:
        return _filled(_CALLS[node.name.lower()], node.expressions)
    return node


def _filled(template: str, arguments: Sequence[exp.Expression]) -> exp.Expression:
    """Return an expression of Spark's SQL with its arguments in place."""
    names = [f"_argument_{at}" for at in range(len(arguments))]
    tree = sqlglot.parse_one(template.format(*names), read="spark")

    def fill(node: exp.Expression) -> exp.Expression:
        is_name = isinstance(node, exp.Column) and not node.table and node.name in names
        return exp.paren(arguments[names.index(node.name)].copy()) if is_name else node

    return tree.transform(fill)


def _index(node: exp.Expression) -> exp.Expression:
    """`list[i]` is NULL beyond the list, as in DuckDB; `list[i:j]` is a part of it."""
    if not isinstance(node, exp.Bracket) or len(node.expressions) != 1:
        return node
    [at] = node.expressions
    if isinstance(at, exp.Slice):
        first = at.this or exp.Literal.number(1)
        if at.expression is None:
            return _filled("slice({0}, {1}, cardinality({0}))", [node.this, first])
        return _filled("slice({0}, {1}, greatest({2} - {1} + 1, 0))", [node.this, first, at.expression])
    if isinstance(at, exp.Literal) and at.is_string:
        return node
    return exp.Anonymous(this="try_element_at", expressions=[node.this, exp.cast(at, "INT")])


def _comprehension(node: exp.Expression) -> exp.Expression:
    """`[f(x) FOR x IN l IF p(x)]` is `transform(filter(l, x -> p(x)), x -> f(x))`."""
    if not isinstance(node, exp.Array) or not isinstance(next(iter(node.expressions), None), exp.Comprehension):
        return node
    [part] = node.expressions
    items, name = part.args["iterator"], part.expression
    if condition := part.args.get("condition"):
        items = exp.Anonymous(this="filter", expressions=[items, exp.Lambda(this=condition, expressions=[name.copy()])])
    return exp.Anonymous(this="transform", expressions=[items, exp.Lambda(this=part.this, expressions=[name])])


def _sorted_list(node: exp.Expression) -> exp.Expression:
    """`list(x ORDER BY y)` sorts pairs of y and x, and takes the x; without an order, NULL is kept as well."""
    if not isinstance(node, exp.ArrayAgg):
        return node
    value, keys = node.this, []
    if isinstance(value, exp.Order):
        keys, value = value.expressions, value.this
    if any(key.args.get("desc") for key in keys):
        raise StatementError("a list in descending order has no translation for Spark", node.sql(), node.sql())
    fields = [(f"k{at}", key.this) for at, key in enumerate(keys)] + [("v", value)]
    struct = exp.Anonymous(
        this="named_struct",
        expressions=[part for name, value in fields for part in (exp.Literal.string(name), value.copy())],
    )
    collected: exp.Expression = exp.Anonymous(this="collect_list", expressions=[struct])
    if keys:
        collected = exp.Anonymous(this="array_sort", expressions=[collected])
    return _filled("transform({0}, _x -> _x.v)", [collected])


def _unpacking(node: exp.Expression) -> exp.Expression:
    """Lists that a SELECT unpacks side by side become one list of pairs, for Spark unpacks one list, and alone."""
    if not isinstance(node, exp.Select):
        return node
    lists = list(_unpacked(node))
    if not lists or (len(lists) == 1 and _is_whole(lists[0], node)):
        return node
    values = [_list_of(item) for item in lists]
    alias = f"{UNPACKED}{node.depth}"
    for at, item in enumerate(lists):
        column = exp.column("_row", table=alias)
        item.replace(
            exp.Dot(this=column, expression=exp.to_identifier(str(at), quoted=True)) if len(lists) > 1 else column
        )
    pairs = values[0].copy()
    if len(values) > 1:  # with `coalesce`, fields are called by their places, and no list is NULL
        known = [_filled("coalesce({0}, array())", [item]) for item in values]
        pairs = exp.Anonymous(this="arrays_zip", expressions=known)
    lateral = exp.Lateral(
        this=exp.Explode(this=pairs),
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(alias), columns=[exp.to_identifier("_row")]),
    )
    node.append("laterals", lateral)
    return node


def _unpacked(select: exp.Select) -> Iterator[exp.Expression]:
    """Yield what a SELECT unpacks in its own columns, not in those of a subquery."""
    for column in select.expressions:
        for call in column.find_all(exp.Explode, exp.Anonymous):
            if isinstance(call, exp.Anonymous) and call.name.lower() != "generate_subscripts":
                continue
            if call.find_ancestor(exp.Select) is select:
                yield call


def _is_whole(unpacked: exp.Expression, select: exp.Select) -> bool:
    """Whether a column is nothing but what is unpacked."""
    return any(unpacked is column or unpacked is column.unalias() for column in select.expressions)


def _list_of(unpacked: exp.Expression) -> exp.Expression:
    return _call(unpacked) if isinstance(unpacked, exp.Anonymous) else unpacked.this


LIST_RULES: tuple[Callable[[Any], exp.Expression], ...] = (_unpacking, _call, _index, _comprehension, _sorted_list)
"""In the order in which they are applied."""


Rule = Callable[[Any], exp.Expression]
"""Returns a node, or what stands in its place."""

PARAMETER = "_parameter_"
"""What stands before the name of a parameter while a statement is a tree."""

WHOLE = "DECIMAL(38, 0)"
"""Spark's type of the whole numbers of 128 bits."""

_TYPES = {
    exp.DataType.Type.INT128: WHOLE,
    exp.DataType.Type.UBIGINT: "BIGINT",
    exp.DataType.Type.UINT: "BIGINT",
    exp.DataType.Type.USMALLINT: "INT",
    exp.DataType.Type.UTINYINT: "SMALLINT",
}
"""Types of DuckDB that Spark lacks. Keys of 64 bits without a sign keep their bits."""

_NAMES = {"error": "raise_error", "regexp_split_to_array": ON_EXECUTORS["regexp_split_to_array"].name}
"""Spark's names of DuckDB's functions that sqlglot does not know."""

_BY_DUCKDB: dict[type[exp.Expression], str] = {
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.RegexpReplace: "regexp_replace",
    exp.RegexpFullMatch: "regexp_full_match",
}
"""Functions of texts that Spark has as well, with other results for some characters or patterns."""


class DuckDBFromOne(DuckDB):
    """DuckDB's SQL whose list indices stay as they are written: sqlglot moves some of them and not others."""

    INDEX_OFFSET = 0


def parse(statement: str) -> exp.Expression:
    """Return the tree of a SELECT. Raises sqlglot's errors."""
    tree = sqlglot.parse_one(statement, read=DuckDBFromOne)
    assert isinstance(tree, exp.Expression)
    return tree


def rewritten(tree: exp.Expression, function: str | None) -> exp.Expression:
    """Return the tree with everything rewritten that Spark lacks or reads differently.

    function: the one that the statement is the body of, if it is.
    """
    rules: tuple[Rule, ...] = (partial(_parameter, function=function), *RULES, *LIST_RULES)
    for rule in rules:
        tree = _applied(rule, tree)
    assert isinstance(tree, exp.Expression)
    return tree


def _applied(rule: Rule, tree: Any) -> Any:
    """Return the tree with a rule applied to every node, to those below before those above."""
    for node in reversed(list(tree.walk())):
        replaced = rule(node)
        if replaced is not node and node is tree:
            tree = replaced
        elif replaced is not node:
            node.replace(replaced)
    return tree


def _parameter(node: exp.Expression, function: str | None) -> exp.Expression:
    if isinstance(node, exp.Column) and node.name.startswith(PARAMETER) and not node.table:
        name = node.name.removeprefix(PARAMETER)
        return exp.column(name, table=function) if function else exp.Placeholder(this=name)
    return node


def _whole_sum(node: exp.Expression) -> exp.Expression:
    """A sum of whole counts is one of BIGINT, whose overflow is an error; sums of 128 bits take four times as long."""
    if isinstance(node, exp.Sum) and isinstance(node.this, exp.Cast) and not isinstance(node.this.this, exp.Round):
        inner = node.this
        if inner.to.this == exp.DataType.Type.INT128:
            return exp.Sum(this=exp.cast(inner.this, "BIGINT"))
    return node


def _type(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.DataType) and node.this in _TYPES:
        return exp.DataType.build(_TYPES[node.this], dialect="spark")
    return node


def _number(node: exp.Expression) -> exp.Expression:
    """A literal with a point is a DOUBLE; in Spark it is a decimal number, whose arithmetic rounds."""
    if isinstance(node, exp.Literal) and not node.is_string and "." in node.name and "e" not in node.name.lower():
        return exp.Literal.number(f"{node.name}e0")
    return node


def _function(node: exp.Expression) -> exp.Expression:
    """Functions that have another name in Spark, or that DuckDB computes on the executors."""
    if isinstance(node, exp.Anonymous) and node.name.lower() in _NAMES:
        return exp.Anonymous(this=_NAMES[node.name.lower()], expressions=node.expressions)
    if isinstance(node, exp.RegexpReplace):
        options = node.args.get("modifiers") or exp.Literal.string("")
        arguments = [node.this, node.expression, node.args["replacement"], options]
        return exp.Anonymous(this=ON_EXECUTORS["regexp_replace"].name, expressions=arguments)
    if isinstance(node, exp.PercentileCont) and node.expression:
        return exp.Anonymous(this="percentile", expressions=[node.this, node.expression])
    if name := _BY_DUCKDB.get(type(node)):
        arguments = [node.this, *([node.expression] if node.args.get("expression") else [])]
        return exp.Anonymous(this=ON_EXECUTORS[name].name, expressions=arguments)
    return node


def _parentheses(node: exp.Expression) -> exp.Expression:
    """Spark 4.3 takes `SELECT * FROM t WHERE (FALSE)` for a relation of one column."""
    return node.this if isinstance(node, exp.Paren) and isinstance(node.this, exp.Boolean) else node


def _macro(node: exp.Expression) -> exp.Expression:
    """Macros of columns of `words` are written out; the others are functions that DuckDB computes on the executors."""
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    macro = schemas.all_macros().get(name)
    if macro is None or all(parameter.type != schemas.WORD for parameter in macro.parameters):
        return node
    if name == "text_between":
        row, first, last = node.expressions
        return _text_between(row.name, first, last)
    given = dict(zip((parameter.name for parameter in macro.parameters), node.expressions, strict=True))
    aliases = {
        parameter.name: given[parameter.name].name for parameter in macro.parameters if parameter.type == schemas.WORD
    }
    body = parse(f"SELECT {macro.body}").expressions[0]

    def fill(inner: exp.Expression) -> exp.Expression:
        if isinstance(inner, exp.Column) and inner.table in aliases:
            return exp.column(inner.name, table=aliases[inner.table])
        if isinstance(inner, exp.Column) and not inner.table and inner.name in given:
            value: exp.Expression = given[inner.name].copy()
            return value
        return inner

    written: exp.Expression = exp.paren(_applied(_macro, body.transform(fill)))
    return written


_WORDS_OF_SENTENCES = """
SELECT _w.corpus, _w.sentence,
       array_sort(collect_list(named_struct(
           'word', _w.word, 'form', concat(_w.form, CASE WHEN contains(concat('|', _w.misc, '|'), '|SpaceAfter=No|')
                                                         THEN '' ELSE ' ' END),
           'first', _t.first, 'last', _t.last,
           'token', concat(_t.form, CASE WHEN contains(concat('|', _t.misc, '|'), '|SpaceAfter=No|')
                                         THEN '' ELSE ' ' END)))) AS words
FROM words AS _w
LEFT JOIN tokens AS _t
  ON _t.corpus = _w.corpus AND _t.sentence = _w.sentence AND _w.multiword AND _w.word BETWEEN _t.first AND _t.last
GROUP BY _w.corpus, _w.sentence
"""
"""The words of every sentence, with what follows them, and their multiword tokens."""

_TEXTS_OF = "_texts_of_"
"""Prefix of the alias of the words of a row's sentence, in the SELECT that has the row."""


def _text_between(row: str, first: exp.Expression, last: exp.Expression) -> exp.Expression:
    """The macro `text_between`, on words that `_join_texts` joins: it has a subquery, which Spark cannot pass on."""
    words = exp.column("words", table=_TEXTS_OF + row, quoted=True)
    return exp.Anonymous(this=TEXT_OF_WORDS.name, expressions=[words, first.copy(), last.copy()])


def _join_texts(node: exp.Expression) -> exp.Expression:
    """A SELECT with the words of the sentences whose text it has."""
    if not isinstance(node, exp.Select):
        return node
    tables = (column.table for column in node.find_all(exp.Column) if column.find_ancestor(exp.Select) is node)
    for name in sorted({table for table in tables if table.startswith(_TEXTS_OF)}):
        row = name.removeprefix(_TEXTS_OF)
        words = sqlglot.parse_one(_WORDS_OF_SENTENCES, read="spark")
        side = exp.Subquery(this=words, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        keys = [
            exp.EQ(this=exp.column(key, table=name, quoted=True), expression=exp.column(key, table=row, quoted=True))
            for key in ("corpus", "sentence")
        ]
        node.append("joins", exp.Join(this=side, side="LEFT", on=exp.and_(*keys)))
    return node


def _expression(node: exp.Expression) -> exp.Expression:
    """Spark decides itself whether a common table expression is computed once."""
    if isinstance(node, exp.CTE):
        node.set("materialized", None)
    return node


def _as_of(node: exp.Expression) -> exp.Expression:
    """An ASOF join on one inequality: a window over both sides finds the last key at or before each row's."""
    if not isinstance(node, exp.Select):
        return node
    for join in node.args.get("joins") or []:
        if join.method != "ASOF":
            continue
        on = join.args["on"]
        if not isinstance(on, exp.GTE) or join is not node.args["joins"][0]:
            raise StatementError("an ASOF join has no translation for Spark but on one `>=`", on.sql(), node.sql())
        left, right = node.args["from_"].this, join.this
        ends = f"{on.this.sql('spark')} AS at, 1 AS side, struct({left.alias_or_name}.*) AS kept, CAST(NULL AS BIGINT)"
        key = on.expression.sql("spark")
        matched = sqlglot.parse_one(
            "SELECT p.kept.*, p.last_key AS _last_key FROM (SELECT u.kept, u.side, max(u.key) OVER (ORDER BY u.at, "
            "u.side ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_key "
            f"FROM (SELECT {ends} AS key FROM _left UNION ALL "
            f"SELECT {key} AS at, 0 AS side, NULL AS kept, {key} AS key FROM _right) AS u) AS p WHERE p.side = 1",
            read="spark",
        )
        sides = {"_left": left, "_right": right}
        for table in list(matched.find_all(exp.Table)):
            if table.name in sides:
                table.replace(sides[table.name].copy())
        left.replace(exp.Subquery(this=matched, alias=exp.TableAlias(this=exp.to_identifier(left.alias_or_name))))
        join.set("method", None)
        join.set("on", exp.EQ(this=on.expression, expression=exp.column("_last_key", table=left.alias_or_name)))
    return node


RULES: tuple[Rule, ...] = (
    _macro,
    _join_texts,
    _expression,
    _as_of,
    _whole_sum,
    _type,
    _number,
    _function,
    _parentheses,
)
"""In the order in which they are applied; those of lists follow."""
