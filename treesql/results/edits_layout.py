"""Aligned references and translations for a screen or a page: a word above the other, with edits in colours.

In terminals, substitutions are yellow, deletions (words that the translation lacks) red, insertions (words too many)
green; without colours, *** is where a side has no word, and ^ stands below edits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from treesql.results.tables import cell_width

LEGEND = (
    "Each column is a word of the reference above what stands in its place. "
    "≠:\N{NO-BREAK SPACE}replaced. +:\N{NO-BREAK SPACE}extra. \N{MINUS SIGN}:\N{NO-BREAK SPACE}missing."
)

_NAMES = {"substitution": "replaced", "insertion": "extra", "deletion": "missing"}

_COLOURS = {"substitution": 33, "deletion": 31, "insertion": 32}
_HEADS = ("REF: ", "HYP: ", "     ")
_MIN_WIDTH = 40


def layout(rows: Sequence[Mapping[str, Any]], width: int) -> str:
    """The rows of translation_errors, a paragraph each. width: of the screen, in columns."""
    several = len({row.get("system") for row in rows}) > 1
    paragraphs = ["\n".join(_paragraph(row, max(width, _MIN_WIDTH), several)) for row in rows]
    return "\n\n".join(paragraphs or ["no sentence has errors"]) + "\n"


def steps(row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """A row of translation_errors as steps: an operation, the word of the reference and that of the translation."""
    return list(zip(row["operations"], row["reference_words"], row["hypothesis_words"], strict=True))


def count_edits(operations: Sequence[str]) -> str:
    """How many edits there are, of which operations: `3 edits: 2 replaced, 1 missing`."""
    counts = Counter(operations)
    n = sum(counts[operation] for operation in _NAMES)
    kinds = ", ".join(f"{counts[operation]} {name}" for operation, name in _NAMES.items() if counts[operation])
    return f"{n} edit{'s' * (n != 1)}{f': {kinds}' if n else ''}"


def _paragraph(row: Mapping[str, Any], width: int, several: bool) -> Iterator[str]:
    named = f" ({_printable(row['sent_id'])})" if row["sent_id"] else ""
    edits = f"{row['edits']} edit{'s' * (row['edits'] != 1)}"
    yield f"{_printable(row['system']) + ', ' if several else ''}sentence {row['sentence']}{named}: {edits}"
    line: list[tuple[str, str, str, int]] = []
    used = len(_HEADS[0])
    for operation, *pair in steps(row):
        reference, hypothesis = map(_printable, pair)
        room = max(cell_width(reference), cell_width(hypothesis))
        if line and used + room > width:
            yield from _lines(line)
            line, used = [], len(_HEADS[0])
        line.append((operation, reference, hypothesis, room))
        used += room + 1
    yield from _lines(line)


def _lines(line: Sequence[tuple[str, str, str, int]]) -> Iterator[str]:
    """Some steps as lines: the reference, the translation, and marks below edits, if there are any."""
    for head, side in zip(_HEADS, (1, 2, None), strict=True):
        cells = []
        for step in line:
            operation, room = step[0], step[3]
            text = step[side] if side else " " * room if operation == "match" else "^" * room
            padding = " " * (room - cell_width(str(text)))
            colour = _COLOURS.get(operation)
            cells.append(f"\x1b[{colour}m{text}\x1b[0m{padding}" if colour and side else f"{text}{padding}")
        text = (head + " ".join(cells)).rstrip()
        if side or text:
            yield text


def _printable(text: str) -> str:
    """A word without characters that control a terminal."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
