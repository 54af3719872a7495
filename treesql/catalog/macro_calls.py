"""Calls of macros whose arguments are known, written out: without the branches that these rule out. Statements whose
parameters are known, without what these and empty tables rule out, without what nothing reads then, and with what is
the same in every call made once.

DuckDB plans all branches of a macro wherever it is called, with their regular expressions, before it drops those of
other tokenisations or other steps of normalisation than are asked for. Of a small score of texts that takes two thirds.
Plans that are kept for small scores are made without DuckDB's optimizer, which would drop the rest: each join, group or
window takes 0.1 to 0.3 ms, whatever its rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from treesql.catalog import schemas
from treesql.catalog.schemas import Macro, literal, quote
from treesql.catalog.sql_text import relations_of, split_tokens

_OTHER_NOTATIONS = re.compile(r"/\*|\$\w*\$|\b[eE]'")
"""Matches the beginning of comments and strings that `split_tokens` does not know."""

_OWN_NAMES = frozenset({"SELECT", "LAMBDA", "FOR"})
"""Words of macros in which names may stand for something else than their arguments."""


_AGGREGATES = re.compile(
    r"(?i)any_value|arg_m\w+|avg|bit_\w+|bool_\w+|count|first|last|list|max|min|quantile\w*|string_agg|sum"
)
"""Matches the names of functions of which a SELECT without groups has a row, whatever its condition."""

_IS_NULL = re.compile(r"\w+\.\w+ IS (NOT )?NULL\b")
"""Matches the question whether a column is NULL."""

_COLUMN_AND_COMMA = re.compile(r"\w+\.\w+,")
"""Matches a column that is an argument before another one."""

_BEFORE_QUESTION = frozenset({"(", ",", "AND", "NOT", "ON", "OR", "SELECT", "WHEN", "WHERE"})
"""Words before it: behind `=`, it would be asked of both sides."""

_OF_SETS = frozenset({"UNION", "EXCEPT", "INTERSECT"})
"""Words between SELECTs."""

_AFTER_CONDITION = frozenset({*_OF_SETS, "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "OFFSET"})
"""Words that may follow the condition of a SELECT."""

_OF_INNER_JOINS = frozenset({"INNER", "CROSS"})
"""Words before joins whose rows are of both sides."""

_OF_OUTER_JOINS = frozenset({"RIGHT", "FULL", "POSITIONAL"})
"""Words before joins that have rows where the side before them has none."""

_BEFORE_JOIN = _OF_INNER_JOINS | _OF_OUTER_JOINS | {"LEFT", "OUTER", "ASOF", "SEMI", "ANTI", "NATURAL"}
"""Words that say how a table is joined."""

_AFTER_JOIN = frozenset({*_AFTER_CONDITION, *_BEFORE_JOIN, "WHERE", "JOIN", ","})
"""Words that may follow the condition of a join."""

_ALL_COLUMNS = frozenset({(".", "*"), ("SELECT", "*"), ("DISTINCT", "*"), (",", "*")})
"""Words that stand for all columns: `*`, and the one before it."""

_CORPUS = "corpus"
"""Ends the names of parameters that are names of corpora, which differ from call to call."""


class Written(NamedTuple):
    """A statement with parameters `$1`, `$2`, ..., each named once, and their values.

    settled: the SELECTs of relations that it reads and that are the same in every call, by their names.
    """

    sql: str
    arguments: list[str]
    settled: tuple[tuple[str, str], ...] = ()


def write_in(
    sql: str,
    values: Mapping[str, object],
    empty: frozenset[str] = frozenset(),
    settled: frozenset[str] = frozenset(),
) -> Written | None:
    """A statement with the values of its parameters in it but the names of corpora, without branches that these, or
    tables that are empty, rule out, and without expressions and windows that nothing reads then; None where it is in
    other notations than those of the catalogue, or has values of other types.

    settled: tables whose rows never change. Expressions of a WITH clause that read nothing else are of relations that
    are made once.
    """
    known = tuple((name, _literal(value)) for name, value in values.items() if not name.endswith(_CORPUS))
    written = None if any(value is None for _, value in known) else _written_in(sql, known, empty, settled)
    if written is None or not all(isinstance(values.get(name), str) for name in written[1]):
        return None
    return Written(written[0], [str(values[name]) for name in written[1]], written[2])


def _literal(value: object) -> str | None:
    """A value in SQL; None for lists and other types."""
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    return literal(value) if isinstance(value, str) else f"({value})" if isinstance(value, int) else None


@lru_cache(maxsize=128)
def _written_in(
    sql: str, known: tuple[tuple[str, str], ...], empty: frozenset[str], settled: frozenset[str]
) -> tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]] | None:
    """The statement, the names of the parameters that are left, in the order of their numbers, and what is settled."""
    if _OTHER_NOTATIONS.search(sql):
        return None
    of_name = {f"${name}": value for name, value in known}
    tokens = _write_calls([of_name.get(token, token) for token in split_tokens(sql)], {})
    tokens = _without_dead_arms(tokens, {_name(token) for token in tokens if _is_empty(_name(token), empty)})
    tokens = _without_unread_windows(_without_unread_expressions(tokens))
    tokens, made_once = _reading_settled(tokens, settled)
    left = [at for at, token in enumerate(tokens) if token.startswith("$")]
    names = tuple(tokens[at][1:] for at in left)
    for number, at in enumerate(left, start=1):
        tokens[at] = f"CAST(${number} AS VARCHAR)"
    return "".join(tokens), names, made_once


def write_out(sql: str, values: Mapping[str, object]) -> str:
    """A statement in which calls of macros of texts are written out. values: of the statement's parameters."""
    passed = _parameters_passed(sql)
    if passed is None:
        return sql
    known = ((name, values.get(name)) for name in passed)
    return _written_out(sql, tuple((name, value) for name, value in known if isinstance(value, str)))


