"""Conditions on values, as SQL."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.catalog.schemas import literal
from treesql.search.grew.lexer import Regex
from treesql.search.grew.syntax import Gap, Test, Value


def test_condition(value: str, test: Test) -> str:
    """Return the condition that a value passes the test of a feature."""
    if test.operator == "defined":
        return f"{value} IS NOT NULL"
    if test.operator == "absent":
        return f"{value} IS NULL"
    return membership_condition(value, test.values, test.operator == "<>")


def membership_condition(value: str, allowed: Sequence[Value], negated: bool) -> str:
    """Return the condition that a value equals one of some texts or matches one of some expressions; negated: none."""
    texts = [literal(text) for text in allowed if isinstance(text, str)]
    conditions = []
    if len(texts) == 1:
        conditions.append(f"{value} {'<>' if negated else '='} {texts[0]}")
    elif texts:
        conditions.append(f"{value} {'NOT ' if negated else ''}IN ({', '.join(texts)})")
    expressions = (expression for expression in allowed if isinstance(expression, Regex))
    conditions += [f"{'NOT ' if negated else ''}{match_condition(value, expression)}" for expression in expressions]
    if len(conditions) == 1:
        return conditions[0]
    return "(" + (" AND " if negated else " OR ").join(conditions) + ")"


def match_condition(value: str, regex: Regex) -> str:
    """Return the condition that the whole value matches an expression; plain prefixes, suffixes and infixes need no
    regex."""
    begins = regex.pattern.startswith(".*")
    ends = regex.pattern.endswith(".*") and len(regex.pattern) > 2
    middle = regex.pattern[2 if begins else 0 : -2 if ends else None]
    if (begins or ends) and middle and not regex.ignore_case and not any(c in r".*+?[]()|{}^$\\" for c in middle):
        function = "contains" if begins and ends else "ends_with" if begins else "starts_with"
        return f"{function}({value}, {literal(middle)})"
    options = ", 'i'" if regex.ignore_case else ""
    return f"regexp_full_match({value}, {literal(regex.pattern)}{options})"


def negate(condition: str) -> str:
    """Return the negation of a condition that starts with EXISTS."""
    return condition.removeprefix("NOT ") if condition.startswith("NOT ") else f"NOT {condition}"


def as_number(value: str, is_number: bool) -> str:
    """Return a value as a number, NULL if it is not one."""
    return value if is_number else f"TRY_CAST({value} AS DOUBLE)"


def number_literal(number: float) -> str:
    """Return a number with all its digits."""
    return str(int(number)) if number.is_integer() else repr(number)


def interval(value: str, gap: Gap) -> str:
    """Return the interval that contains a number, as Grew writes it: `[100, 200[`; counted from `min`, else
    from `max`."""
    number, width = f"TRY_CAST({value} AS DOUBLE)", number_literal(gap.width)
    if gap.least is None and gap.most is not None:
        low = f"({number_literal(gap.most)} - ceil(({number_literal(gap.most)} - {number}) / {width}) * {width})"
    else:
        start = number_literal(gap.least or 0.0)
        low = f"(floor(({number} - {start}) / {width}) * {width} + {start})"
    high = f"{low} + {width}"
    if gap.most is not None:
        high = f"least({high}, {number_literal(gap.most)})"
    label = f"format('[{{:.15g}}, {{:.15g}}[', {low}, {high})"
    cases = []
    if gap.least is not None:
        cases.append(f"WHEN {number} < {number_literal(gap.least)} THEN ']-∞, {number_literal(gap.least)}['")
    if gap.most is not None:
        cases.append(f"WHEN {number} >= {number_literal(gap.most)} THEN '[{number_literal(gap.most)}, +∞['")
    return f"CASE {' '.join([f'WHEN {number} IS NULL THEN NULL', *cases])} ELSE {label} END"
