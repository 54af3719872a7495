"""Conditions on values, as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.patterns.lexer import Regex
from treesql.patterns.syntax import Gap, Test, Value
from treesql.tables import literal


def tested(value: str, test: Test) -> str:
    """A value passes the test of a feature."""
    if test.operator == "defined":
        return f"{value} IS NOT NULL"
    if test.operator == "absent":
        return f"{value} IS NULL"
    return one_of(value, test.values, test.operator == "<>")


def one_of(value: str, allowed: Sequence[Value], negated: bool) -> str:
    """The value is one of some texts or follows one of some expressions; negated: neither."""
    texts = [literal(one) for one in allowed if isinstance(one, str)]
    conditions = []
    if len(texts) == 1:
        conditions.append(f"{value} {'<>' if negated else '='} {texts[0]}")
    elif texts:
        conditions.append(f"{value} {'NOT ' if negated else ''}IN ({', '.join(texts)})")
    expressions = (one for one in allowed if isinstance(one, Regex))
    conditions += [f"{'NOT ' if negated else ''}{follows(value, one)}" for one in expressions]
    if len(conditions) == 1:
        return conditions[0]
    return "(" + (" AND " if negated else " OR ").join(conditions) + ")"


def follows(value: str, regex: Regex) -> str:
    """The whole value follows an expression; plain beginnings, endings and middles are told without one."""
    begins = regex.pattern.startswith(".*")
    ends = regex.pattern.endswith(".*") and len(regex.pattern) > 2
    middle = regex.pattern[2 if begins else 0 : -2 if ends else None]
    if (begins or ends) and middle and not regex.ignore_case and not any(c in r".*+?[]()|{}^$\\" for c in middle):
        function = "contains" if begins and ends else "ends_with" if begins else "starts_with"
        return f"{function}({value}, {literal(middle)})"
    options = ", 'i'" if regex.ignore_case else ""
    return f"regexp_full_match({value}, {literal(regex.pattern)}{options})"


def negated(condition: str) -> str:
    """The opposite of a condition that EXISTS begins."""
    return condition.removeprefix("NOT ") if condition.startswith("NOT ") else f"NOT {condition}"


def number(value: str, is_number: bool) -> str:
    """A value as a number, NULL where it is none."""
    return value if is_number else f"TRY_CAST({value} AS DOUBLE)"


def written(number: float) -> str:
    """A number with all its digits."""
    return str(int(number)) if number.is_integer() else repr(number)


def interval(value: str, gap: Gap) -> str:
    """The interval in which a number lies, as Grew writes it: `[100, 200[`; counted from `min`, else from `max`."""
    number, width = f"TRY_CAST({value} AS DOUBLE)", written(gap.width)
    if gap.least is None and gap.most is not None:
        low = f"({written(gap.most)} - ceil(({written(gap.most)} - {number}) / {width}) * {width})"
    else:
        start = written(gap.least or 0.0)
        low = f"(floor(({number} - {start}) / {width}) * {width} + {start})"
    high = f"{low} + {width}"
    if gap.most is not None:
        high = f"least({high}, {written(gap.most)})"
    told = f"format('[{{:.15g}}, {{:.15g}}[', {low}, {high})"
    cases = []
    if gap.least is not None:
        cases.append(f"WHEN {number} < {written(gap.least)} THEN ']-∞, {written(gap.least)}['")
    if gap.most is not None:
        cases.append(f"WHEN {number} >= {written(gap.most)} THEN '[{written(gap.most)}, +∞['")
    return f"CASE {' '.join([f'WHEN {number} IS NULL THEN NULL', *cases])} ELSE {told} END"