@cache
def _macros_of_texts() -> dict[str, Macro]:
    """The macros whose branches have one type, so that it stays where some are left out, by name."""
    return {
        macro.name: macro
        for macro in schemas.all_macros().values()
        if macro.kind == "function"
        and macro.columns[0].type.startswith("VARCHAR")
        and _OWN_NAMES.isdisjoint(map(str.upper, split_tokens(macro.body)))
    }


@lru_cache(maxsize=128)
def _parameters_passed(sql: str) -> tuple[str, ...] | None:
    """The names of parameters in arguments of macros, in SQL that calls some; None for SQL in other notations than that
    of the catalogue, as conditions of users may have."""
    if _OTHER_NOTATIONS.search(sql):
        return None
    tokens = split_tokens(sql)
    calls = [at for at, token in enumerate(tokens) if token in _macros_of_texts() and _is_call(tokens, at)]
    passed = [token for at in calls for argument in _arguments(tokens, at)[0] for token in argument]
    return tuple(dict.fromkeys(token[1:] for token in passed if token.startswith("$")))


@lru_cache(maxsize=128)
def _written_out(sql: str, known: tuple[tuple[str, str], ...]) -> str:
    return "".join(_write_calls(split_tokens(sql), {f"${name}": literal(value) for name, value in known}))


def _write_calls(tokens: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """Tokens with calls of macros written out. known: literals of parameters in their arguments."""
    written: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at] not in _macros_of_texts() or not _is_call(tokens, at):
            written.append(tokens[at])
            at += 1
            continue
        macro = _macros_of_texts()[tokens[at]]
        arguments, end = _arguments(tokens, at)
        values = [_argument(argument, known) for argument in arguments]
        body, names = split_tokens(macro.body), [parameter.name for parameter in macro.parameters]
        fits = len(values) == len(names) and all(map(_is_positional, arguments))
        if fits and (_is_known(values) or _is_short(values, body, names)):
            of_name = dict(zip(names, values, strict=True))
            body = [part for token in body for part in of_name.get(token, [token])]
            written += ["(", *_without_dead_branches(_write_calls(body, {})), ")"]
        else:
            written += [tokens[at], *_write_calls(tokens[at + 1 : end], known)]
        at = end
    return written


def _argument(tokens: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """An argument: a literal, or an expression in brackets."""
    value = _without_dead_branches(_write_calls([known.get(token, token) for token in tokens], {}))
    read = [token for token in _read(value) if token not in ("(", ")")]
    if len(read) == 1 and read[0].startswith("'"):
        return read
    inside = ["(", *_read(value), ")"]
    return inside if len(inside) == len(["(", "t", ".", "column", ")"]) else ["(", *value, ")"]


def _is_known(values: Sequence[Sequence[str]]) -> bool:
    """Whether an argument is a literal."""
    return any(len(value) == 1 for value in values)


def _is_short(values: Sequence[Sequence[str]], body: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a macro's body with its only argument is not much longer than without: it names it once, or a column."""
    return len(names) == 1 and (body.count(names[0]) == 1 or len(values[0]) <= len(["(", "t", ".", "column", ")"]))


def _is_positional(argument: Sequence[str]) -> bool:
    """Whether an argument is given by its place, and not by its name, as a condition of a user may give it."""
    return bool(_read(argument)) and ":=" not in argument and "=>" not in "".join(argument)


def _is_call(tokens: Sequence[str], at: int) -> bool:
    """Whether the name at a place is called, and not as a method of the expression before it, its first argument."""
    before = "".join(tokens[max(at - 2, 0) : at]).rstrip()
    return tokens[at + 1 : at + 2] == ["("] and not before.endswith(".")


def _arguments(tokens: Sequence[str], at: int) -> tuple[list[list[str]], int]:
    """The arguments of a call, by the place of its name, and the place after it."""
    arguments: list[list[str]] = [[]]
    depth, end = 1, at + 2
    while depth:
        token = tokens[end]
        end += 1
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if token == "," and depth == 1:
            arguments.append([])
        elif depth:
            arguments[-1].append(token)
    return arguments, end


def _read(tokens: Sequence[str]) -> list[str]:
    """Tokens without white space and comments."""
    return [token for token in tokens if not token.isspace() and not token.startswith("--")]


def _without_dead_branches(tokens: Sequence[str]) -> list[str]:
    """Tokens with each CASE without the branches that comparisons of two literals rule out."""
    parts: list[str] = []
    at = 0
    while at < len(tokens):
        if tokens[at].upper() == "CASE":
            clauses, at = _clauses(tokens, at)
            parts += _living(clauses)
        else:
            parts.append(tokens[at])
            at += 1
    return parts


def _clauses(tokens: Sequence[str], at: int) -> tuple[list[tuple[str, list[str]]], int]:
    """The clauses of a CASE, by its place, each with its keyword in front, and the place after its END."""
    clauses: list[tuple[str, list[str]]] = []
    depth = 0
    while True:
        word = tokens[at].upper()
        at += 1
        depth += (word == "CASE") - (word == "END")
        if not depth:
            return [(keyword, _without_dead_branches(clause)) for keyword, clause in clauses], at
        if word in ("CASE", "WHEN", "THEN", "ELSE") and depth == 1:
            clauses.append((word, []))
        else:
            clauses[-1][1].append(tokens[at - 1])


def _living(clauses: Sequence[tuple[str, list[str]]]) -> list[str]:
    """A CASE of those of its clauses that can be reached, or what is left of it."""
    (_, subject), *others = clauses
    living: list[str] = []
    for number, (keyword, clause) in enumerate(others):
        if keyword == "WHEN":
            result = others[number + 1][1]
            holds = _holds(_read(subject), _read(clause))
            if holds is None:
                living += ["WHEN", *clause, "THEN", *result]
            elif holds:
                otherwise = result
                break
        elif keyword == "ELSE":
            otherwise = clause
            break
    else:
        otherwise = [" NULL "]
    return ["CASE", *subject, *living, "ELSE", *otherwise, "END"] if living else ["(", *otherwise, ")"]


def _holds(subject: Sequence[str], condition: Sequence[str]) -> bool | None:
    """Whether a condition holds that compares two literals, or is one; None for others. subject: of the CASE, if it has
    one."""
    if not subject and condition in (["TRUE"], ["FALSE"]):
        return condition == ["TRUE"]
    left, sign, right = (subject, ["="], condition) if subject else (condition[:1], condition[1:-1], condition[-1:])
    if sign not in (["="], ["<", ">"]) or not all(len(side) == 1 and side[0].startswith("'") for side in (left, right)):
        return None
    return (left == right) is (sign == ["="])


def _without_dead_arms(tokens: Sequence[str], empty: set[str]) -> list[str]:
    """Tokens with each UNION ALL without those of its SELECTs whose conditions compare literals that rule them out, or
    that are from an empty table. Expressions of a WITH clause that have no rows are added to what is empty; those
    that read themselves keep all their SELECTs."""
    arms: list[list[str]] = [[]]
    at, other_sets = 0, False
    while at < len(tokens):
        word = tokens[at].upper()
        if word == "(":
            end = _end_of_brackets(tokens, at)
            inside, before = list(tokens[at + 1 : end - 1]), _read(arms[-1])
            name = _name(before[-2]) if before[:1] == ["WITH"] and before[-1] == "AS" else ""
            if before[:2] != ["WITH", "RECURSIVE"] or name not in map(_name, inside):
                inside = _without_dead_arms(inside, set(empty))
            if name and _is_dead(inside, empty):
                empty.add(name)
            arms[-1] += ["(", *inside, ")"]
            at = end
            continue
        if word == "UNION" and "".join(tokens[at + 1 : at + 3]).strip().upper() == "ALL":
            arms.append([])
            at += 3
            continue
        other_sets |= word in _OF_SETS
        arms[-1].append(tokens[at])
        at += 1
    living = arms if other_sets else [arm for arm in arms if not _is_dead(arm, empty)] or arms[:1]
    living = [_without_true_condition(_without_empty_joins(arm, empty)) for arm in living]
    return [token for arm in living for token in ("UNION ALL", *arm)][1:]


def _end_of_brackets(tokens: Sequence[str], at: int) -> int:
    """The place after the bracket that closes the one at a place."""
    depth = 1
    while depth:
        at += 1
        depth += (tokens[at] == "(") - (tokens[at] == ")")
    return at + 1


def _outside_brackets(tokens: Sequence[str]) -> list[tuple[int, str]]:
    """The places of the tokens outside brackets, and these, words in capitals, without white space and comments."""
    outside, depth = list[tuple[int, str]](), 0
    for at, token in enumerate(tokens):
        depth -= token == ")"
        if not depth and not token.isspace() and not token.startswith("--"):
            outside.append((at, token.upper() if token.isalpha() else token))
        depth += token == "("
    return outside


def _is_dead(arm: Sequence[str], empty: Set[str]) -> bool:
    """Whether a SELECT has no rows, as part of its condition compares literals that differ, or it is from nothing."""
    outside = _outside_brackets(arm)
    words = [word for _, word in outside]
    if words[:1] != ["SELECT"] or not _OF_SETS.union(("ORDER", "LIMIT")).isdisjoint(words):
        return False
    first = words.index("WHERE") if "WHERE" in words else len(words)
    sources = [
        at for at, (last, word) in enumerate(pairwise(["", *words[:first]]))
        if (word == "FROM" and last != "DISTINCT") or (word == "JOIN" and last not in _BEFORE_JOIN - _OF_INNER_JOINS)
    ]  # fmt: skip
    end = sources[0] if sources else first
    selected = _read(arm[: outside[end][0]] if end < len(words) else arm)
    if "GROUP" not in words and ("HAVING" in words or any(map(_AGGREGATES.fullmatch, selected))):
        return False
    has_all_sides = _OF_OUTER_JOINS.isdisjoint(words)
    if has_all_sides and any(_has_no_rows(arm, outside, at + 1, empty) for at in sources):
        return True
    conditions: list[list[str]] = [[]]
    for word in words[first + 1 :]:
        if word in _AFTER_CONDITION:
            break
        if word == "AND":
            conditions.append([])
        else:
            conditions[-1].append(word)
    is_conjunction = {"OR", "CASE"}.isdisjoint(words[first:])
    return is_conjunction and any(_holds([], condition) is False for condition in conditions)


def _has_no_rows(arm: Sequence[str], outside: Sequence[tuple[int, str]], at: int, empty: Set[str]) -> bool:
    """Whether the table or the subquery at a place among the words outside brackets is empty."""
    begin, word = outside[at]
    if word != "(":
        return _name(arm[begin]) in empty
    return _is_dead(arm[begin + 1 : outside[at + 1][0]], empty)


def _is_empty(name: str, empty: Set[str]) -> bool:
    """Whether a table is empty, or an expression of the catalogue, whose name may end in a number."""
    return name in empty or (name.rpartition("_")[0] in empty and name.rpartition("_")[2].isdecimal())


def _without_empty_joins(arm: list[str], empty: Set[str]) -> list[str]:
    """A SELECT without left joins with what has no rows, where it asks of these only whether they are there, or for
    a text that stands for theirs."""
    outside = _outside_brackets(arm)
    words = [word for _, word in outside]
    for at in range(len(words)) if words[:1] == ["SELECT"] else ():
        if words[at : at + 2] != ["LEFT", "JOIN"] or words[at - 1] in _BEFORE_JOIN:
            continue
        joined = at + 2
        named = joined + (2 if words[joined] == "(" else 1)
        has_rows = not _has_no_rows(arm, outside, joined, empty)
        if has_rows or words[named] != "AS" or words[named + 2] != "ON":
            continue
        end = next((place for place in range(named, len(words)) if _ends_join(words[place : place + 2])), len(words))
        others = [*arm[: outside[at][0]], *(arm[outside[end][0] :] if end < len(words) else [])]
        asked = _as_null(others, arm[outside[named + 1][0]])
        if asked is not None:
            return _without_empty_joins(_without_dead_branches(asked), empty)
    return arm


def _ends_join(words: Sequence[str]) -> bool:
    """Whether a word follows the condition of a join, by itself and the word after it: `left` is also a function."""
    return words[0] in _AFTER_JOIN and not (words[0] in _BEFORE_JOIN and words[1:] == ["("])


def _as_null(tokens: Sequence[str], alias: str) -> list[str] | None:
    """Tokens in which the columns of an alias are NULL; None where more is asked of them than whether they are, or for
    the first of several that is not and a text."""
    if not _ALL_COLUMNS.isdisjoint(pairwise(_read(tokens))):
        return None
    asked: list[str] = []
    at = 0
    while at < len(tokens):
        if _name(tokens[at]) != _name(alias):
            asked.append(tokens[at])
            at += 1
            continue
        if _COLUMN_AND_COMMA.match("".join(tokens[at : at + 4])) and _stands_before_text(tokens, at):
            at += 4
            continue
        question = _IS_NULL.match("".join(tokens[at:]))
        if question is None or _read(asked)[-1] not in _BEFORE_QUESTION:
            return None
        asked.append("FALSE" if question[1] else "TRUE")
        at += len(split_tokens(question[0]))
    return asked


def _stands_before_text(tokens: Sequence[str], at: int) -> bool:
    """Whether the column at a place is one of the arguments of a `coalesce` that ends in a text, so that it has the
    type of a text without it."""
    depth = 0
    for place in reversed(range(at)):
        depth += (tokens[place] in (")", "]", "}")) - (tokens[place] in ("(", "[", "{"))
        if depth < 0:
            arguments, _ = _arguments(tokens, place - 1)
            last = _read(arguments[-1])
            is_between = _read(tokens[:at])[-1] in ("(", ",")
            return is_between and _name(tokens[place - 1]) == "coalesce" and len(last) == 1 and last[0].startswith("'")
    return False


def _without_true_condition(arm: Sequence[str]) -> list[str]:
    """A SELECT without its condition where one of several alternatives compares literals and holds."""
    outside = _outside_brackets(arm)
    words = [word for _, word in outside]
    if words[:1] != ["SELECT"] or "WHERE" not in words:
        return list(arm)
    first = words.index("WHERE")
    last = next((at for at in range(first, len(words)) if words[at] in _AFTER_CONDITION), len(words))
    alternatives: list[list[str]] = [[]]
    for word in words[first + 1 : last]:
        if word == "OR":
            alternatives.append([])
        else:
            alternatives[-1].append(word)
    if "CASE" in words[first:last] or not any(_holds([], other) for other in alternatives):
        return list(arm)
    end = outside[last][0] if last < len(outside) else len(arm)
    return [*arm[: outside[first][0]], *arm[end:]]


def _without_unread_expressions(tokens: list[str]) -> list[str]:
    """Tokens without those expressions of a WITH clause at their beginning that nothing after them reads."""
    expressions, rest = _expressions(tokens)
    read, kept = set(map(_name, rest)), list[list[str]]()
    for name, expression in reversed(expressions):
        if name in read:
            read.update(map(_name, expression))
            kept.insert(0, expression)
    return _with_expressions(kept, rest)


def _reading_settled(tokens: list[str], settled: Set[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Tokens in which expressions of a WITH clause at their beginning that read settled tables alone read a relation
    each, and the SELECTs of these relations by their names."""
    expressions, rest = _expressions(tokens)
    names = {name for name, _ in expressions}  # they hide tables
    relations, settled = _relations() | names, settled - names
    made_once, written = list[tuple[str, str]](), list[list[str]]()
    for name, expression in expressions:
        begin = expression.index("(") + 1
        select = "".join(expression[begin:-1]).strip()
        read = {_name(relation) for relation in relations_of(select) - {"("}}
        read |= relations.intersection(map(_name, expression[begin:]))  # behind commas, too
        if read and read <= settled and not any(token.startswith("$") for token in expression):
            relation = f"{name} {hashlib.sha256(select.encode()).hexdigest()[:16]}"
            made_once.append((relation, select))
            expression = [*expression[:begin], f"FROM {quote(relation)}", ")"]
        written.append(expression)
    return _with_expressions(written, rest), tuple(made_once)


@cache
def _relations() -> frozenset[str]:
    """The names of tables and views, and of macros that read some."""
    macros = schemas.all_macros()
    reading = {name for name in macros if any(relations_of(macro.body) for macro in schemas.macros_called([name]))}
    return frozenset({*schemas.all_tables(), *schemas.all_views(), *reading})


def _expressions(tokens: list[str]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The names and tokens of the expressions of a WITH clause at the beginning, and the tokens after it."""
    expressions: list[tuple[str, list[str]]] = []
    at = 1
    while tokens[:1] == ["WITH"]:
        begin = tokens.index("(", at)
        [name, *others] = _read(tokens[at:begin])
        if others != ["AS"]:
            return [], tokens
        end = _end_of_brackets(tokens, begin)
        expressions.append((_name(name), tokens[at:end]))
        comma = next((place for place in range(end, len(tokens)) if _read(tokens[place : place + 1])), end)
        if tokens[comma : comma + 1] != [","]:
            return expressions, tokens[end:]
        at = comma + 1
    return [], tokens


def _with_expressions(expressions: Sequence[Sequence[str]], rest: Sequence[str]) -> list[str]:
    """The tokens of a statement with a WITH clause of some expressions."""
    clause = [token for expression in expressions for token in (",", *expression)][1:]
    return [*(["WITH", *clause] if clause else []), *rest]


def _name(token: str) -> str:
    """A name as DuckDB compares it."""
    return token.strip('"').lower()


def _without_unread_windows(tokens: list[str]) -> list[str]:
    """Tokens without those columns of subqueries that are windows and that nothing names."""
    pairs = list(pairwise(_read(tokens)))
    if not _ALL_COLUMNS.isdisjoint(pairs):
        return tokens
    named = {_name(token) for before, token in pairs if before != "AS"}
    for at in reversed([at for at, token in enumerate(tokens) if token == "OVER"]):
        begin = _comma_before(tokens, at)
        after = [place for place in range(at + 1, len(tokens)) if not tokens[place].isspace()]
        if begin is None or tokens[after[0]] != "(":
            continue
        end = _end_of_brackets(tokens, after[0])
        places = [place for place in after if place >= end][:3]
        words = [tokens[place] for place in places]
        if words[:1] == ["AS"] and words[2] in (",", "FROM") and _name(words[1]) not in named:
            tokens = [*tokens[:begin], *tokens[places[1] + 1 :]]
    return tokens


def _comma_before(tokens: Sequence[str], at: int) -> int | None:
    """The place of the comma before a column of a subquery, by a place in it; None for the first column, and where the
    columns of the subquery are known by their places, or its rows by the values of all."""
    comma, depth = None, 0
    for place in reversed(range(at)):
        depth += (tokens[place] == ")") - (tokens[place] == "(")
        if tokens[place] == "," and not depth and comma is None:
            comma = place
        elif tokens[place] == "SELECT" and not depth and comma is None:
            return None
        elif depth < 0:
            inside = tokens[place + 1 : _end_of_brackets(tokens, place) - 1]
            words = {word for _, word in _outside_brackets(inside)}
            return comma if words.isdisjoint({*_OF_SETS, "DISTINCT", "ORDER"}) else None
    return None
